"""Check the input of a line chart: curves, reference lines, and the frame that contains them."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from ..arrays import Floats
from ..errors import InputError, shown
from .look import WIDTH, Style, curve_style, plain, rule_style
from .scales import Domain, log_domain, round_domain, thinned


class Series(NamedTuple):
    """A line and its style; the key identifies it, even if two lines have the same name."""

    key: str
    name: str
    x: Floats
    y: Floats
    style: Style

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Return its points as rows of a chart's data."""
        return [{"key": self.key, "x": x, "y": y} for x, y in zip(self.x.tolist(), self.y.tolist(), strict=True)]

    def thinned(self, log_x: bool) -> Self:
        """Return the same line with no more points than can be seen."""
        indices = thinned(self.x, log=log_x)
        return self._replace(x=self.x[indices], y=self.y[indices])


class Frame(NamedTuple):
    """The domains of both axes, and the height of the drawing in pixels."""

    x: Domain
    y: Domain
    log_x: bool
    height: float

    def right(self, x: float) -> float:
        """Return the distance of an x from the left edge in pixels."""
        low, high, x = (np.log(value) if self.log_x else value for value in (*self.x, x))
        return float((x - low) / (high - low) * WIDTH)

    def down(self, y: float) -> float:
        """Return the distance of a y from the upper edge in pixels."""
        return (self.y[1] - y) / (self.y[1] - self.y[0]) * self.height

    def value_at(self, down: float) -> float:
        """Return the y that is `down` pixels below the upper edge."""
        return self.y[1] - down / self.height * (self.y[1] - self.y[0])


def curve(number: int, name: str, given: Any, log_x: bool) -> Series:
    """Return a curve from its x and y, sorted by x."""
    try:
        x, y = (np.asarray(values, np.float64) for values in given)
    except (TypeError, ValueError) as problem:
        raise InputError(f"curves[{name!r}] is {shown(given)}; give two rows of numbers, x and y.") from problem
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise InputError(f"curves[{name!r}] has x of shape {x.shape} and y of {y.shape}; give as many y as x, some.")
    for axis, values in (("x", x), ("y", y)):
        if not np.isfinite(values).all():
            raise InputError(f"curves[{name!r}] has {axis}={values[~np.isfinite(values)][0]}; leave such points out.")
    if log_x and x.min() <= 0:
        raise InputError(f"curves[{name!r}] has x={x.min():g}, and a logarithmic axis begins above 0; use log_x=False.")
    order = np.argsort(x, kind="stable")
    return Series(f"curve {number}", plain(name), x[order], y[order], curve_style(number))


def rule(number: int, name: str, value: Any, across: Domain) -> Series:
    """Return a horizontal reference line."""
    try:
        y = float(value)
    except (TypeError, ValueError):
        y = np.nan
    if not np.isfinite(y):
        raise InputError(f"rules[{name!r}]={shown(value)}; use a number.")
    return Series(f"rule {number}", plain(name), np.array(across), np.array([y, y]), rule_style(number))


def across(curves: Iterable[Series], log_x: bool) -> Domain:
    """Return the x domain: from the first x to the last."""
    ends = [(float(line.x[0]), float(line.x[-1])) for line in curves]
    first, last = min(first for first, _ in ends), max(last for _, last in ends)
    if log_x:
        return log_domain(first, last)
    return (first, last) if first < last else (first - 0.5, last + 0.5)


def upwards(series: Iterable[Series], at_least: Domain | None) -> Domain:
    """Return the y domain: `at_least` if it contains all y, or else a domain that ends in round numbers."""
    heights = np.concatenate([line.y for line in series])
    if at_least is None:
        return round_domain(float(heights.min()), float(heights.max()))
    low, high = map(float, at_least)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise InputError(f"y_domain={shown(at_least)}; use two numbers, the lower first.")
    if low <= heights.min() and heights.max() <= high:
        return low, high
    return round_domain(min(low, float(heights.min())), max(high, float(heights.max())))
