"""Which game a thread plays: that of its channel, unless one was started in it, or the channel
keeps them apart.
"""

from dataclasses import replace

from bot.game.game_cache import GameCache
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.spec import Command, Place

APART = "threads-apart"
"""Documents of channels whose threads play games of their own."""
BEGINS = (("game", "start"), ("game", "import"))
"""What begins a game in the thread itself."""


class Threads:
    """Finds the place that plays the game of a thread."""

    def __init__(self, store: Store, games: GameCache) -> None:
        self._store = store
        self._games = games

    async def move_command_home(self, command: Command) -> Command:
        """A command typed in a thread as one of the place whose game it is about; it is answered
        in the thread.
        """
        return (
            command
            if command.path in BEGINS
            else replace(command, where=await self.find_home(command.where))
        )

    async def find_home(self, where: Place) -> Place:
        """The place whose game is played here: this one, or the channel that it is a thread of."""
        channel = where.parent
        if channel is None:
            return where
        theirs = await self._games.load_current(channel.key)
        if theirs is None or await has_separate_threads(self._store, channel):
            return where
        own = await self._games.load_current(where.key)
        if own is not None and (own.game.started or own.game.units or not theirs.game.started):
            return where
        return replace(channel, thread=where.key)


def get_channel(where: Place) -> Place:
    """The channel that a place is, or is a thread of."""
    return where.parent if where.parent is not None else replace(where, thread="")


async def has_separate_threads(store: Store, channel: Place) -> bool:
    """Return whether the threads of a channel play games of their own."""
    return await store.load_doc(APART, channel.key) is not None


def build_separate_threads_doc(channel: Place) -> Doc:
    """The document that keeps a channel's threads apart."""
    return Doc(APART, channel.key, {}, None, channel.server or channel.key)
