"""Results on held-out documents equal those computed by hand, with categorizers trained on the other documents.

If both agree, the held-out documents had no influence on the models that score them.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.depth import few_examples
from tests.reference.categorizer_cases import Texts, plain_categorizer, small_texts

from textsieve import OCFS, InputError
from textsieve.errors import TooFewDocuments
from textsieve.evaluation import Report, best_f1_threshold, folds, held_out, size_grid, smallest_within_one_error
from textsieve.registry import CLASSIFIERS

CLASSES = ["boat", "cook", "moon"]

pytestmark = pytest.mark.filterwarnings("ignore:k=30, but there are")  # the folds have fewer documents than k


def matrix_of(label_sets: Sequence[Sequence[str]]) -> Any:
    return np.array([[label in labels for label in CLASSES] for labels in label_sets]).astype(int)


def first_classes(labels: Sequence[Any]) -> list[Any]:
    """Return the first class of each document, in the order of classes; folds are balanced by it."""
    return [min(own_labels) if isinstance(own_labels, tuple) and own_labels else own_labels for own_labels in labels]


def part(values: Any, is_in: Any) -> Any:
    return values[is_in] if isinstance(values, np.ndarray) else [values[at] for at in np.flatnonzero(is_in)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"n_terms": 10},
        {"n_terms": 0.4},
        {"n_terms": "all"},
        {"n_terms": "all", "classifier": "nb"},
        {"n_terms": "all", "classifier": "cnb", "norm": "none"},
        {"n_terms": "auto", "folds": 3, "ngram_range": (1, 2)},
        {"min_df": 3, "n_terms": "all"},
        {"min_df": 0.07, "max_df": 0.3, "classifier": "nb"},
        {"selector": OCFS(energy=0.7)},
        {"selector": "mi", "classifier": "rocchio", "n_terms": 12},
        {"class_weight": {"boat": 4.0}, "n_terms": 10},
    ],
    ids=str,
)
@pytest.mark.parametrize("share", [0.2, 0.5])
def test_one_label_as_by_hand(settings: dict[str, Any], share: float) -> None:
    case = small_texts(n=80, seed=2)
    settings = {**settings, "probabilities": None}
    model = plain_categorizer(held_out=share, **settings).fit(case.texts, case.labels)
    is_test = held_out(case.labels, share)
    by_hand = plain_categorizer(**settings).fit(part(case.texts, ~is_test), part(case.labels, ~is_test))
    report = by_hand.evaluate(part(case.texts, is_test), part(case.labels, is_test)).to_dict()
    assert model.held_out_ is not None
    # A model file has no documents, so the examples of confused classes are left out.
    expected = {name: value for name, value in report.items() if name not in ("labels", "confusion", "confusions")}
    assert model.held_out_ == expected | {"share": is_test.sum() / 80, "untested_classes": 0}
    assert report["documents"] == is_test.sum() > 10


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("label_format", ["tuples", "matrix"])
def test_several_labels_as_by_hand(classifier: str, label_format: str) -> None:
    case = small_texts(n=80, multilabel=True, seed=3)
    label_sets: Any = [() if at % 9 == 4 else labels for at, labels in enumerate(case.label_sets)]
    labels = matrix_of(label_sets) if label_format == "matrix" else label_sets
    settings: dict[str, Any] = {"classifier": classifier, "n_terms": 12, "folds": 3}
    model = plain_categorizer(held_out=0.3, **settings).fit(case.texts, labels)
    # Unlabelled documents are trained on, for the idf, but never held out. In a matrix, a row of zeros is a label set.
    usable = np.array([label_format == "matrix" or bool(labels) for labels in label_sets])
    is_test = np.zeros(80, np.bool_)
    is_test[usable] = held_out(part(first_classes(label_sets), usable), 0.3)
    by_hand = plain_categorizer(**settings).fit(part(case.texts, ~is_test), part(labels, ~is_test))
    report = by_hand.evaluate(part(case.texts, is_test), part(labels, is_test)).to_dict()
    assert model.held_out_ is not None
    assert model.held_out_ == report | {"share": is_test.sum() / usable.sum(), "untested_classes": 0}
    assert report["unlabelled"] == 0
    assert report["documents"] == is_test.sum()


def test_documents_without_a_label_are_never_held_out() -> None:
    case = small_texts(n=80)
    labels = [None if at % 4 == 1 else label for at, label in enumerate(case.labels)]
    model = plain_categorizer(held_out=0.5, n_terms=10).fit(case.texts, labels)
    labelled = np.array([label is not None for label in labels])
    is_test = np.zeros(80, np.bool_)
    is_test[labelled] = held_out(part(labels, labelled), 0.5)
    by_hand = plain_categorizer(n_terms=10).fit(part(case.texts, ~is_test), part(labels, ~is_test))
    assert model.held_out_ is not None
    assert model.held_out_["accuracy"] == by_hand.evaluate(part(case.texts, is_test), part(labels, is_test)).accuracy
    assert model.held_out_["documents"] == is_test.sum() == 30
    assert model.held_out_["share"] == 0.5


def test_small_classes_are_held_out_too_and_untested_classes_are_counted() -> None:
    """Two classes are easy; the documents of the many small classes have nothing in common."""
    easy = [("sail wind", "boat"), ("salt oven", "cook")] * 50
    noise = [(f"word{at} thing{7 * at % 120}", f"noise {at % 30}") for at in range(120)]
    texts, labels = zip(*easy, *noise, ("lion cage", "zoo"), strict=True)
    model = plain_categorizer(held_out=0.2, n_terms="all").fit(texts, labels)
    assert model.held_out_ is not None
    measured = {row["label"]: row["documents"] for row in model.held_out_["classes"]}
    assert measured["boat"] == measured["cook"] == 10
    assert sum(measured.values()) == model.held_out_["documents"] == 44
    assert model.held_out_["share"] == 44 / 221
    assert model.held_out_["untested_classes"] == list(measured.values()).count(0) == 7
    assert model.held_out_["accuracy"] < 0.6


def test_no_confusion_matrix_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Report, "confusion", None)
    case = small_texts()
    assert plain_categorizer(held_out=0.3, n_terms=10).fit(case.texts, case.labels).held_out_ is not None


def test_terms_of_held_out_documents_are_unknown_in_training() -> None:
    """Held-out documents that have only words of their own get the most frequent class of the others."""
    case = small_texts(n=80)
    is_test = held_out(case.labels, 0.25)
    texts = [
        f"only{at} mine{at}" if test else text for at, (text, test) in enumerate(zip(case.texts, is_test, strict=True))
    ]
    model = plain_categorizer(held_out=0.25, n_terms="all").fit(texts, case.labels)
    assert model.held_out_ is not None
    assert model.held_out_["without_known_terms"] == is_test.sum()
    sizes = [part(case.labels, ~is_test).count(label) for label in CLASSES]
    most_frequent = CLASSES[int(np.argmax(sizes))]
    assert model.held_out_["accuracy"] == part(case.labels, is_test).count(most_frequent) / is_test.sum()


@pytest.mark.parametrize("classifier", ["rocchio", "svm", "nb"])
def test_a_term_of_all_documents_has_no_weight(classifier: str) -> None:
    """With a plain idf its weight is 0, so a document without another term counts as empty, held out or not."""
    case = small_texts(n=80)
    labels = ["the usual" if label == "moon" else label for label in case.labels] + ["the usual"] * 20
    texts = [f"everywhere {text}" for text in case.texts] + [f"everywhere only{at}" for at in range(20)]
    settings: dict[str, Any] = {"classifier": classifier, "idf": "plain", "norm": "l2", "min_df": 2, "n_terms": "all"}
    model = plain_categorizer(held_out=0.3, **settings).fit(texts, labels)
    with pytest.warns(UserWarning, match="1 of 2 documents is empty or has none of the selected terms; it gets"):
        assert model.predict(["everywhere", "everywhere sail wind"]).tolist() == ["the usual", "boat"]
    assert model.explain("everywhere").predicted == "the usual"
    is_test = held_out(labels, 0.3)
    assert model.held_out_ is not None
    assert model.held_out_["without_known_terms"] == is_test[80:].sum() + sum(
        not set(text.split()[1:]) & set(" ".join(part(texts, ~is_test)).split())
        for text in part(texts[:80], is_test[:80])
    )
    assert is_test[80:].sum() > 3


def test_holding_out_does_not_change_the_model() -> None:
    case = small_texts()
    plain, measured = (
        plain_categorizer(n_terms=10, held_out=share).fit(case.texts, case.labels) for share in (None, 0.3)
    )
    assert plain.held_out_ is None
    assert plain.terms_ == measured.terms_
    assert plain.decision_function(case.texts).tobytes() == measured.decision_function(case.texts).tobytes()


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.2, 1.5, True, "0.2", float("nan")])
def test_invalid_shares_raise(share: Any) -> None:
    case = small_texts()
    with pytest.raises(InputError, match=r"held_out=.*; use a share of the documents above 0 and below 1, or None"):
        plain_categorizer(held_out=share).fit(case.texts, case.labels)


def test_too_few_documents_to_hold_out_raise() -> None:
    with pytest.raises(TooFewDocuments, match=r"held_out=0\.2: 4 documents are too few"):
        plain_categorizer(held_out=0.2).fit(["sail wind", "salt oven", "sail", "salt"], ["a", "b", "a", "b"])
    with pytest.raises(TooFewDocuments, match="too few to hold some of them out: without them, no term is left"):
        plain_categorizer(held_out=0.5, min_df=3).fit(["sail wind"] * 4 + ["salt"] * 4, ["a", "b"] * 4)
    with pytest.raises(TooFewDocuments, match="fewer than two classes would be left"):
        plain_categorizer(n_terms="auto").fit(["sail wind", "salt oven"], ["a", "b"])


# -- thresholds ------------------------------------------------------------------------------------------------------


def held_out_scores(case: Texts, labels: Any, fold_of: Any, settings: dict[str, Any]) -> dict[Any, list[Any]]:
    """Return (score, document) pairs for each class, from models that know the class but not the document."""
    pairs: dict[Any, list[Any]] = {}
    for fold in sorted({number for number in fold_of.tolist() if number >= 0}):
        is_test = fold_of == fold
        train_labels = part(labels, ~is_test)
        no_folds = {} if settings["classifier"] == "rocchio" else {"cut": "zero"}  # scores do not depend on the cut
        model = plain_categorizer(**settings | no_folds).fit(part(case.texts, ~is_test), train_labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = model.predict_scores(part(case.texts, is_test)).scores
        for column, label in enumerate(model.classes_.tolist()):
            n_members = sum(label in own_labels for own_labels in train_labels)
            if 0 < n_members < sum(bool(own_labels) for own_labels in train_labels):
                pairs.setdefault(label, []).extend(zip(scores[:, column], np.flatnonzero(is_test), strict=True))
    return pairs


def check_thresholds(case: Texts, label_sets: Any, settings: dict[str, Any]) -> None:
    settings = {"cut": "scut", **settings}
    model = plain_categorizer(**settings).fit(case.texts, label_sets)
    labelled = np.array([bool(labels) for labels in label_sets])
    fold_of = np.full(len(label_sets), -1)
    fold_of[labelled] = folds(part(first_classes(label_sets), labelled), settings["folds"])
    scores = held_out_scores(case, label_sets, fold_of, settings)
    assert model.thresholds_ is not None
    for label, threshold in zip(model.classes_.tolist(), model.thresholds_.tolist(), strict=True):
        judged = scores.get(label, [])
        values = np.array([score for score, _ in judged])
        members = np.array([label in label_sets[document] for _, document in judged], np.bool_)
        assert threshold == best_f1_threshold(values, members), label
        assert abs(threshold) < 1e6


@pytest.mark.parametrize("classifier", ["svm", "nb", "cnb", "rocchio"])
@pytest.mark.parametrize("more", [{}, {"min_df": 3, "n_terms": "all"}, {"selector": "chi", "n_terms": 0.5}], ids=str)
def test_thresholds_are_the_best_for_documents_held_out(classifier: str, more: dict[str, Any]) -> None:
    case = small_texts(n=50, multilabel=True, seed=1)
    label_sets = [() if at % 11 == 5 else labels for at, labels in enumerate(case.label_sets)]
    check_thresholds(case, label_sets, {"classifier": classifier, "folds": 3, "n_terms": 10} | more)


@pytest.mark.slow
@few_examples
@given(st.integers(0, 1000), st.integers(12, 30))
def test_thresholds_where_classes_are_rare(seed: int, n: int) -> None:
    case = small_texts(n=n, multilabel=True, seed=seed)
    rare = [
        (*labels, "one") if at == 7 else (*labels, "two") if at in (2, 9) else labels
        for at, labels in enumerate(case.label_sets)
    ]
    check_thresholds(case, rare, {"classifier": "nb", "folds": 4, "n_terms": 12})


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_a_class_of_one_document_is_not_given_to_all() -> None:
    """When its only document is held out, the class cannot be learned; this must not give it the lowest threshold."""
    case = small_texts(n=60, multilabel=True)
    labels = [(*own_labels, "rare") if at == 30 else own_labels for at, own_labels in enumerate(case.label_sets)]
    for classifier in ("svm", "nb", "rocchio"):
        model = plain_categorizer(classifier=classifier, n_terms=15).fit(case.texts, labels)
        predicted = model.predict(case.texts)
        assert sum("rare" in own_labels for own_labels in predicted) <= 3
        assert model.score(case.texts, labels) > 0.7


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_a_class_of_all_documents_but_one_is_predicted() -> None:
    case = small_texts(n=60, multilabel=True)
    labels = [own_labels if at == 30 else (*own_labels, "usual") for at, own_labels in enumerate(case.label_sets)]
    for classifier in ("svm", "nb", "rocchio"):
        model = plain_categorizer(classifier=classifier, n_terms=15).fit(case.texts, labels)
        assert sum("usual" in own_labels for own_labels in model.predict(case.texts)) >= 57


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_a_class_of_all_documents_and_a_column_of_none() -> None:
    case = small_texts(n=40, multilabel=True)
    Y = np.hstack([matrix_of(case.label_sets), np.ones((40, 1), int), np.zeros((40, 1), int)])
    for classifier in ("svm", "nb"):
        predicted = plain_categorizer(classifier=classifier, n_terms=15).fit(case.texts, Y).predict(case.texts)
        assert predicted[:, 3].all()
        assert not predicted[:, 4].any()
        assert (predicted[:, :3] == Y[:, :3]).mean() > 0.7


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
@pytest.mark.parametrize("cut", ["scut", "scutfbr", "rcut", "pcut", "zero"])
@pytest.mark.parametrize("classifier", ["svm", "logistic", "nb", "cnb"])
def test_classes_of_all_or_no_documents_get_moderate_scores_with_any_cut(classifier: str, cut: str) -> None:
    case = small_texts(n=40, multilabel=True)
    Y = np.hstack([matrix_of(case.label_sets), np.ones((40, 1), int), np.zeros((40, 1), int)])
    model = plain_categorizer(classifier=classifier, cut=cut, n_terms=15).fit(case.texts, Y)
    predicted, scores = model.predict(case.texts), model.predict_scores(case.texts).scores
    assert predicted[:, 3].all()
    assert not predicted[:, 4].any()
    assert np.abs(scores).max() <= 1000
    if model.thresholds_ is not None:
        assert model.thresholds_[3:].tolist() == [0.0, 0.0]


def test_a_column_that_no_document_has_never_wins() -> None:
    case = small_texts(n=60)
    Y = np.hstack([matrix_of([(label,) for label in case.labels]), np.zeros((60, 1), int)])
    for classifier in ("svm", "logistic", "nb", "cnb", "rocchio"):
        model = plain_categorizer(classifier=classifier, multilabel=False, norm="l2").fit(case.texts, Y)
        scores = model.predict_scores([*case.texts, "sail", "salt " * 1000]).scores
        assert (scores[:, 3] < scores[:, :3].min(axis=1)).all()
        assert np.abs(scores).max() < 100


# -- number of terms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("classifier", ["svm", "nb"])
def test_the_curve_as_by_hand(classifier: str, multilabel: bool) -> None:
    case = small_texts(n=45, multilabel=multilabel, seed=8)
    labels: Any = case.label_sets if multilabel else case.labels
    settings: dict[str, Any] = {"classifier": classifier, "ngram_range": (1, 2), "folds": 3, "cut": "scut"}
    model = plain_categorizer(n_terms="auto", **settings).fit(case.texts, labels)
    assert model.curve_ is not None
    n_terms = model.model_.about["n_terms_seen"]
    assert [point.n_terms for point in model.curve_] == size_grid(n_terms)
    assert len(model.curve_) >= 3
    fold_of = folds(first_classes(labels), 3)
    for point in model.curve_:
        scores = []
        for fold in range(3):
            is_test = fold_of == fold
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings of fewer terms than requested
                own = plain_categorizer(n_terms=point.n_terms, **settings).fit(
                    part(case.texts, ~is_test), part(labels, ~is_test)
                )
                fold_scores = own.predict_scores(part(case.texts, is_test)).scores
            scores.append(score_of(fold_scores, own.classes_.tolist(), part(labels, is_test), multilabel))
        assert point.score == pytest.approx(np.mean(scores), abs=1e-12)
        assert point.error == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3), abs=1e-12)
    assert len(model.terms_) == smallest_within_one_error(model.curve_)


def score_of(scores: Any, classes: list[str], labels: Any, multilabel: bool) -> float:
    """Return the accuracy, or the micro-F1 at the thresholds that are best for these documents."""
    if not multilabel:
        return float(
            np.mean([classes[best] == label for best, label in zip(scores.argmax(axis=1), labels, strict=True)])
        )
    true = np.array([[label in own_labels for label in classes] for own_labels in labels])
    predicted = np.transpose(
        [scores[:, at] >= best_f1_threshold(scores[:, at], true[:, at]) for at in range(len(classes))]
    )
    return float(2 * (predicted & true).sum() / (predicted.sum() + sum(map(len, labels))))


def test_the_number_of_terms_is_the_smallest_within_one_error_and_always_the_same() -> None:
    case = small_texts(n=60)
    models = [
        plain_categorizer(n_terms="auto", ngram_range=(1, 2), n_jobs=jobs).fit(case.texts, case.labels)
        for jobs in (1, 2)
    ]
    assert models[0].curve_ == models[1].curve_
    assert models[0].terms_ == models[1].terms_
    curve = models[0].curve_
    assert curve is not None
    best = max(curve, key=lambda point: point.score)
    smallest = next(point for point in curve if point.score >= best.score - best.error)
    assert len(models[0].terms_) == smallest.n_terms
    assert plain_categorizer(n_terms=10).fit(case.texts, case.labels).curve_ is None


def test_few_terms_are_all_selected() -> None:
    case = small_texts(n=60)
    model = plain_categorizer(n_terms="auto").fit(case.texts, case.labels)
    assert model.curve_ is not None
    assert [point.n_terms for point in model.curve_] == [len(model.terms_)] == [model.model_.about["n_terms_seen"]]


def test_the_curve_of_a_selector_with_its_own_limit_has_one_point() -> None:
    case = small_texts(n=45)
    model = plain_categorizer(n_terms="auto", selector=OCFS(energy=0.5), ngram_range=(1, 2)).fit(
        case.texts, case.labels
    )
    assert model.curve_ is not None
    assert [point.n_terms for point in model.curve_] == [len(model.terms_)]
    assert 0 < len(model.terms_) < 100


def test_the_curve_has_a_point_for_each_number_of_selected_terms() -> None:
    """Most words are rare and below delta, so above some limit testors always select the same terms."""
    case = small_texts(n=80)
    texts = [f"{text} rare{at} seldom{at} odd{at}" for at, text in enumerate(case.texts)]
    model = plain_categorizer(n_terms="auto", selector="testors", selector_options={"delta": 0.4}).fit(
        texts, case.labels
    )
    assert model.curve_ is not None
    assert len(size_grid(model.model_.about["n_terms_seen"])) > len(model.curve_) >= 1
    numbers = [point.n_terms for point in model.curve_]
    assert numbers == sorted(set(numbers))
    assert len(model.terms_) in numbers
    assert len(model.terms_) == smallest_within_one_error(model.curve_)


@pytest.mark.parametrize("n_folds", [1, 0, -3, 2.0, "5", None, True])
def test_invalid_folds_raise(n_folds: Any) -> None:
    case = small_texts()
    with pytest.raises(InputError, match=r"folds=.*; use a number from 2"):
        plain_categorizer(folds=n_folds).fit(case.texts, case.labels)


def test_more_folds_than_documents_are_accepted() -> None:
    case = small_texts(n=12, multilabel=True)
    settings: dict[str, Any] = {"classifier": "nb", "folds": 1000, "n_terms": 10}
    check_thresholds(case, case.label_sets, settings)


# -- progress --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("multilabel", [False, True])
def test_progress_reports_stages_and_plausible_numbers(multilabel: bool) -> None:
    case = small_texts(multilabel=multilabel)
    reports: list[tuple[str, int, int | None]] = []
    plain_categorizer(n_terms="auto", held_out=0.3, folds=3, ngram_range=(1, 2), probabilities="auto").fit(
        case.texts, case.label_sets if multilabel else case.labels, progress=lambda *report: reports.append(report)
    )
    stages = list(dict.fromkeys(stage for stage, _, _ in reports))
    # The model that is measured has no probabilities, so its terms are selected before documents are scored.
    scoring = ["scoring held-out documents", "selecting"] if multilabel else ["selecting", "scoring held-out documents"]
    assert stages == ["counting", "held out", "choosing the number of terms", *scoring, "training"]
    for _, done, total in reports:
        assert isinstance(done, int)
        assert done >= 0
        assert total is None or done <= total
    last = [report for report in reports if report[0] == "choosing the number of terms"][-1]
    assert last[1] == last[2]
