"""Find terms that give the label away: a single term that predicts a class almost perfectly.

Such a term is often not part of what the documents are about, but of how they were collected: a header, a signature, a
department's ID or the label itself. A model then learns the term and fails on documents that lack it.

How well a term predicts a class is measured by its precision, the share of the documents with the term that are of the
class, and its recall, the share of the class's documents that have the term. The F1 is their harmonic mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
