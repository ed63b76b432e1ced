"""What results make of roster units: members and casualties, states, markers, AP; and how answers call them."""

from collections.abc import Iterable
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
from bot.rules.tables.table import Tables

GONE = "combat-ineffective"
SUPPRESSED_STATES = ("pinned", "stunned")
HESITANT_STATES = ("hesitant", "hesitant-morale")


def loses(unit: Unit, count: int) -> dict[str, Any]:
    """Members and casualties of a unit that loses characters; the state of one that has nobody left.

    Source: Infantry Combat, Status Damage.
    """
    members = unit.numbers.get("members")
    lost = count if members is None else min(count, int(members))
    if not lost:
        return {}
    new: dict[str, Any] = {"casualties": int(unit.numbers.get("casualties") or 0) + lost}
    if members is not None:
        new["members"] = int(members) - lost
        if not new["members"]:
            new["state"] = GONE
    return new


def casualties(lost: int) -> str:
    """How many characters are lost, in words; none is no effect."""
    if not lost:
        return "none"
    return "1 casualty" if lost == 1 else f"{lost} casualties"


def change(unit: Unit | None, new: dict[str, Any], *, mark: frozenset[str] = frozenset()) -> tuple[Change, ...]:
    """The change of a roster unit, or nothing where nothing changes."""
    if unit is None or not unit.name:
        return ()
    new = {
        key: value for key, value in new.items() if value != (unit.state if key == "state" else unit.numbers.get(key))
    }
    return (Change(unit.name, set=new, mark=mark),) if new or mark else ()


def under_fire(target: Unit | None, lost: int, status: str) -> tuple[Change, ...]:
    """What fire makes of the element that is shot at. Source: Infantry Combat, Status Damage."""
    if target is None:
        return ()
    new = loses(target, lost)
    if "state" not in new and target.state != GONE:
        if status in ("pinned", "combat-ineffective"):
            new["state"] = "pinned"
        elif status == "hesitant" and target.state != "pinned":
            new["state"] = "hesitant"
    return change(target, new)


def refuse_pinned(unit: Unit | None, option: str, all_the_same: str = "") -> None:
    """Raise UserError for who is pinned, with what does it `all_the_same`. Source: Infantry Combat, Status Damage."""
    if unit is not None and unit.state == "pinned":
        what = f"{unit.word} is pinned and can do nothing in this activation."
        hint = all_the_same or f"/unit edit {unit.word} state=ready takes it off."
        raise UserError(what, hint=hint, option=option, code="unit-unfit")


def is_marked(unit: Unit) -> bool:
    """Whether the unit bears a Morale or Suppression marker."""
    return bool(unit.numbers.get("morale_markers") or unit.numbers.get("suppression_markers"))


def is_suppressed(unit: Unit | None) -> bool:
    """Whether the unit fights in melee as suppressed: a Suppression marker, pinned or stunned."""
    return unit is not None and bool(unit.numbers.get("suppression_markers") or unit.state in SUPPRESSED_STATES)


def is_hesitant(unit: Unit | None) -> bool:
    """Whether the unit is hesitant, from fire or from a failed Morale test."""
    return unit is not None and unit.state in HESITANT_STATES


def after_grenade(unit: Unit, lost: int, status: str) -> dict[str, Any]:
    """What a grenade in the room makes of a unit.

    Source: Building Assault, Grenade Assault Phase Damage.
    """
    new = loses(unit, lost)
    if status == "cleared":
        new["state"] = GONE
    elif "state" not in new and unit.state != GONE:
        new["state"] = status
    return new


# -- how answers call weapons and elements, and what a status means in few words

WEAPONS = {
    "bolt-action-rifle": "rifle",
    "battle-rifle": "battle rifle",
    "smg": "SMG",
    "automatic-rifle": "automatic rifle",
    "lmg": "LMG",
    "mmg": "MMG",
    "hmg": "HMG",
    "rifle-grenade-launcher": "rifle grenade",
    "sniper-rifle": "sniper rifle",
}
"""Weapons as players call them, where that differs from the sheet."""
UNDER_FIRE = {
    "hesitant": "prone and crawls, −4 to all skills",
    "pinned": "prone, −6 to all skills until it passes a Morale test, surrenders to an enemy within 4 inches",
    "combat-ineffective": "survivors pinned",
}
"""What the statuses of fire mean. Source: Infantry Combat, Status Damage."""


def weapon_said(word: str) -> str:
    """A weapon as players call it."""
    return WEAPONS.get(word, word)


def whom(unit: Unit | None, otherwise: str) -> str:
    """The unit that an answer is about, or what it is called where none was named."""
    return otherwise if unit is None else unit.word


def characters(count: int) -> str:
    """So many characters in words."""
    return "a character" if count == 1 else f"{count} characters"


# -- what acting costs an element whose AP the roster knows: its own first, or those that a leader has handed it.
# Source: Action Points, AP Expenditure; Additional AP


def spends(
    tables: Tables, units: Iterable[Unit], action: str, *, again: str, extra: int = 0
) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The changes of those who act, and what they are told: `Red uses 1 AP (2 left)`. `again` is the marker of one who
    has done so in this activation already; `extra` AP go into the skill, additional ones before its own."""
    changes, told = [], []
    for unit in {unit.name: unit for unit in units if unit.name and unit.numbers.get("ap") is not None}.values():
        more = int(unit.numbers.get("more_ap") or 0)
        cost = int(tables["ap-costs"](action=action, second=again in unit.flags)["ap"]) + max(0, extra - more)
        left = int(unit.numbers["ap"]) - int(unit.numbers.get("spent") or 0)
        new: dict[str, Any] = {"spent": int(unit.numbers.get("spent") or 0) + cost}
        if more and extra:
            new["more_ap"] = max(0, more - extra) or None
        changes.append(Change(unit.name, set=new, mark=frozenset({"activated", again})))
        besides = f" and {min(more, extra)} additional" if more and extra else ""
        has = f"{left - cost} left" if cost <= left else f"it had {left or 'none'}"
        told.append(f"{unit.name} uses {cost} AP{besides} ({has})")
    return tuple(changes), tuple(told)
