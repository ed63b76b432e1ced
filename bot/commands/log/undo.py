"""`/game undo` and `/game redo`: a player's last step is taken back, with the other side's consent
if it had dice.

If that is not the newest event, or might not be what the player expects, they are asked first. A
manager who plays no side may agree for the other side if that has left, or has been silent for
seven days.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bot.answers.events import CARDS, texts_of, told_event
from bot.commands.context import Amendment, Context, server_of
from bot.commands.log.answer_footer import answered, latest, turned
from bot.commands.piles import keep_seen
from bot.commands.requests import Request
from bot.commands.turns.mentions import call, call_sides, place_of
from bot.game.decks import card_names
from bot.game.events import NEVER_UNDONE, held_before, is_shared
from bot.game.loaded import is_imported
from bot.game.phases import whose_go
from bot.game.state import Actor, Game, Json, is_guarded
from bot.game.undo import (
    LEFT,
    MOST,
    SILENCE,
    SILENT,
    Found,
    LastStep,
    are_silent,
    author_agrees,
    consenters,
    find_undoable,
    is_free,
    is_plain_roll,
    is_remembered,
    load_last_step,
    may_ask,
    may_stand_in,
    names_touched,
    redo_fields,
    then,
    turn_of,
    undo_fields,
)
from bot.interface.reply.reply import OVER, WAITING, Reply
from bot.rules.errors import UserError
from bot.rules.proof.chain import DELETED, SAID, filled
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc, tombstone

CONSENT, ASKED = "consent", "consent-asked"
CONSENT_KEPT = 30 * DAY
ID = 10
"""Digits that tell one request from another about the same event."""
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


async def undo(context: Context, number: int | None = None) -> Reply:
    """Undo the event with this number, or the last step of whoever asks. Raises UserError.

    Dice need the consent of the other side, which is asked for.
    """
    if number is None:
        return await undo_last_step(context)
    game = context.need_open()
    actor = context.actor
    found, events = await find_undoable(context.store, context.ledger, number)
    event = found.event
    way = found.way
    if (
        event is None
        and way is not None
        and way["kind"] not in NEVER_UNDONE
        and may_ask(game, actor, way)
    ):
        return await _name_what_came_since(context, way, number)
    if event is None or event["kind"] in NEVER_UNDONE:
        raise await _not_undoable(context, found, number)
    if not may_ask(game, actor, event):
        raise _no_part(UNDO)
    await _need_untouched(context, event, UNDO, events)
    return await _take_back_or_ask(context, actor, event, found.last, events)


async def _take_back_or_ask(
    context: Context, actor: Actor, event: Json, last: int, events: list[Json]
) -> Reply:
    """Take the event back, or ask whoever has to agree. `events` are those since, newest first."""
    if is_free(context.ledger.game, actor, event):
        return await _take_back(context, event, last, events)
    others = await _others(context, actor.person, event, events)
    if not others:
        return await _take_back(context, event, last, events, alone=True)
    return await _ask(context, event, others, UNDO)


async def undo_last_step(context: Context, shown: int = 0) -> Reply:
    """Undo the last step of whoever asks, or name it and ask first. Raises UserError.

    `shown` is the event that the pressed button of the board was made for; 0 if the command was
    typed. If the other side has asked this player to agree to an undo, this is their consent.
    """
    game = context.need_open()
    actor = context.actor
    was = context.ledger.was
    step, read = await load_last_step(context.store, context.ledger, actor.person)
    if was is not None and was.may_be_asked and (asked := await _asked_of(context, read)):
        is_newer = step.certain is not None and step.offers[0]["number"] > asked
        if is_newer and not is_plain_roll(step.offers[0]):
            return await _choose_between(context, asked, step.offers[0])
        return await consent(context, asked, read)
    if not step.offers:
        raise await _not_undoable(context, Found(way=step.way or step.newest), None)
    event = step.offers[0]
    if not may_ask(game, actor, event) or not (actor.person or actor.directs):
        raise _no_part(UNDO)
    if step.certain is not None and shown in (0, event["number"]):
        return await _take_back_or_ask(context, actor, event, step.certain.last, read)
    return await _ask_first(context, step, read)


async def _ask_first(context: Context, step: LastStep, events: list[Json]) -> Reply:
    """Name the event that Undo would take back, privately, with a button that does it. Raises
    UserError.

    `events` are those since, newest first.
    """
    event, *others = step.offers
    number = event["number"]
    await _need_untouched(context, event, UNDO, events)
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
    title = f"Undo {await _named(context, event)}?"
    return Reply(title, tuple(lines), buttons=tuple(buttons), private=True, tone=WAITING)


async def _why_asked_first(context: Context, step: LastStep) -> str:
    """Say in a sentence or two why the event that Undo found might not be the one that is meant."""
    event = step.offers[0]
    newest = step.newest
    if not step.is_own(event):
        yours = (
            f" Yours, {await _named(context, step.buried)}, came before it."
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


async def _choose_between(context: Context, asked: int, event: Json) -> Reply:
    """Ask whether Undo means the other side's request or the player's own newer step."""
    request = await pending(context, asked)
    wanted = await context.event(asked)
    assert request is not None
    assert wanted is not None
    number = event["number"]
    name = context.ledger.name_of(str(request["by"]))
    return Reply(
        f"Undo {await _named(context, event)}?",
        (f"{name} asks to undo {await _named(context, wanted)}.",),
        buttons=(
            context.button("undo", f"Undo #{number}", number),
            context.button(
                "consent", f"Agree to undo #{asked}", asked, request["id"], style="good"
            ),
        ),
        private=True,
        tone=WAITING,
    )


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

    What was taken back by consent comes back by consent. Raises UserError.
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
    event = await context.event(game.redo[-1])
    if event is None or not may_ask(game, actor, event):
        raise _no_part(REDO)
    events = await _since(context, event["number"])
    await _need_untouched(context, event, REDO, events)
    undone = turn_of(events, UNDO, event["number"])
    others = await _others(context, actor.person, event, events)
    if undone is not None and undone.get("asked") and others:
        return await _ask(context, event, others, REDO)
    return await _bring_back(context, event, events)


async def _since(context: Context, number: int) -> list[Json]:
    """The events since the one with this number, and that one, newest first."""
    return [*await context.recent(MOST, after=number - 1)]


async def _not_undoable(context: Context, found: Found, number: int | None) -> UserError:
    """Say why nothing is undone: there is nothing, the event can never be undone, or a later one
    is in the way.
    """
    event = found.event or found.way
    shows = phrase("`/log` shows what happened; `/unit edit` sets things right by hand.")
    if event is None and number is None:
        return UserError("There is nothing to undo.", code="not-undoable")
    if event is None:
        return UserError(f"#{number} cannot be undone.", hint=shows, code="not-latest")
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


async def _ask(context: Context, event: Json, others: frozenset[str], what: str) -> Reply:
    """Ask the others; where one of them has asked for the same, this is their consent."""
    ledger = context.ledger
    actor = context.actor
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
    request = _request(
        context, {"by": actor.person, "event": number, "id": id, "what": what}, until
    )
    request.ask(context)
    known = await context.store.doc(ASKED, ledger.row)
    numbers = [*(known.data["events"] if known is not None else ()), number]
    context.commit.docs.append(
        Doc(ASKED, ledger.row, {"events": sorted(set(numbers))}, until, owner)
    )
    ledger.is_touched = True  # who knows the game as one in which nobody has asked reads it anew
    context.about = request.topics[0]
    rows = [row for person in others if (row := ledger.persons.get(person)) is not None]
    lines = [await _told(context, event), f"{_why(context, event, what)}, so {names} must agree."]
    if units := joined(held_before(event)):
        lines[1] += (
            f" If so, what it did to {units} is {'taken back' if what == UNDO else 'done again'}."
        )
    if await reason_to_stand_in(context, others):
        lines.append(
            "They have left or been silent for seven days, so a manager who plays no side may agree instead."
        )
    lines.append(phrase("Press Agree or type `{typed}`.", typed=typed))
    return Reply(
        f"{context.who} asks to {what} #{number}",
        tuple(lines),
        buttons=(
            context.button("consent", "Agree", number, id, style="good"),
            context.button("refuse", "Refuse", number, id),
        ),
        tone=WAITING,
        mention=await call(context, sorted(row.user for row in rows if not is_imported(row))),
    )


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
    """The open request about an event: who asked (`by`), for `what`, and the `id` that its
    buttons name.
    """
    found = await context.store.doc(CONSENT, _key(context, number))
    return {"id": "", "what": UNDO, "event": number, **found.data} if found is not None else None


async def not_asked(context: Context, number: int) -> UserError:
    """Why there is nothing to agree to, or to refuse: what came first."""
    found, _ = await find_undoable(context.store, context.ledger, number)
    hint = "It was answered or withdrawn; a later one has buttons of its own."
    if number in context.game.redo:
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
    found = Found()
    if what == UNDO:
        found, events = await find_undoable(context.store, context.ledger, number, read)
        event = found.event
    else:
        event = await context.event(number)
        events = await _since(context, number)
    if event is None or (what == REDO and game.redo[-1:] != (number,)):
        raise UserError(
            f"#{number} can no longer be {'redone' if what == REDO else 'undone'}.",
            code="not-latest",
        )
    others = await _others(context, by, event, events)
    fields = {} if actor.person in others else await stands_in(context, event, by, others, events)
    if by == actor.person or not (actor.person in others or fields):
        raise UserError("This needs the consent of another side.", code="not-yours")
    await _need_untouched(context, event, what, events)
    _settle(context, asked, agreed=True)
    if what == UNDO:
        return await _take_back(context, event, found.last, events, asked=by, **fields)
    return await _bring_back(context, event, events, asked=by, **fields)


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
    if by == actor.person:
        return Reply(f"{context.who} no longer asks to {what} #{number}", by=stays, tone=OVER)
    again = "Ask again after talking it over, or play on."
    return Reply(f"{context.who} refuses to {what} #{number}", (again,), by=stays, tone=OVER)


async def _asked_of(context: Context, read: list[Json]) -> int:
    """Return the event that somebody asked whoever types to take back; 0 for none.

    `read` are the newest events, newest first.
    """
    doc = await context.store.doc(ASKED, context.ledger.row)
    for number in reversed(doc.data["events"] if doc is not None else ()):
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
            return int(number)
    return 0


async def _others(context: Context, by: str, event: Json, events: list[Json]) -> frozenset[str]:
    """Return the players who may agree to what `by` asked for: those who were there when it fell.

    An event without dice is for the player who caused it to give up, and so is one that nobody else
    could agree about, as long as that player is there. `events` are those since, newest first.
    """
    game = context.game
    number = event["number"]
    persons = context.ledger.present()
    author = event["who"]
    has_author = author != by and author in persons
    if has_author and is_guarded(game):
        has_author = author in game.players or author == game.master
    if not game.sides and number != game.last:
        newcomers = persons & {later["who"] for later in events if later["number"] > number} - {
            author
        }
        if newcomers:
            earlier = await context.recent(MOST, before=number)
            persons -= newcomers - {before["who"] for before in earlier}
    others = consenters(then(events, game, number), by, persons, event)
    if has_author and author_agrees(event, others):
        is_gone = bool(await reason_to_stand_in(context, {author}))
        return others if is_gone else frozenset({author})
    return others


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
    if (said := await context.answer(number)) is not None:
        return said.first
    if event["kind"] == "sequence" and SAID in (texts := await context.texts(number)):
        return filled(texts[SAID], ledger.name_of, lambda _, key: texts.get(key, DELETED))
    names = card_names(context.game, context.system) if event["kind"] in (*CARDS, "pass") else {}
    named = texts_of([event], (), (), names).get(number, "") if names else ""
    return told_event(event, ledger.name_of, named, context.game.sides)


async def _named(context: Context, event: Json) -> str:
    """Return number and words of an event: `#6, "anna removes Able"`."""
    number = event["number"]
    words = (await _told(context, event)).removeprefix(f"#{number} ")
    return f'#{number}, "{words}"'


async def _take_back(
    context: Context, event: Json, last: int, events: list[Json], *, asked: str = "", **fields: Any
) -> Reply:
    """The event taken back, and the answer; `events` are those since, newest first."""
    ledger = context.ledger
    number = event["number"]
    was = context.game
    told = await _told(context, event)
    if is_remembered(event):
        await keep_seen(context, event)
    units = joined(held_before(event))
    body = ledger.add(UNDO, asked=asked, **fields, **undo_fields(event, last, was))
    context.amends += await turned(context, body, event, events)
    as_before = (f"As before: {units}.",) if units else ()
    if event["kind"] == "choice":
        rows = await context.store.events_at(context.ledger.row, [event["event"]])
        more = phrase(
            "What changed before it was asked, such as where its cards went, stays: `/game undo` once more."
        )
        changed = (more,) if any(row.data.get("after") for row in rows) else ()
        as_before = (*as_before, "The whole shot is taken back with it: roll anew.", *changed)
    reply = Reply(
        f"#{number} is undone",
        (told, *as_before),
        buttons=(context.button("redo", "Redo", number),),
        by=_by(context, body),
        tone=OVER,
    )
    return await _with_go(context, was, reply)


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
    return f"{context.ledger.name_of(asked)} asked, {who} agreed{as_manager}" if asked else who


async def _bring_back(
    context: Context, event: Json, events: list[Json], *, asked: str = "", **fields: Any
) -> Reply:
    ledger = context.ledger
    number = event["number"]
    was = context.game
    body = ledger.add(REDO, asked=asked, **fields, **redo_fields(event))
    context.amends += await turned(context, body, event, events)
    told = await _told(context, event)
    return await _with_go(context, was, Reply(f"#{number} is back", (told,), by=_by(context, body)))


async def told_undone(context: Context, number: int) -> str:
    """Who took back the event with this number, which is undone now."""
    event = await latest(context, context.ledger, UNDO, number)
    return (
        f"#{number} is undone." if event is None else f"#{number} is undone · {_by(context, event)}"
    )


async def _need_untouched(
    context: Context, event: Mapping[str, Any], what: str, events: list[Json]
) -> None:
    """Raise UserError where something since then changed what is to be undone or redone.
    `events`: newest first.
    """
    patch = event.get("after" if what == UNDO else "before") or {}
    number = event["number"]
    touched = names_touched(context.game, event, patch, events)
    if not touched:
        return
    keys = _keys(patch)
    since = (one for one in events if one["number"] > number and one["kind"] not in (UNDO, REDO))
    by = next(
        (one for one in since if number in one.get("opens", ()) or keys & _keys(one.get("after"))),
        None,
    )
    raise UserError(
        f"#{by['number'] if by is not None else number} has changed {', '.join(touched)} since #{number}"
        + (f": {await _told(context, by)}" if by is not None else "."),
        hint=BY_HAND,
        code="not-undoable",
    )


def _keys(patch: Json | None) -> set[str]:
    return {key for part in ("units", "cards", "game") for key in (patch or {}).get(part, ())}


def _no_part(what: str) -> UserError:
    return UserError(
        f"Only players of this game can {what}.",
        hint=phrase("`/game join` makes you a player."),
        code="not-player",
    )


def _key(context: Context, number: int) -> str:
    return f"{context.ledger.row}:{number}"


async def stands_in(
    context: Context, event: Json, asked: str, others: frozenset[str], events: list[Json]
) -> Json:
    """What the event says of a manager who agrees in the place of `others`; {} where they may not.
    `events` are those since, newest first."""
    game = context.game
    person = context.ledger.person() if await manages(context) else ""
    if not person or not may_stand_in(
        game, then(events, game, event["number"]), person, asked, event
    ):
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
