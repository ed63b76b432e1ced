"""Logs that earlier releases exported are sound for ever, whatever is added since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.audit.check_file import check
from tools import verify_log

LOGS = sorted((Path(__file__).parent / "data" / "logs").glob("*.json"))


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_log_of_an_earlier_release_is_sound(file: Path) -> None:
    """All systems turn by turn, free play, one that was imported: exported by the first release, and with dice of
    protocol 2 by the first that had it; and a game that went on from one protocol to the other."""
    log = json.loads(file.read_text("utf-8"))
    found = check(log, [log["head"], f"#{log['events'][4]['number']} {log['events'][4]['hash'][:8]}"])
    assert found.faults == ()
    assert found.status in (0, 3), "an outcome of an older edition is not played again"
    assert found.dice + found.waiting > 0
    assert verify_log.check(log)[0] == []


def test_each_protocol_has_its_logs() -> None:
    """The dice of a log are those of the protocol that each of its seeds was promised under."""
    protocols = {file.stem: _protocols(file) for file in LOGS}
    assert all(set(protocols[name]) == {1} for name in ("asl", "baps", "free", "lnlt", "nhis", "ucn"))
    assert all(set(protocols[f"{name}-2"]) == {2} for name in ("asl", "baps", "free", "lnlt", "nhis", "ucn"))
    assert protocols["goes-on"] == [1, 2, 2]


def _protocols(file: Path) -> list[int]:
    events = json.loads(file.read_text("utf-8"))["events"]
    secrets = [event["body"]["secret"] for event in events if "secret" in event["body"]]
    return [secret.get("protocol", 1) for secret in secrets if "commitment" in secret]


def test_there_are_logs_to_check() -> None:
    assert len(LOGS) >= 14
