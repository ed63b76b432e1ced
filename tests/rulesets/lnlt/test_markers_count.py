"""Markers with a number on the card count by themselves, in odds and in play; each can be left out
for one roll.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.examples import odds, play_example
from tests.rulesets.lnlt.rosters import roster, unit


class Case(NamedTuple):
    """One marker that counts: on whom, in which sequence, what it is when typed, and the chance of
    a hit in 36ths by the card, without and with it.
    """

    marker: str
    bearer: str
    sequence: str
    given: Mapping[str, object]
    by: str
    typed: Mapping[str, object]
    base: int
    counted: int

    @property
    def left_out(self) -> dict[str, object]:
        """The inputs with the flag of the marker taken off its bearer: `Foot -moved`."""
        flag = find_shared_system("lnlt").game["units"]["marker_flags"][self.marker]
        return {
            name: str(value).replace(self.bearer, f"{self.bearer} -{flag}", 1)
            for name, value in self.given.items()
        }


FIRE = {"attackers": "Firer", "targets": "Foot", "shooter": "normal"}
AT_TRUCK = {**FIRE, "targets": "Truck"}
AT_MEN = {"unit": "Firer", "targets": "Foot", "to_hit": 7, "he": 3}
AT_VEHICLE = {"unit": "Firer", "target": "Truck", "to_hit": 7, "penetration": 3, "armor": 3}
BARRAGE = {"weapon": "artillery", "fp": 2, "targets": "Foot", "unit": "Firer"}
STRIKE = {"attack": "bombs", "value": 2, "targets": "Foot"}
CRASH = {"stage": "attack", "tm": 4, "targets": "Foot"}  # firepower 6 against terrain 4
MISSION = {"stage": "attack", "fp": 2, "targets": "Foot hex=A dist=0"}
HIT, FIRST, IN_HEX = "hit", "targets[0].hit", "attacks[0].targets[0].hit"

# By hand. 1d6 + 2 beats 1d6 in 26 of 36, + 3 in 30, + 1 in 21, + 0 in 15.
# 2d6 comes to at most 7 in 21 of 36, to at most 6 in 15, to at most 5 in 10.
CASES = [
    Case("moved", "Foot", "fire", FIRE, HIT, {"target_moved": True}, 26, 30),
    Case("assault-move", "Foot", "fire", FIRE, HIT, {"target_moved": True}, 26, 30),
    Case("moved", "Truck", "fire", AT_TRUCK, HIT, {"vehicle_moved": True}, 26, 21),
    Case("hit-and-run", "Truck", "fire", AT_TRUCK, HIT, {"vehicle_moved": True}, 26, 21),
    Case("assault-move", "Firer", "fire", FIRE, HIT, {"assault": True}, 26, 15),
    Case("hit-and-run", "Firer", "fire", FIRE, HIT, {"mods": "hit_and_run"}, 26, 15),
    Case("ops-complete", "Firer", "fire", FIRE, HIT, {"attackers": "Firer ops"}, 26, 21),
    Case("moved", "Foot", "ordnance-infantry", AT_MEN, HIT, {"target_moved": "yes"}, 21, 15),
    Case("assault-move", "Foot", "ordnance-infantry", AT_MEN, HIT, {"target_moved": "yes"}, 21, 15),
    Case("hit-and-run", "Foot", "ordnance-infantry", AT_MEN, HIT, {"target_moved": "yes"}, 21, 15),
    Case("assault-move", "Firer", "ordnance-infantry", AT_MEN, HIT, {"mods": "assault"}, 21, 15),
    Case(
        "ops-complete",
        "Firer",
        "ordnance-infantry",
        AT_MEN,
        HIT,
        {"ops_complete": "standard"},
        21,
        10,
    ),
    Case("moved", "Truck", "ordnance-vehicle", AT_VEHICLE, HIT, {"target_moved": "yes"}, 21, 15),
    Case("assault-move", "Firer", "ordnance-vehicle", AT_VEHICLE, HIT, {"mods": "assault"}, 21, 15),
    Case("moved", "Foot", "barrage", BARRAGE, HIT, {"mods": "target_moved"}, 26, 30),
    Case("hit-and-run", "Firer", "barrage", BARRAGE, HIT, {"mods": "hit_and_run"}, 26, 15),
    Case("ops-complete", "Firer", "barrage", BARRAGE, HIT, {"mods": "ops_complete"}, 26, 21),
    Case("moved", "Foot", "air-support", STRIKE, HIT, {"mods": "target_moved"}, 26, 30),
    Case("moved", "Foot", "crash", CRASH, FIRST, {"mods": "target_moved"}, 26, 30),
    Case("moved", "Foot", "fire-mission", MISSION, IN_HEX, {"mods": "target_moved"}, 26, 30),
]
WITHOUT_A_NUMBER = {"spotter", "low-crawl", "fired", "spotted", "immobilized"}
"""Markers to which the card gives no number of their own; at night Fired has one, which is asked."""


def people(marker: str = "", bearer: str = "") -> dict[str, Any]:
    """A squad that fires, one on foot and a truck; one of them bears the marker."""
    units = [
        unit("Firer", "squad", fp=2, morale=5),
        unit("Foot", "squad", fp=1, morale=5),
        unit("Truck", "unarmored-vehicle", morale=5),
    ]
    marks = frozenset({marker} if marker else ())
    return roster(*[replace(one, marks=marks) if one.name == bearer else one for one in units])


def chance(case: Case, given: Mapping[str, object], units: dict[str, Any]) -> Fraction:
    """The chance of a hit."""
    return odds("lnlt", case.sequence, given, case.by, roster=units)["true"]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case.sequence} {case.marker} {case.bearer}"
)
def test_a_marker_counts_as_if_it_were_typed(case: Case) -> None:
    marked, bare = people(case.marker, case.bearer), people()
    assert chance(case, case.given, bare) == Fraction(case.base, 36)
    assert chance(case, case.given, marked) == Fraction(case.counted, 36)
    assert chance(case, {**case.given, **case.typed}, bare) == Fraction(case.counted, 36)
    assert chance(case, {**case.given, **case.typed}, marked) == Fraction(case.counted, 36)
    assert chance(case, case.left_out, marked) == Fraction(case.base, 36)


def test_every_marker_of_the_game_is_looked_at() -> None:
    markers = set(find_shared_system("lnlt").game["units"]["markers"])
    assert {case.marker for case in CASES} == markers - WITHOUT_A_NUMBER


@pytest.mark.parametrize(
    ("case", "no"),
    [
        (CASES[0], {"target_moved": False}),
        (CASES[2], {"vehicle_moved": False}),
        (CASES[4], {"assault": False}),
        (CASES[7], {"target_moved": "no"}),
        (CASES[11], {"ops_complete": "none"}),
    ],
)
def test_what_is_typed_goes_before_the_marker(case: Case, no: dict[str, object]) -> None:
    marked = people(case.marker, case.bearer)
    assert chance(case, {**case.given, **no}, marked) == Fraction(case.base, 36)


def test_a_counted_marker_is_named_in_the_line() -> None:
    marked = people("moved", "Foot")
    attack, _ = play_example("lnlt", "fire", FIRE, [1, 4], marked).lines
    assert attack.text() == "Attack: [1] + 2 firepower + 1 moved = 4"
    to_hit = play_example("lnlt", "ordnance-infantry", AT_MEN, [6, 6], marked).lines[0]
    assert ("moved", 1) in to_hit.parts


def test_a_hit_and_run_squad_on_foot_is_hit_as_before() -> None:
    """The card names Moved and Assault Move for those on foot, Hit & Run only for the mounted."""
    assert odds("lnlt", "fire", FIRE, HIT, roster=people("hit-and-run", "Foot"))[
        "true"
    ] == Fraction(26, 36)
    mounted = {**FIRE, "targets": "Foot motorcycle"}
    assert odds("lnlt", "fire", mounted, HIT, roster=people("hit-and-run", "Foot"))[
        "true"
    ] == Fraction(21, 36)


def test_a_scout_assaults_at_no_cost() -> None:
    scout = roster(
        unit("Firer", "scout", marks=("assault-move",), fp=2, morale=5),
        unit("Foot", "squad", morale=5),
    )
    assert odds("lnlt", "fire", FIRE, HIT, roster=scout)["true"] == Fraction(26, 36)


def test_only_the_hex_of_a_moved_unit_is_hit_more_easily() -> None:
    """Two hexes of one fire mission: 1 more against that of Foot alone."""
    units = people("moved", "Foot")
    given = {**MISSION, "targets": "Foot hex=A dist=0; Firer hex=B dist=1"}
    chances = [
        odds("lnlt", "fire-mission", given, f"attacks[{at}].targets[0].hit", roster=units)["true"]
        for at in (0, 1)
    ]
    assert chances == [Fraction(30, 36), Fraction(26, 36)]
