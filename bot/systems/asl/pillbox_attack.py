"""What an attack on a pillbox's occupants has to add, and how it is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Settlement
from bot.rules.shapes import Once, no_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.roster import signed

WP = ("ch-only", "baz45-ch-only", "minus-nca-tem")
PLACES = {"ca": "the CA", "nca": "the NCA", "same-hex": "the same hex"}
WEAPONS = {
    "he-direct": "direct HE",
    "he-indirect": "indirect HE",
    "small-arms": "small arms",
    "wp-direct": "direct WP",
    "wp-indirect": "indirect WP",
    "wp-grenade": "a WP grenade",
}
OCCUPANTS = "the occupants"
UNHURT = ("none", "not-applicable")


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """The modifier of an attack, without dice. Source: table 8. Raises UserError for AP without its basic TK#."""
    weapon, side = given.word("weapon"), given.word("from")
    if weapon == "ap" and given.maybe("basic_tk") is None:
        raise UserError("AP needs basic_tk, the basic TK# of the shot (0 to 40).", option="basic_tk", code="missing")
    read = tables["pillbox-tem"](weapon=weapon, **{"from": side})
    effect = str(read["effect"])
    told = {"result": "attack", "drm": 0, "fp": read["fp"], "resolve_as": "normal"}
    if effect in UNHURT:
        told |= {"result": effect, "fp": "full"}
    elif effect in WP:
        told |= white_phosphorus(effect, given)
    elif weapon == "ap":
        told |= armor_piercing(given)
    elif effect in ("ca-tem", "nca-tem"):
        told |= {"drm": tem(effect, given), "resolve_as": "he-equivalency" if weapon == "heat" else "normal"}
    said = tables["pillbox-tem"].texts[effect]
    if weapon == "ap":
        said = compared(given)
    elif effect == "nca-tem" and given.flag("critical_hit"):
        said = "A Critical Hit, so the NCA TEM counts as zero."
    lines = (Line(f"{called_weapon(weapon)} from {PLACES[side]}: {said}"),)

    def settle(out: Mapping[str, Any]) -> Settlement:
        return settled(out, weapon)

    return no_roll(told, lines, settle)


def called_weapon(weapon: str) -> str:
    """A weapon as players call it."""
    return WEAPONS.get(weapon, weapon if weapon in ("canister", "overrun") else weapon.upper())


def tem(effect: str, given: Given) -> int:
    """The CA or NCA TEM; the NCA TEM counts as zero on a Critical Hit. Source: table 8, note 1."""
    if effect == "ca-tem":
        return given.int("ca_tem")
    return 0 if given.flag("critical_hit") else given.int("nca_tem")


def armor_piercing(given: Given) -> Outputs:
    """No TEM where the basic TK# exceeds twice the TEM of that side, else as direct HE. Source: table 8, note 3."""
    from_ca = given.word("from") == "ca"
    faced = tem("ca-tem" if from_ca else "nca-tem", given)
    if given.int("basic_tk") > 2 * faced or not faced:
        return {"drm": 0, "resolve_as": "he-equivalency"}
    return {"drm": faced, "resolve_as": "he-direct"}


def compared(given: Given) -> str:
    """The basic TK# of an AP shot beside the TEM it must exceed twice."""
    side = "CA" if given.word("from") == "ca" else "NCA"
    if side == "NCA" and given.flag("critical_hit"):
        return "A Critical Hit, so the NCA TEM counts as zero."
    faced, tk = given.int(f"{side.lower()}_tem"), given.int("basic_tk")
    verdict = "more, so no TEM" if tk > 2 * faced else f"not more, so add the {side} TEM"
    return f"Basic TK# {tk} against twice the {side} TEM {faced}: {verdict}."


def white_phosphorus(effect: str, given: Given) -> Outputs:
    """The NMC of WP and its modifier, or not-applicable. Source: table 8, notes 6, 9 and 10."""
    critical = given.flag("critical_hit")
    if effect == "minus-nca-tem":
        return {"result": "nmc", "drm": 0 if critical else -given.int("nca_tem")}
    if not critical or (effect == "baz45-ch-only" and not given.flag("baz45")):
        return {"result": "not-applicable"}
    return {"result": "nmc", "drm": given.int("ca_tem") if effect == "ch-only" else 0}


def settled(out: Mapping[str, Any], weapon: str) -> Settlement:
    """The result with its modifier; CC has none, it may take place or not."""
    result = str(out["result"])
    fate = Fate(OCCUPANTS, result, signed(out["drm"]))
    if result in UNHURT:
        return Settlement(
            "no effect" if result == "none" else "not applicable",
            (("occupants", result),),
            fates=(replace(fate, more=""),),
        )
    if weapon == "cc":
        return Settlement("CC may take place", (("occupants", result),), fates=(Fate(OCCUPANTS, "cc"),))
    what = "NMC" if result == "nmc" else "attack"
    half = ", half FP" if out["fp"] == "half" else ""
    how = {"he-equivalency": "Resolve it by HE Equivalency.", "he-direct": "Resolve it as direct-fire HE."}
    then = tuple(how[word] for word in (str(out["resolve_as"]),) if word in how)
    fates = (replace(fate, more=f"{fate.more}{half}"),)
    return Settlement(f"{what} at {out['drm']:+d}{half}", (("occupants", result),), then, fates=fates)
