"""The log: lines on stderr, from which everything secret is struck out."""

import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from bot.rules.errors import UserError

STRUCK = "[secret]"
# What looks like a secret, even one that no setting holds: another workspace's token, an answer's
# address.
_SHAPES = re.compile(
    r"xox[a-z]-[\w.-]+|xapp-[\w-]+"  # Slack's tokens
    r"|[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's
    r"|(?<=/webhooks/)\d+/[\w-]+|(?<=/interactions/)\d+/[\w-]+"  # whoever has these can answer for us
    r"|https://hooks\.slack(?:-gov)?\.com/\S+"
    r"|(?<=[Bb]earer )\S+|(?<=Bot )[\w-]+\.\S+"
)
# A value by its name, in JSON, in a dict as Python shows it, in an address or a header.
_NAMED = re.compile(
    r"""(\b\w*(?:token|ticket|secret|authorization|response_url)["']?\s*[:=]\s*["']?)"""
    r"""((?:bearer |bot )?[^\s"'&,;<>)}\]]{4,})""",
    re.IGNORECASE,
)
TOO_MUCH = ("discord", "slack_sdk", "slack_bolt", "adapters.slack.bolt", "aiohttp")
"""Libraries whose DEBUG lines show whole payloads: tokens, and what people typed. They never go
below INFO.
"""

CONNECTING = ("discord.client", "discord.shard", "discord.gateway")

log = logging.getLogger(__name__)


class Redacting(logging.Formatter):
    """Formats a record whole, traceback and all, then strikes the secrets out: so none can slip
    in by a side door.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
        self._secrets = sorted(
            {secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True
        )

    def format(self, record: logging.LogRecord) -> str:
        """The line(s) of a record without secrets."""
        return self.remove_secrets(super().format(record))

    def remove_secrets(self, text: str) -> str:
        """`text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, STRUCK)
        return _NAMED.sub(rf"\1{STRUCK}", _SHAPES.sub(STRUCK, text))


class RedactingJson(Redacting):
    """The same as one JSON object a line, for whoever collects logs."""

    def format(self, record: logging.LogRecord) -> str:
        """The record without secrets: time (UTC), level, logger, message, and what it says in
        fields.
        """
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        said = {
            "time": at,
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            said["trace"] = self.formatException(record.exc_info)
        said = {name: self.remove_secrets(value) for name, value in said.items()}
        return json.dumps({**said, **getattr(record, "fields", {})}, ensure_ascii=False)


class Seldom(logging.Filter):
    """Lets each kind of line through once a minute, with the number of those that were left out.

    Two lines are of one kind that have the same words before what is filled in (`log.error("no %s",
    word)`).
    """

    EVERY = 60.0
    KINDS = 200

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._next: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is written."""
        kind = str(record.msg).partition("\n")[0][:100]
        now = self._clock()
        if now < self._next.get(kind, 0.0):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return False
        if len(self._next) >= self.KINDS:
            self._next.clear()
            self._left_out.clear()
        self._next[kind] = now + self.EVERY
        if left_out := self._left_out.pop(kind, 0):
            record.msg = f"{record.getMessage()} (and {left_out} more like it before)"
            record.args = ()
        return True


def get_seldom_logger(name: str) -> logging.Logger:
    """A logger for what may come a thousand times in a second: each kind of line once a minute."""
    logger = logging.getLogger(name)
    if not any(isinstance(known, Seldom) for known in logger.filters):
        logger.addFilter(Seldom())
    return logger


class OneLine(logging.Filter):
    """Of a library that connects anew by itself: why, in its line. The traceback comes at DEBUG."""

    BEGINS = ("Attempting a reconnect", "Failed to connect")

    def filter(self, record: logging.LogRecord) -> bool:
        """See logging.Filter."""
        trace = record.exc_info
        if trace and trace[1] is not None and str(record.msg).startswith(self.BEGINS):
            log.debug("%s", record.getMessage(), exc_info=trace)
            record.msg = f"{record.getMessage()} ({type(trace[1]).__name__}: {trace[1]})"
            record.args = ()
            record.exc_info = record.exc_text = None
        return True


def log_failure(log: logging.Logger, what: str, error: Exception) -> None:
    """One line for work beside commands that failed and is done again; whole, where the fault is
    ours. A database that is away says so itself, in one line for all that waits for it."""
    if isinstance(error, UserError):
        log.log(logging.DEBUG if error.is_passing else logging.ERROR, f"{what}: %s", error.message)
    else:
        log.error(f"{what}: %s", error, exc_info=error)


def set_up_logging(level: str, secrets: Iterable[str], form: str = "text") -> None:
    """Send all logging of this process to stderr, from `level` on. Libraries' chatter below
    WARNING stays out.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(RedactingJson(secrets) if form == "json" else Redacting(secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    get_seldom_logger(
        "asyncio"
    )  # when no more files can be opened it says so, whole, for each connection
    for name in CONNECTING:
        logging.getLogger(name).addFilter(OneLine())
    for library in TOO_MUCH:
        logging.getLogger(library).setLevel(max(logging.INFO, root.level))
    for library in ("aiosqlite", "asyncio", "aiohttp.access"):
        logging.getLogger(library).setLevel(logging.WARNING)
