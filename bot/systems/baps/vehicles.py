"""Vehicles on the roster: shots at them, wrecks, lost tracks, and what a hit leaves of the crew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
from bot.rules.tables.table import Answer, Tables
from bot.rules.text.phrase import phrase
from bot.systems.baps.men import NAMED, Outcome, aftermath, living, named, wounds_of
from bot.systems.baps.resolution import Cell, Man

WRECK = "knocked-out"
TRACK_HIT, NO_GUN = "track-hit", "main-gun-destroyed"
OFF_TRACK = frozenset({TRACK_HIT})


def refuse_wreck(vehicle: Unit | None, option: str) -> None:
    """Raises UserError for a vehicle whose ammunition or engine exploded: nobody comes back to it.

    Source: Vehicle Charts, if the round penetrated, last note.
    """
    if vehicle is not None and vehicle.state == WRECK:
        raise UserError(
            f"{vehicle.word} is a wreck.",
            hint=phrase("If it is not: `/unit edit {name} state=operable`.", name=vehicle.word),
            option=option,
            code="unit-gone",
        )


def crewmen(count: int, wounds: Sequence[int]) -> tuple[Unit, ...]:
    """As many crewmen, the first ones with the wounds that the vehicle's crew had before."""
    hurt = (*wounds, *(0,) * count)[:count]
    return tuple(Unit("crewman", "crewman", {"wounds": old} if old else {}) for old in hurt)


def aboard(given: Given, option: str, vehicle: Unit | None) -> tuple[Unit, ...]:
    """The men in a vehicle: as typed in `option`, or as many crewmen as the roster vehicle has, the wounded first."""
    brought = given.values[option]
    if isinstance(brought, int):
        return crewmen(brought, vehicle.get("crew_wounds", ()) if vehicle is not None else ())
    return living(given.units(option), option)


def riders(
    men: Sequence[Unit],
    names: Sequence[str],
    path: str,
    cells: tuple[Cell, ...] = (),
    where: tuple[str, ...] = (),
) -> tuple[Man, ...]:
    """The men in a vehicle as the dice and the odds know them."""
    return tuple(
        [
            Man(unit, name, cells, f"{path}[{at}]", wounds_of(unit), {"unit": unit.word}, where, rides=True)
            for at, (unit, name) in enumerate(zip(men, names, strict=True))
        ]
    )


def inside(
    men: Sequence[Unit], names: Sequence[str], fates: Sequence[Outcome], tokens: Sequence[str]
) -> tuple[str, ...]:
    """What is said besides of the men in a vehicle: who was hurt, where that is not said already, and what follows."""
    return (*(named(names, tokens) if len(men) > NAMED else ()), *aftermath(men, names, fates))


def hit_vehicle(target: Unit | None, crew: Sequence[Unit], out: Mapping[str, Any]) -> tuple[Change, ...]:
    """What a shot writes to the roster vehicle: state, markers beside it, and the crew that is left.

    A track stays off whatever the crew does. A crewman who is on the roster too keeps their own wounds.
    """
    if target is None:
        return ()
    state = WRECK if not out["operable"] else "bailed-out" if out["bail_out"] else ""
    mark = {NO_GUN} if out["main_gun"] else set()
    mark |= OFF_TRACK if out["outcome"] in ("track-hit", "tire-hit") else set()
    new = ({"state": state} if state else {}) | crew_left(target, crew, out["crew"])
    return (Change(target.name, set=new, mark=frozenset(mark)),) if new or mark else ()


def crew_left(target: Unit, crew: Sequence[Unit], fates: Sequence[Outcome]) -> dict[str, Any]:
    """The crew of a roster vehicle and their wounds, as far as they have changed."""
    count = target.get("crew")
    if count is None or not fates:
        return {}
    alive = [(man, fate) for man, fate in zip(crew, fates, strict=True) if fate["after"] != "killed"]
    left = max(0, count - (len(crew) - len(alive)))
    wounds = tuple(sorted((fate["wounds"] for man, fate in alive if not man.name and fate["wounds"]), reverse=True))
    lost = int(target.get("crew_lost") or 0) + count - left
    new: dict[str, Any] = {"crew": left, "crew_lost": lost} if left != count else {}
    if wounds != tuple(target.get("crew_wounds", ())):
        new["crew_wounds"] = wounds or None
    return new


# -- shots

FLAGS = ("firer_moving", "hasty", "suppressed", "smoke", "lost_row")


def shot_modifiers(tables: Tables, given: Given, *, side: bool) -> Answer:
    """The to-hit modifiers of a shot. Source: Vehicle Charts, Roll to Hit Vehicular Targets, modifiers."""
    move, cover = given.word("target_move"), given.word("cover")
    return tables["hit-modifiers"](**given.flags(FLAGS), side=side, target_move=move, cover=cover)


def hits_vehicle(die: int, modifier: int, need: int) -> bool:
    """Whether a die hits: a 20 always, a 1 never, otherwise by its total."""
    return die == 20 or (die != 1 and die + modifier >= need)
