"""Classifiers for sparse rows, and the scorers that store them once they are trained."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .cosine_knn import CosineKNN as CosineKNN
    from .knnfp import KNNFP as KNNFP
    from .linear import LinearScorer as LinearScorer
    from .rocchio import Rocchio as Rocchio
    from .svm import LinearSVM as LinearSVM
    from .tcfp import TCFP as TCFP

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "knnfp": ["KNNFP"],
        "linear": ["LinearScorer"],
        "cosine_knn": ["CosineKNN"],
        "rocchio": ["Rocchio"],
        "svm": ["LinearSVM"],
        "tcfp": ["TCFP"],
    },
)
