"""The statistics to which `update` adds documents: in the model file, or in a file next to it.

**In the model file** are the statistics of the selected terms (`training.statistics`): a section `statistics` of the
header, and arrays whose names begin with `statistics.`, of which the section has a checksum. The arrays are the table
from which the classifier learns, the number of documents of each class without a selected term, and digests of the
documents that updates added (`training.corrections`). They contain no term and no text. Predicting does not read
the arrays, and does not import this module.

**In a file of their own** are the statistics of all terms (`training.full_statistics`): `news.sieve.stats` for
`news.sieve`. They contain all words of the training documents, which a model file must not contain. The header of this
file has the time of the last update, the user's own stop words, and the classes and numbers of documents of each part
(`FullStatistics.parts`). Its arrays are the terms and tables of each part, and the digests of the added documents.

The model file has the digest of the file of statistics that belongs to it. So the statistics of another model, or from
before or after another update, are never used.

The two files can't be replaced in one step. So the new statistics are first written as `news.sieve.stats.new`, then the
model is replaced, and then the statistics are renamed. If a process is killed in between, the statistics that belong to
the model are in one of the two files, and readers look into both. The next process that writes the model first renames
new statistics whose model is already in place (`writing._finish_interrupted_write`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..archive import COPY_AGAIN, Archive, Arrays, ArraySpec, Header, Kind, Specs, archive_in, checksum_of, pack
from ..classifiers.vote_table import check_declared as check_declared_votes
from ..classifiers.vote_table import restore_votes, vote_arrays
from ..errors import InputError, Setting, shown
from ..prediction import Label, Model
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.table import check_declared as check_declared_sums
from ..stats.table import restore_table, table_arrays
from ..strict_json import are_classes
from ..training.corrections import DIGEST
from ..training.full_statistics import CollectionStats, FullStatistics
from ..training.statistics import ClassSums, ClassVotes, Statistics
from .arrays import STATISTICS_PREFIX, check_declared
from .header import ALL_TERMS_KIND, MAX_BYTES, Rule
from .reading import ModelFile, open_model
from .writing import new_statistics_path, statistics_path

Value = TypeVar("Value")


def read_statistics(model: Model, file: ModelFile) -> Statistics | FullStatistics:
    """Return the statistics of a model that was read from a file; raise `InputError` if the file has changed since.

    Statistics of all terms are read from their own file, next to the model.
    """
    with open_model(file.path) as archive:
        if archive.digest != file.digest:
            raise InputError("the file has changed since the model was read", place=file.path, hint="load it again")
        section = archive.header["statistics"]
        if section is None or section["kind"] != ALL_TERMS_KIND:
            return decode_statistics(archive, model)
    return read_full(file.path, section["digest"], model.classes)


def _check_statistics(rules: Iterable[Rule], name: str) -> None:
    """Raise `InputError` for the first broken rule of the statistics in the file `name`."""
    for rule in rules:
        if not rule.holds:
            raise InputError(f"the statistics are not sound: {rule.problem}", place=name, hint=COPY_AGAIN)


@contextmanager
def _naming_statistics(name: str) -> Iterator[None]:
    """Add the name of the file to an `InputError` about its statistics."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"the statistics are not sound: {problem}", place=name, hint=COPY_AGAIN) from problem


def _with_prefix(prefix: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values whose names begin with a prefix, by the rest of their names: `0.terms` becomes `terms`."""
    return {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}


def _encode_digests(digests: Iterable[bytes]) -> NDArray[np.uint8]:
    """Return digests of documents, all of `DIGEST` bytes, as one array, sorted."""
    return np.frombuffer(b"".join(sorted(digests)), np.uint8)


def _decode_digests(array: NDArray[np.uint8]) -> frozenset[bytes]:
    """Return the digests of documents that `_encode_digests` has joined."""
    joined = array.tobytes()
    return frozenset(joined[start : start + DIGEST] for start in range(0, len(joined), DIGEST))


# -- in the model file ------------------------------------------------------------------------------------------------


COMMON_ARRAYS = {"docs_without_terms": np.int64, "document_digests": np.uint8}
"""The arrays of all kinds of statistics; each kind adds those of its table."""


def encode_statistics(statistics: Statistics, model: Model) -> tuple[dict[str, Any], Arrays]:
    """Return the statistics of a model as a section of the header and arrays."""
    learned = statistics.learned
    if isinstance(learned, ClassSums):
        # `ClassStats` has no flag `multilabel`, so the file says false.
        kind, multilabel, table = "class_sums", False, table_arrays(learned.table.table)
    else:
        kind, multilabel, table = "votes", learned.table.multilabel, vote_arrays(learned.table)
    common = {
        "docs_without_terms": statistics.docs_without_terms,
        "document_digests": _encode_digests(statistics.added_digests),
    }
    assert common.keys() == COMMON_ARRAYS.keys()
    arrays = {STATISTICS_PREFIX + name: np.ascontiguousarray(array) for name, array in {**table, **common}.items()}
    section = {
        "kind": kind,
        "multilabel": multilabel,
        "n_documents": statistics.n_documents,
        "n_unlabelled": statistics.n_unlabelled,
        "checksum": checksum_of(arrays),
    }
    _check_statistics(_value_rules(statistics, model), "statistics")
    return section, arrays


def decode_statistics(archive: Archive, model: Model) -> Statistics:
    """Return the statistics of the model in an archive.

    Names, types and shapes of the arrays are checked before any of them is read.
    """
    check_declared(archive)
    section, name = archive.header["statistics"], archive.name
    if section is None:
        raise InputError("the model has no statistics", place=name, hint="train it again with keep_stats=True")
    _check_specs(section, _with_prefix(STATISTICS_PREFIX, archive.specs), model, name)
    names = [key for key in archive.specs if key.startswith(STATISTICS_PREFIX)]
    arrays = archive.read_additional(names, section["checksum"])
    with _naming_statistics(name):
        statistics = _restore(section, _with_prefix(STATISTICS_PREFIX, arrays), model)
    _check_statistics(_value_rules(statistics, model), name)
    return statistics


def _check_specs(section: Mapping[str, Any], specs: Specs, model: Model, name: str) -> None:
    """Raise `InputError` if names, types or shapes of arrays are not those of statistics of this model."""
    n_classes = len(model.classes)
    _check_statistics(_spec_rules(section, specs, n_classes), name)
    table_specs = {key: spec for key, spec in specs.items() if key not in COMMON_ARRAYS}
    with _naming_statistics(name):
        if section["kind"] == "class_sums":
            n_terms = check_declared_sums(table_specs, n_classes)
        else:
            n_terms = check_declared_votes(table_specs, n_classes)
    fits = n_terms == len(model.terms)
    _check_statistics([Rule(fits, f"they are of {n_terms:,} terms, and the model has {len(model.terms):,}")], name)


def _spec_rules(section: Mapping[str, Any], specs: Specs, n_classes: int) -> Iterator[Rule]:
    """Yield the rules for the types and shapes of the common arrays."""
    for name, dtype in COMMON_ARRAYS.items():
        spec = specs.get(name)
        yield Rule(spec is not None, f"{name} is missing")
        if spec is not None:
            fits = len(spec.shape) == 1 and spec.dtype == dtype
            yield Rule(fits, f"{name} is {spec.dtype} of shape {spec.shape}")
    yield Rule(specs["docs_without_terms"].size == n_classes, "docs_without_terms is not a number for each class")
    n_bytes = specs["document_digests"].size
    yield Rule(n_bytes % DIGEST == 0, f"document_digests is not {DIGEST} bytes for each document")
    n_added, n_documents = n_bytes // DIGEST, section["n_documents"]
    yield Rule(n_added <= n_documents, f"there are {n_added:,} digests and {n_documents:,} documents")


def _restore(section: Mapping[str, Any], arrays: Arrays, model: Model) -> Statistics:
    """Return the statistics of a model, given their section of the header and their arrays.

    The names of the arrays are without `STATISTICS_PREFIX`.
    """
    n_classes, n_documents, n_unlabelled = len(model.classes), section["n_documents"], section["n_unlabelled"]
    learned: ClassSums | ClassVotes
    if section["kind"] == "class_sums":
        learned = ClassSums(ClassStats(restore_table(range(n_classes), n_documents - n_unlabelled, arrays)))
    else:
        learned = ClassVotes(restore_votes(arrays, n_classes, multilabel=section["multilabel"]))
    digests = _decode_digests(arrays["document_digests"])
    return Statistics(learned, arrays["docs_without_terms"], n_documents, n_unlabelled, digests)


def _value_rules(statistics: Statistics, model: Model) -> Iterator[Rule]:
    """Yield the rules for the numbers of documents of each class, which must agree with the model."""
    class_docs, docs_without_terms = statistics.class_docs, statistics.docs_without_terms
    is_same = tuple(class_docs.tolist()) == model.class_docs
    yield Rule(is_same, "their classes have other numbers of documents than those of the model")
    are_counts = bool(((docs_without_terms >= 0) & (docs_without_terms <= class_docs)).all())
    yield Rule(are_counts, "docs_without_terms has a value that is no number of documents")


# -- of all terms, in a file of their own -----------------------------------------------------------------------------


FILE_KIND = Kind("textsieve.Statistics", 1, "a file of statistics of a textsieve model")

LABELLED = "labelled"
TABLES = (LABELLED, "of_no_class", "unlabelled")
"""The tables of a part, as in `CollectionStats`; all but the first are left out if they have no documents."""

HEADER_KEYS = {"format", "version", "checksum", "when", "stop_words", "parts"}
PART_KEYS = {"classes", "n_documents"}
"""The keys of a part in the header: a list of classes, and a mapping from tables to their numbers of documents."""
DIGESTS = "document_digests"
"""The name of the array of digests. The arrays of part 0 have names such as `0.terms` and `0.labelled.sums`."""


def encode_full(statistics: FullStatistics) -> bytes:
    """Return the statistics as the bytes of a file."""
    arrays: Arrays = {DIGESTS: _encode_digests(statistics.added_digests)}
    parts = []
    for number, part in enumerate(statistics.parts):
        named_tables = zip(TABLES, part.tables, strict=True)
        tables = {name: table for name, table in named_tables if name == LABELLED or table.n_documents}
        n_documents = {name: table.n_documents for name, table in tables.items()}
        parts.append({"classes": list(part.labelled.classes), "n_documents": n_documents})
        arrays[f"{number}.terms"] = np.frombuffer(_encode_terms(part.terms), np.uint8)
        for name, table in tables.items():
            arrays |= {f"{number}.{name}.{key}": array for key, array in table_arrays(table.table).items()}
    stop_words = None if statistics.stop_words is None else list(statistics.stop_words)
    header = {"when": statistics.when.isoformat(), "stop_words": stop_words, "parts": parts}
    data = pack(FILE_KIND, header, arrays)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the statistics have {len(data):,} bytes, and a file of them may have {MAX_BYTES:,}",
            hint=("use ", Setting("keep_stats", True), ", or forget more"),
        )
    return data


def digest_of(data: bytes) -> str:
    """Return the digest of a file of statistics, by which the file of its model refers to it."""
    return archive_in(FILE_KIND, data, "statistics").digest


_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n"})


def _encode_terms(terms: tuple[str, ...]) -> bytes:
    """Return terms as UTF-8, each with a line feed after it; backslashes and line feeds in terms are escaped."""
    return "".join(f"{term.translate(_ESCAPES)}\n" for term in terms).encode(errors="surrogatepass")


def read_full(model_path: str, digest: str, classes: tuple[Label, ...]) -> FullStatistics:
    """Return the statistics that belong to a model, given the digest of the statistics in its file, and its classes."""
    path = statistics_path(model_path)
    existing_paths = [name for name in (path, new_statistics_path(model_path)) if os.path.exists(name)]
    if not existing_paths:
        raise InputError(
            "this file is missing, and an update of the model needs it: it has the statistics of all terms",
            place=path,
            hint=f"copy it there from where the model was, or train again. Predicting with {model_path} works without "
            "it",
        )
    first_problem: InputError | None = None
    for name in existing_paths:
        try:
            with open_model(name, FILE_KIND) as archive:
                if archive.digest == digest:
                    statistics = _decode_full(archive)
                    has_classes = statistics.collection.classes == classes
                    _check_statistics([Rule(has_classes, "they are of other classes than the model")], name)
                    return statistics
        except InputError as problem:
            first_problem = first_problem or problem
    if first_problem is not None:
        raise first_problem
    raise InputError(
        f"these statistics do not belong to {model_path}: they are of another model, or from before or after an update",
        place=path,
        hint="copy both files again from where they were together, or train again",
    )


def _decode_full(archive: Archive) -> FullStatistics:
    """Return the statistics in an archive; names, types and shapes are checked before any array is read."""
    header, name = archive.header, archive.name
    _check_statistics(_full_header_rules(header), name)
    n_terms_of_parts = _check_full_arrays(header, archive.specs, name)
    arrays = archive.read()
    with _naming_statistics(name):
        parts = tuple(
            _restore_part(part, _with_prefix(f"{number}.", arrays), n_terms)
            for number, (part, n_terms) in enumerate(zip(header["parts"], n_terms_of_parts, strict=True))
        )
    stop_words = None if header["stop_words"] is None else tuple(header["stop_words"])
    added_digests = _decode_digests(arrays[DIGESTS])
    return FullStatistics(parts, datetime.fromisoformat(header["when"]), stop_words, added_digests)


def _full_header_rules(header: Header) -> Iterator[Rule]:
    """Yield the rules for the header of a file of statistics."""
    yield Rule(set(header) == HEADER_KEYS, f"the header has {shown(sorted(header), 200)}")
    yield Rule(_is_moment(header["when"]), f"the time of the last update is {shown(header['when'])}")
    words = header["stop_words"]
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    yield Rule(are_words, f"the stop words are {shown(words)}")
    parts = header["parts"]
    yield Rule(isinstance(parts, list) and len(parts) > 0, f"the parts are {shown(parts)}")
    for part in parts:
        yield Rule(isinstance(part, dict) and set(part) == PART_KEYS, f"a part is {shown(part)}")
        classes, sizes = part["classes"], part["n_documents"]
        yield Rule(classes == [] or are_classes(classes), f"the classes are {shown(classes)}")
        has_names = isinstance(sizes, dict) and LABELLED in sizes and set(sizes) <= set(TABLES)
        yield Rule(has_names, f"the numbers of documents are {shown(sizes)}")
        are_numbers = all(is_whole(number) or isinstance(number, float) for number in sizes.values())
        yield Rule(are_numbers, f"the numbers of documents are {shown(sizes)}")


def _is_moment(text: object) -> bool:
    """Return whether a text is a time in UTC as `encode_full` writes it."""
    try:
        return isinstance(text, str) and datetime.fromisoformat(text).tzinfo == UTC
    except ValueError:
        return False


def _check_full_arrays(header: Header, specs: Specs, name: str) -> list[int]:
    """Raise `InputError` if arrays are missing or of other types or shapes; return the number of terms of each part."""
    digests = specs.get(DIGESTS)
    are_digests = _are_bytes(digests) and digests.size % DIGEST == 0
    _check_statistics([Rule(are_digests, "the digests are not sound")], name)
    known_names = {DIGESTS}
    n_terms_of_parts = []
    for number, part in enumerate(header["parts"]):
        part_specs = _with_prefix(f"{number}.", specs)
        _check_statistics([Rule(_are_bytes(part_specs.get("terms")), "the terms of a part are missing")], name)
        known_names.add(f"{number}.terms")
        numbers_of_terms = set()
        for table, n_documents in part["n_documents"].items():
            table_specs = _with_prefix(f"{table}.", part_specs)
            known_names.update(f"{number}.{table}.{key}" for key in table_specs)
            count_type = np.int64 if is_whole(n_documents) else np.float64
            with _naming_statistics(name):
                numbers_of_terms.add(check_declared_sums(table_specs, _n_classes(table, part), count_type))
        has_one_number = len(numbers_of_terms) == 1
        _check_statistics([Rule(has_one_number, "the tables of a part have different numbers of terms")], name)
        n_terms_of_parts.append(numbers_of_terms.pop())
    unknown = sorted(set(specs) - known_names)
    _check_statistics([Rule(not unknown, f"there are other arrays: {shown(unknown, 200)}")], name)
    return n_terms_of_parts


def _are_bytes(spec: ArraySpec | None) -> TypeGuard[ArraySpec]:
    """Return whether there is an array, and it has bytes in one dimension."""
    return spec is not None and spec.dtype == np.uint8 and len(spec.shape) == 1


def _n_classes(table: str, part: Mapping[str, Any]) -> int:
    """Return the number of classes of a table: those of the part, or one or none in the tables without labels."""
    return len(part["classes"]) if table == LABELLED else int(table == "of_no_class")


def _restore_part(part: Mapping[str, Any], arrays: Arrays, n_terms: int) -> CollectionStats:
    """Return a part, given its section of the header and its arrays; raise `InputError` if these contradict each other.

    The names of the arrays are without the number of the part.
    """
    terms = _decode_terms(arrays["terms"].tobytes())
    if len(terms) != n_terms or any(first >= second for first, second in pairwise(terms)):
        raise InputError("the terms are not sorted, or not as many as the tables have")
    tables = dict.fromkeys(TABLES, ClassStats.zero(n_terms))
    for name, n_documents in part["n_documents"].items():
        classes = part["classes"] if name == LABELLED else range(_n_classes(name, part))
        tables[name] = ClassStats(restore_table(classes, n_documents, _with_prefix(f"{name}.", arrays)))
    return CollectionStats(terms, *tables.values())


def _decode_terms(encoded: bytes) -> tuple[str, ...]:
    """Return the terms that `_encode_terms` wrote."""
    try:
        text = encoded.decode(errors="surrogatepass")
    except UnicodeDecodeError as problem:
        raise InputError(f"the terms are not UTF-8 ({problem})") from problem
    if text and not text.endswith("\n"):
        raise InputError("the last term has no end")
    lines = text.split("\n")[:-1]
    return tuple(map(_unescape, lines) if "\\" in text else lines)


def _unescape(term: str) -> str:
    """Return a term without escapes; a backslash that escapes nothing known stays."""
    if "\\" not in term:
        return term
    return "\\".join(part.replace("\\n", "\n") for part in term.split("\\\\"))
