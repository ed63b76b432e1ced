"""A BCDice original table: a title line, a line with the dice, then `n:text` for each total."""

from __future__ import annotations

import re

from bot.packs.importing.draft import Draft, one_column, refused
from bot.packs.importing.figures import D66, Span, totals

SOURCE = "a BCDice original table"
_DICE = re.compile(r"(\d{1,4})D(\d{1,5})|(D66[NASD]?)", re.IGNORECASE)
_ROW = re.compile(r"(\d{1,5}):(.*)")


def is_bcdice(text: str) -> bool:
    """Whether the second line names dice and the third has a number with a colon."""
    lines = [line.strip() for line in text.splitlines() if line.strip()][:3]
    return len(lines) == 3 and bool(_DICE.fullmatch(lines[1])) and bool(_ROW.match(lines[2]))


def read_bcdice(text: str) -> list[Draft]:
    """The table. Raises UserError for a line that is none."""
    title, dice, *rows = [line.rstrip() for line in text.splitlines() if line.strip()]
    found = _DICE.fullmatch(dice.strip())
    assert found is not None  # else it was not recognised
    entries: dict[int, str] = {}
    questions: list[str] = []
    for number, row in enumerate(rows, 3):
        parts = _ROW.match(row.strip())
        if parts is None:
            raise refused(
                f"Line {number} is no entry: {row.strip()[:40]}", "Write 4:text, the total and a colon first."
            )
        total = int(parts[1])
        if total in entries:
            questions.append(f"{total} is there twice, and the first is read: {parts[2].strip()[:60]}")
        entries.setdefault(total, parts[2])
    if found[3]:
        rolled, asked = _of_two(found[3].upper(), entries)
        return [one_column(title, SOURCE, rolled, asked, questions)]
    count, sides = int(found[1]), int(found[2])
    if not (1 <= count <= 40 and 2 <= sides <= 9_999 and count * sides <= 10_000):
        raise refused(f"{dice.strip()[:20]} cannot be rolled here.", "At most 40 dice, and totals up to 10,000.")
    low, high = totals(f"{count}d{sides}")
    questions += [
        f"{total} is no total of {count}d{sides}, and left out" for total in entries if not low <= total <= high
    ]
    plain = [((total, total), said) for total, said in sorted(entries.items()) if low <= total <= high]
    return [one_column(title, SOURCE, f"{count}d{sides}", plain, questions)]


def _of_two(kind: str, entries: dict[int, str]) -> tuple[str, list[tuple[Span, str]]]:
    """Two dice as tens and ones: as they fall, or the lower (A, S) or the higher (D) first."""
    order = {"A": "<", "S": "<", "D": ">"}.get(kind[3:], "")
    return D66 + order, [((total, total), said) for total, said in sorted(entries.items())]
