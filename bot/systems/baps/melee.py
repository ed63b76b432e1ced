"""A single combat hand-to-hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bot.rules.dice import averaging
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Fate, Line, Outputs, Plan, Roll, Settlement, Step, parts_of
from bot.rules.shapes import Once
from bot.rules.tables.table import Answer, Tables
from bot.systems.baps.men import called, living, wounds_of
from bot.systems.baps.resolution import FATAL, LIMITS, changes_of

FLAGS = ("suppressed", "expert", "terrain", "outnumber", "berserk", "heroic")


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """An averaging die each, plus modifiers. Source: Infantry Charts, Hand-to-Hand.

    Raises UserError for more than one man on a side, and when both sides outnumber the other.
    """
    a, b = _one_man(given, "a"), _one_man(given, "b")
    if a.has("outnumber") and b.has("outnumber"):
        raise UserError(
            "Only one side can be two or more on one.",
            hint="Leave outnumber out of a or b.",
            option="b",
            code="not-together",
        )
    names = called((a, b))
    mods = [_modifiers(tables, man) for man in (a, b)]
    a_modifier, b_modifier = (int(answer["total"]) for answer in mods)

    def outputs(_before: Once, roll: Roll, _after: Once) -> Outputs:
        totals = {"a": roll[0] + a_modifier, "b": roll[1] + b_modifier}
        result = tables["melee-result"](**totals)
        return {
            "a_total": totals["a"],
            "b_total": totals["b"],
            **result.out,
            "a_after": _after_wounds(a, int(result["a_wounds"])),
            "b_after": _after_wounds(b, int(result["b_wounds"])),
        }

    def lines(_before: Once, roll: Roll, _after: Once) -> Iterable[Line]:
        for name, die, answer in zip(names, roll, mods, strict=True):
            yield Line(name, (die,), parts_of(answer.parts), die + answer["total"])

    def settle(out: Mapping[str, Any]) -> Settlement:
        headline = {"a": f"{a.word} (a) wins", "b": f"{b.word} (b) wins", "tie": "a tie, both are wounded"}
        fates: list[Mapping[str, Any]] = [
            {"wounds": wounds_of(man) + out[f"{side}_wounds"], "after": out[f"{side}_after"]}
            for side, man in (("a", a), ("b", b))
        ]
        units = tuple((man.word, _said(out, side)) for side, man in (("a", a), ("b", b)))
        said = [headline[out["winner"]], *(f"{word} {fate}" for word, fate in units if fate == "killed")]
        then = tuple(
            f"{name}: {LIMITS[fate['wounds']]}"
            for name, man, fate in zip(names, (a, b), fates, strict=True)
            if fate["wounds"] in LIMITS and fate["wounds"] != wounds_of(man)
        )
        told = tuple(
            Fate(name, "wins" if out["winner"] == side else _token(out, side))
            for side, name in zip("ab", names, strict=True)
        )
        return Settlement(", ".join(said), units, (), changes_of((a, b), fates), told, then)

    step: Step[Once] = Step(
        (averaging("hand-to-hand a"), averaging("hand-to-hand b")), lambda _state, _roll: Once(None), outputs, lines
    )
    opening = {"a_modifier": a_modifier, "b_modifier": b_modifier}
    return Plan(Once(), {"roll": step}, settle, opening=opening)


def _one_man(given: Given, side: str) -> Unit:
    men = living(given.units(side), side)
    if len(men) != 1:
        raise UserError(
            f"{side} is one man, not {len(men)}.",
            hint="Split the fight into single combats.",
            option=side,
            code="too-many",
        )
    return men[0]


def _modifiers(tables: Tables, man: Unit) -> Answer:
    flags = {flag: man.has(flag) for flag in FLAGS}
    return tables["melee-modifiers"](**flags, wounded=wounds_of(man) > 0, leader=man.type == "leader")


def _after_wounds(man: Unit, taken: int) -> str:
    if wounds_of(man) + taken >= FATAL:
        return "killed"
    return "suppressed" if man.has("suppressed") else "ready"


def _token(out: Mapping[str, Any], side: str) -> str:
    if out[f"{side}_after"] == "killed":
        return "killed"
    return {0: "none", 1: "wounded"}.get(out[f"{side}_wounds"], "wounded-twice")


def _said(out: Mapping[str, Any], side: str) -> str:
    taken = out[f"{side}_wounds"]
    if out[f"{side}_after"] == "killed":
        return "killed"
    return "none" if not taken else f"{taken} wound{'' if taken == 1 else 's'}"
