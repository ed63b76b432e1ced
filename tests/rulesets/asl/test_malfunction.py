"""Breakdown of weapons, tables 12a and 12b."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest

from bot.rules.inputs.units import RosterUnit
from tests.examples import lookup, odds, play_example
from tests.refusing import refuses


def check(dice: list[int], weapon: str, **given: object) -> dict[str, Any]:
    return play_example("asl", "malfunction", {"weapon": weapon, **given}, dice).out


def numbers(out: dict[str, Any]) -> tuple[Any, Any, Any]:
    return out["b"], out["x"], out["la"]


def test_sustained_fire_of_a_machine_gun() -> None:
    """B12 falls to B10 and its X# becomes 12: 10 and 11 malfunction, 12 disables."""
    assert check([5, 5], "sw", sustained_fire=True) == {
        "b": 10,
        "x": 12,
        "la": "none",
        "dr": 10,
        "result": "malfunction",
        "th_drm": 0,
        "rof": 0,
        "no_rof": True,
        "red_th": False,
    }
    assert check([5, 4], "sw", sustained_fire=True)["result"] == "functions"
    assert check([6, 6], "sw", sustained_fire=True)["result"] == "disabled"


def test_a_weapon_as_printed_has_no_x_number() -> None:
    out = check([6, 6], "sw", start="b12")
    assert (numbers(out), out["result"]) == ((12, "none", "none"), "malfunction")


def test_an_x_weapon_is_disabled() -> None:
    out = check([4, 4], "sw", start="x10", captured=True)
    assert (numbers(out), out["result"], out["red_th"], out["th_drm"], out["rof"]) == (
        ("none", 8, "none"),
        "disabled",
        True,
        2,
        -1,
    )


def test_every_effect_on_a_support_weapon_adds_up() -> None:
    """2 each for Sustained Fire, captured, non-qualified and FT/DC, 1 each for the others; no
    shortage.
    """
    flags = (
        "sustained_fire",
        "captured",
        "non_qualified",
        "ft_dc_non_elite",
        "inexperienced",
        "japanese_mg",
    )
    out = check([1, 1], "sw", start="b12", ammo_shortage=True, **dict.fromkeys(flags, True))
    assert (numbers(out), out["result"]) == ((2, 12, "none"), "malfunction")


def test_support_weapons_agree_with_table_12b() -> None:
    for start, sustained, captured, green, short in product(
        ("b10", "b11", "b12", "x10", "x11"),
        (False, True),
        (False, True),
        (False, True),
        (False, True),
    ):
        uses = {"sustained_fire": sustained, "captured": captured, "inexperienced": green}
        out = check([1, 1], "sw", start=start, ammo_shortage=short, **uses)
        given = {"start": start, "others": sustained + captured, "inexperienced": green}
        table = lookup("asl", "b-sw", ammo_shortage=short and not captured, **given)
        assert (out["b"], out["x"]) == (table["b"], table["x"])


@pytest.mark.parametrize(
    ("dice", "result"),
    [
        ([4, 5], "functions"),
        ([5, 5], "malfunction-low-ammo"),
        ([5, 6], "malfunction-low-ammo"),
        ([6, 6], "disabled"),
    ],
)
def test_a_low_ammo_gun_on_intensive_fire(dice: list[int], result: str) -> None:
    """Circled 10 with Intensive Fire is LA10 B10 X12."""
    out = check(dice, "gun", start="circled-10", intensive_fire=True)
    assert (numbers(out), out["result"], out["th_drm"], out["no_rof"]) == (
        (10, 12, 10),
        result,
        2,
        True,
    )


def test_each_number_is_tested_by_itself() -> None:
    """Circled 9, nothing else: LA9 B12. 9-11 only Low Ammo, 12 both."""
    assert check([4, 5], "gun", start="circled-9")["result"] == "low-ammo"
    assert check([6, 5], "gun", start="circled-9")["result"] == "low-ammo"
    assert check([6, 6], "gun", start="circled-9")["result"] == "malfunction-low-ammo"


def test_ammunition_shortage() -> None:
    assert numbers(check([1, 1], "gun", start="b11", ammo_shortage=True)) == (11, "none", 10)
    assert numbers(check([1, 1], "gun", start="b11", ammo_shortage=True, low_ammo=True)) == (
        9,
        10,
        "none",
    )
    captured = check([1, 1], "gun", start="b11", ammo_shortage=True, captured=True)
    assert (numbers(captured), captured["red_th"]) == ((9, 11, "none"), True)
    assert numbers(check([1, 1], "gun", start="b12", inexperienced=True)) == (12, "none", "none")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weapon": "sw", "start": "circled-9"}, "not-together start"),
        ({"weapon": "sw", "intensive_fire": True}, "not-together intensive_fire"),
        ({"weapon": "sw", "low_ammo": True}, "not-together low_ammo"),
        ({"weapon": "gun", "start": "x10"}, "not-together start"),
        ({"weapon": "gun", "sustained_fire": True}, "not-together sustained_fire"),
        ({"weapon": "gun", "japanese_mg": True}, "not-together japanese_mg"),
        ({"weapon": "gun", "ft_dc_non_elite": True}, "not-together ft_dc_non_elite"),
        ({"weapon": "gun", "low_ammo": True}, "card-refuses Low Ammo"),
        (
            {"weapon": "gun", "low_ammo": True, "ammo_shortage": True, "captured": True},
            "card-refuses Low Ammo",
        ),
    ],
)
def test_what_a_weapon_cannot_have_is_refused(given: dict[str, object], said: str) -> None:
    with refuses(said):
        play_example("asl", "malfunction", given, [])


def test_the_result_is_written_on_the_weapon() -> None:
    gun = RosterUnit("PaK 40", "ge1", "gun", numbers={"start": "circled-10"})
    given = {"weapon": "gun", "unit": "PaK 40"}
    played = play_example("asl", "malfunction", given, [6, 6], {"pak 40": gun})
    (change,) = played.resolution.changes
    assert played.out["result"] == "malfunction-low-ammo"
    assert (change.unit, change.set, change.mark) == (
        "PaK 40",
        {"state": "malfunctioned"},
        frozenset({"low-ammo"}),
    )
    assert (
        play_example("asl", "malfunction", given, [1, 2], {"pak 40": gun}).resolution.changes == ()
    )


def test_the_counter_of_the_weapon_counts_from_then_on() -> None:
    """Circled 10 with its counter is B9 X10, unless the player says that it is not there."""
    gun = RosterUnit("PaK 40", "ge1", "gun", numbers={"start": "circled-10"}, state="low-ammo")
    given = {"weapon": "gun", "unit": "PaK 40"}
    assert numbers(play_example("asl", "malfunction", given, [1, 1], {"pak 40": gun}).out) == (
        9,
        10,
        "none",
    )
    without = play_example(
        "asl", "malfunction", {**given, "low_ammo": False}, [1, 1], {"pak 40": gun}
    )
    assert numbers(without.out) == (12, "none", 10)


def test_odds_of_a_breakdown() -> None:
    """B10 X12: 10 and 11 are 5 of 36 rolls, 12 is one."""
    expected = {
        "functions": Fraction(30, 36),
        "malfunction": Fraction(5, 36),
        "disabled": Fraction(1, 36),
    }
    assert odds("asl", "malfunction", {"weapon": "sw", "sustained_fire": True}) == expected


def test_odds_against_a_second_opinion() -> None:
    """LA9 B8 X12, a circled 9 with two conditions."""

    def result(dr: int) -> str:
        if dr >= 12:
            return "disabled"
        return "malfunction-low-ammo" if dr >= 9 else "malfunction" if dr == 8 else "functions"

    second = (2 @ icepool.d6).map(result)
    given = {"weapon": "gun", "start": "circled-9", "intensive_fire": True, "non_qualified": True}
    assert odds("asl", "malfunction", given) == {
        name: second.probability(name) for name in second.outcomes()
    }


def test_the_story_names_what_the_numbers_depend_on() -> None:
    gun = RosterUnit("PaK 40", "ge1", "gun", numbers={"start": "b11"}, state="low-ammo")
    given = {"weapon": "gun", "unit": "PaK 40", "ammo_shortage": True, "intensive_fire": True}
    played = play_example("asl", "malfunction", given, [1, 2], {"pak 40": gun})
    first = played.lines[0]
    assert (first.label, first.parts) == ("printed B11", (("Intensive Fire", -2),))
    assert first.result == "now B7 X10 (Low Ammo counter, Ammunition Shortage)"


def test_a_captured_weapon_is_told_that_the_shortage_passes_it_by() -> None:
    given = {"weapon": "sw", "start": "b12", "captured": True, "ammo_shortage": True}
    played = play_example("asl", "malfunction", given, [2, 3])
    assert played.lines[0].result == "now B10 X12 (captured, so no Ammunition Shortage)"


CIRCLED: dict[str, Any] = {"weapon": "gun", "start": "circled-10"}


def test_special_ammunition_ends_at_its_depletion_number_and_the_la_number() -> None:
    """LA10 and S9: a DR of 9 does nothing, 10 is Low Ammo and the end of that ammunition. S11
    outlasts the counter.
    """
    assert check([5, 4], **CIRCLED, depletion=9)["depleted"] is False
    ten = check([5, 5], **CIRCLED, depletion=9)
    assert (ten["result"], ten["depleted"]) == ("low-ammo", True)
    later = check([5, 5], **CIRCLED, depletion=11)
    assert (later["result"], later["depleted"]) == ("low-ammo", False)
    assert "depleted" not in check([5, 5], **CIRCLED)


def test_ammunition_shortage_lowers_the_depletion_number_by_one() -> None:
    """S12 is S11 under Ammunition Shortage, but not for a captured Gun."""
    assert check([6, 5], "gun", start="b11", ammo_shortage=True, depletion=12)["depleted"] is True
    assert (
        check([6, 5], **CIRCLED, depletion=12, ammo_shortage=True, captured=True)["depleted"]
        is False
    )
    played = play_example(
        "asl", "malfunction", {**CIRCLED, "depletion": 10, "unit": "AT 1"}, [5, 5], GUNS
    )
    assert played.resolution.notes == ("This special ammunition is used up.",)


GUNS = {"at 1": RosterUnit("AT 1", "us1", "gun", state="malfunctioned")}


def test_odds_of_depletion_match_a_count_by_hand() -> None:
    """10, 11 and 12 are 6 of 36; without special ammunition there is nothing to deplete."""
    assert odds("asl", "malfunction", {**CIRCLED, "depletion": 9}, "depleted") == {
        "true": Fraction(6, 36),
        "false": Fraction(30, 36),
    }
    assert odds("asl", "malfunction", CIRCLED, "depleted") == {"none": Fraction(1)}


def test_a_weapon_without_la_number_has_no_depletion() -> None:
    with refuses("not-together depletion"):
        check([], "gun", depletion=9)
    with refuses("not-together depletion"):
        check([], "sw", depletion=9)


def test_extreme_winter_comes_on_top() -> None:
    """One off: B12 becomes B11 X12 for both kinds; on top of Intensive Fire, B10 X12 becomes B9;
    an X# falls itself.
    """
    assert numbers(check([6, 5], "sw", extreme_winter=1)) == (11, 12, "none")
    assert numbers(check([6, 5], "gun", extreme_winter=1)) == (11, 12, "none")
    assert numbers(check([2, 2], "gun", intensive_fire=True, extreme_winter=1)) == (9, 12, "none")
    assert numbers(check([2, 2], **CIRCLED, extreme_winter=1)) == (11, 12, 10)
    assert numbers(check([2, 2], "sw", start="x10", extreme_winter=1)) == ("none", 9, "none")


def test_a_twelve_under_ammunition_shortage_replaces_the_mmc() -> None:
    given = {"weapon": "sw", "ammo_shortage": True}
    twelve = play_example("asl", "malfunction", given, [6, 6])
    assert "If this was an IFT DR, the firing MMC is Replaced." in twelve.resolution.notes[-1]
    assert play_example("asl", "malfunction", given, [6, 5]).resolution.notes == ()
    captured = play_example("asl", "malfunction", {**given, "captured": True}, [6, 6])
    assert not [line for line in captured.resolution.notes if "Replaced" in line]


def test_a_weapon_does_not_get_better_by_low_ammo() -> None:
    """It malfunctioned before: the counter is placed, the state stays."""
    played = play_example("asl", "malfunction", {**CIRCLED, "unit": "AT 1"}, [5, 5], GUNS)
    (change,) = played.resolution.changes
    assert (dict(change.set), change.mark) == ({}, frozenset({"low-ammo"}))
