"""The LaTeX tutorial's combat table, typed a second time by columns; and as it is printed, with
its row 5 twice.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.packs.check import check_content
from bot.rulesets.catalog import find_shared_system
from bot.rulesets.packs.archive import read_content
from tests.playing import Channel

COLUMNS = {
    "1-3": "AE AE AR AR EX EX",
    "1-2": "AR AR EX EX EX DR",
    "1-1": "AR EX EX EX DR DR",
    "2-1": "EX EX DR DR DR DE",
    "3-1": "DR DR DR DR DE DE",
    "4-1": "DR DR DE DE DE DE",
}
SPOKEN = {
    "AE": "attacker-eliminated",
    "AR": "attacker-retreats",
    "EX": "exchange",
    "DR": "defender-retreats",
    "DE": "defender-eliminated",
}
ARMOR = '"A 2/I-JD Armor; A 1/I-GH"'


@pytest.mark.slow
@pytest.mark.usefixtures("packs")
def test_every_cell_of_the_combat_table() -> None:
    table = find_shared_system("wargame-tutorial").find_table("crt")
    for column, codes in COLUMNS.items():
        attack, defense = map(int, column.split("-"))
        for roll, code in enumerate(codes.split(), 1):
            answer = table.read({"attack": attack, "defense": defense, "roll": roll})
            assert (answer["column"], answer["result"]) == (column, SPOKEN[code]), (column, roll)


def as_printed(root: Path, folder: Path, second: str) -> str:
    """The faults found where the last row has this key, as the tutorial prints it, or is not
    there.
    """
    shutil.copytree(root / "packs" / "wargame-tutorial", folder)
    crt = folder / "crt.yaml"
    text = crt.read_text(encoding="utf-8")
    row = next(line for line in text.splitlines(keepends=True) if line.startswith("    6: "))
    crt.write_text(
        text.replace(row, row.replace("6", second, 1) if second else ""), encoding="utf-8"
    )
    return "\n".join(check_content(read_content(folder)).faults)


def test_the_check_finds_the_misprint(root: Path, tmp_path: Path) -> None:
    assert "crt.yaml: line 34: the key 5 is given twice" in as_printed(
        root, tmp_path / "wargame-tutorial", "5"
    )
    assert "crt.yaml, row read: nothing answers roll 6" in as_printed(
        root, tmp_path / "again" / "wargame-tutorial", ""
    )


@pytest.mark.usefixtures("packs")
async def test_woods_double_infantry_unless_guns_fire_and_who_is_eliminated_is_off_the_map() -> (
    None
):
    channel = await Channel.fresh()
    await channel.do(
        "Anna", 'game start wargame-tutorial "A Game" scenario=start', "game settings hand_dice=yes"
    )
    shot = 'wargame-tutorial attack attackers={} targets="B LG" ground=woods bombers=1 hand={}'
    held = await channel.do("Anna", shot.format(ARMOR, 3))
    assert "10 against 4, 2-1: +1 bombers, column 3-1" in held.format_text()
    assert held.format_text().startswith("B LG retreats · A 2/I-JD Armor and A 1/I-GH attack")
    assert (await channel.game()).units["b lg"].state != "eliminated"
    lost = await channel.do("Anna", shot.format('"A 2/I-JD Armor; A Artillery"', 4))
    assert "8 against 2, 4-1" in lost.format_text(), "no doubling against artillery"
    assert "B LG is eliminated" in lost.format_text()
    assert (await channel.game()).units["b lg"].state == "eliminated"
    await channel.do("Anna", "game undo")
    assert (await channel.game()).units["b lg"].state != "eliminated"
