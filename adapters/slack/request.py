"""A request as a plain value: its user, its place, and how it may be answered; and the check that
payloads of Slack have the fields and types that we read.

Payloads of another shape are refused before they are handled. Every field may be missing or null,
unless it is listed as needed. Fields that are not listed may hold anything.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from bot.ui.spec import Command, Person, Place
from bot.ui.typing.command_writer import CommandReader

Json = dict[str, Any]

PLATFORM = "slack:"
URL_LIFE = 29 * 60.0  # Slack says 30 minutes
_UNNAMED = ("directmessage", "privategroup")
"""Names that Slack gives to channels without a public name."""
_STORED_FIELDS = (
    "team",
    "channel",
    "user",
    "thread",
    "response_url",
    "until",
    "direct",
    "message",
    "replaces",
)


@dataclass(frozen=True, slots=True)
class SlackRequest:
    """One command, button press, form or message of a user."""

    team: str
    """Slack's id of the workspace."""
    channel: str
    """Slack's id of the channel; "" if the payload names none."""
    user: str
    """Slack's id of the user; "" for a message that nobody asked for."""
    request_id: str = ""
    """The id that makes the command run once, also if Slack sends it twice."""
    thread: str = ""
    """Slack's timestamp of the thread that the request is in; "" outside threads."""
    response_url: str = field(default="", repr=False)
    """Slack's response address for this request; "" if it has none."""
    until: float = 0.0
    """When the response address dies, in Unix seconds; 0 without one."""
    trigger: str = field(default="", repr=False)
    """Slack's id that opens a window within three seconds; "" if it sent none."""
    message: str = ""
    """Slack's timestamp of the message that was written, or that holds the pressed button."""
    direct: bool = False
    """Whether it comes from the user's direct messages with the bot."""
    replaces: bool = False
    """Whether the answer replaces the message with the pressed button."""
    pressed: bool = False
    """Whether everybody sees the message with the pressed button."""
    view: str = ""
    """Slack's id of the window with the pressed button; "" if it is in a message."""
    channel_name: str = ""
    """The channel's name as Slack sends it; "" if unknown."""
    team_name: str = ""
    """The name of the workspace; "" if unknown."""
    user_name: str = ""
    """The user's name; "" if unknown."""

    @property
    def where(self) -> Place:
        """The channel, thread or direct messages of the request."""
        key = f"{PLATFORM}{self.team}/{self.channel}"
        server = f"{PLATFORM}{self.team}"
        owner = self.person_key if self.direct else ""
        channel = Place(key, server, self._channel_name, owner)
        if self.thread:
            return replace(channel, key=f"{key}/{self.thread}", parent=channel)
        return channel

    @property
    def _channel_name(self) -> str:
        """The channel's name with the workspace, `#games of acme`; "" for a private channel."""
        if not self.channel_name or self.channel_name in _UNNAMED:
            return ""
        if self.team_name:
            return f"#{self.channel_name} of {self.team_name}"
        return f"#{self.channel_name}"

    @property
    def reader(self) -> CommandReader:
        """Return how the user types commands: in direct messages, by mention, or as slash commands.

        Slack has no slash commands in threads, and a user who wrote a message writes the next one.
        """
        if self.direct or self.channel.startswith("D"):
            return CommandReader.DIRECT
        is_message = bool(self.message) and not self.response_url
        if self.thread or is_message:
            return CommandReader.MENTION
        return CommandReader.SLACK

    @property
    def person_key(self) -> str:
        """The key of the user: `slack:`, the workspace, and the user's id."""
        return f"{PLATFORM}{self.team}/{self.user}"

    @property
    def who(self) -> Person:
        """The user by their key alone. Their name has to be looked up (see People)."""
        return Person(self.person_key, "")

    @property
    def has_url(self) -> bool:
        """Return whether there is a response address that is not too old."""
        return bool(self.response_url) and time.time() < self.until

    @property
    def answerable_until(self) -> float:
        """The time (Unix seconds) until which an answer is useful.

        Without a response address it is as long from now as an address would live.
        """
        return self.until or time.time() + URL_LIFE

    def build_command(self, path: tuple[str, ...], options: Mapping[str, object]) -> Command:
        """Build the command that is stored for this request. See `from_stored_command`."""
        user = Person(self.person_key, self.user_name or "player")
        return Command(path, options, user, self.where, self.request_id, self.to_json())

    @classmethod
    def from_stored_command(cls, command: Command) -> Self:
        """Rebuild the request of a command that `build_command` built."""
        request = cls.from_json(command.delivery, command.where.key)
        return replace(request, request_id=command.request_id, user_name=command.who.name)

    def build_spot(self, ts: str) -> Json:
        """Build the spot of our message with this timestamp: what is needed to change it later.

        Return {} without a timestamp.
        """
        return {"channel": self.channel, "ts": ts} if ts else {}

    def to_json(self) -> Json:
        """Return the fields that the outbox needs to deliver the answer, without empty ones.

        `pressed` is the spot of the public message with the pressed button.
        """
        fields = {
            name: value for name, value in asdict(self).items() if name in _STORED_FIELDS and value
        }
        if self.pressed:
            fields["pressed"] = self.build_spot(self.message)
        return fields

    @classmethod
    def from_json(cls, data: Mapping[str, Any], place: str) -> Self:
        """Rebuild a request from the data of `to_json`.

        Without a channel in `data`, build one for a message that nobody asked for: for the place
        with this key, with "" as its user.
        """
        fields = {name: data[name] for name in _STORED_FIELDS if name in data}
        if "channel" not in fields:
            team, _, channel_and_thread = place.removeprefix(PLATFORM).partition("/")
            channel, _, thread = channel_and_thread.partition("/")
            fields |= {"team": team, "channel": channel, "thread": thread, "user": ""}
        return cls(**{"user": "", **fields})


def get_team(body: Mapping[str, Any]) -> str:
    """Return the id of the workspace for which a payload was sent, that of an organisation if it
    names no workspace, or "".

    It is the workspace in which the app is installed. In a channel shared with another workspace
    the outer `team_id` of an event may be the partner's, so the event's authorizations count; for
    a view the workspace in which it was opened counts. The user may be the partner's.
    """
    view = body.get("view") or {}
    user = body.get("user")
    user_team = user.get("team_id") if isinstance(user, Mapping) else ""
    authorizations = body.get("authorizations") or ()
    authorization = next(iter(authorizations), None) or {}
    teams = (
        view.get("app_installed_team_id"),
        authorization.get("team_id"),
        body.get("team_id"),
        (body.get("team") or {}).get("id"),
        user_team,
        view.get("team_id"),
        body.get("enterprise_id"),
        (body.get("enterprise") or {}).get("id"),
    )
    return str(next(filter(None, teams), ""))


def read_command_payload(body: Mapping[str, Any]) -> SlackRequest:
    """Read the request of a slash command.

    Its id is made of the trigger, Slack's only id that stays the same if it sends the command
    twice.
    """
    team = get_team(body)
    return SlackRequest(
        team=team,
        channel=body["channel_id"],
        user=body["user_id"],
        request_id=f"{PLATFORM}{team}:{body['trigger_id']}",
        response_url=body.get("response_url", ""),
        until=time.time() + URL_LIFE,
        trigger=body["trigger_id"],
        channel_name=body.get("channel_name", ""),
        team_name=body.get("team_domain", ""),
        user_name=body.get("user_name", ""),
    )


def read_event_payload(body: Mapping[str, Any]) -> SlackRequest:
    """Read the request of a written message. All events about one message have the same id."""
    event = body["event"]
    team = get_team(body)
    ts = event["ts"]
    thread = event.get("thread_ts") or ""
    return SlackRequest(
        team=team,
        channel=event["channel"],
        user=event["user"],
        request_id=f"{PLATFORM}{team}/{event['channel']}:{ts}",
        thread=thread if thread != ts else "",
        message=ts,
        direct=event.get("channel_type") == "im",
    )


def read_press_payload(body: Mapping[str, Any]) -> SlackRequest:
    """Read the request of a pressed button, or of another element of a message or form."""
    team = get_team(body)
    user = body["user"]
    channel = body.get("channel") or {}
    message = body.get("message") or {}
    container = body.get("container") or {}
    ts = container.get("message_ts") or ""
    thread = container.get("thread_ts") or message.get("thread_ts") or ""
    return SlackRequest(
        team=team,
        channel=channel.get("id") or container.get("channel_id") or "",
        user=user["id"],
        request_id=f"{PLATFORM}{team}:{body.get('trigger_id', '')}",
        thread=thread if thread != ts else "",
        response_url=body.get("response_url", ""),
        until=time.time() + URL_LIFE,
        trigger=body.get("trigger_id", ""),
        message=ts,
        channel_name=channel.get("name") or "",
        team_name=(body.get("team") or {}).get("domain") or "",
        user_name=user.get("username") or user.get("name") or "",
    )


def read_shortcut_payload(body: Mapping[str, Any]) -> SlackRequest:
    """Read the request of a shortcut, which has a message if it is from a message's menu."""
    message = body.get("message") or {}
    request = read_press_payload(body)
    ts = str(message.get("ts") or "")
    thread = str(message.get("thread_ts") or "")
    return replace(request, message=ts, thread=thread if thread != ts else "")


_TEXTS = """
    type command text team_id enterprise_id channel_id channel_name user_id user_name trigger_id response_url
    value block_id action_id callback_id event_id thread_ts
    team.id team.enterprise_id enterprise.id user.id user.username user.name user.team_id channel.id
    container.type container.channel_id container.message_ts container.thread_ts container.view_id
    message.ts message.thread_ts message.text message.user
    message.blocks.[].type message.blocks.[].elements.[].action_id
    actions.[].type+ actions.[].action_id+ actions.[].block_id actions.[].value
    view.type+ view.id view.callback_id view.private_metadata view.app_installed_team_id view.team_id
    view.state.values.*.*.value view.state.values.*.*.selected_conversation
    view.state.values.*.*.selected_option.value+ view.state.values.*.*.selected_options.[].value+
    view.state.values.*.*.files.[].name view.state.values.*.*.files.[].url_private
    view.state.values.*.*.files.[].url_private_download
    event.ts event.thread_ts event.text event.user event.blocks.[].type event.blocks.[].elements.[].action_id
    event.type event.subtype event.channel event.channel_type event.bot_id event.team event.user_team
    event.files.[].name event.files.[].url_private event.files.[].url_private_download event.tokens.bot.[]
    authorizations.[].team_id authorizations.[].enterprise_id authorizations.[].user_id
"""
"""Paths of all fields that we read, which must hold texts. `[]` stands for each item of a list, `*`
for each field of any name. A field with a `+` must be present if the object that holds it is.
"""


def _build_shape(paths: Iterable[str]) -> Json:
    """Build a tree of such paths, by their steps. {} stands for a text."""
    shape: Json = {}
    for path in paths:
        node = shape
        for step in path.split("."):
            node = node.setdefault(step, {})
    return shape


_PAYLOAD = _build_shape(_TEXTS.split())
_NEEDED_BY_TYPE = {
    "shortcut": ("user.id", "trigger_id", "callback_id"),
    "message_action": ("user.id", "channel.id", "message.ts", "trigger_id", "callback_id"),
    "block_actions": ("actions",),
    "view_submission": (
        "view.id",
        "view.callback_id",
        "view.private_metadata",
        "view.state.values",
    ),
}
_NEEDED = {
    "command": ("channel_id", "user_id", "trigger_id"),
    "actions": ("user.id",),
    "view": ("user.id",),
}


def is_valid_payload(payload: object) -> bool:
    """Return whether a payload can be read: all fields that we read have the expected type, and
    the fields that its kind needs are present.
    """
    if not isinstance(payload, Mapping) or not _fits_shape(payload, _PAYLOAD):
        return False
    needed = list(_NEEDED_BY_TYPE.get(str(payload.get("type")), ()))
    for kind, paths in _NEEDED.items():
        if payload.get(kind) is not None:
            needed += paths
    if "event" in payload and not (payload["event"] and _is_event(payload["event"])):
        return False
    if "view" in payload and not payload["view"]:
        return False
    if needed and not get_team(payload):
        return False
    return all(_has_path(payload, path) for path in needed)


def _is_event(event: Mapping[str, Any]) -> bool:
    """Return whether an event has a type, and if a user's message, also the fields that an answer
    needs.
    """
    is_message = event.get("type") in ("app_mention", "message")
    if is_message and event.get("user") and not event.get("subtype"):
        return bool(event.get("ts") and event.get("channel"))
    return bool(event.get("type"))


def _has_path(payload: Mapping[str, Any], path: str) -> bool:
    """Return whether a payload has a value at `path` (`view.id`) that is not empty."""
    value: Any = payload
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value not in (None, "", [])


def _fits_shape(value: object, shape: Json) -> bool:
    """Return whether a value has the shape that `_build_shape` built. A null fits every shape,
    except in a list, under a `*`, or for a field with a `+`.
    """
    if value is None:
        return True
    if not shape:
        return isinstance(value, str)
    if "[]" in shape:
        return isinstance(value, list) and _all_fit_shape(value, shape["[]"])
    if not isinstance(value, Mapping):
        return False
    if "*" in shape:
        return _all_fit_shape(value.values(), shape["*"])
    for step, inner in shape.items():
        field_value = value.get(step.rstrip("+"))
        if field_value is None and step[-1] == "+":
            return False
        if not _fits_shape(field_value, inner):
            return False
    return True


def _all_fit_shape(values: Iterable[object], shape: Json) -> bool:
    """Return whether all values have the shape and none of them is null."""
    return all(value is not None and _fits_shape(value, shape) for value in values)
