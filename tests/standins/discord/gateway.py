"""The gateway websocket: sessions, shards, heartbeats, resume, and every way to lose a
connection.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import zlib
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.standins.discord.clock import Signal
from tests.standins.discord.errors import Json
from tests.standins.discord.payloads import application_json, guild_json, user_json
from tests.standins.discord.settings import Settings
from tests.standins.discord.state import Guild, World

GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES = 1 << 0, 1 << 9, 1 << 12
PRIVILEGED = {"members": 1 << 1, "presences": 1 << 8, "message_content": 1 << 15}
ALL_INTENTS = (1 << 26) - 1

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE, RESUME = 0, 1, 2, 3, 4, 6
RECONNECT, MEMBERS, INVALID_SESSION, HELLO, ACK = 7, 8, 9, 10, 11


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """One heartbeat: when (monotonic seconds), on which shard, how late after the interval (None
    for the first).
    """

    at: float
    shard: int
    late: float | None


@dataclass(slots=True, eq=False)
class Session:
    """What one IDENTIFY began; it outlives its connections."""

    id: str
    shard: int
    shards: int
    intents: int
    log: list[Json] = field(default_factory=list)
    seq: int = 0
    link: Link | None = None
    resumable: bool = True

    def owns(self, guild: Guild | None) -> bool:
        """True if events of that server (None: a DM) belong to this shard."""
        return (0 if guild is None else (guild.id >> 22) % self.shards) == self.shard

    def dispatch(self, name: str, data: Json) -> None:
        """Number the event, keep it for a resume, and send it if someone is connected."""
        self.seq += 1
        packet = {"op": DISPATCH, "t": name, "s": self.seq, "d": data}
        self.log.append(packet)
        if self.link is not None:
            self.link.send(packet)


class Link:
    """One websocket."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request, compress: str) -> None:
        self.socket = socket
        self.request = request
        self.session: Session | None = None
        self.last_beat: float | None = None
        self.deaf = False  # nothing is sent any more, though the socket stays open
        self._deflate = zlib.compressobj() if compress == "zlib-stream" else None
        self._queue: asyncio.Queue[Json] = asyncio.Queue()
        self._sender = asyncio.create_task(self._send_all())

    def send(self, packet: Json) -> None:
        """Queue one packet."""
        self._queue.put_nowait(packet)

    async def _send_all(self) -> None:
        while True:
            packet = await self._queue.get()
            if self.deaf:
                continue
            text = json.dumps(packet)
            try:
                if self._deflate is None:
                    await self.socket.send_str(text)
                else:
                    data = self._deflate.compress(text.encode()) + self._deflate.flush(
                        zlib.Z_SYNC_FLUSH
                    )
                    await self.socket.send_bytes(data)
            except ConnectionError:
                return

    def detach(self) -> None:
        """Stop sending; the session goes on without a connection."""
        self._sender.cancel()
        if self.session is not None and self.session.link is self:
            self.session.link = None

    async def close(self, code: int) -> None:
        """Say goodbye with a close code."""
        self.detach()
        await self.socket.close(code=code)

    def cut(self) -> None:
        """Break the connection without a goodbye."""
        self.detach()
        if self.request.transport is not None:
            self.request.transport.abort()


class Gateway:
    """All sessions and connections."""

    def __init__(self, world: World, settings: Settings, changed: Signal) -> None:
        self._world = world
        self._settings = settings
        self._changed = changed
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.links: list[Link] = []
        self.heartbeats: list[Heartbeat] = []
        self.identifies: list[Json] = []
        self.identified: list[float] = []  # when, monotonic
        self.resumes: list[Json] = []
        self.closed: list[int | None] = []  # the client's close codes
        self.acknowledge = True  # False: heartbeats get no answer
        self.down = False  # True: no new connection is accepted

    async def connect(self, request: web.Request) -> web.StreamResponse:
        """Serve one websocket until it closes."""
        if self.down:
            return web.Response(status=503)
        # a killed client never says goodbye
        socket = web.WebSocketResponse(max_msg_size=0, timeout=0.2)
        await socket.prepare(request)
        link = Link(socket, request, request.query.get("compress", ""))
        self.links.append(link)
        link.send(
            {
                "op": HELLO,
                "d": {"heartbeat_interval": int(self._settings.heartbeat_interval * 1000)},
            }
        )
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self._receive(link, json.loads(message.data))
        finally:
            link.detach()
            self.links.remove(link)
            self.closed.append(socket.close_code)
            self._changed.fire()
        return socket

    async def _receive(self, link: Link, packet: Json) -> None:
        op: int = packet["op"]
        data: Any = packet.get("d")
        if op == HEARTBEAT:
            self._beat(link)
        elif op == IDENTIFY:
            await self._identify(link, data)
        elif op == RESUME:
            await self._resume(link, data)
        elif op not in (PRESENCE, VOICE, MEMBERS):
            await link.close(4001)
        self._changed.fire()

    def _beat(self, link: Link) -> None:
        now = time.monotonic()
        late = (
            None
            if link.last_beat is None
            else now - link.last_beat - self._settings.heartbeat_interval
        )
        link.last_beat = now
        self.heartbeats.append(Heartbeat(now, link.session.shard if link.session else 0, late))
        if self.acknowledge:
            link.send({"op": ACK})

    async def _identify(self, link: Link, data: Json) -> None:
        self.identifies.append(data)
        self.identified.append(time.monotonic())
        shard, shards = data.get("shard", [0, 1])
        intents: Any = data.get("intents")
        refusal = self._refusal(data, shard, shards)
        if link.session is not None:
            refusal = 4005
        if refusal is not None:
            await link.close(refusal)
            return
        session = Session(secrets.token_hex(8), shard, shards, int(intents), link=link)
        link.session = session
        self.sessions[session.id] = session
        guilds = [g for g in self._world.guilds.values() if g.has_bot and session.owns(g)]
        session.dispatch("READY", self._ready(session, guilds))
        if session.intents & GUILDS:
            for guild in guilds:
                if guild.available:
                    session.dispatch(
                        "GUILD_CREATE", guild_json(self._world, guild) | {"unavailable": False}
                    )

    def _refusal(self, data: Json, shard: int, shards: int) -> int | None:
        if data.get("token") != self._settings.token:
            return 4004
        intents = data.get("intents")
        if not isinstance(intents, int) or intents & ~ALL_INTENTS:
            return 4013
        allowed = sum(
            bit for name, bit in PRIVILEGED.items() if name in self._settings.privileged_intents
        )
        if intents & sum(PRIVILEGED.values()) & ~allowed:
            return 4014
        return None if 0 <= shard < shards else 4010

    def _ready(self, session: Session, guilds: list[Guild]) -> Json:
        return {
            "v": 10,
            "user": user_json(self._world.bot)
            | {"verified": True, "mfa_enabled": False, "email": None},
            "guilds": [{"id": str(g.id), "unavailable": True} for g in guilds],
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "session_type": "normal",
            "private_channels": [],
            "relationships": [],
            "shard": [session.shard, session.shards],
            "application": {
                k: v for k, v in application_json(self._world).items() if k in ("id", "flags")
            },
        }

    async def _resume(self, link: Link, data: Json) -> None:
        self.resumes.append(data)
        if data.get("token") != self._settings.token:
            await link.close(4004)
            return
        session = self.sessions.get(data.get("session_id") or "")
        if session is None or not session.resumable or (data.get("seq") or 0) > session.seq:
            link.send({"op": INVALID_SESSION, "d": False})
            return
        if session.link is not None:
            session.link.detach()
        link.session, session.link = session, link
        for packet in session.log:
            if packet["s"] > (data.get("seq") or 0):
                link.send(packet)
        session.dispatch("RESUMED", {})

    def dispatch(
        self, guild: Guild | None, name: str, data: Json, intents: int = ALL_INTENTS
    ) -> int:
        """Give an event to every session of its shard that asked for it; the number of sessions."""
        owners = [s for s in self.sessions.values() if s.owns(guild) and s.intents & intents]
        for session in owners:
            session.dispatch(name, data)
        return len(owners)

    @property
    def connected(self) -> list[Session]:
        """The sessions that have a connection now."""
        return [s for s in self.sessions.values() if s.link is not None]

    def drop(self) -> None:
        """Cut every connection without a close frame. Sessions can be resumed."""
        for link in list(self.links):
            link.cut()

    async def close(self, code: int) -> None:
        """Close every connection with `code` (4000 is unknown error: the client resumes)."""
        for link in list(self.links):
            await link.close(code)

    def ask_to_reconnect(self) -> None:
        """Send RECONNECT on every connection, as Discord does before it restarts a server."""
        for link in self.links:
            link.send({"op": RECONNECT, "d": None})

    def invalidate(self, *, resumable: bool) -> None:
        """Send INVALID_SESSION to all. Not resumable: the sessions and what they had queued are
        gone.
        """
        for session in list(self.sessions.values()):
            if not resumable:
                session.resumable = False
                del self.sessions[session.id]
            if session.link is not None:
                session.link.send({"op": INVALID_SESSION, "d": resumable})

    def forget(self) -> None:
        """Make every later RESUME fail, as after a long absence; connections stay."""
        for session in self.sessions.values():
            session.resumable = False

    def go_deaf(self) -> None:
        """Send nothing more on the present connections, not even heartbeat acknowledgements."""
        for link in self.links:
            link.deaf = True
