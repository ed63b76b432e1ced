"""Every kind of error has one stable code, on one list."""

from __future__ import annotations

import ast
from pathlib import Path

from bot.rules.codes import CODES

ROOT = Path(__file__).parents[1]
RAISED = ("UserError", "StoreError", "super().__init__")


def written(path: Path) -> set[str]:
    """The codes that a file of ours writes out."""
    codes: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in RAISED:
            found = [word.value for word in node.keywords if word.arg == "code"]
        elif isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Error") for base in node.bases):
            found = [line.value for line in node.body if isinstance(line, (ast.Assign, ast.AnnAssign)) and line.value]
        else:
            continue
        codes |= {str(part.value) for code in found for part in ast.walk(code) if isinstance(part, ast.Constant)}
    return codes


def test_the_codes_that_are_raised_are_those_on_the_list() -> None:
    raised = set().union(*(written(path) for room in ("bot", "adapters") for path in (ROOT / room).rglob("*.py")))
    assert raised == set(CODES)
