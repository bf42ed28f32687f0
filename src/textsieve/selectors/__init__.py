"""Which terms matter: a file a method, one base, one tie rule."""

from .base import TermSelector
from .cascade import Cascade
from .chi import ChiSquare
from .frequency import DocumentFrequency
from .information import InformationGain, MutualInformation
from .trace import OCFS

__all__ = [
    "OCFS",
    "Cascade",
    "ChiSquare",
    "DocumentFrequency",
    "InformationGain",
    "MutualInformation",
    "TermSelector",
]
