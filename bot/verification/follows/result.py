"""The checks of events about a result that counts: agreed before the first roll, confirmed by the
opponent or in time by a manager, and struck by both or by a manager.

Each `check_` takes the log so far, the event, and the fields of the game that it changes. It
returns a fault, or "" if there is none.
"""

from bot.game.results import (
    ELSEWHERE,
    MANAGER_WAITS,
    CountedPlay,
    find_first_roll,
    find_result_problem,
    list_confirmers,
    may_manager_decide,
)
from bot.game.score import get_logged_score, is_score_against
from bot.game.state import DRAW
from bot.verification.follows.past import Event, GameFields, Past


def check_count(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless two players agree before the first roll that the game counts."""
    game = past.game
    requester = event["asked"]
    consenter = event["who"]
    if game.counted:
        return "the game already counted."
    if requester == consenter:
        return "one player alone agreed that the game counts."
    if fields.get("counted") != [requester, consenter]:
        return "the game must count for the two players who agreed, and for nobody else."
    if requester not in past.authors:
        return "the player who asked that the game counts had no part in it."
    if len(game.sides) != 2 or game.self_played:
        return "only a game with two sides that people play can count."
    if game.players.get(requester, "") == game.players.get(consenter, "none"):
        return "the two players who agreed that the game counts play the same side."
    first_roll = find_first_roll(past.bodies.values())
    if first_roll:
        return f"the players agreed that the game counts only after the first roll, #{first_roll}."
    return ""


def check_confirm(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event confirms the end of a game that counts, once.

    The opponent of whoever ended it confirms it, or after seven days a manager who has no part in
    the game, with a reason and not against the score.
    """
    game = past.game
    play = CountedPlay.read(past.bodies.values(), game.counted)
    problem = find_result_problem(game, play)
    if problem or play.end is None:
        return f"it confirms a result, but {problem}"
    if game.confirmed:
        return f"the result was already confirmed, by #{game.confirmed}."
    if event["event"] != play.end["number"]:
        return f"it confirms #{event['event']}, but the game ended with #{play.end['number']}."
    if fields.get("confirmed") != event["number"]:
        return "it does not say which event confirmed the result."
    if "by" in event:
        return _find_manager_confirm_problem(past, event, play, play.end)
    if "texts" in event:
        return "only a manager gives a reason."
    if event["who"] == play.end["who"]:
        return "the result was confirmed by the player who ended the game."
    if event["who"] not in list_confirmers(game, play):
        return "the result was confirmed by somebody who had no say in it."
    return ""


def _find_manager_confirm_problem(past: Past, event: Event, play: CountedPlay, end: Event) -> str:
    """Return a fault unless a manager may confirm the result with which the game ended, else ""."""
    if event["at"] < end["at"] + MANAGER_WAITS:
        return "a manager confirmed the result before seven days had passed."
    if is_score_against(get_logged_score(end), past.game.winner):
        return "a manager confirmed a result that contradicts the score."
    return _find_manager_problem(past, event, play, "confirmed")


def check_strike(past: Past, event: Event, fields: GameFields) -> str:
    """Return a fault unless the event strikes the confirmed result, by agreement of the two players
    or by a manager who has no part in the game.
    """
    game = past.game
    if not game.confirmed or event["event"] != game.confirmed:
        return f"it strikes #{event['event']}, which is no confirmed result."
    if fields.get("confirmed") != 0:
        return "it does not strike the result."
    if "by" in event:
        if "asked" in event:
            return "a manager who strikes a result is asked by nobody."
        play = CountedPlay.read(past.bodies.values(), game.counted)
        return _find_manager_problem(past, event, play, "struck")
    if "texts" in event:
        return "only a manager gives a reason."
    requester = event.get("asked", event["who"])
    if requester == event["who"]:
        return "the result was struck by one player alone."
    if {requester, event["who"]} != {*game.counted}:
        return "the result was struck by somebody who had no say in it."
    return ""


def _find_manager_problem(past: Past, event: Event, play: CountedPlay, verb: str) -> str:
    """Return a fault unless the author is a manager without a part in the game, with a reason.

    `verb` says what they did to the result. Return "" if all is right.
    """
    if not may_manager_decide(past.game, play, event["who"]):
        return f"the result was {verb} by a manager who played in the game."
    keys = {*event.get("texts", ())}
    if "reason" not in keys or keys - {"reason", ELSEWHERE}:
        return f"the result was {verb} by a manager who gave no reason."
    start = past.bodies[1]
    if start.get("series", start["game"]) != start["game"] and ELSEWHERE not in keys:
        return f"the result was {verb} by a manager who may have played in the first game."
    return ""


def describe_decision_against_score(past: Past, event: Event) -> str:
    """Return a remark on a confirmed result if the score gives another winner, else "".

    Two players may agree on that, so it is no fault. `event` confirms the result.
    """
    score = get_logged_score(past.bodies.get(event["event"]))
    if score is None or not is_score_against(score, past.game.winner):
        return ""
    by_score = _name_outcome(score.winner)
    return f"both players name {_name_outcome(past.game.winner)}, and the score gives {by_score}."


def _name_outcome(winner: str) -> str:
    if winner == DRAW:
        return "a draw"
    return winner or "nobody"
