"""`/game plan`: what is due in a later turn, and is announced on its card."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.context import Context
from bot.game.rights import need_player
from bot.game.state import Game
from bot.interface.reply.reply import Reply
from bot.rules.errors import UserError
from bot.rules.text.phrase import phrase

MAX_PLANS = 30
DELETED = "a plan whose text was deleted"


async def plan(context: Context) -> Reply:
    """Plan something for a turn, remove a plan, or list them."""
    options, game = context.options(), context.need_started()
    turn, text, number = options["turn"], options["text"], options["remove"]
    if number is not None:
        return await _unplan(context, game, number)
    if turn is None and not text:
        plans = await planned(context, game)
        lines = tuple(f"Turn {when}: {what} (#{at})" for when, at, what in plans)
        add = phrase('Plan something: `/game plan 4 "US reinforcements at A1"`')
        return Reply("Plans of this game" if plans else "Nothing is planned", (*lines, add), private=True)
    need_player(game, context.actor)
    if turn is None or not text:
        raise UserError(
            "A plan needs a turn and a text.",
            hint=phrase('For example: `/game plan 4 "US reinforcements at A1"`'),
            option="text" if turn is not None else "turn",
            code="missing",
        )
    if turn <= game.turn:
        raise UserError(f"It is turn {game.turn} already.", option="turn", code="bad-value")
    if len(game.plans) >= MAX_PLANS:
        raise UserError(f"A game has at most {MAX_PLANS} plans.", code="too-many")
    after = replace(game, plans={**game.plans, str(context.ledger.next_number): turn})
    context.ledger.add("plan", after, texts={"text": " ".join(text.split())}, result=f"for turn {turn}")
    return Reply(f"Planned for turn {turn}: {' '.join(text.split())}", by=context.who)


IMPACT = "impact_turn"
"""The output that says in which turn something lands: artillery of Beer and Pretzels Skirmish, Artillery Delay."""


async def press_plan(context: Context, number: int, _more: str) -> Reply:
    """The button *Plan it* under what lands in a later turn: its turn goes into the plans of the game."""
    from bot.commands.context import repeated
    from bot.commands.log.undo import read_event

    event = await read_event(context, number) or {}
    turn, text = int(event["out"][IMPACT]), f"Artillery, called for by #{number}"
    if any(said == text for _, _, said in await planned(context, context.game)):
        raise UserError(f"#{number} is planned for turn {turn} already.", code="used-up")
    return await plan(repeated(context, ("game", "plan"), {"turn": turn, "text": text}))


async def _unplan(context: Context, game: Game, number: int) -> Reply:
    need_player(game, context.actor)
    gone = next(((turn, text) for turn, at, text in await planned(context, game) if at == number), None)
    if gone is None:
        raise UserError(
            f"There is no plan #{number}.", hint=phrase("List them: `/game plan`"), option="remove", code="not-planned"
        )
    left = {at: turn for at, turn in game.plans.items() if at != str(number)}
    context.ledger.add("plan", replace(game, plans=left), result=f"#{number} removed")
    return Reply(f"No longer planned for turn {gone[0]}: {gone[1]}", by=context.who)


async def due_now(context: Context, game: Game) -> list[str]:
    """What was planned for the present turn."""
    return [text for turn, _, text in await planned(context, game) if turn == game.turn]


async def planned(context: Context, game: Game) -> list[tuple[int, int, str]]:
    """All plans: turn, number of the event, text; turn by turn."""
    found = []
    for at, turn in game.plans.items():
        number = int(at)
        texts = await context.store.texts(context.ledger.row, after=number - 1, before=number + 1)
        text = next((row.text for row in texts if row.event == number and row.key == "text"), DELETED)
        found.append((turn, number, text))
    return sorted(found)
