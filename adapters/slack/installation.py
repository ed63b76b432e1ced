"""The app's manifest, ready for Slack, and its installation into a workspace with OAuth: the
browser goes to Slack's page and comes back within ten minutes.

A state marks the way of one browser. It is signed rather than stored, so that strangers who open
the page leave no data with us.
"""

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
"""Seconds that an installation may take."""
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
    "pins:write": "keeping the board easy to find",
    "users:read": "names, and who is an admin",
}
"""The scopes that the app asks for, which are no more than it needs, each with its purpose."""
EVENTS = (
    *("app_home_opened", "app_mention", "app_uninstalled"),
    *("member_joined_channel", "message.im", "tokens_revoked"),
)
"""The events that Slack sends to the app."""
SHORTCUTS = {
    "fire": ("global", "Fire", "Fire in the game where it's your move"),
    "roll": ("global", "Roll dice", "Roll dice in the game where it's your move"),
    "odds": ("message", "Odds of this", "The chances of this shot, as it was fired"),
    "undo": ("message", "Undo this", "Take this roll back"),
}
"""The shortcuts by callback_id: global ones, and those in the menu of a message, which also work in
threads. Each has its kind, name and description.
"""


class Installer:
    """The web pages of an installation."""

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
        """Return the routes of the pages."""
        return [
            web.get("/", self._show_front_page),
            web.get(INSTALL_PATH, self._redirect_to_slack),
            web.get(REDIRECT_PATH, self._handle_callback),
        ]

    async def _show_front_page(self, _: web.Request) -> web.StreamResponse:
        """Show what the bot is, with a link that installs it."""
        link = f'<p><a href="{INSTALL_PATH}">Add to Slack</a></p>'
        return _build_page(200, "Grognard", "Tabletop wargames in your channel.", link)

    async def _redirect_to_slack(self, _: web.Request) -> web.StreamResponse:
        """Redirect the browser to Slack's page, with a new state in the address and in a cookie."""
        state = create_state(self._secret, time.time() + STATE_LIFE)
        client_id = self._settings.slack_client_id
        query = urlencode({"client_id": client_id, "scope": ",".join(SCOPES), "state": state})
        response = web.Response(status=302, headers={"Location": f"{get_authorize_url()}?{query}"})
        response.set_cookie(
            COOKIE, state, max_age=STATE_LIFE, httponly=True, secure=True, samesite="Lax"
        )
        return response

    async def _handle_callback(self, request: web.Request) -> web.StreamResponse:
        """Exchange the code from Slack's page for the workspace's token, save the installation, and
        send the user the welcome.

        Return a page that says how it went.
        """
        if request.query.get("error"):
            return _build_failure_page(400, "The installation was cancelled in Slack.")
        state = request.query.get("state", "")
        cookie = request.cookies.get(COOKIE, "")
        if not state or not _are_equal(state, cookie):
            return _build_failure_page(400, "The installation was started in a different browser.")
        if not is_valid_state(self._secret, state, time.time()):
            return _build_failure_page(400, "This took too long.")
        try:
            answer = await fetch_token(self._wire, self._settings, request.query.get("code", ""))
        except (Busy, SlackRefused) as trouble:
            log.warning("an installation failed: %s", trouble)
            return _build_failure_page(502, f"Slack says {trouble}.")
        workspace = answer.get("team") or answer.get("enterprise") or {}
        if not workspace.get("id") or not answer.get("access_token"):
            return _build_failure_page(502, "Slack did not name a workspace.")
        bot = answer.get("bot_user_id", "")
        name = workspace.get("name") or ""
        team = Team(workspace["id"], answer["access_token"], bot, name=name)
        await self._vault.save(team)
        self._teams.forget_cached(team.id)
        log.info("installed in workspace %s", team.id)
        user = (answer.get("authed_user") or {}).get("id")
        if user:
            await send_welcome_to_installer(self._app, self._wire, team, str(user))
        response = _build_success_page(team)
        response.del_cookie(COOKIE)
        return response


async def fetch_token(wire: SlackApi, settings: Settings, code: str) -> Json:
    """Exchange the code of an installation at Slack, and return the answer with the token.

    Raises Busy or SlackRefused.
    """
    client = {"client_id": settings.slack_client_id, "client_secret": settings.slack_client_secret}
    return await wire.call_with_form("", "oauth.v2.access", **client, code=code)


def create_state(secret: str, until: float) -> str:
    """Create a signed state that is valid until a time (Unix seconds)."""
    text = f"{until:.0f}.{create_salt()}"
    return f"{text}.{_sign(secret, text)}"


def is_valid_state(secret: str, state: str, time_now: float) -> bool:
    """Return whether a state has our signature and is still valid at `time_now` (Unix seconds)."""
    text, _, signature = state.rpartition(".")
    if not _are_equal(_sign(secret, text), signature):
        return False
    return time_now < float(text.partition(".")[0])


def _are_equal(text: str, other_text: str) -> bool:
    """Compare two texts in a time that does not depend on where they differ."""
    return hmac.compare_digest(
        text.encode("utf-8", "replace"), other_text.encode("utf-8", "replace")
    )


def _sign(secret: str, text: str) -> str:
    message = b"state:" + text.encode("utf-8", "replace")
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def _build_success_page(team: Team) -> web.Response:
    """Build a page about a new installation, with a link to the workspace."""
    text = "In any channel, type /roll 2d6 or /help."
    address = f"https://app.slack.com/client/{html.escape(team.id)}"
    link = f'<p><a href="{address}">Back to Slack</a></p>'
    return _build_page(200, f"Grognard is in {team.name}", text, link)


def _build_failure_page(status: int, text: str) -> web.Response:
    """Build a page about a failed installation, with a link to try again."""
    link = f'<p><a href="{INSTALL_PATH}">Try again</a></p>'
    return _build_page(status, "Nothing was installed", text, link)


def _build_page(status: int, title: str, text: str, link: str) -> web.Response:
    """Build a page. `link` is HTML; the title and the text are escaped."""
    head = (
        '<html lang="en"><meta name="viewport" content="width=device-width"><title>Grognard</title>'
    )
    body = f"{head}<h1>{html.escape(title)}</h1><p>{html.escape(text)}</p>{link}"
    return web.Response(status=status, text=f"<!doctype html>{body}", content_type="text/html")


WHO = "Invite @grognard to a channel, and anyone who can post there can join in."
"""The sentence about players in the welcome to the user who installed the app."""
HERE = "Anyone who can post here can join in."
"""The sentence about players in the welcome in a channel."""


async def send_welcome_to_installer(app: App, wire: SlackApi, team: Team, user: str) -> None:
    """Send the welcome to the user who installed the app. A failure is only logged."""
    try:
        channel = await open_direct_messages(wire, team.token, user)
        await post_welcome(app, wire, team, channel, WHO)
    except (Busy, SlackRefused, UserError) as trouble:
        log.info("no welcome in workspace %s: %s", team.id, trouble)


async def post_welcome(
    app: App, wire: SlackApi, team: Team, channel: str, player_sentence: str
) -> None:
    """Post the welcome in a channel. `player_sentence` says who can play. A failure is only
    logged.
    """
    try:
        server = f"{PLATFORM}{team.id}"
        welcome = await app.build_welcome(server, player_sentence)
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
"""Maximum number of characters of the hint next to a command."""
MOST_COMMANDS = 50
"""Maximum number of slash commands that Slack takes from an app."""


def split_commands(registry: Registry) -> tuple[list[str], list[str]]:
    """Return the names of the commands in the manifest, and of those that it has no room for.

    The tables of packs are left out first, then packs, the last ones first. They all work after
    /grognard.
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
    """Build the manifest, for Socket Mode or, with the bot's address `url`, for HTTP mode.

    Raises UserError for an address that is not plain HTTPS.
    """
    base = _clean_base_url(url) if url else ""
    names, _ = split_commands(registry)
    address = f"{base}{PATH}" if base else ""
    shortcuts = [
        {"name": name, "type": kind, "callback_id": callback, "description": about}
        for callback, (kind, name, about) in SHORTCUTS.items()
    ]
    manifest: Json = {
        "display_information": {
            "name": "Grognard",
            "description": "Tabletop wargames in chat: combat tables, exact odds, dice you can check, saved games.",
            "background_color": "#4e6b3a",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "grognard", "always_online": True},
            "shortcuts": shortcuts,
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
        settings = manifest["settings"]
        manifest["oauth_config"]["redirect_urls"] = [f"{base}{REDIRECT_PATH}"]
        settings["event_subscriptions"]["request_url"] = address
        settings["interactivity"]["request_url"] = address
        settings["interactivity"]["message_menu_options_url"] = address
    return manifest


def _clean_base_url(url: str) -> str:
    """Return the bot's address without a slash or the path of events at its end.

    Raises UserError unless it is plain HTTPS.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        hint = "Type: --url https://bot.example.org"
        raise UserError(f'"{url[:60]}" is not an HTTPS address.', hint=hint, code="bad-arguments")
    return f"https://{parts.netloc}{parts.path.rstrip('/').removesuffix(PATH)}"


def _build_command(name: str, registry: Registry, address: str) -> Json:
    """Build a slash command of the manifest. `address` is that of events, "" in Socket Mode."""
    about, hint = _describe_command(name, registry)
    command: Json = {"command": f"/{name}", "description": about, "should_escape": True}
    if hint:
        command["usage_hint"] = hint
    if address:
        command["url"] = address
    return command


def _describe_command(name: str, registry: Registry) -> tuple[str, str]:
    """Return what Slack shows while a command is typed: a description, and a hint with its options
    or subcommands.
    """
    if name == "grognard":
        return (
            "Any command, even one whose name another app has taken",
            "find melee odds | roll 2d6 | help",
        )
    description = registry.describe_name(name)
    spec = registry.get((name,))
    if spec is None:
        subcommands = dict.fromkeys(below.path[-1] for below in registry.list_below((name,)))
        return description, _join_fitting_words(list(subcommands), " | ")
    options = [option.name if option.is_required else f"[{option.name}]" for option in spec.options]
    return description, _join_fitting_words(options, " ")


def _join_fitting_words(words: list[str], separator: str) -> str:
    """Join the first words that fit into MAX_HINT characters, with "..." if any are left out."""
    count = len(words)
    while len(separator.join(words[:count])) > MAX_HINT:
        count -= 1
    if count < len(words):
        return separator.join([*words[:count], "..."])
    return separator.join(words)


def print_manifest(words: Sequence[str]) -> int:
    """Print the app's manifest as JSON (`grognard manifest slack [--url HTTPS]`), and on standard
    error the commands that it has no room for.

    Return the exit status 0. Raises UserError for other words or a bad address.
    """
    arguments = Arguments(words, flags={"url": True})
    if arguments.words != ["slack"] or arguments.pairs:
        hint = "Type: grognard manifest slack --url https://bot.example.org"
        raise UserError("The only manifest is for Slack.", hint=hint, code="bad-arguments")
    url = arguments.flags.get("url", [""])[-1]
    manifest = make_manifest(load_shared_registry(), url)
    print(json.dumps(manifest, indent=2, ensure_ascii=False))
    _, left_out = split_commands(load_shared_registry())
    if left_out:
        names = ", ".join(f"/{name}" for name in left_out)
        note = f"Slack allows an app {MOST_COMMANDS} commands, so these are left out: {names}."
        print(f"{note} Type them after /grognard.", file=sys.stderr)
    return 0
