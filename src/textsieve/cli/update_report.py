"""What has come of an update: what was folded in, what was not and why, and how the model does on it now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..training.corrections import Chosen, Corrections
    from .output import Page

SHOWN_PLACES = 3
"""Of documents that are left out."""


class Outcome(NamedTuple):
    """What was learned, if there was anything, and what of it was predicted right before and is now."""

    renewed: Any
    chosen: Chosen
    before: list[tuple[Any, ...]]
    after: list[tuple[Any, ...]]


def report(path: str, found: Corrections, outcome: Outcome, *, written: bool, wants_json: bool) -> None:
    """Print it, for people or as JSON."""
    from .json_output import print_json

    told = told_of(path, found, outcome, written=written)
    if wants_json:
        print_json(told)
    else:
        _show(told, outcome)


def told_of(path: str, found: Corrections, outcome: Outcome, *, written: bool) -> dict[str, Any]:
    """What has come of it, as JSON can hold it."""
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
        "left_out": {what: {"documents": len(places), "places": places} for what, places in found.left_out.items()},
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


def _is_stale(outcome: Outcome) -> bool:
    """Whether the cut for several labels should be fitted anew."""
    from ..categorizer import Categorizer
    from ..training.recutting import cut_that_is_fitted, is_stale

    if outcome.renewed is None:
        return False
    model = outcome.renewed.model
    return cut_that_is_fitted(model, Categorizer.of_model(model).get_params(deep=False)) is not None and is_stale(model)


def _n_right(outcome: Outcome) -> tuple[int, int]:
    """How many documents have just the labels that they should have, before and after."""
    sets = [set(labels) for labels in outcome.chosen.label_sets]
    before, after = (
        sum(right == set(labels) for right, labels in zip(sets, predicted, strict=True))
        for predicted in (outcome.before, outcome.after)
    )
    return before, after


def _show(told: dict[str, Any], outcome: Outcome) -> None:
    from ..errors import counted
    from .description import file_line
    from .output import Column, Page, label_text, numbers

    page = Page()
    page.line(f"{counted(told['read'], 'document')} read, {told['folded']:,} folded in")
    _show_passed_over(page, told)
    if not told["folded"]:
        page.line("There is nothing to fold in, so nothing was written.")
        return
    columns = [Column("class"), *numbers("folded in", "right before", "right after")]
    names = ("folded", "right_before", "right_after")
    page.table(columns, [[label_text(row["label"]), *(f"{row[name]:,}" for name in names)] for row in told["classes"]])
    page.line(
        f"The model was right on {told['right_before']:,} of the {told['folded']:,} before, and is on "
        f"{told['right_after']:,} now that it has learned them."
    )
    if outcome.renewed.model.about.get("held_out"):
        page.line("The measures on held-out documents that it has are from before the update.")
    if told["cut_is_stale"]:
        page.line(
            f"{told['updated']['since_cut']:,} documents were folded in since the cut for several labels was fitted, "
            "which may now give too many labels or too few: fit it with --fit-cut to documents that are a fair "
            "sample, or train again."
        )
    page.line(f"Written to {file_line(told['file'])}" if told["written"] else "Nothing was written: --dry-run.")


def _show_passed_over(page: Page, told: dict[str, Any]) -> None:
    """What is not folded in, and why."""
    from ..errors import counted

    for what, found in told["left_out"].items():
        places, n = found["places"], found["documents"]
        listed = ", ".join(places[:SHOWN_PLACES]) + ", ..." * (n > SHOWN_PLACES)
        page.line(f"{counted(n, 'document')} {what} left out: {listed}")
    if n := told["repeated"]:
        page.line(f"{counted(n, 'document has', 'documents have')} a text that comes again later; the last one counts.")
    if n := told["folded_before"]:
        page.line(f"{n:,} of them {'was' if n == 1 else 'were'} folded in before.")
    if n := told["folded_before_with_other_labels"]:
        page.line(
            f"{counted(n, 'text was', 'texts were')} folded in before with other labels, which stay learned too; to "
            "take them back, train again."
        )
