"""Low Water: saves, choices, tracks and upkeep in one evening; its odds beside a count by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest

from bot.app import App
from bot.cli.odds_text import count_odds_reply
from bot.commands.by_post.choose import LATER, WAIT
from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from bot.ui.reply.parts import Odds
from tests.examples import odds
from tests.fresh import fresh_store
from tests.packs.evening import (
    Evening,
    Platform,
    agreed,
    ends_as_on_the_console,
    on_both,
    on_the_console,
    proved,
)
from tests.playing import Channel
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(8)


@pytest.fixture
def low_water(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "packs" / "low-water"
    use_packs(folder)
    return folder


def passing(dice: int, share: Fraction) -> list[Fraction]:
    """How likely each number of so many dice passes."""
    return [comb(dice, n) * share**n * (1 - share) ** (dice - n) for n in range(dice + 1)]


def at_most(limit: int) -> Fraction:
    """How likely 2d6 come to no more."""
    return Fraction(sum(a + b <= limit for a, b in product(range(1, 7), repeat=2)), 36)


def by_hand(
    dice: int, hit: Fraction, men: int, saved: Fraction, nerve: int, answer: str, pays: str
) -> dict[str, Fraction]:
    """The results of a volley by all numbers of hits and saves."""
    found = dict.fromkeys(
        ("missed", "all-saved", "went-to-ground", "stood", "ran", "wiped-out"), Fraction(0)
    )
    for told, likely in enumerate(passing(dice, hit)):
        hits = min(men, told)
        for saves, and_likely in enumerate(passing(hits, saved) if saved else [Fraction(1)]):
            fallen, both = hits - saves, likely * and_likely
            if hits == 0 or fallen == 0 or fallen == men:
                found["missed" if hits == 0 else "all-saved" if fallen == 0 else "wiped-out"] += (
                    both
                )
            elif answer == "ground":
                found["went-to-ground"] += both
            else:
                holds = Fraction(1) if pays == "hold" else at_most(nerve - fallen + 1)
                found["stood"] += both * holds
                found["ran"] += both * (1 - holds)
    return {result: share for result, share in found.items() if share}


@pytest.mark.parametrize("answer", ["stand", "ground"])
@pytest.mark.parametrize("pays", ["hold", "run"])
@pytest.mark.parametrize(
    ("cover", "saved"), [("open", Fraction(0)), ("soft", Fraction(1, 3)), ("hard", Fraction(1, 2))]
)
def test_odds_of_a_volley(
    low_water: Path, answer: str, pays: str, cover: str, saved: Fraction
) -> None:
    given = {
        "shooters": "smugglers men=6 shot=4",
        "target": "preventives men=5 nerve=8",
        "range": 8,
        "cover": cover,
    }
    found = odds("low-water", "shoot", {**given, "answer": answer, "pays": pays})
    assert {str(key): share for key, share in found.items()} == by_hand(
        6, Fraction(1, 3), 5, saved, 8, answer, pays
    )


def test_odds_of_two_choices_of_one_side_are_told_in_its_words(low_water: Path) -> None:
    """Who goes to ground is not asked whether to hold or run."""
    given = {
        "shooters": "smugglers men=6 shot=4",
        "target": "preventives men=5 nerve=8",
        "range": 5,
        "cover": "soft",
    }
    reply = count_odds_reply(find_shared_system("low-water").find_sequence("shoot"), given)
    headings = [part.heading for part in reply.lines if isinstance(part, Odds)]
    assert headings == ["preventives, if stand and hold", "If stand and run", "If ground"]
    assert reply.title.startswith(
        "Preventives: stood 90% if stand and hold, stood 50% if stand and run, "
    )


def test_odds_of_blades(low_water: Path) -> None:
    """Four dragoons who charge and four men of theirs: whoever strikes more wins."""
    given = {
        "attackers": "dragoons men=4 blade=4 nerve=9",
        "target": "smugglers men=4 blade=5 nerve=8",
        "charge": True,
    }
    found = odds("low-water", "brawl", given)
    ours, theirs = passing(6, Fraction(1, 2)), passing(4, Fraction(1, 3))
    won = sum(
        a * b for (x, a), (y, b) in product(enumerate(ours), enumerate(theirs)) if min(x, 4) > y
    )
    lost = sum(
        a * b for (x, a), (y, b) in product(enumerate(ours), enumerate(theirs)) if min(x, 4) < y
    )
    assert {str(key): share for key, share in found.items()} == {
        "won": won,
        "lost": lost,
        "drawn": 1 - won - lost,
    }


def test_odds_of_the_tide(low_water: Path) -> None:
    assert set(odds("low-water", "tide", {}).values()) == {Fraction(1, 2)}


EVENING: Evening = [
    ("Anna", 'game start low-water "Cuckmere" scenario=cuckmere'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Trade"),
    ("Ben", "game join Revenue"),
    ("Anna", "low-water tide hand=1"),
    ("Anna", "game next"),
    (
        "Anna",
        'low-water shoot Gunmen "Officers 1" range=8 rested cover=soft hand=4,5,6,1,2,3,1,2,6',
    ),
    ("Ben", "choose option=stand hand=6,3"),
    ("Ben", "choose option=hold"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Ben", "game next"),
    ("Ben", 'low-water shoot "Officers 1; Officers 2" Gunmen range=5 hand=4,5,1,1,2,3,4,1,1,1'),
    ("Anna", "choose option=ground"),
    ("Ben", "game next"),
    ("Ben", 'low-water brawl Troop "Club men" charge hand=4,4,4,4,1,1,1,1,4,4,1,1,1,1,6,6'),
    ("Ben", "game undo"),
    ("Anna", "game undo"),
    ("Ben", 'low-water brawl Troop "Club men" charge hand=4,4,4,4,1,1,1,1,4,4,1,1,1,1,2,2'),
    ("Ben", "game next"),
    ("Anna", "low-water tide hand=5"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Ben", "track set tubs 2 side=Revenue"),
    ("Ben", "game next"),
    ("Ben", "game next"),
    ("Ben", "game next"),
]
"""A volley that is stood with a point of spirit, one that sends them to ground, a charge that is
fought again.
"""


async def test_it_passes_the_check_and_reads_what_it_keeps(low_water: Path) -> None:
    assert check_content(read_content(low_water)).faults == ()
    channel = await Channel.fresh()
    await channel.do("Anna", *(line for _, line in EVENING[:2]))
    await channel.fails("Anna", 'low-water shoot Gunmen "Officers 1" range=9', "8 inches")
    await channel.do(
        "Anna", "track set mist 0", 'low-water shoot Gunmen "Officers 1" range=9 hand=1,1,1,1,1,1'
    )
    await channel.fails(
        "Anna", 'low-water shoot Gunmen "Officers 1" range=9', "has fired and not yet reloaded"
    )


async def test_random_games_of_it_are_sound(low_water: Path) -> None:
    """Without a table to look up, with choices that are answered, and with what waits for them."""
    tally = FuzzTally()
    assert await play_random_games(find_shared_system("low-water"), 2, 3, tally) is None
    assert tally.plays == 2


async def test_an_evening_on_the_console_with_proof(low_water: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(EVENING)
    game = await channel.game()
    assert game.turn == 3
    men = {
        name: game.units[name].numbers["men"]
        for name in ("officers 1", "gunmen", "club men", "troop")
    }
    assert men == {"officers 1": 4, "gunmen": 4, "club men": 2, "troop": 4}
    assert not game.units["gunmen"].marks, "loaded and up again, by itself"
    assert game.tracks == {"mist": 1, "tide": "making", "Revenue/spirit": 5, "Revenue/tubs": 2}
    page = await proved(channel, tmp_path)
    assert "Cuckmere" in page


@on_both
async def test_the_same_evening_on_both_platforms(
    low_water: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, low_water, EVENING, tmp_path)


async def test_what_is_suggested_runs_in_this_game(low_water: Path) -> None:
    """Examples name its own units and tracks, and a scenario that is not there names the one
    that is.
    """
    channel = await Channel.fresh()
    await channel.do("Anna", "game start low-water")
    for line in ("unit list", "track set tide 99"):
        example = (await channel.say("Anna", line)).format_text().rpartition("/")[2].rstrip("`")
        await channel.do("Anna", example)
    lacks = await channel.say("Anna", "game start low-water scenario=cove")
    assert lacks.lines[0] == "It has cuckmere."


SHOT_AT_OFFICERS = (
    'low-water shoot Gunmen "Officers 1" range=8 rested cover=soft hand=4,5,6,1,2,3,1,2,6'
)
"""Two of the officers fall, and the Revenue is asked whether they stand. The volley has read the
mist.
"""
BRAWL = 'low-water brawl "Boat party 1" Troop hand='


async def waiting_for_revenue() -> Channel:
    """The game once that volley waits for Ben."""
    channel = await Channel.fresh()
    await channel.do("Anna", *(line for name, line in EVENING[:2]), "game join Trade")
    await channel.do("Ben", "game join Revenue")
    await channel.do("Anna", SHOT_AT_OFFICERS)
    return channel


async def test_a_choice_holds_the_tracks_that_its_dice_hang_on_and_no_others(
    low_water: Path,
) -> None:
    """The tide may move the mist, so it waits whatever its die; spirit that is only added to
    does not.
    """
    channel = await waiting_for_revenue()
    (asks,) = (await channel.game()).waits.values()
    assert asks["tracks"] == ["mist"]
    for face in range(1, 7):
        reply = await channel.refused("Anna", f"low-water tide hand={face}", "choice-first")
        assert reply.title == "#5 waits for Revenue to choose; until then Mist cannot change."
    await channel.refused("Anna", "low-water tide secret", "choice-first")
    await channel.refused("Anna", "track set mist 1", "choice-first")
    await channel.refused("Ben", "track set spirit 3 side=Revenue", "choice-first")
    await channel.do("Ben", "track set spirit +1 side=Revenue")
    await channel.do("Anna", "track set tubs 2 side=Trade", f"{BRAWL}6,6,6,6,6,6,1,1,1,1,1,1")
    assert (await channel.game()).tracks["Revenue/spirit"] == 6, (
        "one more, and the troop is no more"
    )


async def test_a_sealed_roll_sets_no_track_while_a_choice_may_add_to_it(low_water: Path) -> None:
    """What was sealed is a value of that time, as if somebody set the spirit: it waits too."""
    channel = await Channel.fresh()
    await channel.do("Anna", *(line for name, line in EVENING[:2]), "game join Trade")
    await channel.do("Ben", "game join Revenue")
    await channel.do("Anna", f"{BRAWL}6,6,6,6,6,6,1,1,1,1,1,1 secret", SHOT_AT_OFFICERS)
    (sealed,) = (await channel.game()).sealed
    reply = await channel.refused("Anna", f"game reveal {sealed}", "choice-first")
    assert "until then Spirit (Revenue) cannot change" in reply.title
    await channel.do("Ben", "choose option=ground")
    await channel.do("Anna", f"game reveal {sealed}")
    assert (await channel.game()).tracks["Revenue/spirit"] == 5


async def test_what_was_added_meanwhile_stays_and_every_verifier_follows(
    low_water: Path, tmp_path: Path
) -> None:
    """The troop falls while the officers wait: their own point of spirit comes off what is left
    by then.
    """
    channel = await waiting_for_revenue()
    await channel.do("Anna", f"{BRAWL}6,6,6,6,6,6,1,1,1,1,1,1")
    asked = await channel.do("Ben", "choose option=stand hand=6,6")
    assert "Spend 1 of 5 spirit points" in asked.format_text()
    (asks,) = (await channel.game()).waits.values()
    assert asks["tracks"] == ["Revenue/spirit", "mist"]
    await channel.refused(
        "Anna", f"{BRAWL.replace('Troop', chr(34) + 'Watch house' + chr(34))}1", "choice-first"
    )
    await channel.do("Ben", "choose option=hold")
    assert (await channel.game()).tracks["Revenue/spirit"] == 4
    await agreed(channel, tmp_path)


async def test_the_refusal_has_the_buttons_that_answer_it(low_water: Path) -> None:
    """The player who may choose presses one; the others read who has to choose."""
    channel = await waiting_for_revenue()
    waits = await channel.refused("Anna", "low-water tide", "choice-first")
    assert "Ben chooses for Revenue." in waits.format_text()
    assert not [button for button in waits.buttons if button.action.startswith("choose:")]
    mine = await channel.refused("Ben", 'unit edit "Officers 1" men=3', "choice-first")
    assert (
        mine.title
        == "#5 waits for Revenue to choose; until then Officers 1 can be neither used nor changed."
    )
    assert "Choose first: /choose stand event=5 or /choose ground event=5" in mine.format_text()
    ground = mine.buttons[1]
    assert ground.label.startswith("Go to ground")
    await channel.press("Ben", ground.action)
    assert not (await channel.game()).waits


async def test_at_its_deadline_a_choice_waits_for_one_that_holds_what_it_changes(
    low_water: Path,
) -> None:
    """The second volley at the Revenue waits for what the spirit of the first is spent on; then
    both go on.
    """
    now = [1.8e9]
    store = await fresh_store(lambda: now[0])
    channel = Channel(App(store, lambda: now[0], lambda: now[0]))
    await channel.do("Anna", *(line for name, line in EVENING[:2]), "game join Trade")
    await channel.do("Ben", "game join Revenue")
    await channel.do("Anna", SHOT_AT_OFFICERS)
    await channel.do(
        "Anna", 'low-water shoot "Boat party 1" "Watch house" range=5 hand=6,6,1,1,1,1'
    )
    await channel.do("Ben", "choose event=6 option=stand hand=6,6")
    assert {*(await channel.game()).waits} == {5, 7}
    refused = await channel.refused("Ben", "choose event=5 option=ground", "choice-first")
    assert (
        refused.title
        == "#7 waits for Revenue to choose; until then Spirit (Revenue) cannot change."
    )
    now[0] += WAIT + 1
    await channel.app.due_work.look()
    assert 7 not in (await channel.game()).waits
    now[0] += 2 * LATER
    await channel.app.due_work.look()
    assert 5 not in (await channel.game()).waits
