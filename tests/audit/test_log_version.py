"""The version of an exported log: 1 byte for byte as before, 2 where an event holds what older readers do not know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.audit.export import version_of
from bot.rules.errors import UserError
from bot.rules.proof.chain import canonical
from bot.rules.proof.event_kinds import LATER, is_later
from bot.rules.proof.export_format import VERSION, read_export
from bot.stores.records import EventRow, Json
from tests.playing import Channel
from tests.random_play import exported_text
from tests.test_old_logs import LOGS
from tools.verify_log import BadInput, read_log

ROLL: Json = {"number": 9, "behind": 8, "kind": "roll", "inputs": {"dice": "d6"}}


def needs(**fields: object) -> int:
    return version_of([EventRow("g", 9, canonical({**ROLL, **fields}), "")])


@pytest.mark.parametrize("field", LATER)
def test_a_later_field_needs_a_later_reader(field: str) -> None:
    assert needs(**{field: "x"}) == 2


def test_what_is_named_alike_elsewhere_does_not() -> None:
    assert needs() == needs(inputs={"dice": "d6", "by": 1}) == needs(texts={"label": '"by":'}) == 1


def test_an_undo_that_passes_over_later_events_does() -> None:
    assert (needs(kind="undo", event=8, last=7), needs(kind="undo", event=6, last=8)) == (1, 2)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_logs_of_before_need_version_1(path: Path) -> None:
    log = json.loads(path.read_text("utf-8"))
    assert log["version"] == (2 if any(is_later(row["body"]) for row in log["events"]) else 1)


async def test_a_log_that_keeps_the_words_of_answers_is_version_2() -> None:
    channel = await Channel.fresh()
    await channel.do("Anna", "roll d6", "roll d6", "game undo")
    assert (await exported_text(channel)).startswith('{"format":"grognard-game","version":2,"game":')


@pytest.mark.parametrize("version", [VERSION + 1, 99])
def test_every_reader_says_what_is_newer(version: int) -> None:
    log = {"format": "grognard-game", "version": version, "game": "g", "head": "", "events": []}
    with pytest.raises(UserError, match="newer Grognard"):
        read_export(log)
    with pytest.raises(BadInput, match="newer Grognard"):
        read_log(log)
    page = (Path(__file__).parents[2] / "bot/report/templates/check.js").read_text("utf-8")
    assert f"VERSION = {VERSION}," in page
    assert 'if (!(data.version <= VERSION)) return "This file was written by a newer Grognard.";' in page


@pytest.mark.parametrize("version", [1, 2])
def test_both_versions_are_read(version: int) -> None:
    log = {"format": "grognard-game", "version": version, "game": "g", "head": "", "events": []}
    assert read_export(log).game == read_log(log)["game"] == "g"
