"""A model file contains no words of the training texts but the selected terms, with any settings."""

import random
from pathlib import Path
from typing import Any

import pytest
from tests.reference.categorizer_cases import plain_categorizer

import textsieve
from textsieve import Categorizer, Corpus
from textsieve.registry import CLASSIFIERS, SELECTORS

ABOUT = {
    "trained",
    "versions",
    "n_documents",
    "n_unlabelled",
    "n_terms_seen",
    "n_tuned_on",
    "held_out",
    "curve",
    "confidence",
    "testors",
    "updated",
}
HELD_OUT = {
    *(
        "share",
        "documents",
        "accuracy",
        "micro_f1",
        "macro_f1",
        "unlabelled",
        "without_known_terms",
        "classes",
        "untested_classes",
    ),
}
CLASS_ROW = {"label", "precision", "recall", "f1", "documents", "predicted"}

_chance = random.Random(4)


def made_up() -> str:
    """Return a word that no file and no other word contains by chance."""
    return "".join(_chance.choices("bcdfghjklmnpqrstvwxz", k=14))


LABELS = [f"class-{number % 3}" for number in range(48)]
STOP_WORDS = [made_up() for _ in range(3)]
_OF_CLASS = {label: [made_up() for _ in range(6)] for label in sorted(set(LABELS))}


def _text(label: str) -> str:
    own = [made_up() for _ in range(3)]
    words = own + _chance.sample(_OF_CLASS[label], 4) + _chance.sample(STOP_WORDS, 2)
    _chance.shuffle(words)
    return " ".join(words).capitalize()


TEXTS = [_text(label) for label in LABELS]
MULTILABEL = [[label] if number % 4 else sorted({label, "class-0"}) for number, label in enumerate(LABELS)]


CASES: dict[str, dict[str, Any]] = {
    **{f"classifier {name}": {"classifier": name} for name in CLASSIFIERS},
    **{f"selector {name}": {"selector": name} for name in SELECTORS},
    "tcfp with context": {"classifier": "tcfp", "classifier_options": {"context": "best"}},
    "votes of subspaces": {"classifier": "subspace", "classifier_options": {"combine": "vote", "n_estimators": 5}},
    "pairs": {"ngram_range": (1, 2)},
    "pairs without stop words": {"ngram_range": (1, 2), "stop_words": "english"},
    "pairs without own stop words": {"ngram_range": (1, 2), "stop_words": STOP_WORDS},
    "own stop words": {"stop_words": STOP_WORDS},
    "stems": {"normalise": "stem"},
    "lemmas of pairs": {"normalise": "lemma", "ngram_range": (1, 2)},
    "stems without own stop words": {"normalise": "stem", "stop_words": STOP_WORDS},
    "names without tags": {"names": True, "tags": "drop"},
    "held out": {"held_out": 0.25},
    "auto": {"n_terms": "auto", "folds": 3},
    "probabilities": {"probabilities": "sigmoid", "folds": 3},
    "pruned": {"min_df": 2, "max_df": 0.5},
    "own objects": {"selector": textsieve.ChiSquare(k=5), "classifier": textsieve.Rocchio(), "n_terms": None},
    "class weight": {"class_weight": {"class-0": 2.0}},
    "everything": {"held_out": 0.25, "n_terms": "auto", "probabilities": "sigmoid", "folds": 3, "ngram_range": (1, 3)},
}


@pytest.mark.parametrize("labels", [LABELS, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.parametrize("case", CASES)
def test_no_word_is_in_the_file_but_those_of_selected_terms(case: str, labels: list[Any], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_terms": 9, "n_jobs": 1, "folds": 3} | CASES[case]
    check(plain_categorizer(**settings).fit(TEXTS, labels), tmp_path / "words.sieve", settings)


@pytest.mark.parametrize("labels", [LABELS, MULTILABEL], ids=["single label", "multilabel"])
def test_training_on_a_corpus_stores_no_other_words(labels: list[Any], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_terms": 9, "n_jobs": 1, "folds": 3, "held_out": 0.25}
    corpus = Corpus.from_texts(TEXTS, labels, name="corpus")
    check(plain_categorizer(**settings).fit(corpus), tmp_path / "words.sieve", settings)


@pytest.mark.parametrize("labels", [LABELS, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.parametrize("classifier", [name for name, row in CLASSIFIERS.items() if row.traits.statistics])
def test_statistics_and_updates_store_no_other_words(classifier: str, labels: list[Any], tmp_path: Path) -> None:
    settings: dict[str, Any] = {"n_terms": 9, "n_jobs": 1, "folds": 3, "keep_stats": True, "classifier": classifier}
    trained = plain_categorizer(**settings).fit(TEXTS[:36], labels[:36])
    check(trained.update(TEXTS[36:], labels[36:]), tmp_path / "words.sieve", settings)
    assert textsieve.load(tmp_path / "words.sieve").update(TEXTS[:3], labels[:3]).model_.about["updated"]["times"] == 2


@pytest.mark.parametrize("labels", [LABELS, MULTILABEL], ids=["single label", "multilabel"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_number_of_threads_does_not_change_the_file(
    classifier: str, labels: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    for n_jobs in (1, 2, 3):
        settings: dict[str, Any] = {"n_terms": 9, "folds": 4, "held_out": 0.1, "n_jobs": n_jobs}
        plain_categorizer(classifier=classifier, **settings).fit(TEXTS, labels).save(tmp_path / f"{n_jobs}.sieve")
    assert len({(tmp_path / f"{n_jobs}.sieve").read_bytes() for n_jobs in (1, 2, 3)}) == 1
    assert textsieve.load(tmp_path / "3.sieve").n_jobs == Categorizer().n_jobs


def check(trained: Categorizer, file: Path, settings: dict[str, Any]) -> None:
    """Assert that the model's file has no other words and no other keys than those allowed."""
    trained.save(file)
    allowed = {word for term in trained.terms_ for word in term.split()}
    if settings.get("stop_words") is STOP_WORDS and trained.model_.needs_stop_words:
        allowed |= set(STOP_WORDS)  # n-grams and stems depend on them
    words = {word for text in TEXTS for word in text.lower().split()}
    written = file.read_bytes().lower()
    assert allowed & words
    assert len(words - allowed) > len(words) / 4
    assert [word for word in sorted(words - allowed) if word.encode() in written] == []

    model = textsieve.load(file).model_
    assert set(model.about) <= ABOUT
    assert set(model.settings) <= set(trained.get_params(deep=False))
    if (held_out := model.about["held_out"]) is not None:
        assert set(held_out) <= HELD_OUT
        assert all(set(row) == CLASS_ROW for row in held_out["classes"])
