"""Which function answers which command and button: `file:function`, imported when it is first needed."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any

from bot.commands.context import Context
from bot.interface.registry import Registry
from bot.interface.reply import Reply
from bot.interface.spec import CommandSpec, Path

Handler = Callable[[Context], Awaitable[Reply]]

GAME = {
    "start": "game:start",
    "join": "game:join",
    "leave": "game:leave",
    "status": "game:status",
    "next": "turn:advance",
    "pass": "turn:hand_over",
    "initiative": "turn:initiative",
    "plan": "plans:plan",
    "board": "board:board",
    "end": "ending:end",
    "list": "games:listing",
    "open": "games:open_game",
    "resume": "games:resume",
    "settings": "game:settings",
    "undo": "undo:undo",
    "redo": "undo:redo",
    "reveal": "sealed:reveal",
    "transfer": "moving:transfer",
    "link": "link:handle",
    "export": "exporting:export",
    "import": "importing:import_game",
    "claim": "claiming:claim",
    "delete": "moving:delete",
    "stats": "luck:stats",
    "share": "share:share",
}
UNIT = {
    "add": "unit:add",
    "edit": "unit_change:edit",
    "remove": "unit_change:remove",
    "list": "unit_list:listing",
    "show": "unit_list:show",
    "import": "unit:import_units",
}
FAIR = {"show": "fair:show", "add": "fair:add", "close": "fair:close", "reveal": "fair:reveal"}
PRIVACY = {"show": "privacy:show", "export": "privacy:export", "delete": "privacy:delete"}
ORDER = {
    "write": "orders:write",
    "show": "orders:show",
    "open": "orders:open_now",
    "deadline": "orders:deadline",
}
ME = {"show": "me:show", "ping": "me:ping", "games": "me:games"}
MACRO = {
    "add": "macros:add",
    "run": "macros:run",
    "list": "macros:listing",
    "remove": "macros:remove",
    "export": "macros:export",
    "import": "macros:import_macros",
}
SETUP = {"systems": "setup:systems", "links": "setup:links"}
PACKS = {
    "add": "pack_add:add",
    "list": "pack:listing",
    "show": "pack_add:show",
    "enable": "pack:enable",
    "disable": "pack:disable",
    "export": "pack:export",
    "remove": "pack:remove",
}

FAMILIES: Mapping[str, str | Mapping[str, str]] = {
    "roll": "playing:handle_roll",
    "lookup": "playing:handle_lookup",
    "sequence": "playing:handle_sequence",
    "help": "help:handle",
    "log": "log:handle",
    "again": "again:handle",
    "game": GAME,
    "unit": UNIT,
    "fair": FAIR,
    "privacy": PRIVACY,
    "me": ME,
    "macro": MACRO,
    "order": ORDER,
    "setup": SETUP,
    "pack": PACKS,
    "due": "due:handle",
    "button": "button:handle",
}
"""By family; a family of several commands by the second word of their paths."""

BUTTONS = {
    "forget": "privacy:forget",
    "look": "board:press_look",
    "mygames": "me:press_games",
}
"""Buttons that say all by their name."""
BUTTONS_WITH_REST = {
    "roll": "button:roll_draft",
    "anyway": "aim:anyway",
    "cancel": "aim:cancel",
    "count": "filled:count_draft",
    "back": "filled:count_draft",
    "whatif": "what_if:what_if",
    "tell": "sharing:tell",
    "die": "filled:enter_die",
    "agree": "link_request:agree",
    "decline": "link_request:decline",
    "takeover": "moving:take_over",
    "stay": "moving:stay",
    "open": "games:press_open",
    "snooze": "reminders:snooze",
    "resume": "games:press_resume",
    "begin": "starting:begin",
    "keep": "starting:keep",
    "help": "help:press_help",
    "try": "help:press_try",
    "throw": "help:press_throw",
    "packon": "pack:press_enable",
    "packdraw": "pack_add:press_picture",
    "picture": "pictures:press",
    "drawn": "pictures:press",
    "whole": "lookups:press_whole",
}
"""Buttons that take what is behind the colon as it is; they name a document, which is of one game or of none."""
BUTTONS_OF_GAME = {
    "call": "calls:press_call",
    "card": "unit_card:press_card",
    "carry": "game:carry",
    "claim": "claiming:claim",
    "close": "fair:press_close",
    "delete": "moving:delete_now",
    "done": "turn:press_pass",
    "askseed": "ending:ask_seed",
    "end": "ending:end_now",
    "drawgame": "pictures:press_game",
    "endseed": "ending:end_and_reveal",
    "initiative": "turn:press_initiative",
    "join": "game:press_join",
    "losses": "luck:press_losses",
    "luck": "luck:press_picture",
    "log": "log:turn_page",
    "mark": "unit_card:press_mark",
    "next": "turn:press_next",
    "ordermine": "orders:mine",
    "pass": "turn:press_pass",
    "remember": "turn:remember",
    "since": "since:press_since",
    "telllog": "sharing:tell_log",
    "read": "games:read",
    "unshare": "share:stop",
    "units": "unit_list:press_share",
}
"""Buttons that name their game, which must be the one that is played here; they take what follows it, if anything."""
BUTTONS_OF_EVENT = {
    "plan": "plans:press_plan",
    "again": "again:repeat_number",
    "other": "second_shot:fire_at",
    "sure": "second_shot:fire_at",
    "odds": "as_fired:odds",
    "bars": "pictures:press_shot",
    "dice": "as_fired:dice",
    "share": "as_fired:share",
    "reveal": "button:reveal",
    "undo": "button:take_back",
    "redo": "button:bring_back",
    "consent": "button:answer_request",
    "refuse": "button:answer_request",
}
"""Buttons that name their game and an event of it; consent and refusal also the request that they answer."""


BUTTONS_OF_EARLIER = ("delete", "log", "read", "reveal", "odds", "bars", "dice", "drawgame")
"""Those of the last two that also work for a game that was played here before: what they do stays within it."""


def handler(spec: CommandSpec) -> Handler:
    """The function that answers a command."""
    found = FAMILIES[spec.family]
    function: Handler = imported(found if isinstance(found, str) else found[spec.path[1]])
    return function


def spec_of(registry: Registry, path: Path) -> CommandSpec:
    """The command with this path, a button's too. Raises UserError with the nearest spelling."""
    if path and path[0] == "button":
        of_button: CommandSpec = imported("button:button_spec")(path)
        return of_button
    found = registry.get(path)
    if found is None:
        found, _ = registry.find(path)
    return found


def imported(name: str) -> Any:
    """The function that `file:function` names under bot/commands."""
    file, _, function = name.partition(":")
    module = f"bot.commands.{file}"
    return getattr(sys.modules.get(module) or import_module(module), function)
