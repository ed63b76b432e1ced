"""What every store promises, and its errors. The Store is in `store`, what goes in and comes out in
`records`.

A command reads with `load_game`, works out what happened, and hands everything that must stand or
fall together to `commit`: events, the roster's new snapshot, the answer, where it goes. When
`commit` returns, it is on the disk; when it raises, nothing of it is. So nobody sees an answer that
could get lost.

    saved = await store.load_game("discord:guild:channel")   # or None: nothing played here yet
    ...
    change = GameChange(saved.game.id, saved.game.version, events)
    done = await store.commit(Commit(request_id, reply, changes=(change,)))
    post(done.reply)                                          # the stored one, if the request came twice

Keys (`place`, `server`, `user`, `request_id`) are the adapters' strings and begin with the
platform: "discord:...", "slack:...", "console:...". JSON objects go in and out as plain dicts, and
are copies. Times are Unix seconds; a store asks its clock, which tests set.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from bot.rules.errors import UserError

Clock = Callable[[], float]

DAY = 86_400.0
REQUESTS_KEPT = 7 * DAY
DRAFTS_KEPT = 30 * DAY
LONGEST_WAIT = 600.0
"""Seconds that no lease and no pause before another attempt exceeds. What is due later than that
was written before the clock was set back: it is due now."""


class StoreError(UserError):
    """Data cannot be read or written: said in words that help player and host. Nothing was
    stored.
    """

    of_store = True
    kind: ClassVar[str] = "store-failed"
    is_sure: ClassVar[bool] = True
    """Nothing of what was asked for can have been stored."""
    is_short: ClassVar[bool] = False
    """It is over in a moment: whoever tries again is served."""

    def __init__(self, message: str, *, hint: str = "", code: str = "") -> None:
        super().__init__(message, hint=hint, code=code or self.kind)
        self.for_host = message
        """The same for a host, who may know more than a player."""


class PassingError(StoreError):
    """Not now: a full disk, a file that another program holds, a server that is away. No setting
    is to be mended.
    """

    is_passing = True


class Conflict(Exception):
    """The game moved on meanwhile (another process): load it again and run the command again."""


class Deleted(Exception):
    """This request was answered before, and the answer deleted since: nothing is done a second
    time.
    """


class CalledOff(Exception):
    """The command was called off before it was stored: nothing of it is."""


@dataclass(slots=True, eq=False)
class Gate:
    """What a commit passes before it writes. Until then it may be called off, also from another
    thread.
    """

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _passed: bool = False
    _closed: bool = False

    def enter(self) -> None:
        """Pass, also more than once. Raises CalledOff."""
        with self._lock:
            if self._closed:
                raise CalledOff
            self._passed = True

    def call_off(self) -> bool:
        """Return whether nothing was written, and nothing will be."""
        with self._lock:
            self._closed = not self._passed
            return self._closed
