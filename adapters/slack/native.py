"""Slack's own tables and charts: which blocks they are, and which workspaces do not take them.

Clients and plans take up new blocks at different times. A type that a workspace refused once it is not sent again for
some days, by any process: the same words go out as text of a fixed width, and the other types go on.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bot.interface.reply.unit_table import UnitTable, number_of
from bot.places.notes import Notes
from bot.rules.errors import UserError

Json = dict[str, Any]

log = logging.getLogger(__name__)

REFUSED = "refused-blocks"
KEPT = 7 * 86_400.0
"""How long a workspace is not asked again."""
MOST_KNOWN = 10_000
CHART, CONTAINER, TABLE = "data_visualization", "container", "table"
TYPES = (CHART, CONTAINER, TABLE)
"""What we send of Slack's own in messages, the newest first."""
MAX_ROWS, MAX_CELLS = 100, 20
_LEFT, _LAST = 3, 1
"""Columns of words before the numbers, and behind them."""


_POINTER = re.compile(r"json-pointer:([^\]\s]+)")


class Unwanted(Exception):
    """Slack refused a message for blocks of its own, those of `types`."""

    def __init__(self, types: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(types)))
        self.types = types


class Workspaces:
    """Which of Slack's own blocks a workspace takes: all, until it refuses one, and that again some days later.

    What is noted of a workspace is read once by a process, before its first message.
    """

    def __init__(self, notes: Notes, clock: Callable[[], float] = time.time) -> None:
        self._notes, self._clock = notes, clock
        self._without: dict[str, dict[str, float]] = {}

    async def takes(self, team: str) -> frozenset[str]:
        """The types that a workspace may be sent."""
        if team not in self._without:
            try:
                note = await self._notes.get(REFUSED, team)
            except UserError as error:
                log.warning("it could not be read which blocks %s takes: %s", team, error.message)
                return frozenset(TYPES)  # it says so itself
            if len(self._without) > MOST_KNOWN:
                self._without.clear()
            self._without[team] = dict(note["until"]) if note is not None else {}
        until, now = self._without[team], self._clock()
        return frozenset(kind for kind in TYPES if until.get(kind, 0.0) <= now)

    async def refused(self, team: str, types: Iterable[str]) -> None:
        """Remember that it does not take these."""
        end = self._clock() + KEPT
        until = self._without.get(team, {}) | dict.fromkeys(types, end)
        self._without[team] = until
        try:
            await self._notes.put(REFUSED, team, {"until": until}, end)
        except UserError as error:
            log.warning("it could not be noted that %s refuses blocks: %s", team, error.message)


def types_in(block: object) -> frozenset[str]:
    """The types of Slack's own in a block, or in a list of them, at any depth."""
    if isinstance(block, list):
        return frozenset().union(*map(types_in, block))
    if not isinstance(block, Mapping):
        return frozenset()
    return types_in(block.get("child_blocks")) | frozenset({str(block.get("type"))} & {*TYPES})


def named(faults: Iterable[str], blocks: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The types of Slack's own that faults are about: `unsupported type: table [json-pointer:/blocks/1/type]`."""
    found = {kind for fault in faults for kind in TYPES if re.search(rf"unsupported type:? {kind}\b", fault)}
    for pointer in _POINTER.findall(" ".join(faults) if not found else ""):
        at: Any = {"blocks": blocks}
        for step in pointer.strip("/").split("/"):
            at = at[int(step)] if isinstance(at, list) and step.isdecimal() and int(step) < len(at) else at
            at = at.get(step) if isinstance(at, Mapping) else at
            found |= {str(at.get("type"))} & {*TYPES} if isinstance(at, Mapping) else set()
    return frozenset(found)


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
