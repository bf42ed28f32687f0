"""The runner of the documentation's code notices wrong output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.running import blocks_of, check_page, commands_of, difference, is_same
from tests.terminals import Runner


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "run"
    made.mkdir()
    return made


def check(text: str, folder: Path, runner: Runner) -> int:
    page = folder.parent / "page.md"
    page.write_text(text, encoding="utf-8")
    return check_page(page, folder, runner)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("one\ntwo\n", "one\ntwo\n"),
        ("one  \n", "one\n"),
        ("\none\n", "one\n\n"),
        ("took ... seconds\n", "took 1.5 seconds\n"),
        ("one\n...\nfour\n", "one\ntwo\nthree\nfour\n"),
        ("one\n...\nfour\n", "one\nfour\n"),
        ("...\nfour\n", "one\ntwo\nthree\nfour\n"),
        ("one\n  ...\n", "one\ntwo\nthree\n"),
        ("a...c...e\n", "abcde\n"),
        ("[1.0] (x)\n", "[1.0] (x)\n"),
        ("...\n", ""),
    ],
)
def test_output_that_is_the_same(shown: str, printed: str) -> None:
    assert is_same(shown, printed)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("one\n", "two\n"),
        ("one\n", "one\ntwo\n"),
        ("one\ntwo\n", "one\n"),
        ("one\n", ""),
        ("took ... seconds\n", "took 1.5\nseconds\n"),
        ("one\n...\nfour\n", "one\ntwo\n"),
        ("  one\ntwo\n", "one\ntwo\n"),
        ("one\n\ntwo\n", "one\ntwo\n"),
        ("a.c\n", "abc\n"),
        ("one...\n", "zone\n"),
    ],
)
def test_output_that_differs(shown: str, printed: str) -> None:
    assert not is_same(shown, printed)


def test_the_difference_shows_only_lines_that_differ() -> None:
    lines = difference("a\ntook ... s\nnew\n", "a\ntook 3 s\nold\n").splitlines()
    assert [line for line in lines if line[0] in "+-"] == ["--- on the page", "+++ printed", "-new", "+old"]


def test_blocks_have_a_language_and_a_line() -> None:
    page = (
        "# Page\n\n```python\nx = 1\n```\n\n<!-- not run: a server -->\n```console\n$ textsieve serve m\n```\n\n"
        '<!-- a remark -->\n\ntext\n\n=== "Tab"\n\n    ```python title="a.py"\n    if x:\n        y = 2\n    ```\n'
    )
    blocks = [(block.language, block.code, block.line, block.is_run) for block in blocks_of(page)]
    assert blocks == [
        ("python", "x = 1\n", 4, True),
        ("console", "$ textsieve serve m\n", 9, False),
        ("python", "if x:\n    y = 2\n", 19, True),
    ]


def test_a_block_without_a_reason_is_run() -> None:
    (block,) = blocks_of("<!-- not run: -->\n```python\nx = 1\n```\n")
    assert block.is_run


def test_commands_have_their_output_and_line() -> None:
    (block,) = blocks_of("```console\n$ textsieve info \\\n    m.sieve\none\n\ntwo\n$ pip install x\n$ cat y\nz\n```\n")
    commands = [(command.command, command.output, command.line) for command in commands_of(block)]
    assert commands == [
        ("textsieve info m.sieve", "one\n\ntwo\n", 2),
        ("pip install x", "", 7),
        ("cat y", "z\n", 8),
    ]


def test_text_before_the_first_command_is_an_error(folder: Path, runner: Runner) -> None:
    with pytest.raises(ValueError, match="line 2: there is text before the first command"):
        check("```console\ntextsieve info\n$ textsieve --version\n```\n", folder, runner)


def test_a_page_that_is_right(folder: Path, runner: Runner) -> None:
    page = """
```python
from pathlib import Path

Path("news.txt").write_text("sport\\tthe striker\\n" * 3)
x = 2
```

```python
print(x, "goals")
```

```text
2 goals
```

```console
$ textsieve --version
textsieve ...
$ cat news.txt | head -n 1
sport	the striker
$ pip install textsieve
$ textsieve info nowhere.sieve
error: nowhere.sieve: there is no such file...
```

<!-- not run: it would fail -->
```python
print(unknown)
```

```json
{"not": "run"}
```
"""
    assert check(page, folder, runner) == 5


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", r"page.md, line 6\n(?s:.*)-2\n\+1"),
        ("```python\nx = 1\n```\n\n```text\n2\n```\n", r"page.md, line 6\n(?s:.*)-2"),
        ("text\n\n```python\nx = 1\nprint(y)\n```\n", "page.md, line 5: NameError: name 'y' is not defined"),
        ("```python\nx = = 1\n```\n", "invalid syntax"),
        (
            "```console\n$ textsieve --version\nwrong\n```\n",
            r"line 2: textsieve --version\n(?s:.*)-wrong\n\+textsieve ",
        ),
        ("```console\n$ textsieve info nowhere.sieve\n```\n", r"exit code 1\nerror: nowhere.sieve"),
        ("```console\n$ textsieve info nowhere.sieve\n...\n```\n", r"exit code 1\nerror: nowhere.sieve"),
        ("```console\n$ cat nowhere\n```\n", "exit code 1"),
        ("```console\n$ echo a | cat\nb\n```\n", r"-b\n\+a"),
        ("```console\n$ cat nowhere | wc -l > n\n```\n", "exit code 1"),
    ],
)
def test_a_page_that_is_wrong(page: str, message: str, folder: Path, runner: Runner) -> None:
    with pytest.raises((AssertionError, SyntaxError), match=message):
        check(page, folder, runner)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```text\n1\n```\n", "line 2: the text block does not follow a python block that runs"),
        ("```python\nprint(1)\n```\n```text\n1\n```\n```text\n1\n```\n", "line 8: the text block does not follow"),
        ("<!-- not run: x -->\n```python\n1\n```\n```text\n1\n```\n", "line 6: the text block does not follow"),
        ("```console\n$ echo a\n```\n```text\na\n```\n", "line 5: the text block does not follow"),
        ("```console\necho a\n```\n", "line 2: the console block has no command"),
        ("```\nx = 1\n```\n", "line 2: the language of the block is ''"),
        ("```py\nx = 1\n```\n", "line 2: the language of the block is 'py'"),
        ("<!-- not run: x -->\n```bash\nls\n```\n", "line 3: the language of the block is 'bash'"),
    ],
)
def test_blocks_that_would_not_be_checked_are_errors(page: str, message: str, folder: Path, runner: Runner) -> None:
    with pytest.raises(ValueError, match=message):
        check(page, folder, runner)


def test_blocks_may_be_left_out_with_a_reason(folder: Path, runner: Runner) -> None:
    page = (
        "<!-- not run: x -->\n```text\n1\n```\n\n<!-- not run: x -->\n```console\necho a\n```\n\n```yaml\na: 1\n```\n"
    )
    assert check(page, folder, runner) == 0


def test_a_pipeline_may_end_before_its_first_command(folder: Path, runner: Runner) -> None:
    assert check("```console\n$ cat /dev/zero | head -c 1 > first\n$ wc -c < first\n1\n```\n", folder, runner) == 2


def test_only_warnings_about_documents_are_allowed(folder: Path, runner: Runner) -> None:
    page = "```python\nimport warnings\nfrom textsieve.errors import InputWarning\nwarnings.warn('x', {})\n```\n"
    assert check(page.format("InputWarning"), folder, runner) == 1
    with pytest.raises(AssertionError, match="line 4: UserWarning: x"):
        check(page.format("UserWarning"), folder, runner)
