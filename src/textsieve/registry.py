"""The registry of methods: selectors, projections, classifiers and reducers by name, and what each of them can do.

A row (`Entry`) names the module and the class of a method. The module is imported only when the method is used, so the
help of the command line lists all methods without importing any. A row also has the method's term weighting and, for
classifiers, the `Traits` on which training depends. Classifiers are looked up by their class, so a `Rocchio()` that a
user creates has the traits of "rocchio". For an estimator of another package, `foreign_traits` derives them from its
methods and parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from inspect import signature
from typing import Any, Literal, NamedTuple

from .errors import InputError, Setting, shown
from .text.choices import COUNTS, LTC, SMOOTH, Scheme


class When(NamedTuple):
    """A condition on an estimator: one of its settings has a certain value, such as context=None for TCFP."""

    setting: str
    value: Any

    def holds(self, estimator: Any) -> bool:
        """Return whether the setting of the estimator has this value."""
        return bool(getattr(estimator, self.setting) == self.value)


@dataclass(frozen=True)
class Traits:
    """The properties of a classifier on which training depends."""

    has_own_scorer: bool = False
    """Its `to_scorer` returns its own kind of `Scorer`.

    Classifiers without it are stored as a coefficient for each term and class.
    """
    needs_term_weights: bool = False
    """It learns from the weights of single terms, so it can't be trained on a projection of them."""
    takes_class_weight: bool = False
    takes_sample_weight: bool = False
    uses_threads: bool = False
    """It has a parameter `n_jobs`, which training sets."""
    norm: str | None = None
    """The only norm of documents with which it works, or None if any norm is possible."""
    statistics: Literal["sums", "votes"] | None = None
    """The kind of statistics if it learns from these alone, so that documents can be added later: sums of weights by
    class (`ClassStats`), or a table of the weights of each term (`VoteTable`). None: it learns from the documents."""
    border_at_zero: bool = True
    """A positive score speaks for a class and a negative one against it, so 0 is a threshold that needs no tuning."""
    statistics_when: When | None = None
    """If given, `statistics` applies only under this condition."""
    border_at_zero_when: When | None = None
    """If given, `border_at_zero` is true under this condition, and false otherwise."""

    def of(self, estimator: Any) -> Traits:
        """Return the traits of an estimator, with the conditions applied to its settings."""
        traits = self
        if self.statistics_when is not None and not self.statistics_when.holds(estimator):
            traits = replace(traits, statistics=None)
        if self.border_at_zero_when is not None:
            traits = replace(traits, border_at_zero=self.border_at_zero_when.holds(estimator))
        return traits


@dataclass(frozen=True)
class Entry:
    """A method that can be given by name."""

    name: str
    module: str
    class_name: str
    about: str
    """A description; the help of the command line shows it up to the first semicolon."""
    scheme: Scheme = COUNTS
    """How counts are weighted for the method."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the estimator that differ from its own defaults."""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the estimator that make it this method, so that users can't change them."""
    traits: Traits = Traits()
    title: str = ""
    """The name of a selector or classifier in words, for reports; the name above is for options and code."""
    other_names: tuple[str, ...] = ()
    """Names by which other packages and papers call the method, in lowercase, for the hint in an error message."""

    @property
    def estimator_class(self) -> type[Any]:
        """Return the class of the estimator."""
        loaded: type[Any] = getattr(import_module(self.module), self.class_name)
        return loaded

    def make(self) -> Any:
        """Return a new estimator with the options and fixed settings of this method."""
        return self.estimator_class(**self.options, **self.fixed)

    def is_class(self, other: type) -> bool:
        """Return whether `other` is the class of this method's estimator, without importing it."""
        module = sys.modules.get(self.module)  # if it is not loaded, nobody can have its class: None is returned
        return module is not None and getattr(module, self.class_name, None) is other


@dataclass(frozen=True, eq=False)
class Registry(Mapping[str, Entry]):
    """All methods of a kind, such as selectors, by name."""

    kind: str
    rows: tuple[Entry, ...]
    default_scheme: Scheme = COUNTS
    """How counts are weighted for methods that are not registered."""
    reserved: Mapping[str, str | None] = field(default_factory=dict)
    """Settings of the estimators that can't be given as options, and the setting of a `Categorizer` to use instead, if
    there is one."""

    def __getitem__(self, name: str) -> Entry:
        """Return the method of this name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return (row.name for row in self.rows)

    def __len__(self) -> int:
        """Return the number of methods."""
        return len(self.rows)

    def entry_of(self, estimator: Any, *, or_parent: bool = False) -> Entry | None:
        """Return the row for the class of an estimator, or None; with `or_parent`, also that of a parent class."""
        classes = type(estimator).__mro__ if or_parent else (type(estimator),)
        return next((row for class_ in classes for row in self.rows if row.is_class(class_)), None)

    def scheme_of(self, estimator: Any) -> Scheme:
        """Return how counts are weighted for an estimator."""
        entry = self.entry_of(estimator)
        return self.default_scheme if entry is None else entry.scheme

    def make(self, name: str, options: Mapping[str, Any] | None) -> Any:
        """Return a new estimator for the name of a method, with some options.

        Raises `InputError` for options that can't be given: reserved ones, those that the method fixes, and those that
        the estimator does not have.
        """
        row, options = self[name], dict(options or {})
        # A reserved option with no setting to use instead (None) is rejected below, like an unknown one.
        for option, setting in self.reserved.items():
            if option in options and setting is not None:
                raise InputError(
                    (Setting(option, options[option]), " is a setting of its own"),
                    setting=f"{self.kind}_options",
                    hint=("use ", Setting(setting), " instead"),
                )
        estimator = row.make()
        possible = set(estimator.get_params()) - {*self.reserved, *row.fixed}
        for option in sorted(options):
            if option not in possible:
                raise InputError(
                    f"{name!r} has no option {option!r}",
                    setting=f"{self.kind}_options",
                    hint=f"it has {', '.join(sorted(possible)) or 'none'}",
                )
        return estimator.set_params(**options)

    def title_of(self, name: str) -> str:
        """Return a method's name in words, with its options: "ig(pooling=max)" is "information gain (pooling=max)".

        A name that is not registered, such as that of a user's estimator, is returned unchanged.
        """
        method, parenthesis, options = name.partition("(")
        if method not in self or not self[method].title:
            return name
        title = self[method].title
        if not parenthesis:
            return title
        # `options` ends with ")". A title with parentheses of its own takes them inside: "... (TCFP; context=2)".
        return f"{title[:-1]}; {options}" if title.endswith(")") else f"{title} ({options}"

    def refuse_options(self, options: Mapping[str, Any] | None) -> None:
        """Raise `InputError` if options are given although the method is not given by name."""
        if options:
            raise InputError(
                (Setting(f"{self.kind}_options"), f" are for a {self.kind} given by name"),
                hint=f"set them on the {self.kind} itself",
            )

    def unknown(self, setting: Any, others: str) -> InputError:
        """Return the error for a setting that is not the name of a method; `others` says what else may be given."""
        guess = f"Did you mean {close!r}? Otherwise " if (close := self.closest(setting)) else ""
        return InputError(setting=self.kind, value=setting, hint=f"{guess}use one of {', '.join(self)}, {others}")

    def closest(self, name: Any) -> str | None:
        """Return the name of the method that a user most likely means, or None.

        A method is recognised by other common names, such as "chi2" and "ChiSquare" for "chi".
        """
        if not isinstance(name, str):
            return None
        written = "".join(character for character in name.casefold() if character.isalnum())
        names = {row.name: row.name for row in self.rows}
        names |= {other: row.name for row in self.rows for other in (row.class_name.casefold(), *row.other_names)}
        if written in names:
            return names[written]
        from difflib import get_close_matches

        close = get_close_matches(written, names, n=1, cutoff=0.66)
        return names[close[0]] if close else None


# -- selectors ---------------------------------------------------------------------------------------------------

_SVM_SCHEME = Scheme("loglog", "smooth", "l2")

SELECTORS = Registry(
    "selector",
    (
        Entry(
            *("forward", "textsieve.selectors.forward", "ForwardSelection"),
            "forward selection: one by one, by what a term adds to those before it; from 4,000 terms on it is ocfs",
            LTC,
            title="forward selection",
        ),
        Entry(
            *("weights", "textsieve.selectors.svm_weights", "WeightSelection"),
            "the weights of a linear SVM: how much it needs a term beside all others",
            _SVM_SCHEME,
            title="SVM weights",
        ),
        Entry(
            *("ocfs", "textsieve.selectors.trace", "OCFS"),
            "orthogonal-centroid feature selection: how far apart the class means are",
            LTC,
            title="orthogonal centroids (OCFS)",
        ),
        Entry(
            *("tofa", "textsieve.selectors.trace", "TOFA"),
            "trace-oriented feature analysis: OCFS, weighed against the variance; unlabelled documents count there",
            LTC,
            title="trace-oriented analysis (TOFA)",
        ),
        Entry(
            *("testors", "textsieve.selectors.testors.estimator", "TypicalTestors"),
            "typical testors: the terms of the minimal sets that distinguish a class from the others",
            LTC,
            title="typical testors",
        ),
        Entry(
            *("ig", "textsieve.selectors.information", "InformationGain", "information gain"),
            title="information gain",
            other_names=("infogain",),
        ),
        Entry(
            *("chi", "textsieve.selectors.chi", "ChiSquare", "chi-square"),
            title="chi-square",
            other_names=("chi2", "chisquared"),
        ),
        Entry(
            *("mi", "textsieve.selectors.information", "MutualInformation"),
            "pointwise mutual information; favours rare terms",
            title="mutual information",
        ),
        Entry(
            *("df", "textsieve.selectors.frequency", "DocumentFrequency"),
            "document frequency; does not look at the labels",
            title="document frequency",
        ),
    ),
    reserved={"k": "n_terms"},
)
"""The selectors, by name.

Those whose scores are computed from numbers of documents (ig, chi, mi, df) read counts. The others read weights by the
scheme `LTC`, but "weights", which trains an SVM, by that of the classifier svm.
"""


def selector_of(setting: Any, options: Mapping[str, Any] | None = None) -> Any:
    """Return the selector for a setting: a new one for a name and options, or the given `TermSelector` unchanged.

    None selects all terms, the most frequent first.
    """
    if setting is None:
        if options:
            raise InputError(
                f"there is no selector that {shown(options)} could be options of", setting="selector_options"
            )
        return SELECTORS["df"].estimator_class(k="all")
    if isinstance(setting, str) and setting in SELECTORS:
        return SELECTORS.make(setting, options)
    if not isinstance(setting, import_module("textsieve.selectors.base").TermSelector):
        raise SELECTORS.unknown(setting, "a selector such as OCFS(), or None")
    SELECTORS.refuse_options(options)
    return setting


def selection_scheme(selector: Any) -> Scheme:
    """Return how counts are weighted for a selector.

    A `Cascade` is a sequence of selectors, its stages, which all read the same: the weights of the first stage that
    reads weights, or counts if no stage reads weights.
    """
    stages = getattr(selector, "selectors", None)
    if stages is None:
        return SELECTORS.scheme_of(selector)
    return next((scheme for scheme in map(selection_scheme, stages) if scheme != COUNTS), COUNTS)


# -- projections -------------------------------------------------------------------------------------------------

_TRACE = "textsieve.projections.trace"
PROJECTIONS = Registry(
    "projection",
    (
        Entry("centroid", _TRACE, "OrthogonalCentroid", "the directions in which the class means lie apart"),
        Entry("margin", _TRACE, "MaximumMargin", "those in which they lie further apart than the documents of a class"),
        Entry("pca", _TRACE, "TraceProjection", "principal components, which ignore labels", fixed={"weight": 0.0}),
        Entry("trace", _TRACE, "TraceProjection", "between these, by the option weight"),
    ),
    reserved={"unlabelled": None},  # training itself finds out which documents are unlabelled
)


def projection_of(setting: Any, options: Mapping[str, Any] | None = None) -> Any:
    """Return the projection for a setting: a new one for a name and options, a given projection unchanged, or None."""
    if isinstance(setting, str) and setting in PROJECTIONS:
        return PROJECTIONS.make(setting, options)
    if setting is None and options:
        raise InputError(
            "no projection is asked for",
            setting="projection_options",
            hint=("name one with ", Setting("projection"), f", of {', '.join(PROJECTIONS)}"),
        )
    if not (setting is None or isinstance(setting, import_module(_TRACE).TraceProjection)):
        raise PROJECTIONS.unknown(setting, "a projection such as OrthogonalCentroid(), or None")
    PROJECTIONS.refuse_options(options)
    return setting


# -- classifiers -------------------------------------------------------------------------------------------------

_NAIVE_BAYES = Traits(
    needs_term_weights=True, takes_class_weight=True, takes_sample_weight=True, statistics="sums", border_at_zero=True
)
_VOTING = Traits(has_own_scorer=True, needs_term_weights=True, border_at_zero=False)

# The weighting and options of svm, nb, cnb and rocchio were the best overall on held-out training documents of seven
# corpora: see docs/research/defaults.md. logistic uses the weighting of svm, and the voting classifiers (tcfp, knnfp,
# knn) use that of their paper. subspace uses the weighting of svm, and a larger C than svm: its members are trained on
# few of the terms each, so that their rows are shorter vectors.
CLASSIFIERS = Registry(
    "classifier",
    (
        Entry(
            *("svm", "textsieve.classifiers.svm", "LinearSVM", "linear support vector machine"),
            _SVM_SCHEME,
            traits=Traits(takes_class_weight=True, takes_sample_weight=True, uses_threads=True),
            title="linear SVM",
        ),
        Entry(
            *("logistic", "sklearn.linear_model", "LogisticRegression", "logistic regression"),
            _SVM_SCHEME,
            {"C": 10.0, "max_iter": 1000},
            traits=Traits(takes_class_weight=True, takes_sample_weight=True),
            title="logistic regression",
        ),
        Entry(
            *("nb", "sklearn.naive_bayes", "MultinomialNB", "multinomial naive Bayes"),
            SMOOTH,
            {"alpha": 0.01},
            traits=_NAIVE_BAYES,
            title="multinomial naive Bayes",
        ),
        Entry(
            *("cnb", "sklearn.naive_bayes", "ComplementNB", "complement naive Bayes, for classes of uneven size"),
            Scheme("log", "none", "l2"),
            {"alpha": 0.1},
            traits=_NAIVE_BAYES,
            title="complement naive Bayes",
        ),
        Entry(
            *("rocchio", "textsieve.classifiers.rocchio", "Rocchio"),
            "cosine with class prototypes (Rocchio); learns from one pass",
            Scheme("binary", "plain", "l2"),
            traits=Traits(
                needs_term_weights=True, takes_sample_weight=True, norm="l2", statistics="sums", border_at_zero=False
            ),
            title="Rocchio",
        ),
        Entry(
            *("tcfp", "textsieve.classifiers.tcfp", "TCFP"),
            "votes of the terms (text categorization by feature projections)",
            LTC,
            traits=replace(_VOTING, statistics="votes", statistics_when=When("context", None)),
            title="feature projections (TCFP)",
        ),
        Entry(
            "knnfp",
            "textsieve.classifiers.knnfp",
            "KNNFP",
            "nearest weights of each term",
            LTC,
            traits=_VOTING,
            title="nearest weights (k-NNFP)",
        ),
        Entry(
            *("knn", "textsieve.classifiers.cosine_knn", "CosineKNN", "nearest documents by the cosine"),
            LTC,
            traits=_VOTING,
            title="nearest neighbours (kNN)",
        ),
        Entry(
            *("subspace", "textsieve.ensembles.subspace", "RandomSubspace"),
            "linear SVMs on random parts of the terms: the mean of their scores, or their votes",
            _SVM_SCHEME,
            {"combine": "mean", "C": 1.0, "n_estimators": 30},
            traits=replace(
                _VOTING,
                takes_class_weight=True,
                takes_sample_weight=True,
                uses_threads=True,
                border_at_zero_when=When("combine", "mean"),
            ),
            title="random subspaces",
        ),
    ),
    default_scheme=SMOOTH,
    reserved={"class_weight": "class_weight"},  # an option would need class numbers, not labels
)

CLASS_WEIGHT_RULES = ("balanced", "sqrt")
"""The rules that compute class weights from the class sizes; see `classifiers/class_weights.py`."""


def classifier_of(setting: Any, options: Mapping[str, Any] | None = None) -> Any:
    """Return the classifier for a setting: a new one for a name and options, or the given estimator unchanged."""
    if isinstance(setting, str) and setting in CLASSIFIERS:
        return CLASSIFIERS.make(setting, options)
    if isinstance(setting, str | type) or not (hasattr(setting, "fit") and hasattr(setting, "get_params")):
        raise CLASSIFIERS.unknown(setting, "or a linear classifier such as LinearSVC()")
    CLASSIFIERS.refuse_options(options)
    return setting


def list_classifiers(has_trait: Callable[[Traits], object], conjunction: str = "or") -> str:
    """Return the names of the classifiers with a trait, as hints list them: "svm, logistic or nb".

    `has_trait` gets the traits of a row. Traits that depend on the settings of an estimator (`statistics_when` and
    `border_at_zero_when`) are taken as the row has them, since there is no estimator.
    """
    *names, last = (name for name, row in CLASSIFIERS.items() if has_trait(row.traits))
    return f"{', '.join(names)} {conjunction} {last}" if names else last


def list_linear_classifiers() -> str:
    """Return the names of the classifiers that are stored as a coefficient for each term and class."""
    return list_classifiers(lambda traits: not traits.has_own_scorer)


def list_updatable_classifiers(conjunction: str = "or") -> str:
    """Return the names of the classifiers that learn from statistics, so that `update` can add documents to a model."""
    return list_classifiers(lambda traits: traits.statistics, conjunction)


def list_classifiers_with_class_weight() -> str:
    """Return the names of the classifiers that can weigh classes."""
    return list_classifiers(lambda traits: traits.takes_class_weight)


def list_classifiers_with_sample_weight() -> str:
    """Return the names of the classifiers that can weigh documents."""
    return list_classifiers(lambda traits: traits.takes_sample_weight)


def traits_of(classifier: Any) -> Traits:
    """Return the traits of a classifier: those of its row, or `foreign_traits` for an estimator of another package."""
    entry = CLASSIFIERS.entry_of(classifier, or_parent=True)
    return foreign_traits(classifier) if entry is None else entry.traits.of(classifier)


def foreign_traits(classifier: Any) -> Traits:
    """Return the traits of a classifier that is not registered.

    A classifier with a method `to_scorer` is assumed to score by votes: it needs the weights of single terms, and a
    score of 0 does not separate yes from no. Any other is assumed to be linear, like many classifiers of scikit-learn;
    training checks that it is (`linear_form`).
    """
    has_own_scorer = hasattr(classifier, "to_scorer")
    return Traits(
        has_own_scorer=has_own_scorer,
        needs_term_weights=has_own_scorer,
        takes_class_weight="class_weight" in classifier.get_params(),
        takes_sample_weight="sample_weight" in signature(classifier.fit).parameters,
        border_at_zero=not has_own_scorer,
    )


# -- reducers ----------------------------------------------------------------------------------------------------

REDUCERS = Registry(
    "reducer",
    (Entry("drop", "textsieve.reducers", "DROP", "the documents that nearest neighbours can't do without", LTC),),
)
