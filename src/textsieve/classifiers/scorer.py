"""What is kept of a trained classifier, whatever it is: something that scores rows, says why, and can be stored.

A score is a sum over the terms of a document and an intercept. So every scorer can say what each term added. Predicting
needs numpy alone as long as documents are few; many go through a kernel, with the same result to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..text.rows import Rows

Floats = NDArray[np.float64]


class Scorer(Protocol):
    """Rows to scores, an output for each class; or a single one for two classes, which speaks for the second."""

    kind: ClassVar[str]
    """Its name in a model file."""

    @property
    def n_terms(self) -> int:
        """How many columns rows have."""

    @property
    def n_outputs(self) -> int:
        """How many scores a document gets."""

    @property
    def intercepts(self) -> Floats:
        """What each score is without any term."""

    def scores(self, rows: Rows, n_jobs: int | None = 1) -> Floats:
        """The scores of each row (rows x outputs), the same for any number of threads and any batches."""

    def contributions(self, columns: NDArray[Any], values: Floats) -> Floats:
        """What each value of one row adds (values x outputs): in order, and with the intercepts, they give the score."""

    def term_strengths(self) -> NDArray[Any]:
        """How much each term speaks for each class (terms x outputs)."""

    def header(self) -> dict[str, Any]:
        """The settings that predicting takes, as JSON can hold them."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers that predicting takes."""

    @classmethod
    def restore(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], n_terms: int, n_outputs: int
    ) -> Self:
        """Make one of what `header` and `arrays` gave. Nothing is trusted: what does not fit is an InputError."""
