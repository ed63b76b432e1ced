"""The steps that all requests share: the user is looked up, the work done in order of arrival, the
request acknowledged, and the answer posted.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from adapters.delivery_loop import draw_picture_after, settle_receipt
from adapters.slack.calls import Busy, SlackApi, SlackRefused
from adapters.slack.channels import ABOUT_PLACES, People, confirm_channels, mark_own_conversation
from adapters.slack.delivery import Posts
from adapters.slack.request import SlackRequest
from adapters.slack.rights import list_rights
from adapters.slack.teams import Teams
from bot.app import App
from bot.execution.budgets import Queues
from bot.outbox.receipts import get_patience_divisor, wait_until_done
from bot.rules.errors import UserError
from bot.ui.reply.packing import MOST_BYTES, build_too_large_error, read_file_text
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.spec import LIST_BOT_RIGHTS, Command, CommandSpec, Path, Person, Place

log = logging.getLogger(__name__)

Do = Callable[[Person], Awaitable[Reply]]
"""The work of a request: returns the reply for the user."""
Quick = Callable[[Reply], Awaitable[bool]]
"""Shows a reply in another way than a message, and returns whether it did."""
Ack = Callable[..., Awaitable[Any]]
"""Acknowledges a request. Slack expects that within three seconds."""
ReplyAndPosting = tuple[Reply, asyncio.Task[bool]]
"""A reply, and the task that posts it."""
STORED_FIRST = 0.8
"""Seconds after which a request is acknowledged although its work goes on."""
POSTED_FIRST = 0.7
"""Further seconds for posting an answer that is stored nowhere before the acknowledgement."""


class RequestHandler:
    """Runs requests and posts their answers, with the parts of the adapter that this needs.

    `idle` is set while no request is being worked on. `on_answered` is called with the id of a
    workspace when one of its requests was answered.
    """

    def __init__(self, app: App, wire: SlackApi, teams: Teams) -> None:
        self.app = app
        self.wire = wire
        self.teams = teams
        self.people = People(wire, teams)
        self.posts = Posts(app, wire, teams)
        self.idle = asyncio.Event()
        self.idle.set()
        self._busy = 0
        self.background_tasks: set[asyncio.Task[None]] = set()
        self._arrivals = Queues()
        self.on_answered: Callable[[str], object] = str  # does nothing

    async def answer_request(
        self,
        request: SlackRequest,
        command: Command,
        do: Do,
        ack: Ack,
        *,
        patience: float = STORED_FIRST,
        quick: Quick | None = None,
    ) -> None:
        """Run `command` by calling `do`, acknowledge the request, and post the reply.

        If the work is done within `patience` seconds, its result is stored, or its answer posted,
        before the acknowledgement: if this process dies earlier, Slack tells the user or sends the
        request again. For longer work a receipt is stored first. A reply that is ready in time is
        passed to `quick`, and posted only if that returns False.
        """
        with self.track_work():
            should_post: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            task = asyncio.create_task(self._run_and_post(request, do, should_post))
            try:
                is_done = await wait_until_done(
                    task, lambda: patience / get_patience_divisor(self._busy)
                )
                if is_done:
                    self.on_answered(request.team)
                    if quick is not None and await quick(task.result()[0]):
                        should_post.set_result(False)
                        return
            finally:
                if not should_post.done():
                    should_post.set_result(True)
            if not is_done:
                await self._acknowledge_late(request, command, task, ack)
                return
            reply, posting = task.result()
            if not (reply.outbox or reply.seen):
                timeout = POSTED_FIRST / get_patience_divisor(self._busy)
                await asyncio.wait([posting], timeout=timeout)
                if not posting.done():
                    await self.app.promise_answer(command, request.answerable_until)
            await ack()
            await self.post_acknowledged_answer(request, command, reply, posting)

    async def _acknowledge_late(
        self,
        request: SlackRequest,
        command: Command,
        task: asyncio.Task[ReplyAndPosting],
        ack: Ack,
    ) -> None:
        """Store a receipt for work that was not done in time, acknowledge the request, and post the
        answer once the work is done.

        If the receipt cannot be stored, cancel the work and post that refusal before the
        acknowledgement, because no other process would post it.
        """
        instead = await self.app.promise_answer(command, request.answerable_until)
        if instead is not None and not task.done():
            task.cancel()
            posting = asyncio.create_task(self.posts.deliver(request, instead))
            await asyncio.wait([posting], timeout=POSTED_FIRST)
            await ack()
            await posting
            return
        await ack()
        reply, posting = await task
        await self.post_acknowledged_answer(request, command, reply, posting)

    async def post_acknowledged_answer(
        self,
        request: SlackRequest,
        command: Command,
        reply: Reply,
        posting: asyncio.Task[bool] | None = None,
    ) -> None:
        """Post the answer to an acknowledged request, unless `posting` does it already; then end
        its receipt, and post the answer's picture if it has one.
        """
        posting = posting or asyncio.create_task(self.posts.deliver(request, reply))
        is_posted = await settle_receipt(self.app, command.request_id, reply, posting)
        if not is_posted or not reply.after:
            return
        user = await self.people.find(request)
        picture = await draw_picture_after(self.app, reply, command, user)
        if picture is not None:
            request_id = f"{request.request_id}/after"
            picture_request = replace(request, request_id=request_id, replaces=False)
            await self.posts.deliver(picture_request, picture)

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that no answer waits for. It is cancelled when the process ends."""
        task = asyncio.create_task(work)
        self.background_tasks.add(task)
        task.add_done_callback(self.background_tasks.discard)

    async def _run_and_post(
        self, request: SlackRequest, do: Do, should_post: asyncio.Future[bool]
    ) -> ReplyAndPosting:
        """Do the work, and return its reply with the task that posts it if `should_post` gives
        True.

        The task takes its turn in the channel at once, so that no later answer overtakes while the
        request is acknowledged.
        """
        work = await self.start_work(request, do)
        reply = await work
        posting = self.posts.deliver(request, reply, should_post=should_post)
        return reply, asyncio.create_task(posting)

    async def start_work(self, request: SlackRequest, do: Do) -> asyncio.Future[Reply]:
        """Start `do` with the person who sent the request, and return its future.

        Requests from the same place start in order of arrival.
        """
        # started before the turn, so that slow lookups run at the same time
        lookup = asyncio.create_task(self.people.find(request))
        async with self._arrivals.wait_for_turn(request.where.key):
            user = await lookup
            return asyncio.ensure_future(do(user))

    async def run_command(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object], user: Person
    ) -> Reply:
        """Run a command and return its reply, after its files are fetched and its channels
        confirmed.

        A UserError of those two becomes the reply.
        """
        try:
            options = {**options, **await self._fetch_files(request, spec, options)}
            team = await self.teams.find(request.team)
            channels: Mapping[str, Place] = {}
            if team is not None:
                channels = await confirm_channels(self.wire, team.token, request, spec, options)
        except UserError as error:
            return build_error_reply(error)
        place = await self.find_place(request, spec.path)
        rights = None
        if spec.path == LIST_BOT_RIGHTS and team is not None:
            rights = await list_rights(self.wire, team.token, request)
        return await self.app.run_parsed(
            spec, options, user, place, request.request_id, request.to_json(), channels, rights
        )

    async def find_place(self, request: SlackRequest, path: Path) -> Place:
        """Return the place of a request.

        For the commands of ABOUT_PLACES, Slack is asked first whether the place is the user's own
        conversation with the bot. If it does not say, the place stays as it is.
        """
        team = await self.teams.find(request.team) if path in ABOUT_PLACES else None
        if team is None:
            return request.where
        marked_request = await mark_own_conversation(self.wire, team.token, request)
        return marked_request.where

    @contextmanager
    def track_work(self) -> Iterator[None]:
        """Count the block as work that an ending process waits for."""
        self._busy += 1
        self.idle.clear()
        try:
            yield
        finally:
            self._busy -= 1
            if not self._busy:
                self.idle.set()

    async def _fetch_files(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object]
    ) -> dict[str, object]:
        """Return the text of each option that holds a file, as Slack describes it. Raises
        UserError.
        """
        texts: dict[str, object] = {}
        for option in spec.options:
            file = options.get(option.name)
            if option.type == "file" and isinstance(file, Mapping):
                texts[option.name] = await self._fetch_file_text(request, file)
        return texts

    async def _fetch_file_text(self, request: SlackRequest, file: Mapping[str, Any]) -> str:
        """Download a file and return its text.

        Raises UserError if it cannot be fetched, is too large, or is not a text.
        """
        name = str(file.get("name") or "The file")[:60]
        url = file.get("url_private_download") or file.get("url_private")
        team = await self.teams.find(request.team)
        if team is None or not url:
            raise UserError(f"{name} cannot be read.", option="file", code="unreadable-file")
        try:
            data = await self.wire.download(team.token, str(url), MOST_BYTES)
            return await asyncio.to_thread(read_file_text, data, name)
        except ValueError:
            raise build_too_large_error(name) from None
        except SlackRefused:
            sentence = f"{name} cannot be read."
            hint = "Upload the file itself, not a link to it."
        except Busy:
            sentence = f"Slack refused to deliver {name}."
            hint = "Try again in a moment."
        raise UserError(sentence, hint=hint, option="file", code="unreadable-file")
