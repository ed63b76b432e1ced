"""`/game undo` and `/game redo`: take back a player's last step, with the other side's consent if
it had dice.

If the step is not the newest event, or might not be the one that the player means, the bot asks
first. A manager who plays no side may agree for the other side if its players have left, or have
been silent for seven days.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.commands.answer_footer import (
    build_answered_rewording,
    find_latest_undo_or_redo,
    list_undo_amendments,
)
from bot.commands.closed_piles import save_seen_cards
from bot.commands.context import Amendment, Context
from bot.commands.declare import declare_command
from bot.commands.membership import has_left_channel
from bot.commands.requests import PendingRequest
from bot.commands.turns.mentions import call_sides, call_users, find_channel_of_user
from bot.game.decks import get_card_names
from bot.game.events import (
    apply_patch,
    is_continuation,
    is_final,
    is_shared,
    list_previous_names,
)
from bot.game.loaded_game import is_imported
from bot.game.phases import describe_whose_go
from bot.game.state import Actor, Game, Json
from bot.game.undo import (
    LEFT,
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
    game_at,
    is_free,
    is_plain_roll,
    is_remembered,
    may_ask_for_undo,
    may_stand_in,
    needs_manager,
)
from bot.game.undo_reach import add_opening, find_opening, list_written
from bot.loading.log_reader import load_event_body
from bot.loading.undo_search import MAX_EVENTS_READ, find_undoable, load_last_step
from bot.presentation.events import CARDS, collect_event_texts, format_log_line
from bot.rules.errors import UserError
from bot.rules.proof.chain import DELETED, SAID, fill_marks
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.storage.base import DAY
from bot.storage.records import Doc, compute_tombstone
from bot.ui.common_options import build_optional
from bot.ui.reply.reply import OVER, WAITING, Button, Reply
from bot.ui.spec import get_server_key

CONSENT, ASKED, TOGETHER = "consent", "consent-asked", "undone-together"
"""Kinds of documents: an open request about one event, the events of a game with open requests,
and the later events that were undone together with one.
"""
CONSENT_KEPT = 30 * DAY
MOST_NAMED = 6
"""Maximum number of events that one answer names. Of more it gives only the number."""
ID = 10
"""Digits in the id of a request, which differs between requests about the same event."""
FRESH = 3600
"""Seconds in which a bare Undo answers a request at once. Later it names the event first."""
UNDO, REDO = "undo", "redo"
BOARD = "board"
"""The word after the event number in the board's *Undo* button. That button undoes the last step
of the player who presses it.
"""
BY_HAND = phrase("`/unit edit` corrects things by hand.")
HOME = "home"
"""The kind of document that holds the channel in which a linked game began. The managers of that
channel's server decide.
"""
PAGE = 500
"""Events read from the store at once."""


@declare_command(
    "game undo",
    "Undo the last thing you did, or any event by its number",
    build_optional("event", "its number, such as #41", type="int", min=1, max=10**9),
)
async def handle_undo(context: Context) -> Reply:
    """Undo the event with the typed number, or the player's last step if no number was typed.

    Raises UserError if there is nothing to undo, or if this player may not undo it.
    """
    number = context.clean_options()["event"]
    if number is None:
        return await undo_last_step(context)
    return await undo_event(context, number)


async def undo_event(context: Context, number: int, confirmed: str = "") -> Reply:
    """Undo the event with this number, or ask the other side for consent if it had dice.

    If later events of the same player have to go with it, name them and ask first. `confirmed` is
    the answer to that question, as `_format_confirmation` writes it.

    If another later event is in the way, the reply says so and offers to undo that one. Raises
    UserError if the event cannot be undone, if this player may not ask for it, or if later events
    have changed the same units.
    """
    game = context.need_open()
    actor = context.actor
    target, events = await find_undoable(context.store, context.ledger, number)
    together = find_together(events, number, actor.person)
    blocker = together.blocker or target.way
    if not together.events:
        if blocker is not None and not is_final(blocker) and may_ask_for_undo(game, actor, blocker):
            return await _refuse_overtaken_undo(context, blocker, number)
        raise await _explain_no_undo(context, UndoTarget(way=blocker), number)
    event = together.events[-1]
    if is_final(event):
        raise await _explain_no_undo(context, UndoTarget(event), number)
    if not may_ask_for_undo(game, actor, event):
        raise _build_stranger_error(UNDO)
    await _need_untouched(context, together.events, UNDO, events)
    companions = together.events[:-1]
    if companions and confirmed != _format_confirmation(companions):
        return await _ask_together(context, together.events)
    return await _take_back_or_ask(context, actor, together.events, events)


def _format_confirmation(companions: Sequence[Json]) -> str:
    """Return the value of the confirming button: newest of the companion events, and their count.

    `companions` are newest first.
    """
    return f"{companions[0]['number']}.{len(companions)}"


def _format_numbers(events: Iterable[Json]) -> str:
    """Return the numbers of events in words: `#12, #11 and #10`; of many `#10 and 8 later ones`."""
    numbers = [event["number"] for event in events]
    if len(numbers) > MOST_NAMED:
        return f"#{min(numbers)} and {len(numbers) - 1} later ones"
    return join_names([f"#{number}" for number in numbers])


async def _ask_together(context: Context, events: Sequence[Json]) -> Reply:
    """Name the player's later events that go with the one to undo, with a button that confirms.

    `events` are newest first, the one to undo last. Raises UserError if the player has asked for
    this undo already.
    """
    event = events[-1]
    lines = [await _quote_with_number(context, event)]
    later_events = events[:-1][::-1]
    for later in later_events[:MOST_NAMED]:
        lines.append(
            f"{await _quote_with_number(context, later)}, came after it and will be undone too."
        )
    if len(later_events) > MOST_NAMED:
        lines.append(f"{len(later_events) - MOST_NAMED} more of yours will be undone too.")
    request = await load_undo_request(context, event["number"])
    if request is not None and request["by"] == context.actor.person:
        others = await _list_players_agreeing_to_all(context, request["by"], events, list(events))
        raise _build_already_asked_error(context, others, UNDO)
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
    """Undo the events of the group, or ask the players who have to agree.

    If players have to agree but none may agree to all of the events, the reply refuses and offers
    to undo the newest alone. `group` are the events to undo and `events` all events since, both
    newest first.
    """
    game = context.ledger.game
    if all(is_free(game, actor, event) for event in group):
        return await _take_back(context, group, events)
    others = await _list_players_agreeing_to_all(context, actor.person, group, events)
    if others:
        return await _ask_for_consent(context, group, others, UNDO)
    if await _list_agreeing_players(context, actor.person, group[-1], events):
        # each event has players who may agree, but no player was there for all of them
        return await _refuse_overtaken_undo(context, group[0], group[-1]["number"])
    return await _take_back(context, group, events)


async def _list_players_agreeing_to_all(
    context: Context, requester: str, group: Sequence[Json], events: list[Json]
) -> frozenset[str]:
    """Return the players of whom one must agree to the undo of all events of the group.

    These may agree to each of its events (see `_list_agreeing_players`). Empty if nobody has to,
    and if each event has such players but no player may agree to all.
    """
    sets_of_players = [
        await _list_agreeing_players(context, requester, event, events) for event in group
    ]
    return frozenset.intersection(*sets_of_players)


async def undo_last_step(context: Context, button_event: int = 0) -> Reply:
    """Undo the player's last step, or name it and ask first.

    If the other side has asked this player to agree to an undo, this is their consent.
    `button_event` is the number of the event that the pressed button of the board was made for; 0
    if the command was typed.

    Raises UserError if the player has no step that can be undone, or has asked for this undo
    already.
    """
    game = context.need_open()
    actor = context.actor
    loaded = context.ledger.loaded
    step, events = await load_last_step(context.store, context.ledger, actor.person)
    if loaded is not None and loaded.may_be_asked:
        request = await _find_request_to_player(context, events)
        if request is not None:
            return await _answer_or_choose(context, step, request, events)
    if not step.offers:
        raise await _explain_no_undo(context, UndoTarget(way=step.barrier or step.newest), None)
    event = step.offers[0]
    if not may_ask_for_undo(game, actor, event) or not (actor.person or actor.directs):
        raise _build_stranger_error(UNDO)
    if step.certain is not None and button_event in (0, event["number"]):
        assert step.certain.event is not None
        return await _take_back_or_ask(context, actor, (step.certain.event,), events)
    return await _ask_first(context, step, events)


async def _answer_or_choose(
    context: Context, step: LastStep, request: Json, events: list[Json]
) -> Reply:
    """Agree to the open request, or ask first if the player may mean their own last step.

    That is possible if a step came after the request, or if it has been open for over an hour.
    `events` are the newest events of the game, newest first.
    """
    newest = find_newest_step(events)
    is_newest = newest is None or newest["number"] <= request["number"]
    if is_newest and context.now - request["at"] <= FRESH:
        return await consent_to_undo(context, request["event"], events)
    for event in step.offers:
        if step.is_own(event) and not is_plain_roll(event):
            return await _choose_between(context, request, event)
    return await _choose_between(context, request, None)


async def _ask_first(context: Context, step: LastStep, events: list[Json]) -> Reply:
    """Name the event that Undo would take back, privately, with a button that does it.

    If the other side has an open request for that undo, agree to it. `events` are the newest events
    of the game, newest first.

    Raises UserError if later events have changed the same units, or if the player has asked for
    this undo already.
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
    if newest is not None and is_anothers and is_step and not is_final(newest):
        later = newest["number"]
        buttons.append(context.build_button("undo", f"Undo #{later}", later))
    title = f"Undo {await _quote_with_number(context, event)}?"
    return Reply(title, tuple(lines), buttons=tuple(buttons), private=True, tone=WAITING)


async def _explain_question(context: Context, step: LastStep) -> str:
    """Explain in a sentence or two why the player might mean another event than the one found."""
    event = step.offers[0]
    newest = step.newest
    if not step.is_own(event):
        sentence = f"That is {context.ledger.get_name(event['who'])}'s step."
        if step.buried is None:
            return sentence
        own_step = await _quote_with_number(context, step.buried)
        return f"{sentence} It has to be undone before yours, {own_step}."
    if newest is event and is_plain_roll(event):
        return "That roll changed nothing in the game."
    if newest is None or newest["number"] == event["number"]:
        return "That is your last step."
    if step.is_own(newest) and is_final(newest):
        return f"Your newest step cannot be undone: {await _quote_with_number(context, newest)}."
    return f"That is your last step. {await _quote_with_number(context, newest)} came after it."


async def _choose_between(context: Context, request: Json, own_step: Json | None) -> Reply:
    """Ask if the player means the other side's request or their own last step (None: no step)."""
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


async def _refuse_overtaken_undo(context: Context, later_event: Json, number: int) -> Reply:
    """Refuse the undo of an event because `later_event` changed the game, with a button that undoes
    `later_event`.
    """
    later_number = later_event["number"]
    return Reply(
        f"#{later_number} has changed the game since #{number}: {await _describe_event(context, later_event)}",
        (f"Undo #{later_number} first.",),
        buttons=(context.build_button("undo", f"Undo #{later_number}", later_number),),
        private=True,
        error=True,
        code="not-latest",
    )


@declare_command("game redo", "Redo what was last undone")
async def redo_event(context: Context, number: int | None = None) -> Reply:
    """Redo the event that was undone last, if nothing has changed the game since.

    Events that were undone together come back together. An undo by consent is redone by consent:
    the reply is then a request to the other side.

    Raises UserError if there is nothing to redo, if `number` is given and is another event, and if
    this player may not redo it.
    """
    game = context.need_open()
    actor = context.actor
    if not game.redo:
        raise UserError(
            "Nothing to redo.",
            hint="Redo reverses your undo as long as nothing new has happened.",
            code="nothing-to-redo",
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
    for event in group if others else ():
        undo_body = find_last_turn_of(events, UNDO, event["number"])
        if undo_body is not None and undo_body.get("asked"):
            return await _ask_for_consent(context, group, others, REDO)
    return await _bring_back(context, group, events)


async def _list_undone_together(context: Context, number: int) -> tuple[int, ...]:
    """Return the numbers of the later events that were undone together with this one, oldest first.

    Empty if the game can no longer redo all of them together.
    """
    doc = await context.store.load_doc(TOGETHER, _build_request_key(context, number))
    numbers = tuple(doc.data["events"]) if doc is not None else ()
    undone = (*reversed(numbers), number)
    return numbers if context.game.redo[-len(undone) :] == undone else ()


async def _load_undone(
    context: Context, numbers: Sequence[int]
) -> tuple[tuple[Json, ...], list[Json]]:
    """Return the events with these numbers, and all events since the oldest of them, newest first.

    An event that was sealed and opened includes the changes of its opening. The first value is
    empty if one of the events is missing.
    """
    events = await _load_events_since(context, min(numbers))
    bodies = {event["number"]: event for event in events}
    if any(number not in bodies for number in numbers):
        return (), events
    return tuple(add_opening(bodies[number], events) for number in numbers), events


async def _load_events_since(context: Context, number: int) -> list[Json]:
    """Load the event with this number and all later ones, newest first."""
    return [*await context.load_recent_events(MAX_EVENTS_READ, after=number - 1)]


async def _explain_no_undo(context: Context, target: UndoTarget, number: int | None) -> UserError:
    """Return the error for an undo that is impossible.

    The reason is one of: there is nothing to undo, the event can never be undone, or a later event
    is in the way. `number` is the event that the player named, None if they named none.
    """
    event = target.event or target.way
    if context.command.where.is_own:
        hint = phrase("`/log` shows what happened.")
    else:
        hint = phrase("`/log` shows what happened; `/unit edit` corrects things by hand.")
    if event is None and number is None:
        return UserError("There is nothing to undo.", code="not-undoable")
    if event is None:
        assert number is not None
        return await _explain_missing(context, number, hint)
    if number is None:
        barrier_hint = phrase(
            "{event} cannot be undone, nor can anything before it.",
            event=await _quote_with_number(context, event),
        )
        return UserError("There is nothing to undo.", hint=barrier_hint, code="not-undoable")
    description = await _describe_event(context, event)
    if number != event["number"]:
        return UserError(
            f"#{event['number']} has changed the game since #{number}: {description}",
            hint=hint,
            code="not-latest",
        )
    words = description.removeprefix(f"#{number} ")
    return UserError(f"#{number} cannot be undone: {words}", hint=hint, code="not-undoable")


async def _explain_missing(context: Context, number: int, hint: str) -> UserError:
    """Return the error for an event that is not there: not yet, undone already, or not undoable."""
    if number > context.game.number:
        newest = f"The newest event is #{context.game.number}."
        return UserError(f"There is no #{number} yet.", hint=newest, code="not-latest")
    undone = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    redone = await find_latest_undo_or_redo(context, context.ledger, REDO, number)
    is_undone = undone is not None and (redone is None or redone["number"] < undone["number"])
    if undone is not None and is_undone:
        message = f"#{number} is already undone · {_format_author(context, undone)}"
        return UserError(message, code="not-latest")
    return UserError(f"#{number} cannot be undone.", hint=hint, code="not-latest")


async def _ask_for_consent(
    context: Context, group: Sequence[Json], others: frozenset[str], verb: str
) -> Reply:
    """Ask the other players to agree to the undo or redo, and store the request.

    If one of them has asked for the same already, agree to that request instead. The request names
    the oldest event of the group, and the other events go with it. `verb` is UNDO or REDO.

    Raises UserError if this player has asked for it already, or is unknown to the game.
    """
    ledger = context.ledger
    actor = context.actor
    event = min(group, key=lambda member: int(member["number"]))
    number = event["number"]
    if not actor.person:
        raise _build_stranger_error(verb)
    open_request = await load_undo_request(context, number)
    if open_request is not None and open_request["by"] != actor.person:
        return await consent_to_undo(context, number)
    if open_request is not None:
        raise _build_already_asked_error(context, others, verb)
    names = _format_player_names(context, others)
    command = f"/game {verb}"
    request_id = compute_tombstone(context.command.request_id)[:ID]
    owner = context.command.where.server
    until = context.now + CONSENT_KEPT
    companions = [member["number"] for member in group if member is not event]
    fields = {
        "by": actor.person,
        "event": number,
        "id": request_id,
        "what": verb,
        "number": context.game.number,
        "at": context.now,
    }
    if companions:
        fields["also"] = companions
    request = _build_request(context, fields, until)
    request.register(context)
    open_requests = await context.store.load_doc(ASKED, ledger.row)
    numbers = {number}
    if open_requests is not None:
        numbers.update(open_requests.data["events"])
    context.commit.docs.append(Doc(ASKED, ledger.row, {"events": sorted(numbers)}, until, owner))
    ledger.is_touched = True  # a cached game without open requests has to be loaded again
    context.about = request.topics[0]
    lines = await _describe_events(context, group)
    reason = f"{_explain_need_for_consent(context, event, verb)}, so {names} must agree."
    lines.append(reason + _describe_effect(group, verb))
    if await find_stand_in_reason(context, others):
        lines.append(
            "They've left or haven't been heard from for seven days, so a manager who isn't playing may agree instead."
        )
    lines.append(phrase("Press Agree or type `{typed}`.", typed=command))
    rows = [ledger.persons[person] for person in others if person in ledger.persons]
    users = sorted(row.user for row in rows if not is_imported(row))
    return Reply(
        f"{context.user_name} asks to {verb} {_format_numbers(group)}",
        tuple(lines),
        buttons=(
            context.build_button("consent", "Agree", number, request_id, style="good"),
            context.build_button("refuse", "Refuse", number, request_id),
        ),
        tone=WAITING,
        mention=await call_users(context, users),
    )


def _describe_effect(group: Iterable[Json], verb: str) -> str:
    """Return the sentence about the units that the undo or redo changes; "" if there are none."""
    units = join_names(_list_units(group))
    effect = "undo" if verb == UNDO else "redo"
    return f" That would {effect} what it did to {units}." if units else ""


async def _describe_events(context: Context, group: Sequence[Json]) -> list[str]:
    """Return a line for each event, oldest first. Several events begin with their numbers."""
    if len(group) == 1:
        return [await _describe_event(context, group[0])]
    events = sorted(group, key=lambda event: int(event["number"]))
    return [await _describe_with_number(context, event) for event in events[:MOST_NAMED]]


def _list_units(group: Iterable[Json]) -> list[str]:
    """Return the names of the units that the events changed, as they were before."""
    return list(dict.fromkeys(name for event in group for name in list_previous_names(event)))


def _say_restored(units: list[str]) -> str:
    """Return the sentence of an undo about the units that it restores."""
    return f"{join_names(units)} {'is' if len(units) == 1 else 'are'} back as before."


def _format_player_names(context: Context, persons: Iterable[str]) -> str:
    return " or ".join(sorted(context.ledger.get_name(person) for person in persons))


def _build_not_consenting_error(
    context: Context, others: Collection[str], action: str
) -> UserError:
    """Return the error for an answer to a request by a player who is not among `others`.

    `action` completes the sentence "Only Ben can ...".
    """
    names = _format_player_names(context, others) if others else "another side"
    return UserError(f"Only {names} can {action}.", code="not-yours")


def _build_already_asked_error(context: Context, others: Iterable[str], verb: str) -> UserError:
    hint = phrase("They press Agree or type `{typed}`.", typed=f"/game {verb}")
    return UserError(
        f"Already asked; waiting for {_format_player_names(context, others)}.",
        hint=hint,
        code="asked-already",
    )


def _explain_need_for_consent(context: Context, event: Json, verb: str) -> str:
    """Return the reason why another player must agree, as a clause without a full stop."""
    if verb == REDO:
        return "It was undone by agreement"
    if "seat" in event:
        return "A card from a hand was seen"
    if is_shared(event):
        return "Dice were rolled"
    return f"It was {context.ledger.get_name(event['who'])}'s action"


async def load_undo_request(context: Context, number: int) -> Json | None:
    """Load the open request about an event; None if there is none.

    Its fields: the player who asked (`by`), "undo" or "redo" (`what`), the event (`event`), the
    later events that go with it (`also`), the `id` that its buttons hold, the newest event when it
    was made (`number`), and the time in Unix seconds (`at`).
    """
    doc = await context.store.load_doc(CONSENT, _build_request_key(context, number))
    if doc is None:
        return None
    defaults = {"id": "", "what": UNDO, "event": number, "also": [], "number": number}
    return {**defaults, "at": context.now, **doc.data}


async def explain_no_request(context: Context, number: int) -> UserError:
    """Return the error for an answer to a request that is no longer open, with what came first."""
    target, _ = await find_undoable(context.store, context.ledger, number)
    hint = "It has been answered or withdrawn; a newer request has its own buttons."
    undone = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    if undone is not None and target.event is None and target.way is None:
        hint = await describe_undone_event(context, number)
    elif target.way is not None:
        hint = f"#{target.way['number']} came first: {await _describe_event(context, target.way)}"
    return UserError(f"There's no open request about #{number}.", hint=hint, code="not-asked")


async def consent_to_undo(
    context: Context, number: int, newest_events: Iterable[Json] = ()
) -> Reply:
    """Agree to the open request about an event, for the other side or as a manager in its place.

    The event is undone or redone at once. `newest_events` are newest first; empty if the caller has
    not loaded them.

    Raises UserError if no request is open, if the event can no longer be undone or redone, and for
    a player who may not agree, such as the one who asked.
    """
    game = context.need_open()
    actor = context.actor
    request = await load_undo_request(context, number)
    if request is None:
        raise await explain_no_request(context, number)
    requester = str(request["by"])
    verb = str(request["what"])
    numbers = (*request["also"], number) if verb == UNDO else (number, *request["also"])
    if verb == UNDO:
        group, events = await _load_undoable(context, numbers, newest_events)
    else:
        group, events = await _load_undone(context, numbers)
        is_next = game.redo[-len(numbers) :] == (*reversed(numbers),)
        group = group if is_next else ()
    if not group:
        raise UserError(
            f"#{number} can no longer be {'redone' if verb == REDO else 'undone'}.",
            code="not-latest",
        )
    others = await _list_players_agreeing_to_all(context, requester, group, events)
    fields: Json = {}
    may_agree = actor.person in others
    if not may_agree:
        fields = await build_stand_in_fields(context, group, requester, others, events)
        may_agree = bool(fields)
    if requester == actor.person or not may_agree:
        raise _build_not_consenting_error(context, others, "agree to this")
    await _need_untouched(context, group, verb, events)
    _close_request(context, request, agreed=True)
    if verb == UNDO:
        return await _take_back(context, group, events, requester=requester, **fields)
    return await _bring_back(context, group, events, requester=requester, **fields)


async def _load_undoable(
    context: Context, numbers: Sequence[int], newest_events: Iterable[Json]
) -> tuple[tuple[Json, ...], list[Json]]:
    """Return the events with these numbers, and all events since the oldest of them.

    `numbers` and both results are newest first. The first value is empty if one of the events
    cannot be undone in that order.
    """
    target, events = await find_undoable(context.store, context.ledger, min(numbers), newest_events)
    last = context.game.last
    group: list[Json] = []
    for number in numbers:
        undone: list[Json] = [{"kind": UNDO, "event": event["number"]} for event in group]
        target = find_undo_target([*undone, *events], last, number)
        if target.event is None:
            return (), events
        group.append(target.event)
    return tuple(group), events


async def refuse_undo(context: Context, number: int) -> Reply:
    """Refuse another player's request about an event, or withdraw the player's own.

    Raises UserError if no request is open, and for a player who may not answer it.
    """
    context.need_open()
    actor = context.actor
    request = await load_undo_request(context, number)
    if request is None:
        raise await explain_no_request(context, number)
    requester = str(request["by"])
    verb = str(request["what"])
    event = await context.load_event(number)
    if requester != actor.person:
        others = frozenset[str]()
        if event is not None:
            events = await _load_events_since(context, number)
            others = await _list_agreeing_players(context, requester, event, events)
        if actor.person not in others:
            raise _build_not_consenting_error(context, others, "refuse this")
    _close_request(context, request, agreed=False)
    outcome = "the result stays" if verb == UNDO else "it stays undone"
    names = _format_numbers([{"number": other} for other in (*request["also"], number)])
    if requester == actor.person:
        return Reply(f"{context.user_name} no longer asks to {verb} {names}", by=outcome, tone=OVER)
    advice = "Ask again after talking it over, or play on."
    return Reply(f"{context.user_name} refuses to {verb} {names}", (advice,), by=outcome, tone=OVER)


async def find_undo_question(context: Context) -> Reply | None:
    """Return the latest undo request that this player may answer, with its buttons, or None."""
    loaded = context.ledger.loaded
    if loaded is None or not loaded.may_be_asked:
        return None
    request = await _find_request_to_player(context, [])
    return await _choose_between(context, request, None) if request is not None else None


async def _find_request_to_player(context: Context, newest_events: list[Json]) -> Json | None:
    """Return the latest undo request that this player may agree to; None if there is none.

    `newest_events` are newest first.
    """
    doc = await context.store.load_doc(ASKED, context.ledger.row)
    numbers = doc.data["events"] if doc is not None else (context.game.last,)
    for number in reversed(numbers):
        request = await load_undo_request(context, number)
        if request is None or request["what"] != UNDO or request["by"] == context.actor.person:
            continue
        events = [event for event in newest_events if event["number"] >= number]
        if not events or events[-1]["number"] != number:
            events = await _load_events_since(context, number)
        if not events or events[-1]["number"] != number:
            continue
        others = await _list_agreeing_players(context, request["by"], events[-1], events)
        if context.actor.person in others:
            return request
    return None


async def _list_agreeing_players(
    context: Context, requester: str, event: Json, events: list[Json]
) -> frozenset[str]:
    """Return the players who may agree to `requester`'s undo or redo of `event`.

    These are the other side's players who were there when it happened. The author of the event
    alone has to agree if it had no dice, or if nobody else could, unless they have left or been
    silent for seven days. `events` are the event and those since, newest first.
    """
    others = await _find_consenters(context, requester, event, events)
    author = find_author_to_ask(
        context.game, event, requester, context.ledger.list_present_persons(), others
    )
    if author and not await find_stand_in_reason(context, {author}):
        return frozenset({author})
    return others


async def _find_consenters(
    context: Context, requester: str, event: Json, events: list[Json]
) -> frozenset[str]:
    """Return the players of the other side who may agree.

    In a game without sides, players who first acted after the event have no say. `events` are the
    event and those since, newest first.
    """
    game = context.game
    number = event["number"]
    persons = context.ledger.list_present_persons()
    if not game.sides and number != game.last:
        acted_later = {later["who"] for later in events if later["number"] > number}
        newcomers = persons & acted_later - {event["who"]}
        if newcomers:
            earlier_events = await context.load_recent_events(MAX_EVENTS_READ, before=number)
            persons -= newcomers - {earlier["who"] for earlier in earlier_events}
    return consenters(game_at(events, game, number), requester, persons, event)


async def _explain_consent(
    context: Context, event: Json, asker: str, events: list[Json], fields: Json
) -> Json:
    """Return the fields of an undo or redo event that say who agreed, or why nobody had to.

    `asker` is the player who asked for consent, "" if nobody did. `fields` are those about a manager
    who agreed for others; {} if none did.
    """
    game = context.game
    person = context.ledger.ensure_person()
    if not asker and is_free(game, context.actor, event):
        return {"by": "manager"} if needs_manager(game, event, person) else {}
    requester = asker or person
    others = await _find_consenters(context, requester, event, events)
    author = find_author_to_ask(
        game, event, requester, context.ledger.list_present_persons(), others
    )
    absent = {author} - {"", person}
    if fields:
        absent |= others
    consent_fields = dict(fields)
    if not asker:
        consent_fields["alone"] = True
    reason = await find_stand_in_reason(context, absent) if absent else ""
    if reason:
        consent_fields["reason"] = reason
    return consent_fields


def _build_request(context: Context, request: Json, expires: float | None = None) -> PendingRequest:
    doc = Doc(
        CONSENT,
        _build_request_key(context, request["event"]),
        request,
        expires,
        context.command.where.server,
    )
    return PendingRequest(doc, (context.build_topic(f"asked-{request['id']}"),))


def _close_request(context: Context, consent_request: Json, *, agreed: bool) -> None:
    """Close an answered request. Its message becomes the answer."""
    request = _build_request(context, consent_request)
    request.close(context)
    change = build_answered_rewording(context.ledger.next_number) if agreed else None
    context.amendments.append(Amendment(request.topics[0], change_if_separate=change))


async def _describe_event(context: Context, event: Json) -> str:
    """Return the first line of the event's answer while it is stored, else its line in the log.

    For a sequence the log's line is the stored text of its answer, so that nothing is replayed.
    """
    ledger = context.ledger
    number = event["number"]
    is_opened = event["kind"] == "sealed" and number not in context.game.sealed
    if is_opened:
        event = await load_event_body(context.store, ledger.row, context.game, number) or event
    else:
        answer = await context.load_answer(number)
        if answer is not None:
            return answer.first_line
        if event["kind"] == "sequence":
            texts = await context.load_texts(number)
            if SAID in texts:
                return fill_marks(
                    texts[SAID], ledger.get_name, lambda _, key: texts.get(key, DELETED)
                )
    card_text = ""
    if event["kind"] in (*CARDS, "pass"):
        names = get_card_names(context.game, context.system)
        if names:
            card_text = collect_event_texts([event], (), (), names).get(number, "")
    return format_log_line(event, ledger.systems, ledger.get_name, card_text, context.game.sides)


async def _describe_with_number(context: Context, event: Json) -> str:
    """Return an event's number and description as a line: `#6 anna removes Able`."""
    number = event["number"]
    words = (await _describe_event(context, event)).removeprefix(f"#{number} ")
    return f"#{number} {words}"


async def _quote_with_number(context: Context, event: Json) -> str:
    """Return an event's number and description as a quotation: `#6, "anna removes Able"`."""
    number = event["number"]
    words = (await _describe_event(context, event)).removeprefix(f"#{number} ")
    return f'#{number}, "{words}"'


async def _take_back(
    context: Context,
    group: Sequence[Json],
    events: list[Json],
    *,
    requester: str = "",
    **fields: Any,
) -> Reply:
    """Undo the events of the group, and build the answer.

    `group` and `events`, all events since, are newest first. `requester` is the player who asked
    for consent, "" if nobody did. `fields` are those about a manager who agreed for others.
    """
    ledger = context.ledger
    game_before = context.game
    descriptions = await _describe_events(context, group)
    for event in group:
        consent_fields = await _explain_consent(context, event, requester, events, fields)
        target, events = await find_undoable(context.store, ledger, event["number"], events)
        if is_remembered(event):
            await save_seen_cards(context, event)
        undone = build_undo_fields(event, target.last, context.game)
        body = ledger.add(UNDO, asked=requester, **consent_fields, **undone)
        context.amendments += await list_undo_amendments(context, body, event, events)
        events = [body, *events]
    units = _list_units(group)
    restored = [_say_restored(units)] if units else []
    for event in group:
        restored += await _explain_choice(context, event)
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
        (*descriptions, *restored),
        buttons=(context.build_button("redo", "Redo", oldest),),
        by=_format_author(context, body),
        tone=OVER,
    )
    return await _add_side_to_play(context, game_before, reply)


async def _explain_choice(context: Context, event: Json) -> list[str]:
    """Return the lines about what the undo of a choice takes back, and what it leaves."""
    if not is_continuation(event):
        return []
    lines = ["That takes back the whole shot: roll it again."]
    rows = await context.store.load_events_at(context.ledger.row, [event["event"]])
    if any(row.data.get("after") for row in rows):
        lines.append(
            phrase(
                "What changed before the question, such as where its cards went, stays. "
                "Another `/game undo` takes that back."
            )
        )
    return lines


async def _add_side_to_play(context: Context, game_before: Game, reply: Reply) -> Reply:
    """Add the side to play to the answer if it has changed, and mention that side's players."""
    game = context.game
    if game.go == game_before.go or not game.go:
        return reply
    lines = (*reply.lines, f"Now: {describe_whose_go(game)}.")
    return replace(reply, lines=lines, mention=await call_sides(context, game, game.go))


def _format_author(context: Context, event: Mapping[str, Any]) -> str:
    """Return the names of the player who undid or redid something and of the one who agreed."""
    name = context.ledger.get_name(event["who"])
    requester_id = event.get("asked")
    as_manager = " as manager" if event.get("by") else ""
    if requester_id:
        return f"{context.ledger.get_name(requester_id)} asked, {name} agreed{as_manager}"
    return name + as_manager


async def _bring_back(
    context: Context,
    group: Sequence[Json],
    events: list[Json],
    *,
    requester: str = "",
    **fields: Any,
) -> Reply:
    """Redo the events of the group, oldest first, and build the answer.

    `events` are all events since, newest first. `requester` is the player who asked for consent, ""
    if nobody did. `fields` are those about a manager who agreed for others.
    """
    ledger = context.ledger
    game_before = context.game
    for event in group:
        if requester:
            fields = await _explain_consent(context, event, requester, events, fields)
        body = ledger.add(REDO, asked=requester, **fields, **build_redo_fields(event, context.game))
        context.amendments += await list_undo_amendments(context, body, event, events)
        events = [body, *events]
    descriptions = await _describe_events(context, group)
    title = f"{_format_numbers(group)} {'are' if group[1:] else 'is'} back"
    return await _add_side_to_play(
        context, game_before, Reply(title, tuple(descriptions), by=_format_author(context, body))
    )


async def describe_undone_event(context: Context, number: int) -> str:
    """Say that the event with this number is undone, and by whom if the log still shows it."""
    event = await find_latest_undo_or_redo(context, context.ledger, UNDO, number)
    if event is None:
        return f"#{number} is undone."
    return f"#{number} is undone · {_format_author(context, event)}"


async def _need_untouched(
    context: Context, group: Sequence[Json], verb: str, events: list[Json]
) -> None:
    """Raise UserError if an event outside the group has since changed what the group changed.

    `group` is in the order in which it is undone or redone. `events` are those since, newest first.
    `verb` is UNDO or REDO.
    """
    game = context.game
    is_undo = verb == UNDO
    for event in group:
        changed_names = find_changed_since(game, event, "after" if is_undo else "before")
        if changed_names:
            raise await _explain_change(context, event, verb, events, changed_names)
        fields = build_undo_fields(event, 0, game) if is_undo else build_redo_fields(event, game)
        game = apply_patch(game, fields.get("after") or {})


async def _explain_change(
    context: Context, event: Json, verb: str, events: list[Json], changed_names: list[str]
) -> UserError:
    """Return the error that names the later event which changed what `event` changed.

    It has a button that undoes the later event, if that is possible. `changed_names` are the units
    and other items in question; `events` are those since, newest first.
    """
    number = event["number"]
    since = (find_opening(event, events) or event)["number"]
    written = {*list_written(event)}
    later_event = None
    for candidate in events:
        is_later = candidate["number"] > since and candidate["kind"] not in (UNDO, REDO)
        if is_later and not written.isdisjoint(list_written(candidate)):
            later_event = candidate
            break
    names = ", ".join(changed_names)
    hint = "" if context.command.where.is_own else BY_HAND
    if later_event is None:
        return UserError(f"{names} changed since #{number}.", hint=hint, code="not-undoable")
    description = await _describe_event(context, later_event)
    message = f"#{later_event['number']} has changed {names} since #{number}: {description}"
    error = UserError(message, hint=hint, code="not-undoable")
    opened = later_event.get("opens")
    # the opening of a sealed roll is undone by the number of that roll
    number_to_undo = opened[0] if opened else later_event["number"]
    stays = is_final(later_event) and not opened
    if verb == UNDO and not stays:
        error.hint = f"Undo #{number_to_undo} first."
        error.buttons = (context.build_button("undo", f"Undo #{number_to_undo}", number_to_undo),)
    return error


def _build_stranger_error(verb: str) -> UserError:
    return UserError(
        f"Only players of this game can {verb}.",
        hint=phrase("`/game join` makes you a player."),
        code="not-player",
    )


def _build_request_key(context: Context, number: int) -> str:
    return f"{context.ledger.row}:{number}"


async def build_stand_in_fields(
    context: Context,
    group: Sequence[Json],
    requester: str,
    others: frozenset[str],
    events: list[Json],
) -> Json:
    """Return the event fields about a manager who agrees in the place of `others`.

    {} if this user may not do so. `events` are those since the group, newest first.
    """
    game = context.game
    person = context.ledger.ensure_person() if await manages_game_channel(context) else ""
    if not person or not others:
        return {}
    for event in group:
        game_then = game_at(events, game, event["number"])
        if not may_stand_in(game, game_then, person, requester, event):
            return {}
    reason = await find_stand_in_reason(context, others)
    return {"by": "manager", "reason": reason} if reason else {}


async def manages_game_channel(context: Context) -> bool:
    """Return True if the user manages the server that decides about this game.

    For a game in several channels, that is the server in which it began; else that of this channel.
    False in the console and in private messages, where nobody manages.
    """
    channel = context.command.where
    if not context.command.who.manager or not channel.server or channel.owner:
        return False
    if channel.key.startswith("console:"):
        return False
    if len(context.ledger.places) < 2:
        return True
    home = await context.store.load_doc(HOME, context.ledger.row)
    return home is not None and get_server_key(str(home.data["place"])) == channel.server


async def find_stand_in_reason(context: Context, others: Iterable[str]) -> str:
    """Return the reason why none of `others` can agree: SILENCE, LEFT, or "" if one of them can.

    SILENCE means no event of theirs in the log for seven days. LEFT means that each of those who
    were heard in that time has left the game's channel, as the platform reports, or that their data
    was deleted.
    """
    silent_before = context.now - SILENT
    oldest = None
    recent = list[Json]()
    while rows := await context.store.load_events(
        context.ledger.row, before=oldest, limit=PAGE, newest_first=True
    ):
        recent += [row.data for row in rows]
        oldest = rows[-1].number
        if rows[-1].data["at"] <= silent_before or len(rows) < PAGE:
            break
    recent.reverse()
    heard = {person for person in others if not are_silent(recent, [person], context.now)}
    if not heard:
        return SILENCE
    have_left = await asyncio.gather(*(_has_left(context, person) for person in heard))
    return LEFT if all(have_left) else ""


async def _has_left(context: Context, person: str) -> bool:
    """Return True if the platform says that a player is no longer in the channel of the game.

    Also if their data was deleted. False if the platform does not answer in time.
    """
    row = context.ledger.persons.get(person)
    if row is None:
        return True  # their data was deleted: nobody will answer for them
    if is_imported(row):
        return False
    channel = await find_channel_of_user(context, row.user)
    return await has_left_channel(context, row.user, channel)
