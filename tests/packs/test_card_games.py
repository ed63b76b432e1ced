"""The Salt Road and Three Mills by buttons, menus and forms alone, with the forms of Discord and of
Slack. Two turns are played in the quick run; tests/adapters/test_card_games.py plays both games to
their end on both local platforms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.modal import ROOM as MODAL
from adapters.slack.modal import ROOM as VIEW
from bot.commands.dispatch import load_shared_registry
from bot.ui.form.form import Room, build_form
from bot.ui.form.form_buttons import get_draft_action
from bot.ui.form.submission import evaluate_form
from bot.ui.reply.reply import OPEN_FORM, Reply
from tests.packs.card_game_players import Screen, play_salt_road, play_three_mills
from tests.playing import Channel

ROOT = Path(__file__).parents[2]


class Direct(Screen):
    """The app itself, with the forms that one platform has room for."""

    def __init__(self, channel: Channel, room: Room) -> None:
        self.channel = channel
        self.room = room

    async def start(self, line: str) -> Reply:
        return await self.channel.do("Anna", line)

    async def press(self, who: str, message: Reply, button: str, says: str = "") -> Reply:
        reply = await self.channel.press(who, self._action(message, button))
        reply = await self.channel.meant(who, reply)
        assert not reply.error, f"{button}: {reply.format_text()}"
        reply = reply if says in reply.format_text() or reply.announce is None else reply.announce
        assert says in reply.format_text()
        return reply

    async def fill(self, who: str, message: Reply, button: str, fields: Mapping[str, Any]) -> Reply:
        app = self.channel.app
        person = self.channel.who(who)
        what = self._action(message, button).removeprefix(OPEN_FORM)
        draft = await app.forms.open_draft(what, person, self.channel.place)
        spec = load_shared_registry().get(draft.path)
        assert spec is not None
        known = await app.get_completion_context(self.channel.place, person)
        form = build_form(spec, draft.options, known, self.room)
        assert fields.keys() <= {field.name for field in form.fields}, "a field for each"
        taken = evaluate_form(spec, known, form, fields)
        assert taken.problem is None, taken.problem
        await app.drafts.put(draft._replace(options=taken.options))
        reply = await self.channel.press(
            who, get_draft_action(taken.roll_mode, draft.key, taken.options)
        )
        reply = await self.channel.meant(who, reply)
        assert not reply.error, f"{button}: {reply.format_text()}"
        return reply

    async def play_first_card(self, who: str, message: Reply) -> Reply:
        hand = await self.press(who, message, "Your hand")
        [menu] = [menu for menu in hand.menus if menu.label == "Play"]
        shown = await self.channel.press(who, menu.entries[0].action)
        assert shown.announce is not None
        return shown.announce

    def buttons(self, message: Reply) -> list[str]:
        return [button.label for button in message.buttons]

    def first(self, message: Reply) -> str:
        return message.first_line

    def _action(self, message: Reply, label: str) -> str:
        found = [button.action for button in message.buttons if button.label == label]
        assert found, f"no {label} among {self.buttons(message)}"
        return found[0]


@pytest.fixture
def packs_here(use_packs: Callable[[Path], None]) -> None:
    use_packs(ROOT / "packs")


ROOMS = pytest.mark.parametrize("room", [MODAL, VIEW], ids=["discord", "slack"])


@ROOMS
async def test_two_turns_of_salt_road_by_buttons(packs_here: None, room: Room) -> None:
    screen = Direct(await Channel.fresh(), room)
    card = await play_salt_road(screen, 2)
    assert card.title == "Turn 3 of 5, Count and draw: both sides"
    game = await screen.channel.game()
    assert game.units["household"].numbers["men"] == 8
    assert not [key for key in game.cards if "/play/" in key], "used cards were discarded"


@ROOMS
async def test_two_turns_of_three_mills_by_buttons(packs_here: None, room: Room) -> None:
    screen = Direct(await Channel.fresh(), room)
    card = await play_three_mills(screen, 2)
    assert card.title.startswith("Turn 3 of 6, Formations")
