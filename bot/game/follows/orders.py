"""Whether an event follows on those before it: sealed orders, their deadline, and their opening."""

from __future__ import annotations

from bot.game.follows.past import Event, Past, playing_problem, words_problem
from bot.game.sides import COMMAND, ORDER, all_in, told_sides


def order(past: Past, event: Event) -> str:
    """Somebody seals an order, in place of the one that they wrote before; or says when they open at the latest."""
    if problem := playing_problem(past):
        return problem
    now, who, said = past.now, event["who"], past.patch(event, "after", "game")
    if "texts" not in event:
        due = said.get("orders_due")
        if said.keys() != {"orders_due"} or (due and due <= event["at"]):
            return "it neither seals an order nor says when they open."
        return words_problem(event, "a deadline" if due else "no deadline")
    orders = {**{at: by for at, by in now.orders.items() if by != who}, str(event["number"]): who}
    if said != {"orders": orders} or not event["texts"].keys() <= {ORDER, COMMAND} or not event["texts"]:
        return "it seals something else than an order of who wrote it."
    if event["side"] not in now.sides:
        return "who plays no side writes no orders."
    return words_problem(event, f"{event['side']} is in")


def opening(past: Past, event: Event) -> str:
    """All orders are opened: every side is in, the deadline is over, or a game master of no side does it."""
    if problem := playing_problem(past):
        return problem
    now, who, said = past.now, event["who"], past.patch(event, "after", "game")
    if event["reads"] != sorted(map(int, now.orders)):
        return "it opens other orders than were sealed."
    if said != {"orders": {}, **({"orders_due": 0} if now.orders_due else {})}:
        return "it opens the orders, but they stay sealed."
    is_master = who == now.master and who not in now.players
    if not (all_in(now) or is_master or 0 < now.orders_due <= event["at"]):
        return "the orders are opened though not every side is in."
    return words_problem(event, told_sides(now))
