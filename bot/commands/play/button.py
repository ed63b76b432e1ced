"""The actions of the buttons under answers, `/again`, and the rolls that a phase asks for.

Each button names its game and an event, or a stored draft, so it works after a restart, and in no
other game.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from bot.commands.context import Context, load_own_draft, replace_command
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.log.export import check_length, compute_facts
from bot.commands.log.json_export import export_json
from bot.commands.pictures import draw_in_worker, draw_odds, draw_table
from bot.commands.play.answer_buttons import (
    build_change_button,
    describe_left_out,
    find_menu_units,
    find_retarget_option,
    find_units_by_handle,
    list_opponents,
    replace_targets,
    suggest_first_shot,
)
from bot.commands.play.odds import answer_odds, show_shot_odds
from bot.commands.play.play import play_command
from bot.commands.play.sealed import reveal_number
from bot.commands.turns.first_side import give_initiative, list_phase_events
from bot.commands.turns.mentions import format_moment, list_calls
from bot.commands.turns.turn import refuse_old_card
from bot.commands.turns.turn_card import is_initiative_rolled
from bot.commands.undo import undo
from bot.forms.drafts import Draft, build_earlier_game_error, load_draft
from bot.game.events import ROLLS, get_recorded_units, list_effective_events
from bot.game.rights import DONE_ONCE, need_player
from bot.game.roster import get_hex, is_of_game
from bot.game.sides import find_side, fit_verb
from bot.game.state import Json, build_roster, is_guarded, unit_from_json
from bot.loading.log_reader import load_event_body
from bot.presentation.derived_inputs import remove_derived_inputs
from bot.presentation.firers_and_targets import drop_unable_units, format_shot
from bot.presentation.unit_reasons import list_fit_targets
from bot.report.game_pictures import render_result_cards
from bot.rules.errors import DieOwed, UserError
from bot.rules.inputs.options import Option, format_code_word, format_number
from bot.rules.inputs.unit_selectors import list_units
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import add_article, join_names
from bot.rules.text.phrase import Phrase, Typed, phrase
from bot.rulesets.system import is_lost
from bot.storage.base import REQUESTS_KEPT
from bot.storage.records import DRAFT, ROLLED, Doc
from bot.ui.common_options import build_optional
from bot.ui.form.form import COMPARE, HAND, ODDS, SECRET
from bot.ui.form.line_and_keypad import build_keypad
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import File, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command

MAX_EVENTS_SINCE_ROLL = 200
"""Events that are searched for the last roll to repeat."""
SURE = "sure"


def build_already_done_reply(text: str) -> Reply:
    """Build the private answer to a second press, which does nothing."""
    return Reply(f"Already done: {text}", private=True)


@declare_button("reveal", of=ButtonOf.EVENT, in_earlier_games=True)
async def press_reveal(context: Context, number: int) -> Reply:
    """Open a sealed roll: the button *Open*. A roll that is open already gets a reply that says so.

    Raises UserError if the roll is another player's, or if there is no such roll.
    """
    event = None if number in context.need_game().sealed else await context.load_event(number)
    if event is not None and event["kind"] == "sealed":
        return build_already_done_reply(f"#{number} is open.")
    return _replace_pressed_message(context, await reveal_number(context, number))


@declare_button("undo", of=ButtonOf.EVENT)
async def press_undo(context: Context, number: int, more: str) -> Reply:
    """Undo the event above the button. The board's button undoes the player's last step.

    `more` is BOARD for the board's button, else the confirmation of `undo_event`. An event that is
    undone already gets a reply that says so. Raises UserError if the event cannot be undone.
    """
    if number in context.need_game().redo:
        return build_already_done_reply(await undo.describe_undone_event(context, number))
    if more == undo.BOARD:
        return await undo.undo_last_step(context, number)
    return await undo.undo_event(context, number, more)


@declare_button("redo", of=ButtonOf.EVENT)
async def press_redo(context: Context, number: int) -> Reply:
    """Redo the event of an undo.

    Raises UserError if something new has happened since, and for a player who may not redo it.
    """
    return await undo.redo_event(context, number)


@declare_button("consent", of=ButtonOf.EVENT)
@declare_button("refuse", of=ButtonOf.EVENT)
async def press_consent_or_refuse(context: Context, number: int, request_id: str) -> Reply:
    """Agree to a request for an undo or redo, or refuse it: the buttons *Agree* and *Refuse*.

    They answer the request with this id only, not a later one about the same event. Raises
    UserError if that request is closed, and for a player who may not answer it.
    """
    request = await undo.load_undo_request(context, number)
    if request is None or request["id"] != request_id:
        if number in context.need_game().redo:
            return build_already_done_reply(await undo.describe_undone_event(context, number))
        raise await undo.explain_no_request(context, number)
    answers = {"consent": undo.consent_to_undo, "refuse": undo.refuse_undo}
    return _replace_pressed_message(context, await answers[context.spec.path[1]](context, number))


def _replace_pressed_message(context: Context, reply: Reply) -> Reply:
    """Mark the reply to replace the message of the pressed button, unless it calls a player."""
    # a changed message pings nobody
    is_calling = bool(reply.mention) or bool(context.mentions)
    return replace(reply, in_place=bool(context.command.delivery.get("pressed")) and not is_calling)


@declare_button("roll")
async def roll_draft(context: Context, key: str, draft: Draft | None = None) -> Reply:
    """Roll a draft, which holds a command from a form or from an answer about odds.

    The draft is deleted, so that it rolls only once. A second press by the same user gets a reply
    that names the result. `draft` is None if it is not loaded yet.

    Raises UserError if the draft has expired, is another user's or belongs to another game, and if
    its command cannot be played.
    """
    draft = draft or await load_draft(context.store, key)
    earlier_roll = await context.store.load_doc(ROLLED, key) if draft is None else None
    if earlier_roll is not None and earlier_roll.owner == context.command.who.key:
        return build_already_done_reply(earlier_roll.data["title"])
    if draft is None:
        raise UserError(
            "This was already rolled, or has expired.",
            hint="Type the command again.",
            code="used-up",
        )
    if draft.owner != context.command.who.key:
        raise UserError("Only the person who asked for this can roll it.", code="not-yours")
    if draft.game and draft.game != context.ledger.row:
        raise build_earlier_game_error()
    context.commit.drop_docs.append((DRAFT, key))
    options = dict(draft.better or draft.options)
    if options.pop(ODDS, None):  # the odds were answered before; the button rolls
        options.pop(COMPARE, None)
    reply = await play_meant_command(replace_command(context, draft.path, options))
    context.commit.docs.append(
        Doc(ROLLED, key, {"title": reply.first_line}, context.now + REQUESTS_KEPT, draft.owner)
    )
    return reply


async def play_meant_command(desk: Context) -> Reply:
    """Run the command of a button. If it raises a UserError, store the command there as typed text."""
    options = desk.command.options
    try:
        return await play_command(desk)
    except UserError as error:
        error.typed = format_command(desk.spec, options)
        raise


@declare_button("count", private=True)
@declare_button("back", private=True)
async def count_draft_odds(context: Context, key: str) -> Reply:
    """Answer the odds of the command in a form, privately.

    The button *Roll it* of the answer uses the same draft, so it rolls only once. Raises UserError
    if the draft was used or is another user's, and if its odds cannot be computed.
    """
    draft = await load_own_draft(context, key)
    options = dict(draft.better or draft.options)
    for name in (ODDS, SECRET, HAND):
        options.pop(name, None)
    desk = replace_command(context, draft.path, options)
    await desk.check_enabled(desk.spec)
    if desk.spec.counts_only_odds(options):  # compared, or over several rounds
        return await play_command(desk)
    return await answer_odds(desk, desk.spec, options, draft)


@declare_button("die", private=True)
async def enter_die(context: Context, key: str, hand: str) -> Reply:
    """Enter a real die on the keypad, and show the keypad of the next one.

    After the last die, roll the draft and delete it. Nothing is stored before that: the buttons
    hold the dice so far, as in `die:KEY:6,1`.

    Raises UserError if the draft was used or is another user's, if its command cannot be played,
    and if the next die cannot be entered on a keypad.
    """
    draft = await load_own_draft(context, key)
    options = draft.better or draft.options
    draft_with_hand = draft._replace(
        options={**options, HAND: f"{hand},?" if hand else "?"}, better=None
    )
    try:
        return await roll_draft(context, key, draft_with_hand)
    except UserError as error:
        if not isinstance(error.about, DieOwed):
            raise
        context.commit.drop_docs.remove((DRAFT, key))
        keypad = build_keypad(error.about, key)
        if keypad is None:
            raise
        return keypad


@declare_button("anyway")
async def press_anyway(context: Context, key: str) -> Reply:
    """Roll the shot of a question as it was typed: the button that confirms it."""
    context.is_confirmed = True
    return await roll_draft(context, key)


@declare_button("cancel", private=True)
async def press_cancel(context: Context, key: str) -> Reply:
    """Cancel the shot of a question, and delete its draft."""
    await load_own_draft(context, key)
    context.commit.drop_docs.append((DRAFT, key))
    return Reply("Nothing was rolled", private=True, in_place=True)


@declare_button("picture", private=True)
@declare_button("drawn")
async def press_picture(context: Context, action: str) -> Reply:
    """Draw the odds of a draft, or a table with the inputs in the button or in a draft."""
    name, is_table, inputs = action.partition("?")
    private = context.spec.private
    if is_table:
        return replace(await draw_table(context, name, dict(parse_qsl(inputs))), private=private)

    # the draft of a public look-up may belong to another player
    public_draft = None if private else await load_draft(context.store, name)
    draft = public_draft or await load_own_draft(context, name)
    spec = context.registry.get(draft.path)
    if spec is not None and spec.family == "lookup":
        picture = await draw_table(context, f"{spec.system}/{spec.target}", draft.options)
        return replace(picture, private=private)
    draft = await load_own_draft(context, name)
    desk = replace_command(context, draft.path, draft.options)
    await desk.check_enabled(desk.spec)
    odds = await answer_odds(desk, desk.spec, draft.options, draft)
    return replace(await draw_odds(context, odds), private=private)


@declare_button("bars", of=ButtonOf.EVENT, private=True, in_earlier_games=True)
async def press_shot(context: Context, number: int) -> Reply:
    """Draw the result of a shot, and its odds with the units as they were."""
    pictures = await draw_odds(context, await show_shot_odds(context, number))
    return replace(
        pictures, private=True, files=(*await _draw_result_cards(context, number), *pictures.files)
    )


@declare_button("drawgame", of=ButtonOf.GAME, in_earlier_games=True)
async def press_game(context: Context) -> Reply:
    """Draw the game as it ended, and what decided it, as pictures to share."""
    title = f"{context.need_game().name or 'The game'} to share"
    return Reply(title, by="as pictures", bare=True, files=await _draw_result_cards(context))


async def _draw_result_cards(context: Context, number: int = 0) -> tuple[File, ...]:
    """Draw the pictures of event `number`, or of the game if it is 0, from public data only."""
    check_length(context.game)
    export = await export_json(context)
    facts = await compute_facts(context, export, number)
    cards = await draw_in_worker(
        context, render_result_cards, export, facts, context.systems, number
    )
    return tuple(File(f"{name}.png", data, alt) for name, data, alt in cards)


@declare_command("again", "Repeat the last roll or sequence with the same inputs")
async def repeat_last(context: Context) -> Reply:
    """Repeat the game's last roll, table or sequence, whoever made it.

    Those that are undone, were made as sealed, or belong to upkeep are skipped. Raises UserError if
    there is none among the latest events.
    """
    context.need_game()
    events = list_effective_events(await context.load_recent_events(MAX_EVENTS_SINCE_ROLL))
    for event in events:
        if event["kind"] in ROLLS and "upkeep" not in event:
            return await repeat_event(context, event)
    raise UserError(
        "Nothing to repeat yet.", hint=suggest_first_shot(context), code="nothing-to-repeat"
    )


@declare_button("again", of=ButtonOf.EVENT)
async def repeat_number(context: Context, number: int) -> Reply:
    """Repeat the event with this number. Raises UserError if it is no open roll."""
    context.need_game()
    event = await load_event_body(context.store, context.ledger.row, context.game, number)
    if event is None or event["kind"] not in ROLLS:
        raise UserError(f"#{number} cannot be repeated.", code="not-repeatable")
    return await repeat_event(context, event)


async def repeat_event(context: Context, event: Json) -> Reply:
    """Roll an event's command again with the same inputs, and within its game with its label.

    Units that have left the fight are left out. A line of the reply says how the others have
    changed since. Raises UserError if the command can no longer be played; if all targets have left
    the fight, the error asks for others.
    """
    options: Json = remove_derived_inputs(event, context.systems)
    if event.get("texts") and not context.game.ended:
        texts = await context.load_texts(event["number"])
        label = texts.get("label")
        if label:
            options["label"] = label
    desk = replace_command(context, tuple(event["command"].split()), options)
    if desk.spec.family == "sequence":
        desk.command = replace(desk.command, options=drop_lost_units(desk, desk.spec, options))
    changes = _describe_changes(context, event)
    try:
        reply = await play_meant_command(desk)
    except UserError as error:
        _ask_for_other_targets(context, error, desk.spec, event)
        raise
    if not changes or reply.private or reply.error:
        return reply
    line = Small(f"Changed since #{event['number']}: {'; '.join(changes)}.")
    return replace(reply, lines=(*reply.lines, line))


def _ask_for_other_targets(
    context: Context, error: UserError, spec: CommandSpec, event: Json
) -> None:
    """Ask for another target in the error of a shot whose targets have all left the fight."""
    option = find_retarget_option(spec)
    if error.code != "unit-gone" or option is None or error.option not in ("", None, option.name):
        return
    targets = list_units([event.get("inputs", {}).get(option.name)], build_roster(context.game))
    if targets and all(is_lost(target, context.system) for target in targets):
        verb = "is" if len(targets) == 1 else "are"
        error.message = f"{join_names(unit.name for unit in targets)} {verb} out of the fight."
        error.hint = "Choose another target."


MOST_CHANGED = 4
"""Maximum number of changes since the repeated roll that an answer lists."""


def _describe_changes(context: Context, event: Json) -> list[str]:
    """Return how the units of an event have changed since, by change: `Gren 1, 7, 10 killed`.

    That they have acted does not count.
    """
    system = context.systems.get(str(event.get("system") or ""))
    if system is None or not is_of_game(context.game, system):
        return []
    names: dict[str, list[str]] = {}
    for recorded in get_recorded_units(event):
        unit = context.game.units.get(recorded["name"].casefold())
        if unit is None:
            continue
        before = unit_from_json(recorded)
        before = replace(before, marks=before.marks - {*DONE_ONCE})
        after = replace(unit, marks=unit.marks - {*DONE_ONCE})
        changes = _change_in_words(before, after)
        if changes:
            names.setdefault(changes, []).append(unit.name)
    sentences = [
        f"{join_names(names_changed)} {changes}" for changes, names_changed in names.items()
    ]
    return sentences[:MOST_CHANGED]


def _change_in_words(before: RosterUnit, after: RosterUnit) -> str:
    """Return how a unit has changed: `killed`, `wounds 1 and out or jammed`, `no longer moved`."""
    words = list[str]()
    if after.state != before.state:
        words.append(_lower(after.state) if after.state else f"no longer {_lower(before.state)}")
    if after.type != before.type:
        words.append(f"now {add_article(_lower(after.type))}" if after.type else "without a type")
    if after.side != before.side:
        words.append(f"now on {after.side or 'no side'}")
    for name in dict.fromkeys((*before.numbers, *after.numbers)):
        number = after.numbers.get(name)
        if number != before.numbers.get(name):
            is_cleared = number in (None, "")
            words.append(_lower(name) + (" gone" if is_cleared else f" {format_number(number)}"))
    words += [_lower(mark) for mark in sorted(after.marks - before.marks)]
    words += [f"no longer {_lower(mark)}" for mark in sorted(before.marks - after.marks)]
    return join_names(words)


def _lower(word: str) -> str:
    return format_code_word(word).casefold()


def drop_lost_units(context: Context, spec: CommandSpec, options: Json) -> Json:
    """Return the options of a repeated shot without the units that can no longer take part."""
    sequence = context.systems[spec.system].sequences[spec.target]
    able_options, _ = drop_unable_units(sequence, options, build_roster(context.game))
    return able_options


@declare_button("other", of=ButtonOf.EVENT)
@declare_button("sure", of=ButtonOf.EVENT)
async def fire_at_other_target(context: Context, number: int, more: str) -> Reply:
    """Repeat shot #`number` at the targets of a menu entry, `more`.

    If the game confirms repeated shots, return the question instead. Raises UserError if the event
    is no shot, if the menu entry has no targets any more, and if the shot cannot be played.
    """
    game = context.need_game()
    event = await load_event_body(context.store, context.ledger.row, game, number)
    spec = None
    option = None
    if event is not None and "command" in event:
        spec = context.registry.get(tuple(event["command"].split()))
        if spec is not None and event["kind"] == "sequence":
            option = find_retarget_option(spec)
    if event is None or spec is None or option is None:
        raise UserError(f"#{number} cannot be fired at another target.", code="not-repeatable")
    targets = _find_targets(context, event, spec, option, more)
    inputs = drop_lost_units(context, spec, remove_derived_inputs(event, context.systems))
    old_targets = list_units([inputs.get(option.name)], build_roster(game))
    same_hex = _are_in_one_hex(old_targets, targets)
    options = replace_targets(spec, inputs, option, targets, same_hex=same_hex)
    if game.confirm and context.spec.path[1] != SURE:
        return Reply(
            f"{format_shot(spec.verb)} {join_names(target.name for target in targets)}?",
            (Phrase("The same as #", str(number), ": ", Typed(format_command(spec, options))),),
            private=True,
            buttons=(
                context.build_button(SURE, spec.verb, number, more, style="primary"),
                build_change_button(context.ledger.row, number),
            ),
        )
    reply = await play_meant_command(replace_command(context, spec.path, options))
    left_out = describe_left_out(spec, inputs, options)
    if not left_out or reply.error:
        return reply
    return replace(reply, lines=(*reply.lines, Small(left_out)))


def _find_targets(
    context: Context, event: Json, spec: CommandSpec, option: Option, entry: str
) -> list[RosterUnit]:
    """Return the units of an entry in the menu *Other target*. Raises UserError for none."""
    game = context.game
    acting = frozenset(event.get("acting") or ())
    sequence = context.systems[spec.system].sequences[spec.target]
    opponents = list_opponents(game, acting, context.actor.side, context.system)
    fit = list_fit_targets(sequence, option, opponents)
    targets = find_menu_units(entry, fit) or find_units_by_handle(entry, game)
    if not targets:
        raise UserError(
            f'There is no longer a unit called "{entry[:40]}".',
            hint="Choose another target.",
            code="unknown-unit",
        )
    return targets


def _are_in_one_hex(units: Sequence[RosterUnit], others: Iterable[RosterUnit]) -> bool:
    """Return whether the roster says that all these units are in the same hex."""
    hexes = {get_hex(unit) for unit in (*units, *others)}
    return bool(units) and len(hexes) == 1 and hexes != {""}


@declare_button("call", of=ButtonOf.GAME)
async def press_call(context: Context, moment: str, call_index: str) -> Reply:
    """Roll the sequence of a call for the called units that the player may roll for.

    `moment` is the phase for which the button was made, `call_index` the call in it. Raises
    UserError if that phase is over, if all units have rolled, and if none is the player's.
    """
    game = context.need_started()
    actor = context.actor
    calls = [call for call in await list_calls(context) if str(call.at) == call_index]
    call = calls[0] if calls else None
    if moment != format_moment(context) or call is None:
        raise UserError("Everybody has rolled, or the phase is over.", code="used-up")
    called_names = [unit.name for unit in call.units]
    names = called_names
    if is_guarded(game):
        names = [unit.name for unit in call.units if unit.side in ("", actor.side)]
    if not names and actor.directs:
        names = called_names
    if not names:
        raise UserError(f"None of these are yours: {join_names(called_names)}.", code="not-yours")
    options = {"unit": "; ".join(names)}
    return await play_command(replace_command(context, (game.system, call.roll), options))


@declare_button("sequence", of=ButtonOf.GAME)
async def press_sequence(context: Context, moment: str, id: str) -> Reply:
    """Roll the combat sequence `id`, which takes no inputs, once in the phase of its button.

    `moment` is the phase for which the button was made. If it is over, return a refusal. Old
    buttons name no phase (`moment` is the sequence, `id` empty) and roll whenever they are pressed.

    Raises UserError if the sequence was rolled in this phase already, or if no game is on.
    """
    if not id:  # a button of before, which names no phase
        moment, id = "", moment
    refusal = refuse_old_card(context, moment) if moment else None
    if refusal:
        return refusal
    game = context.need_started()
    for event in await list_phase_events(context) if moment else ():
        if event["kind"] == "sequence" and event["target"] == id:
            title = context.systems[game.system].sequences[id].title
            raise UserError(
                f"{title} has already been rolled this phase.",
                hint=phrase("To roll again: `/{name}`", name=f"{game.system} {id}"),
                code="used-up",
            )
    return await play_command(replace_command(context, (game.system, id), {}))


@declare_command(
    "game initiative",
    "Roll for initiative, or say who has it",
    build_optional("side", "who has it; blank: roll for it", complete="side"),
    example="US",
    needs_game=True,
)
@declare_button("initiative", of=ButtonOf.GAME)
async def decide_initiative(context: Context, about: str | None = None) -> Reply:
    """Give the initiative to the typed side, or roll for it if none is typed.

    `about` is the phase of the button *Initiative*, which always rolls; None for the command. If
    that phase is over, return a refusal.

    Raises UserError for an unknown side, for a user who does not play, and for the button if this
    phase has given the initiative already.
    """
    refusal = refuse_old_card(context, about) if about is not None else None
    if refusal:
        return refusal
    game = context.need_started()
    need_player(game, context.actor)
    side_name = context.clean_options()["side"] if about is None else ""
    if about is not None:
        await _need_no_initiative(context)
    if not side_name:
        return await _roll_initiative(context)
    side = find_side(game, side_name)
    return await give_initiative(context, side)


async def _need_no_initiative(context: Context) -> None:
    """Raise UserError if the initiative was given or rolled for in this phase already.

    Both players have a button for it, and the second press must not roll again.
    """
    events = await list_phase_events(context)
    is_known = any(
        event["kind"] == "initiative" or event.get("target") == "initiative" for event in events
    )
    if is_known:
        holder = context.game.initiative
        raise UserError(
            f"{holder} already {fit_verb(holder, 'has', 'have')} the initiative.",
            hint=phrase("To roll for it again: `/game initiative`"),
            code="used-up",
        )


async def _roll_initiative(context: Context) -> Reply:
    """Roll for the initiative with the sequence of the rule set.

    Raises UserError if the rule set has none, and for a game without sides.
    """
    game = context.need_started()
    if not is_initiative_rolled(game, context.system):
        find_side(game, game.sides[0] if game.sides else "")
        hint = phrase("Say who has it: `/game initiative {side}`", side=game.sides[0])
        raise UserError(
            "This game doesn't roll for initiative.", hint=hint, option="side", code="missing"
        )
    return await play_command(replace_command(context, (game.system, "initiative"), {}))
