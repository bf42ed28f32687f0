"""Read documents and labels from folders, files and named corpora.

`read` opens a folder, a file in any supported format or a named corpus; `Corpus.from_texts` takes documents that are
already in memory; `docstrings` needs nothing but the installed packages. Each returns a `Corpus`: a stream of batches
that can be read any number of times and is loaded into memory as a whole only by `load`.
"""

from __future__ import annotations

from .batch import Batch, Document, Labels, Report
from .corpus import Corpus
from .named_corpora import NAMED, docstrings
from .read_documents import read

__all__ = ["NAMED", "Batch", "Corpus", "Document", "Labels", "Report", "docstrings", "read"]
