"""The paper on OCFS: its printed numbers, and measurements against estimators that are called directly."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from studies.documents import Collection
from studies.measurements import Estimate, MeanOf, Scope
from studies.papers.ocfs import SELECTORS, SVM
from studies.quality import Quality
from studies.reproduction import QUICK, find_paper, reproduce
from studies.selection import SelectionSeconds, TermsNotShared, TermsShared
from tests.reference.categorizer_twin import class_without_terms

from textsieve import OCFS, ChiSquare, InformationGain, TermCounter, TermWeighter
from textsieve.classifiers import LinearSVM
from textsieve.corpus import Corpus

PART = Scope(every=8, repetitions=1, n_jobs=1)
COMP = Collection("newsgroups:comp")


def ignore_progress(_: str) -> None:
    """Ignore progress."""


def by_hand(labelled: tuple[list[str], list[str]], k: int) -> dict[str, list[str]]:
    """Return the terms that each estimator selects."""
    texts, labels = labelled
    counter = TermCounter()
    counts = counter.fit_transform(texts)
    weights = TermWeighter(tf="tf", idf="plain", norm="l2").fit_transform(counts)
    names = counter.get_feature_names_out()
    fitted = {
        "OCFS": OCFS(k=k).fit(weights, labels),
        "IG": InformationGain(k=k).fit(counts, labels),
        "CHI": ChiSquare(k=k, pooling="mean").fit(counts, labels),
    }
    return {name: [str(names[place]) for place in selector.ranking_[:k]] for name, selector in fitted.items()}


@pytest.fixture(scope="module")
def part(named: Callable[[str], Corpus]) -> dict[str, Any]:
    """Return every eighth post of each of the five groups, as `Scope.every` does."""
    splits: dict[str, Any] = {}
    for name, corpus in zip(("train", "test"), named("newsgroups:comp").split() or (), strict=True):
        texts, labels = corpus.load()
        number: dict[Any, int] = {}
        places = []
        for place, label in enumerate(labels):
            if number.setdefault(label, 0) % PART.every == 0:
                places.append(place)
            number[label] += 1
        splits[name] = [texts[place] for place in places], [labels[place] for place in places]
    return splits


def test_the_paper_has_its_printed_numbers() -> None:
    """Compare with numbers and terms printed in the paper."""
    items = {item.name: item for item in find_paper("ocfs")}
    assert list(items) == [
        *("figure1", "figure2", "figure3", "table2", "table3", "figure4", "figure5", "figure6", "mislabelled", "uneven")
    ]
    table = {cell.place: cell.printed for cell in items["table2"].cells}
    assert [table["OCFS vs IG", size] for size in (10, 100, 1_000, 10_000)] == [7, 62, 532, 6494]
    assert [table["OCFS vs CHI", size] for size in (10, 100, 1_000, 10_000)] == [6, 55, 509, 6530]
    assert [table["IG vs CHI", size] for size in (10, 100, 1_000, 10_000)] == [9, 85, 831, 9096]
    assert {cell.row: cell.printed for cell in items["table3"].cells}["OCFS"] == ("drive", "file", "edu", "card")


def test_shared_terms_are_those_of_the_estimators(part: dict[str, Any]) -> None:
    """Compare with the intersection of two rankings."""
    terms = by_hand(part["train"], 100)
    wanted = [
        TermsShared(COMP, (SELECTORS[first], SELECTORS[second]), 100)
        for first, second in (("OCFS", "IG"), ("IG", "CHI"))
    ]
    estimates = dict(TermsShared.measure_all(wanted, PART, ignore_progress))
    assert estimates[wanted[0]] == Estimate(float(len(set(terms["OCFS"]) & set(terms["IG"]))))
    assert estimates[wanted[1]] == Estimate(float(len(set(terms["IG"]) & set(terms["CHI"]))))
    assert 0 < len(set(terms["OCFS"]) & set(terms["IG"])) < 100


def test_terms_that_are_not_shared_are_those_that_not_all_selectors_select(part: dict[str, Any]) -> None:
    """Terms are in the order of the selector, the best first."""
    terms = by_hand(part["train"], 10)
    common = set.intersection(*map(set, terms.values()))
    wanted = [TermsNotShared(COMP, SELECTORS[name], tuple(SELECTORS.values()), 10) for name in terms]
    estimates = dict(TermsNotShared.measure_all(wanted, PART, ignore_progress))
    for measurement, name in zip(wanted, terms, strict=True):
        assert estimates[measurement] == Estimate(tuple(term for term in terms[name] if term not in common))
    assert any(estimates[measurement].value for measurement in wanted)


def test_f1_is_that_of_an_svm_on_the_selected_terms(part: dict[str, Any]) -> None:
    """Compare with an SVM on tf-idf weights of the selected terms."""
    texts, labels = part["train"]
    others, true = part["test"]
    for name in ("OCFS", "CHI"):
        terms = by_hand(part["train"], 100)[name]
        train, test = (_columns(some, texts, terms) for some in (texts, others))
        weighter = TermWeighter(tf="tf", idf="plain", norm="l2").fit(train)
        learned: Any = weighter.transform(train)
        svm = LinearSVM(C=1.0).fit(learned, labels)
        rows = weighter.transform(test)
        fallback = class_without_terms(learned.toarray().tolist(), [(label,) for label in labels])
        guess = np.where(np.diff(rows.indptr) > 0, svm.predict(rows), fallback)
        accuracy = float(np.mean(guess == np.asarray(true)))
        wanted = Quality(COMP, SELECTORS[name], 100, SVM)
        ((_, measured),) = Quality.measure_all([wanted], PART, ignore_progress)
        assert measured.value == pytest.approx(accuracy)
        assert measured.half_width is None


def _columns(some: list[str], texts: list[str], terms: list[str]) -> Any:
    """Return the counts of the terms of some texts in other texts."""
    counter = TermCounter().fit(texts)
    place = {str(name): column for column, name in enumerate(counter.get_feature_names_out())}
    return counter.transform(some)[:, [place[term] for term in terms]]


def test_seconds_are_positive_and_a_mean_is_a_mean(named: Callable[[str], Corpus]) -> None:
    """Times are only checked to be positive."""
    named("newsgroups:comp")
    wanted = [SelectionSeconds(COMP, SELECTORS[name], 10) for name in ("OCFS", "IG")]
    seconds = dict(SelectionSeconds.measure_all(wanted, PART, ignore_progress))
    assert all(isinstance(estimate.value, float) and estimate.value > 0 for estimate in seconds.values())
    parts = tuple(TermsShared(COMP, ("ig", "ocfs"), size) for size in (10, 20))
    known = dict(TermsShared.measure_all(parts, PART, ignore_progress))
    ((_, mean),) = MeanOf.measure_all([MeanOf(parts)], PART, ignore_progress)
    assert mean.value == pytest.approx(np.mean([known[measurement].value for measurement in parts]))
    assert mean.half_width is not None


def test_a_quick_run_of_the_paper(named: Callable[[str], Corpus], tmp_path: Any) -> None:
    """Every cell has a value, and the page has every item."""
    for name in ("newsgroups:comp", "odp:sample", "rcv1:subset1", "reuters"):
        named(name)
    (reproduction,) = reproduce("ocfs", output=tmp_path, scope=replace(QUICK, every=60, n_jobs=1))
    for outcome in reproduction.items:
        assert all(cell.estimate.value is not None for cell in (*outcome.cells, *outcome.trials)), outcome.item.name
    page = (tmp_path / "ocfs-part.md").read_text(encoding="utf-8")
    assert "**A part only**" in page
    assert all(f"## {heading}" in page for heading in ("Figure 2", "Figure 3", "Table 2", "Table 3", "Figure 6"))
    figures = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert figures == [f"ocfs-figure{number}-part.svg" for number in (2, 3, 4, 5, 6)]
