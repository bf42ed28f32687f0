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
    r"""Return a text as roff, the language of manual pages, with its special characters escaped.

    `--keep 'a'` becomes `\-\-keep \(aqa\(aq`. A dot at the beginning of a line gets the escape `\&`, which prints
    nothing, because a line that begins with a dot is a command.
    """
    text = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("~", "\\(ti").replace("^", "\\(ha")
    )
    return re.sub(r"(?m)^(?=\.)", "\\\\&", text)


def wrapped(text: str) -> str:
    """Return a text as roff in lines of at most 70 characters, so that with their escapes, few exceed 80 bytes."""
    return escape(fill(text, 70, break_long_words=False, break_on_hyphens=False))


def paragraphs(text: str) -> str:
    """Return the paragraphs of a help text as roff.

    A paragraph that begins with a backspace, which tells click not to wrap it, keeps its lines.
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        keeps_lines = paragraph.startswith("\b\n")
        lines = [line.rstrip() for line in paragraph.removeprefix("\b\n").splitlines()]
        parts.append(verbatim(lines) if keeps_lines else wrapped(" ".join(line.strip() for line in lines)))
    return "\n.PP\n".join(parts)


def verbatim(lines: list[str]) -> str:
    """Return lines as roff that is not filled: `.nf` and `.fi` are its commands for that."""
    return ".nf\n" + "\n".join(map(escape, lines)) + "\n.fi"


def definitions(rows: dict[str, str]) -> str:
    """Return a list of terms with their descriptions; both must be roff already."""
    return "".join(f".TP\n.B {term}\n{description}\n" for term, description in rows.items())


def usage(command: click.Command, *names: str) -> str:
    """Return a line with the names of a command and its arguments, such as "textsieve info [OPTIONS] MODEL"."""
    pieces = command.collect_usage_pieces(_context(command, *names))
    return f"\\fB{' '.join(map(escape, names))}\\fR {escape(' '.join(pieces))}"


def section(command: click.Command, *names: str) -> str:
    """Return the description, the options and the examples of the command with these names: "textsieve", "train"."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    records = [record for option in options if (record := option.get_help_record(_context(command, *names)))]
    parts = [paragraphs(command.help or "")]
    parts.append(definitions({escape(names): wrapped(about) for names, about in records}).rstrip())
    if isinstance(command, click.Group):
        parts.append(
            definitions({"\\-h, \\-\\-help": "Show the help of textsieve, or of a command, and exit."}).rstrip()
        )
    if command.epilog:
        lines = command.epilog.removeprefix("\b\n").splitlines()[1:]  # without "Examples:"
        parts.append(f".PP\nExamples:\n.PP\n{verbatim(lines)}")
    return "\n".join(part for part in parts if part)


def _context(command: click.Command, *names: str) -> click.Context:
    """Return the context in which click describes a command, with the command's own settings."""
    return click.Context(command, info_name=" ".join(names), **command.context_settings)


def manual() -> str:
    """Return the whole page, as roff."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    above = click.Context(program, info_name="textsieve")
    parts = [
        '.\\" Made from the help of the commands by "make man".',
        f'.TH TEXTSIEVE 1 "" "textsieve {project["version"]}" "User Commands"',
        f".SH NAME\ntextsieve \\- {escape(program.get_short_help_str(200).rstrip('.'))}",
        ".SH SYNOPSIS\n\\fBtextsieve\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
        f".SH DESCRIPTION\n{section(program, 'textsieve')}",
        f".SH COMMANDS\n{definitions({verb: escape(about) for verb, about in VERBS.items()}).rstrip()}",
    ]
    for verb in VERBS:
        command = program.get_command(above, verb)
        assert command is not None
        names = ("textsieve", verb)
        parts.append(f'.SS "{" ".join(names)}"\n{usage(command, *names)}\n.PP\n{section(command, *names)}')
    parts += [
        f".SH ENVIRONMENT\n{definitions(ENVIRONMENT).rstrip()}",
        f'.SH "EXIT STATUS"\n{definitions(EXIT_CODES).rstrip()}',
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(manual(), encoding="utf-8")
