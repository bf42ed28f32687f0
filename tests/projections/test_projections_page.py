"""The example in docs/explanation/projections.md does what its comments say."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "projections.md"


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    expected = re.findall(r"# (\(.*?\))", example)
    assert printed[: len(expected)] == expected
