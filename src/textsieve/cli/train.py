"""`textsieve train`: train on labelled documents and write a model file."""

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ..classifiers.named import CLASSIFIERS
from ..evaluation.names import CALIBRATIONS, CUTS
from ..projections.named import PROJECTIONS
from . import options
from .engine import engine, opened_by

if TYPE_CHECKING:
    from ..categorizer import Categorizer
    from .engine import OpenedDocuments


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
@click.option(
    *("-k", "--terms", "n_terms"),
    type=options.n_terms,
    metavar="N|SHARE|all|auto",
    help="How many terms are kept; auto finds out how many are enough.  [default: 10000, or all if there are fewer; by "
    "testors, as many as its epsilon says]",
)
@click.option(
    "--projection",
    type=click.Choice(list(PROJECTIONS)),
    help=f"Train on a projection of the terms' weights. {options.listed(PROJECTIONS)}.",
)
@click.option(
    *("--projection-option", "projection_options"),
    type=options.setting,
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the projection, such as n_components=50; may be repeated.",
)
@click.option(
    "--classifier",
    type=click.Choice(list(CLASSIFIERS)),
    default="svm",
    show_default=True,
    help=f"What is trained on them. {options.listed(CLASSIFIERS)}.",
)
@click.option(
    *("--classifier-option", "classifier_options"),
    type=options.setting,
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the classifier, such as C=10; may be repeated.",
)
@click.option(
    *("--class-weight", "class_weight"),
    multiple=True,
    callback=lambda _, __, values: options.class_weight(values),
    metavar="balanced|LABEL=FACTOR",
    help="How much the documents of a class count; may be repeated.",
)
@options.terms_are
@click.option("--multilabel/--no-multilabel", default=None, help="Whether a document may have several labels.")
@click.option(
    "--cut",
    type=click.Choice(list(CUTS)),
    default="pcut",
    show_default=True,
    help=f"How several labels are cut from the scores. {options.described(CUTS)}.",
)
@click.option(
    *("--cut-option", "cut_options"),
    type=options.setting,
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of the cut, such as ranks=2 or floor=0.2; may be repeated.",
)
@click.option(
    "--probabilities",
    type=click.Choice(list(CALIBRATIONS)),
    help=f"Fit probabilities too. {options.described(CALIBRATIONS)}.",
)
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Share of the documents to see on how good the model is, before it is trained on all; 0: none.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    metavar="N",
    help="Of the cross-validation for -k auto, for several labels and for probabilities.",
)
@click.option(
    "--keep-stats",
    is_flag=True,
    help="Write, beside the model, what later documents can be added to with textsieve update; for nb, cnb, rocchio "
    "and tcfp.",
)
@engine
@options.jobs
@options.json_wanted
def command(
    paths: tuple[str, ...],
    output: str,
    reading: dict[str, Any],
    selection: dict[str, Any],
    projection_options: tuple[options.Setting, ...],
    classifier_options: tuple[options.Setting, ...],
    cut_options: tuple[options.Setting, ...],
    terms_are: dict[str, Any],
    engine: dict[str, Any],
    jobs: int,
    wants_json: bool,
    **settings: Any,
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
    from .ending import usage
    from .opening import READING, columns_given, refuse_to_lose

    refuse_to_lose(output, *paths, what="a model", option="-o")
    model = Categorizer(
        **settings,
        **options.counting(terms_are),
        selector=None if selection["selector"] == "none" else selection["selector"],
        selector_options=options.as_dict(selection["selector_options"]),
        projection_options=options.as_dict(projection_options),
        classifier_options=options.as_dict(classifier_options),
        cut_options=options.as_dict(cut_options),
        n_jobs=jobs,
    )
    with usage():
        check_settings(model.get_params(deep=False) | {"held_out": model.held_out or None})
    with opened_by(engine, paths, reading) as documents:
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
    model: "Categorizer", documents: "OpenedDocuments", tell: Callable[[str, int, int | None], None]
) -> "Categorizer":
    """Train; without held-out documents if there are too few to hold some out."""
    from ..errors import TooFewDocuments
    from .ending import warn

    model.held_out = model.held_out or None
    try:
        return documents.fit(model, tell)
    except TooFewDocuments:
        if model.held_out is None:
            raise
        model.held_out = None
        trained = documents.fit(model, tell)
        warn("there are too few documents to hold some of them out, so it was not measured how good the model is.")
        return trained


def _report(model: "Categorizer", documents: "OpenedDocuments", output: str, written: float, wants_json: bool) -> None:
    """Print the trained model and its quality on held-out documents."""
    from ..errors import counted
    from .description import described, file_line, seconds_line, show_classes, show_measures, with_thresholds
    from .json_output import print_json
    from .output import Page

    trained = model.model_
    seconds = {stage: round(spent, 3) for stage, spent in {**model.seconds_, "writing": written}.items()}
    if wants_json:
        print_json({**described(trained, output), "seconds": seconds})
        return
    page = Page()
    page.line(documents.told(model))
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
        page.line(f"Kept for textsieve update: {file_line(f'{os.path.realpath(output)}.stats')}")
