"""The output of `textsieve subspace`: tables for people and JSON for programs."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import counted
from .json_output import print_json
from .output import Column, Page, number_columns

if TYPE_CHECKING:
    from ..ensembles.grid import SubspaceGrid
    from ..ensembles.sizing import Suggestion
    from ..ensembles.trial import SubspaceTrial
    from ..training.experiments import LabelledCounts

SUGGESTED_FIELDS = ("n_terms", "n_estimators", "usability", "coverage", "diversity")
"""The fields of a `Suggestion` that are printed as JSON."""

PrintOutcome = Callable[[bool], None]
"""A function that prints the outcome of an experiment, as JSON if its argument is true, or else as tables."""

NEARLY_ALL = 0.8
"""If members have more than this share of all terms, a note says that they hardly differ."""


class Experiment(NamedTuple):
    """The documents of an experiment, and how it was measured."""

    summary: str
    """A line about the documents that were read."""
    name: str
    """The name of the corpus."""
    selector: str
    documents: "LabelledCounts"
    measuring: dict[str, Any]
    """The options for measuring: combine, repeats, test_share, random_state."""

    @property
    def n_documents(self) -> int:
        """Return the number of labelled documents."""
        return len(self.documents.labels)

    @property
    def n_classes(self) -> int:
        """Return the number of classes of the documents."""
        return len(set(self.documents.labels.tolist()))

    @property
    def n_terms_seen(self) -> int:
        """Return the number of different terms in the documents."""
        return int((self.documents.counts.getnnz(axis=0) > 0).sum())

    def as_dict(self, n_terms: int) -> dict[str, Any]:
        """Return the experiment as a JSON object; `n_terms` is the number of selected terms."""
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
        """Print the first lines: the documents, their classes, and `n_terms`, the number of selected terms."""
        page.line(self.summary)
        if self._is_sample:
            page.line(f"They don't fit into memory, so this is measured on a sample of {self.n_documents:,} documents.")
        selected = f"{n_terms:,} of {counted(self.n_terms_seen, 'term')} selected by {self.selector}"
        page.line(f"{counted(self.n_classes, 'class', 'classes')}; {selected}")

    @property
    def splits(self) -> str:
        """Return how the ensemble was measured: "5 random splits, 20% of the documents held out, by vote"."""
        n_splits = counted(self.measuring["repeats"], "random split")
        return (
            f"{n_splits}, {self.measuring['test_share']:.0%} of the documents held out, by {self.measuring['combine']}"
        )

    @property
    def _is_sample(self) -> bool:
        """Return whether fewer documents are measured than there are labelled ones."""
        return self.n_documents < self.documents.n_seen - self.documents.n_unlabelled


def print_grid(experiment: Experiment, grid: "SubspaceGrid", measure: str, plot: str | None, wants_json: bool) -> None:
    """Print a grid: a row for each M (terms per member), a column for each L (members), and the best size.

    `measure` says what the table shows: "accuracy", or "error" (1 - accuracy). `plot` is the file to which the grid was
    drawn, if any.
    """
    values = grid.mean if measure == "accuracy" else 1.0 - grid.mean
    if wants_json:
        print_json(
            {
                **experiment.as_dict(grid.n),
                "terms_per_member": list(grid.n_terms),
                "members": list(grid.n_estimators),
                measure: values.tolist(),
                "standard_error": [[number_or_none(error) for error in row] for row in grid.standard_error.tolist()],
                "best": {name: number_or_none(value) for name, value in grid.best._asdict().items()},
                **({"plot": plot} if plot else {}),
            }
        )
        return
    page = Page()
    experiment.show(page, grid.n)
    page.line(f"{measure.capitalize()} in percent; {experiment.splits}")
    rows = [
        [f"{size:,}", *(f"{100 * value:.1f}" for value in row)]
        for size, row in zip(grid.n_terms, values.tolist(), strict=True)
    ]
    page.table(number_columns("M \\ L", *(f"{size:,}" for size in grid.n_estimators)), rows)
    best = grid.best
    page.line(
        f"Best: {counted(best.n_estimators, 'member')} of {counted(best.n_terms, 'term')}, "
        f"accuracy {percent(best.accuracy, best.standard_error)}; best of {grid.mean.size:,} sizes, partly by chance"
    )
    if plot:
        page.line(f"Drawn to {plot}")


def print_suggestion(
    experiment: Experiment,
    suggestion: "Suggestion",
    n_important: dict[str, int],
    choice: str | int,
    trial: "SubspaceTrial",
    wants_json: bool,
) -> None:
    """Print the suggested sizes, similar sizes, and the measured quality of an ensemble of the suggested sizes.

    `n_important` has the number of important terms by each method ("energy", "knee"), and `choice` is the method that
    was used, or the number that was given instead.
    """
    measures = _mean_measures(trial)
    if wants_json:
        print_json(
            {
                **experiment.as_dict(suggestion.n),
                "important": {**n_important, "taken": suggestion.n_important},
                "suggestion": {name: getattr(suggestion, name) for name in SUGGESTED_FIELDS},
                "neighbours": [row._asdict() for row in suggestion.neighbours],
                "measured": {name: number_or_none(value) for name, value in measures.items()},
                "predicted": {"pairs_that_differ": _predicted_difference(suggestion)},
            }
        )
        return
    page = Page()
    experiment.show(page, suggestion.n)
    estimates = f"{n_important['energy']:,} by energy, {n_important['knee']:,} by the knee"
    used = f"{suggestion.n_important:,}, as given" if isinstance(choice, int) else f"the number by {choice}"
    page.line(f"Important terms: {estimates}; used: {used}")
    page.line(
        f"Suggested: {counted(suggestion.n_estimators, 'member')} (L) of {counted(suggestion.n_terms, 'term')} (M)"
    )
    _show_neighbours(page, suggestion)
    if suggestion.n_terms > NEARLY_ALL * suggestion.n:
        page.line(
            "Members with nearly all terms hardly differ: these sizes are the cheapest that the probabilities allow. "
            "--terms-per-member 0.4 fixes a size like the paper's, and --grid measures many sizes."
        )
    page.line(f"Measured: {experiment.splits}")
    _show_measures(page, suggestion, measures)


def _show_neighbours(page: Page, suggestion: "Suggestion") -> None:
    """Print a table of the suggested sizes and similar ones, with their cost, usability, coverage and diversity."""
    suggested = suggestion.n_terms, suggestion.n_estimators
    rows = [
        [
            *(f"{size:,}" for size in (row.n_terms, row.n_estimators, row.cost)),
            *(f"{share:.6f}" for share in (row.usability, row.coverage, row.diversity)),
            "suggested" if (row.n_terms, row.n_estimators) == suggested else "",
        ]
        for row in suggestion.neighbours
    ]
    page.table([*number_columns("M", "L", "M x L", "all usable", "all covered", "all differ"), Column("")], rows)


def _show_measures(page: Page, suggestion: "Suggestion", measures: dict[str, float]) -> None:
    """Print a table of the measures, given as `_mean_measures` returns them, and of what the theory predicts."""

    def row(title: str, name: str, number_format: str, theory: str = "") -> list[str]:
        value = measures[name]
        return [title, "-" if math.isnan(value) else format(value, number_format), theory]

    predicted = _predicted_difference(suggestion)
    rows = [
        row("accuracy of the ensemble", "accuracy", ".3f"),
        row("accuracy of one SVM with all terms", "single", ".3f"),
        row("gain", "gain", "+.3f"),
        row("its standard error", "gain_standard_error", ".3f"),
        row("accuracy of a member", "member_accuracy", ".3f"),
        row("documents on which two members differ", "disagreement", ".3f"),
        row("Q statistic of their errors", "q_statistic", ".3f"),
        row("kappa of their predictions", "kappa", ".3f"),
        row(
            "pairs of members that differ at all",
            "pairs_that_differ",
            ".3f",
            f"{predicted:.3f}",
        ),
    ]
    page.table([Column(""), *number_columns("measured", "predicted")], rows)


def _predicted_difference(suggestion: "Suggestion") -> float:
    """Return the probability that two members have different important terms, by the theory of the paper."""
    from ..ensembles.theory import diversity

    return float(diversity(suggestion.n, M=suggestion.n_terms, L=2, Q=suggestion.n_important))


def _mean_measures(trial: "SubspaceTrial") -> dict[str, float]:
    """Return the means of all measures over the random splits; NaN if a measure is undefined in all of them."""
    gain, error = trial.gain
    diversities = trial.diversity

    def mean(values: list[float]) -> float:
        defined = [value for value in values if not math.isnan(value)]
        return sum(defined) / len(defined) if defined else math.nan

    return {
        "accuracy": float(trial.accuracy.mean()),
        "single": float(trial.single.mean()),
        "gain": gain,
        "gain_standard_error": error,
        "member_accuracy": mean([diversity.accuracy for diversity in diversities]),
        "disagreement": mean([diversity.disagreement for diversity in diversities]),
        "q_statistic": mean([diversity.q_statistic for diversity in diversities]),
        "kappa": mean([diversity.kappa for diversity in diversities]),
        "pairs_that_differ": mean([1.0 - diversity.identical for diversity in diversities]),
    }


def percent(value: float, error: float) -> str:
    """Return a share in percent, with its standard error if that is known."""
    return f"{100 * value:.1f} %" + ("" if math.isnan(error) else f" (standard error {100 * error:.1f})")


def number_or_none(value: float) -> float | None:
    """Return the number, or None for NaN, which JSON doesn't have."""
    return None if math.isnan(value) else value
