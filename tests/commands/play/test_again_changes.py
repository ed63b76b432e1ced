"""*Again* counts what the roster knows now, and names what changed since the roll that it repeats."""

from __future__ import annotations

from tests.playing import Channel


async def test_again_counts_anew_and_names_what_changed() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start lnlt",
        "unit add Rifle squad US fp=2 morale=5",
        "unit add Local squad VC fp=1 morale=4",
    )
    shot = await channel.do("Anna", "lnlt fire Rifle Local hand=1,6")
    assert "moved" not in shot.format_text()
    assert "Changed since" not in (await channel.do("Anna", "again")).format_text()
    await channel.do("Anna", "game undo", "unit edit Local marker=+moved")
    again = await channel.do("Anna", "again")
    assert "+ 1 moved" in again.format_text()
    assert "Changed since #4: Local moved." in again.format_text()
