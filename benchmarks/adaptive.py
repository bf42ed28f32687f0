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
import re
import sys
import tarfile
import textwrap
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textsieve import Categorizer, TermCounter, modelfile, read

from .harness import made_with

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
MANY_TERMS = 10_000
MORE_TERMS = f"... and {MANY_TERMS:,} terms"
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
        return DOCS / f"adaptive-{self.name.lower()}.svg"

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
        "Reuters", "Reuters by date", blocks, ("3d", "7d", "14d", "30d", "90d", "1000docs", "4000docs"), (3, 5, 10)
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
    return Stream("Newsgroups", "20 Newsgroups, one group after another", blocks, half_lives, (3, 5, 10))


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
    n_terms: int | None = None,
    **forgetting: Any,
) -> Learner:
    """Return a model of the first block that is updated with each block."""
    settings = SETTINGS | {"selector": selector, "class_weight": class_weight}
    settings |= {} if n_terms is None else {"n_terms": n_terms}
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


@dataclass(frozen=True, eq=False)
class Run:
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
            {name: name for name in (NOT_LEARNED, FIXED, ALL, MORE_TERMS)}
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
    outcomes[MORE_TERMS] = see_all(updated(classifier, first, "all", n_terms=MANY_TERMS), rest)
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
    return Run(stream, classifier, outcomes, selectors, first_terms_left, ratio, made_with("numpy", "river"))


def terms_of(learner: Learner) -> list[str]:
    """Return the selected terms of a learner that has a model."""
    assert learner.model is not None
    return list(learner.model.terms_)


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
            row = vars(new) | {"stream": stream.title}
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


class Difference(NamedTuple):
    """The difference of two accuracies, with its 95% interval by bootstrap over documents."""

    mean: float
    low: float
    high: float

    @property
    def direction(self) -> int:
        """Return 1 if the interval is above 0, -1 if it is below, and otherwise 0."""
        return int(self.low > 0) - int(self.high < 0)


def difference(run: Run, name: str, other: str = ALL) -> Difference:
    """Return the accuracy of a learner minus that of another, on the reported blocks."""
    paired = run.reported(name).astype(float) - run.reported(other)
    draw = np.random.default_rng(0)
    means = [paired[draw.integers(0, len(paired), len(paired))].mean() for _ in range(N_RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    return Difference(float(paired.mean()), float(low), float(high))


def span(values: Iterable[float], form: str) -> str:
    """Return the least and the largest of some values as text."""
    ordered = sorted(values)
    low, high = f"{ordered[0]:{form}}", f"{ordered[-1]:{form}}"
    return low if low == high else f"{low} to {high}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is text, and all others numbers."""
    lines = [f"| {' | '.join(header)} |", f"|---|{'---:|' * (len(header) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def model_table(runs: list[Run], cell: Callable[[Run, str], str], without: Sequence[str] = ()) -> str:
    """Return a table of all models; `cell` returns the text of a cell, given a run and the name of an outcome."""
    names = [name for name in dict.fromkeys(name for run in runs for name in run.rows()) if name not in without]
    return table(
        ["model", *(f"{run.stream.name}, `{run.classifier}`" for run in runs)],
        ([name, *(cell(run, run.rows()[name]) if name in run.rows() else "" for run in runs)] for name in names),
    )


def difference_cell(run: Run, name: str) -> str:
    """Return the difference to `ALL`, with its interval."""
    mean, low, high = difference(run, name)
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


def time_cell(run: Run, name: str) -> str:
    """Return the time to learn as a multiple of that of `ALL`."""
    return f"{seconds(run, name) / seconds(run, ALL):.1f}"


def seconds(run: Run, name: str) -> float:
    """Return the seconds of the processor that a learner needed for all blocks after the first."""
    return sum(run.outcomes[name].seconds)


def setting_table(runs: list[Run]) -> str:
    """Return the accuracy with each half-life, window and class weight, on the first blocks and on the others."""
    rows: dict[str, str] = {}
    for row, settings in runs[0].stream.settings(runs[0].classifier).items():
        kind = row.removeprefix("... and a ").removeprefix("... and ")
        rows |= {f"{row}: {setting}": f"{kind}, {setting}" for setting in settings}

    def cell(run: Run, name: str) -> str:
        if name not in run.outcomes:
            return ""
        text = f"{run.early(name):.3f}, {run.accuracy(name):.3f}"
        return f"**{text}**" if name in run.rows().values() and name != ALL else text

    return table(
        [runs[0].stream.name, *(f"`{run.classifier}`" for run in runs)],
        ([shown, *(cell(run, name) for run in runs)] for name, shown in ({ALL: "none of them"} | rows).items()),
    )


def selector_table(runs: list[Run]) -> str:
    """Return the accuracy on the first blocks by selector."""
    return table(
        ["stream", *SELECTORS],
        (
            [
                f"{run.stream.name}, `{run.classifier}`",
                *(f"{run.selectors[selector]:.3f}" for selector in SELECTORS),
            ]
            for run in runs
        ),
    )


def draw_chart(run: Run) -> None:
    """Draw the accuracy of each block."""
    from textsieve.plots import lines, save

    learned_before = np.cumsum([len(block.texts) for block in run.stream.blocks])[:-1].tolist()
    rows = run.rows()
    names = {ALL: "keep-stats all", HALF_LIFE: f"half-life {run.chosen(HALF_LIFE)}", FIXED: "fixed terms"}
    names |= {NOT_LEARNED: "never updated"}
    if river := best_river(run):
        names[river] = "river"
    curves = {
        shown: (learned_before, [float(right.mean()) for right in run.outcomes[rows[name]].right])
        for name, shown in names.items()
    }
    title = f"{run.stream.title}, {run.classifier}"
    save(lines(curves, x="documents learned", y="accuracy on the next block", title=title), run.stream.chart)


def best_river(run: Run) -> str | None:
    """Return the name of river's learner with the higher accuracy on the first blocks, if there are any."""
    return max((name for name in RIVER if name in run.outcomes), key=run.early, default=None)


# -- sentences that state results --------------------------------------------------------------------------------


def by_stream(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Return the runs of each stream, by its name."""
    streams: dict[str, list[Run]] = {}
    for run in runs:
        streams.setdefault(run.stream.name, []).append(run)
    return streams


def on_each(runs: Iterable[Run], describe: Callable[[list[Run]], str]) -> str:
    """Return a description of the runs of each stream, joined."""
    return " and ".join(f"{describe(of_stream)} on {name}" for name, of_stream in by_stream(runs).items())


def differences(runs: Iterable[Run], row: str, other: str = ALL) -> list[Difference]:
    """Return the accuracy of the models of a row minus that of another, of the runs that have both."""
    return [difference(run, run.rows()[row], run.rows()[other]) for run in runs if {row, other} <= {*run.rows()}]


def changes(runs: list[Run], row: str, other: str = ALL) -> str:
    """Return by how many points the accuracy changes with the models of a row in place of another, and how surely."""
    having_both = [run for run in runs if {row, other} <= {*run.rows()}]
    return spelled(zip(having_both, differences(having_both, row, other), strict=True))


def spelled(compared: Iterable[tuple[Run, Difference]]) -> str:
    """Return differences in points, stream by stream, and how many are better or worse."""
    of_run = dict(compared)
    directions = [item.direction for item in of_run.values()]
    verdicts = ((1, "better"), (-1, "worse"), (0, "undecided"))
    counted = ", ".join(f"{directions.count(sign)} {word}" for sign, word in verdicts if sign in directions)
    points = on_each(of_run, lambda runs: f"{span((100 * of_run[run].mean for run in runs), '+.1f')} points")
    return f"{points} ({counted})"


def in_short(runs: list[Run]) -> str:
    """Return the sentence that answers whether updates with all terms, and forgetting, were better."""

    def better(row: str, other: str) -> str:
        directions = [item.direction for item in differences(runs, row, other)]
        n, n_better = len(directions), directions.count(1)
        return f"in all {n} comparisons" if n == n_better else f"in {n_better} of {n} comparisons"

    rivers = [difference(run, river).direction for run in runs if (river := best_river(run)) is not None]
    river = (
        f" River's naive Bayes, with the better alpha, was more accurate than `nb` in {rivers.count(1)} of "
        f"{len(rivers)} comparisons, and less accurate in {rivers.count(-1)}."
        if rivers
        else ""
    )
    return (
        f"In short: `--keep-stats all` was more accurate than no updates {better(ALL, NOT_LEARNED)}, and than updates "
        f"with fixed terms {better(ALL, FIXED)}. A half-life that was chosen on earlier documents made it more "
        f"accurate {better(HALF_LIFE, ALL)}; class weights that were chosen in the same way did "
        f"{better(WEIGHTS, ALL)}.{river}"
    )


def findings(runs: list[Run]) -> list[str]:
    """Return the findings, all computed from the outcomes."""
    new = on_each(runs, lambda of_stream: f"{of_stream[0].stream.share_of_new_classes:.1%}")
    terms = on_each(runs, lambda of_stream: f"{of_stream[0].first_terms_left[-1]:,}")
    n_compared = sum(len(run.first_terms_left) for run in runs)
    in_all = span((seconds(run, AGAIN) / seconds(run, ALL) for run in runs), ".1f")
    at_last = span((run.outcomes[AGAIN].seconds[-1] / run.outcomes[ALL].seconds[-1] for run in runs), ".1f")
    return [
        "**Updating or not.** `--keep-stats all` in place of a model that is never updated changes the accuracy by "
        f"{changes(runs, ALL, NOT_LEARNED)}.",
        "**Selecting terms anew.** `--keep-stats all` in place of updates with fixed terms changes the accuracy by "
        f"{changes(runs, ALL, FIXED)}. Updates with fixed terms can't learn new classes: of the reported documents, "
        f"{new} belong to classes that the first block lacks. Of the first {SETTINGS['n_terms']:,} terms, {terms} are "
        "still selected at the end.",
        f"**Updating or training again.** The benchmark compared {n_compared} updated models with models trained on "
        f"all documents so far: their bytes were equal. Training again took {in_all} times as long as the updates over "
        f"a whole stream, and {at_last} times for the last block. It also needs all documents, and an update only the "
        "new ones.",
        '**Lengths.** Training again without `--keep-stats` ("usual lengths") changes the accuracy by '
        f"{changes(runs, AGAIN_USUAL)}.",
        "**Forgetting and class weights.** Half-lives that were chosen on the first blocks change the accuracy by "
        f"{changes(runs, HALF_LIFE)}, windows by {changes(runs, WINDOW)}, and class weights without forgetting by "
        f"{changes(runs, WEIGHTS)}. Class weights in place of a half-life change it by "
        f"{changes(runs, WEIGHTS, HALF_LIFE)}.",
        f"**The number of terms.** {MANY_TERMS:,} terms in place of {SETTINGS['n_terms']:,} change the accuracy by "
        f"{changes(runs, MORE_TERMS)}.",
        with_hindsight(runs),
        *river_findings(runs),
    ]


def with_hindsight(runs: list[Run]) -> str:
    """Return a finding about the best half-life or window of all that were tried, and about gaps in time."""

    def gains(of_stream: list[Run]) -> str:
        gains = []
        for run in of_stream:
            settings = run.stream.settings(run.classifier)
            names = [f"{row}: {setting}" for row in (HALF_LIFE, WINDOW) for setting in settings[row]]
            gains.append(100 * (max(map(run.accuracy, names)) - run.accuracy(ALL)))
        return f"{span(gains, '+.1f')} points"

    stream = runs[0].stream
    gap = max(later.when - earlier.when for earlier, later in pairwise(stream.blocks))
    return (
        "**With hindsight,** the best half-life or window of all that were tried would have changed the accuracy by "
        f"{on_each(runs, gains)}. Up to {gap.days} days lie between two blocks of {stream.name}: there, a half-life in "
        "time forgets although nothing new has come, and one in documents does not."
    )


def river_findings(runs: list[Run]) -> list[str]:
    """Return a finding about river, if it was installed."""
    having_river = [run for run in runs if best_river(run) is not None]
    if not having_river:
        return []
    default, _ = RIVER
    best = spelled((run, difference(run, str(best_river(run)))) for run in having_river)
    many = spelled((run, difference(run, str(best_river(run)), MORE_TERMS)) for run in having_river)
    took = span((seconds(run, str(best_river(run))) / seconds(run, ALL) for run in having_river), ".1f")
    return [
        "**River's naive Bayes** in place of `nb` with `--keep-stats all` changes the accuracy by "
        f"{changes(having_river, default)} with its default alpha, and by {best} with the alpha "
        f"that is better on the first blocks; in place of {MANY_TERMS:,} terms, the latter changes it by {many}. To "
        f"learn, it took {took} times as long."
    ]


NO_RIVER = "River was not installed, so its rows are missing.\n\n"


def page(runs: list[Run]) -> str:
    """Return the page."""
    streams = {run.stream.name: run.stream for run in runs}
    sizes = "; ".join(
        f"{name}: {sum(len(block.texts) for block in stream.blocks):,} documents in {len(stream.blocks)} blocks, of "
        f"which the last {len(stream.blocks) - stream.first_reported} are reported"
        for name, stream in streams.items()
    )
    ratio = next((run.river_ratio for run in runs if run.river_ratio is not None), None)
    complement = (
        ""
        if ratio is None
        else f" Its ComplementNB is left out: to predict documents, it took {ratio:.0f} times as long as MultinomialNB."
    )
    versions = [", ".join(f"{name} {value}" for name, value in run.made_with.items()) for run in runs]
    made = "; ".join(dict.fromkeys(versions))
    charts = "\n\n".join(f"![Accuracy over time: {stream.title}]({stream.chart.name})" for stream in streams.values())
    bullets = "\n".join(f"- {sentence}" for sentence in findings(runs))
    text = f"""# What updates with all terms gain

This page helps you decide whether to train with `--keep-stats all`, so that
[updates](../how-to/adaptive.md) select their terms anew and learn new classes, and whether updates
should forget. Documents of a stream come in blocks. Each model predicts the labels of the next block, and then learns
it. The table has the share of right labels on the last {1 - SHARE_TO_CHOOSE:.0%} of the blocks.

```console
$ python -m benchmarks.adaptive RESULTS.jsonl
```

{model_table(runs, lambda run, name: f"{run.accuracy(name):.3f}")}

{NO_RIVER if ratio is None else ""}{in_short(runs)}

## Findings

The benchmark computes these sentences from the same outcomes as the tables. A point is one percent of the documents,
and a range is over the classifiers. A difference counts as better or worse if its 95% interval is above or below 0, and
otherwise as undecided.

{bullets}

{charts}

The charts are of `nb`; river is with the alpha that is better on the first blocks.

## What was compared

- *Streams.* {sizes}. "Reuters" is Reuters-21578: the stories with a single topic and a body, in the order of their
  dates. "Newsgroups" is 20 Newsgroups without headers: the first block has two groups, and each later block one more,
  with {PER_GROUP} documents of each group that has arrived. The order of the groups is drawn at random.
- *Models.* Words as terms, {SETTINGS["n_terms"]:,} of them, selected by information gain; trained on the first block.
  "Fixed terms" is `keep_stats=True`, which can't learn new classes, so it skips their documents. "Trained again" is
  training on all documents so far, with `--keep-stats all`, and "usual lengths" without it: there, the length of a
  document is that of its selected terms with idf.
- *Half-lives, windows and class weights* are those with the highest accuracy on the first {SHARE_TO_CHOOSE:.0%} of the
  blocks ([all of them](#all-half-lives-windows-and-class-weights)). Rocchio has no class weights.
- *Rows that were added later.* Class weights, {MANY_TERMS:,} terms and river's second alpha were added after a first
  run of the other rows, to find out what explains their differences.
- *River* learns all words, without selection, from the same blocks: once with its default alpha = 1, once with that of
  textsieve.{complement}
- *Time to learn* is the time of the processor for all updates after the first block, divided by that of
  `--keep-stats all`. Kernels were compiled before. Reading files and predicting are not part of it.
- *Intervals* are by bootstrap over documents, paired. They do not say how much another stream would differ.
- *Made with* {made}.

## Limits

- Two streams of about the same size are few, and the order of the groups was drawn once.
- On Newsgroups, classes arrive, but no class changes: its posts are in random order. A group that arrived early also
  has more documents than one that has just arrived, while the next block has as many of both. Forgetting and class
  weights both reduce that lead, so a gain there says little about streams whose classes themselves change.
- The first blocks of Reuters are a few days of March 1987. Half-lives chosen on so short a time may not fit the months
  after it; the table below shows how much they differ.
- Multilabel documents, character n-grams, and refitted thresholds were not measured.

## Differences to `--keep-stats all`

{model_table(runs, difference_cell, without=[ALL, AGAIN])}

The time to learn, as a multiple of that of `--keep-stats all`:

{model_table(runs, time_cell, without=[NOT_LEARNED])}

## All half-lives, windows and class weights

Accuracy on the first blocks, by which they were chosen, and on the reported blocks. Bold: what was chosen.

{
        '''

'''.join(map(setting_table, by_stream(runs).values()))
    }

## The selector

Accuracy on the first {SHARE_TO_CHOOSE:.0%} of the blocks, without forgetting, by selector:

{selector_table(runs)}
"""
    return wrapped(text)


def wrapped(text: str) -> str:
    """Return the page with long lines wrapped, except for those of tables, code and headings."""
    blocks = re.split(r"\n(?=- |\n|#|\||```|\$)", text)
    return "\n".join(
        block if block.lstrip("\n").startswith(("#", "|", "```", "$", "!")) else fill(block) for block in blocks
    )


def fill(block: str) -> str:
    """Return a paragraph or an item of a list with lines of at most 120 characters; an empty line before it stays."""
    words = " ".join(block.split())
    indent = "  " if words.startswith("- ") else ""
    begin = "\n" if block.startswith("\n") else ""
    return begin + textwrap.fill(words, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    all_runs = list(resumed_runs([reuters(), newsgroups()], Path(sys.argv[1])))
    for one in all_runs:
        if one.classifier == RIVER_CLASSIFIER:
            draw_chart(one)
    PAGE.write_text(page(all_runs), encoding="utf-8")
