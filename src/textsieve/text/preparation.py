"""Settings for what happens to a text before its terms are counted, and the normal forms of words.

The steps, in this order: remove tags (`markup`), join proper names into one word (`names`), lowercase and strip accents
(`reading`), split into words, remove stop words, and normalise the remaining words except names. So a stop word is
compared with the word in the text, not with its stem. By default, texts are only lowercased and split.

The setting `language` is the language of the normal forms. For Turkish and Azerbaijani it also determines how text is
lowercased.

**Normal forms** are stems or lemmas, looked up once for each distinct word. The forms that a package returns are
lowercased and stripped of accents like the text: a German lemma can be `Haus` and must match the word `haus`. A word
stays as it is if its form is empty, contains white space or can't be encoded as UTF-8. No form is looked up for names,
which consist of several words, for very long words, and for words that can't be encoded. Forms are cached. When there
are too many, the first half is kept, because frequent words come early in a text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from itertools import compress, islice
from threading import Lock
from typing import Any, cast

from ..errors import InputError, Setting
from .languages import NAMES, NORMALISERS, code_of, has_turkish_case, require_language
from .words import Accents, accent_stripper, lower_case, lowercase_turkish_i

MAX_CACHED_FORMS = 1 << 18
"""The largest number of words whose forms are cached."""

MAX_WORD_LENGTH = 100
"""Longer words, in characters, are their own forms. Lemmas of some languages take time that grows with the square of a
word's length, and such long strings, for example lines of `_` or DNA sequences, are not words of a language.
"""


class Normaliser:
    """Map words to their normal forms. Threads may share a normaliser; only one at a time calls the package."""

    def __init__(self, method: str, code: str, lowercase: bool, strip_accents: Accents) -> None:
        _, create_form_function = NORMALISERS[method]
        self._method = method
        self._package_forms = create_form_function(code)
        self._lowercase, self._strip = lowercase, accent_stripper(strip_accents)
        self._has_turkish_case = lowercase and has_turkish_case(code)
        self._can_fold_lines = not callable(strip_accents)  # a user's function may change line breaks
        self._cache: dict[str, str] = {}
        self._lock = Lock()

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Return the normal form of each word; names and very long words stay as they are."""
        forms = list(map(self._cache.get, words))
        if None not in forms:
            return cast("list[str]", forms)
        with self._lock:
            new_forms = self._look_up(word for word, form in zip(words, forms, strict=True) if form is None)
        # `form` is None if it was not cached. (Otherwise, it is false only for the empty word, whose form is empty.)
        return [form or new_forms.get(word, word) for word, form in zip(words, forms, strict=True)]

    def of_new_words(self, words: Sequence[str]) -> list[str]:
        """Return the same, for a caller that asks for each word once, such as a `FormTable`.

        Computing a stem takes less time than caching it, so stems are not cached here.
        """
        if self._method != "stem":
            return self(words)
        text = "\n".join(words)
        if text.isascii() and " " not in text and max(map(len, words), default=0) <= MAX_WORD_LENGTH:
            can_have_forms = [True] * len(words)
        else:
            can_have_forms = list(map(_can_have_form, words))
        with self._lock:
            forms = iter(self._forms(list(compress(words, can_have_forms))))
        return [next(forms) if has_form else word for word, has_form in zip(words, can_have_forms, strict=True)]

    def _look_up(self, words: Iterable[str]) -> dict[str, str]:
        """Return the forms of words that were not cached a moment ago, and cache them.

        Another thread may have cached some of them since. The result lacks the words for which the package is not
        called (see `_can_have_form`).
        """
        # Words that are still not cached get an empty form at first.
        forms = {word: self._cache.get(word, "") for word in words if _can_have_form(word)}
        uncached = [word for word, form in forms.items() if not form]
        new_forms = dict(zip(uncached, self._forms(uncached), strict=True))
        self._add_to_cache(new_forms)
        forms.update(new_forms)
        return forms

    def _add_to_cache(self, new_forms: dict[str, str]) -> None:
        """Add forms to the cache; if there is not enough room for all, first drop the second half of the cache.

        Forms for which there is still no room are not cached.
        """
        cache = self._cache
        if len(cache) + len(new_forms) > MAX_CACHED_FORMS:
            # A new dictionary: other threads may be reading the old one, which they do without the lock.
            cache = dict(islice(cache.items(), MAX_CACHED_FORMS // 2))
        cache.update(islice(new_forms.items(), MAX_CACHED_FORMS - len(cache)))
        self._cache = cache

    def _forms(self, words: list[str]) -> list[str]:
        """Return the package's forms, *folded* like texts (lowercased and stripped of accents).

        A word without a valid form is its own form. All forms are folded at once, as lines of one text, because that is
        faster. If a form is then empty or has white space, each form is folded and checked by itself.
        """
        package_forms = self._package_forms(words)
        if self._can_fold_lines:
            text = self._fold("\n".join(package_forms))
            forms = text.split()
            if len(forms) == len(words) and "\n".join(forms) == text:
                return forms
        return [
            form if _is_form(form) else word for word, form in zip(words, map(self._fold, package_forms), strict=True)
        ]

    def _fold(self, text: str) -> str:
        """Return forms lowercased and without accents, by the same settings as texts."""
        text = lowercase_turkish_i(text) if self._has_turkish_case else text
        text = lower_case(text) if self._lowercase else text
        return text if self._strip is None else self._strip(text)


def _can_have_form(word: str) -> bool:
    """Return whether the package is called for a word: it is not very long, not a name, and can be encoded as UTF-8."""
    # Words that are ASCII or printable can always be encoded; these checks are faster than `_is_form`.
    return len(word) <= MAX_WORD_LENGTH and " " not in word and (word.isascii() or word.isprintable() or _is_form(word))


def _is_form(text: str) -> bool:
    """Return whether a form is valid: it is not empty, has no white space, and can be encoded as UTF-8."""
    return text.split() == [text] and text == text.encode(errors="ignore").decode()


def normaliser(method: str, language: str, lowercase: bool, strip_accents: Accents) -> Normaliser:
    """Return a normaliser with these settings, shared if possible; its cache is never pickled or saved."""
    code = language_code(method, language)
    if callable(strip_accents):  # not shared: the function may not be hashable, and would stay in memory
        return Normaliser(method, code, lowercase, strip_accents)
    return shared_normaliser(method, code, lowercase, strip_accents)


@lru_cache(maxsize=16)
def shared_normaliser(method: str, code: str, lowercase: bool, strip_accents: str | None) -> Normaliser:
    """Return the normaliser with these settings that is shared by the whole process."""
    return Normaliser(method, code, lowercase, strip_accents)


def language_code(method: str, language: object) -> str:
    """Return the code of a language; raise `InputError` if its words can't be normalised by this method."""
    supported_languages, _ = NORMALISERS[method]
    return require_language(language, supported_languages, setting="language", what=Setting("normalise", method))


TAGS = ("keep", "drop")
"""The values of the setting `tags`."""


@dataclass(frozen=True)
class Preparation:
    """The settings of text preparation, as plain values that a model file can store."""

    tags: str = "keep"
    names: bool = False
    normalise: str | None = None
    language: str = "en"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Preparation":
        """Return the preparation for settings by name; the mapping may contain other settings.

        If no language is given, it is the language in `stop_words` if that setting names one, otherwise English.
        """
        preparation = cls(*map(settings.__getitem__, SETTINGS))
        if preparation.language is not None:
            return preparation
        stop_words = settings["stop_words"]
        return replace(preparation, language=NO_PREPARATION.language if code_of(stop_words) is None else stop_words)

    def checked(self) -> "Preparation":
        """Check all settings; return the same preparation with the language as a code.

        A language that has no effect is replaced by the default, so that equal preparations compare equal.
        """
        for fault in self._faults():  # the first one
            raise fault
        if self.normalise is not None:
            code = language_code(self.normalise, self.language)
        elif (known := code_of(self.language)) is not None:
            code = known if has_turkish_case(known) else NO_PREPARATION.language  # others have no effect here
        else:
            raise InputError(
                setting="language",
                value=self.language,
                hint="use the name or the code of a language, such as 'german' or 'de'",
            )
        return self if code == self.language else replace(self, language=code)

    def faults(self) -> Iterator[InputError]:
        """Yield an error for each invalid setting that was read from a file.

        Unlike `checked`, this does not need the package that computes normal forms. The language must be a code.
        """
        yield from self._faults()
        if not (isinstance(self.language, str) and self.language in NAMES):
            yield InputError(setting="language", value=self.language, hint="use the code of a language")
        elif (  # a language without effect, for which `checked` stores the default
            self.normalise is None and self.language != NO_PREPARATION.language and not has_turkish_case(self.language)
        ):
            yield InputError("nothing is normalised", setting="language", value=self.language)

    def _faults(self) -> Iterator[InputError]:
        """Yield an error for each invalid setting other than the language."""
        for name, allowed in (("tags", TAGS), ("names", (False, True)), ("normalise", (*NORMALISERS, None))):
            value = getattr(self, name)
            # `is`, because 1 == True, but 1 is no value of `names`.
            if not any(value is choice or (isinstance(value, str) and value == choice) for choice in allowed):
                yield InputError(setting=name, value=value, allowed=allowed)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings that differ from the defaults, by name; with normal forms, always the language, too."""
        changed = {name: value for name, value in asdict(self).items() if value != getattr(NO_PREPARATION, name)}
        return changed if self.normalise is None else changed | {"language": self.language}


SETTINGS = tuple(field.name for field in fields(Preparation))
"""The names of the settings."""

NO_PREPARATION = Preparation()
"""The default: tags stay, names are not joined, and words are not normalised."""
