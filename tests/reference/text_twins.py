"""Slow, obvious twins of the term counter and the term weighter: plain loops over characters and over dense rows."""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise


def words_of(text: str) -> list[str]:
    """Return the runs of two or more letters, digits and underscores, character by character."""
    words, run = [], ""
    for character in text + " ":
        if character.isalnum() or character == "_":
            run += character
        else:
            if len(run) >= 2:
                words.append(run)
            run = ""
    return words


def terms_in(
    text: str,
    *,
    ngram_range: tuple[int, int] = (1, 1),
    stop_words: Iterable[str] = (),
    prepare: Callable[[str], str] = str.lower,
) -> list[str]:
    """Return the terms of a text in the order of their first words, shorter ones first."""
    words = [word for word in words_of(prepare(text)) if word not in set(stop_words)]
    terms = []
    for first in range(len(words)):
        ends = range(first + ngram_range[0], first + ngram_range[1] + 1)
        terms += [" ".join(words[first:end]) for end in ends if end <= len(words)]
    return terms


def character_ngrams_in(
    text: str, *, analyzer: str, ngram_range: tuple[int, int], prepare: Callable[[str], str] = str.lower
) -> list[str]:
    """Return the n-grams of the characters of a text in the order of their first characters, shorter ones first.

    The analyzer "char" takes the whole text, in which several white-space characters in a row became one space, and
    "char_wb" each word with a space on both sides; a word that is shorter than all n-grams counts once.
    """
    if analyzer == "char":
        whole = ""
        for is_space, run in groupby(prepare(text), key=str.isspace):
            characters = "".join(run)
            whole += " " if is_space and len(characters) > 1 else characters
        parts = [whole]
    else:
        parts = [f" {word} " for word in prepare(text).split()]
    ngrams = []
    for part in parts:
        if analyzer == "char_wb" and len(part) < ngram_range[0]:
            ngrams.append(part)
        for first in range(len(part)):
            ends = range(first + ngram_range[0], first + ngram_range[1] + 1)
            ngrams += [part[first:end] for end in ends if end <= len(part)]
    return ngrams


UNSPACED = (
    *("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC ITERATION", "IDEOGRAPHIC CLOSING"),
    *("IDEOGRAPHIC NUMBER", "VERTICAL IDEOGRAPHIC", "HANGZHOU", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA"),
    *("VERTICAL KANA", "HENTAIGANA", "THAI", "LAO", "KHMER", "MYANMAR"),
)
"""How the names of the characters of scripts without spaces begin."""


def tokens_in(text: str) -> tuple[list[list[str]], list[str]]:
    """Return the tokens of a prepared text, character by character: sequences of words and symbols, and grams.

    A script is told by the names of characters, and pieces are cut by plain loops.
    """
    pieces: list[tuple[str, list[str]]] = []  # what a piece is, and its characters with their marks
    is_open = False  # whether a mark or a letter can continue the last piece
    for character in text:
        category, name = unicodedata.category(character), unicodedata.name(character, "")
        if category.startswith("M") or character in "\u200c\u200d":
            if is_open:
                pieces[-1][1][-1] += character
        elif character.isalnum() or character == "_":
            kind = "run" if name.startswith(UNSPACED) else "word"
            if not is_open or pieces[-1][0] != kind:
                pieces.append((kind, []))
            pieces[-1][1].append(character)
            is_open = True
        else:
            is_open = False
            if category[0] in "PS" and character != "\u2581":
                pieces.append(("symbol", [character]))
    sequences: list[list[str]] = [[]]
    grams: list[str] = []
    for kind, units in pieces:
        if kind == "run":
            sequences.append([])
            for first in range(len(units)):
                grams += ["".join(units[first:end]) for end in (first + 1, first + 2) if end <= len(units)]
            continue
        sequences[-1].append("".join(units))
        pairs = pairwise(units) if len(units) > 2 else ()
        grams += [first + second for first, second in pairs if is_hangul(first) and is_hangul(second)]
    return sequences, grams


def is_hangul(unit: str) -> bool:
    """Return whether a letter with its marks is a Hangul syllable."""
    return unicodedata.name(unit[0], "").startswith("HANGUL SYLLABLE")


def text_terms_in(
    text: str,
    *,
    ngram_range: tuple[int, int] = (1, 1),
    stop_words: Iterable[str] = (),
    prepare: Callable[[str], str] = str.lower,
) -> list[str]:
    """Return the terms of a text with the analyzer "text": n-grams of words in each sequence, then grams."""
    sequences, grams = tokens_in(prepare(text))
    terms = []
    for sequence in sequences:
        words = [word for word in sequence if word not in set(stop_words)]
        for first in range(len(words)):
            ends = range(first + ngram_range[0], first + ngram_range[1] + 1)
            terms += [" ".join(words[first:end]) for end in ends if end <= len(words)]
    return terms + [gram for gram in grams if ngram_range[0] == 1 and gram not in set(stop_words)]


def first_seen(documents: Iterable[Sequence[str]]) -> list[str]:
    """Return the distinct terms of documents, in the order in which they first occur."""
    order: list[str] = []
    known = set()
    for terms in documents:
        for term in terms:
            if term not in known:
                known.add(term)
                order.append(term)
    return order


def most_frequent(documents: Iterable[Sequence[str]], n_terms: int, *, binary: bool = False) -> list[str]:
    """Return the most frequent terms (binary: in the most documents), ties and result in alphabetical order."""
    totals: Counter[str] = Counter()
    for terms in documents:
        totals.update(set(terms) if binary else terms)
    return sorted(sorted(totals, key=lambda term: (-totals[term], term))[:n_terms])


def length_of(weights: Sequence[float], norm: str) -> float:
    """Return the norm by which the weights of a document are divided."""
    if norm == "l2":
        return math.sqrt(math.fsum(weight * weight for weight in weights))
    return math.fsum(map(abs, weights)) if norm == "l1" else 1.0


def weights_of(
    rows: Sequence[Sequence[float]], fitted: Sequence[Sequence[float]], *, tf: str, idf: str, norm: str
) -> list[list[float]]:
    """Return the weights: tf, binary or 1 + ln tf; times 1, ln(N/df) or ln((1+N)/(1+df)) + 1; then scaled by the norm.

    With ln(N/df), a term that is in none of the fitted documents is weighed as if it were in one.
    """
    n_documents = len(fitted)
    weighed = []
    for row in rows:
        weights = []
        for column, count in enumerate(row):
            doc_freq = sum(1 for other in fitted if other[column] != 0)
            if count == 0:
                weight = 0.0
            elif tf == "tf":
                weight = float(count)
            elif tf == "binary":
                weight = 1.0
            elif tf == "log":
                weight = 1.0 + math.log(count)
            else:
                weight = 1.0 + math.log(1.0 + math.log(count))
            if idf == "plain":
                weight *= math.log(n_documents / max(doc_freq, 1))
            elif idf == "smooth":
                weight *= math.log((1 + n_documents) / (1 + doc_freq)) + 1.0
            weights.append(weight)
        length = length_of(weights, norm)
        if length > 0:
            weights = [weight / length for weight in weights]
        weighed.append(weights)
    return weighed
