"""Sealed rolls are opened: by their roller, or all of them when the game ends."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from bot.answers.events import title_of
from bot.answers.outcome import change_from_json, is_of_game
from bot.commands.channel_games import turn_to
from bot.commands.context import Amendment, Context
from bot.commands.play.record import ANSWER, SEALED, roll_buttons
from bot.commands.play.targets import other_targets
from bot.game.loaded import read_opened
from bot.game.roster import is_gone, settle_changes
from bot.game.state import Game, Json, unit_json
from bot.interface.reply.parts import Group, Part
from bot.interface.reply.reply import SEALED as SEALED_TONE
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.sequence.sequence import Change


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening rolls leads to: the game with their results in its units, their numbers, and what is told.

    `result` says in a few words what they were, for the log; `brief` has a line for each.
    """

    game: Game
    numbers: tuple[int, ...]
    lines: tuple[Part, ...]
    result: str = ""
    brief: tuple[Part, ...] = ()


async def reveal(context: Context) -> Reply:
    """Open one's own sealed roll; its results are written to the units now."""
    options = context.options()
    await turn_to(context, options["game"])
    return await reveal_number(context, options["event"])


async def reveal_number(context: Context, number: int) -> Reply:
    """Open the sealed roll with this number. Raises UserError for one that is not sealed, or somebody else's."""
    game = context.need_game()
    if number not in game.sealed:
        closed = ", ".join(f"#{at}" for at in game.sealed) or "none"
        raise UserError(
            f"There is no sealed roll #{number}.", code="not-sealed", hint=f"Sealed rolls: {closed}.", option="event"
        )
    owner = game.sealed[number]
    if owner != context.actor.person and owner in context.ledger.persons:
        raise UserError(f"Only {context.ledger.name_of(owner)} can open #{number}.", code="not-yours", option="event")
    opened = await open_rolls(context, (number,))
    context.ledger.add("reveal", opened.game, opens=[number], result=opened.result, last=game.last)
    context.amends.append(Amendment(context.topic(number)))
    title, *lines = opened.lines
    reply = Reply(str(title), tuple(lines), by=f"#{number}, opened by {context.who}", tone=SEALED_TONE)
    return await _with_buttons(context, game, reply, number)


async def _with_buttons(context: Context, was: Game, reply: Reply, number: int) -> Reply:
    """The opened roll with the buttons that it would have had; *Undo* only while that is free of what came since."""
    event = await read_opened(context.store, context.ledger.row, context.game, number)
    spec = context.registry.get(tuple(event["command"].split())) if event is not None and "command" in event else None
    if event is None or spec is None or number in was.withdrawn:
        return reply
    buttons = roll_buttons(context, reply, event["kind"], event, number)
    if number == was.last and was.units == context.game.units:
        buttons = (*buttons, context.button("undo", "Undo", number))
    return replace(reply, buttons=buttons, menus=other_targets(context, spec, was, event, number))


async def open_rolls(context: Context, numbers: tuple[int, ...]) -> Opened:
    """What these sealed rolls hold, applied to the game in order; undone ones are listed but change nothing."""
    game, lines, said, brief = context.game, list[Part](), list[str](), list[Part]()
    if not numbers:
        return Opened(game, (), ())
    texts = await context.store.texts(context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1)
    kept = {(row.event, row.key): row.text for row in texts if row.event in numbers}
    for number in numbers:
        text = kept.get((number, SEALED))
        if text is None:
            lines.append(f"#{number}: whoever rolled it has deleted its content.")
            continue
        content = json.loads(text)
        told = _told(kept.get((number, ANSWER)), number)
        lines += told
        brief.append(Group(f"#{number}, opened", str(told[0])))
        said.append(f"#{number} {title_of(content)}: {content.get('result', '')}")
        if number in game.withdrawn:
            lines.append("It had been undone and changes nothing.")
        elif is_of_game(game, content.get("system", "")):
            changes, remarks = _still_fitting(game, content)
            game = settle_changes(game, changes)
            lines += remarks
    return Opened(game, tuple(numbers), tuple(lines), "; ".join(said), tuple(brief))


def _still_fitting(game: Game, content: Json) -> tuple[list[Change], list[str]]:
    """The changes that a sealed roll still makes, and what to know where units changed while it was closed.

    Who has left the fight meanwhile does not come back by an older result.
    """
    was = {unit["name"]: unit for unit in content.get("used", ())}
    changes, remarks = [], []
    for change in map(change_from_json, content.get("changes", ())):
        unit = game.units.get(change.unit.casefold())
        if unit is None or is_gone(unit):
            gone = unit.state if unit is not None else "off the roster"
            remarks.append(f"{change.unit} is {gone} by now: nothing changes for it.")
            continue
        if was.get(change.unit) not in (None, unit_json(unit)):
            remarks.append(f"{change.unit} has changed since the roll: the result counts as it was rolled.")
        changes.append(change)
    return changes, remarks


def _told(answer: str | None, number: int) -> list[Part]:
    if answer is None:
        return [f"#{number}"]
    reply = Reply.from_json(json.loads(answer))
    return [reply.first, *reply.lines]
