"""Odds and tables in sentences, for fallback texts that a screen reader reads: no bars, no columns."""

from collections.abc import Iterable

from bot.ui.reply.bars import format_percent
from bot.ui.reply.parts import Compared, Grid, Odds, Part, Sheet, Whole
from bot.ui.reply.unit_table import UnitTable

MOST_ROWS = 20
"""Rows of a whole table that are read aloud."""


def speak_parts(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with every one that has columns as sentences."""
    return tuple(text for part in parts for text in _speak(part))


def _speak(part: Part) -> list[Part]:
    match part:
        case Odds():
            return [_speak_odds(part)]
        case Compared():
            return [
                f"{what}: {format_percent(chance)}, {100 * difference:+.0f} points"
                for what, chance, difference in part.changes
            ]
        case Grid():
            return list(_speak_rows(part.rows, is_headed=part.head))
        case Whole():
            rows: list[Part] = []
            for sheet in part.sheets:
                rows += _speak_sheet(sheet)
            return rows[:MOST_ROWS]
        case UnitTable():
            return list(_speak_units(part))
        case _:
            return [part]


def _speak_odds(odds: Odds) -> str:
    """Return `Odds for Squad 1: killed 25%, wounded 30% (this roll)`."""
    results = list[str]()
    for row in odds.rows:
        came = " (this roll)" if row.came == 1 else f" (came up {row.came} times)"
        results.append(f"{row.word} {format_percent(row.chance).strip()}{came if row.came else ''}")
    heading = odds.heading.strip().removesuffix(":")
    return f"{heading}: {', '.join(results)}" if heading else ", ".join(results)


def _speak_rows(rows: tuple[tuple[str, ...], ...], *, is_headed: bool) -> Iterable[str]:
    """Yield a row a line; with a head each cell after the first is called by its column."""
    if not is_headed or len(rows) < 2:
        for row in rows:
            yield ", ".join(_list_cell_words(row))
        return
    head, *others = rows
    for row in others:
        first, *cells = row
        named = [
            f"{name} {cell}".strip()
            for name, cell in zip(head[1:], cells, strict=False)
            if cell.strip()
        ]
        yield ", ".join(_list_cell_words((first, *named)))


def _speak_sheet(sheet: Sheet) -> list[str]:
    heading = [sheet.heading] if sheet.heading else []
    return [*heading, *_speak_rows(sheet.rows, is_headed=True)]


def _speak_units(table: UnitTable) -> Iterable[str]:
    """Yield the heading, then each unit: `us1 Squad 1, morale 5, fp 2, shaken`."""
    yield table.heading
    for row in table.group_rows():
        numbers = [
            f"{key} {value}" for key, value in zip(table.keys, row[6:], strict=False) if value
        ]
        yield ", ".join(_list_cell_words((f"{row[0]} {row[1]}", *numbers, row[3], row[4])))


def _list_cell_words(cells: Iterable[str]) -> list[str]:
    """Return the cells that say something, each with single blanks."""
    return [text for cell in cells if (text := " ".join(cell.split()))]
