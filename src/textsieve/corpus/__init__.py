"""Read documents and labels from folders, files and named corpora.

`read` opens a folder, a file in any supported format or a named corpus; `Corpus.from_texts` takes documents that are
already in memory; `docstrings` opens the built-in corpus, which consists of docstrings of the installed packages. Each
returns a `Corpus`, which yields its documents in batches and can be read any number of times; `Corpus.load` returns all
documents at once.
"""

from __future__ import annotations

from .batch import Batch, Document, Labels, Report
from .corpus import Corpus
from .named_corpora import NAMED, docstrings
from .read_documents import read

__all__ = ["NAMED", "Batch", "Corpus", "Document", "Labels", "Report", "docstrings", "read"]
