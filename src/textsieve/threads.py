"""Run tasks on threads. Compiled kernels release the interpreter lock, so threads run them in parallel."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
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
    n_ranges = -(-n_items // size)  # rounded up
    parallel_map(lambda number: task(number * size, min((number + 1) * size, n_items)), n_ranges, n_threads)


MAX_WAIT = 2.0
"""Seconds to wait for the thread of `read_ahead` to end."""


def read_ahead(items: Iterable[Item], n_ahead: int = 4) -> Iterator[Item]:
    """Yield the items, while a thread already reads the next ones, up to `n_ahead` + 1 of them.

    If reading an item raises an error, this function raises it after the items before. If the caller stops early, the
    thread ends after the item that it is reading.
    """
    from queue import Empty, Queue
    from threading import Thread

    # The queue has each item in a tuple, and at the end None, or the error that ended the reading.
    queue: Queue[tuple[Item] | BaseException | None] = Queue(n_ahead)
    is_stopped = False

    def read_items() -> None:
        """Put the items into the queue, one after the other, and then the end; this runs on the thread."""
        end: BaseException | None = None
        try:
            for item in items:
                queue.put((item,))
                if is_stopped:
                    return
        except BaseException as problem:  # raised again in the caller's thread
            end = problem
        queue.put(end)

    thread = Thread(target=read_items, daemon=True)
    try:
        thread.start()
        while isinstance(result := queue.get(), tuple):
            yield result[0]
        if result is not None:
            raise result
    finally:
        is_stopped = True
        with suppress(Empty):  # make room, in case the thread waits for it; then the thread sees `is_stopped`
            while True:
                queue.get_nowait()
        if thread.is_alive():
            thread.join(MAX_WAIT)  # not for ever: it may wait for a pipe into which nobody writes
