"""Messages on standard error, with the library's settings written as options of the command line."""

from __future__ import annotations

import shlex
from typing import Any

import click

from ..categorizer_settings import SETTINGS
from ..errors import UNSET, InputError, Message, Setting, render, shown
from ..warning import InputWarning

SIZES = ("max_document", "max_unpacked")
"""Settings that are written as sizes: 20kB."""
UNITS = ("", "kB", "MB", "GB", "TB")


def say(kind: str, message: str) -> None:
    """Print a message that is not a result as one line on standard error."""
    click.echo(f"{kind}: {on_one_line(message)}", err=True)


def warn(message: Message) -> None:
    """Print a warning as one line on standard error."""
    say("warning", render(message, write_setting))


def error_text(problem: InputError) -> str:
    """Return the message of an error, with settings as options, and the notes that were added to it."""
    text, notes = problem.render(write_setting), getattr(problem, "__notes__", ())
    if notes and not text.endswith((".", "!", "?")):
        text += "."
    return " ".join([text, *notes])


def warning_text(warning: Warning | str) -> str:
    """Return the text of a warning, with settings as options."""
    return warning.render(write_setting) if isinstance(warning, InputWarning) else str(warning)


# -- settings as options -----------------------------------------------------------------------------------------


def write_setting(setting: Setting) -> str:
    """Return a setting as an option with its value: --jobs 0; or as Python code if there is no such option.

    The option is that of the running command, or else that of the table of settings, for messages about training.
    """
    name, if_false = _option_names(setting.name)
    value = setting.value
    if not name:
        return str(setting)
    if value is UNSET:
        return name
    flag_value = _flag_value(setting.name, if_false)
    if flag_value is not UNSET:
        return name if value == flag_value else if_false or f"no {name}"
    return f"no {name}" if value is None else f"{name} {_written(setting.name, value)}"


def option_name(setting: str) -> str:
    """Return the name of the option for a setting: --terms for n_terms."""
    return write_setting(Setting(setting))


def _option_names(setting: str) -> tuple[str, str]:
    """Return the option for a setting, and its opposite such as --no-multilabel; "" for those that do not exist."""
    option = _running_options().get(setting)
    if option is not None:
        return max(option.opts, key=len), max(option.secondary_opts, key=len, default="")
    spec = SETTINGS.get(setting)
    if spec is None or spec.option is None:
        return "", ""
    name, _, if_false = spec.option.name.partition("/")
    return name, if_false


def _flag_value(setting: str, if_false: str) -> object:
    """Return the value that a flag stands for, or `UNSET` if the option is no flag."""
    spec = SETTINGS.get(setting)
    if spec is not None and spec.option is not None and spec.option.is_flag:
        return spec.option.sets
    option = _running_options().get(setting)
    return True if if_false or (option is not None and option.is_flag) else UNSET


def _running_options() -> dict[str, click.Option]:
    """Return the options of the running command by the names of their settings."""
    command = _running_command()
    parameters = () if command is None else command.params
    return {str(option.name): option for option in parameters if isinstance(option, click.Option)}


def _running_command() -> click.Command | None:
    """Return the subcommand that runs, also while its errors are handled by the group."""
    context = click.get_current_context(silent=True)
    if context is None:
        return None
    if isinstance(context.command, click.Group) and context.invoked_subcommand:
        return context.command.get_command(context, context.invoked_subcommand)
    return context.command


def _written(setting: str, value: Any) -> str:
    """Return a value as it is given on the command line."""
    if setting in SIZES and isinstance(value, int):
        return in_units(value)
    if setting == "ngram_range" and isinstance(value, tuple) and len(value) == 2:
        shortest, longest = value
        return str(shortest) if shortest == longest else f"{shortest}-{longest}"
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return shlex.quote(value) if isinstance(value, str) and len(value) < 60 else shown(value)


def in_units(size: int) -> str:
    """Return a number of bytes as the options for sizes take it: 20kB."""
    thousands = 0
    while size and size % 1000 == 0 and thousands < len(UNITS) - 1:
        size //= 1000
        thousands += 1
    return f"{size}{UNITS[thousands]}"


# -- characters --------------------------------------------------------------------------------------------------


def printable(text: str) -> str:
    """Return the text with unprintable characters escaped, so that a terminal takes none of them for a command."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def on_one_line(text: str) -> str:
    """Return the text as `printable` does, with line ends as spaces."""
    return printable(" ".join(text.split()))
