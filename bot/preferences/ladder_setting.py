"""Whether a server has a ladder. Without one it sees nothing of results that count."""

from bot.storage.records import Doc
from bot.storage.store import Store

LADDER = "ladder"
"""The kind of the document of a server that has a ladder."""


def build_ladder_doc(server: str) -> Doc:
    """Build the document that gives a server a ladder."""
    return Doc(LADDER, server, {}, None, server)


async def is_ladder_on(store: Store, server: str) -> bool:
    """Return whether a server has a ladder; `server` is its key."""
    return await store.load_doc(LADDER, server) is not None
