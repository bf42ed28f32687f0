"""Digests of documents: the same for the same text and labels, whatever their order and how numbers are written."""

from hypothesis import given
from hypothesis import strategies as st

from textsieve.training.corrections import DIGEST, TEXT_BYTES, document_digest, text_hash_of

LABELS = st.lists(st.text(max_size=3), max_size=3, unique=True)


@given(st.text(), LABELS, st.text(), LABELS)
def test_equal_digests_are_of_equal_documents(
    text: str, labels: list[str], other_text: str, other_labels: list[str]
) -> None:
    first, second = document_digest(text, labels), document_digest(other_text, other_labels)
    assert len(first) == DIGEST == 16
    assert (text_hash_of(first) == text_hash_of(second)) == (text == other_text)
    assert (first[TEXT_BYTES:] == second[TEXT_BYTES:]) == (set(labels) == set(other_labels))


@given(st.text(), LABELS)
def test_the_order_of_labels_does_not_matter(text: str, labels: list[str]) -> None:
    assert document_digest(text, labels) == document_digest(text, reversed(labels))


def test_labels_are_compared_as_text() -> None:
    assert document_digest("a", [1]) == document_digest("a", [1.0]) == document_digest("a", ["1"])
    assert document_digest("a", [True]) == document_digest("a", ["true"])
    assert document_digest("a", ["x\n1 y"]) != document_digest("a", ["x", "y"])
    assert document_digest("\ud800", ["\ud800"]) != document_digest("\ud801", ["\ud800"])
