"""No circle of files, those that are named by a string counted too; and who may name or import one
late.

The contract in pyproject.toml sees what is imported, late or not. Here are the strings: tables of
handlers and commands, and what the worker runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[1]
BY_NAME = {
    "bot/__main__.py",
    "bot/rulesets/system.py",  # the Python sequences of a game
    "bot/cli/doctor.py",
    "bot/odds_pool/pool.py",
    "bot/odds_pool/process.py",
}
"""Files that name a module of ours by a string."""
LATE = {
    "bot/__main__.py",
    "bot/cli/cli.py",
    "adapters/run.py",
    "adapters/discord/serve.py",  # a web server
    "bot/forms/form_choices.py",  # YAML, which is kept read
    "bot/rulesets/packs/pack.py",
    "bot/packs/review.py",  # the importers, for a start of the bot
    "bot/storage/opening.py",
    "bot/odds_pool/process.py",
    "bot/rulesets/system.py",  # what a lookup does without: inputs, steps, YAML, packs
    "bot/rulesets/yaml_cache.py",
    "bot/rulesets/game_file.py",
    "bot/rulesets/catalog.py",
    "bot/cli/database.py",  # extras
    "adapters/web/health.py",
    "adapters/console/session.py",
}
"""Files that import some of ours inside a function, or for types alone; each says what that
saves.
"""
NAMED = re.compile(r"(?:(?:bot|adapters)(?:\.\w+)+)(?::\w+)?|[a-z]+\.[a-z_]+:[a-z_]+")


def modules(may_hold: str = "") -> Iterator[tuple[str, str, ast.Module]]:
    """Each file of ours in whose text that is found, its module and what it holds."""
    for folder in ("bot", "adapters"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name, text = path.relative_to(ROOT), path.read_text("utf-8")
            if re.search(may_hold, text, re.MULTILINE):
                yield str(name), ".".join(name.with_suffix("").parts), ast.parse(text)


def named_in(tree: ast.Module, known: set[str]) -> Iterator[str]:
    """The modules that strings of a file name, those of handlers of commands as well."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and NAMED.fullmatch(node.value)
        ):
            module = node.value.partition(":")[0]
            yield from {module, f"bot.commands.{module}"} & known


@pytest.mark.slow
def test_no_circle_of_files_where_strings_count() -> None:
    graph = grimp.build_graph("bot", "adapters", cache_dir=None)
    arrows = {
        module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules
    }
    named = dict[str, set[str]]()
    for name, module, tree in modules():
        named[name] = set(named_in(tree, graph.modules)) - {module}
        arrows.setdefault(module, set()).update(named[name])
    assert {name for name, found in named.items() if found} <= BY_NAME
    TopologicalSorter(arrows).prepare()  # raises CycleError, which names the circle


def test_imports_stand_at_the_top_but_where_a_figure_says_why() -> None:
    late = set()
    for name, _, tree in modules(r"^.+\b(from|import)\b.*\b(bot|adapters)\b"):
        for node in {*ast.walk(tree)} - {*tree.body}:
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [module]
            )
            if any(one.split(".")[0] in ("bot", "adapters") for one in names):
                late.add(name)
    assert late == LATE
