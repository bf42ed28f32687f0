"""Who is learned from and who is tested: folds in turn, parts drawn at random, or places that somebody names.

- *Folds* are taken class by class, every n-th document, so that the same documents always fall together. With a seed,
  or several times, documents are shuffled before, for each time anew.
- A *test share* is drawn at random, as often as wanted: documents are shuffled, and of each class about this share is
  tested and never all. The seed and the number of the draw settle it, so more draws begin with the same ones.
- *Splits* are pairs of places, to learn from and to test on; a document may be in neither.

Documents without a label are never tested; but for named places they are there to learn from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, shown
from ..evaluation import folds as folds_of
from ..evaluation import held_out
from ..settings import as_number, is_whole
from ..training.targets import Targets

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

USUAL_FOLDS = 5


class Parts(NamedTuple):
    """For each fold, which documents are learned from and which are tested; and how that was settled."""

    trained: tuple[Bools, ...]
    tested: tuple[Bools, ...]
    about: dict[str, Any]

    @classmethod
    def of(cls, tested: Iterable[Bools], **about: Any) -> Parts:
        """All documents that are not tested are learned from."""
        masks = tuple(tested)
        return cls(tuple(~each for each in masks), masks, _described(masks, about))


@dataclass(frozen=True)
class Splitting:
    """What was asked for; nothing, if none of it was."""

    folds: int | None = None
    test_share: float | None = None
    repeats: int | None = None
    seed: int | None = None
    splits: Any = None

    def __post_init__(self) -> None:
        """Refuse what means nothing for any documents."""
        _require_number("folds", self.folds, 2, "or leave it out for the corpus's own split")
        _require_number("repeats", self.repeats, 1, "or leave it out")
        _require_number("seed", self.seed, 0, "or leave it out")
        if self.test_share is not None and not 0.0 < as_number(self.test_share) < 1.0:
            raise InputError(f"test_share={shown(self.test_share)}; use a share of the documents above 0 and below 1.")
        ways = [name for name in ("folds", "test_share", "splits") if getattr(self, name) is not None]
        if len(ways) > 1:
            raise InputError(f"{' and '.join(ways)} are different ways to split documents; leave out all but one.")
        self._refuse_idle(ways)

    def _refuse_idle(self, ways: list[str]) -> None:
        for name in ("repeats", "seed"):
            if getattr(self, name) is not None and ways not in (["folds"], ["test_share"]):
                raise InputError(
                    f"{name}={getattr(self, name)}: nothing is drawn at random; give test_share or folds with it, or "
                    "leave it out."
                )

    @property
    def is_asked_for(self) -> bool:
        """Whether documents are to be split by it, and not as their publisher did."""
        return any(value is not None for value in vars(self).values())

    def parts(self, targets: Targets) -> Parts:
        """The documents of each fold; five folds if nothing was asked for."""
        if self.splits is not None:
            return _named_places(self.splits, targets)
        draws = range(self.repeats or 1)
        if self.test_share is not None:
            tested = [_drawn(targets, self.test_share, _shuffled(targets, self.seed, draw)) for draw in draws]
            return Parts.of(tested, by="random", test_share=float(self.test_share), seed=self.seed or 0)
        n_folds = self.folds or USUAL_FOLDS
        if self.repeats is None and self.seed is None:
            return Parts.of(_folds(targets, n_folds, np.flatnonzero(targets.usable)), by="folds")
        orders = [_shuffled(targets, self.seed, draw) for draw in draws]
        tested = [fold for order in orders for fold in _folds(targets, n_folds, order)]
        return Parts.of(tested, by="shuffled folds", repeats=len(draws), seed=self.seed or 0)


def one_split(is_test: Bools, usable: Bools, by: str) -> Parts:
    """Documents to learn from, and after them others to test on; of these only those with a label."""
    tested = (is_test & usable,)
    return Parts((~is_test,), tested, _described(tested, {"by": by}))


def _described(tested: tuple[Bools, ...], about: dict[str, Any]) -> dict[str, Any]:
    """How many folds there are, and whether they share tested documents, which the tests of significance must know."""
    found = {"by": about["by"], "folds": len(tested), **about}
    if len(tested) > 1 and int(np.sum(tested, axis=0).max(initial=0)) > 1:
        found["overlapping"] = True
    return found


SPLITS = {
    "own": "the corpus's own split",
    "given": "documents given for it",
    "folds": "{folds} folds in turn",
    "shuffled folds": "{folds_at_once} folds in turn, shuffled {times}",
    "random": "a share of {test_share:g}, drawn {times}",
    "splits": "{folds} splits",
}
"""What was tested, by the way of splitting."""


def split_in_words(split: Mapping[str, Any]) -> str:
    """What was tested, in words; folds that were made several times are counted once."""
    repeats = split.get("repeats", split["folds"])
    times = "once" if repeats == 1 else f"{repeats:,} times"
    return SPLITS[split["by"]].format(**split, folds_at_once=split["folds"] // repeats, times=times)


def _require_number(name: str, value: Any, least: int, else_: str) -> None:
    if value is not None and not (is_whole(value) and value >= least):
        raise InputError(f"{name}={shown(value)}; use a number from {least}, {else_}.")


def _shuffled(targets: Targets, seed: int | None, draw: int) -> Ints:
    """The documents that have a label, in an order that the seed and the number of the draw settle."""
    return np.random.default_rng([seed or 0, draw]).permutation(np.flatnonzero(targets.usable))


def _folds(targets: Targets, n_folds: int, order: Ints) -> list[Bools]:
    if len(order) < n_folds:
        raise InputError(
            f"{len(order):,} documents with a label are too few for {n_folds} folds; give more documents, or fewer "
            "folds."
        )
    fold_of = np.full(targets.n_documents, -1, np.int64)
    fold_of[order] = folds_of(targets.first[order].tolist(), n_folds)
    return [fold_of == fold for fold in range(n_folds)]


def _drawn(targets: Targets, share: float, order: Ints) -> Bools:
    is_test = np.zeros(targets.n_documents, np.bool_)
    is_test[order[held_out(targets.first[order].tolist(), share)]] = True
    if not is_test.any():
        raise InputError(
            f"test_share={share:g}: {len(order):,} documents with a label are too few to test some of them; give more "
            "documents, or a larger share."
        )
    return is_test


def _named_places(splits: Any, targets: Targets) -> Parts:
    """The documents that pairs of places stand for."""
    try:
        pairs = [(train, test) for train, test in splits]
    except (TypeError, ValueError) as problem:
        raise InputError(f"splits={shown(splits)}; use pairs of places, to learn from and to test on.") from problem
    if not pairs:
        raise InputError("splits: there are none; give one or more pairs of places, to learn from and to test on.")
    masks = [[_mask(each, targets.n_documents, number) for each in pair] for number, pair in enumerate(pairs)]
    for number, (is_train, is_test) in enumerate(masks):
        if (is_train & is_test).any():
            place = int(np.argmax(is_train & is_test))
            raise InputError(f"splits[{number}]: document {place} is to be learned from and tested; leave it out once.")
        if not (is_test & targets.usable).any():
            raise InputError(f"splits[{number}]: no document to test on has a label; name others.")
    tested = tuple(is_test & targets.usable for _, is_test in masks)
    return Parts(tuple(is_train for is_train, _ in masks), tested, _described(tested, {"by": "splits"}))


def _mask(places: Any, n_documents: int, number: int) -> Bools:
    found = np.asarray(places)
    if found.dtype == np.bool_ and found.shape == (n_documents,):
        return found
    if found.ndim != 1 or found.dtype.kind not in "iu" or len(found) == 0:
        raise InputError(
            f"splits[{number}]: {shown(places)}; use the places of documents, from 0, or a mask of {n_documents:,} "
            "truth values."
        )
    if found.min() < 0 or found.max() >= n_documents:
        raise InputError(f"splits[{number}]: there are {n_documents:,} documents, and places are 0 to one below that.")
    is_in = np.zeros(n_documents, np.bool_)
    is_in[found] = True
    return is_in
