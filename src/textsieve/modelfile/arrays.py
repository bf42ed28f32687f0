"""The arrays of a model file, and the rules for their types, shapes and values.

`ARRAYS` lists the arrays that do not depend on the scorer. A scorer adds its own arrays. The statistics for `update`
add arrays whose names begin with `statistics.`. The only words of training texts in the file are the selected terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive import Archive, Arrays, Specs
from ..arrays import Floats, Ints
from ..classifiers.scorer import Scorer, scorer_type
from ..classifiers.sparse_linear import SparseLinearScorer
from ..errors import InputError
from ..evaluation import calibration
from ..evaluation.calibration import Calibration, JointCalibration
from ..prediction import Model
from ..settings import is_whole
from ..text.analysis import Analysis
from ..text.front_coding import front_decode, join_terms, may_share
from ..text.weights import IDF_STEPS, MAX_IDF
from .header import ALL_TERMS_KIND, Rule, check_header, check_rules, field_rules, list_names

STATISTICS_PREFIX = "statistics."

ARRAYS: dict[str, type[np.generic]] = {
    "terms": np.uint8,  # UTF-8, separated by line feeds
    "term_prefixes": np.uint8,  # only if `is_sparse`: the bytes shared with the term before, see `text.front_coding`
    "idf": np.float64,  # absent if the weighting has no idf
    "idf_steps": np.uint8,  # only if `is_sparse`, instead of `idf`: idf times `text.weights.IDF_STEPS`
    "thresholds": np.float64,  # absent unless a multilabel model uses thresholds
    "class_docs": np.int64,
    "calibration_indptr": np.int64,  # absent without probabilities, like the next two, or with a joint calibration
    "calibration_knots": np.float64,
    "calibration_values": np.float64,
}
"""The arrays of all models, and their types."""

# A model file may lack these arrays:
OPTIONAL = {
    "term_prefixes",
    "idf",
    "idf_steps",
    "thresholds",
    "calibration_indptr",
    "calibration_knots",
    "calibration_values",
}


def is_sparse(model: Model) -> bool:
    """Return whether a model is stored in the compressed format: if training dropped most of its coefficients.

    In the file of such a model, terms are sorted, so that they can be front-coded, and everything is compressed.
    """
    return isinstance(model.scorer, SparseLinearScorer)


def arrays_of(model: Model) -> Arrays:
    """Return the arrays of a model by name, including those of its scorer, for a file.

    If `is_sparse`, the terms and all arrays with an entry for each term are sorted by term, so that neighbouring terms
    share their first bytes.
    """
    if isinstance(model.scorer, SparseLinearScorer):
        order = np.array(sorted(range(len(model.terms)), key=model.terms.__getitem__), np.int64)
        model = _reorder(model, model.scorer, order)
    encoded = _encode_terms(model.terms, model.analysis)
    arrays: dict[str, NDArray[Any] | None] = dict.fromkeys(ARRAYS)  # in this order; None: not in the file
    if is_sparse(model):
        arrays["term_prefixes"], encoded = join_terms(encoded.split(b"\n") if encoded else [])
        arrays["idf_steps"] = None if model.idf is None else (model.idf * IDF_STEPS).astype(np.uint8)
    else:
        arrays["idf"] = model.idf
    arrays["terms"] = np.frombuffer(encoded, np.uint8)
    arrays["thresholds"] = model.thresholds
    arrays["class_docs"] = np.array(model.class_docs, np.int64)
    if model.calibration is not None:
        arrays |= model.calibration.stored_arrays()
    assert arrays.keys() == ARRAYS.keys()
    scorer_arrays = model.scorer.stored_arrays()
    assert not scorer_arrays.keys() & arrays.keys()
    return {name: array for name, array in arrays.items() if array is not None} | scorer_arrays


def _reorder(model: Model, scorer: SparseLinearScorer, order: Ints) -> Model:
    """Return the model with its terms in another order; `order` has the present column of each term."""
    idf = None if model.idf is None else model.idf[order]
    terms = tuple(model.terms[column] for column in order.tolist())
    return replace(model, terms=terms, idf=idf, scorer=scorer.take(order))


def strongest_first(model: Model) -> Model:
    """Return the model with its terms in the order that they had before `arrays_of` sorted them."""
    if not isinstance(model.scorer, SparseLinearScorer):
        return model
    return _reorder(model, model.scorer, model.scorer.strongest_first(model.terms))


_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n"})
_UNESCAPED = {"\\\\": "\\", "\\n": "\n"}
_ESCAPE = re.compile(r"\\.?")  # also matches a lone backslash at the end of a term, which `_UNESCAPED` does not have


def _encode_terms(terms: tuple[str, ...], analysis: Analysis) -> bytes:
    """Return terms as UTF-8, separated by line feeds; line feeds in terms are escaped if there can be some."""
    if analysis.may_have_line_feeds:
        terms = tuple(term.translate(_ESCAPES) for term in terms)
    if any("\n" in term for term in terms):
        raise InputError("A term contains a line feed, which separates terms in a model file.")
    try:
        return "\n".join(terms).encode()
    except UnicodeEncodeError as problem:
        raise InputError(
            f"A term can't be written as UTF-8: {problem}", hint="replace lone surrogates in the documents"
        ) from problem


def count_terms(arrays: Arrays) -> int:
    """Return the number of terms in the arrays of a file, without decoding them."""
    text_bytes = arrays["terms"]  # line feeds separate terms, also if these are front-coded
    return int(np.count_nonzero(text_bytes == ord("\n"))) + 1 if text_bytes.size else 0


def decode_terms(arrays: Arrays, name: str, analysis: Analysis) -> tuple[str, ...]:
    """Return the terms in the arrays of a file; `name` is the file's name in errors.

    Raises `InputError` if the terms are not front-coded, encoded or escaped as `arrays_of` does it.
    """
    encoded = arrays["terms"].tobytes()
    if "term_prefixes" in arrays and encoded:
        try:
            if not may_share(arrays["term_prefixes"], len(encoded)):
                raise ValueError("too many shared bytes")
            encoded = b"\n".join(front_decode(arrays["term_prefixes"], encoded.split(b"\n")))
        except ValueError as problem:
            raise InputError(f"not a sound model: term_prefixes has {problem}.", place=name) from problem
    try:
        text = encoded.decode()
    except UnicodeDecodeError as problem:
        raise InputError(f"not a sound model: its terms are not UTF-8 ({problem}).", place=name) from problem
    terms = tuple(text.split("\n")) if text else ()
    if not analysis.may_have_line_feeds:
        return terms
    try:
        return tuple(_ESCAPE.sub(lambda match: _UNESCAPED[match[0]], term) for term in terms)
    except KeyError as problem:
        raise InputError(f"not a sound model: its terms contain {problem.args[0]!r}.", place=name) from problem


def decode_idf(arrays: Arrays) -> Floats | None:
    """Return the idf in the arrays of a file, or None if it has none."""
    return arrays["idf_steps"] / IDF_STEPS if "idf_steps" in arrays else arrays.get("idf")


def restore_scorer(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, name: str) -> Scorer:
    """Return the scorer of a file; raise `InputError` if the values of its arrays are not valid."""
    with _naming_file(name):
        kind, settings, scorer_arrays = _scorer_parts(header, arrays)
        return kind.restore(settings, scorer_arrays, n_terms, len(header["classes"]))


def restore_calibration(
    header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], name: str
) -> Calibration | JointCalibration | None:
    """Return the calibration of a file, or None if it has none.

    Raises `InputError` if only the header or only the arrays have one, or if its values are not valid.
    """
    curves = _calibration_parts(arrays)
    if header["calibration"] is None and not curves:
        return None
    with _naming_file(name):
        return calibration.restore(header["calibration"], curves, len(header["classes"]))


def _scorer_parts(
    header: Mapping[str, Any], arrays: Mapping[str, Any]
) -> tuple[type[Scorer], dict[str, Any], dict[str, Any]]:
    """Return the class of a file's scorer, its settings, and its part of `arrays`, which may be arrays or their specs.

    All arrays that are not in `ARRAYS` belong to the scorer; callers leave out those of the statistics.
    """
    settings = {key: value for key, value in header["scorer"].items() if key != "kind"}
    scorer_arrays = {name: array for name, array in arrays.items() if name not in ARRAYS}
    return scorer_type(header["scorer"].get("kind")), settings, scorer_arrays


def _calibration_parts(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of `arrays` that belongs to the calibration; they may be arrays or their specs."""
    return {name: array for name, array in arrays.items() if name.startswith("calibration_")}


@contextmanager
def _naming_file(name: str) -> Iterator[None]:
    """Add the name of the file to an `InputError` about its scorer or its calibration."""
    try:
        yield
    except InputError as problem:
        raise InputError(f"not a sound model: {problem}.", place=name) from problem


# -- before the arrays are read ----------------------------------------------------------------------------------


def check_declared(archive: Archive, *, only_fast_patterns: bool = False) -> list[str]:
    """Check the header, and the names, types and shapes of all arrays, before any array is read.

    Returns the names of the arrays that predicting reads. Raises `InputError` if the file can't be a model. For
    `only_fast_patterns`, see `header.check_header`.
    """
    header, name = archive.header, archive.name
    check_header(header, name, only_fast_patterns=only_fast_patterns)
    specs = {key: spec for key, spec in archive.specs.items() if not key.startswith(STATISTICS_PREFIX)}
    has_statistics = len(specs) < len(archive.specs)
    section = header["statistics"]
    describes_statistics = section is not None and section["kind"] != ALL_TERMS_KIND  # those have a file of their own
    problem = "it has arrays of statistics without their description, or the other way round"
    check_rules([Rule(has_statistics == describes_statistics, problem)], name)
    check_rules(_spec_rules(header, specs), name)
    n_classes = len(header["classes"])
    with _naming_file(name):
        kind, settings, scorer_specs = _scorer_parts(header, specs)
        n_terms = kind.check_declared(settings, scorer_specs, n_classes)
        curves = _calibration_parts(specs)
        if header["calibration"] is not None or curves:
            calibration.check_declared(header["calibration"], curves, n_classes)
    check_rules(_size_rules(specs, n_terms), name)
    return list(specs)


def _spec_rules(header: Mapping[str, Any], specs: Specs) -> Iterator[Rule]:
    """Yield the rules for the arrays common to all models; the scorer checks its own."""
    n_classes = len(header["classes"])
    yield Rule(set(ARRAYS) - OPTIONAL <= set(specs), f"its arrays are {list_names(specs)}, not {list_names(ARRAYS)}")
    for name, dtype in ARRAYS.items():
        if name in specs:
            actual_dtype, n_dimensions = specs[name].dtype, len(specs[name].shape)
            fits = n_dimensions == 1 and actual_dtype == dtype
            yield Rule(fits, f"{name} is {actual_dtype} with {n_dimensions} dimensions")
    yield Rule(specs["class_docs"].size == n_classes, "class_docs is not a number for each class")
    fits = "thresholds" not in specs or specs["thresholds"].size == n_classes
    yield Rule(fits, "thresholds is not a number for each class")
    yield _label_rule(header["multilabel"], "thresholds" in specs, header["ranks"] is not None)
    is_joint = header["calibration"] == calibration.JOINT
    yield Rule(not (is_joint and header["multilabel"]), "its calibration is for one label per document")


def _size_rules(specs: Specs, n_terms: int) -> Iterator[Rule]:
    """Yield the rules for sizes that depend on the number of terms that the scorer declares."""
    n_bytes = specs["terms"].size
    fits = n_bytes >= 2 * n_terms - 1 if n_terms else n_bytes == 0  # at least a byte per term, and line feeds between
    yield Rule(fits, f"its scorer is for {n_terms:,} terms, and terms has {n_bytes:,} bytes")
    for name in ("idf", "idf_steps", "term_prefixes"):
        fits = name not in specs or specs[name].size == n_terms
        yield Rule(fits, f"{name} is not a number for each of {n_terms:,} terms")
    yield Rule(not {"idf", "idf_steps"} <= set(specs), "it has idf twice")


# -- after the arrays are read, and before a model is written ----------------------------------------------------


def check_model(model: Model, name: str) -> None:
    """Raise `InputError` if the parts of a model don't fit together.

    The check takes at most as much additional memory as the model has.
    """
    check_rules(chain(field_rules(vars(model)), _class_rules(model), _term_rules(model), _number_rules(model)), name)


def _class_rules(model: Model) -> Iterator[Rule]:
    """Yield the rules for the numbers of documents of the classes."""
    yield Rule(len(model.class_docs) == len(model.classes), "class_docs is not a number for each class")
    are_counts = all(is_whole(n) and 0 <= n < 1 << 63 for n in model.class_docs)
    yield Rule(are_counts, "class_docs has a value that is no number of documents")
    # The probabilities of documents without a selected term are shares of the classes.
    has_shares = sum(model.class_docs) > 0 or not isinstance(model.calibration, JointCalibration)
    yield Rule(has_shares, "it has probabilities, but no training document")


def _term_rules(model: Model) -> Iterator[Rule]:
    """Yield the rules for the terms."""
    yield Rule(all(model.terms), "it has an empty term")
    yield Rule(len(set(model.terms)) == len(model.terms), "it has a term twice")


def _number_rules(model: Model) -> Iterator[Rule]:
    """Yield the rules for scorer outputs, idf and thresholds."""
    n_terms, n_classes = len(model.terms), len(model.classes)
    # If each document has one of two classes, a single output is enough: its sign decides.
    allowed = (1, 2) if n_classes == 2 and not model.multilabel else (n_classes,)
    n_outputs = model.scorer.n_outputs
    yield Rule(n_outputs in allowed, f"its scorer has {n_outputs} outputs (intercepts) for {n_classes} classes")
    if model.idf is not None:
        yield _shape_rule("idf", model.idf, np.float64, (n_terms,))
        fits = bool(((model.idf >= 0.0) & (model.idf <= MAX_IDF)).all())  # also rejects NaN
        yield Rule(fits, f"an idf is not finite, or not from 0 to {MAX_IDF:g}")
    yield _label_rule(model.multilabel, model.thresholds is not None, model.ranks is not None)
    if model.thresholds is not None:
        yield _shape_rule("thresholds", model.thresholds, np.float64, (n_classes,))
        yield Rule(not np.isnan(model.thresholds).any(), "a threshold is NaN")


def _label_rule(multilabel: bool, has_thresholds: bool, has_ranks: bool) -> Rule:
    """Return the rule that a multilabel model turns scores into labels by thresholds or ranks, others by neither."""
    is_right = has_thresholds != has_ranks if multilabel else not (has_thresholds or has_ranks)
    return Rule(is_right, "it must have either thresholds or ranks if it is multilabel, and otherwise neither")


def _shape_rule(name: str, array: NDArray[Any], dtype: type[np.generic], shape: tuple[int, ...]) -> Rule:
    """Return the rule that an array has this type and shape."""
    fits = array.shape == shape and array.dtype == dtype
    return Rule(fits, f"{name} is {array.dtype} of shape {array.shape}, not {np.dtype(dtype)} of {shape}")
