"""`/game board`: one message in each channel that shows where the game is, changed in place with
every event.

Which message that is, a document of the game remembers, and how it reads: it is changed when
something on it has changed. With each new turn, and before it is too old to be changed on some
platforms, it is posted afresh, and the one above is taken away; one that is not posted yet never
is.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import islice

from bot.commands.context import Amendment, Context
from bot.commands.turns.turn_card import (
    ON_BOARD,
    PHONE_ROW,
    build_phase_buttons,
    format_passes,
    format_phase,
)
from bot.game.counter_faces import (
    describe_condition,
    describe_for_menu,
    is_lost,
    list_conditions,
    list_lasting_marks,
)
from bot.game.events import COMBAT
from bot.game.game_cache import LoadedGame
from bot.game.phases import describe_whose_go
from bot.game.roster import has_left_fight, sort_units
from bot.game.sides import fit_verb
from bot.game.state import Game, Json
from bot.game.tracks import format_tracks
from bot.game.undo import load_newest_step
from bot.presentation.derived_inputs import format_rules_in_force
from bot.rules.errors import UserError
from bot.rules.inputs.options import format_code_word
from bot.rules.inputs.units import RosterUnit
from bot.rules.proof.chain import shorten_hash
from bot.rules.text.names import join_names
from bot.rules.text.phrase import phrase
from bot.rulesets.system import System
from bot.runtime.entropy import create_id
from bot.storage.records import BOARD, Doc, Outgoing
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
"""Seconds after which it is posted anew: some platforms let nobody change older messages as
often as a game needs.
"""
NAMED = (100, 30, 12, 5, 1)
ROOM = 3_000
"""So many names of units of one state and side, the first that leave a board with fewer
characters than that.
"""
FURTHER_DOWN = "The board is further down"
MOST_CHOICES = 25


async def post_or_remove_board(context: Context) -> Reply:
    """Post the board here, or take it away. Raises UserError."""
    game = context.need_started()
    old = await context.store.load_doc(BOARD, context.ledger.row)
    context.ledger.is_touched = (
        True  # who knows the game without a board, or with one, reads it anew
    )
    if context.clean_options()["off"]:
        if old is None:
            raise UserError(
                "This game has no board.", hint=phrase("`/game board` posts one."), code="no-board"
            )
        context.commit.drop_docs.append((BOARD, context.ledger.row))
        context.amendments.append(
            Amendment(
                context.build_topic(old.data["topic"]),
                lambda _: _build_removed_board("The board was put away"),
            )
        )
        return Reply("The board no longer follows the game", private=True)
    if old is not None:
        context.amendments.append(
            Amendment(
                context.build_topic(old.data["topic"]),
                lambda _: _build_removed_board(FURTHER_DOWN, TAKEN_AWAY),
            )
        )
        context.commit.withdraw.append(context.build_topic(old.data["topic"]))
    said = old.data["said"] if old is not None else ""
    now = build_board(context, game, said, await load_newest_step(context.store, context.ledger))
    context.about = context.build_topic(_record_board(context, game, said, now))
    return now


async def show_board(context: Context) -> Reply:
    """The button *Board* where nobody else is: how the game is, for whoever asks."""
    now = build_board(context, context.need_started(), "", 0)
    return replace(now, private=True, pin="", buttons=(), menus=())


def _record_board(context: Context, game: Game, said: str, now: Reply) -> str:
    """Record that the board is posted as a new message, and return the id of its topic."""
    about = f"board-{create_id()}"
    data: Json = {
        "topic": about,
        "turn": [game.turn, game.turn_of],
        "since": context.now,
        "said": said,
    }
    data["reads"] = _hash_board(now)
    context.commit.docs.append(
        Doc(BOARD, context.ledger.row, data, owner=context.command.where.server)
    )
    return about


async def list_board_updates(context: Context, was: LoadedGame, reply: Reply) -> list[Outgoing]:
    """What the events of this command make of the board of a game: a change of the message, or a
    new one with the new turn."""
    ledger = context.ledger
    if not ledger.bodies or was.row != ledger.row or not ledger.game.started:
        return []
    doc = await context.store.load_doc(BOARD, ledger.row)
    if doc is None:
        return []
    game = ledger.game
    places = was.places
    topic = context.build_topic(doc.data["topic"])
    said = _find_last_result(ledger.bodies, reply, doc.data["said"])
    if game.ended:
        context.commit.drop_docs.append((BOARD, ledger.row))
        context.commit.withdraw.append(topic)
        over = _build_removed_board(f"{game.name} is over").to_json()
        return [Outgoing(place, {}, 0.0, over, "", topic) for place in places]
    now = build_board(context, game, said, await load_newest_step(context.store, context.ledger))
    if [game.turn, game.turn_of] == doc.data["turn"] and context.now - doc.data["since"] <= AFRESH:
        if (reads := _hash_board(now)) == doc.data.get("reads"):
            return []
        context.commit.docs.append(doc._replace(data={**doc.data, "said": said, "reads": reads}))
        return [Outgoing(place, {}, 0.0, now.to_json(), "", topic) for place in places]
    context.commit.withdraw.append(topic)
    about = context.build_topic(_record_board(context, game, said, now))
    old = _build_removed_board(FURTHER_DOWN, TAKEN_AWAY).to_json()
    new = now.to_json()
    away = [Outgoing(place, {}, 0.0, old, "", topic) for place in places]
    return [*away, *(Outgoing(place, {}, 0.0, new, about) for place in places)]


def _hash_board(board: Reply) -> str:
    return shorten_hash(sha256(json.dumps(board.to_json(), sort_keys=True).encode()).hexdigest())


def _build_removed_board(why: str, pin: str = UNPINNED) -> Reply:
    """What is left of a board."""
    return Reply(why, tone=OVER, boxed=True, pin=pin)


def _find_last_result(bodies: Iterable[Json], reply: Reply, before: str) -> str:
    """The last result, as its answer told it; gone when it was undone."""
    for body in bodies:
        number = f"#{body['number']}"
        if body["kind"] in COMBAT and "upkeep" not in body:
            before = f"{reply.title} · {number}"
        elif body["kind"] == "undo" and before.endswith(f"#{body['event']}"):
            before = ""
    return before


def build_board(context: Context, game: Game, said: str, undo: int) -> Reply:
    """The board: phase and whose go, initiative, both sides by state, the last result, the
    buttons of the phase.
    """
    system = context.system
    lines: list[Part] = []
    has = fit_verb(game.initiative, "has", "have")
    holds = f"{game.initiative} {has} the initiative" if game.initiative else ""
    if about := " · ".join(filter(None, (holds, format_passes(game, system)))):
        lines.append(about)
    if tracks := format_tracks(game, system):
        lines.append(tracks)
    if rules := format_rules_in_force(system, game):
        lines.append(Small(rules))
    sides = (_build_sides(context, game, system, most) for most in NAMED)
    lines += next((found for found in sides if sum(len(str(part)) for part in found) < ROOM), [])
    if said:
        lines += [Rule(), f"Last: {said}"]
    buttons = list(map(_mark_as_on_board, build_phase_buttons(context, without=("remember",))))
    if undo:
        buttons.append(context.build_button("undo", "Undo", undo, "board"))
    buttons.append(context.build_button("log", "Log"))
    left = [unit for unit in sort_units(game.units.values()) if not has_left_fight(unit)]
    whose = describe_whose_go(game)
    title = f"{format_phase(game, system)}: {whose}" if whose else format_phase(game, system)
    return Reply(
        title,
        tuple(lines),
        buttons=tuple(buttons),
        across=PHONE_ROW,
        menus=(build_card_menu(context, left, "A unit's card", "Unit's card"),) if left else (),
        quiet=True,
        boxed=True,
        pin=PINNED,
    )


def _mark_as_on_board(button: Button) -> Button:
    """Return *Done* and *Pass* with a mark that they are on the board, which may be a second
    behind: there a player hands over their own move.
    """
    is_hand_over = button.action.partition(":")[0] in ("done", "pass")
    return button._replace(action=f"{button.action}{ON_BOARD}") if is_hand_over else button


def _build_sides(context: Context, game: Game, system: System | None, most: int) -> list[Part]:
    """All sides, a gap before each; of each state so many names at most."""
    found: list[Part] = []
    for side in (*game.sides, ""):
        if told := list(_build_side(context, game, side, system, most)):
            found += [Rule(is_drawn=not found), *told]
    return found


def _build_side(
    context: Context, game: Game, side: str, system: System | None, most: int
) -> Iterable[Part]:
    units = [unit for unit in sort_units(game.units.values()) if unit.side == side]
    if side:
        players = context.ledger.list_players(side)
        yield Group(side, ", ".join(players) or "nobody yet", grave=True)
    elif units:
        yield Group("No side", "", grave=True)
    states: dict[tuple[str, bool], list[RosterUnit]] = {}
    for unit in units:
        if not is_lost(unit, system):
            is_ill = bool(list_conditions(unit, system) or unit.marks & list_lasting_marks(system))
            states.setdefault(
                (format_code_word(describe_condition(unit, system)) or "Ready", is_ill), []
            ).append(unit)
    for (state, grave), alike in sorted(
        states.items(), key=lambda item: (item[0][1], item[0][0] != "Ready")
    ):
        yield Group(state, _format_unit_names(alike, most), grave=grave)
    if lost := [unit for unit in units if is_lost(unit, system)]:
        yield Small(f"{f'{side} lost' if side else 'Lost'}: {_format_unit_names(lost, most)}")


def _format_unit_names(units: list[RosterUnit], most: int) -> str:
    """Their names without that of their side, which is said above."""
    more = f" and {len(units) - most} more" if len(units) > most else ""
    return (
        join_names(unit.name.removeprefix(f"{unit.side} ") or unit.name for unit in units[:most])
        + more
    )


def build_card_menu(context: Context, units: Iterable[RosterUnit], label: str, short: str) -> Menu:
    """A menu whose choices show a unit's card."""
    row = context.ledger.row
    system = context.system
    entries = (
        MenuEntry(f"card:{row}:{unit.handle}", unit.name, describe_for_menu(unit, system))
        for unit in units
    )
    return Menu(label, tuple(islice(entries, MOST_CHOICES)), short)
