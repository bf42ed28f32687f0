"""Normal forms of words, stems or lemmas: found once for each distinct word, and not for each time it is used.

What a package says is lower-cased, and its accents are stripped, where the text's are: a lemma of German can be `Haus`,
and is to fall together with the word `haus`. A form that is empty, has white space in it or can't be written as UTF-8
is none, and the word stays as it is; so do names, which are several words (see `names`), and very long words.

Forms are remembered, but not all of those of a process that goes on for ever. If there are too many, half of them are
kept, those that came first: in a text, frequent words come early.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import cast

from .languages import WAYS, has_dotted_i, require_language
from .words import Accents, accent_stripper, lower_case, without_dotted_i

MOST_REMEMBERED = 1 << 18
"""Words whose forms are remembered."""

LONGEST = 100
"""Characters of a word that is looked up. Lemmas of some languages take time that grows with the square of a word's
length, and what is longer is a line of `_` or a sequence of bases.
"""


class Normaliser:
    """Words to their normal forms. Several threads may use it at once; the packages may not be asked at once."""

    def __init__(self, way: str, code: str, lowercase: bool, strip_accents: Accents) -> None:
        self._found_by_package = WAYS[way][1](code)
        self._lowercase, self._strip = lowercase, accent_stripper(strip_accents)
        self._has_dotted_i = lowercase and has_dotted_i(code)
        self._takes_lines = not callable(strip_accents)  # what a user's function does to a line end, nobody knows
        self._remembered: dict[str, str] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[str]) -> list[str]:
        """The form of each word."""
        forms = list(map(self._remembered.get, words))
        if None not in forms:
            return cast("list[str]", forms)
        with self._lock:
            found = self._look_up(word for word, form in zip(words, forms, strict=True) if form is None)
        return [form or found.get(word, word) for word, form in zip(words, forms, strict=True)]

    def _look_up(self, words: Iterable[str]) -> dict[str, str]:
        """The forms of words that were not remembered a moment ago; another thread may have looked since."""
        new = {word: self._remembered.get(word, "") for word in words if len(word) <= LONGEST and " " not in word}
        unseen = [word for word, form in new.items() if not form]
        found = dict(zip(unseen, self._forms(unseen), strict=True))
        self._remember(found)
        new.update(found)
        return new

    def _remember(self, found: dict[str, str]) -> None:
        remembered = self._remembered
        if len(remembered) + len(found) > MOST_REMEMBERED:
            remembered = dict(islice(remembered.items(), MOST_REMEMBERED // 2))
        remembered.update(islice(found.items(), MOST_REMEMBERED - len(remembered)))
        self._remembered = remembered

    def _forms(self, words: list[str]) -> list[str]:
        """What the package says, written as the text is: all words at once, unless there is one that has no form."""
        said = self._found_by_package(words)
        if self._takes_lines:
            text = self._written("\n".join(said))
            forms = text.split()
            if len(forms) == len(words) and "\n".join(forms) == text:
                return forms
        return [form if _is_form(form) else word for word, form in zip(words, map(self._written, said), strict=True)]

    def _written(self, text: str) -> str:
        text = without_dotted_i(text) if self._has_dotted_i else text
        text = lower_case(text) if self._lowercase else text
        return text if self._strip is None else self._strip(text)


def _is_form(text: str) -> bool:
    return text.split() == [text] and text == text.encode(errors="ignore").decode()


def normaliser(way: str, language: str, lowercase: bool, strip_accents: Accents) -> Normaliser:
    """The normaliser of some settings, with what it remembers; it is in no pickle and in no file."""
    code = language_code(way, language)
    if callable(strip_accents):  # it may have no hash, and what it holds is not to live on here
        return Normaliser(way, code, lowercase, strip_accents)
    return remembering(way, code, lowercase, strip_accents)


@lru_cache(maxsize=16)
def remembering(way: str, code: str, lowercase: bool, strip_accents: str | None) -> Normaliser:
    """The one normaliser of a process for some settings."""
    return Normaliser(way, code, lowercase, strip_accents)


def language_code(way: str, language: object) -> str:
    """The code of a language that words can be normalised in."""
    return require_language(language, WAYS[way][0], setting="language", what=f"normalise={way!r}")
