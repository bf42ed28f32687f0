"""The Params of pipeline stages: those that name columns, and those for the settings of a `Categorizer`.

Each Param has a specification (`ParamSpec`), from which a stage gets the Param itself, its default, and the methods
`setX` and `getX`. The specifications of settings come from the table of settings (`categorizer_settings`), with names
in Spark's style. A pipeline is saved with its Params as JSON; so Params have values that JSON can represent, and
selectors and classifiers are given by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pyspark.ml.param import Param, Params, TypeConverters

from ..categorizer_settings import SETTINGS
from ..errors import InputError, shown
from .columns import TextColumns


def as_param(value: Any) -> Any:
    """Return a value in a form that JSON preserves; raise `TypeError` if there is none.

    A mapping with keys that are not text becomes a list of pairs: `{1: 2.0}` becomes `[[1, 2.0]]`.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral | Real):
        return int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, Mapping):
        pairs = [[as_param(key), as_param(item)] for key, item in value.items()]
        return dict(pairs) if all(isinstance(key, str) for key, _ in pairs) else pairs
    if isinstance(value, Iterable):
        return [as_param(item) for item in (sorted(value) if isinstance(value, Set) else value)]
    raise TypeError(
        f"{shown(value)} can't be saved with a pipeline; give a name, a number, or a list or dict of them. Settings of "
        "a selector or classifier are given by selectorOptions or classifierOptions."
    )


class ParamSpec(NamedTuple):
    """The specification of a Param."""

    param: str
    """The name of the Param, such as "nTerms"."""
    default: Any
    description: str
    setting: str | None = None
    """The setting of a `Categorizer` that the Param sets, such as "n_terms"; None for Params that name columns."""
    convert: Callable[[Any], Any] = as_param
    """Returns a given value in a form that JSON preserves, or raises `TypeError`; Spark does not call it for None."""

    @property
    def suffix(self) -> str:
        """Return the part of the method names after `set` and `get`."""
        return self.param[0].upper() + self.param[1:]


def _column_name(value: Any) -> str:
    """Return the name of a column; raise `TypeError` for anything else, such as a list of names."""
    if not isinstance(value, str):
        raise TypeError(f"{shown(value)} is not the name of one column; textCols takes a list of names.")
    return value


def as_setting(name: str, value: Any) -> Any:
    """Return the value of a Param in the form that the `Categorizer` takes; `name` is that of the setting.

    This is the opposite of `as_param`: lists become tuples again for `ngram_range` and `char_ngram_range`, and a list
    of pairs becomes a dict for `class_weight`.
    """
    if name in ("ngram_range", "char_ngram_range") and isinstance(value, list):
        return tuple(value)
    return dict(value) if name == "class_weight" and isinstance(value, list) else value


def camel_case(name: str) -> str:
    """Return a name in Spark's style: `n_terms` becomes `nTerms`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def setting_params(*, without: Collection[str]) -> tuple[ParamSpec, ...]:
    """Return the specifications of Params for the settings of a `Categorizer`; `without` names settings to leave out.

    The settings `tokenizer` and `preprocessor` are functions. A pipeline could not be saved with one, so they have no
    Params.
    """
    return tuple(
        ParamSpec(camel_case(setting.name), setting.default, setting.description, setting.name)
        for setting in SETTINGS.values()
        if setting.name not in {*without, "tokenizer", "preprocessor"}
    )


def _getter(spec: ParamSpec) -> Callable[[Any], Any]:
    """Return the method that gets the value of a Param."""

    def get(self: WithParams) -> Any:
        return self.getOrDefault(spec.param)

    get.__name__, get.__doc__ = f"get{spec.suffix}", f"Return the value of {spec.param}, or its default."
    return get


def _setter(spec: ParamSpec) -> Callable[[Any, Any], Any]:
    """Return the method that sets the value of a Param, and returns the stage."""

    def set_(self: WithParams, value: Any) -> Any:
        return self._set(**{spec.param: value})

    set_.__name__, set_.__doc__ = f"set{spec.suffix}", f"Set {spec.param}: {spec.description}"
    return set_


class WithParams(Params):
    """A stage whose Params are given by specifications: `class Stage(WithParams, specs=...)`.

    A model has the Params of its estimator; only those that name columns can be set.
    """

    specs: ClassVar[tuple[ParamSpec, ...]] = ()

    def __init_subclass__(cls, specs: tuple[ParamSpec, ...] = (), **others: Any) -> None:
        """Create the Params, and their methods to set and get them."""
        super().__init_subclass__(**others)
        cls.specs = cls.specs + specs
        for spec in specs:
            setattr(cls, spec.param, Param(Params._dummy(), spec.param, spec.description, spec.convert))
            setattr(cls, f"get{spec.suffix}", _getter(spec))
            # The settings of a trained model can't be changed any more, but the columns that it reads and adds can.
            if spec.setting is None or not issubclass(cls, FittedParams):
                setattr(cls, f"set{spec.suffix}", _setter(spec))

    def __init__(self, **params: Any) -> None:
        """Set Params by name; the others have their defaults."""
        super().__init__()
        self._setDefault(**{spec.param: spec.default for spec in self.specs})
        self.setParams(**params)

    if TYPE_CHECKING:  # the methods that `__init_subclass__` creates

        def __getattr__(self, name: str) -> Any: ...

    def setParams(self, **params: Any) -> Self:
        """Set several Params by name."""
        names = [spec.param for spec in self.specs]
        for name in params:
            if name not in names:
                raise InputError(f"{type(self).__name__} has no Param {name!r}; it has {', '.join(names)}.")
        self._set(**params)
        return self

    def _settings(self) -> dict[str, Any]:
        """Return the values of the Params as settings of a `Categorizer`."""
        values = {spec.setting: self.getOrDefault(spec.param) for spec in self.specs if spec.setting is not None}
        return {name: as_setting(name, value) for name, value in values.items()}


TEXT_COL = ParamSpec("textCol", "text", "the column with the texts", convert=_column_name)
TEXT_COLS = ParamSpec(
    "textCols",
    None,
    "the columns whose texts are joined, with a blank line between two parts; instead of textCol",
    convert=TypeConverters.toListString,
)
LABEL_COL = ParamSpec("labelCol", "label", "the column with the labels; arrays for multilabel documents")


class WithColumns(WithParams, specs=(TEXT_COL, TEXT_COLS, LABEL_COL)):
    """A stage that reads texts from one column or from several, as `inputCol` and `inputCols` of Spark's own stages."""

    def setParams(self, **params: Any) -> Self:
        """Set several Params by name; raise `InputError` if both textCol and textCols are set then."""
        super().setParams(**params)
        self.text_columns()  # called for its error only
        return self

    def text_columns(self) -> TextColumns:
        """Return the column or columns of the texts; raise `InputError` if both textCol and textCols are set."""
        column: str = self.getTextCol()
        columns: list[str] | None = self.getTextCols()
        if columns is None:
            return column
        if self.isSet("textCol") and column is not None:
            raise InputError(
                f"textCol is {shown(column)}, and textCols is {shown(columns)}; only one of them can be set",
                hint="To unset the other, use stage.clear(stage.textCol) or stage.clear(stage.textCols)",
            )
        return columns

    def set_columns(self) -> dict[str, Any]:
        """Return the columns of "text" and "label" that were set, without those that have their default names.

        `textsieve train` stores them in a model in the same form.
        """
        columns: dict[str, Any] = {}
        if self.getTextCols() is not None or self.isSet("textCol"):
            columns["text"] = self.text_columns()
        if self.isSet("labelCol"):
            columns["label"] = self.getLabelCol()
        return {name: column for name, column in columns.items() if column is not None}

    @contextmanager
    def naming_params(self) -> Iterator[None]:
        """Let errors about the settings "text" and "label" that are raised in this block name the Param instead.

        For example, an error for label='topic' becomes one for labelCol='topic'.
        """
        params = {"text": "textCol" if self.getTextCols() is None else "textCols", "label": "labelCol"}
        try:
            yield
        except InputError as problem:
            if problem.setting not in params:
                raise
            raise problem.with_fields(setting=params[problem.setting]) from problem


class FittedParams(WithColumns):
    """The Params of a model: settings have no `setX` methods, because the model is trained already."""
