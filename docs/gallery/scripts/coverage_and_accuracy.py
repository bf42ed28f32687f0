"""Label only what is certain.

With a minimum probability, a model leaves the documents of which it is not sure to people. The curve shows the
exchange: the fewer documents get a label, the more of the labels are right.
"""

from textsieve import Categorizer, read
from textsieve.plots import Mark, lines, save

texts, labels = read("docstrings").load()
model = Categorizer().fit(texts[::2], labels[::2])
report = model.evaluate(texts[1::2], labels[1::2])

rows = [row for row in report.confidence.rows() if row.share]
points = [(1.0, report.accuracy), *((row.share, row.accuracy) for row in rows)]
name = "labels"
chart = lines(
    {name: ([share for share, _ in points], [accuracy for _, accuracy in points])},
    x="share of documents that get a label",
    y="share of right labels among them",
    title="How many labels are right if uncertain documents get none",
    caption="Held-out documents; the numbers are minimum probabilities",
    marks=[Mark(name, row.share, row.accuracy, f"{row.min_probability:g}") for row in rows],
    y_format=".0%",
)
save(chart, "coverage_and_accuracy.svg")
