"""The reference of the command line as Markdown, generated from the click commands."""

from __future__ import annotations

import re

import click

from textsieve.cli.program import VERBS, program

WIDTH = 100
"""The width of lines, in characters, in which click writes the usage of a command."""


def overview() -> str:
    """Return a table of the commands, with links to their pages."""
    rows = [f"| [`textsieve {verb}`](cli/{verb}.md) | {about} |" for verb, about in VERBS.items()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def options_of(verb: str) -> str:
    """Return the usage of a command, its description, a table of its options, and the examples of its help."""
    command, context = _command(verb)
    usage = " ".join(command.collect_usage_pieces(context))
    _, _, description = (command.help or "").partition("\n")  # without the first line, which the page has as its title
    parts = [
        f"```text\ntextsieve {verb} {usage}\n```",
        _paragraphs(description),
        "## Options",
        _table(command, context),
    ]
    if command.epilog:
        lines = command.epilog.replace("\b", "").strip("\n").splitlines()[1:]  # without "Examples:"
        parts += ["## More examples", "```text\n" + "\n".join(line.strip() for line in lines).strip() + "\n```"]
    return "\n\n".join(part for part in parts if part.strip())


def _command(verb: str) -> tuple[click.Command, click.Context]:
    """Return a subcommand, and the context in which click describes it."""
    above = click.Context(program, info_name="textsieve", terminal_width=WIDTH, max_content_width=WIDTH)
    command = program.get_command(above, verb)
    assert command is not None
    settings = {"help_option_names": ["-h", "--help"], **command.context_settings}
    return command, click.Context(command, above, verb, terminal_width=WIDTH, max_content_width=WIDTH, **settings)


def _paragraphs(text: str) -> str:
    """Return the paragraphs of a help text as Markdown.

    A paragraph that begins with a backspace, which tells click not to wrap it, becomes a block of code.
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line.strip("\n") for line in paragraph.splitlines()]
        if lines and lines[0].strip() == "\b":
            indent = min(len(line) - len(line.lstrip()) for line in lines[1:])
            parts.append("```text\n" + "\n".join(line[indent:] for line in lines[1:]) + "\n```")
        else:
            parts.append(_escaped(" ".join(line.strip() for line in lines).strip()))
    return "\n\n".join(parts)


def _table(command: click.Command, context: click.Context) -> str:
    """Return a table of the options of a command that have a help text."""
    rows = ["| option | what it does |", "|---|---|"]
    for parameter in command.get_params(context):
        name, text = parameter.get_help_record(context) or ("", "")
        if text:
            names = "<br>".join(f"`{_cell(part)}`" for part in _names(parameter, name))
            rows.append(f"| {names} | {_with_choices(parameter, text)} |")
    return "\n".join(rows)


def _names(parameter: click.Parameter, name: str) -> list[str]:
    """Return the ways to write an option, from click's list of them: "-k, --terms N" is ["-k", "--terms N"].

    A list of choices at the end is left out, because the description has them.
    """
    if isinstance(parameter.type, click.Choice):
        name = name.partition(" [")[0]
    return re.split(r", (?=-)| / ", name)


def _with_choices(parameter: click.Parameter, text: str) -> str:
    """Return the description of an option, with each of its choices on a line of its own.

    A help text describes choices like this: "How terms are selected. ocfs: the fastest; chi: chi-square." If it does
    not describe them, their names are added at the end.
    """
    choices = list(parameter.type.choices) if isinstance(parameter.type, click.Choice) else []
    described = [choice for choice in choices if re.search(rf"(?:[.:;] |^){re.escape(choice)}: ", text)]
    text = _escaped(_cell(text))
    for choice in described:
        text = re.sub(rf"(?:(?<=[.:;])|^) ?{re.escape(_escaped(choice))}: ", f"<br>`{choice}`: ", text, count=1)
    if choices and not described:
        text += "<br>" + ", ".join(f"`{_cell(choice)}`" for choice in choices)
    return text


def _cell(text: str) -> str:
    """Return a text that can stand in a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _escaped(text: str) -> str:
    """Return a text with the special characters of HTML and Markdown escaped."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("*", "&#42;"), ("_", "&#95;")):
        text = text.replace(character, entity)
    return text
