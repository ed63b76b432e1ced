"""Packs: systems from a folder or a zip are there for every command, as those of the house are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.discord.command_payload import MAX_COMMAND, build_payload, measure_size
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import TableError
from bot.rulesets.catalog import find_named_folder, find_shared_system, load_shared_systems
from bot.rulesets.packs.pack import load_pack
from tests.packs.conftest import PackMaker
from tests.playing import Channel


def grognard(*words: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=cwd, env={**os.environ, **env}
    )


@pytest.mark.usefixtures("packs")
async def test_a_pack_is_played_with_units_turns_dice_and_log() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna",
        "game start generic scenario=crossroads",
        "game settings hand_dice=yes",
        "game join Blue",
    )
    reply = await channel.do("Anna", "generic-table odds attack=9 defense=4 shift=-1 roll=5")
    assert "Exchange at 2-1 (column 1-1)" in reply.format_text()
    await channel.do("Anna", "unit edit blue1 stats=state=reduced", "game next")
    assert (await channel.game()).phase == "combat"
    await channel.do("Anna", "generic-table fire fp=8")
    attack = await channel.do(
        "Anna", "generic attack attackers=blue1..blue4 targets=red1 ground=town hand=6"
    )
    assert "column 1-1\n" in attack.format_text()
    assert ", defender retreats" in attack.format_text()
    log = (await channel.do("Anna", "log 9")).format_text()
    assert "Combat begins" in log
    assert "Anna (Blue): Fire: " in log
    await channel.do("Anna", "game undo")


def test_the_packs_that_come_with_the_program_are_named_free(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: Path
) -> None:
    assert find_named_folder("free") == root / "packs"
    assert find_named_folder("free/generic") == root / "packs" / "generic"
    (tmp_path / "free").mkdir()
    monkeypatch.chdir(tmp_path)
    assert find_named_folder("free") == Path("free"), "a folder of one's own comes first"


async def test_help_knows_a_pack_without_sequences(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    use_packs(make_pack())
    channel = await Channel.fresh()
    page = (await channel.do("Anna", "help few")).format_text()
    assert "crt" in page
    assert "CC0" in page
    await channel.refused("Anna", "few crt roll=3", "unknown-command")


def test_discord_is_given_the_commands_of_a_pack_and_no_empty_one(
    make_pack: PackMaker, use_packs: Callable[[Path], None], root: Path
) -> None:
    use_packs(make_pack())
    made = {command["name"]: command for command in build_payload(load_shared_registry())}
    assert "few-table" in made
    assert "few" not in made
    use_packs(root / "packs")
    made = {command["name"]: command for command in build_payload(load_shared_registry())}
    assert [option["name"] for option in made["generic"]["options"]] == ["attack"]
    assert measure_size(made["generic-table"]) <= MAX_COMMAND


@pytest.mark.slow
def test_the_command_line_takes_packs_by_flag_and_by_setting(root: Path, tmp_path: Path) -> None:
    words = ("lookup", "generic", "odds", "attack=9", "defense=4", "roll=5", "--json")
    assert (
        '"result": "defender-retreats"' in grognard(*words, "--packs", str(root / "packs")).stdout
    )
    assert (
        '"result": "defender-retreats"'
        in grognard(*words, GROGNARD_PACKS=str(root / "packs" / "generic")).stdout
    )
    (tmp_path / ".env").write_text(f"GROGNARD_PACKS={root / 'packs'}\n")
    found = grognard(*words, cwd=tmp_path, PYTHONPATH=str(root)).stdout
    assert '"result": "defender-retreats"' in found, "a line in .env"
    missing = grognard("systems", "--packs", str(tmp_path / "nowhere"))
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "no pack folder" in missing.stderr


def test_a_zip_is_as_good_as_a_folder(
    root: Path, tmp_path: Path, use_packs: Callable[[Path], None]
) -> None:
    shutil.make_archive(str(tmp_path / "own" / "generic"), "zip", root / "packs", "generic")
    use_packs(tmp_path / "own")
    assert find_shared_system("generic").find_table("fire").read({"fp": 8, "roll": 4})["steps"] == 0
    assert (
        load_pack(tmp_path / "own" / "generic.zip").version
        == load_pack(root / "packs" / "generic").version
    )


def test_a_pack_with_a_fault_is_left_out_and_the_others_stay(
    make_pack: PackMaker, use_packs: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    make_pack()
    make_pack(
        {
            "pack.yaml": 'id: bad\ntitle: Bad\nversion: "1"\nauthor: us\nlicence: CC0\n',
            "crt.yaml": "rows: 1",
        },
        "bad",
    )
    use_packs(make_pack().parent)
    assert "few" in load_shared_systems()
    assert "bad" not in load_shared_systems()
    assert "pack bad is left out: bad/crt.yaml" in caplog.text


def test_a_pack_may_not_pose_as_a_built_in_system(make_pack: PackMaker) -> None:
    folder = make_pack(
        {"pack.yaml": 'id: lnlt\ntitle: Few\nversion: "1"\nauthor: us\nlicence: CC0\n'}
    )
    with pytest.raises(TableError, match="inherits: lnlt"):
        load_pack(folder)


async def test_house_rules_inherit_what_they_do_not_change(
    make_pack: PackMaker, use_packs: Callable[[Path], None]
) -> None:
    """Overcautious commanders: an own table for the odds in melee; fire, units and phases stay
    those of the card.
    """
    folder = make_pack(
        {
            "pack.yaml": 'id: house\ntitle: House\nversion: "1"\nauthor: us\nlicence: CC0\ninherits: lnlt\n',
            "game.yaml": None,
            "crt.yaml": None,
            "melee-odds.yaml": (
                "title: Melee odds\nsource: ours\ngroup: combat\nkind: grid\nsummary: Always even.\n"
                "inputs:\n  attack: {type: int, min: 1, max: 60}\n  defense: {type: int, min: 1, max: 60}\n"
                "outputs: {odds: melee_odds}\nread: {always: {odds: 1-1}}\n"
            ),
        }
    )
    use_packs(folder)
    channel = await Channel.fresh()
    assert (
        find_shared_system("house")
        .find_table("melee-odds")
        .read({"attack": 9, "defense": 1})["odds"]
        == "1-1"
    )
    assert (
        find_shared_system("lnlt")
        .find_table("melee-odds")
        .read({"attack": 9, "defense": 1})["odds"]
        == "5-1"
    )
    reply = await channel.do("Anna", 'house fire attackers="squad fp=2" targets="squad morale=4"')
    assert reply.title
    assert (await channel.do("Anna", "game start house Hill")).title
