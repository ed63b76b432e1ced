"""What follows a shot of ordnance, whatever it hits: acquisition, riders of the firer, a captured weapon."""

from __future__ import annotations

from dataclasses import replace

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change
from bot.systems.lnlt import kinds
from bot.systems.lnlt.roster import CAPTURED, captured, captured_lost

ACQUIRED = "The target is acquired and stays spotted."


def _firer(given: Given) -> Unit | None:
    """Who fires, with the flag captured where it was typed as an option."""
    unit = given.unit("unit")
    if not given.flag(CAPTURED):
        return unit
    unit = unit or Unit("the firer", "")
    return replace(unit, flags=unit.flags | {CAPTURED})


def after_shot(given: Given, *, hit: bool) -> tuple[str, ...]:
    """What the firer must do. Source: PAC 09 note 3."""
    return () if hit else captured_lost([_firer(given)])


def riders(given: Given) -> tuple[str, ...]:
    """The reminder of those who ride on the firer. Source: PAC 06."""
    unit = given.unit("unit")
    if unit is None or unit.type not in kinds.GROUND_VEHICLES:
        return ()
    return (f"Those riding outside on {unit.word} must dismount: run bail-out with cause=oft vehicle=none.",)


def weapon_kept(given: Given, *, hit: bool) -> tuple[Change, ...]:
    """What a shot makes of a captured weapon: removed when it misses."""
    return captured([_firer(given)], works=hit)
