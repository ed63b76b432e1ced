"""An off-board artillery fire mission: the drift of the spotting round, then the attack on each hex."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.rules.dice import d6
from bot.rules.errors import UserError
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Unit
from bot.rules.sequence.sequence import Fate, Line, Plan, Roll, Row, Ruling, Settlement, ruled
from bot.rules.tables.table import Table, Tables
from bot.systems.lnlt.aftermath import attacked, drifting, headline, rows, suffered
from bot.systems.lnlt.area import AreaAttack, Hex, area_words, hexes_away, leg_modifiers
from bot.systems.lnlt.checks import NONE
from bot.systems.lnlt.impact import fire_started
from bot.systems.lnlt.items import Attack
from bot.systems.lnlt.kinds import target_terrain

DRIFT = (d6("white, distance"), d6("colored, direction"))


@dataclass(frozen=True, slots=True)
class Group:
    """The units of one hex, in the order listed."""

    name: str
    units: tuple[Unit, ...]

    def number(self, key: str) -> int | None:
        """`dist` or `tm` of the hex, as one of its units gives it. Raises UserError when two of them differ."""
        found: int | None = None
        for unit in self.units:
            value = unit.numbers.get(key)
            if value is not None and found is not None and value != found:
                hint = "Type it at the first unit of the hex."
                raise UserError(f"Hex {self.name} has more than one {key}.", hint=hint, code="given-twice")
            found = found if value is None else int(value)
        return found


def plan(tables: Tables, given: Given) -> Plan[Attack]:
    """A fire mission on `targets`. Source: PAC 05, 08 (18.2).

    Raises UserError for a hex that the mission does not attack, or a loose mission beyond firepower 6.
    """
    given.refuse_values()
    stage, mission, fp = given.word("stage"), given.word("mission"), given.int("fp")
    mission_fp = tables["mission-fp"]
    mission_fp(mission=mission, fp=fp, distance=0)  # refuses what is not on the card
    groups = _by_hex(given.units("targets")) if stage != "drift" else ()
    units = tuple([unit for group in groups for unit in group.units])
    hexes = _hexes(mission_fp, groups, mission, fp)
    mod, parts = leg_modifiers(tables, given)
    area = AreaAttack(tables, units, hexes, leg_mod=mod, parts=parts, no_hero=given.flag("no_hero"))
    degrading, lm = given.int("degrading"), given.int("lm")

    def drift(_: Attack, roll: Roll) -> Ruling[Attack]:
        away = tables["spotting-round"](white=roll[0], colored=roll[1], degrading=degrading, lm=lm)
        told = {"hexes": away["hexes"], "direction": away["direction"]}

        def story() -> Iterable[Line]:
            parts = tuple((name, value) for name, value in (("degrading", degrading), ("leader", -lm)) if value)
            yield Line("distance", roll[:1], parts, roll[0] + degrading - lm, "halved, fractions up")
            yield Line("direction", roll[1:])

        return Ruling(area.start(), told, story)

    def settle(out: Mapping[str, Any]) -> Settlement:
        return _settle(out, units, stage, mission)

    opening: dict[str, Any] = {"attacks": []}
    for at, hex in enumerate(hexes):
        opening |= {f"attacks[{at}].hex": hex.name, f"attacks[{at}].fp": hex.fp}
    if stage == "attack":
        opening |= {"hexes": NONE, "direction": NONE}
    if not units:
        opening["outcome"] = NONE

    def shown() -> Sequence[Row]:
        names = [f"{unit.word} in {hex.name}" for hex in hexes for unit in units[hex.start : hex.stop]]
        return rows(area.checks.items, names) or drifting(stage)

    steps = {"drift": ruled(DRIFT, drift), **area.steps()}
    start = area.start() if stage == "attack" else Attack("drift")
    return Plan(start, steps, settle, opening, rows=shown, apart=area.checks.apart)


def _by_hex(units: Sequence[Unit]) -> tuple[Group, ...]:
    """The units by hex, in the order in which hexes first appear; one without hex= is where the one before is."""
    hexes: dict[str, list[Unit]] = {}
    name: str | None = None
    for unit in units:
        name = unit.numbers.get("hex") or name
        if name is None:
            raise UserError(
                f"{unit.word} needs hex.", hint=f"Type it after the unit: {unit.word} hex=A dist=0.", code="unit-needs"
            )
        hexes.setdefault(name, []).append(unit)
    return tuple([Group(name, tuple(group)) for name, group in hexes.items()])


def _hexes(mission_fp: Table, groups: Sequence[Group], mission: str, fp: int) -> list[Hex]:
    hexes: list[Hex] = []
    start = 0
    for at, group in enumerate(groups):
        distance = group.number("dist")
        if distance is None:
            raise UserError(
                f"Hex {group.name} needs dist.", hint="Type it at the first unit of the hex: dist=1.", code="unit-needs"
            )
        answer = mission_fp(mission=mission, fp=fp, distance=distance)
        if not answer["attacked"]:
            what = f"A {mission} mission does not attack hex {group.name} at distance {distance}."
            raise UserError(what, hint="Leave it out.", code="out-of-reach")
        stop = start + len(group.units)
        tm = target_terrain(group.number("tm") or 0)
        flammable = any("flammable" in unit.flags for unit in group.units)
        hexes.append(Hex(f"attacks[{at}].", start, stop, int(answer["fp"]), tm, group.name, flammable))
        start = stop
    return hexes


def _settle(out: Mapping[str, Any], units: Sequence[Unit], stage: str, mission: str) -> Settlement:
    answers = [answer for attack in out["attacks"] for answer in attack["targets"]]
    more = [line for attack in out["attacks"] for line in fire_started(attack, f"hex {attack['hex']}")]
    notes = []
    if stage != "attack":
        more.append("Place the marker; a spotter who still sees it may first shift it one hex within line of sight.")
    if mission == "walking-barrage":
        notes.append("In each of the next two turns the markers move one hex and attack again (stage attack).")
    hurt = suffered(units, answers)
    hit = area_words(hurt, answers)
    words = headline(hit, hit=bool(hit))
    if stage == "attack":
        return attacked(words, units, hurt, more=more, notes=notes)
    where = f"{hexes_away(out['hexes'])} {out['direction']}"
    words = f"drifts {where}; {words}" if answers else f"drifts {where}"
    if answers:
        return attacked(words, units, hurt, more=more, notes=notes, by=f"the round drifts {where}")
    settled = attacked(words, units, hurt, more=more, notes=notes)
    return settled._replace(fates=(Fate("the spotting round", "drifts", where),))
