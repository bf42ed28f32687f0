"""Measures of quality, and thresholds and probabilities that are fitted to held-out documents.

- `metrics.py`: `Report`, the quality of predictions. `confidence.py` and `confusions.py` add to it how many labels are
  right by their probability, and the pairs of classes that are confused most. `report_html.py` shows it.
- `scores.py`: the scores of many documents, from which labels, thresholds and probabilities are made.
- `thresholds.py`: from scores to the labels of multilabel documents. `calibration.py`: from scores to probabilities.
  `names.py`: the names of their methods.
- `validation.py`: held-out documents, folds, and the number of terms with the best quality.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .calibration import Calibration as Calibration
    from .calibration import JointCalibration as JointCalibration
    from .confidence import Confidence as Confidence
    from .confidence import ProbabilityBand as ProbabilityBand
    from .confusions import ConfusedClasses as ConfusedClasses
    from .confusions import ConfusionExamples as ConfusionExamples
    from .confusions import ExampleDocument as ExampleDocument
    from .metrics import ClassRow as ClassRow
    from .metrics import Report as Report
    from .metrics import compare_labels as compare_labels
    from .thresholds import PCut as PCut
    from .thresholds import RCut as RCut
    from .thresholds import SCut as SCut
    from .thresholds import SCutFBR as SCutFBR
    from .thresholds import ZeroCut as ZeroCut
    from .thresholds import best_f1_threshold as best_f1_threshold
    from .validation import CurvePoint as CurvePoint
    from .validation import folds as folds
    from .validation import held_out as held_out
    from .validation import size_grid as size_grid
    from .validation import smallest_within_one_error as smallest_within_one_error

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "metrics": ["ClassRow", "Report", "compare_labels"],
        "thresholds": ["SCut", "SCutFBR", "RCut", "PCut", "ZeroCut", "best_f1_threshold"],
        "calibration": ["Calibration", "JointCalibration"],
        "confidence": ["Confidence", "ProbabilityBand"],
        "confusions": ["ConfusedClasses", "ConfusionExamples", "ExampleDocument"],
        "validation": ["CurvePoint", "size_grid", "smallest_within_one_error", "folds", "held_out"],
    },
)
