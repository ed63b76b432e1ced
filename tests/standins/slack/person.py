"""A person in a workspace: what they see, and what comes of what they do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .deliveries import Delivery
from .handle import Handle
from .messages import Message
from .settings import Json
from .views import OpenView

if TYPE_CHECKING:
    from .workspace import Channel, Workspace


@dataclass(eq=False, repr=False)  # they refer to each other: whole, a failure would fill the memory
class Person:
    """`stack` holds the modals open on this person's screen, the top one last; `admin` runs the
    workspace.
    """

    id: str
    name: str
    workspace: Workspace
    stack: list[OpenView] = field(default_factory=list)
    admin: bool = False
    home: OpenView | None = None

    @property
    def im(self) -> Channel:
        """The direct messages with the bot."""
        return self.workspace.im(self.id)

    def sees(self, channel: Channel, thread: str | None = None) -> list[Message]:
        """All this person sees there, oldest first."""
        return self.workspace.slack.messages.seen_by(self.id, channel, thread)

    def _handle(self, delivery: Delivery, channel: Channel | None, **more: Any) -> Handle:
        messages = self.workspace.slack.messages.all
        return Handle(
            self, delivery, channel, since=max((one.order for one in messages), default=0), **more
        )

    def _find(self, target: Message | OpenView, name: str, block: str | None) -> tuple[Json, Json]:
        if isinstance(target, Message):
            gone = (
                target.deleted
                or target.ephemeral_for not in (None, self.id)
                or not target.channel.shows(self.id)
            )
            assert not gone, f"{self.name} does not see that message"
        else:
            # or a copy, on a screen that is behind
            is_home = self.home is not None and target.id == self.home.id
            assert is_home or target in self.stack, "that modal is not open"
        for found, element in target.elements():
            label = element.get("text", {}).get("text") if element["type"] == "button" else None
            if name in (element["action_id"], label) and block in (None, found["block_id"]):
                return found, element
        there = [
            (one["block_id"], e["action_id"], e.get("text", {}).get("text"))
            for one, e in target.elements()
        ]
        raise AssertionError(f"nothing called {name!r}; there are {there}")
