"""Labels that are probably wrong, confused classes and the learning curve."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from textsieve import InputError, check, read
from textsieve.checking.cross_validation import MIN_ODDS, HeldOutPredictions, LearningCurve, group_folds
from textsieve.checking.result import WrongLabel, odds_text

WORDS = {
    "sport": ["striker", "goal", "keeper", "penalty", "league", "match", "score", "team", "coach", "fans"],
    "politics": ["parliament", "budget", "minister", "vote", "debate", "law", "party", "election", "tax", "reform"],
    "science": ["atom", "theory", "laboratory", "experiment", "proof", "energy", "particle", "cell", "data", "measure"],
}


def made_documents(n_of_each: int = 40, *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts of eight words, six of which are of the text's class, and their labels."""
    random = np.random.default_rng(seed)
    others = ["the", "of", "and", "with", "for", "new", "old", "more", "this", "that"]
    texts, labels = [], []
    for _ in range(n_of_each):
        for label, words in WORDS.items():
            texts.append(" ".join([*random.choice(words, 6), *random.choice(others, 2)]))
            labels.append(label)
    return texts, labels


def test_planted_labels_are_found_with_the_class_they_belong_to() -> None:
    texts, labels = made_documents()
    right = {7: labels[7], 30: labels[30], 64: labels[64]}
    for number in right:
        labels[number] = next(label for label in WORDS if label != right[number])
    result = check(texts, labels)
    assert {wrong.document: wrong.likely_label for wrong in result.wrong_labels} == right
    assert all(wrong.probability >= MIN_ODDS * wrong.label_probability for wrong in result.wrong_labels)
    assert result.accuracy == pytest.approx(1 - 3 / len(texts))


def test_clean_documents_have_no_problems() -> None:
    result = check(*made_documents())
    assert result.problems() == []
    assert result.accuracy == 1.0
    assert str(result).endswith("No problems found.")


def test_documents_without_a_known_term_are_no_suspects() -> None:
    texts, labels = made_documents()
    texts += ["xyzzy", "plugh", ""]
    labels += ["science", "sport", "politics"]
    assert check(texts, labels).wrong_labels == []


def test_the_result_does_not_depend_on_threads_and_is_the_same_for_a_corpus(tmp_path: Path) -> None:
    texts, labels = made_documents(20)
    labels[3], texts[5] = "science", texts[8]
    path = tmp_path / "made.tsv"
    path.write_text("".join(f"{label}\t{text}\n" for text, label in zip(texts, labels, strict=True)), encoding="utf-8")
    in_memory = check(texts, labels, n_jobs=1).to_dict()
    assert check(texts, labels, n_jobs=2).to_dict() == in_memory
    of_file = check(read(path)).to_dict()
    assert of_file["wrong_labels"][0]["place"] == "line 4"
    assert of_file["accuracy"] == in_memory["accuracy"]


def test_examples_of_confused_classes_are_documents_whose_labels_are_no_suspects() -> None:
    texts, labels = made_documents(100)
    random = np.random.default_rng(1)
    for number in [*range(0, 24, 3), *range(1, 24, 3)]:  # some texts of sport and of politics are about both
        words = [*random.choice(WORDS["sport"], 3), *random.choice(WORDS["politics"], 3)]
        texts[number] = " ".join(words)
    labels[70] = "sport"  # this text is about politics alone
    result = check(texts, labels)
    suspects = {f"document {wrong.document + 1}" for wrong in result.wrong_labels}
    assert "document 71" in suspects
    pair = next(pair for pair in result.confusions if (pair.label, pair.predicted) == ("sport", "politics"))
    assert pair.n_documents > len(pair.examples) > 0
    assert pair.share == pair.n_documents / labels.count("sport")
    assert not {example.place for example in pair.examples} & suspects


def test_copies_are_in_one_fold_and_every_class_is_in_every_fold() -> None:
    classes = np.array([0, 1] * 50)
    group_of = np.arange(100)
    group_of[[10, 20, 30]] = 10
    fold_of = group_folds(classes, group_of)
    assert fold_of[10] == fold_of[20] == fold_of[30]
    assert all(set(classes[fold_of == fold]) == {0, 1} for fold in range(5))


def test_suspects_are_ordered_by_their_odds() -> None:
    p_label, p_other = np.array([0.5, 0.01, 0.04, 0.001]), np.array([0.3, 0.9, 0.9, 0.02])
    numbers = np.arange(4)
    predictions = HeldOutPredictions(numbers, numbers, p_label, numbers, p_other, numbers)
    assert predictions.suspects().tolist() == [1, 2, 3]  # odds of 90, 22.5 and 20; document 0 has 0.6


def test_wrong_labels_are_listed_by_the_odds_that_are_shown() -> None:
    texts, labels = made_documents()
    for number in (7, 30, 64):
        labels[number] = next(label for label in WORDS if label != labels[number])
    result = check(texts, labels)
    odds = [wrong.odds for wrong in result.wrong_labels]
    assert odds == sorted(odds, reverse=True)
    assert odds == [wrong.probability / wrong.label_probability for wrong in result.wrong_labels]
    assert [row.odds for row in result.rows() if row.problem == "probably wrong label"] == odds
    assert [wrong["odds"] for wrong in result.to_dict()["wrong_labels"]] == odds
    shown = result._repr_html_()
    positions = [shown.index(f">{odds_text(value)}<") for value in odds]
    assert positions == sorted(positions)


def test_large_odds_are_shown_as_large_only() -> None:
    assert [odds_text(odds) for odds in (20.4, 1234.5, 99_999, 1e9)] == ["20", "1,234", "99,999", "> 99,999"]
    assert WrongLabel(0, "a", 0.0, "b", 1.0).odds > 1e99


@pytest.mark.parametrize(
    ("accuracy", "gain"),
    [
        ([0.5, 0.7, 0.8, 0.85], 0.025),  # each doubling gains half of the one before
        ([0.5, 0.6, 0.7, 0.8], 0.1),
        ([0.5, 0.5, 0.5, 0.6], 0.1),  # no gain before the last doubling says nothing about the next one
        ([0.8, 0.8, 0.8, 0.8], 0.0),
        ([0.5, 0.7, 0.8, 0.79], 0.0),
    ],
)
def test_the_expected_gain_of_a_doubling_continues_the_curve(accuracy: list[float], gain: float) -> None:
    assert LearningCurve([10, 20, 40, 80], accuracy, {}).gain == pytest.approx(gain)


def test_the_learning_curve_doubles_the_documents() -> None:
    curve = check(*made_documents()).curve
    assert curve is not None
    assert curve.n_documents == [12, 24, 48, 96]
    assert curve.accuracy == sorted(curve.accuracy)


@pytest.mark.parametrize(
    ("texts", "labels", "reason"),
    [
        (["a b", "c d"] * 30, ["x", "y"] * 30, None),
        (["a b", "c d"] * 10, ["x", "y"] * 10, "There are fewer than 50 different labelled documents."),
        (["a b"] * 60, ["x"] * 60, "Fewer than two classes have 5 different documents or more."),
        (["a b", "c d"] * 30, [["x", "y"], ["y"]] * 30, "Documents have several labels"),
    ],
)
def test_labels_are_cross_validated_if_there_is_enough(
    texts: list[str], labels: list[object], reason: str | None
) -> None:
    distinct = [f"{text} {number}" for number, text in enumerate(texts)]
    result = check(distinct, labels)
    if reason is None:
        assert result.not_cross_validated is None
        assert result.curve is not None
    else:
        assert result.not_cross_validated is not None
        assert result.not_cross_validated.startswith(reason)
        assert (result.accuracy, result.wrong_labels, result.curve) == (None, [], None)


def test_copies_do_not_make_a_class_large_enough() -> None:
    result = check(["a b", "c d"] * 30, ["x", "y"] * 30)
    assert result.small_classes == {"x": 1, "y": 1}
    assert result.not_cross_validated == "Fewer than two classes have 5 different documents or more."


def test_copies_of_which_each_has_another_label_can_be_cross_validated() -> None:
    texts, labels = made_documents(20)
    others = [next(label for label in WORDS if label != own) for own in labels]
    result = check(texts + texts, labels + others)
    assert result.not_cross_validated is None
    assert len(result.contradictions) == len(set(texts))


def test_labels_of_a_corpus_can_not_be_given_twice() -> None:
    with pytest.raises(InputError, match="A corpus has its own labels"):
        check(read("docstrings"), ["a"])


class Frame(dict[str, list[object]]):
    """Stands for a data frame: iterating yields the names of the columns."""

    columns = ("body", "team")


def test_data_frames_and_missing_texts_are_refused_with_advice() -> None:
    frame = Frame(body=["a b", float("nan")], team=["x", "y"])
    with pytest.raises(InputError, match="is a data frame"):
        check(frame)
    for missing in (None, float("nan")):
        texts: list[Any] = ["a b", missing]
        with pytest.raises(InputError, match="Replace missing texts by empty ones"):
            check(texts, frame["team"])
