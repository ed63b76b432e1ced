"""The world behind the stand-in: people, servers, channels, messages, interactions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from tests.standins.discord import permissions
from tests.standins.discord.clock import Clock, Signal, Snowflakes
from tests.standins.discord.errors import Json
from tests.standins.discord.signed import Signing

EPHEMERAL = 1 << 6
LOADING = 1 << 7
COMPONENTS_V2 = 1 << 15


class ChannelKind(IntEnum):
    """Discord's channel types, as far as they matter here."""

    TEXT = 0
    DM = 1
    GROUP = 3
    THREAD = 11


class Kind(IntEnum):
    """Discord's interaction types."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class Answer(IntEnum):
    """Discord's types of a first response."""

    MESSAGE = 4
    THINKING = 5
    DEFER_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


@dataclass(slots=True, eq=False)
class User:
    """A person, or the bot."""

    id: int
    name: str
    bot: bool = False
    refuses_dms: bool = False
    has_app: bool = False  # added to their own account


# they refer to each other: whole, a failure would fill the memory
@dataclass(slots=True, eq=False, repr=False)
class Guild:
    """A server: who is in it, and what each may do."""

    id: int
    name: str
    owner: User
    channels: dict[int, Channel] = field(default_factory=dict)
    members: dict[int, int] = field(default_factory=dict)  # user id: permissions
    # user id: the role that carries what exceeds everyone's
    roles: dict[int, int] = field(default_factory=dict)
    everyone: int = permissions.PLAYER
    available: bool = True
    has_bot: bool = True
    has_commands: bool = True  # invited with the scope applications.commands


# they refer to each other: whole, a failure would fill the memory
@dataclass(slots=True, eq=False, repr=False)
class Channel:
    """A text channel, a thread, a DM with the bot, or (with `people`) a conversation that the
    bot is not in.
    """

    id: int
    kind: ChannelKind
    name: str
    guild: Guild | None = None
    parent: Channel | None = None
    recipient: User | None = None
    overrides: dict[int, int] = field(default_factory=dict)  # user id: final permissions here
    messages: list[Message] = field(default_factory=list)
    archived: bool = False
    locked: bool = False
    refuses_answers: bool = False
    people: tuple[User, ...] = ()

    @property
    def context(self) -> int:
        """Where that is, as Discord counts contexts: a server, the DM with the bot, people among
        themselves.
        """
        return 0 if self.guild is not None else 2 if self.people else 1

    def seen_by(self, user: User) -> list[Message]:
        """What `user` would see when scrolling up: no deleted message, no one else's private
        ones.
        """
        return [m for m in self.messages if m.visible_to(user)]


@dataclass(slots=True, eq=False)
class Attachment:
    """A file on a message or in an option."""

    id: int
    name: str
    data: bytes
    kind: str
    url: str
    description: str | None = None
    ephemeral: bool = False


# they refer to each other: whole, a failure would fill the memory
@dataclass(slots=True, eq=False, repr=False)
class Message:
    """One message, as it stands now."""

    id: int
    channel: Channel
    author: User
    at: float
    content: str = ""
    embeds: list[Json] = field(default_factory=list)
    components: list[Json] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    flags: int = 0
    private_to: User | None = None
    interaction: Interaction | None = None
    reply_to: int | None = None
    nonce: str | None = None
    pinned: bool = False
    edits: int = 0
    edited_at: float | None = None
    deleted: bool = False
    dismissed: bool = False
    # who was notified: user and role ids, "everyone", "here"
    pings: set[str] = field(default_factory=set)
    # who is mentioned visibly now, notified or not
    highlights: set[str] = field(default_factory=set)
    hidden_embeds: list[Json] = field(default_factory=list)  # not shown: no Embed Links here

    @property
    def ephemeral(self) -> bool:
        """True if only one person sees it."""
        return bool(self.flags & EPHEMERAL)

    @property
    def loading(self) -> bool:
        """True while it says that the bot is thinking."""
        return bool(self.flags & LOADING)

    @property
    def text(self) -> str:
        """All that can be read: content, embeds and text displays, one line after another."""
        return "\n".join([self.content, *self._embed_lines(), *self._display_lines()]).strip("\n")

    @property
    def files(self) -> dict[str, bytes]:
        """The attached files by name."""
        return {a.name: a.data for a in self.attachments}

    @property
    def parts(self) -> list[Json]:
        """Every component of it, outermost first."""
        return list(walk(self.components))

    @property
    def buttons(self) -> dict[str, Json]:
        """Its buttons, by label."""
        return {str(c.get("label", "")): c for c in self.parts if c["type"] == 2}

    @property
    def selects(self) -> dict[str, Json]:
        """Its selects, by custom_id."""
        return {c["custom_id"]: c for c in self.parts if c["type"] in (3, 5, 6, 7, 8)}

    def visible_to(self, user: User) -> bool:
        """True if `user` sees it."""
        return (
            not self.deleted
            and not self.dismissed
            and (self.private_to is None or self.private_to is user)
        )

    def _embed_lines(self) -> Iterator[str]:
        for embed in self.embeds:
            yield from (embed[k] for k in ("title", "description") if embed.get(k))
            for entry in embed.get("fields", []):
                yield f"{entry['name']}\n{entry['value']}"
            if embed.get("footer"):
                yield embed["footer"]["text"]

    def _display_lines(self) -> Iterator[str]:
        yield from (c["content"] for c in self.parts if c["type"] == 10)


# they refer to each other: whole, a failure would fill the memory
@dataclass(slots=True, eq=False, repr=False)
class Interaction:
    """Something a person did with the bot, and all that came of it."""

    id: int
    token: str
    kind: Kind
    user: User
    channel: Channel
    data: Json
    at: float  # the stand-in's clock
    sent: float  # monotonic
    source: Message | None = None  # the message with the button, or from which a modal was opened
    opened_by: Interaction | None = None  # a modal: what it answered
    focused_type: int = 3  # autocomplete: the type of the option being typed
    answer_kind: Answer | None = None
    response: Json | None = None  # the first response's body, as the bot sent it
    receipt: float | None = None  # seconds until the first response was accepted
    refused: list[Json] = field(default_factory=list)  # error bodies of refused first responses
    original: Message | None = None
    messages: list[Message] = field(default_factory=list)  # in order of creation
    # messages that got their text from this, latest last
    touched: list[Message] = field(default_factory=list)
    changed: Signal = field(default_factory=Signal)
    owners: Json = field(default_factory=dict)  # whose installs let it in
    further: int = 0  # follow-ups so far
    limit: float = 10.0  # seconds the person's client waits for the first response

    @property
    def failed(self) -> bool:
        """True when the person was told that the application did not respond."""
        return self.answer_kind is None

    @property
    def modal(self) -> Json:
        """The form that was opened. Raises AssertionError if none was."""
        assert self.answer_kind is Answer.MODAL, f"no modal, but {self.answer_kind!r}"
        assert self.response is not None
        form: Json = self.response["data"]
        return form

    def latest(self) -> Message | None:
        """The newest text this brought that still stands: neither deleted nor still thinking."""
        standing = [m for m in self.touched if not m.deleted and not m.loading]
        return standing[-1] if standing else None

    async def first_response(self, timeout: float | None = None) -> Interaction:
        """This, once it was answered or the time for that has run out."""
        await self.changed.until(lambda: self.answer_kind is not None, timeout or self.limit + 0.1)
        return self

    async def answer(self, timeout: float = 60.0) -> Message:
        """The message the person ends up with, public or private. Raises AssertionError after
        `timeout` seconds.
        """
        await self.changed.until(lambda: self.latest() is not None, timeout)
        found = self.latest()
        assert found is not None, (
            f"no answer after {timeout:g} s ({self.answer_kind!r}, {self.refused})"
        )
        return found


def walk(components: list[Json]) -> Iterator[Json]:
    """Every component in `components` and below, outermost first."""
    for one in components:
        yield one
        yield from walk(one.get("components", []))
        for key in ("component", "accessory"):
            if key in one:
                yield from walk([one[key]])


class World:
    """Everything there is, by id."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.ids = Snowflakes(clock)
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.interactions: dict[int, Interaction] = {}
        self.tokens: dict[str, Interaction] = {}
        self.files: dict[int, Attachment] = {}
        self.user_install = True  # switched on in the portal
        self.tells_app_permissions = True  # of channels that an option names
        self.bot = self.add_user("grognard", bot=True)
        self.owner = self.add_user("owner")
        self.signing = Signing()

    def add_user(self, name: str, *, bot: bool = False) -> User:
        """A new user."""
        user = User(self.ids.next(), name, bot)
        self.users[user.id] = user
        return user

    def add_guild(self, name: str, *, has_bot: bool = True) -> Guild:
        """A new server, with the bot in it unless said; ids are spread evenly over any number of
        shards.
        """
        first = self.bot.id >> 22
        guild = Guild((first + len(self.guilds)) << 22, name, self.owner, has_bot=has_bot)
        guild.members |= {self.owner.id: permissions.EVERYTHING}
        guild.members |= {self.bot.id: permissions.PLAYER} if has_bot else {}
        self.guilds[guild.id] = guild
        return guild

    def add_channel(self, name: str, guild: Guild) -> Channel:
        """A new text channel."""
        channel = Channel(self.ids.next(), ChannelKind.TEXT, name, guild)
        return self._placed(channel)

    def add_thread(self, name: str, parent: Channel, message: int = 0) -> Channel:
        """A new public thread below `parent`. That of a message has the id of the message."""
        channel = Channel(
            message or self.ids.next(), ChannelKind.THREAD, name, parent.guild, parent
        )
        return self._placed(channel)

    def dm(self, user: User) -> Channel:
        """The DM between `user` and the bot."""
        for channel in self.channels.values():
            if channel.recipient is user:
                return channel
        channel = Channel(self.ids.next(), ChannelKind.DM, user.name, recipient=user)
        self.channels[channel.id] = channel
        return channel

    def conversation(self, *people: User) -> Channel:
        """A DM of two people, or a group DM; the bot is not in it."""
        kind = ChannelKind.DM if len(people) == 2 else ChannelKind.GROUP
        channel = Channel(self.ids.next(), kind, "", people=people)
        self.channels[channel.id] = channel
        return channel

    def has_bot(self, channel: Channel) -> bool:
        """Whether the bot is a member there."""
        return channel.guild.has_bot if channel.guild is not None else not channel.people

    def installs(self, user: User, channel: Channel, types: Iterable[int] = (0, 1)) -> Json:
        """Whose installs let somebody use a command of these types there:
        authorizing_integration_owners.
        """
        found: Json = {}
        guild = channel.guild
        if 0 in types and guild is not None and guild.has_bot and guild.has_commands:
            found["0"] = str(guild.id)
        shared = any(
            one.has_bot and one.has_commands and user.id in one.members
            for one in self.guilds.values()
        )
        if 0 in types and channel.context == 1 and (shared or not user.has_app):
            found["0"] = "0"
        if 1 in types and user.has_app and self.user_install:
            found["1"] = str(user.id)
        return found

    def app_permissions(self, interaction: Interaction) -> int:
        """What the bot may do in its answers to an interaction: as a member, or as an app of the
        person's own.
        """
        channel, extra = interaction.channel, permissions.IN_CONVERSATIONS
        if channel.guild is None:
            return (self.permissions(self.bot, channel) if self.has_bot(channel) else 0) | extra
        if channel.guild.has_bot:
            return self.permissions(self.bot, channel)
        return self.permissions(interaction.user, channel) & extra

    def is_hushed(self, interaction: Interaction) -> bool:
        """Whether its answers are private whatever the bot says: an app of one's own where that
        is not allowed.
        """
        if "0" in interaction.owners or interaction.channel.guild is None:
            return False
        needed = permissions.USE_EXTERNAL_APPS | permissions.SEND_MESSAGES
        return bool(needed & ~self.permissions(interaction.user, interaction.channel))

    def _placed(self, channel: Channel) -> Channel:
        assert channel.guild is not None
        channel.guild.channels[channel.id] = channel
        self.channels[channel.id] = channel
        return channel

    def base_permissions(self, user: User, guild: Guild) -> int:
        """What `user` may do in the server; 0 if not a member."""
        if user is guild.owner:
            return permissions.EVERYTHING
        bits = guild.members.get(user.id, 0)
        return permissions.EVERYTHING if bits & permissions.ADMINISTRATOR else bits

    def permissions(self, user: User, channel: Channel) -> int:
        """What `user` may do in the channel; a thread follows its parent."""
        if channel.people and user not in channel.people:
            return 0
        if channel.guild is None:
            return permissions.IN_DM
        for place in (channel, channel.parent):
            if place is not None and user.id in place.overrides:
                return place.overrides[user.id]
        return self.base_permissions(user, channel.guild)

    def message(self, channel: Channel, message_id: int) -> Message | None:
        """The message, if it stands."""
        found = next((m for m in reversed(channel.messages) if m.id == message_id), None)
        return None if found is None or found.deleted else found

    def attach(
        self, name: str, data: bytes, base_url: str, description: str | None = None
    ) -> Attachment:
        """A stored file with a URL that serves it."""
        number = self.ids.next()
        safe = re.sub(r"[^\w.\-]", "_", name)
        kind = (
            "text/plain; charset=utf-8"
            if safe.endswith((".txt", ".md", ".csv"))
            else "application/octet-stream"
        )
        found = Attachment(number, safe, data, kind, f"{base_url}/cdn/{number}/{safe}", description)
        self.files[number] = found
        return found


def option_values(options: list[Any]) -> Json:
    """The leaf options of an interaction as {name: value}."""
    found: Json = {}
    for one in options:
        if "options" in one or one["type"] in (1, 2):
            found |= option_values(one.get("options", []))
        else:
            found[one["name"]] = one["value"]
    return found
