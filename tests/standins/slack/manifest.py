"""What Slack checks when it is given an app manifest, and an app made from one."""

from __future__ import annotations

import re
from typing import Any

from .settings import Json

_KEYS: dict[str, set[str]] = {
    "": {"_metadata", "display_information", "features", "oauth_config", "settings"},
    "_metadata": {"schema_version", "min_version", "major_version", "minor_version"},
    "display_information": {"name", "description", "background_color", "long_description"},
    "features": {"app_home", "bot_user", "shortcuts", "slash_commands", "unfurl_domains"},
    "features.app_home": {
        "home_tab_enabled",
        "messages_tab_enabled",
        "messages_tab_read_only_enabled",
    },
    "features.bot_user": {"display_name", "always_online"},
    "oauth_config": {"redirect_urls", "scopes", "token_management_enabled", "pkce_enabled"},
    "oauth_config.scopes": {"user", "bot", "user_optional", "bot_optional"},
    "settings": {
        "allowed_ip_address_ranges",
        "event_subscriptions",
        "interactivity",
        "org_deploy_enabled",
        "socket_mode_enabled",
        "token_rotation_enabled",
    },
    "settings.event_subscriptions": {
        "request_url",
        "user_events",
        "bot_events",
        "metadata_subscriptions",
    },
    "settings.interactivity": {"is_enabled", "request_url", "message_menu_options_url"},
}

# (where, fewest characters, most characters)
_LENGTHS = (
    ("display_information.name", 1, 35),
    ("display_information.description", 1, 140),
    ("display_information.long_description", 175, 4_000),
    ("features.bot_user.display_name", 1, 80),
)
_COMMAND_LENGTHS = {
    "command": (2, 32),
    "description": (1, 2_000),
    "usage_hint": (1, 1_000),
    "url": (1, 3_000),
}
_EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.im": "im:history",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.mpim": "mpim:history",
    "member_joined_channel": "channels:read",
}


def check_manifest(manifest: Any) -> list[str]:
    """Every reason Slack would not take the manifest; empty when it does."""
    if not isinstance(manifest, dict):
        return ["must be an object"]
    faults = _unknown_keys(manifest)
    if faults:
        return faults
    faults += _lengths(manifest)
    faults += _commands(manifest)
    faults += _urls(manifest)
    faults += _scopes(manifest)
    return faults


def at(manifest: Json, path: str, default: Any = None) -> Any:
    """The value at a dotted path."""
    found: Any = manifest
    for key in path.split(".") if path else ():
        found = found.get(key) if isinstance(found, dict) else None
    return default if found is None else found


def _unknown_keys(manifest: Json) -> list[str]:
    faults = []
    for path, allowed in _KEYS.items():
        found = at(manifest, path, {})
        if not isinstance(found, dict):
            faults.append(f"{path}: must be an object")
            continue
        faults += [f"{path}: unknown key {key}" for key in found if key not in allowed]
    return faults


def _lengths(manifest: Json) -> list[str]:
    faults = (
        [] if at(manifest, "display_information.name") else ["display_information.name: required"]
    )
    for path, least, most in _LENGTHS:
        value = at(manifest, path)
        if value is not None and not least <= len(value) <= most:
            faults.append(f"{path}: between {least} and {most} characters expected")
    color = at(manifest, "display_information.background_color")
    if color is not None and not re.fullmatch(r"#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?", color):
        faults.append("display_information.background_color: no hex colour")
    return faults


def _commands(manifest: Json) -> list[str]:
    commands = at(manifest, "features.slash_commands", [])
    faults = ["features.slash_commands: no more than 50"] if len(commands) > 50 else []
    names = [command.get("command") for command in commands]
    faults += [f"{name}: there twice" for name in set(names) if names.count(name) > 1]
    for command in commands:
        name = command.get("command", "")
        if not re.fullmatch(r"/[^\sA-Z]+", name):
            faults.append(f"{name}: a slash and lower case, no spaces expected")
        faults += [
            f"{name}: unknown key {key}"
            for key in command
            if key not in (*_COMMAND_LENGTHS, "should_escape")
        ]
        faults += [
            f"{name}: {key} is required" for key in ("command", "description") if key not in command
        ]
        for key, (least, most) in _COMMAND_LENGTHS.items():
            if key in command and not least <= len(command[key]) <= most:
                faults.append(f"{name}: {key} must have between {least} and {most} characters")
    return faults


def _urls(manifest: Json) -> list[str]:
    """Without Socket Mode, everything that is switched on needs an address."""
    needed = {
        f"command {one.get('command')}": one.get("url")
        for one in at(manifest, "features.slash_commands", [])
    }
    if at(manifest, "settings.interactivity.is_enabled"):
        needed["settings.interactivity"] = at(manifest, "settings.interactivity.request_url")
    if at(manifest, "settings.event_subscriptions.bot_events"):
        needed["settings.event_subscriptions"] = at(
            manifest, "settings.event_subscriptions.request_url"
        )
    socket = at(manifest, "settings.socket_mode_enabled", False)
    faults = [
        f"{what}: request URL missing" for what, url in needed.items() if not url and not socket
    ]
    urls = [*needed.values(), *at(manifest, "oauth_config.redirect_urls", [])]
    return faults + [f"{url}: no URL" for url in urls if url and not re.match(r"https?://", url)]


def _scopes(manifest: Json) -> list[str]:
    scopes = at(manifest, "oauth_config.scopes.bot", [])
    faults = [f"scope {scope}: there twice" for scope in set(scopes) if scopes.count(scope) > 1]
    if scopes and not at(manifest, "features.bot_user"):
        faults.append("features.bot_user: required for bot scopes")
    if at(manifest, "features.slash_commands") and "commands" not in scopes:
        faults.append("scope commands: required for slash commands")
    for event in at(manifest, "settings.event_subscriptions.bot_events", []):
        needed = _EVENT_SCOPES.get(event)
        if needed and needed not in scopes:
            faults.append(f"scope {needed}: required for the event {event}")
    return faults
