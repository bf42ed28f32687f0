"""Number of terms, selector, classifier and weights; invalid settings raise errors that say what to use instead."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC, LinearSVC
from tests.reference.categorizer_cases import plain_categorizer, small_texts

from textsieve import (
    OCFS,
    Cascade,
    Categorizer,
    ChiSquare,
    ClassStats,
    Corpus,
    DocumentFrequency,
    InformationGain,
    InputError,
    Rocchio,
    TermCounter,
    TermWeighter,
)
from textsieve.categorizer_settings import ObjectDescription
from textsieve.classifiers import LinearSVM
from textsieve.registry import CLASSIFIERS

CASE = small_texts()
N_TERMS = 26


def fitted(**settings: Any) -> Categorizer:
    return plain_categorizer(**settings).fit(CASE.texts, CASE.labels)


# -- number of terms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_terms", "expected"),
    [
        (1, 1),
        (7, 7),
        (np.int64(7), 7),
        (N_TERMS, N_TERMS),
        (0.5, 13),
        (1.0, N_TERMS),
        (np.float64(0.5), 13),
        (0.0001, 1),
        ("all", N_TERMS),
        (None, N_TERMS),
    ],
)
def test_n_terms_is_a_number_a_share_or_all(n_terms: Any, expected: int) -> None:
    model = fitted(n_terms=n_terms, selector="df")
    assert len(model.terms_) == expected
    assert model.terms_ == fitted(n_terms="all", selector="df").terms_[:expected]
    assert model.model_.about["n_terms_seen"] == N_TERMS


def test_the_default_selects_at_most_10_000_terms() -> None:
    texts = [" ".join(f"w{at}x{number}" for number in range(400)) for at in range(30)]
    assert len(Categorizer(selector="df", classifier="nb").fit(texts, ["a", "b"] * 15).terms_) == 10_000


def test_more_terms_than_exist_warn() -> None:
    with pytest.warns(UserWarning, match=r"n_terms=5000, but there are 26 terms; all of them are kept") as caught:
        model = fitted(n_terms=5000, held_out=0.2)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert len(model.terms_) == N_TERMS
    assert model.terms_ == fitted(n_terms="all").terms_


@pytest.mark.parametrize("n_terms", [0, -1, 1.5, 0.0, -0.2, float("nan"), "many", "", True, [10], (1, 2)])
def test_invalid_numbers_of_terms_raise(n_terms: Any) -> None:
    with pytest.raises(
        InputError, match=r"n_terms=.*; use a number of terms from 1, a share above 0\.0 and up to 1\.0"
    ):
        fitted(n_terms=n_terms)


def test_a_selector_object_has_the_number_of_terms_unless_it_leaves_it_out() -> None:
    assert len(fitted(selector=OCFS(k=9)).terms_) == 9
    assert len(fitted(selector=OCFS(), n_terms=4).terms_) == 4
    assert len(fitted(selector=OCFS(k=4), n_terms=4).terms_) == 4
    chain = Cascade([DocumentFrequency(min_df=2), OCFS(k=9)])
    assert len(fitted(selector=chain, n_terms=4).terms_) == 4, "it has no number of its own"
    assert len(fitted(selector=DocumentFrequency(min_df=12)).terms_) < N_TERMS
    energetic = fitted(selector=OCFS(energy=0.5))
    assert 1 < len(energetic.terms_) < 20
    assert len(fitted(selector=OCFS(energy=0.5), n_terms=3).terms_) == 3


@pytest.mark.parametrize("n_terms", [4, 0.5, "all", "auto"])
def test_two_numbers_of_terms_raise(n_terms: Any) -> None:
    """`n_terms` would override the number of the selector without a word."""
    with pytest.raises(InputError, match=r"n_terms=.*another number of terms in the selector: k=9.*leave one of them"):
        fitted(selector=OCFS(k=9), n_terms=n_terms)


# -- selectors -----------------------------------------------------------------------------------------------------


def test_a_selector_by_name_equals_the_selector_object() -> None:
    for name, selector in (("ocfs", OCFS()), ("ig", InformationGain()), ("chi", ChiSquare())):
        by_name, by_object = fitted(selector=name, n_terms=9), fitted(selector=selector, n_terms=9)
        assert by_name.terms_ == by_object.terms_
        assert by_name.decision_function(CASE.texts).tobytes() == by_object.decision_function(CASE.texts).tobytes()


def test_selector_options_are_passed_and_validated() -> None:
    assert (
        fitted(selector="chi", selector_options={"pooling": "round-robin"}, n_terms=6).terms_
        == fitted(selector=ChiSquare(pooling="round-robin"), n_terms=6).terms_
    )
    with pytest.raises(InputError, match=r"selector_options: 'chi' has no option 'colour'; it has min_score"):
        fitted(selector="chi", selector_options={"colour": 1})
    with pytest.raises(InputError, match=r"selector_options: k=2 is a setting of its own; use n_terms"):
        fitted(selector="chi", selector_options={"k": 2})
    with pytest.raises(InputError, match="set them on the selector itself"):
        fitted(selector=ChiSquare(), selector_options={"pooling": "max"})


def test_a_cascade_equals_the_separate_steps() -> None:
    chain = Cascade([DocumentFrequency(min_df=8), OCFS(k=7)])
    model = fitted(selector=chain)
    counter = TermCounter()
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counter.fit_transform(CASE.texts))
    by_hand = Cascade([DocumentFrequency(min_df=8), OCFS(k=7)]).fit_stats(ClassStats.from_matrix(weights, CASE.labels))
    terms = counter.get_feature_names_out()[by_hand.ranking_[:7]]
    assert set(model.terms_) == set(terms.tolist())
    assert not hasattr(chain, "stats_")


@pytest.mark.parametrize("selector", ["pca", "", 3, OCFS, TermWeighter(), LogisticRegression()])
def test_invalid_selectors_raise(selector: Any) -> None:
    names = "forward, weights, ocfs, tofa, testors, ig, chi, mi, df"
    with pytest.raises(InputError, match=rf"selector=.*; use one of {names}, a selector such as OCFS"):
        fitted(selector=selector)


def test_a_selector_that_selects_no_terms_raises() -> None:
    with pytest.raises(InputError, match=r"OCFS\(min_score=1000000\.0\) keeps none of the 26 terms"):
        fitted(selector=OCFS(min_score=1e6))


# -- classifiers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "classifier",
    [
        LinearSVC(),
        LinearSVM(C=2),
        LogisticRegression(C=5),
        SGDClassifier(random_state=0),
        RidgeClassifier(),
        MultinomialNB(alpha=0.3),
        Rocchio(beta=1, gamma=1),
    ],
    ids=repr,
)
def test_own_classifiers_are_accepted(classifier: Any) -> None:
    model = fitted(classifier=classifier, n_terms=20)
    assert model.score(CASE.texts, CASE.labels) > 0.8
    assert model.predict(CASE.texts).shape == (60,)
    assert not hasattr(classifier, "classes_")
    multilabel = small_texts(multilabel=True)
    both = Categorizer(classifier=classifier, n_terms=20, folds=2).fit(multilabel.texts, multilabel.label_sets)
    assert both.score(multilabel.texts, multilabel.label_sets) > 0.7


def test_a_classifier_by_name_equals_the_classifier_object() -> None:
    by_name, by_object = fitted(classifier="nb", n_terms=20), fitted(classifier=MultinomialNB(alpha=0.01), n_terms=20)
    assert by_name.decision_function(CASE.texts).tobytes() == by_object.decision_function(CASE.texts).tobytes()


@pytest.mark.parametrize("classifier", [KNeighborsClassifier(), NearestCentroid(), SVC(), SVC(kernel="linear")])
def test_nonlinear_classifiers_raise(classifier: Any) -> None:
    with pytest.raises(InputError, match=r"is not a linear classifier: .* neither explained nor stored\. Use svm"):
        fitted(classifier=classifier)


@pytest.mark.parametrize("classifier", ["forest", "SVM", None, 5, LinearSVC])
def test_invalid_classifiers_raise(classifier: Any) -> None:
    with pytest.raises(InputError, match=f"classifier=.*use one of {', '.join(CLASSIFIERS)}, or a linear"):
        fitted(classifier=classifier)


def test_classifier_options_are_passed_and_validated() -> None:
    assert fitted(classifier_options={"C": 1e-3}).predict_scores(CASE.texts).scores.std() < 0.2
    with pytest.raises(InputError, match=r"classifier_options: 'svm' has no option 'c'; it has C, "):
        fitted(classifier_options={"c": 3})
    with pytest.raises(InputError, match=r"C=-1; use a number above 0"):
        fitted(classifier_options={"C": -1})
    with pytest.raises(InputError, match="set them on the classifier itself"):
        fitted(classifier=LinearSVC(), classifier_options={"C": 3})
    with pytest.raises(InputError, match=r"classifier_options: class_weight=\{'boat': 2\} .* use class_weight"):
        fitted(classifier_options={"class_weight": {"boat": 2}})
    with pytest.warns(ConvergenceWarning, match="max_iter=1 rounds"):
        fitted(classifier_options={"max_iter": 1, "tol": 1e-9})


def test_weighting_settings_are_passed_and_validated() -> None:
    model = fitted(tf="binary", idf="none", norm="none", n_terms=20)
    assert (model.model_.tf, model.model_.idf, model.model_.norm) == ("binary", None, "none")
    weights = model.explain("sail sail sail salt")["boat"].contributions
    assert {(contribution.term, contribution.weight) for contribution in weights} == {("sail", 1.0), ("salt", 1.0)}
    for name in ("tf", "idf", "norm"):
        with pytest.raises(InputError, match=rf"{name}='odd'; use one of"):
            fitted(**{name: "odd"})
    with pytest.raises(InputError, match="norm='none': Rocchio compares by the cosine"):
        fitted(classifier="rocchio", norm="none")


# -- class weights -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb"])
def test_class_weights_shift_the_decision(classifier: str) -> None:
    texts = ["common words here", "common words there"] * 10 + ["common words rare"] * 2
    labels = ["usual"] * 20 + ["odd"] * 2
    plain, weighted = (
        Categorizer(classifier=classifier, class_weight=weight).fit(texts, labels) for weight in (None, {"odd": 50.0})
    )
    ahead = plain.decision_function(["common words"]) - weighted.decision_function(["common words"])
    assert plain.classes_.tolist() == ["odd", "usual"]
    if classifier != "cnb":  # complement naive Bayes has no class prior
        assert ahead[0] > 0
    assert weighted.predict(["rare"]).tolist() == ["odd"]
    roots = 2**0.5 + 20**0.5
    factors_by_rule = {
        "balanced": {"odd": 22 / 4, "usual": 22 / 40},
        "sqrt": {"odd": 22 / 2**0.5 / roots, "usual": 22 / 20**0.5 / roots},
    }
    for rule, factors in factors_by_rule.items():
        by_rule, by_factors = (
            Categorizer(classifier=classifier, class_weight=weight).fit(texts, labels) for weight in (rule, factors)
        )
        assert by_rule.decision_function(texts) == pytest.approx(by_factors.decision_function(texts), abs=1e-6)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (
            "fair",
            r"class_weight='fair'; use 'balanced', 'sqrt', a factor for each class such as \{'spam': 5\.0\}, or None",
        ),
        (3, "class_weight=3"),
        ({"zoo": 2.0}, r"class_weight: there is no class 'zoo'; classes are \['boat', 'cook', 'moon'\]"),
        ({"boat": 0}, "class_weight: the factor of 'boat' is 0; use a number above 0"),
        ({"boat": -1.0}, "class_weight: the factor of 'boat' is -1.0"),
        ({"boat": float("nan")}, "class_weight: the factor of 'boat' is nan"),
        ({"boat": "2"}, "class_weight: the factor of 'boat' is '2'"),
    ],
)
@pytest.mark.parametrize("classifier", ["svm", "nb"])
def test_invalid_class_weights_raise(weight: Any, words: str, classifier: str) -> None:
    with pytest.raises(InputError, match=words):
        fitted(class_weight=weight, classifier=classifier)


def test_rocchio_has_no_class_weights() -> None:
    multilabel = small_texts(multilabel=True)
    with pytest.raises(InputError, match="Rocchio has no class weights; each class's mean counts alike already"):
        fitted(classifier="rocchio", class_weight="balanced")
    with pytest.raises(InputError, match="Rocchio has no class weights"):
        Categorizer(classifier="rocchio", class_weight={"boat": 2}).fit(multilabel.texts, multilabel.label_sets)


# -- tokenization --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ngram_range": (2, 1)}, r"ngram_range=\(2, 1\)"),
        ({"ngram_range": 2}, "ngram_range=2"),
        ({"min_df": -1}, "min_df=-1"),
        ({"min_df": 1.5}, r"min_df=1\.5"),
        ({"max_df": 0}, "max_df=0"),
        ({"min_df": 50, "max_df": 2}, "max_df=2 is fewer documents than min_df=50"),
        ({"min_df": 59}, r"No term is in 59 to 60 of the 60 documents \(min_df=59"),
        ({"stop_words": "klingon"}, "stop_words='klingon'"),
        ({"stop_words": 5}, "stop_words=5"),
        ({"strip_accents": "all"}, "strip_accents='all'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"n_jobs": 1.5}, r"n_jobs=1\.5"),
    ],
)
def test_invalid_settings_of_the_tokenizer_raise(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        fitted(**settings)


def test_settings_are_stored_with_the_model() -> None:
    model = fitted(
        selector=OCFS(k=25),
        class_weight={"boat": 2.0},
        stop_words=["the"],
        ngram_range=(1, 2),
        classifier_options={"C": 3},
    )
    stored = model.model_.settings
    assert stored["selector"] == "OCFS(k=25)"
    assert stored["class_weight"] == [["boat", 2.0]]
    assert stored["ngram_range"] == [1, 2]
    assert stored["classifier_options"] == {"C": 3}
    assert set(stored) == set(model.get_params(deep=False)) - {"n_jobs"}
    again = Categorizer.of_model(model.model_)
    assert again.ngram_range == (1, 2)
    assert again.class_weight == {"boat": 2.0}
    assert again.predict(CASE.texts).tolist() == model.predict(CASE.texts).tolist()


@pytest.mark.parametrize("stop_words", [["the", "and"], ("the", "and"), {"the", "and"}, np.array(["the", "and"])])
def test_stop_words_may_be_any_collection(stop_words: Any) -> None:
    model = fitted(stop_words=stop_words, ngram_range=(1, 2), n_terms=40)
    assert model.model_.stop_words == frozenset(["the", "and"])
    assert not any(word in ("the", "and") for term in model.terms_ for word in term.split())


@pytest.mark.filterwarnings("ignore:'penalty' was deprecated")
@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize(
    ("classifier", "options", "shown"),
    [
        ("nb", {"alpha": -1}, r"MultinomialNB\(alpha=-1\)"),
        ("nb", {"class_prior": [0.5]}, r"MultinomialNB\(.*class_prior=\[0.5\]\)"),
        ("cnb", {"norm": 5}, r"ComplementNB\(.*norm=5\)"),
        ("logistic", {"solver": "foo"}, r"LogisticRegression\(.*solver='foo'\)"),
        ("logistic", {"penalty": "l1"}, r"LogisticRegression\(.*penalty='l1'\)"),
    ],
)
def test_options_that_scikit_learn_refuses(
    classifier: str, options: dict[str, Any], shown: str, multilabel: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels: Any = [(label,) for label in CASE.labels] if multilabel else CASE.labels
    with pytest.raises(InputError, match=f"classifier_options: {shown} can't be trained: "):
        Categorizer(classifier=classifier, classifier_options=options).fit(CASE.texts, labels)
    monkeypatch.setattr("textsieve.training.counted_documents.MAX_VALUES", 60)
    with pytest.raises(InputError, match=f"classifier_options: {shown} can't be trained: "):
        Categorizer(classifier=classifier, classifier_options=options).fit(Corpus.from_texts(CASE.texts, labels))


@pytest.mark.parametrize(
    "settings",
    [
        {"selector": "ocfs", "selector_options": {"energy": 7}},
        {"n_terms": -3},
        {"n_terms": "many"},
        {"class_weight": "heavy"},
        {"class_weight": {"no such class": 2.0}},
        {"classifier_options": {"C": -1}},
        {"min_df": -1},
        {"ngram_range": (2, 1)},
        {"strip_accents": "all"},
        {"stop_words": "klingon"},
        {"normalise": "stems"},
        {"normalise": "lemma", "language": "klingon"},
        {"tags": "out"},
        {"names": "yes"},
        {"names": True, "ngram_range": (1, 2)},
        {"folds": 1},
        {"cut": "no cut"},
        {"held_out": 2},
    ],
)
def test_a_wrong_setting_is_not_blamed_on_a_corpus(settings: dict[str, Any]) -> None:
    corpus = Corpus.from_texts(CASE.texts, CASE.labels, name="one.csv")
    with pytest.raises(InputError) as caught:
        Categorizer(**settings).fit(corpus)
    assert "one.csv" not in str(caught.value)


def test_errors_of_a_corpus_have_its_name() -> None:
    with pytest.raises(InputError, match=r"^one\.csv: No document has a label"):
        Categorizer().fit(Corpus.from_texts(CASE.texts, name="one.csv"))
    few = Corpus.from_texts(["sail", "salt", "deck"], ["a", "a", "b"], name="one.csv")
    with pytest.raises(InputError, match=r"^one\.csv: .*too few"):
        Categorizer(held_out=0.01).fit(few)


@pytest.mark.parametrize(
    "settings",
    [{"stop_words": ["the"]}, {"classifier": LinearSVC(C=1)}, {"selector": OCFS(k=5)}],
    ids=["stop_words", "classifier", "selector"],
)
def test_settings_that_a_file_does_not_store_must_be_set_again(settings: dict[str, Any], tmp_path: Path) -> None:
    fitted(**settings).save(tmp_path / "own.sieve")
    (name,) = settings
    loaded = Categorizer.load(tmp_path / "own.sieve")
    with pytest.raises(InputError, match=f"of your own, which a model file does not keep; set {name} before you fit"):
        loaded.fit(CASE.texts, CASE.labels)
    with pytest.raises(InputError, match=f"set {name} before you fit"):
        clone(loaded).fit(CASE.texts, CASE.labels)
    again = loaded.set_params(**settings).fit(CASE.texts, CASE.labels)
    assert again.fit(CASE.texts, CASE.labels).terms_ == fitted(**settings).terms_


class NamedLikeOurs(LinearSVC):
    """An estimator whose description is the name of a registered classifier."""

    def __repr__(self) -> str:
        return "svm"


def test_an_own_estimator_is_never_taken_for_a_registered_one(tmp_path: Path) -> None:
    fitted(classifier=NamedLikeOurs()).save(tmp_path / "own.sieve")
    loaded = Categorizer.load(tmp_path / "own.sieve")
    loaded.save(tmp_path / "again.sieve")
    for model in (loaded, Categorizer.load(tmp_path / "again.sieve")):
        assert isinstance(model.classifier, ObjectDescription)
        assert model.classifier == "svm"
        with pytest.raises(InputError, match="trained with a classifier of your own"):
            model.fit(CASE.texts, CASE.labels)


def test_class_names_keep_trailing_null_characters() -> None:
    labels = [label + "\0" for label in CASE.labels]
    model = Categorizer(n_terms=20).fit(CASE.texts, labels)
    assert model.classes_.tolist() == sorted(set(labels))
