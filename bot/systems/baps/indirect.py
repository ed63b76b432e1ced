"""HE at an aim point: a hit bursts there, a miss scatters by inches and, if asked for, a clock direction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bot.rules.dice import Die, d20
from bot.rules.names import joined
from bot.rules.odds import group_sums
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, row_of
from bot.rules.tables.compile import dice_of
from bot.systems.baps.blasts import Blast
from bot.systems.baps.rows import rows_of
from bot.systems.baps.volley import Volley

NAMED = 2
NO_SCATTER = {"scatter": "none", "direction": "none"}


def aim_plan(
    need: int,
    parts: tuple[tuple[str, int | float], ...],
    scatter: str,
    direction: bool,
    blast: Blast,
    *,
    hits: Callable[[int], bool],
    auto_hit: bool = False,
    weapon: str,
) -> Plan[Volley]:
    """Roll to hit with the modifiers `parts`; on a hit the blast, on a miss `scatter` dice (and a d12).

    `hits` says whether a die hits. With `auto_hit` no die is rolled. `weapon` is what the answer calls the round.
    """
    burst = Volley("man" if blast.men else None)
    modifier = sum(value for _, value in parts)

    def to_hit(_state: Volley, roll: Roll) -> Volley:
        return burst if hits(roll[0]) else Volley("scatter")

    def hit_told(_before: Volley, roll: Roll, _after: Volley) -> Outputs:
        hit = hits(roll[0])
        told = {"roll": roll[0], "total": roll[0] + modifier, "outcome": "hit" if hit else "miss"}
        if hit:
            return told | NO_SCATTER
        return told if direction else told | {"direction": "none"}

    def hit_line(_before: Volley, roll: Roll, _after: Volley) -> tuple[Line, ...]:
        line = Line("to hit", roll, parts, roll[0] + modifier, f"{need} or more needed")
        return (line, *blast.where) if hits(roll[0]) else (line,)

    steps = {
        "hit": Step((d20("to hit"),), to_hit, hit_told, hit_line),
        "scatter": _scatter(scatter, direction),
        "direction": _direction(),
        "man": blast.step,
    }

    def settle(out: Mapping[str, Any]) -> Settlement:
        return _settled(out, blast, weapon)

    told: dict[str, Any] = {"need": need, "targets": []}
    shown = (row_of("outcome", "the shot"), *rows_of(blast.men))
    if not auto_hit:
        return Plan(Volley("hit"), steps, settle, opening=told, rows=shown)
    told |= {"roll": "none", "total": "none", "outcome": "hit", **NO_SCATTER}
    lines = (Line("to hit", result="no die, a heroic action"), *blast.where)
    return Plan(burst, steps, settle, opening=told, lines=lines, rows=shown)


def _scatter(notation: str, direction: bool) -> Step[Volley]:
    """How many inches a miss is off; then the direction, if it is asked for."""
    dice = dice_of(notation, "scatter")
    return Step(
        dice,
        lambda _state, _roll: Volley("direction" if direction else None),
        lambda _before, roll, _after: {"scatter": sum(roll)},
        lambda _before, roll, _after: (Line("scatter", roll, total=sum(roll)),),
        groups=lambda _: group_sums(len(dice), dice[0].sides),
    )


def _direction() -> Step[Volley]:
    return Step(
        (Die("direction", 12),),
        lambda _state, _roll: Volley(None),
        lambda _before, roll, _after: {"direction": roll[0]},
        lambda _before, roll, _after: (Line("direction", roll, result="12 is away from the thrower"),),
    )


def _settled(out: Mapping[str, Any], blast: Blast, weapon: str) -> Settlement:
    if out["outcome"] == "miss":
        where = "" if out["direction"] == "none" else f" toward {out['direction']} o'clock"
        then = ("Measure where it lands and use blast for the men there.",)
        off = f"{out['scatter']} inches off{where}"
        missed = joined(blast.names) if len(blast.men) <= NAMED else f"{len(blast.men)} men"
        fate = Fate(weapon, "miss", f"{missed}, {off}" if blast.men else f"by {out['scatter']} inches{where}")
        return Settlement(f"miss, {off}", then=then, fates=(fate,))
    settled = blast.settle(out)
    if not blast.men:
        return Settlement("hit", fates=(Fate(weapon, "hit"),))
    return replace(settled, headline=f"hit, {settled.headline}")
