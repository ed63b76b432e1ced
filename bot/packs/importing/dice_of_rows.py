"""The dice that choose a row: those that the heading names, if they fit the rows, or else those
whose totals the rows are.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.packs.importing.digit_dice import digit_dice_for, is_digit_dice, numbers_of
from bot.packs.importing.figures import (
    Span,
    find_covered_range,
    find_dice,
    find_limits,
    find_named_dice,
    format_signed,
    format_span,
    get_totals,
    is_modified,
)
from bot.packs.importing.headings import AS_TEXT, Headings
from bot.packs.importing.table_draft import make_import_error
from bot.packs.importing.zeros import find_die_from_zero, read_zero_as_highest
from bot.rules.text.normalize import open_signs

_DICE_AND_REST = re.compile(r"(\d{0,2}\s?[dw]\s?(?:\d{1,4}|%))(.{0,60})", re.IGNORECASE)
_ADDED = re.compile(r"\s*([+−–-])\s*(\d{1,3})(?!\s*[dw:\d])", re.IGNORECASE)
_OTHER_DICE = re.compile(r"\s*[+−–-]\s*\d{0,2}[dw]\d", re.IGNORECASE)
_KEEP_OR_DROP = re.compile(r"[kdr][hlo]?\d|!", re.IGNORECASE)
_PLAIN_DICE_ONLY = re.compile(
    r"\b(?:dis)?advantage|\bbest\b|\bworst\b|\bhighest|\blowest|\bkeep|\bdrop|\bexplod|\breroll",
    re.IGNORECASE,
)
_SUBTRACTED = re.compile(r"\s*[−–-]\s*[a-z]", re.IGNORECASE)
_TIMES = re.compile(r"\s*[x*×/÷]\s*\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RowDice:
    """The dice that choose a row ("" if nothing is rolled), the number that is always added to
    them, whether players may add a modifier, and the figures of each row.
    """

    dice: str
    added: int = 0
    is_modified: bool = False
    rows: Sequence[tuple[Span, ...]] = ()


def roll_rows(down: Headings, heading: str, name: str, questions: list[str]) -> RowDice:
    """Return the dice for rows of figures: those that the heading names, or else those whose totals
    the rows are.

    `down` are the figures, `heading` is the text of the heading and the title, `name` the name of
    the file. Guesses are added to `questions`. Raises UserError if the heading names dice that
    cannot be those of the rows.
    """
    added = _find_addition(heading)
    named_dice = find_named_dice(heading)
    if is_digit_dice(named_dice):
        named_dice = _read_digit_dice(named_dice, down, questions)
    dice = named_dice or _guess_dice(down, name)
    if not dice:
        _ask_about_no_dice(down, questions)
        return RowDice("", rows=down.figures)
    questions += down.questions
    rows = read_zero_as_highest(down.figures, dice, questions)
    if is_digit_dice(dice):
        return RowDice(dice, rows=rows)
    spans = [span for row in rows for span in row]
    _ask_about_heading(heading, dice, questions)
    says_modified = is_modified(heading) and not added
    is_open = any(None in span for span in spans)
    if not named_dice:
        _ask_about_order(spans, dice, questions)
    elif not says_modified and not is_open:
        _check_against(spans, dice, added, down.has_dates)
    reason = _find_reason_for_modifier(spans, dice, added)
    if reason and not says_modified:
        questions.append(f"players may add a modifier to {dice}, because its rows {reason}")
    return RowDice(dice, added, says_modified or bool(reason), rows)


def _ask_about_heading(heading: str, dice: str, questions: list[str]) -> None:
    """Add a question about a heading that subtracts from its dice or does more with them than a
    roll, such as `highest of`.
    """
    match = _DICE_AND_REST.search(open_signs(heading))
    if match and _SUBTRACTED.match(match[2]):
        questions.append("modifiers are added to the dice: type -1 to subtract 1")
    if _PLAIN_DICE_ONLY.search(heading):
        questions.append(f"{heading.strip()[:40]} is read as plain {dice}")


def _read_digit_dice(dice: str, down: Headings, questions: list[str]) -> str:
    """Return the meaning of a heading such as d66: dice read as digits, or one die of 66 sides if
    the rows are its faces, which adds a question. Raises UserError for other rows.
    """
    spans = down.flat
    if digit_dice_for(spans) == dice:
        return dice
    numbers = numbers_of(dice)
    sides = max(numbers)
    if find_covered_range(spans) == (1, sides):
        questions.append(
            f"d{sides} is read as one die with {sides} sides, because its rows are 1 to {sides}"
        )
        return f"1d{sides}"
    lowest, highest = find_limits(spans)
    raise make_import_error(
        f"The heading says d{sides}, but the rows are not the {len(numbers)} numbers from "
        f"{min(numbers)} to {sides}: they go from {format_signed(lowest)} to {format_signed(highest)}."
    )


def _find_reason_for_modifier(spans: Sequence[Span], dice: str, added: int) -> str:
    """Return why players must be able to add to the dice, "" if the rows have no more than the
    totals of the dice.
    """
    if any(None in span for span in spans):
        return "are open-ended"
    lowest_total, highest_total = get_totals(dice)
    lowest, highest = find_limits(spans)
    if lowest < lowest_total + added or highest > highest_total + added:
        return "go beyond its totals"
    return ""


def guess_dice(spans: Sequence[Span], title: str, questions: list[str]) -> str:
    """Return the dice whose totals the figures of a list are, which adds a question. Raises
    UserError, with the `title` of the list, if there are none.
    """
    dice = find_dice(spans) or find_die_from_zero(spans)
    if not dice:
        raise make_import_error(
            f"{title[:40]} gives no dice, and its numbers ({_format_reach(spans)}) are not the totals of any dice.",
            "Put the dice in its title: 2d6 Weather.",
        )
    questions.append(f"it gives no dice: its numbers are read as totals of {dice}")
    return dice


def _format_reach(spans: Sequence[Span]) -> str:
    """Format the range that spans cover: `1 to 6`, or `with gaps`."""
    reach = find_covered_range(spans)
    return f"{format_signed(reach[0])} to {format_signed(reach[1])}" if reach else "with gaps"


def check_totals(entries: Sequence[tuple[Span, object]], dice: str, title: str) -> None:
    """Raise UserError if figures of the entries lie outside the totals of `dice`.

    For dice with a number or modifier added to them, this is not to be called. Figures of d66 are
    not checked here. `title` is the table in the message.
    """
    if is_digit_dice(dice):
        return
    lowest_total, highest_total = get_totals(dice)
    for span, _ in entries:
        lowest, highest = find_limits([span])
        if lowest < lowest_total or highest > highest_total:
            raise make_import_error(
                f"{title[:40]} says {dice.removeprefix('1')}, which rolls {lowest_total} to "
                f"{highest_total}, but it has a line for {format_span(span)}."
            )


def _guess_dice(down: Headings, name: str) -> str:
    """Return the dice of rows whose heading names none: those of the file's name, if the rows are
    their totals, else the first whose totals they are. "" for measures and if no dice fit.
    """
    spans = down.flat
    if down.measure:
        return ""
    reach = find_covered_range(spans)
    if down.has_dates and reach is None:
        return ""
    named_dice = find_named_dice(name)
    if named_dice and not is_digit_dice(named_dice) and reach == get_totals(named_dice):
        return named_dice
    return find_dice(spans) or find_die_from_zero(spans)


def _ask_about_no_dice(down: Headings, questions: list[str]) -> None:
    """Add a question about rows of figures that are not rolled, and the questions of their
    headings.
    """
    questions += down.questions
    questions.append(
        f"its rows ({_format_reach(down.flat)}) are not the totals of any dice: if the table is "
        "rolled, add its dice under rolls"
    )


def _ask_about_order(spans: Sequence[Span], dice: str, questions: list[str]) -> None:
    """Add the question whether single figures that do not rise from row to row are weights.

    Nothing is asked about rows with ranges. Raises UserError for figures that come twice.
    """
    figures = [low for low, high in spans if low is not None and low == high]
    if len(figures) < len(spans):
        return
    listed = ", ".join(map(str, figures[:6]))
    if len({*figures}) < len(figures):
        raise make_import_error(
            f"The row numbers {listed} include duplicates: are they weights?",
            "If so, head the column Weight. If not, give the dice: 1d6.",
        )
    if figures != sorted(figures):
        questions.append(f"rows {listed} are read as totals of {dice}; are they weights instead?")


def _check_against(spans: Sequence[Span], dice: str, added: int, has_dates: bool) -> None:
    """Raise UserError for rows that are the totals of other dice than the heading says, or that go
    far beyond its dice. Rows that were read from dates have to fit exactly.
    """
    lowest_total, highest_total = (total + added for total in get_totals(dice))
    lowest, highest = find_limits(spans)
    reach = find_covered_range(spans)
    if reach == (lowest_total, highest_total):
        return
    if has_dates:
        raise make_import_error(
            f"The heading says {dice.removeprefix('1')}, but its rows look like dates; read as "
            f"numbers they go from {format_signed(lowest)} to {format_signed(highest)}.",
            AS_TEXT,
        )
    other_dice = find_dice(spans) or find_die_from_zero(spans)
    width = highest_total - lowest_total
    is_far = lowest_total - lowest > width or highest - highest_total > width
    is_other = bool(other_dice) and (added != 0 or other_dice != dice)
    if not is_far and not is_other:
        return
    suggestion = f": {other_dice.removeprefix('1')}?" if other_dice else "."
    raise make_import_error(
        f"The heading says {_format_dice(dice, added)}, but the rows go from {format_signed(lowest)} to "
        f"{format_signed(highest)}{suggestion}",
        "Put the dice for these rows in the heading, with + DRM after them if players add modifiers.",
    )


def _format_dice(dice: str, added: int) -> str:
    plus = f"{added:+d}" if added else ""
    return f"{dice.removeprefix('1')}{plus}"


def _find_addition(heading: str) -> int:
    """Return the number that a heading always adds to its dice: 1 for `2d6+1`, -1 for `2d6-1`, else
    0. Raises UserError for dice of two kinds, and for dice that are multiplied, kept or dropped.
    """
    match = _DICE_AND_REST.search(open_signs(heading))
    if not match:
        return 0
    text_after = match[2]
    has_other_dice = _OTHER_DICE.match(text_after) or _TIMES.match(text_after)
    if has_other_dice or _KEEP_OR_DROP.match(text_after):
        raise make_import_error(
            f"The heading says {match[0][:20].strip()}; a table needs plain dice of one kind, such as 2d6 or 1d6+1.",
            "Import it without the dice, then add them under rolls.",
        )
    added = _ADDED.match(text_after)
    if not added:
        return 0
    return int(added[2]) if added[1] == "+" else -int(added[2])
