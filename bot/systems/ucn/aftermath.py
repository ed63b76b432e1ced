"""What fire has done to an element: the words of the answer, and what the roster takes from it.

Source: Infantry Combat, Damage, Status Damage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Change, Fate, Line, Settlement
from bot.rules.text.names import a_or_an, joined
from bot.systems.ucn import roster
from bot.systems.ucn.shooters import Shooter
from bot.systems.ucn.weapons import area_said
from bot.systems.ucn.words import UNDER_FIRE, weapon_said, whom


def settled(
    given: Given,
    firing: Sequence[Shooter],
    verb: str,
    out: Mapping[str, Any],
    *,
    acting: tuple[Change, ...] = (),
    given_up: tuple[str, ...] = (),
) -> Settlement:
    """The status of the element that was shot at, and its losses; `verb` for one shooter and for several.

    `acting` is what those who fire take from it, or pay for it, `given_up` the same in words.
    """
    target, lost, status = given.unit("target"), out["casualties"], str(out["status"])
    members = target.get("members") if target is not None else None
    if members is not None and lost >= members > 0:  # nobody whose Morale could fall
        out, lost = {**out, "casualties": members, "morale_loss": 0}, members
    return Settlement(
        headline(out),
        ((target.word, status),) if target is not None else (),
        areas(firing, out),
        (*roster.under_fire(target, lost, status), *acting),
        (Fate(whom(target, "the target"), status, roster.casualties(lost) if lost else ""),),
        (*(now(out) if lost != members else ("nobody is left",)), *given_up),
        by=by(firing, verb),
        sums=sums(out),
    )


def headline(out: Mapping[str, Any]) -> str:
    """The result of the fire in a few words: `pinned, 2 hits, 1 saved`."""
    status = "no effect" if out["status"] == "none" else str(out["status"])
    pieces = [status, "1 hit" if out["hits"] == 1 else f"{out['hits']} hits"]
    if out["saved"]:
        pieces.append(f"{out['saved']} saved")
    if out["casualties"]:
        pieces.append(roster.casualties(out["casualties"]))
    if out["morale_loss"]:
        pieces.append(f"Morale -{out['morale_loss']}")
    return ", ".join(pieces)


def areas(firing: Sequence[Shooter], out: Mapping[str, Any]) -> tuple[str, ...]:
    """The areas of effect of the weapons that hit, for the players to measure."""
    fired = zip(firing, out["shooters"], strict=True)
    hit = {shooter.weapon.word: shooter.weapon.area for shooter, told in fired if told["hit"]}
    said = [f"{weapon_said(word)} {inches}" for word, area in hit.items() if (inches := area_said(area))]
    return (f"Measure who else is in the area of effect: {', '.join(said)}.",) if said else ()


def by(firing: Sequence[Shooter], verb: str) -> str:
    """Who fires: `2 rifles and an LMG shoot`, with the verb for one and for several."""
    one, several = verb.split("|")
    listed = [shooter.unit for shooter in firing]
    named = [unit.name for unit in listed if unit.name]
    arms = [weapon_said(unit.word) for unit in listed if not unit.name]
    called = [*dict.fromkeys(named), *(arm if arms.count(arm) > 1 else a_or_an(arm) for arm in arms)]
    return f"{joined(called)} {one if len(called) == 1 else several}"


def now(out: Mapping[str, Any]) -> tuple[str, ...]:
    """What the status means."""
    lost = (f"Morale −{out['morale_loss']}",) if out["morale_loss"] else ()
    return (*lost, UNDER_FIRE[out["status"]]) if out["status"] in UNDER_FIRE else lost


def sums(out: Mapping[str, Any]) -> tuple[Line, ...]:
    """What the dice of many shooters come to, behind the dice."""
    saved = f", {out['saved']} saved" if out["saved"] else ""
    to_hit = tuple(shooter["roll"] for shooter in out["shooters"] if shooter.get("roll"))
    lines = [Line("to hit", to_hit, result=f"{out['hits']} of {len(out['shooters'])}{saved}")]
    if damage := sorted(
        ((die["total"], die["roll"]) for one in out["shooters"] for die in one["damage"]), reverse=True
    ):
        totals, rolled = zip(*damage, strict=True)
        lines.append(Line("damage", rolled, result="" if totals == rolled else ", ".join(map(str, totals))))
    return tuple(lines)
