"""What a person types after a slash, turned into an interaction's data as Discord's own client
would.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.standins.discord.commands import (
    ATTACHMENT,
    BOOLEAN,
    CHANNEL,
    GROUP,
    INTEGER,
    NUMBER,
    STRING,
    USER,
)
from tests.standins.discord.errors import Json
from tests.standins.discord.payloads import attachment_json, channel_json, user_json
from tests.standins.discord.permissions import ADMINISTRATOR, VIEW_CHANNEL
from tests.standins.discord.state import Channel, User, World


class NotPossible(Exception):
    """Something that a person could not do in Discord's client."""


def leaf(command: Json, path: list[str]) -> tuple[Json, list[Json]]:
    """The command or subcommand at `path` (without the command's name), and the levels above it.

    Raises NotPossible when there is none.
    """
    here, levels = command, []
    for name in path:
        found = next(
            (o for o in here.get("options") or [] if o["name"] == name and o["type"] <= GROUP), None
        )
        if found is None:
            known = [o["name"] for o in here.get("options") or []]
            raise NotPossible(f"/{command['name']} {' '.join(path)}: no {name!r} among {known}")
        here = found
        levels.append(found)
    if any(o["type"] <= GROUP for o in here.get("options") or []):
        raise NotPossible(f"/{command['name']} {' '.join(path)} needs a subcommand")
    return here, levels


class Typed:
    """One filled-in command: its data, and whatever its options refer to."""

    def __init__(
        self,
        world: World,
        base_url: str,
        command: Json,
        path: list[str],
        user: User,
        where: Channel,
    ) -> None:
        self._world, self._base_url = world, base_url
        self._user, self._guild = user, where.guild
        self.command = command
        self.leaf, self._levels = leaf(command, path)
        self._known = {option["name"]: option for option in self.leaf.get("options") or []}
        self._resolved: Json = {}

    def option(self, name: str) -> Json:
        """The registered option; `_` may stand for `-`. Raises NotPossible."""
        for spelled in (name, name.replace("_", "-"), name.rstrip("_")):
            if spelled in self._known:
                found: Json = self._known[spelled]
                return found
        raise NotPossible(f"no option {name!r} in {self.leaf['name']!r}: {sorted(self._known)}")

    def data(self, values: Mapping[str, Any], *, complete: bool = True) -> Json:
        """The interaction's data. Raises NotPossible for what the client would not send."""
        given = [
            self._filled(self.option(name), value)
            for name, value in values.items()
            if value is not None
        ]
        names = {one["name"] for one in given}
        missing = [n for n, o in self._known.items() if o.get("required") and n not in names]
        if complete and missing:
            raise NotPossible(f"{self.leaf['name']!r} requires {missing}")
        return self.wrapped(given)

    def wrapped(self, options: list[Json]) -> Json:
        """`options` inside their subcommand and group."""
        for level in reversed(self._levels):
            options = [{"type": level["type"], "name": level["name"], "options": options}]
        data: Json = {"id": self.command["id"], "name": self.command["name"], "type": 1}
        if "guild_id" in self.command:
            data["guild_id"] = self.command["guild_id"]
        if options:
            data["options"] = options
        if self._resolved:
            data["resolved"] = self._resolved
        return data

    def _filled(self, option: Json, value: Any) -> Json:
        kind = option["type"]
        if kind == STRING:
            value = self._string(option, value)
        elif kind in (INTEGER, NUMBER):
            value = self._number(option, value)
        elif kind == BOOLEAN:
            if not isinstance(value, bool):
                raise NotPossible(f"{option['name']} is True or False, not {value!r}")
        else:
            value = self._reference(option, value)
        if option.get("choices") and value not in [c["value"] for c in option["choices"]]:
            raise NotPossible(
                f"{option['name']}: {value!r} is not among {[c['value'] for c in option['choices']]}"
            )
        return {"name": option["name"], "type": kind, "value": value}

    def _string(self, option: Json, value: Any) -> str:
        text = str(value)
        for choice in option.get("choices") or []:
            if choice["name"] == text:
                return str(choice["value"])
        if not option.get("min_length", 0) <= len(text) <= option.get("max_length", 6000):
            raise NotPossible(f"{option['name']}: {len(text)} characters")
        return text

    def _number(self, option: Json, value: Any) -> float:
        for choice in option.get("choices") or []:
            if choice["name"] == value:
                value = choice["value"]
        if isinstance(value, bool) or not isinstance(
            value, int if option["type"] == INTEGER else int | float
        ):
            raise NotPossible(f"{option['name']} is a number, not {value!r}")
        if not option.get("min_value", value) <= value <= option.get("max_value", value):
            raise NotPossible(f"{option['name']}: {value} is out of range")
        number: float = value
        return number

    def _reference(self, option: Json, value: Any) -> str:
        kind = option["type"]
        if kind == ATTACHMENT:
            name, content = value
            need_type(option, name)
            file = self._world.attach(name, content, self._base_url)
            return self._resolve("attachments", file.id, attachment_json(file))
        if kind == USER:
            return self._resolve("users", value.user.id, user_json(value.user))
        if kind == CHANNEL and isinstance(value, Channel):
            may = self._world.permissions(self._user, value)
            if not may & VIEW_CHANNEL or value.guild is not self._guild:
                raise NotPossible(
                    f"{option['name']}: {value.name} is not offered to {self._user.name} here"
                )
            entry = channel_json(self._world, value, sparse=True) | {"permissions": str(may)}
            if self._world.tells_app_permissions:
                entry["app_permissions"] = str(self._world.permissions(self._world.bot, value))
            return self._resolve("channels", value.id, entry)
        raise NotPossible(f"the stand-in cannot fill {option['name']} (type {kind})")

    def _resolve(self, group: str, number: int, entry: Json) -> str:
        self._resolved.setdefault(group, {})[str(number)] = entry
        return str(number)


def offered_to(command: Json, bits: int, context: int) -> bool:
    """True if Discord's client would offer the command to someone with those permissions there."""
    contexts = command.get("contexts")
    if contexts is not None and context not in contexts:
        return False
    needed = command.get("default_member_permissions")
    if context or needed is None:
        return True
    return bool(bits & ADMINISTRATOR) or (int(needed) != 0 and not int(needed) & ~bits)


def need_type(where: Json, name: str) -> None:
    """Raise NotPossible for a file whose name ends otherwise than an option, or the field of a
    form, takes.
    """
    ends = where.get("file_types")
    if ends and not name.casefold().endswith(tuple(ends)):
        raise NotPossible(f"{name} is not among the types that are taken: {', '.join(ends)}")
