"""The after-action page of games of every kind: what it shows, what it must not, and the blocks
of a live one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bot.report.event_odds import compute_export_facts
from bot.report.page import BLOCKS, build_fragments, build_page
from bot.rulesets.catalog import load_shared_systems
from tests.playing import Channel

LOGS = Path(__file__).parents[1] / "data/logs"


def export_of(name: str) -> Any:
    return json.loads((LOGS / f"{name}.json").read_text("utf-8"))


def test_no_account_is_in_a_page() -> None:
    export = export_of("lnlt")
    export["persons"][0] |= {"user": "discord:4711", "key": "0123456789abcdef"}
    text = build_page(export, {}, load_shared_systems())
    assert export["persons"][0]["name"] in text
    assert "discord:4711" not in text
    assert "0123456789abcdef" not in text


def test_a_live_page_is_sent_its_blocks_and_the_new_rows() -> None:
    export = export_of("lnlt")
    since = len(export["events"]) - 2
    sent = build_fragments(
        export, compute_export_facts(export, load_shared_systems()), load_shared_systems(), since
    )
    assert list(sent["parts"]) == [name.replace("_", "-") for name in BLOCKS]
    assert [event["number"] for event in sent["export"]["events"]] == [since + 1, since + 2]
    assert f'id="e{since + 1}"' in sent["rows"]
    assert f'id="e{since}"' not in sent["rows"]
    assert sent["from"] == since


async def test_the_odds_of_several_units_go_by_their_names() -> None:
    """As in chat; each unit has what came up for it once, however many are alike."""
    channel = await Channel.fresh()
    await channel.do("Anna", 'game start baps Village sides="US, Germans"')
    await channel.do("Anna", 'unit add "GI 1..3" soldier US weapon=rifle-bolt')
    await channel.do("Anna", "baps random-order us1..us3")
    export = json.loads((await channel.do("Anna", "game export")).files[0].text)
    (odds,) = compute_export_facts(export, load_shared_systems())[export["events"][-1]["number"]][
        "odds"
    ]
    assert odds["of"] == "GI 1-3"
    assert len(odds["came"]) == 3
