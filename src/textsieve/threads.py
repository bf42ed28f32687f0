"""Run tasks on threads. Compiled kernels release the interpreter lock, so threads run them in parallel."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def parallel_map(task: Callable[[int], Result], n_tasks: int, n_threads: int) -> list[Result]:
    """Return `[task(0), ..., task(n_tasks - 1)]`, computed on up to `n_threads` threads."""
    if min(n_tasks, n_threads) <= 1:
        return list(map(task, range(n_tasks)))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(task, range(n_tasks)))


def parallel_ranges(task: Callable[[int, int], None], n_items: int, size: int, n_threads: int) -> None:
    """Call `task(first, last)` for consecutive ranges of at most `size` items; a range does not include `last`."""
    n_ranges = -(-n_items // size)
    parallel_map(lambda number: task(number * size, min((number + 1) * size, n_items)), n_ranges, n_threads)
