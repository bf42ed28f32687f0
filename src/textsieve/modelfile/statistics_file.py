"""The file of its own for the statistics of all terms, next to the model: `news.sieve.stats` for `news.sieve`.

The statistics of all terms (`training.full_statistics`) have all words of the training documents, which a model file
must not have. So they are an archive by themselves. The header has the time of the last update, the user's own stop
words, and the classes and numbers of documents of each part; the arrays are the terms and tables of each part, and
digests of the documents that updates added (`document_digests`).

The model file has the digest of the statistics that belong to it. So a file of another model, or of another time, is
never used. The two files can't be replaced at once. So the new statistics are first written as `news.sieve.stats.new`,
then the model is replaced, and then the statistics are renamed. If a process is killed in between, the statistics that
belong to the model are in one of the two files, and readers look into both. The next process that writes the model
first renames statistics that still wait (`writing._finish_interrupted_write`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from ..archive import COPY_AGAIN, Archive, Arrays, Header, Kind, Specs, archive_in, pack
from ..errors import InputError, Setting, shown
from ..settings import is_whole
from ..stats import ClassStats
from ..stats.codec import check_declared, restore_table, table_arrays
from ..strict_json import are_classes
from ..training.corrections import DIGEST
from ..training.full_statistics import CollectionStats, FullStatistics
from .header import MAX_BYTES, Rule
from .reading import open_model
from .writing import new_statistics_path, statistics_path

KIND = Kind("textsieve.Statistics", 1, "a file of statistics of a textsieve model")

TABLES = ("labelled", "of_no_class", "unlabelled")
"""The tables of a part; one without documents is left out, except for the first."""

HEADER = {"format", "version", "checksum", "when", "stop_words", "parts"}
PART = {"classes", "n_documents"}
DIGESTS = "document_digests"


# -- writing -----------------------------------------------------------------------------------------------------


def encode_full(statistics: FullStatistics) -> bytes:
    """Return the bytes of the file."""
    arrays: Arrays = {DIGESTS: np.frombuffer(b"".join(sorted(statistics.added_digests)), np.uint8)}
    parts = []
    for number, part in enumerate(statistics.parts):
        stored = [name for name, table in _tables(part) if name == TABLES[0] or table.n_documents]
        parts.append(
            {
                "classes": list(part.labelled.classes),
                "n_documents": {name: table.n_documents for name, table in _tables(part) if name in stored},
            }
        )
        arrays[f"{number}.terms"] = np.frombuffer(_encode_terms(part.terms), np.uint8)
        for name, table in _tables(part):
            if name in stored:
                arrays |= {f"{number}.{name}.{key}": array for key, array in table_arrays(table.table).items()}
    stop_words = None if statistics.stop_words is None else list(statistics.stop_words)
    header = {"when": statistics.when.isoformat(), "stop_words": stop_words, "parts": parts}
    data = pack(KIND, header, arrays)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the statistics have {len(data):,} bytes, and a file of them may have {MAX_BYTES:,}",
            hint=("use ", Setting("keep_stats", True), ", or forget more"),
        )
    return data


def digest_of(data: bytes) -> str:
    """Return the digest of a file of statistics, which the file of its model has."""
    return archive_in(KIND, data, "statistics").digest


def _tables(part: CollectionStats) -> list[tuple[str, ClassStats]]:
    return list(zip(TABLES, part.tables, strict=True))


_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n"})


def _encode_terms(terms: tuple[str, ...]) -> bytes:
    """Return terms as UTF-8, each with a line feed after it; backslashes and line feeds in terms are escaped."""
    return "".join(f"{term.translate(_ESCAPES)}\n" for term in terms).encode(errors="surrogatepass")


# -- reading -----------------------------------------------------------------------------------------------------


def read_full(model_path: str, digest: str, is_of_model: Any) -> FullStatistics:
    """Return the statistics that belong to a model, given the digest in its file.

    `is_of_model` is called with the statistics, and returns whether they can be those of the model.
    """
    path = statistics_path(model_path)
    found = [name for name in (path, new_statistics_path(model_path)) if os.path.exists(name)]
    if not found:
        raise InputError(
            "this file is missing, and an update of the model needs it: it has the statistics of all terms",
            place=path,
            hint=f"copy it there from where the model was, or train again. Predicting with {model_path} works without "
            "it",
        )
    problem: InputError | None = None
    for name in found:
        try:
            with open_model(name, KIND) as archive:
                if archive.digest == digest:
                    statistics = _decode(archive)
                    _check([Rule(is_of_model(statistics), "they are of other classes than the model")], name)
                    return statistics
        except InputError as error:
            problem = problem or error
    if problem is not None:
        raise problem
    raise InputError(
        f"these statistics do not belong to {model_path}: they are of another model, or from before or after an update",
        place=path,
        hint="copy both files again from where they were together, or train again",
    )


def _decode(archive: Archive) -> FullStatistics:
    """Return the statistics in an archive; names, types and shapes are checked before any array is read."""
    header, name = archive.header, archive.name
    _check(_header_rules(header), name)
    n_terms = _check_arrays(header, archive.specs, name)
    arrays = archive.read()
    try:
        parts = tuple(
            _restore_part(part, number, arrays, n_terms[number]) for number, part in enumerate(header["parts"])
        )
    except InputError as problem:
        raise InputError(f"the statistics are not sound: {problem}", place=name, hint=COPY_AGAIN) from problem
    digests = arrays[DIGESTS].tobytes()
    stop_words = None if header["stop_words"] is None else tuple(header["stop_words"])
    added = frozenset(digests[start : start + DIGEST] for start in range(0, len(digests), DIGEST))
    return FullStatistics(parts, datetime.fromisoformat(header["when"]), stop_words, added)


def _header_rules(header: Header) -> Iterator[Rule]:
    """Yield the rules for the header."""
    yield Rule(set(header) == HEADER, f"the header has {shown(sorted(header), 200)}")
    yield Rule(_is_moment(header["when"]), f"the time of the last update is {shown(header['when'])}")
    words = header["stop_words"]
    are_words = words is None or (isinstance(words, list) and all(isinstance(word, str) for word in words))
    yield Rule(are_words, f"the stop words are {shown(words)}")
    parts = header["parts"]
    yield Rule(isinstance(parts, list) and len(parts) > 0, f"the parts are {shown(parts)}")
    for part in parts:
        yield Rule(isinstance(part, dict) and set(part) == PART, f"a part is {shown(part)}")
        classes, sizes = part["classes"], part["n_documents"]
        yield Rule(classes == [] or are_classes(classes), f"the classes are {shown(classes)}")
        has_names = isinstance(sizes, dict) and TABLES[0] in sizes and set(sizes) <= set(TABLES)
        yield Rule(has_names, f"the numbers of documents are {shown(sizes)}")
        are_numbers = all(is_whole(number) or isinstance(number, float) for number in sizes.values())
        yield Rule(are_numbers, f"the numbers of documents are {shown(sizes)}")


def _is_moment(text: object) -> bool:
    """Return whether a text is a time in UTC as `encode_full` writes it."""
    try:
        return isinstance(text, str) and datetime.fromisoformat(text).tzinfo == UTC
    except ValueError:
        return False


def _check_arrays(header: Header, specs: Specs, name: str) -> list[int]:
    """Raise `InputError` if arrays are missing or of other types or shapes; return the number of terms of each part."""
    unknown, n_terms = set(specs), []
    digests = specs.get(DIGESTS)
    is_sound = digests is not None and digests.dtype == np.uint8 and len(digests.shape) == 1
    _check([Rule(is_sound and digests is not None and digests.size % DIGEST == 0, "the digests are not sound")], name)
    unknown.discard(DIGESTS)
    for number, part in enumerate(header["parts"]):
        terms = specs.get(f"{number}.terms")
        is_text = terms is not None and terms.dtype == np.uint8 and len(terms.shape) == 1
        _check([Rule(is_text, "the terms of a part are missing")], name)
        unknown.discard(f"{number}.terms")
        sizes = set()
        for table, n_documents in part["n_documents"].items():
            prefix = f"{number}.{table}."
            table_specs = {key.removeprefix(prefix): spec for key, spec in specs.items() if key.startswith(prefix)}
            unknown -= {prefix + key for key in table_specs}
            n_classes = _n_classes(table, part)
            count_type = np.int64 if is_whole(n_documents) else np.float64
            try:
                sizes.add(check_declared(table_specs, n_classes, count_type))
            except InputError as problem:
                raise InputError(f"the statistics are not sound: {problem}", place=name, hint=COPY_AGAIN) from problem
        _check([Rule(len(sizes) == 1, "the tables of a part have different numbers of terms")], name)
        n_terms.append(sizes.pop())
    _check([Rule(not unknown, f"there are other arrays: {shown(sorted(unknown), 200)}")], name)
    return n_terms


def _n_classes(table: str, part: Mapping[str, Any]) -> int:
    """Return the number of classes of a table of a part."""
    return len(part["classes"]) if table == "labelled" else int(table == "of_no_class")


def _restore_part(part: Mapping[str, Any], number: int, arrays: Arrays, n_terms: int) -> CollectionStats:
    """Return a part from its arrays; raise `InputError` if these contradict each other."""
    terms = _decode_terms(arrays[f"{number}.terms"].tobytes())
    if len(terms) != n_terms or any(first >= second for first, second in pairwise(terms)):
        raise InputError("the terms are not sorted, or not as many as the tables have")
    tables = dict.fromkeys(TABLES, ClassStats.zero(n_terms))
    for name, n_documents in part["n_documents"].items():
        prefix = f"{number}.{name}."
        own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
        classes = part["classes"] if name == "labelled" else range(_n_classes(name, part))
        tables[name] = ClassStats(restore_table(classes, n_documents, own))
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


def _check(rules: Any, name: str) -> None:
    """Raise `InputError` for the first broken rule."""
    for rule in rules:
        if not rule.holds:
            raise InputError(f"the statistics are not sound: {rule.problem}", place=name, hint=COPY_AGAIN)
