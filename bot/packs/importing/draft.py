"""A table on its way in: what every format is read as, before it is laid out as YAML."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from keyword import iskeyword

from bot.packs.importing.figures import Span
from bot.rules.errors import UserError
from bot.rules.tables.formula import FUNCTIONS
from bot.rules.text.plain import visible

MOST_ROWS, MOST_COLUMNS, MOST_TABLES = 400, 60, 100
LONGEST_CELL, LONGEST_TITLE, LONGEST_NAME = 1_000, 60, 30
RESERVED = {
    *FUNCTIONS,
    "true",
    "false",
    "none",
    "roll",
    "total",
    "modifier",
    "text",
    "parts",
    "mods",
    "yes",
    "no",
    "on",
    "off",
}

Cell = int | str


@dataclass(frozen=True, slots=True)
class Edge:
    """The rows or columns of a table: the words that head them, or the figures, several for one line if need be.

    `label` is what the heading says they are.
    """

    label: str = ""
    words: tuple[str, ...] = ()
    figures: tuple[tuple[Span, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A table: `rows` by their edge, `dice` that choose one, and either `columns` to choose from or named `outputs`.

    `dice` are `2d6`, one of `D66`, or nothing where none are rolled; `added` is what is always added to them.
    `modified` says that players may add to them.
    """

    title: str
    source: str
    rows: Edge
    cells: tuple[tuple[Cell, ...], ...]
    dice: str = ""
    added: int = 0
    modified: bool = False
    columns: Edge | None = None
    outputs: tuple[str, ...] = ("result",)
    notes: str = ""
    questions: tuple[str, ...] = ()


def refused(message: str, hint: str = "") -> UserError:
    """The error for a text out of which no table comes."""
    return UserError(message, hint=hint, code="not-a-table")


def tidy(text: object, what: str, most: int = LONGEST_CELL) -> str:
    """A text in one line, without what cannot be seen. Raises UserError for one that is too long."""
    found = " ".join(visible(str(text).replace("\\n", " ")).split())
    if len(found) > most:
        raise refused(f"{what} has {len(found)} characters; at most {most} go into one.")
    return found


def titled(text: object, otherwise: str = "Table") -> str:
    """A title of a table: tidy, and cut to what fits."""
    return " ".join(visible(str(text)).split())[:LONGEST_TITLE].strip() or otherwise


def slug(text: str, between: str = "-", most: int = LONGEST_NAME) -> str:
    """A text as the name of a command: a-z, 0-9 and hyphens; maybe nothing."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", between, plain)[:most].strip(between)


def named(text: str, otherwise: str, taken: Collection[str] = (), between: str = "-") -> str:
    """A name that begins with a letter and is not taken."""
    found = slug(text, between)
    if not found[:1].isalpha():
        found = f"{otherwise}{between}{found}".strip(between) if found else otherwise
    base, number = found[:LONGEST_NAME].strip(between), 2
    while found in taken or (between == "_" and (iskeyword(found) or found in RESERVED)):
        found, number = f"{base[: LONGEST_NAME - 4]}{between}{number}", number + 1
    return found


def word(text: str) -> str:
    """A heading as a word that can be typed without quotation marks: `Light woods` is `light-woods`, `3:1` as it is."""
    found = re.sub(r"[\s,;=\"'`*]+", "-", text).strip("-")[:40]
    return found if any(char.isdigit() for char in found) else found.casefold()


def unlike(words: Iterable[str], otherwise: str) -> tuple[str, ...]:
    """The words, each made different from those before it; one that is empty is called `otherwise`."""
    found: list[str] = []
    for said in words:
        base, number = said or otherwise, 2
        while (said := said or base) in found:
            said, number = f"{base}-{number}", number + 1
        found.append(said)
    return tuple(found)


def one_column(
    title: str, source: str, dice: str, entries: Iterable[tuple[Span, object]], questions: Iterable[str] = (), *,
    added: int = 0, notes: str = "",
) -> Draft:  # fmt: skip
    """A table of texts by what the dice come to."""
    listed = list(entries)
    if not listed:
        raise refused(f"{title[:40]} has no entries.")
    if len(listed) > MOST_ROWS:
        raise refused(f"{title[:40]} has {len(listed)} entries; a table has at most {MOST_ROWS}.")
    rows = Edge("", figures=tuple((span,) for span, _ in listed))
    cells = tuple((tidy(text, f"Entry {number} of {title[:40]}") or "-",) for number, (_, text) in enumerate(listed, 1))
    return Draft(
        titled(title), source, rows, cells, dice, added, notes=notes, questions=tuple(dict.fromkeys(questions))
    )
