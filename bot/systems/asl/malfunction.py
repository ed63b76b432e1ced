"""Breakdown of a weapon: its B#, X# and Low Ammo number as it is used, and what the Original DR does to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import dice
from bot.rules.errors import UserError
from bot.rules.inputs.given import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence import Change, Fate, Line, Outputs, Plan, Roll, Settlement, parts_of
from bot.rules.shapes import Once, one_roll
from bot.rules.tables.table import Answer, Tables
from bot.systems.asl.roster import called, change, noted, signed, stays

SW_USES = ("sustained_fire", "captured", "inexperienced", "non_qualified", "japanese_mg", "ft_dc_non_elite")
GUN_USES = ("intensive_fire", "non_qualified", "captured")
NOT_FOR_SW = ("intensive_fire", "low_ammo")
NOT_FOR_GUNS = ("sustained_fire", "japanese_mg", "ft_dc_non_elite")
USED = ("th_drm", "rof", "no_rof", "red_th")
STATES = {
    "low-ammo": "low-ammo",
    "malfunction": "malfunctioned",
    "malfunction-low-ammo": "malfunctioned",
    "disabled": "disabled",
}
COUNTER = frozenset({"low-ammo"})
REPLACED = 12


@dataclass(frozen=True, slots=True)
class Numbers:
    """B#, X# and Low Ammo number for one shot; None where the weapon has none."""

    b: int | None
    x: int | None
    la: int | None = None

    def result(self, dr: int) -> str:
        """What an Original DR of 2-12 does: the X# first, then B# and LA#, each tested by itself."""
        if self.x is not None and dr >= self.x:
            return "disabled"
        breaks = self.b is not None and dr >= self.b
        runs_low = self.la is not None and dr >= self.la
        if breaks:
            return "malfunction-low-ammo" if runs_low else "malfunction"
        return "low-ammo" if runs_low else "functions"


def plan(tables: Tables, given: Given) -> Plan[Once]:
    """The Original TH or IFT DR of 2d6, unmodified, against B#, X# and LA#. Source: tables 12a and 12b.

    Raises UserError for a printed number or a use that the kind of weapon does not have.
    """
    is_gun, unit = given.word("weapon") == "gun", given.unit("unit")
    # A captured weapon never suffers Ammunition Shortage (table 12b, note 3).
    shortage = given.flag("ammo_shortage") and not given.flag("captured")
    refuse_misfits(given, is_gun=is_gun)
    use = tables["gun-use" if is_gun else "sw-use"](**{n: given.flag(n) for n in (GUN_USES if is_gun else SW_USES)})
    winter = given.int("extreme_winter")
    numbers = gun_numbers(tables, given, shortage) if is_gun else sw_numbers(given.word("start"), use, shortage, winter)
    depleting = depletion_of(given, numbers, shortage=shortage)
    opening = {name: "none" if value is None else value for name, value in _named(numbers)}
    opening |= {name: use[name] for name in USED}

    def outputs(dr: int) -> Outputs:
        told = {"dr": dr, "result": numbers.result(dr)}
        return told if depleting is None else told | {"depleted": dr >= depleting}

    def line(roll: Roll, told: Outputs) -> Line:
        return Line("Original DR", roll, (), told["dr"])

    def settle(out: Mapping[str, Any]) -> Settlement:
        result = str(out["result"])
        now = noted(reminders(out))
        if out.get("depleted"):
            now += ("no more of this special ammunition",)
        if shortage and out["dr"] == REPLACED:
            now += ("if this was an IFT DR, the MMC that fired is Replaced",)
        fates = (Fate(called(unit, "the weapon"), result),)
        return Settlement(spoken(result), ((called(unit, "weapon"), result),), (), worn(unit, result), fates, now)

    parts = parts_of(use.parts, "bx") + ((("Ammunition Shortage", -1),) if shortage and not is_gun else ())
    parts += (("Extreme Winter", -winter),) if winter else ()
    depletes = "" if depleting is None else f", {depleting} or more depletes the ammunition"
    told = Line(
        f"printed {printed_number(given.word('start'))}",
        (),
        parts,
        None,
        f"now {against(numbers)}{depletes}{circumstances(given, shortage)}",
    )
    return one_roll(dice(2, 6, "Original DR"), outputs, line, settle, opening=opening, lines=(told,))


def refuse_misfits(given: Given, *, is_gun: bool) -> None:
    """Raises UserError for what a support weapon, or a Gun, does not have."""
    start = given.word("start")
    kind, other = ("Gun", "support weapon") if is_gun else ("support weapon", "Gun")
    if start.startswith("x" if is_gun else "circled"):
        starts = "b10, b11, b12 or circled-9 to circled-11" if is_gun else "b10, b11, b12, x10 or x11"
        raise UserError(f"A {kind} does not start as {start}; expected {starts}.", option="start", code="not-together")
    for name in NOT_FOR_GUNS if is_gun else NOT_FOR_SW:
        if given.flag(name):
            raise UserError(
                f"{name} is for a {other}, not for a {kind}.", hint="Leave it out.", option=name, code="not-together"
            )


def sw_numbers(start: str, use: Answer, shortage: bool, winter: int) -> Numbers:
    """The numbers of a support weapon: all effects add up, also those that table 12b does not combine.

    Source: table 12a, table 12b upper part; the X# becomes the printed B# once that falls (A.11).
    """
    printed, shift = int(start[1:]), int(shortage) + winter - use["bx"]
    if start.startswith("x"):
        return Numbers(None, printed - shift)
    return Numbers(printed - shift, printed if shift else None)


def gun_numbers(tables: Tables, given: Given, shortage: bool) -> Numbers:
    """The numbers of a Gun or vehicular MA. Raises UserError for a counter that cannot lie there. Source: table 12b.

    Extreme Winter comes on top (note 1): the B# falls, and once it does the B# before is the X# (A.11).
    """
    read = tables["b-gun"](
        start=given.word("start"),
        conditions=sum(given.flag(name) for name in GUN_USES),
        low_ammo=given.flag("low_ammo"),
        ammo_shortage=shortage,
    )
    b, x, la = (None if read[name] == "none" else int(read[name]) for name in ("b", "x", "la"))
    if (winter := given.int("extreme_winter")) and b is not None:
        x, b = (b if x is None else x), b - winter
    return Numbers(b, x, la)


def depletion_of(given: Given, numbers: Numbers, *, shortage: bool) -> int | None:
    """The lowest DR that depletes the special ammunition fired, or None where none is.

    A DR must reach depletion number and LA#; Ammunition Shortage lowers the former by one. Source: table 12b, notes
    1 and 2. Raises UserError for a weapon without a LA#.
    """
    number = given.maybe("depletion")
    if number is None:
        return None
    if numbers.la is None:
        raise UserError(
            "A depletion number counts together with the LA#, and this weapon has none.",
            hint="Give a Gun with a circled number, or leave depletion out.",
            option="depletion",
            code="not-together",
        )
    return max(number - shortage, numbers.la)


def _named(numbers: Numbers) -> tuple[tuple[str, int | None], ...]:
    return ("b", numbers.b), ("x", numbers.x), ("la", numbers.la)


def against(numbers: Numbers) -> str:
    """The numbers as a player reads them: `B10 X12 LA10`."""
    return " ".join(f"{name.upper()}{value}" for name, value in _named(numbers) if value is not None)


def printed_number(start: str) -> str:
    """A printed number as a player calls it: `B11`, `circled 10`."""
    return start.replace("-", " ") if start.startswith("circled") else start.upper()


def circumstances(given: Given, shortage: bool) -> str:
    """What else the numbers depend on; a counter may come from the roster, so it is always said."""
    words = ["Low Ammo counter on it"] if given.flag("low_ammo") else []
    words += ["Ammunition Shortage"] if shortage else []
    words += ["no Ammunition Shortage: captured"] if given.flag("ammo_shortage") and not shortage else []
    return f" ({', '.join(words)})" if words else ""


def spoken(result: str) -> str:
    """A result in a few words."""
    return {"malfunction-low-ammo": "malfunction and Low Ammo", "low-ammo": "Low Ammo"}.get(result, result)


def reminders(out: Mapping[str, Any]) -> tuple[str, ...]:
    """What the use of the weapon does beside its numbers."""
    drm, rof = out["th_drm"], "no ROF" if out["no_rof"] else f"ROF {signed(out['rof'])}" if out["rof"] else ""
    said = [f"TH DRM {signed(drm)}" if drm else "", rof, "red TH numbers" if out["red_th"] else ""]
    kept = ", ".join(word for word in said if word)
    return (f"{kept[0].upper()}{kept[1:]}.",) if kept else ()


def worn(unit: Unit | None, result: str) -> tuple[Change, ...]:
    """What the result makes of the roster weapon; a Low Ammo counter stays marked when it malfunctions too."""
    if result not in STATES:
        return ()
    counter = COUNTER if result.endswith("low-ammo") else frozenset[str]()
    return change(unit, {} if stays(unit, STATES[result]) else {"state": STATES[result]}, counter)
