"""The table of classifiers by name, with their options and term weighting.

All their scores are sums over the terms of a document. An SVM, logistic regression, Rocchio's cosine with unit
documents, naive Bayes' log-probability and TCFP without context are linear: a coefficient for each term and class, and
an intercept. So a model stores any of them only as a `LinearScorer`: it is small, fast, safe to store, and gives the
exact contribution of each term to a score. The other classifiers have their own scorers (`to_scorer`), which give the
contribution of each term, too.

A classifier's module is only imported when the classifier is requested, so that listing the names costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ..errors import InputError, shown
from ..settings import require_options
from ..text.schemes import LTC, SMOOTH, Scheme


class Named(NamedTuple):
    """A classifier that can be requested by name."""

    name: str
    module: str
    class_name: str
    options: Mapping[str, Any]
    scheme: Scheme
    about: str

    @property
    def make(self) -> type[Any]:
        """Return the class of the classifier."""
        loaded: type[Any] = getattr(import_module(self.module), self.class_name)
        return loaded


_SCHEME_OF_SVM = Scheme("loglog", "smooth", "l2")

# The weighting and options of svm, nb, cnb and rocchio were the best overall in cross-validation on four corpora, with
# folds of neighbouring documents, at 1,000 and 10,000 terms; those of svm at fewer terms, too: see docs/defaults.md.
# logistic uses the weighting of svm, and the voting classifiers (tcfp, knnfp, knn) use that of their paper. subspace
# uses the weighting of svm and a larger C, because its members have shorter rows.
_ROWS = (
    Named("svm", "textsieve.classifiers.svm", "LinearSVM", {}, _SCHEME_OF_SVM, "linear support vector machine"),
    Named(
        *("logistic", "sklearn.linear_model", "LogisticRegression", {"C": 10.0, "max_iter": 1000}, _SCHEME_OF_SVM),
        about="logistic regression",
    ),
    Named("nb", "sklearn.naive_bayes", "MultinomialNB", {"alpha": 0.01}, SMOOTH, "multinomial naive Bayes"),
    Named(
        *("cnb", "sklearn.naive_bayes", "ComplementNB", {"alpha": 0.1}, Scheme("log", "none", "l2")),
        about="complement naive Bayes, for classes of uneven size",
    ),
    Named(
        *("rocchio", "textsieve.classifiers.rocchio", "Rocchio", {}, Scheme("binary", "plain", "l2")),
        about="cosine with class prototypes (Rocchio); learns from one pass",
    ),
    Named(
        *("tcfp", "textsieve.classifiers.tcfp", "TCFP", {}, LTC),
        about="votes of the terms (text categorization by feature projections)",
    ),
    Named("knnfp", "textsieve.classifiers.knnfp", "KNNFP", {}, LTC, "nearest weights of each term"),
    Named("knn", "textsieve.classifiers.neighbours", "CosineKNN", {}, LTC, "nearest documents by the cosine"),
    Named(
        *("subspace", "textsieve.ensembles.subspace", "RandomSubspace"),
        *({"combine": "mean", "C": 1.0, "n_estimators": 30}, _SCHEME_OF_SVM),
        about="linear SVMs on random parts of the terms: the mean of their scores, or their votes",
    ),
)

CLASSIFIERS = {row.name: row for row in _ROWS}


def classifier_of(setting: Any, options: Mapping[str, Any] | None) -> Any:
    """Return the classifier of a setting: a new one for a name and options, or the given estimator unchanged."""
    if isinstance(setting, str) and setting in CLASSIFIERS:
        row = CLASSIFIERS[setting]
        classifier = row.make()
        merged = {**row.options, **(options or {})}
        if "class_weight" in merged:  # as an option, it would need class numbers
            raise InputError(
                f"classifier_options: class_weight={shown(merged['class_weight'])} is a setting of its own; use "
                "class_weight= instead."
            )
        require_options("classifier", setting, sorted(merged), set(classifier.get_params()) - {"class_weight"})
        return classifier.set_params(**merged)
    if isinstance(setting, str | type) or not (hasattr(setting, "fit") and hasattr(setting, "get_params")):
        raise InputError(
            f"classifier={shown(setting)}; use one of {', '.join(CLASSIFIERS)}, or a linear classifier such as "
            "LinearSVC()."
        )
    if options:
        raise InputError("classifier_options are for a classifier given by name; set them on the classifier itself.")
    return setting


def scheme_for(classifier: Any) -> Scheme:
    """Return the default term weighting of a classifier."""
    return next((row.scheme for row in _ROWS if type(classifier) is row.make), SMOOTH)
