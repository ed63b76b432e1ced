"""Dogger Line, a naval game written from the docs alone: its odds beside a count of the card,
and an evening.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest

from bot.cli.odds_text import count_odds_reply
from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from tests.examples import odds
from tests.packs.evening import (
    Evening,
    Platform,
    ends_as_on_the_console,
    on_both,
    on_the_console,
    proved,
)

pytestmark = pytest.mark.slow

TENTH = Fraction(1, 10)
PLACES = ["belt"] * 4 + ["deck"] * 2 + ["turret"] * 2 + ["works"] * 2
DAMAGE: dict[str, list[int | str]] = {
    "belt": [1, 1, 1, 1, 1, 2, 2, 1, 2, "C"],
    "deck": [1, 1, 1, 1, 1, 1, 1, 2, "C", "C"],
    "turret": [1, 1, 1, 1, 1, 1, 1, 1, 1, "C"],
    "works": [0, 0, 0, 1, 1, 1, 1, 1, 2, "C"],
}
MAGAZINE = Fraction(1, 10) * Fraction(1, 3)
"""How likely a critical blows her up."""


@pytest.fixture
def ships(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "tests" / "data" / "packs" / "ships"
    use_packs(folder)
    return folder


def passing(dice: int, share: Fraction) -> list[Fraction]:
    """How likely each number of so many dice passes."""
    return [comb(dice, n) * share**n * (1 - share) ** (dice - n) for n in range(dice + 1)]


def shell(
    armor: dict[str, int], flat: int, plunging: int, heavy: int
) -> dict[int | str | None, Fraction]:
    """What one hit does, by the card: hull lost, None where it breaks up, "boom" where she blows
    up.
    """
    found: dict[int | str | None, Fraction] = {}
    for place, pierce in product(PLACES, range(1, 11)):
        likely = TENTH * TENTH
        if place != "works" and pierce + (plunging if place == "deck" else flat) < armor[place]:
            found[None] = found.get(None, Fraction(0)) + likely
            continue
        for cell in DAMAGE[place]:
            boom = MAGAZINE if cell == "C" else Fraction(0)
            lost = (1 if cell == "C" else int(cell)) + heavy
            found["boom"] = found.get("boom", Fraction(0)) + likely * TENTH * boom
            found[lost] = found.get(lost, Fraction(0)) + likely * TENTH * (1 - boom)
    return found


def salvo(
    hits: list[Fraction], hull: int, one: dict[int | str | None, Fraction], dull: str
) -> dict[str, Fraction]:
    """The results of all numbers of hits, hit by hit until she is gone."""
    found: dict[str, Fraction] = {}

    def add(word: str, likely: Fraction) -> None:
        found[word] = found.get(word, Fraction(0)) + likely

    for number, likely in enumerate(hits):
        alive: dict[tuple[int, bool], Fraction] = {(0, False): likely}
        for _ in range(number):
            then: dict[tuple[int, bool], Fraction] = {}
            for (lost, pierced), share in alive.items():
                for what, chance in one.items():
                    if what == "boom":
                        add("blows-up", share * chance)
                    elif what is None:
                        then[lost, pierced] = (
                            then.get((lost, pierced), Fraction(0)) + share * chance
                        )
                    elif lost + int(what) >= hull:
                        add("sunk", share * chance)
                    else:
                        key = lost + int(what), True
                        then[key] = then.get(key, Fraction(0)) + share * chance
            alive = then
        for (_, pierced), share in alive.items():
            add("damaged" if pierced else dull if number else "missed", share)
    return {word: share for word, share in found.items() if share}


def told(sequence: str, given: dict[str, object]) -> dict[str, Fraction]:
    return {str(key): share for key, share in odds("dogger", sequence, given).items()}


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("cal", "reach", "needs", "flat", "plunging"),
    [
        ("light", 3, 6, 3, 0),
        ("medium", 8, 7, 5, 1),
        ("medium", 18, 10, 2, 4),
        ("heavy", 12, 8, 6, 4),
    ],
)
@pytest.mark.parametrize(("size", "harder"), [("small", 1), ("middling", 0), ("large", -1)])
def test_odds_of_gunnery(
    ships: Path, cal: str, reach: int, needs: int, flat: int, plunging: int, size: str, harder: int
) -> None:
    armor = {"belt": 9, "deck": 6, "turret": 11}
    target = f"cruiser hull=5 guns=4 belt=9 deck=6 turret=11 size={size}"
    found = told(
        "gunnery",
        {"shooters": f"cruiser guns=5 cal={cal} fires=0", "targets": target, "range": reach},
    )
    hits = passing(5, Fraction(11 - max(2, min(10, needs + harder)), 10))
    assert found == salvo(hits, 5, shell(armor, flat, plunging, cal == "heavy"), "bounced")


@pytest.mark.parametrize(("answer", "harder"), [("comb", 2), ("hold", 0)])
@pytest.mark.parametrize(("reach", "needs"), [(3, 7), (5, 9), (8, 10)])
def test_odds_of_torpedoes(ships: Path, answer: str, harder: int, reach: int, needs: int) -> None:
    fish: dict[int | str | None, Fraction] = {
        2: 4 * TENTH,
        3: 3 * TENTH,
        4: 2 * TENTH + TENTH * (1 - MAGAZINE),
        "boom": TENTH * MAGAZINE,
    }
    given: dict[str, object] = {
        "shooters": "destroyer tubes=4",
        "targets": "battleship hull=8 guns=8 size=large",
        "salvo": 4,
        "range": reach,
        "answer": answer,
    }
    hits = passing(4, Fraction(11 - min(10, needs - 1 + harder), 10))
    assert told("torpedo", given) == salvo(hits, 8, fish, "missed")


def test_odds_whose_harm_hangs_on_no_choice_tell_what_does(ships: Path) -> None:
    """Neither comb nor hold sinks her; what differs is how likely she is damaged."""
    given = {
        "shooters": "destroyer tubes=4",
        "targets": "battleship hull=20 size=large",
        "salvo": 4,
        "range": 3,
    }
    reply = count_odds_reply(find_shared_system("dogger").find_sequence("torpedo"), given)
    assert reply.title == "Battleship: damaged 76% if comb, damaged 93% if hold"


@pytest.mark.parametrize(("hull", "fires", "floods"), [(2, 2, 1), (3, 4, 0), (4, 3, 2)])
def test_odds_of_fire_and_water(ships: Path, hull: int, fires: int, floods: int) -> None:
    found = told("burn", {"units": f"cruiser hull={hull} fires={fires} floods={floods} dc=1"})
    sunk = sum(
        share
        for burnt, share in enumerate(passing(fires, Fraction(1, 3)))
        if burnt + floods >= hull
    )
    assert found == {"sunk": sunk, "fighting": 1 - sunk}


@pytest.mark.parametrize("nerve", [5, 7, 8])
def test_odds_of_the_flagship_lost(ships: Path, nerve: int) -> None:
    sums = [a + b for a, b in product(range(1, 7), repeat=2)]
    assert told("nerve", {"units": f"cruiser nerve={nerve}"}) == {
        "holds": Fraction(sum(total <= nerve for total in sums), 36),
        "turns-away": Fraction(sum(nerve < total < nerve + 3 for total in sums), 36),
        "broken-off": Fraction(sum(total >= nerve + 3 for total in sums), 36),
    }


def test_odds_of_the_weather(ships: Path) -> None:
    sixth = Fraction(1, 6)
    assert told("weather", {"units": "cruiser"}) == {
        "gets-up": sixth,
        "steady": 4 * sixth,
        "goes-down": sixth,
    }


EVENING: Evening = [
    ("Anna", 'game start dogger "Dogger" scenario=dogger'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Blue"),
    ("Ben", "game join Grey"),
    ("Anna", "game next"),
    ("Anna", "dogger gunnery Falcon Bussard range=18 hand=10,9,1,1,1,1,1,1,9,9,8"),
    ("Anna", "dogger smoke Wren"),
    ("Anna", "game next"),
    ("Anna", "dogger torpedo Heron Adler salvo=2 range=3"),
    ("Ben", "choose option=comb hand=1,2"),
    ("Ben", "game undo"),
    ("Anna", "game undo"),
    ("Anna", "dogger torpedo Heron Adler salvo=2 range=3"),
    ("Ben", "choose option=hold hand=8,10,5,10,10,1"),
]
"""A fire aboard the Bussard, torpedoes that are fired again, and the Adler blows up; then the
turns go on.
"""


@pytest.mark.slow
async def test_an_evening_on_the_console_with_proof(ships: Path, tmp_path: Path) -> None:
    assert check_content(read_content(ships)).faults == ()
    channel, _ = await on_the_console(EVENING)
    game = await channel.game()
    assert game.units["adler"].state == "sunk"
    assert game.units["bussard"].numbers["fires"] == 1
    assert {name for name, unit in game.units.items() if "leaderless" in unit.marks} == {
        "bussard",
        "storch",
    }
    await channel.do("Anna", "game next")
    game = await channel.game()
    assert not any("leaderless" in unit.marks for unit in game.units.values()), (
        "their nerve was rolled"
    )
    for name in (
        "Ben",
        "Ben",
        "Ben",
        "Anna",
        "Anna",
        "Anna",
        "Ben",
        "Ben",
        "Ben",
        "Anna",
        "Anna",
        "Anna",
    ):
        await channel.do(name, "game next")
    assert (await channel.game()).turn == 3
    assert "Dogger" in await proved(channel, tmp_path)


RAIDER = '"battleship hull=20 guns=4 cal=heavy belt=8 deck=3 turret=6 size=large dc=1 nerve=7"'
LATER: Evening = [
    *[("Anna", "game next")] * 5,
    ("Anna", f"dogger gunnery Falcon {RAIDER} range=12 hand=1,1,1,1,1,1,1,1"),
    ("Anna", "dogger smoke Wren"),
    ("Anna", "game undo"),
    ("Anna", "game redo"),
    *[("Anna", "game next")] * 6,
    ("Anna", f"dogger gunnery Falcon {RAIDER} range=20 hand=1,1,1,1,1,1,1,1"),
]
"""Two further turns, at whose begin dice fall that nobody can type: fires, weather, who lost
their flagship.
"""


@pytest.mark.slow
async def test_three_turns_with_proof(ships: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console([*EVENING, *LATER])
    assert (await channel.game()).turn == 3
    assert "Dogger" in await proved(channel, tmp_path)


@on_both
async def test_three_turns_on_both_platforms(
    ships: Path, tmp_path: Path, platform: Platform
) -> None:
    """Each line is answered there as on the console, whatever the dice of the turns' begin do."""
    ended = await platform(ships, [*EVENING, *LATER], tmp_path)
    assert ended["turn"] == 3


@on_both
async def test_the_same_evening_on_both_platforms(
    ships: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, ships, EVENING, tmp_path)
