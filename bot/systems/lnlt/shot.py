"""What follows a shot of ordnance, whatever it hits: acquisition, riders of the firer, a captured weapon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
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
    return dismounting([unit] if unit is not None else [], "oft")


def dismounting(firers: Iterable[Unit], cause: str) -> tuple[str, ...]:
    """The same of all vehicles that fire, with their machine guns as well."""
    told = "Those riding outside on {} must dismount: run bail-out with cause={} vehicle=none."
    return tuple(told.format(unit.word, cause) for unit in firers if unit.type in kinds.GROUND_VEHICLES)


def acquires(given: Given, target: Unit | None, *, stays: bool) -> tuple[Change, ...]:
    """The acquisition marker that the firer keeps: 1, or 2 on who bore one before; it goes with its target.

    Source: PAC 06 (14.1).
    """
    unit = given.unit("unit")
    if unit is None or not unit.name or target is None or not target.name:
        return ()
    link = target.name.replace(" ", "")
    had = int(unit.get("acquisition") or 0) if str(unit.get("acquired", "")).casefold() == link.casefold() else 0
    if stays:
        return (Change(unit.name, set={"acquired": link, "acquisition": min(2, had + 1)}),)
    return (Change(unit.name, set={"acquired": None, "acquisition": None}),) if had else ()


def weapon_kept(given: Given, *, hit: bool) -> tuple[Change, ...]:
    """What a shot makes of a captured weapon: removed when it misses."""
    return captured([_firer(given)], works=hit)
