"""The game that a thread plays.

It is the game of its channel, unless one was started in the thread, or the channel's threads are
separate.
"""

from dataclasses import replace

from bot.loading.game_cache import GameCache
from bot.storage.records import Doc
from bot.storage.store import Store
from bot.ui.spec import Command, Place

APART = "threads-apart"
"""Documents of channels whose threads play games of their own."""
BEGINS = (("game", "start"), ("game", "import"), ("seek", "play"), ("button", "seekplay"))
"""Commands and buttons that begin a game in the thread itself."""


class Threads:
    """The finder of the place that plays the game of a thread."""

    def __init__(self, store: Store, games: GameCache) -> None:
        self._store = store
        self._games = games

    async def move_command_home(self, command: Command) -> Command:
        """Return a command typed in a thread as a command of the place that plays its game.

        It is still answered in the thread.
        """
        if command.path in BEGINS:
            return command
        return replace(command, where=await self.find_home(command.where))

    async def find_home(self, where: Place) -> Place:
        """Return the place that plays the game of `where`: itself, or the channel of the thread."""
        channel = where.parent
        if channel is None:
            return where
        channel_game = await self._games.load_current(channel.key)
        if channel_game is None or await has_separate_threads(self._store, channel):
            return where
        thread_game = await self._games.load_current(where.key)
        if thread_game is not None:
            is_in_use = thread_game.game.started or bool(thread_game.game.units)
            if is_in_use or not channel_game.game.started:
                return where
        return replace(channel, thread=where.key)


def get_channel(where: Place) -> Place:
    """Return the channel of a place: the place itself, or the channel of a thread."""
    return where.parent if where.parent is not None else replace(where, thread="")


async def has_separate_threads(store: Store, channel: Place) -> bool:
    """Return whether the threads of a channel play games of their own."""
    return await store.load_doc(APART, channel.key) is not None


def build_separate_threads_doc(channel: Place) -> Doc:
    """Build the document that separates a channel's threads."""
    return Doc(APART, channel.key, {}, None, channel.server or channel.key)
