"""`/track`: the counters of the game and of its sides.

The director sets those of the game, the players of a side those of the side.
"""

from collections.abc import Mapping
from dataclasses import replace

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.game.rights import need_director, need_player
from bot.game.sides import find_side
from bot.game.state import is_guarded
from bot.game.tracks import list_track_lines
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.tracks import Track, TrackMove, move_track
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import phrase
from bot.ui.common_options import build_optional
from bot.ui.reply.reply import GAME, Reply


@declare_command(
    "track show",
    "What the game tracks besides its units, such as the weather",
    private=True,
    needs_game=True,
)
async def show_tracks(context: Context) -> Reply:
    """Show the values of all tracks, and their possible values.

    Raises UserError if no game was played here, or if its rule set has no tracks.
    """
    game = context.need_game()
    tracks = _get_tracks(context)
    lines = list(list_track_lines(game, tracks, game.sides, hidden=True))
    first_track = next(iter(tracks.values()))
    lines.append(phrase("Set one: `/track set {example}`", example=first_track.example))
    return Reply("Tracks of this game", tuple(lines), private=True)


@declare_command(
    "track set",
    "Set a track: your side's own, or the game's if you run the game",
    Option("name", "str", "which track", complete="track"),
    Option("to", "str", "its new value; +1 or -1 moves it up or down", complete="track-value"),
    build_optional("side", "whose it is; blank: your side's", complete="side"),
    example="weather mud",
    needs_game=True,
)
async def set_track(context: Context) -> Reply:
    """Set a track to the typed value, or move it by `+1` or `-1`.

    Raises UserError for an unknown track or value, a value that it has already, and for a user who
    may not set it. A value cannot be set while a pending choice may change it; it can still be
    moved.
    """
    options = context.clean_options()
    game = context.open_game()
    tracks = _get_tracks(context)
    track = _find_track(options["name"], tracks)
    side = _find_track_side(context, track, options["side"])
    old_value = track.get_value(game.tracks, side)
    typed = normalize_value(options["to"])
    # +1 is one more, unless the track has values below 0
    is_relative = typed[:1] in "+-" and typed[1:].isdecimal() and track.min >= 0
    if is_relative:
        value, *_ = move_track(track, old_value, TrackMove("", add=int(typed[:8])))
    else:
        value = track.parse_value(typed)
    if value == old_value:
        raise UserError(
            f"No change: {track.format_value(old_value, side)}.", option="to", code="no-change"
        )
    if not is_relative:
        await context.need_settable([track.get_key(side)])
    sentence = track.format_value(value, side)
    body = context.ledger.add(
        "track", replace(game, tracks={**game.tracks, track.get_key(side): value}), result=sentence
    )
    undo = context.build_undo_button(body["number"])
    return Reply(
        sentence,
        (f"It was {old_value}.",),
        by=f"set by {context.user_name}",
        buttons=(undo,),
        tone=GAME,
    )


def _get_tracks(context: Context) -> Mapping[str, Track]:
    """Return the tracks of this game's system. Raises UserError if there are none."""
    system = context.system
    if system is None:
        raise UserError("There's no game here yet, so there are no tracks.", code="no-system")
    if not system.tracks:
        raise UserError(f"{system.title} has no tracks.", code="not-in-system")
    return system.tracks


def _find_track(typed: str, tracks: Mapping[str, Track]) -> Track:
    """Return the track with the typed name or title. Raises UserError if there is none."""
    folded = comparison_key(typed)
    names = {**{comparison_key(track.title): track for track in tracks.values()}, **tracks}
    track = names.get(folded) or names.get(folded.replace(" ", "_").replace("-", "_"))
    if track is None:
        hint = did_you_mean(folded, tracks) or f"Its tracks: {', '.join(tracks)}."
        raise UserError(
            f'There is no track "{typed[:40]}".', hint=hint, option="name", code="bad-value"
        )
    return track


def _find_track_side(context: Context, track: Track, typed: str | None) -> str:
    """Return the side whose track is set, "" for a track of the game.

    Raises UserError if the player may not set it.
    """
    game = context.game
    actor = context.actor
    if not track.by_side:
        if typed:
            raise UserError(
                f"{track.title} belongs to the game, not to a side.",
                hint="Leave out side.",
                option="side",
                code="bad-value",
            )
        need_director(game, actor, f"set {track.title}")
        return ""
    need_player(game, actor)
    if not game.sides:
        raise UserError(
            f"{track.title} belongs to a side, and this game has no sides.",
            option="name",
            code="bad-value",
        )
    side = find_side(game, typed) if typed else actor.side
    if not side:
        hint = f"Add side={game.sides[0]}."
        raise UserError(f"Whose {track.title}?", hint=hint, option="side", code="missing")
    if is_guarded(game) and side != actor.side and not actor.directs:
        raise UserError(
            f"Only {side} can set their {track.title}.", option="side", code="not-yours"
        )
    return side
