"""The Salt Road and Three Mills to their end on both local platforms, by buttons, menus and forms
alone. The script is that of tests/packs/test_card_games.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.evening import OnDiscord, OnSlack, Table, on_discord, on_slack
from tests.packs.card_game_players import Screen, end, play_salt_road, play_three_mills

QUICK = {"COMMANDS_PER_MINUTE": "unlimited"}
"""Taps here are faster than a person's."""
PACKS = Path(__file__).parents[2] / "packs"


class OnTable(Screen):
    """A table on a local platform."""

    def __init__(self, table: Table) -> None:
        self.table = table

    async def start(self, line: str) -> Any:
        return await self.table.say("Anna", line)

    async def press(self, who: str, message: Any, button: str, says: str = "") -> Any:
        if says.startswith("asks"):
            await self.table.pressed(who, message, button)
            return await self.table.message(says)
        answer = await self.table.pressed(who, message, button, says)
        asked = [label for label in self.buttons(answer) if label.startswith("Act for ")]
        return await self.table.pressed(who, answer, asked[0]) if asked else answer

    async def fill(self, who: str, message: Any, button: str, fields: Mapping[str, Any]) -> Any:
        form = await self.table.form(who, message, button)
        answer = await self.table.filled(who, form, fields)
        assert not self.table.is_private(answer), self.table.whole(answer)
        return answer

    async def play_first_card(self, who: str, message: Any) -> Any:
        before = {self.table.key(one) for one in self.table.messages()}
        await choose_first_card(self.table, who, message)

        def plays() -> list[Any]:
            new = [one for one in self.table.messages() if self.table.key(one) not in before]
            return [one for one in new if " plays " in self.table.first(one)]

        await self.table.until(plays, "the card that was played")
        if isinstance(self.table, OnSlack):
            self.table.may_refuse |= {"not_found"}  # a change of the window that is closed now
            person = self.table.people[who]
            await person.close(person.stack[-1])
        return plays()[-1]

    def buttons(self, message: Any) -> list[str]:
        return self.table.buttons(message)

    def first(self, message: Any) -> str:
        return self.table.first(message)


async def choose_first_card(table: Table, who: str, message: Any) -> None:
    """Open one's hand and choose the first card in the menu *Play*."""
    if isinstance(table, OnDiscord):
        hand = await table.pressed(who, message, "Your hand")
        [menu] = [part for part in hand.parts if part.get("placeholder") == "Play"]
        await table.people[who].select(hand, "Play", menu["options"][0]["label"])
        return
    assert isinstance(table, OnSlack)
    view = await (await table.thumbs[who].press(message, "Your hand")).modal()
    [play] = [element for _, element in view.elements() if element["action_id"] == "a:menu-0"]
    await table.people[who].choose(view, "a:menu-0", play["options"][0]["text"]["text"])


GAMES = {"salt-road": (play_salt_road, 5, "Duke"), "three-mills": (play_three_mills, 6, "Crown")}


@pytest.mark.slow_sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("platform", [on_discord, on_slack], ids=["discord", "slack"])
@pytest.mark.parametrize("pack", GAMES)
async def test_a_card_game_is_played_to_its_end_by_buttons(
    platform: Any, pack: str, tmp_path: Path
) -> None:
    play: Callable[[Screen, int], Awaitable[Any]]
    play, turns, winner = GAMES[pack]
    async with platform(tmp_path, GROGNARD_PACKS=str(PACKS / pack), **QUICK) as table:
        screen = OnTable(table)
        card = await play(screen, turns)
        story = await end(screen, card, winner, has_hands=pack == "salt-road")
        assert f"{winner} wins after turn {turns}" in story
