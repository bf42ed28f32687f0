"""The plan of a comparison: selectors x numbers of terms x classifiers, and the settings that all share.

The selector "all" is a baseline, which uses all terms without selection. It is measured once, not for each number of
terms.

A classifier and a selector may each have their own term weighting (tf, idf, norm), which is written as options of the
variant: `svm(tf=log,idf=plain)`, `ocfs(tf=tf,idf=plain)`. So are the class weights of a classifier. A `Categorizer` has
settings for those of the classifier, but not for the weighting of the selector, which always has its default there.

Documents may be vectors of weights (`compared_documents.py`). These are used unchanged, unless a variant requests
another weighting: `svm(norm=l2)`. There is one exception: Rocchio compares by cosine, so vectors are scaled to length 1
for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from ..categorizer_settings import SETTINGS, Settings, is_auto
from ..classifiers.rocchio import Rocchio
from ..errors import InputError, Setting, shown
from ..presentation import PRESENTATION
from ..registry import CLASSIFIERS, SELECTORS
from ..settings import is_whole, n_threads
from ..text.choices import COUNTS
from ..text.weighter import LOGARITHMS
from ..text.weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES
from ..training import check_settings
from ..training.plan import TrainingPlan, own_k
from .compared_documents import COMPARISON_DEFAULTS, Form
from .variants import Variant, naming_variant, split_list, try_classifier, try_selector, variants_of

Size = int | float | str
"""A number of terms, a share of all, or "all"."""

ALL = "all"
CATEGORIZER_OPTIONS = ("tf", "idf", "norm", "class_weight")
"""Settings of a `Categorizer` that are written as options of a classifier: "svm(C=10,tf=log)"."""
SELECTOR_WEIGHTS: dict[str, Collection[str]] = {"tf": TERM_FREQUENCIES, "idf": INVERSE_FREQUENCIES, "norm": NORMS}
"""The settings of a selector's term weighting, which are written as its options, and their allowed values."""
_NOT_SHARED = {
    # These differ between conditions:
    *("selector", "selector_options", "n_terms", "classifier", "classifier_options"),
    # These have no meaning in a comparison, or `compare` has its own:
    *("max_size", "tolerance", "coefficient_dtype", "probabilities", "held_out", "folds", "keep_stats", "n_jobs"),
    *PRESENTATION,
}
"""Settings of a `Categorizer` that can't be settings of a comparison."""

_NO_SELECTOR, _DEFAULT_CLASSIFIER = Variant(ALL, None), Variant("svm", "svm")


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
    """The selectors, numbers of terms and classifiers to combine, and the settings that all combinations share."""

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
        own_settings: Collection[str] = ("selectors", "n_terms", "classifiers", "n_jobs"),
    ) -> Plan:
        """Return the plan of a comparison; raise `InputError` for settings that are invalid for any documents.

        `own_settings` are the names of the caller's own settings. The error for an unknown name lists them before those
        of a `Categorizer`.
        """
        _check_names(settings, own_settings)
        # Where a comparison has a default of its own, "auto" means this default.
        given = {
            name: value for name, value in settings.items() if not (name in COMPARISON_DEFAULTS and is_auto(value))
        }
        plan = cls(
            tuple(map(_replace_all, variants_of("selector", selectors, [*SELECTORS, ALL]))),
            sizes_of(n_terms),
            variants_of("classifier", classifiers, CLASSIFIERS),
            COMPARISON_DEFAULTS | given,
            n_jobs,
        )
        check_settings(Settings(**plan.settings))
        # Most options are checked only when they are used, so each variant is fitted to a few documents.
        for selector in plan.selectors:
            _check_weights(selector)
            _refuse_own_k(selector)
            with naming_variant("selectors", selector):
                try_selector(plan.settings_of(Condition(selector, ALL, _DEFAULT_CLASSIFIER)))
        for classifier in plan.classifiers:
            with naming_variant("classifiers", classifier):
                try_classifier(plan.settings_of(Condition(_NO_SELECTOR, ALL, classifier)))
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
        """Return the settings of the `Categorizer` that corresponds to a condition.

        A `Categorizer` has no setting for the term weighting of the selector, so those options are left out here;
        `training_plan_of` applies them.
        """
        selector, n_terms, classifier = condition
        # Some options of a classifier, such as tf, are settings of a `Categorizer`, and replace the shared settings.
        categorizer_options = {name: value for name, value in classifier.options.items() if name in CATEGORIZER_OPTIONS}
        settings = {
            "selector": selector.setting,
            "selector_options": _without(selector.options, SELECTOR_WEIGHTS) or None,
            "n_terms": n_terms,
            "classifier": classifier.setting,
            "classifier_options": _without(classifier.options, categorizer_options) or None,
            "n_jobs": self.n_jobs,
        }
        return Settings(**{**self.settings, **categorizer_options, **settings})

    def training_plan_of(self, condition: Condition, form: Form = "texts") -> TrainingPlan:
        """Return the training plan of a condition, with the term weighting that the options of its selector request."""
        settings = settings_for_form(self.settings_of(condition), form)
        training = TrainingPlan.of(settings, n_threads(self.n_jobs))
        # `COUNTS` leaves numbers as they are; selectors, too, use given weights unchanged.
        scheme = COUNTS if form == "weights" else training.selection_scheme
        requested = {name: value for name, value in condition.selector.options.items() if name in SELECTOR_WEIGHTS}
        return replace(training, selection_scheme=scheme._replace(**requested))

    def shared_settings(self) -> dict[str, Any]:
        """Return the settings that all conditions share, unless an option of a classifier replaces one of them."""
        return {name: value for name, value in Settings(**self.settings).as_dict().items() if _is_shared(name)}


def _without(options: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the options except those with these names."""
    return {name: value for name, value in options.items() if name not in names}


def sizes_of(given: Any) -> tuple[Size, ...]:
    """Return the distinct numbers of terms in the setting `n_terms`, in the given order.

    The setting is text with commas, a single number of terms, or an iterable of them.
    """
    if isinstance(given, str):
        given = [_parse_size(part) for part in split_list(given)]
    elif not isinstance(given, Iterable):
        given = [given]
    sizes = tuple(dict.fromkeys(_check_size(size) for size in given))
    if not sizes:
        raise InputError("none are given", setting="n_terms", hint="use numbers of terms, shares of all, or 'all'")
    return sizes


def size_text(size: Size) -> str:
    """Return a number of terms as text, as it was requested."""
    return f"{size:,}" if isinstance(size, int) else f"{size:g}" if isinstance(size, float) else size


def _parse_size(text: str) -> Any:
    """Parse an integer, which may be written as 1e3, or a share such as 0.5 or 1.0; return other text unchanged."""
    for number_type in (int, float):
        try:
            number = number_type(text)
        except ValueError:
            continue
        # 1e3 is an integer, but 1.0 is a share: all terms.
        return int(number) if number > 1 and float(number).is_integer() else number
    return text


def _check_size(size: Any) -> Size:
    """Return a valid number of terms as a plain int, float or "all"; raise `InputError` for any other value."""
    if isinstance(size, str) and size == ALL:
        return ALL
    if is_whole(size) and size >= 1:
        return int(size)
    if isinstance(size, float | np.floating) and 0.0 < size <= 1.0:
        # A share of 1.0 becomes "all". As a key, it would be equal to 1, which means a single term.
        return ALL if size == 1.0 else float(size)
    raise InputError(
        setting="n_terms",
        value=size,
        hint="use numbers of terms from 1, shares above 0.0 and up to 1.0, or 'all', such as 10,100,1000",
    )


def _replace_all(selector: Variant) -> Variant:
    """Return the baseline without a selector in place of the selector "all", and other selectors unchanged."""
    if selector.setting != ALL:
        return selector
    if selector.options:
        raise InputError(
            f"{selector.name}: 'all' selects nothing, and has no options", setting="selectors", hint="leave them out"
        )
    return _NO_SELECTOR


def _check_weights(selector: Variant) -> None:
    """Raise `InputError` if the term weighting in a selector's options, such as `idf=plain`, does not exist."""
    for name, value in selector.options.items():
        if name in SELECTOR_WEIGHTS and value not in SELECTOR_WEIGHTS[name]:
            raise InputError(
                f"{selector.name}: {name}={shown(value)}", setting="selectors", allowed=SELECTOR_WEIGHTS[name]
            )


def _refuse_own_k(selector: Variant) -> None:
    """Raise `InputError` if a selector given as an object has its own number of terms, which would be ignored."""
    k = own_k(selector.setting)
    if k is not None:
        raise InputError(
            (f"{selector.name}: ", Setting("k", k), " would be ignored"),
            setting="selectors",
            hint=("leave it out, and use ", Setting("n_terms"), " instead"),
        )


def _is_shared(name: str) -> bool:
    """Return whether a setting of a `Categorizer` has one value for all conditions."""
    return name not in _NOT_SHARED


def _check_names(settings: Mapping[str, Any], own_settings: Collection[str]) -> None:
    """Raise `InputError` for a setting that `compare` does not have."""
    possible = [name for name in SETTINGS if _is_shared(name)]
    for name in settings:
        if name not in possible:
            known = [*own_settings, *possible]
            close = get_close_matches(name, known, n=1)
            problem = "compare has no such setting" + (f"; did you mean {close[0]}?" if close else ".")
            raise InputError(f"{problem} It has {', '.join(known)}.", setting=name, value=settings[name])


# -- vectors -----------------------------------------------------------------------------------------------------


def settings_for_form(settings: Settings, form: Form) -> Settings:
    """Return the settings of a `Categorizer` for documents of this form: texts, vectors of counts, or of weights.

    Given weights stay unchanged unless another weighting is requested, except that Rocchio needs vectors of length 1.
    """
    if form != "weights":
        return settings
    compares_by_cosine = settings.classifier == "rocchio" or isinstance(settings.classifier, Rocchio)
    # The weighting `COUNTS` leaves all numbers as they are.
    defaults = COUNTS._replace(norm="l2" if compares_by_cosine else "none")._asdict()
    not_requested = {name: value for name, value in defaults.items() if getattr(settings, name) is None}
    return replace(settings, **not_requested)


def require_logarithms(values: csr_matrix, tf: str, variant: str, setting: str) -> None:
    """Raise `InputError` if the term frequency `tf` takes logarithms of values for which they are undefined.

    `variant` is the name of the selector or classifier with this weighting, and `setting` the setting that requests
    it, for the message.
    """
    if tf not in LOGARITHMS:
        return
    smallest = float(values.data.min())
    if smallest < 0 or (tf == "loglog" and smallest < 1):  # loglog takes the logarithm of a logarithm
        raise InputError(
            f"{variant}: {tf} takes logarithms, and the least value of the vectors is {smallest:g}",
            setting=setting,
            hint="use tf=tf or tf=binary, or leave it out",
        )
