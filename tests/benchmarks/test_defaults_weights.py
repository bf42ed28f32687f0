"""The comparison of ways to weigh kinds of terms: parts of folds, factors, and resuming."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.defaults_terms import Parts, Score
from benchmarks.defaults_weights import (
    BASE,
    N_FOLDS,
    VARIANTS,
    Fold,
    class_factors,
    fold_of,
    kind_of,
    measure,
    together,
)
from scipy.sparse import csr_matrix

from benchmarks import defaults_weights
from textsieve import TermCounter

LABELS = ["boat", "tree"] * 12 + ["zoo"] * 6
TEXTS = [f"the {label}s no{number} are {label}ing" for number, label in enumerate(LABELS)]


def test_terms_are_divided_into_kinds_and_only_those_of_training_documents_stay() -> None:
    counter = TermCounter(analyzer="text", ngram_range=(1, 2), char_ngram_range=(2, 5))
    texts = ["ab cd", "ab", "cd xyz"]
    counts = csr_matrix(counter.fit_transform(texts))
    terms = counter.get_feature_names_out().tolist()
    kinds = np.array([kind_of(term) for term in terms])
    by_kind = {
        name: {terms[column] for column in np.flatnonzero(kinds == kind)} for kind, name in enumerate(Fold._fields)
    }
    assert by_kind["words"] == {"ab", "cd", "xyz"}
    assert by_kind["pairs"] == {"ab cd", "cd xyz"}
    assert {"▁a…", "…b▁", "…yz…"} <= by_kind["two_characters"]
    assert {"▁ab…", "▁ab▁", "▁xyz▁"} <= by_kind["characters"]
    fold = fold_of(counts, kinds, np.array([False, False, True]), np.array([0, 1, 0]))
    assert fold.words.train.shape == (2, 2)
    assert fold.words.test.shape == (1, 2)
    assert fold.pairs.train.shape == (2, 1)
    assert fold.numbers.tolist() == [0, 1]
    three = TermCounter(analyzer="text", char_ngram_range=(3, 5)).fit(texts[:2]).get_feature_names_out()
    assert fold.words.train.shape[1] + fold.characters.train.shape[1] == len(three)
    lengths = np.sqrt(fold.default.train.power(2).sum(axis=1))
    assert lengths == pytest.approx(1)


def test_a_kind_of_terms_may_be_missing() -> None:
    assert all(len(scores) == N_FOLDS for scores in measure(["北京", "东京"] * 6, ["a", "b"] * 6).values())


def test_norms_of_their_own_give_each_kind_the_same_share() -> None:
    words = defaults_weights.Weights(csr_matrix([[3.0, 4.0]]), csr_matrix([[1.0, 0.0]]))
    characters = defaults_weights.Weights(csr_matrix([[20.0, 0.0]]), csr_matrix([[0.0, 5.0]]))
    joined = together(words.normalised(), characters.normalised())
    assert joined.train.toarray() == pytest.approx(np.array([[0.6, 0.8, 1.0, 0.0]]) / np.sqrt(2))
    assert joined.test.toarray() == pytest.approx(np.array([[1.0, 0.0, 0.0, 1.0]]) / np.sqrt(2))
    assert words.times(0.5).train.toarray().tolist() == [[1.5, 2.0]]


def test_factors_of_classes_keep_the_weight_of_all_documents() -> None:
    numbers = np.array([0] * 16 + [1] * 4 + [2])
    for power, ratio in ((0.0, 1.0), (0.25, 2**0.5), (0.5, 2.0)):
        factors = class_factors(numbers, power)
        assert factors[1] / factors[0] == pytest.approx(ratio)
        assert sum(factors[number] for number in numbers.tolist()) == pytest.approx(len(numbers))


def test_a_class_may_lack_training_documents() -> None:
    scores = measure([*TEXTS, "an ape"], [*LABELS, "ape"])
    assert all(0.9 < score.accuracy <= 1 for of_folds in scores.values() for score in of_folds)


def test_all_variants_learn_what_is_easy_and_runs_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Parts(TEXTS, LABELS, [], [])
    monkeypatch.setattr(defaults_weights, "read_parts", lambda name, folder, max_documents: parts)
    results = defaults_weights.measured(tmp_path, ["sms-spam"])
    assert set(results["sms-spam"]) == set(VARIANTS)
    assert all(scores == [Score(1.0, 1.0)] * N_FOLDS for scores in results["sms-spam"].values())
    monkeypatch.setattr(defaults_weights, "measure", None)
    assert defaults_weights.measured(tmp_path, ["sms-spam"]) == results


def test_the_table_has_differences_in_points_with_the_best_first() -> None:
    base, better, worse = [Score(0.5, 0.4)] * 3, [Score(0.52, 0.41)] * 3, [Score(0.49, 0.42)] * 3
    others = dict.fromkeys(VARIANTS, base)
    table = defaults_weights.table(
        {"sms-spam": others | {"C = 2": better, "words only": worse}, "questions": others | {"C = 2": worse}}
    )
    lines = table.splitlines()[2:]
    assert lines[0] == "| C = 2 | +0.50 | +1.50 | 1 | 1 |"
    assert lines[-1] == "| words only | -0.50 | +1.00 | 0 | 1 |"
    assert f"| {BASE} | +0.00 | +0.00 | 0 | 0 |" in lines
    assert len(lines) == len(VARIANTS)


def test_terms_that_are_as_frequent_in_all_classes_have_no_factor_by_naive_bayes() -> None:
    """The first two terms tell the classes apart; the third is in all documents, and its weights mislead an SVM."""
    train = csr_matrix(np.array([[1.0, 0, 9], [1, 0, 8], [0, 1, 1], [0, 1, 2]]))
    test = csr_matrix(np.array([[0.1, 0, 1], [0, 0.1, 9]]))
    weights = defaults_weights.Weights(train, test)
    fold = Fold(weights, weights, weights, weights, np.array([0, 0, 1, 1]))
    assert defaults_weights.train_by_naive_bayes(fold, weights).tolist() == [0, 1]
    assert defaults_weights.train_svm(fold, weights.normalised()).tolist() != [0, 1]


def test_the_sentences_of_the_page_have_the_numbers_of_its_table() -> None:
    page = Path(defaults_weights.__file__).parents[1] / "docs" / "research" / "defaults-terms.md"
    (section,) = [part for part in page.read_text(encoding="utf-8").split("\n## ") if part.startswith("Other weights")]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:2] == "| "]
    rows = {name: cells for name, *cells in lines[2:]}
    assert set(rows) == set(VARIANTS)
    text = " ".join(section.split())
    accuracy, macro_f1, n_better, n_worse = rows["characters count half"]
    assert f"halved, accuracy changes by {accuracy} and macro-F1 by {macro_f1} points" in text
    assert f"accuracy is better on {n_better} corpora and worse on {n_worse}. This is the best of ten changes" in text
    assert max(rows, key=lambda name: float(rows[name][0])) == "characters count half"
    assert len(rows) == 11
    assert f"none change accuracy by {rows['class weights by size to the power of -1/4'][0]}." in text
    assert f"Factors of naive Bayes change macro-F1 by {rows['factors of naive Bayes'][1]}," in text
