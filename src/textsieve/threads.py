"""Run tasks on threads. Compiled kernels release the interpreter lock, so threads run them in parallel."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
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


def read_ahead(items: Iterable[Item], n_ahead: int = 4) -> Iterator[Item]:
    """Yield the items, of which a thread gets the next ones, up to `n_ahead`, while the caller works on one.

    What the items raise is raised here, after the items before it. If the caller stops early, the thread ends after the
    item that it is at.
    """
    from queue import Empty, Queue
    from threading import Thread

    queue: Queue[tuple[Item] | BaseException | None] = Queue(n_ahead)
    is_stopped = False

    def get_items() -> None:
        end: BaseException | None = None
        try:
            for item in items:
                queue.put((item,))
                if is_stopped:
                    return
        except BaseException as problem:  # raised again in the caller's thread
            end = problem
        queue.put(end)

    Thread(target=get_items, daemon=True).start()
    try:
        while isinstance(got := queue.get(), tuple):
            yield got[0]
        if got is not None:
            raise got
    finally:
        is_stopped = True
        while True:  # make room, in case that the thread waits for it
            try:
                queue.get_nowait()
            except Empty:
                break
