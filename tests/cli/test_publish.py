"""`grognard publish`: the page of a game as a file with a safe name, whole at every moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.__main__ import main
from bot.app import App
from bot.cli.report import write_page
from bot.rules.errors import UserError
from bot.storage.sqlite import SqliteStore
from tests.fresh import run
from tests.playing import Channel
from tests.refusing import refuses


async def played(database: Path) -> str:
    channel = Channel(App(await SqliteStore.open(database)))
    await channel.do(
        "Anna", 'game start lnlt "Hill 875 / ../<b>" sides="US, VC"', "game join US", "roll 2d6"
    )
    await channel.do("Anna", 'roll d20 label="hidden mines" secret')
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    await channel.app.close()
    return loaded.row


@pytest.fixture
def row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROGNARD_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return run(played(tmp_path / "data" / "grognard.db"))


def test_a_game_is_written_by_its_title_and_by_its_id(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["publish", "hill 875 / ../<b>", "site"]) == 0
    (file,) = (tmp_path / "site").iterdir()
    assert file.name == f"hill-875-b-{row[:8]}.html"
    assert capsys.readouterr().out == f"site/{file.name}: 4 events\n"
    text = file.read_text("utf-8")
    assert "Hill 875" in text
    assert "<b>" not in text.partition("<title>")[2].partition("</title>")[0]
    assert "hidden mines" not in text
    assert "console:anna" not in text
    assert file.stat().st_mode & 0o777 == 0o644, "the web server may read it"
    file.write_text("old")
    assert main(["publish", row, "site"]) == 0
    assert [one.name for one in (tmp_path / "site").iterdir()] == [file.name], (
        "it is written in place"
    )
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["publish", "No such game", "site"], 'There is no game "No such game"'),
        (["publish", "x"], "FOLDER is missing"),
        (["publish", "x", "site", "--every", "1"], "--every takes a number of seconds"),
    ],
)
def test_what_cannot_be_published_is_said_in_one_line(
    row: str, words: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert row
    assert main(words) == 2
    error = capsys.readouterr().err
    assert part in error
    assert error.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_named(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "site").write_text("a file")
    assert main(["publish", row, "site"]) == 2
    assert "site cannot be written" in capsys.readouterr().err
    with refuses("unwritable-folder"):
        write_page(tmp_path / "site", "Hill 875", row, "page")


def test_a_link_in_the_folder_is_replaced_and_leads_nowhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    (tmp_path / "game-12345678.html").symlink_to(elsewhere)
    assert write_page(tmp_path, "///", "12345678", "page") == tmp_path / "game-12345678.html"
    assert elsewhere.read_text() == "mine"
    assert (tmp_path / "game-12345678.html").read_text() == "page"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(UserError, match=str(file)) as refused:
        write_page(file / "games", "Hill 875", "ab12cd34", "a page")
    assert refused.value.code == "unwritable-folder"
