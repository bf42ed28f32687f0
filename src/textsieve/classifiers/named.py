"""The classifiers by name, one row each, and what they have in common: a score is a sum over the terms.

An SVM, logistic regression, Rocchio's cosine with unit documents, naive Bayes' log-probability and TCFP without context
are all linear: a coefficient for each term and class, and an intercept. So a trained classifier is kept in that form
alone (`LinearScorer`), whatever it was: small, quick, safe to store, and each term's part of a score is known exactly.
The others have a scorer of their own (`to_scorer`), in which each term's part is known too.

A classifier's module is loaded only when it is asked for, so that the names alone cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from ..errors import InputError, shown
from ..settings import require_options
from ..text.schemes import LTC, SMOOTH, Scheme


class Named(NamedTuple):
    """A classifier that can be asked for by name."""

    name: str
    module: str
    class_name: str
    options: Mapping[str, Any]
    scheme: Scheme
    about: str

    @property
    def make(self) -> type[Any]:
        """The class of the classifier."""
        loaded: type[Any] = getattr(import_module(self.module), self.class_name)
        return loaded


_SCHEME_OF_SVM = Scheme("loglog", "smooth", "l2")

# The weights and options of svm, nb, cnb and rocchio are those that were best, all in all, in cross-validation on four
# corpora, folds of neighbouring documents, at 1,000 and 10,000 terms; those of svm at fewer terms, too: see
# docs/defaults.md. logistic has the weights of svm, and those that vote have what their paper uses. subspace has the
# weights of svm, and a larger C, since rows of its members are shorter.
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
    """The classifier that a setting stands for: a name, with options, or an estimator, which is left as it is."""
    if isinstance(setting, str) and setting in CLASSIFIERS:
        row = CLASSIFIERS[setting]
        made = row.make()
        chosen = {**row.options, **(options or {})}
        if "class_weight" in chosen:  # there classes would have to be given as numbers
            raise InputError(
                f"classifier_options: class_weight={shown(chosen['class_weight'])} is a setting of its own; use "
                "class_weight= instead."
            )
        require_options("classifier", setting, sorted(chosen), set(made.get_params()) - {"class_weight"})
        return made.set_params(**chosen)
    if isinstance(setting, str | type) or not (hasattr(setting, "fit") and hasattr(setting, "get_params")):
        raise InputError(
            f"classifier={shown(setting)}; use one of {', '.join(CLASSIFIERS)}, or a linear classifier such as "
            "LinearSVC()."
        )
    if options:
        raise InputError("classifier_options are for a classifier given by name; set them on the classifier itself.")
    return setting


def scheme_for(classifier: Any) -> Scheme:
    """The weights that a classifier is given unless others are asked for."""
    return next((row.scheme for row in _ROWS if type(classifier) is row.make), SMOOTH)
