"""Sealed rolls: the log holds the hash of one until its roller or the end of the game opens it."""

import json
from dataclasses import dataclass

from bot.answers.events import title_of
from bot.answers.outcome import Outcome
from bot.commands.channel_games import turn_to
from bot.commands.context import Amendment, Context
from bot.commands.play.answer_buttons import other_targets, roll_buttons
from bot.game.loaded import read_opened
from bot.game.roster import change_from_json, change_json, is_gone, is_of_game, settle_changes
from bot.game.state import Game, Json, unit_json
from bot.game.tracks import key_of
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import SEALED as SEALED_TONE
from bot.interface.reply.reply import Reply
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.proof.chain import canonical
from bot.rules.sequence.sequence import Change

SEALED, ANSWER = "sealed", "answer"


def seal(context: Context, outcome: Outcome, facts: Json, label: str) -> Reply:
    """Put the roll under seal: the log holds its hash, its roller alone sees it, and no unit
    changes.
    """
    happening = outcome.happening
    assert happening is not None
    ledger = context.ledger
    closes = facts.pop("closes")
    content = {key: value for key, value in facts.items() if value not in ("", [], {})} | {
        "kind": happening.kind
    }
    if happening.changes:
        content["changes"] = [change_json(change) for change in happening.changes]
    if happening.tracks and is_of_game(context.game, happening.system):
        content["tracks"] = dict(happening.tracks)
    if label:
        content["texts"] = {"label": ledger.salted("label", label)}
    ledger.salted(ANSWER, canonical(outcome.reply.to_json()))
    lines = [
        part._replace(text=f"When opened: {part.text[5:]}")
        if isinstance(part, Small) and part.text.startswith("Now: ")
        else part
        for part in outcome.reply.lines
    ]
    sealed = ledger.salted(SEALED, canonical(content))
    body = ledger.add(
        "sealed", of=happening.kind, sealed=sealed, hand=happening.by_hand, closes=closes
    )
    number = body["number"]
    told = Reply(
        f"{context.who} makes a sealed roll",
        (Small(f"Seal {sealed[:4]} {sealed[4:8]}: the roll cannot be changed any more."),),
        by="hidden until they open it",
        buttons=(context.button("reveal", "Open it", number),),
        tone=SEALED_TONE,
    )
    return replace(
        outcome.reply,
        title=f"(sealed) {outcome.reply.title}",
        lines=tuple(lines),
        private=True,
        announce=told,
        buttons=told.buttons,
        menus=(),
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening rolls leads to: the game with their results in its units, their numbers, and
    what is told.

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
    """Open the sealed roll with this number. Raises UserError for one that is not sealed, or
    somebody else's.
    """
    game = context.need_game()
    if number not in game.sealed:
        closed = ", ".join(f"#{at}" for at in game.sealed) or "none"
        raise UserError(
            f"There is no sealed roll #{number}.",
            code="not-sealed",
            hint=f"Sealed rolls: {closed}.",
            option="event",
        )
    owner = game.sealed[number]
    if owner != context.actor.person and owner in context.ledger.persons:
        raise UserError(
            f"Only {context.ledger.name_of(owner)} can open #{number}.",
            code="not-yours",
            option="event",
        )
    opened = await open_rolls(context, (number,))
    tracks = opened.game.tracks
    await context.need_settable(key for key in tracks if tracks[key] != game.tracks.get(key))
    context.ledger.add("reveal", opened.game, opens=[number], result=opened.result, last=game.last)
    context.amends.append(Amendment(context.topic(number)))
    title, *lines = opened.lines
    reply = Reply(
        str(title), tuple(lines), by=f"#{number}, opened by {context.who}", tone=SEALED_TONE
    )
    return await _with_buttons(context, game, reply, number)


async def _with_buttons(context: Context, was: Game, reply: Reply, number: int) -> Reply:
    """The opened roll with the buttons that it would have had; *Undo* only while that is free of
    what came since.
    """
    event = await read_opened(context.store, context.ledger.row, context.game, number)
    spec = (
        context.registry.get(tuple(event["command"].split()))
        if event is not None and "command" in event
        else None
    )
    if event is None or spec is None or number in was.withdrawn:
        return reply
    buttons = roll_buttons(context, reply, event["kind"], event, number)
    if number == was.last and was.units == context.game.units:
        buttons = (*buttons, context.button("undo", "Undo", number))
    return replace(
        reply,
        buttons=buttons,
        menus=other_targets(context, spec, was, context.actor.side, event, number),
    )


async def open_rolls(context: Context, numbers: tuple[int, ...]) -> Opened:
    """What these sealed rolls hold, applied to the game in order; undone ones are listed but
    change nothing.
    """
    game = context.game
    lines = list[Part]()
    said = list[str]()
    brief = list[Part]()
    if not numbers:
        return Opened(game, (), ())
    texts = await context.store.texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
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
            game = settle_changes(game, changes, context.systems.get(game.system))
            if moved := content.get("tracks"):
                read = {
                    key_of(name, content["read"]): value for name, value in content["read"].items()
                }
                since = [key for key in moved if game.tracks.get(key, read[key]) != read[key]]
                remarks += [
                    f"{key} has changed since the roll: the result counts as it was rolled."
                    for key in since
                ]
                game = replace(game, tracks={**game.tracks, **moved})
            lines += remarks
    return Opened(game, tuple(numbers), tuple(lines), "; ".join(said), tuple(brief))


def _still_fitting(game: Game, content: Json) -> tuple[list[Change], list[str]]:
    """The changes that a sealed roll still makes, and what to know where units changed while it was
    closed.

    Who has left the fight meanwhile does not come back by an older result.
    """
    was = {unit["name"]: unit for unit in content.get("used", ())}
    changes = []
    remarks = []
    for change in map(change_from_json, content.get("changes", ())):
        unit = game.units.get(change.unit.casefold())
        if unit is None or is_gone(unit):
            gone = unit.state if unit is not None else "off the roster"
            remarks.append(f"{change.unit} is {gone} by now: nothing changes for it.")
            continue
        if was.get(change.unit) not in (None, unit_json(unit)):
            remarks.append(
                f"{change.unit} has changed since the roll: the result counts as it was rolled."
            )
        changes.append(change)
    return changes, remarks


def _told(answer: str | None, number: int) -> list[Part]:
    if answer is None:
        return [f"#{number}"]
    reply = Reply.from_json(json.loads(answer))
    return [reply.first, *reply.lines]
