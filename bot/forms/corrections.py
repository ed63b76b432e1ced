"""The buttons that correct a refused command: *Fix it*, *Try again*, and what was probably meant."""

from collections.abc import Mapping
from dataclasses import replace

from cachetools import TTLCache

from bot.forms.drafts import Draft, Drafts, create_draft, drop_files
from bot.presentation.firers_and_targets import ANYWAY, WITHOUT
from bot.rules.errors import UserError
from bot.rules.text.phrase import Typed, split_pieces
from bot.rulesets.system import FIRES
from bot.storage.base import StoreError
from bot.ui.form.form import ODDS, get_roll_mode, set_roll_mode
from bot.ui.form.form_buttons import DRAFT_FAMILIES, DRAFTED, get_draft_action
from bot.ui.form.line_and_keypad import build_keypad, shorten_label
from bot.ui.registry import Registry
from bot.ui.reply.reply import OPEN_FORM, Button, Reply
from bot.ui.spec import CommandSpec, Person
from bot.ui.typing.command_text import parse_text
from bot.ui.typing.complete import ACTING

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


class Corrections:
    """The service that offers how to correct a refused command."""

    def __init__(self, drafts: Drafts, registry: Registry) -> None:
        self._drafts = drafts
        self._registry = registry
        self._reassured = TTLCache[str, bool](MOST_REASSURED, SECONDS_REASSURED)

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
        new_draft = create_draft(spec.path, drop_files(options), person.key)
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
            draft = draft._replace(better=drop_files(better_options))
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
