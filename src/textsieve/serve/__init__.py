"""Serve a model: a page for people and an API for programs, on one machine, in one process or several.

- `limits.py`: the limits of a request and of the service. `api_errors.py`: error responses.
- `served_model.py`: the model in use, what it returns as JSON, and its replacement by a newer one.
- `workers.py`: the threads that predict; short requests are batched, and long ones don't delay them.
- `feedback.py`: writes corrections to a file. `metrics.py`: metrics for Prometheus.
- `service.py`: the state of the service, and its log.
- `schemas.py`, `api.py`: requests, responses and routes; `api.py` also serves the pages in `assets/`.
- `guard.py`: the checks that every request must pass.
- `protocol.py`: HTTP connections with limits on time and memory. `server.py`: the socket, signals and reloads.
- `supervisor.py`: starts, replaces and ends several worker processes (`--workers`). `acceptor.py`: divides the
  connections among them.

Only this package imports FastAPI, Starlette, uvicorn, pydantic and the Prometheus client; the extra `serve` installs
them.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .limits import Limits as Limits
    from .server import create_app as create_app

__getattr__, __dir__, __all__ = attach(__name__, {"limits": ["Limits"], "server": ["create_app"]})
