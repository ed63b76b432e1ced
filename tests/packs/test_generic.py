"""The generic pack's tables typed a second time, by columns where the files have rows: both must
say the same.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.rulesets.catalog import find_shared_system

ODDS = {
    "1-3": "AE AE AE AR AR NE",
    "1-2": "AE AR AR AR NE EX",
    "1-1": "AR AR NE NE EX DR",
    "2-1": "AR NE NE EX DR DR",
    "3-1": "NE NE EX DR DR DR",
    "4-1": "NE EX DR DR DR DE",
    "5-1": "EX DR DR DR DE DE",
    "6-1": "DR DR DR DE DE DE",
}
SPOKEN = {
    "AE": "attacker-eliminated",
    "AR": "attacker-retreats",
    "NE": "no-effect",
    "EX": "exchange",
    "DR": "defender-retreats",
    "DE": "defender-eliminated",
}
DIFFERENCES = {
    -4: "A2 A2 A2 A2 A1 A1 A1 NE NE B1 B1",
    -2: "A2 A2 A1 A1 A1 NE NE B1 B1 R1 R1",
    0: "A2 A1 A1 NE NE B1 B1 R1 R1 D1 D1",
    2: "A1 A1 NE NE B1 B1 R1 R1 D1 D1 D1R1",
    4: "A1 NE B1 B1 R1 R1 D1 D1 D1 D1R1 D2R2",
    6: "NE B1 B1 R1 R1 D1 D1 D1R1 D1R1 D2R2 D2R2",
    8: "B1 R1 R1 D1 D1 D1 D1R1 D1R1 D2R2 D2R2 D2R2",
}
LOSSES = {
    "A2": (2, 0, 0),
    "A1": (1, 0, 0),
    "NE": (0, 0, 0),
    "B1": (1, 1, 0),
    "R1": (0, 0, 1),
    "D1": (0, 1, 0),
    "D1R1": (0, 1, 1),
    "D2R2": (0, 2, 2),
}
FIRE = {
    1: "M1 M1 M M P P - - - - - - - -",
    2: "M2 M1 M1 M1 M M P P - - - - - -",
    4: "K1 M2 M2 M1 M1 M M P P - - - - -",
    7: "K1 K1 M2 M2 M1 M1 M M P P - - - -",
    11: "K2 K1 K1 M2 M2 M1 M1 M M P P - - -",
    16: "K2 K2 K1 K1 M2 M2 M1 M1 M M P P - -",
    24: "K3 K2 K2 K1 K1 M2 M2 M1 M1 M M P P -",
}
HARM = {
    "K3": (3, True, 2, True),
    "K2": (2, True, 1, True),
    "K1": (1, True, 0, True),
    "M2": (0, True, 2, True),
    "M1": (0, True, 1, True),
    "M": (0, True, 0, True),
    "P": (0, False, 0, True),
    "-": (0, False, 0, False),
}


def read(table: str, **given: Any) -> Any:
    """What a table of the pack says."""
    return find_shared_system("generic").find_table(table).read(given)


@pytest.mark.usefixtures("packs")
def test_the_odds_table() -> None:
    for column, codes in ODDS.items():
        attack, defense = map(int, column.split("-"))
        for roll, code in enumerate(codes.split(), 1):
            answer = read("odds", attack=attack, defense=defense, roll=roll)
            assert (answer["odds"], answer["result"]) == (column, SPOKEN[code]), (column, roll)


@pytest.mark.usefixtures("packs")
def test_the_differential_table() -> None:
    for least, codes in DIFFERENCES.items():
        for roll, code in enumerate(codes.split(), 2):
            for more in (0, 1):
                answer = read("differential", attack=20 + least + more, defense=20, roll=roll)
                found = (answer["attacker_steps"], answer["defender_steps"], answer["retreat"])
                assert found == LOSSES[code], (least, roll)


@pytest.mark.usefixtures("packs")
def test_the_fire_table() -> None:
    for fp, codes in FIRE.items():
        for total, code in enumerate(codes.split()):
            roll = max(2, min(12, total))
            answer = read("fire", fp=fp, roll=roll, modifier=total - roll)
            found = (answer["steps"], answer["check"], answer["check_add"], answer["pinned"])
            assert (answer["total"], found) == (total, HARM[code]), (fp, total)
