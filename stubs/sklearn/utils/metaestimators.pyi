from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

def available_if(check: Callable[[Any], object]) -> Callable[[Method], Method]: ...
