"""Slow, obvious twins of `text.places`: the source of each character of a prepared text."""

from collections.abc import Callable


def brought_by(step: Callable[[str], str], text: str) -> list[int]:
    """Return, for each character of the step's result, the position of the character that added it to the result."""
    lengths = [len(step(text[:end])) for end in range(len(text) + 1)]
    return [position for position in range(len(text)) for _ in range(lengths[position + 1] - lengths[position])]


def hanging(dropped: list[bool], marks: list[bool], letters: list[bool]) -> list[tuple[int, int]]:
    """Return, for each character, where it begins and ends together with the dropped marks and letters beside it."""
    is_attached = [
        is_dropped and (mark or letter) for is_dropped, mark, letter in zip(dropped, marks, letters, strict=True)
    ]
    places = []
    for position in range(len(dropped)):
        begin, end = position, position + 1
        while end < len(dropped) and is_attached[end]:
            end += 1
        while begin > 0 and is_attached[begin - 1]:
            begin -= 1
        while marks[begin] and begin < position:
            begin += 1
        places.append((begin, end))
    return places
