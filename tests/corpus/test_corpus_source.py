"""The text and label columns are found by name, number or convention; ambiguous columns raise `InputError`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from textsieve.corpus import Labels, read
from textsieve.errors import InputError

FOUND: list[tuple[str, dict[str, Any], tuple[str, Labels]]] = [
    ("Text,Label\nhello,a\n", {}, ("hello", ("a",))),
    ("id;class;body\n1;a;hello\n", {}, ("hello", ("a",))),
    ("text,genre of it\nhello,a\n", {}, ("hello", ("a",))),
    ("what,label\nhello,a\n", {}, ("hello", ("a",))),
    ("id,text\n7,hello\n", {}, ("hello", ())),
    ("text\nhello\n", {}, ("hello", ())),
    ("text,a,b\nhello,x,y\n", {"label": "b"}, ("hello", ("y",))),
    ("text,a,b\nhello,x,y\n", {"label": False}, ("hello", ())),
    ("x,y\nhello,a\n", {"text": "x", "label": "y"}, ("hello", ("a",))),
    ("text,content\nhello,a\n", {"text": "content"}, ("a", ("hello",))),
    ("hello,a\nworld,b\n", {"text": 0, "label": 1}, ("hello", ("a",))),
    ("hello,a\nworld,b\n", {"label": 1}, ("hello", ("a",))),
    ("label\ttext\na\thello\n", {}, ("hello", ("a",))),
    ("a\thello there\nb\ttext\n", {}, ("hello there", ("a",))),
    ("text,label\rhello,a\rworld,b\r", {}, ("hello", ("a",))),
    ("a\tx\thello\n", {"text": 2, "label": 0}, ("hello", ("a",))),
    ("text,a,b\nhello,x,y\n", {"optional_labels": True}, ("hello", ())),
    ("text,sender\nhello,x\n", {"optional_labels": True}, ("hello", ())),
    ("text,category\nhello,x\n", {"optional_labels": True}, ("hello", ("x",))),
    ("what,label\nhello,a\n", {"optional_labels": True}, ("hello", ("a",))),
    ("text,a,b\nhello,x,y\n", {"optional_labels": True, "label": "a"}, ("hello", ("x",))),
    ("text,mine,b\nhello,x,y\n", {"optional_labels": True, "usual": {"label": "mine"}}, ("hello", ("x",))),
]


@pytest.mark.parametrize(("content", "options", "first"), FOUND)
def test_conventional_column_names_are_recognised(
    tmp_path: Path, content: str, options: dict[str, Any], first: tuple[str, Labels]
) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content.encode())
    assert next(iter(read(path, **options))) == first


UNCLEAR: list[tuple[str, dict[str, Any], list[str]]] = [
    ("a,b\nx,y\n", {}, ["which column is the text", "'a', 'b'", "text="]),
    ("text,a,b\nx,y,z\n", {}, ["which column is the label", "'text', 'a', 'b'", "label=False"]),
    ("text,lable\nx,y\n", {"label": "label"}, ["no column 'label'", "'text', 'lable'", "mean 'lable'"]),
    ("text,label\nx,y\n", {"text": "body"}, ["no column 'body'", "'text', 'label'"]),
    ("text,label,label\nx,y,z\n", {"label": "label"}, ["2 columns are named 'label'"]),
    ("text,label\nx,y\n", {"text": "label", "label": "label"}, ["both the text and the label"]),
    ("text,label\nx,y\n", {"text": 5}, ["text=5", "2 columns"]),
    ("text,label\nx,y\n", {"text": "text", "label": 1}, ["text='text' and label=1 mix names and numbers"]),
    ("text,label\nx,y\n", {"label": True}, ["label=True"]),
]


@pytest.mark.parametrize(("content", "options", "fragments"), UNCLEAR)
def test_ambiguous_columns_raise_with_the_list_of_columns(
    tmp_path: Path, content: str, options: dict[str, Any], fragments: list[str]
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read(path, **options)
    assert all(fragment in str(error.value) for fragment in fragments), error.value


def test_json_keys_are_chosen_like_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b", "label": 3}\n')
    assert list(read(path)) == [("a", ()), ("b", ("3",))], "a label that only later lines have"
    with pytest.raises(InputError, match=r"'topic' for label\..*'text', 'label'"):
        read(path, label="topic")
    with pytest.raises(InputError, match="keys, not numbers"):
        read(path, text=0)
    path.write_text(json.dumps({"id": 1, "url": "u", "text": "a"}))
    assert list(read(path)) == [("a", ())]
