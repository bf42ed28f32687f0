"""Text preparation on samples of real corpora, against plain Python word by word."""

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from tests.reference.names_twin import names_in
from tests.reference.preparation_twin import FORMS, counts_of, terms_in
from tests.reference.text_checks import PATHS, assert_same, path, without_tags

from textsieve import TermCounter
from textsieve.text.names import join_names, join_names_fast
from textsieve.text.words import JOINER

SAMPLE = 60


@pytest.fixture(scope="module")
def sample(raw_documents: Callable[[int], list[str]]) -> list[str]:
    """Return some documents of real corpora."""
    return raw_documents(SAMPLE)


def test_tags_are_removed_and_text_stays(sample: list[str]) -> None:
    tag = re.compile(
        r"</?(?:p|b|i|a|html|body|title|table|td|tr|li|ul|reuters|text|date|d)(?: [^<>]*)?>", re.IGNORECASE
    )
    as_text = [text.replace("&", " ") for text in sample]  # `&lt;IBM>` is the text <IBM>, and is to stay
    assert not any(tag.search(without_tags(text)) for text in as_text)
    cleaned = list(map(without_tags, sample))
    for before, after in zip(sample, cleaned, strict=True):
        if not re.search(r"[<&]|]]>", before):
            assert before == after
    assert sum(map(len, cleaned)) > 0.3 * sum(map(len, sample))


def test_names_are_those_of_the_slow_twin(sample: list[str]) -> None:
    n_names = 0
    for text in map(without_tags, sample):
        joined = join_names(text)
        assert joined == join_names_fast(text)
        names = [word.replace(JOINER, " ") for word in re.findall(rf"\w+(?:{JOINER}\w+)+", joined)]
        assert names == names_in(text)
        n_names += len(names)
    assert n_names > SAMPLE / 2


@pytest.mark.parametrize("way", FORMS)
def test_counts_of_forms(sample: list[str], way: str) -> None:
    cleaned = list(map(without_tags, sample))
    expected = [terms_in(text, FORMS[way]) for text in cleaned]
    columns = sorted(set().union(*expected))
    for way_through in PATHS:
        with path(way_through):
            counter = TermCounter(tags="drop", normalise=way, n_jobs=2)
            assert_same(counter.fit_transform(sample), counts_of(expected, columns))
            assert counter.get_feature_names_out().tolist() == columns


@pytest.mark.parametrize("settings", [{}, {"normalise": "stem"}, {"stop_words": "english"}], ids=str)
def test_counts_are_the_same_on_every_path(sample: list[str], settings: dict[str, Any]) -> None:
    results = []
    for way_through in PATHS:
        for n_jobs in (1, 2):
            with path(way_through):
                counter = TermCounter(tags="drop", names=True, n_jobs=n_jobs, **settings)
                results.append((counter.fit_transform(sample), counter.get_feature_names_out().tolist()))
                batches = iter(sample)
                grown = TermCounter(tags="drop", names=True, n_jobs=n_jobs, **settings)
                while batch := list(islice(batches, 16)):
                    grown.partial_fit(batch)
                assert sorted(grown.get_feature_names_out().tolist()) == results[0][1]
                assert_same(counter.transform(sample), results[0][0])
    for counts, terms in results[1:]:
        assert_same(counts, results[0][0])
        assert terms == results[0][1]
