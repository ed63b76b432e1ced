"""Infantry fire for asl on a table that is blank, played with made-up figures typed as an owner
would type theirs.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from tests.examples import odds
from tests.packs.evening import (
    Evening,
    Platform,
    ends_as_on_the_console,
    export_of,
    on_both,
    on_the_console,
)
from tests.playing import Channel
from tools.fuzz import FuzzTally, play_random_games

pytestmark = pytest.mark.scenes(4)

MADE_UP = """
1kia k1 2mc
k1 2mc 1mc
2mc 1mc nmc
1mc nmc ptc
nmc ptc none
ptc none none
none none none
"""
"""Turned upside down: the first column is the best. Rows 0-1, 2-3, 4-5, 6-7, 8-9, 10-11, 12 and
more.
"""


@pytest.fixture
def typed(root: Path, tmp_path: Path) -> Path:
    """The pack with figures that nobody printed."""
    folder = Path(shutil.copytree(root / "packs" / "asl-fire", tmp_path / "asl-fire"))
    file = folder / "fire-table.yaml"
    lines = MADE_UP.strip().splitlines()
    text = file.read_text(encoding="utf-8").replace(
        "from: [_, _, _, _, _, _, _, _, _, _, _]", "from: [1, 3, 9]"
    )
    for row in range(16):
        cells = ", ".join(reversed(lines[min(row // 2, 6)].split()))
        text = text.replace(
            f"{row}:".ljust(4) + "[_, _, _, _, _, _, _, _, _, _, _]",
            f"{row}:".ljust(4) + f"[{cells}]",
        )
    file.write_text(text, encoding="utf-8")
    return folder


def test_as_it_ships_every_cell_is_blank(root: Path) -> None:
    report = check_content(read_content(root / "packs" / "asl-fire"))
    assert report.faults == ()
    assert any("177 blanks to fill in from your card" in question for question in report.questions)


def test_typed_it_passes_the_check(typed: Path) -> None:
    report = check_content(read_content(typed))
    assert report.faults == ()
    assert not [question for question in report.questions if "blank" in question]


async def test_blank_it_refuses_before_the_first_die(
    root: Path, use_packs: Callable[[Path], None]
) -> None:
    use_packs(root / "packs" / "asl-fire")
    channel = await Channel.fresh()
    await channel.do("Anna", *(line for _, line in EVENING[:6]))
    shot = 'asl-fire infantry-fire "A Squad" "X Squad 1" firepower=4'
    assert (await channel.fails("Anna", shot, "blank")).code == "blank-cell"


def cell(total: int, firepower: int) -> str:
    """The made-up code."""
    row = MADE_UP.strip().splitlines()[min(max(total, 0) // 2, 6)].split()
    return list(reversed(row))[0 if firepower < 3 else 1 if firepower < 9 else 2]


def becomes(fire: int, check: int, firepower: int) -> str:
    """What a squad with morale 7 becomes by the two rolls."""
    code = cell(fire, firepower)
    if code.endswith("kia"):
        return "eliminated"
    if code.startswith("k"):
        return "reduced"
    if code == "none":
        return "unharmed"
    if code == "ptc":
        return "unharmed" if check <= 7 else "pinned"
    total = check + (0 if code == "nmc" else int(code[0]))
    return "broken" if total > 7 else "pinned" if total == 7 else "unharmed"


@pytest.mark.parametrize("firepower", [2, 4, 12])
def test_odds_are_those_of_every_pair_of_rolls(
    typed: Path, use_packs: Callable[[Path], None], firepower: int
) -> None:
    use_packs(typed)
    sums = Counter(a + b for a, b in product(range(1, 7), repeat=2))
    counted: Counter[str] = Counter()
    for (fire, first), (check, second) in product(sums.items(), repeat=2):
        counted[becomes(fire, check, firepower)] += first * second
    given = {"attackers": "squad", "targets": "squad morale=7", "firepower": firepower}
    found = odds("asl-fire", "infantry-fire", given)
    assert {str(key): part for key, part in found.items()} == {
        key: Fraction(times, 36 * 36) for key, times in counted.items() if times
    }


EVENING: Evening = [
    ("Anna", 'game start asl "Farm" sides="Allies, Axis"'),
    ("Anna", "game settings hand_dice=yes"),
    ("Anna", "game join Allies"),
    ("Anna", 'unit add "A Squad" squad Allies morale=7'),
    ("Anna", 'unit add "X Squad 1..2" squad Axis morale=7'),
    ("Anna", 'unit add "X Leader" leader Axis morale=9'),
    ("Ben", "game join Axis"),
    (
        "Anna",
        'asl-fire infantry-fire "A Squad" "X Squad 1; X Squad 2; X Leader" firepower=12 drm=-2 hand=1,1,6,2,3',
    ),
    ("Anna", "game next"),
    ("Ben", 'asl-fire infantry-fire "X Squad 2" "A Squad" firepower=4 hand=3,3,3,4'),
    ("Anna", "game undo"),
    ("Ben", "game undo"),
    ("Ben", 'asl-fire infantry-fire "X Leader" "A Squad" firepower=4 drm=1 hand=3,4,6,2'),
    ("Anna", "game next"),
]


@pytest.mark.parametrize("is_typed", [False, True])
async def test_random_games_of_asl_with_it_are_sound(
    root: Path, typed: Path, use_packs: Callable[[Path], None], is_typed: bool
) -> None:
    """Fuzz plays the game that a pack extends, and a blank table is no failure."""
    use_packs(typed if is_typed else root / "packs" / "asl-fire")
    assert await play_random_games(find_shared_system("asl-fire"), 1, 4, FuzzTally()) is None


async def test_an_evening_of_asl_with_it_and_what_was_typed_stays_at_home(
    typed: Path,
    use_packs: Callable[[Path], None],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_packs(typed)
    channel, _ = await on_the_console(EVENING)
    units = (await channel.game()).units
    assert [units[name].state for name in ("x squad 1", "x squad 2", "x leader")] == [
        "eliminated",
        "broken",
        "broken",
    ]
    text = await export_of(channel)
    assert "fire-table" not in json.dumps(json.loads(text).get("packs", {})) or "1kia" not in text
    file = tmp_path / "log.json"
    file.write_text(text, encoding="utf-8")
    assert main(["verify", str(file)]) == 0, capsys.readouterr().out


@on_both
async def test_the_same_on_both_platforms(
    typed: Path, use_packs: Callable[[Path], None], tmp_path: Path, platform: Platform
) -> None:
    use_packs(typed)
    await ends_as_on_the_console(platform, typed, EVENING, tmp_path / "data")
