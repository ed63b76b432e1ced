"""What buttons do: each names an event or a stored draft, so it works after a restart."""

from __future__ import annotations

from bot.command import CommandSpec, Path
from bot.commands.desk import Desk
from bot.reply import Reply
from bot.rules.errors import UserError

PRIVATE = ("odds", "log", "delete", "forget")
REPEATABLE = ("again", "odds", "log")
"""Buttons that may be pressed any number of times; all others do what they do once per message."""
NAMES = ("again", "undo", "reveal", "roll", "consent", "refuse", "carry", *PRIVATE)


def button_spec(path: Path) -> CommandSpec:
    """The command behind a button. Raises UserError for one that is unknown."""
    name = path[1] if len(path) > 1 else ""
    if name not in NAMES:
        raise UserError(f'There is no button "{name[:40]}" here.')
    return CommandSpec(path, name, "button", private=name in PRIVATE)


async def handle(desk: Desk) -> Reply:
    """Do what the button on the desk stands for."""
    name, rest = desk.spec.path[1], str(desk.command.options.get("rest", ""))
    if name == "roll":
        return await _roll_draft(desk, rest)
    if name == "carry":
        from bot.commands.game import carry

        return await carry(desk)
    if name == "log":
        from bot.commands.log import turn_page

        return await turn_page(desk, rest)
    if name in ("delete", "forget"):
        return await _confirmed(desk, name, rest)
    number = _number(rest)
    if name == "again":
        from bot.commands.again import repeat_number

        return await repeat_number(desk, number)
    if name == "odds":
        return await _odds(desk, number)
    if name == "reveal":
        from bot.commands.sealed import reveal_number

        return await reveal_number(desk, number)
    from bot.commands import undo

    return await {"undo": undo.undo, "consent": undo.consent, "refuse": undo.refuse}[name](desk, number)


async def _roll_draft(desk: Desk, key: str) -> Reply:
    """Roll what odds were asked for; the draft is used up, so it rolls once."""
    from bot.commands.playing import DRAFT, play, repeated

    draft = await desk.store.doc(DRAFT, key)
    if draft is None:
        raise UserError("This was rolled already, or is too old.", hint="Type the command again.")
    if draft.owner != desk.command.who.key:
        raise UserError("Only who asked for these odds may roll them.")
    desk.drop_docs.append((DRAFT, key))
    return await play(repeated(desk, tuple(draft.data["path"]), draft.data["options"]))


async def _odds(desk: Desk, number: int) -> Reply:
    """The odds that a procedure had, by its recorded inputs and today's roster."""
    from bot.commands.playing import answer_odds
    from bot.commands.undo import read_event

    desk.need_game()
    event = await read_event(desk, number)
    spec = desk.registry.get(tuple(event["command"].split())) if event is not None and "command" in event else None
    if event is None or spec is None or spec.family != "sequence":
        raise UserError(f"#{number} has no odds.")
    await desk.check_enabled(spec)
    return await answer_odds(desk, spec, event.get("inputs") or {})


async def _confirmed(desk: Desk, name: str, rest: str) -> Reply:
    if name == "delete":
        from bot.commands.moving import delete_now

        return await delete_now(desk, rest)
    from bot.commands.privacy import forget

    return await forget(desk)


def _number(rest: str) -> int:
    if not rest.isdecimal() or len(rest) > 12:
        raise UserError("This button names no event.")
    return int(rest)
