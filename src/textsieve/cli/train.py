"""`textsieve train`: train on labelled documents and write a model file."""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from . import options
from .engine import engine, open_documents

if TYPE_CHECKING:
    from ..categorizer import Categorizer
    from ..modelfile.sources import UpdateMethod
    from .engine import EngineDocuments


_METHODS = options.bundle(
    "methods",
    *map(
        options.setting_option,
        (
            *("n_terms", "max_size", "tolerance", "coefficient_dtype", "projection", "projection_options"),
            *("classifier", "classifier_options", "class_weight"),
        ),
    ),
)
_MEASURES = options.bundle(
    "measures",
    options.probabilities_or_none,
    *map(options.setting_option, ("held_out", "folds", "keep_stats")),
)


@click.command(
    cls=options.CommandWithWords,
    epilog=options.examples(
        "textsieve train news.csv --text body --label topic -o news.sieve",
        "textsieve train mails/ -o mails.sieve -k auto --stop-words english --ngrams 1-2",
        "textsieve train news.csv -o small.sieve --max-size 100kB",
        "textsieve train tickets.jsonl.gz -o tickets.sieve --selector chi --classifier nb",
        "textsieve train seiten/ -o seiten.sieve --drop-tags --stop-words german --normalise stem --language german",
        "textsieve train tickets.jsonl corrections.jsonl -o tickets.sieve --classifier nb --keep-stats",
        "textsieve train news.csv -o news.sieve --classifier cnb --keep-stats all",
        "textsieve train tickets.csv -o tickets.sieve --title 'Support tickets' --example 'I forgot my password.'",
        "textsieve train news/*.parquet -o news.sieve --engine spark --master spark://127.0.0.1:7077",
    ),
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, shell_complete=options.complete_documents)
@click.option(
    *("-o", "--output"),
    required=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    callback=lambda _, __, name: _require_file_name(name),
    help="The model file to write.",
)
@options.read_options
@options.selection_or_none
@_METHODS
@options.term_settings
@options.multilabel
@_MEASURES
@options.presentation
@click.option(
    "--no-sources",
    is_flag=True,
    help="Do not store where the documents came from. By default, the model has the paths of its documents, the "
    "options for reading and a digest, but no texts, so that textsieve update can train it again.",
)
@options.at
@engine
@options.jobs
@options.json_flag
def command(
    paths: tuple[str, ...],
    output: str,
    read_options: dict[str, Any],
    selection: dict[str, Any],
    methods: dict[str, Any],
    term_settings: dict[str, Any],
    multilabel: dict[str, Any],
    measures: dict[str, Any],
    presentation: dict[str, Any],
    no_sources: bool,
    when: str | None,
    engine: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Train a model on labelled documents.

    PATH is a folder with a subfolder for each class, a file, the name of a corpus such as "docstrings" (see textsieve
    corpora), or - for standard input. The format of a file is detected from its content, and so are columns with
    common names (text, body, content, ...; label, class, category, topic, ...). Several PATHs are read one after the
    other; the first must have the columns given by --text and --label.
    With --engine spark, PATH is a file or folder of Parquet, JSON lines or CSV that Spark can read, also with wildcards
    or at addresses such as s3a://...
    """
    from ..categorizer import Categorizer
    from ..modelfile.sources import with_sources
    from ..training import check_settings
    from .errors import exit_as_usage_error
    from .opening import check_output, given_options, named_columns

    check_output(output, *paths, what="a model", option="-o")
    settings = {
        **selection,
        **methods,
        **options.check_term_settings(term_settings),
        **multilabel,
        **measures,
        **presentation,
    }
    settings["held_out"] = settings["held_out"] or None  # --held-out 0 means no held-out documents
    model = Categorizer(**settings, n_jobs=jobs)
    with exit_as_usage_error():
        check_settings(model.settings(), when)
    with open_documents(engine, paths, read_options) as documents:
        with documents.progress() as on_progress:
            model = fit_or_skip_measuring(model, lambda model: documents.fit(model, on_progress, when))
            if columns := named_columns(read_options):
                model.model_.about["columns"] = columns
            model.model_.about["reading"] = given_options(read_options)
            if not no_sources:
                model.model_ = with_sources(model.model_, documents.sources(output))
            on_progress("writing", 0, None)
            start = time.perf_counter()
            model.save(output)
            writing_seconds = time.perf_counter() - start
            _warn_of_size(model, output)
        _report(model, documents, output, writing_seconds, wants_json)


def _require_file_name(name: str) -> str:
    """Return the name of the model file; raise `BadParameter` for -, which is standard output.

    A model is first written to a temporary file, which then gets the name of the model, so it needs a name.
    """
    if name == "-":
        raise click.BadParameter("a model is written to a file, not to standard output; give the file's name.")
    return name


def fit_or_skip_measuring(model: "Categorizer", fit: Callable[["Categorizer"], "Categorizer"]) -> "Categorizer":
    """Return `fit(model)`, which is the trained categorizer.

    If there are too few documents to hold some out, call `fit` again with `model.held_out` set to None, so that the
    quality of the model is not measured, and print a warning.
    """
    from ..errors import TooFewDocuments
    from .messages import warn

    try:
        return fit(model)
    except TooFewDocuments:
        if model.held_out is None:
            raise
        model.held_out = None
        trained = fit(model)
        warn("there are too few documents to hold some out, so the quality of the model was not measured.")
        return trained


def _warn_of_size(model: "Categorizer", output: str) -> None:
    """Print a warning if the file is larger than the `max_size` that the user gave, because it stores its sources.

    Training makes a model as small as `max_size` asks for, but without counting the sources. Otherwise, what it learns
    would depend on the names of the files of documents. The limit of "auto" is only a wish, so it causes no warning.
    Statistics can't be the reason: `max_size` is for the svm, with which a model has none.
    """
    from ..categorizer_settings import is_auto
    from ..settings import as_bytes
    from .messages import warn

    has_limit = not (model.max_size is None or is_auto(model.max_size))
    if not has_limit or "sources" not in model.model_.about:
        return
    size = os.stat(output).st_size
    if size > as_bytes(model.max_size):
        warn(
            f"{output}: has {size:,} bytes, more than --max-size {model.max_size}, because it stores the sources of "
            "its documents; --no-sources leaves them out."
        )


def _report(
    model: "Categorizer", documents: "EngineDocuments", output: str, writing_seconds: float, wants_json: bool
) -> None:
    """Print a description of the trained model, its quality on held-out documents, and the time of each stage."""
    from ..modelfile.sources import update_method
    from .description import file_line, model_as_dict, seconds_line, show_classes, show_measures
    from .json_output import print_json
    from .output import Page

    trained = model.model_
    method = update_method(trained, has_statistics=bool(model.keep_stats))
    seconds = {stage: round(spent, 3) for stage, spent in {**model.seconds_, "writing": writing_seconds}.items()}
    if wants_json:
        print_json({**model_as_dict(trained, output, method), "seconds": seconds})
        return
    page = Page()
    for line in (*documents.summary(model), *_method_lines(model)):
        page.line(line)
    show_measures(page, trained)
    show_classes(page, trained)
    page.line(seconds_line(seconds))
    if probabilities := _probabilities_line(model):
        page.line(probabilities)
    page.line(f"Written to {file_line(output)}")
    for line in _update_lines(model, method, output):
        page.line(line)


def _method_lines(model: "Categorizer") -> list[str]:
    """Return lines on the classes, the selected terms and the classifier."""
    from ..errors import counted
    from .description import selector_text

    trained = model.model_
    n_terms_seen = trained.about["n_terms_seen"]
    selected = f"{len(trained.terms):,} of {counted(n_terms_seen, 'term')}"
    selector = trained.settings["selector"]
    by = "" if selector is None else f" selected by {selector_text(selector, trained.about)}"
    on = "" if model.projection is None else f" on the projection {model.projection}"
    lines = [f"{counted(len(trained.classes), 'class', 'classes')}; {selected}{by}; classifier {model.classifier}{on}"]
    n_left_out = n_terms_seen - len(trained.terms)
    if n_left_out and model.n_terms == "all" and "testors" in trained.about:
        lines.append(f"The other {counted(n_left_out, 'term is', 'terms are')} in no typical testor.")
    return lines


def _update_lines(model: "Categorizer", method: "UpdateMethod", output: str) -> list[str]:
    """Return lines on how `textsieve update` can update the model in the file `output`; none if it can't."""
    from ..modelfile.sources import RETRAIN
    from .description import file_line

    if model.settings().keeps_all_terms:
        return [
            f"Statistics of all terms written to {file_line(f'{output}.stats')}",
            "These have all words of the documents. textsieve update needs them, and predicting does not.",
        ]
    if model.keep_stats:
        return ["It can be updated: the file has the statistics that textsieve update needs."]
    if method.name == RETRAIN:
        return ["It can be updated: textsieve update trains it again from its sources and from corrections."]
    return []


def _probabilities_line(model: "Categorizer") -> str:
    """Return a line on how long fitting the probabilities took, or on why the model has none.

    It is empty for multilabel models, and if no probabilities were requested.
    """
    trained = model.model_
    if trained.multilabel or model.probabilities is None:
        return ""
    if trained.calibration is None:
        return "The model has no probabilities: there are too few documents to hold some out."
    seconds = model.seconds_.get("scoring held-out documents", 0.0)
    return f"The probabilities took {seconds:.1f} seconds of repeated training; --probabilities none leaves them out."
