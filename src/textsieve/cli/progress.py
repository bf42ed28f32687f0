"""Show the progress of a command, and of reading a corpus."""

from collections.abc import Iterator

from ..corpus import Batch, Corpus, Report
from ..progress import Progress as ProgressCallback
from ..progress import progress_display as progress

__all__ = ["ProgressCallback", "progress", "with_progress"]


def with_progress(corpus: Corpus, stage: str, on_progress: ProgressCallback) -> Corpus:
    """Return a corpus of the same documents that calls `on_progress` after each batch, in every pass.

    A pass also fills the report of `corpus`, from which callers print warnings; only that report has skipped items and
    replaced bytes.
    """

    def start(report: Report) -> Iterator[Batch]:
        done = 0
        for batch in corpus.batches(places=report.places):
            yield batch
            done += len(batch)
            on_progress(stage, done, None)

    return Corpus(
        corpus.name,
        start,
        multilabel=corpus.multilabel,
        sample_columns=corpus.sample_columns,
        tables=corpus.tables,
    )
