"""Requests to a service and their expected responses, computed from the model without the service.

The expected bytes come from `pydantic_core.to_json`, which writes numbers as the service does.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from pydantic_core import to_json

from textsieve.modelfile.reading import read_stored
from textsieve.prediction import Model
from textsieve.prediction.records import Records
from textsieve.serve.served_model import explanation_json, explanation_record

Request = tuple[str, int, list[str] | None]
"""The bytes of a request, the expected status, and the accepted bodies (None: any); all decoded as Latin-1."""


def expected_predictions(model: Model, texts: Sequence[str]) -> str:
    """Return the expected body of the response to a request for predictions."""
    return to_json({"predictions": list(Records(model).of(model.predict(list(texts))))}).decode("latin-1")


def predict_request(texts: Sequence[str], *models: Model) -> Request:
    """Return a request for predictions that accepts the predictions of any of the models."""
    bodies = [expected_predictions(model, texts) for model in models]
    return post("/v1/predict", {"texts": list(texts)}), 200, bodies


def post(path: str, value: object) -> str:
    """Return a POST request with a JSON body."""
    body = json.dumps(value).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n" + body.decode("latin-1")


def get(path: str) -> str:
    """Return a GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def mixed_requests(path: Path, texts: Sequence[str]) -> list[Request]:
    """Return requests to a service of a model file: 70 % predict, 20 % explain, 9 % search terms, 1 % are invalid."""
    requests: list[Request] = []
    model, file = read_stored(path)
    for number, text in enumerate(texts):
        kind = number % 100
        if kind < 70:
            requests.append(predict_request([text], model))
        elif kind < 90:
            explanation = explanation_json(explanation_record(model, file.digest[:16], text, None)).decode("latin-1")
            requests.append((post("/v1/explain", {"text": text}), 200, [explanation]))
        elif kind < 99:
            letter = "abcdefghij"[number % 10]
            requests.append((get(f"/v1/terms?n=20&offset={number}&q={letter}"), 200, None))
        elif number // 100 % 2 == 0:
            requests.append((post("/v1/predict", {"texts": number}), 422, None))
        else:
            requests.append((get(f"/{number}"), 404, None))
    return random.Random(1).sample(requests, len(requests))
