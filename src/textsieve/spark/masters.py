"""Check a Spark master URL: its address, whether it answers, and whether Java is needed on this machine.

Spark itself would try for minutes to reach a master that does not exist, and report a missing Java in pages of text.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import time

from ..errors import InputError, MissingPackage, Setting

CONNECT = "sc://"
CONNECT_TIMEOUT = 20.0
"""Seconds to wait for a master to answer; one that was just started needs some."""

_PORTS = {"spark": 7077, "sc": 15002}
_KINDS = re.compile(r"local($|\[|-cluster)|yarn|(spark|k8s|sc)://")
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:/;\[\]]+))(?::(?P<port>\d+))?")


def is_of_connect(master: str | None) -> bool:
    """Return whether the session would use Spark Connect, which needs no Java on this machine."""
    return called(master).startswith(CONNECT)


def called(master: str | None) -> str:
    """Return the master that is given here or in the environment, or an empty string."""
    return master or os.environ.get("SPARK_REMOTE", "")


def addresses(master: str) -> list[tuple[str, int]]:
    """Return the hosts and ports of a Spark master or Connect server, or an empty list for other kinds of masters."""
    kind, separator, rest = master.partition("://")
    if not separator or kind not in _PORTS:
        return []
    hosts = rest.split(",") if kind == "spark" else [re.split(r"[/;]", rest)[0]]
    matches = [_ADDRESS.fullmatch(host) for host in hosts]
    if not all(matches):
        raise InputError((Setting("master", master), " is no address"), hint=f"write {kind}://HOST:{_PORTS[kind]}")
    return [(match["six"] or match["host"], int(match["port"] or _PORTS[kind])) for match in matches if match]


def require_master(master: str | None) -> None:
    """Raise `InputError` for an unknown kind of master; Spark would only say that its Java process has ended."""
    if master and not _KINDS.match(master):
        like = f"spark://{master}" if ":" in master and "/" not in master else "spark://HOST:7077"
        raise InputError(
            (Setting("master", master), " is none"),
            hint=f"write {like} for a cluster, sc://HOST:15002 for a Connect server, yarn, k8s://..., or local[2] "
            "for two cores of this machine",
        )


def require_answer(master: str | None, timeout: float = CONNECT_TIMEOUT) -> None:
    """Raise `InputError` if no server listens at the master's address; of several addresses, one is enough."""
    endpoints, end = addresses(called(master)), time.monotonic() + timeout
    problems = _connection_errors(endpoints, timeout)
    while len(problems) == len(endpoints) > 0 and time.monotonic() < end:
        time.sleep(0.2)
        problems = _connection_errors(endpoints, timeout)
    if problems and len(problems) == len(endpoints):
        raise InputError(
            (Setting("master", called(master)), f" does not answer ({'; '.join(problems)})"),
            hint="Start it, correct the address, or leave it out to use this machine's cores",
        )


def _connection_errors(endpoints: list[tuple[str, int]], timeout: float) -> list[str]:
    """Return the error of each address that does not accept a connection."""
    problems = []
    for host, port in endpoints:
        try:
            socket.create_connection((host, port), timeout).close()
        except OSError as problem:
            problems.append(f"{host}:{port}: {problem.strerror or problem}")
    return problems


def require_java() -> None:
    """Raise `MissingPackage` if there is no Java where Spark would look for it."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        where = f"JAVA_HOME is {home}, and has none" if home else "there is none on this machine"
        raise MissingPackage(
            f"Spark needs Java 17 or later, and {where}. Install it (Debian: apt install openjdk-17-jre-headless), or "
            "use a Connect server, which has its own: sc://HOST:15002."
        )
