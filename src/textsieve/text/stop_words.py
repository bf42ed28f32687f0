"""Stop words: the list of a language, read as texts are, and a user's list with a warning about words that can't match.

**Languages.** The English list is scikit-learn's and is used unchanged, so that counts are those of `CountVectorizer`.
The lists of other languages come from stopwordsiso. Each entry is read as a text is: lowercased, perhaps without
accents, then split by the analyzer and the token pattern. So the words of a list are spelled like the words of texts:
with the default pattern, `qu'` becomes `qu`, and `à` is left out because words have at least two letters; with the
analyzer "text", `à`, `的` and `है` are stop words, too.

Two kinds of entries are left out, because they would be split into parts that are words with other meanings:

- phrases such as `bắt đầu từ` and `semata-mata`, unless the token pattern matches them as one word;
- with the analyzer "text", words of scripts without spaces that are longer than a gram: `为什么` has three characters,
  but texts are split into grams of one and two characters.

A user's tokenizer or preprocessor is never called for stop words, because it may expect other texts. If there is a
tokenizer, the entries are split by the default token pattern instead.

**Lists of users.** The words of a list are used unchanged. They are compared with the words of prepared texts, which
are lowercased, perhaps without accents, and split at apostrophes and hyphens. So `Der`, `für` (if accents are stripped)
and `don't` never match. `matchable_stop_words` reads each stop word as a text would be read, and warns about those that
become other words, as scikit-learn does. It does not warn if these words are on the list as well (`Der` and `der`) or
if nothing remains (`I` is not a word). The stop word is not replaced by what it is read as: `don't` should not remove
every `don` from a text.
"""

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from ..errors import InputError, Setting, shown, warn
from .analysis import WORDS, Analysis
from .languages import STOP_WORDS, TURKIC, code_of, is_english, languages_with_stop_words, require_language
from .reading import Reading
from .tokens import split_text
from .words import Accents, accent_stripper

_HYPHENS = "-\N{HYPHEN}\N{NON-BREAKING HYPHEN}"
_IS_PHRASE = re.compile(rf"[{_HYPHENS}\s]").search
_FIRST_LETTER = re.compile(r"\b\w")

MAX_WORDS_NAMED = 5
"""The largest number of words that a warning names."""


def stop_words_of(
    setting: str | Collection[str] | None,
    strip_accents: Accents = None,
    *,
    lowercase: bool = True,
    analysis: Analysis = WORDS,
) -> frozenset[str]:
    """Return the stop words for a value of the setting `stop_words`.

    The stop words of a language are spelled as the words of texts that are read with these settings. If texts are not
    lowercased, capitalised spellings are added. A list of words is not changed.
    """
    if setting is None:
        return frozenset()
    if isinstance(setting, str):
        return _stop_words_in_language(setting, strip_accents, lowercase, analysis)
    if not isinstance(setting, Collection):
        raise InputError(
            setting="stop_words", value=setting, hint="use a language such as 'english', a list of words, or None"
        )
    for word in setting:
        if not isinstance(word, str):
            raise InputError(
                (Setting("stop_words"), f" has {shown(word)} ({type(word).__name__}), which is no word"),
                hint="give strings",
            )
    return frozenset(setting)


def _stop_words_in_language(
    language: str, strip_accents: Accents, lowercase: bool, analysis: Analysis
) -> frozenset[str]:
    """Return the stop words of a language, spelled as in texts; the English ones need no package."""
    if is_english(language):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS
    if code_of(language) is None:
        raise InputError(
            setting="stop_words",
            value=language,
            hint="use a language such as 'english', 'german' or 'de', a list of words, or None. "
            f"{languages_with_stop_words()}",
        )
    code = require_language(language, STOP_WORDS, setting="stop_words", what=Setting("stop_words", language))
    # Keep only the settings that split texts into words. If a user's function does that, or if terms are not words, the
    # entries are split by the default pattern.
    is_readable = analysis.has_words and analysis.function is None
    splitting = Analysis(analysis.analyzer, analysis.effective().token_pattern) if is_readable else WORDS
    if callable(strip_accents):  # not cached: a function may not be hashable, and may hold much memory
        return _stop_words_of_package(code, strip_accents, lowercase, splitting)
    return _cached_stop_words(code, strip_accents, lowercase, splitting)


def _stop_words_of_package(code: str, strip_accents: Accents, lowercase: bool, analysis: Analysis) -> frozenset[str]:
    """Return the stop words of a language as texts are split into them.

    Unless texts are lowercased (`lowercase`), each word is also returned with a capital.
    """
    import stopwordsiso

    # A hyphen at an end is removed, because an entry with a hyphen counts as a phrase (`_words_of_entry`).
    entries = [entry.lower().strip(f" {_HYPHENS}") for entry in stopwordsiso.stopwords(code)]
    if not lowercase:
        entries += [
            _FIRST_LETTER.sub(lambda match: _capital(match[0], code), entry, count)
            for entry in entries
            # `sub` replaces `count` matches, 0: all. So the first word is capitalised, and all words: `Aujourd'hui` and
            # `Aujourd'Hui`.
            for count in (1, 0)
        ]
    strip = accent_stripper(strip_accents)
    folded = entries if strip is None else map(strip, entries)
    return frozenset(word for entry in folded for word in _words_of_entry(entry, analysis))


_cached_stop_words: Callable[[str, str | None, bool, Analysis], frozenset[str]]
_cached_stop_words = lru_cache(maxsize=64)(_stop_words_of_package)


def _words_of_entry(entry: str, analysis: Analysis) -> list[str]:
    """Return the words that an entry of a list of stop words is split into, or none if it is left out (see the top)."""
    words = analysis.tokens(entry)
    if entry in words:
        return [entry]
    if _IS_PHRASE(entry):
        return []
    if analysis.analyzer != "text":  # parts of a word, such as `qu` of `qu'`
        return words
    sequences, grams = split_text(entry)
    if grams:  # a word of a script without spaces that is longer than a gram: a gram itself is in `words`
        return []
    return [word for sequence in sequences for word in sequence if any(map(str.isalnum, word))]  # without symbols


def _capital(letter: str, code: str) -> str:
    """Return a letter in uppercase, by the rules of a language."""
    return "İ" if letter == "i" and code in TURKIC else letter.upper()


def matchable_stop_words(stop_words: Collection[str], reading: Reading) -> frozenset[str]:
    """Return the user's stop words that can occur in prepared texts.

    Warn about those that are read as other words, unless these are on the list as well.
    """
    # The words that a stop word becomes if it is read as a text: none, itself, or others.
    read_as = {word: reading.analysis.tokens(reading.folded(word)) for word in stop_words}
    has_grams = reading.analysis.analyzer == "text"  # then a word can be read as itself and parts of it
    matchable = frozenset(word for word, read in read_as.items() if read == [word] or (has_grams and word in read))
    all_stop_words = set(stop_words)
    unmatched = {
        word: read for word, read in read_as.items() if word not in matchable and not all_stop_words.issuperset(read)
    }
    if unmatched:
        warn(_unmatched_warning(unmatched, len(read_as)))
    return matchable


def _unmatched_warning(unmatched: dict[str, list[str]], n_words: int) -> str:
    """Return the warning about stop words that can't match, given the words that each is read as."""
    named = [
        f"{shown(word)} as {' '.join(map(shown, unmatched[word]))}" for word in sorted(unmatched)[:MAX_WORDS_NAMED]
    ]
    more = ", and so on" if len(unmatched) > MAX_WORDS_NAMED else ""
    return (
        f"{len(unmatched):,} of {n_words:,} stop words can never match, because a text is read in another way: "
        f"{', '.join(named)}{more}. Write stop words as they are read, or keep uppercase letters and accents in texts."
    )
