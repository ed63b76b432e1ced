"""The card after the last turn of a scenario: it asks who won, or lets the players play on."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from bot.commands.context import Amendment, Context
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.turns.mentions import call_sides
from bot.commands.turns.turn_card import build_card, format_turn_and_phase, remove_buttons
from bot.game.phases import format_numbered_phase, has_just_ended, is_past_last_turn
from bot.game.rights import need_player
from bot.game.score import find_final_winner
from bot.game.sides import fit_verb
from bot.game.state import DRAW, Game
from bot.game.tracks import format_tracks
from bot.presentation.score import CONFIRM_SCORE, describe_winner_by_score, list_score_lines
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import GAME, Button, Reply
from bot.ui.typing.command_text import quote_value

ENDING = ("end", "playon")
"""Buttons of the card after the last turn."""


def ends_last_turn(game_before: Game, game_after: Game) -> bool:
    """Return whether the last turn of the scenario ended between these two states of the game."""
    return is_past_last_turn(game_after) and not is_past_last_turn(game_before)


async def ask_who_won(
    context: Context, number: int, reasons: Iterable[str], upkeep_lines: Iterable[Part]
) -> Reply:
    """Return the card after the last turn, with who wins by the score and a button for each outcome.

    `number` is the event that ended the turn. `upkeep_lines` are about the upkeep after it.
    """
    game = context.game
    winner = find_final_winner(game, context.system)
    winner_option = ""
    if game.sides and not winner:
        winner_option = f" winner={quote_value(game.sides[0])}"
    hint = phrase("Or type `/game end{winner}`, or `/game next` to play on.", winner=winner_option)
    scores = list_score_lines(game, context.system, winner)
    lines = (
        *reasons,
        *upkeep_lines,
        game.wins,
        *(scores or [format_tracks(game, context.system)]),
        Small(hint),
    )
    return Reply(
        _write_question(game, winner),
        tuple(line for line in lines if line),
        tone=GAME,
        buttons=(
            *build_outcome_buttons(context, winner),
            context.build_button("playon", "Play on", number, format_turn_and_phase(game)),
        ),
        mention=await call_sides(context, game, game.sides),
    )


def _write_question(game: Game, winner: str) -> str:
    """Return the question who won. `winner` is that by the score: a side, DRAW, or "" for none."""
    sentence = f"That was turn {game.turns}, the last."
    if winner:
        return f"{sentence} {describe_winner_by_score(winner)}"
    return f"{sentence} Who won?" if game.sides else sentence


def find_winner_question(context: Context) -> Reply | None:
    """Return the question who won, with a button for each outcome, right after the last turn of the
    scenario; None at any other time, and if the game is over.
    """
    game = context.game
    if game.ended or not has_just_ended(game, context.system):
        return None
    winner = find_final_winner(game, context.system)
    return Reply(_write_question(game, winner), buttons=build_outcome_buttons(context, winner))


def build_outcome_buttons(context: Context, winner: str) -> tuple[Button, ...]:
    """Return a button for each side that may have won, and one for a draw; none is green.

    The button of the `winner` by the score, a side or DRAW, comes first and confirms it. "" is no
    winner.
    """
    sides = context.game.sides
    if not sides:
        return (context.build_button("end", "End the game", ""),)
    labels = {side: f"{side} {fit_verb(side, 'wins', 'win')}" for side in sides}
    labels[DRAW] = "A draw"
    if winner:
        labels = {winner: f"{CONFIRM_SCORE}: {labels.pop(winner)}", **labels}
    return tuple(context.build_button("end", label, won) for won, label in labels.items())


@declare_button("playon", of=ButtonOf.GAME)
async def play_on(context: Context, number: str, moment: str) -> Reply:
    """Show the card of the turn that follows the last, once somebody chose to play on.

    `number` is the event of the card that asked, `moment` the turn and phase that it shows. Raises
    UserError for a stranger, and if that turn is over as well.
    """
    game = context.need_started()
    need_player(game, context.actor)
    if moment != format_turn_and_phase(game):
        hint = f"Now it is {format_numbered_phase(game, context.system)}."
        raise UserError("You've already chosen to play on.", hint=hint, code="phase-over")
    context.amendments.append(
        Amendment(context.build_topic(number), partial(remove_buttons, names=ENDING))
    )
    game_before = replace(game, turn=game.turn - 1)
    mention = await call_sides(context, game, game.go)
    return await build_card(
        context, game_before, game, mention, (f"{context.user_name} plays on.",)
    )
