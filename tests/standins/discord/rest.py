"""The REST routes a bot calls with its own token: itself, commands, servers, channels, messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aiohttp import BodyPartReader, web

from tests.standins.discord import permissions as may
from tests.standins.discord.errors import (
    ApiError,
    Json,
    missing_access,
    missing_permissions,
    not_found,
    unauthorized,
    unknown_message,
)
from tests.standins.discord.payloads import (
    application_json,
    channel_json,
    guild_json,
    member_json,
    message_json,
    roles_json,
    user_json,
)
from tests.standins.discord.posting import Upload
from tests.standins.discord.state import Channel, ChannelKind, Guild, Message

if TYPE_CHECKING:
    from tests.standins.discord.site import Site

API = "/api/v10"


def answered(data: Any, status: int = 200) -> web.Response:
    """A JSON answer; discord.py compares the content type literally, so no charset."""
    return web.Response(
        body=json.dumps(data).encode(), status=status, content_type="application/json"
    )


def nothing() -> web.Response:
    """204, done."""
    return web.Response(status=204)


async def read_body(request: web.Request) -> tuple[Any, list[Upload]]:
    """The JSON body and the files sent with it. Raises ApiError 50109 when it is not JSON."""
    if not request.content_type.startswith("multipart/"):
        return _parsed(await request.text()), []
    body: Any = {}
    uploads = []
    async for part in await request.multipart():
        assert isinstance(part, BodyPartReader)
        name = part.name or ""
        if name == "payload_json":
            body = _parsed(await part.text())
        elif name.startswith("files["):
            uploads.append(
                Upload(int(name[6:-1]), part.filename or "file", bytes(await part.read()))
            )
    return body, uploads


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        raise ApiError(400, 50109, "The request body contains invalid JSON.") from None


class Rest:
    """The handlers; each takes a request and gives a response or raises ApiError."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._world = site.world

    def routes(self) -> list[web.RouteDef]:
        """All routes, without the API's prefix."""
        found = []
        for line in ROUTES.strip().splitlines():
            method, path, name = line.split()
            found.append(web.route(method, API + path, getattr(self, name)))
        return found

    def check_token(self, request: web.Request) -> None:
        """Raises ApiError 401 unless the bot's token is there."""
        if request.headers.get("Authorization") != f"Bot {self._site.settings.token}":
            raise unauthorized()

    # the bot itself

    async def gateway(self, request: web.Request) -> web.Response:
        """Where the websocket is."""
        return answered({"url": self._site.gateway.url})

    async def gateway_bot(self, request: web.Request) -> web.Response:
        """Where the websocket is, and how many shards to open."""
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0}
        limit["max_concurrency"] = self._site.settings.max_concurrency
        shards = self._site.settings.shards
        return answered(
            {"url": self._site.gateway.url, "shards": shards, "session_start_limit": limit}
        )

    async def me(self, request: web.Request) -> web.Response:
        """The bot's user."""
        return answered(user_json(self._world.bot))

    async def user(self, request: web.Request) -> web.Response:
        """Any user."""
        user = self._world.users.get(_number(request, "user"))
        if user is None:
            raise not_found("User", 10013)
        return answered(user_json(user))

    async def application(self, request: web.Request) -> web.Response:
        """The application."""
        if "app" in request.match_info:
            self._application(request)
        return answered(application_json(self._world))

    async def my_guilds(self, request: web.Request) -> web.Response:
        """The servers the bot is in."""
        bot = self._world.bot
        mine = [g for g in self._world.guilds.values() if g.has_bot]
        bits = [str(self._world.base_permissions(bot, g)) for g in mine]
        return answered(
            [
                {"id": str(g.id), "name": g.name, "permissions": b}
                for g, b in zip(mine, bits, strict=True)
            ]
        )

    async def leave_guild(self, request: web.Request) -> web.Response:
        """The bot leaves a server."""
        self._site.remove_bot(self._guild(request))
        return nothing()

    # commands

    def _application(self, request: web.Request) -> None:
        if _number(request, "app") != self._world.bot.id:
            raise ApiError(
                403, 20012, "You are not authorized to perform this action on this application"
            )

    def _scope(self, request: web.Request) -> int | None:
        self._application(request)
        return self._guild(request).id if "guild" in request.match_info else None

    async def commands(self, request: web.Request) -> web.Response:
        """All commands of the scope."""
        return answered(self._site.commands.all(self._scope(request)))

    async def overwrite_commands(self, request: web.Request) -> web.Response:
        """Replace all commands of the scope."""
        found = self._site.commands.overwrite((await read_body(request))[0], self._scope(request))
        self._site.changed.fire()
        return answered(found)

    async def create_command(self, request: web.Request) -> web.Response:
        """Create or replace one."""
        command, new = self._site.commands.upsert(
            (await read_body(request))[0], self._scope(request)
        )
        self._site.changed.fire()
        return answered(command, 201 if new else 200)

    async def command(self, request: web.Request) -> web.Response:
        """One command."""
        return answered(
            self._site.commands.by_id(_number(request, "command"), self._scope(request))
        )

    async def edit_command(self, request: web.Request) -> web.Response:
        """Change one."""
        body, _ = await read_body(request)
        return answered(
            self._site.commands.edit(_number(request, "command"), body, self._scope(request))
        )

    async def delete_command(self, request: web.Request) -> web.Response:
        """Remove one."""
        self._site.commands.delete(_number(request, "command"), self._scope(request))
        return nothing()

    # servers

    def _guild(self, request: web.Request) -> Guild:
        guild = self._world.guilds.get(_number(request, "guild"))
        if guild is None:
            raise not_found("Guild", 10004)
        if not guild.has_bot:
            raise missing_access()
        return guild

    async def guild(self, request: web.Request) -> web.Response:
        """One server."""
        return answered(guild_json(self._world, self._guild(request)))

    async def guild_channels(self, request: web.Request) -> web.Response:
        """Its channels, without threads."""
        channels = self._guild(request).channels.values()
        return answered(
            [channel_json(self._world, c) for c in channels if c.kind is ChannelKind.TEXT]
        )

    async def guild_roles(self, request: web.Request) -> web.Response:
        """Its roles."""
        return answered(roles_json(self._world, self._guild(request)))

    async def member(self, request: web.Request) -> web.Response:
        """One member."""
        guild = self._guild(request)
        number = (
            self._world.bot.id if request.match_info["user"] == "@me" else _number(request, "user")
        )
        if number not in guild.members:
            raise not_found("Member", 10007)
        return answered(member_json(self._world, self._world.users[number], guild))

    # channels and messages

    def _channel(self, request: web.Request) -> Channel:
        channel = self._world.channels.get(_number(request, "channel"))
        if channel is None:
            raise not_found("Channel", 10003)
        bits = self._world.permissions(self._world.bot, channel)
        if not bits & may.VIEW_CHANNEL or not self._world.has_bot(channel):
            raise missing_access()
        return channel

    def _message(self, request: web.Request, channel: Channel) -> Message:
        message = self._world.message(channel, _number(request, "message"))
        if message is None or message.ephemeral:
            raise unknown_message()
        return message

    def _need(self, channel: Channel, bits: int) -> None:
        if bits & ~self._world.permissions(self._world.bot, channel):
            raise missing_permissions()

    async def channel(self, request: web.Request) -> web.Response:
        """One channel, thread or DM."""
        return answered(channel_json(self._world, self._channel(request)))

    async def open_dm(self, request: web.Request) -> web.Response:
        """The DM with a user."""
        body, _ = await read_body(request)
        user = self._world.users.get(int(body.get("recipient_id", 0)))
        if user is None or user.bot:
            raise ApiError(400, 50033, "Invalid Recipient(s)")
        return answered(channel_json(self._world, self._world.dm(user)))

    async def typing(self, request: web.Request) -> web.Response:
        """Show that the bot is typing."""
        channel = self._channel(request)
        self._need(channel, may.SEND_MESSAGES)
        return nothing()

    async def history(self, request: web.Request) -> web.Response:
        """The messages between `after` and `before`, newest first; with `after`, those that came
        next.
        """
        channel = self._channel(request)
        self._need(channel, may.READ_HISTORY)
        before, after = (
            int(request.query.get("before", 1 << 63)),
            int(request.query.get("after", 0)),
        )
        shown = [
            m
            for m in reversed(channel.messages)
            if not m.deleted and not m.ephemeral and after < m.id < before
        ]
        limit = int(request.query.get("limit", 50))
        page = shown[-limit:] if "after" in request.query else shown[:limit]
        return answered([message_json(self._world, m) for m in page])

    async def message(self, request: web.Request) -> web.Response:
        """One message."""
        channel = self._channel(request)
        self._need(channel, may.READ_HISTORY)
        return answered(message_json(self._world, self._message(request, channel)))

    async def post(self, request: web.Request) -> web.Response:
        """Post a message."""
        channel = self._channel(request)
        body, uploads = await read_body(request)
        self._need(
            channel,
            may.SEND_IN_THREADS if channel.kind is ChannelKind.THREAD else may.SEND_MESSAGES,
        )
        self._need(
            channel,
            (may.EMBED_LINKS if body.get("embeds") else 0) | (may.ATTACH_FILES if uploads else 0),
        )
        if channel.recipient is not None and channel.recipient.refuses_dms:
            raise ApiError(403, 50007, "Cannot send messages to this user")
        if channel.archived:
            raise ApiError(400, 50083, "Thread is archived")
        again = self._same_nonce(channel, body)
        message = again or self._site.posting.post(channel, body, uploads)
        return answered(message_json(self._world, message))

    def _same_nonce(self, channel: Channel, body: Json) -> Message | None:
        if not body.get("enforce_nonce") or body.get("nonce") is None:
            return None
        since = self._world.clock.now() - self._site.settings.nonce_seconds
        again = (
            m
            for m in channel.messages
            if m.nonce == str(body["nonce"]) and not m.deleted and m.at >= since
        )
        return next(again, None)

    async def start_thread(self, request: web.Request) -> web.Response:
        """Make a public thread of a message."""
        channel = self._channel(request)
        message = self._message(request, channel)
        self._need(channel, may.CREATE_THREADS)
        if message.id in self._world.channels:
            raise ApiError(400, 160004, "A thread has already been created for this message")
        body, _ = await read_body(request)
        thread = self._world.add_thread(str(body["name"]), channel, message.id)
        self._site.announce_channel(thread)
        return answered(channel_json(self._world, thread), 201)

    async def edit_message(self, request: web.Request) -> web.Response:
        """Edit one of the bot's messages."""
        message = self._message(request, self._channel(request))
        if message.author is not self._world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        body, uploads = await read_body(request)
        self._site.posting.edit(message, body, uploads)
        return answered(message_json(self._world, message))

    async def delete_message(self, request: web.Request) -> web.Response:
        """Delete a message."""
        channel = self._channel(request)
        message = self._message(request, channel)
        if message.author is not self._world.bot:
            self._need(channel, may.MANAGE_MESSAGES)
        self._site.posting.delete(message)
        return nothing()

    async def pin(self, request: web.Request) -> web.Response:
        """Pin a message, or take the pin off."""
        channel = self._channel(request)
        message = self._message(request, channel)
        self._need(channel, may.PIN_MESSAGES)
        message.pinned = request.method == "PUT"
        self._site.changed.fire()
        return nothing()


def _number(request: web.Request, name: str) -> int:
    text = request.match_info[name]
    if not text.isdigit():
        raise ApiError(
            400, 50035, "Invalid Form Body", {f"{name}_id": {"_errors": [_not_snowflake(text)]}}
        )
    return int(text)


def _not_snowflake(text: str) -> Json:
    return {"code": "NUMBER_TYPE_COERCE", "message": f'Value "{text}" is not snowflake.'}


ROUTES = """
GET    /gateway                                                gateway
GET    /gateway/bot                                            gateway_bot
GET    /users/@me                                              me
GET    /users/@me/guilds                                       my_guilds
DELETE /users/@me/guilds/{guild}                               leave_guild
POST   /users/@me/channels                                     open_dm
GET    /users/{user}                                           user
GET    /oauth2/applications/@me                                application
GET    /applications/@me                                       application
GET    /applications/{app}                                     application
GET    /applications/{app}/commands                            commands
PUT    /applications/{app}/commands                            overwrite_commands
POST   /applications/{app}/commands                            create_command
GET    /applications/{app}/commands/{command}                  command
PATCH  /applications/{app}/commands/{command}                  edit_command
DELETE /applications/{app}/commands/{command}                  delete_command
GET    /applications/{app}/guilds/{guild}/commands             commands
PUT    /applications/{app}/guilds/{guild}/commands             overwrite_commands
POST   /applications/{app}/guilds/{guild}/commands             create_command
GET    /applications/{app}/guilds/{guild}/commands/{command}   command
PATCH  /applications/{app}/guilds/{guild}/commands/{command}   edit_command
DELETE /applications/{app}/guilds/{guild}/commands/{command}   delete_command
GET    /guilds/{guild}                                         guild
GET    /guilds/{guild}/channels                                guild_channels
GET    /guilds/{guild}/roles                                   guild_roles
GET    /guilds/{guild}/members/{user}                          member
GET    /channels/{channel}                                     channel
POST   /channels/{channel}/typing                              typing
GET    /channels/{channel}/messages                            history
POST   /channels/{channel}/messages                            post
GET    /channels/{channel}/messages/{message}                  message
PATCH  /channels/{channel}/messages/{message}                  edit_message
DELETE /channels/{channel}/messages/{message}                  delete_message
POST   /channels/{channel}/messages/{message}/threads          start_thread
PUT    /channels/{channel}/messages/pins/{message}             pin
DELETE /channels/{channel}/messages/pins/{message}             pin
"""
