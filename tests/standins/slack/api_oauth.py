"""Installing through OAuth: the authorize page, where a person agrees, and oauth.v2.access."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from aiohttp import web

from .api import Call, Refused, method
from .settings import Json
from .workspace import new_id

if TYPE_CHECKING:
    from .standin import SlackStandIn
    from .user import User


@dataclass
class Grant:
    """A code given to the app by way of the browser."""

    user: User
    scopes: set[str]
    redirect_uri: str
    used: bool = False


class Authorize:
    """The page at /oauth/v2/authorize. The person is named by `standin_user`, which their
    browser adds.
    """

    def __init__(self, slack: SlackStandIn) -> None:
        self._slack = slack
        self.grants: dict[str, Grant] = {}

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Send the browser back to the app with a code, or with `access_denied`."""
        query = request.query
        back = query.get("redirect_uri") or self._slack.redirect_uri
        if query.get("client_id") != self._slack.client_id or not back:
            return web.Response(
                status=400, text="Invalid client_id parameter" if back else "bad_redirect_uri"
            )
        user = self._slack.person(query.get("standin_user", ""))
        if user is None:
            return web.Response(status=400, text="nobody is signed in: add standin_user")
        if query.get("standin_deny"):
            answer = {"error": "access_denied", "state": query.get("state", "")}
        else:
            code = new_id("")
            scopes = {one for one in query.get("scope", "").split(",") if one}
            self.grants[code] = Grant(user, scopes, query.get("redirect_uri", ""))
            answer = {"code": code, "state": query.get("state", "")}
        joint = "&" if "?" in back else "?"
        return web.Response(status=302, headers={"Location": f"{back}{joint}{urlencode(answer)}"})


@method("oauth.v2.access", token="none")
async def oauth_v2_access(call: Call) -> Json:
    """Change a code for the workspace's bot token."""
    client, secret = _client(call)
    if client != call.slack.client_id:
        raise Refused("invalid_client_id")
    if secret != call.slack.client_secret:
        raise Refused("bad_client_secret")
    grant = call.slack.authorize.grants.get(str(call.args.get("code", "")))
    if grant is None:
        raise Refused("invalid_code")
    if grant.used:
        raise Refused("code_already_used")
    if grant.redirect_uri and call.args.get("redirect_uri") != grant.redirect_uri:
        raise Refused("bad_redirect_uri")
    grant.used = True
    home = grant.user.workspace
    return {
        "access_token": home.install(grant.scopes),
        "token_type": "bot",
        "scope": ",".join(sorted(grant.scopes)),
        "bot_user_id": home.bot_user,
        "app_id": call.slack.app_id,
        "team": {"id": home.id, "name": home.name},
        "enterprise": None,
        "is_enterprise_install": False,
        "authed_user": {"id": grant.user.id},
    }


def _client(call: Call) -> tuple[str, str]:
    kind, _, value = call.request.headers.get("Authorization", "").partition(" ")
    if kind == "Basic":
        client, _, secret = base64.b64decode(value).decode().partition(":")
        return client, secret
    return str(call.args.get("client_id", "")), str(call.args.get("client_secret", ""))
