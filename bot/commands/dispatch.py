"""All commands and buttons, collected from the modules that handle them, and how one is run."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from bot.commands import due_rows
from bot.commands.by_post import choose, missed_events, my_games, orders, reminders
from bot.commands.cards import cups, decks, hands
from bot.commands.channel_games import use_game_of_row
from bot.commands.context import Context
from bot.commands.declare import (
    ButtonOf,
    DeclaredButton,
    Handler,
    declare_button,
    list_buttons_of,
    list_commands_of,
)
from bot.commands.games import (
    bot_rights,
    end,
    end_together,
    imports,
    link,
    my_luck,
    settings,
    start_and_join,
    start_solo,
    stats,
    status_and_list,
    transfer_and_delete,
)
from bot.commands.games.result import confirm, count, series, strike
from bot.commands.help import find, help
from bot.commands.ladder import balance, player, setting, standings
from bot.commands.ladder import export as ladder_export
from bot.commands.log import export, log, share
from bot.commands.macros import macros
from bot.commands.packs import free_packs, pack
from bot.commands.play import button, fair, odds, play, sealed
from bot.commands.privacy import privacy
from bot.commands.seek import link as seek_link
from bot.commands.seek import play_seek, seek
from bot.commands.solo import self_play
from bot.commands.turns import (
    acting_for,
    board,
    done_under_shot,
    first_side,
    last_turn,
    tracks,
    turn,
    turn_card,
)
from bot.commands.undo import undo
from bot.commands.units import unit, unit_card, unit_list
from bot.forms.drafts import build_earlier_game_error
from bot.game.loaded_game import is_imported
from bot.game.sides import list_joinable_sides
from bot.game.state import is_guarded
from bot.rules.errors import UserError
from bot.rulesets.catalog import load_shared_systems
from bot.ui.registry import Registry
from bot.ui.reply.join_buttons import build_join_buttons
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec, Path

MODULES = (
    choose,
    missed_events,
    my_games,
    orders,
    reminders,
    bot_rights,
    end,
    end_together,
    imports,
    link,
    my_luck,
    settings,
    start_solo,
    start_and_join,
    status_and_list,
    transfer_and_delete,
    find,
    help,
    export,
    log,
    share,
    privacy,
    play_seek,
    seek,
    seek_link,
    confirm,
    count,
    series,
    balance,
    ladder_export,
    player,
    setting,
    standings,
    strike,
    stats,
    undo,
    free_packs,
    macros,
    pack,
    button,
    cups,
    decks,
    fair,
    hands,
    odds,
    play,
    sealed,
    acting_for,
    board,
    done_under_shot,
    first_side,
    last_turn,
    self_play,
    tracks,
    turn,
    turn_card,
    unit,
    unit_card,
    unit_list,
)
"""Every module that handles commands or buttons."""
HELP_ORDER = (
    "roll",
    "game start",
    "solo",
    "game join",
    "game leave",
    "game status",
    "game next",
    "game pass",
    "game initiative",
    "game plan",
    "game board",
    "game end",
    "game list",
    "game open",
    "game resume",
    "game undo",
    "game redo",
    "game reveal",
    "game settings",
    "game transfer",
    "game link",
    "game export",
    "game import",
    "game share",
    "game claim",
    "game delete",
    "game stats",
    "seek game",
    "seek list",
    "seek play",
    "seek withdraw",
    "seek link",
    "result count",
    "result confirm",
    "result strike",
    "result return",
    "ladder standings",
    "ladder player",
    "ladder balance",
    "ladder export",
    "unit add",
    "unit edit",
    "unit remove",
    "unit list",
    "unit show",
    "unit import",
    "log",
    "again",
    "deck draw",
    "deck deal",
    "deck peek",
    "deck play",
    "deck give",
    "deck make",
    "deck discard",
    "deck return",
    "deck shuffle",
    "deck show",
    "choose",
    "hand",
    "order write",
    "order show",
    "order open",
    "order deadline",
    "track show",
    "track set",
    "fair show",
    "fair add",
    "fair close",
    "fair reveal",
    "me show",
    "me ping",
    "me games",
    "me luck",
    "macro add",
    "macro run",
    "macro list",
    "macro remove",
    "macro export",
    "macro import",
    "privacy show",
    "privacy export",
    "privacy delete",
    "help",
    "find",
    "pack add",
    "pack list",
    "pack show",
    "pack enable",
    "pack disable",
    "pack export",
    "pack remove",
    "setup systems",
    "setup rights",
    "setup links",
    "setup seekers",
    "setup ladder",
)
"""Commands in the order of help and menus. One that is not listed comes last."""


def _collect_commands(modules: Iterable[ModuleType]) -> Iterator[tuple[CommandSpec, Handler]]:
    """Yield each declared command of the modules with its handler."""
    for function in _list_functions(modules):
        for spec in list_commands_of(function):
            yield spec, function


def _collect_buttons(modules: Iterable[ModuleType]) -> Iterator[DeclaredButton]:
    """Yield each declared button of the modules."""
    for function in _list_functions(modules):
        yield from list_buttons_of(function)


def _list_functions(modules: Iterable[ModuleType]) -> Iterator[Any]:
    """Yield the functions and classes that the modules define themselves, without imported ones."""
    for module in modules:
        for value in vars(module).values():
            if getattr(value, "__module__", "") == module.__name__:
                yield value


def _get_position_in_help(spec: CommandSpec) -> int:
    """Return the position of a command in `HELP_ORDER`; one that is not listed comes after all
    others.
    """
    name = " ".join(spec.path)
    return HELP_ORDER.index(name) if name in HELP_ORDER else len(HELP_ORDER)


@declare_button("actfor")
async def press_act_for(context: Context, key: str) -> Reply:
    """Run the command that waited for the user to confirm that they act for another side.

    Raises UserError if the question is another user's, too old, or of another game. Errors of the
    command are raised too.
    """
    path, options = await acting_for.agree_to_act_for(context, key)
    spec = get_spec(context.registry, path)
    context.command = replace(
        context.command, path=spec.path, options=options, channels={}, spec=spec
    )
    await context.check_enabled(spec)
    return await get_handler(spec)(context)


_DECLARED_COMMANDS = tuple(_collect_commands(MODULES))
HANDLERS: Mapping[Path, Handler] = {spec.path: handler for spec, handler in _DECLARED_COMMANDS}
"""Handlers of the commands that every game shares, by path."""
SHARED_COMMANDS: tuple[CommandSpec, ...] = tuple(
    sorted((spec for spec, _ in _DECLARED_COMMANDS), key=_get_position_in_help)
)
"""The commands that every game shares, in the order of help."""
HANDLERS_BY_FAMILY: Mapping[str, Handler] = {
    "lookup": play.handle_lookup,
    "sequence": play.handle_sequence,
    "due": due_rows.handle_due_row,
}
"""Handlers of the commands that are not declared one by one: those of tables, of sequences, and of
due rows.
"""
BUTTONS: Mapping[str, DeclaredButton] = {
    declared.name: declared
    for declared in (*_collect_buttons(MODULES), *list_buttons_of(press_act_for))
}
"""Every button by name."""

BEGINNING = ("begin", "keep", "resume", "agree", "takeover", "packon", "freepack", "seekplay")
"""Buttons that start or take over a game, or change a server's packs, though they do not name the
game that is played here.
"""
PAGES = ("log", "die", "handcard", "handpage")
"""Buttons that replace the private message that they are under by another page."""
SCREENS = ("whatif", "back")
"""Buttons that replace the message that they are under if the answer is a box."""
GAME_ID = 16
"""Number of digits of a game's id. The number of an event has fewer."""


_WITHOUT_GAMES = Registry({}, SHARED_COMMANDS)


def load_shared_registry() -> Registry:
    """Load the registry of all commands over the games that everybody has."""
    return _WITHOUT_GAMES.with_games(load_shared_systems())


def get_handler(spec: CommandSpec) -> Handler:
    """Return the function that handles a command, or a pressed button."""
    if spec.family == "button":
        return press_button
    return HANDLERS.get(spec.path) or HANDLERS_BY_FAMILY[spec.family]


def add_game_hints(context: Context, error: UserError) -> None:
    """Add to the error of a command what its game knows: buttons that answer a pending choice, the
    name of the game master, or buttons to join.
    """
    if error.code == "choice-first":
        choose.add_answer_buttons(context, error)
    if error.code == "not-master":
        name_game_master(context, error)
    if error.code == "not-player" and not error.buttons and is_guarded(context.game):
        error.buttons = build_join_buttons(context.ledger.row, list_joinable_sides(context.game))


def name_game_master(context: Context, error: UserError) -> None:
    """Name the game master in the hint of an error, if another known user is game master of this
    game.
    """
    master = context.ledger.persons.get(context.game.master)
    if master is None or is_imported(master):
        return
    if master.person != context.ledger.find_person():
        error.hint = f"Ask {context.ledger.get_name(master.person)}, the game master."


def get_spec(registry: Registry, path: Path) -> CommandSpec:
    """Return the command with this path, or the command of a button (`("button", NAME)`).

    Raises UserError with the nearest spelling.
    """
    if path and path[0] == "button":
        return get_button_spec(path)
    spec = registry.get(path)
    if spec is None:
        spec, _ = registry.find(path)
    return spec


def get_button_spec(path: Path) -> CommandSpec:
    """Return the command of a button with the path `("button", NAME)`. Raises UserError for an
    unknown button.
    """
    name = path[1] if len(path) > 1 else ""
    declared = BUTTONS.get(name)
    if declared is None:
        raise UserError(f'There is no button "{name[:40]}" here.', code="unknown-button")
    return CommandSpec(path, name, "button", private=declared.private, needs_game=name in BEGINNING)


async def press_button(context: Context) -> Reply:
    """Run the handler of the pressed button.

    Raises UserError, also if the button names another game than the one that is played here, unless
    it works in earlier games.
    """
    name = context.spec.path[1]
    text = str(context.command.options.get("rest", ""))
    declared = BUTTONS[name]
    if declared.of is not ButtonOf.NOTHING:
        row, _, text = text.partition(":")
        can_use_game = bool(row) and row == context.ledger.row
        if not can_use_game and declared.in_earlier_games:
            can_use_game = await use_game_of_row(context, row)
        if not can_use_game:
            raise await _build_other_game_error(context, row)
    if declared.of is ButtonOf.EVENT and name != "redo":  # Redo is under the answer of the undo
        number, _, request = text.partition(":")
        context.pressed_topic = context.build_topic(f"asked-{request}" if request else number)
    answer = await declared.handler(context, *declared.parse_arguments(text))
    if name in SCREENS:
        return replace(answer, in_place=answer.boxed)
    if name in PAGES and answer.private:
        return replace(answer, in_place=True)
    return answer


async def _build_other_game_error(context: Context, row: str) -> UserError:
    """Return the error for a button of a game that is not played here, or of an old release, which
    names no game.

    If the game was played here before, the context is switched to it, and the error says that it is
    an earlier one.
    """
    if not row or (row.isdecimal() and len(row) < GAME_ID):
        return UserError(
            "This button is from before an update and doesn't say which game it's for.",
            code="old-button",
        )
    if await use_game_of_row(context, row):
        return build_earlier_game_error()
    return UserError(
        "That button belongs to a game that isn't being played here.", code="other-game"
    )
