"""A turn of Lock 'n Load on Slack by its buttons alone: taps counted, everybody called once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.slack.conftest import settle
from tests.adapters.slack.process import running
from tests.standins.slack import Message, SlackStandIn, User

TAPS = 8
"""Most taps that a turn without fire may cost, by both players together; nothing is typed."""


@pytest.fixture
async def slack(socket_slack: SlackStandIn, tmp_path: Path) -> AsyncIterator[SlackStandIn]:
    home, *_ = settle(socket_slack)
    async with running(socket_slack, tmp_path, home):
        yield socket_slack


async def tap(who: User, message: Message, label: str) -> Message:
    """The answer to a button, which all see."""
    answer = await (await who.press(message, label)).answer()
    assert answer.ephemeral_for is None, answer.text
    return answer


async def test_a_turn_without_fire_is_played_by_taps_alone(slack: SlackStandIn) -> None:
    """Initiative, Next phase, three passes, which end the phase, Next turn."""
    home = slack.workspace("T1")
    anna, ben, games = home.user("Anna"), home.user("Ben"), home.channel("games")
    started = await (await anna.slash(games, "/game", 'start lnlt "Hill 875" sides="US, VC"')).answer()
    await tap(anna, started, "Join US")
    await tap(ben, started, "Join VC")
    card = await tap(anna, await tap(anna, started, "Next phase"), "Next phase")
    rally = await tap(anna, card, "Next turn")
    assert rally.text.split("\n")[0] == "Turn 2, Rally: both sides", "Ben is there"

    won = await tap(ben, rally, "Initiative")
    first, second = (anna, ben) if won.text.startswith("US") else (ben, anna)
    card = await tap(second, won, "Next phase")
    assert card.text.split("\n")[0].endswith(f"goes first, {first.name.lower()}")
    await first.close(await (await first.press(card, "Fire")).modal())
    taps = 2
    for who, other in ((first, second), (second, first), (first, second)):
        card = await tap(who, card, "Pass")
        taps += 1
        assert "<@" not in card.text, f"{other.name} is there as well"
    assert card.text.startswith("Turn 2, Administrative: both sides")
    last = await tap(first, card, "Next turn")
    assert last.text.startswith("Turn 3, Rally: both sides")
    assert taps + 1 <= TAPS
    refused = await (await home.user("Carl").press(last, "Next phase")).answer()
    assert refused.ephemeral_for == home.user("Carl").id
