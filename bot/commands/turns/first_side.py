"""The side that goes first: chosen by the players with a command or a button of the card."""

from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.turns.mentions import add_uncalled_players, call_sides
from bot.commands.turns.turn import keeps_or_takes, refuse_old_card
from bot.commands.turns.turn_card import build_phase_buttons, is_initiative_rolled
from bot.game.events import (
    COMBAT,
    is_card,
    list_effective_events,
)
from bot.game.phases import is_alternating, set_initiative
from bot.game.rights import need_player
from bot.game.sides import fit_verb
from bot.game.state import Json
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.ui.reply.reply import Reply

MAX_EVENTS_OF_PHASE = 200
"""Events that are searched for what happened in this phase."""
ACTS = (*COMBAT, "pass")
"""Kinds of events that show that a phase is under way."""


@declare_button("first", of=ButtonOf.GAME)
async def press_first_side(context: Context, moment: str, side_index: int) -> Reply:
    """Let a side begin the phase for which the button was made. Raise UserError if it is under way."""
    refusal = refuse_old_card(context, moment)
    if refusal:
        return refusal
    game = context.need_started()
    need_player(game, context.actor)
    side = game.sides[side_index]
    await _need_begin(context, side)
    return await give_initiative(context, side)


async def give_initiative(context: Context, side: str) -> Reply:
    """Log that `side` has the initiative and return the card. The caller has checked the side.

    If the initiative decides who is to play, `side` is; if a chit leads, that does not change.
    """
    game = context.game
    game_after = set_initiative(game, side, context.system)
    context.ledger.add("initiative", game_after, result=side)
    mention = await call_sides(
        context, game_after, game_after.go if game_after.go != game.go else ()
    )
    is_chosen = is_alternating(game_after, context.system) and not game_after.led
    title = f"{side} {keeps_or_takes(side, game.initiative)} the initiative"
    if is_chosen and not is_initiative_rolled(game_after, context.system):
        title = f"{side} {fit_verb(side, 'goes', 'go')} first"
    return Reply(
        add_uncalled_players(context, title),
        by=context.user_name,
        buttons=build_phase_buttons(context, without=("initiative", "remember")),
        mention=mention,
    )


async def list_phase_events(context: Context) -> list[Json]:
    """Return the events of the present phase that hold, newest first."""
    events = list[Json]()
    for event in list_effective_events(await context.load_recent_events(MAX_EVENTS_OF_PHASE)):
        if event["kind"] in ("start", "next") or _begins_phase(event):
            break
        events.append(event)
    return events


def _begins_phase(event: Json) -> bool:
    """Return whether a pass has ended the phase before."""
    changed_fields = (event.get("after") or {}).get("game") or {}
    return event["kind"] == "pass" and bool({"turn", "phase", "turn_of"} & {*changed_fields})


async def _need_begin(context: Context, side: str) -> None:
    """Raise UserError if a side has acted in this phase already."""
    for event in list_effective_events(await context.load_recent_events(MAX_EVENTS_OF_PHASE)):
        if _begins_phase(event):
            return
        if event["kind"] in ACTS and "upkeep" not in event:
            break
        if is_card(event) and event["kind"] != "initiative":
            return
    else:
        return
    hint = phrase("To change it anyway: `/game initiative {side}`", side=side)
    raise UserError("Somebody has already acted in this phase.", hint=hint, code="phase-over")
