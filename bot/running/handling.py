"""One command handled: within its budget, in its turn, with the channel's game loaded, and
stored.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from bot.answers.defaults import removed_unit
from bot.commands.context import Context, IsMember
from bot.commands.dispatch import explain, handler, spec_of
from bot.commands.turns.acting_for import agreed_sides, ask
from bot.game.ledger import Ledger, Writer
from bot.game.loaded import Games, Loaded
from bot.game.next_seed import find
from bot.game.rights import OtherSide
from bot.game.roster import in_order, is_gone
from bot.interface.glossary import example_in
from bot.interface.registry import Registry, registry_of
from bot.interface.reply.reply import Reply, error_reply
from bot.interface.sizes import FILE, check_sizes
from bot.interface.spec import FLAGS, Command, CommandSpec
from bot.interface.typing.command_text import command_text, named_text, parse_text
from bot.interface.typing.corrections import check_correction
from bot.interface.typing.roster_example import write_roster_example
from bot.odds_worker.pool import Odds, Worker
from bot.outbox.receipts import NOT_WRITTEN
from bot.places.own_installs import check_own
from bot.places.place_names import moved_from
from bot.places.shelves import OF_A_VERSION, Enabled, Shelves
from bot.places.threads import Threads
from bot.process.entropy import new_id
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.text.phrase import phrase
from bot.running.budgets import Budgets, Queues
from bot.running.promises import Unrecorded
from bot.running.storing import Storing
from bot.stores.base import CalledOff, Clock, Conflict, Gate, StoreError
from bot.stores.store import Store
from bot.systems.catalog import SEEN, everywhere

log = logging.getLogger(__name__)

ATTEMPTS = 50
"""How often a command is run again because another process was faster."""
IN_LINE = 200
"""How many commands of one channel may wait for their turn."""
PAGES = 2
"""How many after-action pages are built at once."""
_COUNTING = (
    "odds",
    "bars",
    "picture",
    "drawn",
    "drawgame",
    "luck",
    "losses",
    "count",
    "whatif",
    "back",
    "help",
    "try",
)
CHOOSE_A_SYSTEM = (("game", "start"), ("help",), ("find",))
"""Commands that may name a pack which another process has just enabled."""
COUNTING = tuple(("button", name) for name in _COUNTING)
_ROLLING = ("roll", "sequence", "deck")
_WRITING = frozenset(
    {
        ("game", "undo"),
        ("game", "redo"),
        ("button", "again"),
        ("button", "undo"),
        ("button", "redo"),
    }
)
_LONG = frozenset({("game", "stats"), ("pack", "add"), ("pack", "show"), *COUNTING})


class Handling:
    """Handles commands, those of one channel one after another. `budgets` bounds what each person
    may ask for, `address` is where shared games are served, or empty."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        games: Games,
        registry: Registry,
        enabled: Enabled,
        storing: Storing,
        threads: Threads,
        unrecorded: Unrecorded,
        shelves: Shelves,
    ) -> None:
        self.budgets = Budgets()
        self._unrecorded = unrecorded
        self.address = ""
        self.members: dict[str, IsMember] = {}
        self.worker = Worker()
        self.odds = Odds(self.worker)
        self.checker = Worker(stays=False, busy="Other files are being checked just now.")
        self.pack_checker = Worker(stays=False, busy="Other packs are being checked just now.")
        self.pages = asyncio.Semaphore(PAGES)
        self._store = store
        self._clock = clock
        self._games = games
        self._registry = registry
        self._enabled = enabled
        self._storing = storing
        self._queues = Queues(IN_LINE)
        self._threads = threads
        self._shelves = shelves

    @property
    def waiting(self) -> int:
        """Places with a command at work or in line."""
        return len(self._queues)

    async def close(self) -> None:
        """End the workers."""
        await self.worker.close()
        await self.checker.close()
        await self.pack_checker.close()

    async def answer(self, command: Command, gate: Gate) -> Reply:
        """The answer to a command, which is on the disk with all that it did; whatever goes wrong
        is a private one.

        While nothing can be saved, mere dice are thrown all the same, and marked as not recorded.
        """
        if (known := self._unrecorded.kept.get(command.request_id)) is not None:
            return replace(known, seen=True)
        try:
            self.budgets.begin(command)
            try:
                return await self._in_turn(command, gate)
            finally:
                self.budgets.end(command)
        except StoreError as error:
            if (before := await self._storing.seen(command)) is not None:
                return before
            return self._unrecorded.instead_of(error, command, sure=gate.call_off()) or error_reply(
                error
            )
        except UserError as error:
            before = await self._storing.seen(command)
            return before or await self._build_refusal(error, command)
        except CalledOff:
            known = self._unrecorded.kept.get(command.request_id)
            return replace(known, seen=True) if known is not None else error_reply(NOT_WRITTEN)
        except Exception:
            return failed(log, f"command {' '.join(command.path)}", recorded=False)

    async def _in_turn(self, command: Command, gate: Gate) -> Reply:
        spec = command.spec or spec_of(self._registry, command.path)
        _check_options(spec, command.options)
        if spec.path in CHOOSE_A_SYSTEM:
            self._enabled.renew(command.where.server)
        if command.where.is_own:
            check_own(spec, command.where, command.who)
        rolls = spec.family in _ROLLING
        counts = rolls and spec.counts(command.options)
        if command.where.parent is not None:
            command = await self._threads.at_home(command)
        writes = spec.path in _WRITING or (rolls and not counts)
        # What moves nothing but may take seconds keeps nobody in line behind it.
        waits = not (counts or spec.family in ("help", "find") or spec.path in _LONG)
        async with self._queues.turn(command.where.key) if waits else nullcontext():
            return await self._until_stored(command, gate, writes=writes)

    async def _as_typed(self, command: Command) -> tuple[str, str]:
        """The command as text, so that an error can show it corrected, and its example in words
        of the game here.
        """
        spec = command.spec
        if spec is None:
            return "/" + " ".join(command.path), ""
        if spec.family == "button":
            return "", ""
        loaded = await self._games.at((await self._threads.home(command.where)).key)
        played = loaded.game.system if loaded is not None else ""
        options = {name: value for name, value in command.options.items() if name != FILE}
        example = ""
        if loaded is not None and spec.system == played:
            units = [unit for unit in in_order(loaded.game.units.values()) if not is_gone(unit)]
            seen = registry_of(await self._shelves.at(command.where, loaded.game))
            person = loaded.person_of(command.who.key)
            side = loaded.game.players.get(person.person, "") if person is not None else ""
            example = write_roster_example(spec, seen, units, side)
        return named_text(spec, options), example or example_in(spec, played)

    async def _build_refusal(self, error: UserError, command: Command) -> Reply:
        """Return the answer to a command that was refused; a correction is offered only if it would
        be taken.
        """
        error = await self._explained(error, command)
        line, example = await self._as_typed(command)
        if line:
            loaded = await self._games.at((await self._threads.home(command.where)).key)
            game = None
            if loaded is not None:
                game = loaded.game
            systems = await self._shelves.at(command.where, game)
            registry = registry_of(systems)
            check_correction(error, line, registry)
            if error.better:
                error.better = command_text(*parse_text(error.better, registry))
        return error_reply(error, line, example)

    async def _explained(self, error: UserError, command: Command) -> UserError:
        if error.code not in OF_A_VERSION and not isinstance(error.about, str):
            return error
        where = await self._threads.home(command.where)
        loaded = await self._games.at(where.key)
        if command.where.is_own:
            said = f'"{error.about}" is not a unit type, and your own play has no roster.'
            return (
                UserError(said, hint=error.hint, code=error.code, option=error.option)
                if error.about
                else error
            )
        if isinstance(error.about, str):
            name = (
                await removed_unit(self._store, loaded, error.about) if loaded is not None else ""
            )
            gone = f"{name} is no longer on the roster."
            hint = phrase("`/unit list` shows who is.")
            if (
                loaded is not None
                and not name
                and (why := self._shelves.kept_out(command.path, where, loaded.game))
            ):
                error.hint = why
            return (
                UserError(gone, hint=hint, code=error.code, option=error.option) if name else error
            )
        return await self._shelves.explained(
            error, command.path, where, loaded.game if loaded is not None else None
        )

    async def _until_stored(self, command: Command, gate: Gate, *, writes: bool) -> Reply:
        """The answer, stored; `writes`: an event comes of it, as of nearly every command."""
        place = command.where.key
        for attempt in range(ATTEMPTS):
            known = self._games.remembered(place) if writes and not attempt else None
            loaded = known if known is not None else await self._games.at(place)
            try:
                if known is not None:
                    return await self._as_known(command, known, gate)
                return await self._once(command, loaded, gate)
            except Conflict:
                if loaded is not None:
                    self._games.drop(loaded.row)
                await asyncio.sleep(0.002 * min(attempt, 10))
        raise UserError(
            "Too much is going on in this game at once.", hint="Try again in a moment.", code="busy"
        )

    async def _as_known(self, command: Command, known: Loaded, gate: Gate) -> Reply:
        """The answer in a game of which nobody has asked whether it is still as it is known: the
        commit of an event in it finds out, and whatever else comes of it, a refusal too, is given
        out once the store was asked."""
        check = partial(self._games.check, command.where.key, known)
        try:
            return await self._once(command, known, gate, check)
        except (Conflict, CalledOff, StoreError):
            raise
        except Exception:
            await check()
            raise

    async def _once(
        self,
        command: Command,
        loaded: Loaded | None,
        gate: Gate,
        check: Callable[[], Awaitable[None]] | None = None,
    ) -> Reply:
        """The answer, stored. Raises Conflict where another process was faster: with `check`, this
        is asked where nothing happened in the game that was loaded."""
        assert command.spec is not None
        await self._enabled.check(command.spec, command.where)
        game = loaded.game if loaded is not None else None
        # for mere dice nothing is read
        is_bare = command.path == ("roll",) and (game is None or not game.packs)
        seen = everywhere() if is_bare else await self._shelves.at(command.where, game)
        registry = self._registry if seen is self._registry.games else registry_of(seen)
        if registry is not self._registry or (
            command.spec.system and command.spec.system not in seen
        ):
            command = _as_seen(command, registry)
        before = SEEN.set(seen)
        try:
            request: OtherSide | None = None
            acts_for: frozenset[str] = frozenset()
            while True:  # a second time for a game master who acts for another player's side
                ledger = Ledger(loaded, Writer(command.who.key, command.who.name, self._clock()))
                context = Context(
                    command,
                    ledger,
                    self._store,
                    registry,
                    self.odds.count,
                    self.worker.run,
                    self.checker.run,
                    self.pack_checker.run,
                    partial(self._enabled.check, where=command.where),
                    self._shelves.at,
                    seen,
                    address=self.address,
                    members=self.members,
                    pages=self.pages,
                    acts_for=acts_for,
                )
                if request is not None and not acts_for.issuperset(request.sides):
                    reply = ask(context, request)
                    break
                if game is None or game.ended:
                    context.prepared = await find(self._store, command.where)
                if game is None:
                    context.moved, _ = await moved_from(self._store, command.where.key)
                try:
                    reply = await handler(context.spec)(context)
                    break
                except OtherSide as error:
                    request = error
                    acts_for = await agreed_sides(context)
                except UserError as error:
                    explain(context, error)
                    raise
            if check is not None and not (context.ledger is ledger and ledger.has_events):
                await check()
            return await self._storing.store(context, reply, gate, self.budgets)
        finally:
            SEEN.reset(before)


def _as_seen(command: Command, seen: Registry) -> Command:
    """The command as it is with the packs that are played here; it may have been read without
    them.
    """
    spec = seen.get(command.path)
    known = command.spec
    if spec is None and known is not None and known.system:
        raise UserError(f"{known.name} is not enabled here.", code="not-enabled")
    return replace(command, spec=spec or known)


def _check_options(spec: CommandSpec, options: Mapping[str, object]) -> None:
    """Raise UserError for more than anybody types, and for a flag that is neither yes nor no, so
    that nobody need ask again what it means."""
    check_sizes(options)
    for name in FLAGS:
        if options.get(name) not in (None, "") and (option := spec.option(name)) is not None:
            clean(option, options[name])


def failed(log: logging.Logger, what: str, *, recorded: bool = True) -> Reply:
    """A private reply for the exception at hand, which is logged whole; `recorded` False says
    that nothing was.
    """
    reference = new_id()[:8]
    log.exception("%s failed, reference %s", what, reference)
    nothing = "Nothing was recorded. " if not recorded else ""
    return error_reply(
        UserError(
            f"Something went wrong here, which is not your fault (reference {reference}).",
            hint=f"{nothing}The host finds the reference in the log.",
            code="our-fault",
        )
    )
