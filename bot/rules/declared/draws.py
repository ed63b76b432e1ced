"""`draw`: a card out of a deck of the game, by a die with as many sides as cards are left, and its
step.

What is left is a value of the state, `deck.chances`, that each draw sets anew, so no card is drawn
twice. For odds the cards that look alike to whoever reads them count as one.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, NamedTuple

from bot.rules.declared.compile_context import Name, Path
from bot.rules.declared.formula import Env, Formula
from bot.rules.declared.interpreter import LINES, Do, Here, Keys, Now, Site
from bot.rules.declared.odds_limits import Counter, Names, PossibleValues
from bot.rules.declared.pools import Segment
from bot.rules.declared.program import OPEN, Block, Partial, Statement, walk_statements
from bot.rules.declared.rolls import RandomStatement
from bot.rules.declared.step_parser import StepScope
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.decks import DECK, GameDeck, Pile
from bot.rules.sequence.sequence import Line, Ruling, Weighted
from bot.rules.text.phrase import phrase

DRAW = re.compile(r"\s*([a-z0-9][a-z0-9-]{0,23})(,\s*into play)?(?::\s+(.+))?\s*")
PLAY = "play"


@dataclass(frozen=True)
class Draw(RandomStatement):
    """A card."""

    key: str
    deck: GameDeck
    label: Formula
    to: str = ""

    @property
    def pile(self) -> str:
        """The key of what is left of the deck."""
        return f"{DECK}{self.deck.id}"

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """What is read of the card, by the keys that it sets."""
        return {
            self.key: "name",
            **{f"{self.key}.{field}": field for field in ("id", "name", *self.deck.kinds)},
        }

    @cached_property
    def sets(self) -> Keys:
        return frozenset((*self.fields, self.pile))

    @cached_property
    def reads(self) -> Keys:
        return frozenset((*self.label.reads, self.pile))

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        """Nobody knows the card; how many are left is known until dice decide whether one is
        drawn.
        """
        partial.meets(self, env)
        left = env.get(self.pile, OPEN)
        env |= dict.fromkeys(self.sets, OPEN)
        if left is not OPEN and left.ready.size:
            env[self.pile] = left.ready.draw(1)[1]
        return False

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise UserError where no card is left for a draw that is sure to come."""
        left = env.get(self.pile, OPEN)
        if left is OPEN or partial.unsure or left.ready.size:
            return
        hint = phrase(
            "`/deck discard` and `/deck shuffle` bring some back, `/deck show {id}` shows.",
            id=self.deck.id,
        )
        raise UserError(
            f"{self.deck.title} has too few cards left to draw.", hint=hint, code="empty-pile"
        )

    def do(self, here: Here, /) -> Do:
        """Owe it: its state holds what is read after it, its label, and what is left; where
        nothing is, go on.
        """
        here.sites[self.name] = self, here.rest
        keys = self.keys
        name = self.name
        none = self.card_values[""]
        pile = self.pile
        label = self.label.run
        title = self.deck.title

        def do(env: Env) -> Now | None:
            left: Pile = env[pile]
            env[pile] = ready = left.ready
            if not ready.size:
                env.update(none)
                env[LINES].append(Line(label(env), result=f"no card of {title} is left"))
                return None
            if ready is not left:
                env[LINES].append(
                    Line(title, result="the pile is empty: the discards are shuffled in")
                )
            return Now(name, (*[env[key] for key in keys], label(env), ready))

        return do

    @cached_property
    def card_values(self) -> Mapping[str, Mapping[str, Any]]:
        """What is read of each card, by key; "" is for none."""
        seen = [(key, field) for key, field in self.fields.items() if key in self.faces]
        return {
            card: {key: self.deck.read(card, field) for key, field in seen}
            for card in ("", *self.deck.names)
        }

    def line(self, label: str, card: str) -> Line:
        """The line of the answer that tells it."""
        name = self.deck.names[card]
        words = self.deck.format_words(card)
        return Line(label, result=f"{name} ({words})" if words else name)

    def bound(self, counter: Counter, names: Names, states: float, /) -> float:
        """As many for each state as there are cards that look different; so many kinds of piles
        are left.
        """
        states = counter.roll(self.after, names, states)
        some = {tuple(self.card_values[card].values()) for card in self.deck.names}
        for key, field in self.fields.items():
            values = {self.deck.read(card, field) for card in ("", *self.deck.names)}
            names[key] = PossibleValues(frozenset(values), len(values))
        before = names.get(self.pile, PossibleValues()).size
        drawn = 0
        while comb(drawn + len(some) - 1, drawn) < before and drawn < 100 and len(some) > 1:
            drawn += 1
        names[self.pile] = PossibleValues(size=float(comb(drawn + len(some), drawn + 1)))
        counter.sure = False
        return states * float(len(some) if self.faces & self.fields.keys() else 1)


def read_draw(said: object, place: StepScope, where: Path) -> Iterator[Statement]:
    """`draw: {card: chances}`: the card's name is `card`, what the deck says of it `card.ap`.
    Raises TableError.
    """
    sheet = place.sheet
    decks = place.sheet.formulas.setting.decks
    for name, written in place.mapping(said, where).items():
        at = (*where, name)
        found = DRAW.fullmatch(str(written))
        place.check_name(name, at)
        if found is None or "." in name:
            raise place.make_error(
                f'"{name}: {written}" must be a name and a deck, such as card: chances', at
            )
        deck = decks.get(found[1])
        if deck is None:
            problem = f"there is no deck {found[1]} to draw from; one that leads a phase is drawn chit by chit"
            raise place.make_error(problem, at, found[1], decks)
        if "none" in deck.names:
            raise place.make_error(
                f"a card of {deck.id} has the id none, which means that no card was left", at
            )
        if sheet.choices:
            raise place.make_error(
                "cards are drawn before a side is asked: draw above the choose", at
            )
        if name in place.names and sheet.formulas.cards.get(place.names[name].key) is not deck:
            raise place.make_error(f"there is a name {name} already; call the card otherwise", at)
        label = place.text(found[3] or deck.title, at)
        key = place.set_name(name, "text")
        sheet.formulas.cards[key] = sheet.decks[deck.id] = deck
        for field, kind in {"id": "text", "name": "text", **deck.kinds}.items():
            place.names[f"{name}.{field}"] = Name(f"{key}.{field}", kind)
        yield Draw(
            f"{next(sheet.sites):04}", key=key, deck=deck, label=label, to=PLAY if found[2] else ""
        )


class CardOutcome(NamedTuple):
    """What a card comes to for odds, whatever is left beside it: the places of the values that hold
    what is left; where there are none it is `open` in a state of its own, the same for all piles.
    """

    ruling: Ruling[Now]
    places: list[int]
    open: Ruling[Now]

    def with_pile(self, left: Pile) -> Ruling[Now]:
        """The same with what is left."""
        (owes, values), told, _, _ = self.ruling
        for at in self.places:
            values = (*values[:at], left, *values[at + 1 :])
        return Ruling(Now(owes, values), told)


class DrawSegment(Segment):
    """A card of a plan, a `Step`. What follows it hangs on the card and on the values at hand, not
    on what is left beside it: so odds work it out once for all piles that the same card comes out
    of."""

    __slots__ = ("_draw", "_known")

    def __init__(self, site: Site, pools: Mapping[int, Any]) -> None:
        super().__init__(site, pools)
        self._draw: Draw = self._roll
        self._known: dict[tuple[Any, ...], dict[str, CardOutcome]] = {}

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """What the card comes to; the first line tells it. It is known of what `group_rolls` gives."""
        if isinstance(faces, Ruling):
            return faces
        *_, label, pile = state.values
        card, left = pile.draw(faces[0])
        ruling = super().rule(state, (card, left))
        return ruling._replace(story=lambda: [self._draw.line(label, card), *ruling.story()])

    def _lay(self, env: Env, _state: Now, faces: tuple[Any, ...]) -> None:
        card, env[self._draw.pile] = faces
        env.update(self._draw.card_values[card])

    def asks(self, state: Now, /) -> tuple[Die, ...]:
        """The die in this state."""
        label, pile = state.values[-2:]
        return (self._draw.deck.build_die(label, pile, self._draw.to),)

    def group_rolls(self, state: Now, /) -> Weighted:
        """What each card comes to, with how many there are of it; of one whose place is known
        that alone.
        """
        *_, last = state.values
        known = self._known.setdefault(state.values[:-1], {})
        found = list[Any]()
        if isinstance(last, str):
            found.append((1, known[last].ruling))
            return tuple(found)
        ids, counts, _, _ = last
        place, order = last.turn
        rows = ((place, 1),) if place else zip(ids, counts, strict=True)
        alone = last.size == 1
        for at, (card, count) in enumerate(rows):
            outcome = None if alone else known.get(card)
            if count and outcome and not outcome.places:
                found.append((count, outcome.open))
            elif count:
                fewer = counts if place else (*counts[:at], count - 1, *counts[at + 1 :])
                left = last._replace(counts=fewer, order=order)
                found.append(
                    (count, outcome.with_pile(left) if outcome else self._find(state, card, left))
                )
        return tuple(found)

    def _find(self, state: Now, card: str, left: Pile) -> Ruling[Now]:
        """What a card comes to with what is left, and keep it for any other pile that it does
        not empty.
        """
        ruling = super().rule(state, (card, left))
        at_hand = state.values[:-1]
        if left.size:
            places = [at for at, value in enumerate(ruling.after.values) if value is left]
            self._known[at_hand][card] = CardOutcome(
                ruling, places, Ruling(Now(state.owes, (*at_hand, card)))
            )
        return ruling


def find_looks(program: Block) -> dict[str, Callable[[str], tuple[Any, ...]]]:
    """By the key of a pile what a program looks at of its cards."""
    draws: dict[str, list[Draw]] = {}
    for one in walk_statements(program):
        if isinstance(one, Draw):
            draws.setdefault(one.pile, []).append(one)

    def build_look(some: list[Draw]) -> Callable[[str], tuple[Any, ...]]:
        fields = sorted({one.fields[key] for one in some for key in one.faces & one.fields.keys()})
        return lambda card: tuple([some[0].deck.read(card, field) for field in fields])

    return {pile: build_look(some) for pile, some in draws.items()}
