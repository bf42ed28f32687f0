"""Hostile files have right checksums and wrong content. They raise `InputError` and need little memory."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save
from tests.reference.categorizer_cases import plain_categorizer, small_texts
from tests.reference.model_archives import unpack
from tests.reference.model_cases import multilabel_model, small_model, two_classes

from textsieve import InputError
from textsieve.archive import MAX_HEADER, Archive, checksum, pack
from textsieve.arrays import CSR
from textsieve.classifiers.linear import LinearScorer
from textsieve.classifiers.scorer import LARGEST
from textsieve.evaluation.calibration import Calibration
from textsieve.modelfile import read, reading
from textsieve.modelfile import write as write_model
from textsieve.modelfile.arrays import check_declared
from textsieve.modelfile.header import KIND, MAX_BYTES
from textsieve.modelfile.reading import decode
from textsieve.modelfile.writing import encode
from textsieve.prediction import Model
from textsieve.strict_json import MAX_DEPTH, MAX_VALUES, parse
from textsieve.text.choices import WORD_PATTERN
from textsieve.text.weights import MAX_IDF, NORMS, TERM_FREQUENCIES

WHOLE = encode(multilabel_model())
ARRAYS = load(WHOLE)
HEADER = json.loads(json.loads(WHOLE[8 : 8 + int.from_bytes(WHOLE[:8], "little")])["__metadata__"]["textsieve"])


def forged(header: dict[str, Any] | str | None = None, **arrays: Any) -> bytes:
    """Return the model with other parts and a valid checksum; None removes an array, `...` a part of the header."""
    parts = {name: part for name, part in (ARRAYS | arrays).items() if part is not None}
    if isinstance(header, str):
        return save(parts, metadata={"textsieve": header})
    changed = {name: value for name, value in (HEADER | (header or {})).items() if value is not ...}
    changed["checksum"] = checksum(changed, parts)
    return save(parts, metadata={"textsieve": json.dumps(changed)})


def raw(outer: str | bytes, payload: bytes = b"", length: int | None = None) -> bytes:
    """Return a file with the given outer header."""
    encoded = outer.encode() if isinstance(outer, str) else outer
    return (len(encoded) if length is None else length).to_bytes(8, "little") + encoded + payload


def memory_of_the_error(data: bytes, match: str = "") -> int:
    """Return how much memory it takes to raise an error that matches."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=rf"^hostile\.sieve: .*{match}") as caught:
            decode(data, "hostile.sieve")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 2000
    return peak


def test_a_file_forged_without_changes_is_the_model() -> None:
    assert forged() == WHOLE
    assert encode(decode(forged())) == WHOLE


# -- arrays ------------------------------------------------------------------------------------------------------

INF, NAN = np.inf, np.nan


def terms(text: str | bytes) -> Any:
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"terms": terms(b"goal\nmarket\n\xff\xfe\nnew york")}, "UTF-8"),
        ({"terms": terms(b"goal\nmarket\nstra\xc3\nnew york")}, "UTF-8"),
        ({"terms": terms(b"goal\nmarket\n\xed\xa0\x80\nnew york")}, "UTF-8"),
        ({"terms": terms("goal\ngoal\nstraße\nnew york")}, "term twice"),
        ({"terms": terms("goal\n\nstraße\nnew york")}, "empty"),
        ({"terms": terms("goal\nmarket\nstraße\n")}, "empty"),
        ({"terms": terms("\n\n\n")}, "4 terms, and terms has 3 bytes"),
        ({"terms": terms("goal\nmarket")}, "arrays are for 4 terms, not for 2"),
        ({"terms": terms("\n" * 1000)}, "arrays are for 4 terms, not for 1,001"),
        ({"terms": terms("")}, "4 terms, and terms has 0 bytes"),
        ({"terms": np.zeros((4, 7), np.uint8)}, "terms is uint8 with 2 dimensions"),
        ({"terms": np.zeros(28, np.int32)}, "terms is int32"),
        ({"terms": None}, "arrays"),
        ({"coefficients": np.full((4, 3), NAN, np.float32)}, "coefficients are not all finite"),
        ({"coefficients": np.full((4, 3), INF, np.float32)}, "coefficients are not all finite"),
        ({"coefficients": np.full((4, 3), -INF, np.float32)}, "coefficients are not all finite"),
        ({"coefficients": np.zeros((4, 3), np.int64)}, "coefficients is int64"),
        ({"coefficients": np.zeros((4, 3), np.int32)}, "coefficients is int32"),
        ({"coefficients": np.zeros(12, np.float32)}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((4, 3, 1), np.float32)}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((3, 4), np.float32)}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((4, 2), np.float32)}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((4, 0), np.float32)}, "coefficients is float32 of shape"),
        ({"coefficients": np.zeros((0, 3), np.float32)}, "0 terms, and terms has 28 bytes"),
        ({"coefficients": None}, "arrays"),
        ({"intercepts": np.zeros(1)}, "intercepts"),
        ({"intercepts": np.zeros(0)}, "intercepts"),
        ({"intercepts": np.zeros(4)}, "intercepts"),
        ({"intercepts": np.zeros((3, 1))}, "intercepts"),
        ({"intercepts": np.zeros(3, np.float32)}, "intercepts"),
        ({"intercepts": np.array([1, NAN, 2])}, "intercepts are not all finite"),
        ({"intercepts": None}, "arrays"),
        ({"idf": np.zeros(3)}, "idf"),
        ({"idf": np.zeros(5)}, "idf"),
        ({"idf": np.zeros((4, 1))}, "idf"),
        ({"idf": np.zeros(4, np.int64)}, "idf"),
        ({"idf": np.array([1, INF, 2, 3])}, "idf is not finite"),
        ({"idf": np.array([1, NAN, 2, 3])}, "idf is not finite"),
        ({"idf": np.array([1, 1e308, 2, 3])}, "idf is not finite, or not from 0 to 64"),
        ({"idf": np.array([1, -1e-9, 2, 3])}, "idf is not finite, or not from 0 to 64"),
        ({"intercepts": np.array([0, 1e308, -1e308])}, "intercepts are not all finite, or not within"),
        ({"thresholds": None}, "thresholds"),
        ({"thresholds": np.zeros(2)}, "thresholds"),
        ({"thresholds": np.zeros(0)}, "thresholds"),
        ({"thresholds": np.array([0, NAN, 1])}, "threshold is NaN"),
        ({"thresholds": np.zeros(3, np.float32)}, "thresholds"),
        ({"class_docs": np.array([1, -2, 3])}, "class_docs"),
        ({"class_docs": np.array([1, 2])}, "class_docs"),
        ({"class_docs": np.array([1.0, 2.0, 3.0])}, "class_docs"),
        ({"class_docs": np.array([1, 2, 3], np.int32)}, "class_docs"),
        ({"class_docs": None}, "arrays"),
        ({"extra": np.zeros(3)}, "arrays"),
        ({"extra": np.zeros(3, np.uint16)}, "'U16', which textsieve does not write"),
        ({"idf": np.zeros(4, np.float16)}, "'F16', which textsieve does not write"),
        ({"idf": np.zeros(4, np.bool_)}, "'BOOL', which textsieve does not write"),
    ],
)
def test_invalid_arrays_raise(arrays: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(forged(**arrays), "hostile.sieve")
    assert memory_of_the_error(forged(**arrays)) < 1_000_000


def test_thresholds_may_be_infinite() -> None:
    model = decode(forged(thresholds=np.array([INF, -INF, 0.0])))
    assert model.predict(["goal"]).labels == [("money", "sport")]


def test_the_largest_and_the_least_idf_are_accepted() -> None:
    idf = np.array([0.0, MAX_IDF, 1.0, 2.0])
    np.testing.assert_array_equal(decode(encode(small_model(idf=idf))).idf, idf)


# -- headers -----------------------------------------------------------------------------------------------------

READING, WEIGHTING = HEADER["reading"], HEADER["weighting"]

ODD_ANALYSES: list[Any] = [
    *(None, [], {}, "text", ["analyzer"]),
    *({"tokenizer": None}, {"preprocessor": "os.system"}, {"analyzer": "text", "more": 1}),
    *({"analyzer": "word"}, {"token_pattern": WORD_PATTERN}, {"char_ngram_range": None}),
    {"analyzer": "text", "token_pattern": WORD_PATTERN},
]
"""Sections with other keys than textsieve writes, which writes no default."""
UNSOUND_ANALYSES: list[tuple[dict[str, Any], str]] = [
    ({"analyzer": "bytes"}, "analyzer='bytes'; use one of"),
    *(({"analyzer": odd}, "analyzer is") for odd in (None, 1, ["text"], {"text": 1})),
    *(({"token_pattern": odd}, "token_pattern=") for odd in (None, 1, ["a"], {"a": 1})),
    ({"token_pattern": "("}, "not a valid regular expression"),
    ({"token_pattern": "(" * 5000}, "not a valid regular expression"),
    ({"token_pattern": r"\w*"}, "matches the empty string"),
    ({"token_pattern": "(a)(b)"}, "2 capturing groups"),
    *(
        ({"char_ngram_range": odd}, "char_ngram_range is")
        for odd in ([3], [0, 3], [4, 3], [3, 1001], [3.0, 4], [True, True], "34", {"3": 4}, 3, [3, 10**30])
    ),
    ({"analyzer": "char", "char_ngram_range": [3, 4]}, r"char_ngram_range=\(3, 4\) adds"),
    ({"token_pattern": r"\S+", "char_ngram_range": [3, 4]}, r"char_ngram_range=\(3, 4\) adds"),
    ({"token_pattern": "[a-z]+", "char_ngram_range": [3, 4]}, r"char_ngram_range=\(3, 4\) adds"),
    ({"analyzer": "char", "token_pattern": r"\w+"}, "a setting without effect"),
    ({"analyzer": "text", "token_pattern": "("}, "a setting without effect"),
]

SECTION = {"kind": "votes", "multilabel": True, "n_documents": 5, "n_unlabelled": 0, "checksum": 1}
ODD_VALUES: list[Any] = [{}, [], 1, "x", False]
ODD_SECTIONS: list[dict[str, Any]] = [
    *({"kind": odd} for odd in ("pickle", None, ["votes"])),
    *({"multilabel": odd} for odd in (1, None, "yes")),
    *({name: odd} for name in ("n_documents", "n_unlabelled") for odd in (-1, 1.5, 1 << 31, 1 << 80, None, "5", True)),
]
ROW = {"label": "city", "precision": 0.5, "recall": 1, "f1": 0.75, "documents": 3, "predicted": 4}
HELD_OUT = {"share": 0.2, "documents": 5, "accuracy": 0.5, "micro_f1": 0.5, "macro_f1": 0.5, "classes": [ROW]}
SOURCE = {"kind": "path", "name": "news.csv", "documents": 3, "digest": "0123456789abcdef" * 2}
READ_OPTIONS: dict[str, Any] = {"text": ["title", "body"], "label": 0, "encoding": "latin-1", "later": True}
ODD_SOURCES: list[Any] = [None, "news.csv", {"path": "news.csv"}, ["news.csv"], [None], [[]]]
ODD_OPTIONS: list[Any] = [None, [], "utf-8", {"text": None}, {"text": {"a": 1}}, {"text": [["a"]]}, {"text": -1}]
ODD: list[dict[str, Any]] = [
    *({"sources": odd} for odd in ODD_SOURCES),
    *({"sources": [{name: value for name, value in SOURCE.items() if name != left_out}]} for left_out in SOURCE),
    *({"sources": [SOURCE | {"kind": odd}]} for odd in ("pickle", None, 1, ["path"], {"path": 1})),
    *({"sources": [SOURCE | {"name": odd}]} for odd in (None, "", 5, ["a"], "a\0b", "\ud800", "a" * 4097)),
    *({"sources": [SOURCE | {"documents": odd}]} for odd in (-1, 1.5, "3", True, 1 << 63, [3])),
    *({"sources": [SOURCE | {"digest": odd}]} for odd in ("", "x" * 32, "0" * 31, "0" * 33, 0, ["0" * 32])),
    *({"sources": [SOURCE | {"digest": odd}]} for odd in ("A" * 32, "0" * 32 + "\n")),
    *({"sources": [SOURCE | {"corrections": odd}]} for odd in (1, None, "yes")),
    *({"sources": [SOURCE | {name: odd}]} for name in ("reading", "usual") for odd in ODD_OPTIONS),
    *({"sources": [SOURCE | {"reading": {"encoding": odd}}]} for odd in ("\udfff", 1.5, 1 << 63)),
    *({"trained": odd} for odd in (None, 5, "\ud800")),
    *({"versions": odd} for odd in (None, "2", ["2"], {"numpy": 2}, {"numpy": "\udfff"})),
    *(
        {name: odd}
        for name in ("n_documents", "n_unlabelled", "n_terms_seen")
        for odd in ("x", None, -1, 1.5, True, 1 << 63, 10**400)
    ),
    *({"curve": odd} for odd in ("abc", 5, [1], [[1, 2]], {"1": 2})),
    *({"curve": [odd]} for odd in ([1, 2, "3"], ["1", 2, 3], [1, 1 << 63, 0], [1, 10**400, 0])),
    *({"held_out": odd} for odd in (5, "x", [1])),
    {"held_out": {}},
    {"held_out": HELD_OUT | {"classes": [{}]}},
    *({"held_out": {name: value for name, value in HELD_OUT.items() if name != left_out}} for left_out in HELD_OUT),
    *({"held_out": HELD_OUT | {name: "x"}} for name in [*HELD_OUT, "untested_classes", "unlabelled"]),
    *({"held_out": HELD_OUT | {"classes": [ROW | {name: None}]}} for name in ROW),
    {"held_out": HELD_OUT | {"classes": [ROW | {"label": ["city"]}]}},
]
"""Values of `about` that textsieve does not write."""
ODD_TITLES: list[Any] = [7, "", " ", "x" * 101, "two\nlines", "\x1b[31mred", "\ud800", ["x"], {"x": 1}]
ODD_DESCRIPTIONS: list[Any] = [False, "", "\n\n", "x" * 1001, "NUL \x00", "half \udfff", ["x"]]
ODD_EXAMPLES: list[Any] = ["text", {"x": 1}, 7, [7], [""], ["x"] * 11, ["x" * 1001], ["\x07"], [[]]]
ODD_PRESENTATIONS: list[dict[str, Any]] = [
    *({"title": title} for title in ODD_TITLES),
    *({"description": description} for description in ODD_DESCRIPTIONS),
    *({"examples": examples} for examples in ODD_EXAMPLES),
]
"""Titles, descriptions and examples that no owner can give."""


@pytest.mark.parametrize(
    ("header", "words"),
    [
        *(({name: ...}, "header") for name in HEADER if name not in ("checksum", "format", "version")),
        ({"format": ...}, "'format'"),
        ({"version": ...}, "'version'"),
        ({"format": "textsieve.ClassStats"}, r"'textsieve\.ClassStats' version 1"),
        ({"format": None}, "None version 1"),
        ({"format": ["textsieve.Model"]}, "version 1"),
        ({"version": 3}, "version 3; .*Update textsieve"),
        ({"fallback": 1}, "header"),
        *(({"fallback_class": odd}, "fallback class is") for odd in (-1, 3, 1.0, True, "city", [1], 10**400)),
        ({"reading": {name: value for name, value in READING.items() if name != "preparation"}}, "reading"),
        ({"version": 10**20}, "Update textsieve"),
        ({"version": 0}, "version 0"),
        ({"version": "1"}, "version '1'"),
        ({"version": True}, "version True"),
        ({"version": None}, "version None"),
        ({"more": 1}, "header"),
        *(({"multilabel": odd}, "multilabel is") for odd in ("all", ["several"], None, 1)),
        *(({"has_label_matrix": odd}, "has_label_matrix") for odd in ("all", None, 0)),
        ({"multilabel": False}, "thresholds"),
        ({"multilabel": False, "has_label_matrix": True}, "has a label matrix, but is not multilabel"),
        *(({"statistics": odd}, "its statistics are") for odd in ODD_VALUES),
        ({"statistics": SECTION}, "arrays of statistics without their description"),
        *(({"statistics": SECTION | odd}, "of its statistics is") for odd in ODD_SECTIONS),
        ({"statistics": SECTION | {"n_unlabelled": 6}}, "more unlabelled documents than documents"),
        ({"classes": "abc"}, "no classes"),
        ({"classes": []}, "no classes"),
        ({"classes": {"a": 1}}, "no classes"),
        ({"classes": ["a", "b"]}, "class_docs"),
        ({"classes": ["b", "a", "c"]}, "sorted"),
        ({"classes": ["a", "a", "b"]}, "each once"),
        ({"classes": ["a", "b", 3]}, "all text"),
        ({"classes": ["a", "b", None]}, "all text"),
        ({"classes": [["a"], ["b"], ["c"]]}, "all text"),
        ({"classes": [1, 2, "3"]}, "all numbers"),
        ({"classes": ["a", "b\ud800", "c"]}, "half of a UTF-16 pair"),
        ({"reading": []}, "reading"),
        ({"reading": READING | {"more": 1}}, "reading"),
        ({"reading": {}}, "reading"),
        ({"reading": READING | {"lowercase": "yes"}}, "lowercase"),
        ({"reading": READING | {"lowercase": 1}}, "lowercase"),
        ({"reading": READING | {"strip_accents": "os.system"}}, "strip_accents"),
        ({"reading": READING | {"strip_accents": ["ascii"]}}, "strip_accents"),
        ({"reading": READING | {"strip_accents": {"a": 1}}}, "strip_accents"),
        ({"reading": READING | {"ngram_range": [1]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [2, 1]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [0, 1]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [1, 1.5]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [True, True]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": "12"}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [1, 1001]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": [10**30, 10**30]}}, "ngram_range"),
        ({"reading": READING | {"ngram_range": None}}, "ngram_range"),
        *(({"reading": READING | {"analysis": odd}}, "its analysis is") for odd in ODD_ANALYSES),
        *(({"reading": READING | {"analysis": odd}}, words) for odd, words in UNSOUND_ANALYSES),
        ({"reading": READING | {"stop_words": "english"}}, "stop_words"),
        ({"reading": READING | {"stop_words": [1, 2]}}, "stop_words"),
        ({"reading": READING | {"stop_words": {"the": 1}}}, "stop_words"),
        ({"reading": READING | {"stop_words": [["the"]]}}, "stop_words"),
        ({"scorer": {"kind": "pickle"}}, "scorer"),
        ({"scorer": None}, "scorer"),
        ({"weighting": None}, "weighting"),
        ({"weighting": WEIGHTING | {"tf": "eval"}}, "tf"),
        ({"weighting": WEIGHTING | {"tf": ["log"]}}, "tf"),
        ({"weighting": WEIGHTING | {"tf": {}}}, "tf"),
        ({"weighting": WEIGHTING | {"norm": "l3"}}, "norm"),
        ({"weighting": WEIGHTING | {"norm": []}}, "norm"),
        ({"settings": []}, "settings"),
        ({"settings": "x"}, "settings"),
        *(({"settings": settings}, f"its setting {next(iter(settings))}=") for settings in ODD_PRESENTATIONS),
        ({"about": None}, "about"),
        *(({"about": about}, "about is not what textsieve writes: " + next(iter(about))) for about in ODD),
    ],
)
def test_invalid_headers_raise(header: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(forged(header), "hostile.sieve")
    assert memory_of_the_error(forged(header)) < 1_000_000


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"curve": None, "held_out": None},
        {"held_out": HELD_OUT, "curve": [[5, 1, 0.5]]},
        {"n_documents": (1 << 63) - 1, "n_unlabelled": 0, "curve": [[5, 1 - (1 << 63), 0.5]]},
        {"later": "x"},
        {"sources": []},
        {"sources": [SOURCE, SOURCE | {"kind": "spark", "documents": None, "digest": None, "later": 1}]},
        {"sources": [SOURCE | {"reading": READ_OPTIONS, "usual": {}, "corrections": True}]},
    ],
)
def test_about_may_have_fewer_or_more_keys(about: dict[str, Any]) -> None:
    assert decode(forged({"about": about})).about == about


TEXT = json.dumps(HEADER)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a textsieve model"),
        ("null", "no JSON object"),
        ("[]", "no JSON object"),
        ('"text"', "no JSON object"),
        ("{}", "'version'"),
        (TEXT[:-1], "not a textsieve model"),
        (TEXT + TEXT, "Extra data"),
        (TEXT[:-1] + ', "ranks": 1}', "'ranks' twice"),
        (TEXT[:-1] + ', "checksum": 5}', "'checksum' twice"),
        (TEXT.replace('"tf": "log"', '"tf": "log", "tf": "log"'), "'tf' twice"),
        (TEXT.replace('"C": 1.0', '"C": NaN'), "NaN"),
        (TEXT.replace('"C": 1.0', '"C": ' + "9" * 100_000), "not a textsieve model"),
        (TEXT.replace('"C": 1.0', '"C": ' + "[" * 50 + "]" * 50), f"more than {MAX_DEPTH} deep"),
        (TEXT.replace('"C": 1.0', '"C": ' + '{"a":' * 50 + "1" + "}" * 50), f"more than {MAX_DEPTH} deep"),
        ("[" * 500_000, f"more than {MAX_DEPTH} deep"),
        ('{"a":' * 500_000, f"more than {MAX_DEPTH} deep"),
        ("[" * 500_000 + "]" * 500_000, f"more than {MAX_DEPTH} deep"),
        ('"' + '\\"' * 500_000, "not a textsieve model"),
        ('{"a": "' + "[" * 500_000 + '"}', "'version'"),  # brackets in a string are no nesting
        ('{"' + "\\", "not a textsieve model"),
    ],
)
def test_invalid_json_raises(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(forged(text), "hostile.sieve")
    assert memory_of_the_error(forged(text)) < 1_000_000 + 20 * len(text)


def test_infinite_settings_and_classes_are_restored() -> None:
    model = small_model(settings={"C": float("inf")}, classes=(-float("inf"), 0.0, float("inf")))
    again = decode(encode(model))
    assert again.settings == model.settings
    assert again.classes == model.classes


# -- safetensors itself ------------------------------------------------------------------------------------------

META = json.dumps({"textsieve": TEXT})


def one_array(info: str, name: str = "idf") -> str:
    return f'{{"__metadata__": {META}, "{name}": {info}}}'


HUGE = 1 << 60


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (raw("{}", length=2**64 - 1), "does not begin"),
        (raw("{}", length=2**63), "does not begin"),
        (raw("{}", length=MAX_HEADER + 1), "does not begin"),
        (raw("{}", length=MAX_HEADER), "the file is cut short"),
        (raw("{}", length=3), "the file is cut short"),
        (raw("{}"), "'__metadata__'"),
        (raw("{" * 100_000), "deep"),
        (raw(b'{"\xff\xfe": 1}'), "not a textsieve model"),
        (raw('{"__metadata__": {}}'), "'textsieve'"),
        (raw('{"__metadata__": null}'), "not a textsieve model"),
        (raw('{"__metadata__": {"textsieve": {}}}'), "no text"),
        (raw('{"__metadata__": {"textsieve": "X"}}').replace(b"X", b"\xff"), "is damaged: its header can't be read"),
        (raw('{"__metadata__": {"textsieve": "{}", "textsieve": "{}"}}'), "'textsieve' twice"),
        (raw(f'{{"__metadata__": {META}, "__metadata__": {META}}}'), "'__metadata__' twice"),
        (raw(one_array(f'{{"dtype": "F64", "shape": [{HUGE}], "data_offsets": [0, {8 * HUGE}]}}')), "is at"),
        (raw(one_array('{"dtype": "F64", "shape": [1000], "data_offsets": [0, 8000]}')), "cut short.* declares"),
        (raw(one_array(f'{{"dtype": "F64", "shape": [{HUGE}], "data_offsets": [0, 0]}}')), "not a textsieve"),
        (raw(one_array(f'{{"dtype": "F64", "shape": [{HUGE}, {HUGE}], "data_offsets": [0, 8]}}'), b"\0" * 8), "not a"),
        (raw(one_array('{"dtype": "F64", "shape": [2], "data_offsets": [0, 8]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1], "data_offsets": [8, 16]}'), b"\0" * 16), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}')), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1.5], "data_offsets": [0, 8]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": 1, "data_offsets": [0, 8]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1], "data_offsets": [0, "8"]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1], "data_offsets": [0]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array('{"dtype": "F64", "shape": [1]}'), b"\0" * 8), "data_offsets"),
        (raw(one_array('{"dtype": "object", "shape": [1], "data_offsets": [0, 8]}'), b"\0" * 8), "'object'"),
        (raw(one_array('{"dtype": "BF16", "shape": [1], "data_offsets": [0, 2]}'), b"\0" * 2), "'BF16'"),
        (raw(one_array('{"dtype": ["F64"], "shape": [1], "data_offsets": [0, 8]}'), b"\0" * 8), "not a textsieve"),
        (raw(one_array("[]")), "not a textsieve"),
        (raw(one_array("null")), "not a textsieve"),
    ],
)
def test_invalid_outer_headers_raise(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(data, "hostile.sieve")
    assert memory_of_the_error(data) < 1_000_000 + 20 * len(data)


def test_an_array_declared_twice_raises() -> None:
    length = int.from_bytes(WHOLE[:8], "little")
    outer = WHOLE[8 : 8 + length].decode().rstrip()
    idf = json.loads(outer)["idf"]
    with pytest.raises(InputError, match="'idf' twice"):
        decode(raw(outer[:-1] + f', "idf": {json.dumps(idf)}}}', WHOLE[8 + length :]))


def test_overlapping_arrays_raise() -> None:
    length = int.from_bytes(WHOLE[:8], "little")
    outer = json.loads(WHOLE[8 : 8 + length])
    outer["thresholds"]["data_offsets"] = outer["intercepts"]["data_offsets"]
    with pytest.raises(InputError, match="not a textsieve model"):
        decode(raw(json.dumps(outer), WHOLE[8 + length :]))


# -- memory ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "item",
    ["[]", "{}", '"ab"', "1.5", '{"a":1}', "[[[[]]]]"],
    ids=["lists", "objects", "texts", "numbers", "a", "deep"],
)
def test_the_memory_for_a_header_of_small_values_is_limited(item: str) -> None:
    size = 150_000
    items = "[" + ",".join([item] * (size // (len(item) + 1))) + "]"
    data = forged(TEXT.replace('"C": 1.0', f'"C": {items}'))
    assert memory_of_the_error(data) < 1_000_000 + 60 * len(data)


@pytest.mark.parametrize("twice", [False, True])
def test_the_memory_for_a_file_of_short_terms_is_limited(twice: bool) -> None:
    n_terms = 200_000
    spelled = [f"{number:x}" for number in range(n_terms)]
    if twice:
        spelled[-1] = spelled[0]
    model = small_model(terms=tuple(f"{number:x}" for number in range(n_terms)))
    arrays = {
        "terms": terms("\n".join(spelled)),
        "idf": None,
        "coefficients": np.zeros((n_terms, 3), np.float32),
    }
    data = forged(**arrays)
    if twice:
        assert memory_of_the_error(data) < 20 * len(data)
        return
    tracemalloc.start()
    try:
        assert decode(data).terms == model.terms
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(data)


def test_a_term_of_very_many_words_costs_little_memory() -> None:
    """One term has ten thousand words, and n-grams have up to a thousand."""
    n_gram = " ".join(f"word{number}" for number in range(10_000))
    data = forged(
        {"reading": READING | {"ngram_range": [1, 1000]}},
        terms=terms("goal\nmarket\nstraße\n" + n_gram),
    )
    model = decode(data)
    text = " ".join(f"word{number}" for number in range(3000)) + " goal"
    model.predict([text])  # compiles
    tracemalloc.start()
    try:
        assert model.predict([text]).n_unknown == 0
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000


REFUSE_ALL = """
import resource, sys
from pathlib import Path
from textsieve import InputError
from textsieve.modelfile import read, reading
from textsieve.modelfile.arrays import check_declared
read(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
refused = 0
for path in sys.argv[2:]:
    try:
        read(path)
    except InputError as error:
        assert str(error).startswith(path + ": "), error
        refused += 1
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(refused, (after - before) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss is in other units elsewhere")
def test_hostile_files_take_no_memory_from_the_process(tmp_path: Path) -> None:
    """The memory is measured by the operating system, so that the memory of safetensors counts too."""
    hostile = {
        "length": raw("{}", length=2**64 - 1),
        "huge": raw(one_array(f'{{"dtype": "F64", "shape": [{HUGE}], "data_offsets": [0, {8 * HUGE}]}}')),
        "huge2": raw(one_array(f'{{"dtype": "F64", "shape": [{HUGE}, {HUGE}], "data_offsets": [0, 8]}}'), b"\0" * 8),
        "deep": forged("[" * 1_000_000),
        "deep_outside": raw("{" * 1_000_000),
        "many": raw("{" + ",".join(f'"{n}": {{}}' for n in range(100_000)) + "}"),
        "terms": forged(terms=terms("\n" * 1_000_000)),
        "classes": forged({"classes": list(range(200_000))}),
        "n_docs": forged(class_docs=np.zeros(200_000, np.int64)),
    }
    paths = []
    for name, data in hostile.items():
        (tmp_path / name).write_bytes(data)
        paths.append(str(tmp_path / name))
    good = tmp_path / "good.sieve"
    good.write_bytes(WHOLE)
    done = subprocess.run(
        [sys.executable, "-c", REFUSE_ALL, str(good), *paths], capture_output=True, text=True, check=True
    )
    refused, megabytes = map(int, done.stdout.split())
    assert refused == len(hostile)
    assert megabytes < 100


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.sieve"
    with open(file, "wb") as large:
        large.write(WHOLE)
        large.truncate(MAX_BYTES + 1)  # a sparse file, which takes no disk space
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"large\.sieve.* has 8,589,934,593 bytes; a textsieve model has at most"):
            read(file)
        with open(file, "wb") as large:
            large.truncate(MAX_BYTES)  # not too large, but it does not begin as a model
        with pytest.raises(InputError, match="does not begin as one"):
            read(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def u8(n_bytes: int) -> str:
    return f'{{"dtype": "U8", "shape": [{n_bytes}], "data_offsets": [0, {n_bytes}]}}'


@pytest.mark.parametrize(
    ("outer", "words"),
    [
        ("{}", "'__metadata__'"),
        (f'{{"__metadata__": {META}}}', "declares"),
        (f'{{"__metadata__": {{"textsieve": "{{}}"}}, "terms": {u8(2 << 30)}}}', "'version'"),
        (one_array(u8(2 << 30).replace("U8", "F16")), "'F16'"),
        (f'{{"__metadata__": {META}, "terms": {u8(2 << 30)}, "idf": {u8(2 << 30)}}}', "overlap"),
        (one_array(u8(2 << 30)).replace('\\"multilabel\\"', '\\"multilapel\\"'), "its header has"),
        (one_array(u8(2 << 30)).replace('\\"version\\": 1', '\\"version\\": 4'), "Update textsieve"),
    ],
    ids=["no metadata", "no arrays", "no header", "float16", "overlapping", "other parts", "newer"],
)
def test_a_large_file_is_not_read_before_its_header_is_known(outer: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "large.sieve"
    head = raw(outer)
    with open(file, "wb") as large:
        large.write(head)
        large.truncate(len(head) + (2 << 30))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words):
            read(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def declaring(n_bytes: int, header: dict[str, Any] | None = None, **shapes: tuple[str, list[int]]) -> bytes:
    """Return the start of a file with at least `n_bytes` of arrays, some declared with another type and shape."""
    outer = json.loads(WHOLE[8 : 8 + int.from_bytes(WHOLE[:8], "little")])
    outer["__metadata__"]["textsieve"] = json.dumps(HEADER | (header or {}))
    outer |= {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in shapes.items()}
    end = 0
    for name, array in outer.items():
        if name != "__metadata__":
            size = int(np.prod(array["shape"])) * int(array["dtype"][1:]) // 8
            array["data_offsets"] = [end, end + size]
            end += size
    assert end >= n_bytes
    return raw(json.dumps(outer))


GB = 1 << 30


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (declaring(GB, extra=("F64", [GB // 8])), r"arrays are \['coefficients', 'extra', 'intercepts'\]"),
        (declaring(GB, class_docs=("I64", [GB // 8])), "class_docs is not a number for each class"),
        (declaring(GB, thresholds=("F64", [GB // 8])), "thresholds is not a number for each class"),
        (declaring(GB, idf=("F64", [GB // 8])), "idf is not a number for each of 4 terms"),
        (declaring(GB, idf=("F32", [GB // 4])), "idf is float32"),
        (declaring(GB, intercepts=("F64", [GB // 8])), "intercepts is float64 of shape"),
        (declaring(GB, coefficients=("F32", [GB // 12 + 1, 3])), "terms, and terms has 28 bytes"),
        (declaring(GB, coefficients=("F32", [4, GB // 16])), "coefficients is float32 of shape"),
        (declaring(GB, calibration_knots=("F64", [GB // 8])), "its calibration is None"),
        (declaring(GB, {"multilabel": "all"}, terms=("U8", [GB])), "multilabel is 'all'"),
        (declaring(GB, {"ranks": 3}, terms=("U8", [GB])), "thresholds or ranks"),
        (declaring(GB, {"about": {"updated": 7}}, terms=("U8", [GB])), "updated is 7"),
        (declaring(GB, {"scorer": {"kind": "knn"}}, terms=("U8", [GB])), "its scorer's settings"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_invalid_arrays_raise_before_they_are_read(head: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "large.sieve"
    declared = json.loads(head[8:])
    end = max(array["data_offsets"][1] for name, array in declared.items() if name != "__metadata__")
    with open(file, "wb") as large:
        large.write(head)
        large.truncate(len(head) + end)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=rf"^{file}: not a sound model: .*{words}"):
            read(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def large_model(n_terms: int, n_classes: int) -> Model:
    """Return a model that consists mostly of coefficients."""
    return small_model(
        terms=tuple(f"t{number}" for number in range(n_terms)),
        classes=tuple(f"{number:04}" for number in range(n_classes)),
        class_docs=(1,) * n_classes,
        idf=None,
        scorer=LinearScorer(np.ones((n_terms, n_classes), np.float32), np.zeros(n_classes)),
    )


def test_the_arrays_of_a_large_model_are_in_memory_once(tmp_path: Path) -> None:
    file = tmp_path / "large.sieve"
    write_model(large_model(4_000, 2_000), file)
    tracemalloc.start()
    try:
        read(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.2 * file.stat().st_size


def test_a_file_that_shrinks_while_it_is_read_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.sieve"
    write_model(large_model(400, 400), file)

    def truncate_and_check(archive: Archive, **options: bool) -> list[str]:
        os.truncate(file, 300_000)
        return check_declared(archive, **options)

    monkeypatch.setattr(reading, "check_declared", truncate_and_check)
    with pytest.raises(InputError, match=r"model\.sieve: the file became shorter while it was read"):
        read(file)


# -- scores ------------------------------------------------------------------------------------------------------

LARGE_FLOAT32 = float(np.finfo(np.float32).max)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("tf", TERM_FREQUENCIES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_largest_numbers_that_are_read_give_finite_scores(tf: str, norm: str, sign: float) -> None:
    """Test the bounds of `require_finite`, with counts that are larger than any document in memory can have."""
    scorer = LinearScorer(np.full((4, 2), sign * LARGE_FLOAT32, np.float32), np.array([LARGEST, -LARGEST]))
    curves = Calibration("sigmoid", np.arange(3), np.full(2, LARGEST), np.full(2, -LARGEST))
    model = two_classes(tf=tf, norm=norm, idf=np.full(4, MAX_IDF), scorer=scorer, calibration=curves)
    again = decode(encode(model))
    counts = CSR(np.full(4, 2.0**63), np.arange(4), np.array([0, 4, 4]), 4)
    rows = again.weights(counts)
    predicted = again.predict_rows(rows)
    assert np.isfinite(predicted.scores).all()
    assert np.isfinite(again.probabilities(predicted.scores, predicted.is_unknown)).all()
    text = "goal market straße new york"
    assert np.isfinite(again.decision([text, ""])).all()
    assert all(np.isfinite(explanation.score) for explanation in again.explain(text).classes)
    assert np.isfinite(again.strengths()).all()


EXTREME = [NAN, INF, -INF, 1e308, -1e308, LARGE_FLOAT32, 1e-310, -1.0, 0.0, LARGEST, MAX_IDF]

SETTINGS: dict[str, dict[str, Any]] = {
    "svm": {"probabilities": "sigmoid", "norm": "none", "tf": "tf"},
    "nb": {"probabilities": "isotonic", "multilabel": True},
    "tcfp": {"probabilities": None},
    "knnfp": {"probabilities": None},
    "knn": {"probabilities": None},
    "subspace": {"probabilities": None, "classifier_options": {"n_estimators": 5}},
}


@pytest.mark.parametrize("classifier", SETTINGS)
def test_no_number_in_a_file_gives_an_infinite_score(classifier: str) -> None:
    """If an array has one extreme value, or only that value, the file raises `InputError` or scores are finite."""
    case = small_texts(n=60)
    trained = plain_categorizer(classifier=classifier, n_terms=6, n_jobs=1, **SETTINGS[classifier])
    whole = encode(trained.fit(case.texts, case.labels).model_)
    header, arrays = unpack(KIND, whole)
    texts = [*case.texts[:3], "", " ".join(case.texts)]
    n_scored = 0
    for name, array in arrays.items():
        for value in EXTREME if array.dtype.kind == "f" else ():
            for place in ((0,) * array.ndim, ...):
                with np.errstate(over="ignore"):
                    changed = array.copy()
                    changed[place] = np.array(value).astype(array.dtype)
                try:
                    model = decode(pack(KIND, header, arrays | {name: changed}))
                except InputError:
                    continue
                n_scored += 1
                predicted = model.predict(texts)
                assert np.isfinite(predicted.scores).all(), (name, value)
                assert np.isfinite(model.decision(texts)).all(), (name, value)
                assert np.isfinite(model.strengths()).all(), (name, value)
                assert all(np.isfinite(explanation.score) for explanation in model.explain(texts[0]).classes), (
                    name,
                    value,
                )
                if model.calibration is not None:
                    probabilities = model.probabilities(predicted.scores, predicted.is_unknown)
                    assert ((probabilities >= 0) & (probabilities <= 1)).all(), (name, value)
    assert n_scored


@pytest.mark.parametrize(
    ("method", "knots", "values"),
    [
        ("sigmoid", [1e308, 1.0], [0.0, 0.0]),
        ("sigmoid", [1.0, 1.0], [-1e308, 0.0]),
        ("sigmoid", [1.0, NAN], [0.0, 0.0]),
        ("isotonic", [0.0, 1e-310, 0.0], [0.0, 1.0, 1.0]),
        ("isotonic", [-1e308, 1e308, 0.0], [0.0, 1.0, 1.0]),
    ],
)
def test_calibrations_with_infinite_probabilities_raise(method: str, knots: list[float], values: list[float]) -> None:
    starts = np.array([0, len(knots) - 1, len(knots)])
    with pytest.raises(InputError, match="calibration"):
        encode(two_classes(calibration=Calibration(method, starts, np.array(knots), np.array(values))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item", "max_values"),
    [("[]", MAX_VALUES), *((item, MAX_VALUES // 10) for item in ("{}", "0", '""', '{"":0}', "[[]]"))],
)
def test_a_header_of_too_many_values_raises_before_they_are_created(
    item: str, max_values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    defaults: Any = parse.__kwdefaults__
    monkeypatch.setitem(defaults, "max_values", max_values)
    items = ",".join([item] * (max_values + max_values // 4))
    data = forged(TEXT.replace('"C": 1.0', f'"C": [{items}]'))
    assert 2 * max_values < len(data) < MAX_HEADER
    assert memory_of_the_error(data, match=f"more than {max_values:,} values") < 6 * len(data)


def test_ten_thousand_classes_with_held_out_results_fit_into_a_header() -> None:
    names = tuple(sorted(f"Abteilung für Straßenbau {number}" for number in range(10_000)))
    rows = [
        dict(
            zip(
                ("label", "precision", "recall", "f1", "documents", "predicted"),
                (name, *[1 / 3] * 3, 10**6, 10**6),
                strict=True,
            )
        )
        for name in names
    ]
    model = small_model(
        classes=names,
        class_docs=tuple([10**6] * len(names)),
        scorer=LinearScorer(np.zeros((4, len(names)), np.float32), np.zeros(len(names))),
        about={"held_out": HELD_OUT | {"classes": rows}},
    )
    data = encode(model)
    assert int.from_bytes(data[:8], "little") < MAX_HEADER / 2
    assert decode(data).about == model.about


@pytest.mark.parametrize(
    "presentation",
    [
        {"title": "x" * 100, "description": "x" * 1000, "examples": ["x" * 1000] * 10},
        {"title": "<b>Überschrift</b> \u202e", "description": "two\n\tlines", "examples": ["a\r\nb"]},
        {"title": None, "description": None, "examples": None},
        {"examples": []},
    ],
)
def test_presentations_of_the_allowed_length_are_read(presentation: dict[str, Any]) -> None:
    assert decode(forged({"settings": presentation})).settings == presentation


def test_names_in_settings_are_not_imported() -> None:
    """Names of functions and modules in the settings stay text."""
    wicked = {"classifier": "os.system", "__reduce__": ["os.system", ["true"]], "__class__": "Model"}
    before = set(sys.modules)
    model = decode(forged({"settings": wicked, "about": wicked}))
    assert isinstance(model, Model)
    assert model.settings == wicked
    assert set(sys.modules) == before
