"""The workspaces where the app is installed, each with its token: the workspace of the settings,
and those of OAuth, which are in the store, encrypted with the host's key.
"""

import asyncio
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

INSTALLATION_CACHE_SECONDS = 30.0
"""Seconds for which an installation is cached, because another process may have removed it."""
INSTALLATION = "installation"
"""The kind of the notes about installations."""
ORGANISATION = "organisation"
"""The key of an organisation's id in the note about one of its workspaces."""
REMOVAL_CHECK_PAUSES = (1.0, 5.0, 15.0, 30.0)
"""Seconds between the attempts to ask Slack whether an app that was removed is installed again."""
MAX_REMOVAL_CHECK_PAUSE = 60.0
"""Maximum seconds between two of them, if Slack asks for more."""
_NONCE = 12
"""Bytes of the nonce before an encrypted token."""


@dataclass(frozen=True, slots=True)
class Team:
    """An installation: the workspace's id and name, the bot's token for it, and the bot's ids."""

    id: str
    token: str = field(repr=False)
    bot_user: str = ""
    bot_id: str = ""
    name: str = ""


class StoreVault:
    """Installations in the store, with encrypted tokens. An installation whose token was encrypted
    with another key counts as missing.
    """

    def __init__(self, app: App, key: bytes) -> None:
        self._app = app
        self._notes = Notes(app.store, "slack")
        self._cipher = AESGCM(key)

    async def load(self, team: str) -> Team | None:
        """Load the installation of a workspace, which may be that of its organisation.

        Return None if there is none, or its token cannot be decrypted, which is logged.
        """
        note = await self._notes.get(INSTALLATION, team)
        if note is None:
            return None
        organisation = note.get(ORGANISATION)
        if organisation:
            installation = await self.load(organisation)
            return replace(installation, id=team) if installation is not None else None
        token = self._open(note["token"], team)
        if token is None:
            log.error(
                "the token of workspace %s was encrypted with another GROGNARD_KEY: install the app anew",
                team,
            )
            return None
        return Team(team, token, note["bot_user"], note["bot_id"], note["name"])

    async def save(self, team: Team) -> None:
        """Save an installation in place of an older one, and take the workspace's games up again."""
        data = {
            "token": self._seal(team),
            "bot_user": team.bot_user,
            "bot_id": team.bot_id,
            "name": team.name,
        }
        await self._notes.put(INSTALLATION, team.id, data)
        await remind_linked_channels(self._app.store, f"{PLATFORM}{team.id}")

    async def save_organisation_of(self, team: str, organisation: str) -> None:
        """Save that a workspace uses the installation of its organisation, and take its games up
        again.
        """
        await self._notes.put(INSTALLATION, team, {ORGANISATION: organisation})
        await remind_linked_channels(self._app.store, f"{PLATFORM}{team}")

    async def remove(self, team: str) -> None:
        """Delete an installation."""
        await self._notes.remove(INSTALLATION, team)

    def _seal(self, team: Team) -> str:
        """Encrypt the token of an installation, bound to the workspace's id."""
        nonce = os.urandom(_NONCE)
        encrypted = self._cipher.encrypt(nonce, team.token.encode(), team.id.encode())
        return base64.b64encode(nonce + encrypted).decode()

    def _open(self, text: str, team: str) -> str | None:
        """Decrypt the token of a workspace, or return None if that fails."""
        try:
            data = base64.b64decode(text, validate=True)
            nonce = data[:_NONCE]
            encrypted = data[_NONCE:]
            return self._cipher.decrypt(nonce, encrypted, team.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError):
            return None


class Teams:
    """The installations by workspace: that of the settings, and those of the vault through a
    cache.
    """

    def __init__(
        self, vault: StoreVault | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._vault = vault
        self._fixed: dict[str, Team] = {}
        self._cached_teams = TTLCache[str, Team](10_000, INSTALLATION_CACHE_SECONDS, clock)

    def add(self, team: Team) -> None:
        """Add a workspace whose token is in the settings."""
        self._fixed[team.id] = team

    async def find(self, id: str) -> Team | None:
        """Return the installation in a workspace, or None."""
        fixed = self._fixed.get(id)
        if fixed is not None or self._vault is None:
            return fixed
        team = self._cached_teams.get(id)
        if team is None:
            team = await self._vault.load(id)
            if team is not None:  # a missing one may be installed at any moment
                self._cached_teams[id] = team
        return team

    async def find_in_organisation(self, organisation: str, id: str) -> Team | None:
        """Return the installation in a workspace whose organisation has the app for all of its
        workspaces, and save it for later requests. Return None if the organisation does not have
        the app.
        """
        installation = await self.find(organisation)
        if installation is None:
            return None
        team = replace(installation, id=id)
        if organisation in self._fixed:
            self.add(team)
        elif self._vault is not None:
            await self._vault.save_organisation_of(id, organisation)
        return team

    def forget_cached(self, id: str) -> None:
        """Drop an installation from the cache, because it was made or removed."""
        self._cached_teams.pop(id, None)

    async def is_back(self, id: str, wire: SlackApi) -> bool:
        """Return whether the app is installed with a token that Slack accepts.

        News of a removal may come late, after a new installation. While Slack is busy, ask it again
        after each of REMOVAL_CHECK_PAUSES. If it is still busy then, return False, so that the news
        counts.
        """
        for pause in (*REMOVAL_CHECK_PAUSES, None):
            self.forget_cached(id)  # it may be installed while we wait
            team = await self.find(id)
            if team is None:
                return False
            try:
                await wire.call_with_form(team.token, "auth.test")
                return True
            except SlackRefused:
                return False
            except Busy as busy:
                if pause is not None:
                    await asyncio.sleep(min(max(busy.seconds, pause), MAX_REMOVAL_CHECK_PAUSE))
        return False

    async def remove(self, id: str) -> None:
        """Delete the installation of a workspace from which the app was removed."""
        if self._vault is not None:
            await self._vault.remove(id)
        self.forget_cached(id)


async def load_own_team(wire: SlackApi, token: str) -> Team:
    """Load the workspace of a token from Slack.

    Raises UserError if Slack refuses the token, Busy if Slack cannot be reached.
    """
    try:
        bot = await wire.call_with_form(token, "auth.test")
    except SlackRefused as refused:
        sentence = f"Slack refuses SLACK_BOT_TOKEN ({refused.error})."
        hint = 'Copy the "Bot User OAuth Token" (xoxb-...) from "OAuth & Permissions" into SLACK_BOT_TOKEN.'
        raise UserError(sentence, hint=hint, code="token-refused") from None
    id = bot.get("team_id") or bot.get("enterprise_id") or ""
    return Team(id, token, bot.get("user_id", ""), bot.get("bot_id", ""), bot.get("team", ""))
