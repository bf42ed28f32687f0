"""What is called a master: where it listens, whether it answers, and whether it needs a Java here.

Spark itself would try for minutes to reach a master that is not there, and say in pages that it has no Java.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import time

from ..errors import InputError, MissingPackage

CONNECT = "sc://"
PATIENCE = 20.0
"""Seconds that a master has to answer; one that was started a moment ago needs some."""

_PORTS = {"spark": 7077, "sc": 15002}
_KINDS = re.compile(r"local($|\[|-cluster)|yarn|(spark|k8s|sc)://")
_ADDRESS = re.compile(r"(?:\[(?P<six>[^\]]+)\]|(?P<host>[^:/;\[\]]+))(?::(?P<port>\d+))?")


def is_of_connect(master: str | None) -> bool:
    """Whether a session would be one of Connect, for which no Java is needed here."""
    return called(master).startswith(CONNECT)


def called(master: str | None) -> str:
    """The master that is named, here or in the environment; an empty text if none is."""
    return master or os.environ.get("SPARK_REMOTE", "")


def addresses(master: str) -> list[tuple[str, int]]:
    """Where a master or a Connect server listens; none if its kind is not one that is simply called."""
    kind, found, rest = master.partition("://")
    if not found or kind not in _PORTS:
        return []
    hosts = rest.split(",") if kind == "spark" else [re.split(r"[/;]", rest)[0]]
    matches = [_ADDRESS.fullmatch(each) for each in hosts]
    if not all(matches):
        raise InputError(f"master={master!r} is no address; write {kind}://HOST:{_PORTS[kind]}.")
    return [(each["six"] or each["host"], int(each["port"] or _PORTS[kind])) for each in matches if each]


def require_master(master: str | None) -> None:
    """Stop if no kind of master is called so; Spark would only say that its Java has ended."""
    if master and not _KINDS.match(master):
        like = f"spark://{master}" if ":" in master and "/" not in master else "spark://HOST:7077"
        raise InputError(
            f"master={master!r} is none; write {like} for a cluster, sc://HOST:15002 for a Connect server, yarn, "
            "k8s://..., or local[2] for two cores of this machine."
        )


def require_answer(master: str | None, patience: float = PATIENCE) -> None:
    """Stop if nobody listens where a master should be; of several, one is enough."""
    places, end = addresses(called(master)), time.monotonic() + patience
    problems = _silent(places, patience)
    while len(problems) == len(places) > 0 and time.monotonic() < end:
        time.sleep(0.2)
        problems = _silent(places, patience)
    if problems and len(problems) == len(places):
        raise InputError(
            f"master={called(master)!r} does not answer ({'; '.join(problems)}). Start it, correct the address, or "
            "leave it out to use this machine's cores."
        )


def _silent(places: list[tuple[str, int]], patience: float) -> list[str]:
    """What is wrong with the places at which nobody answers."""
    problems = []
    for host, port in places:
        try:
            socket.create_connection((host, port), patience).close()
        except OSError as problem:
            problems.append(f"{host}:{port}: {problem.strerror or problem}")
    return problems


def require_java() -> None:
    """Stop if there is no Java where Spark would look for it."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(os.path.join(home, "bin", "java") if home else "java") is None:
        where = f"JAVA_HOME is {home}, and has none" if home else "there is none on this machine"
        raise MissingPackage(
            f"Spark needs Java 17 or later, and {where}. Install it (Debian: apt install openjdk-17-jre-headless), or "
            "use a Connect server, which has its own: sc://HOST:15002."
        )
