"""The content of a pack is kept while a server has it or has played it, and goes a week after that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bot.app import App
from bot.packs.keeping import GRACE, tidy
from bot.stores.records import PACK_FILES, Doc
from tests.commands.test_pack import add, few, managed
from tests.fresh import fresh_app
from tests.packs.conftest import PackMaker
from tests.playing import Channel
from tests.scenarios.test_pack_versions import FIRST, SECOND


class Hand:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def __call__(self) -> float:
        """Unix seconds."""
        return self.at


async def kept(channel: Channel) -> list[Doc]:
    """The contents that are in the store."""
    return list(await channel.app.store.docs(PACK_FILES))


async def test_content_that_nobody_needs_goes_after_a_week_unless_it_is_added_again() -> None:
    clock = Hand()
    channel = Channel(await fresh_app(clock))
    await add(channel, few())
    assert await tidy(channel.app.store, clock) == 0
    await managed(channel, "pack remove few")
    assert await tidy(channel.app.store, clock) == 1
    clock.at += GRACE / 2
    await add(channel, few())
    clock.at += GRACE
    assert len(await kept(channel)) == 1
    await managed(channel, "pack remove few")
    assert await tidy(channel.app.store, clock) == 1
    clock.at += GRACE + 1
    assert await kept(channel) == []


async def test_what_was_played_stays() -> None:
    clock = Hand()
    channel = Channel(await fresh_app(clock))
    await add(channel, few(FIRST))
    await managed(channel, "pack enable few")
    await channel.do("Anna", "few shoot targets=unit hand=6")
    await managed(channel, "pack remove few")
    assert await tidy(channel.app.store, clock) == 0
    clock.at += 10 * GRACE
    assert len(await kept(channel)) == 1
    assert "Shoot" in (await channel.do("Anna", "log")).text()


async def test_a_game_of_a_pack_of_the_hosts_keeps_its_version_when_the_host_changes_it(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    folder = make_pack(dict(FIRST))
    use_packs(folder)
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start few "Ridge"', 'unit add "Gun 1" unit', "few shoot targets=unit hand=4")
    (folder / "crt.yaml").write_text(SECOND["crt.yaml"])
    use_packs(folder)
    later = Channel(App(channel.app.store), prefix="later")
    assert "miss" in (await later.do("Anna", "few shoot targets=unit hand=4")).text()
    assert len(await kept(channel)) == 1
