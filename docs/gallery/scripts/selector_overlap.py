"""Compare what selectors select.

The share of terms that two selectors have in common among the best 200. All rankings come from one table of
statistics and one more pass over the documents.
"""

import numpy as np

from textsieve import (
    OCFS,
    ChiSquare,
    DocumentFrequency,
    ForwardSelection,
    InformationGain,
    MutualInformation,
    TermCounter,
    TermWeighter,
    WeightSelection,
    read,
)
from textsieve.plots import save, surface_plot

texts, labels = read("docstrings").load()
counts = TermCounter().fit_transform(texts)
weights = TermWeighter().fit_transform(counts)

k = 200
kinds = (ForwardSelection, WeightSelection, OCFS, InformationGain, ChiSquare, MutualInformation, DocumentFrequency)
names = ["forward", "weights", "ocfs", "ig", "chi", "mi", "df"]
best = [set(kind(k=k).fit(weights, labels).ranking_[:k].tolist()) for kind in kinds]
overlap = np.array([[len(first & second) / k for second in best] for first in best])

chart = surface_plot(
    overlap,
    x=names,
    y=names,
    x_title="",
    y_title="",
    value_format=".0%",
    title=f"Terms that two selectors share among their best {k}",
    marked=None,
)
save(chart, "selector_overlap.svg")
