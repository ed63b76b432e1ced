"""Who goes first is said by a button: in every phase of every scenario of every game and pack in
which the headline asks, the first buttons are the answers, and none of them is green.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.ui.reply.reply import Button, Reply
from tests.playing import Channel
from tests.seams.green_button_helpers import PHASES, ROOT, greens, scenarios

ASKS = "who goes first?"


def choices(reply: Reply) -> list[Button]:
    return [button for button in reply.buttons if button.action.startswith("first:")]


@pytest.mark.sample(4)
@pytest.mark.parametrize(("id", "scenario"), [*scenarios()])
async def test_the_headline_that_asks_has_its_answers_as_first_buttons(
    id: str, scenario: str, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    channel = await Channel.fresh()
    card = await channel.do("Anna", f"game start {id} scenario={scenario}")
    game = await channel.game()
    sides = game.sides
    played = [side for side in sides if side not in game.self_played]
    for name, side in zip(("Anna", "Ben", "Cora", "Dan"), played, strict=False):
        await channel.do(name, f"game join {side}")
    asked = False
    for _ in range(PHASES):
        asked = asked or ASKS in card.format_text()
        if asked:
            break
        card = await channel.say("Anna", "game next")
    if not asked:
        return
    answers = [button for button in card.buttons if not button.action.startswith("join:")]
    assert [button.label for button in answers[: len(sides)]] == [f"{side} first" for side in sides]
    assert not [button for button in greens(card) if not button.action.startswith("join:")]
    assert not [button for button in card.buttons if button.label in ("Done", "Pass")]

    refused = await channel.say("Anna", "game pass done")
    assert refused.code == "no-first-side"
    assert [button.label for button in refused.buttons] == [f"{side} first" for side in sides]

    second = refused.buttons[1]
    begun = await channel.press("Anna", second.action)
    assert not begun.error
    assert (await channel.game()).go == (sides[1],)
    assert "first" in begun.title
    assert not choices(begun)
