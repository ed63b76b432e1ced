"""`/game undo` and `redo`: the latest event is taken back, with the other side's consent where dice were rolled."""

from __future__ import annotations

from bot.commands.context import Context
from bot.game.rights import Actor
from bot.game.state import Json
from bot.game.summary import told_event
from bot.game.undo import consenters, is_free, may_ask, need_undoable, redo_fields, undo_fields
from bot.interface.reply import Reply
from bot.rules.errors import UserError
from bot.rules.phrase import phrase
from bot.stores.base import DAY
from bot.stores.records import Doc, tombstone

CONSENT = "consent"
CONSENT_KEPT = 30 * DAY
LOOK_BACK = 200
ID = 10
"""Digits that tell one request from another about the same event."""


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
        raise _no_part("undo")
    if is_free(actor, event):
        return _take_back(context, event)
    others = consenters(game, actor, context.ledger.present(), event)
    if not others:
        return _take_back(context, event, alone=True)
    return await _ask(context, event, actor, others)


async def _ask(context: Context, event: Json, actor: Actor, others: frozenset[str]) -> Reply:
    """Ask the others; where one of them has asked for the same, this is their consent."""
    ledger, number = context.ledger, event["number"]
    if not actor.person:
        raise _no_part("undo")
    asked = await pending(context, number)
    if asked is not None and asked["by"] != actor.person:
        return await consent(context, number)
    names = " or ".join(sorted(ledger.name_of(person) for person in others))
    if asked is not None:
        raise UserError(
            f"Already asked; waiting for {names}.",
            hint=phrase("They press Agree or type `/game undo`."),
            code="asked-already",
        )
    id = tombstone(context.command.request_id)[:ID]
    data = {"by": actor.person, "event": number, "id": id}
    context.docs.append(
        Doc(CONSENT, _key(context, number), data, context.now + CONSENT_KEPT, context.command.where.server)
    )
    return Reply(
        f"{context.who} asks to undo #{number}",
        (
            told_event(event, ledger.name_of, sides=context.game.sides),
            phrase("Dice were rolled, so {names} must agree: press Agree or type `/game undo`.", names=names),
        ),
        buttons=(
            context.button("consent", "Agree", number, id, style="good"),
            context.button("refuse", "Refuse", number, id),
        ),
    )


async def pending(context: Context, number: int) -> Json | None:
    """The open request about an event: who asked (`by`), and the `id` that its buttons name."""
    found = await context.store.doc(CONSENT, _key(context, number))
    return {"id": "", **found.data} if found is not None else None


def not_asked(number: int) -> UserError:
    """Why there is nothing to agree to, or to refuse."""
    return UserError(
        f"There is no open request to undo #{number}.",
        hint="It was answered or withdrawn; a later one has buttons of its own.",
        code="not-asked",
    )


async def consent(context: Context, number: int) -> Reply:
    """Agree to what another asked for."""
    game, actor = context.need_open(), context.actor
    asked = await pending(context, number)
    if asked is None:
        raise not_asked(number)
    if number != game.last:
        raise UserError(f"#{number} is no longer the latest event, so it stays.", code="not-latest")
    by: str = asked["by"]
    asker = Actor(by, game.players.get(by, ""), directs=False)
    event = await read_event(context, number)
    need_undoable(event, number)
    assert event is not None
    if by == actor.person or actor.person not in consenters(game, asker, context.ledger.present(), event):
        raise UserError("This needs the consent of another side.", code="not-yours")
    context.drop_docs.append((CONSENT, _key(context, number)))
    return _take_back(context, event, asked=by)


async def refuse(context: Context, number: int) -> Reply:
    """Refuse what another asked for, or withdraw one's own request."""
    game, actor = context.need_open(), context.actor
    asked = await pending(context, number)
    if asked is None:
        raise not_asked(number)
    by: str = asked["by"]
    asker = Actor(by, game.players.get(by, ""), directs=False)
    event = await read_event(context, number)
    if by != actor.person and (
        event is None or actor.person not in consenters(game, asker, context.ledger.present(), event)
    ):
        raise UserError("Only another side can refuse.", code="not-yours")
    context.drop_docs.append((CONSENT, _key(context, number)))
    word = "withdraws the request" if by == actor.person else "refuses"
    return Reply(f"{context.who} {word}: #{number} stays")


def _take_back(context: Context, event: Json, *, asked: str = "", alone: bool = False) -> Reply:
    ledger, number = context.ledger, event["number"]
    told = told_event(event, ledger.name_of, sides=context.game.sides)
    ledger.add("undo", asked=asked, alone=alone, **undo_fields(event))
    asker = ledger.name_of(asked) if asked else ""
    return Reply(
        _taken_back(number, context.who, asker), (told, phrase("It stays in the log; `/game redo` brings it back."))
    )


def _taken_back(number: int, who: str, asker: str = "") -> str:
    return f"{asker}, with {who}'s consent, undoes #{number}" if asker else f"{who} undoes #{number}"


async def told_undone(context: Context, number: int) -> str:
    """Who took back the event with this number, which is undone now."""
    name_of = context.ledger.name_of
    for row in await context.store.events(context.ledger.row, after=number, limit=LOOK_BACK, newest_first=True):
        event = row.data
        if event["kind"] == "undo" and event.get("event") == number:
            return _taken_back(number, name_of(event["who"]), name_of(event["asked"]) if event.get("asked") else "")
    return f"#{number} is undone."


async def redo(context: Context) -> Reply:
    """Redo what was undone last, if nothing happened since."""
    game, actor = context.need_open(), context.actor
    if not game.redo:
        raise UserError("Nothing to redo.", code="nothing-to-redo")
    event = await read_event(context, game.redo[-1])
    if event is None or not may_ask(game, actor, event):
        raise _no_part("redo")
    context.ledger.add("redo", **redo_fields(event))
    return Reply(
        f"{context.who} redoes #{event['number']}",
        (told_event(event, context.ledger.name_of, sides=context.game.sides),),
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
