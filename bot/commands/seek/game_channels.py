"""Where the game of a seek is played: in a thread of its card, or in a channel.

If writer and player are on two servers, it is played from both: on each in a thread of the card
there, or in the server's channel for seekers. No other channel has agreed to be seen elsewhere.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from bot.commands.context import Context
from bot.commands.seek.open_seeks import Seek
from bot.commands.undo.undo import HOME
from bot.game.loaded_game import LoadedGame
from bot.loading.load_game import restore_game
from bot.preferences.place_names import build_name_doc, name_place
from bot.preferences.shared_seeks import load_seekers_channel
from bot.rules.errors import UserError
from bot.storage.records import Binding, Doc
from bot.ui.spec import Place

THREAD_SECONDS = 2.0
"""Seconds that a platform has to make a thread. After that the game is played in the channel."""


@dataclass(frozen=True, slots=True)
class GameChannel:
    """A channel or thread in which the game of a seek can start.

    `replaced_game` is what is played there until now: free play, or a game that has ended.
    """

    place: Place
    replaced_game: LoadedGame | None = None

    def build_binding(self, row: str) -> Binding:
        """Return the binding by which the game `row` is played here."""
        replaced_row = self.replaced_game.row if self.replaced_game is not None else None
        return Binding(self.place.key, row, replaced_row, self.place.server)


async def open_card_thread(
    context: Context, seek: Seek, channel: Place, spot: Mapping[str, object]
) -> Place | None:
    """Make a thread of the card at a spot of a channel, and return it.

    Return None if there can be none, or if a game is played in it already.
    """
    open_thread = context.threads.get(channel.key.partition(":")[0])
    if open_thread is None or channel.parent is not None:
        return None
    try:
        opening = open_thread(channel.key, dict(spot), seek.title)
        key = await asyncio.wait_for(opening, THREAD_SECONDS)
    except TimeoutError:
        return None
    if not key or await context.store.load_game_version(key) is not None:
        return None
    return Place(key, channel.server, channel.name, parent=channel)


async def find_game_channel(context: Context, seek: Seek, server: str) -> GameChannel:
    """Return where the game of a seek can start on one of two servers: in a thread of the card
    there, or else in the server's channel for seekers.

    Raises UserError if another game is on in that channel, or if it is linked with others.
    """
    key, name = await load_seekers_channel(context.store, server)
    channel = Place(key, server, name)
    spot = await _find_card_spot(context, seek, channel)
    if spot is not None:
        thread = await open_card_thread(context, seek, channel, spot)
        if thread is not None:
            return GameChannel(thread)
    saved = await context.store.load_game(key)
    game = restore_game(saved) if saved is not None else None
    if game is not None and (len(game.places) > 1 or (game.game.started and not game.game.ended)):
        label = name_place(key, name, context.command.where.key)
        raise UserError(
            f"A game is on in {label}, and the bot can't create a thread there.",
            hint="Try again once that game has ended, or once the bot may create threads there.",
            code="game-on",
        )
    return GameChannel(channel, game)


async def _find_card_spot(
    context: Context, seek: Seek, channel: Place
) -> Mapping[str, object] | None:
    """Return where the card of a seek is in a channel, None if that is not known."""
    pressed_spot = context.command.delivery.get("pressed")
    is_pressed = context.pressed_topic == seek.get_topic(channel.server)
    if is_pressed and context.command.where.key == channel.key:
        return pressed_spot if isinstance(pressed_spot, Mapping) else None
    messages = await context.load_posted_messages(seek.get_topic(channel.server))
    spots = messages.spots.get(channel.key, ())
    return spots[-1] if spots else None


def link_game(context: Context, home: GameChannel, second: GameChannel) -> None:
    """Let the game that has just begun in `home` be played from another channel too."""
    row = context.ledger.row
    context.ledger.add("link", result="played from two channels")
    home_doc = Doc(HOME, row, {"place": home.place.key}, None, home.place.server)
    context.commit.docs += [
        home_doc,
        build_name_doc(home.place),
        build_name_doc(second.place),
    ]
    context.commit.bindings.append(second.build_binding(row))
