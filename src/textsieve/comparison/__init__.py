"""Selectors, numbers of terms and classifiers, each with each, on the same documents.

- `variants.py`, `naming.py`, `plan.py`: what is compared, as data: `ig(pooling=max)` is a row like `ig`.
- `trials.py`: settings that can't be used with any documents, found on four of them.
- `counting.py`, `vectors.py`: documents are counted once; vectors are counts already, or weights that stay as they are.
- `splits.py`, `documents.py`: which of them are to learn from and which to test on.
- `folds.py`: what all conditions share of a fold: statistics once for each weighting, a ranking once for each selector.
- `measuring.py`: one condition on one fold, just as a `Categorizer` of the documents to learn from would do.
- `rehearsal.py`: a few documents first, so that no row has the seconds in which compiled loops are loaded.
- `rows.py`, `results.py`: what was measured, a line each, in a file that a run goes on with.
- `overlap.py`, `significance.py`, `verdicts.py`, `summary.py`: what is read off the rows.
- `running.py`: all of it in order: `compare`. `outcome.py`: what it gives.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .outcome import Comparison as Comparison
    from .outcome import read_comparison as read_comparison
    from .rows import Row as Row
    from .rows import Selection as Selection
    from .running import compare as compare

__getattr__, __dir__, __all__ = attach(
    __name__, {"running": ["compare"], "outcome": ["Comparison", "read_comparison"], "rows": ["Row", "Selection"]}
)
