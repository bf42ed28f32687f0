"""Access rights, limits of requests, security headers and the log."""

from __future__ import annotations

import hmac
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.processes import wait_for
from tests.serve.servers import Server, running_server, send
from textsieve.errors import InputError
from textsieve.serve.api_errors import ApiError
from textsieve.serve.guard import AccessPolicy, host_name
from textsieve.serve.limits import BODIES_AT_ONCE, Limits
from textsieve.serve.server import TOKEN_VARIABLE, is_loopback, open_listener, token_from_environment

Service = Callable[[str], Server]


def resident(pid: int) -> int:
    """Return the peak memory of a process, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    (kilobytes,) = re.findall(r"^VmHWM:\s+(\d+) kB$", status, re.M)
    return int(kilobytes) << 10


SECRET = "a token with blanks, and more than 20 characters"


@pytest.fixture(scope="module")
def small(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with low limits and a token."""
    options = ["--max-body", "2000", "--max-documents", "3", "--max-length", "100", "--allow-host", "Sieve.Example"]
    folder = tmp_path_factory.mktemp("small")
    with running_server(models["single"], folder, *options, env={TOKEN_VARIABLE: SECRET}) as server:
        yield server


def bearer(token: str = SECRET) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_requests_without_the_token_are_unauthorized(small: Server) -> None:
    for wrong in ({}, bearer(""), bearer(SECRET[:-1]), bearer(SECRET + "x"), {"authorization": f"Basic {SECRET}"}):
        for path, body in (("/v1/predict", {"texts": []}), ("/v1/model", None), ("/metrics", None), ("/nothing", None)):
            response = send(small, path, body, **wrong)
            assert (response.status, response.code) == (401, "unauthorized")
            assert response.headers["www-authenticate"] == "Bearer"
    assert send(small, "/v1/predict", {"texts": ["goal"]}, **bearer()).status == 200
    for path in ("/", "/docs", "/healthz", "/openapi.json"):
        assert send(small, path).status == 200


def test_the_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    assert token_from_environment() is None
    monkeypatch.setenv(TOKEN_VARIABLE, SECRET)
    assert token_from_environment() == SECRET
    for wrong in ("", " ", " a", "naïve", "a\nb"):
        monkeypatch.setenv(TOKEN_VARIABLE, wrong)
        with pytest.raises(InputError, match=f"^{TOKEN_VARIABLE} is set to an invalid token"):
            token_from_environment()


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[int, int]] = []

    def compare(given: bytes, right: bytes) -> bool:
        compared.append((len(given), len(right)))
        return given == right

    monkeypatch.setattr(hmac, "compare_digest", compare)
    scope = {"method": "GET", "path": "/v1/model", "headers": []}
    for token in ("", "x", SECRET[:-1], SECRET * 2):
        with pytest.raises(ApiError):
            AccessPolicy(None, SECRET).check(scope, {b"authorization": f"Bearer {token}".encode()})
    AccessPolicy(None, SECRET).check(scope, {b"authorization": f"bearer {SECRET}".encode()})
    assert compared == [(32, 32)] * 5  # digests have one length, whatever was sent


def test_the_repr_does_not_show_the_token() -> None:
    assert SECRET not in repr(AccessPolicy(token=SECRET))


def test_other_host_names_are_forbidden(small: Server) -> None:
    for host in ("localhost", "127.0.0.1:80", "[::1]:8000", "sieve.example", "SIEVE.example:81"):
        assert send(small, "/v1/model", host=host, **bearer()).status == 200
    for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::2]"):
        response = send(small, "/v1/model", host=host, **bearer())
        assert (response.status, response.code) == (403, "forbidden")


REPEATED = {
    "host": "127.0.0.1",
    "origin": "http://localhost",
    "authorization": f"Bearer {SECRET}",
    "content-type": "application/json",
    "content-length": "12",
}


@pytest.mark.parametrize("name", REPEATED)
def test_repeated_security_headers_are_an_error(small: Server, name: str) -> None:
    head = f"{HEAD}Content-Length: 12\r\nConnection: close\r\nOrigin: http://localhost\r\n"
    body = '\r\n{"texts":[]}'
    assert raw(small, (head + "X: 1\r\nX: 1\r\n" + body).encode()).startswith(b"HTTP/1.1 200 OK")
    response = raw(small, (head + f"{name}: {REPEATED[name]}\r\n" + body).encode())
    assert response.startswith(b"HTTP/1.1 400 Bad Request")
    assert b'"code":"malformed"' in response


TARGETS = {
    "http://localhost/v1/model": 200,
    "http://127.0.0.1:80/v1/model": 200,
    "http://[::1]:80/v1/model": 200,
    "HTTP://sieve.example/v1/model": 200,
    "http://evil.example/v1/model": 403,
    "https://evil.example:81/v1/model": 403,
    "http://localhost@evil.example/v1/model": 400,
    "http://evil.example@localhost/v1/model": 400,
    "ftp://localhost/v1/model": 400,
    "localhost/v1/model": 400,
    "http:///v1/model": 400,
    "*": 400,
}


@pytest.mark.parametrize("target", TARGETS)
def test_the_host_of_an_absolute_target_is_checked_like_the_header(small: Server, target: str) -> None:
    for host in ("Host: localhost\r\n", ""):
        head = f"GET {target} HTTP/1.1\r\n{host}Authorization: Bearer {SECRET}\r\nConnection: close\r\n\r\n"
        assert raw(small, head.encode()).startswith(b"HTTP/1.1 %d " % TARGETS[target])


def test_a_repeated_host_beside_an_absolute_target_is_an_error(small: Server) -> None:
    head = "GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(small, head.encode()).startswith(b"HTTP/1.1 400 ")


def test_trailers_are_not_headers_of_the_request(small: Server) -> None:
    head = HEAD.replace(f"Authorization: Bearer {SECRET}\r\n", "")
    body = f"Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\nAuthorization: Bearer {SECRET}\r\n\r\n"
    assert raw(small, (head + body).encode()).startswith(b"HTTP/1.1 401 ")


def test_host_names_are_parsed() -> None:
    names = {"A.b:80": "a.b", "a": "a", "[::1]:8000": "::1", "[::1]": "::1", ":80": "", "": ""}
    names |= dict.fromkeys(("[::1", "[127.0.0.1]x", "localhost:x", "a:1:2", "::1"), "")
    assert {name: host_name(name.encode()) for name in names} == names


def test_requests_from_other_sites_are_forbidden(service: Service) -> None:
    server = service("single")
    address = f"127.0.0.1:{server.port}"
    assert send(server, "/v1/predict", {"texts": []}, host=address, origin=f"http://{address}").status == 200
    # The origin has https if a proxy handles TLS.
    assert send(server, "/v1/predict", {"texts": []}, host=address, origin=f"https://{address}").status == 200
    others = ["http://evil.example", "null", f"http://evil.example:{server.port}", "http://127.0.0.1:1", "", address]
    schemes = [
        f"{scheme}://{address}" for scheme in ("file", "chrome-extension", "httpx", "HTTP", "", "http://evil.example")
    ]
    for origin in (*others, *schemes):
        assert send(server, "/v1/predict", {"texts": []}, host=address, origin=origin).code == "forbidden"


def test_other_content_types_are_an_error(service: Service) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        response = send(service("single"), "/v1/predict", {"texts": []}, content_type=kind)
        assert (response.status, response.code) == (415, "not_json")
    assert (
        send(service("single"), "/v1/predict", {"texts": []}, content_type="Application/JSON; charset=utf-8").status
        == 200
    )


def test_requests_above_a_limit_are_an_error(small: Server) -> None:
    def code_for(texts: list[str]) -> str:
        return send(small, "/v1/predict", {"texts": texts}, **bearer()).code

    assert code_for(["goal"] * 4) == "too_many"
    assert code_for(["g" * 101]) == "too_long"
    assert code_for(["g" * 2000]) == "too_large"
    assert send(small, "/v1/explain", {"text": "g" * 101}, **bearer()).code == "too_long"
    assert send(small, "/v1/predict", {"texts": ["g" * 100] * 3}, **bearer()).status == 200


def test_finished_bodies_no_longer_count(small: Server) -> None:
    body = {"texts": ["g" * 100] * 3}
    wrong = {"texts": ["g" * 1900]}
    for _ in range(2 * BODIES_AT_ONCE * 2000 // 300):
        assert send(small, "/v1/predict", body, **bearer()).status == 200
        assert send(small, "/v1/predict", wrong, **bearer()).status == 422


def raw(server: Server, request: bytes) -> bytes:
    """Send bytes, and return everything that the server sends until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(request)
        response = b""
        while more := connection.recv(1 << 16):
            response += more
    return response


HEAD = (
    "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    f"Authorization: Bearer {SECRET}\r\n"
)


def test_a_chunked_body_is_read_up_to_the_limit(small: Server) -> None:
    head = f"{HEAD}Transfer-Encoding: chunked\r\n".encode()
    body = b'{"texts": ["goal"]}'
    chunked_body = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    assert b"HTTP/1.1 200 OK" in raw(small, head + b"Connection: close\r\n\r\n" + chunked_body)
    response = raw(small, head + b"\r\n" + b"400\r\n" + b" " * 1024 + b"\r\n400\r\n" + b" " * 1024 + b"\r\n")
    assert response.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"too_large"' in response


def test_a_body_is_rejected_by_its_announced_length(small: Server) -> None:
    for length, expect in ((2001, ""), (1 << 30, ""), (1 << 30, "Expect: 100-continue\r\n")):
        response = raw(small, f"{HEAD}Content-Length: {length}\r\n{expect}\r\n".encode())
        assert response.startswith(b"HTTP/1.1 413 ")
        assert b"connection: close" in response
        assert b"may have at most 2,000 bytes" in response


def test_all_responses_have_security_headers(service: Service) -> None:
    server = service("single")
    responses = [
        send(server, "/"),
        send(server, "/docs"),
        send(server, "/v1/model"),
        send(server, "/nothing"),
        send(server, "/v1/predict", {"texts": []}),
        send(server, "/v1/predict", b"{"),
        send(server, "/v1/predict", {}, host="evil.example"),
    ]
    assert [response.status for response in responses] == [200, 200, 200, 404, 200, 422, 403]
    for response in responses:
        assert response.headers["x-content-type-options"] == "nosniff"
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "server" not in response.headers
    assert responses[0].headers["referrer-policy"] == "no-referrer"
    assert "script-src 'self';" in responses[0].headers["content-security-policy"]


def test_an_unchanged_page_is_not_sent_again(service: Service) -> None:
    first = send(service("single"), "/")
    again = send(service("single"), "/", if_none_match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert send(service("single"), "/", method="HEAD").body == b""


def test_the_log_contains_no_text(small: Server) -> None:
    send(small, "/v1/predict", {"texts": ["confidential goal", "secret"]}, **bearer())
    send(small, "/v1/explain", {"text": "confidential goal"}, **bearer())
    send(small, "/v1/terms?q=confidential", **bearer())
    send(small, "/confidential%0aGET", **bearer())
    wait_for(lambda: "GET other 404" in small.log or None, lambda: small.log)
    assert " 127.0.0.1 POST /v1/predict 200 2 documents " in small.log
    assert " 127.0.0.1 POST /v1/explain 200 1 document " in small.log
    assert " 127.0.0.1 GET /v1/terms 200 " in small.log
    assert "confidential" not in small.log
    assert "secret" not in small.log
    assert SECRET not in small.log


def test_loopback_addresses_are_recognized_and_used_ports_are_an_error() -> None:
    for address in ("127.0.0.1", "127.0.0.2", "127.1", "localhost"):
        with open_listener(address, 0) as listener:
            assert is_loopback(listener)
    with (
        open_listener("127.0.0.1", 0) as listener,
        pytest.raises(InputError, match=r"^Can't listen on 127\.0\.0\.1, port"),
    ):
        open_listener("127.0.0.1", listener.getsockname()[1])


def test_another_name_of_a_loopback_address_still_checks_hosts(models: dict[str, Path], tmp_path: Path) -> None:
    with running_server(models["single"], tmp_path, "--host", "127.1") as server:
        assert send(server, "/v1/model", host="evil.example").code == "forbidden"
        assert send(server, "/v1/model", host="127.1").status == 200


def test_limits_must_be_numbers_above_0() -> None:
    for name in ("body", "documents", "length", "seconds", "requests"):
        wrong: Any
        for wrong in (0, -1, True, "1", float("inf"), None):
            with pytest.raises(InputError, match=f"^{name}="):
                Limits(**{name: wrong})
    assert Limits(seconds=0.5).seconds == 0.5


def test_errors_are_counted_by_route_and_status(small: Server) -> None:
    for _ in range(2):
        send(small, "/v1/predict", {"texts": []})
    send(small, "/v1/predict", {"texts": []}, content_type="text/plain")
    response = send(small, "/metrics", **bearer()).body.decode()
    assert 'textsieve_requests_total{path="/v1/predict",status="401"}' in response
    assert 'textsieve_requests_total{path="/v1/predict",status="415"} 1.0' in response


def test_a_body_full_of_errors_takes_little_time_and_memory(service: Service) -> None:
    for body in (b'{"texts":[' + b"1," * 2_000_000 + b"1]}", b'{"texts":[' + b'"",' * 2_000_000 + b'""]}'):
        response = send(service("single"), "/v1/predict", body)
        assert response.status == 422
        assert len(response.body) < 500
    assert resident(service("single").pid) < 600 << 20  # one error per item would take thousands of megabytes


def test_an_error_has_its_status_and_headers() -> None:
    assert (ApiError("busy", "x").status, ApiError("busy", "x").headers[1]) == (503, (b"retry-after", b"1"))


def test_the_log_has_no_lines_for_the_files_of_a_page(service: Service) -> None:
    server = service("single")
    for path in ("/page.js", "/page.css", "/docs"):
        assert send(server, path).status == 200
    assert send(server, "/page.js", host="evil.example").status == 403
    wait_for(lambda: "GET /page.js 403" in server.log or None, lambda: server.log)
    assert "GET /docs 200" in server.log
    assert "GET /page.js 200" not in server.log
    assert "GET /page.css" not in server.log
    assert 'textsieve_requests_total{path="/page.css",status="200"}' in send(server, "/metrics").body.decode()
