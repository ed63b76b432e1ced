"""`/setup ladder`: managers give their server a ladder, or take it away."""

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.requests import need_place_manager
from bot.preferences.ladder_setting import LADDER, build_ladder_doc, is_ladder_on
from bot.preferences.platform_words import get_manager_word, get_server_word
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.text.phrase import phrase
from bot.ui.reply.reply import Reply


@declare_command(
    "setup ladder",
    "Let games count here and keep a ladder; for managers",
    Option("ladder", "enum", "off: games no longer count", values=("on", "off"), label="Ladder"),
    example="on",
    title="Ladder of this server",
    verb="Set",
    needs_game=True,
)
async def set_ladder(context: Context) -> Reply:
    """Give the server a ladder, or take it away. Its results stay stored.

    Raises UserError for a user who is not a manager, and if nothing changes.
    """
    server = need_ladder_server(context)
    need_place_manager(context, "turn the ladder on or off")
    is_on = await is_ladder_on(context.store, server)
    wants_on = context.clean_options()["ladder"] == "on"
    if is_on == wants_on:
        raise UserError(f"The ladder is already {'on' if is_on else 'off'}.", code="no-change")
    context.is_local = True
    if not wants_on:
        context.commit.drop_docs.append((LADDER, server))
        return Reply("Games no longer count here", ("Results so far are kept.",))
    context.commit.docs.append(build_ladder_doc(server))
    lines = (
        phrase("Two players let their game count before the first roll: `/result count`"),
        phrase("To end that: `/setup ladder off`"),
    )
    return Reply("Games can count here from now on", lines)


def need_ladder_server(context: Context) -> str:
    """Return the key of the server. Raises UserError outside the channels of a server."""
    channel = context.command.where
    if not channel.server or channel.owner:
        raise UserError("Games can only count in a server's channels.", code="no-server")
    return channel.server


async def need_ladder(context: Context) -> str:
    """Return the key of the server, which must have a ladder. Raises UserError if it has none."""
    server = need_ladder_server(context)
    if not await is_ladder_on(context.store, server):
        channel = context.command.where.key
        raise UserError(
            f"Games don't count on this {get_server_word(channel)}.",
            hint=phrase(
                "A {manager} can change that: `/setup ladder on`",
                manager=get_manager_word(channel),
            ),
            code="no-ladder",
        )
    return server
