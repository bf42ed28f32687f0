"""The worked examples of docs/explanation/tcfp.md."""

import numpy as np
import pytest

from textsieve import KNNFP, TCFP

CLASSES = ["sport", "sport", "politics", "politics"]


def test_the_example_of_tcfp() -> None:
    rows = np.array([[0.75, 0, 0.5], [0.5, 0.5, 0.5], [0.25, 0.75, 0.5], [0, 0.25, 0.5]])
    model = TCFP().fit(rows, CLASSES)
    assert model.classes_.tolist() == ["politics", "sport"]
    assert model.term_votes_.tolist() == pytest.approx(np.array([[0, 1], [0.6, 0.4], [0.5, 0.5]]))
    (scores,) = model.to_scorer().contributions(np.arange(3), np.array([0.5, 0.5, 0.25])).sum(axis=0, keepdims=True)
    assert scores.tolist() == pytest.approx([0.425, 0.825])
    assert model.predict([[0.5, 0.5, 0.25]]).tolist() == ["sport"]


def test_the_example_of_knnfp() -> None:
    rows = np.array([[0.75, 0], [0.5, 0.5], [0.25, 0.75], [0, 0.25]])
    model = KNNFP(k=2).fit(rows, CLASSES)
    votes = model.to_scorer().contributions(np.arange(2), np.array([0.5, 0.375]))
    assert votes.tolist() == [[0, 2], [1, 1]]  # politics, sport
    assert model.predict([[0.5, 0.375]]).tolist() == ["sport"]
