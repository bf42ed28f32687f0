"""Statistics that are damaged or forged raise `InputError` with the name of the file, before they cost memory."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays
from tests.reference.statistics_cases import CLASSIFIERS, MORE, TRAINED, WHOLE, written

from textsieve import ClassStats, InputError, load
from textsieve.archive import archive_in, checksum, checksum_of
from textsieve.modelfile.header import KIND
from textsieve.modelfile.statistics import decode_statistics
from textsieve.modelfile.writing import encode
from textsieve.training.statistics import Statistics

NAME = "news.sieve"


def outer_header(data: bytes) -> Any:
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])


def header_of(data: bytes) -> Any:
    return json.loads(outer_header(data)["__metadata__"]["textsieve"])


def forged(classifier: str, section: dict[str, Any] | None = None, **arrays: Any) -> bytes:
    """Return a model with other statistics and checksums that agree; None removes an array."""
    changes = {f"statistics.{name}": array for name, array in arrays.items()}
    parts = {name: part for name, part in (load_arrays(WHOLE[classifier]) | changes).items() if part is not None}
    header = header_of(WHOLE[classifier])
    added = {name: part for name, part in parts.items() if name.startswith("statistics.")}
    header["statistics"] |= {"checksum": checksum_of(added)} | (section or {})
    header["checksum"] = checksum(header, {name: part for name, part in parts.items() if name not in added})
    return save_arrays(parts, metadata={"textsieve": json.dumps(header)})


def read_from(data: bytes, classifier: str) -> Statistics:
    """Read the statistics of a model from the bytes of its file."""
    return decode_statistics(archive_in(KIND, data, NAME), TRAINED[classifier].model_)


def test_a_file_forged_without_changes_is_the_model() -> None:
    for classifier in CLASSIFIERS:
        assert forged(classifier) == WHOLE[classifier]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@given(data=st.data())
def test_a_flipped_byte_raises_or_is_harmless(classifier: str, data: st.DataObject) -> None:
    """A flip in the arrays of the model itself is noticed when the model is read: see test_modelfile_damage.py."""
    archive = archive_in(KIND, WHOLE[classifier], NAME)
    arrays_start = len(WHOLE[classifier]) - max(spec.start + spec.n_bytes for spec in archive.specs.values())
    own = [spec for name, spec in archive.specs.items() if name.startswith("statistics.") and spec.n_bytes]
    places = st.one_of(
        st.integers(0, arrays_start - 1),
        st.sampled_from(own).flatmap(
            lambda spec: st.integers(arrays_start + spec.start, arrays_start + spec.start + spec.n_bytes - 1)
        ),
    )
    place = data.draw(places)
    damaged = bytearray(WHOLE[classifier])
    damaged[place] ^= data.draw(st.integers(1, 255))
    try:
        statistics = read_from(bytes(damaged), classifier)
    except InputError as problem:
        message = str(problem)
    else:
        assert place < arrays_start  # the header, spelled differently, or a part that only predicting reads
        assert encode(TRAINED[classifier].model_, statistics) == WHOLE[classifier]
        return
    assert message.startswith(f"{NAME}: ")


def test_a_damaged_file_raises_with_its_name(tmp_path: Path) -> None:
    path = written(tmp_path)
    model, whole = load(path), path.read_bytes()
    path.write_bytes(whole[:-5])
    with pytest.raises(InputError, match=r"news\.sieve: the file is cut short"):
        model.update(*MORE)
    path.write_bytes(ClassStats.zero().to_bytes())
    with pytest.raises(InputError, match=r"news\.sieve: the file is 'textsieve\.ClassStats' version 1"):
        model.update(*MORE)
    path.unlink()
    path.mkdir()
    with pytest.raises(InputError, match=r"news\.sieve.* a folder, not a textsieve model"):
        model.update(*MORE)


SUMS, VOTES = (
    {
        name.removeprefix("statistics."): array
        for name, array in load_arrays(WHOLE[classifier]).items()
        if name.startswith("statistics.")
    }
    for classifier in CLASSIFIERS
)
NAN, BIG = np.nan, 1 << 40


def changed(array: Any, at: Any, value: Any) -> Any:
    copy = array.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize(
    ("classifier", "arrays", "words"),
    [
        ("nb", {"docs_without_terms": None}, "docs_without_terms is missing"),
        ("nb", {"docs_without_terms": np.zeros(2, np.int64)}, "docs_without_terms is not a number for each class"),
        ("nb", {"docs_without_terms": np.zeros(3, np.int32)}, "docs_without_terms is int32 of shape"),
        ("nb", {"docs_without_terms": np.full(3, -1)}, "no number of documents"),
        ("nb", {"docs_without_terms": np.full(3, BIG)}, "no number of documents"),
        ("nb", {"document_digests": None}, "document_digests is missing"),
        ("nb", {"document_digests": np.zeros(15, np.uint8)}, "document_digests is not 16 bytes"),
        ("nb", {"document_digests": np.zeros((2, 16), np.uint8)}, "document_digests is uint8 of shape"),
        ("nb", {"document_digests": np.zeros(16 * 51, np.uint8)}, "there are 51 digests and 50 documents"),
        ("nb", {"more": np.zeros(3)}, "its arrays are"),
        ("nb", {"class_docs": SUMS["class_docs"] - 1}, "damaged|other numbers of documents"),
        ("nb", {"class_docs": SUMS["class_docs"][:2]}, "do not fit together"),
        ("nb", {"doc_freq": SUMS["doc_freq"][:-1]}, "do not fit together|terms"),
        ("nb", {"doc_freq": np.append(SUMS["doc_freq"], 0)}, "they are of 9 terms, and the model has 8"),
        ("nb", {"doc_freq": np.full(8, BIG)}, "do not fit together"),
        ("nb", {"doc_freq": -SUMS["doc_freq"]}, "do not fit together"),
        ("nb", {"cell_indices": SUMS["cell_indices"] + 1}, "do not fit together"),
        ("nb", {"cell_indices": np.full_like(SUMS["cell_indices"], BIG)}, "do not fit together"),
        ("nb", {"cell_indptr": changed(SUMS["cell_indptr"], 1, -1)}, "do not fit together"),
        ("nb", {"cell_indptr": changed(SUMS["cell_indptr"], -1, BIG)}, "do not fit together"),
        ("nb", {"cell_sums": SUMS["cell_sums"][:1]}, "damaged"),
        ("nb", {"cell_sums": changed(SUMS["cell_sums"], (0, 0), NAN)}, "do not fit together"),
        ("nb", {"sums": changed(SUMS["sums"], (0, 0), np.inf)}, "do not fit together"),
        ("nb", {"cell_doc_freq": None}, "damaged"),
        ("tcfp", {"more": np.zeros(3)}, "its arrays are"),
        ("tcfp", {"vote_weights": None}, "its arrays are"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"].astype(np.float32)}, "vote_weights is float32"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][:-1]}, "vote_classes is int32 of shape"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, NAN)}, "can't be"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, -1.0)}, "can't be"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][::-1].copy()}, "out of order"),
        ("tcfp", {"vote_indptr": VOTES["vote_indptr"][:0]}, "vote_indptr is int64 of shape"),
        ("tcfp", {"vote_indptr": VOTES["vote_indptr"][:-1]}, "they are of 7 terms"),
        ("tcfp", {"vote_indptr": changed(VOTES["vote_indptr"], 1, BIG)}, "vote_indptr does not go from 0"),
        ("tcfp", {"vote_indptr": np.append(VOTES["vote_indptr"], VOTES["vote_indptr"][-1])}, "they are of 9 terms"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, 3)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -2)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -1)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, 0)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, BIG)}, "can't be"),
        ("tcfp", {"class_docs": VOTES["class_docs"] + 1}, "other numbers of documents"),
        ("tcfp", {"class_docs": VOTES["class_docs"].reshape(1, -1)}, "class_docs is int64 of shape"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else None,
)
def test_invalid_arrays_raise(classifier: str, arrays: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve: the statistics are not sound: .*({words})"):
        read_from(forged(classifier, **arrays), classifier)


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"kind": "pickle"}, "the kind of its statistics is 'pickle'"),
        ({"kind": "votes"}, "its arrays are"),
        ({"multilabel": 1}, "multilabel of its statistics is 1"),
        ({"n_documents": -1}, "n_documents of its statistics is -1"),
        ({"n_documents": 1}, "do not fit together"),
        ({"n_documents": 1.5}, r"n_documents of its statistics is 1\.5"),
        ({"n_documents": 1 << 80}, "n_documents of its statistics is"),
        ({"n_unlabelled": 51}, "more unlabelled documents than documents"),
        ({"more": 1}, "its statistics are"),
        ({"checksum": 7}, "the file is damaged: its checksum differs"),
        ({"checksum": None}, "the file is damaged: its checksum differs"),
    ],
    ids=str,
)
def test_invalid_headers_raise(section: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve: .*{words}"):
        read_from(forged("nb", section), "nb")


def test_statistics_of_other_terms_raise() -> None:
    other = replace(TRAINED["nb"].model_, terms=TRAINED["nb"].model_.terms[:7])
    with pytest.raises(InputError, match="they are of 8 terms, and the model has 7"):
        decode_statistics(archive_in(KIND, WHOLE["nb"], NAME), other)


def test_a_weight_of_no_document_raises() -> None:
    """A document of m classes has an entry of 1 - m; an entry that removes all documents is forged."""
    votes = {name: VOTES[name] for name in ("vote_indptr", "vote_weights", "vote_classes", "vote_counts")}
    forged_votes = {
        "vote_indptr": votes["vote_indptr"] + np.append(0, np.ones(8, np.int64)),
        "vote_weights": np.insert(votes["vote_weights"], 0, votes["vote_weights"][0]),
        "vote_classes": np.insert(votes["vote_classes"], 0, -1),
        "vote_counts": np.insert(votes["vote_counts"], 0, -1000),
    }
    with pytest.raises(InputError, match="a weight is of no document"):
        read_from(forged("tcfp", **forged_votes), "tcfp")


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"updated": {"documents": -1, "times": 1, "last": "x"}}, "updated is"),
        ({"updated": {"documents": 1, "times": 1}}, "updated is"),
        ({"updated": "yesterday"}, "updated is 'yesterday'"),
    ],
    ids=str,
)
def test_invalid_records_of_updates_raise(about: dict[str, Any], words: str) -> None:
    model = TRAINED["nb"].model_
    with pytest.raises(InputError, match=f"about is not what textsieve writes: {words}"):
        encode(replace(model, about={**model.about, **about}))


# -- files that are no files, or too large -----------------------------------------------------------------------


def memory_of_the_error(path: Path, words: str) -> int:
    """Return the most memory that reading the statistics of a model takes, which raises an error that matches."""
    model = load(path)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=words):
            model.update(*MORE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
def test_a_pipe_in_the_place_of_the_model_raises_and_stays(tmp_path: Path) -> None:
    path = written(tmp_path)
    loaded, updated = load(path), load(path).update(*MORE)
    path.unlink()
    os.mkfifo(path)
    (tmp_path / "link.sieve").symlink_to("news.sieve")
    with pytest.raises(InputError, match=r"news\.sieve.* a pipe or a device, not a textsieve model"):
        loaded.update(*MORE)
    for name in ("news.sieve", "link.sieve"):
        with pytest.raises(InputError, match=rf"{name}.* a device or a pipe, and a model is written to a file"):
            updated.save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["link.sieve", "news.sieve"]
    assert path.is_fifo()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no such devices on this system")
def test_a_device_in_the_place_of_the_model_raises(tmp_path: Path) -> None:
    path = written(tmp_path)
    model = load(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="a pipe or a device, not a textsieve model"):
        model.update(*MORE)


def write_sparse(path: Path, head: bytes, size: int) -> None:
    """Write a file that has this beginning and takes no disk space."""
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)


@pytest.mark.parametrize("size", [3 << 30, 9 << 30])
def test_a_large_file_that_is_no_model_is_not_read(size: int, tmp_path: Path) -> None:
    path = written(tmp_path)
    model = load(path)
    write_sparse(path, b"", size)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"does not begin as one|has at most 8,589,934,592"):
            model.update(*MORE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


GB = 1 << 30


@pytest.mark.parametrize(
    ("classifier", "shapes", "words"),
    [
        ("nb", {"more": ("F64", [GB // 8])}, "its arrays are"),
        ("nb", {"docs_without_terms": ("I64", [GB // 8])}, "docs_without_terms is not a number for each class"),
        ("nb", {"document_digests": ("U8", [GB])}, "digests and 50 documents"),
        ("nb", {"doc_freq": ("I64", [GB // 8])}, "terms"),
        ("nb", {"sums": ("F64", [2, GB // 16])}, "do not fit together"),
        ("nb", {"cell_indices": ("I64", [GB // 8])}, "do not fit together"),
        ("nb", {"cell_indptr": ("I64", [GB // 8])}, "do not fit together"),
        ("nb", {"class_docs": ("I64", [GB // 8])}, "do not fit together"),
        ("tcfp", {"more": ("F64", [GB // 8])}, "its arrays are"),
        ("tcfp", {"vote_indptr": ("I64", [GB // 8])}, "terms"),
        ("tcfp", {"vote_weights": ("F64", [GB // 8])}, "vote_classes is int32 of shape"),
        ("tcfp", {"class_docs": ("I64", [GB // 8])}, "class_docs is int64 of shape"),
    ],
)
def test_invalid_arrays_raise_before_they_are_read(
    classifier: str, shapes: dict[str, tuple[str, list[int]]], words: str, tmp_path: Path
) -> None:
    """The model itself loads, since it does not read them, and takes no memory for them."""
    outer = outer_header(WHOLE[classifier])
    outer |= {f"statistics.{name}": {"dtype": dtype, "shape": shape} for name, (dtype, shape) in shapes.items()}
    model_arrays = {
        name: array for name, array in load_arrays(WHOLE[classifier]).items() if not name.startswith("statistics.")
    }
    end = 0
    for name in (*model_arrays, *(name for name in outer if name.startswith("statistics."))):
        size = int(np.prod(outer[name]["shape"])) * int(outer[name]["dtype"][1:]) // 8
        outer[name]["data_offsets"] = [end, end + size]
        end += size
    encoded = json.dumps(outer).encode()
    head = len(encoded).to_bytes(8, "little") + encoded + b"".join(map(np.ndarray.tobytes, model_arrays.values()))
    path = tmp_path / "news.sieve"
    write_sparse(path, head, 8 + len(encoded) + end)
    words = rf"news\.sieve: the statistics are not sound: .*{words}"
    assert memory_of_the_error(path, words) < 2_000_000
