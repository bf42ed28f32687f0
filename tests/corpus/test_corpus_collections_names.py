"""Names of corpora and the words after them: which are valid, and the errors for invalid ones."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from tests.reference.collection_files import POST, write_tar

from textsieve import InputError
from textsieve.corpus import NAMED, read

POSTS = {
    f"20news-bydate-{part}/{group}/1": POST for part in ("train", "test") for group in ("sci.space", "comp.graphics")
}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("newsgroups:comq", "newsgroups has no 'comq'. Did you mean 'comp'? What may follow newsgroups is original, "),
        ("newsgroups:", "newsgroups has no ''"),
        ("newsgroups:train:test", "'train' and 'test' exclude each other"),
        ("newsgroups:comp:comp", "'comp' and 'comp' exclude each other"),
        ("newsgroups:original:train", "newsgroups:original: is not split into train and test. Leave out 'train'."),
        ("brown:test", "brown has no 'test'. What may follow brown is tagged"),
        (
            "webkb:test",
            "webkb: is not split into train and test. Leave out 'test', or add a word that splits it: leave-cornell",
        ),
        ("webkb:stemmed:texas", "webkb:stemmed: has no 'texas', which is for webkb. Leave it out."),
        ("webkb:texas:leave-texas", "exclude each other"),
        ("rcv1:tokens:subset1", "exclude each other"),
        ("docstrings:train", "nothing may follow 'docstrings'"),
        ("newsgroup:train", "there is no such file or folder. Did you mean 'newsgroups:train'?"),
        ("klingon", "Named corpora: docstrings, newsgroups, reuters, brown, webkb, rcv1, odp."),
    ],
)
def test_invalid_words_after_a_name_raise(name: str, message: str, own_data: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(name)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "option", [{"text": 1}, {"label": "x"}, {"format": "csv"}, {"keep": ["id"]}, {"encoding": "latin-1"}]
)
def test_options_for_files_raise_for_a_named_corpus(option: dict[str, object], own_data: Path) -> None:
    with pytest.raises(InputError, match="a named corpus needs no options"):
        read("newsgroups:train", **option)  # type: ignore[arg-type]


def test_words_come_in_any_order(own_data: Path) -> None:
    write_tar(own_data / "20news-bydate.tar.gz", POSTS)
    assert list(read("newsgroups:train:comp")) == list(read("newsgroups:comp:train")) != []


def test_no_word_has_two_meanings() -> None:
    for row in NAMED.values():
        if row.is_collection:
            collection = row.collection()
            editions = [edition.word for edition in collection.editions]
            groups = [editions, ["train", "test"], *(list(choice.words) for choice in collection.choices)]
            assert not any(set(first) & set(second) for first, second in combinations(groups, 2))
            assert collection.name == row.name
            assert editions[0] == ""


def test_an_existing_path_precedes_a_corpus_name(own_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own_data)
    (own_data / "newsgroups").write_text("text,label\nmine,a\n")
    assert list(read("newsgroups")) == [("mine", ("a",))]


def test_split_opens_the_training_and_the_test_part(own_data: Path) -> None:
    write_tar(own_data / "20news-bydate.tar.gz", POSTS)
    parts = read("newsgroups:comp").split()
    assert parts is not None
    assert [list(part.labels()) for part in parts] == [[("comp.graphics",)], [("comp.graphics",)]]
    assert read("docstrings").split() is None
    assert read("newsgroups:comp").with_name("mine").split() is not None


def test_the_documentation_has_every_name_word_and_file() -> None:
    reference = Path(__file__).parents[2] / "docs" / "reference"
    page = (reference / "corpora.md").read_text(encoding="utf-8")
    files = (reference / "corpora-files.md").read_text(encoding="utf-8")
    for row in NAMED.values():
        assert f"`{row.name}`" in page
        if not row.is_collection:
            continue
        collection = row.collection()
        section = page.partition(f"\n### {row.name}\n")[2].partition("\n#")[0] + "`train` `test`"
        for word in collection.words():
            assert f"`{word}`" in section or word in ("subset2", "subset3", "subset4"), word
        for edition in collection.editions[:3]:
            assert f"`{collection.full_name(edition)}`" in page
            assert f"| {edition.documents:,}" in page if edition.documents else True
            assert f"`{edition.files[0].name}`" in files
