"""Documents from a pipe: JSON lines are read as they arrive, other formats when all has arrived."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import warnings
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve import InputError
from textsieve.corpus.pipes import read_pipe
from textsieve.errors import InputWarning

STREAM = {"stream": True, "texts_only": True}


class Slow:
    """A pipe that returns one piece per call, and counts the calls."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self.n_read = 0

    def read1(self, size: int, /) -> bytes:
        self.n_read += 1
        return next(self._pieces, b"")


def texts_of(pieces: Iterable[bytes], **options: Any) -> list[str]:
    with read_pipe(Slow(pieces), "standard input", **options) as corpus:
        return list(corpus.texts())


def test_json_lines_are_yielded_as_they_arrive() -> None:
    pipe = Slow([b'{"text": "one"}\n{"text"', b': "two"}\n', b'{"text": "three"}'])
    with read_pipe(pipe, "standard input", stream=True, texts_only=True) as corpus:
        batches = corpus.batches()
        assert (next(batches).texts, pipe.n_read) == (["one"], 1)
        assert (next(batches).texts, pipe.n_read) == (["two"], 2)
        assert next(batches).texts == ["three"]
        assert next(batches, None) is None
        assert corpus.report is not None
        assert corpus.report.documents == 3
        with pytest.raises(InputError, match="standard input: is a pipe"):
            next(corpus.batches())


@given(st.data())
def test_where_the_pieces_end_does_not_matter(data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
    content = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts).encode()
    cuts = sorted({0, len(content), *data.draw(st.lists(st.integers(0, len(content)), max_size=5))})
    pieces = [content[begin:end] for begin, end in pairwise(cuts)]
    assert texts_of(pieces, **STREAM) == texts


def test_blank_lines_and_a_byte_order_mark_before_json() -> None:
    assert texts_of([b"\xef", b"\xbb\xbf\n", b"\n", b'{"te', b'xt": "a"}\n'], **STREAM) == ["a"]


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        (b"a document\n\na line", ["a document", "", "a line"]),
        (b"label,text\nx,a b\n", ["a b"]),
        (b"x\ta b\n", ["a b"]),
        (b'[{"text": "a b"}]', ["a b"]),
        (b"__label__x a b\n", ["a b"]),
        ('{"text": "a b"}'.encode("utf-16"), ["a b"]),
        (gzip.compress(b'{"text": "a b"}\n', mtime=0), ["a b"]),
    ],
)
def test_the_format_of_other_input_is_detected_from_its_content(content: bytes, texts: list[str]) -> None:
    for pieces in ([content], [bytes([byte]) for byte in content]):
        assert texts_of(pieces, **STREAM) == texts


@pytest.mark.parametrize("options", [{"text": ["title", "body"]}, {"usual": {"text": ["title", "body"]}}])
def test_later_lines_may_have_keys_that_the_first_does_not_have(options: dict[str, Any]) -> None:
    pieces = [b'{"title": "a"}\n', b'{"title": "b", "body": "c"}\n{"body": "d"}\n']
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts_of(pieces, **STREAM, **options) == ["a", "b\n\nc", "d"]
        assert texts_of([*pieces[1:], *pieces], **STREAM, **options) == ["b\n\nc", "d", "a", "b\n\nc", "d"]


def test_the_keys_of_the_first_line_are_chosen_like_columns() -> None:
    usual = {"text": ["title", "body"]}
    line = b'{"title": "a", "text": "a and more"}\n'
    assert texts_of([line], **STREAM, usual=usual) == texts_of([line], texts_only=True, usual=usual) == ["a and more"]
    with pytest.raises(InputError, match=r"standard input: no column 'titel' for text. Columns found: 'title'"):
        texts_of([b'{"title": "a"}\n'], **STREAM, text=["titel", "bodi"])


def test_texts_of_json_lines_can_be_read_in_many_passes_unless_they_are_streamed() -> None:
    with read_pipe(io.BytesIO(b'{"text": "a"}\n'), "standard input", texts_only=True) as corpus:
        assert list(corpus.texts()) == list(corpus.texts()) == ["a"]


def test_input_with_labels_can_be_read_in_many_passes() -> None:
    lines = io.BytesIO(b'{"text": "a", "label": "x"}\n{"text": "b", "label": ["y", "z"]}\n')
    with read_pipe(lines, "standard input") as corpus:
        assert list(corpus) == list(corpus) == [("a", ("x",)), ("b", ("y", "z"))]
        assert corpus.multilabel is True


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", STREAM, "standard input: no documents"),
        (b"", {}, "standard input: no documents"),
        (b" \n\n", STREAM, "standard input: no documents"),
        (b'{"text": "a"}\n{"text": 1}\n', STREAM, "standard input: line 2: 'text' is 1"),
        (b'{"text": "a"}\n{"text', STREAM, "standard input: line 2: not JSON"),
        (b'{"a": 1, "b": 2}\n', STREAM, r"standard input: cannot tell .* 'a', 'b'"),
        (b'{"text": "a"}\n', {**STREAM, "text": 1}, "standard input: text=1"),
        (b'{"text": "a"}\n', {**STREAM, "encoding": "x"}, "encoding='x'"),
        (b'{"text": "a"}\n', {"label": "topic"}, "standard input: no column 'topic'"),
        (b"text,label\na,nan\n", {}, "standard input: line 2: the label is nan"),
        (b"\x89PNG\r\n", {}, "standard input: found a PNG image"),
        (gzip.compress(b"text" * 100, mtime=0)[:-9], {}, "standard input: begins as a gzip file"),
    ],
)
def test_errors_name_standard_input_instead_of_the_temporary_file(
    content: bytes, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as problem:
        texts_of([content], **options)
    assert tempfile.gettempdir() not in str(problem.value)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (
            b"id,title,section\n1,a,b\n",
            {"usual": {"text": ["title", "body"], "label": "section"}},
            "no column 'body', so the text is only 'title'.",
        ),
        (
            b"id,what,section\n" + b"1,some text,x\n2,other text,y\n" * 5,
            {"text": 1, "label": 2, "format": "csv"},
            "the first row is read as a document",
        ),
    ],
)
def test_warnings_name_standard_input_instead_of_the_temporary_file(
    content: bytes, options: dict[str, Any], message: str
) -> None:
    with pytest.warns(InputWarning) as warned:
        texts_of([content], **options)
    (text,) = [str(warning.message) for warning in warned]
    assert text.startswith("standard input: ")
    assert message in text
    assert tempfile.gettempdir() not in text


def test_temporary_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with read_pipe(io.BytesIO(b"label,text\nx,a b\n"), "standard input") as corpus:
        assert list(tmp_path.iterdir())
        assert len(list(corpus)) == 1
    assert not list(tmp_path.iterdir())
