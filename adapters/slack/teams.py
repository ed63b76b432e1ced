"""The workspaces where the app is installed, each with its token: the one of the settings, and
those of OAuth, which are in the store, encrypted with the host's key."""

import base64
import binascii
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from cachetools import TTLCache
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.request import PLATFORM
from bot.app import App
from bot.commands.games.link import remind_linked_channels
from bot.preferences.adapter_notes import Notes
from bot.rules.errors import UserError

log = logging.getLogger(__name__)

KEPT = 30.0
"""Seconds that an installation is believed in: another process may have heard of its end."""
INSTALLATION = "installation"
ORGANISATION = "organisation"
_NONCE = 12


@dataclass(frozen=True, slots=True)
class Team:
    """An installation: the workspace's id, the bot's token there, and who the bot is."""

    id: str
    token: str = field(repr=False)
    bot_user: str = ""
    bot_id: str = ""
    name: str = ""


class StoreVault:
    """Keeps installations; a token that was encrypted with another key is as good as none."""

    def __init__(self, app: App, key: bytes) -> None:
        self._app, self._notes, self._cipher = app, Notes(app.store, "slack"), AESGCM(key)

    async def load(self, team: str) -> Team | None:
        """The installation of a workspace."""
        kept = await self._notes.get(INSTALLATION, team)
        if kept is None:
            return None
        if organisation := kept.get(ORGANISATION):
            found = await self.load(organisation)
            return replace(found, id=team) if found is not None else None
        token = self._open(kept["token"], team)
        if token is None:
            log.error(
                "the token of workspace %s was encrypted with another GROGNARD_KEY: install the app anew",
                team,
            )
            return None
        return Team(team, token, kept["bot_user"], kept["bot_id"], kept["name"])

    async def save(self, team: Team) -> None:
        """Keep an installation, in place of an older one; what the workspace played is there
        again.
        """
        data = {
            "token": self._seal(team),
            "bot_user": team.bot_user,
            "bot_id": team.bot_id,
            "name": team.name,
        }
        await self._notes.put(INSTALLATION, team.id, data)
        await remind_linked_channels(self._app.store, f"{PLATFORM}{team.id}")

    async def save_organisation_of(self, team: str, organisation: str) -> None:
        """A workspace has the app by the installation of its organisation, whatever its token is
        at the time.
        """
        await self._notes.put(INSTALLATION, team, {ORGANISATION: organisation})
        await remind_linked_channels(self._app.store, f"{PLATFORM}{team}")

    async def remove(self, team: str) -> None:
        """Forget an installation."""
        await self._notes.remove(INSTALLATION, team)

    def _seal(self, team: Team) -> str:
        nonce = os.urandom(_NONCE)
        sealed = nonce + self._cipher.encrypt(nonce, team.token.encode(), team.id.encode())
        return base64.b64encode(sealed).decode()

    def _open(self, text: str, team: str) -> str | None:
        try:
            sealed = base64.b64decode(text, validate=True)
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], team.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError):
            return None


class Teams:
    """Installations by workspace."""

    def __init__(
        self, vault: StoreVault | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._vault = vault
        self._fixed: dict[str, Team] = {}
        self._known = TTLCache[str, Team](10_000, KEPT, clock)

    def add(self, team: Team) -> None:
        """A workspace whose token is in the settings."""
        self._fixed[team.id] = team

    async def find(self, id: str) -> Team | None:
        """The installation in a workspace, or None."""
        if (fixed := self._fixed.get(id)) is not None or self._vault is None:
            return fixed
        team = self._known.get(id)
        if team is None and (team := await self._vault.load(id)) is not None:
            # else it may be installed at any moment
            self._known[id] = team
        return team

    async def find_in_organisation(self, organisation: str, id: str) -> Team | None:
        """The installation in a workspace whose organisation has the app for all of them: kept
        for what comes later.
        """
        found = await self.find(organisation)
        if found is None:
            return None
        if organisation in self._fixed:
            self.add(replace(found, id=id))
        elif self._vault is not None:
            await self._vault.save_organisation_of(id, organisation)
        return replace(found, id=id)

    def forget_cached(self, id: str) -> None:
        """Look it up anew: it was installed or removed."""
        self._known.pop(id, None)

    async def is_back(self, id: str, wire: SlackApi) -> bool:
        """Return whether the app is there after all, by a token that Slack takes: of its removal
        one may hear late.
        """
        self.forget_cached(id)
        team = await self.find(id)
        if team is None:
            return False
        try:
            await wire.call_with_form(team.token, "auth.test")
        except (Busy, SlackRefused):
            return False
        return True

    async def remove(self, id: str) -> None:
        """The app was removed there."""
        if self._vault is not None:
            await self._vault.remove(id)
        self.forget_cached(id)


async def load_own_team(wire: SlackApi, token: str) -> Team:
    """The workspace of a token. Raises UserError when Slack refuses it, Busy when Slack cannot
    be reached.
    """
    try:
        found = await wire.call_with_form(token, "auth.test")
    except SlackRefused as refused:
        what = f"Slack refuses SLACK_BOT_TOKEN ({refused.error})."
        hint = 'Copy the "Bot User OAuth Token" (xoxb-...) from "OAuth & Permissions" into SLACK_BOT_TOKEN.'
        raise UserError(what, hint=hint, code="token-refused") from None
    id = found.get("team_id") or found.get("enterprise_id") or ""
    return Team(id, token, found.get("user_id", ""), found.get("bot_id", ""), found.get("team", ""))
