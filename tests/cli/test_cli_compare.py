"""`textsieve compare`: its output, continuing an interrupted run, and errors before any work."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reference.categorizer_cases import small_texts
from tests.reference.cli_cases import Run, documents, write_csv

from textsieve import compare
from textsieve.cli.compare import default_results
from textsieve.comparison import running
from textsieve.comparison.measuring import measure

Ask = Callable[..., Any]
FEW = ("--selectors", "ocfs,ig(pooling=max),all", "--terms", "3,6", "--classifiers", "svm,nb", "--jobs", 1)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a temporary folder, where `compare` writes its results."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_equals_the_comparison_of_the_library(news: Path, ask: Ask) -> None:
    outcome = ask("compare", news, *FEW, "--folds", 3)
    comparison = compare(
        news, selectors="ocfs,ig(pooling=max),all", n_terms=(3, 6), classifiers="svm,nb", folds=3, n_jobs=1
    ).to_dict()
    assert outcome["results"] == "news.csv.compare.jsonl"
    assert len(outcome["rows"]) == (2 * 2 + 1) * 2 * 3
    for name in ("overlap", "stability", "ranks", "classes", "split", "fingerprint"):
        assert outcome[name] == json.loads(json.dumps(comparison[name])), name
    for own, other in zip(outcome["summary"], comparison["summary"], strict=True):
        assert own["micro_f1"] == other["micro_f1"]
        assert own["p_in_size"] == other["p_in_size"]


def test_the_best_combination_shows_how_certain_its_labels_are(tmp_path: Path, run: Run, ask: Ask) -> None:
    case = small_texts(90, 3)
    write_csv(tmp_path / "more.csv", list(zip(case.texts, case.labels, strict=True)))
    arguments = ("compare", "more.csv", "--selectors", "all", "--classifiers", "nb", "--folds", 2, "--jobs", 1)
    (summary,) = ask(*arguments)["summary"]
    assert sum(band["documents"] for band in summary["bands"]) == summary["confidence"]["documents"] == 90
    printed = run(*arguments).stdout
    assert "How certain labels are: all terms, nb\n" in printed
    assert "Labels of 90 test documents by their probability\n" in printed
    row = summary["confidence"]["rows"][3]
    assert f"     {row['min_probability']:g}      {row['share']:.1%}  {row['accuracy']:.1%}\n" in printed
    band = summary["bands"][0]
    assert re.search(rf"0 to 0\.5 +{band['documents']} +{band['accuracy']:.1%}\n", printed)
    assert "fitted on the other half" in printed
    assert "How certain" not in run(*arguments[:-3], 3, "--jobs", 1, "--results", "few.jsonl").stdout


def test_tables_have_the_figures_of_the_json(news: Path, run: Run, ask: Ask) -> None:
    printed = run("compare", news, *FEW, "--folds", 3).stdout
    outcome = ask("compare", news, *FEW, "--folds", 3)
    lines = printed.splitlines()
    assert lines[:2] == [f"{news}: 60 documents, 3 classes", "10 combinations, tested on 3 folds in turn"]
    for row in outcome["summary"]:
        (line,) = [
            line
            for line in lines
            if line.split()[:3] == [str(row["n_terms"]), row["selector"], row["classifier"]] and "±" in line
        ]
        assert f"{row['micro_f1']['value']:.3f} ±{row['micro_f1']['half_width']:.3f}" in line
        assert line.endswith("best") == row["is_best_in_size"]
    for title in ("Seconds and size", "Average rank by micro-F1", "Overlap", "Stability between folds"):
        assert title in printed
    assert "ocfs and ig(pooling=max)" in printed
    assert lines[-1] == "All results are in news.csv.compare.jsonl"


def test_test_documents_come_from_another_file(news: Path, ask: Ask, run: Run, tmp_path: Path) -> None:
    test = write_csv(tmp_path / "later.csv", documents(5))
    outcome = ask("compare", news, *FEW, "--test", test, "--results", "own.jsonl")
    assert outcome["split"] == {"by": "given", "folds": 1}
    assert {row["documents"] for row in outcome["rows"]} == {15}
    assert outcome["stability"] == []
    printed = run("compare", news, *FEW, "--test", test, "--results", "own.jsonl").stdout
    assert "tested on separate test documents" in printed
    assert "±: half the 95 % confidence interval over other test documents, same models." in printed
    assert "Stability" not in printed


def test_a_share_drawn_at_random_is_tested(news: Path, ask: Ask, run: Run) -> None:
    wanted = ("compare", news, *FEW, "--test-share", "0.34", "--repeats", 3, "--seed", 1)
    outcome = ask(*wanted)
    assert outcome["split"] == {"by": "random", "folds": 3, "test_share": 0.34, "seed": 1, "overlapping": True}
    printed = run(*wanted).stdout
    assert "tested on a random share of 0.34, drawn 3 times" in printed
    assert "(corrected t-test on splits, Holm's correction)" in " ".join(printed.split())
    assert "sign test" not in printed


def test_vectors_can_be_compared(run: Run, ask: Ask, tmp_path: Path) -> None:
    lines = [f"{1 + place % 2} {1 + place % 2}:{1 + place % 3} 3:1" for place in range(20)]
    (tmp_path / "x.svm").write_text("\n".join(lines), encoding="utf-8")
    outcome = ask("compare", "x.svm", "--terms", "2", "--folds", 2, "--jobs", 1)
    assert outcome["form"] == "counts"
    assert all(row["micro_f1"] == 1.0 for row in outcome["rows"])
    printed = run("compare", "x.svm", "--keep-case", "--ngrams", "1-2", exit_code=1).stderr
    assert "x.svm: holds vectors, not texts" in printed
    assert "leave out --keep-case, --ngrams 1-2." in " ".join(printed.split())


def test_multilabel_documents_can_be_compared(tagged: Path, run: Run, ask: Ask) -> None:
    wanted = ("compare", tagged, "--label", "tags", "--terms", "5", "--folds", 2, "--jobs", 1)
    outcome = ask(*wanted)
    assert outcome["multilabel"] is True
    assert "accuracy" in run(*wanted).stdout


def test_a_selector_that_selects_nothing_is_reported(news: Path, run: Run) -> None:
    printed = run(
        "compare", news, "--selectors", "ig(min_score=9),ocfs", "--terms", "5", "--folds", 2, "--jobs", 1
    ).stdout
    assert "ig(min_score=9), 5 terms: InformationGain" in printed
    assert "keeps none of the" in printed


def test_a_second_run_measures_nothing(news: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("compare", news, *FEW, "--folds", 2).stdout
    monkeypatch.delattr(running, "measure")
    assert run("compare", news, *FEW, "--folds", 2).stdout == first


def test_an_interrupted_run_prints_how_to_continue(
    news: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    left = [3]

    def interrupted(*args: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return measure(*args)

    monkeypatch.setattr(running, "measure", interrupted)
    ended = run("compare", news, *FEW, "--folds", 2, exit_code=130)
    assert "the same command continues; the results so far are in news.csv.compare.jsonl" in ended.stderr
    assert ended.stdout == ""
    lines = (tmp_path / "news.csv.compare.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"row"') for line in lines) == 3
    monkeypatch.setattr(running, "measure", measure)
    run("compare", news, *FEW, "--folds", 2)


@pytest.mark.slow
def test_a_run_continues_after_ctrl_c(news: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys, textsieve.cli\n"
        "from textsieve.comparison import running\n"
        "own = running.measure\n"
        "def measure(*args):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return own(*args)\n"
        "running.measure = measure\n"
        f"sys.argv = ['textsieve', 'compare', {str(news)!r}, '--terms', '3', '--folds', '2', '--jobs', '1']\n"
        "textsieve.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 128 + signal.SIGINT
    assert "the same command continues" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--selectors", "igg"], "--selectors: there is no selector 'igg'. Did you mean 'ig'? Otherwise use forward,"),
        (["--selectors", "ig(pooling=odd)"], "--selectors: ig(pooling=odd): pooling='odd'; use one of"),
        (["--selectors", "ig(colour=red)"], "'ig' has no option 'colour'"),
        (["--classifiers", "perceptron"], "--classifiers: there is no classifier 'perceptron'; use svm,"),
        (["--classifiers", "svm,svm(C=x)"], "--classifiers: svm(C=x): C='x'; use a number above 0"),
        (["--classifiers", "tcfp(x=1)"], "--classifiers: tcfp(x=1): 'tcfp' has no option 'x'"),
        (["--classifiers", "svm(C=1,C=x)"], "--classifiers: svm(C=1,C=x): C is given twice; leave out one"),
        (["--selectors", "ig(pooling=[1])"], "--selectors: ig(pooling=[1]): pooling=[1]; use one of"),
        (["--selectors", "ig(pooling=max"], "--selectors: ig(pooling=max: its parentheses do not match"),
        (["--results", "-"], "--results - is standard output, and results need a file"),
        (["--terms", "5,many"], "--terms many; use numbers of terms from 1"),
        (["--folds", "1"], "1 is not in the range x>=2"),
        (["--folds", "2", "--test", "later.csv"], "--folds and --test exclude each other"),
        (["--test-share", "0.2", "--test", "later.csv"], "--test-share and --test exclude each other"),
        (["--test-share", "1.5"], "1.5 is not in the range 0.0<x<1.0"),
        (["--test-share", "0.5", "--folds", "2"], "--folds and --test-share are different ways to split documents"),
        (["--seed", "2"], "--seed 2: nothing is drawn at random; give --test-share or --folds with it"),
    ],
    ids=str,
)
def test_wrong_usage_exits_with_2(arguments: list[str], printed: str, run: Run, tmp_path: Path) -> None:
    ended = run("compare", "nowhere.csv", *arguments, exit_code=2)
    assert printed in " ".join(ended.stderr.split())
    assert not list(tmp_path.iterdir())


def test_missing_inputs_and_unwritable_results_raise_an_error(news: Path, run: Run, tmp_path: Path) -> None:
    assert "nowhere.csv" in run("compare", "nowhere.csv", exit_code=1).stderr
    assert "there is no folder no; make it first" in run("compare", news, "--results", "no/x.jsonl", exit_code=1).stderr
    assert "is read here, and would be overwritten" in run("compare", news, "--results", news, exit_code=1).stderr
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    ended = run("compare", news, "--results", "notes.txt", exit_code=1)
    assert "has no results of compare; choose another name" in ended.stderr
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_results_of_another_corpus_raise_an_error(news: Path, run: Run, tmp_path: Path) -> None:
    wanted = (*FEW, "--folds", 2, "--results", "found.jsonl")
    run("compare", news, *wanted)
    other = write_csv(tmp_path / "other.csv", documents(21))
    printed = run("compare", other, *wanted, exit_code=1).stderr
    assert "found.jsonl: has results of another corpus" in printed
    assert "Choose another file for new results, or delete this one" in printed


def test_results_are_not_written_among_the_documents(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for label in ("a", "b"):
        (tmp_path / "docs" / label).mkdir(parents=True)
        for number in range(6):
            (tmp_path / "docs" / label / f"{number}.txt").write_text(f"{label}{label} word{number}", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "docs")
    wanted = ("--terms", 2, "--folds", 2, "--jobs", 1)
    printed = run("compare", ".", *wanted, exit_code=1).stderr
    assert "docs.compare.jsonl: would be among the documents of .; name a file elsewhere with --results" in printed
    run("compare", ".", *wanted, "--results", "../found.jsonl")
    monkeypatch.chdir(tmp_path)
    run("compare", "docs", *wanted)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["docs", "docs.compare.jsonl", "found.jsonl"]


def test_a_classifier_that_cannot_be_trained_is_named(run: Run, tmp_path: Path) -> None:
    lines = [f"{1 + place % 2} {1 + place % 2}:{0.5 - place % 3} 3:0.25" for place in range(20)]
    (tmp_path / "x.svm").write_text("\n".join(lines), encoding="utf-8")
    printed = run("compare", "x.svm", "--terms", 2, "--folds", 2, "--selectors", "ig", "--classifiers", "svm,nb").stdout
    assert "ig, 2 terms, nb: MultinomialNB(alpha=0.01) can't be trained: Negative values in data" in " ".join(
        printed.split()
    )


def test_seconds_of_different_threads_are_not_mixed(news: Path, run: Run, ask: Ask) -> None:
    wanted = ("compare", news, "--terms", 3, "--folds", 2)
    assert "threads" not in run(*wanted, "--selectors", "ig", "--jobs", 1).stdout
    printed = run(*wanted, "--selectors", "ig,ocfs", "--jobs", 2).stdout
    assert "Seconds are comparable only between combinations with the same threads" in printed
    outcome = ask(*wanted, "--selectors", "ig,ocfs", "--jobs", 2)
    cores = outcome["rows"][0]["cores"]
    assert [line["threads"] for line in outcome["summary"]] == [1, 2]
    assert f"1 of {cores}" in printed
    assert f"2 of {cores}" in printed


def test_the_default_name_of_the_file_of_results(tmp_path: Path) -> None:
    assert default_results(".") == f"{tmp_path.name}.compare.jsonl"
    assert default_results("newsgroups:comp:no-headers") == "newsgroups-comp-no-headers.compare.jsonl"
    assert default_results("/data/my mails/") == "my-mails.compare.jsonl"
    assert default_results("-") == "standard-input.compare.jsonl"
