"""Print the terms that tell each class of a corpus from the others: `python examples/best_terms.py [PATH] [OPTIONS]`.

PATH is anything that `textsieve.read` takes; left out, it is the embedded corpus, the docstrings of the installed
numpy, scipy and scikit-learn.
"""

import argparse
import io
import os
import shutil
import sys
import time
from collections.abc import Iterable

import numpy as np

import textsieve
from textsieve import ChiSquare, ClassStats, InputError, TermCounter

TERMS_SHOWN = 8
LONGEST_TERM = 30


def main(arguments: argparse.Namespace) -> None:
    """Count, score, and show."""
    begin = time.perf_counter()
    options = {name: value for name, value in vars(arguments).items() if name != "path" and value is not None}
    corpus = textsieve.read(arguments.path, **options)
    counter, stats = TermCounter(), ClassStats.zero()
    for batch in corpus.batches():
        counts = counter.partial_fit_transform(batch.texts) if batch.vectors is None else batch.vectors
        stats.update(counts, batch.labels)
    selector = ChiSquare(k="all").fit_stats(stats)
    columns = range(stats.n_terms)
    terms = counter.get_feature_names_out() if counter.__sklearn_is_fitted__() else np.array([f"#{c}" for c in columns])
    spent = time.perf_counter() - begin

    print(f"{corpus.name}: {corpus.report}; {len(stats.classes)} classes, {stats.n_terms:,} terms; {spent:.1f} s\n")
    width = max(len("all classes"), *(len(str(label)) for label in stats.classes))
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
    """As many of the terms as fit into a line; a very long one is cut."""
    line = ""
    for term in terms:
        shown = term if len(term) <= LONGEST_TERM else f"{term[: LONGEST_TERM - 1]}…"
        if len(line) + len(shown) > room:
            break
        line += f"{shown} "
    return line.rstrip()


def column(name: str) -> str | int:
    """A column's name, or its number in a table without a header."""
    return int(name) if name.isdigit() else name


def parsed() -> argparse.Namespace:
    """What was asked for at the command line."""
    parser = argparse.ArgumentParser(description="The terms that tell each class of a corpus from the others.")
    parser.add_argument("path", nargs="?", default="docstrings", help="a file, a folder, or the name of a corpus")
    parser.add_argument("--text", type=column, help="the column that has the texts")
    parser.add_argument("--label", type=column, help="the column that has the labels")
    parser.add_argument("--label-separator", help="what is between several labels in one cell")
    parser.add_argument("--format", help="parquet, jsonl, fasttext, svmlight, tsv, csv or folder")
    parser.add_argument("--encoding", help="of a text file; utf-8 if not said")
    return parser.parse_args()


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # terms may hold letters that the terminal has not
    try:
        main(parsed())
        sys.stdout.flush()
    except InputError as problem:
        sys.exit(f"error: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # nobody reads on, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
