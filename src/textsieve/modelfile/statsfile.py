"""The statistics of a model in their own file, `news.sieve.stats` next to `news.sieve`.

Only `update` needs them, and they may be larger than the model. So the model file contains nothing of them but a
digest of the whole statistics file, `about["stats"]`. A model and statistics that do not belong together are never
mixed, even if one of the two was copied or restored.

The file has numbers by class and by the position of a term in the model, a digest of the terms and their weighting,
and digests of documents that were added by updates; it contains no term and no text.

Two files can't be replaced in one step. The new statistics are first written to `news.sieve.stats.new`. Then the model
is replaced, which is the moment when the update takes effect. Then the statistics are renamed. A process that is
killed in between leaves, at one of the two paths, statistics that fit the current model, and these are used.
Statistics left at the `.new` path are moved into place before they could be overwritten, or removed if the model was
never replaced.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha256

import numpy as np

from ..archive import AGAIN, ArchiveHeader, Arrays, Header, Kind, Specs, arrays_of, head_of, pack, read_file
from ..classifiers.vote_table import declared_terms as declared_terms_of_votes
from ..classifiers.vote_table import vote_arrays, votes_of
from ..errors import InputError, shown
from ..files import check_writable, mode_of, open_regular, replacing, settle, unwritable
from ..prediction import Model
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.codec import declared_terms as declared_terms_of_sums
from ..stats.codec import table_arrays, table_of
from ..text.words import stop_words_of
from ..training.document_digests import DIGEST
from ..training.statistics import ClassSums, ClassVotes, Statistics
from .layout import HeaderRule
from .reading import MOST_BYTES
from .reading import read as read_model
from .writing import write as write_model

KIND = Kind("textsieve.Statistics", 1, "a file of kept statistics")
HEADER = {*("format", "version", "checksum"), *("way", "several", "terms", "n_documents", "n_unlabelled")}
_CHUNK = 1 << 20
OWN = {"without": np.int64, "folded": np.uint8}


def places_of(path: str) -> tuple[str, str]:
    """Return the path of a model's statistics, and the path where new statistics wait to replace them."""
    beside = f"{os.path.realpath(path)}.stats"
    return beside, f"{beside}.new"


# -- bytes -------------------------------------------------------------------------------------------------------


def encode(statistics: Statistics, model: Model) -> bytes:
    """Return the statistics of a model as bytes; equal statistics give equal bytes."""
    learned = statistics.learned
    is_sums = isinstance(learned, ClassSums)
    header = {
        "way": "sums" if is_sums else "votes",
        "several": isinstance(learned, ClassVotes) and learned.table.multilabel,
        "terms": digest_of_terms(model),
        "n_documents": statistics.n_documents,
        "n_unlabelled": statistics.n_unlabelled,
    }
    table_arrays_by_name = (
        table_arrays(learned.table.table) if isinstance(learned, ClassSums) else vote_arrays(learned.table)
    )
    folded = np.frombuffer(b"".join(sorted(statistics.folded)), np.uint8)
    return pack(KIND, header, {**table_arrays_by_name, "without": statistics.without, "folded": folded})


def digest_of_terms(model: Model) -> str:
    """Return a digest of a model's terms and classes, how terms are found in texts, and how they are weighted."""
    digest = sha256()
    read = [model.lowercase, model.strip_accents, model.ngram_range, model.preparation.to_dict()]
    words = sorted(stop_words_of(model.stop_words)) if model.needs_stop_words else None
    for part in (model.terms, model.classes, model.labels, read, words, model.tf, model.norm):
        digest.update(json.dumps(part).encode() + b"\n")
    digest.update(b"" if model.idf is None else model.idf.tobytes())
    return digest.hexdigest()


def decode(data: bytes, model: Model, name: str) -> Statistics:
    """Return the statistics of a model encoded in some bytes; `name` is their name in errors."""
    head = head_of(KIND, data, name)
    check_head(head, model, name)
    return _decode(head, data, model, name)


def check_head(head: ArchiveHeader, model: Model, name: str) -> None:
    """Raise `InputError` if the header, or types or shapes of arrays, can't be those of this model's statistics.

    A file is checked this way before its arrays are read.
    """
    header, n_classes = head.header, len(model.classes)
    _check(_header_rules(header), name)
    if header["terms"] != digest_of_terms(model):
        raise InputError(f"{name} has the statistics of other terms than the model has; {_AGAIN_WITH_BOTH}")
    _check(_array_rules(header, head.specs, n_classes), name)
    table_specs = {array_name: spec for array_name, spec in head.specs.items() if array_name not in OWN}
    with _unsound(name):
        n_terms = (declared_terms_of_sums if header["way"] == "sums" else declared_terms_of_votes)(
            table_specs, n_classes
        )
    fits = n_terms == len(model.terms)
    _check([HeaderRule(fits, f"it is of {n_terms:,} terms, and the model has {len(model.terms):,}")], name)


def _decode(head: ArchiveHeader, data: bytes, model: Model, name: str) -> Statistics:
    arrays = arrays_of(head, data, name)
    with _unsound(name):
        statistics = _restored(head.header, arrays, model)
    _check(_number_rules(statistics, model), name)
    return statistics


@contextmanager
def _unsound(name: str) -> Iterator[None]:
    """Add the name of the file to an `InputError` about the table in it."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"{name} is not sound: {problem}") from problem


_AGAIN_WITH_BOTH = "copy both files from where they belong together, or train again."


def _restored(header: Header, arrays: Arrays, model: Model) -> Statistics:
    n_classes = len(model.classes)
    learned: ClassSums | ClassVotes
    if header["way"] == "sums":
        n_labelled = header["n_documents"] - header["n_unlabelled"]
        learned = ClassSums(ClassStats(table_of(range(n_classes), n_labelled, arrays)))
    else:
        learned = ClassVotes(votes_of(arrays, n_classes, multilabel=header["several"]))
    folded = arrays["folded"].tobytes()
    digests = frozenset(folded[at : at + DIGEST] for at in range(0, len(folded), DIGEST))
    return Statistics(learned, arrays["without"], header["n_documents"], header["n_unlabelled"], digests)


def _check(rules: Iterable[HeaderRule], name: str) -> None:
    for rule in rules:
        if not rule.holds:
            raise InputError(f"{name} is not sound: {rule.otherwise}. {AGAIN}")


def _header_rules(header: Header) -> Iterator[HeaderRule]:
    yield HeaderRule(set(header) == HEADER, f"its header has {shown(sorted(header), 200)}")
    yield HeaderRule(header["way"] in ("sums", "votes"), f"way is {shown(header['way'])}")
    yield HeaderRule(isinstance(header["several"], bool), f"several is {shown(header['several'])}")
    for name in ("n_documents", "n_unlabelled"):
        number = header[name]
        yield HeaderRule(is_whole(number) and 0 <= number < 1 << 31, f"{name} is {shown(number)}")
    yield HeaderRule(header["n_unlabelled"] <= header["n_documents"], "more documents have no label than there are")


def _array_rules(header: Header, specs: Specs, n_classes: int) -> Iterator[HeaderRule]:
    for name, dtype in OWN.items():
        spec = specs.get(name)
        yield HeaderRule(spec is not None, f"{name} is missing")
        if spec is not None:
            fits = len(spec.shape) == 1 and spec.dtype == dtype
            yield HeaderRule(fits, f"{name} is {spec.dtype} of shape {spec.shape}")
    yield HeaderRule(specs["without"].size == n_classes, "without is not a number for each class")
    yield HeaderRule(specs["folded"].size % DIGEST == 0, f"folded is not {DIGEST} bytes for each document")
    n_folded = specs["folded"].size // DIGEST
    fits = n_folded <= header["n_documents"]
    yield HeaderRule(fits, f"{n_folded:,} documents were folded in, and there are {header['n_documents']:,}")


def _number_rules(statistics: Statistics, model: Model) -> Iterator[HeaderRule]:
    class_docs, without = statistics.class_docs, statistics.without
    yield HeaderRule(tuple(class_docs.tolist()) == model.class_docs, "its classes have other numbers of documents")
    yield HeaderRule(
        bool(((without >= 0) & (without <= class_docs)).all()), "without has what is no number of documents"
    )


# -- files -------------------------------------------------------------------------------------------------------


def identity(data: bytes) -> str:
    """Return a digest that identifies the content of a file."""
    return sha256(data).hexdigest()


def read(model: Model, path: str) -> Statistics:
    """Return the statistics that belong to a model that was read from this path."""
    beside, waiting = places_of(path)
    try:
        return _read_at(beside, model, path)
    except InputError:
        if (statistics := _read_matching(waiting, model, path)) is None:
            raise
        return statistics


def _read_matching(place: str, model: Model, path: str) -> Statistics | None:
    """Return the statistics at a path, or None if they are not those that the model names."""
    with suppress(InputError):
        return _read_at(place, model, path)
    return None


def _read_at(place: str, model: Model, path: str) -> Statistics:
    try:
        head, data = read_file(KIND, place, max_bytes=MOST_BYTES, check=lambda head: check_head(head, model, place))
    except FileNotFoundError as problem:
        raise InputError(
            f"There is no file {place}, which has the statistics of {path}, so that it can't be updated; move it here "
            "from where the model was trained, or train again."
        ) from problem
    except OSError as problem:
        raise InputError(f"{place} can't be read: {problem.strerror or problem}.") from problem
    if identity(data) == model.about.get("stats"):
        return _decode(head, data, model, place)
    arrays_of(head, data, place)  # raises if the file is damaged
    raise InputError(f"{place} has the statistics of another model, or of another state of {path}; {_AGAIN_WITH_BOTH}")


def found_beside(model: Model, path: str) -> Statistics | None:
    """Return the statistics that belong to a model, or None if there are none."""
    try:
        return read(model, path)
    except InputError:
        return None


def state_of(path: str) -> str | None:
    """Return the digest of a model file, to detect whether it was replaced; None if it can't be read."""
    digest = sha256()
    try:
        with open_regular(path, what="a textsieve model", max_bytes=MOST_BYTES) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except (OSError, InputError):
        return None
    return digest.hexdigest()


def write(model: Model, statistics: Statistics, path: str, *, instead_of: str | None = None) -> None:
    """Write a model and its statistics, replacing existing ones.

    Raises `InputError` if the existing model is not in the state `instead_of` (see `state_of`). This is needed besides
    the lock, which does not stop somebody from copying another model to the path.
    """
    data = encode(statistics, model)
    beside, waiting = places_of(path)
    if len(data) > MOST_BYTES:
        raise InputError(
            f"The statistics have {len(data):,} bytes; a file has no more than {MOST_BYTES:,}. Use fewer terms, or "
            "leave keep_stats out."
        )
    if instead_of is not None and state_of(path) != instead_of:
        raise InputError(f"{path} is another model than the one that was read; nothing was written. Try again.")
    check_writable(path, what="a model")
    for place in (beside, waiting):
        _require_replaceable(place, may_be_link=place == beside)
    mend(path)
    try:
        with replacing(waiting, mode=_mode_for(path)) as file:
            file.write(data)
    except FileNotFoundError as problem:
        raise InputError(f"{beside} can't be written: there is no such folder; make it first.") from problem
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{beside} can't be written: {reason}. What was there is as it was.") from problem
    write_model(replace(model, about={**model.about, "stats": identity(data)}), path)
    _put_in_place(path)


def _require_replaceable(place: str, *, may_be_link: bool) -> None:
    """Raise `InputError` if something other than a file would be lost, or a link would be followed to another file."""
    if os.path.lexists(place) and not (os.path.isfile(place) and (may_be_link or not os.path.islink(place))):
        raise unwritable(place, "it is a folder, a link, a pipe or a device; move it away")


def _mode_for(path: str) -> int | None:
    """Return the file mode of new statistics: that of the old ones, or else of the model, never open to more users."""
    model, old = mode_of(path), mode_of(places_of(path)[0])
    if model is None or old is None:
        return old if model is None else model
    return old & (model | 0o700)


def mend(path: str) -> None:
    """Finish the work of a killed process that left `.stats.new`; the caller holds the lock of the model.

    Statistics that the model names are moved into place. They are removed if the model names the statistics that are in
    place: then the process was killed before it replaced the model.
    """
    beside, waiting = places_of(path)
    if os.path.islink(waiting) or not os.path.isfile(waiting):
        return
    with suppress(InputError):  # no model, or not its statistics: nothing is lost
        model = read_model(path)
        if _read_matching(waiting, model, path) is not None:
            _put_in_place(path)
        elif _read_matching(beside, model, path) is not None:
            os.unlink(waiting)


def _put_in_place(path: str) -> None:
    beside, waiting = places_of(path)
    os.replace(waiting, beside)
    settle(os.path.dirname(beside))
