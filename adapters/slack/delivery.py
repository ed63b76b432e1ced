"""Brings answers to Slack: in order, about one message a second and channel, again when Slack asks
to wait.

An answer goes to the request's response address first, which works where the bot is not a member;
then as a message. What cannot be posted now stays in the outbox and is posted later, marked as
late.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from cachetools import LRUCache

from adapters.delivery_loop import INSTEAD, Delivered, Outbox, Outcome, RetryLater, Undeliverable
from adapters.hand_windows import HandWindows
from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.channel_posts import (
    INVITE,
    build_mark,
    find_posted_answer,
    open_direct_messages,
    pin_or_unpin,
    send_files,
)
from adapters.slack.modal import USED, build_window_view
from adapters.slack.render import LATE, LATE_PERHAPS, PERHAPS, SlackMessage, render_message
from adapters.slack.request import PLATFORM, Json, SlackRequest
from adapters.slack.tables_and_charts import (
    TYPES,
    UnwantedBlocks,
    WorkspaceBlocks,
    find_native_types,
    find_refused_types,
)
from adapters.slack.teams import Team, Teams
from adapters.slack.text import escape_entities, format_line
from bot.app import App
from bot.execution.budgets import Queues
from bot.outbox.waiting_answers import DueAnswer
from bot.preferences.adapter_notes import Notes
from bot.ui.reply.reply import TAKEN_AWAY, UNPINNED, Reply
from bot.ui.typing.command_writer import CommandReader

log = logging.getLogger(__name__)

INTERVAL = 1.05
"""Seconds between two messages of one channel; answers to response addresses are not counted."""
BURST = INTERVAL
"""A channel takes two messages at once, after a pause: one fewer than Slack does, for a process
that has just begun.
"""
PATIENCE = 30.0
"""Seconds of trouble after which an answer waits in the outbox; for as long as Slack asks, the
channel waits.
"""
PEOPLE = ("U", "W")
"""How the id of a person begins, and that of no channel."""
MIN_PAUSE, MAX_BACKOFF = 0.5, 8.0


@dataclass(slots=True)
class Progress:
    """How far an answer has come, so that what was done is not done again."""

    late: bool = False
    url_works: bool = True
    outside: bool = False
    spot: dict[str, Any] = field(default_factory=dict)
    note: str | None = None
    said: bool = False  # with its files, in one message
    told: bool = False
    unsure: bool = False
    began: float = field(default_factory=lambda: time.time())
    since: float = field(default_factory=lambda: time.monotonic())


class Posts:
    """All answers on their way from this process."""

    def __init__(self, app: App, wire: SlackApi, teams: Teams) -> None:
        self._app = app
        self._wire = wire
        self._teams = teams
        self._queues = Queues()
        self._next = LRUCache[str, float](10_000)
        self._blind: dict[str, float] = {}  # where the app may not read what is there
        self._native = WorkspaceBlocks(Notes(app.store, "slack"))
        self.outbox = Outbox(app, PLATFORM, self.post, self.edit)
        self.hands = HandWindows(app, self._redraw_hand)

    async def deliver(
        self, request: SlackRequest, reply: Reply, *, wanted: Awaitable[bool] | None = None
    ) -> bool:
        """Post a reply; one that was answered before is not posted again. Whether nothing is left
        to do about it here.

        It takes its place in line at once, and is posted only if `wanted` comes out so. Never
        raises for Slack's troubles.
        """
        if reply.seen:
            return True
        with self._app.answers.hold_while_posting(reply):
            async with self._hold_place_in_line(request, reply):
                if wanted is not None and not await wanted:
                    return True
                outcome = await self._with_retries(request, reply, Progress())
        outcome = await self._pin_or_unpin(request, reply, outcome)
        await self.outbox.record_outcome(reply.outbox, 0, outcome)
        return bool(reply.outbox) or not isinstance(outcome, RetryLater)

    async def post(self, due: DueAnswer) -> Outcome:
        """Post what another process, or an earlier attempt, may have posted and not noted."""
        request = replace(
            SlackRequest.from_json(due.delivery, due.place), request_id=due.request_id
        )
        # what nobody asked for here (a linked game, a transfer) is not late
        late = bool(due.delivery)
        progress = Progress(late=late, unsure=late or due.attempts > 0, began=due.created)
        async with self._hold_place_in_line(request, due.reply):
            outcome = await self._with_retries(request, due.reply, progress)
        return await self._pin_or_unpin(request, due.reply, outcome)

    async def _pin_or_unpin(self, request: SlackRequest, reply: Reply, outcome: Outcome) -> Outcome:
        """Pin the message where its reply says so; whoever asked for it is told where that is
        refused. What it comes to says whether it is pinned."""
        team = (
            await self._teams.find(request.team)
            if reply.pin and isinstance(outcome, Delivered)
            else None
        )
        if team is None or not isinstance(outcome, Delivered) or not outcome.spot:
            return outcome
        told = await pin_or_unpin(self._wire, team.token, reply, outcome.spot)
        if told is not None and request.user:
            try:
                await self._post_in_channel(
                    team,
                    request,
                    self._render(told, team.id, request.reader),
                    private=True,
                )
            except (Busy, SlackRefused) as trouble:
                log.info("could not say that a message was not pinned: %s", trouble)
        return Delivered({**outcome.spot, "pinned": told is None})

    def _hold_place_in_line(
        self, request: SlackRequest, reply: Reply
    ) -> AbstractAsyncContextManager[object]:
        """What all see comes in order; what one person sees waits for nobody."""
        alone = reply.private and reply.announce is None
        return (
            nullcontext()
            if alone
            else self._queues.wait_for_turn(f"{request.team}/{request.channel}")
        )

    async def _with_retries(
        self, request: SlackRequest, reply: Reply, progress: Progress
    ) -> Outcome:
        """Try until it is there, or Slack refuses it, or there was trouble for too long. Waits
        as Slack asks to.
        """
        wait = MIN_PAUSE
        while True:
            try:
                team = await self._teams.find(request.team)
                if team is None:
                    return Undeliverable(f"the app is not installed in {request.team}")
                if request.channel[:1] in PEOPLE:  # to a person, wherever their direct messages are
                    alone = await open_direct_messages(self._wire, team.token, request.channel)
                    request = replace(request, channel=alone, direct=True)
                await self._send(team, request, reply, progress)
                return Delivered(progress.spot)
            except Busy as busy:
                progress.unsure |= busy.is_unsure
                pause = max(busy.seconds, MIN_PAUSE if busy.is_asked else wait)
                wait = min(wait * 2, MAX_BACKOFF)
                log.info("answer in %s waits %.1f s: %s", request.where.key, pause, busy)
                if not busy.is_asked and time.monotonic() - progress.since + pause > PATIENCE:
                    log.warning("could not post an answer in %s: %s", request.where.key, busy)
                    return RetryLater(unsure=progress.unsure)
                await asyncio.sleep(pause)
            except SlackRefused as refused:
                return Undeliverable(f"{refused} (in {request.where.key})")

    async def _send(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress
    ) -> None:
        if not progress.told:
            await self._send_one(team, request, reply, progress)
            progress.told = True
        if reply.announce is not None:
            await self._send_one(team, request, reply.announce, progress)

    async def _send_one(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress
    ) -> None:
        """Post one message, unless it was posted before; where nobody knows, it says so."""
        before = LATE if progress.late else ""
        if progress.unsure:
            text = self._render(reply, team.id, request.reader).text
            standing = await find_posted_answer(
                self._wire, team, request, reply, text, progress.began, self._blind
            )
            if standing:
                log.info("an answer in %s was already posted", request.where.key)
                progress.spot = request.build_spot(standing)
                return
            if standing is None:
                before = LATE_PERHAPS if progress.late else PERHAPS
        request = replace(request, replaces=request.replaces and reply.in_place and not reply.error)
        if (
            reply.private
            and (request.view or reply.window)
            and await self._show_in_window(team, request, reply)
        ):
            return
        for _ in (*TYPES, ""):  # each of them can be refused once
            try:
                message = await self._build_message(team, request, reply, progress, before)
                if progress.said:
                    return
                progress.spot = await self._post_or_respond(
                    team, request, message, progress, private=reply.private, waits=reply.quiet
                )
                return
            except UnwantedBlocks as unwanted:
                await self._native.record_refusal(team.id, unwanted.types)

    async def _show_in_window(self, team: Team, request: SlackRequest, reply: Reply) -> bool:
        """Open a window with a private answer, or change the one in which it was asked for; whether
        it is there. What has none of its own, a refusal above all, opens on top of it. A trigger is
        good for three seconds, and a window may be closed meanwhile: then the answer is a message.
        """
        message = self._render(reply, team.id, request.reader)
        if message.files or request.replaces or not request.trigger:
            return False
        view = build_window_view(reply.title, message.blocks, request)
        how = (
            {"view_id": request.view}
            if request.view and reply.window
            else {"trigger_id": request.trigger}
        )
        method = (
            "views.update" if "view_id" in how else "views.push" if request.view else "views.open"
        )
        try:
            opened = await self._wire.call(team.token, method, view=view, **how)
        except (Busy, SlackRefused) as trouble:
            log.info("a private answer in %s has no window: %s", request.where.key, trouble)
            return str(trouble) == USED
        if reply.window:
            self.hands.remember_window(
                replace(request, view=str((opened.get("view") or {}).get("id") or request.view)),
                reply,
            )
        return True

    async def _redraw_hand(self, request: SlackRequest, reply: Reply) -> bool:
        """Change a hand in its window; whether that is still open."""
        if (team := await self._teams.find(request.team)) is None:
            return False
        view = build_window_view(
            reply.title, self._render(reply, team.id, request.reader).blocks, request
        )
        for _ in range(5):  # Slack may ask to wait
            try:
                return bool(
                    await self._wire.call(
                        team.token, "views.update", view=view, view_id=request.view
                    )
                )
            except Busy as busy:
                await asyncio.sleep(min(max(busy.seconds, MIN_PAUSE), PATIENCE))
            except SlackRefused:
                break
        return False

    async def _build_message(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress, before: str
    ) -> SlackMessage:
        """The message as this workspace takes it; its files go first, and it says where they
        are.
        """
        message = await self._render_message(team, reply, request.reader, before)
        if message.files:
            if progress.note is None:
                is_whole = not (reply.buttons or reply.menus)
                text = message.text if is_whole else escape_entities(reply.first_line)
                files = message.files
                progress.note = await send_files(
                    self._wire, team.token, request, files, text, private=reply.private
                )
                progress.said = is_whole and not progress.note
            notes = [progress.note] if progress.note else []
            message = await self._render_message(team, reply, request.reader, before, notes)
        if reply.instead is not None:
            instead = await self._render_message(team, reply.instead, request.reader, before)
            message = replace(message, instead=instead)
        return replace(message, metadata=build_mark(request, reply) if request.request_id else None)

    def _render(self, reply: Reply, team: str, reader: CommandReader, **more: Any) -> SlackMessage:
        """Return the message for a reply, with its commands as the workspace has them.

        `more`: see render_message.
        """
        commands = self._app.get_server_registry(f"{PLATFORM}{team}")
        return render_message(reply, team, commands, reader=reader, **more)

    async def _render_message(
        self,
        team: Team,
        reply: Reply,
        reader: CommandReader,
        before: str = "",
        notes: Sequence[str] = (),
    ) -> SlackMessage:
        """The message with those of Slack's own blocks that the workspace has not refused."""
        own = await self._native.get_accepted_types(team.id)
        return self._render(reply, team.id, reader, before=before, notes=notes, own=own)

    async def _post_or_respond(
        self,
        team: Team,
        request: SlackRequest,
        message: SlackMessage,
        progress: Progress,
        *,
        private: bool,
        waits: bool = False,
    ) -> Json:
        """Post a message, and say where it is. One of our own can be changed later, so it comes
        before the response address where the channel takes it at once; the board `waits` for that,
        as it is changed with every event."""
        by_url = progress.url_works and request.has_url
        own_first = not (private or request.replaces or progress.outside) and (
            waits or self._has_room(request)
        )
        if by_url and not own_first:
            try:
                await self._wire.respond(
                    request.response_url, _build_response(request, message, private=private)
                )
                return request.build_spot(request.message) if request.replaces else {}
            except SlackRefused as refused:
                await self._raise_if_unwanted(team, refused, message.blocks)
                log.info(
                    "the response address in %s does not answer: %s", request.where.key, refused
                )
                progress.url_works = False
        try:
            return await self._post_in_channel(team, request, message, private=private)
        except SlackRefused as refused:
            if not refused.is_outside or not request.user:
                raise
            progress.outside = True
        if by_url and own_first:
            return await self._post_or_respond(team, request, message, progress, private=private)
        return await self._post_to_person(team, request, message, private=private)

    async def edit(self, due: DueAnswer, spot: Mapping[str, Any]) -> Outcome:
        """Change a message to how it reads now; its files stay."""
        request = SlackRequest.from_json({}, due.place)
        team = await self._teams.find(request.team)
        if team is None:
            return Undeliverable("the app is not installed there")
        try:
            if due.reply.pin == TAKEN_AWAY and await self._delete(team, spot):
                return Delivered()
            await self._edit(team, due.reply, request.reader, spot)
        except Busy as busy:
            return RetryLater(busy.seconds)
        except SlackRefused as refused:
            return Undeliverable(str(refused))
        if due.reply.pin in (UNPINNED, TAKEN_AWAY) and spot.get("pinned", True):
            await pin_or_unpin(self._wire, team.token, replace(due.reply, pin=UNPINNED), spot)
        return Delivered(dict(spot))

    async def _delete(self, team: Team, spot: Mapping[str, Any]) -> bool:
        """Take a message of ours away; whether it is gone. Raises Busy."""
        try:
            await self._wire.call(
                team.token, "chat.delete", channel=str(spot["channel"]), ts=str(spot["ts"])
            )
        except SlackRefused as refused:
            return refused.error == "message_not_found"
        return True

    async def _edit(
        self, team: Team, reply: Reply, reader: CommandReader, spot: Mapping[str, Any]
    ) -> None:
        for _ in (*TYPES, ""):
            try:
                message = await self._render_message(team, reply, reader)
                await self._change(team, message, str(spot["channel"]), str(spot["ts"]))
                return
            except UnwantedBlocks as unwanted:
                await self._native.record_refusal(team.id, unwanted.types)

    async def _change(self, team: Team, message: SlackMessage, channel: str, ts: str) -> Json:
        where = {"channel": channel, "ts": ts}
        await self._post_and_get_timestamp(
            team, "chat.update", where | {"text": message.text, "blocks": message.blocks}
        )
        return where

    def _has_room(self, request: SlackRequest) -> bool:
        """Return whether the channel takes a message now, without a wait."""
        return self._next.get(f"{request.team}/{request.channel}", 0.0) <= time.monotonic() + BURST

    async def _post_in_channel(
        self, team: Team, request: SlackRequest, message: SlackMessage, *, private: bool
    ) -> Json:
        if request.replaces and request.message and not private:
            try:
                return await self._change(team, message, request.channel, request.message)
            except SlackRefused as refused:
                log.info("a message in %s could not be changed: %s", request.where.key, refused)
                if message.instead is not None:
                    return await self._post_instead(team, request, message)
        body = {
            "channel": request.channel,
            **_build_content(message),
            **_build_thread_fields(request),
        }
        if private and not request.direct:
            await self._post_and_get_timestamp(
                team, "chat.postEphemeral", body | {"user": request.user}
            )
            return {}
        await self._wait_for_turn(f"{team.id}/{request.channel}")
        more = {"metadata": message.metadata} if message.metadata else {}
        return request.build_spot(
            await self._post_and_get_timestamp(team, "chat.postMessage", body | more)
        )

    async def _post_instead(self, team: Team, request: SlackRequest, message: SlackMessage) -> Json:
        """Post what is posted instead, since the pressed message cannot be changed."""
        assert message.instead is not None
        alternative = replace(message.instead, metadata=message.metadata)
        request = replace(request, replaces=False)
        spot = await self._post_in_channel(team, request, alternative, private=False)
        return {**spot, INSTEAD: True} if spot else spot

    async def _post_to_person(
        self, team: Team, request: SlackRequest, message: SlackMessage, *, private: bool
    ) -> Json:
        """To the direct messages of who asked: the bot is not a member of the channel."""
        channel = await open_direct_messages(self._wire, team.token, request.user)
        content = _build_content(message)
        if not private:
            note = {
                "type": "mrkdwn",
                "text": f"This could not be shown in <#{request.channel}>. {format_line(INVITE)}",
            }
            content["blocks"] = [*content["blocks"][:49], {"type": "context", "elements": [note]}]
        await self._wait_for_turn(f"{team.id}/{channel}")
        ts = await self._post_and_get_timestamp(
            team, "chat.postMessage", content | {"channel": channel}
        )
        return replace(request, channel=channel).build_spot(ts)

    async def _post_and_get_timestamp(self, team: Team, method: str, body: dict[str, Any]) -> str:
        """Post a message, and give its timestamp; its plain text alone where Slack does not take
        the blocks, so that no answer is lost."""
        try:
            said = await self._wire.call(team.token, method, **body)
        except SlackRefused as refused:
            if "blocks" not in refused.error:
                raise
            await self._raise_if_unwanted(team, refused, body["blocks"])
            log.error(
                "Slack does not take the blocks of an answer (%s): it is shown as plain text",
                refused,
            )
            plain = {name: body[name] for name in body if name != "blocks"}
            said = await self._wire.call(team.token, method, **plain)
        return str(said.get("ts") or "")

    async def _raise_if_unwanted(
        self, team: Team, refused: SlackRefused, blocks: list[Json]
    ) -> None:
        """Raise Unwanted where Slack refused a message for blocks of its own. A response address
        does not say for which: then `blocks.validate` does, else the newest is left out first."""
        used = find_native_types(blocks)
        if "block" not in refused.error or not used:
            return
        faults = refused.faults
        if not faults:
            try:
                await self._wire.call(team.token, "blocks.validate", blocks=json.dumps(blocks))
            except Busy:
                pass
            except SlackRefused as said:
                faults = said.faults
        found = find_refused_types(faults, blocks) if faults else frozenset()
        if found or not faults:
            raise UnwantedBlocks(found or frozenset([next(kind for kind in TYPES if kind in used)]))

    async def _wait_for_turn(self, channel: str) -> None:
        """Wait until this channel may have its next message; the turn is taken at once."""
        now = time.monotonic()
        at = max(self._next.get(channel, 0.0), now)
        self._next[channel] = at + INTERVAL
        await asyncio.sleep(max(0.0, at - now - BURST))


def _build_content(message: SlackMessage) -> dict[str, Any]:
    return {
        "text": message.text,
        "blocks": message.blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _build_response(
    request: SlackRequest, message: SlackMessage, *, private: bool
) -> dict[str, Any]:
    how: Json = {"response_type": "ephemeral" if private else "in_channel"}
    # if it were left out, the pressed message would give way
    how["replace_original"] = request.replaces
    return _build_content(message) | how | _build_thread_fields(request)


def _build_thread_fields(request: SlackRequest) -> dict[str, Any]:
    return {"thread_ts": request.thread} if request.thread else {}
