"""Where seeks are shown: the channel for seekers of a server, and the servers that share theirs.

A link of two servers is stored as two documents, one for each, so that each goes with its server's
data. It counts only while both are there, and both servers have a channel for seekers.
"""

from collections.abc import Sequence
from typing import NamedTuple

from bot.preferences.place_names import name_place
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.storage.records import AWAY, SEEK_LINK, Doc, Outgoing
from bot.storage.store import Store
from bot.ui.reply.parts import Part
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place

SEEKERS = "seekers"
"""The kind of the document with the channel for seekers of a server."""
MOST_LINKS = 3
"""Maximum number of servers with which a server shares seeks."""

SHARING_LINES: tuple[Part, ...] = (
    "A seek written on one side is shown on the other too: name, game and line of text. "
    "If somebody there plays it, the game is played from both, and each sees every roll of it.",
    phrase("A manager ends that with: `/seek link off`"),
)
"""What the readers of a channel for seekers are told of a link."""


class LinkedServer(NamedTuple):
    """A server as another one sees it that shares seeks with it."""

    id: str
    """The id of the link, which both servers have in common."""
    server: str
    """The key of the server."""
    channel: str
    """The key of its channel for seekers."""
    name: str
    """The name of that channel."""
    is_away: bool
    """Whether it has removed the bot."""

    def format_name(self, reader: str) -> str:
        """Return how to refer to its channel in a message that is read in the channel `reader`."""
        return name_place(self.channel, self.name, reader)


def build_seekers_doc(channel: Place) -> Doc:
    """Return the document that makes this channel its server's channel for seekers."""
    data = {"place": channel.key, "name": channel.name}
    return Doc(SEEKERS, channel.server, data, None, channel.server)


async def load_seekers_channel(store: Store, server: str) -> tuple[str, str]:
    """Load key and name of a server's channel for seekers. ("", "") if it has none."""
    doc = await store.load_doc(SEEKERS, server)
    if doc is None:
        return "", ""
    return str(doc.data["place"]), str(doc.data["name"])


def list_link_keys(server: str, other_server: str) -> tuple[str, str]:
    """Return the keys of the two documents that link these servers."""
    return f"{server}/{other_server}", f"{other_server}/{server}"


def build_link_docs(id: str, server: str, other_server: str) -> tuple[Doc, Doc]:
    """Return the two documents that link these servers under the id of their link."""
    own_key, other_key = list_link_keys(server, other_server)
    data = {"id": id}
    return (
        Doc(SEEK_LINK, own_key, data, None, server),
        Doc(SEEK_LINK, other_key, data, None, other_server),
    )


async def load_linked_servers(store: Store, server: str) -> Sequence[LinkedServer]:
    """Load the servers with which a server shares seeks, by key."""
    linked_servers = []
    for doc in await store.load_docs(SEEK_LINK, under=f"{server}/"):
        other_server = doc.key.removeprefix(f"{server}/")
        _, other_key = list_link_keys(server, other_server)
        channel, name = await load_seekers_channel(store, other_server)
        if not channel or await store.load_doc(SEEK_LINK, other_key) is None:
            continue
        is_away = await is_server_away(store, other_server)
        linked_servers.append(
            LinkedServer(str(doc.data["id"]), other_server, channel, name, is_away)
        )
    return linked_servers


async def is_server_away(store: Store, server: str) -> bool:
    """Return whether a server has removed the bot."""
    return await store.load_doc(AWAY, server) is not None


async def list_link_lines(store: Store, server: str, reader: str) -> list[Part]:
    """Return a line for each server with which a server shares seeks, as read in `reader`, and the
    command that ends it.
    """
    channel, name = await load_seekers_channel(store, server)
    lines: list[Part] = []
    for linked_server in await load_linked_servers(store, server):
        own_name = name_place(channel, name, reader)
        lines.append(f"Seeks in {own_name} are shared with {linked_server.format_name(reader)}.")
    if lines:
        lines.append(phrase("To end that, type: `/seek link off`"))
    return lines


async def build_seek_link_reminders(store: Store, server: str) -> list[Outgoing]:
    """Build the message that tells a server, which has the bot again, with whom it shares seeks.

    The list is empty if it shares them with nobody.
    """
    channel, _ = await load_seekers_channel(store, server)
    linked_servers = await load_linked_servers(store, server)
    if not linked_servers:
        return []
    names = join_names(linked_server.format_name(channel) for linked_server in linked_servers)
    reminder = Reply(f"Seeks of this channel are shared with {names}", SHARING_LINES)
    return [Outgoing(channel, {}, 0.0, reminder.to_json())]
