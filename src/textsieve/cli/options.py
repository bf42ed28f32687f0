"""Options that several commands share, in bundles: a command gets each bundle as one dictionary of settings."""

import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple

import click

from ..corpus.formats import BY_NAME as FORMATS
from ..corpus.streams import cannot_read
from ..corpus.text import check_encoding, encoding_of
from ..errors import InputError
from ..files import open_regular
from ..selectors.named import SELECTORS
from ..text.languages import NORMALISERS, code_of, languages_with_stop_words

_CONTROLS = frozenset(map(chr, range(32))) - set("\t\n\v\f\r")

MOST_STOP_WORDS = 8 << 20
"""The maximum size of a file of stop words in bytes: the model's header, which stores them, has no room for more."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def bundle(name: str, *options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command, which gets their values as one dictionary called `name`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def call(*args: Any, **given: Any) -> Any:
            return command(*args, **{name: {key: given.pop(key) for key in keys}}, **given)

        own = len(getattr(command, "__click_params__", ()))
        decorated: Any = call
        for option in reversed(options):
            decorated = option(decorated)
        keys = [parameter.name for parameter in decorated.__click_params__[own:]]
        return call

    return decorate


def examples(*lines: str) -> str:
    """Return the examples for the end of a help text, marked so that click doesn't wrap them."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


# -- values ------------------------------------------------------------------------------------------------------


def column(value: str) -> str | int:
    """Parse a column: its name, or its number in a table without a header."""
    return int(value) if value.isdecimal() else value


def number_or_share(value: str) -> int | float:
    """Parse an integer, or a share written with a decimal point."""
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


def run_lengths(value: str) -> tuple[int, int]:
    """Parse a range of n-gram lengths: "1-2" for words and pairs of words, "2" for pairs only."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", value)
    if not match or not 1 <= int(match[1]) <= int(match[2] or match[1]):
        raise click.BadParameter(f"{value!r}; use 1-2 for single words and pairs of words, or 1, the default.")
    return int(match[1]), int(match[2] or match[1])


def stop_words(values: tuple[str, ...], encoding: str | None) -> str | list[str] | None:
    """Return the name of a language, or the stop words in a file, which is read in `encoding`."""
    if len(values) > 1:
        raise click.BadParameter(f"{' and '.join(values)}; give it once, and for more words a file of all of them.")
    if not values or code_of(values[0]) is not None:
        return values[0] if values else None
    try:
        data = _read_list(values[0])
    except InputError as problem:
        raise click.BadParameter(str(problem)) from problem
    except FileNotFoundError:
        raise click.BadParameter(
            f"{values[0]!r} is no language and no file; give a language such as english, german or de, or a file of "
            f"the words to leave out, separated by spaces or line ends. {languages_with_stop_words()}"
        ) from None
    except OSError as problem:
        raise click.BadParameter(str(cannot_read(values[0], problem))) from problem
    return _words_in(data, values[0], encoding or "utf-8")


def _read_list(path: str) -> bytes:
    """Return the content of a list of stop words, which may be a pipe made by the shell: `<(grep ... words)`."""
    is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    if not is_pipe or os.path.exists(os.path.realpath(path)):  # a named pipe may never get a writer
        with open_regular(path, what="a list of stop words", max_bytes=MOST_STOP_WORDS) as file:
            return file.read()
    with open(path, "rb") as pipe:
        data = pipe.read(MOST_STOP_WORDS + 1)
    if len(data) > MOST_STOP_WORDS:
        raise InputError(f"{path} has more than {MOST_STOP_WORDS:,} bytes, the most of a list of stop words.")
    return data


def _words_in(data: bytes, name: str, encoding: str) -> list[str]:
    """Return the words of a text file; raise `BadParameter` if it is not text or empty."""
    try:
        text = data.decode(encoding_of(data[:4], encoding))
    except UnicodeError as problem:
        raise click.BadParameter(
            f"{name} is no text in {encoding} ({problem}); give a text file, and its encoding with --encoding."
        ) from None
    if not _CONTROLS.isdisjoint(text):
        raise click.BadParameter(f"{name} is no text, as there are control characters in it; give a text file.")
    if not text.split():
        raise click.BadParameter(f"{name} has no words; write some into it, or leave the option out.")
    return text.split()


def encoding(value: str) -> str:
    """Parse the name of an encoding that Python knows."""
    try:
        return check_encoding(value)
    except InputError as problem:
        raise click.BadParameter(str(problem).removeprefix("encoding=")) from problem


def size(value: str) -> int:
    """Parse a number of bytes, which may be given in kB, MB, GB or TB."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)b?", value.strip().lower())
    number = int(float(match[1]) * 1000 ** " kmgt".index(match[2] or " ")) if match and len(value) < 20 else 0
    if number < 1:
        raise click.BadParameter(f"{value!r}; use a number of bytes, such as 500MB or 2GB.")
    return number


def threads(value: str) -> int:
    """Parse a number of threads; a negative number counts down from all cores."""
    try:
        number = int(value)
    except ValueError:
        number = 0
    if not number:
        raise click.BadParameter(f"{value!r}; use a number of threads from 1, or -1 for all cores.")
    return number


class Setting(NamedTuple):
    """A setting written as name=value."""

    name: str
    value: Any


def setting(value: str) -> Setting:
    """Parse name=value; the value is read as JSON, or else as text."""
    name, equals, text = value.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{value!r}; write name=value, for example pooling=max.")
    try:
        return Setting(name, json.loads(text))
    except ValueError:
        return Setting(name, text)


def class_weight(values: tuple[str, ...]) -> str | dict[str, float] | None:
    """Parse class weights: "balanced", or label=factor for some classes."""
    if values in ((), ("balanced",)):
        return values[0] if values else None
    try:
        pairs = [value.rsplit("=", 1) for value in values]
        return {label: float(factor) for label, factor in pairs}
    except ValueError:
        raise click.BadParameter(
            f"{' '.join(values)}; use 'balanced', or label=factor for each class, for example spam=5."
        ) from None


def listed(rows: Mapping[str, Any]) -> str:
    """Return the help text for a table of methods: each name with its description."""
    return described({name: row.about.partition(";")[0] for name, row in rows.items()})


def described(names: Mapping[str, str]) -> str:
    """Return a help text of names and descriptions."""
    return "; ".join(f"{name}: {about}" for name, about in names.items())


# -- bundles -----------------------------------------------------------------------------------------------------

reading = bundle(
    "reading",
    click.option(
        "--text",
        type=column,
        metavar="COLUMN",
        help="The text's column or key; its number from 0 if there is no header.",
    ),
    click.option("--label", type=column, metavar="COLUMN", help="The label's column or key; likewise."),
    click.option("--label-separator", metavar="TEXT", help="What separates several labels in one cell."),
    click.option("--format", type=click.Choice(list(FORMATS)), help="The format; left out, the content tells."),
    click.option(
        "--encoding",
        type=encoding,
        is_eager=True,  # --stop-words needs it
        metavar="NAME",
        help="Of a text file.  [default: utf-8]",
    ),
    click.option(
        "--max-document",
        type=size,
        metavar="SIZE",
        help="Stop at a larger document (or line, row or record).  [default: 100MB; 10MB in a named corpus]",
    ),
    click.option(
        "--max-unpacked",
        type=size,
        metavar="SIZE",
        help="Stop if a packed file unpacks to more.  [default: 200 times its size, but at least --max-document]",
    ),
    click.option(
        "--follow-links",
        is_flag=True,
        help="Read links in a folder of documents also if they lead outside of it.",
    ),
)

terms_are = bundle(
    "terms_are",
    click.option(
        "--stop-words",
        multiple=True,
        callback=lambda context, _, values: stop_words(values, context.params.get("encoding")),
        metavar="LANGUAGE|FILE",
        help="Words to leave out: those of a language, such as english or de, or those in a text file (in --encoding).",
    ),
    click.option(
        "--normalise",
        type=click.Choice(list(NORMALISERS)),
        help="Count words by their stems or their lemmas; needs the extra 'words'.",
    ),
    click.option(
        "--language",
        metavar="NAME|CODE",
        help="Of the stems or lemmas of --normalise: german or de.  [default: that of --stop-words, or else en]",
    ),
    click.option("--drop-tags", is_flag=True, help="Take HTML and SGML out of the texts."),
    click.option("--names", is_flag=True, help="Count proper names, such as Santiago de Cuba, as one term each."),
    click.option(
        *("--ngrams", "ngram_range"),
        type=run_lengths,
        metavar="FROM-TO",
        default="1",
        show_default=True,
        help="Terms are runs of so many words: 1-2 for words and pairs.",
    ),
    click.option(
        *("--min-df", "min_df"),
        type=number_or_share,
        metavar="N|SHARE",
        default="1",
        show_default=True,
        help="Leave out terms that are in fewer documents.",
    ),
    click.option(
        *("--max-df", "max_df"),
        type=number_or_share,
        metavar="N|SHARE",
        default="1.0",
        show_default=True,
        help="Leave out terms that are in more documents.",
    ),
    click.option(
        "--strip-accents",
        type=click.Choice(["unicode", "ascii"]),
        help="Take é for e; ascii is quicker, and knows fewer letters.",
    ),
    click.option("--keep-case", is_flag=True, help="Tell capitals from small letters."),
)


def _selection(usual: str, **more: str) -> Decorator:
    return bundle(
        "selection",
        click.option(
            "--selector",
            type=click.Choice([*SELECTORS, *more]),
            default=usual,
            show_default=True,
            help=f"How terms are chosen. {'; '.join([listed(SELECTORS), *([described(more)] if more else [])])}.",
        ),
        click.option(
            *("--selector-option", "selector_options"),
            type=setting,
            multiple=True,
            metavar="NAME=VALUE",
            help="A setting of the selector, such as pooling=max; may be repeated.",
        ),
    )


selection = _selection("ocfs")
selection_or_none = _selection("forward", none="all terms are kept, or the most frequent")

jobs = click.option("--jobs", type=threads, default="-1", metavar="N", help="Threads; -1, the default, is all cores.")
json_wanted = click.option("--json", "wants_json", is_flag=True, help="Print one JSON document instead.")


def counting(terms_are: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a `Categorizer` or `TermCounter` that define terms."""
    settings = dict(terms_are)
    language = settings.pop("language")
    if language is not None and settings["normalise"] is None:
        raise click.BadParameter(
            f"{language!r} is that of stems or lemmas, and none are asked for; give --normalise stem or lemma with it, "
            "or leave it out.",
            param_hint="--language",
        )
    tags = "drop" if settings.pop("drop_tags") else "keep"
    return settings | {"lowercase": not settings.pop("keep_case"), "tags": tags, "language": language}


def as_dict(settings: tuple[Setting, ...]) -> dict[str, Any] | None:
    """Return the settings by name, or None if there are none."""
    return {setting.name: setting.value for setting in settings} or None
