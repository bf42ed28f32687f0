"""The table of subcommands, and the click group that imports the module of the one that is called."""

from difflib import get_close_matches
from importlib import import_module
from typing import Any, cast

import click

from .errors import handle_errors

VERBS = {
    "train": "Learn from labelled documents, and write a model.",
    "predict": "Predict the labels of documents, a JSON line each.",
    "update": "Fold corrections into a model, or say how to train it again.",
    "evaluate": "Compare what a model predicts with what is right.",
    "explain": "Show which terms spoke for which class, and how much.",
    "terms": "Show the best terms of labelled documents, overall and for each class.",
    "compare": "Compare selectors, numbers of terms and classifiers, each with each.",
    "subspace": "Size an ensemble of random subspaces, and measure how good it is.",
    "serve": "Serve a web page and an API for a model.",
    "info": "Show what is in a model file.",
    "corpora": "List the corpora that have a name, and whether they are here.",
}
"""The subcommands and their short help. Each has a module of the same name with the click command `command`."""


class Verbs(click.Group):
    """A group of subcommands, which are imported when they are called; `handle_errors` handles their errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a subcommand, or return None if there is none with this name."""
        if cmd_name not in VERBS:
            return None
        return cast(click.Command, import_module(f"textsieve.cli.{cmd_name}").command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand, or fail with the most similar name."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            close = get_close_matches(args[0], VERBS, n=1)
            ctx.fail(
                f"There is no command {args[0]!r}. "
                + (f"Did you mean {close[0]!r}?" if close else f"Commands: {', '.join(VERBS)}.")
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        """Parse the arguments before the subcommand; this also handles --help."""
        with handle_errors():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand."""
        with handle_errors():
            return super().invoke(ctx)


EXAMPLES = """\b
Examples:
  textsieve train news.csv --text body --label topic -o news.sieve
  textsieve predict news.sieve inbox.jsonl > out.jsonl
  textsieve explain news.sieve "The striker scored twice"
"""


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(package_name="textsieve", message="%(prog)s %(version)s")
def program() -> None:
    """Text categorization by the few terms that matter.

    Documents come from a folder with a folder for each class, or from CSV, TSV, JSON lines, Parquet, fastText or
    plain lines, packed (gz, zst) or not; - is standard input, and "docstrings" an embedded corpus.
    Others that have a name are listed by "corpora".
    """
