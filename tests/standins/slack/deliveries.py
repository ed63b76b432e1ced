"""One thing Slack tells the app (a command, a press, an event), and how the app acknowledged it."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, field
from uuid import uuid4

from .settings import Json
from .watch import Watch

SLASH = "slash_commands"
INTERACTIVE = "interactive"
EVENT = "events_api"


@dataclass(frozen=True, slots=True)
class Sent:
    """One attempt: loop time, how often it had been tried before, and the exact HTTP request if
    it was one.
    """

    at: float
    retry: int
    connection: int | None = None
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgement: loop time, what it carried, and the HTTP status (0 over a socket)."""

    at: float
    payload: Json | None
    status: int = 0


@dataclass(repr=False)  # they refer to each other: whole, a failure would fill the memory
class Delivery:
    """An envelope. `trouble` is the error the person sees in Slack when no acknowledgement came
    in time.
    """

    kind: str
    payload: Json
    team: str
    id: str = field(default_factory=lambda: str(uuid4()))
    sent: list[Sent] = field(default_factory=list)
    acks: list[Ack] = field(default_factory=list)
    # HTTP answers other than 200: status, body
    refusals: list[tuple[int, str]] = field(default_factory=list)
    trouble: str | None = None
    in_time: bool = False
    # acknowledged, or the first attempt has failed
    first_try: asyncio.Event = field(default_factory=asyncio.Event)
    # its own, so that hundreds at once do not wake one another
    watch: Watch = field(default_factory=Watch)
    number: int = field(default_factory=itertools.count(1).__next__)

    @property
    def ack_time(self) -> float | None:
        """Seconds from the first attempt to the first acknowledgement; None while there is none."""
        return self.acks[0].at - self.sent[0].at if self.acks and self.sent else None

    @property
    def ack_payload(self) -> Json | None:
        """What the first acknowledgement carried, if it came in time."""
        return self.acks[0].payload if self.acks and self.in_time else None

    @property
    def status(self) -> int:
        """The last HTTP status the app answered with; 0 when it has not answered or runs over a
        socket.
        """
        if self.refusals:
            return self.refusals[-1][0]
        return self.acks[-1].status if self.acks else 0
