"""Documents on random splits, with selected and weighted terms.

Terms are selected first and weighted afterwards, with one exception: `CUT` weights all terms, scales documents to
length 1, and then removes terms, so that the length of a document shows how many rare words it had. Terms are selected
from the training documents. If they are selected from all documents, as in some published experiments, the labels of
test documents leak into the selection.

All splits have the same seed. So all measurements on the same documents use the same splits, and five splits are the
first five of twenty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from textsieve import Cascade, DocumentFrequency, InformationGain, TermWeighter
from textsieve.comparison import half_width
from textsieve.ensembles import RandomSplit, random_splits
from textsieve.selectors import TermSelector

from .documents import Collection, Ints, members_of
from .measurements import Estimate, Measurement, ReportStep, Scope

SEED = 1964
TEST_SHARE = 0.2
N_TERMS = 5_000
MIN_DF = 0.01

Weighting = Callable[[Any], Any]
"""Returns a pipeline, given a selector."""


def paper_selector(k: int = N_TERMS) -> TermSelector:
    """Return the paper's selector: terms in at least 1 % of the documents, then the k with most information gain."""
    return Cascade([DocumentFrequency(min_df=MIN_DF), InformationGain(k=k)])


STAGES: dict[str, Callable[[], TermSelector]] = {
    "all": lambda: DocumentFrequency(min_df=1),
    "DF": lambda: DocumentFrequency(min_df=MIN_DF),
    "DF + IG": paper_selector,
}
"""Which terms are selected."""


def _weighter(tf: str, idf: str, norm: str) -> Weighting:
    return lambda selector: make_pipeline(selector, TermWeighter(tf=tf, idf=idf, norm=norm))


CUT = "tf-idf of all terms, then cut"
WEIGHTINGS: dict[str, Weighting] = {
    "counts": _weighter("tf", "none", "none"),
    "counts / their largest": lambda selector: make_pipeline(selector, MaxAbsScaler()),
    "binary": _weighter("binary", "none", "none"),
    "tf, length 1": _weighter("tf", "none", "l2"),
    "log tf, length 1": _weighter("log", "none", "l2"),
    "tf-idf, length 1": _weighter("tf", "plain", "l2"),
    "ltc": _weighter("log", "plain", "l2"),
    "loglog, smooth idf": _weighter("loglog", "smooth", "l2"),
    CUT: lambda selector: make_pipeline(TermWeighter(tf="tf", idf="plain", norm="l2"), selector),
}


@dataclass(frozen=True)
class Preparation:
    """Which terms are selected, from which documents, and how they are weighted."""

    terms: str = "DF + IG"
    """A row of `STAGES`."""
    weights: str = "counts"
    """A row of `WEIGHTINGS`."""
    selected_from: Literal["training", "all"] = "training"

    def pipeline(self, counts: csr_matrix, numbers: Ints) -> Any:
        """Return the pipeline to fit to training documents.

        `counts` and `numbers` are the counts and class numbers of all documents, from which terms may be selected.
        """
        if self.selected_from == "training":
            return WEIGHTINGS[self.weights](STAGES[self.terms]())
        columns = np.flatnonzero(STAGES[self.terms]().fit(counts, numbers).get_support())
        return WEIGHTINGS[self.weights](FunctionTransformer(partial(_take_columns, columns=columns)))


def _take_columns(rows: csr_matrix, columns: Ints) -> csr_matrix:
    return csr_matrix(rows[:, columns])


class Rows(NamedTuple):
    """Prepared training and test documents, with the numbers of their classes."""

    train: csr_matrix
    train_numbers: Ints
    test: csr_matrix
    test_numbers: Ints


@lru_cache(maxsize=2)
def counts_of(collection: Collection, scope: Scope) -> tuple[csr_matrix, Ints]:
    """Return the counts of all documents in the scope, and the numbers of their classes."""
    documents = collection.documents(scope)
    members = members_of(documents.labels)
    number_of = {label: number for number, label in enumerate(members)}
    positions = np.sort(np.concatenate([of_class[:: scope.every] for of_class in members.values()]))
    numbers = np.array([number_of[documents.labels[position][0]] for position in positions.tolist()])
    return csr_matrix(documents.counts[positions]), numbers


def splits_of(n_documents: int, repeats: int) -> list[RandomSplit]:
    """Return `repeats` random splits of `n_documents` documents, always the same ones."""
    return random_splits(n_documents, test_share=TEST_SHARE, repeats=repeats, random_state=SEED)


def prepared_splits(collection: Collection, preparation: Preparation, repeats: int, scope: Scope) -> Iterator[Rows]:
    """Yield the training and test documents of each random split, with selected and weighted terms."""
    counts, numbers = counts_of(collection, scope)
    pipeline = preparation.pipeline(counts, numbers)
    for split in splits_of(len(numbers), scope.limit(repeats)):
        yield prepare(counts, numbers, split.train, split.test, pipeline)


def prepare(counts: csr_matrix, numbers: Ints, train: Ints, test: Ints, pipeline: Any) -> Rows:
    """Return the documents of a split, prepared by a copy of the pipeline that is fitted to the training documents."""
    fitted = clone(pipeline)
    rows = csr_matrix(fitted.fit_transform(counts[train], numbers[train]))
    test_rows = csr_matrix(fitted.transform(counts[test]))
    for part in (rows, test_rows):  # terms in all documents have the idf 0
        part.eliminate_zeros()
    return Rows(rows, numbers[train], test_rows, numbers[test])


def mean_over_splits(shares: Any) -> Estimate:
    """Return the mean of shares, one for each split, in percent, and half the width of its interval."""
    values = [100.0 * float(share) for share in shares]
    return Estimate(float(np.mean(values)), half_width(values, TEST_SHARE / (1 - TEST_SHARE)))


@dataclass(frozen=True)
class TermsLeft(Measurement):
    """The number of terms that a stage of selection leaves, in all documents at once."""

    collection: Collection
    terms: str
    """A key of `STAGES`."""

    @classmethod
    def measure_all(
        cls, requested: Sequence[Self], scope: Scope, report_step: ReportStep
    ) -> Iterator[tuple[Self, Estimate]]:
        """Count the documents of a collection once, if its measurements follow one another."""
        for measurement in requested:
            report_step(f"{measurement.collection.corpus}: numbers of terms")
            selector = STAGES[measurement.terms]().fit(*counts_of(measurement.collection, scope))
            yield measurement, Estimate(float(selector.get_support().sum()))
