"""How many terms are enough?

`compare` measures each selector at each number of terms on the same folds. With few terms, it matters how they are
selected; forward selection does not take the same information twice.
"""

from textsieve import compare, read
from textsieve.plots import lines, save

sizes = (50, 100, 200, 500, 1000, 2000)
selectors = ("forward", "ocfs", "ig", "chi")
result = compare(read("docstrings"), selectors=selectors, n_terms=sizes, classifiers="svm", folds=3)

curves = {
    selector: zip(*((row.n_terms, row.micro_f1) for row in result.rows if row.selector == selector), strict=True)
    for selector in selectors
}
