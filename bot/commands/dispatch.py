"""Which function answers which command and button: `file:function`, imported when it is first
needed.
"""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from bot.commands.channel_games import turn_to_row
from bot.commands.context import Context
from bot.game.loaded import is_imported
from bot.game.rights import join_buttons
from bot.game.state import is_guarded
from bot.interface.registry import Registry
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec, Path
from bot.places.forms import earlier_game
from bot.rules.errors import UserError

Handler = Callable[[Context], Awaitable[Reply]]

HANDLERS = {
    "roll": "play.play:handle_roll",
    "lookup": "play.play:handle_lookup",
    "sequence": "play.play:handle_sequence",
    "help": "help.help:handle",
    "find": "help.find:handle",
    "log": "log.log:handle",
    "again": "play.button:repeat_last",
    "choose": "post.choose:choose",
    "game start": "games.start_and_join:start",
    "game join": "games.start_and_join:join",
    "game sequence": "play.button:press_sequence",
    "game leave": "games.start_and_join:leave",
    "game status": "games.status_and_list:status",
    "game next": "turns.turn:advance",
    "game pass": "turns.turn:hand_over",
    "game initiative": "play.button:initiative",
    "game plan": "turns.turn_card:plan",
    "game board": "turns.board:board",
    "game end": "games.end_together:end",
    "game list": "games.status_and_list:listing",
    "game open": "games.status_and_list:open_game",
    "game resume": "games.status_and_list:resume",
    "game settings": "games.settings:settings",
    "game undo": "log.undo:handle",
    "game redo": "log.undo:redo",
    "game reveal": "play.sealed:reveal",
    "game transfer": "games.transfer_and_delete:transfer",
    "game link": "games.link:handle",
    "game export": "log.export_and_share:export",
    "game import": "games.imports:import_game",
    "game claim": "games.imports:claim",
    "game delete": "games.transfer_and_delete:delete",
    "game stats": "log.stats:stats",
    "game share": "log.export_and_share:share",
    "unit add": "units.unit:add",
    "unit edit": "units.unit:edit",
    "unit remove": "units.unit:remove",
    "unit list": "units.unit_list:listing",
    "unit show": "units.unit_list:show",
    "unit import": "units.unit:import_units",
    "fair show": "play.fair:show",
    "fair add": "play.fair:add",
    "fair close": "play.fair:close",
    "fair reveal": "play.fair:reveal",
    "privacy show": "log.privacy:show",
    "privacy export": "log.privacy:export",
    "privacy delete": "log.privacy:delete",
    "me show": "post.reminders:show",
    "me ping": "post.reminders:ping",
    "me games": "post.my_games:games",
    "macro add": "packs.macros:add",
    "macro run": "packs.macros:run",
    "macro list": "packs.macros:listing",
    "macro remove": "packs.macros:remove",
    "macro export": "packs.macros:export",
    "macro import": "packs.macros:import_macros",
    "order write": "post.orders:write",
    "order show": "post.orders:show",
    "order open": "post.orders:open_now",
    "order deadline": "post.orders:deadline",
    "deck make": "play.decks:make",
    "deck draw": "play.cups:draw",
    "deck peek": "play.decks:peek",
    "deck deal": "play.hands:deal",
    "deck play": "play.hands:play",
    "deck discard": "play.hands:discard",
    "deck give": "play.hands:give",
    "deck return": "play.hands:put_back",
    "deck shuffle": "play.decks:shuffle",
    "deck show": "play.decks:show",
    "hand": "play.hands:hand",
    "setup systems": "games.settings:systems",
    "setup links": "games.settings:links",
    "setup rights": "games.bot_rights:list_rights",
    "track show": "turns.tracks:show",
    "track set": "turns.tracks:set_track",
    "pack add": "packs.pack:add",
    "pack list": "packs.free_packs:listing",
    "pack show": "packs.pack:show",
    "pack enable": "packs.pack:enable",
    "pack disable": "packs.pack:disable",
    "pack export": "packs.pack:export",
    "pack remove": "packs.pack:remove",
    "due": "post.reminders:see_to",
}
"""By the words of a command, or by its family."""


class Button(NamedTuple):
    """What a button does, as `file:function`; whether only who pressed it sees the answer, and
    whether it also works for a game that was played here before (what it does stays within it).
    """

    does: str
    private: bool = False
    earlier: bool = False


BUTTONS = {
    "forget": Button("log.privacy:forget", private=True),
    "look": Button("turns.board:press_look", private=True),
    "mygames": Button("post.my_games:games", private=True),
}
"""Buttons that say all by their name."""
BUTTONS_WITH_REST = {
    "roll": Button("play.button:roll_draft"),
    "anyway": Button("play.button:anyway"),
    "actfor": Button("turns.acting_for:agree"),
    "cancel": Button("play.button:cancel", private=True),
    "count": Button("play.button:count_draft", private=True),
    "back": Button("play.button:count_draft", private=True),
    "whatif": Button("play.odds:what_if", private=True),
    "tell": Button("play.odds:tell"),
    "die": Button("play.button:enter_die", private=True),
    "agree": Button("games.link:agree"),
    "decline": Button("games.link:decline"),
    "takeover": Button("games.transfer_and_delete:take_over"),
    "stay": Button("games.transfer_and_delete:stay"),
    "open": Button("games.status_and_list:open_game", private=True),
    "snooze": Button("post.reminders:snooze"),
    "resume": Button("games.status_and_list:resume"),
    "begin": Button("games.start_and_join:begin"),
    "keep": Button("games.start_and_join:keep"),
    "help": Button("help.help:handle", private=True),
    "try": Button("help.help:press_try", private=True),
    "throw": Button("help.help:press_throw"),
    "packon": Button("packs.pack:enable", private=True),
    "freepack": Button("packs.free_packs:add_free", private=True),
    "packdraw": Button("packs.pack:press_picture", private=True),
    "picture": Button("play.button:press_picture", private=True),
    "drawn": Button("play.button:press_picture"),
    "whole": Button("play.play:press_whole", private=True),
}
"""Buttons that take what is behind the colon as it is; they name a document, which is of one
game or of none.
"""
BUTTONS_OF_GAME = {
    "call": Button("play.button:press_call"),
    "card": Button("units.unit_card:press_card", private=True),
    "carry": Button("games.start_and_join:carry"),
    "claim": Button("games.imports:claim"),
    "close": Button("play.fair:press_close"),
    "delete": Button("games.transfer_and_delete:delete_now", private=True, earlier=True),
    "drawcard": Button("play.cups:press_card"),
    "drawmine": Button("play.decks:press_draw_closed", private=True),
    "drawup": Button("play.decks:press_draw_up", private=True),
    "drawdeck": Button("play.decks:press_picture", private=True),
    "hand": Button("play.hands:press_hand", private=True),
    "handpage": Button("play.hands:press_hand", private=True),
    "handcard": Button("play.hands:press_card", private=True),
    "openhand": Button("play.hands:agree"),
    "done": Button("turns.turn:press_pass"),
    "lead": Button("play.cups:press"),
    "askseed": Button("games.end:ask_seed"),
    "end": Button("games.end_together:press_end"),
    "endagree": Button("games.end_together:agree"),
    "endrefuse": Button("games.end_together:refuse"),
    "playon": Button("turns.last_turn:play_on"),
    "drawgame": Button("play.button:press_game", earlier=True),
    "endseed": Button("games.end:end_now"),
    "initiative": Button("play.button:initiative"),
    "first": Button("turns.first_side:press"),
    "join": Button("games.start_and_join:join"),
    "sequence": Button("play.button:press_sequence"),
    "leave": Button("games.start_and_join:press_leave"),
    "losses": Button("log.stats:press_losses"),
    "luck": Button("log.stats:press_picture", private=True),
    "log": Button("log.log:turn_page", private=True, earlier=True),
    "mark": Button("units.unit_card:press_mark"),
    "next": Button("turns.turn:advance"),
    "ordermine": Button("post.orders:mine", private=True),
    "pass": Button("turns.turn:press_pass"),
    "remember": Button("turns.turn:remember", private=True),
    "since": Button("post.since:since", private=True),
    "telllog": Button("play.odds:tell_log"),
    "read": Button("games.status_and_list:read", private=True, earlier=True),
    "unshare": Button("log.export_and_share:stop", private=True),
    "units": Button("units.unit_list:press_share"),
}
"""Buttons that name their game, which must be the one that is played here; they take what
follows it, if anything.
"""
BUTTONS_OF_EVENT = {
    "again": Button("play.button:repeat_number"),
    "other": Button("play.button:fire_at"),
    "sure": Button("play.button:fire_at"),
    "odds": Button("play.odds:odds_of_shot", private=True, earlier=True),
    "bars": Button("play.button:press_shot", private=True, earlier=True),
    "dice": Button("play.odds:dice_of_shot", private=True, earlier=True),
    "share": Button("play.odds:share_shot"),
    "reveal": Button("play.button:reveal", earlier=True),
    "undo": Button("play.button:take_back"),
    "redo": Button("play.button:bring_back"),
    "handover": Button("turns.done_under_shot:press"),
    "choose": Button("post.choose:press"),
    "consent": Button("play.button:answer_request"),
    "refuse": Button("play.button:answer_request"),
}
"""Buttons that name their game and an event of it; consent and refusal also the request that
they answer.
"""
ALL_BUTTONS = {**BUTTONS, **BUTTONS_WITH_REST, **BUTTONS_OF_GAME, **BUTTONS_OF_EVENT}

BEGINNING = ("begin", "keep", "resume", "agree", "takeover", "packon", "freepack")
"""Buttons that lead to a game or to a server's packs, though they name no game that is played."""
PAGES = ("log", "die", "handcard", "handpage")
"""Buttons whose private message turns its page."""
SCREENS = ("whatif", "back")
"""Buttons whose box becomes the next one."""
GAME_ID = 16
"""Digits of a game's id; the number of an event has fewer."""


def handler(spec: CommandSpec) -> Handler:
    """The function that answers a command."""
    if spec.family == "button":
        return press
    function: Handler = imported(HANDLERS.get(" ".join(spec.path)) or HANDLERS[spec.family])
    return function


def explain(context: Context, error: UserError) -> None:
    """Add to the refusal of a command what the game of its channel knows: which choice comes
    first, and buttons.
    """
    if error.code == "choice-first":
        imported("post.choose:with_answer")(context, error)
    if error.code == "not-master":
        name_master(context, error)
    if error.code == "not-player" and not error.buttons and is_guarded(context.game):
        error.buttons = join_buttons(context.ledger.row, context.game)


def name_master(context: Context, error: UserError) -> None:
    """Name the game master in a refusal of what only they can do, if it is somebody else here."""
    master = context.ledger.persons.get(context.game.master)
    if master is None or is_imported(master):
        return
    if master.person != context.ledger.known_person():
        error.hint = f"Ask {context.ledger.name_of(master.person)}, the game master."


def spec_of(registry: Registry, path: Path) -> CommandSpec:
    """The command with this path, a button's too. Raises UserError with the nearest spelling."""
    if path and path[0] == "button":
        return button_spec(path)
    found = registry.get(path)
    if found is None:
        found, _ = registry.find(path)
    return found


def button_spec(path: Path) -> CommandSpec:
    """The command behind a button. Raises UserError for one that is unknown."""
    name = path[1] if len(path) > 1 else ""
    if (button := ALL_BUTTONS.get(name)) is None:
        raise UserError(f'There is no button "{name[:40]}" here.', code="unknown-button")
    return CommandSpec(path, name, "button", private=button.private, needs_game=name in BEGINNING)


async def press(context: Context) -> Reply:
    """Do what the button is for. Raises UserError."""
    name = context.spec.path[1]
    rest = str(context.command.options.get("rest", ""))
    answer: Reply
    if name == "actfor":
        return await _run_waiting_command(context, rest)
    if name in BUTTONS:
        answer = await imported(BUTTONS[name].does)(context)
    elif name in BUTTONS_WITH_REST:
        answer = await imported(BUTTONS_WITH_REST[name].does)(context, rest)
    else:
        row, _, about = rest.partition(":")
        is_here = bool(row) and row == context.ledger.row
        if not is_here and not (ALL_BUTTONS[name].earlier and await turn_to_row(context, row)):
            raise await _of_another_game(context, row)
        if name in BUTTONS_OF_GAME:
            answer = await imported(BUTTONS_OF_GAME[name].does)(context, about)
        else:
            number, _, more = about.partition(":")
            if name != "redo":  # which hangs under the undo
                context.pressed = context.topic(f"asked-{more}" if more else number)
            answer = await imported(BUTTONS_OF_EVENT[name].does)(context, _number(number), more)
    if name in SCREENS:
        return replace(answer, in_place=answer.boxed)
    return replace(answer, in_place=True) if name in PAGES and answer.private else answer


async def _run_waiting_command(context: Context, key: str) -> Reply:
    """Run the command of a game master who now has said that they act for another side."""
    path, options = await imported(BUTTONS_WITH_REST["actfor"].does)(context, key)
    spec = spec_of(context.registry, path)
    context.command = replace(
        context.command, path=spec.path, options=options, channels={}, spec=spec
    )
    await context.check_enabled(spec)
    return await handler(spec)(context)


async def _of_another_game(context: Context, row: str) -> UserError:
    """Return why a button does nothing: its game is not the one played here, or it is so old that
    it names none.
    """
    if not row or (row.isdecimal() and len(row) < GAME_ID):
        return UserError(
            "This button is from before an update and names no game.", code="old-button"
        )
    if await turn_to_row(context, row):
        return earlier_game()
    return UserError("That button is from a game that is not played here.", code="other-game")


def _number(rest: str) -> int:
    if not rest.isdecimal() or len(rest) > 12:
        raise UserError("This button no longer works.", code="used-up")
    return int(rest)


def imported(name: str) -> Any:
    """The function that `file:function` names under bot/commands."""
    file, _, function = name.partition(":")
    module = f"bot.commands.{file}"
    return getattr(sys.modules.get(module) or import_module(module), function)
