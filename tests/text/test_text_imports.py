"""A few documents are counted without loading the kernels, and importing textsieve loads next to nothing."""

import subprocess
import sys
from typing import Any
from unittest.mock import Mock

import pytest

from textsieve import TermCounter
from textsieve.text import reading, tally


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a new interpreter has loaded after running the code."""
    report = "\nimport sys; print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(process.stdout.splitlines()[-1].split())


def test_importing_textsieve_is_light() -> None:
    loaded = modules_after("import textsieve")
    assert "textsieve" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "numba", "llvmlite", "pyarrow", "pandas"}


USES = """
import copy, textsieve
texts = ['ab cd ef', 'Straße ab cd'] * 50
counter = textsieve.TermCounter()
counter.fit_transform(texts)
counter.fit(texts).transform(texts)
copy.deepcopy(counter).transform(texts)
textsieve.TermCounter().partial_fit(texts).partial_fit(['new words']).transform(texts)
textsieve.TermCounter(vocabulary=['ab', 'cd']).transform(texts)
textsieve.TermCounter(ngram_range=(1, 2), stop_words='english', min_df=2, strip_accents='ascii').fit(texts)
textsieve.TermCounter(analyzer='char', ngram_range=(1, 3)).fit(texts).transform(texts)
textsieve.TermCounter(analyzer='char_wb', ngram_range=(3, 5)).partial_fit(texts).partial_fit(['new words'])
textsieve.TermCounter(token_pattern=r'\\S+').fit(texts)
textsieve.TermCounter(tokenizer=str.split).fit(texts)
textsieve.TermCounter(analyzer=str.split).fit(texts)
textsieve.TermWeighter().fit_transform(counter.fit_transform(texts))
"""


def test_a_few_documents_do_not_load_the_kernels() -> None:
    loaded = modules_after(USES)
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite"}


@pytest.mark.slow
@pytest.mark.parametrize(("n_times", "kernels"), [(3, False), (4, True)])
def test_kernels_are_loaded_when_there_is_much_to_count(n_times: int, kernels: bool) -> None:
    use = f"for _ in range({n_times}): textsieve.TermCounter().fit(['ab cd ' * 100_000])"
    assert ("numba" in modules_after(f"import textsieve\n{use}")) == kernels


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "documents", "n_times", "kernels"),
    [
        ({}, ["ab cd " * 200_000], 1, False),
        ({}, ["ab cd " * 400_000], 1, True),
        ({"analyzer": "char"}, ["ab cd " * 10_000], 1, False),
        ({"analyzer": "char"}, ["ab cd " * 20_000], 1, True),
        ({}, ["ab cd"] * 4000, 1, False),
        ({}, ["ab cd"] * 10_000, 1, True),
        ({}, ["ab cd " * 1000], 500, False),
    ],
    ids=range(7),
)
def test_kernels_count_long_texts_many_documents_and_characters_of_fewer(
    settings: dict[str, Any], documents: list[str], n_times: int, kernels: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process that has not loaded the kernels; here, they seem not to be loaded."""
    monkeypatch.setattr(reading, "_KERNELS", "kernels that were never loaded")
    monkeypatch.setattr(reading, "_charged", 0)
    count_by_kernels = Mock(wraps=tally.tally)
    monkeypatch.setattr(tally, "tally", count_by_kernels)
    for _ in range(n_times):
        TermCounter(**settings).fit(documents)
    assert count_by_kernels.called == kernels
