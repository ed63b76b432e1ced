"""The decks of a game in play: which there are to draw from, and what turns show of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from bot.game.state import Game
from bot.rules import cards
from bot.rules.cards import DISCARD, PLAY, REMOVED, Deck, at, deck_from_json, pile_size, size
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
            left = pile_size(id, deck, game.cards) + cards.ends_size(id, game.cards)
            yield f"{made.title}: {left} of {size(deck.cards)} in the pile{in_play}"


def deck_names(game: Game, system: System | None) -> tuple[str, ...]:
    """The decks to draw from: those of the game's files, and those that were made."""
    return tuple(dict.fromkeys((*(system.decks if system is not None else ()), *game.decks)))


MOST_SHOWN = 60
"""Cards of a pile that are listed one by one."""
PLACES: Mapping[str, str] = {PLAY: "in play", DISCARD: "discarded", REMOVED: "out of the game"}
"""How it is said where cards are that all can see."""
ENDS_AT = ("on top", "at the bottom")


def counted_cards(id: str, deck: Deck, out: cards.Out, hand_of: Callable[[str], str]) -> str:
    """`17 of 20 in the pile, 2 in play, 1 discarded, 3 in VC's hand`: what all can tell."""
    there, held = cards.sizes(id, out)
    known, all = [held.pop(end, 0) for end in cards.ENDS], size(deck.cards)
    told = [f"{all - sum(there.values()) - sum(held.values())} of {all} in the pile"]
    told += [f"{count} of them known {where}" for count, where in zip(known, ENDS_AT, strict=True) if count]
    told += [f"{there[place]} {word}" for place, word in PLACES.items() if there.get(place)]
    return ", ".join([*told, *(f"{count} in {hand_of(seat)}" for seat, count in held.items() if count)])


def open_cards(id: str, deck: Deck, out: cards.Out, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Which cards lie open, and where: (`In play`, `Fog, Mines x2`)."""
    for place, label in ((PLAY, "In play"), (DISCARD, "Discards"), (REMOVED, "Out of the game")):
        if there := at(id, place, out):
            yield label, listed(names, ((card, there.get(card, 0)) for card, _ in deck.cards))


def listed(names: Mapping[str, str], some: Iterable[tuple[str, int]]) -> str:
    """`Fog, Mines x2`: so many of each of these cards."""
    told = [f"{names[card]} x{count}" if count > 1 else names[card] for card, count in some if count]
    more = f" and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return f"{', '.join(told[:MOST_SHOWN])}{more}" or "nothing"
