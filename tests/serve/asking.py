"""Requests to a service, and the answers that are right, worked out from the model without the service.

The bytes are those of `pydantic_core.to_json`, which writes numbers as the service does.
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
from textsieve.serve.served_model import explanation_json

Request = tuple[str, int, list[str] | None]
"""What is sent, the status that is right, and the bodies that are (None: any); all in Latin 1."""


def right(model: Model, texts: Sequence[str]) -> str:
    """The answer to a request for predictions."""
    return to_json({"predictions": list(Records(model).of(model.predict(list(texts))))}).decode("latin-1")


def predicting(texts: Sequence[str], *models: Model) -> Request:
    """A request for predictions, whose answer must be that of one of the models."""
    return posted("/v1/predict", {"texts": list(texts)}), 200, [right(model, texts) for model in models]


def posted(path: str, value: object) -> str:
    """JSON, as a client sends it."""
    body = json.dumps(value).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"{head}\r\n\r\n" + body.decode("latin-1")


def got(path: str) -> str:
    """A GET."""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def mixed(path: Path, texts: Sequence[str]) -> list[Request]:
    """Of a hundred requests to a service of a model file 70 predict, 20 explain, 9 look at terms, and one is bad."""
    found: list[Request] = []
    model, file = read_stored(path)
    for at, text in enumerate(texts):
        kind = at % 100
        if kind < 70:
            found.append(predicting([text], model))
        elif kind < 90:
            answer = explanation_json(model, file.digest[:16], text, None).decode("latin-1")
            found.append((posted("/v1/explain", {"text": text}), 200, [answer]))
        elif kind < 99:
            found.append((got(f"/v1/terms?n=20&offset={at}&q={'abcdefghij'[at % 10]}"), 200, None))
        else:
            found.append([(posted("/v1/predict", {"texts": at}), 422, None), (got(f"/{at}"), 404, None)][at // 100 % 2])
    return random.Random(1).sample(found, len(found))
