"""`grognard check`, `new` and `play_random_games`: what an author of a pack gets to see."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest

from bot.__main__ import main
from bot.cli.packs import watch_pack
from bot.packs.check import check_content, check_path, check_system
from bot.packs.new import TEMPLATE, write_new_pack
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.packs.archive import read_content
from bot.rulesets.system import TABLES, list_builtin_systems
from tests.packs.conftest import FEW, PackMaker
from tests.refusing import refuses
from tools.fuzz import FuzzTally, play_random_games

CRT = """\
title: CRT
source: ours
group: combat
kind: grid
summary: What a die says.
inputs:
  roll: {type: int, min: 1, max: 6}
  odds: {type: int, min: 1, max: 4}
outputs: {result: [AE, AR, NE, DR, DE]}
read:
  rows: roll
  columns: {by: odds, heads: [1, 2, 3, 4]}
  cells:
"""
ROWS: dict[object, str] = {
    1: "AE, AE, AR, NE",
    2: "AE, AR, AR, NE",
    3: "AR, AR, NE, DR",
    4: "AR, NE, DR, DR",
    5: "NE, NE, DR, DE",
    6: "NE, DR, DR, DE",
}


def card(rows: dict[object, str]) -> str:
    """A results table with these rows."""
    return (
        CRT
        + "".join(f"    {key}: [{cells}]\n" for key, cells in rows.items())
        + "example: {roll: 1, odds: 1}\n"
    )


def said(make_pack: PackMaker, **files: str) -> tuple[str, str]:
    """The faults and the questions of the smallest pack with these tables, a line each."""
    report = check_content(
        read_content(make_pack({f"{name}.yaml": text for name, text in files.items()}))
    )
    return "\n".join(report.faults), "\n".join(report.questions)


def test_a_sound_card_raises_no_question(make_pack: PackMaker) -> None:
    assert said(make_pack, crt=card(ROWS)) == ("", "")


def test_a_row_that_is_printed_twice_and_one_that_is_missing(make_pack: PackMaker) -> None:
    """As in the chart of packs/wargame-tutorial, which tests/packs/test_wargame_tutorial.py has
    as printed.
    """
    assert (
        "line 19: the key 5 is given twice"
        in said(make_pack, crt=card(ROWS).replace("    6: [", "    5: ["))[0]
    )
    assert (
        "nothing answers roll 6"
        in said(make_pack, crt=card({key: ROWS[key] for key in range(1, 6)}))[0]
    )


def test_faults_name_file_row_and_column(make_pack: PackMaker) -> None:
    faults, _ = said(make_pack, crt=card({**ROWS, 3: "AR, AR, XX, DR"}))
    assert faults == "few/crt.yaml, row 3, column 3: result has no value 'XX'"
    faults, _ = said(make_pack, crt=card({**ROWS, 3: "AR, AR, DR"}))
    assert "few/crt.yaml, row 3: has 3 cells for 4 columns" in faults
    rows: dict[object, str] = {"1-2": ROWS[1], "2-4": ROWS[3], "5-6": ROWS[5]}
    assert (
        "few/crt.yaml, row 2-4: overlaps the band before it at 2"
        in said(make_pack, crt=card(rows))[0]
    )


def test_all_tables_are_read_not_only_up_to_the_first_fault(make_pack: PackMaker) -> None:
    faults, _ = said(make_pack, crt=card({**ROWS, 3: "AR"}), fire=card({**ROWS, 4: "AR"}))
    assert "few/crt.yaml, row 3" in faults
    assert "few/fire.yaml, row 4" in faults


def test_a_row_that_nothing_leads_to(make_pack: PackMaker) -> None:
    faults, _ = said(make_pack, crt=card({**ROWS, 7: "DR, DR, DE, DE"}))
    assert faults == "few/crt.yaml, row 7: never used; roll is 1 to 6"


def test_what_a_proof_reader_asks(make_pack: PackMaker) -> None:
    _, questions = said(make_pack, crt=card({**ROWS, 4: ROWS[3]}))
    assert "row 3 and row 4 are the same" in questions
    _, questions = said(make_pack, crt=card({**ROWS, 4: "DE, NE, DR, DR"}))
    assert (
        "few/crt.yaml, row 4, column 1: DE is out of step with the cells above and below it"
        in questions
    )


def test_a_gap_behind_a_formula_is_found_by_looking_everything_up(make_pack: PackMaker) -> None:
    text = FEW["crt.yaml"].replace(
        "read:\n  rows: roll", "derive: {_total: roll + 1}\nread:\n  rows: _total"
    )
    faults, _ = said(make_pack, crt=text)
    assert faults == "few/crt.yaml, rows: nothing answers _total 7, for example for roll 6"


@pytest.mark.sample(1)
@pytest.mark.parametrize("id", list(list_builtin_systems()))
def test_the_built_in_games_have_no_fault(id: str) -> None:
    assert check_system(list_builtin_systems()[id]).faults == ()


AS_PRINTED = {
    "wargame-tutorial/crt.yaml: row 3 and row 4 are the same: is one of them a typo?",
    *(
        f"maneuver-rules/chance.yaml, row 15, column submarine: {chance} is out of step with the cells above and below "
        "it: is that as printed?"
        for chance in (292, 196)
    ),
}
"""Questions that were answered by a look at the source."""


FREE_PACKS = sorted(
    path.parent for path in (Path(__file__).parents[2] / "packs").glob("*/pack.yaml")
)


@pytest.mark.sample(1)
@pytest.mark.parametrize("folder", FREE_PACKS, ids=lambda folder: folder.name)
def test_a_free_pack_has_no_fault_a_licence_a_scenario_and_a_sequence(folder: Path) -> None:
    report = check_content(read_content(folder))
    asked = {
        one for one in report.questions if "blanks to fill in from your card" not in one
    } - AS_PRINTED
    assert (report.faults, asked) == ((), set())
    for needed in ("LICENSE", "README.md", "sequences.yaml"):
        assert (folder / needed).is_file(), needed
    # it is played in that game's
    extends = "extends:" in (folder / "pack.yaml").read_text(encoding="utf-8")
    assert extends or list(folder.glob("scenarios/*.yaml"))


def test_new_writes_a_pack_that_passes_and_is_never_put_over_another(tmp_path: Path) -> None:
    folder = tmp_path / "Few Acres"
    assert write_new_pack(folder) == "few-acres"
    report = check_content(read_content(folder))
    assert (report.faults, report.questions) == ((), ())
    assert (
        report.about == "few-acres: Few Acres, version 1: 2 tables, 1 combat sequence, 1 scenario"
    )
    assert report.odds == ()
    with refuses("name-taken"):
        write_new_pack(folder)
    with refuses("bad-name"):
        write_new_pack(tmp_path / "lnlt")


def test_new_brings_the_schemas_along_so_that_an_editor_helps(tmp_path: Path) -> None:
    """Also for who has only the wheel; neither the folder nor a zip of it is read otherwise for
    them.
    """
    write_new_pack(folder := tmp_path / "few-acres")
    files = sorted(folder.rglob("*.yaml"))
    assert len(files) == 7
    for file in files:
        first = file.read_text(encoding="utf-8").splitlines()[0]
        schema = file.parent / first.removeprefix("# yaml-language-server: $schema=")
        parts = (schema.stem, file.parent.name, file.stem)
        assert json.loads(schema.read_text(encoding="utf-8"))["$schema"], parts
        of = {"steps": "steps", "scenarios": "scenario"}.get(file.parent.name, file.stem)
        assert schema.stem == (
            of if of in ("steps", "scenario", "pack", "game", "sequences") else "table"
        )
    with zipfile.ZipFile(tmp_path / "few.zip", "w") as packed:
        for file in folder.rglob("*.*"):
            packed.write(file, f"few-acres/{file.relative_to(folder).as_posix()}")
    assert read_content(tmp_path / "few.zip") == read_content(folder)


def test_watch_checks_anew_draws_the_table_and_plays_the_example(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_new_pack(folder := tmp_path / "few-acres")
    shifts = folder / "shifts.yaml"
    looks: list[str] = []
    with patch(
        "bot.cli.packs.sleep", side_effect=lambda _: looks.append(_mended(shifts, len(looks)))
    ):
        watch_pack(folder, looks=3)
    said = capsys.readouterr().out
    first, second, third = said.split("-- ")[1:]
    assert "few-acres: Few Acres, version 1: 2 tables" in first
    assert "example   /few-acres attack attackers=" in first
    assert "Combat" in first
    picture = Path(first.partition("picture   ")[2].splitlines()[0])
    assert not picture.exists(), "it is there as long as the watch goes on"
    assert picture.name == "crt.png"
    assert "fault     few-acres/shifts.yaml, line 2" in second
    assert "picture" not in second
    assert "shifts.png" in third


def _mended(file: Path, looked: int) -> str:
    """The file with a slip at the first look, without it at the second."""
    old, new = ("title:", "titlez:") if looked == 0 else ("titlez:", "title:")
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    os.utime(file, (looked + 1, looked + 1))
    return new


def test_try_begins_a_game_of_the_pack_and_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_new_pack(folder := tmp_path / "few-acres")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROGNARD_PACKS", "")
    typed = b"few-acres attack attackers=Tanks targets='Garrison 1'\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    try:
        assert main(["try", str(folder)]) == 0
    finally:
        load_shared_systems.cache_clear()
    said = capsys.readouterr().out
    assert '> game start few-acres "Few Acres" scenario=first' in said
    assert "Tanks attacks" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["few-acres"]
    (folder / "crt.yaml").write_text("title: CRT\n", encoding="utf-8")
    assert main(["try", str(folder)]) == 2
    assert "few-acres/crt.yaml" in capsys.readouterr().err
    assert main(["try", str(tmp_path / "nowhere")]) == 2


def test_try_names_the_faults_of_a_pack_before_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_new_pack(folder := tmp_path / "few-acres")
    sequences = folder / "sequences.yaml"
    text = sequences.read_text(encoding="utf-8")
    faulty = re.sub("(?m)^  example: .*$", "  example: {attackers: nobody, targets: nobody}", text)
    assert faulty != text
    sequences.write_text(faulty, encoding="utf-8")
    monkeypatch.setenv("GROGNARD_PACKS", "")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"quit\n")))
    try:
        assert main(["try", str(folder)]) == 0
    finally:
        load_shared_systems.cache_clear()
    printed = capsys.readouterr().out
    fault = next(line for line in printed.splitlines() if line.startswith("fault "))
    assert "few-acres/sequences.yaml" in fault
    assert "The check of this pack finds 1 fault" in printed
    assert printed.index(fault) < printed.index("> game start")


def test_sixty_tables_are_checked_at_once(make_pack: PackMaker) -> None:
    """Within a second of a quiet processor; ten times as much is allowed here for a slow and
    busy one.
    """
    template = {name: data.decode() for name, data in read_content(TEMPLATE).items()}
    files = {"game.yaml": template["game.yaml"].partition("turns:")[0]}
    files["game.yaml"] = files["game.yaml"].replace("groups: {", "groups: {g0: A, g1: B, g2: C, ")
    for number in range(60):
        text = template["shifts.yaml" if number % 3 else "crt.yaml"]
        files[f"table-{number}.yaml"] = re.sub("(?m)^group: .*$", f"group: g{number % 3}", text)
    content = read_content(make_pack({**files, "crt.yaml": None}))
    since = time.process_time()
    report = check_content(content)
    spent = time.process_time() - since
    assert (report.faults, report.about.partition(": ")[2]) == (
        (),
        "Few, version 1: 60 tables, 0 combat sequences, 0 scenarios",
    )
    assert spent < 10


def test_check_on_the_command_line(
    make_pack: PackMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process of its own; exit status 1 on faults."""
    assert main(["check", str(make_pack())]) == 0
    assert "question  few/crt.yaml" not in (out := capsys.readouterr().out)
    assert "few: Few, version 1: 1 table" in out
    assert main(["check", str(make_pack({"crt.yaml": card({**ROWS, 3: "AR"})})), "--json"]) == 1
    assert "row 3" in json.loads(capsys.readouterr().out)["faults"][0]
    assert main(["check", str(tmp_path / "nowhere")]) == 2
    assert check_path(Path(TABLES, "nhis")).faults == ()


async def test_random_games_hold_and_are_the_same_for_the_same_seed() -> None:
    first, second = FuzzTally(), FuzzTally()
    assert await play_random_games(find_shared_system("nhis"), 2, 5, first) is None
    assert await play_random_games(find_shared_system("nhis"), 2, 5, second) is None
    assert first == second
    assert (first.plays, first.odds) == (2, 2)
    assert first.events > 20


@pytest.mark.slow
@pytest.mark.usefixtures("packs")
async def test_random_games_of_a_pack_hold() -> None:
    assert await play_random_games(find_shared_system("generic"), 3, 1, FuzzTally()) is None


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("bot.commands.play.play.look_up_table", "crashed: Something went wrong"),
        ("tools.fuzz.count_odds", "crashed: RuntimeError"),
        ("tools.fuzz.audit_game", "crashed: RuntimeError"),
    ],
)
async def test_a_random_game_that_fails_is_kept_to_be_imported(broken: str, says: str) -> None:
    """A look-up, odds or the check of the log break, as they would with a mistake in the code.

    `Table.read` cannot break in their place: sequences read tables, too, when they are loaded, and
    which are loaded already depends on the tests before this one.
    """
    with patch(broken, side_effect=RuntimeError("a mistake")):
        failure = await play_random_games(find_shared_system("asl"), 5, 1, FuzzTally())
    assert failure is not None
    assert says in failure.faults[0]
    assert json.loads(failure.export)["events"]
