"""A comparison as one HTML page that needs no network: charts, tables and settings, for light and dark mode and print.

- `charts.py`: charts over the number of terms, drawn by `textsieve.plots`, and the legend that they share.
- `page.py`: fills the template `assets/page.html` with the view of a comparison, adds the data for its script, and
  writes the file.

The page is made from a `Comparison` alone, and so also from a file of results. It needs the packages of the extra
`plots`.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .page import check_report as check_report
    from .page import report_page as report_page
    from .page import write_report as write_report

__getattr__, __dir__, __all__ = attach(__name__, {"page": ["check_report", "report_page", "write_report"]})
