"""Paper 002: its printed numbers, and what is measured for them against the estimators by hand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from studies.documents import Collection
from studies.energy import TermsForEnergy
from studies.few_labels import FewLabels, copies, labelled
from studies.measurements import Scope
from studies.named import paper_of
from studies.quality import Quality
from studies.reproducing import QUICK, reproduce
from studies.tofa_costs import TFIDF
from studies.tofa_readings import SVM, Reading
from tests.reference.categorizer_twin import class_without_terms
from tests.reference.studies_in_part import with_few_points
from tests.reference.trace_twin import total

from textsieve import TOFA, TermCounter, TermWeighter, read
from textsieve.classifiers import LinearSVM
from textsieve.corpus import Corpus
from textsieve.training.targets import Targets

FULL = Scope(n_jobs=1)


def said(_: str) -> None:
    """Nobody listens."""


def docstrings() -> tuple[list[str], list[Any]]:
    """All texts, and their labels."""
    texts, labels = read("docstrings").load()
    assert isinstance(texts, list)
    return texts, labels


def test_it_has_the_numbers_that_the_paper_printed() -> None:
    """Those of METHODS."""
    items = {item.name: item for item in paper_of("tofa")}
    assert list(items) == ["figure1", "table2", "figure2", "figure3", "figure4", "table3", "figure5", "energy"]
    table = {each.place: each.printed for each in items["table2"].conditions}
    rows = ("λ = 0", "λ = 1", "λ = 2", "IG", "best λ", "which λ")
    assert [table[row, "20NG"] for row in rows] == [0.42, 0.72, 0.63, 0.72, 0.75, 1.1]
    assert [table[row, "RCV1"] for row in rows] == [0.68, 0.75, 0.72, 0.74, 0.77, 1.2]
    assert [table[row, "ODP"] for row in rows] == [0.31, 0.41, 0.11, 0.33, 0.49, 0.2]
    seconds = {each.place: each.printed for each in items["table3"].conditions}
    assert [seconds[row, "ODP"] for row in ("IG", "λ = 1", "other λ")] == [3201.91, 613.13, 2654.66]
    ratios = [round(claim.by or 0, 2) for claim in items["table3"].claims[:3]]
    assert ratios == [3.35, 3.27, 5.22]


def test_without_shares_of_classes_the_weight_is_another() -> None:
    """λ Σ_j (m_j - m)² + (1 - λ) C ranks as TOFA does at the weight that the reading gives, for classes of one size."""
    rows = np.random.default_rng(0).random((12, 30))
    classes = np.repeat([0, 1, 2], 4)
    apart = sum((rows[classes == each].mean(axis=0) - rows.mean(axis=0)) ** 2 for each in range(3))
    spread = np.array([float(each) for each in total(rows.tolist())])
    for weight in (0.0, 0.2, 1.0, 1.1, 2.0):
        name = Reading(Collection("docstrings"), n_classes=3).selector(weight)
        options = dict(part.split("=") for part in name[5:-1].split(","))
        assert options["class_weight"] == "balanced"
        assert options["idf"] == "plain"
        found = TOFA(weight=float(options["weight"]), class_weight="balanced", k="all").fit(rows, classes)
        scores = weight * apart + (1 - weight) * spread
        np.testing.assert_array_equal(found.ranking_, np.argsort(-scores, kind="stable"))


def test_labels_stay_with_a_share_of_each_class_or_of_all() -> None:
    """Of the documents to learn from alone, and with another draw others."""
    targets = Targets.of(["a"] * 40 + ["b"] * 60, 100)
    is_train = np.arange(100) % 2 == 0
    kept = labelled(targets, is_train, (0.1, 0.5), 0)
    assert not kept[~is_train].any()
    assert (int(kept[:40].sum()), int(kept[40:].sum())) == (2, 15)
    assert int(labelled(targets, is_train, (0.1,), 0).sum()) == 5
    assert not np.array_equal(kept, labelled(targets, is_train, (0.1, 0.5), 1))
    for shares in ((0.001, 0.001), (0.001,)):
        few = labelled(targets, is_train, shares, 0)
        assert [int(few[members].sum()) for members in targets.members] == [1, 1]
    several = copies(targets, [kept | ~is_train, np.ones(100, np.bool_)])
    assert several.n_documents == 200
    assert several.class_docs.tolist() == [22 + 40, 45 + 60]
    assert several.first[100:].tolist() == targets.first.tolist()


def test_f1_of_few_labels_is_that_of_estimators_by_hand() -> None:
    """TOFA and idf see all documents to learn from, the SVM those with a label."""
    collection = FewLabels("docstrings", folds=3, shares=(0.3,), draws=2)
    documents = collection.documents(FULL)
    texts, labels = docstrings()
    n_documents = len(texts)
    assert documents.counted.targets.n_documents == 2 * n_documents
    assert len(documents.tested) == 2
    found = []
    for draw in range(2):
        own = slice(draw * n_documents, (draw + 1) * n_documents)
        train, test = (np.flatnonzero(each[draw][own]) for each in (documents.trained, documents.tested))
        known = documents.counted.targets.usable[own]
        assert int(known[train].sum()) == round(0.3 * len(train))
        assert known[test].all()
        found.append(_f1_by_hand(texts, labels, train, test, known))
    wanted = Quality(collection, "tofa(weight=0.2,tf=tf,idf=plain,norm=l2)", 50, SVM)
    ((_, measured),) = Quality.measure_all([wanted], FULL, said)
    assert measured.value == pytest.approx(np.mean(found))
    assert measured.half_width is not None
    assert found[0] != found[1]


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
    """Added up by hand, in the two folds."""
    collection = Collection("docstrings", folds=2)
    documents = collection.documents(FULL)
    texts, labels = docstrings()
    enough, shares = [], []
    for is_train in documents.trained:
        some = np.flatnonzero(is_train)
        counts = TermCounter().fit_transform([texts[place] for place in some])
        weights = TermWeighter(tf="tf", idf="plain", norm="l2").fit_transform(counts)
        scores = np.sort(TOFA(weight=0.5, k="all").fit(weights, [labels[place] for place in some]).scores_)[::-1]
        enough.append(int(np.argmax(np.cumsum(scores) >= 0.6 * scores.sum())) + 1)
        shares.append(100 * enough[-1] / len(scores))
    wanted = [TermsForEnergy(collection, 0.5, 0.6, TFIDF, is_share) for is_share in (False, True)]
    found = dict(TermsForEnergy.measure_all(wanted, FULL, said))
    assert found[wanted[0]].value == np.mean(enough)
    assert found[wanted[1]].value == pytest.approx(np.mean(shares))


def test_a_part_of_the_paper_runs(
    named: Callable[[str], Corpus], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row has values, the page every item; and what does not depend on sizes holds in a part, too."""
    monkeypatch.setattr("studies.tofa.PAPER", with_few_points(paper_of("tofa")))
    for name in ("newsgroups", "odp:sample", "rcv1:subset1", "reuters"):
        named(name)
    (found,) = reproduce("tofa", output=tmp_path, scope=replace(QUICK, n_jobs=1))
    outcomes = {outcome.item.name: outcome for outcome in found.outcomes}
    for name, outcome in outcomes.items():
        assert all(each.measured.value is not None for each in (*outcome.numbers, *outcome.trials)), name
    curve: dict[Any, Any] = {
        weight: value.value for (row, weight), value in outcomes["figure2"].places.items() if row == "20NG"
    }
    table: dict[Any, Any] = {place: each.value for place, each in outcomes["table2"].places.items()}
    assert table["best λ", "20NG"] == max(curve.values())
    assert curve[table["which λ", "20NG"]] == table["best λ", "20NG"]
    assert all(claim.verdict == "agrees" for claim in outcomes["figure5"].claims[:1])
    page = (tmp_path / "tofa-part.md").read_text(encoding="utf-8")
    assert all(f"## {heading}" in page for heading in ("Table 2", "Table 3", *(f"Figure {n}" for n in range(1, 6))))
    assert len(list(tmp_path.glob("tofa-figure*.svg"))) == 5
