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

from bot.commands.closed_piles import save_seen_cards
from bot.commands.context import Amendment, Context
from bot.commands.log.answer_footer import (
    build_answered_rewording,
    find_latest_undo_or_redo,
    list_undo_amendments,
)
from bot.commands.requests import PendingRequest
from bot.commands.turns.mentions import call_sides, call_users, find_channel_of_user
from bot.game.decks import get_card_names
from bot.game.events import (
    NEVER_UNDONE,
    apply_patch,
    is_continuation,
    is_shared,
    list_previous_names,
)
from bot.game.game_cache import is_imported, load_event_body
from bot.game.phases import describe_whose_go
from bot.game.state import Actor, Game, Json
from bot.game.undo import (
    LEFT,
    MOST,
    SILENCE,
    SILENT,
    LastStep,
    UndoTarget,
    are_silent,
    build_redo_fields,
    build_undo_fields,
    consenters,
    find_author_to_ask,
    find_changed_since,
    find_last_turn_of,
    find_newest_step,
    find_together,
    find_undo_target,
    find_undoable,
    game_at,
    is_free,
    is_plain_roll,
    is_remembered,
    load_last_step,
    may_ask_for_undo,
    may_stand_in,
    needs_manager,
)
from bot.game.undo_reach import add_opening, find_opening, list_written
from bot.presentation.events import CARDS, collect_event_texts, format_log_line
from bot.rules.errors import UserError
from bot.rules.proof.chain import DELETED, SAID, fill_marks
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.storage.base import DAY
from bot.storage.records import Doc, compute_tombstone
from bot.ui.reply.reply import OVER, WAITING, Button, Reply
from bot.ui.spec import get_server_key

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


async def handle_undo(context: Context) -> Reply:
    """Undo the event whose number was typed, or the last step of whoever asks. Raises UserError."""
    number = context.clean_options()["event"]
    return await undo_last_step(context) if number is None else await undo_event(context, number)


async def undo_event(context: Context, number: int, confirmed: str = "") -> Reply:
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
        if (
            way is not None
            and way["kind"] not in NEVER_UNDONE
            and may_ask_for_undo(game, actor, way)
        ):
            return await _refuse_overtaken_undo(context, way, number)
        raise await _explain_no_undo(context, UndoTarget(way=way), number)
    event = together.events[-1]
    if event["kind"] in NEVER_UNDONE:
        raise await _explain_no_undo(context, UndoTarget(event), number)
    if not may_ask_for_undo(game, actor, event):
        raise _build_stranger_error(UNDO)
    await _need_untouched(context, together.events, UNDO, events)
    companions = together.events[:-1]
    if companions and confirmed != _format_confirmation(companions):
        return await _ask_together(context, together.events)
    return await _take_back_or_ask(context, actor, together.events, events)


def _format_confirmation(companions: Sequence[Json]) -> str:
    """Return what the button of the question holds: the newest event that goes along, and how
    many there are.
    """
    return f"{companions[0]['number']}.{len(companions)}"


def _format_numbers(events: Iterable[Json]) -> str:
    """Return the numbers of events in words: `#12, #11 and #10`; of many `#10 and 8 later ones`."""
    numbers = [event["number"] for event in events]
    if len(numbers) > MOST_NAMED:
        return f"#{min(numbers)} and {len(numbers) - 1} later ones"
    return join_names([f"#{number}" for number in numbers])


async def _ask_together(context: Context, events: Sequence[Json]) -> Reply:
    """Name the player's later events that go with the one to undo, with a button that does it.

    `events` are newest first, the one to undo last.
    """
    event = events[-1]
    lines = [await _quote_with_number(context, event)]
    later_events = events[:-1][::-1]
    for later in later_events[:MOST_NAMED]:
        lines.append(f"{await _quote_with_number(context, later)}, came after it and goes with it.")
    if len(later_events) > MOST_NAMED:
        lines.append(f"{len(later_events) - MOST_NAMED} more of yours go with it.")
    request = await load_undo_request(context, event["number"])
    if request is not None and request["by"] == context.actor.person:
        raise _build_already_asked_error(
            context,
            await _list_players_agreeing_to_all(context, request["by"], events, list(events)),
            UNDO,
        )
    label = f"Undo {_format_numbers(events)}"
    button = context.build_button(
        "undo", label, event["number"], _format_confirmation(events[:-1]), style="good"
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
    others = await _list_players_agreeing_to_all(context, actor.person, group, events)
    if others:
        return await _ask_for_consent(context, group, others, UNDO)
    if await _list_agreeing_players(context, actor.person, group[-1], events):
        # nobody was there for all of it
        return await _refuse_overtaken_undo(context, group[0], group[-1]["number"])
    return await _take_back(context, group, events)


async def _list_players_agreeing_to_all(
    context: Context, by: str, group: Sequence[Json], events: list[Json]
) -> frozenset[str]:
    """Return the players who may agree to the undo of every event of the group."""
    found = [await _list_agreeing_players(context, by, event, events) for event in group]
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
        request = await _find_request_to_player(context, read)
        if request is not None:
            return await _answer_or_choose(context, step, request, read)
    if not step.offers:
        raise await _explain_no_undo(context, UndoTarget(way=step.barrier or step.newest), None)
    event = step.offers[0]
    if not may_ask_for_undo(game, actor, event) or not (actor.person or actor.directs):
        raise _build_stranger_error(UNDO)
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
        return await consent_to_undo(context, request["event"], events)
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
    await _need_untouched(context, [add_opening(event, events)], UNDO, events)
    request = await load_undo_request(context, number)
    if request is not None and request["by"] != context.actor.person:
        return await consent_to_undo(context, number)
    if request is not None:
        raise _build_already_asked_error(
            context, await _list_agreeing_players(context, request["by"], event, events), UNDO
        )
    buttons = [context.build_button("undo", f"Undo #{number}", number, style="good")]
    lines = [await _explain_question(context, step)]
    for other in others:
        lines.append(f"The step before it is {await _quote_with_number(context, other)}.")
        buttons.append(context.build_button("undo", f"Undo #{other['number']}", other["number"]))
    newest = step.newest
    is_anothers = newest is not None and step.is_own(event) and not step.is_own(newest)
    is_step = newest is not None and not is_plain_roll(newest)
    if newest is not None and is_anothers and is_step and newest["kind"] not in NEVER_UNDONE:
        later = newest["number"]
        buttons.append(context.build_button("undo", f"Undo #{later}", later))
    title = f"Undo {await _quote_with_number(context, event)}?"
    return Reply(title, tuple(lines), buttons=tuple(buttons), private=True, tone=WAITING)


async def _explain_question(context: Context, step: LastStep) -> str:
    """Say in a sentence or two why the event that Undo found might not be the one that is meant."""
    event = step.offers[0]
    newest = step.newest
    if not step.is_own(event):
        yours = (
            f" It has to be undone before yours, {await _quote_with_number(context, step.buried)}."
            if step.buried is not None
            else ""
        )
        return f"That is {context.ledger.get_name(event['who'])}'s step.{yours}"
    if newest is event and is_plain_roll(event):
        return "That roll changed nothing in the game."
    if newest is None or newest["number"] == event["number"]:
        return "That is your last step."
    if step.is_own(newest) and newest["kind"] in NEVER_UNDONE:
        return f"Your newest step cannot be undone: {await _quote_with_number(context, newest)}."
    return f"That is your last step. {await _quote_with_number(context, newest)} came after it."


async def _choose_between(context: Context, request: Json, own_step: Json | None) -> Reply:
    """Ask whether Undo means the other side's request or the player's own last step."""
    number = request["event"]
    event = await context.load_event(number)
    assert event is not None
    name = context.ledger.get_name(str(request["by"]))
    agree = context.build_button(
        "consent", f"Agree to undo #{number}", number, request["id"], style="good"
    )
    request_title = f"{name} asks to undo {await _quote_with_number(context, event)}"
    how = phrase("Press Agree or type `{typed}`.", typed=f"/game undo {number}")
    if own_step is None or own_step["number"] == number:
        refuse = context.build_button("refuse", "Refuse", number, request["id"])
        return _ask_privately(request_title, (how,), agree, refuse)
    own_number = own_step["number"]
    undo_own = context.build_button("undo", f"Undo #{own_number}", own_number)
    own_name = await _quote_with_number(context, own_step)
    if own_number < number:
        return _ask_privately(
            request_title, (how, f"Your last step is {own_name}."), agree, undo_own
        )
    return _ask_privately(f"Undo {own_name}?", (f"{request_title}.", how), undo_own, agree)


def _ask_privately(title: str, lines: tuple[str, ...], *buttons: Button) -> Reply:
    return Reply(title, lines, buttons=buttons, private=True, tone=WAITING)


async def _refuse_overtaken_undo(context: Context, way: Json, number: int) -> Reply:
    """Refuse the undo of an event because a later one changed the game, with a button that
    undoes that one.
    """
    later = way["number"]
    return Reply(
        f"#{later} has changed the game since #{number}: {await _describe_event(context, way)}",
        (f"Undo #{later} first.",),
        buttons=(context.build_button("undo", f"Undo #{later}", later),),
        private=True,
        error=True,
        code="not-latest",
    )


async def redo_event(context: Context, number: int | None = None) -> Reply:
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
    numbers = (game.redo[-1], *await _list_undone_together(context, game.redo[-1]))
    group, events = await _load_undone(context, numbers)
    if not group or not may_ask_for_undo(game, actor, group[0]):
        raise _build_stranger_error(REDO)
    await _need_untouched(context, group, REDO, events)
    others = await _list_players_agreeing_to_all(context, actor.person, group, events)
    undone = [find_last_turn_of(events, UNDO, event["number"]) for event in group]
    if others and any(one is not None and one.get("asked") for one in undone):
        return await _ask_for_consent(context, group, others, REDO)
    return await _bring_back(context, group, events)


async def _list_undone_together(context: Context, number: int) -> tuple[int, ...]:
    """Return the later events that were undone together with this one and can be brought back with
    it, oldest first.
    """
    doc = await context.store.load_doc(TOGETHER, _build_request_key(context, number))
    numbers = tuple(doc.data["events"]) if doc is not None else ()
    undone = (*reversed(numbers), number)
    return numbers if context.game.redo[-len(undone) :] == undone else ()


async def _load_undone(
    context: Context, numbers: Sequence[int]
) -> tuple[tuple[Json, ...], list[Json]]:
    """Return the events with these numbers, with what their opening changed, and all events since
    the first, newest first. Empty if one is missing.
    """
    events = await _load_events_since(context, min(numbers))
    bodies = {event["number"]: event for event in events}
    if any(number not in bodies for number in numbers):
        return (), events
    return tuple(add_opening(bodies[number], events) for number in numbers), events


async def _load_events_since(context: Context, number: int) -> list[Json]:
    """The events since the one with this number, and that one, newest first."""
    return [*await context.load_recent_events(MOST, after=number - 1)]


async def _explain_no_undo(context: Context, found: UndoTarget, number: int | None) -> UserError:
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
            event=await _quote_with_number(context, event),
        )
        return UserError("There is nothing to undo.", hint=hint, code="not-undoable")
    told = await _describe_event(context, event)
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
    undone = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    redone = await find_latest_undo_or_redo(context, context.ledger, REDO, number)
    is_undone = undone is not None and (redone is None or redone["number"] < undone["number"])
    if undone is not None and is_undone:
        message = f"#{number} is undone already · {_format_author(context, undone)}"
        return UserError(message, code="not-latest")
    return UserError(f"#{number} cannot be undone.", hint=hint, code="not-latest")


async def _ask_for_consent(
    context: Context, group: Sequence[Json], others: frozenset[str], what: str
) -> Reply:
    """Ask the others; where one of them has asked for the same, this is their consent.

    The request is about the oldest event of the group, the others go with it.
    """
    ledger = context.ledger
    actor = context.actor
    event = min(group, key=lambda one: int(one["number"]))
    number = event["number"]
    if not actor.person:
        raise _build_stranger_error(what)
    asked = await load_undo_request(context, number)
    if asked is not None and asked["by"] != actor.person:
        return await consent_to_undo(context, number)
    if asked is not None:
        raise _build_already_asked_error(context, others, what)
    names = _format_player_names(context, others)
    typed = f"/game {what}"
    id = compute_tombstone(context.command.request_id)[:ID]
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
    request = _build_request(context, fields | ({"also": also} if also else {}), until)
    request.register(context)
    known = await context.store.load_doc(ASKED, ledger.row)
    numbers = [*(known.data["events"] if known is not None else ()), number]
    context.commit.docs.append(
        Doc(ASKED, ledger.row, {"events": sorted(set(numbers))}, until, owner)
    )
    ledger.is_touched = True  # who knows the game as one in which nobody has asked reads it anew
    context.about = request.topics[0]
    rows = [row for person in others if (row := ledger.persons.get(person)) is not None]
    lines = await _describe_events(context, group)
    reason = f"{_explain_need_for_consent(context, event, what)}, so {names} must agree."
    lines.append(reason + _describe_effect(group, what))
    if await find_stand_in_reason(context, others):
        lines.append(
            "They have left or been silent for seven days, so a manager who plays no side may agree instead."
        )
    lines.append(phrase("Press Agree or type `{typed}`.", typed=typed))
    return Reply(
        f"{context.user_name} asks to {what} {_format_numbers(group)}",
        tuple(lines),
        buttons=(
            context.build_button("consent", "Agree", number, id, style="good"),
            context.build_button("refuse", "Refuse", number, id),
        ),
        tone=WAITING,
        mention=await call_users(context, sorted(row.user for row in rows if not is_imported(row))),
    )


def _describe_effect(group: Iterable[Json], what: str) -> str:
    """Say which units the undo or redo of the events changes; "" for none."""
    units = join_names(_list_units(group))
    done = "taken back" if what == UNDO else "done again"
    return f" If they do, what it did to {units} is {done}." if units else ""


async def _describe_events(context: Context, group: Sequence[Json]) -> list[str]:
    """Return what was answered to each event; of several with its number, the oldest first."""
    if len(group) == 1:
        return [await _describe_event(context, group[0])]
    events = sorted(group, key=lambda event: int(event["number"]))
    return [await _describe_with_number(context, event) for event in events[:MOST_NAMED]]


def _list_units(group: Iterable[Json]) -> list[str]:
    """Return the names of the units that events changed, as they were."""
    return list(dict.fromkeys(name for event in group for name in list_previous_names(event)))


def _say_restored(units: list[str]) -> str:
    """Return the sentence that an undo has for the units that it changes back."""
    return f"{join_names(units)} {'is' if len(units) == 1 else 'are'} back as before."


def _format_player_names(context: Context, persons: Iterable[str]) -> str:
    return " or ".join(sorted(context.ledger.get_name(person) for person in persons))


def _build_already_asked_error(context: Context, others: Iterable[str], what: str) -> UserError:
    hint = phrase("They press Agree or type `{typed}`.", typed=f"/game {what}")
    return UserError(
        f"Already asked; waiting for {_format_player_names(context, others)}.",
        hint=hint,
        code="asked-already",
    )


def _explain_need_for_consent(context: Context, event: Json, what: str) -> str:
    """Why somebody else must agree."""
    if what == REDO:
        return "It was undone by agreement"
    if "seat" in event:
        return "A card out of a hand was seen"
    return (
        "Dice were rolled"
        if is_shared(event)
        else f"It was {context.ledger.get_name(event['who'])}'s doing"
    )


async def load_undo_request(context: Context, number: int) -> Json | None:
    """The open request about an event: who asked (`by`), for `what`, the later events that go with
    it (`also`), the `id` that its buttons name, and when it was asked: the newest event then
    (`number`) and Unix seconds (`at`).
    """
    found = await context.store.load_doc(CONSENT, _build_request_key(context, number))
    if found is None:
        return None
    defaults = {"id": "", "what": UNDO, "event": number, "also": [], "number": number}
    return {**defaults, "at": context.now, **found.data}


async def explain_no_request(context: Context, number: int) -> UserError:
    """Why there is nothing to agree to, or to refuse: what came first."""
    found, _ = await find_undoable(context.store, context.ledger, number)
    hint = "It was answered or withdrawn; a later one has buttons of its own."
    undone = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    if undone is not None and found.event is None and found.way is None:
        hint = await describe_undone_event(context, number)
    elif found.way is not None:
        hint = f"#{found.way['number']} came first: {await _describe_event(context, found.way)}"
    return UserError(f"There is no open request about #{number}.", hint=hint, code="not-asked")


async def consent_to_undo(context: Context, number: int, read: Iterable[Json] = ()) -> Reply:
    """Agree to what another asked for, for the other side or as a manager in its place. Raises
    UserError.

    `read` are the newest events, newest first, if they were read before.
    """
    game = context.need_open()
    actor = context.actor
    asked = await load_undo_request(context, number)
    if asked is None:
        raise await explain_no_request(context, number)
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
    others = await _list_players_agreeing_to_all(context, by, group, events)
    fields = (
        {}
        if actor.person in others
        else await build_stand_in_fields(context, group, by, others, events)
    )
    if by == actor.person or not (actor.person in others or fields):
        raise UserError("This needs the consent of another side.", code="not-yours")
    await _need_untouched(context, group, what, events)
    _close_request(context, asked, agreed=True)
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
        found = find_undo_target([*undone, *events], last, number)
        if found.event is None:
            return (), events
        group.append(found.event)
    return tuple(group), events


async def refuse_undo(context: Context, number: int) -> Reply:
    """Refuse what another asked for, or withdraw one's own request."""
    context.need_open()
    actor = context.actor
    asked = await load_undo_request(context, number)
    if asked is None:
        raise await explain_no_request(context, number)
    by = str(asked["by"])
    what = str(asked["what"])
    event = await context.load_event(number)
    if by != actor.person and (
        event is None
        or actor.person
        not in await _list_agreeing_players(
            context, by, event, await _load_events_since(context, number)
        )
    ):
        raise UserError("Only another side can refuse.", code="not-yours")
    _close_request(context, asked, agreed=False)
    stays = "the result stays" if what == UNDO else "it stays undone"
    named = _format_numbers([{"number": one} for one in (*asked["also"], number)])
    if by == actor.person:
        return Reply(f"{context.user_name} no longer asks to {what} {named}", by=stays, tone=OVER)
    again = "Ask again after talking it over, or play on."
    return Reply(f"{context.user_name} refuses to {what} {named}", (again,), by=stays, tone=OVER)


async def _find_request_to_player(context: Context, read: list[Json]) -> Json | None:
    """Return the request to undo an event that waits for whoever types; None if there is none.

    `read` are the newest events, newest first.
    """
    doc = await context.store.load_doc(ASKED, context.ledger.row)
    for number in reversed(doc.data["events"] if doc is not None else (context.game.last,)):
        asked = await load_undo_request(context, number)
        if asked is None or asked["what"] != UNDO or asked["by"] == context.actor.person:
            continue
        events = [event for event in read if event["number"] >= number]
        if not events or events[-1]["number"] != number:
            events = await _load_events_since(context, number)
        if not events or events[-1]["number"] != number:
            continue
        others = await _list_agreeing_players(context, asked["by"], events[-1], events)
        if context.actor.person in others:
            return asked
    return None


async def _list_agreeing_players(
    context: Context, by: str, event: Json, events: list[Json]
) -> frozenset[str]:
    """Return the players who may agree to what `by` asked for: those who were there when it fell.

    An event without dice is for the player who caused it to give up, and so is one that nobody else
    could agree about, as long as that player is there. `events` are those since, newest first.
    """
    others = await _find_consenters(context, by, event, events)
    author = find_author_to_ask(
        context.game, event, by, context.ledger.list_present_persons(), others
    )
    if author and not await find_stand_in_reason(context, {author}):
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
    persons = context.ledger.list_present_persons()
    if not game.sides and number != game.last:
        newcomers = persons & {later["who"] for later in events if later["number"] > number} - {
            event["who"]
        }
        if newcomers:
            earlier = await context.load_recent_events(MOST, before=number)
            persons -= newcomers - {before["who"] for before in earlier}
    return consenters(game_at(events, game, number), by, persons, event)


async def _explain_consent(
    context: Context, event: Json, asked: str, events: list[Json], fields: Json
) -> Json:
    """Return what an undo or redo says of who agreed, or why nobody had to.

    `fields` is what it says of a manager who agreed for others; {} if none did.
    """
    game = context.game
    person = context.ledger.ensure_person()
    if not asked and is_free(game, context.actor, event):
        return {"by": "manager"} if needs_manager(game, event, person) else {}
    requester = asked or person
    others = await _find_consenters(context, requester, event, events)
    author = find_author_to_ask(
        game, event, requester, context.ledger.list_present_persons(), others
    )
    absent = {author} - {"", person}
    if fields:
        absent |= others
    reason = await find_stand_in_reason(context, absent) if absent else ""
    alone = {} if asked else {"alone": True}
    return {**fields, **alone, **({"reason": reason} if reason else {})}


def _build_request(context: Context, asked: Json, until: float | None = None) -> PendingRequest:
    doc = Doc(
        CONSENT,
        _build_request_key(context, asked["event"]),
        asked,
        until,
        context.command.where.server,
    )
    return PendingRequest(doc, (context.build_topic(f"asked-{asked['id']}"),))


def _close_request(context: Context, asked: Json, *, agreed: bool) -> None:
    """The request is answered: its message becomes the answer."""
    request = _build_request(context, asked)
    request.close(context)
    beside = build_answered_rewording(context.ledger.next_number) if agreed else None
    context.amendments.append(Amendment(request.topics[0], beside=beside))


async def _describe_event(context: Context, event: Json) -> str:
    """The first line of what was answered to the event, while that is kept; then what the log says
    of it: of a shot the words of its answer, so that nothing is played again."""
    ledger = context.ledger
    number = event["number"]
    is_opened = event["kind"] == "sealed" and number not in context.game.sealed
    if is_opened:
        event = await load_event_body(context.store, ledger.row, context.game, number) or event
    elif (said := await context.load_answer(number)) is not None:
        return said.first_line
    elif event["kind"] == "sequence" and SAID in (texts := await context.load_texts(number)):
        return fill_marks(texts[SAID], ledger.get_name, lambda _, key: texts.get(key, DELETED))
    names = (
        get_card_names(context.game, context.system) if event["kind"] in (*CARDS, "pass") else {}
    )
    named = collect_event_texts([event], (), (), names).get(number, "") if names else ""
    return format_log_line(event, ledger.get_name, named, context.game.sides)


async def _describe_with_number(context: Context, event: Json) -> str:
    """Return number and words of an event, as a line: `#6 anna removes Able`."""
    number = event["number"]
    words = (await _describe_event(context, event)).removeprefix(f"#{number} ")
    return f"#{number} {words}"


async def _quote_with_number(context: Context, event: Json) -> str:
    """Return number and words of an event: `#6, "anna removes Able"`."""
    number = event["number"]
    words = (await _describe_event(context, event)).removeprefix(f"#{number} ")
    return f'#{number}, "{words}"'


async def _take_back(
    context: Context, group: Sequence[Json], events: list[Json], *, asked: str = "", **fields: Any
) -> Reply:
    """Take the events of the group back, and answer. All events are newest first; `events` are
    those since.
    """
    ledger = context.ledger
    was = context.game
    told = await _describe_events(context, group)
    for event in group:
        consent_fields = await _explain_consent(context, event, asked, events, fields)
        found, events = await find_undoable(context.store, ledger, event["number"], events)
        if is_remembered(event):
            await save_seen_cards(context, event)
        undone = build_undo_fields(event, found.last, context.game)
        body = ledger.add(UNDO, asked=asked, **consent_fields, **undone)
        context.amendments += await list_undo_amendments(context, body, event, events)
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
                _build_request_key(context, oldest),
                {"events": later},
                context.now + CONSENT_KEPT,
                context.command.where.server,
            )
        )
    reply = Reply(
        f"{_format_numbers(group)} {'are' if later else 'is'} undone",
        (*told, *as_before),
        buttons=(context.build_button("redo", "Redo", oldest),),
        by=_format_author(context, body),
        tone=OVER,
    )
    return await _add_side_to_play(context, was, reply)


async def _explain_choice(context: Context, event: Json) -> list[str]:
    """Say what the undo of a choice takes back, and what stays."""
    if not is_continuation(event):
        return []
    lines = ["The whole shot is taken back with it: roll anew."]
    rows = await context.store.load_events_at(context.ledger.row, [event["event"]])
    if any(row.data.get("after") for row in rows):
        lines.append(
            phrase(
                "What changed before it was asked, such as where its cards went, stays. "
                "`/game undo` once more takes that back."
            )
        )
    return lines


async def _add_side_to_play(context: Context, was: Game, reply: Reply) -> Reply:
    """The answer with whose go it is, where that is another one now; they are called."""
    game = context.game
    if game.go == was.go or not game.go:
        return reply
    lines = (*reply.lines, f"Now: {describe_whose_go(game)}.")
    return replace(reply, lines=lines, mention=await call_sides(context, game, game.go))


def _format_author(context: Context, event: Mapping[str, Any]) -> str:
    """Who undid or redid something, and who agreed."""
    who = context.ledger.get_name(event["who"])
    asked = event.get("asked")
    as_manager = " as manager" if event.get("by") else ""
    if asked:
        return f"{context.ledger.get_name(asked)} asked, {who} agreed{as_manager}"
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
        body = ledger.add(REDO, asked=asked, **fields, **build_redo_fields(event, context.game))
        context.amendments += await list_undo_amendments(context, body, event, events)
        events = [body, *events]
    told = await _describe_events(context, group)
    title = f"{_format_numbers(group)} {'are' if group[1:] else 'is'} back"
    return await _add_side_to_play(
        context, was, Reply(title, tuple(told), by=_format_author(context, body))
    )


async def describe_undone_event(context: Context, number: int) -> str:
    """Who took back the event with this number, which is undone now."""
    event = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    return (
        f"#{number} is undone."
        if event is None
        else f"#{number} is undone · {_format_author(context, event)}"
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
        touched = find_changed_since(game, event, "after" if is_undo else "before")
        if touched:
            raise await _explain_change(context, event, what, events, touched)
        turn = build_undo_fields(event, 0, game) if is_undo else build_redo_fields(event, game)
        game = apply_patch(game, turn.get("after") or {})


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
    told = await _describe_event(context, by)
    message = f"#{by['number']} has changed {names} since #{number}: {told}"
    error = UserError(message, hint=hint, code="not-undoable")
    # what was opened is undone by the number of its roll
    first = by["opens"][0] if by.get("opens") else by["number"]
    is_final = by["kind"] in NEVER_UNDONE and not by.get("opens")
    if what == UNDO and not is_final:
        error.hint = f"Undo #{first} first."
        error.buttons = (context.build_button("undo", f"Undo #{first}", first),)
    return error


def _build_stranger_error(what: str) -> UserError:
    return UserError(
        f"Only players of this game can {what}.",
        hint=phrase("`/game join` makes you a player."),
        code="not-player",
    )


def _build_request_key(context: Context, number: int) -> str:
    return f"{context.ledger.row}:{number}"


async def build_stand_in_fields(
    context: Context, group: Sequence[Json], asked: str, others: frozenset[str], events: list[Json]
) -> Json:
    """Return what the events say of a manager who agrees in the place of `others`; {} if they may
    not. `events` are those since, newest first.
    """
    game = context.game
    person = context.ledger.ensure_person() if await manages_game_channel(context) else ""
    if not person or not others:
        return {}
    for event in group:
        game_then = game_at(events, game, event["number"])
        if not may_stand_in(game, game_then, person, asked, event):
            return {}
    reason = await find_stand_in_reason(context, others)
    return {"by": "manager", "reason": reason} if reason else {}


async def manages_game_channel(context: Context) -> bool:
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
    home = await context.store.load_doc(HOME, context.ledger.row)
    return home is not None and get_server_key(str(home.data["place"])) == where.server


async def find_stand_in_reason(context: Context, others: Iterable[str]) -> str:
    """Why the others cannot agree: silent for seven days, by the log, or left, as the platform
    says; "" for none.
    """
    heard = set(others)
    at = context.now - SILENT
    before = None
    recent = list[Json]()
    while rows := await context.store.load_events(
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
            await asyncio.wait_for(
                ask(row.user, await find_channel_of_user(context, row.user)), PATIENCE
            )
            is False
        )
    except TimeoutError:
        return False
