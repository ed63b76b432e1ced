"""Whether an event may be taken back, and whose consent that needs. So undo cannot re-roll."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bot.game.events import (
    BARRIERS,
    BESIDE,
    NEVER_UNDONE,
    changed_names,
    changes_game,
    holding,
    is_shared,
)
from bot.game.ledger import Ledger
from bot.game.state import Actor, Game, Json, content, is_guarded, unit_json
from bot.rules.cards import HAND, SEEN
from bot.stores.store import Store

SILENT = 7 * 24 * 3600
"""Seconds in which nobody of the other side has acted before somebody else may agree in their
place.
"""
LEFT, SILENCE, EDITION = "left", "silent", "edition"
"""Reasons of a manager to agree in the place of the other side; why what waits is taken back
freely.
"""
FIRST, MOST = 50, 2_000
"""Events read at first on the way back from the newest, and at most."""
LOOK_BACK = 200
"""Events in which an undo or a redo of another is looked for."""


class Found(NamedTuple):
    """What undo finds on its way back from the newest event: the event that it takes, or the one in
    the way.

    `last` is the last event that holds once it is taken back.
    """

    event: Json | None = None
    way: Json | None = None
    last: int = 0


def find(
    newest_first: Iterable[Mapping[str, Any]], last: int, number: int, *, upkeep: bool = False
) -> Found:
    """Find the event with this number, unless a later one has changed the game: then that one is in
    the way.

    What happens beside the game is passed over. `last` is the last event that holds; the events
    need not be all of the log. With `upkeep`, dice of upkeep that changed nothing are in the way as
    well, because the phase would roll them again; verification passes over them, as earlier logs
    did.
    """
    events = holding(newest_first)
    for event in events:
        if event["number"] == number:
            return Found(event, last=_last(event, events, last))
        if event["number"] < number:
            break
        if _is_in_the_way(event) if upkeep else changes_game(event):
            return Found(way=event)
    return Found()


async def find_undoable(
    store: Store, ledger: Ledger, number: int, read: Iterable[Json] = ()
) -> tuple[Found, list[Json]]:
    """Find the event with this number in a game, or what is in its way.

    `read` are the newest events, newest first, if they were read before. Also return the events
    that were read for it, newest first.
    """
    events = list(read)
    found = Found()

    def is_enough() -> bool:
        nonlocal found
        found = find(events, ledger.game.last, number, upkeep=True)
        is_missing = found.event is None and bool(events) and events[-1]["number"] <= number
        return found.way is not None or found.last > 0 or is_missing

    await _read_back(store, ledger, events, is_enough)
    return found, events


class LastStep(NamedTuple):
    """The event that `/game undo` without a number means for one player.

    `offers` are the events that it can mean, the likeliest first. If it can only mean that one,
    `certain` is what undo finds for it, and no question is asked. `own` are the numbers of the
    player's own events, `newest` is the newest event that holds, and `buried` the player's last
    step before one that is in its way.
    `way` is the event that stopped the search: across it nothing older can be undone.
    """

    offers: tuple[Json, ...] = ()
    certain: Found | None = None
    own: frozenset[int] = frozenset()
    newest: Json | None = None
    buried: Json | None = None
    way: Json | None = None

    def is_own(self, event: Mapping[str, Any]) -> bool:
        """Return whether this event is the player's own, as far as the search went."""
        return event["number"] in self.own


def find_last_step(newest_first: Sequence[Json], game: Game, person: str) -> LastStep:
    """Find the last step of a player that can still be undone, whatever its result.

    A shot without effect counts, and so does an order or a card. Where the player has no step that
    can be undone, the event in its way is offered, or any that can be undone at all.
    After a plain roll the last step before that is offered as well.
    """
    own = _own_events(newest_first, person)
    waiting = max(game.waits, default=0)
    held = [event for event in holding(newest_first) if not _is_silent_upkeep(event)]
    steps: list[Json] = []
    other: Json | None = None
    buried: Json | None = None
    way: Json | None = None
    for event in held:
        if event["kind"] in BARRIERS:
            way = way or event
            break
        is_own = event["number"] in own
        is_wanted = is_own or (way is None and other is None)
        if is_wanted and _can_be_undone(game, event, newest_first):
            if not is_own:
                other = event
            elif way is None:
                steps.append(event)
            else:
                buried = event
                break
        if way is None and (event["number"] == waiting or _is_in_the_way(event)):
            way = event
    newest = held[0] if held else None
    offers = steps[:1]
    if not steps:
        found = other if way is None or way["kind"] in BARRIERS else way
        return LastStep(() if found is None else (found,), None, own, newest, buried, way)
    is_certain = steps[0] is newest
    if is_plain_roll(steps[0]):
        before = [event for event in steps if not is_plain_roll(event)]
        waits = [way] if way is not None and way["number"] == waiting else []
        offers += (before or waits)[:1]
        # few mean a roll that changed nothing
        is_certain = is_certain and len(offers) == 1 and not game.started
    certain = find(newest_first, game.last, steps[0]["number"], upkeep=True) if is_certain else None
    return LastStep(tuple(offers), certain, own, newest, None, way)


def _can_be_undone(game: Game, event: Json, newest_first: Sequence[Json]) -> bool:
    """Return whether the event can be undone at all, as long as nothing is in its way."""
    is_final = event["kind"] in NEVER_UNDONE
    return not is_final and not names_touched(game, event, event.get("after") or {}, newest_first)


def _own_events(newest_first: Sequence[Json], person: str) -> frozenset[int]:
    """Return the numbers of the events that are a player's own.

    Those of a name that the player claimed later are among them, and a choice of the other side
    that completes the player's shot: taken back, it takes the shot with it.
    """
    persons = {person} - {""}
    authors: dict[int, str] = {}
    for event in newest_first:
        authors[event["number"]] = event["who"]
        if event["who"] in persons and event.get("own"):
            persons.add(event["own"])
    own = {number for number, who in authors.items() if who in persons}
    for event in reversed(newest_first):
        if event["kind"] == "choice" and event["event"] in own:
            own.add(event["number"])
    return frozenset(own)


def find_newest_step(newest_first: Iterable[Json]) -> Json | None:
    """Return the newest step of anybody that can be undone: the one that the board's *Undo* names.

    A plain roll is named only if there is nothing else. Returns None if nothing can be undone.
    """
    plain_roll: Json | None = None
    for event in holding(newest_first):
        if event["kind"] in BARRIERS:
            break
        if event["kind"] in NEVER_UNDONE or event["kind"] in BESIDE or _is_silent_upkeep(event):
            continue
        if not is_plain_roll(event):
            return event
        plain_roll = plain_roll or event
    return plain_roll


def is_plain_roll(event: Mapping[str, Any]) -> bool:
    """Return whether this is a roll of dice, or on a table, that changed nothing in the game."""
    return event["kind"] in ("roll", "table") and not event.get("after")


def _is_silent_upkeep(event: Mapping[str, Any]) -> bool:
    """Return whether this is upkeep of a phase without dice and without effect: nobody's step."""
    return "upkeep" in event and not event.get("dice") and not event.get("after")


def _is_in_the_way(event: Mapping[str, Any]) -> bool:
    """Return whether this event blocks the undo of anything before it."""
    return changes_game(event) or ("upkeep" in event and bool(event.get("dice")))


async def load_last_step(store: Store, ledger: Ledger, person: str) -> tuple[LastStep, list[Json]]:
    """Read as much of the log as it takes to find the player's last step.

    Also return the events that were read, newest first.
    """
    events: list[Json] = []
    step = LastStep()

    def is_enough() -> bool:
        nonlocal step
        step = find_last_step(events, ledger.game, person)
        is_last_known = step.certain is None or step.certain.last > 0
        return (
            step.way is not None
            and is_last_known
            and bool(step.offers or step.way["kind"] in BARRIERS)
        )

    await _read_back(store, ledger, events, is_enough)
    return step, events


async def load_newest_step(store: Store, ledger: Ledger) -> int:
    """Return the number of the step that the board's *Undo* names; 0 for none."""
    events: list[Json] = []
    step: Json | None = None

    def is_enough() -> bool:
        nonlocal step
        step = find_newest_step(events)
        return step is not None and not is_plain_roll(step)

    await _read_back(store, ledger, events, is_enough)
    return step["number"] if step is not None else 0


async def _read_back(
    store: Store, ledger: Ledger, events: list[Json], is_enough: Callable[[], bool]
) -> None:
    """Add events to `events`, newest first, until they are enough, at most MOST of them.

    The store is only read if those that are there, or the events of this command, are not enough.
    """
    if not events:
        events += ledger.bodies[::-1]
    limit = FIRST
    is_all = False
    while not is_enough() and not is_all:
        before = events[-1]["number"] if events else None
        rows = await store.events(ledger.row, before=before, limit=limit, newest_first=True)
        events += [row.data for row in rows]
        is_all = len(rows) < limit or len(events) >= MOST
        limit = 10 * FIRST


def _last(event: Mapping[str, Any], before: Iterable[Mapping[str, Any]], last: int) -> int:
    """The last event that holds without `event`, given those before it."""
    if event["number"] != last:
        return last
    return next(
        (one["number"] for one in before if not (one["kind"] == "reveal" and "last" in one)), 0
    )


def then(newest_first: Iterable[Mapping[str, Any]], game: Game, number: int) -> Game:
    """The game with the players and the master that it had when the event with this number fell.

    Whoever went on as another person since is that one; who directs the game no longer, or plays by
    now, does not.
    """
    players = dict(game.players)
    master = game.master
    claims = list[tuple[str, str]]()
    for event in newest_first:
        if event["number"] <= number:
            break
        fields = (event.get("before") or {}).get("game") or {}
        players = dict(fields.get("players", players))
        master = fields.get("master", master)
        if event.get("own"):
            claims.insert(0, (event["own"], event["who"]))
    for own, who in claims:
        if own in players:
            players[who] = players.pop(own)
        master = who if master == own else master
    directs = master == game.master and master not in game.players
    return replace(game, players=players, master=master if directs else "")


def consenters(
    game: Game, person: str, persons: Iterable[str], event: Mapping[str, Any]
) -> frozenset[str]:
    """Who could agree to take the dice of `event` back, where `person` asks: players of another
    side, and a game master who plays none. `game` is as it was when the event fell: who joins later
    agrees to nothing.

    Somebody without a side asks for the side that rolled, so that nobody outside can help a roller
    to consent to their own undo. Where there are no sides it is everyone else who took part
    (`persons`). Empty: the actor is alone.
    """
    if is_guarded(game) or (game.sides and game.players):
        own = game.players.get(person, "")
        others = {
            one for one, side in game.players.items() if side != (own or event.get("side", ""))
        }
        if not own:
            others.discard(event["who"])
        if game.master and game.master not in game.players:
            others.add(game.master)
    else:
        others = set(persons)
    return frozenset(others - {person})


def may_ask(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Return whether they may ask for the event to be taken back at all."""
    return not is_guarded(game) or bool(actor.side) or actor.directs or event["who"] == actor.person


def may_stand_in(game: Game, then: Game, person: str, asked: str, event: Mapping[str, Any]) -> bool:
    """Return whether a manager with this person may agree in the place of a side that is gone: they
    play none, then or now.
    """
    plays = person in game.players or person in then.players
    return not plays and person not in (asked, event["who"])


def are_silent(events: Iterable[Mapping[str, Any]], persons: Iterable[str], at: float) -> bool:
    """Return whether none of `persons` wrote one of the events of a log in the seven days before
    `at` (Unix seconds).
    """
    known = set(persons)
    since = set[str]()
    for event in events:
        since |= {event["who"]} if event["at"] > at - SILENT else set()
        known |= {event["who"]} if event.get("own", "") in known else set()
    return known.isdisjoint(since)


def is_free(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Return whether the actor may undo the event without asking anybody.

    It has no dice and is their own, or they direct a game with sides and play none of them.
    """
    is_umpire = actor.directs and is_guarded(game) and not actor.side
    return not is_shared(event) and (event["who"] == actor.person or is_umpire)


def author_agrees(event: Mapping[str, Any], others: Collection[str]) -> bool:
    """Return whether the player who caused the event may agree to its undo in place of `others`.

    They may if there are no dice in it, or if nobody else could agree.
    """
    return not is_shared(event) or not others


def changed_since(game: Game, patch: Mapping[str, Any]) -> list[str]:
    """Names of units, cards and settings that are no longer as `patch` left them."""
    units = {
        key: unit_json(unit) if (unit := game.units.get(key)) else None
        for key in patch.get("units", {})
    }
    names = [
        (unit or {"name": key})["name"]
        for key, unit in patch.get("units", {}).items()
        if units[key] != unit
    ]
    fields = content(replace(game, units={})) if patch.get("game") else {}
    moved = (
        key for key, count in patch.get("cards", {}).items() if game.cards.get(key, 0) != count
    )
    names += [
        f"the cards of {deck}" for deck in dict.fromkeys(key.partition("/")[0] for key in moved)
    ]
    return names + [name for name, value in patch.get("game", {}).items() if fields[name] != value]


def names_touched(
    game: Game,
    event: Mapping[str, Any],
    patch: Mapping[str, Any],
    events: Iterable[Mapping[str, Any]],
) -> list[str]:
    """Return the names of what is no longer as the event, by its `patch`, left it; then it stays.

    `events` are those since, in any order.
    """
    touched = changed_since(game, patch)
    if event["kind"] == "sealed" and event["number"] not in game.sealed:
        for later in events:
            if event["number"] in later.get("opens", ()):
                touched += changed_names(later.get("before") or {}, later.get("after") or {})
    return touched


def is_remembered(event: Mapping[str, Any]) -> bool:
    """Return whether it changed closed cards: then its undo says that nobody forgets what they saw
    of known ends. That of a shuffle brings it back as it was.
    """
    changed = (event.get("before") or {}).get("cards", ()) if event.get("does") != "shuffle" else ()
    return any(name.endswith("/last") or f"/{HAND}/=" in name for name in changed)


def turn_of(newest_first: Iterable[Json], kind: str, number: int) -> Json | None:
    """The last undo, or redo, of the event with this number among these."""
    return next(
        (one for one in newest_first if one["kind"] == kind and one.get("event") == number), None
    )


def undo_fields(event: Mapping[str, Any], last: int, game: Game) -> Json:
    """What an undo event of a game holds to take `event` back: its number, what holds then, and
    the reversed patch.
    """
    patch = {"before": event["after"], "after": event["before"]} if event.get("after") else {}
    if is_remembered(event):
        for part, at in (("before", game.cards.get(SEEN, 0)), ("after", game.number + 1)):
            patch[part] = {**patch[part], "cards": {**patch[part]["cards"], SEEN: at}}
    return {"event": event["number"], "last": last, **patch}


def redo_fields(event: Mapping[str, Any]) -> Json:
    """What a redo event holds to bring `event` back: its number and its patch."""
    patch = {"before": event["before"], "after": event["after"]} if event.get("after") else {}
    return {
        "event": event["number"],
        **patch,
        **({"asks": event["asks"]} if "asks" in event else {}),
    }
