"""A few documents are counted without loading the kernels, and importing textsieve loads next to nothing."""

import subprocess
import sys


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after the code."""
    report = "\nimport sys; print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


def test_importing_textsieve_is_light() -> None:
    loaded = modules_after("import textsieve")
    assert "textsieve" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "numba", "llvmlite", "polars", "pandas"}


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
textsieve.TermWeighter().fit_transform(counter.fit_transform(texts))
"""


def test_a_few_documents_do_not_load_the_kernels() -> None:
    loaded = modules_after(USES)
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite"}


def test_many_documents_do_load_the_kernels() -> None:
    assert "numba" in modules_after("import textsieve; textsieve.TermCounter().fit(['ab cd ' * 20_000])")
