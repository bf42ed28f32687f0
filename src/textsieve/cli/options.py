"""Options that several commands share: bundles of options, parsers of their values, and the settings as options.

A command gets the values of a bundle as one dictionary. Most options stand for a setting of `Categorizer`;
`setting_option` makes these from the table of settings.
"""

import csv
import glob
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from ..categorizer_settings import AUTO, ONE_STANDARD_ERROR, SETTINGS, Option, SettingSpec
from ..corpus.formats import BY_NAME as FORMATS
from ..corpus.named_corpora import NAMED
from ..corpus.source import ALL_COLUMNS, Keep
from ..corpus.streams import check_encoding, encoding_of, unreadable_error
from ..errors import InputError
from ..files import open_regular
from ..presentation import PRESENTATION
from ..registry import CLASS_WEIGHT_RULES
from ..settings import as_bytes
from ..text.choices import ANALYZERS
from ..text.languages import code_of, languages_with_stop_words
from .messages import lengths_text

_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\v\f\r")
"""Control characters other than white space, which no text file has."""

MAX_STOP_WORD_BYTES = 8 << 20
"""The maximum size of a file of stop words; the header of a model, which may store them, has no room for more."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def bundle(name: str, *options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command, which gets their values as one dictionary called `name`.

    With `bundle("split", click.option("--folds"), click.option("--seed"))`, the command `--folds 5` is called with
    `split={"folds": "5", "seed": None}`.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*args: Any, **values: Any) -> Any:
            bundled = {key: values.pop(key) for key in keys}  # `keys` is set below, before any call
            return command(*args, **{name: bundled}, **values)

        # click collects the parameters of a command in its list `__click_params__`. `wraps` gives `call` the same list,
        # so it has parameters of the command already; those that are added below are the options of this bundle.
        n_before = len(getattr(command, "__click_params__", ()))
        decorated: Any = call
        for option in reversed(options):
            decorated = option(decorated)
        keys = [parameter.name for parameter in decorated.__click_params__[n_before:]]
        return call

    return decorate


def shown_terms(*earlier_names: str, default: int, help: str) -> Decorator:
    """Return a decorator that adds -n/--show, and calls the command with its value as `n_terms`.

    The names that the option had in earlier versions still work, but the help does not mention them, and they can't be
    given together with -n/--show.
    """
    wanted: dict[str, Any] = {"type": click.IntRange(min=1), "metavar": "N"}

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*args: Any, n_terms: int, n_terms_by_earlier_name: int | None, **values: Any) -> Any:
            if n_terms_by_earlier_name is None:
                return command(*args, n_terms=n_terms, **values)
            if click.get_current_context().get_parameter_source("n_terms") is not ParameterSource.DEFAULT:
                names = ", ".join(earlier_names)
                raise click.UsageError(f"{names} and -n, --show are the same option; leave out one.")
            return command(*args, n_terms=n_terms_by_earlier_name, **values)

        about = "The earlier name of --show."
        earlier = click.option(*earlier_names, "n_terms_by_earlier_name", hidden=True, help=about, **wanted)
        return click.option("-n", "--show", "n_terms", default=default, show_default=True, help=help, **wanted)(
            earlier(call)
        )

    return decorate


def examples(*lines: str) -> str:
    """Return the examples for the end of a help text, marked so that click doesn't wrap them."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


# -- shell completion --------------------------------------------------------------------------------------------


def complete_files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def complete_corpora(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of corpora that begin with a text."""
    return [CompletionItem(name, help=row.about) for name, row in NAMED.items() if name.startswith(incomplete)]


def complete_documents(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file, or if no file begins with the text, return names of corpora."""
    has_files = bool(glob.glob(f"{glob.escape(os.path.expanduser(incomplete))}*"))
    complete = complete_files if has_files or not incomplete else complete_corpora
    return complete(context, parameter, incomplete)


# -- parsers of values -------------------------------------------------------------------------------------------


def column(value: str) -> str | int:
    """Parse a column: return its name, or if the text has only digits, its number, for tables without a header."""
    return int(value) if value.isdecimal() else value


def one_or_several(columns: tuple[str | int, ...]) -> str | int | list[str | int] | None:
    """Return the columns as `read` takes them: None, one column by itself, or a list of several."""
    if not columns:
        return None
    return columns[0] if len(columns) == 1 else list(columns)


def parse_keep(values: tuple[str, ...]) -> Keep | None:
    """Parse --keep: return the columns, `ALL_COLUMNS` for "all", () for "none", and None if the option is not given.

    Columns are names or numbers, separated by commas. A name that contains a comma is in quotes, as in CSV.
    """
    names = [name for value in values for name in next(csv.reader([value], skipinitialspace=True), []) if name]
    if ALL_COLUMNS in names:
        return ALL_COLUMNS
    if "none" in names and len(set(names)) > 1:
        raise click.BadParameter("none stands alone: give either none, or the columns to keep.")
    if "none" in names:
        return ()
    return tuple(map(column, names)) or None


def number_or_share(value: str) -> int | float:
    """Parse a number: return an integer for digits only, and a float for anything else, such as the share 0.5."""
    try:
        return int(value) if value.isdecimal() else float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is no number; use one such as 2, or a share such as 0.5.") from None


def n_terms(value: str) -> int | float | str:
    """Parse a number of terms: an integer, a share, "all" or "auto"."""
    number = value if value in ("all", "auto") else number_or_share(value)
    if (isinstance(number, float) and not 0 < number <= 1) or number == 0:
        raise click.BadParameter(f"{value}; use a number from 1, a share above 0 and up to 1.0, 'all', or 'auto'.")
    return number


def tolerance(value: str) -> float | str:
    """Parse a number of points, or "1se" for one standard error."""
    if value.lower() == ONE_STANDARD_ERROR:
        return ONE_STANDARD_ERROR
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r}; use a number of points such as 0.5, or {ONE_STANDARD_ERROR}.") from None


def ngram_range(value: str) -> tuple[int, int]:
    """Parse a range of n-gram lengths: "1-2" for words and pairs of words, "2" for pairs only."""
    return _lengths(value, "1-2 for single words and pairs of words, or 1, the default")


_CHAR_LENGTHS = "3-5 for n-grams of 3 to 5 characters, or none"


def char_ngram_range(value: str) -> tuple[int, int] | str | None:
    """Parse a range of lengths of character n-grams, such as "3-5", or "auto" or "none"."""
    if value == AUTO:
        return AUTO
    return None if value == "none" else _lengths(value, f"{_CHAR_LENGTHS}, or auto")


def max_size(value: str) -> str | None:
    """Return None, which means no limit, for "none"; return any other text unchanged, because `Settings` checks it."""
    return None if value == "none" else value


def _lengths(value: str, allowed: str) -> tuple[int, int]:
    """Parse the smallest and the largest length of n-grams: "1-2" is (1, 2), and "2" is (2, 2).

    `allowed` describes valid values in the error message.
    """
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if not match:
        raise click.BadParameter(f"{value!r}; use {allowed}.")
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last > 0:
        raise click.BadParameter(f"{value!r}; the smaller number comes first: use {match[2]}-{match[1]}.")
    if first < 1 or last < 1:
        raise click.BadParameter(f"{value!r}; use {allowed}.")
    return first, last


def stop_words(values: tuple[str, ...], encoding: str | None) -> str | list[str] | None:
    """Parse --stop-words: return the name of a language, or the words of a file, or None if the option is not given.

    `values` has an entry for each time that the option is given. `encoding` is that of the file, by default UTF-8.
    """
    if len(values) > 1:
        raise click.BadParameter(f"{' and '.join(values)}; give it once, and for more words a file of all of them.")
    if not values or code_of(values[0]) is not None:
        return values[0] if values else None
    try:
        data = _read_stop_word_file(values[0])
    except InputError as problem:
        raise click.BadParameter(str(problem)) from problem
    except FileNotFoundError:
        raise click.BadParameter(
            f"{values[0]!r} is no language and no file; give a language such as english, german or de, or a file with "
            f"the words to leave out, separated by spaces or line ends. {languages_with_stop_words()}"
        ) from None
    except OSError as problem:
        raise click.BadParameter(str(unreadable_error(values[0], problem))) from problem
    return _words_in(data, values[0], encoding or "utf-8")


def _read_stop_word_file(path: str) -> bytes:
    """Return the content of a file, or of a pipe that the shell has made for `--stop-words <(grep ... words)`.

    Other pipes raise an error, because reading a pipe to which no process writes would never end. Those have a name in
    the file system, and a pipe of the shell has none: its path, such as /dev/fd/63, is a link to a path that does not
    exist, and on macOS no link at all.
    """
    is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    target = os.path.realpath(path)
    is_unnamed = os.path.dirname(target) == "/dev/fd" or not os.path.exists(target)
    if not (is_pipe and is_unnamed):  # `open_regular` raises `InputError` for pipes
        with open_regular(path, what="a list of stop words", max_bytes=MAX_STOP_WORD_BYTES) as file:
            return file.read()
    with open(path, "rb") as pipe:
        data = pipe.read(MAX_STOP_WORD_BYTES + 1)
    if len(data) > MAX_STOP_WORD_BYTES:
        raise InputError(f"{path} has more than {MAX_STOP_WORD_BYTES:,} bytes, the maximum for a list of stop words.")
    return data


def _words_in(data: bytes, name: str, encoding: str) -> list[str]:
    """Return the words in the content of a text file; raise `BadParameter` if it is empty or not text."""
    try:
        text = data.decode(encoding_of(data[:4], encoding))  # a byte order mark has at most 4 bytes
    except UnicodeError as problem:
        raise click.BadParameter(
            f"{name} is no text in {encoding} ({problem}); give a text file, and its encoding with --encoding."
        ) from None
    if not _CONTROLS.isdisjoint(text):
        raise click.BadParameter(f"{name} is no text: it has control characters; give a text file.")
    if not text.split():
        raise click.BadParameter(f"{name} has no words; write some into it, or leave the option out.")
    return text.split()


def encoding(value: str) -> str:
    """Parse the name of an encoding that Python knows."""
    try:
        return check_encoding(value)
    except InputError as problem:
        raise click.BadParameter(str(problem.with_fields(setting=None))) from problem


def size(value: str) -> int:
    """Parse a number of bytes, which may be given in kB, MB, GB or TB."""
    number = as_bytes(value)  # 0 if the value is invalid
    if number < 1:
        raise click.BadParameter(f"{value!r}; use a number of bytes, such as 500MB or 2GB.")
    return number


def threads(value: str) -> int:
    """Parse a number of threads; -1 means all cores, -2 all but one, and so on."""
    try:
        number = int(value)
    except ValueError:
        number = 0  # as invalid as a given 0
    if not number:
        raise click.BadParameter(f"{value!r}; use a number of threads from 1, or -1 for all cores.")
    return number


class NameValue(NamedTuple):
    """An option of a method, written as name=value."""

    name: str
    value: Any


def name_value(text: str) -> NameValue:
    """Parse name=value; the value is read as JSON, and as text if it is none: C=10 has a number, pooling=max a text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r}; write name=value, for example pooling=max.")
    try:
        return NameValue(name, json.loads(value))
    except ValueError:
        return NameValue(name, value)


def class_weight(values: tuple[str, ...]) -> str | dict[str, float] | None:
    """Parse the values of --class-weight, which may be repeated.

    Return "auto" if there are none, None for "none", the name of a rule such as "balanced", or a dictionary of factors:
    `("spam=5", "ham=1")` becomes `{"spam": 5.0, "ham": 1.0}`.
    """
    if values in ((), (AUTO,)):
        return AUTO
    if values == ("none",):
        return None
    if len(values) == 1 and values[0] in CLASS_WEIGHT_RULES:
        return values[0]
    rules = " or ".join(CLASS_WEIGHT_RULES)
    if len(values) > 1 and any(value in CLASS_WEIGHT_RULES for value in values):
        raise click.BadParameter(
            f"{' and '.join(values)}; {rules} sets the weights of all classes: give it alone, or label=factor for some "
            "classes."
        )
    try:
        pairs = [value.rsplit("=", 1) for value in values]
        return {label: float(factor) for label, factor in pairs}
    except ValueError:  # there is no "=", or the factor is not a number
        raise click.BadParameter(
            f"{' '.join(values)}; use {rules}, auto, none, or label=factor for each class, for example spam=5."
        ) from None


def describe_choices(descriptions: Mapping[str, str]) -> str:
    """Return a help text that lists names with their descriptions."""
    return "; ".join(f"{name}: {description}" for name, description in descriptions.items())


# -- the settings of a Categorizer as options ----------------------------------------------------------------------

METHOD_OPTIONS = ("selector_options", "projection_options", "classifier_options", "cut_options")
"""Settings that are dictionaries; their option takes NAME=VALUE, and may be repeated."""

_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(METHOD_OPTIONS, name_value),
    "n_terms": n_terms,
    "tolerance": tolerance,
    "max_size": max_size,
    "ngram_range": ngram_range,
    "char_ngram_range": char_ngram_range,
    "min_df": number_or_share,
    "max_df": number_or_share,
    "held_out": click.FloatRange(0, 1, max_open=True),
    "folds": click.IntRange(min=2),
    "n_jobs": threads,
}
"""The click types of settings whose options take other values than the name of a choice."""

_CONVERTERS: Mapping[str, Callable[[click.Context, Any], Any]] = {
    **dict.fromkeys(METHOD_OPTIONS, lambda _, pairs: {pair.name: pair.value for pair in pairs} or None),
    "class_weight": lambda _, values: class_weight(values),
    "stop_words": lambda context, values: stop_words(values, context.params.get("encoding")),
    "examples": lambda _, values: list(values) or None,
}
"""For settings whose option may be repeated: the function from click's context and all values to the setting."""


NO_WORD = "yes"
"""The value that `CommandWithWords` gives to a flag that may have a word after it, but has none."""


class CommandWithWords(click.Command):
    """A command with flags that may have a certain word after them: --keep-stats, or --keep-stats all.

    click has no such flags: it would take any argument after the flag for its value, also the name of a file. So before
    click parses the arguments, `--keep-stats all` becomes `--keep-stats=all`, and `--keep-stats news.csv` becomes
    `--keep-stats=yes news.csv`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give each flag that may have a word a value, and let click parse the arguments."""
        word_by_flag = {
            spec.option.name: spec.option.may_be for spec in SETTINGS.values() if spec.option and spec.option.may_be
        }
        paths_begin = args.index("--") if "--" in args else len(args)  # after "--", click expects only paths
        arguments: list[str] = []
        previous_flag = ""  # the flag before the current argument, if that may be its word
        for argument in args[:paths_begin]:
            if previous_flag and argument == word_by_flag[previous_flag]:
                arguments[-1] = f"{previous_flag}={argument}"
                previous_flag = ""
            elif argument in word_by_flag:
                arguments.append(f"{argument}={NO_WORD}")
                previous_flag = argument
            else:
                arguments.append(argument)
                previous_flag = ""
        return super().parse_args(ctx, arguments + args[paths_begin:])


def setting_option(name: str, **changes: Any) -> Decorator:
    """Return the click option of a setting of a `Categorizer`.

    Its names, its help and its default come from the table of settings. `changes` are arguments of `click.option` that
    replace those of the setting.
    """
    spec = SETTINGS[name]
    option = spec.option
    assert option is not None, f"{name} has no option"
    arguments: dict[str, Any] = {"help": spec.option_help, "metavar": option.metavar, **_kind_of_option(spec, option)}
    if name in _CONVERTERS and name != "stop_words":  # click takes stop words twice only so that our error explains it
        arguments["help"] += " May be repeated."
    if name == "stop_words":
        arguments["shell_complete"] = complete_files
    names = [option_name for option_name in (option.short, option.name, name) if option_name is not None]
    return click.option(*names, **{**arguments, **changes})


def _kind_of_option(spec: SettingSpec, option: Option) -> dict[str, Any]:
    """Return the arguments of `click.option` that say what the option of a setting takes, and what its default is."""
    if option.may_be is not None:  # a flag, or a flag and a word: --keep-stats, --keep-stats all
        value_of_word = {None: spec.default, NO_WORD: option.sets, option.may_be: option.may_be}
        choice = click.Choice([option.may_be, NO_WORD])
        return {"type": choice, "callback": lambda _, __, word: value_of_word[word]}
    if option.is_flag:
        value_of_flag = {True: option.sets, False: spec.default}
        return {"is_flag": True, "callback": lambda _, __, is_given: value_of_flag[is_given]}
    if spec.name in _CONVERTERS:  # may be repeated
        convert = _CONVERTERS[spec.name]
        return {
            "multiple": True,
            "type": _TYPES.get(spec.name),
            "callback": lambda context, _, values: convert(context, values),
        }
    if "/" in option.name:  # --multilabel/--no-multilabel
        return {"default": spec.default}
    value_type = _TYPES.get(spec.name) or (click.Choice(list(spec.choices)) if spec.choices else str)
    default = None if spec.option_default is None else value_as_text(spec.name, spec.option_default)
    return {"type": value_type, "default": default, "show_default": default is not None}


def value_as_text(name: str, value: Any) -> str:
    """Return the value of a setting as it is written after its option: "1-2" for the range (1, 2), "none" for None."""
    if name in ("char_ngram_range", "max_size", "class_weight", "selector", "probabilities") and value is None:
        return "none"
    if name in ("ngram_range", "char_ngram_range") and not isinstance(value, str):
        return lengths_text(value)
    if name == "held_out" and value is None:
        return "0"  # no held-out documents
    return str(value)


def arguments_of(name: str, value: Any) -> list[str]:
    """Return the option of a setting and its value as arguments of a command; empty if the setting has no option.

    >>> arguments_of("ngram_range", (1, 2)), arguments_of("lowercase", False)
    (['--ngrams', '1-2'], ['--keep-case'])
    """
    option = SETTINGS[name].option
    if option is None:
        return []
    option_name = option.short or option.name
    if option.may_be is not None and value == option.may_be:  # --keep-stats all
        return [option_name, option.may_be]
    if option.is_flag:
        return [option_name] if value == option.sets else []
    if "/" in option.name:
        yes, no = option.name.split("/")
        return [yes if value else no]
    if isinstance(value, Mapping):
        from ..prediction import as_written

        return [
            argument
            for key, item in value.items()
            for argument in (option_name, f"{as_written(key)}={_json_or_text(item)}")
        ]
    if name == "examples":
        return [argument for example in value or () for argument in (option_name, example)]
    return [option_name, value_as_text(name, value)]


def _json_or_text(value: Any) -> str:
    """Return the text that `name_value` parses to this value: JSON, or a text without quotes if that is no JSON."""
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value)


# -- bundles -----------------------------------------------------------------------------------------------------

read_options = bundle(
    "read_options",
    click.option(
        "--text",
        type=column,
        multiple=True,
        callback=lambda _, __, columns: one_or_several(columns),
        metavar="COLUMN",
        help="The column or key of the text; a number, from 0, if there is no header. Repeat it to join columns.",
    ),
    click.option("--label", type=column, metavar="COLUMN", help="The column or key of the label, given like --text."),
    click.option("--label-separator", metavar="TEXT", help="The text between several labels in one cell."),
    click.option(
        "--fold-labels",
        is_flag=True,
        help="Merge labels that differ only in case or in the space around them: into the most frequent spelling, or "
        "that of the model.",
    ),
    click.option(
        "--format",
        type=click.Choice(list(FORMATS)),
        help="The format of the documents.  [default: detected from the content]",
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of an Excel file.  [default: the first visible one]"),
    click.option(
        "--encoding",
        type=encoding,
        is_eager=True,  # --stop-words needs it
        metavar="NAME",
        help="The encoding of text files.  [default: utf-8, or guessed for a file that is not]",
    ),
    click.option(
        "--max-document",
        type=size,
        metavar="SIZE",
        help="The maximum size of a document (or line, row or record).  [default: 100MB; 10MB in a named corpus]",
    ),
    click.option(
        "--max-unpacked",
        type=size,
        metavar="SIZE",
        help="The maximum size of a compressed file when it is unpacked.  [default: 200 times its size, but at least "
        "--max-document]",
    ),
    click.option(
        "--follow-links",
        is_flag=True,
        help="Also read links in a folder of documents that lead outside of it.",
    ),
)

_TERM_SETTINGS = (
    *("analyzer", "token_pattern", "ngram_range", "char_ngram_range", "stop_words", "normalise", "language", "tags"),
    *("names", "min_df", "max_df", "strip_accents", "lowercase"),
)
term_settings = bundle("term_settings", *map(setting_option, _TERM_SETTINGS))

_WORD_OPTIONS = {
    "analyzer": setting_option(
        "analyzer",
        type=click.Choice(list(ANALYZERS)),
        default="word",
        help=f"What terms are. {describe_choices(ANALYZERS)}.",
    ),
    "char_ngram_range": setting_option(
        "char_ngram_range",
        type=lambda value: None if value == "none" else _lengths(value, _CHAR_LENGTHS),
        default="none",
        metavar="FROM-TO|none",
        help="Count n-grams of characters, too: 3-5 for 3 to 5 characters between spaces.",
    ),
}
word_settings = bundle("term_settings", *(_WORD_OPTIONS.get(name) or setting_option(name) for name in _TERM_SETTINGS))
"""The same options as `term_settings`, for commands that study terms: by default, terms are words, as in the papers."""

_SELECTORS = {name: about for name, about in SETTINGS["selector"].choices.items() if name != AUTO}
selection = bundle(
    "selection",
    setting_option(
        "selector",
        type=click.Choice(list(_SELECTORS)),
        default="ocfs",
        help=f"How terms are selected. {describe_choices(_SELECTORS)}.",
    ),
    setting_option("selector_options"),
)

_NO_SELECTOR = {"none": "no selector, but all terms or the most frequent"}
selection_or_none = bundle(
    "selection",
    setting_option(
        "selector",
        type=click.Choice([*SETTINGS["selector"].choices, *_NO_SELECTOR]),
        callback=lambda _, __, name: None if name in _NO_SELECTOR else name,
        help=f"{SETTINGS['selector'].option_help.removesuffix('.')}; {describe_choices(_NO_SELECTOR)}.",
    ),
    setting_option("selector_options"),
)

_NO_PROBABILITIES = {"none": "no probabilities, and no repeated training"}
probabilities_or_none = setting_option(
    "probabilities",
    type=click.Choice([*SETTINGS["probabilities"].choices, *_NO_PROBABILITIES]),
    callback=lambda _, __, name: None if name in _NO_PROBABILITIES else name,
    help=f"{SETTINGS['probabilities'].option_help.removesuffix('.')}; {describe_choices(_NO_PROBABILITIES)}.",
)

presentation = bundle("presentation", *map(setting_option, PRESENTATION))

multilabel = bundle("multilabel", *map(setting_option, ("multilabel", "cut", "cut_options")))

min_probability = click.option(
    "--min-probability",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Give no label to a document whose best class is less probable, or that has none of the model's terms. 0: "
    "only to documents without a term; this is the only value for models without probabilities.",
)
abstaining = bundle(
    "abstaining",
    min_probability,
    click.option(
        "--abstain-label",
        metavar="LABEL",
        help="Give this label to such documents; without --min-probability, only to those without a term.",
    ),
)

at = click.option(
    *("--at", "when"),
    metavar="DATE",
    help="With the statistics of all terms: when the documents came, such as 2026-01-31 or 2026-01-31T12:00, in UTC "
    "unless it has a time zone.  [default: now]",
)
jobs = click.option("--jobs", type=threads, default="-1", metavar="N", help=SETTINGS["n_jobs"].option_help)
json_flag = click.option("--json", "wants_json", is_flag=True, help="Print one JSON document instead of tables.")


def check_term_settings(term_settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a bundle `term_settings`; raise `BadParameter` for a language without --normalise."""
    if term_settings["language"] is not None and term_settings["normalise"] is None:
        raise click.BadParameter(
            f"{term_settings['language']!r} has no effect: it is the language of stems or lemmas; add --normalise stem "
            "or --normalise lemma, or leave it out.",
            param_hint="--language",
        )
    return dict(term_settings)
