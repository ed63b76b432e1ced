"""`/choose` and its buttons: a sequence asks a side to choose, and goes on with the choice.

If nobody has chosen by the deadline, the sequence goes on with its `else` option. The data of a
pending choice, `choice` below, are `Game.waits` by event number: `ask` (the question), `options`
(typed words), `says` (their labels, "" for none), `else` (the option at the deadline), `due` (Unix
seconds), and if they apply `side` (the side that chooses) and `items` (the units to choose for).
"""

import re
from dataclasses import replace
from functools import partial

from bot.commands.closed_piles import save_seen_cards
from bot.commands.context import Amendment, Context, build_play_facts
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.turns.done_under_shot import build_done_button
from bot.commands.turns.mentions import call_sides
from bot.game.events import get_event_system, is_current, merge_choices
from bot.game.pending import Hold
from bot.game.rights import need_hand_dice
from bot.game.roster import find_units_by_name, get_system_roster
from bot.game.state import Game, Json
from bot.game.undo import EDITION, build_undo_fields, is_remembered
from bot.loading.undo_search import find_undoable
from bot.presentation.derived_inputs import collect_tracks_after_choice
from bot.presentation.play_record import (
    PlayRecord,
    apply_play_record,
    build_choice_json,
    get_asked_side,
)
from bot.presentation.reach import compute_reach
from bot.presentation.run_sequence import run_sequence
from bot.rules.errors import DieOwed, UserError
from bot.rules.text.names import join_names
from bot.rules.text.normalize import COMMAS, comparison_key
from bot.rules.text.phrase import Phrase, Typed, capitalize_first, phrase
from bot.rules.text.plain import make_one_line
from bot.storage.base import DAY
from bot.storage.records import DueRow, Outgoing
from bot.ui.common_options import HAND_DICE, build_optional
from bot.ui.reply.parts import Small, build_date
from bot.ui.reply.reply import OVER, Button, Reply
from bot.ui.spec import CommandSpec
from bot.ui.typing.command_text import format_command
from bot.verification.follows.rolls import DIRECTOR, ELSE

CHOICE, CHOOSES = "choice", "choose"
LABEL = 75
"""Maximum number of characters of a button's label."""
WAIT = 2 * DAY
"""Seconds until a choice is due."""
LATER = 60.0
"""Seconds after the deadline of another choice until a choice that waits for it is due again."""


async def ask_side(context: Context, reply: Reply, record: PlayRecord, facts: Json) -> Reply:
    """Store the event of a sequence that waits for a choice, and return its answer with a button
    for each option.

    The changes of the play are not applied yet. `facts` are the fields of the event; its `side` is
    that of the units that act.
    """
    game = context.game
    side = get_asked_side(game, record.choice_requests, facts.pop("side", context.actor.side))
    choice = build_choice_json(record)
    if side:
        choice["side"] = side
    unit_names = [unit["name"] for unit in facts["used"]]
    if unit_names:
        choice["units"] = unit_names
    choice["due"] = int(context.now + WAIT)
    facts["asks"] = choice
    game_after = apply_play_record(game, record._replace(changes=()), context.systems)
    body = context.ledger.add(record.kind, game_after, **facts)
    number = body["number"]
    mention = await call_sides(context, game, (side,), spares=False) if side else ()
    question = _build_question(context, reply, number, choice, ())
    undo_button = context.build_undo_button(number)
    return replace(question, mention=mention, buttons=(*question.buttons, undo_button))


def _build_question(
    context: Context, reply: Reply, number: int, choice: Json, picked: tuple[int, ...]
) -> Reply:
    """Return the reply with a line on the choice of event `number`, and buttons for it.

    Units choose one after the other: the buttons are for the first that is not `picked` (option
    indices of the units so far). A public reply also shows the commands to type.
    """
    chooser = choice.get("side") or "Somebody"
    default = _get_option_text(choice, choice["else"])
    pieces: list[str | Typed] = []
    if not reply.private:
        commands = [Typed(f"/choose {option}") for option in choice["options"]]
        pieces = [": ", *_join_with_or(commands)]
        item_count = len(choice.get("items", []))
        if item_count > 1:
            pieces.append(f" (for all {item_count}, or one for each, separated by commas)")
    due_date = build_date(choice["due"])
    line = Phrase(
        f"{chooser} can choose until ", due_date, *pieces, f"; after that, it's {default}."
    )
    return replace(
        reply,
        lines=(*reply.lines, Small(line)),
        buttons=_build_option_buttons(context, number, choice, picked),
    )


def list_own_questions(context: Context) -> list[Reply]:
    """Return the pending choices that the user may make, each with a button for each option."""
    return [
        Reply(
            f"#{number}: {choice['ask']}",
            buttons=_build_option_buttons(context, number, choice, ()),
        )
        for number, choice in context.game.waits.items()
        if can_choose(context, choice)
    ]


def can_choose(context: Context, choice: Json) -> bool:
    """Return whether the user may make a pending choice."""
    return _find_role_to_choose(context, context.game, choice) is not None


def _join_with_or(commands: list[Typed]) -> list[str | Typed]:
    """Return the pieces of a phrase that joins the commands with *or*."""
    pieces: list[str | Typed] = []
    for command in commands:
        if pieces:
            pieces.append(" or ")
        pieces.append(command)
    return pieces


def _build_option_buttons(
    context: Context, number: int, choice: Json, picked: tuple[int, ...]
) -> tuple[Button, ...]:
    """Return a button for each option of the next unit to choose for, or of the only question."""
    items = choice.get("items", [])
    item_prefix = f"{items[len(picked)]}: " if len(items) > 1 else ""
    buttons = list[Button]()
    for index, option in enumerate(choice["options"]):
        label = _format_option_label(item_prefix, choice["says"][index], option)
        indices = "".join(map(str, (*picked, index)))
        buttons.append(context.build_button(CHOOSES, label, number, indices, style="primary"))
    return tuple(buttons)


def _format_option_label(item_prefix: str, option_text: str, option: str) -> str:
    """Return the label of an option's button: its text, or its typed word if the text is "" or too
    long for a button.
    """
    text = option_text
    if not option_text or len(item_prefix + option_text) > LABEL:
        text = option.replace("-", " ")
    return capitalize_first(item_prefix + text)


def _get_option_text(choice: Json, option: str) -> str:
    """Return the text of an option, or its typed word if it has no text."""
    texts = dict(zip(choice["options"], choice["says"], strict=True))
    return str(texts[option] or option)


@declare_command(
    "choose",
    "Answer a question to your side: casualties, going to ground and so on",
    build_optional(
        "option",
        "one of the options; if it asks about each unit, one for each, with commas",
        complete="choice",
    ),
    build_optional(
        "event",
        "the number of the question; blank: the first one waiting for you",
        type="int",
        min=1,
        max=10**9,
    ),
    HAND_DICE,
    example="suppressed event=12",
    needs_game=True,
)
async def choose_options(context: Context) -> Reply:
    """Continue a sequence with the typed option, or with one for each unit, separated by commas.

    Without an event number, the first pending choice of the user counts. Without an option, return
    the question privately.

    Raises UserError if no choice is pending there, if it is not the user's, and for an unknown
    option or a wrong number of them.
    """
    options = context.clean_options()
    game = context.need_open()
    if not game.waits:
        raise UserError("There is nothing to choose right now.", code="no-choice")
    own_numbers = [
        event_number
        for event_number, choice in game.waits.items()
        if _find_role_to_choose(context, game, choice) is not None
    ]
    number = options["event"] or (own_numbers or sorted(game.waits))[0]
    choice = _get_choice(game, number)
    if not options["option"]:
        lines = []
        for option in choice["options"]:
            text = capitalize_first(_get_option_text(choice, option))
            lines.append(Phrase(f"{text}: ", Typed(f"/choose {option} event={number}")))
        question = Reply(choice["ask"], tuple(lines), by=f"#{number}", private=True)
        return _build_question(context, question, number, choice, ())
    picks = _parse_picks(number, choice, options["option"])
    return await _continue_sequence(context, number, picks, hand=options["hand"])


def _parse_picks(number: int, choice: Json, typed: str) -> list[str]:
    """Return the option for each unit of the choice of event `number`. One typed option counts for
    all.

    Raises UserError for an unknown option, and for a wrong number of options.
    """
    picks = [comparison_key(word).replace(" ", "-") for word in re.split(COMMAS, typed)]
    unknown = [pick for pick in picks if pick not in choice["options"]]
    if unknown:
        hint = f"Choose one of {', '.join(choice['options'])}."
        raise UserError(
            f'#{number} has no option "{unknown[0][:40]}".',
            hint=hint,
            option="option",
            code="bad-value",
        )
    count = len(choice.get("items", [""]))
    if len(picks) == 1:
        return picks * count
    if len(picks) != count:
        message = f"#{number} needs just one answer."
        if count > 1:
            message = f"#{number} needs {count} answers: {', '.join(choice['items'])}."
        raise UserError(
            message,
            hint="Give one option for all, or one for each with commas.",
            option="option",
            code="bad-value",
        )
    return picks


@declare_button("choose", of=ButtonOf.EVENT)
async def press_option(context: Context, number: int, indices: str) -> Reply:
    """Choose an option of event `number` for the next unit, by a button.

    `indices` are the option indices of the units so far, a digit each, with that of this button.
    Return the private question for the next unit, or continue the sequence after the last one.

    Raises UserError if the choice is no longer pending, or is not the user's.
    """
    choice = _get_choice(context.need_open(), number)
    digits = [int(digit) for digit in indices if digit.isdecimal()]
    picked = tuple(index for index in digits if index < len(choice["options"]))
    _need_role_to_choose(context, number, choice)
    if len(picked) < len(choice.get("items", [""])):
        lines = [
            f"{item}: {choice['says'][index]}"
            for item, index in zip(choice["items"], picked, strict=False)
        ]
        title = f"{capitalize_first(choice['items'][len(picked)])} must choose"
        question = Reply(title, tuple(lines), by=f"#{number}", private=True)
        return _build_question(context, question, number, choice, picked)
    picks = [choice["options"][index] for index in picked]
    return await _continue_sequence(context, number, picks)


def add_answer_buttons(context: Context, error: UserError) -> None:
    """Add to the error of a command that must wait for a choice the buttons that answer it.

    For a user who may not choose, add a hint on who does. Other errors stay as they are.
    """
    hold = error.about
    game = context.game
    if not isinstance(hold, Hold) or hold.number not in game.waits:
        return
    number = hold.number
    choice = game.waits[number]
    side = choice.get("side", "")
    if _find_role_to_choose(context, game, choice) is None:
        players = join_names(context.ledger.list_players(side))
        chooser = f"Nobody plays {side}, so the game master chooses."
        if players:
            chooser = f"{players} chooses for {side}."
        error.hint = make_one_line(f"{choice['ask']} {chooser}")
        return
    commands = [Typed(f"/choose {option} event={number}") for option in choice["options"]]
    question = make_one_line(choice["ask"])
    error.hint = Phrase(f"{question} Choose first: ", *_join_with_or(commands))
    error.buttons = _build_option_buttons(context, number, choice, ())


def _format_picks(choice: Json, picks: list[str]) -> str:
    """Format the chosen options in words. If units chose differently, each option has its units:
    `VC 1 and VC 2: withdraw · VC 3: stay`.
    """
    items_by_option: dict[str, list[str]] = {}
    for pick, item in zip(picks, choice.get("items", [""]), strict=True):
        items_by_option.setdefault(_get_option_text(choice, pick), []).append(item)
    if len(items_by_option) == 1:
        return next(iter(items_by_option))
    return " · ".join(f"{join_names(items)}: {text}" for text, items in items_by_option.items())


def _get_choice(game: Game, number: int) -> Json:
    """Return the pending choice of an event. Raises UserError if it has none, or no longer."""
    if number not in game.waits:
        hint = "That has already been chosen or undone."
        raise UserError(
            f"#{number} is not waiting for a choice.", hint=hint, option="event", code="no-choice"
        )
    return game.waits[number]


def _find_role_to_choose(context: Context, game: Game, choice: Json) -> str | None:
    """Return the role in which the user may choose: "" for the side that is asked, DIRECTOR for a
    director if nobody plays that side.

    Return None if the user may not choose. If no side is asked, everybody may.
    """
    side = choice.get("side", "")
    actor = context.actor
    if not side or actor.side == side:
        return ""
    if actor.directs and side not in game.players.values():
        return DIRECTOR
    return None


def _need_role_to_choose(context: Context, number: int, choice: Json) -> str:
    """Return the role in which the user may choose. Raises UserError if they may not."""
    role = _find_role_to_choose(context, context.game, choice)
    if role is None:
        raise UserError(f"#{number} is {choice['side']}'s choice.", code="not-yours")
    return role


async def _continue_sequence(
    context: Context, number: int, picks: list[str], *, role: str = "", hand: str = ""
) -> Reply:
    """Continue the sequence of event `number` with the chosen options `picks`, and store its event.

    `role` is ELSE at the deadline; without it the role of the user is determined, who must be
    allowed to choose. `hand` are the values of real dice. If the rules of the sequence have changed
    since, the sequence is taken back instead.

    Raises UserError if the choice is no longer pending or not the user's, if another choice must
    come first, and for real dice that do not fit.
    """
    game = context.game
    choice = _get_choice(game, number)
    role = role or _need_role_to_choose(context, number, choice)
    bodies = await load_continued_events(context, number)
    play = merge_choices({"kind": CHOICE, "event": number, "picks": picks}, bodies)
    first_event = bodies[min(bodies)]
    system = get_event_system(first_event, context.systems)
    if system is None or not is_current(first_event, context.systems):
        return await _take_back_after_update(context, number)
    target = first_event["target"]
    spec = CommandSpec((system.id, target), target, "sequence", system=system.id)
    sequence = system.find_sequence(target)
    roster = get_system_roster(context.game, sequence.system)
    play_with_tracks = {**play, "read": first_event.get("read")}
    tracks = collect_tracks_after_choice(sequence, play_with_tracks, roster, game)
    reach = compute_reach(sequence, play["inputs"], roster, game, tracks, context.systems)
    context.ledger.need_free(reach, number)
    need_hand_dice(game, hand)
    inputs = {**play["inputs"], **play["chosen"], "hand": hand}
    earlier_dice = tuple(die["value"] for die in play["fell"])
    dice = context.get_dice()
    try:
        reply, record = run_sequence(
            sequence, spec, inputs, context.user_name, dice, roster, tracks, earlier_dice
        )
    except UserError as error:
        if isinstance(error.about, DieOwed):
            hand_values = ",".join(map(str, (*error.about.given, "?")))
            options = {"event": number, "option": ",".join(picks), "hand": hand_values}
            command = format_command(context.spec, options)
            error.hint = Phrase("Roll it, and type the result in place of the ?: ", Typed(command))
        raise
    record = record._replace(kind=CHOICE, inputs={})
    units = find_units_by_name(game, record.units)
    facts = build_play_facts(context, spec.path, record, units)
    facts = {name: value for name, value in facts.items() if name not in ("command", "inputs")}
    facts |= {"event": number, "picks": picks, "as": role}
    picks_text = _format_picks(choice, picks)
    subject = f"{context.user_name} chooses"
    if role == ELSE:
        subject = "nobody chose in time"
    reply = replace(reply, by=f"{subject}: {picks_text}")
    if record.choice_requests:
        side_facts = facts | {"side": first_event["side"]}
        reply = await ask_side(context, reply, record, side_facts)
    else:
        game_after = apply_play_record(game, record, context.systems)
        body = context.ledger.add(CHOICE, game_after, **facts)
        acting_units = find_units_by_name(game, first_event.get("acting") or ())
        sides = [unit.side for unit in acting_units]
        done_buttons = build_done_button(context, body["number"], sides)
        undo_button = context.build_undo_button(body["number"])
        reply = replace(reply, buttons=(*done_buttons, undo_button))
    _amend_question(context, number, f"#{context.ledger.game.number}: {picks_text}")
    context.pressed_topic = ""
    return reply


async def load_continued_events(context: Context, number: int) -> dict[int, Json]:
    """Load an event, and the events that it continues back to the start of its sequence, by number."""
    bodies = {number: await context.load_event(number) or {}}
    first_number = number
    while bodies[first_number].get("kind") == CHOICE:
        continued_number = bodies[first_number]["event"]
        bodies[continued_number] = await context.load_event(continued_number) or {}
        first_number = min(bodies)
    return bodies


def _amend_question(context: Context, number: int, result: str) -> None:
    """Reword the question of event `number`: its last line says what was chosen, and its buttons
    go.
    """
    new_form = partial(_mark_question_answered, result)
    context.amendments.append(Amendment(context.build_topic(number), new_form))


def _mark_question_answered(result: str, question: Reply | None) -> Reply | None:
    """Return the question with the result in place of its last line, without buttons.

    Return None if the question was not kept.
    """
    if question is None:
        return None
    lines = (*question.lines[:-1], Small(f"Chosen in {result}"))
    return replace(question, lines=lines, buttons=(), mention=())


async def _take_back_after_update(context: Context, number: int) -> Reply:
    """Undo the sequence of event `number`, because its rules have changed since it asked.

    Nobody has to agree. Raises UserError if the event cannot be undone.
    """
    undoable, _ = await find_undoable(context.store, context.ledger, number)
    if undoable.event is None:
        raise UserError(
            f"#{number} was asked under a version of the rules that no longer exists.",
            hint=phrase("Undo it first: `/game undo`"),
            code="choice-first",
        )
    if is_remembered(undoable.event):
        await save_seen_cards(context, undoable.event)
    fields = build_undo_fields(undoable.event, undoable.last, context.game)
    context.ledger.add("undo", reason=EDITION, **fields)
    line = "The rules have been updated since the question, so the shot is undone. Roll it again."
    _amend_question(context, number, "no answer: undone")
    return Reply(f"#{number} is undone", (line,), by="by an update", tone=OVER)


async def choose_default(context: Context, row: DueRow) -> None:
    """Continue a sequence with its `else` option at the deadline, and post the answer in the
    game's channels.

    Nothing happens if the choice was made or put off. If it must wait for another choice, it is
    due again after that.
    """
    context.commit.drop_due.append((row.key, row.at))
    number = row.data["event"]
    ledger = context.ledger
    choice = context.game.waits.get(number, {})
    if ledger.row != row.game or not 0 < choice.get("due", 0) <= row.at:
        return
    picks = [choice["else"]] * len(choice.get("items", [""]))
    try:
        reply = await _continue_sequence(context, number, picks, role=ELSE)
    except UserError as error:
        if not isinstance(error.about, Hold):
            raise
        other_due = context.game.waits[error.about.number].get("due", 0)
        new_due = max(other_due, int(context.now)) + LATER
        context.commit.due.append(row._replace(at=new_due))
        return
    reply = replace(reply, footer=(f"#{ledger.game.number}",))
    topic = context.build_topic(ledger.game.number)
    for channel in ledger.places:
        context.commit.outbox.append(Outgoing(channel, {}, 0.0, reply.to_json(), topic))
