"""Rosters as spreadsheets and army builders have them: `/unit import` adds their units and says what
was left out. Each case is in tests/data/odd_rosters.yaml.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.game.roster_sheet import split_count
from bot.rulesets.packs.archive import zip_content
from bot.ui.reply.packing import ZIPPED, read_file_text
from bot.ui.reply.reply import Reply
from tests.playing import Channel
from tests.workbooks import workbook

CASES: dict[str, dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parents[2] / "data" / "odd_rosters.yaml").read_text(encoding="utf-8")
)


async def send(channel: Channel, data: bytes, name: str) -> Reply:
    """Return the answer to Anna, who plays the US and sends a file."""
    spec = channel.app.find_spec(("unit", "import"))
    options = {"file": read_file_text(data, name)}
    return await channel.app.run_parsed(
        spec, options, channel.who("Anna"), channel.place, f"{name}-{len(data)}"
    )


async def new_channel() -> Channel:
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start lnlt "Hill 875" sides="US, VC"', "game join US")
    return channel


async def units_of(channel: Channel) -> list[list[object]]:
    game = await channel.game()
    units: list[list[object]] = [
        [unit.name, unit.type, dict(unit.numbers)] for unit in game.units.values()
    ]
    return sorted(units, key=str)


async def test_an_odd_roster_is_read_right_or_refused() -> None:
    """One channel for all: what a case adds is taken off again."""
    channel = await new_channel()
    for name, case in CASES.items():
        reply = await send(channel, case["text"].encode(), f"{name}.csv")
        if "refused" in case:
            assert case["refused"] in reply.format_text(), (name, reply.format_text())
            assert not await units_of(channel)
            continue
        assert await units_of(channel) == sorted(case["units"], key=str), (
            name,
            reply.format_text(),
        )
        lines = [str(line) for line in reply.lines]
        for note in case.get("notes", []):
            assert any(note in line for line in lines), (name, note, lines)
        unasked = [
            line
            for line in lines
            if line.startswith(("Left out", "Line", "Types"))
            and not any(note in line for note in case.get("notes", []))
        ]
        assert not unasked, name
        await channel.do("Anna", "undo")
    await channel.app.close()


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
async def test_a_roster_is_read_in_the_encoding_of_its_spreadsheet(encoding: str) -> None:
    channel = await new_channel()
    reply = await send(channel, "name;type\nGrenadière;squad\n".encode(encoding), "units.csv")
    assert await units_of(channel) == [["Grenadière", "squad", {}]]
    assert ("Read as Windows-1252 (Grenadière)" in reply.format_text()) == (encoding == "cp1252")
    await channel.app.close()


async def test_a_roster_is_read_from_the_first_sheet_of_a_workbook() -> None:
    pytest.importorskip("openpyxl")
    channel = await new_channel()
    rows: list[list[object]] = [
        ["name", "type", "morale", "count"],
        ["Rifle", "squad", 5.0, 2],
        ["Ace", "hero", 6, 1],
    ]
    await send(channel, workbook(rows), "units.xlsx")
    assert await units_of(channel) == [
        ["Ace", "hero", {"morale": 6}],
        ["Rifle 1", "squad", {"morale": 5}],
        ["Rifle 2", "squad", {"morale": 5}],
    ]
    await channel.app.close()


async def test_another_zip_and_an_empty_file_say_so() -> None:
    channel = await new_channel()
    reply = await send(channel, zip_content({"units.csv": b"name,type\n"}), "units.zip")
    assert "units.zip is a zip file, not a roster. Nothing was added." in reply.format_text()
    empty = await send(channel, b"", "units.csv")
    assert "units.csv is empty." in empty.format_text()
    typed = await channel.app.run_parsed(
        channel.app.find_spec(("unit", "import")),
        {"text": f"{ZIPPED}x"},
        channel.who("Anna"),
        channel.place,
        "typed",
    )
    assert "is a zip file, not a roster" in typed.format_text()
    await channel.app.close()


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("3x Rifle Squad", ("Rifle Squad", "3")),
        ("3 x Rifle Squad", ("Rifle Squad", "3")),
        ("3×Rifle Squad", ("Rifle Squad", "3")),
        ("Rifle Squad x3", ("Rifle Squad", "3")),
        ("Fox 1", ("Fox 1", "")),
        ("Max 2", ("Max 2", "")),
        ("4x4 Truck", ("4x4 Truck", "")),
    ],
)
def test_a_count_is_told_from_a_name_that_has_an_x(name: str, split: tuple[str, str]) -> None:
    assert split_count(name) == split
