"""The rules of undo: which events may be undone, and whose consent that needs. Undo cannot re-roll."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bot.game.events import (
    BARRIERS,
    BESIDE,
    COMBAT,
    changes_game,
    is_continuation,
    is_final,
    is_shared,
    list_effective_events,
)
from bot.game.state import Actor, Game, Json, is_guarded, unit_to_json
from bot.game.undo_reach import (
    add_opening,
    build_patch_onto,
    find_in_the_way,
    find_opening,
    is_in_the_way,
    list_changed_fields,
    list_written,
)
from bot.rules.cards import HAND, SEEN

SILENT = 7 * 24 * 3600
"""Seconds without an act of the other side before somebody else may agree in their place."""
LEFT, SILENCE, EDITION = "left", "silent", "edition"
"""Reasons for a manager to agree in place of the other side, and for a free undo of what waits."""
MAX_EVENTS_SEARCHED = 200
"""Events that are searched for the undo or redo of another event."""


class UndoTarget(NamedTuple):
    """The event to undo, or the later event that blocks its undo.

    `last` is the last event in effect after the undo.
    """

    event: Json | None = None
    way: Json | None = None
    last: int = 0


def find_undo_target(
    newest_first: Iterable[Mapping[str, Any]], last: int, number: int
) -> UndoTarget:
    """Find the event with this number, or the newest later event that blocks its undo.

    A later event blocks it if it read or wrote what the undo would change, see
    `bot/game/undo_reach.py`. `last` is the last event in effect; the events need not be all of the
    log. An opened sealed roll comes with the changes of its opening. Return an empty target if the
    event is undone, or not among these events.
    """
    events = list_effective_events(newest_first)
    later_events: list[Json] = []
    for event in events:
        if event["number"] < number:
            break
        if event["number"] > number:
            later_events.append(event)
            continue
        blocker = find_in_the_way(event, later_events)
        if blocker is not None:
            return UndoTarget(way=dict(blocker))
        return UndoTarget(
            add_opening(event, later_events), last=_find_last_effective(event, events, last)
        )
    return UndoTarget()


def is_target_certain(target: UndoTarget, newest_first: Sequence[Json], number: int) -> bool:
    """Return whether events before these cannot change the undo target of event `number`.

    `newest_first` are the events in which `find_undo_target` has found it.
    """
    is_past = bool(newest_first) and newest_first[-1]["number"] <= number
    is_missing = target.event is None and is_past
    return target.way is not None or target.last > 0 or is_missing


class LastStep(NamedTuple):
    """The event that `/game undo` without a number means for one player."""

    offers: tuple[Json, ...] = ()
    """The events that it can mean, the likeliest first."""
    certain: UndoTarget | None = None
    """The undo target if it can only mean one event. No question is asked then."""
    own: frozenset[int] = frozenset()
    """The numbers of the player's own events, with the choices of others that complete their shots.
    """
    newest: Json | None = None
    """The newest event in effect."""
    buried: Json | None = None
    """The player's last step, if another event blocks its undo. That event is offered then."""
    barrier: Json | None = None
    """The event that no undo crosses, if the search reached one."""
    is_settled: bool = False
    """Whether events before those that were searched change nothing in the answer."""

    def is_own(self, event: Mapping[str, Any]) -> bool:
        """Return whether this event is in `own`.

        Events before those that were searched never are.
        """
        return event["number"] in self.own


def find_last_step(newest_first: Sequence[Json], game: Game, person: str) -> LastStep:
    """Find the last step of a player that can still be undone, whatever its result.

    A shot without effect counts, and so does an order or a card. If another event blocks its undo,
    that one is offered. A player without any step is offered the newest that changed the game.
    After a plain roll the step before it is offered as well.
    """
    own_numbers = _list_own_events(newest_first, person)
    events = [
        event for event in list_effective_events(newest_first) if not _is_silent_upkeep(event)
    ]
    newest = events[0] if events else None
    barrier = next((event for event in events if event["kind"] in BARRIERS), None)
    search = _search_steps(events, newest_first, game, own_numbers)
    if search.blocker is not None:
        return LastStep(
            (search.blocker,), None, own_numbers, newest, search.blocked, is_settled=True
        )
    steps = search.steps
    is_settled = barrier is not None or any(not is_plain_roll(event) for event in steps)
    if not steps:
        event = _find_step_of_another(events, game, newest_first)
        offers = () if event is None else (event,)
        return LastStep(offers, None, own_numbers, newest, None, barrier, is_settled)
    is_certain = steps[0] is newest
    if is_plain_roll(steps[0]):
        # few mean a roll that changed nothing
        is_certain = is_certain and len(steps) == 1 and not game.started
    certain = find_undo_target(newest_first, game.last, steps[0]["number"]) if is_certain else None
    return LastStep(steps, certain, own_numbers, newest, None, barrier, is_settled)


def is_step_certain(step: LastStep, newest_first: Sequence[Json]) -> bool:
    """Return whether the search for a player's last step ends with these events.

    It ends once older events cannot change the step, or after MAX_EVENTS_SEARCHED events if there
    is something to offer: a plain roll, or the step of another player.
    """
    is_last_known = step.certain is None or step.certain.last > 0
    is_far_back = len(newest_first) >= MAX_EVENTS_SEARCHED and bool(step.offers)
    return is_last_known and (step.is_settled or is_far_back)


class _Search(NamedTuple):
    """The player's steps that can be undone: at most one plain roll, then one of another kind.

    Or the `blocker` of the newest step, if that is `blocked`. An event that asks for a choice is a
    blocker too.
    """

    steps: tuple[Json, ...] = ()
    blocker: Json | None = None
    blocked: Json | None = None


def _search_steps(
    events: Sequence[Json], newest_first: Sequence[Json], game: Game, own_numbers: Collection[int]
) -> _Search:
    """Search the events, newest first, for the player's last step that can be undone."""
    waiting = max(game.waits, default=0)
    roll: tuple[Json, ...] = ()
    for position, event in enumerate(events):
        if event["kind"] in BARRIERS:
            break
        if event["number"] in own_numbers and not is_final(event):
            blocker = _find_newest_in_the_way(event, events[:position], events)
            if blocker is not None and not roll:
                return _Search(blocker=blocker, blocked=event)
            if blocker is None and _can_be_undone(game, event, newest_first):
                if not is_plain_roll(event):
                    return _Search((*roll, event))
                roll = roll or (event,)
        if event["number"] == waiting:
            # whoever is asked for a choice may mean the shot that asks
            return _Search((*roll, event)) if roll else _Search(blocker=event)
    return _Search(roll)


def _find_newest_in_the_way(
    event: Json, later_events: Sequence[Json], events: Iterable[Json]
) -> Json | None:
    """Return the event that has to be undone before `event`, or None.

    It may block a blocker, or be a sealed roll whose opening changed the same. `later_events` are
    the newer ones of `events`, newest first.
    """
    result: Json | None = None
    blocker = find_in_the_way(event, later_events)
    while blocker is not None:
        result = dict(blocker)
        newer = [later for later in later_events if later["number"] > blocker["number"]]
        blocker = find_in_the_way(result, newer)
    return result or _find_opened_over(event, later_events, events)


def _find_opened_over(
    event: Json, later_events: Iterable[Json], events: Iterable[Json]
) -> Json | None:
    """Return the sealed roll whose opening changed what `event` had changed, or None."""
    keys = frozenset(list_written(event))
    for opening in later_events:
        if opening["kind"] == "reveal" and not keys.isdisjoint(list_written(opening)):
            return next((roll for roll in events if roll["number"] in opening["opens"]), None)
    return None


def _find_step_of_another(
    events: Sequence[Json], game: Game, newest_first: Sequence[Json]
) -> Json | None:
    """Return the newest event that changed the game, or else the newest that can be undone."""
    fallback: Json | None = None
    for event in events:
        if event["kind"] in BARRIERS:
            break
        if not _can_be_undone(game, event, newest_first):
            continue
        if changes_game(event) or "upkeep" in event:
            return event
        fallback = fallback or event
    return fallback


def _can_be_undone(game: Game, event: Json, newest_first: Sequence[Json]) -> bool:
    """Return whether the event can be undone at all, as long as nothing is in its way."""
    if is_final(event):
        return False
    return not find_changed_since(game, add_opening(event, newest_first))


class UndoGroup(NamedTuple):
    """The events that are undone with one consent, newest first, or the `blocker` of one."""

    events: tuple[Json, ...] = ()
    blocker: Json | None = None


_ACTS = (*COMBAT, "sealed", "unit", "track")
"""Kinds of events that are part of a side's move, after which it hands over."""


def find_together(newest_first: Sequence[Json], number: int, person: str) -> UndoGroup:
    """Find the events that an undo takes back together, for the player who asks.

    Their own later events without dice go with it if they block its undo. So does the *Done* with
    which they handed over after it, if nobody has acted on that. Return an empty group if the event
    with this number is undone, or not among these events.
    """
    effective = list_effective_events(newest_first)
    events = [event for event in effective if event["number"] >= number][::-1]
    if not events or events[0]["number"] != number:
        return UndoGroup()
    own_numbers = _list_own_events(newest_first, person)
    movable = {event["number"] for event in events[1:] if _is_movable(event, own_numbers)}
    hand_over = next((event for event in events[1:] if event["kind"] in ("pass", "next")), None)
    is_own_act = number in own_numbers and events[0]["kind"] in _ACTS
    if hand_over is not None and hand_over["number"] in movable and is_own_act:
        group = _collect(events, movable, hand_over)
        if group.blocker is None:
            return group
    return _collect(events, movable)


def _is_movable(event: Json, own_numbers: Collection[int]) -> bool:
    """Return whether an event may go with an earlier one: the player's own, without dice."""
    if event["number"] not in own_numbers or is_final(event):
        return False
    return not is_shared(event)


def _collect(
    events: Sequence[Json], movable: Collection[int], hand_over: Json | None = None
) -> UndoGroup:
    """Collect the first of these events with the later ones that have to go with it.

    `events` are oldest first. Only the `movable` and the `hand_over` can go with the first.
    """
    newest_first = events[::-1]
    event = add_opening(events[0], newest_first)
    opening = find_opening(event, newest_first)
    start = (opening or event)["number"]
    group = [event]
    keys = {*list_written(event)}
    blocker: Json | None = None
    for later_event in events[1:]:
        if later_event["number"] < start:
            continue
        if later_event is not hand_over and not is_in_the_way(later_event, keys):
            continue
        if later_event["number"] in movable:
            group.append(later_event)
            keys |= {*list_written(later_event)}
        else:
            blocker = later_event
    return UndoGroup(tuple(group[::-1])) if blocker is None else UndoGroup(blocker=blocker)


def _list_own_events(newest_first: Sequence[Json], person: str) -> frozenset[int]:
    """Return the numbers of a player's own events.

    They include events of a name that the player claimed later, and choices of the other side that
    complete the player's shot: the undo of such a choice undoes the shot.
    """
    persons = {person} - {""}
    authors: dict[int, str] = {}
    for event in newest_first:
        authors[event["number"]] = event["who"]
        if event["who"] in persons and event.get("own"):
            persons.add(event["own"])
    own_numbers = {number for number, author in authors.items() if author in persons}
    for event in reversed(newest_first):
        if is_continuation(event) and event["event"] in own_numbers:
            own_numbers.add(event["number"])
    return frozenset(own_numbers)


def find_newest_step(newest_first: Iterable[Json]) -> Json | None:
    """Return the newest step of any player that can be undone, for the board's *Undo*.

    A plain roll counts only if there is nothing else. Return None if nothing can be undone.
    """
    plain_roll: Json | None = None
    for event in list_effective_events(newest_first):
        if event["kind"] in BARRIERS:
            break
        if is_final(event) or event["kind"] in BESIDE or _is_silent_upkeep(event):
            continue
        if not is_plain_roll(event):
            return event
        plain_roll = plain_roll or event
    return plain_roll


def is_plain_roll(event: Mapping[str, Any]) -> bool:
    """Return whether this is a roll of dice, or on a table, that changed nothing in the game."""
    return event["kind"] in ("roll", "table") and not event.get("after")


def _is_silent_upkeep(event: Mapping[str, Any]) -> bool:
    """Return whether this event is upkeep of a phase that rolled no dice and changed nothing.

    Undo passes over it, because it is no player's step.
    """
    return "upkeep" in event and not event.get("dice") and not event.get("after")


def _find_last_effective(
    event: Mapping[str, Any], earlier_events: Iterable[Mapping[str, Any]], last: int
) -> int:
    """Return the last event in effect without `event`, 0 for none.

    `earlier_events` are those before it, newest first.
    """
    if event["number"] != last:
        return last
    for earlier in earlier_events:
        is_passive_opening = earlier["kind"] == "reveal" and "last" in earlier
        if not is_passive_opening:
            return int(earlier["number"])
    return 0


def game_at(newest_first: Iterable[Mapping[str, Any]], game: Game, number: int) -> Game:
    """Return the game with the players and the master of the time of event `number`.

    A person who was claimed by a player since then is that player. A master who directs no longer,
    or plays by now, is left out.
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
    for claimed, person in claims:
        if claimed in players:
            players[person] = players.pop(claimed)
        master = person if master == claimed else master
    directs = master == game.master and master not in game.players
    return replace(game, players=players, master=master if directs else "")


def consenters(
    game: Game, person: str, persons: Iterable[str], event: Mapping[str, Any]
) -> frozenset[str]:
    """Return the persons who could agree to `person`'s undo of the dice of `event`.

    These are the players of another side, and a game master who plays none. `game` is the game at
    the time of the event, so that nobody who joined later can agree. A person without a side asks
    for the side that rolled, so that no outsider can help a player to consent to their own undo.
    Without sides, everybody else who took part (`persons`) can agree. Return an empty set if the
    person is alone.
    """
    if not is_guarded(game) and not (game.sides and game.players):
        return frozenset(persons) - {person}
    person_side = game.players.get(person, "")
    asking_side = person_side or event.get("side", "")
    eligible = {player for player, side in game.players.items() if side != asking_side}
    if not person_side:
        eligible.discard(event["who"])
    if game.master and game.master not in game.players:
        eligible.add(game.master)
    return frozenset(eligible - {person})


def may_ask_for_undo(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Return whether the actor may ask for the undo of an event at all."""
    return not is_guarded(game) or bool(actor.side) or actor.directs or event["who"] == actor.person


def may_stand_in(
    game: Game, game_then: Game, person: str, requester: str, event: Mapping[str, Any]
) -> bool:
    """Return whether a manager may agree to an undo in place of the other side.

    `person` is their person id. The caller checks whether they manage the server, and whether the
    other side has left or is silent. They must play no side, neither now nor in `game_then`, the
    game at the time of the event, and be neither its author nor the player who asks.
    """
    plays = person in game.players or person in game_then.players
    return not plays and person not in (requester, event["who"])


def are_silent(events: Iterable[Mapping[str, Any]], persons: Iterable[str], time: float) -> bool:
    """Return whether none of `persons` wrote one of the events in the seven days before `time`.

    `time` is in Unix seconds. `events` are those of a log in order.
    """
    silent_persons = set(persons)
    recent_authors = set[str]()
    for event in events:
        if event["at"] > time - SILENT:
            recent_authors.add(event["who"])
        if event.get("own", "") in silent_persons:
            silent_persons.add(event["who"])
    return silent_persons.isdisjoint(recent_authors)


def is_free(game: Game, actor: Actor, event: Mapping[str, Any]) -> bool:
    """Return whether the actor may undo the event without anybody's consent.

    It has no dice and is their own, or they direct a game with sides and play none of them.
    """
    is_umpire = actor.directs and is_guarded(game) and not actor.side
    return not is_shared(event) and (event["who"] == actor.person or is_umpire)


def author_agrees(event: Mapping[str, Any], eligible: Collection[str]) -> bool:
    """Return whether the author of the event may agree to its undo in place of `eligible` persons.

    They may if there are no dice in it, or if nobody else could agree.
    """
    return not is_shared(event) or not eligible


def find_author_to_ask(
    game: Game,
    event: Mapping[str, Any],
    asked_by: str,
    present: Collection[str],
    eligible: Collection[str],
) -> str:
    """Return the author of the event if they alone can agree to its undo, else "".

    They alone can if `author_agrees`, as long as they are in the game: they are one of those who
    are `present`, and in a game with sides they play one or direct it. Nobody else is asked as long
    as they have not left and not been silent for seven days. `asked_by` is the person who asks.
    """
    author: str = event["who"]
    is_there = author != asked_by and author in present
    if is_there and is_guarded(game):
        is_there = author in game.players or author == game.master
    return author if is_there and author_agrees(event, eligible) else ""


def needs_manager(game: Game, event: Mapping[str, Any], person: str) -> bool:
    """Return whether `person` may undo the event only as a manager of the server.

    The log records it then, since it does not know who manages a server.
    """
    return event["who"] != person and game.master != person


def find_changed_since(game: Game, event: Mapping[str, Any], part: str = "after") -> list[str]:
    """Return the names of units, cards and settings that differ from the event's patch by now.

    `part` is the part of the patch to compare: `after` or `before`. Changed things have to stay.
    """
    patch: Mapping[str, Any] = event.get(part) or {}
    opposite: Mapping[str, Any] = event.get("before" if part == "after" else "after") or {}
    names = list[str]()
    for key, unit in patch.get("units", {}).items():
        current_unit = game.units.get(key)
        current = unit_to_json(current_unit) if current_unit else None
        if current != unit:
            names.append(unit["name"] if unit else key)
    decks: dict[str, None] = {}
    for key, count in patch.get("cards", {}).items():
        if game.cards.get(key, 0) != count:
            decks[key.partition("/")[0]] = None
    names += [f"the cards of {deck}" for deck in decks]
    return names + list_changed_fields(game, patch, opposite)


def is_remembered(event: Mapping[str, Any]) -> bool:
    """Return whether the event changed closed cards, so that its undo cannot undo what was seen.

    Nobody forgets the known ends of a pile. The undo of a shuffle restores the pile as it was.
    """
    if event.get("does") == "shuffle":
        return False
    changed_cards = (event.get("before") or {}).get("cards", ())
    return any(name.endswith("/last") or f"/{HAND}/=" in name for name in changed_cards)


def find_last_turn_of(newest_first: Iterable[Json], kind: str, number: int) -> Json | None:
    """Return the last event of `kind`, undo or redo, about the event with this number, or None."""
    for event in newest_first:
        if event["kind"] == kind and event.get("event") == number:
            return event
    return None


def build_undo_fields(event: Mapping[str, Any], last: int, game: Game) -> Json:
    """Build the fields of an undo event: the number undone, the last event in effect, the reverse
    patch.
    """
    patch = build_patch_onto(game, event.get("after"), event.get("before"))
    if patch and is_remembered(event):
        for part, seen_number in (("before", game.cards.get(SEEN, 0)), ("after", game.number + 1)):
            patch[part] = {**patch[part], "cards": {**patch[part]["cards"], SEEN: seen_number}}
    return {"event": event["number"], "last": last, **patch}


def build_redo_fields(event: Mapping[str, Any], game: Game) -> Json:
    """Build the fields of a redo event: the number to restore, its patch and its request."""
    fields: Json = {
        "event": event["number"],
        **build_patch_onto(game, event.get("before"), event.get("after")),
    }
    if "asks" in event:
        fields["asks"] = event["asks"]
    return fields
