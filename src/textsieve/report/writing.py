"""Write the page to a file."""

from __future__ import annotations

import os

from ..comparison import Comparison
from ..errors import InputError
from ..extras import require_extra
from ..files import check_writable, replacing, unwritable

ENDINGS = (".html", ".htm")


def write_report(found: Comparison, path: str | os.PathLike[str]) -> None:
    """Write a comparison as one HTML page that needs no network; it may come from `read_comparison("x.jsonl")`."""
    name = os.fspath(path)
    check_report(name)
    from .page import report_page

    data = report_page(found).encode("utf-8", "replace")
    try:
        with replacing(name) as file:
            file.write(data)
    except (OSError, ValueError) as problem:
        raise unwritable(name, str(getattr(problem, "strerror", None) or problem)) from problem


def check_report(path: str | os.PathLike[str], *, what: str = "a report") -> None:
    """Raise an error, before any long work is done, if a report can't be drawn or written.

    `what` names the feature in the error about missing packages.
    """
    require_extra("plots", what=what)
    name = os.fspath(path)
    if os.path.splitext(name)[1].lower() not in ENDINGS:
        raise InputError(f"{name!r}: a report is a page; give the name of a file that ends in {' or '.join(ENDINGS)}.")
    check_writable(name, what="a report")
