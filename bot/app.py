"""Runs commands: parse, rights, load the channel's game, handle, store, and only then answer.

Each command runs once however often it is delivered, those of one game in order of arrival, and what it answers
is on the disk before anybody sees it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from collections.abc import Sequence as Many
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from weakref import WeakSet

from bot.budgets import Budgets, Pauses
from bot.commands.context import Context
from bot.commands.dispatch import Handler, handler
from bot.commands.footer import with_footer
from bot.drafts import Drafts
from bot.enabled import Enabled
from bot.entropy import new_id
from bot.game.cache import Games
from bot.game.ledger import Ledger, Writer
from bot.game.prepared import find
from bot.game.recall import last_inputs
from bot.game.roster import in_order
from bot.interface.complete import Choice, Known, complete_option
from bot.interface.failure import failed
from bot.interface.packing import MOST_TEXT
from bot.interface.registry import Registry, registry
from bot.interface.reply import Reply, error_reply
from bot.interface.spec import Command, CommandSpec, Path, Person, Place, shown_name
from bot.interface.text import command_text, parse_text
from bot.logs import seldom
from bot.notes import Notes
from bot.odds_worker.pool import Odds, Worker
from bot.outbox.answers import Answers, Due
from bot.outbox.journal import Receipt
from bot.outbox.leases import LEASE
from bot.outbox.receipts import NOT_WRITTEN, Receipts, not_run
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT, flag
from bot.settings import Settings
from bot.stores.base import (
    CalledOff,
    Clock,
    Commit,
    Conflict,
    Deleted,
    Gate,
    Outgoing,
    Store,
)
from bot.stores.sweeping import Sweeping
from bot.turns import Queues

log = logging.getLogger(__name__)
often = seldom(f"{__name__}.often")

ATTEMPTS = 50
"""How often a command is run again because another process was faster."""
IN_LINE = 200
"""How many commands of one channel may wait for their turn."""
MAX_OPTIONS = 60

DELETED = Reply("That was answered before, and the answer has been deleted since. Nothing happens again.", private=True)
"""What a request is told that comes once more after its answer was deleted."""


class App:
    """The bot behind every adapter. Make one with `await App.open(...)`, end it with `await app.close()`."""

    def __init__(self, store: Store, clock: Clock = time.time, steady: Clock = time.monotonic) -> None:
        """`clock` gives Unix seconds, which may jump; `steady` only ever goes on, and measures pauses."""
        self.store = store
        self.registry: Registry = registry()
        self.drafts = Drafts(store, clock)
        self.games = Games(store)
        self.worker = Worker()
        self.odds = Odds(self.worker)
        self.checker = Worker(stays=False, busy="Other files are being checked just now.")
        self._clock, self._steady = clock, steady
        self._queues = Queues(IN_LINE)
        self._budgets = Budgets(steady=steady)
        self._running: dict[str, asyncio.Task[Reply]] = {}
        self._enabled = Enabled(store, self.registry, steady)
        self._pauses = Pauses(steady)
        self._gates: dict[str, Gate] = {}
        self._receipts = Receipts(store.journal)
        self._answers = Answers(store, clock)
        self._sweeper: asyncio.Task[None] | None = None
        self._handed: WeakSet[asyncio.Task[Reply]] = WeakSet()

    def use_budgets(self, budgets: Budgets) -> None:
        """Bound what each person and channel may ask for: where strangers play."""
        self._budgets = budgets

    @classmethod
    async def open(cls, source: Settings | Store, clock: Clock = time.time) -> App:
        """An app on a store, or on the one that the settings name. Raises StoreError."""
        if not isinstance(source, Settings):
            return cls(source, clock)
        if source.database is None:
            from bot.stores.memory import MemoryStore

            return cls(MemoryStore(clock), clock)
        from bot.stores.sqlite import SqliteStore

        app = cls(await SqliteStore.open(source.database, clock=clock), clock)
        app._sweeper = asyncio.create_task(Sweeping(app.store, source.retention, clock).run())
        return app

    async def close(self) -> None:
        """Finish what runs, end the worker and close the store."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._receipts.close()
        self._answers.close()
        running = list(self._running.values())
        if running:
            await asyncio.gather(*running, return_exceptions=True)
        await self.worker.close()
        await self.checker.close()
        await self.store.close()

    # Running commands

    async def run_text(
        self, text: str, who: Person, where: Place, request_id: str, delivery: Mapping[str, object] | None = None
    ) -> Reply:
        """Run a command given as text; bad text is answered privately."""
        try:
            typed = parse_text(text, self.registry)
        except UserError as error:
            return error_reply(error, text)
        return await self.run(
            Command(typed.spec.path, typed.options, who, where, request_id, delivery or {}, spec=typed.spec)
        )

    async def run_typed(
        self,
        spec: CommandSpec,
        options: Mapping[str, object],
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
        channels: Mapping[str, Place] | None = None,
    ) -> Reply:
        """Run a command whose options have been read from text or a form; `channels` are those of them confirmed."""
        return await self.run(Command(spec.path, options, who, where, request_id, delivery or {}, channels or {}, spec))

    async def press(
        self,
        action: str,
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Run what a button is for. `request_id` is this very press: another press of the button has its own.

        What may happen once is used up where it is kept (the event is undone, the draft is gone), so that it can be
        pressed again once that has come back. Again ignores the same person for two seconds.
        """
        name, _, rest = action.partition(":")
        if name == "again" and self._pauses.is_too_soon(who, where, request_id):
            return error_reply(UserError("You just rolled that again; wait two seconds.", code="too-soon"))
        return await self.run(Command(("button", name), {"rest": rest}, who, where, request_id, delivery or {}))

    async def run(self, command: Command) -> Reply:
        """Run a command once; whatever goes wrong comes back as a private reply.

        A request that is already under way, or was answered before, gets the same answer marked as `seen`.
        """
        if not command.request_id:  # nothing to tell it from others: it can come only once
            command = replace(command, request_id=new_id())
        if (name := shown_name(command.who.name)) != command.who.name:
            command = replace(command, who=replace(command.who, name=name))
        if command.spec is None:
            with contextlib.suppress(UserError):  # of which the answer speaks
                command = replace(command, spec=self.spec(command.path))
        task = self._running.get(command.request_id)
        if task is not None:
            return replace(await asyncio.shield(task), seen=True, outbox=0)
        self._gates[command.request_id] = Gate()
        task = asyncio.create_task(self._answer(command))
        self._running[command.request_id] = task
        task.add_done_callback(lambda _: self._ended(command.request_id))
        return await asyncio.shield(task)  # an adapter that gives up waiting must not leave half a command

    def _ended(self, request_id: str) -> None:
        self._running.pop(request_id, None)
        self._gates.pop(request_id, None)

    def spec(self, path: Path) -> CommandSpec:
        """The command with this path. Raises UserError with the nearest spelling."""
        if path and path[0] == "button":
            from bot.commands.button import button_spec

            return button_spec(path)
        found = self.registry.get(path)
        if found is None:
            found, _ = self.registry.find(path)
        return found

    # Answers on their way

    async def delivered(self, *answers: Reply | int) -> None:
        """These answers were posted, or never can be; see Answers."""
        await self._answers.delivered(*answers)

    def posting(self, *answers: Reply | int) -> AbstractContextManager[None]:
        """While this block posts these answers, nobody else does; see Answers."""
        return self._answers.posting(*answers)

    async def due(self, platform: str, limit: int = 50) -> list[Due]:
        """Answers that were not posted in time; see Answers."""
        return await self._answers.due(platform, limit)

    async def retry(self, id: int, after: float) -> None:
        """This answer could not be posted; see Answers."""
        await self._answers.retry(id, after)

    # Receipts: "thinking", or an acknowledgement before the work is stored

    async def promised(self, command: Command, until: float) -> Reply | None:
        """Write down that `command` will be answered or refused, also after a crash: then its receipt may be shown.

        `until` (Unix seconds) ends the life of its token. A Reply where that cannot be written: no receipt may be
        shown, but this. The command is called off, unless it was just being stored: then this is its answer.
        """
        id = command.request_id
        begun = self._gates.get(id), self._running.get(id)
        try:
            await self._receipts.note(command, until)
            return None
        except UserError as error:
            often.error("could not save a receipt: %s", error.message)
        gate, running = begun if id not in self._running else (self._gates.get(id), self._running[id])
        if running is not None and gate is not None and not gate.call_off():
            is_again = running in self._handed  # the same request, delivered twice
            self._handed.add(running)
            reply = await asyncio.shield(running)
            return replace(reply, seen=True, outbox=0) if is_again else reply
        return error_reply(NOT_WRITTEN)

    async def kept(self, request_id: str) -> None:
        """A receipt is answered: the answer is on the disk, or it was posted and nothing was to be stored."""
        await self._receipts.kept(request_id)

    def broken(self, request_id: str) -> None:
        """A receipt could not be answered now: it is `unanswered` in a moment."""
        self._receipts.broken(request_id)

    async def unanswered(self, platform: str) -> Many[Receipt]:
        """Receipts that a dead process left, or that are `broken`: each for one process, to `make_good`."""
        return await self._receipts.claim(platform)

    async def make_good(self, receipt: Receipt, run: Callable[[], Awaitable[Reply]] | None = None) -> Reply:
        """The answer to a receipt that was taken over: the command is run (by `run`, if given) while its token lives.

        After that it is refused, which is stored like any answer: whoever was faster, only one of both is told.
        """
        command = receipt.command
        if self._clock() < receipt.until:
            return await (run() if run is not None else self.run(command))
        reply = not_run(command)
        outgoing = (Outgoing(command.where.key, dict(command.delivery), self._clock() + LEASE),)
        try:
            done = await self.store.commit(
                Commit(command.request_id, reply.to_json(), command.who.key, outbox=outgoing)
            )
        except Deleted:
            return replace(DELETED, seen=True)
        return replace(reply, seen=True) if done.seen else replace(reply, outbox=done.outbox[0])

    # What adapters keep, and what they know of the servers

    def notes(self, platform: str) -> Notes:
        """What the adapter of a platform keeps for itself beside the games."""
        return Notes(self.store, platform)

    async def servers(self, platform: str) -> Many[str]:
        """Keys of the servers of a platform that have games and, as far as anybody has said, the bot."""
        return await self.store.servers(platform)

    async def server_left(self, server: str) -> None:
        """The bot was removed from a server: its games are kept for as long as the host says."""
        await self.store.server_left(server)

    async def server_joined(self, server: str) -> None:
        """The bot is on a server (again): what is there stays, and linked channels are told so."""
        from bot.commands.link import server_back

        await server_back(self.store, server)

    async def gone(self) -> str:
        """Waits until the data is no longer where it was opened; says what the host is to do."""
        return await self.store.gone()

    # While typing

    async def last_inputs(self, place: Place, who: Person, path: Path) -> Mapping[str, object]:
        """What this person gave to this command last in this channel's game; {} where they did not."""
        return await last_inputs(self.store, await self.games.at(place.key), who.key, path)

    async def known(self, place: Place, who: Person) -> Known:
        """What this channel knows that can be completed."""
        loaded = await self.games.at(place.key)
        if loaded is None:
            return Known()
        game, person = loaded.game, loaded.person_of(who.key)
        return Known(
            roster=tuple(in_order(game.units.values())),
            sides=game.sides,
            players=tuple(row.name for row in loaded.persons.values() if not row.is_imported),
            own_side=game.players.get(person.person, "") if person is not None else "",
            system=game.system,
        )

    async def complete(
        self, path: Path, name: str, typed: str, given: Mapping[str, object], who: Person, where: Place
    ) -> tuple[Choice, ...]:
        """Choices for one option while it is typed, with this channel's roster and sides."""
        try:
            spec = self.spec(path)
            return complete_option(spec, name, typed[:MAX_TEXT], self.registry, await self.known(where, who), given)
        except UserError:
            return ()

    # One command

    async def _answer(self, command: Command) -> Reply:
        try:
            with self._budgets.spent(command):
                return await self._run_in_turn(command)
        except UserError as error:
            return await self._seen(command) or error_reply(error, *_as_typed(command))
        except CalledOff:
            return error_reply(NOT_WRITTEN)
        except Exception:
            return failed(log, f"command {' '.join(command.path)}", recorded=False)

    async def _run_in_turn(self, command: Command) -> Reply:
        spec = command.spec or self.spec(command.path)
        _check_size(command)
        spec.check_flags(command.options)
        if _only_counts(spec, command):
            await self._enabled.check(spec, command.where)
            return await self._run_until_stored(command, handler(spec))
        async with self._queues.turn(command.where.key):
            await self._enabled.check(spec, command.where)
            return await self._run_until_stored(command, handler(spec))

    async def _seen(self, command: Command) -> Reply | None:
        """The answer that this request got before, so that an error can be the echo of a success."""
        try:
            stored = await self.store.seen(command.request_id)
        except Deleted:
            return DELETED
        except UserError:  # the store is the trouble, which is what the player is told
            return None
        return replace(Reply.from_json(stored), seen=True) if stored is not None else None

    async def _run_until_stored(self, command: Command, handle: Handler) -> Reply:
        for attempt in range(ATTEMPTS):
            loaded = await self.games.at(command.where.key)
            ledger = Ledger(loaded, Writer(command.who.key, command.who.name, self._clock()))
            enabled = partial(self._enabled.check, where=command.where)
            context = Context(
                command,
                ledger,
                self.store,
                self.registry,
                self.odds.count,
                self.worker.run,
                self.checker.run,
                enabled,
            )
            if loaded is None:
                context.prepared = await find(self.store, command.where)
            reply = await handle(context)
            try:
                return await self._store(context, reply)
            except Conflict:
                if loaded is not None:
                    self.games.drop(loaded.row)
                await asyncio.sleep(0.002 * min(attempt, 10))
        raise UserError("Too much is going on in this game at once.", hint="Try again in a moment.", code="busy")

    async def _store(self, context: Context, reply: Reply) -> Reply:
        """Commit what the handler wrote, together with the answer and where it goes."""
        command, ledgers = context.command, [*context.further, context.ledger]
        changes = tuple(change for ledger in ledgers if (change := ledger.change()) is not None)
        if not (changes or context.docs or context.drop_docs or context.bindings or context.erase or context.forget):
            is_press = context.spec.family == "button"  # "done already" may be the echo of doing it
            return (await self._seen(command) or reply) if is_press else reply
        reply = with_footer(context, reply)
        commit = Commit(
            request_id=command.request_id,
            reply=reply.to_json(),
            user=command.who.key,
            changes=changes,
            bindings=tuple(context.bindings),
            persons=tuple(row for ledger in ledgers for row in ledger.new_persons.values() if ledger.events),
            texts=tuple(row for ledger in ledgers for row in ledger.new_texts),
            seeds=tuple(row for ledger in ledgers for row in ledger.new_seeds.values()),
            outbox=(*self._outgoing(command), *context.outgoing, *self._linked(context, ledgers, reply)),
            docs=tuple(context.docs),
            drop_docs=tuple(context.drop_docs),
            erase=tuple(context.erase),
            forget=tuple(context.forget),
            gate=self._gates.get(command.request_id),
        )
        try:
            done = await self.store.commit(commit)
        except Deleted:
            return DELETED
        if done.seen:
            return replace(Reply.from_json(done.reply), seen=True)
        self._budgets.weigh(command, context.ledger.weight())
        if context.erase or context.forget:
            await self._forget_receipts(context)
        self._remember(context, ledgers)
        return replace(reply, outbox=done.outbox[0]) if command.delivery else reply

    def _outgoing(self, command: Command) -> tuple[Outgoing, ...]:
        if not command.delivery:
            return ()
        return (Outgoing(command.where.key, dict(command.delivery), self._clock() + LEASE),)

    def _linked(self, context: Context, ledgers: Many[Ledger], reply: Reply) -> Iterator[Outgoing]:
        """What all may see of an answer, for every other place that plays the game; whoever serves it posts it."""
        told = reply.announce if reply.private else reply
        if told is None or told.error:
            return
        # A request for consent is no event, and the consent may have to come from another place.
        asked = bool(context.docs or context.drop_docs)
        games = [ledger.was for ledger in ledgers if (ledger.events or asked) and ledger.was is not None]
        told_already = {context.command.where.key, *(outgoing.place for outgoing in context.outgoing)}
        for place in dict.fromkeys(place for game in games for place in game.places):
            if place not in told_already:
                yield Outgoing(place, {}, self._clock(), told.to_json())

    async def _forget_receipts(self, context: Context) -> None:
        erased = context.ledger.was.places if context.erase and context.ledger.was is not None else ()
        for user in context.forget or ("",):
            await self._receipts.forget(user, erased, but=context.command.request_id)

    def _remember(self, context: Context, ledgers: Many[Ledger]) -> None:
        for row in context.erase:
            self.games.drop(row)
        if context.forget:
            self.games.clear()
            return
        for ledger in ledgers:
            if ledger.events and context.bindings:
                self.games.drop(ledger.row)  # the places where it is played have changed
            elif ledger.events:
                places = ledger.was.places if ledger.was is not None else (context.command.where.key,)
                self.games.keep(ledger.stored(places))
        for doc in context.docs:
            if doc.kind == "setup":
                self._enabled.forget(doc.key)


def _only_counts(spec: CommandSpec, command: Command) -> bool:
    """Whether the command moves nothing but may take seconds, so that nobody should wait in line behind it."""
    if spec.family == "help" or spec.path in (("game", "stats"), ("button", "odds")):
        return True
    return spec.family == "sequence" and flag(command.options, "odds")


def _check_size(command: Command) -> None:
    """Raise UserError for more than anybody types."""
    if len(command.options) > MAX_OPTIONS:
        raise UserError("Too many options.", code="too-long")
    for name, value in command.options.items():
        limit = MOST_TEXT if name == "file" else MAX_TEXT
        if isinstance(value, str) and len(value) > limit:
            raise UserError(f"{name[:40]} is too long: at most {limit} characters.", option=name[:40], code="too-long")


def _as_typed(command: Command) -> tuple[str, str]:
    """The command as text, so that an error can show it corrected, and its example."""
    spec = command.spec
    if spec is None:
        return "/" + " ".join(command.path), ""
    return ("", "") if spec.family == "button" else (command_text(spec, command.options), spec.example)
