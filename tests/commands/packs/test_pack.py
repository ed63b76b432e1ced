"""`/pack`: a club brings its own game, reads what was found in it, and enables it."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from pathlib import Path

import pytest

from bot.rulesets.packs.archive import unzip_content, zip_content
from bot.ui.reply.packing import ZIPPED, read_file_text
from tests.commands.pack_helpers import (
    add,
    few,
    managed,
)
from tests.packs.conftest import FEW
from tests.playing import Channel

SAMPLES = Path(__file__).parents[2] / "data" / "imports"
ONE_TEXT = "\n".join(
    f"{name}:\n" + "\n".join(f"  {line}" for line in text.splitlines())
    for name, text in FEW.items()
)


async def test_a_club_adds_its_game_reads_what_was_found_and_plays_it() -> None:
    channel = await Channel.fresh()
    await channel.refused("Anna", "few-table combat crt roll=5", "unknown-command")
    review = await add(channel, few())
    assert review.title == "Few 1 is checked and saved"
    assert review.by == "not enabled yet"
    said = review.format_text()
    assert "By us. License: CC0-1.0." in said
    assert "Tables: CRT." in said
    assert "Combat sequences: none." in said
    await channel.refused("Anna", "few-table combat crt roll=5", "unknown-command")
    button = review.buttons[0]
    pressed = await channel.app.press(
        button.action, channel.who("Host", manager=True), channel.place, "p1"
    )
    assert pressed.title == "Few 1 is enabled here"
    looked = await channel.do("Anna", "few-table combat crt roll=5")
    assert "hit" in looked.format_text()
    listed = await channel.do("Anna", "pack list")
    assert "Few" in listed.format_text()
    assert "enabled" in listed.format_text()


async def test_a_pack_may_be_pasted_as_one_text() -> None:
    channel = await Channel.fresh()
    review = await add(channel, ONE_TEXT)
    assert review.title == "Few 1 is checked and saved"
    await managed(channel, "pack enable few")
    assert "hit" in (await channel.do("Anna", "few-table combat crt roll=6")).format_text()


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker has time enough, also on a machine that is busy with other tests."""
    monkeypatch.setattr("bot.commands.packs.pack.UNTRUSTED_SECONDS", 30.0)


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("sample", "title", "line", "said"),
    [
        (
            "rally.csv",
            "Rally table 1",
            "rally-table tables rally-table roll=12",
            'Rallies, and "Hurrah"',
        ),
        (
            "reinforcements.txt",
            "Reinforcements on the flank 1",
            "reinforcements-on-th-table tables reinforcements-on-the-flank roll=10",
            "Cavalry",
        ),
        (
            "events-v13.json",
            "Random Events 1",
            "random-events-table tables random-events roll=5",
            "Quiet: Nothing happens.",
        ),
        ("supplies.toml", "Supplies 2.0", "supplies-table tables ammunition roll=1", "a crate"),
        (
            "stragglers.txt",
            "Stragglers on the road 1",
            "stragglers-on-the-ro-table tables stragglers-on-the-road roll=3",
            "Nobody",
        ),
        (
            "patrols.yml",
            "HedgeWar 1",
            "hedgewar-table tables village-names tens=2 ones=1",
            "Barrow",
        ),
    ],
)
async def test_a_table_of_another_program_becomes_a_pack(
    sample: str, title: str, line: str, said: str
) -> None:
    channel = await Channel.fresh()
    review = await add(channel, (SAMPLES / sample).read_text(encoding="utf-8"))
    assert review.title == f"{title} is checked and saved"
    button = review.buttons[0]
    await channel.app.press(button.action, channel.who("Host", manager=True), channel.place, "p1")
    assert said in (await channel.do("Anna", line)).format_text()


@pytest.mark.usefixtures("unhurried")
async def test_a_zip_of_tables_becomes_one_pack_and_says_what_is_left_out() -> None:
    names = ("odds.csv", "patrols.yml", "stragglers.txt")
    files = {f"club/{name}": (SAMPLES / name).read_bytes() for name in names}
    channel = await Channel.fresh()
    review = await add(
        channel,
        read_file_text(zip_content({**files, "club/note.txt": b"Bring biscuits."}), "club.zip"),
    )
    assert review.title == "Imported tables 1 is checked and saved"
    assert "left out: club/note.txt: No table was found in this text." in review.format_text()
    assert (
        "Tables: Loot table, Odds, Road table, Stragglers on the road, Village names."
        in review.format_text()
    )
    await channel.app.press(
        review.buttons[0].action, channel.who("Host", manager=True), channel.place, "p1"
    )
    id = review.buttons[0].action.partition(":")[2][:8]
    (pack,) = [
        line
        for line in (await channel.do("Anna", "pack list")).format_text().splitlines()
        if f"@{id}" in line
    ]
    (command,) = re.findall(r"([\w-]+)@", pack)
    assert (
        "Felled trees"
        in (await channel.do("Anna", f"{command}-table club road-table roll=5")).format_text()
    )
    nothing = await add(
        channel, read_file_text(zip_content({"note.txt": b"Bring biscuits."}), "club.zip")
    )
    assert (nothing.code, "note.txt: No table was found" in nothing.format_text()) == (
        "bad-pack",
        True,
    )
    both = await add(
        channel,
        read_file_text(zip_content({**files, "club/deep/pack.yaml": b"id: few"}), "club.zip"),
    )
    assert "is not a valid name for a pack file" in both.format_text()


@pytest.mark.usefixtures("unhurried")
async def test_what_was_guessed_of_a_pasted_sheet_is_in_its_review() -> None:
    channel = await Channel.fresh()
    review = await add(channel, "2d6\t1\t4\t8\n2-6\tM1\tK1\tK2\n7-12\tNE\tM1\tK1\n")
    assert "its columns are read as 'this number or more'" in review.format_text()
    gap = await add(channel, "2d6\t1\t4\t8\n2-6\tM1\tK1\tK2\n8-12\tNE\tM1\tK1\n")
    assert "nothing answers roll 7" in gap.format_text()
    assert gap.code == "bad-pack"


async def test_packs_are_the_managers_business_and_a_servers() -> None:
    channel = await Channel.fresh()
    assert (await add(channel, few(), "Anna", manager=False)).code == "not-manager"
    await channel.refused("Anna", "pack enable few", "not-manager")
    await managed(channel, "pack list")
    alone = Channel(channel.app, channel.place.__class__("console:dm/anna", ""), "dm")
    assert (await add(alone, few())).code == "no-server"


async def test_another_server_sees_nothing_of_it() -> None:
    channel = await Channel.fresh()
    await add(channel, few())
    await managed(channel, "pack enable few")
    other = Channel(channel.app, channel.place.__class__("slack:T2/C1", "slack:T2"), "o")
    await other.refused("Bob", "few-table combat crt roll=5", "unknown-command")
    assert "No packs here yet" in (await other.do("Bob", "pack list")).format_text()


async def test_faults_are_told_by_file_and_line_and_nothing_is_kept() -> None:
    channel = await Channel.fresh()
    reply = await add(channel, few({"crt.yaml": FEW["crt.yaml"].replace("5-6: hit", "6: hit")}))
    assert reply.error
    assert reply.private
    assert reply.code == "bad-pack"
    assert "few/crt.yaml" in reply.format_text()
    assert "No packs here yet" in (await channel.do("Anna", "pack list")).format_text()


@pytest.mark.parametrize(
    ("sent", "part"),
    [
        (
            "title: a YAML file, but no pack",
            "This is neither a pack nor a table in a known format.",
        ),
        ("pack.yaml: {id: few}\npack.yaml: {id: few}", "line 2: pack.yaml appears twice"),
        ("game.yaml: {groups: {}}", "has no pack.yaml"),
        (
            '{"formula": "1d6", "results": [{"range": [1], "text": "a"}]}',
            "Result 1 has no range given as two whole numbers.",
        ),
        ("pack.yaml: {}\n../evil.yaml: {}", "is not a valid name for a pack file"),
        (ZIPPED + "not base64", "not a zip that can be unpacked"),
        (ZIPPED + b64encode(b"PK\x03\x04 and so on").decode(), "not a zip that can be unpacked"),
    ],
)
async def test_what_is_no_pack_is_refused_in_words(sent: str, part: str) -> None:
    reply = await add(await Channel.fresh(), sent)
    assert reply.code == "bad-pack"
    assert part in reply.format_text()


async def test_a_version_is_shown_exported_switched_off_and_removed() -> None:
    channel = await Channel.fresh()
    await add(channel, few())
    await managed(channel, "pack enable few")
    shown = await channel.do("Anna", "pack show few")
    assert shown.by == "enabled here"
    file = (await channel.do("Anna", "pack export few")).files[0]
    assert file.name.startswith("few-")
    assert unzip_content(file.data, "few.zip") == {
        name: text.encode() for name, text in FEW.items()
    }
    await managed(channel, "pack disable few")
    await channel.refused("Anna", "few-table combat crt roll=5", "unknown-command")
    await managed(channel, "pack enable few")
    await managed(channel, "pack remove few")
    await channel.refused("Anna", "few-table combat crt roll=5", "unknown-command")
    assert "No packs here yet" in (await channel.do("Anna", "pack list")).format_text()
    await channel.refused("Anna", "pack show few", "unknown-pack pack")


async def test_two_versions_of_one_pack_are_told_apart() -> None:
    channel = await Channel.fresh()
    await add(channel, few())
    second = await add(channel, few({"pack.yaml": FEW["pack.yaml"].replace('"1"', '"2"')}))
    assert second.title == "Few 2 is checked and saved"
    await managed(channel, "pack enable few@1")
    third = await add(channel, few({"pack.yaml": FEW["pack.yaml"].replace('"1"', '"2"')}))
    assert third.title == "Few 2 is already here"
    assert third.by == "another version is enabled"
    assert (await managed(channel, "pack show few")).title == "Few 1"
    assert (await managed(channel, "pack show few@2")).title == "Few 2"
    await managed(channel, "pack enable few@2")
    assert (await managed(channel, "pack show few")).title == "Few 2"


async def test_setup_systems_leaves_packs_as_they_are() -> None:
    channel = await Channel.fresh()
    await add(channel, few())
    await managed(channel, "pack enable few")
    await managed(channel, "setup systems ucn")
    assert "hit" in (await channel.do("Anna", "few-table combat crt roll=5")).format_text()
    await channel.refused("Anna", "lnlt fire attackers=squad targets=squad", "not-enabled")
    assert "Packs: few." in (await managed(channel, "setup systems")).format_text()


@pytest.mark.slow
async def test_a_pack_that_costs_too_much_is_refused_while_others_are_answered() -> None:
    channel = await Channel.fresh()
    formula = "+".join(["(roll*roll)"] * 160)
    heavy = (
        FEW["crt.yaml"]
        .replace("max: 6", "max: 5000")
        .replace(
            "read:\n  rows: roll\n  cells:\n    1-4: miss\n    5-6: hit\nexample: {roll: 5}\n",
            "derive:\n"
            + "".join(f"  _{n}: {formula!r}\n" for n in range(3))
            + "read: {always: {result: hit}}\n",
        )
    )
    adding = asyncio.create_task(add(channel, few({f"t{n}.yaml": heavy for n in range(40)})))
    rolled = 0
    while not adding.done():
        await channel.do("Anna", "roll 2d6")
        rolled += 1
        await asyncio.sleep(0.02)
    reply = await adding
    assert reply.code == "bad-pack"
    assert "too much memory" in reply.format_text()
    assert rolled > 5, "everybody else goes on"


async def test_a_table_of_a_pack_is_drawn_before_it_is_enabled() -> None:
    channel = await Channel.fresh()
    review = await add(channel, few())
    drawing = next(button for button in review.buttons if button.label == "Picture")
    drawn = await channel.press("Anna", drawing.action)
    assert drawn.private
    assert drawn.files[0].data.startswith(b"\x89PNG")
    assert "CRT" in drawn.files[0].alt


async def test_a_platform_hears_when_a_servers_commands_change_and_is_told_which_they_are() -> None:
    channel, heard = await Channel.fresh(), list[str]()
    channel.app.listen_for_pack_changes(heard.append)
    await add(channel, few())
    assert heard == []
    await managed(channel, "pack enable few")
    assert heard == ["console"]
    registry, names = await channel.app.load_server_registry("console")
    assert names == ("few-table",)
    assert [spec.path for spec in registry.list_below(("few-table",))] == [
        ("few-table", "combat", "crt")
    ]
    await managed(channel, "pack disable few")
    assert (await channel.app.load_server_registry("console"))[1] == ()
