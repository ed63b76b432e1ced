"""What every request has in common: who asks is looked up, the work done in order of arrival,
the answer posted.
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
Quick = Callable[[Reply], Awaitable[bool]]
Ack = Callable[..., Awaitable[Any]]
Done = tuple[Reply, asyncio.Task[bool]]
STORED_FIRST = 0.8
"""Seconds after which a request is acknowledged although its work goes on; Slack gives three."""
POSTED_FIRST = 0.7
"""Seconds more for posting an answer that is stored nowhere."""


class RequestHandler:
    """The parts of the adapter at work. `idle` is set while nothing is being worked on."""

    def __init__(self, app: App, wire: SlackApi, teams: Teams) -> None:
        self.app = app
        self.wire = wire
        self.teams = teams
        self.people = People(wire, teams)
        self.posts = Posts(app, wire, teams)
        self.idle = asyncio.Event()
        self.idle.set()
        self._busy = 0
        self.tasks_beside: set[asyncio.Task[None]] = set()
        self._arrivals = Queues()
        self.answered: Callable[[str], object] = (
            str  # what follows the answers of a workspace, once somebody says so
        )

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
        """Do the work, which is to run `command`, acknowledge the request, and post what comes of
        it.

        Quick work is on the disk, or its answer posted, before the acknowledgement: if this process
        dies, Slack says so or sends it again. What takes longer is written down first. `quick` may
        take care of a quick reply by itself.
        """
        with self.track_work():
            wanted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
            done = asyncio.create_task(self._run_and_post(request, do, wanted))
            try:
                is_done = await wait_until_done(
                    done, lambda: patience / get_patience_divisor(self._busy)
                )
                if is_done:
                    self.answered(request.team)
                    if quick is not None and await quick(done.result()[0]):
                        wanted.set_result(False)
                        return
            finally:
                if not wanted.done():
                    wanted.set_result(True)
            if not is_done:
                await self._acknowledge_late(request, command, done, ack)
                return
            reply, posting = done.result()
            if not (reply.outbox or reply.seen):
                await asyncio.wait(
                    [posting], timeout=POSTED_FIRST / get_patience_divisor(self._busy)
                )
                if not posting.done():
                    await self.app.promise_answer(command, request.answerable_until)
            await ack()
            await self.post_acknowledged_answer(request, command, reply, posting)

    async def _acknowledge_late(
        self, request: SlackRequest, command: Command, done: asyncio.Task[Done], ack: Ack
    ) -> None:
        """Acknowledge what was not done in time: it will be answered, come what may.

        If that could not be written down, the refusal is posted first: nobody would bring it after
        this process.
        """
        instead = await self.app.promise_answer(command, request.answerable_until)
        if instead is not None and not done.done():
            done.cancel()
            posting = asyncio.create_task(self.posts.deliver(request, instead))
            await asyncio.wait([posting], timeout=POSTED_FIRST)
            await ack()
            await posting
            return
        await ack()
        reply, posting = await done
        await self.post_acknowledged_answer(request, command, reply, posting)

    async def post_acknowledged_answer(
        self,
        request: SlackRequest,
        command: Command,
        reply: Reply,
        posting: asyncio.Task[bool] | None = None,
    ) -> None:
        """Post the answer to what was acknowledged, unless that has begun, note that it is there,
        and bring the picture behind it."""
        posting = posting or asyncio.create_task(self.posts.deliver(request, reply))
        if (
            not await settle_receipt(self.app, command.request_id, reply, posting)
            or not reply.after
        ):
            return
        drawn = await draw_picture_after(self.app, reply, command, await self.people.find(request))
        if drawn is not None:
            behind = replace(request, request_id=f"{request.request_id}/after", replaces=False)
            await self.posts.deliver(behind, drawn)

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that no answer waits for."""
        task = asyncio.create_task(work)
        self.tasks_beside.add(task)
        task.add_done_callback(self.tasks_beside.discard)

    async def _run_and_post(
        self, request: SlackRequest, do: Do, wanted: asyncio.Future[bool]
    ) -> Done:
        """What came of the work, and its post, which waits for `wanted`. It has its place in line
        from this moment: nobody who comes later in the log overtakes while it is acknowledged."""
        reply = await (await self.start_work(request, do))
        return reply, asyncio.create_task(self.posts.deliver(request, reply, wanted=wanted))

    async def start_work(self, request: SlackRequest, do: Do) -> asyncio.Future[Reply]:
        """Begin the work once who asks is known; nobody who comes later in this place overtakes."""
        # now, not in turn: a slow answer is one wait for all
        looked_up = asyncio.create_task(self.people.find(request))
        async with self._arrivals.wait_for_turn(request.where.key):
            who = await looked_up
            return asyncio.ensure_future(do(who))

    async def run_command(
        self, request: SlackRequest, spec: CommandSpec, options: Mapping[str, object], who: Person
    ) -> Reply:
        """Run a command whose options were read; its files are fetched first."""
        try:
            options = {**options, **await self._fetch_files(request, spec, options)}
            team = await self.teams.find(request.team)
            channels = (
                await confirm_channels(self.wire, team.token, request, spec, options)
                if team is not None
                else {}
            )
        except UserError as error:
            return build_error_reply(error)
        where = await self.find_place(request, spec.path)
        rights = None
        if spec.path == LIST_BOT_RIGHTS and team is not None:
            rights = await list_rights(self.wire, team.token, request)
        return await self.app.run_parsed(
            spec, options, who, where, request.request_id, request.to_json(), channels, rights
        )

    async def find_place(self, request: SlackRequest, path: Path) -> Place:
        """Where a command comes from, with whose own conversation that is, for those that ask
        for it.
        """
        team = await self.teams.find(request.team) if path in ABOUT_PLACES else None
        return (
            (await mark_own_conversation(self.wire, team.token, request)).where
            if team is not None
            else request.where
        )

    @contextmanager
    def track_work(self) -> Iterator[None]:
        """A piece of work that an ending process waits for."""
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
        """The text of each option that holds a file of Slack's. Raises UserError."""
        found: dict[str, object] = {}
        for option in spec.options:
            given = options.get(option.name)
            if option.type == "file" and isinstance(given, Mapping):
                found[option.name] = await self._fetch_file_text(request, given)
        return found

    async def _fetch_file_text(self, request: SlackRequest, file: Mapping[str, Any]) -> str:
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
            said = f"{name} cannot be read."
            hint = "Upload the file itself, not a link to it."
        except Busy:
            said = f"Slack refused to deliver {name}."
            hint = "Try again in a moment."
        raise UserError(said, hint=hint, option="file", code="unreadable-file")
