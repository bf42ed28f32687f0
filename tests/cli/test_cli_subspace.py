"""`textsieve subspace`: suggested sizes, measured quality, the grid and its chart, and errors before any work."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.reference.cli_cases import Run, documents, write_csv

import textsieve
from textsieve import extras
from textsieve.ensembles import important_terms, suggest
from textsieve.ensembles.grid import subspace_grid
from textsieve.ensembles.trial import subspace_trial
from textsieve.progress import time_left
from textsieve.selectors import InformationGain
from textsieve.training.experiments import SelectedTermWeights, default_n_terms

Ask = Callable[..., Any]

FEW = ("--repeats", 2, "--jobs", 1)
GRID = ("--grid", "--terms-per-member", "1,0.5,20", "--members", "8,2,2", *FEW)


def prepared(path: Path) -> tuple[Any, Any, SelectedTermWeights]:
    """Return the counts and labels of a file, and the transformer that `subspace` applies to the counts."""
    texts, labels = zip(*((text, label) for text, (label,) in textsieve.read(path)), strict=True)
    return (
        textsieve.TermCounter().fit_transform(texts),
        list(labels),
        SelectedTermWeights(selector=InformationGain(), n_terms=1000),
    )


def texts_of(path: Path) -> list[str]:
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]


# -- a suggestion ------------------------------------------------------------------------------------------------


def test_json_equals_the_results_of_the_library(news: Path, ask: Ask) -> None:
    outcome = ask("subspace", news, *FEW)
    counts, labels, transformer = prepared(news)
    scores = transformer.fit(counts, labels).scores_
    n, energy, knee = len(scores), important_terms(scores, "energy"), important_terms(scores, "knee")
    expected = suggest(n, energy)
    assert outcome["n_terms"] == n
    assert outcome["important"] == {"energy": energy, "knee": knee, "taken": energy}
    assert outcome["suggestion"] == {
        "n_terms": expected.n_terms,
        "n_estimators": expected.n_estimators,
        "usability": expected.usability,
        "coverage": expected.coverage,
        "diversity": expected.diversity,
    }
    assert len(outcome["neighbours"]) == len(expected.neighbours)
    sizes: dict[str, Any] = {"n_terms": expected.n_terms / n, "n_estimators": expected.n_estimators}
    tried = subspace_trial(counts, labels, **sizes, prepare=transformer, repeats=2, n_jobs=1)
    assert outcome["measured"]["accuracy"] == tried.accuracy.mean()
    assert outcome["measured"]["single"] == tried.single.mean()
    assert outcome["measured"]["gain"] == tried.gain[0]
    assert outcome["measured"]["disagreement"] == pytest.approx(
        sum(diversity.disagreement for diversity in tried.diversity) / 2
    )
    assert 0 <= outcome["predicted"]["pairs_that_differ"] <= 1


def test_tables_have_the_figures_of_the_json(news: Path, run: Run, ask: Ask) -> None:
    printed = run("subspace", news, *FEW).stdout
    outcome = ask("subspace", news, *FEW)
    suggestion, important = outcome["suggestion"], outcome["important"]
    assert printed.splitlines()[:2] == [f"{news}: 60 documents", "3 classes; 24 of 24 terms selected by ig"]
    assert (
        f"Important terms: {important['energy']} by energy, {important['knee']} by the knee; used: the number by"
        in printed
    )
    assert f"Suggested: {suggestion['n_estimators']} members (L) of {suggestion['n_terms']} terms (M)" in printed
    (marked,) = [line.split() for line in printed.splitlines() if line.rstrip().endswith("suggested")]
    assert marked[:2] == [str(suggestion["n_terms"]), str(suggestion["n_estimators"])]
    for name, key in (("accuracy of the ensemble", "accuracy"), ("kappa of their predictions", "kappa")):
        assert re.search(rf"^{name} +{outcome['measured'][key]:.3f}", printed, re.MULTILINE)


def test_the_important_terms_and_the_cost_can_be_given(news: Path, ask: Ask) -> None:
    outcome = ask("subspace", news, *FEW, "--important", 3, "--cost", 60)
    assert outcome["important"]["taken"] == 3
    expected = suggest(outcome["n_terms"], 3, cost=60)
    assert outcome["suggestion"]["n_terms"] == expected.n_terms
    assert outcome["suggestion"]["n_estimators"] * expected.n_terms <= 60
    by_knee = ask("subspace", news, *FEW, "--important", "knee")
    assert by_knee["important"]["taken"] == by_knee["important"]["knee"]


def test_sizes_can_be_fixed(news: Path, ask: Ask) -> None:
    outcome = ask("subspace", news, *FEW, "--terms-per-member", "0.25")
    assert outcome["suggestion"]["n_terms"] == 6
    outcome = ask("subspace", news, *FEW, "--members", "3")
    assert outcome["suggestion"]["n_estimators"] == 3


# -- a grid ------------------------------------------------------------------------------------------------------


def test_a_grid_equals_that_of_the_library(news: Path, ask: Ask) -> None:
    outcome = ask("subspace", news, *GRID, "--seed", 7)
    counts, labels, transformer = prepared(news)
    sizes: dict[str, Any] = {"n_terms": [1, 0.5, 20], "n_estimators": [2, 8]}
    grid = subspace_grid(counts, labels, **sizes, prepare=transformer, repeats=2, random_state=7, n_jobs=1)
    assert (outcome["terms_per_member"], outcome["members"]) == ([1, 12, 20], [2, 8])
    assert outcome["accuracy"] == grid.mean.tolist()
    assert outcome["standard_error"] == grid.standard_error.tolist()
    assert outcome["best"] == grid.best._asdict()
    assert (outcome["documents"], outcome["classes"], outcome["n_terms"], outcome["seed"]) == (60, 3, 24, 7)


def test_the_error_is_one_minus_the_accuracy(news: Path, ask: Ask) -> None:
    right, wrong = ask("subspace", news, *GRID), ask("subspace", news, *GRID, "--measure", "error")
    assert wrong["error"] == [[1 - accuracy for accuracy in row] for row in right["accuracy"]]
    assert wrong["best"] == right["best"]


def test_the_table_of_a_grid(news: Path, run: Run, ask: Ask) -> None:
    printed, outcome = run("subspace", news, *GRID).stdout, ask("subspace", news, *GRID)
    rows = [line.split() for line in printed.splitlines() if re.match(r"\s*\d+( +\d+\.\d)+$", line)]
    assert rows == [
        [str(size), *(f"{100 * value:.1f}" for value in row)]
        for size, row in zip(outcome["terms_per_member"], outcome["accuracy"], strict=True)
    ]
    assert "Accuracy in percent; 2 random splits, 20% of the documents held out, by vote" in printed
    best = outcome["best"]
    sizes, accuracy = f"{best['n_estimators']} members of {best['n_terms']} terms", f"{100 * best['accuracy']:.1f} %"
    assert f"Best: {sizes}, accuracy {accuracy}" in printed


def test_the_grid_is_drawn(news: Path, tmp_path: Path, run: Run, ask: Ask) -> None:
    printed = run("subspace", news, *GRID, "--plot", tmp_path / "x.svg", "--measure", "error").stdout
    assert printed.endswith(f"Drawn to {tmp_path / 'x.svg'}\n")
    outcome = ask("subspace", news, *GRID, "--measure", "error", "--plot", tmp_path / "x.html")
    assert outcome["plot"] == str(tmp_path / "x.html")
    texts = texts_of(tmp_path / "x.svg")
    for row in outcome["error"]:
        for error in row:
            assert f"{error:.1%}" in texts
    assert any(text.startswith("news.csv. 24 terms in all, 2 random splits, by vote.") for text in texts)


def test_options_change_the_result(news: Path, ask: Ask) -> None:
    usual = ask("subspace", news, *GRID)
    for options in (["--seed", 1], ["--held-out", 0.5], ["--combine", "mean"]):
        assert ask("subspace", news, *GRID, *options)["accuracy"] != usual["accuracy"], options
    assert ask("subspace", news, *GRID, "-k", 20)["n_terms"] == 20
    assert ask("subspace", news, *GRID, "--stop-words", "english")["n_terms_seen"] == 22
    assert ask("subspace", news, *GRID, "-k", 1.0) == usual


def test_one_repetition_has_no_standard_error(news: Path, ask: Ask) -> None:
    outcome = ask("subspace", news, *GRID, "--repeats", 1)
    assert outcome["standard_error"][0] == [None, None]
    assert outcome["best"]["standard_error"] is None


def test_other_formats_and_unlabelled_documents_are_read(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "x.jsonl"
    rows: list[dict[str, Any]] = [{"text": text, "label": label} for text, label in documents()]
    rows.insert(5, {"text": "something of no class", "label": None})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert ask("subspace", path, *GRID)["documents"] == 60


# -- what is refused ---------------------------------------------------------------------------------------------


@pytest.fixture
def nothing_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    def read(*_: object, **__: object) -> None:
        pytest.fail("the documents are read although it is in vain")

    monkeypatch.setattr("textsieve.cli.opening.read", read)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRONG_USAGE = [
    (["--plot", "x.svg"], "--plot is for --grid; add it"),
    (["--measure", "error"], "--measure is for --grid; add it"),
    (["--grid", "--cost", "9"], "--cost is for a suggestion, which --grid does not make"),
    (["--grid", "--important", "9"], "--important is for a suggestion"),
    (["--members", "1,2"], "--members: several sizes are for --grid"),
    (["--grid", "--members", "0"], "0; use numbers from 1"),
    (["--grid", "--members", "1,1.5"], "1.5; use numbers from 1"),
    (["--grid", "--terms-per-member", "1;2"], "'1;2' is no number"),
    (["--grid", "--terms-per-member", "nan"], "nan; use numbers from 1"),
    (["--important", "all"], "'all'; use energy, knee, or a number of terms from 1"),
    (["--important", "0"], "'0'; use energy"),
    (["-k", "auto"], "-k auto is for train"),
    (["--held-out", "1"], "0<x<1"),
    (["--repeats", "0"], "x>=1"),
]


@pytest.mark.parametrize(("options", "message"), WRONG_USAGE, ids=[" ".join(options) for options, _ in WRONG_USAGE])
def test_wrong_usage_exits_before_any_work(options: list[str], message: str, nothing_is_read: Path, run: Run) -> None:
    assert message in re.sub(r"\s+", " ", run("subspace", "docstrings", *options, exit_code=2).stderr)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("x.pdf", "'x.pdf' ends in '.pdf'; a chart is written to a file that ends in .svg"),
        ("none/x.svg", "there is no folder none"),
        ("x.json", "x.json: is read here, and would be overwritten"),
    ],
)
def test_unwritable_files_raise_an_error_before_any_work(
    file: str, message: str, nothing_is_read: Path, run: Run
) -> None:
    (nothing_is_read / "x.json").write_text("{}")
    assert message in run("subspace", "x.json", "--grid", "--plot", file, exit_code=1).stderr
    assert (nothing_is_read / "x.json").read_text() == "{}"


def test_a_missing_extra_is_named(nothing_is_read: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda name: name != "altair")
    result = run("subspace", "docstrings", "--grid", "--plot", "x.svg", exit_code=1)
    assert result.stderr.startswith("error: --plot needs altair; pip install 'textsieve[plots]'")


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (documents(), ["--grid", "--terms-per-member", "99"], "--terms-per-member 99; there are 24 terms"),
        (documents(), ["--important", "99"], "99"),
        (documents(), ["--cost", "1"], "--cost 1; use a whole number"),
        (documents(), ["--min-df", "61"], "--min-df 61: there are only 60 documents"),
        ([("aa bb", "x")] * 9, [], "x"),
        ([("aa bb", "x"), ("bb cc", "y")], ["--grid"], "All documents to train on in repetition 1 are of the class"),
        (
            [("-", "x"), ("!", "y")] * 5,
            [],
            "x.csv: None of the 10 documents has a term: they have no words of two or more",
        ),
    ],
)
def test_too_few_documents_raise_an_error(
    rows: list[tuple[str, str]], options: list[str], message: str, tmp_path: Path, run: Run
) -> None:
    path = write_csv(tmp_path / "x.csv", rows)
    result = run("subspace", path, *FEW, *options, exit_code=1)
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1


def test_multilabel_documents_raise_an_error(tagged: Path, run: Run) -> None:
    printed = run("subspace", tagged, *FEW, exit_code=1).stderr
    assert "16 documents have several labels" in printed
    assert "give documents of one label each" in printed


def test_vectors_and_unlabelled_documents_raise_an_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "x.svm").write_text("1 1:2 3:1\n2 2:1 3:1\n" * 5)
    assert "holds vectors, not texts" in run("subspace", tmp_path / "x.svm", exit_code=1).stderr
    (tmp_path / "x.csv").write_text("text,label\nsome words,\nothers,\n")
    assert "no document has a label" in run("subspace", tmp_path / "x.csv", exit_code=1).stderr


@pytest.mark.slow
def test_packages_for_drawing_are_not_imported_without_a_plot(news: Path) -> None:
    code = (
        "import sys, textsieve.cli\n"
        f"sys.argv = ['textsieve', 'subspace', {str(news)!r}, *{[str(argument) for argument in GRID]!r}]\n"
        "try: textsieve.cli.main()\n"
        "except SystemExit: pass\n"
        "print('LOADED', *sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "textsieve.ensembles.grid" in loaded
    assert not loaded & {"altair", "vl_convert", "textsieve.plots"}


# -- how many terms, and how long --------------------------------------------------------------------------------


def test_the_default_number_of_terms() -> None:
    assert default_n_terms(22_244) == 5_000
    assert default_n_terms(3_999) == default_n_terms(1) == 1_000


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, ""),
        (0, ""),
        (42, "about 42 s left"),
        (89, "about 89 s left"),
        (600, "about 10 min left"),
        (7200, "about 2 hours left"),
    ],
)
def test_the_remaining_time_in_words(seconds: float | None, expected: str) -> None:
    assert time_left(seconds) == expected
