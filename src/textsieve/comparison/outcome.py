"""The result of a comparison: its rows, and what can be computed from them, such as the overlap of selections.

A *selection* is the set of terms that a selector selected in a fold. The overlap of two selections has three measures:

- *Shared terms*: the number of terms that are in both, as papers print it.
- *Jaccard index*: the number of shared terms divided by the number of terms that are in at least one of the two. It is
  high by chance if the selections are large compared with the number of terms to select from.
- *Kuncheva's index* (2007) corrects for chance. For two selections of k of n terms that share r terms, it is
  (r - k²/n) / (k - k²/n): 1 for equal selections, 0 on average for independent ones, and at least -1. Its
  generalisation to selections of k and l terms (Nogueira and Brown 2016) is
  (r - k l / n) / sqrt(k (1 - k/n) l (1 - l/n)), which has the same range and the same mean of 0. This is Pearson's
  correlation of two vectors with an element for each term, 1 if the term is selected and 0 if not. A selection of all
  terms, or of none, has no index.

The index needs n, the number of terms to select from. Two folds have different terms to select from, and a file of
results has only their number for each fold. So n is the larger of the two numbers. If more terms than that are in at
least one selection, n is their number; with a smaller n, the index could be less than -1.

The *stability* of a selector is the overlap of its selections in two folds, averaged over all pairs of folds. The
training documents of the folds of a cross-validation are mostly the same, so stability is measured under small changes
of the documents.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import counted
from ..registry import CLASSIFIERS, SELECTORS
from .examples import CombinationExamples, worst_pairs
from .plan import Condition, Size
from .rankings import FoldRanking
from .results import Results, Row, Selection, read_results
from .summary import AverageRank, Summary, average_ranks, summarise
from .variants import Variant
from .view import QUALITY_COLUMNS, ComparisonView, render_text, view_of


class TermSet(NamedTuple):
    """A set of selected terms, and the number of terms to select from."""

    terms: frozenset[str]
    n_seen: int


class OverlapMeasures(NamedTuple):
    """The overlap of two selections, or the mean over many pairs; NaN where a measure is undefined.

    Attributes
    ----------
    shared : the number of terms that are in both selections
    jaccard : the number of shared terms divided by the number of terms that are in at least one selection
    kuncheva : Kuncheva's index, which corrects for chance: 1 for equal selections, 0 on average for random ones

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> comparison.overlaps[0].measures
    OverlapMeasures(shared=3.0, jaccard=1.0, kuncheva=1.0)
    """

    shared: float
    jaccard: float
    kuncheva: float


def measure_overlap(first: TermSet, second: TermSet) -> OverlapMeasures:
    """Return the overlap of two selections, which may have different sizes and be from different terms."""
    n_shared, n_in_either = len(first.terms & second.terms), len(first.terms | second.terms)
    n_first, n_second = len(first.terms), len(second.terms)
    n = max(first.n_seen, second.n_seen, n_in_either)
    # Kuncheva's numerator and denominator are both multiplied by n. So they are computed from integers, and the index
    # of equal selections is exactly 1.
    deviations = math.sqrt(n_first * (n - n_first) * n_second * (n - n_second))
    return OverlapMeasures(
        float(n_shared),
        n_shared / n_in_either if n_in_either else float("nan"),
        (n_shared * n - n_first * n_second) / deviations if deviations else float("nan"),
    )


def mean_overlap(pairs: Sequence[tuple[TermSet, TermSet]]) -> OverlapMeasures | None:
    """Return the mean overlap over pairs, or None if there are no pairs.

    Pairs for which a measure is undefined (NaN) are left out of its mean.
    """
    if not pairs:
        return None
    overlaps = np.array([measure_overlap(*pair) for pair in pairs])  # a row for each pair, a column for each measure
    means = [
        float(column[~np.isnan(column)].mean()) if (~np.isnan(column)).any() else float("nan") for column in overlaps.T
    ]
    return OverlapMeasures(*means)


def measure_stability(selections: Sequence[TermSet]) -> OverlapMeasures | None:
    """Return the mean overlap over all pairs of the selections of one selector in different folds."""
    return mean_overlap(list(combinations(selections, 2)))


class Overlap(NamedTuple):
    """The overlap of the terms that two selectors select in the same fold: the mean over the folds.

    Attributes
    ----------
    n_terms : the requested number of terms
    selectors : the names of both selectors, with their options
    measures : an `OverlapMeasures`

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> overlap = comparison.overlaps[0]
    >>> overlap.selectors, overlap.n_terms, overlap.measures.shared
    (('ig', 'chi'), 3, 3.0)
    """

    n_terms: Size
    selectors: tuple[str, str]
    measures: OverlapMeasures


class Stability(NamedTuple):
    """The overlap of the terms that a selector selects in different folds: the mean over pairs of folds.

    Attributes
    ----------
    n_terms : the requested number of terms
    selector : the name of the selector, with its options
    measures : an `OverlapMeasures`

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> stability = comparison.stabilities[0]
    >>> stability.selector, stability.n_terms, stability.measures.shared
    ('ig', 3, 3.0)
    """

    n_terms: Size
    selector: str
    measures: OverlapMeasures


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    header : what makes the rows comparable: corpus, classes, split, settings, versions
    conditions : the measured combinations of selector, number of terms and classifier
    rows : a `Row` for each condition and fold
    selections : the selected terms, a `Selection` for each selector, number of terms and fold
    rankings : the rankings of the selectors in the first fold, a `FoldRanking` each
    stored_examples : example documents of the conditions that were the best, by the key of the condition

    Examples
    --------
    >>> from textsieve.comparison import compare
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> comparison = compare(texts * 5, labels * 5, selectors=["ig", "chi"], n_terms=[3], classifiers=["nb"])
    >>> len(comparison.conditions)
    2
    >>> comparison.overlaps[0].measures.shared
    3.0
    """

    header: Mapping[str, Any]
    conditions: Sequence[Condition]
    rows: Sequence[Row]
    selections: Sequence[Selection]
    rankings: Sequence[FoldRanking] = ()
    stored_examples: Mapping[tuple[str, Size, str], CombinationExamples] = field(default_factory=dict)

    @cached_property
    def summary(self) -> list[Summary]:
        """Return a `Summary` of each condition: means over the folds, and p against the best."""
        return summarise(self.conditions, self.rows, overlapping=self.header["split"].get("overlapping", False))

    @property
    def best(self) -> Summary | None:
        """Return the summary of the best condition; None if no condition could be measured."""
        return next((summary for summary in self.summary if summary.is_best), None)

    def rows_of(self, summary: Summary) -> list[Row]:
        """Return the rows of a condition, a row for each fold."""
        key = (summary.selector, summary.n_terms, summary.classifier)
        return [row for row in self.rows if row.key[1:] == key]

    @property
    def examples(self) -> CombinationExamples | None:
        """Return documents of the classes that the best condition confuses most; None if they are not stored."""
        if self.best is None:
            return None
        examples = self.stored_examples.get((self.best.selector, self.best.n_terms, self.best.classifier))
        if examples is None:
            return None
        # Stored examples may be older than some rows, and so be of other pairs of classes than those confused most now.
        worst_classes = [(true, predicted) for true, predicted, _ in worst_pairs(self.rows_of(self.best))]
        return examples if [(pair.true, pair.predicted) for pair in examples.pairs] == worst_classes else None

    @cached_property
    def ranks(self) -> list[AverageRank]:
        """Return an `AverageRank` for each pair of selector and classifier, the best first."""
        return average_ranks(self.conditions, self.rows)

    @cached_property
    def overlaps(self) -> list[Overlap]:
        """Return an `Overlap` for each pair of selectors and each number of terms."""
        overlaps = []
        for size, folds_of_selectors in self._term_sets().items():
            for (name, by_fold), (other_name, other_by_fold) in combinations(folds_of_selectors.items(), 2):
                pairs = [(by_fold[fold], other_by_fold[fold]) for fold in by_fold if fold in other_by_fold]
                if (measures := mean_overlap(pairs)) is not None:
                    overlaps.append(Overlap(size, (name, other_name), measures))
        return overlaps

    @cached_property
    def stabilities(self) -> list[Stability]:
        """Return a `Stability` for each selector and each number of terms; empty with a single fold."""
        return [
            Stability(size, selector, measures)
            for size, folds_of_selectors in self._term_sets().items()
            for selector, by_fold in folds_of_selectors.items()
            if (measures := measure_stability(list(by_fold.values()))) is not None
        ]

    @cached_property
    def view(self) -> ComparisonView:
        """Return the formatted tables, notes and findings that the terminal, the report and `str` show."""
        return view_of(self)

    def with_full_names(self) -> Comparison:
        """Return the same results with the names of methods in words, such as "information gain" for "ig".

        If two methods would get the same name, which only an edited file of results can cause, all names stay.
        """
        selectors = {name: SELECTORS.title_of(name) for name in _names(self.conditions, "selector")}
        classifiers = {name: CLASSIFIERS.title_of(name) for name in _names(self.conditions, "classifier")}
        if any(len(set(titles.values())) < len(titles) for titles in (selectors, classifiers)):
            return self
        renamed_examples = {}
        for (selector, size, classifier), examples in self.stored_examples.items():
            if selector in selectors and classifier in classifiers:  # a file may have more methods than were compared
                key = (selectors[selector], size, classifiers[classifier])
                renamed_examples[key] = replace(examples, selector=key[0], classifier=key[2])
        return replace(
            self,
            conditions=[
                condition._replace(
                    selector=replace(condition.selector, name=selectors[condition.selector.name]),
                    classifier=replace(condition.classifier, name=classifiers[condition.classifier.name]),
                )
                for condition in self.conditions
            ],
            rows=[
                replace(row, selector=selectors[row.selector], classifier=classifiers[row.classifier])
                for row in self.rows
            ],
            selections=[replace(selection, selector=selectors[selection.selector]) for selection in self.selections],
            rankings=[replace(ranking, selector=selectors[ranking.selector]) for ranking in self.rankings],
            stored_examples=renamed_examples,
        )

    def _term_sets(self) -> dict[Size, dict[str, dict[int, TermSet]]]:
        """Return the selections by number of terms, then by selector, then by fold, except selections of all terms.

        For example, `[100]["ig"][0]` has the 100 terms that "ig" selected in the first fold.
        """
        term_sets: dict[Size, dict[str, dict[int, TermSet]]] = {}
        for selection in self.selections:
            if selection.terms is not None:
                by_fold = term_sets.setdefault(selection.n_terms, {}).setdefault(selection.selector, {})
                by_fold[selection.fold] = TermSet(frozenset(selection.terms), selection.n_seen)
        return term_sets

    def to_dict(self) -> dict[str, Any]:
        """Return everything except the selected terms and the rankings, as JSON values."""
        classes, examples = self.header["classes"], self.examples
        return {
            **self.header,
            "summary": [summary.to_dict() for summary in self.summary],
            "ranks": [rank._asdict() for rank in self.ranks],
            "overlap": [
                {"n_terms": overlap.n_terms, "selectors": list(overlap.selectors), **_as_json(overlap.measures)}
                for overlap in self.overlaps
            ],
            "stability": [
                {"n_terms": stability.n_terms, "selector": stability.selector, **_as_json(stability.measures)}
                for stability in self.stabilities
            ],
            "examples": [
                {
                    "label": classes[pair.true],
                    "predicted": classes[pair.predicted],
                    "documents": [document._asdict() for document in pair.documents],
                }
                for pair in (() if examples is None else examples.pairs)
            ],
            "rows": [row.to_dict() for row in self.rows],
        }

    def __str__(self) -> str:
        """Return all tables as text, as the command line prints them."""
        return render_text(self.view)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: findings, all conditions, and how certain the labels of the best condition are."""
        from ..display import Column, card, element, facts, note, notebook_html, table
        from ..evaluation.report_html import confidence_tables

        view = self.with_full_names().view
        findings = [card(finding.combination, note(finding.about), subtitle=finding.title) for finding in view.findings]
        quality = view.conditions.join_intervals().only(*QUALITY_COLUMNS, "p_overall")
        columns = [Column(column.title, column.is_number) for column in quality.columns]
        rows: list[tuple[str, ...]] = [tuple(cell.text for cell in row.cells) for row in quality.rows]
        if intervals := view.conditions.draw_intervals():
            columns.append(Column("micro-F1, 95 % interval"))
            rows = [(*row, drawing) for row, drawing in zip(rows, intervals, strict=True)]
        certainty = [  # of the best condition, if it has probabilities
            card(combination, confidence_tables(counts), note(view.confidence_note), subtitle="How certain labels are")
            for combination, counts in view.confidence[:1]
        ]
        *counts_of_things, split = view.facts
        return notebook_html(
            card(
                f"Comparison on {view.corpus}",
                # "20 documents" is shown as the number 20 with the name "documents".
                facts((name, number) for number, _, name in (text.partition(" ") for text in counts_of_things)),
                element("div", *findings, class_="columns"),
                *(note(problem, is_warning=True) for problem in view.problems),
                table(columns, rows, title=view.conditions.title, best_row=0 if findings else None),
                note(view.conditions.note),
                *map(note, view.notes),
                *certainty,
                subtitle=split,
            )
        )

    def __repr__(self) -> str:
        """Return the number of conditions and rows, and the corpus."""
        corpus, n_conditions = self.header.get("corpus"), len(self.conditions)
        return f"<Comparison of {counted(n_conditions, 'condition')} on {corpus}: {counted(len(self.rows), 'row')}>"


def _names(conditions: Iterable[Condition], kind: Literal["selector", "classifier"]) -> list[str]:
    """Return the names of the selectors or classifiers, each once."""
    return list(dict.fromkeys(getattr(condition, kind).name for condition in conditions))


def read_comparison(path: str | os.PathLike[str]) -> Comparison:
    """Read a results file, and return the conditions that were measured on all folds; documents are not needed.

    Examples
    --------
    >>> from textsieve.comparison import compare, read_comparison
    >>> import tempfile
    >>> from pathlib import Path
    >>> texts = ["the striker scored", "a late goal", "the vote failed", "a new law"]
    >>> labels = ["sport", "sport", "politics", "politics"]
    >>> path = Path(tempfile.mkdtemp()) / "news.jsonl"
    >>> _ = compare(texts * 5, labels * 5, selectors=["ig"], n_terms=[3], classifiers=["nb"], results=path)
    >>> len(read_comparison(path).rows)
    5
    """
    results = read_results(os.fspath(path))
    folds = range(results.header["split"]["folds"])
    condition_keys = dict.fromkeys(row_key[1:] for row_key in results.rows)
    complete = [key for key in condition_keys if all((fold, *key) in results.rows for fold in folds)]
    # Nothing is measured again, so a variant needs only its name, without options.
    conditions = [
        Condition(Variant(selector, selector), size, Variant(classifier, classifier))
        for selector, size, classifier in complete
    ]
    return comparison_of(results, conditions, len(folds))


def comparison_of(results: Results, conditions: Sequence[Condition], n_folds: int) -> Comparison:
    """Return the comparison of some conditions, given results with a row of each condition for every fold.

    Its rows and selections are in the order of `conditions`. Conditions with a problem may have no selections.
    """
    rows = [results.rows[fold, *condition.key] for condition in conditions for fold in range(n_folds)]
    selectors_and_sizes = dict.fromkeys((condition.selector.name, condition.n_terms) for condition in conditions)
    keys = [(fold, *selector_and_size) for selector_and_size in selectors_and_sizes for fold in range(n_folds)]
    selections = [results.selections[key] for key in keys if key in results.selections]
    selectors = {condition.selector.name for condition in conditions}
    rankings = [ranking for ranking in results.rankings.values() if ranking.selector in selectors]
    return Comparison(results.header, conditions, rows, selections, rankings, results.examples)


def _as_json(measures: OverlapMeasures) -> dict[str, float | None]:
    """Return the measures by name, with None for NaN, which JSON does not have."""
    return {name: None if math.isnan(value) else value for name, value in measures._asdict().items()}
