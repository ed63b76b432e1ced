"""What a supervisor of the systemd kind is told: that the bot is ready, that it lives, how it is, that it ends."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Supervisor:
    """Speaks to the socket that the environment names; without one nobody listens."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        path = environ.get("NOTIFY_SOCKET", "")
        self._address = f"\0{path[1:]}" if path.startswith("@") else path

    def __bool__(self) -> bool:
        return bool(self._address)

    def tell(self, *lines: str) -> None:
        """Say it, such as READY=1; a supervisor that does not listen is no reason to stop."""
        if not self._address:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            try:
                sender.sendto("\n".join(lines).encode(), self._address)
            except OSError:
                pass
