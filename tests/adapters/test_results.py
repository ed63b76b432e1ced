"""Two strangers come from `/seek` to a confirmed result, and from there to their return game."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.adapters.drawing import draw
from tests.adapters.evening import OnDiscord, OnSlack, Platform, Table, on_each
from tests.adapters.seek_helpers import CARD, find_in_thread, say_in_thread
from tests.standins.taps import DiscordThumb, SlackThumb

RETURN = "Play the return game"


def invite_manager(e: Table) -> None:
    """Vera, who manages the server, comes to the table."""
    if isinstance(e, OnSlack):
        e.people["Vera"] = e.home.user("Vera")
        e.people["Vera"].admin = True
        e.thumbs["Vera"] = SlackThumb(e.people["Vera"])
        return
    assert isinstance(e, OnDiscord)
    e.people["Vera"] = e.discord.user("Vera", manage_guild=True)
    e.thumbs["Vera"] = DiscordThumb(e.people["Vera"])
    e.discord.permit_bot(e.table, create_public_threads=True)


async def play_sought_game(e: Table) -> tuple[Any, Any]:
    """Anna seeks a series that counts, and Ben plays it. The card, and the game's first message."""
    line = "seek game daily lnlt scenario=ford side=both"
    posted = await e.alone("Anna", line, "Your seek is posted here")
    draw(e, "1-posted", posted)
    card = await e.message(CARD)
    await e.rest()
    counted = await e.pressed("Anna", posted, "Let it count", "It counts")
    assert e.is_private(counted)
    await e.until(lambda: "Both games count." in e.words(card), "the card that counts")
    draw(e, "2-card", card)
    await e.rest()
    begun = await e.pressed("Ben", card, "Play", "has begun")
    assert e.is_private(begun)
    played = await find_in_thread(e, card, "is game master")
    draw(e, "3-played", played)
    return card, played


@on_each
async def test_two_strangers_come_to_a_confirmed_result(platform: Platform, tmp_path: Path) -> None:
    async with platform(tmp_path) as e:
        invite_manager(e)
        ladder = await e.typed("Vera", "setup ladder on")
        draw(e, "0-ladder", ladder)
        assert "Games can count here" in e.words(ladder)
        card, played = await play_sought_game(e)
        assert "It counts." in e.words(played)
        anna_plays = "US" if f"{e.shown('Anna')} plays US" in e.words(played) else "VC"
        await say_in_thread(e, "Ben", "roll 2d6", card)
        ended = await say_in_thread(e, "Anna", f"game end winner={anna_plays} confirm", card)
        draw(e, "4-ended", ended)
        summary = await find_in_thread(e, card, "has to confirm the result")
        draw(e, "5-summary", summary)
        assert f"{e.shown('Ben')} has to confirm the result" in e.words(summary)
        assert "Ben" in e.called(summary)
        assert e.buttons(summary)[0] == "Confirm"
        own = await e.refused("Anna", summary, "Confirm")
        assert "Your opponent has to confirm it" in own
        await e.rest()
        old = e.as_seen(summary)
        twice = await asyncio.gather(
            e.pressed("Ben", old, "Confirm"), e.pressed("Ben", old, "Confirm")
        )
        public, *_ = sorted(twice, key=e.is_private)
        assert not e.is_private(public)
        confirmed = await find_in_thread(e, card, f"{e.shown('Ben')} confirms")
        draw(e, "6-confirmed", confirmed)
        assert f"confirms: {anna_plays} won" in e.words(confirmed)
        await e.until(lambda: "Confirm" not in e.buttons(summary), "the end without its button")
        assert "has to confirm" not in e.words(summary)
        assert "cannot be sent" not in e.words(summary), "its file is still there"
        assert "already confirmed" in await e.refused("Ben", old, "Confirm")
        await e.rest()
        await e.pressed("Ben", confirmed, RETURN, "play the return game")
        again = await find_in_thread(e, card, "play the return game of")
        draw(e, "7-return", again)
        assert "Anna" in e.called(again)
        assert f"{e.shown('Ben')} plays {anna_plays}" in e.words(again)
        await e.until(lambda: RETURN not in e.buttons(confirmed), "a return game that is played")
        await say_in_thread(e, "Ben", "roll 2d6", card)
        await say_in_thread(e, "Anna", f"game end winner={anna_plays} confirm", card)
        asked = await find_in_thread(e, card, "asks to end the game")
        draw(e, "8-asked", asked)
        await e.rest()
        await e.pressed("Ben", asked, "Agree")
        last = await find_in_thread(e, card, "The result is confirmed")
        draw(e, "9-series", last)
        assert "The series: 1 each" in e.words(last)
        assert not {"Confirm", RETURN} & {*e.buttons(last)}
