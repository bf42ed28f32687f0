"""Keep a model up to date.

In the middle of this stream of documents, two of four classes swap their names. A model that is never updated stays
wrong about them, an updated one learns slowly, and one that forgets old documents recovers.
"""

import random

from textsieve import Categorizer, read
from textsieve.plots import lines, save

kept = {"scipy.stats", "scipy.optimize", "scipy.signal", "numpy.lib"}
stream = [pair for pair in zip(*read("docstrings").load(), strict=True) if pair[1] in kept]
random.Random(0).shuffle(stream)
middle, size = len(stream) // 2, len(stream) // 12
new_names = {"scipy.signal": "scipy.optimize", "scipy.optimize": "scipy.signal"}
stream[middle:] = [(text, new_names.get(label, label)) for text, label in stream[middle:]]
batches = [stream[begin : begin + size] for begin in range(0, len(stream) - size + 1, size)]

settings = {"never updated": None, "updated": {}, "forgets": {"half_life": f"{size}docs"}}
curves = {}
for name, options in settings.items():
    model = Categorizer(classifier="nb", keep_stats="all").fit(*map(list, zip(*batches[0], strict=True)))
    accuracies = []
    for batch in batches[1:]:  # predict first, then learn
        texts, labels = map(list, zip(*batch, strict=True))
        accuracies.append(model.score(texts, labels))
        if options is not None:
            model.update(texts, labels, **options)
    curves[name] = (range(size, size * len(batches), size), accuracies)
chart = lines(
    curves,
    x="documents seen",
    y="accuracy on the next batch",
    title="A model over time",
    caption=f"After {middle} documents, two of the classes swap their names.",
    y_format=".0%",
)
save(chart, "updates_over_time.svg")
