"""A formula of a declared sequence, as a function of the values at hand with what is known of
it.
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
"""The values at hand, each under the key of its name."""
Run: TypeAlias = Callable[[Env], Any]
SIGNS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: add, ast.Mult: multiply, ast.Mod: compute_remainder,
    ast.Sub: operator.sub, ast.Div: divide, ast.FloorDiv: divide_whole,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda one, some: one in some, ast.NotIn: lambda one, some: one not in some,
    ast.Is: operator.eq, ast.IsNot: operator.ne,  # none is a value like any other
}  # fmt: skip
"""What the signs of formulas do."""
TYPES: Mapping[type, str] = {bool: "bool", int: "number", float: "number", str: "text"}
"""The types of values that may be written."""


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """A checked formula, or a part of one: what it is, its type, a function of the values at hand,
    what it is made of.

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
    """The game and file that it is read in."""

    def all_parts(self) -> Iterator[Formula]:
        """Itself and all that it is made of."""
        yield self
        for part in self.parts:
            yield from part.all_parts()

    def compile_attribute(self, name: str, missing: Formula | None, example: str = "5") -> Run:
        """The attribute of what it comes to; what `missing` says where that has none.

        Without `missing` a unit that lacks it is refused, with the `example` in the hint.
        """
        thing = self.run
        if missing is None:
            return lambda env: get_attribute(thing(env), name, example=example)
        default = missing.run
        return lambda env: get_attribute(thing(env), name, default(env))

    def compile_count(self, test: Formula) -> Run:
        """Return how many of the faces that it comes to pass the test, in which each is FACE."""

        def count_faces(env: Env) -> int:
            def passes(face: Any) -> Any:
                env[FACE] = face
                return test.run(env)

            return count_passing(self.run(env), passes)

        return count_faces


def build_constant(value: Any, type_: str = "") -> Formula:
    """A value as a formula that reads nothing."""
    return Formula(
        "constant",
        type_ or TYPES.get(type(value), "any"),
        lambda _env: value,
        value=value,
        source=repr(value),
    )


def build_name(key: str, type_: str = "any") -> Formula:
    """A formula that is a name and no more."""
    return Formula("name", type_, operator.itemgetter(key), (), (key,), key, key)


def build_formula(kind: str, type_: str, run: Run, *parts: Formula, value: Any = None) -> Formula:
    """A formula of these parts."""
    return Formula(
        kind,
        type_,
        run,
        parts,
        tuple(dict.fromkeys(key for part in parts for key in part.reads)),
        value,
    )


def formulas_in(ready: Any) -> Iterator[Formula]:
    """The formulas in something that is made of them."""
    if isinstance(ready, Formula):
        yield ready
    elif isinstance(ready, Mapping | list | tuple):
        for value in ready.values() if isinstance(ready, Mapping) else ready:
            yield from formulas_in(value)


def _text(parts: Iterable[Formula]) -> Run:
    """The pieces in a row, cut where they are too long; what is written is at hand already."""
    pieces: list[Any] = [
        format_value(part.value) if part.kind == "constant" else part.run for part in parts
    ]

    if len(pieces) == 1 and pieces[0].__class__ is not str:
        (only,) = pieces
        return lambda env: format_value(only(env))[:MOST_TEXT]
    return lambda env: "".join(
        [one if one.__class__ is str else format_value(one(env)) for one in pieces]
    )[:MOST_TEXT]


def compile_call(function: Callable[..., Any], *parts: Formula) -> Run:
    """What a function makes of the parts."""
    if function is join_text:
        return _text(parts)
    runs = [part.run for part in parts]
    if len(runs) == 1:
        (only,) = runs
        return lambda env: function(only(env))
    if len(runs) == 2:
        one, other = runs
        if parts[1].kind == "constant":
            value = parts[1].value
            return lambda env: function(one(env), value)
        return lambda env: function(one(env), other(env))
    return lambda env: function(*[run(env) for run in runs])
