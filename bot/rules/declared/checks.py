"""Code that asks, before any die falls, all that inputs alone decide: what is refused or lacking, and the rows of odds.

A value that dice will decide is open. Both ways are gone through where an open value chooses; what one of them has
changed is open from there on.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.rules.declared.failing import may_fail
from bot.rules.declared.formulas import Formula, variable
from bot.rules.declared.needed import dice_decide, stops
from bot.rules.declared.program import (
    ALWAYS,
    NOTHING,
    Block,
    For,
    If,
    Keys,
    Let,
    Refuse,
    Roll,
    Statement,
    Stop,
    assigned,
)
from bot.rules.declared.source import append, call, function, let, made, name, path_to, plain_loop, row, same, value_of

OPEN = name("open")


def early_checks(
    program: Block, file: str, scope: Mapping[str, Any]
) -> tuple[Callable[..., None], tuple[str, ...]] | None:
    """The function that refuses inputs before the dice, and the inputs that it reads.

    None where whoever plays meets everything before the first die anyway.
    """
    checks = Checks(dice_decide(program))
    checks.follow(program, frozenset())
    if not checks.late(program, False)[0]:
        return None
    kept, live = checks.block(program, frozenset())
    return checks.code(kept, live, file, scope)


def early_rows(
    program: Block, file: str, scope: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[str, ...]] | None:
    """The function that lists the units whose odds are shown, and the inputs that it reads, or None."""
    checks = Checks(dice_decide(program), rows=True)
    checks.follow(program, frozenset())
    kept, live = checks.block(program, frozenset())
    return checks.code(kept, live, file, scope) if kept else None


@dataclass
class Checks:
    """Keeps what may refuse inputs, or the rows, and writes the code. `dice` are the keys that dice may decide."""

    dice: Keys
    rows: bool = False
    always: Keys = NOTHING
    """The keys that are open at the statement at hand, whatever the inputs."""
    _at: dict[int, Keys] = field(default_factory=dict)
    _temporary: int = 0
    _flags: bool = False
    """Whether the sequence may stop within an open choice."""

    # -- what is open where

    def follow(self, block: Block, always: Keys) -> Keys | None:
        """Note what is open at each statement. Returns what is open after them, None where the sequence has ended."""
        for one in block:
            self.always = self._at[id(one)] = always
            if isinstance(one, Let):
                always = always | {one.key} if self._open(one.value) else always - {one.key}
            elif isinstance(one, Roll):
                always |= one.keys
            elif isinstance(one, Stop) and one.when.source in ALWAYS:
                return None
            elif isinstance(one, If):
                ways = [self.follow(way, always) for way in (one.then, one.other)]
                goes_on = [way for way in ways if way is not None]
                if not goes_on:
                    return None
                always = frozenset.intersection(*goes_on)
            elif isinstance(one, For):
                inside = always - frozenset(assigned((one,)))
                after = self.follow(one.body, inside)
                always = inside if after is None else inside & after
        return always

    # -- what is kept

    def block(self, block: Block, live: Keys) -> tuple[Block, Keys]:
        """The part of the block that is kept, and the keys that are read from its beginning on."""
        kept: list[Statement] = []
        for one in reversed(block):
            found, live = self._one(one, live)
            kept[:0] = found
        return tuple(kept), live

    def _one(self, one: Statement, live: Keys) -> tuple[Block, Keys]:
        self.always = self._at[id(one)]
        if isinstance(one, Let):
            if one.drops or not (one.key in live or self._fails(one.value)):
                return (), live
            return (one,), live - {one.key} | self._reads(one.value)
        if isinstance(one, Refuse) and not self.rows:
            return (one,), live | one.reads
        if isinstance(one, Roll):
            specs = () if self.rows else _to_ask(one)
            kept = (one,) if specs or one.keys & live else ()
            return kept, live - one.keys | frozenset(key for spec in specs for key in self._reads(spec))
        if isinstance(one, Stop):
            return ((one,), live | self._reads(one.when)) if not self._open(one.when) else ((), live)
        if isinstance(one, If):
            then, first = self.block(one.then, live)
            other, second = self.block(one.other, live)
            self.always = self._at[id(one)]
            if all(isinstance(below, Stop) for below in then + other) and self._open(one.when):
                then = other = ()
            if not then and not other and not self._fails(one.when):
                return (), live
            new = replace(one, then=then, other=other)
            self._at[id(new)] = self.always
            return (new,), live | first | second | self._reads(one.when)
        return self._for(one, live) if isinstance(one, For) else ((), live)

    def _for(self, one: For, live: Keys) -> tuple[Block, Keys]:
        head = live
        own = {one.number, one.items, one.only, one.each.key, one.each.at}
        body, inside = self.block(one.body, head)
        while not inside - own <= head:
            head |= inside - own
            body, inside = self.block(one.body, head)
        self.always = self._at[id(one)]
        row = one.row if self.rows else None
        only = one.each.only
        if not body and row is None and not (self._list_fails(one) and not self.rows):
            return (), live
        reads = self._reads(one.each.items) | (self._reads(only) if only else frozenset())
        if row is not None:
            reads |= (frozenset(row[0].reads) | frozenset(row[2].reads if row[2] else ())) - own
        new = replace(one, body=body, row=row, head=head)
        self._at[id(new)] = self.always
        return (new,), (head | reads) - {one.number, one.items, one.only}

    def _fails(self, formula: Formula) -> bool:
        """Whether what inputs decide of it may have no value."""
        if self.rows or self._open(formula):
            return False
        if formula.kind == "if":
            return any(map(self._fails, formula.parts))
        if formula.kind == "and":
            open_at = next((at for at, part in enumerate(formula.parts) if self._open(part)), len(formula.parts))
            return any(map(self._fails, formula.parts[:open_at]))
        return may_fail(formula.tree) and not self.always & set(formula.reads)

    def _open(self, formula: Formula) -> bool:
        """Whether dice decide it, whatever the inputs."""
        if formula.kind:
            return self._open(formula.parts[0])
        return bool(self.always & set(formula.reads))

    def _reads(self, formula: Formula) -> Keys:
        """What is read of it: nothing where dice decide it anyway."""
        if self._open(formula):
            return frozenset()
        return frozenset(formula.reads) - self.always

    def late(self, program: Block, fallen: bool) -> tuple[bool, bool]:
        """Whether anything after a roll may refuse the inputs, and whether dice have fallen by the end."""
        found = False
        for one in program:
            self.always = self._at[id(one)]
            if isinstance(one, Roll):
                found |= fallen and bool(_to_ask(one))
                fallen = True
            elif isinstance(one, If):
                found |= fallen and self._fails(one.when)
                for way in (one.then, one.other):
                    inside, fallen = self.late(way, fallen)
                    found |= inside
            elif isinstance(one, For):
                fallen |= one.rolls
                found |= fallen and self._list_fails(one)
                found |= self.late(one.body, fallen)[0]
            elif fallen and not (isinstance(one, Let) and one.drops):
                found |= isinstance(one, Refuse) or (isinstance(one, Let) and self._fails(one.value))
        return found, fallen

    def _list_fails(self, one: For) -> bool:
        only = one.each.only
        return self._fails(one.each.items) or (only is not None and self._fails(only)) or one.deep > 1

    # -- its code

    def code(
        self, kept: Block, live: Keys, file: str, scope: Mapping[str, Any]
    ) -> tuple[Callable[..., Any], tuple[str, ...]]:
        """The function, and the inputs that it reads."""
        inputs = tuple(sorted(live))
        unset = sorted(assigned(kept).keys() - live)
        self._flags = self._stops_apart(kept, False)
        body: list[ast.stmt] = [let(name("rows"), ast.List([], ast.Load()))]
        body += [let(name("ended"), ast.Constant(False))] if self._flags else []
        body += [let(variable(key), ast.Constant(None)) for key in unset]
        body += [*self._emit(kept), ast.Return(name("rows"))]
        return made([function("check", map(variable, inputs), body)], file, scope, "check"), inputs

    def _stops_apart(self, block: Block, forked: bool) -> bool:
        """Whether the sequence may stop within an open choice."""
        for one in block:
            if isinstance(one, Stop) and forked:
                return True
            if isinstance(one, If):
                deeper = forked or bool(frozenset(one.when.reads) & self.dice)
                if self._stops_apart(one.then, deeper) or self._stops_apart(one.other, deeper):
                    return True
            if isinstance(one, For) and self._stops_apart(one.body, forked or one.each.only is not None):
                return True
        return False

    def _value(self, formula: Formula) -> ast.expr:
        """The formula, open where a value that it needs is open; `and` and `if` need no more than decides them."""
        if formula.kind == "if":
            test, then, other = formula.parts
            return self._chosen(test, self._value(then), self._value(other))
        if formula.kind == "and":
            return self._both(formula.parts)
        if self.always & set(formula.reads):
            return OPEN
        return self._unless_open(formula, value_of(formula))

    def _both(self, parts: tuple[Formula, ...]) -> ast.expr:
        if not parts:
            return ast.Constant(True)
        return self._chosen(parts[0], self._both(parts[1:]), ast.Constant(False))

    def _chosen(self, test: Formula, then: ast.expr, other: ast.expr) -> ast.expr:
        """One or the other, as the test decides; open where that is."""
        if self._open(test):
            return OPEN
        if not test.kind:
            return self._unless_open(test, ast.IfExp(value_of(test), then, other))
        kept = name(f"test {self._next()}")
        found = ast.NamedExpr(ast.Name(kept.id, ast.Store()), self._value(test))
        return ast.IfExp(same(found, OPEN), OPEN, ast.IfExp(kept, then, other))

    def _next(self) -> int:
        self._temporary += 1
        return self._temporary

    def _unless_open(self, formula: Formula, value: ast.expr) -> ast.expr:
        loose = [same(variable(key), OPEN) for key in formula.reads if key in self.dice]
        if not loose:
            return value
        test = loose[0] if len(loose) == 1 else ast.BoolOp(ast.Or(), loose)
        return ast.IfExp(test, OPEN, value)

    def _emit(self, block: Block) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        guarded: list[ast.stmt] | None = None
        for one in block:
            found = self._statement(one)
            if guarded is None:
                out += found
            else:
                guarded += found
            if self._flags and stops((one,)):
                guarded = []
                out.append(ast.If(ast.UnaryOp(ast.Not(), name("ended")), guarded, []))
        return [part for part in out if not isinstance(part, ast.If) or part.body]

    def _statement(self, one: Statement) -> list[ast.stmt]:
        self.always = self._at[id(one)]
        if isinstance(one, Let):
            return [let(variable(one.key), self._value(one.value))]
        if isinstance(one, Refuse):
            said = one.refusal
            pieces = [self._value(said.say), row(map(self._value, said.hint)), self._value(said.option)]
            return [ast.Expr(call("refuse", *pieces, ast.Constant(said.code)))]
        if isinstance(one, Roll):
            out: list[ast.stmt] = []
            if not self.rows and _to_ask(one):
                asked = row(row(map(self._value, three)) for _, *three in one.dice)
                out.append(ast.Expr(call("dice_of", asked)))
            return out + [let(variable(key), OPEN) for key in sorted(one.keys)]
        if isinstance(one, Stop):
            kept = name(f"stop {self._next()}")
            holds = ast.BoolOp(ast.And(), [ast.Compare(kept, [ast.IsNot()], [OPEN]), kept])
            ends: ast.stmt = let(name("ended"), ast.Constant(True))
            if not self._flags:
                ends = ast.Return(name("rows"))
            return [let(kept, self._value(one.when)), ast.If(holds, [ends], [])]
        if isinstance(one, If):
            return self._if(one)
        assert isinstance(one, For)
        return self._loop(one)

    def _if(self, one: If) -> list[ast.stmt]:
        test = self._value(one.when)
        then, other = self._emit(one.then), self._emit(one.other)
        if not frozenset(one.when.reads) & self.dice:
            return [ast.If(test, then or [ast.Pass()], other)]
        at = self._next()
        when = name(f"when {at}")
        is_open = same(when, OPEN)
        keys = [variable(key) for key in sorted({**assigned(one.then), **assigned(one.other)})]
        keys += [name("ended")] if self._flags else []
        was = [name(f"was {at} {number}") for number in range(len(keys))]
        now = [name(f"now {at} {number}") for number in range(len(keys))]
        joined: list[ast.stmt] = []
        for key, before, after in zip(keys, was, now, strict=True):
            if key.id == "ended ":
                joined.append(let(key, ast.BoolOp(ast.And(), [after, key])))
                continue
            equal = ast.BoolOp(ast.And(), [same(key, before), same(after, before)])
            joined.append(let(key, ast.IfExp(equal, key, OPEN)))
        return [
            let(when, test),
            *(let(before, key) for before, key in zip(was, keys, strict=True)),
            ast.If(when, then or [ast.Pass()], []),
            ast.If(
                is_open, [part for n, k, w in zip(now, keys, was, strict=True) for part in (let(n, k), let(k, w))], []
            ),
            ast.If(ast.BoolOp(ast.Or(), [same(when, OPEN), ast.UnaryOp(ast.Not(), when)]), other or [ast.Pass()], []),
            ast.If(is_open, joined, []),
        ]

    def _loop(self, one: For) -> list[ast.stmt]:
        out = [let(variable(one.items), call("listed", self._value(one.each.items)))]
        chosen = None if one.each.only is None else self._value(one.each.only)
        body = self._emit(one.body)
        if one.row is not None:
            text, by, alike = one.row
            told = [path_to(one.within, by), value_of(text), ast.Constant(1) if alike is None else value_of(alike)]
            found = append("rows", row(told))
            first = ast.Compare(variable(one.number), [ast.Eq()], [ast.Constant(0)])
            body.insert(0, found if alike is None else ast.If(first, [found], []))  # the first stands for all
        if one.each.only is not None:
            assert chosen is not None
            out.append(let(variable(one.only), chosen))
            if body and frozenset(one.each.only.reads) & self.dice:  # any item, then: what comes of it is open
                out.append(ast.If(same(variable(one.only), OPEN), _any_item(one, body), plain_loop(one, body)))
                return out
        if not body:
            return out
        ended = [ast.If(name("ended"), [ast.Break()], [])] if self._flags else []
        return [*out, *plain_loop(one, [*ended, *body])]


def _to_ask(one: Roll) -> list[Formula]:
    """What the dice depend on, if it may be wrong; a label is a text and always right."""
    return (
        [formula for _, *three in one.dice for formula in three]
        if any(count.reads or sides.reads or may_fail(label.tree) for _, count, sides, label in one.dice)
        else []
    )


def _any_item(one: For, body: list[ast.stmt]) -> list[ast.stmt]:
    return plain_loop(replace(one, only=""), body)
