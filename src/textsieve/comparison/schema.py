"""The fields of each kind of line in a results file, and their allowed values.

Each line is checked once, when it is read. So no other code has to expect a negative fold, an F1 of 5 or a list of the
wrong length, and a damaged or hostile file raises an error that names the line instead of failing somewhere later.

A table such as `ROW` has a `Check` for each field alone. Rules about several fields, or about a field and the header,
are in the functions below the tables. A value that breaks a check or a rule raises `ValueError` with a message that
says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from ..errors import counted, shown
from ..evaluation.confidence import MINIMA
from ..evaluation.confusions import MAX_EXAMPLE_CHARACTERS
from ..strict_json import are_classes
from .examples import MAX_DOCUMENTS, MAX_PAIRS
from .splits import SPLITS

Record = Mapping[str, Any]

MAX_WHOLE = 1 << 53
"""2^53: all integers up to it are exact as floats."""
MAX_SECONDS = 1e10


class Check(NamedTuple):
    """The allowed values of a field: as text for messages, and as a test."""

    allowed: str
    holds: Callable[[Any], bool]


class FieldRule(NamedTuple):
    """Whether a rule about several values holds, and the message of the error if it does not."""

    holds: bool
    message: str


# -- kinds of values ---------------------------------------------------------------------------------------------


def is_count(value: Any, least: int = 0) -> bool:
    """Return whether a value is an integer, and not a bool, from `least` to `MAX_WHOLE`."""
    return type(value) is int and least <= value <= MAX_WHOLE


def is_number(value: Any) -> bool:
    """Return whether a value is a finite float, or an integer (not a bool) of at most `MAX_WHOLE` in absolute value."""
    return (type(value) is float and math.isfinite(value)) or (type(value) is int and abs(value) <= MAX_WHOLE)


def is_share(value: Any) -> bool:
    """Return whether a value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


def is_label(value: Any) -> bool:
    """Return whether a value can be the name of a class."""
    return isinstance(value, str | int | float) and value == value  # NaN does not equal itself


def is_size(value: Any) -> bool:
    """Return whether a value is a number of terms, a share of all terms, or "all"."""
    return is_count(value, least=1) or (type(value) is float and 0.0 < value < 1.0) or value == "all"


def is_list(value: Any, holds: Callable[[Any], bool]) -> bool:
    """Return whether a value is a list of values for which a test holds."""
    return isinstance(value, list) and all(map(holds, value))


def is_record(value: Any, *tests: Callable[[Any], bool]) -> bool:
    """Return whether a value is a list with one item for each test, and each item passes its test."""
    if not isinstance(value, list) or len(value) != len(tests):
        return False
    return all(holds(item) for holds, item in zip(tests, value, strict=True))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_positive(value: Any) -> bool:
    return is_count(value, least=1)


def _is_triple(value: Any) -> bool:
    return is_record(value, is_count, is_count, is_count)


def _is_ranked_term(value: Any) -> bool:
    """Return whether a value is a rank, a term and its score, or null if scores are not stored."""
    return is_record(value, _is_positive, _is_text, lambda score: score is None or is_number(score))


def _is_class_with_terms(value: Any) -> bool:
    """Return whether a value is a class and the ranked terms that indicate it."""
    return is_record(value, is_label, lambda terms: is_list(terms, _is_ranked_term))


def _are_positions(value: Any) -> bool:
    """Return whether a value is a list of positions of example documents, at most `MAX_DOCUMENTS`."""
    return is_list(value, is_count) and len(value) <= MAX_DOCUMENTS


def _is_confused_pair(value: Any) -> bool:
    """Return whether a value is the numbers of a true and a predicted class, and example documents."""
    return is_record(value, is_count, is_count, lambda documents: is_list(documents, _is_document))


def _is_document(value: Any) -> bool:
    """Return whether a value is the place of an example document and the beginning of its text."""
    return is_record(value, _is_text, _is_beginning)


def _is_pair_of_counts(value: Any) -> bool:
    return is_record(value, is_count, is_count)


def _is_beginning(value: Any) -> bool:
    """Return whether a value is a text that is short enough to be the beginning of an example document."""
    return isinstance(value, str) and len(value) <= MAX_EXAMPLE_CHARACTERS


TEXT = Check("text", _is_text)
COUNT = Check("a whole number from 0", is_count)
POSITIVE = Check("a whole number from 1", _is_positive)
SHARE = Check("a number from 0 to 1", is_share)
SECONDS = Check(f"a number from 0 to {MAX_SECONDS:g}", lambda value: is_number(value) and 0 <= value <= MAX_SECONDS)
SIZE = Check('a whole number from 1, a share between 0.0 and 1.0, or "all"', is_size)
LABELS = Check("a list of classes", lambda value: is_list(value, is_label))
TRIPLES = Check("a list of triples of whole numbers from 0", lambda value: is_list(value, _is_triple))
OBJECT = Check("an object", lambda value: isinstance(value, dict))


def nullable(check: Check) -> Check:
    """Return a check that also allows null."""
    return Check(f"{check.allowed}, or null", lambda value: value is None or check.holds(value))


# -- tables ------------------------------------------------------------------------------------------------------

FIGURES: dict[str, Check] = {
    "n_selected": COUNT,
    "micro_f1": SHARE,
    "macro_f1": SHARE,
    "accuracy": SHARE,
    "unknown": COUNT,
    "selection_seconds": SECONDS,
    "training_seconds": SECONDS,
    "prediction_seconds": SECONDS,
    "model_bytes": POSITIVE,
    "by_class": TRIPLES,
    "confusion": TRIPLES,
    "mistakes": TEXT,
    "examples": Check(
        "a list of pairs of classes with positions of documents",
        lambda value: is_list(value, lambda pair: is_record(pair, is_count, is_count, _are_positions)),
    ),
    "confidence": Check(
        f"a list of {len(MINIMA) + 1} pairs of whole numbers from 0",
        lambda value: is_list(value, _is_pair_of_counts) and len(value) == len(MINIMA) + 1,
    ),
}
"""The fields of a row that are null if there was a problem."""
FOR_SINGLE_LABELS = ("confusion", "examples", "confidence")
"""The figures that are null if multilabel."""
ALWAYS_NULLABLE = ("confidence",)
"""The figures that may be null in any row."""

ROW: dict[str, Check] = {
    "fold": COUNT,
    "selector": TEXT,
    "n_terms": SIZE,
    "classifier": TEXT,
    "n_seen": COUNT,
    "trained_on": POSITIVE,
    "documents": COUNT,
    "missing_classes": LABELS,
    "problem": nullable(TEXT),
    "threads": nullable(POSITIVE),
    "cores": nullable(POSITIVE),
    **{name: nullable(check) for name, check in FIGURES.items()},
}

SELECTION: dict[str, Check] = {
    "fold": COUNT,
    "selector": TEXT,
    "n_terms": SIZE,
    "n_seen": COUNT,
    "terms": nullable(Check("a list of terms", lambda value: is_list(value, _is_text))),
}

RANKING: dict[str, Check] = {
    "fold": COUNT,
    "selector": TEXT,
    "n_terms": nullable(SIZE),
    "n_ranked": COUNT,
    "energy": nullable(
        Check(
            "a list of pairs of a number of terms and a share",
            lambda value: is_list(value, lambda point: is_record(point, _is_positive, is_share)),
        )
    ),
    "by_class": Check(
        "a list of classes with ranks, terms and scores", lambda value: is_list(value, _is_class_with_terms)
    ),
}

EXAMPLES: dict[str, Check] = {
    "selector": TEXT,
    "n_terms": SIZE,
    "classifier": TEXT,
    "pairs": Check(
        f"a list of at most {MAX_PAIRS} pairs of classes with places and texts of {MAX_EXAMPLE_CHARACTERS} characters",
        lambda value: is_list(value, _is_confused_pair) and len(value) <= MAX_PAIRS,
    ),
}

HEADER: dict[str, Check] = {
    "textsieve_comparison": POSITIVE,
    "corpus": TEXT,
    "documents": POSITIVE,
    "classes": Check("a sorted list of different classes", are_classes),
    "multilabel": Check("true or false", lambda value: isinstance(value, bool)),
    "form": TEXT,
    "split": OBJECT,
    "settings": OBJECT,
    "versions": Check(
        "an object of names and versions",
        lambda value: (
            isinstance(value, dict) and all(version is None or _is_text(version) for version in value.values())
        ),
    ),
    "started": TEXT,
    "fingerprint": TEXT,
}

SPLIT: dict[str, Check] = {
    "by": Check(f"one of {', '.join(SPLITS)}", lambda value: _is_text(value) and value in SPLITS),
    "folds": POSITIVE,
}
OPTIONAL_SPLIT: dict[str, Check] = {
    "repeats": POSITIVE,
    "test_share": SHARE,
    "seed": Check("a whole number from 0", lambda value: type(value) is int and value >= 0),
    "overlapping": Check("true or false", lambda value: isinstance(value, bool)),
}
"""Fields that only some ways of splitting have."""


# -- checks of whole lines ---------------------------------------------------------------------------------------


def check_header(header: Record) -> None:
    """Check the header, which is the first line of a file, and the description of the split in it."""
    _check_fields(header, HEADER)
    split = header["split"]
    _check_fields(split, SPLIT, OPTIONAL_SPLIT)
    # `splits.describe_split` needs these fields for these ways of splitting.
    required = {"shuffled folds": "repeats", "random": "test_share"}.get(split["by"])
    if required is not None and required not in split:
        raise ValueError(f"split has no {required}")
    if split["folds"] % split.get("repeats", 1):
        raise ValueError(f"folds is {split['folds']:,}, which {split['repeats']:,} repeats do not divide")


def check_row(row: Record, header: Record) -> None:
    """Check a row against the header of its file."""
    _check_fields(row, ROW)
    _check_fold(row, header)
    _check_rules(_row_rules(row, header))
    if row["problem"] is None:
        _check_rules(_figure_rules(row, header))


def _row_rules(row: Record, header: Record) -> Iterator[FieldRule]:
    """Yield the rules for all rows, whether they have figures or a problem."""
    n_tested, n_all = row["documents"], header["documents"]
    yield FieldRule(row["trained_on"] + n_tested <= n_all, f"it has more documents than the {n_all:,} of the corpus")
    classes = set(map(class_key, header["classes"]))
    yield FieldRule(
        classes.issuperset(map(class_key, row["missing_classes"])), "missing_classes has a class of no document"
    )
    multilabel = header["multilabel"]
    may_be_null = FOR_SINGLE_LABELS if multilabel else ALWAYS_NULLABLE
    null_figures = [name for name in FIGURES if row[name] is None and name not in may_be_null]
    if row["problem"] is None:
        yield FieldRule(not null_figures, f"there is no problem, but {', '.join(null_figures)} is null")
        for name in FOR_SINGLE_LABELS:
            yield FieldRule(not multilabel or row[name] is None, f"{name} is only for one label per document")
    else:
        yield FieldRule(all(row[name] is None for name in FIGURES), "it has figures and a problem")


def _figure_rules(row: Record, header: Record) -> Iterator[FieldRule]:
    """Yield the rules for the figures of a row without a problem."""
    n_tested, n_classes = row["documents"], len(header["classes"])
    yield FieldRule(
        row["n_selected"] <= row["n_seen"], f"n_selected is {row['n_selected']:,} of {counted(row['n_seen'], 'term')}"
    )
    yield FieldRule(row["unknown"] <= n_tested, f"unknown is {row['unknown']:,} of {counted(n_tested, 'document')}")
    yield FieldRule(
        len(row["by_class"]) == n_classes,
        f"by_class has {counted(len(row['by_class']), 'class', 'classes')}, and there are {n_classes:,}",
    )
    yield FieldRule(
        all(
            hits <= min(predicted, true) and max(predicted, true) <= n_tested
            for hits, predicted, true in row["by_class"]
        ),
        "by_class has more documents than there are",
    )
    if row["confusion"] is not None:
        yield from _confusion_rules(row["confusion"], n_classes, n_tested)
    for true, predicted, positions in row["examples"] or ():
        yield FieldRule(
            max(true, predicted) < n_classes and true != predicted,
            f"examples has no mistake of the {n_classes:,} classes",
        )
        yield FieldRule(
            all(position < header["documents"] for position in positions), "examples has a document beyond the last"
        )
    if row["confidence"] is not None:
        yield from _confidence_rules(row["confidence"], n_tested)


def _confusion_rules(confusion: list[list[int]], n_classes: int, n_tested: int) -> Iterator[FieldRule]:
    """Yield the rules for a confusion matrix, given as triples of true class, predicted class and documents."""
    pairs = [(true, predicted) for true, predicted, _ in confusion]
    yield FieldRule(all(max(pair) < n_classes for pair in pairs), f"confusion has a class beyond the {n_classes:,}")
    yield FieldRule(len(set(pairs)) == len(pairs), "confusion has a pair of classes twice")
    n_confused = sum(count for *_, count in confusion)
    yield FieldRule(n_confused == n_tested, f"confusion has {n_confused:,} documents, and {n_tested:,} were tested")


def _confidence_rules(pairs: list[list[int]], n_tested: int) -> Iterator[FieldRule]:
    """Yield the rules for the counts of a `Confidence`.

    `pairs` says for each minimum probability, ascending from 0, how many labels reach it, and how many of these are
    right.
    """
    n_counted = pairs[0][0]
    yield FieldRule(0 < n_counted <= n_tested, f"confidence has {n_counted:,} of {n_tested:,} documents")
    # The labels between a minimum and the next, which are in the first of two successive pairs but not the second.
    bands = [
        (certain - more_certain, right - more_right)
        for (certain, right), (more_certain, more_right) in pairwise((*pairs, [0, 0]))
    ]
    yield FieldRule(
        all(0 <= n_right <= n_labels for n_labels, n_right in bands),
        "confidence has more right labels than documents, or more documents of a higher probability",
    )


def check_selection(selection: Record, header: Record) -> None:
    """Check the selected terms of a fold against the header of their file."""
    _check_fields(selection, SELECTION)
    _check_fold(selection, header)
    terms, n_seen = selection["terms"], selection["n_seen"]
    if terms is not None and len(terms) > n_seen:
        raise ValueError(f"it has {counted(len(terms), 'term')} of {n_seen:,}")
    if terms is not None and len(set(terms)) < len(terms):
        raise ValueError("it has a term twice")


def check_ranking(ranking: Record, header: Record) -> None:
    """Check the ranking of a fold against the header of its file."""
    _check_fields(ranking, RANKING)
    _check_fold(ranking, header)
    labels = [class_key(label) for label, _ in ranking["by_class"]]
    if len(set(labels)) < len(labels):
        raise ValueError("it has a class twice")
    largest_rank = max((rank for _, terms in ranking["by_class"] for rank, *_ in terms), default=0)
    if largest_rank > ranking["n_ranked"]:
        raise ValueError(f"a term has rank {largest_rank:,} of {ranking['n_ranked']:,}")


def check_examples(examples: Record, header: Record) -> None:
    """Check the example documents of a combination against the header of their file."""
    _check_fields(examples, EXAMPLES)
    pairs = [(true, predicted) for true, predicted, _ in examples["pairs"]]
    if any(max(pair) >= len(header["classes"]) or pair[0] == pair[1] for pair in pairs):
        raise ValueError("pairs has no mistake of two classes of the header")
    if len(set(pairs)) < len(pairs):
        raise ValueError("it has a pair of classes twice")
    if any(len(documents) > MAX_DOCUMENTS for *_, documents in examples["pairs"]):
        raise ValueError(f"a pair has more than {MAX_DOCUMENTS} documents")


def _check_fold(record: Record, header: Record) -> None:
    """Check that the number of a fold is below the number of folds in the header."""
    n_folds = header["split"]["folds"]
    if record["fold"] >= n_folds:
        raise ValueError(f"fold is {record['fold']:,}, and the {counted(n_folds, 'fold')} are numbered from 0")


def _check_fields(record: Any, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> None:
    """Check the fields of an object against the tables; those in `optional` may be missing."""
    if not isinstance(record, dict):
        raise ValueError(f"{shown(record)} is no object")
    checks = {**required, **(optional or {})}
    for name in required:
        if name not in record:
            raise ValueError(f"it has no {name}")
    for name, value in record.items():
        if name not in checks:
            raise ValueError(f"it has an unknown field {shown(name)}")
        if not checks[name].holds(value):
            raise ValueError(f"{name} is {shown(value)}; it must be {checks[name].allowed}")


def _check_rules(rules: Iterable[FieldRule]) -> None:
    """Raise `ValueError` with the message of the first rule that does not hold."""
    for rule in rules:
        if not rule.holds:
            raise ValueError(rule.message)


def class_key(label: Any) -> tuple[str, Any]:
    """Return a key that distinguishes the classes 1, 1.0 and true, which are equal in Python."""
    return type(label).__name__, label
