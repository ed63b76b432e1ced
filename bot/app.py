"""The interface of the bot to all adapters: commands in, replies out.

Each command runs once, however often it is delivered; those of one channel run in order of arrival.
A reply is on the disk before anybody sees it. See bot/execution: `budgets`, `executor`,
`committer`.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Sequence as Many
from dataclasses import replace
from functools import partial
from typing import Self

from bot.commands.channel_games import list_game_choices
from bot.commands.dispatch import get_spec, load_shared_registry
from bot.commands.help.pages import build_welcome
from bot.execution.budgets import UNASKED, CommandsInFlight, Pauses
from bot.execution.committer import CommandCommitter
from bot.execution.due_loop import DueLoop
from bot.execution.executor import CommandExecutor
from bot.execution.promises import ReceiptPromises, UnrecordedAnswers
from bot.forms.corrections import Corrections
from bot.forms.drafts import Draft, Drafts
from bot.forms.form_choices import add_form_choices, join_number_fields
from bot.forms.form_service import FormService
from bot.game.cups import is_called
from bot.game.decks import list_deck_names, list_usable_cards
from bot.game.loaded_game import is_imported
from bot.game.open_games import OpenGame
from bot.game.phases import describe_status
from bot.game.roster import sort_units
from bot.game.state import Game
from bot.loading.free_play_seed import ensure_next_seed
from bot.loading.game_cache import GameCache
from bot.loading.open_games import find_open_games
from bot.loading.threads import Threads
from bot.monitoring.command_log import Answer, Counts, Promise, Watch
from bot.outbox.receipts import Receipts
from bot.outbox.waiting_answers import Answers
from bot.packs.pack_store import HERE, expire_unused, list_pack_choices
from bot.preferences.enabled_packs import EnabledPacks, RulesetCache
from bot.preferences.macros import (
    build_macro_form,
    load_visible_macros,
    parse_macro_line,
    resolve_macro_run,
)
from bot.preferences.own_installs import check_own_play
from bot.presentation.derived_inputs import apply_rule_defaults, depends_on_game
from bot.presentation.unit_first import hint_unit_first
from bot.presentation.unit_reasons import find_reasons
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT, Option, normalize_typed
from bot.rules.text.names import format_count
from bot.rules.text.plain import format_person_name, make_storable, remove_control
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import is_lost, list_builtin_systems
from bot.runtime.entropy import create_id
from bot.runtime.release import get_release
from bot.runtime.settings import Settings
from bot.storage.base import Clock, StoreError
from bot.storage.erased import ErasureMarks
from bot.storage.opening import describe_database, open_store
from bot.storage.retention import RetentionSweep
from bot.storage.store import Store
from bot.ui.finding import FindableKind, search
from bot.ui.form.form import opens_form
from bot.ui.glossary import build_example
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.reply import Reply, build_error_reply
from bot.ui.sizes import check_sizes
from bot.ui.spec import (
    RUN_MACRO,
    BotRight,
    Command,
    CommandSpec,
    Path,
    Person,
    Place,
    Receipt,
)
from bot.ui.typing.bare_words import (
    hint_sequence,
    names_command,
    read_command,
    read_find,
    read_sequence,
    read_table,
)
from bot.ui.typing.command_text import ParsedCommand, parse_text
from bot.ui.typing.complete import (
    OF_ENABLED,
    OF_MACROS,
    CompletionChoice,
    CompletionContext,
    complete_option,
)
from bot.ui.typing.corrections import check_correction
from bot.ui.typing.macro import Macro
from bot.ui.typing.roster_example import write_roster_example
from bot.ui.typing.several_commands import check_one_command
from bot.ui.typing.unquoted_names import is_unit_added, quote_names, quote_new_name, takes_units

FIRST_FORMS = (("game", "start"), ("seek", "game"), ("unit", "add"), ("setup", "systems"))
"""Commands whose forms have menus of the systems and units that their channel has."""
OF_PACKS = ("system", "topic", "scenario", "find")
"""Kinds of completion that may name a pack which another process has just enabled."""
ROLLING_BUTTONS = ("again", "sure")
"""Buttons that stay after a roll. A double tap on one counts once."""
REPEATING_BUTTONS = ("again", "other", "sure")
"""Buttons that run a command again. If it is refused, its form is offered."""

MAX_COMPLETED = 1_000
"""Maximum number of characters of an option for which there are completions."""
FORGET = ("privacy", "delete")
FIND = ("find",)
NOWHERE = Place("nobody:", "nobody:")
"""The place of commands that the bot runs itself, outside all channels."""


class App:
    """The bot behind all adapters. Create one with `await App.open(...)`, end it with `await
    app.close()`.
    """

    def __init__(
        self, store: Store, clock: Clock = time.time, steady: Clock = time.monotonic
    ) -> None:
        """`clock` returns Unix seconds and may be set back; `steady` never runs backwards, and
        measures pauses.
        """
        self.store = store
        self._clock = clock
        self.registry: Registry = load_shared_registry()
        self.drafts = Drafts(store, clock)
        self.games = GameCache(store)
        self._pauses = Pauses(steady)
        self.answers = Answers(store)
        self.receipts = Receipts(store.journal)
        self._in_flight = CommandsInFlight()
        enabled = self.enabled = EnabledPacks(store, self.registry, steady)
        self._rulesets = RulesetCache(store, enabled)
        self._committer = CommandCommitter(store, clock, self.games, enabled, self.receipts)
        self.threads = Threads(store, self.games)
        self.corrections = Corrections(self.drafts, self.registry)
        self.forms = FormService(
            store, self.drafts, self.games, self.registry, self.threads, self.load_visible_systems
        )
        unrecorded = UnrecordedAnswers(steady)
        self.executor = CommandExecutor(
            store,
            clock,
            self.games,
            self.registry,
            enabled,
            self._committer,
            self.threads,
            unrecorded,
            self._rulesets,
        )
        self._promises = ReceiptPromises(store, clock, self.receipts, self._in_flight, unrecorded)
        self._answer: Answer = self.executor.answer
        self.promise_answer: Promise = self._promises.make
        """Record that a command will be answered or refused, even after a crash. Then the platform
        may show that the bot is thinking.

        `until` is when the token for the answer expires, in Unix seconds. Returns None if that is
        recorded, or if a store that does not reply may have recorded it. Else returns a Reply to
        show at once: the command is cancelled and this says so, or it was being stored already and
        this is its answer.
        """
        self.counts = Counts()
        """Counters for the host's monitoring, which adapters use as well."""
        self.links: dict[str, Callable[[], str]] = {}
        """By platform that is served, a function that returns the trouble with its connection, ""
        if there is none.
        """
        self.due_work = DueLoop(store, self.run, steady)
        self._sweeper: asyncio.Task[None] | None = None

    def attach_watch(self, watch: Watch) -> None:
        """Attach monitoring to commands, receipts and retries."""
        self.counts = watch.counts
        self._answer = watch.watch_answers(self._answer)
        self.promise_answer = watch.watch_promises(self.promise_answer)

    @classmethod
    async def open(
        cls,
        source: Settings | Store,
        clock: Clock = time.time,
        watch: Watch | None = None,
        *,
        at_once: bool = False,
    ) -> Self:
        """Create an app on a store, or on the store that the settings name.

        With settings it also attaches the `watch`, erases users whom a restored backup brought
        back, and starts to delete outdated data regularly. `at_once` as for `open_store`. Raises
        StoreError.
        """
        if not isinstance(source, Settings):
            return cls(source, clock)
        store = await open_store(source, clock, at_once=at_once)
        try:
            app = cls(store if watch is None else watch.watch_store(store), clock)
            if watch is not None:
                app.attach_watch(watch)
            is_lasting = source.postgres or source.database
            app._committer.erased = ErasureMarks(source.data if is_lasting else None)
            await app.erase_restored_users()
        except BaseException:
            await store.close()
            raise
        expire = partial(expire_unused, store, clock)
        sweep = RetentionSweep(app.store, source.retention, clock, after_sweep=expire)
        app._sweeper = asyncio.create_task(sweep.run())
        return app

    async def describe(self, settings: Settings) -> str:
        """Return one line for the log: the version, the database, and how many servers have games
        in it. The number is left out if the database cannot be read.
        """
        parts = [f"Grognard {get_release()}", describe_database(settings)]
        try:
            servers = await self.store.list_servers("")
        except StoreError:  # what needs the database reports that
            return ", ".join(parts)
        # those with a slash are direct messages
        count = sum("/" not in server for server in servers)
        return ", ".join([*parts, f"{format_count(count, 'server')} with games"])

    async def erase_restored_users(self) -> int:
        """Delete again the personal data that a restored backup brought back. Return the number of
        people.

        Raises StoreError if that fails.
        """
        users, marks = await self._committer.erased.find_returned_users(self.store)
        for user in users:
            person = Person(user, "")
            options = {"confirm": True}
            reply = await self.run(
                Command(FORGET, options, person, NOWHERE, f"erased/{create_id()}")
            )
            if reply.error:
                raise StoreError(f"A copy brought back somebody who was erased: {reply.title}")
        for mark in marks:
            await self.store.put_doc(mark)
        return len(users)

    async def close(self) -> None:
        """Wait for running commands to finish, end the workers and close the store."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        self.receipts.close()
        self.answers.close()
        await self._in_flight.finish()
        await self.executor.close()
        await self.store.close()

    # Running commands

    async def run_text(
        self,
        text: str,
        person: Person,
        place: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Parse a line (see `parse_line`) and run its command. If it is no command, return a private
        reply with the error.
        """
        try:
            parsed = await self.parse_line(text, place, person)
        except UserError as error:
            return build_error_reply(error, remove_control(text[:MAX_TEXT]))
        return await self.run_parsed(
            parsed.spec, parsed.options, person, place, request_id, delivery
        )

    async def run_parsed(
        self,
        spec: CommandSpec,
        options: Mapping[str, object],
        person: Person,
        place: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
        channels: Mapping[str, Place] | None = None,
        bot_rights: tuple[BotRight, ...] | None = None,
    ) -> Reply:
        """Run a command whose options were parsed from text or a form.

        `channels` has, by option, the channels that the options name, as far as the platform
        confirmed them. `bot_rights` are the bot's rights in the channel, for the command that lists
        them.
        """
        return await self.run(
            Command(
                spec.path,
                options,
                person,
                place,
                request_id,
                delivery or {},
                channels or {},
                spec,
                bot_rights,
            )
        )

    async def invite_to_form(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> Reply | None:
        """Return the reply to a command that lacks options, with an example and a button that opens
        its form; None if the command can run.

        For messages and the console, where a line cannot open a form by itself.
        """
        if not opens_form(spec, options):
            return None
        offer = await self.forms.offer_scenario(spec, options, person, place)
        if offer is not None:
            return offer
        context = await self.get_completion_context(place, person)
        units = [unit for unit in context.roster if not is_lost(unit, context.game)]
        example = ""
        if spec.system == context.system:
            commands = await self.load_registry(place)
            example = write_roster_example(spec, commands, units, context.own_side)
        if not example and spec.path != RUN_MACRO:
            example = build_example(spec, context.game)
        return await self.forms.invite(spec, options, person, example)

    async def press(
        self,
        action: str,
        person: Person,
        place: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Run the action of a button, `NAME` or `NAME:ARGUMENTS`. Each press has a `request_id` of
        its own.

        What can happen only once depends on the data and not on the button: an event that is undone
        already, a draft that no longer exists. A button that rolls again refuses a second press by
        the same person within two seconds. If a button's command is refused, the reply may offer
        its form.
        """
        name, _, arguments = action.partition(":")
        if name in ROLLING_BUTTONS and self._pauses.is_too_soon(person, place, request_id):
            return build_error_reply(
                UserError("You just rolled that again; wait two seconds.", code="too-soon")
            )
        path = ("button", name)
        reply = await self.run(
            Command(path, {"rest": arguments}, person, place, request_id, delivery or {})
        )
        if name in REPEATING_BUTTONS and reply.error and reply.typed:
            parsed = await self.parse_line(reply.typed, place)
            return await self.corrections.offer_correction(
                reply, parsed.spec, parsed.options, person
            )
        return reply

    async def refresh_answer(self, action: str, person: Person, place: Place) -> Reply:
        """Run a button's action without a press, to refresh an open hand. It does not count against
        the person's limit of commands.
        """
        return await self.press(action, person, place, f"{UNASKED}{create_id()}")

    async def run(self, command: Command) -> Reply:
        """Run a command once. Any error becomes a private reply.

        A request that is running already, or was answered before, gets the same reply, marked as
        `seen`. Without a `request_id` the command gets a new one.
        """
        try:
            check_sizes(command.options)
        except UserError as error:
            return build_error_reply(error)
        command = _clean_command(command)
        if not command.request_id:  # nothing distinguishes it from others: it cannot come twice
            command = replace(command, request_id=create_id())
        if command.spec is None:
            with contextlib.suppress(UserError):  # the executor's reply has the error
                spec = await self.find_spec_in_place(command.path, command.where)
                command = replace(command, spec=spec)
        if command.path == RUN_MACRO and command.spec is not None:
            try:
                parsed = await self.resolve_command(
                    command.spec, command.options, command.who, command.where
                )
            except UserError as error:  # of the store
                return build_error_reply(error)
            command = replace(
                command, path=parsed.spec.path, options=parsed.options, spec=parsed.spec
            )
        command = _normalize_command(command)
        return await self._in_flight.run_once(
            command.request_id, partial(self._answer, command), command
        )

    def find_spec(self, path: Path) -> CommandSpec:
        """Return the command with this path, without those of packs. Raises UserError with the
        nearest spelling.
        """
        return get_spec(self.registry, path)

    async def load_registry(self, place: Place) -> Registry:
        """Return the commands that are visible in a place: the built-in ones, and those of the packs
        of its server and game.
        """
        return self.registry.with_games(await self.load_visible_systems(place))

    async def load_server_registry(self, server: str) -> tuple[Registry, tuple[str, ...]]:
        """Return the registry of a server, and the first words of the commands that its enabled
        packs add, for platforms that need a server's own commands.
        """
        place = Place(server, server)
        registry = self.registry.with_games(await self._rulesets.load_visible(place))
        packs = await self.enabled.load_packs(place)
        added = [name for name in registry.top_names if name.removesuffix(TABLE) in packs]
        return registry, tuple(added)

    async def load_enabled_packs(self, server: str) -> Mapping[str, str]:
        """Return the hash of each pack that is enabled on a server, by id, from the store."""
        self.enabled.drop_cached(server)
        return await self.enabled.load_packs(Place(server, server))

    async def list_servers_with_packs(self, platform: str) -> Many[str]:
        """Return the keys of a platform's servers that have packs, enabled or not, sorted."""
        owners = {doc.owner for doc in await self.store.load_docs(HERE)}
        return sorted(server for server in owners if server and server.startswith(platform))

    def listen_for_pack_changes(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call `listener` with the server's key whenever this process stores a change of its systems
        or packs. Return a function that ends this.
        """
        self.enabled.listeners.append(listener)
        return partial(self.enabled.listeners.remove, listener)

    def listen_for_hand_changes(self, listener: Callable[[str], None]) -> None:
        """Call `listener` whenever this process stores something that may change the hands in a
        game, in a place or of a person, with that game, place or person.
        """
        self._committer.listeners.append(listener)

    async def load_visible_systems(self, place: Place) -> RuleSets:
        """Return the systems that are visible in a place, by id: the built-in ones, and the packs of
        its server and game.
        """
        return await self._rulesets.load_visible(place, await self._load_game(place))

    async def _load_game(self, place: Place) -> Game | None:
        """Return the game that is played in a place, or in the channel of a thread; None without
        one. Raises StoreError.
        """
        home = await self.threads.find_home(place)
        loaded = await self.games.load_current(home.key)
        return loaded.game if loaded is not None else None

    async def find_spec_in_place(self, path: Path, place: Place) -> CommandSpec:
        """Return the command with this path as it is visible in a place.

        A built-in command is returned without the options that packs add to it, which is done when
        it runs. Raises UserError with the nearest spelling.
        """
        if path and (path[0] == "button" or self._is_builtin_name(path[0])):
            return self.find_spec(path)
        try:
            return get_spec(await self.load_registry(place), path)
        except UserError:
            self.enabled.drop_cached(place.server)
        try:
            return get_spec(await self.load_registry(place), path)
        except UserError as error:
            game = await self._load_game(place)
            raise await self._rulesets.explain_error(error, path, place, game) from None

    def _is_builtin_name(self, name: str) -> bool:
        """Return whether a command's first word is the bot's own, which no pack can take."""
        system = name.removesuffix(TABLE)
        return system in list_builtin_systems() or (
            system not in self.registry.games and name in self.registry.top_names
        )

    async def parse_line(
        self, text: str, place: Place, person: Person | None = None
    ) -> ParsedCommand:
        """Parse a line that was typed in a place. For a person, a macro is resolved to its command.

        In a game, a line that is no command is tried as a macro, a sequence of the game, a command
        of `/game`, one of its tables, and as something to find. The names of units may have spaces
        without quotation marks, and so may that of a new unit. Raises UserError, whose hint
        suggests only commands that work, also for several commands in one text.
        """
        if "\n" in text:
            check_one_command(text, (await self.load_registry(place)).top_names)
        try:
            parsed = await self._parse_as_typed(text, place, person)
        except UserError:
            quoted = await self._parse_with_quoted_names(text, place, person)
            if quoted is None:
                raise
            return quoted
        if takes_units(parsed.spec):
            return await self._parse_with_quoted_names(text, place, person) or parsed
        if is_unit_added(parsed.spec):
            return await self._parse_with_new_name(text, parsed, place, person)
        return parsed

    async def _parse_with_new_name(
        self, text: str, parsed: ParsedCommand, place: Place, person: Person | None
    ) -> ParsedCommand:
        """Parse a line that adds a unit with its name in quotation marks, which the player left out:
        `unit add Rifle 9 squad`. Return `parsed`, the line as typed, if it makes no sense so.
        """
        quoted = quote_new_name(text, parsed.spec, self._list_unit_types(place))
        if quoted == text:
            return parsed
        try:
            return await self._parse_as_typed(quoted, place, person)
        except UserError:
            return parsed

    def _list_unit_types(self, place: Place) -> set[str]:
        """Return the unit types of the game in a place; without a game, those of all systems that
        the server has. Nothing is read from the database.
        """
        game = self._get_cached_game(place)
        types: set[str] = set()
        for system in self.get_server_registry(place.server).games.values():
            if game is None or game.system in ("", system.id):
                types.update(system.words["units"].types)
        return types

    def _get_cached_game(self, place: Place) -> Game | None:
        """Return the game of a place, or of its channel, if it is in memory. It may be out of date.

        So nobody waits for the database before a platform has its first answer.
        """
        loaded = self.games.get_cached(place.key)
        if loaded is None and place.parent is not None:
            loaded = self.games.get_cached(place.parent.key)
        if loaded is None:
            return None
        return loaded.game

    async def _parse_with_quoted_names(
        self, text: str, place: Place, person: Person | None
    ) -> ParsedCommand | None:
        """Parse a line with the names of the game's units in quotation marks, which the player left
        out: `fire Rifle 1 at Local 2`. Return None if there are none, or if it makes no sense so.
        """
        game = self._get_cached_game(place)
        if game is None:
            return None
        quoted = quote_names(text, [unit.name for unit in game.units.values()])
        if quoted == text:
            return None
        try:
            parsed = await self._parse_as_typed(quoted, place, person)
        except UserError:
            return None
        if takes_units(parsed.spec):
            return parsed
        return None

    async def _parse_as_typed(
        self, text: str, place: Place, person: Person | None
    ) -> ParsedCommand:
        """Parse a line as it was typed; see `parse_line`."""
        try:
            parsed = await self._parse_text(text, place)
        except UserError as error:
            bare_command = None
            if error.code == "unknown-command":
                bare_command = await self._read_bare_words(text, place, person, error)
            if bare_command is None:
                line = remove_control(text[:MAX_TEXT])
                check_correction(error, line, await self.load_registry(place))
                raise
            parsed = bare_command
        else:
            is_bare_roll = parsed.spec.path == ("roll",) and not (
                text.lstrip(" /").casefold().startswith("roll")
            )
            if person is not None and is_bare_roll:
                # a macro called d66
                macro = await parse_macro_line(self.store, self.registry, text, person.key, place)
                parsed = macro or parsed
        if person is None:
            return parsed
        return await self.resolve_command(parsed.spec, parsed.options, person, place)

    async def resolve_command(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> ParsedCommand:
        """Return the command to run: for `/macro run` the macro's own, else the command as it is.

        The commands of FIRST_FORMS are returned as everybody has them, with their number fields
        joined. Raises UserError for a command that may not be used in this place, for a macro that
        cannot run, and for too much text.
        """
        check_sizes(options)
        if place.is_own:
            check_own_play(spec, place, person)
        if spec.path in FIRST_FORMS:
            return ParsedCommand(
                self.registry.get(spec.path) or spec, join_number_fields(spec, options)
            )
        if spec.path != RUN_MACRO:
            return ParsedCommand(spec, options)
        return await resolve_macro_run(
            self.store, await self.load_registry(place), spec, options, person.key, place
        )

    async def find_sequence(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> CommandSpec | None:
        """Return the sequence that the words of `/find` mean for sure, so that an adapter can open
        its form at once; None for other words and other commands. Raises UserError.
        """
        if spec.path != FIND:
            return None
        commands = await self.load_registry(place)
        channel = await self.get_completion_context(place, person)
        games = await self.enabled.list_systems(place)
        words = str(options.get("words") or "")
        target = search(words, commands, games, channel.system).sure
        if target is None or target.kind is not FindableKind.SEQUENCE:
            return None
        sequence, _ = commands.find(target.key.split())
        return sequence

    async def get_form_spec(self, draft: Draft, place: Place) -> CommandSpec:
        """Return the command with the options that the form of a draft shows in a place: with the
        parameters of a macro, the menus of FIRST_FORMS, or the defaults of the game's rules.

        Raises UserError.
        """
        if draft.path == RUN_MACRO:
            registry = await self.load_registry(place)
            macro_spec = await build_macro_form(
                self.store, registry, draft.path, draft.options, draft.owner, place
            )
            if macro_spec is not None:
                return macro_spec
        spec = await self.find_spec_in_place(draft.path, place)
        if spec.path in FIRST_FORMS:
            systems = await self.load_visible_systems(place)
            enabled = await self.enabled.list_systems(place)
            context = await self.get_completion_context(place, Person(draft.owner, ""))
            return add_form_choices(spec, systems, enabled, context, draft.options)
        if not depends_on_game(spec):
            return spec
        game = await self._load_game(place) or Game("")
        systems = await self.load_visible_systems(place)
        return apply_rule_defaults(spec, systems.get(spec.system), game)

    async def _get_system(self, place: Place) -> str:
        """Return the id of the system that is played in a place; "" without a game, and if the store
        cannot be read.
        """
        try:
            game = await self._load_game(place)
        except StoreError:  # if the command needs the game, it raises the error itself
            return ""
        if game is None:
            return ""
        return game.system

    async def _read_bare_words(
        self, text: str, place: Place, person: Person | None, error: UserError
    ) -> ParsedCommand | None:
        """Return the command that a line without a command's name stands for in the place's game (see
        `parse_line`), or None.

        If it is nearly the name of a sequence, or begins with a unit, `error` says what to type.
        Raises UserError for options that a sequence does not take.
        """
        if person is not None:
            macro = await parse_macro_line(self.store, self.registry, text, person.key, place)
            if macro is not None:
                return macro
        system = await self._get_system(place)
        if not system:
            return None
        commands = await self.load_registry(place)
        try:
            sequence = read_sequence(text, commands, system)
        except UserError as slip:
            check_correction(slip, f"{system} {remove_control(text[:MAX_TEXT])}", commands)
            raise
        if sequence is not None or names_command(text, commands):
            return sequence
        games = await self.enabled.list_systems(place)
        parsed = (
            read_command(text, commands)
            or read_table(text, commands, system)
            or read_find(text, commands, system, games)
        )
        if parsed is None:
            hint_sequence(error, text, commands, system)
            game = await self._load_game(place)
            if game is not None and system in commands.games:
                hint_unit_first(error, text, game, commands.games[system], commands)
        return parsed

    async def _parse_text(self, text: str, place: Place) -> ParsedCommand:
        """Parse a command that was typed in a place. For a built-in command the place's packs are
        not loaded. Raises UserError.
        """
        try:
            parsed = parse_text(text, self.registry)
            if not parsed.spec.system or self._is_builtin_name(parsed.spec.path[0]):
                return parsed
        except UserError:
            self.enabled.drop_cached(place.server)
            if await self.load_registry(place) is self.registry:
                raise
        return parse_text(text, await self.load_registry(place))

    # Answers that were not delivered yet

    def get_server_registry(self, server: str) -> Registry:
        """Return the commands of a server (by its key) as they were last loaded, with its packs."""
        return self.registry.with_games(self._rulesets.get_last_seen(server))

    async def save_undelivered(self, user: str, id: str, reply: Reply) -> None:
        """Keep an answer that can no longer be posted, until its user comes back."""
        await self.answers.keep_unseen(user, id, reply, self._clock())
        self.counts.count("untold")

    async def retry_answer(self, id: int, delay: float, *, unsure: bool = False) -> None:
        """Schedule another attempt to post an answer, `delay` seconds later. `unsure`: it may have
        been posted.
        """
        self.counts.count("retry")
        await self.answers.retry(id, delay, unsure=unsure)

    # Receipts: "thinking", or an acknowledgement before the command is stored

    async def answer_receipt(
        self, receipt: Receipt, run: Callable[[], Awaitable[Reply]] | None = None
    ) -> Reply:
        """Return the reply to a receipt that another process left behind: its command is run (by
        `run`, if given) while its token is valid.

        Later the command is refused, and the refusal stored like any answer. If another process
        answered first, its reply counts and this one is marked as `seen`.
        """
        return await self._promises.make_good(receipt, run or partial(self.run, receipt.command))

    # Welcome and open games

    async def build_welcome(self, server: str, players: str) -> Reply:
        """Build the message that welcomes a server once, with the commitment to its next seed, which
        is created if necessary. `players` says in the platform's words who can play.
        """
        seed = await ensure_next_seed(self.store, Place(server, server), self._clock())
        return build_welcome(self.registry, players, seed.commitment)

    async def open_games(self, server: str, user: str) -> list[OpenGame]:
        """Return the games of a server that a user may join, whether or not they see the channel."""
        return await find_open_games(self.store, self.games, server, user)

    # While typing

    async def get_completion_context(self, place: Place, person: Person) -> CompletionContext:
        """Return the state of the place's game from which completions for a person are made; an
        empty one without a game. Fields that only some options need stay empty.
        """
        home = await self.threads.find_home(place)
        loaded = await self.games.load_current(home.key)
        if loaded is None:
            return CompletionContext()
        game = loaded.game
        row = loaded.find_person(person.key)
        systems = await self._rulesets.load_visible(place, game)
        system = systems.get(game.system)
        own_side = game.players.get(row.person, "") if row is not None else ""
        own_seals: tuple[int, ...] = ()
        if row is not None:
            own_seals = tuple(
                number for number, owner in game.sealed.items() if owner == row.person
            )
        open_options = [option for wait in game.waits.values() for option in wait["options"]]
        players = [player.name for player in loaded.persons.values() if not is_imported(player)]
        return CompletionContext(
            roster=tuple(sort_units(game.units.values())),
            sides=game.sides,
            players=tuple(players),
            own_side=own_side,
            system=game.system,
            status=describe_status(game, system),
            decks=list_deck_names(game, system),
            cards_in_play=list_usable_cards(game, system, own_side),
            options=tuple(dict.fromkeys(open_options)),
            sealed=own_seals,
            game=system,
        )

    async def get_form_context(
        self, spec: CommandSpec, place: Place, person: Person, only: str = ""
    ) -> CompletionContext:
        """Return the completion context for the form of a command. If the place has a game, it
        includes the reasons why units cannot be chosen (with `only`: those of that option), and the
        units that the card or chit calls to act.
        """
        context = await self.get_completion_context(place, person)
        game = await self._load_game(place)
        if game is None:
            return context
        own_side = context.own_side
        reasons = find_reasons(context.game, spec, context.roster, game, own_side, only)
        on_call = frozenset[str]()
        if game.led:
            on_call = frozenset(
                unit.handle
                for unit in context.roster
                if unit.side in ("", own_side or unit.side)
                and not is_lost(unit, context.game)
                and is_called(game, unit)
            )
        return context._replace(reasons=reasons, on_call=on_call)

    async def load_macros(self, person: Person, place: Place) -> tuple[Macro, ...]:
        """Return the macros that a person can run in a place."""
        macros = await load_visible_macros(self.store, person.key, place)
        return tuple(macros.values())

    async def complete_option(
        self,
        path: Path,
        name: str,
        typed: str,
        options: Mapping[str, object],
        person: Person,
        place: Place,
    ) -> tuple[CompletionChoice, ...]:
        """Return the choices for the option `name` of a command, of which `typed` is the text so
        far. `options` are the command's options that are set already.

        There are none if the text has more than MAX_COMPLETED characters, and after an error.
        Options that are too long are ignored.
        """
        if len(typed) > MAX_COMPLETED:
            return ()
        options = {name: value for name, value in options.items() if len(str(value)) <= MAX_TEXT}
        try:
            spec = await self.find_spec_in_place(path, place)
            option = spec.find_option(name)
            if option is not None and option.complete in OF_PACKS:
                self.enabled.drop_cached(place.server)
            systems = await self.load_visible_systems(place)
            context = await self.get_completion_context(place, person)
            registry = self.registry.with_games(systems)
            spec = registry.get(path) or spec
            option = spec.find_option(name)
            if option is not None:
                context = await self._add_to_context(context, spec, option, person, place)
            return complete_option(spec, name, typed, registry, context, options)
        except UserError:
            return ()

    async def _add_to_context(
        self,
        context: CompletionContext,
        spec: CommandSpec,
        option: Option,
        person: Person,
        place: Place,
    ) -> CompletionContext:
        """Return the context with the data that only some options need, such as games or packs, if
        this option needs it.
        """
        if option.type in ("unit", "units"):
            context = await self.get_form_context(spec, place, person, only=option.name)
        if option.complete == "game":
            context = context._replace(games=await self._list_game_choices(place))
        if option.complete in OF_ENABLED:
            context = context._replace(enabled=await self.enabled.list_systems(place))
        if option.complete == "pack":
            context = context._replace(packs=await list_pack_choices(self.store, place))
        if option.complete in OF_MACROS:
            context = context._replace(macros=await self.load_macros(person, place))
        return context

    async def _list_game_choices(self, place: Place) -> tuple[CompletionChoice, ...]:
        """Return the games of a place as choices for an option that takes the number of one."""
        home = await self.threads.find_home(place)
        return await list_game_choices(self.store, home, await self.load_visible_systems(place))


def _normalize_command(command: Command) -> Command:
    """Return the command with its options normalized for storage. A button stays as it is: nothing
    of it was typed.
    """
    spec = command.spec
    if spec is None or spec.family == "button" or _is_plain(command.options):
        return command
    options = {
        name: value if name == "file" else normalize_typed(spec.find_option(name), value)
        for name, value in command.options.items()
    }
    return command if options == command.options else replace(command, options=options)


def _is_plain(options: Mapping[str, object]) -> bool:
    """Return whether all texts of the options are ASCII, which needs no normalizing."""
    return all(value.isascii() for value in options.values() if isinstance(value, str))


def _clean_command(command: Command) -> Command:
    """Return the command with all its texts as both kinds of store can hold them, and the person's
    name as it is shown. The content of a file stays as it is.
    """
    name = format_person_name(make_storable(command.who.name))
    if name != command.who.name:
        command = replace(command, who=replace(command.who, name=name))
    person = command.who
    place = command.where
    typed = {
        name: value
        for name, value in command.options.items()
        if isinstance(value, str) and name != "file"
    }
    keys = (command.request_id, person.key, place.key, place.server, place.name)
    texts = "".join((*keys, *typed.values()))
    if make_storable(texts) == texts:
        return command
    storable = {name: make_storable(value) for name, value in typed.items()}
    return replace(
        command,
        options={**command.options, **storable},
        who=replace(person, key=make_storable(person.key)),
        where=replace(
            place,
            key=make_storable(place.key),
            server=make_storable(place.server),
            name=make_storable(place.name),
        ),
        request_id=make_storable(command.request_id),
    )
