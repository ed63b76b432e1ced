"""What people see, and what they did: plain records that both platforms share and the invariants
read.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.people import Spot

Json = dict[str, Any]


@dataclass(slots=True, eq=False)
class Request:
    """One thing that somebody did. `token` stays the same when it is delivered again."""

    number: int
    who: str
    spot: Spot
    doing: str  # the command as text, or the action of a button
    at: float
    message: Shown | None = None  # the one pressed on
    file: str = ""
    word: str = ""  # the word by which its label is known
    receipt: float | None = (
        None  # when the platform was told that the bot is at work (Discord: thinking; Slack: ack)
    )
    shown: list[Shown] = field(default_factory=list)
    commits: int = 0  # how many there were when it began
    crashed: bool = False  # whether a process that had it was killed meanwhile

    @property
    def is_press(self) -> bool:
        """Whether it is a button."""
        return self.message is not None

    @property
    def token(self) -> str:
        """Its id on the platform."""
        return str(7_000_000 + self.number)

    def __str__(self) -> str:
        what = f"presses {self.doing}" if self.is_press else f"types {self.doing}"
        return f"{self.who} {what} in {self.spot.key} (request {self.number})"


@dataclass(slots=True, eq=False)
class Shown:
    """A message as it stands. `viewer` is the only one who sees it, or ""."""

    number: int
    spot: Spot
    text: str
    key: str = ""  # the same for the same answer
    viewer: str = ""
    buttons: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()  # what its menus do
    files: tuple[str, ...] = ()
    late: bool = False  # whether it says that it may stand there twice: (late) on Discord, (perhaps ...) on Slack
    answers: Request | None = None
    body: Json = field(default_factory=dict)
    loading: bool = False
    deleted: bool = False
    nonce: str = ""
    at: float = 0.0

    @property
    def stands(self) -> bool:
        """Whether it can be read."""
        return not self.deleted and not self.loading

    def is_seen_by(self, who: str) -> bool:
        """Whether this person can read it."""
        return self.stands and (self.viewer == who if self.viewer else who in self.spot.members)


REQUEST: ContextVar[Request | None] = ContextVar("REQUEST", default=None)
"""What the running task is about; tasks inherit it."""
