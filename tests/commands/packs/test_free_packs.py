"""From an empty server to a started game of a free pack, by buttons."""

from __future__ import annotations

import pytest

from bot.commands.packs.free_packs import load_free_packs
from bot.ui.reply.reply import OPEN_FORM, Reply
from tests.playing import Channel


async def _press(channel: Channel, reply: Reply, label: str, *, manager: bool = True) -> Reply:
    (button,) = [one for one in reply.buttons if one.label == label]
    who = channel.who("Host", manager=manager)
    return await channel.app.press(button.action, who, channel.place, f"press {label} {manager}")


async def test_an_empty_list_leads_to_a_game_of_a_free_pack() -> None:
    channel = await Channel.fresh()
    empty = await channel.say("Host", "pack list", manager=True)
    assert empty.title == "No packs here yet"
    assert "Three Mills" in empty.format_text()
    review = await _press(channel, empty, "Add Three Mills")
    assert "is checked and saved" in review.title, review.format_text()
    enabled = await _press(channel, review, "Enable")
    (start,) = [one for one in enabled.buttons if one.label == "Start a game"]
    assert start.action == f"{OPEN_FORM}game start system=three-mills"
    started = await channel.say("Host", "game start three-mills scenario=sorrel", manager=True)
    assert not started.error, started.format_text()
    later = await channel.say("Host", "pack list", manager=True)
    assert "Add Three Mills" not in [one.label for one in later.buttons]
    await channel.app.close()


async def test_only_a_manager_adds_one() -> None:
    channel = await Channel.fresh()
    empty = await channel.say("Host", "pack list")
    refused = await _press(channel, empty, "Add The Salt Road", manager=False)
    assert refused.code == "not-manager"
    await channel.app.close()


@pytest.mark.sample(1)
@pytest.mark.parametrize("id", [pack.id for pack in load_free_packs()])
async def test_every_free_pack_can_be_added_from_the_menu(id: str) -> None:
    channel = await Channel.fresh()
    listed = await channel.say("Host", "pack list", manager=True)
    (entry,) = [
        one for menu in listed.menus for one in menu.entries if one.action == f"freepack:{id}"
    ]
    who = channel.who("Host", manager=True)
    added = await channel.app.press(entry.action, who, channel.place, "add")
    assert "is checked and saved" in added.title, added.format_text()
    await channel.app.close()
