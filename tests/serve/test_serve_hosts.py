"""The host names that requests may use, and the addresses that `textsieve serve` prints."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result
from starlette.types import ASGIApp, Message

from textsieve.cli.program import program
from textsieve.errors import InputError
from textsieve.serve import create_app, server
from textsieve.serve.guard import LOOPBACK_NAMES, allowed_hosts, checked_hosts, host_name
from textsieve.serve.server import TOKEN_VARIABLE, is_reachable, own_addresses, url_of, urls_for_others

SECRET = "some-token"
WRITE = r"write news\.example\.org, without a scheme, port or path, or a dot at the end; it is allowed with any port\.$"
WRONG = {
    "http://news.example.org/": WRITE,
    "https://News.Example.org:8443/page?q=1#top": WRITE,
    "news.example.org:8000": WRITE,
    "news.example.org.": WRITE,
    "http://[2001:db8:0::1]:80/": "write 2001:db8::1, without",
    "[2001:db8::1]:80": "write 2001:db8::1, without",
    "*.example.org": "wildcards are not supported",
    "*": "wildcards are not supported",
    "": "use a host name such as",
    " ": "use a host name such as",
    "user@news.example.org": "use a host name such as",
    "-news": "use a host name such as",
    "news..org": "use a host name such as",
    "[::1": "use a host name such as",
    "fe80::1%eth0": "use a host name such as",
    "a.example, b.example": "give each host name by itself",
    "a.example b.example": "give each host name by itself",
    "münchen.example": "begins with xn--",
}
"""Names that no request can match, and what the error says."""


@pytest.mark.parametrize("name", WRONG)
def test_names_that_no_request_can_match_are_an_error(name: str) -> None:
    with pytest.raises(InputError, match=WRONG[name]) as caught:
        checked_hosts(["good.example", name])
    assert (caught.value.setting, caught.value.value) == ("hosts", name)


def test_a_single_text_is_not_a_list_of_names() -> None:
    with pytest.raises(InputError, match=r"use a list of host names: \['news\.example'\]"):
        checked_hosts("news.example")


@pytest.mark.parametrize(
    ("name", "requested"),
    [
        ("News.Example", "news.EXAMPLE:81"),
        ("localhost", "localhost"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("textsieve_web", "textsieve_web:8000"),
        ("10.0.0.7", "10.0.0.7:8000"),
        ("2001:DB8:0::5", "[2001:db8::5]:80"),
        ("[2001:db8::5]", "[2001:db8:0:0::5]"),
    ],
)
def test_valid_names_match_the_hosts_of_requests(name: str, requested: str) -> None:
    assert checked_hosts([name]) == [host_name(requested.encode())]


@pytest.mark.parametrize(
    ("own_names", "names", "is_loopback", "allowed"),
    [
        (("127.0.0.1", "127.0.0.1"), (), True, LOOPBACK_NAMES),
        (("Desk", "127.0.1.1"), (), True, {"desk", "127.0.1.1", *LOOPBACK_NAMES}),
        (("127.0.0.1", "127.0.0.1"), ("news.example",), True, {"news.example", *LOOPBACK_NAMES}),
        (("0.0.0.0", "0.0.0.0"), ("news.example",), False, {"0.0.0.0", "news.example", *LOOPBACK_NAMES}),
        (("0.0.0.0", "0.0.0.0"), (), False, None),
    ],
)
def test_health_checks_of_the_same_machine_are_allowed_whatever_names_are_given(
    own_names: tuple[str, str], names: tuple[str, ...], is_loopback: bool, allowed: set[str] | None
) -> None:
    assert allowed_hosts(own_names, names, is_loopback=is_loopback) == allowed


# -- an application in a server of one's own -------------------------------------------------------------------------


async def status_of(app: ASGIApp, path: str, host: str) -> int:
    """Return the status with which an application answers a GET request."""
    sent: list[Message] = []

    async def receive() -> Message:
        raise AssertionError("a GET request has no body")

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", host.encode())]
    await app({"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}, receive, send)
    return int(sent[0]["status"])


def test_an_application_checks_hosts_as_the_command_does(models: dict[str, Path]) -> None:
    path = str(models["single"])
    with pytest.raises(InputError, match=r"^hosts='http://news\.example\.org/'; write news\.example\.org"):
        create_app(path, hosts=["http://news.example.org/"])
    app = create_app(path, hosts=["News.Example"])
    for host in ("news.example:8000", "localhost:8000", "127.0.0.1", "[::1]"):
        assert asyncio.run(status_of(app, "/healthz", host)) == 200
    for other in ("evil.example", "news.example.evil"):
        assert asyncio.run(status_of(app, "/healthz", other)) == 403
    assert asyncio.run(status_of(create_app(path, hosts=None), "/healthz", "any.example")) == 200


@pytest.mark.parametrize("token", ["", " ", "two ", "naïve", "a\nb"])
def test_an_application_checks_its_token_as_the_command_does(models: dict[str, Path], token: str) -> None:
    """An empty token would let in everybody who sends an empty one."""
    with pytest.raises(InputError, match=r"^token: it is empty, .* ASCII; use another token, or None\.$"):
        create_app(str(models["single"]), token=token)


# -- what the command prints -----------------------------------------------------------------------------------------


def bound_to(host: str, port: int = 8000) -> Any:
    """Return a stand-in for a socket that listens on an address which tests don't listen on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = Mock(family=family, getsockname=lambda: (host, port))
    listener.__enter__ = lambda _: listener
    listener.__exit__ = lambda *_: None
    return listener


OWN = {socket.AF_INET: ["192.168.1.5", "10.0.0.7"], socket.AF_INET6: ["2001:db8::5"]}
"""The addresses of a machine in tests."""


def test_the_addresses_that_other_machines_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "own_addresses", OWN.__getitem__)
    assert urls_for_others(bound_to("0.0.0.0")) == ["http://192.168.1.5:8000/", "http://10.0.0.7:8000/"]
    assert urls_for_others(bound_to("::")) == ["http://[2001:db8::5]:8000/"]
    named = urls_for_others(bound_to("0.0.0.0", 80), ("localhost", "news.example", "2001:db8::6"))
    assert named == ["http://news.example:80/", "http://[2001:db8::6]:80/"], (
        "requests with another address as their host would be forbidden, and localhost is another machine there"
    )
    assert urls_for_others(bound_to("0.0.0.0"), ("localhost",)) == []
    assert urls_for_others(bound_to("192.168.1.5")) == [], "the service says this address anyway"
    assert urls_for_others(bound_to("127.0.0.1"), ("news.example",)) == []
    assert urls_for_others(bound_to("::1")) == []


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8000/"),
        ("::", "http://[::1]:8000/"),
        ("127.0.0.1", "http://127.0.0.1:8000/"),
        ("::1", "http://[::1]:8000/"),
        ("192.168.1.5", "http://192.168.1.5:8000/"),
    ],
)
def test_the_address_on_this_machine_can_be_opened(host: str, url: str) -> None:
    assert url_of(bound_to(host)) == url


def test_own_addresses_are_reachable_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(0, 0, 0, "", (address, 0)) for address in ("127.0.1.1", "10.0.0.7", "169.254.3.4", "10.0.0.7")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: entries)
    addresses = own_addresses(socket.AF_INET)
    assert addresses.count("10.0.0.7") == 1
    assert all(map(is_reachable, addresses))
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=socket.gaierror))
    monkeypatch.setattr(socket.socket, "connect", Mock(side_effect=OSError("no network")), raising=False)
    assert own_addresses(socket.AF_INET) == []
    assert [is_reachable(address) for address in ("fe80::1%eth0", "::", "2001:db8::5")] == [False, False, True]


@pytest.fixture
def serve(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    """Return a function that runs the command with options as if it listened on an address, until it is ready."""

    def run(address: str, *options: str, token: str | None = None, own: Any = OWN) -> Result:
        monkeypatch.setattr(server, "open_listener", lambda *_: bound_to(address))
        monkeypatch.setattr(server, "run", lambda *_, ready, **__: ready())
        monkeypatch.setattr(server, "own_addresses", own.__getitem__)
        arguments = ["serve", str(models["single"]), "--host", address, *options]
        return CliRunner().invoke(program, arguments, env={TOKEN_VARIABLE: token}, prog_name="textsieve")

    handler = signal.getsignal(signal.SIGHUP)
    yield run
    signal.signal(signal.SIGHUP, handler)


NO_TOKEN = "other machines can use this service without a token"


def test_the_command_says_who_can_connect_and_with_what(serve: Callable[..., Result]) -> None:
    local = serve("127.0.0.1", token=SECRET)
    assert "at http://127.0.0.1:8000/ (Ctrl-C ends it)\n" in local.stdout
    assert (local.stdout.count("\n"), NO_TOKEN in local.stderr) == (1, False)

    opened = serve("0.0.0.0", token=SECRET)
    assert "at http://127.0.0.1:8000/ (Ctrl-C ends it)\n" in opened.stdout
    others = "Other machines can open http://192.168.1.5:8000/ or http://10.0.0.7:8000/, with the token in"
    assert opened.stdout.splitlines()[1:] == [f"{others} {TOKEN_VARIABLE}"]
    assert NO_TOKEN not in opened.stderr
    assert SECRET not in opened.output

    unprotected = serve("::")
    assert unprotected.stdout.splitlines()[1:] == ["Other machines can open http://[2001:db8::5]:8000/"]
    assert f"{NO_TOKEN}; set {TOKEN_VARIABLE} to a secret to require it." in unprotected.stderr

    named = serve("0.0.0.0", "--allow-host", "News.Example", token=SECRET)
    assert named.stdout.splitlines()[1:] == [
        f"Other machines can open http://news.example:8000/, with the token in {TOKEN_VARIABLE}"
    ]
    proxied = serve("127.0.0.1", "--allow-host", "News.Example")
    assert "other machines can use this service through a proxy without a token; set" in proxied.stderr
    assert "warning: " not in serve("127.0.0.1", "--allow-host", "localhost").stderr
    no_network = serve("0.0.0.0", own={socket.AF_INET: []})
    assert no_network.stdout.count("\n") == 1
    assert NO_TOKEN in no_network.stderr, "a network may come later"


def test_the_command_names_the_option_of_a_wrong_host(serve: Callable[..., Result]) -> None:
    result = serve("127.0.0.1", "--allow-host", "good.example", "--allow-host", "http://news.example.org/")
    assert result.exit_code == 1
    assert result.stdout == ""
    message = "error: --allow-host http://news.example.org/; write news.example.org, without a scheme"
    assert result.stderr.startswith(message), result.stderr


def test_the_size_of_a_body_may_have_a_unit(serve: Callable[..., Result]) -> None:
    assert serve("127.0.0.1", "--max-body", "20MB").exit_code == 0
    assert "use a number of bytes, such as" in serve("127.0.0.1", "--max-body", "large").stderr
