"""scikit-learn's way with settings, for an estimator that must load without scikit-learn.

Importing `sklearn.base` takes longer than loading a model and predicting a document. scikit-learn asks no more of an
estimator than that it keeps to the protocol: settings by `get_params` and `set_params`, what it is by
`__sklearn_tags__`. So `clone`, `cross_val_score`, `GridSearchCV` and pipelines work.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

from .errors import InputError, shown

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Parameters:
    """An estimator whose settings are the keyword arguments of its constructor."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings; those of a setting that is an estimator itself as `setting__name`."""
        params = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{inner}": each for inner, each in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings by the names that `get_params` gives; an estimator first, then its own settings."""
        for name in sorted(params, key=lambda name: "__" in name):
            outer, _, inner = name.partition("__")
            if outer not in self._names():
                raise InputError(
                    f"Invalid parameter {outer!r} for {type(self).__name__}; it has {', '.join(self._names())}."
                )
            if not inner:
                setattr(self, outer, params[name])
                continue
            estimator = getattr(self, outer)
            if not hasattr(estimator, "set_params"):
                raise InputError(
                    f"Invalid parameter {name!r}: {outer} is {shown(estimator)}, which has no settings of its own. "
                    f"Set {outer} to an estimator, or its settings by {outer}_options."
                )
            estimator.set_params(**{inner: params[name]})
        return self

    def __repr__(self) -> str:
        """The settings that were changed."""
        usual = {name: each.default for name, each in inspect.signature(type(self).__init__).parameters.items()}
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(usual[name])
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn should know: texts in, classes out."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_label=True),
            input_tags=InputTags(string=True, two_d_array=False),
        )
