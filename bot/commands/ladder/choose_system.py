"""The rule set that a command about the ladder is about."""

from bot.commands.context import Context
from bot.commands.ladder.standings_cache import list_ladder_systems
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase
from bot.ui.common_options import build_optional

LADDER_SYSTEM = build_optional(
    "system",
    "which game's ladder; blank: that of this channel, or the only one",
    type="enum",
    values=(),
    complete="system",
    label="Game",
)


async def choose_system(context: Context, server: str) -> str:
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
            "No result is confirmed here yet.",
            hint=phrase("Two players let their game count before the first roll: `/result count`"),
            code="no-result",
        )
    if len(systems) > 1:
        raise UserError(
            f"There are ladders of {len(systems)} games here.",
            hint=phrase("Choose one: `/ladder standings {system}`", system=systems[0]),
            option="system",
            code="missing",
        )
    return systems[0]


async def get_system_title(context: Context, system: str) -> str:
    """Return the title of a rule set, or its id if it is a pack that is no longer here."""
    await context.use_systems_of_game(None)
    found = context.systems.get(system)
    return found.title if found is not None else system
