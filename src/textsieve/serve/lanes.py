"""The threads that predict: short requests go one way, long ones another, so that none waits for a long one.

*Short.* One thread takes whatever short requests have come, and predicts the texts of all of them at once: that takes
little longer than one of them alone, and one call to the loop brings all answers. So the more there are to do, the
less each of them costs.

*Long.* Others go to a few threads, in parts; between two parts it is seen whether anybody still waits. Python runs one
thread at a time and changes every few milliseconds, so short requests take turns with long ones.

*Other work* that takes long can't be done in parts: the explanation of a long text, a search in many terms, a
correction that is to be on the disk. Each of the three kinds has one thread, so that a correction does not wait for
explanations, and at most one of a kind takes turns with all others.

A request that is not answered in time is given up, and so is one whose caller has gone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Literal, get_args

from ..prediction import Predictions
from ..text.documents import FEW_CHARACTERS
from .answers import predictions_json
from .limits import Limits
from .loaded import Loaded
from .refusals import Refused

MOST_TOGETHER = 64
"""Short requests that are answered at once."""
SHORT = FEW_CHARACTERS // 4
"""Characters of a short request, of which a few at a time are counted in plain Python; a document counts for some."""
A_DOCUMENT = 64
PART = 1 << 18
"""Characters of a part of a long request."""


Kind = Literal["explain", "search", "correct"]
"""Other work than to predict."""
Wanted = Callable[[], bool]
"""Whether anybody still waits."""
Work = Callable[[Wanted], bytes]
"""Returns the response; it may look now and then whether it is still wanted, and raise `GivenUp` if not."""


class GivenUp(Exception):
    """Nobody waits for what is being done."""


@dataclass(eq=False, slots=True)
class Job:
    """A request that waits for its answer."""

    answered: asyncio.Future[bytes]
    loaded: Loaded
    effort: int  # characters, and some for each document
    texts: list[str]
    top: int | None = None
    other: Work | None = None  # what is to be done, if it is not to predict
    given_up: bool = False

    def is_wanted(self) -> bool:
        """Whether anybody still waits."""
        return not self.given_up


class Lanes:
    """Answers requests in threads; belongs to the event loop in which it was made."""

    def __init__(self, limits: Limits, n_threads: int) -> None:
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._short: SimpleQueue[Job | None] = SimpleQueue()
        self._long = ThreadPoolExecutor(n_threads, thread_name_prefix="textsieve-long")
        self._others = {kind: ThreadPoolExecutor(1, thread_name_prefix=f"textsieve-{kind}") for kind in get_args(Kind)}
        self._thread = threading.Thread(target=self._answer_short, name="textsieve-short", daemon=True)
        self._thread.start()
        self._open: dict[Job, float] = {}
        self._is_watched = False

    @property
    def waiting(self) -> int:
        """Requests that are not answered yet."""
        return len(self._open)

    async def predict(self, loaded: Loaded, texts: list[str], top: int | None) -> bytes:
        """The answer to a request for predictions."""
        effort = sum(map(len, texts)) + A_DOCUMENT * len(texts)
        job = Job(self._loop.create_future(), loaded, effort, texts, top)
        return await self._done(job, self._long if effort > SHORT else None)

    async def work(self, kind: Kind, loaded: Loaded, effort: int, work: Work) -> bytes:
        """Return the response to a request that takes other work, on so many characters.

        A correction is long whatever its text: it waits for the disk, and predictions must not wait with it.
        """
        is_long = kind == "correct" or effort > SHORT
        job = Job(self._loop.create_future(), loaded, effort, [], other=work)
        return await self._done(job, self._others[kind] if is_long else None)

    def close(self) -> None:
        """End the threads, as soon as they have done what they do."""
        self._short.put(None)
        for threads in (self._long, *self._others.values()):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _done(self, job: Job, threads: ThreadPoolExecutor | None) -> bytes:
        """Return what comes of a job that goes to some threads, or to the thread for short requests."""
        if self.waiting >= self._limits.requests:
            raise Refused("busy", f"{self.waiting:,} requests are being answered already; try again in a second.")
        if not self._is_watched:
            self._is_watched = True
            self._loop.call_later(self._limits.seconds, self._look_at_the_clock)
        self._open[job] = self._loop.time() + self._limits.seconds
        try:
            if threads is None:
                self._short.put(job)
            else:
                threads.submit(self._answer_long, job)
            return await job.answered
        finally:
            del self._open[job]
            job.given_up = True

    def _look_at_the_clock(self) -> None:
        """Give up what is too late; look again when the next may be."""
        now = self._loop.time()
        for job, deadline in self._open.items():  # in the order in which they came, so the first are the latest
            if deadline > now:
                self._loop.call_at(deadline, self._look_at_the_clock)
                return
            self._give_up(job)
        self._is_watched = False

    def _give_up(self, job: Job) -> None:
        if not job.answered.done():
            seconds = f"{self._limits.seconds:g} seconds"
            problem = Refused("timeout", f"No answer within {seconds}; send fewer or shorter documents, or try again.")
            job.answered.set_exception(problem)

    # -- in threads ----------------------------------------------------------------------------------------------

    def _answer_short(self) -> None:
        while jobs := self._next_jobs():
            self._tell(outcomes(jobs))

    def _next_jobs(self) -> list[Job]:
        """The jobs that have come, at least one; none at the end."""
        jobs: list[Job] = []
        effort = 0
        while len(jobs) < MOST_TOGETHER and effort < FEW_CHARACTERS - SHORT:
            try:
                job = self._short.get(block=not jobs)
            except Empty:
                break
            if job is None:
                self._short.put(None)
                break
            jobs.append(job)
            effort += job.effort
        return jobs

    def _answer_long(self, job: Job) -> None:
        try:
            found = None if job.given_up else _in_parts(job)
        except GivenUp:
            return
        except Exception as problem:
            self._tell([(job, problem)])
        else:
            if found is not None:
                self._tell([(job, found)])

    def _tell(self, found: list[tuple[Job, bytes | Exception]]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_deliver, found)


def _deliver(found: list[tuple[Job, bytes | Exception]]) -> None:
    for job, outcome in found:
        if job.answered.done():
            continue
        if isinstance(outcome, Exception):
            job.answered.set_exception(outcome)
        else:
            job.answered.set_result(outcome)


def outcomes(jobs: list[Job]) -> list[tuple[Job, bytes | Exception]]:
    """The answer to each of some short requests, or what went wrong; those for one model are predicted at once."""
    found: list[tuple[Job, bytes | Exception]] = []
    together: dict[int, list[Job]] = {}
    for job in jobs:
        if job.given_up:
            continue
        if job.other is None:
            together.setdefault(id(job.loaded), []).append(job)
        else:
            found.append((job, _tried(job)))
    for group in together.values():
        try:
            found += zip(group, _predicted_together(group), strict=True)
        except Exception as problem:
            if len(group) == 1:
                found.append((group[0], problem))
            else:  # one of them is to blame, and not the others
                found += [each for job in group for each in outcomes([job])]
    return found


def _predicted_together(jobs: list[Job]) -> list[bytes]:
    loaded = jobs[0].loaded
    found = loaded.model.predict([text for job in jobs for text in job.texts])
    loaded.count(found)
    answers, begin = [], 0
    for job in jobs:
        end = begin + len(job.texts)
        own = Predictions(found.labels[begin:end], found.scores[begin:end], found.is_unknown[begin:end])
        answers.append(predictions_json(loaded.records(job.top).of(own)))
        begin = end
    return answers


def _in_parts(job: Job) -> bytes | None:
    """The answer to a long request; None if nobody waits for it any more."""
    if job.other is not None:
        return job.other(job.is_wanted)
    records: list[dict[str, Any]] = []
    for part in parts(job.texts):
        if job.given_up:
            return None
        found = job.loaded.model.predict(part)
        job.loaded.count(found)
        records += job.loaded.records(job.top).of(found)
    return predictions_json(records)


def parts(texts: list[str]) -> Iterator[list[str]]:
    """The texts in parts of so many characters, at least one text in each."""
    part: list[str] = []
    effort = 0
    for text in texts:
        part.append(text)
        effort += len(text) + A_DOCUMENT
        if effort >= PART:
            yield part
            part, effort = [], 0
    if part:
        yield part


def _tried(job: Job) -> bytes | Exception:
    assert job.other is not None
    try:
        return job.other(job.is_wanted)
    except Exception as problem:
        return problem
