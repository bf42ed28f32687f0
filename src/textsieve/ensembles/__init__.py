"""Random-subspace ensembles, and the theory for choosing their size."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .agreement import MeasuredDiversity as MeasuredDiversity
    from .agreement import measured_diversity as measured_diversity
    from .grid import SubspaceGrid as SubspaceGrid
    from .grid import subspace_grid as subspace_grid
    from .sizing import Suggestion as Suggestion
    from .sizing import important_terms as important_terms
    from .sizing import suggest as suggest
    from .subspace import RandomSubspace as RandomSubspace
    from .theory import bounds as bounds
    from .theory import coverage as coverage
    from .theory import diversity as diversity
    from .theory import expected_difference as expected_difference
    from .theory import usability as usability
    from .trial import RandomSplit as RandomSplit
    from .trial import SubspaceTrial as SubspaceTrial
    from .trial import random_splits as random_splits
    from .trial import subspace_trial as subspace_trial

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "subspace": ["RandomSubspace"],
        "grid": ["subspace_grid", "SubspaceGrid"],
        "trial": ["subspace_trial", "SubspaceTrial", "random_splits", "RandomSplit"],
        "theory": ["usability", "coverage", "diversity", "expected_difference", "bounds"],
        "sizing": ["suggest", "Suggestion", "important_terms"],
        "agreement": ["measured_diversity", "MeasuredDiversity"],
    },
)
