"""What is looked at of a pool of dice, worked out before they fall: one die at its place, or how many pass a test.

All that decides it must be known when the dice are rolled. Where it is not, every face counts.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import Any

from bot.rules.declared.checks import Partial
from bot.rules.declared.closures import FACE, Env, closure, key_of, keys_read, variable
from bot.rules.declared.formulas import ITEM, Formula
from bot.rules.declared.program import Block, For, If, Keys, Let, Roll, Statement, Stop, Tell, all_formulas, assigned
from bot.rules.declared.running import OPEN, UNWORKABLE
from bot.rules.errors import UserError

Looks = tuple[tuple[int | None, tuple[Any, ...]], ...]
"""What is looked at of alike dice: of the one at a place, or (None) of them all, what is seen of each face."""


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


class Pool:
    """The faces `key` of the roll `one`, as what follows looks at them; `hopeless` where it is at every face."""

    def __init__(self, program: Block, one: Roll, key: str) -> None:
        self.key, self._roll = key, one
        self._after: Block = ()
        try:
            after = read_after(program, one.site, key) or ()
            again = next((at for at, two in enumerate(after) if isinstance(two, Roll) and key in two.keys), None)
            self._after = after[:again]
            self.hopeless = False
        except EveryFace:
            self.hopeless = True
        self.reads = _deciding(self._after, key)

    def looks(self, faces: tuple[Any, ...], env: Env) -> Looks | None:
        """What is looked at of dice with these faces, the values of `env` known; None where it is every face."""
        looker = _Looker(self.key, faces)
        try:
            looker.block(self._after, {**env, **dict.fromkeys(self._roll.keys, OPEN)})
            found = tuple(looker.found)
            hash(found)
        except (EveryFace, UserError, *UNWORKABLE):  # whoever rolls a face that makes no sense is told so
            return None
        return found


def _deciding(block: Block, key: str) -> Keys:
    """The keys that may decide how the faces are looked at."""
    wanted = {one for formula in all_formulas(block) if key in formula.reads for one in formula.reads}
    while True:
        before = len(wanted)
        _read_for(block, key, wanted)
        if len(wanted) == before:
            return frozenset(wanted)


def _read_for(block: Block, key: str, wanted: set[str]) -> None:
    for one in block:
        if isinstance(one, Let) and one.key in wanted:
            wanted |= set(one.value.reads)
        elif isinstance(one, Stop):
            wanted |= set(one.when.reads)
        elif isinstance(one, If):
            wanted |= set(one.when.reads)
            _read_for(one.then + one.other, key, wanted)
        elif isinstance(one, For):
            wanted |= {*one.each.items.reads, *(one.each.only.reads if one.each.only else ())}
            _read_for(one.body, key, wanted)


class _Looker(Partial):
    """Finds what is looked at of the faces under one key."""

    def __init__(self, key: str, faces: tuple[Any, ...]) -> None:
        self.key, self._faces = key, faces
        self.found: list[tuple[int | None, tuple[Any, ...]]] = []

    def value(self, formula: Formula, env: Env) -> Any:
        """What a formula comes to; open where it has no value."""
        self._see(formula, env)
        try:
            return super().value(formula, env)
        except (UserError, *UNWORKABLE):
            return OPEN

    def one(self, one: Statement, env: Env) -> bool:
        """Whether the sequence surely ends in a statement."""
        if isinstance(one, Tell):
            self._see(one.value, env)
        elif isinstance(one, Roll):
            for formula in all_formulas((one,)):
                self._see(formula, env)
        return super().one(one, env)

    def loop(self, one: For, env: Env) -> bool:
        """Whether the sequence surely ends for an item; of a list that is not known any item is gone through."""
        if self.value(one.each.items, env) is not OPEN:
            return super().loop(one, env)
        env |= dict.fromkeys(assigned((one,)), OPEN)
        self.block(one.body, env)
        env |= dict.fromkeys(assigned((one,)), OPEN)
        return False

    def _see(self, formula: Formula, env: Env) -> None:
        """Note the looks of one formula: what it makes of a die, where it looks at no more than this one."""
        if self.key not in formula.reads:
            return
        tree = formula.tree
        if sum(key_of(node) == self.key for node in ast.walk(tree)) == 1:
            looks = [node for node in ast.walk(tree) if self._looked(node) == ITEM]
            if len(looks) == 1 and isinstance(looks[0], ast.Call):
                at = self._known(looks[0].args[1], formula, env)
                made = _Replaced(self.key).visit(deepcopy(tree))
                if at is not OPEN and self._all_known(made, env):
                    self._look(at, made, formula, env)
                    return
        self._looks(tree, formula, env)

    def _looks(self, node: ast.AST, formula: Formula, env: Env) -> None:
        """Note the looks in a part of a formula, as far as the conditions hold that it is written under."""
        if key_of(node) == self.key:
            raise EveryFace
        if self._looked(node) and isinstance(node, ast.Call):
            self._taken(node, formula, env)
        elif isinstance(node, ast.IfExp):
            self._looks(node.test, formula, env)
            when = self._known(node.test, formula, env)
            for way, ends in ((node.body, False), (node.orelse, True)):
                if when is OPEN or bool(when) != ends:
                    self._looks(way, formula, env)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._looks(value, formula, env)
                known = self._known(value, formula, env)
                if known is not OPEN and bool(known) != isinstance(node.op, ast.And):
                    break
        else:
            for child in ast.iter_child_nodes(node):
                self._looks(child, formula, env)

    def _taken(self, node: ast.Call, formula: Formula, env: Env) -> None:
        what, at = node.args[1], None
        made: ast.expr = variable(FACE)
        if isinstance(what, ast.Lambda):
            made = ast.UnaryOp(ast.Not(), what.body)
        else:
            at = self._known(what, formula, env)
        if at is OPEN or not self._all_known(made, env):
            raise EveryFace
        self._look(at, made, formula, env)

    def _look(self, at: Any, made: ast.expr, formula: Formula, env: Env) -> None:
        look, seen = closure(made, formula.scope), list[Any]()
        for face in self._faces:
            env[FACE] = face
            value = look(env)
            seen.append((value.__class__, value))
        self.found.append((at, tuple(seen)))

    def _all_known(self, node: ast.AST, env: Env) -> bool:
        return all(key == FACE or env.get(key, OPEN) is not OPEN for key in keys_read(node))

    def _known(self, node: ast.expr, formula: Formula, env: Env) -> Any:
        """The value of a part of a formula, open where it is not known."""
        return closure(node, formula.scope)(env) if self._all_known(node, env) else OPEN

    def _looked(self, node: ast.AST) -> str:
        """How a call looks at the faces: by a place, by a test, or not at all."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            return ""
        return node.func.id if node.func.id in (ITEM, "how_many") and key_of(node.args[0]) == self.key else ""


class _Replaced(ast.NodeTransformer):
    """The one look at a die as that die."""

    def __init__(self, key: str) -> None:
        self.key = key

    def visit_Call(self, node: ast.Call) -> ast.expr:  # as ast names it
        if node.args and key_of(node.args[0]) == self.key:
            return variable(FACE)
        return self.generic_visit(node)  # type: ignore[return-value]
