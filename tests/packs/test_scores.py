"""The page of a game whose score is a track: its values at the head and by turn, held against its
log by all three that check it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.report.page import build_page
from bot.rulesets.catalog import load_shared_systems
from bot.verification.check_file import check_file
from tests.playing import Channel
from tests.random_play import exported_text


async def page_of_two_turns(use_packs: Callable[[Path], None], root: Path) -> str:
    """Return the page of The Salt Road in its third turn; the League has taken the ford."""
    use_packs(root / "packs" / "salt-road")
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start salt-road "First year" scenario=year', "game join Duke")
    await channel.do("Ben", "game join League", "unit edit Rangers area=ford")
    await channel.do("Anna", *["game next"] * 4)
    return build_page(json.loads(await exported_text(channel)), {}, load_shared_systems())


def faults(tmp_path: Path, text: str) -> str:
    (tmp_path / "page.html").write_text(text, "utf-8")
    return "\n".join(check_file(tmp_path / "page.html").faults)


async def test_the_score_is_at_the_head_and_by_turn(
    use_packs: Callable[[Path], None], root: Path, tmp_path: Path
) -> None:
    text = await page_of_two_turns(use_packs, root)
    found = re.search(r'id="p-score".*?</section>', text, re.DOTALL)
    assert found is not None
    words = " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())
    assert words.endswith("Points by turn the highest wins Turn Duke League 1 3 3 2 6 8 3 9 13")
    assert '<rect width="100"' in found[0]
    assert "Points: 13</span>" in text
    assert faults(tmp_path, text) == ""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [("<em>8</em>", "<em>9</em>", "by turn"), ("Points: 13<", "Points: 31<", "score of League")],
)
async def test_an_edit_of_it_is_refused(
    use_packs: Callable[[Path], None], root: Path, tmp_path: Path, old: str, new: str, says: str
) -> None:
    text = await page_of_two_turns(use_packs, root)
    bent = text.replace(old, new, 1)
    assert bent != text
    assert says in faults(tmp_path, bent)
