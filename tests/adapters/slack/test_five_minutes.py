"""docs/slack.md, *Five minutes on Slack*: its steps, one after another, and every button that it
names.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import SlackStandIn
from tests.standins.taps import SlackThumb

BUTTONS = {
    "Join US",
    "Join VC",
    "Next phase",
    "Initiative",
    "Show the odds",
    "Fire",
    "Other target",
    "Undo",
    "Done",
}


async def test_the_page_leads_two_people_through_a_fight(
    root: Path, socket_slack: SlackStandIn, tmp_path: Path
) -> None:
    page = (
        (root / "docs/slack.md")
        .read_text("utf-8")
        .partition("## Five minutes on Slack")[2]
        .partition("\n## ")[0]
    )
    assert set(re.findall(r"(?<!\*)\*([A-Z][\w ]+)\*(?!\*)", page)) == BUTTONS | {"Home"}
    assert {"`/game start lnlt scenario=ford`", "`/lnlt fire`"} <= set(re.findall(r"`[^`]+`", page))
    home, anna, ben, games = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        started = await (await anna.slash(games, "/game", "start lnlt scenario=ford")).answer()
        await (await anna.press(started, "Join US")).answer()
        await (await ben.press(started, "Join VC")).answer()
        first = await (await anna.press(started, "Initiative")).answer()
        assert "initiative" in first.text.casefold()
        card = await (await anna.press(first, "Next phase")).answer()
        assert "Operations" in card.text

        thumb = SlackThumb(anna)
        view = await (await anna.slash(games, "/lnlt", "fire")).modal()
        assert view.body["submit"]["text"] == "Fire"
        assert "Show the odds" in str(view.body)
        await thumb.submit(view, {"attackers": ["us1"], "targets": ["vc1"]})
        fired = await anna.wait_for(games, "Rifle 1 fires")
        assert fired.ephemeral_for is None
        assert "Undo" in fired.buttons()
        other = await (await thumb.choose(fired, "a:menu-0", "Local 2")).answer()
        assert "Local 2" in other.text
        asked = await (await anna.press(other, "Undo")).answer()
        assert "Agree" in asked.buttons()
        done = await (await anna.press(other, "Done")).answer()
        assert "to play" in done.text
