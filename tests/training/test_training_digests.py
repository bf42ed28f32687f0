"""Digests of documents: the same for the same text and labels, whatever their order and how numbers are written."""

from hypothesis import given
from hypothesis import strategies as st

from textsieve.training.document_digests import DIGEST, TEXT_BYTES, digest, text_digest

LABELS = st.lists(st.text(max_size=3), max_size=3, unique=True)


@given(st.text(), LABELS, st.text(), LABELS)
def test_equal_digests_are_of_equal_documents(
    text: str, labels: list[str], other_text: str, other_labels: list[str]
) -> None:
    first, second = digest(text, labels), digest(other_text, other_labels)
    assert len(first) == DIGEST == 16
    assert (text_digest(first) == text_digest(second)) == (text == other_text)
    assert (first[TEXT_BYTES:] == second[TEXT_BYTES:]) == (set(labels) == set(other_labels))


@given(st.text(), LABELS)
def test_the_order_of_labels_does_not_matter(text: str, labels: list[str]) -> None:
    assert digest(text, labels) == digest(text, reversed(labels))


def test_labels_are_compared_as_text() -> None:
    assert digest("a", [1]) == digest("a", [1.0]) == digest("a", ["1"])
    assert digest("a", [True]) == digest("a", ["true"])
    assert digest("a", ["x\n1 y"]) != digest("a", ["x", "y"])
    assert digest("\ud800", ["\ud800"]) != digest("\ud801", ["\ud800"])
