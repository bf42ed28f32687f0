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
    from ..comparison.view import ViewTable
    from .output import Page

MAX_PAIRS = 30
"""The maximum number of pairs of selectors whose overlap is printed."""
PARAMETERS_FOR_SHOWING = ("path", "report", "wants_json")
"""The parameters that may be given if PATH is a file of results, which is only shown."""

compared = options.bundle(
    "compared",
    click.option(
        "--selectors",
        default="forward,ocfs,ig,chi",
        show_default=True,
        metavar="NAME,...",
        help=f'Selectors to compare: {", ".join(SELECTORS)}; "all" selects all terms, as a baseline. Options of a '
        "selector are in parentheses: ig(pooling=max).",
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
        help=f"Classifiers to train on the selected terms: {', '.join(CLASSIFIERS)}. Options of a classifier are in "
        "parentheses, and may include tf, idf, norm and class_weight: svm(C=10,tf=log).",
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
@click.argument("path", metavar="CORPUS", shell_complete=options.complete_documents)
@click.option(
    "--test",
    metavar="FILE",
    shell_complete=options.complete_documents,
    help="Test documents, read like CORPUS; all of CORPUS is used for training.",
)
@options.read_options
@compared
@split
@click.option(
    "--results",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file of results. Each result is appended at once, so the same command continues an interrupted run.  "
    "[default: NAME.compare.jsonl, where NAME is that of the corpus]",
)
@click.option(
    "--report",
    type=click.Path(),
    metavar="FILE",
    help="Write an HTML page with charts and tables that needs no network.",
)
@options.word_settings
@options.multilabel
@options.jobs
@options.json_flag
def command(
    path: str,
    test: str | None,
    read_options: dict[str, Any],
    compared: dict[str, Any],
    split: dict[str, Any],
    results: str | None,
    report: str | None,
    term_settings: dict[str, Any],
    multilabel: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Compare all combinations of selectors, numbers of terms and classifiers.

    In each fold, everything is learned from the training documents alone: terms, idf, ranking, classifier and
    thresholds. Prints F1, time and size of each combination, the significance of differences, the overlap of the
    selected terms, their stability between folds, and how certain and how right the labels of the best combination
    are.
    The same command continues a run that was interrupted.
    CORPUS is a path or a name, as for train, or a file of results, whose tables are printed without measuring again.
    """
    from ..comparison import compare
    from ..comparison.results import is_results_file
    from ..progress import progress_display
    from .messages import print_message
    from .opening import check_output, open_corpus

    if is_results_file(path):
        check_report(report, path)
        show(read_results(path), path, report, as_json=wants_json)
        return
    settings = options.check_term_settings(term_settings) | multilabel
    _check_options(path, test, results, compared, split, settings, jobs)
    results_file = default_results(path) if results is None else results
    inputs = [path, *([test] if test else [])]
    check_output(results_file, *inputs, what="a list of results", option="--results")
    check_report(report, results_file, *inputs)
    with ExitStack() as stack:
        corpus = stack.enter_context(open_corpus(path, read_options))
        # Labels of the test documents get the spellings of the training documents.
        spellings = {"fold_labels": corpus.spellings()} if test and read_options["fold_labels"] else {}
        test_corpus = stack.enter_context(open_corpus(test, read_options, **spellings)) if test else None
        on_progress = stack.enter_context(progress_display())
        try:
            comparison = compare(
                corpus,
                test=test_corpus,
                results=results_file,
                n_jobs=jobs,
                progress=on_progress,
                **compared,
                **split,
                **settings,
            )
        except KeyboardInterrupt:
            if os.path.exists(results_file):
                print_message("interrupted", f"the same command continues; the results so far are in {results_file}.")
            raise
    show(comparison, results_file, report, as_json=wants_json)


def _check_options(
    path: str,
    test: str | None,
    results: str | None,
    compared: dict[str, Any],
    split: dict[str, Any],
    settings: dict[str, Any],
    jobs: int,
) -> None:
    """Exit with code 2, before a file is read, for options that are invalid, or that exclude each other."""
    from ..comparison.plan import Plan
    from ..comparison.splits import Splitting
    from .errors import exit_as_usage_error
    from .messages import option_name
    from .opening import STDIO

    with exit_as_usage_error():  # both calls raise `InputError` for invalid options
        Plan.of(compared["selectors"], compared["n_terms"], compared["classifiers"], settings, jobs)
        is_split = Splitting(**split).is_requested
    if test is not None and is_split:
        conflicting = next(option_name(name) for name in split if split[name] is not None)
        raise click.UsageError(f"{conflicting} and --test exclude each other; leave out one.")
    if test == STDIO == path:
        raise click.UsageError("- is standard input, which can be CORPUS or --test, not both; give one as a file.")
    if results == STDIO:
        raise click.UsageError("--results - is standard output, and results need a file; give the name of one.")


def default_results(path: str) -> str:
    """Return the default name of the results file of a corpus, in the current directory: news.csv.compare.jsonl."""
    from ..corpus.named_corpora import is_corpus_name
    from .opening import STDIO

    full_path = path if path == STDIO or is_corpus_name(path) else os.path.abspath(path)  # "." has no name of its own
    # Characters that are unusual in names of files become "-". Of "-", standard input, `strip` leaves nothing.
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(full_path)).strip("-") or "standard-input"
    return f"{name}.compare.jsonl"


def check_report(report: str | None, results: str, *inputs: str) -> None:
    """Raise `InputError`, before any work is done, if the report can't be drawn or written.

    It must not replace an input or the file of results.
    """
    if report is None:
        return
    from .. import report as html_report
    from ..errors import InputError
    from .opening import check_output

    html_report.check_report(report, what="--report")
    check_output(report, *inputs, what="a report", option="--report")
    if os.path.realpath(report) == os.path.realpath(results):
        raise InputError("is the file of results", place=report, hint="give the report another name")


def read_results(path: str) -> "Comparison":
    """Return the comparison in a file of results, which is the argument PATH of the running command.

    Raise `UsageError` if options for measuring are given, and `InputError` if no combination was measured completely.
    """
    from ..comparison import read_comparison
    from ..errors import InputError

    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(str(parameter.name)) is not click.core.ParameterSource.DEFAULT
        if is_given and parameter.name not in PARAMETERS_FOR_SHOWING:
            raise click.UsageError(
                # The last of the option's names is the long one.
                f"{path} has results, which are only shown, so {parameter.opts[-1]} has no meaning. To measure, give "
                "the corpus, and the file with --results."
            )
    comparison = read_comparison(path)
    if not comparison.conditions:
        raise InputError(
            "no combination was measured on all folds yet",
            place=path,
            hint="run the command that started it again, and it continues",
        )
    return comparison


def show(comparison: "Comparison", results: str, report: str | None, *, as_json: bool) -> None:
    """Print a comparison as tables or JSON, and write its HTML page to the file `report`, if that is not None.

    `results` is the name of the file of results, which the output mentions.
    """
    from .json_output import print_json

    if report is not None:
        from ..report import write_report

        write_report(comparison, report)
    if as_json:
        print_json(comparison.to_dict() | {"results": results} | ({"report": report} if report else {}))
        return
    print_tables(comparison, results)
    if report is not None:
        click.echo(f"The report is in {report}")


def print_tables(comparison: "Comparison", results: str) -> None:
    """Print all tables of a comparison; `results` is the name of its file of results."""
    from ..errors import counted
    from .description import show_bands, show_confidence
    from .output import Page

    page, view = Page(), comparison.view
    documents, classes, combinations, tested = view.facts
    page.line(f"{view.corpus}: {documents}, {classes}")
    page.line(f"{combinations}, {tested}")
    _print_table(page, view.quality, with_title=False)
    for sentence in (*view.problems, *view.notes):
        page.line(sentence)
    _print_table(page, view.cost)
    _print_table(page, view.ranks)
    _print_table(page, view.overlap, max_rows=MAX_PAIRS)
    if len(view.overlap.rows) > MAX_PAIRS:
        page.line(f"and {counted(len(view.overlap.rows) - MAX_PAIRS, 'more pair')}, with --json")
    _print_table(page, view.stability)
    if view.confidence:
        best = view.confidence[0]
        page.heading(f"How certain labels are: {best.combination}")
        show_confidence(page, best.confidence.to_dict(), "test document")
        show_bands(page, best.confidence)
        page.line(view.confidence_note)
    page.line(f"All results are in {results}")


def _print_table(page: "Page", table: "ViewTable", *, with_title: bool = True, max_rows: int | None = None) -> None:
    """Print the first `max_rows` rows of a table, by default all, with its title and its note; nothing without rows."""
    from .output import Column

    if not table.rows:
        return
    columns = [Column(column.title, "number" if column.is_number else "text") for column in table.columns]
    rows = [[cell.text for cell in row.cells] for row in table.rows[:max_rows]]
    page.table(columns, rows, title=table.title if with_title else None)
    if table.note:
        page.line(table.note)
