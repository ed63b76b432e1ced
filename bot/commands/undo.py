"""`/game undo` and `redo`: the latest event is taken back, with the other side's consent where dice were rolled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.commands.amending import Amendment, answered
from bot.commands.calling import call, call_sides
from bot.commands.context import Context
from bot.game.phases import whose_go
from bot.game.rights import Actor
from bot.game.roster import changed_names
from bot.game.state import Game, Json
from bot.game.undo import changed_since, consenters, is_free, may_ask, need_undoable, redo_fields, undo_fields
from bot.interface.reply import Reply
from bot.interface.tone import OVER, WAITING
from bot.play.retold import told_event
from bot.rules.errors import UserError
from bot.rules.names import joined
from bot.rules.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc, tombstone

CONSENT = "consent"
CONSENT_KEPT = 30 * DAY
LOOK_BACK = 200
ID = 10
"""Digits that tell one request from another about the same event."""
UNDO, REDO = "undo", "redo"


async def undo(context: Context, number: int | None = None) -> Reply:
    """Take back the last event (which must be `number`, if given); dice need consent, which is asked for."""
    game = context.need_open()
    last, actor = game.last, context.actor
    if number is not None and number != last:
        raise UserError(
            f"#{last} is the latest event, not #{number}.", hint=phrase("`/log` shows them."), code="not-latest"
        )
    event = await read_event(context, last)
    need_undoable(event, last)
    assert event is not None
    if not may_ask(game, actor, event):
        raise _no_part(UNDO)
    await _need_untouched(context, event, UNDO)
    if is_free(actor, event):
        return await _take_back(context, event)
    others = consenters(game, actor, context.ledger.present(), event)
    if not others:
        return await _take_back(context, event, alone=True)
    return await _ask(context, event, others, UNDO)


async def redo(context: Context, number: int | None = None) -> Reply:
    """Redo what was undone last (which must be `number`, if given), if nothing happened since.

    What was taken back by consent comes back by consent.
    """
    game, actor = context.need_open(), context.actor
    if not game.redo:
        raise UserError("Nothing to redo.", hint="Something new has happened since.", code="nothing-to-redo")
    if number is not None and number != game.redo[-1]:
        raise UserError(
            f"#{game.redo[-1]} was undone last, not #{number}.", hint=phrase("`/log` shows them."), code="not-latest"
        )
    event = await read_event(context, game.redo[-1])
    if event is None or not may_ask(game, actor, event):
        raise _no_part(REDO)
    await _need_untouched(context, event, REDO)
    undone = await latest(context, UNDO, event["number"])
    others = consenters(game, actor, context.ledger.present(), event)
    if undone is not None and undone.get("asked") and others:
        return await _ask(context, event, others, REDO)
    return await _bring_back(context, event)


async def _ask(context: Context, event: Json, others: frozenset[str], what: str) -> Reply:
    """Ask the others; where one of them has asked for the same, this is their consent."""
    ledger, actor, number = context.ledger, context.actor, event["number"]
    if not actor.person:
        raise _no_part(what)
    asked = await pending(context, number)
    if asked is not None and asked["by"] != actor.person:
        return await consent(context, number)
    names = " or ".join(sorted(ledger.name_of(person) for person in others))
    typed = f"/game {what}"
    if asked is not None:
        raise UserError(
            f"Already asked; waiting for {names}.",
            hint=phrase("They press Agree or type `{typed}`.", typed=typed),
            code="asked-already",
        )
    id = tombstone(context.command.request_id)[:ID]
    data = {"by": actor.person, "event": number, "id": id, "what": what}
    context.docs.append(
        Doc(CONSENT, _key(context, number), data, context.now + CONSENT_KEPT, context.command.where.server)
    )
    ledger.is_touched = True  # who knows the game as one in which nobody has asked reads it anew
    context.about = _topic(context, id)
    rows = [ledger.persons[person] for person in others]
    lines = [
        await _told(context, event),
        f"{'Dice were rolled' if what == UNDO else 'It was undone by agreement'}, so {names} must agree.",
    ]
    if units := joined(changed_names(event.get("before") or {}, event.get("after") or {})):
        lines[1] += f" If so, back {'to before' if what == UNDO else 'to after'} it: {units}."
    lines.append(phrase("Press Agree or type `{typed}`.", typed=typed))
    return Reply(
        f"{context.who} asks to {what} #{number}",
        tuple(lines),
        buttons=(
            context.button("consent", "Agree", number, id, style="good"),
            context.button("refuse", "Refuse", number, id),
        ),
        tone=WAITING,
        mention=await call(context, sorted(row.user for row in rows if not row.is_imported)),
    )


async def pending(context: Context, number: int) -> Json | None:
    """The open request about an event: who asked (`by`), for `what`, and the `id` that its buttons name."""
    found = await context.store.doc(CONSENT, _key(context, number))
    return {"id": "", "what": UNDO, **found.data} if found is not None else None


def not_asked(number: int) -> UserError:
    """Why there is nothing to agree to, or to refuse."""
    return UserError(
        f"There is no open request about #{number}.",
        hint="It was answered or withdrawn; a later one has buttons of its own.",
        code="not-asked",
    )


async def consent(context: Context, number: int) -> Reply:
    """Agree to what another asked for."""
    game, actor = context.need_open(), context.actor
    asked = await pending(context, number)
    if asked is None:
        raise not_asked(number)
    by, what = str(asked["by"]), str(asked["what"])
    if number != (game.last if what == UNDO else game.redo[-1] if game.redo else 0):
        raise UserError(f"#{number} is no longer the latest event, so it stays.", code="not-latest")
    event = await read_event(context, number)
    need_undoable(event, number)
    assert event is not None
    if by == actor.person or actor.person not in _others(context, by, event):
        raise UserError("This needs the consent of another side.", code="not-yours")
    await _need_untouched(context, event, what)
    _settle(context, number, asked, agreed=True)
    return await (_take_back if what == UNDO else _bring_back)(context, event, asked=by)


async def refuse(context: Context, number: int) -> Reply:
    """Refuse what another asked for, or withdraw one's own request."""
    context.need_open()
    actor = context.actor
    asked = await pending(context, number)
    if asked is None:
        raise not_asked(number)
    by, what = str(asked["by"]), str(asked["what"])
    event = await read_event(context, number)
    if by != actor.person and (event is None or actor.person not in _others(context, by, event)):
        raise UserError("Only another side can refuse.", code="not-yours")
    _settle(context, number, asked, agreed=False)
    stays = "the result stays" if what == UNDO else "it stays undone"
    if by == actor.person:
        return Reply(f"{context.who} no longer asks to {what} #{number}", by=stays, tone=OVER)
    again = "Ask again after talking it over, or play on."
    return Reply(f"{context.who} refuses to {what} #{number}", (again,), by=stays, tone=OVER)


def _others(context: Context, by: str, event: Json) -> frozenset[str]:
    """Who may agree to what `by` asked for."""
    game = context.game
    asker = Actor(by, game.players.get(by, ""), directs=False)
    return consenters(game, asker, context.ledger.present(), event)


def _settle(context: Context, number: int, asked: Json, *, agreed: bool) -> None:
    """The request is answered: its message becomes the answer."""
    context.drop_docs.append((CONSENT, _key(context, number)))
    beside = answered(context.ledger.next_number) if agreed else None
    context.amends.append(Amendment(_topic(context, asked["id"]), beside=beside))


async def _told(context: Context, event: Json) -> str:
    """The first line of what was answered to the event, while that is kept; then what the log says of it."""
    shown = await context.store.shown(context.topic(event["number"]))
    if shown.reply is None:
        return told_event(event, context.ledger.name_of, sides=context.game.sides)
    said = Reply.from_json(shown.reply)
    return (said.announce or said).first


def _topic(context: Context, id: str) -> str:
    return context.topic(f"asked-{id}")


async def _take_back(context: Context, event: Json, *, asked: str = "", alone: bool = False) -> Reply:
    ledger, number = context.ledger, event["number"]
    told, was = await _told(context, event), context.game
    ledger.add(UNDO, asked=asked, alone=alone, **undo_fields(event))
    asker = ledger.name_of(asked) if asked else ""
    units = joined(changed_names(event.get("before") or {}, event.get("after") or {}))
    as_before = (f"As before: {units}.",) if units else ()
    reply = Reply(
        f"#{number} is undone",
        (told, *as_before),
        buttons=(context.button("redo", "Redo", number),),
        by=_by(context.who, asker),
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


def _by(who: str, asker: str) -> str:
    return f"{asker} asked, {who} agreed" if asker else who


async def _bring_back(context: Context, event: Json, *, asked: str = "") -> Reply:
    ledger, number, was = context.ledger, event["number"], context.game
    ledger.add(REDO, asked=asked, **redo_fields(event))
    asker = ledger.name_of(asked) if asked else ""
    told = await _told(context, event)
    return await _with_go(context, was, Reply(f"#{number} is back", (told,), by=_by(context.who, asker)))


async def told_undone(context: Context, number: int) -> str:
    """Who took back the event with this number, which is undone now."""
    name_of = context.ledger.name_of
    event = await latest(context, UNDO, number)
    if event is None:
        return f"#{number} is undone."
    return f"#{number} is undone · {_by(name_of(event['who']), name_of(event['asked']) if event.get('asked') else '')}"


async def latest(context: Context, kind: str, number: int) -> Json | None:
    """The last undo, or redo, of the event with this number."""
    rows = await context.store.events(context.ledger.row, after=number, limit=LOOK_BACK, newest_first=True)
    return next((row.data for row in rows if row.data["kind"] == kind and row.data.get("event") == number), None)


async def _need_untouched(context: Context, event: Mapping[str, Any], what: str) -> None:
    """Raise UserError where a sealed roll was opened since that changed what is to be undone or redone."""
    touched = changed_since(context.game, event.get("after" if what == UNDO else "before") or {})
    if event["kind"] == "sealed" and event["number"] not in context.game.sealed:
        rows = await context.store.events(context.ledger.row, after=event["number"], limit=LOOK_BACK)
        opened = (row.data for row in rows if event["number"] in row.data.get("opens", ()))
        touched += [
            name for body in opened for name in changed_names(body.get("before") or {}, body.get("after") or {})
        ]
    if touched:
        raise UserError(
            f"A sealed roll was opened since #{event['number']} and changed {', '.join(touched)}.",
            hint=phrase("`/unit edit` sets things right by hand."),
            code="not-undoable",
        )


def _no_part(what: str) -> UserError:
    return UserError(
        f"Only players of this game can {what}.", hint=phrase("`/game join` makes you a player."), code="not-player"
    )


async def read_event(context: Context, number: int) -> Json | None:
    """The body of one event of this game, or None."""
    if number < 1:
        return None
    rows = await context.store.events(context.ledger.row, after=number - 1, before=number + 1)
    return rows[0].data if rows else None


def _key(context: Context, number: int) -> str:
    return f"{context.ledger.row}:{number}"
