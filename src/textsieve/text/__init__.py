"""Text to terms, to sparse counts, to weights."""

from .counter import TermCounter
from .weighter import TermWeighter

__all__ = ["TermCounter", "TermWeighter"]
