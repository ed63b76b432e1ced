"""Writes docs/<system>.md from tables and registry, and docs/verify.html: `make docs`. Tests say
what is stale.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bot.report.event_odds import compute_export_facts
from bot.report.page import build_checker_page
from bot.report.page import build_page as report_page
from bot.rulesets.catalog import load_shared_systems
from tools.chat.sample import play_sample
from tools.game_pages.page import build_page
from tools.pictures import write_pictures
from tools.reference.page import page as keys_page
from tools.reference.schema import schemas

DOCS = Path(__file__).resolve().parent.parent / "docs"
CHECKER = DOCS / "verify.html"
SAMPLE = DOCS / "sample-report.html"
KEYS_PAGE = DOCS / "pack-keys.md"
SCHEMAS = DOCS / "schema"


def sample() -> str:
    """The after-action page that the README shows, of a game that two simple players play."""
    game = play_sample()
    systems = load_shared_systems()
    return report_page(game, compute_export_facts(game, systems), systems)


def write_pages() -> list[Path]:
    """Write the pages of games, the checker, the sample, the keys of packs and their schemas;
    returns what changed.
    """
    changed = []
    texts = {
        DOCS / f"{game.id}.md": build_page(game) for game in load_shared_systems().values()
    } | {CHECKER: build_checker_page()}
    texts |= {SAMPLE: sample()}
    texts |= {KEYS_PAGE: keys_page()} | {SCHEMAS / name: text for name, text in schemas().items()}
    SCHEMAS.mkdir(exist_ok=True)
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


if __name__ == "__main__":
    for path in [*write_pages(), *write_pictures()]:
        sys.stdout.write(f"wrote {path.relative_to(DOCS.parent)}\n")
