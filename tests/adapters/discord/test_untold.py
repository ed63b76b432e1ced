"""An answer that Discord would not take is told later: by whichever process serves them next, in
a linked place too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adapters.discord import delivery
from adapters.discord.calls import DiscordApi
from adapters.discord.channel_posts import Posting
from adapters.discord.delivery import LATE_ANSWER_NOTE, Delivery
from adapters.discord.render import DiscordMessage
from adapters.discord.request import DiscordRequest
from bot.app import App
from bot.rules.errors import UserError
from bot.storage.postgres import PostgresStore
from bot.storage.sqlite import SqliteStore
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.spec import Place
from tests.playing import Channel
from tests.standins.postgres import PostgresServer

pytestmark = pytest.mark.sample(1)

ANNA = 7
HALL, TABLE = (Place(f"discord:5/{channel}", "discord:5") for channel in (50, 51))
Json = dict[str, Any]


class Discord(DiscordApi):
    """Takes what is answered, and notes what somebody is told besides."""

    def __init__(self) -> None:
        self.told: list[tuple[int, str]] = []

    async def respond(
        self,
        request: DiscordRequest,
        kind: int,
        message: DiscordMessage | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> Json | None:
        """Take it."""
        return {"interaction": {"response_message_id": str(request.id)}}

    async def follow_up(self, request: DiscordRequest, message: DiscordMessage) -> Json:
        """Note it, with for whom alone it is."""
        self.told.append(
            (request.user if message.body.get("flags", 0) & 64 else 0, str(message.body))
        )
        return {"id": "1"}


class Process:
    """A bot's process: app and delivery."""

    def __init__(self, app: App) -> None:
        self.app, self.wire = app, Discord()
        posting = Posting(SimpleNamespace(), app.get_server_registry)  # type: ignore[arg-type]
        self.delivery = Delivery(self.wire, posting, app, lambda *_: -1)

    async def rolls(self, id: int, place: Place) -> Reply:
        """Anna rolls there."""
        request = DiscordRequest(id, "t", 1, 2, int(place.key.rpartition("/")[2]), 5, ANNA, "Anna")
        replies: list[Reply] = []

        async def work() -> Reply:
            more = request.who, place, request.request_id, request.to_json()
            replies.append(await self.app.run_text("roll 2d6", *more))
            return replies[0]

        spec = self.app.registry.get(("roll",))
        assert spec is not None
        command: Any = SimpleNamespace(who=request.who, where=place, delivery={"private": False})
        await self.delivery.serve_request(request, command, work())
        return replies[0]

    @property
    def told(self) -> list[int]:
        """Who was told what had been kept."""
        return [user for user, said in self.wire.told if LATE_ANSWER_NOTE in said]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_another_process_tells_it_in_a_linked_place_once_and_to_them_alone(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(delivery, "time", SimpleNamespace(monotonic=lambda: now[0]))
    opened: Callable[[], Any] = lambda: SqliteStore.open(tmp_path / "games.db")  # noqa: E731
    if kind == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
        opened = lambda: PostgresStore.open(url)  # noqa: E731
    async with await opened() as one, await opened() as other:
        first, second = Process(App(one)), Process(App(other))
        hall, table = Channel(first.app, HALL, "h"), Channel(first.app, TABLE, "t")
        await hall.do("Vera", "roll 2d6")
        code = (await hall.say("Vera", "game link", manager=True)).title.split()[-1]
        assert not (await table.say("Bob", f"game link {code}", manager=True)).error
        await second.rolls(1, TABLE)
        assert second.told == [], "this process has looked, and nothing was kept"
        refused = build_error_reply(UserError("There is no die d7x.", code="bad-dice"))
        await first.app.save_undelivered(f"discord:{ANNA}", "9", refused)
        now[0] += delivery.LOOK_AGAIN + 1
        rolled = await second.rolls(2, TABLE)
        assert not rolled.error
        assert second.told == [ANNA], "alone, though the command was rolled in another place"
        assert "d7x" in second.wire.told[0][1]
        for number, process in enumerate((first, second), 3):
            now[0] += delivery.LOOK_AGAIN + 1
            await process.rolls(number, HALL)
        assert first.told + second.told == [ANNA], "once"
        mirrored = [
            due for due in await first.app.answers.claim_due("discord:") if due.place == HALL.key
        ]
        assert mirrored
        assert not any(
            "d7x" in due.reply.format_text() or LATE_ANSWER_NOTE in due.reply.format_text()
            for due in mirrored
        )
