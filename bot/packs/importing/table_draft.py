"""Table drafts, which tables of all formats become before they are laid out as YAML, and the names
and texts in them.
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
"""Entries of a table with a text for each total, and characters of an entry: the limits of pack
files.
"""
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
    """The rows or columns of a table: the words that head them, or their figures. A row may have
    several spans, and either `words` or `figures` is empty.

    `label` is the heading above them, such as `Range`.
    """

    label: str = ""
    words: tuple[str, ...] = ()
    figures: tuple[tuple[Span, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class TableDraft:
    """A table that was read but is not yet written as YAML."""

    title: str
    source: str
    rows: Edge
    """The rows, which `dice` choose."""
    cells: tuple[tuple[Cell, ...], ...]
    """The cells of each row: one for each of `columns`, or, without columns, one for each of
    `outputs`."""
    dice: str = ""
    """"2d6", one of `D66`, or "" if nothing is rolled."""
    added: int = 0
    """The number that is always added to the dice."""
    modified: bool = False
    """Whether players may add to the dice as well."""
    columns: Edge | None = None
    """The columns to choose from, if there are any."""
    outputs: tuple[str, ...] = ("result",)
    """The names of the outputs."""
    notes: str = ""
    questions: tuple[str, ...] = ()
    id: str = ""
    """The id to use if the title has no letters for one."""
    chains: tuple[tuple[Cell, str], ...] = ()
    """Pairs of a cell and the id of the table that is rolled next if the cell comes up."""


def link_tables(drafts: Sequence[TableDraft], ids: Sequence[str]) -> list[TableDraft]:
    """Return the tables, with a chain for each cell that names another rolled table by its title
    (`rain, <wind>`). `ids` are those of the tables.

    There is no chain for a cell that names several tables, for cells of tables with columns, and
    if it would lead in a circle. The question about a name is dropped if all cells with it have
    a chain.
    """
    ids_by_reference = {
        f"<{draft.title}>": id for draft, id in zip(drafts, ids, strict=True) if draft.dice
    }
    reachable: dict[str, set[str]] = {id: {id} for id in ids}
    linked_drafts = list[TableDraft]()
    for draft, id in zip(drafts, ids, strict=True):
        chains: dict[Cell, str] = {}
        unlinked = set[str]()
        for cell in dict.fromkeys(cell for row in draft.cells for cell in row):
            references = _find_references(cell, ids_by_reference)
            next_id = ""
            if len(references) == 1 and draft.columns is None:
                next_id = ids_by_reference[references[0]]
            if next_id and id not in reachable[next_id]:
                chains[cell] = next_id
                _add_reachable(reachable, id, next_id)
            else:
                unlinked.update(references)
        linked = set(ids_by_reference) - unlinked
        questions = [
            question
            for question in draft.questions
            if question.partition(" is drawn")[0] not in linked
        ]
        linked_drafts.append(
            replace(draft, chains=tuple(chains.items()), questions=tuple(questions))
        )
    return linked_drafts


def _find_references(cell: Cell, references: Collection[str]) -> list[str]:
    """Return which of the references, such as `<wind>`, are in a cell, in its order."""
    words = re.findall(r"<[^<>]{1,60}>", str(cell))
    return [word for word in words if word in references]


def _add_reachable(reachable: dict[str, set[str]], id: str, next_id: str) -> None:
    """Add a step from one table to the next: all tables that lead to `id` reach whatever `next_id`
    does.

    `reachable` has the set of tables that each table reaches, and is changed in place. Before the
    first step, each set must hold its own table.
    """
    for ids in reachable.values():
        if id in ids:
            ids |= reachable[next_id]


T = TypeVar("T")


def read_all_readable(
    items: Iterable[T], read_item: Callable[[T], TableDraft]
) -> tuple[list[TableDraft], list[str]]:
    """Return the tables of all items that can be read, and remarks on the others. Raises the first
    UserError if none can be read; without any items both lists are empty.
    """
    drafts: list[TableDraft] = []
    faults: list[UserError] = []
    for item in items:
        try:
            drafts.append(read_item(item))
        except UserError as error:
            faults.append(error)
    if faults and not drafts:
        raise faults[0]
    return drafts, [f"left out: {error.message}" for error in faults]


def make_import_error(message: str, hint: str = "") -> UserError:
    """Return the error for a text out of which no table comes."""
    return UserError(message, hint=hint, code="not-a-table")


def clean_text(text: object, subject: str, max_length: int = LONGEST_CELL) -> str:
    """Return a text in one line, without invisible characters.

    Raises UserError about the `subject` ("A name") if it is longer than `max_length`.
    """
    cleaned = normalize_name(str(text).replace("\\n", " "))
    if len(cleaned) > max_length:
        raise make_import_error(
            f"{subject} has {len(cleaned):,} characters; the limit is {max_length:,}."
        )
    return cleaned


def clean_title(text: object, otherwise: str = "Table") -> str:
    """Return a title of a table, tidied and cut to what fits; `otherwise` if nothing remains."""
    return clean_name(str(text), LONGEST_TITLE) or otherwise


def make_slug(text: str, separator: str = "-", max_length: int = LONGEST_NAME) -> str:
    """Return a text as the name of a command: a-z, 0-9, and the separator between words. It may be
    empty.
    """
    return re.sub(r"[^a-z0-9]+", separator, ascii_letters(text))[:max_length].strip(separator)


def make_name(
    text: str, otherwise: str, taken_names: Collection[str] = (), separator: str = "-"
) -> str:
    """Return a name that begins with a letter and is not taken, made of a text, or of `otherwise`
    if the text has no letters or digits.

    With "_" as the separator it is a name for formulas: words that these reserve are not used.
    """
    slug = make_slug(text, separator)
    if not slug:
        slug = otherwise
    elif not slug[0].isalpha():
        slug = f"{otherwise}{separator}{slug}".strip(separator)
    base = slug[:LONGEST_NAME].strip(separator)
    name = base
    number = 2
    while name in taken_names or (separator == "_" and _is_reserved(name)):
        name = f"{base[: LONGEST_NAME - 4]}{separator}{number}"
        number = number + 1
    return name


def _is_reserved(name: str) -> bool:
    """Return whether formulas use a name for something of their own."""
    return iskeyword(name) or name in RESERVED


def make_word(text: str) -> str:
    """Return a heading as a word that can be typed without quotation marks.

    `Light woods` is `light-woods`; `3:1`, `-2` and others with digits keep their capitals.
    """
    bare = re.sub(r"[\s,;=\"'`*]+", " ", text).strip()[:40].strip()
    word = bare.replace(" ", "-")
    return word if any(char.isdigit() for char in word) else word.casefold()


def make_unique(words: Iterable[str], otherwise: str) -> tuple[str, ...]:
    """Return the words, with a number after those that are the same as one before. An empty one
    becomes `otherwise`.
    """
    unique: list[str] = []
    for word in words:
        base = word or otherwise
        candidate = base
        number = 2
        while candidate in unique:
            candidate = f"{base}-{number}"
            number = number + 1
        unique.append(candidate)
    return tuple(unique)


def build_one_column(
    title: str, source: str, dice: str, entries: Iterable[tuple[Span, object]], questions: Iterable[str] = (), *,
    added: int = 0, notes: str = "", id: str = "",
) -> TableDraft:  # fmt: skip
    """Return a table with a single result: a text for each span of totals of the dice.

    Empty texts become NOTHING, and ditto marks the text above. Raises UserError if there are no
    entries, too many, only empty ones, or a text that is too long.
    """
    listed = list(entries)
    if not listed:
        raise make_import_error(f"{title[:40]} has no entries.")
    if len(listed) > MOST_ENTRIES:
        raise make_import_error(
            f"{title[:40]} has {len(listed):,} entries; a table has at most {MOST_ENTRIES:,}."
        )
    questions = list(questions)
    numbered_texts = [[str(number), str(text)] for number, (_, text) in enumerate(listed, 1)]
    _, *filled_rows = fill_dittos([["", "text"], *numbered_texts], questions)
    texts = [
        clean_text(text, f"Entry {number} of {title[:40]}", LONGEST_ENTRY) or NOTHING
        for number, (_, text) in enumerate(filled_rows, 1)
    ]
    if all(text == NOTHING for text in texts):
        raise make_import_error(f"All results in {title[:40]} are empty.")
    return TableDraft(
        clean_title(title),
        source,
        Edge("", figures=tuple((span,) for span, _ in listed)),
        tuple((text,) for text in texts),
        dice,
        added,
        notes=notes,
        questions=tuple(dict.fromkeys(questions)),
        id=id,
    )
