"""What is looked at of a pool of dice, worked out before they fall: one die at its place, or how many pass a test.

All that decides it must be known when the dice are rolled. Where it is not, every face counts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace

from bot.rules.declared.formulas import FACE, ITEM, Formula, variable
from bot.rules.declared.program import Block, For, If, Let, Roll, Statement, Stop, Tell, assigned, formulas_in
from bot.rules.declared.source import append, call, let, name, plain_loop, row, value_of

MOST_NODES = 400
"""How large what is known of a name may grow, in pieces of syntax."""
Known = dict[str, ast.expr]
"""What each key comes to, as far as it is known when the dice are rolled."""
_KEY = variable("").id


class EveryFace(Exception):
    """Every face is read, or what is looked at is not known yet."""


def read_after(block: Block, site: int, key: str) -> Block | None:
    """What follows the roll `site` as far as it may read `key`; None where the roll is not in this block."""
    for at, one in enumerate(block):
        rest = block[at + 1 :]
        if isinstance(one, Roll) and one.site == site:
            return rest
        ways = (one.then, one.other) if isinstance(one, If) else (one.body,) if isinstance(one, For) else ()
        for way in ways:
            found = read_after(way, site, key)
            if found is None:
                continue
            if isinstance(one, For) and key in one.head:
                raise EveryFace
            return found + rest if isinstance(one, If | For) and key in one.after else found
    return None


def looks_at(program: Block, site: int, key: str, known: Iterable[str]) -> list[ast.stmt] | None:
    """Code that appends to `looks ` what is looked at of the faces `key` of a roll; None where it is every face."""
    try:
        block = read_after(program, site, key)
        again = next((at for at, one in enumerate(block or ()) if isinstance(one, Roll) and key in one.keys), None)
        return _Looker(key).block((block or ())[:again], {one: variable(one) for one in known})
    except EveryFace:
        return None


def keys_read(code: Iterable[ast.stmt]) -> frozenset[str]:
    """The keys that some code reads."""
    return frozenset(
        node.id.removeprefix(_KEY)
        for one in code
        for node in ast.walk(one)
        if isinstance(node, ast.Name) and node.id.startswith(_KEY)
    )


class _Looker:
    """Finds what is looked at of the faces under one key."""

    def __init__(self, key: str) -> None:
        self.key, self._id = key, variable(key).id

    def block(self, block: Block, known: Known) -> list[ast.stmt]:
        """The looks of a block. `known` changes with it."""
        return [part for one in block for part in self._one(one, known)]

    def _one(self, one: Statement, known: Known) -> list[ast.stmt]:
        if isinstance(one, Let):
            out = self._value(one.value, known)
            self._learn(one, known)
            return out
        if isinstance(one, Tell):
            return self._value(one.value, known)
        if isinstance(one, If):
            return self._if(one, known)
        if isinstance(one, For):
            return self._for(one, known)
        if isinstance(one, Stop):
            return self._stop(one, known)
        if isinstance(one, Roll):
            out = [part for formula in formulas_in(one.dice) for part in self._value(formula, known)]
            _forget(known, one.keys)
            return out
        return []

    def _learn(self, one: Let, known: Known) -> None:
        found = _inlined(value_of(one.value), known)
        if found is None:
            known.pop(one.key, None)
        else:
            known[one.key] = found

    def _if(self, one: If, known: Known) -> list[ast.stmt]:
        out, when = self._value(one.when, known), _inlined(value_of(one.when), known)
        then, other = (self.block(way, dict(known)) for way in (one.then, one.other))
        _forget(known, (*assigned(one.then), *assigned(one.other)))
        if when is None:
            return [*out, *then, *other]
        return [*out, ast.If(when, then or [ast.Pass()], other)] if then or other else out

    def _for(self, one: For, known: Known) -> list[ast.stmt]:
        out = [part for each in formulas_in((one.each.items, one.each.only)) for part in self._value(each, known)]
        items = _inlined(value_of(one.each.items), known)
        only = None if one.each.only is None else _inlined(value_of(one.each.only), known)
        _forget(known, assigned((one,)))
        inside = dict(known)
        if items is not None:
            inside |= {key: variable(key) for key in (one.number, one.each.key, one.each.at)}
        body = self.block(one.body, inside)
        if not body or items is None:
            return out + body
        out.append(let(variable(one.items), call("listed", items)))
        if only is not None:
            out.append(let(variable(one.only), only))
        return out + plain_loop(replace(one, only=one.only if only is not None else ""), body)

    def _stop(self, one: Stop, known: Known) -> list[ast.stmt]:
        out, when = self._value(one.when, known), _inlined(value_of(one.when), known)
        return out if when is None else [*out, ast.If(when, [ast.Return(name("looks"))], [])]

    def _value(self, formula: Formula, known: Known) -> list[ast.stmt]:
        """The looks of one formula: what it makes of a die, where it looks at no more than this one."""
        if self.key not in formula.reads:
            return []
        tree = value_of(formula)
        places = [node for node in ast.walk(tree) if self._is_faces(node)]
        looks = [node for node in ast.walk(tree) if self._looked(node) == ITEM]
        if len(places) == len(looks) == 1 and isinstance(looks[0], ast.Call):
            at = _inlined(looks[0].args[1], known)
            made = _inlined(_Replaced(self._id).visit(deepcopy(tree)), {**known, FACE: variable(FACE)})
            if at is not None and made is not None:
                return [_look("seen", at, made)]
        return self._looks(tree, known)

    def _looks(self, node: ast.AST, known: Known) -> list[ast.stmt]:
        """The looks in a part of a formula, each under the conditions that it is written under."""
        if self._is_faces(node):
            raise EveryFace
        if (kind := self._looked(node)) and isinstance(node, ast.Call):
            return [self._taken(kind, node.args[1], known)]
        if isinstance(node, ast.IfExp):
            ways = [self._looks(way, known) for way in (node.body, node.orelse)]
            return self._looks(node.test, known) + _under(node.test, ways[0], ways[1], known)
        if isinstance(node, ast.BoolOp):
            out: list[ast.stmt] = []
            for value in reversed(node.values):
                ways = [out, []] if isinstance(node.op, ast.And) else [[], out]
                out = self._looks(value, known) + _under(value, ways[0], ways[1], known)
            return out
        return [part for child in ast.iter_child_nodes(node) for part in self._looks(child, known)]

    def _taken(self, kind: str, what: ast.expr, known: Known) -> ast.stmt:
        at: ast.expr | None = ast.Constant(None)
        made: ast.expr | None = variable(FACE)
        if kind == ITEM:
            at = _inlined(what, known)
        else:
            assert isinstance(what, ast.Lambda)
            made = _inlined(what.body, {**known, FACE: variable(FACE)})
        if at is None or made is None:
            raise EveryFace
        return _look("seen" if kind == ITEM else "passing", at, made)

    def _is_faces(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._id

    def _looked(self, node: ast.AST) -> str:
        """How a call looks at the faces: by a place, by a test, or not at all."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            return ""
        return node.func.id if node.func.id in (ITEM, "how_many") and self._is_faces(node.args[0]) else ""


def _look(kind: str, at: ast.expr, made: ast.expr) -> ast.stmt:
    takes = ast.arguments([], [ast.arg(variable(FACE).id)], None, [], [], None, [])
    return append("looks", row([at, call(kind, name("faces"), ast.Lambda(takes, made))]))


def _under(test: ast.expr, then: list[ast.stmt], other: list[ast.stmt], known: Known) -> list[ast.stmt]:
    """What holds under a condition, where it is known; else both."""
    when = _inlined(test, known) if then or other else None
    return [*then, *other] if when is None else [ast.If(when, then or [ast.Pass()], other)]


def _inlined(tree: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr | None:
    """A formula of what is known alone; None where it reads anything else, or grows too large."""
    if not all(key in known for key in keys_read([ast.Expr(tree)])):
        return None
    found: ast.expr = _Inlined(known).visit(deepcopy(tree))
    return found if sum(1 for _ in ast.walk(found)) <= MOST_NODES else None


def _forget(known: Known, keys: Iterable[str]) -> None:
    for key in keys:
        known.pop(key, None)


class _Inlined(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast names it
        return self.known[node.id.removeprefix(_KEY)] if node.id.startswith(_KEY) else node


class _Replaced(ast.NodeTransformer):
    """The one look at a die as that die."""

    def __init__(self, id: str) -> None:
        self.id = id

    def visit_Call(self, node: ast.Call) -> ast.expr:  # as ast names it
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Name) and first.id == self.id:
            return variable(FACE)
        return self.generic_visit(node)  # type: ignore[return-value]
