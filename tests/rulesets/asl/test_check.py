"""The checks that notes of the card call for, and Random Selection."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from bot.rules.inputs.units import RosterUnit, index_by_name
from tests.examples import odds, play_example
from tests.playing import Channel
from tests.refusing import refuses


def unit(type_: str = "squad", state: str = "", *marks: str) -> RosterUnit:
    return RosterUnit("Unit", "us1", type_, "US", {"morale": 7}, state, frozenset(marks))


def check(kind: str, dice: list[int], tested: RosterUnit | None = None, **given: object) -> Any:
    more = {"unit": "Unit"} if tested is not None else {"morale": 7}
    roster = index_by_name([tested] if tested is not None else [])
    return play_example("asl", "check", {"kind": kind, **more, **given}, dice, roster)


@pytest.mark.parametrize(
    ("kind", "dice", "drm", "total", "result"),
    [
        ("nmc", [3, 3], 0, 6, "pass"),
        ("nmc", [3, 4], 0, 7, "pin"),
        ("nmc", [4, 4], 0, 8, "break"),
        ("1mc", [3, 3], 0, 7, "pin"),
        ("2mc", [3, 3], -1, 7, "pin"),
        ("4mc", [2, 1], 0, 7, "pin"),
        ("nmc", [6, 6], -5, 7, "break"),  # an Original 12 always breaks
        ("ptc", [3, 4], 0, 7, "pass"),
        ("ptc", [4, 4], 0, 8, "pin"),
        ("ptc", [6, 6], -5, 7, "pass"),
        ("paatc", [3, 4], 0, 7, "pass"),
        ("paatc", [4, 4], 0, 8, "fail"),
        ("tc", [4, 4], 0, 8, "fail"),
        ("immobilization-tc", [3, 4], 0, 7, "pass"),
        ("immobilization-tc", [3, 4], 1, 8, "fail"),
    ],
)
def test_what_a_check_comes_to(
    kind: str, dice: list[int], drm: int, total: int, result: str
) -> None:
    """Against morale 7: a morale check pins at 7, a task check fails above it."""
    out = check(kind, dice, drm=drm).out
    assert (out["total"], out["result"]) == (total, result)
    assert out["casualty"] is (dice == [6, 6] and kind.endswith("mc"))


@pytest.mark.parametrize(("dice", "result"), [([2, 3], "pass"), ([3, 3], "fail")])
def test_crew_survival_goes_by_the_number_of_the_vehicle(dice: list[int], result: str) -> None:
    out = play_example("asl", "check", {"kind": "crew-survival", "survival": 5}, dice).out
    assert (out["total"], out["result"]) == (sum(dice), result)


def changed(kind: str, dice: list[int], tested: RosterUnit) -> dict[str, object]:
    """What the check sets and takes off, by key."""
    given = {"survival": 5} if kind == "crew-survival" else {}
    changes = check(kind, dice, tested, **given).resolution.changes
    found = {key: value for change in changes for key, value in change.set.items()}
    marks = {mark for change in changes for mark in change.unmark}
    return {**found, "unmark": marks} if marks else found


@pytest.mark.parametrize(
    ("kind", "dice", "tested", "after"),
    [
        ("nmc", [3, 4], unit(), {"state": "pinned"}),
        ("nmc", [4, 4], unit(), {"state": "broken"}),
        ("nmc", [1, 1], unit(), {}),
        ("nmc", [3, 4], unit("squad", "broken"), {}),
        ("nmc", [6, 6], unit(), {"state": "broken", "type": "half-squad"}),
        ("nmc", [6, 6], unit("half-squad"), {"state": "eliminated"}),
        ("nmc", [6, 6], unit("crew", "broken"), {"state": "eliminated"}),
        ("nmc", [6, 6], unit("leader"), {"state": "broken"}),
        ("ptc", [6, 6], unit(), {"state": "pinned"}),
        ("nmc", [4, 4], unit("squad", "", "concealed"), {"state": "broken", "unmark": {"concealed"}}),
        ("nmc", [1, 1], unit("squad", "", "concealed"), {}),
        ("paatc", [6, 6], unit("squad", "", "concealed"), {"unmark": {"concealed"}}),
        ("paatc", [6, 6], unit(), {}),
        ("crew-survival", [6, 6], unit(), {"state": "eliminated"}),
        ("crew-survival", [1, 1], unit(), {}),
    ],
)  # fmt: skip
def test_what_is_written_to_the_roster(
    kind: str, dice: list[int], tested: RosterUnit, after: dict[str, object]
) -> None:
    assert changed(kind, dice, tested) == after


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"kind": "nmc"}, "missing morale"),
        ({"kind": "crew-survival"}, "missing survival"),
        ({"kind": "nmc", "morale": 7, "survival": 5}, "not-together survival"),
    ],
)
def test_what_is_refused(given: dict[str, object], code: str) -> None:
    with refuses(code):
        play_example("asl", "check", given, [])


def test_a_leader_takes_no_paatc_unless_the_group_says_so() -> None:
    """Tables 6a G and 6b E: not for a SMC."""
    with refuses("card-forbids unit"):
        check("paatc", [], unit("leader"))
    played = check("paatc", [3, 3], unit("leader"), anyway=True)
    assert "Rolled anyway" in played.resolution.notes[0]


def test_odds_of_a_check_by_hand() -> None:
    """1MC against 7: up to 5 passes in 10 of 36, a 6 pins in 5, the rest breaks."""
    assert odds("asl", "check", {"kind": "1mc", "morale": 7}) == {
        "pass": Fraction(10, 36),
        "pin": Fraction(5, 36),
        "break": Fraction(21, 36),
    }
    assert odds("asl", "check", {"kind": "paatc", "morale": 7})["fail"] == Fraction(15, 36)


async def test_a_check_in_a_game_is_undone_whole() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    await channel.do("Anna", 'unit edit "Airborne 1" marker=+concealed')
    before = await channel.content()
    reply = await channel.do("Anna", 'asl check nmc unit="Airborne 1" hand=6,6')
    assert reply.title == "Airborne 1 breaks, reduced to a half-squad"
    squad = (await channel.game()).units["airborne 1"]
    assert (squad.type, squad.state, squad.marks) == ("half-squad", "broken", frozenset())
    await channel.undo_last("Anna")
    assert await channel.content() == before


# -- Random Selection


def select(dice: list[int], **given: object) -> list[tuple[str, int, str]]:
    out = play_example("asl", "random-selection", given, dice).out
    return [(one["unit"], one["roll"], one["result"]) for one in out["units"]]


def test_the_highest_dr_is_selected_and_all_that_tie() -> None:
    assert select([3, 5, 5], units="squad; squad; crew") == [
        ("squad 1", 3, "not-selected"),
        ("squad 2", 5, "selected"),
        ("crew", 5, "selected"),
    ]
    assert select([6, 2], count=2) == [("No. 1", 6, "selected"), ("No. 2", 2, "not-selected")]


def test_odds_of_random_selection_by_hand() -> None:
    """Of two: 6 of 36 are ties, and of the others each has half."""
    assert odds("asl", "random-selection", {"count": 2}) == {
        "selected": Fraction(21, 36),
        "not-selected": Fraction(15, 36),
    }


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "missing units"),
        ({"units": "squad"}, "missing units"),
        ({"count": 1}, "bad-value count"),
    ],
)
def test_random_selection_needs_two(given: dict[str, object], code: str) -> None:
    with refuses(code):
        select([], **given)


async def test_a_crew_that_fails_its_immobilization_tc_joins_the_roster() -> None:
    """Table 16, note 5: the crew of an immobilized AFV that fails abandons it (D5.5)."""
    channel = await Channel.fresh()
    await channel.do("Anna", "game start asl scenario=canal")
    before = await channel.content()
    line = 'asl check immobilization-tc unit="Half-track 1" morale=7'
    reply = await channel.do("Anna", f"{line} hand=6,6")
    assert "Crew 1 comes into play" in reply.title
    assert (await channel.game()).units["crew 1"].side == "German"
    await channel.undo_last("Anna")
    assert await channel.content() == before
    assert "comes into play" not in (await channel.do("Anna", f"{line} hand=1,1")).title
