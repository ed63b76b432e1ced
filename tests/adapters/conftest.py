"""What the tests of all adapters share."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator

import pytest


@pytest.fixture
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A machine without another crowd: tests that ask for hundreds of things at once take turns,
    lest those beside them miss what platforms give three seconds for."""
    with (tmp_path_factory.getbasetemp().parent / "crowd").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield
