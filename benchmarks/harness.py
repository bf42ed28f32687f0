"""How a comparison is run, and what is kept of it.

Two ways of the same job take turns, so that whatever else the machine does hits both; the median of each is taken, and
the ratio of the medians is the result. What is compiled is compiled before the clock starts.
"""

from __future__ import annotations

import gc
import multiprocessing
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Job = Callable[[], object]


@dataclass(frozen=True)
class Result:
    """One row of a table: how long ours and theirs took, and what was aimed at."""

    job: str
    ours: float
    theirs: float | None = None
    other: str = ""
    target: float | None = None  # the least ratio theirs / ours
    limit: float | None = None  # the most seconds of ours
    why: str = ""  # said if the aim is missed

    @property
    def ratio(self) -> float | None:
        """How many times as fast ours is."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def verdict(self) -> str:
        """Whether the aim was met, and by how much it was missed if not."""
        if self.target is not None and self.ratio is not None:
            reason = f": {self.why}" if self.why else ""
            return "met" if self.ratio >= self.target else f"**missed**, by {1 - self.ratio / self.target:.0%}{reason}"
        if self.limit is not None:
            return "met" if self.ours <= self.limit else f"**missed**, by {self.ours / self.limit - 1:.0%}"
        return "**slower**" if self.ratio is not None and self.ratio < 1 else ""

    @property
    def aim(self) -> str:
        """The aim in words."""
        if self.target is not None:
            return f"{self.target:g} times as fast"
        return f"under {seconds(self.limit)}" if self.limit is not None else ""


def versus(
    job: str,
    ours: Job,
    theirs: Job,
    other: str,
    *,
    target: float | None = None,
    limit: float | None = None,
    repeats: int = 7,
    their_repeats: int = 3,
    loops: int = 1,
    why: str = "",
) -> Result:
    """Let two ways of the same job take turns. A job of microseconds is done in `loops` at a time."""
    ours()
    if their_repeats > 1:
        theirs()
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(max(repeats, their_repeats)):
        for way, spent, most in ((theirs, times[1], their_repeats), (ours, times[0], repeats)):
            if turn < most:
                spent.append(timed(way, loops))
    return Result(job, statistics.median(times[0]), statistics.median(times[1]), other, target, limit, why)


def timed(job: Job, loops: int = 1) -> float:
    """Seconds for one run, with the garbage of the one before swept away."""
    gc.collect()
    begin = time.perf_counter()
    for _ in range(loops):
        job()
    return (time.perf_counter() - begin) / loops


def peak_growth(prepare: Callable[[], Callable[[], object]]) -> int:
    """By how many bytes a job raises the peak memory of a fresh process in which all is prepared."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return int(pool.apply(_growth, (prepare,)))


def _growth(prepare: Callable[[], Callable[[], object]]) -> int:
    job = prepare()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak starts anew from what is in use now
    before = peak()
    result = job()
    growth = peak() - before
    del result
    return growth


def peak() -> int:
    """The most memory that this process had; what `getrusage` says of it, a child has from its parent."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def seconds(value: float | None) -> str:
    """A time for people."""
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def figure(ratio: float) -> str:
    """A ratio for people."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def table(results: list[Result]) -> str:
    """The results as a Markdown table."""
    lines = ["| job | textsieve | theirs | ratio | aim | |", "|---|---:|---:|---:|---|---|"]
    for result in results:
        theirs = "" if result.theirs is None else f"{seconds(result.theirs)} ({result.other})"
        ratio = "" if result.ratio is None else figure(result.ratio)
        lines.append(
            f"| {result.job} | {seconds(result.ours)} | {theirs} | {ratio} | {result.aim} | {result.verdict} |"
        )
    return "\n".join(lines)
