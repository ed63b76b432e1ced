"""`/log since:me`: what happened while somebody was away, and what that means for them."""

from bot.commands.channel_games import get_game_title
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.turns.turn_card import MOST_IN_ROW, PHONE_ROW, build_phase_buttons
from bot.game.cups import is_drawn_next
from bot.game.events import find_undone_events
from bot.game.phases import describe_whose_go
from bot.game.roster import GONE
from bot.game.state import Game, Json
from bot.presentation.events import QUIET, describe_event, describe_turn_and_phase
from bot.rules.errors import UserError
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first, phrase
from bot.ui.reply.parts import Happened, Part, Small
from bot.ui.reply.reply import HURT, WAITING, Reply

ME = "me"
MOST_READ, MOST_SHOWN = 500, 12


@declare_button("since", of=ButtonOf.GAME, private=True)
async def show_missed_events(context: Context, typed: str) -> Reply:
    """What happened since the reader's own last event, or behind the event with this number."""
    game = context.need_game()
    after = _parse_event_number(typed)
    events, undone = await _load_missed_events(context, after, context.ledger.find_person())
    side = context.actor.side
    held = (event for event in events if event["number"] not in undone)
    lost = [
        name
        for event in held
        for name, (_, now) in _list_changed_units(event, side).items()
        if now in GONE
    ]
    lines: list[Part] = []
    for event in events[-MOST_SHOWN:]:
        worse = any(now for _, now in _list_changed_units(event, side).values())
        lines.append(
            Happened(
                event["number"],
                *await summarize_event(context, event),
                worse,
                event["number"] in undone,
            )
        )
    if (more := len(events) - MOST_SHOWN) > 0:
        lines.insert(
            0,
            Small(
                phrase(
                    "{more} events before these: `/log {count}`",
                    more=more,
                    count=min(more + 20, 200),
                )
            ),
        )
    go = _describe_side_to_play(game, side)
    left = "since you left" if after is None else f"since #{after}"
    if not events:
        title = f"Nothing has happened {left}" + (f", and {go}" if go else "")
    else:
        means = f"you lost {join_names(lost)}" if lost else ("you lost nothing" if side else "")
        news = ", and ".join(piece for piece in (means, go) if piece) or "the game goes on"
        title = f"{capitalize_first(left)}: {news}"
    is_theirs = bool(side) and side in game.go and not game.ended
    buttons = build_phase_buttons(context, without=("remember",)) if is_theirs else ()
    return Reply(
        title,
        tuple(lines),
        by=f"{format_count(len(events), 'event')}, {get_game_title(game)}"
        if events
        else get_game_title(game),
        tone=HURT if lost else WAITING,
        private=True,
        buttons=(*buttons, context.build_button("read", "Log", "log")),
        across=PHONE_ROW if len(buttons) >= MOST_IN_ROW else 0,
    )


def _parse_event_number(typed: str) -> int | None:
    word = comparison_key(typed).removeprefix("#")
    if word in ("", ME):  # the button says nothing
        return None
    if not word.isdecimal() or len(word) > 9:
        what = f'"{typed[:40]}" is neither me nor the number of an event.'
        raise UserError(
            what, hint=phrase("For example: `/log since=me`"), option="since", code="bad-value"
        )
    return int(word)


async def _load_missed_events(
    context: Context, after: int | None, person: str
) -> tuple[list[Json], set[int]]:
    """The events since that matter, the first one first, and which of them no longer hold; from the
    reader's own last one on where no number is given."""
    found: list[Json] = []
    for event in await context.load_recent_events(MOST_READ, after=after or 0):
        if after is None and person and event["who"] == person:
            break
        found.insert(0, event)
    events = [
        one
        for one in found
        if one["kind"] not in QUIET and (one["kind"] != "pass" or ";" in one["result"])
    ]
    return events, find_undone_events(found)


def _list_changed_units(event: Json, side: str) -> dict[str, tuple[str, str]]:
    """Units of a side whose state an event changed: by name, from and to."""
    before, after = ((event.get(part) or {}).get("units") or {} for part in ("before", "after"))
    found = {}
    for key, unit in after.items():
        was = before.get(key)
        if (
            unit
            and was
            and side
            and unit.get("side") == side
            and unit.get("state", "") != was.get("state", "")
        ):
            found[unit["name"]] = (was.get("state", ""), unit.get("state", ""))
    return found


def _describe_side_to_play(game: Game, side: str) -> str:
    if game.ended:
        return "the game is over"
    if is_drawn_next(game):
        return "the next chit is to be drawn"
    if side and game.go == (side,):
        return "it's your move"
    if len(game.go) == len(game.sides) and game.go:
        return f"{describe_whose_go(game)} can act"
    return describe_whose_go(game)


async def summarize_event(context: Context, event: Json) -> tuple[str, str]:
    """The first line of what an event was answered with, as far as that is kept; else what the
    log says of it.
    """
    if (answer := await context.load_answer(event["number"])) is not None:
        return answer.title, str(answer.by)
    if event["kind"] == "pass" and (where := describe_turn_and_phase(event)):
        return f"{where} begins", ""
    found = describe_event(event, context.ledger.get_name, sides=context.game.sides)
    return found.title, found.by
