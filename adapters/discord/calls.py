"""HTTP calls that answer interactions, with the interaction's own token and without rate limits of
ours.

An answer is due within three seconds and exactly once, so a caller must know how a call failed.
The library's own calls wait a second before they repeat one, and hide whether a broken call was
carried out.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from discord.http import Route

from adapters.discord.render import DiscordMessage
from adapters.discord.request import DiscordRequest, Json
from bot.ui.reply.reply import File

log = logging.getLogger(__name__)


class ResponseType(IntEnum):
    """Discord's types of first responses to an interaction."""

    MESSAGE = 4
    THINKING = 5
    DEFER_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    FORM = 9


ANSWERED_BEFORE, UNKNOWN_INTERACTION = 40060, 10062
UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE = 10015, 10008
USER_AGENT = "DiscordBot (https://example.org/grognard, 0.1)"
MOST_ALT = 1_024
"""Maximum number of characters that describe a file."""
BROKEN = (aiohttp.ClientError, OSError)
"""Errors of a call if its connection breaks, in the library's own calls as well. A server that
hangs up raises no OSError.
"""
_FILE_HOSTS = ("cdn.discordapp.com", "media.discordapp.net")
_ATTEMPT = 2.0
"""Seconds that one attempt of a first response may take."""
_RETRY_SECONDS = 6.0
"""Seconds within which any other call is repeated."""
_RECEIPT_LIMIT = 3.2
"""Seconds after the interaction within which a first response is repeated. Discord takes it for 3
seconds after the click.
"""


class DiscordRefused(Exception):
    """A refusal by Discord: `code` is its own code, `status` the one of HTTP.

    `retry_after` is in seconds, 0 if Discord did not ask to wait.
    """

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
    """A call that broke or timed out, so that nobody knows whether it was carried out."""


class DiscordApi:
    """Calls with an interaction's own token."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def respond(
        self,
        request: DiscordRequest,
        kind: ResponseType,
        message: DiscordMessage | None = None,
        data: Json | None = None,
    ) -> Json | None:
        """Send the first response, with `message` or plain `data`.

        Return Discord's description of the response: {} if it arrived by a call that broke, None
        if a duplicate delivery of the interaction had responded before. Raises DiscordRefused
        (UNKNOWN_INTERACTION if it came too late), or Unsure if every call broke until the time was
        up.
        """
        body: Json = {"type": kind}
        files: Sequence[File] = ()
        if message is not None:
            body["data"] = message.body
            files = message.files
        elif data is not None:
            body["data"] = data
        path = f"/interactions/{request.id}/{request.token}/callback?with_response=true"
        call = partial(self._call_once, "POST", path, body, files, "data")
        try:
            return await self._call_repeatedly(call, lambda: _RECEIPT_LIMIT - request.age, 0.1)
        except DiscordRefused as refused:
            if refused.code != ANSWERED_BEFORE:
                raise
            return None

    async def edit(
        self, request: DiscordRequest, message: DiscordMessage, which: str = "@original"
    ) -> Json:
        """Change the message with the id `which`, by default the answer (or the message with the
        pressed button). Return the changed message.

        Raises DiscordRefused or Unsure.
        """
        return await self._with_retries("PATCH", self._build_message_path(request, which), message)

    async def follow_up(self, request: DiscordRequest, message: DiscordMessage) -> Json:
        """Send a further message and return it. Raises DiscordRefused or Unsure."""
        path = f"/webhooks/{request.application}/{request.token}?wait=true"
        return await self._with_retries("POST", path, message)

    async def delete(self, request: DiscordRequest) -> None:
        """Delete the answer. Raises DiscordRefused or Unsure."""
        await self._with_retries("DELETE", self._build_message_path(request, "@original"), None)

    async def get_original(self, request: DiscordRequest) -> Json:
        """Return the message that is shown as the answer now. Raises DiscordRefused or Unsure."""
        return await self._with_retries("GET", self._build_message_path(request, "@original"), None)

    async def download(self, url: str, limit: int) -> bytes:
        """Return the content of an attached file, at most `limit` bytes.

        Raises ValueError if it is larger, and Unsure if it cannot be fetched. Only Discord's own
        servers are asked; any other address raises Unsure.
        """
        if not _is_discord_url(url):
            raise Unsure("the file is not on Discord")
        try:
            timeout = aiohttp.ClientTimeout(total=10)
            async with self._session.get(url, timeout=timeout, allow_redirects=False) as answer:
                answer.raise_for_status()
                if answer.status != 200:
                    raise Unsure(f"status {answer.status}")
                data = b""
                while len(data) <= limit:
                    chunk = await answer.content.read(limit + 1 - len(data))
                    if not chunk:
                        break
                    data += chunk
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unsure(type(error).__name__) from error
        if len(data) > limit:
            raise ValueError("too large")
        return data

    def _build_message_path(self, request: DiscordRequest, which: str) -> str:
        return f"/webhooks/{request.application}/{request.token}/messages/{which}"

    async def _with_retries(self, method: str, path: str, message: DiscordMessage | None) -> Json:
        """Make a call, repeated for up to _RETRY_SECONDS seconds if Discord refuses it for now.

        A broken call is repeated as well, except a POST, which may have been carried out.
        """
        body = message.body if message else None
        files = message.files if message else ()
        clock = asyncio.get_running_loop().time
        deadline = clock() + _RETRY_SECONDS
        call = partial(self._call_once, method, path, body, files, "", timeout=10)
        return await self._call_repeatedly(
            call, lambda: deadline - clock(), 0.25, twice=method != "POST"
        )

    async def _call_repeatedly(
        self,
        call: Callable[[], Awaitable[Json]],
        get_seconds_left: Callable[[], float],
        wait: float,
        *,
        twice: bool = True,
    ) -> Json:
        """Repeat a call until it succeeds, and return its answer.

        A call that is refused for now is repeated, first after `wait` seconds, while
        `get_seconds_left` allows it. A broken call is repeated only if it may be done `twice`; if
        Discord then says that the response is there already, it is ours, and the answer is {}.
        Raises DiscordRefused for a lasting refusal, Unsure if the time is up or a broken call may
        not be repeated.
        """
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
            if pause > get_seconds_left():
                raise Unsure(problem)
            await asyncio.sleep(pause)
            wait *= 2

    async def _call_once(
        self,
        method: str,
        path: str,
        body: Json | None,
        files: Sequence[File],
        message_key: str,
        timeout: float = _ATTEMPT,
    ) -> Json:
        """Make one call and return its JSON answer.

        `files` are the message's, which is `body[message_key]`, or the whole body if the key is
        "". `timeout` is in seconds; files add 20. Raises DiscordRefused, or Unsure if the call
        broke.
        """
        data: Any = None
        headers = {}
        if files and body is not None:
            data = aiohttp.FormData(quote_fields=False)
            for field in build_form_fields(body, files, message_key):
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
        content = _parse_body(text)
        if status < 300:
            return content
        raise _build_refusal(status, content, header)


def _is_discord_url(url: str) -> bool:
    """Return whether an address is on Discord's file servers, or on the server that our API calls
    go to.
    """
    try:
        address = urlsplit(url)
        api = urlsplit(Route.BASE)
    except ValueError:
        return False
    if address.scheme == "https" and address.hostname in _FILE_HOSTS:
        return True
    return (address.scheme, address.netloc) == (api.scheme, api.netloc)


def _build_refusal(status: int, answer: Json, header: str | None) -> DiscordRefused:
    """Build the exception for a refusal by its JSON answer and its Retry-After header."""
    wait = 0.0
    if status == 429:
        wait = float(answer.get("retry_after") or header or 1)
    code = int(answer.get("code") or 0)
    message = str(answer.get("message") or "")[:200]
    return DiscordRefused(status, code, message, wait)


def _parse_body(text: str) -> Json:
    """Parse a JSON object. Return {} for any other text."""
    try:
        content = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def build_form_fields(body: Json, files: Sequence[File], message_key: str = "") -> list[Json]:
    """Build the fields of a multipart form for a body and files.

    The message is `body[message_key]`, or the whole body without a key. It lists each file with
    its name and, for a picture, its description.
    """
    attachments = list[Json]()
    file_fields = list[Json]()
    for number, file in enumerate(files):
        alt = {"description": file.alt[:MOST_ALT]} if file.alt else {}
        attachments.append({"id": number, "filename": file.name} | alt)
        file_field = {"name": f"files[{number}]", "value": file.data, "filename": file.name}
        file_fields.append(file_field | {"content_type": "application/octet-stream"})
    if message_key:
        payload = body | {message_key: body[message_key] | {"attachments": attachments}}
    else:
        payload = body | {"attachments": attachments}
    payload_field = {
        "name": "payload_json",
        "value": json.dumps(payload),
        "content_type": "application/json",
    }
    return [payload_field, *file_fields]
