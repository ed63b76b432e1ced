"""Tables in JSON of programs that have no importer of their own: a list of entries with figures or
weights, or texts by their figures.
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
    """Return whether parsed JSON is a table, or has several, in one of the forms read here."""
    return next(_list_tables(data), None) is not None


def read_grid(data: Any) -> CellBlock | None:
    """Return the cells of JSON with `columns` and `rows` of the same width, None for any other.

    Dice that are named elsewhere in it are put into the first heading, unless that names some.
    """
    if not isinstance(data, Mapping):
        return None
    heads = data.get("columns") or data.get("headers")
    rows = data.get("rows") or data.get("data")
    if not isinstance(heads, list) or not isinstance(rows, list) or not rows:
        return None
    lines = [heads, *rows]
    if not all(isinstance(line, list) and len(line) == len(heads) for line in lines):
        return None
    cells = [[_clean_cell(cell) for cell in line] for line in lines]
    dice = _find_dice(data)
    if dice and not find_named_dice(cells[0][0]):
        cells[0][0] = dice
    return CellBlock(cells, _find_title(data))


def _clean_cell(cell: Any) -> str:
    """Return a cell as text in one line, without markup."""
    return " ".join(remove_markup(str(cell)).split())


def read_json_tables(data: Any) -> tuple[list[TableDraft], list[str]]:
    """Return the tables that can be read, and remarks on the others.

    Raises UserError if none can be read, or if there are too many.
    """
    tables = list(_list_tables(data))
    if len(tables) > MOST_TABLES:
        raise make_import_error(
            f"The file has {len(tables)} tables; at most {MOST_TABLES} are read."
        )
    return read_all_readable(tables, lambda table: _build_draft(*table))


def _list_tables(data: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (title, table) for each table: `data` itself, a list of entries, or tables in a list or
    below the key `tables`. The title may be "".
    """
    if isinstance(data, list):
        if data and all(_is_entry(entry) for entry in data):
            yield "", {"results": data}
            return
        for number, table in enumerate(data, 1):
            if _is_table(table):
                yield _find_title(table) or f"Table {number}", table
    elif _is_table(data):
        yield _find_title(data), data
    elif isinstance(data, Mapping):
        yield from _list_inner_tables(data.get("tables"))


def _list_inner_tables(tables: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (title, table) for each table in a list or mapping, nothing for other values."""
    if isinstance(tables, list):
        yield from _list_tables(tables)
    elif isinstance(tables, Mapping):
        for name, table in tables.items():
            if _is_table(table):
                yield _find_title(table) or str(name), table


def _is_table(table: Any) -> bool:
    """Return whether a value is a mapping with entries that can be read, see `_find_entries`."""
    return isinstance(table, Mapping) and _find_entries(table) is not None


def _find_title(table: Mapping[str, Any]) -> str:
    """Return the first title or name of a table without markup, "" if it has none."""
    titles = [table[key] for key in _TITLES if isinstance(table.get(key), str)]
    return next((remove_markup(title) for title in titles if title.strip()), "")


def _find_entries(table: Mapping[str, Any]) -> Any:
    """Return the entries of a table, None if it has none.

    They are a list of objects, a list of texts (one for each total of the dice that the table
    names), or a mapping of texts by figures. Such a mapping may be the table itself.
    """
    for key in _ENTRIES:
        value = table.get(key)
        if not value:
            continue
        if isinstance(value, list):
            if all(isinstance(entry, Mapping) for entry in value):
                return value if any(_has_place(entry) for entry in value) else None
            if _fits_faces(value, table):
                return value
            pairs = _read_pairs(value)
            if pairs is not None:
                return pairs
        elif isinstance(value, Mapping) and _is_by_figures(value):
            return value
    return table if _is_by_figures(table) else None


def _has_place(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry has a range or a weight, which say when it comes up."""
    keys = {*_RANGES, *_WEIGHTS, *(low for low, _ in _ENDS)}
    return not keys.isdisjoint(entry)


def _is_entry(entry: Any) -> bool:
    """Return whether a value in a list is one entry of a table, not a whole table.

    An entry is a mapping with a range or a weight, and without a list of entries of its own.
    """
    if not isinstance(entry, Mapping) or not _has_place(entry):
        return False
    return not any(isinstance(entry.get(key), list) for key in _ENTRIES)


def _read_pairs(value: Sequence[Any]) -> list[Mapping[str, Any]] | None:
    """Return entries for a list of pairs such as `["1-3", "fox"]`, None for another list."""
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return None
    if not all(len(read_figures(str(key))) == 1 for key, _ in value):
        return None
    return [{"range": str(key), "text": text} for key, text in value]


def _fits_faces(texts: Sequence[Any], table: Mapping[str, Any]) -> bool:
    """Return whether a list has a text for each total of the dice that the table names, and no
    other list of the table has more than one item.
    """
    lists = [key for key, value in table.items() if isinstance(value, list) and len(value) > 1]
    if len(lists) > 1:
        return False
    if not all(isinstance(text, str) for text in texts):
        return False
    dice = find_named_dice(_find_dice(table) or _find_title(table))
    if not dice or is_digit_dice(dice):
        return False
    lowest, highest = get_totals(dice)
    return len(texts) == highest - lowest + 1


def _is_by_figures(value: Mapping[Any, Any]) -> bool:
    """Return whether a mapping has two or more texts or numbers, each by a figure or range."""
    if len(value) < 2:
        return False
    return all(
        isinstance(text, str | int) and len(read_figures(str(key))) == 1
        for key, text in value.items()
    )


def _find_dice(table: Mapping[str, Any]) -> str:
    """Return the first text under a key such as `formula` that names dice, "" if none does."""
    texts = [table[key] for key in _DICE if isinstance(table.get(key), str)]
    return next((text for text in texts if find_named_dice(text)), "")


def _build_draft(title: str, table: Mapping[str, Any]) -> TableDraft:
    """Return the draft of a table that `_list_tables` yields. Raises UserError."""
    questions = list[str]()
    entries = _find_entries(table)
    if len(entries) > MOST_ENTRIES:
        raise make_import_error(
            f"{title[:40]} has {len(entries):,} entries; a table has at most {MOST_ENTRIES:,}."
        )
    dice, added = _read_dice(table, title, questions)
    plain_title = clean_title(remove_dice(title))
    if isinstance(entries, Mapping):
        spans = [read_figures(str(key))[0] for key in entries]
        texts = [str(text) for text in entries.values()]
    elif not isinstance(entries[0], Mapping):
        lowest = get_totals(dice)[0] + added
        spans = [(total, total) for total in range(lowest, lowest + len(entries))]
        texts = entries
        questions.append(
            f"its {len(entries)} results have no numbers: read in order as totals of {dice}"
        )
    elif all(map(_read_span, entries)):
        spans = list(filter(None, map(_read_span, entries)))
        texts = _read_texts(entries, questions)
    else:
        dice, spans, texts = _assign_weights(entries, plain_title, questions)
    dice = dice or guess_dice(spans, plain_title, questions)
    rows = read_zero_as_highest([(span,) for span in spans], dice, questions)
    spans_and_texts = list[tuple[Span, str]]()
    for row, text in zip(rows, map(remove_markup, texts), strict=True):
        spans_and_texts += [(span, text) for span in row]
    if not added:
        check_totals(spans_and_texts, dice, plain_title)
    return build_one_column(plain_title, JSON, dice, spans_and_texts, questions, added=added)


def _assign_weights(
    entries: Sequence[Mapping[str, Any]], title: str, questions: list[str]
) -> tuple[str, list[Span], list[str]]:
    """Return the die for the weights of entries, and the spans and texts of those that can come up.

    Entries of weight 0 are left out, as is a last one that is the sum of the others, which adds a
    question. Raises UserError.
    """
    weights = [_read_weight(entry, number) for number, entry in enumerate(entries, 1)]
    texts = _read_texts(entries, questions)
    if has_sum_row(texts, weights):
        questions.append(
            f'the result "{texts[-1][:20]}" is left out: its weight is the sum of the others'
        )
        weights = weights[:-1]
    dice, spans = assign_spans(weights, title)
    return dice, spans, list(compress(texts, weights))


def _read_dice(table: Mapping[str, Any], title: str, questions: list[str]) -> tuple[str, int]:
    """Return the dice that a table names, and the number that is always added to them.

    If the table names none, its title may. Without any dice this is ("", 0), also for a formula
    that cannot be read, which adds a question.
    """
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
        raise make_import_error(f"Result {number} has neither a roll nor a weight.")
    return Fraction(str(weight))


def _read_texts(entries: Sequence[Mapping[str, Any]], questions: list[str]) -> list[str]:
    """Return the text of each entry: its name and its texts, with colons between them.

    An entry without one is "". Such entries add questions, and so do keys that are left out.
    Raises UserError for a list or object in place of a text.
    """
    limit_keys = {key for pair in _ENDS for key in pair}
    read_keys = {*_NAMES, *_TEXTS, *_RANGES, *_WEIGHTS, *limit_keys}
    texts = list[str]()
    ignored_keys = dict[str, None]()
    for number, entry in enumerate(entries, 1):
        pieces = [
            _read_text_under(entry, key, number) for key in (*_NAMES, *_TEXTS) if key in entry
        ]
        if not any(pieces):
            pieces = [_find_only_text(entry)]
        text = ": ".join(dict.fromkeys(filter(None, pieces)))
        if not text:
            questions.append(f"result {number} has no text and is read as -")
        texts.append(text)
        for key in entry:
            if key not in read_keys and key not in _NOT_ASKED:
                ignored_keys[key] = None
    if ignored_keys:
        questions.append(f"left out of the results: {', '.join(ignored_keys)[:80]}")
    return texts


def _read_text_under(entry: Mapping[str, Any], key: str, number: int) -> str:
    """Return the text or whole number under a key, "" for null. Raises UserError, with the `number`
    of the entry, for another value.
    """
    value = entry[key]
    if value is None:
        return ""
    if isinstance(value, int | str) and not isinstance(value, bool):
        return str(value).strip()
    raise make_import_error(f"Result {number} has something other than text under {key}.")


def _find_only_text(entry: Mapping[str, Any]) -> str:
    """Return the text of an entry that has none under a usual key, if just one value is a text,
    under whatever key; else "".
    """
    limit_keys = {key for pair in _ENDS for key in pair}
    used_keys = {*_RANGES, *_WEIGHTS, *_NOT_ASKED, *limit_keys}
    texts = [
        value for key, value in entry.items() if key not in used_keys and isinstance(value, str)
    ]
    return texts[0].strip() if len(texts) == 1 else ""
