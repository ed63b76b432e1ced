"""The card after the last turn of a scenario: it asks who won, or lets the players play on."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from bot.commands.context import Amendment, Context
from bot.commands.turns.mentions import call_sides
from bot.commands.turns.turn_card import card, moment, without
from bot.game.phases import is_past_last_turn, shown_phase
from bot.game.rights import need_player
from bot.game.sides import fit_verb
from bot.game.state import DRAW, Game
from bot.game.tracks import list_scores, tracks_line
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import GAME, Button, Reply
from bot.interface.typing.command_text import quoted
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase

ENDING = ("end", "playon")
"""Buttons of the card after the last turn."""


def ends_last_turn(was: Game, after: Game) -> bool:
    """Return whether the last turn of the scenario was over between these two states."""
    return is_past_last_turn(after) and not is_past_last_turn(was)


async def ask_who_won(
    context: Context, number: int, because: Iterable[str], kept: Iterable[Part]
) -> Reply:
    """Return the card after the last turn, with who wins and a button for each outcome.

    `number` is the event that ended the turn; `kept` is what was rolled and counted after it.
    """
    game = context.game
    last = f"That was turn {game.turns}, the last."
    winner = f" winner={quoted(game.sides[0])}" if game.sides else ""
    typed = phrase(
        "You can type it: `/game end{winner}`, or `/game next` to play on.", winner=winner
    )
    scores = [f"{title}: {score}" for title, score in list_scores(game, context.system)]
    lines = (
        *because,
        *kept,
        game.wins,
        *(scores or [tracks_line(game, context.system)]),
        Small(typed),
    )
    return Reply(
        f"{last} Who won?" if game.sides else last,
        tuple(line for line in lines if line),
        tone=GAME,
        buttons=(
            *outcome_buttons(context),
            context.button("playon", "Play on", number, moment(game)),
        ),
        mention=await call_sides(context, game, game.sides),
    )


def outcome_buttons(context: Context) -> tuple[Button, ...]:
    """Return a button for each side that may have won, and one for a draw; none is green."""
    sides = context.game.sides
    won = [context.button("end", f"{side} {fit_verb(side, 'wins', 'win')}", side) for side in sides]
    if not sides:
        return (context.button("end", "End the game", ""),)
    return (*won, context.button("end", "A draw", DRAW))


async def play_on(context: Context, about: str) -> Reply:
    """Show the card of the turn that follows the last, once somebody chose to play on.

    Raise UserError for a stranger, and if that turn is over as well.
    """
    game = context.need_started()
    need_player(game, context.actor)
    number, _, when = about.partition(":")
    if when != moment(game):
        hint = f"Now it is {shown_phase(game, context.system)}."
        raise UserError("You have played on already.", hint=hint, code="phase-over")
    context.amends.append(Amendment(context.topic(number), partial(without, names=ENDING)))
    before = replace(game, turn=game.turn - 1)
    mention = await call_sides(context, game, game.go)
    return await card(context, before, game, mention, (f"{context.who} plays on.",))
