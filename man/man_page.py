"""Writes textsieve.1, the manual page, from the help of the commands: `make man`."""

import re
import tomllib
from pathlib import Path
from textwrap import fill

import click

from textsieve.cli.program import VERBS, program

ROOT = Path(__file__).parents[1]
TARGET = Path(__file__).parent / "textsieve.1"
ENVIRONMENT = {
    "TEXTSIEVE_TOKEN": "The secret that clients of \\fBtextsieve serve\\fR must send; without it, no secret is needed.",
    "TEXTSIEVE_DATA": "The folder with the files of named corpora.",
    "TEXTSIEVE_MIRROR": "The address from which missing files of named corpora are downloaded.",
    "TMPDIR": "The folder for temporary files.",
    "NUMBA_CACHE_DIR": "The folder for compiled code.",
}
EXIT_CODES = {
    "0": "Success.",
    "1": "An error, which one line on standard error explains.",
    "2": "Wrong usage.",
    "128 + n": "The run was ended by signal n: 130 by Ctrl-C, 141 if nobody reads the output any more.",
}


def escape(text: str) -> str:
    """Return a text in which roff finds no commands."""
    text = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("~", "\\(ti").replace("^", "\\(ha")
    )
    return re.sub(r"(?m)^(?=\.)", "\\\\&", text)


def wrapped(text: str) -> str:
    """Return a text in lines of less than 80 bytes, with some room for the escapes."""
    return escape(fill(text, 70, break_long_words=False, break_on_hyphens=False))


def paragraphs(text: str) -> str:
    """Return the paragraphs of a help text; those that click does not wrap keep their lines."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        verbatim = paragraph.startswith("\b\n")
        lines = [line.rstrip() for line in paragraph.removeprefix("\b\n").splitlines()]
        if verbatim:
            parts.append(".nf\n" + "\n".join(map(escape, lines)) + "\n.fi")
        else:
            parts.append(wrapped(" ".join(line.strip() for line in lines)))
    return "\n.PP\n".join(parts)


def definitions(rows: dict[str, str]) -> str:
    """Return a list of terms and their descriptions, which are in roff."""
    return "".join(f".TP\n.B {term}\n{description}\n" for term, description in rows.items())


def section(command: click.Command, *names: str) -> str:
    """Return the usage, the description, the options and the examples of a command."""
    context = click.Context(command, info_name=" ".join(names), **command.context_settings)
    usage = " ".join(command.collect_usage_pieces(context))
    options = [option for option in command.params if isinstance(option, click.Option)]
    records = [record for option in options if (record := option.get_help_record(context))]
    parts = [f".PP\n\\fB{' '.join(map(escape, names))}\\fR {escape(usage)}", f".PP\n{paragraphs(command.help or '')}"]
    parts.append(definitions({escape(names): wrapped(about) for names, about in records}).rstrip())
    if isinstance(command, click.Group):
        parts.append(
            definitions({"\\-h, \\-\\-help": "Show the help of textsieve, or of a command, and exit."}).rstrip()
        )
    if command.epilog:
        lines = command.epilog.removeprefix("\b\n").splitlines()[1:]  # without "Examples:"
        parts.append(".PP\nExamples:\n.PP\n.nf\n" + "\n".join(map(escape, lines)) + "\n.fi")
    return "\n".join(part for part in parts if part)


def manual() -> str:
    """Return the whole page."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    above = click.Context(program, info_name="textsieve")
    parts = [
        '.\\" Made from the help of the commands by "make man".',
        f'.TH TEXTSIEVE 1 "" "textsieve {project["version"]}" "User Commands"',
        f".SH NAME\ntextsieve \\- {escape(program.get_short_help_str(200).rstrip('.'))}",
        ".SH SYNOPSIS\n\\fBtextsieve\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        f".SH DESCRIPTION\n{section(program, 'textsieve').partition('.PP')[2].partition('.PP')[2].lstrip()}",
        f".SH COMMANDS\n{definitions({verb: escape(about) for verb, about in VERBS.items()}).rstrip()}",
    ]
    for verb in VERBS:
        command = program.get_command(above, verb)
        assert command is not None
        parts.append(f'.SS "textsieve {verb}"\n{section(command, "textsieve", verb).removeprefix(".PP").lstrip()}')
    parts += [
        f".SH ENVIRONMENT\n{definitions(ENVIRONMENT).rstrip()}",
        f'.SH "EXIT STATUS"\n{definitions(EXIT_CODES).rstrip()}',
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(manual(), encoding="utf-8")
