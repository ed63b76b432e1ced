"""Calls to Slack, every failure told apart: wait, try again, or never."""

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from adapters.slack.request import Json

API = "https://slack.com/api/"
MAX_WAIT = 3_600.0
_TIMEOUT = 15
_BROKEN = (
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    RuntimeError,
)  # the last where the session is closed
_OUTSIDE = (
    "not_in_channel",
    "channel_not_found",
    "is_archived",
    "user_not_in_channel",
    "restricted_action",
)


class Busy(Exception):
    """The same call may succeed in `seconds`. `is_asked`: Slack asks to wait so long; else it could
    not be reached.

    `is_unsure`: the call broke, or Slack did, so that nobody knows whether it was done.
    """

    def __init__(
        self, what: str, seconds: float, *, is_asked: bool = False, is_unsure: bool = False
    ) -> None:
        super().__init__(what)
        self.is_unsure = is_unsure
        self.seconds = min(max(seconds, 0.0), MAX_WAIT)
        self.is_asked = is_asked


class SlackRefused(Exception):
    """Slack said no, and will say so again; `faults` are what it finds wrong with the blocks,
    where it says so.
    """

    def __init__(self, error: str, faults: tuple[str, ...] = ()) -> None:
        super().__init__(error)
        self.error = error
        self.faults = faults

    @property
    def is_outside(self) -> bool:
        """Return whether the bot may not post there: it is not a member, most of all."""
        return self.error in _OUTSIDE


def get_api_url() -> str:
    """Where Slack's Web API is; tests put their own in its place."""
    return os.environ.get("SLACK_API", API)


def get_authorize_url() -> str:
    """The page on which a person agrees to an installation."""
    return get_api_url().removesuffix("api/") + "oauth/v2/authorize"


class SlackApi:
    """All calls of this process, over one session. A session that something closed is replaced."""

    def __init__(self, *traces: aiohttp.TraceConfig) -> None:
        """`traces` hear of each call."""
        self._traces = traces
        self._clients = WeakSet[AsyncWebClient]()
        self._is_closed = False
        self._session = self._create_session()

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session for the next call."""
        if self._session.closed and not self._is_closed:
            self._use_new_session()
        return self._session

    async def renew(self) -> None:
        """Start a new session and end the one before, which may be broken although it is open."""
        old_session = self._session
        self._use_new_session()
        await old_session.close()

    async def close(self) -> None:
        """Let the connections go."""
        self._is_closed = True
        await self._session.close()

    def create_client(self, token: str = "") -> AsyncWebClient:
        """Return a client of the library with this token. It repeats nothing by itself."""
        client = AsyncWebClient(
            token=token or None, base_url=get_api_url(), session=self.session, retry_handlers=[]
        )
        self._clients.add(client)
        return client

    def _create_session(self) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT)
        connector = aiohttp.TCPConnector(limit=40)
        return aiohttp.ClientSession(
            timeout=timeout, connector=connector, trace_configs=list(self._traces)
        )

    def _use_new_session(self) -> None:
        self._session = self._create_session()
        for client in self._clients:  # the library keeps one of them for as long as the bot runs
            client.session = self._session

    async def call(self, token: str, method: str, **arguments: Any) -> Json:
        """What a method answers that takes JSON. Raises Busy, Refused."""
        return await self._call(token, method, {"json": arguments})

    async def get_scopes(self, token: str) -> tuple[Json, str]:
        """Who a token is, and what it may do: scopes separated by commas. Raises Busy, Refused."""
        answer = await self._call_client(token, "auth.test", {"data": {}})
        return _get_data(answer), str(answer.headers.get("X-OAuth-Scopes", ""))

    async def call_with_form(self, token: str, method: str, **arguments: Any) -> Json:
        """What a method answers that takes a form: those that only read, most of all. Raises
        Busy, Refused.
        """
        return await self._call(token, method, {"data": arguments})

    async def _call(self, token: str, method: str, arguments: Json) -> Json:
        return _get_data(await self._call_client(token, method, arguments))

    async def _call_client(self, token: str, method: str, arguments: Json) -> AsyncSlackResponse:
        try:
            return await self.create_client(token).api_call(method, **arguments)
        except SlackApiError as error:
            raise _translate_error(error) from None
        except (*_BROKEN, ValueError) as error:
            raise Busy(
                f"{method}: {type(error).__name__}", 1.0, is_unsure=_is_unsure(error)
            ) from None

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Post to a response address, which is Slack's own. Raises Busy, Refused."""
        if not _is_slack_url(url):
            raise SlackRefused("response_url_elsewhere")
        await self._post(url, "response_url", json=body)

    async def upload(self, url: str, data: bytes) -> None:
        """Post the bytes of a file; where that broke they are sent anew. Raises Busy, Refused."""
        await self._post(url, "upload", data=data)

    async def _post(self, url: str, what: str, **body: Any) -> None:
        try:
            async with self.session.post(url, **body) as answer:
                _check_response(answer, what, await answer.text())
        except _BROKEN as error:
            is_unsure = "json" in body and _is_unsure(error)
            raise Busy(f"{what}: {type(error).__name__}", 1.0, is_unsure=is_unsure) from None

    async def download(self, token: str, url: str, limit: int) -> bytes:
        """A file that somebody shared, at most `limit` bytes. Raises Busy, Refused, ValueError if
        it is larger.

        The token goes to Slack alone: a file that is only linked may be on anybody's server.
        """
        if not _is_slack_url(url):
            raise SlackRefused("file_elsewhere")
        try:
            headers = {"Authorization": f"Bearer {token}"}
            async with self.session.get(url, headers=headers, allow_redirects=False) as answer:
                if answer.status != 200:
                    raise SlackRefused(f"download {answer.status}")
                data = b""
                async for part in answer.content.iter_chunked(65_536):
                    data += part
                    if len(data) > limit:
                        raise ValueError("too large")
                return data
        except _BROKEN as error:
            raise Busy(f"download: {type(error).__name__}", 1.0) from None


def _get_data(answer: AsyncSlackResponse) -> Json:
    return answer.data if isinstance(answer.data, dict) else {}


def _is_unsure(error: Exception) -> bool:
    """Return whether a call that broke may have been done: not where there was no connection at
    all.
    """
    return not isinstance(error, aiohttp.ClientConnectorError)


def _is_slack_url(url: str) -> bool:
    """Return whether an address is on Slack's servers, reached as the Web API is."""
    slack = urlsplit(get_api_url())
    there = urlsplit(url)
    host = there.hostname or ""
    own = slack.hostname or "-"
    return there.scheme == slack.scheme and (host == own or host.endswith(f".{own}"))


def _translate_error(error: SlackApiError) -> Exception:
    response = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    code = (
        str(response.get("error", "") if not isinstance(response, str) else "") or f"http_{status}"
    )
    if status == 429 or code == "ratelimited":
        return Busy(
            "ratelimited", _get_retry_seconds(getattr(response, "headers", {})), is_asked=True
        )
    if status >= 500 or code in (
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
    ):
        return Busy(code, 1.0, is_unsure=True)
    return SlackRefused(code, _list_faults({} if isinstance(response, str) else response.data))


def _list_faults(data: Any) -> tuple[str, ...]:
    """What Slack says of blocks: a text, or a pointer and a message (`blocks.validate`)."""
    found = (
        (data.get("errors") or (data.get("response_metadata") or {}).get("messages") or ())
        if data
        else ()
    )
    told = (
        f"{one.get('message')} [json-pointer:{one.get('pointer')}]"
        if isinstance(one, dict)
        else one
        for one in found
    )
    return tuple(map(str, told))


def _check_response(answer: aiohttp.ClientResponse, what: str, text: str) -> None:
    if answer.status == 429:
        raise Busy("ratelimited", _get_retry_seconds(answer.headers), is_asked=True)
    if answer.status >= 500:
        raise Busy(f"{what} {answer.status}", 1.0, is_unsure=True)
    said = _find_error_name(text)
    if answer.status != 200 or said:
        raise SlackRefused(said or f"{what} {answer.status}")


def _find_error_name(text: str) -> str:
    """The error that a body names as JSON; "" where it names none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return str(found.get("error") or "") if isinstance(found, dict) else ""


def _get_retry_seconds(headers: Mapping[str, Any]) -> float:
    """Retry-After, by which Slack asks to wait."""
    try:
        return float(headers.get("Retry-After", 1.0))
    except ValueError:
        return 1.0
