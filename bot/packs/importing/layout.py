"""A table that was read, as the YAML of ours: laid out like the card, so that it can be
proof-read beside it.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import yaml

from bot.packs.importing.digit_dice import PLACES, is_digit_dice, places_of, sides_of
from bot.packs.importing.figures import Span, format_key, get_totals, is_stepped
from bot.packs.importing.table_draft import Cell, Edge, TableDraft, make_name

LONGEST_CODE, MOST_CODES = 14, 40
USUAL = 10
"""What players may add to the dice, where the table does not go further."""
_BARE = re.compile(r"[A-Za-z0-9_.+<>/-][A-Za-z0-9 _.'()+<>/-]*")
_NO_TEXTS = ("yes", "no", "on", "off", "true", "false", "null")
"""Of all that begins with a letter YAML reads these as something else."""


class TableAxis(NamedTuple):
    """An edge of the table as it is written: the name it goes by, its input, its keys, and how
    columns are headed.
    """

    name: str
    input: str
    keys: list[str]
    heads: str = "heads"


def format_yaml(draft: TableDraft, group: str) -> str:
    """The text of a table file."""
    return "\n".join(_list_lines(draft, group)) + "\n"


def format_scalar(value: Cell) -> str:
    """A text or number as YAML reads it back."""
    if isinstance(value, int):
        return str(value)
    if _BARE.fullmatch(value) and value == value.strip():
        if value[0].isalpha() and value.casefold() not in _NO_TEXTS:
            return value
        try:
            if yaml.safe_load(value) == value:
                return value
        except (yaml.YAMLError, ValueError):
            pass
    return json.dumps(value, ensure_ascii=False)


def _list_lines(draft: TableDraft, group: str) -> Iterator[str]:
    outputs = draft.outputs
    columns = _build_column_axis(draft.columns, outputs) if draft.columns is not None else None
    rows = _build_row_axis(draft, (*outputs, columns.name if columns else ""))
    yield f"title: {format_scalar(draft.title)}"
    yield f"source: {format_scalar(draft.source)}"
    yield f"group: {group}"
    yield f"kind: {'roll' if draft.dice else 'grid'}"
    yield f"summary: {format_scalar(_format_summary(draft))}"
    if draft.notes:
        yield f"notes: {format_scalar(draft.notes)}"
    yield "inputs:"
    if columns is not None:
        yield f"  {columns.name}: {columns.input}"
    yield from (f"  {line}" for line in _list_row_inputs(draft, rows))
    every = (
        [[cell for row in draft.cells for cell in row]]
        if columns
        else list(zip(*draft.cells, strict=True))
    )
    kinds = {
        name: _find_output_kind(list(cells), draft)
        for name, cells in zip(outputs, every, strict=True)
    }
    yield f"outputs: {{{', '.join(f'{name}: {kind}' for name, kind in kinds.items())}}}"
    yield from _list_roll_lines(draft)
    codes = {cell: f"then-{number}" for number, (cell, _) in enumerate(draft.chains, 1)}
    yield from ("results:",) if codes else ()
    for cell, id in draft.chains:
        said = (
            ""
            if re.fullmatch(r"<[^<>]+>", str(cell))
            else f"{outputs[0]}: {json.dumps(cell, ensure_ascii=False)}, "
        )
        yield f"  {codes[cell]}: {{{said}table: {id}}}"
    yield "read:"
    yield f"  rows: {rows.name}"
    if columns is not None:
        yield f"  columns: {{by: {columns.name}, {columns.heads}: [{', '.join(columns.keys)}]}}"
    yield f"  gives: {outputs[0] if len(outputs) == 1 else '[' + ', '.join(outputs) + ']'}"
    if draft.modified or draft.added:
        yield "  off_card: rows"
    yield "  cells:"
    yield from _list_cell_lines(
        replace(draft, cells=tuple([tuple([codes.get(c, c) for c in r]) for r in draft.cells])),
        rows.keys,
    )
    yield f"example: {{{', '.join(_list_example_lines(draft, rows, columns))}}}"


def _format_summary(draft: TableDraft) -> str:
    if is_digit_dice(draft.dice):
        places = places_of(draft.dice)
        count = {2: "two", 3: "three"}[len(places)]
        return f"{draft.title}: {count} dice, as {', '.join(places[:-1])} and {places[-1]}."
    return f"{draft.title}: {'a roll of ' + draft.dice if draft.dice else 'looked up, nothing is rolled'}."


def _build_row_axis(draft: TableDraft, taken: tuple[str, ...]) -> TableAxis:
    keys = [_format_key(spans) for spans in draft.rows.figures] or [
        format_scalar(said) for said in draft.rows.words
    ]
    if not draft.dice:
        name = make_name(draft.rows.label, "row", taken, "_")
        return TableAxis(name, _format_input(draft.rows, draft.rows.label or "the row"), keys)
    return TableAxis(
        "total" if draft.modified or draft.added or is_digit_dice(draft.dice) else "roll", "", keys
    )


def _build_column_axis(edge: Edge, outputs: tuple[str, ...]) -> TableAxis:
    name = make_name(edge.label, "column", outputs, "_")
    about = edge.label or "the column"
    flat = [span for spans in edge.figures for span in spans]
    if flat and is_stepped(flat):
        low = flat[0][0] or 0
        high = flat[-1][0] or 0
        limits = f"min: {low}, max: {_find_figure_beyond(high)}, clamp: both"
        said = f"{{type: int, {limits}, help: {json.dumps(about, ensure_ascii=False)}}}"
        return TableAxis(name, said, [str(span[0]) for span in flat], "from")
    keys = [_format_key(spans) for spans in edge.figures] or [
        format_scalar(said) for said in edge.words
    ]
    return TableAxis(name, _format_input(edge, about), keys)


def _find_figure_beyond(figure: int) -> int:
    return 99 if figure < 99 else figure * 2


def _format_input(edge: Edge, about: str) -> str:
    """The input that chooses a row or column."""
    said = json.dumps(about[:80], ensure_ascii=False)
    if edge.words:
        return (
            f"{{type: enum, values: [{', '.join(map(format_scalar, edge.words))}], help: {said}}}"
        )
    flat = [span for spans in edge.figures for span in spans]
    ends = [end for span in flat for end in span if end is not None]
    low = min(ends)
    high = max(ends)
    clamp = [end for end, at in (("low", 0), ("high", 1)) if any(span[at] is None for span in flat)]
    how = f"clamp: {'both' if len(clamp) == 2 else clamp[0]}, " if clamp else ""
    return f"{{type: int, min: {low}, max: {high}, {how}help: {said}}}"


def _format_key(spans: tuple[Span, ...]) -> str:
    key = ", ".join(format_key(span) for span in spans)
    return f'"{key}"' if "," in key else key


def _list_row_inputs(draft: TableDraft, rows: TableAxis) -> Iterator[str]:
    if not draft.dice:
        yield f"{rows.name}: {rows.input}"
    elif is_digit_dice(draft.dice):
        sides = sides_of(draft.dice)
        for place, number in zip(places_of(draft.dice), ("first", "second", "third"), strict=False):
            yield (
                f"{place}: {{type: int, min: 1, max: {sides}, optional: true, "
                f'help: "the {number} die"}}'
            )
    else:
        low, high = get_totals(draft.dice)
        if draft.modified:
            ends = [
                end
                for spans in draft.rows.figures
                for span in spans
                for end in span
                if end is not None
            ]
            least = min(-USUAL, min(ends) - low)
            most = max(USUAL, max(ends) - high)
            yield f'modifier: {{type: int, min: {least}, max: {most}, default: 0, help: "added to the dice"}}'
        yield f'roll: {{type: int, min: {low}, max: {high}, optional: true, help: "{draft.dice}"}}'


def _list_roll_lines(draft: TableDraft) -> Iterator[str]:
    """The dice, and what is made of them."""
    label = json.dumps(draft.title, ensure_ascii=False)
    if is_digit_dice(draft.dice):
        places = places_of(draft.dice)
        die = f"1d{sides_of(draft.dice)}"
        yield f"rolls: {{{', '.join(f'{place}: {{dice: {die}, label: {place}}}' for place in places)}}}"
        yield f'derive: {{total: "{_total_of_digits(draft.dice)}"}}'
    elif draft.dice:
        yield f"rolls: {{roll: {{dice: {draft.dice}, label: {label}}}}}"
        if draft.modified or draft.added:
            parts = ["roll", *(["+ modifier"] if draft.modified else [])]
            parts += (
                [f"{'-' if draft.added < 0 else '+'} {abs(draft.added)}"] if draft.added else []
            )
            yield f"derive: {{total: {' '.join(parts)}}}"


def _total_of_digits(dice: str) -> str:
    """Return the formula of the number that dice show, such as `tens * 10 + ones`."""
    places = places_of(dice)
    if dice.endswith("<"):
        return "min(tens, ones) * 10 + max(tens, ones)"
    if dice.endswith(">"):
        return "max(tens, ones) * 10 + min(tens, ones)"
    powers = [10 ** (len(PLACES) - 1 - PLACES.index(place)) for place in places]
    parts = [f"{place} * {power}" for place, power in zip(places[:-1], powers, strict=False)]
    return " + ".join([*parts, places[-1]])


def _find_output_kind(cells: list[Cell], draft: TableDraft) -> str:
    """What an output is: a whole number, one of the codes of the table, or a text."""
    if all(isinstance(cell, int) for cell in cells):
        return "int"
    codes = list(dict.fromkeys(cells))
    if all(len(str(cell)) <= LONGEST_CODE for cell in codes) and len(codes) <= MOST_CODES:
        return f"[{', '.join(map(format_scalar, sort_codes(draft, codes)))}]"
    return "text" if all(isinstance(cell, str) for cell in cells) else "token"


def sort_codes(draft: TableDraft, codes: list[Cell]) -> list[Cell]:
    """The codes of a grid in the order in which they follow each other on it, so that a cell out of
    step is seen; as they come where they follow no order."""
    if draft.columns is None or len(codes) < 3:
        return codes
    best: tuple[int, list[Cell]] = (len(draft.cells) * len(draft.cells[0]) // 4, codes)
    for sign in (1, -1):
        places: dict[Cell, list[int]] = {}
        for down, row in enumerate(draft.cells):
            for across, cell in enumerate(row):
                places.setdefault(cell, []).append(
                    across * len(draft.cells) + sign * down * len(row)
                )
        mean = {code: sum(at) / len(at) for code, at in places.items()}
        ranked = sorted(codes, key=mean.__getitem__)
        rank = {code: at for at, code in enumerate(ranked)}
        odd = sum(rank[one] > rank[other] for row in draft.cells for one, other in pairwise(row))
        odd += sum(
            sign * rank[one] > sign * rank[other]
            for above, below in pairwise(draft.cells)
            for one, other in zip(above, below, strict=True)
        )
        if odd < best[0]:
            best = odd, ranked
    return best[1]


def _list_cell_lines(draft: TableDraft, keys: list[str]) -> Iterator[str]:
    width = max(map(len, keys)) + 1
    rows = [[format_scalar(cell) for cell in row] for row in draft.cells]
    if len(draft.outputs) == 1 and draft.columns is None:
        yield from (
            f"    {key + ':':{width}} {row[0]}" for key, row in zip(keys, rows, strict=True)
        )
        return
    wide = [
        max(map(len, column)) if max(map(len, column)) < 40 else 0
        for column in zip(*rows, strict=True)
    ]
    for key, row in zip(keys, rows, strict=True):
        cells = [f"{cell + ',':{size + 1}}" for cell, size in zip(row, wide, strict=True)]
        yield f"    {key + ':':{width}} [{' '.join(cells).rstrip().rstrip(',')}]"


def _list_example_lines(
    draft: TableDraft, rows: TableAxis, columns: TableAxis | None
) -> Iterator[str]:
    if columns is not None and draft.columns is not None:
        yield f"{columns.name}: {_get_first_key(draft.columns)}"
    if is_digit_dice(draft.dice):
        yield ", ".join(f"{place}: 1" for place in places_of(draft.dice))
    elif draft.dice:
        yield f"roll: {get_totals(draft.dice)[0]}"
    else:
        yield f"{rows.name}: {_get_first_key(draft.rows)}"


def _get_first_key(edge: Edge) -> str:
    if edge.words:
        return format_scalar(edge.words[0])
    low, high = edge.figures[0][0]
    return str(low if low is not None else high)
