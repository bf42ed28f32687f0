"""Languages by their codes (ISO 639) and English names, and which of them the packages of the extra `words` support.

Stems come from Snowball (PyStemmer, which uses names of languages), lemmas from simplemma, and stop words from
stopwordsiso (both use codes). The languages are read from the packages, so an update of these needs no change here.
No package is imported before it is needed, since the help of the command line reads this module. Each package is
imported on its own: a machine that predicts with stems needs neither simplemma nor stopwordsiso.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from ..errors import InputError, Setting

_NAMES = (
    "af afrikaans, ar arabic, ast asturian, az azerbaijani, bg bulgarian, bn bengali, br breton, ca catalan, cs czech, "
    "cy welsh, da danish, de german, el greek, en english, enm middle_english, eo esperanto, es spanish, et estonian, "
    "eu basque, fa persian, fi finnish, fr french, ga irish, gd gaelic, gl galician, grc ancient_greek, gu gujarati, "
    "gv manx, ha hausa, hbs serbo_croatian, he hebrew, hi hindi, hr croatian, hu hungarian, hy armenian, "
    "id indonesian, is icelandic, it italian, ja japanese, ka georgian, ko korean, ku kurdish, la latin, "
    "lb luxembourgish, lt lithuanian, lv latvian, mk macedonian, ml malayalam, mr marathi, ms malay, ne nepali, "
    "nl dutch, nn nynorsk, no norwegian, pl polish, pt portuguese, ro romanian, ru russian, se sami, sk slovak, "
    "sl slovenian, so somali, sq albanian, sr serbian, st sesotho, sv swedish, sw swahili, ta tamil, th thai, "
    "tl tagalog, tr turkish, uk ukrainian, ur urdu, vi vietnamese, yi yiddish, yo yoruba, zh chinese, zu zulu"
)

NAMES: Mapping[str, str] = dict(row.split() for row in _NAMES.split(", "))
"""The English name of each language, by its code."""

TURKIC = ("tr", "az")
"""The languages in which the lowercase of `I` is `ı`, and that of `İ` is `i`."""

_CODES = {name: code for code, name in NAMES.items()} | {"nb": "no"}  # "nb", Bokmål, is treated as Norwegian
_LEMMA_CODES = {"no": "nb", "sr": "hbs", "hr": "hbs"}  # our code -> simplemma's code

_COUNTRY = re.compile(r"(?<=^[a-z]{2})[-_][a-z]{2}$")  # de-DE, pt_BR


class LanguageSupport(NamedTuple):
    """A feature, such as stems, and the languages for which a package offers it."""

    what: str  # the feature in the plural, for messages
    package: str  # its name on PyPI
    codes: Callable[[], frozenset[str]]  # returns the codes of the languages


@cache
def _stem_codes() -> frozenset[str]:
    """Return the languages that PyStemmer supports, without algorithms that are named otherwise, such as "porter"."""
    import Stemmer

    return frozenset(_CODES[name] for name in Stemmer.algorithms() if name in _CODES)


@cache
def _lemma_codes() -> frozenset[str]:
    """Return the languages that simplemma supports, in our codes."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    supported = frozenset(SUPPORTED_LANGUAGES)
    # Add our codes: "no" for simplemma's "nb", "sr" and "hr" for its "hbs". Only "nb" is no code of ours.
    return supported - {"nb"} | {ours for ours, theirs in _LEMMA_CODES.items() if theirs in supported}


@cache
def _stop_word_codes() -> frozenset[str]:
    """Return the languages that stopwordsiso supports."""
    import stopwordsiso

    return frozenset(stopwordsiso.langs())


STEMS = LanguageSupport("stems", "pystemmer", _stem_codes)
LEMMAS = LanguageSupport("lemmas", "simplemma", _lemma_codes)
STOP_WORDS = LanguageSupport("stop words", "stopwordsiso", _stop_word_codes)


def code_of(language: object) -> str | None:
    """Return the code of a language given by its name or code, possibly with a country, or None if it is unknown."""
    if not isinstance(language, str):
        return None
    name_or_code = _COUNTRY.sub("", language.strip().lower())
    return _CODES.get(name_or_code, name_or_code if name_or_code in NAMES else None)


def require_language(language: object, support: LanguageSupport, *, setting: str, what: str | Setting) -> str:
    """Return the code of a language, given by its name or code; raise `InputError` if the package lacks it.

    For messages, `setting` is the setting that gave the language, and `what` is the setting that needs the package.
    """
    from ..extras import require_package

    require_package(support.package, extra="words", what=what)
    code = code_of(language)
    supported = support.codes()
    if code is None or code not in supported:
        raise InputError(setting=setting, value=language, hint=f"there are {support.what} for {listed(supported)}")
    return code


def listed(codes: Iterable[str]) -> str:
    """Return the names of languages with their codes, sorted and separated by commas."""
    return ", ".join(sorted(f"{NAMES.get(code, code)} ({code})" for code in codes))


def is_english(language: object) -> bool:
    """Return whether a language, given by its name or code, is English."""
    return code_of(language) == "en"


def has_turkish_case(language: object) -> bool:
    """Return whether a language, given by its name or code, has the case rules of Turkish."""
    return code_of(language) in TURKIC


def languages_with_stop_words() -> str:
    """Return a sentence about the languages that have stop words, for messages."""
    from ..extras import is_installed

    if is_installed(STOP_WORDS.package):
        return f"There are {STOP_WORDS.what} for {listed(STOP_WORDS.codes())}."
    return f"There are {STOP_WORDS.what} for {listed(['en'])}; those of other languages need {STOP_WORDS.package}."


def stemmer(code: str) -> Callable[[list[str]], list[str]]:
    """Return a function that stems a list of words."""
    import Stemmer

    cache_size = 0  # the caller, `preparation.Normaliser`, caches stems itself
    stem_words: Callable[[list[str]], list[str]] = Stemmer.Stemmer(NAMES[code], cache_size).stemWords
    return stem_words


def lemmatizer(code: str) -> Callable[[list[str]], list[str]]:
    """Return a function that lemmatizes a list of words."""
    from simplemma import lemmatize

    language = _LEMMA_CODES.get(code, code)
    return lambda words: [lemmatize(word, language) for word in words]


NORMALISERS: dict[str, tuple[LanguageSupport, Callable[[str], Callable[[list[str]], list[str]]]]] = {
    "stem": (STEMS, stemmer),
    "lemma": (LEMMAS, lemmatizer),
}
"""For each method to normalise words: the languages that it supports, and a function that creates the normaliser of a
language, given its code. The normaliser returns the normal forms of a list of words."""
