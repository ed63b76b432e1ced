"""A roster as a sheet: CSV as spreadsheets write it, with the columns that clubs use."""

import csv
import io
import re
from collections.abc import Sequence

from bot.game.roster_line import FIRST_LINE, NEEDED, RosterLine, RosterText, make_roster_error
from bot.rules.text.ditto import describe_dittos, is_ditto, mark_dittos
from bot.rules.text.markup import remove_markup
from bot.rules.text.normalize import comparison_key, open_signs
from bot.rules.text.phrase import phrase
from bot.rules.text.sum_words import is_sum_word

MAX_COLUMNS = 40
COUNT = "count"
BAR = "|"
"""The sign between the cells of a Markdown table."""
_SYNONYMS = {
    "name": ("unit", "unit name", "unit_name", "designation", "units", "einheit", "nom", "unité"),
    "type": ("unit type", "unit_type", "kind", "class", "typ", "waffengattung", "arm", "branch"),
    "side": ("player", "faction", "nation", "seite"),
    COUNT: (
        "quantity",
        "qty",
        "copies",
        "how many",
        "amount",
        "number of units",
        "#",
        "anzahl",
        "nombre",
    ),
}
_NUMBER_HEADS = frozenset(("no", "no.", "nr", "nr.", "number", "num"))
_EMPTY = frozenset(("-", "n/a", "na", "#n/a"))
_SEPARATOR = re.compile(r"sep=(.)", re.IGNORECASE)
_RULE = re.compile(r"[|:\s-]+")
_GAP = re.compile(r"(?<! ) {2,}(?! )")
_FIGURE = re.compile(r"[-+]?\d{1,6}")
_WHOLE = re.compile(r"([-+]?\d{1,6})[.,]0{1,3}")
_COUNTED = re.compile(
    r"(\d{1,2}) ?(?:x |[×*] ?)(?=\S)(.+)|(.+?)(?: x| ?[×*] ?)(\d{1,2})", re.IGNORECASE
)
_REMARK = re.compile(
    r"[*†#]|(?:grand )?total\b|sum\b|summe\b|gesamt\b|somme\b|suma\b|note\b", re.IGNORECASE
)
_NAME_SIGNS = re.compile(r"[;,=\"“”]+")
_TIMES = re.compile(r"^[x×]\s*(?=\d+$)|(?<=\d)\s*[x×]$", re.IGNORECASE)
_QUOTED = re.compile(r"[“„«\"](.+)[”“»\"]")


def read_sheet_roster(text: str) -> RosterText:
    """Return the units of a sheet. Raise UserError naming line and column."""
    roster = RosterText()
    _check_columns_of_blanks(text)
    delimiter, text = _find_delimiter(text)
    sheet_lines = text.split("\n")
    has_breaks = "\n" in text.strip()
    lines = io.StringIO(mark_dittos(sheet_lines, delimiter))
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    heads: list[str] = []
    above: list[str] = []
    dittos: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = reader.line_num
            if not heads:
                heads = _read_heads(cells, line, roster, has_breaks=has_breaks)
                if heads:
                    _name_column_of_counts(heads, sheet_lines, delimiter)
                continue
            if delimiter == BAR and len(cells) == 1 < len(heads):
                roster.notes.append(f'line {line} is left out: "{cells[0].strip()[:60]}"')
                continue
            cells = _without_dittos(heads, cells, above, line, dittos)
            if _add_row(roster, heads, cells, line):
                above = cells
    except csv.Error as error:
        raise make_roster_error(str(error), reader.line_num) from None
    if dittos:
        roster.notes.append(describe_dittos(dittos))
    return roster


def _without_dittos(
    heads: Sequence[str], cells: Sequence[str], above: Sequence[str], line: int, dittos: list[str]
) -> list[str]:
    """Return the cells of a row, with the cells of the row above in place of ditto marks.

    Add a note to `dittos` for each. Raise UserError for the ditto mark of a name, since two units
    need two names.
    """
    filled_cells = list(cells)
    for column, (head, cell) in enumerate(zip(heads, cells, strict=False)):
        if not is_ditto(cell) or column >= len(above):
            continue
        if head == "name":
            raise make_roster_error(
                f"{cell.strip()} stands for the name above, and two units need two names",
                line,
                column + 1,
                hint="Write another name, or a count of 2 in the line above.",
            )
        filled_cells[column] = above[column]
        dittos.append(f"line {line}, column {head} ({above[column].strip()[:20] or 'empty'})")
    return filled_cells


def _check_columns_of_blanks(text: str) -> None:
    """Raise UserError for a table whose columns are set by blanks, as copies of documents have
    them.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if any(mark in text for mark in "\t;|") or len(lines) < 2:
        return
    gaps = [len(_GAP.findall(line)) for line in lines]
    if 2 * sum(gap > 1 for gap in gaps) > len(lines):
        raise make_roster_error(
            "Its columns are lined up with spaces",
            hint="Put a comma or a tab between the cells, with name,type in the first line.",
        )


def _find_delimiter(text: str) -> tuple[str, str]:
    """Return the delimiter between cells, and the text to read.

    The delimiter is a bar for Markdown tables and for a text that begins with a bar. The bars at
    both ends of a line are then removed, and a line such as `|---|---|` is emptied. For other texts
    it is a comma, semicolon or tab. A first line such as `sep=;`, as Excel writes it, names it and
    is emptied.
    """
    lines = text.split("\n")
    first_line = next((line for line in lines if line.strip()), "")
    if first_line.lstrip().startswith("|") or is_markdown(text):
        return BAR, _remove_borders(text)
    separator = _SEPARATOR.fullmatch(first_line.strip())
    if separator:
        return separator[1], text.replace(first_line, "", 1)
    heading_line = first_line
    if not _has_delimiter(first_line):  # a title may stand above the headings
        heading_line = next(filter(_has_delimiter, lines), first_line)
    return max(",;\t", key=heading_line.count), text


def _has_delimiter(line: str) -> bool:
    return any(mark in line for mark in ",;\t")


def is_markdown(text: str) -> bool:
    """Return whether a text contains a Markdown table: a line such as `|---|---|`."""
    rules = [line for line in text.split("\n") if BAR in line and "-" in line]
    return any(_RULE.fullmatch(line.strip()) for line in rules)


def _remove_borders(text: str) -> str:
    """Return a Markdown table as cells with bars between them. Each line keeps its number."""
    lines = [line.strip() for line in text.split("\n")]
    return "\n".join("" if _RULE.fullmatch(line) else line.strip("|") for line in lines)


def _read_heads(cells: list[str], line: int, roster: RosterText, *, has_breaks: bool) -> list[str]:
    """Return the headings, or [] for a title above them. Raise UserError for unknown headings.

    `has_breaks` is whether the text has more than one line.
    """
    heads = rename_headings([comparison_key(remove_markup(cell)) for cell in cells])
    if not has_breaks and _has_lost_breaks(heads):
        hint = phrase("Paste it into the form of `/unit import`, or send it as a file.")
        raise make_roster_error(
            "The text is all on one line: its line breaks have been lost", hint=hint
        )
    filled = [cell.strip() for cell in cells if cell.strip()]
    if len(filled) == 1 and "name" not in heads and has_breaks:
        roster.notes.append(f'left out above the headings: "{filled[0][:60]}"')
        return []
    _check_heads(heads, line)
    roster.heading_line = line
    return heads


def _name_column_of_counts(heads: list[str], lines: Sequence[str], delimiter: str) -> None:
    """Call a column such as `No.` the count, in `heads` itself, if some of its cells are `×2`."""
    if COUNT in heads:
        return
    for column, head in enumerate(heads):
        if head not in _NUMBER_HEADS:
            continue
        cells = [line.split(delimiter)[column : column + 1] for line in lines]
        if any(cell and _TIMES.search(cell[0].strip()) for cell in cells):
            heads[column] = COUNT
            return


def rename_headings(heads: list[str]) -> list[str]:
    """Return headings by their usual names: `unit` becomes name, `qty` becomes count."""
    renamed = list(heads)
    for name, synonyms in _SYNONYMS.items():
        if name in renamed:
            continue
        synonym = next((candidate for candidate in synonyms if candidate in renamed), None)
        if synonym is not None:
            renamed[renamed.index(synonym)] = name
    return renamed


def has_columns_of_roster(headings: Sequence[str]) -> bool:
    """Return whether the headings of a sheet are those of a list of units: two of their name, type
    and count.
    """
    heads = rename_headings([comparison_key(remove_markup(heading)) for heading in headings])
    return len({"name", "type", COUNT} & {*heads}) > 1


def _has_lost_breaks(heads: Sequence[str]) -> bool:
    """Return whether the only line of a text was a sheet, before its line breaks became blanks.

    `heads` are the cells of that line. It begins with a required heading, and holds more cells than
    are required. A cell that is repeated, or has a blank in it, is taken for the value of a unit.
    """
    is_long = len(heads) > len(set(heads)) or any(" " in head for head in heads)
    return len(heads) > len(NEEDED) and heads[0] in NEEDED and is_long


def _check_heads(heads: Sequence[str], line: int) -> None:
    """Raise UserError for too many columns, no heading `name`, or a heading that is there twice."""
    if len(heads) > MAX_COLUMNS:
        raise make_roster_error(f"at most {MAX_COLUMNS} columns", line, code="too-many")
    if "name" not in heads:
        raise make_roster_error(
            "the heading name is missing", line, hint=FIRST_LINE, code="missing"
        )
    for column, head in enumerate(heads, 1):
        if head and heads.index(head) != column - 1:
            raise make_roster_error("a heading is repeated", line, column, code="given-twice")


def _add_row(roster: RosterText, heads: Sequence[str], cells: Sequence[str], line: int) -> bool:
    """Add the unit of a row to the roster. Return False for a remark.

    Raise UserError for more values than headings.
    """
    cells = [remove_markup(cell) for cell in cells]
    if any(cell.strip() for cell in cells[len(heads) :]):
        hint = "Put values that contain the separator in quotation marks."
        raise make_roster_error("more values than headings", line, len(heads) + 1, hint=hint)
    if _is_remark(heads, cells):
        text = next(cell.strip() for cell in cells if cell.strip())
        roster.notes.append(f'line {line} is left out: "{text[:60]}"')
        return False
    values: dict[str, str] = {}
    for head, cell in zip(heads, cells, strict=False):
        if head:
            values[head] = clean_value(head, cell)
        elif cell.strip():
            note = f"column {heads.index(head) + 1} has no heading, so it is left out"
            if note not in roster.notes:
                roster.notes.append(note)
    places = {head: (line, column) for column, head in enumerate(heads, 1) if head}
    roster.rows += expand_count(RosterLine(line, values, places), roster.notes)
    return True


def _is_remark(heads: Sequence[str], cells: Sequence[str]) -> bool:
    """Return whether a row between units is a remark, a heading or a sum, and no unit."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    if _REMARK.match(filled[0]) or (len(filled) == 1 and filled[0].endswith(":")):
        return True
    if len(filled) == 1 and len(heads) > 2 and {"name", "type"} <= {*heads}:
        return True  # a heading between units: these have a type
    types = [cell for head, cell in zip(heads, cells, strict=False) if head == "type"]
    return is_sum_word(filled[0]) and not any(types)


def clean_value(head: str, cell: str) -> str:
    """Return a value in clean form: `5.0` is 5, a dash is empty, a name has no quotation marks."""
    value = cell.strip()
    if comparison_key(value) in _EMPTY:
        return ""
    if head == "state":
        return "-".join(value.split())
    if head == "name":
        quoted = _QUOTED.fullmatch(value)
        return quoted[1].strip() if quoted else value
    plain = open_signs(value)
    whole = _WHOLE.fullmatch(plain)
    if whole:
        return whole[1]
    return plain if _FIGURE.fullmatch(plain) else value


def expand_count(row: RosterLine, notes: list[str]) -> list[RosterLine]:
    """Return the row with numbered units for its count, or for the count in its name (`3x Squad`).

    Return [] for a count of 0. Raise UserError for any other count that is not from 1 to 40.
    """
    name = row.values.get("name", "").strip()
    raw = _TIMES.sub("", row.values.get(COUNT, "").strip())
    values = {key: value for key, value in row.values.items() if key != COUNT}
    if clean_unit_name(name) != name:
        notes.append(f"{name[:40]} is called {clean_unit_name(name)[:40]}")
    if not raw:
        name, raw = split_count(name)
    if not raw:
        return [RosterLine(row.line, {**values, "name": clean_unit_name(name)}, row.places)]
    if not raw.isdecimal() or not 0 <= int(raw) <= 40:
        line, column = row.places.get(COUNT, (row.line, 0))
        raise make_roster_error(
            f"{raw[:20]} is not a count of units from 0 to 40", line, column, code="bad-value"
        )
    if not int(raw):
        notes.append(f"line {row.line} is left out, because {name[:40]} has a count of 0")
        return []
    values["name"] = number_name(clean_unit_name(name), int(raw))
    if int(raw) > 1 and ".." not in name:
        notes.append(f"the {raw} units in line {row.line} are called {values['name']}")
    return [RosterLine(row.line, values, row.places)]


def clean_unit_name(name: str) -> str:
    """Return a name without the signs that part names and options: `1st, "Tanners"`."""
    if not _NAME_SIGNS.search(name):
        return name
    return " ".join(_NAME_SIGNS.sub(" ", name).split())


def split_count(name: str) -> tuple[str, str]:
    """Split a name into the name without its count, and the count.

    `3x Squad` and `Squad x3` are ("Squad", "3"). The count is "" if there is none.
    """
    counted = _COUNTED.fullmatch(name)
    if not counted:
        return name, ""
    return (counted[2] or counted[3]).strip(), counted[1] or counted[4]


def number_name(name: str, count: int) -> str:
    """Return the name of `count` numbered units: `Squad A` three times is `Squad A 1..3`."""
    if count <= 1 or ".." in name:
        return name
    between = "-" if name[-1:].isdigit() else " "
    return f"{name}{between}1..{count}"
