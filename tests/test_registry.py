"""The registry agrees with the estimators, and lists all that are exported."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from sklearn.linear_model import RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, MultinomialNB
from sklearn.svm import LinearSVC

import textsieve
from textsieve import TCFP, Cascade, ChiSquare, CosineKNN, InputError, RandomSubspace, Rocchio
from textsieve.registry import (
    CLASSIFIERS,
    PROJECTIONS,
    REDUCERS,
    SELECTORS,
    classifier_of,
    foreign_traits,
    list_classifiers,
    list_classifiers_with_class_weight,
    list_linear_classifiers,
    list_updatable_classifiers,
    projection_of,
    selection_scheme,
    selector_of,
    traits_of,
)
from textsieve.text.choices import COUNTS, LTC, SMOOTH

REGISTRIES = (SELECTORS, PROJECTIONS, CLASSIFIERS, REDUCERS)
NAIVE_BAYES = ("nb", "cnb")


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_row_makes_an_estimator(registry: Any) -> None:
    for name, row in registry.items():
        estimator = registry.make(name, None)
        assert type(estimator) is row.estimator_class
        assert registry.entry_of(estimator).estimator_class is row.estimator_class
        assert {**row.options, **row.fixed}.items() <= estimator.get_params().items()
        assert registry.scheme_of(estimator) == row.scheme


def test_every_exported_method_has_a_row() -> None:
    registered = {row.class_name for registry in REGISTRIES for row in registry.values()}
    combining = {"Cascade", "TermCounter", "TermWeighter", "Categorizer"}
    exported = {name for name in textsieve.__all__ if hasattr(getattr(textsieve, name), "fit")}
    assert exported - combining <= registered


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_traits_are_those_that_the_estimator_shows(name: str) -> None:
    classifier = CLASSIFIERS.make(name, None)
    traits, shown = traits_of(classifier), foreign_traits(classifier)
    assert traits.has_own_scorer == shown.has_own_scorer
    assert traits.takes_sample_weight == shown.takes_sample_weight
    assert traits.takes_class_weight == shown.takes_class_weight or name in NAIVE_BAYES
    assert traits.needs_term_weights or not traits.has_own_scorer
    if traits.uses_threads:
        assert "n_jobs" in signature(type(classifier)).parameters


def test_traits_that_depend_on_a_setting() -> None:
    assert traits_of(TCFP()).statistics == "votes"
    assert traits_of(TCFP(context="best")).statistics is None
    assert traits_of(RandomSubspace(combine="mean")).border_at_zero
    assert not traits_of(RandomSubspace(combine="vote")).border_at_zero


class OwnBayes(MultinomialNB):
    """A class derived from a registered one."""


class Voter:
    """A classifier of the user's own, with its own scorer."""

    def fit(self, X: Any, y: Any) -> Voter:
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def to_scorer(self) -> None: ...


def test_traits_of_other_classes() -> None:
    assert traits_of(OwnBayes()).statistics == "sums"
    assert CLASSIFIERS.scheme_of(OwnBayes()) == SMOOTH
    assert traits_of(BernoulliNB()).statistics is None
    for linear in (LinearSVC(), SGDClassifier(), RidgeClassifier()):
        traits = traits_of(linear)
        assert not traits.has_own_scorer
        assert not traits.needs_term_weights
        assert not traits.uses_threads
        assert traits.takes_class_weight
        assert traits.takes_sample_weight
        assert traits.border_at_zero
    traits = traits_of(Voter())
    assert traits.has_own_scorer
    assert traits.needs_term_weights
    assert not traits.border_at_zero
    assert not traits.takes_sample_weight
    assert not traits.takes_class_weight


def test_schemes_of_cascades() -> None:
    assert selection_scheme(Cascade([ChiSquare(), ChiSquare()])) == COUNTS
    assert selection_scheme(Cascade([ChiSquare(), selector_of("ocfs")])) == LTC


def test_estimator_objects_are_returned_unchanged() -> None:
    for take, estimator in ((selector_of, ChiSquare(k=3)), (classifier_of, CosineKNN()), (classifier_of, Rocchio())):
        assert take(estimator, None) is estimator
        with pytest.raises(InputError, match=r"_options are for a \w+ given by name; set them on the \w+ itself"):
            take(estimator, {"k": 3})
    assert projection_of(None) is None
    assert selector_of(None).k == "all"


@pytest.mark.parametrize(
    ("take", "setting", "options", "message"),
    [
        (selector_of, "best", None, r"selector='best'; use one of forward, .*, a selector such as OCFS\(\), or None"),
        (selector_of, "chi", {"k": 3}, "selector_options: k=3 is a setting of its own; use n_terms instead"),
        (selector_of, "chi", {"depth": 3}, "selector_options: 'chi' has no option 'depth'; it has min_score, pooling"),
        (projection_of, "best", None, r"projection='best'; use one of centroid, .* such as OrthogonalCentroid\(\)"),
        (projection_of, "pca", {"weight": 1}, "projection_options: 'pca' has no option 'weight'"),
        (
            projection_of,
            "pca",
            {"unlabelled": 1},
            "projection_options: 'pca' has no option 'unlabelled'; it has [^u]*$",
        ),
        (
            projection_of,
            None,
            {"weight": 1},
            "projection_options: no projection is asked for; name one with projection",
        ),
        (classifier_of, None, None, r"classifier=None; use one of svm, .*, or a linear classifier such as LinearSVC"),
        (
            classifier_of,
            "nb",
            {"class_weight": 1},
            "classifier_options: class_weight=1 is a setting of its own; use cl",
        ),
        (classifier_of, "svm", {"D": 1}, "classifier_options: 'svm' has no option 'D'; it has C"),
    ],
)
def test_invalid_settings_raise(take: Any, setting: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        take(setting, options)


def test_hints_list_the_classifiers_with_a_trait() -> None:
    assert list_linear_classifiers() == "svm, logistic, nb, cnb or rocchio"
    assert list_updatable_classifiers("and") == "nb, cnb, rocchio and tcfp"
    assert list_classifiers_with_class_weight() == "svm, logistic, nb, cnb or subspace"
    assert list_classifiers(lambda traits: traits.norm) == "rocchio"


@pytest.mark.parametrize("registry", [SELECTORS, CLASSIFIERS], ids=lambda registry: registry.kind)
def test_every_selector_and_classifier_has_a_name_in_words(registry: Any) -> None:
    titles = [row.title for row in registry.values()]
    assert all(titles)
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("ig", "information gain"),
        ("ig(pooling=max)", "information gain (pooling=max)"),
        ("ocfs(tf=tf,idf=none)", "orthogonal centroids (OCFS; tf=tf,idf=none)"),
        ("LinearSVC(C=3)", "LinearSVC(C=3)"),
        ("all", "all"),
        ("", ""),
    ],
)
def test_names_are_spelled_out_with_their_options(name: str, title: str) -> None:
    assert SELECTORS.title_of(name) == title
