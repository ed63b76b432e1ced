"""A declared sequence as a program: the interface of statements, and the passes that go through a
program.

The kinds of statements are in `let_tell`, `output_steps`, `rolls`, `draws`, `choices` and
`when_each`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from bot.rules.declared.formula import Env, Formula, formulas_in
from bot.rules.declared.formula_functions import OPEN as OPEN
from bot.rules.declared.formula_functions import UNWORKABLE
from bot.rules.declared.interpreter import Do, Here, Keys, build_step_error
from bot.rules.declared.odds_limits import Names, StateCounter
from bot.rules.errors import UserError

NOTHING: Keys = frozenset()
Block: TypeAlias = "tuple[Statement, ...]"


class Statement:
    """One kind of statement: the interface that all passes use.

    A new kind needs a function that reads it from the file (`load.READERS`), `do` for play, and of
    the rest whatever is not so by itself: its formulas are those in its fields, it reads what they
    read, sets nothing, holds no statements, and is kept in play alone.

    >>> steps = [{"roll": {"check": "1d6"}}, {"let": {"held": "check <= 4"}}, {"tell": {"result": "held"}}]
    >>> head = declared.SequenceHead(outputs={"result": "bool"})
    >>> library = declared.Library({"sequences": {"test": {"steps": steps}}}, declared.Setting(""), {"test": head})
    >>> for one in library.load_sequence("test").program:
    ...     print(type(one).__name__, sorted(one.reads), sorted(one.sets))
    Let [] ['told result']
    RollStatement [] ['check', 'check!']
    Let ['check'] ['held']
    Let ['held'] ['result']
    Tell ['result', 'told result'] ['told result']
    """

    tells: ClassVar[bool] = False
    """True if it sets or shows something, so that an end before it matters."""
    ends: ClassVar[bool] = False
    """True if the sequence may end in it."""

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """Its formulas, without those of inner statements."""
        return tuple(formulas_in([*vars(self).values()]))

    @property
    def sets(self) -> Keys:
        """The keys that it sets itself, without inner statements."""
        return NOTHING

    def blocks(self) -> tuple[Block, ...]:
        """Return the inner blocks: branches, or the steps of a loop."""
        return ()

    @cached_property
    def reads(self) -> Keys:
        """The keys that its own formulas read."""
        return frozenset(key for formula in self.formulas for key in formula.reads)

    @cached_property
    def rolls(self) -> bool:
        """True if dice are rolled in it."""
        return any(statement.rolls for block in self.blocks() for statement in block)

    @cached_property
    def assigns(self) -> Keys:
        """The keys that are set anywhere in it."""
        return self.sets.union(
            *(statement.assigns for block in self.blocks() for statement in block)
        )

    def get_keys_read_before(self, live: Keys) -> Keys:
        """Return the keys that are read from this statement on, if `live` are read after it."""
        return live - self.sets | self.reads

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """Return whether the slicer keeps it, given what comes after it."""
        return slicer.asked is None

    def slice(self, slicer: Slicer) -> Block:
        """Return the part of it that is needed, and move the slicer before it."""
        if not self.is_wanted(slicer):
            return ()
        simplified = self.simplify(slicer)
        slicer.live = simplified.get_keys_read_before(slicer.live)
        slicer.tells = slicer.tells or self.tells
        return (simplified,)

    def simplify(self, _slicer: Slicer, /) -> Statement:
        """Return the statement reduced by what the slicer knows of the later ones."""
        return self

    def map_blocks(self, _make: Callable[[Block], Block], /) -> Statement:
        """Return the statement with `_make` applied to its inner blocks."""
        return self

    def run_partly(self, known_pass: KnownValuesPass, env: Env, /) -> bool:
        """Run the statement as far as `env` has known values, for the pass `known_pass`.

        Return True if the sequence certainly ends in this statement.
        """
        known_pass.meets(self, env)
        return False

    def check(self, known_pass: KnownValuesPass, env: Env, /) -> None:
        """Raise UserError for a fault that known values show before the first die."""

    def do(self, context: Here, /) -> Do:
        """Return the function that runs it at this position, in play and odds."""
        raise NotImplementedError

    def bound(self, counter: StateCounter, _names: Names, states: float, /) -> float:
        """Return the number of states after the statement for `states` before it. Updates the
        possible values in `names`.
        """
        counter.sure = False
        return states


def walk_statements(block: Iterable[Statement]) -> Iterator[Statement]:
    """Yield the statements of a block at every depth, outer ones first."""
    for statement in block:
        yield statement
        for below in statement.blocks():
            yield from walk_statements(below)


# -- what is needed


@dataclass
class Slicer:
    """A backward pass that keeps the statements that the outputs `asked` need; None keeps
    everything for play.
    """

    asked: frozenset[str] | None
    live: Keys = NOTHING
    """The keys that the kept statements read before they set them."""
    tells: bool = False
    """True if any kept statement sets or shows something."""
    live_after: list[Keys] = field(default_factory=list)
    """The keys that are read after each of the loops around the current position."""

    def block(self, block: Block) -> Block:
        """Return the block without the statements that nothing after them needs.

        It goes from the last statement to the first, and adds what those that stay read to what the
        slicer knows to be needed.
        """
        statements: list[Statement] = []
        for statement in reversed(block):
            statements[:0] = statement.slice(self)
        return tuple(statements)


# -- as far as values are known


def make_undecided_error(subject: str) -> UserError:
    """Return the error for something that a roll would have to decide."""
    return UserError(
        "A roll cannot decide this part of a sequence.", hint=subject, code="card-refuses"
    )


def evaluate_known(formula: Formula, env: Env) -> Any:
    """Return the value of a formula, open if it depends on an open value. `and` and `if` need only
    the parts that decide them.
    """
    for key in formula.reads:
        if env.get(key, OPEN) is OPEN:
            break
    else:
        return formula.run(env)
    if formula.kind == "if":
        test, body, alternative = formula.parts
        value = evaluate_known(test, env)
        return OPEN if value is OPEN else evaluate_known(body if value else alternative, env)
    if formula.kind == "and":
        for part in formula.parts:
            value = evaluate_known(part, env)
            if value is OPEN or not value:
                return OPEN if value is OPEN else False
        return True
    return OPEN


class KnownValuesPass:
    """A pass that runs a program as far as its values are known.

    A value that dice will decide is open. If an open value chooses a branch, both are run, and
    whatever one of them changes is open afterwards. Statements call `meets` and `enters` on the
    way.
    """

    dice: int = 0
    """The number of dice that are certainly rolled."""
    unsure: int = 0
    """More than 0 if the current step may not be reached."""

    def value(self, formula: Formula, env: Env) -> Any:
        """Return the value of a formula, or open. Raises UserError if its values do not fit."""
        try:
            return evaluate_known(formula, env)
        except UNWORKABLE as error:
            raise build_step_error((formula,), env, error) from None

    def block(self, block: Block, env: Env) -> bool:
        """Return whether the sequence surely ends in the block; `env` changes with it."""
        for statement in block:
            if statement.run_partly(self, env):
                return True
        return False

    def meets(self, statement: Statement, env: Env, /) -> None:
        """Handle a statement that sets an output, rolls or refuses. The default does nothing."""

    def enters(self, statement: Statement, number: int, env: Env, /) -> None:
        """Handle the start of an item of a loop. The default does nothing."""


def open_changed_keys(env: Env, keys: Iterable[str], *branches: Env) -> None:
    """Make those of the keys open that any branch has changed."""
    for key in keys:
        old_value = env.get(key)
        for branch in branches:
            value = branch.get(key)
            same = (
                value.__class__ in (str, int, bool)
                and value.__class__ is old_value.__class__
                and value == old_value
            )
            if value is not old_value and not same:
                env[key] = OPEN
