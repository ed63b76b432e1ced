"""Forms: commands that are filled in before they run.

A bare command opens a form, and so do the buttons *Change…*, *Fix it* and others. Requests for odds
are kept in the same way.

A form is a draft in the store, so it outlives the process. Its key is in the platform's form.
Whatever copies of it there are (the form, its odds, *Fix it*), it runs once, in the commit that
rolls. Until then only its owner can use it. It is kept for 30 days, odds for a day. The action of a
button that opens a form is `form:draft:KEY`, `form:event:ROW:34`, or `form:lnlt fire us3`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cachetools import TTLCache

from bot.game.loaded_game import LoadedGame
from bot.game.rights import make_game_over_error
from bot.loading.game_cache import GameCache
from bot.loading.log_reader import load_event_body, load_recent_events
from bot.preferences.enabled_packs import NotManager
from bot.preferences.form_rights import check_seat
from bot.preferences.own_installs import check_own_play
from bot.preferences.threads import Threads
from bot.presentation.derived_inputs import find_last_inputs, remove_derived_inputs
from bot.presentation.firers_and_targets import ANYWAY, WITHOUT
from bot.rules.errors import UserError
from bot.rules.inputs.options import split_words
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, split_pieces
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import FIRES
from bot.runtime.entropy import create_id
from bot.storage.base import DRAFTS_KEPT, Clock, StoreError
from bot.storage.records import DRAFT, Doc
from bot.storage.store import Store
from bot.ui.form.form import (
    HAND,
    ODDS,
    get_lasting_inputs,
    get_roll_mode,
    list_missing,
    set_roll_mode,
)
from bot.ui.form.line_and_keypad import build_keypad, shorten_label
from bot.ui.registry import Registry
from bot.ui.reply.reply import OPEN_FORM, Button, Reply
from bot.ui.spec import CommandSpec, Path, Person, Place
from bot.ui.typing.command_text import format_command, parse_text, salvage_command
from bot.ui.typing.complete import ACTING, CompletionContext

_MORE = ("game", "wrong", "message", "title", "better")


def build_earlier_game_error() -> UserError:
    """Build the error for a button of a game that was played here before."""
    return UserError("That button is from an earlier game.", code="other-game")


class Draft(NamedTuple):
    """A command with its options so far, for a form or a button that runs it."""

    key: str
    path: Path
    options: Mapping[str, object]
    owner: str
    page: int = 0
    """1 if the form shows its rare fields too."""
    game: str = ""
    """The row of the game in which it was asked; "" for a form."""
    wrong: str = ""
    """The refused option."""
    message: str = ""
    """The reason of the refusal."""
    title: str = ""
    """The title of the form, if it differs from the command's."""
    better: Mapping[str, object] | None = None
    """The options that were probably meant."""

    def build_doc(self, now: float, kept: float = DRAFTS_KEPT) -> Doc:
        """Build the document that stores the draft for `kept` seconds from `now`."""
        data = {"path": list(self.path), "options": dict(self.options), "page": self.page}
        for name in _MORE:
            value = getattr(self, name)
            if value:
                data[name] = value
        return Doc(DRAFT, self.key, data, now + kept, self.owner)


def create_draft(path: Path, options: Mapping[str, object], owner: str, game: str = "") -> Draft:
    """Create a draft with a new key."""
    return Draft(create_id(), path, options, owner, game=game)


async def load_draft(store: Store, key: str) -> Draft | None:
    """Load the draft with this key, None if it was used or has expired."""
    doc = await store.load_doc(DRAFT, key)
    if doc is None:
        return None
    optional_values = {name: doc.data[name] for name in _MORE if name in doc.data}
    return Draft(
        key,
        tuple(doc.data["path"]),
        doc.data["options"],
        doc.owner,
        doc.data.get("page", 0),
        **optional_values,
    )


class Drafts:
    """The drafts of a store. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, key: str, owner: str) -> Draft | None:
        """Return the owner's draft with this key, None if it was used or has expired."""
        draft = await load_draft(self._store, key)
        return draft if draft is not None and draft.owner == owner else None

    async def get_own(self, key: str, owner: str) -> Draft:
        """Return the owner's draft with this key. Raise UserError if it was used or has expired."""
        draft = await self.get(key, owner)
        if draft is None:
            raise UserError(
                "This form was already used, or has expired.",
                hint="Type the command again.",
                code="used-up",
            )
        return draft

    async def put(self, draft: Draft) -> None:
        """Store a new or changed draft. It expires after DRAFTS_KEPT seconds."""
        await self._store.put_doc(draft.build_doc(self._clock()))


DRAFTED, OF_EVENT = "draft:", "event:"
MAX_EVENTS_SINCE_USE = 200
"""Events that are searched for a person's last use of a command."""
LONGEST = 90
DRAFT_FAMILIES = ("sequence", "lookup", "roll")
"""Families of commands whose draft a button can run."""
ROLLS = ("sequence", "roll")
NO_FIX = (
    *(
        "not-player",
        "not-yours",
        "not-your-go",
        "not-master",
        "not-manager",
        "game-ended",
        "not-enabled",
        "last-word",
    ),
    *(
        "needs-game",
        "nothing-found",
        "unknown-topic",
        "own-play",
        "nothing-rolled",
        "no-server",
        "id-taken",
        "no-game",
        "used-up",
        "other-game",
        "old-button",
    ),
    *(
        "blank-cell",
        "other-system",
        "no-system",
        "no-chit",
        "leads-phase",
        "phase-over",
        "no-choice",
        "not-served",
        "not-shared",
        "not-in-system",
        "side-taken",
    ),
)
"""Codes of refusals that no other value in a form would change."""
TYPED_WRONG = (
    "unknown-option",
    "loose-word",
    "given-twice",
    "missing",
    "not-together",
    "name-taken",
    "no-change",
    "too-long",
    "too-many",
    "bad-roster",
)
"""Codes of refusals that a form can correct although they name none of its options."""
MOST_REASSURED, SECONDS_REASSURED = 10_000, 3_600.0
"""Number of users who were told that a refused form keeps their choices, and seconds before they
are told again.
"""
ONE_MORE = "one-more"
"""The code of a form's request for an input that depends on what was filled in."""
TRY_AGAIN = ("over-budget", "too-soon", "too-many-at-work", "busy", "choice-first")
"""Codes of refusals after which the same command may succeed later."""


def build_form_button(
    path: Path, options: Mapping[str, object], label: str, registry: Registry
) -> Button:
    """Build a button that opens the form of a command with these options filled in.

    Anybody may press it. For a unit's card: `build_form_button(("lnlt", "fire"), {"attackers":
    unit.handle}, "Fire with it", context.registry)`. It holds the command as text. Options that do
    not fit into a button are left out, from the end. To keep those, write a draft
    (`create_draft(...)` into `context.commit.docs`) and use
    `Button(f"form:draft:{draft.key}", label)`.
    """
    spec = registry.get(path)
    assert spec is not None, path
    kept_options = dict(options)
    text = format_command(spec, kept_options)
    while len(text) > LONGEST:
        removable = [name for name in kept_options if name != ODDS]
        if not removable:
            break
        kept_options.pop(removable[-1])
        text = format_command(spec, kept_options)
    return Button(OPEN_FORM + text.removeprefix("/"), label)


def get_draft_action(roll_mode: str, key: str, options: Mapping[str, object]) -> str:
    """Return the action of the draft `key` for the roll mode chosen in its form.

    It rolls, counts the odds, or asks for the next of the player's dice.
    """
    if roll_mode == HAND:
        dice = [word for word in split_words(options.get(HAND) or ()) if word != "?"]
        return f"die:{key}:{','.join(dice)}"
    return f"count:{key}" if roll_mode == ODDS else f"roll:{key}"


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
        self._reassured = TTLCache[str, bool](MOST_REASSURED, SECONDS_REASSURED)

    async def create_draft(
        self, spec: CommandSpec, options: Mapping[str, object], person: Person, title: str = ""
    ) -> Draft:
        """Create a form for a person with these options filled in."""
        draft = create_draft(spec.path, _drop_files(options), person.key)._replace(title=title)
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
            f"No game of {system.title} is on here",
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
            message = f"#{digits[:12]} cannot be changed and done again."
            raise UserError(message, hint="Type the command again.", code="not-repeatable")
        if loaded is not None and loaded.game.ended and spec.family == "sequence":
            raise make_game_over_error(loaded.game)
        shot = "the shot of " if spec.verb in FIRES else ""
        return await self.create_draft(spec, options, person, f"Change {shot}#{digits}")

    async def offer_correction(
        self,
        reply: Reply,
        spec: CommandSpec,
        options: Mapping[str, object],
        person: Person,
        key: str = "",
    ) -> Reply:
        """Return a refusal with *Fix it*, which opens the form as it was filled in.

        A second button does what was probably meant. `key` is the refused draft, if there is one.
        """
        if not reply.error or reply.seen:
            return reply
        if reply.code == "no-game":
            start_button = Button(f"{OPEN_FORM}game start", "Start a game")
            return replace(reply, buttons=(*reply.buttons, start_button))
        may_retry = reply.code in TRY_AGAIN
        is_draft_runnable = spec.family in DRAFT_FAMILIES
        if not spec.options or reply.code in NO_FIX:
            return reply
        if not is_draft_runnable and (may_retry or not _can_correct(spec, reply)):
            return reply
        draft, buttons = self._build_correction(reply, spec, options, person, key)
        try:
            await self._drafts.put(draft)
        except StoreError:  # show the refusal all the same, without a form
            return reply
        if reply.owed is not None and is_draft_runnable:  # the next die is one tap away, or typed
            keypad = build_keypad(reply.owed, draft.key)
            if keypad is not None:
                keypad_lines = (*keypad.lines, *reply.lines)
                return replace(keypad, lines=keypad_lines, code=reply.code, owed=reply.owed)
        # A button does the same as the line to copy, and a missing die implies that nothing was
        # rolled.
        lines = tuple(
            [line for line in reply.lines if len(buttons) < 2 or reply.better not in str(line)]
        )
        was_rolling = spec.family in ROLLS and reply.code != "die-owed"
        is_new_to_user = person.key not in self._reassured
        if was_rolling and not may_retry and len(options) > 1 and is_new_to_user:
            self._reassured[person.key] = True
            lines = (*lines, "Nothing was rolled; your other choices are kept.")
        return replace(reply, lines=lines, buttons=(*reply.buttons, *buttons))

    def _build_correction(
        self,
        reply: Reply,
        spec: CommandSpec,
        options: Mapping[str, object],
        person: Person,
        key: str,
    ) -> tuple[Draft, list[Button]]:
        """Build the draft of a refused command, and the buttons for it."""
        new_draft = create_draft(spec.path, _drop_files(options), person.key)
        draft = new_draft._replace(key=key or new_draft.key)
        roll_mode = get_roll_mode(spec, options)
        if reply.code in TRY_AGAIN:
            action = get_draft_action(roll_mode, draft.key, options)
            buttons = [Button(action, "Try again")]
        else:
            draft = draft._replace(wrong=reply.option, message=describe_in_form(spec, reply))
            label = "Go on" if reply.code == ONE_MORE else "Fix it"
            buttons = [Button(f"{OPEN_FORM}{DRAFTED}{draft.key}", label)]
        if (
            reply.better
            and spec.family in DRAFT_FAMILIES
            and spec.system in ("", *self._registry.games)
        ):
            better_options = parse_text(reply.better, self._registry).options
            better_options = set_roll_mode(spec, better_options, roll_mode)
            draft = draft._replace(better=_drop_files(better_options))
            action = get_draft_action(roll_mode, draft.key, better_options)
            label = _format_correction_label(spec, reply, roll_mode)
            buttons.insert(0, Button(action, label, "primary"))
        return draft, buttons


def describe_in_form(spec: CommandSpec, reply: Reply) -> str:
    """Return a refusal for the field of a form: the name of what is missing, and nothing to type."""
    option = spec.find_option(reply.option)
    if reply.code != "missing" or option is None or option.type == "units":
        hints = [line for line in reply.lines[:1] if isinstance(line, str) and not _is_typed(line)]
        return " ".join((reply.title, *hints))
    return f"{shorten_label(option.display_name)} is needed: {option.expectation}."


def describe_problem(error: UserError) -> str:
    """Return the problem of an error for a form: without a command to type."""
    hint = "" if _is_typed(error.hint) else error.hint
    return f"{error.message} {hint}".rstrip()


def _is_typed(text: str) -> bool:
    """Return whether a sentence contains a command to type, which nobody can do in a form."""
    return any(isinstance(piece, Typed) for piece in split_pieces(text))


def _can_correct(spec: CommandSpec, reply: Reply) -> bool:
    """Return whether the form of a command outside combat can correct a refusal: a field was wrong."""
    option = spec.find_option(reply.option)
    return reply.code in TYPED_WRONG or (option is not None and option.type != "bool")


def _drop_files(options: Mapping[str, object]) -> dict[str, object]:
    """Return options without files, which have the form of their platform, and without None."""
    return {
        name: value
        for name, value in options.items()
        if not isinstance(value, Mapping) and value is not None
    }


def _format_correction_label(spec: CommandSpec, reply: Reply, roll_mode: str) -> str:
    """Return the label of the button that does what was probably meant: `Fire at Rifle 2`."""
    verb = "Odds" if roll_mode == ODDS else spec.verb or "Do it"
    correction = reply.right[:40]
    if correction == ANYWAY:
        return f"{verb} {correction}"
    is_fire = verb in FIRES or (roll_mode == ODDS and spec.verb in FIRES)
    if not is_fire:
        return f"{verb}: {correction}"
    if reply.right.startswith(WITHOUT):
        return f"{verb} {correction}"
    option = spec.find_option(reply.option)
    is_target = option is not None and option.type == "units" and reply.option not in ACTING
    preposition = "at" if is_target else "with"
    return f"{verb} {preposition} {correction}"
