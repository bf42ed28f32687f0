"""The routes of the service, and the application that has them behind its guard."""

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
from . import shapes
from .answers import class_named, explanation_json
from .assets import routes as asset_routes
from .lanes import GivenUp, Wanted
from .leanroute import LeanRoute
from .metrics import CONTENT_TYPE
from .refusals import STATUS, Refused, internal
from .service import Service

FEEDBACK = "/v1/feedback"
MOST_LISTED = 1_000
"""Terms that are listed at a time."""

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": shapes.Failure, "description": ", ".join(code for code in STATUS if STATUS[code] == status)}
    for status in sorted({*STATUS.values()} - {499})
}
ASKING = (401, 403, 408, 413, 415, 422, 503)
LOOKING = (401, 403, 422, 503)
"""What may be answered otherwise, to a POST and to a GET."""

ABOUT = (
    "Sorts documents by a trained model, and says why. Errors are JSON too, with a word for programs (`code`) and a "
    "sentence for people (`message`)."
)


def routes(service: Service) -> FastAPI:
    """The application without its guard."""
    app = FastAPI(
        title="textsieve",
        version=version("textsieve"),
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        exception_handlers={
            Refused: _refused,
            RequestValidationError: _invalid,
            HTTPException: _http,
            Exception: _internal,
        },
    )
    app.router.redirect_slashes = False
    _add_asking(app, service)
    _add_looking(app, service)
    app.router.routes.extend(asset_routes())
    service.paths = frozenset(route.path for route in app.routes if isinstance(route, Route))
    return app


def _add_asking(app: FastAPI, service: Service) -> None:
    """What is asked with documents."""

    async def predict(asked: shapes.Predict) -> bytes:
        """The label or labels of each document, and their scores."""
        service.check(asked.texts)
        return await service.lanes.predict(service.current.now, asked.texts, asked.top)

    async def explain(asked: shapes.Explain) -> bytes:
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

    async def correct(asked: shapes.Correct) -> bytes:
        """Write the right label of a document to the file of corrections."""
        service.check([asked.text])

        def work(is_wanted: Wanted) -> bytes:
            if not is_wanted():
                raise GivenUp
            service.correct(asked.text, asked.label, asked.labels, is_wanted)
            return to_json({"written": True})

        return await service.lanes.work("correct", service.current.now, len(asked.text), work)

    predict.__annotations__["asked"] = shapes.predict_at_most(service.limits.documents)
    rows: list[tuple[str, Any, Any, int]] = [
        ("/v1/predict", predict, shapes.Predictions, 200),
        ("/v1/explain", explain, shapes.Explanation, 200),
        (FEEDBACK, correct, shapes.Written, 201),
    ]
    for path, endpoint, answered, status in rows:
        if endpoint is correct and service.feedback is None:
            continue
        failures = {each: FAILURES[each] for each in ASKING}
        settings = {"response_model": answered, "responses": failures, "methods": ["POST"], "status_code": status}
        app.router.routes.append(LeanRoute(path, endpoint, **settings))


def _add_looking(app: FastAPI, service: Service) -> None:
    """What can be looked at."""

    async def model() -> Response:
        """The model: classes, terms, how good it was on held-out documents, and what a request may ask for."""
        limits = service.limits
        given = {name: getattr(limits, name) for name in ("body", "documents", "length", "seconds")}
        return _json(service.current.now.card | {"feedback": service.feedback is not None, "limits": given})

    async def terms(
        label: Annotated[str | None, Query(description="A class, as it is written; by default all.")] = None,
        q: Annotated[str, Query(description="Only terms that contain this.", max_length=1000)] = "",
        n: Annotated[int, Query(ge=0, le=MOST_LISTED)] = 50,
        offset: Annotated[int, Query(ge=0, le=1 << 31)] = 0,
    ) -> Response:
        """The terms: of a class the strongest first, or all as they were ranked, with the class they speak most for."""
        loaded = service.current.now
        wanted = None if label is None else class_named(loaded.model, label)

        def work(_: Wanted) -> bytes:
            return to_json(loaded.terms.page(wanted, q, offset, n))

        found = await service.lanes.work("search", loaded, len(loaded.model.terms), work)
        return Response(found, media_type="application/json")

    async def health() -> Response:
        """Whether the service answers."""
        return _json({"status": "ok"})

    async def metrics() -> Response:
        """Counts for Prometheus."""
        now = service.current.now
        return Response(service.metrics.text(now.name, now.id, service.lanes.waiting), media_type=CONTENT_TYPE)

    rows: list[tuple[str, Any, Any]] = [
        ("/v1/model", model, shapes.Card),
        ("/v1/terms", terms, shapes.Terms),
        ("/healthz", health, shapes.Health),
        ("/metrics", metrics, None),
    ]
    for path, endpoint, answered in rows:
        failures = {each: FAILURES[each] for each in LOOKING}
        kind = PlainTextResponse if answered is None else JSONResponse
        settings = {"response_model": answered, "response_class": kind, "responses": failures, "methods": ["GET"]}
        app.router.routes.append(APIRoute(path, endpoint, **settings))


def _json(value: Any) -> Response:
    return Response(to_json(value), media_type="application/json")


# -- what is wrong ---------------------------------------------------------------------------------------------------


async def _refused(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Refused)
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    return Response(problem.body, problem.status, headers)


async def _internal(request: Request, problem: Exception) -> Response:
    return await _refused(request, internal())


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(map(str, first["loc"][1:]))
    return await _refused(request, Refused("invalid", f"{where}: {first['msg']}. /docs says what is asked for."))


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    if problem.status_code == 405:
        allowed = (problem.headers or {}).get("Allow", "")
        wrong = Refused("method_not_allowed", f"Use {allowed}.", [(b"allow", allowed.encode())])
    else:
        path = shown(request.url.path, 100)
        if request.url.path == FEEDBACK:
            path += ", because the service was started without --feedback,"
        wrong = Refused("not_found", f"There is no {path} here; / is the page, and /docs says what can be asked for.")
    return await _refused(request, wrong)
