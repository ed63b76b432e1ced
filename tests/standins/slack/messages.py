"""Everything that was ever posted, and who can see it."""

from __future__ import annotations

import asyncio
import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .blocks import elements_of
from .settings import Json
from .watch import Clock, Watch

if TYPE_CHECKING:
    from .workspace import Channel

SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as uploaded; `data` is what a download gives back."""

    id: str
    name: str
    title: str
    data: bytes
    team: str
    owner: str
    mimetype: str = "application/octet-stream"


@dataclass(repr=False)  # they refer to each other: whole, a failure would fill the memory
class Message:
    """One message; `via` is the method, `response_url`, `ack`, or `user` that made it."""

    ts: str
    channel: Channel
    author: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    ephemeral_for: str | None = None
    files: list[StoredFile] = field(default_factory=list)
    metadata: Json | None = None
    via: str = "user"
    delivery: str | None = (
        None  # the envelope it answers, where that is certain (response_url, ack)
    )
    deleted: bool = False
    pinned: bool = False
    # by person: what their selects hold
    chosen: dict[str, dict[str, dict[str, Json]]] = field(default_factory=dict)
    earlier: list[Message] = field(default_factory=list)  # what it said before each edit
    changed_at: float = 0.0  # loop time of the last change
    order: int = 0  # counts every change in the whole stand-in
    first: int = 0  # what that was when it was posted

    @property
    def plain(self) -> str:
        """All a person reads: the blocks' words line by line, or the text when there are none."""
        lines = [line for block in self.blocks for line in _words(block)]
        return "\n".join(lines) if lines else self.text

    @property
    def everything(self) -> str:
        """The fallback text and the blocks' words, for a test that looks for a word anywhere."""
        return f"{self.text}\n{self.plain}"

    def elements(self) -> list[tuple[Json, Json]]:
        """(block, element) for all a person can press or choose."""
        return [(block, element) for block in self.blocks for element in elements_of(block)]

    def buttons(self) -> list[str]:
        """The labels of its buttons, in order."""
        return [
            element["text"]["text"] for _, element in self.elements() if element["type"] == "button"
        ]

    def as_slack(self) -> Json:
        """The message as it stands in payloads and answers."""
        body: Json = {
            "type": "message",
            "user": self.author,
            "ts": self.ts,
            "text": self.text,
            "team": self.channel.team,
        }
        if self.author == self.channel.workspace.bot_user:
            body |= {
                "bot_id": self.channel.workspace.bot_id,
                "app_id": self.channel.workspace.slack.app_id,
            }
        if self.blocks:
            body["blocks"] = copy.deepcopy(self.blocks)
        if self.thread_ts:
            body["thread_ts"] = self.thread_ts
        if self.metadata:
            body["metadata"] = self.metadata
        if self.earlier:
            body["edited"] = {"user": self.author, "ts": self.ts}
        return body


def _words(part: Any) -> list[str]:
    """The texts of a block in reading order."""
    if isinstance(part, list):
        return [line for one in part for line in _words(one)]
    if not isinstance(part, dict):
        return []
    if isinstance(part.get("text"), str):
        return [part["text"]]
    keys = (
        "title",
        "label",
        "text",
        "fields",
        "elements",
        "element",
        "accessory",
        "hint",
        "placeholder",
        "alt_text",
    )
    lines = []
    for key in keys:
        value = part.get(key)
        lines += [value] if isinstance(value, str) else _words(value)
    return lines


class Messages:
    """The store of all messages of all workspaces."""

    def __init__(self, clock: Clock, watch: Watch) -> None:
        self._clock = clock
        self._watch = watch
        self._order = itertools.count(1)
        self.tell: Callable[[Message, str], None] = lambda message, change: None
        self.all: list[Message] = []

    def post(self, channel: Channel, author: str, text: str, **more: Any) -> Message:
        """Add a message and wake whoever waits for one."""
        message = Message(ts=self._clock.stamp(), channel=channel, author=author, text=text, **more)
        message.blocks = with_ids(message.blocks)
        self.all.append(message)
        self._touch(message)
        message.first = message.order
        self.tell(message, "posted")
        return message

    def edit(
        self, message: Message, text: str | None, blocks: list[Json] | None, **more: Any
    ) -> None:
        """Replace what it says; what it said stays in `earlier`."""
        message.earlier.append(replace(message, earlier=[]))
        message.text = message.text if text is None else text
        message.blocks = (
            message.blocks if blocks is None and text is None else with_ids(blocks or [])
        )
        for key, value in more.items():
            setattr(message, key, value)
        self._touch(message)
        self.tell(message, "changed")

    def delete(self, message: Message) -> None:
        """Take it from everyone's sight."""
        message.deleted = True
        self._touch(message)
        self.tell(message, "deleted")

    def find(self, channel: Channel, ts: str) -> Message | None:
        """The message with this `ts`, unless it was deleted or is ephemeral (no method finds
        those).
        """
        for message in self.all:
            if (
                message.channel is channel
                and message.ts == ts
                and not message.deleted
                and not message.ephemeral_for
            ):
                return message
        return None

    def seen_by(self, user: str, channel: Channel, thread: str | None = None) -> list[Message]:
        """What this person sees there, oldest first; without `thread` the channel itself,
        threads left out.
        """
        return [
            message
            for message in self.all
            if message.channel is channel
            and not message.deleted
            and message.ephemeral_for in (None, user)
            and (message.thread_ts == thread or (thread is not None and message.ts == thread))
            and channel.shows(user)
        ]

    def _touch(self, message: Message) -> None:
        message.order = next(self._order)
        message.changed_at = asyncio.get_running_loop().time()
        self._watch.changed()


_IDS = itertools.count(1)


def with_ids(blocks: list[Json]) -> list[Json]:
    """The blocks with the block_id and action_id that Slack makes up where the app gave none."""
    blocks = copy.deepcopy(blocks)
    for block in blocks:
        block.setdefault("block_id", f"b{next(_IDS)}")
        for element in elements_of(block):
            element.setdefault("action_id", f"a{next(_IDS)}")
    return blocks
