"""The Omniversal Rules: every table typed a second time from the sheet, its odds counted by
hand, and an evening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bot.rulesets.catalog import find_shared_system
from tests.examples import odds
from tests.packs.evening import (
    Evening,
    Platform,
    ends_as_on_the_console,
    on_both,
    on_the_console,
    proved,
)
from tests.playing import Channel

COMBAT = """
Irregulars    | D | D  | D   | DC  | DCM | CM  | 2CM  | 2CM
Regulars      | D | D  | DC  | DCM | CM  | CM  | 2CM  | 2CM
Elites        | D | DC | DCM | DCM | CM  | 2CM | 2C2M | 2C2M
Ranged Irr.   | D | D  | D   | D   | DE  | DE  | DE   | DEM
Ranged        | D | D  | D   | DE  | DE  | DE  | DEM  | DECM
Light cavalry | D | D  | D   | DM  | DM  | DM  | DCM  | DCM
Heavy cavalry | D | D  | DM  | DM  | DM  | DM  | DC2M | DC2M
Artillery     | D | D  | DC  | DM  | DC  | DM  | DCM  | D2CM
"""
"""Read from the sheet's source with `awk`, not from the pack: < 1, 1, 2, 3, 4, 5, 6, > 6."""
SAVES = """
1 | No impact | Minor wound | Killed | Killed
2 | No impact | Minor wound | Major wound | Killed
3 | -1 disruption | - | Minor wound | Major wound
4 | -1 disruption OR extra roll | - | - | Minor wound
5 | -1 disruption OR extra roll | - | - | -
6 | -2 disruption OR 2 extra rolls | - | - | -
"""
MARCHES = """
Infantry 200 200 250 300
Skirmishers 250 300 250 300
Foot-artillery 200 200 0 300
Horse-artillery 600 700 700 700
Light-cavalry 400 900 900 900
Heavy-cavalry 300 600 800 800
Elephantry 250 250 0 400
"""
REACH = "slings 200 bows 300 longbow 350 pistol 50 carbine 100 musket 200 rifle 250 modern-rifle 1300 sniper 1800"
AMMUNITION = {
    "canister": ((100, 800), (100, 1000)),
    "elevation": ((900, 1200), (1100, 1500)),
    "ricochet": ((1300, 1800), (1600, 2000)),
}
"""6# and 12#, from and to, in paces."""


def cells(text: str) -> dict[str, list[str]]:
    """The rows of a table by the words of the pack."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return {
        first.casefold().replace(" irr.", "-irregulars").replace(" ", "-"): rest
        for first, *rest in rows
    }


def counted(code: str) -> tuple[int, int, int, int]:
    """(own disruption, casualties, morale hits, enemy's disruption): 2C2M is two of each."""
    found: Counter[str] = Counter()
    times = 1
    for letter in code:
        if letter.isdigit():
            times = int(letter)
        else:
            found[letter] += times
            times = 1
    return found["D"], found["C"], found["M"], found["E"]


def read(table: str, **given: Any) -> Any:
    """What a table of the pack says."""
    return find_shared_system("omniversal").find_table(table).read(given)


@pytest.mark.usefixtures("packs")
def test_the_table_of_fighting() -> None:
    for kind, codes in cells(COMBAT).items():
        for total, code in enumerate(codes):
            for beyond in (0, 3) if total in (0, 7) else (0,):
                modifier = total - 3 + (beyond if total else -beyond)
                found = read("combat", type=kind, roll=3, modifier=modifier)
                said = tuple(
                    found[name]
                    for name in ("disruption", "casualties", "morale", "enemy_disruption")
                )
                assert said == counted(code), (kind, total)


@pytest.mark.usefixtures("packs")
def test_single_figures() -> None:
    for roll, (impact, *wounds) in cells(SAVES).items():
        found = read("figure", roll=int(roll))
        assert found["disruption"] == (int(impact[1]) if impact.startswith("-") else 0)
        assert found["rolls"] == (0 if "OR" not in impact else 2 if "2 extra" in impact else 1)
        for danger, wound in zip(("low", "medium", "high"), wounds, strict=True):
            word = "unhurt" if wound == "-" else wound.casefold().replace(" ", "-")
            assert read("danger", danger=danger, roll=int(roll))["wound"] == word


@pytest.mark.usefixtures("packs")
def test_marches_and_ranges() -> None:
    for line in MARCHES.strip().splitlines():
        body, *paces = line.casefold().split()
        for gait, reach in zip(
            ("march", "deploy", "charge", "retreat"), map(int, paces), strict=True
        ):
            if reach:
                assert read("marches", body=body, gait=gait)["paces"] == reach
    words = REACH.split()
    for weapon, reach in zip(words[::2], map(int, words[1::2]), strict=True):
        assert read("small-arms", weapon=weapon)["paces"] == reach
    for ammo, ends in AMMUNITION.items():
        for gun, end in zip(("6-pounder", "12-pounder"), ends, strict=True):
            found = read("artillery", ammo=ammo, gun=gun)
            assert (found["nearest"], found["farthest"]) == end


@pytest.mark.usefixtures("packs")
def test_odds_of_a_fight_are_those_of_all_its_dice() -> None:
    """Two battalions in the flank of a third that has a wall: 216 ways."""
    rows = cells(COMBAT)

    def fought(dice: tuple[int, ...]) -> str:
        first, second, third = dice
        code = [rows["regulars"][min(7, first + 2)], rows["elites"][min(7, second + 2)]]
        hits = [counted(one) for one in code]
        routs = sum(h[2] for h in hits) >= 2 or sum(h[1] for h in hits) >= 5
        back = counted(rows["regulars"][min(7, third + 3)])
        assert back[2] < 3, "the second of two never routs"
        return "target-routs" if routs else "fighting-continues"

    ways = Counter(fought(dice) for dice in product(range(1, 7), repeat=3))
    given = {
        "attackers": "regulars limit=1 breaks=4; elites limit=3 breaks=6",
        "target": "regulars limit=2 breaks=5",
        "facing": "flank",
        "cover": "wall",
    }
    assert odds("omniversal", "fight", given) == {
        result: Fraction(times, 216) for result, times in ways.items()
    }


@pytest.mark.usefixtures("packs")
def test_odds_of_a_duel_and_of_a_commander() -> None:
    found = odds("omniversal", "duel", {"attackers": "commander", "target": "commander", "ours": 1})
    ways = Counter((a + 1 > b) - (a + 1 < b) for a, b in product(range(1, 7), repeat=2))
    assert found == {
        "challenger-wins": Fraction(ways[1], 36),
        "challenged-wins": Fraction(ways[-1], 36),
        "inconclusive": Fraction(ways[0], 36),
    }


EVENING: Evening = [
    ("Anna", 'game start omniversal "Causeway" scenario=causeway'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Blue"),
    ("Ben", "game join Red"),
    ("Anna", "game next"),
    (
        "Anna",
        'omniversal shoot "Blue Battery" "Red Line 1" weapon=6-pounder range=600 effect=good hand=4',
    ),
    ("Ben", 'omniversal shoot "Red Rifles" "Blue Line 1" weapon=rifle range=200 hand=6'),
    ("Anna", 'omniversal fight "Blue Line 2; Blue Line 3" "Red Militia" facing=flank hand=1,2,6'),
    ("Anna", "game next"),
    ("Ben", 'omniversal rest "Red Line 2; Red Rifles"'),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Anna", 'omniversal commander "Colonel Blake" "Blue Line 1" danger=high hand=6'),
    ("Anna", "choose option=steady hand=4"),
    ("Anna", 'omniversal fight "Blue Hussars" "Red Line 1" charge prepared cover=wall hand=3,5'),
    ("Ben", 'omniversal duel "Major Rowe" "Colonel Blake" theirs=-1 hand=6,1,4,5'),
    ("Anna", "game undo"),
    ("Ben", "game undo"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Ben", 'omniversal fight "Red Dragoons" "Blue Hussars" charge facing=flank hand=6,1'),
    ("Anna", "game next"),
    ("Ben", 'omniversal rest "Red Dragoons"'),
]
"""Three turns, with a duel that is taken back."""


@pytest.fixture
def omniversal(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "packs" / "omniversal"
    use_packs(folder)
    return folder


async def test_three_turns_on_the_console_with_proof(omniversal: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(EVENING)
    game = await channel.game()
    assert game.turn == 3
    assert game.units["red militia"].state == "routed"
    assert game.units["colonel blake"].state == "minor-wound"
    page = await proved(channel, tmp_path)
    assert "Causeway" in page
    assert "CC BY-SA 4.0" in page


@on_both
async def test_three_turns_on_both_platforms(
    omniversal: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, omniversal, EVENING, tmp_path)


async def test_what_the_sheet_rules_out(omniversal: Path) -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start omniversal "Causeway" scenario=causeway')
    await channel.fails(
        "Anna", 'omniversal shoot "Blue Jaegers" "Red Line 1" weapon=musket range=300', "200 paces"
    )
    shot = 'omniversal shoot "Blue Battery" "Red Line 1" weapon=6-pounder range=1000'
    await channel.fails("Anna", shot, "100 to 800 paces")
    await channel.do("Anna", 'unit edit "Blue Line 1" stats=disruption=3')
    await channel.fails(
        "Anna", 'omniversal fight "Blue Line 1" "Red Line 1"', "3 or more disruption"
    )
