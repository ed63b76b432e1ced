"""Writing a function out of a table: lines of text, with the syntax of its formulas in their places."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.tables.formula import SCOPE, Formula, tree_of

if TYPE_CHECKING:
    from bot.rules.tables.table import Table


class Writer:
    """The text of a function under way, and what it names."""

    def __init__(self, table: Table) -> None:
        self.table, self.lines = table, list[str]()
        self.scope: dict[str, Any] = {**SCOPE, "clean": clean, "UserError": UserError}
        self.trees: dict[str, ast.expr] = {}

    def name(self, value: object) -> str:
        """A name for something that the function uses."""
        found = f"k{len(self.scope)}"
        self.scope[found] = value
        return found

    def formula(self, formula: Formula) -> str:
        """A formula, in place where its text is known."""
        tree = tree_of(formula)
        if tree is None:
            return f"{self.name(formula)}(values)"
        self.trees[found := f"tree{len(self.trees)}"] = tree
        return found

    def function(self, head: str) -> Any:
        """The function with this head and these lines."""
        text = f"def {head}:\n" + "\n".join(f"    {line}" for line in self.lines)
        module = InPlace(self.trees).visit(ast.parse(text))
        exec(compile(ast.fix_missing_locations(module), f"table {self.table.id}", "exec"), self.scope)
        return self.scope[head.split("(")[0]]


class InPlace(ast.NodeTransformer):
    """Formulas come in where their names are; their one argument is called `values` here."""

    def __init__(self, trees: Mapping[str, ast.expr]) -> None:
        self._trees = trees

    def visit_Name(self, node: ast.Name) -> ast.expr:  # as ast names it
        """A formula, or its argument."""
        if node.id == "values ":
            return ast.Name("values", node.ctx)
        tree = self._trees.get(node.id)
        return node if tree is None else self.visit(tree)


class NotLocal(Exception):
    """A value is asked for that has no local name."""


class AsLocals(ast.NodeTransformer):
    """A formula reads local names."""

    def __init__(self, local: Mapping[str, str]) -> None:
        self._local = local

    def visit_Compare(self, node: ast.Compare) -> ast.expr:  # as ast names it
        """Whether there is a value of this name is known."""
        if isinstance(node.left, ast.Constant) and _are_values(node.comparators[0]):
            return ast.Constant(node.left.value in self._local)
        self.generic_visit(node)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:  # as ast names it
        """Where a name is a value or a function, it is known which."""
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant) and isinstance(node.test.value, bool):
            return self.visit(node.body if node.test.value else node.orelse)  # type: ignore[no-any-return]
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:  # as ast names it
        """A value by its name."""
        if _are_values(node.value) and isinstance(node.slice, ast.Constant):
            local = self._local.get(str(node.slice.value))
            if local is None:
                raise NotLocal
            return ast.Name(local, ast.Load())
        self.generic_visit(node)
        return node


def _are_values(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.strip() == "values"
