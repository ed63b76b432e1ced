"""An interaction as a plain value: who did what where, how long it may be answered, what the bot
may do there.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from bot.rules.errors import UserError
from bot.rules.text.plain import clean_name
from bot.ui.spec import OWN, Person, Place, build_own_place

Json = dict[str, Any]

PLATFORM = "discord:"
COMMAND, COMPONENT, AUTOCOMPLETE, FORM = 2, 3, 4, 5
TOKEN_LIFE = 14.5 * 60  # Discord says 15 minutes; the last half is left for clocks that differ
PIN_MESSAGES = 1 << 51
MANAGE_THREADS = 1 << 34
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
SEND_IN_THREADS = 1 << 38
MANAGE_SERVER = 1 << 5
ADMINISTRATOR = 1 << 3
USE_EXTERNAL_APPS = 1 << 50
BY_SERVER, BY_PERSON = "0", "1"
"""Whose install let a command in, as Discord counts them."""
BETWEEN_PEOPLE = 2
"""The context of conversations in which the bot is no member."""
EPHEMERAL = 1 << 6
THREADS = (10, 11, 12)
MOST_BYTES = 10 * 1024 * 1024
"""Of a file, where Discord does not say how much it takes."""


@dataclass(frozen=True, slots=True)
class DiscordRequest:
    """One interaction. `received` is on the monotonic clock, `until` (Unix seconds) ends the life
    of its token. `shut`: a moderator has locked and archived the thread, so that nothing is shown
    there. `owner` is whose own install let it in, where no server's did: then only its token can
    answer. `hushed`: what is answered so is private there."""

    id: int
    token: str = field(repr=False)
    application: int
    kind: int
    channel: int
    guild: int = 0
    user: int = 0
    name: str = ""
    manager: bool = False
    allowed: int = EMBED_LINKS | ATTACH_FILES
    thread: bool = False
    file_size: int = MOST_BYTES
    message: int = 0
    private_message: bool = False
    channel_name: str = ""
    guild_name: str = ""
    parent: int = 0
    parent_name: str = ""
    shut: bool = False
    owner: int = 0
    hushed: bool = False
    received: float = field(default_factory=lambda: time.monotonic())
    until: float = field(default_factory=lambda: time.time() + TOKEN_LIFE)

    @property
    def request_id(self) -> str:
        """The id that makes its command run once."""
        return f"discord:{self.id}"

    @property
    def who(self) -> Person:
        """Who asks."""
        return Person(f"discord:{self.user}", self.name, self.manager)

    @property
    def where(self) -> Place:
        """The channel, thread or DM; what an own install does is of none of them."""
        if self.owner:
            return build_own_place(f"discord:{self.owner}")
        if not self.guild:
            return Place(
                f"discord:dm/{self.channel}", name="direct message", owner=f"discord:{self.user}"
            )
        here = self._build_place(self.channel, self.channel_name)
        return (
            replace(here, parent=self._build_place(self.parent, self.parent_name))
            if self.parent
            else here
        )

    def _build_place(self, channel: int, called: str) -> Place:
        name = f"#{called} of {self.guild_name}".removesuffix(" of ") if called else ""
        return Place(f"discord:{self.guild}/{channel}", f"discord:{self.guild}", name)

    @property
    def age(self) -> float:
        """Seconds since it arrived."""
        return time.monotonic() - self.received

    @property
    def is_alive(self) -> bool:
        """Return whether its token can still answer."""
        return time.time() < self.until

    def has_permission(self, permission: int) -> bool:
        """Return whether the bot has the permission here; in a DM it has them all."""
        return not self.guild or bool(self.allowed & permission)

    def build_spot(self, message: object) -> Json:
        """Where a message of ours is, for changing it later; {} where its id is not known. One by
        an own install can be changed only while the token lives that brought it."""
        if not message:
            return {}
        token = {name: getattr(self, name) for name in _BY_TOKEN} if self.owner else {}
        bare = {} if self.has_permission(EMBED_LINKS) else {"bare": True}
        return {"channel": self.channel, "message": int(str(message)), **token, **bare}

    def to_json(self, **more: object) -> Json:
        """What delivering the answer needs, for the outbox."""
        kept = {name: getattr(self, name) for name in _KEPT}
        if self.message and not self.private_message and not self.owner:
            kept["pressed"] = self.build_spot(self.message)
        return kept | more

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The ask that `to_json` wrote; it came too long ago for a first response."""
        names = cls.__slots__
        return cls(
            **{key: value for key, value in data.items() if key in names},
            received=time.monotonic() - 60,
        )


def need_open_thread(request: DiscordRequest) -> None:
    """Raise UserError in a locked and archived thread, where nothing would be shown, before
    anything is rolled.
    """
    if request.shut and not request.has_permission(MANAGE_THREADS):
        what = "This thread is locked and archived, so nothing would be shown here."
        raise UserError(
            what,
            hint="Play in its channel, or ask a moderator to unlock the thread.",
            code="place-shut",
        )


_BY_TOKEN = ("application", "token", "until", "owner")
_OF_THE_MOMENT = (
    "received",
    "name",
    "manager",
    "channel_name",
    "guild_name",
    "parent_name",
    "shut",
)
_KEPT = tuple(one.name for one in fields(DiscordRequest) if one.name not in _OF_THE_MOMENT)


def build_unasked_request(place: str, id: int, rights: Callable[[int, int], int]) -> DiscordRequest:
    """What is known where nobody asked: a message for a channel, or for a person by their key;
    `rights` are the bot's in a channel of a server. Raises ValueError for any other place, such as
    somebody's own play."""
    server, within, channel = place.removeprefix(PLATFORM).partition("/")
    if server == OWN:
        raise ValueError("nothing is posted where the bot is no member")
    if not within:
        return DiscordRequest(id, "", 0, 0, 0, user=int(server), until=0.0)
    guild = int(server) if server.isdecimal() else 0
    allowed = rights(guild, int(channel)) if guild else 0
    return DiscordRequest(id, "", 0, 0, int(channel), guild=guild, allowed=allowed, until=0.0)


def read_payload(event: Mapping[str, Any]) -> DiscordRequest:
    """The ask in an interaction as JSON, from the gateway or by HTTP, which names no server and no
    channel of a thread. Raises KeyError, TypeError, ValueError, AttributeError for another shape.
    """
    guild = int(event.get("guild_id") or 0)
    channel = event.get("channel") or {}
    message = event.get("message") or {}
    member = event["member"] if guild else {}
    user = member["user"] if guild else event["user"]
    bits = int(member.get("permissions") or 0)
    thread = channel.get("type") in THREADS
    about = channel.get("thread_metadata") or {}
    owner = _find_owner(event, int(user["id"]))
    return DiscordRequest(
        id=int(event["id"]),
        token=str(event["token"]),
        application=int(event["application_id"]),
        kind=int(event["type"]),
        channel=int(event.get("channel_id") or channel.get("id") or 0),
        guild=guild,
        user=int(user["id"]),
        name=clean_name(str(member.get("nick") or user.get("global_name") or user["username"]))
        or "player",
        manager=owner == int(user["id"])
        if owner
        else not guild or bool(bits & (MANAGE_SERVER | ADMINISTRATOR)),
        allowed=int(event.get("app_permissions") or 0),
        thread=thread,
        file_size=int(event.get("attachment_size_limit") or MOST_BYTES),
        message=int(message.get("id") or 0),
        private_message=bool(int(message.get("flags") or 0) & EPHEMERAL),
        channel_name=clean_name(str(channel.get("name") or "")),
        parent=int(channel.get("parent_id") or 0) if thread else 0,
        shut=bool(about.get("locked") and about.get("archived")),
        owner=owner,
        hushed=bool(
            owner
            and guild
            and (USE_EXTERNAL_APPS | (SEND_IN_THREADS if thread else SEND_MESSAGES)) & ~bits
        ),
    )


def _find_owner(event: Mapping[str, Any], user: int) -> int:
    """Whose own install let an interaction in; 0 where the server has the bot, or it is their
    conversation with it as a member of such a server. Under an answer that is whoever asked, not
    who pressed."""
    owners = event.get("authorizing_integration_owners") or {}
    if BY_SERVER in owners and event.get("context") != BETWEEN_PEOPLE:
        return 0
    return int(owners.get(BY_PERSON) or (user if event.get("context") == BETWEEN_PEOPLE else 0))
