"""DROP1 to DROP5, the slow way: neighbours are looked for anew whenever anybody asks for them."""

from collections import Counter
from collections.abc import Sequence

from tests.reference.neighbours_twin import Row, cosine


class Twin:
    """A collection that loses documents."""

    def __init__(self, documents: Sequence[Row], labels: Sequence[int], k: int) -> None:
        self.cosines = [[cosine(one, other) for other in documents] for one in documents]
        self.labels, self.k, self.all = labels, k, range(len(documents))
        self.kept = set(self.all)

    def neighbours(self, document: int, kept: set[int]) -> list[int]:
        """The k nearest of the kept documents; the lower of equals; none without a common term."""
        near = self.cosines[document]
        others = [other for other in kept if other != document and near[other] > 0.0]
        return sorted(others, key=lambda other: (-near[other], other))[: self.k]

    def right(self, document: int, kept: set[int]) -> bool:
        """Whether most neighbours have the document's label; of equals the label that the nearest has."""
        labels = [self.labels[neighbour] for neighbour in self.neighbours(document, kept)]
        return bool(labels) and Counter(labels).most_common(1)[0][0] == self.labels[document]

    def can_go(self, document: int, associates: Sequence[int]) -> bool:
        """Whether at least as many associates are classified right without it as with it."""
        mine = [each for each in associates if document in self.neighbours(each, self.kept)]
        with_me = sum(self.right(each, self.kept) for each in mine)
        without_me = sum(self.right(each, self.kept - {document}) for each in mine)
        return without_me >= with_me

    def enemy(self, document: int) -> float:
        """The cosine with the nearest of the kept documents of other classes; 0 if none has a common term."""
        near = self.cosines[document]
        return max([0.0, *(near[other] for other in self.kept if self.labels[other] != self.labels[document])])

    def sweep(self, order: Sequence[int], associates: str) -> int:
        """Visit documents, and drop those that can go; gives how many went."""
        before = len(self.kept)
        for document in order:
            if self.can_go(document, sorted(self.kept) if associates == "kept" else self.all):
                self.kept.remove(document)
        return before - len(self.kept)

    def farthest_first(self) -> list[int]:
        """The kept documents, those far from enemies first."""
        return sorted(self.kept, key=lambda document: (self.enemy(document), document))

    def nearest_first(self) -> list[int]:
        """The kept documents, those near to enemies first."""
        return sorted(self.kept, key=lambda document: (-self.enemy(document), document))


def drop1(twin: Twin) -> None:
    """Associates among the documents still kept, in the order given."""
    twin.sweep(twin.all, "kept")


def drop2(twin: Twin) -> None:
    """Associates among all documents, from the farthest nearest enemy to the nearest."""
    twin.sweep(twin.farthest_first(), "all")


def drop3(twin: Twin) -> None:
    """First drop what its own neighbours misclassify."""
    twin.kept = {document for document in twin.all if twin.right(document, twin.kept)}
    drop2(twin)


def drop4(twin: Twin) -> None:
    """The same, but only where it also can go."""
    noise = [document for document in twin.all if not twin.right(document, twin.kept)]
    twin.sweep(noise, "all")
    drop2(twin)


def drop5(twin: Twin) -> None:
    """First from the nearest enemy outwards, then as DROP2 until nothing goes."""
    twin.sweep(twin.nearest_first(), "all")
    while twin.sweep(twin.farthest_first(), "all"):
        pass


VARIANTS = {1: drop1, 2: drop2, 3: drop3, 4: drop4, 5: drop5}


def reduced(documents: Sequence[Row], labels: Sequence[int], variant: int, k: int) -> list[int]:
    """The documents that are kept, ascending."""
    twin = Twin(documents, labels, k)
    VARIANTS[variant](twin)
    return sorted(twin.kept)
