"""Every sentence of SECURITY.md and docs/dice.md that promises something names the test that holds it, both ways.

Left out: the bullets "Cannot:" of SECURITY.md, lists of several promises each that are not mapped one by one yet, and
README.md, which has no sentence with one of these words outside of its examples.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
ROWS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "promises.yaml").read_text("utf-8"))
PROMISES = re.compile(r"\b(cannot|never|[Nn]obody can|always|is refused|are refused)\b")


def sentences(page: str) -> list[str]:
    """What a page promises, sentence by sentence, outside of code."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)
    lines = [line.strip("-| 0123456789.") for line in text.splitlines() if not line.startswith("    ")]
    found = [sentence.strip() for line in lines for sentence in re.split(r"(?<=[.:])\s+", line)]
    return [sentence for sentence in found if PROMISES.search(sentence)]


def test_every_promise_has_a_row_and_every_row_its_promise() -> None:
    for page in ("SECURITY.md", "docs/dice.md"):
        begun = [row["says"] for row in ROWS if row["page"] == page]
        said = sentences(page)
        assert [one for one in said if not one.startswith(tuple(begun))] == []
        assert [one for one in begun if not any(sentence.startswith(one) for sentence in said)] == []


def test_the_tests_that_hold_promises_exist() -> None:
    for row in ROWS:
        if "why" in row:
            continue
        file, _, name = row["test"].partition("::")
        assert (ROOT / file).is_file(), row
        assert not name or f"def {name}(" in (ROOT / file).read_text("utf-8"), row
