"""Tables of BCDice: an original table as text, and the tables of its game systems in YAML."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bot.packs.importing.digit_dice import D66
from bot.packs.importing.figures import PAIRS, Span, can_be_rolled, get_totals, read_figures
from bot.packs.importing.table_draft import (
    MOST_TABLES,
    TableDraft,
    build_one_column,
    make_import_error,
    read_all_readable,
)

BCDICE = "a BCDice original table"
_DICE = r"(?:(\d{1,4})[DＤ](\d{1,5})|(D66[NASD]?))"
_ALONE = re.compile(_DICE, re.IGNORECASE)
_TITLED = re.compile(rf"{_DICE}\s*[:：]\s*(.*)", re.IGNORECASE)
_ROW = re.compile(r"(\d{1,5})\s*[:：](.*)")
_SORTED = {
    "<": {pair for pair in PAIRS if pair // 10 <= pair % 10},
    ">": {pair for pair in PAIRS if pair // 10 >= pair % 10},
}
_ORDER = {"A": "<", "S": "<", "D": ">", "ASC": "<", "DESC": ">"}


# -- a title and dice, in one line (`1D6:title`) or in two, then `n:text` for each total


def is_bcdice(text: str) -> bool:
    """Return whether the first line has dice and a title, or the second one dice, and the next a
    number with a colon.
    """
    first, second, third, *_ = [
        *(line.strip() for line in text.splitlines() if line.strip()),
        "",
        "",
        "",
    ]
    return bool(
        (_TITLED.fullmatch(first) and _ROW.match(second))
        or (_ALONE.fullmatch(second) and _ROW.match(third))
    )


def read_bcdice(text: str) -> list[TableDraft]:
    """The table. Raises UserError for a line that is none."""
    lines = [
        (number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    head = _TITLED.fullmatch(lines[0][1])
    found = head or _ALONE.fullmatch(lines[1][1])
    assert found is not None  # else it was not recognised
    entries: dict[int, str] = {}
    questions: list[str] = []
    for number, row in lines[1 if head else 2 :]:
        parts = _ROW.match(row)
        if parts is None:
            raise make_import_error(
                f"Line {number} is no entry: {row[:40]}",
                "Write 4:text, the total and a colon first.",
            )
        total = int(parts[1])
        if total in entries:
            questions.append(
                f"{total} is there twice, and the first is read: {parts[2].strip()[:60]}"
            )
        entries.setdefault(total, parts[2].strip())
    title = head[4] if head else lines[0][1]
    if found[3]:
        return [_build_two_dice_table(title, found[3][3:].upper(), entries, questions)]
    dice = _format_dice(found[1], found[2])
    low, high = get_totals(dice)
    questions += [
        f"{total} is no total of {dice}, and left out"
        for total in entries
        if not low <= total <= high
    ]
    plain = [
        ((total, total), said) for total, said in sorted(entries.items()) if low <= total <= high
    ]
    return [build_one_column(title, BCDICE, dice, plain, questions)]


def _format_dice(count: str, sides: str) -> str:
    if not can_be_rolled(int(count), int(sides)):
        raise make_import_error(
            f"{count}D{sides} cannot be rolled here.", "At most 40 dice, and totals up to 10,000."
        )
    return f"{int(count)}d{int(sides)}"


def _build_two_dice_table(
    title: str, order: str, entries: Mapping[int, str], questions: list[str], id: str = ""
) -> TableDraft:
    """Two dice as tens and ones: as they fall, or the lower or the higher first, also where only
    the rows show it.
    """
    sign = _ORDER.get(order, "")
    if not sign and (
        meant := next((sign for sign, pairs in _SORTED.items() if set(entries) == pairs), "")
    ):
        sign = meant
        questions.append(
            f"it has rows for the {'lower' if sign == '<' else 'higher'} die first alone: it is read so"
        )
    listed = [((total, total), said) for total, said in sorted(entries.items())]
    return build_one_column(title, BCDICE, D66 + sign, listed, questions, id=id)


# -- the YAML of its game systems: tables by their commands, each with name, type or d66_sort_type,
# and items


class _ListedTable(NamedTuple):
    """A table as it is in the file: its command, and what it says of itself."""

    command: str
    table: Mapping[str, Any]


def is_bcdice_yaml(data: Any) -> bool:
    """Return whether parsed YAML has a table with a name and items somewhere in it."""
    return next(_list_tables(data), None) is not None


def read_bcdice_yaml(data: Mapping[str, Any]) -> tuple[list[TableDraft], list[str]]:
    """Each table whose dice the file says, and what is left out, with the reason. Raises
    UserError for none.
    """
    found = list(_list_tables(data))
    if len(found) > MOST_TABLES:
        raise make_import_error(
            f"The file has {len(found)} tables; at most {MOST_TABLES} are read at once."
        )
    return read_all_readable(found, _build_draft)


def find_system_name(data: Mapping[str, Any]) -> str:
    """The name of the game system that the tables are of: below the language, where there is one
    alone.
    """
    inside = next(iter(data.values()), None)
    return (
        str(next(iter(inside)))
        if len(data) == 1 and isinstance(inside, Mapping) and len(inside) == 1
        else ""
    )


def _list_tables(data: Any, command: str = "table") -> Iterator[_ListedTable]:
    if not isinstance(data, Mapping):
        return
    if isinstance(data.get("name"), str) and isinstance(data.get("items"), list | Mapping):
        yield _ListedTable(command, data)
    for key, value in data.items():
        if key != "items":
            yield from _list_tables(value, str(key))


def _build_draft(one: _ListedTable) -> TableDraft:
    name = str(one.table["name"])
    items = one.table["items"]
    kind = str(one.table.get("type") or "").strip()
    order = str(one.table.get("d66_sort_type") or "").strip().upper()
    questions: list[str] = []
    if isinstance(items, list) and not kind and (flat := _flatten(items)):
        questions.append(
            "its dice are not in the file: its 36 entries are read as those of two dice, tens and ones"
        )
        items = dict(zip(PAIRS, flat, strict=True))
    if not kind and isinstance(items, Mapping) and set(items) <= set(PAIRS):
        pairs = {key: str(value) for key, value in items.items()}
        return _build_two_dice_table(name, order, pairs, questions, one.command)
    found = _ALONE.fullmatch(kind)
    if found is None or found[3]:
        raise make_import_error(
            f"{one.command} ({name[:40]}) does not say in the file which dice it has."
        )
    dice = _format_dice(found[1], found[2])
    if any(
        "%{" in str(text) or "%<" in str(text)
        for text in (items.values() if isinstance(items, Mapping) else items)
    ):
        questions.append("what is in %{...} is filled in by BCDice; here it is a text")
    entries = [
        (_read_span(key, one.command), text)
        for key, text in _list_entries(items, get_totals(dice)[0])
    ]
    return build_one_column(name, BCDICE, dice, entries, questions, id=one.command)


def _flatten(items: list[Any]) -> list[str]:
    """The texts of a list that has one for each pair of dice, also six by six; nothing for any
    other list.
    """
    rows = items if all(isinstance(item, list) and len(item) == 6 for item in items) else [items]
    flat = [text for row in rows for text in row]
    return flat if len(flat) == len(PAIRS) and all(isinstance(text, str) for text in flat) else []


def _list_entries(items: Any, low: int) -> Iterator[tuple[object, object]]:
    """The entries with what they answer: a figure, or a band such as `2..7`."""
    if isinstance(items, Mapping):
        yield from items.items()
        return
    for at, item in enumerate(items, low):
        yield (item[0], item[1]) if isinstance(item, list) and len(item) == 2 else (at, item)


def _read_span(key: object, command: str) -> Span:
    spans = read_figures(str(key))
    if len(spans) != 1:
        raise make_import_error(
            f"{command[:40]} has an entry for {str(key)[:20]}, which is no total of dice."
        )
    return spans[0]
