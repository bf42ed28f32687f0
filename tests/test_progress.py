"""Progress: a bar in notebooks, a line in terminals, nothing elsewhere; `show_progress` is for the code inside it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from typing import Any

import pytest

import textsieve
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from textsieve import progress as progress_module
from textsieve.progress import progress_display, progress_or_shown, show_progress

CASE = small_texts(40, 2)
WANTED: dict[str, Any] = {"selectors": "ig", "n_terms": 4, "classifiers": "nb", "folds": 2, "n_jobs": 1}


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the stages that a display of progress gets."""
    seen: list[str] = []

    class Display:
        def __enter__(self) -> Any:
            return lambda stage, done, total: seen.append(stage)

        def __exit__(self, *_: object) -> None:
            seen.append("closed")

    monkeypatch.setattr(progress_module, "progress_display", Display)
    return seen


def test_training_and_comparing_show_their_progress_inside_the_context(stages: list[str]) -> None:
    with show_progress():
        plain_categorizer().fit(CASE.texts, CASE.labels)
        assert "counting" in stages
        stages.clear()
        textsieve.compare(CASE.texts, CASE.labels, **WANTED)
        assert {"counting", "comparing"} <= set(stages)
    assert stages.pop() == "closed"
    stages.clear()
    plain_categorizer().fit(CASE.texts, CASE.labels)
    assert stages == []


def test_a_given_function_has_precedence(stages: list[str]) -> None:
    own: list[str] = []
    with show_progress():
        plain_categorizer().fit(CASE.texts, CASE.labels, progress=lambda stage, *_: own.append(stage))
    assert "counting" in own
    assert stages == ["closed"]


def test_an_error_ends_the_context(stages: list[str]) -> None:
    with pytest.raises(textsieve.InputError), show_progress():
        plain_categorizer().fit([], [])
    assert stages[-1] == "closed"
    assert progress_or_shown(None) is progress_module._ignore


def test_contexts_can_be_nested(stages: list[str]) -> None:
    with show_progress() as outer:
        with show_progress() as inner:
            assert progress_or_shown(None) is inner
        assert progress_or_shown(None) is outer


def test_a_log_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with progress_display() as on_progress:
        on_progress("counting", 1, 2)
    assert log.getvalue() == ""


class Output:
    """A displayed output of a notebook, which records its contents."""

    def __init__(self) -> None:
        self.contents: list[str] = []

    def update(self, html: Any) -> None:
        self.contents.append(html.data)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Output:
    """Return the output of a notebook."""
    import IPython.display

    output = Output()

    def display(html: Any, *, display_id: bool) -> Output:
        assert display_id
        output.update(html)
        return output

    monkeypatch.setattr(IPython.display, "display", display)
    monkeypatch.setattr(progress_module, "_is_notebook", lambda: True)
    return output


def test_a_notebook_gets_one_output_that_is_updated_and_emptied(
    notebook: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 100.1, 101.0, 104.0])
    monkeypatch.setattr("textsieve.progress.time.monotonic", lambda: next(clock))
    with progress_display() as on_progress:
        on_progress("counting", 1_000, None)
        on_progress("counting", 2_000, None)  # too soon
        on_progress("<b>comparing</b>", 0, 80)
        on_progress("<b>comparing</b>", 60, 80)
    first, second, third, last = notebook.contents
    assert "<progress></progress>counting  1,000  0:00:00" in first
    assert '<progress value="0" max="80"></progress>&lt;b&gt;comparing&lt;/b&gt;  0 of 80' in second
    assert '<progress value="60" max="80">' in third
    assert "60 of 80  0:00:03  about 1 s left" in third
    assert last == ""


def test_work_without_progress_displays_nothing(notebook: Output) -> None:
    with progress_display():
        pass
    assert notebook.contents == []


def test_a_terminal_needs_no_ipython() -> None:
    code = "import sys; from textsieve.progress import show_progress; c = show_progress(); c.__enter__()('x', 1, 2); "
    code += "print([name for name in ('IPython', 'scipy', 'numba', 'sklearn') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_a_real_notebook_shows_progress_and_results() -> None:
    script = """
import json, sys, nbclient, nbformat
cells = [nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)]
notebook, progress = nbformat.v4.new_notebook(cells=cells), []
client = nbclient.NotebookClient(notebook, timeout=120)
process_message = client.process_message
def record(message, *others):
    if message["msg_type"] in ("display_data", "update_display_data"):
        progress.append(message["content"]["data"]["text/html"])
    return process_message(message, *others)
client.process_message = record
client.execute()
outputs = [[output.get("data", {}).get("text/html", "") for output in cell.outputs] for cell in cells]
print(json.dumps({"progress": progress, "outputs": outputs}))
"""
    cells = [
        "import textsieve\n"
        "texts, labels = ['the goal of a striker', 'the vote of a minister'] * 30, ['sport', 'politics'] * 30\n"
        "with textsieve.show_progress():\n"
        "    model = textsieve.Categorizer(n_jobs=1).fit(texts, labels)",
        "model",
        "model.explain('a <b>goal</b>')",
        "model.evaluate(texts, labels)",
    ]
    run = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(cells), capture_output=True, text=True, check=True
    )
    shown = json.loads(run.stdout)
    assert "<progress" in shown["progress"][0]
    assert shown["progress"][-1] == ""
    assert shown["outputs"][0] == [""], "nothing stays in the cell"
    for cell, title in enumerate(("Categorizer", "Predicted: sport", "Evaluation"), 1):
        assert re.search(rf'<div class="title">{title}</div>', shown["outputs"][cell][0])
    assert "&lt;b&gt;" in shown["outputs"][2][0]
