"""`textsieve train`: train on labelled documents and write a model file."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from . import options
from .engine import engine, open_documents

if TYPE_CHECKING:
    from ..categorizer import Categorizer
    from .engine import EngineDocuments


_METHODS = options.bundle(
    "methods",
    *map(
        options.setting_option,
        ("n_terms", "projection", "projection_options", "classifier", "classifier_options", "class_weight"),
    ),
)
_MEASURES = options.bundle(
    "measures", *map(options.setting_option, ("probabilities", "held_out", "folds", "keep_stats"))
)


@click.command(
    epilog=options.examples(
        "textsieve train news.csv --text body --label topic -o news.sieve",
        "textsieve train mails/ -o mails.sieve -k auto --stop-words english --ngrams 1-2",
        "textsieve train tickets.jsonl.gz -o tickets.sieve --selector chi --classifier nb",
        "textsieve train seiten/ -o seiten.sieve --drop-tags --stop-words german --normalise stem --language german",
        "textsieve train tickets.jsonl corrections.jsonl -o tickets.sieve --classifier nb --keep-stats",
        "textsieve train news/*.parquet -o news.sieve --engine spark --master spark://127.0.0.1:7077",
    )
)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    *("-o", "--output"),
    required=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    callback=lambda _, __, name: _require_file_name(name),
    help="The model file to write.",
)
@options.reading
@options.selection_or_none
@_METHODS
@options.terms_are
@options.multilabel
@_MEASURES
@engine
@options.jobs
@options.json_wanted
def command(
    paths: tuple[str, ...],
    output: str,
    reading: dict[str, Any],
    selection: dict[str, Any],
    methods: dict[str, Any],
    terms_are: dict[str, Any],
    multilabel: dict[str, Any],
    measures: dict[str, Any],
    engine: dict[str, Any],
    jobs: int,
    wants_json: bool,
) -> None:
    """Learn from labelled documents, and write a model.

    PATH is a folder with a folder for each class, a file, a corpus with a name such as "docstrings" (textsieve corpora
    lists them), or - for standard input. What the file is, is told by what is in it; columns with usual names (text,
    body, content, ...; label, class, category, topic, ...) are found. Several PATHs are read one after the other;
    columns that are named are those of the first, and of others that have them.
    With --engine spark, PATH is files or folders of Parquet, JSON lines or CSV, as Spark reads them, also
    with wildcards or at s3a://... and the like.
    """
    from ..categorizer import Categorizer
    from ..training import check_settings
    from .errors import exit_as_usage_error
    from .opening import READING, columns_given, refuse_to_lose

    refuse_to_lose(output, *paths, what="a model", option="-o")
    settings = {**selection, **methods, **options.counting(terms_are), **multilabel, **measures}
    settings["held_out"] = settings["held_out"] or None  # --held-out 0 holds none out
    model = Categorizer(**settings, n_jobs=jobs)
    with exit_as_usage_error():
        check_settings(model.settings())
    with open_documents(engine, paths, reading) as documents:
        with documents.progress() as tell:
            model = _fit(model, documents, tell)
            if columns := columns_given(reading):
                model.model_.about["columns"] = columns
            model.model_.about["reading"] = {part: reading[part] for part in READING if reading[part] is not None}
            tell("writing", 0, None)
            begin = time.perf_counter()
            model.save(output)
            written = time.perf_counter() - begin
        _report(model, documents, output, written, wants_json)


def _require_file_name(name: str) -> str:
    """Refuse standard output: a model file replaces the old one once it is complete, which needs a file name."""
    if name == "-":
        raise click.BadParameter("a model is written to a file, not to standard output; give the file's name.")
    return name


def _fit(
    model: "Categorizer", documents: "EngineDocuments", tell: Callable[[str, int, int | None], None]
) -> "Categorizer":
    """Train; without held-out documents if there are too few to hold some out."""
    from ..errors import TooFewDocuments
    from .messages import warn

    try:
        return documents.fit(model, tell)
    except TooFewDocuments:
        if model.held_out is None:
            raise
        model.held_out = None
        trained = documents.fit(model, tell)
        warn("there are too few documents to hold some of them out, so it was not measured how good the model is.")
        return trained


def _report(model: "Categorizer", documents: "EngineDocuments", output: str, written: float, wants_json: bool) -> None:
    """Print the trained model and its quality on held-out documents."""
    from ..errors import counted
    from .description import described, file_line, seconds_line, show_classes, show_measures, with_thresholds
    from .json_output import print_json
    from .output import Page

    trained = model.model_
    seconds = {stage: round(spent, 3) for stage, spent in {**model.seconds_, "writing": written}.items()}
    if wants_json:
        print_json({**described(trained, output, can_be_updated=model.keep_stats), "seconds": seconds})
        return
    page = Page()
    page.line(documents.summary(model))
    selected = f"{len(trained.terms):,} of {trained.about['n_terms_seen']:,} terms"
    by = "" if model.selector is None else f" chosen by {with_thresholds(model.selector, trained.about)}"
    on = "" if model.projection is None else f" on the projection {model.projection}"
    page.line(f"{len(trained.classes):,} classes; {selected}{by}; classifier {model.classifier}{on}")
    n_left_out = trained.about["n_terms_seen"] - len(trained.terms)
    if n_left_out and model.n_terms == "all" and "testors" in trained.about:
        page.line(f"The other {counted(n_left_out, 'term is', 'terms are')} in no typical testor.")
    show_measures(page, trained)
    show_classes(page, trained)
    page.line(seconds_line(seconds))
    page.line(f"Written to {file_line(output)}")
    if model.keep_stats:
        page.line("It can be updated: the file has the statistics that textsieve update needs.")
