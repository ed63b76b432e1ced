"""Who asks: their name as Slack shows it, and whether they are an admin; asked once in a while."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from adapters.slack.calls import Busy, Refused, Wire
from adapters.slack.request import Request
from adapters.slack.teams import Teams
from bot.interface.spec import Person
from bot.rules.text.plain import clean_name

KEPT = 600.0
UNKNOWN_KEPT = 30.0
PATIENCE = 1.0  # an answer does not wait longer for a name
MAX_KNOWN = 10_000


class People:
    """Names by person, bounded."""

    def __init__(self, wire: Wire, teams: Teams) -> None:
        self._wire, self._teams = wire, teams
        self._known: dict[str, tuple[float, Person]] = {}
        self._asking: dict[str, tuple[float, asyncio.Task[Person]]] = {}

    async def find(self, request: Request) -> Person:
        """The person behind an ask; by the name of the payload while Slack does not say."""
        key = request.person_key
        until, person = self._known.get(key, (0.0, None))
        if person is not None and time.monotonic() < until:
            return person
        since, task = self._asking.get(key) or (time.monotonic(), None)
        if task is None:
            task = asyncio.create_task(self._look_up(request))
            self._asking[key] = since, task
            task.add_done_callback(lambda _: self._asking.pop(key, None))
        try:
            left = max(0.0, since + PATIENCE - time.monotonic())  # who was waited for already is not waited for again
            return await asyncio.wait_for(asyncio.shield(task), left)
        except TimeoutError:
            return person or _by_payload(request)

    async def _look_up(self, request: Request) -> Person:
        known = self._known.get(request.person_key)
        person, kept = known[1] if known else _by_payload(request), UNKNOWN_KEPT
        try:
            team = await self._teams.find(request.team)
            if team is not None:
                found = await self._wire.request(team.token, "users.info", user=request.user)
                person, kept = _person(request, found.get("user") or {}), KEPT
        except (Busy, Refused):
            pass
        if len(self._known) > MAX_KNOWN:
            self._known.clear()
        self._known[request.person_key] = (time.monotonic() + kept, person)
        return person


def _by_payload(request: Request) -> Person:
    return Person(request.person_key, clean_name(request.user_name) or "player")


def _person(request: Request, user: dict[str, Any]) -> Person:
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    name = next((shown for name in names if name and (shown := clean_name(str(name)))), "")
    is_of_here = user.get("team_id") == request.team  # whoever comes from elsewhere is admin of another workspace
    manages = is_of_here and any(user.get(right) for right in ("is_admin", "is_owner", "is_primary_owner"))
    return Person(request.person_key, name or clean_name(request.user_name) or "player", manages)
