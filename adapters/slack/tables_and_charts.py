"""Slack's own blocks for units, tables and odds ("native" tables and charts), and which workspaces
refuse them.

Clients and plans get new block types at different times. A type that a workspace has refused is not
sent to it again for some days, by any process. The same words are sent as text of a fixed width
instead.
"""

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from cachetools import LRUCache

from adapters.slack.request import Json
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError
from bot.ui.reply.bars import LEAST
from bot.ui.reply.parts import Grid, Odds
from bot.ui.reply.percents import format_percent
from bot.ui.reply.unit_table import UnitTable, get_number

log = logging.getLogger(__name__)

REFUSED = "refused-blocks"
"""The kind of the notes about refused block types."""
REFUSED_TYPE_SECONDS = 7 * 86_400.0
"""Seconds for which a refused type is not sent again."""
MOST_KNOWN = 10_000
CHART, CONTAINER, TABLE = "data_visualization", "container", "table"
TYPES = (CHART, CONTAINER, TABLE)
"""Slack's own block types that we send in messages, the newest first."""
MAX_SERIES, MAX_CATEGORIES, MAX_NAME = 6, 20, 20
MAX_ROWS, MAX_COLUMNS = 100, 20
TITLE = "Chances of each result"
FIGURES = "The figures"
WITH_LEAST = f", with \u201c{LEAST}\u201d"
_LEFT, _LAST = 3, 1
"""Number of columns with words before the numbers, and after them."""


class UnwantedBlocks(Exception):
    """A refusal by Slack of a message with its own block types `types`."""

    def __init__(self, types: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(types)))
        self.types = types


class WorkspaceBlocks:
    """The block types of Slack's own that each workspace takes: all but those that it refused in
    the last days.

    A process reads the note about a workspace once, before its first message.
    """

    def __init__(self, notes: Notes, clock: Callable[[], float] = time.time) -> None:
        self._notes = notes
        self._clock = clock
        self._refused_until = LRUCache[str, dict[str, float]](MOST_KNOWN)

    async def get_accepted_types(self, team: str) -> frozenset[str]:
        """Return the block types that a workspace takes: all if the store cannot be read."""
        if team not in self._refused_until:
            try:
                note = await self._notes.get(REFUSED, team)
            except UserError as error:
                log.warning("it could not be read which blocks %s takes: %s", team, error.message)
                return frozenset(TYPES)  # the workspace itself refuses what it does not take
            self._refused_until[team] = dict(note["until"]) if note is not None else {}
        refused_until = self._refused_until[team]
        time_now = self._clock()
        return frozenset(kind for kind in TYPES if refused_until.get(kind, 0.0) <= time_now)

    async def record_refusal(self, team: str, types: Iterable[str]) -> None:
        """Note that a workspace refused these types, in this process and in the store."""
        until = self._clock() + REFUSED_TYPE_SECONDS
        refused_until = self._refused_until.get(team, {}) | dict.fromkeys(types, until)
        self._refused_until[team] = refused_until
        try:
            await self._notes.put(REFUSED, team, {"until": refused_until}, until)
        except UserError as error:
            log.warning("it could not be noted that %s refuses blocks: %s", team, error.message)


def find_native_types(block: object) -> frozenset[str]:
    """Return the block types of Slack's own in a block or a list of blocks, at any depth."""
    if isinstance(block, list):
        return frozenset().union(*map(find_native_types, block))
    if not isinstance(block, Mapping):
        return frozenset()
    inner_types = find_native_types(block.get("child_blocks"))
    return inner_types | ({str(block.get("type"))} & {*TYPES})


def find_refused_types(faults: Iterable[str]) -> frozenset[str]:
    """Return the block types of Slack's own that faults name: `unsupported type: table
    [json-pointer:/blocks/1/type]`.

    A fault that only points to a block counts for no type.
    """
    text = "\n".join(faults)
    return frozenset(kind for kind in TYPES if re.search(rf"unsupported type:? {kind}\b", text))


def can_fit_tables(tables: Sequence[UnitTable]) -> bool:
    """Return whether the tables of all sides fit into one block, because Slack takes one table in
    a message.
    """
    rows = sum(len(table.rows) + 1 for table in tables) + 1
    return rows <= MAX_ROWS and len(tables[0].keys) + _LEFT + _LAST <= MAX_COLUMNS


def build_unit_table(tables: Sequence[UnitTable]) -> Json:
    """Build one table of the units of all sides, each side under a row with its name and players."""
    keys = tables[0].keys
    aligns = [*["left"] * _LEFT, *["right"] * len(keys), "left"]
    rows = [[_build_cell(head) for head in ("", "Unit", "State", *keys, "Type")]]
    for table in tables:
        heading = _build_bold_cell(table.heading or "No side")
        empty_cells = [_build_cell("") for _ in aligns[2:]]
        rows.append([_build_cell(""), heading, *empty_cells])
        for row in table.rows:
            names = [_build_cell(text) for text in row[:2]]
            state = _build_bold_cell(row[3]) if row[3] else _build_cell(table.get_normal_state(row))
            numbers = [_build_cell(get_number(row, index)) for index in range(len(keys))]
            kind = ", ".join(filter(None, (row[2], row[4])))
            rows.append([*names, state, *numbers, _build_cell(kind)])
    column_settings = [{"align": align} for align in aligns]
    return {"type": "table", "column_settings": column_settings, "rows": rows}


def _build_cell(text: str) -> Json:
    return {"type": "raw_text", "text": text or " "}


def _build_bold_cell(text: str) -> Json:
    words = {"type": "text", "text": text, "style": {"bold": True}}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [words]}]}


def build_odds_blocks(parts: Sequence[Odds], native: frozenset[str]) -> list[Json] | None:
    """Build a chart of the odds with a series for each heading, and a box with the figures if the
    workspace takes that (`native` holds the types that it takes).

    Return None if no chart can show the odds: the workspace takes none, there are too many series
    or results, two have the same label, or a result that was rolled is marked in them.
    """
    words = _order_results(parts)
    names = [_cut(part.heading or "all") for part in parts]
    labels = [_cut(word) for word in words]
    if CHART not in native or not parts or any(part.came for part in parts):
        return None
    if len(parts) > MAX_SERIES or len(words) > MAX_CATEGORIES:
        return None
    if _has_duplicates(names) or _has_duplicates(labels):
        return None
    series = []
    for part, name in zip(parts, names, strict=True):
        chances = dict(part.chances)
        data = []
        for word, label in zip(words, labels, strict=True):
            data.append({"label": label, "value": round(100 * chances.get(word, 0.0), 1)})
        series.append({"name": name, "data": data})
    axis = {"categories": labels, "y_label": "percent"}
    chart = {
        "type": CHART,
        "title": TITLE,
        "chart": {"type": "bar", "series": series, "axis_config": axis},
    }
    if {CONTAINER, TABLE} <= native:
        return [chart, _build_figures_box(parts, words)]
    return [chart]


def _has_duplicates(labels: Sequence[str]) -> bool:
    return len({*labels}) < len(labels)


def _build_figures_box(parts: Sequence[Odds], words: Sequence[str]) -> Json:
    """Build a collapsed box with the chance of each result, and of that result or a worse one."""
    heads = ["Result"]
    for part in parts:
        heads.append(part.heading or "all")
        if part.least:
            heads.append(LEAST)
    rows = [heads]
    for word in words:
        row = [word]
        for part in parts:
            row += _format_figures(part, word)
        rows.append(row)
    has_least = any(part.least for part in parts)
    title = FIGURES + WITH_LEAST if has_least else FIGURES
    return {
        "type": CONTAINER,
        "title": {"type": "plain_text", "text": title},
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [_build_table(rows)],
    }


def _format_figures(part: Odds, word: str) -> list[str]:
    """Format the chance of the result `word`, `0%` if the odds lack it. If the odds have chances of
    a result or a worse one, that follows, as a dash if it is missing.
    """
    rows_by_word = {row.word: row for row in part.rows}
    row = rows_by_word.get(word)
    chance = row.chance if row is not None else None
    least = row.least if row is not None else None
    figures = ["0%" if chance is None else format_percent(chance)]
    if part.least:
        figures.append("\u2013" if least is None else format_percent(least))
    return figures


def build_table_block(grid: Grid) -> Json | None:
    """Build one of Slack's own tables for a grid, or return None if the grid has no head or is too
    large.
    """
    rows = [[cell.strip() for cell in row] for row in grid.rows]
    if not grid.head or not rows or len(rows) > MAX_ROWS:
        return None
    if any(len(row) > MAX_COLUMNS for row in rows):
        return None
    return _build_table(rows)


def _build_table(rows: Sequence[Sequence[str]]) -> Json:
    """Build a table whose columns of figures are aligned to the right. The first row is the head."""
    column_settings = []
    for index in range(len(rows[0])):
        is_numeric = all(_is_figure(row[index]) for row in rows[1:])
        column_settings.append({"align": "right" if is_numeric else "left"})
    return {
        "type": TABLE,
        "column_settings": column_settings,
        "rows": [[{"type": "raw_text", "text": cell or "\u2013"} for cell in row] for row in rows],
    }


def _is_figure(cell: str) -> bool:
    """Return whether a cell holds only digits and signs of numbers, or nothing."""
    return cell.strip("+-\u2212\u2013<>%.0123456789") == ""


def _order_results(parts: Sequence[Odds]) -> list[str]:
    """List the results of all odds, worst first.

    A result that only some odds have comes before the next one that others have too.
    """
    words: list[str] = []
    for part in sorted(parts, key=lambda part: -len(part.chances)):
        index = len(words)
        for word, _ in reversed(part.chances):
            if word in words:
                index = words.index(word)
            else:
                words.insert(index, word)
    return words


def _cut(text: str) -> str:
    return text if len(text) <= MAX_NAME else f"{text[: MAX_NAME - 1]}\u2026"
