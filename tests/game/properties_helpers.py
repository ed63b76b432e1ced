"""Helpers of tests/game/test_properties.py, which other tests use as well."""

from __future__ import annotations

from typing import Any

from tests.playing import Channel


async def bodies(channel: Channel) -> list[dict[str, Any]]:
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    return [row.data for row in await channel.app.store.load_events(loaded.row)]
