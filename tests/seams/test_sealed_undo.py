"""An opened sealed shot says what it really changes, and is undone as any shot is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_page
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check_file
from tests.page_script import said_by_page
from tests.playing import Channel, two_sides
from tests.random_play import exported_text
from tests.seams.undo_helpers import PLACE, assert_verified, newest

SHOT = "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,3,2 secret"
BOTH = 'lnlt fire attackers=us1 targets="vc1; vc2" adjacent hand=6,3,2,2 secret'


async def opened(shot: str, *meanwhile: str) -> tuple[Channel, int, Reply]:
    """A game in which Anna opens her sealed shot after Bob has typed lines; its number."""
    channel = await Channel.fresh(place=PLACE)
    await two_sides(channel)
    await channel.do("Anna", shot)
    number = next(iter((await channel.game()).sealed))
    for line in meanwhile:
        await channel.do("Bob", line)
    return channel, number, await channel.do("Anna", f"game reveal {number}")


async def test_a_target_that_died_meanwhile_is_not_said_to_suffer() -> None:
    _, _, reply = await opened(SHOT, "unit edit vc1 state=eliminated")
    assert reply.first_line.startswith("No longer any effect on Cell 1 · Squad 1 fires · ")
    assert "Cell 1 is already eliminated, so nothing changes for it." in reply.format_text()
    assert "Now:" not in reply.format_text()


async def test_of_two_targets_the_headline_names_the_one_that_changes() -> None:
    channel, _, reply = await opened(BOTH, "unit edit vc1 state=eliminated")
    assert reply.first_line.startswith("Cell 2 is a half-squad and shaken · ")
    assert "Now: Cell 2 is a half-squad and shaken" in reply.format_text()
    assert (await channel.game()).units["cell 2"].type == "half-squad"


@pytest.mark.parametrize("meanwhile", [(), ("unit edit vc1 marker=+moved",)])
async def test_what_changes_all_its_units_reads_as_it_was_rolled(
    meanwhile: tuple[str, ...],
) -> None:
    _, _, reply = await opened(SHOT, *meanwhile)
    assert reply.first_line.startswith("Cell 1 takes casualties · ")
    assert "Now: Cell 1 is a shaken half-squad (old numbers)" in reply.format_text()


async def test_an_opened_shot_is_undone_and_brought_back_with_its_effect(tmp_path: Path) -> None:
    """By its own number, with consent; what was opened stays open."""
    channel, number, reply = await opened(SHOT)
    after = await channel.content()
    undo = next(button for button in reply.buttons if button.label == "Undo")
    assert undo.action == await channel.under(number, "undo")
    asked = await channel.press("Anna", undo.action)
    assert "Squad 1 fires: Cell 1 takes casualties" in asked.format_text()
    assert (
        "so Bob must agree. That would undo what it did to Cell 1 and Squad 1."
        in asked.format_text()
    )
    undone = await channel.press("Bob", asked.buttons[0].action)
    assert undone.title == f"#{number} is undone"
    game = await channel.game()
    assert (game.units["cell 1"].type, game.units["cell 1"].state) == ("squad", "")
    assert not game.sealed
    asked = await channel.press("Anna", undone.buttons[0].action)
    await channel.press("Bob", asked.buttons[0].action)
    assert await channel.content() == after
    await assert_verified(channel)
    [page] = said_by_page([await exported_text(channel)], tmp_path)
    assert page["faults"] == []


async def test_what_used_its_target_since_is_undone_first() -> None:
    channel, number, _ = await opened(SHOT)
    await channel.do("Bob", "unit edit vc1 marker=+moved")
    later = (await newest(channel))["number"]
    refused = await channel.press("Anna", await channel.under(number, "undo"))
    assert [button.label for button in refused.buttons] == [f"Undo #{later}"]


async def test_undo_alone_takes_the_opened_shot_if_it_was_the_last_step() -> None:
    channel, number, _ = await opened(SHOT)
    question = await channel.say("Anna", "game undo")
    assert f"#{number}" in question.title


@pytest.mark.slow
async def test_the_page_counts_no_loss_of_an_opened_shot_that_was_undone(tmp_path: Path) -> None:
    """And says so of its opening, as its checker and `grognard verify` expect."""
    channel, number, _ = await opened(
        "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5 secret"
    )
    assert (await channel.game()).units["cell 1"].state == "eliminated"
    asked = await channel.press("Anna", await channel.under(number, "undo"))
    await channel.press("Bob", asked.buttons[0].action)
    await channel.do("Anna", "game end confirm")
    export = json.loads(await exported_text(channel))
    text = build_page(
        export, compute_export_facts(export, load_shared_systems()), load_shared_systems()
    )
    assert 'class="tag lostt"' not in text
    assert text.count("taken back</span>") == 2
    (tmp_path / "page.html").write_text(text, "utf-8")
    assert check_file(tmp_path / "page.html").faults == ()
