"""A side chooses in the middle of a sequence: it is asked, with buttons; `/choose` or one of these
carries it on, and so does its `else` at the deadline."""

import re
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
from bot.game.undo import EDITION, build_undo_fields, find_undoable, is_remembered
from bot.presentation.derived_inputs import collect_tracks_after_choice
from bot.presentation.play_record import (
    ReplyWithRecord,
    apply_play_record,
    build_choice_json,
    get_asked_side,
)
from bot.presentation.reach import compute_reach
from bot.presentation.run_sequence import run_sequence
from bot.rules.copies import replace
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
"""Characters of a button."""
WAIT = 2 * DAY
"""Seconds until what nobody chose counts as its `else`."""
LATER = 60.0
"""Seconds after another choice's deadline until a choice that has to wait for it is looked at
again.
"""


async def ask_side(context: Context, outcome: ReplyWithRecord, facts: Json) -> Reply:
    """The event that asks a side, and the answer with a button for each option; no unit has
    changed yet.
    """
    happening = outcome.happening
    game = context.game
    assert happening is not None
    asks = build_choice_json(happening)
    side = get_asked_side(game, happening.asks, facts.pop("side", context.actor.side))
    names = [unit["name"] for unit in facts["used"]]
    more = {"side": side, "units": names, "due": int(context.now + WAIT)}
    facts["asks"] = asks | {name: value for name, value in more.items() if value}
    after = apply_play_record(game, happening._replace(changes=()), context.systems)
    body = context.ledger.add(happening.kind, after, **facts)
    calls = await call_sides(context, game, (side,), spares=False) if side else ()
    reply = _build_question(context, outcome.reply, body["number"], facts["asks"], ())
    return replace(
        reply,
        mention=calls,
        buttons=(*reply.buttons, context.build_undo_button(body["number"])),
    )


def _build_question(
    context: Context, reply: Reply, number: int, asks: Json, picked: tuple[int, ...]
) -> Reply:
    """What is asked, with its buttons; of several units one after the other, from the first that
    is not `picked`.
    """
    items = asks.get("items", [])
    who = asks.get("side") or "Somebody"
    otherwise = _get_option_words(asks, asks["else"])
    typed = [piece for option in asks["options"] for piece in (" or ", Typed(f"/choose {option}"))][
        1:
    ]
    for_all = [f" (for all {len(items)}; or one for each, with commas)"] if len(items) > 1 else []
    typed = [": ", *typed, *for_all] if not reply.private else []
    until = Phrase(
        f"{who} chooses until ", build_date(asks["due"]), *typed, f"; then it is: {otherwise}."
    )
    return replace(
        reply,
        lines=(*reply.lines, Small(until)),
        buttons=_build_option_buttons(context, number, asks, picked),
    )


def _build_option_buttons(
    context: Context, number: int, asks: Json, picked: tuple[int, ...]
) -> tuple[Button, ...]:
    """Return a button for each option of the next unit to choose for, or of the only question."""
    items = asks.get("items", [])
    whose = f"{items[len(picked)]}: " if len(items) > 1 else ""
    buttons = list[Button]()
    for place, (option, says) in enumerate(zip(asks["options"], asks["says"], strict=True)):
        more = "".join(map(str, (*picked, place)))
        buttons.append(
            context.build_button(
                CHOOSES, _format_option_label(whose, says, option), number, more, style="primary"
            )
        )
    return tuple(buttons)


def _format_option_label(whose: str, says: str, option: str) -> str:
    """What a button says: the words of the option, or its bare word where these are too long for
    one.
    """
    return capitalize_first(
        whose + (says if 0 < len(whose + says) <= LABEL and says else option.replace("-", " "))
    )


def _get_option_words(asks: Json, option: str) -> str:
    """An option as its button says it."""
    return str(dict(zip(asks["options"], asks["says"], strict=True))[option] or option)


@declare_command(
    "choose",
    "What your side was asked: casualties or going to ground, and the like",
    build_optional(
        "option",
        "one of its options; several with commas where it asks for each unit",
        complete="choice",
    ),
    build_optional(
        "event",
        "the number of the question; if omitted, the first one waiting for you",
        type="int",
        min=1,
        max=10**9,
    ),
    HAND_DICE,
    example="suppressed event=12",
    needs_game=True,
)
async def choose_options(context: Context) -> Reply:
    """`/choose`: the option, or as many with commas as units are asked for; without one, what is
    asked. Raises UserError."""
    options = context.clean_options()
    game = context.need_open()
    if not game.waits:
        raise UserError("Nobody is asked to choose anything here.", code="no-choice")
    mine = [
        at
        for at, asks in game.waits.items()
        if _find_role_to_choose(context, game, asks) is not None
    ]
    number = options["event"] or (mine or sorted(game.waits))[0]
    asks = _get_choice(game, number)
    if not options["option"]:
        listed = [
            Phrase(
                f"{capitalize_first(_get_option_words(asks, option))}: ",
                Typed(f"/choose {option} event={number}"),
            )
            for option in asks["options"]
        ]
        asked = Reply(asks["ask"], tuple(listed), by=f"#{number}", private=True)
        return _build_question(context, asked, number, asks, ())
    words = [comparison_key(word).replace(" ", "-") for word in re.split(COMMAS, options["option"])]
    if strange := [word for word in words if word not in asks["options"]]:
        hint = f"Choose one of {', '.join(asks['options'])}."
        raise UserError(
            f'#{number} has no option "{strange[0][:40]}".',
            hint=hint,
            option="option",
            code="bad-value",
        )
    count = len(asks.get("items", [""]))
    picks = words * count if len(words) == 1 else words
    if len(picks) != count:
        what = (
            f"#{number} asks for {count} answers: {', '.join(asks['items'])}."
            if count > 1
            else f"#{number} asks once."
        )
        raise UserError(
            what, hint="One option, or one for each with commas.", option="option", code="bad-value"
        )
    return await _continue_sequence(context, number, picks, hand=options["hand"])


@declare_button("choose", of=ButtonOf.EVENT)
async def press_option(context: Context, number: int, more: str) -> Reply:
    """A button under the question: the option by its place, behind those of the units before."""
    asks = _get_choice(context.need_open(), number)
    picked = tuple(
        int(digit) for digit in more if digit.isdecimal() and int(digit) < len(asks["options"])
    )
    _need_role_to_choose(context, number, asks)
    if len(picked) < len(asks.get("items", [""])):
        so_far = [f"{asks['items'][at]}: {asks['says'][pick]}" for at, pick in enumerate(picked)]
        asked = Reply(
            f"{capitalize_first(asks['items'][len(picked)])} must choose",
            tuple(so_far),
            by=f"#{number}",
            private=True,
        )
        return _build_question(context, asked, number, asks, picked)
    return await _continue_sequence(context, number, [asks["options"][at] for at in picked])


def add_answer_buttons(context: Context, error: UserError) -> None:
    """Add to a refusal that waits for a choice the buttons that answer it, or who has to answer."""
    hold = error.about
    game = context.game
    if not isinstance(hold, Hold) or hold.number not in game.waits:
        return
    number = hold.number
    asks = game.waits[hold.number]
    side = asks.get("side", "")
    if _find_role_to_choose(context, game, asks) is None:
        players = join_names(context.ledger.list_players(side))
        chooses = (
            f"{players} chooses for {side}."
            if players
            else f"Nobody plays {side}, so the game master chooses."
        )
        error.hint = make_one_line(f"{asks['ask']} {chooses}")
        return
    typed = [Typed(f"/choose {option} event={number}") for option in asks["options"]]
    either = [piece for one in typed for piece in (" or ", one)][1:]
    error.hint = Phrase(f"{make_one_line(asks['ask'])} Choose first: ", *either)
    error.buttons = _build_option_buttons(context, number, asks, ())


def _format_picks(asks: Json, picks: list[str]) -> str:
    """What was chosen in words; where units go different ways, which of them goes which."""
    ways: dict[str, list[str]] = {}
    for pick, item in zip(picks, asks.get("items", [""]), strict=True):
        ways.setdefault(_get_option_words(asks, pick), []).append(item)
    return " · ".join(
        f"{join_names(items)}: {way}" if len(ways) > 1 else way for way, items in ways.items()
    )


def _get_choice(game: Game, number: int) -> Json:
    """What an event asks for. Raises UserError where it does not, or no more."""
    if number not in game.waits:
        hint = "It was chosen, or taken back."
        raise UserError(
            f"#{number} waits for no choice.", hint=hint, option="event", code="no-choice"
        )
    return game.waits[number]


def _find_role_to_choose(context: Context, game: Game, asks: Json) -> str | None:
    """How who asks may choose: as that side (""), as who directs where nobody plays it; None
    where they may not.
    """
    side = asks.get("side", "")
    actor = context.actor
    if not side or actor.side == side:
        return ""
    return DIRECTOR if side not in game.players.values() and actor.directs else None


def _need_role_to_choose(context: Context, number: int, asks: Json) -> str:
    how = _find_role_to_choose(context, context.game, asks)
    if how is None:
        raise UserError(f"#{number} is for {asks['side']} to choose.", code="not-yours")
    return how


async def _continue_sequence(
    context: Context, number: int, picks: list[str], *, how: str = "", hand: str = ""
) -> Reply:
    """Carry the sequence on with what was chosen: its event, and the answer with what came of
    it.
    """
    game = context.game
    ledger = context.ledger
    asks = _get_choice(game, number)
    how = how or _need_role_to_choose(context, number, asks)
    bodies = await load_continued_events(context, number)
    shot = merge_choices({"kind": CHOICE, "event": number, "picks": picks}, bodies)
    first = bodies[min(bodies)]
    system = get_event_system(first)
    if system is None or not is_current(first):
        return await _take_back_after_update(context, number)
    spec = CommandSpec((system.id, first["target"]), first["target"], "sequence", system=system.id)
    typed = {**shot["inputs"], **shot["chosen"], "hand": hand}
    fell = tuple(die["value"] for die in shot["fell"])
    sequence = system.find_sequence(first["target"])
    roster = get_system_roster(context.game, spec.system)
    read = collect_tracks_after_choice(sequence, {**shot, "read": first.get("read")}, roster, game)
    ledger.need_free(
        compute_reach(sequence, shot["inputs"], roster, game, read, context.systems), number
    )
    need_hand_dice(game, hand)
    try:
        outcome = run_sequence(
            sequence, spec, typed, context.user_name, context.get_dice(), roster, read, fell
        )
    except UserError as error:
        if isinstance(error.about, DieOwed):
            given = {
                "event": number,
                "option": ",".join(picks),
                "hand": ",".join(map(str, (*error.about.given, "?"))),
            }
            error.hint = Phrase("Roll it and type: ", Typed(format_command(context.spec, given)))
        raise
    assert outcome.happening is not None
    happening = outcome.happening._replace(kind=CHOICE, inputs={})
    facts = build_play_facts(
        context, spec.path, happening, find_units_by_name(game, happening.units)
    )
    facts = {name: value for name, value in facts.items() if name not in ("command", "inputs")}
    facts |= {"event": number, "picks": picks, "as": how}
    said = _format_picks(asks, picks)
    chosen = (
        f"nobody chose in time: {said}" if how == ELSE else f"{context.user_name} chooses: {said}"
    )
    reply = replace(outcome.reply, by=chosen)
    if happening.asks:
        reply = await ask_side(
            context,
            outcome._replace(reply=reply, happening=happening),
            facts | {"side": first["side"]},
        )
    else:
        body = ledger.add(CHOICE, apply_play_record(game, happening, context.systems), **facts)
        sides = [unit.side for unit in find_units_by_name(game, first.get("acting") or ())]
        done = build_done_button(context, body["number"], sides)
        reply = replace(reply, buttons=(*done, context.build_undo_button(body["number"])))
    context.amendments.append(
        Amendment(
            context.build_topic(number),
            partial(_mark_question_answered, f"#{ledger.game.number}: {said}"),
        )
    )
    context.pressed_topic = ""
    return reply


async def load_continued_events(context: Context, number: int) -> dict[int, Json]:
    """An event, and where it carries on another one also that, back to the sequence that began
    it.
    """
    bodies = {number: await context.load_event(number) or {}}
    while bodies[at := min(bodies)].get("kind") == CHOICE:
        bodies[bodies[at]["event"]] = await context.load_event(bodies[at]["event"]) or {}
    return bodies


def _mark_question_answered(told: str, said: Reply | None) -> Reply | None:
    """The question once it is answered: with what was chosen, and without its buttons."""
    return said and replace(
        said, lines=(*said.lines[:-1], Small(f"Chosen in {told}")), buttons=(), mention=()
    )


async def _take_back_after_update(context: Context, number: int) -> Reply:
    """The rules are no longer those under which it was asked: all of it is taken back, which
    costs nobody anything.
    """
    found, _ = await find_undoable(context.store, context.ledger, number)
    if found.event is None:
        raise UserError(
            f"#{number} was asked under rules that are gone.",
            hint=phrase("`/game undo` first."),
            code="choice-first",
        )
    if is_remembered(found.event):
        await save_seen_cards(context, found.event)
    context.ledger.add(
        "undo", reason=EDITION, **build_undo_fields(found.event, found.last, context.game)
    )
    told = "The rules were updated since it was asked, so the shot is taken back. Roll it again."
    context.amendments.append(
        Amendment(
            context.build_topic(number), partial(_mark_question_answered, "nothing: taken back")
        )
    )
    return Reply(f"#{number} is taken back", (told,), by="by an update", tone=OVER)


async def choose_default(context: Context, row: DueRow) -> None:
    """The deadline: what nobody chose counts as its `else`."""
    context.commit.drop_due.append((row.key, row.at))
    number = row.data["event"]
    ledger = context.ledger
    asks = context.game.waits.get(number, {})
    if ledger.row != row.game or not 0 < asks.get("due", 0) <= row.at:
        return
    picks = [asks["else"]] * len(asks.get("items", [""]))
    try:
        reply = await _continue_sequence(context, number, picks, how=ELSE)
    except UserError as error:
        if not isinstance(error.about, Hold):
            raise
        first_due = context.game.waits[error.about.number].get("due", 0)
        later = max(first_due, int(context.now)) + LATER
        context.commit.due.append(row._replace(at=later))
        return
    reply = replace(reply, footer=(f"#{ledger.game.number}",))
    for place in ledger.places:
        context.commit.outbox.append(
            Outgoing(place, {}, 0.0, reply.to_json(), context.build_topic(ledger.game.number))
        )
