"""Example documents of confused classes: from the corpus, of the best combination, few and short, stored once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy.sparse import csr_matrix
from tests.reference.cli_cases import write_csv

from textsieve import Corpus, InputError, compare, read
from textsieve.comparison import Comparison, read_comparison, running
from textsieve.comparison.examples import (
    MAX_DOCUMENTS,
    MAX_PAIRS,
    MAX_ROW_PAIRS,
    confused_positions,
)
from textsieve.errors import InputWarning
from textsieve.evaluation.confusions import MAX_EXAMPLE_CHARACTERS

WANTED: dict[str, Any] = {"selectors": "ig,chi", "n_terms": 4, "classifiers": "nb", "folds": 2, "n_jobs": 1}


def confusing(n: int = 48) -> tuple[list[str], list[str]]:
    """Return texts of three classes; those of "sea" and "lake" have the same words."""
    words = {"sea": "water ship", "lake": "water ship", "road": "wheel car"}
    labels = [list(words)[number % 3] for number in range(n)]
    return [f"{words[label]} number{number}" for number, label in enumerate(labels)], labels


def compared(**other: Any) -> Comparison:
    return compare(*confusing(), **{**WANTED, **other})


def test_the_examples_are_documents_that_the_best_combination_gets_wrong() -> None:
    comparison = compared()
    texts, labels = confusing()
    examples = comparison.examples
    assert examples is not None
    assert comparison.best is not None
    assert examples.key == (comparison.best.selector, comparison.best.n_terms, comparison.best.classifier)
    classes = comparison.header["classes"]
    for true, predicted, documents in examples.pairs:
        assert {classes[true], classes[predicted]} == {"sea", "lake"}
        assert 0 < len(documents) <= MAX_DOCUMENTS
        for place, text, _ in documents:
            number = int(place.removeprefix("document ")) - 1
            assert text == texts[number]
            assert labels[number] == classes[true]
    assert {text for pair in comparison.to_dict()["examples"] for text in pair} == {"label", "predicted", "documents"}


def test_examples_have_the_place_in_the_file(tmp_path: Path) -> None:
    texts, labels = confusing()
    write_csv(tmp_path / "news.csv", list(zip(texts, labels, strict=True)))
    examples = compare(tmp_path / "news.csv", **WANTED).examples
    assert examples is not None
    for _, _, documents in examples.pairs:
        for place, text, _ in documents:
            assert place == f"line {texts.index(text) + 2}"  # after the header


def test_examples_of_given_test_documents_have_the_name_of_their_file(tmp_path: Path) -> None:
    texts, labels = confusing()
    write_csv(tmp_path / "later.csv", list(zip(texts, labels, strict=True)))
    wanted = {**WANTED, "folds": None}
    examples = compare(texts, labels, test=read(tmp_path / "later.csv"), **wanted).examples
    assert examples is not None
    assert {document.place.partition(", ")[0] for pair in examples.pairs for document in pair.documents} == {
        str(tmp_path / "later.csv")
    }


def test_examples_are_stored_and_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    first = compared(results=path)
    before = path.read_bytes()
    monkeypatch.setattr(running, "read_examples", None)  # would fail if it was called
    assert compared(results=path).examples == first.examples == read_comparison(path).examples
    assert path.read_bytes() == before


def test_another_best_combination_gets_its_own_examples(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    worse = compared(results=path, n_terms=1)
    assert worse.examples is not None
    both = compared(results=path, n_terms=(1, 4))
    assert both.best is not None
    assert both.best.n_terms == 4
    assert both.examples is not None
    assert both.examples.n_terms == 4
    assert sum(line.startswith(b'{"examples"') for line in path.read_bytes().splitlines()) == 2


def test_a_file_of_results_has_few_and_short_texts(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    texts = [f"secret{number} {'long ' * 500}" for number in range(200)]
    compare(texts, [f"class {number % 20}" for number in range(200)], results=path, **WANTED)
    stored = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (examples,) = [line["examples"] for line in stored if "examples" in line]
    assert len(examples["pairs"]) <= MAX_PAIRS
    for _, _, documents in examples["pairs"]:
        assert len(documents) <= MAX_DOCUMENTS
        assert all(len(text) <= MAX_EXAMPLE_CHARACTERS for _, text, *_ in documents)


def test_vectors_and_multilabel_documents_have_no_examples() -> None:
    _, labels = confusing()
    vectors = csr_matrix([[number % 2 + 1, 1] for number in range(len(labels))])
    assert compare(vectors, labels, **WANTED).examples is None
    multilabel = compared_multilabel()
    assert multilabel.examples is None
    assert all(row.examples is None for row in multilabel.rows)


def compared_multilabel() -> Comparison:
    texts, labels = confusing()
    return compare(texts, [[label] for label in labels], **WANTED)


def test_a_comparison_without_mistakes_has_no_examples() -> None:
    texts = [f"{label} {label} {number}" for number in range(20) for label in ("sea", "road")]
    comparison = compare(texts, ["sea", "road"] * 20, **WANTED)
    assert comparison.best is not None
    assert comparison.best.accuracy is not None
    assert comparison.best.accuracy.value == 1.0
    assert comparison.examples is None


def test_a_corpus_that_cannot_be_read_again_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise InputError("is gone", place="news.csv")

    monkeypatch.setattr(running, "read_examples", fail)
    with pytest.warns(InputWarning, match=r"no example documents.*news\.csv: is gone"):
        assert compared().examples is None


def test_documents_that_have_changed_are_left_out() -> None:
    texts, labels = confusing()
    n_passes = 0

    def start(_: Any) -> Any:
        nonlocal n_passes
        n_passes += 1
        given = labels if n_passes == 1 else ["road"] * len(labels)
        return Corpus.from_texts(texts, given).batches()

    examples = compare(Corpus("changing", start), **WANTED).examples
    assert examples is not None
    assert all(not pair.documents for pair in examples.pairs)


def test_a_row_has_the_first_documents_of_its_most_frequent_pairs() -> None:
    pairs = [(0, 1), (1, 1), (2, 0), (2, 0), (0, 1), (0, 1), (0, 1)]
    assert confused_positions(pairs, range(10, 17)) == ((0, 1, (10, 14, 15)), (2, 0, (12, 13)))
    many = [(number, number + 1) for number in range(MAX_ROW_PAIRS + 5)]
    assert len(confused_positions(many, range(len(many)))) == MAX_ROW_PAIRS
