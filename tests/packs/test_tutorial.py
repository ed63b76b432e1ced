"""The guide for authors: what its pages print are packs that pass the check and fight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rules.inputs.units import RosterUnit, Unit, build_unit
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.packs.archive import read_content
from tests.author_pages import PATH, build_pack
from tests.examples import odds
from tests.playing import Channel

FILES = ("pack.yaml", "game.yaml", "crt.yaml", "shifts.yaml", "sequences.yaml", "steps/attack.yaml")


@pytest.fixture
def few_acres(root: Path, tmp_path: Path) -> Path:
    """The pack of the path, as far as its attack."""
    return build_pack(root, tmp_path / "few-acres", *PATH[:3])


def test_it_passes_the_check_in_fewer_than_120_lines(few_acres: Path) -> None:
    report = check_content(read_content(few_acres))
    assert report.faults == ()
    assert (
        report.about
        == "few-acres: A Few Acres, version 1: 2 tables, 1 combat sequence, 0 scenarios"
    )
    assert sum(len((few_acres / name).read_text().splitlines()) for name in FILES) < 120


async def test_it_fights_with_losses_odds_and_undo(
    few_acres: Path, use_packs: Callable[[Path], None]
) -> None:
    use_packs(few_acres)
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start few-acres "A Few Acres" sides="Blue, Red"',
        "game settings hand_dice=yes",
        'unit add "Company 1..3" infantry Blue attack=4 defense=4',
        "unit add Garrison infantry Red attack=3 defense=4",
    )
    shot = 'few-acres attack attackers="blue1..blue3" targets=Garrison'
    odds = (await channel.do("Anna", f"{shot} ground=woods odds")).format_text()
    assert odds.startswith("Defender retreats 50%, defender eliminated 17%"), (
        "column 2-1: AR EX DR DR DR DE"
    )
    reply = await channel.do("Anna", f"{shot} hand=5")
    assert "column 3-1" in reply.format_text()
    assert "Combat: [5], defender eliminated" in reply.format_text()
    assert (await channel.game()).units["garrison"].state == "eliminated"
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["garrison"].state != "eliminated"
    reply = await channel.do("Anna", f"{shot} ground=woods river hand=1")
    assert "12 against 4: −1 Woods − 1 River, column 1-1" in reply.format_text()
    assert "Combat: [1], attacker eliminated" in reply.format_text()


async def test_its_optional_rule_counts_where_nobody_types_the_ground(
    few_acres: Path, root: Path, use_packs: Callable[[Path], None]
) -> None:
    build_pack(root, few_acres, "pack-rules")
    assert check_content(read_content(few_acres)).faults == ()
    use_packs(few_acres)
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start few-acres "A Few Acres" sides="Blue, Red"')
    shot = 'few-acres attack attackers="infantry attack=12" targets="infantry defense=4" hand=5'
    assert "column 3-1" in (await channel.do("Anna", shot)).format_text()
    await channel.do("Anna", "game settings rule=thick-country=on")
    ruled = (await channel.do("Anna", shot)).format_text()
    assert "12 against 4: −1 Woods, column 2-1" in ruled
    assert "By rule: Thick country" in ruled
    assert "column 3-1" in (await channel.do("Anna", f"{shot} ground=clear")).format_text()


@pytest.fixture
def club_asl(root: Path, tmp_path: Path) -> Path:
    """A fire table on top of ASL."""
    return build_pack(root, tmp_path / "club-asl", "pack-extend")


async def test_a_clubs_fire_table_goes_on_top_of_asl(
    club_asl: Path, use_packs: Callable[[Path], None]
) -> None:
    """Its own shot with exact odds, and the built-in game's commands beside it."""
    assert check_content(read_content(club_asl)).faults == ()
    use_packs(club_asl)
    channel = await Channel.fresh()
    odds = (await channel.do("Anna", "club-asl fire fp=4 drm=1 odds")).format_text()
    assert odds.startswith("1mc 33%, NMC 31%, ok 28%"), "12, 11 and 10 of 36"
    reply = await channel.do("Anna", "club-asl fire fp=4 drm=1 hand=2,3")
    assert "[2] [3] + 1 DRM = 6, 4 FP: 1mc" in reply.format_text()
    await channel.do("Anna", "club-asl smoke dispenser=sd usage_number=7")


def card_of(root: Path, folder: Path, page: str) -> Path:
    """Return the pack of a worked card, whose check finds no fault."""
    build_pack(root, folder, page)
    assert check_content(read_content(folder)).faults == ()
    return folder


async def test_the_second_card_is_shot_saved_and_checked(
    root: Path, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    """Shoot, save, morale: dice by hand in the order of the card, losses on the roster, odds and
    undo.
    """
    use_packs(card_of(root, tmp_path / "skirmish-line", "pack-saves"))
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start skirmish-line "Hedges" sides="Blue, Red"',
        "game settings hand_dice=yes",
        "unit add Company line Blue men=6 morale=7",
        "unit add Scouts rifles Red men=3 morale=8",
        "unit add Reserve line Red men=5 morale=6",
    )
    shot = 'skirmish-line shoot Company "Scouts; Reserve" cover=hedge'
    odds = (await channel.do("Anna", f"{shot} odds")).format_text()
    assert odds.startswith("Lost: 2 (33%), 1 (26%), 3 (22%)"), (
        "six dice that hit and are not saved one time in three"
    )
    reply = (await channel.do("Anna", f"{shot} hand=5,5,4,4,6,6,1,1,1,1,5,2,5,4")).format_text()
    for line in (
        "Scouts is gone, Reserve falls back and loses 2 · Company shoots",
        "Saves: [1] [1] [1] [1] [5] [2], 1 of 6 saved",
        "Morale of Reserve: [5] [4] + 2 lost = 11, needs 6 or less",
    ):
        assert line in reply
    units = (await channel.game()).units
    assert (units["scouts"].state, units["reserve"].numbers["men"]) == ("gone", 3)
    assert "falling-back" in units["reserve"].marks
    await channel.do("Anna", "game undo")
    units = (await channel.game()).units
    assert (units["scouts"].numbers["men"], units["reserve"].numbers["men"]) == (3, 5)


def test_a_unit_that_nobody_touched_is_in_its_first_state(
    root: Path, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    """Formulas read it as a word, not as nothing: of a typed unit, and of one of the roster."""
    use_packs(card_of(root, tmp_path / "skirmish-line", "pack-saves"))
    words = load_shared_systems()["skirmish-line"].words["units"]
    given = {"shooters": "line men=2", "targets": "rifles men=4 morale=6"}
    found = odds("skirmish-line", "shoot", given, "targets[0].becomes")
    assert found.keys() == {"steady"}
    fresh = RosterUnit("Scouts", "r1", "rifles", "Red", {"men": 4, "morale": 6})
    assert words.fill_state(build_unit(fresh, words)).state == "steady"
    assert words.fill_state(build_unit(replace(fresh, state="gone"), words)).state == "gone"
    lnlt = replace(load_shared_systems()["lnlt"].words["units"], fresh="good-order")
    squad = Unit("squad", "squad", flags=frozenset({"shaken", "ops"}))
    assert lnlt.fill_state(squad).state == "shaken", "typed as a flag"


async def test_the_third_card_asks_the_loser(
    root: Path, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    """It waits for the other side, goes on with what they chose, and is told option by option."""
    use_packs(card_of(root, tmp_path / "hill-road", "pack-choices"))
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        'game start hill-road "Hill Road" sides="Blue, Red"',
        "game settings hand_dice=yes",
        "unit add Panzer tank Blue strength=6 steps=2",
        'unit add "Rifles 1..2" infantry Red strength=2 steps=1',
        "game join Blue",
    )
    await channel.do("Ben", "game join Red")
    shot = 'hill-road assault Panzer "Rifles 1; Rifles 2"'
    odds = (await channel.do("Anna", f"{shot} odds")).format_text()
    assert odds.startswith("Rifles 1 + 2: driven off 72% if retreat, held 72% if hold"), (
        "6 against 4: all but 10 of 36"
    )
    asked = (await channel.do("Anna", f"{shot} hand=3,3")).format_text()
    assert asked.startswith("Beaten by 2. Retreat, or hold?")
    await channel.fails("Anna", "game next", "choose")
    await channel.fails("Anna", "choose option=hold", "")
    held = (
        await channel.do("Ben", f"choose event={(await channel.game()).last} option=hold")
    ).format_text()
    assert held.startswith("Rifles 1 + 2 are destroyed")
    await channel.do("Anna", "game undo")
    await channel.do("Ben", "game undo")
    assert (await channel.game()).units["rifles 1"].numbers["steps"] == 1
