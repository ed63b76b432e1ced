"""The page and the checker as axe-core sees them, which is not in the project: run where
somebody has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_checker_page, build_page
from bot.rulesets.catalog import load_shared_systems
from tests.browser.conftest import Shown
from tests.browser.evenings import hill, played
from tests.browser.tampering import as_json

AXE = os.environ.get("AXE", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not AXE, reason="no axe-core here: npm pack axe-core, unpack it, and name axe.min.js in AXE"
    ),
]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def game() -> Any:
    return played(hill(2))


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    show: Callable[..., Shown], game: Any, tmp_path: Path, scheme: str, width: int
) -> None:
    export, report, verify = (
        tmp_path / "hill.json",
        tmp_path / "hill.html",
        tmp_path / "verify.html",
    )
    export.write_text(as_json(game), "utf-8")
    report.write_text(
        build_page(game, compute_export_facts(game, load_shared_systems()), load_shared_systems()),
        "utf-8",
    )
    verify.write_text(build_checker_page(), "utf-8")
    look = {"color_scheme": scheme, "viewport": {"width": width, "height": 800}}
    read, check = show(report, **look), show(verify, **look)
    read.page.evaluate(
        "document.querySelectorAll('.ev details').forEach(details => { details.open = true; })"
    )
    read.check()
    # Rows that nobody has scrolled to have no place yet, and the bar covers what is below.
    read.page.add_style_tag(
        content=".ev { content-visibility: visible } nav.step { position: static }"
    )
    check.page.set_input_files("#file", export)
    check.until("document.querySelector('.verdict')")
    for shown in (read, check):
        shown.page.evaluate(Path(AXE).read_text("utf-8"))
        found = shown.page.evaluate("tags => axe.run(document, {runOnly: tags})", RULES)
        assert [
            (one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]
        ] == []
        assert len(found["passes"]) > 30
