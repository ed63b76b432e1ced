"""The app's manifest, which Slack takes as it is, and its installation into any workspace: the way
to Slack's page and back, in one browser and within ten minutes.

The app asks for no more than it needs. A state is signed rather than stored, so that a stranger who
calls for the page leaves nothing behind."""

import hashlib
import hmac
import html
import json
import logging
import sys
import time
from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from adapters.slack.calls import Busy, SlackApi, SlackRefused, get_authorize_url
from adapters.slack.channel_posts import open_direct_messages
from adapters.slack.http import PATH
from adapters.slack.render import render_message
from adapters.slack.request import PLATFORM, Json
from adapters.slack.teams import StoreVault, Team, Teams
from bot.app import App
from bot.cli.cli import Arguments
from bot.commands.dispatch import load_shared_registry
from bot.rules.errors import UserError
from bot.rulesets.packs.pack import PackSystem
from bot.runtime.entropy import create_salt
from bot.runtime.settings import Settings
from bot.ui.registry import Registry
from bot.ui.typing.command_writer import UNLISTED

log = logging.getLogger(__name__)

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
STATE_LIFE = 10 * 60
COOKIE = "grognard_install"
SCOPES = {
    "app_mentions:read": "commands by mention, also in threads",
    "channels:read": "moving a game to a channel that you and the bot are both in",
    "chat:write": "results, reminders and the board",
    "commands": "slash commands and shortcuts",
    "files:read": "files that you import",
    "files:write": "pictures, exports and long tables",
    "groups:read": "moving a game to a private channel",
    "im:history": "commands in your direct messages with the bot",
    "im:write": "reminders by direct message",
    "pins:write": "keeping the board at hand",
    "users:read": "names, and who is an admin",
}
"""The scopes that the app asks for, which are no more than it needs, each with its purpose."""
EVENTS = (
    *("app_home_opened", "app_mention", "app_uninstalled"),
    *("member_joined_channel", "message.im", "tokens_revoked"),
)
SHORTCUTS = {
    "fire": ("global", "Fire", "Fire in the game where it's your move"),
    "roll": ("global", "Roll dice", "Roll dice in the game where it's your move"),
    "odds": ("message", "Odds of this", "The chances of this shot, as it was fired"),
    "undo": ("message", "Undo this", "Take this roll back"),
}
"""By callback: global ones, and those under the menu of a message, which also work in threads."""


class Installer:
    """The two pages of an installation."""

    def __init__(
        self, app: App, settings: Settings, wire: SlackApi, teams: Teams, vault: StoreVault
    ) -> None:
        self._settings = settings
        self._secret = settings.slack_client_secret
        self._app = app
        self._wire = wire
        self._teams = teams
        self._vault = vault

    def build_routes(self) -> list[web.RouteDef]:
        """Where they are."""
        return [
            web.get("/", self._show_front_page),
            web.get(INSTALL_PATH, self._redirect_to_slack),
            web.get(REDIRECT_PATH, self._handle_callback),
        ]

    async def _show_front_page(self, _: web.Request) -> web.StreamResponse:
        """What this address is, and the way to install."""
        link = f'<p><a href="{INSTALL_PATH}">Add to Slack</a></p>'
        return _build_page(200, "Grognard", "Tabletop wargames in your channel.", more=link)

    async def _redirect_to_slack(self, _: web.Request) -> web.StreamResponse:
        """Send the browser to Slack's page; the state comes back with it and is in its cookie."""
        state = create_state(self._secret, time.time() + STATE_LIFE)
        query = urlencode(
            {"client_id": self._settings.slack_client_id, "scope": ",".join(SCOPES), "state": state}
        )
        response = web.Response(status=302, headers={"Location": f"{get_authorize_url()}?{query}"})
        response.set_cookie(
            COOKIE, state, max_age=STATE_LIFE, httponly=True, secure=True, samesite="Lax"
        )
        return response

    async def _handle_callback(self, request: web.Request) -> web.StreamResponse:
        """Change the code that Slack gave for the workspace's token."""
        if request.query.get("error"):
            return _build_page(
                400, "Nothing was installed", "Slack says that nobody agreed to it.", again=True
            )
        state = request.query.get("state", "")
        cookie = request.cookies.get(COOKIE, "")
        if not state or not hmac.compare_digest(
            state.encode("utf-8", "replace"), cookie.encode("utf-8", "replace")
        ):
            return _build_page(
                400,
                "Nothing was installed",
                "The installation was begun in another browser.",
                again=True,
            )
        if not is_valid_state(self._secret, state, time.time()):
            return _build_page(400, "Nothing was installed", "This took too long.", again=True)
        try:
            found = await fetch_token(self._wire, self._settings, request.query.get("code", ""))
        except (Busy, SlackRefused) as trouble:
            log.warning("an installation failed: %s", trouble)
            return _build_page(502, "Nothing was installed", f"Slack says {trouble}.", again=True)
        team = found.get("team") or found.get("enterprise") or {}
        if not team.get("id") or not found.get("access_token"):
            return _build_page(
                502, "Nothing was installed", "Slack named no workspace.", again=True
            )
        bot = found.get("bot_user_id", "")
        name = team.get("name") or ""
        installed = Team(team["id"], found["access_token"], bot, name=name)
        await self._vault.save(installed)
        self._teams.forget_cached(installed.id)
        log.info("installed in workspace %s", installed.id)
        if user := (found.get("authed_user") or {}).get("id"):
            await send_welcome_to_installer(self._app, self._wire, installed, str(user))
        said = "In any channel, type /roll 2d6 or /help."
        response = _build_page(200, f"Grognard is in {installed.name}", said, back=installed.id)
        response.del_cookie(COOKIE)
        return response


async def fetch_token(wire: SlackApi, settings: Settings, code: str) -> Json:
    """What Slack gives for the code of an installation. Raises Busy, Refused."""
    known = {"client_id": settings.slack_client_id, "client_secret": settings.slack_client_secret}
    return await wire.call_with_form("", "oauth.v2.access", **known, code=code)


def create_state(secret: str, until: float) -> str:
    """A state that nobody else can make, good until then (Unix seconds)."""
    text = f"{until:.0f}.{create_salt()}"
    return f"{text}.{_sign(secret, text)}"


def is_valid_state(secret: str, state: str, now: float) -> bool:
    """Return whether we made this state, and not too long ago."""
    text, _, signature = state.rpartition(".")
    if not hmac.compare_digest(_sign(secret, text).encode(), signature.encode("utf-8", "replace")):
        return False
    return now < float(text.partition(".")[0])


def _sign(secret: str, text: str) -> str:
    return hmac.new(
        secret.encode(), b"state:" + text.encode("utf-8", "replace"), hashlib.sha256
    ).hexdigest()


def _build_page(
    status: int, title: str, text: str, *, again: bool = False, back: str = "", more: str = ""
) -> web.Response:
    link = f'<p><a href="{INSTALL_PATH}">Try again</a></p>' if again else ""
    link += (
        f'<p><a href="https://app.slack.com/client/{html.escape(back)}">Back to Slack</a></p>'
        if back
        else ""
    )
    head = (
        '<html lang="en"><meta name="viewport" content="width=device-width"><title>Grognard</title>'
    )
    body = f"{head}<h1>{html.escape(title)}</h1><p>{html.escape(text)}</p>{link}{more}"
    return web.Response(status=status, text=f"<!doctype html>{body}", content_type="text/html")


WHO = "Invite @grognard to a channel, and anyone who can post there can play."


HERE = "Anyone who can post here can play."


async def send_welcome_to_installer(app: App, wire: SlackApi, team: Team, user: str) -> None:
    """Send the welcome to who has installed the app. An installation does not fail without it."""
    try:
        channel = await open_direct_messages(wire, team.token, user)
        await post_welcome(app, wire, team, channel, WHO)
    except (Busy, SlackRefused, UserError) as trouble:
        log.info("no welcome in workspace %s: %s", team.id, trouble)


async def post_welcome(app: App, wire: SlackApi, team: Team, channel: str, who: str) -> None:
    """Post the welcome in a channel; `who` says who can play."""
    try:
        server = f"{PLATFORM}{team.id}"
        welcome = await app.build_welcome(server, who)
        message = render_message(welcome, team.id, app.get_server_registry(server))
        await wire.call(
            team.token,
            "chat.postMessage",
            channel=channel,
            text=message.text,
            blocks=message.blocks,
        )
    except (Busy, SlackRefused, UserError) as trouble:
        log.info("no welcome in workspace %s: %s", team.id, trouble)


MAX_HINT = 100


MOST_COMMANDS = 50
"""Slash commands that Slack takes of an app."""


def split_commands(registry: Registry) -> tuple[list[str], list[str]]:
    """Return the names of the commands in the manifest, and of those that it has no room for: the
    tables of packs are left out first, then packs. They all work after /grognard.
    """
    names = [name for name in registry.top_names if name not in UNLISTED]
    packs = [id for id, game in registry.games.items() if isinstance(game, PackSystem)]
    last_first = [*(f"{id}-table" for id in reversed(packs)), *reversed(packs)]
    left_out = list[str]()
    for name in last_first:
        if len(names) + 1 <= MOST_COMMANDS:
            break
        if name in names:
            names.remove(name)
            left_out.append(name)
    return [*names, "grognard"], left_out


def make_manifest(registry: Registry, url: str = "") -> Json:
    """The manifest: for Socket Mode, or with the bot's address for HTTP mode. Raises UserError
    for a bad address.
    """
    base = _clean_base_url(url) if url else ""
    names, _ = split_commands(registry)
    address = f"{base}{PATH}" if base else ""
    made: Json = {
        "display_information": {
            "name": "Grognard",
            "description": "Tabletop wargames in chat: tables, combat sequences, games that are remembered.",
            "background_color": "#4e6b3a",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "grognard", "always_online": True},
            "shortcuts": [
                {"name": name, "type": kind, "callback_id": callback, "description": about}
                for callback, (kind, name, about) in SHORTCUTS.items()
            ],
            "slash_commands": [_build_command(name, registry, address) for name in names],
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {"bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not base,
            "token_rotation_enabled": False,
        },
    }
    if base:
        made["oauth_config"]["redirect_urls"] = [f"{base}{REDIRECT_PATH}"]
        made["settings"]["event_subscriptions"]["request_url"] = address
        made["settings"]["interactivity"]["request_url"] = address
        made["settings"]["interactivity"]["message_menu_options_url"] = address
    return made


def _clean_base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        hint = "Type: --url https://bot.example.org"
        raise UserError(
            f'"{url[:60]}" is not the address of the bot.', hint=hint, code="bad-arguments"
        )
    return f"https://{parts.netloc}{parts.path.rstrip('/').removesuffix(PATH)}"


def _build_command(name: str, registry: Registry, address: str) -> Json:
    about, hint = _describe_command(name, registry)
    made: Json = {"command": f"/{name}", "description": about, "should_escape": True}
    return made | ({"usage_hint": hint} if hint else {}) | ({"url": address} if address else {})


def _describe_command(name: str, registry: Registry) -> tuple[str, str]:
    """What Slack shows beside a command while it is typed: what it does, and what may follow."""
    if name == "grognard":
        return (
            "Any command, even one whose name another app has taken",
            "find melee odds | roll 2d6 | help",
        )
    spec = registry.get((name,))
    if spec is not None:
        return registry.describe_name(name), _join_fitting_words(
            [o.name if o.is_required else f"[{o.name}]" for o in spec.options], " "
        )
    return registry.describe_name(name), _join_fitting_words(
        list(dict.fromkeys(spec.path[-1] for spec in registry.list_below((name,)))), " | "
    )


def _join_fitting_words(words: list[str], between: str) -> str:
    """As many of them as fit in one line beside the command."""
    kept = words
    while len(between.join(kept)) > MAX_HINT:
        kept = kept[:-1]
    return between.join([*kept, "..."] if len(kept) < len(words) else kept)


def print_manifest(words: Sequence[str]) -> int:
    """`grognard manifest slack [--url HTTPS]`: print the app's manifest; exit status 0. Raises
    UserError.
    """
    arguments = Arguments(words, flags={"url": True})
    if arguments.words != ["slack"] or arguments.pairs:
        hint = "Type: grognard manifest slack --url https://bot.example.org"
        raise UserError("manifest knows only slack.", hint=hint, code="bad-arguments")
    url = arguments.flags.get("url", [""])[-1]
    print(json.dumps(make_manifest(load_shared_registry(), url), indent=2, ensure_ascii=False))
    _, left_out = split_commands(load_shared_registry())
    if left_out:
        listed = ", ".join(f"/{name}" for name in left_out)
        what = f"Slack takes {MOST_COMMANDS} commands of an app, so these are left out: {listed}."
        print(f"{what} Type them after /grognard.", file=sys.stderr)
    return 0
