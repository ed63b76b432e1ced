"""Many units in one short command: one answer, one event, and one undo that takes all of it
back.
"""

from __future__ import annotations

import pytest

from tests.playing import Channel

LONGEST = 40
"""Characters of the longest of these commands, as it is typed."""
COMMANDS = {
    "baps random-order unit=us1..us12": 12,
    'baps random-order unit="all ready"': 12,
    "baps ammo-check attackers=us1..us12": 12,
    "unit edit us1..us12 suppressed": 12,
    "unit edit side:US marker=+out-or-jammed": 12,
    'unit edit "GI 1..4" weapon=pistol': 4,
    "unit remove us1..us12": 12,
}


async def men() -> Channel:
    """Twelve GIs with rifles, all of them Anna's, who is alone in the game."""
    channel = await Channel.fresh()
    men = "state=ready weapon=rifle-semi"
    await channel.do("Anna", 'game start baps Lane sides="US, German"', "game join US")
    await channel.do("Anna", f'unit add "GI 1..12" soldier US stats="{men}"')
    return channel


@pytest.mark.parametrize("line", list(COMMANDS))
async def test_one_command_is_one_event_and_one_undo(line: str) -> None:
    channel = await men()
    before, number = await channel.content(), (await channel.game()).number
    assert len(line) <= LONGEST
    reply = await channel.do("Anna", line)
    game = await channel.game()
    assert game.number == number + 1
    loaded = await channel.app.games.load_current(channel.place.key)
    assert loaded is not None
    event = (await channel.app.store.load_events(loaded.row, newest_first=True))[0].data
    touched = {unit["name"].casefold() for unit in event.get("used", ())} | {
        *((event.get("before") or {}).get("units") or {})
    }
    assert len(touched) == COMMANDS[line], reply.format_text()
    await channel.undo_last("Anna")
    assert await channel.content() == before


async def test_the_log_of_several_units() -> None:
    """What any of them did, page by page; a unit that was removed is found by its name."""
    channel = await men()
    await channel.do(
        "Anna", "unit edit us1..us3 suppressed", "unit edit us9 suppressed", "unit remove us12"
    )
    for _ in range(3):
        await channel.do("Anna", "baps random-order unit=us2")
    reply = await channel.do("Anna", "log 2 unit=us1..us3")
    assert len(reply.lines) == 3
    older = next(button.action for button in reply.buttons if button.label == "Older")
    assert older.endswith(":us1..us3:")
    page = await channel.press("Anna", older)
    assert "GI 1-3 edited" in page.format_text()
    assert "GI 9" not in page.format_text()
    assert "removed" in (await channel.do("Anna", 'log unit="GI 12"')).format_text()
