"""Slack as the adapter meets it: acknowledgements, response addresses, channels that it is no
member of.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.listeners import Listeners
from adapters.slack.render import LATE, LATE_PERHAPS, PERHAPS, render_message
from adapters.slack.request import PLATFORM
from adapters.slack.request_handler import RequestHandler
from adapters.slack.teams import Team, Teams
from bot.commands.dispatch import load_shared_registry
from bot.outbox.receipts import watch
from bot.ui.reply.reply import Reply
from tests.simulation.clock import BEGIN
from tests.simulation.people import BY_KEY, SPOTS, human, slack_id, spot_of_dm
from tests.simulation.shown import REQUEST, Request, Shown

if TYPE_CHECKING:
    from tests.simulation.process import Process
    from tests.simulation.world import World

Json = dict[str, Any]

ACK_LIMIT, URL_LIFE, URL_USES = 3.0, 1_800.0, 5
BOT = "UBOT"
READABLE = "T1"
"""The workspace that lets the bot read what stands in a channel."""
REMARKS = (LATE_PERHAPS, PERHAPS, LATE)


class Slack:
    """What Slack knows."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._uses: dict[str, int] = {}
        self._files: dict[str, str] = {}

    def respond(self, url: str, body: Json) -> None:
        """A message by a response address. Raises Refused."""
        world = self._world
        request = world.requests[int(url.removeprefix("hook"))]
        uses = self._uses[url] = self._uses.get(url, 0) + 1
        if uses > URL_USES or world.loop.time() - request.at > URL_LIFE:
            raise SlackRefused("used_url")
        if body.get("replace_original") and request.message is not None:
            shown = request.message
            request.shown.append(shown)
        else:
            viewer = request.who if body["response_type"] == "ephemeral" else ""
            shown = world.new_message(request.spot, viewer=viewer, answers=request)
        self._fill(shown, body)

    def api(self, team: str, method: str, given: Mapping[str, Any]) -> Json:
        """A method of the Web API. Raises Refused."""
        if method == "users.info":
            who = human(given["user"])
            admin = any(who in spot.managers for spot in SPOTS.values() if spot.server == team)
            return {"user": {"name": who, "real_name": who, "team_id": team, "is_admin": admin}}
        if method == "conversations.open":
            return {"channel": {"id": f"D{given['users']}"}}
        if method in ("chat.postMessage", "chat.postEphemeral"):
            spot = self._spot(team, given["channel"])
            viewer = human(given["user"]) if method == "chat.postEphemeral" else ""
            shown = self._world.new_message(spot, viewer=viewer, answers=REQUEST.get())
            self._fill(shown, given)
            return {"ts": f"{shown.number}.0", "channel": spot.channel}
        if method == "chat.update":
            self._spot(team, given["channel"])
            number = int(str(given["ts"]).partition(".")[0])
            found = [
                one
                for one in self._world.shown
                if one.number == number and one.stands and not one.viewer
            ]
            if not found:
                raise SlackRefused("message_not_found")
            self._fill(found[0], {"metadata": found[0].body.get("metadata"), **given})
            return {"ts": given["ts"], "channel": given["channel"]}
        if method == "chat.delete":
            number = int(str(given["ts"]).partition(".")[0])
            found = [
                one
                for one in self._world.shown
                if one.number == number and one.stands and not one.viewer
            ]
            if not found:
                raise SlackRefused("message_not_found")
            found[0].deleted = True
            return {}
        if method in ("pins.add", "pins.remove"):
            self._spot(team, given["channel"])
            return {}
        if method.startswith("views."):
            raise SlackRefused("expired_trigger_id")  # then it is a message for one pair of eyes
        if method == "files.getUploadURLExternal":
            id = f"F{len(self._files)}"
            self._files[id] = ""
            return {"upload_url": id, "file_id": id}
        if method == "files.completeUploadExternal":
            shown = self._world.new_message(
                self._spot(team, given["channel_id"]), answers=REQUEST.get()
            )
            shown.files = tuple(self._files[file["id"]] for file in given["files"])
            self._world.show(shown)
            return {}
        return self._look_up(team, method, given)

    def upload(self, id: str, data: bytes) -> None:
        """The bytes of a file."""
        self._files[id] = data.decode(errors="replace")  # a picture, too

    def _look_up(self, team: str, method: str, given: Mapping[str, Any]) -> Json:
        """What a bot may ask about channels and their members."""
        spot = BY_KEY.get(f"slack:{team}/{given['channel']}")
        if spot is None or not spot.bot:
            raise SlackRefused("channel_not_found")
        if method == "conversations.members":
            return {"members": [slack_id(who) for who in sorted(spot.members)]}
        if method == "conversations.info":
            return {"channel": {"id": spot.channel, "is_member": spot.bot, "name": spot.channel}}
        assert method in ("conversations.history", "conversations.replies"), (
            f"Slack is asked for {method}"
        )
        if team != READABLE:
            raise SlackRefused("missing_scope")
        since = float(given.get("oldest") or 0) - BEGIN
        public = [
            one for one in self._world.shown if one.spot == spot and one.stands and not one.viewer
        ]
        found = [
            {"ts": f"{one.number}.0", "user": BOT, **one.body}
            for one in reversed(public)
            if one.at >= since
        ]
        return {"messages": found}

    def _spot(self, team: str, channel: str) -> Any:
        if channel.startswith("D"):
            return spot_of_dm(channel)
        spot = BY_KEY.get(f"slack:{team}/{channel}")
        if spot is None:
            raise SlackRefused("channel_not_found")
        if not spot.bot:
            raise SlackRefused("not_in_channel")
        return spot

    def _fill(self, shown: Shown, body: Mapping[str, Any]) -> None:
        shown.text, shown.body = str(body["text"]), dict(body)
        shown.key = _key(shown.text)
        shown.late = any(remark in shown.text for remark in (PERHAPS, LATE_PERHAPS))
        items = [
            item
            for block in body.get("blocks") or ()
            for item in block.get("elements") or ()
            if "value" in item
        ]
        shown.buttons = tuple(str(item["value"]) for item in items)
        menus = [item for block in body.get("blocks") or () for item in block.get("elements") or ()]
        shown.choices = tuple(one["value"] for item in menus for one in item.get("options", ()))
        self._world.show(shown)


def key_of_reply(reply: Reply, team: str) -> str:
    """The key under which a stored reply is shown in a workspace."""
    return _key(render_message(reply, team, load_shared_registry()).text)


def _key(text: str) -> str:
    """The first line and the footer."""
    for remark in REMARKS:
        text = text.replace(remark, "")
    first, _, rest = text.partition("\n")
    last = rest.rpartition("\n")[2]
    return f"{first} | {last}" if last.startswith("#") else first


class SimWire(SlackApi):
    """Calls that may fail, before they were done or after."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def close(self) -> None:
        """Nothing is open."""

    async def _call(self, token: str, method: str, arguments: Json) -> Json:
        given = arguments.get("json") or arguments.get("data") or {}
        found: Json = await self._reach(
            lambda: self._process.world.slack.api(token.removeprefix("xoxb-"), method, given)
        )
        return found

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Post to a response address."""
        await self._reach(lambda: self._process.world.slack.respond(url, dict(body)))

    async def upload(self, url: str, data: bytes) -> None:
        """Post the bytes of a file."""
        await self._reach(lambda: self._process.world.slack.upload(url, data))

    async def download(self, token: str, url: str, limit: int) -> bytes:
        """A file that somebody shared."""
        await self._process.pass_time(self._process.world.wire_delay)
        return self._process.world.requests[int(url)].file.encode()

    async def _reach(self, call: Any) -> Any:
        world, process = self._process.world, self._process
        fate = world.fate("slack")
        await process.pass_time(world.wire_delay)
        if fate == "limit":
            raise Busy("ratelimited", 1.0, is_asked=True)
        if fate in ("fault", "lost"):
            await asyncio.sleep(0.5 if fate == "fault" else 15.0)
            raise Busy(fate, 1.0, is_unsure=True)
        found = call()
        await process.pass_time(world.wire_delay)
        if fate == "broken":
            world.doubts["call"] += 1
            raise Busy("broken after the call", 1.0, is_unsure=True)
        return found


class Context:
    """The adapter's listeners without the library's connection."""

    def __init__(self, process: Process) -> None:
        self._process, self._world = process, process.world
        wire = SimWire(process)
        teams = Teams(clock=process.loop.time)
        for team in ("T1", "T2"):
            teams.add(Team(team, f"xoxb-{team}", BOT, "BBOT", team))
        self.work = RequestHandler(process.app, wire, teams)
        self._listeners = Listeners(self.work)
        self._beside: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        """What begins with the connection."""
        owed = watch(self.work.app.receipts, PLATFORM, self._listeners.answer_receipt)
        self._beside = [asyncio.create_task(work) for work in (self.work.posts.outbox.run(), owed)]

    async def take(self, request: Request) -> None:
        """One delivery of what somebody did, until all that it led to is done."""

        async def ack(*_: Any, **__: Any) -> None:
            await self._process.pass_time(None)
            if request.receipt is None and self._world.loop.time() - request.at <= ACK_LIMIT:
                request.receipt = self._world.loop.time()

        if request.is_press:
            await self._listeners.on_action(ack, pressed(request))
        elif request.file:
            await self._listeners.on_mention(ack, written(request))
        else:
            await self._listeners.on_command(ack, typed(request))

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being worked on."""
        return self.work.idle.is_set()


def typed(request: Request) -> Json:
    """A slash command as Slack sends it."""
    return {
        "command": "/grognard",
        "text": request.doing,
        "team_id": request.spot.server,
        "channel_id": request.spot.channel,
        "channel_name": request.spot.channel,
        "user_id": slack_id(request.who),
        "user_name": request.who,
        "trigger_id": request.token,
        "response_url": f"hook{request.number}",
    }


def written(request: Request) -> Json:
    """A message that names the bot, with a file."""
    event = {
        "type": "app_mention",
        "ts": f"{request.token}.0",
        "channel": request.spot.channel,
        "user": slack_id(request.who),
        "text": f"<@{BOT}> {request.doing}",
        "files": [{"name": "game.json", "url_private": str(request.number)}],
    }
    return {"team_id": request.spot.server, "event": event}


def pressed(request: Request) -> Json:
    """A press as Slack sends it."""
    message = request.message
    assert message is not None
    box = {"message_ts": f"{message.number}.0", "channel_id": request.spot.channel}
    return {
        "type": "block_actions",
        "team": {"id": request.spot.server},
        "user": {"id": slack_id(request.who), "username": request.who},
        "channel": {"id": request.spot.channel},
        "container": box,
        "message": {}
        if message.viewer
        else {"text": message.text, "blocks": message.body.get("blocks", [])},
        "trigger_id": request.token,
        "response_url": f"hook{request.number}",
        "actions": [{"action_id": f"a:{request.doing}", "value": request.doing}],
    }
