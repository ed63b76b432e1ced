"""Upkeep: the sequences that a phase runs when it begins, on units (one event for all of them) or
once for nobody. See docs/phases.md."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.game.counter_faces import is_lost
from bot.game.phases import get_phase
from bot.game.roster import has_left_fight, sort_units
from bot.game.state import Game, Json, build_roster
from bot.game.tracks import fill_track_inputs
from bot.presentation.derived_inputs import (
    add_derived_inputs,
    collect_tracks_and_piles,
    derive_inputs_from_rules,
)
from bot.rules.errors import UserError
from bot.rules.inputs.tracks import GAME
from bot.rules.inputs.units import MAX_UNITS, RosterUnit
from bot.rulesets.system import Sequence, System


class Upkeep(NamedTuple):
    """A sequence, its inputs with all units that it is for (None where it is not run), the tracks
    that it reads, and why others are passed over; without a name, why it is not run at all."""

    sequence: Sequence
    options: dict[str, object] | None
    read: Json
    passed: tuple[tuple[str, str], ...] = ()


def list_upkeep(
    now: Callable[[], Game],
    system: System | None,
    person: str,
    run: str = "",
    closed: Mapping[str, Any] | None = None,
) -> Iterator[Upkeep]:
    """What the phase that has just begun runs, or of that the sequence `run`, each in the state
    that it comes in: the units of several sides one side after the other, where it is about what a
    side keeps. `person` is the side of who began the phase, `closed` are the piles with closed
    cards as all have seen them by then."""
    for begin in get_phase(now(), system).get("begins") or () if system is not None else ():
        assert system is not None
        if run in ("", begin["run"]):
            game = now()
            sequence = system.find_sequence(begin["run"])
            if not sequence.upkeep_by:
                yield _build_upkeep(game, sequence, [""], person, closed)
                continue
            units = [
                unit.name
                for unit in sort_units(game.units.values())
                if _is_due_for(unit, begin, game, system)
            ]
            of_sides = any(not option.name.startswith(f"{GAME}.") for option in sequence.tracks)
            sides = {name: game.units[name.casefold()].side if of_sides else "" for name in units}
            for side in dict.fromkeys(sides.values()):
                some = [name for name in units if sides[name] == side]
                for first in range(0, len(some), MAX_UNITS):
                    yield _build_upkeep(
                        now(), sequence, some[first : first + MAX_UNITS], person, closed
                    )


def _is_due_for(unit: RosterUnit, begin: Mapping[str, Any], game: Game, system: System) -> bool:
    if (
        has_left_fight(unit)
        or is_lost(unit, system)
        or (begin.get("units", "own") == "own" and unit.side != game.turn_of)
    ):
        return False
    states = begin.get("states") or ()
    has = begin.get("has") or ()
    marked = unit.state in states or any(
        word in unit.marks or unit.numbers.get(word) for word in has
    )
    return marked or not (states or has)


def _build_upkeep(
    game: Game, sequence: Sequence, names: list[str], person: str, closed: Mapping[str, Any] | None
) -> Upkeep:
    roster = build_roster(game)
    passed = list[tuple[str, str]]()
    able = list[str]()
    ruled = add_derived_inputs({}, derive_inputs_from_rules(sequence, {}, game))
    option = sequence.upkeep_by
    there = [
        game.units[name.casefold()].name if name else ""
        for name in names
        if name.casefold() in {"", *game.units}
    ]
    for name in there:
        options = {**ruled, **({option: name} if option else {})}
        try:
            read = collect_tracks_and_piles(sequence, options, roster, game, person, closed)
            sequence.plan(
                sequence.read_inputs(
                    {**options, **fill_track_inputs(read, sequence.system.tracks)}, roster
                )
            )
            able.append(name)
        except UserError as error:
            passed.append((name, error.message))
    if not able:
        return Upkeep(sequence, None, {}, tuple(passed))
    options = {**ruled, **({option: "; ".join(able)} if option else {})}
    return Upkeep(
        sequence,
        options,
        collect_tracks_and_piles(sequence, options, roster, game, person, closed),
        tuple(passed),
    )


def find_upkeep_problem(
    now: Game, roll: Mapping[str, Any], system: System | None, *, goes_on: bool
) -> str:
    """What is wrong with the upkeep that an event says it is, by today's files: it is all that is
    due, or where it `goes_on` from an event of the same, units of that."""
    side = str(roll["side"])
    run = str(roll["target"])
    due = [one.options for one in list_upkeep(lambda: now, system, side, run, roll.get("read"))]
    units = {
        name
        for options in due
        if options
        for value in options.values()
        for name in str(value).split("; ")
    }
    inputs: Mapping[str, Any] = roll.get("inputs") or {}
    named = {name for value in inputs.values() for name in str(value).split("; ")}
    fits = inputs in due or (goes_on and named <= units)
    return "" if fits else "its phase begins with other upkeep than it says."
