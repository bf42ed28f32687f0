"""The last step: a classifier from the documents, of which only the chosen terms are looked at now.

There are three ways, by what the classifier needs of the documents:

- *Naive Bayes and Rocchio* need the sums of the weights in each class (`classsums.py`).
- *TCFP without context* needs, term by term, the weights that the term has in each class (`votes.py`).
- *All others* need the documents. Their counts of the chosen terms come to the driver (`counts.py`), if they are not
  too many; how many there are is known before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..classifiers.linear import LinearScorer
from ..classifiers.tcfp import TCFP
from ..errors import InputError
from ..stats.sums import Ints
from ..training.recipe import Fitted, Recipe
from ..training.statistics import Statistics, Sums, Votes, way_to_learn
from ..training.targets import Sizes
from ..training.unknown import class_of_unknown
from .chosen import ChosenTerms, Seen
from .classsums import class_sums
from .counting import Reading
from .counts import counts_of
from .votes import votes_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_VALUES = 1 << 27
"""Counts that are brought to the driver, unless told otherwise: a gigabyte."""


def learned(
    documents: DataFrame,
    reading: Reading,
    recipe: Recipe,
    sizes: Sizes,
    terms: list[str],
    doc_freq: Ints,
    most_values: int,
    *,
    keep_stats: bool = False,
) -> Fitted:
    """Train the classifier on the chosen terms, given in how many documents each is."""
    idf, n_values = recipe.idf_of(doc_freq, sizes.n_documents), int(doc_freq.sum())
    chosen = ChosenTerms(reading, terms, idf, recipe.scheme, recipe.dtype, list(sizes.classes))
    if recipe.learns_from_stats:
        stats, seen = class_sums(documents, chosen, sizes)
        seen.require(sizes, n_values)
        kept = Statistics(Sums(stats), seen.without, sizes.n_documents, sizes.n_unlabelled)
        fitted = recipe.fit_statistics(kept, sizes, idf)
        return fitted if keep_stats else fitted._replace(statistics=None)
    classifier = recipe.classifier
    if isinstance(classifier, TCFP) and classifier.context is None and recipe.class_weight is None:
        votes, seen = votes_of(documents, chosen, sizes, classifier.factors(sizes.class_docs))
        seen.require(sizes, n_values)
        scorer = LinearScorer(votes, np.zeros(votes.shape[1]))
        return Fitted(scorer, idf, class_of_unknown(sizes.class_docs, seen.without))
    require_room(n_values, most_values, classifier)
    counts, targets = counts_of(documents, chosen, sizes)
    seen = Seen(len(sizes.classes))
    seen.add(counts)
    seen.require(sizes, n_values)
    return recipe.fit_counts(counts, targets)


def require_sums(recipe: Recipe) -> None:
    """Refuse to keep statistics that never come to the driver."""
    if way_to_learn(recipe) is Votes:
        raise InputError(
            "keep_stats=True: with Spark the weights that TCFP learns from stay on the machines that have the "
            "documents; use nb, cnb or rocchio, or train on one machine."
        )


def require_room(n_values: int, most_values: int, classifier: Any) -> None:
    """Refuse to bring more to the driver than it is to hold."""
    if n_values > most_values:
        raise InputError(
            f"{type(classifier).__name__} learns from the documents themselves, and these have {n_values:,} counts of "
            f"the chosen terms, about {8 * n_values >> 20:,} MB; the driver is to hold {most_values:,}. Use fewer "
            "terms (n_terms=), a classifier that learns from sums (nb, cnb, rocchio, tcfp), a sample of the documents "
            "(df.sample), or raise most_values if the driver has the memory."
        )
