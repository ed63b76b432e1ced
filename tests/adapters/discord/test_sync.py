"""Discord learns of our commands when they have changed, and a start that changed nothing makes
none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adapters.discord import registration as sync
from bot.preferences.adapter_notes import Notes
from tests.fresh import fresh_store

COMMANDS = [{"name": "roll", "description": "Roll dice", "options": []}]


class Told:
    """What Discord was told, in place of a connection."""

    def __init__(self) -> None:
        self.told: list[list[dict[str, Any]]] = []

    async def bulk_upsert_global_commands(
        self, application: int, commands: list[dict[str, Any]]
    ) -> None:
        """Take them."""
        self.told.append(commands)


async def test_the_same_files_make_and_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store, discord = await fresh_store(), Told()
    monkeypatch.setattr(sync, "list_our_commands", lambda: COMMANDS)
    await sync.sync_commands(discord, 7, Notes(store, "discord"))
    monkeypatch.setattr(sync, "list_our_commands", lambda: pytest.fail("made again"))
    await sync.sync_commands(discord, 7, Notes(store, "discord"))
    assert discord.told == [COMMANDS]


async def test_other_files_are_told_only_where_a_command_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, discord = await fresh_store(), Told()
    for files, commands in (
        ("a", COMMANDS),
        ("b", COMMANDS),
        ("c", [{**COMMANDS[0], "description": "Roll"}]),
    ):
        monkeypatch.setattr(sync, "hash_sources", lambda files=files: files)
        monkeypatch.setattr(sync, "list_our_commands", lambda commands=commands: commands)
        await sync.sync_commands(discord, 7, Notes(store, "discord"))
    assert [told[0]["description"] for told in discord.told] == ["Roll dice", "Roll"]


def test_any_change_of_code_or_table_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "ROOT", tmp_path)
    found = []
    for name in (
        "bot/a.py",
        "tables/lnlt/dct.yaml",
        "adapters/discord/command_payload.py",
        "tables/lnlt/__pycache__/dct.kept",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
        found.append(sync.hash_sources())
    (tmp_path / "tables/lnlt/dct.yaml").write_text("2")
    assert len({*found, sync.hash_sources()}) == 4
