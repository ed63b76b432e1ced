"""The decks of a game in play: which there are, what turns show of them, and what a sequence read of their piles."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bot.game.state import Game, Json
from bot.rules import cards
from bot.rules.cards import DISCARD, PLAY, REMOVED, Deck, at, deck_from_json, last_key, pile_size, size
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, GameDeck, pile_of
from bot.rules.text.phrase import phrase
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


def piles_read(decks: Mapping[str, GameDeck], game: Game) -> Json:
    """What an event holds of the piles that a sequence draws from. Raises UserError for one with closed cards, and for
    one with cards that today's files do not know."""
    found: dict[str, Any] = {}
    for id, made in decks.items():
        deck = deck_from_json(game.decks[id]) if id in game.decks else made.deck
        if game.cards.get(last_key(id)):
            what = f"Cards of {id} were drawn closed or looked at, so combat sequences cannot draw from it any more."
            hint = phrase("Undo that, or `/deck make {id}` anew. With no hand closed `/fair reveal` opens it.", id=id)
            raise UserError(what, hint=hint, code="closed-cards")
        if strange := [card for card, _ in deck.cards if card not in made.said]:
            hint = phrase("`/deck make {id}` begins it anew with the cards that the game has now.", id=id)
            raise UserError(f"{id} here has a card {strange[0]}, which the game has not.", hint=hint, code="bad-value")
        found[f"{DECK}{id}"] = pile_of(id, deck, game.cards).lines
    return found


def piles_problem(now: Game, roll: Mapping[str, Any], first: Mapping[str, Any] | None) -> str:
    """What is wrong with the piles that a roll says it drew from: they are as the log led to, or of what carries on a
    `first` event as they were then."""
    for name, value in (roll.get("read") or {}).items():
        id, due = name.removeprefix(DECK), (first or {}).get("read", {}).get(name)
        if first is None and id in now.decks and not now.cards.get(last_key(id)):
            due = pile_of(id, deck_from_json(now.decks[id]), now.cards).lines
        if name.startswith(DECK) and (due is None or due != value):
            return f"it draws from {id[:40]} otherwise than the log led to."
    return ""
