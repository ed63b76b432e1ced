"""What can be done in somebody's own play: free play of theirs by an install of their own,
wherever they type.
"""

from bot.rules.errors import UserError
from bot.ui.spec import CommandSpec, Person, Place

LOOKS = ("odds", "bars", "dice", "count", "whatif", "back", "picture", "whole", "help")
"""Buttons that anybody may press under an answer of somebody's own play: they show, and write
nothing in it.
"""
ADD_IT = "Add it to a server (its profile, then Add App) and play there."


def check_own_play(spec: CommandSpec, where: Place, who: Person) -> None:
    """Raise UserError for what cannot be done in `where`, somebody's own play, and for whoever
    is not that person.
    """
    if who.key != where.owner and not (spec.family == "button" and spec.path[1] in LOOKS):
        raise UserError(
            "This is somebody's own roll, and only they can go on with it.",
            hint="To roll yourself, add Grognard to your account (its profile, then Add App).",
            code="own-play",
        )
    if spec.needs_game:
        hint = f"{ADD_IT} Here you can roll, look things up, count odds, and attack with units that you type."
        raise build_needs_game_error(
            "That is" if spec.family == "button" else f"{spec.name} is", hint
        )


def build_needs_game_error(what: str, hint: str) -> UserError:
    """Why `what` (`Hands are`) cannot be had in somebody's own play."""
    return UserError(
        f"{what} for games, and a game needs Grognard on the server.", hint=hint, code="needs-game"
    )
