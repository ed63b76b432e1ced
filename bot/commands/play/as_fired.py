"""What a shot looked like when it was fired: its odds with the units as they were, and every die of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.answers.headline import FIRES
from bot.answers.odds import odds_reply
from bot.answers.plays import Shot, again, besides, by_label, came_up, every_die, shot_of
from bot.commands.context import Context, roster_for
from bot.commands.play.odds import count_rows, parties
from bot.commands.play.pictures import offered
from bot.commands.play.share import boxed
from bot.commands.turns.initiative import odds_by_name
from bot.game.opened import read_opened
from bot.game.state import Json
from bot.game.version import system_of
from bot.interface.reply.reply import Reply
from bot.interface.spec import CommandSpec
from bot.rules.errors import UserError
from bot.systems.catalog import system


@dataclass(frozen=True, slots=True)
class Fired:
    """An event that played a sequence, with what it played."""

    event: Json
    spec: CommandSpec
    shot: Shot


async def _fired(context: Context, number: int) -> Fired:
    """The shot with this number. Raises UserError for anything else."""
    context.need_game()
    event = await read_opened(context.store, context.ledger.row, context.game, number)
    spec = context.registry.get(tuple(event["command"].split())) if event is not None and "command" in event else None
    if event is None or spec is None or spec.family != "sequence":
        raise UserError(f"#{number} has no odds.", code="no-odds")
    await context.check_enabled(spec)
    sequence = (system_of(event) or system(spec.system)).sequence(spec.target)
    return Fired(event, spec, shot_of(event, sequence, roster_for(context, spec)))


async def odds(context: Context, number: int, _more: str) -> Reply:
    """The odds that a shot had, with its inputs and the units as they were; what came up is marked."""
    fired = await _fired(context, number)
    shot = fired.shot
    rows, counted = await count_rows(context, shot.sequence, shot.raw, shot.roster)
    came = came_up(shot)
    _, whom = parties(shot.sequence, shot.raw, shot.roster)
    reply = odds_reply(shot.sequence, shot.raw, rows, counted, whom=whom, came=came)
    reply = odds_by_name(reply, shot.sequence, context.game)
    done = "fired" if fired.spec.verb in FIRES else "rolled"
    reply = replace(reply, by=f"the odds of #{number} as it was {done}")
    return boxed(context, await offered(context, reply, context.button("bars", "", number).action))


async def dice(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot whose answer shows its units by their results, privately."""
    reply = await _dice(context, number)
    buttons = (context.button("odds", "Odds", number), context.button("share", "Share", number))
    return replace(reply, private=True, buttons=buttons)


async def share(context: Context, number: int, _more: str) -> Reply:
    """Every die of a shot, for all to see."""
    return await _dice(context, number)


async def _dice(context: Context, number: int) -> Reply:
    fired = await _fired(context, number)
    played = again(fired.shot)
    parts = every_die(fired.shot.sequence, played) if played else by_label(fired.event.get("dice") or ())
    parts = (*parts, *besides(fired.shot.sequence, played))
    count = len(fired.shot.dice)
    title = fired.shot.sequence.title
    said = f"{count} {'die' if count == 1 else 'dice'}, {title[:1].lower()}{title[1:]}"
    return Reply(f"Every die of #{number}", parts, by=said)
