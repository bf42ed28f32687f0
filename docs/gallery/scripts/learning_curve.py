"""See whether more labelled documents would help.

`check` trains on parts of the documents and measures the rest. If the curve still rises at its end, label more
documents; if it is flat, better labels or other terms are the only way up.
"""

from textsieve import read
from textsieve.checking import check
from textsieve.plots import lines, save

result = check(read("tickets.csv", text=["title", "description"], label="section", fold_labels=True))
curve = result.curve
expected = curve.accuracy[-1] + curve.gain

chart = lines(
    {
        "measured": (curve.n_documents, curve.accuracy),
        "expected": ([curve.n_documents[-1], 2 * curve.n_documents[-1]], [curve.accuracy[-1], expected]),
    },
    x="labelled training documents",
    y="accuracy",
    title="Would more labelled documents help?",
    caption=f"Twice as many are expected to gain {100 * curve.gain:.1f} points.",
    log_x=True,
    y_format=".0%",
)
save(chart, "learning_curve.svg")
