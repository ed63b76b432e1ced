"""A declared sequence as a small program: what every kind of statement says of itself, and what is
found out of that.

The kinds are in `values` (let, add, tell, stop, refuse), `answer_lines` (say, result, change ...),
`rolls`, `draws`, `choices` and `branches`.
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
from bot.rules.declared.odds_limits import Counter, Names
from bot.rules.errors import UserError

NOTHING: Keys = frozenset()
Block: TypeAlias = "tuple[Statement, ...]"


class Statement:
    """One kind of statement: what a step of the file comes to, and all that is ever asked of it.

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
    """Whether it tells or says something, so that it matters when the sequence ends."""
    ends: ClassVar[bool] = False
    """Whether the sequence may end in it."""

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """Its formulas, but for those of statements in it."""
        return tuple(formulas_in([*vars(self).values()]))

    @property
    def sets(self) -> Keys:
        """The keys that it sets by itself."""
        return NOTHING

    def blocks(self) -> tuple[Block, ...]:
        """The statements in it: ways to go on, or what is done for each item."""
        return ()

    @cached_property
    def reads(self) -> Keys:
        """The keys that its own formulas read."""
        return frozenset(key for formula in self.formulas for key in formula.reads)

    @cached_property
    def rolls(self) -> bool:
        """Return whether dice fall in it."""
        return any(one.rolls for block in self.blocks() for one in block)

    @cached_property
    def assigns(self) -> Keys:
        """The keys that are set somewhere in it."""
        return self.sets.union(*(one.assigns for block in self.blocks() for one in block))

    def get_keys_read_before(self, live: Keys) -> Keys:
        """The keys that are read from it on, if `live` are read after it."""
        return live - self.sets | self.reads

    def is_wanted(self, slicer: Slicer, /) -> bool:
        """Return whether it is kept before what the slicer has seen so far."""
        return slicer.asked is None

    def slice(self, slicer: Slicer) -> Block:
        """What is needed of it; the slicer goes on to what comes before it."""
        if not self.is_wanted(slicer):
            return ()
        kept = self.simplify(slicer)
        slicer.live = kept.get_keys_read_before(slicer.live)
        slicer.tells = slicer.tells or self.tells
        return (kept,)

    def simplify(self, _slicer: Slicer, /) -> Statement:
        """The same with what the slicer knows of what follows it."""
        return self

    def map_blocks(self, _make: Callable[[Block], Block], /) -> Statement:
        """The same with other statements in it."""
        return self

    def run_partly(self, partial: Partial, env: Env, /) -> bool:
        """Go through it as far as values are known; returns whether the sequence surely ends in
        it.
        """
        partial.meets(self, env)
        return False

    def check(self, partial: Partial, env: Env, /) -> None:
        """Raise UserError for what is wrong as far as values are known, before any die falls."""

    def do(self, here: Here, /) -> Do:
        """What carries it out in play and odds, where it is."""
        raise NotImplementedError

    def bound(self, counter: Counter, _names: Names, states: float, /) -> float:
        """Return how many states come to its end, if `states` come to it; the `names` change with
        it.
        """
        counter.sure = False
        return states


def walk_statements(block: Iterable[Statement]) -> Iterator[Statement]:
    """The statements of a block, with all those in them."""
    for one in block:
        yield one
        for below in one.blocks():
            yield from walk_statements(below)


# -- what is needed


@dataclass
class Slicer:
    """Goes through a program from its end, and keeps what the outputs `asked` need; in play
    (None) all that is said.
    """

    asked: frozenset[str] | None
    live: Keys = NOTHING
    """The keys that are read by what is kept so far, before any of it sets these."""
    tells: bool = False
    """Whether anything of that is told."""
    live_after: list[Keys] = field(default_factory=list)
    """What is read after each of the lists that are gone through."""

    def block(self, block: Block) -> Block:
        """The block as far as it is needed."""
        kept: list[Statement] = []
        for one in reversed(block):
            kept[:0] = one.slice(self)
        return tuple(kept)


# -- as far as values are known


def make_undecided_error(what: str) -> UserError:
    """The error for what a roll would have to decide."""
    return UserError(
        "A roll cannot decide this part of a sequence.", hint=what, code="card-refuses"
    )


def evaluate_known(formula: Formula, env: Env) -> Any:
    """What a formula comes to, open where a value that it needs is; `and` and `if` need what
    decides them.
    """
    for key in formula.reads:
        if env.get(key, OPEN) is OPEN:
            break
    else:
        return formula.run(env)
    if formula.kind == "if":
        test, then, other = formula.parts
        found = evaluate_known(test, env)
        return OPEN if found is OPEN else evaluate_known(then if found else other, env)
    if formula.kind == "and":
        for part in formula.parts:
            found = evaluate_known(part, env)
            if found is OPEN or not found:
                return OPEN if found is OPEN else False
        return True
    return OPEN


class Partial:
    """Goes through a program as far as its values are known.

    A value that dice will decide is open. Both ways are gone through where an open value chooses;
    what one of them has changed is open from there on. `meets` and `enters` are what statements
    call on the way.
    """

    dice: int = 0
    """How many dice surely fall."""
    unsure: int = 0
    """More than 0 where it is not sure that a step is come to."""

    def value(self, formula: Formula, env: Env) -> Any:
        """What a formula comes to, open where that is. Raises UserError where it makes no sense
        of its values.
        """
        try:
            return evaluate_known(formula, env)
        except UNWORKABLE as error:
            raise build_step_error((formula,), env, error) from None

    def block(self, block: Block, env: Env) -> bool:
        """Return whether the sequence surely ends in the block; `env` changes with it."""
        for one in block:
            if one.run_partly(self, env):
                return True
        return False

    def meets(self, one: Statement, env: Env, /) -> None:
        """Called for what tells, rolls and refuses."""

    def enters(self, one: Statement, number: int, env: Env, /) -> None:
        """Called for each item of a list."""


def open_changed_keys(env: Env, keys: Iterable[str], *ways: Env) -> None:
    """Make open what any of the ways has changed, which can be no others than these keys."""
    for key in keys:
        before = env.get(key)
        for way in ways:
            value = way.get(key)
            same = (
                value.__class__ in (str, int, bool)
                and value.__class__ is before.__class__
                and value == before
            )
            if value is not before and not same:
                env[key] = OPEN
