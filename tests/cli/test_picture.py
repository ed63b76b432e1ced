"""`grognard picture`: tables, odds and games drawn into a file."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.charts.font import measure_width


def test_a_table_with_its_hit_cell_is_written_as_svg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "odds.svg"
    assert (
        main(["picture", "table", "lnlt", "melee-odds", "attack=7", "defense=4", "-o", str(file)])
        == 0
    )
    assert 'class="hit"' in file.read_text(encoding="utf-8")
    said = capsys.readouterr().out
    assert said.startswith(
        f"wrote {file}\nMelee odds ratio. The odds are 2-1 (attack 7, defense 4)."
    )


def test_odds_are_written_as_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fire.png"
    words = ["attackers=squad fp=5; squad fp=4", "targets=squad morale=5", "-o", str(file)]
    assert main(["picture", "odds", "lnlt", "fire", *words]) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert "casualties" in capsys.readouterr().out


SAMPLE = str(Path(__file__).parents[1] / "data/sample-report.json")


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (
            (),
            "Hill 875. US won. Ended in turn 4. US lost 1 of 6 units, VC lost 2 of 6 units. The hill is taken",
        ),
        (
            ("22",),
            "Hill 875 · turn 1, Administrative phase · #22. The squad is eliminated, the leader is wounded. US",
        ),
        (
            ("#13",),
            "What decided Hill 875 · turn 1, Operations phase · #13. Cell 1 is eliminated. US · Anna · Squad 1",
        ),
    ],
)
def test_a_game_and_its_results_are_drawn(
    number: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "card.svg"
    assert main(["picture", "game", SAMPLE, *number, "-o", str(file)]) == 0
    assert says in capsys.readouterr().out
    texts = re.findall(
        r'<text x="(\d+)" y="(\d+)" font-size="(\d+)"[^>]*>([^<]*)<', file.read_text("utf-8")
    )
    sizes = [int(size) * 390 / 1200 for _, _, size, _ in texts]
    assert min(sizes) > 8, "legible on a phone"
    assert all(
        int(x) + measure_width(unescape(text), float(size)) < 1200 for x, _, size, text in texts
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["board", "lnlt", "fire"], 'No pictures of "board".'),
        (["table", "lnlt"], "NAME is missing."),
        (["game", SAMPLE, "999"], "This game has no event #999."),
        (["game", SAMPLE, "last"], "last is not an event number."),
        (["table", "lnlt", "dct", "-o", "card.gif"], "card.gif must end in .svg or .png."),
        (["table", "lnlt", "dct", "-o", "/no/such/folder/card.svg"], "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["picture", *words]) == 2
    assert said in capsys.readouterr().err
