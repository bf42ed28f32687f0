"""Where documents and labels come from.

`read` opens a folder, a file in any supported format or a named corpus; `Corpus.from_texts` takes what is
already in memory; `docstrings` needs nothing but the installed packages. Each gives a `Corpus`: a stream of
batches that can be gone through again and again, and is never held in memory as a whole unless asked for with
`load`.
"""

from __future__ import annotations

from .batch import Batch, Document, Labels, Report
from .corpus import Corpus
from .named import NAMED, docstrings
from .reading import read

__all__ = ["NAMED", "Batch", "Corpus", "Document", "Labels", "Report", "docstrings", "read"]
