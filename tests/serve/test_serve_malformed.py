"""Requests that no client of good faith sends: none is answered by a 500, none is left without its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from tests.processes import wait_for
from tests.serve.malformed import GOOD, HOST, PREDICT, Answer, answers_to, complaint, drawn, listed, posted
from tests.serve.servers import Server, started_server
from textsieve import load

N_DRAWN = 300
AT_ONCE = 8


@pytest.fixture(scope="module", params=["one", "several"])
def server(
    request: pytest.FixtureRequest, models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("malformed")
    options = ("--feedback", str(folder / "corrections.jsonl"), "--max-body", str(2 << 20))
    with started_server(models[request.param], folder, *options) as found:
        yield found


@pytest.fixture(scope="module")
def one(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started_server(models["one"], tmp_path_factory.mktemp("one")) as found:
        yield found


def all_answers(server: Server, requests: list[bytes]) -> list[list[Answer]]:
    """To some at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(partial(answers_to, server.port), requests))


@pytest.mark.slow
def test_nothing_that_is_sent_is_our_fault(server: Server) -> None:
    before = answers_to(server.port, posted(b"/v1/predict", GOOD))
    requests = [*listed(), *islice(drawn(0), N_DRAWN)]
    found = all_answers(server, requests)
    wrong = [
        (said, request[:200])
        for request, answers in zip(requests, found, strict=True)
        for said in map(complaint, answers)
        if said is not None
    ]
    assert not wrong[:5]
    assert {200, 400, 403, 404, 405, 413, 415, 422, 431} <= {each.status for answers in found for each in answers}
    assert "Traceback" not in server.log
    assert "Internal error:" not in server.log
    assert [each.status for each in before] == [200]
    assert answers_to(server.port, posted(b"/v1/predict", GOOD)) == before


def test_what_is_whole_is_answered(one: Server) -> None:
    """Also where it is wrong: only what is cut off is waited for."""
    requests = [request for request in listed() if request.startswith(b"POST") and b"Connection: close" not in request]
    whole = [request for request in requests if request.endswith(GOOD) and b"Content-Length: 31\r\n\r\n" in request]
    assert len(whole) > 10
    assert all(all_answers(one, whole))


@pytest.mark.slow
@pytest.mark.parametrize("path", [b"/", b"/docs", b"/healthz", b"/nowhere"])
def test_head_is_answered_at_once_on_a_connection_that_stays(one: Server, path: bytes) -> None:
    twice = (b"HEAD " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n") * 2
    assert len(answers_to(one.port, twice)) == 2


def test_requests_in_a_row_are_answered_in_their_order(one: Server, models: dict[str, Path]) -> None:
    texts = [f"{word} and the bank" for word in ("goal", "wind", "rates", "match", "rain") * 8]
    row = b"".join(posted(b"/v1/predict", json.dumps({"texts": [text]}).encode()) for text in texts)
    last = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    answers = answers_to(one.port, row + last, only_one=False)
    labels = [json.loads(each.body)["predictions"][0]["label"] for each in answers[:-1]]
    assert labels == load(models["one"]).predict(texts).tolist()
    assert len({*labels}) > 1


def test_a_head_of_some_length_beside_a_long_body_is_no_long_head(one: Server) -> None:
    long = posted(b"/v1/predict", json.dumps({"texts": ["a" * 300_000]}).encode())
    assert [each.status for each in answers_to(one.port, long + long[:40])] == [200]


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
def test_where_the_end_of_a_request_is_ambiguous_nothing_after_it_is_answered(one: Server, kind: str) -> None:
    """Else a proxy in front may take for a part of one request what is taken for another one here."""
    smuggled = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    (found,) = answers_to(one.port, PREDICT + AMBIGUOUS[kind] + smuggled, only_one=False)
    assert (found.status, json.loads(found.body)["error"]["code"]) == (400, "malformed")


def test_a_body_of_another_encoding_is_an_error(one: Server) -> None:
    (found,) = answers_to(one.port, posted(b"/v1/predict", GOOD, b"Content-Encoding: gzip\r\n"), only_one=False)
    assert (found.status, json.loads(found.body)["error"]["code"]) == (415, "not_json")


@pytest.mark.parametrize("end", [b"1f\r\n" + GOOD + b"\r\n0\r\nX: ", b"1f;x="])
def test_what_follows_a_body_is_not_taken_without_end(one: Server, end: bytes) -> None:
    request = PREDICT + b"Transfer-Encoding: chunked\r\n\r\n" + end + b"y" * 400_000
    assert [each.status for each in answers_to(one.port, request)] == [431]


@pytest.mark.slow
def test_a_request_whose_sender_goes_away_before_its_end_does_nothing(models: dict[str, Path], tmp_path: Path) -> None:
    """Also where what has come would do."""
    corrections, whole = tmp_path / "corrections.jsonl", posted(b"/v1/feedback", b'{"text": "a", "label": "sport"}')
    with started_server(models["one"], tmp_path, "--feedback", str(corrections)) as server:
        answers_to(server.port, whole.replace(b"Content-Length: 31", b"Content-Length: 99"))
        assert [each.status for each in answers_to(server.port, whole)] == [201]
        wait_for(lambda: "POST /v1/feedback 499" in server.log, lambda: server.log)
    assert len(corrections.read_text().splitlines()) == 1
