"""Brings answers: at once if the work is quick, else a receipt and then the answer; later if
Discord would not listen.

A first response may break without anybody knowing whether it arrived. Before anything is sent a
second time, Discord is asked what is there as the answer, and that is made what it should be:
nothing is lost, nothing comes twice."""

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
    DEFER_UPDATE,
    FORM,
    MESSAGE,
    THINKING,
    UNKNOWN_MESSAGE,
    UPDATE,
    DiscordApi,
    DiscordRefused,
    Unsure,
)
from adapters.discord.channel_posts import ARCHIVED, LOADING, Posting, build_changed_body
from adapters.discord.permissions import MAY_NOT_PIN
from adapters.discord.render import REFUSED, DiscordMessage, render_message
from adapters.discord.request import (
    EPHEMERAL,
    PIN_MESSAGES,
    PLATFORM,
    DiscordRequest,
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

RECEIPT = 1.5
"""Seconds after which "thinking" is shown, unless the answer is there."""
AT_ONCE = 8
"""Left-over answers on their way at once."""
LOOK_AGAIN = 60.0
"""Seconds after which it is read anew for whom something is kept."""
TOO_OLD_FOR_NOW = 30046
"""Discord allows only so many changes of messages that are older than an hour."""
MOST_TOLD = 2
"""Earlier answers that somebody reads behind one: an own install may send five further messages for
each interaction, of which the answer may need three."""
TROUBLE = (DiscordRefused, Unsure, discord.HTTPException, *BROKEN)


class Delivery:
    """Answers interactions, each once."""

    def __init__(
        self, wire: DiscordApi, posting: Posting, app: App, rights: Callable[[int, int], int]
    ) -> None:
        """`rights` are the bot's in a channel of a server."""
        self._wire = wire
        self._app = app
        self._rights = rights
        self._standing = PostedAnswers(wire, posting, app)
        self._posting = posting
        self.outbox = Outbox(app, PLATFORM, self.post, self.edit, AT_ONCE)
        self._kept: set[str] | None = (
            None  # for whom something is kept that nobody could tell them yet
        )
        self._kept_until = 0.0
        self.busy = 0
        self._telling: set[int] = set()
        self.hands = HandWindows(app, self._redraw_hand)

    async def serve_request(
        self,
        request: DiscordRequest,
        command: Command,
        work: Coroutine[Any, Any, Reply],
        *,
        in_place: bool = False,
    ) -> None:
        """Bring what `work` returns, which runs `command`; `in_place` changes the message pressed
        on. A receipt is a promise, also of a process that dies: it is written down first. It is
        private where the command says so."""
        self.busy += 1
        private = bool(command.delivery["private"]) or request.hushed
        try:
            task = asyncio.ensure_future(work)
            if await wait_until_done(
                task, lambda: RECEIPT / get_patience_divisor(self.busy), request.age
            ):
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
        with closing(
            self._answer_after_receipt(
                request, reply, placed=placed, private=private, in_place=in_place
            )
        ) as posting:
            if await settle_receipt(self._app, request.request_id, reply, posting):
                # cut off before that, it never begins
                await self._deliver_follow_ups(request, command, reply)

    async def _deliver_follow_ups(
        self, request: DiscordRequest, command: Command, reply: Reply
    ) -> None:
        """Bring the picture of an answer that is there, and what came too late for their last
        one.
        """
        if reply.window:
            self.hands.remember_window(request, reply)
        drawn = await draw_picture_after(self._app, reply, command, command.who)
        try:
            if drawn is not None:
                await self._wire.follow_up(request, render_message(drawn, request))
        except TROUBLE as error:
            log.warning("no picture for interaction %s: %s", request.id, error)
        if request.user not in self._telling:
            self._telling.add(request.user)  # two commands at once tell it once
            try:
                await self._deliver_saved_answers(request)
            finally:
                self._telling.discard(request.user)

    async def _redraw_hand(self, request: DiscordRequest, reply: Reply) -> bool:
        """Change a hand on show, while the token lives that brought it; whether it is there."""
        with suppress(*TROUBLE):
            return request.is_alive and bool(
                await self._wire.edit(request, render_message(reply, request))
            )
        return False

    async def _deliver_saved_answers(self, request: DiscordRequest) -> None:
        """Tell somebody privately what could not be shown before its 15 minutes were over, the
        oldest first.
        """
        user = request.who.key
        try:
            if self._kept is None or time.monotonic() > self._kept_until:
                # another process may have kept more
                self._kept_until = time.monotonic() + LOOK_AGAIN
                self._kept = {
                    key.partition("/")[0] for key, _ in await self._app.answers.list_unseen()
                }
            if request.user != request.owner and user not in self._kept:
                return
            waiting = await self._app.answers.list_unseen(user)
            for key, reply in waiting[:MOST_TOLD]:
                told = replace(
                    reply, private=True, announce=None, lines=(*reply.lines, Small(KEPT))
                )
                await self._wire.follow_up(request, render_message(told, request, late=True))
                await self._app.answers.mark_seen(key)
            if len(waiting) <= MOST_TOLD:
                self._kept.discard(user)
        except (*TROUBLE, UserError) as error:
            log.warning("could not tell what is kept for user %s: %s", request.user, error)

    async def answer_receipt(self, request: DiscordRequest, reply: Reply) -> None:
        """Bring the answer to a receipt that a dead process left, or that this one could not
        bring.
        """
        if reply.outbox or reply.seen:
            await self._app.receipts.finish(request.request_id)
            if reply.outbox:
                await self.deliver_later(request, reply)
            return
        try:
            await self._standing.complete_answer(request, reply)
        except TROUBLE as error:
            log.warning("could not deliver the answer to interaction %s yet: %s", request.id, error)
            self._app.receipts.release(request.request_id)
            return
        await self._app.receipts.finish(request.request_id)

    async def show_form(self, request: DiscordRequest, form: Mapping[str, Any]) -> None:
        """Answer with a form. Lost, it is simply asked for again."""
        try:
            await self._wire.respond(request, FORM, data={**form})
        except (DiscordRefused, Unsure) as error:
            log.warning("no form for interaction %s: %s", request.id, error)

    async def deliver_later(self, request: DiscordRequest, reply: Reply) -> None:
        """Bring a stored answer that Discord would not take just now; if it still will not, the
        outbox does.
        """
        with (
            self._app.answers.hold_while_posting(reply),
            self._app.use_server_registry(request.where.server),
        ):
            outcome = await self._deliver(request, reply)
        await self.outbox.record_outcome(reply.outbox, 0, outcome)

    async def post(self, due: DueAnswer) -> Outcome:
        """Bring what is left over: from before a restart, or what Discord would not take."""
        try:
            request = (
                DiscordRequest.from_json(due.delivery)
                if due.delivery
                else build_unasked_request(due.place, due.id, self._rights)
            )
        except (TypeError, ValueError) as error:
            return Undeliverable(f"it does not say where it goes ({error})")
        return await self._deliver(request, due.reply, due.created if due.attempts else 0.0)

    async def edit(self, due: DueAnswer, spot: Mapping[str, Any]) -> Outcome:
        """Change a message to how it reads now."""
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
        """Change a message that an own install brought, while the token lives that brought it."""
        bare = {"guild": 1, "allowed": 0} if spot.get("bare") else {}
        request = DiscordRequest.from_json({"id": 0, "kind": 0, **spot, **bare})
        if not request.is_alive:
            return Undeliverable("its token is dead, and nobody else may change it")
        await self._wire.edit(
            request, DiscordMessage(build_changed_body(reply, request)), which=str(spot["message"])
        )
        return Delivered(dict(spot))

    async def _deliver(self, request: DiscordRequest, reply: Reply, since: float = 0.0) -> Outcome:
        try:
            if not request.channel:  # to a person: where that is, Discord says
                made = await self._posting.post_late(reply, request)
                if not made:
                    return Undeliverable("they take no direct messages")
                return Delivered(
                    replace(request, channel=int(made["channel_id"])).build_spot(made.get("id"))
                )
            spot = _build_spot(
                request, reply, await self._standing.complete_answer(request, reply, since)
            )
        except TROUBLE as error:
            return _classify_failure(error)
        return Delivered(await self._pin_or_unpin(request, reply, spot))

    async def _pin_or_unpin(
        self, request: DiscordRequest, reply: Reply, spot: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Pin the message where its reply says so and the bot may; whoever asked for it is told
        where not. Its spot, which says whether it is pinned."""
        if not reply.pin:
            return dict(spot)
        told = (
            await self._posting.pin_or_unpin(reply, spot)
            if request.has_permission(PIN_MESSAGES)
            else explain_not_pinned(MAY_NOT_PIN, request.channel)
        )
        if told is not None and request.token and request.is_alive:
            try:
                await self._wire.follow_up(request, render_message(told, request))
            except TROUBLE as error:
                log.info("could not say that a message was not pinned: %s", error)
        return {**spot, "pinned": told is None}

    async def _show_receipt(
        self, request: DiscordRequest, *, private: bool, in_place: bool
    ) -> bool:
        """Show that the bot is at work; whether that is known to have arrived."""
        kind, data = (
            (DEFER_UPDATE, None)
            if in_place
            else (THINKING, {"flags": EPHEMERAL} if private else {})
        )
        try:
            return await self._wire.respond(request, kind, data=data) is not None
        except (DiscordRefused, Unsure) as error:
            log.warning("no receipt for interaction %s: %s", request.id, error)
            return False

    async def respond_with(
        self, request: DiscordRequest, reply: Reply, *, in_place: bool = False
    ) -> None:
        """Bring an answer that is ready, with the first response."""
        if reply.seen:  # this very interaction, delivered twice: the other one answers it
            return
        kind = UPDATE if in_place and reply.in_place else MESSAGE

        async def send_first_response() -> object:
            answered = await self._respond(request, kind, reply)
            if answered:
                interaction = answered.get("interaction") or {}
                return await self._standing.announce(request, reply) or interaction.get(
                    "response_message_id"
                )
            # Another process has answered, perhaps with a receipt alone, or nobody said where it
            # is.
            return await self._standing.complete_answer(request, reply)

        if not await self._show_answer(request, reply, send_first_response):
            await self._repeat_answer(request, reply)

    async def _respond(
        self, request: DiscordRequest, kind: int, reply: Reply
    ) -> Mapping[str, Any] | None:
        """Send the first response: if a message cannot be changed, what is posted instead."""
        try:
            return await self._wire.respond(request, kind, render_message(reply, request))
        except DiscordRefused as refused:
            if kind != UPDATE or reply.instead is None or refused.is_temporary:
                raise
            log.info("message %s could not be changed: %s", request.message, refused)
            return await self._wire.respond(
                request, MESSAGE, render_message(reply.instead, request)
            )

    async def _show_answer(
        self, request: DiscordRequest, reply: Reply, show: Callable[[], Awaitable[object]]
    ) -> bool:
        """Show an answer, and note where it is; whether it has got through, or is the outbox's."""
        try:
            with (
                self._app.answers.hold_while_posting(reply),
                self._app.use_server_registry(request.where.server),
            ):
                at = await show()
        except TROUBLE as error:
            return await self._handle_failure(request, reply, error)
        await self.outbox.record_outcome(
            reply.outbox,
            0,
            Delivered(await self._pin_or_unpin(request, reply, _build_spot(request, reply, at))),
        )
        return True

    async def _repeat_answer(self, request: DiscordRequest, reply: Reply) -> None:
        """Bring what nothing keeps, a look-up or a refusal, once Discord takes answers again; where
        it still does not, or the interaction is over, they read it with their next command."""
        for pause in AGAIN:
            await asyncio.sleep(pause)
            with suppress(*TROUBLE):
                if (
                    await self._standing.complete_answer(request, replace(reply, announce=None))
                    is not None
                ):
                    return
        if request.owner:  # there it is kept already
            return
        try:
            await self._app.save_undelivered(
                request.who.key, str(request.id), replace(reply, announce=None)
            )
            if self._kept is not None:
                self._kept.add(request.who.key)
        except UserError as error:
            log.warning("could not keep the answer to interaction %s: %s", request.id, error)

    async def _answer_after_receipt(
        self, request: DiscordRequest, reply: Reply, *, placed: bool, private: bool, in_place: bool
    ) -> bool:
        """Answer after the receipt; whether nothing is left to do about it here."""
        if reply.seen:
            if placed and not in_place:
                await self._standing.end_receipt(request)
            return True
        put = partial(self._standing.put_answer, private=private, in_place=in_place)
        return await self._show_answer(
            request,
            reply,
            partial(put if placed else self._standing.complete_answer, request, reply),
        )

    async def _handle_failure(
        self, request: DiscordRequest, reply: Reply, error: Exception
    ) -> bool:
        """The answer did not get through now. What was recorded goes to the outbox, what was not is
        tried once more.

        Returns whether it has got through, or is the outbox's.
        """
        log.warning("could not deliver the answer to interaction %s: %s", request.id, error)
        if isinstance(error, DiscordRefused) and error.status == 400 and error.code != ARCHIVED:
            await self._standing.post_bare_line(request, reply)
        if reply.outbox:
            await self.deliver_later(request, reply)
            return True
        if await self._tell_by_message(request, reply, error):
            return True
        try:
            at = await self._standing.complete_answer(request, replace(reply, announce=None))
        except TROUBLE as again:
            log.warning("gave up for now on the answer to interaction %s: %s", request.id, again)
            return False
        return at is not None or not reply.error

    async def _tell_by_message(
        self, request: DiscordRequest, reply: Reply, error: Exception
    ) -> bool:
        """Send a reply that its locked thread does not take to the player alone. Return whether
        they have it.
        """
        if not isinstance(error, DiscordRefused) or error.code != ARCHIVED or request.owner:
            return False
        name = request.where.name or "a thread"
        origin = Small(f"You typed this in {name}, which is locked and archived.")
        message = replace(
            reply, private=True, in_place=False, announce=None, lines=(*reply.lines, origin)
        )
        with suppress(*TROUBLE):
            return await self._posting.post_late(message, replace(request, channel=0)) is not None
        return False


async def _get_reply(task: asyncio.Task[Reply]) -> Reply:
    """The reply of a task; an error that it raises as a private reply."""
    try:
        return await task
    except UserError as error:
        return build_error_reply(error)
    except Exception:
        return build_failure_reply(log, "an answer")


def _classify_failure(error: Exception) -> Outcome:
    """What an attempt that failed so is: one to be repeated, or the last."""
    if not isinstance(error, DiscordRefused | discord.HTTPException):
        return RetryLater(unsure=not isinstance(error, aiohttp.ClientConnectorError))
    if error.code == TOO_OLD_FOR_NOW:
        return RetryLater(60.0)
    if error.status != 429 and error.status < 500:
        return Undeliverable(str(error))
    return RetryLater(getattr(error, "retry_after", 0.0), error.status >= 500)


LEAVE_AFTER = 1.0
AGAIN = (2.0, 8.0)
"""Seconds before each further attempt to bring what nothing keeps."""
KEPT = "Discord took no more answers when this one was ready, so you read it now."


class PostedAnswers:
    """Answers as they stand. `put`, `announce` and `settle` raise what Discord refuses or does
    not take now.
    """

    def __init__(self, wire: DiscordApi, posting: Posting, app: App) -> None:
        self._wire = wire
        self._posting = posting
        self._app = app

    async def put_answer(
        self, request: DiscordRequest, reply: Reply, *, private: bool, in_place: bool
    ) -> object:
        """Put the answer where the receipt is, with what is told to all; its id. What is private
        takes a public placeholder away first."""
        if reply.in_place if in_place else (reply.private or request.hushed) == private:
            return await self._announce_or_get_id(
                request, reply, await self._edit_or_post(request, reply)
            )
        if not in_place:
            await self._remove_placeholder(request)
        return await self._post_new(request, reply)

    async def _edit_or_post(
        self, request: DiscordRequest, reply: Reply
    ) -> Mapping[str, Any] | None:
        """Change the message; if Discord refuses that for good, post what is posted instead."""
        try:
            return await self._wire.edit(request, render_message(reply, request))
        except DiscordRefused as refused:
            if reply.instead is None or refused.is_temporary:
                raise
            return await self._wire.follow_up(request, render_message(reply.instead, request))

    async def _post_new(self, request: DiscordRequest, reply: Reply) -> object:
        reply = reply.standalone
        return await self._announce_or_get_id(
            request, reply, await self._wire.follow_up(request, render_message(reply, request))
        )

    async def _announce_or_get_id(
        self, request: DiscordRequest, reply: Reply, shown: Mapping[str, Any] | None
    ) -> object:
        """The id of what is told to all beside an answer, else that of the answer as it is
        shown.
        """
        return await self.announce(request, reply) or _get_id(shown)

    async def announce(self, request: DiscordRequest, reply: Reply) -> object:
        """Tell all what goes with a private answer: that something is sealed. Said twice, it
        appears once. Its id.
        """
        if reply.announce is None:
            return None
        if request.owner:  # the channel is not the bot's, even where it is a member
            return _get_id(
                await self._wire.follow_up(request, render_message(reply.announce, request))
            )
        return _get_id(await self._posting.announce(reply.announce, request, self._wire))

    async def complete_answer(
        self, request: DiscordRequest, reply: Reply, since: float = 0.0
    ) -> object:
        """Look what is there as the answer, and bring what is missing; its id. Raises what may work
        later. An earlier attempt may have brought it after `since`."""
        if request.is_alive:
            try:
                standing = await self._wire.get_original(request)
            except DiscordRefused as refused:
                if refused.code == UNKNOWN_MESSAGE:
                    # the placeholder was taken away, its answer has yet to come
                    return await self._post_new(request, reply)
                if refused.is_temporary:
                    raise
            else:
                return await self._post_missing(request, reply, standing)
        if reply.error:
            return None
        if request.owner:
            await self._app.save_undelivered(f"{PLATFORM}{request.owner}", str(request.id), reply)
            return None
        return await self._announce_or_get_id(
            request, reply, await self._posting.post_late(reply, request, since)
        )

    async def _post_missing(
        self, request: DiscordRequest, reply: Reply, standing: dict[str, Any]
    ) -> object:
        flags = int(standing.get("flags") or 0)
        if int(standing.get("id") or 0) == request.message:
            # pressed on: to change it again does no harm
            return await self.put_answer(request, reply, private=False, in_place=True)
        if flags & LOADING:
            return await self.put_answer(
                request, reply, private=bool(flags & EPHEMERAL), in_place=False
            )
        if str(standing.get("content")).startswith(REFUSED) and not reply.error:
            # Delivered twice and run by the second one only: the first one's refusal is not an
            # answer.
            by_token = (
                self._wire.follow_up(request, render_message(reply, request))
                if request.owner
                else None
            )
            standing = await (by_token or self._posting.post_late(reply, request)) or {}
        return await self._announce_or_get_id(request, reply, standing)

    async def post_bare_line(self, request: DiscordRequest, reply: Reply) -> None:
        """Discord refuses the message itself, which is our bug: the bare first line is better
        than silence.
        """
        log.error("Discord refuses the answer %r", reply.title[:100])
        try:
            bare = render_message(Reply(reply.title[:300], private=reply.private), request)
            if await self._wire.respond(request, MESSAGE, bare) is None:
                await self._wire.edit(request, bare)
        except (DiscordRefused, Unsure):
            return

    async def _remove_placeholder(self, request: DiscordRequest) -> None:
        """Take the placeholder away. Raises unless it is gone: a follow-up would fill it, for
        all to see.
        """
        try:
            await self._wire.delete(request)
        except DiscordRefused as refused:
            if refused.code != UNKNOWN_MESSAGE:
                raise

    async def end_receipt(self, request: DiscordRequest) -> None:
        """End a receipt whose answer another one brings, or brought; that may be this very
        message.
        """
        try:
            for _ in range(2):
                if not int((await self._wire.get_original(request)).get("flags") or 0) & LOADING:
                    return
                await asyncio.sleep(LEAVE_AFTER)
            await self._wire.edit(request, render_message(Reply("Already done."), request))
        except (DiscordRefused, Unsure) as error:
            log.info("could not end a receipt: %s", error)


def _build_spot(request: DiscordRequest, reply: Reply, message: object) -> dict[str, Any]:
    """Return where an answer is, marked if it was posted instead of a change."""
    spot = request.build_spot(message)
    is_change = reply.instead is None or spot.get("message") == request.message
    return spot if is_change or not spot else {**spot, INSTEAD: True}


def _get_id(message: Mapping[str, Any] | None) -> object:
    """The id of a message as Discord gives it; None where it gives none."""
    return (message or {}).get("id")
