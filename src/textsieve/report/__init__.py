"""A comparison as one HTML page that needs no network: figures, tables and settings, for light and dark mode and print.

- `findings.py`: the main findings in a few sentences.
- `figures.py`: panels of curves, drawn by `textsieve.plots`. `legend.py`: the legend that they share.
- `tables.py`: static tables. `markup.py`: text and tables as HTML.
- `choices.py`: data for the parts of which the page shows one at a time: overlap, confusion, terms.
- `page.py`, `sections.py`, `assets/`: the whole page. `writing.py`: writes it to a file.

The page is made from a `Comparison` alone, and so also from a file of results. It needs the packages of the extra
`plots`.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .page import report_page as report_page
    from .writing import check_report as check_report
    from .writing import write_report as write_report

__getattr__, __dir__, __all__ = attach(__name__, {"page": ["report_page"], "writing": ["check_report", "write_report"]})
