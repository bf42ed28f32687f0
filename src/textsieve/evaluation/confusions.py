"""The classes that are confused most, each pair with a few documents as examples.

The worst pairs are known only after the last document, and the texts of all wrong documents may not fit in memory. So
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
_READ_CHARACTERS = 10 * MAX_EXAMPLE_CHARACTERS
"""How many characters of a text are searched for its beginning, which may follow white space."""

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

    `pairs` has the number of documents of each true and predicted label, and `n_true` that of each true label.
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
        """Return the examples among some documents with one label each; those without a true label are left out."""
        documents: dict[Pair, list[int]] = {}
        for number, (true_labels, labels) in enumerate(zip(true, predicted, strict=True)):
            if true_labels and true_labels[0] != labels[0]:
                documents.setdefault((true_labels[0], labels[0]), []).append(number)

        def example(number: int) -> ExampleDocument:
            probability = None if probabilities is None else float(probabilities[number])
            return ExampleDocument(places[number], beginning(texts[number]), probability)

        if probabilities is not None:  # the stable sort leaves equally probable documents in their order
            by_probability = probabilities
            documents = {
                pair: sorted(numbers, key=lambda number: -by_probability[number]) for pair, numbers in documents.items()
            }
        return cls(n_each, {pair: tuple(map(example, numbers[:n_each])) for pair, numbers in documents.items()})

    def __add__(self, other: ConfusionExamples) -> ConfusionExamples:
        """Return the best examples of both; of equally good ones, the first are taken."""
        by_pair = dict(self.by_pair)
        n_each = max(self.n_each, other.n_each)
        for pair, more in other.by_pair.items():
            examples = sorted((*by_pair.get(pair, ()), *more), key=lambda example: -(example.probability or 0.0))
            by_pair[pair] = tuple(examples[:n_each])
        return ConfusionExamples(n_each, by_pair)

    def of_most_frequent(self, pairs: Mapping[Pair, float]) -> ConfusionExamples:
        """Return the examples of at most `MAX_PAIRS_WITH_EXAMPLES` pairs, the most frequent ones."""
        if len(self.by_pair) <= MAX_PAIRS_WITH_EXAMPLES:
            return self
        most_frequent = sorted(self.by_pair, key=lambda pair: -pairs[pair])[:MAX_PAIRS_WITH_EXAMPLES]
        return ConfusionExamples(self.n_each, {pair: self.by_pair[pair] for pair in most_frequent})


NO_EXAMPLES = ConfusionExamples()
