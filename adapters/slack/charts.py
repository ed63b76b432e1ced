"""Odds as Slack's own bar chart, with the figures in a table that opens below; tables as Slack's own.

Not every workspace takes these blocks: whoever posts them falls back to what `adapters.slack.render` makes without.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters.slack.native import CHART, CONTAINER, TABLE
from bot.interface.reply.bars import percent
from bot.interface.reply.parts import Grid, Odds

Json = dict[str, Any]

MAX_SERIES, MAX_CATEGORIES, MAX_NAME = 6, 20, 20
MAX_ROWS, MAX_COLUMNS = 100, 20
TITLE = "Chances of each result"
FIGURES, LEAST = "The figures", ", with \u201cat least\u201d"


def odds_blocks(parts: Sequence[Odds], native: frozenset[str]) -> list[Json] | None:
    """A chart of the odds, a series for each heading, and the figures where a workspace takes their box; None for what
    no chart can show: too many, or what came up marked in it."""
    words = _in_order(parts)
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
        data = [{"label": label, "value": value} for label, value in zip(labels, values, strict=True)]
        series.append({"name": name, "data": data})
    axis = {"categories": labels, "y_label": "percent"}
    chart = {"type": CHART, "title": TITLE, "chart": {"type": "bar", "series": series, "axis_config": axis}}
    return [chart, *([_figures(parts, words)] if {CONTAINER, TABLE} <= native else [])]


def _figures(parts: Sequence[Odds], words: Sequence[str]) -> Json:
    """A closed box with every percentage, and that of a result or a worse one."""
    heads = ["Result"]
    for part in parts:
        heads += [part.heading or "all", *(["at least"] if part.least else [])]
    rows = [heads]
    for word in words:
        row = [word]
        for part in parts:
            found = {chance.word: chance for chance in part.rows}.get(word)
            row.append(percent(found.chance) if found is not None else "0%")
            if part.least:
                row.append(percent(found.least) if found is not None and found.least is not None else "\u2013")
        rows.append(row)
    return {
        "type": CONTAINER,
        "title": {"type": "plain_text", "text": FIGURES + (LEAST if any(part.least for part in parts) else "")},
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [_table(rows)],
    }


def table_block(grid: Grid) -> Json | None:
    """A table with a head line as Slack's own; None for one that is none, or too large."""
    rows = [[cell.strip() for cell in row] for row in grid.rows]
    if not (grid.head and rows) or len(rows) > MAX_ROWS or any(len(row) > MAX_COLUMNS for row in rows):
        return None
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> Json:
    """A table whose columns of figures are on the right."""
    numeric = [all(_is_figure(row[at]) for row in rows[1:]) for at in range(len(rows[0]))]
    return {
        "type": TABLE,
        "column_settings": [{"align": "right" if right else "left"} for right in numeric],
        "rows": [[{"type": "raw_text", "text": cell or "\u2013"} for cell in row] for row in rows],
    }


def _is_figure(cell: str) -> bool:
    return cell.strip("+-\u2212\u2013<>%.0123456789") == ""


def _in_order(parts: Sequence[Odds]) -> list[str]:
    """The results of all, worst first: what only some have comes before the next one that others have too."""
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
