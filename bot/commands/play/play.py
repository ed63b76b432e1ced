"""Rolls, lookups and sequences in a channel: played with the game's dice and roster, recorded in
its log.
"""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from functools import partial
from typing import Any

from bot.answers.counted_conditions import (
    counted_sentence,
    find_counted,
    without_named,
)
from bot.answers.defaults import (
    by_game,
    loans,
    name_phase_once,
    told,
    told_by_rule,
    tracks_read,
    with_filled,
)
from bot.answers.events import come_into_play, extends_words
from bot.answers.firers_and_targets import (
    cannot_fire,
    has_names,
    in_names,
    offer_anyway,
    offer_the_able,
    with_letters,
)
from bot.answers.headline import hits_its_unit
from bot.answers.outcome import Happening, Outcome, after_happening, initiative_of
from bot.answers.printed_table import printed
from bot.answers.reach import acting_in, reach_of
from bot.answers.roll import read_table, roll_dice, split_digits_of_row
from bot.answers.shot import EXTRA, acting_units, brief, compact, named_units, run_sequence
from bot.answers.tables import whole_reply
from bot.answers.units_in_a_row import check_units_in_a_row
from bot.commands.context import Context, play_facts
from bot.commands.pictures import offered, table_action
from bot.commands.piles import closed_piles, declare_decks
from bot.commands.play.answer_buttons import asked, led_buttons, other_targets, roll_buttons
from bot.commands.play.decks import counts
from bot.commands.play.odds import answer_compared, answer_odds, answer_rounds
from bot.commands.play.riders import IN, add_riders
from bot.commands.play.sealed import seal
from bot.commands.post.choose import ask_side
from bot.commands.turns.done_under_shot import done_button
from bot.commands.turns.mentions import with_call, with_repeats
from bot.commands.turns.turn import told_by_name
from bot.game.counter import in_words
from bot.game.decks import EVERYTHING, decks_with, find_used_cards
from bot.game.rights import (
    find_ban,
    find_cautions,
    find_irregularities,
    need_hand_dice,
    need_player,
    need_share,
    need_usual_act,
    over,
    sides_acted_for,
)
from bot.game.roster import is_gone, is_of_game, roster_for, units_of
from bot.game.sides import of_side
from bot.game.state import FULL, Actor, Game, Json, is_strict
from bot.game.tracks import filled_in, keys_of
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import Button, Reply
from bot.interface.typing.command_text import (
    command_text,
    name_other_tables,
    parse_text,
    quoted,
)
from bot.places.forms import form_button
from bot.rules.cards import ALL, deck_from_json, last_key
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import faces_shown
from bot.rules.inputs.options import clean, flag, is_left_out
from bot.rules.inputs.typed_values import Given
from bot.rules.inputs.units import Roster, RosterUnit
from bot.rules.tables.table import Table
from bot.rules.text.names import joined
from bot.rules.text.phrase import Phrase, Typed, begun, phrase
from bot.systems.around_sequence import ANYWAY
from bot.systems.catalog import system
from bot.systems.system import FIRES, Sequence, System

LONGEST = 80
NUMBERS = ("int", "number")
EVEN = 3
"""Buttons in a row where there are five: three and two, which a phone shows as they are."""


async def handle_roll(context: Context) -> Reply:
    """`/roll`."""
    options = _plain(context.command.options)
    if context.spec.counts(options):
        return await answer_odds(context, context.spec, options)
    need_hand_dice(context.game, options.get("hand"))
    outcome = roll_dice(options, context.who, context.dice())
    return await record(context, outcome, secret=flag(options, "secret"))


async def handle_lookup(context: Context) -> Reply:
    """A table; one of kind roll rolls its own dice when its roll is left out. Raises UserError."""
    spec = context.spec
    options = _plain(context.command.options)
    table = context.systems[spec.system].tables[spec.target]
    options = split_digits_of_row(table, options)
    wanted = flag(options, "picture")
    options.pop("picture", None)
    if spec.wants_whole(options):
        given = {name: value for name, value in options.items() if name not in ("private", "whole")}
        whole = whole_reply(table, spec.example, given)
        return await offered(
            context, whole, table_action(context, table, {}, private=True), wanted=wanted
        )
    private = flag(options, "private")
    options.pop("private", None)
    if private and (table.chain or table.owes(options)):
        raise UserError(
            "A roll is public.",
            hint="Leave out private, or give the roll.",
            option="private",
            code="not-together",
        )
    try:
        outcome = read_table(table, options, context.who, context.dice())
    except UserError as error:
        if error.code == "bad-value":
            name_other_tables(error, spec, options, context.registry)
        raise
    reply = await record(context, outcome, secret=False)
    reply = replace(reply, private=private or reply.private)
    if table.leads:
        reply = _with_leads(context, reply, table, outcome.given or options)
    reply = replace(reply, buttons=(*reply.buttons, *under_lookup(context, table, options)))
    return await offered(
        context, reply, table_action(context, table, outcome.given, private=private), wanted=wanted
    )


def _with_leads(context: Context, reply: Reply, table: Table, given: Mapping[str, object]) -> Reply:
    """Return the reply with the rolls that the answer of the table calls for, and their buttons."""
    for command in table.leads_to(given):
        rolls = Phrase("To roll: ", Typed(f"/{table.system} {command}"))
        reply = replace(reply, lines=(*reply.lines, Small(rolls)))
    buttons = led_buttons(reply, context.registry)
    return replace(reply, buttons=(*reply.buttons, *buttons))


async def handle_sequence(context: Context) -> Reply:
    """A sequence: played and recorded, or its odds answered privately. Where some cannot, the
    rest may.
    """
    spec = context.spec
    options = _plain(context.command.options)
    game = context.game
    actor = context.actor
    roster = roster_for(game, spec.system)
    sequence = context.systems[spec.system].sequences[spec.target]
    try:
        check_units_in_a_row(sequence, options, roster, partial(command_text, spec))
        return await _counted(context, sequence, options) or await _sequence(
            context, actor, sequence, options, roster
        )
    except UserError as error:
        if roster and error.code in ("unit-unfit", "unit-gone"):
            named, _ = in_names(sequence, options, roster, actor.side)
            offer_the_able(error, sequence, named, roster, partial(command_text, spec))
        offer_anyway(error, sequence, options, partial(command_text, spec))
        raise


async def _counted(
    context: Context, sequence: Sequence, options: dict[str, object]
) -> Reply | None:
    """The odds, where they are asked for."""
    if sequence.rounds and options.get("rounds"):
        return await answer_rounds(context, context.spec, options)
    for name, answer in (("odds", answer_odds), ("compare", answer_compared)):
        if name in options and sequence.odds_by and flag(options, name):
            return await answer(context, context.spec, options)
    return None


async def _sequence(
    context: Context, actor: Actor, sequence: Sequence, options: dict[str, object], roster: Roster
) -> Reply:
    game = context.game
    spec = context.spec
    who = context.who
    calls_sides = has_names(sequence, game)
    options = with_letters(sequence, options, game)
    (options, aim), secret = (
        in_names(sequence, options, roster, actor.side),
        flag(options, "secret"),
    )
    if game.ended:
        given = sequence.given(
            {name: value for name, value in options.items() if name not in EXTRA}, roster
        )
        if calls_sides or named_units(given):
            raise over(game)
        game, roster = context.dice_game(), {}  # as plain rolls do, it begins free play
    if calls_sides:
        need_player(game, actor)
    if sequence.choices:
        _need_open(sequence, options)
    _need_in_play(context, sequence, options)
    if (question := asked(context, sequence, options, aim, actor.side)) is not None:
        return question
    seen = dict[str, Any]()
    piles = dict[str, Any]()
    if sequence.decks:
        game = _declare_decks(context, sequence, options)
        seen, piles = await closed_piles(context, sequence, ALL, EVERYTHING)
    dice = context.dice()
    ruled = by_game(sequence, options, roster, game, actor.side)
    options = with_filled(options, ruled)
    own = options
    lent = loans(sequence, options, roster)
    options = with_filled(options, lent)
    read = tracks_read(sequence, options, roster, game, actor.side, seen)
    if game.waits or game.rules:
        await _need_free(context, sequence, options, roster, read)
    ban = _find_ban(context, sequence, options, roster)
    need_hand_dice(context.game, options.get("hand"))
    check = partial(_need_units, context, sequence)
    outcome = run_sequence(
        sequence, spec, options, who, dice, roster, read, piles=piles, check=check
    )
    if lent or ruled:
        outcome = outcome._replace(reply=told_by_rule(told(outcome.reply, lent, sequence), ruled))
    outcome = outcome._replace(
        reply=_name_counted(
            outcome.reply,
            sequence,
            own,
            roster,
            {**filled_in(read, sequence.system.tracks), **piles},
        )
    )
    happening = outcome.happening
    assert happening is not None
    if context.game.started and is_of_game(context.game, sequence.system.id):
        used = find_used_cards(context.game, sequence, happening.inputs, actor.side)
        happening = happening._replace(uses=used)
        outcome = outcome._replace(happening=happening)
    out = cannot_fire(game.units.values(), happening.acting) if sequence.verb in FIRES else ""
    reply = await with_call(context, happening, await record(context, outcome, secret=secret))
    if sequence.repeats:
        reply = await with_repeats(context, happening, sequence.repeats, reply)
    if ban:
        reply = replace(reply, lines=(*reply.lines, Small(f"{ROLLED_ANYWAY}: {ban}")))
    if sequence.rides and any(IN in unit.numbers for unit in game.units.values()):
        reply = add_riders(context, sequence, happening.acting, happening.out, reply)
    if out:
        reply = replace(
            reply, lines=(*reply.lines, Small(f"Not firing, out of ammunition or jammed: {out}"))
        )
    for id, made in sequence.decks.items():
        left = Small(f"{made.title}: {counts(context, id, deck_from_json(context.game.decks[id]))}")
        reply = replace(reply, lines=(*reply.lines, left))
    return (
        await told_by_name(context, game, happening, reply)
        if calls_sides and not reply.private
        else reply
    )


def _need_units(context: Context, sequence: Sequence, plays: Many[Given]) -> None:
    """Raise UserError, before the first die, for units that have left the fight or are not the
    player's to use.
    """
    game = context.game
    units = units_of(game, dict.fromkeys(name for given in plays for name in named_units(given)))
    if lost := [unit for unit in units if is_gone(unit)]:
        hint = phrase(
            "Choose another unit. If its state is wrong: `/unit edit {unit} state={state}`",
            unit=lost[0].handle,
            state=_get_sound_state(sequence.system, lost[0]),
        )
        raise UserError(
            f"{lost[0].name} is {in_words(lost[0].state)}.", hint=hint, code="unit-gone"
        )
    acting = list[str]()
    if not hits_its_unit(sequence):
        acting = [name for given in plays for name in acting_units(given)]
    if units:
        need_share(game, context.actor, units_of(game, acting))


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
        context.ledger.need_free(reach_of(sequence, options, roster, game, read, systems))
        await context.need_settable(keys_of(sequence.effects.sets, read))
    if is_strict(game) and is_of_game(game, sequence.system.id):
        acting = () if hits_its_unit(sequence) else acting_in(sequence, options, roster)
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
    acting = acting_in(sequence, options, roster)
    ban = find_ban(game, sequence, acting, context.actor.side)
    if ban and not flag(options, ANYWAY):
        hint = "If your group allows it, roll anyway."
        error = UserError(ban, hint=hint, code="card-forbids", option=ANYWAY)
        error.better = command_text(context.spec, {**options, ANYWAY: True})
        error.right = ANYWAY
        raise error
    return ban


def _need_open(sequence: Sequence, options: Mapping[str, object]) -> None:
    """Raise UserError where a sequence that asks a side is to be sealed, or answered before it
    asks.
    """
    if flag(options, "secret"):
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
    if any(option.used for option in named) and flag(options, "secret"):
        what = f"{sequence.title} uses a card for all to see, so it can't be rolled under seal."
        raise UserError(what, hint="Leave out secret.", option="secret", code="not-together")
    for option in named:
        if is_left_out(option, options.get(option.name)):
            continue
        card = clean(option, options[option.name])
        name = option.labels[card]
        ids = decks_with(game, option, card)
        decks = [sequence.system.decks[id] for id in ids]
        if not ids:
            first = phrase(
                "`/deck play {card}`, if you hold it. `/deck show` has what is in play.",
                card=quoted(name),
            )
            raise UserError(
                f"{name} is not in play.", hint=first, option=option.name, code="unknown-card"
            )
        if not any(deck.is_of(context.actor.side, game.sides) for deck in decks):
            what = f"{name} is {of_side(decks[0].owner, 'card')}, so you can't use it."
            hint = phrase("`/hand` shows your own cards.")
            raise UserError(what, hint=hint, option=option.name, code="not-your-card")


def _name_counted(
    reply: Reply,
    sequence: Sequence,
    options: Mapping[str, object],
    roster: Roster,
    read: Mapping[str, Any],
) -> Reply:
    """Return the answer with a line about states and markers that count without a modifier."""
    raw = {name: value for name, value in options.items() if name not in EXTRA}
    try:
        counted = find_counted(sequence, {**raw, **read}, roster)
    except UserError:  # dice have fallen: nothing may be refused any more
        return reply
    sentence = counted_sentence(without_named(counted, reply))
    return replace(reply, lines=(*reply.lines, Small(sentence))) if sentence else reply


def _declare_decks(context: Context, sequence: Sequence, options: Mapping[str, object]) -> Game:
    """Write down what cards the decks of a sequence have before their first die; the game with
    them. Raises UserError where it cannot draw from them."""
    if flag(options, "secret"):
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
        if options.get("hand") and game.cards.get(last_key(id)):
            what = f"Cards of {id} are closed, so real cards cannot be typed: they could be in a hand as well."
            hint = phrase(
                "Leave out hand: the bot draws. Once no hand is closed, `/fair reveal` opens the rest."
            )
            raise UserError(what, hint=hint, option="hand", code="closed-cards")
    declare_decks(context, sequence)
    return context.game


async def record(context: Context, outcome: Outcome, *, secret: bool) -> Reply:
    """Append the happening to the log and answer. What may be refused was refused before its
    dice.
    """
    happening = outcome.happening
    if happening is None:
        return outcome.reply
    game = context.open_game() if happening.kind == "sequence" else context.dice_game()
    actor = context.actor
    named = units_of(game, happening.units)
    acting = [unit for unit in named if unit.name in happening.acting]
    unusual = _find_remarks(context, game, happening, named)
    facts = play_facts(context, context.command.path, happening, named, secret=secret)
    label = str(happening.inputs.get("label") or "")
    others = sides_acted_for(game, actor, [unit.side for unit in acting])
    if secret:
        return _rolled_for(context, seal(context, outcome, facts, label), others)
    if happening.asks:
        question = await ask_side(context, outcome, facts)
        lines = (*question.lines[:-1], *_remarks(unusual), *question.lines[-1:])
        return _rolled_for(context, replace(question, lines=lines), others)
    after = after_happening(game, happening, context.systems)
    body = context.ledger.add(happening.kind, after, texts={"label": label}, **facts)
    if extends := body.get("extends"):
        joining = tuple(Small(f"{extends_words(*one)} from here on.") for one in extends.items())
        outcome = outcome._replace(
            reply=replace(outcome.reply, lines=(*outcome.reply.lines, *joining))
        )
    reply = _answer(context, game, _with_arrivals(outcome, game, after), body, facts, unusual)
    return _rolled_for(context, reply, others)


def _find_remarks(
    context: Context, game: Game, happening: Happening, named: Many[RosterUnit]
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


def _remarks(unusual: tuple[str, ...]) -> tuple[Small, ...]:
    """Return the grey line about an act out of turn or phase, if it was."""
    return (Small(f"{begun(' · '.join(unusual))}."),) if unusual else ()


def _rolled_for(context: Context, reply: Reply, sides: tuple[str, ...]) -> Reply:
    """Return the reply with a line that says for which sides of other players a game master
    rolled. Without such sides it stays as it is.
    """
    if not sides:
        return reply
    line = Small(f"Rolled by {context.who} for {joined(sides)}.")
    announce = reply.announce and replace(reply.announce, lines=(*reply.announce.lines, line))
    return replace(reply, lines=(*reply.lines, line), announce=announce)


def _with_arrivals(outcome: Outcome, was: Game, after: Game) -> Outcome:
    """The outcome with those who have joined the roster, in its first line and in one about
    their numbers.
    """
    if after.units.keys() <= was.units.keys():
        return outcome
    names = [unit.name for key, unit in after.units.items() if key not in was.units]
    told = phrase(
        "{names}: on the roster now. Give numbers: `/unit edit {first} morale=7`",
        names=joined(names),
        first=quoted(names[0]),
    )
    title = f"{outcome.reply.title}, {come_into_play(names)}"
    return outcome._replace(
        reply=replace(outcome.reply, title=title, lines=(*outcome.reply.lines, told))
    )


def _answer(
    context: Context,
    game: Game,
    outcome: Outcome,
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
        reply = compact(reply, tuple(faces_shown(facts)))
    told = list[Part]()
    if (side := initiative_of(game, happening)) is not None:
        told.append(f"{side} has the initiative.")
    if context.moved:
        told.append(context.moved)
    if told:
        reply = replace(reply, lines=(*reply.lines, *told))
    if happening.kind == "sequence":
        reply = name_phase_once(brief(reply, spec.options), unusual)
    lines = (*reply.lines, *_remarks(unusual))
    related = roll_buttons(context, reply, happening.kind, facts, number)
    if happening.uses:  # the card is gone: the same cannot be done again
        kept = [button for button in related if not button.action.startswith("again:")]
        related = tuple(kept)
    buttons = (*reply.buttons, *related, context.button("undo", "Undo", number))
    done: tuple[Button, ...] = ()
    if happening.kind == "sequence" and is_of_game(game, happening.system):
        acting = units_of(game, happening.acting)
        sides = [unit.side for unit in acting] or [body["side"]]
        done = done_button(context, number, sides)
    buttons = (*led_buttons(reply, context.registry), *done, *buttons)
    across = EVEN if len(buttons) > EVEN + 1 else 0
    menus = other_targets(context, spec, game, body["side"], facts, number)
    return replace(reply, lines=lines, buttons=buttons, across=across, menus=menus)


async def play(context: Context) -> Reply:
    """Run the roll, table or sequence on the desk, as if it had been typed."""
    await context.check_enabled(context.spec)
    handlers = {"roll": handle_roll, "lookup": handle_lookup, "sequence": handle_sequence}
    return await handlers[context.spec.family](context)


def _plain(options: Mapping[str, object]) -> dict[str, object]:
    """Options as an event can hold them: what was left empty is left out."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value != "" and value != ()
    }


def under_lookup(
    context: Context, table: Table, options: Mapping[str, object]
) -> tuple[Button, ...]:
    """*Another number…*, with the form filled in, and *Whole table*, where it has any."""
    spec = context.spec
    found = []
    if table.inputs:
        has_number = any(option.type in NUMBERS for option in table.inputs)
        label = "Another number…" if has_number else "Change…"
        found.append(form_button(spec.path, options, label, context.registry))
    if printed(table).sheets:
        text = command_text(spec, options)
        found.append(
            Button(
                f"whole:{(text if len(text) <= LONGEST else spec.name).removeprefix('/')}",
                "Whole table",
            )
        )
    return tuple(found)


async def press_whole(context: Context, typed: str) -> Reply:
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
    return whole_reply(system(spec.system).table(spec.target), spec.example, given)
