"""The decks of a game in play: which there are, what turns show of them, and what a sequence
read of their piles.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.game.cups import ELEMENTS, LOST
from bot.game.state import Game, Json
from bot.rules import cards
from bot.rules.cards import (
    DISCARD,
    PLAY,
    REMOVED,
    Deck,
    count_at,
    deck_from_json,
    get_last_key,
    list_pile,
    pile_size,
    size,
)
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, UNSEEN, GameDeck, build_pile, read_known_ends
from bot.rules.inputs.options import Option, clean, is_left_out
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import cut_text
from bot.rulesets.system import BY_DECK, Sequence, System


def list_deck_lines(game: Game, system: System, *, changed: bool = False) -> Iterator[str]:
    """Yield how many cards the decks of the game have in the pile, and which are in play: of all
    decks that are shown, or of those alone whose pile has `changed`.
    """
    for id, made in system.decks.items():
        if made.shown:
            deck = deck_from_json(game.decks[id]) if id in game.decks else made.deck
            there = count_at(id, PLAY, game.cards)
            lying = ", ".join(
                made.names.get(card, card)
                for card, _ in deck.cards
                for _ in range(there.get(card, 0))
            )
            in_play = f", in play {cut_text(lying, 60)}" if lying else ""
            left = pile_size(id, deck, game.cards) + cards.count_known_ends(id, game.cards)
            if left < size(deck.cards) or not changed:
                yield f"{made.title}: {left} of {size(deck.cards)} in the pile{in_play}"


def list_deck_names(game: Game, system: System | None) -> tuple[str, ...]:
    """The decks to draw from: those of the game's files, and those that were made."""
    return tuple(dict.fromkeys((*(system.decks if system is not None else ()), *game.decks)))


def list_cards_in_play(game: Game) -> tuple[tuple[str, str], ...]:
    """The cards that lie in play, each with its deck, in the order of that."""
    there = {id: count_at(id, PLAY, game.cards) for id in game.decks}
    return tuple(
        (id, card)
        for id in there
        for card in deck_from_json(game.decks[id]).ids
        if card in there[id]
    )


def list_usable_cards(game: Game, system: System | None, side: str) -> tuple[tuple[str, str], ...]:
    """Return the cards in play that a side may use, each with its deck."""
    made = system.decks if system is not None else {}
    return tuple(
        (id, card)
        for id, card in list_cards_in_play(game)
        if id not in made or made[id].is_of(side, game.sides)
    )


class UsedCard(NamedTuple):
    """A card in play that a sequence uses, and where it goes then: see `cards.SETTLED`."""

    deck: str
    card: str
    to: str

    def to_json(self) -> Json:
        """Return this used card as a log event holds it: its deck, itself, and where it goes."""
        return {"deck": self.deck, "card": self.card, "to": self.to}


def find_decks_with(game: Game, option: Option, card: str) -> list[str]:
    """Return the decks of an option that have a card in play."""
    return [id for id, one in list_cards_in_play(game) if one == card and id in option.in_play]


def find_used_cards(
    game: Game, sequence: Sequence, inputs: Mapping[str, object], side: str
) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence uses up, where those of `side` go."""
    found = list[UsedCard]()
    for option in sequence.inputs:
        if not option.used or is_left_out(option, inputs.get(option.name)):
            continue
        card = str(clean(option, inputs[option.name]))
        for id in find_decks_with(game, option, card):
            deck = sequence.system.decks[id]
            if deck.is_of(side, game.sides):
                to = deck.after[card] if option.used == BY_DECK else option.used
                found.append(UsedCard(id, card, to))
                break
    return tuple(found)


def get_card_names(game: Game, system: System | None) -> Mapping[str, Mapping[str, str]]:
    """How cards are called by the game's files, and those of units by their names: by deck, by
    card.
    """
    names = {id: made.names for id, made in system.decks.items()} if system is not None else {}
    is_led = LOST in game.decks.get(ELEMENTS, {})
    return (
        {**names, ELEMENTS: {unit.handle: unit.name for unit in game.units.values()}}
        if is_led
        else names
    )


MOST_SHOWN = 60
"""Cards of a pile that are listed one by one."""
PLACES: Mapping[str, str] = {PLAY: "in play", DISCARD: "discarded", REMOVED: "out of the game"}
"""How it is said where cards are that all can see."""
ENDS_AT = ("on top", "at the bottom")


def describe_card_counts(deck: Deck, sizes: cards.Sizes, hand_of: Callable[[str], str]) -> str:
    """`17 of 20 in the pile, 2 in play, 1 discarded, 3 in VC's hand`: what all can tell."""
    there = sizes[0]
    held = {**sizes[1]}
    known = [held.pop(end, 0) for end in cards.ENDS]
    all = size(deck.cards)
    told = [f"{all - sum(there.values()) - sum(held.values())} of {all} in the pile"]
    told += [
        f"{count} of them known {where}"
        for count, where in zip(known, ENDS_AT, strict=True)
        if count
    ]
    told += [f"{there[place]} {word}" for place, word in PLACES.items() if there.get(place)]
    return ", ".join(
        [*told, *(f"{count} in {hand_of(seat)}" for seat, count in held.items() if count)]
    )


def list_open_cards(
    id: str, deck: Deck, out: cards.Out, names: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Which cards lie open, and where: (`In play`, `Fog, Mines x2`)."""
    for place, label in ((PLAY, "In play"), (DISCARD, "Discards"), (REMOVED, "Out of the game")):
        if there := count_at(id, place, out):
            yield (
                label,
                format_card_counts(names, ((card, there.get(card, 0)) for card, _ in deck.cards)),
            )


def format_card_counts(names: Mapping[str, str], some: Iterable[tuple[str, int]]) -> str:
    """`Fog, Mines x2`: so many of each of these cards."""
    told = [
        f"{names[card]} x{count}" if count > 1 else names[card] for card, count in some if count
    ]
    more = f" and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return f"{', '.join(told[:MOST_SHOWN])}{more}" or "nothing"


def get_seen_ends(hands: cards.Hands, seat: str) -> dict[str, list[str]]:
    """The cards on the known top and at the bottom, by the end, that a seat saw, or all did;
    `UNSEEN` for another.
    """
    seen = {draw for one in (seat, cards.ALL) for draw, _ in hands.get(f"{cards.SAW}{one}", ())}
    return {
        end: [card if draw in seen else UNSEEN for draw, card in hands.get(end, ())]
        for end in cards.ENDS
    }


EVERYTHING = ""
"""In the place of a seat: a pile as it is, for the dice that draw from it."""


def get_visible_pile(id: str, game: Game, hands: cards.Hands, seat: str) -> Json:
    """The pile of a deck with closed cards, as its inputs are, to who sits at a seat; `ALL` for
    what all have seen.
    """
    top, bottom = get_seen_ends(hands, seat).values()
    held = hands.get(seat, ())
    if seat == EVERYTHING:
        top, bottom = ([card for _, card in hands.get(end, ())] for end in cards.ENDS)
        held = [one for whose, some in hands.items() if whose not in cards.ENDS for one in some]
    seen = build_pile(
        id, deck_from_json(game.decks[id]), game.cards, (top, bottom), [card for _, card in held]
    )
    return {f"{DECK}{id}": seen.lines}


def build_pile_inputs(decks: Mapping[str, GameDeck], game: Game, closed: Mapping[str, Any]) -> Json:
    """What an event holds of the piles that a sequence draws from, `closed` ones as all have seen
    them. Raises UserError for one with cards that today's files do not know."""
    found: dict[str, Any] = {}
    for id, made in decks.items():
        deck = deck_from_json(game.decks[id]) if id in game.decks else made.deck
        if strange := [card for card, _ in deck.cards if card not in made.said]:
            hint = phrase(
                "`/deck make {id}` starts it over with the cards that the game has now.", id=id
            )
            raise UserError(
                f"{id} here has a card {strange[0]}, which the game doesn't have.",
                hint=hint,
                code="bad-value",
            )
        name = f"{DECK}{id}"
        is_closed = bool(game.cards.get(get_last_key(id)))
        found[name] = closed[name] if is_closed else build_pile(id, deck, game.cards).lines
    return found


def find_pile_problem(now: Game, roll: Mapping[str, Any], first: Mapping[str, Any] | None) -> str:
    """What is wrong with the piles that a roll says it drew from: they are as the log led to, or of
    what carries on a `first` event as they were then. Which cards all know on the ends of a pile is
    told once it is open."""
    for name, value in (roll.get("read") or {}).items():
        id = name.removeprefix(DECK)
        due = (first or {}).get("read", {}).get(name)
        if first is None and id in now.decks:
            due = _compute_expected_pile(id, now, value)
        if name.startswith(DECK) and (due is None or due != value):
            return f"it draws from {id[:40]} otherwise than the log led to."
    return ""


def _compute_expected_pile(id: str, now: Game, told: Any) -> list[str] | None:
    """A pile as all see it, with the ends that they know as it is `told`; None for ends that it
    cannot have.
    """
    deck = deck_from_json(now.decks[id])
    try:
        ends = read_known_ends(
            told, now.cards.get(cards.get_card_key(id, cards.HAND, cards.TOP), 0)
        )
    except ValueError:
        return None
    known = Counter(card for end in ends for card in end if card != UNSEEN)
    return (
        build_pile(id, deck, now.cards, ends).lines
        if known <= Counter(dict(list_pile(id, deck, now.cards)))
        else None
    )
