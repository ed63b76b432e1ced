"""Tables drawn at random and mangled as spreadsheets, people and copies mangle them; and how an
imported table is read back, to be held against what was drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import yaml

from bot.packs.importing import Imported

DICE = ("1d6", "2d6", "1d8", "1d10", "1d12", "1d20", "3d6", "1d100")
RESULTS = (
    "AE AR NE DR DE 1 2 10 +1 -2 −1 1/2 007 0.5 NA - Pin KIA M1 DM2"
    "|falls back|wet, and cold|no effect|3 hexes|is 'held'"
)
HEADS = (
    ["1:3", "1:2", "1:1", "2:1", "3:1"],
    ["-2", "-1", "0", "1", "2"],
    ["clear", "woods", "light hills"],
    ["result"],
    ["result"],
    ["result"],
)
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()

Truth = dict[tuple[int, str], str]
"""The result of each total and column."""


@dataclass(slots=True)
class Mangled:
    """A table as it was drawn (`dice`, `truth`) and the text that came of it. `is_damaged` says
    that the text no longer has all of the table, or says something else.
    """

    dice: str
    heads: list[str]
    truth: Truth
    rows: list[tuple[int, int]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    tops: list[str] = field(default_factory=list)
    corner: str = ""
    cells: list[list[str]] = field(default_factory=list)
    text: str = ""
    is_damaged: bool = False
    steps: list[str] = field(default_factory=list)


def bounds(dice: str) -> tuple[int, int]:
    count, sides = map(int, dice.split("d"))
    return count, count * sides


def draw(random: Random) -> Mangled:
    """Return a table with bands of totals, in full."""
    dice = random.choice(DICE)
    low, high = bounds(dice)
    cuts = sorted(random.sample(range(low + 1, high + 1), min(random.randint(1, 7), high - low)))
    rows = list(zip([low, *cuts], [*(cut - 1 for cut in cuts), high], strict=True))
    heads = list(random.choice(HEADS))
    words = [word for part in RESULTS.split("|")[:1] for word in part.split()]
    words += RESULTS.split("|")[1:]
    cells = [[random.choice(words) for _ in heads] for _ in rows]
    truth = {
        (total, head): cell
        for (first, last), row in zip(rows, cells, strict=True)
        for total in range(first, last + 1)
        for head, cell in zip(heads, row, strict=True)
    }
    table = Mangled(dice, heads, truth, rows, tops=list(heads), corner=dice, cells=cells)
    table.keys = [f"{first}-{last}" if first < last else str(first) for first, last in rows]
    return table


# -- notation: the same table in other signs


def other_dashes(random: Random, table: Mangled) -> None:
    between = random.choice(["–", "—", "−", "‑", " - ", " to ", "..", "...", "…", " bis ", "～"])
    table.keys = [
        key if re.search("[A-Z]", key) else key.replace("-", between) for key in table.keys
    ]


def wide_digits(_: Random, table: Mangled) -> None:
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    table.keys = [key.translate(wide) for key in table.keys]


def decimals(random: Random, table: Mangled) -> None:
    zero = random.choice([".0", ".00"])
    table.keys = [key + zero if key.isdecimal() else key for key in table.keys]


def ordinals(random: Random, table: Mangled) -> None:
    mark = random.choice([".", ")"])
    table.keys = [key + mark if key.isdecimal() else key for key in table.keys]


def leading_zeros(_: Random, table: Mangled) -> None:
    table.keys = [re.sub(r"\d+", lambda digits: digits[0].zfill(2), key) for key in table.keys]


def dates(random: Random, table: Mangled) -> None:
    """Each band that a spreadsheet takes for a date becomes one."""
    is_british = random.random() < 0.5
    keys = []
    for key in table.keys:
        low, dash, high = key.partition("-")
        if not dash:
            keys.append(key)
            continue
        day, month = (int(low), int(high)) if is_british else (int(high), int(low))
        if 1 <= month <= 12 and 1 <= day <= 28:
            keys.append(random.choice([f"{day}-{MONTHS[month - 1]}"]))
        elif int(low) <= 12 and 32 <= int(high) <= 99:
            keys.append(f"{MONTHS[int(low) - 1]}-{high}")
        else:
            keys.append(key)
    table.keys = keys


def zero_for_highest(_: Random, table: Mangled) -> None:
    """Ten-sided dice show 0 for 10 and 00 for 100, at the end of the last row."""
    if table.dice not in ("1d10", "1d100"):
        return
    zero = "0" if table.dice == "1d10" else "00"
    first, last = table.rows[-1]
    if first == last:
        table.keys[-1] = zero
    elif table.dice == "1d100":
        table.keys[-1] = f"{first}-{zero}"


def times(_: Random, table: Mangled) -> None:
    table.tops = [re.sub(r"^(\d):(\d)$", r"\1:0\2", top) for top in table.tops]


def signs(random: Random, table: Mangled) -> None:
    if "-2" not in table.tops:
        return
    minus = random.choice(["-", "−", "–"])
    table.tops = [
        f"+{top}" if top.isdecimal() and top != "0" else top.replace("-", minus)
        for top in table.tops
    ]


def other_corner(random: Random, table: Mangled) -> None:
    dice = table.dice.removeprefix("1")
    forms = [dice, dice.upper(), dice.replace("d", "w"), f"Roll {dice}", f"{dice} \\ column"]
    table.corner = random.choice(forms)


def no_dice(_: Random, table: Mangled) -> None:
    table.corner = "Roll"


NOTATION: tuple[Callable[[Random, Mangled], None], ...] = (
    other_dashes, wide_digits, decimals, ordinals, leading_zeros, dates, zero_for_highest, times,
    signs, other_corner, no_dice,
)  # fmt: skip


# -- damage: the text says something else than the table


def lose_row(random: Random, table: Mangled) -> None:
    if len(table.keys) > 2:
        number = random.randrange(len(table.keys))
        del table.keys[number], table.cells[number], table.rows[number]


def repeat_row(random: Random, table: Mangled) -> None:
    number = random.randrange(len(table.keys))
    table.keys.insert(number, table.keys[number])
    table.cells.insert(number, list(table.cells[number]))


def misspell_key(random: Random, table: Mangled) -> None:
    number = random.randrange(len(table.keys))
    key = table.keys[number]
    table.keys[number] = random.choice([f"{key}*", f"{key}x", f"l{key}", f"{key}¹", f"?{key}", ""])


def wrong_dice(random: Random, table: Mangled) -> None:
    table.corner = random.choice([dice for dice in DICE if dice != table.dice])


def empty_cells(random: Random, table: Mangled) -> None:
    for row in table.cells:
        if random.random() < 0.4:
            row[random.randrange(len(row))] = ""


def lose_heads(_: Random, table: Mangled) -> None:
    table.corner = table.keys.pop(0)
    table.tops = table.cells.pop(0)
    if not table.keys:
        table.keys, table.cells = [table.corner], [table.tops]


def merge_heads(random: Random, table: Mangled) -> None:
    table.tops[random.randrange(len(table.tops))] = ""


def shift_key(random: Random, table: Mangled) -> None:
    """One figure of a band is another: a gap or an overlap comes of it."""
    number = random.randrange(len(table.keys))
    table.keys[number] = re.sub(
        r"\d+", lambda digits: str(int(digits[0]) + 1), table.keys[number], count=1
    )


DAMAGE: tuple[Callable[[Random, Mangled], None], ...] = (
    lose_row, repeat_row, misspell_key, wrong_dice, empty_cells, lose_heads, merge_heads, shift_key,
)  # fmt: skip


# -- as text


def as_cells(random: Random, table: Mangled) -> str:
    """The table with marks between its cells, as a spreadsheet writes it."""
    mark = random.choice(",;\t")
    width = random.choice([0, 0, 1, 2])
    rows = [[table.corner, *table.tops]]
    rows += [[key, *row] for key, row in zip(table.keys, table.cells, strict=True)]
    lines = [mark.join([*(quoted(cell, mark) for cell in row), *[""] * width]) for row in rows]
    if random.random() < 0.15:
        lines = [f"sep={mark}", *lines]
    elif random.random() < 0.2:
        lines = [f"Table of the club{mark * len(table.tops)}", *lines]
    if random.random() < 0.2:
        lines += [mark * len(table.tops), f"Note: see the card{mark}"]
    return "\n".join(lines) + "\n"


def quoted(cell: str, mark: str) -> str:
    return f'"{cell}"' if mark in cell else cell


def as_bars(random: Random, table: Mangled) -> str:
    """The table in Markdown or in a box, with text around it."""
    rows = [[table.corner, *table.tops]]
    rows += [[key, *row] for key, row in zip(table.keys, table.cells, strict=True)]
    bar = random.choice("||│")
    lines = [f"{bar} {f' {bar} '.join(row)} {bar}" for row in rows]
    if bar == "|":
        lines.insert(1, "|---" * len(rows[0]) + "|")
    before = ["## Club table", ""] if random.random() < 0.5 else []
    behind = ["", "Use it well."] if random.random() < 0.3 else []
    return "\n".join([*before, *lines, *behind]) + "\n"


def as_list(random: Random, table: Mangled) -> str:
    """The table as a list, where it has one column."""
    if len(table.tops) > 1 or any(
        not key or not row[0] for key, row in zip(table.keys, table.cells, strict=True)
    ):
        return as_cells(random, table)
    mark = random.choice([": ", " ", ". ", " - "])
    title = f"{table.corner} Club table" if table.corner[-1:].isdecimal() else table.corner
    lines = [f"{key}{mark}{row[0]}" for key, row in zip(table.keys, table.cells, strict=True)]
    return "\n".join([title, *lines]) + "\n"


def as_json(random: Random, table: Mangled) -> str:
    """The table as JSON, where it has one column."""
    if len(table.tops) > 1:
        return as_bars(random, table)
    text = random.choice(["text", "result", "outcome", "value"])
    entries = [
        {"range": key, text: row[0]} for key, row in zip(table.keys, table.cells, strict=True)
    ]
    return json.dumps({"name": "Club table", "dice": table.corner, "results": entries})


FORMS = (as_cells, as_cells, as_cells, as_bars, as_list, as_json)


def mangle(seed: int) -> Mangled:
    """Return a table that was drawn and mangled; the same for each seed."""
    random = Random(seed)
    table = draw(random)
    steps = random.sample(NOTATION, random.randint(0, 3))
    if random.random() < 0.4:
        steps = [*steps, random.choice(DAMAGE)]
        table.is_damaged = True
    for step in steps:
        step(random, table)
        table.steps.append(step.__name__)
    form = random.choice(FORMS)
    table.steps.append(form.__name__)
    text = form(random, table)
    if random.random() < 0.2:
        text = text.replace("\n", "\r\n")
    table.text = ("\ufeff" if random.random() < 0.1 else "") + text
    return table


# -- read back


def read_back(made: Imported) -> tuple[str, Truth]:
    """Return the dice of an imported table and the result of each total and column, "?" for
    dice that players add to.
    """
    (text,) = made.files.values()
    table = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    rolls = table.get("rolls") or {}
    dice = rolls.get("roll", {}).get("dice", "" if not rolls else "d66")
    if "modifier" in (table.get("inputs") or {}):
        dice = f"{dice}?"
    columns = table["read"].get("columns") or {}
    gives = table["read"]["gives"]
    heads = (
        columns.get("heads")
        or columns.get("from")
        or (gives if isinstance(gives, list) else [gives])
    )
    results: Truth = {}
    for key, row in table["read"]["cells"].items():
        for total in totals_of(str(key)):
            row_cells = row if isinstance(row, list) else [row]
            for head, cell in zip(heads, row_cells, strict=True):
                results[total, str(head).replace("_", "-")] = str(cell)
    return dice, results


def totals_of(key: str) -> list[int]:
    """Return the totals of a key such as `2-4`, `..4` or `1-49, 100`."""
    totals = list[int]()
    for part in key.split(","):
        span = re.fullmatch(r"\s*(-?\d+)?(?:-|\.\.)?(-?\d+)?(\+)?\s*", part)
        if span is None:
            continue
        low = int(span[1] or span[2] or 0)
        high = int(span[2] or span[1] or 0)
        totals += range(low, high + 1)
    return totals


def differences(table: Mangled, results: Mapping[Any, str]) -> list[str]:
    """Return where results differ from the table: another result, or a total that it lacks."""
    names = {name for _, name in results}
    found = list[str]()
    for (total, head), cell in table.truth.items():
        name = head if len(table.heads) > 1 else next(iter(names), "")
        read = results.get((total, name.replace(" ", "-")))
        if read is not None and not (read == cell or (table.is_damaged and read.endswith(cell))):
            found.append(f"{total}, {head}: {read!r}, not {cell!r}")
        if read is None and not table.is_damaged:
            found.append(f"{total}, {head}: nothing, not {cell!r}")
    known = {total for total, _ in table.truth}
    found += [f"{total} is not a total" for total, _ in results if total not in known]
    return found
