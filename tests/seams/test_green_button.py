"""The green button is what the side to play does next: in every phase of every scenario of every
game and pack, it never ends the phase or the turn of a side that could still act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.interface.reply.reply import OPEN_FORM, Button, Reply
from bot.systems.catalog import PACKS, everywhere
from tests.playing import Channel

ROOT = Path(__file__).parents[2]
PHASES = 12
ENDS = ("next:", "pass:", "done:")
"""How the actions of the buttons begin that end a phase, or hand over."""
ACTS = (OPEN_FORM, "sequence:", "initiative:", "lead:")
"""How the actions of the buttons begin that do something in the phase."""


def scenarios() -> Iterator[tuple[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PACKS, str(ROOT / "packs"))
        everywhere.cache_clear()
        found = [(game.id, name) for game in everywhere().values() for name in game.scenarios]
    everywhere.cache_clear()
    yield from found


def greens(reply: Reply) -> list[Button]:
    return [button for button in reply.buttons if button.style == "primary"]


def assert_leads_on(reply: Reply) -> None:
    acts = [button.label for button in reply.buttons if button.action.startswith(ACTS)]
    for button in greens(reply):
        assert not (acts and button.action.startswith(ENDS)), (reply.title, button.label, acts)


@pytest.mark.sample(4)
@pytest.mark.parametrize(("game", "scenario"), [*scenarios()])
async def test_the_green_button_leads_on(
    game: str, scenario: str, use_packs: Callable[[Path], None]
) -> None:
    use_packs(ROOT / "packs")
    channel = await Channel.fresh()
    await channel.do("Anna", f"game start {game} scenario={scenario}")
    sides = (await channel.game()).sides
    for name, side in zip(("Anna", "Ben", "Cora", "Dan"), sides, strict=False):
        await channel.do(name, f"game join {side}")
    for _ in range(PHASES):
        reply = await channel.say("Anna", "game next")
        if reply.error:
            break
        assert_leads_on(reply)
        rolls = next((b for b in reply.buttons if b.action.startswith("initiative:")), None)
        if rolls is not None:
            assert_leads_on(await channel.press("Anna", rolls.action))
