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
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """How long it will take, once that can be told."""

        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(time_left(task.time_remaining))

    columns = (SpinnerColumn("line"), TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"))
    with Bars(*columns, TimeElapsedColumn(), TimeLeft(), console=Console(stderr=True), transient=True) as bars:
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


def time_left(seconds: float | None) -> str:
    """How long it will take in words; nothing if that is not known, or nothing is left."""
    if not seconds:
        return ""
    minutes, hours = seconds / 60, seconds / 3600
    if hours >= 1.5:
        return f"about {hours:.0f} hours left"
    return f"about {minutes:.0f} min left" if minutes >= 1.5 else f"about {seconds:.0f} s left"


def watched(corpus: Corpus, stage: str, tell: Tell) -> Corpus:
    """The same corpus, whose passes are told of."""

    def start(_: Report) -> Iterator[Batch]:
        done = 0
        for batch in corpus.batches():
            yield batch
            done += len(batch)
            tell(stage, done, None)

    return Corpus(corpus.name, start, multilabel=corpus.multilabel)
