"""Tables 6a and 6b by units: type, state, markers and the Gun that a crew holds choose the row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit, index_by_name
from bot.rulesets.catalog import find_shared_system
from tests.examples import play_example
from tests.playing import Channel

GUN = RosterUnit("Pak", "g9", "gun", "German")
FLAGS = {"first-fire": "first_fire", "final-fire": "final_fire", "concealed": "concealed"}


def infantry(type_: str, marks: str = "", state: str = "") -> RosterUnit:
    numbers = {"holds": "Pak"} if type_ == "crew" else {}
    return RosterUnit("Unit", "g1", type_, "German", numbers, state, frozenset(marks.split()))


def tank(top: str, marks: str = "") -> RosterUnit:
    return RosterUnit("Pz", "b1", "afv", "British", {"top": top}, "", frozenset(marks.split()))


def options(id: str, unit: RosterUnit, afv: RosterUnit, **given: object) -> Mapping[str, Any]:
    """What the sequence tells for these units; a crew is named with its Gun, as a game does."""
    gun = {"gun": "Pak"} if unit.numbers.get("holds") else {}
    roster = index_by_name([unit, afv, GUN])
    return play_example("asl", id, {"unit": "Unit", "afv": "Pz", **gun, **given}, [], roster).out


ROWS = [
    ("squad", "", "unmarked"),
    ("squad", "first-fire", "squad-first-fire"),
    ("half-squad", "first-fire", "hs-crew-first-fire"),
    ("squad", "final-fire", "final-fire"),
    ("squad", "first-fire final-fire", "final-fire"),
    ("squad", "intensive-fire", "final-fire"),
    ("leader", "", "unmarked"),
    ("crew", "", "gun-crew-unmarked"),
    ("crew", "first-fire", "gun-crew-first-fire"),
    ("crew", "intensive-fire", "gun-crew-final-fire"),
]
AFVS = [
    ("ct", "", "ct-bu"),
    ("ct", "ce", "ct-ce"),
    ("ot", "", "ot-bu"),
    ("ot", "ce motion", "ot-ce"),
]


@pytest.mark.parametrize(("type_", "marks", "row"), ROWS)
@pytest.mark.parametrize(("top", "shows", "column"), AFVS)
@pytest.mark.parametrize("level", ["ground", "upper"])
def test_table_6a_by_units(
    type_: str, marks: str, row: str, top: str, shows: str, column: str, level: str
) -> None:
    place = row if row.startswith("gun-crew") else f"{row}-{level}"
    card = (
        find_shared_system("asl").find_table("vs-afv").read({"defender": place, "afv": column}).out
    )
    out = options("vs-afv", infantry(type_, marks), tank(top, shows), level=level)
    assert (out["case"], list(out["effects"])) == (card["case"], list(card["effects"]))


@pytest.mark.parametrize(("type_", "marks", "row"), [*ROWS, ("squad", "concealed", "concealed")])
@pytest.mark.parametrize(("top", "shows", "column"), AFVS)
@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("state", ["", "pinned"])
def test_table_6b_by_units(
    type_: str,
    marks: str,
    row: str,
    top: str,
    shows: str,
    column: str,
    moment: str,
    state: str,
) -> None:
    given = {"defender": row, "afv": column, "moment": moment, "pinned": state == "pinned"}
    card = find_shared_system("asl").find_table("vs-ovr").read(given).out
    out = options("vs-ovr", infantry(type_, marks, state), tank(top, shows), moment=moment)
    assert (out["case"], list(out["effects"])) == (card["case"], list(card["effects"]))


@pytest.mark.parametrize(
    ("unit", "given", "case"),
    [
        (infantry("squad", "first-fire"), {"first_fire": False}, 1),
        (infantry("squad"), {"first_fire": True}, 2),
        (infantry("squad"), {"size": "hs-crew", "first_fire": True}, 3),
        (infantry("squad", "concealed"), {}, 9),
        (infantry("squad", "concealed"), {"concealed": False}, 1),
    ],
)
def test_what_is_typed_beats_the_unit(
    unit: RosterUnit, given: Mapping[str, object], case: int
) -> None:
    assert options("vs-afv", unit, tank("ct"), **given)["case"] == case


async def test_the_options_are_said_as_printed() -> None:
    """6a lists them, 6b has "or" and "and/or" between them; the PAATC has a button."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", "unit add Pz afv German stats=top=ct")
    await channel.do("Anna", 'unit edit "Airborne 1" marker=+concealed')
    said = await channel.do("Anna", 'asl vs-afv unit="Airborne 1" afv=Pz')
    assert said.title == "Airborne 1 has options B, C, D, G against Pz"
    before = await channel.do("Anna", 'asl vs-ovr unit="Airborne 1" afv="Half-track 1"')
    assert before.title == "Airborne 1 has options E and/or A or B before the OVR of Half-track 1"
    crew = await channel.do("Anna", 'asl vs-ovr unit="Gun Crew" afv=Pz moment=after')
    assert crew.title == "Gun Crew has option I after the OVR of Pz"
    assert "PAATC" in [button.label for button in before.buttons]
    await channel.do("Anna", 'unit edit "Airborne 2" marker=+final-fire')
    none = await channel.do("Anna", 'asl vs-ovr unit="Airborne 2" afv=Pz')
    assert none.title == "Airborne 2 has no option before the OVR of Pz"


@pytest.mark.parametrize("id", ["vs-afv", "vs-ovr"])
async def test_a_broken_unit_has_no_options_unless_the_group_says_so(id: str) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal", 'unit edit "Airborne 1" state=broken')
    await channel.fails("Anna", f'asl {id} unit="Airborne 1"', "Airborne 1 is broken")
    reply = await channel.do("Anna", f'asl {id} unit="Airborne 1" anyway=yes')
    assert "Answered anyway" in reply.format_text()


async def test_a_leader_takes_no_paatc() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    reply = await channel.do("Anna", 'asl vs-afv unit="Lt Hale"')
    assert "Lt Hale is an SMC and takes no PAATC" in reply.format_text()
    assert "PAATC" not in [button.label for button in reply.buttons]
