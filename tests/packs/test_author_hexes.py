"""The Sauer Crossings: a hex-and-counter card whose loser chooses hexes or steps; its odds
beside a count by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
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

COLUMNS = ["1-3", "1-2", "1-1", "2-1", "3-1", "4-1", "5-1", "6-1"]
CARD = {
    **dict.fromkeys((2, 3), "A2 A2 A2 A1 A1 EX EX D1"),
    4: "A2 A2 A1 A1 EX EX D1 D1",
    5: "A2 A1 A1 EX NE D1 D1 D2",
    6: "A1 A1 NE NE D1 D1 D2 D2",
    7: "A1 NE NE D1 D1 D2 D2 D2r",
    8: "NE NE EX D1 D2 D2 D2r D2r",
    9: "NE EX D1 D2 D2 D2r D2r D3r",
    10: "EX D1 D1 D2 D2r D2r D3r DE",
    11: "D1 D1 D2 D2r D2r D3r DE DE",
    12: "D1 D2 D2 D2r D3r DE DE DE",
}
CALLED = {"NE": "no-effect", "EX": "exchange", "DE": "overrun"}
TWO = Counter(a + b for a, b in product(range(1, 7), repeat=2))


@pytest.fixture
def sauer(root: Path, use_packs: Callable[[Path], None]) -> Path:
    folder = root / "tests" / "data" / "packs" / "sauer"
    use_packs(folder)
    return folder


def column(attack: int, defense: int, shift: int) -> int:
    """Which column of the card, counted from the left; all fractions for the defender."""
    ratio = Fraction(attack, defense)
    ends = [Fraction(1, 3), Fraction(1, 2), *(Fraction(n) for n in range(1, 7))]
    found = max(at for at, end in enumerate(ends) if ratio >= end)
    return max(0, min(7, found + max(-3, min(3, shift))))


def by_hand(attack: int, defense: int, shift: int) -> dict[str, Fraction]:
    found: Counter[str] = Counter()
    for total, ways in TWO.items():
        code = CARD[total].split()[column(attack, defense, shift)]
        found[CALLED.get(code, code)] += ways
    return {code: Fraction(ways, 36) for code, ways in found.items()}


def counted(sequence: str, given: Mapping[str, object], *by: str) -> dict[str, Fraction]:
    return {str(key): share for key, share in odds("sauer", sequence, given, *by).items()}


@pytest.mark.parametrize("af", [1, 2, 5, 13, 20])
@pytest.mark.parametrize(
    ("ground", "river", "shift"), [("clear", False, 0), ("town", True, -3), ("woods", False, -1)]
)
def test_odds_of_an_attack(sauer: Path, af: int, ground: str, river: bool, shift: int) -> None:
    given = {
        "attackers": f"infantry af={af} df=4 steps=2 full=2",
        "targets": "infantry df=3 steps=2 full=2",
        "ground": ground,
        "river": river,
        "choice": "retreat",
        "answer": "hold",
    }
    assert counted("attack", given) == by_hand(af, 3, shift)


@pytest.mark.parametrize("answer", ["retreat", "zone", "hold"])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_odds_of_a_defender(sauer: Path, answer: str, steps: int) -> None:
    """What becomes of one defender of so many steps, whoever chose what."""
    found: Counter[str] = Counter()
    defense = 4 if steps == 3 else 2
    for total, ways in TWO.items():
        code = CARD[total].split()[column(10, defense, 1)]
        first = {"D2r": 1, "D3r": 1, "DE": 9, "EX": 1}.get(code, 0)
        chooses = code.startswith("D") and code != "DE" and steps > first
        lost = first + (1 if chooses and answer != "retreat" else 0)
        back = chooses and answer != "hold"
        found["destroyed" if lost >= steps else "retreats" if back else "stays"] += ways
    given = {
        "attackers": "infantry af=4 df=4 steps=2 full=2; tank af=6 df=4 steps=2 full=2",
        "targets": f"infantry df=4 steps={steps} full=3",
        "choice": "retreat",
        "answer": answer,
    }
    expected = {word: Fraction(ways, 36) for word, ways in found.items()}
    assert counted("attack", given, "targets[0].becomes") == expected


def test_odds_of_the_morning(sauer: Path) -> None:
    """A die for the weather and perhaps one for the front; hunger and reserves by the weather."""
    sky: Counter[str] = Counter()
    for first, second in product(range(1, 7), repeat=2):
        sky["clear" if first <= 3 else "mud" if first == 4 or second <= 3 else "storm"] += 1
    expected = {word: Fraction(ways, 36) for word, ways in sky.items()}
    assert counted("dawn", {"units": "headquarters staff=1"}) == expected
    assert counted("hunger", {"units": "infantry steps=2"})["starves"] == Fraction(2, 6)
    assert counted("arrive", {"units": "infantry"})["arrives"] == Fraction(2, 6)


BOTH = {
    "attackers": "infantry af=4 df=4 steps=2 full=2; tank af=6 df=4 steps=2 full=2",
    "targets": "infantry df=4 steps=2 full=2; infantry df=4 steps=2 full=2",
}


def test_odds_of_two_choices_say_once_what_each_changes(sauer: Path) -> None:
    """What the attackers would choose changes nothing for the defenders, so only the defenders'
    options are told.
    """
    reply = count_odds_reply(find_shared_system("sauer").find_sequence("attack"), BOTH)
    assert (
        reply.title
        == "58% retreats or worse for each infantry if the targets choose retreat or zone, 8% if hold"
    )
    headings = [part.heading for part in reply.lines if isinstance(part, Odds)]
    assert headings == ["infantry 1 + 2, if the targets choose retreat", "If zone", "If hold"]


def test_odds_of_one_choice_of_two_do_not_name_the_other(sauer: Path) -> None:
    reply = count_odds_reply(
        find_shared_system("sauer").find_sequence("attack"), {**BOTH, "choice": "retreat"}
    )
    headings = [part.heading for part in reply.lines if isinstance(part, Odds)]
    assert headings == ["infantry 1 + 2, if retreat", "If zone", "If hold"]


EVENING: Evening = [
    ("Anna", 'game start sauer "Sauer" scenario=morning'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Blue"),
    ("Ben", "game join Red"),
    ("Anna", 'sauer dawn "Blue Staff" hand=5,6,6,6,6'),
    ("Anna", "game undo"),
    ("Ben", "game undo"),
    ("Anna", 'sauer dawn "Blue Staff" hand=1,3,4'),
    ("Anna", "game next"),
    ("Anna", "game next"),
    (
        "Anna",
        'sauer attack "Blue Foot 1; Blue Tanks" "Red Guard 1; Red Guard 2" air=2 against=1 hand=6,3',
    ),
    ("Ben", "choose option=retreat,zone"),
    ("Anna", "game next"),
    ("Anna", 'sauer exploit "Blue Tanks" "Red Armour" ground=rough hand=3,3'),
    ("Ben", "choose option=retreat"),
    ("Anna", "game next"),
    ("Ben", "game next"),
    ("Ben", "game next"),
    ("Ben", 'sauer attack "Red Guard 1" "Blue Foot 2" hand=1,2'),
    ("Ben", "choose option=hold"),
    *[("Ben", "game next")] * 2,
    *[("Anna", "game next")] * 4,
    *[("Ben", "game next")] * 4,
    ("Anna", 'sauer dawn "Blue Staff" hand=5,6,2,2'),
]
"""Two retreats, one through a zone, a break-through, a counter-attack that fails, a storm on the
third morning.
"""


async def test_the_undo_of_a_choice_says_what_it_undoes(sauer: Path) -> None:
    channel = await Channel.fresh()
    for person, line in EVENING[:11]:
        await channel.do(person, line)
    await channel.do("Ben", "choose option=hold,zone")
    undone = [await channel.do(person, "game undo") for person in ("Ben", "Anna")]
    assert "D2: Blue Foot 1 and Blue Tanks fought; Red Guard 1 steps 1" in " ".join(
        reply.format_text() for reply in undone
    )


def test_it_passes_the_check(sauer: Path) -> None:
    assert check_content(read_content(sauer)).faults == ()


async def test_an_evening_on_the_console_with_proof(sauer: Path, tmp_path: Path) -> None:
    channel, _ = await on_the_console(EVENING)
    game = await channel.game()
    assert game.turn == 3
    steps = {
        name: game.units[name].numbers["steps"]
        for name in ("red guard 1", "red guard 2", "red armour")
    }
    assert steps == {"red guard 1": 1, "red guard 2": 1, "red armour": 2}, (
        "held, went through a zone, refitted"
    )
    sides = {
        "Blue/air": 0,
        "Blue/rp": 1,
        "Blue/supply": 4,
        "Red/air": 0,
        "Red/rp": 0,
        "Red/supply": 2,
    }
    assert game.tracks == {**sides, "weather": "storm"}
    assert "Sauer" in await proved(channel, tmp_path)


@on_both
async def test_the_same_evening_on_both_platforms(
    sauer: Path, tmp_path: Path, platform: Platform
) -> None:
    await ends_as_on_the_console(platform, sauer, EVENING, tmp_path)
