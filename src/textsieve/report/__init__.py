"""A comparison as one page that opens without a network: figures, tables and settings, in light, in dark and on paper.

- `findings.py`: what came out, in a few sentences.
- `figures.py`: panels of curves (`textsieve.plots` draws them), and the legend that they share.
- `tables.py`: tables that stand in the page as they are. `markup.py`: how text and tables become HTML.
- `choices.py`: what the page shows one of at a time: overlap, confusion, terms; as data for its script.
- `page.py`, `assets/`: all of it put together. `writing.py`: to a file.

It is made from a `Comparison` alone, and so also from a file of results. The extra `plots` brings what draws.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .page import report_page as report_page
    from .writing import check_report as check_report
    from .writing import write_report as write_report

__getattr__, __dir__, __all__ = attach(__name__, {"page": ["report_page"], "writing": ["check_report", "write_report"]})
