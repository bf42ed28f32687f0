"""Choose the size of random subspaces.

Each cell is the accuracy of an ensemble on held-out documents. All ensembles of a row use the first members of
the same large one, so a row costs as much as its largest ensemble.
"""

from textsieve import InformationGain, TermCounter, TermWeighter, read
from textsieve.classifiers import LinearSVM
from textsieve.ensembles import subspace_grid

kept = {"scipy.stats", "scipy.optimize", "scipy.signal", "numpy.lib", "sklearn.utils", "sklearn.metrics"}
pairs = [pair for pair in zip(*read("docstrings").load(), strict=True) if pair[1] in kept][::3]
texts, labels = zip(*pairs, strict=True)
weights = TermWeighter().fit_transform(TermCounter().fit_transform(texts))
weights = InformationGain(k=2000).fit_transform(weights, labels)
sizes = {"n_terms": [50, 100, 200, 500, 1000, 2000], "n_estimators": [1, 3, 10, 30]}
grid = subspace_grid(weights, labels, **sizes, estimator=LinearSVM(C=1), repeats=3)
grid.plot("subspace_grid.svg")
