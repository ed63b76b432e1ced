"""Commands as values: the request, its user and its channel. Adapters build them, the app runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.rules.inputs.options import Option, is_flag_on

Path = tuple[str, ...]


LIST_BOT_RIGHTS: Path = ("setup", "rights")
"""The command that lists what the bot may do in its channel."""
RUN_MACRO: Path = ("macro", "run")
"""The command that runs another one, which a macro stores."""
FLAGS = ("odds", "compare", "secret", "private")
"""Flags that make an answer private."""
_COUNTS = frozenset(("odds", "compare", "rounds"))
"""Options that ask for odds."""
HAND, FULL_HAND = INTO_HAND = ("me", "full")
"""Targets of drawn cards that only the player who draws them sees."""
PUBLIC = "public"
"""The flag that makes an otherwise private answer public."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user: a key unique over all platforms (`discord:123`), the display name, and whether they
    manage the server.
    """

    key: str
    name: str
    manager: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, thread, forum post or private conversation of any platform."""

    key: str
    """A key unique over all platforms: `discord:55/900`."""
    server: str = ""
    """The key of its server; "" if it belongs to none."""
    name: str = ""
    owner: str = ""
    """The key of the user whose private conversation with the bot it is, which, as the adapter
    knows, nobody else reads; else ""."""
    parent: Place | None = None
    """The channel of a thread."""
    thread: str = ""
    """The key of the thread that gets the answers, if the channel's game is played from it."""
    is_own: bool = False
    """Whether it stands for a user's own play, outside all channels (see `build_own_place`)."""

    @property
    def channel_or_thread_key(self) -> str:
        """The key of the thread that gets the answers, or else of the channel."""
        return self.thread or self.key


OWN = "own"


def build_own_place(user: str) -> Place:
    """Return the place of a user's own play, for users who installed the bot for themselves: free
    play outside all channels. `user` is the user's key.

    >>> build_own_place("discord:5").key
    'discord:own/5'
    """
    platform, _, id = user.partition(":")
    return Place(f"{platform}:{OWN}/{id}", name="your own play", owner=user, is_own=True)


def get_server_key(place: str) -> str:
    """Return the server's key in the key of a place: `discord:55` for `discord:55/900`; "" for
    direct messages and own play.
    """
    server = place.partition("/")[0]
    return "" if server == place or server.endswith((":dm", f":{OWN}")) else server


class BotRight(NamedTuple):
    """A permission or scope by its platform's name, its purpose, whether the bot has it in the
    channel of a command, and how to grant it.
    """

    name: str
    purpose: str
    is_granted: bool
    remedy: str


@dataclass(frozen=True, slots=True)
class Command:
    """One request of a user."""

    path: Path
    """The words of the command: ("lnlt", "fire")."""
    options: Mapping[str, object]
    """The options by name, as typed."""
    who: Person
    where: Place
    """The channel in which it was typed."""
    request_id: str
    """The id that makes it run only once."""
    delivery: Mapping[str, object] = field(default_factory=dict)
    """What the adapter needs to post the answer (a token and its end, a response address). It is
    stored with the answer until that has been posted."""
    channels: Mapping[str, Place] = field(default_factory=dict)
    """By option, the channels that the platform confirmed for this user: they exist on the same
    server, and both the user and the bot may read and write there. A channel id that is not
    confirmed is refused."""
    spec: CommandSpec | None = field(default=None, compare=False, repr=False)
    """The spec of the path, if it was looked up already. It is not stored."""
    bot_rights: tuple[BotRight, ...] | None = field(default=None, compare=False, repr=False)
    """What the bot may do in the channel, for the command that lists it; None if the platform has
    no such rights. It is looked up for each run and not stored."""


class Receipt(NamedTuple):
    """A command for which a receipt (a "working on it" message) is shown, or about to be. `until` is
    the time, in Unix seconds, when its token expires.
    """

    command: Command
    until: float


class CommandSpec(NamedTuple):
    """The definition of a command: its path, help, options, and an example that runs."""

    path: Path
    summary: str
    family: str
    """The name of its handler under bot/commands."""
    options: tuple[Option, ...] = ()
    private: bool = False
    """Whether only the user sees the answer. Platforms need this for the receipt, before the
    command runs."""
    example: str = ""
    system: str = ""
    """The id of its rule set; "" if it belongs to none."""
    target: str = ""
    """The id of its table or sequence; "" for other commands."""
    details: str = ""
    title: str = ""
    """Its name for people."""
    verb: str = ""
    """The label of its form's button."""
    common: tuple[str, ...] = ()
    """Its commonest modifiers, which come first in every list."""
    needs_game: bool = False
    """Whether it is of no use in own play."""
    opens_whole: bool = False
    """Whether it is a table that is shown whole without any input."""
    edges: tuple[str, ...] = ()
    """The inputs of a table, in the order in which bare values are read."""
    is_for_bot: bool = False
    """Whether the bot runs it for a side that plays itself. It can be typed, but Discord's menu,
    which has little room, does not list it."""

    @property
    def positional(self) -> list[Option]:
        """The options that bare values are read into, in order."""
        options = [option for option in self.options if option.type not in ("bool", "mods")]
        if self.edges:
            options.sort(key=lambda option: self.edges.index(option.name))
        return options

    @property
    def name(self) -> str:
        """The command as it is typed: `/lnlt fire`."""
        return "/" + " ".join(self.path)

    def find_option(self, name: str) -> Option | None:
        """Return the option with this name, or None."""
        return next((option for option in self.options if option.name == name), None)

    def is_private(self, options: Mapping[str, object]) -> bool:
        """Return whether only the user sees the answer, judging by the options as typed.

        They are private for a whole table, odds, a sealed roll, cards drawn into a hand, the flag
        `private`, a command that is `private` by definition, and one with a flag `public` that is
        off.
        """
        if self.wants_whole(options):
            return True
        if self.find_option(PUBLIC) is not None and not is_flag_on(options, PUBLIC):
            return True
        if self.family == "deck" and str(options.get("to") or "").strip().casefold() in INTO_HAND:
            return True
        return (
            self.private
            or self.counts_only_odds(options)
            or any(is_flag_on(options, name) for name in FLAGS if self.find_option(name))
        )

    def counts_only_odds(self, options: Mapping[str, object]) -> bool:
        """Return whether the command only computes odds, and rolls nothing."""
        if _COUNTS.isdisjoint(options) or self.family not in ("sequence", "roll"):
            return False
        return (
            is_flag_on(options, "odds")
            or is_flag_on(options, "compare")
            or options.get("rounds") not in (None, "")
        )

    def wants_whole(self, options: Mapping[str, object]) -> bool:
        """Return whether the whole table is asked for: by the flag `whole`, or without any input if
        the table allows that.
        """
        if self.family == "lookup" and is_flag_on(options, "whole"):
            return True
        empty = all(value in (None, "", ()) for value in options.values())
        return self.opens_whole and empty
