"""The paper on random subspaces: its printed numbers, and measurements against slow twins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from studies.documents import Collection
from studies.ensembles import FIGURES, PENALTIES, AccuracyAtC, Grid, SingleClassifier, SubspaceSize, best_C, nest
from studies.measurements import Estimate, Scope
from studies.paper import Item
from studies.papers.subspace import FAIR, FIRST, PAPER, WHOLE
from studies.random_splits import CUT, SEED, STAGES, WEIGHTINGS, Preparation, TermsLeft, prepared_splits, splits_of
from studies.reproduction import QUICK, reproduce

from textsieve import Cascade, DocumentFrequency, InformationGain, TermCounter, TermWeighter
from textsieve.classifiers import LinearSVM
from textsieve.corpus import Corpus, read
from textsieve.ensembles import subspace_grid, subspace_trial
from textsieve.evaluation import folds

FULL = Scope(n_jobs=1)
ITEMS: dict[str, Item] = {item.name: item for item in PAPER}
N_DOCUMENTS = 60


def written(path: Path, share: float) -> Collection:
    """Write texts of three classes and very different lengths; about this share of them have words of their class."""
    random, chance = np.random.default_rng(3), np.random.default_rng(10)
    lines = ["topic,body"]
    for number in range(N_DOCUMENTS):
        about = number % 3 if chance.random() < share else int(chance.integers(3))
        words = (random.zipf(1.6, random.integers(5, 40)) + 7 * about) % 60
        lines.append(f"class{number % 3},{' '.join(f'word{word:02}' for word in words.tolist())}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Collection(str(path), folds=5)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return texts that all have words of their class."""
    return written(tmp_path_factory.mktemp("small") / "small.csv", 1.0)


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return texts of which some have no words of their class, so that one neighbour is not enough."""
    return written(tmp_path_factory.mktemp("doubtful") / "doubtful.csv", 0.6)


def counted(collection: Collection) -> tuple[csr_matrix, Any]:
    """Return counts and classes, computed without the code of the studies."""
    texts, labels = read_all(read(collection.corpus))
    classes = sorted(set(labels))
    return csr_matrix(TermCounter().fit_transform(texts)), np.array([classes.index(label) for label in labels])


def read_all(corpus: Corpus) -> tuple[list[str], list[Any]]:
    """Return texts and labels."""
    batches = list(corpus.batches())
    return [text for batch in batches for text in batch.texts], [label for batch in batches for label in batch.labels]


def only(kind: Any, what: Any, scope: Scope = FULL) -> Estimate:
    """Return the estimate of one measurement."""
    results: list[tuple[Any, Estimate]] = list(kind.measure_all([what], scope, lambda _: None))
    ((back, measured),) = results
    assert back == what
    return measured


def number(measured: Estimate) -> float:
    """Return the measured number."""
    assert isinstance(measured.value, float)
    return measured.value


# -- what was printed --------------------------------------------------------------------------------------------------


def test_the_numbers_of_table_1() -> None:
    printed = {cell.place: cell.printed for cell in ITEMS["table1"].cells}
    for row, numbers in {
        "terms": (22_244, 7_454, 5_000),
        "k-NN": (44.85, 20.61, 17.37),
        "k": (19, 3, 133),
        "SVM": (43.43, 48.69, 52.83),
        "C": ((">", "3"), 11.31, (">", "11.31")),
    }.items():
        assert tuple(printed[row, column] for column in ("all", "DF", "DF + IG")) == numbers
    assert printed["RSM", "DF + IG"] == 56.52
    assert printed["RSM over SVM", "DF + IG"] == 3.69 == round(56.52 - 52.83, 2)


def test_the_grid_has_the_sizes_of_the_paper() -> None:
    assert WHOLE.n_terms == (1, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000)
    assert WHOLE.n_members == (1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000)
    assert (WHOLE.repeats, FIRST.repeats, FAIR.repeats) == (20, 5, 5)
    assert {cell.place[0] for cell in ITEMS["figure3b"].cells} == {f"M = {size:,}" for size in WHOLE.n_terms[3:]}
    assert len(ITEMS["figure3a"].cells) == 121
    best = {cell.row: cell.printed for cell in ITEMS["best"].cells}
    assert (best["M"], best["L"]) == (5_000 / 2.5, 5_000 / 12.5)


def test_the_grid_of_c_includes_the_best_of_the_paper() -> None:
    assert round(PENALTIES[15], 2) == 11.31
    assert PENALTIES[0] < 3 < 4 < 11.31 < 100 < PENALTIES[-1]
    assert all(math.isclose(after / before, math.sqrt(2)) for before, after in pairwise(PENALTIES))


# -- preparations and splits -------------------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Cascade]:
    """Add the stage "few", which selects twenty terms, and return the function that builds its selector."""

    def build_selector() -> Cascade:
        return Cascade([DocumentFrequency(min_df=0.01), InformationGain(k=20)])

    monkeypatch.setitem(STAGES, "few", build_selector)
    return build_selector


@pytest.mark.usefixtures("few")
def test_vectors_that_lose_terms_after_scaling_are_shorter(small: Collection) -> None:
    whole, cut, after = (
        next(prepared_splits(small, preparation, 1, FULL)).train
        for preparation in (Preparation("all", CUT), Preparation("few", CUT), Preparation("few", "tf-idf, length 1"))
    )
    lengths = [np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1))).ravel() for matrix in (whole, cut, after)]
    np.testing.assert_allclose(lengths[0], 1.0)
    np.testing.assert_allclose(lengths[2], 1.0)
    assert (lengths[1] <= 1.0 + 1e-12).all()
    assert lengths[1].min() < 0.9


@pytest.mark.parametrize("weights", ["counts", CUT, "ltc"])
def test_terms_from_all_documents_are_the_same_in_every_split(
    small: Collection, few: Callable[[], Cascade], weights: str
) -> None:
    counts, numbers = counted(small)
    support = few().fit(counts, numbers).get_support()
    from_all = list(prepared_splits(small, Preparation("few", weights, "all"), 3, FULL))
    from_training = list(prepared_splits(small, Preparation("few", weights), 3, FULL))
    for rows, split in zip(from_all, splits_of(N_DOCUMENTS, 3), strict=True):
        np.testing.assert_allclose(rows.test.toarray(), _by_hand(counts, support, split.train, split.test, weights))
        np.testing.assert_array_equal(rows.test_numbers, numbers[split.test])
    assert any(
        abs(first.train - second.train).max() > 1e-9 for first, second in zip(from_all, from_training, strict=True)
    )


def _by_hand(counts: Any, support: Any, train: Any, test: Any, weights: str) -> Any:
    scheme = {"counts": ("tf", "none", "none"), CUT: ("tf", "plain", "l2"), "ltc": ("log", "plain", "l2")}[weights]
    weighter = TermWeighter(tf=scheme[0], idf=scheme[1], norm=scheme[2])
    if weights == CUT:
        return weighter.fit(counts[train]).transform(counts[test]).toarray()[:, support]
    return weighter.fit(counts[train][:, support]).transform(counts[test][:, support]).toarray()


def test_five_splits_are_the_first_of_twenty() -> None:
    for split, other in zip(splits_of(50, 5), splits_of(50, 20)[:5], strict=True):
        np.testing.assert_array_equal(split.test, other.test)
        assert split.seed == other.seed
        assert len(split.test) == 10


# -- single classifiers ------------------------------------------------------------------------------------------------


def _vote(distances: Sequence[float], numbers: Sequence[int], k: int) -> int:
    """Return the class that most of the k nearest documents have, the first of equals."""
    nearest = sorted(range(len(distances)), key=lambda place: (distances[place], place))[:k]
    votes = Counter(numbers[place] for place in nearest)
    return min(votes, key=lambda number: (-votes[number], number))


def test_neighbours_by_distance_equal_a_slow_twin(doubtful: Collection) -> None:
    preparation, rights, ks = Preparation("DF", "counts"), [], []
    for rows in prepared_splits(doubtful, preparation, 3, FULL):
        train, test = rows.train.toarray().astype(float), rows.test.toarray().astype(float)
        numbers = rows.train_numbers.tolist()
        right = []
        for k in range(1, len(train)):
            others = [[place for place in range(len(train)) if place != own] for own in range(len(train))]
            right.append(
                sum(
                    _vote(
                        [((train[own] - train[other]) ** 2).sum() for other in rest],
                        [numbers[other] for other in rest],
                        k,
                    )
                    == numbers[own]
                    for own, rest in enumerate(others)
                )
            )
        k = right.index(max(right)) + 1
        predicted = [_vote([((row - document) ** 2).sum() for document in train], numbers, k) for row in test]
        rights.append(100 * np.mean(np.array(predicted) == rows.test_numbers))
        ks.append(k)
    asked = SingleClassifier(doubtful, preparation, "k-NN", repeats=3)
    assert only(SingleClassifier, asked).value == pytest.approx(np.mean(rights))
    setting = SingleClassifier(doubtful, preparation, "k-NN", "setting", 3)
    assert only(SingleClassifier, setting).value == sorted(ks)[1]
    assert max(ks) > sorted(ks)[1] > 1, "or the test would see less"


def _weighed(counts: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """Return weights of the terms of the training documents."""
    seen = np.flatnonzero(np.asarray(counts[train].sum(axis=0)).ravel())
    weighter = TermWeighter(tf="log", idf="plain", norm="l2").fit(counts[train][:, seen])
    return weighter.transform(counts[train][:, seen]), weighter.transform(counts[test][:, seen])


def test_c_is_the_best_of_five_folds_and_the_svm_uses_it(small: Collection) -> None:
    counts, numbers = counted(small)
    fold_of = folds(numbers.tolist(), 5)
    accuracy: dict[float, list[float]] = {C: [] for C in PENALTIES}
    for fold in range(5):
        train, test = fold_of != fold, fold_of == fold
        own, others = _weighed(counts, train, test)
        for C, accuracies in accuracy.items():
            svm = LinearSVM(C=C).fit(own, numbers[train])
            accuracies.append(100 * float(np.mean(svm.predict(others) == numbers[test])))
    preparation = Preparation("all", "ltc")
    asked = [AccuracyAtC(small, preparation, C) for C in PENALTIES]
    for what, measured in AccuracyAtC.measure_all(asked, FULL, lambda _: None):
        assert measured.value == pytest.approx(np.mean(accuracy[what.C]))
        assert measured.half_width is not None
    best = max(PENALTIES, key=lambda C: (round(np.mean(accuracy[C]), 9), -C))
    assert best_C(small, preparation, FULL) == best
    assert only(SingleClassifier, SingleClassifier(small, preparation, "SVM", "setting", 2)).value == best
    right = []
    for split in splits_of(N_DOCUMENTS, 2):
        own, others = _weighed(counts, split.train, split.test)
        svm = LinearSVM(C=best).fit(own, numbers[split.train])
        right.append(np.mean(svm.predict(others) == numbers[split.test]))
    measured = only(SingleClassifier, SingleClassifier(small, preparation, "SVM", repeats=2))
    assert measured.value == pytest.approx(100 * np.mean(right))
    if right[0] != right[1]:  # Student's t with one degree of freedom, and the variance of Nadeau and Bengio
        spread = 100 * abs(right[0] - right[1]) / math.sqrt(2)
        assert measured.half_width == pytest.approx(12.7062 * spread * math.sqrt(1 / 2 + 1 / 4), rel=1e-5)


def test_terms_left_by_each_stage_are_counted(small: Collection) -> None:
    texts, _ = read_all(read(small.corpus))
    holders = Counter(word for text in texts for word in set(text.split()))
    assert only(TermsLeft, TermsLeft(small, "all")).value == len(holders)
    assert only(TermsLeft, TermsLeft(small, "DF")).value == sum(n >= 0.01 * N_DOCUMENTS for n in holders.values())


# -- ensembles ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def grid(small: Collection) -> Grid:
    """Return a grid of a few sizes."""
    n = int(next(iter(prepared_splits(small, Preparation("DF", "counts"), 1, FULL))).train.shape[1])
    return Grid(small, Preparation("DF", "counts"), (1, 5, 20, n), (1, 4, 9), 3)


def _all_of(grid: Grid, *asked: tuple[str, tuple[int, int]]) -> list[Estimate]:
    wanted = [SubspaceSize(grid, figure, size) for figure, size in asked]
    estimates = dict(SubspaceSize.measure_all(wanted, FULL, lambda _: None))
    return [estimates[measurement] for measurement in wanted]


def test_figures_of_a_size_equal_those_of_a_trial(grid: Grid) -> None:
    counts, numbers = counted(grid.collection)
    tried = subspace_trial(
        *(counts, numbers),
        n_terms=5,
        n_estimators=9,
        estimator=LinearSVM(C=100.0),
        prepare=WEIGHTINGS["counts"](DocumentFrequency(min_df=0.01)),
        repeats=3,
        random_state=SEED,
    )
    accuracy, error, gain = _all_of(grid, ("accuracy", (5, 9)), ("error", (5, 9)), ("gain", (5, 9)))
    assert accuracy.value == pytest.approx(100 * tried.accuracy.mean())
    assert error.value == pytest.approx(100 - 100 * tried.accuracy.mean())
    assert gain.value == pytest.approx(100 * tried.gain[0])
    assert gain.half_width == pytest.approx(4.302653 * 100 * tried.gain[1] * math.sqrt(3) * math.sqrt(1 / 3 + 1 / 4))


def test_figures_of_the_best_size_and_of_sizes_that_do_not_differ_from_it(grid: Grid) -> None:
    asked = [("accuracy", (M, L)) for M in grid.n_terms for L in grid.n_members]
    numbers = [number(estimate) for estimate in _all_of(grid, *asked)]
    by_size = {size: number for (_, size), number in zip(asked, numbers, strict=True)}
    M, L, accuracy, behind, sizes, alike, step = _all_of(
        grid,
        *(("best M", (5, 9)), ("best L", (5, 9)), ("best accuracy", (5, 9)), ("behind the best", (5, 9))),
        *(("sizes", (5, 9)), ("alike", (5, 9)), ("step", (5, 9))),
    )
    best = int(number(M)), int(number(L))
    assert accuracy.value == pytest.approx(max(numbers)) == by_size[best]
    assert behind.value == pytest.approx(by_size[best] - by_size[5, 9])
    several = [size for size in by_size if size[0] > 1 < size[1] and size != best]
    assert sizes.value == len(several)
    assert 0 <= number(alike) <= len(several)
    assert step.value == pytest.approx(np.mean([abs(by_size[m, 4] - by_size[m, 9]) for m in (5, 20)]))


def test_parts_of_a_grid_equal_the_same_grids_measured_alone(grid: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    fewer_splits, fewer_sizes = replace(grid, repeats=2), replace(grid, n_terms=grid.n_terms[1::2], n_members=(1, 9))
    asked = [
        SubspaceSize(part, figure, (M, L))
        for part in (fewer_splits, grid, fewer_sizes)
        for figure in FIGURES
        for M in part.n_terms
        for L in part.n_members
    ]
    alone = {
        measurement: estimate
        for part in (fewer_splits, grid, fewer_sizes)
        for measurement, estimate in SubspaceSize.measure_all(
            [measurement for measurement in asked if measurement.grid == part], FULL, lambda _: None
        )
    }
    assert len({alone[SubspaceSize(part, "accuracy", (5, 9))] for part in (fewer_splits, grid, fewer_sizes)}) == 2
    measured: list[Any] = []
    monkeypatch.setattr("studies.ensembles.subspace_grid", partial(_record, measured, subspace_grid))
    together = dict(SubspaceSize.measure_all(asked, FULL, lambda _: None))
    assert together == alone
    assert [settings["repeats"] for settings in measured] == [grid.repeats], "no member may be trained twice"


def _record(calls: list[Any], function: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """Call a function, and record its settings."""
    calls.append(settings)
    return function(*args, **settings)


def test_grids_of_other_documents_or_sizes_are_no_parts(grid: Grid) -> None:
    others = [
        replace(grid, collection=replace(grid.collection, folds=3)),
        replace(grid, preparation=Preparation("DF", "ltc")),
        replace(grid, n_terms=(2, *grid.n_terms)),
        replace(grid, n_members=(2, *grid.n_members)),
        replace(grid, repeats=4),
    ]
    assert not any(grid.covers(other) for other in others)
    assert grid.covers(grid)
    assert nest([grid, *others[:2]]) == {each: [each] for each in (grid, *others[:2])}
    assert nest([grid, others[-1]]) == {others[-1]: [others[-1], grid]}


def test_the_paper_measures_one_grid_of_terms_from_all_texts() -> None:
    grids = {
        cell.measurement.grid for item in PAPER for cell in item.all_cells if isinstance(cell.measurement, SubspaceSize)
    }
    parts = nest(grids)
    assert parts[WHOLE] == [WHOLE, FIRST, *(grid for grid in parts[WHOLE] if grid.n_members == (1, 400))]
    assert len(parts[WHOLE]) == 3


# -- on Brown ----------------------------------------------------------------------------------------------------------


def test_a_quick_run_of_the_paper(named: Callable[[str], Corpus], tmp_path: Path) -> None:
    named("brown")
    (reproduction,) = reproduce("subspace", output=tmp_path, scope=QUICK)
    places = {
        (outcome.item.name, *judged.cell.place): judged.estimate
        for outcome in reproduction.items
        for judged in (*outcome.cells, *outcome.trials)
    }
    empty = {place: measured.problem for place, measured in places.items() if measured.value is None}
    assert set(empty.values()) == {"there is no larger number"}
    change = "change by another number of members"
    assert {place[1] for place in empty} == {change, f"{change}, 5 splits"}
    for M in WHOLE.n_terms[3:]:
        for L in WHOLE.n_members:
            sums = [number(places[f"figure3{part}", f"M = {M:,}", L]) for part in "ab"]
            assert sum(sums) == pytest.approx(100)
    assert places["table1", "terms", "DF + IG"].value == 5_000
    assert number(places["table1", "terms", "all"]) < number(places["table1", "terms, words", "all"])
    assert len(reproduction.paths) == 4
    page = Path(reproduction.paths[0]).read_text(encoding="utf-8")
    assert "**A part only**" in page
    assert "{" not in page
    for path in reproduction.paths[1:]:
        assert Path(path).name in page
        assert Path(path).read_text(encoding="utf-8").startswith("<svg")
