"""Static tables of the page: all combinations, average ranks, stability, and the settings of the run."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from ..comparison import Comparison
from ..comparison.outcome import size_text
from ..comparison.splits import split_in_words
from ..comparison.summary import Mean, Summary
from ..errors import counted
from .markup import Cell, Column, Line, facts, table

NOTHING = "–"


def conditions_table(found: Comparison) -> str:
    """Return the table of all combinations with all figures; the best is highlighted."""
    multilabel, folds = found.header["several_labels"], found.header["split"]["folds"] > 1
    names = ["micro-F1", "macro-F1", *(["all labels right"] if multilabel else [])]
    columns = [Column("terms", True), Column("selector"), Column("classifier"), Column("kept", True)]
    for name in names:
        columns += [Column(name, True, "descending"), *([Column(f"± {name}", True)] if folds else [])]
    columns += [Column("p, same terms", True, "descending"), Column("p, all", True, "descending")]
    columns += [Column("threads", True)] if threads_differ(found) else []
    columns += [Column(f"{step}, s", True) for step in ("selection", "training", "prediction")]
    columns += [Column("model, kB", True)]
    differ = threads_differ(found)
    lines = [
        Line(_condition(line, multilabel=multilabel, folds=folds, threads=differ), line.is_best)
        for line in found.summary
    ]
    return table("conditions", "All combinations; the best is marked", columns, lines, sortable=True)


def threads_differ(found: Comparison) -> bool:
    """Return whether seconds can't be compared, as the numbers of threads or the machines differ."""
    return len({(line.threads, line.cores) for line in found.summary if line.micro_f1 is not None}) > 1


def _condition(line: Summary, *, multilabel: bool, folds: bool, threads: bool) -> list[Cell]:
    means = [line.micro_f1, line.macro_f1, *([line.accuracy] if multilabel else [])]
    cells = [Cell(size_text(line.n_terms), _size(line)), Cell(line.selector), Cell(line.classifier)]
    cells.append(_number(line.n_kept, ",.0f"))
    for mean in means:
        cells += [_mean(mean), *([_number(mean and mean.half_width, ".3f")] if folds else [])]
    cells += [_p(line.p_in_size, line.is_best_in_size), _p(line.p_overall, line.is_best)]
    cells += [Cell("mixed") if line.threads is None else _number(line.threads, "d")] if threads else []
    seconds = (line.selection_seconds, line.training_seconds, line.prediction_seconds)
    cells += [_number(spent, ".3f") for spent in seconds]
    cells.append(_number(None if line.model_bytes is None else line.model_bytes / 1000, ",.1f"))
    return cells


def _size(line: Summary) -> float | None:
    """Return the number of terms to sort by: the measured one, or else the requested one if that is an integer."""
    return line.n_kept if line.n_kept is not None else line.n_terms if isinstance(line.n_terms, int) else None


def _mean(mean: Mean | None) -> Cell:
    return _number(None if mean is None else mean.value, ".3f")


def _number(value: float | None, written: str) -> Cell:
    return Cell(NOTHING) if value is None or math.isnan(value) else Cell(format(value, written), float(value))


def _p(p: float | None, is_best: bool) -> Cell:
    if is_best:
        return Cell("best", 2.0)  # sorts before all p-values
    return Cell(NOTHING) if p is None else Cell("<0.001" if p < 0.001 else f"{p:.3f}", p)


def problems(found: Comparison) -> list[str]:
    """Return sentences on why combinations have no figures, and which classes could not be learned."""
    affected: dict[tuple[str, str, str], list[str]] = {}
    for line in found.summary:
        if line.problem is not None:
            affected.setdefault((line.selector, size_text(line.n_terms), line.problem), []).append(line.classifier)
    sentences = [
        f"{selector}, {size} terms, {', '.join(classifiers)}: {problem}"
        for (selector, size, problem), classifiers in affected.items()
    ]
    missing = list(dict.fromkeys(json.dumps(label) for row in found.rows for label in row.missing_classes))
    if missing:
        named = ", ".join(label_text(json.loads(label)) for label in missing[:20])
        more = f", and {len(missing) - 20:,} more" if len(missing) > 20 else ""
        sentences.append(f"Tested, but in some fold without a document to learn from: {named}{more}.")
    return sentences


def ranks_table(found: Comparison) -> str:
    """Return the table of average ranks, or an empty string if there is only one to rank."""
    if len(found.ranks) < 2:
        return ""
    columns = [Column("selector"), Column("classifier"), Column("rank", True)]
    lines = [Line([Cell(rank.selector), Cell(rank.classifier), _number(rank.rank, ".2f")]) for rank in found.ranks]
    caption = "Average rank by micro-F1, over numbers of terms and folds; 1 is the best"
    return table("ranks", caption, columns, lines, sortable=True)


def stability_table(found: Comparison) -> str:
    """Return Kuncheva's index between folds, selectors by numbers of terms; an empty string without folds."""
    cells = {(stability.selector, stability.n_terms): stability.likeness.kuncheva for stability in found.stabilities}
    if not cells:
        return ""
    sizes, selectors = (dict.fromkeys(key[index] for key in cells) for index in (1, 0))
    columns = [Column("selector"), *(Column(f"{size_text(size)} terms", True) for size in sizes)]
    lines = [
        Line([Cell(str(name)), *(_number(cells.get((str(name), size)), ".2f") for size in sizes)]) for name in selectors
    ]
    caption = "Stability: how alike the terms of different folds are (Kuncheva's index: 1 the same, 0 chance)"
    return table("stability", caption, columns, lines)


def about_run(found: Comparison) -> str:
    """Return the facts about a run: corpus, split and date, what was compared, versions, and shared settings."""
    header = found.header
    run = [
        ("corpus", str(header["corpus"])),
        ("documents", f"{header['documents']:,}"),
        ("classes", f"{len(header['classes']):,}"),
        ("read as", str(header.get("form", "texts"))),
        ("labels", "several a document" if header["several_labels"] else "one a document"),
        ("tested", split_text(found)),
        ("begun", str(header.get("begun") or "not noted").replace("T", " ").replace("+00:00", " UTC")),
        ("fingerprint of the documents", str(header["fingerprint"])),
    ]
    compared = [
        ("selectors", ", ".join(dict.fromkeys(line.selector for line in found.summary))),
        ("numbers of terms", ", ".join(dict.fromkeys(size_text(line.n_terms) for line in found.summary))),
        ("classifiers", ", ".join(dict.fromkeys(line.classifier for line in found.summary))),
    ]
    parts = {
        "The run": run,
        "Compared": compared,
        "Versions": [(name, str(version)) for name, version in header["versions"].items()],
        "Settings of all combinations": [(name, _setting(value)) for name, value in header["settings"].items()],
    }
    return "".join(f"<div><h3>{title}</h3>{facts(pairs)}</div>" for title, pairs in parts.items())


def split_text(found: Comparison) -> str:
    """Return a phrase for the tested documents."""
    return f"on {split_in_words(found.header['split'])}"


def subtitle(found: Comparison) -> str:
    """Return a one-line summary of the run."""
    header = found.header
    words: Sequence[str] = (
        counted(header["documents"], "document"),
        counted(len(header["classes"]), "class", "classes"),
        counted(len(found.conditions), "combination"),
        f"tested {split_text(found)}",
    )
    return " · ".join(words)


def label_text(label: Any) -> str:
    """Return the name of a class."""
    return label if isinstance(label, str) else json.dumps(label)


def _setting(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: NOTHING, True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else json.dumps(value)
