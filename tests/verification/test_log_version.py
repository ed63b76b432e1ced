"""The version of an exported log: one, and every reader refuses all others by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.rules.errors import UserError
from bot.verification.export_format import VERSION, read_export
from tests.playing import Channel
from tests.random_play import exported_text
from tools.verify_log import EXPORT_VERSION, UnreadableFile, validate_log


async def test_a_game_is_exported_in_the_one_version() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll d6", "roll d6", "game undo")
    assert (await exported_text(channel)).startswith(
        '{"format":"grognard-game","version":2,"game":'
    )
    assert VERSION == EXPORT_VERSION == 2


@pytest.mark.parametrize(
    ("version", "words"),
    [(1, "unreleased build"), (VERSION + 1, "newer Grognard"), (99, "newer Grognard")],
)
def test_every_reader_refuses_another_version_by_name(version: int, words: str) -> None:
    log = {"format": "grognard-game", "version": version, "game": "g", "head": "", "events": []}
    with pytest.raises(UserError, match=words):
        read_export(log)
    with pytest.raises(UnreadableFile, match=words.replace("newer", "[Aa] newer")):
        validate_log(log)
    page = (Path(__file__).parents[2] / "bot/report/templates/check.js").read_text("utf-8")
    assert f"VERSION = {VERSION}," in page
    assert (
        'if (!(data.version <= VERSION)) return "This file was written by a newer Grognard.";'
        in page
    )
    assert (
        "if (data.version < VERSION) return unreleased(`export version ${data.version}`);" in page
    )


def test_the_one_version_is_read() -> None:
    log = {"format": "grognard-game", "version": VERSION, "game": "g", "head": "", "events": []}
    assert read_export(log).game == validate_log(log)["game"] == "g"
