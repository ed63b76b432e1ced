"""The first step of an import: a text is cut into its tables and the titles above them.

Cells have marks between them, are set in columns of blanks, or stand in boxes. Lines that belong to
no table are named, so that nothing is lost silently.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.packs.importing.figures import find_named_dice, is_rising, normalize_figures, read_figures
from bot.packs.importing.spreadsheet_dates import is_date
from bot.packs.importing.table_draft import MOST_COLUMNS, MOST_ROWS, clean_text, make_import_error
from bot.rules.text.ditto import mark_dittos
from bot.rules.text.markup import remove_entities, remove_markup

NO_TABLE = "No table was found in this text."
LOST_BREAKS = "The text is all on one line: its line breaks have been lost."
MOST_LINES = 5_000
MOST_LEFT_OUT = 5
"""Lines outside of tables that are quoted in full."""
_BARS = str.maketrans(dict.fromkeys("│┃║¦｜", "|"))
_BOX_RULE = re.compile(r"[\s|:+=_\-─-╿]+")
_HEADING = re.compile(r"#{1,6}\s+(.{1,200})")
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{1,100})(?:\*\*|__):?")
_SEPARATOR_LINE = re.compile(r"sep=(.)", re.IGNORECASE)
_COLUMN_GAP = re.compile(r"(?<! ) {2,}(?! )")
_TAB_OR_GAP = re.compile(r" *\t[ \t]*|(?<! ) {2,}(?! )")
_DICE_HEAD = re.compile(r"\d{0,2}\s?[dw]\s?(?:\d{1,3}|%)\b.{0,40}", re.IGNORECASE)
_NOTE = re.compile(
    r"\s*(?:[*†‡§]|\(|note\b|notes\b|n\.b\.|source\b|see\b|\^[\w-]+$)", re.IGNORECASE
)
_LONG_NOTE = 30
_CODE = re.compile(r"(?=.*[A-Z0-9])[A-Z0-9][A-Za-z0-9/+*†-]{0,6}")
_ODDS = re.compile(r"\d{1,3}[:-]\d{1,3}")
_LONGEST_TITLE = 80


@dataclass(slots=True)
class CellBlock:
    """The cells of one table, a list for each row, all of one length, and the title above it."""

    rows: list[list[str]]
    title: str = ""


@dataclass(slots=True)
class Blocks:
    """The tables of a text, lines that are in none of them, and questions about how it was cut."""

    blocks: list[CellBlock] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)


def cut_text(text: str) -> Blocks:
    """Return the tables of a text, the lines that are in none, and questions about how it was cut.

    Raises UserError for a text without any table.
    """
    lines = text.split("\n")
    if sum(_has_bars(line) for line in lines) >= 2 and not _is_tabbed(lines):
        cut = _cut_bars(lines)
    else:
        cut = _cut_rows(_split_rows(text, lines))
    if cut.blocks:
        return cut
    mark_count = sum(text.count(mark) for mark in "\t;,|")
    if "\n" not in text.strip() and mark_count > 1:
        raise make_import_error(
            LOST_BREAKS, "Send it as a file, or type \\n at the end of each line."
        )
    raise make_import_error(
        NO_TABLE, "Paste cells with their headings, separated by tabs, commas or semicolons."
    )


def read_rows(text: str) -> list[list[str]]:
    """Return the cells of a text that is one sheet, all rows of one length, without empty rows.
    Raises UserError for lines that cannot be split into cells, and for too many rows or columns.
    """
    rows = [row for row in _split_rows(text, text.split("\n")) if any(row)]
    return _pad_rows(rows)


def list_left_out_notes(lines: Sequence[str]) -> list[str]:
    """Return remarks on lines that are in no table: the first MOST_LEFT_OUT are quoted, the others
    counted.
    """
    notes = [f'left out: "{clean_text(line[:80], "A line")}"' for line in lines[:MOST_LEFT_OUT]]
    if len(lines) > MOST_LEFT_OUT:
        notes.append(f"left out: {len(lines) - MOST_LEFT_OUT} more lines that belong to no table")
    return notes


# -- cells with marks between them


def _is_tabbed(lines: Sequence[str]) -> bool:
    """Return whether more than half of the lines that are not empty have a tab."""
    filled = [line for line in lines if line.strip()]
    return 2 * sum("\t" in line for line in filled) > len(filled)


def _split_rows(text: str, lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of each line of a text, [] for an empty one, without markup. Raises
    UserError.

    A first line such as `sep=;` says what separates the cells. Otherwise it is found in the
    lines; without any mark the cells are set in columns by blanks.
    """
    mark = ""
    separator = _SEPARATOR_LINE.fullmatch(lines[0].strip())
    if separator:
        mark = separator[1]
        text = text.partition("\n")[2]
    filled = [line for line in lines if line.strip()]
    if not mark:
        mark = _find_mark([remove_entities(line) for line in filled])
    rows: Iterable[Sequence[str]]
    if not mark:
        rows = _split_columns(lines)
    elif mark == "\t" and _has_tabs_and_blanks(lines):
        rows = [_TAB_OR_GAP.split(line.strip()) if line.strip() else [] for line in lines]
    else:
        marked = mark_dittos(text.split("\n"), mark)
        rows = csv.reader(marked.splitlines(keepends=True), delimiter=mark)
    try:
        return [[remove_markup(cell) for cell in row] for row in rows]
    except csv.Error as error:
        raise make_import_error(f"The sheet cannot be read: {error}.") from None


def _has_tabs_and_blanks(lines: Sequence[str]) -> bool:
    """Return whether cells are separated by tabs in one place and by several blanks in another, as
    mails and documents set them: lines differ in their tabs, but not in their cells.
    """
    table = [line.strip() for line in lines if "\t" in line]
    tabbed = {line.count("\t") for line in table}
    widths = {len(_TAB_OR_GAP.split(line)) for line in table}
    return len(table) > 2 and len(tabbed) > 1 and len(widths) == 1 and widths != {2}


def _find_mark(filled: Sequence[str]) -> str:
    """Return the tab, semicolon or comma that separates the cells, "" if nothing does.

    It is in the second line, or in half of all lines or more. `filled` are the lines that are not
    empty. For a single line the result is always "".
    """
    if len(filled) < 2:
        return ""
    for mark in "\t;,":
        if mark in filled[1]:
            return mark
    for mark in "\t;,":
        if 2 * sum(mark in line for line in filled) >= len(filled):
            return mark
    return ""


def is_in_columns(lines: Sequence[str]) -> bool:
    """Return whether most lines have the same number of columns, three or more, with blanks between
    them, or the text has a grid of codes.
    """
    widths = [len(_COLUMN_GAP.split(line.strip())) for line in lines]
    width = max(set(widths), key=widths.count, default=0)
    if width >= 3 and 2 * widths.count(width) > len(widths):
        return True
    return bool(_split_token_grid(lines))


def _split_token_grid(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of a grid of codes that was copied out of a document, with single blanks
    between them, below odds or figures; [] for any other text. Lines above it stay at the top,
    those between its rows (`Page 14 of 32`) go to the end.
    """
    rows = [line.split() for line in lines if line.strip()]
    widths = [len(row) for row in rows]
    width = max(set(widths), key=widths.count, default=0)
    start = widths.index(width) if width else 0
    if width < 4:
        return []
    return _build_token_grid(rows[:start], rows[start:], width)


def _build_token_grid(
    above: list[list[str]], below: Sequence[list[str]], width: int
) -> list[list[str]]:
    """Return the cells of a grid of codes, or [] if it has none. Each line that is no row of it
    becomes a row of one cell: lines above the grid come first, those between its rows last.

    `above` are the words of the lines before the first one of `width` words, `below` those of the
    others.
    """
    grid = [row for row in below if len(row) == width and _can_begin_row(row, below[0])]
    other_rows = [row for row in below if row not in grid]
    if any(_is_edge(row[0]) for row in other_rows):
        return []
    if above:
        head = _read_grid_head(above[-1], width)
        if head:
            above.pop()
            grid = [head, *grid]
    if not _is_grid_of_codes(grid):
        return []
    lines_above = [[" ".join(row)] for row in above]
    other_lines = [[" ".join(row)] for row in other_rows]
    return [*lines_above, *grid, *other_lines]


def _can_begin_row(row: Sequence[str], first_row: Sequence[str]) -> bool:
    """Return whether a row is the first one, which may be headings, or begins with figures."""
    return row is first_row or _is_edge(row[0])


def _read_grid_head(row: Sequence[str], width: int) -> list[str]:
    """Return a line as the headings above a grid of `width` columns, [] if it has none.

    Its last words must be figures or odds, one for each column but the first. The words before them
    must be neither, and become the heading of the first column (`Die Roll`). `row` are the words.
    """
    tops = list(row[1 - width :])
    if len(row) < width - 1 or not all(map(_is_edge, tops)):
        return []
    corner = row[: len(row) - len(tops)]
    return [] if any(map(_is_edge, corner)) else [" ".join(corner), *tops]


def _is_grid_of_codes(grid: Sequence[Sequence[str]]) -> bool:
    """Return whether rows have figures or odds at the top and at the side, and codes inside."""
    head, *body = grid
    edges = [*head[1:], *(row[0] for row in body)]
    cells = [cell for row in body for cell in row[1:]]
    has_edges = all(_is_edge(edge) for edge in edges)
    return len(body) > 1 and has_edges and all(_CODE.fullmatch(cell) for cell in cells)


def _is_edge(cell: str) -> bool:
    """Return whether a cell may be the heading of a row or column: figures, or odds such as 3:1."""
    return bool(read_figures(cell)) or _ODDS.fullmatch(cell) is not None


def _split_columns(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of lines whose columns are set by blanks. Lines of a text without columns
    have one cell each. Raises UserError if lines have a different number of columns.
    """
    grid = _split_token_grid(lines)
    if grid:
        return grid
    rows = [
        [cell.strip() for cell in _COLUMN_GAP.split(line.strip())] if line.strip() else []
        for line in lines
    ]
    widths = [len(row) for row in rows if len(row) > 1]
    if len(widths) < 2:
        return [row[:1] for row in rows]
    width = max(set(widths), key=widths.count)
    rows = _join_page_heads(rows, width)
    odd_row = next((row for row in rows if len(row) > 1 and len(row) != width), None)
    if odd_row is not None:
        line = clean_text("  ".join(odd_row)[:60], "A line")
        raise make_import_error(
            f'"{line}" has {len(odd_row)} columns; the other lines have {width}.',
            "Copy the cells with tabs between them, or separate them with commas.",
        )
    return rows


def _join_page_heads(rows: list[list[str]], width: int) -> list[list[str]]:
    """Return rows in which lines of two parts that stand by themselves are one cell: a title at the
    left of a page and its number at the right. Tables of two columns stay as they are.
    """
    if width <= 2:
        return rows
    joined = list[list[str]]()
    for number, row in enumerate(rows):
        neighbors = [*rows[max(number - 1, 0) : number], *rows[number + 1 : number + 2]]
        is_alone = all(len(neighbor) < 2 for neighbor in neighbors)
        joined.append(["  ".join(row)] if is_alone and len(row) == 2 else row)
    return joined


def _cut_rows(rows: Sequence[Sequence[str]]) -> Blocks:
    """Return the tables of a sheet, and the lines that are in none.

    Tables are separated by empty rows, by headings of their own, or by empty columns. A single line
    above a table is its title. Raises UserError for a sheet that is too large.
    """
    if len(rows) > MOST_LINES:
        raise make_import_error(f"The sheet is larger than {MOST_LINES:,} lines.")
    cut = Blocks()
    title = ""
    for group in _split_groups(rows):
        above, core, below = _split_group(group)
        if title and above:
            cut.left_out.append(title)
            title = ""
        if core:
            _add_core(cut, core, above[0] if above else title)
            cut.left_out += [*above[1:], *below]
            title = ""
        elif len(above) == 1 and len(above[0]) <= _LONGEST_TITLE and not _NOTE.match(above[0]):
            title = above[0]
        else:
            cut.left_out += above
    if title:
        cut.left_out.append(title)
    return cut


def _add_core(cut: Blocks, core: list[list[str]], title: str) -> None:
    """Add rows to the tables of a text, in `cut` itself.

    They become tables of their own if they have a title or look like such. Otherwise they are more
    rows of the last table, which adds a question unless they begin with figures.
    """
    table = cut.blocks[-1] if cut.blocks else None
    if table is None or title or _begins_table(core, table.rows):
        core = _drop_group_heading(core, cut.left_out)
        cut.blocks += [CellBlock(part, title) for part in _split_side_by_side(core, cut.questions)]
        return
    if not read_figures(core[0][0]):
        cut.questions.append(f'there is an empty row above "{core[0][0][:30]}": read as one table')
    table.rows = _pad_rows([*table.rows, *core])


def _split_groups(rows: Sequence[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield the rows between empty ones; a row with dice at its head begins a new group."""
    group = list[Sequence[str]]()
    filled = 0
    for row in rows:
        is_filled = _count_filled(row) > 1
        begins_table = filled > 1 and is_filled and is_dice_head(row[0])
        if group and (not any(row) or begins_table):
            yield group
            group = []
            filled = 0
        if any(row):
            filled += is_filled
            group.append(row)
    if group:
        yield group


def is_dice_head(cell: str) -> bool:
    """Return whether a cell is a heading that begins with dice: `d6`, `2d6 + DRM`."""
    plain = normalize_figures(cell)
    return _DICE_HEAD.fullmatch(plain) is not None and bool(find_named_dice(plain))


def _count_filled(row: Sequence[str]) -> int:
    return sum(bool(cell) for cell in row)


def _split_group(
    group: Sequence[Sequence[str]],
) -> tuple[list[str], list[list[str]], list[str]]:
    """Return the lines above a table, its rows, and the remarks below it.

    The table begins with the first row of two or more cells. Without one, all lines are above it,
    and it has no rows.
    """
    start = 0
    while start < len(group) and _count_filled(group[start]) < 2:
        start += 1
    stop = len(group)
    keys = [row[0] for row in group[start:] if row and row[0] and _count_filled(row) > 1]
    has_figures = 2 * sum(_is_key(key) for key in keys) >= len(keys)
    while stop > start and _is_note(group[stop - 1], has_figures):
        stop -= 1
    above = ["".join(row) for row in group[:start]]
    below = ["".join(row) for row in group[stop:]]
    core = [list(row) for row in group[start:stop]]
    return above, _pad_rows(core) if core else [], below


def _is_note(row: Sequence[str], has_figures: bool) -> bool:
    """Return whether the last row of a table is a remark: a single text in its first cell that is
    no figure and, unless the headings of rows are figures (`has_figures`), is long or begins as
    remarks do.
    """
    if _count_filled(row) != 1 or not row[0]:
        return False
    text = row[0]
    if _is_key(text):
        return False
    return has_figures or _NOTE.match(text) is not None or len(text) > _LONG_NOTE


def _is_key(text: str) -> bool:
    """Return whether a heading of a row is figures, or a date that was one."""
    return bool(read_figures(text)) or is_date(text)


def _begins_table(core: Sequence[Sequence[str]], rows_before: Sequence[Sequence[str]]) -> bool:
    """Return whether rows below an empty row are a table of their own, not more rows of the one
    before. They are if they begin with dice, with the same headings, or with a heading that is no
    figure above figures.
    """
    head = core[0][0]
    if is_dice_head(head):
        return True
    if len(core) < 2 or _is_key(head):
        return False
    if [cell.casefold() for cell in core[0]] == [cell.casefold() for cell in rows_before[0]]:
        return True
    return all(_is_key(row[0]) for row in core[1:])


def _drop_group_heading(core: list[list[str]], left_out: list[str]) -> list[list[str]]:
    """Return rows without a row above the headings that groups columns (`Range in hexes`). Its
    texts are added to `left_out`, except for those above a column without another heading: they
    become that heading.
    """
    if len(core) < 3 or not core[1][0] or _is_key(core[1][0]):
        return core
    if core[0][0] == core[1][0]:  # merged over both rows
        core = [["", *core[0][1:]], *core[1:]]
    if core[0][0]:
        return core
    if not is_dice_head(core[1][0]) and not all(_is_key(row[0]) for row in core[2:]):
        return core
    group_headings, heads, *rows = core
    new_heads = list[str]()
    for number, (group_heading, head) in enumerate(zip(group_headings, heads, strict=True)):
        is_only_heading = not head and any(row[number] for row in rows)
        if is_only_heading:
            new_heads.append(group_heading)
            continue
        new_heads.append(head)
        if group_heading:
            left_out.append(group_heading)
    return [new_heads, *rows]


def _split_side_by_side(rows: list[list[str]], questions: list[str]) -> Iterator[list[list[str]]]:
    """Yield the tables that stand next to each other in rows, without empty columns.

    Tables with the same headings are one table, set in several groups of columns, if the figures of
    their rows continue each other. Such tables add a question, whether they are joined or not.
    """
    groups = list[list[list[str]]]()
    for part in _find_column_groups(rows):
        cells = [[row[number] for number in part] for row in rows]
        groups.append(_pad_rows([row for row in cells if any(row)]))
    if not _have_same_headings(groups):
        yield from groups
        return
    if not _goes_on(groups):
        questions.append(
            f"{len(groups)} groups of columns with the same headings are read as separate tables, because "
            f"their rows are not consecutive"
        )
        yield from groups
        return
    starts = ", ".join(group[1][0] for group in groups[1:])
    questions.append(
        f"groups of columns with the same headings are read as one table, which continues at {starts}"
    )
    yield [groups[0][0], *(row for group in groups for row in group[1:])]


def _find_column_groups(rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the numbers of the columns of each table, without empty columns.

    A new table begins after an empty column if the next heading has dice or is the first heading
    again, and wherever all headings are repeated.
    """
    columns = list(zip(*rows, strict=True))
    heads = [column[0].casefold() for column in columns]
    width = _find_repeated_width(heads)
    parts: list[list[int]] = [[]]
    for number, column in enumerate(columns):
        if not any(column):
            continue
        follows_empty = number > 0 and not any(columns[number - 1])
        is_first_head = bool(heads[0]) and heads[number] == heads[0]
        begins_again = follows_empty and (is_first_head or is_dice_head(column[0]))
        is_repeated = width > 0 and number > 0 and number % width == 0
        if begins_again or is_repeated:
            parts.append([])
        parts[-1].append(number)
    return [part for part in parts if part]


def _find_repeated_width(heads: Sequence[str]) -> int:
    """Return how many headings there are until they all come again, 0 if they do not."""
    if not heads[0] or heads[0] not in heads[1:]:
        return 0
    width = heads.index(heads[0], 1)
    is_repeated = width > 1 and [*heads[:width]] * (len(heads) // width) == [*heads]
    return width if is_repeated else 0


def _have_same_headings(groups: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Return whether there are several groups of columns, all with the same headings."""
    heads = {tuple(cell.casefold() for cell in group[0]) for group in groups}
    return len(groups) > 1 and len(heads) == 1


def _goes_on(groups: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Return whether all rows begin with figures, and those of each group of columns are above
    those of the group before it.
    """
    keys = [read_figures(row[0]) for group in groups for row in group[1:]]
    return all(keys) and is_rising(span for spans in keys for span in spans)


def _pad_rows(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return rows of one length, without empty columns at the right. Raises UserError for too
    many rows or columns.
    """
    widths = [column + 1 for row in rows for column, cell in enumerate(row) if cell]
    width = max(widths, default=0)
    if len(rows) > MOST_ROWS + 2 or width > MOST_COLUMNS + 1:
        raise make_import_error(
            f"The sheet is larger than {MOST_ROWS} rows and {MOST_COLUMNS} columns."
        )
    return [[*row[:width], *[""] * (width - len(row))] for row in rows]


# -- cells in boxes: Markdown, and the boxes of manuals and terminals


def _has_bars(line: str) -> bool:
    """Return whether a line has cells between bars, not only a border."""
    plain = line.translate(_BARS)
    return "|" in plain and not _BOX_RULE.fullmatch(plain)


def _cut_bars(lines: Sequence[str]) -> Blocks:
    """Return the tables in boxes; the nearest heading above each is its title. Other lines are left
    out.
    """
    cut = Blocks()
    title = ""
    prose = list[str]()
    rows = list[list[str]]()
    for line in [*lines, ""]:
        plain = line.translate(_BARS).strip()
        if _has_bars(line):
            rows.append(_split_bars(plain))
            continue
        if _is_rule(plain):
            continue
        if rows:
            _add_box(cut, rows, title, prose)
            title = ""
            prose = []
            rows = []
        heading = _find_heading(plain)
        if heading:
            title = heading
        elif plain:
            prose.append(plain)
    cut.left_out += prose
    return cut


def _is_rule(line: str) -> bool:
    """Return whether a line has nothing but the border of a box."""
    return bool(line) and _BOX_RULE.fullmatch(line) is not None


def _find_heading(line: str) -> str:
    """Return the heading in a line: one of Markdown, bold words, or a title with dice; else ""."""
    heading = _HEADING.fullmatch(line) or _BOLD.fullmatch(line)
    if heading:
        return remove_markup(heading[1]).strip(" *_")
    return line if is_dice_head(line) else ""


def _add_box(cut: Blocks, rows: list[list[str]], title: str, prose: list[str]) -> None:
    """Add a box of cells to the tables. If it has no title, a short line that is the last of the
    `prose` above it becomes one. The rest of the prose is left out.
    """
    is_title = not title and prose and len(prose[-1]) <= 60 and not prose[-1].endswith(".")
    if is_title:
        title = prose.pop()
    parts = _split_side_by_side(_pad_rows(rows), cut.questions)
    cut.blocks += [CellBlock(part, title) for part in parts]
    cut.left_out += prose


def _split_bars(line: str) -> list[str]:
    """Return the cells of a line with bars between them; `\\|` is a bar inside a cell."""
    text = line.removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    cells = re.split(r"(?<!\\)\|", text)
    return [remove_markup(cell.replace("\\|", "|").strip()) for cell in cells]
