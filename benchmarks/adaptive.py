"""Models that learn from a stream with drift: never updated, updated in several ways, and trained again.

`python -m benchmarks.adaptive RESULTS.jsonl` writes docs/research/adaptive-results.md and the charts on it. It needs
Reuters-21578 and 20 Newsgroups in the folder that `TEXTSIEVE_DATA` names, the extra `plots`, and for the rows of river
the package river. It appends a line to the file of results for each stream and classifier, and does not repeat those
that are there already, so it can be interrupted and resumed.

The documents of a stream come in blocks. Each model predicts the labels of a block, and then learns them. Half-lives,
windows and class weights are chosen by the accuracy on the first blocks, and all figures are of the others.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tarfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textsieve import Categorizer, TermCounter, modelfile, read

DOCS = Path(__file__).parents[1] / "docs" / "research"
PAGE = DOCS / "adaptive-results.md"
CLASSIFIERS = ("nb", "cnb", "rocchio")
SELECTOR = "ig"
SETTINGS: dict[str, Any] = {"analyzer": "word", "n_terms": 2_000, "selector": SELECTOR, "probabilities": None}
SELECTORS = ("ig", "chi", "mi", "df", "ocfs", "tofa")
CLASS_WEIGHTS = ("sqrt", "balanced")
SHARE_TO_CHOOSE = 0.3
"""The share of the blocks on which half-lives, windows and class weights are chosen."""
N_RESAMPLES = 2_000
NOT_LEARNED = "never updated"
FIXED, ALL = "fixed terms", "`--keep-stats all`"
HALF_LIFE, WINDOW, WEIGHTS = "... and a half-life", "... and a window", "... and class weights"
AGAIN, AGAIN_USUAL = "trained again", "trained again, usual lengths"
RIVER_CLASSIFIER = "nb"
RIVER = {"river's MultinomialNB": 1.0, "river's MultinomialNB, alpha=0.01": 0.01}
"""Values of alpha: river's default, and that of textsieve. River's ComplementNB takes too long (`river_ratio`)."""

# -- streams -----------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Documents that come together, and when."""

    texts: list[str]
    labels: list[str]
    when: datetime


class Stream(NamedTuple):
    """A stream of documents; the models are trained on the first block."""

    name: str
    title: str
    blocks: list[Block]
    half_lives: tuple[str, ...]
    windows: tuple[int, ...]

    @property
    def first_reported(self) -> int:
        """Return the number of the first block whose figures are reported."""
        return 1 + round(SHARE_TO_CHOOSE * (len(self.blocks) - 1))

    @property
    def chart(self) -> Path:
        """Return the path of the chart."""
        return DOCS / f"adaptive-{self.name}.svg"

    @property
    def share_of_new_classes(self) -> float:
        """Return the share of the reported documents whose class the first block lacks."""
        labels = [label for block in self.blocks[self.first_reported :] for label in block.labels]
        return sum(label not in self.blocks[0].labels for label in labels) / len(labels)

    def settings(self, classifier: str) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the settings to choose from: for each name of a row, the settings by their short names."""
        return {
            HALF_LIFE: {value: {"half_life": value} for value in self.half_lives},
            WINDOW: {f"{value} updates": {"window": value} for value in self.windows},
            WEIGHTS: {value: {"class_weight": value} for value in CLASS_WEIGHTS if classifier != "rocchio"},
        }


REUTERS_BLOCK = 400


def reuters() -> Stream:
    """Return the stories of Reuters-21578 with a single topic, in the order of their dates."""
    folder = Path(os.environ["TEXTSIEVE_DATA"])
    stories = []
    with tarfile.open(folder / "reuters21578.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            if member.name.endswith(".sgm") and (file := archive.extractfile(member)) is not None:
                stories += list(_stories(file.read().decode("latin-1")))
    stories.sort(key=lambda story: story[0])  # stable: stories of the same second stay in the order of the file
    blocks = []
    for start in range(0, len(stories), REUTERS_BLOCK):
        whens, texts, labels = zip(*stories[start : start + REUTERS_BLOCK], strict=True)
        blocks.append(Block(list(texts), list(labels), whens[-1]))
    return Stream(
        "reuters", "Reuters by date", blocks, ("3d", "7d", "14d", "30d", "90d", "1000docs", "4000docs"), (3, 5, 10)
    )


def _stories(page: str) -> Iterator[tuple[datetime, str, str]]:
    """Yield the date, the text and the topic of the stories in a file that have a single topic and a body."""
    for story in re.findall(r"<REUTERS.*?</REUTERS>", page, re.DOTALL):
        topics = re.findall(r"<D>(.*?)</D>", re.search(r"<TOPICS>(.*?)</TOPICS>", story, re.DOTALL)[1])  # type: ignore[index]
        title, body = (re.search(rf"<{tag}>(.*?)</{tag}>", story, re.DOTALL) for tag in ("TITLE", "BODY"))
        date = re.search(r"<DATE>\s*(\d+-[A-Z]{3}-\d{4} \d+:\d+:\d+)", story)
        if len(topics) == 1 and body is not None and date is not None:
            when = datetime.strptime(date[1].title(), "%d-%b-%Y %H:%M:%S").replace(tzinfo=UTC)
            yield when, unescape(f"{title[1] if title else ''}\n{body[1]}"), topics[0]


PER_GROUP = 40
"""How many documents of each newsgroup that has arrived are in a block."""


def newsgroups() -> Stream:
    """Return 20 Newsgroups without headers: with each block, a group arrives that was not there before."""
    by_group: dict[str, list[str]] = {}
    for part in ("train", "test"):
        for text, labels in read(f"newsgroups:{part}:no-headers"):
            by_group.setdefault(labels[0], []).append(text)
    draw = np.random.default_rng(0)
    order = [sorted(by_group)[number] for number in draw.permutation(len(by_group))]
    for texts_of_group in by_group.values():
        draw.shuffle(texts_of_group)
    blocks = []
    for n_groups in range(2, len(order) + 1):
        block_texts: list[str] = []
        block_labels: list[str] = []
        for group in order[:n_groups]:
            block_texts += by_group[group][:PER_GROUP]
            block_labels += [group] * len(by_group[group][:PER_GROUP])
            del by_group[group][:PER_GROUP]
        blocks.append(Block(block_texts, block_labels, datetime(2000, 1, 1, tzinfo=UTC) + timedelta(days=n_groups)))
    half_lives = ("500docs", "1000docs", "2000docs", "8000docs")
    return Stream("newsgroups", "20 Newsgroups, one group after another", blocks, half_lives, (3, 5, 10))


# -- learners ----------------------------------------------------------------------------------------------------


@dataclass
class Learner:
    """A model that predicts blocks and learns them, with the processor time that learning took."""

    predict: Callable[[list[str]], Sequence[Any]]
    learn: Callable[[Block], None]
    model: Categorizer | None = None
    seconds: list[float] = field(default_factory=list)
    right: list[NDArray[np.bool_]] = field(default_factory=list)

    def see(self, block: Block) -> None:
        """Predict the labels of a block, and then learn them."""
        predicted = np.asarray(self.predict(block.texts), object)
        self.right.append(predicted == np.asarray(block.labels, object))
        start = time.process_time()
        self.learn(block)
        self.seconds.append(time.process_time() - start)


def updated(
    classifier: str,
    first: Block,
    keep_stats: bool | str,
    selector: str = SELECTOR,
    class_weight: str | None = "auto",
    **forgetting: Any,
) -> Learner:
    """Return a model of the first block that is updated with each block."""
    settings = SETTINGS | {"selector": selector, "class_weight": class_weight}
    model = Categorizer(**settings, classifier=classifier, keep_stats=keep_stats)
    model.fit(first.texts, first.labels, when=first.when if keep_stats == "all" else None)
    known = set(first.labels)

    def learn(block: Block) -> None:
        if keep_stats == "all":
            model.update(block.texts, block.labels, when=block.when, **forgetting)
            return
        pairs = [pair for pair in zip(block.texts, block.labels, strict=True) if pair[1] in known]
        model.update([text for text, _ in pairs], [label for _, label in pairs])

    return Learner(model.predict, learn, model)


def never_updated(classifier: str, first: Block) -> Learner:
    """Return a model of the first block that learns nothing else."""
    model = Categorizer(**SETTINGS, classifier=classifier).fit(first.texts, first.labels)
    return Learner(model.predict, lambda block: None)


def trained_again(classifier: str, first: Block, keep_stats: bool | str) -> Learner:
    """Return a model that is trained from scratch on all blocks so far, each time."""
    texts, labels = list(first.texts), list(first.labels)
    model = Categorizer(**SETTINGS, classifier=classifier, keep_stats=keep_stats).fit(texts, labels)

    def learn(block: Block) -> None:
        texts.extend(block.texts)
        labels.extend(block.labels)
        model.fit(texts, labels)

    return Learner(model.predict, learn, model)


def river_learner(name: str, first: Block, alpha: float = 1.0) -> Learner | None:
    """Return a naive Bayes of river, on counts of the same words; None if river is not installed."""
    try:
        from river import naive_bayes
    except ImportError:
        return None
    model, words_of = getattr(naive_bayes, name)(alpha), TermCounter(analyzer="word").build_analyzer()

    def learn(block: Block) -> None:
        for text, label in zip(block.texts, block.labels, strict=True):
            model.learn_one(Counter(words_of(text)), label)

    learn(first)
    return Learner(lambda texts: [model.predict_one(Counter(words_of(text))) for text in texts], learn)


def river_ratio(stream: Stream, n_documents: int = 20) -> float | None:
    """Return how many times as long as MultinomialNB river's ComplementNB takes to predict a document."""
    seconds = []
    for name in ("ComplementNB", "MultinomialNB"):
        learner = river_learner(name, stream.blocks[0])
        if learner is None:
            return None
        start = time.process_time()
        learner.predict(stream.blocks[1].texts[:n_documents])
        seconds.append(time.process_time() - start)
    return seconds[0] / seconds[1]


def learned(learner: Learner) -> bytes:
    """Return the bytes of a model without the facts about its training."""
    model = learner.model
    assert model is not None
    return modelfile.encode(replace(model.model_, about={}))


# -- runs --------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Which documents of each block a learner got right, and the seconds of the processor to learn each."""

    right: list[NDArray[np.bool_]]
    seconds: list[float]


class Run(NamedTuple):
    """The outcomes of all learners of a stream and a classifier."""

    stream: Stream
    classifier: str
    outcomes: dict[str, Outcome]
    """By the name of the learner; for settings to choose from, by the name of the row and of the setting."""
    selectors: dict[str, float]
    """The accuracy on the first blocks by selector, without forgetting."""
    first_terms_left: list[int]
    """After each block, how many of the terms of the first model are still selected by `ALL`."""
    river_ratio: float | None
    made_with: dict[str, str]

    def chosen(self, row: str) -> str | None:
        """Return the setting of a row with the highest accuracy on the first blocks; None if it has no settings."""
        settings = self.stream.settings(self.classifier)[row]
        return max(settings, key=lambda setting: self.early(f"{row}: {setting}"), default=None)

    def early(self, name: str) -> float:
        """Return the accuracy of a learner on the first blocks, which are not reported."""
        return float(np.concatenate(self.outcomes[name].right[: self.stream.first_reported - 1]).mean())

    def reported(self, name: str) -> NDArray[np.bool_]:
        """Return which documents of the reported blocks a learner got right."""
        return np.concatenate(self.outcomes[name].right[self.stream.first_reported - 1 :])

    def accuracy(self, name: str) -> float:
        """Return the accuracy of a learner on the reported blocks."""
        return float(self.reported(name).mean())

    def rows(self) -> dict[str, str]:
        """Return the names of outcomes by the rows of the table; with the setting that was chosen."""
        chosen = [(row, self.chosen(row)) for row in (WEIGHTS, HALF_LIFE, WINDOW)]
        rivers = [name for name in RIVER if name in self.outcomes]
        return (
            {name: name for name in (NOT_LEARNED, FIXED, ALL)}
            | {row: f"{row}: {setting}" for row, setting in chosen if setting is not None}
            | {name: name for name in (AGAIN, AGAIN_USUAL, *rivers)}
        )


def see_all(learner: Learner, blocks: Sequence[Block]) -> Outcome:
    """Let a learner predict and learn blocks."""
    for block in blocks:
        learner.see(block)
    return Outcome(learner.right, learner.seconds)


def run(stream: Stream, classifier: str) -> Run:
    """Let all learners see the stream."""
    first, *rest = stream.blocks
    outcomes = {
        f"{row}: {name}": see_all(updated(classifier, first, "all", **setting), rest)
        for row, settings in stream.settings(classifier).items()
        for name, setting in settings.items()
    }
    outcomes[NOT_LEARNED] = see_all(never_updated(classifier, first), rest)
    outcomes[FIXED] = see_all(updated(classifier, first, True), rest)
    outcomes[AGAIN_USUAL] = see_all(trained_again(classifier, first, False), rest)
    updated_model, trained_model = updated(classifier, first, "all"), trained_again(classifier, first, "all")
    first_terms, first_terms_left = set(terms_of(updated_model)), []
    for block in rest:
        updated_model.see(block)
        trained_model.see(block)
        if learned(updated_model) != learned(trained_model):
            raise AssertionError("an updated model differs from one that is trained again")
        first_terms_left.append(len(first_terms.intersection(terms_of(updated_model))))
    outcomes |= {
        name: Outcome(learner.right, learner.seconds)
        for name, learner in ((ALL, updated_model), (AGAIN, trained_model))
    }
    ratio = None
    if classifier == RIVER_CLASSIFIER:
        ratio = river_ratio(stream)
        for name, alpha in RIVER.items():
            if (learner := river_learner("MultinomialNB", first, alpha)) is not None:
                outcomes[name] = see_all(learner, rest)
    early = rest[: stream.first_reported - 1]
    selectors = {
        selector: float(np.concatenate(see_all(updated(classifier, first, "all", selector), early).right).mean())
        for selector in SELECTORS
    }
    return Run(stream, classifier, outcomes, selectors, first_terms_left, ratio, made_with())


def terms_of(learner: Learner) -> list[str]:
    """Return the selected terms of a learner that has a model."""
    assert learner.model is not None
    return list(learner.model.terms_)


def made_with() -> dict[str, str]:
    """Return the commit, and the versions of Python and of the packages that the figures depend on."""
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    versions = {"commit": git.stdout.strip(), "Python": platform.python_version()}
    for package in ("numpy", "river"):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def warm_up(stream: Stream) -> None:
    """Compile all kernels, so that their compilation is not measured."""
    first, second, *_ = stream.blocks
    for classifier in CLASSIFIERS:
        updated(classifier, first, True).see(second)
        updated(classifier, first, "all").see(second)
    trained_again(CLASSIFIERS[0], first, False).see(second)


def resumed_runs(streams: Sequence[Stream], results: Path) -> Iterator[Run]:
    """Yield the runs of all streams and classifiers; those that the file of results lacks are made and added to it."""
    stored = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    is_warm = False
    for stream, classifier in product(streams, CLASSIFIERS):
        row = next((row for row in stored if (row["stream"], row["classifier"]) == (stream.title, classifier)), None)
        if row is None:
            if not is_warm:
                warm_up(stream)
                is_warm = True
            new = run(stream, classifier)
            row = new._asdict() | {"stream": stream.title}
            row["outcomes"] = {
                name: [["".join("01"[flag] for flag in block.tolist()) for block in outcome.right], outcome.seconds]
                for name, outcome in new.outcomes.items()
            }
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        outcomes = {
            name: Outcome([np.array(list(map(int, block)), np.bool_) for block in right], seconds)
            for name, (right, seconds) in row["outcomes"].items()
        }
        yield Run(**(row | {"stream": stream, "outcomes": outcomes}))


# -- the page ----------------------------------------------------------------------------------------------------


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    all_runs = list(resumed_runs([reuters(), newsgroups()], Path(sys.argv[1])))
