"""Models that learn from a stream with drift: never updated, updated in several ways, and trained again.

`python -m benchmarks.adaptive RESULTS.jsonl` writes docs/research/adaptive-results.md and adaptive.svg there. It needs
Reuters-21578 and 20 Newsgroups in the folder that `TEXTSIEVE_DATA` names, the extra `plots`, and for the rows of river
the package river. It appends a line to the file of results for each stream and classifier, and does not repeat those
that are there already, so it can be interrupted and resumed.

The documents of a stream come in blocks. Each model predicts the labels of a block, and then learns them. The settings
that forget are chosen by the accuracy on the first blocks, and all figures are of the others.
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
from functools import partial
from html import unescape
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textsieve import Categorizer, TermCounter, modelfile, read

DOCS = Path(__file__).parents[1] / "docs" / "research"
PAGE, CHART = DOCS / "adaptive-results.md", DOCS / "adaptive.svg"
CLASSIFIERS = ("nb", "cnb", "rocchio")
SELECTOR = "ig"
SETTINGS: dict[str, Any] = {"analyzer": "word", "n_terms": 2_000, "selector": SELECTOR, "probabilities": None}
SELECTORS = ("ig", "chi", "mi", "df", "ocfs", "tofa")
SHARE_TO_CHOOSE = 0.3
"""The share of the blocks on which half-lives and windows are chosen."""
N_RESAMPLES = 2_000
NOT_LEARNED = "never updated"
FIXED, ALL, HALF_LIFE, WINDOW = "fixed terms", "`--keep-stats all`", "... with a half-life", "... with a window"
AGAIN, AGAIN_USUAL = "trained again", "trained again, usual lengths"
RIVER = {"nb": "MultinomialNB"}
"""River's naive Bayes by our name; its ComplementNB takes too long for a stream (`river_ratio`)."""

# -- streams -----------------------------------------------------------------------------------------------------


class Block(NamedTuple):
    """Documents that come together, and when."""

    texts: list[str]
    labels: list[str]
    when: datetime


class Stream(NamedTuple):
    """A stream of documents; the models are trained on the first block."""

    title: str
    blocks: list[Block]
    half_lives: tuple[str, ...]
    windows: tuple[int, ...]

    @property
    def first_reported(self) -> int:
        """Return the number of the first block whose figures are reported."""
        return 1 + round(SHARE_TO_CHOOSE * (len(self.blocks) - 1))


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
    return Stream("Reuters by date", blocks, ("3d", "7d", "14d", "30d", "90d", "1000docs", "4000docs"), (3, 5, 10))


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
    return Stream(
        "20 Newsgroups, one group after another", blocks, ("500docs", "1000docs", "2000docs", "8000docs"), (3, 5, 10)
    )


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
    classifier: str, first: Block, keep_stats: bool | str, selector: str = SELECTOR, **forgetting: Any
) -> Learner:
    """Return a model of the first block that is updated with each block."""
    model = Categorizer(**(SETTINGS | {"selector": selector}), classifier=classifier, keep_stats=keep_stats)
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


def river_learner(name: str, first: Block) -> Learner | None:
    """Return a naive Bayes of river, on counts of the same words; None if river is not installed."""
    try:
        from river import naive_bayes
    except ImportError:
        return None
    model, words_of = getattr(naive_bayes, name)(), TermCounter(analyzer="word").build_analyzer()

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
    """Which documents of each block a learner got right, and how long it learned from each."""

    right: list[NDArray[np.bool_]]
    seconds: list[float]


class Run(NamedTuple):
    """The outcomes of all learners of a stream and a classifier by name, and what was chosen."""

    stream: Stream
    classifier: str
    learners: dict[str, Outcome]
    chosen: dict[str, Any]
    selectors: dict[str, float]
    """The accuracy on the first blocks by selector, without forgetting."""
    first_terms_left: list[int]
    """After each block, how many of the terms of the first model are still selected by `ALL`."""
    n_updated: int
    """The number of models that were compared with those that were trained again, byte by byte."""
    made_with: dict[str, str]


def early_accuracy(stream: Stream, classifier: str, **settings: Any) -> float:
    """Return the accuracy of a model on the first blocks, which are not reported."""
    first, *rest = stream.blocks
    learner = updated(classifier, first, "all", **settings)
    for block in rest[: stream.first_reported - 1]:
        learner.see(block)
    return float(np.concatenate(learner.right).mean())


def run(stream: Stream, classifier: str) -> Run:
    """Choose half-life and window on the first blocks, and let all learners see the stream."""
    first, *rest = stream.blocks
    accuracy = partial(early_accuracy, stream, classifier)
    chosen = {
        "half_life": max(stream.half_lives, key=lambda half_life: accuracy(half_life=half_life)),
        "window": max(stream.windows, key=lambda window: accuracy(window=window)),
        "none": accuracy(),
    }
    chosen["accuracy"] = {name: accuracy(**{name: chosen[name]}) for name in ("half_life", "window")}
    learners: dict[str, Learner | None] = {
        NOT_LEARNED: never_updated(classifier, first),
        FIXED: updated(classifier, first, True),
        ALL: updated(classifier, first, "all"),
        HALF_LIFE: updated(classifier, first, "all", half_life=chosen["half_life"]),
        WINDOW: updated(classifier, first, "all", window=chosen["window"]),
        AGAIN: trained_again(classifier, first, "all"),
        AGAIN_USUAL: trained_again(classifier, first, False),
    }
    if classifier in RIVER:
        learners[f"river's {RIVER[classifier]}"] = river_learner(RIVER[classifier], first)
    present = {name: learner for name, learner in learners.items() if learner is not None}
    first_terms, first_terms_left = set(terms_of(present[ALL])), []
    for block in rest:
        for learner in present.values():
            learner.see(block)
        is_same = learned(present[ALL]) == learned(present[AGAIN])
        if not is_same:
            raise AssertionError("an updated model differs from one that is trained again")
        first_terms_left.append(len(first_terms.intersection(terms_of(present[ALL]))))
    outcomes = {name: Outcome(learner.right, learner.seconds) for name, learner in present.items()}
    selectors = {selector: accuracy(selector=selector) for selector in SELECTORS}
    return Run(stream, classifier, outcomes, chosen, selectors, first_terms_left, len(rest), made_with())


def terms_of(learner: Learner) -> list[str]:
    """Return the selected terms of a learner that has a model."""
    assert learner.model is not None
    return list(learner.model.terms_)


def made_with() -> dict[str, str]:
    """Return the commit, and the versions of Python and of the packages that the figures depend on."""
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    versions = {"commit": git.stdout.strip(), "Python": platform.python_version()}
    for package in ("textsieve", "numpy", "river"):
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def resumed_runs(streams: Sequence[Stream], results: Path) -> Iterator[Run]:
    """Yield the runs of all streams and classifiers; those that the file of results lacks are made and added to it."""
    stored = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    for stream, classifier in product(streams, CLASSIFIERS):
        row = next((row for row in stored if (row["stream"], row["classifier"]) == (stream.title, classifier)), None)
        if row is None:
            new = run(stream, classifier)
            row = {"stream": stream.title, "classifier": classifier}
            row |= {name: value for name, value in new._asdict().items() if name not in ("stream", "classifier")}
            row["learners"] = {
                name: [["".join("01"[flag] for flag in block.tolist()) for block in outcome.right], outcome.seconds]
                for name, outcome in new.learners.items()
            }
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
        learners = {
            name: Outcome([np.array(list(map(int, block)), np.bool_) for block in right], seconds)
            for name, (right, seconds) in row["learners"].items()
        }
        yield Run(**(row | {"stream": stream, "learners": learners}))


# -- the page ----------------------------------------------------------------------------------------------------


def reported(run: Run, name: str) -> NDArray[np.bool_]:
    """Return which documents of the reported blocks a learner got right."""
    return np.concatenate(run.learners[name].right[run.stream.first_reported - 1 :])


def difference(run: Run, name: str) -> str:
    """Return the difference of a learner's accuracy to that of `ALL`, with its 95% interval by bootstrap."""
    paired = reported(run, name).astype(float) - reported(run, ALL)
    draw = np.random.default_rng(0)
    means = [paired[draw.integers(0, len(paired), len(paired))].mean() for _ in range(N_RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{paired.mean():+.3f} ({low:+.3f} to {high:+.3f})"


def accuracy_table(runs: list[Run]) -> str:
    """Return the table of accuracies and of the time of learning."""
    lines = [
        "| stream | classifier | model | accuracy | difference to `--keep-stats all`, 95% interval | time to learn |",
        "|---|---|---|---:|---|---:|",
    ]
    for run in runs:
        unit = sum(run.learners[ALL].seconds)
        for name, learner in run.learners.items():
            shown = name
            if name in (HALF_LIFE, WINDOW):
                value = run.chosen["half_life" if name == HALF_LIFE else "window"]
                shown = f"{name}, {value}{'' if name == HALF_LIFE else ' updates'}"
            ratio = "" if name == NOT_LEARNED else f"{sum(learner.seconds) / unit:.1f}"
            compared = "" if name == ALL else difference(run, name)
            cells = (run.stream.title, f"`{run.classifier}`", shown, f"{reported(run, name).mean():.3f}", compared)
            lines.append(f"| {' | '.join((*cells, ratio))} |")
    return "\n".join(lines)


def choice_table(runs: list[Run]) -> str:
    """Return the table of what was chosen on the first blocks."""
    lines = [
        "| stream | classifier | without forgetting | best half-life | accuracy | best window | accuracy |",
        "|---|---|---:|---|---:|---:|---:|",
    ]
    for run in runs:
        best = run.chosen
        lines.append(
            f"| {run.stream.title} | `{run.classifier}` | {best['none']:.3f} | {best['half_life']} | "
            f"{best['accuracy']['half_life']:.3f} | {best['window']} | {best['accuracy']['window']:.3f} |"
        )
    return "\n".join(lines)


def selector_table(runs: list[Run]) -> str:
    """Return the accuracy on the first blocks by selector."""
    lines = [f"| stream | classifier | {' | '.join(SELECTORS)} |", "|---|---|" + "---:|" * len(SELECTORS)]
    for run in runs:
        scores = " | ".join(f"{run.selectors[selector]:.3f}" for selector in SELECTORS)
        lines.append(f"| {run.stream.title} | `{run.classifier}` | {scores} |")
    return "\n".join(lines)


def over_time_table(run: Run, n_rows: int = 6) -> str:
    """Return the accuracy of the learners in parts of the reported blocks."""
    names = list(run.learners)
    lines = [f"| documents learned | {' | '.join(names)} |", "|---:|" + "---:|" * len(names)]
    numbers = np.arange(run.stream.first_reported, len(run.stream.blocks))
    learned_before = np.cumsum([len(block.texts) for block in run.stream.blocks])
    for part in np.array_split(numbers, n_rows):
        scores = [np.concatenate([run.learners[name].right[at - 1] for at in part]).mean() for name in names]
        lines.append(f"| {learned_before[part[0] - 1]:,} | {' | '.join(f'{score:.3f}' for score in scores)} |")
    return "\n".join(lines)


def draw_chart(run: Run) -> None:
    """Draw the accuracy of each block."""
    from textsieve.plots import lines, save

    learned_before = np.cumsum([len(block.texts) for block in run.stream.blocks])[:-1].tolist()
    names = {NOT_LEARNED: "never updated", FIXED: "fixed terms", ALL: "keep-stats all", HALF_LIFE: "half-life"}
    names |= {name: "river" for name in run.learners if name.startswith("river")}
    curves = {
        shown: (learned_before, [float(right.mean()) for right in run.learners[name].right])
        for name, shown in names.items()
    }
    title = f"{run.stream.title}, {run.classifier}"
    save(lines(curves, x="documents learned", y="accuracy on the next block", title=title), CHART)


NO_RIVER = "River was not installed, so its rows are missing. "


def page(runs: list[Run]) -> str:
    """Return the page."""
    by_stream = {run.stream.title: run for run in runs if run.classifier == "nb"}
    streams = {run.stream.title: run.stream for run in runs}
    sizes = "; ".join(
        f"{title}: {sum(len(block.texts) for block in stream.blocks):,} documents in {len(stream.blocks)} blocks"
        for title, stream in streams.items()
    )
    has_river = any(name.startswith("river") for run in runs for name in run.learners)
    ratio = river_ratio(runs[0].stream)
    complement = (
        ""
        if ratio is None
        else (
            f" Its ComplementNB is left out: to predict documents, it took {ratio:.0f} times as long as MultinomialNB."
        )
    )
    over_time = "\n\n".join(f"{title}, `nb`:\n\n{over_time_table(run)}" for title, run in by_stream.items())
    return f"""# What updates with all terms gain

Written by `python -m benchmarks.adaptive RESULTS.jsonl`. Documents of a stream come in blocks. Each model predicts the
labels of the next block, and then learns it. {"" if has_river else NO_RIVER}Accuracy is the share
of right labels over all documents of the reported blocks, which are the last {1 - SHARE_TO_CHOOSE:.0%}.

![Accuracy over time](adaptive.svg)

{accuracy_table(runs)}

- *Streams.* {sizes}. Of Reuters-21578, the stories with a single topic and a body, in the order of their dates. Of
  20 Newsgroups, documents without headers: the first block has two groups, and each later block one more, with
  {PER_GROUP} documents of each group that has arrived. The order of the groups is drawn at random.
- *Models.* Words as terms, {SETTINGS["n_terms"]:,} of them, selected by information gain; trained on the first block.
  "Fixed terms" is `keep_stats=True`, which can't learn new classes, so it skips their documents.
- *Trained again* is training on all documents so far, with the same settings. The benchmark asserts that its model is
  that of `--keep-stats all`, byte by byte, after every block. *Usual lengths* is the same without `keep_stats`: there,
  the length of a document is that of its selected terms with idf.
- *River* learns all words, without selection, with the same blocks.{complement}
- *Time to learn* is that of all updates after the first block, as a multiple of that of `--keep-stats all`, measured in
  the same run on a machine that had other work too. Reading and predicting are not part of it.
- *Intervals* are by bootstrap over documents, paired.

## Accuracy over time

{over_time}

## How half-lives and windows were chosen

By the accuracy on the first {SHARE_TO_CHOOSE:.0%} of the blocks, of the half-lives
{"; ".join(f"{', '.join(stream.half_lives)} ({title})" for title, stream in streams.items())}, and of the windows
{", ".join(map(str, next(iter(streams.values())).windows))}. The other blocks were used once, for the tables above.

{choice_table(runs)}

Before that, the way of measuring lengths was decided by the accuracy on the publisher's test documents of 20 Newsgroups
and on the first blocks of Reuters.

## The selector

Accuracy on the first {SHARE_TO_CHOOSE:.0%} of the blocks, without forgetting, by selector:

{selector_table(runs)}
"""


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    all_runs = list(resumed_runs([reuters(), newsgroups()], Path(sys.argv[1])))
    draw_chart(all_runs[0])
    PAGE.write_text(page(all_runs), encoding="utf-8")
