"""The selectors by name, one row each: for the `Categorizer`, the command line and the error messages.

Methods that count documents take the counts as they are; those that look at weights get the weights that suit them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import InputError, shown
from ..text.schemes import COUNTS, LTC, Scheme
from .base import TermSelector
from .cascade import Cascade
from .chi import ChiSquare
from .frequency import DocumentFrequency
from .information import InformationGain, MutualInformation
from .trace import OCFS


class Named(NamedTuple):
    """A selector that can be asked for by name."""

    name: str
    make: Callable[[], TermSelector]
    scheme: Scheme
    about: str


_ROWS = (
    Named("ocfs", OCFS, LTC, "orthogonal-centroid feature selection: how far apart the class means are"),
    Named("ig", InformationGain, COUNTS, "information gain"),
    Named("chi", ChiSquare, COUNTS, "chi-square"),
    Named("mi", MutualInformation, COUNTS, "pointwise mutual information; favours rare terms"),
    Named("df", DocumentFrequency, COUNTS, "document frequency; does not look at the labels"),
)

SELECTORS = {row.name: row for row in _ROWS}


def selector_of(setting: Any, options: Mapping[str, Any] | None = None) -> TermSelector:
    """The selector that a setting stands for: a name, with options, or a selector, which is left as it is."""
    if isinstance(setting, TermSelector):
        if options:
            raise InputError("selector_options are for a selector given by name; set them on the selector itself.")
        return setting
    if not (isinstance(setting, str) and setting in SELECTORS):
        raise InputError(f"selector={shown(setting)}; use one of {', '.join(SELECTORS)}, or a selector such as OCFS().")
    made = SELECTORS[setting].make()
    for name in options or ():
        if name not in made.get_params():
            raise InputError(
                f"selector_options: {setting!r} has no option {name!r}; it has {', '.join(sorted(made.get_params()))}."
            )
    return made.set_params(**(options or {}))


def scheme_for(selector: TermSelector) -> Scheme:
    """The weights that a selector is given; of a chain, those of the first that does not want bare counts."""
    if isinstance(selector, Cascade):
        schemes = [scheme_for(stage) for stage in selector.selectors if isinstance(stage, TermSelector)]
        return next((scheme for scheme in schemes if scheme != COUNTS), COUNTS)
    return next((row.scheme for row in _ROWS if type(selector) is row.make), COUNTS)
