"""Formulas as closures: a function of the values at hand for each part, made of the functions of those below it."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from bot.rules.declared.reader import Reader

Env: TypeAlias = dict[str, Any]
"""The values at hand, each under the key of its name."""
Run: TypeAlias = Callable[[Env], Any]
Scope: TypeAlias = Mapping[str, Any]
FACE = "!face"
"""The key of the die at hand in the test of how_many(...)."""
_KEY = "v "
"""What begins a name that is a key; no formula can write one."""
_SIGNS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
    ast.Mult: operator.mul, ast.Mod: operator.mod,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, some: one in some, ast.NotIn: lambda one, some: one not in some,
}  # fmt: skip


def variable(key: str) -> ast.Name:
    """The value under this key, as a part of a formula: a name that no formula can write."""
    return ast.Name(_KEY + key, ast.Load())


def key_of(node: ast.AST) -> str | None:
    """The key whose value this part of a formula is, None for any other part."""
    return node.id.removeprefix(_KEY) if isinstance(node, ast.Name) and node.id.startswith(_KEY) else None


def keys_read(node: ast.AST) -> frozenset[str]:
    """The keys that a part of a formula reads."""
    return frozenset(key for below in ast.walk(node) if (key := key_of(below)) is not None)


def closure(node: ast.expr, scope: Scope) -> Run:
    """The function that works out this part of a formula. `scope` holds what it calls, and the lists of its file."""
    return _MAKERS[type(node)](node, scope)


def always(value: Any) -> Run:
    """A function of any values at hand that gives this one."""
    return lambda _env: value


def _constant(node: Any, _scope: Scope) -> Run:
    return always(node.value)


def _name(node: Any, scope: Scope) -> Run:
    key = key_of(node)
    if key is None:
        return always(scope[node.id])
    return lambda env: env[key]


def _ifexp(node: Any, scope: Scope) -> Run:
    test, then, other = closure(node.test, scope), closure(node.body, scope), closure(node.orelse, scope)
    return lambda env: then(env) if test(env) else other(env)


def _boolop(node: Any, scope: Scope) -> Run:
    first, *more = [closure(value, scope) for value in node.values]
    for one in more:
        first = _both(first, one) if isinstance(node.op, ast.And) else _either(first, one)
    return first


def _both(one: Run, other: Run) -> Run:
    return lambda env: one(env) and other(env)


def _either(one: Run, other: Run) -> Run:
    return lambda env: one(env) or other(env)


def _unaryop(node: Any, scope: Scope) -> Run:
    value = closure(node.operand, scope)
    return (lambda env: not value(env)) if isinstance(node.op, ast.Not) else (lambda env: -value(env))


def _binop(node: Any, scope: Scope) -> Run:
    sign, one, other = _SIGNS[type(node.op)], closure(node.left, scope), closure(node.right, scope)
    return lambda env: sign(one(env), other(env))


def _compare(node: Any, scope: Scope) -> Run:
    first, *others = [closure(value, scope) for value in (node.left, *node.comparators)]
    signs = [_SIGNS[type(sign)] for sign in node.ops]
    if len(signs) == 1:
        sign, other = signs[0], others[0]
        return lambda env: sign(first(env), other(env))

    def chained(env: Env) -> Any:
        left, held = first(env), True
        for sign, other in zip(signs, others, strict=True):
            right = other(env)
            held = sign(left, right)
            if not held:
                break
            left = right
        return held

    return chained


def _call(node: Any, scope: Scope) -> Run:
    called = scope[node.func.id]
    values = [closure(value, scope) for value in (*node.args, *(word.value for word in node.keywords))]
    if isinstance(called, Reader):
        called = called.by(tuple([word.arg for word in node.keywords]))
    if len(values) == 1:
        (one,) = values
        return lambda env: called(one(env))
    if len(values) == 2:
        one, other = values
        return lambda env: called(one(env), other(env))
    return lambda env: called(*[value(env) for value in values])


def _lambda(node: Any, scope: Scope) -> Run:
    """A test of single dice: a function of the face."""
    test = closure(node.body, scope)

    def made(env: Env) -> Callable[[Any], Any]:
        def passes(face: Any) -> Any:
            env[FACE] = face
            return test(env)

        return passes

    return made


def _tuple(node: Any, scope: Scope) -> Run:
    items = [closure(item, scope) for item in node.elts]
    return lambda env: tuple([item(env) for item in items])


_MAKERS: Mapping[type[ast.AST], Callable[[Any, Scope], Run]] = {
    ast.Constant: _constant, ast.Name: _name, ast.IfExp: _ifexp, ast.BoolOp: _boolop, ast.UnaryOp: _unaryop,
    ast.BinOp: _binop, ast.Compare: _compare, ast.Call: _call, ast.Lambda: _lambda, ast.Tuple: _tuple,
}  # fmt: skip
