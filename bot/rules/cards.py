"""Decks as values: their cards, the cards that are out of the pile, and draws by a die.

No pile is shuffled ahead, so nobody can peek at the next card. Each draw is one die with as many
sides as the pile has cards (one side for the last card). Its face k is the k-th card left, in the
order in which the deck was declared, with copies next to each other. A cup is a deck of chits.
docs/dice.md has test vectors.

Only the cards *out* of the pile are stored, as numbers under keys such as `cup/play/7`: those in
play, discarded, removed or in hands. The pile is the rest of the deck, so a card can be neither
lost nor doubled. An *owner* is the owner of a hand: a side, or `@` and a person.
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
"""Places of cards in a hand: closed ones, of which everybody knows only the number, and opened
ones.
"""
TOP, BOTTOM = "=top", "=bottom"
ENDS: Mapping[str, str] = {TOP: "the top of the pile", BOTTOM: "the bottom of the pile"}
"""The known ends of a pile, in the order in which they are drawn.

They are stored as closed hands under names that no side can have. Their cards are drawn without a
die: the top first, the bottom when no card is left between them.
"""
SAW, ALL = "=saw/", "*"
"""Owners of the lists of draws at known ends that a hand owner has seen (`=saw/US`), or everybody
(`=saw/*`).
"""
SEEN = "+seen"
"""Key of the number of the undo whose text stores the cards that were seen at known ends before it.
"""
RESHUFFLE, REFUSE = "reshuffle", "refuse"
"""What happens when a pile is empty: the discards return to it within the same event, or no card
can be drawn.
"""
MOST_DRAWN = 60
"""Maximum number of cards that one event draws or moves."""
MOST_DECKS = 12
MOST_KINDS, MOST_CARDS = 400, 1_000
"""Maximum number of different cards in a deck, and of all its cards."""

Out = Mapping[str, int]
"""The number of cards out of the pile, by keys of `get_card_key`. Closed cards are counted by
owner: `cup/hand/US`. All cards that are not counted are in the pile.
"""
Pile = Sequence[tuple[str, int]]
"""The number of each card in a pile, in the order of the deck."""


class Deck(NamedTuple):
    """The cards of a deck by id with the number of each, in the order of the die's faces, and what
    happens when its pile is empty (RESHUFFLE or REFUSE).
    """

    cards: Pile
    empty: str = RESHUFFLE

    @property
    def ids(self) -> list[str]:
        """The ids of the cards, in order."""
        return [card for card, _ in self.cards]

    def to_json(self) -> dict[str, Any]:
        """Return the declaration of the deck as an event stores it."""
        return {
            "cards": [{"id": card, "count": count} for card, count in self.cards],
            "empty": self.empty,
        }


def deck_from_json(data: Mapping[str, Any]) -> Deck:
    """Return the deck that an event declares."""
    return Deck(tuple(map(itemgetter("id", "count"), data["cards"])), data["empty"])


def find_deck_fault(deck: Deck) -> str:
    """Return a sentence on the first fault of a deck: an invalid id, a repeated card, or too many
    cards. Return "" if there is none.
    """
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
    """Return the key under which cards of a deck in a place are counted."""
    return f"{deck}/{place}/{card}"


def count_at(deck: str, place: str, out: Out) -> dict[str, int]:
    """Return the numbers of the cards of a deck in a place, by card."""
    start = f"{deck}/{place}/"
    return {
        name.removeprefix(start): count for name, count in out.items() if name.startswith(start)
    }


Sizes = tuple[dict[str, int], dict[str, int]]
"""The number of a deck's cards in each place, and in each hand and at each known end."""


def count_places(deck: str, out: Out) -> Sizes:
    """Return the number of a deck's cards in each place, and in each hand and at each known end."""
    return count_cards(deck, (), out)[1]


def count_cards(
    id: str, deck: Pile, out: Out, hand_cards: Iterable[str] = ()
) -> tuple[dict[str, int], Sizes]:
    """Return the pile of a deck, as `list_pile` does, and the sizes of its places, in one pass."""
    counts = dict(deck)
    places = dict[str, int]()
    hands = dict[str, int]()
    start = f"{id}/"
    for card in hand_cards:
        counts[card] = counts.get(card, 0) - 1
    for name, count in out.items():
        if not name.startswith(start):
            continue
        place, _, card = name[len(start) :].partition("/")
        if place in PLACES:
            places[place] = places.get(place, 0) + count
        elif card:
            if place == HAND:
                owner = card
                card = ""
            else:
                owner, _, card = card.rpartition("/")
            hands[owner] = hands.get(owner, 0) + count
        if card in counts:
            counts[card] -= count
    return {card: count for card, count in counts.items() if count > 0}, (places, hands)


def select_deck(deck: str, out: Out) -> dict[str, int]:
    """Return the cards of one deck that are out of its pile."""
    return {name: count for name, count in out.items() if name.startswith(f"{deck}/")}


def set_counts(out: Out, changes: Mapping[str, int]) -> dict[str, int]:
    """Return the cards out of the pile with these numbers set. Entries of 0 are removed."""
    return {name: count for name, count in {**out, **changes}.items() if count}


def list_pile(
    id: str, deck: Deck, out: Out, hand_cards: Iterable[str] = ()
) -> list[tuple[str, int]]:
    """Return the pile: the cards of the deck without those in `out` and the closed `hand_cards`.

    Without `hand_cards` it is the pile as everybody can compute it, with the closed cards in it.
    """
    return [*count_cards(id, deck.cards, out, hand_cards)[0].items()]


def pile_size(id: str, deck: Deck, out: Out) -> int:
    """Return the number of cards in the pile, which everybody can compute."""
    out_count = sum(sum(counts.values()) for counts in count_places(id, out))
    return size(deck.cards) - out_count


Hands = Mapping[str, Sequence[tuple[str, str]]]
"""The closed cards by owner, the oldest first, as (the draw that it came from, such as `41.2`, and
the card).
"""


def get_last_key(id: str) -> str:
    """Return the key of the number of the last event that changed closed cards of a deck.

    The text of that event has the contents of the closed hands. Its faces and later ones are
    closed.
    """
    return f"{id}/last"


def get_current_hands(id: str, out: Out, stored_hands: Hands) -> dict[str, list[tuple[str, str]]]:
    """Return those of the stored hands that still hold cards.

    A hand that was given up as a whole is left out, and so are the cards that combat sequences have
    drawn from a known end since.
    """
    hand_sizes = count_at(id, HAND, out)
    drawn_counts = {
        end: max(0, len(stored_hands.get(end, ())) - hand_sizes.get(end, 0)) for end in ENDS
    }
    current_hands = {}
    for owner, draws in stored_hands.items():
        if hand_sizes.get(owner) or owner.startswith(SAW):
            current_hands[owner] = list(map(_make_pair, draws[drawn_counts.get(owner, 0) :]))
    return current_hands


def _make_pair(draw_and_card: Sequence[str]) -> tuple[str, str]:
    return draw_and_card[0], draw_and_card[1]


def count_known_ends(id: str, out: Out) -> int:
    """Return the number of cards on the known top and at the known bottom together."""
    return sum(out.get(get_card_key(id, HAND, end), 0) for end in ENDS)


SETTLED = {PLAY: PLAY, DISCARD: DISCARD, REMOVED: REMOVED, "back": ""}
"""The place to which a card in play goes when its sequence or move is over, by the word that its
deck or die has for it. "" is the pile.
"""


def apply_card_draws(
    decks: Mapping[str, Any], out: Out, dice: Iterable[Mapping[str, Any]]
) -> dict[str, int] | None:
    """Return the cards out of the piles after the dice of a combat sequence have drawn from them.

    Each card goes to the place that its die names under `to`. `decks` are the declarations by id.
    Return None if the dice do not fit the piles. A die of a deck with closed cards names its card;
    whether its face draws that card can be checked only once the hands are open.
    """
    cards_out = dict(out)
    settled_cards = list[tuple[str, str, str]]()
    for die in dice:
        id = die.get("deck")
        if id is None:
            continue
        if id not in decks or die.get("to") not in SETTLED:
            return None
        deck = deck_from_json(decks[id])
        card = die["value"]
        if cards_out.get(get_last_key(id)):
            sides, cards_out = compute_draw_sides(id, deck, cards_out, 1)
            key = get_card_key(id, PLAY, card)
            cards_out[key] = cards_out.get(key, 0) + 1
            if not isinstance(card, str) or sides == [0] or is_overdrawn(id, deck, cards_out):
                return None
        else:
            try:
                card_draw = draw(id, deck, cards_out, 1, Script([card]))
            except UserError:
                return None
            card = card_draw.cards[0]
            sides = [card_draw.dice[0].sides]
            cards_out = dict(card_draw.out)
        if (sides or [0]) != [die["sides"]]:
            return None
        settled_cards.append((id, card, SETTLED[die["to"]]))
    for id, card, place in settled_cards:
        cards_out = take_cards(id, cards_out, [card], [PLAY], place)
    return cards_out


def is_overdrawn(id: str, deck: Deck, out: Out) -> bool:
    """Return whether more copies of a card are open than the deck has."""
    counts_left = dict(deck.cards)
    open_prefixes = tuple([f"{id}/{place}/" for place in PLACES])
    for name, count in out.items():
        if name.startswith(open_prefixes):
            card = name[name.rindex("/") + 1 :]
            counts_left[card] = counts_left.get(card, 0) - count
    return min(counts_left.values(), default=0) < 0


def remove_ends(id: str, out: Out) -> dict[str, int]:
    """Return the cards out of the pile after the known top and bottom were shuffled into it."""
    return set_counts(out, {get_card_key(id, HAND, end): 0 for end in ENDS})


def put_on_end(id: str, out: Out, end: str, count: int, number: int) -> dict[str, int]:
    """Return the cards out of the pile after event `number` put `count` cards on a known end."""
    key = get_card_key(id, HAND, end)
    return {**out, key: out.get(key, 0) + count, get_last_key(id): number}


CLOSES = ("closed", "seat", "to")
"""Fields of events that close cards or change closed ones."""


def count_hand_cards(id: str, out: Out) -> dict[str, int]:
    """Return the number of a deck's cards in each hand by owner, closed or opened."""
    _, hands = count_places(id, out)
    return {owner: count for owner, count in hands.items() if owner not in ENDS}


def count_all_hand_cards(out: Out) -> dict[str, int]:
    """Return the number of cards of all decks in each hand by owner, closed or opened."""
    counts = dict[str, int]()
    for id in {name.partition("/")[0] for name in out if name[0] != "+"}:
        for owner, count in count_hand_cards(id, out).items():
            counts[owner] = counts.get(owner, 0) + count
    return counts


def count_known_cards(id: str, owner: str, out: Out) -> dict[str, int]:
    """Return the number of each card in a hand that was opened and is known to everybody."""
    return count_at(id, f"{KNOWN}/{owner}", out)


def list_held_cards(hands: Hands) -> list[str]:
    """Return all cards in closed hands."""
    return [card for draws in hands.values() for _, card in draws]


def size(pile: Pile) -> int:
    """Return the number of cards in a pile."""
    return sum(map(itemgetter(1), pile))


def get_card_at(pile: Iterable[tuple[str, int]], face: int) -> str:
    """Return the card that a face (from 1) of the pile's die draws.

    Raises ValueError if the pile has fewer cards.
    """
    for card, count in pile:
        if face <= count:
            return card
        face -= count
    raise ValueError("the pile has fewer cards")


class CardDraw(NamedTuple):
    """The result of a draw: the cards in order, and their dice, without one for known cards.

    `out` and `sizes` are the cards out of the pile and the sizes of the places after the draw.
    `joined` is the index of the card before which the discards returned to the pile; -1 if they
    did not. `end_counts` are the numbers of cards from the known top and bottom.
    """

    cards: tuple[str, ...]
    dice: tuple[RolledDie, ...]
    out: Out
    sizes: Sizes
    joined: int = -1
    end_counts: tuple[int, int] = (0, 0)


def draw(
    id: str,
    deck: Deck,
    out: Out,
    count: int,
    source: Source,
    hands: Hands | None = None,
    owners: Sequence[str] = (),
) -> CardDraw:
    """Draw `count` cards with one die each: into play, or each into the hand of one of the `owners`
    (as many as cards).

    `hands` are the closed hands. Cards known on top come first, without a die, unless the draw puts
    cards on the top itself. Cards known at the bottom come when no others are left; after them the
    discards return to the pile. Raises UserError if too few cards are left.
    """
    hands = hands or {}
    counts, (places, hand_sizes) = count_cards(id, deck.cards, out, list_held_cards(hands))
    top_cards = [card for _, card in hands.get(TOP, ()) if TOP not in owners]
    bottom_cards = [card for _, card in hands.get(BOTTOM, ())]
    top_count = len(top_cards)
    bottom_count = len(bottom_cards)
    pile = sum(counts.values())
    discards = places.get(DISCARD, 0)
    available = pile + top_count + bottom_count
    if deck.empty == RESHUFFLE:
        available += discards
    if count > available:
        raise _make_empty_pile_error(id, count, available, discards)
    joined = -1
    cards = list[str]()
    dice = list[RolledDie]()
    cards_out = dict(out)
    for index in range(count):
        if not (pile or top_cards or bottom_cards):
            discard_counts = count_at(id, DISCARD, cards_out)
            counts = {
                card: discard_counts[card] for card, _ in deck.cards if card in discard_counts
            }
            joined = index
            pile = sum(counts.values())
            cards_out = _remove_discards(id, cards_out)
            places[DISCARD] = 0
        if top_cards or (bottom_cards and not pile):
            end = TOP if top_cards else BOTTOM
            card = (top_cards or bottom_cards).pop(0)
            cards_out[get_card_key(id, HAND, end)] -= 1
            hand_sizes[end] -= 1
        else:
            die = Die(id, pile)
            face = source.draw(die)
            card = get_card_at(counts.items(), int(face))
            counts[card] -= 1
            pile -= 1
            dice.append(die.with_value(face))
        if owners:
            owner = owners[index]
            hand_sizes[owner] = hand_sizes.get(owner, 0) + 1
            key = get_card_key(id, HAND, owner)
        else:
            places[PLAY] = places.get(PLAY, 0) + 1
            key = get_card_key(id, PLAY, card)
        cards_out[key] = cards_out.get(key, 0) + 1
        cards.append(card)
    end_counts = top_count - len(top_cards), bottom_count - len(bottom_cards)
    return CardDraw(
        tuple(cards),
        tuple(dice),
        set_counts(cards_out, {}) if any(end_counts) else cards_out,
        (places, hand_sizes),
        joined,
        end_counts,
    )


def _make_empty_pile_error(id: str, count: int, available: int, discards: int) -> UserError:
    """Return the error for a draw of more cards than are available."""
    message = f"{id} has nothing left to draw."
    if available:
        message = f"{id} has {available} left to draw, not {count}."
    hint = phrase("`/deck show {id}` lists them.", id=id)
    if discards and not available:
        hint = phrase("`/deck shuffle` puts the discards back into the pile.")
    return UserError(message, hint=hint, option="count", code="empty-pile")


def _remove_discards(id: str, out: Mapping[str, int]) -> dict[str, int]:
    """Return the cards out of the pile without the discards of one deck."""
    prefix = f"{id}/{DISCARD}/"
    return {name: count for name, count in out.items() if not name.startswith(prefix)}


def find_face(pile: Pile, typed: str, names: Mapping[str, str]) -> int:
    """Return the first face of the card with the typed id or name; 0 if none is in the pile."""
    word = comparison_key(typed)
    cards_passed = 0
    for card, count in pile:
        if word in (comparison_key(card), comparison_key(names[card])):
            return cards_passed + 1
        cards_passed += count
    return 0


def find_faces(
    id: str, deck: Deck, out: Out, typed: Iterable[str], names: Mapping[str, str]
) -> list[int]:
    """Return the faces that draw these cards one after the other, for cards of a real deck.

    Each is typed by its id or name. Raises UserError for one that is not in the pile then.
    """
    counts = dict(list_pile(id, deck, out))
    discards = count_at(id, DISCARD, out) if deck.empty == RESHUFFLE else {}
    faces = list[int]()
    for word in typed:
        if not any(counts.values()):
            counts = {card: discards[card] for card, _ in deck.cards if card in discards}
            discards = {}
        pile = tuple([pair for pair in counts.items() if pair[1]])
        face = find_face(pile, word, names)
        if not face:
            hint = ""
            if pile:
                left_names = ", ".join(names[card] for card, _ in pile[:12])
                hint = f"It may be {left_names}{' ...' if pile[12:] else ''}."
            message = f"{id} has no card {word[:40]} left to draw."
            raise UserError(message, hint=hint, option="hand", code="bad-face")
        faces.append(face)
        counts[get_card_at(pile, face)] -= 1
    return faces


def compute_hands_after_draw(
    hands: Hands, card_draw: CardDraw, owners: Sequence[str], number: int
) -> dict[str, list[tuple[str, str]]]:
    """Return the closed hands and known ends after the draw of event `number`.

    A card that moves from the known bottom to the top remains the same draw, so that players who
    knew it still do.
    """
    new_hands = {owner: [*draws] for owner, draws in hands.items()}
    new_draws = [f"{number}.{index}" for index in range(1, len(owners) + 1)]
    top_count, bottom_count = card_draw.end_counts
    if TOP in owners and bottom_count:
        end_index = card_draw.joined if card_draw.joined >= 0 else len(new_draws)
        start = end_index - bottom_count
        moved_draws = [draw for draw, _ in new_hands[BOTTOM][:bottom_count]]
        new_draws[start : start + bottom_count] = moved_draws
    new_hands[TOP] = new_hands.get(TOP, [])[top_count:]
    new_hands[BOTTOM] = new_hands.get(BOTTOM, [])[bottom_count:]
    for owner, draw, card in zip(owners, new_draws, card_draw.cards, strict=bool(owners)):
        new_hands.setdefault(owner, []).append((draw, card))
    return new_hands


def compute_draw_sides(
    id: str, deck: Deck, out: Out, count: int, *, peeks: bool = False
) -> tuple[list[int], dict[str, int]]:
    """Return what everybody can compute of a draw of `count` cards: the sides of its dice, and the
    cards out of the pile without those taken from the known ends.

    If a player `peeks`, the cards that are known on top stay there.
    """
    cards_out = dict(out)
    sides = list[int]()
    size = pile_size(id, deck, cards_out)
    top = get_card_key(id, HAND, TOP)
    bottom = get_card_key(id, HAND, BOTTOM)
    for _ in range(count):
        if cards_out.get(top) and not peeks:
            cards_out[top] -= 1
            continue
        if not size and cards_out.get(bottom):
            cards_out[bottom] -= 1
            continue
        if not size and deck.empty == RESHUFFLE:
            size = sum(count_at(id, DISCARD, cards_out).values())
            cards_out = _remove_discards(id, cards_out)
        sides.append(size)
        size -= 1
    return sides, cards_out


def list_returned_draws(
    event: Mapping[str, Any], hands: Hands, hands_after: Hands, size: int = 0
) -> list[tuple[str, str]]:
    """Return the draws that the undo of an event puts back on the top or bottom of a pile.

    Each is (owner of the list of seen draws, see `SAW`, and the draw). `hands` are those before the
    undo, `hands_after` those after it; `size` is the pile's size.
    """
    draws_before = {draw for end in ENDS for draw, _ in hands.get(end, ())}
    top = [draw for draw, _ in hands_after.get(TOP, ()) if draw not in draws_before]
    bottom = [draw for draw, _ in hands_after.get(BOTTOM, ()) if draw not in draws_before]
    owners = dict(enumerate(event.get("seats", ())))
    indexed_draws = (*enumerate(top), *enumerate(bottom, len(top) + size))
    return [(f"{SAW}{owners.get(index, ALL)}", draw) for index, draw in indexed_draws]


def put_back_on_end(
    hands: Hands, end: str, draws: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the cards at a known end after more were put there: above its top, or below its
    bottom.
    """
    end_draws = hands.get(end, ())
    return [*draws, *end_draws] if end == TOP else [*end_draws, *draws]


def draw_order(names: Sequence[str], source: Source) -> CardDraw:
    """Draw all names in an order that dice determine, each as a card of a deck."""
    deck = Deck(tuple(zip(names, repeat(1), strict=False)))
    return draw(NAMES, deck, {}, len(names), source)


NAMES = "names"
"""The label of dice that order names."""


def take_cards(
    id: str, out: Out, cards: Sequence[str], places: Sequence[str], target: str = ""
) -> dict[str, int]:
    """Return the cards out of the pile after `cards` were moved from the first of `places` that
    has each to the place `target`, or to the pile for "".

    Raises UserError for a card that is in none of the places.
    """
    cards_out = dict(out)
    for card in cards:
        for place in places:
            source_key = get_card_key(id, place, card)
            if cards_out.get(source_key):
                break
        else:
            raise UserError(f"{card} of {id} is not there.", option="cards", code="unknown-card")
        cards_out[source_key] -= 1
        if target:
            target_key = get_card_key(id, target, card)
            cards_out[target_key] = cards_out.get(target_key, 0) + 1
    return {name: count for name, count in cards_out.items() if count}


_RANGE = re.compile(r"([0-9]{1,4})\.\.([0-9]{1,4})")
_TIMES = re.compile(
    r"(?P<card>.+?)(?<!\s)(?:\s++x|\s*+[\u00d7*])\s?(?P<count>[0-9]{1,4})"
    r"|(?P<times>[0-9]{1,4})\s?(?:x\s+|[\u00d7*]\s*)(?P<called>.+)",
    re.IGNORECASE,
)
LONGEST_CARD = 40


def read_cards(text: str) -> list[tuple[str, int]]:
    """Read the cards of a deck as typed, with the number of each: `1..20`, or `Ambush x3, Air
    strike, 7`.

    Cards that differ only in case count as one. Raises UserError for no card, for one with the
    number 0, and for more cards than a deck holds.
    """
    counts: dict[str, tuple[str, int]] = {}
    for typed_item in re.split(ITEM_ENDS, text):
        names, count = _read_card_item(clean_name(typed_item, 200))
        for name in names:
            if len(name) > LONGEST_CARD:
                raise UserError(
                    f"A card has at most {LONGEST_CARD} characters: {name[:20]} ...",
                    hint="Separate cards by commas.",
                    option="cards",
                    code="too-long",
                )
            card = str(int(name)) if name.isdecimal() else name
            key = comparison_key(card)
            first_name, earlier_count = counts.get(key, (card, 0))
            counts[key] = first_name, earlier_count + count
    if not counts or not all(count for _, count in counts.values()):
        hint = 'For example "1..20", or "Ambush x3, Air strike x2, End of turn"'
        raise UserError("Which cards are in it?", hint=hint, option="cards", code="missing")
    numbered_cards = [(str(index), count) for index, (_, count) in enumerate(counts.values())]
    fault = find_deck_fault(Deck(tuple(numbered_cards)))
    if fault:
        raise UserError(f"A deck like that is too large: {fault}", option="cards", code="too-many")
    return list(counts.values())


def _read_card_item(item: str) -> tuple[list[str], int]:
    """Return the names of an item such as `Ambush x3`, `3x Ambush` or `1..20`, and the number of
    each; [] for an empty item.
    """
    times = _TIMES.fullmatch(plain_signs(item))
    card = item
    count = 1
    if times:
        # The groups are found in plain signs, but the card keeps the signs that were typed.
        start, end_index = times.span("card" if times["card"] else "called")
        card = item[start:end_index]
        count = int(times["count"] or times["times"])
    bounds = _RANGE.fullmatch(plain_signs(card))
    if not bounds:
        return ([card] if card else []), count
    low = int(bounds[1])
    high = min(int(bounds[2]), low + MOST_KINDS)
    return [str(number) for number in range(low, high + 1)], count


def format_cards(id: str, cards: Iterable[str]) -> str:
    """Format cards of a deck for the log: `cup: 7, 12`."""
    return f"{id}: {', '.join(cards)}"


def format_deck_size(id: str, deck: Deck) -> str:
    """Format the declaration of a deck for the log: `cup: 20 cards`."""
    return format_cards(id, [f"{size(deck.cards)} cards"])


def list_taken_cards(id: str, deck: Deck, out_before: Out, out_after: Out) -> list[tuple[str, str]]:
    """Return (place, card) for each open card that a change takes from its place, in the order of
    places and of the deck.
    """
    taken_counts = {name: count - out_after.get(name, 0) for name, count in out_before.items()}
    return [
        (place, card)
        for place in PLACES
        for card, _ in deck.cards
        for _ in range(taken_counts.get(get_card_key(id, place, card), 0))
    ]


WORD = re.compile(r"([1-9][0-9]{0,15})\.(w[1-9][0-9]{0,2})")
"""The id of a card with a typed name: the number of an event, and the key of the text with the
name.
"""
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""The form of a deck's id."""

_SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
_RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")
_FRENCH = tuple((f"{rank}{suit}", 1) for suit in _SUITS for rank in _RANKS)
_JOKERS = {"RJ": "red joker", "BJ": "black joker"}
STANDARD: Mapping[str, Deck] = {
    "standard-52": Deck(_FRENCH),
    "standard-54": Deck((*_FRENCH, *((joker, 1) for joker in _JOKERS))),
}
"""Decks that every game has: spades, hearts, diamonds and clubs, each from ace to king, and in one
of them the jokers.
"""
_NAMES = {
    **{f"{rank}{suit}": f"{rank}{sign}" for suit, sign in _SUITS.items() for rank in _RANKS},
    **_JOKERS,
}


def format_card_name(id: str, card: str) -> str:
    """Return the name of a card as players read it: `K♠` for `KS` of a standard deck."""
    return _NAMES.get(card, card) if id in STANDARD else card
