"""The footer of an answer, and the changes of earlier messages.

The footer holds the event's number, digits of the log's head, and what is special about the dice.
When a command changes what an earlier message says, that message is changed in every channel. The
changes are stored in the same commit as the command, and leave through the outbox.
"""

import json
import re
from collections.abc import AsyncIterator, Callable, Container, Iterable
from collections.abc import Sequence as Many
from dataclasses import replace
from functools import partial

from bot.commands.context import Amendment, Context, Rewording
from bot.commands.turns.board import list_board_updates
from bot.commands.turns.done_under_shot import amend_older_shot, find_shot_before_done
from bot.commands.turns.turn_card import list_card_amendments, list_old_card_amendments
from bot.game.events import TURNING, changes_game, is_card
from bot.game.game_log import LoggedEvent, LoggedText
from bot.game.ledger import Ledger
from bot.game.state import Game, Json
from bot.game.undo import EDITION, MAX_EVENTS_SEARCHED, find_changed_since, find_last_turn_of
from bot.game.undo_reach import add_opening, find_in_the_way, find_opening
from bot.presentation.events import (
    find_card_word_events,
    format_dice,
    format_log_line,
    get_event_title,
)
from bot.rules.proof.chain import shorten_hash
from bot.rulesets.rule_sets import RuleSets
from bot.storage.records import Doc, Outgoing
from bot.ui.reply.parts import Small
from bot.ui.reply.reply import OVER, SEALED, Reply

CARDS = ("start", "next", "pass", "end", "undo", "redo", "fair", "sealed")
"""Kinds of events whose answers always have digits of the head in the footer."""
PROMISING = ("end",)
"""Kinds of events whose answers publish the commitment of the next free play, unless it was
published before. In free play the first answer with digits publishes it.
"""
MOST_WITHOUT = 10
"""Maximum number of events between two answers with digits."""
DIGITS_BACK = 30
"""Events that are searched for the latest answer with digits."""
_REMOVED = re.compile(r"#(\d+) removed")
OR_POST = "or_post"
"""Key in the delivery of a change: post the text if the message cannot be changed."""


async def store_first_line(context: Context, reply: Reply) -> None:
    """Record the first line of the public answer in the newest event, as proof of what it said.

    Free texts of events that the answer quotes, such as those of a roll that it opens, are stored
    as marks. Nothing is recorded for a private answer, without a new event, or if the command has
    recorded a line itself.
    """
    public_part = _get_public_part(reply)
    ledger = context.ledger
    if public_part is None or not ledger.bodies or "said" in ledger.bodies[-1]:
        return
    body = ledger.bodies[-1]
    removed = _REMOVED.fullmatch(str(body.get("result", "")))
    numbers: list[int] = list(body.get("opens", ()))
    if "does" in body:
        numbers += sorted(find_card_word_events(body))
    if removed:
        numbers.append(int(removed[1]))
    quoted: list[LoggedText] = []
    for number in numbers:
        quoted += await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    ledger.record_first_line(public_part.standalone.first_line, quoted)


async def add_footer(context: Context, reply: Reply) -> Reply:
    """Add the event number, digits and notes to the footer of the reply, and of its public part."""
    pieces = await _list_footer_pieces(context, reply)
    if not pieces:
        return reply
    if reply.announce is not None:
        announced = replace(reply.announce, footer=(*pieces, *reply.announce.footer))
        return replace(reply, footer=(*pieces, *reply.footer), announce=announced)
    if reply.instead is not None:
        own = replace(reply.instead, footer=(*pieces, *reply.instead.footer))
        return replace(reply, footer=(*reply.footer, *pieces), instead=own)
    return replace(reply, footer=(*pieces, *reply.footer))


async def _list_footer_pieces(context: Context, reply: Reply) -> list[str]:
    """Return the event number, digits and notes for the footer. Empty if there are no new events.

    The digits are the short hash of the log's head. Only some public answers show them, which is
    then noted in the ledger.
    """
    ledger = context.ledger
    bodies = ledger.bodies
    if not bodies:
        return []
    first = bodies[0]
    last = bodies[-1]
    starts_free_play = len(bodies) > 1 and first["kind"] == "start" and bool(first.get("free"))
    pieces = [f"#{last['number']}"]
    is_first = not context.game.started and await _find_last_event_with_digits(context) <= 2
    if _get_public_part(reply) is not None and _shows_digits(context):
        ledger.digits_event = last["number"]
        pieces.append(shorten_hash(ledger.head))
        is_end = any(body["kind"] in PROMISING for body in bodies)
        if not starts_free_play and (is_first or (is_end and not await context.has_next_seed())):
            seed = await context.get_next_seed()
            pieces.append(f"next free play: commitment {shorten_hash(seed.commitment)}")
    if last.get("hand"):
        pieces.append("drawn by hand" if last["kind"] == "draw" else "rolled by hand")
    if last.get("alone"):
        pieces.append("undone, with nobody to ask")
    if starts_free_play:
        is_unannounced = bool(first.get("unannounced"))
        pieces.append("free play begins" + is_unannounced * ", seed not announced beforehand")
    return pieces


def get_answer_topic(context: Context, reply: Reply) -> str:
    """Return the topic of an answer: the one set by its command, else its event if it is public.

    "" for an answer without either.
    """
    if context.about:
        return context.about
    bodies = context.ledger.bodies
    if bodies and _get_public_part(reply) is not None:
        return _build_topic(context.ledger, bodies[-1]["number"])
    return ""


def _get_public_part(reply: Reply) -> Reply | None:
    """Return the part of an answer that all players see; None for private answers and errors."""
    public_part = reply.announce if reply.private else reply
    return None if public_part is None or public_part.error else public_part


async def _find_last_event_with_digits(context: Context) -> int:
    """Return the number of the last event before this commit whose answer had digits; 0 for none.

    A ledger without that number estimates it from the kinds of the last events, and keeps it.
    """
    ledger = context.ledger
    number = context.ledger.bodies[0]["number"]
    if ledger.digits_event < 0:  # the ledger was just loaded
        rows: Many[LoggedEvent] = await context.store.load_events(
            ledger.row, after=max(0, number - DIGITS_BACK), before=number
        )
        carded = [
            row.number for row in rows if any(f'"kind":"{kind}"' in row.body for kind in CARDS)
        ]
        ledger.digits_event = carded[-1] if carded else number - number % MOST_WITHOUT
    return int(ledger.digits_event)


def _shows_digits(context: Context) -> bool:
    bodies = context.ledger.bodies
    is_late = bodies[-1]["number"] - context.ledger.digits_event >= MOST_WITHOUT
    return is_late or any(body["kind"] in CARDS for body in bodies)


async def list_changed_messages(context: Context, reply: Reply, about: str) -> list[Outgoing]:
    """Return the changes of earlier messages that the command causes, including the board.

    They go to all channels that play its game. `about` is the topic of the command's answer.
    """
    ledgers = (*context.other_ledgers, context.ledger)
    amendments = list(context.amendments)
    for ledger in ledgers:
        if _may_change_messages(ledger):
            amendments += [item async for item in _list_amendments_by_events(context, ledger)]
        amendments += await amend_older_shot(context, ledger)
    # a channel that has left the game gets no more changes
    playing = {context.command.where.key}
    for ledger in ledgers:
        playing.update(ledger.places)
    outgoing = list[Outgoing]()
    for amendment in amendments:
        outgoing += await _apply_amendment(context, amendment, reply, about, playing)
    loaded = context.ledger.loaded
    if loaded is not None and loaded.has_board:
        outgoing += await list_board_updates(context, loaded, reply)
    return outgoing


async def _apply_amendment(
    context: Context, amendment: Amendment, reply: Reply, about: str, playing: Container[str]
) -> list[Outgoing]:
    """Return the changes of the messages about the amendment's topic, one for each channel.

    `reply` is the command's answer and `about` its topic. `playing` are the channels of the game.
    """
    current_channel = context.command.where.key
    message = await context.load_posted_messages(amendment.about)
    channels = set(message.places)
    if context.pressed_topic == amendment.about:
        channels.add(current_channel)
    if not channels:
        return []
    change = amendment.change
    if change is None and not reply.in_place:
        change = amendment.change_if_separate
    is_answer = change is None
    if change is None:
        new_reply: Reply | None = reply
    else:
        stored_reply = Reply.from_json(message.reply) if message.reply is not None else None
        new_reply = _reword(change, stored_reply and (stored_reply.announce or stored_reply))
    if new_reply is None:
        return []
    text = new_reply.to_json()
    answers_in_place = is_answer and reply.in_place
    delivery = {OR_POST: True} if answers_in_place else {}
    topic = about if is_answer else ""
    outgoing = []
    for channel in sorted(channels):
        is_answered = answers_in_place and channel == current_channel
        if (channel in playing or amendment.anywhere) and not is_answered:
            outgoing.append(Outgoing(channel, delivery, 0.0, text, topic, amendment.about))
    return outgoing


def _reword(change: Rewording, reply: Reply | None) -> Reply | None:
    """Apply a change to a message, and to the message sent in its place (`instead`), if it has one.

    `reply` is the message as it was; None if it is no longer stored. Return None for no change.
    """
    new_reply = change(reply)
    if (
        new_reply is None
        or new_reply.instead is None
        or reply is None
        or new_reply.instead is not reply.instead
    ):
        return new_reply
    return replace(new_reply, instead=change(new_reply.instead) or new_reply.instead)


def _may_change_messages(ledger: Ledger) -> bool:
    """Return whether this commit can affect earlier messages. A plain roll of one player cannot."""
    if ledger.loaded is None or ledger.loaded.row != ledger.row or not ledger.bodies:
        return False
    if ledger.game_before.redo or ledger.loaded.may_be_asked:
        return True
    has_undo = any(body["kind"] in ("undo", "redo") for body in ledger.bodies)
    return has_undo or _may_end_phase_cards(ledger)


def _may_end_phase_cards(ledger: Ledger) -> bool:
    """Return whether this commit can end a phase, and with it the use of that phase's card."""
    for body in ledger.bodies:
        if body["kind"] in (*TURNING, "end") or body.get("closes"):
            return True
        if body.get("target") == "initiative":
            return True
    return False


async def _list_amendments_by_events(context: Context, ledger: Ledger) -> AsyncIterator[Amendment]:
    """Yield the changes of earlier messages that the ledger's new events cause."""
    for body in ledger.bodies:
        if body["kind"] == "end":
            for number in body.get("opens", ()):
                yield await _amend_opened_roll(context, ledger, number, body["number"])
        if body.get("reason") != EDITION:
            continue
        event = await context.load_event(body["event"])
        if event is not None:
            later_events = await context.load_recent_events(
                MAX_EVENTS_SEARCHED, after=body["event"]
            )
            for amendment in await list_undo_amendments(context, body, event, later_events):
                yield amendment
    async for amendment in _list_expiry_amendments(context, ledger, ledger.game_before):
        yield amendment
    if _may_end_phase_cards(ledger):
        async for amendment in list_old_card_amendments(context, ledger):
            yield amendment


async def _list_expiry_amendments(
    context: Context, ledger: Ledger, before: Game
) -> AsyncIterator[Amendment]:
    """Yield the changes of messages with buttons that no longer work.

    These are Redo, once something else has happened, and the buttons of a request for consent that
    a later event has overtaken. Delete such requests.
    """
    first = ledger.bodies[0]
    game_after = ledger.game
    if before.redo and not game_after.redo and first["kind"] not in ("undo", "redo"):
        undone = await find_latest_undo_or_redo(context, ledger, "undo", before.redo[-1])
        if undone is not None:
            yield Amendment(_build_topic(ledger, undone["number"]), _remove_buttons)
    if ledger.loaded is not None and not ledger.loaded.may_be_asked:
        return
    open_requests = await context.store.load_doc("consent-asked", ledger.row)
    if open_requests is not None:
        numbers = open_requests.data["events"]
    else:
        numbers = {before.last, *before.redo[-1:]}
    is_open = False
    for number in numbers:
        request = await _load_request(context, ledger, number)
        if request is None:
            continue
        if not await _is_over(context, ledger, request):
            is_open = True
            continue
        context.commit.drop_docs.append((request.kind, request.key))
        topic = _build_topic(ledger, f"asked-{request.data.get('id', '')}")
        notice = f"Too late: #{first['number']} came first"
        yield Amendment(topic, partial(_strike_through, notice, _describe_request, ""))
    ledger.is_unasked = not is_open
    if open_requests is not None and not is_open:
        context.commit.drop_docs.append((open_requests.kind, open_requests.key))


async def _amend_opened_roll(
    context: Context, ledger: Ledger, number: int, end_number: int
) -> Amendment:
    """Return the change that shows a roll which was sealed until the game ended in `end_number`."""
    texts = await context.store.load_texts(ledger.row, after=number - 1, before=number + 1)
    opened_reply = Reply(f"#{number} is open")
    for row in texts:
        if row.key == "answer":
            answer = Reply.from_json(json.loads(row.text))
            opened_reply = Reply(answer.first_line, answer.lines)
            break
    reply = replace(opened_reply, by=f"#{number}, opened in #{end_number}", tone=SEALED)
    return Amendment(_build_topic(ledger, number), lambda _: reply)


async def list_undo_amendments(
    context: Context, body: Json, event: Json, events: Iterable[Json]
) -> list[Amendment]:
    """Return the changes of the messages about an event that `body` has undone or redone.

    These are the event's answer, the answer of the redo or undo before, and the card of its phase.
    `events` are those since, newest first.
    """
    ledger = context.ledger
    number = body["event"]
    turn_number = body["number"]
    is_undo = body["kind"] == "undo"
    format_line = partial(
        format_log_line,
        systems=ledger.systems,
        name_of=ledger.get_name,
        sides=ledger.game.sides,
        replayed=False,
    )
    describe = partial(format_line, event)  # used if the answer is no longer stored
    if is_undo:
        change = partial(
            _strike_through,
            f"Undone in #{turn_number}",
            describe,
            f"#{number}",
            describe_rest=partial(_describe_what_stays, event, ledger.systems),
        )
    else:
        is_open = event.get("kind") == "sealed" and number not in ledger.game.sealed
        change = partial(_restore_answer, f"brought back in #{turn_number}", describe, is_open)
    amendments = [Amendment(_build_topic(ledger, number), change)]
    if is_undo:
        shot = await find_shot_before_done(context, event, change)
        if shot is not None:
            amendments = [Amendment(_build_topic(ledger, number), lambda _: shot)]
    opening = find_opening(event, events)
    if opening is not None:
        opening_answer = await context.load_answer(opening["number"])
        if opening_answer is not None and opening["kind"] == "reveal":
            seal = partial(_change_seal, change, opening_answer)
            amendments = [Amendment(_build_topic(ledger, number), seal)]
        # its own message says the same
        amendments.append(Amendment(_build_topic(ledger, opening["number"]), change))
    earlier_turn = find_last_turn_of(events, "redo" if is_undo else "undo", number)
    if earlier_turn is not None:
        notice = f"{'Undone' if is_undo else 'Redone'} in #{turn_number}"
        describe = partial(format_line, earlier_turn)
        strike = partial(_strike_through, notice, describe, f"#{earlier_turn['number']}")
        amendments.append(Amendment(_build_topic(ledger, earlier_turn["number"]), strike))
    if is_card(event):
        amendments += await list_card_amendments(context, event, is_undo=is_undo)
    return amendments


async def _load_request(context: Context, ledger: Ledger, number: int) -> Doc | None:
    """Return the open request about an event, unless this command has answered it."""
    key = f"{ledger.row}:{number}"
    is_answered = ("consent", key) in context.commit.drop_docs
    return None if is_answered else await context.store.load_doc("consent", key)


async def _is_over(context: Context, ledger: Ledger, request: Doc) -> bool:
    """Return whether the ledger's new events have overtaken a request for an undo or redo."""
    numbers = {request.data["event"], *request.data.get("also", ())}
    turned = {body["event"] for body in ledger.bodies if body["kind"] in ("undo", "redo")}
    if numbers & turned:
        return True
    if request.data.get("what", "undo") == "redo":
        is_gone = request.data["event"] not in ledger.game.redo
        return is_gone or any(map(changes_game, ledger.bodies))
    rows = await context.store.load_events_at(ledger.row, sorted(numbers))
    later_events = ledger.bodies[::-1]
    if any(row.data["kind"] == "sealed" for row in rows):
        stored_events = await context.store.load_events(ledger.row, after=min(numbers))
        later_events += [row.data for row in reversed(stored_events)]
    for row in rows:
        event = add_opening(row.data, later_events)
        if find_in_the_way(event, ledger.bodies) is not None:
            return True
        if find_changed_since(ledger.game, event):
            return True
    return False


async def find_latest_undo_or_redo(
    context: Context, ledger: Ledger, kind: str, number: int
) -> Json | None:
    """Return the last event of this kind ("undo" or "redo") that undid or redid event `number`.

    None if there is none in the ledger's last stored events.
    """
    rows = await context.store.load_events(
        ledger.row, after=number, limit=MAX_EVENTS_SEARCHED, newest_first=True
    )
    return find_last_turn_of((row.data for row in rows), kind, number)


def _build_topic(ledger: Ledger, subject: object) -> str:
    return f"{ledger.row}/{subject}"


def build_answered_rewording(number: int) -> Rewording:
    """Build the change of a request's message that says in which event it was answered."""
    return partial(_strike_through, f"Answered in #{number}", _describe_request, "")


def _describe_request() -> str:
    return "a request"


def _describe_what_stays(event: Json, systems: RuleSets) -> str:
    """Return the small line about what an undo leaves in the log: the first dice, if any."""
    dice = format_dice(event, systems, " ")
    if not dice:
        return "It stays in the log."
    return f"{get_event_title(event, systems)} {dice} · the dice stay in the log"


def _strike_through(
    notice: str,
    describe: Callable[[], str],
    number: str,
    reply: Reply | None,
    *,
    describe_rest: Callable[[], str] = str,
) -> Reply:
    """Return a message reduced to its title, struck through, with a notice and without buttons.

    `notice` says why, as in "Undone in #7". `number` is the footer, as in "#6"; "" for none.
    `describe` builds the title if the message is not stored (`reply` is None). `describe_rest`
    builds a small line on what still holds, such as the dice; "" for none.
    """
    title = reply.title if reply is not None else describe()
    author = reply.by if reply is not None else ""
    rest = describe_rest()
    lines = (Small(rest),) if rest else ()
    return Reply(
        title, lines, footer=(number,) if number else (), over=notice, by=author, tone=OVER
    )


def _change_seal(change: Rewording, opening_answer: Reply, _reply: Reply | None) -> Reply | None:
    """Apply a change to the message of a sealed roll, as if it were its opening's answer."""
    return change(Reply(opening_answer.title, by=opening_answer.by, tone=SEALED))


def _restore_answer(
    note: str, describe: Callable[[], str], is_open: bool, reply: Reply | None
) -> Reply:
    """Restore the message of a redone event, with a note in its footer.

    `describe` builds it if the message is not stored (None).
    """
    if reply is None:
        return Reply(describe(), footer=(note,))
    return replace(
        reply, footer=(*reply.footer, note), mention=(), buttons=() if is_open else reply.buttons
    )


def _remove_buttons(reply: Reply | None) -> Reply | None:
    if reply is None or not reply.buttons:
        return None
    return replace(reply, buttons=(), menus=(), mention=())
