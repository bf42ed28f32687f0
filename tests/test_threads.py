"""Reading ahead on a thread yields and raises what plain iteration does."""

import threading
import time
from collections.abc import Callable, Generator, Iterator

import pytest

from textsieve.threads import read_ahead


@pytest.mark.parametrize("n_items", [0, 1, 2, 3, 50])
@pytest.mark.parametrize("n_ahead", [1, 2, 5])
def test_items_come_in_order(n_items: int, n_ahead: int) -> None:
    assert list(read_ahead(iter(range(n_items)), n_ahead)) == list(range(n_items))


def test_an_error_is_raised_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        yield 2
        raise ValueError("no third item")

    ahead = read_ahead(items())
    assert [next(ahead), next(ahead)] == [1, 2]
    with pytest.raises(ValueError, match="no third item"):
        next(ahead)


def test_the_next_items_are_read_while_the_caller_works() -> None:
    read: list[int] = []

    def items() -> Iterator[int]:
        for number in range(10):
            read.append(number)
            yield number

    ahead = read_ahead(items(), 3)
    assert next(ahead) == 0
    wait_until(lambda: len(read) == 5)  # the first, three in the queue, and the one that waits for room in it
    time.sleep(0.05)
    assert len(read) == 5
    assert list(ahead) == list(range(1, 10))


def test_the_thread_ends_if_the_caller_stops_early() -> None:
    before = set(threading.enumerate())
    ahead = read_ahead(iter(range(1000)))
    next(ahead)
    (thread,) = set(threading.enumerate()) - before
    assert isinstance(ahead, Generator)
    ahead.close()
    thread.join(10)
    assert not thread.is_alive()


def wait_until(is_done: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_done():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within ten seconds")
