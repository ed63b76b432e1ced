"""A table on its way in: what every format is read as before it is laid out as YAML; the figures
of its headings.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import TypeVar

from bot.packs.importing.figures import Span
from bot.rules.errors import UserError
from bot.rules.tables.formula import FUNCTIONS
from bot.rules.text.ditto import fill_dittos
from bot.rules.text.normalize import ascii_letters, normalize_name
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.rulesets.yaml_file import LONGEST_TEXT, MOST_CELLS

# -- the table

MOST_ROWS, MOST_COLUMNS, MOST_TABLES = 400, 60, 100
MOST_ENTRIES = MOST_CELLS
LONGEST_ENTRY = LONGEST_TEXT
"""Of a table of texts by what the dice come to: what a file of a pack may have."""
LONGEST_CELL, LONGEST_TITLE, LONGEST_NAME = 1_000, 60, 30
_RESERVED = "true false none roll total modifier text parts mods yes no on off"
RESERVED = {*FUNCTIONS, *_RESERVED.split()}

Cell = int | str
NOTHING = "-"
"""The result of an empty cell."""
LOOKS_LIKE_ROSTER = phrase("it looks like a roster: `/unit import` adds its units to a game")
"""The question about a sheet or deck that has the columns of a roster."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The rows or columns of a table: the words that head them, or the figures, several for one
    line if need be.

    `label` is what the heading says they are.
    """

    label: str = ""
    words: tuple[str, ...] = ()
    figures: tuple[tuple[Span, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table: `rows` by their edge, `dice` that choose one, and either `columns` to choose from or
    named `outputs`.

    `dice` are `2d6`, one of `D66`, or nothing where none are rolled; `added` is what is always
    added to them. `modified` says that players may add to them. `id` is what the table would be
    called where its title names nothing.
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
    id: str = ""
    chains: tuple[tuple[Cell, str], ...] = ()
    """The table that is rolled next where a cell says this."""


def link_tables(drafts: Sequence[TableDraft], ids: Sequence[str]) -> list[TableDraft]:
    """The tables, each cell that names another one by its title (`rain, <wind>`) with its id: the
    one that is rolled next. Of a cell that names several, and of what would lead in a circle,
    nothing comes."""
    known = {draft.title: id for draft, id in zip(drafts, ids, strict=True) if draft.dice}
    leads: dict[str, set[str]] = {id: {id} for id in ids}
    made = []
    for draft, id in zip(drafts, ids, strict=True):
        chains: dict[Cell, str] = {}
        named = {f"<{title}>": title for title in known}
        left = set[str]()
        for cell in dict.fromkeys(cell for row in draft.cells for cell in row):
            found = [said for said in re.findall(r"<[^<>]{1,60}>", str(cell)) if said in named]
            at = known[named[found[0]]] if len(found) == 1 and draft.columns is None else ""
            if at and id not in leads[at]:
                chains[cell] = at
                for behind in leads.values():
                    behind |= leads[at] if id in behind else set()
            else:
                left |= {*found}
        asked = [
            one for one in draft.questions if one.partition(" is drawn")[0] not in {*named} - left
        ]
        made.append(replace(draft, chains=tuple(chains.items()), questions=tuple(asked)))
    return made


T = TypeVar("T")


def read_all_readable(
    items: Iterable[T], read: Callable[[T], TableDraft]
) -> tuple[list[TableDraft], list[str]]:
    """The tables of all items out of which one comes, and what is wrong with the others. Raises
    UserError for none.
    """
    drafts: list[TableDraft] = []
    faults: list[UserError] = []
    for item in items:
        try:
            drafts.append(read(item))
        except UserError as error:
            faults.append(error)
    if faults and not drafts:
        raise faults[0]
    return drafts, [f"left out: {error.message}" for error in faults]


def make_import_error(message: str, hint: str = "") -> UserError:
    """The error for a text out of which no table comes."""
    return UserError(message, hint=hint, code="not-a-table")


def clean_text(text: object, what: str, most: int = LONGEST_CELL) -> str:
    """A text in one line, without what cannot be seen. Raises UserError for one that is too
    long.
    """
    found = normalize_name(str(text).replace("\\n", " "))
    if len(found) > most:
        raise make_import_error(
            f"{what} has {len(found):,} characters; at most {most:,} go into one."
        )
    return found


def clean_title(text: object, otherwise: str = "Table") -> str:
    """A title of a table: tidy, and cut to what fits."""
    return clean_name(str(text), LONGEST_TITLE) or otherwise


def make_slug(text: str, between: str = "-", most: int = LONGEST_NAME) -> str:
    """A text as the name of a command: a-z, 0-9 and hyphens; maybe nothing."""
    return re.sub(r"[^a-z0-9]+", between, ascii_letters(text))[:most].strip(between)


def make_name(text: str, otherwise: str, taken: Collection[str] = (), between: str = "-") -> str:
    """A name that begins with a letter and is not taken."""
    found = make_slug(text, between)
    if not found[:1].isalpha():
        found = f"{otherwise}{between}{found}".strip(between) if found else otherwise
    base = found[:LONGEST_NAME].strip(between)
    number = 2
    found = base
    while found in taken or (between == "_" and (iskeyword(found) or found in RESERVED)):
        found = f"{base[: LONGEST_NAME - 4]}{between}{number}"
        number = number + 1
    return found


def make_word(text: str) -> str:
    """A heading as a word that can be typed without quotation marks: `Light woods` is
    `light-woods`, `3:1` and `-2` as they are.
    """
    bare = re.sub(r"[\s,;=\"'`*]+", " ", text).strip()[:40].strip()
    typed = bare.replace(" ", "-")
    return typed if any(char.isdigit() for char in typed) else typed.casefold()


def make_unique(words: Iterable[str], otherwise: str) -> tuple[str, ...]:
    """The words, each made different from those before it; one that is empty is called
    `otherwise`.
    """
    found: list[str] = []
    for said in words:
        base = said or otherwise
        number = 2
        while (said := said or base) in found:
            said = f"{base}-{number}"
            number = number + 1
        found.append(said)
    return tuple(found)


def build_one_column(
    title: str, source: str, dice: str, entries: Iterable[tuple[Span, object]], questions: Iterable[str] = (), *,
    added: int = 0, notes: str = "", id: str = "",
) -> TableDraft:  # fmt: skip
    """A table of texts by what the dice come to. Raises UserError."""
    listed = list(entries)
    if not listed:
        raise make_import_error(f"{title[:40]} has no entries.")
    if len(listed) > MOST_ENTRIES:
        raise make_import_error(
            f"{title[:40]} has {len(listed):,} entries; a table has at most {MOST_ENTRIES:,}."
        )
    rows = Edge("", figures=tuple((span,) for span, _ in listed))
    questions = list(questions)
    texts = [str(text) for _, text in listed]
    rows_of_texts = [[str(number), text] for number, text in enumerate(texts, 1)]
    (_, *column) = fill_dittos([["", "text"], *rows_of_texts], questions)
    cells = tuple(
        (clean_text(text, f"Entry {number} of {title[:40]}", LONGEST_ENTRY) or NOTHING,)
        for number, (_, text) in enumerate(column, 1)
    )
    if all(cell == NOTHING for (cell,) in cells):
        raise make_import_error(f"All results of {title[:40]} are empty.")
    return TableDraft(
        clean_title(title),
        source,
        rows,
        cells,
        dice,
        added,
        notes=notes,
        questions=tuple(dict.fromkeys(questions)),
        id=id,
    )
