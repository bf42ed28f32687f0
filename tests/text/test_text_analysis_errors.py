"""Errors for analyzers, patterns and functions that can't be used name the setting or the document, and the remedy."""

import hashlib
import re
import signal
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reference.text_checks import PATHS, path

from textsieve import InputError, TermCounter
from textsieve.text import analysis

SETTINGS: list[tuple[dict[str, Any], str]] = [
    *(
        ({"analyzer": bad}, r"analyzer=.*use one of 'word', 'text', 'char', 'char_wb', or a function")
        for bad in ["words", None, 3, ["char"]]
    ),
    *(({"input": bad}, r"input=.*use one of 'content', 'filename', 'file'") for bad in ["text", None, 3]),
    *(({"tokenizer": bad}, r"tokenizer=.*use a function, or None") for bad in ["split", 3]),
    *(({"preprocessor": bad}, r"preprocessor=.*use a function, or None") for bad in ["lower", 3]),
    *(({"token_pattern": bad}, r"token_pattern=.*regular expression as a string") for bad in [None, 3, b"a+"]),
    ({"token_pattern": r"(\w+"}, r"token_pattern='\(.*it is not a valid regular expression: missing \)"),
    ({"token_pattern": r"(a)(b)"}, r"token_pattern=.*it has 2 capturing groups.*\(\?:\.\.\.\)"),
    *(
        ({"token_pattern": bad}, r"token_pattern=.*it matches the empty string.*with \+")
        for bad in [
            *("", r"\w*", "a|", "$", r"\b", r"\b\w*\b", r"(?<=\s)|\w+", r"[a-z]*(?=\s)"),
            *(r"(?<=-)\w*", r"(?<=#)\w*", r"\d*(?=x)", r"(?<=中)\w*"),
        ]
    ),
    ({"analyzer": "char", "ngram_range": (0, 2)}, "ngram_range=.*1 <= shortest"),
    ({"analyzer": "char_wb", "normalise": "stem"}, "normalise='stem' needs words, which analyzer='char_wb'"),
    ({"analyzer": "char", "names": True}, "names=True needs words, which analyzer='char' does not count"),
    ({"analyzer": str.split, "names": True}, "names=True needs words"),
    (
        {"token_pattern": r"\w+", "names": True},
        "names=True with token_pattern=.*default words; leave out token_pattern",
    ),
    ({"tokenizer": str.split, "names": True}, "names=True with tokenizer="),
    ({"preprocessor": str.lower, "names": True}, "names=True with preprocessor="),
]


@pytest.mark.parametrize(("bad", "message"), SETTINGS, ids=lambda value: str(value)[:40])
def test_invalid_settings_raise_an_error_before_documents_are_read(bad: dict[str, Any], message: str) -> None:
    def unread() -> Any:
        raise AssertionError("documents were read")
        yield

    counter = TermCounter(**bad)
    for method in (counter.fit, counter.partial_fit):
        with pytest.raises(InputError, match=message):
            method(unread())
    assert not hasattr(counter, "vocabulary_")


RESULTS: list[tuple[dict[str, Any], str]] = [
    ({"analyzer": len}, r"analyzer returned 5 \(int\) for document 0; return a list of strings"),
    (
        {"analyzer": lambda text: ["ab", 3] if text == "ab cd" else ["x"]},
        r"analyzer returned 3 \(int\) among the terms of document 7",
    ),
    ({"tokenizer": str.upper}, r"tokenizer returned 'AB EF' \(str\) for document 0; return a list of strings"),
    ({"tokenizer": lambda text: None}, r"tokenizer returned None \(NoneType\) for document 0"),
    (
        {"tokenizer": lambda text: [b"ab"] if text == "ab cd" else []},
        r"tokenizer returned b'ab' \(bytes\) .* document 7",
    ),
    (
        {"preprocessor": lambda text: 3 if text == "ab cd" else text},
        r"preprocessor returned 3 \(int\) for document 7; return a str",
    ),
]


@pytest.mark.parametrize(("settings", "message"), RESULTS, ids=range(len(RESULTS)))  # lambdas have no names
@pytest.mark.parametrize("way", PATHS)
def test_functions_that_return_no_strings_name_the_document(settings: dict[str, Any], message: str, way: str) -> None:
    documents = ["ab ef"] * 7 + ["ab cd"] + ["xy"] * 10
    with path(way):
        for n_jobs in (1, 2):
            for method in ("fit", "partial_fit"):
                with pytest.raises(InputError, match=message):
                    getattr(TermCounter(n_jobs=n_jobs, **settings), method)(documents)
            with pytest.raises(InputError, match=message):
                TermCounter(n_jobs=n_jobs, vocabulary=["ab"], **settings).transform(documents)


@pytest.mark.parametrize("way", PATHS)
def test_errors_of_functions_come_through(way: str) -> None:
    def fail(text: str) -> list[str]:
        raise ZeroDivisionError(text)

    for setting in ("analyzer", "tokenizer", "preprocessor"):
        with path(way), pytest.raises(ZeroDivisionError, match="ab"):
            TermCounter().set_params(**{setting: fail}).fit(["ab"])


@pytest.mark.parametrize("way", PATHS)
def test_files_that_cant_be_read_are_named(way: str, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("ab")
    documents = [tmp_path / "one.txt", tmp_path / "two.txt"]
    with path(way):
        with pytest.raises(InputError, match=r"input='filename': document 1, .*two.txt.*, can't be read: No such file"):
            TermCounter(input="filename").fit(documents)
        for number in (3.5, 0):  # `open` would read standard input for 0
            with pytest.raises(InputError, match=rf"document 0 is {number} .*, not the path of a file"):
                TermCounter(input="filename").fit([number])
        with pytest.raises(InputError, match=r"input='file': document 0 is 'ab' \(str\), not an open file"):
            TermCounter(input="file").fit(["ab"])


def test_a_pattern_that_takes_exponential_time_for_any_text_raises_before_documents_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analysis, "PATTERN_SECONDS", 1.0)
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(
        InputError, match=r"token_pattern=.*it takes more than 1 seconds for a text of a few characters"
    ):
        TermCounter(token_pattern="(?:(?!x)|(?!y)){99}(?=x)").fit(iter([None]))
    assert signal.getsignal(signal.SIGVTALRM) == before


@pytest.mark.parametrize("way", PATHS)
def test_a_pattern_that_takes_exponential_time_is_stopped(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "PATTERN_SECONDS", 0.1)
    before = signal.getsignal(signal.SIGVTALRM)
    counter = TermCounter(token_pattern=r"(?:a+)+b")
    with path(way):
        with pytest.raises(InputError, match=r"^document 2: token_pattern='\(\?:a\+\)\+b': it takes more than 0 sec"):
            counter.fit(["aab", "ab", "a" * 60, "ab"])
        assert list(counter.fit(["aab", "ab"]).vocabulary_) == ["aab", "ab"]
    assert signal.getsignal(signal.SIGVTALRM) is before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_the_time_limit_counts_the_main_thread_alone() -> None:
    is_done = threading.Event()

    def compute() -> None:
        while not is_done.is_set():
            hashlib.sha256(bytes(1 << 20))  # runs beside the main thread

    other = threading.Thread(target=compute)
    other.start()
    try:
        with analysis.time_limit(0.05):
            is_done.wait(0.5)  # the other thread computes for longer than the limit
    finally:
        is_done.set()
        other.join()
    with pytest.raises(TimeoutError), analysis.time_limit(0.05):
        re.findall(r"(?:a+)+b", "a" * 60)


def test_a_timer_of_the_program_is_left_alone() -> None:
    before = signal.signal(signal.SIGVTALRM, lambda *_: None)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 1000.0, 7.0)
        with analysis.time_limit(0.01):
            pass
        remaining, interval = signal.getitimer(signal.ITIMER_VIRTUAL)
        assert remaining > 900
        assert interval == 7.0
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("setting", ["analyzer", "token_pattern", "tokenizer"])
def test_arrays_as_settings_raise_an_error(setting: str) -> None:
    settings: dict[str, Any] = {setting: np.array(["a", "b"])}
    with pytest.raises(InputError, match=f"{setting}="):
        TermCounter(**settings).fit(["ab"])


def test_a_tokenizer_needs_a_pattern() -> None:
    with pytest.raises(InputError, match="token_pattern=None"):
        TermCounter(analyzer="char", token_pattern=None).build_tokenizer()


def test_patterns_run_without_a_time_limit_in_other_threads() -> None:
    results: list[list[str]] = []
    counter = TermCounter(token_pattern=r"[a-c]+")
    thread = threading.Thread(target=lambda: results.append(list(counter.fit(["ab xc"]).vocabulary_)))
    thread.start()
    thread.join()
    assert results == [["ab", "c"]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tokenizer": str.split, "token_pattern": r"\w+"}, "token_pattern=.* has no effect because of tokenizer="),
        ({"analyzer": "char", "token_pattern": r"\w+"}, "token_pattern=.* has no effect because of analyzer='char'"),
        ({"analyzer": "char", "tokenizer": str.split}, "tokenizer=.* has no effect because of analyzer='char'"),
        ({"analyzer": str.split, "preprocessor": str.lower}, "preprocessor=.* has no effect because of analyzer="),
        ({"analyzer": str.split, "ngram_range": (1, 2)}, r"ngram_range=\(1, 2\) has no effect because of analyzer="),
        ({"analyzer": str.split, "stop_words": "english"}, "stop_words='english' has no effect because of analyzer="),
    ],
    ids=str,
)
def test_settings_without_effect_give_a_warning(settings: dict[str, Any], message: str) -> None:
    with pytest.warns(UserWarning, match=message) as warned:
        TermCounter(**settings).fit(["ab cd"])
    assert len(warned) == 1


@pytest.mark.parametrize(
    "settings",
    [{"tokenizer": str.split}, {"tokenizer": str.split, "stop_words": ["Ab"]}, {"analyzer": "char"}],
    ids=str,
)
def test_settings_with_effect_give_no_warning(settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TermCounter(**settings).fit(["ab cd"])
