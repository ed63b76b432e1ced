"""One line on how a table was understood: `2d6 by row, odds 1:3 to 3:1 by column, 5 results`."""

from bot.packs.importing.digit_dice import is_digit_dice, numbers_of
from bot.packs.importing.headings import format_edge
from bot.packs.importing.table_draft import NOTHING, Edge, TableDraft
from bot.rules.text.names import format_count


def describe_draft(draft: TableDraft) -> str:
    """Return one line that says what a table rolls, what its columns are and how many results it
    has.
    """
    results = {cell for row in draft.cells for cell in row if cell != NOTHING}
    parts = [_describe_rows(draft)]
    if draft.columns is not None:
        parts.append(f"{_format_label(draft.columns, 'column')} by column")
    elif len(draft.outputs) > 1:
        parts.append(f"each row gives {', '.join(draft.outputs)[:60]}")
    parts.append(format_count(len(results), "different result"))
    return "; ".join(parts)


def _describe_rows(draft: TableDraft) -> str:
    """Return in words which dice choose a row, and the figures of the rows; or, if nothing is
    rolled, their label and words.
    """
    if not draft.dice:
        return f"nothing is rolled, {_format_label(draft.rows, 'row')} by row"
    dice = draft.dice.removeprefix("1")
    if is_digit_dice(draft.dice):
        numbers = numbers_of(draft.dice.rstrip("<>"))
        return f"d{max(numbers)} by row, {min(numbers)} to {max(numbers)}"
    if draft.added:
        dice = f"{dice}{draft.added:+d}"
    if draft.modified:
        dice = f"{dice} and a modifier"
    return f"{dice} by row ({format_edge(draft.rows)})"


def _format_label(edge: Edge, kind: str) -> str:
    """Format the label of an edge and its headings. A label that only repeats the `kind` ("row" or
    "column") is left out.
    """
    label = edge.label if edge.label.casefold() != kind else ""
    return f"{label[:30]} {format_edge(edge)}".strip()
