"""Decks as values: what cards there are, which of them are out of the pile, and what a die draws.

Nothing is shuffled ahead, so nobody can peek at what comes: a drawn card is one die with as many
sides as the pile has cards (also the last: one side), and its face k is the k-th card left, in the
order in which the deck was declared, with copies side by side. A cup is a deck of chits.
docs/dice.md has test vectors.

What is kept is what is *out* of the pile: how many of which card are in play, discarded or removed,
under keys such as `cup/play/7`. The pile is the rest of the deck, so a card can be neither lost nor
doubled.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple

from bot.rules.dice import Die, RolledDie, Script, Source
from bot.rules.errors import UserError
from bot.rules.text.normalize import ITEM_ENDS, comparison_key, plain_signs
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name

PLAY, DISCARD, REMOVED = PLACES = ("play", "discard", "removed")
HAND, KNOWN = "hand", "known"
"""Cards in the hand of a seat: closed ones, of which all know only how many there are, and those
that were opened.
"""
TOP, BOTTOM = "=top", "=bottom"
ENDS: Mapping[str, str] = {TOP: "the top of the pile", BOTTOM: "the bottom of the pile"}
"""The known ends of a pile are closed hands that nobody holds, in the order in which they are
drawn, under names that no side can have. They are taken without a die: the top first, the bottom
when nothing is left between them."""
SAW, ALL = "=saw/", "*"
"""Beside hands it is kept which draws of the known ends a seat saw, or all did."""
SEEN = "+seen"
"""Under which the undo is kept whose text says what was seen of known ends and not forgotten
with what was undone.
"""
RESHUFFLE, REFUSE = "reshuffle", "refuse"
"""What an empty pile does: the discards join it within the same event, or nothing more is drawn."""
MOST_DRAWN = 60
"""Cards that one event draws or moves."""
MOST_DECKS = 12
MOST_KINDS, MOST_CARDS = 400, 1_000
"""Different cards of a deck, and all of them."""

Out = Mapping[str, int]
"""How many of which card are where, by keys as `get_card_key` writes them, of closed hands by seat:
`cup/hand/US`. What is not there is in the pile."""
Pile = Sequence[tuple[str, int]]
"""Cards with how many there are of each, in the order of the deck."""


class Deck(NamedTuple):
    """What cards there are, by id, with how many of each, in the order in which faces count; and
    what an empty pile does."""

    cards: Pile
    empty: str = RESHUFFLE

    @property
    def ids(self) -> list[str]:
        """The ids of its cards, in order."""
        return [card for card, _ in self.cards]

    def to_json(self) -> dict[str, Any]:
        """As an event declares it."""
        return {
            "cards": [{"id": card, "count": count} for card, count in self.cards],
            "empty": self.empty,
        }


def deck_from_json(data: Mapping[str, Any]) -> Deck:
    """The deck that an event declares."""
    return Deck(tuple(map(itemgetter("id", "count"), data["cards"])), data["empty"])


def find_deck_fault(deck: Deck) -> str:
    """What is wrong with a deck; "" for nothing."""
    ids = deck.ids
    if not all(map(_CARD.fullmatch, ids)):
        return "a card has no id as decks have them."
    if len(set(ids)) < len(ids):
        return "it has a card twice."
    if len(ids) > MOST_KINDS or size(deck.cards) > MOST_CARDS:
        return f"it has more than {MOST_KINDS} different cards, or {MOST_CARDS} in all."
    return ""


_CARD = re.compile(r"[A-Za-z0-9.-]{1,40}")


def get_card_key(deck: str, place: str, card: str) -> str:
    """Under which cards out of the pile are counted."""
    return f"{deck}/{place}/{card}"


def count_at(deck: str, place: str, out: Out) -> dict[str, int]:
    """Return how many of which card of a deck are in a place."""
    start = f"{deck}/{place}/"
    return {
        name.removeprefix(start): count for name, count in out.items() if name.startswith(start)
    }


Sizes = tuple[dict[str, int], dict[str, int]]
"""How many cards of a deck are in each place, and how many in each hand and on each known end."""


def count_places(deck: str, out: Out) -> Sizes:
    """Return how many cards of a deck are where."""
    return count_cards(deck, (), out)[1]


def count_cards(
    id: str, deck: Pile, out: Out, held: Iterable[str] = ()
) -> tuple[dict[str, int], Sizes]:
    """All that is told of a deck in one look at what is out: the pile, as `list_pile` has it, and how
    many cards are where."""
    counts = dict(deck)
    places = dict[str, int]()
    hands = dict[str, int]()
    start = f"{id}/"
    for card in held:
        counts[card] = counts.get(card, 0) - 1
    for name, count in out.items():
        if name.startswith(start):
            place, _, card = name[len(start) :].partition("/")
            if place in PLACES:
                places[place] = places.get(place, 0) + count
            elif card:
                seat, _, card = (card, "", "") if place == HAND else card.rpartition("/")
                hands[seat] = hands.get(seat, 0) + count
            if card in counts:
                counts[card] -= count
    return {card: count for card, count in counts.items() if count > 0}, (places, hands)


def select_deck(deck: str, out: Out) -> dict[str, int]:
    """What of a deck is out of its pile."""
    return {name: count for name, count in out.items() if name.startswith(f"{deck}/")}


def set_counts(out: Out, changes: Mapping[str, int]) -> dict[str, int]:
    """What is out of the pile once these counts are set; 0 for what is there no more."""
    return {name: count for name, count in {**out, **changes}.items() if count}


def list_pile(id: str, deck: Deck, out: Out, held: Iterable[str] = ()) -> list[tuple[str, int]]:
    """The pile: what is left of a deck once all that is out is taken off, and the cards `held` in
    closed hands. Without those, which only who may see them knows, it is what all can tell."""
    return [*count_cards(id, deck.cards, out, held)[0].items()]


def pile_size(id: str, deck: Deck, out: Out) -> int:
    """Return how many cards the pile has, which all can tell."""
    return size(deck.cards) - sum(sum(there.values()) for there in count_places(id, out))


Hands = Mapping[str, Sequence[tuple[str, str]]]
"""The closed cards of each seat, the oldest first: (the draw that it came from as `41.2`, the
card).
"""


def get_last_key(id: str) -> str:
    """Under which the event is kept whose text says what is in closed hands; its faces and those
    behind are closed.
    """
    return f"{id}/last"


def get_current_hands(id: str, out: Out, told: Hands) -> dict[str, list[tuple[str, str]]]:
    """Of the hands that an event told those that still are: what a seat gave up as a whole is gone,
    and so is what combat sequences have drawn from a known end since."""
    there = count_at(id, HAND, out)
    gone = {end: max(0, len(told.get(end, ())) - there.get(end, 0)) for end in ENDS}
    return {
        seat: list(map(_pair, held[gone.get(seat, 0) :]))
        for seat, held in told.items()
        if there.get(seat) or seat.startswith(SAW)
    }


def _pair(held: Sequence[str]) -> tuple[str, str]:
    return held[0], held[1]


def count_known_ends(id: str, out: Out) -> int:
    """Return how many cards are on the known top and at the known bottom."""
    return sum(out.get(get_card_key(id, HAND, end), 0) for end in ENDS)


SETTLED = {PLAY: PLAY, DISCARD: DISCARD, REMOVED: REMOVED, "back": ""}
"""Where a card in play goes when its sequence or its go is over, as its deck or its die says it;
"" is the pile.
"""


def apply_card_draws(
    decks: Mapping[str, Any], out: Out, dice: Iterable[Mapping[str, Any]]
) -> dict[str, int] | None:
    """What is out of the piles once the dice of a combat sequence have drawn from them, each card
    where it goes `to`; None for dice that the piles do not ask for. `decks` are as events declare
    them. Of a deck with closed cards a die names its card; that this is what its face draws is told
    once that is open."""
    now = dict(out)
    gone = list[tuple[str, str, str]]()
    for die in dice:
        if (id := die.get("deck")) is None:
            continue
        if id not in decks or die.get("to") not in SETTLED:
            return None
        made = deck_from_json(decks[id])
        card = die["value"]
        if now.get(get_last_key(id)):
            sides, now = compute_draw_sides(id, made, now, 1)
            now[get_card_key(id, PLAY, card)] = now.get(get_card_key(id, PLAY, card), 0) + 1
            if not isinstance(card, str) or sides == [0] or is_overdrawn(id, made, now):
                return None
        else:
            try:
                drawn = draw(id, made, now, 1, Script([card]))
            except UserError:
                return None
            card = drawn.cards[0]
            sides = [drawn.dice[0].sides]
            now = dict(drawn.out)
        if (sides or [0]) != [die["sides"]]:
            return None
        gone.append((id, card, SETTLED[die["to"]]))
    for id, card, to in gone:
        now = take_cards(id, now, [card], [PLAY], to)
    return now


def is_overdrawn(id: str, deck: Deck, out: Out) -> bool:
    """Return whether more of a card lie open than the deck has."""
    told = dict(deck.cards)
    open = tuple([f"{id}/{place}/" for place in PLACES])
    for name, count in out.items():
        if name.startswith(open):
            card = name[name.rindex("/") + 1 :]
            told[card] = told.get(card, 0) - count
    return min(told.values(), default=0) < 0


def remove_ends(id: str, out: Out) -> dict[str, int]:
    """What is out of the pile once the known top and bottom are shuffled into it."""
    return set_counts(out, {get_card_key(id, HAND, end): 0 for end in ENDS})


def put_on_end(id: str, out: Out, end: str, count: int, number: int) -> dict[str, int]:
    """What is out of the pile once the event `number` has put so many cards on a known end of
    it.
    """
    return {
        **out,
        get_card_key(id, HAND, end): out.get(get_card_key(id, HAND, end), 0) + count,
        get_last_key(id): number,
    }


CLOSES = ("closed", "seat", "to")
"""Fields of events behind which cards are closed, or are others than before."""


def count_hand_cards(id: str, out: Out) -> dict[str, int]:
    """Return how many cards of a deck are in which hand, closed or opened."""
    return {seat: count for seat, count in count_places(id, out)[1].items() if seat not in ENDS}


def count_all_hand_cards(out: Out) -> dict[str, int]:
    """The same of all decks together."""
    found = dict[str, int]()
    for id in {name.partition("/")[0] for name in out if name[0] != "+"}:
        for seat, count in count_hand_cards(id, out).items():
            found[seat] = found.get(seat, 0) + count
    return found


def count_known_cards(id: str, seat: str, out: Out) -> dict[str, int]:
    """The cards in a hand that were opened and are known to all."""
    return count_at(id, f"{KNOWN}/{seat}", out)


def list_held_cards(hands: Hands) -> list[str]:
    """The cards in closed hands."""
    return [card for held in hands.values() for _, card in held]


def size(pile: Pile) -> int:
    """Return how many cards it has."""
    return sum(map(itemgetter(1), pile))


def get_card_at(pile: Iterable[tuple[str, int]], face: int) -> str:
    """The card that a die with as many sides as the pile has cards draws: the `face`-th, copies
    side by side. Raises ValueError."""
    for card, count in pile:
        if face <= count:
            return card
        face -= count
    raise ValueError("the pile has fewer cards")


class CardDraw(NamedTuple):
    """What a draw comes to: the cards in the order drawn, a die for each, what is out of the pile
    then, how many cards are where, and before which card (from 0) the discards joined the pile; -1
    where they did not."""

    cards: tuple[str, ...]
    dice: tuple[RolledDie, ...]
    out: Out
    sizes: Sizes
    joined: int = -1
    ends: tuple[int, int] = (0, 0)
    """How many were taken from the known top and bottom."""


def draw(
    id: str,
    deck: Deck,
    out: Out,
    count: int,
    source: Source,
    hands: Hands | None = None,
    seats: Sequence[str] = (),
) -> CardDraw:
    """Draw so many cards, one die each: into play, or each into the hand of one of `seats`, as
    many. `hands` are the closed ones. What is known on top comes first, without a die, unless it is
    drawn to the top itself; what is known at the bottom comes last. Raises UserError where there
    are not so many."""
    hands = hands or {}
    counts, (places, seated) = count_cards(id, deck.cards, out, list_held_cards(hands))
    first = [card for _, card in hands.get(TOP, ()) if TOP not in seats]
    last = [card for _, card in hands.get(BOTTOM, ())]
    ends = len(first), len(last)
    pile = sum(counts.values())
    discards = places.get(DISCARD, 0)
    there = pile + sum(ends) + (discards if deck.empty == RESHUFFLE else 0)
    if count > there:
        what = (
            f"{id} has {there} left to draw, not {count}."
            if there
            else f"{id} has nothing left to draw."
        )
        hint = phrase("`/deck show {id}` lists them.", id=id)
        hint = (
            phrase("`/deck shuffle` puts the discards back into the pile.")
            if discards and not there
            else hint
        )
        raise UserError(what, hint=hint, option="count", code="empty-pile")
    joined = -1
    cards = list[str]()
    dice = list[RolledDie]()
    now = dict(out)
    for number in range(count):
        end = TOP if first else BOTTOM if last and not pile else ""
        if not (pile or end):
            thrown = count_at(id, DISCARD, now)
            counts = {card: thrown[card] for card, _ in deck.cards if card in thrown}
            joined = number
            pile = sum(counts.values())
            now = {
                name: some for name, some in now.items() if not name.startswith(f"{id}/{DISCARD}/")
            }
            places[DISCARD] = 0
        if end:
            card = (first if first else last).pop(0)
            now[get_card_key(id, HAND, end)] -= 1
            seated[end] -= 1
        else:
            die = Die(id, pile)
            face = source.draw(die)
            card = get_card_at(counts.items(), int(face))
            counts[card] -= 1
            pile -= 1
            dice.append(die.with_value(face))
        where, whose, to = (seated, seats[number], HAND) if seats else (places, PLAY, PLAY)
        where[whose] = where.get(whose, 0) + 1
        to = get_card_key(id, HAND, whose) if seats else get_card_key(id, PLAY, card)
        now[to] = now.get(to, 0) + 1
        cards.append(card)
    taken = ends[0] - len(first), ends[1] - len(last)
    return CardDraw(
        tuple(cards),
        tuple(dice),
        set_counts(now, {}) if any(taken) else now,
        (places, seated),
        joined,
        taken,
    )


def find_face(pile: Pile, typed: str, names: Mapping[str, str]) -> int:
    """The first face of the card that is called so, by its id or name; 0 where none is left."""
    word = comparison_key(typed)
    before = 0
    for card, count in pile:
        if word in (comparison_key(card), comparison_key(names[card])):
            return before + 1
        before += count
    return 0


def find_faces(
    id: str, deck: Deck, out: Out, typed: Iterable[str], names: Mapping[str, str]
) -> list[int]:
    """The faces that draw these cards, which came from a real deck; each is typed by its id or
    name. Raises UserError for one that is not in the pile then."""
    counts = dict(list_pile(id, deck, out))
    joins = count_at(id, DISCARD, out) if deck.empty == RESHUFFLE else {}
    found = list[int]()
    for word in typed:
        if not any(counts.values()):
            counts = {card: joins[card] for card, _ in deck.cards if card in joins}
            joins = {}
        there = tuple([pair for pair in counts.items() if pair[1]])
        if not (face := find_face(there, word, names)):
            hint = f"It may be {', '.join(names[card] for card, _ in there[:12])}{' ...' if there[12:] else ''}."
            what = f"{id} has no card {word[:40]} left to draw."
            raise UserError(what, hint=hint if there else "", option="hand", code="bad-face")
        found.append(face)
        counts[get_card_at(there, face)] -= 1
    return found


def compute_hands_after_draw(
    hands: Hands, drawn: CardDraw, seats: Sequence[str], number: int
) -> dict[str, list[tuple[str, str]]]:
    """The closed hands and known ends behind the draw that the event `number` is. What somebody
    looked at at the bottom is on top then, and still the same draw to whoever knew it."""
    now = {seat: [*held] for seat, held in hands.items()}
    new = [f"{number}.{at}" for at in range(1, len(seats) + 1)]
    if TOP in seats and (same := drawn.ends[1]):
        first = (drawn.joined if drawn.joined >= 0 else len(new)) - same
        new[first : first + same] = [draw for draw, _ in now[BOTTOM][:same]]
    for end, taken in zip((TOP, BOTTOM), drawn.ends, strict=True):
        now[end] = now.get(end, [])[taken:]
    for seat, one, card in zip(seats, new, drawn.cards, strict=bool(seats)):
        now.setdefault(seat, []).append((one, card))
    return now


def compute_draw_sides(
    id: str, deck: Deck, out: Out, count: int, *, peeks: bool = False
) -> tuple[list[int], dict[str, int]]:
    """What all can tell of a draw of so many cards: the sides of its dice, and what is out of the
    pile once these are off the known ends. Where somebody `peeks` those on top stay."""
    now = dict(out)
    sides = list[int]()
    size = pile_size(id, deck, now)
    top = get_card_key(id, HAND, TOP)
    bottom = get_card_key(id, HAND, BOTTOM)
    for _ in range(count):
        if now.get(top) and not peeks:
            now[top] -= 1
            continue
        if not size and now.get(bottom):
            now[bottom] -= 1
            continue
        if not size and deck.empty == RESHUFFLE:
            size = sum(count_at(id, DISCARD, now).values())
            now = {
                name: some for name, some in now.items() if not name.startswith(f"{id}/{DISCARD}/")
            }
        sides.append(size)
        size -= 1
    return sides, now


def list_returned_draws(
    event: Mapping[str, Any], hands: Hands, back: Hands, size: int = 0
) -> list[tuple[str, str]]:
    """Return the draws that the undo of an event puts back on the top or bottom of a pile.

    Each is a pair: the key under which it is stored who saw the card, and the draw. `hands` are
    those before the undo, `back` those after it; `size` is the pile's size.
    """
    here = {draw for end in ENDS for draw, _ in hands.get(end, ())}
    top, bottom = ([draw for draw, _ in back.get(end, ()) if draw not in here] for end in ENDS)
    seats = dict(enumerate(event.get("seats", ())))
    return [
        (f"{SAW}{seats.get(at, ALL)}", draw)
        for at, draw in (*enumerate(top), *enumerate(bottom, len(top) + size))
    ]


def put_back_on_end(
    hands: Hands, end: str, held: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """What a known end has once more is put there: on top of it all, or below."""
    return [*held, *hands.get(end, ())] if end == TOP else [*hands.get(end, ()), *held]


def draw_order(names: Sequence[str], source: Source) -> CardDraw:
    """The names in an order that dice give: each a card of a deck that is drawn to its end."""
    return draw(NAMES, Deck(tuple(zip(names, repeat(1), strict=False))), {}, len(names), source)


NAMES = "names"
"""What the dice are for that order names."""


def take_cards(
    id: str, out: Out, cards: Sequence[str], places: Sequence[str], to: str = ""
) -> dict[str, int]:
    """What is out of the pile once `cards` are moved from the first of `places` that has them; `to`
    is "" for the pile.

    Raises UserError for a card that is in none of them.
    """
    now = dict(out)
    for card in cards:
        if (
            found := next((one for one in places if now.get(get_card_key(id, one, card))), "")
        ) == "":
            raise UserError(f"{card} of {id} is not there.", option="cards", code="unknown-card")
        now[get_card_key(id, found, card)] -= 1
        if to:
            now[get_card_key(id, to, card)] = now.get(get_card_key(id, to, card), 0) + 1
    return {name: count for name, count in now.items() if count}


_RANGE = re.compile(r"([0-9]{1,4})\.\.([0-9]{1,4})")
_TIMES = re.compile(
    r"(?P<card>.+?)(?<!\s)(?:\s++x|\s*+[\u00d7*])\s?(?P<count>[0-9]{1,4})"
    r"|(?P<times>[0-9]{1,4})\s?(?:x\s+|[\u00d7*]\s*)(?P<called>.+)",
    re.IGNORECASE,
)
LONGEST_CARD = 40


def read_cards(text: str) -> list[tuple[str, int]]:
    """What is typed as the cards of a deck, each with how many of it: `1..20`, or `Ambush x3, Air
    strike, 7`.

    Raises UserError for nothing, and for more than a deck holds.
    """
    found: dict[str, tuple[str, int]] = {}
    for item in (clean_name(one, 200) for one in re.split(ITEM_ENDS, text)):
        times = _TIMES.fullmatch(plain_signs(item))
        part = times.span("card" if times["card"] else "called") if times else (0, len(item))
        card = item[slice(*part)]
        count = int(times["count"] or times["times"]) if times else 1
        ends = _RANGE.fullmatch(plain_signs(card))
        first, last = (int(ends[1]), int(ends[2])) if ends else (0, 0)
        cards = (
            [str(number) for number in range(first, min(last, first + MOST_KINDS) + 1)]
            if ends
            else [card]
        )
        for one in filter(None, cards):
            if len(one) > LONGEST_CARD:
                what = f"A card has at most {LONGEST_CARD} characters: {one[:20]} ..."
                raise UserError(
                    what, hint="Separate cards by commas.", option="cards", code="too-long"
                )
            name = str(int(one)) if one.isdecimal() else one
            first_name, before = found.get(comparison_key(name), (name, 0))
            found[comparison_key(name)] = first_name, before + count
    if not found or not all(count for _, count in found.values()):
        hint = 'For example "1..20", or "Ambush x3, Air strike x2, End of turn"'
        raise UserError("Which cards are in it?", hint=hint, option="cards", code="missing")
    if problem := find_deck_fault(
        Deck(tuple((str(n), count) for n, (_, count) in enumerate(found.values())))
    ):
        raise UserError(
            f"A deck like that is too large: {problem}", option="cards", code="too-many"
        )
    return list(found.values())


def format_cards(id: str, cards: Iterable[str]) -> str:
    """How the log tells which cards of a deck: `cup: 7, 12`."""
    return f"{id}: {', '.join(cards)}"


def format_deck_size(id: str, deck: Deck) -> str:
    """How the log tells that a deck was declared."""
    return format_cards(id, [f"{size(deck.cards)} cards"])


def list_taken_cards(id: str, deck: Deck, before: Out, after: Out) -> list[tuple[str, str]]:
    """Which cards a change takes from where: (place, card) for each, in the order of places and
    of the deck.
    """
    fewer = {name: count - after.get(name, 0) for name, count in before.items()}
    return [
        (place, card)
        for place in PLACES
        for card, _ in deck.cards
        for _ in range(fewer.get(get_card_key(id, place, card), 0))
    ]


WORD = re.compile(r"([1-9][0-9]{0,15})\.(w[1-9][0-9]{0,2})")
"""The id of a card that is called by typed words: the event and the key of the text that has
them.
"""
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""What a deck may be called."""

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
_FRENCH = tuple((f"{rank}{suit}", 1) for suit in _SUITS for rank in _RANKS)
_JOKERS = {"RJ": "red joker", "BJ": "black joker"}
STANDARD: Mapping[str, Deck] = {
    "standard-52": Deck(_FRENCH),
    "standard-54": Deck((*_FRENCH, *((joker, 1) for joker in _JOKERS))),
}
"""Decks that are always there: spades, hearts, diamonds, clubs, each from the ace to the king,
then the jokers.
"""
_NAMES = {
    **{f"{rank}{suit}": f"{rank}{sign}" for suit, sign in _SUITS.items() for rank in _RANKS},
    **_JOKERS,
}


def format_card_name(id: str, card: str) -> str:
    """How a card is called: `K♠` for `KS` of a standard deck."""
    return _NAMES.get(card, card) if id in STANDARD else card
