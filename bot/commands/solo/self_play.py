"""The acts of a side that plays itself: its orders, its rolls, and the questions that need eyes.

After each command that makes it the move of such a side, the side acts in the same commit. The map
is on the table, so whom a unit sees is asked: the answer is a button. All events of the side are
marked as its own (field `plays`), and any player's command can lead to them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.commands.context import Context, replace_command
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.play.play import handle_sequence
from bot.commands.solo.order_questions import OrderedUnit, OrderQuestions, Question
from bot.commands.turns.mentions import call_sides
from bot.commands.turns.turn import begin_phase
from bot.commands.turns.turn_card import (
    build_phase_buttons,
    count_buttons_across,
    format_turn_and_phase,
    phase_over,
)
from bot.game.phases import (
    IMPULSES,
    apply_pass,
    describe_whose_go,
    format_phase_title,
    get_go_kind,
)
from bot.game.rights import need_player
from bot.game.roster import apply_changes, find_units_by_name
from bot.game.self_play import (
    MAX_SEARCHED_EVENTS,
    Rule,
    build_order_options,
    can_begin,
    find_open_order,
    find_self_played_side,
    fits_rule,
    get_order_rule,
    get_ordered_unit,
    get_phase_rule,
    gives_orders,
    has_acted,
    is_order,
    list_able_units,
    list_enemies,
    list_order_words,
    list_ordered_units,
    list_own_events,
)
from bot.game.sides import fit_verb
from bot.game.state import Game, Json
from bot.presentation.events import THE_TABLE
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Change, Line
from bot.rules.text.phrase import capitalize_first
from bot.rulesets.game_keys import ORDER
from bot.rulesets.system import System
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Button, Menu, MenuEntry, Reply
from bot.verification.follows.turn import HANDS_OVER, PASSES, format_chit_words

BETWEEN = ","
"""What separates the answers in a button."""
MOST_ACTS = 60
"""Maximum number of acts after one command, as many as a side of sixty units needs for a phase."""
SHORT_BUTTONS = 3
MOST_BUTTONS = 15
"""Maximum number of answers that are buttons; more are menus."""
MOST_ENTRIES = 25
"""Maximum number of entries of a menu on Discord."""
_KEPT = ("odds", "dice")
"""Buttons of a shot that stay under the answer in which the side hands over."""


@dataclass(slots=True)
class OrderAnswers:
    """The answers of a player to the questions of one order, the event `number`."""

    number: int
    answers: tuple[str, ...]


@dataclass(slots=True)
class _Acts:
    """What a side that plays itself has done after one command, and what it asks at the end."""

    replies: list[Reply] = field(default_factory=list)
    orders: list[Reply] = field(default_factory=list)
    """Those of the replies that are rolls for an order."""
    number: int = 0
    """The last event that did something: its *Undo* is under the answer."""
    question: Reply | None = None
    card: Reply | None = None
    """The card of a phase that began, or the question who won, if it is the last reply."""


@declare_button("selfplay", of=ButtonOf.GAME)
async def press_self_play(context: Context) -> Reply:
    """Let the side act that plays itself and is to move. Raise UserError if none is."""
    game = context.need_started()
    need_player(game, context.actor)
    if not find_self_played_side(game):
        raise UserError("The side to play no longer plays itself.", code="phase-over")
    context.lets_play = True
    return Reply("")


@declare_button("order", of=ButtonOf.GAME)
async def press_order_answer(context: Context, number: int, answers: str) -> Reply:
    """Answer the question of order `number`. Raise UserError if that is no longer asked."""
    game = context.need_started()
    need_player(game, context.actor)
    order = find_open_order(await _list_own_events(context))
    if order is None or order["number"] != number:
        raise UserError("That order has already been carried out or undone.", code="phase-over")
    context.lets_play = True
    context.order_answers = OrderAnswers(number, tuple(answers.split(BETWEEN)))
    return Reply("")


async def let_sides_play(context: Context, reply: Reply) -> Reply:
    """Let sides that play themselves act after a command, and return its answer with their acts.

    They act if it has become their move, or if the player lets them. After an undo nothing acts by
    itself, or the undone act would be done again at once.
    """
    ledger = context.ledger
    if reply.error:
        return reply
    if not (context.lets_play or _has_changed_move(context) or _has_chosen(context)):
        return _offer_to_act(context, reply)
    if ledger.bodies and not context.lets_play:
        ledger.record_first_line(reply.standalone.first_line)
    acts = await _act(context)
    if not acts.replies and acts.question is None and acts.card is None:
        return reply
    return await _build_answer(context, reply, acts)


def _offer_to_act(context: Context, reply: Reply) -> Reply:
    """Add the button that lets a side act to the answer of an undo or redo that made it its move."""
    kinds = {body["kind"] for body in context.ledger.bodies}
    if not kinds & {"undo", "redo"} or not find_self_played_side(context.game):
        return reply
    acts, *_ = build_phase_buttons(context)
    return replace(reply, buttons=(acts, *reply.buttons))


def _has_chosen(context: Context) -> bool:
    """Return whether the command made the choice that a side that plays itself waited for."""
    kinds = {body["kind"] for body in context.ledger.bodies}
    return "choice" in kinds and bool(find_self_played_side(context.game))


def _has_changed_move(context: Context) -> bool:
    """Return whether the command has changed the turn, phase, chit in play or whose move it is.

    Return False without events, and for a start, an end, a resume, an undo or a redo.
    """
    kinds = {body["kind"] for body in context.ledger.bodies}
    if not kinds or kinds & {"start", "undo", "redo", "end", "resume"}:
        return False
    before = context.ledger.game_before
    after = context.ledger.game
    return (before.go, before.led, format_turn_and_phase(before)) != (
        after.go,
        after.led,
        format_turn_and_phase(after),
    )


async def _act(context: Context) -> _Acts:
    """Let the side act until a player is to move, has to answer, or the game waits for a choice."""
    acts = _Acts()
    moment = _get_moment(context.ledger.game_before)
    for _ in range(MOST_ACTS):
        game = context.game
        if _get_moment(game) != moment:
            moment = _get_moment(game)
            await _run_for_phase(context, acts)
        side = find_self_played_side(context.game)
        if not side or acts.question is not None:
            break
        await _act_once(context, side, acts)
    if _get_moment(context.game) != moment:  # the last act of them all ended the phase
        await _run_for_phase(context, acts)
    return acts


def _get_moment(game: Game) -> tuple[str, str]:
    """Return the turn and phase, and the chit in play."""
    return format_turn_and_phase(game), game.led


async def _run_for_phase(context: Context, acts: _Acts) -> None:
    """Run the sequence of the phase or chit that has just begun, for each side that plays itself.

    A chit runs it on the units that it names. A sequence that gives orders waits for the side's
    move.
    """
    system = context.system
    rule = get_phase_rule(context.game, system)
    if system is None or not rule or gives_orders(rule, system):
        return
    for side in context.game.self_played:
        units = list_able_units(context.game, system, side, rule)
        if units:
            try:
                await _play(context, side, rule["run"], build_order_options(units, rule), acts)
            except UserError as error:
                acts.replies.append(Reply(f"{side}: {error.message}"))


async def _act_once(context: Context, side: str, acts: _Acts) -> None:
    """Carry out the open order of a side, or give the next one; if no unit is left, hand over.

    In a phase of impulses the side hands over after one order, at once or when the choice is made
    that this waits for.
    """
    system = _need_system(context)
    has_impulses = get_go_kind(context.game, system) == IMPULSES
    own_events = await _list_own_events(context)
    if has_impulses and has_acted(own_events):
        await _hand_over(context, side, acts, acted=True)
        return
    order = find_open_order(own_events) or await _give_order(context, side, acts)
    if order is None:
        await _hand_over(context, side, acts, acted=False)
        return
    given = context.order_answers
    context.order_answers = None
    answers: tuple[str, ...] = ()
    if given is not None and given.number == order["number"]:
        answers = given.answers
    await _carry_out(context, side, order, answers, acts)
    if acts.question is None and has_impulses and not context.game.waits:
        await _hand_over(context, side, acts, acted=True)


async def _give_order(context: Context, side: str, acts: _Acts) -> Json | None:
    """Roll for the next order, and return its event; None if no unit is left that can have one."""
    system = _need_system(context)
    rule = get_phase_rule(context.game, system)
    if not gives_orders(rule, system):
        return None
    ordered = list_ordered_units(await _list_own_events(context))
    units = list_able_units(context.game, system, side, rule, ordered)
    if not units:
        return None
    await _play(context, side, rule["run"], build_order_options(units, rule), acts)
    return context.ledger.bodies[-1]


async def _list_own_events(context: Context) -> list[Json]:
    """Return the events of sides that play themselves since the phase or chit began, newest first."""
    stored = await context.load_recent_events(MAX_SEARCHED_EVENTS)
    return list_own_events([*reversed(context.ledger.bodies), *stored])


async def _carry_out(
    context: Context, side: str, order: Json, answers: tuple[str, ...], acts: _Acts
) -> None:
    """Carry out an order, or the next one that is possible. Ask for what only the map tells.

    `answers` are those that the player has given so far, one for each question.
    """
    name = get_ordered_unit(order)
    rolled_word = str(order["out"][ORDER])
    remaining = list(answers)
    for word in list_order_words(_need_system(context), rolled_word):
        rule = get_order_rule(_need_system(context), word)
        questions = await _read_questions(context, side, name, rule, remaining)
        if questions is not None:
            options = questions.read()
            if questions.next_question is not None:
                given = answers[: len(answers) - len(questions.unused)]
                acts.question = build_question(
                    context, order["number"], name, rule, questions.next_question, given
                )
                return
            remaining = questions.unused
            if options is not None and await _execute(
                context, side, name, word, rule, options, acts
            ):
                return
    _note_order(context, side, name, rolled_word, context.game, acts)
    acts.replies.append(Reply(f"{name} can't do anything now", by=THE_TABLE))


async def _read_questions(
    context: Context, side: str, name: str, rule: Rule, answers: list[str]
) -> OrderQuestions | None:
    """Return the questions of an order for a unit, None if it cannot carry it out."""
    system = _need_system(context)
    unit = next(iter(find_units_by_name(context.game, [name])), None)
    if unit is None or not can_begin(context.game, unit, rule, system):
        return None
    ordered = list_ordered_units(await _list_own_events(context))
    phase_rule = get_phase_rule(context.game, system)
    helpers = [
        helper
        for helper in list_able_units(context.game, system, side, phase_rule, ordered)
        if fits_rule(helper, rule, system)
    ]
    enemies = list_enemies(context.game, system, side, rule)
    return OrderQuestions(OrderedUnit(name, helpers), rule, enemies, answers)


async def find_open_question(context: Context) -> Reply | None:
    """Return the first question of the order that waits for an answer; None if none does.

    Answers are kept in the buttons alone, so an order that was answered in part asks again from
    its first question.
    """
    side = find_self_played_side(context.game)
    order = find_open_order(await _list_own_events(context)) if side else None
    if order is None:
        return None
    name = get_ordered_unit(order)
    for word in list_order_words(_need_system(context), str(order["out"][ORDER])):
        rule = get_order_rule(_need_system(context), word)
        questions = await _read_questions(context, side, name, rule, [])
        if questions is None:
            continue
        questions.read()
        if questions.next_question is not None:
            return build_question(context, order["number"], name, rule, questions.next_question, ())
    return None


def build_question(
    context: Context,
    number: int,
    name: str,
    rule: Rule,
    question: Question,
    given: tuple[str, ...],
) -> Reply:
    """Build a question of order `number` with a button for each answer, after those `given`."""
    buttons = tuple(
        context.build_button("order", label, number, BETWEEN.join((*given, answer)))
        for answer, label in question.choices
    )
    says = capitalize_first(str(rule["says"]).format(name))
    menus: tuple[Menu, ...] = ()
    if len(buttons) > MOST_BUTTONS:
        # the last choice, nobody, stays a button
        menus = tuple(
            Menu("Choose", tuple(MenuEntry(button.action, button.label) for button in part))
            for part in _split_for_menus(buttons[:-1])
        )
        buttons = buttons[-1:]
    return Reply(
        question.text,
        menus=menus,
        by=f"{says}, {THE_TABLE}" if given else THE_TABLE,
        tone=WAITING,
        buttons=buttons,
        across=SHORT_BUTTONS,
        quiet=bool(given),
    )


def _split_for_menus(buttons: tuple[Button, ...]) -> Iterator[tuple[Button, ...]]:
    """Yield the buttons in parts that fit a menu."""
    for start in range(0, len(buttons), MOST_ENTRIES):
        yield buttons[start : start + MOST_ENTRIES]


async def _execute(
    context: Context,
    side: str,
    name: str,
    word: str,
    rule: Rule,
    options: Mapping[str, object],
    acts: _Acts,
) -> bool:
    """Play the sequence of an order, or put its markers on. Return whether it was possible."""
    if "run" in rule:
        inputs = {**(rule.get("sets") or {}), **options}
        context.ledger.order = word
        try:
            await _play(context, side, rule["run"], inputs, acts)
        except UserError:
            return False
        finally:
            context.ledger.order = ""
        return True
    change = Change(name, mark=frozenset(rule.get("mark") or ()))
    game_after = apply_changes(context.game, [change], context.system)
    _note_order(context, side, name, word, game_after, acts)
    says = capitalize_first(str(rule["says"]).format(name))
    acts.replies.append(Reply(says, by=THE_TABLE))
    context.ledger.record_first_line(acts.replies[-1].first_line)
    return True


def _note_order(
    context: Context, side: str, name: str, word: str, game_after: Game, acts: _Acts
) -> None:
    """Log that a unit has had the order `word`, which runs no sequence or cannot be carried out.

    The event changes the game to `game_after`; `acts` gets its number. The caller adds the reply.
    """
    context.ledger.order = word
    try:
        _add_own(context, side, "unit", game_after, f"{name}: {word}", acts)
    finally:
        context.ledger.order = ""


def _need_system(context: Context) -> System:
    """Return the rule set of the game. A side only plays itself in a game that has one."""
    assert context.system is not None
    return context.system


async def _play(
    context: Context, side: str, run: str, options: Mapping[str, object], acts: _Acts
) -> None:
    """Play a sequence as the side. Raise UserError, before the first die, if it is refused."""
    assert context.system is not None
    command = context.command
    context.ledger.plays = side
    context.is_confirmed = True
    try:
        replace_command(context, (context.system.id, run), options)
        reply = await handle_sequence(context)
    finally:
        context.command = command
        context.ledger.plays = ""
    has_order = is_order(context.ledger.bodies[-1])
    if has_order:
        # what counts without a modifier plays no part in an order
        reply = replace(reply, lines=tuple(line for line in reply.lines if isinstance(line, Line)))
    reply = replace(reply, by=THE_TABLE if has_order else f"{reply.by}, by the table")
    context.ledger.record_first_line(reply.first_line)
    acts.number = context.ledger.bodies[-1]["number"]
    acts.replies.append(reply)
    if has_order:
        acts.orders.append(reply)


def _add_own(
    context: Context, side: str, kind: str, game_after: Game, result: str, acts: _Acts
) -> None:
    """Log an event without dice as an act of the side. It changes the game to `game_after`.

    `result` is the text of the event in the log. `acts` gets its number, unless it is a "pass".
    """
    context.ledger.plays = side
    try:
        context.ledger.add(kind, game_after, result=result)
    finally:
        context.ledger.plays = ""
    if kind != "pass":
        acts.number = context.ledger.bodies[-1]["number"]


async def _hand_over(context: Context, side: str, acts: _Acts, *, acted: bool) -> None:
    """Hand over for the side. If that ends the phase, begin the next one.

    `acted`: the side had an order in its impulse. Without one it passes its impulse; in a phase
    without impulses it is simply done. The event, and the reply or the card of the next phase, are
    added to `acts`.
    """
    game = context.game
    system = context.system
    game_after = apply_pass(game, system, side, acted=acted)
    is_over = format_turn_and_phase(game_after) != format_turn_and_phase(game)
    words = format_chit_words(game) if game.led else f"{side} {HANDS_OVER if acted else PASSES}"
    result = f"{words}; {format_phase_title(game_after, system)}" if is_over else words
    _add_own(context, side, "pass", game_after, result, acts)
    passes = not acted and get_go_kind(game, system) == IMPULSES and not game.led
    sentence = f"{side} {PASSES}" if passes else f"{side} {fit_verb(side, 'is', 'are')} done"
    if is_over:
        context.ledger.record_first_line(sentence)
        reason = f"{sentence}. {phase_over(game, system)}"
        acts.card = await begin_phase(context, game, game_after, (reason,))
        context.ledger.record_first_line(acts.card.first_line)
        if find_self_played_side(context.game):
            acts.replies.append(replace(acts.card, buttons=(), mention=()))
            acts.card = None
    elif not acted:
        acts.replies.append(Reply(sentence))


async def _build_answer(context: Context, reply: Reply, acts: _Acts) -> Reply:
    """Build the answer to a command after which sides have played themselves."""
    lines = list[Part]()
    if not context.lets_play:
        lines += _shorten_own_answer(reply)
    replies = list(acts.replies)
    last = acts.question or acts.card or (replies.pop() if replies else reply)
    for earlier in replies:
        lines += _list_lines_of_act(earlier, acts)
    lines += last.lines
    game = context.game
    buttons = last.buttons
    mention = last.mention
    if acts.question is None and acts.card is None and not game.waits:
        lines.append(Small(f"→ {capitalize_first(describe_whose_go(game))}"))
        kept = [button for button in buttons if button.action.partition(":")[0] in _KEPT]
        buttons = (*build_phase_buttons(context, without=("remember",)), *kept)
        mention = await call_sides(context, game, game.go)
    if acts.number:
        buttons = (*buttons, context.build_undo_button(acts.number))
    return replace(
        last,
        lines=tuple(lines),
        buttons=buttons,
        menus=last.menus if acts.question is not None else (),
        mention=mention,
        trace=(),
        across=last.across if acts.question is not None else count_buttons_across(buttons),
    )


def _list_lines_of_act(reply: Reply, acts: _Acts) -> list[Part]:
    """Return the lines of an act that is not the last one.

    Of an order these are its dice alone, because the act that follows says what the unit does.
    """
    lines = list(reply.visible_lines)
    return lines if reply in acts.orders and lines else [reply.first_line, *lines]


def _shorten_own_answer(reply: Reply) -> list[Part]:
    """Return the answer to the player's command as the first lines of the common answer."""
    if reply.tone == WAITING and reply.by:  # a hand-over: who is next follows anyway
        return [Small(f"{reply.by}.")]
    return [reply.first_line, *reply.visible_lines]
