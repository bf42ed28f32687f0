"""How good a model is, and what is tuned on documents that were held out."""

from .curve import CurvePoint, size_grid, smallest_within_one_error
from .metrics import ClassRow, Report, compare_labels
from .splits import folds, held_out
from .thresholds import best_f1_threshold

__all__ = [
    "ClassRow",
    "CurvePoint",
    "Report",
    "best_f1_threshold",
    "compare_labels",
    "folds",
    "held_out",
    "size_grid",
    "smallest_within_one_error",
]
