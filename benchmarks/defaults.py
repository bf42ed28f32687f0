"""How the defaults were chosen: cross-validation on the training documents of four corpora; writes docs/defaults.md.

The folds are blocks of neighbouring documents of each class. Documents that were written together, such as answers to
one another, are so mostly in one fold, and the score is nearer to that of documents which come later than that of
shuffled folds would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np

from textsieve import Categorizer, TermCounter
from textsieve.classifiers.named import CLASSIFIERS, classifier_of
from textsieve.selectors.named import SELECTORS
from textsieve.text.schemes import Scheme
from textsieve.training.documents import Counted, count_texts
from textsieve.training.recipe import Recipe
from textsieve.training.tuning import Split

from .corpora import CORPORA

FOLDS = 4
SIZES = (1_000, 10_000)
SHOWN = 6


class Variant(NamedTuple):
    """One choice of settings, among which the default is one."""

    name: str
    changed: Callable[[Recipe], Recipe]
    is_default: bool


def recipe_for(**settings: Any) -> Recipe:
    """What the Categorizer does with these settings."""
    return Recipe.of(Categorizer(**settings).get_params(deep=False), n_jobs=2)


def of_classifier(name: str, options: list[dict[str, Any]], schemes: list[Scheme]) -> Iterator[Variant]:
    """A classifier with all combinations of options and weights."""
    usual = CLASSIFIERS[name]
    for scheme, each in product(schemes, options):
        shown = [f"{option}={value:g}" for option, value in each.items()]
        classifier = classifier_of(name, each)

        def changed(recipe: Recipe, scheme: Scheme = scheme, classifier: Any = classifier) -> Recipe:
            return replace(recipe, scheme=scheme, classifier=classifier)

        default = recipe_for(classifier=name).classifier.get_params()
        is_default = scheme == usual.scheme and all(default[option] == value for option, value in each.items())
        yield Variant(", ".join([" x ".join(scheme), *shown]), changed, is_default)


def schemes(tfs: tuple[str, ...], idfs: tuple[str, ...], norms: tuple[str, ...] = ("l2",)) -> list[Scheme]:
    """All combinations of weights."""
    return [Scheme(*names) for names in product(tfs, idfs, norms)]


def by_c(*values: float) -> list[dict[str, Any]]:
    """Options that differ in C."""
    return [{"C": value} for value in values]


def by_alpha(*values: float) -> list[dict[str, Any]]:
    """Options that differ in alpha."""
    return [{"alpha": value} for value in values]


GROUPS: dict[str, list[Variant]] = {
    "svm": list(
        of_classifier("svm", by_c(0.2, 0.5, 1.0), schemes(("binary", "log", "loglog"), ("plain", "smooth", "none")))
    ),
    "nb": list(
        of_classifier(
            "nb", by_alpha(0.01, 0.1, 1.0), schemes(("tf", "log"), ("none", "plain", "smooth"), ("l2", "none"))
        )
    ),
    "cnb": list(
        of_classifier(
            "cnb", by_alpha(0.01, 0.1, 1.0), schemes(("tf", "log"), ("none", "plain", "smooth"), ("l2", "none"))
        )
    ),
    "rocchio": list(of_classifier("rocchio", [{}], schemes(("tf", "binary", "log"), ("none", "plain", "smooth")))),
}


def blocks(counted: Counted) -> Iterator[np.ndarray[Any, np.dtype[np.bool_]]]:
    """Each block of neighbouring documents of all classes in turn, as the documents to hold out."""
    number = np.zeros(counted.targets.n_documents, np.int64)
    for members in counted.targets.members:
        number[members] = np.arange(len(members)) * FOLDS // max(len(members), 1)
    for block in range(FOLDS):
        yield number == block


def accuracy(split: Split, recipe: Recipe) -> float:
    """The share of held-out documents that get the right label."""
    found = split.held_out_scores(recipe, split.train.shape[1])
    return float(np.mean(found.scores.argmax(axis=1) == split.test_targets.first))


Scores = dict[tuple[str, int, str, str], list[float]]
"""Accuracies of the folds by corpus, number of terms, group and variant."""


def measured() -> Scores:
    """All variants on all folds of all corpora."""
    scores: Scores = {}
    for corpus, load in CORPORA.items():
        texts, labels = load()
        counted = count_texts(texts, labels, TermCounter(dtype=np.int32), {"min_df": 1, "max_df": 1.0}, multilabel=None)
        for is_test, size in product(blocks(counted), SIZES):
            split = Split.of(counted, is_test, recipe_for(), size)
            for group, variants in GROUPS.items():
                for variant in variants:
                    found = accuracy(split, variant.changed(recipe_for(classifier=group)))
                    scores.setdefault((corpus, size, group, variant.name), []).append(found)
            for name in SELECTORS:
                recipe = recipe_for(selector=name)
                found = accuracy(Split.of(counted, is_test, recipe, size), recipe)
                scores.setdefault((corpus, size, "selectors", name), []).append(found)
        print(f"{corpus} done", flush=True)
    return scores


def table(scores: Scores, group: str, size: int) -> str:
    """The best variants of a group: how far each is behind the best of each corpus, in points of accuracy."""
    found = {key[0::3]: mean(each) for key, each in scores.items() if key[1:3] == (size, group)}
    variants = {variant for _, variant in found}
    best = {corpus: max(found[corpus, variant] for variant in variants) for corpus in CORPORA}
    behind = {variant: [100 * (best[corpus] - found[corpus, variant]) for corpus in CORPORA] for variant in variants}
    defaults = {variant.name for variant in GROUPS.get(group, []) if variant.is_default} or {"ocfs"}
    ordered = sorted(variants, key=lambda variant: mean(behind[variant]))
    shown = [variant for at, variant in enumerate(ordered) if at < SHOWN or variant in defaults]
    lines = [
        f"| {size:,} terms | {' | '.join(f'{corpus} ({100 * best[corpus]:.1f})' for corpus in CORPORA)} | mean |",
        f"|---|{'---:|' * (len(CORPORA) + 1)}",
    ]
    for variant in shown:
        name = f"**{variant}**" if variant in defaults else variant
        points = " | ".join(f"{each:.2f}" for each in behind[variant])
        lines.append(f"| {name} | {points} | {mean(behind[variant]):.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the page."""
    scores = measured()
    parts = [
        "# How the defaults were chosen",
        "Written by `make defaults`. Cross-validation in four folds of neighbouring documents, on the training "
        "documents of four corpora; no test document was looked at. A number says how many points of accuracy a choice "
        "is behind the best one in the table, which is in parentheses for each corpus; the best choices are shown, and "
        "the default is bold. Terms for the classifiers' tables are selected by OCFS.",
    ]
    for group in ("selectors", *GROUPS):
        parts.append(f"## {group}" if group == "selectors" else f"## classifier {group}: tf x idf x norm, options")
        parts += [table(scores, group, size) for size in SIZES]
    Path(__file__).parents[1].joinpath("docs", "defaults.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
