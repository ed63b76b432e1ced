"""The crew of a penetrated vehicle: each area that took effect is rolled for every living man, area by area."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Roll, Ruled, Ruling, ruled
from bot.rules.tables.table import Tables
from bot.systems.baps.at_once import WholeRolls
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution
from bot.systems.baps.vehicles import riders

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
