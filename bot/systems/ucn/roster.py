"""What results make of roster units: members and casualties, states, markers, AP; and how answers call them."""

from collections.abc import Iterable
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Change
from bot.rules.tables.table import Tables

GONE = "combat-ineffective"


def under_fire(target: Unit | None, count: int, status: str) -> tuple[Change, ...]:
    """What fire makes of the element that is shot at: members and casualties, and its state, which no milder one takes
    the place of. Source: Infantry Combat, Status Damage."""
    if target is None or not target.name:
        return ()
    members, state, new = target.numbers.get("members"), target.state, dict[str, Any]()
    lost = count if members is None else min(count, int(members))
    if lost:
        new["casualties"] = int(target.numbers.get("casualties") or 0) + lost
    if lost and members is not None:
        new["members"] = int(members) - lost
    if new.get("members") == 0:
        state = GONE
    elif state != GONE and (status in ("pinned", GONE) or (status == "hesitant" and state != "pinned")):
        state = "hesitant" if status == "hesitant" else "pinned"
    if state != target.state:
        new["state"] = state
    return (Change(target.name, set=new),) if new else ()


def casualties(lost: int) -> str:
    """How many characters are lost, in words."""
    return "1 casualty" if lost == 1 else f"{lost} casualties"


def refuse_pinned(unit: Unit | None, option: str, all_the_same: str = "") -> None:
    """Raise UserError for who is pinned, with what does it `all_the_same`. Source: Infantry Combat, Status Damage."""
    if unit is not None and unit.state == "pinned":
        what = f"{unit.word} is pinned and can do nothing in this activation."
        hint = all_the_same or f"/unit edit {unit.word} state=ready takes it off."
        raise UserError(what, hint=hint, option=option, code="unit-unfit")


def is_marked(unit: Unit) -> bool:
    """Whether the unit bears a Morale or Suppression marker."""
    return bool(unit.numbers.get("morale_markers") or unit.numbers.get("suppression_markers"))


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


# -- what acting costs an element whose AP the roster knows: its own first, or those that a leader has handed it.
# Source: Action Points, AP Expenditure; Additional AP


def spends(tables: Tables, units: Iterable[Unit], extra: int) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The changes of those who shoot, and what they are told: `Red uses 1 AP (2 left)`. `extra` AP go into the skill,
    additional ones before its own."""
    changes, told = [], []
    for unit in {unit.name: unit for unit in units if unit.name and unit.numbers.get("ap") is not None}.values():
        more = int(unit.numbers.get("more_ap") or 0)
        cost = int(tables["ap-costs"](action="shoot", second="shot" in unit.flags)["ap"]) + max(0, extra - more)
        spent = int(unit.numbers.get("spent") or 0)
        left = int(unit.numbers["ap"]) - spent
        new: dict[str, Any] = {"spent": spent + cost}
        if more and extra:
            new["more_ap"] = max(0, more - extra) or None
        changes.append(Change(unit.name, set=new, mark=frozenset({"activated", "shot"})))
        besides = f" and {min(more, extra)} additional" if more and extra else ""
        has = f"{left - cost} left" if cost <= left else f"it had {left or 'none'}"
        told.append(f"{unit.name} uses {cost} AP{besides} ({has})")
    return tuple(changes), tuple(told)
