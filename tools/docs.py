"""Writes docs/<system>.md from tables and registry, and docs/verify.html: `make docs`. Tests say
what is stale.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bot.commands.dispatch import load_shared_registry
from bot.presentation.formula_words import format_modifier
from bot.presentation.printed_table import PrintedGrid, get_printed_table, print_modifier
from bot.report.event_odds import compute_export_facts
from bot.report.page import build_checker_page
from bot.report.page import build_page as report_page
from bot.rules.inputs.options import Option
from bot.rules.tables.answer_words import format_value
from bot.rules.tables.table import Table
from bot.rulesets.catalog import get_systems
from bot.rulesets.system import Sequence, System
from bot.ui.common_options import ROLL_OPTIONS
from bot.ui.glossary import describe_choices, format_all_unit_words
from bot.ui.spec import CommandSpec
from tools.pictures import page_picture, write_pictures
from tools.reference.page import page as keys_page
from tools.reference.schema import schemas

DOCS = Path(__file__).resolve().parent.parent / "docs"
CHECKER = DOCS / "verify.html"
SAMPLE = DOCS / "sample-report.html"
SAMPLE_GAME = DOCS.parent / "tests/data/sample-report.json"
KEYS_PAGE = DOCS / "pack-keys.md"
SCHEMAS = DOCS / "schema"


def page(game: System) -> str:
    """The page of one game: who published it, its sequences, its tables as they are printed."""
    return "\n".join(_page(game)) + "\n"


def sample() -> str:
    """The after-action page that the README shows, of a game that was played once."""
    game = json.loads(SAMPLE_GAME.read_text("utf-8"))
    return report_page(game, compute_export_facts(game))


def write_pages() -> list[Path]:
    """Write the pages of games, the checker, the sample, the keys of packs and their schemas;
    returns what changed.
    """
    changed = []
    texts = {DOCS / f"{game.id}.md": page(game) for game in get_systems().values()} | {
        CHECKER: build_checker_page()
    }
    texts |= {SAMPLE: sample()}
    texts |= {KEYS_PAGE: keys_page()} | {SCHEMAS / name: text for name, text in schemas().items()}
    SCHEMAS.mkdir(exist_ok=True)
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def _page(game: System) -> Iterator[str]:
    yield f"# {game.title} (`{game.id}`)"
    yield ""
    yield "This page is made from the game's table files by `make docs`; do not edit it."
    yield ""
    yield _sentences(str(game.game.get("notice", "")))
    yield ""
    yield from _contents(game)
    yield ""
    yield "## Sequences"
    yield ""
    yield "Each takes these, too:"
    yield ""
    yield from _options(ROLL_OPTIONS)
    for spec in load_shared_registry().list_below((game.id,)):
        yield from _sequence(spec, game.sequences[spec.target])
    for name, words in format_all_unit_words(game):
        yield ""
        yield f"## Words of a unit: {name}"
        yield ""
        yield from (f"- {line}" for line in words)
    specs = {spec.target: spec for spec in load_shared_registry().list_below((f"{game.id}-table",))}
    for group, title in game.game["groups"].items():
        yield ""
        yield f"## Tables: {title}"
        for table in game.tables.values():
            if table.group == group:
                yield from _table(specs[table.id], table)


def _contents(game: System) -> Iterator[str]:
    """Where everything on the page is: a long page is read from here."""
    heads = [
        _sequence_head(spec, game.sequences[spec.target])
        for spec in load_shared_registry().list_below((game.id,))
    ]
    yield "## Contents"
    yield ""
    yield f"- [Sequences](#sequences): {', '.join(_link(head) for head in heads)}"
    for name, _ in format_all_unit_words(game):
        yield f"- {_link(f'Words of a unit: {name}', whole=True)}"
    specs = {spec.target: spec for spec in load_shared_registry().list_below((f"{game.id}-table",))}
    for group, title in game.game["groups"].items():
        heads = [
            _table_head(specs[table.id], table)
            for table in game.tables.values()
            if table.group == group
        ]
        yield f"- {_link(f'Tables: {title}', whole=True)}: {', '.join(_link(head) for head in heads)}"


def _link(head: str, *, whole: bool = False) -> str:
    """A heading of the page as a link to it, by its last words unless it is the `whole`."""
    words = head if whole else head.partition(": ")[2]
    return f"[{words}](#{re.sub(r'[^a-z0-9 _-]', '', head.casefold()).replace(' ', '-')})"


def _sequence_head(spec: CommandSpec, sequence: Sequence) -> str:
    return f"`{spec.name}`: {sequence.title}"


def _table_head(spec: CommandSpec, table: Table) -> str:
    return f"`{spec.name}`: {table.title}"


def _sequence(spec: CommandSpec, sequence: Sequence) -> Iterator[str]:
    yield ""
    yield f"### {_sequence_head(spec, sequence)}"
    yield ""
    yield _sentences(
        f"{sequence.summary} Source: {sequence.source}. Dice: {sequence.dice.strip().rstrip('.')}."
    )
    yield ""
    yield f"```\n{spec.example}\n```"
    yield ""
    shared = {option.name for option in ROLL_OPTIONS}
    yield from _options(tuple(option for option in spec.options if option.name not in shared))
    for option in spec.options:
        if option.meanings:
            yield ""
            yield f"Words of `{option.name}`:"
            yield ""
            yield from (
                f"- `{word}`: {_cell(option.meanings.get(word, ''))}" for word in option.values
            )
    if sequence.outputs:
        yield ""
        yield "Outputs: " + ", ".join(f"`{name}`" for name in sequence.outputs) + "."
    for line in describe_choices(sequence):
        yield ""
        yield line


def _table(spec: CommandSpec, table: Table) -> Iterator[str]:
    yield ""
    yield f"### {_table_head(spec, table)}"
    yield ""
    yield _sentences(f"{table.summary} Source: {table.source}.")
    if spec.example != spec.name:
        yield ""
        yield f"```\n{spec.example}\n```"
    yield ""
    if address := page_picture(table):
        yield f"![{table.title}]({address})"
        yield ""
    yield from _options(spec.options)
    yield from _format_table(table)
    if table.notes:
        yield ""
        yield _sentences(table.notes)


def _sentences(text: str) -> str:
    """The text with a line for each sentence, so that a change of one shows as one line."""
    return re.sub(r"(?<=[a-z0-9)][.:]) (?=[A-Z][a-z])", "\n", text.strip()).replace(":\n", ": ")


def _options(options: tuple[Option, ...]) -> Iterator[str]:
    """A line for each, which a phone shows whole: a table of four columns it does not."""
    for option in options:
        default = (
            ""
            if option.is_required or option.default in (None, "")
            else f", else {_plain(option.default)}"
        )
        needed = "needed, " if option.is_required else ""
        yield f"- **{option.name}** ({needed}{option.expectation}{default}): {_plain(option.help)}"


def _format_table(table: Table) -> Iterator[str]:
    data = table.printed
    if table.modifiers:
        yield ""
        yield from (_modifier(row, table) for row in data["rows"])
    for grid in get_printed_table(table).grids:
        yield from _grid(grid)
    for doubt in table.unsure:
        yield ""
        yield f"Unsure: {doubt.text}."
    if codes := data.get("results"):
        yield ""
        yield from (f"- `{code}`: {_plain(meaning)}" for code, meaning in codes.items())
    rules = {**(data.get("derive") or {}), **(data.get("then") or {})}
    if rules:
        yield ""
        yield from (f"- `{name}` = `{formula}`" for name, formula in rules.items())


def _modifier(row: Mapping[str, Any], table: Table) -> str:
    """A line for each modifier, as for an option: its name, what it adds, and when, unless its
    own name says so.
    """
    totals = dict.fromkeys((*row["adds"], *_list_shown_totals(row)))
    in_words = partial(format_modifier, say=partial(format_value, words=table.words))
    adds = ", ".join(f"{total} {print_modifier(row, total, in_words)}" for total in totals)
    when = f", when `{_plain(row['when'])}`" if row.get("when") not in (None, row["id"]) else ""
    return f"- **{row['id']}**, {_plain(row['name'])}: {adds}{when}"


def _list_shown_totals(row: Mapping[str, Any]) -> Iterable[str]:
    shown = row.get("shown")
    return shown if isinstance(shown, Mapping) else ()


def _grid(grid: PrintedGrid) -> Iterator[str]:
    """Yield a part of a table as it is printed, with its heading."""
    yield ""
    if grid.heading:
        yield f"*{grid.heading}*"
        yield ""
    heads, *rows = grid.list_all_rows()
    corner = f"{grid.corner} \\ {grid.across}" if grid.across else grid.corner
    yield "| " + " | ".join(_cell(head) for head in (corner, *heads[1:])) + " |"
    yield "|---" * len(heads) + "|"
    for row in rows:
        yield "| " + " | ".join(map(_cell, row)) + " |"


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items() if item is not None)
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value))
    return str(value)


def _cell(value: Any) -> str:
    return _plain(value).replace("|", "/").replace("\n", " ").strip()


if __name__ == "__main__":
    for path in [*write_pages(), *write_pictures()]:
        sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
