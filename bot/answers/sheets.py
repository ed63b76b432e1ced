"""All of a printed table, part by part, for whoever wants to see it whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.answers.card import card_in, said
from bot.interface.reply.parts import Sheet
from bot.rules.tables.table import Table

_OWN, _VARIES = "its number", "varies"


def sheets_of(table: Table, words: Mapping[str, str]) -> tuple[Sheet, ...]:
    """Each part of the table with its heading ("" where there is one only); none where it is a rule in words."""
    found = [*_grids(table, table.printed.get("read"), words, "")]
    if modifiers := _modifiers(table, words):
        found.append(modifiers)
    return tuple(found)


def _grids(table: Table, body: object, words: Mapping[str, str], heading: str) -> Iterator[Sheet]:
    """The grids in a part of the file: one, several behind each other, or one for each of several cases."""
    if isinstance(body, list):
        for part in body:
            yield from _grids(table, part, words, heading)
    elif isinstance(body, Mapping) and "pick" in body:
        by = said(body.get("by", ""), words)
        for case, part in body["pick"].items():
            name = f"{'' if case is True else 'not '}{by}" if isinstance(case, bool) else said(case, words)
            yield from _grids(table, part, words, ", ".join(filter(None, (heading, name))))
    elif (card := card_in(table, body)) is not None:
        yield Sheet(heading[:1].upper() + heading[1:], card.all_rows(words))


def _modifiers(table: Table, words: Mapping[str, str]) -> Sheet | None:
    """What counts, and how much, where the table is a list of modifiers."""
    rows = []
    for row in table.printed.get("rows") or ():
        adds: Mapping[str, Any] = row.get("adds") or {}
        rows.append((str(row.get("name") or row["id"]), " ".join(_worth(value, words) for value in adds.values())))
    return Sheet("", (("modifier", "adds"), *rows)) if rows else None


def _worth(value: object, words: Mapping[str, str]) -> str:
    """A number with its sign; of an input, that its own number counts; of a formula, that it varies."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        text = str(value)
        is_input = text.removeprefix("-").replace("_", "").isalpha()
        return f"{'−' if text.startswith('-') else ''}{_OWN}" if is_input else _VARIES
    return f"+{value:g}" if value > 0 else said(value, words)
