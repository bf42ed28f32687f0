"""The table of projections by name; a module is only imported when its projection is requested."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import InputError, shown
from ..settings import require_options

if TYPE_CHECKING:
    from .trace import TraceProjection


class Named(NamedTuple):
    """A projection that can be requested by name."""

    name: str
    class_name: str
    options: Mapping[str, Any]
    about: str

    def make(self) -> TraceProjection:
        """Return a projection with the settings of this name."""
        projection_class = getattr(import_module("textsieve.projections.trace"), self.class_name)
        return cast("TraceProjection", projection_class(**self.options))


_ROWS = (
    Named("centroid", "OrthogonalCentroid", {}, "the directions in which the class means lie apart"),
    Named("margin", "MaximumMargin", {}, "those in which they lie further apart than the documents of a class"),
    Named("pca", "TraceProjection", {"weight": 0.0}, "principal components, which look at no labels"),
    Named("trace", "TraceProjection", {}, "between these, by the option weight"),
)

PROJECTIONS = {row.name: row for row in _ROWS}


def projection_of(setting: Any, options: Mapping[str, Any] | None = None) -> TraceProjection | None:
    """Return the projection of a setting: a new one for a name and options, a given projection unchanged, or None."""
    if isinstance(setting, str) and setting in PROJECTIONS:
        row = PROJECTIONS[setting]
        projection = row.make()
        require_options("projection", setting, options, set(projection.get_params()) - {*row.options, "unlabelled"})
        return projection.set_params(**(options or {}))
    if options and setting is None:
        names = ", ".join(PROJECTIONS)
        raise InputError(f"projection_options: no projection is asked for; name one with projection=, of {names}.")
    if options:
        raise InputError("projection_options are for a projection given by name; set them on the projection itself.")
    if setting is None:
        return None
    from .trace import TraceProjection

    if not isinstance(setting, TraceProjection):
        raise InputError(
            f"projection={shown(setting)}; use one of {', '.join(PROJECTIONS)}, a projection such as "
            "OrthogonalCentroid(), or None."
        )
    return setting
