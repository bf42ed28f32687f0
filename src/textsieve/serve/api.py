"""The routes of the service: the API, its error responses, and the files of the pages.

FastAPI describes the routes in the OpenAPI document, but it is too slow for small requests: a prediction takes a
twentieth of a millisecond, and resolving dependencies, reading the body and serializing the response take several times
as long. So a `LeanRoute` lets pydantic validate the bytes of the body, passes the result to its endpoint, and sends the
bytes that the endpoint returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Any, get_type_hints

from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from ..errors import InputError, shown
from ..prediction import Abstention
from . import schemas
from .api_errors import (
    ERROR_CODES,
    JSON_TYPE,
    ApiError,
    ApiResponse,
    internal_error,
    invalid_field_error,
    send_response,
    unknown_field_error,
    validation_error,
)
from .guard import DOCUMENTS
from .metrics import CONTENT_TYPE
from .served_model import explanation_json, explanation_record, find_class
from .service import Service
from .workers import Abandoned, IsWanted

FEEDBACK_PATH = "/v1/feedback"
MAX_TERMS = 1_000
"""The largest number of terms in one response of `/v1/terms`."""
LARGE_BODY = 1 << 16
"""From this many bytes on, it is worth checking whether the client still waits for the response."""

ANY_REQUEST = {"malformed", "forbidden", "too_slow", "head_too_long", "internal", "busy", "ending"}
"""Codes of errors that any request can get."""
ANY_POST = {"unauthorized", "too_large", "not_json", "invalid", "too_long", "timeout"}
ROUTE_CODES: dict[str, set[str]] = {
    "/v1/predict": {*ANY_POST, "too_many"},
    "/v1/explain": {*ANY_POST, "unknown_label"},
    FEEDBACK_PATH: {*ANY_POST, "unknown_label", "not_found", "not_written"},
    "/v1/model": {"unauthorized"},
    "/v1/terms": {"unauthorized", "invalid", "unknown_label", "timeout"},
    "/healthz": set(),
    "/metrics": {"unauthorized"},
}
"""Codes of errors that requests to a route can get, in addition to those of any request."""


def _error_responses(path: str) -> dict[int | str, dict[str, Any]]:
    """Return the error responses of a route for the OpenAPI document, by status; their descriptions list the codes."""
    codes_by_status: dict[int | str, list[str]] = {}
    for code, error in ERROR_CODES.items():
        if code in ANY_REQUEST or code in ROUTE_CODES[path]:
            codes_by_status.setdefault(error.status, []).append(code)
    return {
        status: {"model": schemas.ErrorResponse, "description": ", ".join(codes)}
        for status, codes in codes_by_status.items()
    }


DESCRIPTION = (
    "Classifies documents with a trained model and explains the predictions. Errors are JSON as well, with a `code` "
    "and other fields for programs, and a `message` for people."
)


def build_routes(service: Service) -> FastAPI:
    """Return the application with all routes, without its guard.

    Their paths are stored in `service.paths`, by which requests are counted and logged. The log has a line for each
    page, but none for the files that the page loads, of which there are about 40.
    """
    app = FastAPI(
        title="textsieve",
        version=version("textsieve"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        exception_handlers={
            ApiError: _handle_api_error,
            InputError: _handle_input_error,
            RequestValidationError: _handle_validation_error,
            HTTPException: _handle_http_error,
            Exception: _handle_internal_error,
        },
    )
    app.router.redirect_slashes = False
    _add_post_routes(app, service)
    _add_get_routes(app, service)
    app.router.routes.extend(_asset_routes())
    service.paths = frozenset(route.path for route in app.routes if isinstance(route, Route))
    service.unlogged_paths = frozenset(read_assets()) - set(PAGE_PATHS.values())
    return app


# -- requests with documents -----------------------------------------------------------------------------------------

Endpoint = Callable[[Any], Coroutine[Any, Any, bytes]]
"""Function from the validated request to the JSON of the response."""


class LeanRoute(APIRoute):
    """Route for an endpoint that takes the pydantic model of the request and returns the response as JSON bytes."""

    def __init__(self, path: str, endpoint: Endpoint, **settings: Any) -> None:
        super().__init__(path, endpoint, **settings)
        # An endpoint has a single parameter; its annotation is the model of the request.
        (request_model,) = (annotation for name, annotation in get_type_hints(endpoint).items() if name != "return")
        assert issubclass(request_model, schemas.RequestBody)
        self._validate = request_model.__pydantic_validator__.validate_json
        self._endpoint, self._status = endpoint, self.status_code or 200
        self.app = self._respond_and_send  # replaces the ASGI application that FastAPI made of the endpoint

    async def _respond_and_send(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond as an ASGI application, for requests that reach the route through FastAPI."""
        await send_response(send, await self.respond(scope, receive))

    async def respond(self, scope: Scope, receive: Receive) -> ApiResponse:
        """Return the response to a request."""
        try:
            body = await _read_body(receive)
            request: schemas.RequestBody = self._validate(body)
            if request.model_extra:
                raise unknown_field_error(request.model_extra)
            scope[DOCUMENTS] = request.n_documents
            response = self._endpoint(request)
            json = await (response if len(body) < LARGE_BODY else _unless_client_leaves(response, receive))
        except ValidationError as problem:
            return validation_error(problem, body).response
        except (ApiError, InputError) as problem:
            # The traceback refers to this frame, and so to the body. Together with the exception, they form a reference
            # cycle, which would keep the body in memory until the next garbage collection.
            problem.__traceback__ = None
            error = problem if isinstance(problem, ApiError) else ApiError.of_input_error(problem)
            return error.response
        return ApiResponse(self._status, [JSON_TYPE], json)


async def _unless_client_leaves(response: Coroutine[Any, Any, bytes], receive: Receive) -> bytes:
    """Return a response that may take long, or cancel the work and raise `ApiError` if the client disconnects.

    The body was read to its end, so `receive` waits until the client disconnects.
    """
    working, disconnecting = asyncio.ensure_future(response), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({working, disconnecting}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ApiError("gone", "The client disconnected before the response was ready.")
        return await working
    finally:
        working.cancel()
        disconnecting.cancel()


async def _read_body(receive: Receive) -> bytes:
    """Return the complete body; raise `ApiError` if the client disconnects before its end."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError("gone", "The client disconnected before the request was complete.")
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _add_post_routes(app: FastAPI, service: Service) -> None:
    """Add the routes for requests that contain documents; their docstrings are in the OpenAPI document."""

    async def predict(request: schemas.PredictRequest) -> bytes:
        """Return the label or labels of each document, and their scores."""
        service.check_lengths("texts", request.texts)
        served, minimum = service.holder.model, request.min_probability
        if minimum is None:
            minimum = service.min_probability_for(served.model)
        else:
            Abstention.of(served.model, minimum, None)  # raises `InputError` if the model can't abstain
        return await service.workers.predict(served, request.texts, request.top, minimum)

    async def explain(request: schemas.ExplainRequest) -> bytes:
        """Return how much each term of a document adds to the score of a class, and where the terms occur."""
        service.check_lengths("text", [request.text])
        served, text = service.holder.model, request.text
        label = None if request.label is None else find_class(served.model, request.label)

        def work(is_wanted: IsWanted) -> bytes:
            def check_wanted() -> None:
                if not is_wanted():
                    raise Abandoned

            minimum = service.min_probability_for(served.model)
            record = explanation_record(served.model, served.id, text, label, minimum, check_wanted)
            if label is None:  # a request with a class asks about a text that was predicted before
                is_unknown = record["unknown"] is not None
                service.metrics.count_explanation(
                    record["predicted"], is_unknown=is_unknown, abstains=record["abstains"]
                )
            return explanation_json(record)

        return await service.workers.work("explain", served, len(text), work)

    async def correct(request: schemas.FeedbackRequest) -> bytes:
        """Write the right label of a document, that no class is right, or a withdrawal of this, to the corrections.

        The service has this route only with `--feedback`. When it responds, the correction is on the disk.
        """
        service.check_lengths("text", [request.text])

        def work(is_wanted: IsWanted) -> bytes:
            if not is_wanted():
                raise Abandoned
            service.correct(request, is_wanted)
            return to_json({"written": True})

        return await service.workers.work("correct", service.holder.model, len(request.text), work)

    # The route reads its request model from the annotation, and only the service knows the limit of documents.
    predict.__annotations__["request"] = schemas.limited_predict_request(service.limits.documents)
    routes: list[tuple[str, Any, Any, int]] = [
        ("/v1/predict", predict, schemas.PredictResponse, 200),
        ("/v1/explain", explain, schemas.ExplainResponse, 200),
        (FEEDBACK_PATH, correct, schemas.FeedbackResponse, 201),
    ]
    for path, endpoint, response_model, status in routes:
        if endpoint is correct and service.feedback is None:
            continue
        errors = _error_responses(path)
        settings = {"response_model": response_model, "responses": errors, "methods": ["POST"], "status_code": status}
        app.router.routes.append(LeanRoute(path, endpoint, **settings))


# -- requests without documents --------------------------------------------------------------------------------------


class GetRoute(APIRoute):
    """Route for GET that also answers HEAD, which some load balancers send; the OpenAPI document has only the GET.

    The server sends no body in a response to HEAD.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a request is for this route; a HEAD is matched like a GET."""
        return super().matches(_as_get(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        await super().handle(_as_get(scope), receive, send)


def _as_get(scope: Scope) -> Scope:
    """Return the scope of the same request with GET instead of HEAD."""
    return {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope


def _add_get_routes(app: FastAPI, service: Service) -> None:
    """Add the routes for requests without documents; their docstrings are in the OpenAPI document."""

    async def model() -> Response:
        """Return the model's title, classes, settings and quality on held-out documents, and the limits of requests."""
        limits = {name: getattr(service.limits, name) for name in ("body", "documents", "length", "seconds")}
        served = service.holder.model
        of_service = {
            "min_probability": service.min_probability_for(served.model),
            "feedback": service.feedback is not None,
            "limits": limits,
        }
        return _json(served.description | of_service)

    async def terms(
        label: Annotated[
            str | None, Query(description="The label of a class, as text; all classes by default.")
        ] = None,
        q: Annotated[str, Query(description="Return only terms that contain this text.", max_length=1000)] = "",
        n: Annotated[int, Query(description="The number of terms to return.", ge=0, le=MAX_TERMS)] = 50,
        offset: Annotated[int, Query(description="The number of terms to skip.", ge=0, le=1 << 31)] = 0,
        words_first: Annotated[bool, Query(description="Return n-grams of characters after all words.")] = False,
    ) -> Response:
        """Return the terms of a class, strongest first, or all terms in selection order with their strongest class."""
        served = service.holder.model
        cls = None if label is None else find_class(served.model, label)

        def work(_: IsWanted) -> bytes:
            return to_json(served.terms.page(cls, q, offset, n, words_first=words_first))

        page = await service.workers.work("search", served, len(served.model.terms), work)
        return Response(page, media_type="application/json")

    async def health() -> Response:
        """Return `ok` if the service is running."""
        return _json({"status": "ok"})

    async def metrics() -> Response:
        """Return metrics for Prometheus."""
        served = service.holder.model
        text = service.metrics.text(served.name, served.id, service.workers.n_waiting)
        return Response(text, media_type=CONTENT_TYPE)

    routes: list[tuple[str, Any, Any]] = [
        ("/v1/model", model, schemas.ModelResponse),
        ("/v1/terms", terms, schemas.TermsResponse),
        ("/healthz", health, schemas.HealthResponse),
        ("/metrics", metrics, None),
    ]
    for path, endpoint, response_model in routes:
        settings = {
            "response_model": response_model,
            "response_class": PlainTextResponse if response_model is None else JSONResponse,
            "responses": _error_responses(path),
            "methods": ["GET"],
        }
        app.router.routes.append(GetRoute(path, endpoint, **settings))


def _json(value: Any) -> Response:
    """Return a value as a JSON response."""
    return Response(to_json(value), media_type="application/json")


# -- error responses -------------------------------------------------------------------------------------------------


# FastAPI calls these handlers with the exception that a route raised, and sends the response that they return. The
# assertions are for the type checker: each handler is registered for its own type of exception.


async def _handle_api_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, ApiError)
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    return Response(problem.body, problem.status, headers)


async def _handle_input_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, InputError)
    return await _handle_api_error(request, ApiError.of_input_error(problem))


async def _handle_internal_error(request: Request, problem: Exception) -> Response:
    return await _handle_api_error(request, internal_error())


async def _handle_validation_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    location = first["loc"][1:]  # without "query"
    return await _handle_api_error(request, invalid_field_error(location, first["msg"], first["input"]))


async def _handle_http_error(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # Starlette raises it for an unknown path (404) or method (405)
    if problem.status_code == 405:
        methods = sorted((problem.headers or {}).get("Allow", "").split(", "))
        if methods == ["GET"]:
            methods.append("HEAD")  # see `GetRoute`
        headers = [(b"allow", ", ".join(methods).encode())]
        error = ApiError("method_not_allowed", f"Use {' or '.join(methods)}.", headers, allowed=methods)
    elif request.url.path == FEEDBACK_PATH:
        error = ApiError("not_found", f"{FEEDBACK_PATH} is not available: the service was started without --feedback.")
    else:
        problem_text = f"There is no route {shown(request.url.path, 100)}."
        error = ApiError("not_found", problem_text, hint="/docs lists all routes.")
    return await _handle_api_error(request, error)


# -- files of the pages ----------------------------------------------------------------------------------------------

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
"""Media types of the served files, by file name extension."""

PAGE_PATHS = {"page.html": "/", "docs.html": "/docs"}
"""URL paths of the files whose path is not their name."""


@cache
def read_assets() -> dict[str, tuple[bytes, str]]:
    """Return the content and the media type of each file in `assets/`, by its URL path.

    The files are read once, so no file path ever comes from a request.
    """
    assets = {}
    for file in files(__package__).joinpath("assets").iterdir():
        media_type = MEDIA_TYPES.get(file.name.rpartition(".")[2])
        if media_type is not None:
            assets[PAGE_PATHS.get(file.name, f"/{file.name}")] = file.read_bytes(), media_type
    return assets


def _asset_routes() -> list[BaseRoute]:
    """Return a route for each file in `assets/`."""
    return [
        Route(path, _serve_file(data, media_type), methods=["GET", "HEAD"], include_in_schema=False)
        for path, (data, media_type) in read_assets().items()
    ]


def _serve_file(data: bytes, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a file; a browser that has this version of the file gets status 304 without content."""
    tag = f'"{sha256(data).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache", "content-type": media_type}

    async def endpoint(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, headers=headers)

    return endpoint
