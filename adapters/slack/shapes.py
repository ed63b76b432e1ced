"""How what Slack sends is shaped, as far as anybody here looks at it: what is bent is refused at the door.

Every field may be missing or null; whoever needs one says so. Fields that are not named here may hold anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.slack.request import team_of

Shape = Any
"""A type, [the shape of each item], {field: shape}, {"!field": shape} for one that must be there, or {str: shape} for
fields of any name."""

_ID = {"id": str}
_VALUE = {"!value": str}
_STATE = {
    "value": str,
    "selected_option": _VALUE,
    "selected_options": [_VALUE],
    "selected_conversation": str,
    "files": [{"name": str, "url_private": str, "url_private_download": str}],
}
_MESSAGE = {
    "ts": str,
    "thread_ts": str,
    "text": str,
    "user": str,
    "blocks": [{"type": str, "elements": [{"action_id": str}]}],
}
_EVENT = {
    **_MESSAGE,
    "type": str,
    "subtype": str,
    "channel": str,
    "channel_type": str,
    "bot_id": str,
    "team": str,
    "user_team": str,
    "files": [{"name": str, "url_private": str, "url_private_download": str}],
    "tokens": {"bot": [str]},
    "message": _MESSAGE,
    "previous_message": _MESSAGE,
    "item": {"channel": str},
    "view": {},
    "assistant_thread": {},
}
_VIEW = {
    "!type": str,
    "id": str,
    "callback_id": str,
    "private_metadata": str,
    "app_installed_team_id": str,
    "team_id": str,
    "state": {"values": {str: {str: _STATE}}},
}
_TEXTS = (
    "type", "command", "text", "team_id", "enterprise_id", "channel_id", "channel_name", "user_id", "user_name",
    "trigger_id", "response_url", "value", "block_id", "action_id", "callback_id", "event_id", "thread_ts",
)  # fmt: skip
_PAYLOAD: dict[Any, Shape] = {
    **dict.fromkeys(_TEXTS, str),
    "team": {**_ID, "enterprise_id": str},
    "enterprise": _ID,
    "user": {**_ID, "username": str, "name": str, "team_id": str},
    "channel": _ID,
    "container": {"type": str, "channel_id": str, "message_ts": str, "thread_ts": str, "view_id": str},
    "message": _MESSAGE,
    "previous_message": _MESSAGE,
    "actions": [{"!type": str, "!action_id": str, "block_id": str, "value": str}],
    "view": _VIEW,
    "event": _EVENT,
    "authorizations": [{"team_id": str, "enterprise_id": str, "user_id": str}],
    "authed_users": [str],
    "function_data": {},
    "assistant_thread": {},
    "item": {"channel": str},
}
_NEEDED_BY_TYPE = {
    "shortcut": ("user.id", "trigger_id", "callback_id"),
    "message_action": ("user.id", "channel.id", "message.ts", "trigger_id", "callback_id"),
    "block_actions": ("actions",),
    "block_suggestion": ("view.private_metadata", "block_id"),
    "view_submission": ("view.id", "view.callback_id", "view.private_metadata", "view.state.values"),
}
_NEEDED = {
    "command": ("channel_id", "user_id", "trigger_id"),
    "actions": ("user.id",),
    "view": ("user.id",),
}


def is_valid(payload: object) -> bool:
    """Whether a payload can be read: nothing that is looked at has another shape, and what its kind needs is there."""
    if not isinstance(payload, Mapping) or not _fits(payload, _PAYLOAD):
        return False
    needed = [path for kind, paths in _NEEDED.items() if payload.get(kind) is not None for path in paths]
    needed += _NEEDED_BY_TYPE.get(str(payload.get("type")), ())
    if "event" in payload and not (payload["event"] and _is_event(payload["event"])):
        return False
    if "view" in payload and not payload["view"]:
        return False
    return all(_has(payload, path) for path in needed) and bool(team_of(payload) or not needed)


def _is_event(event: Mapping[str, Any]) -> bool:
    """Whether an event that may be a command to us has what an answer needs."""
    if event.get("type") not in ("app_mention", "message") or not event.get("user") or event.get("subtype"):
        return bool(event.get("type"))
    return bool(event.get("ts") and event.get("channel"))


def _has(payload: Mapping[str, Any], path: str) -> bool:
    found: Any = payload
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found not in (None, "", [])


def _fits(value: object, shape: Shape) -> bool:
    if value is None:
        return True
    if isinstance(shape, list):
        return isinstance(value, list) and all(item is not None and _fits(item, shape[0]) for item in value)
    if not isinstance(shape, dict):
        return isinstance(value, shape)
    if not isinstance(value, Mapping):
        return False
    if str in shape:
        return all(item is not None and _fits(item, shape[str]) for item in value.values())
    return all(_fits_field(value, name, inner) for name, inner in shape.items())


def _fits_field(value: Mapping[str, Any], name: str, shape: Shape) -> bool:
    field = value.get(name.removeprefix("!"))
    return _fits(field, shape) and not (field is None and name.startswith("!"))
