"""Rolls, lookups and sequences in a channel: played with the game's dice and roster, recorded in
its log.
"""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from functools import partial
from typing import Any

from bot.commands.by_post.choose import ask_side
from bot.commands.closed_piles import declare_decks, list_closed_piles
from bot.commands.context import Context, build_play_facts
from bot.commands.pictures import build_table_action, offer_picture
from bot.commands.play.answer_buttons import (
    ask_before_shot,
    build_roll_buttons,
    build_sequence_buttons,
    build_target_menu,
)
from bot.commands.play.decks import format_counts
from bot.commands.play.odds import answer_comparison, answer_odds, answer_rounds
from bot.commands.play.riders import IN, add_riders
from bot.commands.play.sealed import seal_roll
from bot.commands.turns.done_under_shot import build_done_button
from bot.commands.turns.mentions import add_call_line, add_repeat_line
from bot.commands.turns.turn import build_initiative_reply
from bot.game.counter_faces import format_word
from bot.game.decks import EVERYTHING, find_decks_with, find_used_cards
from bot.game.rights import (
    find_ban,
    find_cautions,
    find_irregularities,
    list_sides_acted_for,
    make_game_over_error,
    need_hand_dice,
    need_player,
    need_share,
    need_usual_act,
)
from bot.game.roster import find_units_by_name, get_system_roster, has_left_fight, is_of_game
from bot.game.sides import format_possessive
from bot.game.state import FULL, Actor, Game, Json, is_strict
from bot.game.tracks import fill_track_inputs, get_track_keys
from bot.preferences.forms import build_form_button
from bot.presentation.counted_conditions import (
    drop_named_conditions,
    find_counted_conditions,
    format_counted_conditions,
)
from bot.presentation.derived_inputs import (
    add_derived_inputs,
    add_rule_notes,
    collect_tracks_and_piles,
    derive_inputs_from_game,
    derive_inputs_from_units,
    name_lending_units,
    name_phase_once,
)
from bot.presentation.events import describe_extension, format_arrivals
from bot.presentation.firers_and_targets import (
    name_units_without_weapons,
    offer_able_units,
    offer_override,
    resolve_side_letters,
    resolve_unit_names,
    uses_side_names,
)
from bot.presentation.headline import affects_its_own_unit
from bot.presentation.play_record import (
    PlayRecord,
    ReplyWithRecord,
    apply_play_record,
    get_new_initiative,
)
from bot.presentation.printed_table import get_printed_table
from bot.presentation.reach import compute_reach, list_acting_unit_names
from bot.presentation.roll import look_up_table, roll_dice, split_digits_of_row
from bot.presentation.run_sequence import (
    CANNOT_FIRE,
    EXTRA,
    fold_for_phone,
    list_acting_units,
    list_named_units,
    run_sequence,
    shorten_reply,
)
from bot.presentation.tables import build_whole_table_reply
from bot.presentation.units_in_a_row import check_units_in_a_row
from bot.rules.cards import ALL, deck_from_json, get_last_key
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import list_faces
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import clean, is_flag_on, is_left_out
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.tables.table import Table
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, capitalize_first, phrase
from bot.rulesets.around_sequence import ANYWAY
from bot.rulesets.catalog import find_system
from bot.rulesets.system import FIRES, Sequence, System
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Button, Reply
from bot.ui.typing.command_text import (
    format_command,
    name_other_tables,
    parse_text,
    quote_value,
)

LONGEST = 80
NUMBERS = ("int", "number")
EVEN = 3
"""Buttons in a row where there are five: three and two, which a phone shows as they are."""


async def handle_roll(context: Context) -> Reply:
    """`/roll`."""
    options = _drop_empty_options(context.command.options)
    if context.spec.counts_only_odds(options):
        return await answer_odds(context, context.spec, options)
    need_hand_dice(context.game, options.get("hand"))
    outcome = roll_dice(options, context.user_name, context.get_dice())
    return await record_play(context, outcome, secret=is_flag_on(options, "secret"))


async def handle_lookup(context: Context) -> Reply:
    """A table; one of kind roll rolls its own dice when its roll is left out. Raises UserError."""
    spec = context.spec
    options = _drop_empty_options(context.command.options)
    table = context.systems[spec.system].tables[spec.target]
    options = split_digits_of_row(table, options)
    wanted = is_flag_on(options, "picture")
    options.pop("picture", None)
    if spec.wants_whole(options):
        given = {name: value for name, value in options.items() if name not in ("private", "whole")}
        whole = build_whole_table_reply(table, spec.example, given)
        return await offer_picture(
            context, whole, build_table_action(context, table, {}, private=True), wanted=wanted
        )
    private = is_flag_on(options, "private")
    options.pop("private", None)
    if private and (table.chain or table.owes(options)):
        raise UserError(
            "A roll is public.",
            hint="Leave out private, or give the roll.",
            option="private",
            code="not-together",
        )
    try:
        outcome = look_up_table(table, options, context.user_name, context.get_dice())
    except UserError as error:
        if error.code == "bad-value":
            name_other_tables(error, spec, options, context.registry)
        raise
    reply = await record_play(context, outcome, secret=False)
    reply = replace(reply, private=private or reply.private)
    if table.leads:
        reply = _add_rolls_called_for(context, reply, table, outcome.given or options)
    reply = replace(reply, buttons=(*reply.buttons, *build_lookup_buttons(context, table, options)))
    return await offer_picture(
        context,
        reply,
        build_table_action(context, table, outcome.given, private=private),
        wanted=wanted,
    )


def _add_rolls_called_for(
    context: Context, reply: Reply, table: Table, given: Mapping[str, object]
) -> Reply:
    """Return the reply with the rolls that the answer of the table calls for, and their buttons."""
    for command in table.list_next_commands(given):
        rolls = Phrase("To roll: ", Typed(f"/{table.system} {command}"))
        reply = replace(reply, lines=(*reply.lines, Small(rolls)))
    buttons = build_sequence_buttons(reply, context.registry)
    return replace(reply, buttons=(*reply.buttons, *buttons))


async def handle_sequence(context: Context) -> Reply:
    """A sequence: played and recorded, or its odds answered privately. Where some cannot, the
    rest may.
    """
    spec = context.spec
    options = _drop_empty_options(context.command.options)
    game = context.game
    actor = context.actor
    roster = get_system_roster(game, spec.system)
    sequence = context.systems[spec.system].sequences[spec.target]
    try:
        check_units_in_a_row(sequence, options, roster, partial(format_command, spec))
        return await _answer_odds_if_requested(context, sequence, options) or await _play_sequence(
            context, actor, sequence, options, roster
        )
    except UserError as error:
        if roster and error.code in ("unit-unfit", "unit-gone"):
            named, _ = resolve_unit_names(sequence, options, roster, actor.side)
            offer_able_units(error, sequence, named, roster, partial(format_command, spec))
        offer_override(error, sequence, options, partial(format_command, spec))
        raise


async def _answer_odds_if_requested(
    context: Context, sequence: Sequence, options: dict[str, object]
) -> Reply | None:
    """The odds, where they are asked for."""
    if sequence.rounds and options.get("rounds"):
        return await answer_rounds(context, context.spec, options)
    for name, answer in (("odds", answer_odds), ("compare", answer_comparison)):
        if name in options and sequence.odds_by and is_flag_on(options, name):
            return await answer(context, context.spec, options)
    return None


async def _play_sequence(
    context: Context, actor: Actor, sequence: Sequence, options: dict[str, object], roster: Roster
) -> Reply:
    game = context.game
    spec = context.spec
    who = context.user_name
    calls_sides = uses_side_names(sequence, game)
    options = resolve_side_letters(sequence, options, game)
    (options, aim), secret = (
        resolve_unit_names(sequence, options, roster, actor.side),
        is_flag_on(options, "secret"),
    )
    if game.ended:
        given = sequence.read_inputs(
            {name: value for name, value in options.items() if name not in EXTRA}, roster
        )
        if calls_sides or list_named_units(given):
            raise make_game_over_error(game)
        game, roster = context.open_game_for_dice(), {}  # as plain rolls do, it begins free play
    if calls_sides:
        need_player(game, actor)
    if sequence.choices:
        _need_open(sequence, options)
    _need_in_play(context, sequence, options)
    if (question := ask_before_shot(context, sequence, options, aim, actor.side)) is not None:
        return question
    seen = dict[str, Any]()
    piles = dict[str, Any]()
    if sequence.decks:
        game = _declare_decks(context, sequence, options)
        seen, piles = await list_closed_piles(context, sequence, ALL, EVERYTHING)
    dice = context.get_dice()
    ruled = derive_inputs_from_game(sequence, options, roster, game, actor.side)
    options = add_derived_inputs(options, ruled)
    own = options
    lent = derive_inputs_from_units(sequence, options, roster)
    options = add_derived_inputs(options, lent)
    read = collect_tracks_and_piles(sequence, options, roster, game, actor.side, seen)
    if game.waits or game.rules:
        await _need_free(context, sequence, options, roster, read)
    ban = _find_ban(context, sequence, options, roster)
    need_hand_dice(context.game, options.get("hand"))
    check = partial(_need_units, context, sequence)
    outcome = run_sequence(
        sequence, spec, options, who, dice, roster, read, piles=piles, check=check
    )
    if lent or ruled:
        outcome = outcome._replace(
            reply=add_rule_notes(name_lending_units(outcome.reply, lent, sequence), ruled)
        )
    outcome = outcome._replace(
        reply=_name_counted_conditions(
            outcome.reply,
            sequence,
            own,
            roster,
            {**fill_track_inputs(read, sequence.system.tracks), **piles},
        )
    )
    happening = outcome.happening
    assert happening is not None
    if context.game.started and is_of_game(context.game, sequence.system.id):
        used = find_used_cards(context.game, sequence, happening.inputs, actor.side)
        happening = happening._replace(uses=used)
        outcome = outcome._replace(happening=happening)
    out = (
        name_units_without_weapons(game.units.values(), happening.acting)
        if sequence.verb in FIRES
        else ""
    )
    reply = await add_call_line(
        context, happening, await record_play(context, outcome, secret=secret)
    )
    if sequence.repeats:
        reply = await add_repeat_line(context, happening, sequence.repeats, reply)
    if ban:
        reply = replace(reply, lines=(*reply.lines, Small(f"{ROLLED_ANYWAY}: {ban}")))
    if sequence.rides and any(IN in unit.numbers for unit in game.units.values()):
        reply = add_riders(context, sequence, happening.acting, happening.out, reply)
    if out:
        trace = tuple(place + 1 for place in reply.trace)
        reply = replace(reply, lines=(f"{out} {CANNOT_FIRE}", *reply.lines), trace=trace)
    for id, made in sequence.decks.items():
        left = Small(
            f"{made.title}: {format_counts(context, id, deck_from_json(context.game.decks[id]))}"
        )
        reply = replace(reply, lines=(*reply.lines, left))
    return (
        await build_initiative_reply(context, game, happening, reply)
        if calls_sides and not reply.private
        else reply
    )


def _need_units(context: Context, sequence: Sequence, plays: Many[Given]) -> None:
    """Raise UserError, before the first die, for units that have left the fight or are not the
    player's to use.
    """
    game = context.game
    units = find_units_by_name(
        game, dict.fromkeys(name for given in plays for name in list_named_units(given))
    )
    if lost := [unit for unit in units if has_left_fight(unit)]:
        hint = phrase(
            "Choose another unit. If its state is wrong: `/unit edit {unit} state={state}`",
            unit=lost[0].handle,
            state=_get_sound_state(sequence.system, lost[0]),
        )
        raise UserError(
            f"{lost[0].name} is {format_word(lost[0].state)}.", hint=hint, code="unit-gone"
        )
    acting = list[str]()
    if not affects_its_own_unit(sequence):
        acting = [name for given in plays for name in list_acting_units(given)]
    if units:
        need_share(game, context.actor, find_units_by_name(game, acting))


def _get_sound_state(system: System, unit: RosterUnit) -> str:
    """Return the state of a unit of this type that nothing ails."""
    units = system.game["units"]
    only: Mapping[str, list[str]] = units.get("only") or {}
    states: list[str] = units["well"]
    return next((state for state in states if unit.type in only.get(state, [unit.type])), states[0])


async def _need_free(
    context: Context, sequence: Sequence, options: Mapping[str, object], roster: Roster, read: Json
) -> None:
    """Raise UserError, before the first die, for what a pending choice holds and for what a
    strict game forbids.
    """
    game = context.game
    systems = context.systems
    if game.waits:
        context.ledger.need_free(compute_reach(sequence, options, roster, game, read, systems))
        await context.need_settable(get_track_keys(sequence.effects.sets, read))
    if is_strict(game) and is_of_game(game, sequence.system.id):
        acting = (
            ()
            if affects_its_own_unit(sequence)
            else list_acting_unit_names(sequence, options, roster)
        )
        need_usual_act(game, systems.get(game.system), sequence, acting, context.actor.side)


ROLLED_ANYWAY = "Rolled all the same (anyway)"
"""How an answer begins to say what the card forbids."""


def _find_ban(
    context: Context, sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> str:
    """Return what the card forbids those who act and is rolled anyway; "" for nothing.

    Raises UserError, before the first die, if the player has not said that they roll anyway. It
    has a button that does.
    """
    game = context.game
    markers = {marker for ban in sequence.bans for marker in ban.markers}
    is_any_marked = any(unit.marks & markers for unit in game.units.values())
    if not is_any_marked or not is_of_game(game, sequence.system.id):
        return ""
    acting = list_acting_unit_names(sequence, options, roster)
    ban = find_ban(game, sequence, acting, context.actor.side)
    if ban and not is_flag_on(options, ANYWAY):
        hint = "If your group allows it, roll anyway."
        error = UserError(ban, hint=hint, code="card-forbids", option=ANYWAY)
        error.better = format_command(context.spec, {**options, ANYWAY: True})
        error.right = ANYWAY
        raise error
    return ban


def _need_open(sequence: Sequence, options: Mapping[str, object]) -> None:
    """Raise UserError where a sequence that asks a side is to be sealed, or answered before it
    asks.
    """
    if is_flag_on(options, "secret"):
        what = f"{sequence.title} asks a side in its middle, so it cannot be rolled under seal."
        raise UserError(what, hint="Leave out secret.", option="secret", code="not-together")
    if typed := [name for name in sequence.choices if name in options]:
        what = f"{typed[0]} is chosen once the dice have fallen."
        raise UserError(
            what,
            hint="Take it out, or ask for the odds with it.",
            option=typed[0],
            code="not-together",
        )


def _need_in_play(context: Context, sequence: Sequence, options: Mapping[str, object]) -> None:
    """Raise UserError for a card that does not lie in play, or is of another side, in a game that
    was started; what is said hangs on no hand. Elsewhere, and for odds, any card will do: it may
    be on a real table."""
    game = context.game
    named = [option for option in sequence.inputs if option.in_play]
    if not named or not game.started or not is_of_game(game, sequence.system.id):
        return
    need_player(game, context.actor)
    if any(option.used for option in named) and is_flag_on(options, "secret"):
        what = f"{sequence.title} uses a card for all to see, so it can't be rolled under seal."
        raise UserError(what, hint="Leave out secret.", option="secret", code="not-together")
    for option in named:
        if is_left_out(option, options.get(option.name)):
            continue
        card = clean(option, options[option.name])
        name = option.labels[card]
        ids = find_decks_with(game, option, card)
        decks = [sequence.system.decks[id] for id in ids]
        if not ids:
            first = phrase(
                "`/deck play {card}`, if you hold it. `/deck show` has what is in play.",
                card=quote_value(name),
            )
            raise UserError(
                f"{name} is not in play.", hint=first, option=option.name, code="unknown-card"
            )
        if not any(deck.is_of(context.actor.side, game.sides) for deck in decks):
            what = f"{name} is {format_possessive(decks[0].owner, 'card')}, so you can't use it."
            hint = phrase("`/hand` shows your own cards.")
            raise UserError(what, hint=hint, option=option.name, code="not-your-card")


def _name_counted_conditions(
    reply: Reply,
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    read: Mapping[str, Any],
) -> Reply:
    """Return the answer with a line about states and markers that count without a modifier."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    try:
        counted = find_counted_conditions(sequence, {**raw, **read}, roster)
    except UserError:  # dice have fallen: nothing may be refused any more
        return reply
    left = drop_named_conditions(counted, reply)
    sentence = format_counted_conditions(left, sequence.system, before=True)
    return replace(reply, lines=(*reply.lines, Small(sentence))) if sentence else reply


def _declare_decks(context: Context, sequence: Sequence, options: Mapping[str, object]) -> Game:
    """Write down what cards the decks of a sequence have before their first die; the game with
    them. Raises UserError where it cannot draw from them."""
    if is_flag_on(options, "secret"):
        what = f"{sequence.title} draws cards for all to see, so it cannot be rolled under seal."
        raise UserError(what, hint="Leave out secret.", option="secret", code="not-together")
    game = context.open_game()
    need_player(game, context.actor)
    if not is_of_game(game, sequence.system.id):
        what = f"{sequence.title} draws from a deck of {sequence.system.title}, which is not played here."
        raise UserError(
            what,
            hint=phrase("`/game start {id}` begins it.", id=sequence.system.id),
            code="other-system",
        )
    for id in sequence.decks:
        if options.get("hand") and game.cards.get(get_last_key(id)):
            what = f"Cards of {id} are closed, so real cards cannot be typed: they could be in a hand as well."
            hint = phrase(
                "Leave out hand: the bot draws. Once no hand is closed, `/fair reveal` opens the rest."
            )
            raise UserError(what, hint=hint, option="hand", code="closed-cards")
    declare_decks(context, sequence)
    return context.game


async def record_play(context: Context, outcome: ReplyWithRecord, *, secret: bool) -> Reply:
    """Append the happening to the log and answer. What may be refused was refused before its
    dice.
    """
    happening = outcome.happening
    if happening is None:
        return outcome.reply
    game = context.open_game() if happening.kind == "sequence" else context.open_game_for_dice()
    actor = context.actor
    named = find_units_by_name(game, happening.units)
    acting = [unit for unit in named if unit.name in happening.acting]
    unusual = _find_remarks(context, game, happening, named)
    facts = build_play_facts(context, context.command.path, happening, named, secret=secret)
    label = str(happening.inputs.get("label") or "")
    others = list_sides_acted_for(game, actor, [unit.side for unit in acting])
    if secret:
        return _add_sides_rolled_for(context, seal_roll(context, outcome, facts, label), others)
    if happening.asks:
        question = await ask_side(context, outcome, facts)
        lines = (*question.lines[:-1], *_build_remarks(unusual), *question.lines[-1:])
        return _add_sides_rolled_for(context, replace(question, lines=lines), others)
    after = apply_play_record(game, happening, context.systems)
    body = context.ledger.add(happening.kind, after, texts={"label": label}, **facts)
    if extends := body.get("extends"):
        joining = tuple(
            Small(f"{describe_extension(*one)} from here on.") for one in extends.items()
        )
        outcome = outcome._replace(
            reply=replace(outcome.reply, lines=(*outcome.reply.lines, *joining))
        )
    reply = _build_answer(context, game, _add_arrivals(outcome, game, after), body, facts, unusual)
    return _add_sides_rolled_for(context, reply, others)


def _find_remarks(
    context: Context, game: Game, happening: PlayRecord, named: Many[RosterUnit]
) -> tuple[str, ...]:
    """Return what is out of order about a sequence, and what the card wants before it."""
    systems = context.systems
    is_of_its_game = happening.system in systems and is_of_game(game, happening.system)
    if happening.kind != "sequence" or not is_of_its_game:
        return ()
    sequence = systems[happening.system].sequences[happening.target]
    side = context.actor.side
    acting = happening.acting
    played = systems.get(game.system)
    unusual = find_irregularities(game, played, sequence, acting, happening.changes, side)
    targets = [unit.name for unit in named if unit.name not in acting]
    return (*unusual, *find_cautions(game, sequence, acting, targets, side))


def _build_remarks(unusual: tuple[str, ...]) -> tuple[Small, ...]:
    """Return the grey line about an act out of turn or phase, if it was."""
    return (Small(f"{capitalize_first(' · '.join(unusual))}."),) if unusual else ()


def _add_sides_rolled_for(context: Context, reply: Reply, sides: tuple[str, ...]) -> Reply:
    """Return the reply with a line that says for which sides of other players a game master
    rolled. Without such sides it stays as it is.
    """
    if not sides:
        return reply
    line = Small(f"Rolled by {context.user_name} for {join_names(sides)}.")
    announce = reply.announce and replace(reply.announce, lines=(*reply.announce.lines, line))
    return replace(reply, lines=(*reply.lines, line), announce=announce)


def _add_arrivals(outcome: ReplyWithRecord, was: Game, after: Game) -> ReplyWithRecord:
    """The outcome with those who have joined the roster, in its first line and in one about
    their numbers.
    """
    if after.units.keys() <= was.units.keys():
        return outcome
    names = [unit.name for key, unit in after.units.items() if key not in was.units]
    told = phrase(
        "{names}: on the roster now. Give numbers: `/unit edit {first} morale=7`",
        names=join_names(names),
        first=quote_value(names[0]),
    )
    title = f"{outcome.reply.title}, {format_arrivals(names)}"
    return outcome._replace(
        reply=replace(outcome.reply, title=title, lines=(*outcome.reply.lines, told))
    )


def _build_answer(
    context: Context,
    game: Game,
    outcome: ReplyWithRecord,
    body: Json,
    facts: Json,
    unusual: tuple[str, ...],
) -> Reply:
    reply = outcome.reply
    happening = outcome.happening
    number = body["number"]
    spec = context.spec
    assert happening is not None
    if game.answers != FULL:
        reply = shorten_reply(reply, tuple(list_faces(facts)))
    told = list[Part]()
    if (side := get_new_initiative(game, happening)) is not None:
        told.append(f"{side} has the initiative.")
    if context.moved:
        told.append(context.moved)
    if told:
        reply = replace(reply, lines=(*reply.lines, *told))
    if happening.kind == "sequence":
        reply = name_phase_once(fold_for_phone(reply, spec.options), unusual)
    lines = (*reply.lines, *_build_remarks(unusual))
    related = build_roll_buttons(context, reply, happening.kind, facts, number)
    if happening.uses:  # the card is gone: the same cannot be done again
        kept = [button for button in related if not button.action.startswith("again:")]
        related = tuple(kept)
    buttons = (*reply.buttons, *related, context.build_button("undo", "Undo", number))
    done: tuple[Button, ...] = ()
    if happening.kind == "sequence" and is_of_game(game, happening.system):
        acting = find_units_by_name(game, happening.acting)
        sides = [unit.side for unit in acting] or [body["side"]]
        done = build_done_button(context, number, sides)
    buttons = (*build_sequence_buttons(reply, context.registry), *done, *buttons)
    across = EVEN if len(buttons) > EVEN + 1 else 0
    menus = build_target_menu(context, spec, game, body["side"], facts, number)
    return replace(reply, lines=lines, buttons=buttons, across=across, menus=menus)


async def play_command(context: Context) -> Reply:
    """Run the roll, table or sequence on the desk, as if it had been typed."""
    await context.check_enabled(context.spec)
    handlers = {"roll": handle_roll, "lookup": handle_lookup, "sequence": handle_sequence}
    return await handlers[context.spec.family](context)


def _drop_empty_options(options: Mapping[str, object]) -> dict[str, object]:
    """Options as an event can hold them: what was left empty is left out."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != "" and value != ()
    }


def build_lookup_buttons(
    context: Context, table: Table, options: Mapping[str, object]
) -> tuple[Button, ...]:
    """*Another number…*, with the form filled in, and *Whole table*, where it has any."""
    spec = context.spec
    found = []
    if table.inputs:
        has_number = any(option.type in NUMBERS for option in table.inputs)
        label = "Another number…" if has_number else "Change…"
        found.append(build_form_button(spec.path, options, label, context.registry))
    if get_printed_table(table).sheets:
        text = format_command(spec, options)
        found.append(
            Button(
                f"whole:{(text if len(text) <= LONGEST else spec.name).removeprefix('/')}",
                "Whole table",
            )
        )
    return tuple(found)


async def press_whole_table(context: Context, typed: str) -> Reply:
    """The table that a button names with what was looked up in it, all of it. Raises UserError."""
    parsed = parse_text(typed, context.registry)
    spec = parsed.spec
    if spec.family != "lookup":
        raise UserError("This button belongs to no table.", code="unknown-button")
    await context.check_enabled(spec)
    given = {
        name: value
        for name, value in parsed.options.items()
        if name not in ("private", "whole", "picture")
    }
    return build_whole_table_reply(
        find_system(spec.system).find_table(spec.target), spec.example, given
    )
