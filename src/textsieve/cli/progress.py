"""Progress bars on standard error, if that is a terminal; they vanish when the work is done."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..corpus import Batch, Corpus, Report

Tell = Callable[[str, int, int | None], None]
"""Told the stage, what is done of it, and how much it is in all, if that is known."""


@contextmanager
def progress(*, wanted: bool = True) -> Iterator[Tell]:
    """What is to be told how far the work is."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"))
    with Bars(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bars:
        stages: dict[str, object] = {}

        def tell(stage: str, done: int, total: int | None) -> None:
            if stage not in stages:
                for task in bars.task_ids:
                    bars.remove_task(task)
                stages.clear()
                stages[stage] = bars.add_task(stage, total=total, done="")
            shown = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            bars.update(bars.task_ids[0], completed=done, total=total, done=shown)

        yield tell


def watched(corpus: Corpus, stage: str, tell: Tell) -> Corpus:
    """The same corpus, whose passes are told of."""

    def start(_: Report) -> Iterator[Batch]:
        done = 0
        for batch in corpus.batches():
            yield batch
            done += len(batch)
            tell(stage, done, None)

    return Corpus(corpus.name, start, multilabel=corpus.multilabel)
