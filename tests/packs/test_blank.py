"""Tables that their owner types from a card: what is blank, and what is kept out of exports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli.packs import create_pack
from bot.packs.check import check_content
from bot.packs.new import write_new_pack
from bot.presentation.roll import look_up_table
from bot.rules.dice import Script
from bot.rules.errors import UserError
from bot.rulesets.packs.pack import PackSystem, decode_files, is_private, load_pack
from bot.rulesets.play_once import count_odds, play_sequence
from bot.ui.reply.packing import read_file_text
from bot.verification.check_file import check
from tests.commands.pack_helpers import add, managed
from tests.extension import EXTENSION, extension
from tests.packs.conftest import FEW, PackMaker
from tests.playing import Channel
from tests.scenarios.pack_versions_helpers import exported

HOLED = EXTENSION["card.yaml"].replace("8-9: [ok, nmc, 1mc]", "8-9: [ok, _, 1mc]")
OPEN_END = FEW["crt.yaml"].replace("5-6: hit", "5: hit\n    6: _").replace("kind: grid", "kind: roll").replace(
    "max: 6}", "max: 6, optional: true}"
).replace("outputs:", "rolls: {roll: {dice: 1d6, label: shot}}\noutputs:")  # fmt: skip


def pack_of(files: dict[str, str]) -> PackSystem:
    """The pack with these files."""
    return PackSystem({name: text.encode() for name, text in files.items()})


def test_a_blank_cell_is_listed_and_refuses_before_the_first_die() -> None:
    pack = pack_of({**EXTENSION, "card.yaml": HOLED})
    report = check_content(pack.content)
    assert report.faults == ()
    (asked,) = [question for question in report.questions if "blank" in question]
    assert asked.startswith("club-ift/card.yaml: 1 blank to fill in from your card")
    assert "row 8-9" in asked
    fire, inputs = pack.find_sequence("fire"), {"attackers": "squad fp=4", "targets": "squad"}
    for ask in (lambda: play_sequence(fire, inputs, Script([])), lambda: count_odds(fire, inputs)):
        with pytest.raises(
            UserError, match="Club fire table is blank here: row 8-9, column 4"
        ) as error:
            ask()
        assert error.value.code == "blank-cell"
    assert pack.tables["card"].read({"fp": 4, "total": 6}).out == {"result": "1mc"}


def test_a_look_up_rolls_only_where_its_dice_cannot_come_to_a_blank() -> None:
    table = pack_of({**FEW, "crt.yaml": OPEN_END}).tables["crt"]
    with pytest.raises(UserError, match="row 6"):
        look_up_table(table, {}, "Anna", Script([3]))
    assert not look_up_table(table, {"roll": 5}, "Anna", Script([])).reply.error


def test_heads_and_modifiers_may_be_blank() -> None:
    card = EXTENSION["card.yaml"].replace(
        'heads: ["1", "4", "12"], from: [1, 4, 12]', "from: [_, _, _]"
    )
    pack = pack_of({**EXTENSION, "card.yaml": card})
    with pytest.raises(UserError, match="blank here: the heads of the columns"):
        pack.tables["card"].read({"fp": 4, "total": 6})
    drm = (
        "title: DRM\nsource: ours\ngroup: combat\nkind: modifiers\nsummary: DRM.\n"
        "inputs: {woods: {type: bool, help: woods}}\noutputs: {drm: int}\n"
        "rows: [{id: woods, name: Woods, when: woods, adds: {drm: _}}]\n"
    )
    table = pack_of({**FEW, "drm.yaml": drm}).tables["drm"]
    assert table.read({}).out == {"drm": 0}
    with pytest.raises(UserError, match="blank here: what Woods adds"):
        table.read({"woods": True})


def test_a_blank_table_is_written_into_a_pack_and_passes_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "own"
    write_new_pack(folder)
    create_pack(["--blank", str(folder / "fire-table.yaml"), "--rows", "-1-12", "--columns", "11"])
    assert "is ready for your card" in capsys.readouterr().out
    pack = load_pack(folder)
    assert check_content(pack.content).faults == ()
    assert len(pack.tables["fire-table"].blank) == 14 * 11 + 1
    with pytest.raises(UserError, match="not a name for a new table"):
        create_pack(["--blank", str(folder / "fire-table.yaml")])
    with pytest.raises(UserError, match="That is not a table"):
        create_pack(["--blank", str(folder / "other.yaml"), "--rows", "12-2"])


@pytest.mark.parametrize("file", ["pack.yaml", "card.yaml"])
async def test_private_figures_are_in_no_export_which_names_their_hash(
    file: str, use_packs: object
) -> None:
    changed = {file: EXTENSION[file] + "\nprivate: true\n"}
    assert is_private(decode_files(pack_of({**EXTENSION, **changed})))
    channel = await Channel.fresh()
    assert not (await add(channel, extension(changed))).error
    await managed(channel, "pack enable club-ift")
    await channel.do("Anna", 'game start asl "Hill"', 'unit add "Alpha" squad fp=4', "game board")
    await channel.do("Anna", "club-ift fire attackers=Alpha targets=squad")
    log = await exported(channel)
    assert "packs" not in log
    assert "8-9" not in json.dumps(log)
    (hash,) = (await channel.game()).packs
    found = check(log)
    assert (found.faults, found.unplayed) == ((), 1)
    assert (
        f"The pack {hash[:8]} is not in the file; if you have it (--packs), more can be checked."
        in found.remarks
    )
    page = (await channel.do("Anna", "game export html")).files[0].data
    assert HOLED.splitlines()[2] not in read_file_text(page, "game.html")
    refused = await channel.say("Anna", "pack export club-ift")
    assert refused.code == "not-manager"


def test_private_is_true_or_false(make_pack: PackMaker) -> None:
    report = check_content(
        {
            **{n: t.encode() for n, t in FEW.items()},
            "pack.yaml": (FEW["pack.yaml"] + "private: 1\n").encode(),
        }
    )
    (fault,) = report.faults
    assert fault.startswith("pack.yaml, row private: must be true or false, not 1")
