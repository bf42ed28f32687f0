"""How long a trained classifier takes for the tested documents of the first fold, from counts to labels.

Seconds of the processor, on one core, as the papers had it; classifiers take turns, so that what else the machine does
falls on all of them. Few documents are done without the kernels, which would take longer to load; so that all
classifiers go the same way, they predict the documents several times over in one go, and the seconds are those of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import thread_time
from typing import Any, ClassVar, NamedTuple, Self

from scipy.sparse import vstack
from sklearn.neighbors import KNeighborsClassifier

from textsieve.comparison.folds import Fold, FoldCache
from textsieve.comparison.plan import Size

from .documents import Collection
from .learning import Drop, Learned, Learner
from .measurements import Measured, Measurement, Scope, Tell, by_attributes

REPEATS = 3
"""Times are the median of so many, after one that loads what is compiled."""
LONG = 3.0
"""What has taken so many seconds, after the first time, is not repeated."""
COPIES = 6
"""So many times the documents are predicted in one go."""
EVERY_COSINE = "every cosine"


@dataclass(frozen=True)
class PredictionSeconds(Measurement):
    """Seconds of predicting."""

    is_of_seconds: ClassVar[bool] = True

    collection: Collection
    selector: str
    n_terms: Size
    classifier: str
    """A variant, as `compare` takes it."""
    drop: Drop | None = None
    search: str = ""
    """"every cosine": how scikit-learn finds neighbours, for comparison."""

    @classmethod
    def measure_all(cls, wanted: Sequence[Self], scope: Scope, tell: Tell) -> Iterator[tuple[Self, Measured]]:
        """Train all classifiers of a number of terms, then time them."""
        for (collection,), some in by_attributes(wanted, "collection").items():
            shared = Fold(0, collection.documents(scope)).shared
            learner = Learner(some, collection.settings, 1)
            for (_, n_terms), group in by_attributes(some, "selector", "n_terms").items():
                tell(f"{collection.corpus}: seconds with {n_terms} terms")
                yield from _timed(learner, shared, group, scope.some(REPEATS))


def _timed(learner: Learner, shared: FoldCache, group: Sequence[Any], repeats: int) -> Iterator[tuple[Any, Measured]]:
    jobs = {each: _job(learner.learn(shared, each), each.search) for each in group}
    seconds: dict[Any, list[float]] = {each: [] for each in group}
    for _ in range(repeats + 1):
        for each, job in jobs.items():
            if sum(seconds[each][1:]) < LONG:
                begin = thread_time()
                job.predict()
                seconds[each].append((thread_time() - begin) / job.copies)
    yield from ((each, Measured(median(found[1:]))) for each, found in seconds.items())


class Job(NamedTuple):
    """What is timed, and how many times it predicts the documents."""

    predict: Callable[[], object]
    copies: int


def _job(learned: Learned, search: str) -> Job:
    if search != EVERY_COSINE:
        many = vstack([learned.split.test] * COPIES, format="csr")
        return Job(learned._replace(split=learned.split._replace(test=many)).predict, COPIES)
    rows, test_rows = learned.weights()
    neighbours = KNeighborsClassifier(learned.training.classifier.k, metric="cosine", algorithm="brute")
    neighbours.fit(rows, learned.split.train_targets.first)
    return Job(lambda: neighbours.predict(test_rows), 1)
