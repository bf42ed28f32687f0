"""How a model file stores the settings that split texts into terms."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.modelfile.test_modelfile_hostile import READING, forged, terms
from tests.reference.model_archives import unpack
from tests.reference.model_cases import same, small_model

from textsieve import InputError
from textsieve.modelfile import write
from textsieve.modelfile.header import KIND
from textsieve.modelfile.reading import decode, read_stored
from textsieve.modelfile.writing import encode
from textsieve.text import analysis as analysis_module
from textsieve.text.analysis import Analysis
from textsieve.text.preparation import Preparation

EXPONENTIAL = "(?:(?!x)|(?!y)){99}(?=x)"
"""Takes 2^99 steps to find that it does not match the empty string."""
STORED: list[tuple[Analysis, dict[str, Any]]] = [
    (Analysis("text"), {"analyzer": "text"}),
    (Analysis("char_wb"), {"analyzer": "char_wb"}),
    (Analysis(token_pattern=r"\w+"), {"token_pattern": r"\w+"}),
    (Analysis("text", char_ngram_range=(3, 5)), {"analyzer": "text", "char_ngram_range": [3, 5]}),
]


def reading_of(data: bytes) -> dict[str, Any]:
    section: dict[str, Any] = unpack(KIND, data)[0]["reading"]
    return section


@pytest.mark.parametrize(("analysis", "stored"), STORED)
def test_the_header_has_the_settings_that_differ_from_the_defaults(analysis: Analysis, stored: dict[str, Any]) -> None:
    model = small_model(analysis=analysis)
    assert json.loads(json.dumps(reading_of(encode(model))["analysis"])) == stored
    assert same(decode(encode(model)), model)


def test_a_model_of_words_has_no_such_key() -> None:
    """So older versions, which count words only, can read it."""
    assert "analysis" not in reading_of(encode(small_model()))


def test_stop_words_are_stored_only_for_words() -> None:
    pairs = {"ngram_range": (1, 2), "stop_words": frozenset({"of"})}
    for analysis, expected in ((Analysis("text"), ["of"]), (Analysis("char"), None), (Analysis("char_wb"), None)):
        assert reading_of(encode(small_model(analysis=analysis, **pairs)))["stop_words"] == expected


def test_terms_with_line_feeds_are_stored() -> None:
    spelled = ("a\nb", "\\n", "\n", "\\")
    for analysis in (Analysis("char"), Analysis(token_pattern=r"[^ ]+")):
        model = small_model(terms=spelled, analysis=analysis)
        assert decode(encode(model)).terms == spelled
        assert unpack(KIND, encode(model))[1]["terms"].tobytes() == rb"a\nb" b"\n" rb"\\n" b"\n" rb"\n" b"\n" rb"\\"
    backslashes = small_model(terms=("\\", "\\n", "a", "b"), analysis=Analysis("text"))
    assert unpack(KIND, encode(backslashes))[1]["terms"].tobytes() == rb"\_\n_a_b".replace(b"_", b"\n")
    assert decode(encode(backslashes)).terms == ("\\", "\\n", "a", "b")


@pytest.mark.parametrize("text", ["a\nb\nc\n\\", "a\nb\nc\n\\x", "a\nb\n\\\nd"])
def test_an_invalid_escape_raises(text: str) -> None:
    section = READING | {"analysis": {"analyzer": "char"}}
    with pytest.raises(InputError, match=r"^bad: not a sound model: its terms contain '\\\\"):
        decode(forged({"reading": section}, terms=terms(text)), "bad")


@pytest.mark.parametrize(
    ("preparation", "analysis", "words"),
    [
        ({"names": True}, {"analyzer": "char"}, "names=True needs words"),
        ({"names": True}, {"token_pattern": r"\w+"}, "names=True with token_pattern"),
        ({"normalise": "stem", "language": "en"}, {"analyzer": "char_wb"}, "normalise='stem' needs words"),
    ],
)
def test_settings_that_contradict_each_other_raise(
    preparation: dict[str, Any], analysis: dict[str, Any], words: str
) -> None:
    section = READING | {"preparation": preparation, "analysis": analysis, "ngram_range": [1, 1]}
    with pytest.raises(InputError, match=rf"^bad: not a sound model: {words}"):
        decode(forged({"reading": section}), "bad")
    with pytest.raises(InputError, match=words):
        encode(small_model(analysis=Analysis(**analysis), preparation=Preparation(**preparation), ngram_range=(1, 1)))


def test_a_pattern_that_takes_too_long_to_check_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis_module, "PATTERN_SECONDS", 1.0)
    with pytest.raises(
        InputError, match=r"^bad: not a sound model: token_pattern=.* takes more than 1 seconds for a text"
    ):
        decode(forged({"reading": READING | {"analysis": {"token_pattern": EXPONENTIAL}}}), "bad")


@pytest.mark.parametrize("pattern", [EXPONENTIAL, r"(\w+)+x", "[a-z]+", "("])
def test_a_slow_pattern_raises_before_it_is_used_if_only_fast_ones_are_allowed(pattern: str, tmp_path: Path) -> None:
    """No time limit holds in other threads, in which a service reads newer models."""
    path = tmp_path / "a.sieve"
    path.write_bytes(forged({"reading": READING | {"analysis": {"token_pattern": pattern}}}))
    errors: list[Exception] = []

    def read() -> None:
        try:
            read_stored(path, only_fast_patterns=True)
        except InputError as error:
            errors.append(error)

    thread = threading.Thread(target=read, daemon=True)
    begin = time.perf_counter()
    thread.start()
    thread.join(60)
    assert time.perf_counter() - begin < 30
    assert [str(error).partition(",")[0] for error in errors] == [
        f"{path}: the model has the token pattern {pattern!r}"
    ]


@pytest.mark.parametrize(
    "analysis", [Analysis(), *(analysis for analysis, _ in STORED), Analysis(token_pattern=r"\S+")]
)
def test_models_with_fast_patterns_are_read_everywhere(analysis: Analysis, tmp_path: Path) -> None:
    model = small_model(analysis=analysis)
    write(model, tmp_path / "a.sieve")
    read = read_stored(tmp_path / "a.sieve", only_fast_patterns=True).model
    assert same(read, model)
    assert np.array_equal(read.scores(["goal in new york"]), model.scores(["goal in new york"]))
