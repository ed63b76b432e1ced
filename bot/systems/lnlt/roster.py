"""What results write back to units of the roster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
from bot.systems.lnlt import kinds

NOTHING: frozenset[str] = frozenset()
MOVED = frozenset({"moved"})
FIRED = frozenset({"fired"})
SPOTTER, CAPTURED = "spotter", "captured"
OPS_COMPLETE = frozenset({"ops-complete"})
SPOTTED_IT = OPS_COMPLETE | {SPOTTER}
"""What a successful spotter bears until it has fired at the hex, or the turn ends."""


def becomes(unit: Unit, state: str, *, mark: frozenset[str] = NOTHING) -> Change | None:
    """The change of a roster unit that takes `state`, or None where nothing changes.

    A squad with casualties turns into a half-squad; a wounded leader has 1 less morale, LM and leadership range,
    unless the roster holds the numbers of the wounded side. Source: PAC 02 (11.1.2).
    """
    if not unit.name:
        return None
    new: dict[str, Any] = {}
    if state == "half-squad-shaken":
        new = {"type": "half-squad", "state": "shaken"}
    elif state != kinds.state_of(unit) or (unit.state and state != unit.state):
        new = {"state": state}
    is_hit = "wounded" in state and not unit.has("wounded")
    turn = unit.reduced is not None and (is_hit or state == "half-squad-shaken")
    if unit.type == "leader" and is_hit and not turn:
        for key, least in (("morale", 1), ("lm", 0), ("lr", 0)):
            if unit.get(key) is not None:
                new[key] = max(least, int(unit.get(key)) - 1)
    if mark and unit.get("in"):  # it is on foot
        new["in"] = None
    if not new and not mark:
        return None
    return Change(unit.name, set=new, mark=mark, unmark=kinds.RIDING & unit.flags if mark else NOTHING, turn=turn)


def fired(units: Iterable[Unit | None]) -> tuple[Change, ...]:
    """The changes of roster units that have fired; who fires right after spotting loses Ops Complete.

    Source: PAC 11.
    """
    return tuple(
        [
            Change(unit.name, mark=FIRED, unmark=SPOTTED_IT if unit.has("spotter") else NOTHING)
            for unit in units
            if unit is not None and unit.name
        ]
    )


def captured(units: Iterable[Unit | None], *, works: bool) -> tuple[Change, ...]:
    """The changes of roster units after the first attack with a captured weapon: kept for good, or removed.

    Of several weapons players take the right one off. Source: PAC 09 note 3.
    """
    return tuple(
        [
            Change(
                unit.name,
                set={} if works or len(unit.get("sw") or ()) > 1 else {"sw": None},
                unmark=frozenset({CAPTURED}),
            )
            for unit in units
            if unit is not None and unit.name and unit.has(CAPTURED)
        ]
    )


def captured_lost(units: Iterable[Unit | None]) -> tuple[str, ...]:
    """The reminders that captured weapons whose first attack did nothing are removed."""
    names = [unit.word for unit in units if unit is not None and CAPTURED in unit.flags]
    return tuple([f"The first attack with {name}'s captured weapon did nothing: remove it." for name in names])
