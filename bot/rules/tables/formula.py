"""Small formulas in table files: the arithmetic that a card prints next to its cells.

A formula reads the table's inputs and derived values by name: `(white + degrading - lm) / 2` is
written `half_up(white + degrading - lm)`. It has no loops and no attribute access, and calls only
the functions of `FUNCTIONS`, so a table file stays data.
"""

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
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
    """Return a whole number as an int, so that a table answers 2 and not 2.0."""
    return int(value) if value == int(value) else value


def half_up(value: float) -> int:
    """Return half of `value`, rounded up."""
    return ceil(value / 2)


def half_down(value: float) -> int:
    """Return half of `value`, rounded down (toward lower numbers)."""
    return floor(value / 2)


def find_heading(headings: Sequence[float], value: float) -> int:
    """Return the index of the highest of the rising headings that does not exceed `value`.

    Return -1 if `value` is below the first heading.
    """
    return bisect_right(headings, value) - 1


def find_band(uppers: Sequence[float], value: float) -> int:
    """Return the index of the first band that reaches as far as `value`.

    `uppers` are the rising upper limits of the bands, inclusive. Beyond the last of them the index
    is the number of bands.
    """
    return bisect_left(uppers, value)


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
"""Functions and constants that every formula may name."""
SCOPE: dict[str, Any] = {"__builtins__": {}, **KNOWN}

LONGEST = 2_000
"""Maximum length of a formula in characters."""
LARGEST = 10**12
"""Largest number, positive or negative, that a formula may contain. In a bounded formula also the
largest operand and the largest result of plus, minus, times and divided by.
"""


def _check_number(value: Any) -> Any:
    """Return `value` unchanged. Raise TypeError unless it is a number within ±LARGEST."""
    if not isinstance(value, int | float) or not -LARGEST <= value <= LARGEST:
        raise TypeError("not a number, or an infinite one")
    return value


_GUARDS: Mapping[type[ast.operator], str] = {
    ast.Add: "plus ",
    ast.Sub: "minus ",
    ast.Mult: "times ",
    ast.Div: "divided by ",
    ast.FloorDiv: "divided whole by ",
    ast.Mod: "modulo ",
}
"""The name of the checked function that replaces each operator in a bounded formula. Some operators
also take texts and lists. The names have spaces in them, so no formula can write them.
"""
GUARDED_SCOPE: dict[str, Any] = {
    **SCOPE,
    "plus ": lambda x, y: _check_number(_check_number(x) + _check_number(y)),
    "minus ": lambda x, y: _check_number(_check_number(x) - _check_number(y)),
    "times ": lambda x, y: _check_number(_check_number(x) * _check_number(y)),
    "divided by ": lambda x, y: _check_number(_check_number(x) / _check_number(y)),
    "divided whole by ": lambda x, y: _check_number(_check_number(x) // _check_number(y)),
    "modulo ": lambda x, y: _check_number(x) % _check_number(y),
}


class Guarded(ast.NodeTransformer):
    """A transformer that turns operators into calls of checked functions, which take only numbers
    within ±LARGEST.

    `guards` has the name of the function for each operator; other operators stay as they are.
    """

    def __init__(self, guards: Mapping[type[ast.operator], str]) -> None:
        self._guards = guards

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:  # as ast names it
        """Return the call of the checked function for an operation, or the operation itself."""
        self.generic_visit(node)
        guard = self._guards.get(type(node.op))
        if guard is None:
            return node
        return ast.Call(ast.Name(guard, ast.Load()), [node.left, node.right], [])


SINGLE_EQUALS = re.compile(r"(?<![=!<>])=(?!=)")
"""A single `=`, which compares nothing in a formula."""

Formula = Callable[[Mapping[str, Any]], Any]
"""A compiled formula: takes the values of a table by name and returns the formula's value."""


def compile_formula(
    text: object,
    names: set[str],
    file: str,
    *,
    row: object = None,
    bounded: bool = False,
    words: Collection[str] = (),
) -> Formula:
    """Compile a formula into a function from named values to its value.

    A bare number or truth value is a formula too. `names` are the inputs, outputs and constants
    that the formula may name, `words` their values, which a formula must quote. A `bounded`
    formula, of a pack that a player wrote, takes only numbers within ±LARGEST and raises UserError
    with code `not-on-card` if it has no value.

    Raises TableError, which names `file` and `row`, for syntax that is not allowed and for an
    unknown name.
    """
    if isinstance(text, bool | int | float):
        _check_constant(text, file, row)
        return lambda _: text
    source = str(text)
    if len(source) > LONGEST:
        raise TableError(file, f"a formula has at most {LONGEST} characters", row=row)
    tree = _parse_formula(source, file, row)
    for node in ast.walk(tree):
        _check_node(node, source, names, words, file, row)
    try:
        guarded_tree = Guarded(_GUARDS if bounded else {}).visit(tree)
        code = compile(ast.fix_missing_locations(guarded_tree), file, "eval")
    except RecursionError:
        raise TableError(
            file, "the formula cannot be read: it is nested too deep", row=row
        ) from None
    if bounded:
        return _guard_formula(code, source)
    return lambda values: eval(code, SCOPE, values)


def _parse_formula(source: str, file: str, row: object) -> ast.Expression:
    """Parse a formula. Raises TableError if it is not an expression of Python."""
    try:
        return ast.parse(source, mode="eval")
    except SyntaxError as error:
        hint = "; == compares" if SINGLE_EQUALS.search(source) else ""
        raise TableError(
            file, f'formula "{source:.80}" cannot be read: {error.msg}{hint}', row=row
        ) from None
    except (ValueError, MemoryError, RecursionError):
        raise TableError(
            file,
            "the formula cannot be read: it is nested too deep, or has a zero character",
            row=row,
        ) from None


def _check_node(
    node: ast.AST, source: str, names: set[str], words: Collection[str], file: str, row: object
) -> None:
    """Raise TableError if one node of a formula is not allowed.

    Rename a name such as `from_`, which stands for an input named by a Python keyword, in place.
    """
    if not isinstance(node, _NODES):
        problem = f'formula "{source:.80}" uses {type(node).__name__}, which is not allowed'
        raise TableError(file, problem, row=row)
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, str | bool | int | float | None):
            problem = f'formula "{source:.80}" uses {node.value!r:.40}, which is not allowed'
            raise TableError(file, problem, row=row)
        _check_constant(node.value, file, row)
    if isinstance(node, ast.Name):
        if node.id.endswith("_") and iskeyword(node.id[:-1]):
            node.id = node.id[:-1]
        if node.id not in names and node.id not in KNOWN:
            hint = _suggest_name(node.id, names, words)
            problem = (
                f'formula "{source:.80}" names {node.id}, which this table does not have. {hint}'
            )
            raise TableError(file, problem.rstrip(". "), row=row)


def _suggest_name(written: str, names: set[str], words: Collection[str]) -> str:
    """Return what an author may have meant by an unknown name: a similar one, or a word."""
    similar_name = "" if written in words else did_you_mean(written, names)
    return similar_name or f"Quote a word: '{written}'"


def _check_constant(value: object, file: str, row: object) -> None:
    """Raise TableError for a number beyond ±LARGEST, such as an infinite one."""
    if isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise TableError(file, f"a formula has a number larger than {LARGEST:,}", row=row)


def _guard_formula(code: CodeType, source: str) -> Formula:
    """Return a formula that raises UserError in place of Python's errors if it has no value."""

    def evaluate(values: Mapping[str, Any]) -> Any:
        try:
            return eval(code, GUARDED_SCOPE, values)
        except (ArithmeticError, TypeError, ValueError, LookupError, NameError):
            raise UserError(
                f'The card\'s formula "{source[:80]}" has no value here.', code="not-on-card"
            ) from None

    return evaluate
