"""Checks that need only the counted terms: terms that give the label away, and the languages of the documents.

A term gives the label away if it alone predicts a class almost perfectly. Such a term is often not part of what the
documents are about, but of how they were collected: a header, a signature, a department's ID or the label itself. A
model then learns the term and fails on documents that lack it.

How well a term predicts a class is measured by its precision, the share of the documents with the term that are of the
class, and its recall, the share of the class's documents that have the term. The F1 is their harmonic mean.

The language of a document is guessed by its stop words. A text of some length has many stop words of its own language
and few of any other. The lists below have some of the most frequent words of each language, mostly without those that
are also frequent in another one. A stop word counts only once in a document, because "com", a Portuguese word, is
frequent in e-mail addresses, and "de" in names. This is enough to see that a corpus mixes languages. Languages that are
not listed are not recognised, and of two close languages, such as Danish and Norwegian, the guess leaves open which one
a text is in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Ints
from ..training.counted_documents import CountedDocuments

MIN_F1 = 0.9
"""The smallest F1 of a term that gives a class away."""
MIN_DOCUMENTS = 10
"""The smallest number of documents of a class for which terms are examined."""
MAX_SHARE = 0.8
"""The largest share of all documents that a class may have; almost any frequent term would predict a larger class."""


class GiveawayTerm(NamedTuple):
    """A term that predicts a class almost perfectly."""

    term: str
    label: str
    n_documents: int
    """The number of documents with the term."""
    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Return the F1: the harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def find_giveaway_terms(documents: CountedDocuments) -> list[GiveawayTerm]:
    """Return the terms that give a class away, the clearest first."""
    counts, n_terms = documents.counts, len(documents.terms)
    labelled = np.flatnonzero(documents.targets.usable)
    doc_freq = np.bincount(counts[labelled].indices, minlength=n_terms)
    giveaways = []
    for label, members in zip(documents.targets.classes, documents.targets.members, strict=True):
        if not MIN_DOCUMENTS <= len(members) <= MAX_SHARE * len(labelled):
            continue
        in_class = np.bincount(counts[members].indices, minlength=n_terms)
        # F1 = 2 P R / (P + R) >= MIN_F1, with P = in_class / doc_freq and R = in_class / len(members)
        columns = np.flatnonzero(2 * in_class >= MIN_F1 * (doc_freq + len(members)))
        for column, term in zip(columns.tolist(), documents.terms.take(columns), strict=True):
            n_right, n_with = int(in_class[column]), int(doc_freq[column])
            giveaways.append(GiveawayTerm(term, str(label), n_with, n_right / n_with, n_right / len(members)))
    return sorted(giveaways, key=lambda giveaway: (-giveaway.f1, giveaway.label, giveaway.term))


STOP_WORDS = {
    "Danish": "og det jeg ikke af til på med der som har han vil skal hun hvad fra efter også blev",
    "Dutch": "het een van niet dat zijn voor met ook maar deze werd naar bij nog wordt heeft hebben uit aan",
    "English": "the and of to is that it was for on with as this be are by not or from have which you but they",
    "Finnish": "ja ei se että hän oli ovat mutta kun niin myös jos kanssa mitä tämä sen siitä joka ovat vain",
    "French": "les des est une que dans pour pas qui sur avec plus sont par cette mais nous vous aux ont être",
    "German": "der die und das nicht ist ein eine zu den mit sich auf für von dem auch wird wurde bei nach oder ich",
    "Italian": "che di il per non una sono con del della gli più anche dei nel questo alla come ma ha le",
    "Norwegian": "og det jeg ikke av til på med som har han vil skal hun hva fra etter også ble være",
    "Polish": "nie się na jest że do jak co ale to przez był tego dla tak od być już oraz które",
    "Portuguese": "que não uma com para os mais como mas foi ao das tem seu sua ou quando muito já também",
    "Russian": "и в не на что он как это по но из от за для так же вы бы только если",
    "Spanish": "que los el las por con una para del se su al lo como más pero sus le ya este sí porque",
    "Swedish": "och det att som är på för med inte av den till jag har han ett var men också från",
    "Turkish": "ve bir bu için ile de çok daha olarak gibi ne kadar olan ama var sonra değil en o mi",
}
"""Frequent words of each language, by its English name."""

MIN_STOP_WORDS = 3
"""The smallest number of different stop words in a document whose language is guessed."""
MIN_LEAD = 1.5
"""How many times as many different stop words of its language a document must have as of any other."""


def guess_languages(counts: csr_matrix, terms: Sequence[str]) -> list[str | None]:
    """Return the language of each document, or None if that is not clear.

    `counts` has the lowercase words of the documents (documents x terms).
    """
    languages = sorted(STOP_WORDS)
    column_of = {term: column for column, term in enumerate(terms)}
    pairs = [  # of the column of a stop word and the number of its language
        (column_of[word], number)
        for number, language in enumerate(languages)
        for word in set(STOP_WORDS[language].split())
        if word in column_of
    ]
    columns, numbers = np.array(pairs, np.int64).reshape(-1, 2).T
    # terms x languages: 1 if the term is a stop word of the language
    is_stop_word = csr_matrix((np.ones(len(pairs), np.int64), (columns, numbers)), (len(terms), len(languages)))
    has_term = csr_matrix((np.ones(counts.nnz, np.int8), counts.indices, counts.indptr), counts.shape)
    # The number of different stop words of each document in each language; dense, because there are few languages.
    n_stop_words: Ints = csr_matrix(has_term @ is_stop_word).toarray()
    most, second_most = np.sort(n_stop_words, axis=1)[:, [-1, -2]].T
    is_clear = (most >= MIN_STOP_WORDS) & (most >= MIN_LEAD * second_most)
    best = n_stop_words.argmax(axis=1)
    return [
        languages[number] if clear else None for number, clear in zip(best.tolist(), is_clear.tolist(), strict=True)
    ]
