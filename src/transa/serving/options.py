"""What a server is told before it starts, and what it lets a request ask for."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Limits:
    """What a request may cost. Every one of them is answered, if need be with a refusal.

    Attributes:
        body: bytes of a request's body.
        batch: questions in one request.
        k: answers to a question.
        seconds: until a request is given up.
        head_seconds: for a client to send the head of its request, and between parts of a body.
        connections: open at a time.
        waiting: questions that wait for a kernel at a time.
    """

    body: int = 4 << 20
    batch: int = 1000
    k: int = 1000
    seconds: float = 30.0
    head_seconds: float = 10.0
    connections: int = 1000
    waiting: int = 20_000


@dataclass(frozen=True)
class Serving:
    """How a model folder is served.

    Attributes:
        folder: the model folder.
        host: the address to listen at.
        port: 0 takes one that is free.
        token: that every request must show; None asks for none.
        look_seconds: between two looks whether the folder has been replaced.
        threads: of a kernel call; 0 means all cores.
    """

    folder: Path
    host: str = LOOPBACK
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    look_seconds: float = 1.0
    threads: int = 0
    limits: Limits = Limits()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
