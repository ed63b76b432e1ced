"""`/result confirm`: the result of a game that counts is confirmed, once.

The opponent of the player who ended the game confirms it, by the button under the end of the game.
If both players ended it together, they have confirmed it by that. After seven days a manager who
has no part in the game may confirm it, with a reason for the log.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace

from bot.commands.answer_footer import store_first_line
from bot.commands.channel_games import use_named_game
from bot.commands.context import Amendment, Context
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.result.other_game import build_manager_texts, has_played_other_game
from bot.commands.games.result.read_log import list_own_persons, load_start, read_play
from bot.commands.games.result.result_docs import (
    build_seat,
    find_winner,
    get_user,
    load_result,
    store_played,
    store_result,
    sum_series,
)
from bot.commands.games.result.series import offer_return
from bot.commands.games.stats import QUICK, load_tally, measure_patiently
from bot.commands.ladder.ladder_docs import WAITS
from bot.commands.turns.mentions import call_users
from bot.commands.turns.turn_card import remove_buttons
from bot.commands.undo.undo import manages_game_channel
from bot.game.luck import ENOUGH, combine_z, sum_worths
from bot.game.results import (
    MANAGER_WAITS,
    CountedPlay,
    find_result_problem,
    list_confirmers,
    may_manager_decide,
)
from bot.game.score import get_logged_score, is_score_against
from bot.game.state import Game, Json
from bot.ladder.result import Result
from bot.presentation.events import describe_past_outcome
from bot.presentation.score import (
    describe_decision_against_score,
    describe_winner_by_score,
    format_score,
)
from bot.rules.errors import UserError
from bot.rules.text.names import format_count
from bot.rules.text.phrase import capitalize_first, phrase
from bot.storage.base import DAY
from bot.ui.common_options import PAST_GAME, build_optional
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import Reply
from bot.ui.spec import Person

CONFIRM = "confirm"
"""The name of the button under the end of a game."""
HAS_TO_CONFIRM = "has to confirm the result."
LATER = Small("After seven days, a manager who isn't in the game can.")
LONGEST_REASON = 300
REASON = build_optional("reason", "as a manager: why, for the log", max=LONGEST_REASON)


@declare_command(
    "result confirm",
    "Confirm the result of a game that counts",
    REASON,
    PAST_GAME,
    title="Confirm a result",
    verb="Confirm",
    needs_game=True,
)
async def type_confirm(context: Context) -> Reply:
    """Confirm the result of this channel's game, or of the game that was typed.

    Raises UserError for a game without such a result, and for a user who cannot confirm it.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    return await confirm_result(context, options["reason"] or "")


@declare_button(CONFIRM, of=ButtonOf.GAME, in_earlier_games=True)
async def press_confirm(context: Context) -> Reply:
    """Confirm the result of the game by the button *Confirm*; see `confirm_result`."""
    return await confirm_result(context)


async def find_confirm_question(context: Context) -> Reply | None:
    """Return the question whether the result is confirmed, if the user has to confirm it, or None."""
    game = context.game
    if not game.counted or not game.ended or game.confirmed:
        return None
    play = await read_play(context)
    if find_result_problem(game, play):
        return None
    if context.actor.person not in list_confirmers(game, play):
        return None
    title = f"confirm the result: {describe_past_outcome(game.winner)}"
    return Reply(title, buttons=(context.build_button(CONFIRM, "Confirm", style="good"),))


async def confirm_result(context: Context, reason: str = "") -> Reply:
    """Confirm the result of the game, as the player who has to confirm it, or as a manager.

    That player is the opponent of the one who ended the game; if neither ended it, the loser, or
    either after a draw. A manager gives a `reason`. Raises UserError for a game without a result
    that is still to be confirmed, and for every other user, such as a manager who played in the
    game or in the other one of its series. Raises it too for a manager before seven days after
    the end, if by the score somebody else won, or without a reason.
    """
    game = context.need_game()
    play = await read_play(context)
    need_result(game, play)
    if game.confirmed:
        raise UserError("The result is already confirmed.", code="no-change")
    assert play.end is not None
    persons = list_own_persons(context)
    confirmers = [person for person in list_confirmers(game, play) if person in persons]
    if confirmers:
        return await _record_confirmation(context, play)
    if persons & {*game.counted}:
        raise UserError("Your opponent has to confirm it.", code="not-yours")
    await need_deciding_manager(context, play, "confirm it")
    _need_seven_days(context, int(play.end["at"]))
    if is_score_against(get_logged_score(play.end), game.winner):
        raise UserError(
            "By the score, somebody else won, so only the opponent can confirm this.",
            code="no-result",
        )
    need_reason(reason)
    return await _record_confirmation(context, play, reason)


def need_result(game: Game, play: CountedPlay) -> None:
    """Raise UserError unless the game counts and has ended with a result."""
    problem = find_result_problem(game, play)
    if not problem:
        return
    hint = ""
    if game.counted and game.ended:
        hint = phrase("`/game resume` continues it, and `/game end` names the winner.")
    elif not game.counted:
        hint = phrase("Two players agree on that before the first roll: `/result count`")
    code = "no-result" if game.counted else "not-counted"
    raise UserError(f"{capitalize_first(problem)}", hint=hint, code=code)


def _need_seven_days(context: Context, ended: int) -> None:
    """Raise UserError if a manager may not confirm the result yet. `ended` is in Unix seconds."""
    left = ended + MANAGER_WAITS - context.now
    if left > 0:
        days = format_count(int(-(-left // DAY)), "day")
        raise UserError(
            f"The opponent has {days} left to confirm it; after that you can.", code="no-result"
        )


async def need_deciding_manager(context: Context, play: CountedPlay, action: str) -> None:
    """Raise UserError for a user who does not manage the game's server, or has a part in the game.

    Raise it too for one who has played in the other game of its series. `action` completes the
    sentence "Only ... can ...".
    """
    game = context.game
    names = " or ".join(map(context.ledger.get_name, game.counted))
    if not await manages_game_channel(context):
        is_linked = len(context.ledger.places) > 1
        hint = "It's up to the managers of the server where this game began." if is_linked else ""
        raise UserError(
            f"Only {names}, or a manager who isn't in the game, can {action}.",
            hint=hint,
            code="not-manager",
        )
    persons = list_own_persons(context)
    has_played = not all(may_manager_decide(game, play, person) for person in persons)
    if has_played:
        raise UserError("You've played in this game, so you can't decide this.", code="not-yours")
    if await has_played_other_game(context):
        raise UserError(
            "You've played in the other game of this series, so you can't decide this.",
            code="not-yours",
        )


def need_reason(reason: str) -> None:
    """Raise UserError if a manager gives no reason."""
    if not reason.strip():
        raise UserError(
            "Managers must give a reason, which stays in the log.",
            hint='For example: reason="Ben has left us."',
            option="reason",
            code="missing",
        )


async def _record_confirmation(context: Context, play: CountedPlay, reason: str = "") -> Reply:
    """Record that the user confirms the result, store it, and return the answer.

    A manager has a `reason`.
    """
    game = context.game
    assert play.end is not None
    end_number = int(play.end["number"])
    context.ledger.add(
        "confirm",
        replace(game, confirmed=context.ledger.next_number),
        texts=await build_manager_texts(context, reason),
        event=end_number,
        by="manager" if reason else "",
    )
    reply = Reply(
        f"{context.user_name} confirms: {describe_past_outcome(game.winner)}",
        (_describe_result(context, play, reason), *_describe_score(game, play)),
    )
    await store_first_line(context, reply)
    start = await load_start(context)
    result = await _build_result(context, play, start)
    await store_result(context, result)
    reply = replace(
        reply,
        lines=(*reply.lines, *await _describe_series(context, result)),
        buttons=tuple(await offer_return(context, start, play)),
    )
    context.amendments.append(Amendment(context.build_topic(end_number), _mark_confirmed))
    return reply


def _mark_confirmed(reply: Reply | None) -> Reply | None:
    """Remove from the end of a game that its result has to be confirmed, and the button for it.

    Return None if it does not say so.
    """
    new_reply = remove_buttons(reply, (CONFIRM,))
    if new_reply is None:
        return None
    lines = [
        line for line in new_reply.lines if line != LATER and not str(line).endswith(HAS_TO_CONFIRM)
    ]
    return replace(new_reply, lines=tuple(lines))


def _describe_result(context: Context, play: CountedPlay, reason: str) -> str:
    """Return the two players with their sides, and the `reason` of a manager."""
    players = " v ".join(
        f"{context.ledger.get_name(person)} ({play.sides[person]})"
        for person in context.game.counted
    )
    return f"{players}, by a manager: {reason}" if reason else players


def _describe_score(game: Game, play: CountedPlay) -> list[str]:
    """Return a line with the score at the end of the game: `By the score, Duke wins: Duke 9, League
    3`. If the players named another winner, it says so. Return no line without a score.
    """
    score = get_logged_score(play.end)
    if score is None:
        return []
    values = format_score(score)
    if is_score_against(score, game.winner):
        return [f"{describe_decision_against_score(game.winner)} The score: {values}."]
    return [f"{describe_winner_by_score(game.winner).removesuffix('.')}: {values}."]


async def _describe_series(context: Context, result: Result) -> list[str]:
    """Return a line on the series that ends with this result: `The series: Anna 2, Ben 0`.

    Return no line after a first game, or if that has no confirmed result.
    """
    if result.series in ("", result.game):
        return []
    first = await load_result(context, result.series)
    if first is None:
        return []
    points = sum_series([first, result])
    if len(points) == 2 and len({*points.values()}) == 1:
        return [f"The series: {points[result.seats[0].player]:g} each"]
    names = {seat.player: seat.name for seat in result.seats}
    score = ", ".join(f"{names.get(player, '')} {value:g}" for player, value in points.items())
    return [f"The series: {score}"]


async def _build_result(context: Context, play: CountedPlay, start: Json) -> Result:
    """Build the result of the game, which the last event confirms. `start` is its first event."""
    ledger = context.ledger
    game = context.game
    body = ledger.bodies[-1]
    luck = await _measure_luck(context)
    seats = [
        build_seat(
            context,
            person,
            play.sides[person],
            play.compute_reply_hours(person),
            luck.get(person),
        )
        for person in game.counted
    ]
    pair = (seats[0], seats[1])
    assert play.end is not None
    return Result(
        game=game.id,
        system=game.system,
        scenario=str(start.get("scenario", "")),
        title=game.name,
        seats=pair,
        winner=find_winner(game.winner, pair),
        commitment=str(start["secret"]["commitment"]),
        ended=int(play.end["number"]),
        confirmed=body["number"],
        head=ledger.head,
        time=float(body["at"]),
        by_manager="by" in body,
        series=str(start.get("series", "")),
    )


async def _measure_luck(context: Context) -> dict[str, float]:
    """Return the luck of the two players in their own rolls, as standard deviations.

    A player with fewer than ENOUGH rolls is left out, and both are if it takes too long.
    """
    luck: dict[str, float] = {}
    with contextlib.suppress(UserError, TimeoutError):
        async with asyncio.timeout(QUICK):
            tally = await load_tally(context)
            for person in context.game.counted:
                measured = await measure_patiently(context, tally, context.systems, person)
                total = sum_worths(worth for _, worth in measured.rolls)
                if total.count >= ENOUGH:
                    luck[person] = combine_z([total])
    return luck


# -- under the end of a game


async def add_result_to_end(context: Context, reply: Reply, enders: Sequence[str]) -> Reply:
    """Add to the summary of a game that has just ended who confirms its result.

    `enders` are the persons who ended it together. If they are the two players, this confirms it.
    A game that does not count, or ended without a winner, has no result.
    """
    game = context.game
    if not game.counted:
        return await _offer_return_of_uncounted(context, reply)
    play = await read_play(context)
    if find_result_problem(game, play) or play.end is None:
        line = phrase(
            "It counts, but has no winner yet: `/game resume` it, then name one with `/game end`."
        )
        return replace(reply, lines=(*reply.lines, line))
    both = len(enders) == 2 and {*enders} == {*game.counted}
    if both:
        return await _confirm_together(context, reply, play)
    await store_played(context, WAITS)
    context.about = context.build_topic(play.end["number"])
    confirmers = list_confirmers(game, play)
    names = " or ".join(map(context.ledger.get_name, confirmers))
    lines: tuple[Part, ...] = (*reply.lines, f"{names} {HAS_TO_CONFIRM}", LATER)
    button = context.build_button(CONFIRM, "Confirm", style="good")
    mention = await call_users(context, filter(None, (get_user(context, p) for p in confirmers)))
    return replace(
        reply, lines=lines, buttons=(button, *reply.buttons), mention=(*reply.mention, *mention)
    )


async def _offer_return_of_uncounted(context: Context, reply: Reply) -> Reply:
    """Add *Play the return game* to the end of the first game of a series that does not count."""
    start = await load_start(context)
    if "series" not in start:
        return reply
    buttons = await offer_return(context, start, await read_play(context))
    return replace(reply, buttons=(*buttons, *reply.buttons))


async def _confirm_together(context: Context, reply: Reply, play: CountedPlay) -> Reply:
    """Confirm the result for the player who asked to end the game, to which the user agreed."""
    user = context.command.who
    asker = next(person for person in context.game.counted if person != context.actor.person)
    row = context.ledger.persons[asker]
    context.act_as(Person(row.user, row.name))
    confirmation = await _record_confirmation(context, play)
    context.act_as(user)
    score_lines = _describe_score(context.game, play)  # the end has them already
    series = [line for line in confirmation.lines[1:] if line not in score_lines]
    lines = (*reply.lines, "The result is confirmed.", *series)
    return replace(reply, lines=lines, buttons=(*confirmation.buttons, *reply.buttons))
