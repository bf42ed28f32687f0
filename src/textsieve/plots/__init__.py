"""Charts, drawn from plain numbers and names, and written to files. Nothing here reads documents or models.

The extra `plots` installs the packages for drawing: Altair, and vl-convert, which makes pictures without a browser. All
charts share one style (`style.py`), which works on white paper, without colours and for colour-blind readers.
"""

from typing import TYPE_CHECKING

from ..extras import require_extra
from ..lazy import attach

if TYPE_CHECKING:
    from .curves import Mark as Mark
    from .curves import lines as lines
    from .energy import check_level as check_level
    from .energy import energy_plot as energy_plot
    from .panels import Point as Point
    from .panels import panel as panel
    from .saving import check_target as check_target
    from .saving import in_script as in_script
    from .saving import save as save
    from .saving import script as script
    from .style import DARK_COLOURS as DARK_COLOURS
    from .style import Chart as Chart
    from .style import Style as Style
    from .style import curve_style as curve_style
    from .surface import surface_plot as surface_plot

require_extra("plots", what="textsieve.plots")

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "curves": ["Mark", "lines"],
        "energy": ["check_level", "energy_plot"],
        "style": ["DARK_COLOURS", "Chart", "Style", "curve_style"],
        "panels": ["Point", "panel"],
        "saving": ["check_target", "in_script", "save", "script"],
        "surface": ["surface_plot"],
    },
)
