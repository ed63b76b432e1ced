"""`/game`: start, sides, status; the larger ones live in files of their own. A start while another
game is on puts that aside only if its game master, or a manager, agrees."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.commands.channel_games import describe_replaced_game
from bot.commands.context import Amendment, Context, replace_command
from bot.commands.games.imports import CLAIM_HINT
from bot.commands.requests import PendingRequest, load_open_request
from bot.commands.turns.mentions import remember_play_channel
from bot.commands.turns.turn_card import (
    build_phase_buttons,
    count_buttons_across,
    format_headline,
    remove_buttons,
)
from bot.commands.turns.upkeep import run_upkeep
from bot.game.cups import is_cup
from bot.game.events import get_extensions, set_system
from bot.game.game_cache import is_imported, load_game_by_id
from bot.game.ledger import EventWriter, Ledger
from bot.game.phases import format_phase_title, get_phase_brief, start_first_turn
from bot.game.rights import need_director
from bot.game.roster import add_starting_numbers, count_units, has_left_fight
from bot.game.roster_file import Scenario, find_scenario
from bot.game.sides import MAX_SIDE, find_side, is_valid_side_name
from bot.game.state import Game
from bot.game.tracks import format_tracks
from bot.packs.pack_store import check_joining
from bot.preferences.place_names import build_channel_doc
from bot.preferences.platform_words import get_manager_word
from bot.presentation.events import describe_extension
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.normalize import COMMAS, comparison_key, normalize_name
from bot.rules.text.phrase import phrase
from bot.rulesets.catalog import get_systems
from bot.rulesets.deck_file import list_named_sides
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.system import System
from bot.runtime.entropy import create_id
from bot.storage.base import DAY, DRAFTS_KEPT
from bot.storage.records import Doc
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Button, Reply
from bot.ui.spec import Person
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.cards import apply_seat_changes

CARRY = "carry"
MAX_NAME = 60
MAX_SIDES = 8
START = "start-asked"
KEPT = 7 * DAY


async def start_game(context: Context) -> Reply:
    """A new game in this channel; over one that is on only if its game master agrees."""
    options = context.clean_options()
    _, name, _, _ = _read_start_options(options)
    if context.ledger.row and context.game.started and not context.game.ended:
        return await ask_director(context, name)
    return await begin_game(context)


async def begin_game(context: Context) -> Reply:
    """The new game; who starts it is game master. What was played here until now is kept."""
    options = context.clean_options()
    await context.use_systems_of_game(None)  # a new game has what is enabled here now
    old = context.game if context.ledger.row else None
    aside = describe_replaced_game(context.ledger.was)
    system, name, sides, scenario = _read_start_options(options)
    _check_extensions(system)
    before = context.ledger.row
    game = start_first_turn(
        set_system(Game("", name=name, started=True, sides=sides), system), system
    )
    _check_cups(system, sides)
    if scenario is not None:
        game = replace(
            game,
            units=scenario.units,
            tracks=scenario.tracks,
            turns=scenario.turns,
            wins=scenario.wins,
        )
    offer = scenario is None and old is not None and old.system == system.id and bool(old.units)
    if offer and options.get("carry"):
        assert old is not None
        game = replace(game, units=carry_over_roster(old, sides, system))
    context.begin_game(game, result=format_phase_title(game, system))
    context.commit.docs.append(build_channel_doc(context.command.where))
    begun = format_headline(context.game, system)
    kept = await run_upkeep(context, begun, starts=True)
    told = context.game
    lines: list[Part] = [
        f"{begun}{'' if begun.endswith('?') else '.'} {context.user_name} is game master."
    ]
    if sides and scenario is None:
        lines.append(f"Sides: {', '.join(sides)}.")
    if scenario is not None:
        lines += [scenario.about] if scenario.about else []
        lines.append(phrase("{forces}. `/unit list` shows them.", forces=scenario.forces))
    elif told.units:
        lines.append(f"{count_units(len(told.units))} carried over.")
    lines += [
        *filter(
            None, (get_phase_brief(told, system), format_tracks(told, system, whole_piles=False))
        ),
        *kept,
    ]
    lines += aside
    lines += [
        Small(describe_extension(hash, of))
        for hash, of in get_extensions(Game(""), told.packs).items()
    ]
    lines.append(Small(phrase("`/fair add` mixes your words into the dice before the first roll.")))
    buttons = [
        context.build_button("join", f"Join {side}", side, style="primary") for side in sides
    ]
    if offer and not told.units:
        context.commit.docs.append(
            Doc(
                CARRY,
                context.ledger.row,
                {"row": before},
                context.now + DRAFTS_KEPT,
                context.command.where.server,
            )
        )
        buttons.append(context.build_button("carry", "Carry the roster over"))
    buttons += build_phase_buttons(context, leads="none" if sides else "", folded=True)
    buttons.append(context.build_button("read", "Proof", "proof"))
    return Reply(
        f'{context.user_name} starts "{name}"',
        tuple(lines),
        by=system.title if name != system.title else "",
        buttons=tuple(buttons),
        across=count_buttons_across(buttons),
    )


def _check_cups(system: System, sides: tuple[str, ...]) -> None:
    """Raise UserError where a chit of a cup that leads a phase names another side than the game
    has.
    """
    named = [
        side
        for id in system.decks
        if is_cup(id, system)
        for side in list_named_sides(system.decks[id])
    ]
    if sides and (
        unknown := [
            side for side in named if comparison_key(side) not in map(comparison_key, sides)
        ]
    ):
        hint = phrase('For example: sides="{sides}"', sides=", ".join(dict.fromkeys(named)))
        raise UserError(
            f"A cup of this game has chits of {unknown[0]}.",
            hint=hint,
            option="sides",
            code="unknown-side",
        )


def _check_extensions(system: System) -> None:
    """Raise UserError where two packs here extend a game that cannot be in force together."""
    packs = [
        one
        for one in get_systems().values()
        if isinstance(one, PackSystem) and one.base is not None
    ]
    for one in packs:
        if one.home == system.id and one.version not in system.versions:
            check_joining(one, [other for other in packs if other is not one])


def _read_start_options(
    options: Mapping[str, Any],
) -> tuple[System, str, tuple[str, ...], Scenario | None]:
    """Rules, name, sides and scenario of a new game as typed; a scenario brings its own. Raises
    UserError.
    """
    typed = options["name"]
    sides = read_sides(options["sides"] or "")
    # a menu says whose it is: lnlt/ford
    of, _, wanted = str(options["scenario"] or "").rpartition("/")
    games = [id for id in get_systems() if wanted in get_systems()[id].scenarios]
    of = options["system"] or of or (games[0] if len(games) == 1 else "")
    with_scenario = _find_extension(of, wanted)
    if with_scenario is not None:
        of = with_scenario.home
    if of not in get_systems():
        if wanted and not games:
            raise _build_unknown_scenario_error(wanted)
        hint = phrase("For example: `/game start lnlt`")
        raise UserError("Pick a game or a scenario.", hint=hint, option="system", code="missing")
    system = get_systems()[of]
    if system.base is not None:
        what = f"{system.title} comes with {system.base.title}, and is no game by itself."
        hint = phrase("Start that: `/game start {id}`", id=system.home)
        raise UserError(what, hint=hint, option="system", code="other-system")
    if not wanted:
        return system, _clean_game_name(typed or system.title), sides, None
    scenario = find_scenario(with_scenario or system, wanted)
    if (sides and sides != scenario.sides) or options.get("carry"):  # no field in a form
        what = "carry" if options.get("carry") else "sides"
        raise UserError(
            "A scenario comes with its own sides and units.",
            hint=f"Leave out {what}.",
            option=what,
            code="not-together",
        )
    return system, _clean_game_name(typed or scenario.title), scenario.sides, scenario


def _find_extension(of: str, wanted: str) -> System | None:
    """Return the extension that has the scenario `wanted`, of the game or extension `of`; None if
    none has it, or if the game itself has it.
    """
    game = get_systems().get(of)
    if game is None or not wanted:
        return None
    folded = comparison_key(wanted).replace(" ", "-")
    if folded in game.scenarios:
        return game if game.base is not None else None
    extensions = [one for one in get_systems().values() if one.base is not None and one.home == of]
    return next((one for one in extensions if folded in one.scenarios), None)


def _build_unknown_scenario_error(name: str) -> UserError:
    """Return the error for a scenario that no game has, with the nearest of all games."""
    names = sorted({name for system in get_systems().values() for name in system.scenarios})
    return UserError(
        f'There is no scenario "{name[:40]}".',
        hint=did_you_mean(name, names) or f"There are {', '.join(names)}.",
        option="scenario",
        code="bad-value",
    )


def read_sides(text: str) -> tuple[str, ...]:
    """Sides as typed: `US, VC`. Raises UserError for a name that is too long, doubled, or would
    be misread.
    """
    sides = [name for side in re.split(COMMAS, text) if (name := normalize_name(side))]
    for side in sides:
        if not is_valid_side_name(side):
            what = f'"{side[:40]}" cannot name a side: at most {MAX_SIDE} characters, without ; = or quotation marks.'
            raise UserError(what, option="sides", code="bad-name")
    if len({comparison_key(side) for side in sides}) < len(sides):
        raise UserError("Two sides have the same name.", option="sides", code="given-twice")
    if len(sides) == 1 or len(sides) > MAX_SIDES:
        hint = 'Type: sides="US, VC"'
        raise UserError(
            f"A game has two to {MAX_SIDES} sides, or none.",
            hint=hint,
            option="sides",
            code="bad-value",
        )
    return tuple(sides)


def carry_over_roster(
    old: Game, sides: tuple[str, ...], system: System | None
) -> dict[str, RosterUnit]:
    """The roster of the game before, without eliminated units; sides that are no more are left
    empty. Units get the numbers that their types begin with.
    """
    return {
        key: replace(
            add_starting_numbers(unit, system) if system is not None else unit,
            side=unit.side if unit.side in sides or not sides else "",
        )
        for key, unit in old.units.items()
        if not has_left_fight(unit)
    }


async def press_carry_over(context: Context, _more: str) -> Reply:
    """The button of a new game: take over the roster of the one before, as it was noted when this
    one began. Raises UserError."""
    game = context.need_started()
    need_director(game, context.actor, "carry the roster over")
    noted = await context.store.load_doc(CARRY, context.ledger.row)
    before = await load_game_by_id(context.store, noted.data["row"]) if noted is not None else None
    if before is None or game.units:
        raise UserError(
            "This game has a roster already, or the game before is gone.", code="roster-taken"
        )
    units = carry_over_roster(before.game, game.sides, context.system)
    context.commit.drop_docs.append((CARRY, context.ledger.row))
    context.amendments.append(
        Amendment(context.build_topic(1), lambda said: remove_buttons(said, (CARRY,)))
    )
    context.ledger.add(
        "unit", replace(game, units=units), result=f"{count_units(len(units))} carried over"
    )
    return Reply(f"{context.user_name}: {count_units(len(units))} carried over")


async def join_side(context: Context, named: str | None = None) -> Reply:
    """Play for a side: the one typed, or on the button *Join US*. Raises UserError."""
    game = context.need_started()
    typed = context.command.options.get("side")
    if named is None and game.sides and not typed:
        free = next(
            (side for side in game.sides if side not in game.players.values()), game.sides[0]
        )
        line = phrase("Type: `/game join {side}`", side=quote_value(free))
        raise UserError(
            f"Which side: {' or '.join(game.sides)}?", hint=line, option="side", code="missing"
        )
    side = find_side(game, named or (context.clean_options()["side"] if typed else ""))
    person = context.ledger.ensure_person()
    if (own := game.players.get(person)) is not None:
        hint = "" if own == side else phrase("Leave it first: `/game leave`.")
        error = UserError(f"You already play {own}.", hint=hint, code="side-taken")
        if own != side:
            error.buttons = (context.build_button("leave", f"Leave {own}"),)
        raise error
    now = apply_seat_changes(game, {**game.players, person: side}, {person})
    context.ledger.add("join", now, side=side)
    remember_play_channel(context)
    lines = (CLAIM_HINT,) if context.ledger.find_own_import() is not None else ()
    return Reply(f"{context.user_name} plays {side}", lines)


async def press_leave(context: Context, _about: str) -> Reply:
    """Leave one's side by the button *Leave US*. Raises UserError."""
    return await leave_side(context)


async def leave_side(context: Context) -> Reply:
    """Leave one's side. Raises UserError."""
    game = context.need_started()
    person = context.ledger.find_person()
    if person not in game.players:
        raise UserError("You play no side in this game.", code="not-player")
    players = {other: side for other, side in game.players.items() if other != person}
    now = apply_seat_changes(game, players, {person})
    context.ledger.add("leave", now)
    back = ("Their closed cards go back into the pile.",) if now.cards != game.cards else ()
    return Reply(f"{context.user_name} leaves {game.players[person]}", back)


def _clean_game_name(raw: str) -> str:
    name = " ".join(raw.split())
    if not name or len(name) > MAX_NAME:
        raise UserError(
            f"A game's name has 1 to {MAX_NAME} characters.", option="name", code="bad-name"
        )
    return name


async def ask_director(context: Context, name: str) -> Reply:
    """Ask whoever directs the game that is on; the new one begins as it was asked for."""
    game = context.game
    who = context.command.who
    key = create_id()
    data = {
        "row": context.ledger.row,
        "options": {
            name: value for name, value in context.command.options.items() if value is not None
        },
        "name": who.name,
    }
    request = _build_request(Doc(START, key, data, context.now + KEPT, who.key))
    request.register(context)
    context.about = request.topics[0]
    master = context.ledger.persons.get(game.master)
    called = master.user if master is not None and not is_imported(master) else ""
    decides = context.ledger.get_name(game.master) if master is not None else "The game master"
    return Reply(
        f'{context.user_name} wants to start "{name}" here',
        (
            phrase(
                'That would set "{old}" aside: `/game resume` takes it up again.',
                old=game.name,
            ),
            f"{decides} or a {get_manager_word(context.command.where.key)} decides.",
        ),
        buttons=(
            Button(f"begin:{key}", "Start it", "primary"),
            Button(f"keep:{key}", "Keep playing"),
        ),
        tone=WAITING,
        mention=(called,) if called and called != who.key else (),
    )


async def press_begin_game(context: Context, key: str) -> Reply:
    """The button: the new game begins in the name of who asked for it."""
    doc = await _load_request(context, key)
    need_director(context.game, context.actor, "put it aside")
    _build_request(doc).close_with_note(context, f"{context.user_name} starts it")
    asker = Person(doc.owner, str(doc.data["name"]))
    context = replace_command(context, ("game", "start"), doc.data["options"])
    context.command = replace(context.command, who=asker)
    context.ledger = Ledger(context.ledger.was, EventWriter(asker.key, asker.name, context.now))
    return await begin_game(context)


async def press_keep_game(context: Context, key: str) -> Reply:
    """The button: the game that is on goes on."""
    doc = await _load_request(context, key)
    if doc.owner != context.command.who.key:
        need_director(context.game, context.actor, "decide that")
    _build_request(doc).close_with_note(context, f"{context.user_name} keeps the game that is on")
    return Reply(f'"{context.game.name}" goes on', (f"{context.user_name} keeps it.",))


def _build_request(doc: Doc) -> PendingRequest:
    return PendingRequest(doc, (f"{doc.data['row']}/start-{doc.key}",), "a new game")


async def _load_request(context: Context, key: str) -> Doc:
    gone = UserError(
        "That request is no longer open.",
        hint=phrase("`/game start` asks again."),
        code="not-asked",
    )
    return await load_open_request(context, START, key, gone, row=context.ledger.row)
