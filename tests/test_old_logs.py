"""Logs that earlier releases exported are sound for ever, whatever is added since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.audit.check_file import check

LOGS = sorted((Path(__file__).parent / "data" / "logs").glob("*.json"))


@pytest.mark.parametrize("file", LOGS, ids=lambda file: file.stem)
def test_a_log_of_the_first_release_is_sound(file: Path) -> None:
    """Each was exported by the first release: all systems turn by turn, free play, and one that was imported."""
    log = json.loads(file.read_text("utf-8"))
    found = check(log, [log["head"], f"#{log['events'][4]['number']} {log['events'][4]['hash'][:8]}"])
    assert found.faults == ()
    assert found.status in (0, 3), "an outcome of an older edition is not played again"
    assert found.dice + found.waiting > 0


def test_there_are_logs_to_check() -> None:
    assert len(LOGS) >= 7
