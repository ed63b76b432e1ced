"""One command handled: within its budget, in its turn, with the channel's game loaded, and
stored.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from bot.commands.context import Context, IsMember
from bot.commands.dispatch import add_game_hints, get_handler, get_spec
from bot.commands.turns.acting_for import ask_to_act_for, load_agreed_sides
from bot.execution.budgets import Budgets, Queues
from bot.execution.committer import CommandCommitter
from bot.execution.promises import UnrecordedAnswers
from bot.game.free_play_seed import load_next_seed
from bot.game.game_cache import GameCache, LoadedGame
from bot.game.ledger import EventWriter, Ledger
from bot.game.rights import OtherSide
from bot.game.roster import has_left_fight, sort_units
from bot.odds_pool.pool import OddsService, Worker
from bot.outbox.receipts import NOT_WRITTEN
from bot.preferences.enabled_packs import OF_A_VERSION, EnabledPacks, RulesetCache
from bot.preferences.own_installs import check_own_play
from bot.preferences.place_names import find_moved_game
from bot.preferences.threads import Threads
from bot.presentation.derived_inputs import find_removed_unit
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import SEEN, load_shared_systems
from bot.runtime.entropy import create_id
from bot.storage.base import CalledOff, Clock, Conflict, Gate, StoreError
from bot.storage.store import Store
from bot.ui.glossary import build_example
from bot.ui.registry import Registry, build_registry
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.sizes import FILE, check_sizes
from bot.ui.spec import FLAGS, Command, CommandSpec
from bot.ui.typing.command_text import format_command, format_named_command, parse_text
from bot.ui.typing.corrections import check_correction
from bot.ui.typing.roster_example import write_roster_example

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


class CommandExecutor:
    """Handles commands, those of one channel one after another. `budgets` bounds what each person
    may ask for, `address` is where shared games are served, or empty."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        games: GameCache,
        registry: Registry,
        enabled: EnabledPacks,
        storing: CommandCommitter,
        threads: Threads,
        unrecorded: UnrecordedAnswers,
        shelves: RulesetCache,
    ) -> None:
        self.budgets = Budgets()
        self._unrecorded = unrecorded
        self.address = ""
        self.members: dict[str, IsMember] = {}
        self.worker = Worker()
        self.odds = OddsService(self.worker)
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
                return await self._run_in_turn(command, gate)
            finally:
                self.budgets.finish(command)
        except StoreError as error:
            if (before := await self._storing.find_earlier_reply(command)) is not None:
                return before
            return self._unrecorded.answer_instead(
                error, command, sure=gate.call_off()
            ) or build_error_reply(error)
        except UserError as error:
            before = await self._storing.find_earlier_reply(command)
            return before or await self._build_refusal(error, command)
        except CalledOff:
            known = self._unrecorded.kept.get(command.request_id)
            return (
                replace(known, seen=True) if known is not None else build_error_reply(NOT_WRITTEN)
            )
        except Exception:
            return build_failure_reply(log, f"command {' '.join(command.path)}", recorded=False)

    async def _run_in_turn(self, command: Command, gate: Gate) -> Reply:
        spec = command.spec or get_spec(self._registry, command.path)
        _check_options(spec, command.options)
        if spec.path in CHOOSE_A_SYSTEM:
            self._enabled.drop_cached(command.where.server)
        if command.where.is_own:
            check_own_play(spec, command.where, command.who)
        rolls = spec.family in _ROLLING
        counts = rolls and spec.counts_only_odds(command.options)
        if command.where.parent is not None:
            command = await self._threads.move_command_home(command)
        writes = spec.path in _WRITING or (rolls and not counts)
        # What moves nothing but may take seconds keeps nobody in line behind it.
        waits = not (counts or spec.family in ("help", "find") or spec.path in _LONG)
        async with self._queues.wait_for_turn(command.where.key) if waits else nullcontext():
            return await self._run_until_stored(command, gate, writes=writes)

    async def _format_typed(self, command: Command) -> tuple[str, str]:
        """The command as text, so that an error can show it corrected, and its example in words
        of the game here.
        """
        spec = command.spec
        if spec is None:
            return "/" + " ".join(command.path), ""
        if spec.family == "button":
            return "", ""
        loaded = await self._games.load_current((await self._threads.find_home(command.where)).key)
        played = loaded.game.system if loaded is not None else ""
        options = {name: value for name, value in command.options.items() if name != FILE}
        example = ""
        if loaded is not None and spec.system == played:
            units = [
                unit for unit in sort_units(loaded.game.units.values()) if not has_left_fight(unit)
            ]
            seen = build_registry(await self._shelves.load_visible(command.where, loaded.game))
            person = loaded.find_person(command.who.key)
            side = loaded.game.players.get(person.person, "") if person is not None else ""
            example = write_roster_example(spec, seen, units, side)
        return format_named_command(spec, options), example or build_example(spec, played)

    async def _build_refusal(self, error: UserError, command: Command) -> Reply:
        """Return the answer to a command that was refused; a correction is offered only if it would
        be taken.
        """
        error = await self._explain_error(error, command)
        line, example = await self._format_typed(command)
        if line:
            loaded = await self._games.load_current(
                (await self._threads.find_home(command.where)).key
            )
            game = None
            if loaded is not None:
                game = loaded.game
            systems = await self._shelves.load_visible(command.where, game)
            registry = build_registry(systems)
            check_correction(error, line, registry)
            if error.better:
                error.better = format_command(*parse_text(error.better, registry))
        return build_error_reply(error, line, example)

    async def _explain_error(self, error: UserError, command: Command) -> UserError:
        if error.code not in OF_A_VERSION and not isinstance(error.about, str):
            return error
        where = await self._threads.find_home(command.where)
        loaded = await self._games.load_current(where.key)
        if command.where.is_own:
            said = f'"{error.about}" is not a unit type, and your own play has no roster.'
            return (
                UserError(said, hint=error.hint, code=error.code, option=error.option)
                if error.about
                else error
            )
        if isinstance(error.about, str):
            name = (
                await find_removed_unit(self._store, loaded, error.about)
                if loaded is not None
                else ""
            )
            gone = f"{name} is no longer on the roster."
            hint = phrase("`/unit list` shows who is.")
            if (
                loaded is not None
                and not name
                and (why := self._shelves.explain_exclusion(command.path, where, loaded.game))
            ):
                error.hint = why
            return (
                UserError(gone, hint=hint, code=error.code, option=error.option) if name else error
            )
        return await self._shelves.explain_error(
            error, command.path, where, loaded.game if loaded is not None else None
        )

    async def _run_until_stored(self, command: Command, gate: Gate, *, writes: bool) -> Reply:
        """The answer, stored; `writes`: an event comes of it, as of nearly every command."""
        place = command.where.key
        for attempt in range(ATTEMPTS):
            known = self._games.get_cached(place) if writes and not attempt else None
            loaded = known if known is not None else await self._games.load_current(place)
            try:
                if known is not None:
                    return await self._run_on_cached_game(command, known, gate)
                return await self._run_attempt(command, loaded, gate)
            except Conflict:
                if loaded is not None:
                    self._games.drop(loaded.row)
                await asyncio.sleep(0.002 * min(attempt, 10))
        raise UserError(
            "Too much is going on in this game at once.", hint="Try again in a moment.", code="busy"
        )

    async def _run_on_cached_game(self, command: Command, known: LoadedGame, gate: Gate) -> Reply:
        """The answer in a game of which nobody has asked whether it is still as it is known: the
        commit of an event in it finds out, and whatever else comes of it, a refusal too, is given
        out once the store was asked."""
        check = partial(self._games.check_current, command.where.key, known)
        try:
            return await self._run_attempt(command, known, gate, check)
        except (Conflict, CalledOff, StoreError):
            raise
        except Exception:
            await check()
            raise

    async def _run_attempt(
        self,
        command: Command,
        loaded: LoadedGame | None,
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
        seen = (
            load_shared_systems()
            if is_bare
            else await self._shelves.load_visible(command.where, game)
        )
        registry = self._registry if seen is self._registry.games else build_registry(seen)
        if registry is not self._registry or (
            command.spec.system and command.spec.system not in seen
        ):
            command = _read_with_packs(command, registry)
        before = SEEN.set(seen)
        try:
            request: OtherSide | None = None
            acts_for: frozenset[str] = frozenset()
            while True:  # a second time for a game master who acts for another player's side
                ledger = Ledger(
                    loaded, EventWriter(command.who.key, command.who.name, self._clock())
                )
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
                    self._shelves.load_visible,
                    seen,
                    address=self.address,
                    members=self.members,
                    pages=self.pages,
                    acts_for=acts_for,
                )
                if request is not None and not acts_for.issuperset(request.sides):
                    reply = ask_to_act_for(context, request)
                    break
                if game is None or game.ended:
                    context.prepared = await load_next_seed(self._store, command.where)
                if game is None:
                    context.moved, _ = await find_moved_game(self._store, command.where.key)
                try:
                    reply = await get_handler(context.spec)(context)
                    break
                except OtherSide as error:
                    request = error
                    acts_for = await load_agreed_sides(context)
                except UserError as error:
                    add_game_hints(context, error)
                    raise
            if check is not None and not (context.ledger is ledger and ledger.has_events):
                await check()
            return await self._storing.store(context, reply, gate, self.budgets)
        finally:
            SEEN.reset(before)


def _read_with_packs(command: Command, seen: Registry) -> Command:
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
        if options.get(name) not in (None, "") and (option := spec.find_option(name)) is not None:
            clean(option, options[name])


def build_failure_reply(log: logging.Logger, what: str, *, recorded: bool = True) -> Reply:
    """A private reply for the exception at hand, which is logged whole; `recorded` False says
    that nothing was.
    """
    reference = create_id()[:8]
    log.exception("%s failed, reference %s", what, reference)
    nothing = "Nothing was recorded. " if not recorded else ""
    return build_error_reply(
        UserError(
            f"Something went wrong here, which is not your fault (reference {reference}).",
            hint=f"{nothing}The host finds the reference in the log.",
            code="our-fault",
        )
    )
