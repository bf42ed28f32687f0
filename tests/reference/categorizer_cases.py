"""Small collections of texts: each class has its own words, and all classes share common words."""

from typing import Any, NamedTuple

import numpy as np

from textsieve import Categorizer
from textsieve.evaluation.scores import HeldOutScores

COMMON = ["the", "one", "and", "Two", "said", "time", "year", "made", "x1", "naïve", "Ärger"]
WORDS = {
    "boat": ["sail", "harbour", "wind", "deck", "oar"],
    "cook": ["salt", "oven", "spoon", "butter", "Rice"],
    "moon": ["orbit", "crater", "rocket", "dust", "tide"],
    "zoo": ["lion", "cage", "keeper", "feed", "zebra"],
}


PLAIN: dict[str, Any] = {
    "analyzer": "word",
    "char_ngram_range": None,
    "max_size": None,
    "class_weight": None,
    "probabilities": None,
}
"""Settings of a model of words that is trained once.

The default also counts n-grams of characters, trains the SVM several times to drop coefficients, and trains five more
models to fit probabilities.
"""


def plain_categorizer(**settings: Any) -> Categorizer:
    """Return a `Categorizer` with these settings, and otherwise those that train fastest."""
    return Categorizer(**(PLAIN | settings))


class Texts(NamedTuple):
    """Texts, and the labels of each text."""

    texts: list[str]
    label_sets: list[tuple[str, ...]]

    @property
    def labels(self) -> list[str]:
        """Return the first label of each text."""
        return [labels[0] for labels in self.label_sets]


def small_texts(n: int = 60, n_classes: int = 3, *, multilabel: bool = False, seed: int = 0) -> Texts:
    """Return texts of 4 to 12 words: words of their one or two classes, of any class, and common words."""
    rng = np.random.default_rng(seed)
    classes = list(WORDS)[:n_classes]
    texts, label_sets = [], []
    for number in range(n):
        own = [classes[number % n_classes]]
        if multilabel and rng.random() < 0.4:
            own.append(classes[int(rng.integers(n_classes))])
        label_sets.append(tuple(dict.fromkeys(own)))
        words: list[str] = []
        for _ in range(int(rng.integers(4, 13))):
            which = rng.random()
            source: Any = COMMON if which < 0.4 else WORDS[classes[int(rng.integers(n_classes))]]
            words.append(str(rng.choice(WORDS[own[int(rng.integers(len(own)))]] if which > 0.55 else source)))
        texts.append(" ".join(words))
    return Texts(texts, label_sets)


def tables_of(held_out: HeldOutScores) -> tuple[Any, Any]:
    """Return held-out scores and true labels as two arrays (documents x classes)."""
    scores = np.empty((held_out.n_documents, held_out.n_classes))
    true = np.empty(scores.shape, np.bool_)
    for documents, block, is_member in held_out.by_document():
        scores[documents], true[documents] = block, is_member
    return scores, true
