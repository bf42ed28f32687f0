"""Methods and attributes that users of scikit-learn expect equal those of scikit-learn's counterparts."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from tests.reference.categorizer_cases import small_texts
from textsieve import Categorizer, CosineKNN, InputError, RandomSubspace, TermCounter, TermWeighter, load
from textsieve.registry import CLASSIFIERS

TEXTS, LABELS = small_texts().texts, small_texts().labels
SIDES = np.arange(len(TEXTS)) % 2
COUNTS = CountVectorizer().fit_transform(TEXTS)

# -- counting ------------------------------------------------------------------------------------------------------

COUNTING: list[dict[str, Any]] = [
    {},
    {"stop_words": "english"},
    {"stop_words": ["the"], "ngram_range": (1, 3)},
    {"lowercase": False, "ngram_range": (2, 2)},
    {"strip_accents": "unicode", "binary": True},
]


@pytest.mark.parametrize("settings", COUNTING, ids=repr)
def test_counter_analyses_and_inverts_as_count_vectorizer(settings: dict[str, Any]) -> None:
    ours, theirs = TermCounter(**settings).fit(TEXTS), CountVectorizer(**settings).fit(TEXTS)
    assert ours.get_stop_words() == theirs.get_stop_words()
    analyze, expected = ours.build_analyzer(), theirs.build_analyzer()
    assert [analyze(text) for text in TEXTS] == [expected(text) for text in TEXTS]
    assert analyze(TEXTS[0].encode()) == expected(TEXTS[0])
    assert pickle.loads(pickle.dumps(analyze))(TEXTS[0]) == expected(TEXTS[0])
    counts = theirs.transform(TEXTS)
    for X in (counts, counts.toarray(), sparse.csr_array(counts), sparse.coo_matrix(counts)):
        for our_terms, their_terms in zip(ours.inverse_transform(X), theirs.inverse_transform(counts), strict=True):
            assert sorted(our_terms) == sorted(their_terms)


def test_the_analyzer_gives_what_is_counted_of_prepared_texts() -> None:
    counter = TermCounter(tags="drop", names=True).fit(["<p>He met Ada Lovelace</p> and Ada Lovelace spoke"])
    analyzed = counter.build_analyzer()("<b>They</b> met Ada Lovelace in June")
    assert "ada lovelace" in analyzed
    assert set(counter.get_feature_names_out()) >= set(analyzed) & {"met", "ada lovelace"}


def test_a_matrix_of_other_columns_cannot_be_inverted() -> None:
    with pytest.raises(InputError, match="X has 3 columns, but there are 26 terms"):
        TermCounter().fit(TEXTS).inverse_transform(np.eye(3))


def test_uppercase_terms_of_a_vocabulary_that_match_no_text_are_named() -> None:
    for counter in (TermCounter(vocabulary=["NASA", "rocket"]), CountVectorizer(vocabulary=["NASA", "rocket"])):
        with pytest.warns(UserWarning, match=r"(?i)upper ?case"):
            counter.fit(TEXTS)
    with pytest.warns(UserWarning, match=r"1 of 2 terms .*: \['NASA'\]\. Give them in lowercase"):
        TermCounter(vocabulary=["NASA", "rocket"]).transform(TEXTS)
    assert TermCounter(vocabulary=["NASA"], lowercase=False).transform(["NASA"]).toarray().tolist() == [[1]]


@pytest.mark.parametrize("form", [pa.array, lambda texts: pa.chunked_array([texts[:7], texts[7:]])])
def test_texts_of_pyarrow_are_texts(form: Any) -> None:
    for kind in (pa.string(), pa.large_string()):
        assert np.array_equal(TermCounter().fit_transform(form(TEXTS).cast(kind)).toarray(), COUNTS.toarray())
    categorizer = Categorizer(n_terms=20).fit(form(TEXTS), form(LABELS))
    assert categorizer.predict(form(TEXTS)).tolist() == categorizer.predict(TEXTS).tolist()
    assert categorizer.score(form(TEXTS), form(LABELS)) == categorizer.score(TEXTS, LABELS)


def test_a_missing_text_of_pyarrow_is_named() -> None:
    with pytest.raises(InputError, match="Document 1 is None"):
        TermCounter().fit(pa.array(["a text", None]))


# -- weighting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("norm", ["l1", "l2", "none"])
def test_weights_have_the_type_and_the_norm_that_tfidf_transformer_gives(norm: str, dtype: Any) -> None:
    X = COUNTS.astype(dtype)
    weights = TermWeighter(tf="tf", norm=norm).fit_transform(X)
    expected = TfidfTransformer(norm=None if norm == "none" else norm).fit_transform(X)
    assert weights.dtype == expected.dtype
    np.testing.assert_allclose(weights.toarray(), expected.toarray(), rtol=1e-6)
    assert get_tags(TermWeighter()).transformer_tags.preserves_dtype == ["float64", "float32"]


@pytest.mark.parametrize("classifier", sorted(set(CLASSIFIERS) - {"rocchio"}))
def test_a_model_of_weights_that_sum_to_one_is_stored_and_predicts(classifier: str, tmp_path: Path) -> None:
    options = {"n_estimators": 3} if classifier == "subspace" else None
    settings: dict[str, Any] = {"classifier": classifier, "classifier_options": options, "tf": "tf", "idf": "smooth"}
    categorizer = Categorizer(n_terms=15, norm="l1", **settings).fit(TEXTS, LABELS)
    weights = categorizer.model_.rows(TEXTS)
    sums = np.add.reduceat(weights.data, weights.indptr[:-1][weights.sizes > 0])
    assert sums == pytest.approx(1.0)
    categorizer.save(tmp_path / "model.sieve")
    again = load(tmp_path / "model.sieve")
    assert again.norm == "l1"
    assert again.predict_scores(TEXTS).scores.tobytes() == categorizer.predict_scores(TEXTS).scores.tobytes()
    other = Categorizer(n_terms=15, norm="l2", **settings).fit(TEXTS, LABELS)
    if classifier not in ("knn", "knnfp"):  # which compare by the cosine, or rank weights term by term
        assert other.predict_scores(TEXTS).scores.tobytes() != categorizer.predict_scores(TEXTS).scores.tobytes()


@pytest.mark.parametrize("norm", ["l1", "none"])
def test_rocchio_compares_documents_of_length_one(norm: str) -> None:
    with pytest.raises(InputError, match=f"norm='{norm}': Rocchio .* use 'l2'"):
        Categorizer(classifier="rocchio", norm=norm).fit(TEXTS, LABELS)


# -- coefficients --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [LABELS, SIDES, small_texts(multilabel=True).label_sets], ids=["3", "2", "several"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_coefficients_give_the_decision_function_of_linear_models(classifier: str, labels: Any) -> None:
    options = {"n_estimators": 3} if classifier == "subspace" else None
    categorizer = Categorizer(n_terms=15, classifier=classifier, classifier_options=options)
    assert not hasattr(categorizer, "coef_")
    categorizer.fit(TEXTS, labels)
    is_linear = categorizer.model_.scorer.kind == "linear"
    assert hasattr(categorizer, "coef_") == hasattr(categorizer, "intercept_") == is_linear
    if not is_linear:
        with pytest.raises(InputError, match=f"{classifier!r} is not linear"):
            _ = categorizer.coef_
        return
    rows = categorizer.model_.rows(TEXTS).matrix()
    assert categorizer.coef_.shape == (1 if labels is SIDES else 3, len(categorizer.terms_))
    assert categorizer.intercept_.shape == categorizer.coef_.shape[:1]
    decision = rows @ categorizer.coef_.T + categorizer.intercept_
    np.testing.assert_allclose(decision.ravel(), categorizer.decision_function(TEXTS).ravel(), rtol=1e-9, atol=1e-9)


def test_linear_classifiers_by_name_have_coefficients() -> None:
    for classifier in ("svm", "logistic", "nb", "cnb", "rocchio"):
        assert hasattr(Categorizer(n_terms=5, classifier=classifier).fit(TEXTS, LABELS), "coef_")


# -- neighbours ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 5, 59])
def test_neighbours_of_training_documents_are_others(k: int) -> None:
    different = np.random.default_rng(0).random((len(TEXTS), 40))  # no two are equally near
    ours = CosineKNN(k=k).fit(different, LABELS)
    theirs = KNeighborsClassifier(k, metric="cosine").fit(different, LABELS)
    for our_values, their_values in zip(ours.kneighbors(), theirs.kneighbors(), strict=True):
        np.testing.assert_allclose(our_values, their_values, atol=1e-6)


def test_kneighbors_ignores_documents_without_a_label() -> None:
    X = np.array([[1.0, 0], [1, 1], [1, 0.1], [0, 1]])
    documents = CosineKNN(k=1).fit(X, ["a", None, "b", "b"]).kneighbors()[1]
    assert documents.tolist() == [[2], [0], [2]]


def test_k_above_the_number_of_other_documents_raises() -> None:
    classifier = CosineKNN(k=2).fit(np.eye(2), ["a", "b"])
    with pytest.raises(InputError, match="k=2; use a number of neighbours from 1 to 1, the number of other documents"):
        classifier.kneighbors()
    assert classifier.kneighbors(k=1)[1].tolist() == [[1], [0]]


@pytest.mark.parametrize("labels", [LABELS, SIDES, SIDES.astype(float)], ids=["3", "2", "floats"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_shares_of_plain_votes_are_those_of_scikit_learn(k: int, labels: Any) -> None:
    different = np.random.default_rng(0).random((len(TEXTS), 40))
    queries = np.random.default_rng(1).random((30, 40))
    ours = CosineKNN(k=k, votes="plain").fit(different, labels)
    theirs: Any = KNeighborsClassifier(k, metric="cosine").fit(different, labels)
    np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries))
    assert ours.predict(queries).tolist() == theirs.predict(queries).tolist()


def test_a_document_without_neighbours_gets_the_shares_of_the_training_documents() -> None:
    classifier = CosineKNN(k=2).fit(np.array([[1.0, 0], [1, 0], [2, 0]]), ["a", "b", "b"])
    with pytest.warns(UserWarning, match="1 of 2 documents share no term"):
        shares = classifier.predict_proba(np.array([[0.0, 1], [1, 0]]))
    np.testing.assert_allclose(shares, [[1 / 3, 2 / 3], [1 / 2, 1 / 2]])


def test_kneighbors_can_leave_out_the_distances() -> None:
    classifier = CosineKNN(k=3).fit(COUNTS, LABELS)
    for X in (None, COUNTS):
        assert np.array_equal(classifier.kneighbors(X, return_distance=False), classifier.kneighbors(X)[1])


# -- ensembles -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [None, "nb", "rocchio", DecisionTreeClassifier(random_state=0)], ids=repr)
@pytest.mark.parametrize("labels", [LABELS, SIDES], ids=["3", "2"])
def test_members_are_classifiers_of_their_columns(estimator: Any, labels: Any) -> None:
    ensemble = RandomSubspace(estimator=estimator, n_estimators=4, n_terms=12, C=1, n_jobs=1).fit(COUNTS, labels)
    choices = ensemble.member_choices(COUNTS)
    assert len(ensemble.estimators_) == len(ensemble.estimators_features_) == 4
    for number, (member, columns) in enumerate(zip(ensemble.estimators_, ensemble.estimators_features_, strict=True)):
        assert columns.tolist() == ensemble.subsets_[number].tolist()
        assert member.n_features_in_ == len(columns)
        voting = choices[:, number] >= 0
        assert voting.any()
        predicted = member.predict(COUNTS[:, columns])
        assert (predicted == ensemble.classes_[choices[:, number]])[voting].all()
        assert member.score(COUNTS[:, columns], labels) == np.mean(predicted == np.array(labels))


def test_multilabel_members_decide_for_each_class() -> None:
    multilabel = small_texts(multilabel=True)
    X = CountVectorizer().fit_transform(multilabel.texts)
    ensemble = RandomSubspace(n_estimators=1, n_terms=X.shape[1], C=1).fit(X, multilabel.label_sets)
    (member,) = ensemble.estimators_
    assert member.predict(X).tolist() == ensemble.predict(X).tolist()


def test_ensembles_that_store_only_the_mean_have_no_members() -> None:
    ensemble = RandomSubspace(n_estimators=3, combine="mean", C=1).fit(COUNTS, LABELS)
    assert not hasattr(ensemble, "estimators_")
    with pytest.raises(InputError, match="fit the ensemble with combine='vote'"):
        _ = ensemble.estimators_
    assert len(ensemble.estimators_features_) == 3


@pytest.mark.parametrize("estimator", [None, "nb", "cnb", "svm", MultinomialNB(), DecisionTreeClassifier()], ids=repr)
def test_an_ensemble_takes_the_input_that_its_members_take(estimator: Any) -> None:
    tags = get_tags(RandomSubspace(estimator=estimator)).input_tags
    assert tags.sparse
    assert tags.positive_only == (isinstance(estimator, MultinomialNB) or estimator in ("nb", "cnb"))


@pytest.mark.parametrize("estimator", [None, "nb", DecisionTreeClassifier(random_state=0)], ids=repr)
@pytest.mark.parametrize("labels", [LABELS, SIDES], ids=["3", "2"])
def test_shares_of_votes_are_those_of_the_members_choices(estimator: Any, labels: Any) -> None:
    ensemble = RandomSubspace(estimator=estimator, n_estimators=5, n_terms=12, C=1, n_jobs=1).fit(COUNTS, labels)
    choices, sizes = ensemble.member_choices(COUNTS), np.unique(labels, return_counts=True)[1]
    votes = np.stack([(choices == number).sum(axis=1) for number in range(len(sizes))], axis=1)
    expected = (votes + 0.5 * sizes / sizes.sum()) / (votes.sum(axis=1, keepdims=True) + 0.5)
    shares = ensemble.predict_proba(COUNTS)
    np.testing.assert_allclose(shares, expected)
    np.testing.assert_allclose(ensemble.predict_log_proba(COUNTS), np.log(expected))
    assert ensemble.predict(COUNTS).tolist() == ensemble.classes_[shares.argmax(axis=1)].tolist()


def test_an_ensemble_whose_scores_are_averaged_has_no_shares() -> None:
    ensemble = RandomSubspace(n_estimators=3, combine="mean", C=1).fit(COUNTS, LABELS)
    for method in ("predict_proba", "predict_log_proba"):
        assert not hasattr(ensemble, method)
        with pytest.raises(InputError, match="combine='mean'; use combine='vote'"):
            getattr(ensemble, method)


def test_multilabel_documents_have_no_shares() -> None:
    multilabel = small_texts(multilabel=True)
    X = CountVectorizer().fit_transform(multilabel.texts)
    for classifier in (CosineKNN(k=2), RandomSubspace(n_estimators=2, C=1)):
        with pytest.raises(InputError, match=r"had several labels.*use decision_function"):
            classifier.fit(X, multilabel.label_sets).predict_proba(X)
