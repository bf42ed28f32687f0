"""Normal forms of words, stems or lemmas: found once for each distinct word, never for each time it is used.

What a package says is lower-cased, and its accents are stripped, where the text's are: a lemma of German can be `Haus`,
and is to fall together with the word `haus`. A form that is empty or has white space in it is none, and the word stays
as it is; so do names, which are several words (see `names`).
"""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

from .languages import WAYS, require_language
from .words import Accents, accent_stripper, lower_case

MOST_REMEMBERED = 1 << 18
"""Words whose forms are remembered; a process that goes on for ever sees new ones for ever."""


class Normaliser:
    """Words to their normal forms. Several threads may use it at once; the packages may not be asked at once."""

    def __init__(self, way: str, code: str, lowercase: bool, strip_accents: Accents) -> None:
        self._found_by_package = WAYS[way][1](code)
        self._lowercase, self._strip = lowercase, accent_stripper(strip_accents)
        self._remembered: dict[str, str] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[str]) -> list[str]:
        """The form of each word."""
        forms = list(map(self._remembered.get, words))
        new = {word for word, form in zip(words, forms, strict=True) if form is None}
        if not new:
            return forms  # type: ignore[return-value]  # none of them is None
        with self._lock:
            found = self._look_up(new)
        return [found[word] if form is None else form for word, form in zip(words, forms, strict=True)]

    def _look_up(self, words: set[str]) -> dict[str, str]:
        """The forms of words that were not remembered a moment ago; another thread may have looked since."""
        remembered = self._remembered
        found = {word: remembered[word] for word in words if word in remembered}
        unseen = list(words - found.keys())
        found.update(zip(unseen, self._forms(unseen), strict=True))
        if len(remembered) + len(unseen) > MOST_REMEMBERED:
            self._remembered = found
        else:
            remembered.update(found)
        return found

    def _forms(self, words: list[str]) -> list[str]:
        """What the package says, written as the text is: all words at once, unless there is one that has no form."""
        said = self._found_by_package(words)
        forms = self._written("\n".join(said)).split("\n")
        if forms == " ".join(forms).split() and len(forms) == len(words) and not any(" " in word for word in words):
            return forms
        return [self._form(word, form) for word, form in zip(words, map(self._written, said), strict=True)]

    def _written(self, text: str) -> str:
        text = lower_case(text) if self._lowercase else text
        return text if self._strip is None else self._strip(text)

    def _form(self, word: str, form: str) -> str:
        return form if " " not in word and form.split() == [form] else word


@lru_cache(maxsize=16)
def normaliser(way: str, language: str, lowercase: bool, strip_accents: Accents) -> Normaliser:
    """The normaliser of some settings, with what it remembers; it is in no pickle and in no file."""
    return Normaliser(way, language_code(way, language), lowercase, strip_accents)


def language_code(way: str, language: str) -> str:
    """The code of a language that words can be normalised in."""
    return require_language(language, WAYS[way][0], setting="language", what=f"normalise={way!r}")
