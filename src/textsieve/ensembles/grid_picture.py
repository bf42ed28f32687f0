"""The surface of a grid as a picture: accuracy or error over M and L, with the best size framed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..errors import InputError, counted, shown
from ..extras import require_extra

if TYPE_CHECKING:
    import os

    from ..plots import Chart
    from .grid import SubspaceGrid

MEASURES = ("accuracy", "error")


def plot_grid(
    grid: SubspaceGrid, path: str | os.PathLike[str] | None = None, *, measure: str = "accuracy", caption: str = ""
) -> Chart:
    """Draw the mean accuracy or error of a grid; and write it to a file that ends in .svg, .png, .html or .json.

    A row of a few terms, which is far below the others, does not take their colours.
    """
    require_extra("plots", what="the picture of a grid")
    from ..plots import check_target, save, surface_plot

    check_measure(measure)
    if path is not None:
        check_target(path)
    colours: Literal["all", "most"] = "most" if len(grid.n_terms) > 2 else "all"
    of_all = f"{counted(grid.n, 'term')} in all, {counted(len(grid.accuracy), 'random split')}, by {grid.combine}."
    chart = surface_plot(
        grid.mean if measure == "accuracy" else 1.0 - grid.mean,
        x=grid.n_estimators,
        y=grid.n_terms,
        x_title="members L",
        y_title="terms of a member M",
        value_title=measure,
        title=f"Random subspaces: {measure} over M and L",
        caption=f"{caption} {of_all}",
        value_format=".1%",
        colours=colours,
        marked=grid.best_cell,
    )
    if path is not None:
        save(chart, path)
    return chart


def check_measure(measure: str) -> None:
    """Refuse what a grid does not measure."""
    if measure not in MEASURES:
        raise InputError(f"measure={shown(measure)}; use one of {', '.join(map(repr, MEASURES))}.")
