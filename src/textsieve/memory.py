"""Return freed memory to the system, and raise `MemoryError` before libraries crash where memory is limited.

`give_back`: glibc keeps memory that was freed in small pieces for later use. After a pass over a large corpus, this can
be more than 100 MB, which the process would hold in addition to the arrays of the next stage.

`check_room`: Python and numpy raise `MemoryError` when memory runs out, but the libraries below them do not. OpenBLAS
ends the process or waits for ever for a thread that it could not start, LLVM aborts, and an import fails halfway. So
where the address space is limited (`ulimit -v`), `check_room` raises `MemoryError` before they are used if too little
is left. `check_room_for_imports` does this before each import of a large package.
"""

import ctypes
import mmap
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_MB = 1_000_000
_MAX_THREADS = 64
"""The largest number of threads for which a package is assumed to reserve address space."""
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
_NEEDED_BY_IMPORT: dict[str, tuple[int, int, tuple[str, ...]]] = {
    "numpy": (80, 45, _BLAS_THREADS),
    "scipy": (100, 45, _BLAS_THREADS),
    "scipy.linalg": (60, 45, _BLAS_THREADS),
    "sklearn": (250, 60, ("OMP_NUM_THREADS",)),
    "llvmlite": (350, 25, ()),
    "numba": (250, 10, ()),
    "pyarrow": (300, 10, ("OMP_NUM_THREADS",)),
}
"""The address space, in MB, that a package needs for little data.

Each entry has a fixed part, a part for each thread of the package, and the environment variables that limit the number
of threads.
"""


def give_back() -> None:
    """Return freed memory to the system, if the C library can; otherwise do nothing."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl doesn't have it
        if trim is not None:
            trim(0)


def is_limited() -> bool:
    """Return whether the address space of this process is limited."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows and OpenBSD have no such limit
        return False
    return getrlimit(RLIMIT_AS)[0] != RLIM_INFINITY


def check_room(megabytes: int, what: str) -> None:
    """Raise `MemoryError` if the address space is limited, and too little of it is left for `what`."""
    if not is_limited():
        return
    try:
        mmap.mmap(-1, megabytes * _MB, access=mmap.ACCESS_READ).close()  # reserves address space, uses no memory
    except OSError as problem:
        raise MemoryError(
            f"{what} needs {megabytes} MB more; raise the limit of the address space (ulimit -v)"
        ) from problem


class CheckRoomBeforeImport(MetaPathFinder):
    """Raises `MemoryError` at the import of a large package if there is no room for it.

    It is installed only if the address space is limited; see `check_room_for_imports`.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise `MemoryError` if there is too little room to import a package; otherwise return None.

        Python calls this for each import. None means that it must ask the next finder for the package.
        """
        if fullname in _NEEDED_BY_IMPORT:
            fixed, per_thread, variables = _NEEDED_BY_IMPORT[fullname]
            check_room(fixed + per_thread * _n_threads(variables), fullname)
        return None


def _n_threads(variables: Sequence[str]) -> int:
    """Return the number of threads that a package starts: one for each usable processor, at most `_MAX_THREADS`.

    It is fewer if one of these environment variables says so.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [int(value) for name in variables if (value := os.environ.get(name, "")).isdecimal() and int(value) > 0]
    return min([processors, _MAX_THREADS, *limits[:1]])  # packages follow the first variable that is set


def check_room_for_imports() -> None:
    """Check the room for each large package that is imported from now on, if the address space is limited."""
    if is_limited() and not any(isinstance(finder, CheckRoomBeforeImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, CheckRoomBeforeImport())
