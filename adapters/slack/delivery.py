"""Delivery of answers to Slack: in order, about one message a second in each channel, and again
when Slack asks to wait.

An answer goes to the request's response address, which works even if the bot is not a member of the
channel, or as a message. A stored answer that cannot be posted now stays in the outbox and is
posted later, marked as late.
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
from adapters.slack.render import (
    LATE,
    LATE_PERHAPS,
    MAX_BLOCKS,
    PERHAPS,
    SlackMessage,
    render_message,
)
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
"""Seconds that a message may come early, so that a channel takes two at once after a pause. Slack
takes three; one is left for a process that has just started.
"""
MAX_TROUBLE_SECONDS = 30.0
"""Seconds of trouble after which an answer is left to the outbox. If Slack asks to wait, the
channel waits for as long as it asks.
"""
PEOPLE = ("U", "W")
"""First letters of the ids of people, which no channel has."""
MIN_PAUSE, MAX_BACKOFF = 0.5, 8.0
"""Shortest pause before another attempt, and longest without Slack asking for it, in seconds."""


@dataclass(slots=True)
class Progress:
    """The steps of a delivery that are done, so that a further attempt does not repeat them."""

    late: bool = False
    url_works: bool = True  # the response address has not refused yet
    outside: bool = False  # the bot may not post in the channel
    spot: dict[str, Any] = field(default_factory=dict)
    note: str | None = None  # of the files that were sent; None: they were not sent yet
    posted_with_files: bool = False  # the message of the files says everything
    posted: bool = False  # all but the announcement
    unsure: bool = False  # an earlier attempt may have posted it
    began: float = field(default_factory=lambda: time.time())
    since: float = field(default_factory=lambda: time.monotonic())


class Posts:
    """Posts the answers of this process."""

    def __init__(self, app: App, wire: SlackApi, teams: Teams) -> None:
        self._app = app
        self._wire = wire
        self._teams = teams
        self._queues = Queues()
        self._next_post_at = LRUCache[str, float](10_000)  # by channel, in monotonic seconds
        self._blind: dict[str, float] = {}  # see find_posted_answer
        self._native = WorkspaceBlocks(Notes(app.store, "slack"))
        self.outbox = Outbox(app, PLATFORM, self.post, self.edit)
        self.hands = HandWindows(app, self._redraw_hand)

    async def deliver(
        self, request: SlackRequest, reply: Reply, *, should_post: Awaitable[bool] | None = None
    ) -> bool:
        """Post a reply and record the outcome. A reply that was posted before is not posted again.

        The reply takes its turn in the channel at once, and is posted only if `should_post` then
        gives True. Return whether nothing is left to do: the reply was posted or not wanted, is
        left to the outbox, or can never be posted. Errors of Slack are not raised.
        """
        if reply.seen:
            return True
        with self._app.answers.hold_while_posting(reply):
            async with self._wait_for_channel(request, reply):
                if should_post is not None and not await should_post:
                    return True
                outcome = await self._with_retries(request, reply, Progress())
        outcome = await self._pin_or_unpin(request, reply, outcome)
        await self.outbox.record_outcome(reply.outbox, 0, outcome)
        return bool(reply.outbox) or not isinstance(outcome, RetryLater)

    async def post(self, due: DueAnswer) -> Outcome:
        """Post an answer from the outbox, unless another process or an earlier attempt posted it
        without recording that.
        """
        request = SlackRequest.from_json(due.delivery, due.place)
        request = replace(request, request_id=due.request_id)
        # a message that nobody asked for in this channel (of a linked game) is not late
        late = bool(due.delivery)
        progress = Progress(late=late, unsure=late or due.attempts > 0, began=due.created)
        async with self._wait_for_channel(request, due.reply):
            outcome = await self._with_retries(request, due.reply, progress)
        return await self._pin_or_unpin(request, due.reply, outcome)

    async def _pin_or_unpin(self, request: SlackRequest, reply: Reply, outcome: Outcome) -> Outcome:
        """Pin or unpin a delivered message if its reply says so.

        Return the outcome with `pinned` in its spot: whether there was nothing to explain. If Slack
        refuses, send the user an explanation. Any other outcome is returned unchanged.
        """
        if not reply.pin or not isinstance(outcome, Delivered):
            return outcome
        team = await self._teams.find(request.team)
        if team is None or not outcome.spot:
            return outcome
        explanation = await pin_or_unpin(self._wire, team.token, reply, outcome.spot)
        if explanation is not None and request.user:
            message = self._render(explanation, team.id, request.reader)
            try:
                await self._post_in_channel(team, request, message, private=True)
            except (Busy, SlackRefused) as trouble:
                log.info("could not say that a message was not pinned: %s", trouble)
        return Delivered({**outcome.spot, "pinned": explanation is None})

    def _wait_for_channel(
        self, request: SlackRequest, reply: Reply
    ) -> AbstractAsyncContextManager[object]:
        """Return the context in which a reply is posted: the channel's queue, or for a reply that
        only one person sees a context that does not wait.
        """
        if reply.private and reply.announce is None:
            return nullcontext()
        return self._queues.wait_for_turn(f"{request.team}/{request.channel}")

    async def _with_retries(
        self, request: SlackRequest, reply: Reply, progress: Progress
    ) -> Outcome:
        """Post a reply, again while Slack is busy. Any refusal or trouble becomes the outcome.

        The outcome is Delivered, or Undeliverable if Slack refuses or the app is not installed in
        the workspace. It is RetryLater once the trouble lasts longer than MAX_TROUBLE_SECONDS; waits that
        Slack asks for have no limit.
        """
        wait = MIN_PAUSE
        while True:
            try:
                team = await self._teams.find(request.team)
                if team is None:
                    return Undeliverable(f"the app is not installed in {request.team}")
                if request.channel[:1] in PEOPLE:  # a message to a person
                    channel = await open_direct_messages(self._wire, team.token, request.channel)
                    request = replace(request, channel=channel, direct=True)
                await self._send(team, request, reply, progress)
                return Delivered(progress.spot)
            except Busy as busy:
                progress.unsure |= busy.is_unsure
                pause = max(busy.seconds, MIN_PAUSE if busy.is_asked else wait)
                wait = min(wait * 2, MAX_BACKOFF)
                log.info("answer in %s waits %.1f s: %s", request.where.key, pause, busy)
                if (
                    not busy.is_asked
                    and time.monotonic() - progress.since + pause > MAX_TROUBLE_SECONDS
                ):
                    log.warning("could not post an answer in %s: %s", request.where.key, busy)
                    return RetryLater(unsure=progress.unsure)
                await asyncio.sleep(pause)
            except SlackRefused as refused:
                return Undeliverable(f"{refused} (in {request.where.key})")

    async def _send(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress
    ) -> None:
        """Post a reply and then its announcement, the steps that `progress` does not have yet.

        Raises Busy or SlackRefused.
        """
        if not progress.posted:
            await self._send_one(team, request, reply, progress)
            progress.posted = True
        if reply.announce is not None:
            await self._send_one(team, request, reply.announce, progress)

    async def _send_one(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress
    ) -> None:
        """Post one message, unless it was posted before. If that is not certain, it says so.

        A private answer may open a window instead. The spot of the message goes into `progress`.
        Raises Busy or SlackRefused.
        """
        late_note = LATE if progress.late else ""
        if progress.unsure:
            text = self._render(reply, team.id, request.reader).text
            timestamp = await find_posted_answer(
                self._wire, team, request, reply, text, progress.began, self._blind
            )
            if timestamp:
                log.info("an answer in %s was already posted", request.where.key)
                progress.spot = request.build_spot(timestamp)
                return
            if timestamp is None:
                late_note = LATE_PERHAPS if progress.late else PERHAPS
        request = replace(request, replaces=request.replaces and reply.in_place and not reply.error)
        if reply.private and (request.view or reply.window):
            is_shown = await self._show_in_window(team, request, reply)
            if is_shown:
                return
        for _ in (*TYPES, ""):  # each of Slack's own block types can be refused once
            try:
                message = await self._build_message(team, request, reply, progress, late_note)
                if progress.posted_with_files:
                    return
                progress.spot = await self._post_or_respond(
                    team, request, message, progress, private=reply.private, waits=reply.quiet
                )
                return
            except UnwantedBlocks as unwanted:
                await self._native.record_refusal(team.id, unwanted.types)

    async def _show_in_window(self, team: Team, request: SlackRequest, reply: Reply) -> bool:
        """Show a private answer in a window, and return whether that succeeded.

        An answer with a window of its own changes the window in which a button was pressed. Any
        other, such as a refusal, opens on top of that window, or as the first one. False means
        that the answer must be posted as a message: it has files, replaces a message, or Slack
        refused, because a trigger is good for three seconds and the window may have been closed.
        """
        message = self._render(reply, team.id, request.reader)
        if message.files or request.replaces or not request.trigger:
            return False
        view = build_window_view(reply.title, message.blocks, request)
        if request.view and reply.window:
            method = "views.update"
            target = {"view_id": request.view}
        else:
            method = "views.push" if request.view else "views.open"
            target = {"trigger_id": request.trigger}
        try:
            answer = await self._wire.call(team.token, method, view=view, **target)
        except (Busy, SlackRefused) as trouble:
            log.info("a private answer in %s has no window: %s", request.where.key, trouble)
            return str(trouble) == USED
        if reply.window:
            view_id = (answer.get("view") or {}).get("id") or request.view
            self.hands.remember_window(replace(request, view=str(view_id)), reply)
        return True

    async def _redraw_hand(self, request: SlackRequest, reply: Reply) -> bool:
        """Change the window that shows a hand to `reply`. Return False if it is not open any
        more.
        """
        team = await self._teams.find(request.team)
        if team is None:
            return False
        message = self._render(reply, team.id, request.reader)
        view = build_window_view(reply.title, message.blocks, request)
        for _ in range(5):  # Slack may ask to wait
            try:
                answer = await self._wire.call(
                    team.token, "views.update", view=view, view_id=request.view
                )
                return bool(answer)
            except Busy as busy:
                await asyncio.sleep(min(max(busy.seconds, MIN_PAUSE), MAX_TROUBLE_SECONDS))
            except SlackRefused:
                break
        return False

    async def _build_message(
        self, team: Team, request: SlackRequest, reply: Reply, progress: Progress, prefix: str
    ) -> SlackMessage:
        """Build the message of a reply, after sending its files if they were not sent yet.

        `prefix` is the note that it is late. The message says where the files are. If the files'
        own message in the channel can say everything, because the reply has no buttons, the files
        are sent with the whole text and `progress.posted_with_files` is set.
        """
        message = await self._render_message(team, reply, request.reader, prefix)
        if message.files:
            if progress.note is None:
                is_whole = not (reply.buttons or reply.menus)
                text = message.text if is_whole else escape_entities(reply.first_line)
                progress.note = await send_files(
                    self._wire, team.token, request, message.files, text, private=reply.private
                )
                progress.posted_with_files = is_whole and not progress.note
            notes = [progress.note] if progress.note else []
            message = await self._render_message(team, reply, request.reader, prefix, notes)
        if reply.instead is not None:
            instead = await self._render_message(team, reply.instead, request.reader, prefix)
            message = replace(message, instead=instead)
        if request.request_id:
            message = replace(message, metadata=build_mark(request, reply))
        return message

    def _render(
        self, reply: Reply, team: str, reader: CommandReader, **options: Any
    ) -> SlackMessage:
        """Render a reply with its commands as the workspace has them.

        For `options` see render_message.
        """
        commands = self._app.get_server_registry(f"{PLATFORM}{team}")
        return render_message(reply, team, commands, reader=reader, **options)

    async def _render_message(
        self,
        team: Team,
        reply: Reply,
        reader: CommandReader,
        prefix: str = "",
        notes: Sequence[str] = (),
    ) -> SlackMessage:
        """Render a reply with those of Slack's own blocks that the workspace has not refused."""
        native_types = await self._native.get_accepted_types(team.id)
        return self._render(
            reply, team.id, reader, prefix=prefix, notes=notes, native_types=native_types
        )

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
        """Post a message in the channel or through the response address, and return its spot. The
        response address gives no spot, so it is {} unless the message replaces another one.

        A message in the channel is preferred if the channel takes it at once, because it can be
        changed later; with `waits` it is preferred in any case, as the board changes with every
        event. If the bot may not post in the channel, the message goes through the response address
        or to the user's direct messages. What failed is noted in `progress`. Raises Busy,
        SlackRefused or UnwantedBlocks.
        """
        can_respond = progress.url_works and request.has_url
        channel_first = False
        if not (private or request.replaces or progress.outside):
            channel_first = waits or self._has_room(request)
        if can_respond and not channel_first:
            response = _build_response(request, message, private=private)
            try:
                await self._wire.respond(request.response_url, response)
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
        if can_respond and channel_first:
            return await self._post_or_respond(team, request, message, progress, private=private)
        return await self._post_to_person(team, request, message, private=private)

    async def edit(self, due: DueAnswer, spot: Mapping[str, Any]) -> Outcome:
        """Change the message at `spot` to the reply in `due`; delete or unpin it if the reply says
        so. Its files stay.
        """
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
        """Delete our message at `spot`. Return False if Slack refuses. Raises Busy."""
        channel = str(spot["channel"])
        try:
            await self._wire.call(team.token, "chat.delete", channel=channel, ts=str(spot["ts"]))
        except SlackRefused as refused:
            return refused.error == "message_not_found"
        return True

    async def _edit(
        self, team: Team, reply: Reply, reader: CommandReader, spot: Mapping[str, Any]
    ) -> None:
        """Change the message at `spot` to a reply. Raises Busy or SlackRefused."""
        for _ in (*TYPES, ""):  # each of Slack's own block types can be refused once
            try:
                message = await self._render_message(team, reply, reader)
                await self._change(team, message, str(spot["channel"]), str(spot["ts"]))
                return
            except UnwantedBlocks as unwanted:
                await self._native.record_refusal(team.id, unwanted.types)

    async def _change(self, team: Team, message: SlackMessage, channel: str, ts: str) -> Json:
        """Change the message with this timestamp and return its spot."""
        spot = {"channel": channel, "ts": ts}
        content = {"text": message.text, "blocks": message.blocks}
        await self._post_and_get_timestamp(team, "chat.update", spot | content)
        return spot

    def _has_room(self, request: SlackRequest) -> bool:
        """Return whether the channel takes a message now, without a wait."""
        next_post_at = self._next_post_at.get(f"{request.team}/{request.channel}", 0.0)
        return next_post_at <= time.monotonic() + BURST

    async def _post_in_channel(
        self, team: Team, request: SlackRequest, message: SlackMessage, *, private: bool
    ) -> Json:
        """Post a message in the channel, or change the pressed message to it, and return its spot:
        {} for a message that only the user sees.

        If the pressed message cannot be changed, `message.instead` is posted, or without one the
        message itself. Raises Busy, SlackRefused or UnwantedBlocks.
        """
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
            body["user"] = request.user
            await self._post_and_get_timestamp(team, "chat.postEphemeral", body)
            return {}
        await self._wait_for_turn(f"{team.id}/{request.channel}")
        if message.metadata:
            body["metadata"] = message.metadata
        ts = await self._post_and_get_timestamp(team, "chat.postMessage", body)
        return request.build_spot(ts)

    async def _post_instead(self, team: Team, request: SlackRequest, message: SlackMessage) -> Json:
        """Post `message.instead` because the pressed message cannot be changed.

        Return its spot, marked with INSTEAD.
        """
        assert message.instead is not None
        alternative = replace(message.instead, metadata=message.metadata)
        request = replace(request, replaces=False)
        spot = await self._post_in_channel(team, request, alternative, private=False)
        return {**spot, INSTEAD: True} if spot else spot

    async def _post_to_person(
        self, team: Team, request: SlackRequest, message: SlackMessage, *, private: bool
    ) -> Json:
        """Post a message to the user's direct messages, because the bot may not post in the
        channel. A public message gets a note that says so. Return its spot.
        """
        channel = await open_direct_messages(self._wire, team.token, request.user)
        content = _build_content(message)
        if not private:
            text = f"This could not be shown in <#{request.channel}>. {format_line(INVITE)}"
            note = {"type": "context", "elements": [{"type": "mrkdwn", "text": text}]}
            content["blocks"] = [*content["blocks"][: MAX_BLOCKS - 1], note]
        content["channel"] = channel
        await self._wait_for_turn(f"{team.id}/{channel}")
        ts = await self._post_and_get_timestamp(team, "chat.postMessage", content)
        return replace(request, channel=channel).build_spot(ts)

    async def _post_and_get_timestamp(self, team: Team, method: str, body: dict[str, Any]) -> str:
        """Post or change a message and return its timestamp, "" if Slack gives none.

        If Slack refuses blocks that are not its own types, which would be our bug, post the plain
        text alone, so that no answer is lost. Raises Busy, SlackRefused or UnwantedBlocks.
        """
        try:
            answer = await self._wire.call(team.token, method, **body)
        except SlackRefused as refused:
            if "blocks" not in refused.error:
                raise
            await self._raise_if_unwanted(team, refused, body["blocks"])
            log.error(
                "Slack does not take the blocks of an answer (%s): it is shown as plain text",
                refused,
            )
            plain = {name: body[name] for name in body if name != "blocks"}
            answer = await self._wire.call(team.token, method, **plain)
        return str(answer.get("ts") or "")

    async def _raise_if_unwanted(
        self, team: Team, refused: SlackRefused, blocks: list[Json]
    ) -> None:
        """Raise UnwantedBlocks if Slack refused a message for block types of its own.

        A response address does not say for which, so `blocks.validate` is asked; if that does not
        say either, the newest type is taken.
        """
        used_types = find_native_types(blocks)
        if "block" not in refused.error or not used_types:
            return
        faults = refused.faults
        if not faults:
            try:
                await self._wire.call(team.token, "blocks.validate", blocks=json.dumps(blocks))
            except Busy:
                pass
            except SlackRefused as validation:
                faults = validation.faults
        if not faults:
            newest = next(kind for kind in TYPES if kind in used_types)
            raise UnwantedBlocks(frozenset([newest]))
        refused_types = find_refused_types(faults)
        if refused_types:
            raise UnwantedBlocks(refused_types)

    async def _wait_for_turn(self, channel: str) -> None:
        """Wait until a channel may have its next message. The turn counts as taken at once."""
        time_now = time.monotonic()
        post_at = max(self._next_post_at.get(channel, 0.0), time_now)
        self._next_post_at[channel] = post_at + INTERVAL
        await asyncio.sleep(max(0.0, post_at - time_now - BURST))


def _build_content(message: SlackMessage) -> dict[str, Any]:
    """Build the fields of a message that do not depend on its channel."""
    return {
        "text": message.text,
        "blocks": message.blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _build_response(
    request: SlackRequest, message: SlackMessage, *, private: bool
) -> dict[str, Any]:
    """Build the body for a response address."""
    response_fields: Json = {"response_type": "ephemeral" if private else "in_channel"}
    # without this field Slack would replace the pressed message
    response_fields["replace_original"] = request.replaces
    return _build_content(message) | response_fields | _build_thread_fields(request)


def _build_thread_fields(request: SlackRequest) -> dict[str, Any]:
    return {"thread_ts": request.thread} if request.thread else {}
