"""The crew of a penetrated vehicle: each area that took effect is rolled for every living man, area by area."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from bot.rules.dice import Die
from bot.rules.inputs.units import Unit
from bot.rules.odds import Weighted
from bot.rules.sequence import Line, Outputs, Roll, Step
from bot.rules.tables.table import Tables
from bot.systems.baps.men import called
from bot.systems.baps.resolution import UNHURT, Hurt, Man, Resolution
from bot.systems.baps.volley import men_lines

EXPLOSIVE = ("main-gun", "ammunition", "engine")


@dataclass(frozen=True, slots=True)
class Crew:
    """Which step is owed, the areas that took effect, and whose die it is.

    `hurts` is what each man has suffered so far; in the odds it stays empty, each man is counted alone.
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
    rolls = _Rolls(resolution, crew, row_of)
    return Step(
        rolls.dice, rolls.apply, rolls.outputs, rolls.lines, groups=rolls.fates, exact_only=frozenset({"rolls"})
    )


class _Rolls:
    """The dice of the men, area by area."""

    def __init__(self, resolution: Resolution, crew: tuple[Unit, ...], row_of: Mapping[str, int]) -> None:
        self._resolution, self._crew, self._names, self._row_of = resolution, crew, called(crew), row_of
        self._rows = lru_cache(maxsize=16)(self._rows_after)
        self._man = lru_cache(maxsize=256)(self._man_at)

    def _rows_after(self, effects: tuple[bool, ...]) -> tuple[int, ...]:
        """The rows that are rolled on, by the areas that took effect."""
        hit = tuple(self._row_of[area] for area, effect in zip(EXPLOSIVE, effects, strict=False) if effect)
        return hit or (self._row_of["main-gun"],)

    def _man_at(self, effects: tuple[bool, ...], at: int, round_: int) -> Man:
        rows = self._rows(effects)
        cells = tuple(self._resolution.cell(row, 1) for row in rows)
        where = f"row {rows[round_]}"
        return Man(
            self._crew[at], self._names[at], cells, f"crew[{at}]", where, {"unit": self._crew[at].word}, rides=True
        )

    def _current(self, state: Crew) -> Man:
        return self._man(state.effects, state.at, state.round)

    def dice(self, state: Crew) -> tuple[Die, ...]:
        """The dice of the man in hand."""
        return self._resolution.owed(self._current(state), _hurt(state))

    def _next(self, state: Crew) -> Crew:
        """The next living man, in this row or in the next one."""
        at, round_ = state.at + 1, state.round
        while round_ < len(self._rows(state.effects)):
            if at == len(self._crew):
                at, round_ = 0, round_ + 1
            elif self._man(state.effects, at, 0).dead(state.hurts[at]):
                at += 1
            else:
                return replace(state, at=at, round=round_)
        return Crew(None, state.effects)

    def apply(self, state: Crew, roll: Roll) -> Crew:
        """What the die does to the man in hand, and whose is next."""
        if len(roll) > 1 or len(self._rows(state.effects)) == 1:  # one man's dice from first to last
            more = state.at + 1 < len(self._crew)
            return Crew("crew", state.effects, state.at + 1) if more else Crew(None, state.effects)
        hurts = list(state.hurts or (UNHURT,) * len(self._crew))
        hurts[state.at] = self._resolution.strike(self._current(state), hurts[state.at], roll[0])
        return self._next(replace(state, hurts=tuple(hurts)))

    def outputs(self, before: Crew, roll: Roll, _after: Crew) -> Outputs:
        """The die, and the man's fate once it is settled."""
        who, hurt = self._current(before), _hurt(before)
        if len(roll) > 1:
            return who.told(_struck(self._resolution, who, roll))
        after = self._resolution.strike(who, hurt, roll[0])
        told = who.told(after) if who.finished(after) else {}
        return {**told, f"{who.path}.rolls[{hurt.rolled}]": roll[0]}

    def lines(self, before: Crew, roll: Roll, _after: Crew) -> Iterable[Line]:
        """A line per die."""
        return men_lines(self._resolution, self._current(before), _hurt(before), roll)

    def fates(self, state: Crew) -> Weighted:
        """Whole rolls as long as there are rows; a man who dies early leaves the last dice unread."""
        length = len(self._rows(state.effects))
        fates = self._resolution.fates(self._current(state))
        return tuple((ways, roll + (1,) * (length - len(roll))) for ways, roll in fates)


def _hurt(state: Crew) -> Hurt:
    """What the man in hand has suffered so far."""
    return state.hurts[state.at] if state.hurts else UNHURT


def crew_men(crew: tuple[Unit, ...]) -> tuple[Man, ...]:
    """The men as the odds show them, whichever rows they are rolled for."""
    return tuple(
        Man(unit, name, (), f"crew[{at}]") for at, (unit, name) in enumerate(zip(crew, called(crew), strict=True))
    )


def _struck(resolution: Resolution, man: Man, roll: Roll) -> Hurt:
    """The man after the dice of a whole roll, up to death."""
    hurt = UNHURT
    for die in roll:
        if not man.finished(hurt):
            hurt = resolution.strike(man, hurt, die)
    return hurt
