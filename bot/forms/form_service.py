"""The forms that are opened: bare, filled in, from an event, or after a scenario was offered.

A bare command opens a form, and so do the buttons *Change…*, *Fix it* and others. Requests for odds
are kept in the same way, as drafts.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bot.forms.corrections import describe_problem
from bot.forms.drafts import Draft, Drafts, build_earlier_game_error, create_draft, drop_files
from bot.forms.form_rights import check_seat
from bot.game.loaded_game import LoadedGame
from bot.game.rights import make_game_over_error
from bot.loading.game_cache import GameCache
from bot.loading.log_reader import load_event_body, load_recent_events
from bot.loading.threads import Threads
from bot.preferences.enabled_packs import NotManager
from bot.preferences.own_installs import check_own_play
from bot.presentation.derived_inputs import find_last_inputs, remove_derived_inputs
from bot.rules.errors import UserError
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import FIRES
from bot.storage.store import Store
from bot.ui.form.form import get_lasting_inputs, list_missing
from bot.ui.form.form_buttons import DRAFT_FAMILIES, DRAFTED, OF_EVENT
from bot.ui.registry import Registry
from bot.ui.reply.reply import OPEN_FORM, Button, Reply
from bot.ui.spec import CommandSpec, Path, Person, Place
from bot.ui.typing.command_text import parse_text, salvage_command
from bot.ui.typing.complete import CompletionContext

MAX_EVENTS_SINCE_USE = 200
"""Events that are searched for a person's last use of a command."""
SeenAt = Callable[[Place], Awaitable[RuleSets]]
"""A function that returns the systems visible in a place."""


class FormService:
    """The service that the adapters open forms with. Every method may raise UserError or
    StoreError.
    """

    def __init__(
        self,
        store: Store,
        drafts: Drafts,
        games: GameCache,
        registry: Registry,
        threads: Threads,
        seen_at: SeenAt,
    ) -> None:
        self._store = store
        self._drafts = drafts
        self._games = games
        self._registry = registry
        self._threads = threads
        self._seen_at = seen_at

    async def create_draft(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, title: str = ""
    ) -> Draft:
        """Create a form for a person with these options filled in."""
        draft = create_draft(spec.path, drop_files(options), person.key)._replace(title=title)
        await self._drafts.put(draft)
        return draft

    async def create_prefilled_draft(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, where: Place
    ) -> Draft:
        """Create a form for a person with these options, and with the lasting ones of their last use."""
        loaded = await self._games.load_current((await self._threads.find_home(where)).key)
        systems = await self._seen_at(where)
        last_inputs = await self._load_last_inputs(loaded, person, spec.path, systems)
        completion = CompletionContext()
        if loaded is not None:
            units = tuple(loaded.game.units.values())
            completion = CompletionContext(units, system=loaded.game.system)
        lasting = get_lasting_inputs(spec, last_inputs, completion)
        return await self.create_draft(spec, {**lasting, **options}, person)

    async def _load_last_inputs(
        self, loaded: LoadedGame | None, person: Person, path: Path, systems: RuleSets
    ) -> Mapping[str, object]:
        """Load the inputs of a person's last use of a command in this game; {} if there is none."""
        if loaded is None:
            return {}
        player = loaded.find_person(person.key)
        if player is None:
            return {}
        events = await load_recent_events(self._store, loaded.row, MAX_EVENTS_SINCE_USE)
        return find_last_inputs(events, player.person, path, systems)

    async def _load_registry(self, place: Place) -> Registry:
        """Load the commands that are seen in a place, those of its packs included."""
        return self._registry.with_games(await self._seen_at(place))

    async def check_seat(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> None:
        """Raise UserError if this person could not send the form, with buttons to join a side."""
        loaded = await self._games.load_current((await self._threads.find_home(place)).key)
        if loaded is not None:
            check_seat(spec, options, loaded, person, await self._seen_at(place))

    async def offer_scenario(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, place: Place
    ) -> Reply | None:
        """Return the reply to a bare combat command without a game: a scenario to start, and the
        form.

        Return None if the form should open at once. A person who has typed units to this command
        before gets the form with them.
        """
        needs_units = any(
            option.is_required and option.type in ("unit", "units") for option in spec.options
        )
        if spec.family != "sequence" or not needs_units or options or place.is_own:
            return None
        systems = await self._seen_at(place)
        system = systems.get(spec.system)
        if system is None or not system.scenarios:
            return None
        loaded = await self._games.load_current((await self._threads.find_home(place)).key)
        if loaded is not None:
            game = loaded.game
            is_on = (game.started and not game.ended) or bool(game.units)
            if is_on or await self._load_last_inputs(loaded, person, spec.path, systems):
                return None
        draft = await self.create_draft(spec, {}, person)
        name, title = next(iter(system.scenarios.items()))
        start = f"game start {system.id} scenario={name}"
        return Reply(
            f"No {system.title} game is being played here",
            ("Start one with its units ready, or type the units of this roll yourself.",),
            private=True,
            buttons=(
                Button(OPEN_FORM + start, f"Start {title}", "primary"),
                Button(f"{OPEN_FORM}{DRAFTED}{draft.key}", "Type the units"),
            ),
        )

    async def offer_scenario_for_button(
        self, action: str, person: Person, place: Place
    ) -> Reply | None:
        """Return `offer_scenario` for a button that opens the form of a bare combat command.

        Return None if the form should open.
        """
        if action.startswith((DRAFTED, OF_EVENT)):
            return None
        try:
            parsed = parse_text(action, await self._load_registry(place))
        except UserError:
            return None
        return await self.offer_scenario(parsed.spec, parsed.options, person, place)

    async def invite(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, example: str
    ) -> Reply:
        """Build the reply to a command that lacks something: a button opens its form."""
        action = " ".join(spec.path)
        if options:
            draft = await self.create_draft(spec, options, person)
            action = f"{DRAFTED}{draft.key}"
        missing = [option.display_name for option in list_missing(spec, options)]
        lines = [f"Needed: {join_names(missing)}"] if missing else []
        if example:
            lines.append(Phrase("Or type it, for example: ", Typed(example)))
        return Reply(
            spec.title or spec.summary,
            tuple(lines),
            by="the form asks for the rest",
            private=True,
            buttons=(Button(OPEN_FORM + action, "Fill in the form", "good"),),
        )

    async def open_draft(self, action: str, person: Person, where: Place) -> Draft:
        """Return the form that a button opens. `action` is the button's action after OPEN_FORM.

        Raise UserError, also for a person who could not send it.
        """
        draft = await self._find_draft_to_open(action, person, where)
        spec = (await self._load_registry(where)).get(draft.path)
        if spec is not None:
            await self.check_seat(spec, draft.options, person, where)
        return draft

    async def _find_draft_to_open(self, action: str, person: Person, where: Place) -> Draft:
        """Return the draft of the form that a button opens. Raise UserError."""
        if where.is_own:
            check_own_play(CommandSpec((), "", ""), where, person)
        if action.startswith(DRAFTED):
            return await self._drafts.get_own(action.removeprefix(DRAFTED), person.key)
        if action.startswith(OF_EVENT):
            return await self._create_draft_of_event(action.removeprefix(OF_EVENT), person, where)
        registry = await self._load_registry(where)
        try:
            return await self._create_draft_of_text(action, registry, person, where)
        except UserError as error:
            if isinstance(error, NotManager) or error.code == "needs-game":
                raise
            salvaged = salvage_command(action, registry)
            draft = create_draft(salvaged.spec.path, salvaged.options, person.key)
            draft = draft._replace(wrong=error.option or "", message=describe_problem(error))
            await self._drafts.put(draft)
            return draft

    async def _create_draft_of_text(
        self, text: str, registry: Registry, person: Person, where: Place
    ) -> Draft:
        """Create the form of a command as text. Raise UserError."""
        parsed = parse_text(text, registry)
        spec = parsed.spec
        if where.is_own:
            check_own_play(spec, where, person)
        if spec.path == ("setup", "systems") and not person.manager:
            raise NotManager("choose the games", where)
        if parsed.options and spec.family != "sequence":
            return await self.create_draft(spec, parsed.options, person)
        return await self.create_prefilled_draft(spec, parsed.options, person, where)

    async def _create_draft_of_event(self, address: str, person: Person, where: Place) -> Draft:
        """Create the form of an event's command with its options. `address` is ROW:NUMBER.

        Raise UserError if its command cannot be repeated.
        """
        row, _, digits = address.partition(":")
        home = (await self._threads.find_home(where)).key
        loaded = await self._games.load_current(home)
        number = int(digits) if digits.isdecimal() and len(digits) < 12 else 0
        if loaded is not None and row != loaded.row:
            raise build_earlier_game_error()
        event: Mapping[str, Any] = {}
        if loaded is not None:
            event = await load_event_body(self._store, loaded.row, loaded.game, number) or {}
        path = tuple(str(event.get("command") or "").split())
        systems = await self._seen_at(where)
        spec = self._registry.with_games(systems).get(path)
        options = remove_derived_inputs(event, systems) if spec is not None else {}
        if spec is None or spec.family not in DRAFT_FAMILIES or event.get("sealed"):
            message = f"#{digits[:12]} can't be changed and repeated."
            raise UserError(message, hint="Type the command again.", code="not-repeatable")
        if loaded is not None and loaded.game.ended and spec.family == "sequence":
            raise make_game_over_error(loaded.game)
        shot = "the shot of " if spec.verb in FIRES else ""
        return await self.create_draft(spec, options, person, f"Change {shot}#{digits}")
