"""Helpers of tests/rules/proof/test_fair.py, which other tests use as well."""

from __future__ import annotations

from pathlib import Path

import pytest

SEED = bytes(range(32))

GAME = "a1b2c3d4e5f60718"

# The value that chi-square exceeds once in 1,000 fair samples, by degrees of freedom.
CHI_SQUARE = {
    1: 10.83,
    2: 13.82,
    3: 16.27,
    5: 20.52,
    7: 24.32,
    9: 27.88,
    11: 31.26,
    19: 43.82,
    99: 148.23,
}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "dice-protocol.md").read_text()


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table below the row `heading`."""
    table = page.split(heading)[1].split("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]
    ]
