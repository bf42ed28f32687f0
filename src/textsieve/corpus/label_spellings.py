"""Report or merge labels that differ only in case or in the white space around them, such as "Utils" and "utils".

Merging ("folding") replaces each spelling by one of them. That is the most frequent spelling, or among equally frequent
ones the one that sorts first, so that it does not depend on the order of the documents. A corpus is a stream, so this
takes a pass over its labels before the first pass. For a model that is already trained, its classes have the spellings
to use, and no such pass is needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ..errors import Setting, shown
from .batch import Labels
from .labels import MAX_CACHED

MAX_GROUPS, MAX_SPELLINGS = 5, 4
"""Maximum number of groups of labels in a message, and of spellings of each."""


def fold_key(label: str) -> str:
    """Return what all spellings of a label have in common."""
    return label.strip().casefold()


def spellings_by_key(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the spellings of each label by its key, the most frequent first."""
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        spellings[fold_key(label)].append(label)
    return dict(spellings)


def hint_about_spellings(counts: Mapping[str, int]) -> tuple[str | Setting, ...]:
    """Return a warning about labels with several spellings, as parts of a message; () if there are none."""
    groups = [labels for labels in spellings_by_key(counts).values() if len(labels) > 1]
    if not groups:
        return ()
    groups.sort(key=lambda labels: -sum(counts[label] for label in labels[1:]))
    texts = []
    for labels in groups[:MAX_GROUPS]:
        listed = ", ".join(f"{shown(label, 40)} ({counts[label]:,})" for label in labels[:MAX_SPELLINGS])
        texts.append(listed + (", ..." if len(labels) > MAX_SPELLINGS else ""))
    more = f"; and {len(groups) - MAX_GROUPS:,} more" if len(groups) > MAX_GROUPS else ""
    return (
        f"labels that differ only in case or space are different classes: {'; '.join(texts)}{more}. ",
        Setting("fold_labels", True),
        " merges them.",
    )


class LabelFolder:
    """Replaces labels by the first of the given spellings with the same key, or else by their first spelling."""

    def __init__(self, spellings: Iterable[str]) -> None:
        self._spelling_of_key: dict[str, str] = {}
        self._cache: dict[Labels, Labels] = {}
        for label in spellings:
            self._spelling_of_key.setdefault(fold_key(label), label)

    def __call__(self, labels: Labels) -> Labels:
        """Return the labels of a document with their spellings replaced, each once."""
        folded = self._cache.get(labels)
        if folded is None:
            folded = tuple(dict.fromkeys(self._spelling_of_key.setdefault(fold_key(label), label) for label in labels))
            if len(self._cache) < MAX_CACHED:
                self._cache[labels] = folded
        return folded
