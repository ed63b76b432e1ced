"""Which formulas have a value whatever the inputs are, so that nobody needs to try them before the dice."""

from __future__ import annotations

import ast

SURE = "sure"
"""An attribute of a call that cannot fail by itself: an output of a table, a sure formula of the file."""
SAFE_CALLS = frozenset(
    ("text", "words", "upper", "capital", "has", "typed", "commas", "len", "called", "called_among", "joined",
     "rostered", "twice", "names")
)  # fmt: skip
"""Functions that have a value whatever the units or words are that they are for."""
_SAFE = (
    ast.Constant, ast.Name, ast.Load, ast.IfExp, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.Compare,
    ast.Eq, ast.NotEq, ast.Tuple, ast.List,
)  # fmt: skip
_STRICT = frozenset(("times ", "plus ", "mod ", "item ", "listing "))


def may_fail(node: ast.AST) -> bool:
    """Whether some inputs could leave a formula without a value, so that it must be asked before the dice."""
    if isinstance(node, ast.Call):
        return _call_fails(node) or any(map(may_fail, node.args))
    if isinstance(node, ast.Compare) and all(map(_is_count, (node.left, *node.comparators))):
        return any(map(may_fail, (node.left, *node.comparators)))
    return not isinstance(node, _SAFE) or any(map(may_fail, ast.iter_child_nodes(node)))


def _call_fails(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if getattr(node, SURE, False):
        return False
    if name == "of":
        return len(node.args) < 3 and _may_lack(node)
    if name.endswith(" "):
        return name in _STRICT
    return name not in SAFE_CALLS or bool(node.keywords)


def _may_lack(node: ast.Call) -> bool:
    """Whether a unit may be without it."""
    asked = node.args[1]
    return not (isinstance(asked, ast.Constant) and asked.value in ("type", "word", "name", "state"))


def _is_count(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and isinstance(node.value, int)) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
    )
