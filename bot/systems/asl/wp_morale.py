"""The normal morale check that white phosphorus forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement
from bot.rules.shapes import Once, no_roll, one_roll
from bot.rules.tables.table import Tables
from bot.systems.asl.morale import CASUALTY, REDUCED, STATES, morale_check
from bot.systems.asl.pillbox_attack import PLACES
from bot.systems.asl.roster import called, new_state, noted, still

NOT_APPLICABLE = "not-applicable"
ON_FOOT = ("personnel", "emplaced-gun")
TARGETS = {
    "personnel": "the personnel",
    "emplaced-gun": "the crew of the Gun",
    "bu-ct-afv": "the CT AFV that is BU",
    "ce-ct-afv": "the CT AFV that is CE",
    "ot-afv": "the OT AFV",
}


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """NMC 2d6 with the modifier of target and terrain; no die where WP forces none. Source: table 18, table 8.

    Raises UserError for what the cards do not give, and for a morale level that is missing.
    """
    mc_drm, unit = mc_drm_of(tables, given), given.unit("unit")
    who, on_foot = called(unit, given.word("target")), given.word("target") in ON_FOOT

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = str(out["result"])
        then = ["Air Burst: the crew breaks instead of a Stun (D5.311)."] if result == "break" and not on_foot else []
        then += [REDUCED] if out["casualty"] else []
        return Settlement(
            result.replace("-", " "),
            ((who, result),),
            tuple(then),
            new_state(unit, STATES.get(result)),
            (Fate(called(unit, TARGETS[given.word("target")]), result),),
            noted(still(unit, STATES.get(result))),
        )

    if mc_drm is None:
        told = {"mc_drm": NOT_APPLICABLE, "result": NOT_APPLICABLE, "casualty": False}
        return no_roll(told, (Line("no NMC", result=why_not(given)),), settle)
    morale, drm, failed = morale_of(given), given.int("drm"), failed_of(given)
    added = mc_drm + drm

    def outputs(dr: int) -> Outputs:
        verdict = morale_check(dr, added, morale)
        result = failed if verdict == "break" else verdict
        return {"final": dr + added, "result": result, "casualty": dr == CASUALTY}

    def line(roll: Roll, told: Outputs) -> Line:
        parts = tuple((name, value) for name, value in (("WP", mc_drm), ("other DRM", drm)) if value)
        return Line("NMC", roll, parts, told["final"], f"against morale {morale}")

    return one_roll(dice(2, 6, "NMC"), outputs, line, settle, opening={"mc_drm": mc_drm})


def mc_drm_of(tables: Tables, given: Given) -> int | None:
    """The modifier of the NMC, or None where there is no check. Raises UserError for what is not on the cards."""
    target, tem, fire = given.word("target"), given.word("tem"), given.word("fire")
    if tem.startswith("pillbox"):
        if target not in ON_FOOT:
            raise UserError(
                f"{target} cannot be in a pillbox; {tem} goes with personnel or emplaced-gun.",
                option="tem",
                code="not-together",
            )
        return pillbox_drm(given)
    if given.flag("critical_hit"):
        raise UserError(
            "The card gives the WP NMC of a Critical Hit for pillboxes only.",
            option="critical_hit",
            code="not-together",
        )
    if fire == "grenade":
        raise UserError(
            "The card gives the NMC of a WP grenade for pillboxes only.", option="fire", code="not-together"
        )
    read = tables["wp-mods"](target=target, tem=tem, fire=fire)["mc_drm"]
    if read == "not-allowed":
        raise UserError("An OT AFV may not enter a building (B23.41).", option="tem", code="not-together")
    return None if read == NOT_APPLICABLE else int(read)


def pillbox_drm(given: Given) -> int | None:
    """The modifier for a pillbox's occupants, or None where WP forces no check. Source: table 8, notes 6-10."""
    tem, fire, critical = given.word("tem"), given.word("fire"), given.flag("critical_hit")
    if tem == "pillbox-ca":
        return given.int("ca_tem") if fire == "direct" and critical else None
    if tem == "pillbox-same-hex" and fire == "grenade":
        return 0 if critical else -given.int("nca_tem")
    baz45 = fire == "direct" and critical and given.flag("baz45")
    return 0 if tem == "pillbox-same-hex" and baz45 else None


def why_not(given: Given) -> str:
    """Why WP forces no check: a buttoned-up closed-topped AFV, or what the pillbox table says of the shot."""
    tem = given.word("tem")
    if not tem.startswith("pillbox"):
        return "none against a closed-topped AFV that is BU"
    side, fire = PLACES[tem.removeprefix("pillbox-")], given.word("fire")
    shot = "a WP grenade" if fire == "grenade" else f"{fire} WP"
    without = " without a Critical Hit" if fire == "direct" and not given.flag("critical_hit") else ""
    return f"{shot} from {side} forces none{without}"


def failed_of(given: Given) -> str:
    """What a failed NMC does: personnel break, an AFV is stunned, but Air Burst breaks the crew of an OT AFV.

    Source: D5.34, table 18 note 5 (D5.311).
    """
    target = given.word("target")
    air_burst = target == "ot-afv" and given.word("tem") == "woods" and given.word("fire") == "indirect"
    return "break" if target in ON_FOOT or air_burst else "stun"


def morale_of(given: Given) -> int:
    """The morale level. Raises UserError where neither it nor a unit that has one is given."""
    morale = given.maybe("morale")
    if morale is None:
        raise UserError(
            "The NMC needs morale, the morale level (1 to 10).",
            hint="Type morale=7, or name a roster unit that has morale.",
            option="morale",
            code="missing",
        )
    return morale
