"""Which function answers which command and button: `file:function`, imported when it is first needed."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from bot.commands.channel_games import turn_to_row
from bot.commands.context import Context
from bot.interface.registry import Registry
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec, Path
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase

Handler = Callable[[Context], Awaitable[Reply]]

GAME = {
    "start": "games.game:start",
    "join": "games.game:join",
    "sequence": "play.button:press_sequence",
    "leave": "games.game:leave",
    "status": "games.games:status",
    "next": "turns.turn:advance",
    "pass": "turns.turn:hand_over",
    "initiative": "play.button:initiative",
    "plan": "turns.turn_card:plan",
    "board": "turns.board:board",
    "end": "games.end:end",
    "list": "games.games:listing",
    "open": "games.games:open_game",
    "resume": "games.games:resume",
    "settings": "games.settings:settings",
    "undo": "log.undo:undo",
    "redo": "log.undo:redo",
    "reveal": "play.record:reveal",
    "transfer": "games.transfer:transfer",
    "link": "games.link:handle",
    "export": "log.export:export",
    "import": "games.imports:import_game",
    "claim": "games.imports:claim",
    "delete": "games.transfer:delete",
    "stats": "log.luck:stats",
    "share": "log.export:share",
}
UNIT = {
    "add": "units.unit:add",
    "edit": "units.unit:edit",
    "remove": "units.unit:remove",
    "list": "units.unit_list:listing",
    "show": "units.unit_list:show",
    "import": "units.unit:import_units",
}
FAIR = {"show": "play.fair:show", "add": "play.fair:add", "close": "play.fair:close", "reveal": "play.fair:reveal"}
PRIVACY = {"show": "log.privacy:show", "export": "log.privacy:export", "delete": "log.privacy:delete"}
ORDER = {
    "write": "post.orders:write",
    "show": "post.orders:show",
    "open": "post.orders:open_now",
    "deadline": "post.orders:deadline",
}
ME = {"show": "post.me:show", "ping": "post.me:ping", "games": "post.me:games"}
MACRO = {
    "add": "packs.macros:add",
    "run": "packs.macros:run",
    "list": "packs.macros:listing",
    "remove": "packs.macros:remove",
    "export": "packs.macros:export",
    "import": "packs.macros:import_macros",
}
TRACK = {"show": "turns.tracks:show", "set": "turns.tracks:set_track"}
SETUP = {"systems": "games.settings:systems", "links": "games.settings:links"}
DECK = {
    "make": "play.decks:make",
    "draw": "play.decks:draw",
    "peek": "play.decks:peek",
    "deal": "play.hands:deal",
    "play": "play.hands:play",
    "discard": "play.hands:discard",
    "give": "play.hands:give",
    "return": "play.hands:put_back",
    "shuffle": "play.decks:shuffle",
    "show": "play.decks:show",
}
PACKS = {
    "add": "packs.pack:add",
    "list": "packs.pack:listing",
    "show": "packs.pack:show",
    "enable": "packs.pack:enable",
    "disable": "packs.pack:disable",
    "export": "packs.pack:export",
    "remove": "packs.pack:remove",
}

FAMILIES: Mapping[str, str | Mapping[str, str]] = {
    "roll": "play.play:handle_roll",
    "lookup": "play.play:handle_lookup",
    "sequence": "play.play:handle_sequence",
    "help": "help.help:handle",
    "log": "log.log:handle",
    "again": "play.button:repeat_last",
    "choose": "post.choose:choose",
    "game": GAME,
    "unit": UNIT,
    "fair": FAIR,
    "privacy": PRIVACY,
    "me": ME,
    "macro": MACRO,
    "order": ORDER,
    "deck": DECK,
    "hand": "play.hands:hand",
    "setup": SETUP,
    "track": TRACK,
    "pack": PACKS,
    "due": "post.due:handle",
}
"""By family; a family of several commands by the second word of their paths."""

BUTTONS = {
    "forget": "log.privacy:forget",
    "look": "turns.board:press_look",
    "mygames": "post.me:games",
}
"""Buttons that say all by their name."""
BUTTONS_WITH_REST = {
    "roll": "play.button:roll_draft",
    "anyway": "play.button:anyway",
    "cancel": "play.button:cancel",
    "count": "play.button:count_draft",
    "back": "play.button:count_draft",
    "whatif": "play.odds:what_if",
    "tell": "play.odds:tell",
    "die": "play.button:enter_die",
    "agree": "games.link:agree",
    "decline": "games.link:decline",
    "takeover": "games.transfer:take_over",
    "stay": "games.transfer:stay",
    "open": "games.games:open_game",
    "snooze": "post.reminders:snooze",
    "resume": "games.games:resume",
    "begin": "games.game:begin",
    "keep": "games.game:keep",
    "help": "help.help:handle",
    "try": "help.help:press_try",
    "throw": "help.help:press_throw",
    "packon": "packs.pack:enable",
    "packdraw": "packs.pack:press_picture",
    "picture": "play.button:press_picture",
    "drawn": "play.button:press_picture",
    "whole": "play.play:press_whole",
}
"""Buttons that take what is behind the colon as it is; they name a document, which is of one game or of none."""
BUTTONS_OF_GAME = {
    "call": "play.button:press_call",
    "card": "units.unit_card:press_card",
    "carry": "games.game:carry",
    "claim": "games.imports:claim",
    "close": "play.fair:press_close",
    "delete": "games.transfer:delete_now",
    "drawcard": "play.decks:press_draw",
    "drawmine": "play.decks:press_draw_closed",
    "hand": "play.hands:press_hand",
    "handpage": "play.hands:press_hand",
    "handcard": "play.hands:press_card",
    "openhand": "play.hands:agree",
    "done": "turns.turn:press_pass",
    "askseed": "games.end:ask_seed",
    "end": "games.end:end_now",
    "drawgame": "play.button:press_game",
    "endseed": "games.end:end_now",
    "initiative": "play.button:initiative",
    "join": "games.game:join",
    "sequence": "play.button:press_sequence",
    "losses": "log.luck:press_losses",
    "luck": "log.luck:press_picture",
    "log": "log.log:turn_page",
    "mark": "units.unit_card:press_mark",
    "next": "turns.turn:advance",
    "ordermine": "post.orders:mine",
    "pass": "turns.turn:press_pass",
    "remember": "turns.turn:remember",
    "since": "post.since:since",
    "telllog": "play.odds:tell_log",
    "read": "games.games:read",
    "unshare": "log.export:stop",
    "units": "units.unit_list:press_share",
}
"""Buttons that name their game, which must be the one that is played here; they take what follows it, if anything."""
BUTTONS_OF_EVENT = {
    "plan": "turns.turn_card:press_plan",
    "again": "play.button:repeat_number",
    "other": "play.button:fire_at",
    "sure": "play.button:fire_at",
    "odds": "play.odds:odds_of_shot",
    "bars": "play.button:press_shot",
    "dice": "play.odds:dice_of_shot",
    "share": "play.odds:share_shot",
    "reveal": "play.button:reveal",
    "undo": "play.button:take_back",
    "redo": "play.button:bring_back",
    "choose": "post.choose:press",
    "consent": "play.button:answer_request",
    "refuse": "play.button:answer_request",
}
"""Buttons that name their game and an event of it; consent and refusal also the request that they answer."""


BUTTONS_OF_EARLIER = ("delete", "log", "read", "reveal", "odds", "bars", "dice", "drawgame")
"""Those of the last two that also work for a game that was played here before: what they do stays within it."""
PRIVATE = (
    "card",
    "look",
    "mygames",
    "odds",
    "bars",
    "cancel",
    "luck",
    "packdraw",
    "packon",
    "picture",
    "dice",
    "count",
    "whatif",
    "back",
    "die",
    "log",
    "delete",
    "forget",
    "drawmine",
    "hand",
    "handpage",
    "open",
    "read",
    "remember",
    "unshare",
)
HELPING = ("help", "try", "whole")
NAMES = (*BUTTONS, *BUTTONS_WITH_REST, *BUTTONS_OF_GAME, *BUTTONS_OF_EVENT)
INSTEAD = {
    "again": "/again",
    "choose": "/choose",
    "claim": "/game claim",
    "close": "/fair close",
    "consent": "/game undo",
    "done": "/game pass done",
    "drawcard": "/deck draw",
    "drawmine": "/deck draw to=me",
    "hand": "/hand",
    "openhand": "/hand agree",
    "initiative": "/game initiative",
    "join": "/game join",
    "log": "/log",
    "next": "/game next",
    "pass": "/game pass",
    "redo": "/game redo",
    "remember": "/game status",
    "reveal": "/game reveal",
    "undo": "/game undo",
    "unshare": "/game share off",
}
"""What does the same as a button, typed."""

BEGINNING = ("begin", "keep", "resume", "agree", "takeover", "packon")
"""Buttons that lead to a game or to a server's packs, though they name no game that is played."""
PAGES = ("log", "die", "handpage")
"""Buttons whose private message turns its page."""
SCREENS = ("whatif", "back")
"""Buttons whose box becomes the next one."""
BY_POST = ("ordermine", "since")
"""Private ones of a game by post."""
GAME_ID = 16
"""Digits of a game's id; the number of an event has fewer."""
SERVER_BACK = "games.link:server_back"
"""What is done where the bot comes to a server, or back to it."""


def handler(spec: CommandSpec) -> Handler:
    """The function that answers a command."""
    if spec.family == "button":
        return press
    found = FAMILIES[spec.family]
    function: Handler = imported(found if isinstance(found, str) else found[spec.path[1]])
    return function


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
    if name not in NAMES:
        raise UserError(f'There is no button "{name[:40]}" here.', code="unknown-button")
    private = name in (*PRIVATE, *HELPING, *BY_POST)
    return CommandSpec(path, name, "button", private=private, needs_game=name in BEGINNING)


async def press(context: Context) -> Reply:
    """Do what the button is for."""
    name, rest = context.spec.path[1], str(context.command.options.get("rest", ""))
    answer: Reply
    if name in BUTTONS:
        answer = await imported(BUTTONS[name])(context)
    elif name in BUTTONS_WITH_REST:
        answer = await imported(BUTTONS_WITH_REST[name])(context, rest)
    else:
        row, _, about = rest.partition(":")
        is_here = bool(row) and row == context.ledger.row
        if not is_here and not (name in BUTTONS_OF_EARLIER and await turn_to_row(context, row)):
            raise _of_another_game(name, row)
        if name in BUTTONS_OF_GAME:
            answer = await imported(BUTTONS_OF_GAME[name])(context, about)
        else:
            number, _, more = about.partition(":")
            if name != "redo":  # which hangs under the undo
                context.pressed = context.topic(f"asked-{more}" if more else number)
            answer = await imported(BUTTONS_OF_EVENT[name])(context, _number(number), more)
    if name in SCREENS:
        return replace(answer, in_place=answer.boxed)
    return replace(answer, in_place=True) if name in PAGES and answer.private else answer


def _of_another_game(name: str, row: str) -> UserError:
    """Why a button does nothing: its game is not the one played here, or it is so old that it names none."""
    typed = INSTEAD.get(name, "")
    hint = phrase("`{typed}` does the same for the game played here now.", typed=typed) if typed else ""
    if not row or (row.isdecimal() and len(row) < GAME_ID):
        return UserError("This button is from before an update and names no game.", hint=hint, code="old-button")
    return UserError("This button belongs to another game than the one played here now.", hint=hint, code="other-game")


def _number(rest: str) -> int:
    if not rest.isdecimal() or len(rest) > 12:
        raise UserError("This button no longer works.", code="used-up")
    return int(rest)


def imported(name: str) -> Any:
    """The function that `file:function` names under bot/commands."""
    file, _, function = name.partition(":")
    module = f"bot.commands.{file}"
    return getattr(sys.modules.get(module) or import_module(module), function)
