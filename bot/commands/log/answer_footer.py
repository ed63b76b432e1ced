"""What an answer says of its event: number, digits of the head, what is special about its dice; its
words are kept.

It stays true: when something becomes of it, the message that said so is changed, wherever it is.
The changes go to the disk in the commit that makes them necessary, and leave through the outbox.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable
from collections.abc import Sequence as Many
from functools import partial

from bot.commands.context import Amendment, Context, Rewording
from bot.commands.turns.board import list_board_updates
from bot.commands.turns.done_under_shot import amend_older_shot, find_shot_before_done
from bot.commands.turns.turn_card import list_card_amendments, list_old_card_amendments
from bot.game.events import TURNING, changes_game, is_card
from bot.game.ledger import Ledger
from bot.game.state import Game, Json
from bot.game.undo import EDITION, LOOK_BACK, find_changed_since, find_last_turn_of
from bot.game.undo_reach import add_opening, find_in_the_way, find_opening
from bot.presentation.events import find_card_word_events, format_log_line, get_event_title
from bot.rules.copies import replace
from bot.rules.proof.chain import shorten_hash
from bot.storage.records import Doc, EventRow, Outgoing, TextRow
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import OVER, SEALED, Reply

CARDS = ("start", "next", "pass", "end", "undo", "redo", "fair", "sealed")
"""Kinds of events whose answers carry the digits of the head, which costs nothing there."""
PROMISING = ("end",)
"""Cards that publish the commitment of the next free play, unless it was shown before; in free
play it is the first with digits behind its start.
"""
MOST_WITHOUT = 10
"""The answer that is so many events later than the last with digits has them, too."""
DIGITS_BACK = 30
_REMOVED = re.compile(r"#(\d+) removed")
OR_POST = "or_post"
"""In the delivery of a change: where the message cannot be changed, what it would say is posted."""


async def store_first_line(context: Context, reply: Reply) -> None:
    """Let the event keep the first line of the answer that all see, so that nobody can tell it
    otherwise later.
    """
    told = _get_public_part(reply)
    ledger = context.ledger
    if told is None or not ledger.bodies or "said" in ledger.bodies[-1]:
        return
    body = ledger.bodies[-1]
    removed = _REMOVED.fullmatch(str(body.get("result", "")))
    quoted: list[TextRow] = []
    for number in (
        *body.get("opens", ()),
        *(sorted(find_card_word_events(body)) if "does" in body else ()),
        *map(int, removed.groups() if removed else ()),
    ):
        quoted += await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    ledger.record_first_line(told.standalone.first_line, quoted)


async def add_footer(context: Context, reply: Reply) -> Reply:
    """The reply with event number, digits and marks in its footer (those of what it announces,
    if it does).
    """
    ledger = context.ledger
    bodies = context.ledger.bodies
    if not bodies:
        return reply
    begins = len(bodies) > 1 and bodies[0]["kind"] == "start" and bool(bodies[0].get("free"))
    pieces = [f"#{bodies[-1]['number']}"]
    is_first = not context.game.started and await _find_last_event_with_digits(context) <= 2
    if _get_public_part(reply) is not None and _shows_digits(context):
        ledger.shown = bodies[-1]["number"]
        pieces.append(shorten_hash(ledger.head))
        is_end = any(body["kind"] in PROMISING for body in bodies)
        if not begins and (is_first or (is_end and not await context.has_next_seed())):
            pieces.append(
                f"next free play: commitment {shorten_hash((await context.get_next_seed()).commitment)}"
            )
    if bodies[-1].get("hand"):
        pieces.append(f"{'drawn' if bodies[-1]['kind'] == 'draw' else 'dice'} by hand")
    if bodies[-1].get("alone"):
        pieces.append("undone alone")
    if begins:
        pieces.append(
            "free play begins" + (", not announced before" if bodies[0].get("unannounced") else "")
        )
    if reply.announce is not None:
        announced = replace(reply.announce, footer=(*pieces, *reply.announce.footer))
        return replace(reply, footer=(*pieces, *reply.footer), announce=announced)
    if reply.instead is not None:
        own = replace(reply.instead, footer=(*pieces, *reply.instead.footer))
        return replace(reply, footer=(*reply.footer, *pieces), instead=own)
    return replace(reply, footer=(*pieces, *reply.footer))


def get_answer_topic(context: Context, reply: Reply) -> str:
    """What an answer is about: what its command says, else, where all see it, its event."""
    bodies = context.ledger.bodies
    ledger = context.ledger
    return context.about or (
        _build_topic(ledger, bodies[-1]["number"])
        if bodies and _get_public_part(reply) is not None
        else ""
    )


def _get_public_part(reply: Reply) -> Reply | None:
    """What all see of an answer; None for what one person alone does, or what went wrong."""
    told = reply.announce if reply.private else reply
    return None if told is None or told.error else told


async def _find_last_event_with_digits(context: Context) -> int:
    """The last event before whose answer had digits; 0 where none had, as far as can be seen
    from here.
    """
    ledger = context.ledger
    number = context.ledger.bodies[0]["number"]
    if ledger.shown < 0:  # loaded a moment ago
        rows: Many[EventRow] = await context.store.load_events(
            ledger.row, after=max(0, number - DIGITS_BACK), before=number
        )
        carded = [
            row.number for row in rows if any(f'"kind":"{kind}"' in row.body for kind in CARDS)
        ]
        ledger.shown = carded[-1] if carded else number - number % MOST_WITHOUT
    return int(ledger.shown)


def _shows_digits(context: Context) -> bool:
    bodies = context.ledger.bodies
    is_late = bodies[-1]["number"] - context.ledger.shown >= MOST_WITHOUT
    return is_late or any(body["kind"] in CARDS for body in bodies)


async def list_changed_messages(context: Context, reply: Reply, about: str) -> list[Outgoing]:
    """The messages that the command changes, in all places that play its game, the board too.
    `about` is what its answer is about."""
    found = list(context.amendments)
    for ledger in (*context.other_ledgers, context.ledger):
        if _may_change_messages(ledger):
            found += [one async for one in _list_amendments_by_events(context, ledger)]
        found += await amend_older_shot(context, ledger)
    ledgers = (*context.other_ledgers, context.ledger)
    here = context.command.where.key
    outgoing = list[Outgoing]()
    playing = {
        here,
        *(place for ledger in ledgers for place in ledger.places),
    }  # who left hears no more of it
    for one in found:
        shown = await context.load_posted_messages(one.about)
        places = {*shown.places, *({here} if context.pressed_topic == one.about else ())}
        if not places:
            continue
        said = Reply.from_json(shown.reply) if shown.reply is not None else None
        change = one.change or (None if reply.in_place else one.beside)
        now = reply if change is None else _reword(change, said and (said.announce or said))
        if now is None:
            continue
        text = now.to_json()
        own = change is None
        for place in sorted(places):
            if (place in playing or one.anywhere) and not (
                own and reply.in_place and place == here
            ):
                way = {OR_POST: True} if own and reply.in_place else {}
                outgoing.append(Outgoing(place, way, 0.0, text, about if own else "", one.about))
    was = context.ledger.was
    return (
        [*outgoing, *await list_board_updates(context, was, reply)]
        if was is not None and was.has_board
        else outgoing
    )


def _reword(change: Rewording, said: Reply | None) -> Reply | None:
    """Return how a message reads from now on, also where it is a message of its own instead."""
    now = change(said)
    if now is None or now.instead is None or said is None or now.instead is not said.instead:
        return now
    return replace(now, instead=change(now.instead) or now.instead)


def _may_change_messages(ledger: Ledger) -> bool:
    """Return whether events may follow on what was said before; they do not where one player alone
    rolls dice.
    """
    if ledger.was is None or ledger.was.row != ledger.row or not ledger.bodies:
        return False
    turns = any(body["kind"] in ("undo", "redo") for body in ledger.bodies)
    return (
        bool(ledger.before.redo) or turns or _may_end_phase_cards(ledger) or ledger.was.may_be_asked
    )


def _may_end_phase_cards(ledger: Ledger) -> bool:
    """Return whether the card of a phase may be over; after an undo or a redo it may be back, see
    `turned`.
    """
    return any(
        body["kind"] in (*TURNING, "end")
        or body.get("closes")
        or body.get("target") == "initiative"
        for body in ledger.bodies
    )


async def _list_amendments_by_events(context: Context, ledger: Ledger) -> AsyncIterator[Amendment]:
    """What follows from the events that were written."""
    for body in ledger.bodies:
        if body["kind"] == "end":
            for number in body.get("opens", ()):
                yield await _amend_opened_roll(context, ledger, number, body["number"])
        if (
            body.get("reason") == EDITION
            and (event := await context.load_event(body["event"])) is not None
        ):
            for one in await list_undo_amendments(
                context,
                body,
                event,
                await context.load_recent_events(LOOK_BACK, after=body["event"]),
            ):
                yield one
    async for one in _list_expiry_amendments(context, ledger, ledger.before):
        yield one
    if _may_end_phase_cards(ledger):
        async for one in list_old_card_amendments(context, ledger):
            yield one


async def _list_expiry_amendments(
    context: Context, ledger: Ledger, before: Game
) -> AsyncIterator[Amendment]:
    """What can no longer be pressed: Redo once something else has happened, Agree under a request
    about what is no longer the latest event."""
    first = ledger.bodies[0]
    after = ledger.game
    if before.redo and not after.redo and first["kind"] not in ("undo", "redo"):
        undone = await find_latest_undo_or_redo(context, ledger, "undo", before.redo[-1])
        if undone is not None:
            yield Amendment(_build_topic(ledger, undone["number"]), _remove_buttons)
    if ledger.was is not None and not ledger.was.may_be_asked:
        return
    asked = await context.store.load_doc("consent-asked", ledger.row)
    is_open = False
    for number in asked.data["events"] if asked is not None else {before.last, *before.redo[-1:]}:
        request = await _load_request(context, ledger, number)
        if request is None:
            continue
        if not await _is_over(context, ledger, request):
            is_open = True
            continue
        context.commit.drop_docs.append((request.kind, request.key))
        topic = _build_topic(ledger, f"asked-{request.data.get('id', '')}")
        over = f"Overtaken by #{first['number']}"
        yield Amendment(topic, partial(_strike_through, over, _describe_request, ""))
    ledger.is_unasked = not is_open
    if asked is not None and not is_open:
        context.commit.drop_docs.append((asked.kind, asked.key))


async def _amend_opened_roll(context: Context, ledger: Ledger, number: int, by: int) -> Amendment:
    """What was sealed until the game ended."""
    texts = await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    answer = next(
        (Reply.from_json(json.loads(row.text)) for row in texts if row.key == "answer"), None
    )
    told = Reply(f"#{number} is open") if answer is None else Reply(answer.first_line, answer.lines)
    now = replace(told, by=f"#{number}, opened in #{by}", tone=SEALED)
    return Amendment(_build_topic(ledger, number), lambda _: now)


async def list_undo_amendments(
    context: Context, body: Json, event: Json, events: Iterable[Json]
) -> list[Amendment]:
    """What becomes of the messages about an event that `body` has undone, or brought back: its
    answer, that of the redo or undo before, and the card of a phase before it. `events` are those
    since, newest first."""
    ledger = context.ledger
    number = body["event"]
    by = body["number"]
    is_undo = body["kind"] == "undo"
    tell = partial(
        format_log_line, name_of=ledger.get_name, sides=ledger.game.sides, replayed=False
    )
    told = partial(tell, event)  # for where nobody knows any more what its answer said
    if is_undo:
        change = partial(
            _strike_through,
            f"Undone in #{by}",
            told,
            f"#{number}",
            stays=partial(_describe_what_stays, event),
        )
    else:
        is_open = event.get("kind") == "sealed" and number not in ledger.game.sealed
        change = partial(_restore_answer, f"brought back in #{by}", told, is_open)
    found = [Amendment(_build_topic(ledger, number), change)]
    if is_undo and (shot := await find_shot_before_done(context, event, change)) is not None:
        found = [Amendment(_build_topic(ledger, number), lambda _: shot)]
    opening = find_opening(event, events)
    if opening is not None:
        opened = await context.load_answer(opening["number"])
        if opened is not None and opening["kind"] == "reveal":
            seal = partial(_change_seal, change, opened)
            found = [Amendment(_build_topic(ledger, number), seal)]
        # its own message says the same
        found.append(Amendment(_build_topic(ledger, opening["number"]), change))
    if (before := find_last_turn_of(events, "redo" if is_undo else "undo", number)) is not None:
        over, told = f"{'Undone' if is_undo else 'Redone'} in #{by}", partial(tell, before)
        found.append(
            Amendment(
                _build_topic(ledger, before["number"]),
                partial(_strike_through, over, told, f"#{before['number']}"),
            )
        )
    return (
        [*found, *await list_card_amendments(context, event, is_undo=is_undo)]
        if is_card(event)
        else found
    )


async def _load_request(context: Context, ledger: Ledger, number: int) -> Doc | None:
    """Return the open request about an event, unless this command has answered it."""
    key = f"{ledger.row}:{number}"
    is_answered = ("consent", key) in context.commit.drop_docs
    return None if is_answered else await context.store.load_doc("consent", key)


async def _is_over(context: Context, ledger: Ledger, request: Doc) -> bool:
    """Return whether what was asked for can no longer be done after the events that were written."""
    numbers = {request.data["event"], *request.data.get("also", ())}
    turned = {body["event"] for body in ledger.bodies if body["kind"] in ("undo", "redo")}
    if numbers & turned:
        return True
    if request.data.get("what", "undo") == "redo":
        is_gone = request.data["event"] not in ledger.game.redo
        return is_gone or any(map(changes_game, ledger.bodies))
    rows = await context.store.load_events_at(ledger.row, sorted(numbers))
    opened = (
        await context.store.load_events(ledger.row, after=min(numbers))
        if any(row.data["kind"] == "sealed" for row in rows)
        else ()
    )
    since = [*ledger.bodies[::-1], *(row.data for row in reversed(opened))]
    events = [add_opening(row.data, since) for row in rows]
    return any(
        find_in_the_way(event, ledger.bodies) is not None or find_changed_since(ledger.game, event)
        for event in events
    )


async def find_latest_undo_or_redo(
    context: Context, ledger: Ledger, kind: str, number: int
) -> Json | None:
    """The last undo, or redo, of the event with this number in a game."""
    rows = await context.store.load_events(
        ledger.row, after=number, limit=LOOK_BACK, newest_first=True
    )
    return find_last_turn_of((row.data for row in rows), kind, number)


def _build_topic(ledger: Ledger, what: object) -> str:
    return f"{ledger.row}/{what}"


def build_answered_rewording(number: int) -> Rewording:
    """How a request reads that was answered elsewhere."""
    return partial(_strike_through, f"Answered in #{number}", _describe_request, "")


def _describe_request() -> str:
    return "a request"


def _describe_what_stays(event: Json) -> str:
    dice = " ".join(f"[{die['value']}]" for die in event.get("dice", ())[:40])
    return (
        f"{get_event_title(event)} {dice} · the dice stay in the log"
        if dice
        else "It stays in the log."
    )


def _strike_through(
    over: str,
    told: Callable[[], str],
    number: str,
    said: Reply | None,
    *,
    stays: Callable[[], str] = str,
) -> Reply:
    """A first line that no longer holds, what became of it and what `stays`, and no buttons."""
    title = said.title if said is not None else told()
    by = said.by if said is not None else ""
    lines = (Small(small),) if (small := stays()) else ()
    return Reply(title, lines, footer=(number,) if number else (), over=over, by=by, tone=OVER)


def _change_seal(change: Rewording, opened: Reply, _said: Reply | None) -> Reply | None:
    """Return how the message of a seal reads that was opened by a message of its own."""
    return change(Reply(opened.title, by=opened.by, tone=SEALED))


def _restore_answer(note: str, told: Callable[[], str], is_open: bool, said: Reply | None) -> Reply:
    """What was undone, as it was, with a note where it came back."""
    if said is None:
        return Reply(told(), footer=(note,))
    return replace(
        said, footer=(*said.footer, note), mention=(), buttons=() if is_open else said.buttons
    )


def _remove_buttons(said: Reply | None) -> Reply | None:
    return (
        replace(said, buttons=(), menus=(), mention=())
        if said is not None and said.buttons
        else None
    )
