"""Damaged files: every truncation and every flipped byte raises `InputError`, or leaves the model unchanged."""

import gzip
import io
import pickle
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save
from tests.reference.model_cases import multilabel_model, small_model, two_classes

from textsieve import ClassStats, InputError
from textsieve.classifiers.linear import LinearScorer
from textsieve.modelfile import read
from textsieve.modelfile.reading import decode
from textsieve.modelfile.writing import encode
from textsieve.prediction import Model

SMALL = encode(multilabel_model())
LARGE = encode(
    small_model(
        terms=tuple(f"selected{number}" for number in range(2000)),
        idf=np.linspace(1, 9, 2000),
        scorer=LinearScorer(np.linspace(-1, 1, 6000, dtype=np.float32).reshape(2000, 3), np.zeros(3)),
    )
)


def raises_or_is_unchanged(damaged: bytes, whole: bytes) -> bool:
    """Return whether damaged bytes raise `InputError`; if they do not, assert that the model is unchanged."""
    try:
        model = decode(damaged, "news.sieve")
    except InputError as error:
        named = str(error).startswith("news.sieve: ")
    else:
        assert encode(model) == whole
        return False
    assert named
    return True


def test_every_truncation_raises() -> None:
    for length in range(len(SMALL)):
        with pytest.raises(InputError, match=r"^news\.sieve: the file is (not a textsieve model|cut short)"):
            decode(SMALL[:length], "news.sieve")


def test_truncated_files_raise_with_their_name(tmp_path: Path) -> None:
    file = tmp_path / "news.sieve"
    for length in [*range(40), *range(40, len(LARGE), 997), len(LARGE) - 1]:
        file.write_bytes(LARGE[:length])
        with pytest.raises(InputError, match=r"news\.sieve: the file is (not a textsieve model|cut short)"):
            read(file)


@pytest.mark.parametrize("added", [b"\0", b"\n", b"{}", SMALL])
def test_trailing_bytes_raise(added: bytes) -> None:
    with pytest.raises(InputError, match=r"bytes, and its header declares"):
        decode(SMALL + added)


@pytest.mark.slow
@pytest.mark.parametrize("flip", [0x01, 0x02, 0x10, 0x20, 0x80, 0xFF])
def test_every_flipped_byte_raises_or_is_harmless(flip: int) -> None:
    tracemalloc.start()
    try:
        harmless = 0
        for place in range(len(SMALL)):
            damaged = SMALL[:place] + bytes([SMALL[place] ^ flip]) + SMALL[place + 1 :]
            harmless += not raises_or_is_unchanged(damaged, SMALL)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000
    assert harmless <= (4 if flip == 0x20 else 0)  # the case of a letter in \u00df


@pytest.mark.parametrize("part", ["length", "header", "arrays"])
def test_flipped_regions_of_a_large_file_raise(part: str) -> None:
    header_end = 8 + int.from_bytes(LARGE[:8], "little")
    begin, end = {"length": (0, 8), "header": (8, header_end), "arrays": (header_end, len(LARGE))}[part]
    random = np.random.default_rng(7)
    for _ in range(200):
        at = int(random.integers(begin, end))
        size = int(random.integers(1, 64))
        damaged = bytearray(LARGE)
        for place in range(at, min(at + size, end)):
            damaged[place] ^= int(random.integers(1, 256))
        assert raises_or_is_unchanged(bytes(damaged), LARGE)


@given(st.data())
def test_swapped_doubled_or_lost_parts_raise(data: st.DataObject) -> None:
    a, b, c = sorted(data.draw(st.lists(st.integers(0, len(SMALL)), min_size=3, max_size=3)))
    parts = [SMALL[:a], SMALL[a:b], SMALL[b:c], SMALL[c:]]
    order = data.draw(st.lists(st.integers(0, 3), max_size=5))
    damaged = b"".join(parts[at] for at in order)
    if damaged != SMALL:
        assert raises_or_is_unchanged(damaged, SMALL)


@given(st.binary(max_size=200))
def test_random_bytes_raise(data: bytes) -> None:
    with pytest.raises(InputError, match="not a textsieve model"):
        decode(data)


def a_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("model.bin", "weights")
    return file.getvalue()


def an_array_file() -> bytes:
    file = io.BytesIO()
    np.save(file, np.ones(5))
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        *((pickle.dumps({"model": [1.0] * 50}, protocol), "pickle") for protocol in range(2, 6)),
        (pickle.dumps({"model": [1.0] * 50}, 0), "does not begin as one"),
        (a_zip(), "zip"),
        (gzip.compress(SMALL), "gzip"),
        (an_array_file(), "numpy"),
        (b"", "is empty"),
        (b"text,label\nsome text,sport\n", "does not begin as one"),
        (b'{"format": "textsieve.Model"}' * 10, "does not begin as one"),
        (b"\0" * 5000, "does not begin as one"),
        (b"\xff" * 5000, "does not begin as one"),
        (save({"weights": np.ones(3)}), "'__metadata__'"),
        (save({"weights": np.ones(3)}, metadata={"other": "1"}), "'textsieve'"),
    ],
)
def test_errors_name_the_kind_of_another_file(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "model.pkl"
    file.write_bytes(data)
    with pytest.raises(InputError, match=rf"model\.pkl: the file is not a textsieve model.*{words}"):
        read(file)


def test_statistics_and_models_are_not_mixed_up(tmp_path: Path) -> None:
    file = tmp_path / "stats"
    file.write_bytes(ClassStats.from_matrix([[1], [2]], ["a", "b"]).to_bytes())
    with pytest.raises(InputError, match=r"is 'textsieve\.ClassStats' version 1.*reads 'textsieve\.Model' version 1"):
        read(file)
    with pytest.raises(InputError, match=r"is 'textsieve\.Model' version 1"):
        ClassStats.from_bytes(SMALL)


@pytest.mark.parametrize("model", [small_model(), multilabel_model(), two_classes()])
def test_a_changed_term_or_number_fails_the_checksum(model: Model) -> None:
    data = encode(model)
    coefficient = model.scorer.term_strengths()[0].tobytes()
    place = data.index(coefficient)
    with pytest.raises(InputError, match="checksum"):
        decode(data[:place] + b"\0" * 4 + data[place + 4 :])
    with pytest.raises(InputError, match="checksum"):
        decode(data.replace(b"goal", b"gold"))
    with pytest.raises(InputError, match="checksum"):
        decode(data.replace(b"ocfs", b"chi2"))
