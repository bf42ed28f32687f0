"""Slow, obvious twins of text preparation: every word on its own, every time it comes."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import Stemmer
from scipy.sparse import csr_matrix
from simplemma import lemmatize

from .text_twins import words_of

_STEMMER = Stemmer.Stemmer("english")


def stem(word: str) -> str:
    """The stem of one English word."""
    found: str = _STEMMER.stemWord(word)
    return _or_as_it_is(found.lower(), word)


def stem_as_written(word: str) -> str:
    """The same where capitals stay."""
    found: str = _STEMMER.stemWord(word)
    return _or_as_it_is(found, word)


def lemma(word: str) -> str:
    """The lemma of one English word."""
    return _or_as_it_is(lemmatize(word, "en").lower(), word)


def _or_as_it_is(form: str, word: str) -> str:
    is_none = form == "" or any(character.isspace() for character in form) or len(word) > 100
    return word if is_none else form


FORMS: dict[str, Callable[[str], str]] = {"stem": stem, "lemma": lemma}


def terms_in(
    text: str, form: Callable[[str], str], ngram_range: tuple[int, int] = (1, 1), stop_words: Iterable[str] = ()
) -> list[str]:
    """The terms of a text: lower-cased, cut into words, without stop words, each word in its form."""
    words = [form(word) for word in words_of(text.lower()) if word not in set(stop_words)]
    terms = []
    for first in range(len(words)):
        ends = range(first + ngram_range[0], first + ngram_range[1] + 1)
        terms += [" ".join(words[first:end]) for end in ends if end <= len(words)]
    return terms


def counts_of(documents: Iterable[Sequence[str]], columns: Sequence[str]) -> csr_matrix:
    """How often each of some terms is among the terms of each document."""
    counted = [Counter(terms) for terms in documents]
    dense = [[each[term] for term in columns] for each in counted]
    return csr_matrix(np.array(dense, np.int64).reshape(len(counted), len(columns)))
