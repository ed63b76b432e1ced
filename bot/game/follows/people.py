"""Whether an event follows on those before it: who plays, leaves, and comes in with a log."""

from __future__ import annotations

from collections.abc import Mapping

from bot.game.follows.past import Event, Past, playing_problem, words_problem


def join(past: Past, event: Event) -> str:
    """A side is taken by somebody who has none."""
    who, side = event["who"], event["side"]
    if problem := playing_problem(past):
        return problem
    if who in past.now.players or side not in past.now.sides:
        return "it joins a side that does not exist, or while playing for another."
    return _players(past, event, {**past.now.players, who: side})


def leave(past: Past, event: Event) -> str:
    """Who plays a side gives it up."""
    if problem := playing_problem(past):
        return problem
    if event["who"] not in past.now.players:
        return "who leaves plays no side."
    return _players(past, event, {who: side for who, side in past.now.players.items() if who != event["who"]})


def _players(past: Past, event: Event, players: Mapping[str, str]) -> str:
    now = past.patch(event, "after", "game").get("players", past.now.players)
    return "" if now == players else "it changes who plays for which side."


def bring_in(past: Past, event: Event) -> str:
    """Who brings a log in may become its game master, and changes nothing else."""
    if "commitment" not in event["secret"]:
        return "an import promises a new seed."
    said = past.patch(event, "after", "game")
    if said and not (past.now.started and said["master"] == event["who"]):
        return "who imports a game directs it, and nobody else."
    return words_problem(event, f"{past.now.number} events")


def privacy(past: Past, event: Event) -> str:
    """Who has their data deleted leaves the game, and nobody else does."""
    now, who, said = past.now, event["who"], past.patch(event, "after", "game")
    stay, master = said.get("players", now.players), said.get("master", now.master)
    left = {who, *(person for person in now.players if person not in stay), *({now.master} if not master else ())}
    # An account that an imported file knows too leaves as both persons; nobody else goes along.
    along = left - {who, "", *(own for own, by in past.claimed.items() if by == who)}
    if len(along) > 1 or not along <= past.acted_before - past.acted_here:
        return "somebody else leaves with who had their data deleted."
    if master != ("" if now.master in left else now.master):
        return "it changes who is game master."
    players = {other: side for other, side in now.players.items() if other not in left}
    return _players(past, event, players)


def claim(past: Past, event: Event) -> str:
    """Who is known by two persons goes on as that of the imported log; a seat taken meanwhile moves along."""
    now, who, own = past.now, event["who"], event.get("own", "")
    is_there = who in past.acted_before - past.acted_here and (not own or own in past.acted_here)
    if not past.imported or own == who or not is_there:
        return "nobody is claimed but a person of an imported log."
    mine, theirs = now.players.get(own, ""), now.players.get(who, "")
    if mine and theirs and mine != theirs:
        return "nobody plays two sides."
    seats = {who: theirs or mine} if theirs or mine else {}
    players = {**{person: side for person, side in now.players.items() if person != own}, **seats}
    master = who if own and now.master == own else now.master
    if past.patch(event, "after", "game").get("master", now.master) != master:
        return "it changes who is game master."
    return _players(past, event, players)
