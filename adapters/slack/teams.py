"""The workspaces where the app is installed, each with its token: the one of the settings, and those of OAuth."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from adapters.slack.calls import Busy, Refused, Wire
from bot.rules.errors import UserError

KEPT = 30.0
"""Seconds that an installation is believed in: another process may have heard of its end."""


@dataclass(frozen=True, slots=True)
class Team:
    """An installation: the workspace's id, the bot's token there, and who the bot is."""

    id: str
    token: str = field(repr=False)
    bot_user: str = ""
    bot_id: str = ""
    name: str = ""


class Vault(Protocol):
    """Where installations are kept."""

    async def load(self, team: str) -> Team | None:
        """The installation of a workspace."""
        ...

    async def remove(self, team: str) -> None:
        """The app was removed from a workspace."""
        ...

    async def belongs(self, team: str, organisation: str) -> None:
        """A workspace has the app by the installation of its organisation."""
        ...


class Teams:
    """Installations by workspace."""

    def __init__(self, vault: Vault | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._vault, self._clock = vault, clock
        self._fixed: dict[str, Team] = {}
        self._known: dict[str, tuple[float, Team]] = {}

    def add(self, team: Team) -> None:
        """A workspace whose token is in the settings."""
        self._fixed[team.id] = team

    async def find(self, id: str) -> Team | None:
        """The installation in a workspace, or None."""
        if (fixed := self._fixed.get(id)) is not None or self._vault is None:
            return fixed
        at, team = self._known.get(id) or (0.0, None)
        if team is None or self._clock() - at >= KEPT:
            team = await self._vault.load(id)
            if len(self._known) > 10_000:
                self._known.clear()
            if team is None:  # another process may install it at any moment
                self._known.pop(id, None)
            else:
                self._known[id] = (self._clock(), team)
        return team

    async def within(self, organisation: str, id: str) -> Team | None:
        """The installation in a workspace whose organisation has the app for all of them: kept for what comes later."""
        found = await self.find(organisation)
        if found is None:
            return None
        if organisation in self._fixed:
            self.add(replace(found, id=id))
        elif self._vault is not None:
            await self._vault.belongs(id, organisation)
        return replace(found, id=id)

    def changed(self, id: str) -> None:
        """Look it up anew: it was installed or removed."""
        self._known.pop(id, None)

    async def is_back(self, id: str, wire: Wire) -> bool:
        """Whether the app is there after all, by a token that Slack takes: of its removal one may hear late."""
        self.changed(id)
        team = await self.find(id)
        if team is None:
            return False
        try:
            await wire.request(team.token, "auth.test")
        except (Busy, Refused):
            return False
        return True

    async def remove(self, id: str) -> None:
        """The app was removed there."""
        if self._vault is not None:
            await self._vault.remove(id)
        self.changed(id)


async def own_team(wire: Wire, token: str) -> Team:
    """The workspace of a token. Raises UserError when Slack refuses it, Busy when Slack cannot be reached."""
    try:
        found = await wire.request(token, "auth.test")
    except Refused as refused:
        raise UserError(
            f"Slack refuses SLACK_BOT_TOKEN ({refused.error}).",
            hint='Copy the "Bot User OAuth Token" (xoxb-...) from "OAuth & Permissions" into SLACK_BOT_TOKEN.',
            code="token-refused",
        ) from None
    return Team(
        id=found.get("team_id") or found.get("enterprise_id") or "",
        token=token,
        bot_user=found.get("user_id", ""),
        bot_id=found.get("bot_id", ""),
        name=found.get("team", ""),
    )
