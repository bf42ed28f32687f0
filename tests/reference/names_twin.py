"""A slow, obvious twin of the rule for proper names: every stretch of a line is tried, the longest first."""

from itertools import pairwise

LINKS = {
    *("al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "ibn"),
    *("la", "las", "los", "of", "ter", "van", "von", "zu"),
}


def is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def runs_of(line: str) -> list[tuple[int, int]]:
    """Where the runs of word characters of a line begin and end."""
    runs, begin = [], None
    for at, character in enumerate(line + " "):
        if is_word_character(character):
            begin = at if begin is None else begin
        elif begin is not None:
            runs.append((begin, at))
            begin = None
    return runs


def is_name(line: str, runs: list[tuple[int, int]]) -> bool:
    """Whether some runs, one after the other, are a name."""
    words = [line[begin:end] for begin, end in runs]
    gaps = [line[one[1] : other[0]] for one, other in pairwise(runs)]
    if any(character not in " \t" for gap in gaps for character in gap):
        return False
    shape = "".join("C" if _is_capitalised(word) else "l" if word in LINKS else "?" for word in words)
    return "?" not in shape and shape[0] == shape[-1] == "C" and shape.count("C") > 1 and "lll" not in shape


def _is_capitalised(word: str) -> bool:
    return len(word) > 1 and (word[0].isupper() or word[0].istitle())


def names_in(text: str) -> list[str]:
    """The names of a text, their words with one space between."""
    names = []
    new_sentence = True
    lines = text.replace("\x1f", " ").split("\n")
    for number, line in enumerate(lines):
        is_empty = not line.strip(" \t\r")
        if is_empty and 0 < number < len(lines) - 1:  # there are line breaks on both sides of it
            new_sentence = True
        runs = runs_of(line)
        starts = []
        last_end = 0
        for begin, end in runs:
            new_sentence = new_sentence or any(mark in line[last_end:begin] for mark in ".!?…。！？")
            starts.append(new_sentence)
            new_sentence, last_end = False, end
        new_sentence = new_sentence or any(mark in line[last_end:] for mark in ".!?…。！？")
        if not any(character.islower() for character in line):
            continue
        at = 0
        while at < len(runs):
            ends = [end for end in range(len(runs), at + 1, -1) if is_name(line, runs[at:end])]
            if starts[at] or not ends:
                at += 1
                continue
            names.append(" ".join(line[begin:end] for begin, end in runs[at : ends[0]]))
            at = ends[0]
    return names
