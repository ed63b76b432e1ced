"""Tables of BCDice: an original table as text, and the tables of its game systems in YAML."""

import re
from collections.abc import Iterator, Mapping, Sequence
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
    """Return whether a text is an original table: its first line has dice and a title, or its
    second line has dice, and the next line is a number with a colon.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return False
    if _TITLED.fullmatch(lines[0]) and _ROW.match(lines[1]):
        return True
    return len(lines) > 2 and bool(_ALONE.fullmatch(lines[1]) and _ROW.match(lines[2]))


def read_bcdice(text: str) -> list[TableDraft]:
    """Return the one table of a text for which `is_bcdice` is true.

    Totals that come twice, or that the dice do not have, are left out, which adds a question.
    Raises UserError for a line that is no entry, and for dice that cannot be rolled.
    """
    numbered_lines = [
        (number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    lines = [line for _, line in numbered_lines]
    head = _TITLED.fullmatch(lines[0])
    dice_match = head or _ALONE.fullmatch(lines[1])
    assert dice_match is not None  # else it was not recognized
    title = head[4] if head else lines[0]
    questions: list[str] = []
    entries = _read_rows(numbered_lines[1 if head else 2 :], questions)
    if dice_match[3]:
        order = dice_match[3][3:].upper()
        return [_build_two_dice_table(title, order, entries, questions)]
    dice = _format_dice(dice_match[1], dice_match[2])
    lowest, highest = get_totals(dice)
    spans_and_texts = list[tuple[Span, str]]()
    for total, entry in sorted(entries.items()):
        if lowest <= total <= highest:
            spans_and_texts.append(((total, total), entry))
    for total in entries:
        if not lowest <= total <= highest:
            questions.append(f"{total} is not a total of {dice}, so it is left out")
    return [build_one_column(title, BCDICE, dice, spans_and_texts, questions)]


def _read_rows(numbered_lines: Sequence[tuple[int, str]], questions: list[str]) -> dict[int, str]:
    """Return the text for each total. If one comes twice, the first is kept, which adds a question.
    Raises UserError, with its number, for a line that is no entry.
    """
    entries: dict[int, str] = {}
    for number, line in numbered_lines:
        parts = _ROW.match(line)
        if parts is None:
            raise make_import_error(
                f"Line {number} is not a table entry: {line[:40]}",
                "Start each line with a total and a colon, such as 4:text.",
            )
        total = int(parts[1])
        entry = parts[2].strip()
        if total in entries:
            questions.append(f"{total} appears twice; the first one is used: {entry[:60]}")
        else:
            entries[total] = entry
    return entries


def _format_dice(count: str, sides: str) -> str:
    """Format dice as `2d6`. Raises UserError for dice that a table cannot have."""
    if not can_be_rolled(int(count), int(sides)):
        raise make_import_error(
            f"{count}D{sides} cannot be rolled here.",
            "Use at most 40 dice, with totals up to 10,000.",
        )
    return f"{int(count)}d{int(sides)}"


def _build_two_dice_table(
    title: str, order: str, entries: Mapping[int, str], questions: list[str], id: str = ""
) -> TableDraft:
    """Return the table of two dice that are read as tens and ones.

    `order` is the word of BCDice for the die that comes first: "A", "S" or "ASC" for the lower one,
    "D" or "DESC" for the higher one. Any other word ("N", "") leaves the dice as they fall, unless
    the entries fit only one order: they are read so then, which adds a question.
    """
    sign = _ORDER.get(order, "")
    if not sign:
        sign = next((sign for sign, pairs in _SORTED.items() if set(entries) == pairs), "")
        if sign:
            first_die = "lower" if sign == "<" else "higher"
            questions.append(
                f"it only has rows with the {first_die} die first, and is read that way"
            )
    spans_and_texts = [((total, total), entry) for total, entry in sorted(entries.items())]
    return build_one_column(title, BCDICE, D66 + sign, spans_and_texts, questions, id=id)


# -- the YAML of its game systems: tables by their commands, each with name, type or d66_sort_type,
# and items


class _ListedTable(NamedTuple):
    """A table in the YAML of a game system: the command that rolls it, and its mapping with name,
    items and so on.
    """

    command: str
    table: Mapping[str, Any]


def is_bcdice_yaml(data: Any) -> bool:
    """Return whether parsed YAML has a table with a name and items somewhere in it."""
    return next(_list_tables(data), None) is not None


def read_bcdice_yaml(data: Mapping[str, Any]) -> tuple[list[TableDraft], list[str]]:
    """Return each table that can be read, and remarks on the others.

    A table cannot be read if the file does not say which dice it has. Raises UserError if there is
    none that can, or too many in all.
    """
    tables = list(_list_tables(data))
    if len(tables) > MOST_TABLES:
        raise make_import_error(
            f"The file has {len(tables)} tables; at most {MOST_TABLES} are read at once."
        )
    return read_all_readable(tables, _build_draft)


def find_system_name(data: Mapping[str, Any]) -> str:
    """Return the name of the game system that a file is of: the one key below its one language;
    "" for a file with several.
    """
    inside = next(iter(data.values()), None)
    if len(data) == 1 and isinstance(inside, Mapping) and len(inside) == 1:
        return str(next(iter(inside)))
    return ""


def _list_tables(data: Any, command: str = "table") -> Iterator[_ListedTable]:
    """Yield each mapping with a name and items, at any depth. Its command is the key that leads to
    it.
    """
    if not isinstance(data, Mapping):
        return
    if isinstance(data.get("name"), str) and isinstance(data.get("items"), list | Mapping):
        yield _ListedTable(command, data)
    for key, value in data.items():
        if key != "items":
            yield from _list_tables(value, str(key))


def _build_draft(listed_table: _ListedTable) -> TableDraft:
    """Return the draft of a table in YAML.

    Raises UserError if the file does not say its dice, or says others than a table can have.
    """
    command, table = listed_table
    name = str(table["name"])
    items = table["items"]
    kind = str(table.get("type") or "").strip()
    order = str(table.get("d66_sort_type") or "").strip().upper()
    questions: list[str] = []
    if not kind:
        pairs = _read_pairs(items, questions)
        if pairs is not None:
            return _build_two_dice_table(name, order, pairs, questions, command)
    dice_match = _ALONE.fullmatch(kind)
    if dice_match is None or dice_match[3]:
        raise make_import_error(f"The file does not say which dice {command} ({name[:40]}) uses.")
    dice = _format_dice(dice_match[1], dice_match[2])
    texts = list(map(str, items.values() if isinstance(items, Mapping) else items))
    if any("%{" in text or "%<" in text for text in texts):
        questions.append("BCDice fills in %{...}; here it stays as text")
    lowest, _ = get_totals(dice)
    entries = [(_read_span(key, command), text) for key, text in _list_entries(items, lowest)]
    return build_one_column(name, BCDICE, dice, entries, questions, id=command)


def _read_pairs(items: Any, questions: list[str]) -> dict[int, str] | None:
    """Return the texts of a table without stated dice by the numbers of two dice read as tens and
    ones (11 to 66); None if its items have other keys. A list of 36 texts adds a question.
    """
    if isinstance(items, list):
        texts = _flatten(items)
        if not texts:
            return None
        questions.append(
            "the file does not give its dice: its 36 entries are read as two dice, tens and ones"
        )
        return dict(zip(PAIRS, texts, strict=True))
    if isinstance(items, Mapping) and set(items) <= set(PAIRS):
        return {key: str(value) for key, value in items.items()}
    return None


def _flatten(items: list[Any]) -> list[str]:
    """Return the texts of a list that has 36 of them, one for each pair of dice, or six lists of
    six; [] for any other list.
    """
    rows = items if all(isinstance(item, list) and len(item) == 6 for item in items) else [items]
    texts = [text for row in rows for text in row]
    if len(texts) != len(PAIRS) or not all(isinstance(text, str) for text in texts):
        return []
    return texts


def _list_entries(items: Any, lowest: int) -> Iterator[tuple[object, object]]:
    """Yield (key, text) of each entry. The key is a total, or a range such as `2..7`; items of a
    list without keys are counted from the `lowest` total.
    """
    if isinstance(items, Mapping):
        yield from items.items()
        return
    for total, item in enumerate(items, lowest):
        if isinstance(item, list) and len(item) == 2:
            yield item[0], item[1]
        else:
            yield total, item


def _read_span(key: object, command: str) -> Span:
    """Return the totals of an entry. Raises UserError for a key that is none."""
    spans = read_figures(str(key))
    if len(spans) != 1:
        raise make_import_error(
            f"{command[:40]} has an entry for {str(key)[:20]}, which is not a total of dice."
        )
    return spans[0]
