"""Labels that differ only in case or space are reported, or merged into the most frequent spelling."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textsieve.corpus import Corpus, read
from textsieve.corpus.labels import hint_about_spellings
from textsieve.errors import InputError, InputWarning, render


def table(path: Path, labels: list[str]) -> Path:
    path.write_text("text,label\n" + "".join(f"text {n},{label}\n" for n, label in enumerate(labels)))
    return path


LABELS = ["UTILS", "utils ", "net", "utils", "Utils", "utils", " NET", ""]


def test_labels_that_differ_only_in_case_are_reported_with_their_counts(tmp_path: Path) -> None:
    corpus = read(table(tmp_path / "x.csv", LABELS))
    with pytest.warns(InputWarning) as warned:
        assert len(list(corpus)) == 8
    assert [str(warning.message) for warning in warned] == [
        f"{tmp_path / 'x.csv'}: labels that differ only in case or space are different classes: 'utils' (3), "
        "'UTILS' (1), 'Utils' (1); 'NET' (1), 'net' (1). fold_labels=True merges them."
    ]


def test_only_complete_passes_with_labels_report(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", LABELS)
    list(read(path, texts_only=True))
    next(iter(read(path)))
    list(read(table(tmp_path / "y.csv", ["a", "b", "a "])))
    list(Corpus.from_texts(["x", "y"], ["a", "A"]))  # labels in memory are as given


def test_the_report_is_short() -> None:
    counts = Counter({spelling: 1 for n in range(99) for spelling in (f"label {n}" * 20, f"LABEL {n}" * 20)})
    message = render(hint_about_spellings(counts))
    assert message.endswith("; and 94 more. fold_labels=True merges them.")
    assert len(message) < 1_000
    assert hint_about_spellings(Counter(["a", "b"])) == ()


def test_folded_labels_have_the_most_frequent_spelling(tmp_path: Path) -> None:
    corpus = read(table(tmp_path / "x.csv", LABELS), fold_labels=True)
    expected = [("utils",), ("utils",), ("NET",), ("utils",), ("utils",), ("utils",), ("NET",), ()]
    assert list(corpus.labels()) == expected
    assert list(corpus.labels()) == expected, "a second pass gives the same"
    assert corpus.report is not None
    assert corpus.report.label_counts == {"utils": 5, "NET": 2}


def test_given_spellings_come_first(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["a", "a", "A", "New", "new"])
    assert list(read(path, fold_labels=["A", "c"]).labels()) == [("A",), ("A",), ("A",), ("New",), ("New",)]
    with pytest.raises(InputError, match="fold_labels='a'; use True, or a list of labels"):
        read(path, fold_labels="a")


def test_lists_of_labels_are_folded_without_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"text": "x", "label": labels}) + "\n" for labels in (["b", "A", "a"], ["a"])))
    corpus = read(path, fold_labels=True)
    assert list(corpus.labels()) == [("b", "a"), ("a",)]
    assert corpus.multilabel


def test_folders_and_several_corpora_are_folded(tmp_path: Path) -> None:
    for number, name in enumerate(["Sport", "sport", "sport "]):
        (tmp_path / "news" / name).mkdir(parents=True)
        for file in range(number + 1):
            (tmp_path / "news" / name / str(file)).write_text("x")
    folder = read(tmp_path / "news", fold_labels=True)
    assert set(folder.labels()) == {("sport",)}
    chained = Corpus.chained([read(tmp_path / "news"), read(table(tmp_path / "x.csv", ["SPORT"] * 9))])
    with pytest.warns(InputWarning, match=r"'SPORT' \(9\), 'sport' \(5\), 'Sport' \(1\)"):
        list(chained)
    assert set(chained.with_folded_labels().labels()) == {("SPORT",)}


def test_places_stay_those_of_the_documents(tmp_path: Path) -> None:
    corpus = read(table(tmp_path / "x.csv", ["a", "A", "a"]), fold_labels=True)
    ((batch, places),) = corpus.placed_batches()
    assert batch.labels == [("a",)] * 3
    assert [place.name for place in places] == ["line 2", "line 3", "line 4"]


@given(st.lists(st.sampled_from(["a", "A", "b", "B", "ß", "SS", "c"]), min_size=1))
def test_folding_merges_exactly_what_differs_in_case_and_does_not_depend_on_the_order(labels: list[str]) -> None:
    def fold(labels: list[str]) -> list[str]:
        corpus = Corpus.from_texts(["x"] * len(labels), labels).with_folded_labels()
        return [label for (label,) in corpus.labels()]

    folded = fold(labels)
    assert [label.casefold() for label in folded] == [label.casefold() for label in labels]
    assert len(set(folded)) == len({label.casefold() for label in labels})
    assert set(folded) <= set(labels)
    assert fold(labels[::-1]) == folded[::-1]
    assert fold(folded) == folded
