"""The examples of the README run and print what they show."""

import csv
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.terminals import running

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(PYTHON_BLOCKS)))
def test_python_blocks_run_and_print_what_they_show(
    number: int, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = PYTHON_BLOCKS[number]
    exec(compile(code, f"README.md, block {number}", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert printed, "every block shows something"
    for expected in re.findall(r"^# (.*)$", code, re.MULTILINE):
        assert expected in printed


def test_there_are_python_blocks() -> None:
    assert len(PYTHON_BLOCKS) == 4


SPORT = ["The striker scored twice in the second half", "The keeper saved a penalty", "A late goal won the match"]
POLITICS = ["Parliament passed the budget", "The minister defended the law", "The party lost the vote in parliament"]


def write_documents(folder: Path) -> None:
    """Write the files that the commands of the README name."""
    for name in ("news.csv", "test.csv"):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["body", "topic"])
            for number in range(10):
                table.writerows([text, "sport"] for text in SPORT[number % 2 :])
                table.writerows([text, "politics"] for text in POLITICS[number % 2 :])
    corrected = [{"text": "A goal for the minister", "label": "politics"}, {"text": "A vote for him", "label": "sport"}]
    corrections = "".join(json.dumps(correction) + "\n" for correction in corrected)
    (folder / "feedback.jsonl").write_text(corrections, encoding="utf-8")
    lines = [json.dumps({"text": text}) for text in (*SPORT, *POLITICS)]
    (folder / "inbox.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


VERBS_IN_README = [
    "check",
    "train",
    "predict",
    "predict",
    "evaluate",
    "explain",
    "suggest",
    "update",
    "train",
    "update",
    "terms",
    "terms",
    "subspace",
    "compare",
    "info",
    "corpora",
]


@pytest.mark.slow
def test_commands_run_one_after_the_other(tmp_path: Path) -> None:
    (block,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    commands = block.strip().splitlines()
    assert [command.split()[1] for command in commands] == VERBS_IN_README
    write_documents(tmp_path)
    printed = []
    with running() as runner:
        for command in commands:
            name, *arguments = shlex.split(command)
            assert name == "textsieve"
            *arguments, output = arguments if ">" in arguments else [*arguments, ""]
            outcome = runner.run(*(word for word in arguments if word != ">"), folder=tmp_path, stderr="pipe")
            assert outcome.code == 0, f"{command}\n{outcome.told.decode()}"
            printed.append(outcome.printed.decode())
            if output:
                (tmp_path / output).write_bytes(outcome.printed)
    predicted = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [prediction["label"] for prediction in predicted] == ["sport"] * 3 + ["politics"] * 3
    assert all(isinstance(prediction["score"], float) for prediction in predicted)
    assert "documents in 2 classes" in printed[0]
    assert "sport" in printed[1]
    table = (tmp_path / "labelled.csv").read_text(encoding="utf-8").splitlines()
    assert table[0].startswith("text,label,probability")
    assert "1.00" in printed[4] or "100" in printed[4]
    assert "striker" in printed[5]
    assert len((tmp_path / "todo.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert "Trained again" in printed[7]
    assert "It can be updated" in printed[8]
    assert "2 documents read, 2 added to the model" in printed[9]
    assert "parliament" in printed[10]
    assert "politics" in printed[11]
    assert "Best: " in printed[12]
    assert "<svg" in (tmp_path / "surface.svg").read_text(encoding="utf-8")
    assert "12 combinations, tested on 5 folds in turn" in printed[13]
    assert "<html" in (tmp_path / "news.html").read_text(encoding="utf-8")
    assert "politics" in printed[14]


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^make (\w+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert targets
    assert targets <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    listed = subprocess.run(["make", "-s", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == targets.split()
    assert all(len(line.split()) > 1 for line in listed.splitlines())


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benchmarks/README.md"])
def test_links_and_named_files_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    folder = (ROOT / name).parent
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (folder / link).exists(), link


def test_public_names_are_in_the_readme() -> None:
    import textsieve

    for name in textsieve.__all__:
        assert f"`{name}`" in README, name
