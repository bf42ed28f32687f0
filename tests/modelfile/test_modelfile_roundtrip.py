"""A model that is written and read stays the same, and its file holds nothing more than the model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from safetensors.numpy import load
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from tests.reference.model_cases import documents, models, multilabel_model, same, small_model, two_classes

from textsieve import InputError, archive
from textsieve.classifiers.linear import LinearScorer
from textsieve.modelfile import read, write, writing
from textsieve.modelfile.reading import decode
from textsieve.modelfile.writing import encode
from textsieve.prediction import Model
from textsieve.text.preparation import Preparation

SAMPLES = [
    small_model(),
    multilabel_model(),
    two_classes(),
    multilabel_model(has_label_matrix=True),
    small_model(idf=None),
]


def header_of(data: bytes) -> Any:
    """Return the header of a model as JSON values."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["textsieve"])


@given(models(), documents)
def test_a_decoded_model_equals_the_encoded_model(model: Model, texts: list[str]) -> None:
    data = encode(model)
    again = decode(data)
    assert same(again, model)
    assert encode(again) == data
    before, after = model.predict(texts), again.predict(texts)
    assert after.scores.tobytes() == before.scores.tobytes()
    assert np.asarray(after.labels, object).tolist() == np.asarray(before.labels, object).tolist()
    assert after.n_unknown == before.n_unknown
    for text in texts[:2]:
        assert again.explain(text) == model.explain(text)


@pytest.mark.parametrize("model", SAMPLES)
def test_a_model_that_is_read_equals_the_model_that_was_written(tmp_path: Path, model: Model) -> None:
    write(model, tmp_path / "a.sieve")
    write(model, str(tmp_path / "b.sieve"))
    assert (tmp_path / "a.sieve").read_bytes() == (tmp_path / "b.sieve").read_bytes() == encode(model)
    assert same(read(tmp_path / "a.sieve"), model)
    assert same(read(str(tmp_path / "b.sieve")), model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sieve", "b.sieve"]


def test_any_safetensors_reader_reads_it() -> None:
    arrays = load(encode(multilabel_model()))
    assert arrays["terms"].tobytes().decode().split("\n") == ["goal", "market", "straße", "new york"]
    assert {name: (array.dtype.name, array.shape) for name, array in arrays.items()} == {
        "terms": ("uint8", (28,)),
        "idf": ("float64", (4,)),
        "coefficients": ("float32", (4, 3)),
        "intercepts": ("float64", (3,)),
        "thresholds": ("float64", (3,)),
        "class_docs": ("int64", (3,)),
    }


def test_the_header_has_all_parts() -> None:
    header = header_of(encode(small_model()))
    assert header.pop("checksum") >= 0
    assert header == {
        "format": "textsieve.Model",
        "version": 1,
        "multilabel": False,
        "has_label_matrix": False,
        "classes": ["city", "money", "sport"],
        "fallback_class": None,
        "reading": {
            "lowercase": True,
            "strip_accents": None,
            "ngram_range": [1, 2],
            "stop_words": ["of", "the"],
            "preparation": {},
        },
        "weighting": {"tf": "log", "norm": "l2"},
        "scorer": {"kind": "linear"},
        "ranks": None,
        "calibration": None,
        "settings": small_model().settings,
        "about": small_model().about,
        "statistics": None,
    }


def test_the_header_says_whether_a_model_is_multilabel_and_has_a_label_matrix() -> None:
    for model in (small_model(), multilabel_model(), multilabel_model(has_label_matrix=True)):
        header, decoded = header_of(encode(model)), decode(encode(model))
        assert header["multilabel"] is decoded.multilabel is model.multilabel
        assert header["has_label_matrix"] is decoded.has_label_matrix is model.has_label_matrix


def test_the_header_has_the_fallback_class_and_the_preparation_of_texts() -> None:
    plain, other = header_of(encode(small_model())), header_of(encode(small_model(fallback=2)))
    assert other == plain | {"fallback_class": 2, "checksum": other["checksum"]}
    assert decode(encode(small_model(fallback=2))).predict([""]).labels.tolist() == ["sport"]
    prepared = small_model(fallback=0, preparation=Preparation(tags="drop"))
    header = header_of(encode(prepared))
    assert (header["fallback_class"], header["reading"]["preparation"]) == (0, {"tags": "drop"})
    assert same(decode(encode(prepared)), prepared)


def test_the_file_has_no_words_but_the_terms() -> None:
    """Stop words are stored only if n-grams need them."""
    one_word = small_model(ngram_range=(1, 1), stop_words=frozenset({"secretword"}), terms=("aa", "bb", "cc", "dd"))
    data = encode(one_word)
    assert b"secretword" not in data
    assert header_of(data)["reading"]["stop_words"] is None
    assert decode(data).stop_words == frozenset()
    needed = encode(small_model(stop_words=frozenset({"secretword"})))
    assert header_of(needed)["reading"]["stop_words"] == ["secretword"]


def test_english_stop_words_are_stored_if_they_are_needed() -> None:
    """The list belongs to another package and may change; the model must not."""
    again = decode(encode(small_model(stop_words="english")))
    assert again.stop_words == ENGLISH_STOP_WORDS
    assert decode(encode(small_model(stop_words="english", ngram_range=(1, 1)))).stop_words == frozenset()


def test_the_file_of_a_large_model_is_small() -> None:
    random = np.random.default_rng(0)
    n_terms, n_classes = 10_000, 20
    model = small_model(
        terms=tuple(f"selected{number}" for number in range(n_terms)),
        classes=tuple(f"class.{number:02}" for number in range(n_classes)),
        class_docs=(500,) * n_classes,
        idf=random.uniform(1, 9, n_terms),
        scorer=LinearScorer(random.normal(size=(n_terms, n_classes)).astype(np.float32), random.normal(size=n_classes)),
    )
    data = encode(model)
    assert len(data) < 1_200_000
    assert same(decode(data), model)


def test_the_memory_order_of_arrays_does_not_matter() -> None:
    scorer = small_model().scorer
    turned = LinearScorer(np.asfortranarray(scorer.term_strengths()), np.repeat(scorer.intercepts, 2)[::2])
    assert encode(small_model(scorer=turned)) == encode(small_model())


def test_values_that_json_cannot_store_raise(tmp_path: Path) -> None:
    for wrong in ({"n_terms": np.int64(3)}, {"when": {1, 2}}, {"score": float("nan")}):
        with pytest.raises(InputError, match="JSON"):
            write(small_model(about=wrong), tmp_path / "model.sieve")
    with pytest.raises(InputError, match=r"'1'.* twice"):
        write(small_model(about={1: 2, "1": 3}), tmp_path / "model.sieve")
    deep: Any = []
    for _ in range(60):
        deep = [deep]
    with pytest.raises(InputError, match="deep"):
        write(small_model(settings={"a": deep}), tmp_path / "model.sieve")
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_is_too_large_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_HEADER", 1000)
    with pytest.raises(InputError, match="1,000 is the most"):
        encode(small_model(about={"more": [0.5] * 200}))


def test_a_file_that_is_too_large_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MAX_BYTES", 1000)
    with pytest.raises(InputError, match=r"1,000; use fewer terms"):
        write(small_model(), tmp_path / "model.sieve")
    assert list(tmp_path.iterdir()) == []


def test_a_function_that_strips_accents_raises() -> None:
    with pytest.raises(InputError, match=r"function 'lower'.*can't store code.*'ascii'"):
        encode(small_model(strip_accents=str.lower))


UNSOUND: list[tuple[dict[str, Any], str]] = [
    ({"terms": ("aa", "aa", "bb", "cc")}, "term twice"),
    ({"terms": ("aa", "", "bb", "cc")}, "empty"),
    ({"terms": ("aa", "bb")}, "idf"),
    ({"terms": ("aa", "b\nb", "cc", "dd")}, "line feed"),
    ({"terms": ("aa", "b\ud800", "cc", "dd")}, "UTF-8"),
    ({"classes": ()}, "no classes"),
    ({"classes": ("b", "a", "c")}, "sorted"),
    ({"classes": ("a", "a", "c")}, "sorted"),
    ({"classes": ("a", 1, "c")}, "all text or all numbers"),
    ({"classes": (1.0, float("nan"), 2.0)}, "sorted"),
    ({"classes": ("a", "b")}, "class_docs"),
    ({"class_docs": (1, 2, -3)}, "class_docs"),
    ({"class_docs": (1, 2, 2**63)}, "class_docs"),
    ({"class_docs": (1, 2, 0.5)}, "class_docs"),
    ({"fallback": -1}, "fallback class is -1, not the number of one of 3 classes"),
    ({"fallback": 3}, "fallback class is 3"),
    ({"fallback": 1.0}, "fallback class is 1.0"),
    ({"fallback": True}, "fallback class is True"),
    ({"fallback": "money"}, "fallback class is 'money'"),
    ({"multilabel": "yes"}, "multilabel is 'yes', not true or false"),
    ({"has_label_matrix": 1}, "has_label_matrix is 1, not true or false"),
    ({"has_label_matrix": True}, "has a label matrix, but is not multilabel"),
    ({"multilabel": True}, "thresholds"),
    ({"thresholds": np.zeros(3)}, "thresholds"),
    ({"multilabel": True, "has_label_matrix": True, "thresholds": np.zeros(2)}, "thresholds"),
    ({"multilabel": True, "has_label_matrix": True, "thresholds": np.array([0, np.nan, 1])}, "threshold is NaN"),
    ({"idf": np.zeros(3)}, "idf"),
    ({"idf": np.zeros(4, np.float32)}, "idf"),
    ({"idf": np.array([1, 2, np.inf, 1])}, "idf is not finite"),
    ({"tf": "ltc"}, "tf"),
    ({"norm": "l3"}, "norm"),
    ({"lowercase": 1}, "lowercase"),
    ({"strip_accents": "both"}, "strip_accents"),
    ({"ngram_range": (0, 1)}, "ngram_range"),
    ({"ngram_range": (2, 1)}, "ngram_range"),
    ({"scorer": LinearScorer(np.full((4, 3), np.nan, np.float32), np.zeros(3))}, "coefficients are not all finite"),
    ({"scorer": LinearScorer(np.zeros((4, 3), np.float32), np.array([0, np.inf, 0]))}, "intercepts are not all finite"),
    ({"scorer": LinearScorer(np.zeros((4, 3), np.float32), np.zeros(2))}, "intercepts"),
    ({"scorer": LinearScorer(np.zeros((4, 1), np.float32), np.zeros(1))}, "intercepts"),
    ({"scorer": LinearScorer(np.zeros((3, 4), np.float32), np.zeros(3))}, "coefficients"),
    ({"scorer": LinearScorer(np.zeros((4, 3), np.float16), np.zeros(3))}, "coefficients"),
    ({"about": []}, "JSON object"),
    ({"settings": None}, "JSON object"),
]


@pytest.mark.parametrize(("changes", "words"), UNSOUND)
def test_models_that_could_not_be_read_are_not_written(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    write(small_model(), tmp_path / "model.sieve")
    with pytest.raises(InputError, match=words):
        write(small_model(**changes), tmp_path / "model.sieve")
    assert same(read(tmp_path / "model.sieve"), small_model())
