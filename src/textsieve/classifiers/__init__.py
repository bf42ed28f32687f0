"""Classifiers for sparse rows, and the scorers that store them once they are trained."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .knnfp import KNNFP as KNNFP
    from .linear import LinearScorer as LinearScorer
    from .neighbours import CosineKNN as CosineKNN
    from .rocchio import Rocchio as Rocchio
    from .svm import LinearSVM as LinearSVM
    from .tcfp import TCFP as TCFP

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "knnfp": ["KNNFP"],
        "linear": ["LinearScorer"],
        "neighbours": ["CosineKNN"],
        "rocchio": ["Rocchio"],
        "svm": ["LinearSVM"],
        "tcfp": ["TCFP"],
    },
)
