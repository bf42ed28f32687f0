"""Writes docs/reference/cli.md, the reference of the command line, from the help of the commands: `make docs`."""

from pathlib import Path

import click

from textsieve.cli.program import VERBS, program

WIDTH = 100
TARGET = Path(__file__).parent / "reference" / "cli.md"
INTRODUCTION = """# The command line

This file is made from the commands themselves by `make docs`.

Every verb that prints tables prints one JSON document instead with `--json`. Results go to standard output; progress,
warnings and errors to standard error. Exit codes: 0; 1 for a run that failed, with one sentence that says why and what
to do; 2 for wrong usage; 130 after Ctrl-C, 143 after SIGTERM and 129 after SIGHUP, which leave no temporary files;
141 if nobody reads the output any more. On a terminal, progress is one line that is redrawn once a second and erased at
the end. `predict` shows none while its lines go to the terminal or into a pipe, whose reader may print there too.
"""


def help_of(command: click.Command, *names: str) -> str:
    """The help of a command, as `--help` prints it in a terminal of a fixed width."""
    above = None
    for name in names[:-1]:
        above = click.Context(program, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    usual = {"terminal_width": WIDTH, "max_content_width": WIDTH, "help_option_names": ["-h", "--help"]}
    context = click.Context(command, above, names[-1], **{**usual, **command.context_settings})
    return command.get_help(context)


def reference() -> str:
    """The whole file."""
    parts = [INTRODUCTION, f"```\n{help_of(program, 'textsieve')}\n```\n"]
    above = click.Context(program, info_name="textsieve")
    for verb in VERBS:
        command = program.get_command(above, verb)
        assert command is not None
        parts.append(f"## textsieve {verb}\n\n```\n{help_of(command, 'textsieve', verb)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
