"""Split documents into training and test documents: in folds, at random, or as given.

- *Folds*: the documents of each class are dealt to the folds in turn, and each fold is tested once. So the split is
  always the same. With a seed or repeats, documents are shuffled first, anew for each repeat.
- *Test share*: documents are shuffled, and about this share of each class is tested, but never all of the class. This
  is repeated as often as requested. A draw depends only on the seed and on its own number, so if more draws are
  requested, the first ones stay the same.
- *Splits*: the caller gives pairs of training and test documents, by their positions; a document may be in neither.

Unlabelled documents are never tested. They are training documents, with two exceptions: those in a separate test part,
and with given splits, those that are not among the given training documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools, Ints
from ..errors import InputError, Setting, counted, shown
from ..evaluation import folds as assign_folds
from ..evaluation import held_out
from ..settings import as_number, is_whole
from ..training.targets import Targets

DEFAULT_FOLDS = 5


class FoldMasks(NamedTuple):
    """The training and test documents of each fold, and a description of the split."""

    train: tuple[Bools, ...]
    """A mask of the training documents for each fold, with an element for each document."""
    test: tuple[Bools, ...]
    about: dict[str, Any]
    """The description that the results file stores; `by` is a key of `SPLITS`."""

    @classmethod
    def of(cls, test: Iterable[Bools], **about: Any) -> FoldMasks:
        """Return the folds with these test documents; all other documents are used for training."""
        masks = tuple(test)
        return cls(tuple(~mask for mask in masks), masks, _describe(masks, about))


@dataclass(frozen=True)
class Splitting:
    """The requested way to split documents; all fields are None if none was requested."""

    folds: int | None = None
    test_share: float | None = None
    repeats: int | None = None
    seed: int | None = None
    splits: Any = None

    def __post_init__(self) -> None:
        """Raise `InputError` for options that are invalid for any documents."""
        _require_number("folds", self.folds, least=2, alternative="or leave it out for the corpus's own split")
        _require_number("repeats", self.repeats, least=1, alternative="or leave it out")
        _require_number("seed", self.seed, least=0, alternative="or leave it out")
        if self.test_share is not None and not 0.0 < as_number(self.test_share) < 1.0:
            hint = "use a share of the documents above 0 and below 1"
            raise InputError(setting="test_share", value=self.test_share, hint=hint)
        ways = [name for name in ("folds", "test_share", "splits") if getattr(self, name) is not None]
        if len(ways) > 1:
            pieces = [piece for name in ways for piece in (" and ", Setting(name))]
            message = (*pieces[1:], " are different ways to split documents")  # without the first " and "
            raise InputError(message, hint="leave out all but one")
        self._refuse_unused_randomness(ways)

    def _refuse_unused_randomness(self, ways: list[str]) -> None:
        """Raise `InputError` for `repeats` or `seed` if no way of splitting that uses them is requested."""
        for name in ("repeats", "seed"):
            if getattr(self, name) is not None and ways not in (["folds"], ["test_share"]):
                raise InputError(
                    "nothing is drawn at random",
                    setting=name,
                    value=getattr(self, name),
                    hint=("give ", Setting("test_share"), " or ", Setting("folds"), " with it, or leave it out"),
                )

    @property
    def is_requested(self) -> bool:
        """Return whether a split was requested, which replaces the publisher's."""
        return any(value is not None for value in vars(self).values())

    @property
    def first_option(self) -> tuple[str, Any]:
        """Return the name and the value of the first option that was given; there must be one (`is_requested`)."""
        return next((name, value) for name, value in vars(self).items() if value is not None)

    def fold_masks(self, targets: Targets) -> FoldMasks:
        """Return the training and test documents of each fold; there are five folds if no split was requested."""
        if self.splits is not None:
            return _given_folds(self.splits, targets)
        draws = range(self.repeats or 1)
        if self.test_share is not None:
            masks = [_draw_share(targets, self.test_share, _shuffle(targets, self.seed, draw)) for draw in draws]
            return FoldMasks.of(masks, by="random", test_share=float(self.test_share), seed=self.seed or 0)
        n_folds = self.folds or DEFAULT_FOLDS
        if self.repeats is None and self.seed is None:
            return FoldMasks.of(_stratified_folds(targets, n_folds, np.flatnonzero(targets.usable)), by="folds")
        orders = [_shuffle(targets, self.seed, draw) for draw in draws]
        masks = [mask for order in orders for mask in _stratified_folds(targets, n_folds, order)]
        return FoldMasks.of(masks, by="shuffled folds", repeats=len(draws), seed=self.seed or 0)


def single_split(is_test: Bools, usable: Bools, by: str) -> FoldMasks:
    """Return a single split; documents without a label (not `usable`) are not tested. `by` is a key of `SPLITS`."""
    test = (is_test & usable,)
    return FoldMasks((~is_test,), test, _describe(test, {"by": by}))


def _describe(test: tuple[Bools, ...], about: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a split: `about`, and the number of folds.

    It has `overlapping` if folds share test documents, because the significance test depends on that.
    """
    description = {"by": about["by"], "folds": len(test), **about}
    times_tested = np.sum(test, axis=0)  # of each document
    if len(test) > 1 and int(times_tested.max(initial=0)) > 1:
        description["overlapping"] = True
    return description


SPLITS = {
    "own": "the corpus's own split",
    "given": "separate test documents",
    "folds": "{folds} folds in turn",
    "shuffled folds": "{folds_at_once} folds in turn, shuffled {times}",
    "random": "a random share of {test_share:g}, drawn {times}",
    "splits": "{folds} splits",
}
"""The description of each way of splitting."""


def describe_split(split: Mapping[str, Any]) -> str:
    """Describe a split as text: "5 folds in turn, shuffled 3 times" for the 15 folds of three cross-validations."""
    # Only shuffled folds store `repeats`. A random share is drawn once for each fold.
    repeats = split.get("repeats", split["folds"])
    times = "once" if repeats == 1 else f"{repeats:,} times"
    return SPLITS[split["by"]].format(**split, folds_at_once=split["folds"] // repeats, times=times)


def _require_number(name: str, value: Any, least: int, alternative: str) -> None:
    """Raise `InputError` unless an option is None or an integer from `least`; the hint ends with `alternative`."""
    if value is not None and not (is_whole(value) and value >= least):
        raise InputError(setting=name, value=value, hint=f"use a number from {least}, {alternative}")


def _shuffle(targets: Targets, seed: int | None, draw: int) -> Ints:
    """Return the labelled documents in an order that depends on the seed and the number of the draw."""
    return np.random.default_rng([seed or 0, draw]).permutation(np.flatnonzero(targets.usable))


def _stratified_folds(targets: Targets, n_folds: int, order: Ints) -> list[Bools]:
    """Return the mask of the test documents of each fold; documents are dealt to the folds in turn, class by class.

    `order` has the numbers of the labelled documents. Within a class, they are dealt in this order.
    """
    if len(order) < n_folds:
        raise InputError(
            f"{counted(len(order), 'labelled document is', 'labelled documents are')} too few for {n_folds} folds",
            hint="give more documents, or fewer folds",
        )
    fold_of = np.full(targets.n_documents, -1, np.int64)  # -1: unlabelled, and so not in `order` and never tested
    fold_of[order] = assign_folds(targets.first_class[order].tolist(), n_folds)
    return [fold_of == fold for fold in range(n_folds)]


def _draw_share(targets: Targets, share: float, order: Ints) -> Bools:
    """Return the mask of the test documents, about this share of each class.

    `order` has the numbers of the labelled documents, shuffled.
    """
    is_test = np.zeros(targets.n_documents, np.bool_)
    is_held_out = held_out(targets.first_class[order].tolist(), share)  # in the shuffled order
    is_test[order[is_held_out]] = True
    if not is_test.any():
        raise InputError(
            f"{counted(len(order), 'labelled document is', 'labelled documents are')} too few to test some of them",
            setting="test_share",
            value=share,
            hint="give more documents, or a larger share",
        )
    return is_test


def _given_folds(splits: Any, targets: Targets) -> FoldMasks:
    """Return the folds for given pairs of training and test documents, each as positions or as a mask."""
    try:
        pairs = [(train, test) for train, test in splits]
    except (TypeError, ValueError) as problem:
        hint = "use pairs of document positions, for training and for testing"
        raise InputError(setting="splits", value=splits, hint=hint) from problem
    if not pairs:
        hint = "give at least one pair of document positions, for training and for testing"
        raise InputError("there are none", setting="splits", hint=hint)
    masks = [[_as_mask(part, targets.n_documents, number) for part in pair] for number, pair in enumerate(pairs)]
    for number, (is_train, is_test) in enumerate(masks):
        if (is_train & is_test).any():
            position = int(np.argmax(is_train & is_test))
            raise InputError(
                f"document {position} is in both parts", setting=f"splits[{number}]", hint="leave it out of one"
            )
        if not (is_test & targets.usable).any():
            raise InputError("no test document has a label", setting=f"splits[{number}]", hint="give others")
    test = tuple(is_test & targets.usable for _, is_test in masks)
    return FoldMasks(tuple(is_train for is_train, _ in masks), test, _describe(test, {"by": "splits"}))


def _as_mask(given: Any, n_documents: int, number: int) -> Bools:
    """Return the mask for given positions of documents, or the given mask; errors name the split by its `number`."""
    positions = np.asarray(given)
    if positions.dtype == np.bool_ and positions.shape == (n_documents,):
        return positions
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or len(positions) == 0:
        raise InputError(
            shown(given),
            setting=f"splits[{number}]",
            hint=f"use the positions of documents, from 0, or a mask of {n_documents:,} truth values",
        )
    if positions.min() < 0 or positions.max() >= n_documents:
        raise InputError(
            f"there are {n_documents:,} documents, so positions go from 0 to {n_documents - 1:,}",
            setting=f"splits[{number}]",
        )
    mask = np.zeros(n_documents, np.bool_)
    mask[positions] = True
    return mask
