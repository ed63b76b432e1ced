"""Write every sentence that a player, host or author can read into one file, screen by screen.

    python -m tools.sentences                 write build/sentences.md and print how many there are
    python -m tools.sentences --search REGEX  print the sentences that match, with their place

Proofreaders work from this file. Each line has the place in the sources and the sentence; values that
are filled in are in braces, as in the code. The sentences come from

- texts in the code of `bot` and `adapters` (docstrings, logging and SQL are left out),
- words in the YAML of the games and of the free packs,
- the templates and scripts of the pages.

The documents are not in it: they are pages of their own.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "sentences.md"

SCREENS: dict[str, str] = {
    "adapters/console": "Console",
    "adapters/discord": "Discord",
    "adapters/slack": "Slack",
    "adapters/web": "Live page",
    "adapters": "Discord, Slack and the console",
    "bot/presentation": "Answers to rolls, tables and sequences",
    "bot/commands/games": "Commands: games",
    "bot/commands/help": "Help",
    "bot/commands/log": "Commands: log and sharing",
    "bot/commands/cards": "Commands: cards and hands",
    "bot/commands/undo": "Commands: undo",
    "bot/commands/privacy": "Commands: privacy",
    "bot/commands/packs": "Commands: packs",
    "bot/commands/macros": "Commands: macros",
    "bot/commands/play": "Commands: dice, tables, sequences, odds",
    "bot/commands/by_post": "Commands: play by post",
    "bot/commands/turns": "Commands: turns and phases",
    "bot/commands/units": "Commands: units",
    "bot/commands": "Commands",
    "bot/forms": "Forms at work, and corrections of refused commands",
    "bot/cli": "Command line",
    "bot/ui": "Command descriptions, forms and typed text",
    "bot/packs": "Authors: check and importers",
    "bot/charts": "Pictures",
    "bot/runtime": "Settings and start of the bot",
    "bot/report": "After-action page",
    "bot/rules": "Rules: refusals, units, modifiers",
    "bot/storage": "Database",
    "bot/rulesets": "Games: files and sequences",
    "bot/verification": "grognard verify",
    "bot": "Other parts of the bot",
    "tables": "Words of the games",
    "packs": "Words of the free packs",
}
"""The heading for the files below a folder; the longest folder that fits counts."""

TWO_WORDS = re.compile(r"[A-Za-z’'}][,;:.!?]? [A-Za-z{“\"(]")
NOT_A_SENTENCE = re.compile(
    r"^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|ALTER|DROP)\b|^[<^\\(]"
)
UNREAD_CALLS = frozenset(
    {"debug", "info", "warning", "error", "exception", "critical", "compile", "getLogger"}
)
"""Functions whose texts no player reads: logging, and patterns."""
UNREAD_KEYS = frozenset(
    {"source", "when", "dice", "example", "value", "of", "formula", "test", "pool", "unit"}
)
"""Keys of the games' YAML whose values are not sentences."""
FORMULA_KEYS = frozenset({"let", "formulas", "set", "derive", "with", "text_by"})
"""Keys of the games' YAML below which there are formulas: of these, only texts in quotes are read."""
TEXT_IN_FORMULA = re.compile(r"'([^']*)'|\"([^\"]*)\"")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text that somebody can read, and where it is: path from the root, and line."""

    path: str
    line: int
    text: str


def collect_sentences(root: Path = ROOT) -> list[Sentence]:
    """Return all sentences in the sources, in the order of files and lines."""
    sentences: list[Sentence] = []
    for folder in ("bot", "adapters"):
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            sentences += read_python(name, path.read_text("utf-8"))
    for folder in ("tables", "packs"):
        for path in sorted((root / folder).rglob("*.yaml")):
            name = path.relative_to(root).as_posix()
            sentences += read_yaml(name, path.read_text("utf-8"))
    for path in sorted((root / "bot/report/templates").iterdir()):
        if path.suffix in (".j2", ".js"):
            name = path.relative_to(root).as_posix()
            sentences += read_template(name, path.read_text("utf-8"))
    return sentences


def read_python(path: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences in a file of Python, with `{...}` for what is filled in."""
    tree = ast.parse(source)
    unread = set(find_unread_nodes(tree))
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        text = get_text(node)
        if text is not None and is_sentence(text):
            yield Sentence(path, getattr(node, "lineno", 0), " ".join(text.split()))


def find_unread_nodes(tree: ast.Module) -> Iterator[int]:
    """Yield the ids of nodes that nobody reads: docstrings, logging, patterns, parts of f-strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
        elif isinstance(node, ast.Call):
            function = node.func
            name = (
                function.attr
                if isinstance(function, ast.Attribute)
                else getattr(function, "id", "")
            )
            if name in UNREAD_CALLS:
                yield from (id(inner) for inner in ast.walk(node))
        elif isinstance(node, ast.JoinedStr):
            yield from (id(part) for part in node.values if isinstance(part, ast.Constant))


def get_text(node: ast.AST) -> str | None:
    """Return the text of a string or an f-string, or None for any other node."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            elif isinstance(part, ast.FormattedValue):
                parts.append("{" + ast.unparse(part.value) + "}")
        return "".join(parts)
    return None


def read_yaml(path: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences in a YAML file of a game or pack."""
    root = yaml.compose(source, yaml.CSafeLoader)
    nodes: list[tuple[str, bool, yaml.Node]] = [("", False, root)] if root is not None else []
    while nodes:
        key, in_formula, node = nodes.pop()
        if isinstance(node, yaml.MappingNode):
            for name, value in reversed(node.value):
                is_outputs = (
                    node is root and name.value == "then"
                )  # of a table, each with its formula
                is_formula = in_formula or is_outputs or name.value in FORMULA_KEYS
                nodes.append((name.value, is_formula, value))
        elif isinstance(node, yaml.SequenceNode):
            nodes += [(key, in_formula, item) for item in reversed(node.value)]
        elif key not in UNREAD_KEYS:
            for text in find_formula_texts(node.value) if in_formula else [node.value]:
                if is_sentence(text):
                    yield Sentence(path, node.start_mark.line + 1, " ".join(text.split()))


def find_formula_texts(formula: str) -> list[str]:
    """Return the texts in quotes in a formula."""
    return [single or double for single, double in TEXT_IN_FORMULA.findall(formula)]


def read_template(path: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences in a template of a page, or in the strings of its scripts."""
    pattern = r"\"([^\"\n]+)\"|`([^`]+)`" if path.endswith(".js") else r">([^<>{}]+)<"
    for match in re.finditer(pattern, source):
        text = next((group for group in match.groups() if group), "")
        if is_sentence(text):
            line = source.count("\n", 0, match.start()) + 1
            yield Sentence(path, line, " ".join(text.split()))


def is_sentence(text: str) -> bool:
    """Return whether a text has two words in a row, and is neither SQL, markup nor a pattern."""
    has_control_characters = any(
        ord(character) < 32 and character not in "\n\t" for character in text
    )
    return (
        bool(TWO_WORDS.search(text))
        and not NOT_A_SENTENCE.search(text)
        and not has_control_characters
    )


def get_screen(path: str) -> str:
    """Return the heading for a file."""
    folders = [folder for folder in SCREENS if path.startswith(f"{folder}/")]
    return SCREENS[max(folders, key=len)]


def format_sentences(sentences: list[Sentence]) -> str:
    """Format the sentences as Markdown, one heading for each screen."""
    by_screen: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_screen[get_screen(sentence.path)].append(sentence)
    parts = ["# Every sentence\n"]
    for screen, rows in sorted(by_screen.items()):
        lines = [f"- {row.text} ({row.path}:{row.line})" for row in rows]
        parts.append(f"## {screen}: {len(rows)}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the file, or print what matches. Return the exit status."""
    parser = argparse.ArgumentParser(description="Write every sentence that somebody can read.")
    parser.add_argument("--search", help="print the sentences that match this pattern")
    options = parser.parse_args(arguments)
    sentences = collect_sentences()
    if options.search:
        pattern = re.compile(options.search)
        for sentence in sentences:
            if pattern.search(sentence.text):
                print(f"{sentence.path}:{sentence.line}: {sentence.text}")
        return 0
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(format_sentences(sentences), "utf-8")
    print(f"{OUTPUT.relative_to(ROOT)}: {len(sentences)} sentences")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
