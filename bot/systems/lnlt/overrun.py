"""A vehicle overruns the defenders of a hex."""

from collections.abc import Mapping
from typing import Any

from bot.rules.dice import d6
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Outputs, Plan, Roll, Ruling, Settlement, ruled
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined
from bot.systems.lnlt import kinds
from bot.systems.lnlt.aftermath import attacked, headline, rows, suffered
from bot.systems.lnlt.checks import NONE, DamageChecks
from bot.systems.lnlt.fire import refuse_to_fire
from bot.systems.lnlt.impact import fire_check, fire_started, then_fire_check
from bot.systems.lnlt.items import Attack, list_items, readings_of
from bot.systems.lnlt.kinds import target_terrain
from bot.systems.lnlt.reasons import Opposed, target_modifier

BONUS, ENTRY_COST = 2, 4
DICE = (d6("vehicle"), d6("defense"))


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """An overrun of `targets`. Source: PAC 01 (15.3). Raises UserError for a vehicle that cannot fire."""
    refuse_to_fire(given.unit("unit"))
    targets, flammable = given.units("targets"), given.flag("flammable")
    named = (("overrun", BONUS), ("HE", given.int("he")), ("machine guns", given.int("mg")))
    parts = tuple(part for part in (*named, ("armor leader", given.int("lm"))) if part[1])
    tm = target_terrain(given.int("tm"))
    sums = Opposed(sum(value for _, value in parts), tm, parts, target_modifier(tm))
    readings = readings_of(tables)
    able = [may_close_assault(unit) for unit in targets]

    def still_able(at: int, state: str) -> Outputs:
        fit = able[at] and state in ("good-order", "wounded")
        return {f"may_close_assault[{at}]": targets[at].word} if fit else {}

    checks = DamageChecks(
        readings, list_items(readings, targets, no_hero=given.flag("no_hero")), also=still_able, finish=then_fire_check
    )

    def attack(_: Attack, roll: Roll) -> Ruling[Attack]:
        six, told = flammable and roll[0] == 6, sums.told(roll)
        if not told["hit"]:
            told |= {f"may_close_assault[{at}]": unit.word for at, unit in enumerate(targets) if able[at]}
        after, known = checks.resolve(Attack(None, told["dc_mod"], six=six))
        told |= known
        if flammable and not six:
            told["fire_check"] = NONE
        return Ruling(after, told, lambda: sums.lines(roll))

    def settle(out: Mapping[str, Any]) -> Settlement:
        left = out["may_close_assault"]
        notes = [f"{joined(left)} may close assault."] if left else []
        hurt = suffered(targets, out["targets"])
        return attacked(
            headline(hurt.units, hit=out["hit"]),
            targets,
            hurt,
            more=fire_started(out),
            notes=notes,
            firers=[given.unit("unit")],
            beaten_by=out["dc_mod"],
        )

    def focus(paths: tuple[str, ...]) -> Plan[Attack]:
        asked = any(path.startswith("may_close_assault") for path in paths)
        return whole if asked else whole._replace(apart=checks.apart)

    steps = {"attack": ruled(DICE, attack), "fire check": fire_check(readings), **checks.steps()}
    opening: dict[str, Any] = {"targets": [], "may_close_assault": [], "mp_cost": ENTRY_COST}
    whole = Plan(Attack("attack"), steps, settle, opening, rows=lambda: rows(checks.items), by_list="may_close_assault")
    return whole._replace(focus=focus)


def may_close_assault(unit: Unit) -> bool:
    """Whether the unit is an MMC or a hero on foot, in good order. Source: PAC 01 (17.1)."""
    fit = unit.type in kinds.MMC or unit.type == "hero"
    return fit and not kinds.is_shaken(unit) and not kinds.is_passenger(unit)
