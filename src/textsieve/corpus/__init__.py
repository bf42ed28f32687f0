"""Where documents and labels come from.

`read` opens a folder, a file in any supported format or a named corpus; `Corpus.from_texts` takes what is
already in memory; `docstrings` needs nothing but the installed packages. Each gives a `Corpus`: a stream of
batches that can be gone through again and again, and is never held in memory as a whole unless asked for with
`load`.
"""

from __future__ import annotations

from textsieve.corpus.batch import Batch, Document, Labels, Report
from textsieve.corpus.corpus import Corpus
from textsieve.corpus.named import NAMED, docstrings
from textsieve.corpus.reading import read

__all__ = ["NAMED", "Batch", "Corpus", "Document", "Labels", "Report", "docstrings", "read"]
