"""Projections of documents on a few directions, instead of selected terms; the directions maximise a trace."""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .trace import MaximumMargin as MaximumMargin
    from .trace import OrthogonalCentroid as OrthogonalCentroid
    from .trace import TraceProjection as TraceProjection

__getattr__, __dir__, __all__ = attach(
    __name__,
    {"trace": ["TraceProjection", "OrthogonalCentroid", "MaximumMargin"]},
)
