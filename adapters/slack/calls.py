"""Calls to Slack that tell failures apart: wait, try again, or refused for good."""

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
# a closed session raises RuntimeError
_BROKEN = (aiohttp.ClientError, TimeoutError, OSError, RuntimeError)
_OUTSIDE = (
    "not_in_channel",
    "channel_not_found",
    "is_archived",
    "user_not_in_channel",
    "restricted_action",
)


class Busy(Exception):
    """A call that failed for now, and may succeed in `seconds`.

    `is_asked`: Slack asked to wait that long; else it could not be reached. `is_unsure`: the
    connection broke, or Slack had an error, so that nobody knows whether the call was carried out.
    """

    def __init__(
        self, problem: str, seconds: float, *, is_asked: bool = False, is_unsure: bool = False
    ) -> None:
        super().__init__(problem)
        self.is_unsure = is_unsure
        self.seconds = min(max(seconds, 0.0), MAX_WAIT)
        self.is_asked = is_asked


class SlackRefused(Exception):
    """A lasting refusal by Slack.

    `error` is Slack's name for it, `faults` lists what Slack found wrong with blocks, if it said
    so.
    """

    def __init__(self, error: str, faults: tuple[str, ...] = ()) -> None:
        super().__init__(error)
        self.error = error
        self.faults = faults

    @property
    def is_outside(self) -> bool:
        """Return whether the bot may not post in the channel, usually because it is not a
        member.
        """
        return self.error in _OUTSIDE


def get_api_url() -> str:
    """Return the base address of Slack's Web API. SLACK_API replaces it, for tests."""
    return os.environ.get("SLACK_API", API)


def get_authorize_url() -> str:
    """Return the address of the page on which a person agrees to an installation."""
    return get_api_url().removesuffix("api/") + "oauth/v2/authorize"


class SlackApi:
    """All calls of this process to Slack, over one HTTP session. A closed session is replaced."""

    def __init__(self, *traces: aiohttp.TraceConfig) -> None:
        """Open the session. `traces` are informed of each call."""
        self._traces = traces
        self._clients = WeakSet[AsyncWebClient]()
        self._is_closed = False
        self._session = self._create_session()

    @property
    def session(self) -> aiohttp.ClientSession:
        """The session for the next call, a new one if it was closed."""
        if self._session.closed and not self._is_closed:
            self._use_new_session()
        return self._session

    async def renew(self) -> None:
        """Open a new session and close the old one, which may be broken although it is open."""
        old_session = self._session
        self._use_new_session()
        await old_session.close()

    async def close(self) -> None:
        """Close the session for good."""
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
        """Create the session that carries all calls, with its time limit and at most 40
        connections.
        """
        timeout = aiohttp.ClientTimeout(total=_TIMEOUT)
        connector = aiohttp.TCPConnector(limit=40)
        return aiohttp.ClientSession(
            timeout=timeout, connector=connector, trace_configs=list(self._traces)
        )

    def _use_new_session(self) -> None:
        """Open a new session and give it to all clients. The old one stays open."""
        self._session = self._create_session()
        for client in self._clients:  # the library keeps one of them for as long as the bot runs
            client.session = self._session

    async def call(self, token: str, method: str, **arguments: Any) -> Json:
        """Call a method with its arguments as JSON and return the answer.

        Raises Busy or SlackRefused.
        """
        return await self._call(token, method, {"json": arguments})

    async def get_scopes(self, token: str) -> tuple[Json, str]:
        """Return Slack's description of a token's user, and the token's scopes, separated by
        commas. Raises Busy or SlackRefused.
        """
        answer = await self._call_client(token, "auth.test", {"data": {}})
        return _get_data(answer), str(answer.headers.get("X-OAuth-Scopes", ""))

    async def call_with_form(self, token: str, method: str, **arguments: Any) -> Json:
        """Call a method with its arguments as a form and return the answer.

        Most methods that only read need a form. Raises Busy or SlackRefused.
        """
        return await self._call(token, method, {"data": arguments})

    async def _call(self, token: str, method: str, arguments: Json) -> Json:
        return _get_data(await self._call_client(token, method, arguments))

    async def _call_client(self, token: str, method: str, arguments: Json) -> AsyncSlackResponse:
        """Call a method and return the library's answer. Raises Busy or SlackRefused."""
        try:
            return await self.create_client(token).api_call(method, **arguments)
        except SlackApiError as error:
            raise _translate_error(error) from None
        except (*_BROKEN, ValueError) as error:
            problem = f"{method}: {type(error).__name__}"
            raise Busy(problem, 1.0, is_unsure=_is_unsure(error)) from None

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Post a message to a response address.

        Raises Busy or SlackRefused, the latter also for an address that is not Slack's.
        """
        if not _is_slack_url(url):
            raise SlackRefused("response_url_elsewhere")
        await self._post(url, "response_url", json=body)

    async def upload(self, url: str, data: bytes) -> None:
        """Upload the content of a file. A broken upload can simply be repeated, so it never counts
        as unsure.

        Raises Busy or SlackRefused.
        """
        await self._post(url, "upload", data=data)

    async def _post(self, url: str, name: str, **body: Any) -> None:
        """Post a body to an address. `name` stands for the address in errors.

        Raises Busy or SlackRefused.
        """
        try:
            async with self.session.post(url, **body) as answer:
                _check_response(answer, name, await answer.text())
        except _BROKEN as error:
            is_unsure = "json" in body and _is_unsure(error)
            raise Busy(f"{name}: {type(error).__name__}", 1.0, is_unsure=is_unsure) from None

    async def download(self, token: str, url: str, limit: int) -> bytes:
        """Return the content of a shared file, at most `limit` bytes.

        Raises ValueError if it is larger, Busy if the call broke, and SlackRefused for any other
        failure and for an address outside Slack: a file that is only linked may be on any server,
        and the token is sent to Slack alone.
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
    """Return whether a broken call may have been carried out. Without a connection it was not."""
    return not isinstance(error, aiohttp.ClientConnectorError)


def _is_slack_url(url: str) -> bool:
    """Return whether an address has the scheme of the Web API and its host or a host below it."""
    slack = urlsplit(get_api_url())
    address = urlsplit(url)
    host = address.hostname or ""
    slack_host = slack.hostname or "-"
    is_slack_host = host == slack_host or host.endswith(f".{slack_host}")
    return address.scheme == slack.scheme and is_slack_host


_SLACK_FAILURES = ("internal_error", "fatal_error", "service_unavailable", "request_timeout")
"""Error names of Slack's for a failure on its side."""


def _translate_error(error: SlackApiError) -> Exception:
    """Return the Busy or SlackRefused for an error of the library."""
    response = error.response
    status = int(getattr(response, "status_code", 0) or 0)
    code = "" if isinstance(response, str) else str(response.get("error", ""))
    code = code or f"http_{status}"
    if status == 429 or code == "ratelimited":
        seconds = _get_retry_seconds(getattr(response, "headers", {}))
        return Busy("ratelimited", seconds, is_asked=True)
    if status >= 500 or code in _SLACK_FAILURES:
        return Busy(code, 1.0, is_unsure=True)
    data = {} if isinstance(response, str) else response.data
    return SlackRefused(code, _list_faults(data))


def _list_faults(data: Any) -> tuple[str, ...]:
    """List what Slack found wrong with blocks, each with a pointer to the block if Slack gave one;
    () if its answer names nothing.
    """
    if not data:
        return ()
    metadata = data.get("response_metadata") or {}
    errors = data.get("errors") or metadata.get("messages") or ()
    faults = []
    for error in errors:
        if isinstance(error, dict):  # an answer of `blocks.validate`
            faults.append(f"{error.get('message')} [json-pointer:{error.get('pointer')}]")
        else:
            faults.append(str(error))
    return tuple(faults)


def _check_response(answer: aiohttp.ClientResponse, name: str, text: str) -> None:
    """Raise Busy or SlackRefused unless the answer is a success. `name` stands for its address."""
    if answer.status == 429:
        raise Busy("ratelimited", _get_retry_seconds(answer.headers), is_asked=True)
    if answer.status >= 500:
        raise Busy(f"{name} {answer.status}", 1.0, is_unsure=True)
    error = _find_error_name(text)
    if answer.status != 200 or error:
        raise SlackRefused(error or f"{name} {answer.status}")


def _find_error_name(text: str) -> str:
    """Return the error that a JSON body names, or ""."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return str(content.get("error") or "") if isinstance(content, dict) else ""


def _get_retry_seconds(headers: Mapping[str, Any]) -> float:
    """Return the seconds of Retry-After, by which Slack asks to wait, or 1."""
    try:
        return float(headers.get("Retry-After", 1.0))
    except ValueError:
        return 1.0
