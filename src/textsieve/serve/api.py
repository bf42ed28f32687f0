"""The routes of the service."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any

from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ..errors import shown
from . import schemas
from .answers import class_named, explanation_json
from .api_errors import STATUS, ApiError, internal
from .assets import routes as asset_routes
from .leanroute import LeanRoute
from .metrics import CONTENT_TYPE
from .service import Service
from .workers import GivenUp, Wanted

FEEDBACK = "/v1/feedback"
MOST_LISTED = 1_000
"""The largest number of terms in one response of `/v1/terms`."""

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": schemas.Failure, "description": ", ".join(code for code in STATUS if STATUS[code] == status)}
    for status in sorted({*STATUS.values()} - {499})
}
POST_STATUSES = (401, 403, 408, 413, 415, 422, 503)
GET_STATUSES = (401, 403, 422, 503)
"""Statuses of the errors that a POST and a GET can get."""

ABOUT = (
    "Sorts documents by a trained model, and says why. Errors are JSON too, with a word for programs (`code`) and a "
    "sentence for people (`message`)."
)


def routes(service: Service) -> FastAPI:
    """Return the application without its guard."""
    app = FastAPI(
        title="textsieve",
        version=version("textsieve"),
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        exception_handlers={
            ApiError: _error_response,
            RequestValidationError: _invalid,
            HTTPException: _http,
            Exception: _internal,
        },
    )
    app.router.redirect_slashes = False
    _add_post_routes(app, service)
    _add_get_routes(app, service)
    app.router.routes.extend(asset_routes())
    service.paths = frozenset(route.path for route in app.routes if isinstance(route, Route))
    return app


def _add_post_routes(app: FastAPI, service: Service) -> None:
    """Add the routes for requests that contain documents."""

    async def predict(asked: schemas.Predict) -> bytes:
        """The label or labels of each document, and their scores."""
        service.check(asked.texts)
        return await service.lanes.predict(service.current.now, asked.texts, asked.top)

    async def explain(asked: schemas.Explain) -> bytes:
        """Which terms of a document spoke for a class, how much, and where they stand."""
        service.check([asked.text])
        loaded, text = service.current.now, asked.text
        label = None if asked.label is None else class_named(loaded.model, asked.label)

        def work(is_wanted: Wanted) -> bytes:
            def go_on() -> None:
                if not is_wanted():
                    raise GivenUp

            return explanation_json(loaded.model, loaded.id, text, label, go_on)

        return await service.lanes.work("explain", loaded, len(text), work)

    async def correct(asked: schemas.Correct) -> bytes:
        """Write the right label of a document to the file of corrections."""
        service.check([asked.text])

        def work(is_wanted: Wanted) -> bytes:
            if not is_wanted():
                raise GivenUp
            service.correct(asked.text, asked.label, asked.labels, is_wanted)
            return to_json({"written": True})

        return await service.lanes.work("correct", service.current.now, len(asked.text), work)

    predict.__annotations__["asked"] = schemas.predict_at_most(service.limits.documents)
    rows: list[tuple[str, Any, Any, int]] = [
        ("/v1/predict", predict, schemas.Predictions, 200),
        ("/v1/explain", explain, schemas.Explanation, 200),
        (FEEDBACK, correct, schemas.Written, 201),
    ]
    for path, endpoint, response_model, status in rows:
        if endpoint is correct and service.feedback is None:
            continue
        failures = {status_of_error: FAILURES[status_of_error] for status_of_error in POST_STATUSES}
        settings = {"response_model": response_model, "responses": failures, "methods": ["POST"], "status_code": status}
        app.router.routes.append(LeanRoute(path, endpoint, **settings))


def _add_get_routes(app: FastAPI, service: Service) -> None:
    """Add the routes for requests without documents."""

    async def model() -> Response:
        """The model: classes, terms, how good it was on held-out documents, and what a request may ask for."""
        limits = service.limits
        shown_limits = {name: getattr(limits, name) for name in ("body", "documents", "length", "seconds")}
        return _json(service.current.now.card | {"feedback": service.feedback is not None, "limits": shown_limits})

    async def terms(
        label: Annotated[str | None, Query(description="A class, as it is written; by default all.")] = None,
        q: Annotated[str, Query(description="Only terms that contain this.", max_length=1000)] = "",
        n: Annotated[int, Query(ge=0, le=MOST_LISTED)] = 50,
        offset: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
    ) -> Response:
        """The terms: of a class the strongest first, or all as they were ranked, with the class they speak most for."""
        loaded = service.current.now
        cls = None if label is None else class_named(loaded.model, label)

        def work(_: Wanted) -> bytes:
            return to_json(loaded.terms.page(cls, q, offset, n))

        page = await service.lanes.work("search", loaded, len(loaded.model.terms), work)
        return Response(page, media_type="application/json")

    async def health() -> Response:
        """Whether the service answers."""
        return _json({"status": "ok"})

    async def metrics() -> Response:
        """Counts for Prometheus."""
        now = service.current.now
        return Response(service.metrics.text(now.name, now.id, service.lanes.waiting), media_type=CONTENT_TYPE)

    rows: list[tuple[str, Any, Any]] = [
        ("/v1/model", model, schemas.Card),
        ("/v1/terms", terms, schemas.Terms),
        ("/healthz", health, schemas.Health),
        ("/metrics", metrics, None),
    ]
    for path, endpoint, response_model in rows:
        failures = {status: FAILURES[status] for status in GET_STATUSES}
        kind = PlainTextResponse if response_model is None else JSONResponse
        settings = {"response_model": response_model, "response_class": kind, "responses": failures, "methods": ["GET"]}
        app.router.routes.append(APIRoute(path, endpoint, **settings))


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type="application/json")


# -- error responses -------------------------------------------------------------------------------------------------


async def _error_response(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, ApiError)
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    return Response(problem.body, problem.status, headers)


async def _internal(request: Request, problem: Exception) -> Response:
    return await _error_response(request, internal())


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(map(str, first["loc"][1:]))
    return await _error_response(
        request, ApiError("invalid", f"{where}: {first['msg']}. /docs says what is asked for.")
    )


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if problem.status_code == 405:
        allowed = (problem.headers or {}).get("Allow", "")
        error = ApiError("method_not_allowed", f"Use {allowed}.", [(b"allow", allowed.encode())])
    else:
        path = shown(request.url.path, 100)
        if request.url.path == FEEDBACK:
            path += ", because the service was started without --feedback,"
        error = ApiError("not_found", f"There is no {path} here; / is the page, and /docs says what can be asked for.")
    return await _error_response(request, error)
