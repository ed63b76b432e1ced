"""The dice that choose a row: those that the heading names, checked against the rows, else those
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
    """The dice of the rows ("" if nothing is rolled), what is always added to them, whether
    players may add to them, and the figures of each row.
    """

    dice: str
    added: int = 0
    is_modified: bool = False
    rows: Sequence[tuple[Span, ...]] = ()


def roll_rows(down: Headings, said: str, name: str, questions: list[str]) -> RowDice:
    """Return the dice for rows of figures. `said` is the heading and the title, `name` the file's
    name. Raises UserError if the heading names dice that cannot be those of the rows.
    """
    added = _find_addition(said)
    named_dice = find_named_dice(said)
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
    flat = [span for row in rows for span in row]
    _ask_about_heading(said, dice, questions)
    says_modified = is_modified(said) and not added
    is_open = any(None in span for span in flat)
    if not named_dice:
        _ask_about_order(flat, dice, questions)
    elif not says_modified and not is_open:
        _check_against(flat, dice, added, down.has_dates)
    reason = _reason_for_modifier(flat, dice, added)
    if reason and not says_modified:
        questions.append(f"players may add a modifier to {dice}, as its rows {reason}")
    return RowDice(dice, added, says_modified or bool(reason), rows)


def _ask_about_heading(said: str, dice: str, questions: list[str]) -> None:
    """Ask about what a heading says of its dice beyond what a table rolls."""
    rest = _DICE_AND_REST.search(open_signs(said))
    if rest and _SUBTRACTED.match(rest[2]):
        questions.append("a modifier is added to the dice: type -1 for 1 that is subtracted")
    if _PLAIN_DICE_ONLY.search(said):
        questions.append(f"{said.strip()[:40]} is read as plain {dice}")


def _read_digit_dice(dice: str, down: Headings, questions: list[str]) -> str:
    """Return what a heading such as d66 says: dice read as digits, or one die of 66 sides if the
    rows are its faces, which is asked about. Raises UserError for other rows.
    """
    flat = down.flat
    if digit_dice_for(flat) == dice:
        return dice
    numbers = numbers_of(dice)
    sides = max(numbers)
    if find_covered_range(flat) == (1, sides):
        questions.append(
            f"d{sides} is read as one die of {sides} sides, as its rows are 1 to {sides}"
        )
        return f"1d{sides}"
    low, high = find_limits(flat)
    raise make_import_error(
        f"The heading says d{sides}, but the rows are not the {len(numbers)} figures from "
        f"{min(numbers)} to {sides}: they go from {format_signed(low)} to {format_signed(high)}."
    )


def _reason_for_modifier(flat: Sequence[Span], dice: str, added: int) -> str:
    """Return why players must be able to add to the dice, "" if the rows have the totals of the
    dice alone.
    """
    if any(None in span for span in flat):
        return "are open-ended"
    low, high = get_totals(dice)
    least, most = find_limits(flat)
    return "go beyond them" if least < low + added or most > high + added else ""


def guess_dice(spans: Sequence[Span], title: str, questions: list[str]) -> str:
    """Return the dice whose totals the figures of a list are, which is asked about. Raises
    UserError for figures of none.
    """
    dice = find_dice(spans) or find_die_from_zero(spans)
    if not dice:
        reach = find_covered_range(spans)
        what = f"{format_signed(reach[0])} to {format_signed(reach[1])}" if reach else "with gaps"
        raise make_import_error(
            f"{title[:40]} names no dice, and its figures ({what}) are the totals of none.",
            "Write the dice into its title: 2d6 Weather.",
        )
    questions.append(f"it names no dice: read as {dice}, whose totals its figures are")
    return dice


def check_totals(entries: Sequence[tuple[Span, object]], dice: str, title: str) -> None:
    """Raise UserError, with the `title` of the table, if figures of its entries lie outside the
    totals of `dice`, where nothing is added to the roll. Figures of d66 are not checked here.
    """
    if is_digit_dice(dice):
        return
    low, high = get_totals(dice)
    for span, _ in entries:
        ends = [figure for figure in span if figure is not None]
        if min(ends) < low or max(ends) > high:
            raise make_import_error(
                f"{title[:40]} says {dice.removeprefix('1')}, which shows {low} to {high}, but it "
                f"has a line for {format_span(span)}."
            )


def _guess_dice(down: Headings, name: str) -> str:
    """Return the dice of rows whose heading names none: those of the file's name, if the rows are
    their totals, else the first whose totals they are.
    """
    spans = down.flat
    dice = find_dice(spans) or find_die_from_zero(spans)
    if down.measure:
        return ""
    if down.has_dates and find_covered_range(spans) is None:
        return ""
    named_dice = find_named_dice(name)
    if (
        named_dice
        and not is_digit_dice(named_dice)
        and find_covered_range(spans) == get_totals(named_dice)
    ):
        return named_dice
    return dice


def _ask_about_no_dice(down: Headings, questions: list[str]) -> None:
    reach = find_covered_range(down.flat)
    what = f"{format_signed(reach[0])} to {format_signed(reach[1])}" if reach else "with gaps"
    questions += down.questions
    questions.append(
        f"its rows ({what}) are the totals of no dice: if it is rolled, add them under rolls"
    )


def _ask_about_order(flat: Sequence[Span], dice: str, questions: list[str]) -> None:
    """Ask whether figures that fall from row to row are weights. Raises UserError for figures
    that come twice.
    """
    figures = [low for low, high in flat if low is not None and low == high]
    if len(figures) < len(flat):
        return
    listed = ", ".join(map(str, figures[:6]))
    if len({*figures}) < len(figures):
        raise make_import_error(
            f"The rows {listed} come twice: are they weights?",
            "Then head the column Weight. Else name the dice: 1d6.",
        )
    if figures != sorted(figures):
        questions.append(f"rows {listed} are read as totals of {dice}: or are they weights?")


def _check_against(flat: Sequence[Span], dice: str, added: int, has_dates: bool) -> None:
    """Raise UserError for rows that are the totals of other dice than the heading says, or go far
    beyond its dice.
    """
    low, high = get_totals(dice)
    low += added
    high += added
    least, most = find_limits(flat)
    reach = find_covered_range(flat)
    if has_dates and (reach is None or reach != (low, high)):
        raise make_import_error(
            f"The heading says {dice.removeprefix('1')}, but its rows look like dates, and read as "
            f"figures they go from {format_signed(least)} to {format_signed(most)}.",
            AS_TEXT,
        )
    if reach == (low, high):
        return
    other = find_dice(flat) or find_die_from_zero(flat)
    is_far = low - least > high - low or most - high > high - low
    if not is_far and (not other or (not added and other == dice)):
        return
    asked = f": {other.removeprefix('1')}?" if other else "."
    raise make_import_error(
        f"The heading says {_format_dice(dice, added)}, the rows go from {format_signed(least)} to "
        f"{format_signed(most)}{asked}",
        "Write the dice of the rows into the heading, or + DRM behind them if players add to them.",
    )


def _format_dice(dice: str, added: int) -> str:
    plus = f"{added:+d}" if added else ""
    return f"{dice.removeprefix('1')}{plus}"


def _find_addition(said: str) -> int:
    """Return what a heading always adds to its dice: 1 for `2d6+1`. Raises UserError for dice of
    two kinds, and for dice that are multiplied.
    """
    dice = _DICE_AND_REST.search(open_signs(said))
    if not dice:
        return 0
    rest = dice[2]
    if _OTHER_DICE.match(rest) or _TIMES.match(rest) or _KEEP_OR_DROP.match(rest):
        raise make_import_error(
            f"The heading says {dice[0][:20].strip()}: a table is rolled with plain dice of one "
            f"kind, such as 2d6 or 1d6+1.",
            "Import it without the dice, and write them under rolls.",
        )
    added = _ADDED.match(rest)
    if not added:
        return 0
    return int(added[2]) if added[1] == "+" else -int(added[2])
