"""What estimators share: scikit-learn's protocol, checks of their input, and scikit-learn's global settings.

`Parameters` is the protocol for an estimator that must load without scikit-learn. Importing `sklearn.base` takes longer
than loading a model and predicting a document. scikit-learn does not require its base class, only the protocol:
settings by `get_params` and `set_params`, tags by `__sklearn_tags__`, metadata routing by `get_metadata_routing`, and
methods that exist only with some settings (`available_if`). With these, `clone`, `cross_val_score`, `GridSearchCV`,
pipelines and stacking work. So the functions of this module import scikit-learn only when they are called.

*Metadata* is scikit-learn's word for arguments beside X and y that describe documents, such as `sample_weight`. With
*metadata routing*, `cross_val_score` and pipelines pass them on to the methods that request them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, overload

from .errors import InputError, NotAvailable, shown

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRequest


def refuse_texts(X: Any) -> None:
    """Raise `InputError` if X is a list of texts instead of numbers.

    The first element decides: this check gives a helpful message for a common mistake, and is no validation of X.
    """
    if isinstance(X, list | tuple) and X and isinstance(X[0], str):
        raise InputError("X is a list of texts", hint="count them first: TermCounter().fit_transform(texts)")


def as_configured(matrix: csr_matrix) -> csr_matrix:
    """Return a sparse matrix for the output of an estimator; as a sparse array, if scikit-learn is configured so.

    scikit-learn has the setting for that, `sparse_interface`, since version 1.9.
    """
    from scipy.sparse import csr_array
    from sklearn import get_config

    configured: Any = csr_array(matrix) if get_config().get("sparse_interface") == "sparray" else matrix
    return cast("csr_matrix", configured)


def arrays_as_output() -> AbstractContextManager[None]:
    """Return a context in which transformers return arrays and sparse matrices, however scikit-learn is configured.

    Estimators of this package call other transformers in it. If the user has configured pandas or polars as output, the
    call would fail otherwise, because scikit-learn can't convert sparse output to these.
    """
    from sklearn import config_context

    return config_context(transform_output="default")


_FEATURE_ATTRIBUTES = ("n_features_in_", "feature_names_in_")


@contextmanager
def growing(estimator: Any, X: Any) -> Iterator[Any]:
    """Validate a batch for `partial_fit` that may have more columns than earlier batches, and yield its rows.

    Use it as `with growing(self, X) as rows:`. If the batch is the first or has more columns than those before, the
    estimator takes over its number of features and its feature names. If the validation or the `with` block raises an
    error, the estimator gets back the former ones. A batch with fewer columns than before, or with as many columns of
    other names, raises an error.
    """
    from sklearn.utils.validation import validate_data

    before = {name: getattr(estimator, name) for name in _FEATURE_ATTRIBUTES if hasattr(estimator, name)}
    n_columns = before.get("n_features_in_", 0)
    has_grown = not before or getattr(X, "shape", (0, 0))[-1] > n_columns
    try:
        # With `reset`, the batch sets the features. Otherwise scikit-learn checks that they are the same as before.
        yield validate_data(estimator, X, accept_sparse="csr", accept_large_sparse=True, reset=has_grown)
    except BaseException:
        for name in _FEATURE_ATTRIBUTES:
            if name in before:
                setattr(estimator, name, before[name])
            elif hasattr(estimator, name):
                delattr(estimator, name)
        raise


Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class ConditionalMethod(Generic[Arguments, Result]):
    """The descriptor of a method that an instance has only if `check(instance)` does not raise `NotAvailable`."""

    def __init__(self, check: Callable[[Any], None], method: Callable[Concatenate[Any, Arguments], Result]) -> None:
        """Keep the check and the function of the method."""
        self._check, self._method = check, method

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, Arguments], Result]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Callable[Arguments, Result]: ...

    def __get__(self, instance: object, owner: type) -> Callable[..., Result]:
        """Return the method of an instance, after the check; or the plain function if the class is asked for it."""
        if instance is None:
            return self._method
        self._check(instance)
        return MethodType(self._method, instance)


def available_if(
    check: Callable[[Any], None],
) -> Callable[[Callable[Concatenate[Any, Arguments], Result]], ConditionalMethod[Arguments, Result]]:
    """Return a decorator for a method that only some instances have, like scikit-learn's decorator of this name.

    `check(instance)` raises `NotAvailable` if the instance lacks the method.
    """
    return lambda method: ConditionalMethod(check, method)


class MetadataSetter:
    """The descriptor of `set_fit_request` and `set_score_request`: these say which metadata `fit` and `score` request.

    As in scikit-learn, accessing the attribute raises `AttributeError` if the method takes no metadata.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        """Find the name of the method in that of the attribute: "fit" in "set_fit_request"."""
        self._method = name.removeprefix("set_").removesuffix("_request")

    def __get__(self, instance: Any, owner: type[Parameters]) -> Any:
        """Return a function that sets the requests of the instance and returns the instance.

        A request is True, False, or another name for the argument: `set_fit_request(sample_weight=True)`.
        """
        metadata = owner._metadata_of(self._method)
        if not metadata:
            raise NotAvailable(f"{owner.__name__} has no set_{self._method}_request: {self._method} takes no metadata.")
        if instance is None:
            return self

        def set_request(**requests: bool | str | None) -> Any:
            """Set the requests, given by the names of the metadata, and return the instance."""
            from sklearn import get_config

            if not get_config()["enable_metadata_routing"]:
                raise RuntimeError(
                    f"set_{self._method}_request needs metadata routing; enable it by "
                    "sklearn.set_config(enable_metadata_routing=True)."
                )
            unknown = next(iter(requests.keys() - set(metadata)), None)
            if unknown is not None:
                raise TypeError(f"{self._method} takes no metadata {unknown!r}; it takes {', '.join(metadata)}.")
            routing = instance.get_metadata_routing()
            for name, request in requests.items():
                getattr(routing, self._method).add_request(param=name, alias=request)
            instance._metadata_request = routing
            return instance

        return set_request


class Parameters:
    """An estimator whose settings are the keyword arguments of its constructor."""

    _not_metadata: ClassVar[frozenset[str]] = frozenset({"X", "y"})
    """The arguments of `fit` and `score` that are no metadata."""
    _metadata_request: MetadataRequest  # only there if `set_fit_request` or `set_score_request` was called

    set_fit_request = MetadataSetter()
    set_score_request = MetadataSetter()

    @classmethod
    def _metadata_of(cls, method: str) -> list[str]:
        """Return the names of the metadata that a method takes, such as `sample_weight`."""
        parameters = list(inspect.signature(getattr(cls, method)).parameters)[1:]  # without `self`
        return [name for name in parameters if name not in cls._not_metadata]

    def get_metadata_routing(self) -> MetadataRequest:
        """Return which metadata the methods request, for scikit-learn's metadata routing."""
        from copy import deepcopy

        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return deepcopy(self._metadata_request)
        routing = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "score"):
            for name in self._metadata_of(method):
                # None: not requested; scikit-learn raises an error if the user passes it nevertheless.
                getattr(routing, method).add_request(param=name, alias=None)
        return routing

    @classmethod
    def _names(cls) -> list[str]:
        """Return the names of the settings."""
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings by name; with `deep`, also those of settings that are estimators, as `setting__name`."""
        params = {name: getattr(self, name) for name in self._names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{inner}": inner_value for inner, inner_value in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change settings, given by the names that `get_params` returns."""
        for name in sorted(params, key=lambda name: "__" in name):  # first new estimators, then settings of estimators
            outer, _, inner = name.partition("__")
            if outer not in self._names():
                raise InputError(
                    f"Invalid parameter {outer!r} for {type(self).__name__}", hint=f"it has {', '.join(self._names())}"
                )
            if not inner:
                setattr(self, outer, params[name])
                continue
            estimator = getattr(self, outer)
            if not hasattr(estimator, "set_params"):
                raise InputError(
                    f"Invalid parameter {name!r}: {outer} is {shown(estimator)}, which has no settings of its own",
                    hint=f"Set {outer} to an estimator, or its settings by {outer}_options",
                )
            estimator.set_params(**{inner: params[name]})
        return self

    def __repr__(self) -> str:
        """Return the class name and the settings that differ from the defaults."""
        defaults = {
            name: parameter.default for name, parameter in inspect.signature(type(self).__init__).parameters.items()
        }
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name])  # the result of `!=` on an array would not be a single bool
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Tags:
        """Return the tags for scikit-learn: texts in, classes out."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_label=True),
            input_tags=InputTags(string=True, two_d_array=False),
        )
