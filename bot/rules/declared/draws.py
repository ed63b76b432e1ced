"""`draw`: draw a card from a deck of the game. The die has as many sides as there are cards left.

The remaining cards are a value of the state, `deck.chances`, that each draw updates, so no card is
drawn twice. Odds count cards together if the later steps read the same of them.
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
from bot.rules.declared.odds_limits import Names, PossibleValues, StateCounter
from bot.rules.declared.pools import Segment
from bot.rules.declared.program import OPEN, Block, KnownValuesPass, Statement, walk_statements
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
    """A statement that draws one card. `to` is `play` if the card goes into play."""

    key: str
    deck: GameDeck
    label: Formula
    to: str = ""

    @property
    def pile(self) -> str:
        """The key of the remaining cards of the deck."""
        return f"{DECK}{self.deck.id}"

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The fields of the card by the keys that hold them."""
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

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        """Leave the card open. The number of remaining cards is known until dice decide whether a
        card is drawn.
        """
        known_pass.meets(self, env)
        pile = env.get(self.pile, OPEN)
        env |= dict.fromkeys(self.sets, OPEN)
        if pile is not OPEN and pile.ready.size:
            env[self.pile] = pile.ready.draw(1)[1]
        return False

    def check(self, known_pass: KnownValuesPass, env: Env, /) -> None:
        """Raise UserError if no card is left for a draw that is sure to happen."""
        pile = env.get(self.pile, OPEN)
        if pile is OPEN or known_pass.unsure or pile.ready.size:
            return
        hint = phrase(
            "`/deck discard` and `/deck shuffle` bring some back; `/deck show {id}` shows the deck.",
            id=self.deck.id,
        )
        raise UserError(
            f"{self.deck.title} has too few cards left to draw.", hint=hint, code="empty-pile"
        )

    def do(self, context: Here, /) -> Do:
        """Stop for a draw: the state holds the values read later, the label and the pile. With an
        empty pile, go on without a card.
        """
        context.sites[self.name] = self, context.rest
        keys = self.keys
        name = self.name
        none = self.card_values[""]
        pile = self.pile
        label = self.label.run
        title = self.deck.title

        def do(env: Env) -> Now | None:
            old_pile: Pile = env[pile]
            env[pile] = ready = old_pile.ready
            if not ready.size:
                env.update(none)
                env[LINES].append(Line(label(env), result=f"no card of {title} is left"))
                return None
            if ready is not old_pile:
                env[LINES].append(
                    Line(title, result="the pile is empty: the discards are shuffled back in")
                )
            return Now(name, (*[env[key] for key in keys], label(env), ready))

        return do

    @cached_property
    def card_values(self) -> Mapping[str, Mapping[str, Any]]:
        """The values that later steps read of each card, by card id and key. The id "" is for no
        card.
        """
        fields_read = [(key, field) for key, field in self.fields.items() if key in self.faces]
        return {
            card: {key: self.deck.read(card, field) for key, field in fields_read}
            for card in ("", *self.deck.names)
        }

    def line(self, label: str, card: str) -> Line:
        """Return the line of the bot's answer that shows the drawn card, given by its id."""
        name = self.deck.names[card]
        words = self.deck.format_words(card)
        return Line(label, result=f"{name} ({words})" if words else name)

    def bound(self, counter: StateCounter, names: Names, states: float, /) -> float:
        """Return the states after the draw: times the number of cards that look different. The
        remaining piles are counted by kind as well.
        """
        states = counter.roll(self.after, names, states)
        kinds = {tuple(self.card_values[card].values()) for card in self.deck.names}
        for key, field in self.fields.items():
            values = {self.deck.read(card, field) for card in ("", *self.deck.names)}
            names[key] = PossibleValues(frozenset(values), len(values))
        pile_size = names.get(self.pile, PossibleValues()).size
        drawn_count = 0
        while (
            comb(drawn_count + len(kinds) - 1, drawn_count) < pile_size
            and drawn_count < 100
            and len(kinds) > 1
        ):
            drawn_count += 1
        names[self.pile] = PossibleValues(
            size=float(comb(drawn_count + len(kinds), drawn_count + 1))
        )
        counter.sure = False
        return states * float(len(kinds) if self.faces & self.fields.keys() else 1)


def read_draw(spec: object, scope: StepScope, path: Path) -> Iterator[Statement]:
    """Read `draw: {card: chances}`, a name for the drawn card and the id of its deck.

    Formulas then read the card's name as `card` and a field such as `ap` as `card.ap`. Raises
    TableError for a name that cannot be used, a deck that cannot be drawn from, and a draw after a
    side was asked.
    """
    sheet = scope.sheet
    decks = scope.sheet.formulas.setting.decks
    for name, text in scope.mapping(spec, path).items():
        item_path = (*path, name)
        match = DRAW.fullmatch(str(text))
        scope.check_name(name, item_path)
        if match is None or "." in name:
            raise scope.make_error(
                f'"{name}: {text}" must be a name and a deck, such as card: chances', item_path
            )
        deck = decks.get(match[1])
        if deck is None:
            problem = f"there is no deck {match[1]} to draw from; one that leads a phase is drawn chit by chit"
            raise scope.make_error(problem, item_path, match[1], decks)
        if "none" in deck.names:
            raise scope.make_error(
                f"a card in {deck.id} has the id none, which means that no card was left", item_path
            )
        if sheet.choices:
            raise scope.make_error(
                "cards must be drawn before a side is asked: put the draw above the choose",
                item_path,
            )
        if name in scope.names and sheet.formulas.cards.get(scope.names[name].key) is not deck:
            raise scope.make_error(
                f"the name {name} is taken; give the card another one", item_path
            )
        label = scope.text(match[3] or deck.title, item_path)
        key = scope.set_name(name, "text")
        sheet.formulas.cards[key] = sheet.decks[deck.id] = deck
        for field, kind in {"id": "text", "name": "text", **deck.kinds}.items():
            scope.names[f"{name}.{field}"] = Name(f"{key}.{field}", kind)
        yield Draw(
            f"{next(sheet.sites):04}", key=key, deck=deck, label=label, to=PLAY if match[2] else ""
        )


class CardOutcome(NamedTuple):
    """The ruling on a card for odds, for any remaining pile. `places` are the indices of the
    state's values that hold the pile; if there are none, `open` leads to one state that all piles
    share.
    """

    ruling: Ruling[Now]
    places: list[int]
    open: Ruling[Now]

    def with_pile(self, pile: Pile) -> Ruling[Now]:
        """Return the ruling with this remaining pile."""
        (next_step, values), outputs, _, _ = self.ruling
        for index in self.places:
            values = (*values[:index], pile, *values[index + 1 :])
        return Ruling(Now(next_step, values), outputs)


class DrawSegment(Segment):
    """The step of a plan that draws a card. Later steps depend on the card and on the values of the
    state, not on the remaining pile. So odds compute the ruling on a card once for all piles.
    """

    __slots__ = ("_draw", "_known")

    def __init__(self, site: Site, pools: Mapping[int, Any]) -> None:
        super().__init__(site, pools)
        self._draw: Draw = self._roll
        self._known: dict[tuple[Any, ...], dict[str, CardOutcome]] = {}

    def rule(self, state: Now, faces: tuple[Any, ...], /) -> Ruling[Now]:
        """Return the ruling on the card drawn; its line comes first. Rulings that `group_rolls`
        made are returned as they are.
        """
        if isinstance(faces, Ruling):
            return faces
        *_, label, pile = state.values
        card, remaining = pile.draw(faces[0])
        ruling = super().rule(state, (card, remaining))
        return ruling._replace(
            build_lines=lambda: [self._draw.line(label, card), *ruling.build_lines()]
        )

    def _lay(self, env: Env, _state: Now, faces: tuple[Any, ...]) -> None:
        card, env[self._draw.pile] = faces
        env.update(self._draw.card_values[card])

    def list_dice(self, state: Now, /) -> tuple[Die, ...]:
        """Return the die for the draw."""
        label, pile = state.values[-2:]
        return (self._draw.deck.build_die(label, pile, self._draw.to),)

    def group_rolls(self, state: Now, /) -> Weighted:
        """Return the ruling on each card with the number of its copies, or only on the card whose
        position is known.
        """
        *_, last = state.values
        outcomes = self._known.setdefault(state.values[:-1], {})
        rulings = list[Any]()
        if isinstance(last, str):
            rulings.append((1, outcomes[last].ruling))
            return tuple(rulings)
        ids, counts, _, _ = last
        place, order = last.turn
        rows = ((place, 1),) if place else zip(ids, counts, strict=True)
        alone = last.size == 1
        for index, (card, count) in enumerate(rows):
            outcome = None if alone else outcomes.get(card)
            if count and outcome and not outcome.places:
                rulings.append((count, outcome.open))
            elif count:
                fewer = counts if place else (*counts[:index], count - 1, *counts[index + 1 :])
                remaining = last._replace(counts=fewer, order=order)
                rulings.append(
                    (
                        count,
                        outcome.with_pile(remaining)
                        if outcome
                        else self._find(state, card, remaining),
                    )
                )
        return tuple(rulings)

    def _find(self, state: Now, card: str, remaining: Pile) -> Ruling[Now]:
        """Return the ruling on a card with this remaining pile, and cache it unless the pile is
        empty.
        """
        ruling = super().rule(state, (card, remaining))
        at_hand = state.values[:-1]
        if remaining.size:
            places = [
                index for index, value in enumerate(ruling.next_state.values) if value is remaining
            ]
            self._known[at_hand][card] = CardOutcome(
                ruling, places, Ruling(Now(state.next_step, (*at_hand, card)))
            )
        return ruling


def find_looks(program: Block) -> dict[str, Callable[[str], tuple[Any, ...]]]:
    """Return for each pile, by key, the function that returns what a program reads of a card."""
    draws: dict[str, list[Draw]] = {}
    for statement in walk_statements(program):
        if isinstance(statement, Draw):
            draws.setdefault(statement.pile, []).append(statement)

    def build_look(deck_draws: list[Draw]) -> Callable[[str], tuple[Any, ...]]:
        fields = sorted(
            {
                statement.fields[key]
                for statement in deck_draws
                for key in statement.faces & statement.fields.keys()
            }
        )
        return lambda card: tuple([deck_draws[0].deck.read(card, field) for field in fields])

    return {pile: build_look(deck_draws) for pile, deck_draws in draws.items()}
