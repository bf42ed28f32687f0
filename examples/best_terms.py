"""Print the terms that tell each class of a corpus from the others: `python examples/best_terms.py [PATH]`.

PATH is anything that `textsieve.read` takes; left out, it is the embedded corpus, the docstrings of the installed
numpy, scipy and scikit-learn.
"""

import shutil
import sys
import time
from collections.abc import Iterable

import numpy as np

import textsieve
from textsieve import ChiSquare, ClassStats, InputError, TermCounter

TERMS_SHOWN = 8


def main(path: str) -> None:
    """Count, score, and show."""
    begin = time.perf_counter()
    corpus = textsieve.read(path)
    counter, stats = TermCounter(), ClassStats.zero()
    for batch in corpus.batches():
        counts = counter.partial_fit_transform(batch.texts) if batch.vectors is None else batch.vectors
        stats.update(counts, batch.labels)
    selector = ChiSquare(k="all").fit_stats(stats)
    columns = range(stats.n_terms)
    terms = counter.get_feature_names_out() if counter.__sklearn_is_fitted__() else np.array([f"#{c}" for c in columns])
    spent = time.perf_counter() - begin

    print(f"{corpus.name}: {corpus.report}; {len(stats.classes)} classes, {stats.n_terms:,} terms; {spent:.1f} s\n")
    width = max(len(str(label)) for label in stats.classes)
    room = max(40, shutil.get_terminal_size((120, 40)).columns - width - 9)
    print(f"{'class':<{width}}  {'docs':>5}  terms, the best first (chi-square)")
    for number, scores in enumerate(selector.class_scores_):
        typical = np.where(stats.favours(number), scores, -1.0)
        best = np.argsort(-typical, kind="stable")[:TERMS_SHOWN]
        shown = fitting(terms[best[typical[best] > 0]], room)
        print(f"{stats.classes[number]:<{width}}  {stats.class_docs[number]:>5,}  {shown}")
    overall = fitting(terms[selector.ranking_[: 2 * TERMS_SHOWN]], room)
    print(f"\n{'all classes':<{width}}  {stats.n_documents:>5,}  {overall}")


def fitting(terms: Iterable[str], room: int) -> str:
    """As many of the terms as fit into a line."""
    line = ""
    for term in terms:
        if len(line) + len(term) > room:
            break
        line += f"{term} "
    return line.rstrip()


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else "docstrings")
    except InputError as problem:
        sys.exit(f"error: {problem}")
