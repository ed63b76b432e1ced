"""Channels that a command names, memberships, and people: their names as Slack shows them, and
whether they are admins.

A channel is accepted only if Slack confirms it. Its id alone proves nothing: slash commands work
even if the bot is not a member, so a user could name any channel.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cachetools import LRUCache

from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.channel_posts import open_direct_messages
from adapters.slack.request import Json, SlackRequest
from adapters.slack.teams import Teams
from bot.preferences.place_names import parse_place_key
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.rules.text.plain import clean_name
from bot.ui.spec import CommandSpec, Path, Person, Place

PAGE, MOST_PAGES = 999, 30
"""Maximum number of members that Slack lists at once, and of such lists that are read."""
ABOUT_PLACES: tuple[Path, ...] = (("game", "link"), ("button", "agree"), ("button", "decline"))
"""Commands that nobody else has to agree to in a user's own conversation with the bot."""


async def confirm_channels(
    wire: SlackApi,
    token: str,
    request: SlackRequest,
    spec: CommandSpec,
    options: Mapping[str, object],
) -> dict[str, Place]:
    """Return the place of each option that names a channel, by the option's name. Both the user and
    the bot must be members of the channel.

    Raises UserError for any other channel, with the same sentence whether it is private or does not
    exist.
    """
    places = {}
    for option in spec.options:
        typed_value = options.get(option.name)
        if option.complete == "channel" and typed_value:
            key = parse_place_key(request.where.key, str(typed_value))
            places[option.name] = await _confirm_channel(wire, token, request, key, option.name)
    return places


async def _confirm_channel(
    wire: SlackApi, token: str, request: SlackRequest, key: str, option: str
) -> Place:
    """Return the place of the channel with this key, which `option` names.

    Raises UserError as `confirm_channels` does.
    """
    refusal = UserError(
        "A game can move only to a channel that both you and the bot are in.",
        hint=phrase("There, type: `/invite @grognard`"),
        option=option,
        code="unknown-channel",
    )
    channel = key.removeprefix(f"{request.where.server}/")
    if channel.startswith("D") or "/" in channel:
        raise refusal
    try:
        answer = await wire.call_with_form(token, "conversations.info", channel=channel)
        info = answer.get("channel") or {}
        if not _is_open_channel(info, channel):
            raise refusal
        if not await is_member(wire, token, channel, request.user):
            raise refusal
    except Busy:
        sentence = "Slack did not say who is in that channel."
        raise UserError(sentence, hint="Try again in a moment.", code="platform-silent") from None
    except SlackRefused as trouble:
        if trouble.error == "missing_scope":
            sentence = (
                "The bot was installed before it needed permission to see who is in a channel."
            )
            hint = "Install it again from: grognard manifest slack"
            raise UserError(sentence, hint=hint, code="unknown-channel") from None
        raise refusal from None
    name = "privategroup" if info.get("is_private") else str(info.get("name") or "")
    return replace(request, channel=channel, thread="", channel_name=name, direct=False).where


def _is_open_channel(info: Mapping[str, Any], channel: str) -> bool:
    """Return whether Slack's description is that of this channel, with the bot as a member, and
    neither archived nor a conversation of a few people.
    """
    if info.get("id") != channel or not info.get("is_member"):
        return False
    return not any(info.get(mark) for mark in ("is_archived", "is_im", "is_mpim"))


async def is_member(wire: SlackApi, token: str, channel: str, user: str) -> bool:
    """Return whether a user is a member of a channel. Raises Busy or SlackRefused."""
    cursor: dict[str, str] = {}
    for _ in range(MOST_PAGES):
        page = await wire.call_with_form(
            token, "conversations.members", channel=channel, limit=str(PAGE), **cursor
        )
        if user in (page.get("members") or ()):
            return True
        next_cursor = str((page.get("response_metadata") or {}).get("next_cursor") or "")
        if not next_cursor:
            break
        cursor["cursor"] = next_cursor
    return False


async def mark_own_conversation(wire: SlackApi, token: str, request: SlackRequest) -> SlackRequest:
    """Mark a request as direct if it comes from the user's own conversation with the bot.

    A slash command in direct messages does not say whether they are with the bot or another
    person, so Slack is asked. If it does not say, return the request unchanged.
    """
    if request.direct or not request.channel.startswith("D"):
        return request
    try:
        direct_channel = await open_direct_messages(wire, token, request.user)
    except (Busy, SlackRefused):
        return request
    return replace(request, direct=direct_channel == request.channel)


async def is_still_member(wire: SlackApi, teams: Teams, user: str, place: str) -> bool | None:
    """Return whether a user (`slack:T1/U1`) is still a member of a channel (`slack:T1/C1`).

    Return None for a place without a channel, without the app, or if Slack does not say.
    """
    team_id, _, channel_and_thread = place.removeprefix("slack:").partition("/")
    team = await teams.find(team_id) if channel_and_thread else None
    if not team:
        return None
    channel = channel_and_thread.partition("/")[0]
    user_id = user.rpartition("/")[2]
    try:
        return await is_member(wire, team.token, channel, user_id)
    except (Busy, SlackRefused):
        return None


async def open_thread(place: str, spot: Json, _title: str) -> str:
    """Return the key of the thread of the message at a spot in a channel (`slack:T1/C1`).

    Slack makes it with the first answer to the message. Return "" without a message.
    """
    timestamp = spot.get("ts")
    if not timestamp:
        return ""
    return f"{place}/{timestamp}"


NAME_CACHE_SECONDS = 600.0
"""Seconds for which a name from Slack is cached."""
MISSING_NAME_CACHE_SECONDS = 1.0
"""The same for a name that Slack did not give, short so that no right is lost for long."""
NAME_WAIT_SECONDS = 1.0
"""Maximum seconds that an answer waits for a name."""
MAX_KNOWN = 10_000


class People:
    """A bounded cache of people by key, loaded from Slack."""

    def __init__(self, wire: SlackApi, teams: Teams) -> None:
        self._wire = wire
        self._teams = teams
        self._cached_people = LRUCache[str, tuple[float, Person]](MAX_KNOWN)
        self._lookups: dict[str, tuple[float, asyncio.Task[Person]]] = {}

    async def find(self, request: SlackRequest) -> Person:
        """Return the person who sent a request, with their name and whether they are an admin.

        If Slack does not say within NAME_WAIT_SECONDS, return the cached person, or one with the
        name in the request.
        """
        key = request.person_key
        until, person = self._cached_people.get(key, (0.0, None))
        if person is not None and time.monotonic() < until:
            return person
        since, task = self._lookups.get(key) or (time.monotonic(), None)
        if task is None:
            task = asyncio.create_task(self._look_up(request))
            self._lookups[key] = since, task
            task.add_done_callback(lambda _: self._lookups.pop(key, None))
        try:
            # all requests of a person wait together, NAME_WAIT_SECONDS seconds from the first
            patience_left = max(0.0, since + NAME_WAIT_SECONDS - time.monotonic())
            return await asyncio.wait_for(asyncio.shield(task), patience_left)
        except TimeoutError:
            return person or _build_person_from_payload(request)

    async def _look_up(self, request: SlackRequest) -> Person:
        """Load a person from Slack and cache them.

        If Slack fails or the app is not installed in the workspace, cache the old entry for a short
        time, or without one what the request says about the person.
        """
        entry = self._cached_people.get(request.person_key)
        person = entry[1] if entry else _build_person_from_payload(request)
        lifetime = MISSING_NAME_CACHE_SECONDS
        try:
            team = await self._teams.find(request.team)
            if team is not None:
                info = await self._wire.call_with_form(team.token, "users.info", user=request.user)
                person = _build_person(request, info.get("user") or {})
                lifetime = NAME_CACHE_SECONDS
        except Busy as busy:
            lifetime = max(lifetime, busy.seconds)
        except SlackRefused:
            pass
        self._cached_people[request.person_key] = (time.monotonic() + lifetime, person)
        return person


def _build_person_from_payload(request: SlackRequest) -> Person:
    return Person(request.person_key, clean_name(request.user_name) or "player")


def _build_person(request: SlackRequest, user: dict[str, Any]) -> Person:
    """Build a person from Slack's description of the user, named as Slack shows them."""
    profile = user.get("profile") or {}
    names = (
        profile.get("display_name"),
        profile.get("real_name"),
        user.get("real_name"),
        user.get("name"),
    )
    clean_names = [clean_name(str(name)) for name in (*names, request.user_name) if name]
    name = next(filter(None, clean_names), "player")
    # an admin from a partner's workspace has no rights in this one
    is_of_workspace = user.get("team_id") == request.team
    is_manager = is_of_workspace and any(
        user.get(right) for right in ("is_admin", "is_owner", "is_primary_owner")
    )
    return Person(request.person_key, name, is_manager)
