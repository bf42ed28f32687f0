"""Describe a model: as a JSON object, or as lines and tables.

`train` prints this for a new model, and `info` for a model file. Other commands print parts of it.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from rich.filesize import decimal

from ..errors import counted
from ..evaluation.confidence import Confidence
from ..evaluation.validation import CurvePoint, smallest_within_one_error
from ..modelfile.sources import TrainingSource, UpdateMethod, sources_of
from ..prediction import Model
from ..presentation import presentation_of
from ..text.analysis import is_marked
from .messages import on_one_line
from .output import Column, Page, TermList, label_text, number_columns, show_marks, term_text

TERMS_PER_CLASS = 30
"""The number of strongest terms of each class; a table shows as many of them as fit on a line."""

MAX_SOURCES = 20
"""The maximum number of sources that are printed."""


def model_as_dict(model: Model, path: str, method: UpdateMethod) -> dict[str, Any]:
    """Return the description of a model and of its file at `path` as a JSON object.

    `method` says how `update` adds documents to the model.
    """
    terms = model.class_terms(TERMS_PER_CLASS)
    measures = _held_out_by_class(model)
    classes = [
        {
            "label": label,
            "documents": documents,
            **({} if model.thresholds is None else {"threshold": float(model.thresholds[index])}),
            **({} if label not in measures else {"held_out": _without("label", measures[label])}),
            "terms": [{"term": term, "strength": value} for term, value in terms[label]],
        }
        for index, (label, documents) in enumerate(zip(model.classes, model.class_docs, strict=True))
    ]
    held_out, sources = model.about.get("held_out"), sources_of(model)
    return {
        "file": path,
        "bytes": os.stat(path).st_size,
        "can_be_updated": method.name is not None,
        "update": {"method": method.name, "problem": method.problem or None},
        "multilabel": model.multilabel,
        "n_terms": len(model.terms),
        "weights": {"tf": model.tf, "idf": model.idf is not None, "norm": model.norm},
        "analysis": model.analysis.describe(),
        **model.about,
        # Replaces "held_out" of `about`, without the measures of each class, which are under "classes" below.
        "held_out": None if held_out is None else _without("classes", held_out),
        "sources": None if sources is None else [source_as_dict(source, path) for source in sources],
        "settings": model.settings,
        "classes": classes,
    }


def show_presentation(page: Page, model: Model) -> None:
    """Print the title, the description and the examples that the owner of the model gave; nothing if there are none."""
    presentation = presentation_of(model.settings)
    for name in ("title", "description"):
        if presentation[name] is not None:
            page.line(f"{name.capitalize()}: {on_one_line(presentation[name])}")
    for example in presentation["examples"]:
        page.line(f"Example: {on_one_line(example)}")


def source_as_dict(source: TrainingSource, path: str) -> dict[str, Any]:
    """Return a source of the model at `path` as a JSON object, with its path as seen from the working directory."""
    return source.to_dict() | {"name": source.location(path)}


def show_sources(page: Page, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print a line for each source of a model, given as `source_as_dict` returns it.

    For `update`, a source also has the key "changed": true or false, or None for a new source. If there are more than
    `MAX_SOURCES`, unchanged sources are only counted, and the first of the others are printed.
    """
    shown = sources
    if len(sources) > MAX_SOURCES:
        shown = [source for source in sources if source.get("changed") is not False]
        if n_unchanged := len(sources) - len(shown):
            page.line(f"{counted(n_unchanged, 'source')}, unchanged")
    for source in shown[:MAX_SOURCES]:
        kind = "Corrections" if source.get("corrections") else "Source"
        documents = "" if source["documents"] is None else f": {counted(source['documents'], 'document')}"
        page.line(f"{kind} {source['name']}{documents}{_change_text(source)}")
    if (n_more := len(shown) - MAX_SOURCES) > 0:
        page.line(f"and {counted(n_more, 'more source')}; --json lists all")


def _change_text(source: Mapping[str, Any]) -> str:
    """Return the end of a source's line, on what has changed in it since training; empty if nothing was compared."""
    if "changed" not in source:
        return ""
    if source["changed"] is None:
        return ", new"
    if not source["changed"]:
        return ", unchanged"
    n_before = source["documents_before"]
    before = "" if n_before in (None, source["documents"]) else f", when it had {counted(n_before, 'document')}"
    return f", changed since training{before}"


def selector_text(selector: str, about: Mapping[str, Any]) -> str:
    """Return the selector's name; for testors, with the thresholds ε and δ that were used.

    If no ε is given, training searches for the one that selects about the requested number of terms.
    """
    if not (testors := about.get("testors")):
        return selector
    return f"{selector} with epsilon {testors['epsilon']:.4g} and delta {testors['delta']:.4g}"


def _without(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the mapping without one of its keys."""
    return {key: value for key, value in values.items() if key != name}


def _held_out_by_class(model: Model) -> dict[Any, Mapping[str, Any]]:
    """Return the measures of each class on held-out documents, by its label; empty if nothing was measured."""
    return {row["label"]: row for row in (model.about.get("held_out") or {}).get("classes", ())}


def show_measures(page: Page, model: Model) -> None:
    """Print what training has measured, each part only if it was measured.

    The parts are the quality on held-out documents, the scores by the share of coefficients that are kept, the
    confidence in labels, and the scores by the number of terms.
    """
    if held_out := model.about.get("held_out"):
        _show_quality(page, model, held_out)
    if coefficients := model.about.get("coefficients"):
        _show_coefficients(page, coefficients)
    origin = " (from cross-validation, by models trained without them)"
    show_confidence(page, model.about.get("confidence"), "held-out document", origin)
    if curve := model.about.get("curve"):
        selected = smallest_within_one_error([CurvePoint(*point) for point in curve])
        rows = [
            (f"{n:,}", f"{score:.3f}", f"{error:.3f}", "selected" if n == selected else "") for n, score, error in curve
        ]
        page.table([*number_columns("terms", "score", "std. error"), Column("")], rows)


def _show_quality(page: Page, model: Model, held_out: Mapping[str, Any]) -> None:
    """Print the quality on held-out documents, which is that of a model trained on all other documents."""
    sample = model.about.get("n_tuned_on")
    of_sample = "" if sample is None else f" of a sample of {counted(sample, 'document')}"
    tested = f"{counted(held_out['documents'], 'held-out document')} ({held_out['share']:.0%}{of_sample})"
    when = " before it was updated" if model.about.get("updated") else ""
    measures = measures_text(held_out, multilabel=model.multilabel)
    page.line(f"On {tested}{when}, by a model trained on the others: {measures}")
    if untested := held_out.get("untested_classes"):
        page.line(f"{untested:,} {'class has' if untested == 1 else 'classes have'} no held-out document.")


def _show_coefficients(page: Page, coefficients: Mapping[str, Any]) -> None:
    """Print how many of the trained coefficients the model keeps, and the scores for other shares of them.

    The curve of these scores has pairs of a share and a score.
    """
    kept, trained = coefficients["kept"], coefficients["trained"]
    page.line(f"{kept:,} of {trained:,} coefficients are kept ({kept / trained:.2%}), in 8 bits each.")
    if curve := coefficients["curve"]:
        # A model may keep fewer coefficients than the share that was selected for it, because some are 0 after
        # rounding. So the selected share is the smallest that is not below the kept one.
        selected = min((share for share, _ in curve if share >= kept / trained), default=1.0)
        rows = [
            ("all" if share == 1 else f"{share:.2%}", f"{score:.3f}", "selected" if share == selected else "")
            for share, score in curve
        ]
        page.table([*number_columns("coefficients", "score"), Column("")], rows)


def show_confidence(page: Page, confidence: Mapping[str, Any] | None, what: str, origin: str = "") -> None:
    """Print a table: for some probabilities, the share of labels that are at least as probable and how many are right.

    `confidence` is a `Confidence` as a JSON object; for None, nothing is printed. `what` is the word for one of the
    documents, such as "test document", and `origin` says where the labels are from.
    """
    if confidence is None:
        return
    rows = [
        (
            f"{row['min_probability']:g}",
            f"{row['share']:.1%}",
            f"{row['accuracy']:.1%}" if row["share"] else "-",
        )
        for row in confidence["rows"]
    ]
    title = f"Labels of {counted(confidence['documents'], what)} by their probability{origin}"
    page.table(number_columns("at least", "documents", "right"), rows, title=title)


def show_bands(page: Page, confidence: Confidence) -> None:
    """Print a table: for each band of probabilities, such as 0.8 to 0.9, how many labels are in it and are right."""
    rows = [
        (
            f"{band.min_probability:g} to {band.max_probability:g}",
            f"{band.documents:,}",
            f"{band.accuracy:.1%}" if band.documents else "-",
        )
        for band in confidence.bands()
    ]
    page.table([Column("probability"), *number_columns("documents", "right")], rows, title="Labels by probability band")


def show_classes(page: Page, model: Model) -> None:
    """Print a row for each class: its documents, measures on held-out documents, threshold, and strongest terms."""
    measures = _held_out_by_class(model)
    terms = model.grouped_class_terms(TERMS_PER_CLASS)
    rows = []
    has_marks = model.analysis.counts_only_characters  # whether any term has marks such as ▁
    for index, (label, documents) in enumerate(zip(model.classes, model.class_docs, strict=True)):
        row: list[Any] = [label_text(label), f"{documents:,}"]
        if measures:
            held_out = measures.get(label)
            # A class without held-out documents has four empty cells.
            row += [""] * 4 if held_out is None else [f"{held_out['documents']:,}", *class_measures(held_out)]
        if model.thresholds is not None:
            row.append(f"{model.thresholds[index]:.3f}")
        has_marks |= any(map(is_marked, terms[label]))
        rows.append([*row, TermList([term_text(term, model.settings) for term in terms[label]])])
    titles = [
        "docs",
        *(["held out", "precision", "recall", "F1"] if measures else []),
        *([] if model.thresholds is None else ["threshold"]),
    ]
    page.table([Column("class"), *number_columns(*titles), Column("strongest terms", "terms")], rows)
    if has_marks:
        show_marks(page, model.analysis.to_dict())


def class_measures(row: Mapping[str, Any]) -> list[str]:
    """Return precision, recall and F1 of a class, or dashes if no document has its label, true or predicted."""
    if not (row["documents"] or row["predicted"]):
        return ["-"] * 3
    return [f"{row[name]:.3f}" for name in ("precision", "recall", "f1")]


def measures_text(report: Mapping[str, Any], *, multilabel: bool) -> str:
    """Return the measures over all classes as text; accuracy is left out for multilabel models."""
    accuracy = "" if multilabel else f", accuracy {report['accuracy']:.3f}"
    return f"micro-F1 {report['micro_f1']:.3f}, macro-F1 {report['macro_f1']:.3f}{accuracy}"


def seconds_line(seconds: Mapping[str, float]) -> str:
    """Return a line with the seconds of each stage."""
    return "Seconds: " + ", ".join(f"{stage} {spent:.1f}" for stage, spent in seconds.items())


def file_line(path: str) -> str:
    """Return a file's name and size."""
    return f"{path}: {decimal(os.stat(path).st_size)}"
