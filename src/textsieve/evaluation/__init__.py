"""How good a model is, and what is tuned on documents that were held out."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .calibration import Calibration as Calibration
    from .curve import CurvePoint as CurvePoint
    from .curve import size_grid as size_grid
    from .curve import smallest_within_one_error as smallest_within_one_error
    from .cuts import PCut as PCut
    from .cuts import RCut as RCut
    from .cuts import SCut as SCut
    from .cuts import SCutFBR as SCutFBR
    from .cuts import ZeroCut as ZeroCut
    from .metrics import ClassRow as ClassRow
    from .metrics import Report as Report
    from .metrics import compare_labels as compare_labels
    from .splits import folds as folds
    from .splits import held_out as held_out
    from .thresholds import best_f1_threshold as best_f1_threshold

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "metrics": ["ClassRow", "Report", "compare_labels"],
        "cuts": ["SCut", "SCutFBR", "RCut", "PCut", "ZeroCut"],
        "calibration": ["Calibration"],
        "curve": ["CurvePoint", "size_grid", "smallest_within_one_error"],
        "splits": ["folds", "held_out"],
        "thresholds": ["best_f1_threshold"],
    },
)
