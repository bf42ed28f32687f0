"""Long documents are counted correctly, in memory proportional to the result, and no text makes the hash table slow."""

import random
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.reference.text_checks import assert_counts_like_sklearn, assert_same, path
from tests.reference.text_twins import words_of

from textsieve import TermCounter
from textsieve.text import term_table, word_table
from textsieve.text.word_table import WordTable, encode_terms

PHRASE = "The quick brown Fox, 42 naïve Straßen & abcdefghijklmnop; x y_z -- "


@pytest.mark.parametrize("n_characters", [10**5, 10**6, 5 * 10**6])
@pytest.mark.parametrize("phrase", [PHRASE, PHRASE.encode("ascii", "ignore").decode()], ids=["wide", "ascii"])
def test_counts_of_repeated_text(phrase: str, n_characters: int) -> None:
    times = n_characters // len(phrase)
    once = Counter(words_of(phrase.lower()))
    counter = TermCounter(n_jobs=2)
    counts = counter.fit_transform([phrase * times, phrase])
    assert counter.vocabulary_ == {word: column for column, word in enumerate(sorted(once))}
    assert counts.toarray()[0].tolist() == [times * once[word] for word in sorted(once)]
    assert counts.toarray()[1].tolist() == [once[word] for word in sorted(once)]
    bigrams = TermCounter(ngram_range=(2, 2)).fit([phrase * times])
    row = bigrams.transform([phrase * times]).toarray()[0]
    assert row.sum() == times * once.total() - 1
    assert row[bigrams.vocabulary_["quick brown"]] == times
    assert row[bigrams.vocabulary_["y_z the"]] == times - 1


def peak_of(task: Callable[[], Any]) -> int:
    """Return how many bytes are in use at most while the task runs, beyond those in use before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        task()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def bytes_of(counts: csr_matrix, vocabulary: dict[str, int]) -> int:
    """Return the size of a matrix, and of its terms as a list and as a dictionary."""
    matrix = counts.data.nbytes + counts.indices.nbytes + counts.indptr.nbytes
    terms = sum(sys.getsizeof(term) + sys.getsizeof(column) for term, column in vocabulary.items())
    return int(matrix + terms + sys.getsizeof(vocabulary) + sys.getsizeof(list(vocabulary)))


@pytest.mark.parametrize(("ngram_range", "n_documents"), [((1, 1), None), ((1, 2), 3000)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_memory_is_at_most_twice_the_result_and_a_batch(
    newsgroups: tuple[list[str], list[str]], ngram_range: tuple[int, int], n_documents: int | None, n_jobs: int
) -> None:
    documents = newsgroups[0][:n_documents]
    TermCounter(ngram_range=ngram_range, n_jobs=n_jobs).fit(documents[:100])  # so that the kernels are loaded
    counter = TermCounter(ngram_range=ngram_range, n_jobs=n_jobs)
    results: list[csr_matrix] = []

    def task() -> None:
        results.append(counter.fit_transform(iter(documents)))
        _ = counter.vocabulary_

    peak = peak_of(task)
    batch = 1 << 20
    assert peak <= 2 * bytes_of(results[0], counter.vocabulary_) + n_jobs * batch


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_memory_of_characters(newsgroups: tuple[list[str], list[str]], analyzer: str) -> None:
    documents = newsgroups[0][:1000]
    TermCounter(analyzer=analyzer, n_jobs=2).fit(documents[:100])  # so that the kernels are loaded
    counter = TermCounter(analyzer=analyzer, ngram_range=(3, 5), n_jobs=2)
    results: list[csr_matrix] = []

    def task() -> None:
        results.append(counter.fit_transform(iter(documents)))
        _ = counter.vocabulary_

    batch = 1 << 24  # the counts of half a megabyte of text
    peak = peak_of(task)
    assert peak <= 1.7 * bytes_of(results[0], counter.vocabulary_) + 2 * batch


def test_memory_of_transform(newsgroups: tuple[list[str], list[str]]) -> None:
    documents = newsgroups[0]
    counter = TermCounter(n_jobs=2).fit(documents)
    counter.transform(documents[:200])  # so that the table exists
    results: list[csr_matrix] = []
    peak = peak_of(lambda: results.append(counter.transform(iter(documents))))
    tables = 2 * 2 * 8 * (1 << 19)  # each thread has slots of its own for the 130,000 terms
    assert peak <= 2 * bytes_of(results[0], {}) + tables + 2 * (1 << 20)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("lorem ipsum dolor sit amet " * 800_000, 2.5),
        ("lorem ipsum dolor sit amét " * 800_000, 5.0),
        ("x" * 20_000_000, 6.5),
        ("a " * 10_000_000, 2.5),
        ("\x00" * 20_000_000, 2.5),
    ],
    ids=["words", "accents", "one word", "letters", "NULs"],
)
def test_memory_of_one_document_of_20_megabytes(text: str, most: float) -> None:
    TermCounter(n_jobs=2).fit(["ab " * 40_000])  # so that the kernels are loaded
    peak = peak_of(lambda: TermCounter(n_jobs=2).fit_transform([text, "ab"]))
    assert peak <= most * len(text)


# -- no text can make the table slow ---------------------------------------------------------------------------------


def keys_in(table: WordTable) -> list[int]:
    """Return the keys of the words of a table."""
    used = table.slots.reshape(-1, 2)
    return [int(key) for key, meta in used if meta]


def table_of(words: list[str]) -> WordTable:
    table = WordTable()
    numbers = table.add(*encode_terms(words))
    assert numbers.tolist() == list(range(len(words)))
    return table


def test_keys_of_long_words_depend_on_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"abcdefgh{number:04d}" for number in range(500)]
    keys = set()
    for seed in range(8):
        monkeypatch.setattr(word_table, "SEED", np.uint64(seed * 0x0123456789ABCDEF))
        keys.update(keys_in(table_of(words)))
    assert len(keys) == 8 * len(words)


# Under a hash that takes eight bytes at a time by h = (h ^ bytes) * 0x9E3779B97F4A7C15, begun at 0, each of these pairs
# leads from the same h to the same h; so all words made of one of each pair would share one key.
STAGES = [
    ("5xsjlbcadtdpv8wa", "4is9mtk0x9y_9__d"),
    ("99qoz93owd1ogahj", "dv39tk8n_8___5__"),
    ("oiacp1f8n0aba95r", "a4jo06pj__q8y__8"),
    ("v72citq9abpakedf", "efqqx04_wc1t__z8"),
    ("9k8arqe1asa7p5ps", "b9v7mtgup_p_4_3_"),
    ("ijfbejxypbdaadrm", "b80u3zac2_yl988_"),
    ("ph5wn4qidbjdpabp", "ie3so8_xy8_y2y_5"),
    ("zybkcv5ppy1paoba", "f51rrl1l5__05__e"),
    ("ttc4ewg_abaffaby", "e7mkfqyyqcg99z9_"),
    ("hcxh884uobnw89da", "94vj6csi_c____8e"),
    ("sqrtxnn0avaraaap", "y4re1ui5s_78mlj1"),
    ("l_u5xk3gcduraaad", "wtaxxm59_y__8oyz"),
]


def test_words_that_collide_under_a_simple_hash_have_different_keys() -> None:
    words = ["".join(parts) for parts in product(*STAGES)]
    assert len(words) == 4096
    assert len(set(keys_in(table_of(words)))) == len(words)
    assert_same(TermCounter().fit_transform([" ".join(words)]), csr_matrix(np.ones((1, len(words)), np.int64)))


@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF])
@pytest.mark.parametrize("pair", ["1q", "0p", "5u", "ac"])
def test_words_that_differ_in_high_bits_do_not_collide(seed: int, pair: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_table, "SEED", np.uint64(seed))
    stages = [(f"{a}aaaaaaa{b}aaaaaaa") for a in pair for b in pair]
    words = ["".join(parts) for parts in product(stages, repeat=5)]
    assert len(set(keys_in(table_of(words)))) == len(words) == 1024


def next_hash(before: int, eight_bytes: bytes) -> int:
    """Return the hash of `kernels.words.fold_bytes` after the next eight bytes."""
    mixed = (before ^ int.from_bytes(eight_bytes, "big")) * 0x9E3779B97F4A7C15 % 2**64
    return (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15 % 2**64


def colliding_strings(before: int, chance: random.Random) -> tuple[str, str, int]:
    """Return two strings of sixteen letters that lead from one hash to the same next hash, and that hash."""
    letters = b"abcdefghijklmnopqrstuvwxyz0123456789_"
    pairs = {letter ^ other: (letter, other) for letter in letters for other in letters}
    seen: list[tuple[bytes, int]] = []
    while True:
        start = bytes(chance.choices(letters, k=8))
        hashed = next_hash(before, start)
        for other_start, other_hashed in seen:
            change = (hashed ^ other_hashed).to_bytes(8, "big")
            if all(byte in pairs for byte in change):
                end, other_end = (bytes(pairs[byte][which] for byte in change) for which in (0, 1))
                return (start + end).decode(), (other_start + other_end).decode(), next_hash(hashed, end)
        seen.append((start, hashed))


def test_words_with_the_same_key_are_distinguished_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = 12345  # with a known seed, words can be made to collide: counting is slow then, but still correct
    monkeypatch.setattr(word_table, "SEED", np.uint64(seed))
    hashed, stages = seed, []
    for _ in range(5):
        string, other_string, hashed = colliding_strings(hashed, random.Random(hashed))
        stages.append((string, other_string))
    words = ["".join(parts) for parts in product(*stages)]
    assert len(set(keys_in(table_of(words)))) == 1
    with path("kernels, many slices"):
        assert_counts_like_sklearn([" ".join(words[:at] + words[::2]) for at in range(32)], words, {})


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3)])
def test_results_do_not_depend_on_the_seed(ngram_range: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [" ".join(f"{word}{'long' * (word % 7)}" for word in range(at, 3000, 7)) for at in range(7)]
    results = []
    for seed in (0, 1, 2**64 - 1):
        monkeypatch.setattr(word_table, "SEED", np.uint64(seed))
        monkeypatch.setattr(term_table, "SEED", np.uint64(seed))
        with path("kernels, many slices"):
            counter = TermCounter(ngram_range=ngram_range, n_jobs=2)
            counts = counter.fit_transform(documents)
            results.append((counts.data.tobytes(), counts.indices.tobytes(), list(counter.vocabulary_)))
    assert results[0] == results[1] == results[2]
