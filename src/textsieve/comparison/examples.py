"""Example documents of the classes that a combination confuses most.

Numbers of mistakes say how many documents of one class are taken for another, and examples show why. They are wanted
for the best combination only, but which one this is turns out last. So while a combination is measured, its row gets
the positions of some documents of each pair of confused classes, not their texts. When all rows are measured, the
documents of the pairs that the best combination confuses most are read from the corpus once more, and the beginnings of
their texts are stored with the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..corpus import Corpus
from ..evaluation.confusions import ExampleDocument, beginning
from .plan import Size

if TYPE_CHECKING:
    from .results import Row

MAX_PAIRS, MAX_DOCUMENTS = 10, 3
"""The maximum number of pairs of classes with examples, and of examples for each of them."""
MAX_ROW_PAIRS = 100
"""The maximum number of pairs of classes for which a row, that is a fold, has positions. It is larger than `MAX_PAIRS`,
because the worst pairs over all folds need not be the worst of each fold."""

PairPositions = tuple[int, int, tuple[int, ...]]
"""The number of the true class, that of the predicted class, and the positions of some documents in the corpus, from 0.
"""


class ConfusedPair(NamedTuple):
    """Two classes, by their numbers, and documents of the first for which the second was predicted."""

    true: int
    predicted: int
    documents: tuple[ExampleDocument, ...]


@dataclass(frozen=True)
class CombinationExamples:
    """Example documents of the classes that a combination confuses most, the most frequent pair first."""

    selector: str
    n_terms: Size
    classifier: str
    pairs: tuple[ConfusedPair, ...]

    @property
    def key(self) -> tuple[str, Size, str]:
        """Return the key of the combination: selector, number of terms and classifier."""
        return self.selector, self.n_terms, self.classifier

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; an example is a list of its place and its text."""
        pairs = [
            (true, predicted, [(document.place, document.text) for document in documents])
            for true, predicted, documents in self.pairs
        ]
        return dict(vars(self)) | {"pairs": pairs}

    @classmethod
    def of_dict(cls, stored: Mapping[str, Any]) -> Self:
        """Return the examples of a checked JSON object."""
        pairs = (
            ConfusedPair(true, predicted, tuple(ExampleDocument(*document) for document in documents))
            for true, predicted, documents in stored["pairs"]
        )
        return cls(**{**stored, "pairs": tuple(pairs)})


def confused_positions(pairs: Iterable[tuple[int, int]], positions: Iterable[int]) -> tuple[PairPositions, ...]:
    """Return the first documents of each pair of confused classes, the most frequent pairs first.

    `pairs` has the true and the predicted class of each document, and `positions` the document's position in the
    corpus.
    """
    documents_of: dict[tuple[int, int], list[int]] = {}
    for (true, predicted), position in zip(pairs, positions, strict=True):
        if true != predicted:
            documents_of.setdefault((true, predicted), []).append(position)
    frequent = sorted(documents_of.items(), key=lambda item: (-len(item[1]), item[0]))[:MAX_ROW_PAIRS]
    return tuple((*pair, tuple(documents[:MAX_DOCUMENTS])) for pair, documents in frequent)


def sum_confusion(rows: Iterable[Row]) -> dict[tuple[int, int], int] | None:
    """Return the number of documents of each true and predicted class over the folds; None if multilabel."""
    counts: dict[tuple[int, int], int] = {}
    for row in rows:
        if row.confusion is None:
            return None
        for true, predicted, count in row.confusion:
            counts[true, predicted] = counts.get((true, predicted), 0) + count
    return counts


def worst_pairs(rows: Sequence[Row]) -> list[PairPositions]:
    """Return the pairs of classes that a combination confuses most over all folds, with positions of documents.

    `rows` are the rows of the combination, one for each fold. For multilabel documents, the list is empty.
    """
    counts = sum_confusion(rows) or {}
    mistakes = [pair for pair in counts if pair[0] != pair[1] and counts[pair]]
    # The keys of the inner dictionaries are an ordered set: folds that overlap may have a document twice.
    positions_of: dict[tuple[int, int], dict[int, None]] = {}
    for row in rows:
        for true, predicted, positions in row.examples or ():
            positions_of.setdefault((true, predicted), {}).update(dict.fromkeys(positions))
    worst = sorted(mistakes, key=lambda pair: (-counts[pair], pair))[:MAX_PAIRS]
    return [(*pair, tuple(positions_of.get(pair, ()))[:MAX_DOCUMENTS]) for pair in worst]


def read_examples(
    sources: Sequence[Corpus], pairs: Sequence[PairPositions], classes: Sequence[Any], progress: Callable[[int], None]
) -> tuple[ConfusedPair, ...]:
    """Read the documents of the pairs once more, and return the pairs with the beginnings of their texts.

    `sources` are the corpora whose documents were counted; positions count through all of them. A document whose label
    is not the true class any more is left out: its file has changed. `progress` is called with the number of documents
    read so far.
    """
    true_class_of = {position: true for true, _, positions in pairs for position in positions}
    n_to_read = max(true_class_of, default=-1) + 1  # up to the last of these documents
    documents: dict[int, ExampleDocument] = {}
    for position, place, text, labels in _placed_documents(sources, n_to_read, progress):
        if position in true_class_of and [str(label) for label in labels] == [str(classes[true_class_of[position]])]:
            documents[position] = ExampleDocument(place, beginning(text))
    return tuple(
        ConfusedPair(true, predicted, tuple(documents[position] for position in positions if position in documents))
        for true, predicted, positions in pairs
    )


def _placed_documents(
    sources: Sequence[Corpus], n_documents: int, progress: Callable[[int], None]
) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """Yield the position, place, text and labels of each of the first `n_documents` of some corpora, and a few more.

    A place is, for example, "line 3", or "test.csv, line 3" if there are several corpora. Batches are read as a whole,
    so the last one may have more documents than asked for.
    """
    position = 0
    for source in sources:
        if position >= n_documents:
            return
        prefix = f"{source.name}, " if len(sources) > 1 else ""
        for batch, places in source.placed_batches():
            for text, labels, place in zip(batch.texts, batch.labels, places, strict=True):
                yield position, f"{prefix}{place.name}", text, labels
                position += 1
            progress(position)
            if position >= n_documents:
                break
