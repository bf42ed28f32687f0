"""One table of statistics, filled by one pass over the documents."""

from .classstats import ClassStats, Contingency

__all__ = ["ClassStats", "Contingency"]
