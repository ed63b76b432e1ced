"""Fire at vehicles."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tests.examples import lookup, odds, play_example
from tests.refusing import refuses
from tests.rulesets.baps.rosters import changes, roster, unit

GUN = {"weapon": "medium", "range": 250, "armor": "medium"}


def shoot(dice: list[int], **given: Any) -> dict[str, Any]:
    return play_example("baps", "vehicle-fire", {**GUN, **given}, dice).out


def test_a_miss() -> None:
    """3 is needed in the first band; 6 less 4 for haste is 2."""
    assert shoot([6], hasty=True) == {
        "roll": 6,
        "hit_total": 2,
        "need": 3,
        "hit": False,
        "class_used": "none",
        "armor_used": "none",
        "pen_need": "none",
        "pen_roll": "none",
        "penetrated": False,
        "outcome": "miss",
        "damage": [],
        "main_gun": False,
        "ammunition": False,
        "engine": False,
        "bail_out": False,
        "reoccupy": "none",
        "operable": True,
        "crew": [],
    }


def test_a_hit_that_does_not_penetrate() -> None:
    """Medium against medium needs 11. 5 makes the crew bail out, and they may come back."""
    out = shoot([10, 10, 5], crew=4)
    assert (out["class_used"], out["armor_used"], out["pen_need"], out["pen_roll"]) == (
        "medium",
        "medium",
        11,
        10,
    )
    assert (out["penetrated"], out["outcome"], out["bail_out"]) == (False, "bail-out", True)
    assert (out["reoccupy"], out["operable"], out["damage"], out["crew"]) == ("yes", True, [], [])
    assert shoot([10, 10, 7])["outcome"] == "track-hit"
    assert shoot([10, 10, 7], vehicle_type="wheeled")["outcome"] == "tire-hit"
    assert shoot([10, 10, 11])["outcome"] == "bounce"


def test_a_round_that_penetrates_and_breaks_nothing() -> None:
    """No area: row 4 for each man, column 1. 7 is S, 18 K; the vehicle operates."""
    out = shoot([10, 11, 3, 3, 3, 2, 7, 18], crew="crewman; leader")
    assert (out["outcome"], out["damage"], out["operable"], out["bail_out"]) == (
        "penetrated",
        [3, 3, 3, 2],
        True,
        False,
    )
    assert (out["main_gun"], out["ammunition"], out["engine"], out["reoccupy"]) == (
        False,
        False,
        False,
        "none",
    )
    assert out["crew"] == [
        {
            "unit": "crewman",
            "rolls": [7],
            "result": "suppressed",
            "wounds": 0,
            "after": "suppressed",
        },
        {"unit": "leader", "rolls": [18], "result": "killed", "wounds": 3, "after": "killed"},
    ]


def test_every_area_is_rolled_for_all_living_men_before_the_next() -> None:
    """Main gun row 4, ammunition row 9, engine row 7. The first man dies in the first row and is
    passed over.
    """
    out = shoot(
        [10, 20, 4, 4, 4, 1, 18, 10, 9, 1, 1, 2, 2], crew="soldier; soldier; soldier wounds=1"
    )
    assert (out["main_gun"], out["ammunition"], out["engine"]) == (True, True, True)
    assert (out["operable"], out["bail_out"], out["reoccupy"]) == (False, True, "no")
    assert [
        tuple(man[key] for key in ("unit", "result", "wounds", "after", "rolls"))
        for man in out["crew"]
    ] == [
        ("soldier", "killed", 3, "killed", [18]),
        ("soldier", "wound-1", 1, "suppressed", [10, 1, 2]),
        ("soldier", "suppressed", 1, "suppressed", [9, 1, 2]),
    ]


def test_three_rows_by_hand() -> None:
    """Two men. Row 4: 9 is S, 10 wound-1. Row 9: 1 is S, 9 wound-2 and his third: killed. Row 7:
    2 is nothing.
    """
    out = shoot([10, 20, 4, 4, 4, 4, 9, 10, 1, 9, 2], crew=2)
    assert out["crew"] == [
        {
            "unit": "soldier",
            "rolls": [9, 1, 2],
            "result": "suppressed",
            "wounds": 0,
            "after": "suppressed",
        },
        {"unit": "soldier", "rolls": [10, 9], "result": "killed", "wounds": 3, "after": "killed"},
    ]


def test_when_the_last_man_dies_no_further_row_is_rolled() -> None:
    out = shoot([10, 20, 4, 4, 1, 1, 20], crew=1)
    assert out["crew"][0]["rolls"] == [20]


def test_the_crew_die_alone() -> None:
    """3 bails out of an operable vehicle; row 4 once because none of the three areas took
    effect.
    """
    out = shoot([10, 20, 1, 1, 1, 3, 2])
    assert (out["bail_out"], out["reoccupy"], out["operable"]) == (True, "yes", True)
    assert out["crew"][0]["rolls"] == [2]


def test_side_and_rear_and_extra_armor() -> None:
    """From the side +1 to hit and one column down; extra armor takes it back."""
    out = shoot([2, 8, 11], aspect="side")
    assert (out["hit_total"], out["armor_used"], out["pen_need"], out["outcome"]) == (
        3,
        "light",
        9,
        "bounce",
    )
    assert shoot([10, 1, 11], aspect="rear")["pen_need"] == 7
    assert shoot([10, 1, 11], aspect="rear")["hit_total"] == 10
    assert shoot([10, 1, 11], extra_armor=True)["armor_used"] == "heavy"
    assert shoot([10, 1, 11], aspect="side", extra_armor=True)["pen_need"] == 11


def test_the_last_bands_go_one_class_down() -> None:
    out = shoot([17, 12, 15], range=1000)
    assert (out["need"], out["class_used"], out["pen_need"], out["outcome"]) == (
        17,
        "light",
        13,
        "bounce",
    )
    out = shoot([20, 1, 15], weapon="very-light", range=600)
    assert (out["need"], out["class_used"], out["pen_need"]) == (20, "below-very-light", 17)


def test_a_twenty_hits_and_a_one_misses() -> None:
    bad = {
        "firer_moving": True,
        "cover": "hull-defilade",
        "smoke": True,
        "suppressed": True,
        "target_move": "fast",
    }
    out = shoot([20, 1, 20], **bad)
    assert (out["hit_total"], out["hit"]) == (-1, True)
    assert not shoot([1], aspect="side")["hit"]
    assert shoot([9], cover="medium", target_move="slow", lost_row=True)["hit_total"] == 0


def test_machine_guns_roll_two_dice_and_none_for_the_crew_of_a_tank() -> None:
    """Heavy machine gun against very light armor from the rear: 11. Only the ammunition shows
    two sixes.
    """
    given = {"weapon": "heavy-machine-gun", "range": 15, "armor": "very-light", "aspect": "rear"}
    out = shoot([10, 11, 6, 5, 6, 6, 1, 6, 2], **given)
    assert (out["class_used"], out["armor_used"], out["pen_need"]) == (
        "heavy-machine-gun",
        "below-2",
        11,
    )
    assert out["damage"] == [6, 5, 6, 6, 1, 6]
    assert (out["main_gun"], out["ammunition"], out["engine"], out["reoccupy"]) == (
        False,
        True,
        False,
        "no",
    )
    out = shoot([10, 11, 1, 1, 1, 1, 1, 1, 6, 6, 2], **given, vehicle_type="wheeled")
    assert (len(out["damage"]), out["bail_out"], out["reoccupy"]) == (8, True, "yes")
    out = shoot([10, 11, 1, 1, 1, 1, 1, 1, 5, 6, 2], **given, vehicle_type="tracked")
    assert out["bail_out"] is False


def test_machine_guns_beyond_150_inches_and_their_bounces() -> None:
    given = {"weapon": "medium-machine-gun", "range": 151, "armor": "very-light"}
    out = shoot([17, 18, 6], **given)
    assert (out["class_used"], out["pen_need"], out["outcome"], out["bail_out"]) == (
        "below-mmg",
        19,
        "none",
        False,
    )
    assert shoot([17, 18, 7], **given, vehicle_type="wheeled")["outcome"] == "tire-hit"
    assert shoot([17, 18, 7], **given)["outcome"] == "none"


def test_fail_rolls_no_die_to_penetrate() -> None:
    out = shoot([10, 11], weapon="medium-machine-gun", range=10, armor="heavy")
    assert (out["pen_need"], out["pen_roll"], out["penetrated"], out["outcome"]) == (
        "fail",
        "none",
        False,
        "bounce",
    )


def test_shoulder_fired_weapons_have_their_own_chart_and_d6() -> None:
    """AT rifle at 200 inches: 17 to hit, very light, and six-sided dice; 5 bails the crew out."""
    out = shoot([17, 11, 5, 5, 5, 5, 2], weapon="at-rifle", range=200, armor="very-light")
    assert (out["need"], out["class_used"], out["pen_need"]) == (17, "very-light", 11)
    assert (out["damage"], out["bail_out"], out["operable"]) == ([5, 5, 5, 5], True, True)
    out = shoot([3, 11, 4, 1, 1, 1, 2], weapon="medium-at-weapon", range=90)
    assert (out["main_gun"], out["damage"]) == (True, [4, 1, 1, 1])


def test_the_roster_vehicle_brings_its_numbers_and_takes_the_result() -> None:
    tanks = roster(
        unit(
            "Tiger 1",
            "vehicle",
            state="operable",
            armor="very-light",
            vehicle_type="wheeled",
            crew=2,
        ),
        unit("Abe", "crewman"),
    )
    given = {"weapon": "medium", "range": 250, "target": "Tiger 1"}
    played = play_example("baps", "vehicle-fire", given, [10, 7, 4, 1, 1, 1, 2, 2], tanks)
    assert [man["unit"] for man in played.out["crew"]] == ["crewman", "crewman"]
    assert changes(played) == {"Tiger 1": {"mark": {"main-gun-destroyed"}}}
    tire = play_example("baps", "vehicle-fire", given, [10, 6, 8], tanks)
    assert changes(tire) == {"Tiger 1": {"mark": {"track-hit"}}}
    out = play_example("baps", "vehicle-fire", given, [10, 6, 1], tanks)
    assert changes(out) == {"Tiger 1": {"state": "bailed-out"}}
    burnt = play_example(
        "baps", "vehicle-fire", {**given, "crew": "Abe"}, [10, 7, 1, 4, 1, 4, 20], tanks
    )
    assert changes(burnt) == {
        "Tiger 1": {"state": "knocked-out", "crew": 1, "crew_lost": 1},
        "Abe": {"state": "killed"},
    }


def tank(**more: Any) -> dict[str, Any]:
    return roster(
        unit(
            "Tiger 1", "vehicle", **{"state": "operable", "armor": "very-light", "crew": 3, **more}
        )
    )


AT_TIGER = {"weapon": "medium", "range": 250, "target": "Tiger 1"}


def test_the_vehicle_remembers_its_dead_and_wounded() -> None:
    """Row 4, column 1: 20 kills, 10 is one wound, 2 nothing. The next round finds two men, one
    of them wounded.
    """
    first = play_example("baps", "vehicle-fire", AT_TIGER, [10, 20, 1, 1, 1, 1, 20, 10, 2], tank())
    assert changes(first) == {"Tiger 1": {"crew": 2, "crew_lost": 1, "crew_wounds": (1,)}}
    again = tank(crew=2, crew_lost=1, crew_wounds=(1,))
    second = play_example("baps", "vehicle-fire", AT_TIGER, [10, 20, 1, 1, 1, 1, 14, 10], again)
    assert [(man["wounds"], man["after"]) for man in second.out["crew"]] == [
        (3, "killed"),
        (1, "ready"),
    ]
    assert changes(second) == {"Tiger 1": {"crew": 1, "crew_lost": 2}}


def test_the_last_of_the_crew_dies() -> None:
    lone = tank(crew=1, crew_wounds=(2,))
    played = play_example("baps", "vehicle-fire", AT_TIGER, [10, 20, 1, 1, 1, 3, 20], lone)
    assert changes(played) == {
        "Tiger 1": {"state": "bailed-out", "crew": 0, "crew_lost": 1, "crew_wounds": None}
    }
    assert played.resolution.state_changes == ("nobody left in it",)
    empty = play_example("baps", "vehicle-fire", AT_TIGER, [10, 20, 1, 1, 1, 1], tank(crew=0))
    assert empty.out["crew"] == []


def test_nobody_fires_at_a_wreck() -> None:
    """Ammunition or engine exploded: no later hit makes it a vehicle again."""
    with refuses("unit-gone Tiger 1"):
        play_example("baps", "vehicle-fire", AT_TIGER, [10, 1, 3], tank(state="knocked-out"))


def test_a_lost_track_stays_lost_when_the_crew_bails_out() -> None:
    tracked = tank(vehicle_type="tracked", marks=("track-hit",))
    out = play_example("baps", "vehicle-fire", AT_TIGER, [10, 1, 3], tracked)
    assert changes(out) == {"Tiger 1": {"state": "bailed-out"}}
    again = play_example("baps", "vehicle-fire", AT_TIGER, [10, 1, 8], tank(state="bailed-out"))
    assert changes(again) == {"Tiger 1": {"mark": {"track-hit"}}}
    with refuses("unit-unfit Tiger 1"):
        play_example(
            "baps",
            "throw-track",
            {"cover": "light", "speed": "fast", "unit": "Tiger 1"},
            [1],
            tracked,
        )
    wreck = tank(state="knocked-out")
    with refuses("unit-gone Tiger 1"):
        play_example(
            "baps",
            "throw-track",
            {"cover": "light", "speed": "fast", "unit": "Tiger 1"},
            [1],
            wreck,
        )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"range": 1501}, "out-of-reach range"),
        ({"weapon": "at-grenade", "range": 16}, "out-of-reach range"),
        ({"weapon": "lmg-belt"}, "bad-value weapon"),
        ({"armor": None}, "missing armor"),
        ({"crew": "vehicle"}, "unknown-unit vehicle"),
    ],
)
def test_what_the_card_forbids_is_refused(given: dict[str, Any], problem: str) -> None:
    with refuses(problem):
        shoot([], **given)


# -- odds -------------------------------------------------------------------------------------------------------------


def test_odds_of_the_outcome_match_a_count_by_hand() -> None:
    """18 of 20 hit, 10 of 20 penetrate; of the rest 6, 4 and 10 of 20."""
    hit, through = Fraction(18, 20), Fraction(10, 20)
    stopped = hit * (1 - through)
    assert odds("baps", "vehicle-fire", GUN) == {
        "miss": 1 - hit,
        "penetrated": hit * through,
        "bail-out": stopped * 6 / 20,
        "track-hit": stopped * 4 / 20,
        "bounce": stopped * 10 / 20,
    }
    assert odds("baps", "vehicle-fire", GUN, "operable")["false"] == hit * through * (
        1 - Fraction(9, 16)
    )


def rows_chance(rows: tuple[int, ...]) -> dict[str, Fraction]:
    """Chances of one unhurt man's result after a d20 in each of some rows, from all rolls."""
    counts: dict[str, int] = {}
    words = {
        row: [
            str(lookup("baps", "crt", row=row, men=1, roll=roll)["result"]) for roll in range(1, 21)
        ]
        for row in rows
    }
    for results in product(*(words[row] for row in rows)):
        taken, down = 0, False
        for word in results:
            if taken >= 3:
                break
            taken += 3 if word == "killed" else {"wound-1": 1, "wound-2": 2}.get(word, 0)
            down = down or word == "suppressed"
        result = (
            "killed"
            if taken >= 3
            else f"wound-{taken}"
            if taken
            else "suppressed"
            if down
            else "none"
        )
        counts[result] = counts.get(result, 0) + 1
    return {word: Fraction(ways, 20 ** len(rows)) for word, ways in counts.items()}


def test_odds_of_each_crewman_match_a_count_of_all_rolls() -> None:
    """Each of three areas takes effect one time in four; none of them is row 4 too."""
    given = {**GUN, "crew": 10}
    start = time.process_time()
    last = odds("baps", "vehicle-fire", given, "crew[9].result")
    assert time.process_time() - start < 5
    assert last == odds("baps", "vehicle-fire", given, "crew[0].result")
    inside = Fraction(18, 20) * Fraction(10, 20)
    killed = Fraction(0)
    for effects in product((False, True), repeat=3):
        weight = Fraction(1)
        for effect in effects:
            weight *= Fraction(1, 4) if effect else Fraction(3, 4)
        rows = tuple(row for row, effect in zip((4, 9, 7), effects, strict=True) if effect) or (4,)
        killed += weight * rows_chance(rows)["killed"]
    assert last["killed"] == inside * killed


def test_odds_of_two_men_together_and_of_single_dice() -> None:
    given = {**GUN, "crew": 2}
    both = odds("baps", "vehicle-fire", given, "crew[0].result", "crew[1].result")
    alone = odds("baps", "vehicle-fire", given, "crew[0].result")
    assert (
        sum(chance for key, chance in both.items() if key.startswith("killed|")) == alone["killed"]
    )
    second = odds("baps", "vehicle-fire", given, "crew[1].rolls[0]")
    assert second["7"] == Fraction(18, 20) * Fraction(10, 20) / 20
    damage = odds("baps", "vehicle-fire", given, "damage[3]")
    assert damage["4"] == Fraction(18, 20) * Fraction(10, 20) / 4
    dice = {
        "weapon": "heavy-machine-gun",
        "range": 15,
        "armor": "very-light",
        "vehicle_type": "wheeled",
    }
    assert odds("baps", "vehicle-fire", dice, "bail_out")["true"] > 0


def after_rows(rows: tuple[int, ...]) -> Fraction:
    """The chance that one unhurt man lives and is suppressed after a d20 in each of some rows,
    from all rolls.
    """
    found = 0
    words = [
        [str(lookup("baps", "crt", row=row, men=1, roll=roll)["result"]) for roll in range(1, 21)]
        for row in rows
    ]
    for results in product(*words):
        taken = sum({"killed": 3, "wound-1": 1, "wound-2": 2}.get(word, 0) for word in results)
        found += taken < 3 and "suppressed" in results
    return Fraction(found, 20 ** len(rows))


def test_odds_of_a_suppressed_crewman_match_a_count_of_all_rolls() -> None:
    """An S in one area's row counts although another row wounds him."""
    inside, suppressed = Fraction(18, 20) * Fraction(10, 20), Fraction(0)
    for effects in product((False, True), repeat=3):
        weight = Fraction(1)
        for effect in effects:
            weight *= Fraction(1, 4) if effect else Fraction(3, 4)
        rows = tuple(row for row, effect in zip((4, 9, 7), effects, strict=True) if effect) or (4,)
        suppressed += weight * after_rows(rows)
    assert odds("baps", "vehicle-fire", GUN, "crew[0].after")["suppressed"] == inside * suppressed
