"""The crew of a penetrated vehicle: each area that took effect is rolled for every living man, area by area."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.rules.dice import Die
from bot.rules.inputs.units import Unit
from bot.rules.odds import Weighted
from bot.rules.sequence import Line, Roll, Step, Told
from bot.rules.tables.table import Tables
from bot.systems.baps.men import called
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution
from bot.systems.baps.volley import men_lines

EXPLOSIVE = ("main-gun", "ammunition", "engine")


@dataclass(frozen=True, slots=True)
class Crew:
    """Which step is owed, the areas that took effect, and whose die it is.

    `hurts` is what each man has suffered so far; in the odds it stays empty, each man is counted by himself.
    """

    owes: str | None
    effects: tuple[bool, ...] = ()
    at: int = 0
    round: int = 0
    hurts: tuple[Hurt, ...] = ()


def crew_step(tables: Tables, resolution: Resolution, crew: tuple[Unit, ...]) -> Step[Crew]:
    """The step `crew`: row 4 for the main gun, 9 for the ammunition, 7 for the engine; row 4 if none took effect.

    In play a roll is one d20 and all men are rolled for before the next row. In odds a roll is all dice of one
    man, one for each row, so that men need not be held in mind together. Source: Vehicle Charts, if the round
    penetrated.
    """
    row_of = {area: int(tables["penetrated-damage"](area=area, roll=4)["row"]) for area in EXPLOSIVE}
    names = called(crew)

    @lru_cache(maxsize=16)
    def rows(effects: tuple[bool, ...]) -> tuple[int, ...]:
        hit = tuple(row_of[area] for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect)
        return hit or (row_of["main-gun"],)

    @lru_cache(maxsize=256)
    def man(effects: tuple[bool, ...], at: int, round_: int) -> Man:
        numbers = rows(effects)
        cells = tuple(resolution.cell(row, 1) for row in numbers)
        where = f"row {numbers[round_]}, column 1"
        return Man(crew[at], names[at], cells, f"crew[{at}]", where, {"unit": crew[at].word})

    def current(state: Crew) -> Man:
        return man(state.effects, state.at, state.round)

    def hurt_of(state: Crew) -> Hurt:
        return state.hurts[state.at] if state.hurts else UNHURT

    def dice(state: Crew) -> tuple[Die, ...]:
        return resolution.owed(current(state), hurt_of(state))

    def next_die(state: Crew) -> Crew:
        """The next living man, in this row or in the next one."""
        at, round_ = state.at + 1, state.round
        while round_ < len(rows(state.effects)):
            if at == len(crew):
                at, round_ = 0, round_ + 1
            elif man(state.effects, at, 0).dead(state.hurts[at]):
                at += 1
            else:
                return replace(state, at=at, round=round_)
        return Crew(None, state.effects)

    def apply(state: Crew, roll: Roll) -> Crew:
        if len(roll) > 1 or len(rows(state.effects)) == 1:  # one man's dice from first to last
            more = state.at + 1 < len(crew)
            return Crew("crew", state.effects, state.at + 1) if more else Crew(None, state.effects)
        hurts = list(state.hurts or (UNHURT,) * len(crew))
        hurts[state.at] = resolution.strike(current(state), hurts[state.at], roll[0])
        return next_die(replace(state, hurts=tuple(hurts)))

    def tells(before: Crew, roll: Roll, _after: Crew) -> Told:
        who, hurt = current(before), hurt_of(before)
        if len(roll) > 1:
            return who.told(_struck(resolution, who, roll))
        after = resolution.strike(who, hurt, roll[0])
        told = who.told(after) if who.finished(after) else {}
        return {**told, f"{who.path}.rolls[{hurt.rolled}]": roll[0]}

    def story(before: Crew, roll: Roll, _after: Crew) -> Iterable[Line]:
        return men_lines(resolution, current(before), hurt_of(before), roll)

    def fates(state: Crew) -> Weighted:
        """Whole rolls as long as there are rows; a man who dies early leaves his last dice unread."""
        length = len(rows(state.effects))
        return tuple((ways, roll + (1,) * (length - len(roll))) for ways, roll in resolution.fates(current(state)))

    return Step(dice, apply, tells, story, groups=fates, blurs=frozenset({"rolls"}))


def crew_men(crew: tuple[Unit, ...]) -> tuple[Man, ...]:
    """The men as the odds show them, whichever rows they are rolled for."""
    return tuple(
        Man(unit, name, (), f"crew[{at}]") for at, (unit, name) in enumerate(zip(crew, called(crew), strict=True))
    )


def _struck(resolution: Resolution, man: Man, roll: Roll) -> Hurt:
    """The man after the dice of a whole roll, up to his death."""
    hurt = UNHURT
    for die in roll:
        if not man.finished(hurt):
            hurt = resolution.strike(man, hurt, die)
    return hurt
