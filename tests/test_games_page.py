"""The commands of docs/games.md run as they stand there."""

from __future__ import annotations

from pathlib import Path

from tests.playing import Channel


async def test_its_commands_run_in_order(root: Path) -> None:
    lines = [line.strip() for line in (root / "docs" / "games.md").read_text().splitlines() if line.startswith("    /")]
    assert len(lines) > 4
    channel = await Channel.fresh()
    await channel.do("Anna", *lines)
