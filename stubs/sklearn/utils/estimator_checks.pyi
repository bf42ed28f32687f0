from collections.abc import Callable, Sequence
from typing import Any, TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

def parametrize_with_checks(estimators: Sequence[Any], **settings: Any) -> Callable[[Test], Test]: ...
