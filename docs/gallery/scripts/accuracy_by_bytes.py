"""Find out how small a model can be.

`max_size` limits the file of a model. Training drops the coefficients that decide least, so accuracy stays the
same for a long way down.
"""

from pathlib import Path

from textsieve import Categorizer, read
from textsieve.plots import lines, save

texts, labels = read("docstrings").load()
sizes, accuracies = [], []
for limit in ("4kB", "6kB", "10kB", "20kB", "50kB", "150kB"):
    model = Categorizer(max_size=limit, probabilities=None).fit(texts[::2], labels[::2])
    model.save("model.sieve")
    sizes.append(Path("model.sieve").stat().st_size / 1000)
    accuracies.append(model.score(texts[1::2], labels[1::2]))

chart = lines(
    {"textsieve": (sizes, accuracies)},
    x="size of the model file in kB",
    y="accuracy",
    title="Accuracy by the size of the model",
    caption=f"{len(labels[1::2]):,} held-out documents in {len(set(labels))} classes",
    log_x=True,
    y_format=".0%",
)
save(chart, "accuracy_by_bytes.svg")
