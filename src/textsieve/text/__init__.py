"""Text to terms, to sparse counts, to weights."""

from .counter import TermCounter

__all__ = ["TermCounter"]
