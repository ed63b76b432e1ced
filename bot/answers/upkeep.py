"""Upkeep: the sequences that a phase runs on units when it begins, one event for all of them. See docs/phases.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bot.answers.inputs import by_rules, tracks_read, with_filled
from bot.game.counter import is_lost
from bot.game.phases import phase_of
from bot.game.roster import MAX_ROSTER, in_order, is_gone
from bot.game.state import Game, Json, roster_of
from bot.game.tracks import filled_in
from bot.rules.errors import UserError
from bot.rules.inputs.tracks import GAME
from bot.rules.inputs.units import MAX_UNITS, RosterUnit
from bot.systems.system import Sequence, System

LONGEST = 4_000
"""Characters of a list of names; a longer one has handles."""


class Upkeep(NamedTuple):
    """A sequence, its inputs with all units that it is for ({} for none), the tracks that it reads, and why others are
    passed over."""

    sequence: Sequence
    options: dict[str, object]
    read: Json
    passed: tuple[tuple[str, str], ...] = ()


def upkeep_of(game: Game, system: System | None, person: str, run: str = "") -> Iterator[Upkeep]:
    """What the phase that has just begun runs, or of that the sequence `run`: the units of several sides one side after
    the other, where it is about what a side keeps. `person` is the side of who began the phase."""
    begins = phase_of(game, system).get("begins") or () if system is not None else ()
    for begin in begins:
        assert system is not None
        if run in ("", begin["run"]):
            sequence = system.sequence(begin["run"])
            units = [unit for unit in in_order(game.units.values()) if _is_meant(unit, begin, game, system)]
            of_sides = any(not option.name.startswith(f"{GAME}.") for option in sequence.tracks)
            for side in dict.fromkeys(unit.side for unit in units) if of_sides else ("",):
                some = [one for one in units if not of_sides or one.side == side]
                most = MAX_UNITS if sequence.upkeep_by == "units" else MAX_ROSTER
                for first in range(0, len(some), most):
                    yield _upkeep(game, sequence, some[first : first + most], person)


def _is_meant(unit: RosterUnit, begin: Mapping[str, Any], game: Game, system: System) -> bool:
    if is_gone(unit) or is_lost(unit, system) or (begin.get("units", "own") == "own" and unit.side != game.turn_of):
        return False
    states, has = begin.get("states") or (), begin.get("has") or ()
    marked = unit.state in states or any(word in unit.marks or unit.numbers.get(word) for word in has)
    return marked or not (states or has)


def _upkeep(game: Game, sequence: Sequence, units: list[RosterUnit], person: str) -> Upkeep:
    roster, passed, able = roster_of(game), list[tuple[str, str]](), list[RosterUnit]()
    ruled, option = with_filled({}, by_rules(sequence, {}, game)), sequence.upkeep_by
    for unit in units:
        options = {**ruled, option: unit.name}
        try:
            read = tracks_read(sequence, options, roster, game, person)
            sequence.plan(sequence.given({**options, **filled_in(read, sequence.system.tracks)}, roster))
            able.append(unit)
        except UserError as error:
            passed.append((unit.name, error.message))
    if not able:
        return Upkeep(sequence, {}, {}, tuple(passed))
    names = "; ".join(unit.name for unit in able)
    options = {**ruled, option: names if len(names) <= LONGEST else "; ".join(unit.handle for unit in able)}
    return Upkeep(sequence, options, tracks_read(sequence, options, roster, game, person), tuple(passed))


def upkeep_problem(now: Game, roll: Mapping[str, Any], system: System | None) -> str:
    """What is wrong with the upkeep that an event says it is, by today's files."""
    due = [one.options for one in upkeep_of(now, system, str(roll["side"]), str(roll["target"]))]
    return "" if roll["inputs"] in due else "its phase begins with other upkeep than it says."
