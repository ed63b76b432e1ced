"""Skill checks: 1d20 at or under the final skill, a 1 always and a 20 never.

Source: Action Points and Skills, Skills.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeAlias

from bot.rules.dice import Die
from bot.rules.inputs.typed_values import Given
from bot.rules.sequence.sequence import Line, Outputs, Part, Plan, Roll, Ruling, never, ruled
from bot.rules.tables.table import Tables

FACES = range(1, 21)
LAST = 20
LOWEST, HIGHEST = -60, 80
MAX_BONUS = 60
Parts: TypeAlias = tuple[tuple[str, int | float], ...]


class Check(NamedTuple):
    """A final skill with what made it up, what it has above 20, and which faces of the d20 succeed."""

    final: int
    over: int
    passes: tuple[bool, ...]
    parts: Parts = ()


def check(tables: Tables, parts: Iterable[tuple[str, int | float]]) -> Check:
    """The check against the sum of `parts`, the skill first."""
    kept = tuple(parts)
    final = int(sum([value for _, value in kept]))
    # Beyond the edges of the table nothing changes any more: only a 1 succeeds, only a 20 fails.
    skill = min(HIGHEST, max(LOWEST, final))
    read = tables["skill-check"].column("success", skill=skill, roll=FACES)
    return Check(final, max(0, final - LAST), (False, *read), kept)


def sum_line(check: Check, whose: str = "") -> Line:
    """How a final skill comes about, the skill first: `Skill: Spot 11 + 4 target moving = 15`."""
    return Line(whose or "skill", (), check.parts[1:], check.final, contributors=check.parts[:1])


def d20(label: str) -> tuple[Die, ...]:
    """One d20 that is rolled for `label`."""
    return (Die(label, LAST),)


class Alone(NamedTuple):
    """One die that is owed, or that has been rolled."""

    owes: str | None


def die_apart(path: str, tells: Callable[[int], Outputs], key: Hashable) -> Part[Any]:
    """For odds: one d20 as a part of its own, with all that each face `tells`, at `path` and of the totals."""
    steps = {"die": ruled(d20("die"), lambda _, roll: Ruling(Alone(None), tells(roll[0])))}
    return Part((path,), lambda: Plan(Alone("die"), steps, never), key)


def status_part(tables: Tables, given: Given) -> Parts:
    """What the status of the acting element takes off its skill."""
    status = given.word("status")
    if status == "none":
        return ()
    return ((status, int(tables["status-effects"](status=status)["skill_modifier"])),)


def mod_part(given: Given) -> Parts:
    """Any other modifier, if there is one."""
    return (("modifier", given.int("mod")),) if given.int("mod") else ()


def lost_ap(roll: Roll) -> str:
    """What natural 20s add to the line of a roll, or nothing: the characters that rolled them lose their AP."""
    count = roll.count(LAST)
    if not count:
        return ""
    return (
        ", natural 20: loses the remaining AP" if count == 1 else f", {count} natural 20s: each loses the remaining AP"
    )
