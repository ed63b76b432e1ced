"""The app's home: one's games in all channels, those first where it is one's go, each with its buttons.

A press there has no channel of its own: the block that it is in names the game's, so that it works as if it had been
pressed there. Answers for all appear in that channel.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adapters.slack.calls import Busy, Refused
from adapters.slack.channels import is_member
from adapters.slack.escape import PEN
from adapters.slack.files import direct_messages
from adapters.slack.render import actions, render
from adapters.slack.request import PLATFORM, Request, team_of
from adapters.slack.work import Ack, Work
from bot.forms import FIRES
from bot.interface.form import OPEN_FORM
from bot.interface.parts import Entry, part_lines
from bot.interface.registry import Registry
from bot.interface.reply import LINK, Button, Reply
from bot.interface.spec import Command, Person, Place
from bot.rules.phrase import phrase

log = logging.getLogger(__name__)

Json = dict[str, Any]
SAY, GOTO = "say:", "goto:"
"""How an action begins that is a command as text, or a channel to open."""
THEIRS = "Your go"
_OWN = "me"
"""In place of a channel: one's direct messages with the bot."""


class Home:
    """Shows the home to whoever opens it."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def on_opened(self, ack: Ack, body: Json) -> None:
        """Somebody looks at the home: it is drawn anew, as it is now."""
        await ack()
        event = body["event"]
        if event.get("tab") != "home" or not event.get("user"):
            return
        team = await self._work.teams.find(team_of(body))
        if team is None:
            return
        request = Request(team=team.id, channel="", user=str(event["user"]))
        who = await self._work.people.find(request)
        view = {"type": "home", "blocks": await self._blocks(request, who)}
        try:
            await self._work.wire.call(team.token, "views.publish", user_id=request.user, view=view)
        except (Busy, Refused) as trouble:
            log.info("the home of somebody in %s was not shown: %s", team.id, trouble)

    async def _blocks(self, request: Request, who: Person) -> list[Json]:
        listed = await self._listed(request, who)
        blocks = render(replace(listed, lines=()), request.team).blocks
        for entry in (part for part in listed.lines if isinstance(part, Entry)):
            blocks += await self._game(entry, request, who)
        own = (Button(f"{SAY}roll 2d6", "Roll 2d6"), Button(f"{SAY}me show", "Reminders"), Button("help:", "Help"))
        blocks += [{"type": "divider"}, *_row(own, _OWN)]
        note = phrase("Only you see this page. A game begins in its channel: `/game start`")
        return [*blocks, {"type": "context", "elements": [{"type": "mrkdwn", "text": PEN.plain(note)}]}]

    async def _listed(self, request: Request, who: Person) -> Reply:
        where = Place(f"{PLATFORM}{request.team}/{request.user}", f"{PLATFORM}{request.team}", owner=who.key)
        listed = await self._work.app.run(Command(("me", "games"), {}, who, where, ""))
        await self._work.app.delivered(listed)
        return listed

    async def _game(self, entry: Entry, request: Request, who: Person) -> list[Json]:
        """A game with its buttons; those that play are there where it is one's go."""
        text = {"type": "mrkdwn", "text": "\n".join(part_lines(entry, PEN)), "verbatim": True}
        section: Json = {"type": "section", "text": text}
        place = entry.action.removeprefix(GOTO)
        home = f"{PLATFORM}{request.team}/"
        if not place.startswith(home):  # it is played elsewhere
            return [{"type": "divider"}, section]
        buttons = [Button(f"{SAY}game board", "Board"), Button(f"{SAY}log since=me", "Since I left")]
        if entry.text.startswith(THEIRS):
            known = await self._work.app.known(Place(place, home.rstrip("/")), who)
            shot = shot_of(await self._work.app.registry_at(Place(place, home.rstrip("/"))), known.system)
            first = [Button(f"{OPEN_FORM}{shot}", "Fire", "primary")] if shot else []
            buttons = [*first, *buttons, Button(f"{SAY}game pass", "Pass")]
        return [{"type": "divider"}, section, *_row([*buttons, Button(entry.action, "Open", LINK)], place, entry.title)]

    async def next_game(self, request: Request) -> tuple[Request, str]:
        """The ask as if from the channel of one's game, first of one where it is one's go, and its system; from one's
        direct messages where there is none."""
        who = await self._work.people.find(request)
        listed = await self._listed(request, who)
        home = f"{PLATFORM}{request.team}/"
        places = [part.action.removeprefix(GOTO) for part in listed.lines if isinstance(part, Entry)]
        place = next((place for place in places if place.startswith(home)), "")
        if not place:
            return await self._at(request, _OWN), ""
        known = await self._work.app.known(Place(place, home.rstrip("/")), who)
        return await self._at(request, place), known.system

    async def pressed(self, request: Request, body: Json) -> Request:
        """The press as if in the channel that its block names."""
        return await self._at(request, str(body["actions"][0].get("block_id") or "").partition("|")[0])

    async def _at(self, request: Request, place: str) -> Request:
        if place == _OWN:
            channel = await self._own_channel(request)
            return replace(request, channel=channel, direct=True)
        channel, _, thread = place.removeprefix(f"{PLATFORM}{request.team}/").partition("/")
        if not await self._is_member(request, channel):
            return await self._at(request, _OWN)  # whoever has left a channel reads and does nothing there
        return replace(request, channel=channel, thread=thread)

    async def _is_member(self, request: Request, channel: str) -> bool:
        """Whether they are in the channel now, as far as Slack says so."""
        team = await self._work.teams.find(request.team)
        try:
            return team is not None and await is_member(self._work.wire, team.token, channel, request.user)
        except (Busy, Refused) as trouble:
            log.info("whether somebody is still in a channel of %s is not known: %s", request.team, trouble)
            return False

    async def _own_channel(self, request: Request) -> str:
        """Their direct messages with the bot; by their own id, which Slack takes as well, while it does not say."""
        team = await self._work.teams.find(request.team)
        try:
            return await direct_messages(self._work.wire, team.token, request.user) if team is not None else ""
        except (Busy, Refused):
            return request.user


def _row(buttons: Sequence[Button], place: str, title: str = "") -> list[Json]:
    (row,) = actions(buttons)
    for element in row["elements"]:
        if title:
            element["accessibility_label"] = f"{element['text']['text']}: {title}"[:75]
    return [row | {"block_id": f"{place}|{title}"[:255]}]


def shot_of(registry: Registry, system: str) -> str:
    """The command with which a system's units fire, or attack; "" where it has none."""
    paths = ((system, "fire"), (system, "shoot"))
    named = (path for path in paths if system and registry.get(path) is not None)
    first = (spec.path for spec in registry.below((system,)) if spec.family == "sequence" and spec.verb in FIRES)
    return " ".join(next(named, ()) or next(first, ()))


def is_home(body: Json) -> bool:
    """Whether it was pressed on the home."""
    return (body.get("view") or {}).get("type") == "home"
