"""The paper on typical testors: its printed numbers, and measurements against testors by their definition."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studies.documents import Collection
from studies.measurements import Estimate, Measurement, Scope
from studies.paper import Item
from studies.quality import AsManyAs, Quality
from studies.reproduction import QUICK, find_paper, reproduce
from studies.selection import DocumentsCounted, TermsSelected
from studies.testor_counts import GrowthOfTestors, Method, NumberOfTestors, PairsNotToldApart, SecondsOfTestors
from tests.reference.testors_twin import class_testors, indistinguishable_pairs, means

from studies import testor_counts
from textsieve import TermCounter, TermWeighter
from textsieve.corpus import Corpus

FULL = Scope(n_jobs=1)
WORDS = {"a": "ant bee cat dog", "b": "bee cat elk fox", "c": "cat gnu hen", "d": "dog elk hen ibex"}
EPSILON, DELTA = 0.3, 0.15
TESTORS = f"testors(delta={DELTA},epsilon={EPSILON})"


def ignore_progress(_: str) -> None:
    """Ignore progress."""


def value(wanted: Measurement, scope: Scope = FULL) -> Any:
    """Return the value of one measurement."""
    ((measurement, measured),) = type(wanted).measure_all([wanted], scope, ignore_progress)
    assert measurement is wanted
    return measured.value


@pytest.fixture(scope="module")
def documents() -> tuple[list[str], list[tuple[str, ...]]]:
    """Return forty documents of one or two of four classes, each with some words of its classes."""
    draw = np.random.default_rng(7)
    texts, labels = [], []
    for number in range(40):
        own = ("abcd"[number % 4], "abcd"[(number + 1) % 4])[: 1 + number % 3 // 2]
        words = [word for label in own for word in WORDS[label].split()]
        texts.append(" ".join(draw.choice(words, 5)))
        labels.append(tuple(sorted(own)))
    return texts, labels


@pytest.fixture(scope="module")
def collection(documents: Any, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Write the documents to a file, and return its collection."""
    path = tmp_path_factory.mktemp("few") / "few.txt"
    lines = (" ".join([*(f"__label__{label}" for label in own), text]) for text, own in zip(*documents, strict=True))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Collection(str(path), folds=2)


@pytest.fixture(scope="module")
def mean_documents(documents: Any, collection: Collection) -> dict[Any, list[float]]:
    """Return the mean documents of the classes, from the training documents of the first fold."""
    texts, labels = documents
    places = collection.documents(FULL).folds[0].train
    counts = TermCounter().fit_transform([texts[place] for place in places])
    weights = TermWeighter(tf="log", idf="plain", norm="l2").fit_transform(counts)
    return means(weights.toarray(), [labels[place] for place in places], "max")


def number_of_testors(of_class: dict[Any, list[float]], epsilon: float) -> int:
    return sum(len(class_testors(of_class, label, epsilon, DELTA)) for label in of_class)


def terms_of_testors(of_class: dict[Any, list[float]], epsilon: float) -> set[int]:
    return {term for label in of_class for testor in class_testors(of_class, label, epsilon, DELTA) for term in testor}


def test_the_paper_has_its_printed_numbers() -> None:
    items = {item.name: item for item in find_paper("testors")}
    assert list(items) == ["sizes", "figure1", "figure2", "figure3", "figure4", "figure5", "search"]
    printed = {cell.column: cell.printed for cell in items["sizes"].cells}
    columns = ("to learn from", "to test", "all terms", "ε = 0.4", "ε = 0.1")
    assert [printed[column] for column in columns] == [7058, 2740, 26602, 502, 2209]
    for name, (gain, *_) in {"figure1": (0.27,), "figure2": (0.0037,)}.items():
        assert [claim.by for claim in items[name].claims if claim.by] == [gain, gain]
        rows = {cell.row: cell.column for cell in items[name].cells}
        assert {"TT, kNN", "IG, kNN", "TT, SVM", "IG, SVM", "all terms, kNN", "all terms, SVM"} < rows.keys()
    for name in ("figure3", "figure4"):
        assert [claim.by for claim in items[name].claims if claim.by] == [0.18, 0.05]
        assert [cell.printed for cell in items[name].cells if cell.printed] == [639]
        assert "47,152" in items[name].stands_in
    epsilons = {cell.column for cell in items["figure5"].cells if cell.row == "LEX"}
    assert epsilons == {f"ε = {percent / 100:g}" for percent in range(10, 75, 5)}


def test_terms_and_documents_are_counted(collection: Collection, mean_documents: Any) -> None:
    terms = terms_of_testors(mean_documents, EPSILON)
    assert 2 < len(terms) < 9
    one_fold = Scope(repetitions=1, n_jobs=1)
    assert value(TermsSelected(collection, TESTORS), one_fold) == len(terms)
    assert value(TermsSelected(collection, "all"), one_fold) == 9
    assert value(TermsSelected(collection, "testors(delta=0.15,epsilon=2)"), one_fold) == 0
    assert value(DocumentsCounted(collection, "train")) == value(DocumentsCounted(collection, "test")) == 20


def test_testors_are_those_of_the_definition(collection: Collection, mean_documents: Any) -> None:
    for epsilon in (EPSILON, 0.5, 0.9):
        expected = number_of_testors(mean_documents, epsilon)
        assert value(NumberOfTestors(collection, epsilon, DELTA)) == expected > 0
        pairs = indistinguishable_pairs(mean_documents, epsilon, DELTA)
        assert value(PairsNotToldApart(collection, epsilon, DELTA)) == len(pairs)
    numbers = [number_of_testors(mean_documents, epsilon) for epsilon in (0.9, EPSILON)]
    n_terms = [len(terms_of_testors(mean_documents, epsilon)) for epsilon in (0.9, EPSILON)]
    factor = (numbers[1] / numbers[0]) ** (100 / (n_terms[1] - n_terms[0]))
    assert value(GrowthOfTestors(collection, (0.9, EPSILON), DELTA)) == pytest.approx(factor)
    assert value(GrowthOfTestors(collection, (EPSILON, 0.9), DELTA)) is None


@pytest.mark.parametrize("way", ["lex", "mmcs", "union"])
def test_seconds_are_measured_only_for_runs_that_end(
    collection: Collection, way: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = SecondsOfTestors(collection, EPSILON, DELTA, way)
    assert value(wanted) > 0
    monkeypatch.setitem(testor_counts.METHODS, way, lambda *_: testor_counts.Count(17, complete=False))
    ((_, measured),) = SecondsOfTestors.measure_all([wanted], FULL, ignore_progress)
    assert measured == Estimate(None, problem="not ended within 60 seconds")


def test_all_methods_find_the_same_terms(collection: Collection) -> None:
    stats = testor_counts.compute_stats(collection.documents(FULL))
    fitted = testor_counts.fit_testors(stats, EPSILON, DELTA)
    assert testor_counts.count_testors(fitted, "lex") == testor_counts.count_testors(fitted, "mmcs")
    assert testor_counts.count_terms(stats, EPSILON, DELTA).number == value(
        TermsSelected(collection, TESTORS), Scope(repetitions=1, n_jobs=1)
    )


@pytest.mark.filterwarnings("ignore:.*none of the selected terms")
def test_as_many_terms_as_another_selector_selects_are_counted_in_each_fold(collection: Collection) -> None:
    settings = (("cut", "zero"),)
    for_one = Scope(repetitions=1, n_jobs=1)
    n_terms = value(TermsSelected(collection, TESTORS), for_one)
    same, by_hand = (
        Quality(collection, "ig(pooling=max)", size, "svm(C=1)", "macro_f1", settings)
        for size in (AsManyAs(TESTORS), int(n_terms))
    )
    assert value(same, for_one) == value(by_hand, for_one) > 0.3
    n_selected = Quality(collection, "ig(pooling=max)", AsManyAs(TESTORS), "svm(C=1)", "n_selected", settings)
    assert value(n_selected) == value(TermsSelected(collection, TESTORS))


def _is_expected(measured: Estimate) -> bool:
    return (measured.problem or "").startswith(("no more terms", "not ended", "more than"))


@pytest.fixture
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the paper by its figures with few points of each curve, and with little time to list testors."""
    columns: dict[str, tuple[str, ...]] = {
        "figure3": ("ε = 0.9", "ε = 0.7", "all"),  # few terms: figures 1 and 2 have the same curves on Reuters
        "figure4": ("ε = 0.9", "ε = 0.7", "all"),
        "figure5": ("ε = 0.7", "ε = 0.15", "ε = 0.1"),
    }

    def thinned(item: Item) -> Item:
        few_columns = columns.get(item.name, ("ε = 0.7", "ε = 0.4", "all"))
        conditions, trials = (
            tuple(cell for cell in cells if cell.column in few_columns) for cells in (item.cells, item.trials)
        )
        assert {cell.row for cell in (*conditions, *trials)} == {cell.row for cell in item.all_cells}
        return replace(item, cells=conditions, trials=trials)

    whole = find_paper("testors")
    figures = tuple(thinned(item) for item in whole if item.is_figure)  # the item "sizes" would count eight corpora
    monkeypatch.setattr("studies.papers.testors.PAPER", replace(whole, items=figures))
    monkeypatch.setattr(testor_counts, "QUICK_SECONDS", 0.05)


@pytest.mark.filterwarnings("ignore:.*had not converged")  # weights of any length, few documents
@pytest.mark.usefixtures("few_points")
def test_a_quick_run_of_the_paper(named: Callable[[str], Corpus], tmp_path: Path) -> None:
    """Every cell has a value, unless there is no growth or listing does not end; the page has every item."""
    for name in ("reuters", "rcv1:subset1"):
        named(name)
    (reproduction,) = reproduce("testors", output=tmp_path, scope=replace(QUICK, every=60, n_jobs=1))
    for outcome in reproduction.items:
        missing = [judged for judged in (*outcome.cells, *outcome.trials) if judged.estimate.value is None]
        assert not {judged.cell.row for judged in missing if not _is_expected(judged.estimate)}, outcome.item.name
    (page,) = tmp_path.glob("*.md")
    assert "**A part only**" in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == [
        f"testors-figure{number}-part.svg" for number in (1, 2, 3, 4, 5)
    ]
    (listing,) = (outcome for outcome in reproduction.items if outcome.item.name == "figure5")
    values: dict[Any, Any] = {place: measured.value for place, measured in listing.estimates.items()}
    assert values["testors", "ε = 0.1"] == values["testors", "ε = 0.15"]  # no weight below δ distinguishes classes
    assert values["testors", "ε = 0.15"] > 10 * values["testors", "ε = 0.7"]
