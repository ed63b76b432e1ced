"""The ladder that a command is about."""

from typing import NamedTuple

from bot.commands.context import Context
from bot.commands.ladder.setting import need_ladder
from bot.commands.ladder.standings_cache import list_ladder_systems
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.ui.common_options import build_optional

LADDER_SYSTEM = build_optional(
    "system",
    "which game's ladder; blank: the game in this channel, or the only one",
    type="enum",
    values=(),
    complete="system",
    label="Game",
)


class ChosenLadder(NamedTuple):
    """A ladder: that of one game on one server."""

    server: str
    """The key of the server."""
    system: str
    """The id of the rule set."""
    title: str
    """The title of the rule set, or its id if it is a pack that is no longer here."""


async def choose_ladder(context: Context) -> ChosenLadder:
    """Return the ladder of the game that was typed, of this channel's game, or the only one.

    Raises UserError if the server has no ladder, if no game has results on it, and if several have.
    """
    server = await need_ladder(context)
    system = await _choose_system(context, server)
    await context.use_systems_of_game(None)
    found = context.systems.get(system)
    title = found.title if found is not None else system
    return ChosenLadder(server, system, title)


async def _choose_system(context: Context, server: str) -> str:
    """Return the id of the rule set that was typed, of this channel's game, or the only one with
    results on the server.

    Raises UserError if there is none, and if there are several.
    """
    typed = context.clean_options()["system"]
    if typed:
        return str(typed)
    systems = await list_ladder_systems(context, server)
    if context.game.system in systems:
        return context.game.system
    if not systems:
        raise UserError(
            "No results have been confirmed here yet.",
            hint=phrase("Two players let their game count before the first roll: `/result count`"),
            code="no-result",
        )
    if len(systems) > 1:
        raise UserError(
            f"There are ladders for {len(systems)} games here.",
            hint=phrase(
                "Choose one: `/{command} system={system}`",
                command=" ".join(context.spec.path),
                system=systems[0],
            ),
            option="system",
            code="missing",
        )
    return systems[0]
