"""The printed form of a table as a text file, which tests hold against all that is drawn:
`make form ARGS="SYSTEM TABLE"` writes the draft of a new one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from bot.charts.sheet import build_layout
from bot.presentation.printed_table import get_printed_table
from bot.rules.tables.table import Table
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.parts import Sheet

FORMS = Path(__file__).resolve().parent.parent / "tests/tables/printed_forms"
HEADING = "= "
DOUBT = "! "
COMMENT = "#"
SEPARATOR = " | "


class Form(NamedTuple):
    """What a table shows: its grids with their headings, and a line for each doubtful cell."""

    sheets: tuple[Sheet, ...]
    doubts: tuple[str, ...]


def path_of(table: Table) -> Path:
    """Return where the form of a table is kept."""
    return FORMS / table.system / f"{table.id}.txt"


def form_of(table: Table) -> Form:
    """Return the form of a table as it is drawn; of a rule in words, the rows of its picture."""
    sheets = get_printed_table(table).sheets
    if not sheets:
        (block,) = build_layout(table).blocks
        sheets = (Sheet(block.heading, tuple(map(tuple, block.grid))),)
    return Form(sheets, tuple(doubt.text for doubt in table.unsure))


def write_form(form: Form, title: str) -> str:
    """Return a form as text: rows of `cell | cell`, `= heading`, `! doubt`."""
    blocks = []
    for sheet in form.sheets:
        heading = [f"{HEADING}{sheet.heading}"] if sheet.heading else []
        rows = [SEPARATOR.join(row).rstrip() for row in sheet.rows]
        blocks.append("\n".join((*heading, *rows)))
    if form.doubts:
        blocks.append("\n".join(f"{DOUBT}{doubt}" for doubt in form.doubts))
    return f"{COMMENT} {title}\n" + "\n\n".join(blocks) + "\n"


def read_form(text: str) -> Form:
    """Return the form that a text holds."""
    sheets = []
    doubts = []
    for block in text.split("\n\n"):
        heading = ""
        rows = []
        for line in block.splitlines():
            if line.startswith(DOUBT):
                doubts.append(line.removeprefix(DOUBT))
            elif line.startswith(HEADING):
                heading = line.removeprefix(HEADING)
            elif line and not line.startswith(COMMENT):
                rows.append(tuple(cell.strip() for cell in f"{line} ".split(SEPARATOR)))
        if rows:
            sheets.append(Sheet(heading, tuple(rows)))
    return Form(tuple(sheets), tuple(doubts))


def main(game: str, name: str) -> int:
    """Write the draft of a new form, and say what is left to do."""
    if game not in load_shared_systems() or name not in load_shared_systems()[game].tables:
        print(f"There is no table {game} {name}.", file=sys.stderr)
        return 1
    table = load_shared_systems()[game].tables[name]
    path = path_of(table)
    if path.exists():
        print(f"{path.name} is there: change its cells by hand, card in hand.", file=sys.stderr)
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(write_form(form_of(table), f"{game}/{name}: {table.source}"), "utf-8")
    print(f"wrote {path.relative_to(FORMS.parents[2])}: now compare each cell with the card")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit('make form ARGS="SYSTEM TABLE"')
    sys.exit(main(sys.argv[1], sys.argv[2]))
