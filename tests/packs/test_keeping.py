"""The content of a pack is kept while a server has it or has played it, and goes a week after
that.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.app import App
from bot.packs.pack_store import GRACE, expire_unused
from bot.packs.review import Review
from bot.rulesets.packs.pack import PackSystem
from bot.storage.records import PACK_FILES, Doc
from bot.ui.reply.packing import read_file_text
from bot.ui.spec import Place
from bot.verification.check_file import check
from tests.commands.pack_helpers import add, few, managed
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import FIRST, SECOND


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        """Unix seconds."""
        return self.at


async def kept(channel: Channel) -> list[Doc]:
    """The contents that are in the store."""
    return list(await channel.app.store.load_docs(PACK_FILES))


async def test_content_that_nobody_needs_goes_after_a_week_unless_it_is_added_again() -> None:
    clock = Hand()
    channel = Channel(await fresh_app(clock))
    await add(channel, few())
    assert await expire_unused(channel.app.store, clock) == 0
    await managed(channel, "pack remove few")
    assert await expire_unused(channel.app.store, clock) == 1
    clock.at += GRACE / 2
    await add(channel, few())
    clock.at += GRACE
    assert len(await kept(channel)) == 1
    await managed(channel, "pack remove few")
    assert await expire_unused(channel.app.store, clock) == 1
    clock.at += GRACE + 1
    assert await kept(channel) == []


async def test_what_was_played_stays() -> None:
    clock = Hand()
    channel = Channel(await fresh_app(clock))
    await add(channel, few(FIRST))
    await managed(channel, "pack enable few")
    await channel.do("Anna", "few shoot targets=unit hand=6")
    await managed(channel, "pack remove few")
    assert await expire_unused(channel.app.store, clock) == 0
    clock.at += 10 * GRACE
    assert len(await kept(channel)) == 1
    assert "Shoot" in (await channel.do("Anna", "log")).format_text()


async def test_a_game_of_a_pack_of_the_hosts_keeps_its_version_when_the_host_changes_it(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    folder = make_pack(dict(FIRST))
    use_packs(folder)
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start few "Ridge"', 'unit add "Gun 1" unit', "few shoot targets=unit hand=4"
    )
    (folder / "crt.yaml").write_text(SECOND["crt.yaml"])
    use_packs(folder)
    later = Channel(App(channel.app.store), prefix="later")
    assert "miss" in (await later.do("Anna", "few shoot targets=unit hand=4")).format_text()
    assert len(await kept(channel)) == 1


async def test_free_play_goes_on_under_the_version_that_is_enabled_and_a_game_under_its_own() -> (
    None
):
    """Also with units on its roster, as long as nobody has started a game."""
    channel = await Channel.fresh()
    packs = [
        (await add(channel, few(files))).buttons[0].action.rpartition(":")[2]
        for files in (FIRST, SECOND)
    ]
    lines = (
        "few shoot targets=unit hand=4",
        'unit add "Gun 1" unit',
        'few shoot targets="Gun 1" hand=4',
    )
    for start, played in (((), packs), (('game start few "Ridge" sides=A,B',), packs[:1])):
        await managed(channel, "pack enable few@1")
        await channel.do("Anna", *start, *lines)
        await managed(channel, "pack enable few@2")
        await channel.do("Anna", lines[2])
        loaded = await channel.app.games.load_current(channel.place.key)
        assert loaded is not None
        assert list(loaded.game.packs) == played


async def test_a_pack_of_before_a_check_became_stricter_is_played_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An input called `odds` was taken once. The game goes on, is verified, exported and brought
    elsewhere; only who adds such a pack today is told to call it something else."""
    text = few(
        {
            **FIRST,
            "sequences.yaml": FIRST["sequences.yaml"].replace(
                "targets: {t", "odds: {type: bool, help: a word}\n    targets: {t"
            ),
        }
    )
    channel = await Channel.fresh()
    with monkeypatch.context() as before:
        before.setattr(PackSystem, "check_new", lambda self: None)
        before.setattr("bot.commands.packs.pack.review_pack", here)
        assert not (await add(channel, text)).error
    await managed(channel, "pack enable few")
    await channel.do(
        "Anna",
        "game start few Duel sides=A,B",
        "few shoot targets=unit hand=6",
        "few shoot targets=unit hand=5",
    )
    assert (await channel.do("Anna", "game status")).title
    file = read_file_text((await channel.do("Anna", "game export")).files[0].data, "duel.json")
    found = check(json.loads(file), [])
    assert (found.faults, found.status) == ((), 0)
    elsewhere = Channel(channel.app, place=Place("t:other/1", "t:other", "#far"))
    spec = channel.app.find_spec(("game", "import"))
    taken = await channel.app.run_parsed(
        spec, {"file": file}, channel.who("Zoe"), elsewhere.place, "brought"
    )
    assert not taken.error, taken.format_text()
    assert not (await elsewhere.say("Zoe", "few shoot targets=unit hand=4")).error
    refused = await add(channel, text)
    assert "odds is an option of every command of this kind" in refused.format_text()


async def here(_: Any, function: Callable[..., Review], *arguments: object) -> Review:
    """The check in this process, where the patch is."""
    return function(*arguments)
