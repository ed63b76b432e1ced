"""A compiled formula of a declared sequence: a function of the current values, with its type and
parts.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bot.rules.declared.compile_context import FACE, Path, Setting
from bot.rules.declared.formula_functions import (
    MOST_TEXT,
    add,
    compute_remainder,
    count_passing,
    divide,
    divide_whole,
    format_value,
    get_attribute,
    join_text,
    multiply,
)

Env: TypeAlias = dict[str, Any]
"""The current values by key."""
Run: TypeAlias = Callable[[Env], Any]
SIGNS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: add, ast.Mult: multiply, ast.Mod: compute_remainder,
    ast.Sub: operator.sub, ast.Div: divide, ast.FloorDiv: divide_whole,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, some: one in some, ast.NotIn: lambda one, some: one not in some,
    ast.Is: operator.eq, ast.IsNot: operator.ne,  # none is a value like any other
}  # fmt: skip
"""The functions of the operators in formulas."""
TYPES: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "text"}
"""The types of constants."""


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A checked formula, or a part of one: its kind, its type, a function of the current values,
    and its parts.

    `kind` is constant, name, attribute, item, list, if, and, or, not, minus, compare, plus, sign,
    call (of a table or of a formula of the file's own), or the function of `CALLS` that it calls.
    `value` is that of a constant, or the key of a name. `reads` are the keys of the names in it,
    `source` is what was written, and `where` in the file.

    >>> names = {"roll": Name("roll", "number"), "mod": Name("mod", "number")}
    >>> held = Formulas(Setting("steps.yaml")).formula("roll + mod <= 7", names, ())
    >>> held.type, held.kind, held.reads, held.run({"roll": 6, "mod": 2})
    ('bool', 'compare', ('roll', 'mod'), False)
    """

    kind: str
    type: str
    run: Run
    parts: tuple[Formula, ...] = ()
    reads: tuple[str, ...] = ()
    value: Any = None
    source: str = ""
    where: Path = ()
    setting: Setting | None = None
    """The game and file of the formula."""

    def all_parts(self) -> Iterator[Formula]:
        """Yield the formula and all its parts, at every depth."""
        yield self
        for part in self.parts:
            yield from part.all_parts()

    def compile_attribute(self, name: str, missing: Formula | None, example: str = "5") -> Run:
        """Return the function that reads an attribute of the formula's value.

        If the value has no such attribute, the function returns that of `missing`. Without
        `missing`, it raises UserError for a unit, with the `example` in the hint.
        """
        thing = self.run
        if missing is None:
            return lambda env: get_attribute(thing(env), name, example=example)
        default = missing.run
        return lambda env: get_attribute(thing(env), name, default(env))

    def compile_count(self, test: Formula) -> Run:
        """Return the function that counts the faces of the formula's value that pass the test. The
        test reads each face under FACE.
        """

        def count_faces(env: Env) -> int:
            def passes(face: Any) -> Any:
                env[FACE] = face
                return test.run(env)

            return count_passing(self.run(env), passes)

        return count_faces


def build_constant(value: Any, type_: str = "") -> Formula:
    """Return the formula of a constant."""
    return Formula(
        "constant",
        type_ or TYPES.get(type(value), "any"),
        lambda _env: value,
        value=value,
        source=repr(value),
    )


def build_name(key: str, type_: str = "any") -> Formula:
    """Return the formula that reads one key."""
    return Formula("name", type_, operator.itemgetter(key), (), (key,), key, key)


def build_formula(kind: str, type_: str, run: Run, *parts: Formula, value: Any = None) -> Formula:
    """Return a formula of these parts; it reads what they read."""
    return Formula(
        kind,
        type_,
        run,
        parts,
        tuple(dict.fromkeys(key for part in parts for key in part.reads)),
        value,
    )


def formulas_in(ready: Any) -> Iterator[Formula]:
    """Yield the formulas in nested mappings, lists and tuples."""
    if isinstance(ready, Formula):
        yield ready
    elif isinstance(ready, Mapping | list | tuple):
        for value in ready.values() if isinstance(ready, Mapping) else ready:
            yield from formulas_in(value)


def _text(parts: Iterable[Formula]) -> Run:
    """Return the function that joins the parts as one text of limited length. Constants are
    formatted in advance.
    """
    pieces: list[Any] = [
        format_value(part.value) if part.kind == "constant" else part.run for part in parts
    ]

    if len(pieces) == 1 and pieces[0].__class__ is not str:
        (only,) = pieces
        return lambda env: format_value(only(env))[:MOST_TEXT]
    return lambda env: "".join(
        [piece if piece.__class__ is str else format_value(piece(env)) for piece in pieces]
    )[:MOST_TEXT]


def compile_call(function: Callable[..., Any], *parts: Formula) -> Run:
    """Return the function that calls `function` with the values of the parts."""
    if function is join_text:
        return _text(parts)
    runs = [part.run for part in parts]
    if len(runs) == 1:
        (only,) = runs
        return lambda env: function(only(env))
    if len(runs) == 2:
        first, second = runs
        if parts[1].kind == "constant":
            value = parts[1].value
            return lambda env: function(first(env), value)
        return lambda env: function(first(env), second(env))
    return lambda env: function(*[run(env) for run in runs])
