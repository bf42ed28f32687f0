"""The fallback class, for documents without selected terms, is the most frequent class of such training documents."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from tests.reference.categorizer_cases import plain_categorizer
from tests.reference.categorizer_twin import class_without_terms

from textsieve import Corpus, compare
from textsieve.arrays import CSR
from textsieve.corpus import batch as batches
from textsieve.evaluation import folds, held_out
from textsieve.registry import CLASSIFIERS
from textsieve.text.choices import Scheme
from textsieve.training import counted_documents as training_documents
from textsieve.training import tuning
from textsieve.training.fallback import FallbackClass, fallback_class
from textsieve.training.plan import TrainingPlan
from textsieve.training.targets import Targets

pytestmark = pytest.mark.filterwarnings("ignore:k=30, but there are")  # there are fewer documents than k here


# -- the rule --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("class_docs", "without", "expected"),
    [
        ([9, 5, 3], [0, 2, 1], 1),  # most frequent among documents without terms
        ([9, 5, 3], [0, 0, 1], 2),  # even if that is a single document
        ([3, 5, 9], [2, 2, 1], 1),  # a tie: the larger class
        ([3, 9, 9], [2, 2, 2], 1),  # a tie again: the first class
        ([3, 3, 3], [1, 1, 1], 0),
        ([3, 5, 9], [0, 0, 0], 2),  # all documents have terms: the most frequent class
        ([5, 9, 9], [0, 0, 0], 1),
        ([0, 0], [0, 0], 0),
        ([4], [4], 0),
    ],
)
def test_the_rule_in_cases_computed_by_hand(class_docs: list[int], without: list[int], expected: int) -> None:
    number = fallback_class(np.array(class_docs), np.array(without))
    assert type(number) is int
    assert number == expected


documents = st.lists(
    st.tuples(st.booleans(), st.lists(st.sampled_from("abcd"), unique=True, max_size=3).map(tuple)),
    min_size=1,
    max_size=20,
).filter(lambda drawn: any(labels for _, labels in drawn))


@given(documents, st.integers(1, 6))
def test_the_rule_equals_its_twin_in_any_batches(drawn: list[tuple[bool, tuple[str, ...]]], batch_size: int) -> None:
    rows, sets = [[float(has)] for has, _ in drawn], [labels for _, labels in drawn]
    targets = Targets.of(sets, len(sets), True)
    expected = class_without_terms(rows, sets)
    unknown, matrix = FallbackClass(targets), csr_matrix(np.array(rows))
    in_batches = [CSR.of(matrix[first : first + batch_size]) for first in range(0, len(rows), batch_size)]
    assert [part.n_rows for part in unknown.observe(in_batches)] == [part.n_rows for part in in_batches]
    assert targets.classes[unknown.number] == expected


def test_stored_zeros_are_no_weights() -> None:
    stored = csr_matrix((np.array([0.0, 1.0]), np.array([0, 0]), np.array([0, 1, 2])), shape=(2, 1))
    unknown = FallbackClass(Targets.of(["b", "a"], 2))
    assert len(list(unknown.observe([CSR.of(stored)]))) == 1
    assert unknown.number == 1


# -- a model ---------------------------------------------------------------------------------------------------------

TEXTS = [f"goal keeper x{at}" for at in range(12)] + [f"x{at} y{at}" for at in range(8)]
LABELS = ["sport"] * 12 + ["other"] * 8
"""All of the best terms belong to the larger class."""
WORDS = "the class of most training documents without such terms"
OF_TWO: dict[str, Any] = {"selector": "chi", "n_terms": 2, "n_jobs": 1}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("label_format", ["single", "sets", "matrix"])
def test_terms_that_all_speak_for_one_class(classifier: str, label_format: str) -> None:
    labels: Any = {
        "single": LABELS,
        "sets": [(label,) for label in LABELS],
        "matrix": np.array([[label == "other", label == "sport"] for label in LABELS]).astype(int),
    }[label_format]
    model = plain_categorizer(**OF_TWO, classifier=classifier).fit(TEXTS, labels)
    assert set(model.terms_) == {"goal", "keeper"}
    assert model.model_.class_docs == (8, 12)
    assert model.model_.fallback == 0
    with pytest.warns(UserWarning, match=rf"2 of 3 .* they get {WORDS}, ") as caught:
        predicted = model.predict(["", "never heard", "goal"])
    assert str(caught[0].message).endswith(", 0." if label_format == "matrix" else ", 'other'.")
    expected: Any = {"single": ["other"] * 2, "sets": [("other",)] * 2, "matrix": [[1, 0]] * 2}[label_format]
    assert (predicted.tolist() if hasattr(predicted, "tolist") else predicted)[:2] == expected
    explained = model.explain("never heard")
    assert explained.predicted == {"single": "other", "sets": ("other",), "matrix": (0,)}[label_format]
    assert f"No term of the text is known to the model, so {WORDS} is taken." in str(explained)
    assert explained.unknown is not None
    assert model.explain("goal").unknown is None


def test_if_all_documents_have_a_term_the_fallback_is_the_most_frequent_class() -> None:
    model = plain_categorizer(n_terms="all").fit(TEXTS, LABELS)
    assert model.model_.fallback is None
    assert model.model_.fallback_class == 1
    sentence = "No term of the text is known to the model, so the most frequent class is taken."
    assert sentence in str(model.explain("never heard"))


def test_a_fallback_that_is_the_most_frequent_class_is_not_stored() -> None:
    """The model stores a fallback class only if it is not the most frequent class."""
    labels = ["other"] * 12 + ["sport"] * 8
    few = [text if at < 6 else f"z{at}" for at, text in enumerate(TEXTS)]
    model = plain_categorizer(**OF_TWO).fit(few, labels)
    assert set(model.terms_) == {"goal", "keeper"}
    assert model.model_.fallback == 1  # without terms: eight of "sport", six of "other"
    more = plain_categorizer(**OF_TWO).fit([*few, "z1", "z2", "z3"], [*labels, "other", "other", "other"])
    assert more.model_.fallback is None
    assert more.model_.fallback_class == 0


def test_documents_without_a_label_do_not_count() -> None:
    unlabelled = [None] * 30
    model = plain_categorizer(**OF_TWO).fit([*TEXTS, *["y z"] * 30], [*LABELS, *unlabelled])
    assert model.model_.about["n_unlabelled"] == 30
    assert model.model_.fallback_class == 0
    none = [None if label == "other" and at % 2 else label for at, label in enumerate(LABELS)]
    four = plain_categorizer(**OF_TWO).fit([*TEXTS, "v", "w"], [*none, "third", "third"])
    assert four.classes_[four.model_.fallback_class] == "other"  # four "other" without terms, two "third"
    none = [None if label == "other" and at != 12 else label for at, label in enumerate(LABELS)]
    single = plain_categorizer(**OF_TWO).fit([*TEXTS, "v", "w"], [*none, "third", "third"])
    assert single.classes_[single.model_.fallback_class] == "third"


def test_a_document_counts_for_each_of_its_labels() -> None:
    sets = [("sport",)] * 12 + [("left", "other")] * 3 + [("other",)] + [("left",)] * 2 + [()] * 2
    model = plain_categorizer(**OF_TWO, folds=2).fit(TEXTS, sets)
    assert set(model.terms_) == {"goal", "keeper"}
    with pytest.warns(UserWarning, match="'left'"):
        assert model.predict(["never heard"]) == [("left",)]  # without terms: five of "left", four of "other"


@pytest.mark.parametrize("classifier", ["svm", "nb", "rocchio", "knn"])
def test_terms_of_weight_zero_are_no_terms(classifier: str) -> None:
    """With a plain idf, a term of all documents has weight 0; a document with no other term has no known term."""
    texts = [f"all {text}" for text in TEXTS]
    weights: dict[str, Any] = {"idf": "plain", "norm": "l2", "classifier": classifier}
    model = plain_categorizer(**weights, selector="df", n_terms=2, min_df=12).fit(texts, LABELS)
    assert set(model.terms_) == {"all", "goal"}
    assert model.model_.fallback == 0
    explained = model.explain("all")
    assert explained.predicted == "other"
    assert f"No term of the text has a weight in the model, so {WORDS} is taken." in str(explained)


def test_weights_too_small_for_32_bits_are_weights() -> None:
    """Training may round them to 0, but prediction does not, so they count as terms."""
    plan = TrainingPlan.of(plain_categorizer(classifier="svm").settings(), n_jobs=1)
    plan = replace(plan, scheme=Scheme("tf", "none", "none"))
    counts = csr_matrix(np.array([[1.0, 0], [1.0, 0], [1.0, 0], [0, 1e-60], [0, 1e-60], [0, 0]]))
    targets = Targets.of(["a", "a", "a", "b", "b", "c"], 6)
    fitted = plan.fit_counts(counts, targets)
    assert plan.scores(fitted, counts).is_unknown.tolist() == [False] * 5 + [True]
    assert fitted.fallback == 2


# -- streams, folds, comparisons -------------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)  # some of them learn in slices
@pytest.mark.parametrize("label_format", ["single", "sets"])
def test_a_stream_gives_the_same(classifier: str, label_format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    labels: list[Any] = [None if at % 9 == 8 else label for at, label in enumerate(LABELS)]
    if label_format == "sets":
        labels = [() if label is None else (label,) for label in labels]
    settings: dict[str, Any] = {**OF_TWO, "classifier": classifier, "cut": "rcut", "cut_options": {"ranks": 1}}
    in_memory = plain_categorizer(**settings).fit(TEXTS, labels).model_
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 3)
    monkeypatch.setattr(training_documents, "MAX_VALUES", 20)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(TEXTS, labels)).model_
    assert streamed.about["n_tuned_on"] is not None
    assert in_memory.about["n_tuned_on"] is None
    assert streamed.fallback == in_memory.fallback == 0


def alone(at: int, label: str) -> str:
    """Return a text, which has selected terms only if its label is sport."""
    return f"goal keeper x{at}" if label == "sport" else f"x{at} y{at}"


def test_held_out_documents_get_the_fallback_of_the_training_documents() -> None:
    """Documents without a term are mostly "right" in the training part, and mostly "left" in all documents."""
    labels = ["sport"] * 20 + ["left"] * 15 + ["right"] * 8
    is_test = held_out(labels, 0.4)
    texts = [alone(at, label) for at, label in enumerate(labels)]
    left = [at for at, label in enumerate(labels) if label == "left" and not is_test[at]]
    for at in left[:5]:
        texts[at] = f"goal x{at}"  # so that fewer "left" documents are without terms
    model = plain_categorizer(**OF_TWO, held_out=0.4).fit(texts, labels)
    without = [label for at, label in enumerate(labels) if "goal" not in texts[at] and not is_test[at]]
    assert without.count("right") > without.count("left")
    of_all = [label for text, label in zip(texts, labels, strict=True) if "goal" not in text]
    assert of_all.count("right") < of_all.count("left")
    assert model.held_out_ is not None
    by_label = {row["label"]: row for row in model.held_out_["classes"]}
    n_unknown = sum("goal" not in text for text, test in zip(texts, is_test, strict=True) if test)
    assert model.held_out_["without_known_terms"] == n_unknown
    assert by_label["right"]["predicted"] == n_unknown
    assert by_label["right"]["recall"] == 1.0


def test_the_number_of_terms_is_tuned_with_the_fallback_of_each_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "size_grid", lambda most: [2, 5, most])
    model = plain_categorizer(selector="chi", n_terms="auto", folds=4, n_jobs=1).fit(TEXTS, LABELS)
    assert model.curve_ is not None
    fold_of = folds(LABELS, 4)
    for point in model.curve_:
        scores = []
        for fold in range(4):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            own = plain_categorizer(selector="chi", n_terms=point.n_terms, n_jobs=1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                own.fit([TEXTS[at] for at in train], [LABELS[at] for at in train])
                scores.append(own.score([TEXTS[at] for at in test], [LABELS[at] for at in test]))
        assert point.score == pytest.approx(np.mean(scores), abs=1e-12)
    assert len(model.curve_) == 3
    assert model.curve_[0].score == 1.0  # the most frequent class would be wrong for the eight others


@pytest.mark.parametrize("multilabel", [False, True])
def test_comparisons_use_the_fallback(multilabel: bool) -> None:
    labels: Any = [(label,) for label in LABELS] if multilabel else LABELS
    comparison = compare(TEXTS, labels, selectors="chi", n_terms=2, classifiers="svm,nb,knn(k=3)", folds=4, n_jobs=1)
    assert [row.micro_f1 for row in comparison.rows if not multilabel] == [1.0] * (0 if multilabel else 12)
    assert sum(row.unknown or 0 for row in comparison.rows) == 3 * 8
    assert all(row.by_class is not None and row.by_class[0][0] == 2 for row in comparison.rows)
