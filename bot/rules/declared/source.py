"""Python code put together from checked formulas: small pieces of syntax, and names that no formula can write."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.declared.formulas import Formula, called_with, variable
from bot.rules.declared.lowered import Lowered
from bot.rules.declared.program import For

LOAD, STORE = ast.Load(), ast.Store()


def name(id: str) -> ast.Name:
    """A name of the code's own: it ends in a blank, so that nothing typed can be it."""
    return ast.Name(f"{id} ", LOAD)


def call(id: str, *arguments: ast.expr) -> ast.expr:
    """A call of one of the code's own functions."""
    return called_with(f"{id} ", list(arguments))


def let(target: ast.Name, value: ast.expr) -> ast.stmt:
    """`target = value`."""
    return ast.Assign([ast.Name(target.id, STORE)], value)


def put(where: str, key: ast.expr, value: ast.expr) -> ast.stmt:
    """`where[key] = value`."""
    return ast.Assign([ast.Subscript(name(where), key, STORE)], value)


def append(where: str, value: ast.expr) -> ast.stmt:
    """`where.append(value)`."""
    return ast.Expr(ast.Call(ast.Attribute(name(where), "append", LOAD), [value], []))


def row(items: Iterable[ast.expr]) -> ast.Tuple:
    """`(a, b)`."""
    return ast.Tuple(list(items), LOAD)


def unpacked(targets: Iterable[ast.Name], value: ast.expr) -> list[ast.stmt]:
    """`a, b = value`, where there is anything to unpack."""
    stored: list[ast.expr] = [ast.Name(target.id, STORE) for target in targets]
    return [ast.Assign([ast.Tuple(stored, STORE)], value)] if stored else []


def same(one: ast.expr, other: ast.expr) -> ast.expr:
    """`one is other`."""
    return ast.Compare(one, [ast.Is()], [other])


def function(id: str, takes: Iterable[ast.Name], body: list[ast.stmt]) -> ast.stmt:
    """A function."""
    arguments = ast.arguments([], [ast.arg(take.id) for take in takes], None, [], [], None, [])
    return ast.FunctionDef(f"{id} ", arguments, body or [ast.Pass()], [], None)


def value_of(formula: Formula) -> ast.expr:
    """The formula in the code; `a and b` is true or false."""
    if formula.kind == "and" and formula.type != "bool":
        return ast.IfExp(formula.tree, ast.Constant(True), ast.Constant(False))
    return formula.tree


def filled(ready: Any) -> ast.expr:
    """All formulas of a line or note in their places."""
    if isinstance(ready, Formula):
        return value_of(ready)
    if isinstance(ready, Mapping):
        return ast.Dict([ast.Constant(key) for key in ready], [filled(value) for value in ready.values()])
    if isinstance(ready, list | tuple):
        return row(map(filled, ready))
    return ast.Constant(ready)


def path_to(within: Iterable[tuple[str, str]], output: str) -> ast.expr:
    """The path of an output: `targets[0].result`."""
    pieces: list[ast.expr] = []
    text = ""
    for listed, number in within:
        text += f"{listed}["
        if number:
            pieces += [ast.Constant(text), ast.FormattedValue(variable(number), -1, None)]
            text = "]."
        else:
            text += "0]."
    text = text + output if output else text.removesuffix(".")
    if not pieces:
        return ast.Constant(text)
    return ast.JoinedStr([*pieces, ast.Constant(text)])


def plain_loop(one: For, body: list[ast.stmt]) -> list[ast.stmt]:
    """A list of which no item rolls dice; in odds only the items that are asked for, where these stand alone."""
    number, item, at = variable(one.number), variable(one.each.key), variable(one.each.at)
    inside: list[ast.stmt] = [let(at, number)]
    if one.asked:
        asked = ast.Compare(number, [ast.NotIn()], [variable(one.asked)])
        inside = [ast.If(asked, [ast.Continue()], []), *inside]
    if one.only:
        skip = ast.Compare(number, [ast.NotEq()], [variable(one.only)])
        inside = [ast.If(skip, [ast.Continue()], []), *inside]
    target = ast.Tuple([ast.Name(number.id, ast.Store()), ast.Name(item.id, ast.Store())], ast.Store())
    return [ast.For(target, call("enumerate", variable(one.items)), inside + body, [])]


def made(functions: list[ast.stmt], file: str, scope: Mapping[str, Any], wanted: str) -> Any:
    """The function `wanted` of the code."""
    lowered = Lowered(scope)
    module = ast.fix_missing_locations(lowered.of(ast.Module(functions, [])))
    space = {**scope, **lowered.found}
    exec(compile(module, file, "exec"), space)
    return space[f"{wanted} "]
