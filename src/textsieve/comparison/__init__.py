"""Compare selectors, numbers of terms and classifiers on the same documents.

- `variants.py`, `plan.py`: the conditions to measure. A condition is a combination of a selector, a number of terms and
  a classifier; output for users calls it a combination. A selector or classifier with options, such as
  `ig(pooling=max)`, is a variant of its own.
- `compared_documents.py`, `splits.py`: documents are counted once and divided into training and test documents.
- `folds.py`: data that all conditions of a fold share: statistics per weighting, rankings per selector.
- `rankings.py`: the description of a ranking that is stored for reports.
- `measuring.py`: trains and tests one condition on one fold, exactly as a `Categorizer` with its settings would.
- `cross_fitting.py`: how certain the labels of test documents are.
- `examples.py`: documents of the classes that the best condition confuses most.
- `results.py`, `schema.py`, `json_lines.py`: the results, one per line, in a file from which a later run can resume.
- `summary.py`: means, intervals, significance and ranks.
- `running.py`: `compare`. `outcome.py`: its result.
- `view.py`, `findings.py`: the result as formatted tables, notes and findings.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .outcome import Comparison as Comparison
    from .outcome import Overlap as Overlap
    from .outcome import OverlapMeasures as OverlapMeasures
    from .outcome import Stability as Stability
    from .outcome import read_comparison as read_comparison
    from .results import Row as Row
    from .results import Selection as Selection
    from .running import compare as compare
    from .summary import AverageRank as AverageRank
    from .summary import Mean as Mean
    from .summary import Summary as Summary
    from .summary import half_width as half_width
    from .summary import holm as holm

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "running": ["compare"],
        "outcome": ["Comparison", "Overlap", "OverlapMeasures", "Stability", "read_comparison"],
        "results": ["Row", "Selection"],
        "summary": ["AverageRank", "Mean", "Summary", "half_width", "holm"],
    },
)
