"""The paper on TCFP: its printed numbers, and measurements against estimators that are called directly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from studies.documents import Collection
from studies.measurements import Estimate, Largest, MeanOf, Scope
from studies.paper import MICRO_F1, Cell, Item, Paper, PaperRequest
from studies.papers.tcfp import CHI, KNN, TCFP
from studies.prediction import EVERY_COSINE, Drop, PredictionSeconds, QualityAfterDrop
from studies.quality import Quality
from studies.reproduction import QUICK, find_paper, measure, reproduce
from studies.selection import TermFrequencies
from tests.reference.studies_in_part import with_few_points

from studies import prediction
from textsieve import DROP, ChiSquare, CosineKNN, TermCounter, TermWeighter, read
from textsieve.corpus import Corpus
from textsieve.evaluation import folds

SCOPE = Scope(n_jobs=1)
N_FOLDS, N_TERMS = 3, 25
KNN5 = KNN.replace("k=30", "k=5")
WORDS = {
    "tea": ["leaf", "pot", "cup", "green", "oolong", "steep"],
    "coffee": ["bean", "roast", "cup", "press", "crema", "grind"],
    "cocoa": ["bean", "milk", "cup", "sweet", "butter", "grind"],
}


def ignore_progress(_: str) -> None:
    """Ignore progress."""


@pytest.fixture(scope="module")
def drinks(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Return a folder of short texts in three classes that share words; words with a digit are in at most two texts."""
    folder, random = tmp_path_factory.mktemp("drinks"), np.random.default_rng(3)
    common = ["the", "and", *(f"w{chr(97 + letter)}" for letter in range(20))]
    for label, own in WORDS.items():
        (folder / label).mkdir()
        for number in range(40):
            words = [*random.choice(own, 3), *random.choice(common, 5), f"n{number // 2}{label}"]
            (folder / label / f"{number:02}.txt").write_text(" ".join(words), encoding="utf-8")
    return Collection(str(folder), (("min_df", 2),), folds=N_FOLDS)


def by_hand(collection: Collection, fold: int) -> tuple[csr_matrix, Any, csr_matrix, Any, Any]:
    """Return weights and labels for training and testing, and the document frequencies of the selected terms."""
    documents = list(read(collection.corpus))
    texts, names = [text for text, _ in documents], [label for _, (label,) in documents]
    labels, number = np.array(names), folds(names, N_FOLDS)
    train, test = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
    counter = TermCounter(min_df=2)
    all_terms = counter.fit_transform([texts[at] for at in train.tolist()])
    selector = ChiSquare(k=N_TERMS, pooling="max").fit(all_terms, labels[train])
    weighter = TermWeighter(tf="log", idf="plain", norm="l2")
    counts = csr_matrix(selector.transform(all_terms))
    rows = csr_matrix(weighter.fit_transform(counts))
    others = csr_matrix(weighter.transform(selector.transform(counter.transform([texts[at] for at in test.tolist()]))))
    return rows, labels[train], others, labels[test], np.diff(counts.tocsc().indptr)


def test_the_paper_has_its_printed_numbers() -> None:
    items = {item.name: item for item in find_paper("tcfp")}
    assert list(items) == [
        *("table1", "figure2", "table2", "drop4", "figure3", "table3", "table4", "table5", "growth", "irrelevant")
    ]
    printed = {name: [cell.printed for cell in item.cells] for name, item in items.items()}
    assert printed["table1"] == [54.59, 8_407, 4, 6_489, 51_325, 18_742]
    assert printed["table2"] == [0.8541, 0.8514, 0.8515, 0.8193, 0.8134]
    assert printed["table3"] == [0.8541, 0.8515, 0.8251, 0.8168]
    assert printed["table4"] == [0.866, 0.8483, 0.8522, 0.8598, 0.8278, 0.8134]
    assert printed["table5"] == [0.69, 0.8, 1.22, 1.38, 37.97, 142.5]
    assert printed["drop4"] == [0.26, 0.26]
    for name in ("figure2", "figure3"):
        assert {cell.column for cell in items[name].cells} == set(range(1_000, 10_001, 1_000))


def test_neighbours_among_fewer_documents_are_those_of_the_estimators(drinks: Collection) -> None:
    expected: dict[str, list[float]] = {"micro_f1": [], "used": []}
    for fold in range(N_FOLDS):
        rows, labels, others, true, _ = by_hand(drinks, fold)
        few, few_labels = DROP(variant=4, k=3).fit_resample(rows, labels)
        expected["used"].append(len(few_labels) / len(labels))
        expected["micro_f1"].append(float(np.mean(CosineKNN(k=5).fit(few, few_labels).predict(others) == true)))
    wanted = [QualityAfterDrop(drinks, CHI, N_TERMS, KNN5, Drop(4), figure) for figure in expected]
    estimates = dict(QualityAfterDrop.measure_all(wanted, SCOPE, ignore_progress))
    for measurement, values in zip(wanted, expected.values(), strict=True):
        assert estimates[measurement].value == pytest.approx(np.mean(values))
        assert estimates[measurement].half_width is not None
    assert 0.05 < np.mean(expected["used"]) < 0.8


def test_document_frequencies_of_the_selected_terms(drinks: Collection) -> None:
    known = [by_hand(drinks, fold)[4] for fold in range(N_FOLDS)]
    figures = {
        "mean": np.mean([frequencies.mean() for frequencies in known]),
        "maximum": np.mean([frequencies.max() for frequencies in known]),
        "minimum": np.mean([frequencies.min() for frequencies in known]),
        "below 20": np.mean([(frequencies < 20).sum() for frequencies in known]),
        "terms": N_TERMS,
    }
    wanted = [TermFrequencies(drinks, CHI, N_TERMS, figure) for figure in figures]
    estimates = dict(TermFrequencies.measure_all(wanted, SCOPE, ignore_progress))
    assert [estimates[measurement].value for measurement in wanted] == pytest.approx(list(figures.values()))


def test_words_with_digits_can_be_left_out(drinks: Collection) -> None:
    """Sixty words have a digit, each in two texts; three of the others are in two classes, and one in all."""
    all_words, letters_only = (
        TermFrequencies(replace(drinks, words=words), "all", "all", "terms", "all documents")
        for words in ("all", "letters")
    )
    estimates = dict(TermFrequencies.measure_all([all_words, letters_only], SCOPE, ignore_progress))
    assert estimates[letters_only] == Estimate(len({word for own in WORDS.values() for word in own}) + 22.0)
    fewer = estimates[letters_only].value
    assert isinstance(fewer, float)
    assert estimates[all_words] == Estimate(fewer + 60)


def test_seconds_are_those_of_every_classifier(drinks: Collection) -> None:
    wanted = [
        PredictionSeconds(drinks, CHI, N_TERMS, KNN5),
        PredictionSeconds(drinks, CHI, N_TERMS, KNN5, Drop(4)),
        PredictionSeconds(drinks, CHI, N_TERMS, KNN5, search=EVERY_COSINE),
        PredictionSeconds(drinks, CHI, 10, TCFP),
    ]
    seconds = dict(PredictionSeconds.measure_all(wanted, SCOPE, ignore_progress))
    assert list(seconds) == wanted
    assert all(isinstance(estimate.value, float) and 0 < estimate.value < 60 for estimate in seconds.values())


@pytest.mark.parametrize("every", [2, 5, 9])
def test_a_quick_run_has_documents_of_all_classes(drinks: Collection, every: int) -> None:
    documents = drinks.documents(Scope(every=every, repetitions=2))
    assert len(documents.folds) == 2
    for train, test, labels in documents.folds:
        for part in (train, test):
            assert {labels[place] for place in part} == {(name,) for name in WORDS}
            assert len(part) <= -(-120 // every) + 3
        assert not np.intersect1d(train, test).size


def test_the_best_of_a_curve_is_one_of_its_points(drinks: Collection) -> None:
    """The best point keeps its own interval, and shared parts are measured once."""
    parts = tuple(Quality(drinks, CHI, size, KNN5) for size in (5, 15))
    conditions = (
        *(Cell("kNN", size, part) for size, part in zip((5, 15), parts, strict=True)),
        Cell("kNN", "best", Largest(parts)),
        Cell("kNN", "mean", MeanOf(parts)),
    )
    item = Item("table9", "of a test", MICRO_F1, conditions)
    totals: list[int | None] = []
    request = PaperRequest(Paper("test", "", "", (item,)), [item])
    estimates, _ = measure([request], SCOPE, None, lambda *progress: totals.append(progress[2]))
    assert set(totals) == {len(parts)}
    first, second, best, mean = (estimates[cell.measurement] for cell in conditions)
    assert isinstance(first.value, float)
    assert isinstance(second.value, float)
    assert best == (first if first.value >= second.value else second)
    assert mean.value == pytest.approx((first.value + second.value) / 2)


def test_a_quick_run_of_the_paper(
    named: Callable[[str], Corpus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row has values, and the page has every item."""
    monkeypatch.setattr("studies.papers.tcfp.PAPER", with_few_points(find_paper("tcfp")))
    for name in ("newsgroups:original", "webkb", "webkb:stemmed"):
        named(name)
    (reproduction,) = reproduce("tcfp", output=tmp_path, scope=replace(QUICK, every=60, n_jobs=1))
    outcomes = {outcome.item.name: outcome for outcome in reproduction.items}
    for name, outcome in outcomes.items():
        assert all(cell.estimate.value is not None for cell in (*outcome.cells, *outcome.trials)), name
    assert (
        outcomes["table1"].estimates["WebKB", "all terms"].value == 18_780
    )  # counted on all pages, even in a quick run
    curve = [outcomes["figure2"].estimates["TCFP", size].value for size in (1_000, 10_000)]
    assert outcomes["table2"].estimates["TCFP", "best"].value == max(np.array(curve, float))
    assert {path.name for path in tmp_path.iterdir()} == {
        "tcfp-part.md",
        "tcfp-figure2-part.svg",
        "tcfp-figure3-part.svg",
    }
    page = (tmp_path / "tcfp-part.md").read_text(encoding="utf-8")
    assert all(f"## {heading}" in page for heading in ("Table 1", "Figure 2", "Drop 4", "Table 5"))


def test_the_first_run_of_a_job_is_never_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 60.0, 60.0, 64.0, 64.0, 64.5])
    calls: list[int] = []
    monkeypatch.setattr(prediction, "thread_time", lambda: next(clock))
    ((name, estimate),) = prediction.time_in_turn({"kNN": prediction.Job(lambda: calls.append(1), 1)}, 3)
    assert name == "kNN"
    assert (estimate.value, len(calls)) == (4.0, 2), "the first 60 seconds load what is compiled"
