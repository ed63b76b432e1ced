"""Code for a program that dice interrupt: it runs to the next roll, and goes on from there with what is still read."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bot.rules.declared.formulas import FACES, Formula, variable
from bot.rules.declared.looking import keys_read, looks_at
from bot.rules.declared.program import (
    NOTHING,
    Block,
    For,
    If,
    Keys,
    Let,
    Refuse,
    Roll,
    Say,
    Statement,
    Stop,
    Take,
    Tell,
    assigned,
    has_roll,
    loops_in,
)
from bot.rules.declared.running import Dice, Now, dice_of
from bot.rules.declared.source import (
    append,
    call,
    filled,
    function,
    let,
    made,
    name,
    path_to,
    plain_loop,
    put,
    row,
    unpacked,
    value_of,
)

TOLD = ("told", "lines", "notes")


class Site(NamedTuple):
    """A roll in the code: its dice, if they are always the same, else how they are found; what is read of each key."""

    name: str
    dice: Dice | None
    loops: tuple[int, ...]
    """Where in the state the numbers of the items are that it is within."""
    reads: tuple[tuple[bool, bool], ...]
    """Of each key, whether its sum is read, and its faces."""
    looks: tuple[tuple[int, str, tuple[int, ...]], ...] = ()
    """The keys of whose faces the odds look at no more than a function says, and where its values are in the state."""


class Code(NamedTuple):
    """The code of a program: `begin(dice, told, lines, notes, *inputs)`, the `inputs` that it reads, and its rolls."""

    begin: Callable[..., Any]
    inputs: tuple[str, ...]
    sites: tuple[Site, ...]
    places: bool = False
    """Whether it reads which places in lists are asked for."""


@dataclass
class After:
    """What comes after a block: a jump there, and the keys that are read from there on."""

    live: Keys
    jump: Callable[[], ast.expr]


@dataclass
class Loop:
    """A loop that the code is in."""

    one: For
    fixed: Keys
    """Its keys that say nothing beyond the number: they are found again, not remembered."""


@dataclass
class Emitter:
    """Writes the functions of one program. `early` are keys set before the first die, which every function sees."""

    file: str
    scope: Mapping[str, Any]
    early: Keys
    odds: bool = False
    functions: list[ast.stmt] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    _start: bool = True
    _names: int = 0
    _states: dict[str, Now] = field(default_factory=dict)
    _program: Block = ()
    _later: deque[tuple[list[Loop], Callable[[], None]]] = field(default_factory=deque)
    """Functions that are still to be written, each with the loops that it is in."""

    def code(self, program: Block, live: Keys) -> Code:
        """The code; `live` are the inputs that it reads."""
        end = After(NOTHING, lambda: name("end"))
        self._program = program
        body = self.block(program, 0, end)
        self._start = False
        while self._later:
            self.loops, write = self._later.popleft()
            write()
        self.sites.sort(key=lambda site: site.name)
        inputs = tuple(sorted(live))
        takes = [name("dice"), *map(name, TOLD), *map(variable, inputs)]
        begin = function("begin", takes, self.functions + body)
        looks = [name(id) for site in self.sites for _, id, _ in site.looks]
        segments = row([*(name(f"from {site.name}") for site in self.sites), *looks])
        _Segments(segments).visit(begin)
        places = any(one.asked for one in loops_in(program))
        return Code(
            made([begin], self.file, {**self.scope, **self._states}, "begin"), inputs, tuple(self.sites), places
        )

    # -- blocks

    def block(self, block: Block, at: int, after: After) -> list[ast.stmt]:
        """The block from the statement `at` on, and what comes after it; every way ends with a return."""
        out: list[ast.stmt] = []
        for here in range(at, len(block)):
            one = block[here]
            if not has_roll(one):
                out += self.plain(one)
            elif isinstance(one, Roll):
                return out + self._roll(one, block, here, after)
            elif isinstance(one, If):
                rest = self._rest(block, here + 1, after, one.after)
                ways = [self.block(way, 0, rest) for way in (one.then, one.other)]
                return [*out, ast.If(value_of(one.when), ways[0], ways[1])]
            else:
                assert isinstance(one, For)
                return out + self._loop(one, self._rest(block, here + 1, after, one.after))
        return [*out, self._return(after.jump())]

    def _return(self, value: ast.expr) -> ast.stmt:
        return _Begun(value) if self._start else ast.Return(value)

    def _rest(self, block: Block, at: int, after: After, live: Keys) -> After:
        """The rest of a block as a function of its own, which several ways may end in."""
        if at == len(block):
            return after
        return self._function("rest", live, lambda: self.block(block, at, after))

    def _function(self, kind: str, live: Keys, body: Callable[[], list[ast.stmt]]) -> After:
        """A function that is jumped to, of the keys in `live` that not every function sees anyway."""
        self._names += 1
        id = f"{kind} {self._names}"
        fixed = self._found_again(live)
        keys = sorted(live - self.early - fixed)

        def write() -> None:
            inside = self._found(fixed) + body()
            self.functions.append(function(id, [*map(name, TOLD), *map(variable, keys)], inside))

        self._later.append((list(self.loops), write))
        if kind == "each":  # a jump, for a list may be long
            return After(live, lambda: row([name(id), *map(name, TOLD), *map(variable, keys)]))
        return After(live, lambda: call(id, *map(name, TOLD), *map(variable, keys)))

    # -- what loops say by their number

    def _found_again(self, live: Keys) -> Keys:
        return frozenset(key for loop in self.loops for key in loop.fixed) & live

    def _found(self, keys: Keys) -> list[ast.stmt]:
        """The item of each loop by its number, as far as it is read."""
        out: list[ast.stmt] = []
        for loop in self.loops:
            number = variable(loop.one.number)
            if loop.one.each.key in keys & loop.fixed:
                item = ast.Subscript(variable(loop.one.items), number, ast.Load())
                out.append(let(variable(loop.one.each.key), item))
            if loop.one.each.at in keys & loop.fixed:
                out.append(let(variable(loop.one.each.at), number))
        return out

    def _loop(self, one: For, rest: After) -> list[ast.stmt]:
        """A list whose items roll dice: a function that is jumped to for each item."""
        out = self._begun(one)
        changed = assigned(one.body).keys() | {
            key for loop in self.loops for key in (loop.one.each.key, loop.one.each.at)
        }
        fixed = frozenset(key for key in (one.each.key, one.each.at) if key not in changed)
        number, items = variable(one.number), variable(one.items)
        own = frozenset((one.number, one.items)) | (frozenset((one.only,)) - {""})
        head: list[After] = []

        def body() -> list[ast.stmt]:
            self.loops = [*self.loops, Loop(one, fixed)]
            again = After(one.head | own, head[0].jump)
            item = [let(variable(one.each.key), ast.Subscript(items, number, ast.Load()))]
            inner = [*item, let(variable(one.each.at), number), *self.block(one.body, 0, again)]
            if one.only:
                skip = ast.Compare(number, [ast.NotEq()], [variable(one.only)])
                inner = [ast.If(skip, [self._return(head[0].jump())], []), *inner]
            more = ast.Compare(number, [ast.Lt()], [call("len", items)])
            step = let(number, ast.BinOp(number, ast.Add(), ast.Constant(1)))
            return [step, ast.If(more, inner, []), self._return(rest.jump())]

        head.append(self._function("each", one.head | own | rest.live, body))
        return [*out, let(number, ast.Constant(-1)), self._return(head[0].jump())]

    def _begun(self, one: For) -> list[ast.stmt]:
        """The items of a list, and which of them is chosen."""
        out = [let(variable(one.items), call("listed", value_of(one.each.items)))]
        if one.each.only is not None:
            only = ast.IfExp(variable(one.items), value_of(one.each.only), ast.Constant(None))
            out.append(let(variable(one.only), only))
        return out

    # -- dice

    def _roll(self, one: Roll, block: Block, at: int, after: After) -> list[ast.stmt]:
        site = f"{one.site:04}"
        fixed = self._found_again(one.after)
        keys = sorted((one.after | frozenset(one.loops)) - self.early - fixed)
        specs = [formula for _, *three in one.dice for formula in three]
        dice = None if any(formula.reads for formula in specs) else _settled(one)
        out: list[ast.stmt] = []
        place = row([ast.Constant(site), *map(variable, one.loops)])
        if dice is None:
            asked = call("dice_of", row(row(map(value_of, three)) for _, *three in one.dice))
            missing = ast.Compare(place, [ast.NotIn()], [name("dice")])
            out.append(ast.If(missing, [put("dice", place, asked)], []))
        out.append(self._return(self._now(site, keys)))
        reads = tuple((key in one.faces, key + FACES in one.faces) for key, *_ in one.dice)

        def write() -> None:
            looks = self._looks(one, keys, fixed) if self.odds else ()
            self.sites.append(Site(site, dice, tuple(map(keys.index, one.loops)), reads, looks))
            body = unpacked(map(variable, keys), name("state"))
            body += [let(name("told"), ast.Dict([], [])), let(name("lines"), ast.List([], ast.Load()))]
            body += [let(name("notes"), ast.List([], ast.Load()))]
            body += self._found(fixed) + self._fallen(one, dice, place)
            body += self.block(block, at + 1, after)
            _Ended().visit(ast.Module(body, []))
            self.functions.append(function(f"from {site}", [name("state"), name("faces")], body))

        self._later.append((list(self.loops), write))
        return out

    def _now(self, site: str, keys: list[str]) -> ast.expr:
        """The state that owes a roll; where it remembers nothing it is always the same one."""
        if keys:
            return call("now", ast.Constant(site), row(map(variable, keys)))
        owed = name(f"now {site}")
        self._states[owed.id] = Now(site)
        return owed

    def _looks(self, one: Roll, keys: list[str], fixed: Keys) -> tuple[tuple[int, str, tuple[int, ...]], ...]:
        """Functions that say what is looked at of pools of dice, each with where its values are in the state."""
        made = []
        for at, (key, *_) in enumerate(one.dice):
            if key in one.faces or key + FACES not in one.faces:
                continue
            code = looks_at(self._program, one.site, key + FACES, self.early | fixed | frozenset(keys))
            if code is None:
                continue
            code = [*self._found(keys_read(code) & fixed), *code]
            takes = [key for key in keys if key in keys_read(code)]
            id = f"look {one.site} {at}"
            body = [let(name("looks"), ast.List([], ast.Load())), *code, ast.Return(name("looks"))]
            self.functions.append(function(id, [name("faces"), *map(variable, takes)], body))
            made.append((at, id, tuple(map(keys.index, takes))))
        return tuple(made)

    def _fallen(self, one: Roll, dice: Dice | None, place: ast.expr) -> list[ast.stmt]:
        """The dice under their keys."""
        out: list[ast.stmt] = []
        cuts: list[tuple[ast.expr | None, ast.expr | None]] = []
        if len(one.dice) == 1:
            cuts = [(None, None)]
        elif dice is not None:
            cuts = [(ast.Constant(first), ast.Constant(last)) for first, last in dice.cuts]
        else:
            at = ast.Attribute(ast.Subscript(name("dice"), place, ast.Load()), "cuts", ast.Load())
            out.append(let(name("cuts"), at))
            for number in range(len(one.dice)):
                cut = ast.Subscript(name("cuts"), ast.Constant(number), ast.Load())
                pair = [ast.Subscript(cut, ast.Constant(end), ast.Load()) for end in (0, 1)]
                cuts.append((pair[0], pair[1]))
        for (key, *_), (first, last) in zip(one.dice, cuts, strict=True):
            some: ast.expr = name("faces")
            if first is not None:
                some = ast.Subscript(some, ast.Slice(first, last), ast.Load())
            if key in one.faces:
                out.append(let(variable(key), call("sum", some)))
            if key + FACES in one.faces:
                out.append(let(variable(key + FACES), some))
        return out

    # -- what no die interrupts

    def plain(self, one: Statement) -> list[ast.stmt]:
        """A statement without dice."""
        if isinstance(one, Let):
            return [let(variable(one.key), value_of(one.value))]
        if isinstance(one, Tell):
            told: list[ast.stmt] = []
            if one.once:
                told.append(ast.If(variable(one.once), [ast.Expr(call("twice", ast.Constant(one.name)))], []))
            value = call("or_null", value_of(one.value)) if one.null else value_of(one.value)
            return [*told, put("told", path_to(one.within, one.name), value)]
        if isinstance(one, Say):
            return self._said(one)
        if isinstance(one, Take):
            return _when(one.ready.get("when"), [append("notes", noted(one.kind, one.ready))])
        if isinstance(one, Refuse):
            return [refusing(one)]
        if isinstance(one, Stop):
            return [ast.If(value_of(one.when), [self._return(name("end"))], [])]
        if isinstance(one, If):
            then = [part for below in one.then for part in self.plain(below)]
            other = [part for below in one.other for part in self.plain(below)]
            return [ast.If(value_of(one.when), then or [ast.Pass()], other)]
        assert isinstance(one, For)
        return self._begun(one) + plain_loop(one, [part for below in one.body for part in self.plain(below)])

    def _said(self, one: Say) -> list[ast.stmt]:
        ready = one.ready
        dice = [value_of(faces) for faces in ready["dice"]]
        faces = dice[0] if len(dice) == 1 else row(ast.Starred(one, ast.Load()) for one in dice)
        total = ast.Constant(None) if ready["total"] is None else call("total", value_of(ready["total"]))
        parts, more = [_counted(ready[key]) for key in ("parts", "contributors")]
        label, result, unit = [value_of(ready[key]) for key in ("label", "result", "unit")]
        line = call("line", label, faces, parts, total, result, more, unit)
        return _when(ready["when"], [append("lines", line)])


def _when(when: Formula | None, body: list[ast.stmt]) -> list[ast.stmt]:
    return body if when is None else [ast.If(value_of(when), body, [])]


def _counted(named: list[tuple[Formula | None, Formula]]) -> ast.expr:
    """Named parts in a row."""
    if not named:
        return row(())
    if len(named) == 1 and named[0][0] is None:
        return call("tuple", value_of(named[0][1]))
    return call("counted", filled(named))


def noted(kind: str, ready: Mapping[str, Any]) -> ast.expr:
    """A note for the end."""
    if kind == "change":
        more = [ast.keyword(key, filled(value)) for key, value in ready.items() if key not in ("unit", "when")]
        return ast.Call(name(kind), [value_of(ready["unit"])], more)
    if "say" in ready:
        say = ready["say"]
        return row(
            [ast.Constant(kind), call("plainly", value_of(say[0])) if len(say) == 1 else call("pieced", filled(say))]
        )
    return call(kind, *(value_of(ready[key]) for key in ("unit", "is", "more") if key in ready))


def refusing(one: Refuse) -> ast.stmt:
    """The inputs are refused."""
    said = one.refusal
    return ast.Expr(call("refuse", filled(said.say), filled(said.hint), filled(said.option), ast.Constant(said.code)))


def _settled(one: Roll) -> Dice:
    """Dice that are always the same."""
    return dice_of(tuple(tuple(formula.code() for formula in three) for _, *three in one.dice))


class _Begun(ast.Return):
    """A return out of the beginning, which hands over the functions for the rolls."""


class _Segments(ast.NodeTransformer):
    def __init__(self, segments: ast.expr) -> None:
        self.segments = segments

    def visit__Begun(self, node: _Begun) -> ast.stmt:  # as ast names it
        return ast.Return(row([node.value or name("end"), self.segments]))


class _Ended(ast.NodeTransformer):
    """Returns out of what follows a roll hand over what it told."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:  # as ast names it
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:  # as ast names it
        return ast.Return(row([node.value or name("end"), *map(name, TOLD)]))
