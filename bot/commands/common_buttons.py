"""Buttons that several commands put under their answers. The label of each is only here."""

from bot.commands.context import Context
from bot.ui.reply.reply import Button

UNDO_LABEL = "Undo"


def build_undo_button(context: Context, number: int, *place: str) -> Button:
    """Build *Undo* for an event of the game. `place` is where the button is, if not under the
    event's answer.
    """
    return context.build_button("undo", UNDO_LABEL, number, *place)


def is_undo_button(button: Button) -> bool:
    """Return whether a button is *Undo*; one that names another event, *Undo #12*, is not."""
    return button.label == UNDO_LABEL


def build_odds_button(context: Context, number: int) -> Button:
    """Build *Odds*, which shows the odds of a shot, an event of the game."""
    return context.build_button("odds", "Odds", number)


def build_hand_button(context: Context) -> Button:
    """Build *Your hand*, which shows the player who presses it their own hand."""
    return context.build_button("hand", "Your hand")


def build_proof_button(context: Context) -> Button:
    """Build *Proof*, which shows how the dice of the game are proved."""
    return context.build_button("read", "Proof", "proof")
