"""A few documents first, with the clock out of sight: the first use of a compiled loop loads it, or even compiles it.

Otherwise whoever is measured first would pay for all. What comes out is forgotten, and what goes wrong will be told
when it is measured. Some loops are for large problems alone, and are not reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..evaluation import folds
from .documents import Documents
from .folds import Fold
from .measuring import measure
from .plan import Condition, Plan

Ints = NDArray[np.int64]

MOST_DOCUMENTS = 400


def rehearse(plan: Plan, documents: Documents) -> None:
    """Go once through each selector and each classifier."""
    few = Fold(0, _a_few(documents))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for condition in rehearsed(plan):
            with suppress(InputError):
                measure(few, condition, plan)


def rehearsed(plan: Plan) -> Iterator[Condition]:
    """All selectors with one classifier, and all classifiers with one selector, for the first and the last size."""
    for selector in plan.selectors:
        yield Condition(selector, plan.sizes_for(selector)[0], plan.classifiers[0])
    first = plan.selectors[0]
    for size in dict.fromkeys((plan.sizes_for(first)[0], plan.sizes_for(first)[-1])):
        for classifier in plan.classifiers:
            yield Condition(first, size, classifier)


def _a_few(documents: Documents) -> Documents:
    """Some of the documents of the first fold: every n-th along all classes, and the first of each."""
    is_train, is_test, counted = documents.trained[0], documents.tested[0], documents.counted
    first = counted.targets.first
    own = [_spread(np.flatnonzero(each), first) for each in (is_train, is_test)]
    kept = np.sort(np.concatenate(own))
    parts = documents.parts._replace(trained=(is_train[kept],), tested=(is_test[kept],))
    return replace(documents, counted=counted.take(kept), parts=parts)


def _spread(places: Ints, classes: Ints) -> Ints:
    own = classes[places]
    step = max(-(-2 * len(places) // MOST_DOCUMENTS), 1)
    firsts = np.unique(own, return_index=True)[1]
    return np.union1d(places[folds(own.tolist(), step) == 0], places[firsts])
