"""One pack on two servers in two versions: each plays its own, and a game keeps the one that it
was started with.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Command, Place
from bot.verification.check_file import check
from bot.verification.check_games import audit_game
from tests.commands.pack_helpers import add, few, managed
from tests.packs.conftest import FEW
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import (
    SECOND,
    every_event_of_packs,
    exported,
    loaded_at,
    two_servers,
    verify_log,
)


async def test_each_server_plays_its_own_version() -> None:
    north, south = await two_servers()
    for channel, result in ((north, "miss"), (south, "hit")):
        looked = await channel.do("Anna", "few-table combat crt roll=4")
        assert result in looked.format_text()
        shot = await channel.do("Anna", "few shoot targets=unit hand=4")
        assert result in shot.format_text()
        odds = await channel.do("Anna", "few shoot targets=unit odds")
        assert odds.title == {"miss": "Miss 67%, hit 33%", "hit": "Miss 50%, hit 50%"}[result]


async def test_a_game_keeps_the_version_that_it_was_started_with_until_its_settings_say_otherwise() -> (
    None
):
    north, _ = await two_servers()
    await north.do("Anna", 'game start few "Ridge"', 'unit add "Gun 1" unit')
    first = (await north.game()).packs
    assert len(first) == 1
    assert not (await add(north, few(SECOND))).error
    enabled = await managed(north, "pack enable few@2")
    assert "/game settings pack=few" in enabled.format_text()
    assert "miss" in (await north.do("Anna", "few shoot targets=unit hand=4")).format_text()
    other = Channel(north.app, replace(north.place, key="slack:T1/C2"), "o")
    assert "hit" in (await other.do("Anna", "few shoot targets=unit hand=4")).format_text()
    second = few({"pack.yaml": FEW["pack.yaml"].replace("id: few", "id: more")})
    assert not (await add(north, second)).error
    await north.refused("Anna", "game settings pack=more", "other-system pack")
    await north.refused("Anna", "game settings pack=few@1", "no-change pack")
    moved = await north.do("Anna", "game settings pack=few@2")
    assert "pack version" in moved.format_text()
    assert "hit" in (await north.do("Anna", "few shoot targets=unit hand=4")).format_text()
    assert (await north.game()).packs[0] == first[0]
    assert "few 2" in (await north.do("Anna", "game settings")).format_text()
    log = (await north.do("Anna", "log")).format_text()
    assert "miss" in log
    assert "hit" in log


async def test_a_game_whose_pack_was_removed_is_read_and_goes_on() -> None:
    north, _ = await two_servers()
    await north.do(
        "Anna", 'game start few "Ridge"', 'unit add "Gun 1" unit', "few shoot targets=unit hand=6"
    )
    await managed(north, "pack remove few")
    assert "Shoot" in (await north.do("Anna", "log")).format_text()
    assert "hit" in (await north.do("Anna", "few shoot targets=unit hand=6")).format_text()
    other = Channel(north.app, replace(north.place, key="slack:T1/C2"), "o")
    await other.refused("Anna", "few shoot targets=unit hand=6", "unknown-command")
    await other.refused("Anna", 'game start few "Other"', "bad-value system")


async def test_every_kind_of_event_that_may_bring_a_version_does() -> None:
    events = await every_event_of_packs()
    brought = {
        event["kind"] for event in events if "packs" in event.get("after", {}).get("game", {})
    }
    assert brought == {"sequence", "undo", "redo", "unit", "start", "settings"}


async def upgraded() -> Channel:
    """A game that was begun with the first version and goes on with the second."""
    north, _ = await two_servers()
    assert not (await add(north, few(SECOND))).error
    await north.do("Anna", 'game start few "Ridge"', 'unit add "Gun 1..2" unit')
    await north.do(
        "Anna",
        "few shoot targets=unit",
        "few shoot targets=unit hand=4",
        "game settings pack=few@2",
    )
    await north.do(
        "Anna",
        "few shoot targets=unit hand=4 secret",
        "few shoot targets=u1 hand=4",
        "game reveal 6",
    )
    return north


async def test_an_export_carries_each_version_and_is_verified_with_exactly_these(
    tmp_path: Path,
) -> None:
    channel = await upgraded()
    log = await exported(channel)
    assert len(log["packs"]) == 2
    assert {files["pack.yaml"] for files in log["packs"].values()} == {
        FEW["pack.yaml"],
        SECOND["pack.yaml"],
    }
    found = check(log)
    assert (found.faults, found.unplayed, found.played) == ((), 0, 4)
    (tmp_path / "game.json").write_text(json.dumps(log))
    assert verify_log(tmp_path / "game.json") == 0
    assert not await audit_game(channel.app.store, (await loaded_at(channel)).row)
    without = {key: value for key, value in log.items() if key != "packs"}
    assert check(without).faults == ()
    assert check(without).unplayed > 0, "nobody can play them again without the pack"


async def test_another_version_under_the_same_hash_is_found_out() -> None:
    log = await exported(await upgraded())
    first, second = log["packs"]
    log["packs"] = {first: log["packs"][second], second: log["packs"][first]}
    assert any("does not match its hash" in fault for fault in check(log).faults)


async def test_a_game_imported_elsewhere_brings_its_packs_and_goes_on() -> None:
    text = json.dumps(await exported(await upgraded()), separators=(",", ":"))
    there = await Channel.fresh(place=Place("slack:T9/C1", "slack:T9", "#there"))
    command = Command(("game", "import"), {"file": text}, there.who("Carl"), there.place, "imp")
    taken = await there.app.run(command)
    assert not taken.error, taken.format_text()
    assert "could not be replayed" not in taken.format_text()
    assert "hit" in (await there.do("Carl", "few shoot targets=unit hand=4")).format_text()
    assert "miss" in (await there.do("Carl", "log 20")).format_text()
    again = check(await exported(there))
    assert (again.faults, again.unplayed) == ((), 0)
    assert not await audit_game(there.app.store, (await loaded_at(there)).row)
    elsewhere = Channel(there.app, replace(there.place, key="slack:T9/C2"), "e")
    await elsewhere.refused("Carl", "few shoot targets=unit hand=4", "unknown-command")


async def test_an_earlier_game_of_a_channel_is_read_with_its_own_version() -> None:
    channel = await upgraded()
    await channel.say("Anna", "game end confirm")
    await managed(channel, "pack remove few")
    await managed(channel, "pack remove few")
    await channel.do("Anna", 'game start lnlt "Another"')
    told = (await channel.do("Anna", "log 20 game=1")).format_text()
    assert "Shoot" in told or "miss" in told
    text = read_file_text(
        (await channel.do("Anna", "game export game=1")).files[0].data, "game.json"
    )
    assert (check(json.loads(text)).faults, check(json.loads(text)).unplayed) == ((), 0)


async def test_options_are_completed_and_forms_opened_in_the_version_that_is_played() -> None:
    north, south = await two_servers()
    anna = north.who("Anna")
    await north.do("Anna", 'game start few "Ridge"', 'unit add "Gun 1" unit')
    targets = await north.app.complete_option(
        ("few", "shoot"), "targets", "", {}, anna, north.place
    )
    assert [choice.value for choice in targets] == ["Gun 1", "unit"]
    kinds = await north.app.complete_option(("unit", "add"), "type", "", {}, anna, north.place)
    assert [choice.value for choice in kinds] == ["unit"]
    packs = await south.app.complete_option(("pack", "show"), "pack", "fe", {}, anna, south.place)
    assert [choice.name for choice in packs] == ["Few 2"]
    systems = await south.app.complete_option(
        ("game", "start"), "system", "f", {}, anna, south.place
    )
    assert [choice.value for choice in systems] == ["few"]
    draft = await north.app.forms.open_draft("few shoot targets=u1", anna, north.place)
    assert draft.options == {"targets": "u1"}
    assert "/few shoot" in (await north.do("Anna", "help few")).format_text()


async def test_nothing_more_is_read_on_a_server_without_packs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = await Channel.fresh(place=Place("slack:T1/C1", "slack:T1", "#games"))
    await channel.do(
        "Anna", "roll 2d6", "lnlt fire attackers='squad fp=2' targets='squad morale=5' hand=5,2,3"
    )
    read, store = list[str](), type(channel.app.store)
    before = store.load_doc

    async def doc(self: Any, kind: str, key: str) -> Any:
        read.append(kind)
        return await before(self, kind, key)

    monkeypatch.setattr(store, "load_doc", doc)
    await channel.do(
        "Anna", "roll 2d6", "lnlt fire attackers='squad fp=2' targets='squad morale=5' hand=5,2,3"
    )
    assert read == []
