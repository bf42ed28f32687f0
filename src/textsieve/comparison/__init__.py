"""Compare selectors, numbers of terms and classifiers on the same documents.

- `variants.py`, `plan.py`: the combinations to measure; `ig(pooling=max)` is a selector like `ig`.
- `validate_options.py`: finds invalid options before a long run.
- `documents.py`, `vectors.py`, `splits.py`: documents are counted once and divided into training and test documents.
- `folds.py`: data that all conditions of a fold share: statistics per weighting, rankings per selector.
- `measuring.py`: measures one condition on one fold, exactly as a `Categorizer` on its training documents.
- `warmup.py`: runs a few documents first, so that loading kernels is not measured.
- `rows.py`, `results.py`, `appending.py`, `schema.py`: the results, one per line, in a file that a run can resume.
- `significance.py`, `summary.py`, `rankings.py`: means, tests and rankings of terms.
- `running.py`: `compare`. `outcome.py`: its result.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .outcome import Comparison as Comparison
    from .outcome import read_comparison as read_comparison
    from .rows import Row as Row
    from .rows import Selection as Selection
    from .running import compare as compare
    from .significance import half_width as half_width
    from .significance import holm as holm

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "running": ["compare"],
        "outcome": ["Comparison", "read_comparison"],
        "rows": ["Row", "Selection"],
        "significance": ["half_width", "holm"],
    },
)
