"""`textsieve compare`: measure all combinations of selectors, numbers of terms and classifiers on unseen documents."""

import os
import re
from contextlib import ExitStack
from typing import Any

import click

from ..registry import CLASSIFIERS, SELECTORS
from . import options

compared = options.bundle(
    "compared",
    click.option(
        "--selectors",
        default="forward,ocfs,ig,chi",
        show_default=True,
        metavar="NAME,...",
        help=f"Selectors to compare: {', '.join(SELECTORS)}; all: no selection, a baseline. With options in "
        "parentheses: ig(pooling=max).",
    ),
    click.option(
        *("-k", "--terms", "n_terms"),
        default="100,1000,10000",
        show_default=True,
        metavar="N|SHARE|all,...",
        help="Numbers of terms to select.",
    ),
    click.option(
        "--classifiers",
        default="svm",
        show_default=True,
        metavar="NAME,...",
        help=f"Classifiers to train on them: {', '.join(CLASSIFIERS)}. With options in parentheses, also tf, idf, norm "
        "and class_weight: svm(C=10,tf=log).",
    ),
)

split = options.bundle(
    "split",
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        metavar="N",
        help="Number of folds, tested in turn.  [default: the publisher's split of the corpus, or else 5]",
    ),
    click.option(
        "--test-share",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        metavar="SHARE",
        help="Instead of folds, test this share of the documents, drawn at random.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of random draws, or of shuffled cross-validations.  [default: 1]",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        help="Random seed; with --folds, documents are shuffled first.  [default: 0]",
    ),
)


@click.command(
    epilog=options.examples(
        "textsieve compare newsgroups --selectors ocfs,ig,chi,tofa,testors --terms 10,100,1000,10000",
        "textsieve compare news.csv --classifiers svm,tcfp,knn --folds 5 --results news.jsonl",
        "textsieve compare news.csv --test later.csv --selectors 'ig,ig(pooling=max),all' --terms 0.01,0.1",
        "textsieve compare reuters --classifiers 'svm,svm(C=10),nb' --json > reuters.json",
        "textsieve compare newsgroups --report newsgroups.html",
        "textsieve compare newsgroups.compare.jsonl --report newsgroups.html",
    )
)
@click.argument("path", metavar="CORPUS")
@click.option("--test", metavar="FILE", help="Test documents, read like CORPUS; all of CORPUS is used for training.")
@options.reading
@compared
@split
@click.option(
    "--results",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="File to which each result is appended at once; the same command continues it.  [default: "
    "NAME.compare.jsonl, where NAME is that of the corpus]",
)
@click.option(
    "--report",
    type=click.Path(),
    metavar="FILE",
    help="Write an HTML page with charts and tables that needs no network.",
)
@options.terms_are
@options.multilabel
@options.jobs
@options.json_wanted
def command(
    path: str,
    test: str | None,
    reading: dict[str, Any],
    compared: dict[str, Any],
    split: dict[str, Any],
    results: str | None,
    report: str | None,
    terms_are: dict[str, Any],
    multilabel: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Compare selectors, numbers of terms and classifiers, each with each.

    In each fold, everything is learned from the training documents alone: terms, idf, ranking, classifier and
    thresholds. Prints F1, time and size of each combination, the significance of differences, the overlap of the
    selected terms, and their stability between folds.
    The same command continues a run that was interrupted.
    CORPUS is what train takes, or a file of results: then tables and the report are made from it without documents.
    """
    from ..comparison import compare
    from ..comparison.plan import Plan
    from ..comparison.results import is_results_file
    from ..comparison.splits import Splitting
    from .compare_output import check_report, read_measured, show
    from .errors import exit_as_usage_error
    from .messages import option_name, say
    from .opening import STDIO, opened, refuse_to_lose
    from .progress import progress

    if is_results_file(path):
        check_report(report, path)
        show(read_measured(path), path, report, as_json=wants_json)
        return
    settings = options.counting(terms_are) | multilabel
    with exit_as_usage_error():
        Plan.of(compared["selectors"], compared["n_terms"], compared["classifiers"], settings, jobs)
        is_split = Splitting(**split).is_requested
    if test is not None and is_split:
        conflicting = next(option_name(name) for name in split if split[name] is not None)
        raise click.UsageError(f"{conflicting} and --test exclude each other; leave out one.")
    if test == STDIO == path:
        raise click.UsageError("- is standard input, which can be CORPUS or --test, not both; give one as a file.")
    if results == STDIO:
        raise click.UsageError("--results - is standard output, and results need a file; give the name of one.")
    results_file = default_results(path) if results is None else results
    inputs = [path, *([test] if test else [])]
    refuse_to_lose(results_file, *inputs, what="a list of results", option="--results")
    check_report(report, results_file, *inputs)
    with ExitStack() as stack:
        corpus = stack.enter_context(opened(path, reading))
        test_corpus = stack.enter_context(opened(test, reading)) if test else None
        tell = stack.enter_context(progress())
        try:
            comparison = compare(
                corpus,
                test=test_corpus,
                results=results_file,
                n_jobs=jobs,
                progress=tell,
                **compared,
                **split,
                **settings,
            )
        except KeyboardInterrupt:
            if os.path.exists(results_file):
                say("interrupted", f"the same command continues; the results so far are in {results_file}.")
            raise
    show(comparison, results_file, report, as_json=wants_json)


def default_results(path: str) -> str:
    """Return the default name of the results file of a corpus, in the current directory."""
    from ..corpus.named_corpora import is_name
    from .opening import STDIO

    whole = path if path == STDIO or is_name(path) else os.path.abspath(path)
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(whole)).strip("-") or "standard-input"
    return f"{name}.compare.jsonl"
