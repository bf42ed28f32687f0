"""List the pairs of classes that are confused most, each with a few documents as examples.

A document of one class for which another is predicted is a mistake of this pair of classes. Which pairs have most
mistakes is known only after the last document, and the texts of all wrong documents may not fit in memory. So
`ConfusionExamples` keeps the beginnings of a few texts of each pair, for a limited number of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..arrays import Floats

MAX_CONFUSIONS = 20
"""The largest number of pairs of classes that are listed."""
MAX_PAIRS_WITH_EXAMPLES = 1_000
"""The largest number of pairs whose examples are in memory; those of less frequent pairs are dropped."""
MAX_EXAMPLE_CHARACTERS = 200
"""The largest length of the beginning of a text."""
_READ_CHARACTERS = 10 * MAX_EXAMPLE_CHARACTERS
"""How many characters of a text are read for its beginning; more than its length, because white space is shortened."""

Pair = tuple[Any, Any]
"""A true label and the label that was predicted instead."""


class ExampleDocument(NamedTuple):
    """The beginning of a document.

    Examples
    --------
    >>> from textsieve.evaluation import ExampleDocument
    >>> ExampleDocument(place="line 3", text="the striker scored", probability=0.8)
    ExampleDocument(place='line 3', text='the striker scored', probability=0.8)
    """

    place: str
    """Where the document is in the data, such as "line 3", or the name of its file."""
    text: str
    """The beginning of its text, with white space as single spaces."""
    probability: float | None = None
    """The probability of the predicted label, if there is one."""


class ConfusedClasses(NamedTuple):
    """The documents of one class for which another class was predicted.

    Examples
    --------
    >>> from textsieve.evaluation import compare_labels
    >>> true = [["sport"], ["sport"], ["politics"]]
    >>> predicted = [["sport"], ["politics"], ["politics"]]
    >>> report = compare_labels(["politics", "sport"], true, predicted, multilabel=False)
    >>> confused = report.confusions[0]
    >>> confused.label, confused.predicted, confused.share
    ('sport', 'politics', 0.5)
    """

    label: Any
    """The true label."""
    predicted: Any
    n_documents: float
    """The number of these documents; a sum of weights, if there are sample weights."""
    share: float
    """Their share of the documents with the true label."""
    examples: tuple[ExampleDocument, ...] = ()
    """A few of the documents: those with the largest probability of the predicted label, if there are any."""

    def to_dict(self) -> dict[str, Any]:
        """Return the pair and its examples as JSON values."""
        return self._asdict() | {"examples": [example._asdict() for example in self.examples]}


def beginning(text: str | bytes) -> str:
    """Return the beginning of a text, with white space as single spaces and … at the end if more follows."""
    start = text[:_READ_CHARACTERS]
    words = " ".join((start if isinstance(start, str) else start.decode(errors="replace")).split())
    if len(words) <= MAX_EXAMPLE_CHARACTERS and len(text) <= _READ_CHARACTERS:
        return words
    return f"{words[: MAX_EXAMPLE_CHARACTERS - 1].rstrip()}…"


def list_confusions(
    pairs: Mapping[Pair, float],
    n_true: Mapping[Any, float],
    examples: Mapping[Pair, tuple[ExampleDocument, ...]],
) -> list[ConfusedClasses]:
    """Return the pairs of classes that are confused most, the most frequent first; at most `MAX_CONFUSIONS`.

    `pairs` has the number of documents of each pair of a true and a predicted label, and `n_true` that of each true
    label. Of pairs with as many documents, the one with the larger share of its true label comes first.
    """
    wrong = {pair: count for pair, count in pairs.items() if pair[0] != pair[1]}
    worst = sorted(wrong, key=lambda pair: (-wrong[pair], -wrong[pair] / n_true[pair[0]]))[:MAX_CONFUSIONS]
    return [
        ConfusedClasses(*pair, wrong[pair], wrong[pair] / n_true[pair[0]], examples.get(pair, ())) for pair in worst
    ]


@dataclass(frozen=True)
class ConfusionExamples:
    """Examples of pairs of confused classes. Those of batches can be added.

    Examples
    --------
    >>> from textsieve.evaluation import ConfusionExamples, ExampleDocument
    >>> document = ExampleDocument("line 3", "the vote of the fans", 0.8)
    >>> examples = ConfusionExamples(n_each=1, by_pair={("sport", "politics"): (document,)})
    >>> (examples + ConfusionExamples(n_each=1)).by_pair["sport", "politics"][0].place
    'line 3'
    """

    n_each: int = 0
    """The largest number of examples of each pair."""
    by_pair: dict[Pair, tuple[ExampleDocument, ...]] = field(default_factory=dict)

    @classmethod
    def of_batch(
        cls,
        n_each: int,
        texts: Sequence[str | bytes],
        places: Sequence[str],
        true: Sequence[tuple[Any, ...]],
        predicted: Sequence[tuple[Any, ...]],
        probabilities: Sequence[float] | Floats | None,
    ) -> ConfusionExamples:
        """Return up to `n_each` examples of each pair of confused classes among some documents.

        Each document has one true label, or none, and one predicted label; documents without a true label are left out.
        With the probabilities of the predicted labels, the documents whose wrong label is most probable are taken,
        otherwise the first ones.
        """
        documents: dict[Pair, list[int]] = {}  # the numbers of the wrong documents of each pair
        for number, (true_labels, labels) in enumerate(zip(true, predicted, strict=True)):
            if true_labels and true_labels[0] != labels[0]:
                documents.setdefault((true_labels[0], labels[0]), []).append(number)

        def example(number: int) -> ExampleDocument:
            """Return a document, given by its number, as an example."""
            probability = None if probabilities is None else float(probabilities[number])
            return ExampleDocument(places[number], beginning(texts[number]), probability)

        if probabilities is not None:
            known_probabilities = probabilities  # a name that is never None, for the type checker
            for numbers in documents.values():  # the sort is stable: equally probable documents keep their order
                numbers.sort(key=lambda number: -known_probabilities[number])
        return cls(n_each, {pair: tuple(map(example, numbers[:n_each])) for pair, numbers in documents.items()})

    def __add__(self, other: ConfusionExamples) -> ConfusionExamples:
        """Return the examples of both with the largest probabilities; of equally probable ones, the first are taken."""
        by_pair = dict(self.by_pair)
        n_each = max(self.n_each, other.n_each)
        for pair, more in other.by_pair.items():
            examples = sorted((*by_pair.get(pair, ()), *more), key=lambda example: -(example.probability or 0.0))
            by_pair[pair] = tuple(examples[:n_each])
        return ConfusionExamples(n_each, by_pair)

    def of_most_frequent(self, pairs: Mapping[Pair, float]) -> ConfusionExamples:
        """Return the examples of at most `MAX_PAIRS_WITH_EXAMPLES` pairs, those with most documents in `pairs`."""
        if len(self.by_pair) <= MAX_PAIRS_WITH_EXAMPLES:
            return self
        most_frequent = sorted(self.by_pair, key=lambda pair: -pairs[pair])[:MAX_PAIRS_WITH_EXAMPLES]
        return ConfusionExamples(self.n_each, {pair: self.by_pair[pair] for pair in most_frequent})


NO_EXAMPLES = ConfusionExamples()
