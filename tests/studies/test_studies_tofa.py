"""The paper on TOFA: its printed numbers, and measurements against estimators that are called directly."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from studies.documents import Collection, FewLabels, Fold, remove_labels
from studies.measurements import Scope
from studies.papers.tofa import SVM, TFIDF, Reading
from studies.quality import Quality
from studies.reproduction import QUICK, find_paper, reproduce
from studies.selection import TermsForEnergy
from tests.reference.categorizer_twin import class_without_terms
from tests.reference.studies_in_part import with_few_points
from tests.reference.trace_twin import total

from textsieve import TOFA, TermCounter, TermWeighter, read
from textsieve.classifiers import LinearSVM
from textsieve.corpus import Corpus

FULL = Scope(n_jobs=1)


def ignore_progress(_: str) -> None:
    """Ignore progress."""


def docstrings() -> tuple[list[str], list[Any]]:
    """Return all texts, and their labels."""
    texts, labels = read("docstrings").load()
    assert isinstance(texts, list)
    return texts, labels


def test_the_paper_has_its_printed_numbers() -> None:
    """Compare with numbers printed in the paper."""
    items = {item.name: item for item in find_paper("tofa")}
    assert list(items) == [
        *("figure1", "table2", "figure2", "figure3", "figure4", "table3", "figure5", "energy", "growth")
    ]
    table = {cell.place: cell.printed for cell in items["table2"].cells}
    rows = ("λ = 0", "λ = 1", "λ = 2", "IG", "best λ", "which λ")
    assert [table[row, "20NG"] for row in rows] == [0.42, 0.72, 0.63, 0.72, 0.75, 1.1]
    assert [table[row, "RCV1"] for row in rows] == [0.68, 0.75, 0.72, 0.74, 0.77, 1.2]
    assert [table[row, "ODP"] for row in rows] == [0.31, 0.41, 0.11, 0.33, 0.49, 0.2]
    seconds = {cell.place: cell.printed for cell in items["table3"].cells}
    assert [seconds[row, "ODP"] for row in ("IG", "λ = 1", "other λ")] == [3201.91, 613.13, 2654.66]
    ratios = [round(claim.by or 0, 2) for claim in items["table3"].claims[:3]]
    assert ratios == [3.35, 3.27, 5.22]


def test_leaving_out_the_shares_of_classes_changes_the_weight() -> None:
    """For classes of equal size, λ Σ_j (m_j - m)² + (1 - λ) C ranks like TOFA with the weight of `Reading`."""
    rows = np.random.default_rng(0).random((12, 30))
    classes = np.repeat([0, 1, 2], 4)
    apart = sum((rows[classes == label].mean(axis=0) - rows.mean(axis=0)) ** 2 for label in range(3))
    spread = np.array([float(value) for value in total(rows.tolist())])
    for weight in (0.0, 0.2, 1.0, 1.1, 2.0):
        name = Reading(Collection("docstrings"), n_classes=3).selector(weight)
        options = dict(part.split("=") for part in name[5:-1].split(","))
        assert options["class_weight"] == "balanced"
        assert options["idf"] == "plain"
        selector = TOFA(weight=float(options["weight"]), class_weight="balanced", k="all").fit(rows, classes)
        scores = weight * apart + (1 - weight) * spread
        np.testing.assert_array_equal(selector.ranking_, np.argsort(-scores, kind="stable"))


def test_labels_remain_for_a_share_of_each_class_or_of_all_documents() -> None:
    """Only training documents lose labels, and another draw removes others."""
    labels = [("a",)] * 40 + [("b",)] * 60
    fold = Fold(np.arange(0, 100, 2), np.arange(1, 100, 2), labels)

    def labelled(shares: tuple[float, ...], seed: int = 0) -> list[int]:
        drawn = remove_labels(fold, shares, seed)
        assert np.array_equal(drawn.train, fold.train)
        assert [drawn.labels[place] for place in fold.test] == [labels[place] for place in fold.test]
        assert all(own in ((), labels[place]) for place, own in enumerate(drawn.labels))
        return [place for place in fold.train.tolist() if drawn.labels[place]]

    drawn = labelled((0.1, 0.5))
    assert (sum(place < 40 for place in drawn), sum(place >= 40 for place in drawn)) == (2, 15)
    assert len(labelled((0.1,))) == 5
    assert drawn != labelled((0.1, 0.5), seed=1)
    for shares in ((0.001, 0.001), (0.001,)):
        assert sorted(labels[place][0] for place in labelled(shares)) == ["a", "b"]


def test_f1_with_few_labels_equals_that_of_estimators() -> None:
    """TOFA and idf use all training documents, and the SVM uses the labelled ones."""
    collection = FewLabels("docstrings", folds=3, shares=(0.3,), draws=2)
    documents = collection.documents(FULL)
    texts, labels = docstrings()
    assert len(documents.folds) == 2
    f1_scores = []
    for train, test, own_labels in documents.folds:
        known = np.array([bool(own) for own in own_labels])
        assert int(known[train].sum()) == round(0.3 * len(train))
        assert known[test].all()
        f1_scores.append(_f1_by_hand(texts, labels, train, test, known))
    wanted = Quality(collection, "tofa(weight=0.2,tf=tf,idf=plain,norm=l2)", 50, SVM)
    ((_, measured),) = Quality.measure_all([wanted], FULL, ignore_progress)
    assert measured.value == pytest.approx(np.mean(f1_scores))
    assert measured.half_width is not None
    assert f1_scores[0] != f1_scores[1]


def _f1_by_hand(texts: list[str], labels: list[Any], train: Any, test: Any, known: Any) -> float:
    counter, weighter = TermCounter(), TermWeighter(tf="tf", idf="plain", norm="l2")
    counts: Any = counter.fit_transform([texts[place] for place in train])
    given = [labels[place] if known[place] else None for place in train]
    best = TOFA(weight=0.2, k=50).fit(weighter.fit_transform(counts), given).ranking_[:50]
    few = TermWeighter(tf="tf", idf="plain", norm="l2").fit(counts[:, best])
    has_label = np.array([label is not None for label in given])
    own = [label for label in given if label is not None]
    weights: Any = few.transform(counts[:, best])
    svm = LinearSVM(C=1.0).fit(weights[has_label], own)
    held_out: Any = counter.transform([texts[place] for place in test])
    rows = few.transform(held_out[:, best])
    fallback = class_without_terms(weights[has_label].toarray().tolist(), [(label,) for label in own])
    guess = np.where(np.diff(rows.indptr) > 0, svm.predict(rows), fallback)
    return float(np.mean(guess == np.array([labels[place] for place in test])))


def test_energy_is_the_share_of_the_best_scores() -> None:
    """Compare with the cumulated scores of the two folds."""
    collection = Collection("docstrings", folds=2)
    documents = collection.documents(FULL)
    texts, labels = docstrings()
    enough, shares = [], []
    for some, _, _ in documents.folds:
        counts = TermCounter().fit_transform([texts[place] for place in some])
        weights = TermWeighter(tf="tf", idf="plain", norm="l2").fit_transform(counts)
        scores = np.sort(TOFA(weight=0.5, k="all").fit(weights, [labels[place] for place in some]).scores_)[::-1]
        enough.append(int(np.argmax(np.cumsum(scores) >= 0.6 * scores.sum())) + 1)
        shares.append(100 * enough[-1] / len(scores))
    wanted = [TermsForEnergy(collection, 0.5, 0.6, TFIDF, is_share) for is_share in (False, True)]
    estimates = dict(TermsForEnergy.measure_all(wanted, FULL, ignore_progress))
    assert estimates[wanted[0]].value == np.mean(enough)
    assert estimates[wanted[1]].value == pytest.approx(np.mean(shares))


def test_a_quick_run_of_the_paper(
    named: Callable[[str], Corpus], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row has values, the page has every item, and claims that do not depend on the number of documents hold."""
    monkeypatch.setattr("studies.papers.tofa.PAPER", with_few_points(find_paper("tofa")))
    for name in ("newsgroups", "odp:sample", "rcv1:subset1", "reuters"):
        named(name)
    (reproduction,) = reproduce("tofa", output=tmp_path, scope=replace(QUICK, every=60, n_jobs=1))
    outcomes = {outcome.item.name: outcome for outcome in reproduction.items}
    for name, outcome in outcomes.items():
        assert all(cell.estimate.value is not None for cell in (*outcome.cells, *outcome.trials)), name
    curve: dict[Any, Any] = {
        weight: value.value for (row, weight), value in outcomes["figure2"].estimates.items() if row == "20NG"
    }
    table: dict[Any, Any] = {place: estimate.value for place, estimate in outcomes["table2"].estimates.items()}
    assert table["best λ", "20NG"] == max(curve.values())
    assert curve[table["which λ", "20NG"]] == table["best λ", "20NG"]
    assert outcomes["figure5"].claims[0].verdict == "agrees"
    page = (tmp_path / "tofa-part.md").read_text(encoding="utf-8")
    assert all(f"## {heading}" in page for heading in ("Table 2", "Table 3", *(f"Figure {n}" for n in range(1, 6))))
    assert len(list(tmp_path.glob("tofa-figure*.svg"))) == 5
