"""Count proper names as one word: `Santiago de Cuba` becomes the term `santiago de cuba`, instead of three words.

The rule uses capital letters only, no language and no list of names. A *run* is a sequence of word characters, and a
word is a run of two or more, as everywhere.

- A word *hangs* on the run before it if only a hyphen or an apostrophe is between them.
- A word is *capitalised* if its first character is uppercase (or title case), unless its line has no lowercase letter
  at all: in such a line capitals mean nothing. A single capital letter counts as a word here if another word hangs on
  it (`D'Arcy`).
- A *link* is one of the lowercase words in `LINKS`: de, of, van, ...
- A *name* begins and ends with a capitalised word and has at least two of them. Between two of them there are at most
  two links (`von der Leyen`). Each word hangs on the one before, or only blanks are between them, so a name ends at any
  other mark, at a run of one character, and with the line. It is as long as possible; more than ten capitalised words
  are a headline or a list, not a name.
- The first run of a sentence does not begin a name, because every first word is capitalised; so it is part of no name,
  and neither is what hangs on it. A sentence begins with the text, after one of `SENTENCE_MARKS`, and after an empty
  line. A line break alone begins none, because most lines are broken within a sentence. (So names at the beginning of a
  sentence and after an abbreviation with a full stop are missed.)

Names are found before a text is lowercased, and are marked in it: `JOINER`, an ASCII separator that does not occur in
text, stands between their words and counts as a letter from then on. In terms it is a space. Stop words are compared
with whole words, not with the words of a name. In a language that capitalises all nouns, such as German, the rule finds
more than names.

`join_names` works in plain Python, for a few documents, and `join_names_fast` with a kernel; both give the same result.
"""

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .markup import Edit, edited
from .words import JOINER, WORD_WITH_NAMES

LINKS = (
    *("al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos"),
    *("du", "ibn", "la", "las", "los", "of", "ter", "van", "von", "zu"),
)

MOST_CAPITALISED = 10
"""Words of a name, links not counted."""

MOST_LINKS = 2
"""Between two capitalised words."""

BLANKS = " \t\xa0\u202f"
"""What may be between two words of a name: also the spaces at which no line is broken, so that names stay together."""

HYPHENS = "-'\u2019\u2010\u2011"
"""What a word can hang by: hyphens and apostrophes."""

SENTENCE_MARKS = ".!?…‼⁇⁈⁉¡¿。．｡！？։"

_RUN = re.compile(rf"\w+(?=([{HYPHENS}](?=\w))?)")  # and what the next one hangs by
_NO_WORD = re.compile(r"\W+")
_SENTENCE_END = re.compile(rf"[{SENTENCE_MARKS}]|\n[{BLANKS}]*\n")
_NO_NAME = re.compile(rf"{JOINER}(?!\w)|(?<!\w){JOINER}")


def join_names(text: str) -> str:
    """Return the text with its names joined."""
    text = in_lines(text)
    return edited(text, joints_in(text))


def joints_in(text: str) -> Iterator[Edit]:
    """Yield the gaps between the words of names, in a text that is split into lines."""
    for begin, end in name_spans(text):
        for between in _NO_WORD.finditer(text, begin, end):
            yield *between.span(), JOINER


def in_lines(text: str) -> str:
    """Return the text without joiners and with one kind of line break; its length stays the same."""
    return text.replace(JOINER, " ").replace("\r\n", " \n").replace("\r", "\n")


def name_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the names of a text begin and end."""
    words: list[tuple[int, int]] = []  # the capitalised ones of what may be a name
    n_links = last_end = line_end = 0
    capitals_count, begins_sentence, hangs = False, True, True
    for match in _RUN.finditer(text):
        begin, end = match.span()
        between = text[last_end:begin]
        begins_sentence = (begins_sentence and hangs) or _SENTENCE_END.search(between) is not None
        if begin >= line_end:
            line_end = text.find("\n", begin) % (len(text) + 1)  # -1: the end
            capitals_count = any(map(str.islower, text[text.rfind("\n", 0, begin) + 1 : line_end]))
        is_capitalised = capitals_count and (end - begin > 1 or match[1]) and is_capital(text[begin])
        if words:
            goes_on = hangs or not between.strip(BLANKS)
            if goes_on and is_capitalised:
                words.append((begin, end))
                n_links = 0
            elif goes_on and n_links < MOST_LINKS and match[0] in LINKS:
                n_links += 1
            else:
                if 1 < len(words) <= MOST_CAPITALISED:
                    yield words[0][0], words[-1][1]
                words = []
        if not words and is_capitalised and not begins_sentence:
            words, n_links = [(begin, end)], 0
        last_end, hangs = end, match[1] is not None
    if 1 < len(words) <= MOST_CAPITALISED:
        yield words[0][0], words[-1][1]


def is_capital(character: str) -> bool:
    """Return whether a word that begins with this character is capitalised."""
    return character.isupper() or character.istitle()


def join_names_fast(text: str) -> str:
    """Return the text with its names joined, as `join_names` does, with a kernel."""
    from ..kernels.names import join_in_place

    text = in_lines(text)
    encoding, kind, n_characters = ("ascii", np.uint8, 128) if text.isascii() else ("utf-32-le", np.uint32, 0x110000)
    written: NDArray[np.uint8 | np.uint32] = np.frombuffer(bytearray(text.encode(encoding, "surrogatepass")), kind)
    limits = MOST_CAPITALISED, MOST_LINKS
    if not join_in_place(written, character_kinds(n_characters), _link_codes(), ord(JOINER), *limits):
        return text
    joined = written.tobytes().decode(encoding, "surrogatepass")
    return re.sub(f"{JOINER}+", JOINER, joined) if 2 * JOINER in joined else joined


def ready_for_lower_case(text: str) -> str:
    """Return the text with `i` for `İ` in names: its lowercase is `i` and a combining dot, which would split the
    word.
    """
    if "İ" not in text or JOINER not in text:
        return text
    return WORD_WITH_NAMES.sub(lambda run: run[0].replace("İ", "i") if JOINER in run[0] else run[0], text)


def mended(text: str) -> str:
    """Repair a text that lost characters after its names were joined: a name that lost a word is no longer a name."""
    return _NO_NAME.sub(" ", text) if JOINER in text else text


@cache
def character_kinds(n_characters: int) -> NDArray[np.uint8]:
    """Return what each of the first characters is to the kernel, as Python sees it: a sum of the kinds in
    `kernels.names`.
    """
    from ..kernels.names import BLANK, HYPHEN, LETTER, LINE_END, LOWERCASE, SENTENCE_MARK, UPPERCASE

    points = np.arange(n_characters, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(len(points), np.uint8)
    for run in re.finditer(r"\w+", points):
        kinds[run.start() : run.end()] |= LETTER
    kinds[np.fromiter(map(is_capital, points), np.bool_, len(points))] |= UPPERCASE
    kinds[np.fromiter(map(str.islower, points), np.bool_, len(points))] |= LOWERCASE
    for characters, kind in ((BLANKS, BLANK), (HYPHENS, HYPHEN), ("\n", LINE_END), (SENTENCE_MARKS, SENTENCE_MARK)):
        kinds[[ord(character) for character in characters if ord(character) < n_characters]] |= kind
    kinds.flags.writeable = False
    return kinds


@cache
def _link_codes() -> NDArray[np.uint64]:
    """Return the bytes of each link word as a number."""
    return np.array([int.from_bytes(link.encode(), "big") for link in LINKS], np.uint64)
