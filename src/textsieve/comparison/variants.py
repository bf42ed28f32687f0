"""Selectors and classifiers with options, as one name: `ig`, `ig(pooling=max)`, `tofa(weight=0.5)`, `svm(C=10)`.

Options are in parentheses after the name, separated by commas. A value is parsed as JSON; if it is not valid JSON, it
is text. Options are sorted, so each variant has one name, and the name identifies its rows.

An estimator given as an object is named by its `repr`. A run that resumes results finds rows by name, so the name must
identify the estimator, and be the same in each run. Two kinds of `repr` don't do this:

- scikit-learn shortens a `repr` to 30 elements and 700 characters. Then a digest of all parameters is added to the
  name.
- Python's default `repr` has the address of the object in memory, which differs in each run. Then a digest of all
  parameters replaces the address. If the parameters don't identify the object, it is not accepted.

Most methods check their options only when they are fitted. To find invalid options before a long run, each variant is
fitted once to four documents from which any method of textsieve can learn, and errors are reported with the name of the
variant. A classifier given as an object may need more documents and is not tried.
"""

from __future__ import annotations

import hashlib
import json
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..categorizer_settings import Settings
from ..errors import InputError, MissingPackage, NothingSelected, UnfitDocuments, shown
from ..registry import CLASSIFIERS, SELECTORS
from ..settings import is_whole
from ..stats import ClassStats
from ..training import check_settings
from ..training.plan import TrainingPlan
from ..training.ranking import fitted_selector
from ..training.targets import Targets

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""The address in memory that Python's default `repr` prints."""
_ELLIPSIS = "..."
"""scikit-learn's mark for a shortened `repr`."""


def estimator_name(kind: str, estimator: Any) -> str:
    """Return the name that identifies the rows of an estimator in the results of all runs.

    Raise `InputError` if neither its `repr` nor its parameters identify it. `kind` is "selector" or "classifier".
    """
    printed = " ".join(repr(estimator).split())  # on one line
    identifies = not (_ADDRESS.search(printed) or _ELLIPSIS in printed)
    if identifies:
        return printed
    full = full_description(estimator)
    # An address differs in each run, and different lambdas or local functions may have the same name.
    if _ADDRESS.search(full) or "<lambda>" in full or "<locals>" in full:
        raise InputError(
            f"{printed} has another name in each run, and rows are found by name",
            setting=f"{kind}s",
            hint="give it, and the objects in it, a __repr__ that identifies them, and functions a name",
        )
    return f"{_ADDRESS.sub('', printed)} #{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def full_description(value: Any) -> str:
    """Return a text that identifies a value: its type and all its parameters or elements, however long."""
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{_full_name(type(value))}{full_description(value.get_params(deep=False))}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{full_description(key)}: {full_description(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[{', '.join(map(full_description, value))}]"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}[{', '.join(sorted(map(full_description, value)))}]"
    if isinstance(value, np.ndarray):
        return f"array{value.dtype}{value.shape}{full_description(value.tolist())}"
    return _full_name(value) if callable(value) and hasattr(value, "__qualname__") else repr(value)


def _full_name(definition: Any) -> str:
    """Return the module and the name of a class or function."""
    return f"{definition.__module__}.{definition.__qualname__}"


_OPENING, _CLOSING = "([{", ")]}"
_REGISTRIES = {"selector": SELECTORS, "classifier": CLASSIFIERS}


@dataclass(frozen=True)
class Variant:
    """A selector or classifier with options, and the name that identifies its rows."""

    name: str
    setting: Any
    """A name, an estimator, or None for no selector."""
    options: Mapping[str, Any] = field(default_factory=dict)


def split_list(text: str) -> list[str]:
    """Split at commas outside parentheses and brackets: "ig(a=1,b=2), chi" gives "ig(a=1,b=2)" and "chi"."""
    parts, depth = [""], 0  # the depth is the number of open parentheses and brackets
    for character in text:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def variants_of(kind: str, given: Any, possible: Collection[str]) -> tuple[Variant, ...]:
    """Return the distinct variants in a setting: text with commas, an estimator, or an iterable of names or estimators.

    `kind` is "selector" or "classifier", and `possible` are the allowed names.
    """
    if isinstance(given, str):
        given = split_list(given)
    elif not isinstance(given, Iterable):
        given = [given]
    variants: dict[str, Variant] = {}
    for variant in (_variant(kind, item, possible) for item in given):
        first_of_name = variants.setdefault(variant.name, variant)
        _require_same(kind, first_of_name, variant)
    if not variants:
        raise InputError("none are given", setting=f"{kind}s", hint=f"name one or more of {', '.join(possible)}")
    return tuple(variants.values())


def _require_same(kind: str, known: Variant, variant: Variant) -> None:
    """Raise `InputError` unless two variants of the same name are the same estimator."""
    if full_description(known.setting) != full_description(variant.setting):
        raise InputError(
            f"two different {kind}s are called {known.name}",
            setting=f"{kind}s",
            hint="give them a __repr__ that tells them apart",
        )


def _variant(kind: str, given: Any, possible: Collection[str]) -> Variant:
    """Return the variant for a name with options, or for an estimator.

    The selector None becomes "all", the name for no selection; `Plan.of` replaces it by the variant without a selector.
    """
    if given is None and kind == "selector":
        given = "all"
    if not isinstance(given, str):
        return Variant(estimator_name(kind, given), given)
    name, parenthesis, after_parenthesis = given.strip().partition("(")
    if name.strip() not in possible:
        close = _REGISTRIES[kind].closest(name)
        raise InputError(
            f"there is no {kind} {shown(given)}",
            setting=f"{kind}s",
            hint=(f"Did you mean {close!r}? Otherwise " if close else "")
            + f"use {', '.join(possible)}, with options such as name(option=value)",
        )
    options = _parse_options(kind, given.strip(), after_parenthesis) if parenthesis else {}
    return Variant(_variant_name(name.strip(), options), name.strip(), options)


def _parse_options(kind: str, variant: str, after_parenthesis: str) -> dict[str, Any]:
    """Return the options of a variant, sorted by name, so that their order in the text makes no difference.

    `variant` is the whole text, for messages, and `after_parenthesis` its part after the first parenthesis, such as
    "pooling=max)".
    """
    if not _closes_at_end(after_parenthesis):
        raise InputError(
            f"{variant}: its parentheses do not match", setting=f"{kind}s", hint="write name(option=value, ...)"
        )
    options: dict[str, Any] = {}
    content = after_parenthesis[:-1].strip()
    for text in split_list(content) if content else ():
        name, value = _parse_option(kind, variant, text)
        if name in options:
            raise InputError(f"{variant}: {name} is given twice", setting=f"{kind}s", hint="leave out one")
        options[name] = value
    return dict(sorted(options.items()))


def _closes_at_end(after_parenthesis: str) -> bool:
    """Return whether the text after the first parenthesis ends with the parenthesis that closes it."""
    depth = 1
    for position, character in enumerate(after_parenthesis):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return position == len(after_parenthesis) - 1
    return False


def _parse_option(kind: str, variant: str, text: str) -> tuple[str, Any]:
    """Return the name and the value of an option such as "pooling=max"."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name.isidentifier() and equals and value):
        raise InputError(
            f"{variant}: {shown(text)} is no option",
            setting=f"{kind}s",
            hint="write name(option=value, ...), as in ig(pooling=max)",
        )
    return name, _parse_value(value)


def _parse_value(text: str) -> Any:
    """Parse a value as JSON; return other text unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _variant_name(name: str, options: Mapping[str, Any]) -> str:
    """Return the name with its options, such as "ig(pooling=max)"."""
    if not options:
        return name
    return f"{name}({','.join(f'{option}={_as_text(value)}' for option, value in options.items())})"


def _as_text(value: Any) -> str:
    """Return a value as it would be written; text that would be parsed as something else is quoted."""
    # `_parse_value` returns the same object only for text that is not JSON.
    return value if isinstance(value, str) and _parse_value(value) is value else json.dumps(value)


# -- validation --------------------------------------------------------------------------------------------------

_TRIAL_COUNTS = csr_matrix(np.array([[1, 2, 0], [2, 0, 1], [0, 1, 3], [0, 3, 1]], np.int32))
"""The counts of three terms in four documents."""
_TRIAL_LABELS = ("a", "a", "b", "b")
_OPTION_SETTINGS = ("selector_options", "classifier_options")
"""The settings of a `Categorizer` that hold options; in a comparison, the name of the variant shows the options."""


def try_selector(settings: Settings) -> None:
    """Raise an error for invalid options of a selector, by fitting it to the four documents."""
    check_settings(settings)
    training = TrainingPlan.of(settings, n_jobs=1)
    with _quietly():
        rows = _TRIAL_COUNTS.astype(np.float64)
        labels = list(_TRIAL_LABELS)
        stats = ClassStats.from_matrix(rows, labels)
        fitted_selector(training.selector, stats, max_terms=2, documents=lambda: [rows], labels=labels)


def try_classifier(settings: Settings) -> None:
    """Raise an error for invalid options of a classifier, by training it on the four documents.

    A classifier that is given as an object is not trained; only the other settings are checked.
    """
    check_settings(settings)
    if isinstance(settings.classifier, str):
        # There is no projection, because only the options of the classifier are tried.
        training = replace(TrainingPlan.of(_limit_member_terms(settings), n_jobs=1), projection=None)
        rows, targets = _trial_documents(settings.class_weight)
        with _quietly():
            training.fit_counts(rows, targets)


@contextmanager
def naming_variant(setting: str, variant: Variant) -> Iterator[None]:
    """Within the context, turn an error into an `InputError` that names the variant and has `setting` as its setting.

    Errors about the four documents are ignored, because they say nothing about other documents. The error for a missing
    package is left unchanged.
    """
    try:
        yield
    except (NothingSelected, UnfitDocuments):
        return
    except MissingPackage:
        raise
    except InputError as problem:
        message = without_option_setting(problem).message()
        raise InputError((f"{variant.name}: ", *message), setting=setting) from problem
    except (TypeError, ValueError) as problem:
        raise InputError(f"{variant.name}: {problem}", setting=setting) from problem


def without_option_setting(problem: InputError) -> InputError:
    """Return the error, without its setting if this is `selector_options` or `classifier_options`.

    Users of `compare` don't know these settings of a `Categorizer`; they write options after the name of the method.
    """
    return problem.with_fields(setting=None) if problem.setting in _OPTION_SETTINGS else problem


def _limit_member_terms(settings: Settings) -> Settings:
    """Return settings in which members of an ensemble have at most as many terms as the four documents.

    Otherwise, a valid number such as `n_terms=100` would raise an error.
    """
    options = dict(settings.classifier_options or {})
    if is_whole(options.get("n_terms")) and options["n_terms"] > 0:
        options["n_terms"] = min(options["n_terms"], _TRIAL_COUNTS.shape[1])
    return replace(settings, classifier_options=options or None)


def _trial_documents(class_weight: Any) -> tuple[csr_matrix, Targets]:
    """Return the counts and the labels of the four documents, and of one more for each class in `class_weight`.

    A class weight raises an error unless some document belongs to the class. The additional documents repeat the counts
    of the four. They are added only if all labels in `class_weight` are text, like those of the four.
    """
    labels = list(_TRIAL_LABELS)
    if isinstance(class_weight, Mapping) and all(isinstance(label, str) for label in class_weight):
        labels = [*class_weight, *labels]
    return _TRIAL_COUNTS[np.arange(len(labels)) % _TRIAL_COUNTS.shape[0]], Targets.of(labels, len(labels))


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress warnings, which would only be about these few documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
