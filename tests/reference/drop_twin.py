"""Slow twins of DROP1 to DROP5: they search the neighbours again each time they need them."""

from collections import Counter
from collections.abc import Sequence

from tests.reference.neighbours_twin import Row, cosine


class Twin:
    """A collection from which documents are dropped; `kept` are the documents that remain."""

    def __init__(self, documents: Sequence[Row], labels: Sequence[int], k: int) -> None:
        self.cosines = [[cosine(document, other) for other in documents] for document in documents]
        self.labels, self.k, self.all = labels, k, range(len(documents))
        self.kept = set(self.all)

    def neighbours(self, document: int, candidates: set[int]) -> list[int]:
        """Return the k nearest candidates that share a term with the document; of equally near ones, the first."""
        near = self.cosines[document]
        others = [other for other in candidates if other != document and near[other] > 0.0]
        return sorted(others, key=lambda other: (-near[other], other))[: self.k]

    def right(self, document: int, candidates: set[int]) -> bool:
        """Return whether the neighbours classify a document correctly; the nearest decides ties."""
        labels = [self.labels[neighbour] for neighbour in self.neighbours(document, candidates)]
        return bool(labels) and Counter(labels).most_common(1)[0][0] == self.labels[document]

    def can_go(self, document: int, associates: Sequence[int]) -> bool:
        """Return whether at least as many associates are classified correctly without the document as with it."""
        mine = [associate for associate in associates if document in self.neighbours(associate, self.kept)]
        with_me = sum(self.right(associate, self.kept) for associate in mine)
        without_me = sum(self.right(associate, self.kept - {document}) for associate in mine)
        return without_me >= with_me

    def enemy(self, document: int) -> float:
        """Return the cosine with the nearest kept document of another class; 0 if none has a common term."""
        near = self.cosines[document]
        return max([0.0, *(near[other] for other in self.kept if self.labels[other] != self.labels[document])])

    def sweep(self, order: Sequence[int], associates: str) -> int:
        """Visit documents in this order, drop those that can go, and return how many were dropped."""
        before = len(self.kept)
        for document in order:
            if self.can_go(document, sorted(self.kept) if associates == "kept" else self.all):
                self.kept.remove(document)
        return before - len(self.kept)

    def farthest_first(self) -> list[int]:
        """Return the kept documents, those far from enemies first."""
        return sorted(self.kept, key=lambda document: (self.enemy(document), document))

    def nearest_first(self) -> list[int]:
        """Return the kept documents, those near to enemies first."""
        return sorted(self.kept, key=lambda document: (-self.enemy(document), document))


def drop1(twin: Twin) -> None:
    """Drop documents in the given order; only kept documents are associates."""
    twin.sweep(twin.all, "kept")


def drop2(twin: Twin) -> None:
    """Drop documents far from enemies first; all documents are associates."""
    twin.sweep(twin.farthest_first(), "all")


def drop3(twin: Twin) -> None:
    """Drop the documents that their neighbours misclassify, then apply DROP2."""
    twin.kept = {document for document in twin.all if twin.right(document, twin.kept)}
    drop2(twin)


def drop4(twin: Twin) -> None:
    """Drop the misclassified documents that can go, then apply DROP2."""
    noise = [document for document in twin.all if not twin.right(document, twin.kept)]
    twin.sweep(noise, "all")
    drop2(twin)


def drop5(twin: Twin) -> None:
    """Drop documents near to enemies first, then apply DROP2 until no document can go."""
    twin.sweep(twin.nearest_first(), "all")
    while twin.sweep(twin.farthest_first(), "all"):
        pass


VARIANTS = {1: drop1, 2: drop2, 3: drop3, 4: drop4, 5: drop5}


def reduced(documents: Sequence[Row], labels: Sequence[int], variant: int, k: int) -> list[int]:
    """Return the numbers of the documents that a variant keeps, in ascending order."""
    twin = Twin(documents, labels, k)
    VARIANTS[variant](twin)
    return sorted(twin.kept)
