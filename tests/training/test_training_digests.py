"""Digests of documents: the same for the same text and labels, whatever their order and how numbers are written."""

from hypothesis import given
from hypothesis import strategies as st

from textsieve.training.document_digests import DIGEST, TEXT_BYTES, digest, text_digest

LABELS = st.lists(st.text(max_size=3), max_size=3, unique=True)


@given(st.text(), LABELS, st.text(), LABELS)
def test_equal_digests_are_of_equal_documents(one: str, labels: list[str], other: str, others: list[str]) -> None:
    first, second = digest(one, labels), digest(other, others)
    assert len(first) == DIGEST == 16
    assert (text_digest(first) == text_digest(second)) == (one == other)
    assert (first[TEXT_BYTES:] == second[TEXT_BYTES:]) == (set(labels) == set(others))


@given(st.text(), LABELS)
def test_the_order_of_labels_does_not_matter(text: str, labels: list[str]) -> None:
    assert digest(text, labels) == digest(text, reversed(labels))


def test_labels_as_they_are_written() -> None:
    assert digest("a", [1]) == digest("a", [1.0]) == digest("a", ["1"])
    assert digest("a", [True]) == digest("a", ["true"])
    assert digest("a", ["x\n1 y"]) != digest("a", ["x", "y"])
    assert digest("\ud800", ["\ud800"]) != digest("\ud801", ["\ud800"])
