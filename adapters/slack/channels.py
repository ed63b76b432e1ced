"""Where a game may go on Slack, as Slack itself says (the id of a channel is not believed: slash
commands work also where the bot is no member, so whoever may type one could name any channel); and
who asks: their name as Slack shows it, and whether they are an admin, asked once in a while."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.channel_posts import open_direct_messages
from adapters.slack.request import SlackRequest
from adapters.slack.teams import Teams
from bot.preferences.place_names import parse_place_key
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.ui.spec import CommandSpec, Path, Person, Place

PAGE, MOST_PAGES = 999, 30
ABOUT_PLACES: tuple[Path, ...] = (("game", "link"), ("button", "agree"), ("button", "decline"))
"""What somebody may answer for alone in their own conversation with the bot."""


async def confirm_channels(
    wire: SlackApi,
    token: str,
    request: SlackRequest,
    spec: CommandSpec,
    options: Mapping[str, object],
) -> dict[str, Place]:
    """The place behind each option that names a channel: one of which both who asks and the bot are
    members.

    Raises UserError for any other, in the same words whether it is private or does not exist.
    """
    found = {}
    for option in spec.options:
        if option.complete == "channel" and (typed := options.get(option.name)):
            key = parse_place_key(request.where.key, str(typed))
            found[option.name] = await _confirm_channel(wire, token, request, key, option.name)
    return found


async def _confirm_channel(
    wire: SlackApi, token: str, request: SlackRequest, key: str, option: str
) -> Place:
    what = "A game can move only to a channel that you and the bot are both members of."
    refused = UserError(
        what, hint=phrase("There, type: `/invite @grognard`"), option=option, code="unknown-channel"
    )
    channel = key.removeprefix(f"{request.where.server}/")
    if channel.startswith("D") or "/" in channel:
        raise refused
    try:
        there = (await wire.call_with_form(token, "conversations.info", channel=channel)).get(
            "channel"
        ) or {}
        is_open = there.get("is_member") and not any(
            there.get(mark) for mark in ("is_archived", "is_im", "is_mpim")
        )
        if (
            there.get("id") != channel
            or not is_open
            or not await is_member(wire, token, channel, request.user)
        ):
            raise refused
    except Busy:
        what = "Slack does not say who is in that channel."
        raise UserError(what, hint="Try again in a moment.", code="platform-silent") from None
    except SlackRefused as trouble:
        if trouble.error == "missing_scope":
            what = "The bot may not ask Slack who is in a channel: its installation is older than that permission."
            hint = "Install it anew from: grognard manifest slack"
            raise UserError(what, hint=hint, code="unknown-channel") from None
        raise refused from None
    name = "privategroup" if there.get("is_private") else str(there.get("name") or "")
    return replace(request, channel=channel, thread="", channel_name=name, direct=False).where


async def is_member(wire: SlackApi, token: str, channel: str, user: str) -> bool:
    """Return whether a person is among the members. Raises Busy, Refused."""
    more: dict[str, str] = {}
    for _ in range(MOST_PAGES):
        page = await wire.call_with_form(
            token, "conversations.members", channel=channel, limit=str(PAGE), **more
        )
        if user in (page.get("members") or ()):
            return True
        more["cursor"] = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not more["cursor"]:
            break
    return False


async def mark_own_conversation(wire: SlackApi, token: str, request: SlackRequest) -> SlackRequest:
    """The ask, known to be direct where it comes from the person's own conversation with the bot.

    A slash command from direct messages does not say whether they are the bot's: two people talk in
    such ones too.
    """
    if request.direct or not request.channel.startswith("D"):
        return request
    try:
        own = await open_direct_messages(wire, token, request.user)
    except (Busy, SlackRefused):
        return request
    return replace(request, direct=own == request.channel)


async def is_still_member(wire: SlackApi, teams: Teams, user: str, place: str) -> bool | None:
    """Return whether somebody (`slack:T1/U1`) is still in a channel (`slack:T1/C1`); None where
    Slack does not say.
    """
    team, _, rest = place.removeprefix("slack:").partition("/")
    found = await teams.find(team) if rest else None
    try:
        return (
            await is_member(wire, found.token, rest.partition("/")[0], user.rpartition("/")[2])
            if found
            else None
        )
    except (Busy, SlackRefused):
        return None


KEPT = 600.0
UNKNOWN_KEPT = 1.0  # nobody loses a right for longer than Slack is silent
PATIENCE = 1.0  # an answer does not wait longer for a name
MAX_KNOWN = 10_000


class People:
    """Names by person, bounded."""

    def __init__(self, wire: SlackApi, teams: Teams) -> None:
        self._wire = wire
        self._teams = teams
        self._known = LRUCache[str, tuple[float, Person]](MAX_KNOWN)
        self._asking: dict[str, tuple[float, asyncio.Task[Person]]] = {}

    async def find(self, request: SlackRequest) -> Person:
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
            # who was waited for already is not waited for again
            left = max(0.0, since + PATIENCE - time.monotonic())
            return await asyncio.wait_for(asyncio.shield(task), left)
        except TimeoutError:
            return person or _build_person_from_payload(request)

    async def _look_up(self, request: SlackRequest) -> Person:
        known = self._known.get(request.person_key)
        person = known[1] if known else _build_person_from_payload(request)
        kept = UNKNOWN_KEPT
        try:
            team = await self._teams.find(request.team)
            if team is not None:
                found = await self._wire.call_with_form(team.token, "users.info", user=request.user)
                person = _build_person(request, found.get("user") or {})
                kept = KEPT
        except (Busy, SlackRefused) as trouble:
            kept = max(kept, trouble.seconds if isinstance(trouble, Busy) else 0.0)
        self._known[request.person_key] = (time.monotonic() + kept, person)
        return person


def _build_person_from_payload(request: SlackRequest) -> Person:
    return Person(request.person_key, clean_name(request.user_name) or "player")


def _build_person(request: SlackRequest, user: dict[str, Any]) -> Person:
    profile = user.get("profile") or {}
    names = (
        profile.get("display_name"),
        profile.get("real_name"),
        user.get("real_name"),
        user.get("name"),
    )
    name = next((shown for name in names if name and (shown := clean_name(str(name)))), "")
    # whoever comes from elsewhere is admin of another workspace
    is_of_here = user.get("team_id") == request.team
    manages = is_of_here and any(
        user.get(right) for right in ("is_admin", "is_owner", "is_primary_owner")
    )
    return Person(request.person_key, name or clean_name(request.user_name) or "player", manages)
