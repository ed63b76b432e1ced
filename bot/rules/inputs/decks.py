"""Decks from which sequences draw: what the files of a game say of a deck, and the remaining cards.

A sequence draws from a pile that the game fills in like an input, `deck.chances`. Its text is
`quiet*7 rain*2 / guide`: the pile, and the discards if they would be shuffled in; `-` if there are
none. For a deck with closed cards the pile holds the cards that one player has not seen, and the
order follows after `|`: in `quiet*7 rain*2 / guide | rain ? _*6`, rain is on top and known to that
player, then comes one that only others saw, and six by dice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any, NamedTuple

from bot.rules import cards
from bot.rules.cards import DISCARD, RESHUFFLE, Deck, Out
from bot.rules.dice import Die, RolledDie
from bot.rules.errors import UserError

DECK = "deck."
"""The prefix of the names of piles among the inputs of a sequence."""
OPEN, HAND = KEEP = ("open", "hand")
Said = Mapping[str, bool | int | float | str]
Counts = tuple[tuple[str, int], ...]
"""Cards with their numbers of copies."""
KINDS: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "text"}
BLANKS: Mapping[str, Any] = {"bool": False, "number": 0, "text": "none"}
"""The values of the fields if there was no card to draw, by kind."""
_CARD = re.compile(r"([A-Za-z0-9.-]{1,40}|[?_])(?:\*([1-9][0-9]{0,3}))?")
UNSEEN, DICE = "?", "_"
"""Entries in the order of a pile: a card whose position is known but that this player has not seen,
and cards that dice draw.
"""
_MOST = 200
"""The maximum length of a text in the list that an event holds."""


class GameDeck(NamedTuple):
    """A deck of a game."""

    id: str
    title: str
    deck: Deck
    names: Mapping[str, str]
    """The names of its cards, by card."""
    said: Mapping[str, Said]
    """The fields of each card: numbers, words and flags."""
    after: Mapping[str, str]
    """The place of each card after play."""
    kinds: Mapping[str, str]
    """The fields of its cards with their kinds: number, text or bool. A flag that a card lacks is
    false.
    """
    keep: str = OPEN
    """Whether it is drawn openly or into a hand."""
    hand_limit: int = 0
    """The maximum number of cards in a hand; 0 for any."""
    shown: bool = True
    """Whether the cards of turns and the board show it."""
    dead: str = "again"
    owner: str = ""
    """The side that owns the deck, or ""."""

    def is_of(self, side: str, sides: Iterable[str]) -> bool:
        """Return whether a side may use the deck's cards: it is the owner, or the owner is none of
        the game's `sides`. A player without a side ("") may use all.
        """
        owner = self.owner.casefold()
        side_names = {name.casefold() for name in sides}
        return not side or owner == side.casefold() or owner not in side_names

    def format_words(self, card: str, but: Iterable[str] = ()) -> str:
        """Format the fields of a card, without those of `but`: `ap 3, side US`. A flag is shown by
        its name alone; a number of 0 is left out next to others.
        """
        facts = {
            key: value
            for key, value in self.said.get(card, {}).items()
            if value is not False and key not in but
        }
        if any(facts.values()):
            facts = {key: value for key, value in facts.items() if value != 0}
        fact_labels = {key.replace("_", " "): value for key, value in facts.items()}
        return ", ".join(
            key if value is True else f"{key} {value}" for key, value in fact_labels.items()
        )

    def list_lacking(self, key: str) -> tuple[str, ...]:
        """Return the cards without a field that other cards have."""
        having = [card for card, facts in self.said.items() if key in facts]
        return tuple(card for card in self.said if having and card not in having)

    def read(self, card: str, key: str) -> Any:
        """Return what formulas read of a card: its id, its name, or a field. The card "" stands for
        no card.
        """
        if key in ("id", "name"):
            return (card if key == "id" else self.names[card]) if card else BLANKS["text"]
        return self.said.get(card, {}).get(key, BLANKS[self.kinds[key]])

    def build_die(self, label: str, pile: Pile, to: str = "") -> Die:
        """Return the die that draws from a pile, with as many sides as it has cards (0 if the next
        card is known). `to` is where the card goes.
        """
        return Die(label, pile.sides, pile=Drawing(self, pile, to))


def find_kinds(facts_by_card: Mapping[str, Said]) -> dict[str, str]:
    """Return the kinds of the fields that all cards have, and of all flags."""
    kinds = {
        key: KINDS[type(value)] for facts in facts_by_card.values() for key, value in facts.items()
    }
    return {
        key: kind
        for key, kind in kinds.items()
        if kind == "bool" or all(key in facts for facts in facts_by_card.values())
    }


class Drawing(NamedTuple):
    """The pile from which a die draws, and where the card goes after the sequence."""

    deck: GameDeck
    pile: Pile
    to: str = ""

    def card(self, face: int) -> str:
        """Return the card of a face."""
        return self.pile.draw(face)[0]

    def goes(self, face: int) -> str:
        """Return where the card of a face goes: `play`, `discard`, `removed`, or `back` into the
        pile.
        """
        return self.to or self.deck.after[self.card(face)]

    def face(self, typed: object) -> int:
        """Return the face of a typed card of a real deck, by id or name. Raises UserError if it is
        not in the pile.
        """
        if face := cards.find_face(self.pile.next, str(typed), self.deck.names):
            return face
        problem = f"{self.deck.title} has no card {str(typed)[:40]} left to draw."
        commas = any(" " in self.deck.names[card] for card, _ in self.pile.next)
        hint = f"It can be {self.card_list}.{' A name with a space needs a comma after it.' if commas else ''}"
        raise UserError(problem, hint=hint, option="hand", code="bad-face")

    @property
    def card_list(self) -> str:
        """The ids of the cards, at most twelve."""
        ids = [card for card, _ in self.pile.next]
        return ", ".join(ids[:12]) + (" ..." if len(ids) > 12 else "")


class Pile(NamedTuple):
    """The remaining cards of a deck.

    `ids` are in the order of the deck, and `counts` are the numbers of copies, including 0, because
    states of odds are looked up by them. `joins` are the cards that are shuffled in when the pile
    is empty, None if there is no reshuffle. For a deck with closed cards, the counts are those that
    one player has not seen, and `order` is the order of the pile: known cards, `UNSEEN` and `DICE`.
    """

    ids: tuple[str, ...]
    counts: tuple[int, ...]
    joins: Counts | None = None
    order: Counts | None = None

    @classmethod
    def from_cards(
        cls,
        cards_left: Iterable[tuple[str, int]],
        joins: Counts | None = None,
        order: Counts | None = None,
    ) -> Pile:
        """Return the pile of these cards, with how many there are of each. `joins` are the cards
        that join when none is left, `order` the order of the cards, if known.
        """
        pairs = tuple(cards_left)
        return cls(
            tuple([card for card, _ in pairs]), tuple([count for _, count in pairs]), joins, order
        )

    @property
    def cards(self) -> Counts:
        """The remaining cards, in the order of their deck."""
        return tuple([pair for pair in zip(self.ids, self.counts, strict=True) if pair[1]])

    @property
    def size(self) -> int:
        """The number of remaining cards."""
        return sum(self.counts) if self.order is None else cards.size(self.order)

    @property
    def sides(self) -> int:
        """The sides of the die for the next card, 0 if that card's position is known."""
        if self.order is None:
            return sum(self.counts)
        return self.order[0][1] if self.order and self.order[0][0] == DICE else 0

    @property
    def turn(self) -> tuple[str, Counts | None]:
        """The next card if it is known (else "") and the order after it."""
        if not self.order:
            return "", self.order
        (card, count), *following = self.order
        if count > 1:
            following = [(card, count - 1), *following]
        next_card = "" if card in (DICE, UNSEEN) else card
        return next_card, tuple(following)

    @property
    def next(self) -> Counts:
        """The cards that may come next, with their numbers of copies."""
        next_card, _ = self.turn
        return ((next_card, 1),) if next_card else self.cards

    @property
    def ready(self) -> Pile:
        """The pile ready for a draw: if it is empty, with the discards shuffled in."""
        if not self.joins or self.size:
            return self
        order = None
        if self.order is not None:
            order = ((DICE, cards.size(self.joins)),)
        return Pile.from_cards(self.joins, (), order)

    def draw(self, face: int) -> tuple[str, Pile]:
        """Return the card that a face draws, and the pile after it."""
        card, order = self.turn
        if card:
            return card, self._replace(order=order)
        card = cards.get_card_at(self.cards, face)
        index = self.ids.index(card)
        return card, self._replace(
            counts=(*self.counts[:index], self.counts[index] - 1, *self.counts[index + 1 :]),
            order=order,
        )

    def group_by(self, look: Callable[[str], Hashable]) -> Pile:
        """Return the pile with one card for all cards that `look` maps to the same value."""
        first: dict[Hashable, str] = {}

        def merge_counts(pile: cards.Pile) -> Counts:
            totals: dict[str, int] = {}
            for card, count in pile:
                representative = first.setdefault(look(card), card)
                totals[representative] = totals.get(representative, 0) + count
            return tuple(totals.items())

        counts = merge_counts(self.cards)
        joins = None if self.joins is None else merge_counts(self.joins)
        order = self.order and tuple(
            [pair if pair[0] in (DICE, UNSEEN) else merge_counts([pair])[0] for pair in self.order]
        )
        return Pile.from_cards(counts, joins, order)

    @property
    def lines(self) -> list[str]:
        """The text of the pile, in lines as an event holds it."""
        text = _format_counts(self.cards)
        if self.joins is not None:
            text += f" / {_format_counts(self.joins)}"
        if self.order is not None:
            text += f" | {_format_counts(self.order)}"
        return wrap(text, _MOST, break_long_words=False, break_on_hyphens=False)


def _format_counts(counts: Counts) -> str:
    """Return the text for cards with their counts: `7*2 ambush`; `-` for none."""
    words = [f"{card}*{count}" if count > 1 else card for card, count in counts]
    return " ".join(words) or "-"


Ends = tuple[Sequence[str], Sequence[str]]
"""The cards on the known top and at the known bottom; `UNSEEN` for one that this player has not
seen.
"""


def build_pile(
    id: str, deck: Deck, out: Out, known_ends: Ends = ((), ()), cards_held: Iterable[str] = ()
) -> Pile:
    """Return the remaining cards of a deck, with its discards if they will be shuffled in.

    If cards of the deck are closed, the pile is as one player knows it, who knows `known_ends` and
    holds `cards_held`. It has then all cards that this player has not seen, also those in other
    hands, and the order as far as the player knows it.
    """
    top, bottom = known_ends
    pile = cards.list_pile(id, deck, out, (*cards_held, *top, *bottom))
    joins = None
    if deck.empty == RESHUFFLE:
        discards = cards.count_at(id, DISCARD, out)
        joins = tuple((card, discards[card]) for card, _ in deck.cards if card in discards)
    order = None
    if out.get(cards.get_last_key(id)):
        row = [*top, *(DICE,) * cards.pile_size(id, deck, out), *bottom]
        order = tuple((card, len([*run])) for card, run in groupby(row))
    return Pile.from_cards(pile, joins, order)


def read_pile(raw: Any) -> Pile:
    """Parse the text of a pile, or its lines: the cards, after `/` the discards that join it, and
    after `|` its order. Raises ValueError.
    """
    text = " ".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)
    counts_text, bar, order_text = text.partition("|")
    parts = counts_text.split("/")
    if len(parts) > 2:
        raise ValueError(raw)
    pile = _read_counts(parts[0])
    joins = _read_counts(parts[1]) if len(parts) > 1 else None
    order = _read_counts(order_text) if bar else None
    return Pile.from_cards(pile, joins, order)


def _read_counts(text: str) -> Counts:
    """Parse cards with their counts, `-` for none. Raises ValueError for an empty text."""
    words = text.split()
    if not words:
        raise ValueError(text)
    return tuple(_read_counted_card(word) for word in words if word != "-")


def read_known_ends(raw: Any, top: int) -> Ends:
    """Parse the known ends of a pile, of which `top` cards are on top. Raises ValueError."""
    counts = [pair for pair in read_pile(raw).order or () if pair[0] != DICE]
    if cards.size(counts) > cards.MOST_CARDS:
        raise ValueError(raw)
    row = [card for card, count in counts for _ in range(count)]
    return row[:top], row[top:]


def _read_counted_card(word: str) -> tuple[str, int]:
    """Parse a card with its number of copies. Raises ValueError."""
    if (match := _CARD.fullmatch(word)) is None:
        raise ValueError(word)
    return match[1], int(match[2] or 1)


def parse_pile(game_deck: GameDeck, raw: Any) -> Pile:
    """Parse the text of a pile of this deck.

    Raises UserError if it cannot be read, or if it has cards that the deck has not, or one of them
    twice.
    """
    try:
        pile = read_pile(raw)
    except ValueError:
        pile = Pile.from_cards([("", 1)])
    card_ids = {card for card, _ in pile.order or ()} - {DICE, UNSEEN}
    if (pile.order is not None and isinstance(raw, str)) or not card_ids <= game_deck.said.keys():
        pile = Pile.from_cards([("", 1)])
    for half in (pile.cards, pile.joins or ()):
        if len(dict(half)) < len(half) or not dict(half).keys() <= game_deck.said.keys():
            hint = f'For example "{next(iter(game_deck.said))}*2". Its cards: {", ".join([*game_deck.said][:12])}.'
            problem = f"{DECK}{game_deck.id} takes the cards that are left, each listed once."
            name = f"{DECK}{game_deck.id}"
            raise UserError(problem, hint=hint, option=name, code="bad-value")
    return (
        pile
        if pile.joins is not None or game_deck.deck.empty != RESHUFFLE
        else pile._replace(joins=())
    )


def list_faces(event: Mapping[str, Any]) -> Iterator[object]:
    """Yield the values of the dice of an event; for a die that draws a card, the card's id."""
    piles = {
        name: read_pile(raw)
        for name, raw in (event.get("read") or {}).items()
        if name.startswith(DECK)
    }
    for die in event.get("dice") or ():
        shows = die["value"]
        name = f"{DECK}{die.get('deck')}"
        if name in piles and not isinstance(shows, str):
            shows, piles[name] = piles[name].ready.draw(shows)
        yield shows


def compute_piles_after(
    values: Mapping[str, Any], dice: Iterable[RolledDie]
) -> dict[str, list[str]]:
    """Return the piles from which these dice drew, as they are then, by the names of their inputs.

    Each is a list of the lines of its text (see `Pile.lines`). Piles start from `values`, or whole.
    """
    piles: dict[str, Pile] = {}
    for die in dice:
        if (pile := die.pile) is not None:
            name = f"{DECK}{pile.deck.id}"
            pile_before = (
                piles.get(name) or values.get(name) or build_pile(pile.deck.id, pile.deck.deck, {})
            )
            piles[name] = pile_before.ready.draw(int(die.value))[1]
    return {name: pile.lines for name, pile in piles.items()}
