"""A club's night and tunnels on top of Lock 'n Load, and its hounds beside them: odds by hand, the
parent's own fights, and an evening on each platform."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.dice import Script
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from bot.rulesets.play_once import play_sequence
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
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.slow

DIE = range(1, 7)


@pytest.fixture
def club(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "tests" / "data" / "packs" / "lnltext"
    use_packs(folder)
    return folder


def share(rolls: list[str]) -> dict[str, Fraction]:
    """How likely each of the outcomes that were counted is."""
    return {what: Fraction(n, len(rolls)) for what, n in Counter(rolls).items()}


def named(found: dict[str, Fraction]) -> dict[str, Fraction]:
    return {str(key): likely for key, likely in found.items() if likely}


def passing(dice: int, likely: Fraction) -> list[Fraction]:
    """How likely each number of so many dice passes."""
    return [comb(dice, n) * likely**n * (1 - likely) ** (dice - n) for n in range(dice + 1)]


def below(
    tunnelers: int, men: int, saves: Fraction, back: bool
) -> tuple[dict[str, Fraction], dict[str, Fraction]]:
    """What the search of a tunnel comes to, and what becomes of its first tunneler."""
    outcome: defaultdict[str, Fraction] = defaultdict(Fraction)
    first: defaultdict[str, Fraction] = defaultdict(Fraction)
    for a, b in product(DIE, DIE):
        total, each = a + b + min(2, tunnelers - 1), Fraction(1, 36)
        if total > 4:
            outcome["dead-end" if total < 8 else "find" if total < 10 else "way-out"] += each
            first["unharmed"] += each
            continue
        for trap in DIE:
            for harm, hurt in enumerate(
                passing(3 if trap < 4 else 2 if trap < 6 else 5, Fraction(1, 2))
            ):
                for saved, spared in enumerate(passing(harm, saves)):
                    likely, lost = each / 6 * hurt * spared, harm - saved
                    outcome["harmed" if lost else "trap"] += likely
                    fell = (lost + men - 1) // men
                    unhurt = "rattled" if back and harm else "unharmed"
                    first["eliminated" if fell > 1 else "wounded" if fell else unhurt] += likely
    return dict(outcome), dict(first)


def test_odds_of_a_tunnel(club: Path) -> None:
    for answer, saves in (("press", Fraction(1, 3)), ("back", Fraction(1, 2))):
        for tunnelers, others in (
            (1, ""),
            (1, "; squad morale=5"),
            (2, "; squad morale=5"),
            (4, ""),
        ):
            given = {
                "searchers": "; ".join(["tunneler morale=6"] * tunnelers) + others,
                "answer": answer,
            }
            outcome, first = below(tunnelers, tunnelers + bool(others), saves, answer == "back")
            assert named(odds("under-dark", "tunnel", given)) == outcome
            assert named(odds("under-dark", "tunnel", given, "searchers[0].becomes")) == first


def test_odds_of_dread(club: Path) -> None:
    """Who is fresh becomes rattled, who is shaken stays so."""
    for state, fails in (("", "rattled"), ("shaken", "shaken")):
        for mouths in (0, 1, 3):
            found = odds(
                "under-dark", "dread", {"units": f"squad morale=6 {state}", "mouths": mouths}
            )
            rolls = [fails if a + b + mouths > 6 else "holds" for a, b in product(DIE, DIE)]
            assert named(found) == share(rolls)


def test_odds_of_night_spotting(club: Path) -> None:
    sights = (
        ("dark", 1, 0),
        ("dark", 2, 2),
        ("moon", 0, -1),
        ("moon", 3, 0),
        ("flare", 3, -1),
        ("flare", 4, 0),
    )
    weathers: tuple[tuple[dict[str, bool], int], ...] = (
        ({}, 0),
        ({"rain": True}, 1),
        ({"rain": True, "fired": True}, -1),
    )
    for ear, (light, hexes, adds), (more, weather) in product(range(3), sights, weathers):
        given = {"spotter": f"tunneler morale=6 ear={ear}", "light": light, "hexes": hexes, **more}
        rolls = [
            "spotted" if die < 6 and die + adds + weather - ear <= 4 else "not-spotted"
            for die in DIE
        ]
        assert named(odds("under-dark", "night-spot", given)) == share(rolls)


def test_odds_of_a_star_shell_and_of_the_hounds(club: Path) -> None:
    assert named(odds("under-dark", "star-shell", {"units": "squad"})) == share(
        ["dud"] * 2 + ["burns"] * 4
    )
    for nose, (trail, adds) in product(range(4), (("dry", 0), ("wet", 1), ("river", -2))):
        found = odds(
            "hounds", "track-down", {"handler": f"dog-handler nose={nose}", "trail": trail}
        )
        assert named(found) == share(
            ["trail-found" if die + nose + adds >= 6 else "trail-lost" for die in DIE]
        )


FIRE: dict[str, object] = {
    "attackers": "squad fp=2 sw=3; squad fp=1",
    "targets": "squad morale=5",
    "tm": 1,
}
MELEE: dict[str, object] = {
    "attackers": "squad fp=2 m; hero fp=1",
    "defenders": "squad fp=2; half-squad fp=1",
}


def test_the_parents_fire_and_melee_come_out_as_the_parents(club: Path) -> None:
    """Every roll of them, and their odds; whatever the night adds, it is not there unless it is
    named.
    """
    for sequence, given in (("fire", FIRE), ("fire", {**FIRE, "night": True}), ("melee", MELEE)):
        assert odds("under-dark", sequence, given) == odds("lnlt", sequence, given)
    hits = 0
    for dice in product(DIE, DIE, (2, 3, 6), DIE):  # a damage check of 1 would ask for a hero
        for sequence, given in (("fire", FIRE), ("melee", MELEE)):
            theirs, ours = (
                play_sequence(find_shared_system(game).find_sequence(sequence), given, Script(dice))
                for game in ("lnlt", "under-dark")
            )
            assert repr((ours.out, ours.lines)) == repr((theirs.out, theirs.lines)), dice
            hits += ours.out.get("hit") is True
    assert hits > 100


async def test_the_night_falls_on_a_shot_by_default_and_can_be_switched_off(club: Path) -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start under-dark "Mouth" scenario=mouth', "game settings hand_dice=yes"
    )
    shot = 'under-dark fire "Squad 1" "Cell 1" hand=1,6'
    night = await channel.do("Anna", shot)
    assert "3 night" in night.format_text()
    assert "By rule: Night falls" in night.format_text().splitlines()
    await channel.do("Anna", "game settings rule=night-falls=off")
    day = await channel.do("Anna", shot)
    assert "night" not in day.format_text().casefold()
    await channel.fails(
        "Anna", "under-dark air-support value=4 targets=squad", 'has no "air-support"'
    )
    assert (
        "is now steady"
        in (
            await channel.do("Anna", "under-dark-table combat state-change squad good-order none")
        ).title
    )
    traps = await channel.do("Anna", "under-dark-table night tunnel-search roll=3")
    assert traps.title.startswith("Rolled: Trap; "), traps.title


@pytest.mark.slow
async def test_random_games_of_both_are_sound(club: Path) -> None:
    for pack in ("under-dark", "hounds"):
        assert check_content(read_content(club / pack)).faults == ()
        tally = FuzzTally()
        assert await play_random_games(find_shared_system(pack), 1, 3, tally) is None
        assert tally.plays == 1


NIGHT: Evening = [
    ("Anna", 'game start under-dark "Ben Suc" scenario=mouth'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join US"),
    ("Ben", "game join VC"),
    ("Anna", "under-dark star-shell Mole hand=4"),
    ("Anna", "game next"),
    ("Anna", "under-dark night-spot Rat hexes=4 hand=5"),
    ("Anna", 'under-dark tunnel "Rat; Mole; Squad 2" hand=1,1,6,4,4,5,1,2'),
    ("Anna", "choose option=press hand=5,1,1"),
    ("Anna", 'under-dark fire "Squad 1" "Cell 1" hand=1,6'),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Anna", "track set light moon"),
    ("Anna", 'under-dark dread "Squad 1" mouths=1 hand=4,4'),
    ("Anna", "game next"),
    ("Ben", 'under-dark melee "Cell 2" "Squad 1" hand=1,1,1,1'),
    ("Ben", "game undo"),
    ("Anna", "game undo"),
    ("Anna", "game next"),
    ("Anna", "game next"),
    ("Anna", 'under-dark dread "Squad 1" hand=1,2'),
    ("Anna", 'under-dark tunnel "Mole" hand=5,4,3'),
    ("Anna", "game next"),
]
"""A trap that two men pay for, a fight that is taken back, a squad that is rattled and steadies:
three turns.
"""

HOUNDS: Evening = [
    ("Anna", 'game start lnlt "Beside" sides="US, VC"'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join US"),
    ("Ben", "game join VC"),
    ("Anna", "unit add Rex dog-handler US morale=5 nose=2"),
    ("Anna", "hounds track-down Rex trail=wet hand=3"),
    ("Ben", "unit add Cell squad VC morale=4 fp=1"),
    ("Anna", "lnlt spot degrading unit=Rex hand=2"),
]


async def test_three_turns_on_the_console_with_proof(club: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(NIGHT)
    game = await channel.game()
    assert game.turn == 3
    assert game.tracks == {"light": "moon", "US/shells": 1, "VC/shells": 0}
    states = {name: game.units[name].state for name in ("rat", "mole", "squad 1", "squad 2")}
    assert states == {"rat": "wounded", "mole": "wounded", "squad 1": "good-order", "squad 2": ""}
    found = await channel.do("Anna", 'under-dark tunnel "Mole" hand=5,4,3')
    assert "They bring up papers." in found.format_text()
    assert "Ben Suc" in await proved(channel, tmp_path)


async def test_hounds_in_a_game_of_the_parent_beside_it(club: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(HOUNDS)
    assert "Beside" in await proved(channel, tmp_path)


@on_both
@pytest.mark.parametrize("evening", [NIGHT, HOUNDS], ids=["night", "hounds"])
async def test_the_same_on_both_platforms(
    club: Path, tmp_path: Path, evening: Evening, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, club, evening, tmp_path)
