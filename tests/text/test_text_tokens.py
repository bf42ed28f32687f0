"""Token patterns and users' functions give the tokens of scikit-learn, in plain Python and with kernels."""

import io
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, note
from sklearn.feature_extraction.text import CountVectorizer
from tests.depth import IS_DEEP, few_examples
from tests.reference.text_checks import (
    PATHS,
    assert_counts_like_sklearn,
    assert_same,
    documents_of,
    path,
    spaced_corpora,
    varied_code_points,
)

from textsieve import TermCounter
from textsieve.text.choices import WORD_PATTERN
from textsieve.text.words import TokenRule, token_rule

COMPILED_PATTERNS = {
    WORD_PATTERN: TokenRule(r"\w", 2),
    r"\w\w+": TokenRule(r"\w", 2),
    r"(?u)\b\w+\b": TokenRule(r"\w", 1),
    r"\w+": TokenRule(r"\w", 1),
    r"(?u)\b\w[\w'-]*\b": TokenRule(r"[\w'-]", 1, has_joiners=True),
    r"\b\w[\w'’-]*\w\b": TokenRule(r"[\w'’-]", 2, has_joiners=True),
    r"\b\w[\w-]*\b": TokenRule(r"[\w-]", 1, has_joiners=True),
    r"(?u)\S+": TokenRule(r"\S", 1),
}
PYTHON_PATTERNS = [
    r"[a-z]+",
    r"(?i)a(b)?",
    r"(\w)\w*",
    r"[^ ]+",
    r"\b\w[\w.]*\b",
    r"(?a)\w\w+",
    r"\w+[ \n]\w+",
    r"a(b*)",
]
PATTERNS = [*COMPILED_PATTERNS, *PYTHON_PATTERNS]


@pytest.mark.parametrize("pattern", COMPILED_PATTERNS)
def test_usual_patterns_are_compiled(pattern: str) -> None:
    assert token_rule(pattern) == COMPILED_PATTERNS[pattern]


@pytest.mark.parametrize("pattern", PYTHON_PATTERNS)
def test_other_patterns_are_not_compiled(pattern: str) -> None:
    assert token_rule(pattern) is None


TOKEN_SETTINGS: list[dict[str, Any]] = [
    {},
    {"lowercase": False, "strip_accents": "ascii"},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "stop_words": ["ab", "the", "a-b", "9", "it's", "\x01"]},
    {"min_df": 2, "binary": True},
    {
        "vocabulary": ["ab", "a-b", "-a", "a-", "a b", "\x01", "\0", "a\0", "", "ab ab", "b-'a", "the of"],
        "ngram_range": (1, 2),
    },
]


@pytest.mark.filterwarnings("ignore:.*stop words can never match")
@pytest.mark.parametrize("pattern", PATTERNS)
@few_examples
@given(fitted=spaced_corpora, others=spaced_corpora)
def test_counts_are_sklearns(pattern: str, fitted: list[str], others: list[str]) -> None:
    """Any two of patterns, settings and paths are combined, and in a deep run all three."""
    for number, settings in enumerate(TOKEN_SETTINGS, PATTERNS.index(pattern)):
        note(str(settings))
        ways = PATHS if IS_DEEP else PATHS[number % 3 :][:1]
        assert_counts_like_sklearn(fitted, others, {"token_pattern": pattern, **settings}, ways=ways)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", COMPILED_PATTERNS)
def test_every_code_point_is_split_as_in_sklearn(pattern: str) -> None:
    documents = documents_of(varied_code_points(), "a-{c}b {c}")
    theirs = CountVectorizer(token_pattern=pattern)
    expected = theirs.fit_transform(documents)
    for way in PATHS[:2]:
        with path(way):
            counter = TermCounter(token_pattern=pattern)
            assert_same(counter.fit_transform(documents), expected)
            assert counter.vocabulary_ == theirs.vocabulary_


def split_at_commas(text: str) -> list[str]:
    return text.split(",")


def without_digits(text: str) -> str:
    return re.sub(r"\d", "", text)


def two_letters(text: str) -> list[str]:
    return [text[:2], text[-2:], "", "a b"]


FUNCTIONS: dict[str, dict[str, Any]] = {
    "tokenizer": {"tokenizer": split_at_commas},
    "tokenizer and n-grams": {"tokenizer": split_at_commas, "ngram_range": (1, 2), "stop_words": ["a", ""]},
    "tokenizer without pattern": {"tokenizer": str.split, "token_pattern": None, "lowercase": False},
    "preprocessor": {"preprocessor": without_digits},
    "preprocessor and tokenizer": {"preprocessor": without_digits, "tokenizer": str.split, "strip_accents": "ascii"},
    "analyzer": {"analyzer": two_letters},
    "analyzer and limits": {"analyzer": two_letters, "min_df": 2, "binary": True},
    "analyzer and vocabulary": {"analyzer": two_letters, "vocabulary": ["", "ab", "\0", "a b", "\n\n"]},
    "characters of a text": {"analyzer": str.upper},
    "analyzer and a preprocessor without effect": {"analyzer": two_letters, "preprocessor": str.swapcase},
}


@few_examples
@given(fitted=spaced_corpora, others=spaced_corpora)
def test_functions_run_as_in_sklearn(fitted: list[str], others: list[str]) -> None:
    for name, settings in FUNCTIONS.items():
        note(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_counts_like_sklearn(fitted, others, settings, ways=PATHS)


@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize(
    "settings", [{"preprocessor": str.lower}, {"analyzer": str.split}, {"tokenizer": str.split}, {"analyzer": "char"}]
)
def test_texts_of_pyarrow_reach_functions_as_strings(settings: dict[str, Any], way: str) -> None:
    texts = ["Ab cd", "ef"]
    with path(way):
        expected = TermCounter(**settings).fit(texts).vocabulary_
        assert TermCounter(**settings).fit(pyarrow.array(texts)).vocabulary_ == expected


def test_stems_are_folded_by_the_preprocessor_alone() -> None:
    counter = TermCounter(preprocessor=str.upper, normalise="stem").fit(["CATS häuser"])
    assert set(counter.vocabulary_) == {"CATS", "HÄUSER"}


def test_functions_of_a_counter_with_an_analyzer_are_those_of_sklearn() -> None:
    for settings in ({"analyzer": str.split}, {"analyzer": str.split, "preprocessor": str.upper}, {"analyzer": "char"}):
        theirs: Any = CountVectorizer(**settings)
        ours = TermCounter(**settings)
        assert ours.build_preprocessor()("Ab cD") == theirs.build_preprocessor()("Ab cD")
        assert ours.build_tokenizer()("Ab cD") == theirs.build_tokenizer()("Ab cD")


@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize(
    "settings",
    [
        {"analyzer": list},
        {"tokenizer": list, "lowercase": False},
        {"preprocessor": list, "tokenizer": list},
    ],
)
def test_documents_that_only_functions_see_may_be_anything(settings: dict[str, Any], way: str) -> None:
    documents = [("ab", "cd"), ["ab"], {"ab": 1, "ef": 2}]
    with path(way):
        counter = TermCounter(**settings)
        assert counter.fit_transform(documents).toarray().tolist() == [[1, 1, 0], [1, 0, 0], [1, 0, 1]]
        assert counter.transform([["ef", "ef"]]).toarray().tolist() == [[0, 0, 2]]


@pytest.mark.parametrize("way", PATHS)
def test_functions_run_once_for_each_document_in_order(way: str) -> None:
    documents = [f"word{number}" for number in range(50)]
    for setting in ("analyzer", "tokenizer", "preprocessor"):
        seen: list[str] = []

        def record(text: str, seen: list[str] = seen, setting: str = setting) -> Any:
            seen.append(text)
            return text if setting == "preprocessor" else [text]

        with path(way):
            counter = TermCounter(n_jobs=2).set_params(**{setting: record}).fit(documents)
            assert seen == documents
            counter.transform(documents[::-1])
            assert seen == documents + documents[::-1]


@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize(
    "settings", [{"tokenizer": str.split}, {"token_pattern": r"[a-z]+"}, {"token_pattern": r"\S+"}]
)
def test_partial_fit_numbers_terms_in_the_order_of_first_use(settings: dict[str, Any], way: str) -> None:
    with path(way):
        counter = TermCounter(ngram_range=(1, 2), n_jobs=2, **settings)
        counter.partial_fit(["bb aa", "cc bb"]).partial_fit(["aa dd"])
        assert list(counter.vocabulary_) == ["bb", "bb aa", "aa", "cc", "cc bb", "aa dd", "dd"]
        copied = pickle.loads(pickle.dumps(counter))
        assert_same(copied.transform(["dd aa dd"]), counter.transform(["dd aa dd"]))


@pytest.mark.parametrize("way", PATHS)
@pytest.mark.parametrize("pattern", [r"\b\w[\w'-]*\b", r"\S+", r"[\w-]+"])
def test_tokens_can_be_stemmed(pattern: str, way: str) -> None:
    with path(way):
        counter = TermCounter(token_pattern=pattern, normalise="stem", n_jobs=2)
        counts = counter.fit_transform(
            ["cats cat co-operating", "co-operates \udcff\0" if pattern == r"\S+" else "cats"]
        )
    assert counter.vocabulary_["cat"] >= 0
    assert counter.vocabulary_["co-oper"] >= 0
    assert counts.toarray()[0].tolist()[counter.vocabulary_["cat"]] == 2


@pytest.mark.parametrize("way", PATHS)
def test_documents_may_be_files(way: str, tmp_path: Path) -> None:
    texts = ["café ab", "ab ab", ""]
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for file, text in zip(paths, texts, strict=True):
        file.write_text(text, encoding="latin-1")
    with path(way):
        expected = TermCounter().fit_transform(texts)
        names = TermCounter(input="filename", encoding="latin-1")
        assert_same(names.fit_transform(map(str, paths)), expected)
        assert_same(names.transform(paths), expected)
        files = TermCounter(input="file", encoding="latin-1")
        assert_same(files.fit_transform(io.BytesIO(file.read_bytes()) for file in paths), expected)
        assert_same(files.transform(map(io.StringIO, texts)), expected)


def test_the_parts_of_an_analyzer_can_be_built() -> None:
    counter = TermCounter(strip_accents="ascii", token_pattern=r"\b\w[\w'-]*\b", ngram_range=(1, 2))
    assert counter.decode(b"caf\xc3\xa9") == "café"
    assert counter.build_preprocessor()("Café") == "cafe"
    assert counter.build_tokenizer()("it's a co-op- -x") == ["it's", "a", "co-op", "x"]
    assert counter.build_analyzer()("It's a\ncafé") == ["it's", "a", "cafe", "it's a", "a cafe"]
