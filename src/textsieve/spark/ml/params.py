"""Spark Params from a table: those for columns, and those for the settings of a `Categorizer`.

Each row of the table is a Param, spelled in Spark's style, with a default, `setX` and `getX`. The rows of the settings
come from the table of settings (`categorizer_settings`). A pipeline is saved with its Params as JSON; so Params have
values that JSON can represent, and selectors and classifiers are given by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pyspark.ml.param import Param, Params

from ...categorizer_settings import SETTINGS
from ...errors import InputError, shown


class Row(NamedTuple):
    """A Param, and the name of its setting; Params for columns have no setting."""

    param: str
    default: Any
    about: str
    setting: str | None = None

    @property
    def suffix(self) -> str:
        """Return the part of the method names after `set` and `get`."""
        return self.param[0].upper() + self.param[1:]


def as_param(value: Any) -> Any:
    """Return a value in a form that JSON preserves; a mapping with keys that are not text becomes a list of pairs."""
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
        f"{shown(value)} can't be saved with a pipeline; give a name, a number, or a list or dict of them. What a "
        "selector or classifier is told is given by selectorOptions or classifierOptions."
    )


def as_setting(name: str, value: Any) -> Any:
    """Return the value of a Param in the form that the `Categorizer` takes."""
    if name == "ngram_range" and isinstance(value, list):
        return tuple(value)
    return dict(value) if name == "class_weight" and isinstance(value, list) else value


def spelled(name: str) -> str:
    """Return a name in Spark's style: `n_terms` becomes `nTerms`."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def settings_without(*left_out: str) -> tuple[Row, ...]:
    """Return the rows of the settings of a `Categorizer`, except those in `left_out`."""
    return tuple(
        Row(spelled(spec.name), spec.default, spec.description, spec.name)
        for spec in SETTINGS.values()
        if spec.name not in left_out
    )


class WithParams(Params):
    """A stage whose Params are the rows of a table: `class Stage(WithParams, rows=...)`.

    A model has the Params of its estimator; only those that name columns can be set.
    """

    rows: ClassVar[tuple[Row, ...]] = ()

    def __init_subclass__(cls, rows: tuple[Row, ...] = (), **others: Any) -> None:
        """Create the Params, and their methods to set and get them."""
        super().__init_subclass__(**others)
        cls.rows = cls.rows + rows
        for row in rows:
            setattr(cls, row.param, Param(Params._dummy(), row.param, row.about, as_param))
            setattr(cls, f"get{row.suffix}", _getter(row))
            if row.setting is None or not issubclass(cls, FittedParams):
                setattr(cls, f"set{row.suffix}", _setter(row))

    def __init__(self, **params: Any) -> None:
        """Take Params by name."""
        super().__init__()
        self._setDefault(**{row.param: row.default for row in self.rows})
        self.setParams(**params)

    if TYPE_CHECKING:  # the methods that the table creates

        def __getattr__(self, name: str) -> Any: ...

    def setParams(self, **params: Any) -> Self:
        """Set several Params by name."""
        known = [row.param for row in self.rows]
        for name in params:
            if name not in known:
                raise InputError(f"{type(self).__name__} has no Param {name!r}; it has {', '.join(known)}.")
        self._set(**params)
        return self

    def _settings(self) -> dict[str, Any]:
        """Return the values of the Params as settings of a `Categorizer`."""
        values = {row.setting: self.getOrDefault(row.param) for row in self.rows if row.setting is not None}
        return {name: as_setting(name, value) for name, value in values.items()}


class FittedParams(WithParams):
    """A model with Params."""


def _getter(row: Row) -> Callable[[Any], Any]:
    def get(self: WithParams) -> Any:
        return self.getOrDefault(row.param)

    get.__name__, get.__doc__ = f"get{row.suffix}", f"The value of {row.param}, or its default."
    return get


def _setter(row: Row) -> Callable[[Any, Any], Any]:
    def set_(self: WithParams, value: Any) -> Any:
        return self._set(**{row.param: value})

    set_.__name__, set_.__doc__ = f"set{row.suffix}", f"Set {row.param}: {row.about}"
    return set_
