"""Run a few documents first, so that loading or compiling kernels is not measured.

Otherwise the times of the first condition would include it. Results are discarded; errors will occur again when
measuring. Some kernels are used only for large problems and are not reached.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from ..evaluation import folds
from .documents import ComparisonDocuments
from .folds import Fold
from .measuring import measure
from .plan import Condition, Plan

MOST_DOCUMENTS = 400


def rehearse(plan: Plan, documents: ComparisonDocuments) -> None:
    """Measure each selector and each classifier once on a few documents."""
    few = Fold(0, _a_few(documents))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for condition in rehearsed(plan):
            with suppress(InputError):
                measure(few, condition, plan)


def rehearsed(plan: Plan) -> Iterator[Condition]:
    """Yield all selectors with one classifier, and all classifiers with one selector, for its first and last size."""
    for selector in plan.selectors:
        yield Condition(selector, plan.sizes_for(selector)[0], plan.classifiers[0])
    first = plan.selectors[0]
    for size in dict.fromkeys((plan.sizes_for(first)[0], plan.sizes_for(first)[-1])):
        for classifier in plan.classifiers:
            yield Condition(first, size, classifier)


def _a_few(documents: ComparisonDocuments) -> ComparisonDocuments:
    """Return some documents of the first fold: every n-th document across the classes, and the first of each class."""
    is_train, is_test, counted = documents.trained[0], documents.tested[0], documents.counted
    first = counted.targets.first
    own = [_spread(np.flatnonzero(mask), first) for mask in (is_train, is_test)]
    places = np.sort(np.concatenate(own))
    parts = documents.parts._replace(trained=(is_train[places],), tested=(is_test[places],))
    return replace(documents, counted=counted.take(places), parts=parts)


def _spread(places: Ints, classes: Ints) -> Ints:
    own = classes[places]
    step = max(-(-2 * len(places) // MOST_DOCUMENTS), 1)
    firsts = np.unique(own, return_index=True)[1]
    return np.union1d(places[folds(own.tolist(), step) == 0], places[firsts])
