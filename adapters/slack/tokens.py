"""Installations in the store, their tokens encrypted with the host's key."""

from __future__ import annotations

import base64
import binascii
import logging
import os
from dataclasses import replace

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from adapters.slack.request import PLATFORM
from adapters.slack.teams import Team
from bot.app import App

log = logging.getLogger(__name__)

INSTALLATION = "installation"
ORGANISATION = "organisation"
_NONCE = 12


class StoreVault:
    """Keeps installations; a token that was encrypted with another key is as good as none."""

    def __init__(self, app: App, key: bytes) -> None:
        self._app, self._notes, self._cipher = app, app.notes("slack"), AESGCM(key)

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
            log.error("the token of workspace %s was encrypted with another GROGNARD_KEY: install the app anew", team)
            return None
        return Team(team, token, kept["bot_user"], kept["bot_id"], kept["name"])

    async def save(self, team: Team) -> None:
        """Keep an installation, in place of an older one; what the workspace played is there again."""
        data = {"token": self._seal(team), "bot_user": team.bot_user, "bot_id": team.bot_id, "name": team.name}
        await self._notes.put(INSTALLATION, team.id, data)
        await self._app.server_joined(f"{PLATFORM}{team.id}")

    async def belongs(self, team: str, organisation: str) -> None:
        """A workspace has the app by the installation of its organisation, whatever its token is at the time."""
        await self._notes.put(INSTALLATION, team, {ORGANISATION: organisation})
        await self._app.server_joined(f"{PLATFORM}{team}")

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
