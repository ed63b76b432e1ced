"""What a penetrating round does inside: main gun, ammunition, engine and crew, and then to every living man."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.rules.dice import dice
from bot.rules.inputs.units import Unit
from bot.rules.odds.odds import Weighted, group_faces
from bot.rules.sequence.sequence import Line, Outputs, Roll, Ruled, Ruling, ruled
from bot.rules.tables.table import Tables
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution, WholeRolls
from bot.systems.baps.vehicles import riders

# -- the crew: each area that took effect is rolled for every living man, area by area

EXPLOSIVE = ("main-gun", "ammunition", "engine")


class Crew(NamedTuple):
    """Which step is owed, the areas that took effect, what each man has suffered (None has no more dice), and the place
    of the man in hand: of those who still roll, the first with the fewest dice."""

    owes: str | None
    effects: tuple[bool, ...] = ()
    hurts: tuple[Hurt | None, ...] = ()
    at: int = 0


def crew_step(tables: Tables, crew: Sequence[Unit], names: Sequence[str]) -> Ruled[Crew]:
    """The step `crew`: row 4 for the main gun, 9 for the ammunition, 7 for the engine; row 4 if none took effect.

    All living men are rolled for before the next row. Source: Vehicle Charts, if the round penetrated.
    """
    crt = Resolution(tables)
    known: dict[tuple[bool, ...], tuple[Man, ...]] = {}

    def men(effects: tuple[bool, ...]) -> tuple[Man, ...]:
        found = known.get(effects)
        if found is None:
            rows = _rows(tables, effects)
            cells = tuple([crt.cell(row, 1) for row in rows])
            found = known[effects] = riders(crew, names, "crew", cells, tuple([f"row {row}" for row in rows]))
        return found

    def whose(now: Crew) -> tuple[Man, Hurt]:
        return men(now.effects)[now.at], now.hurts[now.at] or UNHURT

    def rule(now: Crew, roll: Roll) -> Ruling[Crew]:
        (man, before), (die,) = whose(now), roll
        hurt = crt.strike(man, before, die)
        finished = man.finished(hurt)
        told = man.told(hurt) if finished else {}
        told[f"{man.path}.rolls[{before.rolled}]"] = die
        return Ruling(after(now, None if finished else hurt), told, lambda: (man.line(before, die, hurt),))

    def after(now: Crew, left: Hurt | None) -> Crew:
        hurts = (*now.hurts[: now.at], left, *now.hurts[now.at + 1 :])
        dice = [(hurt.rolled, at) for at, hurt in enumerate(hurts) if hurt is not None]
        return Crew("crew", now.effects, hurts, min(dice)[1]) if dice else Crew(None, now.effects)

    # What follows is speed; the rules end here.
    whole = WholeRolls(crt)

    def comes(now: Crew) -> list[tuple[int, Ruling[Crew]]]:
        man, _ = whose(now)
        return [(ways, Ruling(after(now, None), man.told(hurt))) for ways, hurt in whole.of(man)]

    return ruled(lambda now: crt.owed(*whose(now)), rule, comes=comes, exact_only=("rolls",))


def _rows(tables: Tables, effects: tuple[bool, ...]) -> list[int]:
    """The rows that each man is rolled for in: those of the areas that took effect, or the main gun's."""
    hit = [area for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect] or EXPLOSIVE[:1]
    return [int(tables["penetrated-damage"](area=area, roll=4)["row"]) for area in hit]


# -- the areas, one die (or two) each

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
