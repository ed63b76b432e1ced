"""`/game board`: one message in each channel that shows the state of the game.

It is changed in place when an event changes something on it. A document of the game holds its
topic and a hash of its text. With each new turn, and before it is too old to be changed on some
platforms, it is posted as a new message, and the old one is removed.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import islice

from bot.commands.context import Amendment, Context
from bot.commands.declare import declare_button, declare_command
from bot.commands.turns.turn_card import (
    FROM_BOARD,
    PHONE_ROW,
    build_phase_buttons,
    format_passes,
    format_phase,
)
from bot.game.counter_faces import (
    describe_condition,
    describe_for_menu,
    list_conditions,
    list_lasting_marks,
)
from bot.game.events import COMBAT
from bot.game.loaded_game import LoadedGame
from bot.game.phases import describe_whose_go
from bot.game.roster import sort_units
from bot.game.sides import describe_no_player, fit_verb
from bot.game.state import Game, Json
from bot.game.tracks import format_tracks
from bot.loading.undo_search import load_newest_step
from bot.presentation.derived_inputs import format_rules_in_force
from bot.rules.errors import UserError
from bot.rules.inputs.options import format_code_word
from bot.rules.inputs.units import RosterUnit
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.system import System, is_lost
from bot.runtime.entropy import create_id
from bot.storage.records import BOARD, Doc, Outgoing
from bot.ui.common_options import build_flag
from bot.ui.reply.parts import Group, Part, Rule, Small
from bot.ui.reply.reply import (
    OVER,
    PINNED,
    TAKEN_AWAY,
    UNPINNED,
    Button,
    Menu,
    MenuEntry,
    Reply,
)

AFRESH = 50 * 60.0
"""Seconds after which the board is posted as a new message. Some platforms restrict the changes of
older messages.
"""
NAMED = (100, 30, 12, 5, 1)
ROOM = 3_000
"""Maximum number of characters about the sides on a board. The numbers above are tried in order
as the maximum number of names of each state, until the text is short enough.
"""
FURTHER_DOWN = "The board has moved further down"
MOST_CHOICES = 25


@declare_command(
    "game board",
    "A message that always shows the phase, who is up and the units",
    build_flag("off", "stop updating the board", optional=True),
    needs_game=True,
)
async def post_or_remove_board(context: Context) -> Reply:
    """Post the board here, or with `off` remove it.

    A board that was posted before is withdrawn. Raises UserError if no game is on, or if there is
    no board to remove.
    """
    game = context.need_started()
    doc = await context.store.load_doc(BOARD, context.ledger.row)
    context.ledger.is_touched = (
        True  # who knows the game without a board, or with one, reads it anew
    )
    if context.clean_options()["off"]:
        if doc is None:
            raise UserError(
                "This game has no board.", hint=phrase("`/game board` posts one."), code="no-board"
            )
        context.commit.drop_docs.append((BOARD, context.ledger.row))
        context.amendments.append(
            Amendment(
                context.build_topic(doc.data["topic"]),
                lambda _: _build_removed_board("The board has been taken down"),
            )
        )
        return Reply("The board no longer follows the game", private=True)
    if doc is not None:
        context.amendments.append(
            Amendment(
                context.build_topic(doc.data["topic"]),
                lambda _: _build_removed_board(FURTHER_DOWN, TAKEN_AWAY),
            )
        )
        context.commit.withdraw.append(context.build_topic(doc.data["topic"]))
    last_result = doc.data["said"] if doc is not None else ""
    board = build_board(
        context, game, last_result, await load_newest_step(context.store, context.ledger)
    )
    context.about = context.build_topic(_record_board(context, game, last_result, board))
    return board


@declare_button("look", private=True)
async def show_board(context: Context) -> Reply:
    """Show the board privately, without buttons: the button *Board* in a user's own messages."""
    board = build_board(context, context.need_started(), "", 0)
    return replace(board, private=True, pin="", buttons=(), menus=())


def _record_board(context: Context, game: Game, last_result: str, board: Reply) -> str:
    """Store with the commit that the board is posted as a new message, and when.

    `last_result` is the line of the last result on it. Return the new id for its topic.
    """
    about = f"board-{create_id()}"
    data: Json = {
        "topic": about,
        "turn": [game.turn, game.turn_of],
        "since": context.now,
        "said": last_result,
    }
    data["reads"] = _hash_board(board)
    context.commit.docs.append(
        Doc(BOARD, context.ledger.row, data, owner=context.command.where.server)
    )
    return about


async def list_board_updates(
    context: Context, game_before: LoadedGame, reply: Reply
) -> list[Outgoing]:
    """Return the messages that update the board of a game after the events of this command.

    These are a change of the board's message, or with a new turn a new message and the removal of
    the old one. `reply` is the answer of the command.
    """
    ledger = context.ledger
    if not ledger.bodies or game_before.row != ledger.row or not ledger.game.started:
        return []
    doc = await context.store.load_doc(BOARD, ledger.row)
    if doc is None:
        return []
    game = ledger.game
    channels = game_before.places
    topic = context.build_topic(doc.data["topic"])
    last_result = _find_last_result(ledger.bodies, reply, doc.data["said"])
    if game.ended:
        context.commit.drop_docs.append((BOARD, ledger.row))
        context.commit.withdraw.append(topic)
        removed_board = _build_removed_board(f"{game.name} is over").to_json()
        return [Outgoing(channel, {}, 0.0, removed_board, "", topic) for channel in channels]
    board = build_board(
        context, game, last_result, await load_newest_step(context.store, context.ledger)
    )
    if [game.turn, game.turn_of] == doc.data["turn"] and context.now - doc.data["since"] <= AFRESH:
        board_hash = _hash_board(board)
        if board_hash == doc.data.get("reads"):
            return []
        context.commit.docs.append(
            doc._replace(data={**doc.data, "said": last_result, "reads": board_hash})
        )
        return [Outgoing(channel, {}, 0.0, board.to_json(), "", topic) for channel in channels]
    context.commit.withdraw.append(topic)
    about = context.build_topic(_record_board(context, game, last_result, board))
    removed_board = _build_removed_board(FURTHER_DOWN, TAKEN_AWAY).to_json()
    board_json = board.to_json()
    removals = [Outgoing(channel, {}, 0.0, removed_board, "", topic) for channel in channels]
    return [*removals, *(Outgoing(channel, {}, 0.0, board_json, about) for channel in channels)]


def _hash_board(board: Reply) -> str:
    return shorten_hash(sha256(json.dumps(board.to_json(), sort_keys=True).encode()).hexdigest())


def _build_removed_board(title: str, pin: str = UNPINNED) -> Reply:
    """Build the message that takes the place of a removed board."""
    return Reply(title, tone=OVER, boxed=True, pin=pin)


def _find_last_result(bodies: Iterable[Json], reply: Reply, last_result: str) -> str:
    """Return the last combat result with its number; "" if it was undone.

    `last_result` is the one before the events in `bodies`.
    """
    for body in bodies:
        number = f"#{body['number']}"
        if body["kind"] in COMBAT and "upkeep" not in body:
            last_result = f"{reply.title} · {number}"
        elif body["kind"] == "undo" and last_result.endswith(f"#{body['event']}"):
            last_result = ""
    return last_result


def build_board(context: Context, game: Game, last_result: str, undo: int) -> Reply:
    """Build the board: phase, side to play, initiative, units by side and state, last result.

    It has the buttons of the phase. `undo` is the event of its *Undo* button; 0 for none.
    """
    system = context.system
    lines: list[Part] = []
    verb = fit_verb(game.initiative, "has", "have")
    initiative_text = f"{game.initiative} {verb} the initiative" if game.initiative else ""
    status_text = " · ".join(filter(None, (initiative_text, format_passes(game, system))))
    if status_text:
        lines.append(status_text)
    tracks = format_tracks(game, system)
    if tracks:
        lines.append(tracks)
    rules = format_rules_in_force(system, game)
    if rules:
        lines.append(Small(rules))
    sides = (_build_sides(context, game, system, max_names) for max_names in NAMED)
    lines += next(
        (side_lines for side_lines in sides if sum(len(str(part)) for part in side_lines) < ROOM),
        [],
    )
    if last_result:
        lines += [Rule(), f"Last: {last_result}"]
    buttons = list(map(_mark_as_on_board, build_phase_buttons(context, without=("remember",))))
    if undo:
        buttons.append(context.build_undo_button(undo, "board"))
    buttons.append(context.build_button("log", "Log"))
    units = [unit for unit in sort_units(game.units.values()) if not is_lost(unit, system)]
    turn_text = describe_whose_go(game)
    title = (
        f"{format_phase(game, system)}: {turn_text}" if turn_text else format_phase(game, system)
    )
    return Reply(
        title,
        tuple(lines),
        buttons=tuple(buttons),
        across=PHONE_ROW,
        menus=(build_card_menu(context, units, "A unit's card", "Unit's card"),) if units else (),
        quiet=True,
        boxed=True,
        pin=PINNED,
    )


def _mark_as_on_board(button: Button) -> Button:
    """Mark *Done* and *Pass* as buttons of the board, where a player hands over their own move.

    The board may be out of date by a second.
    """
    is_hand_over = button.action.partition(":")[0] in ("done", "pass")
    return button._replace(action=f"{button.action}:{FROM_BOARD}") if is_hand_over else button


def _build_sides(context: Context, game: Game, system: System | None, max_names: int) -> list[Part]:
    """Return the lines of all sides, with a gap before each, and of the units without a side.

    At most `max_names` units are named per state.
    """
    lines: list[Part] = []
    for side in (*game.sides, ""):
        if side_lines := list(_build_side(context, game, side, system, max_names)):
            lines += [Rule(is_drawn=not lines), *side_lines]
    return lines


def _build_side(
    context: Context, game: Game, side: str, system: System | None, max_names: int
) -> Iterable[Part]:
    """Yield the lines of a side: its players, its units by state, and those it lost.

    `side` is "" for the units without a side; nothing if there are none.
    """
    units = [unit for unit in sort_units(game.units.values()) if unit.side == side]
    if side:
        players = context.ledger.list_players(side)
        yield Group(side, ", ".join(players) or describe_no_player(game, side), grave=True)
    elif units:
        yield Group("No side", "", grave=True)
    states: dict[tuple[str, bool], list[RosterUnit]] = {}
    for unit in units:
        if not is_lost(unit, system):
            is_ill = bool(list_conditions(unit, system) or unit.marks & list_lasting_marks(system))
            states.setdefault(
                (format_code_word(describe_condition(unit, system)) or "Ready", is_ill), []
            ).append(unit)
    for (state, grave), same_state_units in sorted(
        states.items(), key=lambda item: (item[0][1], item[0][0] != "Ready")
    ):
        yield Group(state, _format_unit_names(same_state_units, max_names), grave=grave)
    if lost_units := [unit for unit in units if is_lost(unit, system)]:
        yield Small(
            f"{f'{side} lost' if side else 'Lost'}: {_format_unit_names(lost_units, max_names)}"
        )


def _format_unit_names(units: list[RosterUnit], max_names: int) -> str:
    """Return at most `max_names` names of units in one text, and how many more there are.

    The name of their side is left out, because it is above them.
    """
    rest = f" and {len(units) - max_names} more" if len(units) > max_names else ""
    return (
        join_names(
            unit.name.removeprefix(f"{unit.side} ") or unit.name for unit in units[:max_names]
        )
        + rest
    )


def build_card_menu(
    context: Context, units: Iterable[RosterUnit], label: str, short_label: str
) -> Menu:
    """Build a menu whose entries show the cards of the units, at most 25."""
    row = context.ledger.row
    system = context.system
    entries = (
        MenuEntry(f"card:{row}:{unit.handle}", unit.name, describe_for_menu(unit, system))
        for unit in units
    )
    return Menu(label, tuple(islice(entries, MOST_CHOICES)), short_label)
