"""`textsieve info`: show the contents of a model file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from ..modelfile.reading import ModelFile
    from ..modelfile.sources import UpdateMethod
    from ..prediction import Model


@click.command(
    epilog=options.examples(
        "textsieve info news.sieve",
        "textsieve info news.sieve --terms | head",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@click.option("--terms", "wants_terms", is_flag=True, help="List all terms, one on each line, the best first.")
@options.json_flag
def command(model: str, wants_terms: bool, wants_json: bool) -> None:
    """Show the contents of a model file."""
    from ..modelfile.reading import read_stored
    from ..modelfile.sources import update_method
    from .description import model_as_dict
    from .json_output import print_json
    from .output import term_text

    trained, file = read_stored(model)
    if wants_terms and not wants_json:
        for term in trained.terms:
            click.echo(term_text(term, trained.settings))
        return
    if wants_json:
        contents = model_as_dict(trained, model, update_method(trained, has_statistics=file.has_statistics))
        print_json(contents | ({"terms": trained.terms} if wants_terms else {}))
    else:
        _show(trained, file)


def _show(model: "Model", file: "ModelFile") -> None:
    """Print lines about a model, which end with its quality, and a table of its classes."""
    from ..errors import counted
    from ..modelfile.sources import sources_of, update_method
    from .description import (
        file_line,
        selector_text,
        show_classes,
        show_measures,
        show_presentation,
        show_sources,
        source_as_dict,
    )
    from .output import Page

    about, page = model.about, Page()
    page.line(file_line(file.path))
    show_presentation(page, model)
    versions = ", ".join(f"{name} {version}" for name, version in about.get("versions", {}).items())
    page.line(f"Trained {about.get('trained', 'at an unknown time')} with {versions}")
    page.line(
        f"{counted(about.get('n_documents', sum(model.class_docs)), 'document')}, "
        f"{counted(len(model.classes), 'class', 'classes')}, "
        f"{len(model.terms):,} of {counted(about.get('n_terms_seen', len(model.terms)), 'term')}"
        + (f" selected by {selector_text('testors', about)}; " if "testors" in about else "; ")
        + ("several labels a document" if model.multilabel else "one label a document")
    )
    if updated := about.get("updated"):
        page.line(f"Updated {updated['last']}: {_updates_text(updated)}")
    page.line(_update_line(update_method(model, has_statistics=file.has_statistics), file))
    page.line(f"Settings: {_settings(model)}")
    show_sources(page, [source_as_dict(source, file.path) for source in sources_of(model) or ()])
    show_measures(page, model)
    show_classes(page, model)


def _update_line(method: "UpdateMethod", file: "ModelFile") -> str:
    """Return a line on what `textsieve update` does with the model."""
    from os.path import basename, exists

    from ..modelfile.sources import ADD, RETRAIN
    from ..modelfile.writing import statistics_path

    if file.has_statistics_file:
        path = statistics_path(file.path)
        where = f"in {basename(path)}" if exists(path) else f"missing: {basename(path)} is not there"
        return f"textsieve update selects its terms anew: the statistics of all terms that this needs are {where}."
    if method.name == ADD:
        return "textsieve update can add documents to it: the file has the statistics that this needs."
    if method.name == RETRAIN:
        return "textsieve update can train it again from its sources and from corrections."
    return f"textsieve update can't add documents to it: {method.problem}."


def _updates_text(updated: Mapping[str, Any]) -> str:
    """Return how many documents were added in how many updates."""
    from ..errors import counted

    documents, times = counted(updated["documents"], "document"), counted(updated["times"], "update")
    return f"{documents} added in {times} since it was trained"


def _settings(model: "Model") -> str:
    """Return the settings of a model as text, such as "selector='ocfs', classifier='svm', analyzer='word'".

    The selector, the classifier and the analyzer are always listed, other settings if they differ from their defaults.
    """
    from ..categorizer import Categorizer
    from ..presentation import PRESENTATION

    settings, defaults = Categorizer.of_model(model).get_params(), Categorizer().get_params()
    analysis = model.analysis
    if isinstance(analysis.analyzer, str):  # if it is not a function of the user
        # The settings may be "auto"; the analysis has what training chose.
        settings |= {"analyzer": analysis.analyzer, "char_ngram_range": analysis.char_ngram_range}
        defaults["char_ngram_range"] = None  # instead of "auto", so that None, no n-grams, is not listed
    return ", ".join(
        f"{name}={value!r}"
        for name, value in settings.items()
        if name in ("selector", "classifier", "analyzer") or (value != defaults[name] and name not in PRESENTATION)
    )
