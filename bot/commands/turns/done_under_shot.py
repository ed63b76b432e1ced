"""*Done* under the shot of the side to play: it hands over right there, and the shot says who is
next.

The shot is edited only while it is the newest event of the game, under ten minutes old, and nobody
is owed a ping. Otherwise, and if the platform refuses the edit, the hand-over is a message of its
own. Older shots lose the button.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from bot.commands.context import Amendment, Context, Rewording
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.turns.turn import press_pass_or_done
from bot.commands.turns.turn_card import (
    PHONE_ROW,
    can_hand_over,
    format_turn_and_phase,
    remove_buttons,
)
from bot.game.events import (
    COMBAT,
    is_card,
    list_effective_events,
)
from bot.game.ledger import Ledger
from bot.game.loaded_game import UNKNOWN_DONE_BUTTON, DoneButton
from bot.game.self_play import find_self_played_side
from bot.game.state import Json
from bot.rules.errors import UserError
from bot.ui.reply.reply import Button, Reply

BUTTON = "handover"
STAYS = ("odds", "dice", "undo")
"""Buttons of a shot that are still of use once its side has handed over."""
NEWEST = 600.0
"""Seconds within which a shot is edited."""
MAX_EVENTS_SINCE_SHOT = 30
"""Events in which a shot with *Done* is looked for after a restart."""


def build_done_button(context: Context, number: int, sides: Iterable[str]) -> tuple[Button, ...]:
    """Return *Done* for the answer to event `number`, in which units of `sides` acted.

    There is none unless one side acted, it is that side's move, and it can hand over in this phase.
    """
    game = context.game
    acting = {side for side in sides if side}
    if len(acting) != 1 or not acting <= {*game.go} or not can_hand_over(game, context.system):
        return ()
    context.ledger.done_button = DoneButton(number)
    index = game.sides.index(acting.pop())
    return (context.build_button(BUTTON, "Done", number, format_turn_and_phase(game), index),)


@declare_button("handover", of=ButtonOf.EVENT)
async def press_done(context: Context, number: int, moment: str, side_index: str) -> Reply:
    """Hand over under shot `number`. Raise UserError if that move is over."""
    game_before = context.need_started()
    shot = await context.load_event(number)
    later_events = await context.load_recent_events(MAX_EVENTS_SINCE_SHOT, after=number)
    if shot is None or any(map(is_card, list_effective_events(later_events))):
        raise UserError("You have handed over since that shot.", code="phase-over")
    card = await press_pass_or_done(context, moment, side_index)
    if find_self_played_side(context.game):
        return card
    if game_before.number != number or context.now - shot["at"] >= NEWEST:
        return card
    if format_turn_and_phase(game_before) != format_turn_and_phase(context.game) or _calls_anybody(
        context, card
    ):
        return card
    answer = await context.load_answer(number)
    if answer is None or not context.command.delivery.get("pressed"):
        return card
    context.amendments.append(Amendment(context.build_topic(number)))
    return _add_next_side(answer, card)


def _calls_anybody(context: Context, card: Reply) -> bool:
    return bool(card.mention) or bool(context.mentions)


def _add_next_side(shot: Reply, card: Reply) -> Reply:
    """Return the answer to a shot with one more line: who is next by the hand-over's own `card`."""
    remaining_buttons = [
        button for button in shot.buttons if button.action.partition(":")[0] in STAYS
    ]
    return replace(
        shot,
        lines=(*shot.lines, f"→ {card.title}"),
        buttons=(*card.buttons, *remaining_buttons),
        menus=(),
        across=PHONE_ROW,
        mention=(),
        in_place=True,
        instead=card,
    )


async def amend_older_shot(context: Context, ledger: Ledger) -> list[Amendment]:
    """Return how the last shot with *Done* loses it: there is a newer one, or its move is over."""
    loaded = ledger.loaded
    if loaded is None or loaded.row != ledger.row or not ledger.game.started or not ledger.bodies:
        return []
    if any(body["kind"] in ("undo", "redo") for body in ledger.bodies):
        ledger.done_button = UNKNOWN_DONE_BUTTON
        return []
    first_number = ledger.bodies[0]["number"]
    is_over = _is_move_over(ledger)
    if not is_over and ledger.done_button.shot_number < first_number:
        return []
    shot_number = loaded.done_button.shot_number
    if not loaded.done_button.is_known:
        shot_number = await _find_shot_with_done(context, ledger, first_number)
    if is_over:
        ledger.done_button = DoneButton()
    topic = f"{ledger.row}/{shot_number}"
    is_pressed = topic in [amendment.about for amendment in context.amendments]
    return [] if not shot_number or is_pressed else [Amendment(topic, _remove_done_button)]


def _is_move_over(ledger: Ledger) -> bool:
    """Return whether another side is to play, or nobody is any more."""
    game = ledger.game
    return game.ended or game.go != ledger.game_before.go or any(map(is_card, ledger.bodies))


def _remove_done_button(shot: Reply | None) -> Reply | None:
    """Remove *Done* from the answer to a shot. Return None if there is nothing to remove."""
    return remove_buttons(shot, (BUTTON,))


async def _find_shot_with_done(context: Context, ledger: Ledger, end_number: int) -> int:
    """Return the number of the last shot before an event that has *Done* under it; 0 for none."""
    rows = await context.store.load_events(
        ledger.row, before=end_number, limit=MAX_EVENTS_SINCE_SHOT, newest_first=True
    )
    for event in list_effective_events(row.data for row in rows):
        if is_card(event):
            return 0
        if event["kind"] in COMBAT:
            number = int(event["number"])
            return number if await _has_done(context, ledger, number) else 0
    return 0


async def _has_done(context: Context, ledger: Ledger, number: int) -> bool:
    message = await context.load_posted_messages(f"{ledger.row}/{number}")
    return message.reply is not None and f'"{BUTTON}:' in json.dumps(message.reply)


async def find_shot_before_done(context: Context, event: Json, strike: Rewording) -> Reply | None:
    """Return the shot under which the hand-over `event` stood, as it reads once that is undone.

    None if the hand-over was a message of its own. If the platform made it one, `strike` strikes it.
    """
    if event["kind"] != "pass":
        return None
    message = await context.load_posted_messages(context.build_topic(event["number"]))
    answer = Reply.from_json(message.reply or {"title": ""})
    if answer.instead is None:
        return None
    undo_actions = [button.action for button in answer.buttons if button.action.startswith("undo:")]
    if not undo_actions:
        return None
    shot = await context.load_answer(int(undo_actions[0].rpartition(":")[2]))
    if shot is None:
        return None
    return replace(shot, mention=(), instead=strike(answer.instead))
