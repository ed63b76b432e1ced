"""What follows a shot of ordnance, whatever it hits: acquisition, riders of the firer, a captured weapon."""

from __future__ import annotations

from dataclasses import replace

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change
from bot.systems.lnlt import kinds
from bot.systems.lnlt.settling import CAPTURED, captured, captured_lost

ACQUIRED = "The target is acquired and stays spotted."


def _firer(given: Given) -> Unit | None:
    """Who fires, with the flag captured where it was typed as an option."""
    unit = given.unit("unit")
    if not given.flag(CAPTURED):
        return unit
    unit = unit or Unit("the firer", "")
    return replace(unit, flags=unit.flags | {CAPTURED})


def after_shot(given: Given, *, hit: bool) -> tuple[str, ...]:
    """Reminders for the firer. Source: PAC 06 (riders of a vehicle that fires), PAC 09 note 3."""
    unit = given.unit("unit")
    lines: tuple[str, ...] = ()
    if unit is not None and unit.type in kinds.GROUND_VEHICLES:
        ride = f"Those riding outside on {unit.word} must dismount, marked Moved, and check morale"
        lines = (f"{ride}: run bail-out with cause=oft vehicle=none.",)
    return lines if hit else (*lines, *captured_lost([_firer(given)]))


def weapon_kept(given: Given, *, hit: bool) -> tuple[Change, ...]:
    """What a shot makes of a captured weapon: removed when it misses."""
    return captured([_firer(given)], works=hit)
