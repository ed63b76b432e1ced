"""`/me games`: the games in which the user plays a side or is game master, in any channel."""

from collections.abc import Mapping

from bot.commands.context import Context
from bot.commands.declare import declare_button, declare_command
from bot.game.cups import is_drawn_next
from bot.game.loaded_game import LoadedGame
from bot.game.phases import describe_whose_go, format_numbered_phase
from bot.game.state import Game
from bot.loading.load_game import load_game_by_id
from bot.preferences.place_names import load_channel_names, name_place
from bot.rules.text.names import format_count
from bot.rules.text.phrase import Phrase, capitalize_first, phrase
from bot.rulesets.rule_sets import RuleSets
from bot.ui.reply.parts import Entry, Part, build_relative_date
from bot.ui.reply.reply import Reply
from bot.ui.spec import get_server_key

MOST_GAMES = 200
MOST_SHOWN = 8
YOUR_MOVE = "Your move"
"""The beginning of the entry of a game in which it is the user's move."""


@declare_command("me games", "All your games, and whose move it is", private=True)
@declare_button("mygames", private=True)
async def list_my_games(context: Context) -> Reply:
    """List the running games of the user to the user alone, those that wait for them first."""
    user = context.command.who.key
    running_games: list[tuple[LoadedGame, str]] = []
    for loaded in await load_own_games(context):
        is_running = bool(loaded.places) and loaded.game.started and not loaded.game.ended
        side = _get_side_or_role(loaded, user)
        if is_running and side:
            running_games.append((loaded, side))
    if not running_games:
        start = phrase('Start one: `/game start lnlt "Hill 875" sides="US, VC"`')
        return Reply("You're not in a game right now", (start,), private=True)
    running_games.sort(key=lambda pair: not _waits_for_user(pair[0], pair[1], user))
    waiting_count = sum(_waits_for_user(loaded, side, user) for loaded, side in running_games)
    listed_games = running_games[:MOST_SHOWN]
    channels = [loaded.places[0] for loaded, _ in listed_games]
    names = await load_channel_names(context.store, channels)
    current_channel = context.command.where.key
    lines: list[Part] = [
        _build_entry(loaded, context.systems, side, names, current_channel)
        for loaded, side in listed_games
    ]
    left_out = len(running_games) - MOST_SHOWN
    if left_out > 0:
        waiting_left_out = waiting_count - MOST_SHOWN
        note = "with nobody waiting for you"
        if waiting_left_out > 0:
            note = f"{waiting_left_out} of them waiting for you"
        lines.append(f"{left_out} more, {note}.")
    count = format_count(len(running_games), "game")
    title = f"Nobody is waiting for you in {count}"
    if waiting_count:
        title = f"It's your move in {waiting_count} of {count}"
    return Reply(title, tuple(lines), private=True)


async def load_own_games(context: Context) -> list[LoadedGame]:
    """Load the games in which the user has taken part, at most the last `MOST_GAMES`."""
    data = await context.store.load_user_data(context.command.who.key)
    rows = list(dict.fromkeys(row.game for row in data.persons))[-MOST_GAMES:]
    games = []
    for row in rows:
        loaded = await load_game_by_id(context.store, row)
        if loaded is not None:
            games.append(loaded)
    return games


def _get_side_or_role(loaded: LoadedGame, user: str) -> str:
    """Return the side that the user plays, `game master` if they direct without a side, or ""."""
    row = loaded.find_person(user)
    if row is None:
        return ""
    side = loaded.game.players.get(row.person, "")
    return side or ("game master" if loaded.game.master == row.person else "")


def _waits_for_user(loaded: LoadedGame, side: str, user: str) -> bool:
    """Return whether the game waits for the user, who plays `side`: they must choose, or it is
    their move if nobody must choose.

    A game master also chooses for sides without players.
    """
    game = loaded.game
    sides_to_choose = {choice.get("side", "") for choice in game.waits.values()}
    if not sides_to_choose:
        return side in game.go
    row = loaded.find_person(user)
    own_sides = {side}
    if row is not None and row.person == game.master:
        own_sides |= {*game.sides} - {*game.players.values()}
    return bool(sides_to_choose & own_sides)


def _build_entry(
    loaded: LoadedGame,
    systems: RuleSets,
    side: str,
    names: Mapping[str, str],
    current_channel: str,
) -> Entry:
    """Return the entry of one game: its channel, whose move it is, and since when.

    `names` are the names of channels by key. The channel is left out if it has no name and is
    another one on this server.
    """
    game: Game = loaded.game
    channel = loaded.places[0]
    name = names.get(channel, "")
    is_on_this_server = get_server_key(channel) == get_server_key(current_channel)
    channel_text = ""
    if name or channel == current_channel or not is_on_this_server:
        channel_text = name_place(channel, name, current_channel)
    move = describe_whose_go(game)
    if side in game.go and not game.waits and not is_drawn_next(game):
        move = f"{YOUR_MOVE} (both sides)" if len(game.go) > 1 else YOUR_MOVE
    phase = format_numbered_phase(game, systems.get(game.system))
    pieces = (move, phase, f"#{game.number}")
    text: str | Phrase = capitalize_first(" · ".join(piece for piece in pieces if piece))
    if game.go and game.go_since:
        text = Phrase(f"{text} · turn passed: ", build_relative_date(game.go_since))
    about = " · ".join(piece for piece in (side, channel_text) if piece)
    return Entry(game.name, about, text, f"goto:{channel}", "Open")
