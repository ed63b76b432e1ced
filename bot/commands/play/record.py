"""Writes what a roll or sequence did into the game: dice, outcome, changed units; or seals it, until its roller or the
end of the game opens it."""

import json
from dataclasses import dataclass

from bot.answers.events import come_into_play, extends_words, title_of
from bot.answers.outcome import (
    Happening,
    Outcome,
    after_happening,
    change_from_json,
    change_json,
    initiative_of,
    is_of_game,
    reminders,
)
from bot.answers.shot import brief, compact
from bot.commands.channel_games import turn_to
from bot.commands.context import Amendment, Context, play_facts
from bot.commands.play.targets import change_button, other_targets
from bot.commands.post.choose import ask_side
from bot.commands.turns.turn_card import IMPACT
from bot.game.loaded import read_opened
from bot.game.rights import need_share, out_of_go
from bot.game.roster import is_gone, settle_changes, units_of
from bot.game.state import FULL, Game, Json, unit_json
from bot.game.tracks import key_of
from bot.interface.reply.parts import Group, Part, Small
from bot.interface.reply.reply import SEALED as SEALED_TONE
from bot.interface.reply.reply import Button, Reply
from bot.interface.typing.command_text import quoted
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.decks import faces_shown
from bot.rules.proof.chain import canonical
from bot.rules.sequence.sequence import Change, Line
from bot.rules.text.names import joined
from bot.rules.text.phrase import begun, phrase

SEALED, ANSWER = "sealed", "answer"


async def record(context: Context, outcome: Outcome, *, secret: bool) -> Reply:
    """Append the happening to the log and answer. Raises UserError where units are not the actor's to use."""
    happening = outcome.happening
    if happening is None:
        return outcome.reply
    game = context.open_game() if happening.kind == "sequence" else context.dice_game()
    if happening.by_hand and not game.hand_dice:
        hint = phrase("`/game settings hand_dice=yes` allows them.")
        raise UserError("This game does not allow dice rolled by hand.", hint=hint, code="no-hand-dice")
    actor, named = context.actor, units_of(game, happening.units)
    if gone := [unit for unit in named if is_gone(unit)]:
        hint = phrase("Leave it out, or fix its state with `/unit edit`.")
        raise UserError(f"{gone[0].name} is {gone[0].state}.", hint=hint, code="unit-gone")
    acting = [unit for unit in named if unit.name in happening.acting]
    need_share(game, actor, named, acting)
    unusual = _unusual(context, game, happening, actor.side)
    facts = play_facts(context, context.command.path, happening, named, secret=secret)
    label = str(happening.inputs.get("label") or "")
    if secret:
        return _seal(context, outcome, facts, label)
    if happening.asks:
        return await ask_side(context, outcome, facts)
    after = after_happening(game, happening)
    body = context.ledger.add(happening.kind, after, texts={"label": label}, **facts)
    if extends := body.get("extends"):
        joining = tuple(Small(f"{extends_words(*one)} from here on.") for one in extends.items())
        outcome = replace(outcome, reply=replace(outcome.reply, lines=(*outcome.reply.lines, *joining)))
    return _answer(context, game, _with_arrivals(outcome, game, after), body, facts, unusual)


def _unusual(context: Context, game: Game, happening: Happening, side: str) -> tuple[str, ...]:
    system = context.systems.get(happening.system)
    if system is None or happening.kind != "sequence" or not is_of_game(game, happening.system):
        return ()
    of_game, sequence = context.systems.get(game.system), system.sequences[happening.target]
    return out_of_go(game, of_game, sequence, happening.acting, happening.changes, side)


def _with_arrivals(outcome: Outcome, was: Game, after: Game) -> Outcome:
    """The outcome with those who have joined the roster, in its first line and in one about their numbers."""
    names = [unit.name for key, unit in after.units.items() if key not in was.units]
    if not names:
        return outcome
    told = phrase(
        "{names}: on the roster now. Give numbers: `/unit edit {first} morale=7`",
        names=joined(names),
        first=quoted(names[0]),
    )
    title = f"{outcome.reply.title}, {come_into_play(names)}"
    return replace(outcome, reply=replace(outcome.reply, title=title, lines=(*outcome.reply.lines, told)))


def _answer(context: Context, game: Game, outcome: Outcome, body: Json, facts: Json, unusual: tuple[str, ...]) -> Reply:
    reply, happening, number, spec = outcome.reply, outcome.happening, body["number"], context.spec
    assert happening is not None
    if game.answers != FULL:
        reply = compact(reply, tuple(faces_shown(facts)))
    side = initiative_of(game, happening)
    told = (*map(Small, reminders(game, happening)), *([f"{side} has the initiative."] if side is not None else ()))
    if told or context.moved:
        reply = replace(reply, lines=(*reply.lines, *told, *([context.moved] if context.moved else ())))
    if happening.kind == "sequence":
        reply = brief(reply, spec.options)
    lines = (*reply.lines, Small(f"{begun(' · '.join(unusual))}.")) if unusual else reply.lines
    buttons = (*roll_buttons(context, reply, happening.kind, facts, number), context.button("undo", "Undo", number))
    if happening.out.get(IMPACT, 0) > game.turn > 0:
        buttons = (*buttons, context.button("plan", "Plan it", number))
    across = EVEN if len(buttons) > EVEN + 1 else 0
    menus = other_targets(context, spec, game, body["side"], facts, number)
    return replace(reply, lines=lines, buttons=buttons, across=across, menus=menus)


EVEN = 3
"""Buttons in a row where there are five: three and two, which a phone shows as they are."""


def roll_buttons(context: Context, reply: Reply, kind: str, facts: Json, number: int) -> tuple[Button, ...]:
    """What hangs under every roll beside *Undo*: once more, changed, its odds."""
    buttons = [context.button("again", "Again", number)]
    if kind == "sequence":
        buttons.append(change_button(context.ledger.row, number))
        if facts.get("dice"):
            counted = any(isinstance(part, Group) for part in reply.lines)
            if not counted:
                buttons.append(context.button("odds", "Odds", number))
            if counted or any(isinstance(line := reply.lines[at], Line) and line.dice for at in reply.trace):
                buttons.append(context.button("dice", "Dice", number))
    return tuple(buttons)


def _seal(context: Context, outcome: Outcome, facts: Json, label: str) -> Reply:
    """Put the roll under seal: the log holds its hash, its roller alone sees it, and no unit changes."""
    happening = outcome.happening
    assert happening is not None
    ledger = context.ledger
    closes = facts.pop("closes")
    content = {key: value for key, value in facts.items() if value not in ("", [], {})} | {"kind": happening.kind}
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
    body = ledger.add("sealed", of=happening.kind, sealed=sealed, hand=happening.by_hand, closes=closes)
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
    return replace(reply, buttons=buttons, menus=other_targets(context, spec, was, context.actor.side, event, number))


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
            if moved := content.get("tracks"):
                read = {key_of(name, content["read"]): value for name, value in content["read"].items()}
                since = [key for key in moved if game.tracks.get(key, read[key]) != read[key]]
                remarks += [f"{key} has changed since the roll: the result counts as it was rolled." for key in since]
                game = replace(game, tracks={**game.tracks, **moved})
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
