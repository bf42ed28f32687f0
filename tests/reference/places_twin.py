"""Slow, obvious twins of places: which character of a text brought each character of what became of it."""

from collections.abc import Callable


def brought_by(step: Callable[[str], str], text: str) -> list[int]:
    """For each character that a step leaves, the one with which the text had to go on for it to be there."""
    lengths = [len(step(text[:end])) for end in range(len(text) + 1)]
    return [at for at in range(len(text)) for _ in range(lengths[at + 1] - lengths[at])]


def hanging(dropped: list[bool], marks: list[bool], letters: list[bool]) -> list[tuple[int, int]]:
    """For each character, where what belongs to it begins and ends: dropped marks and letters right beside it."""
    lost = [gone and (mark or letter) for gone, mark, letter in zip(dropped, marks, letters, strict=True)]
    places = []
    for at in range(len(dropped)):
        begin, end = at, at + 1
        while end < len(dropped) and lost[end]:
            end += 1
        while begin > 0 and lost[begin - 1]:
            begin -= 1
        while marks[begin] and begin < at:
            begin += 1
        places.append((begin, end))
    return places
