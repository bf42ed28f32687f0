from typing import Any

class IRBuilder:
    def fma(self, a: Any, b: Any, c: Any) -> Any: ...
