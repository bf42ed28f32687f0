"""The one decorator through which compiled code enters the project.

Kernels release the interpreter lock, so that plain Python threads run them side by side, and are cached on disk,
so that only the first run on a machine compiles. `parallel=True` is never used: together with the cache it has
crashed, and its float sums depend on the number of threads.

numba takes a cached kernel for good as long as the file of that kernel is as it was. But kernels contain one another,
also across files; so ours are good only as long as all files in this folder are as they were.
"""

import platform
import warnings
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
from numpy.typing import NDArray

Params = ParamSpec("Params")
Result = TypeVar("Result")

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def kernel(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Compile `function` on first call, without the interpreter lock, and keep the machine code on disk."""
    dispatcher: Any = numba.njit(nogil=True)(function)
    _keep_on_disk(dispatcher)
    return cast("Callable[Params, Result]", dispatcher)


def _keep_on_disk(dispatcher: Any) -> None:
    try:
        dispatcher.enable_caching()
    except RuntimeError:  # what numba says when neither the package's folder nor the user's cache can be written to
        warnings.warn(
            "No folder can be written to for compiled code, so each process compiles anew; set NUMBA_CACHE_DIR to one.",
            stacklevel=4,
        )
    else:
        dispatcher._cache._cache_file._source_stamp = FINGERPRINT


def _fingerprint(folder: Path) -> str:
    """What all files with kernels hold, in short."""
    digest = sha256()
    for file in sorted(folder.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


FINGERPRINT = _fingerprint(Path(__file__).parent)


def cache_folder(compiled: Any) -> Path | None:
    """Where the machine code of a kernel is kept, beside that of the others; None if it is not kept."""
    folder = compiled._cache.cache_path
    return None if folder is None else Path(folder)


def compiled_for() -> str:
    """What machine code depends on, in short: our files, numba, Python, and the processor."""
    parts = (FINGERPRINT, numba.__version__, platform.python_version(), llvm.get_host_cpu_name())
    return sha256(" ".join(parts).encode()).hexdigest()[:16]
