"""Every assigned character is counted as in scikit-learn: inside a word, at its ends, and by itself."""

from typing import Any

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from tests.reference.text_checks import assert_same, code_points, documents_of, path, varied_code_points

from textsieve import TermCounter
from textsieve.text import words


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{}, {"lowercase": False}, {"strip_accents": "ascii"}, {"strip_accents": "unicode"}], ids=str
)
def test_every_code_point_is_counted_as_in_sklearn(settings: dict[str, Any]) -> None:
    characters = varied_code_points() if "strip_accents" in settings else code_points()
    documents = documents_of(characters, "ab{c}cd {c}{c} {c}ef{c}")  # between letters, doubled, and at both ends
    theirs = CountVectorizer(**settings)
    expected = theirs.fit_transform(documents)
    assert len(theirs.vocabulary_) > 700
    for way in ("plain Python", "kernels"):
        with path(way):
            counter = TermCounter(**settings)
            assert_same(counter.fit_transform(documents), expected)
            assert counter.vocabulary_ == theirs.vocabulary_


def test_a_long_text_is_lower_cased_as_python_does(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = "".join(map(chr, range(0x110000)))
    texts = [whole, whole.replace("Σ", ""), whole[::-1].replace("Σ", ""), "ΟΔΟΣ ΣΑΣ " * 100_000, "İÉ" * 70_000]
    for length in (1 << 16, 1, 7):
        monkeypatch.setattr(words, "LONG_TEXT", length)
        assert all(words.lower_case(text) == text.lower() for text in texts)
