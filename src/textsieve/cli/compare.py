"""`textsieve compare`: measure all combinations of selectors, numbers of terms and classifiers on unseen documents."""

import os
import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ..registry import CLASSIFIERS, SELECTORS
from . import options

if TYPE_CHECKING:
    from ..comparison import Comparison

asked = options.bundle(
    "asked",
    click.option(
        "--selectors",
        default="forward,ocfs,ig,chi",
        show_default=True,
        metavar="NAME,...",
        help=f"How terms are scored: {', '.join(SELECTORS)}; all: no selection, a baseline. With options in "
        "parentheses: ig(pooling=max).",
    ),
    click.option(
        *("-k", "--terms", "n_terms"),
        default="100,1000,10000",
        show_default=True,
        metavar="N|SHARE|all,...",
        help="How many terms are kept.",
    ),
    click.option(
        "--classifiers",
        default="svm",
        show_default=True,
        metavar="NAME,...",
        help=f"What is trained on them: {', '.join(CLASSIFIERS)}. With options in parentheses, also tf, idf, norm and "
        "class_weight: svm(C=10,tf=log).",
    ),
)

split = options.bundle(
    "split",
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        metavar="N",
        help="Test so many folds in turn.  [default: the split of whoever published the corpus, or else 5]",
    ),
    click.option(
        "--test-share",
        type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
        metavar="SHARE",
        help="Instead of folds, draw this share of the documents at random, and test it.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        metavar="N",
        help="Draw so often, or shuffle and fold so often.  [default: 1]",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        help="What is drawn; with --folds, shuffle the documents before.  [default: 0]",
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
@click.option(
    "--test", metavar="FILE", help="Documents to test on, read like CORPUS; then all of CORPUS is learned from."
)
@options.reading
@asked
@split
@click.option(
    "--results",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file that gets a line for each result, as soon as it is there; the same command goes on with what it "
    "has.  [default: NAME.compare.jsonl, where NAME is that of the corpus]",
)
@click.option(
    "--report",
    type=click.Path(),
    metavar="FILE",
    help="Write a page with figures and tables, a .html that opens without a network.",
)
@options.terms_are
@options.multilabel
@options.jobs
@options.json_wanted
def command(
    path: str,
    test: str | None,
    reading: dict[str, Any],
    asked: dict[str, Any],
    split: dict[str, Any],
    results: str | None,
    report: str | None,
    terms_are: dict[str, Any],
    multilabel: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Compare selectors, numbers of terms and classifiers, each with each.

    Everything is learned from training documents alone, for each fold anew: which terms there are, their idf and
    ranking, classifier, thresholds. Prints F1, time and size of each combination, whether the best is better by more
    than chance, how alike the chosen terms are, and how much they change from fold to fold.
    A run that was interrupted goes on where it was when the same command is given again.
    CORPUS is what train takes; or a file of results, of which only tables and report are made, without the documents.
    """
    from ..comparison import compare
    from ..comparison.plan import Plan
    from ..comparison.results import holds_results
    from ..comparison.splits import Splitting
    from . import compare_report
    from .ending import say, usage
    from .opening import STDIO, opened, refuse_to_lose
    from .progress import progress
    from .wording import option

    if holds_results(path):
        compare_report.check(report, path)
        _show(compare_report.measured_before(path), path, report, wants_json)
        return
    settings = options.counting(terms_are) | multilabel
    with usage():
        Plan.of(asked["selectors"], asked["n_terms"], asked["classifiers"], settings, jobs)
        is_split = Splitting(**split).is_asked_for
    if test is not None and is_split:
        conflicting = next(option(name) for name in split if split[name] is not None)
        raise click.UsageError(f"{conflicting} and --test exclude each other; leave out one.")
    if test == STDIO == path:
        raise click.UsageError("- is standard input, which has one of CORPUS and --test; give the other as a file.")
    if results == STDIO:
        raise click.UsageError("--results - is standard output, and results are kept in a file; give the name of one.")
    results_file = usual_results(path) if results is None else results
    inputs = [path, *([test] if test else [])]
    refuse_to_lose(results_file, *inputs, what="a list of results", option="--results")
    compare_report.check(report, results_file, *inputs)
    with ExitStack() as stack:
        corpus = stack.enter_context(opened(path, reading))
        test_corpus = stack.enter_context(opened(test, reading)) if test else None
        tell = stack.enter_context(progress())
        try:
            comparison = compare(
                corpus, test=test_corpus, results=results_file, n_jobs=jobs, progress=tell, **asked, **split, **settings
            )
        except KeyboardInterrupt:
            if os.path.exists(results_file):
                say("interrupted", f"the same command goes on where it was; what it has is in {results_file}.")
            raise
    _show(comparison, results_file, report, wants_json)


def usual_results(path: str) -> str:
    """Return the default name of the results file of a corpus, in the current directory."""
    from ..corpus.named import is_name
    from .opening import STDIO

    whole = path if path == STDIO or is_name(path) else os.path.abspath(path)
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(whole)).strip("-") or "standard-input"
    return f"{name}.compare.jsonl"


def _show(comparison: "Comparison", results: str, report: str | None, wants_json: bool) -> None:
    from . import compare_report
    from .compare_tables import show
    from .json_output import print_json

    compare_report.write(comparison, report)
    if wants_json:
        print_json(comparison.to_dict() | {"results": results} | ({"report": report} if report else {}))
        return
    show(comparison, results)
    if report is not None:
        click.echo(f"The report is in {report}")
