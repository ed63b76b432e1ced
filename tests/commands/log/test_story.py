"""`/log story`, the report as Markdown, and the sentence with which a game ends."""

from __future__ import annotations

import json

from bot.ui.reply.parts import Happened
from bot.ui.reply.reply import Reply
from bot.verification.check_file import check
from tests.playing import Channel, two_sides
from tools import verify_log


def pressed(reply: Reply, label: str) -> str:
    return next(button.action for button in reply.buttons if button.label.startswith(label))


async def fought() -> Channel:
    """Two shots, one of them taken back, in the second phase of turn 1."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
    await channel.do("Anna", "lnlt fire attackers=us2 targets=vc2 hand=1,6")
    await channel.do("Anna", "game undo")
    await channel.do("Bob", "game undo")
    return channel


async def test_the_story_says_who_fired_at_whom_and_what_came_of_it() -> None:
    channel = await fought()
    told = await channel.do("Bob", "log story")
    assert told.private
    assert told.title == "Hill 875, the story so far"
    at = told.format_body().index("Turn 1, Operations phase:")
    first, second = [part for part in told.lines if isinstance(part, Happened)][-2:]
    assert told.format_body()[at + 1].endswith(first.title)
    assert first.title.startswith("US Squad 1 fires: Cell 1 ")
    assert first.grave
    assert second.title == "US Squad 2 fires: no effect on Cell 2"
    assert second.undone, "an undo is seen in what it took back"


async def test_a_page_of_the_story_says_in_which_phase_it_begins_and_leads_to_the_one_before() -> (
    None
):
    channel = await fought()
    told = await channel.do("Bob", "log story count=2")
    assert told.format_body()[0] == "Turn 1, Operations phase:"
    older = await channel.press("Bob", pressed(told, "Older"))
    assert older.title == "Hill 875, earlier"
    assert "Turn 1, Operations phase:" in older.format_body(), "the phase began on that page"
    assert "Squad 1 fires" not in older.format_text()


async def test_the_log_names_everybody() -> None:
    channel = await fought()
    log = (await channel.do("Bob", "log")).format_body()
    assert any("Anna (US): Squad 2 fires: no effect on Cell 2 [1][6]" in line for line in log)
    report = (await channel.do("Anna", "game export markdown")).files[0].text
    assert "## Turn 1, Operations phase" in report
    assert "~~US Squad 2 fires: no effect on Cell 2~~ (undone)" in report
    rows = (await channel.do("Anna", "game export csv")).files[0].text.splitlines()
    assert rows[-1].endswith("US Squad 2 fires: no effect on Cell 2,hand undone")


async def test_a_game_ends_with_a_winner_and_a_sentence() -> None:
    channel = await fought()
    asked = await channel.do("Anna", 'game end text="  The hill is taken,\n at a price. "')
    assert asked.format_body()[0] == "The hill is taken, at a price."
    story = await channel.press("Anna", pressed(asked, "US won"))
    assert story.title.startswith("Hill 875 is over: US wins")
    assert story.format_body()[0] == "The hill is taken, at a price."
    assert (
        "US won on turn 1 · #12 · The hill is taken, at a price."
        in (await channel.do("Bob", "game list")).format_text()
    )
    assert "The hill is taken, at a price." in (await channel.do("Bob", "game open")).format_body()
    assert (
        "The game ends: US wins. “The hill is taken, at a price.”"
        in (await channel.do("Bob", "log story")).format_text()
    )


async def test_the_sentence_is_a_text_that_can_be_deleted_and_both_verifiers_know_it() -> None:
    channel = await fought()
    await channel.do("Anna", 'game end winner=draw text="Called off at midnight." confirm')
    whole = json.loads((await channel.do("Anna", "game export")).files[0].text)
    assert "Called off" not in json.dumps([event["body"] for event in whole["events"]])
    assert check(whole).faults == ()
    assert verify_log.check(whole).faults == []
    end = whole["events"][-1]["body"]
    end["texts"]["label"] = end["texts"]["text"]
    assert any("one sentence" in line or "hash" in line for line in check(whole).faults)
    await channel.do("Anna", "privacy delete confirm")
    assert "Called off" not in (await channel.do("Bob", "game list")).format_text()


async def test_a_sentence_that_was_asked_about_but_not_used_is_not_kept_for_the_next_question() -> (
    None
):
    channel = await fought()
    await channel.do("Anna", 'game end text="First thought."')
    story = await channel.press("Anna", pressed(await channel.do("Anna", "game end"), "US won"))
    assert "First thought." not in story.format_text()
    await channel.do("Anna", "game resume")
    await channel.refused("Anna", f'game end text="{"x" * 301}"', "too-long text")


async def test_the_end_reveals_the_seed_if_asked_to_and_the_page_proves_its_dice() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "roll 3d6", "roll 2d6 secret")
    asked = await channel.do("Anna", 'game end text="At a price."')
    asked = await channel.press("Anna", pressed(asked, "Show the dice secret"))
    assert "This also shows the dice secret (the seed)" in asked.format_text()
    assert "At a price." in asked.format_text()
    story = await channel.press("Anna", pressed(asked, "US won"))
    assert "Seed 1: " in story.format_text()
    log = json.loads((await channel.do("Anna", "game export")).files[0].text)
    assert [event["body"]["kind"] for event in log["events"][-2:]] == ["end", "fair"]
    assert f"#{len(log['events'])} \u00b7 {log['head'][:16]}" in story.format_text()
    words = {row["event"]: row["text"] for row in log["texts"] if row["key"] == "said"}
    assert "is over" in words[len(log["events"]) - 1]
    assert "reveals the seed" in words[len(log["events"])]
    assert log["seeds"][0]["seed"] in story.files[0].text, (
        "the page that everybody gets proves the dice"
    )
    found = check(log)
    assert (found.faults, found.dice, found.waiting) == ((), 5, 0)
