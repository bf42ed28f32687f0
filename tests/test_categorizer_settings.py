"""The table of settings agrees with the constructor, its documentation and the command line."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from typing import Any

import click
import pytest

from textsieve import Categorizer, InputError
from textsieve.categorizer_settings import FORMER_DEFAULTS, SETTINGS, Settings
from textsieve.cli.options import arguments_of
from textsieve.cli.program import program
from textsieve.evaluation.calibration import METHODS
from textsieve.evaluation.thresholds import cut_of
from textsieve.registry import CLASSIFIERS, PROJECTIONS, SELECTORS
from textsieve.text.choices import ANALYZERS
from textsieve.text.languages import NORMALISERS
from textsieve.text.preparation import TAGS
from textsieve.text.weights import INVERSE_FREQUENCIES, NORMS, TERM_FREQUENCIES


def parameters_of_train() -> dict[str, click.Option]:
    command = program.get_command(click.Context(program), "train")
    assert command is not None
    return {option.name: option for option in command.params if isinstance(option, click.Option) and option.name}


def test_the_constructor_has_the_settings_and_defaults() -> None:
    parameters = inspect.signature(Categorizer).parameters
    assert list(parameters) == list(SETTINGS)
    assert {name: parameter.default for name, parameter in parameters.items()} == Settings().__dict__
    annotations = {name: parameter.annotation for name, parameter in parameters.items()}
    assert annotations == Settings.__annotations__


def test_the_docstring_describes_each_setting() -> None:
    documentation = inspect.getdoc(Categorizer) or ""
    section = documentation.partition("Parameters\n----------\n")[2].partition("\n\nAttributes\n")[0]
    described = re.findall(r"^(\w+) : (.*)\n((?:    .*(?:\n|$))+)", section, re.MULTILINE)
    assert [(name, kind, " ".join(text.split())) for name, kind, text in described] == [
        (spec.name, spec.type_text, spec.description) for spec in SETTINGS.values()
    ]
    lines = (Categorizer.__doc__ or "").splitlines()
    assert max(len(line) for line in lines if " : " not in line) <= 120, "lines with a type can't be wrapped"


@pytest.mark.parametrize("name", [name for name, spec in SETTINGS.items() if spec.option is not None])
def test_train_has_an_option_for_each_setting(name: str) -> None:
    spec = SETTINGS[name]
    option = parameters_of_train()["jobs" if name == "n_jobs" else name]
    assert spec.option is not None
    assert spec.option.name == "/".join([option.opts[-1], *option.secondary_opts])
    assert (option.help or "").startswith(spec.option_help.removesuffix("."))
    assert option.metavar == spec.option.metavar
    if spec.choices and not spec.option.is_flag:
        assert isinstance(option.type, click.Choice)
        assert [choice for choice in option.type.choices if choice != "none"] == list(spec.choices)


def test_train_without_options_has_the_defaults() -> None:
    command = program.get_command(click.Context(program), "train")
    assert command is not None
    context = command.make_context("train", ["a.csv", "-o", "a.sieve"], help_option_names=["-h", "--help"])
    for name, spec in SETTINGS.items():
        if spec.option is not None:
            assert context.params["jobs" if name == "n_jobs" else name] == spec.option_default


def test_settings_without_an_option() -> None:
    without_option = [name for name, spec in SETTINGS.items() if spec.option is None]
    assert without_option == ["tokenizer", "preprocessor", "tf", "idf", "norm"]


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("ngram_range", (1, 2), "--ngrams 1-2"),
        ("ngram_range", (2, 2), "--ngrams 2"),
        ("char_ngram_range", (3, 5), "--char-ngrams 3-5"),
        ("char_ngram_range", None, "--char-ngrams none"),
        ("analyzer", "text", "--analyzer text"),
        ("token_pattern", r"\w+", r"--token-pattern \w+"),
        ("n_terms", 0.5, "-k 0.5"),
        ("selector", None, "--selector none"),
        ("held_out", None, "--held-out 0"),
        ("lowercase", False, "--keep-case"),
        ("tags", "drop", "--drop-tags"),
        ("names", False, ""),
        ("multilabel", False, "--no-multilabel"),
        ("class_weight", {"spam": 2.0, 3: 1}, "--class-weight spam=2.0 --class-weight 3=1"),
        ("class_weight", "balanced", "--class-weight balanced"),
        ("class_weight", "sqrt", "--class-weight sqrt"),
        ("cut_options", {"ranks": 2, "a": "x", "b": "2"}, '--cut-option ranks=2 --cut-option a=x --cut-option b="2"'),
        ("tf", "log", ""),
        ("title", "Tickets", "--title Tickets"),
        ("examples", ["one", "two"], "--example one --example two"),
        ("examples", None, ""),
        ("keep_stats", True, "--keep-stats"),
        ("keep_stats", "all", "--keep-stats all"),
        ("keep_stats", False, ""),
    ],
)
def test_settings_are_written_as_options_of_a_command(setting: str, value: Any, words: str) -> None:
    assert " ".join(arguments_of(setting, value)) == words


def test_the_choices_are_the_existing_names() -> None:
    assert list(SETTINGS["selector"].choices) == ["auto", *SELECTORS]
    assert list(SETTINGS["projection"].choices) == list(PROJECTIONS)
    assert list(SETTINGS["classifier"].choices) == list(CLASSIFIERS)
    assert list(SETTINGS["normalise"].choices) == list(NORMALISERS)
    assert list(SETTINGS["tags"].choices) == list(TAGS)
    assert list(SETTINGS["analyzer"].choices) == [*ANALYZERS, "auto"]
    assert set(SETTINGS["probabilities"].choices) == {"auto", *METHODS}
    for name, functions in (("tf", TERM_FREQUENCIES), ("idf", INVERSE_FREQUENCIES), ("norm", NORMS)):
        assert list(SETTINGS[name].choices) == list(functions)
    for cut in SETTINGS["cut"].choices:
        cut_of(cut, None)


def test_the_table_loads_without_numpy() -> None:
    code = "import sys, textsieve.categorizer_settings; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "click", "pyspark", "sklearn"} & set(done.stdout.split())


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *[("held_out", share) for share in (0, 1.0, -0.1, True, "0.2")],
        *[("folds", number) for number in (1, 2.0, True, None)],
        *[("probabilities", name) for name in ("platt", 1, ["sigmoid"])],
        *[(name, "unknown") for name in ("tf", "idf", "norm")],
        *[("multilabel", "yes"), ("keep_stats", 1), ("n_jobs", 0)],
    ],
)
def test_invalid_settings_raise(setting: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^{setting}={re.escape(repr(value))}; use "):
        Settings(**{setting: value})


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("title", "", "title='': it is blank; use a text of 1 to 100 characters on one line."),
        ("title", "x" * 101, "it has 101 characters"),
        ("title", "a\nb", "it has several lines"),
        ("title", "a\x1b[31mb", "it has control characters"),
        ("title", 7, "it is no text"),
        ("description", "x" * 1001, "it has 1,001 characters; use a text of 1 to 1,000 characters"),
        ("description", "\ud800", "it has control characters"),
        ("examples", "text", "it is no list of texts"),
        ("examples", ["x"] * 11, "it has 11 texts; use up to 10 texts"),
        ("examples", ["x", "x" * 1001], "example 2 has 1,001 characters"),
        ("examples", ["x", None], "example 2 is no text"),
    ],
)
def test_a_title_a_description_and_examples_are_checked(setting: str, value: Any, words: str) -> None:
    with pytest.raises(InputError, match=re.escape(words)):
        Settings(**{setting: value})


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().folds = 3  # type: ignore[misc]  # that is what is tested


def test_stored_settings_are_restored() -> None:
    stored = {"ngram_range": [1, 2], "class_weight": [[3, 2.0]], "n_jobs": 4, "of_a_later_version": 1}
    restored = Settings(**FORMER_DEFAULTS, ngram_range=(1, 2), class_weight={3: 2.0})
    assert Settings.of_stored(stored) == restored
    stored = {"analyzer": "text", "char_ngram_range": [3, 5], "token_pattern": r"\w+", "tokenizer": None}
    changed = {"analyzer": "text", "char_ngram_range": (3, 5), "token_pattern": r"\w+"}
    assert Settings.of_stored(stored) == Settings(**{**FORMER_DEFAULTS, **changed})


def test_settings_that_an_older_model_does_not_record_have_the_values_of_its_time() -> None:
    """The defaults may change; a model that was trained with words of letters must be trained again with these."""
    restored = Settings.of_stored({"n_terms": 5})
    assert (restored.analyzer, restored.token_pattern) == ("word", r"(?u)\b\w\w+\b")
    assert (restored.tokenizer, restored.preprocessor, restored.char_ngram_range) == (None, None, None)
