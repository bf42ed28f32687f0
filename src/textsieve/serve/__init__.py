"""Serve a model: a page for people and an API for programs, on one machine, in threads of one process.

- `limits.py`: limits of a single request, and of all requests together. `api_errors.py`: error responses.
- `loaded.py`: a model with its description and its list of terms, and the swap for a newer one.
- `workers.py`: the threads that predict; short requests are batched, and long ones don't delay them.
- `answers.py`: predictions and explanations as JSON. `schemas.py`: requests and responses for OpenAPI.
- `service.py`: the state of the service, and its log. `feedback.py`: writes corrections to a file. `metrics.py`:
  metrics for Prometheus. `assets.py` and `assets/`: the pages.
- `leanroute.py`, `api.py`: the routes. `guard.py`: the checks that every request must pass.
- `protocol.py`, `running.py`, `hangup.py`: the server, its signals, and the check for a newer model.

Only this package imports FastAPI, Starlette, uvicorn, pydantic and the Prometheus client; the extra `serve` installs
them.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .limits import Limits as Limits
    from .running import create_app as create_app

__getattr__, __dir__, __all__ = attach(__name__, {"limits": ["Limits"], "running": ["create_app"]})
