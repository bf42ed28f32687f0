"""Build the scorer of a trained ensemble.

Linear members become one scorer of votes or means; other members stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix

from ..arrays import Counts, Floats, Ints
from ..classifiers.linear import LinearScorer
from ..classifiers.linear_form import ALWAYS, Linear, of_all_classes, scorer_of
from ..errors import InputError
from .members import Member, Task, warn_of_unfinished
from .scorer import SubspaceScorer
from .vote_rules import for_each_class, intercepts_of_votes


def combined(members: Iterator[Member], task: Task, combine: str) -> SubspaceScorer | LinearScorer | OtherMembers:
    """Return a scorer if the members are linear, and otherwise the members themselves."""
    first = next(members)
    counted_members = _CountingMembers(chain([first], members))
    n_terms = task.rows.shape[1]
    scorer: SubspaceScorer | LinearScorer | OtherMembers
    if first.form is None:
        scorer = OtherMembers(list(counted_members), task.present, task.class_docs, combine)
    elif combine == "mean":
        scorer = mean_of_linear(counted_members, task, n_terms)
    else:
        scorer = votes_of_linear(list(counted_members), task, n_terms)
    counted_members.warn()
    return scorer


class _CountingMembers:
    """An iterator over members that counts how many of their problems did not converge."""

    def __init__(self, members: Iterator[Member]) -> None:
        self._members, self._problems, self._unfinished = members, 0, 0

    def __iter__(self) -> Iterator[Member]:
        for member in self._members:
            self._problems += 0 if member.form is None else len(member.form.intercepts)
            self._unfinished += member.unfinished
            yield member

    def warn(self) -> None:
        """Warn if problems did not converge."""
        warn_of_unfinished(self._unfinished, self._problems)


def votes_of_linear(members: list[Member], task: Task, n_terms: int) -> SubspaceScorer:
    """Return a scorer that counts the votes of linear members."""
    n_voters = np.zeros(n_terms, np.int64)
    for member in members:
        n_voters[member.terms] += 1
    starts = np.concatenate([[0], np.cumsum(n_voters)])
    voters = np.empty(starts[-1], np.int32)
    coefficients = np.empty((starts[-1], len(_form(members[0]).intercepts)), np.float32)
    next_row = starts[:-1].copy()
    for number, member in enumerate(members):
        rows = next_row[member.terms]
        voters[rows], coefficients[rows] = number, _form(member).coefficients.T
        next_row[member.terms] += 1
    is_multilabel = task.numbers is None
    intercepts = np.array([_form(member).intercepts for member in members])
    of_votes = intercepts_of_votes(task.class_docs)
    if is_multilabel:
        is_always, is_never = task.has_all, task.class_docs == 0
        of_votes = 0.5 * is_always - len(members) * is_never
    return SubspaceScorer(
        starts, voters, coefficients, intercepts, task.present.astype(np.int32), of_votes, is_multilabel
    )


def mean_of_linear(members: Iterable[Member], task: Task, n_terms: int) -> LinearScorer:
    """Return the mean of linear members as one linear function of all terms; members are consumed one by one."""
    n_outputs = 1 if task.one_output else len(task.present)
    total = Linear(np.zeros((n_outputs, n_terms)), np.zeros(n_outputs))
    n_members = 0
    for member in members:
        form = _form(member)
        total.coefficients[:, member.terms] += form.coefficients
        total.intercepts[:] += form.intercepts
        n_members += 1
    mean = Linear(total.coefficients / n_members, total.intercepts / n_members)
    n_classes = len(task.class_docs)
    if task.numbers is not None:
        signed = bool((task.rows.data < 0.0).any())
        return scorer_of(of_all_classes(mean, task.present, n_classes, signed=signed))
    all_classes = Linear(np.zeros((n_classes, n_terms)), np.full(n_classes, -ALWAYS))
    all_classes.coefficients[task.present], all_classes.intercepts[task.present] = mean
    return scorer_of(all_classes)


def _form(member: Member) -> Linear:
    if member.form is None:
        raise InputError(f"{type(member.classifier).__name__} is linear on some terms and not on others; use another.")
    return member.form


@dataclass(frozen=True, eq=False)
class OtherMembers:
    """Members that are not linear, for single-label documents."""

    members: list[Member]
    present: Ints
    class_docs: Counts
    combine: str

    def scores(self, rows: csr_matrix) -> Floats:
        """Return votes or mean scores (documents x classes)."""
        if self.combine == "vote":
            choices = self.choices(rows)
            votes = np.stack([(choices == number).sum(axis=1) for number in range(len(self.class_docs))], axis=1)
            return votes + intercepts_of_votes(self.class_docs)
        scores = np.full((rows.shape[0], len(self.class_docs)), -np.inf)
        total = sum(for_each_class(member.scores(rows)) for member in self.members)
        scores[:, self.present] = total / len(self.members)
        return scores

    def choices(self, rows: csr_matrix) -> Ints:
        """Return the class that each member votes for (documents x members), or -1 if it does not vote."""
        choices = np.empty((rows.shape[0], len(self.members)), np.int64)
        for column, member in zip(choices.T, self.members, strict=True):
            column[:] = self.present[for_each_class(member.scores(rows)).argmax(axis=1)]
            column[member.knows_nothing_of(rows)] = -1
        return choices
