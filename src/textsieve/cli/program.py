"""The table of subcommands, and the click group that imports a subcommand's module when it is called."""

from difflib import get_close_matches
from importlib import import_module
from typing import Any, cast

import click
from click.shell_completion import CompletionItem

from .errors import handle_errors

VERBS = {
    "check": "Find out what is wrong with labelled documents.",
    "train": "Train a model on labelled documents.",
    "predict": "Predict the labels of documents, and write a JSON line or a row of a table for each.",
    "update": "Add corrections or new documents to a model.",
    "evaluate": "Compare the predictions of a model with the true labels.",
    "suggest": "Suggest which documents to label next, and print a JSON line for each.",
    "explain": "Show which terms of a text speak for which class, and how much.",
    "terms": "Show the best terms of labelled documents, overall and for each class.",
    "compare": "Compare all combinations of selectors, numbers of terms and classifiers.",
    "subspace": "Suggest the size of a random subspace ensemble, and measure its accuracy.",
    "serve": "Serve a web page and an API for a model.",
    "describe": "Set the title, the description and the examples of a model.",
    "info": "Show the contents of a model file.",
    "corpora": "List the named corpora, and whether their files are on this machine.",
    "warmup": "Compile for this processor now, rather than at the first use.",
}
"""The subcommands and their short help. Each has a module of the same name with the click command `command`."""


class SubcommandGroup(click.Group):
    """A click group that imports the module of a subcommand when it is called, and runs it in `handle_errors`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the subcommands in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a subcommand and return its click command; return None for an unknown name."""
        if cmd_name not in VERBS:
            return None
        return cast(click.Command, import_module(f"textsieve.cli.{cmd_name}").command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the name, the command and its arguments; for an unknown name, fail and suggest a similar one."""
        # `resilient_parsing` is true while a shell completes a command, when nothing may fail.
        if args[0] not in VERBS and not args[0].startswith("-") and not ctx.resilient_parsing:
            close = get_close_matches(args[0], VERBS, n=1)
            ctx.fail(
                f"There is no command {args[0]!r}. "
                + (f"Did you mean {close[0]!r}?" if close else f"Commands: {', '.join(VERBS)}.")
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the options of the group and the subcommands that begin with a text, without importing them."""
        verbs = [CompletionItem(verb, help=about) for verb, about in VERBS.items() if verb.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        """Parse the arguments up to the name of the subcommand, such as --version, and handle errors in them."""
        with handle_errors():
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a subcommand, and handle its errors."""
        with handle_errors():
            return super().invoke(ctx)


EXAMPLES = """\b
Examples:
  textsieve train news.csv --text body --label topic -o news.sieve
  textsieve predict news.sieve inbox.jsonl > out.jsonl
  textsieve explain news.sieve "The striker scored twice"
"""


@click.group(cls=SubcommandGroup, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(package_name="textsieve", message="%(prog)s %(version)s")
def program() -> None:
    """Text categorization by the few terms that matter.

    Documents come from a folder with a subfolder for each class, or from a file: CSV, TSV, Excel, JSON lines, Parquet,
    fastText or plain lines, also compressed (gz, zst). - is standard input. A corpus may also be given by name, such as
    "docstrings", which is included; "textsieve corpora" lists the names.
    """
