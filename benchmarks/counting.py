"""`TermCounter` beside scikit-learn's `CountVectorizer`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import cycle

import Stemmer
from scipy.sparse import hstack
from sklearn.feature_extraction.text import CountVectorizer

from textsieve import TermCounter
from textsieve.text.preparation import shared_normaliser

from .harness import Result, peak_growth, versus
from .newsgroups import newsgroups

CHARACTERS = {"char_wb": "3 to 5 characters of words (`char_wb`)", "char": "3 to 5 characters (`char`)"}
"""The analyzers of characters, and what they count here."""

AIM_MEGABYTES_PER_SECOND = 200
"""The aim for counting on two threads."""

JOINED_WORDS = r"\b\w[\w'-]*\b"


def results() -> list[Result]:
    """Time counting on the training documents of 20 Newsgroups by date."""
    texts, _ = newsgroups()
    counter, vectorizer = TermCounter(n_jobs=2).fit(texts), CountVectorizer().fit(texts)
    stem_counter = TermCounter(normalise="stem", n_jobs=2).fit(texts)
    our_texts, their_texts = cycle(texts), cycle(texts)
    on_two_threads = versus(
        "`fit_transform`, two threads",
        lambda: TermCounter(n_jobs=2).fit_transform(texts),
        lambda: CountVectorizer().fit_transform(texts),
        "CountVectorizer",
        target=20,
        repeats=15,
        their_repeats=5,
        why="two threads that count at once slow each other down, and one thread merges their terms and sorts them",
    )
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    speed = f"{megabytes / on_two_threads.ours:.0f} MB/s of text; aim: {AIM_MEGABYTES_PER_SECOND} MB/s"
    return [
        on_two_threads,
        Result(f"the same: {speed}", on_two_threads.ours, limit=megabytes / AIM_MEGABYTES_PER_SECOND),
        versus(
            "`fit_transform`, two threads, and reading `vocabulary_`",
            lambda: _with_vocabulary(TermCounter(n_jobs=2), texts),
            lambda: _with_vocabulary(CountVectorizer(), texts),
            "CountVectorizer",
        ),
        versus(
            "`fit_transform`, one thread",
            lambda: TermCounter(n_jobs=1).fit_transform(texts),
            lambda: CountVectorizer().fit_transform(texts),
            "CountVectorizer",
            target=5,
            repeats=15,
            their_repeats=5,
        ),
        versus(
            "`transform`, two threads",
            lambda: counter.transform(texts),
            lambda: vectorizer.transform(texts),
            "CountVectorizer",
        ),
        versus(
            "`transform` of one document",
            lambda: counter.transform([next(our_texts)]),
            lambda: vectorizer.transform([next(their_texts)]),
            "CountVectorizer",
            limit=1e-3,
            repeats=100,
            their_repeats=100,
            loops=20,
        ),
        versus(
            "`fit_transform` of words and pairs of words, two threads",
            lambda: TermCounter(ngram_range=(1, 2), n_jobs=2).fit_transform(texts),
            lambda: CountVectorizer(ngram_range=(1, 2)).fit_transform(texts),
            "CountVectorizer",
            repeats=3,
            their_repeats=1,
        ),
        *(
            versus(
                f"`fit_transform` of {CHARACTERS[analyzer]}, two threads",
                partial(TermCounter(analyzer=analyzer, ngram_range=(3, 5), n_jobs=2).fit_transform, texts),
                partial(CountVectorizer(analyzer=analyzer, ngram_range=(3, 5)).fit_transform, texts),
                "CountVectorizer",
                target=10,
                repeats=5,
                their_repeats=1,
            )
            for analyzer in CHARACTERS
        ),
        versus(
            "`fit_transform` of words, pairs of words and 3 to 5 characters of words together, two threads",
            lambda: TermCounter(ngram_range=(1, 2), char_ngram_range=(3, 5), n_jobs=2).fit_transform(texts),
            lambda: _count_words_and_characters(texts),
            "two CountVectorizers",
            repeats=3,
            their_repeats=1,
        ),
        versus(
            "`fit_transform` of words and symbols of any script, two threads",
            lambda: TermCounter(analyzer="text", n_jobs=2).fit_transform(texts),
            lambda: CountVectorizer(token_pattern=r"\w+|[^\w\s]").fit_transform(texts),
            "CountVectorizer",
        ),
        versus(
            "`fit_transform` of words with hyphens and apostrophes, two threads",
            lambda: TermCounter(token_pattern=JOINED_WORDS, n_jobs=2).fit_transform(texts),
            lambda: CountVectorizer(token_pattern=JOINED_WORDS).fit_transform(texts),
            "CountVectorizer",
        ),
        versus(
            "`fit_transform` of words by a pattern that runs in Python, two threads",
            lambda: TermCounter(token_pattern=r"[a-z]+", n_jobs=2).fit_transform(texts),
            lambda: CountVectorizer(token_pattern=r"[a-z]+").fit_transform(texts),
            "CountVectorizer",
        ),
        versus(
            "`fit_transform` of stems, two threads",
            lambda: _count_stems(texts),
            lambda: CountVectorizer(analyzer=_stem_analyzer()).fit_transform(texts),
            "CountVectorizer, an analyzer with PyStemmer",
            repeats=5,
            their_repeats=3,
        ),
        versus(
            "`fit_transform` of stems, two threads, against counting words; aim: at most 1.5 times as long",
            lambda: _count_stems(texts),
            lambda: TermCounter(n_jobs=2).fit_transform(texts),
            "TermCounter",
            target=1 / 1.5,
            why="PyStemmer, and the strings that it needs, hold the interpreter lock, so one thread at a time stems",
            repeats=9,
            their_repeats=9,
        ),
        versus(
            "`transform` of stems, two threads, against counting words",
            lambda: stem_counter.transform(texts),
            lambda: counter.transform(texts),
            "TermCounter",
            repeats=9,
            their_repeats=9,
        ),
        versus(
            "`transform` of stems by a new counter, two threads, against counting words",
            lambda: _new_like(stem_counter).transform(texts),
            lambda: _new_like(counter).transform(texts),
            "TermCounter",
            repeats=9,
            their_repeats=9,
        ),
    ]


def _count_words_and_characters(texts: list[str]) -> object:
    """Return scikit-learn's counts of words, pairs of words and n-grams of characters, side by side."""
    counters = (CountVectorizer(ngram_range=(1, 2)), CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)))
    return hstack([counter.fit_transform(texts) for counter in counters], format="csr")


def _count_stems(texts: list[str]) -> object:
    shared_normaliser.cache_clear()  # the stems that an earlier run has cached
    return TermCounter(normalise="stem", n_jobs=2).fit_transform(texts)


def _new_like(counter: TermCounter) -> TermCounter:
    """Return a new counter of the same terms, without cached stems."""
    shared_normaliser.cache_clear()
    return TermCounter(normalise=counter.normalise, vocabulary=counter.get_feature_names_out(), n_jobs=2)


def _stem_analyzer() -> Callable[[str], list[str]]:
    """Return an analyzer for `CountVectorizer` that stems each word of a text."""
    words_of = CountVectorizer().build_analyzer()
    stem = Stemmer.Stemmer("english").stemWord  # caches the stems of 10,000 words
    return lambda text: [stem(word) for word in words_of(text)]


def _prepare_ours() -> Callable[[], object]:
    """Load all texts and kernels, and return a job that counts."""
    texts, _ = newsgroups()
    TermCounter(n_jobs=2).fit_transform(texts[:3000])  # fewer documents would not use the kernels
    return partial(_with_vocabulary, TermCounter(n_jobs=2), texts)


def _prepare_theirs() -> Callable[[], object]:
    """Load all texts, and return a job that counts by `CountVectorizer`."""
    texts, _ = newsgroups()
    CountVectorizer().fit_transform(texts[:3000])
    return partial(_with_vocabulary, CountVectorizer(), texts)


def _with_vocabulary(counter: TermCounter | CountVectorizer, texts: list[str]) -> object:
    """Count, and build the vocabulary, which `TermCounter` does only on request."""
    return counter.fit_transform(texts), counter.vocabulary_


def memory() -> str:
    """Return a paragraph on the peak memory of `fit_transform`, of words and of characters."""
    result_bytes = _result_bytes(TermCounter())
    ours, theirs = peak_growth(_prepare_ours), peak_growth(_prepare_theirs)
    lines = [
        f"Peak memory of `fit_transform` over the documents themselves: {ours / 1e6:.0f} MB, where the result (matrix "
        f"and vocabulary) is {result_bytes / 1e6:.0f} MB: {ours / result_bytes:.2f} times the result (aim: at most 2, "
        f"plus one batch of text). `CountVectorizer`: {theirs / 1e6:.0f} MB."
    ]
    for analyzer, what in CHARACTERS.items():
        result_bytes = _result_bytes(_character_counter(analyzer))
        growth = peak_growth(partial(_prepare_characters, analyzer))
        lines.append(
            f"For {what}: {growth / 1e6:,.0f} MB, where the result is {result_bytes / 1e6:,.0f} MB: "
            f"{growth / result_bytes:.2f} times the result."
        )
    return " ".join(lines)


def _result_bytes(counter: TermCounter) -> int:
    """Return the size of the matrix and the vocabulary that a counter makes of all texts."""
    counts = counter.fit_transform(newsgroups()[0])
    vocabulary = counter.vocabulary_
    matrix_bytes = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
    return int(matrix_bytes + sys.getsizeof(vocabulary) + sum(map(sys.getsizeof, vocabulary)))


def _character_counter(analyzer: str) -> TermCounter:
    return TermCounter(analyzer=analyzer, ngram_range=(3, 5), n_jobs=2)


def _prepare_characters(analyzer: str) -> Callable[[], object]:
    """Load all texts and kernels, and return a job that counts characters."""
    texts, _ = newsgroups()
    _character_counter(analyzer).fit_transform(texts[:3000])
    return partial(_with_vocabulary, _character_counter(analyzer), texts)


def compilation() -> str:
    """Return a paragraph on the seconds to compile the kernels, and to load them in a later process."""
    script = (
        "import time; begin = time.perf_counter(); from textsieve import TermCounter; "
        "TermCounter().fit_transform(['some words'] * 10_000); print(time.perf_counter() - begin)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-c", script]
        compiling, loading = (
            float(subprocess.run(command, env=environment, check=True, capture_output=True).stdout) for _ in range(2)
        )
    return (
        f"Import, and compiling the counting kernels, once a machine: {compiling:.1f} s; loading them in a later "
        f"process: {loading:.1f} s, imports included. Neither is in the times above."
    )
