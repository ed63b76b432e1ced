"""`/game next`, `pass` and `initiative`: advance the turn, and hand over from side to side.

A printed card calls the sides A and B. The answer to a roll for the initiative names them.
"""

from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.last_turn import ask_who_won, ends_last_turn
from bot.commands.turns.mentions import add_uncalled_players, call_sides
from bot.commands.turns.turn_card import (
    FROM_BOARD,
    build_card,
    build_first_side_buttons,
    build_phase_buttons,
    format_headline,
    format_passes,
    format_phase,
    format_turn_and_phase,
    is_initiative_rolled,
    phase_over,
)
from bot.commands.turns.units_left import count_units_left
from bot.commands.turns.upkeep import list_owed, run_upkeep
from bot.game import cups
from bot.game.events import (
    is_continuation,
    list_effective_events,
)
from bot.game.phases import (
    IMPULSES,
    apply_pass,
    describe_whose_go,
    format_phase_title,
    get_chit_name,
    get_go_kind,
    is_alternating,
    is_undecided,
    list_reminders,
    start_next_phase,
)
from bot.game.rights import list_sides_acted_for, need_go, need_player
from bot.game.roster import find_units_by_name
from bot.game.self_play import find_self_played_side
from bot.game.sides import find_side, fit_verb, format_possessive
from bot.game.state import Game, Json
from bot.presentation.events import describe_event
from bot.presentation.play_record import PlayRecord
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import LETTERS, format_count, insert_sides, join_names
from bot.rules.text.phrase import capitalize_first, phrase
from bot.ui.common_options import build_flag
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import GAME, WAITING, Reply, build_error_reply
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.turn import HANDS_OVER, PASSES, format_chit_words

ANYWAY = "anyway"
"""The last argument of a button that ends a phase in which a side has units left."""
MAX_EVENTS_OF_PHASE = 200
"""Events that are searched for the last event of a phase."""


@declare_command("game next", "Advance to the next phase and show its reminders", needs_game=True)
@declare_button("next", of=ButtonOf.GAME)
async def advance_phase(
    context: Context, about: str | None = None, confirmation: str = ""
) -> Reply:
    """Advance to the next phase, or to the next turn, and show its card.

    `about` is the phase of the button *Next phase*; None for the command. If that phase is over,
    return a refusal. `confirmation` is ANYWAY for a button that ends the phase although a side that
    plays itself has units left. Raises UserError if no game is on, for a user who may not end the
    phase, and without that confirmation.
    """
    refusal = refuse_old_card(context, about) if about is not None else None
    if refusal:
        return refusal
    game = context.need_started()
    need_go(game, context.actor)
    if confirmation != ANYWAY:
        await _need_no_units_left(context)
    game_after = start_next_phase(game, context.system)
    reasons: tuple[str, ...] = ()
    ended_turn = _describe_ended_turn(context, game)
    if ended_turn:
        reasons = (f"{ended_turn}.",)
    if game.led and cups.count_chits_left(game):
        reasons = (cups.describe_undrawn(game),)
    context.ledger.add("next", game_after, result=format_phase_title(game_after, context.system))
    return await begin_phase(context, game, game_after, reasons)


async def _need_no_units_left(context: Context) -> None:
    """Raise UserError if a side that plays itself still has units to act in this phase."""
    counts = await count_units_left(context)
    if not counts:
        return
    texts = [f"{side} has {format_count(count, 'unit')}" for side, count in counts.items()]
    error = UserError(
        f"{join_names(texts)} that may still act.",
        hint=phrase("Hand over so they can: `/game pass`"),
        code="units-left",
    )
    end_phase = context.build_button(
        "next", "End the phase", format_turn_and_phase(context.game), ANYWAY
    )
    error.buttons = (*build_phase_buttons(context, without=("next", "remember")), end_phase)
    raise error


def _describe_ended_turn(context: Context, game: Game) -> str:
    """Return `anna ends VC's turn` if a game master ends the turn of another player's side, and
    "" otherwise.
    """
    if context.actor.side in game.go:
        return ""
    sides = list_sides_acted_for(game, context.actor, game.go)
    if not sides:
        return ""
    return f"{context.user_name} ends {format_possessive(join_names(sides), 'turn')}"


async def begin_phase(
    context: Context, game_before: Game, game_after: Game, reasons: tuple[str, ...]
) -> Reply:
    """Run the upkeep of the phase that has just begun, and build its card with the mentions.

    After the last turn of a scenario, build the question who won instead. `reasons` are the first
    lines of the card.
    """
    number = context.game.number
    upkeep_lines = await run_upkeep(context, format_headline(game_after, context.system))
    if ends_last_turn(game_before, game_after):
        return await ask_who_won(context, number, reasons, upkeep_lines)
    reply = await build_card(
        context,
        game_before,
        game_after,
        await call_sides(context, game_after, game_after.go),
        reasons,
    )
    owed_lines = await list_owed(context)
    return replace(reply, lines=(*reply.lines, *upkeep_lines, *owed_lines))


@declare_command(
    "game pass",
    "Hand over to the next side",
    build_flag("done", "you moved or acted without dice, so this is not a pass"),
    needs_game=True,
)
async def hand_over(context: Context) -> Reply:
    """Hand over to the other side.

    It is a pass, unless the side has acted or the player typed `done`. Raises UserError if no game
    is on, and for a user whose side is not to move.
    """
    return await _hand_over_or_let_play(context, done=context.clean_options()["done"])


@declare_button("done", of=ButtonOf.GAME)
@declare_button("pass", of=ButtonOf.GAME)
async def press_pass_or_done(
    context: Context, moment: str, side_index: str, place: str = ""
) -> Reply:
    """Hand over to the other side: the buttons *Pass* and *Done*.

    `moment` is the phase, and `side_index` the side to play, when the button was made. `place` is
    `FROM_BOARD` for a button of the board. If the phase is over, return a refusal; so it is for
    another side's button, unless that is on the board.

    Raises UserError if the side of the button has handed over already, and neither is the player's
    side to move.
    """
    game = context.need_started()
    refusal = refuse_old_card(context, moment)
    if refusal:
        return refusal
    button_side = ""
    if side_index.isdecimal() and int(side_index) < len(game.sides):
        button_side = game.sides[int(side_index)]
    is_done = context.spec.path[1] == "done"
    if not button_side or button_side in game.go:
        return await _hand_over_or_let_play(context, done=is_done)
    if context.actor.side in game.go:
        if place == FROM_BOARD:
            return await _hand_over_or_let_play(context, done=is_done)
        error = UserError("That card is out of date. It's your move.", code="phase-over")
        return _build_old_card_reply(context, error)
    subject = f"{button_side} {fit_verb(button_side, 'has', 'have')}"
    if context.actor.side == button_side:
        subject = "You have"
    raise UserError(
        f"{subject} already handed over.",
        hint=f"{capitalize_first(describe_whose_go(game))}.",
        code="not-your-go",
    )


async def _hand_over_or_let_play(context: Context, *, done: bool) -> Reply:
    """Hand over to the other side, or let the side to move act if it plays itself.

    Raises UserError as `_pass_or_hand_over` does.
    """
    game = context.need_started()
    if not find_self_played_side(game):
        return await _pass_or_hand_over(context, done=done)
    need_player(game, context.actor)
    context.lets_play = True
    return Reply("")


async def _pass_or_hand_over(context: Context, *, done: bool) -> Reply:
    """Hand over to the other side, and build the answer or the card of the next phase.

    `done` says that the player does not pass, even if their side has rolled nothing. Raises
    UserError for a user whose side is not to move, and if it is not decided yet who moves first.
    """
    game = context.need_started()
    system = context.system
    if game.led:
        return await _end_chit(context, game)
    side = _find_passing_side(context, game)
    if is_undecided(game, system) and await _find_last_shot(context, side) is None:
        raise build_first_side_error(context)
    has_impulses = get_go_kind(game, system) == IMPULSES
    shot = await _find_last_shot(context, side) if has_impulses else None
    acted = done or shot is not None
    game_after = apply_pass(game, system, side, acted=acted)
    is_over = format_turn_and_phase(game_after) != format_turn_and_phase(game)
    hands_over = has_impulses and acted
    result = f"{side} {HANDS_OVER if hands_over else PASSES}"
    if is_over:
        result = f"{result}; {format_phase_title(game_after, system)}"
    context.ledger.add("pass", game_after, result=result)
    sentence = _describe_hand_over(context, game, side, done=done, hands_over=hands_over)
    if is_over:
        reason = f"{sentence}. {phase_over(game, system)}"
        return await begin_phase(context, game, game_after, (reason,))
    pieces = (format_phase(game_after, system), format_passes(game_after, system))
    phase_text = " · ".join(piece for piece in pieces if piece)
    if not is_alternating(game, system):
        return _build_waiting_reply(context, game_after, side, phase_text)
    lines = []
    if shot is not None:
        lines.append(f"Last: {await _load_first_line(context, shot)} · #{shot['number']}")
    if phase_text:
        lines.append(phase_text)
    # before the headline, which names the present players whom this leaves out
    mention = await call_sides(context, game_after, game_after.go)
    return Reply(
        add_uncalled_players(context, capitalize_first(describe_whose_go(game_after))),
        by=sentence,
        tone=WAITING,
        lines=tuple(lines),
        buttons=build_phase_buttons(context, without=("next", "remember")),
        mention=mention,
    )


def _describe_hand_over(
    context: Context, game: Game, side: str, *, done: bool, hands_over: bool
) -> str:
    """Return what the user did, without a full stop: `anna passes`, `anna is done for VC`.

    `hands_over` means that the side has acted in its impulse; `done`, that the player says so.
    """
    if hands_over:
        verb = HANDS_OVER
    elif done:
        verb = "is done"
    else:
        verb = PASSES
    sentence = f"{context.user_name} {verb}"
    if not list_sides_acted_for(game, context.actor, (side,)):
        return sentence
    return _describe_ended_turn(context, game) if hands_over else f"{sentence} for {side}"


def _build_waiting_reply(context: Context, game: Game, side: str, phase_text: str) -> Reply:
    """Build the answer to a side that is done while other sides still have to act.

    `game` is the game after that. `phase_text` is its first line.
    """
    sides = join_names(game.go)
    lines: list[Part] = [phase_text]
    if not {*game.go} & {*game.players.values()}:
        lines.append(phrase("Nobody plays {sides}, so move on: `/game next`", sides=sides))
    title = f"{side} {fit_verb(side, 'is', 'are')} done, waiting for {sides}"
    return Reply(title, tuple(lines), buttons=build_phase_buttons(context))


async def _end_chit(context: Context, game: Game) -> Reply:
    """End the turn of a chit, and show that the next one is drawn, or that the phase is over.

    Raises UserError if no chit is drawn.
    """
    need_go(game, context.actor)
    system = context.system
    name = get_chit_name(game, context.system)
    if not name:
        hint = phrase("Draw it: `/deck draw {id}`", id=game.led)
        raise UserError(
            f"The next {cups.get_nouns(game.led)[0]} has not been drawn yet.",
            hint=hint,
            code="no-chit",
        )
    sentence = f"{context.user_name} is done with {name}"
    if context.actor.side not in game.go:
        other_sides = list_sides_acted_for(game, context.actor, game.go)
        if other_sides:
            sentence = f"{sentence} for {join_names(other_sides)}"
    game_after = apply_pass(game, system, "", acted=True)
    is_over = format_turn_and_phase(game_after) != format_turn_and_phase(game)
    result = format_chit_words(game)
    if is_over:
        result = f"{result}; {format_phase_title(game_after, system)}"
    context.ledger.add("pass", game_after, result=result)
    if is_over:
        reason = f"{sentence}, the last {cups.get_nouns(game.led)[0]}. {phase_over(game, system)}"
        return await begin_phase(context, game, game_after, (reason,))
    phase_text = f"{format_phase(game_after, system)} · {cups.describe_chits_left(game_after)}"
    mention = await call_sides(context, game_after, game_after.go)
    buttons = build_phase_buttons(context)
    return Reply(
        capitalize_first(describe_whose_go(game_after)),
        (Small(phase_text),),
        by=sentence,
        tone=WAITING,
        buttons=buttons,
        mention=mention,
    )


def _find_passing_side(context: Context, game: Game) -> str:
    """Return the side that passes: the player's, or for a game master the side to play.

    Raises UserError for a stranger, for a side that is not to move, and for a game master if
    several sides are to play.
    """
    find_side(game, game.sides[0] if game.sides else "")
    need_go(game, context.actor)
    allowed_sides = game.go or game.sides
    own_side = context.actor.side
    if own_side in allowed_sides:
        return own_side
    if len(allowed_sides) > 1:
        if is_alternating(game, context.system):
            raise UserError(
                f"Who goes first: {' or '.join(allowed_sides)}?",
                hint=phrase(
                    "Say so: `/game initiative {side}`", side=quote_value(allowed_sides[0])
                ),
                code="not-your-go",
            )
        message = f"{join_names(allowed_sides)} play this phase together, and you aren't playing either side."
        raise UserError(
            message, hint=phrase("End the phase for everyone: `/game next`"), code="not-your-go"
        )
    return allowed_sides[0]


async def _load_first_line(context: Context, shot: Json) -> str:
    """Return the first line of a shot's answer while it is stored, else its title in the log."""
    answer = await context.load_answer(shot["number"])
    if answer is not None:
        return answer.title
    described = describe_event(
        shot, context.systems, context.ledger.get_name, sides=context.game.sides
    )
    return described.title


async def _find_last_shot(context: Context, side: str) -> Json | None:
    """Return the last sequence that the side has played in its turn, or the choice that ended it.

    None if it has played none.
    """
    answers = dict[int, Json]()  # the choices, by number of the event that asked for them
    for event in list_effective_events(await context.load_recent_events(MAX_EVENTS_OF_PHASE)):
        changed_fields = (event.get("after") or {}).get("game") or {}
        if (kind := event["kind"]) in (
            "start",
            "next",
            "pass",
            "initiative",
        ) or "go" in changed_fields:
            return None
        if is_continuation(event):
            answers[event["event"]] = answers.get(event["number"], event)
        if (
            kind == "sequence"
            and _is_act_of(event, context.game, side)
            and event["target"] != "initiative"
            and "upkeep" not in event
        ):
            return answers.get(event["number"], event)
    return None


def _is_act_of(event: Json, game: Game, side: str) -> bool:
    """Return whether units of a side acted in an event; if none did, whether its player did.

    Whoever plays alone, with a side or without, acts for the side of the units.
    """
    units = find_units_by_name(game, event.get("acting") or ())
    sides = {unit.side for unit in units} - {""}
    return side in sides if sides else bool(event["side"] == side)


@declare_button("remember", of=ButtonOf.GAME, private=True)
async def show_checklist(context: Context, phase: str) -> Reply:
    """Show the card's reminders for a phase to the player who pressed *Checklist*."""
    game = replace(context.need_started(), phase=phase, turn=0)
    return Reply(
        f"Checklist: {format_phase(game, context.system)}",
        list_reminders(game, context.system),
        private=True,
    )


def build_first_side_error(context: Context) -> UserError:
    """Return the error for a hand-over before a side goes first, with buttons that choose one."""
    game = context.game
    hint = phrase("Or type it: `/game initiative {side}`", side=quote_value(game.sides[0]))
    error = UserError("Who goes first?", hint=hint, code="no-first-side")
    error.buttons = build_first_side_buttons(context)
    if is_initiative_rolled(game, context.system):
        error.buttons = (
            context.build_button("initiative", "Initiative", format_turn_and_phase(game)),
        )
    return error


def refuse_old_card(context: Context, about: str) -> Reply | None:
    """Return the refusal of a button whose turn or phase is over; None if it is not over."""
    game = context.need_started()
    if about == format_turn_and_phase(game):
        return None
    turn_text = f": {describe_whose_go(game)}" if game.go else ""
    hint = f"Now it is {format_phase_title(game, context.system)}{turn_text}."
    return _build_old_card_reply(
        context, UserError("That phase is over.", hint=hint, code="phase-over")
    )


def _build_old_card_reply(context: Context, error: UserError) -> Reply:
    return replace(build_error_reply(error), buttons=build_phase_buttons(context))


def _is_initiative_held(game: Game) -> bool:
    return game.initiative in game.sides[:2]


async def build_initiative_reply(
    context: Context, game_before: Game, record: PlayRecord, reply: Reply
) -> Reply:
    """Rewrite the answer to a roll for the initiative: who wins it, and who is to play now.

    `game_before` is the game before the roll.
    """
    game = context.game
    outputs = record.out
    side = game_before.sides[LETTERS.index(str(outputs["winner"]))]
    lines = [
        _name_sides(part, game_before)
        for part in reply.lines
        if part != f"{side} has the initiative."
    ]
    if outputs["tied"] and not _is_initiative_held(game_before):
        lines.append(f"Nobody had it before, so the tie goes to {side}, the side listed first.")
    undo_buttons = [button for button in reply.buttons if button.action.startswith("undo:")]
    mention = await call_sides(context, game, game.go if game.go != game_before.go else ())
    holder_before = (
        side if outputs["tied"] and _is_initiative_held(game_before) else game_before.initiative
    )
    return replace(
        reply,
        title=add_uncalled_players(
            context, f"{side} {keeps_or_takes(side, holder_before)} the initiative"
        ),
        by=f"{context.user_name} rolls",
        lines=tuple(lines),
        tone=GAME,
        buttons=(*build_phase_buttons(context, without=("initiative", "remember")), *undo_buttons),
        mention=mention,
    )


def _name_sides(part: Part, game: Game) -> Part:
    if isinstance(part, Line):
        return part._replace(
            label=insert_sides(part.label, game.sides), result=insert_sides(part.result, game.sides)
        )
    return insert_sides(part, game.sides) if type(part) is str else part


def keeps_or_takes(side: str, holder: str) -> str:
    """Return the verb for a side that has the initiative now: it keeps or takes it.

    `holder` is the side that had it before, "" for none.
    """
    if side == holder:
        return fit_verb(side, "keeps", "keep")
    return fit_verb(side, "takes", "take")
