"""Settings for what happens to a text before its terms are counted, and the normal forms of words.

The steps, in this order: remove tags (`markup`), join proper names into one word (`names`), lowercase and strip accents
(`reading`), split into words, remove stop words, and normalise the remaining words except names. So stop words are
compared as written in the text, not as stems. By default, none of this except lowercasing happens.

The language is that of the normal forms. For Turkish and Azerbaijani it also determines how text is lowercased.

**Normal forms** are stems or lemmas, looked up once for each distinct word. The forms that a package returns are
lowercased and stripped of accents like the text: a German lemma can be `Haus` and must match the word `haus`. If a form
is empty, contains white space or can't be encoded as UTF-8, the word stays as it is; so do names, which consist of
several words, and very long words. Forms are cached. When there are too many, the first half is kept, because frequent
words come early in a text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from itertools import islice
from threading import Lock
from typing import Any, cast

from ..errors import InputError, Setting
from .languages import NAMES, NORMALISERS, code_of, has_dotted_i, require_language
from .words import Accents, accent_stripper, lower_case, without_dotted_i

MOST_REMEMBERED = 1 << 18
"""Words whose forms are remembered."""

LONGEST = 100
"""Characters of a word that is looked up. Lemmas of some languages take time that grows with the square of a word's
length, and what is longer is a line of `_` or a sequence of bases.
"""


class Normaliser:
    """Maps words to their normal forms. Threads may share it; calls of the package are serialised."""

    def __init__(self, way: str, code: str, lowercase: bool, strip_accents: Accents) -> None:
        self._found_by_package = NORMALISERS[way][1](code)
        self._lowercase, self._strip = lowercase, accent_stripper(strip_accents)
        self._has_dotted_i = lowercase and has_dotted_i(code)
        self._takes_lines = not callable(strip_accents)  # what a user's function does to a line end, nobody knows
        self._remembered: dict[str, str] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Return the form of each word."""
        forms = list(map(self._remembered.get, words))
        if None not in forms:
            return cast("list[str]", forms)
        with self._lock:
            new_forms = self._look_up(word for word, form in zip(words, forms, strict=True) if form is None)
        return [form or new_forms.get(word, word) for word, form in zip(words, forms, strict=True)]

    def _look_up(self, words: Iterable[str]) -> dict[str, str]:
        """Return the forms of words that were not cached a moment ago; another thread may have added them since."""
        new = {word: self._remembered.get(word, "") for word in words if len(word) <= LONGEST and " " not in word}
        unseen = [word for word, form in new.items() if not form]
        new_forms = dict(zip(unseen, self._forms(unseen), strict=True))
        self._remember(new_forms)
        new.update(new_forms)
        return new

    def _remember(self, new_forms: dict[str, str]) -> None:
        remembered = self._remembered
        if len(remembered) + len(new_forms) > MOST_REMEMBERED:
            remembered = dict(islice(remembered.items(), MOST_REMEMBERED // 2))
        remembered.update(islice(new_forms.items(), MOST_REMEMBERED - len(remembered)))
        self._remembered = remembered

    def _forms(self, words: list[str]) -> list[str]:
        """Return the package's forms, lowercased and stripped like the text: all at once unless some word has no
        form.
        """
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
    """Return the normaliser for some settings, with its cache, which is never pickled or saved."""
    code = language_code(way, language)
    if callable(strip_accents):  # it may have no hash, and what it holds is not to live on here
        return Normaliser(way, code, lowercase, strip_accents)
    return remembering(way, code, lowercase, strip_accents)


@lru_cache(maxsize=16)
def remembering(way: str, code: str, lowercase: bool, strip_accents: str | None) -> Normaliser:
    """Return the one normaliser of this process for some settings."""
    return Normaliser(way, code, lowercase, strip_accents)


def language_code(way: str, language: object) -> str:
    """Return the code of a language in which words can be normalised."""
    return require_language(language, NORMALISERS[way][0], setting="language", what=Setting("normalise", way))


TAGS = ("keep", "drop")


@dataclass(frozen=True)
class Preparation:
    """Settings of the preparation: plain values that a model file can store."""

    tags: str = "keep"
    names: bool = False
    normalise: str | None = None
    language: str = "en"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Preparation":
        """Return the preparation for settings by name, among which there may be others.

        A language that is not given is that of the stop words, if these are given by a language, otherwise English.
        """
        preparation = cls(*map(settings.__getitem__, SETTINGS))
        if preparation.language is not None:
            return preparation
        stop_words = settings["stop_words"]
        return replace(preparation, language=AS_IT_IS.language if code_of(stop_words) is None else stop_words)

    def checked(self) -> "Preparation":
        """Return the same with the language as a code, and with the default language if it has no effect; check all
        settings.
        """
        for fault in self._faults():
            raise fault
        if self.normalise is not None:
            code = language_code(self.normalise, self.language)
        elif (known := code_of(self.language)) is not None:
            code = known if has_dotted_i(known) else AS_IT_IS.language
        else:
            raise InputError(
                setting="language",
                value=self.language,
                hint="use the name or the code of a language, such as 'german' or 'de'",
            )
        return self if code == self.language else replace(self, language=code)

    def faults(self) -> Iterator[InputError]:
        """Yield what is wrong with settings from a file, without asking any package."""
        yield from self._faults()
        if not (isinstance(self.language, str) and self.language in NAMES):
            yield InputError(setting="language", value=self.language, hint="use the code of a language")
        elif self.normalise is None and self.language != AS_IT_IS.language and not has_dotted_i(self.language):
            yield InputError("nothing is normalised", setting="language", value=self.language)

    def _faults(self) -> Iterator[InputError]:
        for name, allowed in (("tags", TAGS), ("names", (False, True)), ("normalise", (*NORMALISERS, None))):
            value = getattr(self, name)
            if not any(value is choice or (isinstance(value, str) and value == choice) for choice in allowed):
                yield InputError(setting=name, value=value, allowed=allowed)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, by name."""
        done = {name: value for name, value in asdict(self).items() if value != getattr(AS_IT_IS, name)}
        return done if self.normalise is None else done | {"language": self.language}


SETTINGS = tuple(field.name for field in fields(Preparation))
"""The names of the settings."""

AS_IT_IS = Preparation()
"""Nothing is done."""
