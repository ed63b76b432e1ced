"""People: what a test lets them type, press, choose and fill in."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.standins.discord import permissions as may
from tests.standins.discord.components import BUTTON, DISPLAY, LABEL, ROW, SELECTS, TEXT_INPUT
from tests.standins.discord.errors import Json
from tests.standins.discord.options import NotPossible, Typed, offered_to
from tests.standins.discord.payloads import interaction_json, user_json
from tests.standins.discord.site import Site
from tests.standins.discord.state import Answer, Channel, Guild, Interaction, Kind, Message, User


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of an autocomplete list."""

    name: str
    value: str | int | float


class Deliveries:
    """How often the next interactions reach the bot."""

    def __init__(self) -> None:
        self.twice = 0
        self.gap = 0.0


class Person:
    """Somebody using Discord's client."""

    def __init__(self, site: Site, user: User, deliveries: Deliveries) -> None:
        self.user = user
        self._site = site
        self._world = site.world
        self._deliveries = deliveries

    @property
    def id(self) -> int:
        """The user's id."""
        return self.user.id

    @property
    def mention(self) -> str:
        """The text that mentions this person."""
        return f"<@{self.user.id}>"

    def dm(self) -> Channel:
        """The DM with the bot."""
        return self._world.dm(self.user)

    def join(self, guild: Guild) -> Person:
        """Become a member, with everyone's permissions."""
        guild.members.setdefault(self.user.id, guild.everyone)
        return self

    def permit(self, guild: Guild, **changes: bool) -> Person:
        """Grant (True) or take (False) permissions in a server: `manage_guild=True`."""
        self.join(guild)
        guild.members[self.user.id] = may.changed(guild.members[self.user.id], changes)
        return self

    def sees(self, channel: Channel) -> list[Message]:
        """The messages this person sees in the channel, oldest first."""
        if not self._world.permissions(self.user, channel) & may.VIEW_CHANNEL:
            return []
        return channel.seen_by(self.user)

    def say(self, channel: Channel, text: str) -> Message:
        """Type a message."""
        return self._site.posting.say(channel, self.user, text)

    def dismiss(self, message: Message) -> None:
        """Hide a private message; the bot can no longer edit it."""
        if message.private_to is not self.user:
            raise NotPossible("only one's own private messages can be dismissed")
        message.dismissed = True

    # commands

    async def slash(self, where: Channel, /, *path: str | Mapping[str, Any], **options: Any) -> Interaction:
        """Send a command and wait for the first response (`failed` is set if none came in time).

        The path may be one string ("lnlt fire") or several; a mapping in it holds options whose names are
        no Python names. Raises NotPossible for what Discord's client would not offer or send.
        """
        return await self.send(where, *path, **options).first_response()

    def send(self, where: Channel, /, *path: str | Mapping[str, Any], **options: Any) -> Interaction:
        """As `slash`, without waiting."""
        typed, values = self._typed(where, path, options)
        return self._dispatch(Kind.COMMAND, where, typed.data(values))

    async def autocomplete(
        self, where: Channel, path: str, focused: str, value: str, /, **options: Any
    ) -> list[Choice]:
        """The choices shown while `value` stands in the option `focused`, after `options` were filled in.

        Raises NotPossible if the option has no autocomplete, AssertionError if no list came in time.
        """
        interaction = await self.complete(where, path, focused, value, **options).first_response()
        assert interaction.response is not None, f"no choices: {interaction.refused}"
        return [Choice(c["name"], c["value"]) for c in interaction.response["data"]["choices"]]

    def complete(self, where: Channel, path: str, focused: str, value: str, /, **options: Any) -> Interaction:
        """As `autocomplete`, without waiting: the interaction."""
        typed, values = self._typed(where, (path,), options)
        option = typed.option(focused)
        if not option.get("autocomplete"):
            raise NotPossible(f"{focused} has no autocomplete")
        data = typed.data(values, complete=False)
        entry = {"name": option["name"], "type": option["type"], "value": value, "focused": True}
        inner: Json = data
        while (below := inner.get("options") or []) and below[0]["type"] in (1, 2):
            inner = below[0]
        inner["options"] = [*inner.get("options", []), entry]
        return self._dispatch(Kind.AUTOCOMPLETE, where, data, focused_type=option["type"])

    def _typed(
        self, where: Channel, path: Sequence[str | Mapping[str, Any]], options: Mapping[str, Any]
    ) -> tuple[Typed, dict[str, Any]]:
        words = [word for part in path if isinstance(part, str) for word in part.split()]
        values: dict[str, Any] = {}
        for part in path:
            if not isinstance(part, str):
                values |= part
        values |= options
        guild = where.guild
        command = self._site.commands.find(words[0].lstrip("/"), guild.id if guild else None)
        if command is None:
            raise NotPossible(f"no command /{words[0]}: {[c['name'] for c in self._site.commands.all()]}")
        bits = self._world.permissions(self.user, where)
        if not offered_to(command, bits, in_guild=guild is not None) or not self._may_command(where, bits):
            raise NotPossible(f"/{command['name']} is not offered to {self.user.name} here")
        return Typed(self._world, self._site.base_url, command, words[1:]), values

    def _may_command(self, where: Channel, bits: int) -> bool:
        if where.guild is not None and not where.guild.has_bot:
            return False
        return not (may.VIEW_CHANNEL | may.USE_COMMANDS) & ~bits

    # components

    async def press(self, message: Message, button: str) -> Interaction:
        """Press a button, named by its label or custom_id, and wait for the first response."""
        return await self.send_press(message, button).first_response()

    def send_press(self, message: Message, button: str) -> Interaction:
        """As `press`, without waiting."""
        part = self._part(message, button, (BUTTON,))
        if part.get("style") == 5:
            raise NotPossible(f"{button!r} is a link")
        data = {"custom_id": part["custom_id"], "component_type": BUTTON, "id": part["id"]}
        return self._dispatch(Kind.COMPONENT, message.channel, data, source=message)

    async def select(self, message: Message, menu: str, values: Sequence[str] | str) -> Interaction:
        """Choose in a select, named by custom_id or placeholder; values or labels. Waits for the first response."""
        return await self.send_select(message, menu, values).first_response()

    def send_select(self, message: Message, menu: str, values: Sequence[str] | str) -> Interaction:
        """As `select`, without waiting."""
        part = self._part(message, menu, SELECTS)
        chosen = _chosen(part, [values] if isinstance(values, str) else list(values))
        data = {"custom_id": part["custom_id"], "component_type": part["type"], "id": part["id"], "values": chosen}
        return self._dispatch(Kind.COMPONENT, message.channel, data, source=message)

    def _part(self, message: Message, name: str, kinds: Sequence[int]) -> Json:
        if not message.visible_to(self.user):
            raise NotPossible(f"{self.user.name} does not see that message")
        parts = [p for p in message.parts if p["type"] in kinds]
        for key in ("label", "custom_id", "placeholder"):
            found = [p for p in parts if p.get(key) == name]
            if found:
                if found[0].get("disabled"):
                    raise NotPossible(f"{name!r} is disabled")
                return found[0]
        raise NotPossible(f"no {name!r} among {[p.get('label') or p.get('custom_id') for p in parts]}")

    # forms

    async def submit_modal(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Fill in the form that `opened` brought, fields named by custom_id or label, and wait for the first response.

        A text field takes a string, a select a list of values or labels. Raises NotPossible for what the form
        does not accept.
        """
        return await self.send_modal(opened, values).first_response()

    def send_modal(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """As `submit_modal`, without waiting."""
        if opened.answer_kind is not Answer.MODAL:
            raise NotPossible(f"no form was opened ({opened.answer_kind!r})")
        left = dict(values)
        parts = [_submitted(part, left) for part in opened.modal["components"]]
        if left:
            raise NotPossible(f"no field {sorted(left)} in the form")
        data = {"custom_id": opened.modal["custom_id"], "components": [p for p in parts if p is not None]}
        return self._dispatch(Kind.MODAL, opened.channel, data, source=opened.source, opened_by=opened)

    # delivery

    def _dispatch(
        self,
        kind: Kind,
        channel: Channel,
        data: Json,
        *,
        source: Message | None = None,
        opened_by: Interaction | None = None,
        focused_type: int = 3,
    ) -> Interaction:
        found = Interaction(
            self._world.ids.next(),
            secrets.token_urlsafe(32),
            kind,
            self.user,
            channel,
            data,
            self._site.clock.now(),
            time.monotonic(),
            source=source,
            opened_by=opened_by,
            focused_type=focused_type,
            limit=self._site.settings.receipt_limit,
        )
        self._world.interactions[found.id] = found
        self._world.tokens[found.token] = found
        event = interaction_json(self._world, found)
        self._site.gateway.dispatch(channel.guild, "INTERACTION_CREATE", event)
        if self._deliveries.twice > 0:
            self._deliveries.twice -= 1
            self._again(found, event)
        return found

    def _again(self, found: Interaction, event: Json) -> None:
        def repeat() -> None:
            self._site.gateway.dispatch(found.channel.guild, "INTERACTION_CREATE", event)

        asyncio.get_running_loop().call_later(self._deliveries.gap, repeat)

    def json(self) -> Json:
        """The user object."""
        return user_json(self.user)


def _chosen(part: Json, values: list[str]) -> list[str]:
    """The values of a select for what a person clicked. Raises NotPossible."""
    low, high = part.get("min_values", 1), part.get("max_values", 1)
    if not low <= len(values) <= high:
        raise NotPossible(f"{part['custom_id']}: {low} to {high} values, not {len(values)}")
    if part["type"] not in (3, 21, 22):
        return values
    by_label = {option["label"]: option["value"] for option in part["options"]}
    known = set(by_label.values())
    missing = [v for v in values if v not in known and v not in by_label]
    if missing:
        raise NotPossible(f"{part['custom_id']}: no {missing} among {sorted(by_label)}")
    return [v if v in known else by_label[v] for v in values]


def _submitted(part: Json, left: dict[str, Any]) -> Json | None:
    """One row or label of a form as it is sent; takes its value out of `left`."""
    if part["type"] == DISPLAY:
        return {"type": DISPLAY, "id": part["id"]}
    if part["type"] == ROW:
        field = part["components"][0]
        return {"type": ROW, "id": part["id"], "components": [_field(field, str(field["label"]), left)]}
    assert part["type"] == LABEL
    return {"type": LABEL, "id": part["id"], "component": _field(part["component"], part["label"], left)}


def _field(field: Json, label: str, left: dict[str, Any]) -> Json:
    name = field["custom_id"]
    value = left.pop(name, left.pop(label, None))
    sent = {"type": field["type"], "id": field["id"], "custom_id": name}
    if field["type"] == TEXT_INPUT:
        return sent | {"value": _text(field, field.get("value") or "" if value is None else str(value))}
    if field["type"] in (*SELECTS, 22):
        return sent | {"values": _form_choice(field, value)}
    return sent | {"value": value}


def _text(field: Json, text: str) -> str:
    low, high = field.get("min_length") or 0, field.get("max_length") or 4000
    if (field.get("required", True) and not text) or (text and not low <= len(text) <= high):
        raise NotPossible(f"{field['custom_id']}: {len(text)} characters, {low} to {high} are accepted")
    return text


def _form_choice(field: Json, value: Any) -> list[str]:
    if value is None:
        value = [o["value"] for o in field.get("options", []) if o.get("default")]
    values = [value] if isinstance(value, str) else list(value)
    if not values and not field.get("required", True):
        return []
    return _chosen(field, values)
