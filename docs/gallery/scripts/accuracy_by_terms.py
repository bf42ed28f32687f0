"""Find out how many terms are enough.

`compare` measures each selector at each number of terms on the same held-out documents. With few terms, it matters how
they are selected; forward selection does not take the same information twice.
"""

from textsieve import compare, read
from textsieve.plots import lines, save

sizes = (50, 100, 200, 500, 1000, 2000)
selectors = ("forward", "ocfs", "ig", "chi")
result = compare(read("docstrings"), selectors=selectors, n_terms=sizes, classifiers="svm", test_share=0.3)

curves = {}
for selector in selectors:
    accuracies = {row.n_terms: row.accuracy for row in result.rows if row.selector == selector}
    curves[selector] = (sizes, [accuracies[size] for size in sizes])
chart = lines(
    curves,
    x="selected terms",
    y="accuracy",
    title="Accuracy by the number of terms",
    caption="A linear SVM, on the documents that were held out",
    log_x=True,
    y_format=".0%",
)
save(chart, "accuracy_by_terms.svg")
