"""Rolls, lookups and sequences in a channel: played with the game's dice and roster, recorded in
its log.
"""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bot.commands.by_post.choose import ask_side
from bot.commands.cards.decks import format_counts
from bot.commands.closed_piles import check_real_cards, declare_decks, list_closed_piles
from bot.commands.context import Context, build_play_facts
from bot.commands.declare import declare_button, declare_command
from bot.commands.pictures import build_table_action, offer_picture
from bot.commands.play.answer_buttons import (
    ask_before_shot,
    build_roll_buttons,
    build_sequence_buttons,
    build_target_menu,
)
from bot.commands.play.odds import answer_comparison, answer_odds, answer_rounds
from bot.commands.play.riders import IN, add_riders
from bot.commands.play.sealed import seal_roll
from bot.commands.turns.done_under_shot import build_done_button
from bot.commands.turns.mentions import add_call_line, add_repeat_line
from bot.commands.turns.turn import build_initiative_reply
from bot.game.counter_faces import format_word, get_normal_state
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
from bot.game.roster import (
    find_units_by_name,
    get_system_roster,
    is_id_of_game,
    is_of_game,
)
from bot.game.sides import format_possessive
from bot.game.state import FULL, Actor, Game, Json, is_strict
from bot.game.tracks import fill_track_inputs, get_track_keys
from bot.presentation.counted_conditions import (
    drop_named_conditions,
    find_counted_conditions,
    format_counted_conditions,
)
from bot.presentation.derived_inputs import (
    DerivedInput,
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
from bot.presentation.multi_unit_play import find_refused_units
from bot.presentation.play_record import (
    PlayRecord,
    apply_play_record,
    get_new_initiative,
)
from bot.presentation.printed_table import get_printed_table
from bot.presentation.reach import compute_reach, list_acting_unit_names
from bot.presentation.roll import (
    TableLookUp,
    look_up_table,
    roll_dice,
    split_digits_of_row,
)
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
from bot.rules.cards import ALL, deck_from_json
from bot.rules.errors import UserError
from bot.rules.inputs.decks import list_faces
from bot.rules.inputs.input_values import Given
from bot.rules.inputs.options import BareValue, Option, clean, is_flag_on, is_left_out
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.tables.table import Table
from bot.rules.text.names import join_names
from bot.rules.text.phrase import Phrase, Typed, capitalize_first, phrase
from bot.rulesets.around_sequence import ANYWAY
from bot.rulesets.system import FIRES, Sequence, System
from bot.ui.common_options import ROLL_OPTIONS, build_optional
from bot.ui.form.form_buttons import build_form_button
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Button, Reply
from bot.ui.typing.command_text import (
    format_command,
    name_other_tables,
    parse_text,
    quote_value,
)

DICE = Option("dice", "dice", "dice to roll, such as 2d6+3, 4d6kh3 or 10d10>=8", complete="dice")

LONGEST = 80
NUMBERS = ("int", "number")
EVEN = 3
"""Buttons in a row if there are more than four: five make three and two, which fits a phone."""


@declare_command(
    "roll",
    "Roll dice",
    DICE,
    build_optional("label", "what the roll is for"),
    *ROLL_OPTIONS,
    example="2d6+3",
)
async def handle_roll(context: Context) -> Reply:
    """Roll dice, or answer their odds: the command `/roll`.

    Raises UserError for dice that cannot be read, and for dice rolled by hand if the game does not
    allow them.
    """
    options = _drop_empty_options(context.command.options)
    if context.spec.counts_only_odds(options):
        return await answer_odds(context, context.spec, options)
    need_hand_dice(context.game, options.get("hand"))
    reply, record = roll_dice(options, context.user_name, context.get_dice())
    is_secret = is_flag_on(options, "secret")
    return await record_play(context, reply, record, secret=is_secret)


async def handle_lookup(context: Context) -> Reply:
    """Look up a table. If it is left without a number, roll its dice first and record the roll.

    A look-up without a roll is not recorded. The option `whole` shows the whole table. Raises
    UserError for a number that the table does not have, and for `private` if it needs a roll.
    """
    spec = context.spec
    options = _drop_empty_options(context.command.options)
    table = context.systems[spec.system].tables[spec.target]
    options = split_digits_of_row(table, options)
    wants_picture = is_flag_on(options, "picture")
    options.pop("picture", None)
    if spec.wants_whole(options):
        return await _show_whole_table(context, table, options, wants_picture=wants_picture)
    private = is_flag_on(options, "private")
    options.pop("private", None)
    if private and (table.chain or table.list_needed_rolls(options)):
        raise UserError(
            "A roll is public.",
            hint="Leave out private, or type the roll itself.",
            option="private",
            code="not-together",
        )
    try:
        look_up = look_up_table(table, options, context.user_name, context.get_dice())
    except UserError as error:
        if error.code == "bad-value":
            name_other_tables(error, spec, options, context.registry)
        raise
    if look_up.record is None:
        reply = _answer_without_roll(look_up, private=private)
    else:
        reply = await record_play(context, look_up.reply, look_up.record)
    if table.leads:
        reply = _add_rolls_called_for(context, reply, table, look_up.inputs or options)
    reply = replace(reply, buttons=(*reply.buttons, *build_lookup_buttons(context, table, options)))
    return await offer_picture(
        context,
        reply,
        build_table_action(context, table, look_up.inputs, private=private),
        is_requested=wants_picture,
    )


async def _show_whole_table(
    context: Context, table: Table, options: Mapping[str, object], *, wants_picture: bool
) -> Reply:
    """Show a whole table, with the looked-up cell marked. Nothing is rolled or recorded."""
    inputs = {name: value for name, value in options.items() if name not in ("private", "whole")}
    reply = build_whole_table_reply(table, context.spec.example, inputs)
    picture_action = build_table_action(context, table, {}, private=True)
    return await offer_picture(context, reply, picture_action, is_requested=wants_picture)


def _answer_without_roll(look_up: TableLookUp, *, private: bool) -> Reply:
    """Return the answer of a table that was read without a roll. Nothing is recorded."""
    return replace(look_up.reply, private=private or look_up.reply.private)


def _add_rolls_called_for(
    context: Context, reply: Reply, table: Table, given: Mapping[str, object]
) -> Reply:
    """Add the rolls that the answer of a table calls for, with their buttons."""
    for command in table.list_next_commands(given):
        rolls = Phrase("To roll: ", Typed(f"/{table.system} {command}"))
        reply = replace(reply, lines=(*reply.lines, Small(rolls)))
    buttons = build_sequence_buttons(reply, context.registry)
    return replace(reply, buttons=(*reply.buttons, *buttons))


async def handle_sequence(context: Context) -> Reply:
    """Play and record a sequence, or answer its odds privately if the options ask for them.

    Raises UserError for inputs that do not fit, and for units that cannot act or are not the
    player's. Such an error offers the command with the units that can act, if there are any. If the
    card forbids the roll, the error offers to roll anyway.
    """
    spec = context.spec
    options = _drop_empty_options(context.command.options)
    game = context.game
    actor = context.actor
    sequence = context.systems[spec.system].sequences[spec.target]
    roster = get_system_roster(game, sequence.system)
    try:
        check_units_in_a_row(sequence, options, roster, partial(format_command, spec))
        options = _forget_bare_values(options)
        odds = await _answer_odds_if_requested(context, sequence, options)
        if odds is not None:
            return odds
        return await _play_sequence(context, actor, sequence, options, roster)
    except UserError as error:
        if roster and error.code in ("unit-unfit", "unit-gone"):
            named_options, _ = resolve_unit_names(sequence, options, roster, actor.side)
            offer_able_units(error, sequence, named_options, roster, partial(format_command, spec))
        offer_override(error, sequence, options, partial(format_command, spec))
        raise


async def _answer_odds_if_requested(
    context: Context, sequence: Sequence, options: dict[str, object]
) -> Reply | None:
    """Answer the odds if the options ask for them; None if they do not."""
    if sequence.rounds and options.get("rounds"):
        return await answer_rounds(context, context.spec, options)
    for name, answer in (("odds", answer_odds), ("compare", answer_comparison)):
        if name in options and sequence.odds_by and is_flag_on(options, name):
            return await answer(context, context.spec, options)
    return None


@dataclass(frozen=True, slots=True)
class SequenceInputs:
    """All inputs of a sequence before its first die, and where they come from."""

    game: Game
    """The game before the first die, which may begin free play."""
    roster: Roster
    options: Mapping[str, object]
    """The options of the player, with those that rules and units fill in."""
    options_without_units: Mapping[str, object]
    """The same without those that units fill in."""
    from_rules: tuple[DerivedInput, ...]
    """The inputs that rules in force and the phase fill in."""
    from_units: tuple[DerivedInput, ...]
    """The inputs that units of the roster fill in."""
    readings: Mapping[str, Any]
    """The tracks that it reads, and the piles as all players know them."""
    closed_piles: Mapping[str, Any]
    """The piles with their closed cards. Only its dice may read them."""

    def list_track_inputs(self, sequence: Sequence) -> dict[str, Any]:
        """Return the tracks and piles as inputs of the sequence."""
        tracks = fill_track_inputs(self.readings, sequence.system.tracks)
        return {**tracks, **self.closed_piles}


async def _play_sequence(
    context: Context, actor: Actor, sequence: Sequence, options: dict[str, object], roster: Roster
) -> Reply:
    """Play a sequence with the game's dice and roster, record it, and build the answer.

    Return a question instead if the shot is at nobody or at the player's own side.

    Raises UserError if the sequence cannot be played: its inputs do not fit, a unit or card is not
    available, a choice is pending, or the card forbids it. Most errors come before the first die.
    """
    calls_sides = uses_side_names(sequence, context.game)
    # 1. Find the sides and units that the player named.
    options = resolve_side_letters(sequence, options, context.game)
    options, aim = resolve_unit_names(sequence, options, roster, actor.side)
    # 2. Check whether the player may play it here.
    if context.game.ended:
        _need_no_unit(context.game, sequence, options, roster)
        context.open_game_for_dice()  # like a plain roll, it begins free play
        roster = {}
    if calls_sides:
        need_player(context.game, actor)
    if sequence.choices:
        _need_open(sequence, options)
    _need_in_play(context, sequence, options)
    question = ask_before_shot(context, sequence, options, aim, actor.side)
    if question is not None:
        _need_known_units(sequence, options, roster)
        return question
    # 3. Fill in what the game knows, and check whether these inputs may be played now.
    inputs = await _collect_inputs(context, actor, sequence, options, roster)
    if inputs.game.waits or inputs.game.rules:
        await _need_free(context, sequence, inputs)
    ban = _find_ban(context, sequence, inputs.options, inputs.roster)
    need_hand_dice(context.game, inputs.options.get("hand"))
    # 4. Play it.
    reply, record = _run_sequence(context, actor, sequence, inputs)
    # 5. Record it.
    is_secret = is_flag_on(options, "secret")
    reply = await record_play(context, reply, record, secret=is_secret)
    # 6. Add notes on what it means for other units, and for the game.
    reply = await _add_notes(context, sequence, inputs.game, record, reply, ban)
    if calls_sides and not reply.private:
        return await build_initiative_reply(context, inputs.game, record, reply)
    return reply


async def _collect_inputs(
    context: Context,
    actor: Actor,
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
) -> SequenceInputs:
    """Return the inputs of a sequence with those that rules, phase, units and tracks fill in.

    If it draws cards, its decks are declared first. Raises UserError if it cannot draw from them.
    """
    seen_piles: Mapping[str, Any] = {}
    closed_piles: Mapping[str, Any] = {}
    if sequence.decks:
        _declare_decks(context, sequence, options)
        seen_piles, closed_piles = await list_closed_piles(context, sequence, ALL, EVERYTHING)
    game = context.game
    from_rules = derive_inputs_from_game(sequence, options, roster, game, actor.side)
    options_without_units = add_derived_inputs(options, from_rules)
    from_units = derive_inputs_from_units(sequence, options_without_units, roster)
    all_options = add_derived_inputs(options_without_units, from_units)
    readings = collect_tracks_and_piles(sequence, all_options, roster, game, actor.side, seen_piles)
    return SequenceInputs(
        game=game,
        roster=roster,
        options=all_options,
        options_without_units=options_without_units,
        from_rules=from_rules,
        from_units=from_units,
        readings=readings,
        closed_piles=closed_piles,
    )


def _run_sequence(
    context: Context, actor: Actor, sequence: Sequence, inputs: SequenceInputs
) -> tuple[Reply, PlayRecord]:
    """Play a sequence with the dice of the game, or with those in the player's hand.

    Return the reply, with lines about inputs that were filled in, and the record. Raises UserError
    before the first die, and for real dice that do not fit.
    """
    reply, record = run_sequence(
        sequence,
        context.spec,
        inputs.options,
        context.user_name,
        context.get_dice(),
        inputs.roster,
        inputs.readings,
        piles=inputs.closed_piles,
        check=partial(_need_units, context, sequence),
    )
    reply = _add_input_notes(reply, sequence, inputs)
    if context.game.started and is_of_game(context.game, sequence.system):
        used_cards = find_used_cards(context.game, sequence, record.inputs, actor.side)
        record = record._replace(used_cards=used_cards)
    return reply, record


async def _add_notes(
    context: Context, sequence: Sequence, game: Game, record: PlayRecord, reply: Reply, ban: str
) -> Reply:
    """Add to a recorded play what the players should know besides its result.

    These are calls for other units, further plays that it allows, a `ban` of the card that the
    player overrode, men who rode in a vehicle that fired, units that could not fire, and how many
    cards are left. `game` is the game before the play.
    """
    reply = await add_call_line(context, record, reply)
    if sequence.repeats:
        reply = await add_repeat_line(context, record, sequence.repeats, reply)
    if ban:
        reply = replace(reply, lines=(*reply.lines, Small(f"{ROLLED_ANYWAY}: {ban}")))
    if any(IN in unit.numbers for unit in game.units.values()):
        reply = add_riders(context, sequence, record.acting, record.out, reply)
    if sequence.verb in FIRES:
        reply = _name_unarmed_units(reply, game, record, sequence.system)
    return _add_deck_counts(context, sequence, reply)


def _need_no_unit(
    game: Game, sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> None:
    """Raise UserError if a sequence uses units or sides of a game that has ended."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    inputs = sequence.read_inputs(raw, roster)
    if uses_side_names(sequence, game) or list_named_units(inputs):
        raise make_game_over_error(game)


def _need_known_units(sequence: Sequence, options: Mapping[str, object], roster: Roster) -> None:
    """Raise UserError if a typed unit is neither in the roster nor of a unit type.

    Whatever else is wrong or missing is refused after the question.
    """
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    try:
        sequence.read_inputs(raw, roster)
    except UserError as error:
        if error.code == "unknown-unit":
            raise


def _add_input_notes(reply: Reply, sequence: Sequence, inputs: SequenceInputs) -> Reply:
    """Add lines about inputs from units and rules, and about conditions that count by themselves."""
    if inputs.from_units or inputs.from_rules:
        reply = name_lending_units(reply, inputs.from_units, sequence)
        reply = add_rule_notes(reply, inputs.from_rules)
    return _name_counted_conditions(reply, sequence, inputs)


def _name_unarmed_units(reply: Reply, game: Game, record: PlayRecord, system: System) -> Reply:
    """Add a first line about units that could not fire: out of ammunition, or jammed."""
    unarmed = name_units_without_weapons(game.units.values(), record.acting, system)
    if not unarmed:
        return reply
    # the new first line moves the lines of the trace by one
    trace = tuple(index + 1 for index in reply.trace)
    return replace(reply, lines=(f"{unarmed} {CANNOT_FIRE}", *reply.lines), trace=trace)


def _add_deck_counts(context: Context, sequence: Sequence, reply: Reply) -> Reply:
    """Add lines about how many cards are left in the decks of the sequence."""
    for id, game_deck in sequence.decks.items():
        deck = deck_from_json(context.game.decks[id])
        line = Small(f"{game_deck.title}: {format_counts(context, id, deck)}")
        reply = replace(reply, lines=(*reply.lines, line))
    return reply


def _need_units(context: Context, sequence: Sequence, plays: Many[Given]) -> None:
    """Raise UserError if a unit has left the fight or is not the player's to use.

    This runs before the first die. `plays` are the inputs of each play of the sequence.
    """
    game = context.game
    names = dict.fromkeys(name for inputs in plays for name in list_named_units(inputs))
    units = find_units_by_name(game, names)
    lost_units = find_refused_units(sequence, plays, game.units)
    if lost_units:
        sound_unit = replace(lost_units[0], state="", marks=frozenset())
        hint = phrase(
            "Choose another unit. If its state is wrong: `/unit edit {unit} state={state}`",
            unit=sound_unit.handle,
            state=get_normal_state(sound_unit, sequence.system),
        )
        raise UserError(
            f"{lost_units[0].name} is {format_word(lost_units[0].state)}.",
            hint=hint,
            code="unit-gone",
        )
    acting = list[str]()
    if not sequence.hits_unit:
        acting = [name for inputs in plays for name in list_acting_units(inputs)]
    if units:
        need_share(game, context.actor, find_units_by_name(game, acting))


async def _need_free(context: Context, sequence: Sequence, inputs: SequenceInputs) -> None:
    """Raise UserError if a pending choice blocks the sequence, or if a strict game forbids it.

    This runs before the first die.
    """
    game = inputs.game
    systems = context.systems
    options = inputs.options
    if game.waits:
        reach = compute_reach(sequence, options, inputs.roster, game, inputs.readings, systems)
        context.ledger.need_free(reach)
        await context.need_settable(get_track_keys(sequence.effects.sets, inputs.readings))
    if is_strict(game) and is_of_game(game, sequence.system):
        acting: Many[str] = ()
        if not sequence.hits_unit:
            acting = list_acting_unit_names(sequence, options, inputs.roster)
        need_usual_act(game, systems.get(game.system), sequence, acting, context.actor.side)


ROLLED_ANYWAY = "Rolled anyway"
"""The first words of the line about a roll that the card forbids."""


def _find_ban(
    context: Context, sequence: Sequence, options: Mapping[str, object], roster: Roster
) -> str:
    """Return the sentence about a roll that the card forbids but the player rolls anyway.

    "" if the card allows it. Raises UserError, before the first die, if the player has not said
    that they roll anyway. The error has a button that does.
    """
    game = context.game
    markers = {marker for ban in sequence.bans for marker in ban.markers}
    is_any_marked = any(unit.marks & markers for unit in game.units.values())
    if not is_any_marked or not is_of_game(game, sequence.system):
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
    """Raise UserError if a sequence that asks a side is to be sealed, or if the choice is typed."""
    if is_flag_on(options, "secret"):
        message = (
            f"{sequence.title} asks a side for a choice partway through, so it cannot be sealed."
        )
        raise UserError(message, hint="Leave out secret.", option="secret", code="not-together")
    chosen_early = [name for name in sequence.choices if name in options]
    if chosen_early:
        message = f"{chosen_early[0]} is chosen after the dice are rolled."
        raise UserError(
            message,
            hint="Leave it out, or add odds to see the chances with it.",
            option=chosen_early[0],
            code="not-together",
        )


def _need_in_play(context: Context, sequence: Sequence, options: Mapping[str, object]) -> None:
    """Raise UserError if a named card is not in play or belongs to another side.

    This holds in a started game only. Elsewhere, and for odds, any card will do, because it may be
    on a real table. The errors do not depend on the cards in hands.
    """
    game = context.game
    card_options = [option for option in sequence.inputs if option.in_play]
    if not card_options or not game.started or not is_of_game(game, sequence.system):
        return
    need_player(game, context.actor)
    if any(option.used for option in card_options) and is_flag_on(options, "secret"):
        message = f"{sequence.title} uses a card that everyone can see, so it can't be sealed."
        raise UserError(message, hint="Leave out secret.", option="secret", code="not-together")
    for option in card_options:
        if is_left_out(option, options.get(option.name)):
            continue
        card = clean(option, options[option.name])
        name = option.labels[card]
        ids = find_decks_with(game, option, card)
        decks = [sequence.system.decks[id] for id in ids]
        if not ids:
            hint = phrase(
                "If you hold it: `/deck play {card}`. `/deck show` lists the cards in play.",
                card=quote_value(name),
            )
            raise UserError(
                f"{name} is not in play.", hint=hint, option=option.name, code="unknown-card"
            )
        if not any(deck.is_of(context.actor.side, game.sides) for deck in decks):
            message = f"{name} is {format_possessive(decks[0].owner, 'card')}, so you can't use it."
            hint = phrase("`/hand` shows your own cards.")
            raise UserError(message, hint=hint, option=option.name, code="not-your-card")


def _name_counted_conditions(reply: Reply, sequence: Sequence, inputs: SequenceInputs) -> Reply:
    """Add a line to the answer about states and markers that count without a modifier."""
    options = inputs.options_without_units
    values = {name: value for name, value in options.items() if name not in EXTRA}
    values |= inputs.list_track_inputs(sequence)
    try:
        counted = find_counted_conditions(sequence, values, inputs.roster)
    except UserError:  # after the dice nothing may be refused any more
        return reply
    remaining = drop_named_conditions(counted, reply)
    sentence = format_counted_conditions(remaining, sequence.system, before=True)
    if not sentence:
        return reply
    return replace(reply, lines=(*reply.lines, Small(sentence)))


def _declare_decks(context: Context, sequence: Sequence, options: Mapping[str, object]) -> None:
    """Declare the decks of a sequence before their first die.

    Raises UserError if the sequence cannot draw from them.
    """
    if is_flag_on(options, "secret"):
        message = f"{sequence.title} draws cards face up, so it can't be sealed."
        raise UserError(message, hint="Leave out secret.", option="secret", code="not-together")
    game = context.open_game()
    need_player(game, context.actor)
    if not is_of_game(game, sequence.system):
        message = f"{sequence.title} draws from a deck of {sequence.system.title}, which isn't being played here."
        raise UserError(
            message,
            hint=phrase("Start it: `/game start {id}`", id=sequence.system.id),
            code="other-system",
        )
    for id in sequence.decks:
        if options.get("hand"):
            hint = phrase(
                "Leave out hand to let the bot draw. Once nobody holds hidden cards, `/fair reveal` opens the rest."
            )
            check_real_cards(context, id, hint)
    declare_decks(context, sequence)


async def record_play(
    context: Context, reply: Reply, record: PlayRecord, *, secret: bool = False
) -> Reply:
    """Add a play to the log, apply it to the game, and build the answer from its reply.

    Everything that can be refused was refused before the dice.
    """
    game = context.open_game() if record.kind == "sequence" else context.open_game_for_dice()
    actor = context.actor
    units = find_units_by_name(game, record.units)
    acting = [unit for unit in units if unit.name in record.acting]
    remarks = _find_remarks(context, game, record, units)
    facts = build_play_facts(context, context.command.path, record, units, secret=secret)
    label = str(record.inputs.get("label") or "")
    other_sides = list_sides_acted_for(game, actor, [unit.side for unit in acting])
    if secret:
        return _add_sides_rolled_for(
            context, seal_roll(context, reply, record, facts, label), other_sides
        )
    if record.choice_requests:
        question = await ask_side(context, reply, record, facts)
        lines = (*question.lines[:-1], *_build_remarks(remarks), *question.lines[-1:])
        return _add_sides_rolled_for(context, replace(question, lines=lines), other_sides)
    game_after = apply_play_record(game, record, context.systems)
    body = context.ledger.add(record.kind, game_after, texts={"label": label}, **facts)
    extensions = body.get("extends")
    if extensions:
        extended = [*reply.lines]
        for hash, system_name in extensions.items():
            extension = describe_extension(hash, system_name, context.systems)
            extended.append(Small(f"{extension} from here on."))
        reply = replace(reply, lines=tuple(extended))
    reply = _add_arrivals(reply, game, game_after)
    answer = _build_answer(context, game, reply, record, body, facts, remarks)
    return _add_sides_rolled_for(context, answer, other_sides)


def _find_remarks(
    context: Context, game: Game, record: PlayRecord, units: Many[RosterUnit]
) -> tuple[str, ...]:
    """Return remarks on a play: what is out of turn or phase, and what the card wants before it.

    `units` are all units that the play names.
    """
    systems = context.systems
    played_system = systems.get(record.system)
    if context.ledger.plays:  # what a table decides is in order
        return ()
    if record.kind != "sequence" or played_system is None or not is_of_game(game, played_system):
        return ()
    sequence = played_system.sequences[record.target]
    side = context.actor.side
    acting = record.acting
    system = systems.get(game.system)
    irregularities = find_irregularities(game, system, sequence, acting, record.changes, side)
    targets = [unit.name for unit in units if unit.name not in acting]
    return (*irregularities, *find_cautions(game, sequence, acting, targets, side))


def _build_remarks(remarks: tuple[str, ...]) -> tuple[Small, ...]:
    """Return one small line with all remarks; nothing without any."""
    return (Small(f"{capitalize_first(' · '.join(remarks))}."),) if remarks else ()


def _add_sides_rolled_for(context: Context, reply: Reply, sides: tuple[str, ...]) -> Reply:
    """Add a line about the sides of other players for which a game master rolled, if any."""
    if not sides:
        return reply
    line = Small(f"Rolled by {context.user_name} for {join_names(sides)}.")
    announce = reply.announce and replace(reply.announce, lines=(*reply.announce.lines, line))
    return replace(reply, lines=(*reply.lines, line), announce=announce)


def _add_arrivals(reply: Reply, game_before: Game, game_after: Game) -> Reply:
    """Add the units that joined the roster to the first line, and a line about their numbers."""
    if game_after.units.keys() <= game_before.units.keys():
        return reply
    names = [unit.name for key, unit in game_after.units.items() if key not in game_before.units]
    line = phrase(
        "On the roster now: {names}. Enter the numbers: `/unit edit {first} morale=7`",
        names=join_names(names),
        first=quote_value(names[0]),
    )
    title = f"{reply.title}, {format_arrivals(names)}"
    return replace(reply, title=title, lines=(*reply.lines, line))


def _build_answer(
    context: Context,
    game: Game,
    reply: Reply,
    record: PlayRecord,
    body: Json,
    facts: Json,
    remarks: tuple[str, ...],
) -> Reply:
    """Build the answer to a recorded play: its lines, buttons and menus.

    `game` is the game before the play, `body` its event.
    """
    number = body["number"]
    spec = context.spec
    if game.answers != FULL:
        reply = shorten_reply(reply, tuple(list_faces(facts)))
    lines_added = list[Part]()
    side = get_new_initiative(game, record)
    if side is not None:
        lines_added.append(f"{side} has the initiative.")
    if context.moved:
        lines_added.append(context.moved)
    if lines_added:
        reply = replace(reply, lines=(*reply.lines, *lines_added))
    if record.kind == "sequence":
        reply = name_phase_once(fold_for_phone(reply, spec.options), remarks)
    lines = (*reply.lines, *_build_remarks(remarks))
    related = build_roll_buttons(context, reply, record.kind, facts, number)
    if record.used_cards:  # the card is gone: the same cannot be done again
        remaining = [button for button in related if not button.action.startswith("again:")]
        related = tuple(remaining)
    buttons = (*reply.buttons, *related, context.build_undo_button(number))
    done_buttons: tuple[Button, ...] = ()
    if record.kind == "sequence" and is_id_of_game(game, record.system, context.systems):
        acting = find_units_by_name(game, record.acting)
        sides = [unit.side for unit in acting] or [body["side"]]
        done_buttons = build_done_button(context, number, sides)
    buttons = (*build_sequence_buttons(reply, context.registry), *done_buttons, *buttons)
    buttons_across = EVEN if len(buttons) > EVEN + 1 else 0
    menus = build_target_menu(context, spec, game, body["side"], facts, number)
    return replace(reply, lines=lines, buttons=buttons, across=buttons_across, menus=menus)


async def play_command(context: Context) -> Reply:
    """Run the roll, table or sequence that the context holds, as if it had been typed."""
    await context.check_enabled(context.spec)
    handlers = {"roll": handle_roll, "lookup": handle_lookup, "sequence": handle_sequence}
    return await handlers[context.spec.family](context)


def _forget_bare_values(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options with plain texts, no matter how they were typed."""
    return {
        name: str(value) if isinstance(value, BareValue) else value
        for name, value in options.items()
    }


def _drop_empty_options(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options without those that were left empty, as an event holds them."""
    filled = {}
    for name, value in options.items():
        if value is not None and value != "" and value != ():
            filled[name] = value
    return filled


def build_lookup_buttons(
    context: Context, table: Table, options: Mapping[str, object]
) -> tuple[Button, ...]:
    """Build the buttons *Another number…*, which opens the filled form, and *Whole table*.

    A table without inputs or without a printed sheet leaves out the button in question.
    """
    spec = context.spec
    buttons = []
    if table.inputs:
        has_number = any(option.type in NUMBERS for option in table.inputs)
        label = "Another number…" if has_number else "Change…"
        buttons.append(build_form_button(spec.path, options, label, context.registry))
    if get_printed_table(table).sheets:
        text = format_command(spec, options)
        if len(text) > LONGEST:
            text = spec.name
        buttons.append(Button(f"whole:{text.removeprefix('/')}", "Whole table"))
    return tuple(buttons)


@declare_button("whole", private=True)
async def press_whole_table(context: Context, typed: str) -> Reply:
    """Show the whole table of a button, with the looked-up cell marked.

    `typed` is the command of the look-up. Raises UserError if it is no look-up, or if its rule set
    is not enabled here.
    """
    parsed = parse_text(typed, context.registry)
    spec = parsed.spec
    if spec.family != "lookup":
        raise UserError("This button doesn't belong to a table.", code="unknown-button")
    await context.check_enabled(spec)
    inputs = {
        name: value
        for name, value in parsed.options.items()
        if name not in ("private", "whole", "picture")
    }
    table = context.systems[spec.system].find_table(spec.target)
    return build_whole_table_reply(table, spec.example, inputs)
