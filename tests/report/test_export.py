"""The page by /game export, /game end and grognard report; verify and import read it, packed or
not.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.cli.report import write_report
from bot.commands.log import export
from bot.execution.executor import PAGES
from bot.report import page as pages
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.ui.reply.reply import File, Reply
from bot.verification.check_file import check_file
from bot.verification.export_format import extract_export
from tests.playing import Channel, two_sides
from tools import verify_log

LOGS = Path(__file__).parents[1] / "data/logs"


async def evening() -> Channel:
    """A short game: a shot by real dice, one by the game's own, a sealed check that stays
    closed.
    """
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", 'fair add "nobody knew this"', "game next")
    await channel.do(
        "Anna", 'lnlt fire attackers="Squad 1; us2" targets="Cell 1; vc2" adjacent hand=6,1,5,1,6'
    )
    await channel.do("Bob", 'lnlt fire attackers="Tran fp=0" targets="Squad 2; us3"')
    await channel.do("Anna", 'lnlt morale-check units="Lt Hill" secret')
    return channel


def page_of(reply: Reply) -> File:
    (file,) = reply.files
    assert file.name == "hill-875.html"
    return file


async def test_export_html_is_a_page_that_verify_reads(tmp_path: Path) -> None:
    channel = await evening()
    file = page_of(await channel.do("Anna", "game export html"))
    assert "After-action report" in file.text
    assert "Squad 1 + US2 fire" in file.text or "Squad 1" in file.text
    assert "console:" not in file.text, "no account is in a page"
    (tmp_path / "page.html").write_text(file.text, "utf-8")
    findings = check_file(tmp_path / "page.html")
    assert findings.faults == ()
    assert findings.waiting > 0
    assert findings.sealed == 1


async def test_what_is_sealed_is_not_in_a_page() -> None:
    channel = await evening()
    told = await channel.do("Bob", 'roll 2d6 secret label="the ambush at the ford"')
    assert told.private
    text = page_of(await channel.do("Anna", "game export html")).text
    assert "the ambush at the ford" not in text
    assert '"key":"sealed"' not in text


async def test_the_game_ends_with_its_page() -> None:
    channel = await evening()
    ended = await channel.do("Anna", "game end winner=US confirm")
    assert ended.announce is not None
    text = page_of(ended.announce).text
    assert "US won. Ended in turn 1." in text
    assert "Hill 875 is over: US wins on turn 1" in text


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
async def test_a_page_is_imported(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if packed:
        monkeypatch.setattr("bot.report.page.MIN_PACKED", 1)
    channel = await evening()
    if packed:  # the worker process packs by its own measure, so this page is made here
        from bot.report.page import build_page_from_text as made

        export = (await channel.do("Anna", "game export")).files[0].text
        text = made(export, {}, load_shared_systems())
        assert 'type="application/gzip" id="export"' in text
    else:
        text = page_of(await channel.do("Anna", "game export html")).text
    other = await Channel.fresh(prefix="o")
    reply = await other.app.run_text("game import", other.who("Cleo"), other.place, "i1", {})
    assert reply.error, "a file is needed"
    from bot.ui.spec import Command

    command = Command(("game", "import"), {"file": text}, other.who("Cleo"), other.place, "i2")
    taken = await other.app.run(command)
    assert not taken.error, taken.format_text()
    assert (await other.game()).name == "Hill 875"


def test_grognard_report_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "lnlt.html"
    assert main(["report", str(LOGS / "lnlt.json"), "-o", str(out)]) == 0
    assert "35 events" in capsys.readouterr().out
    assert json.loads(extract_export(out.read_text("utf-8"), 10**9))["head"] in out.read_text(
        "utf-8"
    )
    assert main(["verify", str(out)]) in (0, 3)
    assert "0 faults" in capsys.readouterr().out


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_the_independent_verifier_reads_a_page(
    packed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("bot.report.page.MIN_PACKED", 1 if packed else 10**9)
    out = tmp_path / "lnlt.html"
    main(["report", str(LOGS / "lnlt.json"), "-o", str(out)])
    assert ('type="application/gzip" id="export"' in out.read_text("utf-8")) == packed
    assert verify_log.main([str(out)]) == 0
    assert "Events: 35" in capsys.readouterr().out


def test_grognard_report_never_overwrites_its_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "game.html"
    main(["report", str(LOGS / "lnlt.json"), "-o", str(page)])
    assert main(["report", str(page)]) == 2
    assert "would overwrite" in capsys.readouterr().err


def test_grognard_report_says_where_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        write_report([str(LOGS / "lnlt.json"), "-o", str(tmp_path / "nowhere" / "page.html")])
    assert refused.value.code == "unwritable-folder"


def test_names_full_of_markup_are_text() -> None:
    export = json.loads((LOGS / "lnlt.json").read_text("utf-8"))
    evil = '</script><script>alert(1)</script><img src=x onerror="alert(2)">'
    export["name"] = evil
    for row in export["persons"]:
        row["name"] = evil
    from bot.report.page import build_page

    text = build_page(export, {}, load_shared_systems())
    assert "<script>alert" not in text
    assert "<img" not in text
    assert json.loads(extract_export(text, 10**9))["name"] == evil


@pytest.mark.parametrize(
    ("bent", "says"),
    [
        ("<html></html>", "contains no exported game"),
        ('<script type="application/json" id="export">{}</script>' * 2, "more than one game"),
        (
            '<!-- <b id="export"> --><script type="application/json" id="export">{}</script>',
            "more than one game",
        ),
        ('<script type="application/gzip" id="export">????</script>', "cannot be unpacked"),
        ('<script type="application/gzip" id="export">H4sIAAAAAAAC</script>', "cut off"),
    ],
)
def test_a_bent_page_is_refused(bent: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        extract_export(bent, 10**6)


def test_a_small_page_that_unpacks_to_no_end_is_refused() -> None:
    packed = pages.build_data_script("export", {"x": "a" * (pages.MIN_PACKED + 1)})
    with pytest.raises(UserError, match="too large"):
        extract_export(str(packed), 1000)


async def test_only_a_few_pages_are_built_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = await evening()
    pages_at_once = channel.app.executor.pages
    monkeypatch.setattr(export, "PAGE_QUEUE_SECONDS", 0.01)
    for _ in range(PAGES):
        await pages_at_once.acquire()
    await channel.refused("Anna", "game export html", "busy")
    pages_at_once.release()
    assert page_of(await channel.do("Anna", "game export html")).data
    assert not pages_at_once.locked(), "its place is free again"
