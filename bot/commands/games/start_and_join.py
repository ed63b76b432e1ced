"""`/game start`, `join`, `leave`: start a game in a channel, and take or leave a side.

If a game is on, its game master or a manager must agree before a new one takes its place.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from bot.commands.channel_games import describe_replaced_game
from bot.commands.context import Amendment, Context, replace_command
from bot.commands.declare import ButtonOf, declare_button, declare_command
from bot.commands.games.imports import CLAIM_HINT
from bot.commands.requests import PendingRequest, load_open_request
from bot.commands.turns.mentions import remember_play_channel
from bot.commands.turns.turn_card import (
    build_add_units_buttons,
    build_phase_buttons,
    count_buttons_across,
    format_headline,
    remove_buttons,
)
from bot.commands.turns.upkeep import run_upkeep
from bot.game.cups import is_cup
from bot.game.events import get_extensions, set_system
from bot.game.free_play_seed import PreparedSeed
from bot.game.loaded_game import is_imported
from bot.game.phases import format_phase_title, get_phase_brief, start_first_turn
from bot.game.rights import need_director
from bot.game.roster import add_starting_numbers, count_units
from bot.game.roster_file import Scenario, find_scenario
from bot.game.sides import (
    MAX_SIDE,
    find_side,
    fit_verb,
    is_valid_side_name,
    list_free_sides,
    list_joinable_sides,
)
from bot.game.state import Game
from bot.game.tracks import format_tracks
from bot.loading.load_game import load_game_by_id
from bot.packs.pack_store import check_joining
from bot.preferences.place_names import build_channel_doc
from bot.preferences.platform_words import get_manager_word
from bot.presentation.events import describe_extension
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.options import Option
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.names import join_names
from bot.rules.text.normalize import COMMAS, comparison_key, normalize_name
from bot.rules.text.phrase import phrase
from bot.rulesets.deck_file import list_named_sides
from bot.rulesets.packs.pack import PackSystem
from bot.rulesets.rule_sets import RuleSets
from bot.rulesets.system import System, is_lost
from bot.runtime.entropy import create_id
from bot.storage.base import DAY, DRAFTS_KEPT
from bot.storage.records import Doc
from bot.ui.common_options import build_flag, build_optional
from bot.ui.reply.parts import Part, Small
from bot.ui.reply.reply import WAITING, Button, Reply
from bot.ui.spec import Person
from bot.ui.typing.command_text import quote_value
from bot.verification.follows.cards import apply_seat_changes

SIDE = Option("side", "str", "side", complete="side")

CARRY = "carry"
MAX_NAME = 60
MAX_SIDES = 8
START = "start-asked"
REQUEST_SECONDS = 7 * DAY
"""Seconds after which a request to start anew lapses."""


@declare_command(
    "game start",
    "Start a new game in this channel",
    build_optional(
        "system",
        "leave blank if you pick a scenario",
        type="enum",
        values=(),
        complete="system",
        label="Game",
    ),
    build_optional(
        "name",
        "blank: the name of the scenario or game; it stays in the log",
        max=60,
        label="Title",
    ),
    build_optional("sides", "for example US, VC; leave blank if you pick a scenario"),
    build_optional(
        "scenario", "sides and units ready to play, such as ford of lnlt", complete="scenario"
    ),
    build_flag(
        "carry", "carry over the roster of the previous game", label="Carry the roster over"
    ),
    example='lnlt "Hill 875" sides="US, VC"',
    title="Start a game",
    verb="Start",
    needs_game=True,
)
async def start_game(context: Context) -> Reply:
    """Start a new game in this channel, unless one is on here.

    If one is on, post a request to its game master instead. Raises UserError for a game, scenario,
    name or sides that cannot be used, in both cases.
    """
    return await start_or_ask(context)


async def start_or_ask(context: Context, *, takes_side: bool = False) -> Reply:
    """Start a new game as `/game start` does, or ask the game master of the one that is on.

    With `takes_side` the user joins the side that does not play itself, once the game begins; none
    if there are several. Raises UserError as `start_game` does.
    """
    _check_scenario_as_game(context.command.options.get("system"), context.systems)
    options = context.clean_options()
    new_game = read_new_game(options, context.systems)
    if context.ledger.row and context.game.started and not context.game.ended:
        return await ask_director(context, new_game.name, takes_side=takes_side)
    return await begin_game(context, takes_side=takes_side)


class NewGame(NamedTuple):
    """What a game is started with: its rule set, name, sides, and a scenario if it has one.

    `scenario_id` is the name of its scenario, `PACK/NAME` if an extension has it.
    """

    system: System
    name: str
    sides: tuple[str, ...]
    scenario: Scenario | None = None
    scenario_id: str = ""


async def begin_game(context: Context, *, takes_side: bool = False) -> Reply:
    """Begin the new game with the user as game master, and return its first card.

    With `takes_side` the user joins the only side that does not play itself.
    The game that was played here is kept. Raises UserError for a game, scenario, name or sides that
    cannot be used, and if the packs enabled here do not go together.
    """
    options = context.clean_options()
    await context.use_systems_of_game(None)  # a new game has what is enabled here now
    previous_game = context.game if context.ledger.row else None
    previous_row = context.ledger.row
    new_game = read_new_game(options, context.systems)
    system = new_game.system
    can_carry_over = (
        new_game.scenario is None
        and previous_game is not None
        and previous_game.system == system.id
        and bool(previous_game.units)
    )
    units: dict[str, RosterUnit] = {}
    if can_carry_over and options.get("carry"):
        assert previous_game is not None
        units = carry_over_roster(previous_game, new_game.sides, system)
    lines = await set_up_game(context, new_game, units=units)
    lines.append(
        Small(phrase("So that nobody can foresee the dice, add words of your own: `/fair add`"))
    )
    buttons = [
        context.build_button("join", f"Join {side}", side, style="primary")
        for side in new_game.sides
        if side not in context.game.self_played
    ]
    if can_carry_over and not context.game.units:
        expires = context.now + DRAFTS_KEPT
        server = context.command.where.server
        context.commit.docs.append(
            Doc(CARRY, context.ledger.row, {"row": previous_row}, expires, server)
        )
        buttons.append(context.build_button("carry", "Carry the roster over"))
    buttons += build_add_units_buttons(context)
    leads = "none" if new_game.sides else ""
    buttons += build_phase_buttons(context, leads=leads, folded=True)
    buttons.append(context.build_proof_button())
    card = Reply(
        f'{context.user_name} starts "{new_game.name}"',
        tuple(lines),
        by=system.title if new_game.name != system.title else "",
        buttons=tuple(buttons),
        across=count_buttons_across(buttons),
    )
    free_sides = list_free_sides(context.game)
    if not takes_side or len(free_sides) != 1:
        return card
    await join_side(replace_command(context, ("game", "join"), {"side": free_sides[0]}))
    return _describe_own_side(context, card, free_sides[0])


def _describe_own_side(context: Context, reply: Reply, side: str) -> Reply:
    """Add to the card of the new game which side the user plays, and return it.

    Remove the buttons to join a side, and highlight the first of the buttons that remain.
    """
    others = join_names([*context.game.self_played])
    buttons = tuple(button for button in reply.buttons if not button.action.startswith("join:"))
    if buttons:
        buttons = (buttons[0]._replace(style="primary"), *buttons[1:])
    verb = "plays itself" if len(context.game.self_played) == 1 else "play themselves"
    line = f"You play {side}; {others} {verb}, by a table of orders."
    return replace(reply, lines=(*reply.lines[:1], line, *reply.lines[1:]), buttons=buttons)


async def set_up_game(
    context: Context,
    new_game: NewGame,
    *,
    units: dict[str, RosterUnit] | None = None,
    prepared: PreparedSeed | None = None,
    series: str = "",
    names_replaced: bool = True,
) -> list[Part]:
    """Begin a game in this channel with the user as game master, and return the lines about it.

    The game that was played here is kept, and one of the lines says so if `names_replaced`. `units`
    are the roster, unless a scenario brings one. `prepared` is a seed with a commitment that was
    shown before. `series` is the id of the first game of its series. Raises UserError if the packs
    enabled here do not go together.
    """
    replaced_game = context.ledger.loaded if names_replaced else None
    replaced_lines = describe_replaced_game(replaced_game)
    system = new_game.system
    sides = new_game.sides
    scenario = new_game.scenario
    _check_extensions(system, context.systems)
    self_played = scenario.self_played if scenario is not None else ()
    empty_game = Game("", name=new_game.name, started=True, sides=sides, self_played=self_played)
    game = start_first_turn(set_system(empty_game, system), system)
    _check_cups(system, sides)
    if scenario is not None:
        game = replace(
            game,
            units=scenario.units,
            tracks=scenario.tracks,
            turns=scenario.turns,
            wins=scenario.wins,
        )
    elif units:
        game = replace(game, units=units)
    context.begin_game(
        game,
        prepared=prepared,
        result=format_phase_title(game, system),
        scenario=new_game.scenario_id,
        series=series,
    )
    context.commit.docs.append(build_channel_doc(context.command.where))
    headline = format_headline(context.game, system)
    upkeep_lines = await run_upkeep(context, headline, starts=True)
    stop = "" if headline.endswith("?") else "."
    lines: list[Part] = [
        f"{headline}{stop} {context.user_name} is game master.",
        *_describe_forces(context.game, sides, scenario),
        *_describe_first_phase(context.game, system),
        *upkeep_lines,
        *replaced_lines,
    ]
    lines += [
        Small(describe_extension(hash, extended, context.systems))
        for hash, extended in get_extensions(Game(""), context.game.packs, context.systems).items()
    ]
    return lines


def _describe_forces(game: Game, sides: tuple[str, ...], scenario: Scenario | None) -> list[Part]:
    """Return the lines on the sides of a new game and its units: those of the scenario, or those
    carried over.
    """
    if scenario is not None:
        about = [scenario.about] if scenario.about else []
        return [*about, phrase("{forces}. `/unit list` shows them.", forces=scenario.forces)]
    lines: list[Part] = []
    if sides:
        lines.append(f"Sides: {', '.join(sides)}.")
    if game.units:
        lines.append(f"{count_units(len(game.units))} carried over.")
    return lines


def _describe_first_phase(game: Game, system: System) -> list[Part]:
    """Return the brief of the first phase and the tracks of a new game, without those that are
    empty.
    """
    lines = (get_phase_brief(game, system), format_tracks(game, system, whole_piles=False))
    return [line for line in lines if line]


def _check_cups(system: System, sides: tuple[str, ...]) -> None:
    """Raise UserError if a cup that leads a phase has chits of a side that the game does not have.

    A game without sides is not checked.
    """
    cup_sides = [
        side
        for id in system.decks
        if is_cup(id, system)
        for side in list_named_sides(system.decks[id])
    ]
    if not sides:
        return
    folded_sides = [comparison_key(side) for side in sides]
    unknown = [side for side in cup_sides if comparison_key(side) not in folded_sides]
    if unknown:
        hint = phrase('For example: sides="{sides}"', sides=", ".join(dict.fromkeys(cup_sides)))
        raise UserError(
            f"This game's cup has chits for {unknown[0]}.",
            hint=hint,
            option="sides",
            code="unknown-side",
        )


def _check_extensions(system: System, systems: RuleSets) -> None:
    """Raise UserError if two packs that are enabled here both extend the game, but cannot be in
    force together.
    """
    packs = [pack for pack in systems.values() if isinstance(pack, PackSystem)]
    extensions = [pack for pack in packs if pack.base is not None]
    for pack in extensions:
        if pack.home == system.id and pack.version not in system.versions:
            check_joining(pack, [other for other in extensions if other is not pack])


def read_new_game(options: Mapping[str, Any], systems: RuleSets) -> NewGame:
    """Return the new game that the options of `/game start` describe, as typed.

    A scenario comes with its own sides. Raises UserError for an unknown game or scenario, a name or
    sides that cannot be used, and for a scenario together with other sides or with `carry`.
    """
    name = options["name"]
    sides = read_sides(options["sides"] or "")
    # The menu of scenarios writes the game before its scenario: lnlt/ford
    menu_game, _, scenario_name = str(options["scenario"] or "").rpartition("/")
    system, extension = _find_game_to_start(options["system"] or menu_game, scenario_name, systems)
    if not scenario_name:
        if not sides and not options.get("carry"):
            _check_scenario_as_name(name, system)
        return NewGame(system, _clean_game_name(name or system.title), sides)
    scenario = find_scenario(extension or system, scenario_name)
    if (sides and sides != scenario.sides) or options.get("carry"):  # no field in a form
        option = "carry" if options.get("carry") else "sides"
        raise UserError(
            "A scenario comes with its own sides and units.",
            hint=f"Leave out {option}.",
            option=option,
            code="not-together",
        )
    scenario_id = _make_scenario_id(scenario_name)
    if extension is not None:
        scenario_id = f"{extension.id}/{scenario_id}"
    title = _clean_game_name(name or scenario.title)
    return NewGame(system, title, scenario.sides, scenario, scenario_id)


def _check_scenario_as_game(typed: object, systems: RuleSets) -> None:
    """Raise UserError if a scenario was typed in the place of the game: `/game start ford`."""
    if not isinstance(typed, str) or comparison_key(typed) in systems:
        return
    for system in systems.values():
        if _make_scenario_id(typed) in system.scenarios:
            raise _build_scenario_error(typed, system, option="system")


def _check_scenario_as_name(name: str | None, system: System) -> None:
    """Raise UserError if a scenario was typed as the name of a game: `/game start lnlt ford`.

    A game may be called "Ford".
    """
    if name and name in system.scenarios:
        raise _build_scenario_error(name, system, option="name")


def _make_scenario_id(typed: str) -> str:
    """Return the id that a scenario with the typed name has."""
    return comparison_key(typed).replace(" ", "-")


def _build_scenario_error(typed: str, system: System, *, option: str) -> UserError:
    """Return the error for a scenario that was typed as another option."""
    scenario = _make_scenario_id(typed)
    hint = phrase("Start it: `/game start {id} scenario={name}`", id=system.home, name=scenario)
    message = f"{scenario} is a scenario of {system.title}."
    return UserError(message, hint=hint, option=option, code="bad-name")


def _format_start_example(systems: RuleSets) -> str:
    """Return what `/game start` can take here: a game, with its first scenario if it has one."""
    for id in ("lnlt", *systems):
        if id in systems and systems[id].scenarios:
            return f"{id} scenario={next(iter(systems[id].scenarios))}"
    return next(iter(systems), "lnlt")


def _find_game_to_start(
    game_id: str, scenario_name: str, systems: RuleSets
) -> tuple[System, System | None]:
    """Return the game to start, and its extension that has the scenario, if an extension has it.

    Without `game_id` the only game that has the scenario is started. Raises UserError if that
    leaves no game, and for an extension by itself.
    """
    games = [id for id in systems if scenario_name in systems[id].scenarios]
    if not game_id and len(games) == 1:
        game_id = games[0]
    extension = _find_extension(game_id, scenario_name, systems)
    if extension is not None:
        game_id = extension.home
    if game_id not in systems:
        if scenario_name and not games:
            raise _build_unknown_scenario_error(scenario_name, systems)
        example = _format_start_example(systems)
        hint = phrase("For example: `/game start {example}`", example=example)
        raise UserError("Pick a game or a scenario.", hint=hint, option="system", code="missing")
    system = systems[game_id]
    if system.base is not None:
        message = f"{system.title} is an add-on to {system.base.title}, not a game in itself."
        hint = phrase("Start that game: `/game start {id}`", id=system.home)
        raise UserError(message, hint=hint, option="system", code="other-system")
    return system, extension


def _find_extension(game_id: str, scenario_name: str, systems: RuleSets) -> System | None:
    """Return the extension that has the scenario. `game_id` is an extension or the game that it
    extends.

    Return None if none has it, or if the game itself has it.
    """
    game = systems.get(game_id)
    if game is None or not scenario_name:
        return None
    folded = comparison_key(scenario_name).replace(" ", "-")
    if folded in game.scenarios:
        return game if game.base is not None else None
    for system in systems.values():
        is_extension = system.base is not None and system.home == game_id
        if is_extension and folded in system.scenarios:
            return system
    return None


def _build_unknown_scenario_error(name: str, systems: RuleSets) -> UserError:
    """Return the error for a scenario that no game has. Its hint is the scenario of any game with
    the nearest name, or the list of all.
    """
    all_names = {scenario for system in systems.values() for scenario in system.scenarios}
    names = sorted(all_names)
    return UserError(
        f'There is no scenario "{name[:40]}".',
        hint=did_you_mean(name, names) or f"Choose one of {', '.join(names)}.",
        option="scenario",
        code="bad-value",
    )


def read_sides(text: str) -> tuple[str, ...]:
    """Return the sides as typed: `US, VC`. An empty text gives no sides.

    Raises UserError for a name that is too long, used twice, or would be misread, and for one side
    or more than eight.
    """
    names = [normalize_name(side) for side in re.split(COMMAS, text)]
    sides = [name for name in names if name]
    for side in sides:
        if not is_valid_side_name(side):
            raise UserError(
                f'"{side[:40]}" cannot be the name of a side: use at most {MAX_SIDE} characters, '
                "without ; = or quotation marks.",
                option="sides",
                code="bad-name",
            )
    if len({comparison_key(side) for side in sides}) < len(sides):
        raise UserError("Two sides have the same name.", option="sides", code="given-twice")
    if len(sides) == 1 or len(sides) > MAX_SIDES:
        hint = 'Type: sides="US, VC"'
        raise UserError(
            f"A game has 2 to {MAX_SIDES} sides, or none.",
            hint=hint,
            option="sides",
            code="bad-value",
        )
    return tuple(sides)


def carry_over_roster(
    previous_game: Game, sides: tuple[str, ...], system: System | None
) -> dict[str, RosterUnit]:
    """Return the roster of the previous game, without those out of the game, for a game with `sides`.

    Units of a side that the new game does not have lose their side. Units get the numbers that
    their types begin with.
    """
    units: dict[str, RosterUnit] = {}
    for key, unit in previous_game.units.items():
        if is_lost(unit, system):
            continue
        side = unit.side if unit.side in sides or not sides else ""
        new_unit = add_starting_numbers(unit, system) if system is not None else unit
        units[key] = replace(new_unit, side=side)
    return units


@declare_button("carry", of=ButtonOf.GAME)
async def press_carry_over(context: Context) -> Reply:
    """Take over the roster of the previous game, by the button on the card of a new game.

    Raises UserError if this game has units already, or if the previous game was deleted.
    """
    game = context.need_started()
    need_director(game, context.actor, "carry the roster over")
    doc = await context.store.load_doc(CARRY, context.ledger.row)
    previous = await load_game_by_id(context.store, doc.data["row"]) if doc is not None else None
    if previous is None or game.units:
        raise UserError(
            "This game already has a roster, or the previous game is gone.", code="roster-taken"
        )
    units = carry_over_roster(previous.game, game.sides, context.system)
    context.commit.drop_docs.append((CARRY, context.ledger.row))
    context.amendments.append(
        Amendment(context.build_topic(1), lambda reply: remove_buttons(reply, (CARRY,)))
    )
    context.ledger.add(
        "unit", replace(game, units=units), result=f"{count_units(len(units))} carried over"
    )
    return Reply(f"{context.user_name}: {count_units(len(units))} carried over")


@declare_command(
    "game join",
    "Join a side",
    SIDE,
    build_flag("over", "take over a side that plays itself", label="Take it over"),
    example="US",
    needs_game=True,
)
@declare_button("join", of=ButtonOf.GAME)
async def join_side(context: Context, button_side: str | None = None) -> Reply:
    """Join a side: `button_side` of a button such as *Join US*, otherwise the side that was
    typed.

    Raises UserError if the side is missing or unknown, or if the user already plays one.
    """
    game = context.need_started()
    typed = context.command.options.get("side")
    if button_side is None and game.sides and not typed:
        free_sides = list_free_sides(game) or list_joinable_sides(game)
        line = phrase("Type: `/game join {side}`", side=quote_value(free_sides[0]))
        raise UserError(
            f"Which side: {' or '.join(list_joinable_sides(game))}?",
            hint=line,
            option="side",
            code="missing",
        )
    side = find_side(game, button_side or (context.clean_options()["side"] if typed else ""))
    person = context.ledger.ensure_person()
    if (current_side := game.players.get(person)) is not None:
        hint = "" if current_side == side else phrase("Leave it first: `/game leave`.")
        error = UserError(f"You already play {current_side}.", hint=hint, code="side-taken")
        if current_side != side:
            error.buttons = (context.build_button("leave", f"Leave {current_side}"),)
        raise error
    takes_over = button_side is None and bool(context.command.options.get("over"))
    if side in game.self_played and not takes_over:
        hint = phrase("Take it over, for good: `/game join {side} over`", side=quote_value(side))
        verb = fit_verb(side, "plays itself", "play themselves")
        error = UserError(f"{side} {verb} here.", hint=hint, code="plays-itself")
        error.buttons = (context.build_button("joinover", f"Take over {side}", side),)
        raise error
    return _join(context, side)


@declare_button("joinover", of=ButtonOf.GAME)
async def press_take_over(context: Context, side: str) -> Reply:
    """Take over a side that plays itself. Raises UserError if the user already plays one."""
    game = context.need_started()
    person = context.ledger.find_person()
    if person in game.players:
        raise UserError(f"You already play {game.players[person]}.", code="side-taken")
    return _join(context, find_side(game, side))


def _join(context: Context, side: str) -> Reply:
    """Seat the user at a side, and return the answer, with a button that adds the first units or
    shows those that there are.
    """
    take_side(context, side)
    lines = (CLAIM_HINT,) if context.ledger.find_own_import() is not None else ()
    buttons = build_add_units_buttons(context)
    if context.game.units:
        buttons = (Button("look:", "Board"),)
    return Reply(f"{context.user_name} plays {side}", lines, buttons=buttons)


def take_side(context: Context, side: str) -> None:
    """Seat the user at a side of the game that they do not play yet, and record it.

    A side that plays itself is taken over for good.
    """
    game = context.game
    person = context.ledger.ensure_person()
    self_played = tuple(name for name in game.self_played if name != side)
    game_after = replace(
        apply_seat_changes(game, {**game.players, person: side}, {person}), self_played=self_played
    )
    context.ledger.add("join", game_after, side=side)
    remember_play_channel(context)


@declare_button("leave", of=ButtonOf.GAME)
async def press_leave(context: Context) -> Reply:
    """Leave the user's side, by the button *Leave US*. Raises UserError if the user plays no side."""
    return await leave_side(context)


@declare_command("game leave", "Leave your side", needs_game=True)
async def leave_side(context: Context) -> Reply:
    """Leave the user's side. Raises UserError if the user plays no side.

    The closed cards of their hand go back into the pile, unless another player of the side still
    holds that hand.
    """
    game = context.need_started()
    person = context.ledger.find_person()
    if person not in game.players:
        raise UserError("You don't have a side in this game.", code="not-player")
    players = {other: side for other, side in game.players.items() if other != person}
    game_after = apply_seat_changes(game, players, {person})
    context.ledger.add("leave", game_after)
    lines: tuple[str, ...] = ()
    if game_after.cards != game.cards:
        lines = ("Their hidden cards go back into the pile.",)
    return Reply(f"{context.user_name} leaves {game.players[person]}", lines)


def _clean_game_name(raw: str) -> str:
    """Return the name with single spaces. Raises UserError if it is empty or too long."""
    name = " ".join(raw.split())
    if not name or len(name) > MAX_NAME:
        raise UserError(
            f"A game's name must have 1 to {MAX_NAME} characters.", option="name", code="bad-name"
        )
    return name


async def ask_director(context: Context, name: str, *, takes_side: bool = False) -> Reply:
    """Return the request to start a new game named `name`, for the game master of the game that is
    on. `takes_side` is kept for `begin_game`.

    The options of the command are stored with the request, which lapses after REQUEST_SECONDS.
    """
    game = context.game
    user = context.command.who
    key = create_id()
    options = {
        option: value for option, value in context.command.options.items() if value is not None
    }
    data = {
        "row": context.ledger.row,
        "options": options,
        "name": user.name,
        "takes_side": takes_side,
    }
    request = _build_request(Doc(START, key, data, context.now + REQUEST_SECONDS, user.key))
    request.register(context)
    context.about = request.topics[0]
    master = context.ledger.persons.get(game.master)
    master_user = master.user if master is not None and not is_imported(master) else ""
    master_name = context.ledger.get_name(game.master) if master is not None else "The game master"
    manager_word = get_manager_word(context.command.where.key)
    pause = phrase('That would pause "{old}": `/game resume` continues it.', old=game.name)
    buttons = (
        Button(f"begin:{key}", "Start it", "primary"),
        Button(f"keep:{key}", "Keep playing"),
    )
    if context.actor.directs:
        return Reply(f'Start "{name}" here?', (pause,), buttons=buttons, tone=WAITING)
    return Reply(
        f'{context.user_name} wants to start "{name}" here',
        (pause, f"It's up to {master_name} or a {manager_word}."),
        buttons=buttons,
        tone=WAITING,
        mention=(master_user,) if master_user and master_user != user.key else (),
    )


@declare_button("begin")
async def press_begin_game(context: Context, key: str) -> Reply:
    """Begin the new game in the name of the user who asked for it, by the button *Start it*.

    Raises UserError for a user who does not direct the game that is on, and for a closed request.
    """
    doc = await _load_request(context, key)
    need_director(context.game, context.actor, "pause it")
    _build_request(doc).close_with_note(context, f"{context.user_name} starts it")
    asker = Person(doc.owner, str(doc.data["name"]))
    context = replace_command(context, ("game", "start"), doc.data["options"])
    context.act_as(asker)
    return await begin_game(context, takes_side=bool(doc.data.get("takes_side")))


@declare_button("keep")
async def press_keep_game(context: Context, key: str) -> Reply:
    """Close the request for a new game, by the button *Keep playing*. The game that is on
    continues.

    Raises UserError for a user who neither asked nor directs the game, and for a closed request.
    """
    doc = await _load_request(context, key)
    if doc.owner != context.command.who.key:
        need_director(context.game, context.actor, "decide that")
    _build_request(doc).close_with_note(context, f"{context.user_name} keeps the current game")
    return Reply(f'"{context.game.name}" goes on', (f"{context.user_name} keeps it.",))


def _build_request(doc: Doc) -> PendingRequest:
    return PendingRequest(doc, (f"{doc.data['row']}/start-{doc.key}",), "a new game")


async def _load_request(context: Context, key: str) -> Doc:
    """Return the open request with this key. Raises UserError if it is closed, or of another game."""
    return await load_open_request(context, START, key, "game start", row=context.ledger.row)
