"""`/game undo` and `/game redo`: a player's last step is taken back, with the other side's consent
if it had dice.

If that is not the newest event, or might not be what the player expects, they are asked first. A
manager who plays no side may agree for the other side if that has left, or has been silent for
seven days.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.answers.events import CARDS, texts_of, told_event
from bot.commands.context import Amendment, Context
from bot.commands.log.answer_footer import answered, latest, turned
from bot.commands.piles import keep_seen
from bot.commands.requests import Request
from bot.commands.turns.mentions import call, call_sides, place_of
from bot.game.decks import card_names
from bot.game.events import (
    NEVER_UNDONE,
    held_before,
    is_continuation,
    is_shared,
    patched,
)
from bot.game.loaded import is_imported, read_opened
from bot.game.phases import whose_go
from bot.game.state import Actor, Game, Json
from bot.game.undo import (
    LEFT,
    MOST,
    SILENCE,
    SILENT,
    Found,
    LastStep,
    are_silent,
    changed_since,
    consenters,
    find,
    find_author_to_ask,
    find_newest_step,
    find_together,
    find_undoable,
    is_free,
    is_plain_roll,
    is_remembered,
    load_last_step,
    may_ask,
    may_stand_in,
    needs_manager,
    redo_fields,
    then,
    turn_of,
    undo_fields,
)
from bot.game.undo_reach import find_opening, list_written, with_opening
from bot.interface.reply.reply import OVER, WAITING, Button, Reply
from bot.interface.spec import server_of
from bot.rules.errors import UserError
from bot.rules.proof.chain import DELETED, SAID, filled
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc, tombstone

CONSENT, ASKED, TOGETHER = "consent", "consent-asked", "undone-together"
"""Kinds of documents: a request, the events with open requests, and the later events that were
undone together with one.
"""
CONSENT_KEPT = 30 * DAY
MOST_NAMED = 6
"""Events that one answer names; of more it says how many there are."""
ID = 10
"""Digits that tell one request from another about the same event."""
FRESH = 3600
"""Seconds in which a bare Undo answers a request at once. Later it names the event first."""
UNDO, REDO = "undo", "redo"
BOARD = "board"
"""A word after the event in the *Undo* button of the board, which undoes the last step of whoever
presses it.
"""
BY_HAND = phrase("`/unit edit` sets things right by hand.")
HOME = "home"
"""Documents that say in which place a linked game began; who manages that one decides."""
PATIENCE = 1.0
"""Seconds for the platform to say who is there; what it does not say counts for nothing."""
PAGE = 500


async def handle(context: Context) -> Reply:
    """Undo the event whose number was typed, or the last step of whoever asks. Raises UserError."""
    number = context.options()["event"]
    return await undo_last_step(context) if number is None else await undo(context, number)


async def undo(context: Context, number: int, confirmed: str = "") -> Reply:
    """Undo the event with this number. Raises UserError.

    Dice need the consent of the other side, which is asked for. If later events of whoever asks go
    with it, it names them and asks first: `confirmed` says which, once that was answered.
    """
    game = context.need_open()
    actor = context.actor
    found, events = await find_undoable(context.store, context.ledger, number)
    together = find_together(events, number, actor.person)
    way = together.blocker or found.way
    if not together.events:
        if way is not None and way["kind"] not in NEVER_UNDONE and may_ask(game, actor, way):
            return await _name_what_came_since(context, way, number)
        raise await _not_undoable(context, Found(way=way), number)
    event = together.events[-1]
    if event["kind"] in NEVER_UNDONE:
        raise await _not_undoable(context, Found(event), number)
    if not may_ask(game, actor, event):
        raise _no_part(UNDO)
    await _need_untouched(context, together.events, UNDO, events)
    companions = together.events[:-1]
    if companions and confirmed != _confirmation(companions):
        return await _ask_together(context, together.events)
    return await _take_back_or_ask(context, actor, together.events, events)


def _confirmation(companions: Sequence[Json]) -> str:
    """Return what the button of the question holds: the newest event that goes along, and how
    many there are.
    """
    return f"{companions[0]['number']}.{len(companions)}"


def _numbers(events: Iterable[Json]) -> str:
    """Return the numbers of events in words: `#12, #11 and #10`; of many `#10 and 8 later ones`."""
    numbers = [event["number"] for event in events]
    if len(numbers) > MOST_NAMED:
        return f"#{min(numbers)} and {len(numbers) - 1} later ones"
    return joined([f"#{number}" for number in numbers])


async def _ask_together(context: Context, events: Sequence[Json]) -> Reply:
    """Name the player's later events that go with the one to undo, with a button that does it.

    `events` are newest first, the one to undo last.
    """
    event = events[-1]
    lines = [await _named(context, event)]
    later_events = events[:-1][::-1]
    for later in later_events[:MOST_NAMED]:
        lines.append(f"{await _named(context, later)}, came after it and goes with it.")
    if len(later_events) > MOST_NAMED:
        lines.append(f"{len(later_events) - MOST_NAMED} more of yours go with it.")
    request = await pending(context, event["number"])
    if request is not None and request["by"] == context.actor.person:
        raise _asked_already(
            context, await _others_of_all(context, request["by"], events, list(events)), UNDO
        )
    label = f"Undo {_numbers(events)}"
    button = context.button(
        "undo", label, event["number"], _confirmation(events[:-1]), style="good"
    )
    return Reply(
        f"{label}?",
        tuple(lines),
        buttons=(button,),
        private=True,
        tone=WAITING,
    )


async def _take_back_or_ask(
    context: Context, actor: Actor, group: Sequence[Json], events: list[Json]
) -> Reply:
    """Take the events back, or ask whoever has to agree. `group` are the events to undo and
    `events` those since, both newest first.
    """
    game = context.ledger.game
    if all(is_free(game, actor, event) for event in group):
        return await _take_back(context, group, events)
    others = await _others_of_all(context, actor.person, group, events)
    if others:
        return await _ask(context, group, others, UNDO)
    if await _others(context, actor.person, group[-1], events):
        # nobody was there for all of it
        return await _name_what_came_since(context, group[0], group[-1]["number"])
    return await _take_back(context, group, events)


async def _others_of_all(
    context: Context, by: str, group: Sequence[Json], events: list[Json]
) -> frozenset[str]:
    """Return the players who may agree to the undo of every event of the group."""
    found = [await _others(context, by, event, events) for event in group]
    return frozenset.intersection(*found)


async def undo_last_step(context: Context, shown: int = 0) -> Reply:
    """Undo the last step of whoever asks, or name it and ask first. Raises UserError.

    `shown` is the event that the pressed button of the board was made for; 0 if the command was
    typed. If the other side has asked this player to agree to an undo, this is their consent.
    """
    game = context.need_open()
    actor = context.actor
    was = context.ledger.was
    step, read = await load_last_step(context.store, context.ledger, actor.person)
    if was is not None and was.may_be_asked:
        request = await _asked_of(context, read)
        if request is not None:
            return await _answer_or_choose(context, step, request, read)
    if not step.offers:
        raise await _not_undoable(context, Found(way=step.barrier or step.newest), None)
    event = step.offers[0]
    if not may_ask(game, actor, event) or not (actor.person or actor.directs):
        raise _no_part(UNDO)
    if step.certain is not None and shown in (0, event["number"]):
        assert step.certain.event is not None
        return await _take_back_or_ask(context, actor, (step.certain.event,), read)
    return await _ask_first(context, step, read)


async def _answer_or_choose(
    context: Context, step: LastStep, request: Json, events: list[Json]
) -> Reply:
    """Agree to the undo that was asked for, or ask first if the player may mean something else.

    They may if a step came after the request, or if it has been open for long. `events` are the
    newest, newest first.
    """
    newest = find_newest_step(events)
    is_newest = newest is None or newest["number"] <= request["number"]
    if is_newest and context.now - request["at"] <= FRESH:
        return await consent(context, request["event"], events)
    own_step = next(
        (event for event in step.offers if step.is_own(event) and not is_plain_roll(event)), None
    )
    return await _choose_between(context, request, own_step)


async def _ask_first(context: Context, step: LastStep, events: list[Json]) -> Reply:
    """Name the event that Undo would take back, privately, with a button that does it. Raises
    UserError.

    `events` are those since, newest first.
    """
    event, *others = step.offers
    number = event["number"]
    await _need_untouched(context, [with_opening(event, events)], UNDO, events)
    request = await pending(context, number)
    if request is not None and request["by"] != context.actor.person:
        return await consent(context, number)
    if request is not None:
        raise _asked_already(context, await _others(context, request["by"], event, events), UNDO)
    buttons = [context.button("undo", f"Undo #{number}", number, style="good")]
    lines = [await _why_asked_first(context, step)]
    for other in others:
        lines.append(f"The step before it is {await _named(context, other)}.")
        buttons.append(context.button("undo", f"Undo #{other['number']}", other["number"]))
    newest = step.newest
    is_anothers = newest is not None and step.is_own(event) and not step.is_own(newest)
    is_step = newest is not None and not is_plain_roll(newest)
    if newest is not None and is_anothers and is_step and newest["kind"] not in NEVER_UNDONE:
        later = newest["number"]
        buttons.append(context.button("undo", f"Undo #{later}", later))
    title = f"Undo {await _named(context, event)}?"
    return Reply(title, tuple(lines), buttons=tuple(buttons), private=True, tone=WAITING)


async def _why_asked_first(context: Context, step: LastStep) -> str:
    """Say in a sentence or two why the event that Undo found might not be the one that is meant."""
    event = step.offers[0]
    newest = step.newest
    if not step.is_own(event):
        yours = (
            f" It has to be undone before yours, {await _named(context, step.buried)}."
            if step.buried is not None
            else ""
        )
        return f"That is {context.ledger.name_of(event['who'])}'s step.{yours}"
    if newest is event and is_plain_roll(event):
        return "That roll changed nothing in the game."
    if newest is None or newest["number"] == event["number"]:
        return "That is your last step."
    if step.is_own(newest) and newest["kind"] in NEVER_UNDONE:
        return f"Your newest step cannot be undone: {await _named(context, newest)}."
    return f"That is your last step. {await _named(context, newest)} came after it."


async def _choose_between(context: Context, request: Json, own_step: Json | None) -> Reply:
    """Ask whether Undo means the other side's request or the player's own last step."""
    number = request["event"]
    event = await context.event(number)
    assert event is not None
    name = context.ledger.name_of(str(request["by"]))
    agree = context.button(
        "consent", f"Agree to undo #{number}", number, request["id"], style="good"
    )
    request_title = f"{name} asks to undo {await _named(context, event)}"
    how = phrase("Press Agree or type `{typed}`.", typed=f"/game undo {number}")
    if own_step is None or own_step["number"] == number:
        refuse = context.button("refuse", "Refuse", number, request["id"])
        return _ask_privately(request_title, (how,), agree, refuse)
    own_number = own_step["number"]
    undo_own = context.button("undo", f"Undo #{own_number}", own_number)
    own_name = await _named(context, own_step)
    if own_number < number:
        return _ask_privately(
            request_title, (how, f"Your last step is {own_name}."), agree, undo_own
        )
    return _ask_privately(f"Undo {own_name}?", (f"{request_title}.", how), undo_own, agree)


def _ask_privately(title: str, lines: tuple[str, ...], *buttons: Button) -> Reply:
    return Reply(title, lines, buttons=buttons, private=True, tone=WAITING)


async def _name_what_came_since(context: Context, way: Json, number: int) -> Reply:
    """Refuse the undo of an event because a later one changed the game, with a button that
    undoes that one.
    """
    later = way["number"]
    return Reply(
        f"#{later} has changed the game since #{number}: {await _told(context, way)}",
        (f"Undo #{later} first.",),
        buttons=(context.button("undo", f"Undo #{later}", later),),
        private=True,
        error=True,
        code="not-latest",
    )


async def redo(context: Context, number: int | None = None) -> Reply:
    """Redo what was undone last (which must be `number`, if given), if nothing has changed the game
    since.

    What was undone together comes back together, and what was taken back by consent comes back by
    consent. Raises UserError.
    """
    game = context.need_open()
    actor = context.actor
    if not game.redo:
        raise UserError(
            "Nothing to redo.", hint="Something new has happened since.", code="nothing-to-redo"
        )
    if number is not None and number != game.redo[-1]:
        raise UserError(
            f"#{game.redo[-1]} was undone last, not #{number}.",
            hint=phrase("`/log` shows them."),
            code="not-latest",
        )
    numbers = (game.redo[-1], *await _undone_together(context, game.redo[-1]))
    group, events = await _load_undone(context, numbers)
    if not group or not may_ask(game, actor, group[0]):
        raise _no_part(REDO)
    await _need_untouched(context, group, REDO, events)
    others = await _others_of_all(context, actor.person, group, events)
    undone = [turn_of(events, UNDO, event["number"]) for event in group]
    if others and any(one is not None and one.get("asked") for one in undone):
        return await _ask(context, group, others, REDO)
    return await _bring_back(context, group, events)


async def _undone_together(context: Context, number: int) -> tuple[int, ...]:
    """Return the later events that were undone together with this one and can be brought back with
    it, oldest first.
    """
    doc = await context.store.doc(TOGETHER, _key(context, number))
    numbers = tuple(doc.data["events"]) if doc is not None else ()
    undone = (*reversed(numbers), number)
    return numbers if context.game.redo[-len(undone) :] == undone else ()


async def _load_undone(
    context: Context, numbers: Sequence[int]
) -> tuple[tuple[Json, ...], list[Json]]:
    """Return the events with these numbers, with what their opening changed, and all events since
    the first, newest first. Empty if one is missing.
    """
    events = await _since(context, min(numbers))
    bodies = {event["number"]: event for event in events}
    if any(number not in bodies for number in numbers):
        return (), events
    return tuple(with_opening(bodies[number], events) for number in numbers), events


async def _since(context: Context, number: int) -> list[Json]:
    """The events since the one with this number, and that one, newest first."""
    return [*await context.recent(MOST, after=number - 1)]


async def _not_undoable(context: Context, found: Found, number: int | None) -> UserError:
    """Say why nothing is undone: there is nothing, the event can never be undone, or a later one
    is in the way.
    """
    event = found.event or found.way
    if context.command.where.is_own:
        shows = phrase("`/log` shows what happened.")
    else:
        shows = phrase("`/log` shows what happened; `/unit edit` sets things right by hand.")
    if event is None and number is None:
        return UserError("There is nothing to undo.", code="not-undoable")
    if event is None:
        assert number is not None
        return await _explain_missing(context, number, shows)
    if number is None:
        hint = phrase(
            "{event} cannot be undone, nor can anything before it.",
            event=await _named(context, event),
        )
        return UserError("There is nothing to undo.", hint=hint, code="not-undoable")
    told = await _told(context, event)
    if number != event["number"]:
        return UserError(
            f"#{event['number']} has changed the game since #{number}: {told}",
            hint=shows,
            code="not-latest",
        )
    return UserError(
        f"#{event['number']} cannot be undone: {told}", hint=shows, code="not-undoable"
    )


async def _explain_missing(context: Context, number: int, hint: str) -> UserError:
    """Say why there is no event with this number to undo."""
    if number > context.game.number:
        last = f"The newest event is #{context.game.number}."
        return UserError(f"There is no #{number} yet.", hint=last, code="not-latest")
    undone = await latest(context, context.ledger, UNDO, number)
    redone = await latest(context, context.ledger, REDO, number)
    is_undone = undone is not None and (redone is None or redone["number"] < undone["number"])
    if undone is not None and is_undone:
        message = f"#{number} is undone already · {_by(context, undone)}"
        return UserError(message, code="not-latest")
    return UserError(f"#{number} cannot be undone.", hint=hint, code="not-latest")


async def _ask(context: Context, group: Sequence[Json], others: frozenset[str], what: str) -> Reply:
    """Ask the others; where one of them has asked for the same, this is their consent.

    The request is about the oldest event of the group, the others go with it.
    """
    ledger = context.ledger
    actor = context.actor
    event = min(group, key=lambda one: int(one["number"]))
    number = event["number"]
    if not actor.person:
        raise _no_part(what)
    asked = await pending(context, number)
    if asked is not None and asked["by"] != actor.person:
        return await consent(context, number)
    if asked is not None:
        raise _asked_already(context, others, what)
    names = _name_all(context, others)
    typed = f"/game {what}"
    id = tombstone(context.command.request_id)[:ID]
    owner = context.command.where.server
    until = context.now + CONSENT_KEPT
    also = [one["number"] for one in group if one is not event]
    fields = {
        "by": actor.person,
        "event": number,
        "id": id,
        "what": what,
        "number": context.game.number,
        "at": context.now,
    }
    request = _request(context, fields | ({"also": also} if also else {}), until)
    request.ask(context)
    known = await context.store.doc(ASKED, ledger.row)
    numbers = [*(known.data["events"] if known is not None else ()), number]
    context.commit.docs.append(
        Doc(ASKED, ledger.row, {"events": sorted(set(numbers))}, until, owner)
    )
    ledger.is_touched = True  # who knows the game as one in which nobody has asked reads it anew
    context.about = request.topics[0]
    rows = [row for person in others if (row := ledger.persons.get(person)) is not None]
    lines = await _told_of_all(context, group)
    reason = f"{_why(context, event, what)}, so {names} must agree."
    lines.append(reason + _describe_effect(group, what))
    if await reason_to_stand_in(context, others):
        lines.append(
            "They have left or been silent for seven days, so a manager who plays no side may agree instead."
        )
    lines.append(phrase("Press Agree or type `{typed}`.", typed=typed))
    return Reply(
        f"{context.who} asks to {what} {_numbers(group)}",
        tuple(lines),
        buttons=(
            context.button("consent", "Agree", number, id, style="good"),
            context.button("refuse", "Refuse", number, id),
        ),
        tone=WAITING,
        mention=await call(context, sorted(row.user for row in rows if not is_imported(row))),
    )


def _describe_effect(group: Iterable[Json], what: str) -> str:
    """Say which units the undo or redo of the events changes; "" for none."""
    units = joined(_list_units(group))
    done = "taken back" if what == UNDO else "done again"
    return f" If they do, what it did to {units} is {done}." if units else ""


async def _told_of_all(context: Context, group: Sequence[Json]) -> list[str]:
    """Return what was answered to each event; of several with its number, the oldest first."""
    if len(group) == 1:
        return [await _told(context, group[0])]
    events = sorted(group, key=lambda event: int(event["number"]))
    return [await _with_number(context, event) for event in events[:MOST_NAMED]]


def _list_units(group: Iterable[Json]) -> list[str]:
    """Return the names of the units that events changed, as they were."""
    return list(dict.fromkeys(name for event in group for name in held_before(event)))


def _say_restored(units: list[str]) -> str:
    """Return the sentence that an undo has for the units that it changes back."""
    return f"{joined(units)} {'is' if len(units) == 1 else 'are'} back as before."


def _name_all(context: Context, persons: Iterable[str]) -> str:
    return " or ".join(sorted(context.ledger.name_of(person) for person in persons))


def _asked_already(context: Context, others: Iterable[str], what: str) -> UserError:
    hint = phrase("They press Agree or type `{typed}`.", typed=f"/game {what}")
    return UserError(
        f"Already asked; waiting for {_name_all(context, others)}.", hint=hint, code="asked-already"
    )


def _why(context: Context, event: Json, what: str) -> str:
    """Why somebody else must agree."""
    if what == REDO:
        return "It was undone by agreement"
    if "seat" in event:
        return "A card out of a hand was seen"
    return (
        "Dice were rolled"
        if is_shared(event)
        else f"It was {context.ledger.name_of(event['who'])}'s doing"
    )


async def pending(context: Context, number: int) -> Json | None:
    """The open request about an event: who asked (`by`), for `what`, the later events that go with
    it (`also`), the `id` that its buttons name, and when it was asked: the newest event then
    (`number`) and Unix seconds (`at`).
    """
    found = await context.store.doc(CONSENT, _key(context, number))
    if found is None:
        return None
    defaults = {"id": "", "what": UNDO, "event": number, "also": [], "number": number}
    return {**defaults, "at": context.now, **found.data}


async def not_asked(context: Context, number: int) -> UserError:
    """Why there is nothing to agree to, or to refuse: what came first."""
    found, _ = await find_undoable(context.store, context.ledger, number)
    hint = "It was answered or withdrawn; a later one has buttons of its own."
    undone = await latest(context, context.ledger, UNDO, number)
    if undone is not None and found.event is None and found.way is None:
        hint = await told_undone(context, number)
    elif found.way is not None:
        hint = f"#{found.way['number']} came first: {await _told(context, found.way)}"
    return UserError(f"There is no open request about #{number}.", hint=hint, code="not-asked")


async def consent(context: Context, number: int, read: Iterable[Json] = ()) -> Reply:
    """Agree to what another asked for, for the other side or as a manager in its place. Raises
    UserError.

    `read` are the newest events, newest first, if they were read before.
    """
    game = context.need_open()
    actor = context.actor
    asked = await pending(context, number)
    if asked is None:
        raise await not_asked(context, number)
    by = str(asked["by"])
    what = str(asked["what"])
    numbers = (*asked["also"], number) if what == UNDO else (number, *asked["also"])
    if what == UNDO:
        group, events = await _load_undoable(context, numbers, read)
    else:
        group, events = await _load_undone(context, numbers)
        is_next = game.redo[-len(numbers) :] == (*reversed(numbers),)
        group = group if is_next else ()
    if not group:
        raise UserError(
            f"#{number} can no longer be {'redone' if what == REDO else 'undone'}.",
            code="not-latest",
        )
    others = await _others_of_all(context, by, group, events)
    fields = {} if actor.person in others else await stands_in(context, group, by, others, events)
    if by == actor.person or not (actor.person in others or fields):
        raise UserError("This needs the consent of another side.", code="not-yours")
    await _need_untouched(context, group, what, events)
    _settle(context, asked, agreed=True)
    if what == UNDO:
        return await _take_back(context, group, events, asked=by, **fields)
    return await _bring_back(context, group, events, asked=by, **fields)


async def _load_undoable(
    context: Context, numbers: Sequence[int], read: Iterable[Json]
) -> tuple[tuple[Json, ...], list[Json]]:
    """Return the events with these numbers (newest first) that can be undone in this order, and all
    events since the last of them, newest first. Empty if something is in the way of one.
    """
    found, events = await find_undoable(context.store, context.ledger, min(numbers), read)
    last = context.game.last
    group: list[Json] = []
    for number in numbers:
        undone: list[Json] = [{"kind": UNDO, "event": event["number"]} for event in group]
        found = find([*undone, *events], last, number)
        if found.event is None:
            return (), events
        group.append(found.event)
    return tuple(group), events


async def refuse(context: Context, number: int) -> Reply:
    """Refuse what another asked for, or withdraw one's own request."""
    context.need_open()
    actor = context.actor
    asked = await pending(context, number)
    if asked is None:
        raise await not_asked(context, number)
    by = str(asked["by"])
    what = str(asked["what"])
    event = await context.event(number)
    if by != actor.person and (
        event is None
        or actor.person not in await _others(context, by, event, await _since(context, number))
    ):
        raise UserError("Only another side can refuse.", code="not-yours")
    _settle(context, asked, agreed=False)
    stays = "the result stays" if what == UNDO else "it stays undone"
    named = _numbers([{"number": one} for one in (*asked["also"], number)])
    if by == actor.person:
        return Reply(f"{context.who} no longer asks to {what} {named}", by=stays, tone=OVER)
    again = "Ask again after talking it over, or play on."
    return Reply(f"{context.who} refuses to {what} {named}", (again,), by=stays, tone=OVER)


async def _asked_of(context: Context, read: list[Json]) -> Json | None:
    """Return the request to undo an event that waits for whoever types; None if there is none.

    `read` are the newest events, newest first.
    """
    doc = await context.store.doc(ASKED, context.ledger.row)
    for number in reversed(doc.data["events"] if doc is not None else (context.game.last,)):
        asked = await pending(context, number)
        if asked is None or asked["what"] != UNDO or asked["by"] == context.actor.person:
            continue
        events = [event for event in read if event["number"] >= number]
        if not events or events[-1]["number"] != number:
            events = await _since(context, number)
        if not events or events[-1]["number"] != number:
            continue
        others = await _others(context, asked["by"], events[-1], events)
        if context.actor.person in others:
            return asked
    return None


async def _others(context: Context, by: str, event: Json, events: list[Json]) -> frozenset[str]:
    """Return the players who may agree to what `by` asked for: those who were there when it fell.

    An event without dice is for the player who caused it to give up, and so is one that nobody else
    could agree about, as long as that player is there. `events` are those since, newest first.
    """
    others = await _find_consenters(context, by, event, events)
    author = find_author_to_ask(context.game, event, by, context.ledger.present(), others)
    if author and not await reason_to_stand_in(context, {author}):
        return frozenset({author})
    return others


async def _find_consenters(
    context: Context, by: str, event: Json, events: list[Json]
) -> frozenset[str]:
    """Return the players of the other side who may agree. Without sides nobody is among them who
    came after the event.
    """
    game = context.game
    number = event["number"]
    persons = context.ledger.present()
    if not game.sides and number != game.last:
        newcomers = persons & {later["who"] for later in events if later["number"] > number} - {
            event["who"]
        }
        if newcomers:
            earlier = await context.recent(MOST, before=number)
            persons -= newcomers - {before["who"] for before in earlier}
    return consenters(then(events, game, number), by, persons, event)


async def _explain_consent(
    context: Context, event: Json, asked: str, events: list[Json], fields: Json
) -> Json:
    """Return what an undo or redo says of who agreed, or why nobody had to.

    `fields` is what it says of a manager who agreed for others; {} if none did.
    """
    game = context.game
    person = context.ledger.person()
    if not asked and is_free(game, context.actor, event):
        return {"by": "manager"} if needs_manager(game, event, person) else {}
    requester = asked or person
    others = await _find_consenters(context, requester, event, events)
    author = find_author_to_ask(game, event, requester, context.ledger.present(), others)
    absent = {author} - {"", person}
    if fields:
        absent |= others
    reason = await reason_to_stand_in(context, absent) if absent else ""
    alone = {} if asked else {"alone": True}
    return {**fields, **alone, **({"reason": reason} if reason else {})}


def _request(context: Context, asked: Json, until: float | None = None) -> Request:
    doc = Doc(CONSENT, _key(context, asked["event"]), asked, until, context.command.where.server)
    return Request(doc, (context.topic(f"asked-{asked['id']}"),))


def _settle(context: Context, asked: Json, *, agreed: bool) -> None:
    """The request is answered: its message becomes the answer."""
    request = _request(context, asked)
    request.close(context)
    beside = answered(context.ledger.next_number) if agreed else None
    context.amends.append(Amendment(request.topics[0], beside=beside))


async def _told(context: Context, event: Json) -> str:
    """The first line of what was answered to the event, while that is kept; then what the log says
    of it: of a shot the words of its answer, so that nothing is played again."""
    ledger = context.ledger
    number = event["number"]
    is_opened = event["kind"] == "sealed" and number not in context.game.sealed
    if is_opened:
        event = await read_opened(context.store, ledger.row, context.game, number) or event
    elif (said := await context.answer(number)) is not None:
        return said.first
    elif event["kind"] == "sequence" and SAID in (texts := await context.texts(number)):
        return filled(texts[SAID], ledger.name_of, lambda _, key: texts.get(key, DELETED))
    names = card_names(context.game, context.system) if event["kind"] in (*CARDS, "pass") else {}
    named = texts_of([event], (), (), names).get(number, "") if names else ""
    return told_event(event, ledger.name_of, named, context.game.sides)


async def _with_number(context: Context, event: Json) -> str:
    """Return number and words of an event, as a line: `#6 anna removes Able`."""
    number = event["number"]
    words = (await _told(context, event)).removeprefix(f"#{number} ")
    return f"#{number} {words}"


async def _named(context: Context, event: Json) -> str:
    """Return number and words of an event: `#6, "anna removes Able"`."""
    number = event["number"]
    words = (await _told(context, event)).removeprefix(f"#{number} ")
    return f'#{number}, "{words}"'


async def _take_back(
    context: Context, group: Sequence[Json], events: list[Json], *, asked: str = "", **fields: Any
) -> Reply:
    """Take the events of the group back, and answer. All events are newest first; `events` are
    those since.
    """
    ledger = context.ledger
    was = context.game
    told = await _told_of_all(context, group)
    for event in group:
        consent_fields = await _explain_consent(context, event, asked, events, fields)
        found, events = await find_undoable(context.store, ledger, event["number"], events)
        if is_remembered(event):
            await keep_seen(context, event)
        undone = undo_fields(event, found.last, context.game)
        body = ledger.add(UNDO, asked=asked, **consent_fields, **undone)
        context.amends += await turned(context, body, event, events)
        events = [body, *events]
    units = _list_units(group)
    as_before = [_say_restored(units)] if units else []
    for event in group:
        as_before += await _explain_choice(context, event)
    oldest = group[-1]["number"]
    later = [event["number"] for event in reversed(group[:-1])]
    if later:
        context.commit.docs.append(
            Doc(
                TOGETHER,
                _key(context, oldest),
                {"events": later},
                context.now + CONSENT_KEPT,
                context.command.where.server,
            )
        )
    reply = Reply(
        f"{_numbers(group)} {'are' if later else 'is'} undone",
        (*told, *as_before),
        buttons=(context.button("redo", "Redo", oldest),),
        by=_by(context, body),
        tone=OVER,
    )
    return await _with_go(context, was, reply)


async def _explain_choice(context: Context, event: Json) -> list[str]:
    """Say what the undo of a choice takes back, and what stays."""
    if not is_continuation(event):
        return []
    lines = ["The whole shot is taken back with it: roll anew."]
    rows = await context.store.events_at(context.ledger.row, [event["event"]])
    if any(row.data.get("after") for row in rows):
        lines.append(
            phrase(
                "What changed before it was asked, such as where its cards went, stays. "
                "`/game undo` once more takes that back."
            )
        )
    return lines


async def _with_go(context: Context, was: Game, reply: Reply) -> Reply:
    """The answer with whose go it is, where that is another one now; they are called."""
    game = context.game
    if game.go == was.go or not game.go:
        return reply
    lines = (*reply.lines, f"Now: {whose_go(game)}.")
    return replace(reply, lines=lines, mention=await call_sides(context, game, game.go))


def _by(context: Context, event: Mapping[str, Any]) -> str:
    """Who undid or redid something, and who agreed."""
    who = context.ledger.name_of(event["who"])
    asked = event.get("asked")
    as_manager = " as manager" if event.get("by") else ""
    if asked:
        return f"{context.ledger.name_of(asked)} asked, {who} agreed{as_manager}"
    return who + as_manager


async def _bring_back(
    context: Context, group: Sequence[Json], events: list[Json], *, asked: str = "", **fields: Any
) -> Reply:
    """Bring the events of the group back, oldest first, and answer. `events` are those since,
    newest first.
    """
    ledger = context.ledger
    was = context.game
    for event in group:
        if asked:
            fields = await _explain_consent(context, event, asked, events, fields)
        body = ledger.add(REDO, asked=asked, **fields, **redo_fields(event, context.game))
        context.amends += await turned(context, body, event, events)
        events = [body, *events]
    told = await _told_of_all(context, group)
    title = f"{_numbers(group)} {'are' if group[1:] else 'is'} back"
    return await _with_go(context, was, Reply(title, tuple(told), by=_by(context, body)))


async def told_undone(context: Context, number: int) -> str:
    """Who took back the event with this number, which is undone now."""
    event = await latest(context, context.ledger, UNDO, number)
    return (
        f"#{number} is undone." if event is None else f"#{number} is undone · {_by(context, event)}"
    )


async def _need_untouched(
    context: Context, group: Sequence[Json], what: str, events: list[Json]
) -> None:
    """Raise UserError if something that the group does not hold has changed since then what is to
    be undone or redone. The group is in the order in which that is done; `events`: newest first.
    """
    game = context.game
    is_undo = what == UNDO
    for event in group:
        touched = changed_since(game, event, "after" if is_undo else "before")
        if touched:
            raise await _explain_change(context, event, what, events, touched)
        turn = undo_fields(event, 0, game) if is_undo else redo_fields(event, game)
        game = patched(game, turn.get("after") or {})


async def _explain_change(
    context: Context, event: Json, what: str, events: list[Json], touched: list[str]
) -> UserError:
    """Say which later event has changed what the event left, with a button that undoes it if that
    is possible.
    """
    number = event["number"]
    since = (find_opening(event, events) or event)["number"]
    written = {*list_written(event)}
    later = (one for one in events if one["number"] > since and one["kind"] not in (UNDO, REDO))
    by = next((one for one in later if not written.isdisjoint(list_written(one))), None)
    names = ", ".join(touched)
    hint = "" if context.command.where.is_own else BY_HAND
    if by is None:
        return UserError(f"{names} changed since #{number}.", hint=hint, code="not-undoable")
    told = await _told(context, by)
    message = f"#{by['number']} has changed {names} since #{number}: {told}"
    error = UserError(message, hint=hint, code="not-undoable")
    # what was opened is undone by the number of its roll
    first = by["opens"][0] if by.get("opens") else by["number"]
    is_final = by["kind"] in NEVER_UNDONE and not by.get("opens")
    if what == UNDO and not is_final:
        error.hint = f"Undo #{first} first."
        error.buttons = (context.button("undo", f"Undo #{first}", first),)
    return error


def _no_part(what: str) -> UserError:
    return UserError(
        f"Only players of this game can {what}.",
        hint=phrase("`/game join` makes you a player."),
        code="not-player",
    )


def _key(context: Context, number: int) -> str:
    return f"{context.ledger.row}:{number}"


async def stands_in(
    context: Context, group: Sequence[Json], asked: str, others: frozenset[str], events: list[Json]
) -> Json:
    """Return what the events say of a manager who agrees in the place of `others`; {} if they may
    not. `events` are those since, newest first.
    """
    game = context.game
    person = context.ledger.person() if await manages(context) else ""
    if not person or not others:
        return {}
    for event in group:
        game_then = then(events, game, event["number"])
        if not may_stand_in(game, game_then, person, asked, event):
            return {}
    reason = await reason_to_stand_in(context, others)
    return {"by": "manager", "reason": reason} if reason else {}


async def manages(context: Context) -> bool:
    """Return whether who asks manages the place where the game began; nobody does in the console."""
    where = context.command.where
    if (
        not context.command.who.manager
        or not where.server
        or where.owner
        or where.key.startswith("console:")
    ):
        return False
    if len(context.ledger.places) < 2:
        return True
    home = await context.store.doc(HOME, context.ledger.row)
    return home is not None and server_of(str(home.data["place"])) == where.server


async def reason_to_stand_in(context: Context, others: Iterable[str]) -> str:
    """Why the others cannot agree: silent for seven days, by the log, or left, as the platform
    says; "" for none.
    """
    heard = set(others)
    at = context.now - SILENT
    before = None
    recent = list[Json]()
    while rows := await context.store.events(
        context.ledger.row, before=before, limit=PAGE, newest_first=True
    ):
        recent += [row.data for row in rows]
        before = rows[-1].number
        if rows[-1].data["at"] <= at or len(rows) < PAGE:
            break
    heard = {person for person in heard if not are_silent(recent[::-1], [person], context.now)}
    if not heard:
        return SILENCE
    found = await asyncio.gather(*(_has_left(context, person) for person in heard))
    return LEFT if all(found) else ""


async def _has_left(context: Context, person: str) -> bool:
    """Return whether somebody is not where the game is played any more, as far as the platform says
    so at this moment.
    """
    row = context.ledger.persons.get(person)
    if row is None:
        return True  # their data was deleted: nobody will answer for them
    ask = context.members.get(row.user.partition(":")[0])
    if is_imported(row) or ask is None:
        return False
    try:
        return (
            await asyncio.wait_for(ask(row.user, await place_of(context, row.user)), PATIENCE)
            is False
        )
    except TimeoutError:
        return False
