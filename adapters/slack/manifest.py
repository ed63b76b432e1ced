"""The app's manifest, which Slack takes as it is: commands from the registry, scopes no more than needed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from adapters.slack.escape import TAKEN
from adapters.slack.http import PATH
from adapters.slack.oauth import EVENTS, REDIRECT_PATH, SCOPES, SHORTCUTS
from bot.interface.registry import Registry
from bot.rules.errors import UserError

Json = dict[str, Any]

MAX_HINT = 100


def make_manifest(registry: Registry, url: str = "") -> Json:
    """The manifest: for Socket Mode, or with the bot's address for HTTP mode. Raises UserError for a bad address."""
    base = _base(url) if url else ""
    names = [name for name in registry.top if name not in TAKEN]
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
            "slash_commands": [_command(name, registry, address) for name in (*names, "grognard")],
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


def _base(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise UserError(
            f'"{url[:60]}" is not the address of the bot.',
            hint="Type: --url https://bot.example.org",
            code="bad-arguments",
        )
    return f"https://{parts.netloc}{parts.path.rstrip('/').removesuffix(PATH)}"


def _command(name: str, registry: Registry, address: str) -> Json:
    about, hint = _about(name, registry)
    made: Json = {"command": f"/{name}", "description": about, "should_escape": True}
    return made | ({"usage_hint": hint} if hint else {}) | ({"url": address} if address else {})


def _about(name: str, registry: Registry) -> tuple[str, str]:
    """What Slack shows beside a command while it is typed: what it does, and what may follow."""
    if name == "grognard":
        return "Any command, even one whose name another app has taken", "roll 2d6 | help"
    spec = registry.get((name,))
    if spec is not None:
        return registry.about(name), _few([o.name if o.required else f"[{o.name}]" for o in spec.options], " ")
    return registry.about(name), _few(list(dict.fromkeys(spec.path[-1] for spec in registry.below((name,)))), " | ")


def _few(words: list[str], between: str) -> str:
    """As many of them as fit in one line beside the command."""
    kept = words
    while len(between.join(kept)) > MAX_HINT:
        kept = kept[:-1]
    return between.join([*kept, "..."] if len(kept) < len(words) else kept)
