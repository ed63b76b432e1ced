"""`/me games`: all games in which somebody plays or directs, wherever they are."""

from collections.abc import Mapping

from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.game.cups import is_drawn_next
from bot.game.game_cache import LoadedGame, load_game_by_id
from bot.game.phases import describe_whose_go, format_numbered_phase
from bot.game.state import Game
from bot.preferences.place_names import load_channel_names, name_place
from bot.rules.text.names import format_count
from bot.rules.text.phrase import Phrase, capitalize_first, phrase
from bot.rulesets.catalog import get_systems
from bot.ui.reply.parts import Entry, Part, build_relative_date
from bot.ui.reply.reply import Reply
from bot.ui.spec import get_server_key

MOST_GAMES = 200
MOST_SHOWN = 8
YOUR_MOVE = "Your move"
"""The beginning of the line of a game in which it is the reader's move."""


@declare_command("me games", "All your games, and who is to play", private=True)
@declare_button("mygames", private=True)
async def list_my_games(context: Context) -> Reply:
    """List the games in which a person plays or directs, those first in which they are to move."""
    user = context.command.who.key
    found = [
        (loaded, _get_side_or_role(loaded, user))
        for loaded in await load_own_games(context)
        if loaded.places
    ]
    going = [one for one in found if one[0].game.started and not one[0].game.ended and one[1]]
    going.sort(key=lambda one: not _waits_for_user(one[0], one[1], user))
    if not going:
        start = phrase('Start one: `/game start lnlt "Hill 875" sides="US, VC"`')
        return Reply("You're not in a game right now", (start,), private=True)
    theirs = sum(_waits_for_user(loaded, side, user) for loaded, side in going)
    count = format_count(len(going), "game")
    shown = going[:MOST_SHOWN]
    names = await load_channel_names(context.store, (loaded.places[0] for loaded, _ in shown))
    here = context.command.where.key
    lines: list[Part] = [_build_entry(loaded, side, names, here) for loaded, side in shown]
    if len(going) > MOST_SHOWN:
        waiting = theirs - MOST_SHOWN
        wait = (
            ", with nobody waiting for you" if waiting < 1 else f", {waiting} of which wait for you"
        )
        lines.append(f"{len(going) - MOST_SHOWN} more{wait}.")
    title = (
        f"It's your move in {theirs} of {count}"
        if theirs
        else f"Nobody is waiting for you in {count}"
    )
    return Reply(title, tuple(lines), private=True)


async def load_own_games(context: Context) -> list[LoadedGame]:
    """The games in which somebody has a part."""
    data = await context.store.load_user_data(context.command.who.key)
    rows = list(dict.fromkeys(row.game for row in data.persons))[-MOST_GAMES:]
    found = [await load_game_by_id(context.store, row) for row in rows]
    return [loaded for loaded in found if loaded is not None]


def _get_side_or_role(loaded: LoadedGame, user: str) -> str:
    """The side somebody plays; `game master` for who directs without one; "" for neither."""
    row = loaded.find_person(user)
    if row is None:
        return ""
    side = loaded.game.players.get(row.person, "")
    return side or ("game master" if loaded.game.master == row.person else "")


def _waits_for_user(loaded: LoadedGame, side: str, user: str) -> bool:
    """Return whether they are to move, or to choose, which comes first; the game master moves for a
    side without players.
    """
    game = loaded.game
    row = loaded.find_person(user)
    vacant = (
        {*game.sides} - {*game.players.values()}
        if row is not None and row.person == game.master
        else set[str]()
    )
    asked = {asks.get("side", "") for asks in game.waits.values()}
    return bool(asked & {side, *vacant}) if asked else side in game.go


def _build_entry(loaded: LoadedGame, side: str, names: Mapping[str, str], here: str) -> Entry:
    """Return the entry of one game: its channel, whose move it is, and since when."""
    game: Game = loaded.game
    place = loaded.places[0]
    name = names.get(place, "")
    is_told_apart = bool(name) or place == here or get_server_key(place) != get_server_key(here)
    channel = name_place(place, name, here) if is_told_apart else ""
    system = get_systems().get(game.system)
    both = " (both sides)" if len(game.go) > 1 else ""
    is_theirs = side in game.go and not game.waits and not is_drawn_next(game)
    whose = f"{YOUR_MOVE}{both}" if is_theirs else describe_whose_go(game)
    where = format_numbered_phase(game, system)
    said = capitalize_first(
        " · ".join(piece for piece in (whose, where, f"#{game.number}") if piece)
    )
    if game.go and game.go_since:
        said = Phrase(f"{said} · last hand-over: ", build_relative_date(game.go_since))
    about = " · ".join(piece for piece in (side, channel) if piece)
    return Entry(game.name, about, said, f"goto:{place}", "Open")
