"""`/log since:me`: the events since the user's own last one, and their losses and move."""

from bot.commands.channel_games import get_game_title
from bot.commands.context import Context
from bot.commands.declare import ButtonOf, declare_button
from bot.commands.turns.turn_card import MOST_IN_ROW, PHONE_ROW, build_phase_buttons
from bot.game.cups import is_drawn_next
from bot.game.events import find_undone_events
from bot.game.phases import describe_whose_go
from bot.game.state import Game, Json
from bot.presentation.events import QUIET, describe_event, describe_turn_and_phase
from bot.rules.errors import UserError
from bot.rules.text.names import format_count, join_names
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import capitalize_first, phrase
from bot.rulesets.system import list_lost_states
from bot.ui.reply.parts import Happened, Part, Small
from bot.ui.reply.reply import HURT, WAITING, Reply

ME = "me"
MOST_READ, MOST_SHOWN = 500, 12


@declare_button("since", of=ButtonOf.GAME, private=True)
async def show_missed_events(context: Context, typed: str) -> Reply:
    """Show the user alone what happened since their own last event, or since the typed event.

    The title says what their side has lost and whose move it is. Raises UserError if no game is
    played here, and for text that is no event number.
    """
    game = context.need_game()
    number = _parse_event_number(typed)
    events, undone = await _load_missed_events(context, number, context.ledger.find_person())
    side = context.actor.side
    lost_units = _list_lost_units(context, events, undone, side)
    lines: list[Part] = []
    left_out = len(events) - MOST_SHOWN
    if left_out > 0:
        log_length = min(left_out + 20, 200)
        lines.append(
            Small(phrase("{more} earlier events: `/log {count}`", more=left_out, count=log_length))
        )
    for event in events[-MOST_SHOWN:]:
        title, cause = await summarize_event(context, event)
        is_worse = any(state_after for _, state_after in _list_changed_states(event, side).values())
        is_undone = event["number"] in undone
        lines.append(Happened(event["number"], title, cause, is_worse, is_undone))
    since = "since you left" if number is None else f"since #{number}"
    by = get_game_title(game)
    if events:
        by = f"{format_count(len(events), 'event')}, {by}"
    may_act = bool(side) and side in game.go and not game.ended
    buttons = build_phase_buttons(context, without=("remember",)) if may_act else ()
    return Reply(
        _format_title(game, side, since, lost_units, has_events=bool(events)),
        tuple(lines),
        by=by,
        tone=HURT if lost_units else WAITING,
        private=True,
        buttons=(*buttons, context.build_button("read", "Log", "log")),
        across=PHONE_ROW if len(buttons) >= MOST_IN_ROW else 0,
    )


def _format_title(
    game: Game, side: str, since: str, lost_units: list[str], *, has_events: bool
) -> str:
    """Return the headline of the missed events: `Since you left: you lost VC 3, and it's your
    move`.
    """
    move = _describe_side_to_play(game, side)
    if not has_events:
        title = f"Nothing has happened {since}"
        return f"{title}, and {move}" if move else title
    losses = ""
    if lost_units:
        losses = f"you lost {join_names(lost_units)}"
    elif side:
        losses = "you lost nothing"
    summary = ", and ".join(text for text in (losses, move) if text)
    return f"{capitalize_first(since)}: {summary or 'the game goes on'}"


def _parse_event_number(typed: str) -> int | None:
    """Return the typed event number; None for `me`, and for "" from a button.

    Raises UserError for anything else.
    """
    word = comparison_key(typed).removeprefix("#")
    if word in ("", ME):
        return None
    if not word.isdecimal() or len(word) > 9:
        raise UserError(
            f'"{typed[:40]}" is neither "me" nor the number of an event.',
            hint=phrase("For example: `/log since=me`"),
            option="since",
            code="bad-value",
        )
    return int(word)


async def _load_missed_events(
    context: Context, number: int | None, person: str
) -> tuple[list[Json], set[int]]:
    """Load the events after event `number` that matter to players, oldest first, and the numbers of
    those that were undone.

    Without a number, the events after the last one of `person` count. A pass counts only if it
    ended a phase.
    """
    events: list[Json] = []
    for event in await context.load_recent_events(MOST_READ, after=number or 0):
        if number is None and person and event["who"] == person:
            break
        events.insert(0, event)
    shown_events = []
    for event in events:
        is_mere_pass = event["kind"] == "pass" and ";" not in event["result"]
        if event["kind"] not in QUIET and not is_mere_pass:
            shown_events.append(event)
    return shown_events, find_undone_events(events)


def _list_lost_units(
    context: Context, events: list[Json], undone: set[int], side: str
) -> list[str]:
    """Return the names of the units that the side has lost in these events, without undone ones."""
    lost_states = list_lost_states(context.system)
    names = []
    for event in events:
        if event["number"] in undone:
            continue
        for name, (_, state_after) in _list_changed_states(event, side).items():
            if state_after in lost_states:
                names.append(name)
    return names


def _list_changed_states(event: Json, side: str) -> dict[str, tuple[str, str]]:
    """Return (state before, state after) of the side's units that the event changed, by name.

    Units that were added or removed are left out. Without a side, return {}.
    """
    if not side:
        return {}
    units_before = (event.get("before") or {}).get("units") or {}
    units_after = (event.get("after") or {}).get("units") or {}
    changed_states = {}
    for key, unit in units_after.items():
        unit_before = units_before.get(key)
        if not unit or not unit_before or unit.get("side") != side:
            continue
        state_before = unit_before.get("state", "")
        state_after = unit.get("state", "")
        if state_after != state_before:
            changed_states[unit["name"]] = (state_before, state_after)
    return changed_states


def _describe_side_to_play(game: Game, side: str) -> str:
    """Return a clause on whose move it is, from the view of a player of `side` ("" for none).

    It may also say that the game is over, or that a chit is to be drawn.
    """
    if game.ended:
        return "the game is over"
    if is_drawn_next(game):
        return "it's time to draw the next chit"
    if side and game.go == (side,):
        return "it's your move"
    if len(game.go) == len(game.sides) and game.go:
        return f"{describe_whose_go(game)} can act"
    return describe_whose_go(game)


async def summarize_event(context: Context, event: Json) -> tuple[str, str]:
    """Return title and cause of an event: those of its answer if it is still stored, otherwise
    those of the log.
    """
    answer = await context.load_answer(event["number"])
    if answer is not None:
        return answer.title, str(answer.by)
    phase = describe_turn_and_phase(event) if event["kind"] == "pass" else ""
    if phase:
        return f"{phase} begins", ""
    event_text = describe_event(
        event, context.systems, context.ledger.get_name, sides=context.game.sides
    )
    return event_text.title, event_text.cause
