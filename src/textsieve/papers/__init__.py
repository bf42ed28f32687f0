"""The five papers that textsieve comes from, as data: what they printed, and how it is measured again."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .measurements import Scope as Scope
    from .named import PAPERS as PAPERS
    from .reproducing import QUICK as QUICK
    from .reproducing import reproduce as reproduce

__getattr__, __dir__, __all__ = attach(
    __name__, {"measurements": ["Scope"], "named": ["PAPERS"], "reproducing": ["QUICK", "reproduce"]}
)
