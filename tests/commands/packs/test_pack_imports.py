"""`/pack add` with tables as people send them: the review says how each was read, in the name of its
file; a workbook, an odd encoding and lost line breaks are read, or answered with a way out.
"""

from __future__ import annotations

import io
import zipfile

import pytest

from bot.ui.reply.packing import read_file_text
from bot.ui.reply.reply import Reply
from tests.playing import Channel
from tests.workbooks import workbook

SKY = "2d6,Sky\n2-4,wet\n5-9,grey\n10-12,blue\n"


async def add(channel: Channel, data: bytes, name: str) -> Reply:
    """Return the answer to a manager who sends a file."""
    spec = channel.app.find_spec(("pack", "add"))
    manager = channel.who("Host", manager=True)
    options = {"file": read_file_text(data, name)}
    return await channel.app.run_parsed(spec, options, manager, channel.place, name)


async def add_text(channel: Channel, text: str) -> Reply:
    spec = channel.app.find_spec(("pack", "add"))
    manager = channel.who("Host", manager=True)
    return await channel.app.run_parsed(spec, {"text": text}, manager, channel.place, text[:20])


async def test_the_review_says_how_a_file_was_read_and_is_called_after_it() -> None:
    channel = await Channel.fresh()
    first = await add(channel, SKY.encode(), "april sky.csv")
    assert first.title == "April sky 1 is checked and saved"
    assert "Read as: 2d6 by row (2-4, 5-9, 10-12); 3 different results" in first.format_text()
    second = await add(channel, b"d6,Wind\n1-3,north\n4-6,south\n", "wind.csv")
    assert second.title == "Wind 1 is checked and saved"
    await channel.app.close()


async def test_a_guess_and_a_refusal_are_told_in_chat() -> None:
    channel = await Channel.fresh()
    dates = await add(channel, SKY.replace("2-4", "2-Apr").encode(), "sky.csv")
    assert (
        "2-Apr looks like a date that a spreadsheet made from 2-4: read as originally typed"
        in dates.format_text()
    )
    other = await add(channel, SKY.replace("2d6", "d20").encode(), "sky.csv")
    assert "The heading says d20, but the rows go from 2 to 12: 2d6?" in other.format_text()
    await channel.app.close()


@pytest.mark.parametrize(
    ("encoding", "note"),
    [("utf-8-sig", ""), ("utf-16", ""), ("cp1252", "read as Windows-1252 (trüb)")],
)
async def test_a_sheet_is_read_in_the_encoding_of_its_spreadsheet(encoding: str, note: str) -> None:
    channel = await Channel.fresh()
    data = SKY.replace("grey", "trüb").encode(encoding)
    reply = await add(channel, data, "sky.csv")
    assert reply.title == "Sky 1 is checked and saved"
    assert ("Windows-1252" in reply.format_text()) == bool(note)
    assert note in reply.format_text()
    await channel.app.close()


async def test_the_first_sheets_of_a_workbook_are_tables() -> None:
    pytest.importorskip("openpyxl")
    channel = await Channel.fresh()
    reply = await add(channel, workbook([line.split(",") for line in SKY.splitlines()]), "sky.xlsx")
    assert reply.title == "Sky 1 is checked and saved"
    assert "Read as: 2d6 by row (2-4, 5-9, 10-12); 3 different results" in reply.format_text()
    await channel.app.close()


async def test_a_workbook_that_is_not_read_is_named_with_a_way_out() -> None:
    channel = await Channel.fresh()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", "<office/>")
    reply = await add(channel, file.getvalue(), "sky.ods")
    assert "sky.ods is a LibreOffice workbook, which the bot cannot read." in reply.format_text()
    assert "Save it as CSV UTF-8, or copy the cells and paste them as text." in reply.format_text()
    await channel.app.close()


async def test_lost_line_breaks_are_named_and_may_be_typed() -> None:
    channel = await Channel.fresh()
    lost = await add_text(channel, SKY.replace("\n", " "))
    assert "The text is all on one line: its line breaks have been lost." in lost.format_text()
    typed = await add_text(channel, SKY.strip().replace("\n", "\\n"))
    assert "2d6 by row (2-4, 5-9, 10-12)" in typed.format_text()
    await channel.app.close()
