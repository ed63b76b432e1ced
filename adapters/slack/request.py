"""A request as a plain value: who did what where, and how it may be answered; and how what Slack
sends is shaped, as far as anybody here looks at it: what is bent is refused at the door.

Every field may be missing or null; whoever needs one says so. Fields that are not named here may
hold anything."""

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
_KEPT = (
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
    """One command, press, form or message. `until` (Unix seconds) ends the life of its
    `response_url`.

    `thread` and `message` are Slack's timestamps: of the thread it is in, and of the message that
    was pressed or written. `direct` says that it was written to the bot alone, `replaces` that a
    private answer takes the place of the message that was pressed. `pressed`: that is a message for
    all. `view` is the window in which it was pressed.
    """

    team: str
    channel: str
    user: str
    request_id: str = ""
    thread: str = ""
    response_url: str = field(default="", repr=False)
    until: float = 0.0
    trigger: str = field(default="", repr=False)
    message: str = ""
    direct: bool = False
    replaces: bool = False
    pressed: bool = False
    view: str = ""
    channel_name: str = ""
    team_name: str = ""
    user_name: str = ""

    @property
    def where(self) -> Place:
        """The channel, thread or direct messages."""
        key = f"{PLATFORM}{self.team}/{self.channel}"
        server = f"{PLATFORM}{self.team}"
        channel = Place(key, server, self._channel_name, self.person_key if self.direct else "")
        return (
            replace(channel, key=f"{key}/{self.thread}", parent=channel) if self.thread else channel
        )

    @property
    def _channel_name(self) -> str:
        """What the channel is called elsewhere: `#games of acme`; "" for one that is private."""
        name = "" if self.channel_name in _UNNAMED else self.channel_name
        return (f"#{name} of {self.team_name}" if self.team_name else f"#{name}") if name else ""

    @property
    def reader(self) -> CommandReader:
        """Return where the commands in an answer are typed: Slack has no slash commands in
        threads, and who wrote a message writes another one.
        """
        if self.direct or self.channel.startswith("D"):
            return CommandReader.DIRECT
        is_message = bool(self.message) and not self.response_url
        return CommandReader.MENTION if self.thread or is_message else CommandReader.SLACK

    @property
    def person_key(self) -> str:
        """The key of who asks."""
        return f"{PLATFORM}{self.team}/{self.user}"

    @property
    def who(self) -> Person:
        """Who asks, by their key alone: what they are called is looked up."""
        return Person(self.person_key, "")

    @property
    def has_url(self) -> bool:
        """Return whether its response address still answers, as far as one can know."""
        return bool(self.response_url) and time.time() < self.until

    @property
    def answerable_until(self) -> float:
        """Until when an answer is worth giving: a message has no response address, but nobody
        waits longer either.
        """
        return self.until or time.time() + URL_LIFE

    def build_command(self, path: tuple[str, ...], options: Mapping[str, object]) -> Command:
        """What is asked, to be written down; `from_stored_command` reads it back."""
        who = Person(self.person_key, self.user_name or "player")
        return Command(path, options, who, self.where, self.request_id, self.to_json())

    @classmethod
    def from_stored_command(cls, command: Command) -> Self:
        """The ask behind a command that was written down."""
        request = cls.from_json(command.delivery, command.where.key)
        return replace(request, request_id=command.request_id, user_name=command.who.name)

    def build_spot(self, ts: str) -> Json:
        """Where a message of ours is, for changing it later; {} where Slack did not tell."""
        return {"channel": self.channel, "ts": ts} if ts else {}

    def to_json(self) -> Json:
        """What delivering the answer needs, for the outbox."""
        kept = {name: value for name, value in asdict(self).items() if name in _KEPT and value}
        return kept | ({"pressed": self.build_spot(self.message)} if self.pressed else {})

    @classmethod
    def from_json(cls, data: Mapping[str, Any], place: str) -> Self:
        """The ask that `to_json` wrote, or one for a place that nobody asked from: then nobody's
        user is set.
        """
        kept = {name: data[name] for name in _KEPT if name in data}
        if "channel" not in kept:
            team, _, rest = place.removeprefix(PLATFORM).partition("/")
            channel, _, thread = rest.partition("/")
            kept |= {"team": team, "channel": channel, "thread": thread, "user": ""}
        return cls(**{"user": "", **kept})


def get_team(body: Mapping[str, Any]) -> str:
    """The workspace of a payload in which the app is installed (the organisation where nothing else
    is named).

    In a channel shared with another workspace the outer `team_id` of an event is the partner's, and
    ours is in its authorizations; a view says where it was opened. Whoever is behind it is a person
    of this place all the same.
    """
    view = body.get("view") or {}
    user = body.get("user")
    granted = next(iter(body.get("authorizations") or ()), None) or {}
    team = view.get("app_installed_team_id") or granted.get("team_id")
    team = team or body.get("team_id") or (body.get("team") or {}).get("id")
    team = team or (user.get("team_id") if isinstance(user, Mapping) else "") or view.get("team_id")
    return str(team or body.get("enterprise_id") or (body.get("enterprise") or {}).get("id") or "")


def read_command_payload(body: Mapping[str, Any]) -> SlackRequest:
    """The ask behind a slash command. Its trigger is Slack's only id that stays the same when it
    comes twice.
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
    """The ask behind a written message; one message is one request, however many events tell of
    it.
    """
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
    """The ask behind a button or another element of a message or form."""
    team = get_team(body)
    box = body.get("container") or {}
    channel = (body.get("channel") or {}).get("id") or box.get("channel_id") or ""
    ts = box.get("message_ts") or ""
    thread = box.get("thread_ts") or (body.get("message") or {}).get("thread_ts") or ""
    return SlackRequest(
        team=team,
        channel=channel,
        user=body["user"]["id"],
        request_id=f"{PLATFORM}{team}:{body.get('trigger_id', '')}",
        thread=thread if thread != ts else "",
        response_url=body.get("response_url", ""),
        until=time.time() + URL_LIFE,
        trigger=body.get("trigger_id", ""),
        message=ts,
        channel_name=(body.get("channel") or {}).get("name") or "",
        team_name=(body.get("team") or {}).get("domain") or "",
        user_name=body["user"].get("username") or body["user"].get("name") or "",
    )


def read_shortcut_payload(body: Mapping[str, Any]) -> SlackRequest:
    """The ask behind a shortcut: from the menu of a message, or from anywhere."""
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
"""All that anybody here looks at, and all of it text: `[]` is each item of a list, `*` each field
whatever its name; a field with a `+` has to be there where what it is in is there."""


def _build_shape(paths: Iterable[str]) -> Json:
    """Such paths as a tree, by their steps; {} is a text."""
    shape: Json = {}
    for path in paths:
        at = shape
        for step in path.split("."):
            at = at.setdefault(step, {})
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
    """Return whether a payload can be read: nothing that is looked at has another shape, and what
    its kind needs is there.
    """
    if not isinstance(payload, Mapping) or not _fits_shape(payload, _PAYLOAD):
        return False
    needed = [
        path for kind, paths in _NEEDED.items() if payload.get(kind) is not None for path in paths
    ]
    needed += _NEEDED_BY_TYPE.get(str(payload.get("type")), ())
    if "event" in payload and not (payload["event"] and _is_event(payload["event"])):
        return False
    if "view" in payload and not payload["view"]:
        return False
    return all(_has_path(payload, path) for path in needed) and bool(
        get_team(payload) or not needed
    )


def _is_event(event: Mapping[str, Any]) -> bool:
    """Return whether an event that may be a command to us has what an answer needs."""
    if (
        event.get("type") not in ("app_mention", "message")
        or not event.get("user")
        or event.get("subtype")
    ):
        return bool(event.get("type"))
    return bool(event.get("ts") and event.get("channel"))


def _has_path(payload: Mapping[str, Any], path: str) -> bool:
    found: Any = payload
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found not in (None, "", [])


def _fits_shape(value: object, shape: Json) -> bool:
    if value is None:
        return True
    if not shape:
        return isinstance(value, str)
    if "[]" in shape:
        return isinstance(value, list) and all(
            one is not None and _fits_shape(one, shape["[]"]) for one in value
        )
    if not isinstance(value, Mapping):
        return False
    if "*" in shape:
        return all(one is not None and _fits_shape(one, shape["*"]) for one in value.values())
    fields = ((value.get(step.rstrip("+")), step, inner) for step, inner in shape.items())
    return all(
        _fits_shape(found, inner) and not (found is None and step[-1] == "+")
        for found, step, inner in fields
    )
