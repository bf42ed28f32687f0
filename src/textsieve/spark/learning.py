"""The last step: train a classifier on the documents, of which only the selected terms are read now.

There are three ways, depending on what the classifier needs:

- *Naive Bayes and Rocchio* need the sums of the weights in each class (`classsums.py`).
- *TCFP without context* needs the weights that each term has in each class (`votes.py`).
- *All others* need the documents. The counts of the selected terms come to the driver (`counts.py`), if they are not
  too many; their number is known before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Ints
from ..classifiers.linear import LinearScorer
from ..errors import InputError, Setting
from ..training.fallback import class_of_unknown
from ..training.plan import Fitted, TrainingPlan
from ..training.statistics import ClassSums, ClassVotes, Statistics, way_to_learn
from ..training.targets import ClassSizes
from .chosen import ChosenTerms, Seen
from .classsums import class_sums
from .counting import Reading
from .counts import counts_of
from .votes import votes_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_VALUES = 1 << 27
"""Default limit of the counts that come to the driver; they take a gigabyte."""


def learned(
    documents: DataFrame,
    reading: Reading,
    plan: TrainingPlan,
    sizes: ClassSizes,
    terms: list[str],
    doc_freq: Ints,
    most_values: int,
    *,
    keep_stats: bool = False,
) -> Fitted:
    """Train the classifier on the selected terms; `doc_freq` has their document frequencies."""
    idf, n_values = plan.idf_of(doc_freq, sizes.n_documents), int(doc_freq.sum())
    chosen = ChosenTerms(reading, terms, idf, plan.scheme, plan.dtype, list(sizes.classes))
    if plan.learns_from_stats:
        stats, seen = class_sums(documents, chosen, sizes)
        seen.require(sizes, n_values)
        statistics = Statistics(ClassSums(stats), seen.without, sizes.n_documents, sizes.n_unlabelled)
        fitted = plan.fit_statistics(statistics, sizes, idf)
        return fitted if keep_stats else fitted._replace(statistics=None)
    classifier = plan.classifier
    if plan.traits.statistics == "votes" and plan.class_weight is None:
        votes, seen = votes_of(documents, chosen, sizes, classifier.factors(sizes.class_docs))
        seen.require(sizes, n_values)
        scorer = LinearScorer(votes, np.zeros(votes.shape[1]))
        return Fitted(scorer, idf, class_of_unknown(sizes.class_docs, seen.without))
    require_room(n_values, most_values, classifier)
    counts, targets = counts_of(documents, chosen, sizes, n_values)
    seen = Seen(len(sizes.classes))
    seen.add(counts)
    seen.require(sizes, n_values)
    return plan.fit_counts(counts, targets)


def require_sums(plan: TrainingPlan) -> None:
    """Raise `InputError` if `keep_stats` asks for statistics that never come to the driver."""
    if way_to_learn(plan) is ClassVotes:
        raise InputError(
            "with Spark the weights that TCFP learns from stay on the machines that have the documents",
            setting="keep_stats",
            value=True,
            hint="use nb, cnb or rocchio, or train on one machine",
        )


def require_room(n_values: int, most_values: int, classifier: Any) -> None:
    """Raise `InputError` if the driver would have to hold too many counts."""
    if n_values > most_values:
        raise InputError(
            f"{type(classifier).__name__} learns from the documents themselves, and these have {n_values:,} "
            f"counts of the chosen terms, about {8 * n_values >> 20:,} MB",
            hint=(
                f"the driver is to hold {most_values:,}. Use fewer terms (",
                Setting("n_terms"),
                "), a classifier that learns from sums (nb, cnb, rocchio, tcfp), a sample of the documents, or raise ",
                Setting("most_values"),
                " if the driver has the memory",
            ),
        )
