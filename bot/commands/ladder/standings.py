"""`/ladder standings`: who is where on the ladder of a game, with form and reply times."""

from collections.abc import Sequence
from statistics import median

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.ladder.choose_ladder import LADDER_SYSTEM, choose_ladder
from bot.commands.ladder.ladder_docs import WAITS, Unfinished, load_unfinished
from bot.commands.ladder.standings_cache import load_ladder
from bot.commands.play.odds import add_share_button
from bot.ladder.season import GAMES_BEFORE_RATING, Ladder, Record, sort_standings
from bot.rules.text.names import format_count
from bot.rules.text.phrase import phrase
from bot.ui.reply.parts import Grid, Part, Small
from bot.ui.reply.reply import Reply

MOST_ROWS = 15
"""Maximum number of rows of the table. The user's own row follows if it is further down."""
MOST_UNRATED = 8
"""Maximum number of players without a rating that are named."""
MOST_UNFINISHED = 5
"""Maximum number of unfinished games that are named."""
NAME_WIDTH = 13
"""Number of characters of a place and a name in the table, so that it fits into a box on a phone."""
HEADING: tuple[str, ...] = ("   Player", "Rating", "Form", "Wait")


@declare_command(
    "ladder standings",
    "Who ranks where on a game's ladder",
    LADDER_SYSTEM,
    private=True,
    title="Standings",
    verb="Show",
    needs_game=True,
)
async def show_standings(context: Context) -> Reply:
    """Show the ladder of a game on this server to the user, who may share it.

    Raises UserError if the server has no ladder, or none of that game.
    """
    server, system, title = await choose_ladder(context)
    ladder = await load_ladder(context, server, system)
    unfinished = await load_unfinished(context.store, server, system)
    lines = [
        *_build_table(ladder, context.command.who.key),
        *_list_unrated(ladder),
        *_list_unfinished(unfinished),
        *_explain(ladder),
    ]
    reply = Reply(f"Ladder of {title}", tuple(lines), private=True)
    return add_share_button(context, reply)


def _build_table(ladder: Ladder, user: str) -> list[Part]:
    """Return the table of the players with a rating; the row of `user` is always in it."""
    rated, _ = sort_standings(ladder)
    if not rated:
        return [f"Nobody has {GAMES_BEFORE_RATING} rated games yet, so there are no ratings."]
    rows = [HEADING]
    for place, record in enumerate(rated, start=1):
        if place <= MOST_ROWS or record.player == user:
            rows.append(_build_row(place, record))
    parts: list[Part] = [Grid(tuple(rows), head=True)]
    left_out = len(rated) + 1 - len(rows)
    if left_out:
        parts.append(Small(f"{left_out} more aren't shown."))
    return parts


def _build_row(place: int, record: Record) -> tuple[str, ...]:
    name = f"{place:>2} {record.name}"
    if len(name) > NAME_WIDTH:
        name = f"{name[: NAME_WIDTH - 1]}\u2026"
    return (
        name,
        f"{record.rating.rating:.0f}",
        record.form,
        format_reply_time(record.replies, short=True),
    )


def _list_unrated(ladder: Ladder) -> list[Part]:
    """Return the line of the players who have no rating yet, with their number of rated games."""
    _, unrated = sort_standings(ladder)
    if not unrated:
        return []
    names = [f"{record.name} {record.rated}" for record in unrated[:MOST_UNRATED]]
    left_out = len(unrated) - MOST_UNRATED
    if left_out > 0:
        names.append(f"{left_out} more")
    return [f"Rated games so far, of {GAMES_BEFORE_RATING} needed: {', '.join(names)}."]


def _list_unfinished(games: Sequence[Unfinished]) -> list[Part]:
    """Return the lines of the games that are still played, and of those that wait to be confirmed."""
    parts: list[Part] = []
    for label, is_waiting in (("Still being played", False), ("To be confirmed", True)):
        group = [game for game in games if (game.state == WAITS) == is_waiting]
        names = [" and ".join(game.names) for game in group[:MOST_UNFINISHED]]
        left_out = len(group) - MOST_UNFINISHED
        if left_out > 0:
            names.append(f"{left_out} more")
        if names:
            parts.append(f"{label}: {'; '.join(names)}.")
    return parts


def _explain(ladder: Ladder) -> list[Part]:
    """Return the small print below the table: its columns, if there are rows, and what else to
    read.
    """
    if not ladder.records:
        return []
    columns = "Form: the last five games, latest last. Wait: how long they usually take to move."
    rated, _ = sort_standings(ladder)
    return [
        *([Small(columns)] if rated else []),
        Small(phrase("More about a player: `/ladder player`. About scenarios: `/ladder balance`")),
    ]


def format_reply_time(hours: Sequence[float], *, short: bool = False) -> str:
    """Return the median of some hours in words: `3 hours`, `3h` if `short`; "" without any."""
    if not hours:
        return ""
    usual = median(hours)
    if usual < 1:
        return "<1h" if short else "less than an hour"
    if usual < 36:
        count = round(usual)
        return f"{count}h" if short else format_count(count, "hour")
    days = round(usual / 24)
    return f"{days}d" if short else format_count(days, "day")
