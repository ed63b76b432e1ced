"""Cards of phases that are over: their buttons go, and come back with an undo."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from bot.commands.context import Amendment, Context
from bot.game.events import holding
from bot.game.ledger import Ledger
from bot.interface.reply.reply import LINK, OPEN_FORM, Button, Reply

TURNING = ("next", "pass", "initiative")
"""Events whose answers are cards."""
CARDS = ("start", "resume", *TURNING)
OF_A_PHASE = ("initiative", "next", "pass", "done", "remember")
"""Buttons that are made for one phase, beside those that open its forms."""
READ_BACK = 100


async def old_cards(context: Context, ledger: Ledger) -> AsyncIterator[Amendment]:
    """The card before the one that an event brings, or takes away, and what hangs under it no longer."""
    assert ledger.was is not None
    first = ledger.bodies[0]
    if first["kind"] == "end":  # nobody joins a game that is over
        began = [
            row.number for row in await context.store.events(ledger.row, limit=READ_BACK) if row.data["kind"] == "start"
        ]
        last = await _card_before(context, ledger, first["number"])
        for each in {*began, *([last] if last is not None else [])}:
            yield Amendment(f"{ledger.row}/{each}", _when_over)
    elif _is_card(first) or any(body["kind"] == "end" for body in ledger.bodies):
        if (number := await _card_before(context, ledger, first["number"])) is not None:
            yield Amendment(f"{ledger.row}/{number}", _without_phase)
    elif first["kind"] in ("undo", "redo"):
        rows = await context.store.events(ledger.row, after=first["event"] - 1, before=first["event"] + 1)
        if rows and _is_card(turned := rows[0].data):
            number = await _card_before(context, ledger, turned["number"])
            if number is not None:
                yield Amendment(f"{ledger.row}/{number}", _again if first["kind"] == "undo" else _without_phase)
    if any(body.get("closes") for body in ledger.bodies):
        rows = await context.store.events(ledger.row, limit=READ_BACK, newest_first=True)
        for event in (row.data for row in rows):
            if event["kind"] == "fair":
                yield Amendment(f"{ledger.row}/{event['number']}", lambda said: without(said, ("close",)))


def without(said: Reply | None, names: tuple[str, ...]) -> Reply | None:
    """What a message said, without these buttons; None where nothing changes."""
    if said is None:
        return None
    kept = tuple(button for button in said.buttons if button.action.partition(":")[0] not in names)
    return replace(said, buttons=kept, mention=()) if kept != said.buttons else None


def _is_card(event: Mapping[str, object]) -> bool:
    return event["kind"] in TURNING or (event["kind"] == "sequence" and event.get("target") == "initiative")


async def _card_before(context: Context, ledger: Ledger, before: int) -> int | None:
    """The number of the last card before an event, of those that were not undone."""
    rows = await context.store.events(ledger.row, limit=READ_BACK, newest_first=True)
    events = holding([*reversed(ledger.bodies), *(row.data for row in rows)])
    cards = (one["number"] for one in events if _is_card(one) or one["kind"] in CARDS)
    return next((number for number in cards if number < before), None)


def _of_phase(button: Button) -> bool:
    is_form = button.action.startswith(OPEN_FORM) and button.style != LINK
    return is_form or button.action.partition(":")[0] in OF_A_PHASE


def _without_phase(said: Reply | None) -> Reply | None:
    """The card without the buttons that are for its phase."""
    if said is None or not any(map(_of_phase, said.buttons)):
        return None
    kept = tuple(button for button in said.buttons if not _of_phase(button))
    return replace(said, buttons=kept, across=said.across if kept else 0, mention=())


def _when_over(said: Reply | None) -> Reply | None:
    bare = _without_phase(said)
    return without(bare or said, ("join",)) or bare


def _again(said: Reply | None) -> Reply | None:
    """The card as it was: its phase is the one that is on."""
    return replace(said, mention=()) if said is not None and said.buttons else None
