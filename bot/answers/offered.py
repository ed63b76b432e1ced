"""What a unit's card offers to do with the unit or against it, and whether the sequence then takes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import product

from bot.answers.headline import ACTING, AIMED, FIRES, hits_its_unit
from bot.answers.several import in_names
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.systems.system import Sequence, System

CLOSE = ("melee", "hand-to-hand", "close-assault")
"""Combat at close quarters, by its names in the games."""
MORALE = ("morale-check", "morale")
VEHICLE = "vehicle"
"""What is in the name of a sequence that is fired at vehicles."""
MOST_ACTS = 4
"""So many sequences are offered: fire, close combat, the morale check, and those that are made for such a unit."""
BY_NATURE = ("wrong-type", "no-firepower", "no-weapon", "unit-unfit", "unit-gone", "card-refuses")
"""Refusals of units that cannot do it as they are, whatever else is typed."""


def acts(
    system: System, unit: RosterUnit, seen: Collection[str], *, is_own: bool, at_vehicle: bool = False
) -> Iterator[tuple[Sequence, str]]:
    """(sequence, its option that takes the unit) of what is offered, the fire first: to act with it, or against it."""
    found = [sequence for id, sequence in system.sequences.items() if id in seen]
    names = ACTING if is_own else AIMED
    fire = [one for one in found if one.verb in FIRES and taking(one, names, unit)]
    if not is_own and at_vehicle:
        fire.sort(key=lambda one: VEHICLE not in one.id)
    close = next((one for one in found if one.id in CLOSE and _suits(one, names, unit)), None)
    check = next((one for one in found if is_own and one.id in MORALE and _suits(one, ACTING, unit)), None)
    chosen = [one for one in (*fire[:1], close, check) if one is not None]
    made = [one for one in found if one not in chosen and _is_for(one, unit, is_own=is_own)]
    for one in dict.fromkeys((*chosen, *made[: MOST_ACTS - len(chosen)])):
        option = taking(one, names, unit) or taking(one, ACTING, unit)
        if (error := refusal(one, option, unit)) is None or error.code not in BY_NATURE:
            yield one, option


def refused_of(system: System, units: Iterable[RosterUnit]) -> Iterator[str]:
    """What is offered to units of a scenario, or against them, and refused then: once for each type and sequence."""
    said = set[tuple[str, str]]()
    for unit, is_own in product(units, (True, False)):
        for sequence, option in acts(system, unit, system.sequences, is_own=is_own, at_vehicle=not is_own):
            error = refusal(sequence, option, unit)
            if error is not None and (unit.type, sequence.id) not in said:
                said.add((unit.type, sequence.id))
                yield f"{sequence.title} is offered and refused: {error.message}"


def refusal(sequence: Sequence, option: str, unit: RosterUnit) -> UserError | None:
    """Why the sequence refuses the unit alone in this option where all else is as in its example; None where it does
    not."""
    roster = {unit.name.casefold(): unit}
    try:
        options = in_names(sequence, {**sequence.example, option: unit.name}, roster, unit.side)
        sequence.plan(sequence.given(options, roster))
    except UserError as error:
        return error
    return None


def taking(sequence: Sequence, names: tuple[str, ...], unit: RosterUnit) -> str:
    """The option of a sequence that takes the unit; "" where none does."""
    known = sequence.system.words
    for option in sequence.inputs:
        if option.name in names and option.type in ("unit", "units"):
            words = known.get(option.units or "units")
            of_units = words is None or bool({*words.types} & {*known["units"].types})
            if words is None or unit.type in words.types or option.type == "unit" or not of_units:
                return option.name
    return ""


def _suits(sequence: Sequence, names: tuple[str, ...], unit: RosterUnit) -> bool:
    """Whether a sequence takes the unit, and the unit has the numbers that it cannot do without."""
    name = taking(sequence, names, unit)
    needed = [option.brings.removeprefix(f"{name}.") for option in sequence.inputs if option.required]
    return bool(name) and all("." in key or not key or key in unit.numbers for key in needed)


def _is_for(sequence: Sequence, unit: RosterUnit, *, is_own: bool) -> bool:
    """Whether a sequence says of itself that it is mostly about units of this type or in this state."""
    name = taking(sequence, ACTING, unit)
    option = next((one for one in sequence.inputs if one.name == name), None)
    fits = option is not None and not {*option.likely}.isdisjoint({unit.type, unit.state, *unit.marks})
    return fits and is_own != hits_its_unit(sequence)
