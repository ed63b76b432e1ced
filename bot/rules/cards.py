"""Decks as values: their cards, the cards that are out of the pile, and draws by dice.

Nothing is shuffled ahead, so nobody can peek at the next card. A card is drawn by one die with as
many sides as the pile has cards (one side for the last card). Face k is the k-th card in the pile,
in the order in which the deck was declared, with copies next to each other. A cup is a deck of
chits. docs/dice-protocol.md has test vectors.

Only the cards *out* of the pile are stored: the number of each card in play, discarded or removed,
under keys such as `cup/play/7`. The pile is the remainder of the deck, so a card can be neither
lost nor doubled.
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
"""Places for cards in the hand of a seat (a side or a player): closed cards, of which only the
number is public, and opened cards, which are public.
"""
TOP, BOTTOM = "=top", "=bottom"
ENDS: Mapping[str, str] = {TOP: "the top of the pile", BOTTOM: "the bottom of the pile"}
"""The known ends of a pile: cards at its top and bottom that somebody looked at or put there.

They are stored like closed hands, in the order in which they are drawn, under names that no side
can have. They are drawn without a die: the top first, the bottom if nothing is left between them.
"""
SAW, ALL = "=saw/", "*"
"""The key in `Hands` of the draws that a seat saw at the known ends is `SAW` and the seat; `SAW`
and `ALL` for draws that everybody saw.
"""
SEEN = "+seen"
"""The key of the number of an undo whose text has the cards that were seen at known ends and stay
known after the undo.
"""
RESHUFFLE, REFUSE = "reshuffle", "refuse"
"""The rules for an empty pile: the discards join it within the same event, or a draw is refused."""
MOST_DRAWN = 60
"""Maximum number of cards that one event draws or moves."""
MOST_DECKS = 12
MOST_KINDS, MOST_CARDS = 400, 1_000
"""Maximum number of different cards of a deck, and of all its cards."""

Out = Mapping[str, int]
"""The cards that are out of the piles of all decks: counts by key.

Keys are `deck/place/card` as `get_card_key` writes them, `deck/hand/seat` for the number of closed
cards of a hand, and `deck/known/seat/card` for opened cards. All other cards are in the pile.
"""
Pile = Sequence[tuple[str, int]]
"""Cards with the number of each, in the order of the deck."""


class Deck(NamedTuple):
    """The cards of a deck by id, with the number of each, in the order in which faces count; and
    the rule for its empty pile, RESHUFFLE or REFUSE.
    """

    cards: Pile
    empty: str = RESHUFFLE

    @property
    def ids(self) -> list[str]:
        """The ids of its cards, in order."""
        return [card for card, _ in self.cards]

    def to_json(self) -> dict[str, Any]:
        """Return the deck as an event declares it."""
        return {
            "cards": [{"id": card, "count": count} for card, count in self.cards],
            "empty": self.empty,
        }


def deck_from_json(data: Mapping[str, Any]) -> Deck:
    """Return the deck that an event declares."""
    return Deck(tuple(map(itemgetter("id", "count"), data["cards"])), data["empty"])


def find_deck_fault(deck: Deck) -> str:
    """Return the problem with a deck as the end of a sentence, "" if there is none."""
    ids = deck.ids
    if not all(map(_CARD.fullmatch, ids)):
        return "a card has an id that no deck may use."
    if len(set(ids)) < len(ids):
        return "it lists a card twice."
    if len(ids) > MOST_KINDS or size(deck.cards) > MOST_CARDS:
        return f"it has more than {MOST_KINDS} different cards, or {MOST_CARDS} in all."
    return ""


_CARD = re.compile(r"[A-Za-z0-9.-]{1,40}")


def get_card_key(deck: str, place: str, card: str) -> str:
    """Return the key under which cards out of the pile are counted, `deck/place/card`."""
    return f"{deck}/{place}/{card}"


def count_at(deck: str, place: str, out: Out) -> dict[str, int]:
    """Return the number of each card of a deck in a place; of HAND the number for each seat."""
    prefix = f"{deck}/{place}/"
    return {key.removeprefix(prefix): count for key, count in out.items() if key.startswith(prefix)}


Sizes = tuple[dict[str, int], dict[str, int]]
"""The number of cards of a deck in each of PLACES, and in each hand and on each known end."""


def count_places(deck: str, out: Out) -> Sizes:
    """Return the number of cards of a deck in each place, and in each hand and on each known end."""
    _, sizes = count_cards(deck, (), out)
    return sizes


def count_cards(
    id: str, deck: Pile, out: Out, held_cards: Iterable[str] = ()
) -> tuple[dict[str, int], Sizes]:
    """Return the number of each card in the pile, as `list_pile` has it, and the sizes of places
    and hands.
    """
    counts = dict(deck)
    place_sizes = dict[str, int]()
    hand_sizes = dict[str, int]()
    prefix = f"{id}/"
    for card in held_cards:
        counts[card] = counts.get(card, 0) - 1
    for key, count in out.items():
        if not key.startswith(prefix):
            continue
        place, _, card = key[len(prefix) :].partition("/")
        if place in PLACES:
            place_sizes[place] = place_sizes.get(place, 0) + count
        elif card:
            seat, _, card = (card, "", "") if place == HAND else card.rpartition("/")
            hand_sizes[seat] = hand_sizes.get(seat, 0) + count
        if card in counts:
            counts[card] -= count
    pile = {card: count for card, count in counts.items() if count > 0}
    return pile, (place_sizes, hand_sizes)


def select_deck(deck: str, out: Out) -> dict[str, int]:
    """Return the entries of `out` that belong to a deck."""
    return {key: count for key, count in out.items() if key.startswith(f"{deck}/")}


def set_counts(out: Out, changes: Mapping[str, int]) -> dict[str, int]:
    """Return `out` with these counts changed, and without the entries that are 0 then."""
    return {key: count for key, count in {**out, **changes}.items() if count}


def list_pile(
    id: str, deck: Deck, out: Out, held_cards: Iterable[str] = ()
) -> list[tuple[str, int]]:
    """Return the cards in the pile: those of the deck that are neither out nor in closed hands.

    `held_cards` are the cards of all closed hands. Without these, which are secret, the list has
    the cards that may be in the pile as far as everybody knows.
    """
    pile, _ = count_cards(id, deck.cards, out, held_cards)
    return [*pile.items()]


def pile_size(id: str, deck: Deck, out: Out) -> int:
    """Return the number of cards in the pile, which is public."""
    place_sizes, hand_sizes = count_places(id, out)
    return size(deck.cards) - sum(place_sizes.values()) - sum(hand_sizes.values())


Hands = Mapping[str, Sequence[tuple[str, str]]]
"""The closed cards of each seat and known end, in the order in which they came: pairs of the draw
(`41.2`, the second card of event 41) and the card.
"""


def get_last_key(id: str) -> str:
    """Return the key of the number of the event whose text has the closed hands of a deck.

    The faces of dice from that event on are secret.
    """
    return f"{id}/last"


def get_current_hands(id: str, out: Out, event_hands: Hands) -> dict[str, list[tuple[str, str]]]:
    """Return the hands that an event stored as they are with `out`.

    A hand without closed cards is left out, and so are the cards that combat sequences have drawn
    from a known end since the event.
    """
    sizes = count_at(id, HAND, out)
    removed_counts = {
        end: max(0, len(event_hands.get(end, ())) - sizes.get(end, 0)) for end in ENDS
    }
    return {
        seat: list(map(_pair, cards[removed_counts.get(seat, 0) :]))
        for seat, cards in event_hands.items()
        if sizes.get(seat) or seat.startswith(SAW)
    }


def _pair(draw_and_card: Sequence[str]) -> tuple[str, str]:
    """Return a draw and its card as a pair, which JSON has as a list."""
    return draw_and_card[0], draw_and_card[1]


def count_known_ends(id: str, out: Out) -> int:
    """Return the number of cards on the known top and at the known bottom, together."""
    return sum(out.get(get_card_key(id, HAND, end), 0) for end in ENDS)


SETTLED = {PLAY: PLAY, DISCARD: DISCARD, REMOVED: REMOVED, "back": ""}
"""The place of a card in play after its sequence or its turn, by the word for it in its deck or
die; "" is the pile.
"""


def apply_card_draws(
    decks: Mapping[str, Any], out: Out, dice: Iterable[Mapping[str, Any]]
) -> dict[str, int] | None:
    """Return `out` after the draws by the dice of a combat sequence, with each card at the place
    that its die names.

    `decks` are as events declare them, `dice` as an event stores them; dice without a deck are
    passed over. Return None for dice that cannot have been rolled for these piles. A deck with
    closed cards keeps the face of a die secret, so its die names the card, and it is not checked
    here that the face draws it.
    """
    current = dict(out)
    moves = list[tuple[str, str, str]]()
    for die in dice:
        id = die.get("deck")
        if id is None:
            continue
        if id not in decks or die.get("to") not in SETTLED:
            return None
        deck = deck_from_json(decks[id])
        card = die["value"]
        if current.get(get_last_key(id)):
            sides, current = compute_draw_sides(id, deck, current, 1)
            card_key = get_card_key(id, PLAY, card)
            current[card_key] = current.get(card_key, 0) + 1
            if not isinstance(card, str) or sides == [0] or is_overdrawn(id, deck, current):
                return None
        else:
            try:
                card_draw = draw(id, deck, current, 1, Script([card]))
            except UserError:
                return None
            card = card_draw.cards[0]
            sides = [card_draw.dice[0].sides]
            current = dict(card_draw.out)
        if (sides or [0]) != [die["sides"]]:
            return None
        moves.append((id, card, SETTLED[die["to"]]))
    for id, card, target in moves:
        current = take_cards(id, current, [card], [PLAY], target)
    return current


def is_overdrawn(id: str, deck: Deck, out: Out) -> bool:
    """Return whether the places have more of any card than the deck."""
    counts = dict(deck.cards)
    prefixes = tuple([f"{id}/{place}/" for place in PLACES])
    for key, count in out.items():
        if key.startswith(prefixes):
            card = key[key.rindex("/") + 1 :]
            counts[card] = counts.get(card, 0) - count
    return min(counts.values(), default=0) < 0


def remove_ends(id: str, out: Out) -> dict[str, int]:
    """Return `out` after the known top and bottom of a pile are shuffled into it."""
    return set_counts(out, {get_card_key(id, HAND, end): 0 for end in ENDS})


def put_on_end(id: str, out: Out, end: str, count: int, number: int) -> dict[str, int]:
    """Return `out` after the event `number` has put `count` cards on a known end of the pile."""
    end_key = get_card_key(id, HAND, end)
    return {**out, end_key: out.get(end_key, 0) + count, get_last_key(id): number}


CLOSES = ("closed", "seat", "to")
"""Fields of events that close cards or change the closed cards."""


def count_hand_cards(id: str, out: Out) -> dict[str, int]:
    """Return the number of cards of a deck in each hand, closed and opened ones together."""
    _, hand_sizes = count_places(id, out)
    return {seat: count for seat, count in hand_sizes.items() if seat not in ENDS}


def count_all_hand_cards(out: Out) -> dict[str, int]:
    """Return the number of cards of all decks in each hand, closed and opened ones together."""
    counts = dict[str, int]()
    for id in {key.partition("/")[0] for key in out if key[0] != "+"}:
        for seat, count in count_hand_cards(id, out).items():
            counts[seat] = counts.get(seat, 0) + count
    return counts


def count_known_cards(id: str, seat: str, out: Out) -> dict[str, int]:
    """Return the number of each opened card in the hand of a seat; these are public."""
    return count_at(id, f"{KNOWN}/{seat}", out)


def list_held_cards(hands: Hands) -> list[str]:
    """Return the cards of all closed hands and known ends."""
    return [card for cards in hands.values() for _, card in cards]


def size(pile: Pile) -> int:
    """Return the number of cards in a pile or deck."""
    return sum(map(itemgetter(1), pile))


def get_card_at(pile: Iterable[tuple[str, int]], face: int) -> str:
    """Return the `face`-th card of a pile (from 1), with copies next to each other.

    Raises ValueError if the pile has fewer cards.
    """
    for card, count in pile:
        if face <= count:
            return card
        face -= count
    raise ValueError("the pile has fewer cards")


class EndCounts(NamedTuple):
    """The numbers of cards that were taken from the known ends of a pile."""

    top: int = 0
    bottom: int = 0


class CardDraw(NamedTuple):
    """The result of a draw."""

    cards: tuple[str, ...]
    """The cards in the order in which they were drawn."""
    dice: tuple[RolledDie, ...]
    """A die for each card that did not come from a known end."""
    out: Out
    """The cards out of the pile after the draw."""
    sizes: Sizes
    """The sizes of places and hands after the draw."""
    reshuffle_index: int = -1
    """The index of the card before which the discards joined the pile; -1 if they did not."""
    end_counts: EndCounts = EndCounts()
    """The number of cards that were taken from the known top and bottom."""


def draw(
    id: str,
    deck: Deck,
    out: Out,
    count: int,
    source: Source,
    hands: Hands | None = None,
    seats: Sequence[str] = (),
) -> CardDraw:
    """Draw `count` cards, each into play or, with `seats`, into the closed hand of the seat at its
    index.

    `hands` are all closed hands of the deck. Cards of the known top are drawn first, without a die,
    unless the cards are drawn to the top itself; then the pile, with one die for each card; then
    the known bottom, and last the discards if the deck reshuffles. Raises UserError with code
    `empty-pile` if there are fewer cards.
    """
    hands = hands or {}
    counts, (place_sizes, hand_sizes) = count_cards(id, deck.cards, out, list_held_cards(hands))
    top_cards = [] if TOP in seats else [card for _, card in hands.get(TOP, ())]
    bottom_cards = [card for _, card in hands.get(BOTTOM, ())]
    top_size = len(top_cards)
    bottom_size = len(bottom_cards)
    pile_count = sum(counts.values())
    known_and_pile = pile_count + top_size + bottom_size
    _check_available(id, deck, count, known_and_pile, place_sizes.get(DISCARD, 0))
    reshuffle_index = -1
    cards = list[str]()
    dice = list[RolledDie]()
    current = dict(out)
    for index in range(count):
        end = ""
        if top_cards:
            end = TOP
        elif bottom_cards and not pile_count:
            end = BOTTOM
        elif not pile_count:
            counts, current = _reshuffle_discards(id, deck, current)
            reshuffle_index = index
            pile_count = sum(counts.values())
            place_sizes[DISCARD] = 0
        if end:
            card = (top_cards or bottom_cards).pop(0)
            current[get_card_key(id, HAND, end)] -= 1
            hand_sizes[end] -= 1
        else:
            die = Die(id, pile_count)
            face = source.draw(die)
            card = get_card_at(counts.items(), int(face))
            counts[card] -= 1
            pile_count -= 1
            dice.append(die.with_value(face))
        if seats:
            seat = seats[index]
            hand_sizes[seat] = hand_sizes.get(seat, 0) + 1
            key = get_card_key(id, HAND, seat)
        else:
            place_sizes[PLAY] = place_sizes.get(PLAY, 0) + 1
            key = get_card_key(id, PLAY, card)
        current[key] = current.get(key, 0) + 1
        cards.append(card)
    end_counts = EndCounts(top_size - len(top_cards), bottom_size - len(bottom_cards))
    if any(end_counts):
        current = set_counts(current, {})
    sizes = (place_sizes, hand_sizes)
    return CardDraw(tuple(cards), tuple(dice), current, sizes, reshuffle_index, end_counts)


def _check_available(id: str, deck: Deck, count: int, pile_count: int, discard_count: int) -> None:
    """Raise UserError for a draw of more cards than the pile with its known ends has; of a deck
    that reshuffles, also the discards.
    """
    available = pile_count
    if deck.empty == RESHUFFLE:
        available += discard_count
    if count <= available:
        return
    problem = f"{id} has nothing left to draw."
    if available:
        problem = f"{id} has only {available} left to draw, not {count}."
    hint = phrase("`/deck show {id}` lists them.", id=id)
    if discard_count and not available:
        hint = phrase("`/deck shuffle` puts the discards back into the pile.")
    raise UserError(problem, hint=hint, option="count", code="empty-pile")


def _reshuffle_discards(id: str, deck: Deck, out: Out) -> tuple[dict[str, int], dict[str, int]]:
    """Return the discards as the counts of a new pile, in the order of the deck, and `out` without
    them.
    """
    discards = count_at(id, DISCARD, out)
    pile = {card: discards[card] for card, _ in deck.cards if card in discards}
    prefix = f"{id}/{DISCARD}/"
    return pile, {key: count for key, count in out.items() if not key.startswith(prefix)}


def find_face(pile: Pile, typed: str, names: Mapping[str, str]) -> int:
    """Return the first face that draws the card with this id or name; 0 if the pile has none.

    `names` has the name of each card by id.
    """
    key = comparison_key(typed)
    face = 1
    for card, count in pile:
        if key in (comparison_key(card), comparison_key(names[card])):
            return face
        face += count
    return 0


def find_faces(
    id: str, deck: Deck, out: Out, typed_cards: Iterable[str], names: Mapping[str, str]
) -> list[int]:
    """Return the faces that draw these cards one after another, for cards that were drawn by hand
    from a real deck.

    Each card is typed by its id or name. The discards join an empty pile once if the deck
    reshuffles. Raises UserError for a card that is not in the pile at its turn.
    """
    counts = dict(list_pile(id, deck, out))
    discards = count_at(id, DISCARD, out) if deck.empty == RESHUFFLE else {}
    faces = list[int]()
    for typed in typed_cards:
        if not any(counts.values()):
            counts = {card: discards[card] for card, _ in deck.cards if card in discards}
            discards = {}
        pile = tuple([(card, count) for card, count in counts.items() if count])
        face = find_face(pile, typed, names)
        if not face:
            raise _make_unknown_card_error(id, typed, [names[card] for card, _ in pile])
        faces.append(face)
        counts[get_card_at(pile, face)] -= 1
    return faces


def _make_unknown_card_error(id: str, typed: str, pile_names: Sequence[str]) -> UserError:
    """Return the error for a typed card that is not in the pile, whose cards have these names."""
    hint = ""
    if pile_names:
        ellipsis = " ..." if len(pile_names) > 12 else ""
        hint = f"It can be {', '.join(pile_names[:12])}{ellipsis}."
    problem = f"{id} has no card {typed[:40]} left to draw."
    return UserError(problem, hint=hint, option="hand", code="bad-face")


def compute_hands_after_draw(
    hands: Hands, card_draw: CardDraw, seats: Sequence[str], number: int
) -> dict[str, list[tuple[str, str]]]:
    """Return the closed hands and known ends after the draw by the event `number`.

    A card that is drawn from the known bottom to the top keeps its old draw, by which players who
    saw it recognize it.
    """
    current = {seat: [*cards] for seat, cards in hands.items()}
    draws = [f"{number}.{position}" for position in range(1, len(seats) + 1)]
    bottom_count = card_draw.end_counts.bottom
    if TOP in seats and bottom_count:
        stop = card_draw.reshuffle_index if card_draw.reshuffle_index >= 0 else len(draws)
        start = stop - bottom_count
        draws[start:stop] = [draw for draw, _ in current[BOTTOM][:bottom_count]]
    for end, count in zip((TOP, BOTTOM), card_draw.end_counts, strict=True):
        current[end] = current.get(end, [])[count:]
    for seat, draw_id, card in zip(seats, draws, card_draw.cards, strict=bool(seats)):
        current.setdefault(seat, []).append((draw_id, card))
    return current


def compute_draw_sides(
    id: str, deck: Deck, out: Out, count: int, *, peeks: bool = False
) -> tuple[list[int], dict[str, int]]:
    """Return the public facts of a draw of `count` cards: the sides of its dice, and `out` after
    cards are taken from the known ends and discards have joined the pile.

    The drawn cards are not added to `out`. If the draw only `peeks`, cards of the known top stay
    and count as dice.
    """
    current = dict(out)
    sides = list[int]()
    size = pile_size(id, deck, current)
    top_key = get_card_key(id, HAND, TOP)
    bottom_key = get_card_key(id, HAND, BOTTOM)
    for _ in range(count):
        if current.get(top_key) and not peeks:
            current[top_key] -= 1
            continue
        if not size and current.get(bottom_key):
            current[bottom_key] -= 1
            continue
        if not size and deck.empty == RESHUFFLE:
            size = sum(count_at(id, DISCARD, current).values())
            _, current = _reshuffle_discards(id, deck, current)
        sides.append(size)
        size -= 1
    return sides, current


def list_returned_draws(
    event: Mapping[str, Any], hands: Hands, hands_after: Hands, size: int = 0
) -> list[tuple[str, str]]:
    """Return the draws that the undo of an event puts back on the top or bottom of a pile.

    Each is a pair: the key in `Hands` of the seat that saw the card, or of everybody, and the
    draw. `hands` are those before the undo, `hands_after` those after it; `size` is the pile's
    size.
    """
    draws_before = {draw for end in ENDS for draw, _ in hands.get(end, ())}
    top, bottom = (
        [draw for draw, _ in hands_after.get(end, ()) if draw not in draws_before] for end in ENDS
    )
    seats = dict(enumerate(event.get("seats", ())))
    return [
        (f"{SAW}{seats.get(index, ALL)}", draw)
        for index, draw in (*enumerate(top), *enumerate(bottom, len(top) + size))
    ]


def put_back_on_end(
    hands: Hands, end: str, cards: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the cards of a known end after `cards` are put on the very top or the very bottom."""
    end_cards = hands.get(end, ())
    return [*cards, *end_cards] if end == TOP else [*end_cards, *cards]


def draw_order(names: Sequence[str], source: Source) -> CardDraw:
    """Draw all names in a random order, as the cards of a deck that is drawn to its end."""
    deck = Deck(tuple(zip(names, repeat(1), strict=False)))
    return draw(NAMES, deck, {}, len(names), source)


NAMES = "names"
"""The label of the dice that put names in an order."""


def take_cards(
    id: str, out: Out, cards: Sequence[str], places: Sequence[str], target: str = ""
) -> dict[str, int]:
    """Return `out` after each of `cards` is moved from the first of `places` that has it to the
    place `target`; "" for the pile.

    Raises UserError for a card that is in none of the places.
    """
    current = dict(out)
    for card in cards:
        keys = [get_card_key(id, place, card) for place in places]
        source_key = next((key for key in keys if current.get(key)), "")
        if not source_key:
            raise UserError(f"{card} is not there in {id}.", option="cards", code="unknown-card")
        current[source_key] -= 1
        if target:
            target_key = get_card_key(id, target, card)
            current[target_key] = current.get(target_key, 0) + 1
    return {key: count for key, count in current.items() if count}


_RANGE = re.compile(r"([0-9]{1,4})\.\.([0-9]{1,4})")
_TIMES = re.compile(
    r"(?P<card>.+?)(?<!\s)(?:\s++x|\s*+[\u00d7*])\s?(?P<count>[0-9]{1,4})"
    r"|(?P<times>[0-9]{1,4})\s?(?:x\s+|[\u00d7*]\s*)(?P<called>.+)",
    re.IGNORECASE,
)
LONGEST_CARD = 40


def read_cards(text: str) -> list[tuple[str, int]]:
    """Read the cards of a deck as typed, `1..20` or `Ambush x3, Air strike, 7`, into pairs of a
    name and a count.

    A card that is typed several times is counted together, under its first spelling. Raises
    UserError for no cards, a count of 0, a name that is too long, and more cards than a deck may
    have.
    """
    counts: dict[str, tuple[str, int]] = {}
    for item in re.split(ITEM_ENDS, text):
        cards, count = _read_card_item(clean_name(item, 200))
        for card in filter(None, cards):
            if len(card) > LONGEST_CARD:
                problem = f'The name of a card can have at most {LONGEST_CARD} characters: "{card[:20]}..."'
                hint = "Separate cards with commas."
                raise UserError(problem, hint=hint, option="cards", code="too-long")
            name = str(int(card)) if card.isdecimal() else card
            key = comparison_key(name)
            first_name, earlier_count = counts.get(key, (name, 0))
            counts[key] = first_name, earlier_count + count
    if not counts or not all(count for _, count in counts.values()):
        hint = 'For example "1..20", or "Ambush x3, Air strike x2, End of turn"'
        raise UserError("Which cards are in it?", hint=hint, option="cards", code="missing")
    numbered = tuple((str(number), count) for number, (_, count) in enumerate(counts.values()))
    fault = find_deck_fault(Deck(numbered))
    if fault:
        problem = f"A deck like that is too large: {fault}"
        raise UserError(problem, option="cards", code="too-many")
    return list(counts.values())


def _read_card_item(text: str) -> tuple[list[str], int]:
    """Read one item of a list of cards: the names in it, and the count of each.

    `Ambush x3` is one name with the count 3, `1..20` twenty names. A range has at most MOST_KINDS
    and one numbers, so that it is too large rather than endless.
    """
    times = _TIMES.fullmatch(plain_signs(text))
    count = 1
    card = text
    if times:
        count = int(times["count"] or times["times"])
        card = text[slice(*times.span("card" if times["card"] else "called"))]
    limits = _RANGE.fullmatch(plain_signs(card))
    if not limits:
        return [card], count
    first = int(limits[1])
    last = min(int(limits[2]), first + MOST_KINDS)
    return [str(number) for number in range(first, last + 1)], count


def format_cards(id: str, cards: Iterable[str]) -> str:
    """Format cards of a deck for the log: `cup: 7, 12`."""
    return f"{id}: {', '.join(cards)}"


def format_deck_size(id: str, deck: Deck) -> str:
    """Format the declaration of a deck for the log: `cup: 20 cards`."""
    return format_cards(id, [f"{size(deck.cards)} cards"])


def list_taken_cards(id: str, deck: Deck, out_before: Out, out_after: Out) -> list[tuple[str, str]]:
    """Return a pair of place and card for each card that a change took from a place, in the order
    of PLACES and of the deck.
    """
    taken_counts = {key: count - out_after.get(key, 0) for key, count in out_before.items()}
    return [
        (place, card)
        for place in PLACES
        for card, _ in deck.cards
        for _ in range(taken_counts.get(get_card_key(id, place, card), 0))
    ]


WORD = re.compile(r"([1-9][0-9]{0,15})\.(w[1-9][0-9]{0,2})")
"""The id of a card that has a typed name: the number of the event with that name, and the key of
the name among the event's texts.
"""
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""The pattern of a deck's id."""

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
_FRENCH = tuple((f"{rank}{suit}", 1) for suit in _SUITS for rank in _RANKS)
_JOKERS = {"RJ": "red joker", "BJ": "black joker"}
STANDARD: Mapping[str, Deck] = {
    "standard-52": Deck(_FRENCH),
    "standard-54": Deck((*_FRENCH, *((joker, 1) for joker in _JOKERS))),
}
"""Decks that every game has: spades, hearts, diamonds, clubs, each from the ace to the king, then
the jokers.
"""
_NAMES = {
    **{f"{rank}{suit}": f"{rank}{sign}" for suit, sign in _SUITS.items() for rank in _RANKS},
    **_JOKERS,
}


def format_card_name(id: str, card: str) -> str:
    """Return the displayed name of a card: `K♠` for `KS` of a standard deck; of other decks its
    id.
    """
    return _NAMES.get(card, card) if id in STANDARD else card
