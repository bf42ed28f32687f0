"""S(λ) as an operator: which documents are weighed how.

The centroids are means of documents, so S_b, like C, comes from the centred documents J X alone. Let n_j be the size of
class j, p_j its share, 1_j the documents of it, and v = sum_j (p_j / n_j) 1_j. With the columns a_j = sqrt(p_j)
(1_j / n_j - v) of a matrix A (documents x classes), X' a_j = sqrt(p_j)(m_j - m), and each a_j adds up to 0. So

    S(λ) = λ S_b + (1 - λ) C = (J X)' K (J X)        with K = λ A A' + ((1 - λ) / N) I.

A is sparse but for v; a product with K costs next to nothing. Documents without a label are rows of zeros in A, and a
document with several labels has an entry for each.
"""

import numpy as np
from scipy.sparse import csr_array

from ..stats.labels import LabelPairs
from ..stats.sums import Floats


class Mixture:
    """K = λ A A' + ((1 - λ) / N) I."""

    def __init__(self, weight: float, pairs: LabelPairs, shares: Floats) -> None:
        sizes = np.diff(pairs.class_starts)
        numbers = np.repeat(np.arange(len(sizes)), sizes)
        with_documents = np.maximum(sizes, 1)
        shape = pairs.n_documents, len(sizes)
        entries = (np.sqrt(shares) / with_documents)[numbers]
        self._members = csr_array((entries, (pairs.documents, numbers)), shape=shape)
        self._members_by_class = csr_array(self._members.T)
        self._common = np.bincount(pairs.documents, (shares / with_documents)[numbers], shape[0])[:, np.newaxis]
        self._roots = np.sqrt(shares)[:, np.newaxis]
        self.weight = weight
        self.shares = shares
        self.n_classes = int(np.count_nonzero(sizes))

    def times(self, block: Floats) -> Floats:
        """K V."""
        even = block * ((1.0 - self.weight) / len(block))
        if self.weight == 0.0:
            return even
        by_class = self._members_by_class @ block - self._roots * (self._common.T @ block)
        return even + self.weight * self.centroids(by_class)

    def centroids(self, factors: Floats) -> Floats:
        """A F: the documents, weighed so that their sum is a sum of centred centroids times factors."""
        return np.asarray(self._members @ factors - self._common * (self._roots.T @ factors))
