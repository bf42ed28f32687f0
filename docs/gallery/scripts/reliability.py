"""See whether probabilities are right.

Labels are put into bins by their probability. In each bin, the share of right labels should be the mean probability:
on the diagonal, the model is exactly as sure as it is right.
"""

import numpy as np

from textsieve import Categorizer, read
from textsieve.plots import lines, save

texts, labels = read("docstrings").load()
model = Categorizer().fit(texts[::2], labels[::2])
probabilities = model.predict_proba(texts[1::2])
sure = probabilities.max(axis=1)
is_right = model.predict(texts[1::2]) == np.array(labels[1::2])

bins = [own for own in np.array_split(np.argsort(sure), 12) if len(own)]
chart = lines(
    {
        "labels": ([sure[own].mean() for own in bins], [is_right[own].mean() for own in bins]),
        "ideal": ([0, 1], [0, 1]),
    },
    x="mean probability of the labels in a bin",
    y="share of right labels",
    title="Are probabilities right?",
    caption=f"{len(sure):,} held-out documents in {len(bins)} bins of equal size",
    y_domain=(0, 1),
    y_format=".0%",
)
save(chart, "reliability.svg")
