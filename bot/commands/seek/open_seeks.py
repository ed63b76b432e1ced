"""Open seeks as they are stored: one document for each, under the server on which it was written.

A seek belongs to its writer, so it is exported and deleted with their data. The seed of its game is
kept apart from it, for its writer must not learn it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from bot.commands.context import Amendment, Context
from bot.game.free_play_seed import PreparedSeed
from bot.loading.free_play_seed import prepare_seed
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_code, read_code
from bot.storage.base import DAY
from bot.storage.records import Doc, DueRow
from bot.ui.reply.reply import OVER, Button, Reply
from bot.ui.spec import Place

SEEK = "seek"
"""The kind of the documents with an open seek, by server and id."""
SEEK_SEED = "seek-seed"
"""The kind of the documents with the seed of a seek's game, under the same key."""
SEEK_ENDS = "seek-ends"
"""The kind of the due row that closes a seek."""
SEEK_KEPT = 14 * DAY
"""Seconds after which a seek ends."""
MOST_OF_PERSON = 3
"""Maximum number of open seeks of one person."""
MOST_OF_SERVER = 50
"""Maximum number of open seeks on one server."""
ID_LENGTH = 5
PACES = {"evening": "this evening", "daily": "some turns a day", "weekly": "some turns a week"}
"""The paces of a game, with their names for players."""


class Seek(NamedTuple):
    """An open seek: a game for which its writer seeks an opponent."""

    id: str
    server: str
    """The key of the server on which it was written."""
    writer: str
    """The key of its writer."""
    name: str
    """The writer's visible name."""
    channel: str
    """The key of the channel in which it was written."""
    system: str
    scenario: str
    title: str
    sides: tuple[str, ...]
    pace: str
    side: str
    """The side of its writer; "" if a die draws it."""
    text: str
    commitment: str
    """The commitment to the seed of the game's dice."""
    until: float
    """The time at which it ends, in Unix seconds."""
    series: bool = False
    """Whether the two play both sides in turn, in two games."""
    counts: bool = False
    """Whether the game is to count."""

    @property
    def key(self) -> str:
        """The key of its documents."""
        return f"{self.server}/{self.id}"

    @property
    def topic(self) -> str:
        """The topic of its card."""
        return f"{SEEK}/{self.key}"

    @property
    def headline(self) -> str:
        """The first line of its card."""
        return f"{self.name} is looking for an opponent: {self.title}"

    @property
    def start_options(self) -> dict[str, object]:
        """The options of `/game start` that start its game."""
        sides = "" if self.scenario else ", ".join(self.sides)
        return {
            "system": self.system,
            "scenario": self.scenario or None,
            "name": self.title,
            "sides": sides,
        }

    def build_doc(self) -> Doc:
        """Return the document that stores it."""
        data = self._asdict()
        for name in ("id", "server", "writer"):
            del data[name]
        return Doc(SEEK, self.key, data, self.until, self.writer)

    def build_due_row(self) -> DueRow:
        """Return the row that closes it when its time is over."""
        data = {"place": self.channel, "server": self.server, "title": self.headline}
        return DueRow(self.topic, self.until, SEEK_ENDS, data, self.writer)


def _read_doc(doc: Doc) -> Seek:
    server, _, id = doc.key.rpartition("/")
    values = {**doc.data, "sides": tuple(doc.data["sides"])}
    return Seek(id=id, server=server, writer=doc.owner, **values)


def need_server(context: Context) -> str:
    """Return the key of the server. Raises UserError outside the channels of a server."""
    channel = context.command.where
    if not channel.server or channel.owner:
        raise UserError("Do this in a server's channel.", code="no-server")
    return channel.server


async def load_seeks(context: Context, server: str) -> Sequence[Seek]:
    """Load the open seeks of a server, by id."""
    return [_read_doc(doc) for doc in await context.store.load_docs(SEEK, under=f"{server}/")]


async def load_seeks_of_user(context: Context, user: str) -> Sequence[Seek]:
    """Load the open seeks of a user on all servers."""
    return [_read_doc(doc) for doc in await context.store.load_docs(SEEK, user)]


async def load_seek(context: Context, typed: str) -> Seek:
    """Load the open seek of this server with the typed id. Raises UserError if there is none."""
    id = read_code(typed)
    doc = await context.store.load_doc(SEEK, f"{need_server(context)}/{id}")
    if doc is None:
        raise UserError(
            "That seek is no longer open.",
            hint=phrase("`/seek list` shows those that are."),
            option="id",
            code="not-asked",
        )
    return _read_doc(doc)


async def load_prepared_seed(context: Context, seek: Seek) -> PreparedSeed | None:
    """Load the seed of a seek's game, which fits the commitment on its card."""
    doc = await context.store.load_doc(SEEK_SEED, seek.key)
    if doc is None:
        return None
    return PreparedSeed(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))


async def create_seek_id(context: Context, server: str) -> str:
    """Create an id that no open seek of the server has."""
    while True:
        id = create_code(ID_LENGTH)
        if await context.store.load_doc(SEEK, f"{server}/{id}") is None:
            return id


def open_seek(context: Context, seek: Seek) -> Seek:
    """Store a new seek with the seed of its game, and the time at which it ends. Return the seek
    with the commitment to that seed.
    """
    seed = prepare_seed(context.now)
    seek = seek._replace(commitment=seed.commitment)
    seed_data = {"seed": seed.seed.hex(), "announced": seed.announced}
    context.commit.docs += [
        seek.build_doc(),
        Doc(SEEK_SEED, seek.key, seed_data, seek.until, seek.server),
    ]
    context.commit.due.append(seek.build_due_row())
    return seek


def change_seek(context: Context, seek: Seek) -> None:
    """Store an open seek that its writer has changed."""
    context.commit.docs.append(seek.build_doc())


async def close_seek(context: Context, seek: Seek, note: str, *buttons: Button) -> None:
    """Delete a seek, so that nobody can play it any more, and say on its card why.

    Of several commands that close it at the same time, only one is stored.
    """
    context.commit.drop_docs.append((SEEK, seek.key))
    if await context.store.load_doc(SEEK_SEED, seek.key) is not None:
        context.commit.drop_docs.append((SEEK_SEED, seek.key))
    context.commit.drop_due.append((seek.topic, None))
    amend_card(context, seek.topic, seek.headline, note, *buttons)


def amend_card(context: Context, topic: str, title: str, note: str, *buttons: Button) -> None:
    """Replace the card with this topic by its title and the note on how the seek ended."""
    new_card = Reply(title, over=note, tone=OVER, buttons=buttons)
    context.amendments.append(Amendment(topic, lambda _card: new_card, anywhere=True))


async def withdraw_seeks_of_forgotten(context: Context) -> set[str]:
    """Withdraw the seeks of the user, whose data is being deleted, and return their names on them.

    Their cards no longer name them.
    """
    seeks = await load_seeks_of_user(context, context.command.who.key)
    for seek in seeks:
        amend_card(context, seek.topic, f"A seek for {seek.title}", "Withdrawn")
    return {seek.name for seek in seeks}


SEEKERS = "seekers"
"""The kind of the document with the channel for seekers of a server."""


def build_seekers_doc(channel: Place) -> Doc:
    """Return the document that makes this channel its server's channel for seekers."""
    data = {"place": channel.key, "name": channel.name}
    return Doc(SEEKERS, channel.server, data, None, channel.server)


async def load_seekers_channel(context: Context, server: str) -> tuple[str, str]:
    """Load key and name of a server's channel for seekers. ("", "") if it has none."""
    doc = await context.store.load_doc(SEEKERS, server)
    return (str(doc.data["place"]), str(doc.data["name"])) if doc is not None else ("", "")
