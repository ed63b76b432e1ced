"""`grognard picture`: tables and odds drawn into a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.__main__ import main


def test_a_table_with_its_hit_cell_is_written_as_svg(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "odds.svg"
    assert main(["picture", "table", "lnlt", "melee-odds", "attack=7", "defense=4", "-o", str(file)]) == 0
    assert 'class="hit"' in file.read_text(encoding="utf-8")
    said = capsys.readouterr().out
    assert said.startswith(f"wrote {file}\nMelee odds ratio. 2-1 (attack 7, defense 4).")


def test_odds_are_written_as_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fire.png"
    words = ["attackers=squad fp=5; squad fp=4", "targets=squad morale=5", "-o", str(file)]
    assert main(["picture", "odds", "lnlt", "fire", *words]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert "casualties" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["board", "lnlt", "fire"], 'There are no pictures of "board".'),
        (["table", "lnlt"], "NAME is missing."),
        (["table", "lnlt", "dct", "-o", "card.gif"], "card.gif must end in .svg or .png."),
        (["table", "lnlt", "dct", "-o", "/no/such/folder/card.svg"], "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_said(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["picture", *words]) == 2
    assert said in capsys.readouterr().err
