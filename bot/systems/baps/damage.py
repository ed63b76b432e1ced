"""What a penetrating round does inside: main gun, ammunition, engine and crew, one die (or two) each."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.dice import Die
from bot.rules.odds import Weighted, every_roll
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables
from bot.systems.baps.crew import Crew

AREAS = ("main-gun", "ammunition", "engine", "crew-area")
OUTPUTS = {"main-gun": "main_gun", "ammunition": "ammunition", "engine": "engine"}


def area_steps(tables: Tables, weapon: str, vehicle_type: str, manned: bool) -> dict[str, Step[Crew]]:
    """A step for each area, in the order of the card; machine guns roll none for the crew of a tank.

    Source: Vehicle Charts, if the round penetrated.
    """
    dice = tables["penetrating-dice"](weapon=weapon)
    sides, count = (4 if dice["die"] == "d4" else 6), int(dice["per_area"])
    areas = AREAS[:3] if count == 2 and vehicle_type == "tank" else AREAS
    return {area: _area(tables, area, sides, count, areas, manned) for area in areas}


def _area(tables: Tables, area: str, sides: int, count: int, areas: tuple[str, ...], manned: bool) -> Step[Crew]:
    place, last = AREAS.index(area), area == areas[-1]
    table, name = tables["penetrated-damage"], area.removesuffix("-area")
    striking = [
        face for face in range(1, sides + 1) if table(area=name, die=f"d{sides}", roll=face)["result"] != "none"
    ]
    answers = {face: table(area=name, die=f"d{sides}", roll=face) for face in range(1, sides + 1)}

    def takes_effect(roll: Roll) -> bool:
        """Two dice count only as two sixes, for the crew too."""
        if count == 2:
            return roll == (6, 6)
        return bool(answers[roll[0]]["result"] != "none")

    def apply(state: Crew, roll: Roll) -> Crew:
        effects = (*state.effects, takes_effect(roll))
        if not last:
            return Crew(AREAS[place + 1], effects)
        return Crew("crew" if manned else None, effects)

    def outputs(_before: Crew, roll: Roll, after: Crew) -> Outputs:
        told = {f"damage[{place * count + at}]": die for at, die in enumerate(roll)}
        if area in OUTPUTS:
            told[OUTPUTS[area]] = takes_effect(roll)
        return {**told, **_verdict(after.effects)} if last else told

    def lines(_before: Crew, roll: Roll, _after: Crew) -> tuple[Line]:
        needed = "two sixes" if count == 2 else _needed(striking)
        return (Line(name.replace("-", " "), roll, result=f"{needed} needed"),)

    def groups(_: Crew) -> Weighted:
        found: dict[bool, tuple[int, Roll]] = {}
        for ways, roll in every_roll(asked):
            effect = takes_effect(roll)
            found[effect] = (ways + found[effect][0], found[effect][1]) if effect in found else (ways, roll)
        return tuple(found.values())

    asked = (Die(f"damage {name}", sides),) * count
    return Step(asked, apply, outputs, lines, groups=groups, exact_only=frozenset({"damage"}))


def _needed(faces: Sequence[int]) -> str:
    """The faces that take effect: `4`, `3 or more`."""
    return f"{faces[0]} or more" if len(faces) > 1 else ", ".join(map(str, faces))


def _verdict(effects: tuple[bool, ...]) -> Outputs:
    """What the areas together mean for the vehicle: main gun, ammunition, engine and (if rolled) crew."""
    operable = not (effects[1] or effects[2])
    bail_out = not operable or (len(effects) == 4 and effects[3])
    reoccupy = "none" if not bail_out else "yes" if operable else "no"
    return {"operable": operable, "bail_out": bail_out, "reoccupy": reoccupy}
