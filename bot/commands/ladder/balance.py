"""`/ladder balance`: how often each side of a scenario wins, as played and at equal luck."""

import asyncio

from bot.commands.context import Context
from bot.commands.declare import declare_command
from bot.commands.ladder.choose_ladder import LADDER_SYSTEM, choose_ladder
from bot.commands.ladder.ladder_docs import read_results
from bot.commands.ladder.standings_cache import load_all_results
from bot.commands.play.odds import add_share_button
from bot.ladder.balance import GAMES_WITH_LUCK, Balance, compute_balance
from bot.rules.text.names import format_count
from bot.storage.records import Doc
from bot.ui.reply.parts import Group, Part, Small
from bot.ui.reply.reply import Reply

MOST_SCENARIOS = 8
"""Maximum number of scenarios that are listed."""


@declare_command(
    "ladder balance",
    "Which side wins each scenario, as played and at equal luck",
    LADDER_SYSTEM,
    private=True,
    title="Balance of scenarios",
    verb="Show",
    needs_game=True,
)
async def show_balance(context: Context) -> Reply:
    """Show the balance of the scenarios of a ladder to the user, who may share it.

    Raises UserError if the server has no such ladder.
    """
    server, system, title = await choose_ladder(context)
    found = context.systems.get(system)
    titles = found.scenarios if found is not None else {}
    docs = await load_all_results(context, server, system)
    balances = await asyncio.to_thread(_compute, docs)
    parts: list[Part] = []
    for balance in balances[:MOST_SCENARIOS]:
        parts += _describe(balance, titles.get(balance.scenario, balance.scenario))
    if not balances:
        parts.append("No game that counted here has used a scenario yet.")
    left_out = len(balances) - MOST_SCENARIOS
    if left_out > 0:
        parts.append(Small(f"{left_out} more scenarios, with fewer games."))
    if any(balance.chance is not None for balance in balances):
        parts.append(
            Small(
                "At equal luck: the share of wins if both sides rolled equally well, "
                "and the range it falls in 19 times out of 20."
            )
        )
    reply = Reply("Balance of scenarios", tuple(parts), by=title, private=True)
    return add_share_button(context, reply)


def _compute(docs: list[Doc]) -> list[Balance]:
    return compute_balance(read_results(docs))


def _describe(balance: Balance, title: str) -> list[Part]:
    """Return the lines of a scenario with this title."""
    first, second = balance.sides
    drawn = f", {format_count(balance.draws, 'draw')}" if balance.draws else ""
    games = format_count(balance.games, "game")
    text = f"{games}. {first} won {balance.wins}, {second} {balance.losses}{drawn}."
    parts: list[Part] = [Group(title, text, grave=True)]
    chance = balance.chance
    if chance is not None:
        parts.append(
            f"At equal luck: {first} {chance.value:.0%} ({chance.low:.0%} to {chance.high:.0%})."
        )
    else:
        parts.append(
            Small(f"At equal luck: shown after {GAMES_WITH_LUCK} games with enough rolls.")
        )
    return parts
