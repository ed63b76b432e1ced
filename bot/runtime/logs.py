"""The log: lines on stderr, without secrets."""

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
"""Libraries whose DEBUG lines show whole payloads, with tokens and typed text. They never go below
INFO.
"""

CONNECTING = ("discord.client", "discord.shard", "discord.gateway")

log = logging.getLogger(__name__)


class Redacting(logging.Formatter):
    """A formatter that removes secrets from the finished text of a record, its traceback included."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
        self._secrets = sorted(
            {secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True
        )

    def format(self, record: logging.LogRecord) -> str:
        """Return the lines of a record without secrets."""
        return self.remove_secrets(super().format(record))

    def remove_secrets(self, text: str) -> str:
        """Return `text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, STRUCK)
        return _NAMED.sub(rf"\1{STRUCK}", _SHAPES.sub(STRUCK, text))


class RedactingJson(Redacting):
    """A formatter like Redacting that writes one JSON object a line, for log collectors."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one JSON object.

        It holds time (UTC), level, logger, message, any traceback, and the record's `fields`.
        Secrets are removed from all but the fields, which must not hold any.
        """
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        texts = {
            "time": time,
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            texts["trace"] = self.formatException(record.exc_info)
        texts = {name: self.remove_secrets(value) for name, value in texts.items()}
        fields = getattr(record, "fields", {})
        return json.dumps({**texts, **fields}, ensure_ascii=False)


class Seldom(logging.Filter):
    """A filter that passes each kind of line once a minute, with the number of lines left out.

    Two lines are of one kind if they have the same format text (`log.error("no %s", word)`).
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
            record.msg = f"{record.getMessage()} ({left_out} more like it since the last one)"
            record.args = ()
        return True


def get_seldom_logger(name: str) -> logging.Logger:
    """Return a logger for frequent lines: it writes each kind of line once a minute."""
    logger = logging.getLogger(name)
    if not any(isinstance(filter_, Seldom) for filter_ in logger.filters):
        logger.addFilter(Seldom())
    return logger


class OneLine(logging.Filter):
    """A filter for a library that reconnects by itself: one line with the reason, the traceback at
    DEBUG.
    """

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


def log_failure(log: logging.Logger, task: str, error: Exception) -> None:
    """Log a failure of background work that is tried again.

    A UserError takes one line, any other error, which is our fault, comes with its traceback. A
    database that is away is logged elsewhere, once for all that waits for it.
    """
    if isinstance(error, UserError):
        level = logging.DEBUG if error.is_passing else logging.ERROR
        log.log(level, f"{task}: %s", error.message)
    else:
        log.error(f"{task}: %s", error, exc_info=error)


def set_up_logging(level: str, secrets: Iterable[str], form: str = "text") -> None:
    """Send all logging of this process to stderr, from `level` on, in place of earlier handlers.

    `form` is `text` or `json`. `secrets` are removed from the lines. The libraries in TOO_MUCH
    begin at INFO at the lowest, those of SQLite, HTTP requests and asyncio at WARNING.
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
