"""`/track`: what the game keeps beside its units. The game's are set by its director, a side's
by its players.
"""

from collections.abc import Mapping
from dataclasses import replace

from bot.commands.context import Context
from bot.game.rights import need_director, need_player
from bot.game.sides import find_side
from bot.game.state import is_guarded
from bot.game.tracks import list_track_lines
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.tracks import Track, TrackMove, move_track
from bot.rules.text.normalize import comparison_key, normalize_value
from bot.rules.text.phrase import phrase
from bot.ui.reply.reply import GAME, Reply


async def show_tracks(context: Context) -> Reply:
    """All tracks as they are, and what each may be."""
    game = context.need_game()
    tracks = _get_tracks(context)
    lines = list(list_track_lines(game, tracks, game.sides, hidden=True))
    first = next(iter(tracks.values()))
    lines.append(phrase("Set one: `/track set {example}`", example=first.example))
    return Reply("Tracks of this game", tuple(lines), private=True)


async def set_track(context: Context) -> Reply:
    """One track from now on as somebody says. Raises UserError where it is not theirs."""
    options = context.clean_options()
    game = context.open_game()
    tracks = _get_tracks(context)
    track = _find_track(options["name"], tracks)
    side = _find_track_side(context, track, options["side"])
    was = track.get_value(game.tracks, side)
    to = normalize_value(options["to"])
    # +1 is one more, where no value is below 0
    by = to[:1] in "+-" and to[1:].isdecimal() and track.min >= 0
    value = (
        move_track(track, was, TrackMove("", add=int(to[:8])))[0] if by else track.parse_value(to)
    )
    if value == was:
        raise UserError(f"{track.format_value(was, side)} already.", option="to", code="no-change")
    if not by:
        await context.need_settable([track.get_key(side)])
    said = track.format_value(value, side)
    body = context.ledger.add(
        "track", replace(game, tracks={**game.tracks, track.get_key(side): value}), result=said
    )
    undo = context.build_button("undo", "Undo", body["number"])
    return Reply(
        said, (f"It was {was}.",), by=f"set by {context.user_name}", buttons=(undo,), tone=GAME
    )


def _get_tracks(context: Context) -> Mapping[str, Track]:
    """The tracks of the system that is played. Raises UserError for none."""
    system = context.system
    if system is None:
        raise UserError("No system is played here yet.", code="no-system")
    if not system.tracks:
        raise UserError(f"{system.title} has no tracks.", code="not-in-system")
    return system.tracks


def _find_track(typed: str, tracks: Mapping[str, Track]) -> Track:
    """The track of that name or title. Raises UserError."""
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
    """Whose track is set, "" for the game's. Raises UserError where it is not theirs to set."""
    game = context.game
    actor = context.actor
    if not track.by_side:
        if typed:
            raise UserError(
                f"{track.title} is the game's.",
                hint="Leave out side.",
                option="side",
                code="bad-value",
            )
        need_director(game, actor, f"set {track.title}")
        return ""
    need_player(game, actor)
    if not game.sides:
        raise UserError(
            f"{track.title} is a side's, and this game has no sides.",
            option="name",
            code="bad-value",
        )
    side = find_side(game, typed) if typed else actor.side
    if not side:
        hint = f"Add side={game.sides[0]}."
        raise UserError(f"Whose {track.title}?", hint=hint, option="side", code="missing")
    if is_guarded(game) and side != actor.side and not actor.directs:
        raise UserError(
            f"{track.title} of {side} is theirs to set.", option="side", code="not-yours"
        )
    return side
