"""Calls in generated code as quicker ones that come to the same, each made for what is known of it beforehand."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from copy import copy
from operator import is_not
from typing import Any

from bot.rules.declared.calls import GETTERS, MOST_TEXT, NONE, WORD, Row, said
from bot.rules.declared.reader import Reader
from bot.rules.inputs.units import Unit

_PLAIN = frozenset((ast.Name, ast.Constant, ast.arg, ast.arguments, ast.Load, ast.Store, str, int, bool))
"""What holds no calls."""


class Lowered:
    """The code with tables asked by the values alone, and what every unit has read by a function of its own.

    `found` are the functions that it calls beside those in `scope`. Trees are shared, so nothing in them changes: what
    is above a call that changes is copied.
    """

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._scope = scope
        self.found: dict[str, Any] = {}
        self._asked: set[str] = set()

    def of(self, node: Any) -> Any:
        """The same piece of code with its calls lowered."""
        if node.__class__ is list:
            new = [self.of(item) for item in node]
            return new if any(map(is_not, new, node)) else node
        if node.__class__ in _PLAIN or not isinstance(node, ast.AST):
            return node
        parts = vars(node)
        fresh = {key: new for key, old in parts.items() if (new := self.of(old)) is not old}
        if fresh:
            node = copy(node)
            vars(node).update(fresh)
        return self._call(node) if node.__class__ is ast.Call else node

    def _call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name):
            return node
        called = self._scope.get(node.func.id)
        names = tuple([word.arg for word in node.keywords if word.arg is not None])
        if isinstance(called, Reader):
            values = [word.value for word in node.keywords]
            asked = self._named(f"{node.func.id} {' '.join(names)} ", called.by(names))
            self._asked.add(asked.id)
            return ast.Call(asked, values, [])
        if node.func.id == "text":
            return self._text(node.args)
        if node.func.id == WORD:
            return self._word(node)
        if node.func.id == "of" and len(node.args) == 2 and isinstance(node.args[1], ast.Constant):
            name, thing = str(node.args[1].value), node.args[0]
            if thing.__class__ is ast.Call and thing.func.__class__ is ast.Name and thing.func.id in self._asked:
                return _output(thing, name)
            if name in GETTERS:
                return ast.Call(self._named(f"of {name} ", GETTERS[name]), node.args[:1], [])
            if thing.__class__ is ast.Name:
                return self._if_of(thing, Row, _output(thing, name), node)
        return node

    def _text(self, pieces: list[ast.expr]) -> ast.expr:
        """A text, put together in place and cut where it is too long."""
        made: list[ast.expr] = [
            ast.Constant(str(piece.value))
            if isinstance(piece, ast.Constant)
            else ast.FormattedValue(self._said(piece), -1, None)
            for piece in pieces
        ]
        return _cut(ast.JoinedStr(made))

    def _said(self, piece: ast.expr) -> ast.expr:
        if _is_text(piece):
            return piece
        if isinstance(piece, ast.Name):
            return self._if_of(piece, Unit, ast.Attribute(piece, "word", ast.Load()), piece)
        return ast.Call(self._named("said ", said), [piece], [])

    def _word(self, node: ast.Call) -> ast.expr:
        piece = node.args[0]
        if _is_text(piece):
            return piece
        return self._if_of(piece, str, _cut(piece), node) if isinstance(piece, ast.Name) else node

    def _if_of(self, thing: ast.expr, kind: type, then: ast.expr, other: ast.expr) -> ast.expr:
        """One or the other, as a value is of this kind or not."""
        own = ast.Attribute(thing, "__class__", ast.Load())
        is_one = ast.Compare(own, [ast.Is()], [self._named(f"{kind.__name__} class ", kind)])
        return ast.IfExp(is_one, then, other)

    def _named(self, name: str, function: Any) -> ast.Name:
        self.found[name] = function
        return ast.Name(name, ast.Load())


def _cut(text: ast.expr) -> ast.expr:
    return ast.Subscript(text, ast.Slice(None, ast.Constant(MOST_TEXT)), ast.Load())


def _output(row: ast.expr, name: str) -> ast.expr:
    """What a table said, read off its row."""
    if name == "text":
        return ast.Attribute(row, name, ast.Load())
    get = ast.Attribute(ast.Attribute(row, "out", ast.Load()), "get", ast.Load())
    return ast.Call(get, [ast.Constant(name), ast.Constant(NONE)], [])


def _is_text(piece: ast.expr) -> bool:
    """Whether part of a text is a text, whatever it reads, and a short one."""
    if isinstance(piece, ast.IfExp):
        return _is_text(piece.body) and _is_text(piece.orelse)
    if isinstance(piece, ast.Constant):
        return isinstance(piece.value, str) and len(piece.value) <= MOST_TEXT
    return isinstance(piece, ast.Subscript) and isinstance(piece.value, ast.JoinedStr)
