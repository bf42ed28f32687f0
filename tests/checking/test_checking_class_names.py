"""Labels with typing errors, and placeholders instead of labels."""

import time
from collections import Counter
from collections.abc import Callable
from html import unescape
from itertools import chain

import pytest
from tests.checking.test_checking_labels import made_documents

from textsieve import Corpus, check, read
from textsieve.checking.class_names import MisspelledLabel, find_misspelled, find_placeholders


def has_no_word(label: str, word: str) -> bool:
    """Say that no document has the word."""
    return False


@pytest.mark.parametrize(
    ("error", "right"),
    [
        ("Shiping", "Shipping"),  # a letter is missing
        ("Shippping", "Shipping"),  # doubled
        ("Shippnig", "Shipping"),  # swapped
        ("Shippimg", "Shipping"),  # another letter
        ("SHIPING", "Shipping"),
        ("Refund", "Refunds"),
        ("customer servce", "Customer Service"),
        ("Résumé", "Resumes"),
    ],
)
def test_a_rare_label_that_differs_by_a_letter_is_a_typing_error(error: str, right: str) -> None:
    sizes = {right: 50, error: 10, "Billing": 60}
    assert find_misspelled(sizes, has_no_word) == [MisspelledLabel(error, 10, right, 50)]
    assert find_misspelled({**sizes, error: 11}, has_no_word) == [], "not rare enough"


@pytest.mark.parametrize(
    ("rare", "frequent"),
    [
        ("alt.atheism", "alt.theism"),  # in the first letter
        ("comp.sys.mac", "comp.sys.ibm"),
        ("cpu", "cpi"),
        ("soy-meal", "sun-meal"),
        ("2023", "2024"),
        ("order 1", "order 2"),
        ("version 1.1", "version 11"),
        ("Covid19", "Covid18"),
        ("Iceland", "Ireland"),
        ("nephrology", "neurology"),
        ("Germany", "German"),
        ("x" * 70, "x" * 71),
    ],
)
def test_different_names_are_no_typing_errors(rare: str, frequent: str) -> None:
    assert find_misspelled({frequent: 1000, rare: 2}, lambda label, word: word == "germany") == []


def test_names_that_differ_in_separators_or_accents_are_one_whatever_their_sizes() -> None:
    sizes = {"customer-service": 60, "Customer Service": 50, "customerservice": 40, "Résumés": 9, "Resumes": 8}
    assert {(error.label, error.likely_label) for error in find_misspelled(sizes, has_no_word)} == {
        ("Customer Service", "customer-service"),
        ("customerservice", "customer-service"),
        ("Resumes", "Résumés"),
    }


def test_an_error_is_corrected_to_the_most_frequent_label_and_never_to_another_error() -> None:
    sizes = {"Shipping": 100, "Shippings": 90, "Shiping": 4, "Shping": 1}
    assert find_misspelled(sizes, has_no_word) == [MisspelledLabel("Shiping", 4, "Shipping", 100)]


def test_many_labels_take_linear_time() -> None:
    letters = "abcdefghijklmnopqrst"
    sizes = {f"category {a}{b}{c}": 1 for a in letters for b in letters for c in letters}
    start = time.process_time()
    assert find_misspelled(sizes, has_no_word) == []
    assert time.process_time() - start < 10, "8,000 labels, each of which differs from 57 others by a letter"


def test_placeholders_are_found_but_not_codes_or_ratings() -> None:
    placeholders = ["N/A", "none ", "Unknown", "-", "?", "tbd", "(blank)", "#N/A", "\u200b", "..."]
    assert find_placeholders([*placeholders, "billing"]) == placeholders
    assert find_placeholders(["+", "-", "0", "*", "**", "C++", "nothing", "unknown authors"]) == []
    assert find_placeholders(["de", "fr", "na", "unknown"]) == ["unknown"]


def test_check_reports_them_everywhere() -> None:
    texts, labels = made_documents()
    labels[1], labels[4], labels[7] = "Politcs", "politcs", "n/a"
    texts += ["an ode about scence", "an ode", "a poem"]
    labels += ["scence", "poetry", "?"]
    result = check(texts, labels)
    assert result.misspelled_labels == [MisspelledLabel("Politcs", 2, "politics", 37)]
    assert result.placeholders == {"?": 1, "n/a": 1}
    assert result.small_classes == {"poetry": 1, "scence": 1}, "a word of the text is no error"
    problems = {row.problem: row.n_found for row in result.problems()}
    assert (problems["labels with typing errors"], problems["placeholders as labels"]) == (1, 2)
    rows = {(row.document, row.problem): row.likely_label for row in result.rows()}
    assert rows[1, "typing error in the label"] == rows[4, "typing error in the label"] == "politics"
    assert rows[4, "rare spelling of the label"] == "politics"
    assert (7, "placeholder as label") in rows
    assert (1, "small class") not in rows
    described = result.to_dict()
    assert described["misspelled_labels"] == [
        {"label": "Politcs", "n_documents": 2, "likely_label": "politics", "n_likely": 37}
    ]
    assert described["placeholders"] == {"?": 1, "n/a": 1}
    assert "'Politcs' (2), rather 'politics' (37)" in unescape(result._repr_html_())


NEWS = ("newsgroups", "newsgroups:original", "reuters", "reuters:all", "rcv1:subset1")
CORPORA = (*NEWS, "webkb", "brown", "odp:sample")


@pytest.mark.parametrize("name", CORPORA)
def test_the_papers_corpora_raise_no_false_alarm(named: Callable[[str], Corpus], name: str) -> None:
    assert label_problems(named(name)) == ([], [])


def test_the_built_in_corpus_raises_no_false_alarm() -> None:
    assert label_problems(read("docstrings")) == ([], [])


def label_problems(corpus: Corpus) -> tuple[list[str], list[MisspelledLabel]]:
    """Return the placeholders and the errors among the labels of a corpus, without looking at its texts."""
    sizes = Counter(chain.from_iterable(labels for batch in corpus.batches() for labels in batch.labels))
    assert len(sizes) > 3
    return find_placeholders(sizes), find_misspelled(sizes, has_no_word)
