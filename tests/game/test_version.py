"""The edition of the rules in an event: played again while it is today's, never called a fault
when it is not.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.game.events import get_edition, is_current
from bot.rulesets.catalog import find_shared_system, load_shared_systems
from bot.rulesets.system import System
from bot.verification.check_file import check
from bot.verification.replay import is_playable
from tests.forging import rechained
from tests.playing import Channel, two_sides

MELEE = {
    "kind": "table",
    "system": "lnlt",
    "target": "melee-odds",
    "inputs": {"attack": 7, "defense": 5},
}
FIRE = "lnlt fire attackers=us1 targets=vc1 adjacent hand=6,1,5"


async def fired() -> dict[str, Any]:
    """The log of a game in which a squad was hit."""
    channel = await Channel.fresh()
    await two_sides(channel)
    await channel.do("Anna", FIRE)
    log: dict[str, Any] = json.loads((await channel.do("Anna", "game export")).files[0].text)
    await channel.app.close()
    return log


async def test_an_event_names_the_edition_of_its_rules_and_a_plain_roll_none() -> None:
    channel = await Channel.fresh()
    await channel.do(
        "Anna", "roll 2d6", "lnlt fire attackers='squad fp=1' targets='squad morale=5'"
    )
    bodies = [
        event["body"]
        for event in json.loads((await channel.do("Anna", "game export")).files[0].text)["events"]
    ]
    roll, fire = bodies[-2:]
    assert "edition" not in roll
    assert fire["edition"] == find_shared_system("lnlt").edition
    await channel.app.close()


@pytest.mark.parametrize("edition", [True, "1", 1.0, None, [1]])
def test_only_a_whole_number_is_an_edition(edition: object) -> None:
    assert get_edition({"system": "lnlt", "edition": edition}) is None


def test_events_are_played_again_while_their_edition_is_todays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(System, "edition", 2)
    assert is_playable({**MELEE, "edition": 2}, load_shared_systems())
    assert not is_playable({**MELEE, "edition": 1}, load_shared_systems())
    assert not is_playable(MELEE, load_shared_systems())


async def test_units_of_an_older_edition_are_no_fault_and_of_todays_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Under other rules the squad may have suffered something else: that is for the release of
    that edition to say.
    """
    log = await fired()
    fire = next(event["body"] for event in log["events"] if event["body"]["kind"] == "sequence")
    fire["after"]["units"]["squad 1"]["state"] = "eliminated"
    assert any("the units that" in fault for fault in check(rechained(log)).faults)
    monkeypatch.setattr(System, "edition", int(find_shared_system("lnlt").edition) + 1)
    assert (check(log).faults, check(log).unplayed, check(log).status) == ((), 1, 3)


def test_every_game_has_an_edition() -> None:
    assert all(int(game.edition) >= 1 for game in load_shared_systems().values())
    assert not is_current({"system": "unknown", "edition": 1}, load_shared_systems())
