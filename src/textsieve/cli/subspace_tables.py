"""What `textsieve subspace` says, in tables for people and JSON for programs."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import counted
from .json_output import print_json
from .output import Column, Page, numbers

if TYPE_CHECKING:
    from ..ensembles.grid import SubspaceGrid
    from ..ensembles.sizing import Suggestion
    from ..ensembles.trial import SubspaceTrial
    from ..training.labelled import LabelledCounts

FIGURES = ("n_terms", "n_estimators", "usability", "coverage", "diversity")

Report = Callable[[bool], None]
"""Prints what was found; as JSON if that is wanted."""

NEARLY_ALL = 0.8
"""From this share of all terms on, members are said to be nearly the same."""


class Experiment(NamedTuple):
    """What was measured on, and how."""

    about: str
    name: str
    selector: str
    documents: "LabelledCounts"
    measuring: dict[str, Any]

    @property
    def n_documents(self) -> int:
        """How many documents have a label."""
        return len(self.documents.labels)

    @property
    def n_classes(self) -> int:
        """How many classes they have."""
        return len(set(self.documents.labels.tolist()))

    @property
    def n_terms_seen(self) -> int:
        """How many terms they have."""
        return int((self.documents.counts.getnnz(axis=0) > 0).sum())

    def as_dict(self, n_terms: int) -> dict[str, Any]:
        """For JSON."""
        return {
            "documents": self.n_documents,
            "is_sample": self._is_sample,
            "classes": self.n_classes,
            "n_terms_seen": self.n_terms_seen,
            "n_terms": n_terms,
            "selector": self.selector,
            "combine": self.measuring["combine"],
            "repeats": self.measuring["repeats"],
            "held_out": self.measuring["test_share"],
            "seed": self.measuring["random_state"],
        }

    def show(self, page: Page, n_terms: int) -> None:
        """The first lines."""
        page.line(self.about)
        if self._is_sample:
            page.line(f"Memory does not hold all of them: what follows is of a sample of {self.n_documents:,}.")
        page.line(f"{self.n_classes:,} classes; {n_terms:,} of {self.n_terms_seen:,} terms chosen by {self.selector}")

    @property
    def how(self) -> str:
        """How often and how many documents were held out."""
        splits = counted(self.measuring["repeats"], "random split")
        return f"{splits}, {self.measuring['test_share']:.0%} of the documents held out, by {self.measuring['combine']}"

    @property
    def _is_sample(self) -> bool:
        return self.n_documents < self.documents.n_seen - self.documents.n_unlabelled


def report_grid(experiment: Experiment, grid: "SubspaceGrid", measure: str, plot: str | None, wants_json: bool) -> None:
    """A grid: a row for each M, a column for each L."""
    values = grid.mean if measure == "accuracy" else 1.0 - grid.mean
    if wants_json:
        print_json(
            {
                **experiment.as_dict(grid.n),
                "terms_per_member": list(grid.n_terms),
                "members": list(grid.n_estimators),
                measure: values.tolist(),
                "standard_error": [[number(each) for each in row] for row in grid.standard_error.tolist()],
                "best": {name: number(value) for name, value in grid.best._asdict().items()},
                **({"plot": plot} if plot else {}),
            }
        )
        return
    page = Page()
    experiment.show(page, grid.n)
    page.line(f"{measure.capitalize()} in percent; {experiment.how}")
    rows = [
        [f"{size:,}", *(f"{100 * value:.1f}" for value in of_size)]
        for size, of_size in zip(grid.n_terms, values.tolist(), strict=True)
    ]
    page.table(numbers("M \\ L", *(f"{size:,}" for size in grid.n_estimators)), rows)
    best = grid.best
    page.line(
        f"Best: {counted(best.n_estimators, 'member')} of {counted(best.n_terms, 'term')}, "
        f"{percent(best.accuracy, best.standard_error)} right, the best of {grid.mean.size:,} sizes and in part by luck"
    )
    if plot:
        page.line(f"Drawn to {plot}")


def report_suggestion(
    experiment: Experiment,
    suggestion: "Suggestion",
    important: dict[str, int],
    wanted: str | int,
    tried: "SubspaceTrial",
    wants_json: bool,
) -> None:
    """The sizes that are suggested, their neighbours, and how good an ensemble of these sizes was."""
    measured = _measured(tried)
    if wants_json:
        print_json(
            {
                **experiment.as_dict(suggestion.n),
                "important": {**important, "taken": suggestion.n_important},
                "suggestion": {name: getattr(suggestion, name) for name in FIGURES},
                "neighbours": [row._asdict() for row in suggestion.neighbours],
                "measured": {name: number(value) for name, value in measured.items()},
                "predicted": {"pairs_that_differ": _predicted(suggestion)},
            }
        )
        return
    page = Page()
    experiment.show(page, suggestion.n)
    estimated = f"{important['energy']:,} by energy, {important['knee']:,} by the knee"
    taken = f"as given {suggestion.n_important:,}" if isinstance(wanted, int) else f"that by {wanted}"
    page.line(f"Important terms: {estimated}; taken: {taken}")
    page.line(
        f"Suggested: {counted(suggestion.n_estimators, 'member')} (L) of {counted(suggestion.n_terms, 'term')} (M)"
    )
    _show_neighbours(page, suggestion)
    if suggestion.n_terms > NEARLY_ALL * suggestion.n:
        page.line(
            "Members of nearly all terms hardly differ: these sizes are the cheapest that the probabilities allow. "
            "--terms-per-member 0.4 settles a size like the paper's, --grid measures many."
        )
    page.line(f"Measured: {experiment.how}")
    _show_measured(page, suggestion, measured)


def _show_neighbours(page: Page, suggestion: "Suggestion") -> None:
    chosen = suggestion.n_terms, suggestion.n_estimators
    rows = [
        [
            *(f"{size:,}" for size in (row.n_terms, row.n_estimators, row.cost)),
            *(f"{share:.6f}" for share in (row.usability, row.coverage, row.diversity)),
            "suggested" * ((row.n_terms, row.n_estimators) == chosen),
        ]
        for row in suggestion.neighbours
    ]
    page.table([*numbers("M", "L", "M x L", "all usable", "all covered", "all differ"), Column("")], rows)


def _show_measured(page: Page, suggestion: "Suggestion", measured: dict[str, float]) -> None:
    def row(title: str, name: str, written: str, predicted: str = "") -> list[str]:
        value = measured[name]
        return [title, "-" if math.isnan(value) else format(value, written), predicted]

    rows = [
        row("accuracy of the ensemble", "accuracy", ".3f"),
        row("accuracy of one SVM with all terms", "single", ".3f"),
        row("gain", "gain", "+.3f"),
        row("its standard error", "gain_standard_error", ".3f"),
        row("accuracy of a member", "member_accuracy", ".3f"),
        row("documents on which two members differ", "disagreement", ".3f"),
        row("Q statistic of their errors", "q_statistic", ".3f"),
        row("kappa of their answers", "kappa", ".3f"),
        row("pairs of members that differ at all", "pairs_that_differ", ".3f", f"{_predicted(suggestion):.3f}"),
    ]
    page.table([Column(""), *numbers("measured", "predicted")], rows)


def _predicted(suggestion: "Suggestion") -> float:
    """How likely two members have different important terms."""
    from ..ensembles.theory import diversity

    return float(diversity(suggestion.n, suggestion.n_terms, 2, suggestion.n_important))


def _measured(tried: "SubspaceTrial") -> dict[str, float]:
    """Means over the repetitions."""
    gain, error = tried.gain
    found = tried.diversity

    def mean(values: list[float]) -> float:
        known = [value for value in values if not math.isnan(value)]
        return sum(known) / len(known) if known else math.nan

    return {
        "accuracy": float(tried.accuracy.mean()),
        "single": float(tried.single.mean()),
        "gain": gain,
        "gain_standard_error": error,
        "member_accuracy": mean([each.accuracy for each in found]),
        "disagreement": mean([each.disagreement for each in found]),
        "q_statistic": mean([each.q_statistic for each in found]),
        "kappa": mean([each.kappa for each in found]),
        "pairs_that_differ": mean([1.0 - each.identical for each in found]),
    }


def percent(value: float, error: float) -> str:
    """A share with its standard error, if there is one."""
    return f"{100 * value:.1f} %" + ("" if math.isnan(error) else f" (standard error {100 * error:.1f})")


def number(value: float) -> float | None:
    """A number as JSON has them."""
    return None if math.isnan(value) else value
