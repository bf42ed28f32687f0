"""Store, in a model file, the statistics to which `update` adds documents.

They are stored as arrays whose names begin with `statistics.`, and as a section `statistics` of the header, which has a
checksum of these arrays. Predicting does not read the arrays, and does not import this module.

The arrays are the table from which the classifier learns, the number of documents of each class without a selected term
(`docs_without_terms`), and digests of the documents that updates added (`document_digests`). They contain no term and
no text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..archive import COPY_AGAIN, Archive, Arrays, Specs, checksum_of
from ..classifiers.vote_table import check_declared as check_declared_votes
from ..classifiers.vote_table import restore_votes, vote_arrays
from ..errors import InputError
from ..prediction import Model
from ..stats import ClassStats
from ..stats.codec import check_declared as check_declared_sums
from ..stats.codec import restore_table, table_arrays
from ..training.corrections import DIGEST
from ..training.full_statistics import FullStatistics
from ..training.statistics import ClassSums, ClassVotes, Statistics
from .arrays import STATISTICS_PREFIX, check_declared
from .header import ALL_TERMS_KIND, Rule
from .reading import ModelFile, open_model
from .statistics_file import read_full

COMMON_ARRAYS = {"docs_without_terms": np.int64, "document_digests": np.uint8}
"""The arrays of all kinds of statistics; each kind adds those of its table."""


def encode_statistics(statistics: Statistics, model: Model) -> tuple[dict[str, Any], Arrays]:
    """Return the section of the header and the arrays for the statistics of a model."""
    learned = statistics.learned
    if isinstance(learned, ClassSums):
        # `ClassStats` has no flag `multilabel`, so the file says false.
        kind, multilabel, table = "class_sums", False, table_arrays(learned.table.table)
    else:
        kind, multilabel, table = "votes", learned.table.multilabel, vote_arrays(learned.table)
    digests = np.frombuffer(b"".join(sorted(statistics.added_digests)), np.uint8)
    common = dict(zip(COMMON_ARRAYS, (statistics.docs_without_terms, digests), strict=True))
    arrays = {STATISTICS_PREFIX + name: np.ascontiguousarray(array) for name, array in {**table, **common}.items()}
    section = {
        "kind": kind,
        "multilabel": multilabel,
        "n_documents": statistics.n_documents,
        "n_unlabelled": statistics.n_unlabelled,
        "checksum": checksum_of(arrays),
    }
    _check(_value_rules(statistics, model), "statistics")
    return section, arrays


def read_statistics(model: Model, file: ModelFile) -> Statistics | FullStatistics:
    """Return the statistics of a model that was read from a file; raise `InputError` if the file has changed since.

    Statistics of all terms are in a file of their own (`statistics_file`).
    """
    with open_model(file.path) as archive:
        if archive.digest != file.digest:
            raise InputError("the file has changed since the model was read", place=file.path, hint="load it again")
        section = archive.header["statistics"]
        if section is None or section["kind"] != ALL_TERMS_KIND:
            return decode_statistics(archive, model)
    return read_full(file.path, section["digest"], lambda statistics: statistics.collection.classes == model.classes)


def decode_statistics(archive: Archive, model: Model) -> Statistics:
    """Return the statistics of the model in an archive.

    Names, types and shapes of the arrays are checked before any of them is read.
    """
    check_declared(archive)
    section, name = archive.header["statistics"], archive.name
    if section is None:
        raise InputError("the model has no statistics", place=name, hint="train it again with keep_stats=True")
    names = [key for key in archive.specs if key.startswith(STATISTICS_PREFIX)]
    specs = {key.removeprefix(STATISTICS_PREFIX): archive.specs[key] for key in names}
    _check_specs(section, specs, model, name)
    arrays = archive.read_additional(names, section["checksum"])
    with _naming_file(name):
        statistics = _restore(
            section, {key.removeprefix(STATISTICS_PREFIX): array for key, array in arrays.items()}, model
        )
    _check(_value_rules(statistics, model), name)
    return statistics


def _check_specs(section: Mapping[str, Any], specs: Specs, model: Model, name: str) -> None:
    """Raise `InputError` if names, types or shapes of arrays can't be those of this model's statistics."""
    n_classes = len(model.classes)
    _check(_spec_rules(section, specs, n_classes), name)
    table_specs = {key: spec for key, spec in specs.items() if key not in COMMON_ARRAYS}
    with _naming_file(name):
        if section["kind"] == "class_sums":
            n_terms = check_declared_sums(table_specs, n_classes)
        else:
            n_terms = check_declared_votes(table_specs, n_classes)
    fits = n_terms == len(model.terms)
    _check([Rule(fits, f"they are of {n_terms:,} terms, and the model has {len(model.terms):,}")], name)


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
    """Return the statistics for the section of the header and the arrays, by names without the prefix."""
    n_classes, n_documents, n_unlabelled = len(model.classes), section["n_documents"], section["n_unlabelled"]
    learned: ClassSums | ClassVotes
    if section["kind"] == "class_sums":
        learned = ClassSums(ClassStats(restore_table(range(n_classes), n_documents - n_unlabelled, arrays)))
    else:
        learned = ClassVotes(restore_votes(arrays, n_classes, multilabel=section["multilabel"]))
    digest_bytes = arrays["document_digests"].tobytes()
    digests = frozenset(digest_bytes[start : start + DIGEST] for start in range(0, len(digest_bytes), DIGEST))
    return Statistics(learned, arrays["docs_without_terms"], n_documents, n_unlabelled, digests)


def _value_rules(statistics: Statistics, model: Model) -> Iterator[Rule]:
    """Yield the rules for the numbers of documents of each class, which must agree with the model."""
    class_docs, docs_without_terms = statistics.class_docs, statistics.docs_without_terms
    is_same = tuple(class_docs.tolist()) == model.class_docs
    yield Rule(is_same, "their classes have other numbers of documents than those of the model")
    are_counts = bool(((docs_without_terms >= 0) & (docs_without_terms <= class_docs)).all())
    yield Rule(are_counts, "docs_without_terms has a value that is no number of documents")


def _check(rules: Iterable[Rule], name: str) -> None:
    """Raise `InputError` for the first broken rule."""
    for rule in rules:
        if not rule.holds:
            raise InputError(f"the statistics are not sound: {rule.problem}", place=name, hint=COPY_AGAIN)


@contextmanager
def _naming_file(name: str) -> Iterator[None]:
    """Add the name of the file to an `InputError` about the table in it."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"the statistics are not sound: {problem}", place=name) from problem
