"""The decks of a game in play: their names, their cards, and the piles that sequences draw from."""

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
    """Yield a line for each visible deck: the size of its pile, and its cards in play.

    With `changed`, yield lines only for decks whose pile is not complete.
    """
    for id, game_deck in system.decks.items():
        if not game_deck.shown:
            continue
        deck = deck_from_json(game.decks[id]) if id in game.decks else game_deck.deck
        total = size(deck.cards)
        remaining = pile_size(id, deck, game.cards) + cards.count_known_ends(id, game.cards)
        if changed and remaining >= total:
            continue
        counts_in_play = count_at(id, PLAY, game.cards)
        names = list[str]()
        for card, _ in deck.cards:
            names += [game_deck.names.get(card, card)] * counts_in_play.get(card, 0)
        in_play = f", in play {cut_text(', '.join(names), 60)}" if names else ""
        yield f"{game_deck.title}: {remaining} of {total} in the pile{in_play}"


def list_deck_names(game: Game, system: System | None) -> tuple[str, ...]:
    """Return the ids of the decks to draw from: those of the game's files, then those made in play."""
    return tuple(dict.fromkeys((*(system.decks if system is not None else ()), *game.decks)))


def list_cards_in_play(game: Game) -> tuple[tuple[str, str], ...]:
    """Return the cards in play as (deck, card), each deck in its own order."""
    cards_by_deck = {id: count_at(id, PLAY, game.cards) for id in game.decks}
    return tuple(
        (id, card)
        for id in cards_by_deck
        for card in deck_from_json(game.decks[id]).ids
        if card in cards_by_deck[id]
    )


def list_usable_cards(game: Game, system: System | None, side: str) -> tuple[tuple[str, str], ...]:
    """Return the cards in play that a side may use, as (deck, card)."""
    game_decks = system.decks if system is not None else {}
    return tuple(
        (id, card)
        for id, card in list_cards_in_play(game)
        if id not in game_decks or game_decks[id].is_of(side, game.sides)
    )


class UsedCard(NamedTuple):
    """A card in play that a sequence uses, and its next pile: see `cards.SETTLED`."""

    deck: str
    card: str
    to: str

    def to_json(self) -> Json:
        """Return the card in the form of a log event."""
        return {"deck": self.deck, "card": self.card, "to": self.to}


def find_decks_with(game: Game, option: Option, card: str) -> list[str]:
    """Return the decks of an option that have the card in play."""
    return [
        id
        for id, card_in_play in list_cards_in_play(game)
        if card_in_play == card and id in option.in_play
    ]


def find_used_cards(
    game: Game, sequence: Sequence, inputs: Mapping[str, object], side: str
) -> tuple[UsedCard, ...]:
    """Return the cards in play that a sequence uses up. The cards of `side` go first to their pile."""
    used_cards = list[UsedCard]()
    for option in sequence.inputs:
        if not option.used or is_left_out(option, inputs.get(option.name)):
            continue
        card = str(clean(option, inputs[option.name]))
        for id in find_decks_with(game, option, card):
            deck = sequence.system.decks[id]
            if deck.is_of(side, game.sides):
                to = deck.after[card] if option.used == BY_DECK else option.used
                used_cards.append(UsedCard(id, card, to))
                break
    return tuple(used_cards)


def get_card_names(game: Game, system: System | None) -> Mapping[str, Mapping[str, str]]:
    """Return the names of cards by deck and card id: from the game's files, or of their units."""
    names: dict[str, Mapping[str, str]] = {}
    if system is not None:
        names = {id: game_deck.names for id, game_deck in system.decks.items()}
    if LOST in game.decks.get(ELEMENTS, {}):
        names[ELEMENTS] = {unit.handle: unit.name for unit in game.units.values()}
    return names


MOST_SHOWN = 60
"""Maximum number of cards of a pile in a list."""
PLACES: Mapping[str, str] = {PLAY: "in play", DISCARD: "discarded", REMOVED: "out of the game"}
"""Words for the places of cards that everybody can see."""
ENDS_AT = ("on top", "at the bottom")


def describe_card_counts(deck: Deck, sizes: cards.Sizes, hand_of: Callable[[str], str]) -> str:
    """Return the counts that everybody may know, such as
    `17 of 20 in the pile, 2 in play, 1 discarded, 3 in VC's hand`.
    """
    open_counts = sizes[0]
    hand_counts = {**sizes[1]}
    end_counts = [hand_counts.pop(end, 0) for end in cards.ENDS]
    total = size(deck.cards)
    in_pile = total - sum(open_counts.values()) - sum(hand_counts.values())
    parts = [f"{in_pile} of {total} in the pile"]
    for count, position in zip(end_counts, ENDS_AT, strict=True):
        if count:
            parts.append(f"{count} of them known {position}")
    for place, word in PLACES.items():
        if open_counts.get(place):
            parts.append(f"{open_counts[place]} {word}")
    for seat, count in hand_counts.items():
        if count:
            parts.append(f"{count} in {hand_of(seat)}")
    return ", ".join(parts)


def list_open_cards(
    id: str, deck: Deck, out: cards.Out, names: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the cards that lie open, by place: (`In play`, `Fog, Mines x2`)."""
    for place, label in ((PLAY, "In play"), (DISCARD, "Discards"), (REMOVED, "Out of the game")):
        counts = count_at(id, place, out)
        if counts:
            card_counts = ((card, counts.get(card, 0)) for card, _ in deck.cards)
            yield label, format_card_counts(names, card_counts)


def format_card_counts(names: Mapping[str, str], card_counts: Iterable[tuple[str, int]]) -> str:
    """Format cards with their counts: `Fog, Mines x2`. Return `nothing` if there are none.

    Cards with a count of 0 are left out. After MOST_SHOWN cards only the number of the rest
    follows. `names` are the names of the cards by id.
    """
    texts = [
        f"{names[card]} x{count}" if count > 1 else names[card]
        for card, count in card_counts
        if count
    ]
    rest_text = f" and {len(texts) - MOST_SHOWN} more" if len(texts) > MOST_SHOWN else ""
    return f"{', '.join(texts[:MOST_SHOWN])}{rest_text}" or "nothing"


def get_seen_ends(hands: cards.Hands, seat: str) -> dict[str, list[str]]:
    """Return the known cards at each end of a pile, `TOP` and `BOTTOM`, as seen from a seat.

    An end without known cards has []. A card that neither this seat nor all have seen is `UNSEEN`.
    """
    seen_draws = {
        draw for viewer in (seat, cards.ALL) for draw, _ in hands.get(f"{cards.SAW}{viewer}", ())
    }
    return {
        position: [card if draw in seen_draws else UNSEEN for draw, card in hands.get(position, ())]
        for position in cards.ENDS
    }


EVERYTHING = ""
"""In place of a seat: the whole pile, for the dice that draw from it."""


def get_visible_pile(id: str, game: Game, hands: cards.Hands, seat: str) -> Json:
    """Return the pile of a deck with closed cards, in the form of inputs, as seen from a seat.

    `ALL` as the seat stands for what everybody has seen.
    """
    top, bottom = get_seen_ends(hands, seat).values()
    held_draws = [*hands.get(seat, ())]
    if seat == EVERYTHING:
        top, bottom = ([card for _, card in hands.get(end, ())] for end in cards.ENDS)
        held_draws = []
        for owner, draws in hands.items():
            if owner not in cards.ENDS:
                held_draws += draws
    held_cards = [card for _, card in held_draws]
    deck = deck_from_json(game.decks[id])
    pile = build_pile(id, deck, game.cards, (top, bottom), held_cards)
    return {f"{DECK}{id}": pile.lines}


def build_pile_inputs(decks: Mapping[str, GameDeck], game: Game, closed: Mapping[str, Any]) -> Json:
    """Build the event values of the piles that a sequence draws from.

    Piles with closed cards come from `closed`, as everybody has seen them. Raise UserError for a
    pile with cards that today's files do not have.
    """
    pile_inputs: dict[str, Any] = {}
    for id, game_deck in decks.items():
        deck = deck_from_json(game.decks[id]) if id in game.decks else game_deck.deck
        strange_cards = [card for card, _ in deck.cards if card not in game_deck.said]
        if strange_cards:
            hint = phrase(
                "`/deck make {id}` starts it over with the cards that the game has now.", id=id
            )
            raise UserError(
                f"{id} here has a card {strange_cards[0]}, which the game doesn't have.",
                hint=hint,
                code="bad-value",
            )
        name = f"{DECK}{id}"
        is_closed = bool(game.cards.get(get_last_key(id)))
        pile_inputs[name] = closed[name] if is_closed else build_pile(id, deck, game.cards).lines
    return pile_inputs


def find_pile_problem(game: Game, roll: Mapping[str, Any], first: Mapping[str, Any] | None) -> str:
    """Return what is wrong with the piles that a roll claims to have drawn from, or "".

    Each pile must be as in `game`, or as in the `first` event if the roll continues one. The cards
    that all know on the ends of a pile are checked once the pile is open.
    """
    for name, value in (roll.get("read") or {}).items():
        id = name.removeprefix(DECK)
        expected = (first or {}).get("read", {}).get(name)
        if first is None and id in game.decks:
            expected = _compute_expected_pile(id, game, value)
        if name.startswith(DECK) and (expected is None or expected != value):
            return f"it draws from a different pile of {id[:40]} from the one the log leads to."
    return ""


def _compute_expected_pile(id: str, game: Game, lines: Any) -> list[str] | None:
    """Return the pile as everybody sees it, with the known ends that `lines` claim.

    Return None for ends that it cannot have.
    """
    deck = deck_from_json(game.decks[id])
    top_count = game.cards.get(cards.get_card_key(id, cards.HAND, cards.TOP), 0)
    try:
        known_ends = read_known_ends(lines, top_count)
    except ValueError:
        return None
    known_cards = Counter(card for end in known_ends for card in end if card != UNSEEN)
    if not known_cards <= Counter(dict(list_pile(id, deck, game.cards))):
        return None
    return build_pile(id, deck, game.cards, known_ends).lines
