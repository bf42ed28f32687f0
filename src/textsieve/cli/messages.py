"""Messages on standard error, in which settings are written as options: `n_jobs=0` of the library is --jobs 0 here.

Other functions write words for a shell, and make any text printable on one line.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

import click

from ..categorizer_settings import SETTINGS
from ..errors import UNSET, InputError, InputWarning, Message, Setting, render, shown

SIZE_SETTINGS = ("max_document", "max_unpacked")
"""Settings whose values are numbers of bytes, written as 20kB."""
REPEATED_SETTINGS = ("text",)
"""Settings that may be lists; their option is repeated for each item."""
UNITS = ("", "kB", "MB", "GB", "TB")


def print_message(kind: str, message: str) -> None:
    """Print a message as one line on standard error; `kind` is its first word, such as "error" or "note"."""
    click.echo(f"{kind}: {on_one_line(message)}", err=True)


def warn(message: Message) -> None:
    """Print a warning as one line on standard error."""
    print_message("warning", render(message, write_setting))


def error_text(problem: InputError) -> str:
    """Return the message of an error, with settings written as options, and its notes (`add_note`)."""
    text, notes = problem.render(write_setting), getattr(problem, "__notes__", ())
    if notes and not text.endswith((".", "!", "?")):
        text += "."
    return " ".join([text, *notes])


def warning_text(warning: Warning | str) -> str:
    """Return the text of a warning, with settings written as options."""
    return warning.render(write_setting) if isinstance(warning, InputWarning) else str(warning)


# -- settings as options -----------------------------------------------------------------------------------------


def write_setting(setting: Setting) -> str:
    """Return a setting as an option with its value, such as --jobs 0, or as Python code if it has no option.

    If the running command has an option for the setting, that option is written. Otherwise, as for a setting of `train`
    in a message of `update`, the option comes from the table of settings. A setting without a value is only the name of
    its option.
    """
    name, opposite = _option_names(setting.name)
    value = setting.value
    if not name:
        return str(setting)
    if value is UNSET:
        return name
    if (word := _word_after_flag(setting.name)) is not None and value == word:  # --keep-stats all
        return f"{name} {word}"
    flag_value = _flag_value(setting.name, has_opposite=bool(opposite))
    if flag_value is not UNSET:  # the option is a flag
        return name if value == flag_value else opposite or f"no {name}"
    if value is None:
        return f"no {name}"
    if setting.name in REPEATED_SETTINGS and isinstance(value, list | tuple):
        return " ".join(f"{name} {_value_text(setting.name, item)}" for item in value)
    return f"{name} {_value_text(setting.name, value)}"


def option_name(setting: str) -> str:
    """Return the name of the option for a setting: --terms for n_terms."""
    return write_setting(Setting(setting))


def _option_names(setting: str) -> tuple[str, str]:
    """Return the option for a setting and the one for its opposite: --multilabel and --no-multilabel.

    A name is "" if there is no such option.
    """
    option = _running_options().get(setting)
    if option is not None:  # of -o and --output, the longer name is the clearer one
        return max(option.opts, key=len), max(option.secondary_opts, key=len, default="")
    spec = SETTINGS.get(setting)
    if spec is None or spec.option is None:
        return "", ""
    name, _, opposite = spec.option.name.partition("/")
    return name, opposite


def _word_after_flag(setting: str) -> str | None:
    """Return the word that may follow the flag of a setting, such as "all" after --keep-stats; None if none may."""
    spec = SETTINGS.get(setting)
    return None if spec is None or spec.option is None else spec.option.may_be


def _flag_value(setting: str, *, has_opposite: bool) -> object:
    """Return the value that a setting has if its flag is given, or `UNSET` if its option is not a flag.

    With `has_opposite`, the flag is one of a pair such as --multilabel and --no-multilabel.
    """
    spec = SETTINGS.get(setting)
    if spec is not None and spec.option is not None and spec.option.is_flag:
        return spec.option.sets
    option = _running_options().get(setting)
    return True if has_opposite or (option is not None and option.is_flag) else UNSET


def _running_options() -> dict[str, click.Option]:
    """Return the options of the running command by the names of their settings; empty outside of a command."""
    command = _running_command()
    parameters = () if command is None else command.params
    return {str(option.name): option for option in parameters if isinstance(option, click.Option)}


def _running_command() -> click.Command | None:
    """Return the subcommand that is running, or None if no command is.

    Errors are handled after the subcommand has ended. Then click's current context is that of the group `textsieve`,
    which still has the name of the subcommand.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return None
    if isinstance(context.command, click.Group) and context.invoked_subcommand:
        return context.command.get_command(context, context.invoked_subcommand)
    return context.command


def _value_text(setting: str, value: Any) -> str:
    """Return a value as it is given on the command line."""
    if setting in SIZE_SETTINGS and isinstance(value, int):
        return size_text(value)
    if setting in ("ngram_range", "char_ngram_range") and isinstance(value, tuple) and len(value) == 2:
        return lengths_text(value)
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    # `shown` shortens a text of 60 or more characters, so there is no use in quoting it for a shell.
    return shell_quote(value) if isinstance(value, str) and len(value) < 60 else shown(value)


def lengths_text(lengths: Sequence[int]) -> str:
    """Return the shortest and the longest length of n-grams as options take them: 1-2 for (1, 2), and 2 for (2, 2)."""
    shortest, longest = lengths
    return str(shortest) if shortest == longest else f"{shortest}-{longest}"


def shell_quote(word: str) -> str:
    """Return a word as it is typed into the shell of this system.

    The command prompt of Windows does not know single quotes, and its paths have backslashes.

    >>> shell_quote("my news.csv")
    "'my news.csv'"
    """
    if os.name != "nt":
        return shlex.quote(word)
    if re.fullmatch(r"[\w@+=:,./\\-]+", word):
        return word
    # Each backslash before a quote needs another one: before a quote in the word, and at its end, where the closing
    # quote follows.
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', re.sub(r"(\\+)$", r"\1\1", word))
    return f'"{escaped}"'


def shell_join(words: Iterable[str]) -> str:
    """Return a command as it is typed into the shell of this system."""
    return " ".join(map(shell_quote, words))


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that needs no decimals, as options take it: 20kB for 20000."""
    unit = 0  # a position in `UNITS`
    while size and size % 1000 == 0 and unit < len(UNITS) - 1:
        size //= 1000
        unit += 1
    return f"{size}{UNITS[unit]}"


# -- characters --------------------------------------------------------------------------------------------------


def printable(text: str) -> str:
    """Return the text with unprintable characters escaped, so that no text can control the terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def on_one_line(text: str) -> str:
    """Return the printable text on one line: line ends and all other white space become single spaces."""
    return printable(" ".join(text.split()))
