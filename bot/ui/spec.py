"""A command as a value: what was asked, by whom, where. Adapters make them, the app runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.rules.inputs.options import Option, is_flag_on

Path = tuple[str, ...]


LIST_BOT_RIGHTS: Path = ("setup", "rights")
"""The command that lists what the bot may do in its channel."""
RUN_MACRO: Path = ("macro", "run")
"""The command that stands for another."""
FLAGS = ("odds", "compare", "secret", "private")
_COUNTS = frozenset(("odds", "compare", "rounds"))
HAND, FULL_HAND = INTO_HAND = ("me", "full")
"""Where cards are drawn to that only who draws them sees."""
PUBLIC = "public"
"""Flags that say what kind of answer a roll gets; known before any work."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks: a key unique over all platforms (`discord:123`), the name shown, and whether
    they manage the server.
    """

    key: str
    name: str
    manager: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where: a key unique over all platforms (`discord:55/900`), its server's key, and its name.

    Threads, forum posts and direct messages are places like any channel. `owner` is set by an
    adapter that knows this for somebody's own conversation with the bot, where nobody else reads:
    the key of that person. `parent` is the channel of a thread; `thread` is where answers go when
    the channel's game is played from one. `is_own`: it is somebody's own play, which is of no
    channel (see own_place).
    """

    key: str
    server: str = ""
    name: str = ""
    owner: str = ""
    parent: Place | None = None
    thread: str = ""
    is_own: bool = False

    @property
    def channel_or_thread_key(self) -> str:
        """The key of the channel or thread itself, whichever game is played there."""
        return self.thread or self.key


OWN = "own"


def build_own_place(user: str) -> Place:
    """Where somebody plays by an install of their own, wherever they type: free play apart from all
    channels.

    >>> build_own_place("discord:5").key
    'discord:own/5'
    """
    platform, _, id = user.partition(":")
    return Place(f"{platform}:{OWN}/{id}", name="your own play", owner=user, is_own=True)


def get_server_key(place: str) -> str:
    """The server's key in that of a place: `discord:55` of `discord:55/900`; none for direct
    messages.
    """
    server = place.partition("/")[0]
    return "" if server == place or server.endswith((":dm", f":{OWN}")) else server


class BotRight(NamedTuple):
    """A permission or scope as its platform calls it, what it is for, whether the bot has it in
    the channel of a command, and how to grant it.
    """

    name: str
    purpose: str
    is_granted: bool
    remedy: str


@dataclass(frozen=True, slots=True)
class Command:
    """One request: a path such as ("lnlt", "fire"), its options as typed, and the id that makes it
    run once.

    `delivery` is what the adapter needs to bring the answer (a token and its end, a response
    address); it is stored with the answer until that has been posted.

    `channels` holds, by option, the channels whose ids the platform itself confirmed for this
    person: it exists on the same server, they may see it and write there, and so may the bot. An id
    without that is not believed.

    `spec` is what the path leads to, once somebody has looked it up; it is not stored.

    `bot_rights` is what the bot may do in the channel, for the command that lists it; None if the
    platform has no such rights. It is looked up for each run and not stored.
    """

    path: Path
    options: Mapping[str, object]
    who: Person
    where: Place
    request_id: str
    delivery: Mapping[str, object] = field(default_factory=dict)
    channels: Mapping[str, Place] = field(default_factory=dict)
    spec: CommandSpec | None = field(default=None, compare=False, repr=False)
    bot_rights: tuple[BotRight, ...] | None = field(default=None, compare=False, repr=False)


class Receipt(NamedTuple):
    """A command whose receipt is shown, or about to be. `until` (Unix seconds) ends the life of
    its token.
    """

    command: Command
    until: float


class CommandSpec(NamedTuple):
    """A command: its path, help, options, an example that runs, and who sees its answer.

    `family` names the file under bot/commands that handles it; `system` and `target` say which game
    and which table or sequence. `title` is its name for people, `verb` what its form does, `common`
    its commonest modifiers, first in every list. `private` is known before the work begins, as
    platforms want it at the receipt. `needs_game`: it is of no use in somebody's own play.
    `opens_whole`: it is a table that without any input is shown whole. `edges` are the inputs of a
    table in the order in which bare values are read.
    """

    path: Path
    summary: str
    family: str
    options: tuple[Option, ...] = ()
    private: bool = False
    example: str = ""
    system: str = ""
    target: str = ""
    details: str = ""
    title: str = ""
    verb: str = ""
    common: tuple[str, ...] = ()
    needs_game: bool = False
    opens_whole: bool = False
    edges: tuple[str, ...] = ()

    @property
    def positional(self) -> list[Option]:
        """The options that bare values are read into, in order."""
        options = [option for option in self.options if option.type not in ("bool", "mods")]
        if self.edges:
            options.sort(key=lambda option: self.edges.index(option.name))
        return options

    @property
    def name(self) -> str:
        """As it is typed: `/lnlt fire`."""
        return "/" + " ".join(self.path)

    def find_option(self, name: str) -> Option | None:
        """One of its options, or None."""
        return next((option for option in self.options if option.name == name), None)

    def is_private(self, options: Mapping[str, object]) -> bool:
        """Return whether the answer is for the asker alone: known from the options as typed, before
        any work.
        """
        if self.wants_whole(options) or (
            self.find_option(PUBLIC) is not None and not is_flag_on(options, PUBLIC)
        ):
            return True
        if self.family == "deck" and str(options.get("to") or "").strip().casefold() in INTO_HAND:
            return True
        return (
            self.private
            or self.counts_only_odds(options)
            or any(is_flag_on(options, name) for name in FLAGS if self.find_option(name))
        )

    def counts_only_odds(self, options: Mapping[str, object]) -> bool:
        """Return whether it only counts odds, so that nothing is rolled."""
        if _COUNTS.isdisjoint(options) or self.family not in ("sequence", "roll"):
            return False
        return (
            is_flag_on(options, "odds")
            or is_flag_on(options, "compare")
            or options.get("rounds") not in (None, "")
        )

    def wants_whole(self, options: Mapping[str, object]) -> bool:
        """Return whether all of a table was asked for: by that word, or by no input."""
        if self.family == "lookup" and is_flag_on(options, "whole"):
            return True
        empty = all(value in (None, "", ()) for value in options.values())
        return self.opens_whole and empty
