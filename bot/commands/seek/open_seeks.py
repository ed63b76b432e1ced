"""Open seeks as they are stored: one document for each, under the server on which it was written.

A seek belongs to its writer, so it is exported and deleted with their data. The seed of its game is
kept apart from it, for its writer must not learn it.

A seek that is also shown on linked servers stays one document, so that it is played once.
"""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from bot.commands.context import Amendment, Context
from bot.game.free_play_seed import PreparedSeed
from bot.loading.free_play_seed import prepare_seed
from bot.preferences.shared_seeks import load_linked_servers
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.runtime.entropy import create_code, read_code
from bot.storage.base import DAY
from bot.storage.records import Doc, DueRow
from bot.ui.reply.reply import OVER, Button, Reply

SEEK = "seek"
"""The kind of the documents with an open seek, by server and id."""
SEEK_SEED = "seek-seed"
"""The kind of the documents with the seed of a seek's game, under the same key."""
SEEK_REVISION = "seek-revision"
"""The kind of the documents with the revision of a seek that is shown on linked servers, by its key
and revision. Every change replaces it, so that of two at the same time one runs again.
"""
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
PACE_WORDS = {
    "evening": ("tonight", "today", "this evening", "now"),
    "daily": ("every day",),
    "weekly": ("every week",),
}
"""Other words for a pace."""
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
    other_servers: tuple[str, ...] = ()
    """The keys of the linked servers on which it is shown as well."""
    revision: int = 0
    """How often it has changed."""

    @property
    def key(self) -> str:
        """The key of its documents."""
        return f"{self.server}/{self.id}"

    @property
    def topic(self) -> str:
        """The topic of its card on its own server."""
        return f"{SEEK}/{self.key}"

    @property
    def topics(self) -> dict[str, str]:
        """The topics of its cards by server."""
        return {server: self.get_topic(server) for server in (self.server, *self.other_servers)}

    def get_topic(self, server: str) -> str:
        """Return the topic of its card on a server: its own or a linked one."""
        return self.topic if server == self.server else f"{self.topic}/{server}"

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

    def build_revision_doc(self) -> Doc:
        """Return the document with its revision."""
        key = f"{self.key}/{self.revision}"
        return Doc(SEEK_REVISION, key, {}, self.until, self.writer)

    def build_due_row(self) -> DueRow:
        """Return the row that closes it when its time is over."""
        data = {
            "place": self.channel,
            "server": self.server,
            "title": self.headline,
            "topics": list(self.topics.values()),
        }
        return DueRow(self.topic, self.until, SEEK_ENDS, data, self.writer)


def _read_doc(doc: Doc) -> Seek:
    server, _, id = doc.key.rpartition("/")
    sides = tuple(doc.data["sides"])
    other_servers = tuple(doc.data.get("other_servers", ()))
    values = {**doc.data, "sides": sides, "other_servers": other_servers}
    return Seek(id=id, server=server, writer=doc.owner, **values)


def need_server(context: Context) -> str:
    """Return the key of the server. Raises UserError outside the channels of a server."""
    channel = context.command.where
    if not channel.server or channel.owner:
        raise UserError("Do this in a server's channel.", code="no-server")
    return channel.server


async def load_seeks(context: Context, server: str) -> list[Seek]:
    """Load the open seeks that were written on a server, by id."""
    return [_read_doc(doc) for doc in await context.store.load_docs(SEEK, under=f"{server}/")]


async def load_shown_seeks(context: Context, server: str) -> list[Seek]:
    """Load the open seeks that are shown on a server: its own, then those of linked servers.

    Those of a server that has removed the bot are left out.
    """
    seeks = await load_seeks(context, server)
    for linked_server in await load_linked_servers(context.store, server):
        if not linked_server.is_away:
            linked_seeks = await load_seeks(context, linked_server.server)
            seeks += [seek for seek in linked_seeks if server in seek.other_servers]
    return seeks


async def load_seeks_of_user(context: Context, user: str) -> Sequence[Seek]:
    """Load the open seeks of a user on all servers."""
    return [_read_doc(doc) for doc in await context.store.load_docs(SEEK, user)]


async def load_seek(context: Context, typed: str) -> Seek:
    """Load the open seek with the typed id that is shown on this server.

    Raises UserError if there is none, and outside the channels of a server.
    """
    id = read_code(typed)
    server = need_server(context)
    doc = await context.store.load_doc(SEEK, f"{server}/{id}")
    if doc is not None:
        return _read_doc(doc)
    for linked_server in await load_linked_servers(context.store, server):
        doc = await context.store.load_doc(SEEK, f"{linked_server.server}/{id}")
        seek = _read_doc(doc) if doc is not None else None
        if seek is not None and server in seek.other_servers:
            return seek
    message = "That seek is no longer open."
    if len(id) != ID_LENGTH:
        message = f'"{typed.strip()[:40]}" is not the id of a seek.'
    raise UserError(
        message,
        hint=phrase("`/seek list` shows the open ones, with their ids."),
        option="id",
        code="not-asked",
    )


async def load_prepared_seed(context: Context, seek: Seek) -> PreparedSeed | None:
    """Load the seed of a seek's game, which fits the commitment on its card."""
    doc = await context.store.load_doc(SEEK_SEED, seek.key)
    if doc is None:
        return None
    return PreparedSeed(bytes.fromhex(doc.data["seed"]), int(doc.data["announced"]))


async def create_seek_id(context: Context, servers: Sequence[str]) -> str:
    """Create an id that no open seek of these servers has."""
    while True:
        id = create_code(ID_LENGTH)
        docs = [await context.store.load_doc(SEEK, f"{server}/{id}") for server in servers]
        if not any(docs):
            return id


def open_seek(context: Context, seek: Seek) -> Seek:
    """Store a new seek with the seed of its game, and the time at which it ends. Return the seek
    with the commitment to that seed.
    """
    seed = prepare_seed(context.now)
    seek = seek._replace(commitment=seed.commitment)
    seed_data = {"seed": seed.seed.hex(), "announced": seed.announced}
    context.commit.docs.append(Doc(SEEK_SEED, seek.key, seed_data, seek.until, seek.server))
    _store_seek(context, seek)
    return seek


def _store_seek(context: Context, seek: Seek) -> None:
    """Store a seek, the time at which it ends, and its revision if it is shown on linked servers."""
    context.commit.docs.append(seek.build_doc())
    context.commit.due.append(seek.build_due_row())
    if seek.other_servers:
        context.commit.docs.append(seek.build_revision_doc())


def _drop_seek(context: Context, seek: Seek) -> None:
    """Delete a seek as it was loaded. The command runs again if another one has changed it since."""
    context.commit.drop_docs.append((SEEK, seek.key))
    if seek.other_servers:
        context.commit.drop_docs.append(seek.build_revision_doc()[:2])


def change_seek(context: Context, seek: Seek, **changes: Any) -> Seek:
    """Store an open seek with these fields changed, and return it."""
    _drop_seek(context, seek)
    changed_seek = seek._replace(**changes, revision=seek.revision + 1)
    _store_seek(context, changed_seek)
    return changed_seek


def hide_seek(context: Context, seek: Seek, servers: Collection[str], note: str) -> None:
    """Show a seek no longer on these linked servers, and say on its cards there why. It stays
    open.
    """
    other_servers = tuple(server for server in seek.other_servers if server not in servers)
    change_seek(context, seek, other_servers=other_servers)
    for server in servers:
        amend_card(context, seek.get_topic(server), seek.headline, note)


async def close_seek(
    context: Context,
    seek: Seek,
    note: str,
    buttons: Mapping[str, Sequence[Button]] = MappingProxyType({}),
) -> None:
    """Delete a seek, so that nobody can play it any more, and say on its cards why.

    `buttons` are those of its cards, by server. Of several commands that close it at the same time,
    only one is stored.
    """
    _drop_seek(context, seek)
    if await context.store.load_doc(SEEK_SEED, seek.key) is not None:
        context.commit.drop_docs.append((SEEK_SEED, seek.key))
    context.commit.drop_due.append((seek.topic, None))
    for server, topic in seek.topics.items():
        amend_card(context, topic, seek.headline, note, *buttons.get(server, ()))


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
        for topic in seek.topics.values():
            amend_card(context, topic, f"A seek for {seek.title}", "Withdrawn")
    return {seek.name for seek in seeks}
