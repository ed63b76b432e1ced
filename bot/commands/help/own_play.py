"""Help in a user's own conversation with the bot, where no game can be played."""

from dataclasses import replace

from bot.commands.help.pages import HELP
from bot.rules.text.normalize import comparison_key
from bot.rules.text.phrase import Typed, split_pieces
from bot.ui.registry import TABLE, Registry
from bot.ui.reply.parts import Entry, Part
from bot.ui.reply.reply import OPEN_FORM, Menu, Reply


def leave_out_games(reply: Reply, registry: Registry) -> Reply:
    """Return a page of help without the lines, buttons and menu entries that name a command which
    needs a game.
    """
    lines = [part for part in reply.lines if not _part_needs_game(part, registry)]
    buttons = [
        button for button in reply.buttons if not _action_needs_game(button.action, registry)
    ]
    menus: list[Menu] = []
    for menu in reply.menus:
        entries = [
            entry for entry in menu.entries if not _action_needs_game(entry.action, registry)
        ]
        menus.append(menu._replace(entries=tuple(entries)))
    return replace(reply, lines=tuple(lines), buttons=tuple(buttons), menus=tuple(menus))


def _part_needs_game(part: Part, registry: Registry) -> bool:
    """Return whether a line names a command that needs a game, or has a button for one."""
    if isinstance(part, Entry) and _action_needs_game(part.action, registry):
        return True
    text = part if isinstance(part, str) else getattr(part, "text", "")
    commands = [piece for piece in split_pieces(text) if isinstance(piece, Typed)]
    return any(_needs_game(command, registry) for command in commands)


def _action_needs_game(action: str, registry: Registry) -> bool:
    """Return whether a button opens the form or the help page of a command that needs a game."""
    for beginning in (OPEN_FORM, HELP):
        if action.startswith(beginning):
            return _needs_game(action.removeprefix(beginning), registry)
    return False


def _needs_game(line: str, registry: Registry) -> bool:
    """Return whether the command at the start of the line needs a game, or all commands of the
    group there.
    """
    words = tuple(comparison_key(line).removeprefix("/").split())
    if words and words[0] == "help":
        words = words[1:]
    if (
        not words
        or words[0] not in registry.top_names
        or words[0].removesuffix(TABLE) in registry.games
    ):
        return False
    below = list(registry.list_below(words[:2])) or list(registry.list_below(words[:1]))
    return bool(below) and all(spec.needs_game for spec in below)
