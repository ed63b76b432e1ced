"""What a penetrating round does inside: main gun, ammunition, engine and crew, one die (or two) each."""

from __future__ import annotations

from bot.rules.dice import dice
from bot.rules.odds.odds import Weighted, group_faces
from bot.rules.sequence.sequence import Line, Outputs, Roll, Ruled, Ruling, ruled
from bot.rules.tables.table import Tables
from bot.systems.baps.crew import Crew
from bot.systems.baps.resolution import UNHURT

AREAS = ("main-gun", "ammunition", "engine", "crew")


def area_step(tables: Tables, weapon: str, vehicle_type: str, men: int) -> Ruled[Crew]:
    """The step `area`, for each area in the order of the card; machine guns roll none for the crew of a tank.

    Source: Vehicle Charts, if the round penetrated.
    """
    rolled, damage = tables["penetrating-dice"](weapon=weapon), tables["penetrated-damage"]
    sides, two = 4 if rolled["die"] == "d4" else 6, rolled["per_area"] == 2
    areas = AREAS[:3] if two and vehicle_type == "tank" else AREAS

    def results(area: str) -> tuple[str, ...]:
        """What each face does."""
        return damage.column("result", area=area, die=f"d{sides}", roll=range(1, sides + 1))

    def rule(now: Crew, roll: Roll) -> Ruling[Crew]:
        place, area = len(now.effects), areas[len(now.effects)]
        found = results(area)
        effect = roll == (6, 6) if two else found[roll[0] - 1] != "none"  # two dice count only as two sixes
        effects = (*now.effects, effect)
        told: dict[str, object] = {f"damage[{place * len(roll) + at}]": die for at, die in enumerate(roll)}
        if area != "crew":
            told[area.replace("-", "_")] = effect

        def story() -> tuple[Line]:
            first, *more = [face for face, result in enumerate(found, 1) if result != "none"]
            needed = "two sixes" if two else f"{first} or more" if more else f"{first}"
            return (Line(area.replace("-", " "), roll, result=f"{needed} needed"),)

        if len(effects) < len(areas):
            return Ruling(Crew("area", effects), told, story)
        return Ruling(Crew("crew" if men else None, effects, (UNHURT,) * men), {**told, **_verdict(effects)}, story)

    # What follows is speed; the rules end here.
    def faces(area: str) -> Weighted:
        found = results(area)
        return ((35, (1, 1)), (1, (6, 6))) if two else group_faces(sides, lambda face: found[face - 1] != "none")

    return ruled(
        lambda now: dice(1 + two, sides, f"damage {areas[len(now.effects)]}"),
        rule,
        groups=lambda now: faces(areas[len(now.effects)]),
        exact_only=("damage",),
    )


def _verdict(effects: tuple[bool, ...]) -> Outputs:
    """What the areas together mean for the vehicle: main gun, ammunition, engine and (if rolled) crew."""
    operable = not (effects[1] or effects[2])
    bail_out = not operable or (len(effects) == 4 and effects[3])
    reoccupy = "none" if not bail_out else "yes" if operable else "no"
    return {"operable": operable, "bail_out": bail_out, "reoccupy": reoccupy}
