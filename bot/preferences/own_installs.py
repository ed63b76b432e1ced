"""Commands in a user's own play: free play with an install of their own, wherever they type."""

from bot.rules.errors import UserError
from bot.ui.spec import CommandSpec, Person, Place

LOOKS = ("odds", "bars", "dice", "count", "whatif", "back", "picture", "whole", "help")
"""Buttons that anybody may press under an answer of another user's own play: they only show things.
"""
ADD_IT = "Add it to a server (its profile, then Add App) and play there."


def check_own_play(spec: CommandSpec, where: Place, user: Person) -> None:
    """Raise UserError if `user` may not run this command in the own play `where`.

    Commands that need a game are refused. Users other than the owner may only press LOOKS.
    """
    is_look = spec.family == "button" and spec.path[1] in LOOKS
    if user.key != where.owner and not is_look:
        raise UserError(
            "Only the player who rolled this can continue it.",
            hint="To roll yourself, add Grognard to your account (its profile, then Add App).",
            code="own-play",
        )
    if spec.needs_game:
        hint = f"{ADD_IT} Here you can roll, look things up, see odds, and attack with units that you type."
        subject = "That is" if spec.family == "button" else f"{spec.name} is"
        raise build_needs_game_error(subject, hint)


def build_needs_game_error(subject: str, hint: str) -> UserError:
    """Build the error for `subject` (`Hands are`), which somebody's own play cannot have."""
    return UserError(
        f"{subject} for games, and a game needs Grognard on the server.",
        hint=hint,
        code="needs-game",
    )
