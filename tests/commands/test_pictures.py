"""*Picture* under lookups and odds: drawn when it is asked for, private where the answer was,
and never in its way.
"""

from __future__ import annotations

import logging

import pytest

from bot.charts import png as pngs
from bot.charts.png import find_rasterizer
from bot.commands import pictures
from bot.commands.pictures import MOST_ACTION
from bot.odds_pool.pool import Worker
from bot.rules.odds.rolls import TooManyStates
from bot.ui.reply.reply import Reply
from tests.playing import Channel, two_sides

LONG_LOOKUP = (
    "lnlt-table oft-mods lm=3 open turret_pivot assault degrading=2 smoke chassis_pivot between_buildings adjacent"
    " rubber_boat"
)
LOOKUP = "lnlt-table dct unit=good-order-mmc morale=5 total=11"
FIRE = 'lnlt fire attackers="squad fp=4" targets="squad morale=5"'
PNG = b"\x89PNG\r\n\x1a\n"


def button(reply: Reply, label: str = "Picture") -> str:
    """The action of a button."""
    return next(one.action for one in reply.buttons if one.label == label)


def labels(reply: Reply) -> list[str]:
    return [one.label for one in reply.buttons]


def assert_is_picture(reply: Reply, name: str, *said: str, private: bool) -> None:
    """One PNG with words that say the same."""
    [file] = reply.files
    assert (file.name, reply.private, reply.error) == (name, private, False)
    assert file.data.startswith(PNG)
    for words in said:
        assert words in file.alt


async def test_a_lookup_is_drawn_with_its_cell_for_all_to_see() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", LOOKUP)
    assert not reply.files
    drawn = await channel.press("Ben", button(reply))
    marked = "Marked: row band 2x Morale, column unit good order MMC: casualties."
    assert_is_picture(drawn, "dct.png", "Damage check table.", marked, private=False)


async def test_a_private_lookup_has_a_private_picture() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", f"{LOOKUP} private")
    assert_is_picture(await channel.press("Anna", button(reply)), "dct.png", private=True)


async def test_the_whole_table_is_drawn_without_a_mark() -> None:
    channel = await Channel.fresh()
    drawn = await channel.press("Anna", button(await channel.say("Anna", "lnlt-table dct")))
    assert_is_picture(drawn, "dct.png", private=True)
    assert "Marked" not in drawn.files[0].alt


async def test_a_table_that_rolled_is_drawn_with_what_it_rolled() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", "nhis-table ranged-combat firepower=9")
    (roll,) = [
        part for part in button(reply).partition("?")[2].split("&") if part.startswith("roll=")
    ]
    drawn = await channel.press("Anna", button(reply))
    assert f"roll {roll.removeprefix('roll=')}," in drawn.files[0].alt.replace(".", ",").replace(
        ")", ","
    )
    assert "Marked: row roll" in drawn.files[0].alt


async def test_odds_are_drawn_for_who_asked_alone() -> None:
    channel = await Channel.fresh()
    odds = await channel.say("Anna", f"{FIRE} odds")
    assert labels(odds) == ["Roll it", "Change…", "What if", "Picture", "Share"]
    assert_is_picture(
        await channel.press("Anna", button(odds)),
        "odds.png",
        "casualties",
        "at least",
        private=True,
    )
    assert (await channel.press("Ben", button(odds))).code == "used-up"
    rolled = await channel.press("Anna", button(odds, "Roll it"))
    assert rolled.footer, "the draft was not used up by drawing it"


async def test_picture_behind_a_lookup_brings_it_after_the_answer() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", f"{LOOKUP} picture")
    assert (reply.files, "Picture" in labels(reply)) == ((), False)
    assert reply.title == "Casualties, twice morale or more"
    assert_is_picture(await channel.press("Anna", reply.after), "dct.png", private=False)


async def test_a_channel_has_pictures_never_on_demand_or_always() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "game start lnlt Hill")
    said = await channel.say("Anna", "game settings pictures=always")
    assert said.title == "Anna: a picture after every lookup or odds"
    assert (
        await channel.say("Ben", LOOKUP)
    ).after == "drawn:lnlt/dct?unit=good-order-mmc&morale=5&total=11"
    assert (await channel.say("Ben", f"{FIRE} odds")).after.startswith("picture:")
    await channel.do("Anna", "game settings pictures=never")
    assert "Picture" not in labels(await channel.say("Ben", LOOKUP))
    assert (await channel.say("Ben", f"{LOOKUP} picture")).after, "unless somebody asks for it"
    assert (
        "Pictures of lookups and odds: never"
        in (await channel.say("Anna", "game settings")).format_text()
    )
    await channel.do("Anna", "game settings pictures=on-demand")
    assert labels(await channel.say("Ben", LOOKUP)) == ["Another number…", "Whole table", "Picture"]


async def test_luck_is_drawn_under_the_statistics() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt Hill sides="US, VC"', "game join US")
    assert labels(await channel.say("Anna", "game stats")) == [], "nothing was rolled yet"
    await channel.do("Anna", FIRE, FIRE)
    drawn = await channel.press("Anna", button(await channel.say("Anna", "game stats")))
    assert_is_picture(drawn, "luck.png", "Luck in Hill. US:", "after 2 rolls", private=True)


async def test_only_who_directs_the_game_changes_that() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt Hill sides="US, VC"', "game join US")
    assert (await channel.say("Carl", "game settings pictures=never")).error


async def test_without_a_rasterizer_answers_are_text_and_the_host_reads_it_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pngs, "LIBRARIES", ())
    monkeypatch.setattr(pictures, "_is_logged", False)
    find_rasterizer.cache_clear()
    caplog.set_level(logging.INFO)
    channel = await Channel.fresh()
    for line in (LOOKUP, f"{LOOKUP} picture", f"{FIRE} odds"):
        reply = await channel.say("Anna", line)
        assert not reply.error
        assert (reply.after, "Picture" in labels(reply)) == ("", False)
    assert caplog.text.count("no pictures: pip install") == 1
    find_rasterizer.cache_clear()


async def test_a_picture_that_fails_costs_its_answer_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", LOOKUP)

    async def too_slow(*_: object, **__: object) -> object:
        raise TooManyStates

    monkeypatch.setattr(Worker, "run", too_slow)
    failed = await channel.press("Anna", button(reply))
    assert (failed.code, failed.private) == ("busy", True)
    assert failed.title == "The picture could not be drawn right now."


@pytest.mark.parametrize(
    "action", ["picture:nobody", "drawn:lnlt/nothing?x=1", "drawn:lnlt/dct?unit=elephant", "drawn:"]
)
async def test_a_bent_button_is_refused(action: str) -> None:
    channel = await Channel.fresh()
    reply = await channel.press("Anna", action)
    assert reply.error
    assert reply.code != "our-fault"


async def test_losses_are_drawn_under_the_statistics() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
    stats = await channel.say("Anna", "game stats")
    assert labels(stats) == ["Losses"], "typed dice say nothing of luck"
    drawn = await channel.press("Anna", button(stats, "Losses"))
    assert_is_picture(
        drawn, "losses.png", "VC: 1 of 3 lost, turn 1: 1.", "US: 0 of 3 lost.", private=True
    )
    await channel.do("Anna", "game settings pictures=never")
    assert labels(await channel.say("Anna", "game stats")) == []


async def test_a_lookup_with_more_than_a_button_holds_is_drawn_for_whoever_has_seen_it() -> None:
    channel = await Channel.fresh()
    reply = await channel.say("Anna", LONG_LOOKUP)
    assert len(button(reply)) < MOST_ACTION
    assert "?" not in button(reply)
    assert_is_picture(await channel.press("Ben", button(reply)), "oft-mods.png", private=False)
    alone = await channel.say("Anna", f"{LONG_LOOKUP} private")
    assert (await channel.press("Ben", button(alone))).code == "used-up"
    assert_is_picture(await channel.press("Anna", button(alone)), "oft-mods.png", private=True)


async def test_the_end_of_a_game_is_drawn_for_all_with_what_decided_it() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "game next", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
    story = await channel.do("Anna", 'game end winner=US text="The hill is quiet." confirm')
    story = story.announce or story
    await channel.do("Anna", 'game start lnlt "Another" sides="US, VC"')
    drawn = await channel.press("Ben", button(story))
    assert not drawn.private
    whole, *decided = drawn.files
    assert whole.alt.startswith("Hill 875. US won. Ended in turn 1.")
    assert whole.alt.endswith("The hill is quiet.")
    assert [file.name for file in decided] == ["decided-9.png"]
    assert decided[0].alt.startswith(
        "What decided Hill 875 · turn 1, Operations phase · #9. Cell 1 "
    )
    assert all(file.data.startswith(PNG) for file in drawn.files)


async def test_a_result_is_drawn_with_its_dice_before_its_odds() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    shot = await channel.do("Anna", "lnlt fire attackers=us1 targets=vc1 hand=6,1,6")
    drawn = await channel.press("Anna", button(await channel.press("Anna", button(shot, "Odds"))))
    result, odds = drawn.files
    assert (result.name, odds.name, drawn.private) == ("result.png", "odds.png", True)
    assert "· #8. Cell 1 " in result.alt
    assert "Dice: 6, 1, 6. Real dice" in result.alt
    assert "this roll" in odds.alt
