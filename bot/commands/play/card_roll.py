"""The rolls that the card of a phase asks for: those of a call, and that for the initiative."""

from __future__ import annotations

from bot.commands.context import Context, repeated
from bot.commands.play.play import play
from bot.commands.turns.calls import addressed, call_sides, calls, moment_of
from bot.commands.turns.turn import old_card
from bot.commands.turns.turn_card import may_be_rolled, phase_buttons
from bot.game.phases import with_initiative
from bot.game.rights import find_side, holds, is_guarded, need_player
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.text.names import joined
from bot.rules.text.phrase import phrase


async def press_call(context: Context, about: str) -> Reply:
    """The button of a call: its sequence for those who are still called and the actor's to roll for."""
    moment, _, at = about.partition(":")
    game, actor = context.need_started(), context.actor
    call = next((call for call in await calls(context) if str(call.at) == at), None)
    if moment != moment_of(context) or call is None:
        raise UserError("Everybody has rolled, or the phase is over.", code="used-up")
    own = [unit.name for unit in call.units if not is_guarded(game) or unit.side in ("", actor.side)]
    own = own or [unit.name for unit in call.units if actor.directs]
    if not own:
        raise UserError(f"{joined(unit.name for unit in call.units)}: none of them is yours.", code="not-yours")
    return await play(repeated(context, (game.system, call.roll), {"unit": "; ".join(own)}))


async def initiative(context: Context, about: str | None = None) -> Reply:
    """Who has the initiative: the side that is named, or the one that wins the roll for it. The button *Initiative*
    rolls, in the phase for which it was made."""
    if about is not None and (old := old_card(context, about)):
        return old
    game = context.need_started()
    need_player(game, context.actor)
    named = context.options()["side"] if about is None else ""
    if not named:
        return await _roll_initiative(context)
    side = find_side(game, named)
    after = with_initiative(game, side, context.system)
    context.ledger.add("initiative", after, result=side)
    mention = await call_sides(context, after, after.go if after.go != game.go else ())
    return Reply(
        addressed(context, f"{side} {holds(side, game.initiative)} the initiative"),
        by=context.who,
        buttons=phase_buttons(context, without=("initiative", "remember"), leads="next"),
        mention=mention,
    )


async def _roll_initiative(context: Context) -> Reply:
    game = context.need_started()
    if not may_be_rolled(game, context.system):
        find_side(game, game.sides[0] if game.sides else "")
        raise UserError(
            "This game does not roll for the initiative.",
            hint=phrase("Say who has it: `/game initiative {side}`", side=game.sides[0]),
            option="side",
            code="missing",
        )
    return await play(repeated(context, (game.system, "initiative"), {}))
