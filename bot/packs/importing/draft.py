"""A table on its way in: what every format is read as before it is laid out as YAML; the figures
of its headings.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from keyword import iskeyword
from typing import TypeVar

from bot.rules.errors import UserError
from bot.rules.tables.formula import FUNCTIONS
from bot.rules.text.plain import visible
from bot.systems.yaml_file import LONGEST_TEXT, MOST_CELLS

# -- figures as cards print them (`2-5`, `13+`, `3 or less`), and the dice whose totals they are

Span = tuple[int | None, int | None]
"""From this figure to that one, both counted in; None where it is open."""

_DASHES = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212", "------")
_N = r"(-?\d{1,5})"
_BETWEEN = re.compile(rf"{_N}\s*(?:-|\.\.|to|bis|/)\s*{_N}")
_MORE = re.compile(
    rf"(?:>=|≥)\s*{_N}|{_N}\s*(?:\+|or\s+(?:more|higher|above|over|better)|and\s+(?:up|above|over))"
)
_LESS = re.compile(
    rf"(?:<=|≤)\s*{_N}|{_N}\s*(?:-|or\s+(?:less|lower|below|under|fewer)|and\s+(?:below|under))"
)
_DICE = re.compile(r"(?<![a-z0-9])(?:(\d{1,2})\s*)?[dw]\s*(66|\d{1,4}|%)(?![0-9])", re.IGNORECASE)
_MODIFIED = re.compile(r"\+|\bdrms?\b|\bmod", re.IGNORECASE)
D66 = "D66"
ONES = tuple(f"1d{sides}" for sides in (2, 3, 4, 6, 8, 10, 12, 20, 30, 100))
SEVERAL = ("2d6", "3d6", "2d10", "2d4", "2d8", "2d12", "2d20", "4d6", "3d10")


def figures(text: str) -> tuple[Span, ...]:
    """The figures of a heading, several where it lists them; nothing where it is a word."""
    said = " ".join(text.translate(_DASHES).casefold().split())
    spans = [_span(said)] if said else []
    if spans == [None] and "," in said:
        spans = [_span(part.strip()) for part in said.split(",") if part.strip()]
    found = tuple(span for span in spans if span is not None)
    return found if len(found) == len(spans) else ()


def _span(text: str) -> Span | None:
    if re.fullmatch(_N, text):
        return int(text), int(text)
    if found := _BETWEEN.fullmatch(text):
        low = int(found[1])
        high = int(found[2])
        return low, 100 if high == 0 and found[2] == "00" else high
    if found := _MORE.fullmatch(text):
        return int(found[1] or found[2]), None
    if found := _LESS.fullmatch(text):
        return None, int(found[1] or found[2])
    if found := re.fullmatch(rf"([<>])\s*{_N}", text):
        return (int(found[2]) + 1, None) if found[1] == ">" else (None, int(found[2]) - 1)
    return None


def written(span: Span) -> str:
    """A span as a key of a table."""
    low, high = span
    if low is None:
        return f"..{high}"
    if high is None:
        return f"{low}+"
    if low == high:
        return str(low)
    return f"{low}-{high}" if low >= 0 else f"{low}..{high}"


def is_rising(spans: Iterable[Span]) -> bool:
    """Return whether each span runs upward and begins behind the one before it."""
    last: int | None = None
    for number, (low, high) in enumerate(spans):
        if (low is None and number) or (low is not None and last is not None and low <= last):
            return False
        if low is not None and high is not None and high < low:
            return False
        if last is None and number:
            return False
        last = high
    return True


def covered(spans: Iterable[Span], *, inner: bool = False) -> tuple[int, int] | None:
    """The whole range of figures that the spans cover without a gap; open ends count as their
    printed figure.

    `inner` leaves lines with an open end out of it, except for that figure where it is next to the
    rest.
    """
    found: set[int] = set()
    for low, high in spans:
        if low is None or high is None:
            edge = high if low is None else low
            if not inner and edge is not None:
                found.add(edge)
            continue
        if high < low or high - low > 10_000:
            return None
        found.update(range(low, high + 1))
    if not found or len(found) != max(found) - min(found) + 1:
        return None
    return min(found), max(found)


def totals(dice: str) -> tuple[int, int]:
    """The lowest and highest total of dice such as 2d6."""
    count, _, sides = dice.partition("d")
    return int(count or 1), int(count or 1) * int(sides)


def dice_for(spans: Sequence[Span]) -> str:
    """The dice whose totals the figures are, exactly or with open ends; nothing where there are
    none.
    """
    for inner in (False, True):
        reach = covered(spans, inner=inner)
        found = next((dice for dice in (*ONES, *SEVERAL) if totals(dice) == reach), "")
        if found:
            return found
    return D66 if is_d66(spans) else ""


def is_d66(spans: Iterable[Span]) -> bool:
    """Return whether the figures are two dice read as tens and ones, all 36 of them."""
    found = {
        figure
        for low, high in spans
        for figure in range(low or 0, (high or 0) + 1)
        if "0" not in str(figure)
    }
    return {tens * 10 + ones for tens in range(1, 7) for ones in range(1, 7)} <= found and max(
        found
    ) <= 66


def dice_said(text: str) -> str:
    """The first dice that a text names, such as `2d6`; nothing where it names none that can be
    rolled.
    """
    found = _DICE.search(text)
    if not found:
        return ""
    if found[2] == "66":
        return D66
    count = int(found[1] or 1)
    sides = 100 if found[2] == "%" else int(found[2])
    return f"{count}d{sides}" if can_be_rolled(count, sides) else ""


def can_be_rolled(count: int, sides: int) -> bool:
    """Return whether a table can have these dice."""
    return 1 <= count <= 40 and 2 <= sides <= MOST_SIDES and count * sides <= MOST_TOTAL


def is_modified(text: str) -> bool:
    """Return whether a heading says that something is added to its dice: `2d6 + DRM`."""
    found = _DICE.search(text)
    return bool(found and _MODIFIED.search(text[found.end() :]))


# -- the table

MOST_SIDES, MOST_TOTAL = 9_999, 10_000
MOST_ROWS, MOST_COLUMNS, MOST_TABLES = 400, 60, 100
MOST_ENTRIES = MOST_CELLS
LONGEST_ENTRY = LONGEST_TEXT
"""Of a table of texts by what the dice come to: what a file of a pack may have."""
LONGEST_CELL, LONGEST_TITLE, LONGEST_NAME = 1_000, 60, 30
_RESERVED = "true false none roll total modifier text parts mods yes no on off"
RESERVED = {*FUNCTIONS, *_RESERVED.split()}

Cell = int | str


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
class Draft:
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


def linked(drafts: Sequence[Draft], ids: Sequence[str]) -> list[Draft]:
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


def all_that_can(items: Iterable[T], read: Callable[[T], Draft]) -> tuple[list[Draft], list[str]]:
    """The tables of all items out of which one comes, and what is wrong with the others. Raises
    UserError for none.
    """
    drafts: list[Draft] = []
    faults: list[UserError] = []
    for item in items:
        try:
            drafts.append(read(item))
        except UserError as error:
            faults.append(error)
    if faults and not drafts:
        raise faults[0]
    return drafts, [f"left out: {error.message}" for error in faults]


def refused(message: str, hint: str = "") -> UserError:
    """The error for a text out of which no table comes."""
    return UserError(message, hint=hint, code="not-a-table")


def tidy(text: object, what: str, most: int = LONGEST_CELL) -> str:
    """A text in one line, without what cannot be seen. Raises UserError for one that is too
    long.
    """
    found = visible(" ".join(str(text).replace("\\n", " ").split())).strip()
    if len(found) > most:
        raise refused(f"{what} has {len(found):,} characters; at most {most:,} go into one.")
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
    base = found[:LONGEST_NAME].strip(between)
    number = 2
    found = base
    while found in taken or (between == "_" and (iskeyword(found) or found in RESERVED)):
        found = f"{base[: LONGEST_NAME - 4]}{between}{number}"
        number = number + 1
    return found


def word(text: str) -> str:
    """A heading as a word that can be typed without quotation marks: `Light woods` is
    `light-woods`, `3:1` as it is.
    """
    found = re.sub(r"[\s,;=\"'`*]+", "-", text).strip("-")[:40]
    return found if any(char.isdigit() for char in found) else found.casefold()


def unlike(words: Iterable[str], otherwise: str) -> tuple[str, ...]:
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


def one_column(
    title: str, source: str, dice: str, entries: Iterable[tuple[Span, object]], questions: Iterable[str] = (), *,
    added: int = 0, notes: str = "", id: str = "",
) -> Draft:  # fmt: skip
    """A table of texts by what the dice come to. Raises UserError."""
    listed = list(entries)
    if not listed:
        raise refused(f"{title[:40]} has no entries.")
    if len(listed) > MOST_ENTRIES:
        raise refused(
            f"{title[:40]} has {len(listed):,} entries; a table has at most {MOST_ENTRIES:,}."
        )
    rows = Edge("", figures=tuple((span,) for span, _ in listed))
    cells = tuple(
        (tidy(text, f"Entry {number} of {title[:40]}", LONGEST_ENTRY) or "-",)
        for number, (_, text) in enumerate(listed, 1)
    )
    return Draft(
        titled(title),
        source,
        rows,
        cells,
        dice,
        added,
        notes=notes,
        questions=tuple(dict.fromkeys(questions)),
        id=id,
    )
