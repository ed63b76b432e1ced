"""The firepower of a stack that fires: who leads, who adds half, which support weapons count."""

from __future__ import annotations

from collections.abc import Sequence

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.tables.table import Tables
from bot.rules.text.names import joined
from bot.systems.lnlt.kinds import MMC, SMC, refuse_unfit, state_of

USAGE_OF_ITS_OWN = frozenset({"medic", "corpsman", "armor-leader", "chaplain", "nurse", "marksman", "sniper"})
MOTORCYCLE_LIMIT = 2
HURT = frozenset({"shaken", "damaged"})


def half_up(value: int) -> int:
    """Half of it, fractions up."""
    return -(-value // 2)


def attack_firepower(tables: Tables, attackers: Sequence[Unit]) -> tuple[tuple[str, int], ...]:
    """What each attacker adds, as (unit, FP): the one who leads in full, further ones half, weapons in full.

    The first unit that has firepower leads.

    Raises UserError for a unit that cannot fire, weapons that it may not fire, or firepower left out.
    Source: PAC 09, 12 (1.6, 5.2).
    """
    refuse_unfit(attackers)
    for unit in attackers:
        if unit.flags:
            _refuse_hurt(unit)
    powers: list[tuple[str, int]] = []
    led = False
    for unit in attackers:
        leads = not led and _has_firepower(unit)
        led = led or leads
        powers.append((unit.word, _adds(tables, unit, leads=leads)))
    if attackers and not led and all(unit.get("fp") is None for unit in attackers):
        raise no_firepower(attackers)
    return tuple(powers)


def no_firepower(units: Sequence[Unit]) -> UserError:
    """The error for those who fire with nobody who has firepower."""
    verb = "has" if len(units) == 1 else "have"
    return UserError(
        f"{joined(unit.word for unit in units)} {verb} no firepower to fire with.",
        hint="List those who fire as well.",
        option="attackers",
        code="no-firepower",
    )


def _has_firepower(unit: Unit) -> bool:
    """Whether the unit adds anything; an MMC whose firepower was left out is asked for it later."""
    fp = unit.get("fp")
    return bool(fp or unit.get("sw") or (fp is None and unit.type not in SMC))


def counts_as_ops_complete(unit: Unit) -> bool:
    """Whether Ops Complete weakens the unit's fire: not that of one who fires right after spotting.

    Source: PAC 11, 12.
    """
    return unit.has("ops") and not unit.has("spotter")


def refuse_to_fire(unit: Unit | None) -> None:
    """Raise UserError for a unit whose state keeps it from firing. Source: PAC 02."""
    if unit is None:
        return
    refuse_unfit([unit])
    _refuse_hurt(unit)


def _refuse_hurt(unit: Unit) -> None:
    if not HURT.isdisjoint(unit.flags):
        raise UserError(f"{unit.word} is {state_of(unit)} and cannot fire.", hint="Leave it out.", code="unit-unfit")


def _adds(tables: Tables, unit: Unit, *, leads: bool) -> int:
    weapons: tuple[int, ...] = tuple(unit.get("sw") or ())
    if weapons:
        usage = check_weapons(tables, unit, weapons)
        if usage == "one-half-up" and not unit.has("pair"):
            weapons = tuple(map(half_up, weapons))
        if counts_as_ops_complete(unit):
            weapons = tuple(map(half_up, weapons))
        if _forfeits(unit, len(weapons)):
            return sum(weapons)
    own = unit.number("fp", 0 if unit.type in SMC else None)
    return sum(weapons) + (own if leads else half_up(own))


def _forfeits(unit: Unit, weapons: int) -> bool:
    """Whether the unit gives up its own firepower to serve its weapons."""
    return weapons > (1 if unit.type == "squad" else 0)


def check_weapons(tables: Tables, unit: Unit, weapons: Sequence[int]) -> str:
    """How the unit fires its support weapons (output fire of table sw-usage).

    Raises UserError for more weapons than it may fire, or for a unit that may fire none. Source: PAC 09 (1.6).
    """
    if unit.has("cavalry"):
        raise UserError(
            f"{unit.word} is mounted on horses and fires no support weapon.",
            hint="Leave out sw.",
            code="support-weapon",
        )
    case = _usage_case(unit)
    if case is None:
        raise UserError(
            f"{unit.word} ({unit.type}) serves no support weapon; its own firepower is fp.",
            hint=f"Type it after the unit: {unit.word} fp={sum(weapons)} sw=",
            code="support-weapon",
        )
    usage = tables["sw-usage"](case=case)
    carry, fires = usage.get("carry", 0), str(usage["fire"])
    if fires == "none" or not carry:
        raise UserError(
            f"{unit.word} ({unit.type}) may not fire a support weapon.", hint="Leave out sw.", code="support-weapon"
        )
    if len(weapons) > carry:
        raise UserError(
            f"{unit.word} fires at most {carry} support weapon{'s' * (carry > 1)}, not {len(weapons)}.",
            code="support-weapon",
        )
    if unit.has("motorcycle") and max(weapons) > MOTORCYCLE_LIMIT:
        raise UserError(
            f"{unit.word} on motorcycles fires support weapons of at most {MOTORCYCLE_LIMIT}.", code="support-weapon"
        )
    return fires


def _usage_case(unit: Unit) -> str | None:
    type = unit.type
    if type in SMC:
        return type if type in USAGE_OF_ITS_OWN else "smc"
    if type in ("squad", "half-squad"):
        return f"mounted-{type}" if unit.has("motorcycle") else type
    return type if type in MMC and type != "weapon-team" else None
