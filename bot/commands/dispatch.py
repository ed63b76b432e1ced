"""Which function answers which command and button: `file:function`, imported when it is first
needed.
"""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib import import_module
from typing import Any, NamedTuple

from bot.commands.channel_games import use_game_of_row
from bot.commands.context import Context
from bot.game.game_cache import is_imported
from bot.game.rights import build_join_buttons
from bot.game.state import is_guarded
from bot.preferences.forms import build_earlier_game_error
from bot.rules.errors import UserError
from bot.ui.registry import Registry
from bot.ui.reply.reply import Reply
from bot.ui.spec import CommandSpec, Path

Handler = Callable[[Context], Awaitable[Reply]]

HANDLERS = {
    "roll": "play.play:handle_roll",
    "lookup": "play.play:handle_lookup",
    "sequence": "play.play:handle_sequence",
    "help": "help.help:handle_help",
    "find": "help.find:handle_find",
    "log": "log.log:show_log",
    "again": "play.button:repeat_last",
    "choose": "by_post.choose:choose_options",
    "game start": "games.start_and_join:start_game",
    "game join": "games.start_and_join:join_side",
    "game sequence": "play.button:press_sequence",
    "game leave": "games.start_and_join:leave_side",
    "game status": "games.status_and_list:show_status",
    "game next": "turns.turn:advance_phase",
    "game pass": "turns.turn:hand_over",
    "game initiative": "play.button:decide_initiative",
    "game plan": "turns.turn_card:manage_plans",
    "game board": "turns.board:post_or_remove_board",
    "game end": "games.end_together:end_game",
    "game list": "games.status_and_list:list_games",
    "game open": "games.status_and_list:show_past_game",
    "game resume": "games.status_and_list:resume_game",
    "game settings": "games.settings:change_settings",
    "game undo": "log.undo:handle_undo",
    "game redo": "log.undo:redo_event",
    "game reveal": "play.sealed:reveal_roll",
    "game transfer": "games.transfer_and_delete:transfer_game",
    "game link": "games.link:handle_link",
    "game export": "log.export_and_share:export_game",
    "game import": "games.imports:import_game",
    "game claim": "games.imports:claim_person",
    "game delete": "games.transfer_and_delete:ask_to_delete_game",
    "game stats": "log.stats:show_stats",
    "game share": "log.export_and_share:share_game",
    "unit add": "units.unit:add_to_roster",
    "unit edit": "units.unit:edit_units",
    "unit remove": "units.unit:remove_from_roster",
    "unit list": "units.unit_list:list_units",
    "unit show": "units.unit_list:show_units",
    "unit import": "units.unit:import_units",
    "fair show": "play.fair:show_fairness",
    "fair add": "play.fair:add_text",
    "fair close": "play.fair:close_texts",
    "fair reveal": "play.fair:reveal_seed",
    "privacy show": "log.privacy:show_privacy",
    "privacy export": "log.privacy:export_own_data",
    "privacy delete": "log.privacy:ask_to_delete_data",
    "me show": "by_post.reminders:show_reminder_settings",
    "me ping": "by_post.reminders:change_reminder_settings",
    "me games": "by_post.my_games:list_my_games",
    "macro add": "packs.macros:add_macro",
    "macro run": "packs.macros:explain_failed_run",
    "macro list": "packs.macros:list_macros",
    "macro remove": "packs.macros:remove_macro",
    "macro export": "packs.macros:export_macros",
    "macro import": "packs.macros:import_macros",
    "order write": "by_post.orders:write_order",
    "order show": "by_post.orders:show_orders",
    "order open": "by_post.orders:open_now",
    "order deadline": "by_post.orders:set_deadline",
    "deck make": "play.decks:make_deck",
    "deck draw": "play.cups:draw_from_deck_or_cup",
    "deck peek": "play.decks:peek_at_cards",
    "deck deal": "play.hands:deal_cards",
    "deck play": "play.hands:play_cards",
    "deck discard": "play.hands:discard_cards",
    "deck give": "play.hands:give_cards",
    "deck return": "play.hands:return_cards",
    "deck shuffle": "play.decks:shuffle_deck",
    "deck show": "play.decks:show_decks",
    "hand": "play.hands:show_hand_or_agree",
    "setup systems": "games.settings:choose_systems",
    "setup links": "games.settings:manage_links",
    "setup rights": "games.bot_rights:list_rights",
    "track show": "turns.tracks:show_tracks",
    "track set": "turns.tracks:set_track",
    "pack add": "packs.pack:add_pack",
    "pack list": "packs.free_packs:list_server_packs",
    "pack show": "packs.pack:show_pack",
    "pack enable": "packs.pack:enable_pack",
    "pack disable": "packs.pack:disable_pack",
    "pack export": "packs.pack:export_pack",
    "pack remove": "packs.pack:remove_pack",
    "due": "by_post.reminders:handle_due_row",
}
"""By the words of a command, or by its family."""


class ButtonAction(NamedTuple):
    """What a button does, as `file:function`; whether only who pressed it sees the answer, and
    whether it also works for a game that was played here before (what it does stays within it).
    """

    does: str
    private: bool = False
    earlier: bool = False


BUTTONS = {
    "forget": ButtonAction("log.privacy:delete_own_data", private=True),
    "look": ButtonAction("turns.board:show_board", private=True),
    "mygames": ButtonAction("by_post.my_games:list_my_games", private=True),
}
"""Buttons that say all by their name."""
BUTTONS_WITH_REST = {
    "roll": ButtonAction("play.button:roll_draft"),
    "anyway": ButtonAction("play.button:press_anyway"),
    "actfor": ButtonAction("turns.acting_for:agree_to_act_for"),
    "cancel": ButtonAction("play.button:press_cancel", private=True),
    "count": ButtonAction("play.button:count_draft_odds", private=True),
    "back": ButtonAction("play.button:count_draft_odds", private=True),
    "whatif": ButtonAction("play.odds:show_what_if", private=True),
    "tell": ButtonAction("play.odds:share_answer"),
    "die": ButtonAction("play.button:enter_die", private=True),
    "agree": ButtonAction("games.link:agree_to_link"),
    "decline": ButtonAction("games.link:decline_link"),
    "takeover": ButtonAction("games.transfer_and_delete:take_over_game"),
    "stay": ButtonAction("games.transfer_and_delete:refuse_transfer"),
    "open": ButtonAction("games.status_and_list:show_past_game", private=True),
    "snooze": ButtonAction("by_post.reminders:press_snooze"),
    "resume": ButtonAction("games.status_and_list:resume_game"),
    "begin": ButtonAction("games.start_and_join:press_begin_game"),
    "keep": ButtonAction("games.start_and_join:press_keep_game"),
    "help": ButtonAction("help.help:handle_help", private=True),
    "try": ButtonAction("help.help:press_try", private=True),
    "throw": ButtonAction("help.help:press_throw"),
    "packon": ButtonAction("packs.pack:enable_pack", private=True),
    "freepack": ButtonAction("packs.free_packs:add_free_pack", private=True),
    "packdraw": ButtonAction("packs.pack:press_picture", private=True),
    "picture": ButtonAction("play.button:press_picture", private=True),
    "drawn": ButtonAction("play.button:press_picture"),
    "whole": ButtonAction("play.play:press_whole_table", private=True),
}
"""Buttons that take what is behind the colon as it is; they name a document, which is of one
game or of none.
"""
BUTTONS_OF_GAME = {
    "call": ButtonAction("play.button:press_call"),
    "card": ButtonAction("units.unit_card:press_card", private=True),
    "carry": ButtonAction("games.start_and_join:press_carry_over"),
    "claim": ButtonAction("games.imports:claim_person"),
    "close": ButtonAction("play.fair:press_close"),
    "delete": ButtonAction("games.transfer_and_delete:delete_game", private=True, earlier=True),
    "drawcard": ButtonAction("play.cups:press_draw_card"),
    "drawmine": ButtonAction("play.decks:press_draw_closed", private=True),
    "drawup": ButtonAction("play.decks:press_draw_up", private=True),
    "drawdeck": ButtonAction("play.decks:press_picture", private=True),
    "hand": ButtonAction("play.hands:press_hand", private=True),
    "handpage": ButtonAction("play.hands:press_hand", private=True),
    "handcard": ButtonAction("play.hands:press_card", private=True),
    "openhand": ButtonAction("play.hands:agree_to_open_hands"),
    "done": ButtonAction("turns.turn:press_pass_or_done"),
    "lead": ButtonAction("play.cups:press_draw_chit"),
    "askseed": ButtonAction("games.end:ask_to_reveal_seed"),
    "end": ButtonAction("games.end_together:press_end"),
    "endagree": ButtonAction("games.end_together:agree_to_end"),
    "endrefuse": ButtonAction("games.end_together:refuse_to_end"),
    "playon": ButtonAction("turns.last_turn:play_on"),
    "drawgame": ButtonAction("play.button:press_game", earlier=True),
    "endseed": ButtonAction("games.end:press_end_now"),
    "initiative": ButtonAction("play.button:decide_initiative"),
    "first": ButtonAction("turns.first_side:press_first_side"),
    "join": ButtonAction("games.start_and_join:join_side"),
    "sequence": ButtonAction("play.button:press_sequence"),
    "leave": ButtonAction("games.start_and_join:press_leave"),
    "losses": ButtonAction("log.stats:press_losses"),
    "luck": ButtonAction("log.stats:press_picture", private=True),
    "log": ButtonAction("log.log:turn_page", private=True, earlier=True),
    "mark": ButtonAction("units.unit_card:press_mark"),
    "next": ButtonAction("turns.turn:advance_phase"),
    "ordermine": ButtonAction("by_post.orders:show_own_order", private=True),
    "pass": ButtonAction("turns.turn:press_pass_or_done"),
    "remember": ButtonAction("turns.turn:show_checklist", private=True),
    "since": ButtonAction("by_post.missed_events:show_missed_events", private=True),
    "telllog": ButtonAction("play.odds:share_log_page"),
    "read": ButtonAction(
        "games.status_and_list:press_past_game_button", private=True, earlier=True
    ),
    "unshare": ButtonAction("log.export_and_share:stop_sharing", private=True),
    "units": ButtonAction("units.unit_list:press_share"),
}
"""Buttons that name their game, which must be the one that is played here; they take what
follows it, if anything.
"""
BUTTONS_OF_EVENT = {
    "again": ButtonAction("play.button:repeat_number"),
    "other": ButtonAction("play.button:fire_at_other_target"),
    "sure": ButtonAction("play.button:fire_at_other_target"),
    "odds": ButtonAction("play.odds:show_shot_odds", private=True, earlier=True),
    "bars": ButtonAction("play.button:press_shot", private=True, earlier=True),
    "dice": ButtonAction("play.odds:show_shot_dice", private=True, earlier=True),
    "share": ButtonAction("play.odds:share_shot_dice"),
    "reveal": ButtonAction("play.button:press_reveal", earlier=True),
    "undo": ButtonAction("play.button:press_undo"),
    "redo": ButtonAction("play.button:press_redo"),
    "handover": ButtonAction("turns.done_under_shot:press_done"),
    "choose": ButtonAction("by_post.choose:press_option"),
    "consent": ButtonAction("play.button:press_consent_or_refuse"),
    "refuse": ButtonAction("play.button:press_consent_or_refuse"),
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


def get_handler(spec: CommandSpec) -> Handler:
    """The function that answers a command."""
    if spec.family == "button":
        return press_button
    function: Handler = import_function(HANDLERS.get(" ".join(spec.path)) or HANDLERS[spec.family])
    return function


def add_game_hints(context: Context, error: UserError) -> None:
    """Add to the refusal of a command what the game of its channel knows: which choice comes
    first, and buttons.
    """
    if error.code == "choice-first":
        import_function("by_post.choose:add_answer_buttons")(context, error)
    if error.code == "not-master":
        name_game_master(context, error)
    if error.code == "not-player" and not error.buttons and is_guarded(context.game):
        error.buttons = build_join_buttons(context.ledger.row, context.game)


def name_game_master(context: Context, error: UserError) -> None:
    """Name the game master in a refusal of what only they can do, if it is somebody else here."""
    master = context.ledger.persons.get(context.game.master)
    if master is None or is_imported(master):
        return
    if master.person != context.ledger.find_person():
        error.hint = f"Ask {context.ledger.get_name(master.person)}, the game master."


def get_spec(registry: Registry, path: Path) -> CommandSpec:
    """The command with this path, a button's too. Raises UserError with the nearest spelling."""
    if path and path[0] == "button":
        return get_button_spec(path)
    found = registry.get(path)
    if found is None:
        found, _ = registry.find(path)
    return found


def get_button_spec(path: Path) -> CommandSpec:
    """The command behind a button. Raises UserError for one that is unknown."""
    name = path[1] if len(path) > 1 else ""
    if (button := ALL_BUTTONS.get(name)) is None:
        raise UserError(f'There is no button "{name[:40]}" here.', code="unknown-button")
    return CommandSpec(path, name, "button", private=button.private, needs_game=name in BEGINNING)


async def press_button(context: Context) -> Reply:
    """Do what the button is for. Raises UserError."""
    name = context.spec.path[1]
    rest = str(context.command.options.get("rest", ""))
    answer: Reply
    if name == "actfor":
        return await _run_waiting_command(context, rest)
    if name in BUTTONS:
        answer = await import_function(BUTTONS[name].does)(context)
    elif name in BUTTONS_WITH_REST:
        answer = await import_function(BUTTONS_WITH_REST[name].does)(context, rest)
    else:
        row, _, about = rest.partition(":")
        is_here = bool(row) and row == context.ledger.row
        if not is_here and not (ALL_BUTTONS[name].earlier and await use_game_of_row(context, row)):
            raise await _build_other_game_error(context, row)
        if name in BUTTONS_OF_GAME:
            answer = await import_function(BUTTONS_OF_GAME[name].does)(context, about)
        else:
            number, _, more = about.partition(":")
            if name != "redo":  # which hangs under the undo
                context.pressed_topic = context.build_topic(f"asked-{more}" if more else number)
            answer = await import_function(BUTTONS_OF_EVENT[name].does)(
                context, _parse_event_number(number), more
            )
    if name in SCREENS:
        return replace(answer, in_place=answer.boxed)
    return replace(answer, in_place=True) if name in PAGES and answer.private else answer


async def _run_waiting_command(context: Context, key: str) -> Reply:
    """Run the command of a game master who now has said that they act for another side."""
    path, options = await import_function(BUTTONS_WITH_REST["actfor"].does)(context, key)
    spec = get_spec(context.registry, path)
    context.command = replace(
        context.command, path=spec.path, options=options, channels={}, spec=spec
    )
    await context.check_enabled(spec)
    return await get_handler(spec)(context)


async def _build_other_game_error(context: Context, row: str) -> UserError:
    """Return why a button does nothing: its game is not the one played here, or it is so old that
    it names none.
    """
    if not row or (row.isdecimal() and len(row) < GAME_ID):
        return UserError(
            "This button is from before an update and names no game.", code="old-button"
        )
    if await use_game_of_row(context, row):
        return build_earlier_game_error()
    return UserError("That button is from a game that is not played here.", code="other-game")


def _parse_event_number(rest: str) -> int:
    if not rest.isdecimal() or len(rest) > 12:
        raise UserError("This button no longer works.", code="used-up")
    return int(rest)


def import_function(name: str) -> Any:
    """The function that `file:function` names under bot/commands."""
    file, _, function = name.partition(":")
    module = f"bot.commands.{file}"
    return getattr(sys.modules.get(module) or import_module(module), function)
