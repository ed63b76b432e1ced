"""The log: lines on stderr, from which everything secret is struck out."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable

STRUCK = "[secret]"
# What looks like a secret, even one that no setting holds: another workspace's token, an answer's address.
_SHAPES = re.compile(
    r"xox[a-z]-[\w.-]+|xapp-[\w-]+"  # Slack's tokens
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's
    r"|(?<=/webhooks/)\d+/[\w-]+|(?<=/interactions/)\d+/[\w-]+"  # whoever has these can answer for us
    r"|https://hooks\.slack\.com/\S+"
    r"|(?<=[Bb]earer )\S+|(?<=Bot )[\w-]+\.\S+"
)


class Redacting(logging.Formatter):
    """Formats a record whole, traceback and all, then strikes the secrets out: so none can slip in by a side door."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The line(s) of a record without secrets."""
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, STRUCK)
        return _SHAPES.sub(STRUCK, text)


def set_up_logging(level: str, secrets: Iterable[str]) -> None:
    """Send all logging of this process to stderr, from `level` on. Libraries' chatter below WARNING stays out."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for library in ("aiosqlite", "asyncio", "aiohttp.access"):
        logging.getLogger(library).setLevel(logging.WARNING)
