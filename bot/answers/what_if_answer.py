"""What single changes of a shot are worth, as an answer: one change a row, the best first, the plan among them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass
from fractions import Fraction

from bot.answers.odds import EXACT, heading, outlooks
from bot.answers.what_if import Changed, Level, levels
from bot.interface.reply.bars import percent
from bot.interface.reply.parts import Compared, Small
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.odds.odds import Distribution
from bot.rules.sequence.sequence import Row
from bot.systems.catalog import Sequence

PLAN = "as planned"
ROWS = 12
"""So many rows fit a phone; changes that matter less are left out."""
SURE = 7
"""So many changes of what is planned have a row before all others."""

Counted = Many[Mapping[str, Distribution] | None]
"""The odds with each change; None where the rules do not allow it."""


@dataclass(frozen=True, slots=True)
class Worth:
    """The answer, and what else can be asked: the levels, the units, and the places of those that are shown."""

    reply: Reply
    levels: tuple[Level, ...]
    names: tuple[str, ...]
    group: int
    level: int


def worth_reply(
    sequence: Sequence,
    rows: Mapping[str, Row],
    planned: Mapping[str, Distribution],
    tried: Many[Changed],
    counted: Counted,
    *,
    group: int = 0,
    level: int = 0,
) -> Worth:
    """What the changes are worth for the units and the level at these places. Raises UserError where no result is
    better than another."""
    groups = outlooks(sequence, rows, planned)
    group = min(group, len(groups) - 1)
    path = next(path for path, row in rows.items() if row.name == groups[group].names[0])
    tokens = {str(token) for found in (planned, *counted) if found for token in found[path]}
    known = levels(sequence, groups[group], tokens)
    if not known:
        raise UserError("Nothing can be compared here: one result is as good as another.", code="no-odds")
    level = min(level, len(known) - 1)
    names = tuple(heading(one.names, "") for one in groups)
    worth = _worth(known[level], path, planned, tried, counted)
    reply = _told(known[level], names[group], known[level].chance(planned[path]), worth)
    return Worth(reply, tuple(known), names, group, level)


def _worth(
    level: Level, path: str, planned: Mapping[str, Distribution], tried: Many[Changed], counted: Counted
) -> list[tuple[str, Fraction]]:
    """The changes that make a difference, with the chance that they bring; of too many those of what is planned, then
    the sequence's commonest modifiers, then those that matter most."""
    now = level.chance(planned[path])
    found = [(one, level.chance(odds[path])) for one, odds in zip(tried, counted, strict=True) if odds]
    ranked = sorted((pair for pair in found if pair[1] != now), key=lambda pair: -abs(pair[1] - now))
    sure = [pair for pair in ranked if pair[0].planned][:SURE]
    common = [pair for pair in ranked if pair[0].common]
    shown = [*sure, *common, *(pair for pair in ranked if pair not in sure and pair not in common)]
    return [(one.label, chance) for one, chance in shown[: ROWS - 1]]


def _told(level: Level, whom: str, now: Fraction, worth: list[tuple[str, Fraction]]) -> Reply:
    rows = sorted([*worth, (PLAN, now)], key=lambda one: (-one[1], one[0] != PLAN))
    best, chance = rows[0]
    title = f"{best[:1].upper()}{best[1:]} is worth most: {percent(float(chance))} instead of {percent(float(now))}"
    if best == PLAN:
        title = f"No single change helps: {percent(float(now))} {PLAN}"
    drawn = Compared(tuple((label, float(chance), float(chance - now)) for label, chance in rows))
    small = Small(f"Each row changes one thing. {EXACT}")
    about = f"{level.label}, {whom}" if whom else level.label
    return Reply(title, (drawn, small), by=about, private=True)
