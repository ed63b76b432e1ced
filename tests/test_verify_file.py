"""`grognard verify FILE`: what a file may hold beside an honest log, and what the exit status
says.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.verification.check_file import check, format_summary
from tests.forging import bodies, copied, rechained
from tests.verification.forgeries_helpers import fire, first, honest, played
from tools import verify_log


def both(file: Path, *words: str) -> tuple[int, int]:
    """The exit status of `grognard verify`, and of the short verifier."""
    return main(["verify", str(file), *words]), verify_log.main([str(file), *words])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.json"
    path.write_text(played(), "utf-8")
    return path


def test_heads_come_by_word_by_file_and_by_standard_input(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = honest()
    known = [f"#{event['number']} · {event['hash'][:16]}" for event in log["events"][5:9]]
    chat = tmp_path / "chat.txt"
    chat.write_text("\n".join(["Anna: hello", *known]), "utf-8")
    assert both(file, "--head", log["head"], "--head", known[0]) == (0, 0)
    assert both(file, "--heads", ", ".join(known)) == (0, 0)
    assert both(file, "--heads", str(chat)) == (0, 0)
    assert "can be forged" not in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(known)))
    assert main(["verify", str(file), "--heads", "-"]) == 0
    assert both(file, "--head", known[0][:-8]) == (0, 0)
    assert capsys.readouterr().out.count("can be forged in minutes") == 2
    assert both(file, "--head", "#7 00000000") == (1, 1)
    output = capsys.readouterr().out
    assert "Event 7 has the hash" in output
    assert "Event 7: it has the hash" in output
    assert both(file, "--head", "no head at all") == (2, 2)


def test_a_compressed_export_is_checked_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json.gz"
    path.write_bytes(gzip.compress(played().encode()))
    assert both(path, "--head", honest()["head"]) == (0, 0)
    path.write_bytes(path.read_bytes()[:-20])
    assert both(path) == (2, 2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (played().replace('"value":', '"value":1,"value":', 1), "twice"),
        (played().replace('"at":', '"at":NaN,"x":', 1), "not a number"),
        (played().replace('"at":', '"at":-Infinity,"x":', 1), "not a number"),
        (played().replace('"Squad 1"', '"Squad \\ud800"', 1), "half a character"),
        (played()[:-1], "not JSON"),
        ("[" * 100_000, "not JSON"),
        (played().replace('"number":1,', f'"number":{"9" * 5000},', 1), "not JSON"),
        (played().replace('"number":1,', f'"number":{"9" * 30},', 1), "damaged"),
        (played().replace('"number":1,', '"number":1.0,', 1), "damaged"),
        (played().replace('"number":1,', '"number":true,', 1), "damaged"),
        ("{}", "not a game exported"),
    ],
    ids=lambda value: value[:12],
)
def test_a_file_that_could_be_read_in_two_ways_is_refused(
    content: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(content, "utf-8")
    assert both(path) == (2, 2)
    assert capsys.readouterr().err.count(reason) == 2


def test_other_tables_are_counted_and_said_never_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An outcome of another edition is not played again: it is counted, with a status of its
    own.
    """
    log = copied(honest())
    fired = fire(log)
    fired["edition"] = 1
    fired["result"] = "Cell 1 eliminated"
    path = tmp_path / "other.json"
    path.write_text(json.dumps(rechained(log)))
    assert main(["verify", str(path)]) == 3
    out = capsys.readouterr().out
    assert f"1 outcome could not be replayed (other tables). Events: #{fired['number']}." in out
    assert f"Dice in those events: {len(fired['dice'])}." in out
    fired["dice"][0] |= {"faces": [6] * 6, "value": 6}
    path.write_text(json.dumps(rechained(log)))
    assert main(["verify", str(path)]) == 1, "dice have only faces that a rule asks for"


@pytest.mark.parametrize("edition", [100, 2**53 - 1])
def test_an_edition_that_has_never_been_is_a_fault(edition: int) -> None:
    log = copied(honest())
    fire(log)["edition"] = edition
    (fault,) = check(rechained(log)).faults
    assert f"there is no edition {edition} of lnlt" in fault


def test_a_system_that_is_not_here_is_counted() -> None:
    log = copied(honest())
    table = first(log, "table", target="hero-creation")
    table |= {"system": "chess", "command": "chess-table combat hero-creation"}
    found = check(rechained(log))
    assert (found.faults, found.unplayed, found.status) == ((), 1, 3)


def test_deleted_texts_leave_digests_that_rest_on_the_event_alone() -> None:
    log = copied(honest())
    fair = bodies(log, "fair")[1]
    who, number = fair["who"], len(log["events"])
    players = {row["who"]: row["side"] for row in bodies(log, "join")}
    body = {
        "number": number + 1,
        "at": bodies(log)[-1]["at"],
        "who": who,
        "side": players[who],
        "kind": "privacy",
    }
    body |= {"behind": number, "result": "somebody's name and texts were deleted"}
    body["before"] = {"game": {"players": players}}
    body["after"] = {
        "game": {"players": {other: side for other, side in players.items() if other != who}}
    }
    log["events"].append({"number": number + 1, "hash": "", "body": body})
    log["texts"] = [row for row in log["texts"] if bodies(log)[row["event"] - 1]["who"] != who]
    found = check(rechained(log))
    assert (found.faults, found.unread, found.status) == ((), 1, 0)
    assert (
        "1 digest of players' words could be read only in the event: the words were deleted."
        in format_summary(found)
    )
    assert verify_log.check(log).unchecked_digests == 1


def test_a_clock_that_went_back_is_said_and_no_fault() -> None:
    """A host's clock may be set back; so it is for whoever reads the log to judge."""
    log = copied(honest())
    first(log, "next")["at"] = 5
    found = check(rechained(log))
    assert found.faults == ()
    assert "a clock was set back" in found.remarks[0]


def test_the_short_verifier_needs_nothing_but_python(file: Path, tmp_path: Path) -> None:
    alone = tmp_path / "verify_log.py"
    alone.write_bytes(Path(verify_log.__file__).read_bytes())
    run = subprocess.run(
        [sys.executable, "-I", "-S", str(alone), str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "Faults: 0." in run.stdout


def test_a_small_file_that_unpacks_to_no_end_is_refused_by_the_short_verifier_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = tmp_path / "game.json.gz"
    bomb.write_bytes(gzip.compress(b"0" * 100_000) * 20)
    monkeypatch.setattr(verify_log, "MAX_FILE_BYTES", 1_000_000)
    assert verify_log.main([str(bomb)]) == 2
    assert "too large" in capsys.readouterr().err
