"""Slack's own tables and charts: which blocks they are, and which workspaces do not take them.

Clients and plans take up new blocks at different times. What a workspace refused once it is not sent again by this
process: the same answer goes out as text of a fixed width.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bot.interface.unit_table import UnitTable, number_of

Json = dict[str, Any]

TYPES = ("table", "data_table", "data_visualization", "container", "alert", "card")
MAX_ROWS, MAX_CELLS = 100, 20
_LEFT, _LAST = 3, 1
"""Columns of words before the numbers, and behind them."""


class Unwanted(Exception):
    """Slack refused a message for a block of its own."""


class Workspaces:
    """Which workspaces take Slack's own blocks: all, until one refuses them."""

    def __init__(self) -> None:
        self._without: set[str] = set()

    def takes(self, team: str) -> bool:
        """Whether a workspace may be sent them."""
        return team not in self._without

    def refused(self, team: str) -> None:
        """Remember that it does not take them."""
        self._without.add(team)


def has_native(blocks: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of these blocks is not for every workspace."""
    return any(block.get("type") in TYPES for block in blocks)


def fits(tables: Sequence[UnitTable]) -> bool:
    """Whether the tables fit into one block; Slack takes one table in a message."""
    rows = sum(len(table.rows) + 1 for table in tables) + 1
    return rows <= MAX_ROWS and len(tables[0].keys) + _LEFT + _LAST <= MAX_CELLS


def units(tables: Sequence[UnitTable]) -> Json:
    """One table of all sides, each under a line with its name and players."""
    keys = tables[0].keys
    align = [*["left"] * _LEFT, *["right"] * len(keys), "left"]
    rows = [[_cell(head) for head in ("", "Unit", "State", *keys, "Type")]]
    for table in tables:
        rows.append([_cell(""), _bold(table.heading or "No side"), *(_cell("") for _ in align[2:])])
        for row in table.rows:
            numbers = (number_of(row, at) for at in range(len(keys)))
            state = _bold(row[3]) if row[3] else _cell("ready")
            what = ", ".join(filter(None, (row[2], row[4])))
            rows.append([*map(_cell, row[:2]), state, *map(_cell, numbers), _cell(what)])
    return {"type": "table", "column_settings": [{"align": where} for where in align], "rows": rows}


def _cell(text: str) -> Json:
    return {"type": "raw_text", "text": text or " "}


def _bold(text: str) -> Json:
    words = {"type": "text", "text": text, "style": {"bold": True}}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}
