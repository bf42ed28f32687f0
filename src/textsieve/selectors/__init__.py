"""Term selectors: one module per method, with a shared base class and tie-breaking rule."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .base import TermSelector as TermSelector
    from .cascade import Cascade as Cascade
    from .chi import ChiSquare as ChiSquare
    from .energy import energy_curves as energy_curves
    from .energy import plot_energy as plot_energy
    from .forward import ForwardSelection as ForwardSelection
    from .frequency import DocumentFrequency as DocumentFrequency
    from .information import InformationGain as InformationGain
    from .information import MutualInformation as MutualInformation
    from .svm_weights import WeightSelection as WeightSelection
    from .testors import TypicalTestors as TypicalTestors
    from .trace import OCFS as OCFS
    from .trace import TOFA as TOFA

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "base": ["TermSelector"],
        "cascade": ["Cascade"],
        "chi": ["ChiSquare"],
        "energy": ["energy_curves", "plot_energy"],
        "forward": ["ForwardSelection"],
        "frequency": ["DocumentFrequency"],
        "information": ["InformationGain", "MutualInformation"],
        "svm_weights": ["WeightSelection"],
        "testors": ["TypicalTestors"],
        "trace": ["OCFS", "TOFA"],
    },
)
