"""Malformed requests never cause an internal error, and complete requests always get a response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from tests.processes import wait_for
from tests.serve.malformed import (
    GOOD,
    HOST,
    PREDICT,
    RawResponse,
    listed_requests,
    post,
    problem_with,
    random_requests,
    responses_to,
)
from tests.serve.servers import Server, running_server
from textsieve import load

N_DRAWN = 300
AT_ONCE = 8


@pytest.fixture(scope="module", params=["single", "multilabel"])
def server(
    request: pytest.FixtureRequest, models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("malformed")
    options = ("--feedback", str(folder / "corrections.jsonl"), "--max-body", str(2 << 20))
    with running_server(models[request.param], folder, *options) as server:
        yield server


@pytest.fixture(scope="module")
def single_label_server(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(models["single"], tmp_path_factory.mktemp("single")) as server:
        yield server


def all_responses(server: Server, requests: list[bytes]) -> list[list[RawResponse]]:
    """Send the requests, some at a time, and return the responses to each."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(partial(responses_to, server.port), requests))


@pytest.mark.slow
def test_malformed_requests_never_cause_an_internal_error(server: Server) -> None:
    before = responses_to(server.port, post(b"/v1/predict", GOOD))
    requests = [*listed_requests(), *islice(random_requests(0), N_DRAWN)]
    all_results = all_responses(server, requests)
    wrong = [
        (problem, request[:200])
        for request, responses in zip(requests, all_results, strict=True)
        for problem in map(problem_with, responses)
        if problem is not None
    ]
    assert not wrong[:5]
    assert {200, 400, 403, 404, 405, 413, 415, 422, 431} <= {
        response.status for responses in all_results for response in responses
    }
    assert "Traceback" not in server.log
    assert "Internal error:" not in server.log
    assert [response.status for response in before] == [200]
    assert responses_to(server.port, post(b"/v1/predict", GOOD)) == before


def test_every_complete_request_gets_a_response(single_label_server: Server) -> None:
    """The server waits for more only if a request is cut off, not if it is invalid."""
    requests = [
        request for request in listed_requests() if request.startswith(b"POST") and b"Connection: close" not in request
    ]
    complete = [request for request in requests if request.endswith(GOOD) and b"Content-Length: 31\r\n\r\n" in request]
    assert len(complete) > 10
    assert all(all_responses(single_label_server, complete))


@pytest.mark.slow
@pytest.mark.parametrize("path", [b"/", b"/docs", b"/healthz", b"/nowhere"])
def test_head_requests_get_a_response_on_an_open_connection(single_label_server: Server, path: bytes) -> None:
    twice = (b"HEAD " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n") * 2
    assert len(responses_to(single_label_server.port, twice)) == 2


def test_pipelined_requests_are_answered_in_order(single_label_server: Server, models: dict[str, Path]) -> None:
    texts = [f"{word} and the bank" for word in ("goal", "wind", "rates", "match", "rain") * 8]
    row = b"".join(post(b"/v1/predict", json.dumps({"texts": [text]}).encode()) for text in texts)
    last = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    responses = responses_to(single_label_server.port, row + last, only_one=False)
    labels = [json.loads(response.body)["predictions"][0]["label"] for response in responses[:-1]]
    assert labels == load(models["single"]).predict(texts).tolist()
    assert len({*labels}) > 1


def test_a_long_body_does_not_count_toward_the_next_head(single_label_server: Server) -> None:
    long = post(b"/v1/predict", json.dumps({"texts": ["a" * 300_000]}).encode())
    assert [response.status for response in responses_to(single_label_server.port, long + long[:40])] == [200]


LENGTH, CHUNKED = b"Content-Length: 31\r\n", b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"1f\r\n" + GOOD + b"\r\n0\r\n\r\n"
AMBIGUOUS = {
    "two lengths": LENGTH + LENGTH + b"\r\n" + GOOD,
    "two other lengths": LENGTH + b"Content-Length: 5\r\n\r\n" + GOOD,
    "a list of lengths": b"Content-Length: 31, 31\r\n\r\n" + GOOD,
    "a length with a sign": b"Content-Length: +31\r\n\r\n" + GOOD,
    "a length that overflows": b"Content-Length: 18446744073709551647\r\n\r\n" + GOOD,
    "a blank before the colon": b"Content-Length : 31\r\n\r\n" + GOOD,
    "a folded line": b"X: a\r\n b\r\n" + LENGTH + b"\r\n" + GOOD,
    "a lone carriage return": b"X: y\rContent-Length: 5\r\n" + LENGTH + b"\r\n" + GOOD,
    "length and chunks": LENGTH + CHUNKED + b"\r\n" + CHUNKS,
    "chunks and length": CHUNKED + LENGTH + b"\r\n" + CHUNKS,
    "chunked twice": CHUNKED + CHUNKED + b"\r\n" + CHUNKS,
    "chunked, but not last": b"Transfer-Encoding: chunked, identity\r\n\r\n" + CHUNKS,
    "another encoding before": b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS,
    "an unknown encoding": b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNKS,
    "a vertical tab": b"Transfer-Encoding: \x0bchunked\r\n\r\n" + CHUNKS,
    "a chunk with a sign": CHUNKED + b"\r\n-" + CHUNKS,
    "a chunk with a prefix": CHUNKED + b"\r\n0x" + CHUNKS,
    "a chunk that overflows": CHUNKED + b"\r\n1000000000000001f\r\n" + CHUNKS[4:],
    "a chunk after a blank": CHUNKED + b"\r\n " + CHUNKS,
    "chunks with line feeds": CHUNKED + b"\r\n" + CHUNKS.replace(b"\r\n", b"\n"),
    "a chunk with a wrong end": CHUNKED + b"\r\n" + CHUNKS.replace(b"}\r\n", b"}XX"),
    "an upgrade": b"Connection: upgrade\r\nUpgrade: h2c\r\n" + LENGTH + b"\r\n" + GOOD,
    "an upgrade in chunks": b"Connection: upgrade\r\nUpgrade: websocket\r\n" + CHUNKED + b"\r\n" + CHUNKS,
}


@pytest.mark.parametrize("kind", AMBIGUOUS)
def test_nothing_is_answered_after_a_request_with_an_ambiguous_end(single_label_server: Server, kind: str) -> None:
    """Otherwise, a proxy in front could take a second request for a part of the first."""
    smuggled = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    (response,) = responses_to(single_label_server.port, PREDICT + AMBIGUOUS[kind] + smuggled, only_one=False)
    assert (response.status, json.loads(response.body)["error"]["code"]) == (400, "malformed")


def test_an_encoded_body_is_an_error(single_label_server: Server) -> None:
    (response,) = responses_to(
        single_label_server.port, post(b"/v1/predict", GOOD, b"Content-Encoding: gzip\r\n"), only_one=False
    )
    assert (response.status, json.loads(response.body)["error"]["code"]) == (415, "not_json")


@pytest.mark.parametrize("end", [b"1f\r\n" + GOOD + b"\r\n0\r\nX: ", b"1f;x="])
def test_endless_trailers_and_chunk_extensions_are_an_error(single_label_server: Server, end: bytes) -> None:
    request = PREDICT + b"Transfer-Encoding: chunked\r\n\r\n" + end + b"y" * 400_000
    assert [response.status for response in responses_to(single_label_server.port, request)] == [431]


@pytest.mark.slow
def test_an_incomplete_request_has_no_effect(models: dict[str, Path], tmp_path: Path) -> None:
    """It has none even if the part that has arrived is a valid request."""
    corrections, request = tmp_path / "corrections.jsonl", post(b"/v1/feedback", b'{"text": "a", "label": "sport"}')
    with running_server(models["single"], tmp_path, "--feedback", str(corrections)) as server:
        responses_to(server.port, request.replace(b"Content-Length: 31", b"Content-Length: 99"))
        assert [response.status for response in responses_to(server.port, request)] == [201]
        wait_for(lambda: "POST /v1/feedback 499" in server.log, lambda: server.log)
    assert len(corrections.read_text().splitlines()) == 1
