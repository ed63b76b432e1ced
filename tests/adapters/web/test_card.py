"""The picture beside a link to a shared game, and the page that names it."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from adapters.web import pages
from bot.charts.png import find_rasterizer
from bot.report.game_pictures import draw_game_card
from bot.rulesets.catalog import load_shared_systems
from bot.spectators.watched_games import public_export
from tests.adapters.web.serving import ADDRESS, served, shared
from tests.playing import Channel, two_sides


async def exported(channel: Channel) -> str:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    events = await channel.app.store.load_events(loaded.row)
    return json.dumps(await public_export(channel.app.store, loaded.row, events))


async def test_the_card_says_where_the_game_is_and_crosses_out_who_is_lost() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", "unit edit vc1 state=eliminated")
    svg = draw_game_card(await exported(channel), load_shared_systems()).svg
    words = [
        "".join(text.itertext())
        for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert "Hill 875" in words
    assert "Turn 1, Rally phase" in words
    assert "2 of 3 left" in words
    assert svg.count("stroke-dasharray") == 1
    await channel.do("Anna", "game end winner=draw confirm")
    assert "A draw on turn 1" in draw_game_card(await exported(channel), load_shared_systems()).svg


async def test_a_long_name_is_made_smaller_and_markup_is_none() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", f'game start lnlt "<b>{"W" * 56}" sides="{"M" * 30}, VC"')
    svg = draw_game_card(await exported(channel), load_shared_systems()).svg
    assert "<b>" not in svg
    assert ElementTree.fromstring(svg) is not None


@pytest.mark.skipif(not find_rasterizer(), reason="no rasterizer here: the extra `pictures`")
async def test_the_page_names_its_picture_by_its_whole_address() -> None:
    channel = await Channel.fresh()
    await two_sides(channel)
    async with served(channel) as site:
        path = await shared(channel)
        _, page, _ = await site.get(path)
        assert f'<meta property="og:image" content="{ADDRESS}{path}/card.png">' in page
        async with site.session.get(site.at(f"{path}/card.png")) as response:
            assert response.content_type == "image/png"
            assert (await response.read()).startswith(b"\x89PNG")
        assert (await site.get("/g/" + "0" * 48 + "/card.png"))[0] == 404


async def test_without_a_rasterizer_the_link_has_words_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "find_rasterizer", lambda: "")
    channel = await Channel.fresh()
    await two_sides(channel)
    async with served(channel) as site:
        path = await shared(channel)
        _, page, _ = await site.get(path)
        assert "og:title" in page
        assert "og:image" not in page
        assert (await site.get(f"{path}/card.png"))[0] == 404
