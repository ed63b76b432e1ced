"""`/game next`, `pass` and `initiative`: the turn goes on, and the go from side to side. A card
knows sides a and b, players know theirs by name: so is the roll for the initiative told."""

from dataclasses import replace

from bot.commands.context import Context
from bot.commands.turns.last_turn import ask_who_won, ends_last_turn
from bot.commands.turns.mentions import add_uncalled_players, call_sides
from bot.commands.turns.turn_card import (
    ON_BOARD,
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
from bot.game.rights import list_sides_acted_for, need_go
from bot.game.sides import find_side, fit_verb, format_possessive
from bot.game.state import Game, Json
from bot.presentation.events import describe_event
from bot.presentation.play_record import PlayRecord
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Line
from bot.rules.text.names import LETTERS, insert_sides, join_names
from bot.rules.text.phrase import capitalize_first, phrase
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import GAME, WAITING, Reply, build_error_reply
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.turn import HANDS_OVER, PASSES, format_chit_words

READ_BACK = 200


async def advance_phase(context: Context, about: str | None = None) -> Reply:
    """The next phase, or the next turn; what to remember in it; markers come off as the card says.
    The button *Next phase* ends the phase for which it was made, and no later one."""
    if about is not None and (old := refuse_old_card(context, about)):
        return old
    game = context.need_started()
    need_go(game, context.actor)
    after = start_next_phase(game, context.system)
    because: tuple[str, ...] = ()
    if ended := _describe_ended_turn(context, game):
        because = (f"{ended}.",)
    if game.led and cups.count_chits_left(game):
        because = (cups.describe_undrawn(game),)
    context.ledger.add("next", after, result=format_phase_title(after, context.system))
    return await begin_phase(context, game, after, because)


def _describe_ended_turn(context: Context, game: Game) -> str:
    """Return `anna ends VC's turn` if a game master ends the turn of another player's side, and
    "" otherwise.
    """
    if context.actor.side in game.go:
        return ""
    sides = list_sides_acted_for(game, context.actor, game.go)
    return (
        f"{context.user_name} ends {format_possessive(join_names(sides), 'turn')}" if sides else ""
    )


async def begin_phase(context: Context, was: Game, after: Game, because: tuple[str, ...]) -> Reply:
    """The card of the phase that has just begun, with its upkeep, and those who are called; after
    the last turn of a scenario the question who won.
    """
    number = context.game.number
    kept = await run_upkeep(context, format_headline(after, context.system))
    if ends_last_turn(was, after):
        return await ask_who_won(context, number, because, kept)
    reply = await build_card(
        context, was, after, await call_sides(context, after, after.go), because
    )
    owed = await list_owed(context)
    return replace(reply, lines=(*reply.lines, *kept, *owed))


async def hand_over(context: Context) -> Reply:
    """Hand the go over: a pass, unless the side acted with it."""
    return await _pass_or_hand_over(context, done=context.clean_options()["done"])


async def press_pass_or_done(context: Context, about: str) -> Reply:
    """The buttons *Pass* and *Done*: they hand over the go for which they were made. Raises
    UserError.
    """
    game = context.need_started()
    is_on_board = about.endswith(ON_BOARD)
    when, _, number = about.removesuffix(ON_BOARD).partition(":")
    if old := refuse_old_card(context, when):
        return old
    made_for = (
        game.sides[int(number)] if number.isdecimal() and int(number) < len(game.sides) else ""
    )
    if made_for and made_for not in game.go:
        if context.actor.side in game.go and is_on_board:
            return await _pass_or_hand_over(context, done=context.spec.path[1] == "done")
        if context.actor.side in game.go:
            return _build_old_card_reply(
                context, UserError("That card is old. It's your move.", code="phase-over")
            )
        who = f"{made_for} {fit_verb(made_for, 'has', 'have')}"
        if context.actor.side == made_for:
            who = "You have"
        raise UserError(
            f"{who} already handed over.",
            hint=f"{capitalize_first(describe_whose_go(game))}.",
            code="not-your-go",
        )
    return await _pass_or_hand_over(context, done=context.spec.path[1] == "done")


async def _pass_or_hand_over(context: Context, *, done: bool) -> Reply:
    game = context.need_started()
    system = context.system
    if game.led:
        return await _end_chit(context, game)
    side = _find_passing_side(context, game)
    if is_undecided(game, system) and await _find_last_shot(context, side) is None:
        raise build_first_side_error(context)
    shot = await _find_last_shot(context, side) if get_go_kind(game, system) == IMPULSES else None
    after = apply_pass(game, system, side, acted=done or shot is not None)
    is_over = format_turn_and_phase(after) != format_turn_and_phase(game)
    acted = get_go_kind(game, system) == IMPULSES and (done or shot is not None)
    words = f"{side} {HANDS_OVER if acted else PASSES}"
    result = f"{words}; {format_phase_title(after, system)}" if is_over else words
    context.ledger.add("pass", after, result=result)
    does = f"{context.user_name} {HANDS_OVER if acted else 'is done' if done else PASSES}"
    if list_sides_acted_for(game, context.actor, (side,)):
        does = _describe_ended_turn(context, game) if acted else f"{does} for {side}"
    if is_over:
        because = f"{does}. {phase_over(game, system)}"
        return await begin_phase(context, game, after, (because,))
    where = " · ".join(
        piece for piece in (format_phase(after, system), format_passes(after, system)) if piece
    )
    if not is_alternating(game, system):  # the others had the go already
        title = f"{side} {fit_verb(side, 'is', 'are')} done, waiting for {join_names(after.go)}"
        lines = [where]
        if not {*after.go} & {*after.players.values()}:
            sides = join_names(after.go)
            lines.append(phrase("Nobody plays {sides}, so go on: `/game next`", sides=sides))
        return Reply(title, tuple(lines), buttons=build_phase_buttons(context))
    last = (
        f"Last: {await _load_first_line(context, shot)} · #{shot['number']}"
        if shot is not None
        else ""
    )
    mention = await call_sides(context, after, after.go)  # first: the headline names whom it spares
    return Reply(
        add_uncalled_players(context, capitalize_first(describe_whose_go(after))),
        by=does,
        tone=WAITING,
        lines=tuple(line for line in (last, where) if line),
        buttons=build_phase_buttons(context, without=("next", "remember")),
        mention=mention,
    )


async def _end_chit(context: Context, game: Game) -> Reply:
    """The go of a chit is over: the next one is drawn, or the phase is over with the last."""
    need_go(game, context.actor)
    system = context.system
    name = get_chit_name(game, context.system)
    if not name:
        hint = phrase("Draw it: `/deck draw {id}`", id=game.led)
        raise UserError(
            f"The next {cups.get_nouns(game.led)[0]} is not drawn yet.", hint=hint, code="no-chit"
        )
    others = list_sides_acted_for(
        game, context.actor, game.go if context.actor.side not in game.go else ()
    )
    does = f"{context.user_name} is done with {name}" + (
        f" for {join_names(others)}" if others else ""
    )
    after = apply_pass(game, system, "", acted=True)
    is_over = format_turn_and_phase(after) != format_turn_and_phase(game)
    words = format_chit_words(game)
    context.ledger.add(
        "pass", after, result=f"{words}; {format_phase_title(after, system)}" if is_over else words
    )
    if is_over:
        because = f"{does}, the last {cups.get_nouns(game.led)[0]}. {phase_over(game, system)}"
        return await begin_phase(context, game, after, (because,))
    left = f"{format_phase(after, system)} · {cups.describe_chits_left(after)}"
    by = does
    mention = await call_sides(context, after, after.go)
    buttons = build_phase_buttons(context)
    return Reply(
        capitalize_first(describe_whose_go(after)),
        (Small(left),),
        by=by,
        tone=WAITING,
        buttons=buttons,
        mention=mention,
    )


def _find_passing_side(context: Context, game: Game) -> str:
    """The side that passes: the actor's, or for a game master the one whose go it is. Raises
    UserError.
    """
    find_side(game, game.sides[0] if game.sides else "")
    need_go(game, context.actor)
    may = game.go or game.sides
    own = context.actor.side
    if own in may:
        return own
    if len(may) > 1:
        what = f"{join_names(may)} play this phase together, and you play neither side."
        raise UserError(
            what, hint=phrase("End the phase for all: `/game next`"), code="not-your-go"
        )
    return may[0]


async def _load_first_line(context: Context, shot: Json) -> str:
    """What came of a shot: as it was answered, while that is kept."""
    said = await context.load_answer(shot["number"])
    return (said or describe_event(shot, context.ledger.get_name, sides=context.game.sides)).title


async def _find_last_shot(context: Context, side: str) -> Json | None:
    """The last sequence that the side played with its go, or the answer to what it asked; None
    where it played none.
    """
    answers = dict[int, Json]()  # by what asked
    for event in list_effective_events(await context.load_recent_events(READ_BACK)):
        changed = (event.get("after") or {}).get("game") or {}
        if (kind := event["kind"]) in ("start", "next", "pass", "initiative") or "go" in changed:
            return None
        if is_continuation(event):
            answers[event["event"]] = answers.get(event["number"], event)
        if (
            kind == "sequence"
            and event["side"] == side
            and event["target"] != "initiative"
            and "upkeep" not in event
        ):
            return answers.get(event["number"], event)
    return None


async def show_checklist(context: Context, phase: str) -> Reply:
    """Show the card's reminders for a phase to the player who pressed *Checklist*."""
    game = replace(context.need_started(), phase=phase, turn=0)
    return Reply(
        f"Checklist: {format_phase(game, context.system)}",
        list_reminders(game, context.system),
        private=True,
    )


def build_first_side_error(context: Context) -> UserError:
    """Return the refusal to hand over before it is said who goes first, with buttons that do."""
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
    """The refusal of a button where the turn or phase for which it was made is over."""
    game = context.need_started()
    if about == format_turn_and_phase(game):
        return None
    whose = f": {describe_whose_go(game)}" if game.go else ""
    now = f"Now it is {format_phase_title(game, context.system)}{whose}."
    return _build_old_card_reply(
        context, UserError("That phase is over.", hint=now, code="phase-over")
    )


def _build_old_card_reply(context: Context, old: UserError) -> Reply:
    return replace(build_error_reply(old), buttons=build_phase_buttons(context))


def _is_initiative_held(game: Game) -> bool:
    return game.initiative in game.sides[:2]


async def build_initiative_reply(
    context: Context, was: Game, happening: PlayRecord, reply: Reply
) -> Reply:
    """The answer to a roll for the initiative, behind the state `was`: who wins it, and whose go
    it is now.
    """
    game = context.game
    out = happening.out
    side = was.sides[LETTERS.index(str(out["winner"]))]
    lines = [
        _name_sides(part, was) for part in reply.lines if part != f"{side} has the initiative."
    ]
    if out["tied"] and not _is_initiative_held(was):
        lines.append(f"Nobody had it before, so the tie goes to {side}, the side named first.")
    undo = [button for button in reply.buttons if button.action.startswith("undo:")]
    mention = await call_sides(context, game, game.go if game.go != was.go else ())
    before = side if out["tied"] and _is_initiative_held(was) else was.initiative
    return replace(
        reply,
        title=add_uncalled_players(
            context, f"{side} {keeps_or_takes(side, before)} the initiative"
        ),
        by=f"{context.user_name} rolls",
        lines=tuple(lines),
        tone=GAME,
        buttons=(*build_phase_buttons(context, without=("initiative", "remember")), *undo),
        mention=mention,
    )


def _name_sides(part: Part, game: Game) -> Part:
    if isinstance(part, Line):
        return part._replace(
            label=insert_sides(part.label, game.sides), result=insert_sides(part.result, game.sides)
        )
    return insert_sides(part, game.sides) if type(part) is str else part


def keeps_or_takes(side: str, before: str) -> str:
    """What a side does to the initiative that `before` had it: it keeps or takes it."""
    if side == before:
        return fit_verb(side, "keeps", "keep")
    return fit_verb(side, "takes", "take")
