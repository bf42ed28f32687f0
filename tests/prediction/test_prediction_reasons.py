"""Contributions and the intercept of an explanation add up to the score; the largest contributions come first."""

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.reference.model_cases import documents, models, multilabel_model, small_model, two_classes
from tests.reference.model_twin import scored

from textsieve import InputError
from textsieve.classifiers.linear import LinearScorer
from textsieve.prediction import ClassExplanation, Contribution, Model
from textsieve.prediction.explanations import TermContributions
from textsieve.prediction.notebook_cards import model_html
from textsieve.text.analysis import Analysis


@given(models(), documents)
def test_contributions_and_intercept_are_the_score(model: Model, texts: list[str]) -> None:
    predictions = model.predict(texts)
    for number, text in enumerate(texts):
        explained = model.explain(text)
        expected = scored(model, text)
        assert sorted(explanation.label for explanation in explained.classes) == list(model.classes)
        for explanation in explained.classes:
            place = model.classes.index(explanation.label)
            assert explanation.score == predictions.scores[number, place]
            assert _in_column_order(model, explanation) == explanation.score
            total = math.fsum(
                [explanation.intercept, *(contribution.contribution for contribution in explanation.contributions)]
            )
            size = max(
                1.0,
                abs(explanation.intercept),
                *(abs(contribution.contribution) for contribution in explanation.contributions),
            )
            assert abs(total - explanation.score) <= 1e-12 * size
            by_column = {
                model.terms.index(contribution.term): contribution for contribution in explanation.contributions
            }
            assert {column: contribution.count for column, contribution in by_column.items()} == expected.counts
            for column, contribution in by_column.items():
                assert contribution.weight == pytest.approx(expected.weights[column], rel=1e-12)
            sizes = [
                (-abs(contribution.contribution), model.terms.index(contribution.term))
                for contribution in explanation.contributions
            ]
            assert sizes == sorted(sizes)
        order = [(-explanation.score, model.classes.index(explanation.label)) for explanation in explained.classes]
        assert order == sorted(order)
        assert explained.predicted == _label(model, predictions.labels, number)


def _in_column_order(model: Model, explained: ClassExplanation) -> float:
    ordered = sorted(explained.contributions, key=lambda contribution: model.terms.index(contribution.term))
    if not ordered:
        return explained.intercept
    total = ordered[0].contribution
    for contribution in ordered[1:]:
        total += contribution.contribution
    return total + explained.intercept


def _label(model: Model, labels: Any, number: int) -> Any:
    if not model.multilabel:
        return labels[number].item() if isinstance(labels[number], np.generic) else labels[number]
    if not model.has_label_matrix:
        return labels[number]
    return tuple(label for label, has in zip(model.classes, labels[number], strict=True) if has)


def test_an_explanation_by_hand() -> None:
    model = small_model(tf="tf", norm="none", idf=None)
    explained = model.explain("Goal goal market")
    assert explained.predicted == "sport"
    assert [explanation.label for explanation in explained.classes] == ["sport", "money", "city"]
    of_terms = TermContributions(["goal", "market"], [2, 1], [2.0, 1.0], np.array([[4.0], [-1.0]]))
    sport = ClassExplanation("sport", 2.75, -0.25, None, of_terms, 0)
    assert explained["sport"] == sport
    assert hash(explained["sport"]) == hash(sport)
    assert explained["sport"] != replace(sport, score=2.5)
    assert sport.contributions == (Contribution("goal", 2, 2.0, 4.0), Contribution("market", 1, 1.0, -1.0))
    assert repr(sport).startswith("ClassExplanation(label='sport', score=2.75, intercept=-0.25, threshold=None, contr")
    assert [contribution.term for contribution in explained["money"].contributions] == ["market", "goal"]
    assert [contribution.term for contribution in explained["money"].in_order()] == ["goal", "market"]


@pytest.mark.parametrize(("analyzer", "terms"), [("char", ("at▁", "“▁!”")), ("char_wb", ("…at▁", "▁!…"))])
def test_spaces_in_printed_ngrams_of_characters_are_visible(analyzer: str, terms: tuple[str, str]) -> None:
    spelled = ("at ", " !", "xyz", "zyx")
    model = small_model(terms=spelled, analysis=Analysis(analyzer), ngram_range=(2, 3), tf="tf", norm="none", idf=None)
    explained = model.explain("at !")
    line = f"sport: 0.750 = {terms[0]} +2.000, {terms[1]} -1.000, (intercept) -0.250"
    assert str(explained["sport"]) == line
    assert line in str(explained)


def test_contributions_are_listed_at_first_access() -> None:
    explained = small_model().explain("goal market")
    assert not any("contributions" in vars(of_class) for of_class in explained.classes)
    assert explained.classes[0].contributions is explained.classes[0].contributions
    assert len(explained.classes[0].in_order()) == 2
    assert ["contributions" in vars(of_class) for of_class in explained.classes] == [True, False, False]
    again = pickle.loads(pickle.dumps(small_model().explain("goal market")))
    assert again == explained
    assert repr(again.classes[1]) == repr(explained.classes[1])
    assert replace(explained.classes[0], score=1.0).contributions == explained.classes[0].contributions


def test_with_one_output_the_first_class_is_the_negated_second() -> None:
    explained = two_classes().explain("goal market")
    for negative, positive in zip(explained[0].contributions, explained[1].contributions, strict=True):
        assert negative.term == positive.term
        assert negative.contribution == -positive.contribution
    assert explained[0].intercept == -explained[1].intercept == -0.25
    assert explained[0].score == -explained[1].score


def test_explanations_of_multilabel_models_have_thresholds() -> None:
    explained = multilabel_model().explain("goal")
    assert [explained[label].threshold for label in ("city", "money", "sport")] == [0.5, 0.25, -0.1]
    assert explained.predicted == ("sport",)


def test_an_unknown_document_has_intercepts_only() -> None:
    explained = small_model().explain("nothing known")
    assert explained.predicted == "money"
    assert all(
        explanation.contributions == () and explanation.score == explanation.intercept
        for explanation in explained.classes
    )


@pytest.mark.parametrize(
    "model", [small_model(), multilabel_model(), two_classes(), multilabel_model(has_label_matrix=True)]
)
def test_an_explanation_can_be_converted_to_json(model: Model) -> None:
    explained = model.explain("goal in new york")
    plain = explained.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert [explanation["label"] for explanation in plain["classes"]] == [
        explanation.label for explanation in explained.classes
    ]
    assert plain["classes"][0]["contributions"][0].keys() == {"term", "count", "weight", "contribution"}


def test_an_unknown_class_raises_with_its_name() -> None:
    with pytest.raises(KeyError, match=r"no class 'art'.*'sport'"):
        small_model().explain("goal")["art"]


@pytest.mark.parametrize("text", [None, 5, ["goal"]])
def test_explaining_anything_but_a_text_raises(text: Any) -> None:
    with pytest.raises(InputError, match="give one text"):
        small_model().explain(text)


# -- the terms of each class -------------------------------------------------------------------------------------


def test_class_terms_are_the_strongest_terms() -> None:
    best = small_model().class_terms(2)
    assert best == {
        "city": [("new york", 2.5), ("straße", 1.0)],
        "money": [("market", 1.5), ("new york", 0.5)],
        "sport": [("goal", 2.0)],
    }
    assert list(best) == ["city", "money", "sport"]
    assert small_model().class_terms(0) == {"city": [], "money": [], "sport": []}


def test_tables_of_any_length_list_the_same_terms_first() -> None:
    """The n-grams of a word, each weaker than many words, make it the strongest one."""
    word = "goalkeepers"
    ngrams = [f"…{word[begin : begin + n]}…" for n in (3, 4, 5) for begin in range(len(word) - n + 1)]
    strengths = [2 - 0.01 * number for number in range(24)] + [1.0] + [0.5] * len(ngrams)
    model = small_model(
        terms=(*(f"word{number}" for number in range(24)), word, *ngrams),
        idf=np.ones(len(strengths)),
        scorer=LinearScorer(np.outer(strengths, [1, -1, 0]).astype(np.float32), np.zeros(3)),
    )
    strongest = model.grouped_class_terms(30)
    assert strongest == {"city": [word, *(f"word{number}" for number in range(24))], "money": [], "sport": []}
    assert model.grouped_class_terms(6)["city"] == strongest["city"][:6]
    assert ", ".join(strongest["city"][:6]) in model_html(model, None)


def test_two_classes_get_their_terms_from_one_output() -> None:
    best = two_classes().class_terms()
    assert [term for term, _ in best[0]] == ["new york", "market"]
    assert [term for term, _ in best[1]] == ["goal", "straße"]
    all_positive = two_classes(scorer=LinearScorer(np.ones((4, 1), np.float32), np.zeros(1))).class_terms()
    assert all_positive == {0: [], 1: [(term, 1.0) for term in small_model().terms]}


@pytest.mark.parametrize("sign", [1, -1])
def test_coefficients_of_one_sign_are_compared_with_the_mean_class(sign: int) -> None:
    logs = np.array([[1, 2, 3], [4, 1, 1], [2, 2, 2], [0.5, 0.5, 2]], np.float32)
    best = small_model(scorer=LinearScorer(sign * logs, np.zeros(3))).class_terms(1)
    if sign > 0:
        assert best == {"city": [("market", 2.0)], "money": [], "sport": [("goal", 1.0)]}
    else:
        assert best == {"city": [("goal", 1.0)], "money": [("market", 1.0)], "sport": [("market", 1.0)]}


def test_terms_of_equal_coefficients_stay_in_their_order() -> None:
    scorer = LinearScorer(np.array([[1, -1, -1]] * 4, np.float32), np.zeros(3))
    assert [term for term, _ in small_model(scorer=scorer).class_terms(3)["city"]] == ["goal", "market", "straße"]


@pytest.mark.parametrize("n", [-1, 2.5, "all", None, True])
def test_an_invalid_number_of_terms_raises(n: Any) -> None:
    with pytest.raises(InputError, match="n="):
        small_model().class_terms(n)


@pytest.mark.parametrize(
    ("coefficients", "needs_comparing"),
    [
        ([[0.0, 2.0, 1.0]] * 4, True),
        ([[0.0, -2.0, -1.0]] * 4, True),
        ([[0.0, -2.0, 1.0]] * 4, False),
    ],
)
def test_coefficients_of_one_sign_are_compared_with_their_mean(
    coefficients: list[list[float]], needs_comparing: bool
) -> None:
    model = small_model(scorer=LinearScorer(np.array(coefficients, np.float32), np.zeros(3)))
    assert model.needs_comparing is needs_comparing
    expected = np.array(coefficients) - (np.mean(coefficients[0]) if needs_comparing else 0.0)
    np.testing.assert_allclose(model.strengths(), expected)


@pytest.mark.parametrize(("n_outputs", "needs_comparing"), [(1, False), (2, True)])
def test_one_output_for_two_classes_needs_no_comparing(n_outputs: int, needs_comparing: bool) -> None:
    model = two_classes()
    scorer = LinearScorer(np.ones((len(model.terms), n_outputs), np.float32), np.zeros(n_outputs))
    assert replace(model, scorer=scorer).needs_comparing is needs_comparing


def test_a_model_without_terms_has_no_class_terms() -> None:
    scorer = LinearScorer(np.zeros((0, 3), np.float32), np.array([-0.5, 0.25, -0.25]))
    model = small_model(terms=(), idf=None, scorer=scorer)
    assert not model.needs_comparing
    assert model.class_terms() == {"city": [], "money": [], "sport": []}
