"""A seek on linked servers: on which of them it is shown, and its cards there."""

from collections.abc import Sequence

from bot.commands.context import Amendment, Context
from bot.commands.games.start_and_join import read_new_game
from bot.commands.seek.card import build_card
from bot.commands.seek.open_seeks import Seek
from bot.preferences.enabled_packs import is_game_enabled
from bot.preferences.place_names import name_place
from bot.preferences.shared_seeks import LinkedServer, load_linked_servers, load_seekers_channel
from bot.rules.errors import UserError
from bot.rulesets.system import System
from bot.storage.records import Outgoing
from bot.ui.reply.reply import Reply
from bot.ui.spec import Place


async def find_receiving_servers(context: Context, seek: Seek) -> list[LinkedServer]:
    """Return the linked servers on which a new seek can be shown and its game be started.

    Leave out a server that has removed the bot or not enabled the game, or on which the game has
    other sides.
    """
    linked_servers = await load_linked_servers(context.store, seek.server)
    return [
        linked_server
        for linked_server in linked_servers
        if await _can_play_there(context, seek, linked_server)
    ]


async def _can_play_there(context: Context, seek: Seek, linked_server: LinkedServer) -> bool:
    """Return whether the game of a seek could be started now on a linked server.

    It cannot if the server has removed the bot or not enabled the game, or has other sides for it.
    """
    if linked_server.is_away or not await is_game_enabled(
        context.store, linked_server.server, seek.system
    ):
        return False
    systems = await context.load_visible_systems(
        Place(linked_server.channel, linked_server.server), None
    )
    try:
        new_game = read_new_game({**seek.start_options, "carry": None}, systems)
    except UserError:
        return False
    return new_game.sides == seek.sides


async def post_linked_cards(
    context: Context, seek: Seek, system: System, linked_servers: Sequence[LinkedServer]
) -> None:
    """Post the card of a new seek for a game of `system` in linked servers' channels for seekers.

    The cards are sent once the command is stored. `Seek.get_topic` returns the topic of each.
    """
    for linked_server in linked_servers:
        card = await _build_linked_card(context, seek, system, linked_server)
        topic = seek.get_topic(linked_server.server)
        context.commit.outbox.append(
            Outgoing(linked_server.channel, {}, 0.0, card.to_json(), topic)
        )


async def amend_cards(context: Context, seek: Seek, system: System) -> None:
    """Rewrite the cards of a seek that has changed, on its own server and on those that show it."""
    cards = {seek.topic: build_card(seek, system)}
    for linked_server in await load_linked_servers(context.store, seek.server):
        if linked_server.server in seek.other_servers:
            card = await _build_linked_card(context, seek, system, linked_server)
            cards[seek.get_topic(linked_server.server)] = card
    for topic, card in cards.items():
        _replace_card(context, topic, card)


def _replace_card(context: Context, topic: str, card: Reply) -> None:
    """Replace the card with this topic by another one."""
    context.amendments.append(Amendment(topic, lambda _card: card, anywhere=True))


async def _build_linked_card(
    context: Context, seek: Seek, system: System, linked_server: LinkedServer
) -> Reply:
    """Build the card of a seek as it reads on a linked server."""
    channel, name = await load_seekers_channel(context.store, seek.server)
    return build_card(seek, system, origin=name_place(channel, name, linked_server.channel))
