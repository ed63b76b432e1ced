"""Delivery of answers to interactions: at once if the work is quick, else a receipt ("thinking")
and then the answer. If Discord takes nothing now, the answer is delivered later.

The call that sends a first response may break, and then nobody knows whether the response arrived.
So before anything is sent a second time, Discord is asked which message it shows as the answer, and
that message is changed to what it should be. Nothing is lost, and nothing appears twice.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import aiohttp
import discord

from adapters.delivery_loop import (
    INSTEAD,
    Delivered,
    Outbox,
    Outcome,
    RetryLater,
    Undeliverable,
    draw_picture_after,
    explain_not_pinned,
    settle_receipt,
)
from adapters.discord.calls import (
    BROKEN,
    UNKNOWN_MESSAGE,
    DiscordApi,
    DiscordRefused,
    ResponseType,
    Unsure,
)
from adapters.discord.channel_posts import ARCHIVED, LOADING, Posting
from adapters.discord.permissions import MAY_NOT_PIN
from adapters.discord.render import REFUSED, DiscordMessage
from adapters.discord.request import (
    EPHEMERAL,
    PIN_MESSAGES,
    PLATFORM,
    DiscordRequest,
    Json,
    build_unasked_request,
)
from adapters.hand_windows import HandWindows
from bot.app import App
from bot.execution.executor import build_failure_reply
from bot.outbox.receipts import get_patience_divisor, wait_until_done
from bot.outbox.waiting_answers import DueAnswer
from bot.rules.errors import UserError
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import TAKEN_AWAY, UNPINNED, Reply, build_error_reply
from bot.ui.spec import Command

log = logging.getLogger(__name__)

THINKING_AFTER = 1.5
"""Seconds after which "thinking" is shown if the answer is not ready."""
AT_ONCE = 8
"""Maximum number of outbox answers that are delivered at the same time."""
LOOK_AGAIN = 60.0
"""Seconds between reloads of the users with undelivered answers."""
TOO_OLD_FOR_NOW = 30046
"""Discord's code for too many changes of messages that are older than an hour."""
MOST_TOLD = 2
"""Maximum number of saved answers that are sent after a new one. An own install may send five
further messages for each interaction, and the answer itself may need three of them.
"""
TROUBLE = (DiscordRefused, Unsure, discord.HTTPException, *BROKEN)


class Delivery:
    """Delivers the answer to each interaction exactly once."""

    def __init__(
        self, wire: DiscordApi, posting: Posting, app: App, rights: Callable[[int, int], int]
    ) -> None:
        """Create the delivery. `rights` returns the bot's permission bits by server and channel
        id.
        """
        self._wire = wire
        self._app = app
        self._rights = rights
        self._posted_answers = PostedAnswers(wire, posting, app)
        self._posting = posting
        self.outbox = Outbox(app, PLATFORM, self.post, self.edit, AT_ONCE)
        self._users_with_saved_answers: set[str] | None = None  # None: not loaded yet
        self._reload_saved_answers_at = 0.0
        self.busy = 0
        self._users_being_sent_saved_answers: set[int] = set()
        self.hands = HandWindows(app, self._redraw_hand)

    async def serve_request(
        self,
        request: DiscordRequest,
        command: Command,
        work: Coroutine[Any, Any, Reply],
        *,
        in_place: bool = False,
    ) -> None:
        """Run `command` by awaiting `work`, and deliver the reply that it returns.

        If the reply is not ready in time, show a receipt first, which is private if the command
        is. A receipt is a promise that another process keeps if this one dies, so it is stored
        before it is shown; if it cannot be stored, `work` is cancelled. With `in_place` the reply
        replaces the message that holds the pressed button.
        """
        self.busy += 1
        private = bool(command.delivery["private"]) or request.hushed
        try:
            task = asyncio.ensure_future(work)
            is_done = await wait_until_done(
                task, lambda: THINKING_AFTER / get_patience_divisor(self.busy), request.age
            )
            if is_done:
                reply = await _get_reply(task)
                await self.respond_with(request, reply, in_place=in_place)
                await self._deliver_follow_ups(request, command, reply)
                return
            instead = await self._app.promise_answer(command, request.until)
            if instead is not None:
                task.cancel()
                await self.respond_with(request, instead, in_place=in_place)
                return
            placed = await self._show_receipt(request, private=private, in_place=in_place)
            reply = await _get_reply(task)
        finally:
            self.busy -= 1
        answering = self._answer_after_receipt(
            request, reply, placed=placed, private=private, in_place=in_place
        )
        with closing(answering) as posting:
            if await settle_receipt(self._app, request.request_id, reply, posting):
                # `closing`: if this is cancelled before the posting began, it never begins
                await self._deliver_follow_ups(request, command, reply)

    async def _deliver_follow_ups(
        self, request: DiscordRequest, command: Command, reply: Reply
    ) -> None:
        """Send what follows a delivered answer: its picture, then the user's saved answers.

        Also remember the message if it shows a hand, so that it is redrawn when the hand changes.
        """
        if reply.window:
            self.hands.remember_window(request, reply)
        picture = await draw_picture_after(self._app, reply, command, command.who)
        try:
            if picture is not None:
                await self._wire.follow_up(request, self._posting.render(picture, request))
        except TROUBLE as error:
            log.warning("no picture for interaction %s: %s", request.id, error)
        # two commands of one user at the same time send the saved answers once
        if request.user not in self._users_being_sent_saved_answers:
            self._users_being_sent_saved_answers.add(request.user)
            try:
                await self._deliver_saved_answers(request)
            finally:
                self._users_being_sent_saved_answers.discard(request.user)

    async def _redraw_hand(self, request: DiscordRequest, reply: Reply) -> bool:
        """Change the message that shows a hand to `reply`.

        Return False if that failed or the token of its request is dead.
        """
        with suppress(*TROUBLE):
            if request.is_alive:
                return bool(await self._wire.edit(request, self._posting.render(reply, request)))
        return False

    async def _deliver_saved_answers(self, request: DiscordRequest) -> None:
        """Send the user privately the answers that could not be shown within their 15 minutes.

        The oldest come first, at most MOST_TOLD of them; each one sent is marked as seen. If
        anything fails, log it and leave the rest for the next command.
        """
        user = request.who.key
        try:
            users = await self._load_users_with_saved_answers()
            if request.user != request.owner and user not in users:
                return
            waiting = await self._app.answers.list_unseen(user)
            for key, reply in waiting[:MOST_TOLD]:
                saved_reply = replace(
                    reply,
                    private=True,
                    announce=None,
                    lines=(*reply.lines, Small(LATE_ANSWER_NOTE)),
                )
                message = self._posting.render(saved_reply, request, late=True)
                await self._wire.follow_up(request, message)
                await self._app.answers.mark_seen(key)
            if len(waiting) <= MOST_TOLD:
                users.discard(user)
        except (*TROUBLE, UserError) as error:
            log.warning("could not tell what is kept for user %s: %s", request.user, error)

    async def _load_users_with_saved_answers(self) -> set[str]:
        """Return the keys of the users with saved answers, reloaded every LOOK_AGAIN seconds,
        because other processes save answers as well.
        """
        users = self._users_with_saved_answers
        if users is None or time.monotonic() > self._reload_saved_answers_at:
            self._reload_saved_answers_at = time.monotonic() + LOOK_AGAIN
            unseen = await self._app.answers.list_unseen()
            users = {key.partition("/")[0] for key, _ in unseen}
            self._users_with_saved_answers = users
        return users

    async def answer_receipt(self, request: DiscordRequest, reply: Reply) -> None:
        """Deliver the answer to a receipt that a dead process left, or that this one could not
        answer.

        The receipt ends if that succeeds or if the answer is in the outbox; else it is released
        for another attempt.
        """
        if reply.outbox or reply.seen:
            await self._app.receipts.finish(request.request_id)
            if reply.outbox:
                await self.deliver_later(request, reply)
            return
        try:
            await self._posted_answers.complete_answer(request, reply)
        except TROUBLE as error:
            log.warning("could not deliver the answer to interaction %s yet: %s", request.id, error)
            self._app.receipts.release(request.request_id)
            return
        await self._app.receipts.finish(request.request_id)

    async def show_form(self, request: DiscordRequest, form: Mapping[str, Any]) -> None:
        """Show a form (a Discord modal) as the first response.

        A failure is only logged, because the user can simply open the form again.
        """
        try:
            await self._wire.respond(request, ResponseType.FORM, data={**form})
        except (DiscordRefused, Unsure) as error:
            log.warning("no form for interaction %s: %s", request.id, error)

    async def deliver_later(self, request: DiscordRequest, reply: Reply) -> None:
        """Deliver a stored answer after a first attempt failed, and record the outcome.

        If this fails as well, the outbox tries again later.
        """
        with self._app.answers.hold_while_posting(reply):
            outcome = await self._deliver(request, reply)
        await self.outbox.record_outcome(reply.outbox, 0, outcome)

    async def post(self, due: DueAnswer) -> Outcome:
        """Deliver an answer from the outbox: one from before a restart, or one that Discord did
        not take.
        """
        try:
            if due.delivery:
                request = DiscordRequest.from_json(due.delivery)
            else:
                request = build_unasked_request(due.place, due.id, self._rights)
        except (TypeError, ValueError) as error:
            return Undeliverable(f"its destination cannot be read ({error})")
        since = due.created if due.attempts else 0.0
        return await self._deliver(request, due.reply, since)

    async def edit(self, due: DueAnswer, spot: Mapping[str, Any]) -> Outcome:
        """Change the message at `spot` to the reply in `due`; delete or unpin it if the reply says
        so.
        """
        try:
            if spot.get("token"):
                return await self._edit_by_token(due.reply, spot)
            if due.reply.pin == TAKEN_AWAY and await self._posting.delete(spot):
                return Delivered()
            await self._posting.change_message(due.reply, spot)
        except TROUBLE as error:
            return _classify_failure(error)
        if due.reply.pin in (UNPINNED, TAKEN_AWAY) and spot.get("pinned", True):
            await self._posting.pin_or_unpin(replace(due.reply, pin=UNPINNED), spot)
        return Delivered(dict(spot))

    async def _edit_by_token(self, reply: Reply, spot: Mapping[str, Any]) -> Outcome:
        """Change a message of an own install. Only its own token can do that, while it lives."""
        bare = {"guild": 1, "allowed": 0} if spot.get("bare") else {}
        request = DiscordRequest.from_json({"id": 0, "kind": 0, **spot, **bare})
        if not request.is_alive:
            return Undeliverable("its token has expired, and nothing else can change it")
        message = DiscordMessage(self._posting.build_changed_body(reply, request))
        await self._wire.edit(request, message, which=str(spot["message"]))
        return Delivered(dict(spot))

    async def _deliver(self, request: DiscordRequest, reply: Reply, since: float = 0.0) -> Outcome:
        """Deliver a stored reply, pinned if it says so, and return the outcome with its spot.

        A request without a channel goes to the user as a direct message. `since` (Unix seconds):
        an earlier attempt may have posted the reply after that.
        """
        try:
            if not request.channel:
                message = await self._posting.post_late(reply, request)
                if not message:
                    return Undeliverable("they take no direct messages")
                channel = int(message["channel_id"])
                return Delivered(replace(request, channel=channel).build_spot(message.get("id")))
            message_id = await self._posted_answers.complete_answer(request, reply, since)
            spot = _build_spot(request, reply, message_id)
        except TROUBLE as error:
            return _classify_failure(error)
        return Delivered(await self._pin_or_unpin(request, reply, spot))

    async def _pin_or_unpin(
        self, request: DiscordRequest, reply: Reply, spot: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Pin or unpin the message at `spot` if its reply says so.

        Return the spot with `pinned` added: whether there was nothing to explain. If the bot may
        not pin, send the user an explanation. Without `reply.pin` return the spot unchanged.
        """
        if not reply.pin:
            return dict(spot)
        if request.has_permission(PIN_MESSAGES):
            explanation = await self._posting.pin_or_unpin(reply, spot)
        else:
            explanation = explain_not_pinned(MAY_NOT_PIN, request.channel)
        if explanation is not None and request.token and request.is_alive:
            try:
                await self._wire.follow_up(request, self._posting.render(explanation, request))
            except TROUBLE as error:
                log.info("could not say that a message was not pinned: %s", error)
        return {**spot, "pinned": explanation is None}

    async def _show_receipt(
        self, request: DiscordRequest, *, private: bool, in_place: bool
    ) -> bool:
        """Show "thinking", or with `in_place` only acknowledge the press.

        Return whether that is known to have arrived as the first response.
        """
        kind = ResponseType.THINKING
        data: Json | None = {"flags": EPHEMERAL} if private else {}
        if in_place:
            kind = ResponseType.DEFER_UPDATE
            data = None
        try:
            return await self._wire.respond(request, kind, data=data) is not None
        except (DiscordRefused, Unsure) as error:
            log.warning("no receipt for interaction %s: %s", request.id, error)
            return False

    async def respond_with(
        self, request: DiscordRequest, reply: Reply, *, in_place: bool = False
    ) -> None:
        """Deliver an answer that is ready, as the first response.

        If that fails and the outbox does not hold the answer, try a few more times.
        """
        if reply.seen:  # Discord sent this interaction twice: the other delivery answers it
            return
        kind = ResponseType.UPDATE if in_place and reply.in_place else ResponseType.MESSAGE

        async def send_first_response() -> object:
            """Send the answer and return the id of its message or announcement."""
            response = await self._respond(request, kind, reply)
            if response:
                interaction = response.get("interaction") or {}
                message_id = interaction.get("response_message_id")
                return await self._posted_answers.announce(request, reply) or message_id
            # Another process has responded, perhaps with a receipt alone, or Discord did not say
            # which message the response is.
            return await self._posted_answers.complete_answer(request, reply)

        if not await self._show_answer(request, reply, send_first_response):
            await self._repeat_answer(request, reply)

    async def _respond(
        self, request: DiscordRequest, kind: ResponseType, reply: Reply
    ) -> Mapping[str, Any] | None:
        """Send the first response. If Discord refuses for good to change a message, send
        `reply.instead` as a new one.

        Return the response, empty if the call broke although the response arrived, or None if
        another one was first.
        """
        try:
            return await self._wire.respond(request, kind, self._posting.render(reply, request))
        except DiscordRefused as refused:
            if kind != ResponseType.UPDATE or reply.instead is None or refused.is_temporary:
                raise
            log.info("message %s could not be changed: %s", request.message, refused)
            return await self._wire.respond(
                request, ResponseType.MESSAGE, self._posting.render(reply.instead, request)
            )

    async def _show_answer(
        self, request: DiscordRequest, reply: Reply, show: Callable[[], Awaitable[object]]
    ) -> bool:
        """Show an answer by awaiting `show`, which returns the message's id, and record it as
        delivered. TROUBLE is handled as `_handle_failure` says.

        Return False if the answer neither arrived nor is kept for later, so that the caller has to
        try again.
        """
        try:
            with self._app.answers.hold_while_posting(reply):
                message_id = await show()
        except TROUBLE as error:
            return await self._handle_failure(request, reply, error)
        spot = _build_spot(request, reply, message_id)
        outcome = Delivered(await self._pin_or_unpin(request, reply, spot))
        await self.outbox.record_outcome(reply.outbox, 0, outcome)
        return True

    async def _repeat_answer(self, request: DiscordRequest, reply: Reply) -> None:
        """Try again to deliver an answer that is stored nowhere, such as a lookup or a refusal.

        If no attempt succeeds, save it, so that the user gets it with their next command.
        """
        answer = replace(reply, announce=None)
        for pause in AGAIN:
            await asyncio.sleep(pause)
            with suppress(*TROUBLE):
                if await self._posted_answers.complete_answer(request, answer) is not None:
                    return
        if request.owner:  # `complete_answer` has saved it already
            return
        try:
            await self._app.save_undelivered(request.who.key, str(request.id), answer)
            if self._users_with_saved_answers is not None:
                self._users_with_saved_answers.add(request.who.key)
        except UserError as error:
            log.warning("could not keep the answer to interaction %s: %s", request.id, error)

    async def _answer_after_receipt(
        self, request: DiscordRequest, reply: Reply, *, placed: bool, private: bool, in_place: bool
    ) -> bool:
        """Deliver the answer to a request that got a receipt.

        `placed`: the receipt is known to have arrived. Return whether nothing is left to do: the
        answer arrived, is left to the outbox, or belongs to another delivery of the same
        interaction.
        """
        if reply.seen:
            if placed and not in_place:
                await self._posted_answers.end_receipt(request)
            return True
        if placed:
            show = partial(
                self._posted_answers.put_answer, request, reply, private=private, in_place=in_place
            )
        else:
            show = partial(self._posted_answers.complete_answer, request, reply)
        return await self._show_answer(request, reply, show)

    async def _handle_failure(
        self, request: DiscordRequest, reply: Reply, error: Exception
    ) -> bool:
        """Handle an answer that could not be delivered.

        A stored answer is left to the outbox after another attempt; any other is tried once more
        here. Return False if neither helped: the second attempt failed as well, or nothing was
        posted for a refusal.
        """
        log.warning("could not deliver the answer to interaction %s: %s", request.id, error)
        if isinstance(error, DiscordRefused) and error.status == 400 and error.code != ARCHIVED:
            await self._posted_answers.post_bare_line(request, reply)
        if reply.outbox:
            await self.deliver_later(request, reply)
            return True
        if await self._tell_by_message(request, reply, error):
            return True
        try:
            message_id = await self._posted_answers.complete_answer(
                request, replace(reply, announce=None)
            )
        except TROUBLE as second_error:
            log.warning(
                "gave up for now on the answer to interaction %s: %s", request.id, second_error
            )
            return False
        return message_id is not None or not reply.error

    async def _tell_by_message(
        self, request: DiscordRequest, reply: Reply, error: Exception
    ) -> bool:
        """Send a reply that a locked thread refuses to the user as a direct message.

        Return whether it was sent. Any `error` other than the refusal of a locked thread does
        nothing and returns False, as does an own install.
        """
        if not isinstance(error, DiscordRefused) or error.code != ARCHIVED or request.owner:
            return False
        name = request.where.name or "a thread"
        origin = Small(f"You typed this in {name}, which is locked and archived.")
        message = replace(
            reply, private=True, in_place=False, announce=None, lines=(*reply.lines, origin)
        )
        to_user = replace(request, channel=0)
        with suppress(*TROUBLE):
            return await self._posting.post_late(message, to_user) is not None
        return False


async def _get_reply(task: asyncio.Task[Reply]) -> Reply:
    """Return the reply of a task, or an error reply if the task raised. Bugs are logged."""
    try:
        return await task
    except UserError as error:
        return build_error_reply(error)
    except Exception:
        return build_failure_reply(log, "an answer")


def _classify_failure(error: Exception) -> Outcome:
    """Return RetryLater or Undeliverable for the error that an attempt ended with.

    Only a refusal by Discord with a status below 500, other than 429, is final.
    """
    if not isinstance(error, DiscordRefused | discord.HTTPException):
        may_have_arrived = not isinstance(error, aiohttp.ClientConnectorError)
        return RetryLater(unsure=may_have_arrived)
    if error.code == TOO_OLD_FOR_NOW:
        return RetryLater(60.0)
    if error.status != 429 and error.status < 500:
        return Undeliverable(str(error))
    return RetryLater(getattr(error, "retry_after", 0.0), error.status >= 500)


LEAVE_AFTER = 1.0
"""Seconds between looks at a receipt that somebody else should answer."""
AGAIN = (2.0, 8.0)
"""Seconds before each further attempt to deliver an answer that is stored nowhere."""
LATE_ANSWER_NOTE = "This answer was ready too late for Discord to post it there, so here it is."


class PostedAnswers:
    """The messages that Discord shows as answers, read and changed.

    Unless a method says otherwise, it raises one of TROUBLE if Discord refuses or cannot be
    reached.
    """

    def __init__(self, wire: DiscordApi, posting: Posting, app: App) -> None:
        self._wire = wire
        self._posting = posting
        self._app = app

    async def put_answer(
        self, request: DiscordRequest, reply: Reply, *, private: bool, in_place: bool
    ) -> object:
        """Replace the receipt by the answer, and post the announcement that goes with it.

        A receipt whose privacy (`private`) differs from the answer's is deleted, and the answer is
        posted as a new message. With `in_place` there is no receipt: the pressed message changes
        if `reply.in_place`, else it stays and the answer is new. Return the id of the announcement
        or the answer.
        """
        if in_place:
            can_edit = reply.in_place
        else:
            can_edit = (reply.private or request.hushed) == private
        if can_edit:
            message = await self._edit_or_post(request, reply)
            return await self._announce_or_get_id(request, reply, message)
        if not in_place:
            await self._remove_placeholder(request)
        return await self._post_new(request, reply)

    async def _edit_or_post(
        self, request: DiscordRequest, reply: Reply
    ) -> Mapping[str, Any] | None:
        """Change the message and return it; if Discord refuses that for good, post `reply.instead`,
        if there is one, and return that. Raises any other failure.
        """
        try:
            return await self._wire.edit(request, self._posting.render(reply, request))
        except DiscordRefused as refused:
            if reply.instead is None or refused.is_temporary:
                raise
            return await self._wire.follow_up(request, self._posting.render(reply.instead, request))

    async def _post_new(self, request: DiscordRequest, reply: Reply) -> object:
        """Post the answer as a new message, with its announcement. Return the id of the
        announcement or the answer.
        """
        reply = reply.standalone
        message = await self._wire.follow_up(request, self._posting.render(reply, request))
        return await self._announce_or_get_id(request, reply, message)

    async def _announce_or_get_id(
        self, request: DiscordRequest, reply: Reply, message: Mapping[str, Any] | None
    ) -> object:
        """Post the reply's public announcement. Return its id, or without one the id of
        `message`, the answer.
        """
        return await self.announce(request, reply) or _get_id(message)

    async def announce(self, request: DiscordRequest, reply: Reply) -> object:
        """Post what everybody may know of a private answer (`reply.announce`), such as that
        something is sealed.

        Return the id of the message, or None if there is no announcement. Posted twice, it
        appears once.
        """
        if reply.announce is None:
            return None
        if request.owner:  # an own install may not post in the channel, even if the bot is a member
            message = await self._wire.follow_up(
                request, self._posting.render(reply.announce, request)
            )
        else:
            message = await self._posting.announce(reply.announce, request, self._wire)
        return _get_id(message)

    async def complete_answer(
        self, request: DiscordRequest, reply: Reply, since: float = 0.0
    ) -> object:
        """Look up which message Discord shows as the answer, and post what is missing.

        If the token is dead, post the answer as a normal message; save it for an own install; drop
        a refusal. `since` (Unix seconds): an earlier attempt may have posted it after that. Return
        the id of the answer or its announcement, or None if nothing was posted.
        """
        if request.is_alive:
            try:
                current = await self._wire.get_original(request)
            except DiscordRefused as refused:
                if refused.code == UNKNOWN_MESSAGE:
                    # the placeholder was deleted, and its answer has not been posted yet
                    return await self._post_new(request, reply)
                if refused.is_temporary:
                    raise
            else:
                return await self._post_missing(request, reply, current)
        if reply.error:
            return None
        if request.owner:
            await self._app.save_undelivered(f"{PLATFORM}{request.owner}", str(request.id), reply)
            return None
        message = await self._posting.post_late(reply, request, since)
        return await self._announce_or_get_id(request, reply, message)

    async def _post_missing(
        self, request: DiscordRequest, reply: Reply, current: dict[str, Any]
    ) -> object:
        """Post the answer unless `current`, the message that Discord shows as the answer, is it
        already.

        The message with the pressed button, a placeholder and an earlier refusal are replaced.
        Return the id of the answer or its announcement.
        """
        flags = int(current.get("flags") or 0)
        if int(current.get("id") or 0) == request.message:
            # the message with the pressed button: to change it twice does no harm
            return await self.put_answer(request, reply, private=False, in_place=True)
        if flags & LOADING:
            private = bool(flags & EPHEMERAL)
            return await self.put_answer(request, reply, private=private, in_place=False)
        message: Mapping[str, Any] | None = current
        if str(current.get("content")).startswith(REFUSED) and not reply.error:
            # Discord sent the interaction twice, and only the second delivery ran: the refusal
            # that the first one got is not the answer.
            if request.owner:
                message = await self._wire.follow_up(request, self._posting.render(reply, request))
            else:
                message = await self._posting.post_late(reply, request)
        return await self._announce_or_get_id(request, reply, message)

    async def post_bare_line(self, request: DiscordRequest, reply: Reply) -> None:
        """Show the bare title of a reply whose message Discord refuses, and log the refusal.

        The refusal is our bug, but a bare line is better than silence. Raises nothing.
        """
        log.error("Discord refuses the answer %r", reply.title[:100])
        try:
            bare = self._posting.render(Reply(reply.title[:300], private=reply.private), request)
            if await self._wire.respond(request, ResponseType.MESSAGE, bare) is None:
                await self._wire.edit(request, bare)
        except (DiscordRefused, Unsure):
            return

    async def _remove_placeholder(self, request: DiscordRequest) -> None:
        """Delete the "thinking" placeholder.

        Raises DiscordRefused or Unsure unless it is gone, because a private follow-up would fill
        it for everybody to see.
        """
        try:
            await self._wire.delete(request)
        except DiscordRefused as refused:
            if refused.code != UNKNOWN_MESSAGE:
                raise

    async def end_receipt(self, request: DiscordRequest) -> None:
        """End the receipt of an interaction that another delivery of it answers.

        The answer may still take the place of this receipt, so wait a little; if it does not, say
        "Already done."
        """
        try:
            for _ in range(2):
                current = await self._wire.get_original(request)
                if not int(current.get("flags") or 0) & LOADING:
                    return
                await asyncio.sleep(LEAVE_AFTER)
            await self._wire.edit(request, self._posting.render(Reply("Already done."), request))
        except (DiscordRefused, Unsure) as error:
            log.info("could not end a receipt: %s", error)


def _build_spot(request: DiscordRequest, reply: Reply, message: object) -> dict[str, Any]:
    """Return the spot of the message with this id, marked with INSTEAD if it was posted instead of
    a change. Return {} without an id.
    """
    spot = request.build_spot(message)
    is_change = reply.instead is None or spot.get("message") == request.message
    if is_change or not spot:
        return spot
    return {**spot, INSTEAD: True}


def _get_id(message: Mapping[str, Any] | None) -> object:
    """Return the id of a message as Discord gave it, or None without one."""
    return (message or {}).get("id")
