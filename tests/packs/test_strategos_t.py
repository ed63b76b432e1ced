"""Strategos T: its tables typed a second time from the booklet, and the example that it prints."""

from __future__ import annotations

from typing import Any

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.playing import Channel

pytestmark = pytest.mark.usefixtures("packs")

MORALE = """
Enthusiastic 1 5 10
Flushed 1 3 6
Normal 1 1 1
Somewhat-Shaken 1/2 2/3 1/3
Shaken 1/3 1/2 1/4
Badly-Shaken 1/5 1/3 1/6
Disordered 1/10 1/5 1/10
Great-Confusion 0 1/10 1/20
Routed 0 0 0
Missing 0 0 0
"""
TABLE_S = """
3:2 defenders infantry-defends-against-infantry up-gentle-slope defending-swordmaster
2:1 defenders line-charged-by-cavalry cavalry-charges-down-gentle-slope attacking-mages-alone defenders-sped-up
2:1 defenders attackers-slowed
3:1 defenders up-moderate-slope
4:1 defenders cavalry-charges-down-moderate-slope defenders-sped-up-against-slowed
4:3 defenders defenders-fresh
6:1 defenders up-steep-slope
1:1 neither none column-charged-by-cavalry
3:2 attackers surprised-in-line re-attacked-by-infantry attacking-swordmaster
4:3 attackers attackers-fresh
2:1 attackers moving-infantry-charged surprised-skirmishing flanked re-attacked-by-cavalry defending-mages-alone
2:1 attackers attackers-sped-up defenders-slowed
3:1 attackers surprised-in-column from-the-rear
4:1 attackers surprised-while-busy attackers-sped-up-against-slowed
5:1 attackers other-formation-charged-by-cavalry
12:1 attackers cavalry-not-counter-charging
"""
TABLE_T = [
    ("fights-on", "fights-on", 0),
    ("shaken", "shaken", 0),
    ("shaken", "disordered", 0),
    ("normal", "disordered", 5),
    ("flushed", "disordered", 10),
    ("enthusiastic", "disordered", 10),
]


def read(table: str, **given: Any) -> Any:
    """What a table of the pack says."""
    return find_shared_system("strategos-t").find_table(table).read(given)


def test_morale_levels_and_the_morale_roll() -> None:
    for line in MORALE.strip().splitlines():
        level, *factors = line.split()
        for arm, factor in zip(("missiles", "infantry", "cavalry"), factors, strict=True):
            over, _, under = factor.partition("/")
            found = read("morale-level", level=level.casefold(), arm=arm)
            assert (found["over"], found["under"]) == (int(over), int(under or 1)), (level, arm)
    assert [
        read("morale-roll", eliteness=level, roll=1)["needed"] for level in (5, 4, 3, 2, 1)
    ] == [2, 3, 4, 5, 6]


def test_table_s_and_table_t() -> None:
    seen = set()
    for line in TABLE_S.strip().splitlines():
        odds, side, *situations = line.split()
        for situation in situations:
            found = read("table-s", situation=situation)
            assert (f"{found['over']}:{found['under']}", found["favors"]) == (odds, side), situation
            seen.add(situation)
    assert seen == set(find_shared_system("strategos-t").game["lists"]["situations"])
    for difference, (winner, loser, pursuit) in enumerate(TABLE_T):
        found = read("table-t", difference=difference)
        assert (found["winner"], found["loser"], found["pursuit"]) == (winner, loser, pursuit), (
            difference
        )


def test_missiles_and_marching() -> None:
    levels = [read("missiles", distance=at)["level"] for at in (1, 5, 6, 50, 51, 100, 101)]
    assert levels == [1, 1, 2, 2, 3, 3, 4]
    assert [read("missiles", distance=at)["target"] for at in (5, 50, 100, 101)] == [20, 25, 30, 35]
    assert read("missiles", distance=51, size="coin-sized")["target"] == 90
    paces = ("march", "quick", "double")
    marches = {
        "couriers-scouts-archers": (12, 16, 24),
        "skirmishers": (9, 12, 18),
        "infantry": (6, 8, 12),
    }
    for troops, inches in {**marches, "cavalry": (6, 12, 18)}.items():
        assert (
            tuple(read("marching", troops=troops, pace=pace)["inches"] for pace in paces) == inches
        )


def test_army_points() -> None:
    costs = {
        6: "aerial-hero",
        4: "paladin heroes magician dragon",
        3: "sneakers cleric",
        2: "knights riders blades spears shooters warband",
        1: "horde lurker",
    }
    for army_points, units in costs.items():
        for unit in units.split():
            found = read("barkerese", unit=unit)
            assert (found["army_points"], found["points"]) == (army_points, 50 * army_points), unit


async def test_the_knight_and_the_serjeant() -> None:
    """The duel of the booklet: 47 against 26, and the serjeant is left with 12 Fighting Power."""
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start strategos-t "Duel" sides="Red, Blue"',
        "game settings hand_dice=yes",
        "unit add Knight cavalry Red fp=47",
        "unit add Serjeant infantry Blue fp=33",
    )
    fought = await channel.do("Anna", "strategos-t skirmish Knight Serjeant hand=6,5,5,3,5,3,3,3,1")
    assert fought.format_text().startswith("Serjeant loses 21 FP")
    assert "Combat totals: 47 against 26, 21 damage" in fought.format_text()
    assert (await channel.game()).units["serjeant"].numbers["fp"] == 12


async def test_a_flank_attack_is_rolled_again_and_who_loses_is_disordered() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start strategos-t "The Ford" scenario=ford', "game settings hand_dice=yes"
    )
    shot = 'strategos-t mass-combat attackers="Red Knights; Red Warband" targets="Blue Spears 1" situation=flanked'
    reply = await channel.do("Anna", f"{shot} hand=1,3,6,2")
    for line in (
        "1800 against 480: [1], 3-1 for the attackers",
        "Attackers again: [6]",
        "Defenders: [2], difference 4",
        "Losses: attackers 4 FP, defenders 63 FP",
    ):
        assert line in reply.format_text()
    units = (await channel.game()).units
    assert (units["red knights"].state, units["blue spears 1"].state) == ("flushed", "disordered")
    assert [
        units[name].numbers["fp"] for name in ("red knights", "red warband", "blue spears 1")
    ] == [398, 498, 417]
