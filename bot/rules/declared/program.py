"""A declared sequence as a small program: steps without their YAML, each value under the key of its name."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

from bot.rules.declared.closures import Scope, variable
from bot.rules.declared.formulas import Formula, called_with
from bot.rules.declared.load import Each, Parsed, Refusal
from bot.rules.declared.running import ADDED, OWN_DROP, OWN_GET, OWN_SET, PROGRAM
from bot.rules.declared.setting import Path, Setting
from bot.rules.declared.types import FACES

Keys = frozenset[str]
NOTHING: Keys = frozenset()
ALWAYS = ("true", "True")
"""How a formula that always holds is written."""


@dataclass(frozen=True)
class Let:
    """A value under its key. `drops` forgets what one item of a list has kept, once nothing reads it any more."""

    key: str
    value: Formula
    drops: bool = False


@dataclass(frozen=True)
class Tell:
    """An output, in a list at the places `within`; `once` is the key that remembers that a list has told it already."""

    name: str
    within: tuple[tuple[str, str], ...]
    value: Formula
    once: str = ""
    where: Path = ()
    null: bool = False
    """Whether none is told as null."""

    @property
    def path(self) -> str:
        """The path of the output without the places of items: `targets.damage.status`."""
        return ".".join(filter(None, [*(name for name, _ in self.within), self.name]))


@dataclass(frozen=True)
class Say:
    """A line of the answer."""

    ready: Mapping[str, Any]
    reads: Keys


@dataclass(frozen=True)
class Take:
    """A note for the end."""

    kind: str
    ready: Mapping[str, Any]
    reads: Keys


@dataclass(frozen=True)
class Refuse:
    """The inputs are refused."""

    refusal: Refusal
    reads: Keys


@dataclass(frozen=True)
class Roll:
    """Dice. `after` are the keys that are read once they have fallen, besides theirs; `faces` those of its own."""

    site: int
    dice: tuple[tuple[str, Formula, Formula, Formula], ...]
    loops: tuple[str, ...] = ()
    after: Keys = NOTHING
    faces: Keys = NOTHING

    @cached_property
    def keys(self) -> Keys:
        """The keys that it sets: the sums, and the single faces."""
        return frozenset(key + ending for key, *_ in self.dice for ending in ("", FACES))


@dataclass(frozen=True)
class If:
    """Two ways to go on. `after` are the keys that are read after both."""

    when: Formula
    then: Block
    other: Block
    rolls: bool = False
    after: Keys = NOTHING


@dataclass(frozen=True)
class For:
    """Steps for each item of a list. `number` is the key of the item's place, `items` that of the list.

    `head` are the keys that are read from each item on, `after` those that are read after the last.
    """

    id: int
    each: Each
    items: str
    number: str
    only: str
    body: Block
    rolls: bool = False
    row: tuple[Formula, str, Formula | None] | None = None
    within: tuple[tuple[str, str], ...] = ()
    deep: int = 1
    head: Keys = NOTHING
    after: Keys = NOTHING
    asked: str = ""
    """The key of the places that odds ask for, where nothing but the items at these is of any use."""


@dataclass(frozen=True)
class Stop:
    """The sequence ends here, if it holds."""

    when: Formula


Statement: TypeAlias = "Let | Tell | Say | Take | Refuse | Roll | If | For | Stop"
Block: TypeAlias = tuple[Statement, ...]


def has_roll(statement: Statement) -> bool:
    """Whether dice fall in it."""
    return isinstance(statement, Roll) or (isinstance(statement, If | For) and statement.rolls)


def loops_in(block: Block) -> Iterator[For]:
    """The lists that are gone through."""
    for one in block:
        if isinstance(one, If):
            yield from loops_in(one.then + one.other)
        elif isinstance(one, For):
            yield one
            yield from loops_in(one.body)


def reading(key: str) -> Formula:
    """A formula that is a name and no more."""
    return Formula((key,), variable(key), source=key)


def synthetic(reads: Iterable[str], name: str, *arguments: ast.expr, scope: Scope = PROGRAM) -> Formula:
    """A call that no formula can write."""
    return Formula(tuple(dict.fromkeys(reads)), called_with(name, list(arguments)), scope, source=name, own=False)


def begins_as(value: ast.expr) -> Formula:
    """The value of a key before the first step."""
    return Formula((), value, own=False)


def formulas_in(ready: Any) -> Iterator[Formula]:
    """All formulas in a line or note."""
    if isinstance(ready, Formula):
        yield ready
    elif isinstance(ready, Mapping):
        for value in ready.values():
            yield from formulas_in(value)
    elif isinstance(ready, list | tuple):
        for value in ready:
            yield from formulas_in(value)


def reads_of(ready: Any) -> Keys:
    """The keys that they read."""
    return frozenset(key for formula in formulas_in(ready) for key in formula.reads)


def all_formulas(block: Block) -> Iterator[Formula]:
    """Every formula of a program."""
    for one in block:
        if isinstance(one, Let | Tell):
            yield one.value
        elif isinstance(one, Say | Take):
            yield from formulas_in(one.ready)
        elif isinstance(one, Refuse):
            yield from (one.refusal.say, *one.refusal.hint, one.refusal.option)
        elif isinstance(one, Roll):
            yield from formulas_in(one.dice)
        elif isinstance(one, If):
            yield one.when
            yield from all_formulas(one.then + one.other)
        elif isinstance(one, Stop):
            yield one.when
        elif isinstance(one, For):
            yield from formulas_in((one.each.items, one.each.only, one.each.row))
            yield from all_formulas(one.body)


@dataclass(frozen=True)
class Around:
    """Where a step is: the places of the items it is in, the loops, and how deep it is."""

    within: tuple[tuple[str, str], ...] = ()
    loops: tuple[str, ...] = ()


@dataclass
class Builder:
    """Makes the program of the steps of one sequence; `lists` are its list outputs."""

    lists: frozenset[str]
    setting: Setting
    scope: Scope
    sites: int = 0
    fors: int = 0
    kept: dict[str, None] = field(default_factory=dict)
    once: dict[str, None] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    """Outputs that several steps tell, each on ways of its own as it seems."""

    def program(self, steps: list[Parsed]) -> Block:
        """The whole program."""
        body = self.block(steps, Around())
        self._tell_once(body)
        if self.again:
            self.sites = self.fors = 0
            body = self.block(steps, Around())
        start = [Let(key, begins_as(ast.Tuple([], ast.Load()))) for key in self.kept]
        start += [Let(key, begins_as(ast.Constant(False))) for key in self.once]
        return (*start, *body)

    def block(self, steps: list[Parsed], around: Around) -> Block:
        """Steps in their order."""
        return tuple(statement for step in steps for statement in self.step(step, around))

    def step(self, step: Parsed, around: Around) -> Iterator[Statement]:
        """One step: each item of its list, if it holds, what it does."""
        if step.each is not None:
            yield from self._each(step, step.each, around)
            return
        if step.when is None:
            yield from self._body(step, around)
        else:
            body, other = tuple(self._body(step, around)), self.block(step.other, around)
            yield If(step.when, body, other, any(map(has_roll, body + other)))

    def _each(self, step: Parsed, each: Each, around: Around) -> Iterator[Statement]:
        self.fors += 1
        id = self.fors
        number, items, only = f"number {id}", f"items {id}", f"only {id}" if each.only is not None else ""
        place = ("", "") if each.into not in self.lists else (each.into, "" if only else number)
        within = (*around.within, place) if place[0] else around.within
        inside = Around(within, (*around.loops, number))
        body: list[Statement] = []
        for mine in each.own:
            kept = f"own {each.items.source} {mine}"
            self.kept[kept] = None
            called = ast.Constant(f"{each.items.source} {mine}")
            get = synthetic((kept, number), OWN_GET, variable(kept), variable(number), called)
            drop = synthetic((kept, number), OWN_DROP, variable(kept), variable(number))
            body += [Let(f"{each.key}.{mine}", get), Let(kept, drop, drops=True)]
        inner = tuple(self.step(replace_each(step), inside))
        body += inner
        for mine in each.own:
            key, kept = f"{each.key}.{mine}", f"own {each.items.source} {mine}"
            if key in assigned(inner):
                reads = (variable(kept), variable(number), variable(key))
                body.append(Let(kept, synthetic((kept, number, key), OWN_SET, *reads)))
        for key in each.held:
            yield Let(f"held {id} {key}", reading(key))
        rolls = any(map(has_roll, body))
        row = each.row if place[0] else None
        deep = len(inside.loops)
        yield For(id, each, items, number, only, tuple(body), rolls, row, within, deep)
        for key in each.held:
            yield Let(key, reading(f"held {id} {key}"))

    def _body(self, step: Parsed, around: Around) -> Iterator[Statement]:
        if step.refuse is not None:
            said = (step.refuse.say, step.refuse.hint, step.refuse.option)
            yield Refuse(step.refuse, reads_of(said))
        if step.rolls:
            self.sites += 1
            yield Roll(self.sites, tuple(step.rolls), around.loops)
        for key, value in step.values:
            yield Let(key, value)
        for key, label, value, fresh in step.adds:
            before = ast.Tuple([], ast.Load()) if fresh else variable(key)
            reads = (*label.reads, *value.reads, *(() if fresh else (key,)))
            yield Let(key, synthetic(reads, ADDED, before, label.tree, value.tree, scope=self.scope))
        for told in step.tells:
            value = told.value
            if told.key:
                yield Let(told.key, value)
                value = reading(told.key)
            once = ""
            if not told.of_item and (around.loops or told.name in self.again):
                once = f"told {told.name}"
                self.once[once] = None
            within = around.within if told.of_item else ()
            yield Tell("" if told.plain else told.name, within, value, once, told.where, told.null)
            if once:
                yield Let(once, begins_as(ast.Constant(True)))
        yield from (Say(ready, reads_of(ready)) for ready in step.lines)
        yield from (Take(kind, ready, reads_of(ready)) for kind, ready in step.notes)
        yield from (Let(key, value) for key, value in step.lets)
        yield from self.block(step.inner, around)
        yield from (Let(key, value) for key, value in step.gives)
        if step.stop is not None:
            yield Stop(step.stop)

    def _tell_once(self, block: Block) -> None:
        """Note the outputs that may be told twice. Raises TableError for one that is, on every way to the second."""
        self._told(block, frozenset(), frozenset())

    def _told(self, block: Block, surely: Keys, perhaps: Keys) -> tuple[Keys, Keys, bool]:
        """What is told for sure and perhaps after the block, and whether the sequence ends in it."""
        for one in block:
            if isinstance(one, Stop):
                if one.when.source in ALWAYS:
                    return surely, perhaps, True
            elif isinstance(one, Tell) and one.where:
                if one.path in surely:
                    raise self.setting.wrong(f"{one.path} is told twice", one.where)
                if one.path in perhaps:
                    self.again.add(one.name)
                surely, perhaps = surely | {one.path}, perhaps | {one.path}
            elif isinstance(one, If):
                ways = [self._told(way, surely, perhaps) for way in (one.then, one.other)]
                goes_on = [way for way in ways if not way[2]]
                if not goes_on:
                    return surely, perhaps, True
                surely = frozenset.intersection(*(way[0] for way in goes_on))
                perhaps = frozenset.union(*(way[1] for way in goes_on))
            elif isinstance(one, For):
                perhaps |= self._told(one.body, surely, perhaps)[1]
        return surely, perhaps, False


def replace_each(step: Parsed) -> Parsed:
    """The step without its list: what is done for one item."""
    return replace(step, each=None)


def assigned(block: Block) -> dict[str, None]:
    """The keys that are set somewhere in the block."""
    keys: dict[str, None] = {}
    for one in block:
        if isinstance(one, Let):
            keys[one.key] = None
        elif isinstance(one, Roll):
            keys |= dict.fromkeys(one.keys)
        elif isinstance(one, If):
            keys |= assigned(one.then) | assigned(one.other)
        elif isinstance(one, For):
            keys |= dict.fromkeys((one.items, one.number, one.each.key, one.each.at)) | assigned(one.body)
            if one.only:
                keys[one.only] = None
    return keys


def before_dice(block: Block, inputs: Iterable[str]) -> Keys:
    """The keys that are set only before the first die, so that every step after it may look at them."""
    early, late, _ = _early(block, False)
    return (frozenset(early) | frozenset(inputs)) - frozenset(late)


def _early(block: Block, fallen: bool) -> tuple[set[str], set[str], bool]:
    early: set[str] = set()
    late: set[str] = set()
    for one in block:
        here = late if fallen else early
        if isinstance(one, Let):
            here.add(one.key)
        elif isinstance(one, Roll):
            late |= one.keys
            fallen = True
        elif isinstance(one, If):
            for way in (one.then, one.other):
                first, then, fallen = _early(way, fallen)
                early, late = early | first, late | then
        elif isinstance(one, For):
            here.add(one.items)
            here |= {one.only} - {""}
            inside = fallen or one.rolls
            (late if inside else early).update((one.number, one.each.key, one.each.at))
            first, then, _ = _early(one.body, inside)
            early, late, fallen = early | first, late | then, inside
    return early, late, fallen
