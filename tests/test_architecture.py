"""Imports point one way: adapters to bot, bot to bot/rules; the rules know nobody."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PLATFORMS = {"discord", "slack_bolt", "slack_sdk"}
# What a pure rule has no business with: waiting, rolling, logging, clocks, files, settings.
IMPURE = {
    "asyncio",
    "aiosqlite",
    "random",
    "secrets",
    "logging",
    "time",
    "datetime",
    "os",
    "pathlib",
    "socket",
    "sqlite3",
}


def imports(path: Path) -> Iterator[str]:
    """Full names of the modules that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def breaches(root: Path, folder: str, forbidden: set[str]) -> list[str]:
    """Imports under `folder` of a forbidden top-level module."""
    return [
        f"{path.relative_to(root)} imports {name}"
        for path in sorted((root / folder).rglob("*.py"))
        for name in imports(path)
        if name.split(".")[0] in forbidden
    ]


def test_the_core_knows_no_platform(root: Path) -> None:
    assert breaches(root, "bot", PLATFORMS) == []


def test_only_the_wiring_knows_the_adapters(root: Path) -> None:
    outside = [line for line in breaches(root, "bot", {"adapters"}) if not line.startswith("bot/__main__.py")]
    assert outside == []


def test_the_rules_are_pure(root: Path) -> None:
    assert breaches(root, "bot/rules", IMPURE | PLATFORMS | {"adapters"}) == []


def test_the_rules_import_only_rules_and_the_standard_library(root: Path) -> None:
    strangers = [
        f"{path.relative_to(root)} imports {name}"
        for path in sorted((root / "bot" / "rules").rglob("*.py"))
        for name in imports(path)
        if not (name.startswith("bot.rules") or name.split(".")[0] in sys.stdlib_module_names)
    ]
    assert strangers == []
