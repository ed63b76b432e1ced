"""Formulas of a table in words, as cards have them."""

import ast
import re
from typing import Any

from bot.rules.tables.print_pattern import format_signed

_INPUT = re.compile(r"(?P<minus>-?)(?:(?P<name>[a-z_]\w*)|min\((?P<capped>\w+), (?P<most>\d+)\))")
_EACH = re.compile(r"(?P<number>-?\d+) \* \w+")


def format_modifier(text: str, say: Any) -> str:
    """Return what a modifier adds: `+ leader` for an input, `−2 each` for a number of each."""
    match = _EACH.fullmatch(text)
    if match:
        return f"{format_signed(int(match['number']))} each"
    match = _INPUT.fullmatch(text)
    if match:
        sign = chr(0x2212) if match["minus"] else "+"
        name = say(match["name"] or match["capped"])
        limit = f", at most {match['most']}" if match["most"] else ""
        return f"{sign} {name}{limit}"
    return format_formula(text, say)


def format_formula(text: str, say: Any) -> str:
    """Return a formula as a card prints it: `+2 standard, +1 modern` for choices, else its words."""
    tree = ast.parse(text, mode="eval").body  # loading has checked it
    if isinstance(tree, ast.IfExp):
        pieces = []
        node: ast.expr = tree
        while isinstance(node, ast.IfExp):
            pieces.append(
                f"{_format_signed_value(node.body, say)} {_format_condition(node.test, say)}"
            )
            node = node.orelse
        if not (isinstance(node, ast.Constant) and node.value in (0, "", None, "none", False)):
            pieces.append(f"else {_format_signed_value(node, say)}")
        return ", ".join(pieces)
    return _format_plain_formula(tree, say)


def _format_signed_value(node: ast.expr, say: Any) -> str:
    """Return a number with its sign, another constant as `say` words it, and anything else as a
    formula.
    """
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return _format_plain_formula(node, say)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_signed(value)
    return str(say(value))


def _format_condition(node: ast.expr, say: Any) -> str:
    """Return a condition in words: `standard` for `assault == 'standard'`.

    The name of the row says what the condition is about.
    """
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
        operator = node.ops[0]
        right = node.comparators[0]
        is_text = isinstance(right, ast.Constant) and isinstance(right.value, str)
        if isinstance(operator, ast.Eq) and isinstance(right, ast.Constant) and is_text:
            word = node.left.id if right.value == "yes" else right.value
            return str(say(word))
        if isinstance(operator, ast.In) and isinstance(right, ast.Tuple):
            constants = [item for item in right.elts if isinstance(item, ast.Constant)]
            return " or ".join(str(say(item.value)) for item in constants)
    return f"if {_format_plain_formula(node, say)}"


_SIGNS = {
    " == ": " is ",
    " != ": " is not ",
    " <= ": " ≤ ",
    " >= ": " ≥ ",
    " // ": " / ",
    " * ": " × ",
}


def _format_plain_formula(node: ast.expr, say: Any) -> str:
    """Return a formula with the names and signs that players use."""
    text = re.sub(r"'([^']*)'", lambda match: str(say(match[1])), ast.unparse(node))
    text = re.sub(r"\b([a-z]\w*_\w*)\b", lambda match: str(say(match[1])), text)
    for sign, word in _SIGNS.items():
        text = text.replace(sign, word)
    return re.sub(r"(?<![\w)])-|(?<= )-(?= )", "\u2212", text)
