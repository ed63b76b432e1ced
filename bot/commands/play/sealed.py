"""Sealed rolls: the log holds the hash of one until its roller or the end of the game opens it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from bot.commands.channel_games import use_named_game
from bot.commands.context import Amendment, Context
from bot.commands.play.answer_buttons import build_roll_buttons, build_target_menu
from bot.game.counter_faces import REDUCED, list_conditions
from bot.game.game_cache import load_event_body
from bot.game.roster import (
    apply_changes,
    change_from_json,
    change_to_json,
    has_left_fight,
    is_of_game,
)
from bot.game.state import Game, Json, unit_to_json
from bot.game.tracks import get_track_key
from bot.presentation.events import get_event_title
from bot.presentation.play_record import ReplyWithRecord
from bot.presentation.run_sequence import NOW
from bot.rules.copies import replace
from bot.rules.errors import UserError
from bot.rules.inputs.units import RosterUnit
from bot.rules.proof.chain import to_canonical
from bot.rules.sequence.sequence import Change
from bot.rules.text.names import add_article, join_names
from bot.rulesets.system import System
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import SEALED as SEALED_TONE
from bot.ui.reply.reply import Reply

SEALED, ANSWER = "sealed", "answer"


def seal_roll(context: Context, outcome: ReplyWithRecord, facts: Json, label: str) -> Reply:
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
        content["changes"] = [change_to_json(change) for change in happening.changes]
    if happening.tracks and is_of_game(context.game, happening.system):
        content["tracks"] = dict(happening.tracks)
    if label:
        content["texts"] = {"label": ledger.add_salted_text("label", label)}
    ledger.add_salted_text(ANSWER, to_canonical(outcome.reply.to_json()))
    lines = [
        part._replace(text=f"When opened: {part.text.removeprefix(NOW)}")
        if isinstance(part, Small) and part.text.startswith(NOW)
        else part
        for part in outcome.reply.lines
    ]
    sealed = ledger.add_salted_text(SEALED, to_canonical(content))
    body = ledger.add(
        "sealed", of=happening.kind, sealed=sealed, hand=happening.by_hand, closes=closes
    )
    number = body["number"]
    told = Reply(
        f"{context.user_name} makes a sealed roll",
        (Small(f"Seal {sealed[:4]} {sealed[4:8]}: the roll cannot be changed any more."),),
        by="hidden until they open it",
        buttons=(context.build_button("reveal", "Open it", number),),
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
class OpenedRolls:
    """What opening rolls leads to: the game with their results in its units, their numbers, and
    what is told.

    `result` says in a few words what they were, for the log; `brief` has a line for each.
    """

    game: Game
    numbers: tuple[int, ...]
    lines: tuple[Part, ...]
    result: str = ""
    brief: tuple[Part, ...] = ()


async def reveal_roll(context: Context) -> Reply:
    """Open one's own sealed roll; its results are written to the units now."""
    options = context.clean_options()
    await use_named_game(context, options["game"])
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
            f"Only {context.ledger.get_name(owner)} can open #{number}.",
            code="not-yours",
            option="event",
        )
    opened = await open_rolls(context, (number,))
    tracks = opened.game.tracks
    await context.need_settable(key for key in tracks if tracks[key] != game.tracks.get(key))
    context.ledger.add("reveal", opened.game, opens=[number], result=opened.result, last=game.last)
    title, *lines = opened.lines
    reply = Reply(
        str(title), tuple(lines), by=f"#{number}, opened by {context.user_name}", tone=SEALED_TONE
    )
    # the whole answer is shown once: in place of the seal, or in a message of its own
    brief = Reply(reply.title, by=reply.by, tone=SEALED_TONE)
    context.amendments.append(Amendment(context.build_topic(number), beside=lambda _: brief))
    return await _add_buttons(context, game, reply, number)


async def _add_buttons(context: Context, was: Game, reply: Reply, number: int) -> Reply:
    """The opened roll with the buttons that it would have had, *Undo* too; one that was undone
    before has none.
    """
    event = await load_event_body(context.store, context.ledger.row, context.game, number)
    spec = (
        context.registry.get(tuple(event["command"].split()))
        if event is not None and "command" in event
        else None
    )
    if event is None or spec is None or number in was.withdrawn:
        return reply
    buttons = build_roll_buttons(context, reply, event["kind"], event, number)
    if not any(button.label == "Undo" for button in buttons):
        buttons = (*buttons, context.build_button("undo", "Undo", number))
    return replace(
        reply,
        buttons=buttons,
        menus=build_target_menu(context, spec, was, context.actor.side, event, number),
    )


async def open_rolls(context: Context, numbers: tuple[int, ...]) -> OpenedRolls:
    """What these sealed rolls hold, applied to the game in order; undone ones are listed but
    change nothing.
    """
    game = context.game
    lines = list[Part]()
    said = list[str]()
    brief = list[Part]()
    if not numbers:
        return OpenedRolls(game, (), ())
    texts = await context.store.load_texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
    kept = {(row.event, row.key): row.text for row in texts if row.event in numbers}
    for number in numbers:
        text = kept.get((number, SEALED))
        if text is None:
            lines.append(f"#{number}: whoever rolled it has deleted its content.")
            continue
        content = json.loads(text)
        answer = _load_answer(kept.get((number, ANSWER)), number)
        said.append(f"#{number} {get_event_title(content)}: {content.get('result', '')}")
        remarks: list[str] = []
        if number in game.withdrawn:
            remarks = ["It had been undone and changes nothing."]
        elif is_of_game(game, content.get("system", "")):
            system = context.systems.get(game.system)
            changes, remarks = _list_fitting_changes(game, content)
            was = game
            game = apply_changes(game, changes, system)
            if remarks:
                answer = _describe_real_changes(answer, content, was, game, system)
            remarks += _describe_changed_tracks(game, content)
            game = replace(game, tracks={**game.tracks, **content.get("tracks", {})})
        lines += [answer.first_line, *answer.lines, *remarks]
        brief.append(Group(f"#{number}, opened", answer.first_line))
    return OpenedRolls(game, tuple(numbers), tuple(lines), "; ".join(said), tuple(brief))


def _list_fitting_changes(game: Game, content: Json) -> tuple[list[Change], list[str]]:
    """The changes that a sealed roll still makes, and what to know where units changed while it was
    closed.

    Who has left the fight meanwhile does not come back by an older result.
    """
    was = {unit["name"]: unit for unit in content.get("used", ())}
    changes = []
    remarks = []
    for change in map(change_from_json, content.get("changes", ())):
        unit = game.units.get(change.unit.casefold())
        if unit is None or has_left_fight(unit):
            gone = unit.state if unit is not None else "off the roster"
            remarks.append(f"{change.unit} is {gone} by now: nothing changes for it.")
            continue
        if was.get(change.unit) not in (None, unit_to_json(unit)):
            remarks.append(
                f"{change.unit} has changed since the roll: the result counts as it was rolled."
            )
        changes.append(change)
    return changes, remarks


def _describe_changed_tracks(game: Game, content: Json) -> list[str]:
    """Say which of the tracks that a sealed roll sets have changed since it was made."""
    tracks: Json = content.get("tracks", {})
    read: Json = content["read"] if tracks else {}
    values = {get_track_key(name, read): value for name, value in read.items()}
    return [
        f"{key} has changed since the roll: the result counts as it was rolled."
        for key in tracks
        if game.tracks.get(key, values[key]) != values[key]
    ]


def _load_answer(text: str | None, number: int) -> Reply:
    """Return what the roller was answered; the bare number if that is gone."""
    return Reply(f"#{number}") if text is None else Reply.from_json(json.loads(text))


def _describe_real_changes(
    answer: Reply, content: Json, before: Game, after: Game, system: System | None
) -> Reply:
    """Return the answer with a headline and a *Now:* of what the opening really changed.

    The answer says what the roll came to when it was made. It stays if all units still change.
    """
    names = dict.fromkeys(change["unit"] for change in content.get("changes", ()))
    keys = {name: name.casefold() for name in names}
    changed = [
        name for name in names if after.units.get(keys[name]) != before.units.get(keys[name])
    ]
    if len(changed) == len(names):
        return answer
    states = _describe_states([keys[name] for name in changed], before, after, system)
    lines = [part for part in answer.lines if not _is_state_change(part)]
    if states and len(lines) < len(answer.lines):
        lines.append(
            Small(NOW + " · ".join(f"{name} is {state}" for name, state in states.items()))
        )
    title = join_names(f"{name} is {state}" for name, state in states.items())
    title = title or f"No effect any more on {join_names(sorted({*names} - {*changed}))}"
    return replace(answer, title=title, lines=tuple(lines))


def _describe_states(
    keys: Iterable[str], before: Game, after: Game, system: System | None
) -> dict[str, str]:
    """Return what ails each of these units now and did not before, by their names."""
    states: dict[str, str] = {}
    for key in keys:
        unit = after.units[key]
        state = _describe_state(unit, system)
        if state and state != _describe_state(before.units[key], system):
            states[unit.name] = state
    return states


def _is_state_change(part: Part) -> bool:
    return isinstance(part, Small) and part.text.startswith(NOW)


def _describe_state(unit: RosterUnit, system: System | None) -> str:
    """Return what ails a unit, with its type if that is a lesser one: `a half-squad, shaken`."""
    reduced = system.words["units"].reduced.values() if system is not None else ()
    states = list_conditions(unit, system)
    if unit.type in reduced:
        return join_names(
            [add_article(unit.type), *(state for state in states if state != REDUCED)]
        )
    return join_names(states) if states else ""
