"""Sealed rolls: the log holds the hash of one until its roller or the end of the game opens it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.commands.channel_games import use_named_game
from bot.commands.context import UNDO_LABEL, Amendment, Context
from bot.commands.declare import declare_command
from bot.commands.play.answer_buttons import build_roll_buttons, build_target_menu
from bot.game.counter_faces import REDUCED, list_conditions
from bot.game.roster import (
    apply_changes,
    change_from_json,
    change_to_json,
    is_id_of_game,
)
from bot.game.state import Game, Json, unit_to_json
from bot.game.tracks import get_track_key
from bot.loading.log_reader import load_event_body
from bot.presentation.events import describe_opened_roll
from bot.presentation.play_record import PlayRecord
from bot.presentation.run_sequence import NOW
from bot.rules.errors import UserError
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.rules.proof.chain import to_canonical
from bot.rules.sequence.sequence import Change
from bot.rules.text.names import add_article, join_names
from bot.rulesets.system import System, is_lost
from bot.ui.common_options import PAST_GAME
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import SEALED as SEALED_TONE
from bot.ui.reply.reply import Reply

SEALED, ANSWER = "sealed", "answer"


def seal_roll(context: Context, reply: Reply, record: PlayRecord, facts: Json, label: str) -> Reply:
    """Record a sealed roll: the log holds only its hash, and no unit changes until it is opened.

    `record` is the play and `reply` its answer. `facts` are the fields of its event, and lose
    `closes` here. `label` is what the player wrote about the roll; "" for nothing.

    Return the answer, which only the roller sees, with a public part that says nothing of it.
    """
    ledger = context.ledger
    closes = facts.pop("closes")
    content = {key: value for key, value in facts.items() if value not in ("", [], {})}
    content["kind"] = record.kind
    if record.changes:
        content["changes"] = [change_to_json(change) for change in record.changes]
    if record.tracks and is_id_of_game(context.game, record.system, context.systems):
        content["tracks"] = dict(record.tracks)
    if label:
        content["texts"] = {"label": ledger.add_salted_text("label", label)}
    ledger.add_salted_text(ANSWER, to_canonical(reply.to_json()))
    lines: list[Part] = []
    for part in reply.lines:
        if isinstance(part, Small) and part.text.startswith(NOW):
            lines.append(part._replace(text=f"When opened: {part.text.removeprefix(NOW)}"))
        else:
            lines.append(part)
    seal_hash = ledger.add_salted_text(SEALED, to_canonical(content))
    body = ledger.add(
        "sealed", of=record.kind, sealed=seal_hash, hand=record.by_hand, closes=closes
    )
    number = body["number"]
    announcement = Reply(
        f"{context.user_name} makes a sealed roll",
        (Small(f"Seal {seal_hash[:4]} {seal_hash[4:8]}: the roll can no longer be changed."),),
        by="hidden until they open it",
        buttons=(context.build_button("reveal", "Open it", number),),
        tone=SEALED_TONE,
    )
    return replace(
        reply,
        title=f"(sealed) {reply.title}",
        lines=tuple(lines),
        private=True,
        announce=announcement,
        buttons=announcement.buttons,
        menus=(),
    )


@dataclass(frozen=True, slots=True)
class OpenedRolls:
    """Opened rolls: the game with their results applied, their numbers, and lines about them.

    `result` describes them in a few words for the log. `brief` has one line for each roll.
    """

    game: Game
    numbers: tuple[int, ...]
    lines: tuple[Part, ...]
    result: str = ""
    brief: tuple[Part, ...] = ()


@declare_command(
    "game reveal",
    "Open one of your sealed rolls",
    Option(
        "event",
        "int",
        "its number, such as #41",
        min=1,
        max=10**9,
        complete="sealed",
        label="Sealed roll",
    ),
    PAST_GAME,
    example="41",
)
async def reveal_roll(context: Context) -> Reply:
    """Open the player's own sealed roll with the typed number, and apply its results to the units.

    The option `game` names an earlier game of this channel. Raises UserError if there is no such
    game or sealed roll, or if somebody else made the roll.
    """
    options = context.clean_options()
    await use_named_game(context, options["game"])
    return await reveal_number(context, options["event"])


async def reveal_number(context: Context, number: int) -> Reply:
    """Open the sealed roll of event `number`, and apply its results to the units.

    Raises UserError if that roll is not sealed, or if another player made it. If the game no longer
    knows that player, anybody may open it.
    """
    game = context.need_game()
    if number not in game.sealed:
        numbers = ", ".join(f"#{sealed_number}" for sealed_number in game.sealed) or "none"
        raise UserError(
            f"There is no sealed roll #{number}.",
            code="not-sealed",
            hint=f"Sealed rolls: {numbers}.",
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
    # the whole answer appears only once: in place of the seal, or in a message of its own
    brief = Reply(reply.title, by=reply.by, tone=SEALED_TONE)
    context.amendments.append(
        Amendment(context.build_topic(number), change_if_separate=lambda _: brief)
    )
    return await _add_buttons(context, game, reply, number)


async def _add_buttons(context: Context, game_before: Game, reply: Reply, number: int) -> Reply:
    """Add to an opened roll the buttons and the menu of a roll that was never sealed.

    A roll that was undone before it was opened gets none. `game_before` is the game before that.
    """
    event = await load_event_body(context.store, context.ledger.row, context.game, number)
    spec = None
    if event is not None and "command" in event:
        spec = context.registry.get(tuple(event["command"].split()))
    if event is None or spec is None or number in game_before.withdrawn:
        return reply
    buttons = build_roll_buttons(context, reply, event["kind"], event, number)
    if not any(button.label == UNDO_LABEL for button in buttons):
        buttons = (*buttons, context.build_undo_button(number))
    menus = build_target_menu(context, spec, game_before, context.actor.side, event, number)
    return replace(reply, buttons=buttons, menus=menus)


async def open_rolls(context: Context, numbers: tuple[int, ...]) -> OpenedRolls:
    """Apply the contents of these sealed rolls to the game, in order.

    A roll that was undone is listed, but changes nothing.
    """
    game = context.game
    lines = list[Part]()
    results = list[str]()
    brief = list[Part]()
    if not numbers:
        return OpenedRolls(game, (), ())
    texts = await context.store.load_texts(
        context.ledger.row, after=min(numbers) - 1, before=max(numbers) + 1
    )
    texts_by_key = {(row.event, row.key): row.text for row in texts if row.event in numbers}
    for number in numbers:
        text = texts_by_key.get((number, SEALED))
        if text is None:
            lines.append(f"#{number}: the player who rolled it deleted its content.")
            continue
        content = json.loads(text)
        answer = _load_answer(texts_by_key.get((number, ANSWER)), number)
        results.append(describe_opened_roll(number, content, context.systems))
        remarks: list[str] = []
        if number in game.withdrawn:
            remarks = ["It was undone, so it changes nothing."]
        elif is_id_of_game(game, content.get("system", ""), context.systems):
            system = context.systems.get(game.system)
            changes, remarks = _list_fitting_changes(game, content, system)
            game_before = game
            game = apply_changes(game, changes, system)
            if remarks:
                answer = _describe_real_changes(answer, content, game_before, game, system)
            remarks += _describe_changed_tracks(game, content)
            game = replace(game, tracks={**game.tracks, **content.get("tracks", {})})
        lines += [answer.first_line, *answer.lines, *remarks]
        brief.append(Group(f"#{number}, opened", answer.first_line))
    return OpenedRolls(game, tuple(numbers), tuple(lines), "; ".join(results), tuple(brief))


def _list_fitting_changes(
    game: Game, content: Json, system: System | None
) -> tuple[list[Change], list[str]]:
    """Return the changes that a sealed roll still makes, and remarks on units that changed since.

    A unit that has left the fight since then does not come back by an older result.
    """
    units_then = {unit["name"]: unit for unit in content.get("used", ())}
    changes = []
    remarks = []
    for change in map(change_from_json, content.get("changes", ())):
        unit = game.units.get(change.unit.casefold())
        if unit is None or is_lost(unit, system):
            state = unit.state if unit is not None else "off the roster"
            remarks.append(f"{change.unit} is already {state}, so nothing changes for it.")
            continue
        if units_then.get(change.unit) not in (None, unit_to_json(unit)):
            remarks.append(
                f"{change.unit} has changed since the roll, so the result is kept as rolled."
            )
        changes.append(change)
    return changes, remarks


def _describe_changed_tracks(game: Game, content: Json) -> list[str]:
    """Return a remark for each track that a sealed roll sets and that has changed since."""
    tracks: Json = content.get("tracks", {})
    readings: Json = content["read"] if tracks else {}
    values = {get_track_key(name, readings): value for name, value in readings.items()}
    return [
        f"{key} has changed since the roll, so the result is kept as rolled."
        for key in tracks
        if game.tracks.get(key, values[key]) != values[key]
    ]


def _load_answer(text: str | None, number: int) -> Reply:
    """Return the stored answer to a sealed roll; only the number if it was deleted (None)."""
    if text is None:
        return Reply(f"#{number}")
    return Reply.from_json(json.loads(text))


def _describe_real_changes(
    answer: Reply, content: Json, before: Game, after: Game, system: System | None
) -> Reply:
    """Rewrite the first line and the *Now:* of an answer to what the opening really changed.

    `answer` is the stored one, from when the roll was made. It stays if all units still change.
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
    sentences = [f"{name} is {state}" for name, state in states.items()]
    if states and len(lines) < len(answer.lines):
        lines.append(Small(NOW + " · ".join(sentences)))
    title = join_names(sentences)
    title = title or f"No longer any effect on {join_names(sorted({*names} - {*changed}))}"
    return replace(answer, title=title, lines=tuple(lines))


def _describe_states(
    keys: Iterable[str], before: Game, after: Game, system: System | None
) -> dict[str, str]:
    """Return the new bad states of these units, by name. Units without any are left out."""
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
    """Return the bad states of a unit, with its type if that is reduced: `a half-squad, shaken`.

    "" if the unit is well.
    """
    reduced_types = system.words["units"].reduced.values() if system is not None else ()
    states = list_conditions(unit, system)
    if unit.type in reduced_types:
        other_states = [state for state in states if state != REDUCED]
        return join_names([add_article(unit.type), *other_states])
    return join_names(states) if states else ""
