"""Malformed requests as bytes, and the responses that a server may send to them.

Requests come from tables, or they are random: bytes that look a little like HTTP, or JSON that looks a little like a
valid request. A server responds with any status but an internal error, closes the connection, or waits for more. Every
error in JSON has the same format.
"""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from tests.serve.servers import ERROR_FIELDS

HOST = b"Host: 127.0.0.1\r\n"
JSON = b"Content-Type: application/json\r\n"
PREDICT = b"POST /v1/predict HTTP/1.1\r\n" + HOST + JSON
GOOD = b'{"texts": ["a striker scored"]}'
METHODS = (b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"TRACE", b"CONNECT", b"PRI", b"SEARCH")
PATHS = (
    *(b"/", b"/docs", b"/healthz", b"/metrics", b"/openapi.json", b"/v1/model", b"/v1/terms", b"/v1/predict"),
    *(b"/v1/explain", b"/v1/feedback", b"/v1", b"/v1/model/", b"//", b"//evil.example/", b"/../../etc/passwd"),
    *(b"/%2e%2e/%2e%2e/etc/passwd", b"/%00", b"/%ff%fe", b"/page.html", b"/favicon.ico", b"*", b"/v1/terms?n=-1"),
    *(b"http://127.0.0.1/healthz", b"http://evil.example/healthz", b"/?" + b"a" * 60_000, b"/" + b"b" * 60_000),
    *(b"/v1/terms?q=%ff&label=%ed%a0%80", b"/v1/terms?n=" + b"9" * 5000, b"/v1/terms?offset=1e9", b"/v1/terms?n=NaN"),
    *(b"/v1/terms?offset=" + b"9" * 30, b"/v1/terms?n=5&n=x", b"/v1/terms?label=\xe4", b"/v1/terms?q=" + b"%00" * 900),
)
HOSTS = (
    *(b"127.0.0.1", b"localhost:1", b"[::1]", b"[127.0.0.1", b"[127.0.0.1]x", b"127.0.0.1:port", b"127.0.0.1:99999999"),
    *(b"evil.example", b"127.0.0.1@evil.example", b"evil.example#127.0.0.1", b"", b"\xff", b"127.0.0.1, evil.example"),
)
BODIES = (
    *(b"", b" ", b"null", b"[]", b"{}", b'"', b"{", b"\xff\xfe", b"\x00", b"\xef\xbb\xbf{}", b'{"texts": ["\xff"]}'),
    *(b'{"texts": ["\\ud800"]}', b'{"texts": ["\\udc00\\ud800"]}', b'{"texts": ["\\u0000"]}', b'{"texts": "a"}'),
    *(b'{"texts": [1]}', b'{"texts": [null]}', b'{"texts": {}}', b'{"texts": []}', b'{"texts": [""]}', GOOD + b"x"),
    *(b'{"texts": ["a"], "texts": 5}', b'{"texts": ["a"], "more": 1}', b'{"texts": ["a"], "top": true}'),
    *(b'{"texts": ["a"], "top": NaN}', b'{"texts": ["a"], "top": -1}', b'{"texts": ["a"], "top": 0}'),
    *(b'{"texts": ["a"], "top": 1e999}', b'{"texts": ["a"], "top": 1.5}', b'{"texts": ["a"], "top": "3"}'),
    *(b'{"texts": ["a"], "top": ' + b"9" * 300 + b"}", b'{"texts": ["a"], "top": ' + b"9" * 6000 + b"}"),
    *(b"[" * 100_000, b'{"a":' * 100_000, b'{"texts": ' + b"[" * 5000 + b"]" * 5000 + b"}"),
    *(b'{"text": "a"}', b'{"text": "a", "label": NaN}', b'{"text": "a", "label": Infinity}', b'{"text": ""}'),
    *(b'{"text": "a", "label": -1e999}', b'{"text": "a", "label": ' + b"7" * 4000 + b"}", b'{"text": 1}'),
    *(b'{"text": "a", "label": ' + b"7" * 9000 + b"}", b'{"text": "a", "label": {}}', b'{"text": "a", "label": ""}'),
    *(
        b'{"text": "a", "label": "' + b"x" * 9000 + b'"}',
        b'{"text": "a", "label": true}',
        b'{"text": "a", "label": []}',
    ),
    *(b'{"text": "a", "labels": []}', b'{"text": "a", "labels": [NaN]}', b'{"text": "a", "label": "\\n\\u0000"}'),
    *(b'{"text": "a", "label": 1, "labels": [1]}', b'{"text": "a", "labels": [[]]}', b"NaN", b"1e400", b"-", b"tru"),
    *(b"[" * 100_000, b'{"texts":' * 50_000, b'{"texts": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    *(
        b'{"text": ' * 10_000 + b"1" + b"}" * 10_000,
        b'{"texts": ["a"], "top": ' + b"9" * 200_000 + b"}",
        b"1" * 500_000,
    ),
    *(
        b'{"texts": ["a"], "top": 1e999999999}',
        b'{"texts": ["a"], "top": 1.0}',
        b'{"texts": ["a"]}\x00',
        b"\x1f\x8b\x08",
    ),
    *(
        b'{"texts": ["a"]' + b', "texts": ["a"]' * 5000 + b"}",
        b'{"' + b"k" * 200_000 + b'": 1}',
        b'{"texts": ["\\uD83D"]}',
    ),
    *(b'{"texts": [' + b'"",' * 2000 + b'""]}', b'{"texts": ["' + b"a" * 1_100_000 + b'"]}', b"'texts'"),
)
FRAMES = (
    b"\r\n" * 50,
    b"\n\n\n",
    b"\x00" * 100,
    b"GET\r\n\r\n",
    b"GET / \r\n\r\n",
    b"GET  /healthz  HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/0.9\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\n\r\n",
    b"GET /healthz HTTP/1.0\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/2.0\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/9.9\r\n\r\n",
    b"GET /healthz HTTP/1.1\n" + HOST.replace(b"\r", b"") + b"\n",
    b"GET /health\x00z HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n folded: 1\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\nno colon\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\nX: a\x00b\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\nX: \xff\xfe\r\n" + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Host: evil.example\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 5000 + b"\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: y\r\n" * 50_000 + b"\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"x" * 200_000,
    b"GET /" + b"x" * 2_000_000,
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Range: bytes=0-\r\nIf-None-Match: *\r\nCookie: \x01\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Origin: null\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Origin: \xff\r\n\r\n",
    b"GET /v1/model HTTP/1.1\r\n" + HOST + b"Authorization: Bearer \xff\xfe\r\n\r\n",
    b"GET /v1/model HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"GET /v1/model HTTP/1.1\r\n" + HOST + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + HOST + b"Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n\x81\x05hello",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
    b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"CONNECT /v1/model HTTP/1.1\r\n" + HOST + b"\r\n",
    b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://[ HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET http://127.0.0.1:x/healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET ?n=1 HTTP/1.1\r\n" + HOST + b"\r\n",
    b"GET # HTTP/1.1\r\n" + HOST + b"\r\n",
    b"POST /v1/predict HTTP/1.1\r\n" + HOST + b"\r\n",
    b"POST /v1/predict HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}",
    b"POST /v1/predict HTTP/1.1\r\n" + HOST + b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /v1/predict HTTP/1.1\r\n" + HOST + b"Content-Type: \xff\r\nContent-Length: 2\r\n\r\n{}",
    PREDICT + b"\r\n",
    PREDICT + b"Content-Length: \r\n\r\n",
    PREDICT + b"Content-Length: -1\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: +31\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 0x1f\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 31, 31\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 3 1\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 1e1\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 31\r\nContent-Length: 31\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 31\r\nContent-Length: 5\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 5\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 500\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 0\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 99999999999999999999999999\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 18446744073709551615\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 9223372036854775807\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 31\r\nTransfer-Encoding: chunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\nContent-Length: 31\r\n\r\n" + GOOD,
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked, identity\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: gzip, chunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: xchunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding:\x0bchunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n5\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\nff\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + GOOD,
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\n" + GOOD,
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n1f;" + b"x" * 300_000 + b"\r\n" + GOOD + b"\r\n0\r\n\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n1f\r\n" + GOOD + b"\r\n0\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
    PREDICT + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    PREDICT + b"Expect: 100-continue\r\nContent-Length: 31\r\n\r\n" + GOOD,
    PREDICT + b"Expect: 200-maybe\r\nContent-Length: 31\r\n\r\n" + GOOD,
    PREDICT + b"Content-Encoding: gzip\r\nContent-Length: 31\r\n\r\n" + GOOD,
    PREDICT + b"Content-Length: 31\r\n\r\n" + GOOD + b"garbage after it\r\n\r\n",
    (PREDICT + b"Content-Length: 31\r\n\r\n" + GOOD) * 20,
    b"GET /healthz HTTP/1.1\r\n\r\n" * 2000,
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\n{}{}{}",
    b"GET /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc",
)
PIECES = (
    *(b"GET ", b"POST ", b"/", b"/v1/predict", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\n", b"\r", b"\x00", b" ", b"\t"),
    *(b":", HOST, JSON, b"Content-Length: ", b"Transfer-Encoding: chunked\r\n", b"31", b"0", b"-1", b"{}", GOOD),
    *(
        b"\r\n\r\n",
        b"Connection: close\r\n",
        b"Connection: keep-alive\r\n",
        b"Expect: 100-continue\r\n",
        b"?",
        b"%",
        b"#",
    ),
    *(b"HEAD ", b"OPTIONS ", b"Upgrade: websocket\r\n", b"Connection: upgrade\r\n", b"\xff", b"f\r\n", b"0\r\n\r\n"),
)
SCRAPS = ("text", "texts", "label", "labels", "top", "a", "", "\x00", "\U0001f600", "é", "sport", "\ud800", "n", "NaN")
SILENCE_SECONDS = 0.25
"""A server that sends nothing for this time is waiting for more input."""


class RawResponse(NamedTuple):
    """A response, with its media type and body."""

    status: int
    kind: str
    body: bytes


# -- requests -------------------------------------------------------------------------------------------------------


def post(path: bytes, body: bytes, more: bytes = b"") -> bytes:
    """Return a complete POST request with any body."""
    return b"POST %b HTTP/1.1\r\n%b%bContent-Length: %d\r\n%b\r\n%b" % (path, HOST, JSON, len(body), more, body)


def listed_requests() -> Iterator[bytes]:
    """Yield all requests of the tables."""
    yield from FRAMES
    for path in (b"/v1/predict", b"/v1/explain", b"/v1/feedback"):
        yield from (post(path, body) for body in BODIES)
    for path in PATHS:
        for method in METHODS if len(path) < 1000 else METHODS[:3]:
            yield method + b" " + path + b" HTTP/1.1\r\n" + HOST + JSON + b"Connection: close\r\n\r\n"
    for host in HOSTS:
        for path in (b"/healthz", b"/healthz/", b"/nowhere", b"/v1/model", b"//", b"/openapi.json"):
            yield b"GET " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n"
        yield post(b"/v1/predict", GOOD).replace(HOST, b"Host: " + host + b"\r\n")


def random_requests(seed: int) -> Iterator[bytes]:
    """Yield random requests without end: bytes, pieces of HTTP, mutated requests, and JSON of all kinds."""
    chance = random.Random(seed)
    while True:
        yield chance.randbytes(chance.randrange(1, 400))
        yield b"".join(chance.choices(PIECES, k=chance.randrange(1, 25)))
        yield mutated(chance, chance.choice([*FRAMES[:20], post(b"/v1/predict", GOOD), post(b"/v1/explain", b"{}")]))
        for path in (b"/v1/predict", b"/v1/explain", b"/v1/feedback"):
            text = json.dumps(random_json(chance, 0), ensure_ascii=chance.random() < 0.5)
            yield post(path, text.encode("utf-8", "surrogatepass"))


def mutated(chance: random.Random, request: bytes) -> bytes:
    """Return a request in which some bytes are changed, missing or repeated."""
    data = bytearray(request)
    for _ in range(chance.randrange(1, 6)):
        begin = chance.randrange(len(data) + 1)
        kind = chance.randrange(3)
        if kind == 0:
            data[begin : begin + 1] = chance.randbytes(1)
        elif kind == 1:
            del data[begin : begin + chance.randrange(1, 10)]
        else:
            data[begin:begin] = data[begin : begin + chance.randrange(1, 30)]
    return bytes(data)


def random_json(chance: random.Random, depth: int) -> Any:
    """Return a random JSON value that shares some names and values with valid requests."""
    kind = chance.randrange(10 if depth < 4 else 7)
    if kind < 3:
        return "".join(chance.choices(SCRAPS, k=chance.randrange(4)))
    if kind < 7:
        return chance.choice([None, True, False, 0, 1, -1, 10**30, 0.5, 1e308, float("nan"), float("-inf"), -(2**63)])
    if kind == 7:
        return [random_json(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(SCRAPS): random_json(chance, depth + 1) for _ in range(chance.randrange(1, 5))}


# -- responses ------------------------------------------------------------------------------------------------------


def responses_to(
    port: int, request: bytes, *, only_one: bool = True, patience: float = SILENCE_SECONDS
) -> list[RawResponse]:
    """Return the responses to some bytes, until one is complete, the server closes, or sends nothing for a while."""
    got = b""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        with suppress(ConnectionResetError, BrokenPipeError):  # the server has closed the connection
            connection.sendall(request)
        connection.settimeout(patience)
        with suppress(TimeoutError, ConnectionResetError):
            while data := connection.recv(1 << 20):
                got += data
                if only_one and is_complete(got):
                    break
    return parse_responses(got)


def is_complete(got: bytes) -> bool:
    """Return whether the data is exactly one complete response."""
    head, separator, body = got.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 100") and separator:
        head, separator, body = body.partition(b"\r\n\r\n")
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return bool(separator and length) and len(body) == int(length)


def parse_responses(got: bytes) -> list[RawResponse]:
    """Return the responses in the data; the last one may be cut off."""
    responses = []
    while got.startswith(b"HTTP/1.1 "):
        head, _, got = got.partition(b"\r\n\r\n")
        fields = dict(line.lower().partition(b": ")[::2] for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", b"0"))
        if not got.startswith(b"HTTP/1.1 "):  # a response to HEAD announces a body that does not follow
            body, got = got[:length], got[length:]
        else:
            body = b""
        responses.append(RawResponse(int(head[9:12]), fields.get(b"content-type", b"").decode(), body))
    assert not got, got[:200]
    return responses


def problem_with(response: RawResponse) -> str | None:
    """Return what is wrong with a response, or None."""
    if response.status >= 500 and response.status != 503:
        return f"{response.status}: {response.body[:300]!r}"
    if response.status < 400 or not response.body:
        return None
    try:
        error = json.loads(response.body)["error"]
        texts = [error["code"], error["message"], *(error.get(name, "-") for name in ("setting", "hint", "place"))]
        is_error = error.keys() <= ERROR_FIELDS and all(isinstance(text, str) for text in texts) and all(texts[:2])
    except (ValueError, KeyError, TypeError):
        is_error = False
    return None if is_error and response.kind == "application/json" else f"not an error in the usual format: {response}"
