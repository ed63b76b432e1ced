"""`/ladder player`: the rating, form and games of one player."""

from collections.abc import Iterable, Sequence

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.ladder.choose_ladder import LADDER_SYSTEM, choose_ladder
from bot.commands.ladder.ladder_docs import CONFIRMED, DREW, WAITS, WON, Played, load_played
from bot.commands.ladder.standings import format_reply_time
from bot.commands.ladder.standings_cache import load_ladder
from bot.commands.play.odds import add_share_button
from bot.ladder.season import GAMES_BEFORE_RATING, Ladder, Record, sort_standings
from bot.rules.errors import UserError, did_you_mean
from bot.rules.text.names import format_count
from bot.rules.text.normalize import comparison_key
from bot.ui.common_options import build_optional
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import Reply

MOST_GAMES = 6
"""Maximum number of games that are listed of each kind."""
OUTCOMES = {"W": "won", "D": "drew", "L": "lost"}


@declare_command(
    "ladder player",
    "One player on the ladder: rating, form, games",
    build_optional("name", "which player; blank: you", label="Player"),
    LADDER_SYSTEM,
    private=True,
    title="A player on the ladder",
    verb="Show",
    needs_game=True,
)
async def show_player(context: Context) -> Reply:
    """Show one player of a ladder to the user, who may share it.

    Raises UserError if the server has no such ladder, and if nobody on it is called so.
    """
    server, system, title = await choose_ladder(context)
    ladder = await load_ladder(context, server, system)
    record = _find_record(context, ladder)
    games = await load_played(context.store, record.player, server, system)
    lines = [*_describe_record(ladder, record), *_list_games(games)]
    head = record.name
    if record.has_rating:
        head = f"{record.name}: {record.rating.rating:.0f}"
    return add_share_button(context, Reply(head, tuple(lines), by=title, private=True))


def _find_record(context: Context, ladder: Ladder) -> Record:
    """Return the record of the player with the typed name, or of the user without one.

    Of several players with one name it is the user, or else the one who has played most. Raises
    UserError if there is none.
    """
    user = context.command.who.key
    typed = context.clean_options()["name"]
    own_record = ladder.records.get(user)
    if not typed:
        return own_record or Record(user, context.user_name)
    key = comparison_key(typed)
    namesakes = [record for record in ladder.records.values() if comparison_key(record.name) == key]
    if own_record in namesakes:
        return own_record
    if not namesakes:
        names = [record.name for record in ladder.records.values()]
        raise UserError(
            f'There\'s nobody called "{typed[:40]}" on this ladder.',
            hint=did_you_mean(typed, names),
            option="name",
            code="unknown-person",
        )
    return max(namesakes, key=lambda record: record.rated)


def _describe_record(ladder: Ladder, record: Record) -> list[Part]:
    """Return the lines on a player's rating, form and reply time."""
    parts: list[Part] = []
    if record.has_rating:
        rated, _ = sort_standings(ladder)
        low = record.rating.rating - 2 * record.rating.deviation
        high = record.rating.rating + 2 * record.rating.deviation
        games = format_count(record.rated, "rated game")
        parts.append(f"Place {rated.index(record) + 1} of {len(rated)}, after {games}.")
        parts.append(f"19 times out of 20, the true rating is between {low:.0f} and {high:.0f}.")
    else:
        parts.append(f"{record.rated} of {GAMES_BEFORE_RATING} rated games needed for a rating.")
    if record.form:
        words = ", ".join(OUTCOMES[letter] for letter in record.form)
        parts.append(f"Form, latest last: {words}.")
    reply_time = format_reply_time(record.replies)
    if reply_time:
        parts.append(f"Usually moves within {reply_time}.")
    return parts


def _list_games(games: Sequence[Played]) -> list[Part]:
    """Return the lines of a player's games in three groups: still played, to be confirmed, and
    confirmed. `games` are sorted, the latest change first.
    """
    playing = [game for game in games if game.state not in (CONFIRMED, WAITS)]
    waiting = [game for game in games if game.state == WAITS]
    finished = [game for game in games if game.state == CONFIRMED]
    parts: list[Part] = []
    parts += _list_group("Still being played", map(_describe_unfinished, playing))
    parts += _list_group("To be confirmed", map(_describe_unfinished, waiting))
    parts += _list_group("Results, latest first", map(_describe_outcome, finished))
    return parts


def _list_group(label: str, texts: Iterable[str]) -> Iterable[Part]:
    """Yield a line with the label, and one for each entry, at most MOST_GAMES."""
    entries = list(texts)
    if not entries:
        return
    yield Group(label, "", grave=True)
    for entry in entries[:MOST_GAMES]:
        yield f"\u2022 {entry}"
    left_out = len(entries) - MOST_GAMES
    if left_out > 0:
        yield Small(f"{left_out} more.")


def _describe_unfinished(game: Played) -> str:
    """Return an unfinished game as an entry: `against Ben as US (Ford)`."""
    return f"against {game.opponent}{_describe_side(game)}"


def _describe_outcome(game: Played) -> str:
    """Return a result as an entry: `beat Ben as US (Ford)`."""
    verb = {WON: "beat", DREW: "drew with"}.get(game.outcome, "lost to")
    return f"{verb} {game.opponent}{_describe_side(game)}"


def _describe_side(game: Played) -> str:
    side = f" as {game.side}" if game.side else ""
    return f"{side} ({game.title})"
