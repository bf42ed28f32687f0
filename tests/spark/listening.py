"""The addresses on which a process accepts connections, as the kernel lists them."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

LISTENS = "0A"


def listening(pid: int) -> set[tuple[IPv4Address | IPv6Address, int]]:
    """Address and port of every TCP socket on which a process listens."""
    ours = _sockets(pid)
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and inode in ours:
                address, port = local.split(":")
                found.add((_address(address), int(port, 16)))
    return found


def _sockets(pid: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            target = os.readlink(link)
            if target.startswith("socket:["):
                found.add(target[len("socket:[") : -1])
    return found


def _address(digits: str) -> IPv4Address | IPv6Address:
    """Words of four bytes in the order of this machine; an IPv4 address may be written as one of IPv6."""
    words = [int(digits[start : start + 8], 16) for start in range(0, len(digits), 8)]
    address = ip_address(struct.pack(f"={len(words)}I", *words))
    return getattr(address, "ipv4_mapped", None) or address
