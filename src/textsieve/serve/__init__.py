"""A model as a service: a page for people, an API for programs, on one machine and in threads of one process.

- `limits.py`: how much one request may ask for, and all of them together. `refusals.py`: what is answered otherwise.
- `loaded.py`: a model with all that is told of it (`card.py`, `termlist.py`), and the swap for a newer one.
- `lanes.py`: the threads that predict; short requests are put together, long ones do not hold them up.
- `answers.py`: what is predicted and explained, as JSON. `shapes.py`: what is asked and answered, for OpenAPI.
- `service.py`: a model and what is around it: `feedback.py` (corrections, to a file), `log.py`, `metrics.py` and
  `tallies.py` (for Prometheus), `assets.py` and `assets/` (the pages).
- `leanroute.py`, `api.py`: requests to answers. `guard.py`: what every request has to pass, and what is noted of it.
- `protocol.py`, `running.py`, `hangup.py`: the server, its signals, and when it looks for a newer model.

Only this package knows FastAPI, Starlette, uvicorn, pydantic and the client of Prometheus; the extra `serve` brings
them.
"""

from typing import TYPE_CHECKING

from ..lazy import attach

if TYPE_CHECKING:
    from .limits import Limits as Limits
    from .running import create_app as create_app

__getattr__, __dir__, __all__ = attach(__name__, {"limits": ["Limits"], "running": ["create_app"]})
