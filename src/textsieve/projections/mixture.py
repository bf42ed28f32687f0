"""S(λ) as an operator, expressed by weights of documents.

The centroids are means of documents, so S_b, like C, can be computed from the centred documents J X alone. Let n_j be
the size of class j, p_j its share, 1_j the indicator vector of its documents, and v = sum_j (p_j / n_j) 1_j. With the
columns a_j = sqrt(p_j) (1_j / n_j - v) of a matrix A (documents x classes), X' a_j = sqrt(p_j)(m_j - m), and each a_j
sums to 0. So

    S(λ) = λ S_b + (1 - λ) C = (J X)' K (J X)        with K = λ A A' + ((1 - λ) / N) I.

A is sparse except for v, so a product with K is cheap. Unlabelled documents are rows of zeros in A, and a multilabel
document has an entry for each label.
"""

import numpy as np
from scipy.sparse import csr_array

from ..arrays import Floats
from ..stats.labels import LabelPairs


class Mixture:
    """The operator K = λ A A' + ((1 - λ) / N) I."""

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
        """Return K V."""
        identity_part = block * ((1.0 - self.weight) / len(block))
        if self.weight == 0.0:
            return identity_part
        by_class = self._members_by_class @ block - self._roots * (self._common.T @ block)
        return identity_part + self.weight * self.centroids(by_class)

    def centroids(self, factors: Floats) -> Floats:
        """Return A F: weights of documents whose weighted sum is the centred centroids times the factors."""
        return np.asarray(self._members @ factors - self._common * (self._roots.T @ factors))
