"""The decks of a game in play: which there are to draw from, and what turns show of them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.game.state import Game
from bot.rules.cards import PLAY, at, deck_from_json, pile_size, size
from bot.rules.text.plain import cut
from bot.systems.system import System


def shown_decks(game: Game, system: System) -> Iterator[str]:
    """How many cards the decks of the game have in the pile, and which are in play."""
    for id, made in system.decks.items():
        if made.shown:
            deck = deck_from_json(game.decks[id]) if id in game.decks else made.deck
            there = at(id, PLAY, game.cards)
            lying = ", ".join(made.names.get(card, card) for card, _ in deck.cards for _ in range(there.get(card, 0)))
            in_play = f", in play {cut(lying, 60)}" if lying else ""
            yield f"{made.title}: {pile_size(id, deck, game.cards)} of {size(deck.cards)} in the pile{in_play}"


def deck_names(game: Game, system: System | None) -> tuple[str, ...]:
    """The decks to draw from: those of the game's files, and those that were made."""
    return tuple(dict.fromkeys((*(system.decks if system is not None else ()), *game.decks)))
