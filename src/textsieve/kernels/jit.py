"""The decorator that compiles all kernels, the cache of compiled code on disk, and two processor instructions.

Kernels release the interpreter lock, so that plain Python threads run them side by side, and are cached on disk,
so that only the first run on a machine compiles. `parallel=True` is never used: together with the cache it has
crashed, and its float sums depend on the number of threads. numba chooses the folder of the cache: beside the kernels
or, if that can't be written to, in the user's cache folder. If `NUMBA_CACHE_DIR` is set, the folder is inside that one
and is shared by all installations with the same kernels.

numba considers a cached kernel fresh while the source file of that kernel is unchanged. But kernels call one another,
also across files. So here, a cached kernel is fresh only while all source files in this folder are unchanged.

numba's cache files are pickles that contain object code. A damaged one may raise any exception or crash the process
when it is loaded. So `CheckedFiles` appends a SHA-256 checksum to each file, and numba loads a file only after its
checksum is verified. A damaged file is removed with a warning, and the kernel is compiled again. If the cache can't be
written, the process continues without it. The checksum detects accidents, not attacks: whoever can write to the cache
folder can run code, as with Python's own `__pycache__`.

Several processes often need the same kernel at the same time, such as the tasks of a Spark cluster. The first one holds
a lock on the kernel while it compiles; the others wait, and load what it saved.

numba offers no fused multiply-add and no prefetch, so they are defined here. `fma(a, b, c)` rounds only the result, not
the product. So `fma(a, b, -(a * b))` is the exact rounding error of the product a * b. Kernels add up such errors
separately, so that sums are precise to more than the 53 bits of a float.
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..errors import InputError, warn
from ..files import open_regular, replacing
from ..memory import check_room

if TYPE_CHECKING:
    from filelock import BaseFileLock

Params = ParamSpec("Params")
Result = TypeVar("Result")


MAX_CACHE_FILE_BYTES = 1 << 28
"""Larger cache files are not read: no kernel compiles to nearly as much code."""

COMPILER_MEGABYTES = 100
"""Megabytes of address space that compiling or linking a kernel may take; without them, LLVM aborts the process."""

LOCK_TIMEOUT = 60.0
"""Seconds to wait for another process that compiles the same kernel. That process may hang, so after this time the
kernel is compiled without the lock.
"""


def kernel(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Compile a function at its first call, to run without the interpreter lock, and cache the machine code on disk."""
    if cast(Any, numba.config).DISABLE_JIT:
        # If the variable is not set, numba's configuration file has disabled compiling, and the message shows a 1.
        raise InputError(
            f"NUMBA_DISABLE_JIT is set to {os.environ.get('NUMBA_DISABLE_JIT', 1)}, but textsieve's kernels only work "
            "compiled",
            hint="unset it",
        )
    dispatcher: Any = numba.njit(nogil=True)(function)
    try:
        dispatcher._cache = CheckedCache(function)
    except RuntimeError:  # numba found no folder that can be written to
        _report_unusable_cache(
            "No folder can be written to for compiled code, so each process compiles anew; set NUMBA_CACHE_DIR to one."
        )
    return cast("Callable[Params, Result]", dispatcher)


def cache_folder() -> str:
    """Return the folder of compiled code."""
    from . import words

    # All kernels share the folder, because their source files are in one folder.
    return str(cast(Any, words.count_words)._cache.cache_path)


def _fingerprint(folder: Path) -> str:
    """Return a digest of all source files in the folder of the kernels."""
    digest = sha256()
    for file in sorted(folder.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


FINGERPRINT = _fingerprint(Path(__file__).parent)
"""The digest of all kernels. It is part of the names of cache files, so an edit of any kernel recompiles all."""


def _stamp() -> str:
    """Return a short digest of all kernels and numba's version."""
    return sha256(f"{FINGERPRINT} {numba.__version__}".encode()).hexdigest()[:16]


class CheckedFiles:
    """The cache files of one kernel, one for each signature and processor.

    A file name consists of `base`, which names the kernel, a stamp of the source code and numba's version, and a digest
    of the key, which is the signature and the processor. So there is no index that several processes would have to
    update, and code of other versions is never loaded.
    """

    def __init__(self, folder: str, base: str) -> None:
        self.folder = folder
        self.base = base
        # Only its methods that pickle and unpickle are used, so it needs no stamp of the source (None).
        self.files: Any = cast(Any, IndexDataCacheFile)(folder, base, None)
        self.stamp = _stamp()

    def path(self, key: object) -> str:
        """Return the path of the cache file for a key (numba's signature and processor)."""
        return os.path.join(self.folder, f"{self.base}.{self.stamp}.{sha256(repr(key).encode()).hexdigest()[:16]}.nbc")

    def load(self, key: object) -> Any:
        """Return the data that was saved for a key, or None if there is no file or it is damaged."""
        path = self.path(key)
        try:
            with open_regular(path, what="compiled code", max_bytes=MAX_CACHE_FILE_BYTES) as file:
                content = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, InputError):
            content = b""  # a file that can't be read counts as damaged
        if content[-32:] != _checksum(path, content[:-32]):  # a SHA-256 checksum has 32 bytes
            with suppress(OSError):  # if the folder is not writable, `save_overload` warns
                os.unlink(path)
            _warn_once(f"{path} is damaged; it is compiled again.", "damaged")
            return None
        return self.files._load_data(os.path.basename(path))  # unpickling ignores the checksum after the pickle

    def save(self, key: object, data: object) -> None:
        """Save data for a key, and remove this kernel's files of other versions."""
        path = self.path(key)
        content: bytes = self.files._dump(data)
        os.makedirs(self.folder, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
            file.write(_checksum(path, content))
        for name in os.listdir(self.folder):
            if name.startswith(f"{self.base}.") and not name.startswith(f"{self.base}.{self.stamp}."):
                with suppress(OSError):  # another process may have removed it
                    os.unlink(os.path.join(self.folder, name))


def _checksum(path: str, content: bytes) -> bytes:
    """Return the checksum of a file's name and content; so a renamed file counts as damaged."""
    return sha256(os.path.basename(path).encode() + b"\0" + content).digest()


class CheckedCache:
    """numba's cache of one kernel, stored in `CheckedFiles`; it only warns if the folder can't be written to.

    numba calls `load_overload`, compiles if that returns None, and then calls `save_overload`; meanwhile, it lets no
    other thread of the process compile.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        cache: Any = cast(Any, FunctionCache)(function)
        # Drop the line number of the function, which changes with edits elsewhere in the file.
        base = re.sub(r"-\d+(?=\.py)", "", cache._impl.filename_base)
        shared: str = cast(Any, numba.config).CACHE_DIR  # the environment variable NUMBA_CACHE_DIR
        self.cache_path: str = os.path.join(shared, f"textsieve-{_stamp()}") if shared else cache.cache_path
        cache._cache_file = files = CheckedFiles(self.cache_path, base)  # numba loads and saves by this object
        self._lock_path = os.path.join(files.folder, f"{files.base}.{files.stamp}.lock")
        self._lock: BaseFileLock | None = None
        self._load = cache.load_overload
        self._save = cache.save_overload

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return compiled code, or None if it must be compiled.

        Raises `MemoryError` if there is not enough memory to compile.
        """
        check_room(COMPILER_MEGABYTES, "compiling")
        loaded = self._load(signature, context)
        if loaded is None and self._lock is None:  # after a failed compilation, this process still holds the lock
            self._wait_for_lock()
            loaded = self._load(signature, context)  # another process may have saved it meanwhile
            if loaded is not None:
                self._release_lock()
        if loaded is None:
            _announce_compilation()
        return loaded

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save compiled code, or warn if the folder can't be written to; then release the lock."""
        try:
            self._save(signature, compiled)
        except OSError as problem:
            _report_unusable_cache(
                f"Compiled code can't be written to {self.cache_path} ({problem.strerror or problem}), so the next "
                "run compiles anew; make room there or set NUMBA_CACHE_DIR to another folder.",
                "unwritable",
            )
        finally:
            self._release_lock()

    def _wait_for_lock(self) -> None:
        """Acquire the lock on this kernel, or continue without it after `LOCK_TIMEOUT` seconds or if locking fails."""
        from filelock import FileLock, Timeout

        lock = FileLock(self._lock_path)
        # Without the lock, the same kernel may be compiled twice; nothing else is lost. filelock raises
        # `NotImplementedError` on file systems without locks.
        with suppress(OSError, NotImplementedError, Timeout):
            os.makedirs(self.cache_path, exist_ok=True)
            lock.acquire(timeout=LOCK_TIMEOUT)
            self._lock = lock

    def _release_lock(self) -> None:
        """Release the lock, if this process holds it, and remove its file."""
        if self._lock is not None:
            with suppress(OSError):  # Windows removes no open file
                os.unlink(self._lock_path)
            self._lock.release()
            self._lock = None


COMPILING = "Compiling for this processor, once; this takes up to half a minute ..."

n_compiled = 0
"""The number of kernels that this process has compiled, rather than loaded from the cache."""


def _announce_compilation() -> None:
    """Count a kernel that is compiled; on a terminal, say so before the first."""
    global n_compiled
    n_compiled += 1
    if n_compiled == 1 and sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):  # a terminal that was closed
            print(f"\r{COMPILING}\x1b[K", file=sys.stderr, flush=True)  # replaces a line of progress


cache_problem: str | None = None
"""Why compiled code can't be kept for the next process, if it can't."""


def _report_unusable_cache(message: str, problem: str = "") -> None:
    """Warn that compiled code can't be kept, and remember the message for `textsieve warmup`.

    See `_warn_once` for `problem`.
    """
    global cache_problem
    cache_problem = message
    _warn_once(message, problem)


_warned: set[str] = set()


def _warn_once(message: str, problem: str = "") -> None:
    """Warn unless this process has already warned about the same `problem`, a keyword."""
    if problem not in _warned:
        _warned.add(problem)
        warn(message)


@intrinsic
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Emit a fused multiply-add."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


fma = cast("Callable[[float, float, float], float]", _fma)
"""Return a x b + c, rounded only at the end."""


@intrinsic
def _leading_zeros(typing_context: Any, number: Any) -> Any:
    """Emit the instruction that counts leading zeros."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


leading_zeros = cast("Callable[[np.uint64], np.uint64]", _leading_zeros)
"""Return how many of the 64 bits are 0 before the highest bit that is 1; 64 for the number 0."""


_READ, _HIGH_LOCALITY, _DATA = 0, 3, 1
"""Arguments of `llvm.prefetch`: for reading, to be kept in all caches, data instead of instructions."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, position: Any) -> Any:
    """Emit an LLVM prefetch hint."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        int32 = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [address.type, int32, int32, int32])
        function = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), function_type)
        builder.call(function, [address, int32(_READ), int32(_HIGH_LOCALITY), int32(_DATA)])
        return context.get_dummy_value()

    return types.void(array, position), generate


prefetch = cast("Callable[[NDArray[Any], Any], None]", _prefetch)
"""Load the cache line of `array[position]` into the processor's cache; positions beyond the end do no harm."""
