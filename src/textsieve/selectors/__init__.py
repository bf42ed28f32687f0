"""Which terms matter: a file a method, one base, one tie rule."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .base import TermSelector as TermSelector
    from .cascade import Cascade as Cascade
    from .chi import ChiSquare as ChiSquare
    from .frequency import DocumentFrequency as DocumentFrequency
    from .information import InformationGain as InformationGain
    from .information import MutualInformation as MutualInformation
    from .trace import OCFS as OCFS
    from .trace import TOFA as TOFA

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "base": ["TermSelector"],
        "cascade": ["Cascade"],
        "chi": ["ChiSquare"],
        "frequency": ["DocumentFrequency"],
        "information": ["InformationGain", "MutualInformation"],
        "trace": ["OCFS", "TOFA"],
    },
)
