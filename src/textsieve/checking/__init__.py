"""Find out what is wrong with labelled documents, before a model is trained on them.

`check` reads a corpus once and returns a `CheckResult`: duplicates, labels that are probably wrong, small classes,
empty and short documents, mixed languages, terms that give the label away, classes that are confused, and what more
labelled documents would gain. The command line, a notebook and the page all show this one object.
"""

from __future__ import annotations

from .checker import check
from .result import CheckResult

__all__ = ["CheckResult", "check"]
