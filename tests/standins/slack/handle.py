"""What came of something a person did: the acknowledgement, the answers they see, the modal that
opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .deliveries import Delivery
from .messages import SLACKBOT, Message
from .settings import Json
from .views import OpenView

if TYPE_CHECKING:
    from .person import Person
    from .workspace import Channel

Where = Callable[[Message], bool]


def has_words(message: Message) -> bool:
    """Whether it is more than a file."""
    return bool(message.plain or not message.files)


@dataclass(repr=False)  # they refer to each other: whole, a failure would fill the memory
class Handle:
    """`errors` stands under the fields of a submitted modal; `trouble` is the error Slack itself
    shows the person.
    """

    user: Person
    delivery: Delivery
    channel: Channel | None = None
    thread: str | None = None
    message: Message | None = None  # what the person wrote, for a mention or direct message
    since: int = 0
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def ack_time(self) -> float | None:
        """Seconds until the first acknowledgement; None when there was none."""
        return self.delivery.ack_time

    @property
    def ack_payload(self) -> Json | None:
        """What the acknowledgement carried, if it came in time."""
        return self.delivery.ack_payload

    @property
    def in_time(self) -> bool:
        """Whether it was acknowledged within the allowed seconds."""
        return self.delivery.in_time

    @property
    def trouble(self) -> str | None:
        """operation_timeout, dispatch_failed, http_error, … as Slack shows it; None when all is
        well.
        """
        return self.delivery.trouble

    async def acked(self, timeout: float = 60.0) -> float:
        """Wait for an acknowledgement, late ones and those of a repeat included; its seconds."""
        watch = self.user.workspace.slack.watch
        await watch.until(
            lambda: self.delivery.acks,
            timeout=timeout,
            what=f"an acknowledgement of {self.delivery.kind}",
        )
        assert self.ack_time is not None
        return self.ack_time

    def answers_now(self, where: Where | None = None) -> list[Message]:
        """The app's answers this person sees by now, in the order they last changed. A file without
        a word goes with an answer, before it or behind it; whoever looks for it says so."""
        found = [one for one in self._visible() if one.order > self.since and self._mine(one)]
        return sorted(filter(where or has_words, found), key=lambda one: one.order)

    async def answer(
        self, timeout: float = 60.0, *, settle: float = 0.03, where: Where | None = None
    ) -> Message:
        """The last answer, once none has changed for `settle` seconds. Raises AssertionError
        when there is none.
        """
        watch = self.user.workspace.slack.watch
        await watch.until(
            lambda: self.answers_now(where), timeout=timeout, what=f"an answer to {self._what()}"
        )
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        while loop.time() < end:
            found = self.answers_now(where)
            quiet = loop.time() - max((one.changed_at for one in found), default=0.0)
            if found and quiet >= settle:
                return found[-1]
            await asyncio.sleep(max(0.01, settle - quiet if found else 0.05))
        raise AssertionError(f"no lasting answer to {self._what()}")

    async def answers(
        self, count: int, timeout: float = 60.0, where: Where | None = None
    ) -> list[Message]:
        """At least `count` answers. Raises AssertionError when they do not come."""
        watch = self.user.workspace.slack.watch
        return await watch.until(
            lambda: found if len(found := self.answers_now(where)) >= count else None,
            timeout=timeout,
            what=f"{count} answers to {self._what()}",
        )

    async def no_answer(self, seconds: float = 0.5, where: Where | None = None) -> None:
        """Raises AssertionError when an answer comes within these seconds."""
        await asyncio.sleep(seconds)
        found = self.answers_now(where)
        assert not found, f"an answer nobody wanted: {found[-1].everything!r}"

    async def modal(self, timeout: float = 60.0) -> OpenView:
        """The modal this interaction's trigger opened (or pushed)."""
        watch = self.user.workspace.slack.watch
        return await watch.until(
            self._opened, timeout=timeout, what=f"a modal after {self._what()}"
        )

    def _opened(self) -> OpenView | None:
        return next((view for view in self.user.stack if view.delivery == self.delivery.id), None)

    def _visible(self) -> list[Message]:
        """What the person sees where they acted; after a modal, wherever they look."""
        here = {None, self.thread, self.message.ts if self.message else None}
        return [
            one
            for one in self.user.workspace.slack.messages.all
            if not one.deleted
            and one.ephemeral_for in (None, self.user.id)
            and one.channel.shows(self.user.id)
            and (self.channel is None or (one.channel is self.channel and one.thread_ts in here))
        ]

    def _mine(self, message: Message) -> bool:
        if message.author in (SLACKBOT, self.user.id) or message.via == "user":
            return False
        if message.first <= self.since and message.delivery is None and message is not self.message:
            return False  # an older one that changed: what is answered is new, or was pressed
        return message.delivery in (None, self.delivery.id)

    def _what(self) -> str:
        payload = self.delivery.payload
        said = (
            payload.get("command", "")
            or payload.get("event", {}).get("text", "")
            or payload.get("type", "")
        )
        trouble = f"; trouble: {self.trouble}" if self.trouble else ""
        refused = self.user.workspace.slack.refusals[-3:]
        return f"{said!r} {payload.get('text', '')!r} by {self.user.name}{trouble}; last refusals: {refused}"
