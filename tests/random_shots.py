"""Random shots of any sequence with the units of a game, drawn from its inputs alone; for what
must hold of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from bot.game.state import Game, build_roster
from bot.packs.linter import list_values
from bot.presentation.derived_inputs import (
    add_derived_inputs,
    collect_tracks_and_piles,
    derive_inputs_from_units,
)
from bot.presentation.play_record import PlayRecord
from bot.presentation.run_sequence import run_sequence
from bot.rules.dice import Die
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rulesets.system import Sequence, System, list_lost_states
from bot.ui.spec import CommandSpec

MANY = 3
"""Most units in a list."""


class RandomDice:
    """Dice from a seeded generator."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def draw(self, die: Die) -> int | str:
        """Return a face of the die."""
        return die.value(self._chance.randrange(die.sides))


def draw_game(game: Game, system: System, chance: Random) -> Game:
    """Return the game with units linked to others, in any state and place, and tracks anywhere
    in their range.
    """
    units = [*game.units.values()]
    attributes = system.words["units"].keys
    links = [key for key in ("squad", "in") if key in attributes]
    lost_states = list_lost_states(system)
    states = [
        state for state in system.game["units"].get("states") or () if state not in lost_states
    ]
    drawn = dict[str, RosterUnit]()
    for unit in units:
        numbers = dict(unit.numbers)
        for key in links:
            other = chance.choice(units)
            if chance.random() < 0.4 and other is not unit:
                numbers[key] = other.handle
        for key, option in attributes.items():
            if option.type == "enum" and unit.numbers.get(key) and chance.random() < 0.7:
                numbers[key] = chance.choice(option.values)
        state = chance.choice(states) if states and chance.random() < 0.3 else unit.state
        drawn[unit.name.casefold()] = replace(unit, numbers=numbers, state=state)
    tracks = dict[str, Any]()
    for track in system.tracks.values():
        for side in game.sides if track.by_side else ("",):
            value = (
                chance.choice(track.words) if track.words else chance.randint(track.min, track.max)
            )
            tracks[track.get_key(side)] = value
    return replace(game, units=drawn, tracks=tracks)


def draw_options(sequence: Sequence, game: Game, chance: Random) -> dict[str, object]:
    """Return random inputs of a sequence: units of the game's roster, and values that its inputs
    declare.
    """
    drawn = dict[str, object]()
    units = [*game.units.values()]
    for option in sequence.inputs:
        example = sequence.example.get(option.name)
        is_unit = option.type in ("unit", "units")
        if (
            not option.is_required
            and example is None
            and chance.random() < (0.5 if is_unit else 0.7)
        ):
            continue
        if is_unit:
            drawn[option.name] = _draw_units(option, example, units, chance)
        elif example is not None and chance.random() < 0.6:
            drawn[option.name] = example
        else:
            value = _draw_value(option, chance)
            if value is not None:
                drawn[option.name] = value
    for choice in sequence.choices.values():
        drawn[choice.name] = chance.choice(choice.options)
    return drawn


def _draw_units(option: Option, example: object, units: list[RosterUnit], chance: Random) -> str:
    """Return names of units, mostly of the types in the example."""
    types = {item.split()[0] for item in str(example or "").split(";") if item.strip()}
    fitting = [unit.name for unit in units if unit.type in types] or [unit.name for unit in units]
    names = fitting if chance.random() < 0.8 else [unit.name for unit in units]
    most = (
        1
        if option.type == "unit" and not option.many
        else min(MANY, len(names), option.most or MANY)
    )
    return "; ".join(chance.sample(names, chance.randint(1, most)))


def _draw_value(option: Option, chance: Random) -> object:
    if option.type == "mods":
        return (
            " ".join(chance.sample(option.values, min(len(option.values), chance.randint(0, 2))))
            or None
        )
    if option.type in ("enum", "bool"):
        return chance.choice(list_values(option))
    if option.type in ("int", "number") and option.min is not None:
        most = option.max if option.max is not None else option.min + 9
        return int(chance.uniform(option.min, most))
    return None


def play_random(
    sequence: Sequence, game: Game, options: Mapping[str, object], chance: Random
) -> tuple[PlayRecord, dict[str, object], Mapping[str, Any]] | None:
    """Return what comes of a shot, its inputs with what units lend, and the tracks it read; None
    if it is refused.
    """
    roster: Roster = build_roster(game)
    spec = CommandSpec((sequence.system.id, sequence.id), sequence.id, "sequence")
    try:
        whole = add_derived_inputs(options, derive_inputs_from_units(sequence, options, roster))
        bare = {name: value for name, value in whole.items() if name not in sequence.choices}
        read = collect_tracks_and_piles(sequence, bare, roster, game, game.sides[0])
        _, record = run_sequence(sequence, spec, whole, "Anna", RandomDice(chance), roster, read)
    except UserError:
        return None
    return record, bare, read


def shots(
    sequence: Sequence, game: Game, chance: Random, number: int, *, is_drawn: bool = True
) -> Iterator[tuple[Game, dict[str, object], Mapping[str, Any], PlayRecord]]:
    """Yield random shots that are taken, at most `number` of ten times as many tries: game, inputs,
    tracks, result.

    `is_drawn`: the game is another one for each, with random links, states, places and tracks.
    """
    done = 0
    for _ in range(10 * number):
        drawn = draw_game(game, sequence.system, chance) if is_drawn else game
        played = play_random(sequence, drawn, draw_options(sequence, drawn, chance), chance)
        if played is not None:
            record, options, read = played
            yield drawn, options, read, record
            done += 1
        if done >= number:
            return
