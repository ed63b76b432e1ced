"""Slack's own tables and charts: which blocks they are, and which workspaces do not take them.

Clients and plans take up new blocks at different times. What a workspace refused once it is not sent again for some
days, by any process: the same answer goes out as text of a fixed width.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.interface.unit_table import UnitTable, number_of
from bot.notes import Notes
from bot.rules.errors import UserError

Json = dict[str, Any]

log = logging.getLogger(__name__)

REFUSED = "no-native-blocks"
KEPT = 7 * 86_400.0
"""How long a workspace is not asked again."""
MOST_KNOWN = 10_000
TYPES = ("table", "data_table", "data_visualization", "container", "alert", "card")
MAX_ROWS, MAX_CELLS = 100, 20
_LEFT, _LAST = 3, 1
"""Columns of words before the numbers, and behind them."""


class Unwanted(Exception):
    """Slack refused a message for a block of its own."""


class Workspaces:
    """Which workspaces take Slack's own blocks: all, until one refuses them, and again some days later.

    What is noted of a workspace is read once by a process, before the first message with such a block.
    """

    def __init__(self, notes: Notes, clock: Callable[[], float] = time.time) -> None:
        self._notes, self._clock = notes, clock
        self._without: dict[str, float] = {}

    async def takes(self, team: str) -> bool:
        """Whether a workspace may be sent them."""
        if team not in self._without:
            try:
                note = await self._notes.get(REFUSED, team)
            except UserError as error:
                log.warning("it could not be read whether %s takes Slack's own blocks: %s", team, error.message)
                return True  # it says so itself
            if len(self._without) > MOST_KNOWN:
                self._without.clear()
            self._without[team] = float(note["until"]) if note is not None else 0.0
        return self._without[team] <= self._clock()

    async def refused(self, team: str) -> None:
        """Remember that it does not take them."""
        until = self._clock() + KEPT
        self._without[team] = until
        try:
            await self._notes.put(REFUSED, team, {"until": until}, until)
        except UserError as error:
            log.warning("it could not be noted that %s refuses Slack's own blocks: %s", team, error.message)


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
