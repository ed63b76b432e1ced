"""The way of one command: within its budget, in its turn, with the channel's game, until stored."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from bot.commands.context import Context, IsMember, OpenThread
from bot.commands.dispatch import add_game_hints, get_handler, get_spec
from bot.commands.solo.self_play import let_sides_play
from bot.commands.turns.acting_for import ask_to_act_for, load_agreed_sides
from bot.execution.budgets import Budgets, Queues
from bot.execution.committer import CommandCommitter
from bot.execution.promises import UnrecordedAnswers
from bot.game.ledger import EventWriter, Ledger
from bot.game.loaded_game import LoadedGame
from bot.game.losses import find_removed_unit
from bot.game.rights import OtherSide
from bot.game.roster import sort_units
from bot.game.state import Game, build_roster
from bot.loading.free_play_seed import load_next_seed
from bot.loading.game_cache import GameCache
from bot.loading.log_reader import load_recent_events
from bot.loading.threads import Threads
from bot.odds_pool.pool import OddsService, Worker
from bot.outbox.receipts import NOT_WRITTEN
from bot.preferences.enabled_packs import OF_A_VERSION, EnabledPacks, RulesetCache
from bot.preferences.own_installs import check_own_play
from bot.preferences.place_names import find_moved_game
from bot.rules.errors import UserError
from bot.rules.inputs.options import clean
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import load_shared_systems
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System, is_lost
from bot.runtime.entropy import create_id
from bot.storage.base import CalledOff, Clock, Conflict, Gate, StoreError
from bot.storage.store import Store
from bot.ui.glossary import build_example
from bot.ui.registry import Registry
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.sizes import FILE, check_sizes
from bot.ui.spec import FLAGS, Command, CommandSpec
from bot.ui.typing.command_text import format_command, format_named_command, parse_text
from bot.ui.typing.corrections import check_correction, offer_word_for_unit
from bot.ui.typing.roster_example import write_roster_example

log = logging.getLogger(__name__)

MAX_EVENTS_SINCE_REMOVAL = 200
"""Events that are searched for the removal of a unit that somebody names."""
ATTEMPTS = 50
"""Maximum number of runs of a command if other processes keep changing the game."""
IN_LINE = 200
"""Maximum number of commands of one channel in line."""
PAGES = 2
"""Maximum number of after-action pages built at once."""
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
CHOOSE_A_SYSTEM = (("game", "start"), ("seek", "game"), ("help",), ("find",))
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
_LONG = frozenset({("game", "stats"), ("me", "luck"), ("pack", "add"), ("pack", "show"), *COUNTING})


class CommandExecutor:
    """The executor of commands, those of one channel one after another.

    `budgets` bounds the commands of each person. `address` is where shared games are served, or "".
    """

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
        self.threads: dict[str, OpenThread] = {}
        self.worker = Worker()
        self.odds = OddsService(self.worker)
        self.checker = Worker(stays=False, busy="Other files are being checked right now.")
        self.pack_checker = Worker(stays=False, busy="Other packs are being checked right now.")
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
        """Return how many places have a command at work or in line."""
        return len(self._queues)

    async def close(self) -> None:
        """End the workers."""
        await self.worker.close()
        await self.checker.close()
        await self.pack_checker.close()

    async def answer(self, command: Command, gate: Gate) -> Reply:
        """Run a command, and return its reply once everything is on the disk.

        Any error becomes a private reply. While nothing can be saved, mere dice are rolled all the
        same, and marked as not recorded.
        """
        unrecorded_reply = self._unrecorded.kept.get(command.request_id)
        if unrecorded_reply is not None:
            return replace(unrecorded_reply, seen=True)
        try:
            self.budgets.begin(command)
            try:
                return await self._run_in_turn(command, gate)
            finally:
                self.budgets.finish(command)
        except StoreError as error:
            earlier_reply = await self._storing.find_earlier_reply(command)
            if earlier_reply is not None:
                return earlier_reply
            is_sure = gate.call_off()
            unrecorded_reply = self._unrecorded.answer_instead(error, command, sure=is_sure)
            return unrecorded_reply or build_error_reply(error)
        except UserError as error:
            earlier_reply = await self._storing.find_earlier_reply(command)
            return earlier_reply or await self._build_refusal(error, command)
        except CalledOff:
            unrecorded_reply = self._unrecorded.kept.get(command.request_id)
            if unrecorded_reply is not None:
                return replace(unrecorded_reply, seen=True)
            return build_error_reply(NOT_WRITTEN)
        except Exception:
            return build_failure_reply(log, f"command {' '.join(command.path)}", recorded=False)

    async def _run_in_turn(self, command: Command, gate: Gate) -> Reply:
        """Run a command after those before it in its channel's queue, and return its stored reply.

        Help, counted odds and other commands that may take long do not wait in the queue. Raise
        UserError for options that do not fit, or if the queue is full; see `_run_attempt` for the
        rest.
        """
        spec = command.spec or get_spec(self._registry, command.path)
        _check_options(spec, command.options)
        if spec.path in CHOOSE_A_SYSTEM:
            self._enabled.drop_cached(command.where.server)
        if command.where.is_own:
            check_own_play(spec, command.where, command.who)
        is_roll = spec.family in _ROLLING
        is_only_odds = is_roll and spec.counts_only_odds(command.options)
        if command.where.parent is not None:
            command = await self._threads.move_command_home(command)
        writes = spec.path in _WRITING or (is_roll and not is_only_odds)
        is_read_only = is_only_odds or spec.family in ("help", "find") or spec.path in _LONG
        if is_read_only:
            return await self._run_until_stored(command, gate, writes=writes)
        async with self._queues.wait_for_turn(command.where.key):
            return await self._run_until_stored(command, gate, writes=writes)

    async def _format_typed(self, command: Command) -> tuple[str, str]:
        """Return the command as text, for an error to show it corrected, and an example of it.

        The example uses the units of the game here, if there is one.
        """
        spec = command.spec
        if spec is None:
            return "/" + " ".join(command.path), ""
        if spec.family == "button":
            return "", ""
        loaded = await self._load_game(command)
        options = {name: value for name, value in command.options.items() if name != FILE}
        example = ""
        played: System | None = None
        if loaded is not None:
            visible = await self._shelves.load_visible(command.where, loaded.game)
            played = visible.get(loaded.game.system)
            if spec.system == loaded.game.system:
                example = self._build_roster_example(command, spec, loaded, visible)
        return format_named_command(spec, options), example or build_example(spec, played)

    async def _load_game(self, command: Command) -> LoadedGame | None:
        """Load the game that is played where a command was typed, None if there is none."""
        home = await self._threads.find_home(command.where)
        return await self._games.load_current(home.key)

    def _build_roster_example(
        self, command: Command, spec: CommandSpec, loaded: LoadedGame, visible: RuleSets
    ) -> str:
        """Return an example of a command with units of the game, "" if none fit."""
        system = visible.get(loaded.game.system)
        units = sort_units(loaded.game.units.values())
        units = [unit for unit in units if not is_lost(unit, system)]
        person = loaded.find_person(command.who.key)
        side = loaded.game.players.get(person.person, "") if person is not None else ""
        return write_roster_example(spec, self._registry.with_games(visible), units, side)

    async def _build_refusal(self, error: UserError, command: Command) -> Reply:
        """Build the reply to a refused command. A correction is offered only if it would be accepted."""
        error = await self._explain_error(error, command)
        line, example = await self._format_typed(command)
        if line:
            loaded = await self._load_game(command)
            game = loaded.game if loaded is not None else None
            systems = await self._shelves.load_visible(command.where, game)
            registry = self._registry.with_games(systems)
            if game is not None and command.spec is not None:
                roster = build_roster(game)
                offer_word_for_unit(error, command.spec, command.options, roster)
            check_correction(error, line, registry)
            if error.better:
                error.better = format_command(*parse_text(error.better, registry))
        return build_error_reply(error, line, example)

    async def _explain_error(self, error: UserError, command: Command) -> UserError:
        """Return a more exact error if its cause can be found, else the same error.

        Causes: another version of a pack, a unit that was taken off the roster or named in own
        play, a command of another game's extension.
        """
        if error.code not in OF_A_VERSION and not isinstance(error.about, str):
            return error
        home = await self._threads.find_home(command.where)
        loaded = await self._games.load_current(home.key)
        if command.where.is_own:
            return _explain_in_own_play(error, command.path[0])
        if not isinstance(error.about, str):
            game = loaded.game if loaded is not None else None
            return await self._shelves.explain_error(error, command.path, home, game)
        if loaded is None:
            return error
        events = await load_recent_events(self._store, loaded.row, MAX_EVENTS_SINCE_REMOVAL)
        name = find_removed_unit(events, error.about)
        if name:
            return UserError(
                f"{name} is no longer on the roster.",
                hint=phrase("`/unit list` shows who is."),
                code=error.code,
                option=error.option,
            )
        reason = self._shelves.explain_exclusion(command.path, home, loaded.game)
        if reason:
            error.hint = reason
        return error

    async def _run_until_stored(self, command: Command, gate: Gate, *, writes: bool) -> Reply:
        """Run a command, again after each Conflict, and return its stored reply.

        Raise UserError after ATTEMPTS of them. `writes`: the command leads to an event, as nearly
        every command does. Then the cached game is tried first.
        """
        place = command.where.key
        for attempt in range(ATTEMPTS):
            cached = self._games.get_cached(place) if writes and not attempt else None
            loaded = cached if cached is not None else await self._games.load_current(place)
            try:
                if cached is not None:
                    return await self._run_on_cached_game(command, cached, gate)
                return await self._run_attempt(command, loaded, gate)
            except Conflict:
                if loaded is not None:
                    self._games.drop(loaded.row)
                await asyncio.sleep(0.002 * min(attempt, 10))
        raise UserError(
            "Too many things are going on in this game at once.",
            hint="Try again in a moment.",
            code="busy",
        )

    async def _run_on_cached_game(self, command: Command, cached: LoadedGame, gate: Gate) -> Reply:
        """Run a command on the cached game, which may be out of date.

        The commit of an event finds that out. Any other reply, also a refusal, is returned only
        after a check with the store. Raise Conflict if the game is out of date.
        """
        check = partial(self._games.check_current, command.where.key, cached)
        try:
            return await self._run_attempt(command, cached, gate, check)
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
        """Run a command once, and return the reply after storing it.

        `loaded` is the game of its channel. Raise Conflict if another process changed the game
        meanwhile. The commit of an event finds that out. If there is none, `check` does; None skips
        it, for a game that was just loaded. The commit passes `gate`, and raises CalledOff if it is
        closed. Raise UserError for a refused command.
        """
        assert command.spec is not None
        await self._enabled.check(command.spec, command.where)
        game = loaded.game if loaded is not None else None
        visible = await self._load_systems(command, game)
        registry = self._registry.with_games(visible)
        is_hidden = bool(command.spec.system) and command.spec.system not in visible
        if registry is not self._registry or is_hidden:
            command = _read_with_packs(command, registry)
        context, ledger, reply = await self._handle(command, loaded, registry, visible)
        # the commit of an event in the loaded game is a check itself
        has_event_in_game = context.ledger is ledger and ledger.has_events
        if check is not None and not has_event_in_game:
            await check()
        return await self._storing.store(context, reply, gate, self.budgets)

    async def _load_systems(self, command: Command, game: Game | None) -> RuleSets:
        """Load the systems that a command sees, by id.

        A plain roll of dice, unless its game has packs, sees only the systems that everybody has.
        """
        is_plain_roll = command.path == ("roll",) and (game is None or not game.packs)
        if is_plain_roll:
            return load_shared_systems()
        return await self._shelves.load_visible(command.where, game)

    async def _handle(
        self,
        command: Command,
        loaded: LoadedGame | None,
        registry: Registry,
        visible: RuleSets,
    ) -> tuple[Context, Ledger, Reply]:
        """Call the handler of a command.

        Return its context, the ledger of the loaded game, and the reply. The handler may have put
        another ledger into the context. If a game master is about to act for another player's side,
        return the reply that asks whether they agree, or call the handler again if they already
        have. Raise UserError.
        """
        game = loaded.game if loaded is not None else None
        request: OtherSide | None = None
        acts_for: frozenset[str] = frozenset()
        while True:
            writer = EventWriter(command.who.key, command.who.name, self._clock())
            ledger = Ledger(loaded, writer, visible)
            context = self._build_context(command, ledger, registry, visible, acts_for)
            if request is not None and not acts_for.issuperset(request.sides):
                return context, ledger, ask_to_act_for(context, request)
            if game is None or game.ended:
                context.prepared = await load_next_seed(self._store, command.where)
            if game is None:
                context.moved, _ = await find_moved_game(self._store, command.where.key)
            try:
                reply = await get_handler(context.spec)(context)
                if context.game.self_played:
                    reply = await let_sides_play(context, reply)
                return context, ledger, reply
            except OtherSide as error:
                request = error
                acts_for = await load_agreed_sides(context)
            except UserError as error:
                add_game_hints(context, error)
                raise

    def _build_context(
        self,
        command: Command,
        ledger: Ledger,
        registry: Registry,
        visible: RuleSets,
        acts_for: frozenset[str],
    ) -> Context:
        """Build the context of one run of a command."""
        return Context(
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
            visible,
            address=self.address,
            members=self.members,
            threads=self.threads,
            pages=self.pages,
            acts_for=acts_for,
        )


def _explain_in_own_play(error: UserError, game: str) -> UserError:
    """Return the error for a unit that was named in somebody's own play, which has no roster.

    The hint leads to the words for the units of the `game`, the first word of the command.
    An error that names no unit is returned as it is.
    """
    if not error.about:
        return error
    message = (
        f'"{error.about}" is not a unit type, and there is no roster when you play on your own.'
    )
    hint = phrase("Type a unit's type and its numbers: `/help {game} units`", game=game)
    return UserError(message, hint=hint, code=error.code, option=error.option)


def _read_with_packs(command: Command, registry: Registry) -> Command:
    """Return the command with its spec from the packs played here.

    The command may have been parsed without them. Raise UserError if its system is not enabled.
    """
    spec = registry.get(command.path)
    parsed_spec = command.spec
    if spec is None and parsed_spec is not None and parsed_spec.system:
        raise UserError(f"{parsed_spec.name} is not enabled here.", code="not-enabled")
    return replace(command, spec=spec or parsed_spec)


def _check_options(spec: CommandSpec, options: Mapping[str, object]) -> None:
    """Raise UserError for oversized options, and for a flag that is neither yes nor no.

    Later code can rely on the value of each flag.
    """
    check_sizes(options)
    for name in FLAGS:
        if options.get(name) in (None, ""):
            continue
        option = spec.find_option(name)
        if option is not None:
            clean(option, options[name])


def build_failure_reply(log: logging.Logger, task: str, *, recorded: bool = True) -> Reply:
    """Build a private reply for the current exception, and log the exception in full.

    `task` names what failed. `recorded` False says that nothing was recorded.
    """
    reference = create_id()[:8]
    log.exception("%s failed, reference %s", task, reference)
    nothing = "" if recorded else "Nothing was recorded. "
    error = UserError(
        f"Something went wrong here, which is not your fault (reference {reference}).",
        hint=f"{nothing}The host can look up the reference in the log.",
        code="our-fault",
    )
    return build_error_reply(error)
