"""Statistics that are damaged or forged are refused by name."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays
from tests.reference.statistics_cases import MORE, TRAINED, WAYS, WHOLE, written

from textsieve import ClassStats, InputError, load
from textsieve.archive import checksum
from textsieve.modelfile.statsfile import decode, encode
from textsieve.modelfile.writing import encode as encode_model


@contextmanager
def naming(name: str) -> Iterator[None]:
    """What is refused is refused by this name."""
    try:
        yield
    except InputError as problem:
        if not str(problem).startswith(name):
            raise AssertionError(f"{name!r} is not named: {problem}") from problem
        raise


@pytest.mark.parametrize("way", WAYS)
@given(data=st.data())
def test_a_flipped_byte_is_refused(way: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(WHOLE[way]) - 1))
    damaged = bytearray(WHOLE[way])
    damaged[at] ^= data.draw(st.integers(1, 255))
    with suppress(InputError):
        with naming("news.sieve.stats "):
            found = decode(bytes(damaged), TRAINED[way].model_, "news.sieve.stats")
        assert encode(found, TRAINED[way].model_) == WHOLE[way]  # another spelling of the same, with another digest


def test_a_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path)
    file = Path(f"{path}.stats")
    damaged = bytearray(file.read_bytes())
    damaged[-5] ^= 1
    file.write_bytes(bytes(damaged))
    with pytest.raises(InputError, match=r"news\.sieve\.stats is damaged: its checksum is another"):
        load(path).update(*MORE)
    file.write_bytes(bytes(damaged[:-5]))
    with pytest.raises(InputError, match=r"news\.sieve\.stats is cut short"):
        load(path).update(*MORE)
    file.write_bytes(ClassStats.zero().to_bytes())
    with pytest.raises(InputError, match=r"news\.sieve\.stats is 'textsieve\.ClassStats' version 1"):
        load(path).update(*MORE)
    file.unlink()
    file.mkdir()
    with pytest.raises(InputError, match=r"news\.sieve\.stats is a folder, not a file of kept statistics"):
        load(path).update(*MORE)


def forged(way: str, header: dict[str, Any] | None = None, **arrays: Any) -> bytes:
    """The statistics with other parts and a checksum that agrees; None takes an array away."""
    data = WHOLE[way]
    outer = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    changed = json.loads(outer["__metadata__"]["textsieve"]) | (header or {})
    parts = {name: part for name, part in (load_arrays(data) | arrays).items() if part is not None}
    changed["checksum"] = checksum(changed, parts)
    return save_arrays(parts, metadata={"textsieve": json.dumps(changed)})


def test_the_forger_can_write_statistics() -> None:
    for way in WAYS:
        assert forged(way) == WHOLE[way]


SUMS, VOTES = (load_arrays(WHOLE[way]) for way in WAYS)
NAN, BIG = np.nan, 1 << 40


def changed(array: Any, at: Any, value: Any) -> Any:
    copy = array.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize(
    ("way", "arrays", "said"),
    [
        ("nb", {"without": None}, "without is missing"),
        ("nb", {"without": np.zeros(2, np.int64)}, "without is not a number for each class"),
        ("nb", {"without": np.zeros(3, np.int32)}, "without is int32 of shape"),
        ("nb", {"without": np.full(3, -1)}, "no number of documents"),
        ("nb", {"without": np.full(3, BIG)}, "no number of documents"),
        ("nb", {"folded": np.zeros(15, np.uint8)}, "folded is not 16 bytes"),
        ("nb", {"folded": np.zeros((2, 16), np.uint8)}, "folded is uint8 of shape"),
        ("nb", {"class_docs": SUMS["class_docs"] - 1}, "damaged|other numbers of documents"),
        ("nb", {"class_docs": SUMS["class_docs"][:2]}, "do not fit together"),
        ("nb", {"doc_freq": SUMS["doc_freq"][:-1]}, "do not fit together|terms"),
        ("nb", {"doc_freq": np.append(SUMS["doc_freq"], 0)}, "it is of 9 terms, and the model has 8"),
        ("nb", {"doc_freq": np.full(8, BIG)}, "do not fit together"),
        ("nb", {"cell_terms": SUMS["cell_terms"] + 1}, "do not fit together"),
        ("nb", {"cell_terms": np.full_like(SUMS["cell_terms"], BIG)}, "do not fit together"),
        ("nb", {"cell_starts": changed(SUMS["cell_starts"], 1, -1)}, "do not fit together"),
        ("nb", {"cell_starts": changed(SUMS["cell_starts"], -1, BIG)}, "do not fit together"),
        ("nb", {"cell_sums": SUMS["cell_sums"][:1]}, "damaged"),
        ("nb", {"cell_sums": changed(SUMS["cell_sums"], (0, 0), NAN)}, "do not fit together"),
        ("nb", {"sums": changed(SUMS["sums"], (0, 0), np.inf)}, "do not fit together"),
        ("nb", {"cell_doc_freq": None}, "damaged"),
        ("tcfp", {"vote_weights": None}, "an array is missing"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"].astype(np.float32)}, "of another kind"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][:-1]}, "other shapes"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, NAN)}, "can't be"),
        ("tcfp", {"vote_weights": changed(VOTES["vote_weights"], 0, -1.0)}, "can't be"),
        ("tcfp", {"vote_weights": VOTES["vote_weights"][::-1].copy()}, "out of order"),
        ("tcfp", {"vote_starts": VOTES["vote_starts"][:0]}, "other shapes"),
        ("tcfp", {"vote_starts": VOTES["vote_starts"][:-1]}, "it is of 7 terms"),
        ("tcfp", {"vote_starts": changed(VOTES["vote_starts"], 1, BIG)}, "other shapes"),
        ("tcfp", {"vote_starts": np.append(VOTES["vote_starts"], VOTES["vote_starts"][-1])}, "it is of 9 terms"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, 3)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -2)}, "can't be"),
        ("tcfp", {"vote_classes": changed(VOTES["vote_classes"], 0, -1)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, 0)}, "can't be"),
        ("tcfp", {"vote_counts": changed(VOTES["vote_counts"], 0, BIG)}, "can't be"),
        ("tcfp", {"class_docs": VOTES["class_docs"] + 1}, "other numbers of documents"),
        ("tcfp", {"class_docs": VOTES["class_docs"].reshape(1, -1)}, "other shapes"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else None,
)
def test_arrays_that_can_not_be(way: str, arrays: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve\.stats is not sound: .*({said})"):
        decode(forged(way, **arrays), TRAINED[way].model_, "news.sieve.stats")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ({"way": "pickle"}, "way is 'pickle'"),
        ({"way": "votes"}, "an array is missing"),
        ({"several": 1}, "several is 1"),
        ({"n_documents": -1}, "n_documents is -1"),
        ({"n_documents": 1}, "do not fit together"),
        ({"n_documents": 1.5}, r"n_documents is 1\.5"),
        ({"n_documents": 1 << 80}, "n_documents is"),
        ({"n_unlabelled": 51}, "more documents have no label than there are"),
        ({"more": 1}, "its header has"),
    ],
    ids=str,
)
def test_headers_that_can_not_be(header: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=rf"^news\.sieve\.stats is not sound: .*{said}"):
        decode(forged("nb", header), TRAINED["nb"].model_, "news.sieve.stats")


def test_a_class_that_counts_too_often_is_of_no_document() -> None:
    """A document of m classes has an entry of 1 - m; one that takes all away is forged."""
    votes = {name: VOTES[name] for name in ("vote_starts", "vote_weights", "vote_classes", "vote_counts")}
    forged_votes = {
        "vote_starts": votes["vote_starts"] + np.append(0, np.ones(8, np.int64)),
        "vote_weights": np.insert(votes["vote_weights"], 0, votes["vote_weights"][0]),
        "vote_classes": np.insert(votes["vote_classes"], 0, -1),
        "vote_counts": np.insert(votes["vote_counts"], 0, -1000),
    }
    with pytest.raises(InputError, match="a weight is of no document"):
        decode(forged("tcfp", **forged_votes), TRAINED["tcfp"].model_, "news.sieve.stats")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"stats": "../../etc/passwd"}, "stats is"),
        ({"stats": 7}, "stats is 7"),
        ({"updated": {"documents": -1, "times": 1, "last": "x"}}, "updated is"),
        ({"updated": {"documents": 1, "times": 1}}, "updated is"),
        ({"updated": "yesterday"}, "updated is 'yesterday'"),
    ],
    ids=str,
)
def test_what_a_model_says_of_its_updates_is_checked(about: dict[str, Any], said: str) -> None:
    model = TRAINED["nb"].model_
    with pytest.raises(InputError, match=f"what it says about itself is not what textsieve writes: {said}"):
        encode_model(replace(model, about={**model.about, **about}))


# -- files that are no files, or too large -----------------------------------------------------------------------


def cost_of_refusing(path: Path, said: str) -> int:
    """The most memory that an update takes which can't read its statistics."""
    model = load(path)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said):
            model.update(*MORE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
@pytest.mark.parametrize("suffix", [".stats", ".stats.new"])
def test_a_pipe_at_the_place_of_statistics_raises_and_stays(suffix: str, tmp_path: Path) -> None:
    path = written(tmp_path)
    updated = load(path).update(*MORE)
    place = Path(f"{path}{suffix}")
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    if suffix == ".stats":
        with pytest.raises(
            InputError, match=r"news\.sieve\.stats is a pipe or a device, not a file of kept statistics"
        ):
            load(path).update(*MORE)
    else:
        load(path).update(*MORE)
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"{place} can't be written: it is .* a pipe or a device; move it away"):
        updated.save(path)
    assert place.is_fifo()
    assert path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there are no such devices on this system")
def test_a_device_at_the_place_of_statistics_raises(tmp_path: Path) -> None:
    path = written(tmp_path)
    os.unlink(f"{path}.stats")
    os.symlink("/dev/zero", f"{path}.stats")
    assert cost_of_refusing(path, "is a pipe or a device, not a file of kept statistics") < 1_000_000


def test_new_statistics_are_not_written_through_a_link(tmp_path: Path) -> None:
    path = written(tmp_path)
    other = tmp_path / "other.txt"
    other.write_text("kept")
    os.symlink(other, f"{path}.stats.new")
    with pytest.raises(InputError, match=r"news\.sieve\.stats\.new can't be written: it is .* a link"):
        load(path).update(*MORE).save(path)
    assert other.read_text() == "kept"


def large(path: Path, head: bytes, size: int) -> None:
    """A file that has this beginning, and takes no room on the disk."""
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(size)


def test_a_large_file_that_is_no_statistics_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path)
    for size in (3 << 30, 5 << 30):
        large(Path(f"{path}.stats"), b"", size)
        assert cost_of_refusing(path, "does not begin as one|has at most 4,294,967,296") < 1_000_000


GB = 1 << 30


@pytest.mark.parametrize(
    ("way", "shapes", "said"),
    [
        ("nb", {"more": ("F64", [GB // 8])}, "its arrays are"),
        ("nb", {"without": ("I64", [GB // 8])}, "without is not a number for each class"),
        ("nb", {"folded": ("U8", [GB])}, "documents were folded in"),
        ("nb", {"doc_freq": ("I64", [GB // 8])}, "terms"),
        ("nb", {"sums": ("F64", [2, GB // 16])}, "do not fit together"),
        ("nb", {"cell_terms": ("I64", [GB // 8])}, "do not fit together"),
        ("nb", {"cell_starts": ("I64", [GB // 8])}, "do not fit together"),
        ("nb", {"class_docs": ("I64", [GB // 8])}, "do not fit together"),
        ("tcfp", {"more": ("F64", [GB // 8])}, "an array is missing, is unknown"),
        ("tcfp", {"vote_starts": ("I64", [GB // 8])}, "terms"),
        ("tcfp", {"vote_weights": ("F64", [GB // 8])}, "other shapes"),
        ("tcfp", {"class_docs": ("I64", [GB // 8])}, "other shapes"),
    ],
)
def test_arrays_that_can_not_be_are_refused_before_they_are_read(
    way: str, shapes: dict[str, tuple[str, list[int]]], said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, way)
    outer = json.loads(WHOLE[way][8 : 8 + int.from_bytes(WHOLE[way][:8], "little")])
    outer |= {name: {"dtype": dtype, "shape": shape} for name, (dtype, shape) in shapes.items()}
    end = 0
    for name, array in outer.items():
        if name != "__metadata__":
            size = int(np.prod(array["shape"])) * int(array["dtype"][1:]) // 8
            array["data_offsets"] = [end, end + size]
            end += size
    encoded = json.dumps(outer).encode()
    large(Path(f"{path}.stats"), len(encoded).to_bytes(8, "little") + encoded, 8 + len(encoded) + end)
    assert cost_of_refusing(path, rf"news\.sieve\.stats is not sound: .*{said}") < 2_000_000


def test_statistics_of_another_model_are_not_read(tmp_path: Path) -> None:
    """Those of the model wait under the new name, and are found."""
    path = written(tmp_path)
    os.replace(f"{path}.stats", f"{path}.stats.new")
    Path(f"{path}.stats").write_bytes(WHOLE["tcfp"])
    load(path).update(*MORE)
    os.unlink(f"{path}.stats.new")
    with pytest.raises(InputError, match=r"news\.sieve\.stats (has the statistics of other terms|is not sound)"):
        load(path).update(*MORE)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name on this system")
def test_a_pipe_at_the_place_of_the_model_raises_before_statistics_are_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "news.sieve")
    (tmp_path / "link.sieve").symlink_to("news.sieve")
    for name in ("news.sieve", "link.sieve"):
        with pytest.raises(InputError, match=rf"{name} is a device or a pipe, and a model is written to a file"):
            TRAINED["nb"].save(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["link.sieve", "news.sieve"]
    assert (tmp_path / "news.sieve").is_fifo()
