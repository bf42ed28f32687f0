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
    if not all(goes_on(line, one[1], other[0]) for one, other in pairwise(runs)):
        return False
    shape = "".join("C" if _is_capitalised(line, *run) else "l" if line[slice(*run)] in LINKS else "?" for run in runs)
    return "?" not in shape and shape[0] == shape[-1] == "C" and shape.count("C") > 1 and "lll" not in shape


def goes_on(line: str, end: int, begin: int) -> bool:
    """Whether a name may go on after what is between two runs."""
    return hangs(line, end, begin) or all(character in " \t\xa0\u202f" for character in line[end:begin])


def hangs(line: str, end: int, begin: int) -> bool:
    """Whether there is one hyphen or apostrophe between two runs and nothing else."""
    return line[end:begin] in ("-", "'", "\u2019", "\u2010", "\u2011")


def _is_capitalised(line: str, begin: int, end: int) -> bool:
    next_hangs = hangs(line, end, end + 1) and is_word_character(line[end + 1 : end + 2])
    return (end - begin > 1 or next_hangs) and (line[begin].isupper() or line[begin].istitle())


def is_end_of_sentence(character: str) -> bool:
    return character in ".!?…‼⁇⁈⁉¡¿։" or character in "\u3002\uff0e\uff61\uff01\uff1f"


def names_in(text: str) -> list[str]:
    """The names of a text, their words with one space between."""
    return [" ".join(text[begin:end] for begin, end in name) for name in runs_of_names(text)]


def runs_of_names(text: str) -> list[list[tuple[int, int]]]:
    """Where the words of each name of a text begin and end."""
    names = []
    new_sentence = True
    lines = text.replace("\x1f", " ").replace("\r\n", " \n").replace("\r", "\n").split("\n")
    line_begin = 0
    for number, line in enumerate(lines):
        is_empty = not line.strip(" \t\xa0\u202f")
        if is_empty and 0 < number < len(lines) - 1:  # there are line breaks on both sides of it
            new_sentence = True
        runs = runs_of(line)
        starts: list[bool] = []
        last_end = 0
        for begin, end in runs:
            hangs_on_first = bool(starts) and starts[-1] and hangs(line, last_end, begin)
            new_sentence = new_sentence or hangs_on_first or any(map(is_end_of_sentence, line[last_end:begin]))
            starts.append(new_sentence)
            new_sentence, last_end = False, end
        new_sentence = new_sentence or any(map(is_end_of_sentence, line[last_end:]))
        at = 0 if any(character.islower() for character in line) else len(runs)
        while at < len(runs):
            ends = [end for end in range(len(runs), at + 1, -1) if is_name(line, runs[at:end])]
            if starts[at] or not ends:
                at += 1
                continue
            name = runs[at : ends[0]]
            if sum(_is_capitalised(line, *run) for run in name) <= 10:
                names.append([(line_begin + begin, line_begin + end) for begin, end in name])
            at = ends[0]
        line_begin += len(line) + 1
    return names
