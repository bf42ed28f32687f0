"""Giving memory back to the system.

glibc keeps what was freed in small pieces for later. After a pass over a large corpus that is a hundred megabytes and
more, which would stand beside the arrays of the next stage for nothing.
"""

import ctypes
import sys


def give_back() -> None:
    """Hand freed memory back, where the C library can; elsewhere do nothing."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
        if trim is not None:
            trim(0)
