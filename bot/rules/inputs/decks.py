"""Decks as combat sequences draw from them: what a game's files say of one, and what is left of it.

A sequence draws out of a pile that the game fills in like an input, `deck.chances`. Written down it
is `quiet*7 rain*2 / guide`: the pile and, where they would join it, the discards; `-` where there
are none. Of a deck with closed cards it is what somebody has not seen, and behind `|` in which
order the pile comes. The end of `quiet*7 rain*2 / guide | rain ? _*6` is rain on top, which they
know, one that only others saw, and six by dice.
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
"""What the name of a pile begins with among the inputs of a sequence."""
OPEN, HAND = KEEP = ("open", "hand")
Said = Mapping[str, bool | int | float | str]
Counts = tuple[tuple[str, int], ...]
"""Cards with how many there are of each."""
KINDS: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "text"}
BLANKS: Mapping[str, Any] = {"bool": False, "number": 0, "text": "none"}
"""What is read of a card where none was left to draw, by the kind of what is read."""
_CARD = re.compile(r"([A-Za-z0-9.-]{1,40}|[?_])(?:\*([1-9][0-9]{0,3}))?")
UNSEEN, DICE = "?", "_"
"""In the order in which cards come: one of known place that who looks has not seen, and those
that dice draw.
"""
_MOST = 200
"""Characters of a text in a list that an event holds."""


class GameDeck(NamedTuple):
    """A deck of a game: how its cards are called, the numbers and words `said` of each, where each
    goes `after` it was in play, into what it is drawn (`keep`), how many cards a hand may hold (0:
    any), and whether cards of turns and the board show it."""

    id: str
    title: str
    deck: Deck
    names: Mapping[str, str]
    said: Mapping[str, Said]
    after: Mapping[str, str]
    kinds: Mapping[str, str]
    """What is said of every card, with the kind of it: number, text or bool; a flag that is not
    said is false.
    """
    keep: str = OPEN
    hand_limit: int = 0
    shown: bool = True
    dead: str = "again"
    owner: str = ""
    """The side whose deck it is; "" if it is nobody's."""

    def is_of(self, side: str, sides: Iterable[str]) -> bool:
        """Return whether the deck's cards are for a side, or for a player of none (""): it is
        the owner, or the owner is none of the game's `sides`.
        """
        owner = self.owner.casefold()
        known = {one.casefold() for one in sides}
        return not side or owner == side.casefold() or owner not in known

    def format_words(self, card: str, but: Iterable[str] = ()) -> str:
        """Return what is said of a card, `but` for these: `ap 3, side US`; a flag alone by its
        name. A number of 0 is left out next to others.
        """
        said = {
            key: value
            for key, value in self.said.get(card, {}).items()
            if value is not False and key not in but
        }
        if any(said.values()):
            said = {key: value for key, value in said.items() if value != 0}
        told = {key.replace("_", " "): value for key, value in said.items()}
        return ", ".join(key if value is True else f"{key} {value}" for key, value in told.items())

    def find_lacking(self, key: str) -> str:
        """The first card of which something is not said that is said of others; "" for none."""
        having = [card for card, said in self.said.items() if key in said]
        return next((card for card in self.said if having and card not in having), "")

    def read(self, card: str, key: str) -> Any:
        """What formulas read of a card: its id, its name, or what is said of it. None was drawn
        where it is "".
        """
        if key in ("id", "name"):
            return (card if key == "id" else self.names[card]) if card else BLANKS["text"]
        return self.said.get(card, {}).get(key, BLANKS[self.kinds[key]])

    def build_die(self, label: str, pile: Pile, to: str = "") -> Die:
        """The die that draws from a pile: as many sides as it has cards, none for one whose place
        is known. `to` is where its card goes then."""
        return Die(label, pile.sides, pile=Drawing(self, pile, to))


def find_kinds(said: Mapping[str, Said]) -> dict[str, str]:
    """What is said of every card, or is a flag, with its kind."""
    found = {key: KINDS[type(value)] for one in said.values() for key, value in one.items()}
    return {
        key: kind
        for key, kind in found.items()
        if kind == "bool" or all(key in one for one in said.values())
    }


class Drawing(NamedTuple):
    """What a die draws from, and where the card goes once the sequence is over."""

    deck: GameDeck
    pile: Pile
    to: str = ""

    def card(self, face: int) -> str:
        """The card of a face."""
        return self.pile.draw(face)[0]

    def goes(self, face: int) -> str:
        """Where the card of a face goes: `play`, `discard`, `removed`, or `back` into the pile."""
        return self.to or self.deck.after[self.card(face)]

    def face(self, typed: object) -> int:
        """The face of a card of a real deck, by its id or name. Raises UserError for one that is
        not in the pile.
        """
        if face := cards.find_face(self.pile.next, str(typed), self.deck.names):
            return face
        what = f"{self.deck.title} has no card {str(typed)[:40]} left to draw."
        commas = any(" " in self.deck.names[card] for card, _ in self.pile.next)
        hint = f"It may be {self.card_list}.{' A name with a space needs a comma behind it.' if commas else ''}"
        raise UserError(what, hint=hint, option="hand", code="bad-face")

    @property
    def card_list(self) -> str:
        """The ids of the cards, at most a few."""
        ids = [card for card, _ in self.pile.next]
        return ", ".join(ids[:12]) + (" ..." if len(ids) > 12 else "")


class Pile(NamedTuple):
    """The cards that are left, and those that join them when there are none; None where nothing
    does. Of the cards the ids in the order of their deck, and how many there are of each, also 0:
    states of odds are looked up by these. Of a deck with closed cards those that who looks has not
    seen, wherever they are, and in which `order` the pile has them: cards whose place is known,
    `UNSEEN` ones of those, and `DICE`."""

    ids: tuple[str, ...]
    counts: tuple[int, ...]
    joins: Counts | None = None
    order: Counts | None = None

    @classmethod
    def from_cards(
        cls,
        left: Iterable[tuple[str, int]],
        joins: Counts | None = None,
        order: Counts | None = None,
    ) -> Pile:
        """Return the pile of these cards, with how many there are of each. `joins` are the cards
        that join when none is left, `order` the order of the cards, if known.
        """
        pairs = tuple(left)
        return cls(
            tuple([card for card, _ in pairs]), tuple([count for _, count in pairs]), joins, order
        )

    @property
    def cards(self) -> Counts:
        """The cards that are left, in the order of their deck."""
        return tuple([pair for pair in zip(self.ids, self.counts, strict=True) if pair[1]])

    @property
    def size(self) -> int:
        """Return how many cards are left."""
        return sum(self.counts) if self.order is None else cards.size(self.order)

    @property
    def sides(self) -> int:
        """Those of the die that draws the next one; 0 where its place is known."""
        if self.order is None:
            return sum(self.counts)
        return self.order[0][1] if self.order and self.order[0][0] == DICE else 0

    @property
    def turn(self) -> tuple[str, Counts | None]:
        """The card that comes next where its place is known, "" for any that was not seen, and
        the order behind it.
        """
        if not self.order:
            return "", self.order
        (card, some), *others = self.order
        return "" if card in (DICE, UNSEEN) else card, (
            *(((card, some - 1),) if some > 1 else ()),
            *others,
        )

    @property
    def next(self) -> Counts:
        """The cards that may come next, with how many there are of each."""
        known, _ = self.turn
        return ((known, 1),) if known else self.cards

    @property
    def ready(self) -> Pile:
        """The same as it is drawn from: where it is empty the discards have joined it."""
        if not self.joins or self.size:
            return self
        return Pile.from_cards(
            self.joins, (), None if self.order is None else ((DICE, cards.size(self.joins)),)
        )

    def draw(self, face: int) -> tuple[str, Pile]:
        """The card that a face draws, and what is left then."""
        card, order = self.turn
        if card:
            return card, self._replace(order=order)
        card = cards.get_card_at(self.cards, face)
        at = self.ids.index(card)
        return card, self._replace(
            counts=(*self.counts[:at], self.counts[at] - 1, *self.counts[at + 1 :]), order=order
        )

    def group_by(self, seen: Callable[[str], Hashable]) -> Pile:
        """The same for who looks at no more of a card than this: one stands for all that look
        alike.
        """
        first: dict[Hashable, str] = {}

        def merge_counts(some: cards.Pile) -> Counts:
            found: dict[str, int] = {}
            for card, count in some:
                one = first.setdefault(seen(card), card)
                found[one] = found.get(one, 0) + count
            return tuple(found.items())

        counts = merge_counts(self.cards)
        joins = None if self.joins is None else merge_counts(self.joins)
        order = self.order and tuple(
            [one if one[0] in (DICE, UNSEEN) else merge_counts([one])[0] for one in self.order]
        )
        return Pile.from_cards(counts, joins, order)

    @property
    def lines(self) -> list[str]:
        """As an event holds it."""
        said = [" ".join(f"{card}*{count}" if count > 1 else card for card, count in part) or "-"
                for part in (self.cards, self.joins, self.order) if part is not None]  # fmt: skip
        order = f" | {said.pop()}" if self.order is not None else ""
        return wrap(" / ".join(said) + order, _MOST, break_long_words=False, break_on_hyphens=False)


Ends = tuple[Sequence[str], Sequence[str]]
"""The cards on the known top and at the known bottom, `UNSEEN` for one that somebody has not
seen.
"""


def build_pile(
    id: str, deck: Deck, out: Out, ends: Ends = ((), ()), held: Iterable[str] = ()
) -> Pile:
    """What is left of a deck; where cards of it are closed, to somebody who has seen these
    `ends` and those `held`.
    """
    discards = cards.count_at(id, DISCARD, out)
    joins = tuple((card, discards[card]) for card, _ in deck.cards if card in discards)
    top, bottom = ends
    order = groupby([*top, *(DICE,) * cards.pile_size(id, deck, out), *bottom])
    return Pile.from_cards(
        cards.list_pile(id, deck, out, (*held, *top, *bottom)), joins if deck.empty == RESHUFFLE else None,
        tuple((card, len([*some])) for card, some in order) if out.get(cards.get_last_key(id)) else None,
    )  # fmt: skip


def read_pile(raw: Any) -> Pile:
    """A pile as it is written down. Raises ValueError for what is none."""
    told, closed, order = (
        " ".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)
    ).partition("|")
    halves = [*told.split("/"), *([order] if closed else [])]
    if len(halves) > 2 + bool(closed) or not all(half.split() for half in halves):
        raise ValueError(raw)
    found = [
        tuple(_read_counted_card(word) for word in half.split() if word != "-") for half in halves
    ]
    row = found.pop() if closed else None
    return Pile.from_cards(found[0], found[1] if len(found) > 1 else None, row)


def read_known_ends(raw: Any, top: int) -> Ends:
    """The known ends of a pile as it is written down, of which so many cards are on top. Raises
    ValueError.
    """
    counts = [one for one in read_pile(raw).order or () if one[0] != DICE]
    if cards.size(counts) > cards.MOST_CARDS:
        raise ValueError(raw)
    row = [card for card, count in counts for _ in range(count)]
    return row[:top], row[top:]


def _read_counted_card(word: str) -> tuple[str, int]:
    """A card with how many there are of it."""
    if (one := _CARD.fullmatch(word)) is None:
        raise ValueError(word)
    return one[1], int(one[2] or 1)


def parse_pile(made: GameDeck, raw: Any) -> Pile:
    """A pile as it is written down. Raises UserError for what is none of its deck."""
    try:
        pile = read_pile(raw)
    except ValueError:
        pile = Pile.from_cards([("", 1)])
    known = {card for card, _ in pile.order or ()} - {DICE, UNSEEN}
    if (pile.order is not None and isinstance(raw, str)) or not known <= made.said.keys():
        pile = Pile.from_cards([("", 1)])
    for half in (pile.cards, pile.joins or ()):
        if len(dict(half)) < len(half) or not dict(half).keys() <= made.said.keys():
            hint = f'For example "{next(iter(made.said))}*2". Its cards: {", ".join([*made.said][:12])}.'
            what = f"{DECK}{made.id} takes the cards that are left, each once."
            name = f"{DECK}{made.id}"
            raise UserError(what, hint=hint, option=name, code="bad-value")
    return (
        pile if pile.joins is not None or made.deck.empty != RESHUFFLE else pile._replace(joins=())
    )


def list_faces(event: Mapping[str, Any]) -> Iterator[object]:
    """What the dice of an event show, of those that draw a card its id."""
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
    """The piles that these dice drew from, by the names of the inputs that they are, as they are
    left: out of those among the `values`, or whole ones."""
    now: dict[str, Pile] = {}
    for die in dice:
        if (pile := die.pile) is not None:
            name = f"{DECK}{pile.deck.id}"
            before = (
                now.get(name) or values.get(name) or build_pile(pile.deck.id, pile.deck.deck, {})
            )
            now[name] = before.ready.draw(int(die.value))[1]
    return {name: pile.lines for name, pile in now.items()}
