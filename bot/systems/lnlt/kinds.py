"""What kind of unit an item of a list is: its class, its state, its column and row on the cards."""

from __future__ import annotations

from collections.abc import Iterable

from bot.rules.errors import UserError
from bot.rules.inputs.units import Unit
from bot.rules.text.phrase import phrase

MMC = frozenset({"squad", "half-squad", "weapon-team", "crew"})
SMC = frozenset(
    {
        "leader", "hero", "scout", "sniper", "marksman", "medic", "corpsman", "nurse", "chaplain", "advisor",
        "armor-leader", "smc",
    }
)  # fmt: skip
MEN = MMC | SMC
GROUND_VEHICLES = frozenset({"armored-vehicle", "unarmored-vehicle"})
VEHICLES = GROUND_VEHICLES | {"helicopter"}
AIRBORNE = frozenset({"helicopter", "aircraft"})
GONE = frozenset({"abandoned", "destroyed", "eliminated"})
SHAKEN_STATES = frozenset({"shaken", "shaken-wounded", "half-squad-shaken"})
RIDING = frozenset({"inside", "outside"})


def is_passenger(unit: Unit) -> bool:
    """Whether the unit rides on the vehicle listed before it."""
    return not RIDING.isdisjoint(unit.flags)


def is_man(unit: Unit) -> bool:
    """Whether it is an MMC or a single man, on foot or not."""
    return unit.type in MEN


def is_leg(unit: Unit) -> bool:
    """Whether it is an MMC or a single man that is not a passenger."""
    return unit.type in MEN and RIDING.isdisjoint(unit.flags)


def is_open_topped(unit: Unit) -> bool:
    """Whether the vehicle is open-topped."""
    return unit.has("open-topped") or unit.has("open_topped")


def is_shaken(unit: Unit) -> bool:
    """Whether it is on its shaken side."""
    return "shaken" in unit.flags


def state_of(unit: Unit) -> str:
    """The state that its flags mean: good-order, shaken, wounded, shaken-wounded or damaged."""
    flags = unit.flags
    if "shaken" in flags:
        return "shaken-wounded" if "wounded" in flags else "shaken"
    if "wounded" in flags:
        return "wounded"
    return "damaged" if "damaged" in flags else "good-order"


def check_column(unit: Unit) -> str:
    """Its column of the damage check table. Source: PAC 02."""
    if unit.type in MMC:
        return "shaken-mmc" if is_shaken(unit) else "good-order-mmc"
    if unit.type in SMC:
        return "hero-or-shaken-smc" if unit.type == "hero" or is_shaken(unit) else "good-order-smc"
    return unit.type


def change_row(unit: Unit) -> str:
    """Its kind in table state-change: every single man but a hero is smc."""
    return "smc" if unit.type in SMC and unit.type != "hero" else unit.type


def refuse_unfit(units: Iterable[Unit]) -> None:
    """Raise UserError for a roster unit that is out of play, or that is in the list twice."""
    seen: set[str] = set()
    for unit in units:
        name = unit.name
        if not name and not unit.state:  # typed, not of the roster, as most are
            continue
        if unit.state in GONE:
            raise UserError(
                f"{unit.word} is {unit.state}.",
                hint=phrase("Leave it out, or fix its state with `/unit edit`."),
                code="unit-gone",
            )
        if name and name in seen:
            raise UserError(f"{unit.word} is in the list twice.", hint="List each unit once.", code="unit-twice")
        seen.add(name)


def refuse_passengers(units: Iterable[Unit], why: str) -> None:
    """Raise UserError for a list that holds passengers where none may be."""
    for unit in units:
        if is_passenger(unit):
            raise UserError(
                f"{unit.word} is a passenger, and {why}.", hint="Leave out inside and outside.", code="passenger"
            )
