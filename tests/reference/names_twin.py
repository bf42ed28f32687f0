"""A slow, obvious twin of the rule for proper names: it tries every part of a line, the longest first."""

from itertools import pairwise

LINKS = {
    *("al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos", "du", "ibn"),
    *("la", "las", "los", "of", "ter", "van", "von", "zu"),
}


def is_word_character(character: str) -> bool:
    """Return whether a character can be part of a word."""
    return character.isalnum() or character == "_"


def runs_of(line: str) -> list[tuple[int, int]]:
    """Return where the runs of word characters of a line begin and end."""
    runs, begin = [], None
    for position, character in enumerate(line + " "):
        if is_word_character(character):
            begin = position if begin is None else begin
        elif begin is not None:
            runs.append((begin, position))
            begin = None
    return runs


def is_name(line: str, runs: list[tuple[int, int]]) -> bool:
    """Return whether consecutive runs are a name."""
    if not all(can_continue(line, run[1], next_run[0]) for run, next_run in pairwise(runs)):
        return False
    shape = "".join("C" if _is_capitalised(line, *run) else "l" if line[slice(*run)] in LINKS else "?" for run in runs)
    return "?" not in shape and shape[0] == shape[-1] == "C" and shape.count("C") > 1 and "lll" not in shape


def can_continue(line: str, end: int, begin: int) -> bool:
    """Return whether a name may continue after the gap between two runs."""
    return is_attached(line, end, begin) or all(character in " \t\xa0\u202f" for character in line[end:begin])


def is_attached(line: str, end: int, begin: int) -> bool:
    """Return whether the gap between two runs is one hyphen or apostrophe."""
    return line[end:begin] in ("-", "'", "\u2019", "\u2010", "\u2011")


def _is_capitalised(line: str, begin: int, end: int) -> bool:
    """Return whether a run is a capitalised word."""
    has_attached = is_attached(line, end, end + 1) and is_word_character(line[end + 1 : end + 2])
    return (end - begin > 1 or has_attached) and (line[begin].isupper() or line[begin].istitle())


def is_end_of_sentence(character: str) -> bool:
    """Return whether a character ends a sentence."""
    return character in ".!?…‼⁇⁈⁉¡¿։" or character in "\u3002\uff0e\uff61\uff01\uff1f"


def names_in(text: str) -> list[str]:
    """Return the names of a text, with one space between their words."""
    return [" ".join(text[begin:end] for begin, end in name) for name in runs_of_names(text)]


def runs_of_names(text: str) -> list[list[tuple[int, int]]]:
    """Return where the words of each name of a text begin and end."""
    names = []
    new_sentence = True
    lines = text.replace("\x1f", " ").replace("\r\n", " \n").replace("\r", "\n").split("\n")
    line_begin = 0
    for number, line in enumerate(lines):
        is_empty = not line.strip(" \t\xa0\u202f")
        if is_empty and 0 < number < len(lines) - 1:  # there are line breaks on both sides of it
            new_sentence = True
        runs = runs_of(line)
        begins_sentence: list[bool] = []
        last_end = 0
        for begin, end in runs:
            is_attached_to_first = bool(begins_sentence) and begins_sentence[-1] and is_attached(line, last_end, begin)
            new_sentence = new_sentence or is_attached_to_first or any(map(is_end_of_sentence, line[last_end:begin]))
            begins_sentence.append(new_sentence)
            new_sentence, last_end = False, end
        new_sentence = new_sentence or any(map(is_end_of_sentence, line[last_end:]))
        first = 0 if any(character.islower() for character in line) else len(runs)
        while first < len(runs):
            ends = [end for end in range(len(runs), first + 1, -1) if is_name(line, runs[first:end])]
            if begins_sentence[first] or not ends:
                first += 1
                continue
            name = runs[first : ends[0]]
            if sum(_is_capitalised(line, *run) for run in name) <= 10:
                names.append([(line_begin + begin, line_begin + end) for begin, end in name])
            first = ends[0]
        line_begin += len(line) + 1
    return names
