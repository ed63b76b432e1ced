"""Two strangers find each other by `/seek`, on each platform: from the form to the first shot."""

from __future__ import annotations

from pathlib import Path

from tests.adapters.drawing import draw
from tests.adapters.evening import OnDiscord, Platform, on_discord, on_each
from tests.adapters.seek_helpers import CARD, draw_form, find_in_thread, say_in_thread


@on_each
async def test_two_strangers_come_from_a_form_to_a_shot(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        for who, zone in (("Anna", "Europe/Berlin"), ("Ben", "America/New_York")):
            await e.alone(who, f"me ping zone={zone} quiet=22-7")
        form = await e.opened("Anna", "seek game")
        draw_form(e, form)
        assert e.title(form) == "Find an opponent"
        fields = {"Pace": "some turns a day", "Scenario": "The Ford at Dawn · 13 units"}
        if e.platform == "slack":
            fields = {"pace": "some turns a day", "scenario": "The Ford at Dawn · 13 units"}
        posted = await e.filled("Anna", form, fields, alone=True)
        assert "Your seek is posted here" in e.words(posted)
        draw(e, "posted", posted)
        card = await e.message(CARD)
        draw(e, "card", card)
        assert e.called(card) == []
        assert e.buttons(card) == ["Play", "Our hours", "Withdraw"]
        own = await e.refused("Anna", card, "Play")
        assert "your own seek" in own
        hours = await e.pressed("Ben", card, "Our hours")
        draw(e, "hours", hours)
        assert e.is_private(hours)
        assert "share about 9 hours a day" in e.words(hours)
        listed = await e.alone("Ben", "seek list")
        draw(e, "list", listed)
        assert "About 9 hours a day together" in e.words(listed)
        await e.rest()
        if isinstance(e, OnDiscord):
            e.discord.permit_bot(e.table, create_public_threads=True)
        begun = await e.pressed("Ben", card, "Play", says="has begun")
        draw(e, "begun", begun)
        assert e.is_private(begun)
        assert e.buttons(begun) == ["Open the game"]
        await e.until(lambda: "plays it" in e.whole(card), "the card that is over")
        draw(e, "over", card)
        assert e.buttons(card) == ["Open the game"]
        assert "Nobody is looking" in e.words(await e.alone("Carl", "seek list"))
        played = await find_in_thread(e, card, "is game master")
        draw(e, "played", played)
        assert e.called(played) == ["Anna", "Ben"]
        plays_us = f"{e.shown('Ben')} plays US" in e.words(played)
        attacker, target = ("us1", "vc1") if plays_us else ("vc1", "us1")
        await say_in_thread(e, "Ben", "game initiative", card)
        shot = await say_in_thread(e, "Ben", f"lnlt fire {attacker} {target}", card)
        draw(e, "shot", shot)
        assert "#6" in e.words(shot)


async def test_the_game_starts_in_the_channel_if_the_bot_may_make_no_thread(tmp_path: Path) -> None:
    async with on_discord(tmp_path) as e:
        await e.alone("Anna", "seek game evening lnlt scenario=ford")
        card = await e.message(CARD)
        played = await e.press("Ben", card, "Play", says="is game master")
        assert e.called(played) == ["Anna"]
        await e.until(lambda: "plays it" in e.whole(card), "the card that is over")
        assert card.id not in e.discord.world.channels
        await e.say("Ben", "game initiative")
