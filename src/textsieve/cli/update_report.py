"""The outcome of an update: the documents added, those left out and why, and the quality on those added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..training.corrections import Corrections, DocumentsToLearn
    from .output import Page

SHOWN_PLACES = 3
"""The maximum number of left-out documents that are listed."""


class UpdateOutcome(NamedTuple):
    """The new model, if there is one, the documents it learned, and their labels as predicted before and after."""

    renewed: Any
    chosen: DocumentsToLearn
    before: list[tuple[Any, ...]]
    after: list[tuple[Any, ...]]


def report(path: str, found: Corrections, outcome: UpdateOutcome, *, written: bool, wants_json: bool) -> None:
    """Print the outcome, for people or as JSON."""
    from .json_output import print_json

    facts = told_of(path, found, outcome, written=written)
    if wants_json:
        print_json(facts)
    else:
        _show(facts, outcome)


def told_of(path: str, found: Corrections, outcome: UpdateOutcome, *, written: bool) -> dict[str, Any]:
    """Return the outcome as a JSON object."""
    chosen, n_right = outcome.chosen, _n_right(outcome)
    classes: dict[Any, dict[str, Any]] = {}
    for right, before, after in zip(chosen.label_sets, outcome.before, outcome.after, strict=True):
        for label in right:
            row = classes.setdefault(label, {"label": label, "folded": 0, "right_before": 0, "right_after": 0})
            row["folded"] += 1
            row["right_before"] += label in before
            row["right_after"] += label in after
    return {
        "file": path,
        "read": found.n_read,
        "left_out": {reason: {"documents": len(places), "places": places} for reason, places in found.left_out.items()},
        "repeated": chosen.n_repeated,
        "folded_before": chosen.n_known,
        "folded": len(chosen.label_sets),
        "folded_before_with_other_labels": chosen.n_changed,
        "right_before": n_right[0],
        "right_after": n_right[1],
        "classes": sorted(classes.values(), key=lambda row: row["label"]),
        "updated": None if outcome.renewed is None else outcome.renewed.model.about["updated"],
        "cut_is_stale": _is_stale(outcome),
        "written": written,
    }


def _is_stale(outcome: UpdateOutcome) -> bool:
    """Return whether the thresholds of a multilabel model should be fitted again."""
    from ..categorizer_settings import Settings
    from ..training.updating import is_stale, tuned_cut

    if outcome.renewed is None:
        return False
    model = outcome.renewed.model
    return tuned_cut(model, Settings.of_stored(model.settings)) is not None and is_stale(model)


def _n_right(outcome: UpdateOutcome) -> tuple[int, int]:
    """Return how many documents are predicted exactly right, before and after."""
    sets = [set(labels) for labels in outcome.chosen.label_sets]
    before, after = (
        sum(right == set(labels) for right, labels in zip(sets, predicted, strict=True))
        for predicted in (outcome.before, outcome.after)
    )
    return before, after


def _show(facts: dict[str, Any], outcome: UpdateOutcome) -> None:
    from ..errors import counted
    from .description import file_line
    from .output import Column, Page, label_text, numbers

    page = Page()
    page.line(f"{counted(facts['read'], 'document')} read, {facts['folded']:,} folded in")
    _show_passed_over(page, facts)
    if not facts["folded"]:
        page.line("There is nothing to fold in, so nothing was written.")
        return
    columns = [Column("class"), *numbers("folded in", "right before", "right after")]
    names = ("folded", "right_before", "right_after")
    page.table(columns, [[label_text(row["label"]), *(f"{row[name]:,}" for name in names)] for row in facts["classes"]])
    page.line(
        f"Of {counted(facts['folded'], 'document')} folded in, the model got {facts['right_before']:,} right before, "
        f"and gets {facts['right_after']:,} right now."
    )
    if outcome.renewed.model.about.get("held_out"):
        page.line("The measures on held-out documents that it has are from before the update.")
    if facts["cut_is_stale"]:
        page.line(
            f"{facts['updated']['since_cut']:,} documents were folded in since the cut for several labels was fitted, "
            "which may now give too many labels or too few: fit it with --fit-cut to documents that are a fair "
            "sample, or train again."
        )
    page.line(f"Written to {file_line(facts['file'])}" if facts["written"] else "Nothing was written: --dry-run.")


def _show_passed_over(page: Page, facts: dict[str, Any]) -> None:
    """Print how many documents were not added, and why."""
    from ..errors import counted

    for reason, documents in facts["left_out"].items():
        places, n = documents["places"], documents["documents"]
        listed = ", ".join(places[:SHOWN_PLACES]) + ", ..." * (n > SHOWN_PLACES)
        page.line(f"{counted(n, 'document')} {reason} left out: {listed}")
    if n := facts["repeated"]:
        because = "as its text comes" if n == 1 else "as their texts come"
        page.line(
            f"{counted(n, 'document is', 'documents are')} passed over, {because} again later: the last one counts."
        )
    if n := facts["folded_before"]:
        are = "is" if n == 1 else "are"
        page.line(f"{counted(n, 'document was', 'documents were')} folded in before, and {are} passed over.")
    if n := facts["folded_before_with_other_labels"]:
        page.line(
            f"{counted(n, 'text was', 'texts were')} folded in before with other labels, which stay learned too; to "
            "take them back, train again."
        )
