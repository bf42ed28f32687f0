"""Small random collections of labelled documents for hypothesis, with counts or weights."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse


class Case(NamedTuple):
    """Documents as dense rows, and the set of labels of each."""

    rows: NDArray[Any]
    label_sets: list[tuple[Any, ...]]

    def matrix(self) -> sparse.csr_array:
        """Return the documents as sparse rows."""
        return sparse.csr_array(self.rows)

    def part(self, documents: Any) -> "Case":
        """Return some of the documents."""
        return Case(self.rows[documents], [self.label_sets[document] for document in documents])


counts = st.integers(-1, 3)  # sums of integers are exact, also of negative ones
any_weights = st.sampled_from([0.0, 0.0, 0.25, -1.5, 1 / 3, 1e-9, -7e5, 2.0**-40])
near_a_million = st.integers(-1000, 1000).map(lambda step: 1e6 + step * 1e-6)
cancelling = st.sampled_from([0.0, 1e12, -1e12, 1e-3, 3.0, -1e12 + 0.5])


@st.composite
def cases(
    draw: st.DrawFn,
    values: st.SearchStrategy[Any] = counts,
    *,
    max_documents: int = 9,
    max_terms: int = 5,
    n_labels: tuple[int, int] = (0, 2),
    labels: tuple[Any, ...] = ("a", "b", "c"),
) -> Case:
    """Draw a collection of documents; `n_labels` is the smallest and the largest number of labels of a document."""
    n_terms = draw(st.integers(1, max_terms))
    n_documents = draw(st.integers(1, max_documents))
    rows = draw(
        st.lists(st.lists(values, min_size=n_terms, max_size=n_terms), min_size=n_documents, max_size=n_documents)
    )
    document_labels = st.lists(st.sampled_from(labels), min_size=n_labels[0], max_size=n_labels[1], unique=True).map(
        tuple
    )
    label_sets = draw(st.lists(document_labels, min_size=n_documents, max_size=n_documents))
    return Case(np.array(rows), label_sets)
