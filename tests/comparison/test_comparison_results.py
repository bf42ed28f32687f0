"""The results file: an interrupted run loses at most one row, and files that do not belong to the run raise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.reference.categorizer_cases import small_texts

import textsieve
from textsieve import InputError, compare
from textsieve.comparison import Comparison, read_comparison, results, running
from textsieve.comparison.json_lines import decode_line, encode_line
from textsieve.comparison.measuring import measure

CASE = small_texts(40, 3)
WANTED: dict[str, Any] = {"selectors": "ocfs,ig", "n_terms": "4,8", "classifiers": "svm,nb", "folds": 2, "n_jobs": 1}
N_ROWS = 16


def run(path: Path | None, **other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, results=path, **{**WANTED, **other})


def without_seconds(comparison: Comparison) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.to_dict().items() if "seconds" not in name} for row in comparison.rows]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the list of conditions that are measured from now on."""
    noted: list[Any] = []

    def noting(fold: Any, condition: Any, plan: Any) -> Any:
        noted.append((fold.number, *condition.key))
        return measure(fold, condition, plan)

    monkeypatch.setattr(running, "measure", noting)
    return noted


def test_rows_read_from_the_file_equal_the_measured_rows(tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "results.jsonl"
    first = run(path)
    assert len(measured) == N_ROWS
    header, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert header["textsieve_comparison"] == 6
    assert header["corpus"] == "texts"
    assert header["versions"]["textsieve"] == textsieve.__version__
    assert sum("row" in line for line in lines) == N_ROWS
    assert sum("selection" in line for line in lines) == 2 * 2 * 2
    again = run(path)
    assert len(measured) == N_ROWS
    assert [row.to_dict() for row in again.rows] == [row.to_dict() for row in first.rows]
    assert again.to_dict() == first.to_dict()
    assert without_seconds(run(None)) == without_seconds(first)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.99])
def test_a_truncated_file_is_resumed(share: float, tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "results.jsonl"
    whole = run(path)
    data = path.read_bytes()
    cut = data[: int(len(data) * share)]
    path.write_bytes(cut)
    n_left = sum(line.startswith(b'{"row"') for line in cut.split(b"\n")[:-1])
    del measured[:]
    again = run(path)
    assert len(measured) == N_ROWS - n_left
    assert without_seconds(again) == without_seconds(whole)
    assert len(path.read_bytes().splitlines()) == len(data.splitlines())
    assert again.overlaps == whole.overlaps
    assert again.stabilities == whole.stabilities


@pytest.mark.slow
def test_a_killed_run_is_resumed(tmp_path: Path, measured: list[Any]) -> None:
    path, code = tmp_path / "results.jsonl", tmp_path / "killed.py"
    code.write_text(
        "import os, signal, sys\n"
        "from textsieve import compare\n"
        "def tell(stage, done, total):\n"
        "    if stage == 'comparing' and done == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"compare({CASE.texts!r}, {CASE.labels!r}, results=sys.argv[1], progress=tell, **{WANTED!r})\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(code), str(path)], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    again = run(path)
    assert len(measured) == N_ROWS - 5
    assert without_seconds(again) == without_seconds(run(None))


def test_a_comparison_can_be_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    whole = run(path)
    assert read_comparison(path).to_dict() == whole.to_dict()
    *lines, last_row, examples = path.read_bytes().splitlines(keepends=True)
    assert examples.startswith(b'{"examples"')
    path.write_bytes(b"".join([*lines, last_row[:20]]))
    part = read_comparison(path)
    assert [condition.key for condition in part.conditions] == [condition.key for condition in whole.conditions[:-1]]
    assert len(part.summary) == len(whole.summary) - 1
    for text, words in (("", "has no results"), ("notes\n", "has no results of compare")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=words):
            read_comparison(path)
    with pytest.raises(InputError, match="can't be read"):
        read_comparison(tmp_path / "nowhere.jsonl")


def test_a_file_can_be_resumed_with_more_or_fewer_combinations(tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "results.jsonl"
    run(path)
    del measured[:]
    more = run(path, selectors="chi,ocfs", n_terms="8,12")
    assert {key[1:3] for key in measured} == {("chi", 8), ("chi", 12), ("ocfs", 12)}
    assert without_seconds(more) == without_seconds(run(None, selectors="chi,ocfs", n_terms="8,12"))
    assert {selection.selector for selection in more.selections} == {"chi", "ocfs"}
    del measured[:]
    assert len(run(path, selectors="ig", n_terms=4).rows) == 4
    assert measured == []


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"min_df": 3}, r"results of other settings \(min_df: 1 there, 3 here\)"),
        ({"folds": 3}, r"results of another split of the documents \(folds: 2 there, 3 here\)"),
    ],
)
def test_results_of_other_settings_raise(other: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"results.jsonl: has {words}. Choose another file for new results, or delete"):
        run(path, **other)
    assert path.read_bytes() == before


def test_results_of_another_corpus_raise(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run(path)
    for texts, labels in (
        ([*CASE.texts[:-1], "sail"], CASE.labels),
        (CASE.texts, CASE.labels[::-1]),
        (CASE.texts, ["other" if label == "boat" else label for label in CASE.labels]),
    ):
        with pytest.raises(InputError, match=r"results.jsonl: has results of another corpus.*Choose another file"):
            compare(texts, labels, results=path, **WANTED)


def test_results_of_single_labels_raise_for_multilabel_documents(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run(path)
    with pytest.raises(InputError, match=r"results.jsonl: has results of another number of labels per document"):
        compare(CASE.texts, [[label] for label in CASE.labels], results=path, **WANTED)


def test_results_of_another_version_raise(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    run(path)
    own = path.read_text(encoding="utf-8")
    other = {**decode_line(own.splitlines()[0].encode())}
    other["versions"]["textsieve"] = "0.0.1"
    path.write_bytes(encode_line(other))
    with pytest.raises(InputError, match=r"other versions \(textsieve: '0.0.1' there"):
        run(path)
    header = f'"{results.MAGIC}": '
    changed = own.replace(f"{header}{results.FORMAT}", f"{header}{results.FORMAT - 1}", 1)
    assert changed != own
    path.write_text(changed, encoding="utf-8")
    for reads in (run, read_comparison):
        problem = rf"its results have another format than the {results.FORMAT} of this release\. Delete the file"
        with pytest.raises(InputError, match=problem):
            reads(path)


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"row": 1}\n', "{\n", "{", '{"textsieve'])
def test_files_of_others_are_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"notes.txt: exists already, and has no results of compare"):
        run(path)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_a_full_disk_loses_only_the_current_row(tmp_path: Path, measured: list[Any]) -> None:
    path, code = tmp_path / "results.jsonl", tmp_path / "full.py"
    code.write_text(
        "import resource, signal, sys\n"
        "from textsieve import InputError, compare\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        f"try: compare({CASE.texts!r}, {CASE.labels!r}, results=sys.argv[1], **{WANTED!r})\n"
        "except InputError as problem: print(problem)\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(code), str(path)], capture_output=True, text=True)
    message = "results.jsonl: can't be written any further (File too large). What it has is safe; make room"
    assert message in done.stdout, done.stderr
    del measured[:]
    again = run(path)
    assert 0 < len(measured) < N_ROWS
    assert without_seconds(again) == without_seconds(run(None))


def test_each_line_is_on_the_disk_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    path = tmp_path / "results.jsonl"
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(len(path.read_bytes().splitlines())))
    run(path)
    assert synced == list(range(1, 1 + len(path.read_bytes().splitlines())))


def test_the_fingerprint_depends_on_the_test_documents() -> None:
    first, second = (
        compare(CASE.texts, CASE.labels, splits=[(range(20), tested)], selectors="ig", n_terms=3, n_jobs=1)
        for tested in (range(20, 40), range(21, 40))
    )
    assert first.header["fingerprint"] != second.header["fingerprint"]


def test_unwritable_paths_raise_an_error_before_measuring(tmp_path: Path, measured: list[Any]) -> None:
    for path, words in (
        (tmp_path / "no" / "results.jsonl", "there is no folder .*; make it first"),
        (tmp_path, "is a folder; give the name of a file in it"),
        (Path(os.devnull), "is a device or a pipe"),
    ):
        with pytest.raises(InputError, match=words):
            run(path)
    assert measured == []


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "results.jsonl"
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        steps: list[Any] = []
        with pytest.raises(InputError, match="another run is writing to it"):
            run(path, progress=lambda *step: steps.append(step))
        assert steps == []  # before documents are counted
