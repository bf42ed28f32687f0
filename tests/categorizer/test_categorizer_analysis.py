"""A categorizer with other terms than words: symbols, n-grams of characters, other patterns, users' functions."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.categorizer_cases import plain_categorizer

from textsieve import Categorizer, Corpus, InputError, TermCounter, load
from textsieve.corpus import batch as batches
from textsieve.errors import InputWarning
from textsieve.modelfile.writing import encode
from textsieve.text.analysis import analysis_of
from textsieve.text.reading import Reading
from textsieve.training import counted_documents

TEXTS = [
    "The moon, a bright moon!\nIt rises",
    "Moonlight on the sea 😀",
    "moons of Jupiter & the moon",
    "月が綺麗ですね moon",
    "the sun's heat...",
    "Sunny days:\n\nsunburn \\o/",
    "A sun, suns; 太陽 😎",
    "the Sun is a sunny star C++",
] * 3
LABELS = (["moon"] * 4 + ["sun"] * 4) * 3
NEW = ["the moonlit sea", "sunshine 太陽", "", "nothing", "moon\nsun 😀 \\o/", "the of a"]

ANALYSES: dict[str, dict[str, Any]] = {
    "text": {"analyzer": "text"},
    "text and pairs": {"analyzer": "text", "ngram_range": (1, 2), "stop_words": "english"},
    "text and characters": {"analyzer": "text", "ngram_range": (1, 2), "char_ngram_range": (3, 4)},
    "words and characters": {"char_ngram_range": (2, 5)},
    "long words and characters": {"char_ngram_range": (4, 9), "stop_words": ["the", "moon"]},
    "characters": {"analyzer": "char", "ngram_range": (1, 3)},
    "characters of words": {"analyzer": "char_wb", "ngram_range": (2, 4)},
    "one letter": {"token_pattern": r"\b\w+\b", "ngram_range": (1, 2)},
    "white space": {"token_pattern": r"\S+"},
    "a slow pattern": {"token_pattern": r"[a-z]+(?:\s[a-z]+)?", "ngram_range": (1, 2), "stop_words": ["sun"]},
    "a group": {"token_pattern": r"(\w)\w+"},
    "lines": {"token_pattern": r"\w\s\w"},
}
FUNCTIONS: dict[str, dict[str, Any]] = {
    "analyzer": {"analyzer": lambda text: re.findall("m..|s..", text.lower())},
    "tokenizer": {"tokenizer": str.split, "ngram_range": (1, 2), "stop_words": ["the"]},
    "preprocessor": {"preprocessor": lambda text: text.upper().replace("MOON", "LUNA")},
}


@pytest.fixture(autouse=True)
def fixed_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def fitted(n_terms: Any = 25, **settings: Any) -> Categorizer:
    return plain_categorizer(n_terms=n_terms, n_jobs=1, **settings).fit(TEXTS, LABELS)


def counts_by_hand(categorizer: Categorizer, text: str) -> dict[str, int]:
    """Return the selected terms of a text and their counts, by a `TermCounter` that knows all settings."""
    settings = categorizer.settings().resolve()
    terms = Counter(TermCounter(**settings.reading).build_analyzer()(text))
    return {term: terms[term] for term in categorizer.terms_ if terms[term]}


pytestmark = pytest.mark.filterwarnings("ignore:n_terms=25, but there are", "ignore:.*none of the selected terms")


@pytest.mark.parametrize("settings", [*ANALYSES.values(), *FUNCTIONS.values()], ids=[*ANALYSES, *FUNCTIONS])
def test_a_model_counts_the_terms_of_its_analysis(settings: dict[str, Any]) -> None:
    """Predicting counts only n-grams up to the longest selected length, and needs no stop words for single words."""
    for n_terms in (2, 25):
        model = fitted(n_terms, **settings)
        assert model.score(TEXTS, LABELS) > 0.5
        for text in [*TEXTS[:8], *NEW]:
            explained = model.explain(text).classes[0].in_order()
            assert {term.term: term.count for term in explained} == counts_by_hand(model, text)


@pytest.mark.parametrize("settings", ANALYSES.values(), ids=ANALYSES)
def test_a_loaded_model_predicts_the_same_bits(settings: dict[str, Any], tmp_path: Path) -> None:
    model = fitted(**settings)
    model.save(tmp_path / "a.sieve")
    loaded = load(tmp_path / "a.sieve")
    assert loaded.terms_ == model.terms_
    assert loaded.model_.analysis == model.model_.analysis
    assert loaded.decision_function(NEW + TEXTS).tobytes() == model.decision_function(NEW + TEXTS).tobytes()
    assert loaded.predict(NEW).tolist() == model.predict(NEW).tolist()
    assert str(loaded.explain(NEW[0])) == str(model.explain(NEW[0]))
    for name, value in settings.items():
        if name != "stop_words" or value == "english":
            assert getattr(loaded, name) == value
    assert encode(loaded.model_) == encode(model.model_)


def test_a_loaded_model_is_trained_again_with_the_same_terms(tmp_path: Path) -> None:
    model = fitted(analyzer="text", ngram_range=(1, 2), char_ngram_range=(3, 4))
    model.save(tmp_path / "a.sieve")
    again = load(tmp_path / "a.sieve").fit(TEXTS, LABELS)
    assert encode(again.model_) == encode(model.model_)


@pytest.mark.parametrize("name", ["text and characters", "words and characters", "characters", "a slow pattern"])
@pytest.mark.parametrize("selector", ["chi", "forward"])
def test_texts_and_a_corpus_larger_than_memory_give_the_same_bytes(
    name: str, selector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many n-grams have equal scores, so the selected terms depend on the order of all terms."""
    settings: dict[str, Any] = {"selector": selector, "n_terms": 25, "n_jobs": 1, **ANALYSES[name]}
    settings["probabilities"] = None  # would be fitted to a sample of the larger corpus
    expected = plain_categorizer(**settings).fit(TEXTS, LABELS)
    monkeypatch.setattr(batches, "BATCH_DOCUMENTS", 5)
    in_memory = plain_categorizer(**settings).fit(Corpus.from_texts(TEXTS, LABELS))
    assert encode(in_memory.model_) == encode(expected.model_)
    monkeypatch.setattr(counted_documents, "MAX_VALUES", 60)
    streamed = plain_categorizer(**settings).fit(Corpus.from_texts(TEXTS, LABELS))
    assert streamed.model_.about.pop("n_tuned_on") < len(TEXTS)
    assert expected.model_.about.pop("n_tuned_on") is None
    assert encode(streamed.model_) == encode(expected.model_)


@pytest.mark.parametrize("name", ["text and characters", "characters of words"])
def test_an_update_reads_documents_by_the_analysis_of_the_model(name: str, tmp_path: Path) -> None:
    settings = {"classifier": "nb", "keep_stats": True, **ANALYSES[name]}
    part = plain_categorizer(n_terms=30, **settings).fit(TEXTS[:16], LABELS[:16])
    part.save(tmp_path / "a.sieve")
    updated = load(tmp_path / "a.sieve").update(TEXTS[16:], LABELS[16:])
    whole = part.update(TEXTS[16:], LABELS[16:])
    assert np.array_equal(updated.decision_function(NEW), whole.decision_function(NEW))
    rows = updated.model_.counts(TEXTS[16:])
    assert rows.data.sum() == sum(sum(counts_by_hand(updated, text).values()) for text in TEXTS[16:])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_model_with_a_function_predicts_but_is_not_saved(name: str, tmp_path: Path) -> None:
    model = fitted(**FUNCTIONS[name])
    assert model.predict([TEXTS[0], TEXTS[5]]).tolist() == ["moon", "sun"]
    with pytest.raises(InputError, match=rf"^{name} is the function .*, and a model file can't store code; use "):
        model.save(tmp_path / "a.sieve")
    assert list(tmp_path.iterdir()) == []
    assert model.score(TEXTS, LABELS) == 1.0


def test_a_function_without_effect_does_not_prevent_saving(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match="tokenizer=.* has no effect because of analyzer='char'"):
        model = fitted(analyzer="char", ngram_range=(2, 3), tokenizer=str.split)
    model.save(tmp_path / "a.sieve")
    assert load(tmp_path / "a.sieve").predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


def test_functions_get_documents_that_are_no_texts() -> None:
    documents = [{"words": text.lower().split()} for text in TEXTS]
    model: Any = plain_categorizer(analyzer=lambda document: document["words"], n_terms=10)
    assert model.fit(documents, LABELS).predict(documents[:1]).tolist() == ["moon"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"analyzer": "bytes"}, "analyzer='bytes'; use one of 'word', 'text', 'char', 'char_wb', or a function"),
        ({"analyzer": None}, "analyzer=None; use one of"),
        ({"token_pattern": "("}, r"token_pattern='\(': it is not a valid regular expression"),
        ({"token_pattern": "a*"}, "it matches the empty string"),
        ({"tokenizer": "split"}, "tokenizer='split'; use a function, or None"),
        ({"preprocessor": "lower"}, "preprocessor='lower'; use a function, or None"),
        ({"char_ngram_range": (3, 2)}, r"char_ngram_range=\(3, 2\); use \(shortest, longest\)"),
        ({"char_ngram_range": 3}, "char_ngram_range=3; use"),
        ({"char_ngram_range": (3, 4), "analyzer": "char"}, "char_ngram_range=.* adds n-grams of characters to words"),
        ({"names": True, "analyzer": "char"}, "names=True needs words, which analyzer='char' does not count"),
        ({"normalise": "stem", "analyzer": "char_wb"}, "normalise='stem' needs words"),
    ],
)
def test_invalid_settings_raise_before_documents_are_read(settings: dict[str, Any], words: str) -> None:
    def documents() -> Any:
        raise AssertionError("read")
        yield

    with pytest.raises(InputError, match=words):
        plain_categorizer(**settings).fit(documents(), LABELS)


def test_stop_words_are_compared_with_the_words_of_a_preprocessor() -> None:
    """They can't be read as a text would be, since only the function knows how; so none is left out with a warning."""
    assert "THE" in fitted(preprocessor=str.upper, n_terms="all").terms_
    assert "THE" not in fitted(preprocessor=str.upper, n_terms="all", stop_words=["THE"]).terms_


def test_predictions_count_no_longer_n_grams_than_those_selected() -> None:
    """Long n-grams take time, and often none of them is selected."""
    model = fitted(2, char_ngram_range=(3, 9), selector="df").model_
    longest = max(len(term.strip("…").replace("▁", " ")) for term in model.terms)
    assert longest < 9
    assert model._reading == Reading(
        True, None, "utf-8", "strict", analysis=analysis_of("word", char_ngram_range=(3, longest))
    )
    only_words = plain_categorizer(n_terms=1, selector="df", analyzer="text", char_ngram_range=(30, 30)).fit(
        ["a b a", "a c a"], ["x", "y"]
    )
    assert only_words.terms_ == ["a"]
    assert only_words.model_._reading.analysis == analysis_of("text")
    assert fitted(3, analyzer="char", ngram_range=(1, 9), selector="df").model_._vocabulary.ngram_range[1] < 9


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("char_ngram_range", {"analyzer": "text", "char_ngram_range": (3, 101)}),
        ("ngram_range", {"analyzer": "char_wb", "ngram_range": (3, 101)}),
    ],
)
def test_ngrams_that_a_model_file_could_not_have_raise_before_training(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=rf"^{name}=\(3, 101\); n-grams in a model have at most 100 characters"):
        plain_categorizer(**settings).fit(["a text", "another"], ["a", "b"])


CHINESE = ["今天股市大幅上涨投资者情绪高涨", "昨晚球队三比一战胜对手晋级决赛"]


@pytest.mark.parametrize("source", ["list", "iterator", "corpus"])
def test_texts_without_spaces_recommend_the_analyzer_text(source: str) -> None:
    def train(texts: list[str], **settings: Any) -> None:
        categorizer = plain_categorizer(classifier="nb", n_jobs=1, **settings)
        labels = ["a", "b"] * (len(texts) // 2)
        if source == "corpus":
            categorizer.fit(Corpus.from_texts(texts, labels))
        else:
            categorizer.fit(iter(texts) if source == "iterator" else texts, labels)

    with pytest.warns(
        UserWarning, match=r"no spaces between words.*sentences\. Use analyzer='text', which splits them"
    ):
        train(CHINESE)
    with pytest.warns(UserWarning, match="no spaces between words"):
        train([*CHINESE, "stock markets rose today", "the team won last night"])
    # Warnings are errors: there is none for these texts and settings.
    train([" ".join(text) for text in CHINESE], token_pattern=r"\w+")
    train(["이번 경기에서 우리 팀이 승리했습니다", "주식시장이 크게 상승했습니다"])
    train(["stock markets rose today by 5%", "the team won last night 世界大会"])
    for settings in ({"analyzer": "text"}, {"analyzer": "char"}, {"char_ngram_range": (2, 3)}, {"tokenizer": list}):
        train(CHINESE, **settings)


def test_texts_of_thai_without_spaces_recommend_the_analyzer_text() -> None:
    texts = ["วันนี้ตลาดหุ้นปรับตัวสูงขึ้นมาก", "เมื่อคืนทีมชนะการแข่งขันนัดสำคัญ"]
    with pytest.warns(UserWarning, match="no spaces between words"):
        plain_categorizer(classifier="nb", n_jobs=1).fit(texts, ["a", "b"])
    words = ["วันนี้ ตลาดหุ้น ปรับตัว สูงขึ้น มาก", "เมื่อคืน ทีม ชนะ การแข่งขัน นัดสำคัญ"]
    plain_categorizer(classifier="nb", n_jobs=1).fit(words, ["a", "b"])


def test_a_pattern_that_finds_empty_words_raises_an_error() -> None:
    texts, labels = ["x xa xb", "x xc xd"], ["a", "b"]
    for documents in ((texts, labels), (Corpus.from_texts(texts, labels),)):
        with pytest.raises(InputError, match=r"token_pattern='x\(\\\\w\*\)': it finds words without .* with \+ in"):
            plain_categorizer(token_pattern=r"x(\w*)").fit(*documents)
    assert "" in TermCounter(token_pattern=r"x(\w*)").fit(texts).vocabulary_  # as in scikit-learn
    assert set(plain_categorizer(token_pattern=r"x(\w+)", n_jobs=1).fit(texts, labels).terms_) == {"a", "b", "c", "d"}
    # A tokenizer may return empty words, since such a model can't be saved in any case.
    assert "" in plain_categorizer(tokenizer=lambda text: text.split("x"), n_jobs=1).fit(texts, labels).terms_
