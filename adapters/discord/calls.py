"""The calls that answer interactions: no bot token, no rate limit of ours, every failure told
apart.

The library's own calls wait a second before they repeat one, and hide whether a broken call was
done; an answer that is due within three seconds, exactly once, needs to know.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from discord.http import Route

from adapters.discord.render import DiscordMessage
from adapters.discord.request import DiscordRequest, Json
from bot.ui.reply.reply import File

log = logging.getLogger(__name__)

MESSAGE, THINKING, DEFER_UPDATE, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9
ANSWERED_BEFORE, UNKNOWN_INTERACTION = 40060, 10062
UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE = 10015, 10008
USER_AGENT = "DiscordBot (https://example.org/grognard, 0.1)"
MOST_ALT = 1_024
BROKEN = (aiohttp.ClientError, OSError)
"""What a call raises whose connection broke, of the library's own too; a server that hangs up is
no OSError.
"""
_FILE_HOSTS = ("cdn.discordapp.com", "media.discordapp.net")
_ATTEMPT = 2.0
_PATIENCE = 6.0
_RECEIPT_LIMIT = 3.2  # Discord gives 3 seconds from the click; what is later has no chance


class DiscordRefused(Exception):
    """Discord said no: `code` is its own code, `status` the one of HTTP."""

    def __init__(self, status: int, code: int, message: str, retry_after: float = 0.0) -> None:
        super().__init__(f"{status} {code} {message}")
        self.status = status
        self.code = code
        self.retry_after = retry_after

    @property
    def is_temporary(self) -> bool:
        """Return whether the same call may succeed in a moment."""
        return self.status == 429 or self.status >= 500


class Unsure(Exception):
    """The call broke or timed out: nobody knows whether it was done."""


class DiscordApi:
    """Calls with an interaction's own token."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def respond(
        self,
        request: DiscordRequest,
        kind: int,
        message: DiscordMessage | None = None,
        data: Json | None = None,
    ) -> Json | None:
        """Send the first response; None if there was one already, by a duplicate delivery (our own
        repeat is none).

        What comes back tells where it is, unless the call broke. Raises Refused
        (UNKNOWN_INTERACTION when it came too late), Unsure when it broke until the time was up.
        """
        body: Json = {"type": kind}
        if message is not None or data is not None:
            body["data"] = message.body if message is not None else data
        path = f"/interactions/{request.id}/{request.token}/callback?with_response=true"
        call = partial(
            self._call_once, "POST", path, body, message.files if message else (), "data"
        )
        try:
            return await self._call_repeatedly(call, lambda: _RECEIPT_LIMIT - request.age, 0.1)
        except DiscordRefused as refused:
            if refused.code != ANSWERED_BEFORE:
                raise
            return None

    async def edit(
        self, request: DiscordRequest, message: DiscordMessage, which: str = "@original"
    ) -> Json:
        """Change the answer, or the message with the button. Raises Refused, Unsure."""
        return await self._with_retries("PATCH", self._build_message_path(request, which), message)

    async def follow_up(self, request: DiscordRequest, message: DiscordMessage) -> Json:
        """Send a further message. Raises Refused, Unsure."""
        return await self._with_retries(
            "POST", f"/webhooks/{request.application}/{request.token}?wait=true", message
        )

    async def delete(self, request: DiscordRequest) -> None:
        """Take the answer away. Raises Refused, Unsure."""
        await self._with_retries("DELETE", self._build_message_path(request, "@original"), None)

    async def get_original(self, request: DiscordRequest) -> Json:
        """What is shown as the answer now. Raises Refused, Unsure."""
        return await self._with_retries("GET", self._build_message_path(request, "@original"), None)

    async def download(self, url: str, limit: int) -> bytes:
        """A file that somebody attached, at most `limit` bytes. Raises Unsure, or ValueError if it
        is larger.

        Only Discord's own servers are asked, whatever address the payload gives.
        """
        if not _is_discord_url(url):
            raise Unsure("the file is elsewhere")
        try:
            timeout = aiohttp.ClientTimeout(total=10)
            async with self._session.get(url, timeout=timeout, allow_redirects=False) as answer:
                answer.raise_for_status()
                if answer.status != 200:
                    raise Unsure(f"status {answer.status}")
                data = await answer.content.read(limit + 1)
                while len(data) <= limit and (
                    more := await answer.content.read(limit + 1 - len(data))
                ):
                    data += more
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unsure(type(error).__name__) from error
        if len(data) > limit:
            raise ValueError("too large")
        return data

    def _build_message_path(self, request: DiscordRequest, which: str) -> str:
        return f"/webhooks/{request.application}/{request.token}/messages/{which}"

    async def _with_retries(self, method: str, path: str, message: DiscordMessage | None) -> Json:
        """Repeat what was refused for now; a POST that broke is not repeated, it may have been
        done.
        """
        body, files = (message.body, message.files) if message else (None, ())
        clock = asyncio.get_running_loop().time
        end = clock() + _PATIENCE
        call = partial(self._call_once, method, path, body, files, "", timeout=10)
        return await self._call_repeatedly(
            call, lambda: end - clock(), 0.25, twice=method != "POST"
        )

    async def _call_repeatedly(
        self,
        call: Callable[[], Awaitable[Json]],
        left: Callable[[], float],
        wait: float,
        *,
        twice: bool = True,
    ) -> Json:
        """Repeat a call that was refused for now, while there are seconds left; one that broke if
        it may be done `twice`: a first response that is there already is then ours. Raises Refused,
        Unsure."""
        broke = False
        while True:
            try:
                return await call()
            except DiscordRefused as refused:
                if broke and refused.code == ANSWERED_BEFORE:
                    return {}
                if not refused.is_temporary:
                    raise
                pause = refused.retry_after or wait
                problem = str(refused)
            except Unsure as unsure:
                if not twice:
                    raise
                broke = True
                pause = wait
                problem = str(unsure)
            if pause > left():
                raise Unsure(problem)
            await asyncio.sleep(pause)
            wait *= 2

    async def _call_once(
        self,
        method: str,
        path: str,
        body: Json | None,
        files: Sequence[File],
        inside: str,
        timeout: float = _ATTEMPT,
    ) -> Json:
        data: Any = None
        headers = {}
        if files and body is not None:
            data = aiohttp.FormData(quote_fields=False)
            for field in build_form_fields(body, files, inside):
                data.add_field(**field)
        elif body is not None:
            data = json.dumps(body).encode()
            headers = {"Content-Type": "application/json"}
        try:
            limit = aiohttp.ClientTimeout(total=timeout + (20 if files else 0))
            url = Route.BASE + path
            async with self._session.request(
                method, url, data=data, headers=headers, timeout=limit
            ) as answer:
                text = await answer.text()
                status = answer.status
                header = answer.headers.get("Retry-After")
        except BROKEN as error:
            raise Unsure(type(error).__name__) from error
        found = _parse_body(text)
        if status < 300:
            return found
        raise _build_refusal(status, found, header)


def _is_discord_url(url: str) -> bool:
    """Return whether an address is on Discord's file servers, or where its API was pointed to."""
    try:
        there = urlsplit(url)
        api = urlsplit(Route.BASE)
    except ValueError:
        return False
    if there.scheme == "https" and there.hostname in _FILE_HOSTS:
        return True
    return (there.scheme, there.netloc) == (api.scheme, api.netloc)


def _build_refusal(status: int, found: Mapping[str, Any], header: str | None) -> DiscordRefused:
    wait = float(found.get("retry_after") or header or 1) if status == 429 else 0.0
    return DiscordRefused(
        status, int(found.get("code") or 0), str(found.get("message") or "")[:200], wait
    )


def _parse_body(text: str) -> Json:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def build_form_fields(body: Json, files: Sequence[File], inside: str = "") -> list[Json]:
    """Body and files as the fields of a form; `inside` of the body is the message. Each file is
    told of beside its bytes: its name, and in words what a picture shows."""
    listed = list[Json]()
    made = list[Json]()
    for number, file in enumerate(files):
        alt = {"description": file.alt[:MOST_ALT]} if file.alt else {}
        listed.append({"id": number, "filename": file.name} | alt)
        named = {"name": f"files[{number}]", "value": file.data, "filename": file.name}
        made.append(named | {"content_type": "application/octet-stream"})
    message = (body[inside] if inside else body) | {"attachments": listed}
    whole = json.dumps(body | {inside: message} if inside else message)
    return [{"name": "payload_json", "value": whole, "content_type": "application/json"}, *made]
