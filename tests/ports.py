"""Ports for bots that tests start: a bot binds its port seconds after it was chosen, and nobody
may have it by then.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import cycle

HERE = ("127.0.0.1", 0)
"""A port of this machine that the system chooses."""
FIRST, EACH = (
    12_000,
    1_200,
)  # below what Linux and macOS give to connections; so many for each process of pytest


@cache
def _mine() -> Iterator[int]:
    """This process's own ports, one behind the other, so that none is given twice before all
    others were.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 16
    start = os.getpid() % EACH
    return cycle(FIRST + worker * EACH + (start + number) % EACH for number in range(EACH))


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, and that neither another test nor a connection
    is given meanwhile.
    """
    for port in _mine():
        with closing(socket.socket()) as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("every port is taken")
