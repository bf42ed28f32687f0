"""The plan of a comparison: selectors x numbers of terms x classifiers, and the settings that all share.

"all" is a baseline without a selector, which uses all terms. It is measured once, not for each number of terms. Weights
and class weights of a classifier are options of its variant: `svm(tf=log,idf=plain)`. So are the weights that a
selector uses, `ocfs(tf=tf,idf=plain)`: a `Categorizer` always gives a selector its default weights, but a comparison
may vary them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from ..categorizer_settings import SETTINGS, Settings
from ..errors import InputError, shown
from ..registry import CLASSIFIERS, SELECTORS
from ..settings import is_whole, n_threads
from ..text.weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES
from ..training import check_settings
from ..training.plan import TrainingPlan
from .validate_options import try_classifier, try_selector
from .variants import Variant, split_list, variants_of
from .vectors import Form, settled, training_plan_of

Size = int | float | str
"""A number of terms, a share of all, or "all"."""

ALL = "all"
OF_THE_CATEGORIZER = ("tf", "idf", "norm", "class_weight")
"""Options of a classifier's variant besides the classifier's own."""
WEIGHTS: dict[str, Collection[str]] = {"tf": TERM_FREQUENCIES, "idf": INVERSE_FREQUENCIES, "norm": NORMS}
"""Options of a selector's variant besides the selector's own, and their possible values."""
_NOT_SHARED = frozenset(
    (
        "selector",
        "selector_options",
        "n_terms",
        "classifier",
        "classifier_options",
        "probabilities",
        "held_out",
        "folds",
        "keep_stats",
    )
)

_NO_SELECTOR, _USUAL_CLASSIFIER = Variant(ALL, None), Variant("svm", "svm")


class Condition(NamedTuple):
    """One combination of selector, number of terms and classifier."""

    selector: Variant
    n_terms: Size
    classifier: Variant

    @property
    def key(self) -> tuple[str, Size, str]:
        """Return the key of the condition in rows."""
        return self.selector.name, self.n_terms, self.classifier.name


@dataclass(frozen=True)
class Plan:
    """All combinations to measure."""

    selectors: tuple[Variant, ...]
    sizes: tuple[Size, ...]
    classifiers: tuple[Variant, ...]
    settings: Mapping[str, Any]
    """The settings of a `Categorizer` that all conditions share."""
    n_jobs: int | None

    @classmethod
    def of(
        cls,
        selectors: Any,
        n_terms: Any,
        classifiers: Any,
        settings: Mapping[str, Any],
        n_jobs: int | None = -1,
        *,
        own: Collection[str] = ("selectors", "n_terms", "classifiers", "n_jobs"),
    ) -> Plan:
        """Return the plan of a comparison; raise `InputError` for settings that are invalid for any documents.

        `own` are the settings of the caller besides those of a `Categorizer`; an error lists them first.
        """
        _check_names(settings, own)
        plan = cls(
            tuple(map(_or_none, variants_of("selector", selectors, [*SELECTORS, ALL]))),
            sizes_of(n_terms),
            variants_of("classifier", classifiers, CLASSIFIERS),
            dict(settings),
            n_jobs,
        )
        check_settings(Settings(**plan.settings))
        for selector in plan.selectors:
            _check_weights(selector)
            try_selector(selector, plan.settings_of(Condition(selector, ALL, _USUAL_CLASSIFIER)))
        for classifier in plan.classifiers:
            try_classifier(classifier, plan.settings_of(Condition(_NO_SELECTOR, ALL, classifier)))
        return plan

    def sizes_for(self, selector: Variant) -> tuple[Size, ...]:
        """Return the numbers of terms to try with a selector."""
        return (ALL,) if selector.setting is None else self.sizes

    def conditions(self) -> Iterator[Condition]:
        """Yield all conditions, grouped by selector and then by number of terms."""
        for selector in self.selectors:
            for size in self.sizes_for(selector):
                for classifier in self.classifiers:
                    yield Condition(selector, size, classifier)

    def settings_of(self, condition: Condition) -> Settings:
        """Return the settings of the `Categorizer` that corresponds to a condition."""
        selector, n_terms, classifier = condition
        own = {name: value for name, value in classifier.options.items() if name in OF_THE_CATEGORIZER}
        settings = {
            "selector": selector.setting,
            "selector_options": _without(selector.options, WEIGHTS) or None,
            "n_terms": n_terms,
            "classifier": classifier.setting,
            "classifier_options": _without(classifier.options, own) or None,
            "n_jobs": self.n_jobs,
        }
        return Settings(**{**self.settings, **own, **settings})

    def training_plan_of(self, condition: Condition, form: Form = "texts") -> TrainingPlan:
        """Return the training for a condition, with the weights that the selector's variant requests."""
        training = training_plan_of(settled(self.settings_of(condition), form), form, n_threads(self.n_jobs))
        weights = {name: value for name, value in condition.selector.options.items() if name in WEIGHTS}
        return replace(training, selection=training.selection._replace(**weights)) if weights else training

    def shared_settings(self) -> dict[str, Any]:
        """Return all settings that are the same for all conditions."""
        return {name: value for name, value in Settings(**self.settings).as_dict().items() if _is_shared(name)}


def _without(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


def sizes_of(given: Any) -> tuple[Size, ...]:
    """Return the distinct numbers of terms in a setting, in their order."""
    if isinstance(given, str):
        given = [_number(part) for part in split_list(given)]
    elif is_whole(given) or isinstance(given, float) or not isinstance(given, Iterable):
        given = [given]
    sizes = tuple(dict.fromkeys(_checked_size(size) for size in given))
    if not sizes:
        raise InputError("n_terms: none are given; use numbers of terms, shares of all, or 'all'.")
    return sizes


def _number(text: str) -> Any:
    """Parse an integer, also as 1e3 (but 1.0 is a share), or a float; return other text unchanged."""
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        return int(number) if number > 1 and float(number).is_integer() else number
    return text


def _checked_size(size: Any) -> Size:
    if isinstance(size, str) and size == ALL:
        return ALL
    if is_whole(size) and size >= 1:
        return int(size)
    if isinstance(size, float | np.floating) and 0.0 < size <= 1.0:
        return ALL if size == 1.0 else float(size)  # 1.0 equals 1, which is a single term
    raise InputError(
        f"n_terms={shown(size)}; use numbers of terms from 1, shares above 0.0 and up to 1.0, or 'all', such as "
        "10,100,1000."
    )


def _or_none(selector: Variant) -> Variant:
    """Return the variant without a selector if all terms are requested, else the selector itself."""
    if selector.setting != ALL:
        return selector
    if selector.options:
        raise InputError(f"selectors: {selector.name}: 'all' chooses nothing, and has no options; leave them out.")
    return _NO_SELECTOR


def _check_weights(selector: Variant) -> None:
    for name, value in selector.options.items():
        if name in WEIGHTS and value not in WEIGHTS[name]:
            raise InputError(
                f"selectors: {selector.name}: {name}={shown(value)}; use one of {', '.join(map(repr, WEIGHTS[name]))}."
            )


def _is_shared(name: str) -> bool:
    return name not in _NOT_SHARED and name != "n_jobs"


def _check_names(settings: Mapping[str, Any], own: Collection[str]) -> None:
    possible = [name for name in SETTINGS if _is_shared(name)]
    for name in settings:
        if name not in possible:
            known = [*own, *possible]
            close = get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]}?" if close else "."
            raise InputError(
                f"{name}={shown(settings[name])}: compare has no such setting{hint} It has {', '.join(known)}."
            )
