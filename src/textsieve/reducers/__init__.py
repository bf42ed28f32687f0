"""Instance selection: reduce the training documents to those worth keeping."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .drop import DROP as DROP

__getattr__, __dir__, __all__ = attach(__name__, {"drop": ["DROP"]})
