"""The guarantees of every store, and its errors. The Store is in `store`, the values that it takes
and returns are in `records`.

A command reads with `load_game`, computes its result, and passes everything that belongs together
to `commit`: events, the new snapshot of the game, the answer, the places to post it. When `commit`
returns, all of that is on the disk; when it raises, none of it is. So nobody sees an answer that
could get lost.

    saved = await store.load_game("discord:guild:channel")   # or None: nothing played here yet
    ...
    change = GameChange(saved.game.id, saved.game.version, events)
    done = await store.commit(Commit(request_id, reply, changes=(change,)))
    post(done.reply)                                          # the stored one, if the request came twice

Keys (`place`, `server`, `user`, `request_id`) are strings of the adapters and begin with the
platform: "discord:...", "slack:...", "console:...". JSON objects are passed and returned as dicts,
which are copies. Times are Unix seconds by the store's clock, which tests set.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from bot.rules.errors import UserError

Clock = Callable[[], float]

DAY = 86_400.0
REQUESTS_KEPT = 7 * DAY
"""Seconds for which requests are kept with their answers."""
DRAFTS_KEPT = 30 * DAY
"""Seconds for which drafts are kept."""
LONGEST_WAIT = 600.0
"""Maximum seconds of a lease, and of the pause before another attempt. A row with a later due time
was written before the clock was set back, and counts as due now.
"""


class StoreError(UserError):
    """Data could not be read or written. The message helps players and hosts."""

    of_store = True
    kind: ClassVar[str] = "store-failed"
    """The error code, if an error is raised without one."""
    is_sure: ClassVar[bool] = True
    """True if certainly nothing was stored; False if that is not known."""
    is_short: ClassVar[bool] = False
    """True if the error is over in a moment, so that a second attempt helps."""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code or self.kind)
        self.for_host = message
        """The message for a host, who may read more than a player."""


class PassingError(StoreError):
    """An error that passes without a change of settings: a full disk, a file that another program
    has locked, a server that does not answer.
    """

    is_passing = True


class Conflict(Exception):
    """Another process changed the game meanwhile: load it again and run the command again."""


class Deleted(Exception):
    """The request was answered before, and its answer deleted since: it must not run again."""


class CalledOff(Exception):
    """The command was cancelled before it was stored, so nothing was stored."""


@dataclass(slots=True, eq=False)
class Gate:
    """A gate that a commit passes right before it writes. Until then the commit may be cancelled,
    also from another thread.
    """

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _passed: bool = False
    _closed: bool = False

    def enter(self) -> None:
        """Pass the gate, which is possible more than once. Raises CalledOff if the commit was
        cancelled.
        """
        with self._lock:
            if self._closed:
                raise CalledOff
            self._passed = True

    def call_off(self) -> bool:
        """Cancel the commit unless it has passed the gate. Return whether it is cancelled, so that
        nothing is written.
        """
        with self._lock:
            self._closed = not self._passed
            return self._closed
