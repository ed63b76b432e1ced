"""Odds and tables as sentences, for fallback texts that a screen reader reads: no bars, no columns."""

from collections.abc import Iterable

from bot.ui.reply.parts import Compared, Grid, Odds, Part, Sheet, Whole
from bot.ui.reply.percents import format_percent
from bot.ui.reply.unit_table import UnitTable

MOST_ROWS = 20
"""Maximum number of rows of a whole table that are read aloud."""


def speak_parts(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts, each one with columns replaced by sentences."""
    return tuple(text for part in parts for text in _speak(part))


def _speak(part: Part) -> list[Part]:
    """Return a part with columns as sentences; of a whole table at most MOST_ROWS. Any other part
    stays as it is.
    """
    match part:
        case Odds():
            return [_speak_odds(part)]
        case Compared():
            return [
                f"{change}: {format_percent(chance)}, {100 * difference:+.0f} points"
                for change, chance, difference in part.changes
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
    """Return `Odds for Squad 1: killed 25%, wounded 30% (this roll)`.

    `(this roll)` marks a result that came up, `(came up 2 times)` one that did for two units.
    """
    results = list[str]()
    for row in odds.rows:
        mark = ""
        if row.came:
            mark = " (this roll)" if row.came == 1 else f" (came up {row.came} times)"
        results.append(f"{row.word} {format_percent(row.chance).strip()}{mark}")
    heading = odds.heading.strip().removesuffix(":")
    return f"{heading}: {', '.join(results)}" if heading else ", ".join(results)


def _speak_rows(rows: tuple[tuple[str, ...], ...], *, is_headed: bool) -> Iterable[str]:
    """Yield a line for each row. With a head, the name of the column precedes each cell but the
    first.
    """
    if not is_headed or len(rows) < 2:
        for row in rows:
            yield ", ".join(_list_cell_words(row))
        return
    head, *body = rows
    for title, *cells in body:
        pairs = zip(head[1:], cells, strict=False)
        labelled = [f"{name} {cell}".strip() for name, cell in pairs if cell.strip()]
        yield ", ".join(_list_cell_words((title, *labelled)))


def _speak_sheet(sheet: Sheet) -> list[str]:
    """Return the heading of a printed grid, if it has one, and a line for each row."""
    heading = [sheet.heading] if sheet.heading else []
    return [*heading, *_speak_rows(sheet.rows, is_headed=True)]


def _speak_units(table: UnitTable) -> Iterable[str]:
    """Yield the heading, then each unit: `us1 Squad 1, morale 5, fp 2, shaken`."""
    yield table.heading
    for row in table.group_rows():
        handle, name, _type, state, note, _tone, *numbers = row
        pairs = zip(table.keys, numbers, strict=False)
        labelled = [f"{key} {number}" for key, number in pairs if number]
        yield ", ".join(_list_cell_words((f"{handle} {name}", *labelled, state, note)))


def _list_cell_words(cells: Iterable[str]) -> list[str]:
    """Return the cells that are not blank, each with single spaces."""
    texts = (" ".join(cell.split()) for cell in cells)
    return [text for text in texts if text]
