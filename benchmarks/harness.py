"""Time textsieve beside another implementation of the same job, and format the results.

The two run in turns, so that other load on the machine affects both. The result is the ratio of their median times.
Kernels are compiled before the clock starts.
"""

from __future__ import annotations

import gc
import multiprocessing
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

Job = Callable[[], object]


@dataclass(frozen=True)
class Result:
    """One row of a table: the seconds of textsieve and of the other implementation, and the aim."""

    job: str
    ours: float
    """Seconds of textsieve."""
    theirs: float | None = None
    """Seconds of the other implementation."""
    other: str = ""
    """The name of the other implementation."""
    target: float | None = None
    """The smallest ratio `theirs / ours` that meets the aim."""
    limit: float | None = None
    """The most seconds of textsieve that meet the aim."""
    why: str = ""
    """The reason why the aim is missed; shown only then."""

    @property
    def ratio(self) -> float | None:
        """Return how many times as fast textsieve is."""
        return None if self.theirs is None else self.theirs / self.ours

    @property
    def verdict(self) -> str:
        """Return whether the aim was met, and by how much it was missed if not."""
        if self.target is not None and self.ratio is not None:
            reason = f": {self.why}" if self.why else ""
            return "met" if self.ratio >= self.target else f"**missed**, by {1 - self.ratio / self.target:.0%}{reason}"
        if self.limit is not None:
            return "met" if self.ours <= self.limit else f"**missed**, by {self.ours / self.limit - 1:.0%}"
        return "**slower**" if self.ratio is not None and self.ratio < 1 else ""

    @property
    def aim(self) -> str:
        """Return the aim in words."""
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
    """Time two implementations of the same job in turns, and return their median seconds.

    The first run of each is not timed, unless the other implementation is so slow that it runs only once. A job of
    microseconds is repeated `loops` times for one measurement.
    """
    ours()
    if their_repeats > 1:
        theirs()
    our_seconds: list[float] = []
    their_seconds: list[float] = []
    for turn in range(max(repeats, their_repeats)):
        if turn < their_repeats:
            their_seconds.append(timed(theirs, loops))
        if turn < repeats:
            our_seconds.append(timed(ours, loops))
    return Result(job, statistics.median(our_seconds), statistics.median(their_seconds), other, target, limit, why)


def timed(job: Job, loops: int = 1) -> float:
    """Return the seconds of one run; the garbage of earlier runs is collected before the clock starts."""
    gc.collect()
    begin = time.perf_counter()
    for _ in range(loops):
        job()
    return (time.perf_counter() - begin) / loops


def peak_growth(prepare: Callable[[], Callable[[], object]]) -> int:
    """Return by how many bytes a job raises the peak memory of a fresh process.

    `prepare` runs in that process first, loads all data and kernels, and returns the job.
    """
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return int(pool.apply(_growth, (prepare,)))


def _growth(prepare: Callable[[], Callable[[], object]]) -> int:
    job = prepare()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # Linux: reset the peak to the memory in use now
    before = peak()
    result = job()
    growth = peak() - before
    del result
    return growth


def peak() -> int:
    """Return the peak memory of this process in bytes.

    `getrusage` is no substitute: a child process inherits its value from the parent.
    """
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def made_with(*packages: str) -> dict[str, str]:
    """Return the commit, and the versions of Python and of those of the packages that are installed."""
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    versions = {"commit": git.stdout.strip(), "Python": platform.python_version()}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def seconds(value: float | None) -> str:
    """Return a time as text with a fitting unit, or an empty text for None."""
    if value is None:
        return ""
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"


def figure(ratio: float) -> str:
    """Return a ratio as text, with more digits the smaller it is."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def table(results: list[Result]) -> str:
    """Return the results as a Markdown table."""
    lines = ["| job | textsieve | theirs | ratio | aim | |", "|---|---:|---:|---:|---|---|"]
    for result in results:
        theirs = "" if result.theirs is None else f"{seconds(result.theirs)} ({result.other})"
        ratio = "" if result.ratio is None else figure(result.ratio)
        lines.append(
            f"| {result.job} | {seconds(result.ours)} | {theirs} | {ratio} | {result.aim} | {result.verdict} |"
        )
    return "\n".join(lines)
