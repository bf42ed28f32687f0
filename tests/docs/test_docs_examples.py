"""Every public name has an example in its docstring, and the examples run as printed.

Those of `textsieve.spark` are run by tests/spark/test_spark_examples.py.
"""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_docs_pages import SPARK, public_names

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NAMES = sorted(name for name in public_names() if not name.startswith(SPARK))


def examples_of(public_name: str) -> doctest.DocTest:
    """Return the examples in the docstring of a public name."""
    package, _, name = public_name.rpartition(".")
    documented: Any = getattr(import_module(package), name)
    text = inspect.getdoc(documented) or ""
    assert "Examples\n--------\n" in text, "the docstring has no section Examples"
    return doctest.DocTestParser().get_doctest(text, {}, public_name, None, 0)


@pytest.mark.every_case
@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_public_name_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_examples(name)


def run_examples(name: str) -> None:
    """Run the examples of a public name, and fail if they print something else."""
    test = examples_of(name)
    assert any(example.want for example in test.examples) or name == "textsieve.show_progress"
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False).run(test, out=report.append).failed
    assert failed == 0, "".join(report)


def test_wrong_output_is_noticed() -> None:
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=lambda text: None).failed == 1
