"""Slack's own tables and charts, of units, tables and odds, and which workspaces do not take them.

Clients and plans take up new blocks at different times. A type that a workspace refused once it is
not sent again for some days, by any process: the same words go out as text of a fixed width, and
the other types go on.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cachetools import LRUCache

from adapters.slack.request import Json
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.ui.reply.bars import LEAST, format_percent
from bot.ui.reply.parts import Grid, Odds
from bot.ui.reply.unit_table import UnitTable, get_number

log = logging.getLogger(__name__)

REFUSED = "refused-blocks"
KEPT = 7 * 86_400.0
"""How long a workspace is not asked again."""
MOST_KNOWN = 10_000
CHART, CONTAINER, TABLE = "data_visualization", "container", "table"
TYPES = (CHART, CONTAINER, TABLE)
"""What we send of Slack's own in messages, the newest first."""
MAX_SERIES, MAX_CATEGORIES, MAX_NAME = 6, 20, 20
MAX_ROWS, MAX_COLUMNS = 100, 20
TITLE = "Chances of each result"
FIGURES = "The figures"
WITH_LEAST = f", with \u201c{LEAST}\u201d"
_LEFT, _LAST = 3, 1
"""Columns of words before the numbers, and behind them."""


_POINTER = re.compile(r"json-pointer:([^\]\s]+)")


class UnwantedBlocks(Exception):
    """Slack refused a message for blocks of its own, those of `types`."""

    def __init__(self, types: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(types)))
        self.types = types


class WorkspaceBlocks:
    """Which of Slack's own blocks a workspace takes: all, until it refuses one, and that again some
    days later.

    What is noted of a workspace is read once by a process, before its first message.
    """

    def __init__(self, notes: Notes, clock: Callable[[], float] = time.time) -> None:
        self._notes = notes
        self._clock = clock
        self._without = LRUCache[str, dict[str, float]](MOST_KNOWN)

    async def get_accepted_types(self, team: str) -> frozenset[str]:
        """The types that a workspace may be sent."""
        if team not in self._without:
            try:
                note = await self._notes.get(REFUSED, team)
            except UserError as error:
                log.warning("it could not be read which blocks %s takes: %s", team, error.message)
                return frozenset(TYPES)  # it says so itself
            self._without[team] = dict(note["until"]) if note is not None else {}
        until = self._without[team]
        now = self._clock()
        return frozenset(kind for kind in TYPES if until.get(kind, 0.0) <= now)

    async def record_refusal(self, team: str, types: Iterable[str]) -> None:
        """Remember that it does not take these."""
        end = self._clock() + KEPT
        until = self._without.get(team, {}) | dict.fromkeys(types, end)
        self._without[team] = until
        try:
            await self._notes.put(REFUSED, team, {"until": until}, end)
        except UserError as error:
            log.warning("it could not be noted that %s refuses blocks: %s", team, error.message)


def find_native_types(block: object) -> frozenset[str]:
    """The types of Slack's own in a block, or in a list of them, at any depth."""
    if isinstance(block, list):
        return frozenset().union(*map(find_native_types, block))
    if not isinstance(block, Mapping):
        return frozenset()
    return find_native_types(block.get("child_blocks")) | frozenset(
        {str(block.get("type"))} & {*TYPES}
    )


def find_refused_types(
    faults: Iterable[str], blocks: Sequence[Mapping[str, Any]]
) -> frozenset[str]:
    """The types of Slack's own that faults are about: `unsupported type: table
    [json-pointer:/blocks/1/type]`.
    """
    found = {
        kind
        for fault in faults
        for kind in TYPES
        if re.search(rf"unsupported type:? {kind}\b", fault)
    }
    for pointer in _POINTER.findall(" ".join(faults) if not found else ""):
        at: Any = {"blocks": blocks}
        for step in pointer.strip("/").split("/"):
            at = (
                at[int(step)]
                if isinstance(at, list) and step.isdecimal() and int(step) < len(at)
                else at
            )
            at = at.get(step) if isinstance(at, Mapping) else at
            found |= {str(at.get("type"))} & {*TYPES} if isinstance(at, Mapping) else set()
    return frozenset(found)


def can_fit_tables(tables: Sequence[UnitTable]) -> bool:
    """Return whether the tables fit into one block; Slack takes one table in a message."""
    rows = sum(len(table.rows) + 1 for table in tables) + 1
    return rows <= MAX_ROWS and len(tables[0].keys) + _LEFT + _LAST <= MAX_COLUMNS


def build_unit_table(tables: Sequence[UnitTable]) -> Json:
    """One table of all sides, each under a line with its name and players."""
    keys = tables[0].keys
    align = [*["left"] * _LEFT, *["right"] * len(keys), "left"]
    rows = [[_build_cell(head) for head in ("", "Unit", "State", *keys, "Type")]]
    for table in tables:
        rows.append(
            [
                _build_cell(""),
                _build_bold_cell(table.heading or "No side"),
                *(_build_cell("") for _ in align[2:]),
            ]
        )
        for row in table.rows:
            numbers = (get_number(row, at) for at in range(len(keys)))
            state = _build_bold_cell(row[3]) if row[3] else _build_cell("ready")
            what = ", ".join(filter(None, (row[2], row[4])))
            rows.append(
                [*map(_build_cell, row[:2]), state, *map(_build_cell, numbers), _build_cell(what)]
            )
    return {"type": "table", "column_settings": [{"align": where} for where in align], "rows": rows}


def _build_cell(text: str) -> Json:
    return {"type": "raw_text", "text": text or " "}


def _build_bold_cell(text: str) -> Json:
    words = {"type": "text", "text": text, "style": {"bold": True}}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}


def build_odds_blocks(parts: Sequence[Odds], native: frozenset[str]) -> list[Json] | None:
    """A chart of the odds, a series for each heading, and the figures where a workspace takes their
    box; None for what no chart can show: too many, or what came up marked in it."""
    words = _order_results(parts)
    names = [_cut(part.heading or "all") for part in parts]
    labels = [_cut(word) for word in words]
    fits = len(parts) <= MAX_SERIES and len(words) <= MAX_CATEGORIES
    alone = len({*names}) == len(names) and len({*labels}) == len(labels)
    if CHART not in native or not (parts and fits and alone) or any(part.came for part in parts):
        return None
    series = []
    for part, name in zip(parts, names, strict=True):
        chances = dict(part.chances)
        values = [round(100 * chances.get(word, 0.0), 1) for word in words]
        data = [
            {"label": label, "value": value} for label, value in zip(labels, values, strict=True)
        ]
        series.append({"name": name, "data": data})
    axis = {"categories": labels, "y_label": "percent"}
    chart = {
        "type": CHART,
        "title": TITLE,
        "chart": {"type": "bar", "series": series, "axis_config": axis},
    }
    return [chart, *([_build_figures_box(parts, words)] if {CONTAINER, TABLE} <= native else [])]


def _build_figures_box(parts: Sequence[Odds], words: Sequence[str]) -> Json:
    """A closed box with every percentage, and that of a result or a worse one."""
    heads = ["Result"]
    for part in parts:
        heads += [part.heading or "all", *([LEAST] if part.least else [])]
    rows = [heads]
    for word in words:
        row = [word]
        for part in parts:
            found = {chance.word: chance for chance in part.rows}.get(word)
            row.append(format_percent(found.chance) if found is not None else "0%")
            if part.least:
                row.append(
                    format_percent(found.least)
                    if found is not None and found.least is not None
                    else "\u2013"
                )
        rows.append(row)
    return {
        "type": CONTAINER,
        "title": {
            "type": "plain_text",
            "text": FIGURES + (WITH_LEAST if any(part.least for part in parts) else ""),
        },
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [_build_table(rows)],
    }


def build_table_block(grid: Grid) -> Json | None:
    """A table with a head line as Slack's own; None for one that is none, or too large."""
    rows = [[cell.strip() for cell in row] for row in grid.rows]
    if (
        not (grid.head and rows)
        or len(rows) > MAX_ROWS
        or any(len(row) > MAX_COLUMNS for row in rows)
    ):
        return None
    return _build_table(rows)


def _build_table(rows: Sequence[Sequence[str]]) -> Json:
    """A table whose columns of figures are on the right."""
    numeric = [all(_is_figure(row[at]) for row in rows[1:]) for at in range(len(rows[0]))]
    return {
        "type": TABLE,
        "column_settings": [{"align": "right" if right else "left"} for right in numeric],
        "rows": [[{"type": "raw_text", "text": cell or "\u2013"} for cell in row] for row in rows],
    }


def _is_figure(cell: str) -> bool:
    return cell.strip("+-\u2212\u2013<>%.0123456789") == ""


def _order_results(parts: Sequence[Odds]) -> list[str]:
    """The results of all, worst first: what only some have comes before the next one that others
    have too.
    """
    found: list[str] = []
    for part in sorted(parts, key=lambda part: -len(part.chances)):
        at = len(found)
        for word, _ in reversed(part.chances):
            if word in found:
                at = found.index(word)
            else:
                found.insert(at, word)
    return found


def _cut(text: str) -> str:
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}\u2026"
