"""Whether an event may be taken back, and whose consent that needs. So undo cannot re-roll."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.game.events import BARRIERS, NEVER_UNDONE, changes_game, holding, is_passed_over, is_shared
from bot.game.ledger import Ledger
from bot.game.state import Actor, Game, Json, content, is_guarded, unit_json
from bot.rules.cards import HAND, SEEN
from bot.stores.store import Store

SILENT = 7 * 24 * 3600
"""Seconds in which nobody of the other side has acted before somebody else may agree in their place."""
LEFT, SILENCE, EDITION = "left", "silent", "edition"
"""Reasons of a manager to agree in the place of the other side; why what waits is taken back freely."""
FIRST, MOST = 50, 2_000
"""Events read at first on the way back from the newest, and at most."""
LOOK_BACK = 200
"""Events in which an undo or a redo of another is looked for."""


class Found(NamedTuple):
    """What undo finds on its way back from the newest event: the event that it takes, or the one in the way.

    `last` is the last event that holds once it is taken back.
    """

    event: Json | None = None
    way: Json | None = None
    last: int = 0


def find(
    newest_first: Iterable[Mapping[str, Any]], last: int, number: int | None = None, *, upkeep: bool = False
) -> Found:
    """The latest event that changed the game, or the event with this number while nothing later changed the game.

    What happens beside the game is passed over. Where nothing has changed it yet, it is the latest event that can be
    taken back at all. `last` is the last event that holds; the events need not be all of the log, and without a number
    they are read twice. With `upkeep` dice of upkeep that changed nothing are in the way as well, for the phase would
    roll them anew; logs from before have passed over them.
    """
    beside: Json | None = None
    events = holding(newest_first)
    for event in events:
        if number is not None and event["number"] <= number:
            return Found(event, last=_last(event, events, last)) if event["number"] == number else Found()
        if changes_game(event) or (upkeep and "upkeep" in event and event.get("dice")):
            if number is None and event["kind"] not in BARRIERS:
                return Found(event, last=_last(event, events, last))
            if number is not None or beside is None:
                return Found(way=event)
            break
        if beside is None and event["kind"] not in NEVER_UNDONE:
            beside = event
    return find(newest_first, last, beside["number"], upkeep=upkeep) if beside is not None else Found()


async def find_undoable(store: Store, ledger: Ledger, number: int | None = None) -> tuple[Found, list[Json]]:
    """What undo finds in a game, and the events that were read for it, newest first."""
    events, limit = ledger.bodies[::-1], FIRST
    waits = max(ledger.game.waits, default=0)
    while True:
        before = events[-1]["number"] if events else None
        rows = await store.events(ledger.row, before=before, limit=limit, newest_first=True)
        events += [row.data for row in rows]
        found = find(events, ledger.game.last, number, upkeep=True)
        if number is None and waits and (found.event is None or found.event["number"] < waits):
            number = waits  # what asks for a choice is taken back whole, though it has changed nothing yet
            found = find(events, ledger.game.last, number, upkeep=True)
        is_over = len(rows) < limit or len(events) >= MOST or (number is not None and events[-1]["number"] <= number)
        is_sure = found.event is not None and not is_passed_over(found.event)
        if found.way is not None or ((is_over or is_sure) and (found.last or len(rows) < limit or not found.event)):
            return found, events
        limit = 10 * FIRST


async def takeable(store: Store, ledger: Ledger) -> int:
    """The number of the event that `/game undo` would take back; 0 for none."""
    found, _ = await find_undoable(store, ledger)
    return found.event["number"] if found.event is not None and found.event["kind"] not in NEVER_UNDONE else 0


def _last(event: Mapping[str, Any], before: Iterable[Mapping[str, Any]], last: int) -> int:
    """The last event that holds without `event`, given those before it."""
    if event["number"] != last:
        return last
    return next((one["number"] for one in before if not (one["kind"] == "reveal" and "last" in one)), 0)


def then(newest_first: Iterable[Mapping[str, Any]], game: Game, number: int) -> Game:
    """The game with the players and the master that it had when the event with this number fell.

    Whoever went on as another person since is that one; who directs the game no longer, or plays by now, does not.
    """
    players, master, claims = dict(game.players), game.master, list[tuple[str, str]]()
    for event in newest_first:
        if event["number"] <= number:
            break
        fields = (event.get("before") or {}).get("game") or {}
        players, master = dict(fields.get("players", players)), fields.get("master", master)
        if event.get("own"):
            claims.insert(0, (event["own"], event["who"]))
    for own, who in claims:
        if own in players:
            players[who] = players.pop(own)
        master = who if master == own else master
    directs = master == game.master and master not in game.players
    return replace(game, players=players, master=master if directs else "")


def consenters(game: Game, person: str, persons: Iterable[str], event: Mapping[str, Any]) -> frozenset[str]:
    """Who could agree to take the dice of `event` back, where `person` asks: players of another side, and a game
    master who plays none. `game` is as it was when the event fell: who joins later agrees to nothing.

    Somebody without a side asks for the side that rolled, so that nobody outside can help a roller to
    consent to their own undo. Where there are no sides it is everyone else who took part (`persons`). Empty: the actor
    is alone.
    """
    if is_guarded(game) or (game.sides and game.players):
        own = game.players.get(person, "")
        others = {one for one, side in game.players.items() if side != (own or event.get("side", ""))}
        if not own:
            others.discard(event["who"])
        if game.master and game.master not in game.players:
            others.add(game.master)
    else:
        others = set(persons)
    return frozenset(others - {person})


def may_ask(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Whether they may ask for the event to be taken back at all."""
    return not is_guarded(game) or bool(actor.side) or actor.directs or event["who"] == actor.person


def may_stand_in(game: Game, then: Game, person: str, asked: str, event: Mapping[str, Any]) -> bool:
    """Whether a manager with this person may agree in the place of a side that is gone: they play none, then or now."""
    plays = person in game.players or person in then.players
    return not plays and person not in (asked, event["who"])


def are_silent(events: Iterable[Mapping[str, Any]], persons: Iterable[str], at: float) -> bool:
    """Whether none of `persons` wrote one of the events of a log in the seven days before `at` (Unix seconds)."""
    known, since = set(persons), set[str]()
    for event in events:
        since |= {event["who"]} if event["at"] > at - SILENT else set()
        known |= {event["who"]} if event.get("own", "") in known else set()
    return known.isdisjoint(since)


def is_free(actor: Actor, event: Mapping[str, Any]) -> bool:
    """Whether it may be taken back at once: no dice, and their own doing (or they direct the game)."""
    return not is_shared(event) and (event["who"] == actor.person or actor.directs)


def changed_since(game: Game, patch: Mapping[str, Any]) -> list[str]:
    """Names of units, cards and settings that are no longer as `patch` left them."""
    units = {key: unit_json(unit) if (unit := game.units.get(key)) else None for key in patch.get("units", {})}
    names = [(unit or {"name": key})["name"] for key, unit in patch.get("units", {}).items() if units[key] != unit]
    fields = content(replace(game, units={})) if patch.get("game") else {}
    moved = (key for key, count in patch.get("cards", {}).items() if game.cards.get(key, 0) != count)
    names += [f"the cards of {deck}" for deck in dict.fromkeys(key.partition("/")[0] for key in moved)]
    return names + [name for name, value in patch.get("game", {}).items() if fields[name] != value]


def is_remembered(event: Mapping[str, Any]) -> bool:
    """Whether it changed closed cards: then its undo says that nobody forgets what they saw of known ends. That of a
    shuffle brings it back as it was."""
    changed = (event.get("before") or {}).get("cards", ()) if event.get("does") != "shuffle" else ()
    return any(name.endswith("/last") or f"/{HAND}/=" in name for name in changed)


def turn_of(newest_first: Iterable[Json], kind: str, number: int) -> Json | None:
    """The last undo, or redo, of the event with this number among these."""
    return next((one for one in newest_first if one["kind"] == kind and one.get("event") == number), None)


def undo_fields(event: Mapping[str, Any], last: int, game: Game) -> Json:
    """What an undo event of a game holds to take `event` back: its number, what holds then, and the reversed patch."""
    patch = {"before": event["after"], "after": event["before"]} if event.get("after") else {}
    if is_remembered(event):
        for part, at in (("before", game.cards.get(SEEN, 0)), ("after", game.number + 1)):
            patch[part] = {**patch[part], "cards": {**patch[part]["cards"], SEEN: at}}
    return {"event": event["number"], "last": last, **patch}


def redo_fields(event: Mapping[str, Any]) -> Json:
    """What a redo event holds to bring `event` back: its number and its patch."""
    patch = {"before": event["before"], "after": event["after"]} if event.get("after") else {}
    return {"event": event["number"], **patch, **({"asks": event["asks"]} if "asks" in event else {})}
