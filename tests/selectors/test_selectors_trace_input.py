"""Input of TOFA: invalid settings, unlabelled documents, classes without documents; in categorizers and commands."""

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.cli_cases import documents, write_csv
from tests.reference.trace_twin import assert_trace_scores

from textsieve import (
    OCFS,
    TOFA,
    Cascade,
    Categorizer,
    ClassStats,
    DocumentFrequency,
    InputError,
    OrthogonalCentroid,
    load,
    read,
)
from textsieve.cli.program import program
from textsieve.selectors.trace import between_class_scatter, scatter_of_class
from textsieve.training.ranking import rank_terms

NAN = float("nan")
ROWS = np.array([[4.0, 0, 1, 2], [3, 1, 0, 2], [0, 5, 1, 2], [1, 4, 1, 2], [2, 2, 9, 2], [0, 0, 7, 2]])
KNOWN: list[Any] = ["a", "a", "b", "b", None, None]
SETS: list[tuple[str, ...]] = [("a",), ("a",), ("b",), ("b",), (), ()]

# -- settings ------------------------------------------------------------------------------------------------------

NO_WEIGHT: list[Any] = [NAN, float("inf"), -float("inf"), None, "x", "", "1", "AUTO", True, False, 1j, [1], (), {}]
NO_WEIGHT += [np.float64("nan"), np.float32("inf"), np.bool_(True), np.complex128(1), np.array(1.0), 10**400, TOFA]


@pytest.mark.parametrize("weight", NO_WEIGHT, ids=repr)
def test_invalid_weights_raise(weight: Any) -> None:
    words = r"^weight=.*; use a number up to 1e12, for example 1\.0, or 'auto'\.$"
    for labels in (KNOWN, None):
        with pytest.raises(InputError, match=words):
            TOFA(weight=weight).fit(ROWS, labels)
    with pytest.raises(InputError, match=words):
        TOFA(weight=weight).fit_stats(ClassStats.from_matrix(ROWS, KNOWN))
    with pytest.raises(InputError, match=words):
        _ = TOFA(weight=weight).partial_fit(ROWS, KNOWN).scores_
    with pytest.raises(InputError, match=words):
        Cascade([DocumentFrequency(), TOFA(weight=weight)]).fit(ROWS, KNOWN)


@pytest.mark.parametrize("weight", [1, 1.0, np.int8(1), np.uint64(1), np.float32(1), np.float64(1)], ids=repr)
def test_any_number_is_a_weight(weight: Any) -> None:
    selector = TOFA(weight=weight).fit(ROWS, KNOWN)
    assert selector.scores_.tolist() == OCFS().fit(ROWS, KNOWN).scores_.tolist()
    assert type(selector.weight_) is float
    assert selector.weight_ == 1.0


@pytest.mark.parametrize("class_weight", ["x", "", "Balanced", 1, True, {"a": 1}, ["balanced"], np.array(["balanced"])])
@pytest.mark.parametrize("selector", [TOFA(), TOFA(weight=0.5), TOFA(weight=1), OCFS()], ids=repr)
def test_invalid_class_weights_raise(selector: Any, class_weight: Any) -> None:
    with pytest.raises(InputError, match=r"class_weight=.*; use 'balanced', or None"):
        clone(selector).set_params(class_weight=class_weight).fit(ROWS, KNOWN)


def test_the_automatic_weight_gets_the_scatters_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments are the two scatters, the statistics, the number of terms, and the class shares."""
    calls: list[Any] = []

    def a_quarter(*given: Any) -> float:
        calls.append(given)
        return 0.25

    monkeypatch.setattr("textsieve.selectors.trace.auto_weight", a_quarter)
    labels = ["a", "b", "b", "b", None, -1]
    shares_by_setting: list[tuple[Any, list[float]]] = [(None, [0.25, 0.75]), ("balanced", [0.5, 0.5])]
    for class_weight, shares in shares_by_setting:
        for k, most in ((3, 3), (0.5, 2), ("all", 4), (None, 4)):
            selector = TOFA(k=k, class_weight=class_weight).fit(ROWS, labels)
            between, total, stats, n_terms, of_classes = calls.pop()
            assert between.tolist() == TOFA(weight=1, class_weight=class_weight).fit(ROWS, labels).scores_.tolist()
            assert total.tolist() == TOFA(weight=0).fit(ROWS).scores_.tolist()
            assert stats == selector.stats_
            assert n_terms == most
            assert of_classes.tolist() == shares
            expected = TOFA(weight=0.25, class_weight=class_weight).fit(ROWS, labels)
            assert selector.scores_.tolist() == expected.scores_.tolist()
            assert selector.weight_ == 0.25
    assert not calls


@pytest.mark.parametrize("unlabelled", [[-1], {-1}, b"-1", 1j, np.array([-1, 2])], ids=repr)
def test_invalid_unlabelled_markers_raise(unlabelled: Any) -> None:
    for fit in (TOFA(unlabelled=unlabelled).fit, TOFA(unlabelled=unlabelled).partial_fit):
        with pytest.raises(InputError, match=r"unlabelled=.*text or a number, or None"):
            fit(ROWS, KNOWN)
    with pytest.raises(InputError, match="unlabelled="):
        TOFA(unlabelled=unlabelled).fit_stats(ClassStats.from_matrix(ROWS, KNOWN))


def test_k_above_the_number_of_terms_warns() -> None:
    with pytest.warns(UserWarning, match="k=9, but there are 4 terms; all of them are kept"):
        assert TOFA(k=9).fit(ROWS, KNOWN).get_support().sum() == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TOFA().fit(ROWS, KNOWN).get_support().sum() == 4
    with pytest.raises(InputError, match="k=0"):
        TOFA(k=0).fit(ROWS, KNOWN)


@pytest.mark.parametrize(
    "selector", [TOFA(weight=0), TOFA(), TOFA(weight=2, class_weight="balanced"), OCFS()], ids=repr
)
def test_no_documents_or_terms_raise(selector: Any) -> None:
    with pytest.raises(InputError, match="There are no documents"):
        clone(selector).fit_stats(ClassStats.zero(3))
    with pytest.raises(ValueError, match="0 sample"):
        clone(selector).fit(np.zeros((0, 3)), [])
    with pytest.raises(ValueError, match="0 feature"):
        clone(selector).fit(np.zeros((3, 0)), ["a", "b", "a"])
    empty = clone(selector).fit(sparse.csr_array((4, 3)), ["a", "b", "a", "b"])
    assert empty.scores_.tolist() == [0.0, 0.0, 0.0]
    assert empty.ranking_.tolist() == [0, 1, 2]
    with pytest.raises(NotFittedError):
        _ = clone(selector).scores_
    for name in ("weight_", "energy_"):
        with pytest.raises(NotFittedError):
            getattr(clone(selector), name)


@pytest.mark.parametrize("value", [NAN, float("inf"), 1e151])
def test_values_that_cannot_be_added_up(value: float) -> None:
    rows = ROWS.copy()
    rows[1, 1] = value
    with pytest.raises(ValueError, match=r"NaN|infinity|1e150"):
        TOFA(weight=0).fit(rows)


# -- labels --------------------------------------------------------------------------------------------------------

NUMBERED: list[Any] = [0, 0, 1, 1]
WAYS: dict[str, Any] = {
    "-1": [*NUMBERED, -1, -1],
    "array": np.array([*NUMBERED, -1, -1]),
    "floats": np.array([*NUMBERED, -1.0, NAN]),
    "objects": np.array([*NUMBERED, None, -1], object),
    "NaN": [*NUMBERED, NAN, np.float32("nan")],
    "lists": [[0], [0], [1], [1], [-1], []],
    "a matrix": np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]]),
    "a sparse matrix": sparse.csr_array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 0], [0, 0]]),
    "texts": ["a", "a", "b", "b", "", None],
    "texts and -1": ["a", "a", "b", "b", -1, NAN],
    "texts in an array": np.array(["a", "a", "b", "b", "", ""]),
}


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("way", WAYS)
def test_any_form_of_missing_label(way: str, weight: float, class_weight: Any) -> None:
    selector = TOFA(weight=weight, class_weight=class_weight).fit(ROWS, WAYS[way])
    assert_trace_scores(selector.scores_, ROWS.tolist(), SETS, weight, balanced=class_weight is not None)
    assert len(selector.classes_) == 2
    assert selector.stats_.n_documents == 6
    assert selector.stats_.n_pairs == 4


def test_the_documents_without_a_label_matter() -> None:
    """The third term varies only among the unlabelled documents."""
    assert TOFA(weight=0.3, k=1).fit(ROWS, KNOWN).get_support(indices=True).tolist() == [2]
    assert TOFA(weight=0.3, k=1).fit(ROWS[:4], KNOWN[:4]).get_support(indices=True).tolist() == [1]
    assert TOFA(weight=1.0, k=1).fit(ROWS, KNOWN).get_support(indices=True).tolist() == [1]


def test_minus_one_is_a_class_if_unlabelled_is_none() -> None:
    labels = [-1, -1, 1, 1, 0, 0]
    selector = TOFA(weight=0.5, unlabelled=None).fit(ROWS, labels)
    assert selector.classes_.tolist() == [-1, 0, 1]
    assert_trace_scores(selector.scores_, ROWS.tolist(), [(label,) for label in labels], 0.5)
    assert TOFA(weight=0.5, unlabelled=None).fit(ROWS[:4], labels[:4]).classes_.tolist() == [-1, 1]
    missing = [*NUMBERED, NAN, NAN]
    assert TOFA(weight=0.5, unlabelled=None).fit(ROWS, missing).classes_.tolist() == sorted(set(NUMBERED))
    assert OCFS().fit(ROWS, labels).classes_.tolist() == [-1, 0, 1], "it knows no label that means none"
    assert OCFS().fit(ROWS, missing).classes_.tolist() == sorted(set(NUMBERED)), "NaN means none to all"


def test_another_label_may_mark_unlabelled_documents() -> None:
    labels = ["a", "a", "b", "b", "spam", "spam"]
    selector = TOFA(weight=0.5, unlabelled="spam").fit(ROWS, labels)
    assert selector.classes_.tolist() == ["a", "b"]
    assert_trace_scores(selector.scores_, ROWS.tolist(), SETS, 0.5)
    from_stats = TOFA(weight=0.5, unlabelled="spam").fit_stats(ClassStats.from_matrix(ROWS, labels))
    assert from_stats.scores_.tolist() == selector.scores_.tolist()
    with pytest.raises(InputError, match="mixed kinds"):
        TOFA(unlabelled="spam").fit(ROWS, ["a", "a", "b", "b", -1, "spam"])


def test_statistics_in_which_the_marker_is_a_class() -> None:
    labels = [*NUMBERED, -1, -1]
    stats = ClassStats.from_matrix(ROWS, labels)
    before = stats.to_bytes()
    for weight in (0.0, 0.4, 1.0, "auto"):
        selector = TOFA(weight=weight).fit_stats(stats)
        assert selector.scores_.tolist() == TOFA(weight=weight).fit(ROWS, labels).scores_.tolist()
        assert selector.classes_.tolist() == [0, 1]
    assert OCFS().fit_stats(stats).classes_.tolist() == [-1, 0, 1]
    selector.partial_fit(ROWS, labels)
    assert selector.stats_.n_documents == 12
    assert stats.to_bytes() == before, "the table belongs to who made it"


NO_LABELS: list[Any] = [
    [None] * 6,
    [-1] * 6,
    np.full(6, -1),
    [NAN] * 6,
    [""] * 6,
    [[]] * 6,
    np.zeros((6, 3)),
    [[-1]] * 6,
]


@pytest.mark.parametrize("labels", NO_LABELS, ids=repr)
@pytest.mark.parametrize("weight", [0.5, 1, -1, 2.0, "auto"])
def test_labels_are_needed_unless_the_weight_is_zero(labels: Any, weight: Any) -> None:
    words = r"(?s)No document has a label.*The label -1 means none, as unlabelled= says\. Without.* only weight=0"
    with pytest.raises(InputError, match=words):
        TOFA(weight=weight).fit(ROWS, labels)
    with pytest.raises(InputError, match=words):
        TOFA(weight=weight).fit_stats(ClassStats.from_matrix(ROWS, labels, unlabelled=-1))
    with pytest.raises(InputError, match=r"requires y to be passed, but the target y is None.*only weight=0"):
        TOFA(weight=weight).fit(ROWS)
    with pytest.raises(InputError, match=words):
        Cascade([DocumentFrequency(), TOFA(weight=weight)]).fit(ROWS, labels)
    assert TOFA(weight=weight).__sklearn_tags__().target_tags.required
    unsupervised = TOFA(weight=0).fit(ROWS, labels)
    np.testing.assert_allclose(unsupervised.scores_, ROWS.var(axis=0), rtol=1e-14)


def test_weight_zero_scores_the_variance_without_labels() -> None:
    selector = TOFA(weight=0, k=2).fit(sparse.csr_array(ROWS))
    np.testing.assert_allclose(selector.scores_, ROWS.var(axis=0), rtol=1e-14)
    assert selector.scores_[3] == 0.0
    assert selector.get_support(indices=True).tolist() == [1, 2]
    assert selector.transform(ROWS).tolist() == ROWS[:, [1, 2]].tolist()
    assert selector.fit_transform(ROWS).shape == (6, 2)
    assert selector.classes_.tolist() == []
    assert list(selector.best_by_class(3)) == []
    assert not TOFA(weight=0).__sklearn_tags__().target_tags.required
    streamed = TOFA(weight=0, k=2).partial_fit(ROWS[:3]).partial_fit(ROWS[3:], [-1, -1, -1])
    np.testing.assert_allclose(streamed.scores_, ROWS.var(axis=0), rtol=1e-14)
    for labels in (["a"] * 6, [1] * 6, np.ones((6, 2))):
        labelled = TOFA(weight=0).fit(ROWS, labels)
        assert labelled.scores_.tolist() == selector.scores_.tolist(), "labels do not matter, and need not tell apart"


@pytest.mark.parametrize("labels", [[1, 1, 1, -1, -1, -1], np.array([1, 1, 1, -1, -1, -1]), [1.0, 1, 1, -1, NAN, None]])
@pytest.mark.parametrize("weight", [1, "auto", 2])
def test_the_error_for_one_class_mentions_the_marker(labels: Any, weight: Any) -> None:
    """If the two classes are called 1 and -1, the second one is taken as unlabelled."""
    words = r"Only one class, 1.*\(3 documents have no label\.\) The label -1 means none, as unlabelled= says\."
    for selector in (TOFA(weight=weight), Cascade([OCFS(), TOFA(weight=weight)])):
        with pytest.raises(InputError, match=words):
            selector.fit(ROWS, labels)
    with pytest.raises(InputError) as caught:
        TOFA(weight=weight, unlabelled=None).fit(ROWS[:3], [1, 1, 1])
    assert "means none" not in str(caught.value)
    with pytest.raises(InputError) as caught:
        OCFS().fit(ROWS[:3], [1, 1, 1])
    assert "weight" not in str(caught.value)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0, 2.0])
def test_a_class_without_documents(weight: float, class_weight: Any) -> None:
    """A class without documents does not count; a class of empty documents does, with mean 0."""
    indicator = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0]])
    selector = TOFA(weight=weight, class_weight=class_weight).fit(ROWS, indicator)
    balanced = class_weight is not None
    assert_trace_scores(selector.scores_, ROWS.tolist(), SETS, weight, balanced=balanced)
    assert selector.classes_.tolist() == [0, 1, 2]
    assert [len(columns) for columns, _ in selector.best_by_class(9)][1] == 0, "nothing speaks for a class of none"
    of_classes = [np.abs(scatter_of_class(selector.stats_, number, class_weight)) for number in range(3)]
    np.testing.assert_allclose(sum(of_classes), between_class_scatter(selector.stats_, class_weight), rtol=1e-12)
    rows = np.vstack([ROWS, np.zeros((2, 4))])
    labels = [*KNOWN, "empty", "empty"]
    selector = TOFA(weight=weight, class_weight=class_weight).fit(rows, labels)
    sets = [*SETS, ("empty",), ("empty",)]
    assert_trace_scores(selector.scores_, rows.tolist(), sets, weight, balanced=balanced)
    assert selector.scores_[3] > 0, "the fourth term is no longer in all documents"


def test_one_class_with_documents_among_empty_ones_scatters_nothing() -> None:
    indicator = np.zeros((6, 3), int)
    indicator[:, 1] = 1
    for class_weight in (None, "balanced"):
        selector = TOFA(weight=1, class_weight=class_weight).fit(ROWS, indicator)
        assert selector.scores_.tolist() == [0.0] * 4


def test_a_first_batch_without_labels() -> None:
    whole = TOFA(weight=0.4).fit(ROWS, KNOWN)
    for first, second in (([-1, -1], ["a", "a", "b", "b"]), (None, ["a", "a", "b", "b"]), ([NAN, ""], list("aabb"))):
        selector = TOFA(weight=0.4).partial_fit(ROWS[4:], first)
        assert selector.stats_.n_terms == 4
        with pytest.raises(InputError, match="No document has a label"):
            _ = selector.scores_
        selector.partial_fit(ROWS[:4], second)
        np.testing.assert_allclose(selector.scores_, whole.scores_, rtol=1e-14)
        assert selector.classes_.tolist() == ["a", "b"]
    in_turn = TOFA(weight=0.4).partial_fit(ROWS[[0, 4]], [0, -1]).partial_fit(ROWS[[1, 2, 3, 5]], [0, 1, 1, -1])
    np.testing.assert_allclose(in_turn.scores_, whole.scores_, rtol=1e-14)
    assert in_turn.classes_.tolist() == [0, 1]
    with pytest.raises(InputError, match="mixed kinds"):
        selector.partial_fit(ROWS[:1], [3])
    np.testing.assert_allclose(selector.scores_, whole.scores_, rtol=1e-14)


# -- settings and pickles of estimators ----------------------------------------------------------------------------


def test_settings_can_be_read_and_changed() -> None:
    selector = TOFA(weight=0.5, k=3, energy=0.9, min_score=0.1, class_weight="balanced", unlabelled="none")
    given = ("weight", 0.5), ("k", 3), ("energy", 0.9), ("min_score", 0.1), ("class_weight", "balanced")
    assert selector.get_params() == {**dict(given), "unlabelled": "none"}
    copy = clone(selector)
    assert copy is not selector
    assert copy.get_params() == selector.get_params()
    assert copy.set_params(weight=1).get_params()["weight"] == 1
    assert repr(TOFA()) == "TOFA()"
    assert repr(TOFA(weight=0.5, k=3)) == "TOFA(k=3, weight=0.5)"
    assert set(OCFS().get_params()) == {"k", "energy", "min_score", "class_weight"}
    with pytest.raises(ValueError, match="weight"):
        OCFS().set_params(weight=2)
    with pytest.raises(TypeError):
        TOFA(0.5)  # type: ignore[call-arg]


def test_changed_settings_hold_from_the_next_fit_on() -> None:
    selector = TOFA(weight=1).fit(ROWS, KNOWN)
    before = selector.scores_.tolist()
    selector.set_params(weight=0)
    assert (selector.weight_, selector.scores_.tolist()) == (1.0, before)
    selector.fit(ROWS, KNOWN)
    assert (selector.weight_, selector.scores_.tolist()) == (0.0, TOFA(weight=0).fit(ROWS).scores_.tolist())


@pytest.mark.parametrize("weight", [0, 0.5, 2, "auto"])
def test_pickles(weight: Any) -> None:
    """Pickle after partial_fit before results are read, as scikit-learn's parallel searches do."""
    for selector in (
        TOFA(weight=weight, k=2).fit(ROWS, KNOWN),
        TOFA(weight=weight, k=2).partial_fit(ROWS, KNOWN),
    ):
        again = pickle.loads(pickle.dumps(selector))
        assert again.weight_ == selector.weight_
        assert again.scores_.tolist() == selector.scores_.tolist()
        assert again.get_support().tolist() == selector.get_support().tolist()
        again.partial_fit(ROWS[:2], KNOWN[:2])
        assert again.stats_.n_documents == 8
        assert selector.stats_.n_documents == 6


# -- in a categorizer and on the command line ----------------------------------------------------------------------

TEXTS = small_texts(60)
MORE = [f"comet {word} {word}" for word in ("telescope", "nebula", "comet")] * 12
"""Words that occur in unlabelled documents only."""


def categorizer(weight: Any, n_terms: int = 12, **options: Any) -> Categorizer:
    return plain_categorizer(selector="tofa", selector_options={"weight": weight, **options}, n_terms=n_terms)


@pytest.mark.parametrize("weight", [0, 0.3, 1, 2, "auto"])
def test_a_categorizer_with_tofa(weight: Any, tmp_path: Path) -> None:
    model = categorizer(weight, n_terms=20).fit(TEXTS.texts, TEXTS.labels)
    assert len(model.terms_) == 20
    predictions = model.predict(TEXTS.texts)
    assert np.mean(predictions == np.array(TEXTS.labels)) > 0.8
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.terms_ == model.terms_
    assert again.predict(TEXTS.texts).tolist() == predictions.tolist()
    assert again.selector_options == {"weight": weight}


def test_unlabelled_documents_influence_the_selection_of_a_categorizer() -> None:
    texts, labels = [*TEXTS.texts, *MORE], [*TEXTS.labels, *[None] * len(MORE)]
    terms = {weight: set(categorizer(weight).fit(texts, labels).terms_) for weight in (0.2, 1)}
    assert {"comet", "telescope", "nebula"} <= terms[0.2]
    assert not {"comet", "telescope", "nebula"} & terms[1], "between the classes they tell nothing"
    alone = set(categorizer(0.2).fit(TEXTS.texts, TEXTS.labels).terms_)
    assert not {"comet", "telescope", "nebula"} & alone
    assert terms[0.2] != alone
    empty = categorizer(0.2).fit(texts, [*TEXTS.labels, *[""] * len(MORE)])
    assert set(empty.terms_) == terms[0.2]
    sets = categorizer(0.2).fit(texts, [*([label] for label in TEXTS.labels), *([] for _ in MORE)])
    assert set(sets.terms_) == terms[0.2]


def test_a_categorizer_warns_if_the_marker_of_its_selector_is_a_class() -> None:
    labels = [-1 if label == TEXTS.labels[0] else 1 for label in TEXTS.labels]
    words = r"The {} has unlabelled=-1, but for a Categorizer the label -1 is a class.*unlabelled=None"
    for settings in ({"selector": TOFA()}, {"selector": Cascade([OCFS(k=20), TOFA()])}):
        with pytest.warns(UserWarning, match=words.format("selector")):
            model = plain_categorizer(**settings).fit(TEXTS.texts, labels)
        assert model.classes_.tolist() == [-1, 1]
    with pytest.warns(UserWarning, match=words.format("projection")):
        plain_categorizer(projection=OrthogonalCentroid()).fit(TEXTS.texts, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain_categorizer(selector="tofa").fit(TEXTS.texts, labels)
        plain_categorizer(selector=TOFA(unlabelled=None)).fit(TEXTS.texts, labels)


@pytest.mark.filterwarnings("ignore:The selector has unlabelled=")
@pytest.mark.parametrize("names", [(-1, 0, 1), (0, 1, 2), ("a", "b", "c")])
@pytest.mark.parametrize("unlabelled", [-1, 0, "a", None])
def test_a_categorizer_and_its_selector_agree_on_labels(names: tuple[Any, ...], unlabelled: Any) -> None:
    """A categorizer treats only None as no label, and trains on all other labels."""
    number = {label: at for at, label in enumerate(sorted(set(TEXTS.labels)))}
    labels = [names[number[label]] for label in TEXTS.labels]
    expected = categorizer(1).fit(TEXTS.texts, TEXTS.labels)
    own = plain_categorizer(selector=TOFA(weight=1, k=12, unlabelled=unlabelled))
    assert own.fit(TEXTS.texts, labels).terms_ == expected.terms_
    chain = plain_categorizer(selector=Cascade([OCFS(k=20), TOFA(weight=1, k=12, unlabelled=unlabelled)]))
    assert chain.fit(TEXTS.texts, labels).terms_ == expected.terms_
    assert chain.selector.selectors[1].unlabelled == unlabelled, "what was given stays as it is"


@pytest.mark.parametrize(
    "options", [{"weight": NAN}, {"weight": "x"}, {"class_weight": "x"}, {"weight": 2, "energy": 0.8}]
)
def test_a_categorizer_raises_the_errors_of_its_selector(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="weight="):
        plain_categorizer(selector="tofa", selector_options=options).fit(TEXTS.texts, TEXTS.labels)
    with pytest.raises(InputError, match=r"'tofa' has no option 'lambda'; it has class_weight, energy, .*weight"):
        plain_categorizer(selector="tofa", selector_options={"lambda": 1}).fit(TEXTS.texts, TEXTS.labels)


def run(*arguments: object, exit_code: int = 0) -> Result:
    result = CliRunner().invoke(program, [str(argument) for argument in arguments], prog_name="textsieve")
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    return result


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a CSV file of documents, some of them unlabelled."""
    rows = [*documents(10), *((f"the comet and the nebula number{number}", "") for number in range(12))]
    return write_csv(tmp_path_factory.mktemp("news") / "news.csv", rows)


def test_terms_on_the_command_line(news: Path) -> None:
    outputs = {
        weight: json.loads(
            run("terms", news, "--selector", "tofa", "--selector-option", f"weight={weight}", "-k", 99, "--json").stdout
        )
        for weight in ("0", "0.5", "1", "auto")
    }
    score = {weight: {row["term"]: row["score"] for row in outputs[weight]["terms"]} for weight in outputs}
    assert score["0"]["comet"] > 0
    assert score["1"]["comet"] == 0, "no document with a label has it"
    assert score["0.5"]["goal"] == pytest.approx((score["0"]["goal"] + score["1"]["goal"]) / 2, rel=1e-12)
    by_ocfs = json.loads(run("terms", news, "--selector", "ocfs", "-k", 99, "--json").stdout)
    assert {**by_ocfs, "selector": "tofa"} == outputs["1"]
    sizes = {row["label"]: row["documents"] for row in outputs["auto"]["classes"]}
    assert sizes == {"politics": 10, "science": 10, "sport": 10}
    assert "scored by tofa" in run("terms", news, "--selector", "tofa").stdout


def test_the_marker_for_unlabelled_on_the_command_line(news: Path) -> None:
    output = json.loads(
        run("terms", news, "--selector", "tofa", "--selector-option", "unlabelled=sport", "--json").stdout
    )
    assert [row["label"] for row in output["classes"]] == ["politics", "science"]
    assert output["n_documents"] == 42
    ranked = rank_terms(read(news), TOFA(unlabelled="sport"), 5, progress=lambda *_: None)
    assert set(ranked.by_class) == set(ranked.class_docs) == {"politics", "science"}


def test_training_on_the_command_line(news: Path, tmp_path: Path) -> None:
    run(
        *("train", news, "-o", tmp_path / "model", "--selector", "tofa", "--selector-option", "weight=0.5"),
        *("--selector-option", "class_weight=balanced", "-k", 12, "--held-out", 0),
    )
    model = load(tmp_path / "model")
    assert (model.selector, model.selector_options) == ("tofa", {"weight": 0.5, "class_weight": "balanced"})
    assert len(model.terms_) == 12
    assert model.predict(["the goal of the striker"]).tolist() == ["sport"]
    in_python = plain_categorizer(
        selector="tofa", selector_options={"weight": 0.5, "class_weight": "balanced"}, n_terms=12
    )
    corpus = [*documents(10), *((f"the comet and the nebula number{number}", None) for number in range(12))]
    texts, labels = zip(*corpus, strict=True)
    assert in_python.fit(list(texts), list(labels)).terms_ == model.terms_


@pytest.mark.parametrize("weight", ["NaN", "Infinity", "x", "true", "null", "[1]"])
def test_invalid_weights_raise_on_the_command_line(news: Path, tmp_path: Path, weight: str) -> None:
    options = ("--selector", "tofa", "--selector-option", f"weight={weight}")
    for verb in (("terms", news), ("train", news, "-o", tmp_path / "model")):
        stderr = run(*verb, *options, exit_code=1).stderr
        assert "weight=" in stderr
        assert "use a number" in stderr
    assert not (tmp_path / "model").exists()
