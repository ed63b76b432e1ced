"""An evening at the ford, as the bot sends it: played on the app itself, with the same dice each
time.

Seed, salts and ids come from one number instead of the machine, the clock is fixed: the same
evening gives the same messages until the bot says something else.
"""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any
from unittest.mock import patch

from adapters.discord.render import render_message as discord_message
from adapters.discord.request import DiscordRequest
from adapters.slack.render import render_message as slack_message
from bot.app import App
from bot.commands.dispatch import load_shared_registry
from bot.storage.sqlite import TemporaryStore
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person, Place

NUMBER, WHEN = "fog", 1_795_896_000.0
TEAM = "T1"
IDS = {"Anna": "101", "Ben": "102"}
PLACES = {"discord": "discord:1/2", "slack": f"slack:{TEAM}/C1"}
EVENING = (
    ("start", "Anna", "/game start lnlt scenario=ford"),
    ("", "Anna", "Join US"),
    ("", "Ben", "/game join VC"),
    ("", "Anna", "/game initiative US"),
    ("operations", "Anna", "Next phase"),
    ("odds", "Anna", '/lnlt fire attackers="us1; us2; us5" targets="vc1; vc6" tm=1 adjacent odds'),
    ("fire", "Anna", "Roll it"),
    ("pass", "Anna", "/game pass"),
    ("answer", "Ben", '/lnlt fire attackers="vc2; vc3" targets="us1; us2" tm=1 adjacent'),
    ("undo", "Ben", "Undo"),
    ("refused", "Anna", "Refuse"),
    ("board", "Ben", "/game board"),
)
"""The name by which a picture asks for it, who, and the command or the button of the answer
before.
"""


def evening(platform: str) -> dict[str, dict[str, Any]]:
    """The messages of the evening on `discord` or `slack` by their names in EVENING: who did what
    before, whether only they see the answer, and its `body` as it is sent."""
    with patch("os.urandom", Random(NUMBER).randbytes):
        return asyncio.run(_play_evening(platform))


async def _play_evening(platform: str) -> dict[str, dict[str, Any]]:
    app = App(await TemporaryStore.make(_clock), _clock)
    shown: dict[str, dict[str, Any]] = {}
    try:
        last = Reply("")
        for number, (name, who, typed) in enumerate(EVENING):
            last = await _answer(app, platform, who, typed, last, str(number))
            if last.error:
                raise ValueError(f"{typed}: {last.format_text()}")
            if name:
                shown[name] = {
                    "who": who,
                    "did": typed,
                    "private": last.private,
                    "body": _body(platform, last),
                }
    finally:
        for helper in (app.executor.worker, app.executor.checker, app.executor.pack_checker):
            await helper.close()
        await app.store.close()
    return shown


async def _answer(
    app: App, platform: str, who: str, typed: str, last: Reply, request: str
) -> Reply:
    key = IDS[who] if platform == "discord" else f"{TEAM}/U{IDS[who]}"
    person = Person(f"{platform}:{key}", who)
    place = Place(PLACES[platform], PLACES[platform].partition("/")[0], "#ford-at-dawn")
    if typed.startswith("/"):
        return await app.run_text(typed, person, place, request)
    (action,) = (button.action for button in last.buttons if button.label == typed)
    return await app.press(action, person, place, request)


def _body(platform: str, reply: Reply) -> dict[str, Any]:
    if platform == "slack":
        message = slack_message(reply, TEAM, load_shared_registry())
        return {"text": message.text, "blocks": message.blocks}
    return discord_message(reply, DiscordRequest(1, "", 1, 2, 2, 1), load_shared_registry()).body


def _clock() -> float:
    return WHEN
