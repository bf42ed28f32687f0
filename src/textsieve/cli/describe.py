"""`textsieve describe`: set what the page shows to its readers about a model, without training it again."""

from contextlib import nullcontext
from typing import Any

import click

from . import options


@click.command(
    epilog=options.examples(
        "textsieve describe tickets.sieve --title 'Support tickets' --describe 'Which team handles a ticket.'",
        "textsieve describe tickets.sieve --example 'I forgot my password.' --example 'The printer is on fire.'",
        "textsieve describe tickets.sieve --title '' --example ''",
    )
)
@click.argument("model", shell_complete=options.complete_files)
@options.presentation
def command(model: str, presentation: dict[str, Any]) -> None:
    """Set the title, the description and the examples of a model.

    The web page of textsieve serve shows them, and textsieve info prints them. What you don't give stays as it is; an
    empty text removes the title, the description, or all examples. Examples replace those that the model has.
    Predictions don't change.
    """
    from ..modelfile import write
    from ..modelfile.reading import read_stored
    from ..modelfile.statistics import read_statistics
    from ..modelfile.writing import locked, may_be_updated
    from ..presentation import check_presentation
    from .description import file_line, show_presentation
    from .errors import exit_as_usage_error
    from .output import Page

    given = {name: _without_blank(value) for name, value in presentation.items() if value is not None}
    if not given:
        raise click.UsageError(
            f"Give --title, --describe or --example. To see those of a model, use: textsieve info {model}"
        )
    with exit_as_usage_error():
        check_presentation(given)
    with locked(model) if may_be_updated(model) else nullcontext():
        old_model, file = read_stored(model)
        statistics = read_statistics(old_model, file) if file.has_statistics else None
        new_model = old_model.presented(given)
        write(new_model, model, statistics, instead_of=file)
    page = Page()
    show_presentation(page, new_model)
    page.line(f"Written to {file_line(model)}")


def _without_blank(value: str | list[str]) -> str | list[str] | None:
    """Return a text or list of examples; None for an empty text or for a single empty example."""
    return None if value in ("", [""]) else value
