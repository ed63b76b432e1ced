"""Tables in JSON that no program known by name wrote: a list of entries with figures or weights, or
texts by their figures.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import compress
from typing import Any

from bot.packs.importing.blocks import CellBlock
from bot.packs.importing.dice_of_rows import check_totals, guess_dice
from bot.packs.importing.digit_dice import is_digit_dice
from bot.packs.importing.figures import (
    Span,
    find_named_dice,
    get_totals,
    read_figures,
    remove_dice,
)
from bot.packs.importing.formats import read_formula
from bot.packs.importing.table_draft import (
    MOST_ENTRIES,
    MOST_TABLES,
    TableDraft,
    build_one_column,
    clean_title,
    make_import_error,
    read_all_readable,
)
from bot.packs.importing.weights import assign_spans, has_sum_row
from bot.packs.importing.zeros import read_zero_as_highest
from bot.rules.text.markup import remove_markup

JSON = "a table in JSON"
_ENTRIES = (
    "results entries rows items table outcomes options rolls roll values list events encounters"
).split()
_TITLES = ("name", "title", "label", "tableName", "heading")
_DICE = "formula diceExpression dice die diceRoll expression rollFormula roll notation".split()
_NAMES = ("name", "title", "label")
_TEXTS = "text result value content description outcome event entry effect body details".split()
_RANGES = ("range", "roll", "rolls", "number", "numbers", "dice", "key", "interval")
_ENDS = (
    ("min", "max"),
    ("low", "high"),
    ("from", "to"),
    ("start", "end"),
    ("lower", "upper"),
    ("rangeStart", "rangeEnd"),
    ("minimum", "maximum"),
)
_WEIGHTS = ("weight", "weighting", "frequency", "chance")
_NOT_ASKED = frozenset("id _id img icon type drawn flags sort color _key uuid".split())


def is_json_table(data: Any) -> bool:
    """Return whether parsed JSON is a table, or several, in one of the forms read here."""
    return next(_list_tables(data), None) is not None


def read_grid(data: Any) -> CellBlock | None:
    """Return the cells of JSON with `columns` and `rows`, None for any other."""
    if not isinstance(data, Mapping):
        return None
    heads = data.get("columns") or data.get("headers")
    rows = data.get("rows") or data.get("data")
    if not isinstance(heads, list) or not isinstance(rows, list) or not rows:
        return None
    lines = [heads, *rows]
    if not all(isinstance(line, list) and len(line) == len(heads) for line in lines):
        return None
    cells = [[" ".join(remove_markup(str(cell)).split()) for cell in line] for line in lines]
    dice = _find_dice(data)
    if dice and not find_named_dice(cells[0][0]):
        cells[0][0] = dice
    return CellBlock(cells, _find_title(data))


def read_json_tables(data: Any) -> tuple[list[TableDraft], list[str]]:
    """Return the tables, and what is left out. Raises UserError if there is none."""
    tables = list(_list_tables(data))
    if len(tables) > MOST_TABLES:
        raise make_import_error(
            f"There are {len(tables)} tables in it; at most {MOST_TABLES} are read."
        )
    return read_all_readable(tables, lambda table: _build_draft(*table))


def _list_tables(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each table with its title."""
    if isinstance(data, list):
        if data and all(isinstance(entry, Mapping) and _is_entry(entry) for entry in data):
            yield "", {"results": data}
            return
        for number, table in enumerate(data, 1):
            if isinstance(table, Mapping) and _find_entries(table) is not None:
                yield _find_title(table) or f"Table {number}", table
        return
    if not isinstance(data, Mapping):
        return
    if _find_entries(data) is not None:
        yield _find_title(data), data
        return
    inside = data.get("tables")
    if isinstance(inside, list):
        yield from _list_tables(inside)
    elif isinstance(inside, Mapping):
        for name, table in inside.items():
            if isinstance(table, Mapping) and _find_entries(table) is not None:
                yield _find_title(table) or str(name), table


def _find_title(table: Mapping[str, Any]) -> str:
    titles = [table[key] for key in _TITLES if isinstance(table.get(key), str)]
    return next((remove_markup(title) for title in titles if title.strip()), "")


def _find_entries(table: Mapping[str, Any]) -> Any:
    """Return the entries of a table: a list of objects, texts for each face of the dice of its
    title, or texts by figures; None for anything else.
    """
    for key in _ENTRIES:
        value = table.get(key)
        if not value:
            continue
        if isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value):
            return value if any(_has_place(entry) for entry in value) else None
        if isinstance(value, list) and _fits_faces(value, table):
            return value
        if isinstance(value, list) and (pairs := _read_pairs(value)) is not None:
            return pairs
        if isinstance(value, Mapping) and _is_by_figures(value):
            return value
    return table if _is_by_figures(table) else None


def _has_place(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry says when it comes up."""
    keys = {*_RANGES, *_WEIGHTS, *(low for low, _ in _ENDS)}
    return not keys.isdisjoint(entry)


def _is_entry(entry: Mapping[str, Any]) -> bool:
    """Return whether an object is an entry of a table, not a table itself."""
    return _has_place(entry) and not any(isinstance(entry.get(key), list) for key in _ENTRIES)


def _read_pairs(value: Sequence[Any]) -> list[Mapping[str, Any]] | None:
    """Return entries for a list of pairs such as `["1-3", "fox"]`, None for another list."""
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return None
    if not all(len(read_figures(str(key))) == 1 for key, _ in value):
        return None
    return [{"range": str(key), "text": text} for key, text in value]


def _fits_faces(value: Sequence[Any], table: Mapping[str, Any]) -> bool:
    """Return whether there is a text for each total of the dice that the table names, and no
    other list beside these texts.
    """
    lists = [key for key, other in table.items() if isinstance(other, list) and len(other) > 1]
    if len(lists) > 1:
        return False
    if not all(isinstance(entry, str) for entry in value):
        return False
    dice = find_named_dice(_find_dice(table) or _find_title(table))
    if not dice or is_digit_dice(dice):
        return False
    low, high = get_totals(dice)
    return len(value) == high - low + 1


def _is_by_figures(value: Mapping[Any, Any]) -> bool:
    return len(value) > 1 and all(
        isinstance(text, str | int) and len(read_figures(str(key))) == 1
        for key, text in value.items()
    )


def _find_dice(table: Mapping[str, Any]) -> str:
    texts = [table[key] for key in _DICE if isinstance(table.get(key), str)]
    return next((text for text in texts if find_named_dice(text)), "")


def _build_draft(title: str, table: Mapping[str, Any]) -> TableDraft:
    questions = list[str]()
    entries = _find_entries(table)
    if len(entries) > MOST_ENTRIES:
        raise make_import_error(
            f"{title[:40]} has {len(entries):,} entries; a table has at most {MOST_ENTRIES:,}."
        )
    dice, added = _read_dice(table, title, questions)
    plain = clean_title(remove_dice(title))
    if isinstance(entries, Mapping):
        spans = [read_figures(str(key))[0] for key in entries]
        texts = [str(text) for text in entries.values()]
    elif not isinstance(entries[0], Mapping):
        low = get_totals(dice)[0] + added
        spans = [(low + index, low + index) for index in range(len(entries))]
        texts = entries
        questions.append(f"its {len(entries)} texts have no figures: read as those of {dice}")
    elif all(_read_span(entry) for entry in entries):
        spans = [span for span in map(_read_span, entries) if span is not None]
        texts = _read_texts(entries, questions)
    else:
        weights = [_read_weight(entry, number) for number, entry in enumerate(entries, 1)]
        texts = _read_texts(entries, questions)
        if has_sum_row(texts, weights):
            questions.append(
                f'the result "{texts[-1][:20]}" is left out: its weight is the sum of the others'
            )
            weights = weights[:-1]
        dice, spans = assign_spans(weights, plain)
        texts = list(compress(texts, weights))
    dice = dice or guess_dice(spans, plain, questions)
    rows = read_zero_as_highest([(span,) for span in spans], dice, questions)
    plain_texts = map(remove_markup, texts)
    listed = [(span, text) for row, text in zip(rows, plain_texts, strict=True) for span in row]
    if not added:
        check_totals(listed, dice, plain)
    return build_one_column(plain, JSON, dice, listed, questions, added=added)


def _read_dice(table: Mapping[str, Any], title: str, questions: list[str]) -> tuple[str, int]:
    """Return the dice that a table or its title names, and what is always added to them."""
    formula = _find_dice(table)
    if not formula:
        return find_named_dice(title), 0
    if is_digit_dice(find_named_dice(formula)):
        return find_named_dice(formula), 0
    return read_formula(formula, questions)


def _read_span(entry: Mapping[str, Any]) -> Span | None:
    """Return the figures of an entry, None if it has none."""
    for low_key, high_key in _ENDS:
        if low_key in entry:
            low = entry[low_key]
            high = entry.get(high_key, low)
            spans = read_figures(f"{low} to {high}")
            return spans[0] if len(spans) == 1 else None
    for key in _RANGES:
        value = entry.get(key)
        if isinstance(value, list) and 1 <= len(value) <= 2:
            value = f"{value[0]} to {value[-1]}"
        if isinstance(value, int | str) and not isinstance(value, bool):
            spans = read_figures(str(value))
            if len(spans) == 1:
                return spans[0]
    return None


def _read_weight(entry: Mapping[str, Any], number: int) -> Fraction:
    """Return the weight of an entry, 0 to 10,000. Raises UserError, with the `number` of the entry,
    if it has none or another value.
    """
    weight = next((entry[key] for key in _WEIGHTS if key in entry), None)
    if not isinstance(weight, int | float) or type(weight) is bool or not 0 <= weight <= 10_000:
        raise make_import_error(f"Result {number} has neither figures nor a number as its weight.")
    return Fraction(str(weight))


def _read_texts(entries: Sequence[Mapping[str, Any]], questions: list[str]) -> list[str]:
    """Return the texts of entries. Raises UserError for an entry with a text that is none."""
    texts = list[str]()
    ignored = dict[str, None]()
    for number, entry in enumerate(entries, 1):
        pieces = [
            _read_text_under(entry, key, number) for key in (*_NAMES, *_TEXTS) if key in entry
        ]
        if not any(pieces):
            pieces = [_find_only_text(entry)]
        text = ": ".join(dict.fromkeys(piece for piece in pieces if piece))
        if not text:
            questions.append(f"result {number} has no text, and is read as -")
        texts.append(text)
        known = {*_NAMES, *_TEXTS, *_RANGES, *_WEIGHTS, *(end for ends in _ENDS for end in ends)}
        ignored |= dict.fromkeys(key for key in entry if key not in known and key not in _NOT_ASKED)
    if ignored:
        questions.append(f"left out of its results: {', '.join(ignored)[:80]}")
    return texts


def _read_text_under(entry: Mapping[str, Any], key: str, number: int) -> str:
    value = entry[key]
    if value is None or (isinstance(value, int | str) and not isinstance(value, bool)):
        return "" if value is None else str(value).strip()
    raise make_import_error(f"Result {number} has something else than a text under {key}.")


def _find_only_text(entry: Mapping[str, Any]) -> str:
    """Return the text of an entry that has none under a usual key, if just one value is a text,
    under whatever key; else "".
    """
    ends = {end for pair in _ENDS for end in pair}
    taken = {*_RANGES, *_WEIGHTS, *_NOT_ASKED, *ends}
    texts = [value for key, value in entry.items() if key not in taken and isinstance(value, str)]
    return texts[0].strip() if len(texts) == 1 else ""
