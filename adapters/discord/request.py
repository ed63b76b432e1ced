"""An interaction as a plain value: its user, its channel, how long it may be answered, and what the
bot may do in that channel.
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
CREATE_THREADS = 1 << 35
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
SEND_IN_THREADS = 1 << 38
MANAGE_SERVER = 1 << 5
ADMINISTRATOR = 1 << 3
USE_EXTERNAL_APPS = 1 << 50
BY_SERVER, BY_PERSON = "0", "1"
"""Discord's keys for the two kinds of installs that can allow an interaction: that of a server, and
that of a person (an "own install").
"""
BETWEEN_PEOPLE = 2
"""Discord's context of conversations in which the bot is no member."""
EPHEMERAL = 1 << 6
THREADS = (10, 11, 12)
MOST_BYTES = 10 * 1024 * 1024
"""Maximum size of a file, if Discord does not say how much it takes."""


@dataclass(frozen=True, slots=True)
class DiscordRequest:
    """One interaction of a user with the bot: a command, a button press, or a form."""

    id: int
    token: str = field(repr=False)
    """Discord's secret for answering this interaction."""
    application: int
    """Discord's id of the bot's application."""
    kind: int
    """Discord's type of interaction."""
    channel: int
    """Discord's id of the channel or thread."""
    guild: int = 0
    """Discord's id of the server; 0 outside servers."""
    user: int = 0
    """Discord's id of the user."""
    name: str = ""
    """The user's visible name."""
    manager: bool = False
    """Whether the user may manage the channel's messages or the server."""
    allowed: int = EMBED_LINKS | ATTACH_FILES
    """The bot's permission bits in the channel."""
    thread: bool = False
    """Whether the channel is a thread."""
    file_size: int = MOST_BYTES
    """The maximum bytes of a file that Discord takes in this channel."""
    message: int = 0
    """The id of the message with the pressed button; 0 without one."""
    private_message: bool = False
    """Whether only the user sees that message."""
    channel_name: str = ""
    guild_name: str = ""
    parent: int = 0
    """The id of the channel that the thread belongs to; 0 outside threads."""
    parent_name: str = ""
    shut: bool = False
    """Whether a moderator has locked and archived the thread, so that nothing can be shown in it.
    """
    owner: int = 0
    """The user whose own install allowed the interaction, 0 if a server's install did. With an
    owner, only the token can answer."""
    hushed: bool = False
    """Whether Discord shows answers of that own install to the user alone."""
    received: float = field(default_factory=lambda: time.monotonic())
    """When it arrived, on the monotonic clock."""
    until: float = field(default_factory=lambda: time.time() + TOKEN_LIFE)
    """When its token dies, in Unix seconds."""

    @property
    def request_id(self) -> str:
        """The id that makes its command run once."""
        return f"discord:{self.id}"

    @property
    def who(self) -> Person:
        """The user who sent the interaction."""
        return Person(f"discord:{self.user}", self.name, self.manager)

    @property
    def where(self) -> Place:
        """The channel, thread or DM; for an own install the owner's own place."""
        if self.owner:
            return build_own_place(f"discord:{self.owner}")
        if not self.guild:
            return Place(
                f"discord:dm/{self.channel}", name="direct message", owner=f"discord:{self.user}"
            )
        place = self._build_place(self.channel, self.channel_name)
        if self.parent:
            return replace(place, parent=self._build_place(self.parent, self.parent_name))
        return place

    def _build_place(self, channel: int, channel_name: str) -> Place:
        """Build the place of a channel or thread of the server, named if the channel's name is
        known.
        """
        name = ""
        if channel_name:
            name = f"#{channel_name} of {self.guild_name}".removesuffix(" of ")
        return Place(f"discord:{self.guild}/{channel}", f"discord:{self.guild}", name)

    @property
    def age(self) -> float:
        """The seconds since the interaction arrived."""
        return time.monotonic() - self.received

    @property
    def is_alive(self) -> bool:
        """Return whether its token can still answer."""
        return time.time() < self.until

    def has_permission(self, permission: int) -> bool:
        """Return whether the bot has the permission in the channel. In a DM it has them all."""
        return not self.guild or bool(self.allowed & permission)

    def build_spot(self, message: object) -> Json:
        """Build the spot of our message with this id: what is needed to change it later.

        Return {} without an id. `bare` marks a message without an embed. The spot of an own
        install includes the token, because only that can change the message.
        """
        if not message:
            return {}
        token = {name: getattr(self, name) for name in _BY_TOKEN} if self.owner else {}
        bare = {} if self.has_permission(EMBED_LINKS) else {"bare": True}
        return {"channel": self.channel, "message": int(str(message)), **token, **bare}

    def to_json(self, **additions: object) -> Json:
        """Return the fields that the outbox needs to deliver the answer, and `additions`.

        `pressed` is the spot of the public message with the pressed button.
        """
        fields_by_name = {name: getattr(self, name) for name in _STORED_FIELDS}
        if self.message and not self.private_message and not self.owner:
            fields_by_name["pressed"] = self.build_spot(self.message)
        return fields_by_name | additions

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a request from the data of `to_json`. It counts as too old for a first
        response.
        """
        names = cls.__slots__
        values = {key: value for key, value in data.items() if key in names}
        return cls(**values, received=time.monotonic() - 60)


def need_open_thread(request: DiscordRequest) -> None:
    """Raise UserError in a locked and archived thread, before anything is rolled, because nothing
    could be shown in it.

    A bot that may manage threads can still post, so nothing is raised then.
    """
    if request.shut and not request.has_permission(MANAGE_THREADS):
        sentence = "This thread is locked and archived, so nothing would be shown here."
        hint = "Play in its channel, or ask a moderator to unlock the thread."
        raise UserError(sentence, hint=hint, code="place-shut")


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
"""Fields that are not stored: they change, or they matter only while the request is handled."""
_STORED_FIELDS = tuple(
    field.name for field in fields(DiscordRequest) if field.name not in _OF_THE_MOMENT
)


def build_unasked_request(place: str, id: int, rights: Callable[[int, int], int]) -> DiscordRequest:
    """Build a request without a token for a message that nobody asked for.

    `place` is the key of a channel or of a person; `rights` returns the bot's permission bits by
    server and channel id. Raises ValueError for any other place, such as somebody's own play.
    """
    server, within, channel = place.removeprefix(PLATFORM).partition("/")
    if server == OWN:
        raise ValueError("nothing is posted where the bot is not a member")
    if not within:
        return DiscordRequest(id, "", 0, 0, 0, user=int(server), until=0.0)
    guild = int(server) if server.isdecimal() else 0
    allowed = rights(guild, int(channel)) if guild else 0
    return DiscordRequest(id, "", 0, 0, int(channel), guild=guild, allowed=allowed, until=0.0)


def read_payload(event: Mapping[str, Any]) -> DiscordRequest:
    """Read an interaction's JSON from the gateway or an HTTP request.

    The JSON does not name the server or a thread's channel, so those names stay empty. Raises
    KeyError, TypeError, ValueError or AttributeError for JSON of another shape.
    """
    guild = int(event.get("guild_id") or 0)
    member = event["member"] if guild else {}
    user = member["user"] if guild else event["user"]
    user_id = int(user["id"])
    bits = int(member.get("permissions") or 0)
    owner = _find_owner(event, user_id)
    if owner:
        is_manager = owner == user_id
    else:
        is_manager = not guild or bool(bits & (MANAGE_SERVER | ADMINISTRATOR))
    name = str(member.get("nick") or user.get("global_name") or user["username"])
    channel_fields = _read_channel_fields(event)
    is_hushed = bool(owner) and bool(guild) and _is_hushed(bits, is_thread=channel_fields["thread"])
    return DiscordRequest(
        id=int(event["id"]),
        token=str(event["token"]),
        application=int(event["application_id"]),
        kind=int(event["type"]),
        guild=guild,
        user=user_id,
        name=clean_name(name) or "player",
        manager=is_manager,
        allowed=int(event.get("app_permissions") or 0),
        file_size=int(event.get("attachment_size_limit") or MOST_BYTES),
        owner=owner,
        hushed=is_hushed,
        **channel_fields,
        **_read_message_fields(event),
    )


def _read_channel_fields(event: Mapping[str, Any]) -> Json:
    """Return the fields of a DiscordRequest that describe the channel or thread: its id and name,
    whether it is a thread, its parent, and whether it is shut (locked and archived). They are 0, ""
    or False if the event does not say.
    """
    channel = event.get("channel") or {}
    is_thread = channel.get("type") in THREADS
    thread_state = channel.get("thread_metadata") or {}
    return {
        "channel": int(event.get("channel_id") or channel.get("id") or 0),
        "channel_name": clean_name(str(channel.get("name") or "")),
        "thread": is_thread,
        "parent": int(channel.get("parent_id") or 0) if is_thread else 0,
        "shut": bool(thread_state.get("locked") and thread_state.get("archived")),
    }


def _read_message_fields(event: Mapping[str, Any]) -> Json:
    """Return the fields of a DiscordRequest that describe the message with the pressed button."""
    message = event.get("message") or {}
    return {
        "message": int(message.get("id") or 0),
        "private_message": bool(int(message.get("flags") or 0) & EPHEMERAL),
    }


def _is_hushed(bits: int, *, is_thread: bool) -> bool:
    """Return whether a user with these permission bits may not use an own install in public."""
    send = SEND_IN_THREADS if is_thread else SEND_MESSAGES
    return bool((USE_EXTERNAL_APPS | send) & ~bits)


def _find_owner(event: Mapping[str, Any], user: int) -> int:
    """Return the id of the person whose own install allowed an interaction.

    Return 0 if a server's install did, also in the user's direct messages with the bot. For a
    button the owner is the person who asked for the message, not `user`, who pressed it.
    """
    owners = event.get("authorizing_integration_owners") or {}
    is_between_people = event.get("context") == BETWEEN_PEOPLE
    if BY_SERVER in owners and not is_between_people:
        return 0
    fallback = user if is_between_people else 0
    return int(owners.get(BY_PERSON) or fallback)
