"""The file of results: what ends a run costs no more than the row that it was at; what does not belong is refused."""

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
from textsieve.comparison import Comparison, read_comparison, running
from textsieve.comparison.appending import decode_line, encode_line
from textsieve.comparison.measuring import measure

CASE = small_texts(40, 3)
WANTED: dict[str, Any] = {"selectors": "ocfs,ig", "n_terms": "4,8", "classifiers": "svm,nb", "folds": 2, "n_jobs": 1}
N_ROWS = 16


def run(path: Path | None, **other: Any) -> Comparison:
    return compare(CASE.texts, CASE.labels, results=path, **{**WANTED, **other})


def without_seconds(found: Comparison) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.to_dict().items() if "seconds" not in name} for row in found.rows]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is measured from here on."""
    noted: list[Any] = []

    def noting(fold: Any, condition: Any, plan: Any) -> Any:
        noted.append((fold.number, *condition.key))
        return measure(fold, condition, plan)

    monkeypatch.setattr(running, "measure", noting)
    return noted


def test_rows_are_in_the_file_and_come_back_as_they_were(tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "found.jsonl"
    first = run(path)
    assert len(measured) == N_ROWS
    header, *lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert header["textsieve_comparison"] == 3
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
def test_a_file_that_was_cut_anywhere_is_gone_on_with(share: float, tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "found.jsonl"
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
def test_killed_it_goes_on_where_it_was(tmp_path: Path, measured: list[Any]) -> None:
    path, code = tmp_path / "found.jsonl", tmp_path / "killed.py"
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


def test_a_file_is_enough_for_what_is_read_off_it(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    whole = run(path)
    assert read_comparison(path).to_dict() == whole.to_dict()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    part = read_comparison(path)
    assert [each.key for each in part.conditions] == [each.key for each in whole.conditions[:-1]]
    assert len(part.summary) == len(whole.summary) - 1
    for text, said in (("", "has no results"), ("notes\n", "holds no results of compare")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            read_comparison(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_comparison(tmp_path / "nowhere.jsonl")


def test_more_may_be_asked_of_a_file_and_less(tmp_path: Path, measured: list[Any]) -> None:
    path = tmp_path / "found.jsonl"
    run(path)
    del measured[:]
    more = run(path, selectors="chi,ocfs", n_terms="8,12")
    assert {key[1:3] for key in measured} == {("chi", 8), ("chi", 12), ("ocfs", 12)}
    assert without_seconds(more) == without_seconds(run(None, selectors="chi,ocfs", n_terms="8,12"))
    assert {each.selector for each in more.selections} == {"chi", "ocfs"}
    del measured[:]
    assert len(run(path, selectors="ig", n_terms=4).rows) == 4
    assert measured == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"min_df": 3}, r"results of other settings \(min_df: 1 there, 3 here\)"),
        ({"folds": 3}, r"results of another split of the documents \(folds: 2 there, 3 here\)"),
    ],
)
def test_results_of_other_settings_are_refused(other: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    run(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"found.jsonl: has {said}. Choose another file for new ones, or delete"):
        run(path, **other)
    assert path.read_bytes() == before


def test_results_of_another_corpus_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    run(path)
    for texts, labels in (
        ([*CASE.texts[:-1], "sail"], CASE.labels),
        (CASE.texts, CASE.labels[::-1]),
        (CASE.texts, ["other" if label == "boat" else label for label in CASE.labels]),
    ):
        with pytest.raises(InputError, match=r"found.jsonl: has results of another corpus.*Choose another file"):
            compare(texts, labels, results=path, **WANTED)


def test_results_of_labels_of_another_form_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    run(path)
    with pytest.raises(InputError, match=r"found.jsonl: has results of labels of another form"):
        compare(CASE.texts, [[label] for label in CASE.labels], results=path, **WANTED)


def test_results_of_another_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "found.jsonl"
    run(path)
    own = path.read_text(encoding="utf-8")
    other = {**decode_line(own.splitlines()[0].encode())}
    other["versions"]["textsieve"] = "0.0.1"
    path.write_bytes(encode_line(other))
    with pytest.raises(InputError, match=r"other versions \(textsieve: '0.0.1' there"):
        run(path)
    path.write_text(own.replace('"textsieve_comparison": 3', '"textsieve_comparison": 2', 1), encoding="utf-8")
    for reads in (run, read_comparison):
        with pytest.raises(InputError, match=r"results of another format than the 3 of this release\. Delete the file"):
            reads(path)


@pytest.mark.parametrize("text", ["my notes", "my notes\n", '{"row": 1}\n', "{\n", "{", '{"textsieve'])
def test_what_compare_did_not_write_is_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"notes.txt: is there already, and holds no results of compare"):
        run(path)
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_a_full_disk_costs_no_more_than_the_row(tmp_path: Path, measured: list[Any]) -> None:
    path, code = tmp_path / "found.jsonl", tmp_path / "full.py"
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
    said = "found.jsonl: can't be written any further (File too large). What it has is safe; make room"
    assert said in done.stdout, done.stderr
    del measured[:]
    again = run(path)
    assert 0 < len(measured) < N_ROWS
    assert without_seconds(again) == without_seconds(run(None))


def test_each_line_is_on_the_disk_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    path = tmp_path / "found.jsonl"
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(len(path.read_bytes().splitlines())))
    run(path)
    assert synced == list(range(1, 1 + len(path.read_bytes().splitlines())))


def test_who_is_tested_is_in_the_fingerprint() -> None:
    one, other = (
        compare(CASE.texts, CASE.labels, splits=[(range(20), tested)], selectors="ig", n_terms=3, n_jobs=1)
        for tested in (range(20, 40), range(21, 40))
    )
    assert one.header["fingerprint"] != other.header["fingerprint"]


def test_where_nothing_can_be_written(tmp_path: Path, measured: list[Any]) -> None:
    for path, said in (
        (tmp_path / "no" / "found.jsonl", "there is no folder .*; make it first"),
        (tmp_path, "is a folder; give the name of a file in it"),
        (Path(os.devnull), "is a device or a pipe"),
    ):
        with pytest.raises(InputError, match=said):
            run(path)
    assert measured == []


def test_two_runs_do_not_write_to_one_file(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "found.jsonl"
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        told: list[Any] = []
        with pytest.raises(InputError, match="another run is writing to it"):
            run(path, progress=lambda *each: told.append(each))
        assert told == []  # before documents are counted
