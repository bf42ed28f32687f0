"""Store the outcome of each part of a long benchmark, so that an interrupted run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textsieve.files import replacing


class StoredOutcomes:
    """The outcomes of the parts of a benchmark, as JSON in a file; without a path, nothing is stored."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._outcomes: dict[str, Any] = {}
        if path is not None and path.exists():
            self._outcomes = json.loads(path.read_text(encoding="utf-8"))

    def __contains__(self, name: object) -> bool:
        """Return whether the outcome of a part is there."""
        return name in self._outcomes

    def get(self, name: str, measure: Callable[[], Any]) -> Any:
        """Return the outcome of a part: the stored one, or that of `measure`, which is stored. It must be JSON."""
        if name not in self._outcomes:
            self._outcomes[name] = measure()
            if self._path is not None:
                with replacing(str(self._path)) as file:  # an interrupted run leaves the file as it was
                    file.write((json.dumps(self._outcomes, indent=1) + "\n").encode())
        return self._outcomes[name]
