"""A mortar team or artillery attacks every unit in one hex."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.rules.inputs.given import Given
from bot.rules.sequence.sequence import Plan, Settlement
from bot.rules.tables.table import Tables
from bot.systems.lnlt.area import AreaAttack, Hex, area_words, leg_modifiers, terrain_of
from bot.systems.lnlt.burning import fire_started, told_before
from bot.systems.lnlt.firepower import refuse_to_fire
from bot.systems.lnlt.items import Attack
from bot.systems.lnlt.settling import attacked, headline, rows, suffered
from bot.systems.lnlt.words import refuse_values


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """A barrage on `targets`. Source: PAC 05, 12 (18.1, 18.2)."""
    refuse_values(given)
    refuse_to_fire(given.unit("unit"))
    targets, flammable = given.units("targets"), given.flag("flammable")
    mod, parts = leg_modifiers(tables, given)
    area = AreaAttack(
        tables,
        targets,
        [Hex("", 0, len(targets), given.int("fp"), terrain_of(given), flammable=flammable)],
        leg_mod=mod,
        parts=parts,
        best_of_two=given.word("weapon") == "mortar",
        no_hero=given.flag("no_hero"),
        tells_hit=True,
    )

    def settle(out: Mapping[str, Any]) -> Settlement:
        hurt = suffered(targets, out["targets"])
        words = headline(area_words(hurt, out["targets"]), hit=out["hit"])
        beaten = out["attack_roll"] + given.int("fp") + mod - out["defense_roll"] - terrain_of(given)
        more, firers = fire_started(out), [given.unit("unit")]
        return attacked(words, targets, hurt, more=more, firers=firers, beaten_by=max(0, beaten))

    opening = {"attack_mod": mod, "targets": [], **told_before(flammable)}
    checks = area.checks
    return Plan(area.start(), area.steps(), settle, opening, rows=lambda: rows(checks.items), apart=checks.apart)
