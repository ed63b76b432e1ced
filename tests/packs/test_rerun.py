"""`grognard rerun`: what a changed table would have changed in the games that are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import App
from bot.storage.sqlite import SqliteStore
from tests.packs.conftest import PackMaker
from tests.playing import Channel

CRT = (
    "title: CRT\nsource: ours\ngroup: combat\nkind: roll\nsummary: What a die says.\n"
    "inputs:\n  roll: {type: int, min: 1, max: 6, optional: true}\noutputs: {result: [miss, hit]}\n"
    "rolls: {roll: {dice: 1d6, label: combat}}\n"
    "read:\n  rows: roll\n  cells:\n    1-4: miss\n    5-6: hit\nexample: {roll: 5}\n"
)

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    return tmp_path


async def played(home: Path) -> int:
    """Thirty rolls on the table, and others; how many of them were a 4."""
    async with await SqliteStore.open(home / "data" / "grognard.db") as store:
        channel = Channel(App(store))
        await channel.do("Anna", *["few-table combat crt"] * 30, "roll 2d6")
        await channel.do("Anna", 'lnlt morale-check units="squad morale=5" hand=1,2')
        (game,) = await store.list_games(limit=9)
        rolls = [row.data for row in await store.load_events(game)]
    return sum(roll.get("target") == "crt" and roll["dice"][0]["value"] == 4 for roll in rolls)


async def test_a_changed_row_is_seen_where_it_was_rolled(
    home: Path,
    make_pack: PackMaker,
    use_packs: Callable[[Path], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    use_packs(make_pack({"crt.yaml": CRT}))
    fours = await played(home)
    assert await asyncio.to_thread(main, ["rerun", "--all"]) == 0
    assert capsys.readouterr().out == "31 outcomes replayed, all unchanged.\n"

    use_packs(
        make_pack(
            {"crt.yaml": CRT.replace("1-4: miss", "1-3: miss").replace("5-6", "4-6")}, "newer"
        )
    )
    assert await asyncio.to_thread(main, ["rerun", "--all"]) == (1 if fours else 0)
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith("Game ")]
    assert len(lines) == fours
    assert all(line.endswith("few crt: miss would be hit") for line in lines)
    assert not fours or f"31 outcomes replayed, {fours} would be different: few crt {fours}." in out

    use_packs(
        make_pack(
            {"crt.yaml": CRT.replace("max: 6", "max: 5").replace("5-6", "5").replace("1d6", "1d5")},
            "shorter",
        )
    )
    assert await asyncio.to_thread(main, ["rerun", "--all"]) == 1
    assert "can no longer be played" in capsys.readouterr().out


async def test_one_game_by_its_id_or_all_of_them(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with await SqliteStore.open(home / "data" / "grognard.db") as store:
        await Channel(App(store)).do("Anna", 'lnlt morale-check units="squad morale=5" hand=1,2')
        (game,) = await store.list_games(limit=9)
    assert await asyncio.to_thread(main, ["rerun", game]) == 0
    assert "1 outcome replayed" in capsys.readouterr().out
    for words in (["rerun"], ["rerun", "--all", game], ["rerun", "no-game-of-ours"]):
        assert await asyncio.to_thread(main, words) == 2
