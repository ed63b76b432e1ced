"""Where something is: files, functions and figures whose name or first sentence has all the words:
`make where`.

python -m tools.where odds slack    what is called so first, then files that say so, then what is in others
python -m tools.where               every file with its first sentence
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("bot", "adapters", "tools")
SCRIPT = re.compile(r"/\*\s*(.+?)\*/", re.DOTALL)


class Found(NamedTuple):
    """A file, or something in it (`name`), and what it says of itself."""

    file: str
    name: str
    says: str

    def has(self, words: list[str]) -> bool:
        """Whether each of the words is in its path, its name or its sentence."""
        text = f"{self.file} {self.name} {self.says}".lower()
        return all(word in text for word in words)

    def is_called(self, words: list[str]) -> bool:
        """Whether its own name has them all: that of a file, or of what is in it."""
        name = self.name or self.file.rpartition("/")[2]
        return bool(words) and all(word in name.lower().replace("_", " ") for word in words)


@cache
def everything(root: Path) -> tuple[Found, ...]:
    """Each file of code and tables with what is in it that has a sentence."""
    return tuple(_everything(root))


def _everything(root: Path) -> Iterator[Found]:
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            yield from _code(path, str(path.relative_to(root)))
    for path in sorted((root / "bot").rglob("*.js")):
        told = SCRIPT.search(path.read_text(encoding="utf-8"))
        yield Found(str(path.relative_to(root)), "", _sentence(told[1] if told else ""))
    for path in sorted((root / "tables").rglob("*.yaml")):
        yield from _tables(path, str(path.relative_to(root)))


def _tables(path: Path, file: str) -> Iterator[Found]:
    """A table by its title, with the modifiers in it, a file of steps by its first line, and each
    sequence of a game by its own title."""
    text = path.read_text(encoding="utf-8")
    told = yaml.load(text, yaml.CSafeLoader)
    comment = text.split("\n", 1)[0].lstrip("# ") if text.startswith("#") else ""
    yield Found(file, "", told.get("title", comment))
    rows = told.get("rows")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and "id" in row:
            yield Found(
                file, str(row["id"]), f"{row.get('name', '')}, of {told.get('title', comment)}"
            )
    if path.name == "sequences.yaml":
        for name, sequence in told.items():
            yield Found(file, name, f"{sequence['title']}. {sequence['summary']}")


def _code(path: Path, file: str) -> Iterator[Found]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield Found(file, "", _sentence(ast.get_docstring(tree)))
    yield from _find_named(file, "", tree.body)


def _find_named(file: str, before: str, body: list[ast.stmt]) -> Iterator[Found]:
    for at, statement in enumerate(body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if told := ast.get_docstring(statement):
                yield Found(file, before + statement.name, _sentence(told))
            if isinstance(statement, ast.ClassDef):
                yield from _find_named(file, f"{statement.name}.", statement.body)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            names = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            behind = body[at + 1] if at + 1 < len(body) else None
            if isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant):
                yield Found(
                    file,
                    before + ", ".join(map(ast.unparse, names)),
                    _sentence(str(behind.value.value)),
                )


def _sentence(text: str | None) -> str:
    """The first paragraph on one line."""
    return " ".join((text or "").split("\n\n")[0].split())


def main(words: list[str]) -> int:
    """Prints what has all the words, what is called so first, then whole files; 1 where nothing
    has.
    """
    words = [word.lower() for word in words]
    found = [one for one in everything(ROOT) if one.has(words) and (words or not one.name)]
    shown = sorted(found, key=lambda one: (not one.is_called(words), bool(one.name)))
    for one in shown:
        print(f"{one.file}{f', {one.name}' if one.name else ''}: {one.says}")
    if not shown:
        print(
            "Nothing has all of these words: try one of them, or another (docs/glossary.md has ours).",
            file=sys.stderr,
        )
    return 0 if shown else 1


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:]).split()))
