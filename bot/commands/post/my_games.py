"""`/me games`: all games in which somebody plays or directs, wherever they are."""

from bot.commands.context import Context
from bot.game.cups import is_drawn_next
from bot.game.loaded import Loaded, game_of
from bot.game.phases import shown_phase, whose_go
from bot.game.state import Game
from bot.interface.reply.parts import Entry, Part, ago
from bot.interface.reply.reply import Reply
from bot.rules.text.names import counted
from bot.rules.text.phrase import Phrase, begun, phrase
from bot.systems.catalog import systems

MOST_GAMES = 200
MOST_SHOWN = 8


async def games(context: Context) -> Reply:
    """All games in which somebody plays or directs, those first where it is their go."""
    user = context.command.who.key
    found = [(loaded, _side(loaded, user)) for loaded in await own_games(context) if loaded.places]
    going = [one for one in found if one[0].game.started and not one[0].game.ended and one[1]]
    going.sort(key=lambda one: not _waits_for(one[0], one[1], user))
    if not going:
        start = phrase('Start one: `/game start lnlt "Hill 875" sides="US, VC"`')
        return Reply("You play in no game just now", (start,), private=True)
    theirs = sum(_waits_for(loaded, side, user) for loaded, side in going)
    count = counted(len(going), "game")
    lines: list[Part] = [_entry(*one) for one in going[:MOST_SHOWN]]
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


async def own_games(context: Context) -> list[Loaded]:
    """The games in which somebody has a part."""
    data = await context.store.user_data(context.command.who.key)
    rows = list(dict.fromkeys(row.game for row in data.persons))[-MOST_GAMES:]
    found = [await game_of(context.store, row) for row in rows]
    return [loaded for loaded in found if loaded is not None]


def _side(loaded: Loaded, user: str) -> str:
    """The side somebody plays; `game master` for who directs without one; "" for neither."""
    row = loaded.person_of(user)
    if row is None:
        return ""
    side = loaded.game.players.get(row.person, "")
    return side or ("game master" if loaded.game.master == row.person else "")


def _waits_for(loaded: Loaded, side: str, user: str) -> bool:
    """Return whether it is their go, or theirs to choose, which comes first; for a side without
    players who directs does.
    """
    game = loaded.game
    row = loaded.person_of(user)
    vacant = (
        {*game.sides} - {*game.players.values()}
        if row is not None and row.person == game.master
        else set[str]()
    )
    asked = {asks.get("side", "") for asks in game.waits.values()}
    return bool(asked & {side, *vacant}) if asked else side in game.go


def _entry(loaded: Loaded, side: str) -> Entry:
    game: Game = loaded.game
    system = systems().get(game.system)
    both = " (both sides)" if len(game.go) > 1 else ""
    is_theirs = side in game.go and not game.waits and not is_drawn_next(game)
    whose = f"your go{both}" if is_theirs else whose_go(game)
    where = shown_phase(game, system)
    said = begun(" · ".join(piece for piece in (whose, where, f"#{game.number}") if piece))
    since = Phrase(f"{said} · came ", ago(game.go_since)) if game.go and game.go_since else said
    return Entry(game.name, side, since, f"goto:{loaded.places[0]}", "Open")
