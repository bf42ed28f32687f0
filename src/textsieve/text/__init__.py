"""Split texts into terms, count them in sparse matrices, and turn counts into weights."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .counter import TermCounter as TermCounter
    from .weighter import TermWeighter as TermWeighter

__getattr__, __dir__, __all__ = attach(__name__, {"counter": ["TermCounter"], "weighter": ["TermWeighter"]})
