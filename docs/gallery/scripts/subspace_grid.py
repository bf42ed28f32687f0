"""How many random subspaces, and how large?

Each cell is the accuracy of an ensemble on held-out documents. All ensembles of a row use the first members of
the same large one, so a row costs as much as its largest ensemble.
"""

from textsieve import InformationGain, TermCounter, TermWeighter, read
from textsieve.ensembles import subspace_grid
from textsieve.plots import save

texts, labels = read("docstrings").load()
counts = TermCounter().fit_transform(texts[::4])
weights = InformationGain(k=2000).fit_transform(TermWeighter().fit_transform(counts), labels[::4])
grid = subspace_grid(
    weights, labels[::4], n_terms=[50, 100, 200, 500, 1000], n_estimators=[1, 3, 10, 30], estimator="nb", repeats=2
)
grid.plot("subspace_grid.svg")
