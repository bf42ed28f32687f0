"""textsieve: the few words that matter in labelled text.

The names below are imported on first use, so that importing the package is fast.
"""

from typing import TYPE_CHECKING, Any

from .lazy import attach

if TYPE_CHECKING:
    from .categorizer import Categorizer as Categorizer
    from .categorizer import load as load
    from .checking import check as check
    from .classifiers import KNNFP as KNNFP
    from .classifiers import TCFP as TCFP
    from .classifiers import CosineKNN as CosineKNN
    from .classifiers import Rocchio as Rocchio
    from .comparison import compare as compare
    from .corpus import Corpus as Corpus
    from .corpus import read as read
    from .ensembles import RandomSubspace as RandomSubspace
    from .errors import InputError as InputError
    from .progress import show_progress as show_progress
    from .projections import MaximumMargin as MaximumMargin
    from .projections import OrthogonalCentroid as OrthogonalCentroid
    from .projections import TraceProjection as TraceProjection
    from .reducers import DROP as DROP
    from .selectors import OCFS as OCFS
    from .selectors import TOFA as TOFA
    from .selectors import Cascade as Cascade
    from .selectors import ChiSquare as ChiSquare
    from .selectors import DocumentFrequency as DocumentFrequency
    from .selectors import ForwardSelection as ForwardSelection
    from .selectors import InformationGain as InformationGain
    from .selectors import MutualInformation as MutualInformation
    from .selectors import TypicalTestors as TypicalTestors
    from .selectors import WeightSelection as WeightSelection
    from .stats import ClassStats as ClassStats
    from .suggesting import suggest_documents as suggest_documents
    from .text import TermCounter as TermCounter
    from .text import TermWeighter as TermWeighter

_load, _names, __all__ = attach(
    __name__,
    {
        "categorizer": ["Categorizer", "load"],
        "checking": ["check"],
        "comparison": ["compare"],
        "suggesting": ["suggest_documents"],
        "corpus": ["Corpus", "read"],
        "errors": ["InputError"],
        "progress": ["show_progress"],
        "text": ["TermCounter", "TermWeighter"],
        "stats": ["ClassStats"],
        "selectors": [
            "DocumentFrequency",
            "InformationGain",
            "ChiSquare",
            "MutualInformation",
            "OCFS",
            "TOFA",
            "ForwardSelection",
            "WeightSelection",
            "TypicalTestors",
            "Cascade",
        ],
        "projections": ["TraceProjection", "OrthogonalCentroid", "MaximumMargin"],
        "classifiers": ["TCFP", "KNNFP", "CosineKNN", "Rocchio"],
        "ensembles": ["RandomSubspace"],
        "reducers": ["DROP"],
    },
)


def __getattr__(name: str) -> Any:
    """Import a public name on first use; the version is read from the metadata of the installed package."""
    if name == "__version__":
        from importlib.metadata import version

        return version("textsieve")
    return _load(name)


def __dir__() -> list[str]:
    """Return the public names, of which not all may be imported yet."""
    return [*_names(), "__version__"]
