"""Thorn & Powder, a club's miniatures: its odds beside a plain count of its card, and an evening
with all of it.
"""

from __future__ import annotations

from collections import defaultdict
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
from bot.ui.reply.parts import Odds
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

pytestmark = pytest.mark.slow

Share = Fraction
Chances = dict[int, Fraction]
TO_HIT = {"raw": (4, 5, 6), "trained": (3, 4, 5), "elite": (2, 3, 4)}
SHIFTS = {"clear": 0, "haze": 4, "rain": 8, "fog": 0}


@pytest.fixture
def thorn(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "tests" / "data" / "packs" / "minis"
    use_packs(folder)
    return folder


def exploding(dice: int, needs: int) -> Chances:
    """Hits of dice whose sixes bring a further one each: 20 of these at most, and two for each
    die.
    """
    limit, states, hits = (
        20 + 2 * dice,
        {(dice, 0, 0): Share(1)},
        defaultdict[int, Fraction](Fraction),
    )
    while states:
        after = defaultdict[tuple[int, int, int], Fraction](Fraction)
        for (left, more, hit), likely in states.items():
            if left == 0:
                hits[hit] += likely
                continue
            for face in range(1, 7):
                further = face == 6 and more < limit
                after[left - 1 + further, more + further, hit + (face >= needs)] += likely / 6
        states = dict(after)
    return dict(hits)


def with_the_word(dice: int, needs: int) -> Chances:
    """Ones are thrown again, once; then each six of what lies there brings an exploding die."""
    faces = {face: Share(7, 36) if face > 1 else Share(1, 36) for face in range(1, 7)}
    lying = {(0, 0): Share(1)}
    for _ in range(dice):
        after = defaultdict[tuple[int, int], Fraction](Fraction)
        for ((hits, sixes), likely), (face, share) in product(lying.items(), faces.items()):
            after[hits + (face >= needs), sixes + (face == 6)] += likely * share
        lying = dict(after)
    found, more = (
        defaultdict[int, Fraction](Fraction),
        {n: exploding(n, needs) for n in range(dice + 1)},
    )
    for (hits, sixes), likely in lying.items():
        for extra, share in more[sixes].items():
            found[hits + extra] += likely * share
    return dict(found)


def passing(dice: Chances, needs: int) -> Chances:
    """How many of so many dice come to what is needed; none above six."""
    share, found = Share(max(0, 7 - needs), 6), defaultdict[int, Fraction](Fraction)
    for count, likely in dice.items():
        for n in range(count + 1):
            found[n] += likely * comb(count, n) * share**n * (1 - share) ** (count - n)
    return {n: likely for n, likely in found.items() if likely}


def wounds_on(strength: int, toughness: int) -> int:
    """The card's sentence, which its table must say too."""
    if strength >= 2 * toughness or strength > toughness:
        return 2 if strength >= 2 * toughness else 3
    return 4 if strength == toughness else 6 if 2 * strength <= toughness else 5


def nerve_fails(needed: int, fell: int, sergeant: bool) -> Fraction:
    over = max(0, fell - 3)
    fails = Share(sum(a + b + over > needed for a, b in product(range(1, 7), repeat=2)), 36)
    return fails**2 if sergeant else fails


def through(hits: Chances, strength: int, ap: int, toughness: int, save: int) -> Chances:
    """Wounds that come through."""
    wounds = passing(hits, wounds_on(strength, toughness))
    saving = save + ap
    return passing(wounds, 8 - saving) if saving < 7 else wounds


FIELD = [
    # dice, class, inches, weather, cover, the word, hero's answer, strength, piercing, the target
    (5, "trained", 6, "clear", False, False, "", 4, 1, (9, 12, 3, 5, 7, "")),
    (5, "trained", 6, "haze", True, False, "back", 4, 1, (4, 20, 3, 4, 8, "sergeant")),
    (4, "elite", 14, "haze", True, True, "forth", 3, 0, (6, 12, 6, 3, 9, "shaken")),
    (4, "elite", 12, "rain", False, True, "", 6, 2, (7, 14, 3, 7, 6, "sergeant shaken")),
    (6, "raw", 8, "fog", True, False, "forth", 5, 0, (3, 12, 2, 6, 5, "skirmish")),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("dice", "skill", "inches", "weather", "cover", "word", "answer", "strength", "ap", "target"),
    FIELD,
)
def test_odds_of_a_volley(
    thorn: Path,
    dice: int,
    skill: str,
    inches: int,
    weather: str,
    cover: bool,
    word: bool,
    answer: str,
    strength: int,
    ap: int,
    target: tuple[int, int, int, int, int, str],
) -> None:
    left, start, toughness, save, nerve, flags = target
    far = inches + SHIFTS[weather]
    base = TO_HIT[skill][0 if far <= 8 else 1 if far <= 16 else 2]
    needs = max(2, min(6, base + cover + ("skirmish" in flags)))
    hits = with_the_word(dice, needs) if word else exploding(dice, needs)
    lost = through(hits, strength, ap, toughness, save)
    stands = defaultdict[str, Fraction](Fraction)
    for (wounds, likely), parry in product(lost.items(), (1, 2, 3)):
        fell = max(0, min(left, wounds) - (parry if answer == "forth" else 0))
        if fell == left:
            stands[f"{fell}|gone"] += likely / 3
            continue
        tested = fell > 0 and 2 * (left - fell) <= start
        fails = nerve_fails(nerve, fell, "sergeant" in flags) if tested else Share(0)
        stands[f"{fell}|holds"] += likely / 3 * (1 - fails)
        stands[f"{fell}|{'routed' if 'shaken' in flags else 'shaken'}"] += likely / 3 * fails
    given: dict[str, object] = {
        "shooter": f"bows w={dice} per=1 skill={skill} s={strength} ap={ap}",
        "target": f"pikes w={left} start={start} per=1 t={toughness} sv={save} nerve={nerve} {flags}",
        "inches": inches,
        "cover": cover,
        "track.weather": weather,
    }
    given |= {"leader": "leader w=3"} if word else {}
    given |= {"hero": "hero w=3", "answer": answer} if answer else {"answer": "back"}
    found = odds("thorn-powder", "volley", given, "target[0].fell", "target[0].stands")
    assert found == {key: share for key, share in stands.items() if share}
    by_lost = defaultdict[str, Fraction](Fraction)
    for wounds, likely in lost.items():
        by_lost[str(min(left, wounds))] += likely
    assert odds("thorn-powder", "volley", given) == by_lost


def test_odds_of_a_petard_under_which_two_are(thorn: Path) -> None:
    """Twelve dice for the pikes, and three for the ogres, whose figures have three wounds each."""
    both: dict[str, object] = {
        "targets": "pikes w=14 start=14 per=1 t=3 sv=4 nerve=7 sergeant; ogres w=9 start=16 per=3 t=5 sv=6 nerve=9"
    }
    men = [(12, 14, 14, 3, 4, 7, True), (3, 9, 16, 5, 6, 9, False)]
    for place, (dice, left, start, toughness, save, nerve, sergeant) in enumerate(men):
        lost, stands = (
            through(passing({dice: Share(1)}, 4), 5, 2, toughness, save),
            defaultdict[str, Fraction](Fraction),
        )
        assert odds("thorn-powder", "petard", both, f"targets[{place}].fell") == {
            str(n): s for n, s in lost.items()
        }
        for fell, likely in lost.items():
            fails = (
                nerve_fails(nerve, fell, sergeant)
                if fell and 2 * (left - fell) <= start
                else Share(0)
            )
            stands["holds"] += likely * (1 - fails)
            stands["shaken"] += likely * fails
        assert odds("thorn-powder", "petard", both, f"targets[{place}].stands") == dict(stands)


def test_odds_of_a_rally_and_of_the_weather(thorn: Path) -> None:
    assert odds("thorn-powder", "rally", {"units": "pikes nerve=8"}) == {
        "steady": 1 - nerve_fails(8, 0, sergeant=False),
        "shaken": nerve_fails(8, 0, sergeant=False),
    }
    assert odds("thorn-powder", "weather", {}) == {
        "worse": Share(1, 3),
        "same": Share(1, 2),
        "better": Share(1, 6),
    }


def hand(*runs: tuple[int, int]) -> str:
    """Dice from the table: so many of each face."""
    return "hand=" + ",".join(str(face) for count, face in runs for _ in range(count))


BOLTS = f'thorn-powder volley "Bolts 1" "Old Guard" inches=6 {hand((10, 2), (10, 3), (2, 6))}'
EVENING: Evening = [
    ("Anna", 'game start thorn-powder "Thornley" scenario=ford'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Crown"),
    ("Ben", "game join League"),
    ("Ben", 'unit add "Old Guard" pikes League w=20 start=20 per=1 t=3 sv=7 nerve=12'),
    ("Anna", "thorn-powder weather hand=6"),
    ("Anna", "game next"),
    (
        "Anna",
        'thorn-powder volley "King\'s Foot" "Pike Block 1" inches=6 leader="Captain Rook" hero="Dame Sorrel" '
        + hand((1, 1), (7, 2), (3, 5), (1, 6), (1, 2), (1, 2), (3, 3), (1, 1), (2, 1), (1, 6)),
    ),
    ("Ben", "choose option=forth hand=1,1"),
    ("Anna", BOLTS),
    ("Anna", "game undo"),
    ("Ben", "game undo"),
    ("Anna", BOLTS),
    ("Anna", "game next"),
    ("Ben", "game next"),
    (
        "Ben",
        'thorn-powder volley "Green Bows" "King\'s Foot" inches=10 '
        + hand((12, 5), (12, 4), (6, 1), (6, 6), (2, 6), (2, 1)),
    ),
    ("Ben", f'thorn-powder petard "Bolts 1; Bolts 2" {hand((20, 1))}'),
    ("Ben", "game next"),
    ("Anna", "thorn-powder weather hand=1"),
    ("Anna", "game next"),
    ("Anna", f'thorn-powder volley "Bolts 1" "Ogre Band" inches=4 {hand((10, 2), (10, 1))}'),
    ("Anna", "game next"),
    ("Ben", "game next"),
    ("Ben", f'thorn-powder volley "Green Bows" "Bolts 1" inches=20 {hand((12, 5))}'),
    ("Ben", "game next"),
    ("Anna", "game next"),
]
"""The leader's word and the hero's step, the Old Guard shaken and steady again by itself,
muskets loaded on turn 3.
"""


def test_odds_where_nobody_can_be_asked_are_told_once(thorn: Path) -> None:
    """Without a hero nobody chooses forth or back."""
    given = {
        "shooter": "muskets w=3 per=1 skill=trained s=4 ap=1",
        "target": "pikes w=12 start=20 per=1 t=3 sv=5 nerve=8",
    }
    reply = count_odds_reply(find_shared_system("thorn-powder").find_sequence("volley"), given)
    (bars,) = [part for part in reply.lines if isinstance(part, Odds)]
    assert "if" not in bars.heading
    assert "forth" not in reply.format_text()
    assert "Exact odds, whatever is chosen. Nothing was rolled." in reply.format_text()


async def test_it_passes_the_check_and_refuses_what_the_card_rules_out(thorn: Path) -> None:
    assert check_content(read_content(thorn)).faults == ()
    channel = await Channel.fresh()
    await channel.do("Anna", EVENING[0][1], "game next", "track set weather rain")
    await channel.fails(
        "Anna", 'thorn-powder volley "King\'s Foot" "Ogre Band" inches=6', "do not fire in rain"
    )
    await channel.fails(
        "Anna", 'thorn-powder volley "Bolts 1" "Ogre Band" inches=17', "too far in rain"
    )
    await channel.do("Anna", 'thorn-powder volley "Bolts 1" "Ogre Band" inches=16')
    await channel.fails("Anna", 'thorn-powder volley "Bolts 1" "Ogre Band" inches=6', "not loaded")


@pytest.mark.slow
async def test_an_evening_on_the_console_with_proof(thorn: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(EVENING)
    game = await channel.game()
    assert (game.turn, game.tracks) == (3, {"weather": "haze"})
    left = {name: unit.numbers["w"] for name, unit in game.units.items()}
    assert left["old guard"] == 10
    assert left["king's foot"] == 6
    assert left["pike block 1"] == 19
    assert left["dame sorrel"] == 2
    assert game.units["old guard"].state in ("", "steady")
    assert game.units["king's foot"].numbers["reload"] == 0
    page = await proved(channel, tmp_path)
    assert "Thornley" in page


@on_both
async def test_the_same_evening_on_both_platforms(
    thorn: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, thorn, EVENING, tmp_path)
