"""List the addresses on which a process accepts connections."""

from __future__ import annotations

import os
import struct
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

LISTENS = "0A"


def listening(pid: int) -> set[tuple[IPv4Address | IPv6Address, int]]:
    """Return the address and port of every TCP socket on which a process listens."""
    ours = _sockets(pid)
    endpoints = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and inode in ours:
                address, port = local.split(":")
                endpoints.add((_address(address), int(port, 16)))
    return endpoints


def _sockets(pid: int) -> set[str]:
    inodes = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            target = os.readlink(link)
            if target.startswith("socket:["):
                inodes.add(target[len("socket:[") : -1])
    return inodes


def _address(digits: str) -> IPv4Address | IPv6Address:
    """Return the address from words of four bytes in this machine's order; IPv4 may be written as IPv6."""
    words = [int(digits[start : start + 8], 16) for start in range(0, len(digits), 8)]
    address = ip_address(struct.pack(f"={len(words)}I", *words))
    return getattr(address, "ipv4_mapped", None) or address
