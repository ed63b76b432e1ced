"""Upkeep: the sequences that a phase runs when it begins. See docs/phases.md.

A sequence runs on units, with one event for all of them, or once without any unit.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from bot.game.phases import get_phase, get_side_order
from bot.game.roster import sort_units
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
from bot.rulesets.system import Sequence, System, is_lost


class Upkeep(NamedTuple):
    """One sequence to run, with its inputs and the tracks that it reads.

    `options` name all units that it is for; None if it is not run. `passed` holds the units that
    are left out, each with the reason. The reason for not running it at all has no unit's name.
    """

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
    """Yield the upkeep of the phase that has just begun, or only that of the sequence `run`.

    Each is built from the state that `now` returns when its turn comes. If a sequence uses tracks
    that a side keeps, the units of one side come after those of another. `person` is the side of
    the player who began the phase; `closed` are the piles with closed cards as all players know
    them.
    """
    if system is None:
        return
    for begin in get_phase(now(), system).get("begins") or ():
        if run in ("", begin["run"]):
            yield from _list_sequence_upkeep(now, system, begin, person, closed)


def _list_sequence_upkeep(
    now: Callable[[], Game],
    system: System,
    begin: Mapping[str, Any],
    person: str,
    closed: Mapping[str, Any] | None,
) -> Iterator[Upkeep]:
    """Yield the upkeep of one entry of the phase's `begins`, at most MAX_UNITS units at a time.

    One that runs once a turn is left out in the turns of all sides but the first.
    """
    game = now()
    if begin.get("once") and game.turn_of not in ("", *get_side_order(game)[:1]):
        return
    sequence = system.find_sequence(begin["run"])
    if not sequence.upkeep_by:
        yield _build_upkeep(game, sequence, [""], person, closed)
        return
    units = [
        unit.name
        for unit in sort_units(game.units.values())
        if _is_due_for(unit, begin, game, system)
    ]
    is_by_side = any(not option.name.startswith(f"{GAME}.") for option in sequence.tracks)
    sides = {name: game.units[name.casefold()].side if is_by_side else "" for name in units}
    for side in dict.fromkeys(sides.values()):
        side_units = [name for name in units if sides[name] == side]
        for start in range(0, len(side_units), MAX_UNITS):
            names = side_units[start : start + MAX_UNITS]
            yield _build_upkeep(now(), sequence, names, person, closed)


def _is_due_for(unit: RosterUnit, begin: Mapping[str, Any], game: Game, system: System) -> bool:
    """Return whether a unit in play is due for this upkeep: of the side whose turn it is (unless
    for all), and with a state or attribute that it is for, if it says.
    """
    if is_lost(unit, system):
        return False
    if begin.get("units", "own") == "own" and unit.side != game.turn_of:
        return False
    states = begin.get("states") or ()
    words = begin.get("has") or ()
    if not states and not words:
        return True
    if unit.state in states:
        return True
    return any(word in unit.marks or unit.numbers.get(word) for word in words)


def _build_upkeep(
    game: Game, sequence: Sequence, names: list[str], person: str, closed: Mapping[str, Any] | None
) -> Upkeep:
    """Build the upkeep of one sequence for these units; "" stands for no unit.

    Units that the sequence refuses go into `passed`. Units that are no longer in play are dropped.
    """
    roster = build_roster(game)
    passed = list[tuple[str, str]]()
    able = list[str]()
    rule_options = add_derived_inputs({}, derive_inputs_from_rules(sequence, {}, game))
    option = sequence.upkeep_by
    present = [
        game.units[name.casefold()].name if name else ""
        for name in names
        if name.casefold() in {"", *game.units}
    ]
    for name in present:
        options = {**rule_options, option: name} if option else {**rule_options}
        try:
            read = collect_tracks_and_piles(sequence, options, roster, game, person, closed)
            tracks = fill_track_inputs(read, sequence.system.tracks)
            given = sequence.read_inputs({**options, **tracks}, roster)
            sequence.plan(given)
            able.append(name)
        except UserError as error:
            passed.append((name, error.message))
    if not able:
        return Upkeep(sequence, None, {}, tuple(passed))
    options = {**rule_options, option: "; ".join(able)} if option else {**rule_options}
    read = collect_tracks_and_piles(sequence, options, roster, game, person, closed)
    return Upkeep(sequence, options, read, tuple(passed))


def find_upkeep_problem(
    now: Game, roll: Mapping[str, Any], system: System | None, *, goes_on: bool
) -> str:
    """Return the problem with an event that claims to be upkeep; "" if there is none.

    By today's files it must be all that is due. If it `goes_on` from an event of the same upkeep,
    some units of that are enough.
    """
    side = str(roll["side"])
    run = str(roll["target"])
    upkeep = list_upkeep(lambda: now, system, side, run, roll.get("read"))
    due_options = [due.options for due in upkeep]
    due_units = {
        name
        for options in due_options
        if options
        for value in options.values()
        for name in str(value).split("; ")
    }
    inputs: Mapping[str, Any] = roll.get("inputs") or {}
    event_units = {name for value in inputs.values() for name in str(value).split("; ")}
    fits = inputs in due_options or (goes_on and event_units <= due_units)
    return "" if fits else "its phase begins with different upkeep than it says."
