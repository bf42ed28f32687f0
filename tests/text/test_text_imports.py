"""A few documents are counted without loading the kernels, and importing textsieve loads next to nothing."""

import subprocess
import sys

import pytest


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
@pytest.mark.parametrize(
    ("use", "kernels"),
    [
        ("textsieve.TermCounter().fit(['ab cd ' * 200_000])", False),
        ("textsieve.TermCounter().fit(['ab cd ' * 400_000])", True),
        ("textsieve.TermCounter(analyzer='char').fit(['ab cd ' * 10_000])", False),
        ("textsieve.TermCounter(analyzer='char').fit(['ab cd ' * 20_000])", True),
        ("textsieve.TermCounter().fit(['ab cd'] * 4000)", False),
        ("textsieve.TermCounter().fit(['ab cd'] * 10_000)", True),
        ("for _ in range(3): textsieve.TermCounter().fit(['ab cd ' * 100_000])", False),
        ("for _ in range(4): textsieve.TermCounter().fit(['ab cd ' * 100_000])", True),
        ("for _ in range(500): textsieve.TermCounter().fit(['ab cd ' * 1000])", False),
    ],
)
def test_kernels_are_loaded_when_there_is_much_to_count(use: str, kernels: bool) -> None:
    assert ("numba" in modules_after(f"import textsieve\n{use}")) == kernels
