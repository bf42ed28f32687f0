"""Run tasks on threads. Kernels release the interpreter lock, so threads run them side by side."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def parallel_map(task: Callable[[int], Result], n_tasks: int, n_threads: int) -> list[Result]:
    """Return the results of the tasks 0 to n - 1, in this order; without threads if one is enough."""
    if min(n_tasks, n_threads) <= 1:
        return list(map(task, range(n_tasks)))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(task, range(n_tasks)))
