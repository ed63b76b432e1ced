"""People: what a test lets them type, press, choose and fill in."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.standins.discord import permissions as may
from tests.standins.discord.components import BUTTON, SELECTS
from tests.standins.discord.errors import Json
from tests.standins.discord.forms import chosen_values, submitted_part
from tests.standins.discord.options import NotPossible, Typed, offered_to
from tests.standins.discord.payloads import interaction_json, message_json, user_json
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

    def install(self) -> Person:
        """Add the app to their own account."""
        self.user.has_app = True
        return self

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

    async def slash(
        self, where: Channel, /, *path: str | Mapping[str, Any], **options: Any
    ) -> Interaction:
        """Send a command and wait for the first response (`failed` is set if none came in time).

        The path may be one string ("lnlt fire") or several; a mapping in it holds options whose
        names are no Python names. Raises NotPossible for what Discord's client would not offer or
        send.
        """
        return await self.send(where, *path, **options).first_response()

    def send(
        self, where: Channel, /, *path: str | Mapping[str, Any], **options: Any
    ) -> Interaction:
        """As `slash`, without waiting."""
        typed, values = self._typed(where, path, options)
        return self._dispatch(
            Kind.COMMAND, where, typed.data(values), owners=self._lets_in(where, typed.command)
        )

    async def menu(self, message: Message, name: str) -> Interaction:
        """Choose an entry under Apps in the menu of a message, and wait for the first response."""
        guild = message.channel.guild
        command = self._site.commands.find(name, guild.id if guild else None)
        if command is None or command["type"] != 3 or not self._lets_in(message.channel, command):
            raise NotPossible(f"no entry {name}")
        resolved = {"messages": {str(message.id): message_json(self._world, message)}}
        data = {
            "id": command["id"],
            "name": name,
            "type": 3,
            "target_id": str(message.id),
            "resolved": resolved,
        }
        owners = self._lets_in(message.channel, command)
        return await self._dispatch(
            Kind.COMMAND, message.channel, data, owners=owners
        ).first_response()

    async def forge(self, where: Channel, data: Json) -> Interaction:
        """Send a command's data as a client of one's own making would, whatever is in it."""
        return await self._dispatch(Kind.COMMAND, where, data).first_response()

    def typed(self, where: Channel, path: str, **options: Any) -> Json:
        """The data that the client would send for a command."""
        typed, values = self._typed(where, (path,), options)
        return typed.data(values)

    async def autocomplete(
        self, where: Channel, path: str, focused: str, value: str, /, **options: Any
    ) -> list[Choice]:
        """The choices shown while `value` stands in the option `focused`, after `options` were
        filled in.

        Raises NotPossible if the option has no autocomplete, AssertionError if no list came in
        time.
        """
        interaction = await self.complete(where, path, focused, value, **options).first_response()
        assert interaction.response is not None, f"no choices: {interaction.refused}"
        return [Choice(c["name"], c["value"]) for c in interaction.response["data"]["choices"]]

    def complete(
        self, where: Channel, path: str, focused: str, value: str, /, **options: Any
    ) -> Interaction:
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
        owners = self._lets_in(where, typed.command)
        return self._dispatch(
            Kind.AUTOCOMPLETE, where, data, focused_type=option["type"], owners=owners
        )

    def _lets_in(self, where: Channel, command: Json) -> Json:
        """Whose installs let this person use a command there."""
        own = "guild_id" in command
        return self._world.installs(
            self.user, where, (0,) if own else command.get("integration_types") or (0,)
        )

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
            raise NotPossible(
                f"no command /{words[0]}: {[c['name'] for c in self._site.commands.all()]}"
            )
        bits = self._world.permissions(self.user, where)
        if not offered_to(command, bits, where.context) or not self._may_command(
            where, bits, command
        ):
            raise NotPossible(f"/{command['name']} is not offered to {self.user.name} here")
        return Typed(self._world, self._site.base_url, command, words[1:], self.user, where), values

    def _may_command(self, where: Channel, bits: int, command: Json) -> bool:
        if not self._lets_in(where, command):
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
        """Choose in a select, named by custom_id or placeholder; values or labels. Waits for the
        first response.
        """
        return await self.send_select(message, menu, values).first_response()

    def send_select(self, message: Message, menu: str, values: Sequence[str] | str) -> Interaction:
        """As `select`, without waiting."""
        part = self._part(message, menu, SELECTS)
        chosen = chosen_values(part, [values] if isinstance(values, str) else list(values))
        data = {
            "custom_id": part["custom_id"],
            "component_type": part["type"],
            "id": part["id"],
            "values": chosen,
        }
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
        raise NotPossible(
            f"no {name!r} among {[p.get('label') or p.get('custom_id') for p in parts]}"
        )

    # forms

    async def submit_modal(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """Fill in the form that `opened` brought, fields named by custom_id or label, and wait for
        the first response.

        A text field takes a string, a select a list of values or labels. Raises NotPossible for
        what the form does not accept.
        """
        return await self.send_modal(opened, values).first_response()

    def send_modal(self, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
        """As `submit_modal`, without waiting."""
        if opened.answer_kind is not Answer.MODAL:
            raise NotPossible(f"no form was opened ({opened.answer_kind!r})")
        left = dict(values)
        parts = [submitted_part(part, left) for part in opened.modal["components"]]
        if left:
            raise NotPossible(f"no field {sorted(left)} in the form")
        data = {
            "custom_id": opened.modal["custom_id"],
            "components": [p for p in parts if p is not None],
        }
        return self._dispatch(
            Kind.MODAL, opened.channel, data, source=opened.source, opened_by=opened
        )

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
        owners: Json | None = None,
    ) -> Interaction:
        if owners is None:  # under an answer it is as it was with the command behind that
            behind = opened_by or (source.interaction if source is not None else None)
            owners = (
                behind.owners if behind is not None else self._world.installs(self.user, channel)
            )
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
            owners=owners,
        )
        self._world.interactions[found.id] = found
        self._world.tokens[found.token] = found
        event = interaction_json(self._world, found)
        self._site.deliver(channel.guild, event)
        if self._deliveries.twice > 0:
            self._deliveries.twice -= 1
            self._again(found, event)
        return found

    def _again(self, found: Interaction, event: Json) -> None:
        def repeat() -> None:
            self._site.deliver(found.channel.guild, event)

        asyncio.get_running_loop().call_later(self._deliveries.gap, repeat)

    def json(self) -> Json:
        """The user object."""
        return user_json(self.user)
