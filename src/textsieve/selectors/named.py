"""The registry of selectors by name, for the `Categorizer`, the command line and the error messages.

Methods that count documents get the raw counts; methods that use weights get a suitable weighting scheme. The module of
a selector is imported only when the selector is requested, so listing the names is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import InputError, shown
from ..settings import require_options
from ..text.schemes import COUNTS, LTC, Scheme

if TYPE_CHECKING:
    from .base import TermSelector


class Named(NamedTuple):
    """A selector that can be requested by name."""

    name: str
    module: str
    class_name: str
    scheme: Scheme
    about: str

    @property
    def make(self) -> type[TermSelector]:
        """Return the class of the selector."""
        return cast("type[TermSelector]", getattr(import_module(self.module), self.class_name))


_ROWS = (
    Named(
        *("forward", "textsieve.selectors.forward", "ForwardSelection", LTC),
        about="forward selection: one by one, by what a term adds to those before it; from 4,000 terms on it is ocfs",
    ),
    Named(
        *("ocfs", "textsieve.selectors.trace", "OCFS", LTC),
        about="orthogonal-centroid feature selection: how far apart the class means are",
    ),
    Named(
        *("tofa", "textsieve.selectors.trace", "TOFA", LTC),
        about="trace-oriented feature analysis: OCFS, weighed against the variance; unlabelled documents count there",
    ),
    Named(
        *("testors", "textsieve.selectors.testors.estimator", "TypicalTestors", LTC),
        about="typical testors: the terms of the sets that tell a class from the others, with none to spare",
    ),
    Named("ig", "textsieve.selectors.information", "InformationGain", COUNTS, "information gain"),
    Named("chi", "textsieve.selectors.chi", "ChiSquare", COUNTS, "chi-square"),
    Named(
        *("mi", "textsieve.selectors.information", "MutualInformation", COUNTS),
        about="pointwise mutual information; favours rare terms",
    ),
    Named(
        *("df", "textsieve.selectors.frequency", "DocumentFrequency", COUNTS),
        about="document frequency; does not look at the labels",
    ),
)

SELECTORS = {row.name: row for row in _ROWS}


def selector_of(setting: Any, options: Mapping[str, Any] | None = None) -> TermSelector:
    """Return the selector for a setting: a name with options, or a selector, which is returned unchanged.

    None selects all terms, the most frequent first.
    """
    from .base import TermSelector

    if setting is None:
        if options:
            raise InputError(f"selector_options: there is no selector that {shown(options)} could be options of.")
        return SELECTORS["df"].make(k="all")  # type: ignore[call-arg]  # k is a parameter of the subclass
    if isinstance(setting, TermSelector):
        if options:
            raise InputError("selector_options are for a selector given by name; set them on the selector itself.")
        return setting
    if not (isinstance(setting, str) and setting in SELECTORS):
        raise InputError(
            f"selector={shown(setting)}; use one of {', '.join(SELECTORS)}, a selector such as OCFS(), or None."
        )
    selector = SELECTORS[setting].make()
    if options and "k" in options:
        raise InputError(f"selector_options: k={shown(options['k'])} is how many terms are kept; use n_terms instead.")
    require_options("selector", setting, options, set(selector.get_params()) - {"k"})
    return selector.set_params(**(options or {}))


def scheme_for(selector: TermSelector) -> Scheme:
    """Return the weighting scheme for a selector.

    For a `Cascade` it is that of the first stage that does not use raw counts.
    """
    from .base import TermSelector
    from .cascade import Cascade

    if isinstance(selector, Cascade):
        schemes = [scheme_for(stage) for stage in selector.selectors if isinstance(stage, TermSelector)]
        return next((scheme for scheme in schemes if scheme != COUNTS), COUNTS)
    return next((row.scheme for row in _ROWS if type(selector) is row.make), COUNTS)
