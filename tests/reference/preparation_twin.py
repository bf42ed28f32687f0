"""Slow, obvious twins of text preparation: every word is normalised on its own, each time it occurs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import Stemmer
from scipy.sparse import csr_matrix
from simplemma import lemmatize

from .text_twins import words_of

_STEMMER = Stemmer.Stemmer("english")


def stem(word: str) -> str:
    """Return the stem of one English word."""
    form: str = _STEMMER.stemWord(word)
    return _form_or_word(form.lower(), word)


def stem_as_written(word: str) -> str:
    """Return the stem of one English word, with uppercase letters kept."""
    form: str = _STEMMER.stemWord(word)
    return _form_or_word(form, word)


def lemma(word: str) -> str:
    """Return the lemma of one English word."""
    return _form_or_word(lemmatize(word, "en").lower(), word)


def _form_or_word(form: str, word: str) -> str:
    """Return the form of a word, or the word if the form is not valid or the word is very long."""
    is_invalid = form == "" or any(character.isspace() for character in form) or len(word) > 100
    return word if is_invalid else form


FORMS: dict[str, Callable[[str], str]] = {"stem": stem, "lemma": lemma}


def terms_in(
    text: str, form: Callable[[str], str], ngram_range: tuple[int, int] = (1, 1), stop_words: Iterable[str] = ()
) -> list[str]:
    """Return the terms of a text: lowercased, split into words, without stop words, each word in its form."""
    words = [form(word) for word in words_of(text.lower()) if word not in set(stop_words)]
    terms = []
    for first in range(len(words)):
        ends = range(first + ngram_range[0], first + ngram_range[1] + 1)
        terms += [" ".join(words[first:end]) for end in ends if end <= len(words)]
    return terms


def counts_of(documents: Iterable[Sequence[str]], columns: Sequence[str]) -> csr_matrix:
    """Return how often each of some terms is among the terms of each document."""
    counters = [Counter(terms) for terms in documents]
    dense = [[counter[term] for term in columns] for counter in counters]
    return csr_matrix(np.array(dense, np.int64).reshape(len(counters), len(columns)))
