"""`/game`: start, sides, status; the larger ones live in files of their own. A start while another
game is on puts that aside only if its game master, or a manager, agrees."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.answers.events import extends_words
from bot.commands.channel_games import put_aside
from bot.commands.context import Amendment, Context, repeated
from bot.commands.games.imports import CLAIM_HINT
from bot.commands.requests import Request, open_request
from bot.commands.turns.mentions import take_seat
from bot.commands.turns.turn_card import across_of, headline, phase_buttons, without
from bot.commands.turns.upkeep import run_upkeep
from bot.game.cups import is_cup
from bot.game.events import extends_of, with_system
from bot.game.ledger import Ledger, Writer
from bot.game.loaded import game_of, is_imported
from bot.game.phases import brief_of, first_turn, phase_title
from bot.game.rights import need_director
from bot.game.roster import count_units, is_gone, with_starting_numbers
from bot.game.roster_file import Scenario, find_scenario
from bot.game.sides import MAX_SIDE, find_side, may_be_called
from bot.game.state import Game
from bot.game.tracks import tracks_line
from bot.interface.reply.parts import Part, Small
from bot.interface.reply.reply import WAITING, Button, Reply
from bot.interface.spec import Person
from bot.interface.typing.command_text import quoted
from bot.packs.pack_store import check_joining
from bot.places.place_names import channel_doc
from bot.places.platform_words import manager_word
from bot.process.entropy import new_id
from bot.rules.errors import UserError, did_you_mean
from bot.rules.inputs.units import RosterUnit
from bot.rules.text.normalize import COMMAS, comparison_key, normalize_name
from bot.rules.text.phrase import phrase
from bot.stores.base import DAY, DRAFTS_KEPT
from bot.stores.records import Doc
from bot.systems.catalog import systems
from bot.systems.deck_file import sides_named
from bot.systems.packs.pack import PackSystem
from bot.systems.system import System
from bot.verification.follows.cards import seated

CARRY = "carry"
MAX_NAME = 60
MAX_SIDES = 8
START = "start-asked"
KEPT = 7 * DAY


async def start(context: Context) -> Reply:
    """A new game in this channel; over one that is on only if its game master agrees."""
    options = context.options()
    _, name, _, _ = _asked_for(options)
    if context.ledger.row and context.game.started and not context.game.ended:
        return await ask(context, name)
    return await begin_game(context)


async def begin_game(context: Context) -> Reply:
    """The new game; who starts it is game master. What was played here until now is kept."""
    options = context.options()
    await context.look_with(None)  # a new game has what is enabled here now
    old = context.game if context.ledger.row else None
    aside = put_aside(context.ledger.was)
    system, name, sides, scenario = _asked_for(options)
    _check_extensions(system)
    before = context.ledger.row
    game = first_turn(with_system(Game("", name=name, started=True, sides=sides), system), system)
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
        game = replace(game, units=carried(old, sides, system))
    context.begin(game, result=phase_title(game, system))
    context.commit.docs.append(channel_doc(context.command.where))
    begun = headline(context.game, system)
    kept = await run_upkeep(context, begun, starts=True)
    told = context.game
    lines: list[Part] = [
        f"{begun}{'' if begun.endswith('?') else '.'} {context.who} is game master."
    ]
    if sides and scenario is None:
        lines.append(f"Sides: {', '.join(sides)}.")
    if scenario is not None:
        lines += [scenario.about] if scenario.about else []
        lines.append(phrase("{forces}. `/unit list` shows them.", forces=scenario.forces))
    elif told.units:
        lines.append(f"{count_units(len(told.units))} carried over.")
    lines += [
        *filter(None, (brief_of(told, system), tracks_line(told, system, whole_piles=False))),
        *kept,
    ]
    lines += aside
    lines += [
        Small(extends_words(hash, of)) for hash, of in extends_of(Game(""), told.packs).items()
    ]
    lines.append(Small(phrase("`/fair add` mixes your words into the dice before the first roll.")))
    buttons = [context.button("join", f"Join {side}", side, style="primary") for side in sides]
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
        buttons.append(context.button("carry", "Carry the roster over"))
    buttons += phase_buttons(context, leads="none" if sides else "", folded=True)
    buttons.append(context.button("read", "Proof", "proof"))
    return Reply(
        f'{context.who} starts "{name}"',
        tuple(lines),
        by=system.title if name != system.title else "",
        buttons=tuple(buttons),
        across=across_of(buttons),
    )


def _check_cups(system: System, sides: tuple[str, ...]) -> None:
    """Raise UserError where a chit of a cup that leads a phase names another side than the game
    has.
    """
    named = [
        side for id in system.decks if is_cup(id, system) for side in sides_named(system.decks[id])
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
        one for one in systems().values() if isinstance(one, PackSystem) and one.base is not None
    ]
    for one in packs:
        if one.home == system.id and one.version not in system.versions:
            check_joining(one, [other for other in packs if other is not one])


def _asked_for(options: Mapping[str, Any]) -> tuple[System, str, tuple[str, ...], Scenario | None]:
    """Rules, name, sides and scenario of a new game as typed; a scenario brings its own. Raises
    UserError.
    """
    typed = options["name"]
    sides = read_sides(options["sides"] or "")
    # a menu says whose it is: lnlt/ford
    of, _, wanted = str(options["scenario"] or "").rpartition("/")
    games = [id for id in systems() if wanted in systems()[id].scenarios]
    of = options["system"] or of or (games[0] if len(games) == 1 else "")
    with_scenario = _find_extension(of, wanted)
    if with_scenario is not None:
        of = with_scenario.home
    if of not in systems():
        if wanted and not games:
            raise _unknown_scenario(wanted)
        hint = phrase("For example: `/game start lnlt`")
        raise UserError("Pick a game or a scenario.", hint=hint, option="system", code="missing")
    system = systems()[of]
    if system.base is not None:
        what = f"{system.title} comes with {system.base.title}, and is no game by itself."
        hint = phrase("Start that: `/game start {id}`", id=system.home)
        raise UserError(what, hint=hint, option="system", code="other-system")
    if not wanted:
        return system, _game_name(typed or system.title), sides, None
    scenario = find_scenario(with_scenario or system, wanted)
    if (sides and sides != scenario.sides) or options.get("carry"):  # no field in a form
        what = "carry" if options.get("carry") else "sides"
        raise UserError(
            "A scenario comes with its own sides and units.",
            hint=f"Leave out {what}.",
            option=what,
            code="not-together",
        )
    return system, _game_name(typed or scenario.title), scenario.sides, scenario


def _find_extension(of: str, wanted: str) -> System | None:
    """Return the extension that has the scenario `wanted`, of the game or extension `of`; None if
    none has it, or if the game itself has it.
    """
    game = systems().get(of)
    if game is None or not wanted:
        return None
    folded = comparison_key(wanted).replace(" ", "-")
    if folded in game.scenarios:
        return game if game.base is not None else None
    extensions = [one for one in systems().values() if one.base is not None and one.home == of]
    return next((one for one in extensions if folded in one.scenarios), None)


def _unknown_scenario(name: str) -> UserError:
    """Return the error for a scenario that no game has, with the nearest of all games."""
    names = sorted({name for system in systems().values() for name in system.scenarios})
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
        if not may_be_called(side):
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


def carried(old: Game, sides: tuple[str, ...], system: System | None) -> dict[str, RosterUnit]:
    """The roster of the game before, without eliminated units; sides that are no more are left
    empty. Units get the numbers that their types begin with.
    """
    return {
        key: replace(
            with_starting_numbers(unit, system) if system is not None else unit,
            side=unit.side if unit.side in sides or not sides else "",
        )
        for key, unit in old.units.items()
        if not is_gone(unit)
    }


async def carry(context: Context, _more: str) -> Reply:
    """The button of a new game: take over the roster of the one before, as it was noted when this
    one began. Raises UserError."""
    game = context.need_started()
    need_director(game, context.actor, "carry the roster over")
    noted = await context.store.doc(CARRY, context.ledger.row)
    before = await game_of(context.store, noted.data["row"]) if noted is not None else None
    if before is None or game.units:
        raise UserError(
            "This game has a roster already, or the game before is gone.", code="roster-taken"
        )
    units = carried(before.game, game.sides, context.system)
    context.commit.drop_docs.append((CARRY, context.ledger.row))
    context.amends.append(Amendment(context.topic(1), lambda said: without(said, (CARRY,))))
    context.ledger.add(
        "unit", replace(game, units=units), result=f"{count_units(len(units))} carried over"
    )
    return Reply(f"{context.who}: {count_units(len(units))} carried over")


async def join(context: Context, named: str | None = None) -> Reply:
    """Play for a side: the one typed, or on the button *Join US*. Raises UserError."""
    game = context.need_started()
    typed = context.command.options.get("side")
    if named is None and game.sides and not typed:
        free = next(
            (side for side in game.sides if side not in game.players.values()), game.sides[0]
        )
        line = phrase("Type: `/game join {side}`", side=quoted(free))
        raise UserError(
            f"Which side: {' or '.join(game.sides)}?", hint=line, option="side", code="missing"
        )
    side = find_side(game, named or (context.options()["side"] if typed else ""))
    person = context.ledger.person()
    if (own := game.players.get(person)) is not None:
        hint = "" if own == side else phrase("Leave it first: `/game leave`.")
        error = UserError(f"You already play {own}.", hint=hint, code="side-taken")
        if own != side:
            error.buttons = (context.button("leave", f"Leave {own}"),)
        raise error
    now = seated(game, {**game.players, person: side}, {person})
    context.ledger.add("join", now, side=side)
    take_seat(context)
    lines = (CLAIM_HINT,) if context.ledger.own_import() is not None else ()
    return Reply(f"{context.who} plays {side}", lines)


async def press_leave(context: Context, _about: str) -> Reply:
    """Leave one's side by the button *Leave US*. Raises UserError."""
    return await leave(context)


async def leave(context: Context) -> Reply:
    """Leave one's side. Raises UserError."""
    game = context.need_started()
    person = context.ledger.known_person()
    if person not in game.players:
        raise UserError("You play no side in this game.", code="not-player")
    players = {other: side for other, side in game.players.items() if other != person}
    now = seated(game, players, {person})
    context.ledger.add("leave", now)
    back = ("Their closed cards go back into the pile.",) if now.cards != game.cards else ()
    return Reply(f"{context.who} leaves {game.players[person]}", back)


def _game_name(raw: str) -> str:
    name = " ".join(raw.split())
    if not name or len(name) > MAX_NAME:
        raise UserError(
            f"A game's name has 1 to {MAX_NAME} characters.", option="name", code="bad-name"
        )
    return name


async def ask(context: Context, name: str) -> Reply:
    """Ask whoever directs the game that is on; the new one begins as it was asked for."""
    game = context.game
    who = context.command.who
    key = new_id()
    data = {
        "row": context.ledger.row,
        "options": {
            name: value for name, value in context.command.options.items() if value is not None
        },
        "name": who.name,
    }
    request = _request(Doc(START, key, data, context.now + KEPT, who.key))
    request.ask(context)
    context.about = request.topics[0]
    master = context.ledger.persons.get(game.master)
    called = master.user if master is not None and not is_imported(master) else ""
    decides = context.ledger.name_of(game.master) if master is not None else "The game master"
    return Reply(
        f'{context.who} wants to start "{name}" here',
        (
            phrase(
                'That would set "{old}" aside: `/game resume` takes it up again.',
                old=game.name,
            ),
            f"{decides} or a {manager_word(context.command.where.key)} decides.",
        ),
        buttons=(
            Button(f"begin:{key}", "Start it", "primary"),
            Button(f"keep:{key}", "Keep playing"),
        ),
        tone=WAITING,
        mention=(called,) if called and called != who.key else (),
    )


async def begin(context: Context, key: str) -> Reply:
    """The button: the new game begins in the name of who asked for it."""
    doc = await _asked(context, key)
    need_director(context.game, context.actor, "put it aside")
    _request(doc).settle(context, f"{context.who} starts it")
    asker = Person(doc.owner, str(doc.data["name"]))
    context = repeated(context, ("game", "start"), doc.data["options"])
    context.command = replace(context.command, who=asker)
    context.ledger = Ledger(context.ledger.was, Writer(asker.key, asker.name, context.now))
    return await begin_game(context)


async def keep(context: Context, key: str) -> Reply:
    """The button: the game that is on goes on."""
    doc = await _asked(context, key)
    if doc.owner != context.command.who.key:
        need_director(context.game, context.actor, "decide that")
    _request(doc).settle(context, f"{context.who} keeps the game that is on")
    return Reply(f'"{context.game.name}" goes on', (f"{context.who} keeps it.",))


def _request(doc: Doc) -> Request:
    return Request(doc, (f"{doc.data['row']}/start-{doc.key}",), "a new game")


async def _asked(context: Context, key: str) -> Doc:
    gone = UserError(
        "That request is no longer open.",
        hint=phrase("`/game start` asks again."),
        code="not-asked",
    )
    return await open_request(context, START, key, gone, row=context.ledger.row)
