"""Fights of several rounds: `rounds` of a sequence, read from its file and counted with its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from bot.rules.errors import TableError, UserError, reading
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Roster
from bot.rules.odds.odds import TooManyStates, joint
from bot.rules.sequence.rounds import Carried, Ending, Fought, Rounds, Situation, fight
from bot.systems.catalog import system
from bot.systems.resolve import after
from bot.systems.system import Sequence

SECONDS = 4.0
"""What a fight may take, all rounds together."""


def rounds_of(sequence: Sequence) -> Rounds:
    """How a sequence goes on. Raises UserError for one that has no further rounds, TableError for a fault in its
    file."""
    data = sequence.rounds
    if not data:
        raise UserError(
            f"{sequence.title} has one round.", hint="Leave out rounds.", option="rounds", code="not-together"
        )
    file = f"{sequence.system.id}/sequences.yaml"
    with reading(file, f"{sequence.id}, rounds"):
        then = {name: Carried(**spec) for name, spec in (data.get("then") or {}).items()}
        ends = tuple(
            Ending({name: tuple(values) for name, values in end["when"].items()}, str(end.get("as", "")))
            for end in data["ends"]
        )
    inputs = {option.name for option in sequence.inputs}
    for name in then:
        if name.partition(".")[0] not in inputs:
            raise TableError(file, f"rounds carries {name}, which is no input", row=sequence.id)
    found = Rounds(ends, then)
    for name in found.asked(sequence.odds_by):
        if name not in sequence.outputs:
            raise TableError(file, f"rounds names {name}, which is no output", row=sequence.id)
    return found


def count_rounds(
    system_id: str,
    sequence_id: str,
    raw: Mapping[str, object],
    rounds: int,
    roster: Roster | None = None,
    seconds: float = SECONDS,
) -> Fought:
    """The exact chances of a fight of so many rounds, and of one to its end. Raises UserError, also for too much
    work."""
    sequence = system(system_id).sequence(sequence_id)
    rules = rounds_of(sequence)
    given = sequence.given(raw, roster or {})
    asked = rules.asked(sequence.odds_by)
    late = after(seconds)

    def step(at: Situation) -> Mapping[tuple[str, Situation], Fraction]:
        if late():
            raise TooManyStates
        plan = sequence.plan(_carried(given, dict(zip(rules.then, at, strict=True))))
        found: dict[tuple[str, Situation], Fraction] = {}
        for values, chance in joint(plan, asked, out_of_time=late).items():
            key = rules.after(at, dict(zip(asked, values, strict=True)), sequence.odds_by)
            found[key] = found.get(key, Fraction(0)) + chance
        return found

    start = tuple(_value(given, name) for name in rules.then)
    return fight(start, step, rounds)


def _value(given: Given, name: str) -> Any:
    """A carried input as it was given: `attackers`, or `a.wounds`, a number of the one unit of `a`."""
    head, _, key = name.partition(".")
    if not key:
        return given.values[head]
    return given.units(head)[0].number(key, 0)


def _carried(given: Given, values: Mapping[str, Any]) -> Given:
    """The inputs with these values in place of their own."""
    plain = {name: value for name, value in values.items() if "." not in name}
    lists = dict(given.lists)
    for name, value in values.items():
        head, _, key = name.partition(".")
        if key:
            unit = lists[head][0]
            lists[head] = (replace(unit, numbers={**unit.numbers, key: value}), *lists[head][1:])
    return replace(given, values={**given.values, **plain}, lists=lists)
