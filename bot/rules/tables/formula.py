"""Small formulas in table files: the arithmetic that a card prints beside its cells.

A formula reads the table's inputs and derived values by name: `(white + degrading - lm) / 2` is
written `half_up(white + degrading - lm)`. There are no loops, no calls but the few below and no
attribute access, so a table file stays data.
"""

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from keyword import iskeyword
from math import ceil, floor
from types import CodeType
from typing import Any

from bot.rules.errors import TableError, UserError, did_you_mean

_ALLOWED = (
    "Expression BoolOp And Or UnaryOp Not USub BinOp Add Sub Mult Div FloorDiv Mod Compare Eq NotEq Lt LtE Gt GtE In "
    "NotIn Is IsNot IfExp Call Name Load Constant Tuple List Subscript"
)
_NODES = tuple(getattr(ast, name) for name in _ALLOWED.split())


def to_plain_number(value: float) -> int | float:
    """An int where the number is whole, so that 2.0 is answered as 2."""
    return int(value) if value == int(value) else value


def half_up(value: float) -> int:
    """Half of `value`, fractions up."""
    return ceil(value / 2)


def half_down(value: float) -> int:
    """Half of `value`, fractions dropped (toward lower numbers)."""
    return floor(value / 2)


def find_heading(headings: Sequence[float], value: float) -> int:
    """Index of the highest heading that does not exceed `value`; -1 below the first."""
    return bisect_right(headings, value) - 1


def find_band(ends: Sequence[float], value: float) -> int:
    """Position of the first band that reaches as far as `value`; a band ends at its figure, 0 is
    the first band.

    Beyond the last figure it is the number of bands.
    """
    return bisect_left(ends, value)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "up": ceil,
    "down": floor,
    "half_up": half_up,
    "half_down": half_down,
    "place": find_heading,
    "reach": find_band,
    "plain": to_plain_number,
    "index": lambda items, item: list(items).index(item),
    "len": len,
}
KNOWN: Mapping[str, Any] = {**FUNCTIONS, "true": True, "false": False, "none": None}
"""What every formula may name."""
SCOPE: dict[str, Any] = {"__builtins__": {}, **KNOWN}

LONGEST = 2_000
"""Characters of a formula."""
LARGEST = 10**12
"""The largest number that a formula holds or comes to."""


def _check_number(value: Any) -> Any:
    if not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise TypeError("no number, or one without end")
    return value


_GUARDS: Mapping[type[ast.operator], str] = {
    ast.Add: "plus ",
    ast.Sub: "minus ",
    ast.Mult: "times ",
    ast.Div: "divided by ",
    ast.FloorDiv: "divided whole by ",
    ast.Mod: "modulo ",
}
"""All operators, some of which also take texts and lists, and the names of their replacements,
which no formula can write."""
GUARDED_SCOPE: dict[str, Any] = {
    **SCOPE,
    "plus ": lambda one, other: _check_number(_check_number(one) + _check_number(other)),
    "minus ": lambda one, other: _check_number(_check_number(one) - _check_number(other)),
    "times ": lambda one, other: _check_number(_check_number(one) * _check_number(other)),
    "divided by ": lambda one, other: _check_number(_check_number(one) / _check_number(other)),
    "divided whole by ": lambda one, other: _check_number(
        _check_number(one) // _check_number(other)
    ),
    "modulo ": lambda one, other: _check_number(one) % _check_number(other),
}


class Guarded(ast.NodeTransformer):
    """Operators become calls that take numbers alone, of at most `LARGEST`; without `guards` all
    stays as it is.
    """

    def __init__(self, guards: Mapping[type[ast.operator], str]) -> None:
        self._guards = guards

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:  # as ast names it
        """An operation, guarded where Python would repeat a text or join lists for it."""
        self.generic_visit(node)
        guard = self._guards.get(type(node.op))
        return (
            node
            if guard is None
            else ast.Call(ast.Name(guard, ast.Load()), [node.left, node.right], [])
        )


Formula = Callable[[Mapping[str, Any]], Any]


def compile_formula(
    text: object, names: set[str], file: str, *, row: object = None, bounded: bool = False
) -> Formula:
    """A function from named values to the formula's value. A bare number is a formula too.

    Raises TableError for syntax that is not allowed and for a name that the table does not have. A
    `bounded` formula takes no more time and memory than a look at a cell, whoever wrote it; where
    it has no value it raises UserError.
    """
    if isinstance(text, bool | int | float):
        _check_constant(text, file, row)
        return lambda _: text
    source = str(text)
    if len(source) > LONGEST:
        raise TableError(file, f"a formula has at most {LONGEST} characters", row=row)
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError as error:
        raise TableError(
            file, f'formula "{source:.80}" cannot be read: {error.msg}', row=row
        ) from None
    except (ValueError, MemoryError, RecursionError):
        raise TableError(
            file, "the formula cannot be read: it goes too deep, or has a zero character", row=row
        ) from None
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            raise TableError(
                file,
                f'formula "{source:.80}" uses {type(node).__name__}, which is not allowed',
                row=row,
            )
        if isinstance(node, ast.Constant) and not isinstance(
            node.value, str | bool | int | float | None
        ):
            raise TableError(
                file,
                f'formula "{source:.80}" uses {node.value!r:.40}, which is not allowed',
                row=row,
            )
        if isinstance(node, ast.Constant):
            _check_constant(node.value, file, row)
        if isinstance(node, ast.Name) and node.id.endswith("_") and iskeyword(node.id[:-1]):
            node.id = node.id[:-1]  # an input named `from` is written from_
        if isinstance(node, ast.Name) and node.id not in names and node.id not in KNOWN:
            hint = did_you_mean(node.id, names)
            said = f'formula "{source:.80}" names {node.id}, which this table does not have. {hint}'.rstrip(
                ". "
            )
            raise TableError(file, said, row=row)
    try:
        tree = ast.fix_missing_locations(Guarded(_GUARDS if bounded else {}).visit(tree))
        code = compile(tree, file, "eval")
    except RecursionError:
        raise TableError(file, "the formula cannot be read: it goes too deep", row=row) from None
    return _guard_formula(code, source) if bounded else lambda values: eval(code, SCOPE, values)


def _check_constant(value: object, file: str, row: object) -> None:
    """Raise TableError for a number that is too large, or without end."""
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise TableError(file, f"a formula has a number larger than {LARGEST:,}", row=row)


def _guard_formula(code: CodeType, source: str) -> Formula:
    """The formula, with a refusal in place of what Python says where it comes to nothing."""

    def answer(values: Mapping[str, Any]) -> Any:
        try:
            return eval(code, GUARDED_SCOPE, values)
        except (ArithmeticError, TypeError, ValueError, LookupError, NameError):
            raise UserError(
                f'The card\'s formula "{source[:80]}" has no value here.', code="not-on-card"
            ) from None

    return answer
