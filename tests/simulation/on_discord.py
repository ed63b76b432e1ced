"""Discord as the adapter meets it: interactions, first responses, tokens, nonces. The adapter's
own code runs on it.
"""

from __future__ import annotations

import asyncio
import json as parser
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import discord
from cachetools import LRUCache

from adapters.discord.calls import (
    ANSWERED_BEFORE,
    UNKNOWN_INTERACTION,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    DiscordApi,
    DiscordRefused,
    ResponseType,
    Unsure,
)
from adapters.discord.channel_posts import LOADING, Posting
from adapters.discord.delivery import Delivery
from adapters.discord.incoming import DiscordServices, answer_receipt
from adapters.discord.render import ACTION, LATE, PERHAPS, render_message
from adapters.discord.request import EPHEMERAL, PLATFORM
from adapters.discord.request import DiscordRequest as Ask
from adapters.discord.serve import Grognard
from bot.commands.dispatch import load_shared_registry
from bot.outbox.receipts import watch
from bot.ui.reply.reply import File, Reply
from bot.ui.typing.command_text import parse_text
from tests.simulation.people import BY_KEY, discord_id, spot_of_dm
from tests.simulation.shown import Request, Shown

ACTION_ROW, TEXT_DISPLAY = 1, 10

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

Json = dict[str, Any]

RECEIPT_LIMIT, TOKEN_LIFE, NONCE_LIFE = 3.0, 900.0, 300.0
BOT = 77
REMARKS = (PERHAPS, LATE)
FILE = "https://files/"
KINDS = {"str": 3, "int": 4, "bool": 5, "file": 11}


class Discord:
    """What Discord knows."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.first: dict[str, int] = {}  # kind of first response by token
        self.original: dict[str, Shown] = {}

    def do(self, method: str, path: str, body: Json, files: Sequence[File]) -> Json:
        """One call. Raises Refused."""
        parts = path.partition("?")[0].strip("/").split("/")
        if parts[0] == "interactions":
            return self._respond(
                self._request(parts[2]), int(body["type"]), body.get("data") or {}, files
            )
        request = self._request(parts[2])
        if self._world.loop.time() - request.at > TOKEN_LIFE:
            raise DiscordRefused(401, 50027, "Invalid Webhook Token")
        if request.token not in self.first:
            raise DiscordRefused(404, UNKNOWN_WEBHOOK, "Unknown Webhook")
        original = self.original[request.token]
        if method == "POST":  # the first follow-up takes the placeholder's place
            if original.loading and not original.deleted:
                return self._written(original, body, files)
            return self._post(request, body, files)
        if original.deleted:
            raise DiscordRefused(404, UNKNOWN_MESSAGE, "Unknown Message")
        if method == "PATCH":
            return self._written(original, body, files)
        if method == "DELETE":
            original.deleted = True
            return {}
        return self._json(original)

    def channel_message(self, channel: int, body: Json, files: Sequence[str]) -> Shown:
        """A message with the bot's own token. The same nonce within some minutes is the same
        message.
        """
        world, nonce = self._world, str(body.get("nonce") or "")
        spot = world.spot_by_channel(f"{channel}") or spot_of_dm(str(channel))
        for shown in reversed(world.shown):
            if (
                nonce
                and shown.nonce == nonce
                and world.loop.time() - shown.at < NONCE_LIFE
                and shown.spot == spot
            ):
                return shown
        shown = world.new_message(spot, nonce=nonce)
        self._fill(shown, body, files)
        world.show(shown)
        return shown

    def change(self, channel: int, number: int, body: Json) -> Json:
        """A message of the bot's own, changed with its own token. Raises discord.NotFound."""
        spot = self._world.spot_by_channel(f"{channel}") or spot_of_dm(str(channel))
        for shown in self._world.shown:
            if shown.number == number and shown.spot == spot and shown.stands and not shown.viewer:
                shown.files, files = (), shown.files
                found = self._written(shown, body, ())
                shown.files = files
                return found
        raise discord.NotFound(SimpleNamespace(status=404, reason="gone"), "Unknown Message")

    def take_away(self, channel: int, number: int) -> None:
        """A message of the bot's own, deleted with its own token. Raises discord.NotFound."""
        spot = self._world.spot_by_channel(f"{channel}") or spot_of_dm(str(channel))
        for shown in self._world.shown:
            if shown.number == number and shown.spot == spot and shown.stands and not shown.viewer:
                shown.deleted = True
                return
        raise discord.NotFound(SimpleNamespace(status=404, reason="gone"), "Unknown Message")

    def _request(self, token: str) -> Request:
        return self._world.requests[int(token) - 7_000_000]

    def _respond(self, request: Request, kind: int, data: Json, files: Sequence[File]) -> Json:
        if request.token in self.first:
            raise DiscordRefused(400, ANSWERED_BEFORE, "Interaction has already been acknowledged.")
        if self._world.loop.time() - request.at > RECEIPT_LIMIT:
            raise DiscordRefused(404, UNKNOWN_INTERACTION, "Unknown interaction")
        if kind in (ResponseType.UPDATE, ResponseType.DEFER_UPDATE):
            assert request.message is not None
            self.first[request.token], self.original[request.token] = kind, request.message
            if kind == ResponseType.UPDATE:
                request.shown.append(request.message)
                self._written(request.message, data, files)
        elif kind == ResponseType.MESSAGE:
            self.first[request.token] = kind
            self._post(request, data, files, original=True)
        else:
            assert kind == ResponseType.THINKING, (
                "a form opens: this intent lacks what its command needs"
            )
            self.first[request.token] = kind
            private = bool(int(data.get("flags") or 0) & EPHEMERAL)
            placeholder = self._world.new_message(
                request.spot, viewer=request.who if private else "", answers=request
            )
            placeholder.loading, self.original[request.token] = True, placeholder
            request.receipt = self._world.loop.time()
            self._world.note(f"  request {request.number} is shown as thinking")
        return {"interaction": {"response_message_id": str(self.original[request.token].number)}}

    def _post(
        self, request: Request, body: Json, files: Sequence[File], *, original: bool = False
    ) -> Json:
        private = bool(int(body.get("flags") or 0) & EPHEMERAL)
        shown = self._world.new_message(
            request.spot, viewer=request.who if private else "", answers=request
        )
        if original:
            self.original[request.token] = shown
        return self._written(shown, body, files)

    def _written(self, shown: Shown, body: Json, files: Sequence[File]) -> Json:
        shown.loading = False
        self._fill(shown, body, [file.text for file in files])
        self._world.show(shown)
        return self._json(shown)

    def _fill(self, shown: Shown, body: Json, files: Sequence[str]) -> None:
        shown.key, shown.text = key_of(body), text_of(body)
        shown.late = any(remark in content_of(body) for remark in REMARKS)
        shown.body = body
        shown.files = tuple(files)
        buttons = [
            item for row in rows_of(body.get("components") or ()) for item in row["components"]
        ]
        shown.buttons = tuple(str(item.get("custom_id")).removeprefix(ACTION) for item in buttons)
        shown.choices = tuple(one["value"] for item in buttons for one in item.get("options", ()))

    def _json(self, shown: Shown) -> Json:
        flags = (LOADING if shown.loading else 0) | (EPHEMERAL if shown.viewer else 0)
        return {"id": str(shown.number), "flags": flags, "content": shown.text.partition("\n")[0]}


def content_of(body: Json) -> str:
    """What a message says beside its embeds; one in a box has its text in components of the
    newer layout.
    """
    if body.get("content") is not None:
        return str(body["content"])
    return "\n".join(texts_of(body.get("components") or ()))


def texts_of(components: Sequence[Json]) -> list[str]:
    """The texts of components, and of those inside them."""
    return [
        text
        for one in components
        for text in (
            [one["content"]]
            if one["type"] == TEXT_DISPLAY
            else texts_of(one.get("components") or ())
        )
    ]


def rows_of(components: Sequence[Json]) -> list[Json]:
    """The rows of buttons, wherever they are."""
    return [
        row
        for one in components
        for row in ([one] if one["type"] == ACTION_ROW else rows_of(one.get("components") or ()))
    ]


def key_of(body: Json) -> str:
    """What is the same for the same answer: its first line and its footer."""
    footers = [embed["footer"]["text"] for embed in body.get("embeds") or () if "footer" in embed]
    said = content_of(body)
    for remark in REMARKS:
        said = said.replace(remark, "")
    return " | ".join([said, *footers])


def key_of_reply(reply: Reply, _: str) -> str:
    """The key under which a stored reply is shown."""
    return key_of(render_message(reply, Ask(1, "", 0, 2, 1), load_shared_registry()).body)


def text_of(body: Json) -> str:
    """All that can be read."""
    lines = [content_of(body)]
    for embed in body.get("embeds") or ():
        lines += [
            str(embed.get("description", "")),
            str((embed.get("footer") or {}).get("text", "")),
        ]
    return "\n".join(line for line in lines if line)


class SimWire(DiscordApi):
    """The adapter's own repeating and doubting, over calls that may fail."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def _call_once(
        self,
        method: str,
        path: str,
        body: Json | None,
        files: Sequence[File],
        inside: str,
        timeout: float = 2.0,
    ) -> Json:
        world, process = self._process.world, self._process
        fate = world.fate("discord")
        await process.pass_time(world.wire_delay)
        if fate == "limit":
            raise DiscordRefused(429, 0, "slow down", 0.3)
        if fate == "fault":
            raise DiscordRefused(503, 0, "unavailable")
        if fate == "lost":
            await asyncio.sleep(timeout)
            raise Unsure("timeout")
        found = world.discord.do(method, path, body or {}, files)
        await process.pass_time(world.wire_delay)
        if fate == "broken":
            raise Unsure("broken after the call")
        return found

    async def download(self, url: str, limit: int) -> bytes:
        """A file that somebody attached."""
        await self._process.pass_time(self._process.world.wire_delay)
        return self._process.world.requests[int(url.removeprefix(FILE))].file.encode()


class SimHttp:
    """The library's calls with the bot's own token; it repeats for a while by itself."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def request(
        self, route: Any, *, json: Json | None = None, form: Any = (), params: Any = None
    ) -> Any:
        """A message for a channel, or those that stand there. Raises discord.HTTPException,
        OSError.
        """
        world, process = self._process.world, self._process
        if route.method == "GET":
            await process.pass_time(world.wire_delay)
            spot = world.spot_by_channel(route.url.rstrip("/").split("/")[-2])
            there = [
                shown
                for shown in world.shown
                if shown.spot == spot and shown.stands and not shown.viewer
            ]
            return [
                {
                    **shown.body,
                    "id": str(shown.number),
                    "flags": 0,
                    "author": {"bot": True},
                    "interaction_metadata": {"id": shown.answers.token} if shown.answers else None,
                }
                for shown in there
            ]
        if json is None:
            json = parser.loads(
                next(part["value"] for part in form if part["name"] == "payload_json")
            )
        texts = [part["value"].decode() for part in form if "filename" in part]
        fate = world.fate("discord")
        await process.pass_time(world.wire_delay)
        if fate in ("limit", "fault"):
            await asyncio.sleep(5.0)
            raise discord.DiscordServerError(
                SimpleNamespace(status=503, reason="unavailable"), "unavailable"
            )
        if fate == "lost":
            raise OSError("connection reset")
        parts = route.url.rstrip("/").split("/")
        if route.method == "PATCH":
            found = world.discord.change(int(parts[-3]), int(parts[-1]), json)
        else:
            found = {"id": str(world.discord.channel_message(int(parts[-2]), json, texts).number)}
        await process.pass_time(world.wire_delay)
        if fate == "broken":
            raise OSError("connection reset")
        return found

    async def get_channel(self, channel: int) -> Json:
        """A channel that the bot sees."""
        spot = self._process.world.spot_by_channel(str(channel))
        await self._process.pass_time(self._process.world.wire_delay)
        return {"id": str(channel), "guild_id": spot.server if spot is not None else "0"}

    async def delete_message(self, channel: int, message: int) -> None:
        """A message of the bot's own taken away; whether the caller learns of it is another
        thing.
        """
        world, process = self._process.world, self._process
        fate = world.fate("discord")
        await process.pass_time(world.wire_delay)
        if fate in ("limit", "fault"):
            raise discord.DiscordServerError(
                SimpleNamespace(status=503, reason="unavailable"), "unavailable"
            )
        if fate != "lost":
            world.discord.take_away(channel, message)
        if fate in ("lost", "broken"):
            raise OSError("connection reset")

    async def pin_message(self, channel: int, message: int) -> None:
        """A message kept at hand, or not: it may fail, and then nothing is lost."""
        await self._process.pass_time(self._process.world.wire_delay)
        if self._process.world.fate("discord") == "lost":
            raise OSError("connection reset")

    unpin_message = pin_message

    async def start_private_message(self, user: int) -> Json:
        """The channel of a person's direct messages."""
        await self._process.pass_time(self._process.world.wire_delay)
        return {"id": f"9{user}"}


class Bot(Grognard):
    """The adapter's client without the library's connection."""

    def __init__(self, process: Process) -> None:
        self.app = process.app
        self.http = SimHttp(process)  # type: ignore[assignment]
        wire = SimWire(process)
        self.services = DiscordServices(
            self.app,
            wire,
            Delivery(
                wire, Posting(self.http, self.app.get_server_registry), self.app, lambda *_: -1
            ),
            self,
        )
        self._interaction_tasks, self._background_tasks = set(), set()
        self._recent_ids = LRUCache(1_000)
        self._stopping = False

    def get_guild(self, id: int, /) -> None:
        """Nothing is kept in memory."""

    def begin(self) -> None:
        """What begins at login."""
        self._start_background_task(self.services.delivery.outbox.run())
        self._start_background_task(
            watch(self.app.receipts, PLATFORM, partial(answer_receipt, self.services))
        )

    async def take(self, request: Request) -> None:
        """One delivery of what somebody did, until all that it led to is done."""
        before = set(self._interaction_tasks)
        self.receive_gateway_event(interaction(request))
        for task in self._interaction_tasks - before:
            await asyncio.wait([task])

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being worked on."""
        return not self._interaction_tasks


def interaction(request: Request) -> Json:
    """What the gateway brings."""
    spot = request.spot
    user = {"id": str(discord_id(request.who)), "username": request.who}
    manages = 1 << 5 if request.who in spot.managers else 0
    member = {"user": user, "permissions": str(manages | 1 << 10 | 1 << 11)}
    who: Json = (
        {"user": user} if spot.server == "dm" else {"member": member, "guild_id": spot.server}
    )
    event: Json = {
        "id": request.token,
        "token": request.token,
        "application_id": BOT,
        "type": 3 if request.is_press else 2,
        "channel_id": spot.channel,
        "app_permissions": str((1 << 53) - 1),
        "attachment_size_limit": 10_000_000,
        "data": {"custom_id": ACTION + request.doing}
        if request.is_press
        else command_data(request),
    }
    if request.message is not None:
        event["message"] = {
            "id": request.message.number,
            "flags": EPHEMERAL if request.message.viewer else 0,
        }
    return event | who


def resolved_channel(request: Request, channel: str) -> Json:
    """A channel as Discord resolves it for who names it: not at all where they are not."""
    spot = BY_KEY.get(f"discord:{request.spot.server}/{channel}")
    if spot is None or request.who not in spot.members:
        return {}
    return {
        channel: {"id": channel, "type": 0, "name": channel, "permissions": str(1 << 10 | 1 << 11)}
    }


def command_data(request: Request) -> Json:
    """A typed command as Discord sends it."""
    typed = parse_text(request.doing, load_shared_registry())
    options: list[Json] = []
    resolved: Json = {}
    for name, value in typed.options.items():
        option = typed.spec.find_option(name)
        kind = KINDS.get(option.type, 3) if option is not None else 3
        if name == "file":
            resolved = {
                "attachments": {
                    "1": {"filename": "game.json", "size": 1, "url": f"{FILE}{request.number}"}
                }
            }
            value, kind = "1", 11
        elif name == "channel":
            kind = 7
            resolved = {"channels": resolved_channel(request, str(value))}
        elif kind == 4:
            value = int(str(value))
        options.append({"name": name, "type": kind, "value": value})
    for depth, name in enumerate(reversed(typed.spec.path[1:])):
        options = [{"name": name, "type": 2 if depth else 1, "options": options}]
    return {"name": typed.spec.path[0], "options": options, "resolved": resolved}
