"""Which documents to label next: uncertain ones of all classes, which cover the others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import textsieve
from tests.reference.cli_cases import SUBJECTS, documents
from textsieve import Categorizer, Corpus, InputError, suggest_documents, suggesting
from textsieve.arrays import CSR
from textsieve.corpus.batch import Batch, Report
from textsieve.prediction import Predictions
from textsieve.suggesting import EMPTY, KNOWN, LABELLED, cover, uncertainty_of

PLAIN: dict[str, Any] = {"analyzer": "word", "max_size": None, "class_weight": None}
WORDS = [word for words in SUBJECTS.values() for word in words]


def made_texts(n: int, seed: int = 1) -> list[str]:
    """Return texts of three to six words of all classes, each with a number of its own."""
    draw = random.Random(seed)
    return [f"{' '.join(draw.choices(WORDS, k=draw.randint(3, 6)))} document{number}" for number in range(n)]


def trained(**settings: Any) -> Categorizer:
    texts, labels = zip(*documents(), strict=True)
    return Categorizer(**(PLAIN | settings)).fit(texts, labels)


@pytest.fixture(scope="module")
def categorizer() -> Categorizer:
    return trained()


# -- the two steps ---------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 12))
def test_each_choice_adds_most_coverage(seed: int, n_documents: int, n: int) -> None:
    draw = np.random.default_rng(seed)
    values = draw.random((n_documents, 6)) * (draw.random((n_documents, 6)) < 0.5)
    weights = draw.random(n_documents)
    norms = np.linalg.norm(values, axis=1)
    unit = np.divide(values, norms[:, np.newaxis], where=norms[:, np.newaxis] > 0, out=np.zeros_like(values))
    cosines = unit @ unit.T + np.outer(norms == 0, norms == 0)
    chosen = cover(CSR.of(csr_matrix(values)), n, weights, np.ones(n_documents, np.int64)).chosen.tolist()
    assert len(set(chosen)) == len(chosen) == min(n, n_documents)
    covered = np.zeros(n_documents)
    for number, document in enumerate(chosen):
        gains = np.maximum(cosines - covered, 0) @ weights
        rest = [gain for other, gain in enumerate(gains) if other not in chosen[:number]]
        assert gains[document] == pytest.approx(max(rest), abs=1e-5)
        covered = np.maximum(covered, cosines[document])


def test_a_document_stands_for_those_most_similar_to_it() -> None:
    rows = [[1.0, 0, 0, 0], [1, 0.1, 0, 0], [1, 0, 0.1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    chosen, n_represented = cover(CSR.of(csr_matrix(rows)), 3, np.ones(5), np.array([1, 1, 4, 1, 3]))
    assert dict(zip(chosen.tolist(), n_represented.tolist(), strict=True)) == {0: 5, 4: 2, 3: 0}


def test_outliers_come_last() -> None:
    rows = np.eye(8)
    rows[:4, 0] = 2  # the first four resemble each other, the others nothing
    assert cover(CSR.of(csr_matrix(rows)), 1, np.ones(8), np.ones(8, np.int64)).chosen.tolist()[0] < 4


# -- documents of a pool ---------------------------------------------------------------------------------------------


def test_the_surer_half_of_the_pool_is_not_suggested(categorizer: Categorizer) -> None:
    texts = [*(text for text, _ in documents(40)), *made_texts(60)]
    margins = uncertainty_of(categorizer.model_, categorizer.model_.predict(texts)).margins
    suggestions = suggest_documents(categorizer, texts, n=40)
    assert len(suggestions) == 40
    largest = max(margins[texts.index(suggestion.text)] for suggestion in suggestions)
    assert largest <= np.sort(margins)[len(texts) // 2]


def test_a_suggestion_has_its_prediction_and_the_reason(categorizer: Categorizer) -> None:
    suggestions = suggest_documents(categorizer, made_texts(60), n=10)
    probabilities = categorizer.predict_proba([suggestion.text for suggestion in suggestions])
    for suggestion, shares in zip(suggestions, probabilities, strict=True):
        best, second = np.argsort(-shares, kind="stable")[:2]
        assert suggestion.predicted == categorizer.classes_[best]
        assert suggestion.probability == shares[best]
        assert suggestion.why.startswith(
            f"{categorizer.classes_[best]} ({shares[best]:.0%}) or "
            f"{categorizer.classes_[second]} ({shares[second]:.0%})"
        )


def test_rare_classes_get_more_places_than_their_share(categorizer: Categorizer) -> None:
    draw = random.Random(2)
    sports = [" ".join([*draw.choices(SUBJECTS["sport"], k=4), *draw.choices(WORDS, k=3)]) for _ in range(200)]
    others = [" ".join([*draw.choices(SUBJECTS["science"], k=2), *draw.choices(WORDS, k=2)]) for _ in range(12)]
    suggestions = suggest_documents(categorizer, [*sports, *others], n=20)
    n_others = sum(suggestion.text in others for suggestion in suggestions)
    assert n_others / 20 > 2 * 12 / 212
    assert n_others < 12


def in_batches(texts: list[str], sizes: list[int]) -> Corpus:
    def start(_: Report) -> Iterator[Batch]:
        rest = list(texts)
        for size in [*sizes, len(rest)]:
            if rest[:size]:
                yield Batch([()] * len(rest[:size]), rest[:size])
            rest = rest[size:]

    return Corpus("pool", start, multilabel=False)


@given(st.lists(st.integers(1, 60), max_size=8), st.integers(1, 8))
def test_the_result_does_not_depend_on_batches_and_threads(sizes: list[int], n: int) -> None:
    texts = made_texts(120) + made_texts(30)  # some are copies
    categorizer = MODEL
    expected = suggest_documents(categorizer, texts, n)
    assert suggest_documents(categorizer, in_batches(texts, sizes), n, n_jobs=1) == expected
    assert len({suggestion.text for suggestion in expected}) == len(expected) == n


MODEL = trained(probabilities=None)


def test_labelled_and_empty_documents_are_skipped_and_so_are_their_copies(categorizer: Categorizer) -> None:
    texts = [*made_texts(6), " ", made_texts(6)[0], made_texts(6)[1]]
    labels = [None, "sport", None, None, None, None, None, "science", None]
    suggestions = suggest_documents(categorizer, Corpus.from_texts(texts, labels))
    assert {suggestion.text for suggestion in suggestions} == set(texts[2:6])
    assert suggestions.n_read == 9
    assert suggestions.skipped == {LABELLED: 2, EMPTY: 1, KNOWN: 0}


def test_excluded_documents_are_skipped(categorizer: Categorizer) -> None:
    texts = made_texts(6)
    for exclude in (texts[:4], Corpus.from_texts(texts[:4])):
        suggestions = suggest_documents(categorizer, texts, exclude=exclude)
        assert sorted(suggestion.text for suggestion in suggestions) == sorted(texts[4:])
        assert suggestions.skipped[KNOWN] == 4


def test_rows_and_kept_columns_are_those_of_the_pool(categorizer: Categorizer, tmp_path: Path) -> None:
    path = tmp_path / "pool.csv"
    texts = made_texts(5)
    path.write_text("id,body\n" + "".join(f"{number},{text}\n" for number, text in enumerate(texts)))
    pool = textsieve.read(path, text="body", label=False, keep=["id"])
    suggestions = suggest_documents(categorizer, pool, n=5)
    assert {suggestion.text: (suggestion.number, suggestion.kept) for suggestion in suggestions} == {
        text: (number + 1, {"id": str(number)}) for number, text in enumerate(texts)
    }
    assert suggestions[0].as_dict().keys() == {"id", *suggesting.KEYS}


def test_one_document_stands_for_all_without_known_terms(categorizer: Categorizer) -> None:
    unknown = [f"zzyzx{number}" for number in range(9)]
    suggestions = suggest_documents(categorizer, [*unknown, *made_texts(12)], n=6)
    (suggestion,) = [s for s in suggestions if s.text in unknown]
    assert suggestion.why == "has none of the model's terms; stands for 8 similar documents"
    assert suggestion.text == unknown[0]


def test_many_candidates_are_compared_in_parts(categorizer: Categorizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggesting, "MAX_COMPARED", 20)
    texts = made_texts(150)
    suggestions = suggest_documents(categorizer, texts, n=15)
    assert len({suggestion.text for suggestion in suggestions}) == 15
    assert {suggestion.predicted for suggestion in suggestions} == set(SUBJECTS)
    n_different = len({tuple(sorted(text.split()[:-1])) for text in texts})  # the model does not know the last word
    assert len(suggest_documents(categorizer, texts, n=1000)) == n_different


# -- kinds of models -------------------------------------------------------------------------------------------------


def test_models_without_probabilities_use_scores() -> None:
    texts = made_texts(40)
    for categorizer in (MODEL, trained(classifier="nb", probabilities=None)):
        scores = np.sort(categorizer.decision_function(texts), axis=1)
        (suggestion,) = suggest_documents(categorizer, texts[:10], n=1)
        assert suggestion.probability is None
        assert "probability" not in suggestion.as_dict()
        margin = (scores[:, -1] - scores[:, -2])[texts.index(suggestion.text)]
        assert suggestion.why.split(";")[0].endswith(f"(scores {margin:.3f} apart)")


def test_models_of_two_classes() -> None:
    texts, labels = zip(*[(text, label) for text, label in documents() if label != "science"], strict=True)
    categorizer = Categorizer(**PLAIN, probabilities=None).fit(texts, labels)
    margins = 2 * np.abs(categorizer.decision_function(made_texts(30)))
    uncertainty = uncertainty_of(categorizer.model_, categorizer.model_.predict(made_texts(30)))
    assert uncertainty.margins.tolist() == pytest.approx(margins.tolist())
    assert len(suggest_documents(categorizer, made_texts(30), n=5)) == 5


@pytest.mark.parametrize("cut", ["scut", "rcut"])
def test_multilabel_models(cut: str) -> None:
    texts = [text for text, _ in documents()] + ["striker goal vote budget", "keeper league minister debate"] * 6
    labels = [(label,) for _, label in documents()] + [("politics", "sport")] * 12
    categorizer = Categorizer(**PLAIN, cut=cut).fit(texts, labels)
    model, pool = categorizer.model_, made_texts(30)
    predictions = model.predict(pool)
    uncertainty = uncertainty_of(model, predictions)
    if model.thresholds is not None:
        expected = np.abs(predictions.scores - model.thresholds).min(axis=1)
    else:
        ranked = -np.sort(-predictions.scores, axis=1)
        expected = ranked[:, (model.ranks or 0) - 1] - ranked[:, model.ranks or 0]
    assert uncertainty.margins.tolist() == expected.tolist()
    suggestions = suggest_documents(categorizer, pool, n=5)
    assert [tuple(s.predicted) for s in suggestions if isinstance(s.predicted, list)] == list(
        categorizer.predict([s.text for s in suggestions])
    )
    reason = "near the threshold of" if model.thresholds is not None else " or "
    assert all(reason in suggestion.why for suggestion in suggestions)


def test_unknown_documents_have_no_margin(categorizer: Categorizer) -> None:
    model = categorizer.model_
    predictions = Predictions(None, np.zeros((1, 3)), np.array([True]))
    assert [part.tolist() for part in uncertainty_of(model, predictions)] == [[0.0], [3], [-1]]


# -- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "ten"])
def test_a_wrong_number_of_documents_raises(categorizer: Categorizer, n: Any) -> None:
    with pytest.raises(InputError, match="at least 1"):
        suggest_documents(categorizer, made_texts(3), n)


def test_a_fully_labelled_pool_has_no_suggestions(categorizer: Categorizer) -> None:
    suggestions = suggest_documents(categorizer, Corpus.from_texts(["goal", "vote"], ["sport", "politics"]))
    assert suggestions == []
    assert suggestions.skipped == {LABELLED: 2, EMPTY: 0, KNOWN: 0}


def test_a_pool_that_changes_while_it_is_read_raises(categorizer: Categorizer) -> None:
    passes = iter([made_texts(9), made_texts(9, seed=2)])

    def start(_: Report) -> Iterator[Batch]:
        texts = next(passes)
        yield Batch([()] * len(texts), texts)

    with pytest.raises(InputError, match="pool: was changed while it was read"):
        suggest_documents(categorizer, Corpus("pool", start, multilabel=False))
