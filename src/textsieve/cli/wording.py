"""Translate the messages of readers for the command line: settings become options."""

import re

from ..categorizer_settings import SETTINGS, option_of

_NAMES = (
    *("text", "label", "label_separator", "format", "encoding", "max_document", "max_unpacked"),
    *("test_share", "repeats", "seed", "master", "keep"),
    *(name for name, spec in SETTINGS.items() if spec.option is not None),
)
UNITS = ("", "kB", "MB", "GB", "TB")
_RULES = (
    (re.compile(r", or use label=False if there are no labels"), ""),
    (re.compile(r": textsieve\.read\(path, label=\.\.\.\)"), " with --label"),
    (re.compile(r"\buse n_terms instead"), "use -k instead"),
    (re.compile(r"\bgive test_share or folds with it"), "give --test-share or --folds with it"),
    (re.compile(r"^folds and test_share are"), "--folds and --test-share are"),
    (re.compile(r"\buse weights=\[0\]"), "use --energy-weights 0"),
    (re.compile(r"; name one with projection, "), "; name one with --projection, "),
    (re.compile(r"\bor names=False"), "or leave out --names"),
    (re.compile(r"\bnames=True"), "--names"),
    (re.compile(r"\btags='drop'"), "--drop-tags"),
    (re.compile(r"\blowercase=False"), "--keep-case"),
    (re.compile(r"\bngram_range=\((\d+), (\d+)\)"), lambda match: _run_lengths(*match.groups())),
    (re.compile(r"\b(max_document|max_unpacked)=([\d_]+)"), lambda match: f"{option(match[1])} {_in_units(match[2])}"),
    (re.compile(r"\bread it on one machine: textsieve\.read\(path\)"), "leave out --engine spark"),
    (re.compile(r" \(df\.sample\)"), ""),
    (re.compile(r"\braise most_values"), "raise --most-values"),
    (re.compile(r"^(selectors|classifiers)(?=:)"), r"--\1"),
    (re.compile(r"\bfollow_links=True"), "--follow-links"),
    (re.compile(r"\bmultilabel=False"), "--no-multilabel"),
    (re.compile(r"\bkeep_stats=True"), "--keep-stats"),
    (re.compile(r"\bfit_cut=True"), "--fit-cut"),
    (re.compile(r"\bleave keep_stats out"), "leave --keep-stats out"),
    (re.compile(r"\bmultilabel=True"), "--multilabel"),
    (
        re.compile(r"\b((?:selector|projection|classifier)_options|class_weight)(?=:)"),
        lambda match: option(match[1]),
    ),
    (re.compile(rf"(?<![^\s(])({'|'.join(_NAMES)})(?==)"), lambda match: option(match[1])),
)


def option(setting: str) -> str:
    """Return the option for a setting of the library."""
    return option_of(setting) or setting


def _run_lengths(shortest: str, longest: str) -> str:
    """Return a range of n-gram lengths as the option takes it."""
    return f"{option('ngram_range')} {shortest if shortest == longest else f'{shortest}-{longest}'}"


def _in_units(size: str) -> str:
    """Return a number of bytes, such as 20_000, as the options for sizes take it: 20kB."""
    thousands = 0
    while size.endswith("_000") and thousands < len(UNITS) - 1:
        size = size.removesuffix("_000")
        thousands += 1
    return size.replace("_", "") + UNITS[thousands]


def as_options(message: str) -> str:
    """Return the message with the library's settings replaced by command-line options."""
    for pattern, replacement in _RULES:
        message = pattern.sub(replacement, message)
    return message
