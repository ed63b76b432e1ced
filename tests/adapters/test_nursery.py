"""The nursery, which starts bots and workers for tests."""

from __future__ import annotations

import os
import socket

import pytest

from tests.adapters import nursery


def test_a_worker_ends_quietly_if_whoever_asked_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(nursery, "_settle", lambda _: None)
    monkeypatch.setattr(os, "_exit", end)
    asker, gone = socket.socketpair()
    gone.close()
    with asker, pytest.raises(SystemExit) as ended:
        nursery._sum_up(asker, {})
    assert ended.value.code == 0
