"""Count proper names as one word: `Santiago de Cuba` becomes the term `santiago de cuba`, instead of three words.

The rule uses uppercase letters and a few words such as `de`, but no language and no list of names. A *run* is a
sequence of word characters, and a *word* is a run of two or more of them, as everywhere in textsieve.

- A word is *attached* to the run before it if only a hyphen or an apostrophe is between them.
- A word is *capitalised* if its first character is uppercase (or title case), unless its line has no lowercase letter
  at all, like some headings. A single uppercase letter counts as a word here if a run is attached to it (`D'Arcy`).
- A *link* is one of the lowercase words in `LINKS`: de, of, van, ...
- A *name* begins and ends with a capitalised word and has at least two of them. Between two of them there are at most
  two links (`von der Leyen`). Each word is attached to the one before, or only blanks are between them. So a name ends
  at any other mark, at a run of one character (except in `D'Arcy`), and with the line. A name is as long as possible; a
  sequence of more than ten capitalised words is taken for a headline or a list, not for a name.
- The first run of a sentence is part of no name, because every first word is capitalised, and neither are words that
  are attached to it. A sentence begins with the text, after one of `SENTENCE_MARKS`, and after an empty line. A line
  break alone does not begin one, because most lines are broken within a sentence. (So names at the beginning of a
  sentence and after an abbreviation with a full stop are missed.)

Names are found before a text is lowercased. They are marked by replacing the gaps between their words by `JOINER`, an
ASCII control character that does not occur in text and counts as a letter from then on. In terms it becomes a space.
Stop words are compared with a whole name, not with the words in it. In a language that capitalises all nouns, such
as German, the rule finds more than names.

`join_names` works in plain Python, for a few documents, and `join_names_fast` with a kernel; both give the same result.
"""

import re
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from .markup import Edit, apply_edits
from .words import JOINER, WORD_WITH_NAMES

LINKS = (
    *("al", "bin", "da", "de", "del", "della", "den", "der", "di", "dos"),
    *("du", "ibn", "la", "las", "los", "of", "ter", "van", "von", "zu"),
)
"""Lowercase words that may be inside a name."""

MAX_CAPITALISED = 10
"""The largest number of capitalised words in a name."""

MAX_LINKS = 2
"""The largest number of links between two capitalised words."""

BLANKS = " \t\xa0\u202f"
"""The characters that may be between two words of a name: spaces, tabs and non-breaking spaces, but no line breaks."""

HYPHENS = "-'\u2019\u2010\u2011"
"""The hyphens and apostrophes that attach a word to the run before it."""

SENTENCE_MARKS = ".!?…‼⁇⁈⁉¡¿。．｡！？։"
"""The characters that end a sentence."""

_RUN = re.compile(rf"\w+(?=([{HYPHENS}](?=\w))?)")  # group 1: the hyphen or apostrophe that attaches the next run
_GAP = re.compile(r"\W+")
_SENTENCE_END = re.compile(rf"[{SENTENCE_MARKS}]|\n[{BLANKS}]*\n")
_LOOSE_JOINER = re.compile(rf"{JOINER}(?!\w)|(?<!\w){JOINER}")


def join_names(text: str) -> str:
    """Return the text with `JOINER` between the words of each proper name."""
    text = normalise_lines(text)
    return apply_edits(text, find_joints(text))


def find_joints(text: str) -> Iterator[Edit]:
    """Yield an edit for each gap between the words of a name, in a text from `normalise_lines`."""
    for begin, end in name_spans(text):
        for gap in _GAP.finditer(text, begin, end):
            yield *gap.span(), JOINER


def normalise_lines(text: str) -> str:
    r"""Return the text with `\n` as the only line break (` \n` for `\r\n`, so that the length stays the same).

    Each `JOINER` is replaced by a space, because only `join_names` may write joiners.
    """
    return text.replace(JOINER, " ").replace("\r\n", " \n").replace("\r", "\n")


def name_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each proper name in a text from `normalise_lines`, by the rule at the top."""
    capitalised: list[tuple[int, int]] = []  # begin and end of the capitalised words of a possible name
    n_links = 0  # the number of links after the last of these words
    last_end, line_end = 0, 0  # where the run before this one ends, and where its line ends
    capitals_mark_names = False  # whether the current line has a lowercase letter
    begins_sentence, is_attached = True, True  # so that the first run begins a sentence
    for match in _RUN.finditer(text):
        begin, end = match.span()
        gap = text[last_end:begin]
        # A run that is attached to the first run of a sentence counts as part of it.
        begins_sentence = (begins_sentence and is_attached) or _SENTENCE_END.search(gap) is not None
        if begin >= line_end:  # the first run of another line
            line_break = text.find("\n", begin)
            line_end = len(text) if line_break < 0 else line_break
            capitals_mark_names = any(map(str.islower, text[text.rfind("\n", 0, begin) + 1 : line_end]))
        # A single letter counts as a word only if the next run is attached to it, as in D'Arcy.
        is_capitalised = capitals_mark_names and (end - begin > 1 or match[1]) and is_capital(text[begin])
        if capitalised:
            continues = is_attached or not gap.strip(BLANKS)
            if continues and is_capitalised:
                capitalised.append((begin, end))
                n_links = 0
            elif continues and n_links < MAX_LINKS and match[0] in LINKS:
                n_links += 1
            else:  # the possible name has ended
                if 1 < len(capitalised) <= MAX_CAPITALISED:
                    yield capitalised[0][0], capitalised[-1][1]
                capitalised = []
        if not capitalised and is_capitalised and not begins_sentence:
            capitalised, n_links = [(begin, end)], 0
        last_end, is_attached = end, match[1] is not None  # whether the next run is attached to this one
    if 1 < len(capitalised) <= MAX_CAPITALISED:
        yield capitalised[0][0], capitalised[-1][1]


def is_capital(character: str) -> bool:
    """Return whether a character is uppercase or title case, so that a word that begins with it is capitalised."""
    return character.isupper() or character.istitle()


def join_names_fast(text: str) -> str:
    """Return the text with its names joined, as `join_names` does, computed by a kernel."""
    from ..kernels.names import join_in_place

    text = normalise_lines(text)
    # The kernel reads an array with an element for each character; ASCII needs only a byte for each.
    encoding, dtype, n_characters = ("ascii", np.uint8, 128) if text.isascii() else ("utf-32-le", np.uint32, 0x110000)
    writable = bytearray(text.encode(encoding, "surrogatepass"))
    characters: NDArray[np.uint8 | np.uint32] = np.frombuffer(writable, dtype)
    limits = MAX_CAPITALISED, MAX_LINKS
    has_names = join_in_place(characters, kind_bits(n_characters), _link_codes(), ord(JOINER), *limits)
    if not has_names:
        return text
    # The kernel replaced each character of a gap by a joiner; reduce them to one joiner for each gap.
    joined = characters.tobytes().decode(encoding, "surrogatepass")
    return re.sub(f"{JOINER}+", JOINER, joined) if 2 * JOINER in joined else joined


def replace_dotted_capital_i(text: str) -> str:
    """Return the text with `i` for `İ` in joined names.

    Python's lowercase of `İ` is `i` and a combining dot, which is not a word character and would split the name.
    """
    if "İ" not in text or JOINER not in text:
        return text
    return WORD_WITH_NAMES.sub(lambda run: run[0].replace("İ", "i") if JOINER in run[0] else run[0], text)


def repair_names(text: str) -> str:
    """Return the text with a space for each joiner that is not between two words.

    Stripping accents can drop all letters of a word in a name, and leave its joiners.
    """
    return _LOOSE_JOINER.sub(" ", text) if JOINER in text else text


@cache
def kind_bits(n_characters: int) -> NDArray[np.uint8]:
    """Return for each of the first `n_characters` code points its kinds (letter, blank, ...), as in `kernels.names`.

    A code point can be of several kinds, each of which is a bit.
    """
    from ..kernels.names import BLANK, HYPHEN, LETTER, LINE_END, LOWERCASE, SENTENCE_MARK, UPPERCASE

    all_characters = np.arange(n_characters, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    kinds = np.zeros(n_characters, np.uint8)
    for match in re.finditer(r"\w+", all_characters):
        kinds[match.start() : match.end()] |= LETTER
    kinds[np.fromiter(map(is_capital, all_characters), np.bool_, n_characters)] |= UPPERCASE
    kinds[np.fromiter(map(str.islower, all_characters), np.bool_, n_characters)] |= LOWERCASE
    for characters, kind in ((BLANKS, BLANK), (HYPHENS, HYPHEN), ("\n", LINE_END), (SENTENCE_MARKS, SENTENCE_MARK)):
        kinds[[ord(character) for character in characters if ord(character) < n_characters]] |= kind
    kinds.flags.writeable = False
    return kinds


@cache
def _link_codes() -> NDArray[np.uint64]:
    """Return each word of `LINKS` as one number, made of its ASCII bytes, as `kernels.names` compares them."""
    return np.array([int.from_bytes(link.encode(), "big") for link in LINKS], np.uint64)
