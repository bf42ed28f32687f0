"""One table of statistics, filled by one pass over the documents."""

from .classstats import ClassStats

__all__ = ["ClassStats"]
