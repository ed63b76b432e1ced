"""Commands that are not run yet: forms that are opened, filled in and run, by a bare command and by
the buttons *Change…*, *Fix it* and others; and what odds were asked for.

A form is a draft in the store, so it outlives the process; its key is in the platform's form, and
whatever copies of it there are (the form, the odds of it, *Fix it*), it runs once, in the commit
that rolls. Until then it is its owner's alone, and kept for 30 days, odds for a day. The action of
a button that opens one is `form:draft:KEY`, `form:event:ROW:34`, or `form:lnlt fire us3`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from cachetools import TTLCache

from bot.game.game_cache import GameCache, load_event_body
from bot.game.rights import make_game_over_error
from bot.preferences.enabled_packs import NotManager
from bot.preferences.form_rights import check_seat
from bot.preferences.own_installs import check_own_play
from bot.preferences.threads import Threads
from bot.presentation.derived_inputs import load_last_inputs, remove_derived_inputs
from bot.presentation.firers_and_targets import ANYWAY, WITHOUT
from bot.rules.errors import UserError
from bot.rules.inputs.options import split_words
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, split_pieces
from bot.rulesets.catalog import get_systems, use_systems
from bot.rulesets.system import FIRES, System
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
from bot.ui.registry import Registry, get_registry
from bot.ui.reply.reply import OPEN_FORM, Button, Reply
from bot.ui.spec import CommandSpec, Path, Person, Place
from bot.ui.typing.command_text import format_command, parse_text, salvage_command
from bot.ui.typing.complete import ACTING, CompletionContext

_MORE = ("game", "wrong", "message", "title", "better")


def build_earlier_game_error() -> UserError:
    """Return the refusal of what was offered in a game that was played here before."""
    return UserError("That button is from an earlier game.", code="other-game")


class Draft(NamedTuple):
    """A command with its options so far, for a form or a button that runs it.

    `page` is 1 where the form shows its rare fields too. `wrong` is the option that was refused,
    `message` why, `better` the options as they were probably meant. `title` is the form's, where it
    is not that of the command.
    """

    key: str
    path: Path
    options: Mapping[str, object]
    owner: str
    page: int = 0
    game: str = ""  # the one it was asked in; a form is of none
    wrong: str = ""
    message: str = ""
    title: str = ""
    better: Mapping[str, object] | None = None

    def build_doc(self, now: float, kept: float = DRAFTS_KEPT) -> Doc:
        """The draft as the store keeps it."""
        data = {"path": list(self.path), "options": dict(self.options), "page": self.page}
        data |= {name: found for name in _MORE if (found := getattr(self, name))}
        return Doc(DRAFT, self.key, data, now + kept, self.owner)


def create_draft(path: Path, options: Mapping[str, object], owner: str, game: str = "") -> Draft:
    """A draft under a key of its own."""
    return Draft(create_id(), path, options, owner, game=game)


async def load_draft(store: Store, key: str) -> Draft | None:
    """The draft with this key, unless it is used up or outdated."""
    doc = await store.load_doc(DRAFT, key)
    if doc is None:
        return None
    more = {name: doc.data[name] for name in _MORE if name in doc.data}
    return Draft(
        key,
        tuple(doc.data["path"]),
        doc.data["options"],
        doc.owner,
        doc.data.get("page", 0),
        **more,
    )


class Drafts:
    """The drafts of a store. Every method may raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def get(self, key: str, owner: str) -> Draft | None:
        """Their own draft with this key, unless it is used up or outdated."""
        draft = await load_draft(self._store, key)
        return draft if draft is not None and draft.owner == owner else None

    async def get_own(self, key: str, owner: str) -> Draft:
        """The same. Raises UserError for one that is used up or outdated."""
        if (draft := await self.get(key, owner)) is None:
            raise UserError(
                "This form was already used, or has expired.",
                hint="Type the command again.",
                code="used-up",
            )
        return draft

    async def put(self, draft: Draft) -> None:
        """Write a draft, or change it."""
        await self._store.put_doc(draft.build_doc(self._clock()))


DRAFTED, OF_EVENT = "draft:", "event:"
LONGEST = 90
KEPT = ("sequence", "lookup", "roll")
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
"""Refusals that no other word in a form would change."""
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
"""Refusals that a form can mend although they name none of its options."""
MOST_REASSURED, SECONDS_REASSURED = 10_000, 3_600.0
"""People who have read that a refused form keeps their choices, and for how long that is not said
again.
"""
ONE_MORE = "one-more"
"""What a form asks when an input counts only by what was filled in."""
TRY_AGAIN = ("over-budget", "too-soon", "too-many-at-work", "busy", "choice-first")
"""Refusals after which the same command may go through, once something else is done."""


def build_form_button(
    path: Path, options: Mapping[str, object], label: str, registry: Registry
) -> Button:
    """A button that opens the form of a command with these options filled in, for whoever presses
    it.

    For a unit's card: `build_form_button(("lnlt", "fire"), {"attackers": unit.handle}, "Fire with it",
    context.registry)`. It holds the command as text. Options that do not fit into a button are left
    out, from the end; for those write a draft (`create_draft(...)` into `context.commit.docs`) and use
    `Button(f"form:draft:{draft.key}", label)`.
    """
    spec = registry.get(path)
    assert spec is not None, path
    given = dict(options)
    while len(text := format_command(spec, given)) > LONGEST and (
        dropped := [name for name in given if name != ODDS]
    ):
        given.pop(dropped[-1])
    return Button(OPEN_FORM + text.removeprefix("/"), label)


def get_draft_action(how: str, key: str, options: Mapping[str, object]) -> str:
    """What the draft `key` does by the choice in its form: roll, count, or ask for the next of
    the player's dice.
    """
    if how == HAND:
        dice = [word for word in split_words(options.get(HAND) or ()) if word != "?"]
        return f"die:{key}:{','.join(dice)}"
    return f"count:{key}" if how == ODDS else f"roll:{key}"


SeenAt = Callable[[Place], Awaitable[Mapping[str, System]]]
"""The systems that are seen in a place."""


class FormService:
    """What the adapters open forms with. Every method may raise UserError or StoreError."""

    def __init__(
        self,
        store: Store,
        drafts: Drafts,
        games: GameCache,
        house: Registry,
        threads: Threads,
        seen_at: SeenAt,
    ) -> None:
        self._store = store
        self._drafts = drafts
        self._games = games
        self._registry = house
        self._threads = threads
        self._seen_at = seen_at
        self._reassured = TTLCache[str, bool](MOST_REASSURED, SECONDS_REASSURED)

    async def create_draft(
        self, spec: CommandSpec, options: Mapping[str, object], who: Person, title: str = ""
    ) -> Draft:
        """A new form of theirs with these options filled in."""
        draft = create_draft(spec.path, _drop_files(options), who.key)._replace(title=title)
        await self._drafts.put(draft)
        return draft

    async def create_prefilled_draft(
        self, spec: CommandSpec, options: Mapping[str, object], who: Person, where: Place
    ) -> Draft:
        """A new form of theirs with these options, and with what lasts of what they gave to this
        command last.
        """
        loaded = await self._games.load_current((await self._threads.find_home(where)).key)
        last = await load_last_inputs(self._store, loaded, who.key, spec.path)
        known = (
            CompletionContext(tuple(loaded.game.units.values()), system=loaded.game.system)
            if loaded is not None
            else CompletionContext()
        )
        return await self.create_draft(
            spec, {**get_lasting_inputs(spec, last, known), **options}, who
        )

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
        """Return the answer to a bare combat command where no game is on: a scenario to start, and
        the form; None if the form should open at once.

        Whoever has typed units to this command before gets the form with them.
        """
        needs_units = any(
            option.is_required and option.type in ("unit", "units") for option in spec.options
        )
        if spec.family != "sequence" or not needs_units or options or place.is_own:
            return None
        with use_systems(await self._seen_at(place)):
            system = get_systems().get(spec.system)
        if system is None or not system.scenarios:
            return None
        loaded = await self._games.load_current((await self._threads.find_home(place)).key)
        if loaded is not None:
            game = loaded.game
            is_on = (game.started and not game.ended) or bool(game.units)
            if is_on or await load_last_inputs(self._store, loaded, person.key, spec.path):
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
        """Return what a button that opens the form of a bare combat command is answered with where
        no game is on; None if the form should open.
        """
        if action.startswith((DRAFTED, OF_EVENT)):
            return None
        try:
            with use_systems(await self._seen_at(place)):
                typed = parse_text(action, get_registry())
        except UserError:
            return None
        return await self.offer_scenario(typed.spec, typed.options, person, place)

    async def invite(
        self, spec: CommandSpec, options: Mapping[str, object], who: Person, example: str
    ) -> Reply:
        """Return the answer to a command that lacks something: a button opens its form."""
        action = " ".join(spec.path)
        if options:
            draft = await self.create_draft(spec, options, who)
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

    async def open_draft(self, what: str, who: Person, where: Place) -> Draft:
        """The form that a button opens; `what` is its action behind OPEN_FORM.

        Raises UserError, also for who could not send it.
        """
        draft = await self._find_draft_to_open(what, who, where)
        with use_systems(await self._seen_at(where)):
            spec = get_registry().get(draft.path)
        if spec is not None:
            await self.check_seat(spec, draft.options, who, where)
        return draft

    async def _find_draft_to_open(self, what: str, who: Person, where: Place) -> Draft:
        """Return the draft of the form that a button opens. Raises UserError."""
        if where.is_own:
            check_own_play(CommandSpec((), "", ""), where, who)
        if what.startswith(DRAFTED):
            return await self._drafts.get_own(what.removeprefix(DRAFTED), who.key)
        if what.startswith(OF_EVENT):
            return await self._create_draft_of_event(what.removeprefix(OF_EVENT), who, where)
        with use_systems(await self._seen_at(where)):
            seen = get_registry()
        try:
            typed = parse_text(what, seen)
            if where.is_own:
                check_own_play(typed.spec, where, who)
            if typed.spec.path == ("setup", "systems") and not who.manager:
                raise NotManager("choose the rule sets", where)
            if typed.options and typed.spec.family != "sequence":
                return await self.create_draft(typed.spec, typed.options, who)
            return await self.create_prefilled_draft(typed.spec, typed.options, who, where)
        except UserError as error:
            if isinstance(error, NotManager) or error.code == "needs-game":
                raise
            kept = salvage_command(what, seen)
            draft = create_draft(kept.spec.path, kept.options, who.key)
            draft = draft._replace(wrong=error.option or "", message=describe_problem(error))
            await self._drafts.put(draft)
            return draft

    async def _create_draft_of_event(self, number: str, who: Person, where: Place) -> Draft:
        row, _, digits = number.partition(":")
        home = (await self._threads.find_home(where)).key
        loaded = await self._games.load_current(home)
        at = int(digits) if digits.isdecimal() and len(digits) < 12 else 0
        if loaded is not None and row != loaded.row:
            raise build_earlier_game_error()
        found = (
            await load_event_body(self._store, loaded.row, loaded.game, at)
            if loaded is not None
            else None
        )
        event = found or {}
        with use_systems(await self._seen_at(where)):
            spec = get_registry().get(tuple(str(event.get("command") or "").split()))
            typed = remove_derived_inputs(event) if spec is not None else {}
        if spec is None or spec.family not in KEPT or event.get("sealed"):
            said = f"#{digits[:12]} cannot be changed and done again."
            raise UserError(said, hint="Type the command again.", code="not-repeatable")
        if loaded is not None and loaded.game.ended and spec.family == "sequence":
            raise make_game_over_error(loaded.game)
        shot = "the shot of " if spec.verb in FIRES else ""
        return await self.create_draft(spec, typed, who, f"Change {shot}#{digits}")

    async def offer_correction(
        self,
        reply: Reply,
        spec: CommandSpec,
        options: Mapping[str, object],
        who: Person,
        key: str = "",
    ) -> Reply:
        """A refusal with *Fix it*, which opens the form as it was filled in, and a button that does
        what was meant.

        `key` is the draft that was refused, where there is one.
        """
        if reply.error and not reply.seen and reply.code == "no-game":
            return replace(
                reply, buttons=(*reply.buttons, Button(f"{OPEN_FORM}game start", "Start a game"))
            )
        later = reply.code in TRY_AGAIN
        if not reply.error or reply.seen or not spec.options or reply.code in NO_FIX:
            return reply
        if spec.family not in KEPT and (later or not _can_correct(spec, reply)):
            return reply
        message = describe_in_form(spec, reply)
        before = create_draft(spec.path, {}, who.key)
        draft = before._replace(
            key=key or before.key, options=_drop_files(options), wrong=reply.option, message=message
        )
        how = get_roll_mode(spec, options)
        label = "Go on" if reply.code == ONE_MORE else "Fix it"
        buttons = [Button(f"{OPEN_FORM}{DRAFTED}{draft.key}", label)]
        if later:
            draft = draft._replace(wrong="", message="")
            buttons = [Button(get_draft_action(how, draft.key, options), "Try again")]
        pad = (
            build_keypad(reply.owed, draft.key)
            if reply.owed is not None and spec.family in KEPT
            else None
        )
        if reply.better and spec.family in KEPT and spec.system in ("", *self._registry.games):
            better = set_roll_mode(spec, parse_text(reply.better, self._registry).options, how)
            draft = draft._replace(better=_drop_files(better))
            buttons.insert(
                0,
                Button(
                    get_draft_action(how, draft.key, better),
                    _format_correction_label(spec, reply, how),
                    "primary",
                ),
            )
        try:
            await self._drafts.put(draft)
        except StoreError:  # the refusal is told all the same, without a form
            return reply
        if pad is not None:  # the next die is one tap away, or typed
            return replace(pad, lines=(*pad.lines, *reply.lines), code=reply.code, owed=reply.owed)
        # A button does what the line to copy would, and which die is owed says by itself that
        # nothing was rolled.
        lines = [part for part in reply.lines if len(buttons) < 2 or reply.better not in str(part)]
        says_so = (
            spec.family in ROLLS and reply.code != "die-owed" and not later and len(options) > 1
        )
        says_so = says_so and who.key not in self._reassured
        if says_so:
            self._reassured[who.key] = True
        kept = ("Nothing was rolled; your other choices are kept.",) if says_so else ()
        return replace(reply, lines=(*lines, *kept), buttons=(*reply.buttons, *buttons))


def describe_in_form(spec: CommandSpec, reply: Reply) -> str:
    """Return a refusal as a form shows it at the field: what is missing by the field's name, and
    nothing to type.
    """
    option = spec.find_option(reply.option)
    if reply.code != "missing" or option is None or option.label.startswith(("Who", "At whom")):
        hints = [line for line in reply.lines[:1] if isinstance(line, str) and not _is_typed(line)]
        return " ".join((reply.title, *hints))
    return f"{shorten_label(option.display_name)} is needed: {option.expectation}."


def describe_problem(error: UserError) -> str:
    """Return what was wrong as a form shows it: without a command to type."""
    hint = "" if _is_typed(error.hint) else error.hint
    return f"{error.message} {hint}".rstrip()


def _is_typed(text: str) -> bool:
    """Return whether a sentence holds a command to type, which nobody can do in a form."""
    return any(isinstance(piece, Typed) for piece in split_pieces(text))


def _can_correct(spec: CommandSpec, reply: Reply) -> bool:
    """Return whether the form of a command beside the fight can mend what was refused: a field of
    it was wrong.
    """
    option = spec.find_option(reply.option)
    return reply.code in TYPED_WRONG or (option is not None and option.type != "bool")


def _drop_files(options: Mapping[str, object]) -> dict[str, object]:
    """Options without files, which are as their platform describes them."""
    return {
        name: value
        for name, value in options.items()
        if not isinstance(value, Mapping) and value is not None
    }


def _format_correction_label(spec: CommandSpec, reply: Reply, how: str) -> str:
    verb = "Odds" if how == ODDS else spec.verb or "Do it"
    right = reply.right[:40]
    if right == ANYWAY:
        return f"{verb} {right}"
    if verb in FIRES or (how == ODDS and spec.verb in FIRES):
        option = spec.find_option(reply.option)
        at = option is not None and option.type == "units" and reply.option not in ACTING
        word = "" if reply.right.startswith(WITHOUT) else "at " if at else "with "
        return f"{verb} {word}{right}"
    return f"{verb}: {right}"
