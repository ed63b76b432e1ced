"""The one door of the bot, for every adapter: commands in, answers out.

Each command runs once however often it is delivered, those of one game in order of arrival, and
what it answers is on the disk before anybody sees it: `budgets`, `handling`, `storing`.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Sequence as Many
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Self

from bot.commands.channel_games import list_game_choices
from bot.commands.dispatch import get_spec
from bot.commands.help.pages import build_welcome
from bot.commands.play.first_form import add_form_choices, join_number_fields
from bot.execution.budgets import UNASKED, CommandsInFlight, Pauses
from bot.execution.committer import CommandCommitter
from bot.execution.due_loop import DueLoop as DueWork
from bot.execution.executor import CommandExecutor
from bot.execution.promises import ReceiptPromises, UnrecordedAnswers
from bot.game.cups import is_called
from bot.game.decks import list_deck_names, list_usable_cards
from bot.game.free_play_seed import ensure_next_seed
from bot.game.game_cache import GameCache, is_imported
from bot.game.open_games import OpenGame, find_open_games
from bot.game.phases import describe_status
from bot.game.roster import has_left_fight, sort_units
from bot.game.state import Game
from bot.monitoring.command_log import Answer, Counts, Promise, Watch
from bot.outbox.receipts import Receipts
from bot.outbox.waiting_answers import Answers
from bot.packs.pack_store import HERE, expire_unused, list_pack_choices
from bot.preferences.enabled_packs import EnabledPacks, RulesetCache
from bot.preferences.forms import Draft, Drafts, FormService
from bot.preferences.macros import (
    build_macro_form,
    load_visible_macros,
    parse_macro_line,
    resolve_macro_run,
)
from bot.preferences.own_installs import check_own_play
from bot.preferences.threads import Threads
from bot.presentation.derived_inputs import apply_rule_defaults, depends_on_game
from bot.presentation.unit_reasons import find_reasons
from bot.rules.errors import UserError
from bot.rules.inputs.options import MAX_TEXT, normalize_typed
from bot.rules.text.names import format_count
from bot.rules.text.plain import format_person_name, make_storable, remove_control
from bot.rulesets.catalog import use_systems
from bot.rulesets.system import System, list_builtin_systems
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
from bot.ui.registry import TABLE, Registry, get_registry
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

FIRST_FORMS = (("game", "start"), ("unit", "add"), ("setup", "systems"))
"""Commands whose forms have menus of what there is in their place."""
OF_PACKS = ("system", "topic", "scenario", "find")
"""Kinds of completion that may name a pack which another process has just enabled."""
TWICE = ("again", "sure")
"""Buttons that stay and roll: pressed twice by a quick thumb they roll once."""
REPEATING = ("again", "other", "sure")
"""Buttons that do a command once more, whose refusal leads to its form."""

MAX_COMPLETED = 1_000
"""Characters of an option that are completed."""
FORGET = ("privacy", "delete")
FIND = ("find",)
NOWHERE = Place("nobody:", "nobody:")


class App:
    """The bot behind every adapter. Make one with `await App.open(...)`, end it with `await
    app.close()`.
    """

    def __init__(
        self, store: Store, clock: Clock = time.time, steady: Clock = time.monotonic
    ) -> None:
        """`clock` gives Unix seconds, which may jump; `steady` only ever goes on, and measures
        pauses.
        """
        self.store = store
        self._clock = clock
        self.registry: Registry = get_registry()
        self.drafts = Drafts(store, clock)
        self.games = GameCache(store)
        self._pauses = Pauses(steady)
        self.answers = Answers(store)
        self.receipts = Receipts(store.journal)
        self._under_way = CommandsInFlight()
        enabled = self.enabled = EnabledPacks(store, self.registry, steady)
        self.shelves = RulesetCache(store, enabled)
        self._storing = CommandCommitter(store, clock, self.games, enabled, self.receipts)
        self.threads = Threads(store, self.games)
        self.forms = FormService(
            store, self.drafts, self.games, self.registry, self.threads, self.load_visible_systems
        )
        unrecorded = UnrecordedAnswers(steady)
        self.handling = CommandExecutor(
            store,
            clock,
            self.games,
            self.registry,
            enabled,
            self._storing,
            self.threads,
            unrecorded,
            self.shelves,
        )
        self._promises = ReceiptPromises(store, clock, self.receipts, self._under_way, unrecorded)
        self._answer: Answer = self.handling.answer
        self.promised: Promise = self._promises.make
        """Write down that a command will be answered or refused, also after a crash: then its
        receipt may be shown.

        `until` (Unix seconds) ends the life of its token. A Reply where that cannot be written: no
        receipt may be shown, but this. The command is called off, unless it was just being stored:
        then this is its answer. Where a store that does not answer may have it, the receipt is
        shown all the same: nobody knows yet what is true.
        """
        self.counts = Counts()
        """What a host counts, told of what platforms do as well."""
        self.links: dict[str, Callable[[], str]] = {}
        """Each platform that is served, and what is wrong with its connection: "" for nothing."""
        self.due_work = DueWork(store, self.run, steady)
        self._sweeper: asyncio.Task[None] | None = None

    def attach_watch(self, watch: Watch) -> None:
        """Let commands, receipts and retries be seen."""
        self.counts = watch.counts
        self._answer, self.promised = (
            watch.watch_answers(self._answer),
            watch.watch_promises(self.promised),
        )

    @classmethod
    async def open(
        cls,
        source: Settings | Store,
        clock: Clock = time.time,
        watch: Watch | None = None,
        *,
        at_once: bool = False,
    ) -> Self:
        """An app on a store, or on the one that the settings name (`at_once`: see `open_store`);
        `watch` sees its work. Raises StoreError."""
        if not isinstance(source, Settings):
            return cls(source, clock)
        store = await open_store(source, clock, at_once=at_once)
        try:
            app = cls(store if watch is None else watch.watch_store(store), clock)
            if watch is not None:
                app.attach_watch(watch)
            app._storing.erased = ErasureMarks(
                source.data if source.postgres or source.database else None
            )
            await app.erase_restored_users()
        except BaseException:
            await store.close()
            raise
        app._sweeper = asyncio.create_task(
            RetentionSweep(
                app.store, source.retention, clock, besides=partial(expire_unused, store, clock)
            ).run()
        )
        return app

    async def describe(self, settings: Settings) -> str:
        """Return in one line what runs: the version, the database, and how many servers have
        games in it.
        """
        parts = [f"Grognard {get_release()}", describe_database(settings)]
        try:
            places = await self.store.list_servers("")
        except StoreError:  # the database went away again; whoever needs it says so
            return ", ".join(parts)
        # those with a slash are direct messages
        servers = sum("/" not in place for place in places)
        return ", ".join([*parts, f"{format_count(servers, 'server')} with games"])

    async def erase_restored_users(self) -> int:
        """Delete once more what a copy of the database that was put back has brought back; of how
        many people. Raises StoreError."""
        users, marks = await self._storing.erased.find_returned_users(self.store)
        for user in users:
            how = {"confirm": True}
            reply = await self.run(
                Command(FORGET, how, Person(user, ""), NOWHERE, f"erased/{create_id()}")
            )
            if reply.error:
                raise StoreError(f"A copy brought back somebody who was erased: {reply.title}")
        for mark in marks:
            await self.store.put_doc(mark)
        return len(users)

    async def close(self) -> None:
        """Finish what runs, end the worker and close the store."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        self.receipts.close()
        self.answers.close()
        await self._under_way.finish()
        await self.handling.close()
        await self.store.close()

    # Running commands

    async def run_text(
        self,
        text: str,
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Run a command given as text; bad text is answered privately."""
        try:
            typed = await self.parse_line(text, where, who)
        except UserError as error:
            return build_error_reply(error, remove_control(text[:MAX_TEXT]))
        return await self.run(
            Command(
                typed.spec.path,
                typed.options,
                who,
                where,
                request_id,
                delivery or {},
                spec=typed.spec,
            )
        )

    async def run_parsed(
        self,
        spec: CommandSpec,
        options: Mapping[str, object],
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
        channels: Mapping[str, Place] | None = None,
        bot_rights: tuple[BotRight, ...] | None = None,
    ) -> Reply:
        """Run a command whose options have been read from text or a form; `channels` are those
        of them confirmed.
        """
        return await self.run(
            Command(
                spec.path,
                options,
                who,
                where,
                request_id,
                delivery or {},
                channels or {},
                spec,
                bot_rights,
            )
        )

    async def invite_to_form(
        self, spec: CommandSpec, options: Mapping[str, object], who: Person, where: Place
    ) -> Reply | None:
        """Return the answer to a command that lacks something, with a button that opens its form;
        None if it can run.

        For places where a line cannot open a form by itself: messages, and the console.
        """
        if not opens_form(spec, options):
            return None
        offer = await self.forms.offer_scenario(spec, options, who, where)
        if offer is not None:
            return offer
        known = await self.get_completion_context(where, who)
        units = [unit for unit in known.roster if not has_left_fight(unit)]
        example = ""
        if spec.system == known.system:
            commands = await self.load_registry(where)
            example = write_roster_example(spec, commands, units, known.own_side)
        if not example and spec.path != RUN_MACRO:
            example = build_example(spec, known.system)
        return await self.forms.invite(spec, options, who, example)

    async def press(
        self,
        action: str,
        who: Person,
        where: Place,
        request_id: str,
        delivery: Mapping[str, object] | None = None,
    ) -> Reply:
        """Run what a button is for. `request_id` is this very press: another press of the button
        has its own.

        What may happen once is used up where it is kept (the event is undone, the draft is gone),
        so that it can be pressed again once that has come back. Again ignores the same person for
        two seconds.
        """
        name, _, rest = action.partition(":")
        if name in TWICE and self._pauses.is_too_soon(who, where, request_id):
            return build_error_reply(
                UserError("You just rolled that again; wait two seconds.", code="too-soon")
            )
        reply = await self.run(
            Command(("button", name), {"rest": rest}, who, where, request_id, delivery or {})
        )
        if name in REPEATING and reply.error and reply.typed:
            typed = await self.parse_line(reply.typed, where)
            return await self.forms.offer_correction(reply, typed.spec, typed.options, who)
        return reply

    async def refresh_answer(self, action: str, who: Person, where: Place) -> Reply:
        """What a button answers that nobody has pressed: a hand on show is drawn anew. It costs
        them nothing.
        """
        return await self.press(action, who, where, f"{UNASKED}{create_id()}")

    async def run(self, command: Command) -> Reply:
        """Run a command once; whatever goes wrong comes back as a private reply.

        A request that is already under way, or was answered before, gets the same answer marked as
        `seen`.
        """
        try:
            check_sizes(command.options)
        except UserError as error:
            return build_error_reply(error)
        command = _clean_command(command)
        if not command.request_id:  # nothing to tell it from others: it can come only once
            command = replace(command, request_id=create_id())
        if command.spec is None:
            with contextlib.suppress(UserError):  # of which the answer speaks
                command = replace(
                    command, spec=await self.find_spec_in_place(command.path, command.where)
                )
        if command.path == RUN_MACRO and command.spec is not None:
            try:
                typed = await self.resolve_command(
                    command.spec, command.options, command.who, command.where
                )
            except UserError as error:  # of the store
                return build_error_reply(error)
            command = replace(command, path=typed.spec.path, options=typed.options, spec=typed.spec)
        command = _normalize_command(command)
        return await self._under_way.run_once(
            command.request_id, partial(self._answer, command), command
        )

    def find_spec(self, path: Path) -> CommandSpec:
        """The command with this path, of those that everybody has. Raises UserError with the
        nearest spelling.
        """
        return get_spec(self.registry, path)

    async def load_registry(self, where: Place) -> Registry:
        """The commands that are seen in a place: those of everybody, and those of the packs of
        its server and game.
        """
        with use_systems(await self.load_visible_systems(where)):
            return get_registry()

    async def load_server_registry(self, server: str) -> tuple[Registry, tuple[str, ...]]:
        """What a platform is told that wants to know a server's own commands: the registry that has
        them, and the top-level names that the packs enabled there add to everybody's."""
        here = Place(server, server)
        with use_systems(await self.shelves.load_visible(here)):
            found = get_registry()
        packs = await self.enabled.load_packs(here)
        return found, tuple(name for name in found.top_names if name.removesuffix(TABLE) in packs)

    async def load_enabled_packs(self, server: str) -> Mapping[str, str]:
        """The hash of each pack that is enabled on a server, by id, as it is stored now."""
        self.enabled.drop_cached(server)
        return await self.enabled.load_packs(Place(server, server))

    async def list_servers_with_packs(self, platform: str) -> Many[str]:
        """Keys of the servers of a platform that have packs, enabled or not."""
        found = {doc.owner for doc in await self.store.load_docs(HERE)}
        return sorted(server for server in found if server and server.startswith(platform))

    def listen_for_pack_changes(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Tell `listener` the server, as soon as its choice of systems and packs is stored by this
        process; until what comes back is called."""
        self.enabled.listeners.append(listener)
        return partial(self.enabled.listeners.remove, listener)

    def listen_for_hand_changes(self, listener: Callable[[str], None]) -> None:
        """Tell `listener` the game, its place or the person when this process stored what may
        change their hand.
        """
        self._storing.listeners.append(listener)

    async def load_visible_systems(self, where: Place) -> Mapping[str, System]:
        """The systems that are seen in a place: those of everybody, and the packs of its server
        and game.
        """
        loaded = await self.games.load_current((await self.threads.find_home(where)).key)
        return await self.shelves.load_visible(where, loaded.game if loaded is not None else None)

    async def find_spec_in_place(self, path: Path, where: Place) -> CommandSpec:
        """The command with this path as it is seen in a place; of those that are everybody's it is
        known at once, and what packs add to it is seen to when it runs. Raises UserError with the
        nearest spelling."""
        if path and (path[0] == "button" or self._is_builtin_name(path[0])):
            return self.find_spec(path)
        try:
            return get_spec(await self.load_registry(where), path)
        except UserError:
            self.enabled.drop_cached(where.server)
        try:
            return get_spec(await self.load_registry(where), path)
        except UserError as error:
            loaded = await self.games.load_current((await self.threads.find_home(where)).key)
            raise await self.shelves.explain_error(
                error, path, where, loaded.game if loaded is not None else None
            ) from None

    def _is_builtin_name(self, name: str) -> bool:
        """Return whether a command's first word is the bot's own, which no pack can take."""
        known = name.removesuffix(TABLE)
        return known in list_builtin_systems() or (
            known not in self.registry.games and name in self.registry.top_names
        )

    async def parse_line(self, text: str, where: Place, who: Person | None = None) -> ParsedCommand:
        """Return the command that a line typed in a place asks for; a macro of `who` is what it
        stands for.

        In a game, a line that is no command is tried as a macro, a sequence of the game, a command
        of `/game`, one of its tables, and as something to find. Raises UserError with a correction
        that would be taken.
        """
        try:
            typed = await self._parse_text(text, where)
        except UserError as error:
            found = None
            if error.code == "unknown-command":
                found = await self._read_bare_words(text, where, who, error)
            if found is None:
                line = remove_control(text[:MAX_TEXT])
                check_correction(error, line, await self.load_registry(where))
                raise
            typed = found
        else:
            if (
                who is not None
                and typed.spec.path == ("roll",)
                and not text.lstrip(" /").casefold().startswith("roll")
            ):
                # a macro called d66
                typed = (
                    await parse_macro_line(self.store, self.registry, text, who.key, where) or typed
                )
        return (
            await self.resolve_command(typed.spec, typed.options, who, where)
            if who is not None
            else typed
        )

    async def resolve_command(
        self, spec: CommandSpec, options: Mapping[str, object], who: Person, where: Place
    ) -> ParsedCommand:
        """Return the command to run: for `/macro run` the macro's own, else the command as it is.

        A first form stays a form. Raises UserError for a command that has no use in this channel
        and for more text than a command may have.
        """
        check_sizes(options)
        if where.is_own:
            check_own_play(spec, where, who)
        if spec.path in FIRST_FORMS:
            return ParsedCommand(
                self.registry.get(spec.path) or spec, join_number_fields(spec, options)
            )
        if spec.path != RUN_MACRO:
            return ParsedCommand(spec, options)
        return await resolve_macro_run(
            self.store, await self.load_registry(where), spec, options, who.key, where
        )

    async def find_sequence(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> CommandSpec | None:
        """Return the sequence that `/find` means for sure, whose form an adapter can open at once;
        None for anything else. Raises UserError.
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

    async def get_form_spec(self, draft: Draft, where: Place) -> CommandSpec:
        """What the form of a draft asks for. Raises UserError."""
        if draft.path == RUN_MACRO:
            seen = await self.load_registry(where)
            if (
                spec := await build_macro_form(
                    self.store, seen, draft.path, draft.options, draft.owner, where
                )
            ) is not None:
                return spec
        spec = await self.find_spec_in_place(draft.path, where)
        if spec.path in FIRST_FORMS:
            games = await self.load_visible_systems(where)
            here = await self.enabled.list_systems(where)
            return add_form_choices(
                spec,
                games,
                here,
                await self.get_completion_context(where, Person(draft.owner, "")),
                draft.options,
            )
        if not depends_on_game(spec):
            return spec
        loaded = await self.games.load_current((await self.threads.find_home(where)).key)
        game = loaded.game if loaded is not None else Game("")
        return apply_rule_defaults(
            spec, (await self.load_visible_systems(where)).get(spec.system), game
        )

    async def _get_system(self, place: Place) -> str:
        """Return the id of the game that is played in a place, or "" if none is known."""
        try:
            loaded = await self.games.load_current((await self.threads.find_home(place)).key)
        except StoreError:  # the command itself says so, if it needs the game
            return ""
        if loaded is None:
            return ""
        return loaded.game.system

    async def _read_bare_words(
        self, text: str, place: Place, person: Person | None, error: UserError
    ) -> ParsedCommand | None:
        """Return what a line that is no command stands for, or None.

        A slip in the name of a sequence is named in the hint of `error`. Raises UserError for
        options that a sequence does not take.
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
        return parsed

    async def _parse_text(self, text: str, where: Place) -> ParsedCommand:
        """A command typed in a place; what everybody has is known without asking what that place
        has.
        """
        try:
            typed = parse_text(text, self.registry)
            if not typed.spec.system or self._is_builtin_name(typed.spec.path[0]):
                return typed
        except UserError:
            self.enabled.drop_cached(where.server)
            if await self.load_registry(where) is self.registry:
                raise
        return parse_text(text, await self.load_registry(where))

    # Answers on their way

    def use_server_registry(self, server: str) -> AbstractContextManager[None]:
        """Inside, commands are written as what a server had the last time reads them, its packs
        with them.
        """
        return use_systems(self.shelves.get_last_seen(server))

    async def save_undelivered(self, user: str, id: str, reply: Reply) -> None:
        """An answer that can be shown no more is kept for whom it was for, until they come
        again.
        """
        await self.answers.keep_unseen(user, id, reply, self._clock())
        self.counts.count("untold")

    async def retry_answer(self, id: int, after: float, *, unsure: bool = False) -> None:
        """This answer could not be posted, or may have been; see Answers."""
        self.counts.count("retry")
        await self.answers.retry(id, after, unsure=unsure)

    # Receipts: "thinking", or an acknowledgement before the work is stored

    async def answer_receipt(
        self, receipt: Receipt, run: Callable[[], Awaitable[Reply]] | None = None
    ) -> Reply:
        """The answer to a receipt that was taken over: the command is run (by `run`, if given)
        while its token lives.

        After that it is refused, which is stored like any answer: whoever was faster, only one of
        both is told.
        """
        return await self._promises.make_good(receipt, run or partial(self.run, receipt.command))

    # What adapters keep, and what they know of the servers

    async def build_welcome(self, server: str, who: str) -> Reply:
        """What newcomers to a server read once; `who` says in the platform's words who can play."""
        ready = await ensure_next_seed(self.store, Place(server, server), self._clock())
        return build_welcome(self.registry, who, ready.commitment)

    # While typing

    async def open_games(self, server: str, user: str) -> list[OpenGame]:
        """Return the games of a server that a user may join, whether or not they see the channel."""
        return await find_open_games(self.store, self.games, server, user)

    async def get_completion_context(self, place: Place, who: Person) -> CompletionContext:
        """What this channel knows that can be completed."""
        loaded = await self.games.load_current((await self.threads.find_home(place)).key)
        if loaded is None:
            return CompletionContext()
        game = loaded.game
        person = loaded.find_person(who.key)
        system = (await self.shelves.load_visible(place, game)).get(game.system)
        own_side = game.players.get(person.person, "") if person is not None else ""
        return CompletionContext(
            roster=tuple(sort_units(game.units.values())),
            sides=game.sides,
            players=tuple(row.name for row in loaded.persons.values() if not is_imported(row)),
            own_side=own_side,
            system=game.system,
            status=describe_status(game, system),
            decks=list_deck_names(game, system),
            cards_in_play=list_usable_cards(game, system, own_side),
            options=tuple(
                dict.fromkeys(option for asks in game.waits.values() for option in asks["options"])
            ),
            sealed=tuple(
                number
                for number, owner in game.sealed.items()
                if person is not None and owner == person.person
            ),
            game=system,
        )

    async def get_form_context(
        self, spec: CommandSpec, place: Place, who: Person, only: str = ""
    ) -> CompletionContext:
        """Return what the form of a command needs to know of this channel. If a game is loaded
        here, that includes why units cannot be picked (with `only`: for that option), and which
        units the card or chit calls to act.
        """
        known = await self.get_completion_context(place, who)
        loaded = await self.games.load_current((await self.threads.find_home(place)).key)
        if loaded is None:
            return known
        game = loaded.game
        reasons = find_reasons(known.game, spec, known.roster, game, known.own_side, only)
        on_call = frozenset(
            unit.handle
            for unit in known.roster
            if game.led
            and unit.side in ("", known.own_side or unit.side)
            and not has_left_fight(unit)
            and is_called(game, unit)
        )
        return known._replace(reasons=reasons, on_call=on_call)

    async def load_macros(self, who: Person, where: Place) -> tuple[Macro, ...]:
        """The macros that somebody can run in a place."""
        return tuple((await load_visible_macros(self.store, who.key, where)).values())

    async def complete_option(
        self,
        path: Path,
        name: str,
        typed: str,
        given: Mapping[str, object],
        who: Person,
        where: Place,
    ) -> tuple[CompletionChoice, ...]:
        """Choices for one option while it is typed, with this channel's roster and sides.

        A text of more than 1,000 characters has none, for a choice has at most 100; an option given
        before that is too long is left out.
        """
        if len(typed) > MAX_COMPLETED:
            return ()
        given = {name: value for name, value in given.items() if len(str(value)) <= MAX_TEXT}
        try:
            spec = await self.find_spec_in_place(path, where)
            option = spec.find_option(name)
            if option is not None and option.complete in OF_PACKS:
                self.enabled.drop_cached(where.server)
            seen = await self.load_visible_systems(where)
            known = await self.get_completion_context(where, who)
            with use_systems(seen):
                spec = get_registry().get(path) or spec
            option = spec.find_option(name)
            if option is not None and option.type in ("unit", "units"):
                known = await self.get_form_context(spec, where, who, only=name)
            if option is not None and option.complete == "game":
                known = known._replace(
                    games=await list_game_choices(self.store, await self.threads.find_home(where))
                )
            if option is not None and option.complete in OF_ENABLED:
                known = known._replace(enabled=await self.enabled.list_systems(where))
            if option is not None and option.complete == "pack":
                known = known._replace(packs=await list_pack_choices(self.store, where))
            if option is not None and option.complete in OF_MACROS:
                known = known._replace(macros=await self.load_macros(who, where))
            with use_systems(seen):
                return complete_option(spec, name, typed, get_registry(), known, given)
        except UserError:
            return ()


def _normalize_command(command: Command) -> Command:
    """Return the command with its options as they are stored. Of a button nothing was typed."""
    spec = command.spec
    if spec is None or spec.family == "button" or _is_plain(command.options):
        return command
    options = {
        name: value if name == "file" else normalize_typed(spec.find_option(name), value)
        for name, value in command.options.items()
    }
    return command if options == command.options else replace(command, options=options)


def _is_plain(options: Mapping[str, object]) -> bool:
    """Return whether nothing was typed beyond ASCII."""
    return all(value.isascii() for value in options.values() if isinstance(value, str))


def _clean_command(command: Command) -> Command:
    """The command with every text in it as both stores can hold it, and the name of who asks as it
    is shown; what a file says is its reader's business."""
    if (name := format_person_name(make_storable(command.who.name))) != command.who.name:
        command = replace(command, who=replace(command.who, name=name))
    who = command.who
    where = command.where
    typed = (
        value
        for name, value in command.options.items()
        if isinstance(value, str) and name != "file"
    )
    texts = "".join((command.request_id, who.key, where.key, where.server, where.name, *typed))
    if make_storable(texts) == texts:
        return command
    return replace(
        command,
        options={
            name: make_storable(value) if isinstance(value, str) and name != "file" else value
            for name, value in command.options.items()
        },
        who=replace(who, key=make_storable(who.key)),
        where=replace(
            where,
            key=make_storable(where.key),
            server=make_storable(where.server),
            name=make_storable(where.name),
        ),
        request_id=make_storable(command.request_id),
    )
